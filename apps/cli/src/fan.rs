//! A fan of grenades from one spot: flown, judged, and the best bounced one found.
//!
//! What makes a throw good here: it comes off a wall, leaves the thrower unhurt, hurts as many places as possible that
//! he cannot see, and does not need many bounces for it. The spot is the one, among the spawns and a sample of the ground, from which that goes best.
//!
//! Not here: the search for throws from every place to every place; that is the bake's.
//! Cost: [`SPOTS`] coarse fans with one ray a place to choose the spot, one fine fan with the game's own blast.

use fireteam_world::blast::{self, Target};
use fireteam_world::flight::{self, Air, EndReason, Ending, Fan, Throw, Thrower, Trajectory};
use fireteam_world::game::{Blast, Throwable, ThrowableKind};
use fireteam_world::movement::Stance;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::Time;
use fireteam_world::{Contents, Game, Scene, Sweep, Vec3};

/// How many spots are tried.
const SPOTS: usize = 40;
/// What is left of a throw's worth with every bounce after the first: errors grow with each.
const PER_BOUNCE: f32 = 0.75;
/// A bounce off a surface steeper than this is a bounce off a wall.
pub(crate) const WALL_NORMAL_Z: f32 = 0.7;

/// A throw that was flown.
#[derive(Clone, Debug)]
pub(crate) struct Flown {
    pub(crate) throw: Throw,
    pub(crate) trajectory: Trajectory,
    pub(crate) ending: Ending,
    pub(crate) effect: Effect,
}

/// What it does where it goes off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    /// Places it hurts that the thrower cannot see.
    pub(crate) hidden_places: u32,
    /// Points of damage over all of them.
    pub(crate) hidden_points: i32,
    /// The most it does to anyone.
    pub(crate) points_max: i32,
    pub(crate) hurts_thrower: bool,
}

/// All of it.
#[derive(Clone, Debug)]
pub(crate) struct Demonstration {
    pub(crate) throwable_name: String,
    pub(crate) blast: Blast,
    pub(crate) thrower: Thrower,
    pub(crate) flown: Vec<Flown>,
    /// Index into `flown`; none if no throw came off a wall and hurt anything hidden.
    pub(crate) best: Option<usize>,
    pub(crate) hidden_places: usize,
    pub(crate) places: usize,
}

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FanError {
    #[error("the game {0} has no grenade that explodes")]
    NoGrenade(String),
    #[error("nobody can stand anywhere in {0}: it needs an info_player_deathmatch, or say --from x,y,z")]
    NoPlace(String),
}

/// What stays the same for all throws.
pub(crate) struct Range<'a> {
    pub(crate) game: &'a Game,
    pub(crate) scene: Scene<'a>,
    /// Where somebody might stand.
    pub(crate) places: &'a [Vec3],
    /// Height of those the thrower is chosen from.
    pub(crate) storey: f32,
    pub(crate) seed: u64,
}

/// Flies the fan from `from`, or from the best spot there is.
pub(crate) fn demonstrate(range: &Range<'_>, from: Option<Vec3>) -> Result<Demonstration, FanError> {
    let game = range.game;
    let (name, throwable, blast) = grenade(game).ok_or_else(|| FanError::NoGrenade(game.name.clone()))?;
    let spots = from.map_or_else(|| spots(range), |spot| vec![spot]);
    let mut best = None;
    for spot in spots {
        let thrower = range.thrower(spot);
        let (yaw, value) = range.promising_yaw(&thrower, throwable, blast);
        if best.is_none_or(|(_, _, most)| value > most) {
            best = Some((thrower, yaw, value));
        }
    }
    let (thrower, yaw, _) = best.ok_or_else(|| FanError::NoPlace(game.name.clone()))?;
    let (_, hidden) = range.split_by_sight(&thrower);
    let flown = range.fine_fan(&thrower, throwable, blast, yaw, &hidden);
    let counts = |one: &Flown| off_a_wall(&one.trajectory) && !one.effect.hurts_thrower && one.effect.hidden_points > 0;
    let ranked = (0..flown.len()).filter(|&index| counts(&flown[index]));
    let worth = |one: &Flown| one.effect.hidden_points as f32 * steadiness(&one.trajectory);
    // Of equals the first: `max_by` keeps the last, hence from the end.
    let best = ranked.rev().max_by(|a, b| worth(&flown[*a]).total_cmp(&worth(&flown[*b])));
    Ok(Demonstration {
        throwable_name: name.to_owned(),
        blast: blast.clone(),
        thrower,
        flown,
        best,
        hidden_places: hidden.len(),
        places: range.places.len(),
    })
}

/// The game's hand grenade.
fn grenade(game: &Game) -> Option<(&str, &Throwable, &Blast)> {
    let mut all = game.rules.throwables.iter();
    let (name, throwable) = all.find(|(_, throwable)| throwable.kind == ThrowableKind::Frag)?;
    Some((name, throwable, throwable.blast.as_ref()?))
}

fn spots(range: &Range<'_>) -> Vec<Vec3> {
    const SAME_STOREY: f32 = 24.0;
    let here = range.places.iter().copied().filter(|at| (at.z - range.storey).abs() <= SAME_STOREY);
    let here: Vec<Vec3> = here.collect();
    let stride = (here.len() / SPOTS).max(1);
    here.into_iter().step_by(stride).take(SPOTS).collect()
}

impl Range<'_> {
    fn thrower(&self, spot: Vec3) -> Thrower {
        let view_height = self.game.rules.movement.eye_height(Stance::Standing) as f32;
        Thrower { origin: spot, view_height, velocity: Vec3::ZERO, entity: None }
    }

    /// Places the thrower sees, and those he does not.
    fn split_by_sight(&self, thrower: &Thrower) -> (Vec<Vec3>, Vec<Vec3>) {
        let eye = thrower.origin + Vec3::Z * thrower.view_height;
        self.places.iter().partition(|place| {
            let head = **place + Vec3::Z * thrower.view_height;
            [head, **place].iter().any(|point| self.is_clear(eye, *point))
        })
    }

    fn is_clear(&self, from: Vec3, to: Vec3) -> bool {
        !self.scene.sweep(&Sweep::ray(from, to, Contents::MASK_OPAQUE), None).is_hit()
    }

    /// The direction whose best throw reaches most of what is hidden, by distance and one line of sight a place.
    fn promising_yaw(&self, thrower: &Thrower, throwable: &Throwable, blast: &Blast) -> (f32, f32) {
        let (_, hidden) = self.split_by_sight(thrower);
        let fan = Fan {
            yaw_first: 0.0,
            yaw_span: 360.0,
            yaw_count: 24,
            pitch_first: -35.0,
            pitch_last: 5.0,
            pitch_count: 3,
            speeds: &throwable.speeds,
        };
        let mut best = (0.0, f32::NEG_INFINITY);
        let mut trajectory = Trajectory::default();
        for throw in fan.throws() {
            let ending = self.fly(thrower, throwable, &throw, &mut trajectory);
            let is_safe = ending.place.distance(thrower.origin) > blast.radius;
            if ending.reason == EndReason::Fuse && is_safe && off_a_wall(&trajectory) {
                let value = self.rough_value(&hidden, ending.place, blast) * steadiness(&trajectory);
                if value > best.1 {
                    best = (throw.yaw, value);
                }
            }
        }
        best
    }

    fn rough_value(&self, hidden: &[Vec3], place: Vec3, blast: &Blast) -> f32 {
        let near = hidden.iter().filter(|at| at.distance(place) < blast.radius && self.is_clear(place, **at));
        near.map(|at| 1.0 - at.distance(place) / blast.radius).sum()
    }

    fn fly(&self, thrower: &Thrower, throwable: &Throwable, throw: &Throw, into: &mut Trajectory) -> Ending {
        let launch = throwable.launch(thrower, throw, Time(0));
        flight::fly(&launch, throwable, self.game.flight_rules(), &Air::from(self.scene), into)
    }

    /// Many throws around one direction, each a little off, as a hand is.
    fn fine_fan(&self, by: &Thrower, throwable: &Throwable, blast: &Blast, yaw: f32, hidden: &[Vec3]) -> Vec<Flown> {
        const SPAN: f32 = 84.0;
        let fan = Fan {
            yaw_first: yaw - SPAN * 0.5,
            yaw_span: SPAN,
            yaw_count: 29,
            pitch_first: -50.0,
            pitch_last: 10.0,
            pitch_count: 7,
            speeds: &throwable.speeds,
        };
        let mut hand = Pcg::named(self.seed, "hand");
        let mut flown = Vec::new();
        for steady in fan.throws() {
            let off = throwable.deviation_degrees;
            let throw = Throw {
                yaw: steady.yaw + hand.range(-off, off),
                pitch: steady.pitch + hand.range(-off, off),
                speed: steady.speed + hand.range(-throwable.deviation_speed, throwable.deviation_speed),
                ..steady
            };
            let mut trajectory = Trajectory::default();
            let ending = self.fly(by, throwable, &throw, &mut trajectory);
            let effect = if ending.reason == EndReason::Gone {
                Effect::default()
            } else {
                self.effect(by, blast, ending.place, hidden)
            };
            flown.push(Flown { throw, trajectory, ending, effect });
        }
        flown
    }

    fn effect(&self, thrower: &Thrower, blast: &Blast, place: Vec3, hidden: &[Vec3]) -> Effect {
        let hull = self.game.rules.movement.hull(Stance::Standing);
        let points_at = |origin: Vec3, is_self: bool| {
            let target = Target { origin, hull, stance: Stance::Standing, entity: None, is_self, is_carried: false };
            blast::harm(place, blast, self.game, &target, &self.scene).map_or(0, |harm| harm.points)
        };
        let mut effect = Effect { hurts_thrower: points_at(thrower.origin, true) > 0, ..Effect::default() };
        // A body reaches half its height past its middle.
        let reach = blast.radius + hull.maxs.z;
        for at in hidden.iter().filter(|at| at.distance(place) < reach) {
            let points = points_at(*at, false);
            effect.hidden_places += u32::from(points > 0);
            effect.hidden_points += points;
            effect.points_max = effect.points_max.max(points);
        }
        effect
    }
}

/// How sure a throw is, by its bounces.
fn steadiness(trajectory: &Trajectory) -> f32 {
    let more = trajectory.bounces.len().saturating_sub(1);
    std::iter::repeat_n(PER_BOUNCE, more).product()
}

/// Whether it came off a wall on its way.
pub(crate) fn off_a_wall(trajectory: &Trajectory) -> bool {
    trajectory.bounces.iter().any(|bounce| bounce.normal.z.abs() < WALL_NORMAL_Z)
}
