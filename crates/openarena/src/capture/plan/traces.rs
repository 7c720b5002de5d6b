//! Sweeps worth asking: four hulls, in the open and along walls, short and long, and some that begin in solid.

use fireteam_world::{Contents, Hull, Sweep, Vec3};

use super::places::{CROUCHED, Places, SMALL, STANDING};
use crate::capture::oracle::{CaptureError, Oracle};
use fireteam_world::pcg::Pcg;

const HULLS: [Hull; 4] = [Hull::POINT, STANDING, CROUCHED, SMALL];
const LENGTH_LONG: f32 = 1000.0;
const LENGTH_SHORT: f32 = 64.0;
/// Axes and their opposites: walls mostly face these, and ties are decided there.
const AXES: [Vec3; 6] = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];

/// `count` sweeps: the hulls in turn, half of them starting in the open, half touching a wall.
pub fn sweeps(oracle: &mut Oracle, pcg: &mut Pcg, places: &Places, count: usize) -> Result<Vec<Sweep>, CaptureError> {
    if places.open.is_empty() {
        return Ok(Vec::new());
    }
    let mut sweeps: Vec<Sweep> = (0..count)
        .map(|index| {
            let hull = HULLS[index % HULLS.len()];
            let start = *pcg.pick(&places.open);
            Sweep { start, end: aim(pcg, start), hull, mask: mask(pcg, hull) }
        })
        .collect();
    // Every other one goes on from where it ended.
    let touching: Vec<usize> = (0..count).filter(|index| index / HULLS.len() % 2 == 1).collect();
    let first: Vec<Sweep> = touching.iter().map(|&index| sweeps[index]).collect();
    for (index, answer) in touching.into_iter().zip(oracle.traces(&first)?) {
        let sweep = &mut sweeps[index];
        sweep.start = near(pcg, answer.end, answer.normal);
        sweep.end = aim(pcg, sweep.start);
        if pcg.chance(0.2) {
            // Along the wall: grazing sweeps are where epsilons show.
            let way = sweep.end - sweep.start;
            sweep.end = sweep.start + way - answer.normal * way.dot(answer.normal);
        }
    }
    Ok(sweeps)
}

/// Points in the open and close to walls, some inside them: for contents.
pub fn points(pcg: &mut Pcg, places: &Places, count: usize) -> Vec<Vec3> {
    let jitter = |pcg: &mut Pcg| pcg.direction() * pcg.range(0.0, 200.0);
    let count = if places.open.is_empty() { 0 } else { count };
    (0..count).map(|_| *pcg.pick(&places.open) + jitter(pcg)).collect()
}

/// Pairs of points inside the map: for the visibility table.
pub fn pairs(pcg: &mut Pcg, places: &Places, count: usize) -> Vec<(Vec3, Vec3)> {
    let count = if places.open.is_empty() { 0 } else { count };
    (0..count).map(|_| (*pcg.pick(&places.open), *pcg.pick(&places.open))).collect()
}

/// One way in ten along an axis; a third short, as a player's or a grenade's step; one in fifty does not move at all.
fn aim(pcg: &mut Pcg, start: Vec3) -> Vec3 {
    let direction = if pcg.chance(0.1) { *pcg.pick(&AXES) } else { pcg.direction() };
    let length = match pcg.below(50) {
        0 => 0.0,
        1..17 => pcg.range(0.0, LENGTH_SHORT),
        _ => pcg.range(0.0, LENGTH_LONG),
    };
    start + direction * length
}

/// Mostly where the engine stopped; sometimes a little off it, sometimes in the wall.
fn near(pcg: &mut Pcg, end: Vec3, normal: Vec3) -> Vec3 {
    match pcg.below(10) {
        0 => end - normal * pcg.range(0.0, 8.0),
        1..4 => end + normal * pcg.range(0.0, 4.0),
        _ => end,
    }
}

/// The masks a hull of this kind is swept with in the game.
fn mask(pcg: &mut Pcg, hull: Hull) -> Contents {
    let masks: &[Contents] = if hull == STANDING || hull == CROUCHED {
        &[Contents::MASK_PLAYER, Contents::MASK_PLAYER, Contents::MASK_BOT]
    } else {
        &[Contents::MASK_SOLID, Contents::MASK_SHOT, Contents::MASK_OPAQUE]
    };
    *pcg.pick(masks)
}
