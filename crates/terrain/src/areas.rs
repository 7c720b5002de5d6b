//! Rooms, halls, streets and roofs, and what leads from one to the next.

use glam::Vec3;

use crate::ids::{AreaId, MoverId, WaypointId, flags, kinds};

kinds! {
    AreaClass {
        Room = 0, "room";
        Hall = 1, "hall";
        Corridor = 2, "corridor";
        Street = 3, "street";
        Alley = 4, "alley";
        Rooftop = 5, "rooftop";
        Tunnel = 6, "tunnel";
        Stairs = 7, "stairs";
        Open = 8, "open";
    }
}

/// Waypoints that a player would call one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub class: AreaClass,
    /// Share of its floor under open sky; 255 is all of it.
    pub sky: u8,
    /// Mean light on its floor, from the map's light grid; 255 is full.
    pub light: u8,
    /// Portals that lead out of it.
    pub exits: u8,
    /// How many waypoints lie in it.
    pub waypoints: u16,
    /// Floor it covers, in square units.
    pub floor: f32,
    /// Bounds of its floor and of the air above it.
    pub mins: Vec3,
    pub maxs: Vec3,
}

/// An [`AreaId`] is an index into `areas`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Areas {
    pub areas: Vec<Area>,
    /// The area of each waypoint, or [`AreaId::NONE`].
    pub of_waypoint: Vec<AreaId>,
}

kinds! {
    PortalKind {
        /// With a door that moves.
        Door = 0, "door";
        Doorway = 1, "doorway";
        /// Seen and shot through, not walked through.
        Window = 2, "window";
        /// An opening in floor or ceiling.
        Hole = 3, "hole";
        Ladder = 4, "ladder";
        /// A ledge one falls down from.
        Drop = 5, "drop";
    }
}

flags! {
    PortalFlags(u8) {
        /// Links lead from the first area to the second.
        FORTH = 1, "forth";
        /// Links lead from the second area to the first.
        BACK = 2, "back";
    }
}

/// Where two areas meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portal {
    /// The smaller id first.
    pub areas: [AreaId; 2],
    /// The waypoint before it, in either area.
    pub waypoints: [WaypointId; 2],
    pub kind: PortalKind,
    pub flags: PortalFlags,
    /// The door in it, or [`MoverId::NONE`].
    pub mover: MoverId,
    pub centre: Vec3,
    pub width: f32,
    pub height: f32,
}

/// A [`PortalId`](crate::PortalId) is an index into `portals`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Portals {
    /// By `areas`, then by `waypoints`.
    pub portals: Vec<Portal>,
}
