//! Asking for waypoints: sets of them, combined by AND, OR and NOT.
//!
//! "What do I see from here that is near the threat and not near me" is three masks and two operations, a word of 64
//! waypoints at a time. After J. Lampel, "JoeBOT XP, an overview", 2005, 4.1. A mask is filled in place, so that who asks
//! every frame allocates nothing.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use glam::Vec3;

use crate::Terrain;
use crate::ids::{AreaId, MoverId, WaypointId};
use crate::sight::{BitRows, OpeningFlags};
use crate::waypoints::WaypointFlags;

/// A set of waypoints of one terrain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    waypoints: usize,
    words: Vec<u64>,
}

impl Mask {
    pub fn none(waypoints: usize) -> Mask {
        Mask { waypoints, words: vec![0; BitRows::stride(waypoints)] }
    }

    pub fn all(waypoints: usize) -> Mask {
        !Mask::none(waypoints)
    }

    /// Becomes the same as another, in the memory it has.
    pub fn copy_from(&mut self, other: &Mask) {
        self.waypoints = other.waypoints;
        self.words.clear();
        self.words.extend_from_slice(&other.words);
    }

    /// How many waypoints there are to choose from.
    pub fn waypoints(&self) -> usize {
        self.waypoints
    }

    pub fn contains(&self, waypoint: WaypointId) -> bool {
        assert!(waypoint.index() < self.waypoints, "w{} of {}", waypoint.0, self.waypoints);
        self.words[waypoint.index() / 64] >> (waypoint.index() % 64) & 1 == 1
    }

    pub fn insert(&mut self, waypoint: WaypointId) {
        assert!(waypoint.index() < self.waypoints, "w{} of {}", waypoint.0, self.waypoints);
        self.words[waypoint.index() / 64] |= 1 << (waypoint.index() % 64);
    }

    pub fn remove(&mut self, waypoint: WaypointId) {
        assert!(waypoint.index() < self.waypoints, "w{} of {}", waypoint.0, self.waypoints);
        self.words[waypoint.index() / 64] &= !(1 << (waypoint.index() % 64));
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The smallest id in it.
    pub fn first(&self) -> Option<WaypointId> {
        self.iter().next()
    }

    /// What is in it, by id.
    pub fn iter(&self) -> impl Iterator<Item = WaypointId> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let rest = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
            let bits = rest.take_while(|&rest| rest != 0);
            bits.map(move |rest| WaypointId::from(index * 64 + rest.trailing_zeros() as usize))
        })
    }

    /// Whether the two have a waypoint in common.
    pub fn meets(&self, other: &Mask) -> bool {
        self.zip_with(other).any(|(a, b)| a & b != 0)
    }

    /// Takes out what is in `other`.
    pub fn subtract(&mut self, other: &Mask) {
        self.change_with(other, |a, b| a & !b);
    }

    /// Turns it into its opposite.
    pub fn negate(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        if !self.waypoints.is_multiple_of(64) {
            // Bits past the last waypoint stay 0: `count` and `==` rely on it.
            let last = self.words.len() - 1;
            self.words[last] &= (1 << (self.waypoints % 64)) - 1;
        }
    }

    /// What a standing player at `from` sees standing, all doors shut.
    pub fn fill_visible(&mut self, terrain: &Terrain, from: WaypointId) {
        self.fill_row(&terrain.sight.standing, from);
    }

    /// Adds what a standing player at `from` sees standing, all doors shut.
    pub fn add_visible(&mut self, terrain: &Terrain, from: WaypointId) {
        assert_eq!(self.waypoints, terrain.sight.standing.size(), "a mask of another terrain");
        for (word, row) in self.words.iter_mut().zip(terrain.sight.standing.row(from.index())) {
            *word |= row;
        }
    }

    /// What a standing player at `from` sees crouched, all doors shut. What is visible and not this has cover from there.
    pub fn fill_visible_crouched(&mut self, terrain: &Terrain, from: WaypointId) {
        self.fill_row(&terrain.sight.crouched, from);
    }

    /// Adds what a standing player at `from` sees besides if the doors that `is_open` knows are open.
    pub fn add_through_doors(&mut self, terrain: &Terrain, from: WaypointId, is_open: impl Fn(MoverId) -> bool) {
        for opening in terrain.sight.openings_from(from) {
            if opening.adds.meets(OpeningFlags::STANDING) && opening.mover.is_some() && is_open(opening.mover) {
                self.insert(opening.to);
            }
        }
    }

    /// Waypoints whose origin is at most `distance` from `point`.
    pub fn fill_within(&mut self, terrain: &Terrain, point: Vec3, distance: f32) {
        self.fill_where(terrain, |id| {
            terrain.waypoints.origin[id.index()].distance_squared(point) <= distance * distance
        });
    }

    /// Waypoints reached from `from` in about `ms` or less.
    pub fn fill_reached(&mut self, terrain: &Terrain, from: WaypointId, ms: u32) {
        self.fill_where(terrain, |id| terrain.times.about_ms(from, id).is_some_and(|about| about <= ms));
    }

    pub fn fill_area(&mut self, terrain: &Terrain, area: AreaId) {
        self.fill_where(terrain, |id| terrain.areas.of_waypoint[id.index()] == area);
    }

    /// Waypoints with any of the flags.
    pub fn fill_flagged(&mut self, terrain: &Terrain, flags: WaypointFlags) {
        self.fill_where(terrain, |id| terrain.waypoints.flags[id.index()].meets(flags));
    }

    pub fn fill_where(&mut self, terrain: &Terrain, is_in: impl Fn(WaypointId) -> bool) {
        self.clear_for(terrain.waypoints.len());
        for id in terrain.waypoints.ids() {
            self.words[id.index() / 64] |= u64::from(is_in(id)) << (id.index() % 64);
        }
    }

    fn fill_row(&mut self, rows: &BitRows, row: WaypointId) {
        self.waypoints = rows.size();
        self.words.clear();
        self.words.extend_from_slice(rows.row(row.index()));
    }

    fn clear_for(&mut self, waypoints: usize) {
        self.waypoints = waypoints;
        self.words.clear();
        self.words.resize(BitRows::stride(waypoints), 0);
    }

    fn zip_with<'a>(&'a self, other: &'a Mask) -> impl Iterator<Item = (u64, u64)> + 'a {
        assert_eq!(self.waypoints, other.waypoints, "masks of two terrains");
        self.words.iter().copied().zip(other.words.iter().copied())
    }

    fn change_with(&mut self, other: &Mask, change: impl Fn(u64, u64) -> u64) {
        assert_eq!(self.waypoints, other.waypoints, "masks of two terrains");
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine = change(*mine, *theirs);
        }
    }
}

impl BitAndAssign<&Mask> for Mask {
    fn bitand_assign(&mut self, other: &Mask) {
        self.change_with(other, |a, b| a & b);
    }
}

impl BitOrAssign<&Mask> for Mask {
    fn bitor_assign(&mut self, other: &Mask) {
        self.change_with(other, |a, b| a | b);
    }
}

impl BitAnd<&Mask> for Mask {
    type Output = Mask;
    fn bitand(mut self, other: &Mask) -> Mask {
        self &= other;
        self
    }
}

impl BitOr<&Mask> for Mask {
    type Output = Mask;
    fn bitor(mut self, other: &Mask) -> Mask {
        self |= other;
        self
    }
}

impl Not for Mask {
    type Output = Mask;
    fn not(mut self) -> Mask {
        self.negate();
        self
    }
}

impl Terrain {
    /// Whether a player standing at `from` sees one standing at `to`, all doors shut.
    pub fn sees(&self, from: WaypointId, to: WaypointId) -> bool {
        self.sight.sees(from, to)
    }

    pub fn visible_from(&self, from: WaypointId) -> Mask {
        self.mask(|mask| mask.fill_visible(self, from))
    }

    pub fn within(&self, point: Vec3, distance: f32) -> Mask {
        self.mask(|mask| mask.fill_within(self, point, distance))
    }

    pub fn reached_within(&self, from: WaypointId, ms: u32) -> Mask {
        self.mask(|mask| mask.fill_reached(self, from, ms))
    }

    fn mask(&self, fill: impl Fn(&mut Mask)) -> Mask {
        let mut mask = Mask::default();
        fill(&mut mask);
        mask
    }
}

#[cfg(test)]
#[path = "mask_test.rs"]
mod tests;
