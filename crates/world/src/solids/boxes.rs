//! Eight boxes side by side, each around one solid or one part of a hierarchy, and the tests that cull them.
//!
//! Boxes are grown by the gap a moving thing keeps from surfaces, and a little for rounding: culling may let too much
//! through, never too little.

use glam::Vec3;

use super::clip::{Moving, SURFACE_GAP};
use super::simd::Lanes;
use crate::trace::{Bounds, Sweep};

/// Grown on every side: the gap kept from surfaces, and what float rounding can add at map size.
const SLACK: f32 = SURFACE_GAP + 1.0 / 32.0;

/// Which solid a leaf lane holds, packed into 32 bits with its kind, so that a traversal reads no further table.
///
/// Bits from the top: leaf, facet, uncertain, 9 of plane count, 20 of first plane group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Child(u32);

impl Child {
    const LEAF: u32 = 1 << 31;
    const FACET: u32 = 1 << 30;
    const UNCERTAIN: u32 = 1 << 29;
    pub(crate) const PLANES_MAX: usize = (1 << 9) - 1;
    pub(crate) const GROUPS_MAX: usize = 1 << 20;

    pub(crate) fn node(index: usize) -> Child {
        Child(index as u32)
    }

    pub(crate) fn solid(group_first: usize, plane_count: usize, is_facet: bool, is_uncertain: bool) -> Child {
        assert!(
            plane_count <= Child::PLANES_MAX && group_first < Child::GROUPS_MAX,
            "checked when solids are laid out"
        );
        let kind = if is_facet { Child::FACET } else { 0 } | if is_uncertain { Child::UNCERTAIN } else { 0 };
        Child(Child::LEAF | kind | (plane_count as u32) << 20 | group_first as u32)
    }

    #[inline(always)]
    pub(crate) fn is_solid(self) -> bool {
        self.0 & Child::LEAF != 0
    }
    #[inline(always)]
    pub(crate) fn is_facet(self) -> bool {
        self.0 & Child::FACET != 0
    }
    /// The compiled tree does not list it everywhere it reaches: only a walk of that tree can tell.
    #[inline(always)]
    pub(crate) fn is_uncertain(self) -> bool {
        self.0 & Child::UNCERTAIN != 0
    }
    #[inline(always)]
    pub(crate) fn group_first(self) -> usize {
        (self.0 & 0xf_ffff) as usize
    }
    #[inline(always)]
    pub(crate) fn plane_count(self) -> usize {
        (self.0 >> 20 & 0x1ff) as usize
    }
    #[inline(always)]
    pub(crate) fn group_range(self) -> std::ops::Range<usize> {
        let first = self.group_first();
        first..first + self.plane_count().div_ceil(8)
    }
}

/// Eight boxes side by side, what fills each, and what each holds. Four cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Boxes {
    pub(super) low: [[f32; 8]; 3],
    pub(super) high: [[f32; 8]; 3],
    pub(super) contents: [u32; 8],
    pub(crate) children: [Child; 8],
}

impl Boxes {
    pub(crate) const EMPTY: Boxes =
        Boxes { low: [[f32::MAX; 8]; 3], high: [[f32::MIN; 8]; 3], contents: [0; 8], children: [Child(0); 8] };
}

impl Boxes {
    pub(crate) fn set(&mut self, lane: usize, low: Vec3, high: Vec3, contents: u32, child: Child) {
        for axis in 0..3 {
            self.low[axis][lane] = low[axis];
            self.high[axis][lane] = high[axis];
        }
        self.contents[lane] = contents;
        self.children[lane] = child;
    }

    #[inline(always)]
    pub(super) fn bounds(&self, lane: usize) -> Bounds {
        let corner = |sides: &[[f32; 8]; 3]| Vec3::new(sides[0][lane], sides[1][lane], sides[2][lane]);
        Bounds { mins: corner(&self.low), maxs: corner(&self.high) }
    }

    /// Which of the eight another box meets, one bit each.
    #[inline]
    pub(crate) fn met_by(&self, space: &Bounds) -> u8 {
        let mut apart = [false; 8];
        for axis in 0..3 {
            for (lane, apart) in apart.iter_mut().enumerate() {
                *apart |= (space.mins[axis] > self.high[axis][lane]) | (space.maxs[axis] < self.low[axis][lane]);
            }
        }
        apart.iter().rev().fold(0, |bits, apart| bits << 1 | u8::from(!apart))
    }

    /// A box that stands for nothing but itself, with the usual room around it.
    pub(crate) fn set_plain(&mut self, lane: usize, low: Vec3, high: Vec3, contents: u32) {
        self.set(lane, low - Vec3::splat(SLACK), high + Vec3::splat(SLACK), contents, Child::node(lane));
    }
}

impl Child {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Item {
    /// Room for the gap and for rounding on every side.
    pub(crate) fn grow(&mut self) {
        self.low -= Vec3::splat(SLACK);
        self.high += Vec3::splat(SLACK);
    }
}

/// The box around a whole path.
pub(crate) struct PathBox<L: Lanes> {
    /// Its low and its high corner, side by side.
    pub(crate) corners: L::F,
    low: [L::F; 3],
    high: [L::F; 3],
}

impl<L: Lanes> PathBox<L> {
    #[inline(always)]
    pub(crate) fn of<const IS_POINT: bool>(sweep: &Sweep) -> PathBox<L> {
        let moving = Moving::shaped::<IS_POINT>(sweep);
        let mut corners = L::corners(moving.start, moving.end);
        if !IS_POINT {
            corners = L::add(corners, L::pair(moving.low, moving.high));
        }
        PathBox {
            corners,
            low: [L::spread::<0>(corners), L::spread::<1>(corners), L::spread::<2>(corners)],
            high: [L::spread::<4>(corners), L::spread::<5>(corners), L::spread::<6>(corners)],
        }
    }

    /// Its longest side.
    #[inline(always)]
    pub(crate) fn width_max(&self) -> f32 {
        L::width_max(self.corners)
    }

    /// Which of eight boxes it meets, one bit each.
    #[inline(always)]
    pub(crate) fn meet(&self, boxes: &Boxes, mask: u32) -> u32 {
        let meets_plan = L::and(self.meets_along(boxes, 0), self.meets_along(boxes, 1));
        L::bits(L::and(meets_plan, L::and(self.meets_along(boxes, 2), L::meets(&boxes.contents, mask))))
    }

    #[inline(always)]
    fn meets_along(&self, boxes: &Boxes, axis: usize) -> L::M {
        let reaches_low = L::ge(self.high[axis], L::load(&boxes.low[axis]));
        L::and(reaches_low, L::le(self.low[axis], L::load(&boxes.high[axis])))
    }

    /// Whether it meets any box of these groups.
    #[inline(always)]
    pub(crate) fn is_any_met(&self, groups: &[Boxes], mask: u32) -> bool {
        for boxes in groups {
            if self.meet(boxes, mask) != 0 {
                return true;
            }
        }
        false
    }
}

/// A solid to be put under boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
    pub(crate) contents: u32,
    pub(crate) child: Child,
}

/// What a traversal does with each solid it reaches.
pub(crate) trait Visit {
    /// Whether what it meets shortens the path. If not, the first thing in the way is as good as the nearest.
    const SHORTENS: bool = true;

    /// Looks at a solid; returns how far the search still has to look (a fraction of the path), negative to stop.
    fn solid<L: Lanes>(&mut self, moving: &Moving, child: Child) -> f32;
}

/// The path, divided out once for the slab test of every node.
pub(crate) struct Slabs<L: Lanes> {
    inverse: [L::F; 3],
    /// A box meets a low face with its high side and the other way round; both sides' places at the start, divided like
    /// those of faces.
    low_from: [L::F; 3],
    high_from: [L::F; 3],
    inverse_way: Vec3,
}

impl<L: Lanes> Slabs<L> {
    #[inline(always)]
    pub(crate) fn of(moving: &Moving) -> Slabs<L> {
        let way = moving.end - moving.start;
        let inverse_way = Vec3::new(inverse(way.x), inverse(way.y), inverse(way.z));
        let (low_from, high_from) = if moving.is_point {
            let start = splats::<L>(moving.start * inverse_way);
            (start, start)
        } else {
            let sides = (moving.start + moving.high, moving.start + moving.low);
            (splats::<L>(sides.0 * inverse_way), splats::<L>(sides.1 * inverse_way))
        };
        Slabs { low_from, high_from, inverse: splats::<L>(inverse_way), inverse_way }
    }

    /// One over the way, by axis; large where nothing moves.
    #[inline(always)]
    pub(crate) fn inverse_way(&self) -> Vec3 {
        self.inverse_way
    }

    /// One bit an axis, set if the path runs backwards along it; [`octant_bit`] says which.
    #[inline(always)]
    pub(crate) fn octant(&self) -> usize {
        let way = self.inverse_way;
        (0..3).fold(0, |octant, axis| octant | ((way[axis].to_bits() >> 31) << octant_bit(axis)) as usize)
    }

    /// At which fraction each of the node's boxes is reached, and which are reached at all before `limit`.
    ///
    /// Whichever face is met first is the near one: two instructions an axis, and none to choose faces by direction.
    #[inline(always)]
    pub(crate) fn meet(&self, node: &Boxes, limit: f32, mask: u32) -> (L::F, L::M) {
        let ((near_x, far_x), (near_y, far_y)) = (self.along(node, 0), self.along(node, 1));
        let (near_z, far_z) = self.along(node, 2);
        let nears = L::max(L::max(near_x, near_y), L::max(near_z, L::splat(0.0)));
        let fars = L::min(L::min(far_x, far_y), L::min(far_z, L::splat(limit)));
        (nears, L::and(L::le(nears, fars), L::meets(&node.contents, mask)))
    }

    /// When the boxes are entered and left along one axis. Lanes without a box come out as anything: they have no contents.
    #[inline(always)]
    fn along(&self, node: &Boxes, axis: usize) -> (L::F, L::F) {
        let low = L::about_mul_sub(L::load(&node.low[axis]), self.inverse[axis], self.low_from[axis]);
        let high = L::about_mul_sub(L::load(&node.high[axis]), self.inverse[axis], self.high_from[axis]);
        (L::min(low, high), L::max(low, high))
    }

    /// Whether any box of these groups is reached before `limit`.
    #[inline(always)]
    pub(crate) fn is_any_met(&self, groups: &[Boxes], limit: f32, mask: u32) -> bool {
        for boxes in groups {
            if L::bits(self.meet(boxes, limit, mask).1) != 0 {
                return true;
            }
        }
        false
    }
}

/// Which bit of an octant stands for an axis: x counts most and z least, since maps are wide and low.
#[inline(always)]
pub(super) const fn octant_bit(axis: usize) -> usize {
    2 - axis
}

// Functions and not closures, here and wherever lanes are handled: a closure is compiled for the lanes' instructions only
// if the optimiser happens to inline it.

#[inline(always)]
fn splats<L: Lanes>(v: Vec3) -> [L::F; 3] {
    [L::splat(v.x), L::splat(v.y), L::splat(v.z)]
}

/// Not infinite for axes along which nothing moves: zero times infinity would be no number.
#[inline(always)]
fn inverse(way: f32) -> f32 {
    if way.abs() < 1e-20 { 1e20f32.copysign(way) } else { 1.0 / way }
}
