//! Carrying a velocity out: sweep, bend it along what is struck, go on with the time that is left; and climb steps.
//!
//! A velocity is bent so that it enters none of the planes met so far. One plane: slide along it. Two that pinch: follow
//! the crease between them. Three: stop dead.

use glam::Vec3;

use super::effort::{flushed, normalized};
use super::{Event, Stride};
use crate::maths::dot;

/// How often one move may be bent.
const BENDS_MAX: usize = 4;
/// The floor, the way we were going, and up to three more.
const PLANES_MAX: usize = 5;
/// A velocity leaving a plane faster than this does not enter it.
const LEAVES: f64 = 0.1;
/// Two normals closer than this are the same wall.
const SAME_WALL: f64 = 0.99;

/// Takes away the part of a velocity that goes into a plane, and a little more.
pub(super) fn clip(velocity: Vec3, normal: Vec3, overclip: f32) -> Vec3 {
    let into = dot(velocity, normal);
    let taken = if into < 0.0 { into * overclip } else { into / overclip };
    flushed(velocity - normal * taken)
}

/// Gravity acts over the whole move: we travel at the mean of the speeds before and after, but end at the latter.
#[derive(Clone, Copy, Debug)]
struct Motion {
    mean: Vec3,
    after: Vec3,
}

impl Motion {
    fn clipped(self, normal: Vec3, overclip: f32) -> Motion {
        Motion { mean: clip(self.mean, normal, overclip), after: clip(self.after, normal, overclip) }
    }

    fn along_crease(self, a: Vec3, b: Vec3) -> Motion {
        let (crease, _) = normalized(a.cross(b));
        let after = (crease.x * self.after.x + crease.z * self.after.z) + crease.y * self.after.y;
        Motion { mean: crease * dot(crease, self.mean), after: crease * after }
    }

    fn enters(self, normal: Vec3) -> bool {
        f64::from(dot(self.mean, normal)) < LEAVES
    }
}

/// The planes one move has met.
#[derive(Clone, Copy, Debug)]
struct Planes {
    normals: [Vec3; PLANES_MAX],
    count: usize,
}

impl Planes {
    fn push(&mut self, normal: Vec3) {
        self.normals[self.count] = normal;
        self.count += 1;
    }

    fn is_full(&self) -> bool {
        self.count == PLANES_MAX
    }

    fn met(&self) -> &[Vec3] {
        &self.normals[..self.count]
    }

    fn know(&self, normal: Vec3) -> bool {
        self.met().iter().any(|known| f64::from(dot(normal, *known)) > SAME_WALL)
    }

    /// The motion bent so that it enters none of the planes; none if there is no such way.
    fn bend(&self, motion: Motion, overclip: f32) -> Option<Motion> {
        let Some(first) = self.met().iter().position(|normal| motion.enters(*normal)) else {
            return Some(motion);
        };
        let wall = self.normals[first];
        let mut bent = motion.clipped(wall, overclip);
        for (second, other) in self.met().iter().enumerate() {
            if second == first || !bent.enters(*other) {
                continue;
            }
            bent = bent.clipped(*other, overclip);
            if dot(bent.mean, wall) >= 0.0 {
                continue;
            }
            bent = motion.along_crease(wall, *other);
            let mut rest = self.met().iter().enumerate().filter(|(third, _)| *third != first && *third != second);
            if rest.any(|(_, third)| bent.enters(*third)) {
                return None;
            }
        }
        Some(bent)
    }
}

impl Stride<'_> {
    /// Moves for the whole piece, sliding along what is in the way. Says whether anything was.
    pub(super) fn slide(&mut self, falls: bool) -> bool {
        let overclip = self.rules.overclip;
        let (mut motion, unbent) = self.intended_motion(falls);
        let mut planes = Planes { normals: [Vec3::ZERO; PLANES_MAX], count: 0 };
        if self.floor.is_there {
            planes.push(self.floor.normal);
        }
        planes.push(heading(motion.mean));

        let mut left = self.seconds;
        let mut bends = 0;
        while bends < BENDS_MAX {
            let trace = self.sweep(self.player.origin, self.player.origin + motion.mean * left);
            if trace.all_solid {
                // Inside something: no falling speed is gathered, but sideways pushing may still free us.
                self.player.velocity = Vec3::new(motion.mean.x, motion.mean.y, 0.0);
                return true;
            }
            if trace.fraction > 0.0 {
                self.player.origin = trace.end;
            }
            if trace.fraction == 1.0 {
                break;
            }
            bends += 1;
            self.touch(trace.entity);
            left *= 1.0 - trace.fraction;
            if planes.is_full() {
                self.player.velocity = Vec3::ZERO;
                return true;
            }
            if planes.know(trace.normal) {
                // The same wall again, by rounding: a unit of speed away from it gets us clear.
                motion.mean += trace.normal;
                continue;
            }
            planes.push(trace.normal);
            let Some(bent) = planes.bend(motion, overclip) else {
                self.player.velocity = Vec3::ZERO;
                return true;
            };
            motion = bent;
        }
        self.player.velocity = match (self.player.hold.ms != 0, falls) {
            (true, _) => unbent,
            (false, true) => motion.after,
            (false, false) => motion.mean,
        };
        bends != 0
    }

    /// The motion before anything is struck, and the velocity kept in spite of all walls while a hold runs.
    fn intended_motion(&self, falls: bool) -> (Motion, Vec3) {
        let velocity = self.player.velocity;
        if !falls {
            return (Motion { mean: velocity, after: velocity }, velocity);
        }
        let after = Vec3::new(velocity.x, velocity.y, velocity.z - self.fall_speed_gained());
        let mut mean = Vec3::new(velocity.x, velocity.y, (velocity.z + after.z) * 0.5);
        if self.floor.is_there {
            mean = self.clip(mean, self.floor.normal);
        }
        (Motion { mean, after }, after)
    }

    /// Slides; if something was in the way, tries again from a step higher and settles down on what is there.
    pub(super) fn slide_over_steps(&mut self, falls: bool) {
        let start = self.player.origin;
        let velocity = self.player.velocity;
        if !self.slide(falls) {
            return;
        }
        let step = Vec3::new(0.0, 0.0, self.rules.step_height);
        if self.player.velocity.z > 0.0 {
            // Rising: only what walks up from a floor may step.
            let below = self.sweep(start, start - step);
            if below.fraction == 1.0 || f64::from(below.normal.z) < STEP_NORMAL_MIN {
                return;
            }
        }
        let above = self.sweep(start, start + step);
        if above.all_solid {
            return;
        }
        self.player.origin = above.end;
        self.player.velocity = velocity;
        self.slide(falls);
        self.settle(start.z - above.end.z);
        let height = self.player.origin.z - start.z;
        if height > STEP_NOTICED {
            self.events.push(Event::SteppedUp { height });
        }
    }

    /// Comes down again by what was stepped up (`drop` is negative), as far as there is room.
    fn settle(&mut self, drop: f32) {
        let Vec3 { x, y, z } = self.player.origin;
        let trace = self.sweep(self.player.origin, Vec3::new(x, y, drop + z));
        if !trace.all_solid {
            self.player.origin = trace.end;
        }
        if trace.fraction < 1.0 {
            self.player.velocity = self.clip(self.player.velocity, trace.normal);
        }
    }
}

/// Compared in double precision, so that a plane of exactly 0.7 in single precision is *not* enough here, though it is
/// enough to stand on.
const STEP_NORMAL_MIN: f64 = 0.7;
/// Lower steps are not worth an event.
const STEP_NOTICED: f32 = 2.0;

/// Direction of a velocity, or zero.
fn heading(v: Vec3) -> Vec3 {
    let squared = (v.x * v.x + v.y * v.y) + v.z * v.z;
    if squared == 0.0 { Vec3::ZERO } else { v * (1.0 / squared.sqrt()) }
}
