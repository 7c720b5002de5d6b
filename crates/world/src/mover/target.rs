//! What sets movers off: touches, shots, and the wires from `target` to `targetname`.

use glam::Vec3;

use super::binary::Meeting;
use super::train::Corner;
use super::{Act, Brush, Frame, Kind, MoverEvent, Movers, ShooterKind, What};
use crate::contents::Contents;
use crate::flight::normalize;
use crate::game::Side;
use crate::trace::{Hull, Placed, Sweep};
use crate::units::{EntityId, Time};

/// An entity that moves nothing itself.
#[derive(Clone, Debug)]
pub(super) enum Wire {
    /// A volume to walk into; fires again only after its wait.
    Volume {
        place: Placed,
        wait_ms: i32,
        side: Side,
        is_spent: bool,
    },
    /// Fires at once what it is wired to.
    Relay {
        side: Side,
    },
    /// Fires later.
    Delay {
        ms: i32,
        by: Option<usize>,
    },
    /// Fires again and again while it is on.
    Timer {
        ms: i32,
        by: Option<usize>,
    },
    /// Fires once, soon after the level began.
    Always,
    /// Throws whoever set it off.
    Push {
        velocity: Vec3,
    },
    /// Fires a missile at what it targets, or straight ahead.
    Shooter {
        kind: ShooterKind,
        origin: Vec3,
        direction: Vec3,
        aims_at: Option<usize>,
    },
    Corner(Corner),
}

/// Wires that go in circles would never end; the engine overflows its stack, we stop here.
const WIRES_MAX: u32 = 32;

impl Movers {
    /// Everything a rider's body sets off by being where it is.
    pub(super) fn touch_around(&mut self, rider: usize, frame: &mut Frame<'_>) {
        let who = frame.riders[rider];
        if !who.is_player {
            return;
        }
        let body = Hull::new(who.origin + who.hull.mins, who.origin + who.hull.maxs);
        for index in 0..self.things.len() {
            match &self.things[index].what {
                What::Brush(Brush { kind: Kind::Binary(_), slot, .. }) => {
                    let stands = who.ground == Some(self.things[index].entity);
                    let touches = stands || is_inside(body, &self.placed[*slot], frame);
                    self.touch_binary(index, rider, &Meeting { body, touches }, frame);
                }
                What::Wire(Wire::Volume { place, is_spent: false, .. }) if is_inside(body, place, frame) => {
                    self.fire_volume(index, Some(rider), frame, 0);
                }
                What::Brush(_) | What::Wire(_) => {}
            }
        }
    }

    pub(super) fn act(&mut self, act: Act, frame: &mut Frame<'_>) {
        match act {
            Act::Bumped { rider, mover } => {
                let rider = frame.riders.iter().position(|other| other.entity == rider);
                if let (Some(rider), Some(index)) = (rider, self.index_of(mover)) {
                    let who = frame.riders[rider];
                    let body = Hull::new(who.origin + who.hull.mins, who.origin + who.hull.maxs);
                    self.touch_binary(index, rider, &Meeting { body, touches: true }, frame);
                }
            }
            Act::Used { mover } => {
                if let Some(index) = self.index_of(mover) {
                    self.set_off_any(index, None, frame, 0);
                }
            }
            Act::Shot { mover, damage } => {
                if let Some(index) = self.index_of(mover) {
                    self.shoot(index, damage, frame);
                }
            }
        }
    }

    /// A shootable door has no health to lose: the first hit opens it. A breakable one has.
    fn shoot(&mut self, index: usize, damage: i32, frame: &mut Frame<'_>) {
        let Some(brush) = self.brush_mut(index).filter(|brush| brush.is_shootable) else { return };
        match &mut brush.kind {
            Kind::Binary(binary) if binary.state == super::MoverState::First => self.set_off(index, None, frame.now),
            Kind::Binary(_) | Kind::Train(_) | Kind::Steady => {}
            Kind::Breakable { health } => {
                *health -= damage;
                if *health <= 0 {
                    self.break_down(index, frame, 0);
                }
            }
        }
    }

    fn break_down(&mut self, index: usize, frame: &mut Frame<'_>, depth: u32) {
        let Some(brush) = self.brush_mut(index) else { return };
        brush.is_shootable = false;
        let slot = brush.slot;
        self.placed[slot].contents = Contents::NONE;
        self.events.push(MoverEvent::Broke(self.things[index].entity));
        self.fire_wired(index, None, frame, depth + 1);
    }

    /// Uses everything whose `targetname` is this one's `target`.
    pub(super) fn fire_targets(&mut self, index: usize, by: Option<usize>, frame: &mut Frame<'_>) {
        self.fire_wired(index, by, frame, 0);
    }

    fn fire_wired(&mut self, index: usize, by: Option<usize>, frame: &mut Frame<'_>, depth: u32) {
        if depth > WIRES_MAX || self.things[index].target.is_none() {
            return;
        }
        for other in 0..self.things.len() {
            let wired = other != index && same_name(&self.things[index].target, &self.things[other].name);
            if wired {
                self.set_off_any(other, by, frame, depth);
            }
        }
    }

    /// Sets off one thing, whatever it is, in the name of a rider.
    fn set_off_any(&mut self, index: usize, by: Option<usize>, frame: &mut Frame<'_>, depth: u32) {
        let now = frame.now;
        match &mut self.things[index].what {
            What::Brush(Brush { kind: Kind::Binary(_), .. }) => self.set_off(index, by, now),
            What::Brush(Brush { kind: Kind::Breakable { .. }, .. }) => self.break_down(index, frame, depth),
            What::Brush(Brush { kind: Kind::Train(_) | Kind::Steady, .. }) => {}
            What::Wire(Wire::Volume { .. }) => self.fire_volume(index, by, frame, depth),
            What::Wire(Wire::Relay { side }) => {
                let side = *side;
                if is_for(side, by, frame) {
                    self.fire_wired(index, by, frame, depth + 1);
                }
            }
            What::Wire(Wire::Delay { ms, by: whose }) => {
                *whose = by;
                let time = now + *ms;
                self.things[index].think = Some(time);
            }
            What::Wire(Wire::Timer { by: whose, .. }) => {
                *whose = by;
                match self.things[index].think.take() {
                    Some(_) => {}
                    None => self.wire_thinks(index, frame),
                }
            }
            What::Wire(Wire::Push { velocity }) => {
                if let Some(rider) = by {
                    let rider = frame.riders[rider].entity;
                    self.events.push(MoverEvent::Launched { rider, velocity: *velocity });
                }
            }
            What::Wire(Wire::Shooter { .. }) => self.fire_shooter(index, frame.now),
            What::Wire(Wire::Always | Wire::Corner(_)) => {}
        }
    }

    fn fire_volume(&mut self, index: usize, by: Option<usize>, frame: &mut Frame<'_>, depth: u32) {
        if self.things[index].think.is_some() {
            return;
        }
        let What::Wire(Wire::Volume { wait_ms, side, is_spent, .. }) = &mut self.things[index].what else { return };
        if *is_spent || !is_for(*side, by, frame) {
            return;
        }
        let wait_ms = *wait_ms;
        *is_spent = wait_ms <= 0;
        if wait_ms > 0 {
            self.things[index].think = Some(frame.now + wait_ms);
        }
        self.fire_wired(index, by, frame, depth + 1);
    }

    fn fire_shooter(&mut self, index: usize, now: Time) {
        let What::Wire(Wire::Shooter { kind, origin, direction, aims_at }) = &self.things[index].what else { return };
        let direction = match aims_at.and_then(|goal| self.place_of(goal, now)) {
            Some(goal) => normalize(goal - *origin),
            None => *direction,
        };
        let (shooter, kind, muzzle) = (self.things[index].entity, *kind, *origin);
        self.events.push(MoverEvent::Fired { shooter, kind, muzzle, direction });
    }

    fn place_of(&self, index: usize, now: Time) -> Option<Vec3> {
        match &self.things[index].what {
            What::Brush(brush) => Some(brush.position.at(now)),
            What::Wire(Wire::Corner(corner)) => Some(corner.origin),
            What::Wire(Wire::Shooter { origin, .. }) => Some(*origin),
            What::Wire(_) => None,
        }
    }

    /// What a wire had put off until now.
    pub(super) fn wire_thinks(&mut self, index: usize, frame: &mut Frame<'_>) {
        let What::Wire(wire) = &self.things[index].what else { return };
        match wire {
            Wire::Delay { by, .. } => {
                let by = *by;
                self.fire_wired(index, by, frame, 1);
            }
            Wire::Timer { ms, by } => {
                let (ms, by) = (*ms, *by);
                self.fire_wired(index, by, frame, 1);
                self.things[index].think = Some(frame.now + ms);
            }
            Wire::Always => self.fire_wired(index, None, frame, 1),
            // The wait is over, that is all.
            Wire::Volume { .. } | Wire::Relay { .. } | Wire::Push { .. } | Wire::Shooter { .. } | Wire::Corner(_) => {}
        }
    }
}

fn is_for(side: Side, by: Option<usize>, frame: &Frame<'_>) -> bool {
    side == Side::Anyone || by.is_none_or(|rider| frame.riders[rider].side == side)
}

/// Whether a box in the world overlaps a brush model where it stands.
fn is_inside(body: Hull, place: &Placed, frame: &Frame<'_>) -> bool {
    let sweep = Sweep::hull(Vec3::ZERO, Vec3::ZERO, body, Contents::ALL);
    frame.solids.sweep_placed(place, &sweep).start_solid
}

/// Names are compared without case, and nothing is called nothing.
pub(super) fn same_name(a: &Option<String>, b: &Option<String>) -> bool {
    a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
}

/// An entity by its place in the map.
pub(super) fn entity_id(index: usize) -> Option<EntityId> {
    u16::try_from(index).ok().map(EntityId)
}
