//! From a map to its terrain: everything a soldier could know of the ground before the fight.
//!
//! Each step is a file and reads what the steps before it found. 1. [`ground`]: where can a player be. 2. [`waypoints`]:
//! the spots that everything else speaks of. What follows is proved between those.
//!
//! A terrain is a pure function of map, physics and [`BakeSettings`]: no clock, no chance, no order of threads.

pub mod executor;
pub mod ground;
pub mod links;
pub mod waypoints;

pub use ground::{GroundError, GroundSettings, Place, Survey, Way, survey};
pub use waypoints::WaypointSettings;

/// What a bake can be told; the defaults suit any ordinary map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakeSettings {
    pub ground: GroundSettings,
    pub waypoints: WaypointSettings,
}
