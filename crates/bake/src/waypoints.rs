//! The spots that everything else speaks of: a waypoint on every spot that matters, and enough between them.
//!
//! In: the [`Survey`]. Out: [`Waypoints`], each where a player stands (or swims) exactly; and in every span of the
//! ground the waypoint that owns it: the nearest on foot, never through a wall.
//!
//! First what matters ([`spots`]): spawns, items, door sides, mouths and exits, lift stops, ladder ends, windows,
//! corners, ledges. Then the ground between is filled ([`spread`]), the middle of corridors and rooms first, until no
//! place is further than the spacing from a waypoint, on foot. Then the owners ([`owners`]), and where two neighbours
//! cannot be walked between in a straight line, a waypoint on the way ([`bridges`]).
//!
//! Not here: whether a way can be walked (`links`).

mod bridges;
mod owners;
mod spots;
mod spread;

use fireteam_terrain::{SpanFlags, WAYPOINTS_MAX, WaypointFlags, WaypointId, Waypoints};
use fireteam_world::walker::Travel;
use fireteam_world::{Game, Map, Solids, Vec3};

use crate::ground::{Feeling, Survey};
use owners::Owners;

/// How densely to place.
#[derive(Clone, Debug, PartialEq)]
pub struct WaypointSettings {
    /// No place in a corridor is further from a waypoint than this, on foot. 96 gives 500 to 1,500 on ordinary maps.
    pub spacing: f32,
    /// The same in the middle of wide open ground, in shares of `spacing`.
    pub spacing_open: f32,
    /// And in deep water.
    pub spacing_swim: f32,
    /// Between waypoints along an edge or at corners, in shares of `spacing`.
    pub spacing_edge: f32,
    /// Spots that matter closer than this are one waypoint.
    pub merge: f32,
    /// With more waypoints than this the spacing is widened until they fit: tables of pairs grow with the square.
    pub count_max: usize,
}

impl Default for WaypointSettings {
    fn default() -> WaypointSettings {
        WaypointSettings {
            spacing: 96.0,
            spacing_open: 2.0,
            spacing_swim: 2.0,
            spacing_edge: 1.5,
            merge: 28.0,
            count_max: 3000,
        }
    }
}

/// A waypoint on its way: the player's origin, and the place of the survey it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    origin: Vec3,
    place: u32,
    flags: WaypointFlags,
}

/// Chooses the waypoints and writes each span's owner into the survey's ground.
pub fn place(survey: &mut Survey, map: &Map, solids: &Solids, game: &Game, settings: &WaypointSettings) -> Waypoints {
    let body = Feeling::of(map, solids, game);
    let clearance = spread::clearance(survey);
    let mut settings = settings.clone();
    let limit = settings.count_max.min(WAYPOINTS_MAX);
    loop {
        let mut spots = spots::gather(survey, map, game, &body, &settings);
        spread::fill(survey, &clearance, &settings, &mut spots);
        let owners = bridges::build(survey, &clearance, &mut spots);
        if spots.len() <= limit {
            return finish(survey, &spots, &owners);
        }
        let excess = spots.len() as f32 / limit as f32;
        settings.spacing *= excess.sqrt().max(1.05);
        settings.merge = settings.merge.max(settings.spacing / 3.0);
    }
}

fn finish(survey: &mut Survey, spots: &[Spot], owners: &Owners) -> Waypoints {
    let mut waypoints = Waypoints::default();
    for spot in spots {
        let place = &survey.places[spot.place as usize];
        let mut flags = spot.flags;
        if place.flags.meets(SpanFlags::SWIM) && place.is_hanging() {
            flags |= WaypointFlags::SWIM;
        } else if !place.flags.meets(SpanFlags::STAND) {
            flags |= WaypointFlags::CROUCH_ONLY;
        }
        if place.flags.meets(SpanFlags::HARM) {
            flags |= WaypointFlags::HARM;
        }
        if place.mover.is_some() {
            flags |= WaypointFlags::ON_MOVER;
        }
        waypoints.push(spot.origin, flags);
    }
    for (span, owner) in survey.ground.spans.iter_mut().zip(&owners.owner) {
        span.waypoint = owner.map_or(WaypointId::NONE, |owner| WaypointId::from(owner as usize));
    }
    waypoints
}

/// Ways between neighbouring cells that can be gone both ways, whose length is their cost.
fn is_plain(kind: Travel) -> bool {
    matches!(kind, Travel::Walk | Travel::Crouch | Travel::Swim | Travel::Ladder)
}

/// Distances over the grid are counted in this many parts of a unit, so that adding them up is exact.
const PARTS: f32 = 16.0;

fn length(survey: &Survey, from: u32, to: u32) -> u32 {
    let way = survey.places[to as usize].origin - survey.places[from as usize].origin;
    (way.length() * PARTS) as u32
}
