//! Looks between places that lie together: which of these points are seen from which of those?
//!
//! What is asked is what [`Solids::is_clear`] is asked, and the answers are the same. Three things make it quick. A wall that
//! is in the way of one ray is in the way of most rays beside it, so what stopped the last ray towards the same point is
//! tried first. What is left looks past the few solids that may stand between those places at all ([`Corridor`]). And eight
//! rays are looked along at once.
//!
//! After E. Haines, D. Greenberg, "The light buffer: a shadow-testing accelerator", IEEE Computer Graphics and
//! Applications 6, 1986, where each light keeps the object that shaded last.

use glam::Vec3;

use super::Solids;
use super::boxes::Child;
use super::clip::{Clip, Moving, PlaneGroup, SURFACE_GAP};
use super::corridor::Corridor;
use super::nearest::clip_child;
use super::simd::{Lanes, Work};
use crate::contents::Contents;
use crate::trace::{Bounds, Sweep};

/// Eight points to look at; of those that nobody asks for, anything will do.
#[derive(Clone, Copy, Debug)]
pub struct Eight {
    points: [Vec3; 8],
    x: [f32; 8],
    y: [f32; 8],
    z: [f32; 8],
}

impl Eight {
    /// Up to eight points.
    #[inline]
    pub fn of(points: &[Vec3]) -> Eight {
        assert!(points.len() <= 8, "eight are eight");
        // A plain loop: made with closures, an eight took longer than to see whether its rays get past a wall.
        let mut eight = Eight { points: [Vec3::ZERO; 8], x: [0.0; 8], y: [0.0; 8], z: [0.0; 8] };
        for (index, point) in points.iter().enumerate() {
            eight.points[index] = *point;
            (eight.x[index], eight.y[index], eight.z[index]) = (point.x, point.y, point.z);
        }
        eight
    }

    #[inline(always)]
    pub(super) fn point(&self, index: usize) -> Vec3 {
        self.points[index]
    }
}

/// What was in the way of the last ray towards each of eight points. Kept from one look at them to the next, with the same
/// solids and mask: it saves work and changes no answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Obstacles([Option<Child>; 8]);

impl Obstacles {
    #[inline(always)]
    fn note(&mut self, child: Child, hidden: u8) {
        for (target, obstacle) in self.0.iter_mut().enumerate() {
            if hidden >> target & 1 == 1 {
                *obstacle = Some(child);
            }
        }
    }

    /// What an eye saw the next one will see too, most likely, and would try in vain what hid it before.
    #[inline(always)]
    fn forget(&mut self, seen: u8) {
        for (target, obstacle) in self.0.iter_mut().enumerate() {
            if seen >> target & 1 == 1 {
                *obstacle = None;
            }
        }
    }

    /// Which of the eight have this one.
    #[inline(always)]
    fn with(&self, child: Child) -> u8 {
        self.0.iter().enumerate().fold(0, |bits, (target, &known)| bits | u8::from(known == Some(child)) << target)
    }
}

/// From where, through what, towards which points.
#[derive(Clone, Copy, Debug)]
pub struct Gaze<'a> {
    pub eyes: &'a [Vec3],
    pub targets: &'a [Eight],
    pub mask: Contents,
}

impl Solids {
    /// Clears the bits of all targets that are not seen; those whose bit is not set are not looked at. A byte for each eye
    /// and eight targets, all of the first eye first. If there are several eights, the first of each should lie close
    /// together, and so on: they share their obstacles.
    pub fn gaze(&self, gaze: &Gaze<'_>, obstacles: &mut Obstacles, corridor: &mut Corridor, seen: &mut [u8]) {
        assert_eq!(seen.len(), gaze.eyes.len() * gaze.targets.len(), "a byte for each eye and eight");
        self.path.run(Gazing { solids: self, gaze, obstacles, corridor, seen });
    }
}

struct Gazing<'a, 'b> {
    solids: &'a Solids,
    gaze: &'a Gaze<'a>,
    obstacles: &'b mut Obstacles,
    corridor: &'b mut Corridor,
    seen: &'b mut [u8],
}

impl Work for Gazing<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Gazing { solids, gaze, obstacles, corridor, seen } = self;
        let mut is_found = false;
        for (row, &eye) in gaze.eyes.iter().enumerate() {
            for (column, eight) in gaze.targets.iter().enumerate() {
                let place = row * gaze.targets.len() + column;
                let rest = solids.not_hidden_by_known::<L>(eye, eight, obstacles, seen[place]);
                if rest != 0 && !is_found {
                    let (from, to) = ends(gaze, seen);
                    solids.find_between::<L>(&from, &to, gaze.mask, corridor);
                    is_found = true;
                }
                seen[place] =
                    if rest == 0 { 0 } else { solids.not_hidden_in::<L>(corridor, eye, eight, obstacles, rest) };
            }
        }
    }
}

/// Boxes around all eyes that have something to look at, and around what they look at.
#[inline(always)]
fn ends(gaze: &Gaze<'_>, seen: &[u8]) -> (Bounds, Bounds) {
    let (mut from, mut to) = (Bounds::EMPTY, Bounds::EMPTY);
    for (&eye, seen) in gaze.eyes.iter().zip(seen.chunks_exact(gaze.targets.len())) {
        if seen.iter().any(|&asked| asked != 0) {
            from.take_in(eye);
        }
    }
    for (column, eight) in gaze.targets.iter().enumerate() {
        let asked = seen.iter().skip(column).step_by(gaze.targets.len()).fold(0, |all, asked| all | asked);
        (0..8).filter(|target| asked >> target & 1 == 1).for_each(|target| to.take_in(eight.points[target]));
    }
    (from, to)
}

impl Solids {
    /// Tries what hid others. What the engine may have forgotten is never remembered.
    #[inline(always)]
    fn not_hidden_by_known<L: Lanes>(&self, eye: Vec3, eight: &Eight, obstacles: &mut Obstacles, asked: u8) -> u8 {
        let (mut seen, mut untried) = (asked, asked);
        while untried != 0 {
            let Some(child) = obstacles.0[untried.trailing_zeros() as usize & 7] else {
                untried &= untried - 1;
                continue;
            };
            let hidden = self.hidden_by::<L>(eye, eight, child, seen);
            seen &= !hidden;
            untried &= !(hidden | obstacles.with(child));
            obstacles.note(child, hidden);
        }
        seen
    }

    /// Looks past all that may stand between.
    #[inline(always)]
    fn not_hidden_in<L: Lanes>(
        &self,
        corridor: &Corridor,
        eye: Vec3,
        eight: &Eight,
        obstacles: &mut Obstacles,
        asked: u8,
    ) -> u8 {
        let bundle = Bundle::<L>::of(eye, eight);
        let (mut seen, mut doubtful) = (asked, 0);
        for near in &corridor.near {
            let met = bundle.meets(&near.bounds) & seen;
            if met == 0 {
                continue;
            }

            let hidden = self.hidden_by::<L>(eye, eight, near.child, met);
            if near.child.is_uncertain() {
                doubtful |= hidden;
                continue;
            }
            if hidden != 0 {
                obstacles.note(near.child, hidden);
                seen &= !hidden;
                if seen == 0 {
                    return 0;
                }
            }
        }
        obstacles.forget(seen);
        if doubtful & seen == 0 { seen } else { self.not_hidden_by_tree(corridor.mask, eye, eight, doubtful, seen) }
    }

    #[cold]
    fn not_hidden_by_tree(&self, mask: Contents, eye: Vec3, eight: &Eight, doubtful: u8, seen: u8) -> u8 {
        let is_hidden = |target: &usize| {
            let nearest = self.ask_tree(&Sweep::ray(eye, eight.points[*target], mask));
            nearest.fraction < 1.0 || nearest.start_solid
        };
        let hidden = (0..8).filter(|target| doubtful >> target & 1 == 1).filter(is_hidden);
        hidden.fold(seen, |seen, target| seen & !(1 << target))
    }

    /// Which of eight a solid hides.
    #[inline(always)]
    fn hidden_by<L: Lanes>(&self, eye: Vec3, eight: &Eight, child: Child, asked: u8) -> u8 {
        let planes = &self.groups[child.group_range()];
        if !child.is_facet() {
            return clip_eight::<L>(planes, child.plane_count(), eye, eight, asked).met;
        }
        let mut hidden = 0;
        for target in 0..8 {
            if asked >> target & 1 == 1 {
                let moving = Moving::of_point(&Sweep::ray(eye, eight.points[target], Contents::NONE));
                hidden |= u8::from(clip_child::<L>(&self.groups, &moving, child, 1.0) != Clip::Miss) << target;
            }
        }
        hidden
    }
}

/// The ways from an eye to eight points, divided out for the slab test of every box.
pub(super) struct Bundle<L: Lanes> {
    eye: Vec3,
    inverse: [L::F; 3],
}

impl<L: Lanes> Bundle<L> {
    #[inline(always)]
    pub(super) fn of(eye: Vec3, eight: &Eight) -> Bundle<L> {
        let inverse = [inverse::<L>(eye.x, &eight.x), inverse::<L>(eye.y, &eight.y), inverse::<L>(eye.z, &eight.z)];
        Bundle { eye, inverse }
    }

    /// Which of the eight rays meet a box.
    #[inline(always)]
    pub(super) fn meets(&self, bounds: &Bounds) -> u8 {
        let ((near_x, far_x), (near_y, far_y)) = (self.along(bounds, 0), self.along(bounds, 1));
        let (near_z, far_z) = self.along(bounds, 2);
        let near = L::max(L::max(near_x, near_y), L::max(near_z, L::splat(0.0)));
        let far = L::min(L::min(far_x, far_y), L::min(far_z, L::splat(1.0)));
        L::bits(L::le(near, far)) as u8
    }

    #[inline(always)]
    fn along(&self, bounds: &Bounds, axis: usize) -> (L::F, L::F) {
        let low = L::mul(L::splat(bounds.mins[axis] - self.eye[axis]), self.inverse[axis]);
        let high = L::mul(L::splat(bounds.maxs[axis] - self.eye[axis]), self.inverse[axis]);
        (L::min(low, high), L::max(low, high))
    }
}

/// One over the ways along an axis; not infinite where nothing moves, since zero times infinity would be no number.
#[inline(always)]
fn inverse<L: Lanes>(from: f32, to: &[f32; 8]) -> L::F {
    let way = L::sub(L::load(to), L::splat(from));
    let is_still = L::and(L::le(way, L::splat(1e-20)), L::ge(way, L::splat(-1e-20)));
    L::select(is_still, L::splat(1e20), L::div(L::splat(1.0), way))
}

/// What a brush does to eight rays.
pub(super) struct Clipped {
    /// Those it is in the way of, at the very start too: what an eye does not see past.
    pub(super) met: u8,
    /// Those that do not get all the way: those that begin inside and get out do.
    pub(super) stopped: u8,
}

/// Clips eight rays by a brush: [`super::clip::clip`] with a ray in each lane instead of a plane, the same operations in the
/// same order, so that the answers are the same.
#[inline(always)]
pub(super) fn clip_eight<L: Lanes>(
    groups: &[PlaneGroup],
    count: usize,
    eye: Vec3,
    eight: &Eight,
    asked: u8,
) -> Clipped {
    let (x, y, z) = (L::load(&eight.x), L::load(&eight.y), L::load(&eight.z));
    let (zero, gap, one) = (L::splat(0.0), L::splat(SURFACE_GAP), L::splat(1.0));
    let (mut enter, mut leave) = (L::splat(-1.0), one);
    let mut starts_out = false;
    let mut rest = u32::from(asked);
    let mut ends_out = 0;
    for plane in 0..count {
        let (group, lane) = (&groups[plane / 8], plane % 8);
        let (normal, dist) = (group.normal(lane), group.dist[lane]);
        let start = (eye.z * normal.z - dist) + (eye.x * normal.x + eye.y * normal.y);
        let end_xy = L::add(L::mul(x, L::splat(normal.x)), L::mul(y, L::splat(normal.y)));
        let d2 = L::add(L::sub(L::mul(z, L::splat(normal.z)), L::splat(dist)), end_xy);
        let d1 = L::splat(start);
        let span = L::sub(d1, d2);
        if start > 0.0 {
            starts_out = true;
            rest &= !L::bits(L::or(L::ge(d2, gap), L::ge(d2, d1)));
            if rest == 0 {
                return Clipped { met: 0, stopped: 0 };
            }
            let fractions = L::max(L::div(L::sub(d1, gap), span), zero);
            // Whatever does not come nearer is clear.
            enter = L::max(enter, fractions);
        } else {
            // Behind this plane at first: it can only be left through it.
            let outwards = L::gt(d2, zero);
            let out = L::bits(outwards) & rest;
            ends_out |= out;
            if out != 0 {
                let fractions = L::min(L::div(L::add(d1, gap), span), one);
                leave = L::min(leave, L::select(outwards, fractions, one));
            }
        }
    }
    if !starts_out {
        return Clipped { met: asked, stopped: asked & !(ends_out as u8) };
    }
    let entered = L::and(L::gt(leave, enter), L::and(L::gt(enter, L::splat(-1.0)), L::le(enter, one)));
    let met = L::bits(entered) & rest;
    Clipped { met: met as u8, stopped: (met & !L::bits(L::ge(enter, one))) as u8 }
}
