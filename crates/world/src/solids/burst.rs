//! Rays from one place to a few points that lie together: which of them get there?
//!
//! What is asked is whether [`Solids::sweep`] would say that all of the way is free, and the answers are the same: unlike to
//! an eye ([`super::gaze`]), to a blast it does not matter what it begins inside of, as long as it gets out. The solids
//! between are looked for once for all rays ([`super::corridor`]), and each is clipped by eight rays at a time.

use glam::Vec3;

use super::Solids;
use super::boxes::{Boxes, Child};
use super::clip::{Clip, Moving};
use super::corridor::{Between, Shaft};
use super::gaze::{Bundle, Eight, clip_eight};
use super::nearest::clip_child;
use super::simd::{Lanes, Work};
use crate::contents::Contents;
use crate::trace::{Bounds, Sweep};

/// Which points are reached, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) reached: u32,
    /// Those that may be: somebody's box is on the way, or what the engine has forgotten in places.
    pub(crate) doubtful: u32,
}

impl Solids {
    /// Which of some points, sixteen at most, rays from one place get to past the map and these boxes.
    pub(crate) fn burst(&self, from: Vec3, points: &[Vec3], mask: Contents, crowd: &[Boxes]) -> Reached {
        assert!(points.len() <= 16, "a burst of {} rays", points.len());
        self.path.run(Bursting { solids: self, from, points, mask, crowd })
    }
}

/// The box around some points.
fn around(points: &[Vec3]) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    points.iter().for_each(|point| bounds.take_in(*point));
    bounds
}

struct Bursting<'a> {
    solids: &'a Solids,
    from: Vec3,
    points: &'a [Vec3],
    mask: Contents,
    crowd: &'a [Boxes],
}

/// Eight of the rays.
struct Rays<L: Lanes> {
    eight: Eight,
    bundle: Bundle<L>,
    /// Not stopped so far.
    left: u8,
    doubtful: u8,
}

impl Work for Bursting<'_> {
    type Output = Reached;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Reached {
        let Bursting { solids, from, points, mask, crowd } = self;
        let (first, rest) = points.split_at(points.len().min(8));
        let mut both = [Rays::<L>::of(from, first), Rays::<L>::of(from, rest)];
        let shaft = Shaft::between(&Bounds { mins: from, maxs: from }, &around(points));
        let mut between = Between::of(solids, &shaft, mask);
        while let Some((node, lane)) = between.next::<L>() {
            let (bounds, child) = (node.bounds(lane), node.children[lane]);
            both[0].meet(solids, from, &bounds, child);
            both[1].meet(solids, from, &bounds, child);
            if both[0].left | both[1].left == 0 {
                break;
            }
        }
        for boxes in crowd {
            let mut met = shaft.meet::<L>(boxes, mask.0);
            while met != 0 {
                let bounds = boxes.bounds(met.trailing_zeros() as usize & 7);
                met &= met - 1;
                both.iter_mut().for_each(|rays| rays.doubtful |= rays.bundle.meets(&bounds));
            }
        }
        let all = |bits: fn(&Rays<L>) -> u8| u32::from(bits(&both[0])) | u32::from(bits(&both[1])) << 8;
        let doubtful = all(|rays| rays.left & rays.doubtful);
        Reached { reached: all(|rays| rays.left) & !doubtful, doubtful }
    }
}

impl<L: Lanes> Rays<L> {
    #[inline(always)]
    fn of(from: Vec3, points: &[Vec3]) -> Rays<L> {
        let eight = Eight::of(points);
        let left = ((1_u32 << points.len()) - 1) as u8;
        Rays { bundle: Bundle::of(from, &eight), eight, left, doubtful: 0 }
    }

    /// Lets a solid stop those that it does.
    #[inline(always)]
    fn meet(&mut self, solids: &Solids, from: Vec3, bounds: &Bounds, child: Child) {
        let met = if self.left == 0 { 0 } else { self.bundle.meets(bounds) & self.left };
        if met == 0 {
            return;
        }
        if child.is_uncertain() {
            self.doubtful |= met;
        } else if child.is_facet() {
            self.left &= !self.stopped_by_facet(solids, from, child, met);
        } else {
            let planes = &solids.groups[child.group_range()];
            self.left &= !clip_eight::<L>(planes, child.plane_count(), from, &self.eight, met).stopped;
        }
    }

    #[inline(always)]
    fn stopped_by_facet(&self, solids: &Solids, from: Vec3, child: Child, asked: u8) -> u8 {
        let is_stopped = |point: &usize| {
            let moving = Moving::of_point(&Sweep::ray(from, self.eight.point(*point), Contents::NONE));
            let met = clip_child::<L>(&solids.groups, &moving, child, 1.0);
            matches!(met, Clip::Enter { fraction, .. } if fraction < 1.0)
        };
        let stopped = (0..8).filter(|point| asked >> point & 1 == 1).filter(is_stopped);
        stopped.fold(0, |bits, point| bits | 1 << point)
    }
}
