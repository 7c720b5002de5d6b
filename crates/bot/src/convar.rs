//! What may be tuned: every taste of the bots as a named variable with kind, range, help and the reason for its value.
//!
//! One entry of [`convars!`] makes the field, its default, its range check and its line in every listing. Code
//! receives `&ConVars`, fixed for the frame and kept in recordings; there are no globals. A fact about a game is not a
//! convar (it is in the game's description), and neither is a number nobody would tune.

mod text;

use std::cmp::Reverse;
use std::fmt;

pub use text::{BadLine, Difference, Fault};

/// A variable as listings show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listing {
    pub name: &'static str,
    pub help: &'static str,
    pub default: f64,
    pub min: f64,
    pub max: f64,
    /// Whole numbers only.
    pub is_whole: bool,
}

/// Why a variable was not set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BadConVar {
    #[error("there is no variable `{name}`; the nearest is `{nearest}`")]
    Unknown { name: String, nearest: &'static str },
    #[error("`{name}` takes a number from {} to {}, not `{value}`", *min as f32, *max as f32)]
    OutOfRange { name: &'static str, value: String, min: f64, max: f64 },
}

/// Numbers a variable can be.
pub trait Number: Copy {
    const IS_WHOLE: bool;
    fn to_double(self) -> f64;
    fn from_double(value: f64) -> Self;
}

impl Number for f32 {
    const IS_WHOLE: bool = false;
    fn to_double(self) -> f64 {
        f64::from(self)
    }
    fn from_double(value: f64) -> f32 {
        value as f32
    }
}

impl Number for i32 {
    const IS_WHOLE: bool = true;
    fn to_double(self) -> f64 {
        f64::from(self)
    }
    fn from_double(value: f64) -> i32 {
        value as i32
    }
}

impl Number for u32 {
    const IS_WHOLE: bool = true;
    fn to_double(self) -> f64 {
        f64::from(self)
    }
    fn from_double(value: f64) -> u32 {
        value as u32
    }
}

macro_rules! convars {
    ($( $(#[doc = $help:literal])* $name:ident: $kind:ty = $default:expr, in $range:expr; )*) => {
        /// All variables, with the values in force.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct ConVars {
            $( $(#[doc = $help])* pub $name: $kind, )*
        }

        impl Default for ConVars {
            fn default() -> ConVars {
                ConVars { $( $name: $default, )* }
            }
        }

        impl ConVars {
            /// Every variable, in the order of the table.
            pub const LISTINGS: &[Listing] = &[
                $( Listing {
                    name: stringify!($name),
                    help: concat!($($help, "\n"),*),
                    default: $default as f64,
                    min: *{ const RANGE: std::ops::RangeInclusive<$kind> = $range; RANGE }.start() as f64,
                    max: *{ const RANGE: std::ops::RangeInclusive<$kind> = $range; RANGE }.end() as f64,
                    is_whole: <$kind as Number>::IS_WHOLE,
                }, )*
            ];

            /// The value of a variable.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $( stringify!($name) => Some(self.$name.to_double()), )*
                    _ => None,
                }
            }

            fn put(&mut self, name: &str, value: f64) {
                match name {
                    $( stringify!($name) => self.$name = Number::from_double(value), )*
                    _ => {}
                }
            }
        }
    };
}

convars! {
    /// Milliseconds between two decisions of a bot.
    /// Ten a second, as Quake III's own bots have; aim and legs run every frame anyway.
    think_ms: i32 = 100, in 20..=1000;

    /// Path search steps all bots of a side together may take in one frame.
    /// JoeBOT XP (2005) takes 50 a frame; a step costs well under a microsecond today.
    path_slices_per_frame: u32 = 400, in 16..=100_000;

    /// What a point of health that a way costs, by a fall, is worth in time to who is in no hurry; who fights or flees takes any fall.
    /// A medkit mends 25 points and is three to six seconds away on OpenArena's maps.
    path_harm_ms: i32 = 150, in 0..=2000;

    /// By how many times its own time a way may be dearer because the bot is out of the mood for it; an aggressive one less than half as much.
    /// At 0.8 a hundred journeys between the same two places take five to twelve ways, 1 to 2 % longer than the quickest on
    /// average (`fireteam bench routes`).
    path_variety: f32 = 0.8, in 0.0..=2.0;

    /// The same for a way in full view of the map, to a defensive bot; a normal one cares a third as much, an aggressive one not at all.
    /// At 2.5 such a bot is seen less on its way than an aggressive one, on `compound` by 8 % (`fireteam bench routes`).
    path_exposure: f32 = 2.5, in 0.0..=4.0;

    /// The same for a way that an enemy in mind overlooks, or on which the side just lost somebody, to a normal bot.
    /// One: not through a field of fire if there is a way round that is not twice as far.
    path_danger: f32 = 1.0, in 0.0..=4.0;

    /// The same for each mate who is on that way already.
    /// JoeBOT XP (2005) doubles the cost.
    path_mates: f32 = 1.0, in 0.0..=4.0;

    /// Whether bots leap along straight ways while nobody is in sight: strafe jumps, where the game rewards them.
    /// On: a corridor of 2,100 units takes three quarters of the time and less (a test of `legs` measures it).
    leaps: u32 = 1, in 0..=1;

    /// Fastest turn of the view, in degrees a second.
    /// A good player flicks half a circle in a quarter of a second.
    aim_turn_rate_max: f32 = 720.0, in 90.0..=3600.0;

    /// How quickly an elite's hand closes on a target: the natural frequency of the aim, per second.
    /// At 60 nine tenths of a turn are done in less than a tenth of a second, if the wrist's limit lets them: slower, and whoever
    /// strafes close by is never caught up with.
    aim_quickness_elite: f32 = 60.0, in 1.0..=60.0;

    /// The same for a recruit.
    /// At 7 it takes half a second and a little.
    aim_quickness_recruit: f32 = 7.0, in 1.0..=60.0;

    /// Damping of a recruit's aim; 1 does not overshoot, an elite always has 1.
    /// At 0.6 one turn in ten goes too far and comes back, as beginners' do.
    aim_damping_recruit: f32 = 0.6, in 0.2..=1.0;

    /// Degrees an elite's settled aim is off, as one standard deviation.
    /// A body 30 units wide is 3.4 degrees at 500 units: this hits it nearly always.
    aim_error_elite: f32 = 0.6, in 0.0..=20.0;

    /// The same for a recruit.
    /// At 500 units about every third shot of a rifle hits.
    aim_error_recruit: f32 = 3.0, in 0.0..=20.0;

    /// How quick a look about is, as a share of aiming.
    /// Heads turn slower when nothing is at stake, which also saves the eyes from missing what they sweep over.
    aim_glance_share: f32 = 0.5, in 0.05..=1.0;

    /// How much more a goal that runs is worth than one that would be new, on a scale where the best is 1.
    /// A tenth keeps a bot from changing its mind with every turn and still lets it.
    goal_hysteresis: f32 = 0.1, in 0.0..=1.0;

    /// Milliseconds for which a fight goes on after an enemy is known to be out of sight, before legs run after him.
    /// Who bobs behind a railing is lost and found again many times a second: whoever starts to run each time neither runs nor hits.
    fight_linger_ms: i32 = 400, in 0..=5000;

    /// Milliseconds an enemy who went out of sight is followed.
    /// In three seconds he may be anywhere within 1,000 units: after that it is chance.
    hunt_ms: i32 = 3000, in 0..=60_000;

    /// How well a fight must promise to go to be sought: lives of the enemy's for one's own.
    /// A little over 1: whoever runs after somebody with the poorer gun finds him waiting.
    hunt_prospect: f32 = 1.1, in 0.0..=10.0;

    /// Share of a side that guards its flag while that is in its place.
    /// One of four: enough to delay whoever comes until the others are back; more of them take no flags.
    flag_guards: f32 = 0.25, in 0.0..=1.0;

    /// Share of a side that keeps the ground it holds while there is more to take.
    /// A third: of four one stays, to delay whoever comes; more of them take nothing.
    ground_guards: f32 = 0.34, in 0.0..=1.0;

    /// Whoever is this many milliseconds from laying hands on a flag goes on, whoever shoots at him.
    /// In two and a half seconds a fight is hardly begun, and what the flag is worth is won.
    flag_dash_ms: i32 = 2500, in 0..=60_000;

    /// Enemies farther off than this are shot at on the way to a flag, and not stopped for.
    /// About two thirds of what most rooms measure: beyond it fights are long and the flag waits.
    flag_fight_range: f32 = 600.0, in 0.0..=10_000.0;

    /// Milliseconds one goes out of one's way for something useful on the way to a flag; for a much better gun twice that.
    /// Two and a half seconds fetch what lies in the next room.
    flag_detour_ms: i32 = 2500, in 0..=60_000;

    /// How much danger on the way weighs for whoever carries a flag; 0 takes the quickest way whatever lies on it.
    /// Twice as much as for whoever goes about: if he falls, the way was for nothing.
    flag_caution: i32 = 2, in 0..=64;

    /// How far off an enemy may be that a mate spoke of and that is gone after, in units.
    /// Two seconds' run: whoever is farther is another's to follow.
    hunt_told_reach: f32 = 700.0, in 0.0..=65536.0;

    /// How much mates and further enemies count when a bot asks how a fight will go: 0 not at all, 1 as Lanchester's law has it.
    /// Not all who are near look the same way.
    fight_company: f32 = 0.5, in 0.0..=1.0;

    /// How much rather an enemy is shot at for each point he is known to have lost, on a scale where a unit of distance is 0.6.
    /// Who is nearly dead shoots as hard as anybody, and stops sooner.
    fight_finish: f32 = 2.0, in 0.0..=20.0;

    /// How much a gun counts beside health or armour that would help as much in a fight.
    /// As much: at twice that bots win a little more, and change their mind about what to fetch half again as often.
    fetch_guns: f32 = 1.0, in 0.0..=10.0;

    /// How much rather an enemy is shot at whom a mate was heard to call first, on a scale where a unit of distance is 0.6.
    /// As much as somebody 250 units nearer: who is shot at by two lives half as long.
    fight_focus: f32 = 150.0, in 0.0..=1000.0;

    /// Milliseconds between two changes of side in a fight, at the least.
    /// A rocket takes half a second over 450 units: whoever turns within it is not where it was aimed at.
    strafe_ms_min: f32 = 250.0, in 50.0..=5000.0;

    /// The same at the most.
    /// Irregular, so that nobody can wait for it.
    strafe_ms_max: f32 = 850.0, in 50.0..=5000.0;

    /// Chance that a change of side is jumped.
    /// A jump cannot be turned in the air: who is led well is hit.
    strafe_hops: f32 = 0.0, in 0.0..=1.0;

    /// Chance that a soldier whose gun running spoils stands to shoot instead of stepping aside, each time he might.
    /// Three steps of four: he hits from there, and is not where he was for long.
    strafe_stands: f32 = 0.75, in 0.0..=1.0;

    /// Milliseconds for which fire is laid on where an enemy went out of sight.
    /// Longer, and he is elsewhere and the rounds are gone.
    covering_ms: i32 = 1500, in 0..=10000;

    /// Milliseconds that a bot who needs nothing waits at a strong place for somebody to come, on average; 0 is never.
    /// Whoever waits sees first who runs.
    camp_ms: i32 = 4000, in 0..=120000;

    /// Share of full health below which a bot thinks of getting away.
    /// At a quarter one more hit kills: whoever turns his back earlier loses the fight he might have won.
    retreat_health: f32 = 0.25, in 0.0..=2.0;

    /// How badly a fight must promise to go to be left: lives of the enemy's for one's own.
    /// At half a life, running costs less than staying even though it shows the back.
    retreat_prospect: f32 = 0.5, in 0.0..=10.0;

    /// Share of a clip below which a bot in a fight wants to reload out of sight.
    /// As J. Lampel's JoeBOT XP has it: what is left does not end a fight.
    reload_share: f32 = 0.15, in 0.0..=1.0;

    /// Rounds in a clip that are as bad as a clip below that share.
    /// Two, as there too: of a small clip a share is less than a round.
    reload_rounds: i32 = 2, in 0..=100;

    /// Milliseconds within which such a bot must be out of sight to go there; 0 has all reload where they stand.
    /// As far as who gets away from somebody who sees him runs: farther, he is shot in the back before he has loaded anything.
    reload_hide_ms: u32 = 1500, in 0..=10_000;

    /// Longest burst of a weapon that kicks, close by; farther off it is shorter.
    /// Ten rounds of a rifle: by then the barrel points well above the head.
    burst_ms: i32 = 1000, in 50..=10_000;

    /// Pause between two bursts.
    /// What it takes the hand to bring the barrel down again.
    burst_rest_ms: i32 = 350, in 0..=5000;

    /// Whether bots use grenades at all: 1 or 0.
    /// They are part of the game; servers where they spoil it switch them off here.
    grenades: u32 = 1, in 0..=1;

    /// Whether they use grenades that burst into splinters, Quake III's grenade launcher among them: 1 or 0.
    /// As all of them: what a game has is used.
    grenades_frag: u32 = 1, in 0..=1;

    /// The same for smoke.
    /// Blinds friend and foe, so some servers do without.
    grenades_smoke: u32 = 1, in 0..=1;

    /// The same for what dazzles and deafens.
    /// On by the same rule as the others.
    grenades_flash: u32 = 1, in 0..=1;

    /// The same for what burns.
    /// On by the same rule as the others.
    grenades_incendiary: u32 = 1, in 0..=1;

    /// The same for grenades fired from a rifle.
    /// On by the same rule as the others.
    grenades_rifle: u32 = 1, in 0..=1;

    /// How many grenades a bot uses in one life, of all kinds together.
    /// More than anybody carries, so as it stands it limits nothing; 2 or 3 keep a small map bearable.
    grenades_per_life: u32 = 1000, in 0..=1000;

    /// Milliseconds from an event to a recruit's knowing of it, at the least.
    /// People asked to press a key at a light take 200 to 300; in a game, with something else on their minds, half as long again.
    reaction_ms_recruit: i32 = 450, in 0..=2000;

    /// The same for a regular.
    /// What an ordinary player shows in a game.
    reaction_ms_regular: i32 = 300, in 0..=2000;

    /// The same for a veteran.
    /// Between the two.
    reaction_ms_veteran: i32 = 230, in 0..=2000;

    /// The same for an elite; the others' senses are less exact in proportion to how much slower they are.
    /// 150 is what the best reach who expect something; most people need 200 and more.
    reaction_ms_elite: i32 = 150, in 0..=2000;

    /// By what share a reaction may be longer than the least, drawn anew for each sighting.
    /// People vary by about this much from one time to the next, but for an elite. Only the first look is so late: whoever is
    /// watched is followed.
    reaction_spread: f32 = 0.25, in 0.0..=2.0;

    /// Chance that a recruit minds a noise of which he does not know who made it.
    /// Beginners hear what is loud and play on; a third is what they turn round for.
    heed_recruit: f32 = 0.35, in 0.0..=1.0;

    /// The same for a regular.
    /// Between the two.
    heed_regular: f32 = 0.6, in 0.0..=1.0;

    /// The same for a veteran.
    /// Between the two.
    heed_veteran: f32 = 0.85, in 0.0..=1.0;

    /// The same for an elite.
    /// Whoever plays well plays by ear.
    heed_elite: f32 = 1.0, in 0.0..=1.0;

    /// How many times longer than an elite a recruit looks only where he goes, before the next look aside.
    /// At 4 he looks aside once in ten seconds: whoever comes from the flank is seen late.
    tunnel_recruit: f32 = 4.0, in 0.1..=20.0;

    /// The same for a regular.
    /// Between the two.
    tunnel_regular: f32 = 2.2, in 0.1..=20.0;

    /// The same for a veteran.
    /// Between the two.
    tunnel_veteran: f32 = 1.4, in 0.1..=20.0;

    /// The same for an elite.
    /// Once in two to three seconds: oftener, and what is ahead is missed.
    tunnel_elite: f32 = 1.0, in 0.1..=20.0;

    /// What being seen weighs for a recruit, where he waits and where he walks; 1 is what it weighs for an elite.
    /// A beginner goes the way he knows and stops where he arrives.
    cover_recruit: f32 = 0.1, in 0.0..=2.0;

    /// The same for a regular.
    /// Between the two.
    cover_regular: f32 = 0.4, in 0.0..=2.0;

    /// The same for a veteran.
    /// Between the two.
    cover_veteran: f32 = 0.7, in 0.0..=2.0;

    /// The same for an elite.
    /// `path_exposure` and `path_danger` are meant for him.
    cover_elite: f32 = 1.0, in 0.0..=2.0;

    /// How far a recruit goes by what a fight promises, in running after somebody and in getting away; 1 is as an elite does.
    /// At 0.2 he runs after anybody, and runs away only from what is hopeless.
    prudence_recruit: f32 = 0.2, in 0.0..=2.0;

    /// The same for a regular.
    /// Between the two.
    prudence_regular: f32 = 0.5, in 0.0..=2.0;

    /// The same for a veteran.
    /// Between the two.
    prudence_veteran: f32 = 0.8, in 0.0..=2.0;

    /// The same for an elite.
    /// `hunt_prospect` and `retreat_prospect` are meant for him.
    prudence_elite: f32 = 1.0, in 0.0..=2.0;

    /// How many times better another weapon must be for a recruit to take it into his hand.
    /// Beginners fight with what they hold.
    habit_recruit: f32 = 3.0, in 1.0..=10.0;

    /// The same for a regular.
    /// Between the two.
    habit_regular: f32 = 2.0, in 1.0..=10.0;

    /// The same for a veteran.
    /// Between the two.
    habit_veteran: f32 = 1.5, in 1.0..=10.0;

    /// The same for an elite.
    /// A change costs half a second, about a quarter of what a fight lasts.
    habit_elite: f32 = 1.25, in 1.0..=10.0;

    /// Milliseconds before an item is back at which a recruit sets out for it.
    /// He goes for what lies there.
    timing_ms_recruit: i32 = 0, in 0..=60_000;

    /// The same for a regular.
    /// Between the two.
    timing_ms_regular: i32 = 2000, in 0..=60_000;

    /// The same for a veteran.
    /// Between the two.
    timing_ms_veteran: i32 = 6000, in 0..=60_000;

    /// The same for an elite.
    /// As long as anything is worth the way.
    timing_ms_elite: i32 = 20_000, in 0..=60_000;

    /// Share of sidesteps that a recruit makes in a fight instead of standing, and of missiles' harm that he minds.
    /// At 0.3 he stands for most of it, as beginners do who aim.
    dodge_recruit: f32 = 0.3, in 0.05..=1.0;

    /// The same for a regular.
    /// Between the two.
    dodge_regular: f32 = 0.6, in 0.05..=1.0;

    /// The same for a veteran.
    /// Between the two.
    dodge_veteran: f32 = 0.85, in 0.05..=1.0;

    /// The same for an elite.
    /// Never straight for long.
    dodge_elite: f32 = 1.0, in 0.05..=1.0;

    /// By what share the most aggressive bot asks less of a fight than others, before it seeks or leaves one; the most defensive asks as much more.
    /// At a half, the one runs after whoever is twice as strong as itself, and the other after nobody who is not weaker.
    trait_aggression: f32 = 0.5, in 0.0..=1.0;

    /// By what share the most patient bot waits longer at a strong place, and stays longer on a trail; the most restless as much less.
    /// At 0.6 the one waits four times as long as the other.
    trait_patience: f32 = 0.6, in 0.0..=1.0;

    /// By what share the most loyal bot goes farther to an enemy that a mate spoke of, and minds less that a mate is on the same way; a loner the other way round.
    /// At 0.6 the one comes from four times as far as the other. When nothing calls it also goes about where mates are.
    trait_loyalty: f32 = 0.6, in 0.0..=1.0;

    /// By what share the most curious bot looks aside sooner, and likelier minds a noise; the least curious as much later.
    /// At 0.6 the one looks about four times as often as the other. It also goes to see what made the noise.
    trait_curiosity: f32 = 0.6, in 0.0..=1.0;

    /// By what share the steadiest hand errs less than others of its grade; the shakiest as much more.
    /// Less than half of the step to the next grade: who is better stays better.
    trait_steadiness: f32 = 0.15, in 0.0..=1.0;

    /// By what share the bot that is fondest of grenades thinks more of what flies in an arc; the one that spares them as much less.
    /// At 0.4 the one has a grenade launcher out where the other has a machinegun.
    trait_throwing: f32 = 0.4, in 0.0..=1.0;

    /// How much oftener than half the time the most right-handed bot steps to the right in a fight, as a share of that half.
    /// At 0.4 seven steps of ten: who knows it may lead him, who does not will not notice.
    trait_handedness: f32 = 0.4, in 0.0..=1.0;

    /// Milliseconds a bot guesses on from what it last saw of an enemy.
    /// Long enough for the slowest reaction and a stride behind a pillar; whoever is gone longer has changed his mind.
    foresight_ms: i32 = 600, in 0..=5000;

    /// What a bot as slow again as an elite loses of that guess.
    /// At 0.2 a regular makes up for four fifths of its lag: it aims a little behind a runner, as people do.
    foresight_loss: f32 = 0.2, in 0.0..=1.0;

    /// Half the angle of the cone of view, in degrees.
    /// A little over the 90 to 100 degrees that players have on their screens.
    sight_half_angle: f32 = 55.0, in 5.0..=180.0;

    /// How far anything is seen at all, in units.
    /// The longest views of ordinary maps are shorter.
    sight_range: f32 = 8192.0, in 64.0..=65536.0;

    /// Enemies that a bot has not noticed are looked for in turn, so many a frame.
    /// All of an 8 v 8 match in two frames; those watched or near are looked at in every one.
    sight_checks_per_frame: u32 = 8, in 1..=64;

    /// What is nearer than this is looked at more often, enemies in every frame, in units.
    /// Somebody so near decides a fight within a tenth of a second; a door so near is about to matter.
    sight_near: f32 = 400.0, in 0.0..=65536.0;

    /// Milliseconds from look to look at an item or a mover that is near.
    /// At a run one comes a body's length closer meanwhile. Frames are counted in powers of two.
    sight_near_ms: i32 = 200, in 0..=10_000;

    /// The same for what is farther off.
    /// Nobody needs to know sooner that a thing three seconds away is gone; looking costs time.
    sight_far_ms: i32 = 800, in 0..=10_000;

    /// How much smoke can be looked through, in units.
    /// Two people who bump into each other in smoke see each other.
    sight_smoke_depth: f32 = 64.0, in 0.0..=1024.0;

    /// Milliseconds an elite takes to notice a standing enemy in the middle of its view at `attention_distance`.
    /// It grows with the square of the distance, as his picture shrinks: at a third of it, he is noticed at once.
    attention_ms: f32 = 80.0, in 0.0..=5000.0;

    /// The distance `attention_ms` is for, in units.
    /// The length of a large hall; a player is 24 pixels high there on a screen of 1,000.
    attention_distance: f32 = 1000.0, in 16.0..=8192.0;

    /// How much longer it takes at the edge of the view.
    /// What moves at the edge is noticed, but late.
    attention_edge_factor: f32 = 3.0, in 1.0..=20.0;

    /// How much longer if neither head nor chest is in the open.
    /// A foot or an elbow behind a corner is a small thing.
    attention_sliver_factor: f32 = 3.0, in 1.0..=20.0;

    /// How much longer for a crouched enemy, and once more for one who lies.
    /// He shows about two thirds of himself.
    attention_low_factor: f32 = 1.5, in 1.0..=20.0;

    /// How much longer for one who neither moves nor fires.
    /// Movement is what draws the eye.
    attention_still_factor: f32 = 2.0, in 1.0..=20.0;

    /// How much longer for one who is nearly invisible.
    /// At 500 units an elite still takes a fifth of a second for a glimmer that runs.
    attention_faint_factor: f32 = 10.0, in 1.0..=100.0;

    /// Milliseconds after which an enemy out of sight is no more looked out for.
    /// One who comes back within two seconds surprises nobody.
    attention_fade_ms: i32 = 2000, in 1..=60_000;

    /// So many enemies are kept in view all the time; of more, each is looked at only once in some frames.
    /// People follow four or five things that move at a time, and lose track beyond that.
    attention_span: u32 = 4, in 1..=64;

    /// Degrees by which an elite may mistake where a sound came from.
    /// With headphones people tell directions to within 5 to 15 degrees.
    hearing_error_degrees: f32 = 8.0, in 0.0..=180.0;

    /// Share of the distance by which an elite may mistake how far off a sound was.
    /// Distances are heard much less well than directions.
    hearing_error_distance: f32 = 0.2, in 0.0..=1.0;

    /// Milliseconds of short-term memory.
    /// JoeBOT XP (2005) has about 3 seconds.
    memory_short_ms: i32 = 3000, in 100..=60_000;

    /// Milliseconds for which a bot remembers where an enemy was, or a mate fell.
    /// After half a minute anybody may be anywhere.
    memory_long_ms: i32 = 30_000, in 1000..=600_000;

    /// How uncertain an enemy's place may become at most, in units.
    /// Beyond a few rooms it is no knowledge at all.
    memory_spread_max: f32 = 2000.0, in 0.0..=65536.0;

    /// Milliseconds for which a bot trusts what it saw of a door that comes back by itself.
    /// Doors wait about two seconds; this leaves time for one that somebody stands in.
    memory_mover_ms: i32 = 5000, in 0..=600_000;

    /// Milliseconds from knowing of an enemy to a team mate's having been told.
    /// A short word and hearing it.
    voice_delay_ms: i32 = 700, in 0..=10_000;

    /// Milliseconds between two words of one bot about the same enemy.
    /// Nobody talks all the time.
    voice_again_ms: i32 = 1000, in 0..=60_000;

    /// Words of a waypoint row that a bot adds to its team's last-seen times in one think; 64 waypoints each.
    /// A map of 1,500 waypoints takes six thinks, a little over half a second.
    team_sight_words: u32 = 4, in 1..=1024;

    /// How far waypoints count as seen, in units.
    /// Farther off, somebody standing there might be overlooked.
    team_sight_range: f32 = 2500.0, in 64.0..=65536.0;
}

impl ConVars {
    /// Sets a variable from what somebody typed. Nothing changes if it does not fit.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadConVar> {
        let Some(listing) = Self::LISTINGS.iter().find(|listing| listing.name == name) else {
            return Err(BadConVar::Unknown { name: name.to_owned(), nearest: nearest(name) });
        };
        // As single numbers, which the ends of the range are: as a double, 0.05 is less than the single 0.05.
        let range = listing.min as f32..=listing.max as f32;
        let fits = |number: &f64| range.contains(&(*number as f32)) && (!listing.is_whole || number.fract() == 0.0);
        match value.trim().parse::<f64>().ok().filter(fits) {
            Some(number) => {
                self.put(listing.name, number);
                Ok(())
            }
            None => Err(BadConVar::OutOfRange {
                name: listing.name,
                value: value.to_owned(),
                min: listing.min,
                max: listing.max,
            }),
        }
    }
}

/// The one that begins most alike; of several, the shortest.
fn nearest(name: &str) -> &'static str {
    let alike = |known: &str| known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    ConVars::LISTINGS
        .iter()
        .map(|listing| listing.name)
        .max_by_key(|known| (alike(known), Reverse(known.len())))
        .unwrap_or("")
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As they were written: doubles would show what single numbers leave out.
        let [default, min, max] = [self.default, self.min, self.max].map(|number| number as f32);
        writeln!(f, "{} = {default} ({min} to {max})", self.name)?;
        self.help.lines().try_for_each(|line| writeln!(f, "   {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_within_their_ranges_and_every_variable_can_be_set() {
        let mut convars = ConVars::default();
        for listing in ConVars::LISTINGS {
            assert!((listing.min..=listing.max).contains(&listing.default), "{listing}");
            assert!(listing.help.lines().count() >= 2, "{} does not say why its value is what it is", listing.name);
            convars.set(listing.name, &listing.max.to_string()).expect("the end of a range is in it");
            assert_eq!(convars.get(listing.name), Some(f64::from(listing.max as f32)).filter(|_| true));
            assert!(convars.set(listing.name, &(listing.max + 1.0).to_string()).is_err());
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_told() {
        let mut convars = ConVars::default();
        let error = convars.set("think_mss", "50").expect_err("no such variable");
        assert_eq!(error.to_string(), "there is no variable `think_mss`; the nearest is `think_ms`");
        let error = convars.set("think_ms", "soon").expect_err("not a number");
        assert_eq!(error.to_string(), "`think_ms` takes a number from 20 to 1000, not `soon`");
        assert!(convars.set("think_ms", "50.5").is_err() && convars.set("think_ms", "nan").is_err());
        assert_eq!(convars, ConVars::default());
    }
}
