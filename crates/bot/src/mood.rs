//! Emotions: what a bot's percepts add up to, before any behaviour bids.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 11, whose emotions are behaviours that only digest. Here they are a
//! few numbers that all behaviours read: how many enemies, how afraid, who would win. They rise at once and fade slowly.

use fireteam_world::maths;

use crate::behaviour::View;
use crate::gunnery;
use crate::memory::Threat;
use crate::snapshot::Power;

/// What the bot feels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mood {
    pub enemies_in_sight: u32,
    pub mates_near: u32,
    /// 0 calm, 1 terrified: blows raise it, quiet lowers it.
    pub fear: f32,
    /// How a fight with the worst threat would go: what it would take of the enemy before it died itself, in lives. Above 1
    /// it wins.
    pub prospect: f32,
    felt: i32,
    life: u32,
}

/// A blow of so many points is as bad as it gets.
const WORST_BLOW: f32 = 100.0;
/// Fear fades to a third in so many seconds.
const FADE_S: f32 = 4.0;
/// A mate this near helps.
const NEAR: f32 = 500.0;
/// What an enemy is taken to have left, where nothing is known.
const ENEMY_HEALTH: f32 = 100.0;
/// However hard he was hit: he has this much left, or he would be dead.
const HEALTH_MIN: f32 = 15.0;

impl Mood {
    /// Digests what is believed now; `seconds` since it did so last.
    pub(crate) fn digest(&mut self, view: &View, seconds: f32) {
        if self.life != view.own.life {
            *self = Mood { life: view.own.life, ..Mood::default() };
        }
        self.enemies_in_sight = view.memory.in_sight().count() as u32;
        self.mates_near = view.mates.living_near(view.origin(), NEAR * NEAR).count() as u32;
        self.fear *= maths::exp(-seconds / FADE_S);
        if let Some(felt) = view.memory.hurt()
            && felt.at.0 != self.felt
        {
            self.felt = felt.at.0;
            self.fear = (self.fear + felt.points as f32 / WORST_BLOW).min(1.0);
        }
        let worst = view.threat_within(PROSPECT_MS);
        self.prospect = worst.map_or(f32::INFINITY, |threat| prospect(view, self, threat));
    }
}

/// A threat seen this long ago still decides whether it is wise to stay.
const PROSPECT_MS: i32 = 3000;

/// Lives of his I take for one of mine, if all who are in it stand and shoot.
///
/// By F. W. Lanchester, "Aircraft in Warfare", 1916: who has twice as many beside him hits twice as hard and is hit half as
/// often. `fight_company` says how much others count; enemies are met one after the other, so that n of them cost the
/// fire of (n + 1) / 2 for each life. How good the others are is learnt from who fell so far ([`Memory::fortune`]).
///
/// [`Memory::fortune`]: crate::memory::Memory::fortune
fn prospect(view: &View, mood: &Mood, threat: &Threat) -> f32 {
    let arsenal = &view.field.arsenal;
    let range = threat.place.distance(view.origin());
    let mine = gunnery::best(arsenal, view.own, range, view.marksman()).1;
    let theirs = threat.weapon.map_or(0.0, |weapon| gunnery::feared(arsenal, weapon, range));
    let (i_glow, he_glows) = (view.own.powers, threat.powers);
    let my_seconds = life(view) * toughness(i_glow) / (theirs * fire(he_glows)).max(1.0);
    let their_seconds =
        (ENEMY_HEALTH - threat.wounds).max(HEALTH_MIN) * toughness(he_glows) / (mine * fire(i_glow)).max(0.1);
    let company = view.convars.fight_company;
    let (mates, foes) = (mood.mates_near as f32, mood.enemies_in_sight.saturating_sub(1) as f32);
    let helped = 1.0 + company * mates;
    let outnumbered = (1.0 + company * foes) * (1.0 + company * foes * 0.5);
    my_seconds / their_seconds * helped * helped / outnumbered * view.memory.fortune()
}

/// Quake III's numbers of power-ups, which everyone sees glow: how much harder, or how much faster, who has them fires.
fn fire(powers: u32) -> f32 {
    let strong = if Power::Strong.is_in(powers) { STRONG } else { 1.0 };
    let fast = if Power::Fast.is_in(powers) { FAST } else { 1.0 };
    strong * fast
}

/// How much longer he lives with them.
fn toughness(powers: u32) -> f32 {
    if Power::Shielded.is_in(powers) { SHIELDED } else { 1.0 }
}

pub(crate) const STRONG: f32 = 3.0;
pub(crate) const FAST: f32 = 1.3;
/// Half of each shot; of blasts nothing at all, which is not reckoned with.
pub(crate) const SHIELDED: f32 = 2.0;

/// Points it takes to kill this bot: armour takes its share of each as long as it lasts.
pub(crate) fn life(view: &View) -> f32 {
    let armour_share = view.field.game.rules.health.armour_share as f32;
    let soaked = (view.own.armour as f32).min(view.own.health as f32 * armour_share / (1.0 - armour_share).max(0.1));
    view.own.health as f32 + soaked.max(0.0)
}
