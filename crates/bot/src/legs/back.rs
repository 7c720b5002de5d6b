//! Back to the mesh from ground that it does not know: a roof over a known room, a tunnel under one.
//!
//! In: where one stands, and where one wants to go. Out: a place of known ground that a straight line leads to, over the map
//! as it is; where none does, somewhere else to look from, rather away from where one looked last.
//!
//! A mesh that was recorded knows only what was trodden, and people come to stand beside it: they overshoot a jump, are
//! thrown, step aside in a fight. The ground below such a one, or the nearest waypoint, is then that of another storey, and who
//! made for it would run against whatever stands above it for as long as he wants to go there.
//!
//! Cost: a few hundred short sweeps, for who is off the mesh, each time he has got to where he looked for.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::movement::Ground;
use fireteam_world::pcg::Pcg;

use super::Walk;
use super::careful::turned;
use super::feelers::{Feelers, Reached, STRIDE};

/// Directions that are looked into.
const WAYS: usize = 16;
/// What it costs to jump or to drop, in units of way.
const DARE: f32 = 48.0;
/// What a place to look from may be out of the mood for, in units of way.
const MOOD: f32 = 160.0;

/// Whether somebody stands on ground of the map that the mesh knows nothing of. Who hangs over the edge of what it knows is not
/// counted, unless he could not get to where he thought to be.
pub(super) fn is_off_mesh(walk: &Walk, is_cut_off: bool) -> bool {
    let body = walk.body();
    let stands = matches!(body.ground, Ground::Floor { entity: None, .. }) && body.immersion.level == 0;
    let terrain = &walk.field.terrain;
    stands
        && walk.field.has_mesh
        && terrain.underfoot(body.origin).is_none()
        && (is_cut_off || !terrain.has_ground_beside(body.origin))
}

/// Somebody who wants to get back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost {
    /// Where he wants to go: from known ground that is of use, links lead there.
    pub(super) goal: WaypointId,
    /// Where he could not get to: its ground is of no use to him.
    pub(super) unreached: Option<WaypointId>,
    /// Where he looked for a way last.
    pub(super) looked_from: Option<Vec3>,
}

/// Where to walk to, and what to drop or jump to from there. None for who is walled in, and for who swims: floors are felt for
/// with the feet.
pub(super) fn way_back(walk: &Walk, lost: &Lost, chance: &mut Pcg) -> Option<Reached> {
    let origin = walk.body().origin;
    if walk.body().immersion.level > 1 {
        return None;
    }
    let terrain = &walk.field.terrain;
    let is_of_use = |owner: WaypointId| Some(owner) != lost.unreached && terrain.islands.connect(owner, lost.goal);
    let is_known = |place: Vec3| terrain.underfoot(place).is_some_and(is_of_use);
    let feelers = Feelers::of(walk.field);
    let (mut known, mut shortest) = (None, f32::INFINITY);
    let (mut elsewhere, mut best) = (None, f32::NEG_INFINITY);
    let first = chance.range(0.0, 360.0);
    for way in 0..WAYS {
        let along = turned(Vec3::X, first + way as f32 * (360.0 / WAYS as f32));
        let reached = feelers.walk_until(origin, along, is_known);
        for (option, end, dare) in ends(reached) {
            let cost = end.distance(origin) + dare;
            if is_known(end) && cost < shortest {
                (known, shortest) = (Some(option), cost);
            }
            let worth = end.distance(lost.looked_from.unwrap_or(origin)) - dare + chance.range(0.0, MOOD);
            if end.distance(origin) >= STRIDE && worth > best {
                (elsewhere, best) = (Some(option), worth);
            }
        }
    }
    known.or(elsewhere)
}

/// What a line leads to: as far as one walks, and what is dared from there; each with where it ends and what it costs.
fn ends(reached: Reached) -> impl Iterator<Item = (Reached, Vec3, f32)> {
    let walked = (Reached { beyond: None, ..reached }, reached.place, 0.0);
    let dared = reached.beyond.map(|(end, _)| (reached, end, DARE));
    [Some(walked), dared].into_iter().flatten()
}
