//! Spots where a player is hard to see, and on which sides something stands between him and the rest.

use glam::Vec3;

use crate::ids::{WaypointId, flags};

flags! {
    /// Compass directions, counter-clockwise from east as yaw is.
    Sides(u8) {
        EAST = 1, "e";
        NORTH_EAST = 2, "ne";
        NORTH = 4, "n";
        NORTH_WEST = 8, "nw";
        WEST = 16, "w";
        SOUTH_WEST = 32, "sw";
        SOUTH = 64, "s";
        SOUTH_EAST = 128, "se";
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HidingSpot {
    /// The waypoint it is reached from, and shares its sight with.
    pub waypoint: WaypointId,
    /// A player's origin there.
    pub origin: Vec3,
    /// Sides on which a standing body is covered.
    pub standing: Sides,
    /// Sides on which a crouched body is covered.
    pub crouched: Sides,
    /// Share of the waypoints around that do not see a body crouched here; 255 is all.
    pub hidden: u8,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct HidingSpots {
    /// By waypoint.
    pub spots: Vec<HidingSpot>,
}

impl HidingSpots {
    /// Most hiding spots a terrain may have.
    pub const MAX: usize = crate::WAYPOINTS_MAX * 4;

    /// The spots reached from a waypoint.
    pub fn of(&self, waypoint: WaypointId) -> &[HidingSpot] {
        let first = self.spots.partition_point(|spot| spot.waypoint < waypoint);
        let count = self.spots[first..].partition_point(|spot| spot.waypoint == waypoint);
        &self.spots[first..first + count]
    }
}
