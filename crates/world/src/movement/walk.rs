//! On the ground: walking, running, crawling, taking off.

use glam::Vec3;

use super::effort::{Wish, flushed, length, normalized};
use super::{Event, Ground, JUMP_PRESSED, Stance, Stride};

impl Stride<'_> {
    pub(super) fn walk(&mut self) {
        if self.jumps() {
            self.drift();
            return;
        }
        self.slow_down();
        let wish = self.walking_wish();
        let accelerate = if self.slides() { self.rules.air.accelerate } else { self.rules.ground.accelerate };
        self.accelerate(wish, accelerate);
        if self.slides() {
            self.player.velocity.z -= self.fall_speed_gained();
        }
        self.follow_slope();
        if self.player.velocity.x != 0.0 || self.player.velocity.y != 0.0 {
            self.slide_over_steps(false);
        }
    }

    /// Forward and sideways along the slope, slower when low or wet.
    fn walking_wish(&self) -> Wish {
        let scale = self.move_scale();
        let on_slope = |direction: Vec3| normalized(self.clip(flat(direction), self.floor.normal)).0;
        let moves = self.moves_along(on_slope(self.axes.forward), on_slope(self.axes.right));
        let mut wish = Wish::along(moves);
        wish.speed *= scale;

        let speed = self.player.speed as f32;
        match self.player.stance {
            Stance::Standing => {}
            Stance::Crouched => wish = wish.slower_than(speed * self.rules.ground.crouch_scale),
            Stance::Prone => wish = wish.slower_than(speed * self.crawl_scale()),
        }
        let depth = self.player.immersion.level;
        if depth > 0 {
            let share = (f64::from(depth) * (1.0 / 3.0)) as f32;
            let scale = (f64::from(self.rules.water.swim_scale) - 1.0) * f64::from(share) + 1.0;
            wish = wish.slower_than(scale as f32 * speed);
        }
        wish
    }

    /// Turns the velocity along the floor without losing any of it.
    pub(super) fn follow_slope(&mut self) {
        let speed = length(self.player.velocity);
        let along = self.clip(self.player.velocity, self.floor.normal);
        self.player.velocity = flushed(normalized(along).0 * speed);
    }

    /// Takes off, if jump is pressed afresh.
    fn jumps(&mut self) -> bool {
        if self.player.awaits_release || self.command.up < JUMP_PRESSED || self.is_bound_to_floor() {
            return false;
        }
        if self.player.jump_is_held {
            // Else the upward move would eat into the running speed.
            self.command.up = 0;
            return false;
        }
        self.player.jump_is_held = true;
        self.player.velocity.z = self.rules.jump_speed;
        self.player.ground = Ground::Air;
        self.floor.is_there = false;
        self.floor.holds = false;
        self.events.push(Event::Jumped);
        true
    }

    /// A dead body comes to rest.
    pub(super) fn drag_dead_body(&mut self) {
        let speed = length(self.player.velocity) - self.rules.ground.dead_drag;
        self.player.velocity = if speed <= 0.0 { Vec3::ZERO } else { normalized(self.player.velocity).0 * speed };
    }
}

pub(super) fn flat(direction: Vec3) -> Vec3 {
    Vec3::new(direction.x, direction.y, 0.0)
}
