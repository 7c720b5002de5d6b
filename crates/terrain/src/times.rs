//! How long it takes from anywhere to anywhere, and the landmarks that help a path search to guess it.

use crate::ids::WaypointId;

/// Travel times between all pairs of waypoints, a byte each, on a logarithmic scale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TravelTimes {
    pub waypoints: usize,
    /// Row by row: `from * waypoints + to`.
    pub steps: Vec<u8>,
}

/// A few waypoints whose travel times from and to everywhere are known exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landmarks {
    pub waypoints: Vec<WaypointId>,
    /// Milliseconds from each landmark to each waypoint, landmark by landmark; [`Landmarks::NEVER`] if there is no way.
    pub from_ms: Vec<u32>,
    /// Milliseconds from each waypoint to each landmark, landmark by landmark.
    pub to_ms: Vec<u32>,
}

impl Landmarks {
    pub const NEVER: u32 = u32::MAX;
    /// Most landmarks a terrain may have.
    pub const MAX: usize = 32;
}
