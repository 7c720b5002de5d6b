//! The map cut into equal cubes, each with the solids that reach into it: for whatever is small or moves little.
//!
//! A grenade's step or a bullet's path spends most of its way in empty air. A hierarchy needs four or five nodes to say
//! so, because long walls make its boxes overlap; a cell says it with one look. Rays walk from cell to cell and stop at
//! the first with something in the way.
//!
//! After J. Amanatides, A. Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", Eurographics 1987.

use glam::Vec3;

use super::boxes::{Boxes, Item, PathBox, Slabs, Visit, octant_bit};
use super::clip::Moving;
use super::simd::{Lanes, Work};
use crate::trace::Sweep;

/// Least side of a cell. Smaller ones cost rays more steps than they save in boxes looked at, and more memory; larger ones
/// cost steps longer lists. Between 160 and 320 units speed hardly changes; memory halves.
pub(crate) const CELL_MIN: f32 = 192.0;
/// Cells grow until the map has no more than this many.
const CELLS_MAX: f32 = 32768.0;

#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    origin: Vec3,
    high: Vec3,
    size: f32,
    counts: [i32; 3],
    measure: Measure,
    /// For each direction of a ray (one bit an axis, set if it runs backwards), how far apart the next cells lie.
    strides: [[isize; 3]; 8],
    /// Per cell: first of `boxes` times 256, plus how many; zero is an empty cell.
    cells: Vec<u32>,
    boxes: Vec<Boxes>,
}

/// What turns two points side by side ([`Lanes::pair`]) into the places of their cells in memory.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    origin: [f32; 8],
    per_unit: f32,
    /// Along each axis, a coordinate well inside the last cell: what lies outside belongs to the outermost cells.
    end: [f32; 8],
    /// Along each axis, how many cells there are but one.
    last: [f32; 8],
    /// How far apart cells lie in memory.
    strides: [i32; 8],
}

impl Measure {
    fn of(origin: Vec3, size: f32, counts: [i32; 3]) -> Measure {
        let twice = |[x, y, z]: [f32; 3]| [x, y, z, 0.0, x, y, z, 0.0];
        let (row, layer) = (counts[0], counts[0] * counts[1]);
        Measure {
            origin: twice(origin.to_array()),
            per_unit: 1.0 / size,
            end: twice(counts.map(|count| count as f32 - 0.25)),
            last: twice(counts.map(|count| count as f32 - 1.0)),
            strides: [1, row, layer, 0, 1, row, layer, 0],
        }
    }

    /// By axis, how many cells lie before two points side by side.
    #[inline(always)]
    fn at<L: Lanes>(&self, points: L::F) -> L::F {
        let at = L::mul(L::sub(points, L::load(&self.origin)), L::splat(self.per_unit));
        L::min(L::max(at, L::splat(0.0)), L::load(&self.end))
    }
}

impl Cells {
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.cells[..]) + size_of_val(&self.boxes[..])
    }

    /// Sorts solids (already grown) into cells.
    pub(crate) fn of(items: &[Item]) -> Cells {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for item in items {
            (low, high) = (low.min(item.low), high.max(item.high));
        }
        if items.is_empty() {
            return Cells::default();
        }
        let (size, counts) = divide(high - low);
        let measure = Measure::of(low, size, counts);
        let [x, y, z] = counts.map(|count| count as f32);
        let high = low + Vec3::new(x, y, z) * size;
        let strides = [1, counts[0] as isize, (counts[0] * counts[1]) as isize];
        let backwards = |octant: usize, axis: usize| octant >> octant_bit(axis) & 1 == 1;
        let signed = |octant, axis: usize| if backwards(octant, axis) { -strides[axis] } else { strides[axis] };
        let strides = std::array::from_fn(|octant| std::array::from_fn(|axis| signed(octant, axis)));
        let mut grid = Cells { origin: low, high, size, counts, measure, strides, ..Cells::default() };
        let mut members = vec![Vec::new(); counts.iter().map(|&n| n as usize).product()];
        for (index, item) in items.iter().enumerate() {
            let (from, to) = (grid.cell_of(item.low), grid.cell_of(item.high));
            for cell in grid.cells_between(from, to) {
                members[cell].push(index as u32);
            }
        }
        grid.cells = vec![0; members.len()];
        grid.share([0; 3], counts, &members, items);
        grid
    }

    /// Gives a block of cells one common list if eight boxes hold all its solids, else halves the block: walls and sky
    /// that fill thousands of cells take hardly any room so, and the lists of a room stay in the cache together.
    fn share(&mut self, from: [i32; 3], to: [i32; 3], members: &[Vec<u32>], items: &[Item]) {
        let last = to.map(|end| end - 1);
        let mut all: Vec<u32> = Vec::new();
        let is_single = from == last;
        for cell in self.cells_between(from, last) {
            all.extend(&members[cell]);
            // Sorted once in a while: blocks of the whole map would gather millions of entries otherwise.
            if all.len() > 4096 {
                all.sort_unstable();
                all.dedup();
            }
            if all.len() > 4096 && !is_single {
                break;
            }
        }
        all.sort_unstable();
        all.dedup();
        if all.len() <= 8 || is_single {
            let packed = self.pack(self.bounds_of(from, to), &all, items);
            for cell in self.cells_between(from, last) {
                if !members[cell].is_empty() {
                    self.cells[cell] = packed;
                }
            }
            return;
        }
        let longest = (0..3).max_by_key(|&axis| (to[axis] - from[axis], 2 - axis)).unwrap_or(0);
        let middle = (from[longest] + to[longest]) / 2;
        let (mut cut_to, mut cut_from) = (to, from);
        (cut_to[longest], cut_from[longest]) = (middle, middle);
        self.share(from, cut_to, members, items);
        self.share(cut_from, to, members, items);
    }

    /// Where a block of cells begins and ends; a touch larger, for what rounding does to cell indices.
    fn bounds_of(&self, from: [i32; 3], to: [i32; 3]) -> (Vec3, Vec3) {
        let corner = |at: [i32; 3]| self.origin + Vec3::from_array(at.map(|n| n as f32)) * self.size;
        (corner(from) - Vec3::splat(1.0 / 64.0), corner(to) + Vec3::splat(1.0 / 64.0))
    }

    /// Lays out the parts of these solids that lie in a block.
    fn pack(&mut self, (low, high): (Vec3, Vec3), members: &[u32], items: &[Item]) -> u32 {
        let first = self.boxes.len() as u32;
        for eight in members.chunks(8) {
            let mut boxes = Boxes::EMPTY;
            for (lane, &member) in eight.iter().enumerate() {
                let item = &items[member as usize];
                boxes.set(lane, item.low.max(low), item.high.min(high), item.contents, item.child);
            }
            self.boxes.push(boxes);
        }
        let count = self.boxes.len() as u32 - first;
        assert!(count < 256 && first < 1 << 24, "a cell holds at most 2040 solids");
        first << 8 | count
    }

    /// Along each axis, how many cells lie before this point.
    #[inline(always)]
    fn cell_of(&self, point: Vec3) -> [i32; 3] {
        let Measure { origin, per_unit, end, .. } = &self.measure;
        std::array::from_fn(|i| ((point[i] - origin[i]) * per_unit).max(0.0).min(end[i]) as i32)
    }

    #[inline(always)]
    fn cells_between(&self, from: [i32; 3], to: [i32; 3]) -> impl Iterator<Item = usize> + use<> {
        let (nx, ny) = (self.counts[0], self.counts[1]);
        (from[2]..=to[2]).flat_map(move |z| {
            (from[1]..=to[1]).flat_map(move |y| (from[0]..=to[0]).map(move |x| ((z * ny + y) * nx + x) as usize))
        })
    }

    #[inline(always)]
    fn boxes_of(&self, packed: u32) -> &[Boxes] {
        &self.boxes[(packed >> 8) as usize..][..(packed & 0xff) as usize]
    }

    /// Visits every solid that meets a box no larger than a cell; the same one perhaps more than once.
    ///
    /// Seven of eight steps stay inside one cell, and three of four come near nothing: the rest is left to routines of
    /// its own.
    #[inline(always)]
    pub(crate) fn around<L: Lanes, const IS_POINT: bool>(
        &self,
        sweep: &Sweep,
        around: &PathBox<L>,
        visit: &mut impl Visit,
    ) {
        let at = self.measure.at::<L>(around.corners);
        let [from, to] = L::places(at, &self.measure.strides);
        let goes_on = self.look_at::<L, IS_POINT>(self.list(from), sweep, around, visit);
        if from != to && goes_on {
            let corners = Corners::<_, IS_POINT> { cells: self, at: L::store(at), from, sweep: *sweep, visit };
            if IS_POINT { L::call(corners) } else { corners.run::<L>() }
        }
    }

    /// Visits what a list has in the box; false if the visitor has seen enough.
    #[inline(always)]
    fn look_at<L: Lanes, const IS_POINT: bool>(
        &self,
        list: u32,
        sweep: &Sweep,
        around: &PathBox<L>,
        visit: &mut impl Visit,
    ) -> bool {
        for boxes in self.boxes_of(list) {
            let hits = around.meet(boxes, sweep.mask.0);
            if hits == 0 {
                continue;
            }
            let near = Near::<_, IS_POINT> { boxes, hits, sweep: *sweep, visit };
            // A player's box nearly always comes near something.
            let goes_on = if IS_POINT { L::call(near) } else { near.run::<L>() };
            if !goes_on {
                return false;
            }
        }
        true
    }

    #[inline(always)]
    fn list(&self, cell: i32) -> u32 {
        self.cells.get(cell as usize).copied().unwrap_or(0)
    }

    /// Visits every solid that a point's path may meet, cell by cell, until the visitor has something nearer.
    #[inline(always)]
    pub(crate) fn along<L: Lanes>(&self, moving: &Moving, slabs: &Slabs<L>, visit: &mut impl Visit) {
        let Some(mut walk) = Walk::enter(self, moving, slabs) else { return };
        let mut limit = 1.0f32;
        let mut last = 0;
        loop {
            let list = self.cells.get(walk.cell).copied().unwrap_or(0);
            let boxes = if list == last { &[] } else { self.boxes_of(list) };
            last = list;
            for boxes in boxes {
                let (_, hits) = slabs.meet(boxes, limit, moving.mask.0);
                let mut hits = L::bits(hits);
                while hits != 0 {
                    let lane = hits.trailing_zeros() as usize & 7;
                    hits &= hits - 1;
                    limit = visit.solid::<L>(moving, boxes.children[lane]);
                    if limit < 0.0 {
                        return;
                    }
                }
            }
            if !walk.step(limit) {
                return;
            }
        }
    }
}

/// The solids whose boxes were met. Has a sweep of its own and prepares it anew: were the caller's handed over, it would
/// have to lie in memory all the way, and what was just written there stalls where it is read.
struct Near<'a, V, const IS_POINT: bool> {
    boxes: &'a Boxes,
    hits: u32,
    sweep: Sweep,
    visit: &'a mut V,
}

impl<V: Visit, const IS_POINT: bool> Work for Near<'_, V, IS_POINT> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> bool {
        let moving = Moving::shaped::<IS_POINT>(&self.sweep);
        while self.hits != 0 {
            let lane = self.hits.trailing_zeros() as usize & 7;
            self.hits &= self.hits - 1;
            if self.visit.solid::<L>(&moving, self.boxes.children[lane]) < 0.0 {
                return false;
            }
        }
        true
    }
}

/// The other cells that a box reaches into: two along each axis at most.
struct Corners<'a, V, const IS_POINT: bool> {
    cells: &'a Cells,
    /// By axis, how many cells lie before its low and high corners.
    at: [f32; 8],
    from: i32,
    sweep: Sweep,
    visit: &'a mut V,
}

impl<V: Visit, const IS_POINT: bool> Work for Corners<'_, V, IS_POINT> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Corners { cells, at, from, sweep, visit } = self;
        let around = PathBox::<L>::of::<IS_POINT>(&sweep);
        let step = |axis: usize| (at[axis + 4] as i32 - at[axis] as i32) * cells.measure.strides[axis];
        let steps = [step(0), step(1), step(2)];
        let crossed = (0..3).fold(0u32, |crossed, axis| crossed | u32::from(steps[axis] != 0) << axis);
        let mut seen = [cells.list(from); 8];
        let mut count = 1;
        // Nearly all that leave a cell do so along one axis: the corners that lie in other cells are the subsets of `crossed`.
        let next = |corner: u32| corner.wrapping_sub(crossed) & crossed;
        let mut corner = next(0);
        while corner != 0 {
            let at = |axis: usize| if corner >> axis & 1 == 1 { steps[axis] } else { 0 };
            let list = cells.list(from + at(0) + at(1) + at(2));
            corner = next(corner);
            // Neighbours often share a list, and one look at it is enough.
            if list == 0 || seen[..count].contains(&list) {
                continue;
            }
            if !cells.look_at::<L, IS_POINT>(list, &sweep, &around, visit) {
                return;
            }
            seen[count & 7] = list;
            count = (count + 1).min(8);
        }
    }
}

/// A ray on its way through the cells.
struct Walk<'a> {
    cell: usize,
    /// By axis: the fraction of the path at which the next cell begins, and how much one cell takes.
    next: [f32; 8],
    each: [f32; 8],
    /// By axis: how many more cells there are, a whole number.
    left: [f32; 8],
    strides: &'a [isize; 3],
}

impl<'a> Walk<'a> {
    #[inline(always)]
    fn enter<L: Lanes>(cells: &'a Cells, moving: &Moving, slabs: &Slabs<L>) -> Option<Walk<'a>> {
        let (mut start, inverse) = (moving.start, slabs.inverse_way());
        if !cells.holds(start) {
            start += (moving.end - moving.start) * cells.reached_at(moving.start, inverse)?;
        }
        let measure = &cells.measure;
        let at = measure.at::<L>(L::pair(start, start));
        let whole = L::floor(at);
        let inverse = L::pair(inverse, Vec3::ZERO);
        let forward = L::ge(inverse, L::splat(0.0));
        let size = L::splat(cells.size);
        let border = L::mul(L::add(whole, L::select(forward, L::splat(1.0), L::splat(0.0))), size);
        let from = L::sub(L::pair(moving.start, Vec3::ZERO), L::load(&measure.origin));
        let last = L::load(&measure.last);
        let [cell, _] = L::places(at, &measure.strides);
        Some(Walk {
            cell: cell as usize,
            next: L::store(L::mul(L::sub(border, from), inverse)),
            each: L::store(L::max(L::mul(size, inverse), L::mul(L::sub(L::splat(0.0), size), inverse))),
            left: L::store(L::select(forward, L::sub(last, whole), whole)),
            strides: &cells.strides[slabs.octant()],
        })
    }

    /// Goes on to the next cell; false when the path ends before it, or leaves the map.
    #[inline(always)]
    fn step(&mut self, limit: f32) -> bool {
        let [x, y, z, ..] = self.next;
        let axis = if x < y {
            if x < z { 0 } else { 2 }
        } else if y < z {
            1
        } else {
            2
        };
        if self.next[axis] > limit || self.left[axis] == 0.0 {
            return false;
        }
        self.next[axis] += self.each[axis];
        self.left[axis] -= 1.0;
        self.cell = self.cell.wrapping_add_signed(self.strides[axis]);
        true
    }
}

impl Cells {
    #[inline(always)]
    fn holds(&self, point: Vec3) -> bool {
        !self.cells.is_empty() & point.cmpge(self.origin).all() & point.cmple(self.high).all()
    }

    /// The fraction of a path at which it comes in from outside; none if it never does.
    #[cold]
    fn reached_at(&self, start: Vec3, inverse: Vec3) -> Option<f32> {
        let (a, b) = ((self.origin - start) * inverse, (self.high - start) * inverse);
        let from = a.min(b).max_element().max(0.0);
        let to = a.max(b).min_element().min(1.0);
        (from <= to && !self.cells.is_empty()).then_some(from)
    }
}

/// How large cells have to be for a map of this extent, and how many that makes along each axis.
fn divide(extent: Vec3) -> (f32, [i32; 3]) {
    let mut size = (extent.x * extent.y * extent.z / CELLS_MAX).cbrt().max(CELL_MIN);
    loop {
        let counts = extent.to_array().map(|side| (side / size) as i32 + 1);
        // Flat maps have more than their volume says; floats count whole numbers up to 2^24.
        if counts.iter().map(|&count| f64::from(count)).product::<f64>() < f64::from(8.0 * CELLS_MAX) {
            return (size, counts);
        }
        size *= 1.25;
    }
}
