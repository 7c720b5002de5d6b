//! What moves by itself in a map, as far as a route needs to know it: what it is, what opens it, and from where.

use fireteam_world::units::{EntityId, ModelId};
use glam::Vec3;

use crate::ids::{MoverId, kinds};

kinds! {
    MoverKind {
        Door = 0, "door";
        Lift = 1, "lift";
        Train = 2, "train";
        Button = 3, "button";
        Breakable = 4, "breakable";
        /// Rotates, bobs or swings, and never stops.
        Other = 5, "other";
        /// Throws whoever steps into it.
        Pad = 6, "pad";
        Teleporter = 7, "teleporter";
    }
}

kinds! {
    /// What sets a mover off.
    OpensBy {
        /// Walking into it, or into a trigger before it.
        Touch = 0, "touch";
        /// A button elsewhere: its `opener`.
        Button = 1, "button";
        /// A shot at it, or at its `opener`.
        Shot = 2, "shot";
        /// Touch, by who carries the key.
        Key = 3, "key";
        /// Pressing "use" at it.
        Use = 4, "use";
        /// It moves whatever anybody does.
        Itself = 5, "itself";
    }
}

/// A mover, and how a player sets it off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoverSpot {
    /// Its number among the map's entities.
    pub entity: EntityId,
    pub model: ModelId,
    pub kind: MoverKind,
    pub opens_by: OpensBy,
    /// The button or trigger that sets it off, if that is another entity.
    pub opener: Option<EntityId>,
    /// A player's origin from where it is set off: before a button, on a lift, in a door's trigger.
    pub stand: Vec3,
    /// What he runs at, presses or shoots from there.
    pub aim: Vec3,
    /// From where it rests to its other end.
    pub shift: Vec3,
    /// How long that takes.
    pub travel_ms: u32,
    /// How long it stays there; -1 is for ever.
    pub wait_ms: i32,
}

/// A [`MoverId`] is an index into `spots`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Movers {
    /// By entity.
    pub spots: Vec<MoverSpot>,
}

impl Movers {
    /// Most movers a terrain may have: a game has at most this many entities.
    pub const MAX: usize = 4096;

    pub fn get(&self, id: MoverId) -> Option<&MoverSpot> {
        self.spots.get(id.index())
    }

    pub fn of_entity(&self, entity: EntityId) -> Option<MoverId> {
        self.spots.binary_search_by_key(&entity, |spot| spot.entity).ok().map(MoverId::from)
    }
}
