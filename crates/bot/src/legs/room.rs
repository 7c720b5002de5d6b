//! Who stays where he is makes room for whoever wants past.
//!
//! Whoever waits, watches or stands to shoot may do so in a doorway, and a mate who wants through has no way round: he waits,
//! looks for another way and comes back. So whoever has somebody beside him for a moment steps away from him, ahead of whoever
//! comes if there is no room beside the way, until there is. Two who both stay step apart once, and stand.
//!
//! In: where others are believed to be. Not here: who walks, and passes others by himself (`others`).
//! Cost: a look at the bodies around, for those who stay.

use fireteam_world::Vec3;
use fireteam_world::trace::Body;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::Keys;

use super::careful::turned;
use super::others::{CLOSE, TALL, is_open};
use super::{Walk, flat};

/// So long somebody is near before one moves: who walks past is past by then.
const PATIENCE_MS: i32 = 500;
/// Not near for so long, the next who is near is a new one.
const FORGET_MS: i32 = 300;
/// A step takes so long; where there was no room for one, none is looked for so long.
const STEP_MS: i32 = 250;
/// Straight away from him, or as far aside as there is room; between walls there may be no more than a short step of it.
const TURNS: [f32; 9] = [0.0, 15.0, -15.0, 35.0, -35.0, 60.0, -60.0, 90.0, -90.0];
const STEPS: [f32; 2] = [48.0, 20.0];

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    /// Who is beside one, and since when; and when he last was.
    who: EntityId,
    since: Time,
    last: Time,
    step: Option<(Vec3, Time)>,
}

impl Room {
    /// The keys of a step out of somebody's way; none for who may stay.
    pub(super) fn make(&mut self, walk: &Walk) -> Option<Keys> {
        let step = |way: Vec3| walk.urge(way * walk.body().speed as f32);
        self.step = self.step.filter(|(_, until)| walk.now < *until);
        if let Some((way, _)) = self.step {
            return (way != Vec3::ZERO).then(|| step(way));
        }
        let other = beside(walk)?;
        if other.entity != self.who || walk.now - self.last > FORGET_MS {
            (self.who, self.since) = (other.entity, walk.now);
        }
        self.last = walk.now;
        if walk.now - self.since < PATIENCE_MS || !walk.has_hold() {
            return None;
        }
        let away = flat(walk.body().origin - other.origin).normalize_or(Vec3::X);
        let ways = STEPS.iter().flat_map(|length| TURNS.map(|degrees| (turned(away, degrees), *length)));
        let way = ways.into_iter().find(|(way, length)| is_open(walk, *way * *length)).map(|(way, _)| way);
        self.step = Some((way.unwrap_or(Vec3::ZERO), walk.now + STEP_MS));
        way.map(step)
    }
}

/// Somebody as near as those come who find no room to pass.
fn beside(walk: &Walk) -> Option<Body> {
    let origin = walk.body().origin;
    let mask = walk.setting().mask;
    let is_near = |body: &&Body| {
        let off = body.origin - origin;
        body.entity != walk.own.entity
            && body.contents.meets(mask)
            && flat(off).length_squared() < CLOSE * CLOSE
            && off.z.abs() < TALL
    };
    walk.scene.crowd.bodies().iter().find(is_near).copied()
}
