//! The standability grid: where in a map a body can be, cell by cell, kept for everything that needs more than waypoints.
//!
//! The map seen from above is cut into square cells; each cell has its *spans*, lowest first: heights at which a player
//! can stand, crouch, swim or hang. A span knows its headroom, what is special about it and which waypoint owns it, so
//! that the nearest waypoint is one look-up, footing between waypoints can be checked, and a picture can be drawn.
//!
//! Not here: finding the spans (`bake::ground`), asking for a waypoint (`nearest`).

use glam::Vec3;

use crate::ids::{WaypointId, flags};

flags! {
    /// What is special about a span.
    SpanFlags(u8) {
        /// A standing body fits.
        STAND = 1, "stand";
        /// A crouched body fits.
        CROUCH = 2, "crouch";
        /// A body swims here: the feet hang in liquid deep enough.
        SWIM = 4, "swim";
        LADDER = 8, "ladder";
        /// The feet are wet.
        LIQUID = 16, "liquid";
        /// Lava, slime, or a trigger that hurts.
        HARM = 32, "harm";
        /// A neighbouring cell is a fall away.
        LEDGE = 64, "ledge";
        /// Too steep to stand on: a body slides.
        STEEP = 128, "steep";
    }
}

/// One height at which a body can be, in one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Height of the feet, in whole units.
    pub feet: i16,
    /// Free height above the feet, in steps of [`Span::HEADROOM_STEP`]; 255 is that much or more.
    pub headroom: u8,
    pub flags: SpanFlags,
    /// The waypoint from which this span is reached soonest, or [`WaypointId::NONE`].
    pub waypoint: WaypointId,
}

impl Span {
    /// Units a step of [`Span::headroom`] stands for.
    pub const HEADROOM_STEP: f32 = 4.0;
}

/// The grid. Columns lie row by row: `x + y * size[0]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// Side of a cell, in units.
    pub cell: f32,
    /// The cell of column 0, in cells from the map's origin: it covers `origin * cell .. (origin + 1) * cell`.
    pub origin: [i32; 2],
    /// Columns in x and in y.
    pub size: [u32; 2],
    /// Where each column's spans begin in `spans`; one more at the end.
    pub column_first: Vec<u32>,
    /// By column, then by height.
    pub spans: Vec<Span>,
}

impl Default for Ground {
    fn default() -> Ground {
        Ground { cell: Ground::CELL, origin: [0, 0], size: [0, 0], column_first: vec![0], spans: Vec::new() }
    }
}

impl Ground {
    /// Side of a cell unless a bake is told otherwise: half a player's width, so that no way a player fits is missed.
    pub const CELL: f32 = 16.0;
    /// Most columns a grid may have: 65,536 units in x and in y, in cells of 16.
    pub const COLUMNS_MAX: usize = 4096 * 4096;
    /// Most spans a column may have: storeys of a tower.
    pub const COLUMN_SPANS_MAX: usize = 127;
    /// Most spans a grid may have.
    pub const SPANS_MAX: usize = 1 << 26;

    /// The column above which a point lies; none outside the grid.
    pub fn column_at(&self, point: Vec3) -> Option<usize> {
        let x = (point.x / self.cell).floor() - self.origin[0] as f32;
        let y = (point.y / self.cell).floor() - self.origin[1] as f32;
        let is_inside = x >= 0.0 && y >= 0.0 && x < self.size[0] as f32 && y < self.size[1] as f32;
        is_inside.then(|| x as usize + y as usize * self.size[0] as usize)
    }

    /// The cell of a column, counted from the grid's corner.
    pub fn cell_of(&self, column: usize) -> [u32; 2] {
        let width = self.size[0].max(1);
        [column as u32 % width, column as u32 / width]
    }

    /// The middle of a column, at height 0.
    pub fn centre(&self, column: usize) -> Vec3 {
        let [x, y] = self.cell_of(column);
        let middle = |cell: u32, origin: i32| ((origin as f32 + cell as f32) + 0.5) * self.cell;
        Vec3::new(middle(x, self.origin[0]), middle(y, self.origin[1]), 0.0)
    }

    /// The spans of a column, lowest first.
    pub fn column(&self, column: usize) -> &[Span] {
        &self.spans[self.column_first[column] as usize..self.column_first[column + 1] as usize]
    }

    /// Index of a column's first span in `spans`.
    pub fn first_of(&self, column: usize) -> usize {
        self.column_first[column] as usize
    }

    pub fn columns(&self) -> usize {
        self.column_first.len() - 1
    }
}
