//! What may be known of a map before the match: where one can be, how one gets about, who sees whom, what is strong.
//!
//! A [`Terrain`] is tables. [`Waypoints`] are the spots everything else speaks of; [`Links`] lead from one to the next;
//! [`Ground`] is the fine grid below both. Sight, areas, hiding spots and values are columns over the waypoints.
//! `fireteam-bake` makes a terrain from a map; nothing here reads a map, and nothing here changes while a match runs.

mod ids;

pub mod areas;
pub mod ground;
pub mod hiding;
pub mod links;
pub mod movers;
pub mod sight;
pub mod times;
pub mod values;
pub mod waypoints;

pub use areas::{Area, AreaClass, Areas, Portal, PortalFlags, PortalKind, Portals};
pub use ground::{Ground, Span, SpanFlags};
pub use hiding::{HidingSpot, HidingSpots, Sides};
pub use ids::{AreaId, LinkId, MoverId, PortalId, WAYPOINTS_MAX, WaypointId};
pub use links::{Link, LinkFlags, Links};
pub use movers::{MoverKind, MoverSpot, Movers, OpensBy};
pub use sight::{BitRows, Opening, OpeningFlags, Sight};
pub use times::{Landmarks, TravelTimes};
pub use values::Values;
pub use waypoints::{WaypointFlags, Waypoints};

/// What a terrain was made from: two with the same provenance are the same, byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The map's name, for people.
    pub map_name: String,
    /// `Map::digest` of the map.
    pub map: [u8; 32],
    /// `Game::physics_digest` of the game.
    pub physics: [u8; 32],
    /// Names the bake's settings, and the version of the bake.
    pub settings: [u8; 32],
}

/// Everything known of one map under one game's physics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terrain {
    pub provenance: Provenance,
    pub ground: Ground,
    pub waypoints: Waypoints,
    pub links: Links,
    pub movers: Movers,
    pub sight: Sight,
    pub areas: Areas,
    pub portals: Portals,
    pub landmarks: Landmarks,
    pub hiding: HidingSpots,
    pub values: Values,
}
