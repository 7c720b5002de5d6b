//! Blasts: a shot whose place of explosion is known from a rehearsal, and victims put around it.
//!
//! Victims stand or crouch on the ground up to a little more than a blast's reach away, in the open or behind whatever
//! the map has there. They have health to spare, so that damage can be read off.

use fireteam_world::{Contents, Sweep, Vec3};

use super::places::{Places, STANDING};
use super::throws::{BUTTON_ATTACK, GRENADE_LAUNCHER, ROCKET_LAUNCHER, Shot};
use crate::capture::oracle::{CaptureError, Oracle};
use crate::capture::rows::{Body, Command, Drive};
use crate::capture::runs::Run;
use fireteam_world::pcg::Pcg;

/// A grenade reaches 150 units from its victim's box.
const RANGE_MAX: f32 = 200.0;
const VICTIMS: usize = 3;
const VICTIM_HEALTH: i32 = 1000;
/// Boxes of two players closer than this would overlap.
const APART: f32 = 34.0;
const MACHINE_GUN: u8 = 2;
/// Kept after the explosion: the flight of those who were hit.
const FRAMES_AFTER: usize = 6;
const MOVER_REACH: f32 = 200.0;
/// How long a rocket jump is watched.
const JUMP_FRAMES: usize = 40;

/// `count` explosions among victims, grenades and rockets in turn, and a few rocket jumps.
pub fn capture(oracle: &mut Oracle, pcg: &mut Pcg, places: &Places, count: usize) -> Result<Vec<Run>, CaptureError> {
    let mut runs = Vec::new();
    for number in 0..count {
        let weapon = if number % 2 == 0 { GRENADE_LAUNCHER } else { ROCKET_LAUNCHER };
        let Some(shot) = Shot::draw(pcg, &places.floors, weapon) else { break };
        let rehearsal = Run::capture(oracle, shot.name(), &shot.drive())?;
        let Some(explosion) = rehearsal.explosion() else { continue };
        let victims = place_victims(oracle, pcg, explosion.origin, shot.origin)?;
        if victims.is_empty() {
            continue;
        }
        let mut drive = shot.drive();
        drive.bodies.extend(victims);
        let mut run = Run::capture(oracle, shot.name(), &drive)?;
        if let Some(explosion) = run.explosion() {
            run.cut_after(explosion.frame + FRAMES_AFTER);
            run.cut_before(explosion.frame - 1);
            run.keep_near(&places.entities, MOVER_REACH);
            runs.push(run);
        }
    }
    for _ in 0..count.div_ceil(8) {
        runs.extend(rocket_jump(oracle, pcg, places)?);
    }
    Ok(runs)
}

/// Up to three on the ground around `centre`, apart from one another and from the thrower.
fn place_victims(oracle: &mut Oracle, pcg: &mut Pcg, centre: Vec3, thrower: Vec3) -> Result<Vec<Body>, CaptureError> {
    let drops: Vec<Sweep> = (0..8 * VICTIMS)
        .map(|_| {
            let way = pcg.direction() * Vec3::new(1.0, 1.0, 0.0);
            let from = centre + way.normalize_or_zero() * pcg.range(0.0, RANGE_MAX) + Vec3::Z * pcg.range(25.0, 90.0);
            Sweep::hull(from, from - Vec3::Z * 200.0, STANDING, Contents::MASK_PLAYER)
        })
        .collect();
    let mut taken = vec![thrower];
    let mut victims = Vec::new();
    for answer in oracle.traces(&drops)? {
        let place = answer.end;
        let is_free = taken.iter().all(|other| {
            let gap = (place - *other).abs();
            gap.x.max(gap.y) > APART
        });
        if victims.len() < VICTIMS && is_free && !answer.start_solid && answer.normal.z > 0.7 {
            taken.push(place);
            victims.push(victim(place, victims.len() == 1));
        }
    }
    Ok(victims)
}

fn victim(origin: Vec3, is_crouched: bool) -> Body {
    let up = if is_crouched { -127 } else { 0 };
    let stay = Command { weapon: MACHINE_GUN, up, ..Command::default() };
    Body { origin, health: VICTIM_HEALTH, weapon: MACHINE_GUN, commands: vec![stay; 60], ..Body::default() }
}

/// Fires at its own feet, mostly while jumping and running.
fn rocket_jump(oracle: &mut Oracle, pcg: &mut Pcg, places: &Places) -> Result<Option<Run>, CaptureError> {
    if places.floors.is_empty() {
        return Ok(None);
    }
    let words = |degrees: f32| (degrees * (65536.0 / 360.0)) as i32 & 0xffff;
    let aim = [words(pcg.range(60.0, 87.0)), pcg.below(65536) as i32, 0];
    let forward = *pcg.pick(&[-127, 0, 127]);
    let press = |buttons, up| Command { angle_words: aim, buttons, weapon: ROCKET_LAUNCHER, forward, up, right: 0 };
    let lead = 2 + pcg.below(8);
    let mut commands = vec![press(0, 0); lead];
    commands.push(press(0, if pcg.chance(0.8) { 127 } else { 0 }));
    commands.push(press(BUTTON_ATTACK, 0));
    commands.resize(JUMP_FRAMES, press(0, 0));
    let body = Body {
        origin: *pcg.pick(&places.floors),
        health: 100,
        weapon: ROCKET_LAUNCHER,
        commands,
        velocity: Vec3::ZERO,
    };
    let drive = Drive { frames: JUMP_FRAMES as i32, bodies: vec![body], probes: Vec::new() };
    let mut run = Run::capture(oracle, "rocketjump", &drive)?;
    run.keep_near(&places.entities, MOVER_REACH);
    let alive = run.frames.iter().take_while(|frame| frame.players[0].health > 0).count();
    run.cut_after(alive - 1);
    Ok((run.explosion().is_some()).then_some(run))
}
