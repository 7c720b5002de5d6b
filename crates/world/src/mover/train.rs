//! Trains: from corner to corner, for ever or to the end of the line.

use glam::Vec3;

use super::{Frame, Kind, Motion, MotionKind, MoverEvent, Movers, What};
use crate::maths::dot;
use crate::mover::target::Wire;
use crate::units::Time;

#[derive(Clone, Debug)]
pub(super) struct Train {
    pub(super) speed: f32,
    /// The corner it is going to (index into `things`); none before it has been put on its rails.
    pub(super) next: Option<usize>,
    pub(super) waits: bool,
}

/// A stop of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Corner {
    pub(super) origin: Vec3,
    /// Speed on the way to the next corner; 0 leaves it to the train.
    pub(super) speed: f32,
    pub(super) wait_ms: i32,
    pub(super) next: Option<usize>,
}

impl Movers {
    /// Put off until now: the first departure, or the end of a wait at a corner.
    pub(super) fn train_thinks(&mut self, index: usize, frame: &mut Frame<'_>) {
        let waits = self.train_mut(index).is_some_and(|train| std::mem::take(&mut train.waits));
        if !waits {
            self.train_arrives(index, frame);
            return;
        }
        if let Some(brush) = self.brush_mut(index) {
            brush.position.start = frame.now;
            brush.position.kind = MotionKind::LinearStop;
        }
    }

    /// At a corner: fires what hangs on it and leaves for the next.
    pub(super) fn train_arrives(&mut self, index: usize, frame: &mut Frame<'_>) {
        let Some(train) = self.train_mut(index) else { return };
        let (speed, Some(here)) = (train.speed, train.next) else { return };
        let Some(Corner { origin, speed: own_speed, wait_ms, next: Some(next) }) = self.corner(here) else { return };
        let Some(Corner { origin: goal, .. }) = self.corner(next) else { return };
        self.fire_targets(here, None, frame);
        let speed = if own_speed == 0.0 { speed } else { own_speed }.max(1.0);
        let way = goal - origin;
        let duration_ms = ((dot(way, way).sqrt() * 1000.0 / speed) as i32).max(1);
        let rate = (1000.0 / f64::from(duration_ms)) as f32;
        let waits = wait_ms != 0;
        let kind = if waits { MotionKind::Stationary } else { MotionKind::LinearStop };
        if let Some(train) = self.train_mut(index) {
            train.next = Some(next);
            train.waits = waits;
        }
        if let Some(brush) = self.brush_mut(index) {
            brush.position = Motion { kind, start: frame.now, duration_ms, base: origin, delta: way * rate };
        }
        if waits {
            self.things[index].think = Some(frame.now + wait_ms);
            self.events.push(MoverEvent::Stopped(self.things[index].entity));
        }
        self.place(index, frame.now);
    }

    fn train_mut(&mut self, index: usize) -> Option<&mut Train> {
        match self.brush_mut(index).map(|brush| &mut brush.kind) {
            Some(Kind::Train(train)) => Some(train),
            Some(Kind::Binary(_) | Kind::Steady | Kind::Breakable { .. }) | None => None,
        }
    }

    fn corner(&self, index: usize) -> Option<Corner> {
        match &self.things[index].what {
            What::Wire(Wire::Corner(corner)) => Some(corner.clone()),
            What::Wire(_) | What::Brush(_) => None,
        }
    }

    /// When a train first moves: its corners must have been read.
    pub(super) fn first_departure(start: Time) -> Time {
        start + FIRST_FRAME_MS
    }
}

/// The engine lets everything spawn for one of its oldest frames before anything is set up.
const FIRST_FRAME_MS: i32 = 100;
