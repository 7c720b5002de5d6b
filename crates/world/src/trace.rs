//! What is asked of a map and what it answers: sweeps, traces, and scenes in which doors and bodies stand.

use glam::Vec3;

use crate::contents::{Contents, SurfaceFlags};
use crate::crowd::{self, Crowd, Standing};
use crate::solids::{Blocker, Look, Reached, Solids};
use crate::units::{BrushId, EntityId, ModelId, PatchId};

/// An upright box around a point that moves: a player's body, a grenade, or (all zero) a bullet.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Hull {
    pub mins: Vec3,
    pub maxs: Vec3,
}

impl Hull {
    pub const POINT: Hull = Hull { mins: Vec3::ZERO, maxs: Vec3::ZERO };

    pub const fn new(mins: Vec3, maxs: Vec3) -> Hull {
        Hull { mins, maxs }
    }

    /// Whether it has no extent at all. By bits, so that there is one branch and not six; a zero may be negative.
    #[inline]
    pub(crate) fn is_point(&self) -> bool {
        let bits = |v: Vec3| v.x.to_bits() | v.y.to_bits() | v.z.to_bits();
        (bits(self.mins) | bits(self.maxs)) << 1 == 0
    }
}

/// A question: what stops this hull on its way?
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    pub start: Vec3,
    pub end: Vec3,
    pub hull: Hull,
    pub mask: Contents,
}

impl Sweep {
    pub const fn ray(start: Vec3, end: Vec3, mask: Contents) -> Sweep {
        Sweep { start, end, hull: Hull::POINT, mask }
    }

    pub const fn hull(start: Vec3, end: Vec3, hull: Hull, mask: Contents) -> Sweep {
        Sweep { start, end, hull, mask }
    }
}

/// An upright box in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub mins: Vec3,
    pub maxs: Vec3,
}

impl Bounds {
    /// Around nothing.
    pub const EMPTY: Bounds = Bounds { mins: Vec3::INFINITY, maxs: Vec3::NEG_INFINITY };

    /// Grows until it holds a point.
    #[inline]
    pub fn take_in(&mut self, point: Vec3) {
        *self = Bounds { mins: self.mins.min(point), maxs: self.maxs.max(point) };
    }

    /// Whether two boxes have a point in common. All comparisons and one branch: on which side of a box another lies is
    /// as good as chance, and branches on chance cost more than what they skip.
    #[inline]
    pub fn meets(&self, other: &Bounds) -> bool {
        let apart = |axis: usize| (self.mins[axis] > other.maxs[axis]) | (self.maxs[axis] < other.mins[axis]);
        !(apart(0) | apart(1) | apart(2))
    }
}

impl Sweep {
    /// The box around the whole way, with a unit to spare as the engine has it when it looks for entities.
    fn bounds(&self) -> Bounds {
        let mins = self.start.min(self.end) + self.hull.mins - Vec3::ONE;
        Bounds { mins, maxs: self.start.max(self.end) + self.hull.maxs + Vec3::ONE }
    }
}

/// What a sweep ended at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Struck {
    #[default]
    Nothing,
    Brush(BrushId),
    Patch(PatchId),
    /// A player, or whatever else a game gave as a plain box.
    Body,
}

/// The answer to a [`Sweep`].
///
/// With `start_solid` the hull began inside something; with `all_solid` it never got out, and `fraction` is 0.
/// `normal`, `surface`, `contents` describe what was struck and are zero when nothing was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trace {
    /// How much of the way was free, 0 to 1; the hull stops 1/8 unit short of what it strikes.
    pub fraction: f32,
    pub end: Vec3,
    pub normal: Vec3,
    /// Distance of the struck plane from the origin along `normal`.
    pub dist: f32,
    pub surface: SurfaceFlags,
    pub contents: Contents,
    pub start_solid: bool,
    pub all_solid: bool,
    pub struck: Struck,
    /// The mover or body that was struck; none when it is the map itself.
    pub entity: Option<EntityId>,
}

impl Trace {
    /// A sweep that met nothing on its way to `end`.
    pub const fn free(end: Vec3) -> Trace {
        Trace {
            fraction: 1.0,
            end,
            normal: Vec3::ZERO,
            dist: 0.0,
            surface: SurfaceFlags::NONE,
            contents: Contents::NONE,
            start_solid: false,
            all_solid: false,
            struck: Struck::Nothing,
            entity: None,
        }
    }

    pub fn is_hit(&self) -> bool {
        self.fraction < 1.0 || self.start_solid
    }
}

/// A brush model standing somewhere: a door half open, a lift on its way up, a turning blade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    pub model: ModelId,
    pub entity: EntityId,
    pub origin: Vec3,
    /// Pitch, yaw and roll in degrees.
    pub angles: Vec3,
    /// What it counts as in a mask before its own brushes are looked at; a door counts as everything.
    pub contents: Contents,
}

/// A box that stands in the way: a player, as the engine links it into the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    pub entity: EntityId,
    pub origin: Vec3,
    pub hull: Hull,
    pub contents: Contents,
}

impl Body {
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { mins: self.origin + self.hull.mins, maxs: self.origin + self.hull.maxs }
    }
}

/// The map with everything that moves put where it is now (or is believed to be).
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub solids: &'a Solids,
    pub crowd: &'a Crowd,
}

impl<'a> Scene<'a> {
    /// The bare map: nothing moves in it.
    pub fn of(solids: &'a Solids) -> Scene<'a> {
        Scene { solids, crowd: &crowd::NOBODY }
    }

    /// What stops this hull: the map, a mover or a body, whichever comes first. `pass` is not in its own way.
    #[inline]
    pub fn sweep(&self, sweep: &Sweep, pass: Option<EntityId>) -> Trace {
        // One variable and one way out, so that the answer is written where the caller wants it and never copied: a copy
        // right after writing costs as much as half the sweep of a grenade's step.
        let mut is_crowded = false;
        let mut trace = self.solids.sweep_among(sweep, self.crowd.boxes(), &mut is_crowded);
        if is_crowded {
            self.meet_crowd(&mut trace, sweep, pass);
        }
        trace
    }

    /// Lets everything that stands on the way shorten it further.
    #[cold]
    fn meet_crowd(&self, trace: &mut Trace, sweep: &Sweep, pass: Option<EntityId>) {
        // Blocked at once by the map: the engine does not look at entities then.
        if trace.fraction == 0.0 {
            return;
        }
        for standing in self.crowd.standing_in(sweep.bounds()) {
            let (entity, contents) = match standing {
                Standing::Mover(placed) => (placed.entity, placed.contents),
                Standing::Body(body) => (body.entity, body.contents),
            };
            if !contents.meets(sweep.mask) || Some(entity) == pass {
                continue;
            }
            let met = match standing {
                Standing::Mover(placed) => self.solids.sweep_placed(placed, sweep),
                Standing::Body(body) => crate::solids::sweep_body(body, sweep),
            };
            trace.keep_nearer(met, entity);
            if trace.all_solid {
                return;
            }
        }
    }

    /// Whether nothing at all is in the way.
    #[inline]
    pub fn is_clear(&self, sweep: &Sweep, pass: Option<EntityId>) -> bool {
        match self.solids.look_among(sweep, self.crowd.boxes()) {
            Look::Clear => true,
            Look::Blocked => false,
            Look::Crowded | Look::Doubtful => self.is_clear_of_crowd(sweep, pass),
        }
    }

    /// The same for who asks again and again along nearly the same way: what is in the way is found at once if it is what was
    /// in the way before. The answer is that of [`Scene::is_clear`], whatever `known` holds.
    #[inline]
    pub fn is_still_clear(&self, sweep: &Sweep, pass: Option<EntityId>, known: &mut Blocker) -> bool {
        match self.solids.look_again_among(sweep, self.crowd.boxes(), known) {
            Look::Clear => true,
            Look::Blocked => false,
            Look::Crowded | Look::Doubtful => self.is_clear_of_crowd(sweep, pass),
        }
    }

    #[cold]
    fn is_clear_of_crowd(&self, sweep: &Sweep, pass: Option<EntityId>) -> bool {
        let mut trace = Trace::free(sweep.end);
        self.meet_crowd(&mut trace, sweep, pass);
        !trace.is_hit()
    }

    /// Which of some points, sixteen at most, rays from one place get all the way to, one bit each: what begins inside of
    /// something does, if it gets out. As many sweeps would say, in the time of two or three if the points lie together.
    pub fn burst(&self, from: Vec3, points: &[Vec3], mask: Contents) -> u32 {
        let Reached { reached, doubtful } = self.solids.burst(from, points, mask, self.crowd.boxes());
        let is_asked = |point: &usize| doubtful >> point & 1 == 1;
        let gets_there = |point: &usize| self.sweep(&Sweep::ray(from, points[*point], mask), None).fraction == 1.0;
        let asked = (0..points.len()).filter(is_asked).filter(gets_there);
        asked.fold(reached, |reached, point| reached | 1 << point)
    }

    /// What fills this point: the map's own contents and those of movers.
    pub fn contents_at(&self, point: Vec3, pass: Option<EntityId>) -> Contents {
        let mut contents = self.solids.contents_at(point);
        for placed in self.crowd.placed() {
            if Some(placed.entity) != pass {
                contents |= self.solids.contents_at_placed(placed, point);
            }
        }
        contents
    }

    /// Whether something of `mask` fills a point.
    pub fn has_contents_at(&self, point: Vec3, mask: Contents, pass: Option<EntityId>) -> bool {
        let here = Bounds { mins: point, maxs: point };
        let fills = |placed: &Placed| {
            // A box is exact only for what is not turned.
            let may_fill = placed.angles != Vec3::ZERO || here.meets(&self.solids.placed_bounds(placed));
            Some(placed.entity) != pass && may_fill && self.solids.contents_at_placed(placed, point).meets(mask)
        };
        self.solids.has_contents_at(point, mask) || self.crowd.placed().iter().any(fills)
    }
}

impl Trace {
    fn keep_nearer(&mut self, other: Trace, entity: EntityId) {
        let started_solid = self.start_solid;
        if other.all_solid {
            self.all_solid = true;
            self.entity = Some(entity);
        } else if other.start_solid {
            self.start_solid = true;
            self.entity = Some(entity);
        }
        if other.fraction < self.fraction {
            *self = Trace { start_solid: started_solid | other.start_solid, entity: Some(entity), ..other };
        }
    }
}
