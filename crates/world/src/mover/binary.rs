//! Things of two positions: doors, buttons, lifts. At rest at the first, set off to the second, back after a wait.

use glam::Vec3;

use super::{Frame, Kind, Motion, MotionKind, MoverEvent, MoverState, Movers};
use crate::trace::Hull;
use crate::units::Time;

#[derive(Clone, Debug)]
pub(super) struct Binary {
    pub(super) state: MoverState,
    pub(super) first: Vec3,
    pub(super) second: Vec3,
    pub(super) duration_ms: i32,
    /// At the second position before going back; kept as the engine keeps it, so that -1 s is one second ago.
    pub(super) wait_ms: f32,
    /// To whoever is in the way.
    pub(super) damage: i32,
    /// Does not turn round when blocked.
    pub(super) crushes: bool,
    pub(super) touch: Touch,
    /// Bit of the key without which touching is no use.
    pub(super) key: Option<u32>,
    /// The rider that set it off last; what it sets off in turn is done in his name.
    pub(super) set_off_by: Option<usize>,
}

/// How a rider's body sets it off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Touch {
    Never,
    /// Entering a box around the whole team (automatic doors).
    Door(Hull),
    /// Stepping on: a box over the low position; none for a lift that something else calls.
    Lift(Option<Hull>),
    /// Touching the thing itself (buttons).
    Itself,
}

/// Players' touches come before the clock has moved on, so what they start, starts a frame of 50 ms later.
const START_DELAY_MS: i32 = 50;
/// A lift with somebody on it stays up for this long more.
const LIFT_STAY_MS: i32 = 1000;

impl Movers {
    /// Sets off a team of doors, or turns it round.
    pub(super) fn set_off(&mut self, index: usize, by: Option<usize>, now: Time) {
        let Some(captain) = self.brush(index).map(|brush| brush.captain) else { return };
        let Some(binary) = self.binary_mut(captain) else { return };
        binary.set_off_by = by;
        let (state, wait_ms) = (binary.state, binary.wait_ms);
        match state {
            MoverState::First => {
                self.match_team(captain, MoverState::ToSecond, now + START_DELAY_MS, now);
                self.events.push(MoverEvent::Started(self.things[captain].entity));
            }
            MoverState::Second => self.think_after(captain, now, wait_ms),
            MoverState::ToFirst => self.turn_round(captain, MoverState::ToSecond, now),
            MoverState::ToSecond => self.turn_round(captain, MoverState::ToFirst, now),
        }
    }

    /// Goes back the way it has come: starts as if it had left the other end that long ago.
    fn turn_round(&mut self, captain: usize, state: MoverState, now: Time) {
        let Some(motion) = self.brush(captain).map(|brush| brush.position) else { return };
        let gone = (now - motion.start).min(motion.duration_ms);
        self.match_team(captain, state, now + -(motion.duration_ms - gone), now);
    }

    pub(super) fn return_to_first(&mut self, captain: usize, now: Time) {
        self.match_team(captain, MoverState::ToFirst, now, now);
        self.events.push(MoverEvent::Started(self.things[captain].entity));
    }

    fn match_team(&mut self, captain: usize, state: MoverState, start: Time, now: Time) {
        let parts = self.brush(captain).map_or(0, |brush| brush.team.len());
        for part in 0..parts {
            let Some(part) = self.team_part(captain, part) else { continue };
            self.enter(part, state, start, now);
        }
    }

    pub(super) fn enter(&mut self, index: usize, state: MoverState, start: Time, now: Time) {
        let Some(binary) = self.binary_mut(index) else { return };
        binary.state = state;
        let motion = binary.motion(start);
        if let Some(brush) = self.brush_mut(index) {
            brush.position = motion;
        }
        self.place(index, now);
    }

    pub(super) fn binary_arrives(&mut self, index: usize, frame: &mut Frame<'_>) {
        let Some(binary) = self.binary_mut(index) else { return };
        let (state, wait_ms, by) = (binary.state, binary.wait_ms, binary.set_off_by);
        self.events.push(MoverEvent::Stopped(self.things[index].entity));
        match state {
            MoverState::ToSecond => {
                self.enter(index, MoverState::Second, frame.now, frame.now);
                self.think_after(index, frame.now, wait_ms);
                self.fire_targets(index, by, frame);
            }
            MoverState::ToFirst => self.enter(index, MoverState::First, frame.now, frame.now),
            // Only a moving thing arrives.
            MoverState::First | MoverState::Second => {}
        }
    }

    /// A rider in the way of a team: hurt it, and go back unless it is a crusher.
    pub(super) fn blocked(&mut self, captain: usize, obstacle: usize, frame: &mut Frame<'_>) {
        let mover = self.things[captain].entity;
        let Some(Kind::Binary(binary)) = self.brush(captain).map(|brush| &brush.kind) else { return };
        let (damage, crushes) = (binary.damage, binary.crushes);
        let rider = frame.riders[obstacle];
        if !rider.is_player {
            self.events.push(MoverEvent::Removed { rider: rider.entity });
            return;
        }
        if damage != 0 {
            self.events.push(MoverEvent::Crushed { rider: rider.entity, mover, damage });
        }
        if !crushes {
            self.set_off(captain, Some(obstacle), frame.now);
        }
    }

    /// What a rider's body does to one thing of two positions this frame. `stands_on` and `reaches` say how they meet.
    pub(super) fn touch_binary(&mut self, index: usize, rider: usize, meets: &Meeting, frame: &mut Frame<'_>) {
        let Some(Kind::Binary(binary)) = self.brush(index).map(|brush| &brush.kind) else { return };
        let (state, key) = (binary.state, binary.key);
        let sets_off = match binary.touch {
            Touch::Never => false,
            Touch::Door(around) => state != MoverState::ToSecond && meets.enters(around),
            Touch::Itself => state == MoverState::First && meets.touches,
            Touch::Lift(around) => {
                if state == MoverState::Second && meets.touches && frame.riders[rider].is_alive {
                    self.things[index].think = Some(frame.now + LIFT_STAY_MS);
                }
                state == MoverState::First && around.is_some_and(|around| meets.enters(around))
            }
        };
        if !sets_off {
            return;
        }
        let who = frame.riders[rider];
        if key.is_some_and(|key| who.keys & key == 0) {
            let mover = self.things[index].entity;
            self.events.push(MoverEvent::Locked { rider: who.entity, mover });
            return;
        }
        self.set_off(index, Some(rider), frame.now);
    }

    fn binary_mut(&mut self, index: usize) -> Option<&mut Binary> {
        match self.brush_mut(index).map(|brush| &mut brush.kind) {
            Some(Kind::Binary(binary)) => Some(binary),
            Some(Kind::Train(_) | Kind::Steady | Kind::Breakable { .. }) | None => None,
        }
    }

    /// Thinks `wait_ms` from now. The engine adds them as singles; a moment at or before the level's start never comes.
    fn think_after(&mut self, index: usize, now: Time, wait_ms: f32) {
        let time = (now.0 as f32 + wait_ms) as i32;
        self.things[index].think = (time > 0).then_some(Time(time));
    }
}

/// How a rider's body and a mover meet.
pub(super) struct Meeting {
    /// The rider's box in the world.
    pub(super) body: Hull,
    /// Stands on it, bumped into it, or overlaps it.
    pub(super) touches: bool,
}

impl Meeting {
    /// Boxes that share a face count as meeting.
    fn enters(&self, around: Hull) -> bool {
        self.body.mins.cmple(around.maxs).all() && self.body.maxs.cmpge(around.mins).all()
    }
}

impl Binary {
    pub(super) fn motion(&self, start: Time) -> Motion {
        let (kind, from, to) = match self.state {
            MoverState::First => (MotionKind::Stationary, self.first, self.first),
            MoverState::Second => (MotionKind::Stationary, self.second, self.second),
            MoverState::ToSecond => (MotionKind::LinearStop, self.first, self.second),
            MoverState::ToFirst => (MotionKind::LinearStop, self.second, self.first),
        };
        let rate = (1000.0 / f64::from(self.duration_ms)) as f32;
        Motion { kind, start, duration_ms: self.duration_ms, base: from, delta: (to - from) * rate }
    }
}
