//! What is under the feet, and landing on it.

use glam::Vec3;

use super::{Floor, Ground, Hold, Stride};
use crate::maths::dot;
use crate::trace::Trace;

/// How far below the feet a floor still carries.
const REACH: f32 = 0.25;
/// Leaving a floor faster than this is being thrown off it.
const THROWN_SPEED: f32 = 10.0;

impl Stride<'_> {
    /// Looks down, and settles what carries the body from now on.
    pub(super) fn feel_ground(&mut self) {
        let mut below = self.sweep_down();
        if below.all_solid {
            if !self.can_wriggle() {
                self.leave_ground(Floor { surface: below.surface, normal: below.normal, ..Floor::default() });
                return;
            }
            below = self.sweep_down();
        }
        let floor = Floor { is_there: false, holds: false, normal: below.normal, surface: below.surface };
        let velocity = self.player.velocity;
        if below.fraction == 1.0 || (velocity.z > 0.0 && dot(velocity, below.normal) > THROWN_SPEED) {
            self.leave_ground(floor);
        } else if below.normal.z < self.rules.floor_normal_min {
            self.leave_ground(Floor { is_there: true, ..floor });
        } else {
            self.floor = Floor { is_there: true, holds: true, ..floor };
            self.stand_on(&below);
        }
    }

    fn leave_ground(&mut self, floor: Floor) {
        self.floor = floor;
        self.player.ground = Ground::Air;
    }

    fn stand_on(&mut self, below: &Trace) {
        if self.player.hold.leaping {
            self.player.hold = Hold { ms: 0, leaping: false, landed: false, ..self.player.hold };
        }
        if self.player.ground.is_air() {
            self.land();
            let fall = &self.rules.fall;
            if self.started.velocity.z < -fall.pause_speed {
                self.player.hold.landed = true;
                self.player.hold.ms = fall.pause_ms;
            }
        }
        self.player.ground = Ground::Floor { entity: below.entity, normal: below.normal };
        self.touch(below.entity);
    }

    fn sweep_down(&self) -> Trace {
        let origin = self.player.origin;
        self.sweep(origin, Vec3::new(origin.x, origin.y, origin.z - REACH))
    }

    /// In solid: is there a free place within a unit in any direction? (The body is not moved there; but if there is,
    /// it is treated as standing rather than falling, and can walk out.)
    fn can_wriggle(&self) -> bool {
        const WAYS: [f32; 3] = [-1.0, 0.0, 1.0];
        WAYS.iter().any(|x| {
            WAYS.iter().any(|y| {
                WAYS.iter().any(|z| {
                    let place = self.player.origin + Vec3::new(*x, *y, *z);
                    !self.sweep(place, place).all_solid
                })
            })
        })
    }
}
