//! Where is it now? A motion as a Quake III client is told it: a kind, a start and a rate, good for any time.
//!
//! In: the six kinds of the protocol (`trType`), base, delta, start and duration. Out: place and velocity at a time,
//! in the engine's own order of single and double precision, so that both sides agree to the last bit.
//! The same motion carries doors (places), blades (angles) and grenades.

use glam::Vec3;

use crate::maths;
use crate::units::Time;

/// How a thing goes from its base, by `delta`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum MotionKind {
    #[default]
    Stationary,
    /// Told anew each frame; between frames a client blends.
    Interpolate,
    /// `delta` a second, for ever.
    Linear,
    /// `delta` a second until the duration is over.
    LinearStop,
    /// To and fro by `delta`, once a duration.
    Sine,
    /// Thrown with `delta` and pulled down.
    Gravity(f32),
}

/// A course that needs no further word until something interferes.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Motion {
    pub kind: MotionKind,
    pub start: Time,
    pub duration_ms: i32,
    pub base: Vec3,
    pub delta: Vec3,
}

impl Motion {
    pub fn stationary(base: Vec3) -> Motion {
        Motion { base, ..Motion::default() }
    }

    /// Where it is.
    #[inline]
    pub fn at(&self, now: Time) -> Vec3 {
        match self.kind {
            MotionKind::Stationary | MotionKind::Interpolate => self.base,
            MotionKind::Linear => self.base + self.delta * seconds(now - self.start),
            MotionKind::LinearStop => {
                let elapsed = (now - self.start).min(self.duration_ms);
                self.base + self.delta * seconds(elapsed).max(0.0)
            }
            MotionKind::Sine => self.base + self.delta * maths::sin_double(self.phase(now)),
            MotionKind::Gravity(gravity) => {
                let t = seconds(now - self.start);
                let mut place = self.base + self.delta * t;
                // The drop is computed in double precision and only the difference is rounded.
                let drop = 0.5 * f64::from(gravity) * f64::from(t) * f64::from(t);
                place.z = (f64::from(place.z) - drop) as f32;
                place
            }
        }
    }

    /// How fast it is going, as the engine has it: a sine's velocity is its swing times half a cosine, which is not
    /// the derivative, but is what pushes and bounces are computed from.
    pub fn velocity(&self, now: Time) -> Vec3 {
        match self.kind {
            MotionKind::Stationary | MotionKind::Interpolate => Vec3::ZERO,
            MotionKind::Linear => self.delta,
            MotionKind::LinearStop if now - self.start > self.duration_ms => Vec3::ZERO,
            MotionKind::LinearStop => self.delta,
            MotionKind::Sine => self.delta * ((f64::from(maths::cos_double(self.phase(now))) * 0.5) as f32),
            MotionKind::Gravity(gravity) => {
                let mut velocity = self.delta;
                velocity.z -= gravity * seconds(now - self.start);
                velocity
            }
        }
    }

    /// Angle of a sine's turn, in radians; the fraction of the turn is single, the angle double.
    fn phase(&self, now: Time) -> f64 {
        let turns = (now - self.start) as f32 / self.duration_ms as f32;
        f64::from(turns) * std::f64::consts::PI * 2.0
    }
}

/// Milliseconds to seconds as C does it: the product is double, what is kept is single.
#[inline]
fn seconds(ms: i32) -> f32 {
    (f64::from(ms) * 0.001) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_stop_stands_at_both_ends() {
        let door = Motion {
            kind: MotionKind::LinearStop,
            start: Time(1000),
            duration_ms: 500,
            base: Vec3::new(1.0, 2.0, 3.0),
            delta: Vec3::new(0.0, 0.0, 100.0),
        };
        assert_eq!(door.at(Time(900)), door.base);
        assert_eq!(door.at(Time(1250)).z, 28.0);
        assert_eq!(door.at(Time(9000)).z, 53.0);
        assert_eq!(door.velocity(Time(1500)), door.delta);
        assert_eq!(door.velocity(Time(1501)), Vec3::ZERO);
    }

    #[test]
    fn a_sine_is_back_after_its_duration() {
        let lift = Motion {
            kind: MotionKind::Sine,
            start: Time(0),
            duration_ms: 4000,
            base: Vec3::ZERO,
            delta: Vec3::new(0.0, 0.0, 32.0),
        };
        assert!(lift.at(Time(1000)).z > 31.999);
        assert!(lift.at(Time(4000)).z.abs() < 1e-4);
        assert!(lift.at(Time(3000)).z < -31.999);
    }

    #[test]
    fn a_thrown_thing_falls_by_half_of_gravity_times_time_squared() {
        let stone = Motion { kind: MotionKind::Gravity(800.0), delta: Vec3::new(10.0, 0.0, 0.0), ..Motion::default() };
        assert_eq!(stone.at(Time(500)), Vec3::new(5.0, 0.0, -100.0));
        assert_eq!(stone.velocity(Time(500)).z, -400.0);
    }
}
