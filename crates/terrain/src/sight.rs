//! Who sees whom: a bit for each pair of waypoints.
//!
//! Two tables with all movers at rest: standing eye to standing eye, and standing eye to crouched body; what sees the
//! first and not the second has cover. Pairs that see each other only while a door is open are listed apart, with the
//! door, since a bot looks through a door only if it believes it open.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 4.1: tables of bits, combined by AND, OR, NOT (`mask`).

use crate::ids::{MoverId, WaypointId, flags};

/// A square table of bits, row by row; each row is whole words, and the bits past the last column are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitRows {
    size: usize,
    words: Vec<u64>,
}

impl BitRows {
    /// `size` rows of `size` bits, none set.
    pub fn new(size: usize) -> BitRows {
        BitRows { size, words: vec![0; size * BitRows::stride(size)] }
    }

    /// Words a row of `size` bits takes.
    pub const fn stride(size: usize) -> usize {
        size.div_ceil(64)
    }

    /// From words as [`BitRows::words`] gives them; none if their number is wrong or a bit past the last column is set.
    pub fn from_words(size: usize, words: Vec<u64>) -> Option<BitRows> {
        let stride = BitRows::stride(size);
        let tail = if size.is_multiple_of(64) { u64::MAX } else { (1 << (size % 64)) - 1 };
        let fits = words.len() == size * stride;
        let is_clean = fits && words.chunks_exact(stride.max(1)).all(|row| row[stride - 1] & !tail == 0);
        is_clean.then_some(BitRows { size, words })
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn row(&self, row: usize) -> &[u64] {
        let stride = BitRows::stride(self.size);
        &self.words[row * stride..(row + 1) * stride]
    }

    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        let stride = BitRows::stride(self.size);
        &mut self.words[row * stride..(row + 1) * stride]
    }

    pub fn get(&self, row: usize, column: usize) -> bool {
        assert!(column < self.size, "column {column} of {}", self.size);
        self.row(row)[column / 64] >> (column % 64) & 1 == 1
    }

    pub fn set(&mut self, row: usize, column: usize) {
        assert!(column < self.size, "column {column} of {}", self.size);
        self.row_mut(row)[column / 64] |= 1 << (column % 64);
    }

    /// Sets in row `to` every bit that is set in row `from`.
    pub fn add_row(&mut self, to: usize, from: usize) {
        let stride = BitRows::stride(self.size);
        for word in 0..stride {
            self.words[to * stride + word] |= self.words[from * stride + word];
        }
    }
}

flags! {
    /// Which of the two tables a pair would be in, were the door open.
    OpeningFlags(u8) {
        STANDING = 1, "standing";
        CROUCHED = 2, "crouched";
    }
}

/// A pair that sees each other only while a mover is away from its rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Opening {
    pub from: WaypointId,
    pub to: WaypointId,
    /// The door in between; [`MoverId::NONE`] if it takes several.
    pub mover: MoverId,
    pub adds: OpeningFlags,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    /// Eye of a standing player at the row's waypoint to that of one at the column's, all movers at rest.
    pub standing: BitRows,
    /// The same to the middle of a crouched player at the column's waypoint.
    pub crouched: BitRows,
    /// Sorted, without doubles.
    pub openings: Vec<Opening>,
}

impl Sight {
    /// Whether a player standing at `from` sees one standing at `to`, all doors shut.
    pub fn sees(&self, from: WaypointId, to: WaypointId) -> bool {
        self.standing.get(from.index(), to.index())
    }

    /// Whether a player standing at `from` sees one crouching at `to`, all doors shut.
    pub fn sees_crouched(&self, from: WaypointId, to: WaypointId) -> bool {
        self.crouched.get(from.index(), to.index())
    }

    /// What doors would add to the view from a waypoint.
    pub fn openings_from(&self, from: WaypointId) -> &[Opening] {
        let first = self.openings.partition_point(|opening| opening.from < from);
        let count = self.openings[first..].partition_point(|opening| opening.from == from);
        &self.openings[first..first + count]
    }
}
