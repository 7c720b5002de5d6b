//! In liquids: how deep, swimming and sinking, and leaping out over an edge.

use glam::Vec3;

use super::effort::{Wish, normalized};
use super::walk::flat;
use super::{Hold, Immersion, Player, Setting, Stride};
use crate::contents::Contents;
use crate::maths::dot;

/// A place to leap out to is solid this high over the origin, and free that much higher.
const EDGE_LOW: f32 = 4.0;
const EDGE_HIGH: f32 = 16.0;

impl Player {
    /// How deep it is in a liquid where it is now: samples at the feet, halfway to the eyes, and at the eyes.
    pub fn immersion_in(&self, setting: &Setting) -> Immersion {
        let origin = self.origin;
        let feet = setting.rules.body.feet;
        let at = |z: f32| Vec3::new(origin.x, origin.y, z);
        let is_wet_at = |z: f32| setting.scene.has_contents_at(at(z), Contents::MASK_LIQUID, setting.me);
        if !is_wet_at(origin.z + (feet + 1.0)) {
            return Immersion::default();
        }
        let contents = setting.scene.contents_at(at(origin.z + (feet + 1.0)), setting.me);
        let eyes = self.eye_height - feet as i32;
        let is_wet = |height: i32| is_wet_at((origin.z + feet) + height as f32);
        let level = match (is_wet(eyes / 2), eyes) {
            (false, _) => 1,
            (true, eyes) if is_wet(eyes) => 3,
            (true, _) => 2,
        };
        Immersion { level, contents }
    }
}

impl Stride<'_> {
    pub(super) fn immersion(&self) -> Immersion {
        let Stride { scene, rules, me, mask, .. } = *self;
        self.player.immersion_in(&Setting { scene, rules, me, mask })
    }

    pub(super) fn swim(&mut self) {
        if self.finds_edge() {
            self.player.velocity = self.axes.forward * self.rules.water.leap_forward;
            self.player.velocity.z = self.rules.water.leap_up;
            self.player.hold.leaping = true;
            self.player.hold.ms = self.rules.water.leap_ms;
            self.leap_from_water();
            return;
        }
        self.slow_down();
        let water = &self.rules.water;
        let wish = self.swimming_wish().slower_than(self.player.speed as f32 * water.swim_scale);
        self.accelerate(wish, water.accelerate);
        if self.floor.is_there && dot(self.player.velocity, self.floor.normal) < 0.0 {
            self.follow_slope();
        }
        self.slide(false);
    }

    fn swimming_wish(&self) -> Wish {
        let scale = self.move_scale();
        if scale == 0.0 {
            return Wish::along(Vec3::new(0.0, 0.0, -self.rules.water.sink_speed));
        }
        let mut moves = self.moves_along(self.axes.forward, self.axes.right);
        moves.z += f32::from(self.command.up);
        Wish::along(moves * scale)
    }

    /// Waist deep before an edge that can be reached.
    fn finds_edge(&self) -> bool {
        if self.player.hold.ms != 0 || self.player.immersion.level != 2 {
            return false;
        }
        let (ahead, _) = normalized(flat(self.axes.forward));
        let mut spot = ahead * self.rules.water.leap_reach + self.player.origin;
        spot.z = EDGE_LOW + self.player.origin.z;
        if !self.scene.contents_at(spot, self.me).meets(Contents::SOLID) {
            return false;
        }
        spot.z += EDGE_HIGH;
        !self.scene.contents_at(spot, self.me).meets(Contents::MASK_PLAYER)
    }

    /// Flies without control until it comes down.
    pub(super) fn leap_from_water(&mut self) {
        self.slide_over_steps(true);
        self.player.velocity.z -= self.fall_speed_gained();
        if self.player.velocity.z < 0.0 {
            self.player.hold = Hold::default();
        }
    }
}
