//! Which waypoint is a player at? One look at the ground below him, as a rule; always an answer.
//!
//! In: a player's origin. Out: a [`Near`]: the waypoint that owns the ground he stands on or would land on, which the bake
//! chose by walking and not by distance, so that the answer is not behind a wall. Where no ground below is owned
//! (a ledge the bake left out, a spot off the map), the nearest owned ground around is taken; else the nearest waypoint.
//!
//! Departs from J. Lampel, "JoeBOT XP, an overview", 2005, 7, whose hash table finds the nearest by distance alone.
//! Cost: one column, in nearly every case; a few hundred columns or every waypoint in the others.

use glam::Vec3;

use crate::Terrain;
use crate::ground::{Ground, Span};
use crate::ids::WaypointId;
use crate::mask::Mask;

/// A waypoint, and how it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    pub waypoint: WaypointId,
    /// From the player's origin to the waypoint's, in a straight line.
    pub distance: f32,
    pub by: NearBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearBy {
    /// It owns the ground below the player.
    Ground,
    /// It owns ground beside him.
    Around,
    /// It is the nearest in a straight line, whatever lies between.
    Distance,
}

/// Feet may be this far below a span and still stand on it: a step of stairs, and the roundings of the grid.
const STEP: f32 = 20.0;
/// Columns looked at around a player whose own has no owner, in each direction: about two player widths.
const AROUND: i32 = 4;
/// The same for what he may hang over the edge of: no wall is thin enough for ground behind it to be so near.
const BESIDE: i32 = 2;

impl Terrain {
    /// The waypoint a player with this origin is at; none only if the terrain has no waypoint.
    pub fn nearest(&self, origin: Vec3) -> Option<Near> {
        let feet = origin + Vec3::Z * self.feet;
        let below = self.ground.span_below(feet).and_then(|span| span.waypoint.get()).map(|id| (id, NearBy::Ground));
        let around = || self.owner_around(feet).map(|id| (id, NearBy::Around));
        let (waypoint, by) = match below.or_else(around) {
            Some(found) => found,
            None => (self.nearest_by_distance(origin, |_| true)?, NearBy::Distance),
        };
        Some(self.near(origin, waypoint, by))
    }

    /// The same, but a waypoint of `mask`: the usual answer if it is one, else the nearest in a straight line. None only if
    /// the mask is empty.
    pub fn nearest_of(&self, origin: Vec3, mask: &Mask) -> Option<Near> {
        let usual = self.nearest(origin)?;
        if mask.contains(usual.waypoint) {
            return Some(usual);
        }
        let waypoint = self.nearest_by_distance(origin, |id| mask.contains(id))?;
        Some(self.near(origin, waypoint, NearBy::Distance))
    }

    /// The same, but a waypoint from which links lead to `goal`: a player who fell off the mesh wants to get back on it.
    /// `goal` itself is always one.
    pub fn nearest_towards(&self, origin: Vec3, goal: WaypointId) -> Option<Near> {
        let usual = self.nearest(origin)?;
        if self.islands.connect(usual.waypoint, goal) {
            return Some(usual);
        }
        let waypoint = self.nearest_by_distance(origin, |id| self.islands.connect(id, goal))?;
        Some(self.near(origin, waypoint, NearBy::Distance))
    }

    /// Who owns the ground at the feet of a player who stands; none if nothing is known of it. [`Self::nearest`] names somebody
    /// all the same: for who is on an unknown roof, the room below it.
    pub fn underfoot(&self, origin: Vec3) -> Option<WaypointId> {
        self.span_at(origin + Vec3::Z * self.feet)?.waypoint.get()
    }

    /// Whether ground is known close beside a player who stands, at the height of his feet.
    pub fn has_ground_beside(&self, origin: Vec3) -> bool {
        let feet = origin + Vec3::Z * self.feet;
        let beside = |dx: i32, dy: i32| feet + Vec3::new(dx as f32, dy as f32, 0.0) * self.ground.cell;
        (-BESIDE..=BESIDE).any(|dy| (-BESIDE..=BESIDE).any(|dx| self.span_at(beside(dx, dy)).is_some()))
    }

    fn span_at(&self, feet: Vec3) -> Option<&Span> {
        self.ground.span_below(feet).filter(|span| feet.z - f32::from(span.feet) <= STEP)
    }

    fn near(&self, origin: Vec3, waypoint: WaypointId, by: NearBy) -> Near {
        Near { waypoint, distance: origin.distance(self.waypoints.origin[waypoint.index()]), by }
    }

    /// Who owns the nearest ground in the columns around; ground within a step counts before any other.
    fn owner_around(&self, feet: Vec3) -> Option<WaypointId> {
        let mut best: Option<((bool, f32), WaypointId)> = None;
        for dy in -AROUND..=AROUND {
            for dx in -AROUND..=AROUND {
                let beside = feet + Vec3::new(dx as f32, dy as f32, 0.0) * self.ground.cell;
                let Some(span) = self.ground.span_below(beside) else { continue };
                let Some(owner) = span.waypoint.get() else { continue };
                let fall = feet.z - f32::from(span.feet);
                let across = (dx * dx + dy * dy) as f32 * self.ground.cell * self.ground.cell;
                let rank = (fall.abs() > STEP, across + fall * fall);
                if best.is_none_or(|(known, _)| rank < known) {
                    best = Some((rank, owner));
                }
            }
        }
        best.map(|(_, owner)| owner)
    }

    fn nearest_by_distance(&self, origin: Vec3, is_allowed: impl Fn(WaypointId) -> bool) -> Option<WaypointId> {
        let allowed = self.waypoints.ids().filter(|&id| is_allowed(id));
        // A total order, so that an origin that is no number still finds one.
        allowed.min_by(|a, b| {
            let distance = |id: &WaypointId| self.waypoints.origin[id.index()].distance_squared(origin);
            distance(a).total_cmp(&distance(b))
        })
    }
}

impl Ground {
    /// The span that feet at this point stand on or would land on: the highest that is not more than a step above.
    pub fn span_below(&self, feet: Vec3) -> Option<&Span> {
        let column = self.column(self.column_at(feet)?);
        column.iter().rev().find(|span| f32::from(span.feet) <= feet.z + STEP)
    }
}

#[cfg(test)]
#[path = "nearest_test.rs"]
mod tests;
