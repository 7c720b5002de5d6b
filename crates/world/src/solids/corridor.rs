//! What may stand between two boxes: all that any ray from a point of one to a point of the other may meet.
//!
//! In: the boxes. Out: the few solids that reach into the hull of both, packed eight by eight, so that a ray between them
//! looks at those and at nothing else.
//!
//! After E. Haines, J. Wallace, "Shaft Culling for Efficient Ray-Traced Radiosity", Eurographics Workshop on Rendering,
//! 1991: the hull of two boxes lies inside the box around both, and behind one plane for each edge of the one that is
//! joined with the same edge of the other. We keep no solids that fill a corridor all across: a wall that was in the
//! way of one ray is tried first for the next anyhow ([`super::gaze`]).

use super::Solids;
use super::boxes::{Boxes, Child};
use super::hierarchy::{DEPTH_MAX, Hierarchy};
use super::simd::Lanes;
use crate::contents::Contents;
use crate::trace::Bounds;

/// What may stand between two boxes. Kept by the caller from one pair of boxes to the next, for its memory.
#[derive(Clone, Debug, Default)]
pub struct Corridor {
    pub(super) near: Vec<Near>,
    pub(super) mask: Contents,
}

/// A solid and the box around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) bounds: Bounds,
    pub(super) child: Child,
}

impl Solids {
    /// Fills a corridor with what may stop a ray from one box to the other.
    #[inline(always)]
    pub(super) fn find_between<L: Lanes>(&self, from: &Bounds, to: &Bounds, mask: Contents, corridor: &mut Corridor) {
        let Corridor { near, mask: kept } = corridor;
        *kept = mask;
        near.clear();
        let shaft = Shaft::between(from, to);
        let mut between = Between::of(self, &shaft, mask);
        while let Some((node, lane)) = between.next::<L>() {
            near.push(Near { bounds: node.bounds(lane), child: node.children[lane] });
        }
    }
}

/// A walk through all solids of a map whose boxes reach into a shaft.
pub(super) struct Between<'a> {
    hierarchy: &'a Hierarchy,
    shaft: &'a Shaft,
    mask: Contents,
    /// The node we are in, and which of its children are still to be looked at; and those above it.
    node: u32,
    met: u32,
    above: [(u32, u32); DEPTH_MAX],
    depth: usize,
    /// Nothing has been looked at yet: the root is the node to come.
    is_new: bool,
}

impl<'a> Between<'a> {
    pub(super) fn of(solids: &'a Solids, shaft: &'a Shaft, mask: Contents) -> Between<'a> {
        let root = solids.models[0].root.node();
        Between {
            hierarchy: &solids.hierarchy,
            shaft,
            mask,
            node: root.unwrap_or(0),
            met: 0,
            above: [(0, 0); DEPTH_MAX],
            depth: 0,
            is_new: root.is_some(),
        }
    }

    /// The next solid: the node it hangs from, and its lane there.
    #[inline(always)]
    pub(super) fn next<L: Lanes>(&mut self) -> Option<(&'a Boxes, usize)> {
        if self.is_new {
            self.is_new = false;
            self.met = self.shaft.meet::<L>(self.hierarchy.node(self.node), self.mask.0);
        }
        loop {
            if self.met == 0 {
                self.depth = self.depth.checked_sub(1)?;
                (self.node, self.met) = self.above[self.depth];
                continue;
            }
            let node = self.hierarchy.node(self.node);
            let lane = self.met.trailing_zeros() as usize & 7;
            self.met &= self.met - 1;
            let child = node.children[lane];
            if child.is_solid() {
                return Some((node, lane));
            }
            if self.met != 0 {
                self.above[self.depth] = (self.node, self.met);
                self.depth += 1;
            }
            self.node = child.index() as u32;
            self.met = self.shaft.meet::<L>(self.hierarchy.node(self.node), self.mask.0);
        }
    }
}

/// The hull of two boxes.
#[derive(Debug)]
pub(super) struct Shaft {
    around: Bounds,
    slants: [Slant; Shaft::SLANTS_MAX],
    count: usize,
}

/// A side of a shaft, along one axis: whatever is outside has `normal` times its coordinates above `dist`.
#[derive(Clone, Copy, Debug, Default)]
struct Slant {
    axes: [usize; 2],
    normal: [f32; 2],
    dist: f32,
}

impl Shaft {
    /// Of the six faces of the box around both, those of one box and those of the other: three and three give most pairs.
    const SLANTS_MAX: usize = 9;

    pub(super) fn between(from: &Bounds, to: &Bounds) -> Shaft {
        let around = Bounds { mins: from.mins.min(to.mins), maxs: from.maxs.max(to.maxs) };
        let mut shaft = Shaft { around, slants: [Slant::default(); Shaft::SLANTS_MAX], count: 0 };
        for (first, second) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            for (first_high, second_high) in [(false, false), (false, true), (true, false), (true, true)] {
                shaft.join(from, to, (first, first_high), (second, second_high));
            }
        }
        shaft
    }

    /// The side that joins an edge of one box with the same edge of the other, if the first face is the one's and the
    /// second the other's.
    fn join(&mut self, one: &Bounds, other: &Bounds, first: (usize, bool), second: (usize, bool)) {
        let at = |bounds: &Bounds, (axis, is_high): (usize, bool)| {
            if is_high { bounds.maxs[axis] } else { bounds.mins[axis] }
        };
        let outwards = |is_high: bool| if is_high { 1.0 } else { -1.0 };
        let one_beyond = (at(one, first) - at(other, first)) * outwards(first.1);
        let other_beyond = (at(other, second) - at(one, second)) * outwards(second.1);
        if one_beyond > 0.0 && other_beyond > 0.0 {
            let normal = [other_beyond * outwards(first.1), one_beyond * outwards(second.1)];
            let dist = normal[0] * at(one, first) + normal[1] * at(one, second);
            self.slants[self.count] = Slant { axes: [first.0, second.0], normal, dist };
            self.count += 1;
        }
    }

    /// Which of eight boxes reach into it, one bit each.
    #[inline(always)]
    pub(super) fn meet<L: Lanes>(&self, boxes: &Boxes, mask: u32) -> u32 {
        let mut met = L::meets(&boxes.contents, mask);
        for axis in 0..3 {
            let reaches = L::le(L::load(&boxes.low[axis]), L::splat(self.around.maxs[axis]));
            met = L::and(met, L::and(reaches, L::ge(L::load(&boxes.high[axis]), L::splat(self.around.mins[axis]))));
        }
        for slant in &self.slants[..self.count] {
            let inmost = L::add(slant.inmost::<L>(boxes, 0), slant.inmost::<L>(boxes, 1));
            met = L::and(met, L::le(inmost, L::splat(slant.dist)));
        }
        L::bits(met)
    }
}

impl Slant {
    /// How far inside the innermost corners lie, as far as one axis counts.
    #[inline(always)]
    fn inmost<L: Lanes>(&self, boxes: &Boxes, side: usize) -> L::F {
        let (axis, normal) = (self.axes[side], self.normal[side]);
        let corners = if normal > 0.0 { &boxes.low[axis] } else { &boxes.high[axis] };
        L::mul(L::load(corners), L::splat(normal))
    }
}
