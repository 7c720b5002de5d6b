//! Whether a stretch that no link covers can be walked: the standability grid below it, and room for the body above.

use fireteam_terrain::SpanFlags;
use fireteam_world::movement::Stance;
use fireteam_world::trace::{Scene, Sweep};
use fireteam_world::{Contents, Vec3};

use super::{Walk, flat};
use crate::field::Field;

/// One does not walk through these.
const UNFIT: SpanFlags = SpanFlags(SpanFlags::HARM.0 | SpanFlags::SWIM.0 | SpanFlags::STEEP.0 | SpanFlags::LADDER.0);
/// What is lower than this before one's feet is an edge, with the roundings of the grid.
const STEP_DOWN: f32 = 22.0;
/// The body is swept in pieces of so many cells, each at the height of the ground below it.
const PIECE_CELLS: usize = 3;

/// Whether somebody at `from` walks straight to `to` (both are origins) over ground that carries him all the way, with
/// nothing of the scene in between.
pub(super) fn is_walkable(walk: &Walk, scene: &Scene, from: Vec3, to: Vec3) -> bool {
    carries_to(walk, scene, walk.setting().mask, from, to)
}

/// The same, whoever stands in between: people move on, or are walked around.
pub(super) fn is_walkable_but_for_people(walk: &Walk, from: Vec3, to: Vec3) -> bool {
    let mask = Contents(walk.setting().mask.0 & !Contents::BODY.0);
    carries_to(walk, walk.scene, mask, from, to)
}

fn carries_to(walk: &Walk, scene: &Scene, mask: Contents, from: Vec3, to: Vec3) -> bool {
    let field = walk.field;
    let rules = &field.game.rules.movement;
    let mut hull = rules.hull(Stance::Standing);
    let feet = hull.mins.z;
    // What is lower than a step is walked over.
    hull.mins.z += rules.step_height;
    let way = flat(to - from);
    let count = (way.length() / field.terrain.ground.cell).ceil() as usize;
    let mut height = from.z + feet;
    let mut swept = from;
    for index in 1..=count {
        let place = from + way * (index as f32 / count as f32);
        let Some(ground) = ground_at(field, Vec3::new(place.x, place.y, height)) else { return false };
        height = ground;
        if index % PIECE_CELLS == 0 || index == count {
            let origin = Vec3::new(place.x, place.y, height - feet);
            let me = Some(walk.own.entity);
            // The grid has lifts where they rest; whether one is there now is seen in the scene.
            let down = origin - Vec3::Z * (rules.step_height + STEP_DOWN);
            let is_free = scene.is_clear(&Sweep::hull(swept, origin, hull, mask), me);
            if !is_free || scene.is_clear(&Sweep::hull(origin, down, hull, mask), me) {
                return false;
            }
            swept = origin;
        }
    }
    (height - (to.z + feet)).abs() <= STEP_DOWN
}

/// Height of the ground that feet which come from this height walk on; none if they do not.
fn ground_at(field: &Field, feet: Vec3) -> Option<f32> {
    let span = field.terrain.ground.span_below(feet)?;
    let height = f32::from(span.feet);
    let carries = span.flags.meets(SpanFlags::STAND) && !span.flags.meets(UNFIT);
    (carries && feet.z - height <= STEP_DOWN).then_some(height)
}

/// Whether the ground from here on, for `reach` units along a level direction, is plain: no edge, no harm, nothing wet, no wall.
pub(super) fn is_plain(field: &Field, origin: Vec3, along: Vec3, reach: f32) -> bool {
    let ground = &field.terrain.ground;
    let count = (reach / ground.cell).ceil() as usize;
    let mut feet = origin + Vec3::Z * field.terrain.feet;
    for index in 0..=count {
        let place = origin + along * (reach * index as f32 / count.max(1) as f32);
        let Some(span) = ground.span_below(Vec3::new(place.x, place.y, feet.z)) else { return false };
        let height = f32::from(span.feet);
        let is_special = span.flags.meets(UNFIT | SpanFlags::LEDGE | SpanFlags::LIQUID);
        if is_special || !span.flags.meets(SpanFlags::STAND) || feet.z - height > STEP_DOWN {
            return false;
        }
        feet.z = height;
    }
    true
}

/// Whether harm is where these feet are.
pub(super) fn harms(field: &Field, origin: Vec3) -> bool {
    let feet = origin + Vec3::Z * field.terrain.feet;
    let span = field.terrain.ground.span_below(feet);
    span.is_some_and(|span| span.flags.meets(SpanFlags::HARM) && feet.z - f32::from(span.feet) <= STEP_DOWN)
}
