//! Moving in a fight: at the distance that suits the weapon, never straight for long.
//!
//! The distance is the one at which the bot's best weapon does most for each point it takes, by `gunnery`. Sideways steps
//! change after an irregular while, shorter than missiles fly. Where running spoils the aim, a soldier stops to shoot.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::movement::Stance;
use fireteam_world::units::Time;

use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::Threat;
use crate::perceive::{Keenness, Sense};
use crate::words;

#[derive(Debug, Default)]
pub(super) struct Manoeuvre {
    side: f32,
    turn_at: Time,
    /// It jumps as it goes this way.
    hops: bool,
    /// Where it goes to get nearer, and when that was decided.
    towards: Option<(WaypointId, Time)>,
}

/// Distances that are weighed against each other.
const RANGES: [f32; 5] = [60.0, 150.0, 300.0, 500.0, 800.0];
/// This near to the wanted distance is near enough.
const SLACK: f32 = 80.0;
/// Farther off than this, one runs there by the way instead of dancing.
const FAR: f32 = 260.0;
/// How often a running approach looks where the enemy went.
const APPROACH_MS: i32 = 600;
/// Degrees by which running spoils a weapon so much that one stands still to fire it far off.
const SPOILT: f32 = 1.0;
const STAND_RANGE: f32 = 220.0;
/// Nearer than this, whoever lies gets up.
const LIE_RANGE: f32 = 350.0;

impl Behaviour for Manoeuvre {
    fn name(&self) -> &'static str {
        "manoeuvring"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let threat = target(view)?;
        let reason = words!("a fight with player {}", threat.entity.0);
        Some(Bid { channels: Channels::LEGS, band: Band::Fight, score: 0.7, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(threat) = target(view) else { return Outcome::Done(words!("nobody in sight")) };
        let range = threat.place.distance(view.origin());
        // Whoever lies already hits from there, and would be shot getting up.
        if view.own.body.stance == Stance::Prone && range > LIE_RANGE {
            limbs.legs.lie("shoots lying");
            return Outcome::Continue;
        }
        let wanted = wanted_range(view, threat);
        if range > wanted + FAR && self.approach(view, limbs, threat) {
            return Outcome::Continue;
        }
        self.towards = None;
        self.dance(view, limbs, threat, range, wanted);
        Outcome::Continue
    }

    fn forget(&mut self) {
        *self = Manoeuvre::default();
    }
}

/// Whom the fight is with: the worst in sight, or else who was a moment ago and may be again in the next.
fn target<'a>(view: &View<'a>) -> Option<&'a Threat> {
    let just_lost = || {
        // The last look is as old as news of it takes.
        let lag_ms = Keenness::of(view.character.skill, view.convars).reaction_ms;
        let since = view.now + -(view.convars.fight_linger_ms + lag_ms);
        view.worst(view.memory.seen_since(since).filter(|threat| threat.by == Sense::Sight))
    };
    view.worst(view.memory.in_sight()).or_else(just_lost)
}

impl Manoeuvre {
    /// Runs nearer; false if there is no way.
    fn approach(&mut self, view: &View, limbs: &mut Limbs, threat: &Threat) -> bool {
        if self.towards.is_none_or(|(_, since)| view.now - since > APPROACH_MS) {
            let near = view.field.terrain.nearest(threat.place).map(|near| near.waypoint);
            self.towards = near.filter(|to| view.travel_ms(*to).is_some()).map(|to| (to, view.now));
        }
        let Some((to, _)) = self.towards else { return false };
        limbs.legs.go(Destination::Waypoint(to), Manner::RUN);
        !matches!(limbs.legs.state(), Travelling::Failed(_) | Travelling::Arrived)
    }

    fn dance(&mut self, view: &View, limbs: &mut Limbs, threat: &Threat, range: f32, wanted: f32) {
        if view.now >= self.turn_at || self.side == 0.0 {
            let (least, most) =
                (view.convars.strafe_ms_min, view.convars.strafe_ms_max.max(view.convars.strafe_ms_min));
            self.hops = limbs.chance.chance(view.convars.strafe_hops);
            self.side = if limbs.chance.chance(0.65) == (self.side < 0.0) { 1.0 } else { -1.0 };
            self.turn_at = view.now + limbs.chance.range(least, most) as i32;
        }
        let weapon = view.field.arsenal.weapon(view.own.weapon);
        if weapon.moving_spread_degrees >= SPOILT && range > STAND_RANGE {
            limbs.legs.stay(true, "who runs does not hit from here");
            return;
        }
        let way = threat.place - view.origin();
        let towards = Vec3::new(way.x, way.y, 0.0).normalize_or_zero();
        let across = Vec3::new(-towards.y, towards.x, 0.0) * self.side;
        let radial = ((range - wanted) / SLACK).clamp(-1.0, 1.0);
        let wish = (across + towards * radial).normalize_or_zero();
        limbs.legs.move_by(wish, self.hops, false);
    }
}

/// The distance at which the bot gains most by fighting.
fn wanted_range(view: &View, threat: &Threat) -> f32 {
    let arsenal = &view.field.arsenal;
    let gain = |range: f32| {
        let mine = gunnery::best(arsenal, view.own, range, view.marksman()).1;
        let theirs = threat.weapon.map_or(0.0, |weapon| gunnery::feared(arsenal, weapon, range));
        mine / (theirs + HARM_MIN)
    };
    RANGES.into_iter().max_by(|a, b| gain(*a).total_cmp(&gain(*b))).unwrap_or(RANGES[2])
}

/// Points a second that are feared of anyone.
const HARM_MIN: f32 = 15.0;
