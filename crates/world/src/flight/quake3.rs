//! OpenArena's flight, in its own order of integers, singles and doubles.
//!
//! A missile is a motion evaluated at whole milliseconds. Each frame one trace goes straight from where it is to where
//! the motion says it should be. Meeting a wall it is put one unit off that wall with 0.65 of the reflected velocity,
//! and its motion starts anew at the frame's end: what was left of the frame is lost. Slow enough, it lies for good.

use glam::Vec3;

use super::{Bounce, Fate, Frame, Launch, Tracer, cut_towards};
use crate::contents::SurfaceFlags;
use crate::game::Throwable;
use crate::maths::dot;
use crate::mover::{Motion, MotionKind};
use crate::trace::Trace;
use crate::units::Time;

#[derive(Clone, Copy, Debug)]
pub(super) struct Flying {
    motion: Motion,
    pub(super) place: Vec3,
}

impl Flying {
    pub(super) fn new(launch: &Launch, throwable: &Throwable) -> Flying {
        let motion = Motion {
            kind: MotionKind::Gravity(throwable.gravity),
            start: launch.time + -throwable.prestep_ms,
            base: launch.muzzle,
            delta: launch.velocity,
            ..Motion::default()
        };
        Flying { motion, place: launch.muzzle }
    }

    pub(super) fn velocity(&self, now: Time) -> Vec3 {
        self.motion.velocity(now)
    }

    pub(super) fn is_resting(&self) -> bool {
        self.motion.kind == MotionKind::Stationary
    }

    #[inline(always)]
    pub(super) fn step(&mut self, frame: &Frame<'_, impl Tracer>, bounced: &mut impl FnMut(Bounce)) -> Fate {
        if frame.fuse_is_over() {
            // OpenArena looks at the fuse before it moves anything: the last frame is not traced, and what explodes
            // on its way into a wall explodes inside it.
            return Fate::FuseEnded { place: frame.throwable.cut(self.motion.at(frame.now)) };
        }
        let mut trace = frame.sweep(self.place, self.motion.at(frame.now));
        if trace.start_solid || trace.all_solid {
            // Stuck: what matters is what it is stuck in, and it stays where it is.
            trace = Trace { fraction: 0.0, ..frame.sweep(self.place, self.place) };
        } else {
            self.place = trace.end;
        }
        if trace.fraction == 1.0 {
            return if self.is_resting() { Fate::Resting } else { Fate::Aloft };
        }
        if trace.surface.meets(SurfaceFlags::NO_IMPACT) {
            return Fate::Gone;
        }
        if frame.sets_off(&trace) {
            let place =
                if frame.throwable.cut_to_integers { cut_towards(trace.end, self.motion.base) } else { trace.end };
            return Fate::Exploded { place, entity: trace.entity };
        }
        self.bounce(frame, &trace, bounced)
    }

    fn bounce(&mut self, frame: &Frame<'_, impl Tracer>, trace: &Trace, bounced: &mut impl FnMut(Bounce)) -> Fate {
        let velocity = self.motion.velocity(hit_time(frame.previous, frame.now, trace.fraction));
        let reflected = velocity + trace.normal * (-2.0 * dot(velocity, trace.normal));
        // The factor is a double in the engine: 0.65 as a single would move the last bit of every bounce.
        let slowed = reflected.to_array().map(|v| (f64::from(v) * frame.throwable.bounce) as f32).into();
        let rests = f64::from(trace.normal.z) > frame.throwable.rest_normal
            && dot(slowed, slowed).sqrt() < frame.throwable.rest_speed;
        let bounce = Bounce {
            time: frame.now,
            point: trace.end,
            normal: trace.normal,
            velocity: if rests { Vec3::ZERO } else { slowed },
            entity: trace.entity,
        };
        bounced(bounce);
        if rests {
            self.place = trace.end;
            self.motion = Motion::stationary(trace.end);
            return Fate::Resting;
        }
        self.place += trace.normal;
        self.motion = Motion { start: frame.now, base: self.place, delta: slowed, ..self.motion };
        Fate::Aloft
    }
}

/// When within the frame the wall was met, in whole milliseconds; single precision, as the engine has it.
fn hit_time(previous: Time, now: Time, fraction: f32) -> Time {
    Time((previous.0 as f32 + (now - previous) as f32 * fraction) as i32)
}
