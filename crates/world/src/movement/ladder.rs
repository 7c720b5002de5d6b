//! Ladders: walls one holds on to. Only games that have them ask.
//!
//! A ladder is a surface flagged as one, right in front. Forward climbs up, or down when looking down; sideways moves
//! along its face; jump lets go. Where its face ends above a ledge, the climber is put onto the ledge.

use glam::Vec3;

use super::effort::normalized;
use super::walk::flat;
use super::{Event, Ground, JUMP_PRESSED, LadderRules, Stance, Stride};
use crate::contents::SurfaceFlags;
use crate::maths::dot;

/// Faces that lean more than this are ramps.
const FACE_RISE_MAX: f32 = 0.7;

impl Stride<'_> {
    /// Whether the hands are on a ladder now. Steps over its upper end when it has just ended.
    pub(super) fn grips_ladder(&mut self) -> bool {
        let Some(rules) = self.rules.ladder else { return false };
        let held = self.player.ladder.take();
        if self.player.is_dead || self.player.stance == Stance::Prone || self.player.jump_is_held {
            return false;
        }
        let ahead = held.map_or_else(|| normalized(flat(self.axes.forward)).0, |face| normalized(flat(-face)).0);
        let trace = self.sweep(self.player.origin, self.player.origin + ahead * rules.reach);
        let is_ladder =
            trace.is_hit() && trace.surface.meets(SurfaceFlags::LADDER) && trace.normal.z.abs() < FACE_RISE_MAX;
        if is_ladder && self.wants_ladder(held, trace.normal) {
            self.player.ladder = Some(trace.normal);
        } else if let Some(face) = held
            && !is_ladder
            && self.player.velocity.z > 0.0
        {
            let onto = normalized(flat(-face)).0 * rules.ledge_speed;
            self.player.velocity = Vec3::new(onto.x, onto.y, self.player.velocity.z);
        }
        self.player.ladder.is_some()
    }

    /// One already held is kept until the feet walk away from its foot; a new one is taken by moving into it.
    fn wants_ladder(&self, held: Option<Vec3>, face: Vec3) -> bool {
        let moves = self.moves_along(flat(self.axes.forward), flat(self.axes.right));
        let away = dot(moves, face);
        if self.floor.holds { away < 0.0 } else { held.is_some() || away < 0.0 }
    }

    pub(super) fn climb(&mut self) {
        let (Some(face), Some(rules)) = (self.player.ladder, self.rules.ladder) else { return };
        if self.command.up >= JUMP_PRESSED {
            self.let_go(face, &rules);
            self.drift();
            return;
        }
        let looks_down = self.player.view.x > rules.down_pitch;
        let forward = f32::from(self.command.forward) / 127.0;
        let upward = if looks_down { -forward } else { forward };
        let aside = dot(self.axes.right, face.cross(Vec3::Z)).signum() * f32::from(self.command.right) / 127.0;
        let along = normalized(face.cross(Vec3::Z)).0 * (aside * rules.climb_speed);
        // A little pressure keeps the hands on it, and carries the climber over the ledge when it ends.
        let pressure = flat(-face) * rules.reach;
        self.player.velocity = along + pressure + Vec3::new(0.0, 0.0, upward * rules.climb_speed);
        self.player.ground = Ground::Air;
        self.floor.is_there = false;
        self.slide_over_steps(false);
        self.player.velocity = Vec3::new(along.x, along.y, upward * rules.climb_speed);
    }

    fn let_go(&mut self, face: Vec3, rules: &LadderRules) {
        self.player.ladder = None;
        self.player.jump_is_held = true;
        let away = flat(face) * rules.leap_speed;
        self.player.velocity = Vec3::new(away.x, away.y, self.player.velocity.z.max(0.0));
        self.player.ground = Ground::Air;
        self.floor.is_there = false;
        self.floor.holds = false;
        self.events.push(Event::Jumped);
    }
}
