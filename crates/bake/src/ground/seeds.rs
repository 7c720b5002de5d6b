//! Where the flood begins: spots where the game itself puts bodies, or things that bodies go for.

use fireteam_world::game::Interest;
use fireteam_world::map::Entity;
use fireteam_world::movement::TriggerAction;
use fireteam_world::units::EntityId;
use fireteam_world::{Game, Map, Vec3};

use super::flood::Flood;

/// A spot the flood began at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    pub kind: SeedKind,
    /// The spawn, the item, or the trigger that leads here.
    pub entity: EntityId,
    /// Where the map has it.
    pub spot: Vec3,
    /// What was found there, as an index into the survey's places.
    pub place: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedKind {
    Spawn,
    Item,
    /// Where a teleporter leads.
    Exit,
}

/// Mappers put spawns and items just above the floor: a body's feet would be in it.
const RAISED: f32 = 9.0;
/// An item may lie in a niche: tried so far around, in rings.
const RINGS: [f32; 4] = [0.0, 8.0, 16.0, 28.0];

/// Puts a body on every spot, and remembers what became of it.
pub(super) fn sow(map: &Map, game: &Game, flood: &mut Flood<'_>) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (entity, number) in map.entities.iter().zip(0..) {
        if let Some(kind) = kind_of(entity, game) {
            seeds.push(Seed { kind, entity: EntityId(number), spot: entity.origin(), place: None });
        }
    }
    for trigger in &flood.body.triggers {
        if let TriggerAction::Teleport { origin, .. } = trigger.action {
            let entity = trigger.place.entity;
            seeds.push(Seed { kind: SeedKind::Exit, entity, spot: origin, place: None });
        }
    }
    for seed in &mut seeds {
        seed.place = settle(map, seed.spot, flood);
    }
    seeds
}

fn kind_of(entity: &Entity, game: &Game) -> Option<SeedKind> {
    match game.rules.entities.get(entity.class())?.is {
        Interest::Spawn => Some(SeedKind::Spawn),
        Interest::Weapon
        | Interest::Ammo
        | Interest::Health
        | Interest::Armour
        | Interest::Powerup
        | Interest::Holdable
        | Interest::Key
        | Interest::Flag => Some(SeedKind::Item),
        Interest::Zone if entity.model().is_none() => Some(SeedKind::Item),
        Interest::Ladder
        | Interest::Zone
        | Interest::Door
        | Interest::Button
        | Interest::Lift
        | Interest::Breakable
        | Interest::Teleporter
        | Interest::JumpPad
        | Interest::Hazard => None,
    }
}

fn settle(map: &Map, spot: Vec3, flood: &mut Flood<'_>) -> Option<u32> {
    for ring in RINGS {
        for [x, y] in super::flood::AROUND {
            let aside = Vec3::new(x as f32, y as f32, 0.0) * ring;
            let origin = spot + aside + Vec3::Z * RAISED;
            if is_inside(map, origin)
                && let Some(place) = flood.drop_in(None, origin)
            {
                return Some(place);
            }
            if ring == 0.0 {
                break;
            }
        }
    }
    None
}

/// Whether a point lies in a part of the map that its compiler found sealed. A source has no such parts.
fn is_inside(map: &Map, point: Vec3) -> bool {
    map.tree.as_ref().is_none_or(|tree| tree.leaf_at(&map.planes, point).cluster >= 0)
}
