//! Volumes that act on whoever stands in them, and the frame in which they do: jump pads, teleporters, harm.
//!
//! The game looks at triggers once a frame, after the move, at the place where it ended.

use glam::Vec3;

use super::effort::normalized;
use super::{Command, Event, MovementRules, Player, Setting, Step, step};
use crate::contents::Contents;
use crate::maths;
use crate::trace::{Hull, Placed, Sweep};
use crate::units::EntityId;

/// A brush model that is felt, not bumped into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trigger {
    pub place: Placed,
    pub action: TriggerAction,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TriggerAction {
    /// A jump pad: sets the velocity, see [`launch_velocity`].
    Launch { velocity: Vec3 },
    /// To another place, looking along `angles`.
    Teleport { origin: Vec3, angles: Vec3 },
    /// Hurts by so many points.
    Hurt { damage: i32 },
    /// Something the game does: open a door, ring a bell.
    Fire,
}

/// One game frame of one player: the move, then every trigger it ended in, in the order given.
pub fn frame(player: &Player, command: &Command, ms: i32, setting: &Setting, triggers: &[Trigger]) -> Step {
    let mut step = step(player, command, ms, setting);
    if step.player.is_dead {
        return step;
    }
    let pad_before = step.player.pad.take();
    let hull = step.player.hull(setting.rules);
    let body = Hull::new(step.player.origin + hull.mins, step.player.origin + hull.maxs);
    for trigger in triggers {
        if trigger.is_touched_by(body, setting) {
            trigger.act(&mut step, command, pad_before, setting.rules);
        }
    }
    step
}

impl Trigger {
    /// Whether a box given in world coordinates reaches into it.
    fn is_touched_by(&self, body: Hull, setting: &Setting) -> bool {
        let sweep = Sweep::hull(Vec3::ZERO, Vec3::ZERO, body, Contents::ALL);
        setting.scene.solids.sweep_placed(&self.place, &sweep).start_solid
    }

    fn act(&self, step: &mut Step, command: &Command, pad_before: Option<EntityId>, rules: &MovementRules) {
        let trigger = self.place.entity;
        match self.action {
            TriggerAction::Launch { velocity } => {
                if pad_before != Some(trigger) && step.player.pad != Some(trigger) {
                    step.events.push(Event::Launched { pad: trigger });
                }
                step.player.pad = Some(trigger);
                step.player.velocity = velocity;
            }
            TriggerAction::Teleport { origin, angles } => {
                step.events.push(Event::Teleported { trigger, from: step.player.origin });
                step.player.teleport(origin, angles, command, rules);
            }
            TriggerAction::Hurt { damage } => step.events.push(Event::Hurt { trigger, damage }),
            TriggerAction::Fire => step.events.push(Event::Fired { trigger }),
        }
    }
}

impl Player {
    /// Put elsewhere, looking along `angles` and thrown that way.
    pub fn teleport(&mut self, origin: Vec3, angles: Vec3, command: &Command, rules: &MovementRules) {
        self.origin = Vec3::new(origin.x, origin.y, origin.z + 1.0);
        self.velocity = maths::game_axes(angles.x, angles.y, angles.z).forward * rules.teleport.exit_speed;
        self.hold.ms = rules.teleport.hold_ms;
        self.hold.knocked = true;
        self.face(angles, command);
    }
}

/// The velocity with which a jump pad of these bounds throws, so that the highest point of the flight is `apex`.
/// None if the apex is not above the middle of the pad.
pub fn launch_velocity(pad: Hull, apex: Vec3, gravity: i32) -> Option<Vec3> {
    let middle = (pad.mins + pad.maxs) * 0.5;
    let gravity = gravity as f32;
    let height = f64::from(apex.z - middle.z);
    let time = ((height + height) / f64::from(gravity)).sqrt() as f32;
    if !(time > 0.0) {
        return None;
    }
    let (direction, distance) = normalized(Vec3::new(apex.x - middle.x, apex.y - middle.y, 0.0));
    let flat = direction * (distance / time);
    Some(Vec3::new(flat.x, flat.y, gravity * time))
}
