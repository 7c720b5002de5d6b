//! What legs and arms do to a velocity: friction, wishes, acceleration.

use glam::Vec3;

use super::{Command, Stride};
use crate::contents::SurfaceFlags;

/// Where a player wants to go: a direction of length one (or zero) and a speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wish {
    pub(super) direction: Vec3,
    pub(super) speed: f32,
}

impl Wish {
    pub(super) fn along(velocity: Vec3) -> Wish {
        let (direction, speed) = normalized(velocity);
        Wish { direction, speed }
    }

    pub(super) fn slower_than(mut self, limit: f32) -> Wish {
        self.speed = self.speed.min(limit);
        self
    }
}

impl Stride<'_> {
    /// Ground friction, if the feet are on something that gives any, and that of water from the first wet foot on.
    pub(super) fn slow_down(&mut self) {
        let velocity = self.player.velocity;
        // On the ground, the way up or down a slope does not count.
        let rise = if self.floor.holds { 0.0 } else { velocity.z * velocity.z };
        let squared = (velocity.x * velocity.x + velocity.y * velocity.y) + rise;
        if squared < 1.0 {
            // What sinks goes on sinking.
            self.player.velocity = Vec3::new(0.0, 0.0, velocity.z);
            return;
        }
        let speed = squared.sqrt();
        let depth = self.player.immersion.level;
        let mut loss = 0.0;
        if depth <= 1 && self.floor.holds && !self.slides() {
            let ground = &self.rules.ground;
            loss = (ground.friction * self.seconds) * speed.max(ground.stop_speed);
        }
        if depth > 0 {
            loss += (self.rules.water.friction * self.seconds) * (f32::from(depth) * speed);
        }
        self.player.velocity = flushed(velocity * ((speed - loss).max(0.0) / speed));
    }

    /// Pushes towards a wish, but never past its speed *along its direction*: the rest of the velocity is not looked at,
    /// so that turning while in the air gains speed. That is all there is to strafe jumping.
    pub(super) fn accelerate(&mut self, wish: Wish, accelerate: f32) {
        let Wish { direction, speed } = wish;
        let velocity = self.player.velocity;
        let missing = (speed - velocity.z * direction.z) - (velocity.x * direction.x + velocity.y * direction.y);
        if missing > 0.0 {
            let gain = ((accelerate * self.seconds) * speed).min(missing);
            self.player.velocity = velocity + direction * gain;
        }
    }

    /// Ice, or a blow just taken: the feet find no hold.
    pub(super) fn slides(&self) -> bool {
        self.floor.surface.meets(SurfaceFlags::SLICK) || self.player.hold.knocked
    }

    /// Units per second for each unit of the command's moves, so that pressing two keys is not faster than one.
    pub(super) fn move_scale(&self) -> f32 {
        let Command { forward, right, up, .. } = *self.command;
        let [forward, right, up] = [forward, right, up].map(i32::from);
        let most = forward.abs().max(right.abs()).max(up.abs());
        if most == 0 {
            return 0.0;
        }
        let total = f64::from(forward * forward + right * right + up * up).sqrt() as f32;
        let most = self.player.speed as f32 * most as f32;
        (f64::from(most) * (1.0 / 127.0) / f64::from(total)) as f32
    }

    /// The command's forward and sideways moves along two directions.
    pub(super) fn moves_along(&self, forward: Vec3, right: Vec3) -> Vec3 {
        forward * f32::from(self.command.forward) + right * f32::from(self.command.right)
    }
}

/// Direction and length. The squares are added x, z, y: the order the compiled game has them in.
pub(super) fn normalized(v: Vec3) -> (Vec3, f32) {
    let squares = flushed(v * v);
    let squared = (squares.x + squares.z) + squares.y;
    if squared == 0.0 {
        return (v, 0.0);
    }
    let length = squared.sqrt();
    (flushed(v * (1.0 / length)), length)
}

/// Length with the squares added x, y, z; see [`normalized`] for why there are two.
pub(super) fn length(v: Vec3) -> f32 {
    let squares = flushed(v * v);
    ((squares.x + squares.y) + squares.z).sqrt()
}

/// Numbers too small for full precision become zero: the game has its CPU do so after every operation, and the upward
/// speed of a player who walks on a level floor fades away like that within a second.
pub(super) fn flushed(v: Vec3) -> Vec3 {
    let flush = |x: f32| if x.abs() < f32::MIN_POSITIVE { 0.0 } else { x };
    Vec3::new(flush(v.x), flush(v.y), flush(v.z))
}
