//! Where to start: points in the open, found by hopping from spawn points and items along the engine's own traces.

use fireteam_world::{Contents, Hull, Sweep, Vec3};

use crate::capture::oracle::{CaptureError, Oracle};
use crate::capture::rows::EntityRow;
use fireteam_world::pcg::Pcg;

pub const STANDING: Hull = Hull::new(Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0));
pub const CROUCHED: Hull = Hull::new(Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 16.0));
/// Neither a point nor a player: what an item or a thick missile would be.
pub const SMALL: Hull = Hull::new(Vec3::splat(-4.0), Vec3::splat(4.0));

/// Higher than any map.
const DROP: f32 = 4096.0;
/// The steepest floor one can stand on.
const FLOOR_NORMAL_Z: f32 = 0.7;
const HOPS_MAX: usize = 6;
const HOP_LENGTH_MAX: f32 = 1000.0;
/// Spawn points and items touch the floor.
const LIFT: Vec3 = Vec3::new(0.0, 0.0, 10.0);

/// What is known of a map before questions are made up.
#[derive(Clone, Debug)]
pub struct Places {
    pub entities: Vec<EntityRow>,
    /// Where a standing player fits, anywhere in the air or on the ground.
    pub open: Vec<Vec3>,
    /// Where a player stands, safe from lava and pits.
    pub floors: Vec<Vec3>,
}

/// Finds up to `count` places; fewer only in a map that is mostly too narrow for a player.
pub fn find(oracle: &mut Oracle, pcg: &mut Pcg, count: usize) -> Result<Places, CaptureError> {
    let entities = oracle.entities()?;
    let seeds: Vec<Vec3> = entities.iter().filter_map(seed_point).collect();
    let mut open = Vec::new();
    // Some hops end where nobody fits; a few rounds make up for them.
    for _ in 0..4 {
        if open.len() < count && !seeds.is_empty() {
            let found = hop(oracle, pcg, &seeds, count + count / 4)?;
            open.extend(fitting(oracle, found)?);
        }
    }
    open.truncate(count);
    let floors = stand(oracle, &open)?;
    Ok(Places { entities, open, floors })
}

fn seed_point(row: &EntityRow) -> Option<Vec3> {
    const ITEM: i32 = 2;
    if row.class.starts_with("info_player") || row.class.starts_with("team_CTF") {
        Some(row.spawn_origin + LIFT)
    } else if row.kind == ITEM {
        Some(row.origin + LIFT)
    } else {
        None
    }
}

/// Every walker starts at a random seed and makes one to six hops: a random way, a random part of what is free of it.
fn hop(oracle: &mut Oracle, pcg: &mut Pcg, seeds: &[Vec3], count: usize) -> Result<Vec<Vec3>, CaptureError> {
    let mut walkers: Vec<(Vec3, usize)> = (0..count).map(|_| (*pcg.pick(seeds), 1 + pcg.below(HOPS_MAX))).collect();
    for round in 0..HOPS_MAX {
        let rays: Vec<Sweep> = walkers
            .iter()
            .map(|&(from, _)| {
                let to = from + pcg.direction() * pcg.range(0.0, HOP_LENGTH_MAX);
                Sweep::ray(from, to, Contents::MASK_SOLID)
            })
            .collect();
        let answers = oracle.traces(&rays)?;
        for (walker, answer) in walkers.iter_mut().zip(answers) {
            let share = pcg.unit();
            if round < walker.1 && !answer.start_solid {
                walker.0 += (answer.end - walker.0) * share;
            }
        }
    }
    Ok(walkers.into_iter().map(|(place, _)| place).collect())
}

fn fitting(oracle: &mut Oracle, places: Vec<Vec3>) -> Result<Vec<Vec3>, CaptureError> {
    let sweeps: Vec<Sweep> =
        places.iter().map(|&place| Sweep::hull(place, place, STANDING, Contents::MASK_PLAYER)).collect();
    let answers = oracle.traces(&sweeps)?;
    Ok(places.into_iter().zip(answers).filter(|(_, answer)| !answer.start_solid).map(|(place, _)| place).collect())
}

/// Straight down from every place to where a player stands.
fn stand(oracle: &mut Oracle, open: &[Vec3]) -> Result<Vec<Vec3>, CaptureError> {
    let drops: Vec<Sweep> =
        open.iter().map(|&from| Sweep::hull(from, from - Vec3::Z * DROP, STANDING, Contents::MASK_PLAYER)).collect();
    let answers = oracle.traces(&drops)?;
    let floors = answers.into_iter().filter(|answer| answer.normal.z > FLOOR_NORMAL_Z && !answer.start_solid);
    let floors: Vec<Vec3> = floors.map(|answer| answer.end).collect();
    // What lies there ends a run before it begins.
    let harmful = Contents::LAVA | Contents::SLIME | Contents::NO_DROP;
    let contents = oracle.contents(&floors)?;
    let safe = floors.into_iter().zip(contents).filter(|(_, bits)| !Contents(*bits as u32).meets(harmful));
    Ok(safe.map(|(place, _)| place).collect())
}
