//! Which places lie in a cell: a table in two levels, so that a wide map costs only where somebody has been.

use std::collections::BTreeMap;

/// Cells to a tile's side.
const TILE: i32 = 32;
const NONE: u32 = u32::MAX;

/// The first place of each cell; further ones hang on it by [`Columns::next`].
#[derive(Debug, Default)]
pub(super) struct Columns {
    tiles: BTreeMap<[i32; 2], Box<[u32; (TILE * TILE) as usize]>>,
    /// The next place in the same cell, one a place.
    next: Vec<u32>,
}

impl Columns {
    /// The places of a cell, last found first.
    pub(super) fn at(&self, cell: [i32; 2]) -> impl Iterator<Item = u32> + '_ {
        let first = self.tiles.get(&tile_of(cell)).map_or(NONE, |tile| tile[slot_of(cell)]);
        let known = |place: u32| (place != NONE).then_some(place);
        std::iter::successors(known(first), move |place| known(self.next[*place as usize]))
    }

    /// Adds the next place, whose number is how many there were before.
    pub(super) fn add(&mut self, cell: [i32; 2]) {
        let place = self.next.len() as u32;
        let tile = self.tiles.entry(tile_of(cell)).or_insert_with(|| Box::new([NONE; (TILE * TILE) as usize]));
        let first = &mut tile[slot_of(cell)];
        self.next.push(*first);
        *first = place;
    }
}

fn tile_of(cell: [i32; 2]) -> [i32; 2] {
    [cell[0].div_euclid(TILE), cell[1].div_euclid(TILE)]
}

fn slot_of(cell: [i32; 2]) -> usize {
    (cell[0].rem_euclid(TILE) + cell[1].rem_euclid(TILE) * TILE) as usize
}
