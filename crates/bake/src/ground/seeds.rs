//! Where the flood begins: spots where the game itself puts bodies, or things that bodies go for.

use fireteam_world::game::Interest;
use fireteam_world::map::Entity;
use fireteam_world::movement::TriggerAction;
use fireteam_world::units::EntityId;
use fireteam_world::{Contents, Game, Hull, Map, Sweep, Vec3};

use super::Survey;
use super::flood::Flood;

/// A spot the flood began at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    pub kind: SeedKind,
    /// The spawn, the item, or the trigger that leads here.
    pub entity: EntityId,
    /// Where it is; for an item, where it has fallen.
    pub spot: Vec3,
    /// Where a body that starts here stands, or from where the item is taken: an index into the survey's places.
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
/// Half the side of an item's box, in Quake III. It falls until this meets the floor.
const ITEM_RADIUS: f32 = 15.0;
/// A body takes an item whose middle is this near its own origin, along each axis.
const TOUCH: f32 = 36.0;
/// Spawn flag of an item that does not fall.
const SUSPENDED: i32 = 1;

/// Puts a body on every spot, and remembers what became of it.
pub(super) fn sow(map: &Map, game: &Game, flood: &mut Flood<'_>) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (entity, number) in map.entities.iter().zip(0..) {
        let Some(kind) = kind_of(entity, game) else { continue };
        let spot = if kind == SeedKind::Item { resting_spot(entity, flood) } else { Some(entity.origin()) };
        seeds.extend(spot.map(|spot| Seed { kind, entity: EntityId(number), spot, place: None }));
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

/// Where an item comes to lie; none for one that is stuck in a wall, which the game takes away.
fn resting_spot(entity: &Entity, flood: &Flood<'_>) -> Option<Vec3> {
    let origin = entity.origin();
    if entity.number("spawnflags").unwrap_or(0.0) as i32 & SUSPENDED != 0 {
        return Some(origin);
    }
    let hull = Hull::new(Vec3::splat(-ITEM_RADIUS), Vec3::splat(ITEM_RADIUS));
    let bottom = Vec3::new(origin.x, origin.y, flood.body.bottom);
    let fall = flood.body.scene().sweep(&Sweep::hull(origin, bottom, hull, Contents::MASK_SOLID), None);
    (!fall.start_solid).then_some(fall.end)
}

/// Corrects where items are taken from: a place from which they are touched, standing or jumping; else, for what hangs
/// over a pad, whatever is below.
pub(super) fn find_takers(survey: &mut Survey, jump_height: f32) {
    for index in 0..survey.seeds.len() {
        let seed = survey.seeds[index];
        if seed.kind == SeedKind::Item {
            survey.seeds[index].place = taker(survey, seed.spot, jump_height).or(seed.place);
        }
    }
}

fn taker(survey: &Survey, spot: Vec3, jump_height: f32) -> Option<u32> {
    let reach = (TOUCH / survey.ground.cell).ceil() as i32;
    let mut best: Option<([f32; 2], u32)> = None;
    for cell in (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| [x, y])) {
        let aside = Vec3::new(cell[0] as f32, cell[1] as f32, 0.0) * survey.ground.cell;
        for place in survey.places_in_column(spot + aside).filter(|place| !survey.places[*place].is_filled) {
            let away = spot - survey.places[place].origin;
            let is_touched = away.x.abs() < TOUCH && away.y.abs() < TOUCH;
            let rise = (away.z.abs() - TOUCH).max(0.0);
            let is_below = cell == [0, 0] && away.z > 0.0;
            if !(is_touched && (rise == 0.0 || (away.z > 0.0 && rise < jump_height)) || is_below) {
                continue;
            }
            let order = [rise, away.truncate().length()];
            if best.is_none_or(|(least, _)| order < least) {
                best = Some((order, place as u32));
            }
        }
    }
    best.map(|(_, place)| place)
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
