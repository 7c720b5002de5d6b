//! Windows: a sill to stand before, a lintel above it, and ground of another area beyond.

use fireteam_terrain::SpanFlags;
use fireteam_world::{Contents, Sweep, Vec3};

use super::{Groups, Manner, Parts};
use crate::ground::AROUND;

/// Wider than this, what one looks out of is a gallery and not a window.
pub(super) const WIDTH_MAX: f32 = 288.0;
/// How high a window is taken to be: what is seen and fired through, around the eyes.
pub(super) const HEIGHT: f32 = 48.0;
/// About how far a body that stands before a sill is from the middle of the wall.
pub(super) const SILL_DISTANCE: f32 = 24.0;
/// A sill is this near, and higher than this over the feet.
const SILL_REACH: f32 = 40.0;
const SILL: f32 = 20.0;
/// Beyond the sill the view is free for this far.
const VIEW: f32 = 104.0;
/// A lintel is at most this far above the eyes.
const LINTEL: f32 = 80.0;
/// Ground beyond is looked for this far below the eyes.
const FALL: f32 = 640.0;
/// How far from where a look ends the place it finds may lie.
const LANDING: f32 = 40.0;

/// Adds every place from which one looks out of a window.
pub(super) fn look(parts: &Parts, groups: &mut Groups) {
    let places = &parts.grounds.survey.places;
    for (from, here) in places.iter().enumerate() {
        if !here.flags.meets(SpanFlags::STAND) || !parts.shapes.is_bounded(from) || parts.shapes.is_outside[from] {
            continue;
        }
        for side in (0..8).step_by(2) {
            if parts.shapes.beside[from][side] != super::NONE {
                continue;
            }
            let [x, y] = AROUND[side];
            if let Some(to) = beyond(parts, here.origin, Vec3::new(x as f32, y as f32, 0.0))
                && parts.of_place[to] != parts.of_place[from]
            {
                parts.add(groups, from, to, Manner::Seen);
            }
        }
    }
}

/// The place one looks at through a window in this direction, if there is one.
fn beyond(parts: &Parts, origin: Vec3, ahead: Vec3) -> Option<usize> {
    let solids = parts.grounds.solids;
    let ray = |start: Vec3, way: Vec3| solids.sweep(&Sweep::ray(start, start + way, Contents::MASK_SHOT));
    let eye = origin + Vec3::Z * parts.eye;
    let sill = ray(origin + Vec3::Z * (parts.feet + SILL), ahead * SILL_REACH);
    if !sill.is_hit() || !solids.is_clear(&Sweep::ray(eye, eye + ahead * VIEW, Contents::MASK_SHOT)) {
        return None;
    }
    // Right above the sill, a thumb's width beyond its near side.
    let over = eye + ahead * (sill.fraction * SILL_REACH + 2.0);
    if !ray(over, Vec3::Z * LINTEL).is_hit() {
        return None;
    }
    let down = ray(eye + ahead * VIEW, Vec3::NEG_Z * FALL);
    let feet = down.end;
    let place = parts.grounds.survey.place_at(feet).filter(|_| down.is_hit())?;
    let found = parts.grounds.survey.places[place].origin.z + parts.feet;
    ((found - feet.z).abs() <= LANDING).then_some(place)
}
