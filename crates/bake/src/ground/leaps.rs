//! Over gaps: jumps from ledges, flown as arcs of the body's own box.

use fireteam_terrain::SpanFlags;
use fireteam_world::movement::Stance;
use fireteam_world::walker::Travel;
use fireteam_world::{Trace, Vec3};

use super::body::Touched;
use super::flood::{Flood, Landing};

/// An arc is flown in straight pieces this long: they leave it by no more than a unit.
const PIECE_S: f32 = 0.1;
/// Longer flights have left the world.
const PIECES_MAX: u32 = 60;
/// Share of running speed at which a careful jump is begun.
const CAREFUL: f32 = 0.5;
/// Sixteen directions from east, counter-clockwise: cosine and sine of each.
const ROSE: [[f32; 2]; 16] = {
    const A: f32 = 0.923_879_5;
    const B: f32 = 0.382_683_43;
    const D: f32 = std::f32::consts::FRAC_1_SQRT_2;
    [
        [1.0, 0.0],
        [A, B],
        [D, D],
        [B, A],
        [0.0, 1.0],
        [-B, A],
        [-D, D],
        [-A, B],
        [-1.0, 0.0],
        [-A, -B],
        [-D, -D],
        [-B, -A],
        [0.0, -1.0],
        [B, -A],
        [D, -D],
        [A, -B],
    ]
};

impl Flood<'_> {
    /// Jumps off every edge of a place, at several speeds.
    pub(super) fn leap(&mut self, index: u32, edges: &[bool; 8]) {
        let speed = self.body.rules.speed as f32;
        for (turn, [x, y]) in ROSE.iter().enumerate() {
            let is_outwards = edges[turn / 2] || (turn % 2 == 1 && edges[(turn / 2 + 1) % 8]);
            if !is_outwards {
                continue;
            }
            for share in [CAREFUL, 1.0, self.settings.strafe_gain] {
                let kind = if share > 1.0 { Travel::StrafeJump } else { Travel::Jump };
                self.fly(index, Vec3::new(*x, *y, 0.0) * (speed * share), kind);
            }
        }
    }

    fn fly(&mut self, index: u32, run: Vec3, kind: Travel) {
        let rules = self.body.rules;
        let start = self.places[index as usize].origin;
        let gravity = rules.gravity as f32;
        let hull = self.body.hull(Stance::Standing);
        let mut at = start;
        for piece in 1..=PIECES_MAX {
            let t = piece as f32 * PIECE_S;
            let rise = rules.jump_speed * t - 0.5 * gravity * t * t;
            let next = start + run * t + Vec3::Z * rise;
            let trace = self.body.sweep(at, next, hull);
            if trace.start_solid {
                return;
            }
            if self.is_caught(index, at, trace.end) {
                return;
            }
            if trace.fraction < 1.0 {
                self.end_flight(index, &trace, run, kind);
                return;
            }
            at = next;
            if at.z < self.body.bottom {
                return;
            }
        }
    }

    /// On a floor, or against a wall whose top is within a step.
    fn end_flight(&mut self, index: u32, trace: &Trace, run: Vec3, kind: Travel) {
        let rules = self.body.rules;
        if trace.normal.z >= rules.floor_normal_min {
            let landing = Landing { origin: trace.end, is_steep: false, mover: None };
            self.arrive(Some((index, kind)), landing, SpanFlags::NONE);
            return;
        }
        let hull = self.body.hull(Stance::Standing);
        let up = self.body.sweep(trace.end, trace.end + Vec3::Z * rules.step_height, hull).end;
        let over = self.body.sweep(up, up + run.normalize_or_zero() * self.settings.cell, hull);
        if over.fraction < 1.0 {
            return;
        }
        let down = self.body.sweep(over.end, over.end - Vec3::Z * rules.step_height, hull);
        if down.fraction < 1.0 && down.normal.z >= rules.floor_normal_min {
            let landing = Landing { origin: down.end, is_steep: false, mover: None };
            self.arrive(Some((index, kind)), landing, SpanFlags::NONE);
        }
    }

    /// Whether a trigger on a straight piece of flight takes the body elsewhere, or its life.
    fn is_caught(&mut self, index: u32, from: Vec3, to: Vec3) -> bool {
        match self.body.touched_between(from, to) {
            None => false,
            Some((Touched::Sent(trigger), point)) => {
                self.caught.push((index, trigger));
                self.send(index, trigger, point);
                true
            }
            Some((Touched::Nothing | Touched::Harm | Touched::Death, _)) => true,
        }
    }

    /// Whether a fall from here ends at that height, and not in a trigger on the way.
    pub(super) fn falls_freely(&mut self, index: u32, from: Vec3, height: f32) -> bool {
        !self.is_caught(index, from, Vec3::new(from.x, from.y, height))
    }
}
