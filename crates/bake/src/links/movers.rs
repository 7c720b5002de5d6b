//! What moves by itself, throws or teleports: one entry for each, with what sets it off and from where.

use fireteam_terrain::{MoverKind, MoverSpot, Movers, OpensBy};
use fireteam_world::map::Entity;
use fireteam_world::movement::{Stance, TriggerAction};
use fireteam_world::mover::Movers as Moving;
use fireteam_world::units::EntityId;
use fireteam_world::walker::outing::Course;
use fireteam_world::{Bounds, Contents, Sweep, Vec3};

use super::Grounds;
use crate::ground::Place;

/// A button is pressed from no further away than this.
const PRESS_REACH: f32 = 64.0;
/// Chains of relays longer than this are not followed.
const RELAYS_MAX: usize = 8;

pub(super) fn find(grounds: &Grounds, course: &Course) -> Movers {
    let mut spots: Vec<MoverSpot> = Vec::new();
    for placed in course.movers().placed() {
        let Some(entity) = grounds.map.entities.get(placed.entity.index()) else { continue };
        let Some(kind) = kind_of(entity) else { continue };
        let bounds = course.solids.placed_bounds(placed);
        let opener = opener_of(grounds, entity, placed.entity);
        let stops = course.movers().stops(placed.entity);
        let shift = match stops[..] {
            [first, second, ..] => second - first,
            [] | [_] => Vec3::ZERO,
        };
        let (stand, aim) = match kind {
            MoverKind::Lift | MoverKind::Train | MoverKind::Other => {
                stand_on(grounds, course, placed.entity, bounds, &stops)
            }
            MoverKind::Door | MoverKind::Button | MoverKind::Breakable | MoverKind::Pad | MoverKind::Teleporter => {
                stand_and_aim(grounds, course, bounds)
            }
        };
        let opens_by = opens_by(entity, kind, opener.is_some());
        let is_target = kind == MoverKind::Button && opens_by == OpensBy::Shot;
        let shot_from = if is_target { stand_to_shoot(grounds, course, placed.entity, aim) } else { None };
        spots.push(MoverSpot {
            entity: placed.entity,
            model: placed.model,
            kind,
            opens_by,
            opener,
            stand: shot_from.unwrap_or(stand),
            aim,
            shift,
            travel_ms: travel_ms(course.movers(), placed.entity, shift, entity),
            wait_ms: (entity.number("wait").unwrap_or(WAIT_SECONDS) * 1000.0) as i32,
        });
    }
    for (bounds, trigger) in course.triggers() {
        let kind = match trigger.action {
            TriggerAction::Launch { .. } => MoverKind::Pad,
            TriggerAction::Teleport { .. } => MoverKind::Teleporter,
            TriggerAction::Hurt { .. } | TriggerAction::Fire => continue,
        };
        let (stand, aim) = stand_and_aim(grounds, course, *bounds);
        spots.push(MoverSpot {
            entity: trigger.place.entity,
            model: trigger.place.model,
            kind,
            opens_by: OpensBy::Touch,
            opener: None,
            stand,
            aim,
            shift: Vec3::ZERO,
            travel_ms: 0,
            wait_ms: 0,
        });
    }
    spots.sort_by_key(|spot| spot.entity);
    Movers { spots }
}

/// How long a door stays open when its map does not say.
const WAIT_SECONDS: f32 = 2.0;

fn kind_of(entity: &Entity) -> Option<MoverKind> {
    Some(match entity.class() {
        "func_door" => MoverKind::Door,
        "func_plat" => MoverKind::Lift,
        "func_train" => MoverKind::Train,
        "func_button" => MoverKind::Button,
        "func_breakable" => MoverKind::Breakable,
        "func_rotating" | "func_bobbing" | "func_pendulum" => MoverKind::Other,
        _ => return None,
    })
}

fn opens_by(entity: &Entity, kind: MoverKind, has_opener: bool) -> OpensBy {
    let is_shot = entity.number("health").is_some_and(|health| health != 0.0);
    match kind {
        MoverKind::Train | MoverKind::Other => OpensBy::Itself,
        MoverKind::Breakable => OpensBy::Shot,
        MoverKind::Door | MoverKind::Lift | MoverKind::Button if has_opener => OpensBy::Button,
        MoverKind::Door | MoverKind::Lift | MoverKind::Button if is_shot => OpensBy::Shot,
        MoverKind::Door if entity.get("key").is_some() => OpensBy::Key,
        MoverKind::Door if entity.get("targetname").is_some() => OpensBy::Use,
        MoverKind::Door | MoverKind::Lift | MoverKind::Button | MoverKind::Pad | MoverKind::Teleporter => {
            OpensBy::Touch
        }
    }
}

/// The button or volume from which wires lead here; buttons first.
fn opener_of(grounds: &Grounds, entity: &Entity, own: EntityId) -> Option<EntityId> {
    let entities = &grounds.map.entities;
    let mut names: Vec<&str> = entity.get("targetname").into_iter().collect();
    // A team answers to the names of all its parts.
    if let Some(team) = entity.get("team") {
        let mates = entities.iter().filter(|other| other.get("team") == Some(team));
        names.extend(mates.filter_map(|mate| mate.get("targetname")));
    }
    let mut found: Vec<usize> = Vec::new();
    for _ in 0..RELAYS_MAX {
        let calls = |other: &&Entity| {
            other.get("target").is_some_and(|target| names.iter().any(|name| name.eq_ignore_ascii_case(target)))
        };
        let callers = || entities.iter().enumerate().filter(|(_, other)| calls(other));
        found.extend(callers().filter(|(_, other)| is_opener(other)).map(|(index, _)| index));
        let relays: Vec<&str> = callers()
            .filter(|(_, other)| matches!(other.class(), "target_relay" | "target_delay"))
            .filter_map(|(_, relay)| relay.get("targetname"))
            .collect();
        if relays.is_empty() {
            break;
        }
        names = relays;
    }
    found.sort_by_key(|index| (entities[*index].class() != "func_button", *index));
    found.first().and_then(|index| u16::try_from(*index).ok()).map(EntityId).filter(|opener| *opener != own)
}

fn is_opener(entity: &Entity) -> bool {
    matches!(entity.class(), "func_button" | "trigger_multiple" | "trigger_once")
}

fn travel_ms(movers: &Moving, entity: EntityId, shift: Vec3, keys: &Entity) -> u32 {
    let default = match keys.class() {
        "func_door" => 400.0,
        "func_plat" => 200.0,
        "func_button" => 40.0,
        _ => 100.0,
    };
    let speed = keys.number("speed").filter(|speed| *speed > 0.0).unwrap_or(default);
    let known = movers.state(entity).map_or(0, |state| state.position.duration_ms);
    let reckoned = (shift.length() / speed * 1000.0) as i32;
    known.max(reckoned).unsigned_abs()
}

/// Where to stand, and what to run at or shoot from there: in a trigger, before a button, before a door.
fn stand_and_aim(grounds: &Grounds, course: &Course, bounds: Bounds) -> (Vec3, Vec3) {
    let middle = (bounds.mins + bounds.maxs) * 0.5;
    let hull = course.rules.hull(Stance::Standing);
    let gap = |origin: Vec3| {
        let (mins, maxs) = (origin + hull.mins, origin + hull.maxs);
        (bounds.mins - maxs).max(mins - bounds.maxs).max(Vec3::ZERO).length()
    };
    let places = grounds.survey.places.iter().map(|place| place.origin);
    let best = places.filter(|origin| gap(*origin) < PRESS_REACH).min_by(|a, b| {
        let far = |origin: Vec3| (gap(origin), (origin - middle).truncate().length());
        let ((gap_a, far_a), (gap_b, far_b)) = (far(*a), far(*b));
        gap_a.total_cmp(&gap_b).then(far_a.total_cmp(&far_b))
    });
    (best.unwrap_or(middle), middle)
}

/// Where to stand to shoot at a target: as near as can be to what it opens, since that shuts again. None if it is in
/// sight of nowhere.
fn stand_to_shoot(grounds: &Grounds, course: &Course, target: EntityId, aim: Vec3) -> Option<Vec3> {
    let scene = course.scene();
    let eyes = Vec3::Z * course.rules.body.standing_eye as f32;
    let placed = course.movers().placed();
    let is_opened = |entity: EntityId| {
        let keys = grounds.map.entities.get(entity.index());
        keys.is_some_and(|keys| opener_of(grounds, keys, entity) == Some(target))
    };
    let middle = |bounds: Bounds| (bounds.mins + bounds.maxs) * 0.5;
    let opened = placed.iter().filter(|placed| is_opened(placed.entity));
    let mut goals: Vec<Vec3> = opened.map(|placed| middle(course.solids.placed_bounds(placed))).collect();
    if goals.is_empty() {
        goals.push(aim);
    }
    let far = |origin: &Vec3| goals.iter().map(|goal| goal.distance(*origin)).fold(f32::INFINITY, f32::min);
    let hits = |origin: &Vec3| {
        let way = Sweep::ray(*origin + eyes, aim, Contents::MASK_SHOT);
        origin.distance(aim) < SHOT_REACH && scene.sweep(&way, None).entity == Some(target)
    };
    let stays = |place: &&Place| place.mover.is_none() && place.sent_by.is_none() && !place.is_filled;
    let places = grounds.survey.places.iter().filter(stays).map(|place| place.origin);
    places.filter(hits).min_by(|a, b| far(a).total_cmp(&far(b)))
}

/// A small target is hit from no farther.
const SHOT_REACH: f32 = 768.0;

/// Where to stand on a platform that rests, and its middle. Surveyed places stand on it at any of its stops; each is
/// taken back to where it is when the platform rests.
fn stand_on(grounds: &Grounds, course: &Course, entity: EntityId, bounds: Bounds, stops: &[Vec3]) -> (Vec3, Vec3) {
    let middle = (bounds.mins + bounds.maxs) * 0.5;
    let feet = course.rules.body.feet;
    let top = Vec3::new(middle.x, middle.y, bounds.maxs.z - feet + 0.125);
    let shifts = stops.iter().map(|stop| *stop - stops[0]);
    let at_rest = grounds.survey.places.iter().filter(|place| place.mover == Some(entity)).flat_map(|place| {
        shifts.clone().map(|shift| place.origin - shift).filter(|origin| (origin.z - top.z).abs() < TOP_REACH)
    });
    let nearness = |origin: &Vec3| (*origin - top).truncate().length();
    (at_rest.min_by(|a, b| nearness(a).total_cmp(&nearness(b))).unwrap_or(top), middle)
}

/// A platform's top may be this much lower than its highest part.
const TOP_REACH: f32 = 12.0;
