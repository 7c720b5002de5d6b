//! Many looks from one place: which of these points are seen from here?
//!
//! What is asked is what [`Solids::is_clear`] is asked, and the answers are the same. But a wall that is in the way of one
//! ray is in the way of most rays beside it, so whatever stopped the last ray towards a point is tried first, then
//! whatever stopped the ray before this one: for most pairs that see each other not, that is all.
//!
//! After E. Haines, D. Greenberg, "The light buffer: a shadow-testing accelerator", IEEE Computer Graphics and
//! Applications 6, 1986, where each light keeps the object that shaded last.

use glam::Vec3;

use super::boxes::{Child, Visit};
use super::clip::{Clip, Moving, PlaneGroup};
use super::nearest::{Search, clip_child};
use super::simd::{Lanes, Work};
use super::{Along, Among, Down, Look, POINT, Solids, Way};
use crate::contents::Contents;
use crate::trace::Sweep;

/// What was in the way of a ray. It is of use only to the solids and the mask it was found with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Obstacle(Option<Child>);

/// From where, through what, towards which points.
#[derive(Clone, Copy, Debug)]
pub struct Gaze<'a> {
    pub eye: Vec3,
    pub targets: &'a [Vec3],
    pub mask: Contents,
}

impl Solids {
    /// Clears the bits of all targets that are not seen; those whose bit is not set are not looked at. `obstacles` has one
    /// a target, to be kept for the next gaze at the same targets: it saves work and changes no answer.
    pub fn gaze(&self, gaze: &Gaze<'_>, obstacles: &mut [Obstacle], seen: &mut [u64]) {
        self.path.run(Gazing { solids: self, gaze, obstacles, seen });
    }
}

struct Gazing<'a, 'b> {
    solids: &'a Solids,
    gaze: &'a Gaze<'a>,
    obstacles: &'b mut [Obstacle],
    seen: &'b mut [u64],
}

impl Work for Gazing<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Gazing { solids, gaze, obstacles, seen } = self;
        let mut last = Obstacle::default();
        for (index, word) in seen.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let target = index * 64 + rest.trailing_zeros() as usize;
                let sweep = Sweep::ray(gaze.eye, gaze.targets[target], gaze.mask);
                if solids.is_hidden::<L>(&sweep, &mut obstacles[target], &mut last) {
                    *word &= !(rest & rest.wrapping_neg());
                }
                rest &= rest - 1;
            }
        }
    }
}

impl Solids {
    #[inline(always)]
    fn is_hidden<L: Lanes>(&self, sweep: &Sweep, here: &mut Obstacle, last: &mut Obstacle) -> bool {
        let moving = Moving::shaped::<POINT>(sweep);
        if self.is_met::<L>(&moving, *here) {
            *last = *here;
            return true;
        }
        if here != last && self.is_met::<L>(&moving, *last) {
            *here = *last;
            return true;
        }
        let among = Among { solids: self, sweep, crowd: &[] };
        let (found, look): (Found<'_>, Look) =
            if self.is_open { Down::<POINT>.search::<L, _>(&among) } else { Along.search::<L, _>(&among) };
        if found.obstacle.0.is_some() {
            (*here, *last) = (found.obstacle, found.obstacle);
        }
        match look {
            Look::Blocked => true,
            Look::Clear | Look::Crowded => false,
            Look::Doubtful => self.is_stopped_by_tree(sweep),
        }
    }

    #[inline(always)]
    fn is_met<L: Lanes>(&self, moving: &Moving, obstacle: Obstacle) -> bool {
        match obstacle.0 {
            Some(child) => clip_child::<L>(&self.groups, moving, child, 1.0) != Clip::Miss,
            None => false,
        }
    }

    #[cold]
    fn is_stopped_by_tree(&self, sweep: &Sweep) -> bool {
        let nearest = self.ask_tree(sweep);
        nearest.fraction < 1.0 || nearest.start_solid
    }
}

/// Searches for anything in the way that is in the way for certain, and remembers it.
struct Found<'a> {
    groups: &'a [PlaneGroup],
    obstacle: Obstacle,
    is_doubtful: bool,
}

impl<'a> Search<'a> for Found<'a> {
    #[inline(always)]
    fn new(groups: &'a [PlaneGroup]) -> Found<'a> {
        Found { groups, obstacle: Obstacle(None), is_doubtful: false }
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        if self.obstacle.0.is_some() { -1.0 } else { 1.0 }
    }

    #[inline(always)]
    fn is_doubtful(&self) -> bool {
        self.is_doubtful && self.obstacle.0.is_none()
    }
}

impl Visit for Found<'_> {
    const SHORTENS: bool = false;

    #[inline(always)]
    fn solid<L: Lanes>(&mut self, moving: &Moving, child: Child) -> f32 {
        if clip_child::<L>(self.groups, moving, child, 1.0) == Clip::Miss {
            return 1.0;
        }
        if child.is_uncertain() {
            self.is_doubtful = true;
            return 1.0;
        }
        self.obstacle = Obstacle(Some(child));
        -1.0
    }
}
