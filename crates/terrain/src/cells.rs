//! Everywhere somebody may be who is said to be at a waypoint: the ground it owns, waypoint by waypoint.
//!
//! In: the ground. Out: for each waypoint the origins of players who stand (or crouch) on its spans. Made when needed, in
//! a few milliseconds, and kept in no file. Where the ground a waypoint owns is nowhere to stay, its own origin stands in.

use glam::Vec3;

use crate::Terrain;
use crate::ground::{Ground, SpanFlags};
use crate::ids::WaypointId;
use crate::waypoints::Waypoints;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Where each waypoint's origins begin; one more at the end.
    first: Vec<u32>,
    origins: Vec<Vec3>,
}

impl Terrain {
    pub fn cells(&self) -> Cells {
        Cells::of(&self.ground, &self.waypoints, self.feet)
    }
}

impl Cells {
    /// `feet` is the height of a player's feet above his origin.
    pub fn of(ground: &Ground, waypoints: &Waypoints, feet: f32) -> Cells {
        let mut owned: Vec<(WaypointId, Vec3)> = Vec::with_capacity(ground.spans.len());
        for column in 0..ground.columns() {
            let middle = ground.centre(column);
            let stays = |flags: SpanFlags| {
                flags.meets(SpanFlags::STAND) && !flags.meets(SpanFlags::SWIM | SpanFlags::HARM | SpanFlags::STEEP)
            };
            for span in ground.column(column).iter().filter(|span| stays(span.flags) && span.waypoint.is_some()) {
                owned.push((span.waypoint, middle.with_z(f32::from(span.feet) - feet)));
            }
        }
        owned.sort_by_key(|(waypoint, _)| *waypoint);
        let mut cells = Cells { first: Vec::with_capacity(waypoints.len() + 1), origins: Vec::new() };
        let mut owned = owned.into_iter().peekable();
        for (waypoint, origin) in waypoints.ids().zip(&waypoints.origin) {
            let begin = cells.origins.len();
            cells.first.push(begin as u32);
            while let Some((_, place)) = owned.next_if(|(owner, _)| *owner == waypoint) {
                cells.origins.push(place);
            }
            if cells.origins.len() == begin {
                cells.origins.push(*origin);
            }
        }
        cells.first.push(cells.origins.len() as u32);
        cells
    }

    /// At least one origin.
    pub fn of_waypoint(&self, waypoint: WaypointId) -> &[Vec3] {
        &self.origins[self.first[waypoint.index()] as usize..self.first[waypoint.index() + 1] as usize]
    }
}
