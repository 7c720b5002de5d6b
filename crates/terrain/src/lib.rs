//! What may be known of a map before the match: where one can be, how one gets about, who sees whom, what is strong.
//!
//! A [`Terrain`] is tables. [`Waypoints`] are the spots everything else speaks of; [`Links`] lead from one to the next;
//! [`Ground`] is the fine grid below both. Sight, areas, hiding spots and values are columns over the waypoints.
//! `fireteam-bake` makes a terrain from a map; nothing here reads a map, and nothing here changes while a match runs.

mod ids;

pub mod ground;
pub mod waypoints;

pub mod legs;
pub mod links;
pub mod movers;

pub mod areas;
pub mod cells;
pub mod hiding;
pub mod sight;
pub mod throws;
pub mod values;

pub mod islands;
pub mod times;

pub mod mask;
pub mod nearest;
pub mod path;
pub mod traveller;

pub mod check;
pub mod dump;
pub mod file;
pub mod overlay;
pub mod readiness;
mod text;

#[cfg(test)]
mod samples;

pub use areas::{Area, AreaClass, Areas, Portal, PortalFlags, PortalKind, Portals};
pub use cells::Cells;
pub use check::Unsound;
pub use file::FileError;
pub use ground::{Ground, Span, SpanFlags};
pub use hiding::{HidingSpot, HidingSpots, Sides};
pub use ids::{AreaId, LinkId, MoverId, PortalId, WAYPOINTS_MAX, WaypointId};
pub use islands::Islands;
pub use links::{Inward, Link, LinkFlags, Links};
pub use mask::Mask;
pub use movers::{MoverKind, MoverSpot, Movers, OpensBy};
pub use nearest::{Near, NearBy};
pub use overlay::Overlay;
pub use path::{NoRoute, Route, Search};
pub use sight::{BitRows, Opening, OpeningFlags, Sight};
pub use text::TextError;
pub use throws::{ThrowTable, Throws};
pub use times::{Landmarks, TravelTimes};
pub use traveller::Traveller;
pub use values::Values;
pub use waypoints::{WaypointFlags, Waypoints};

/// What a terrain was made from: two with the same provenance are the same.
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
    /// Names the overlay that was merged into it; 0 if it is as it was baked.
    pub overlay: u32,
}

/// What the bake finds out, each table by one of its steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    pub provenance: Provenance,
    /// Height of a player's feet above his origin: -24 in OpenArena.
    pub feet: f32,
    pub ground: Ground,
    pub waypoints: Waypoints,
    pub links: Links,
    pub movers: Movers,
    pub sight: Sight,
    pub areas: Areas,
    pub portals: Portals,
    pub hiding: HidingSpots,
    pub throws: Throws,
    pub values: Values,
}

/// Everything known of one map under one game's physics. It has been checked: ids in it name rows of it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Terrain {
    pub provenance: Provenance,
    /// Height of a player's feet above his origin: -24 in OpenArena.
    pub feet: f32,
    pub ground: Ground,
    pub waypoints: Waypoints,
    pub links: Links,
    pub movers: Movers,
    pub sight: Sight,
    pub areas: Areas,
    pub portals: Portals,
    pub hiding: HidingSpots,
    pub throws: Throws,
    pub values: Values,
    // What follows from the links.
    pub inward: Inward,
    pub islands: Islands,
    pub times: TravelTimes,
    pub landmarks: Landmarks,
}

impl Terrain {
    /// Adds what follows from the links, and checks that everything fits together.
    pub fn assemble(parts: Parts) -> Result<Terrain, Unsound> {
        // Searching needs sound links, so they are checked before anything follows from them.
        let mut terrain = Terrain::bare(parts);
        terrain.check_tables()?;
        terrain.inward = Inward::of(&terrain.links);
        terrain.islands = Islands::of(&terrain.links);
        terrain.times = TravelTimes::of(&terrain.links);
        terrain.landmarks = Landmarks::choose(&terrain.links, &terrain.islands, Landmarks::COUNT);
        Ok(terrain)
    }

    /// The parts it was assembled from.
    pub fn into_parts(self) -> Parts {
        let Terrain {
            provenance,
            feet,
            ground,
            waypoints,
            links,
            movers,
            sight,
            areas,
            portals,
            hiding,
            throws,
            values,
            ..
        } = self;
        Parts { provenance, feet, ground, waypoints, links, movers, sight, areas, portals, hiding, throws, values }
    }

    fn bare(parts: Parts) -> Terrain {
        let Parts { provenance, feet, ground, waypoints, links, movers, sight, areas, portals, hiding, throws, values } =
            parts;
        Terrain {
            provenance,
            feet,
            ground,
            waypoints,
            links,
            movers,
            sight,
            areas,
            portals,
            hiding,
            throws,
            values,
            inward: Inward::default(),
            islands: Islands::default(),
            times: TravelTimes::default(),
            landmarks: Landmarks::default(),
        }
    }
}
