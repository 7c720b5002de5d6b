//! Coming down: how hard, and what it costs.

use super::{Event, Stance, Stride};
use crate::contents::SurfaceFlags;

/// How hard a landing was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fall {
    /// Heard, not felt.
    Short,
    Medium,
    Far,
}

/// Energies below this are not even a footstep.
const NOTICED: f32 = 1.0;

impl Stride<'_> {
    pub(super) fn land(&mut self) {
        let Some(energy) = self.landing_energy() else { return };
        if self.floor.surface.meets(SurfaceFlags::NO_DAMAGE) {
            self.player.gait = 0;
            return;
        }
        let fall = &self.rules.fall;
        if energy > fall.far_energy {
            self.events.push(Event::Landed { fall: Fall::Far, damage: fall.far_damage });
        } else if energy > fall.medium_energy {
            if !self.player.is_dead {
                self.events.push(Event::Landed { fall: Fall::Medium, damage: fall.medium_damage });
            }
        } else if energy > fall.short_energy {
            self.events.push(Event::Landed { fall: Fall::Short, damage: 0 });
        } else {
            self.footfall_on_floor();
        }
        self.player.gait = 0;
    }

    /// A ten-thousandth of the square of the speed at which the floor was met; none if that is nothing to speak of.
    ///
    /// The piece began at height `h` over where it ended, with speed `v`. Without the floor it would have reached this
    /// height at the time `t` that solves `g/2 t² + v t + h = 0`, and would have been as fast as `v + g t`.
    fn landing_energy(&self) -> Option<f32> {
        let g = -self.rules.gravity as f32;
        let v = self.started.velocity.z;
        let h = self.started.origin.z - self.player.origin.z;
        let half = g * 0.5;
        let discriminant = v * v - (h * 4.0) * half;
        if discriminant < 0.0 {
            return None;
        }
        let t = ((f64::from(-v) - f64::from(discriminant).sqrt()) / f64::from(half + half)) as f32;
        let speed = t * g + v;
        let mut energy = (f64::from(speed * speed) * 0.0001) as f32;
        if self.player.stance != Stance::Standing {
            energy *= 2.0;
        }
        match self.player.immersion.level {
            0 => {}
            1 => energy *= 0.5,
            2 => energy *= 0.25,
            _ => return None,
        }
        (energy >= NOTICED).then_some(energy)
    }
}
