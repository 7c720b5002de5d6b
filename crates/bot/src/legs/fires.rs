//! Fire on the way: nobody walks into one he knows of, unless he stands in it already.
//!
//! In: the fires that are believed to burn, the legs to be walked next. Out: which of them leads through one. Whoever finds
//! one asks for another way, which keeps off waypoints in fires, and waits where there is none.

use fireteam_world::Vec3;
use fireteam_world::walker::Leg;

use super::{Walk, flat};
use crate::snapshot::Cloud;

/// Bodies have a width.
const BESIDE: f32 = 24.0;
/// Fire this far above or below is another floor's.
const HEIGHT: f32 = 72.0;
/// Less than this nearer is no nearer.
const NEARER: f32 = 1.0;
/// So far ahead fire matters.
const AHEAD: f32 = 192.0;

/// Whether somebody whose origin is there burns.
pub(super) fn burns(walk: &Walk, origin: Vec3) -> bool {
    fires(walk).any(|fire| reaches(fire, origin, origin))
}

/// Which of the legs to come leads into a fire soon.
pub(super) fn leg_ahead(walk: &Walk, legs: &[Leg]) -> Option<usize> {
    let here = walk.body().origin;
    // Who is in it goes on, whichever way: he is out soonest.
    let is_in = |fire: &Cloud| flat(here - fire.origin).length() < fire.radius;
    if fires(walk).all(is_in) {
        return None;
    }
    let (mut from, mut left) = (here, AHEAD);
    for (index, leg) in legs.iter().enumerate() {
        let to = from + (leg.to - from).clamp_length_max(left);
        // Along its edge and away from it one may go.
        let is_nearer =
            |fire: &Cloud| flat(nearest(fire, from, to)).length() < flat(here - fire.origin).length() - NEARER;
        if fires(walk).any(|fire| !is_in(fire) && reaches(fire, from, to) && is_nearer(fire)) {
            return Some(index);
        }
        left -= to.distance(from);
        from = to;
        if left <= 0.0 {
            return None;
        }
    }
    None
}

/// Waypoints in a fire are the dearest there are.
pub(super) fn add_tolls(walk: &Walk, tolls: &mut [u8]) {
    for fire in fires(walk) {
        for (toll, place) in tolls.iter_mut().zip(&walk.field.terrain.waypoints.origin) {
            if reaches(fire, *place, *place) {
                *toll = u8::MAX;
            }
        }
    }
}

pub(super) fn fires<'a>(walk: &Walk<'a>) -> impl Iterator<Item = &'a Cloud> + use<'a> {
    walk.concerns.memory.into_iter().flat_map(|memory| memory.fires())
}

/// Whether any of a stretch is in a fire.
pub(super) fn reaches(fire: &Cloud, from: Vec3, to: Vec3) -> bool {
    let off = nearest(fire, from, to);
    flat(off).length() < fire.radius + BESIDE && off.z.abs() < HEIGHT
}

/// Where a stretch is nearest to the middle of a fire, as seen from there.
fn nearest(fire: &Cloud, from: Vec3, to: Vec3) -> Vec3 {
    let (start, way) = (flat(from - fire.origin), flat(to - from));
    let along = (-start.dot(way) / way.length_squared().max(1.0)).clamp(0.0, 1.0);
    from + (to - from) * along - fire.origin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_in_a_fire_if_any_of_it_is_on_its_floor() {
        let fire = Cloud { origin: Vec3::new(100.0, 0.0, 0.0), radius: 50.0, blocks_sight: false, harms: true };
        let place = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        assert!(reaches(&fire, place(0.0, 0.0, 24.0), place(200.0, 0.0, 24.0)), "through it");
        assert!(reaches(&fire, place(0.0, 60.0, 24.0), place(200.0, 60.0, 24.0)), "a shoulder in it");
        assert!(!reaches(&fire, place(0.0, 90.0, 24.0), place(200.0, 90.0, 24.0)), "past it");
        assert!(!reaches(&fire, place(0.0, 0.0, 24.0), place(20.0, 0.0, 24.0)), "short of it");
        assert!(!reaches(&fire, place(0.0, 0.0, 152.0), place(200.0, 0.0, 152.0)), "upstairs");
        assert!(reaches(&fire, place(100.0, 10.0, 24.0), place(100.0, 10.0, 24.0)), "in it");
    }
}
