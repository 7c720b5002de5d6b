//! Waypoints: the spots that everything else in a terrain speaks of, as parallel columns.

use glam::Vec3;

use crate::ids::{WaypointId, flags};

flags! {
    /// Why a waypoint stands where it does, and what to know before going there.
    WaypointFlags(u16) {
        SPAWN = 1, "spawn";
        ITEM = 2, "item";
        /// One of the two sides of a door.
        DOOR_SIDE = 4, "door-side";
        /// The mouth of a jump pad.
        PAD = 8, "pad";
        /// The mouth or the exit of a teleporter.
        TELEPORTER = 16, "teleporter";
        LEDGE = 32, "ledge";
        CORNER = 64, "corner";
        WINDOW = 128, "window";
        LADDER_END = 256, "ladder-end";
        /// Only a crouched body fits.
        CROUCH_ONLY = 512, "crouch-only";
        SWIM = 1024, "swim";
        /// It stands on a lift or a train at rest.
        ON_MOVER = 2048, "on-mover";
        /// Lava, slime or a trigger that hurts is here.
        HARM = 4096, "harm";
        /// Where one stands to press a button or shoot a target.
        OPENER = 8192, "opener";
        /// Set by hand: no grenade is to be thrown at or from here.
        NO_GRENADE = 16384, "no-grenade";
        /// Added or moved by hand.
        BY_HAND = 32768, "by-hand";
    }
}

/// Parallel columns; a [`WaypointId`] is an index into each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waypoints {
    /// A player's *origin* there, standing unless the flags say otherwise: his feet are at `origin + hull.mins.z`.
    pub origin: Vec<Vec3>,
    pub flags: Vec<WaypointFlags>,
}

impl Waypoints {
    pub fn len(&self) -> usize {
        self.origin.len()
    }

    pub fn is_empty(&self) -> bool {
        self.origin.is_empty()
    }

    pub fn push(&mut self, origin: Vec3, flags: WaypointFlags) -> WaypointId {
        let id = WaypointId::from(self.len());
        self.origin.push(origin);
        self.flags.push(flags);
        id
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = WaypointId> + use<> {
        (0..self.len()).map(WaypointId::from)
    }
}
