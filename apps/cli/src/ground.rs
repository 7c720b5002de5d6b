//! Places to stand: where a player gets to from the spawns, on a coarse grid.
//!
//! A survey good enough to choose a spot and to count who would be hurt; not the waypoints of a bake.

use std::collections::BTreeMap;

use fireteam_world::movement::Stance;
use fireteam_world::{Contents, Game, Hull, Map, Scene, Sweep, Vec3};

/// A walk tries steps this long: short enough to find its way through a door and up one stair at a time.
const STEP: f32 = 16.0;
/// Of the places walked over, every so many-th each way is kept: one and a half bodies apart.
const KEPT: i32 = 3;
/// Deeper drops are not walked down.
const DROP_MAX: f32 = 256.0;
/// Places closer in height than this are one place.
const STOREY: f32 = 40.0;
/// Larger maps are surveyed around their spawns only.
const PLACES_MAX: usize = 60_000;

/// Origins of standing players, in the order they were reached.
pub(crate) fn survey(map: &Map, game: &Game, scene: &Scene<'_>) -> Vec<Vec3> {
    let hull = game.rules.movement.hull(Stance::Standing);
    let step_height = game.rules.movement.step_height;
    let mut places: Vec<Vec3> = Vec::new();
    let mut known: BTreeMap<(i32, i32), Vec<f32>> = BTreeMap::new();
    for spawn in spawns(map) {
        let lifted = spawn + Vec3::Z * 9.0;
        if let Some(at) = settle(scene, hull, lifted) {
            note(&mut places, &mut known, at);
        }
    }
    let mut next = 0;
    while next < places.len() && places.len() < PLACES_MAX {
        let from = places[next];
        next += 1;
        for side in [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y] {
            if let Some(to) = walk(scene, hull, from, side * STEP, step_height) {
                note(&mut places, &mut known, to);
            }
        }
    }
    places.retain(|at| cell_of(*at).0 % KEPT == 0 && cell_of(*at).1 % KEPT == 0);
    places
}

/// Height of the storey with the most places: what a plan shows unless asked otherwise.
pub(crate) fn main_storey(places: &[Vec3]) -> f32 {
    const RANGE: f32 = 24.0;
    let mut best = (0, 0.0);
    // Tried at a sample of the heights that occur; a storey has hundreds of places.
    for candidate in places.iter().step_by(places.len() / 256 + 1) {
        let count = places.iter().filter(|at| (at.z - candidate.z).abs() <= RANGE).count();
        if count > best.0 {
            best = (count, candidate.z);
        }
    }
    best.1
}

/// Where players may start, whatever their team.
pub(crate) fn spawns(map: &Map) -> Vec<Vec3> {
    let is_spawn =
        |class: &str| class.starts_with("info_player_") || (class != "worldspawn" && class.ends_with("spawn"));
    let here = map.entities.iter().filter(|entity| is_spawn(entity.class()));
    here.map(|entity| entity.origin()).collect()
}

/// Up a step, across, down again; none if something is in the way or there is no floor.
fn walk(scene: &Scene<'_>, hull: Hull, from: Vec3, way: Vec3, step_height: f32) -> Option<Vec3> {
    let sweep = |start: Vec3, end: Vec3| scene.sweep(&Sweep::hull(start, end, hull, Contents::MASK_WALK), None);
    let up = sweep(from, from + Vec3::Z * step_height).end;
    let across = sweep(up, up + way);
    if across.fraction < 1.0 {
        return None;
    }
    settle(scene, hull, across.end)
}

fn settle(scene: &Scene<'_>, hull: Hull, from: Vec3) -> Option<Vec3> {
    let down = scene.sweep(&Sweep::hull(from, from - Vec3::Z * DROP_MAX, hull, Contents::MASK_WALK), None);
    let is_floor = !down.start_solid && down.fraction < 1.0 && down.normal.z >= 0.7;
    is_floor.then_some(down.end)
}

fn note(places: &mut Vec<Vec3>, known: &mut BTreeMap<(i32, i32), Vec<f32>>, at: Vec3) {
    let storeys = known.entry(cell_of(at)).or_default();
    if !storeys.iter().any(|z| (z - at.z).abs() < STOREY) {
        storeys.push(at.z);
        places.push(at);
    }
}

fn cell_of(at: Vec3) -> (i32, i32) {
    ((at.x / STEP).round() as i32, (at.y / STEP).round() as i32)
}
