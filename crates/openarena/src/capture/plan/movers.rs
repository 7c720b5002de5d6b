//! Doors, lifts, buttons and what moves by itself: set off, then watched until all is at rest again.
//!
//! A client is put where the trigger is (or walks at the button, firing: some want to be shot), leaves the game, and
//! the map is watched alone, so that nobody holds the door. Lifts are also ridden.

use std::collections::BTreeSet;

use fireteam_world::{Contents, Hull, Sweep, Vec3};

use super::places::{CROUCHED, Places, SMALL, STANDING};
use super::throws::BUTTON_ATTACK;
use crate::capture::oracle::{CaptureError, Oracle};
use crate::capture::rows::{Body, Command, Drive, EntityRow, Frame, Probe};
use crate::capture::runs::Run;
use crate::capture::traces::TraceScene;
use fireteam_world::pcg::Pcg;

const MACHINE_GUN: u8 = 2;
const HEALTH: i32 = 1000;
/// Half a second: enough to touch, walk against or shoot something.
const WAKE_FRAMES: i32 = 10;
/// Ten seconds: every door and lift of the game is back by then.
const WATCH_FRAMES: i32 = 200;
const RIDE_FRAMES: i32 = 100;
/// Kept after the last change.
const REST_FRAMES: usize = 2;
/// Moments of a movement in which sweeps are asked.
const PROBE_MOMENTS: usize = 4;
const PROBE_SWEEPS: usize = 12;

const SIDES: [Vec3; 4] = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y];

/// What was seen, and what was asked while it moved.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    pub runs: Vec<Run>,
    pub scenes: Vec<TraceScene>,
}

/// Sets off everything that can be, at most `count` different things, and rides every lift.
pub fn capture(oracle: &mut Oracle, pcg: &mut Pcg, places: &Places, count: usize) -> Result<Moved, CaptureError> {
    let mut moved = Moved::default();
    let mut known: BTreeSet<BTreeSet<u16>> = BTreeSet::new();
    // Whatever earlier questions set off comes to rest first.
    oracle.drive(&watch(WATCH_FRAMES, Vec::new()))?;
    let alone = Run::capture(oracle, "watch", &watch(WATCH_FRAMES, Vec::new()))?;
    let restless = alone.moved();
    if !restless.is_empty() {
        moved.scenes.extend(probe(oracle, pcg, &places.entities, &alone, None)?);
        known.insert(restless.clone());
        moved.runs.push(trimmed(alone, &BTreeSet::new()));
    }
    for row in &places.entities {
        if moved.runs.len() == count {
            break;
        }
        for waker in wakers(oracle, row)? {
            let run = wake(oracle, &row.class, &waker, Vec::new())?;
            let woken: BTreeSet<u16> = run.moved().difference(&restless).copied().collect();
            if woken.is_empty() || !known.insert(woken) {
                continue;
            }
            moved.scenes.extend(probe(oracle, pcg, &places.entities, &run, Some(&waker))?);
            moved.runs.push(trimmed(run, &restless));
            break;
        }
    }
    for row in places.entities.iter().filter(|row| row.class == "func_plat") {
        moved.runs.extend(ride(oracle, row)?);
    }
    Ok(moved)
}

/// Clients that might set this off, first those who have room to stand.
fn wakers(oracle: &mut Oracle, row: &EntityRow) -> Result<Vec<Body>, CaptureError> {
    let (centre, half) = ((row.absmin + row.absmax) * 0.5, (row.absmax - row.absmin) * 0.5);
    let beside = |gap: f32| SIDES.map(|side| centre + side * (half.dot(side.abs()) + gap));
    let bodies: Vec<Body> = match row.class.as_str() {
        // Its middle is the door itself; one stands at its rim.
        "door_trigger" => beside(-8.0).map(still).to_vec(),
        "trigger_multiple" => beside(0.0).map(still).to_vec(),
        // Just above the lift that waits below.
        "plat_trigger" => vec![still(Vec3::new(centre.x, centre.y, row.absmax.z + 24.0))],
        "func_button" | "func_door" => beside(24.0).into_iter().zip(0..).map(|(at, side)| charging(at, side)).collect(),
        _ => return Ok(Vec::new()),
    };
    let hull = |body: &Body| Sweep::hull(body.origin, body.origin, STANDING, Contents::MASK_PLAYER);
    let answers = oracle.traces(&bodies.iter().map(hull).collect::<Vec<_>>())?;
    let free = bodies.into_iter().zip(answers).filter(|(_, answer)| !answer.start_solid).map(|(body, _)| body);
    // A trigger is touched even by somebody stuck in a wall, if all else fails.
    let stuck = row.class.contains("trigger").then(|| still(centre));
    Ok(free.chain(stuck).collect())
}

fn still(origin: Vec3) -> Body {
    let command = Command { weapon: MACHINE_GUN, ..Command::default() };
    Body { origin, health: HEALTH, weapon: MACHINE_GUN, commands: vec![command], ..Body::default() }
}

/// Walks back to where `side` came from, and fires.
fn charging(origin: Vec3, side: i32) -> Body {
    const QUARTER: i32 = 16384;
    let command = Command {
        angle_words: [0, ((side + 2) * QUARTER) & 0xffff, 0],
        buttons: BUTTON_ATTACK,
        weapon: MACHINE_GUN,
        forward: 127,
        ..Command::default()
    };
    Body { commands: vec![command; WAKE_FRAMES as usize], ..still(origin) }
}

fn watch(frames: i32, probes: Vec<Probe>) -> Drive {
    Drive { frames, bodies: Vec::new(), probes }
}

/// Half a second with the client, then without; `probes` count frames from when it left.
fn wake(oracle: &mut Oracle, what: &str, waker: &Body, probes: Vec<Probe>) -> Result<Run, CaptureError> {
    let drive = Drive { frames: WAKE_FRAMES, bodies: vec![waker.clone()], probes: Vec::new() };
    let mut run = Run::capture(oracle, what, &drive)?;
    run.append(Run::capture(oracle, what, &watch(WATCH_FRAMES, probes))?);
    Ok(run)
}

/// Stands on a lift while it goes up, waits and comes down.
fn ride(oracle: &mut Oracle, row: &EntityRow) -> Result<Option<Run>, CaptureError> {
    let above =
        Vec3::new((row.absmin.x + row.absmax.x) * 0.5, (row.absmin.y + row.absmax.y) * 0.5, row.absmax.z + 30.0);
    let drop = Sweep::hull(above, above - Vec3::Z * 20.0, STANDING, Contents::MASK_PLAYER);
    let answers = oracle.traces(&[drop])?;
    let Some(answer) = answers.first().filter(|answer| answer.entity == row.entity && !answer.start_solid) else {
        return Ok(None);
    };
    let body = Body { health: 100, ..still(answer.end) };
    let drive = Drive { frames: RIDE_FRAMES, bodies: vec![body], probes: Vec::new() };
    let mut run = Run::capture(oracle, "ride", &drive)?;
    let moved = run.moved();
    for frame in &mut run.frames {
        frame.movers.retain(|mover| moved.contains(&mover.entity));
        frame.missiles.clear();
    }
    Ok(moved.contains(&row.entity).then_some(run))
}

/// Only what moved because it was set off, until shortly after the last change.
fn trimmed(mut run: Run, restless: &BTreeSet<u16>) -> Run {
    let moved: BTreeSet<u16> = run.moved().difference(restless).copied().collect();
    for frame in &mut run.frames {
        frame.movers.retain(|mover| moved.contains(&mover.entity));
        frame.missiles.clear();
    }
    let last = run.frames.iter().rposition(|frame| !frame.movers.is_empty()).unwrap_or(0);
    run.cut_after(last + REST_FRAMES);
    run
}

/// The same movement once more, with sweeps around what moves.
fn probe(
    oracle: &mut Oracle,
    pcg: &mut Pcg,
    entities: &[EntityRow],
    seen: &Run,
    waker: Option<&Body>,
) -> Result<Vec<TraceScene>, CaptureError> {
    let lead = if waker.is_some() { WAKE_FRAMES as usize } else { 0 };
    let moving: Vec<usize> = (lead + 1..seen.frames.len()).filter(|&f| !seen.frames[f].movers.is_empty()).collect();
    let step = moving.len().div_ceil(PROBE_MOMENTS).max(1);
    let probes: Vec<Probe> = moving
        .into_iter()
        .step_by(step)
        .map(|frame| Probe { frame: (frame - lead) as i32, sweeps: around(pcg, entities, &seen.frames[frame]) })
        .collect();
    let run = match waker {
        Some(waker) => wake(oracle, "probe", waker, probes.clone())?,
        None => Run::capture(oracle, "probe", &watch(WATCH_FRAMES, probes.clone()))?,
    };
    Ok(probes
        .into_iter()
        .map(|probe| {
            let frame = lead + probe.frame as usize;
            let placed =
                run.movers_at(frame).into_iter().filter(|row| !row.contents.is_empty()).map(|row| row.placed());
            TraceScene {
                map: run.map.clone(),
                placed: placed.collect(),
                traces: probe.sweeps.into_iter().zip(run.frames[frame].traces.clone()).collect(),
                ..TraceScene::default()
            }
        })
        .collect())
}

/// From one point near a moving thing to another.
fn around(pcg: &mut Pcg, entities: &[EntityRow], frame: &Frame) -> Vec<Sweep> {
    const HULLS: [Hull; 4] = [Hull::POINT, STANDING, CROUCHED, SMALL];
    const MARGIN: f32 = 80.0;
    let mut sweeps = Vec::new();
    for mover in &frame.movers {
        let Some(row) = entities.iter().find(|row| row.entity == mover.entity) else { continue };
        let shift = mover.origin - row.origin;
        let (low, high) = (row.absmin + shift - MARGIN, row.absmax + shift + MARGIN);
        for number in 0..PROBE_SWEEPS {
            let mut point = || Vec3::new(pcg.range(low.x, high.x), pcg.range(low.y, high.y), pcg.range(low.z, high.z));
            let (start, end) = (point(), point());
            let hull = HULLS[number % HULLS.len()];
            let mask = if hull == Hull::POINT { Contents::MASK_SOLID } else { Contents::MASK_WALK };
            sweeps.push(Sweep { start, end, hull, mask });
        }
    }
    sweeps
}
