//! A moving brush model against those who stand on it or in its way.

use glam::Vec3;

use super::{Frame, Kind, MotionKind, MoverEvent, Movers};
use crate::blast::linked_box;
use crate::contents::Contents;
use crate::maths::{self, dot};
use crate::trace::{Body, Hull, Scene, Sweep};

/// Where a rider was before he was moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed {
    rider: usize,
    origin: Vec3,
    turned: f32,
}

/// What a bobbing thing does to who cannot get out of its way.
const DEADLY: i32 = 99_999;

impl Movers {
    /// Moves one part to where it should be now, and everybody it carries or meets. If somebody cannot be moved, all
    /// who were are put back, and he is the error.
    pub(super) fn push(&mut self, part: usize, frame: &mut Frame<'_>) -> Result<(), usize> {
        let Some(brush) = self.brush(part) else { return Ok(()) };
        let (slot, bounds) = (brush.slot, brush.bounds);
        let old = self.placed[slot];
        let (origin, angles) = (brush.position.at(frame.now), brush.angles.at(frame.now));
        let (shift, turn) = (origin - old.origin, angles - old.angles);
        let reach = Reach::of(bounds, old.origin, old.angles, shift, turn);
        // Moved by the difference, as the engine does, not set to the goal: the last bits agree.
        self.placed[slot].origin = old.origin + shift;
        self.placed[slot].angles = old.angles + turn;
        self.scratch.bodies.clear();
        self.scratch.bodies.extend(frame.riders.iter().map(|rider| Body {
            entity: rider.entity,
            origin: rider.origin,
            hull: rider.hull,
            contents: if rider.is_player { Contents::BODY } else { Contents::NONE },
        }));
        self.scratch.crowd.set(frame.solids, &self.placed, &self.scratch.bodies);
        for rider in 0..frame.riders.len() {
            if !self.is_met(part, rider, &reach, frame) || self.carry(part, rider, shift, turn, frame) {
                continue;
            }
            if self.is_deadly(part) {
                let (mover, rider) = (self.things[part].entity, frame.riders[rider].entity);
                self.events.push(MoverEvent::Crushed { rider, mover, damage: DEADLY });
                continue;
            }
            self.put_back(frame);
            return Err(rider);
        }
        Ok(())
    }

    /// Stands on it, or is inside it where it is going.
    fn is_met(&self, part: usize, rider: usize, reach: &Reach, frame: &Frame<'_>) -> bool {
        let who = &frame.riders[rider];
        let (low, high) = linked_box(who.origin.trunc(), who.hull);
        if !overlap(low, high, reach.all.mins, reach.all.maxs) {
            return false;
        }
        let rides = who.ground == Some(self.things[part].entity);
        let outside =
            low.cmpge(reach.goal.maxs).any() || high.cmple(reach.goal.mins).any() || !self.is_stuck(rider, frame);
        rides || !outside
    }

    /// Takes a rider along; if there is no room for him there but there is where he was, leaves him behind.
    fn carry(&mut self, part: usize, rider: usize, shift: Vec3, turn: Vec3, frame: &mut Frame<'_>) -> bool {
        let mover = self.things[part].entity;
        let axis = self.brush(part).map_or(Vec3::ZERO, |brush| self.placed[brush.slot].origin);
        let who = &mut frame.riders[rider];
        let before = Pushed { rider, origin: who.origin, turned: who.turned };
        self.scratch.pushed.push(before);
        let swing = rotated(who.origin - axis, turn) - (who.origin - axis);
        who.origin = who.origin + shift + swing;
        who.turned += turn.y;
        if who.ground != Some(mover) {
            who.ground = None;
        }
        self.scratch.crowd.move_body(rider, who.origin);
        if !self.is_stuck(rider, frame) {
            return true;
        }
        frame.riders[rider].origin = before.origin;
        frame.riders[rider].turned = before.turned;
        self.scratch.crowd.move_body(rider, before.origin);
        if self.is_stuck(rider, frame) {
            return false;
        }
        frame.riders[rider].ground = None;
        self.scratch.pushed.pop();
        true
    }

    fn is_stuck(&self, rider: usize, frame: &Frame<'_>) -> bool {
        let who = &frame.riders[rider];
        let mask = if who.is_player { Contents::MASK_PLAYER } else { Contents::MASK_SOLID };
        let scene = Scene { solids: frame.solids, crowd: &self.scratch.crowd };
        scene.sweep(&Sweep::hull(who.origin, who.origin, who.hull, mask), Some(who.entity)).start_solid
    }

    fn is_deadly(&self, part: usize) -> bool {
        let sways = |kind: MotionKind| kind == MotionKind::Sine;
        self.brush(part).is_some_and(|brush| {
            matches!(brush.kind, Kind::Steady) && (sways(brush.position.kind) || sways(brush.angles.kind))
        })
    }

    /// Backwards, so that who was moved twice ends where he first was.
    fn put_back(&mut self, frame: &mut Frame<'_>) {
        while let Some(pushed) = self.scratch.pushed.pop() {
            frame.riders[pushed.rider].origin = pushed.origin;
            frame.riders[pushed.rider].turned = pushed.turned;
        }
    }
}

/// The box a part will fill, and the box of its whole way there.
struct Reach {
    goal: Hull,
    all: Hull,
}

impl Reach {
    fn of(bounds: Hull, origin: Vec3, angles: Vec3, shift: Vec3, turn: Vec3) -> Reach {
        if angles != Vec3::ZERO || turn != Vec3::ZERO {
            let far = bounds.mins.abs().max(bounds.maxs.abs());
            let radius = Vec3::splat(dot(far, far).sqrt());
            let goal = Hull::new(origin + shift - radius, origin + shift + radius);
            return Reach { all: Hull::new(goal.mins - shift, goal.maxs - shift), goal };
        }
        let (low, high) = linked_box(origin, bounds);
        Reach {
            goal: Hull::new(low + shift, high + shift),
            all: Hull::new(low + shift.min(Vec3::ZERO), high + shift.max(Vec3::ZERO)),
        }
    }
}

fn overlap(low: Vec3, high: Vec3, other_low: Vec3, other_high: Vec3) -> bool {
    low.cmple(other_high).all() && high.cmpge(other_low).all()
}

/// A vector turned by angles (pitch, yaw, roll).
fn rotated(v: Vec3, angles: Vec3) -> Vec3 {
    if angles == Vec3::ZERO {
        return v;
    }
    let axes = maths::game_axes(angles.x, angles.y, angles.z);
    axes.forward * v.x - axes.right * v.y + axes.up * v.z
}
