//! Grenades and rockets: somebody stands somewhere and fires once.

use fireteam_world::Vec3;
use fireteam_world::flight::Throw;

use super::places::Places;
use crate::capture::oracle::{CaptureError, Oracle};
use crate::capture::rows::{Body, Command, Drive};
use crate::capture::runs::Run;
use fireteam_world::pcg::Pcg;

pub const GRENADE_LAUNCHER: u8 = 4;
pub const ROCKET_LAUNCHER: u8 = 5;
/// Two to fire, fifty for the fuse, six until the remains are gone, and two to spare.
pub const FRAMES: i32 = 60;
pub const BUTTON_ATTACK: i32 = 1;
const HEALTH: i32 = 100;
/// Movers farther than this from the flight cannot have mattered.
const MOVER_REACH: f32 = 64.0;

/// One shot: from where, in which direction (angle words), with what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    pub origin: Vec3,
    pub pitch: i32,
    pub yaw: i32,
    pub weapon: u8,
}

impl Shot {
    /// Any direction; grenades are thrown from somewhat down to steeply up.
    pub fn draw(pcg: &mut Pcg, floors: &[Vec3], weapon: u8) -> Option<Shot> {
        if floors.is_empty() {
            return None;
        }
        let words = |degrees: f32| (degrees * (65536.0 / 360.0)) as i32 & 0xffff;
        let pitch = if weapon == GRENADE_LAUNCHER { pcg.range(-75.0, 40.0) } else { pcg.range(-60.0, 80.0) };
        let (pitch, yaw) = (words(pitch), pcg.below(65536) as i32);
        Some(Shot { origin: *pcg.pick(floors), pitch, yaw, weapon })
    }

    /// A throw as a client can send it: angles in 65,536 steps around.
    pub fn of(origin: Vec3, throw: &Throw, weapon: u8) -> Shot {
        let words = |degrees: f32| (degrees * (65536.0 / 360.0)).round() as i32 & 0xffff;
        Shot { origin, pitch: words(throw.pitch), yaw: words(throw.yaw), weapon }
    }

    /// What the server makes of it.
    pub fn throw(&self, speed: f32) -> Throw {
        // Angles come back as signed words.
        let degrees = |words: i32| f32::from(words as u16 as i16) * (360.0 / 65536.0);
        Throw { yaw: degrees(self.yaw), pitch: degrees(self.pitch), speed, cooked_ms: 0 }
    }

    pub fn name(&self) -> &'static str {
        if self.weapon == GRENADE_LAUNCHER { "grenade" } else { "rocket" }
    }

    /// Stands for a frame (so that feet are on the ground), fires, stands still.
    pub fn body(&self) -> Body {
        let aim = Command { angle_words: [self.pitch, self.yaw, 0], weapon: self.weapon, ..Command::default() };
        let fire = Command { buttons: BUTTON_ATTACK, ..aim.clone() };
        Body { origin: self.origin, health: HEALTH, weapon: self.weapon, commands: vec![aim, fire], ..Body::default() }
    }

    pub fn drive(&self) -> Drive {
        Drive { frames: FRAMES, bodies: vec![self.body()], probes: Vec::new() }
    }
}

/// `count` flights, from the shot to the explosion (or to where the missile left the map).
pub fn capture(
    oracle: &mut Oracle,
    pcg: &mut Pcg,
    places: &Places,
    weapon: u8,
    count: usize,
) -> Result<Vec<Run>, CaptureError> {
    let mut runs = Vec::new();
    for _ in 0..count {
        let Some(shot) = Shot::draw(pcg, &places.floors, weapon) else { break };
        let mut run = Run::capture(oracle, shot.name(), &shot.drive())?;
        trim(&mut run);
        run.keep_near(&places.entities, MOVER_REACH);
        runs.push(run);
    }
    Ok(runs)
}

/// Keeps the flight: nothing after the explosion, the thrower only until it has fired.
fn trim(run: &mut Run) {
    let last = match run.explosion() {
        Some(explosion) => explosion.frame,
        None => run.frames.iter().rposition(|frame| !frame.missiles.is_empty()).unwrap_or(0),
    };
    run.cut_after(last.max(2));
    for frame in run.frames.iter_mut().skip(3) {
        frame.players.clear();
    }
}
