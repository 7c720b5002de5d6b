//! Back to the mesh from where no waypoint can be walked to straight: a bay behind a wall, a corner that a blast threw one into.
//!
//! In: where one stands, and where one wants to go. Out: a place to walk to straight, from which some waypoint can be walked to
//! straight that links lead on from; the two stretches together are the shortest that were found.
//!
//! Cost: some hundred walks over the grid, for who has run against a wall already.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;

use super::Walk;
use super::careful::turned;
use super::footing::is_walkable;

/// Directions that are tried, and how far in each, by strides.
const WAYS: usize = 16;
const STRIDE: f32 = 48.0;
const STRIDES: usize = 8;
/// The second stretch is no longer than this.
const SECOND: f32 = 256.0;

/// Where to walk to first, and the waypoint to walk to from there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Round {
    pub(super) corner: Vec3,
    pub(super) waypoint: WaypointId,
}

/// Whether a waypoint that is of use can be walked to straight from here.
pub(super) fn is_in_reach(walk: &Walk, goal: WaypointId) -> bool {
    open_to(walk, goal, walk.body().origin, SECOND).is_some()
}

/// None if two stretches over known ground are not enough.
pub(super) fn way_round(walk: &Walk, goal: WaypointId) -> Option<Round> {
    let origin = walk.body().origin;
    let (mut best, mut shortest) = (None, f32::INFINITY);
    for way in 0..WAYS {
        let along = turned(Vec3::X, way as f32 * (360.0 / WAYS as f32));
        for stride in 1..=STRIDES {
            let reach = stride as f32 * STRIDE;
            let corner = origin + along * reach;
            if reach >= shortest || !is_walkable(walk, walk.scene, origin, corner) {
                break;
            }
            if let Some((waypoint, second)) = open_to(walk, goal, corner, SECOND.min(shortest - reach)) {
                shortest = reach + second;
                best = Some(Round { corner, waypoint });
            }
        }
    }
    best
}

/// The nearest waypoint within `reach` of a place that can be walked to straight and has links towards `goal`, and how far it is.
fn open_to(walk: &Walk, goal: WaypointId, place: Vec3, reach: f32) -> Option<(WaypointId, f32)> {
    let terrain = &walk.field.terrain;
    let (mut found, mut nearest) = (None, reach);
    for (id, there) in terrain.waypoints.ids().zip(&terrain.waypoints.origin) {
        let distance = there.distance(place);
        if distance < nearest && terrain.islands.connect(id, goal) && is_walkable(walk, walk.scene, place, *there) {
            (found, nearest) = (Some((id, distance)), distance);
        }
    }
    found
}
