//! Volumes that act on whoever stands in them, and the frame in which they do: jump pads, teleporters, harm.
//!
//! The game looks at triggers once a frame, after the move, at the place where it ended.

use glam::Vec3;

use super::effort::normalized;
use super::{Command, Event, MovementRules, Player, Setting, Step, step};
use crate::contents::Contents;
use crate::map::{Entity, Map};
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

impl Trigger {
    /// Every trigger of a map that acts on bodies, numbered by its place among the map's entities.
    ///
    /// A trigger whose target is missing does nothing in the game either, and is left out; so is one that starts
    /// switched off, until something tells the game to switch it on.
    pub fn all_in(map: &Map, rules: &MovementRules) -> Vec<Trigger> {
        let entities = map.entities.iter().zip(0..);
        entities.filter_map(|(entity, number)| Trigger::of(map, entity, EntityId(number), rules)).collect()
    }

    fn of(map: &Map, entity: &Entity, number: EntityId, rules: &MovementRules) -> Option<Trigger> {
        let id = entity.model()?;
        let model = map.models.get(id.index())?;
        let flags = entity.number("spawnflags").unwrap_or(0.0) as i32;
        let target = || {
            let name = entity.get("target")?;
            map.entities.iter().find(|other| other.get("targetname") == Some(name))
        };
        let origin = entity.origin();
        let action = match entity.class() {
            "trigger_push" => {
                // The box as the engine links it, a unit larger once more: its middle decides, to the last bit.
                let (mins, maxs) = model.linked_bounds();
                let pad = Hull::new((origin + mins) - 1.0, (origin + maxs) + 1.0);
                TriggerAction::Launch { velocity: launch_velocity(pad, target()?.origin(), rules.gravity)? }
            }
            "trigger_teleport" if flags & SPECTATORS_ONLY == 0 => {
                let exit = target()?;
                TriggerAction::Teleport { origin: exit.origin(), angles: exit.angles().unwrap_or(Vec3::ZERO) }
            }
            "trigger_hurt" if flags & STARTS_OFF == 0 => {
                TriggerAction::Hurt { damage: entity.number("dmg").map_or(HURT_DAMAGE, |damage| damage as i32) }
            }
            "trigger_multiple" => TriggerAction::Fire,
            _ => return None,
        };
        let place = Placed { model: id, entity: number, origin, angles: Vec3::ZERO, contents: Contents::TRIGGER };
        Some(Trigger { place, action })
    }
}

/// Spawn flags, and what a trigger_hurt takes when it does not say.
const SPECTATORS_ONLY: i32 = 1;
const STARTS_OFF: i32 = 1;
const HURT_DAMAGE: i32 = 5;

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
    if height <= 0.0 {
        return None;
    }
    let time = ((height + height) / f64::from(gravity)).sqrt() as f32;
    let (direction, distance) = normalized(Vec3::new(apex.x - middle.x, apex.y - middle.y, 0.0));
    let flat = direction * (distance / time);
    Some(Vec3::new(flat.x, flat.y, gravity * time))
}
