//! Every useful throw of a map: from which waypoint, at which, and how, in a few bytes each.
//!
//! A [`ThrowTable`] is for one way of flying: frags, smokes and flashes that fly alike share one. It is sorted by target, as the
//! question is: from where can this place be attacked? Most throws hold whatever the doors do (`always`); some need a
//! door open or shut, and are kept apart with the door they need (`doors`), so that whether one is valid now is one
//! look at what the bot believes of that door.
//!
//! A throw is stored as it was judged: on a lattice of directions fine enough that nothing is lost ([`Stored`]). What to
//! do with it from where the bot really stands is [`decode`](decode).
//!
//! After W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, 5.1 and 8. Departures: directions are absolute,
//! not relative to the line to the target, which costs one bit and makes what is stored what was judged; the spot to aim
//! for follows from flying the throw once.

pub mod decode;
pub mod listed;
pub mod pairs;
pub mod stored;

pub use decode::{Decoder, Refusal};
pub use listed::Listed;
pub use pairs::Pairs;
pub use stored::{DoorThrow, Needs, Stored};

use crate::ids::{MoverId, WaypointId};
use crate::waypoints::{WaypointFlags, Waypoints};

/// Throws of one way of flying.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThrowTable {
    /// The game's names of what is thrown so; the first is the one they were judged by.
    pub throwables: Vec<String>,
    /// The speeds a [`Stored`] throw picks from.
    pub speeds: Vec<f32>,
    /// How much fuse a step of cooking burns.
    pub cook_step_ms: u16,
    /// For each waypoint, where to get rid of a grenade that burns: far from the thrower, and from most others. Empty for
    /// what has no fuse.
    pub disposals: Vec<Option<Stored>>,
    /// Row is the target, column the thrower.
    pub always: Pairs<3>,
    pub doors: Listed<5>,
}

/// All tables of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Throws {
    pub tables: Vec<ThrowTable>,
}

impl Throws {
    /// Most tables a terrain may have.
    pub const MAX: usize = 16;

    /// The table for what a game calls so.
    pub fn of(&self, throwable: &str) -> Option<&ThrowTable> {
        self.tables.iter().find(|table| table.throwables.iter().any(|name| name == throwable))
    }
}

impl ThrowTable {
    /// "Can throw?", with all doors as they may be.
    #[inline]
    pub fn can_throw(&self, from: WaypointId, at: WaypointId) -> bool {
        self.always.contains(at.index(), from.index())
    }

    /// The throw for a pair, as far as doors are as `is_open` says.
    pub fn get(&self, from: WaypointId, at: WaypointId, is_open: impl Fn(MoverId) -> bool) -> Option<Stored> {
        if let Some(row) = self.always.find(at.index(), from.index()) {
            return Some(Stored::from_bytes(row));
        }
        let throw = DoorThrow::from_bytes(self.doors.find(at.index(), from.index())?);
        throw.is_valid(is_open(throw.mover)).then_some(throw.throw)
    }

    /// The throw that a door stands in the way of, or is missing for: "open it first" as a plan.
    pub fn door_throw(&self, from: WaypointId, at: WaypointId) -> Option<DoorThrow> {
        Some(DoorThrow::from_bytes(self.doors.find(at.index(), from.index())?))
    }

    /// From where a target can be attacked, doors as `is_open` says.
    pub fn sources(
        &self,
        at: WaypointId,
        is_open: impl Fn(MoverId) -> bool,
    ) -> impl Iterator<Item = (WaypointId, Stored)> {
        let always = self.always.row(at.index()).map(|(from, row)| (from, Stored::from_bytes(row)));
        let doors = self.doors.row(at.index()).map(|(from, row)| (from, DoorThrow::from_bytes(row)));
        let doors = doors.filter(move |(_, throw)| throw.is_valid(is_open(throw.mover)));
        let all = always.chain(doors.map(|(from, throw)| (from, throw.throw)));
        all.map(|(from, throw)| (WaypointId::from(from), throw))
    }

    /// What can be attacked from a waypoint.
    pub fn targets(
        &self,
        from: WaypointId,
        is_open: impl Fn(MoverId) -> bool,
    ) -> impl Iterator<Item = (WaypointId, Stored)> {
        let all = (0..self.always.size()).map(WaypointId::from);
        all.filter_map(move |at| Some((at, self.get(from, at, &is_open)?)))
    }

    /// How to get rid of a grenade that burns.
    pub fn disposal(&self, from: WaypointId) -> Option<Stored> {
        *self.disposals.get(from.index())?
    }

    /// How many throws there are.
    pub fn len(&self) -> usize {
        self.always.len() + self.doors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes all of it takes, in memory and in a file.
    pub fn bytes(&self) -> usize {
        self.always.bytes() + self.doors.bytes() + self.disposals.len() * 3
    }
}

impl Waypoints {
    /// Whether grenades may be thrown from or at a waypoint: not where somebody said so by hand.
    pub fn allows_grenades(&self, waypoint: WaypointId) -> bool {
        !self.flags[waypoint.index()].meets(WaypointFlags::NO_GRENADE)
    }
}
