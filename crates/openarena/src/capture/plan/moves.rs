//! Player runs: a body put somewhere, and three seconds of somebody pressing keys.
//!
//! Styles are what players do (walk, run and jump, strafe-jump, sneak crouched, swim, fall), each drawn anew for every
//! run; places are the open ones, and those close to what moves players: pads, teleporters, lifts, water.

use fireteam_world::{Contents, Sweep, Vec3};

use super::places::{Places, STANDING};
use crate::capture::oracle::{CaptureError, Oracle};
use crate::capture::rows::{Body, Command, Drive, EntityRow};
use crate::capture::runs::Run;
use fireteam_world::pcg::Pcg;

/// Three seconds.
pub const RUN_FRAMES: usize = 60;
/// Shorter runs (the player died) are not worth keeping.
const RUN_FRAMES_MIN: usize = 10;
/// Movers farther than this from the path cannot have mattered.
const MOVER_REACH: f32 = 96.0;
const MACHINE_GUN: u8 = 2;
const HEALTH: i32 = 100;
const BUTTON_WALK: i32 = 16;

/// What a run is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Walk,
    Jump,
    Strafe,
    Crouch,
    Mixed,
    /// Starts in the air, thrown.
    Fall,
    /// Starts in water.
    Swim,
    /// Starts beside a pad, a teleporter, a lift or a door, and goes there.
    Machine,
}

impl Style {
    pub const ALL: [Style; 8] = [
        Style::Walk,
        Style::Jump,
        Style::Strafe,
        Style::Crouch,
        Style::Mixed,
        Style::Fall,
        Style::Swim,
        Style::Machine,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Style::Walk => "walk",
            Style::Jump => "jump",
            Style::Strafe => "strafe",
            Style::Crouch => "crouch",
            Style::Mixed => "mixed",
            Style::Fall => "fall",
            Style::Swim => "swim",
            Style::Machine => "machine",
        }
    }
}

/// `count` runs, the styles in turn; a style the map has no place for is replaced by a mixed run.
pub fn capture(oracle: &mut Oracle, pcg: &mut Pcg, places: &Places, count: usize) -> Result<Vec<Run>, CaptureError> {
    let waters = in_water(oracle, &places.open)?;
    let machines = beside_machines(oracle, pcg, &places.entities)?;
    let mut runs = Vec::new();
    for number in 0..count {
        let style = Style::ALL[number % Style::ALL.len()];
        let (style, start) = match style {
            Style::Fall => (style, choose(pcg, &places.open)),
            Style::Swim if !waters.is_empty() => (style, choose(pcg, &waters)),
            Style::Machine if !machines.is_empty() => (style, choose(pcg, &machines)),
            Style::Swim | Style::Machine => (Style::Mixed, choose(pcg, &places.floors)),
            _ => (style, choose(pcg, &places.floors)),
        };
        let Some(start) = start else { continue };
        let mut run = Run::capture(oracle, style.name(), &drive(pcg, style, start))?;
        let alive = run.frames.iter().take_while(|frame| frame.players[0].health > 0).count();
        if alive > RUN_FRAMES_MIN {
            run.cut_after(alive - 1);
            run.keep_near(&places.entities, MOVER_REACH);
            runs.push(run);
        }
    }
    Ok(runs)
}

/// Where a run starts and which way it first looks.
#[derive(Clone, Copy, Debug)]
struct Start {
    origin: Vec3,
    yaw: Option<i32>,
}

fn choose<T: Copy + Into<Start>>(pcg: &mut Pcg, from: &[T]) -> Option<Start> {
    (!from.is_empty()).then(|| (*pcg.pick(from)).into())
}

impl From<Vec3> for Start {
    fn from(origin: Vec3) -> Start {
        Start { origin, yaw: None }
    }
}

fn drive(pcg: &mut Pcg, style: Style, start: Start) -> Drive {
    let thrown = |pcg: &mut Pcg| pcg.direction() * pcg.range(0.0, 700.0);
    let velocity = if style == Style::Fall { thrown(pcg) } else { Vec3::ZERO };
    let commands = press(pcg, style, start.yaw);
    let body = Body { origin: start.origin, velocity, health: HEALTH, weapon: MACHINE_GUN, commands };
    Drive { frames: RUN_FRAMES as i32, bodies: vec![body], probes: Vec::new() }
}

/// Three seconds of keys: every so often other keys, turning all the while.
fn press(pcg: &mut Pcg, style: Style, yaw: Option<i32>) -> Vec<Command> {
    let mut yaw = yaw.unwrap_or_else(|| pcg.below(65536) as i32);
    let mut keys = Keys::draw(pcg, style);
    let mut commands = Vec::with_capacity(RUN_FRAMES);
    for frame in 0..RUN_FRAMES {
        if frame > 0 && frame % keys.frames == 0 {
            keys = Keys::draw(pcg, style);
        }
        yaw += keys.turn;
        // Jumping again needs the key to be let go.
        let up = if keys.hops && frame % 3 == 2 { 0 } else { keys.up };
        commands.push(Command {
            angle_words: [keys.pitch & 0xffff, yaw & 0xffff, 0],
            buttons: keys.buttons,
            weapon: MACHINE_GUN,
            forward: keys.forward,
            right: keys.right,
            up,
        });
    }
    commands
}

/// Keys held for a while.
#[derive(Clone, Copy, Debug)]
struct Keys {
    frames: usize,
    /// Angle words a frame.
    turn: i32,
    pitch: i32,
    buttons: i32,
    forward: i8,
    right: i8,
    up: i8,
    hops: bool,
}

impl Keys {
    fn draw(pcg: &mut Pcg, style: Style) -> Keys {
        let turn = |pcg: &mut Pcg, degrees: f32| (pcg.range(-degrees, degrees) * (65536.0 / 360.0)) as i32;
        let sideways = |pcg: &mut Pcg| *pcg.pick(&[-127, 0, 127]);
        let mut keys = Keys {
            frames: 6 + pcg.below(20),
            turn: if pcg.chance(0.5) { turn(pcg, 6.0) } else { 0 },
            pitch: turn(pcg, 30.0),
            buttons: 0,
            forward: 127,
            right: if pcg.chance(0.3) { sideways(pcg) } else { 0 },
            up: 0,
            hops: false,
        };
        match style {
            Style::Walk | Style::Machine => {
                keys.buttons = if style == Style::Walk && pcg.chance(0.2) { BUTTON_WALK } else { 0 };
                keys.turn = if style == Style::Machine { 0 } else { keys.turn };
                keys.right = if style == Style::Machine { 0 } else { keys.right };
            }
            Style::Jump => (keys.up, keys.hops) = (127, true),
            Style::Strafe => {
                keys.right = *pcg.pick(&[-127, 127]);
                // Strafe-jumping turns towards the side that is pressed.
                keys.turn = -i32::from(keys.right.signum()) * turn(pcg, 4.0).abs();
                (keys.up, keys.hops) = (127, true);
            }
            Style::Crouch => keys.up = if pcg.chance(0.8) { -127 } else { 0 },
            Style::Mixed | Style::Fall => {
                keys.forward = *pcg.pick(&[-127, 0, 64, 127]);
                keys.right = sideways(pcg);
                keys.up = *pcg.pick(&[-127, 0, 0, 127]);
                keys.hops = pcg.chance(0.5);
                keys.turn = turn(pcg, 12.0);
            }
            Style::Swim => {
                keys.forward = *pcg.pick(&[0, 127, 127]);
                keys.up = *pcg.pick(&[-127, 0, 127]);
                keys.pitch = turn(pcg, 80.0);
            }
        }
        keys
    }
}

fn in_water(oracle: &mut Oracle, open: &[Vec3]) -> Result<Vec<Vec3>, CaptureError> {
    let contents = oracle.contents(open)?;
    let wet = open.iter().zip(contents).filter(|(_, bits)| *bits as u32 & Contents::WATER.0 != 0);
    Ok(wet.map(|(&at, _)| at).collect())
}

/// Places around everything that moves players, on the ground, looking towards it.
fn beside_machines(oracle: &mut Oracle, pcg: &mut Pcg, entities: &[EntityRow]) -> Result<Vec<Start>, CaptureError> {
    const MACHINES: [&str; 7] =
        ["trigger_push", "trigger_teleport", "func_plat", "func_bobbing", "func_door", "func_train", "door_trigger"];
    /// Angle words of the four directions.
    const QUARTER: i32 = 16384;
    let mut drops = Vec::new();
    let mut yaws = Vec::new();
    for row in entities.iter().filter(|row| MACHINES.contains(&row.class.as_str())) {
        let (centre, half) = ((row.absmin + row.absmax) * 0.5, (row.absmax - row.absmin) * 0.5);
        for side in 0..4 {
            let away = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y][side];
            let gap = pcg.range(20.0, 120.0);
            let from = centre + away * (half.dot(away.abs()) + gap) + Vec3::Z * (half.z + 33.0);
            drops.push(Sweep::hull(from, from - Vec3::Z * 300.0, STANDING, Contents::MASK_PLAYER));
            yaws.push(((side as i32 + 2) * QUARTER) & 0xffff);
        }
        // And on top of it.
        let above = centre + Vec3::Z * (half.z + 33.0);
        drops.push(Sweep::hull(above, above - Vec3::Z * 100.0, STANDING, Contents::MASK_PLAYER));
        yaws.push(0);
    }
    let answers = oracle.traces(&drops)?;
    let standing = answers.into_iter().zip(yaws).filter(|(answer, _)| !answer.start_solid && answer.normal.z > 0.7);
    Ok(standing.map(|(answer, yaw)| Start { origin: answer.end, yaw: Some(yaw) }).collect())
}
