//! Out of the way of what is about to explode: rockets that come this way, grenades that lie or roll near.
//!
//! A missile is believed to go on as it was last seen. What passes or comes to lie within its blast of the bot is
//! stepped away from: across the path of what flies, straight away from what lies.

use fireteam_world::Vec3;

use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::memory::KnownMissile;
use crate::words;

#[derive(Debug, Default)]
pub(super) struct Evade {
    away: Vec3,
}

/// A missile not seen for this long has gone off or gone by.
const FORGOTTEN_MS: i32 = 2500;
/// How far ahead a missile is followed.
const AHEAD_S: f32 = 1.2;
/// A blast is given this much more room than it needs.
const ROOM: f32 = 1.2;
/// Slower than this it rolls or lies.
const SLOW: f32 = 120.0;

impl Behaviour for Evade {
    fn name(&self) -> &'static str {
        "evading"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let mut nearest: Option<(f32, Vec3, &KnownMissile)> = None;
        for known in view.memory.missiles().iter().filter(|known| view.now - known.seen < FORGOTTEN_MS) {
            if let Some((room, away)) = danger(view, known)
                && nearest.is_none_or(|(least, ..)| room < least)
            {
                nearest = Some((room, away, known));
            }
        }
        let (_, away, known) = nearest?;
        self.away = away;
        let distance = known.missile.origin.distance(view.origin());
        let reason = words!("something explosive {distance:.0} units away");
        Some(Bid { channels: Channels::LEGS, band: Band::Survive, score: 0.9, reason })
    }

    fn update(&mut self, _: &View, limbs: &mut Limbs) -> Outcome {
        limbs.legs.move_by(self.away, false, false);
        Outcome::Continue
    }
}

/// How much room a missile leaves the bot, and which way is away from it; none if it does no harm here.
fn danger(view: &View, known: &KnownMissile) -> Option<(f32, Vec3)> {
    let kind = view.field.arsenal.throwable(known.missile.kind);
    let blast = kind.blast.as_ref()?;
    let me = view.origin();
    let age = view.now.seconds_since(known.seen);
    let velocity = known.missile.velocity;
    let place = known.missile.origin + velocity * age;
    let way = me - place;
    let is_slow = velocity.length() < SLOW;
    // The nearest it comes: where the way to the bot is square to its path.
    let time = if is_slow { 0.0 } else { (way.dot(velocity) / velocity.length_squared()).clamp(0.0, AHEAD_S) };
    let is_leaving = !is_slow && way.dot(velocity) <= 0.0;
    let closest = place + velocity * time;
    let distance = closest.distance(me);
    if is_leaving || distance > blast.radius * ROOM {
        return None;
    }
    let aside = me - closest;
    let mut away = Vec3::new(aside.x, aside.y, 0.0);
    if away.length() < 1.0 {
        away = Vec3::new(-velocity.y, velocity.x, 0.0);
    }
    Some((distance, away.normalize_or(Vec3::X)))
}
