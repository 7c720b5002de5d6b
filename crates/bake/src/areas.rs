//! Which places would a player call one place? Rooms, halls, streets and roofs, and the doors and windows between them.
//!
//! In: the survey, the waypoints, the links and movers. Out: [`Areas`], to one of which every waypoint belongs, and
//! [`Portals`]. First what the ground is like around each place ([`shapes`]), then where one area ends and the next begins
//! ([`split`]), then what each one is called ([`classes`]), then what leads from one to the next ([`portals`]).
//!
//! After W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, 6.2: areas of a class and a size, joined by
//! portals, found from waypoints and geometry. He does not tell how; the way it is done here is ours.
//!
//! Cost: some 20 floods of the grid and two rays a place: 0.1 to 0.5 s a map.

mod measure;
mod shapes;
mod split;

use fireteam_terrain::{MoverKind, Movers};
use fireteam_world::Bounds;
use fireteam_world::movement::Stance;

use crate::ground::Feeling;
use crate::links::Grounds;
pub use measure::Measure;
use shapes::Shapes;

/// Areas before they have a class: the number of each place's area, and what was measured of each.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub of_place: Vec<u16>,
    pub measures: Vec<Measure>,
}

/// Splits the ground into areas and measures them.
pub fn plan(grounds: &Grounds, movers: &Movers) -> Plan {
    let body = Feeling::of(grounds.map, grounds.solids, grounds.game);
    let shapes = Shapes::of(grounds.survey, grounds.solids, body.feet());
    let hull = body.hull(Stance::Standing);
    let doors: Vec<Bounds> = movers
        .spots
        .iter()
        .filter(|spot| spot.kind == MoverKind::Door)
        .filter_map(|spot| body.bounds_of(spot.entity))
        .filter_map(|door| split::doorway_of(&door, hull.maxs.z - hull.mins.z))
        .collect();
    let waypoint_places = waypoint_places(grounds, body.feet());
    let of_place = split::split(grounds.survey, &shapes, &doors, &waypoint_places);
    let measures = measure::measure(grounds, &shapes, &of_place, body.feet(), hull.maxs.x - hull.mins.x);
    Plan { of_place, measures }
}

/// The place each waypoint stands on: the one below it that it owns.
fn waypoint_places(grounds: &Grounds, feet: f32) -> Vec<usize> {
    let origins = grounds.waypoints.origin.iter();
    let place = |origin: &fireteam_world::Vec3| {
        grounds.survey.place_at(*origin + fireteam_world::Vec3::Z * feet).expect("a waypoint stands on a place")
    };
    origins.map(place).collect()
}
