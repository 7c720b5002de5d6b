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
use super::simd::Lanes;
use crate::contents::Contents;
use crate::trace::Bounds;

/// What may stand between two boxes. Kept by the caller from one pair of boxes to the next, for its memory.
#[derive(Clone, Debug, Default)]
pub struct Corridor {
    pub(super) near: Vec<Near>,
    pub(super) mask: Contents,
    /// Nodes to be looked into.
    open: Vec<u32>,
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
        let Corridor { near, mask: kept, open } = corridor;
        *kept = mask;
        let shaft = Shaft::between(from, to);
        near.clear();
        open.clear();
        open.extend(self.models[0].root.node());
        while let Some(node) = open.pop() {
            let node = self.hierarchy.node(node);
            let mut met = shaft.meet::<L>(node, mask.0);
            while met != 0 {
                let lane = met.trailing_zeros() as usize & 7;
                met &= met - 1;
                let child = node.children[lane];
                if child.is_solid() {
                    near.push(Near { bounds: node.bounds(lane), child });
                } else {
                    open.push(child.index() as u32);
                }
            }
        }
    }
}

/// The hull of two boxes.
#[derive(Debug)]
struct Shaft {
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

    fn between(from: &Bounds, to: &Bounds) -> Shaft {
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
    fn meet<L: Lanes>(&self, boxes: &Boxes, mask: u32) -> u32 {
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
