//! A thrown or launched thing on its way: from the hand, over bounces, to where and when it goes off.
//!
//! In: who throws and how ([`Thrower`], [`Throw`]), the throwable's numbers, the scene. Out: a [`Trajectory`] in a buffer
//! the caller keeps, or only its [`Ending`]; neither allocates once the buffer has grown.
//!
//! Two kernels. [`quake3`] is OpenArena's, bit for bit: one straight trace a frame, integer places and velocities, a
//! bounce that costs the rest of its frame. [`quake2`] is for our own games: contacts inside a frame, half of the
//! velocity along the normal comes back, friction on the ground. Both take the frame length as a parameter.
//!
//! Not here: what the explosion does (`blast`), which throw to choose. Cost: one trace a frame; nothing else counts.

use glam::Vec3;

use crate::contents::Contents;
use crate::game::{Game, Impact, MissileKernel, Throwable};
use crate::maths;
use crate::trace::{Scene, Struck, Sweep, Trace};
use crate::units::{EntityId, Time};

mod quake2;
mod quake3;

/// Whose hand, and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thrower {
    /// The player's origin (the middle of his box in plan, 24 above his feet in Quake III).
    pub origin: Vec3,
    /// Of the eye above the origin.
    pub view_height: f32,
    pub velocity: Vec3,
    /// Not in the way of his own missile.
    pub entity: Option<EntityId>,
}

/// What a hand does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throw {
    /// Degrees, counter-clockwise from x.
    pub yaw: f32,
    /// Degrees, positive downwards.
    pub pitch: f32,
    /// One of the throwable's speeds, or any other.
    pub speed: f32,
    /// How long the fuse has burnt in the hand.
    pub cooked_ms: i32,
}

/// A missile leaving: all that its flight depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Launch {
    pub time: Time,
    pub muzzle: Vec3,
    pub velocity: Vec3,
    pub fuse_ms: i32,
    pub owner: Option<EntityId>,
}

/// By which rule and in which steps a missile flies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlightRules {
    pub kernel: MissileKernel,
    pub frame_ms: i32,
}

/// A contact that reflects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounce {
    /// The frame it happened in.
    pub time: Time,
    pub point: Vec3,
    pub normal: Vec3,
    /// Velocity afterwards; zero if it stays there.
    pub velocity: Vec3,
    /// The door or lift it bounced off; none for the map.
    pub entity: Option<EntityId>,
}

/// Why a flight was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    Fuse,
    /// It struck what it explodes on: a body, or anything if it has an impact fuse.
    Impact,
    /// It met the sky, or a surface the map's author marked as leaving no trace.
    Gone,
}

/// Where, when and why it was over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    pub reason: EndReason,
    pub time: Time,
    /// Where it explodes (or vanished).
    pub place: Vec3,
    /// What it struck, if that ended it.
    pub entity: Option<EntityId>,
    pub bounces: u32,
    pub rested: bool,
}

/// Who says what stops a missile: our own scene, or a running engine beside which it is measured.
pub trait Tracer: Sized {
    fn sweep(&self, sweep: &Sweep, pass: Option<EntityId>) -> Trace;

    /// Carries out a flight that asks again and again; our own scene does so inside the routine that answers.
    fn carry<F: Flight>(&self, flight: F) -> F::Output {
        flight.run(self)
    }
}

/// A flight that any tracer can carry out. `run` must be `#[inline(always)]`, and so must be whatever of it asks: or it
/// would not be compiled with the instructions of the routine it becomes part of.
pub trait Flight {
    type Output;
    fn run<T: Tracer>(self, tracer: &T) -> Self::Output;
}

impl Tracer for Scene<'_> {
    #[inline]
    fn sweep(&self, sweep: &Sweep, pass: Option<EntityId>) -> Trace {
        Scene::sweep(self, sweep, pass)
    }

    fn carry<F: Flight>(&self, flight: F) -> F::Output {
        self.solids.carry(self, flight)
    }
}

/// What is flown through: the scene, and which of its movers a missile explodes on.
#[derive(Clone, Copy, Debug)]
pub struct Air<'a, T = Scene<'a>> {
    pub scene: T,
    /// Doors and the like that a shot opens or breaks; bodies need no mention.
    pub shootable: &'a [EntityId],
}

/// A flight written down: where it was after each frame, and every bounce.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// The muzzle, then its place at the end of each frame while it moved.
    pub points: Vec<Vec3>,
    pub bounces: Vec<Bounce>,
    /// Where it came to lie, if it did before it went off.
    pub rest: Option<Bounce>,
}

impl Throwable {
    /// The launch that a throw becomes.
    pub fn launch(&self, thrower: &Thrower, throw: &Throw, now: Time) -> Launch {
        let forward = maths::game_axes(throw.pitch, throw.yaw, 0.0).forward;
        // OpenArena aims from the integer place its clients are told, not from the exact one.
        let mut muzzle = self.cut(thrower.origin);
        muzzle.z += thrower.view_height + self.muzzle_up;
        muzzle = self.cut(muzzle + forward * self.muzzle_forward);
        let mut direction = forward;
        if self.upward_bias != 0.0 {
            direction.z += self.upward_bias;
            direction = normalize(direction);
        }
        let mut velocity = self.cut(normalize(direction) * throw.speed);
        if self.inherits_velocity {
            velocity += thrower.velocity;
        }
        Launch { time: now, muzzle, velocity, fuse_ms: self.fuse_ms - throw.cooked_ms, owner: thrower.entity }
    }

    /// Whether two things thrown alike go the same way: one table of throws is then for both.
    pub fn flies_like(&self, other: &Throwable) -> bool {
        let numbers = |of: &Throwable| {
            let places = [of.upward_bias, of.muzzle_forward, of.muzzle_up, of.half_width];
            let forces = [of.gravity, of.friction, of.rest_speed, of.deviation_speed, of.deviation_degrees];
            (places, forces, of.bounce, of.rest_normal, [of.prestep_ms, of.fuse_ms, of.arming_ms])
        };
        self.speeds == other.speeds
            && self.impact == other.impact
            && (self.cut_to_integers, self.inherits_velocity) == (other.cut_to_integers, other.inherits_velocity)
            && numbers(self) == numbers(other)
    }

    /// Towards zero, if this throwable's game does so.
    fn cut(&self, v: Vec3) -> Vec3 {
        if self.cut_to_integers { v.trunc() } else { v }
    }
}

impl Game {
    pub fn flight_rules(&self) -> FlightRules {
        FlightRules { kernel: self.rules.kernels.missile, frame_ms: self.rules.frame_ms }
    }
}

impl<'a> From<Scene<'a>> for Air<'a> {
    /// A scene in which nothing but bodies makes a grenade go off early.
    fn from(scene: Scene<'a>) -> Air<'a> {
        Air { scene, shootable: &[] }
    }
}

/// Flies to the end and writes it all down in `trajectory`, which is cleared first. Nothing in the scene moves
/// meanwhile; where doors do, step a [`Missile`].
pub fn fly(
    launch: &Launch,
    throwable: &Throwable,
    rules: FlightRules,
    air: &Air<'_, impl Tracer>,
    trajectory: &mut Trajectory,
) -> Ending {
    trajectory.clear(launch.muzzle);
    let mut missile = Missile::new(*launch, throwable, rules);
    loop {
        let ending = missile.step(air, &mut |bounce| trajectory.bounces.push(bounce));
        trajectory.points.push(missile.place());
        if let Some(ending) = ending.or_else(|| missile.lie_until_fuse()) {
            trajectory.rest = trajectory.bounces.last().filter(|_| ending.rested).copied();
            return ending;
        }
    }
}

/// Flies to the end and keeps nothing but that.
pub fn fly_to_end(launch: &Launch, throwable: &Throwable, rules: FlightRules, air: &Air<'_, impl Tracer>) -> Ending {
    fly_noting(launch, throwable, rules, air, |_| ())
}

/// Flies to the end and tells of every bounce on the way: the inner loop of a bake.
pub fn fly_noting(
    launch: &Launch,
    throwable: &Throwable,
    rules: FlightRules,
    air: &Air<'_, impl Tracer>,
    note: impl FnMut(Bounce),
) -> Ending {
    let missile = Missile::new(*launch, throwable, rules);
    air.scene.carry(ToEnd { missile, shootable: air.shootable, note })
}

struct ToEnd<'a, N> {
    missile: Missile<'a>,
    shootable: &'a [EntityId],
    note: N,
}

impl<N: FnMut(Bounce)> Flight for ToEnd<'_, N> {
    type Output = Ending;

    #[inline(always)]
    fn run<T: Tracer>(self, tracer: &T) -> Ending {
        let ToEnd { mut missile, shootable, mut note } = self;
        loop {
            let ending = missile.advance(tracer, shootable, &mut note);
            if let Some(ending) = ending.or_else(|| missile.lie_until_fuse()) {
                return ending;
            }
        }
    }
}

impl Trajectory {
    fn clear(&mut self, muzzle: Vec3) {
        self.points.clear();
        self.points.push(muzzle);
        self.bounces.clear();
        self.rest = None;
    }
}

/// Many throws from one place: every yaw with every pitch and speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fan<'a> {
    /// First yaw, and the whole angle the fan opens to the left; 360 closes the circle.
    pub yaw_first: f32,
    pub yaw_span: f32,
    pub yaw_count: u32,
    /// From the highest (most negative) pitch to the lowest.
    pub pitch_first: f32,
    pub pitch_last: f32,
    pub pitch_count: u32,
    pub speeds: &'a [f32],
}

impl<'a> Fan<'a> {
    pub fn throws(self) -> impl Iterator<Item = Throw> + 'a {
        let pitch_step = (self.pitch_last - self.pitch_first) / self.pitch_count.saturating_sub(1).max(1) as f32;
        let yaw_step = self.yaw_span / self.yaw_count.max(1) as f32;
        (0..self.yaw_count).flat_map(move |yaw| {
            (0..self.pitch_count).flat_map(move |pitch| {
                self.speeds.iter().map(move |speed| Throw {
                    yaw: self.yaw_first + yaw_step * yaw as f32,
                    pitch: self.pitch_first + pitch_step * pitch as f32,
                    speed: *speed,
                    cooked_ms: 0,
                })
            })
        })
    }
}

/// A missile in the air, moved frame by frame while doors open and bodies run.
#[derive(Clone, Copy, Debug)]
pub struct Missile<'t> {
    throwable: &'t Throwable,
    course: Course,
}

/// All of a missile but its throwable: for a game that keeps missiles from frame to frame beside the tables they are
/// described in. [`Missile::resume`] takes it up again.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    frame_ms: i32,
    launch: Launch,
    /// End of the last frame it was moved through.
    now: Time,
    bounces: u32,
    flying: Flying,
}

#[derive(Clone, Copy, Debug)]
enum Flying {
    Quake3(quake3::Flying),
    Quake2(quake2::Flying),
}

/// How a kernel's frame went.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Aloft,
    Resting,
    Exploded { place: Vec3, entity: Option<EntityId> },
    FuseEnded { place: Vec3 },
    Gone,
}

impl<'t> Missile<'t> {
    pub fn new(launch: Launch, throwable: &'t Throwable, rules: FlightRules) -> Missile<'t> {
        let flying = match rules.kernel {
            MissileKernel::Quake3 => Flying::Quake3(quake3::Flying::new(&launch, throwable)),
            MissileKernel::Quake2 => Flying::Quake2(quake2::Flying::new(&launch)),
        };
        let now = launch.time + -rules.frame_ms;
        Missile { throwable, course: Course { frame_ms: rules.frame_ms, launch, now, bounces: 0, flying } }
    }

    /// A missile that flies on from where it was.
    pub fn resume(course: Course, throwable: &'t Throwable) -> Missile<'t> {
        Missile { throwable, course }
    }

    pub fn course(&self) -> Course {
        self.course
    }

    /// Where it is.
    pub fn place(&self) -> Vec3 {
        self.course.place()
    }

    pub fn is_resting(&self) -> bool {
        self.course.is_resting()
    }

    /// One game frame. The first is the frame of launching itself, as in the engine: what was fired in a frame has
    /// moved by its end. Returns how it ended, if it did.
    pub fn step(&mut self, air: &Air<'_, impl Tracer>, bounced: &mut impl FnMut(Bounce)) -> Option<Ending> {
        self.advance(&air.scene, air.shootable, bounced)
    }

    #[inline(always)]
    fn advance<T: Tracer>(
        &mut self,
        tracer: &T,
        shootable: &[EntityId],
        bounced: &mut impl FnMut(Bounce),
    ) -> Option<Ending> {
        let previous = self.course.now;
        self.course.now = previous + self.course.frame_ms;
        let mut count = self.course.bounces;
        let mut note = |bounce: Bounce| {
            count += 1;
            bounced(bounce);
        };
        let throwable = self.throwable;
        let step = Frame { tracer, shootable, throwable, launch: &self.course.launch, previous, now: self.course.now };
        let fate = match &mut self.course.flying {
            Flying::Quake3(flying) => flying.step(&step, &mut note),
            Flying::Quake2(flying) => flying.step(&step, &mut note),
        };
        self.course.bounces = count;
        match fate {
            Fate::Exploded { place, entity } => Some(self.ending(EndReason::Impact, place, entity)),
            Fate::FuseEnded { place } => Some(self.ending(EndReason::Fuse, place, None)),
            Fate::Gone => Some(self.ending(EndReason::Gone, self.place(), None)),
            Fate::Aloft | Fate::Resting => None,
        }
    }

    /// If it lies still, nothing happens until the fuse ends (as long as nothing else moves): skips the frames between.
    fn lie_until_fuse(&mut self) -> Option<Ending> {
        if !self.is_resting() {
            return None;
        }
        let fuse_end = self.course.launch.time + self.course.launch.fuse_ms;
        let frames_left =
            (fuse_end - self.course.now + self.course.frame_ms - 1).div_euclid(self.course.frame_ms).max(0);
        self.course.now = self.course.now + frames_left * self.course.frame_ms;
        Some(self.ending(EndReason::Fuse, self.throwable.cut(self.place()), None))
    }

    fn ending(&self, reason: EndReason, place: Vec3, entity: Option<EntityId>) -> Ending {
        let rested = self.is_resting();
        Ending { reason, time: self.course.now, place, entity, bounces: self.course.bounces, rested }
    }
}

impl Course {
    /// Where it is.
    pub fn place(&self) -> Vec3 {
        match &self.flying {
            Flying::Quake3(flying) => flying.place,
            Flying::Quake2(flying) => flying.place,
        }
    }

    /// How fast it goes.
    pub fn velocity(&self) -> Vec3 {
        match &self.flying {
            Flying::Quake3(flying) => flying.velocity(self.now),
            Flying::Quake2(flying) => flying.velocity,
        }
    }

    pub fn is_resting(&self) -> bool {
        match &self.flying {
            Flying::Quake3(flying) => flying.is_resting(),
            Flying::Quake2(flying) => flying.is_resting,
        }
    }
}

/// What a kernel knows of the frame it moves a missile through.
struct Frame<'a, T> {
    tracer: &'a T,
    shootable: &'a [EntityId],
    throwable: &'a Throwable,
    launch: &'a Launch,
    previous: Time,
    now: Time,
}

impl<T: Tracer> Frame<'_, T> {
    fn fuse_is_over(&self) -> bool {
        self.now - self.launch.time >= self.launch.fuse_ms
    }

    #[inline(always)]
    fn sweep(&self, start: Vec3, end: Vec3) -> Trace {
        let sweep = Sweep::hull(start, end, self.throwable.hull(), Contents::MASK_SHOT);
        self.tracer.sweep(&sweep, self.launch.owner)
    }

    /// Whether touching what the trace met sets it off: a body or a shootable thing always does.
    fn sets_off(&self, trace: &Trace) -> bool {
        let armed = self.now - self.launch.time >= self.throwable.arming_ms;
        let by_impact = self.throwable.impact == Impact::Explode && armed;
        let shootable = trace.entity.is_some_and(|entity| self.shootable.contains(&entity));
        by_impact || shootable || trace.struck == Struck::Body
    }
}

/// Unit length as Quake III computes it: one division, then three products.
pub(crate) fn normalize(v: Vec3) -> Vec3 {
    let length = maths::dot(v, v).sqrt();
    if length == 0.0 { v } else { v * (1.0 / length) }
}

/// To whole numbers, on the side `towards` lies: an explosion must not be cut into the wall it happened at.
fn cut_towards(v: Vec3, towards: Vec3) -> Vec3 {
    let cut = |v: f32, towards: f32| if towards <= v { v.trunc() } else { v.trunc() + 1.0 };
    Vec3::new(cut(v.x, towards.x), cut(v.y, towards.y), cut(v.z, towards.z))
}
