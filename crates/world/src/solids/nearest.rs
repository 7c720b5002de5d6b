//! What was met first: the state of a search while it looks at one solid after another.
//!
//! The engine stops looking once something is in the way at the very start, so its answer there depends on which solid
//! it looks at first. Solids are laid out in the order it lists them, and ties go to the earlier one.

use super::boxes::{Child, Visit};
use super::clip::{Clip, Moving, PlaneGroup, clip, clip_facet, contains_box, pierce};
use super::simd::{Lanes, Path, Work};

/// The first thing met, and whether the path began inside something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    pub(crate) fraction: f32,
    /// The plane that was met: eight times its group plus its lane; meaningless while nothing was.
    pub(crate) plane: u32,
    pub(crate) start_solid: bool,
    pub(crate) all_solid: bool,
}

/// A search for one answer while it looks at solid after solid.
pub(crate) trait Search<'a>: Visit {
    fn new(groups: &'a [PlaneGroup]) -> Self;
    /// How much of the path still has to be looked at; negative if none.
    fn limit(&self) -> f32;
    /// Whether only the engine's own tree can give the answer.
    fn is_doubtful(&self) -> bool;
}

/// Clips one solid by the rule for its kind.
#[inline(always)]
pub(super) fn clip_child<L: Lanes>(groups: &[PlaneGroup], moving: &Moving, child: Child, limit: f32) -> Clip {
    let planes = &groups[child.group_range()];
    if !child.is_facet() {
        return clip::<L>(planes, moving, limit);
    }
    if moving.is_point {
        return match pierce::<L>(planes, moving) {
            Some((met, fraction)) if met <= limit => Clip::Enter { fraction, plane: 0 },
            _ => Clip::Miss,
        };
    }
    if moving.start == moving.end {
        return if contains_box::<L>(planes, moving) { Clip::AllInside } else { Clip::Miss };
    }
    // A facet has no inside, and its back, the last plane, lets everything through.
    match clip_facet::<L>(planes, moving, limit) {
        Clip::Enter { plane, .. } if plane as usize + 1 == child.plane_count() => Clip::Miss,
        Clip::StartInside | Clip::AllInside => Clip::Miss,
        met => met,
    }
}

/// Searches a hierarchy for the first thing in the way.
#[derive(Debug)]
pub(crate) struct Closest<'a> {
    groups: &'a [PlaneGroup],
    fraction: f32,
    plane: u32,
    /// First group of the earliest solid that the path begins inside and leaves.
    inside_first: u32,
    is_all_inside: bool,
    /// Where the first solid was met that the engine may not know of there.
    doubt: f32,
}

impl<'a> Search<'a> for Closest<'a> {
    #[inline(always)]
    fn new(groups: &'a [PlaneGroup]) -> Closest<'a> {
        let far = u32::MAX;
        Closest { groups, fraction: 1.0, plane: far, inside_first: far, is_all_inside: false, doubt: f32::INFINITY }
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.fraction
    }

    #[inline(always)]
    fn is_doubtful(&self) -> bool {
        self.doubt <= self.fraction
    }
}

impl Closest<'_> {
    #[inline(always)]
    pub(crate) fn nearest(&self) -> Nearest {
        let stops_at_once = self.fraction == 0.0;
        let inside = self.inside_first != u32::MAX && (!stops_at_once || self.inside_first < self.plane >> 3);
        Nearest {
            fraction: self.fraction,
            plane: self.plane,
            start_solid: self.is_all_inside || inside,
            all_solid: self.is_all_inside,
        }
    }
}

impl Visit for Closest<'_> {
    #[inline(always)]
    fn solid<L: Lanes>(&mut self, moving: &Moving, child: Child) -> f32 {
        let met = clip_child::<L>(self.groups, moving, child, self.fraction);
        let first = child.group_first() as u32;
        match met {
            Clip::Miss => {}
            Clip::Enter { fraction, .. } if child.is_uncertain() => self.doubt = self.doubt.min(fraction),
            Clip::StartInside | Clip::AllInside if child.is_uncertain() => self.doubt = 0.0,
            Clip::Enter { fraction, plane } => {
                if fraction < self.fraction || (fraction == self.fraction && first < self.plane >> 3) {
                    self.fraction = fraction;
                    self.plane = first * 8 + plane;
                    self.is_all_inside = false;
                }
            }
            Clip::StartInside => self.inside_first = self.inside_first.min(first),
            Clip::AllInside => {
                if self.fraction > 0.0 || first < self.plane >> 3 {
                    self.fraction = 0.0;
                    self.plane = first * 8;
                    self.is_all_inside = true;
                }
            }
        }
        self.fraction
    }
}

/// Searches a hierarchy for anything in the way.
#[derive(Debug)]
pub(crate) struct Any<'a> {
    groups: &'a [PlaneGroup],
    met: Option<Child>,
    is_doubtful: bool,
}

impl Any<'_> {
    /// What was in the way.
    #[inline(always)]
    pub(crate) fn met(&self) -> Option<Child> {
        self.met
    }
}

impl<'a> Search<'a> for Any<'a> {
    #[inline(always)]
    fn new(groups: &'a [PlaneGroup]) -> Any<'a> {
        Any { groups, met: None, is_doubtful: false }
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        if self.met.is_some() { -1.0 } else { 1.0 }
    }

    #[inline(always)]
    fn is_doubtful(&self) -> bool {
        self.is_doubtful && self.met.is_none()
    }
}

impl Visit for Any<'_> {
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
        self.met = Some(child);
        -1.0
    }
}

/// Looks at solids in the order the engine does, and stops where it stops.
#[derive(Debug)]
pub(crate) struct InOrder<'a> {
    path: Path,
    groups: &'a [PlaneGroup],
    moving: &'a Moving,
    nearest: Nearest,
}

impl<'a> InOrder<'a> {
    pub(crate) fn new(path: Path, groups: &'a [PlaneGroup], moving: &'a Moving) -> InOrder<'a> {
        let nearest = Nearest { fraction: 1.0, plane: u32::MAX, start_solid: false, all_solid: false };
        InOrder { path, groups, moving, nearest }
    }

    pub(crate) fn fraction(&self) -> f32 {
        self.nearest.fraction
    }

    pub(crate) fn into_nearest(self) -> Nearest {
        self.nearest
    }

    pub(crate) fn solid(&mut self, child: Child) {
        let first = child.group_first() as u32;
        let one = ClipOne { groups: self.groups, moving: self.moving, child, limit: self.nearest.fraction };
        match self.path.run(one) {
            Clip::Miss => {}
            Clip::Enter { fraction, plane } => {
                if fraction < self.nearest.fraction {
                    self.nearest.fraction = fraction;
                    self.nearest.plane = first * 8 + plane;
                }
            }
            Clip::StartInside => self.nearest.start_solid = true,
            Clip::AllInside => {
                self.nearest = Nearest { fraction: 0.0, plane: first * 8, start_solid: true, all_solid: true };
            }
        }
    }
}

/// One solid, clipped from code that is not compiled for the path itself.
struct ClipOne<'a> {
    groups: &'a [PlaneGroup],
    moving: &'a Moving,
    child: Child,
    limit: f32,
}

impl Work for ClipOne<'_> {
    type Output = Clip;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Clip {
        clip_child::<L>(self.groups, self.moving, self.child, self.limit)
    }
}
