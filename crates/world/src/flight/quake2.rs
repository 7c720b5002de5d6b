//! Flight for our own games, after Quake II's tossed things: what is reflected is the part of the velocity along the
//! normal, and only `bounce` of it; what is too slow to leave the ground slides with friction until it lies.
//!
//! Where we depart: Quake II moves once a frame of 100 ms and loses the rest of the frame at a contact. Here gravity
//! is integrated exactly and the rest of a frame is flown on after each contact, so that a throw lands in the same
//! place whatever the frame length; and a grenade rolls out instead of stopping dead at its last bounce.

use glam::Vec3;

use super::{Bounce, Fate, Frame, Launch, Tracer};
use crate::contents::SurfaceFlags;
use crate::game::Throwable;
use crate::maths::dot;
use crate::trace::Trace;

/// Below this speed friction works as if it were this (Quake II: `sv_stopspeed`).
const STOP_SPEED: f32 = 100.0;

/// A frame with more contacts than this (a grenade in a corner) gives up the rest of its time.
const CONTACTS_MAX: u32 = 4;

#[derive(Clone, Copy, Debug)]
pub(super) struct Flying {
    pub(super) place: Vec3,
    pub(super) velocity: Vec3,
    pub(super) is_resting: bool,
}

impl Flying {
    pub(super) fn new(launch: &Launch) -> Flying {
        Flying { place: launch.muzzle, velocity: launch.velocity, is_resting: false }
    }

    #[inline(always)]
    pub(super) fn step(&mut self, frame: &Frame<'_, impl Tracer>, bounced: &mut impl FnMut(Bounce)) -> Fate {
        let fate = if self.is_resting { self.lie(frame) } else { self.travel(frame, bounced) };
        match fate {
            Fate::Aloft | Fate::Resting if frame.fuse_is_over() => {
                Fate::FuseEnded { place: frame.throwable.cut(self.place) }
            }
            Fate::Aloft | Fate::Resting | Fate::Exploded { .. } | Fate::FuseEnded { .. } | Fate::Gone => fate,
        }
    }

    /// All of a frame's way, contact after contact.
    #[inline(always)]
    fn travel(&mut self, frame: &Frame<'_, impl Tracer>, bounced: &mut impl FnMut(Bounce)) -> Fate {
        // The frame of launching is flown only as far as the throwable's prestep says.
        let is_first = frame.now == frame.launch.time;
        let ms = if is_first { frame.throwable.prestep_ms } else { frame.now - frame.previous };
        let mut left = ms as f32 * 0.001;
        for _ in 0..CONTACTS_MAX {
            if left <= 0.0 {
                break;
            }
            let (fate, used) = self.fly(frame, left, bounced);
            left -= used;
            match fate {
                Fate::Aloft => {}
                Fate::Resting | Fate::Exploded { .. } | Fate::FuseEnded { .. } | Fate::Gone => return fate,
            }
        }
        Fate::Aloft
    }

    /// Whether what it lay on is still there: a lift may have gone, a crate may have been broken.
    #[inline(always)]
    fn lie(&mut self, frame: &Frame<'_, impl Tracer>) -> Fate {
        let below = frame.sweep(self.place, self.place - Vec3::Z);
        self.is_resting = below.fraction < 1.0;
        if self.is_resting { Fate::Resting } else { Fate::Aloft }
    }

    /// Flies freely for `t` seconds or to the first contact, and through it. Returns the seconds used.
    #[inline(always)]
    fn fly(&mut self, frame: &Frame<'_, impl Tracer>, t: f32, bounced: &mut impl FnMut(Bounce)) -> (Fate, f32) {
        let gravity = Vec3::new(0.0, 0.0, -frame.throwable.gravity);
        let trace = frame.sweep(self.place, self.place + self.velocity * t + gravity * (0.5 * t * t));
        if trace.all_solid {
            self.velocity = Vec3::ZERO;
            self.is_resting = true;
            return (Fate::Resting, t);
        }
        let used = t * trace.fraction;
        self.place = trace.end;
        self.velocity += gravity * used;
        if trace.fraction == 1.0 {
            return (Fate::Aloft, used);
        }
        if trace.surface.meets(SurfaceFlags::NO_IMPACT) {
            return (Fate::Gone, used);
        }
        if frame.sets_off(&trace) {
            return (Fate::Exploded { place: trace.end, entity: trace.entity }, used);
        }
        self.touch(frame, &trace, t - used, bounced);
        (if self.is_resting { Fate::Resting } else { Fate::Aloft }, used)
    }

    /// Meets a wall or the ground: bounces off it, or slides on it for the `left` seconds of the frame.
    fn touch(&mut self, frame: &Frame<'_, impl Tracer>, trace: &Trace, left: f32, bounced: &mut impl FnMut(Bounce)) {
        let throwable = frame.throwable;
        let inward = dot(self.velocity, trace.normal);
        let rebound = -inward * throwable.bounce as f32;
        let along = self.velocity - trace.normal * inward;
        let is_ground = f64::from(trace.normal.z) > throwable.rest_normal;
        let slides = is_ground && rebound < throwable.rest_speed;
        self.velocity = if slides { rolled(along, throwable, left) } else { along + trace.normal * rebound };
        self.is_resting = slides && self.velocity == Vec3::ZERO;
        if !slides || self.is_resting {
            bounced(Bounce {
                time: frame.now,
                point: trace.end,
                normal: trace.normal,
                velocity: self.velocity,
                entity: trace.entity,
            });
        }
    }
}

/// Velocity after rolling for `t` seconds. Friction takes `max(speed, STOP_SPEED) * friction` off a second.
fn rolled(velocity: Vec3, throwable: &Throwable, t: f32) -> Vec3 {
    let speed = dot(velocity, velocity).sqrt();
    let lost = speed.max(STOP_SPEED) * throwable.friction * t;
    if speed <= lost { Vec3::ZERO } else { velocity * ((speed - lost) / speed) }
}
