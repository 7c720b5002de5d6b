//! From a map's entities to movers and wires: keys, defaults and the arithmetic of positions.
//!
//! Defaults and sums are OpenArena's. A door goes along its `angle` by its own size less its `lip`; a lift rests
//! `height` below where it was drawn; a pendulum's period follows from its length and gravity.

use glam::Vec3;

use super::binary::{Binary, Touch};
use super::target::{Wire, entity_id, same_name};
use super::train::{Corner, Train};
use super::{Brush, Kind, Motion, MotionKind, MoverState, Movers, Scratch, ShooterKind, Thing, What};
use crate::blast::linked_box;
use crate::contents::Contents;
use crate::game::{Game, Side};
use crate::map::{Entity, Map};
use crate::maths::{self, dot};
use crate::movement::launch_velocity;
use crate::trace::{Hull, Placed};
use crate::units::Time;

const START_OPEN: i32 = 1;
const CRUSHER: i32 = 4;
const START_ON: i32 = 1;
/// How far in front and behind an automatic door it is felt.
const DOOR_REACH: f32 = 120.0;
/// A lift is felt this far inside its edges, and this far above.
const LIFT_INSET: f32 = 33.0;
const LIFT_ABOVE: f32 = 8.0;
/// A trigger that fires by itself does so this long after the level began.
const ALWAYS_MS: i32 = 300;

struct Spawning<'a> {
    map: &'a Map,
    gravity: f32,
    start: Time,
    movers: Movers,
}

pub(super) fn all(map: &Map, game: &Game, start: Time) -> Movers {
    let movers = Movers {
        things: Vec::new(),
        placed: Vec::new(),
        keys: Vec::new(),
        previous: start,
        events: Vec::new(),
        scratch: Scratch::default(),
    };
    let mut spawning = Spawning { map, gravity: game.rules.movement.gravity as f32, start, movers };
    let unwanted = if game.rules.teams.count > 1 { "notteam" } else { "notfree" };
    for (index, entity) in map.entities.iter().enumerate() {
        let left_out = [unwanted, "notq3a"].iter().any(|key| entity.number(key).is_some_and(|number| number != 0.0));
        let Some(id) = entity_id(index).filter(|_| !left_out) else { continue };
        let Some(what) = spawning.what(entity, id.index()) else { continue };
        let name = |key| entity.get(key).map(str::to_owned);
        let mut thing = Thing { entity: id, target: name("target"), name: name("targetname"), think: None, what };
        thing.think = spawning.first_think(&thing, entity);
        spawning.movers.things.push(thing);
    }
    spawning.gather_teams();
    spawning.lay_rails();
    spawning.aim_shooters();
    spawning.spread_door_triggers();
    spawning.movers
}

impl Spawning<'_> {
    fn what(&mut self, entity: &Entity, entity_index: usize) -> Option<What> {
        if let Some(wire) = self.wire(entity, entity_index) {
            return Some(What::Wire(wire));
        }
        let model = entity.model().filter(|model| model.index() < self.map.models.len())?;
        let found = &self.map.models[model.index()];
        // The engine widens every brush model by a unit when it loads it; doors move that much further.
        let bounds = Hull::new(found.mins - Vec3::ONE, found.maxs + Vec3::ONE);
        let (kind, position, angles) = self.brush_kind(entity, bounds)?;
        let is_shootable = matches!(kind, Kind::Breakable { .. }) || entity.number("health").is_some_and(|h| h != 0.0);
        let captain = self.movers.things.len();
        let slot = self.movers.placed.len();
        self.movers.placed.push(Placed {
            model,
            entity: entity_id(entity_index)?,
            origin: position.at(self.start),
            angles: angles.at(self.start),
            contents: Contents::ALL,
        });
        Some(What::Brush(Brush { slot, bounds, position, angles, team: vec![captain], captain, is_shootable, kind }))
    }

    fn brush_kind(&mut self, entity: &Entity, bounds: Hull) -> Option<(Kind, Motion, Motion)> {
        let origin = entity.origin();
        let still = Motion::stationary(origin);
        let level = Motion::default();
        match entity.class() {
            "func_door" => Some(self.binary(self.door(entity, bounds))),
            "func_button" => Some(self.binary(button(entity, bounds))),
            "func_plat" => Some(self.binary(lift(entity, bounds))),
            "func_static" => Some((Kind::Steady, still, level)),
            "func_breakable" => {
                let health = non_zero(entity, "health", 100.0) as i32;
                Some((Kind::Breakable { health }, still, level))
            }
            "func_rotating" => Some((Kind::Steady, still, rotating(entity))),
            "func_bobbing" => Some((Kind::Steady, bobbing(entity), level)),
            "func_pendulum" => Some((Kind::Steady, still, pendulum(entity, bounds, self.gravity))),
            "func_train" => {
                entity.get("target")?;
                let train = Train { speed: non_zero(entity, "speed", 100.0), next: None, waits: false };
                Some((Kind::Train(train), Motion::default(), level))
            }
            _ => None,
        }
    }

    fn binary(&mut self, (mut binary, key): (Binary, Option<&str>)) -> (Kind, Motion, Motion) {
        binary.key = key.map(|key| self.key_bit(key));
        let position = binary.motion(Time(0));
        (Kind::Binary(binary), position, Motion::default())
    }

    /// At most 32 kinds of keys; further ones open like the last.
    fn key_bit(&mut self, name: &str) -> u32 {
        let keys = &mut self.movers.keys;
        let index = keys.iter().position(|key| key == name).unwrap_or_else(|| {
            if keys.len() < 32 {
                keys.push(name.to_owned());
            }
            keys.len() - 1
        });
        1 << index
    }

    fn door<'e>(&self, entity: &'e Entity, bounds: Hull) -> (Binary, Option<&'e str>) {
        let (mut first, mut second) = along_angle(entity, bounds, 8.0);
        if flags(entity) & START_OPEN != 0 {
            (first, second) = (second, first);
        }
        let called = entity.get("targetname").is_some() || entity.number("health").is_some_and(|h| h != 0.0);
        // The box of an automatic door is known when its team is.
        let touch = if called { Touch::Never } else { Touch::Door(Hull::POINT) };
        let binary = Binary {
            damage: number(entity, "dmg", 2.0) as i32,
            crushes: flags(entity) & CRUSHER != 0,
            ..two_positions(first, second, non_zero(entity, "speed", 400.0), non_zero(entity, "wait", 2.0), touch)
        };
        (binary, entity.get("key"))
    }

    fn wire(&self, entity: &Entity, entity_index: usize) -> Option<Wire> {
        let delay_ms = |key, default| (number(entity, key, default) * 1000.0) as i32;
        let shooter =
            |kind| Wire::Shooter { kind, origin: entity.origin(), direction: direction(entity), aims_at: None };
        Some(match entity.class() {
            class @ ("trigger_multiple" | "trigger_once") => Wire::Volume {
                place: Placed {
                    model: entity.model().filter(|model| model.index() < self.map.models.len())?,
                    entity: entity_id(entity_index)?,
                    origin: entity.origin(),
                    angles: Vec3::ZERO,
                    contents: Contents::TRIGGER,
                },
                wait_ms: if class == "trigger_once" { -1 } else { delay_ms("wait", 0.5) },
                side: side(entity),
                is_spent: false,
            },
            "trigger_always" => Wire::Always,
            "target_relay" => Wire::Relay { side: side(entity) },
            "target_delay" => {
                let key = if entity.get("delay").is_some() { "delay" } else { "wait" };
                Wire::Delay { ms: (non_zero(entity, key, 1.0) * 1000.0) as i32, by: None }
            }
            "func_timer" => Wire::Timer { ms: delay_ms("wait", 1.0).max(1), by: None },
            "target_push" => Wire::Push { velocity: self.push_velocity(entity)? },
            "shooter_rocket" => shooter(ShooterKind::Rocket),
            "shooter_grenade" => shooter(ShooterKind::Grenade),
            "shooter_plasma" => shooter(ShooterKind::Plasma),
            "path_corner" => Wire::Corner(Corner {
                origin: entity.origin(),
                speed: number(entity, "speed", 0.0),
                wait_ms: delay_ms("wait", 0.0),
                next: None,
            }),
            _ => return None,
        })
    }

    /// Along its angle at its speed, or so that the flight's highest point is its target.
    fn push_velocity(&self, entity: &Entity) -> Option<Vec3> {
        let Some(goal) = entity.get("target") else {
            return Some(direction(entity) * non_zero(entity, "speed", 1000.0));
        };
        let goal = self
            .map
            .entities
            .iter()
            .find(|other| other.get("targetname").is_some_and(|name| name.eq_ignore_ascii_case(goal)))?;
        let here = Hull::new(entity.origin(), entity.origin());
        launch_velocity(here, goal.origin(), self.gravity as i32)
    }

    fn first_think(&self, thing: &Thing, entity: &Entity) -> Option<Time> {
        match &thing.what {
            What::Brush(Brush { kind: Kind::Train(_), .. }) => Some(Movers::first_departure(self.start)),
            What::Wire(Wire::Always) => Some(self.start + ALWAYS_MS),
            What::Wire(Wire::Timer { .. }) if flags(entity) & START_ON != 0 => {
                Some(Movers::first_departure(self.start))
            }
            What::Brush(_) | What::Wire(_) => None,
        }
    }

    /// Parts with the same `team` move as one. The first is the captain; the others follow last to second, and what is
    /// wired to one of them is wired to the captain.
    fn gather_teams(&mut self) {
        let things = &mut self.movers.things;
        let team_of = |thing: &Thing| self.map.entities[thing.entity.index()].get("team").map(str::to_owned);
        for captain in 0..things.len() {
            let Some(team) = team_of(&things[captain]) else { continue };
            let leads = things[captain].brush().is_some_and(|brush| brush.captain == captain);
            if !leads {
                continue;
            }
            for follower in captain + 1..things.len() {
                if team_of(&things[follower]).as_ref() != Some(&team) {
                    continue;
                }
                let What::Brush(brush) = &mut things[follower].what else { continue };
                if brush.captain != follower {
                    continue;
                }
                brush.captain = captain;
                brush.team.clear();
                if let Some(name) = things[follower].name.take() {
                    things[captain].name = Some(name);
                }
                if let What::Brush(brush) = &mut things[captain].what {
                    brush.team.insert(1, follower);
                }
            }
        }
    }

    /// Links each train to its first corner and each corner to the next.
    fn lay_rails(&mut self) {
        let things = &mut self.movers.things;
        for index in 0..things.len() {
            let goal = (0..things.len()).find(|&other| {
                same_name(&things[index].target, &things[other].name)
                    && matches!(things[other].what, What::Wire(Wire::Corner(_)))
            });
            match &mut things[index].what {
                What::Wire(Wire::Corner(corner)) => corner.next = goal,
                What::Brush(Brush { kind: Kind::Train(train), .. }) => train.next = goal,
                What::Brush(_) | What::Wire(_) => {}
            }
        }
    }

    fn aim_shooters(&mut self) {
        let things = &mut self.movers.things;
        for index in 0..things.len() {
            let goal = (0..things.len()).find(|&other| same_name(&things[index].target, &things[other].name));
            let fixed = self.map.entities[things[index].entity.index()].get("target").and_then(|target| {
                let named = |other: &&Entity| other.get("targetname").is_some_and(|n| n.eq_ignore_ascii_case(target));
                self.map.entities.iter().find(named).map(Entity::origin)
            });
            if let What::Wire(Wire::Shooter { origin, direction, aims_at, .. }) = &mut things[index].what {
                *aims_at = goal;
                if let Some(fixed) = fixed {
                    *direction = crate::flight::normalize(fixed - *origin);
                }
            }
        }
    }

    /// The box of an automatic door reaches out from its whole team, across its thinnest side; its parts can be shot.
    fn spread_door_triggers(&mut self) {
        for captain in 0..self.movers.things.len() {
            let Some(brush) = self.movers.brush(captain) else { continue };
            let Kind::Binary(Binary { touch: Touch::Door(_), .. }) = brush.kind else { continue };
            if brush.captain != captain {
                continue;
            }
            let team = brush.team.clone();
            let around = self.reach_of(&team);
            for part in team {
                if let Some(brush) = self.movers.brush_mut(part) {
                    brush.is_shootable = true;
                }
            }
            if let Some(Brush { kind: Kind::Binary(binary), .. }) = self.movers.brush_mut(captain) {
                binary.touch = Touch::Door(around);
            }
        }
    }

    fn reach_of(&self, team: &[usize]) -> Hull {
        let mut around: Option<Hull> = None;
        for brush in team.iter().filter_map(|&part| self.movers.brush(part)) {
            let (low, high) = linked_box(self.movers.placed[brush.slot].origin, brush.bounds);
            around = Some(around.map_or(Hull::new(low, high), |all| Hull::new(all.mins.min(low), all.maxs.max(high))));
        }
        let mut around = around.unwrap_or(Hull::POINT);
        let size = around.maxs - around.mins;
        let thinnest = (1..3).fold(0, |best, axis| if size[axis] < size[best] { axis } else { best });
        around.mins[thinnest] -= DOOR_REACH;
        around.maxs[thinnest] += DOOR_REACH;
        around
    }
}

fn button(entity: &Entity, bounds: Hull) -> (Binary, Option<&str>) {
    let (first, second) = along_angle(entity, bounds, 4.0);
    let shot = entity.number("health").is_some_and(|health| health != 0.0);
    let touch = if shot { Touch::Never } else { Touch::Itself };
    let binary = two_positions(first, second, non_zero(entity, "speed", 40.0), non_zero(entity, "wait", 1.0), touch);
    (binary, entity.get("key"))
}

fn lift(entity: &Entity, bounds: Hull) -> (Binary, Option<&str>) {
    let height = number(entity, "height", bounds.maxs.z - bounds.mins.z - number(entity, "lip", 8.0));
    let top = entity.origin();
    let bottom = Vec3::new(top.x, top.y, top.z - height);
    let touch = Touch::Lift(entity.get("targetname").is_none().then(|| lift_trigger(bottom, bounds)));
    let speed = number(entity, "speed", 200.0);
    let binary = Binary {
        damage: number(entity, "dmg", 2.0) as i32,
        ..two_positions(bottom, top, if speed == 0.0 { 100.0 } else { speed }, 1.0, touch)
    };
    (binary, entity.get("key"))
}

/// Thin over the low position and well inside its edges, so that who stands beside the shaft does not call it.
fn lift_trigger(bottom: Vec3, bounds: Hull) -> Hull {
    let mut low = bottom + bounds.mins + Vec3::new(LIFT_INSET, LIFT_INSET, 0.0);
    let mut high = bottom + bounds.maxs + Vec3::new(-LIFT_INSET, -LIFT_INSET, LIFT_ABOVE);
    for axis in 0..2 {
        if high[axis] <= low[axis] {
            low[axis] = bottom[axis] + (bounds.mins[axis] + bounds.maxs[axis]) * 0.5;
            high[axis] = low[axis] + 1.0;
        }
    }
    Hull::new(low, high)
}

fn two_positions(first: Vec3, second: Vec3, speed: f32, wait: f32, touch: Touch) -> Binary {
    let way = second - first;
    Binary {
        state: MoverState::First,
        first,
        second,
        duration_ms: ((dot(way, way).sqrt() * 1000.0 / speed) as i32).max(1),
        wait_ms: wait * 1000.0,
        damage: 0,
        crushes: false,
        touch,
        key: None,
        set_off_by: None,
    }
}

/// From where it stands, along its angle, by its size that way less the lip.
fn along_angle(entity: &Entity, bounds: Hull, lip: f32) -> (Vec3, Vec3) {
    let first = entity.origin();
    let way = direction(entity);
    let distance = dot(way.abs(), bounds.maxs - bounds.mins) - number(entity, "lip", lip);
    (first, first + way * distance)
}

/// The way an entity faces; -1 is up and -2 is down.
fn direction(entity: &Entity) -> Vec3 {
    let angles = entity.angles().unwrap_or(Vec3::ZERO);
    if angles == Vec3::new(0.0, -1.0, 0.0) {
        Vec3::Z
    } else if angles == Vec3::new(0.0, -2.0, 0.0) {
        -Vec3::Z
    } else {
        maths::game_axes(angles.x, angles.y, angles.z).forward
    }
}

fn rotating(entity: &Entity) -> Motion {
    const X_AXIS: i32 = 4;
    const Y_AXIS: i32 = 8;
    let speed = non_zero(entity, "speed", 100.0);
    let delta = if flags(entity) & X_AXIS != 0 {
        Vec3::new(0.0, 0.0, speed)
    } else if flags(entity) & Y_AXIS != 0 {
        Vec3::new(speed, 0.0, 0.0)
    } else {
        Vec3::new(0.0, speed, 0.0)
    };
    Motion { kind: MotionKind::Linear, delta, ..Motion::default() }
}

fn bobbing(entity: &Entity) -> Motion {
    const X_AXIS: i32 = 1;
    const Y_AXIS: i32 = 2;
    let height = number(entity, "height", 32.0);
    let delta = if flags(entity) & X_AXIS != 0 {
        Vec3::new(height, 0.0, 0.0)
    } else if flags(entity) & Y_AXIS != 0 {
        Vec3::new(0.0, height, 0.0)
    } else {
        Vec3::new(0.0, 0.0, height)
    };
    sway((number(entity, "speed", 4.0) * 1000.0) as i32, entity, entity.origin(), delta)
}

/// A rod of its length below the axis, swinging by its weight: `f = sqrt(g / 3 l) / 2 pi`.
fn pendulum(entity: &Entity, bounds: Hull, gravity: f32) -> Motion {
    let length = bounds.mins.z.abs().max(8.0);
    let frequency = (1.0 / (std::f64::consts::PI * 2.0) * f64::from(gravity / (3.0 * length)).sqrt()) as f32;
    let delta = Vec3::new(0.0, 0.0, number(entity, "speed", 30.0));
    sway((1000.0 / frequency) as i32, entity, entity.angles().unwrap_or(Vec3::ZERO), delta)
}

/// `phase` is where in its swing it starts, as a share of the whole.
fn sway(duration_ms: i32, entity: &Entity, base: Vec3, delta: Vec3) -> Motion {
    let start = Time((duration_ms as f32 * number(entity, "phase", 0.0)) as i32);
    Motion { kind: MotionKind::Sine, start, duration_ms, base, delta }
}

fn side(entity: &Entity) -> Side {
    match flags(entity) & 3 {
        1 => Side::Red,
        2 => Side::Blue,
        _ => Side::Anyone,
    }
}

fn flags(entity: &Entity) -> i32 {
    number(entity, "spawnflags", 0.0) as i32
}

fn number(entity: &Entity, key: &str, default: f32) -> f32 {
    entity.number(key).unwrap_or(default)
}

/// Some keys take 0 for "not said".
fn non_zero(entity: &Entity, key: &str, default: f32) -> f32 {
    entity.number(key).filter(|number| *number != 0.0).unwrap_or(default)
}
