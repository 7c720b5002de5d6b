//! Which places would a player call one place? Rooms, halls, streets and roofs, and the doors and windows between them.
//!
//! In: the survey, the waypoints, the links and movers. Out: [`Areas`], to one of which every waypoint belongs, and
//! [`Portals`]. First what the ground is like around each place ([`shapes`]), then where one area ends and the next begins
//! ([`split`]), then what can be measured of each ([`measure`]) and what it is called for it ([`classes`]), then what
//! leads from one to the next ([`portals`]).
//!
//! After W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, 6.2: areas of a class and a size, joined by
//! portals, found from waypoints and geometry. He does not tell how; the way it is done here is ours.
//!
//! Cost: some 20 floods of the grid and a ray a place: 5 to 150 ms a map.

mod classes;
mod measure;
mod portals;
mod shapes;
mod split;

use fireteam_terrain::{Area, AreaId, Areas, Links, MoverId, MoverKind, Movers, PortalFlags, Portals};
use fireteam_world::movement::Stance;
use fireteam_world::{Bounds, Vec3};

use crate::ground::Feeling;
use crate::links::Grounds;
pub use measure::Measure;
use shapes::Shapes;

/// The areas of a map, and what was measured of each.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    pub areas: Areas,
    pub portals: Portals,
    /// By place of the survey: its area.
    pub of_place: Vec<AreaId>,
    /// By area.
    pub measures: Vec<Measure>,
}

/// Finds the areas and what leads from one to the next.
pub fn gather(grounds: &Grounds, links: &Links, movers: &Movers) -> Gathered {
    let body = Feeling::of(grounds.map, grounds.solids, grounds.game);
    let hull = body.hull(Stance::Standing);
    let body_width = hull.maxs.x - hull.mins.x;
    let doors = doors(&body, movers, hull.maxs.z - hull.mins.z);
    let shapes = Shapes::of(grounds.survey, grounds.solids, body.feet());
    let stands = waypoint_places(grounds, body.feet());
    let of_place = split::split(grounds.survey, &shapes, &doors, &stands);
    let measures = measure::measure(grounds, &shapes, &of_place, body.feet(), body_width);
    let of_waypoint: Vec<AreaId> = stands.iter().map(|place| AreaId(of_place[*place])).collect();
    let parts = portals::Parts {
        grounds,
        shapes: &shapes,
        of_place: &of_place,
        of_waypoint: &of_waypoint,
        links,
        doors: &doors,
        feet: body.feet(),
        eye: body.rules.body.standing_eye as f32,
        body_width,
    };
    let portals = portals::find(&parts);
    let areas = describe(&measures, of_waypoint, &portals);
    Gathered { areas, portals, of_place: of_place.into_iter().map(AreaId).collect(), measures }
}

/// The box in which a player's origin is in each door that is walked through.
fn doors(body: &Feeling<'_>, movers: &Movers, body_height: f32) -> Vec<(MoverId, Bounds)> {
    let is_door = |(_, spot): &(usize, &fireteam_terrain::MoverSpot)| spot.kind == MoverKind::Door;
    let doors = movers.spots.iter().enumerate().filter(is_door);
    doors
        .filter_map(|(number, spot)| {
            let panel = body.bounds_of(spot.entity)?;
            Some((MoverId::from(number), split::doorway_of(&panel, body_height)?))
        })
        .collect()
}

/// The place each waypoint stands on.
fn waypoint_places(grounds: &Grounds, feet: f32) -> Vec<usize> {
    let place = |origin: &Vec3| {
        grounds.survey.place_at(*origin + Vec3::Z * feet).expect("waypoints are placed on places of the survey")
    };
    grounds.waypoints.origin.iter().map(place).collect()
}

fn describe(measures: &[Measure], of_waypoint: Vec<AreaId>, portals: &Portals) -> Areas {
    let describe = |(number, measure): (usize, &Measure)| {
        let id = AreaId::from(number);
        let leads_out = |portal: &&fireteam_terrain::Portal| {
            (portal.areas[0] == id && portal.flags.meets(PortalFlags::FORTH))
                || (portal.areas[1] == id && portal.flags.meets(PortalFlags::BACK))
        };
        Area {
            class: classes::classify(measure),
            sky: byte(measure.sky),
            light: byte(measure.light),
            exits: portals.portals.iter().filter(leads_out).count().min(usize::from(u8::MAX)) as u8,
            waypoints: of_waypoint.iter().filter(|area| **area == id).count() as u16,
            floor: measure.floor,
            mins: measure.mins,
            maxs: measure.maxs,
        }
    };
    let areas = measures.iter().enumerate().map(describe).collect();
    Areas { areas, of_waypoint }
}

/// A share from 0 to 1 as a byte.
fn byte(share: f32) -> u8 {
    (share * 255.0).round() as u8
}
