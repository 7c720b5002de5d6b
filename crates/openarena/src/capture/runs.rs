//! Drives as captured and kept: who was placed where, what was pressed, and what every frame looked like.
//!
//! Player runs, throws, blasts and rides are all one thing, a [`Run`]; they differ in what was pressed and in what is
//! worth looking at afterwards ([`Run::explosion`]).

use std::collections::{BTreeMap, BTreeSet};

use fireteam_world::Vec3;

use super::field::rows;
use super::kept::kept_lines;
use super::oracle::{CaptureError, Oracle};
use super::rows::{Body, Command, Drive, EntityRow, Frame, MissileFrame, MoverFrame, PlayerFrame};

/// `EV_MISSILE_HIT`: a missile met something that can be hurt.
pub const EVENT_MISSILE_HIT: i32 = 50;
/// `EV_MISSILE_MISS`, and the next on metal: a missile met something else, or its fuse ended.
pub const EVENT_MISSILE_MISS: i32 = 51;
pub const EVENT_MISSILE_MISS_METAL: i32 = 52;
pub const EVENT_GRENADE_BOUNCE: i32 = 44;
/// The low bits of an event are its number, the others count.
const EVENT_NUMBER: i32 = 0xff;

rows! {
    /// A body as placed, without its commands.
    Placement {
        origin: Vec3,
        velocity: Vec3,
        health: i32,
        weapon: u8,
    }
}

/// One drive with its frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub map: String,
    /// What it was made for: `walk`, `jump`, `grenade` and so on.
    pub what: String,
    pub bodies: Vec<Body>,
    /// The first is the moment before the first command.
    pub frames: Vec<Frame>,
}

/// Where and when a missile went off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explosion {
    /// Index into the frames of the run.
    pub frame: usize,
    pub missile: u16,
    pub origin: Vec3,
    /// Whether it struck something that can be hurt, which then took the direct damage.
    pub is_hit: bool,
}

impl Run {
    /// Drives and keeps the frames.
    pub fn capture(oracle: &mut Oracle, what: &str, drive: &Drive) -> Result<Run, CaptureError> {
        let mut frames = oracle.drive(drive)?;
        // What still smokes from the run before is not part of this one.
        let left_over: Vec<u16> = frames[0].missiles.iter().map(|missile| missile.entity).collect();
        for frame in &mut frames {
            frame.missiles.retain(|missile| !left_over.contains(&missile.entity));
        }
        Ok(Run { map: oracle.map().to_owned(), what: what.to_owned(), bodies: drive.bodies.clone(), frames })
    }

    /// The first explosion of a missile that a player fired.
    pub fn explosion(&self) -> Option<Explosion> {
        self.frames.iter().enumerate().skip(1).find_map(|(frame, now)| {
            let missile = now.missiles.iter().find(|row| row.is_thrown() && row.explodes().is_some())?;
            let (origin, is_hit) = (missile.origin, missile.explodes()?);
            Some(Explosion { frame, missile: missile.entity, origin, is_hit })
        })
    }

    /// Cuts off what follows frame `last`.
    pub fn cut_after(&mut self, last: usize) {
        self.frames.truncate(last + 1);
        for body in &mut self.bodies {
            body.commands.truncate(last);
        }
    }

    /// Cuts off what precedes frame `first`, which becomes the start: with all movers, and the commands that follow.
    pub fn cut_before(&mut self, first: usize) {
        let movers = self.movers_at(first);
        self.frames.drain(..first.min(self.frames.len()));
        if let Some(start) = self.frames.first_mut() {
            start.movers = movers;
        }
        for body in &mut self.bodies {
            body.commands.drain(..first.min(body.commands.len()));
        }
    }

    /// Every mover as it was at the end of a frame.
    pub fn movers_at(&self, frame: usize) -> Vec<MoverFrame> {
        let mut movers: BTreeMap<u16, &MoverFrame> = BTreeMap::new();
        for mover in self.frames.iter().take(frame + 1).flat_map(|frame| &frame.movers) {
            movers.insert(mover.entity, mover);
        }
        movers.into_values().cloned().collect()
    }

    /// Which movers changed after the first frame.
    pub fn moved(&self) -> BTreeSet<u16> {
        self.frames.iter().skip(1).flat_map(|frame| &frame.movers).map(|mover| mover.entity).collect()
    }

    /// Goes on with `later`, which began in the moment this one ended.
    pub fn append(&mut self, later: Run) {
        self.frames.extend(later.frames.into_iter().skip(1));
    }

    /// Forgets movers that never came within `reach` of a player or missile, and missiles that the map itself fires.
    pub fn keep_near(&mut self, entities: &[EntityRow], reach: f32) {
        for frame in &mut self.frames {
            frame.missiles.retain(MissileFrame::is_thrown);
        }
        let players = self.frames.iter().flat_map(|frame| &frame.players).map(|player| player.origin);
        let missiles = self.frames.iter().flat_map(|frame| &frame.missiles).map(|missile| missile.origin);
        let path: Vec<Vec3> = players.chain(missiles).collect();
        let Some(&first) = path.first() else { return };
        let low = path.iter().fold(first, |low, &at| low.min(at)) - Vec3::splat(reach);
        let high = path.iter().fold(first, |high, &at| high.max(at)) + Vec3::splat(reach);
        let meets = |mover: &MoverFrame| {
            let Some(row) = entities.iter().find(|row| row.entity == mover.entity) else { return true };
            // A turned model may reach anywhere within its longest radius.
            let (mins, maxs) = (row.absmin - row.origin, row.absmax - row.origin);
            let turn = if mover.angles == row.angles { 0.0 } else { mins.length().max(maxs.length()) };
            let (mins, maxs) = (mover.origin + mins - turn, mover.origin + maxs + turn);
            mins.cmple(high).all() && maxs.cmpge(low).all()
        };
        let movers = self.frames.iter().flat_map(|frame| &frame.movers);
        let near: BTreeSet<u16> = movers.filter(|mover| meets(mover)).map(|mover| mover.entity).collect();
        for frame in &mut self.frames {
            frame.movers.retain(|mover| near.contains(&mover.entity));
        }
    }
}

impl MissileFrame {
    /// The number of its event, without the counting bits; 0 for none.
    pub fn event_number(&self) -> i32 {
        self.event & EVENT_NUMBER
    }

    /// Whether a player fired it.
    pub fn is_thrown(&self) -> bool {
        const CLIENTS_MAX: u16 = 64;
        self.owner < CLIENTS_MAX
    }

    /// Whether it has just gone off; true if on something that can be hurt.
    fn explodes(&self) -> Option<bool> {
        const GENERAL: i32 = 0;
        match self.event_number() {
            _ if self.kind != GENERAL => None,
            EVENT_MISSILE_HIT => Some(true),
            EVENT_MISSILE_MISS | EVENT_MISSILE_MISS_METAL => Some(false),
            _ => None,
        }
    }
}

kept_lines!(
    /// A line of `moves.txt.gz`, `flights.txt.gz`, `blasts.txt.gz` or `movers.txt.gz`.
    pub RunLine, "runs",
    "map NAME: what follows was driven on this map
    run WHAT: begins a run
    body ORIGIN VELOCITY HEALTH WEAPON: as placed
    command PITCH YAW ROLL BUTTONS WEAPON FORWARD RIGHT UP: what that body presses, frame by frame
    frame TIME: what stands below is as it was at the end of this frame; the first is the start
    player TIME MOVETYPE MOVEFLAGS MOVETIME ORIGIN VELOCITY GRAVITY SPEED DELTAANGLES VIEWANGLES GROUND VIEWHEIGHT
    .. WEAPON WEAPONSTATE WEAPONTIME HEALTH ENTITYFLAGS JUMPPAD ABSMIN ABSMAX EVENTS (count, then number and parameter)
    mover ENTITY MODEL CONTENTS ORIGIN ANGLES STATE POS APOS: all in the first frame, then those that changed
    missile ENTITY KIND CLASS OWNER ORIGIN POS EVENT PARAMETER ENTITYFLAGS NEXTTHINK
    POS and APOS are KIND TIME DURATION BASE DELTA" {
        "map" Map(String),
        "run" Run(String),
        "body" Body(Placement),
        "command" Command(Command),
        "frame" Frame(i32),
        "player" Player(PlayerFrame),
        "mover" Mover(MoverFrame),
        "missile" Missile(MissileFrame),
    }
);

impl Run {
    pub fn to_lines(runs: &[Run]) -> Vec<RunLine> {
        runs.iter().flat_map(Run::lines).collect()
    }

    fn lines(&self) -> Vec<RunLine> {
        let mut lines = vec![RunLine::Map(self.map.clone()), RunLine::Run(self.what.clone())];
        for body in &self.bodies {
            let Body { origin, velocity, health, weapon, .. } = *body;
            lines.push(RunLine::Body(Placement { origin, velocity, health, weapon }));
            lines.extend(body.commands.iter().cloned().map(RunLine::Command));
        }
        for frame in &self.frames {
            lines.push(RunLine::Frame(frame.time));
            lines.extend(frame.players.iter().cloned().map(RunLine::Player));
            lines.extend(frame.movers.iter().cloned().map(RunLine::Mover));
            lines.extend(frame.missiles.iter().cloned().map(RunLine::Missile));
        }
        lines
    }

    /// The runs that `lines` tell of; `None` if a line stands where it makes no sense.
    pub fn from_lines(lines: &[RunLine]) -> Option<Vec<Run>> {
        let mut runs: Vec<Run> = Vec::new();
        let mut map = "";
        for line in lines {
            match line {
                RunLine::Map(name) => map = name,
                RunLine::Run(what) => {
                    runs.push(Run { map: map.to_owned(), what: what.clone(), ..Run::default() });
                }
                line => runs.last_mut()?.add(line)?,
            }
        }
        Some(runs)
    }

    fn add(&mut self, line: &RunLine) -> Option<()> {
        match line {
            RunLine::Map(_) | RunLine::Run(_) => {}
            RunLine::Body(row) => {
                let Placement { origin, velocity, health, weapon } = *row;
                self.bodies.push(Body { origin, velocity, health, weapon, commands: Vec::new() });
            }
            RunLine::Command(command) => self.bodies.last_mut()?.commands.push(command.clone()),
            RunLine::Frame(time) => self.frames.push(Frame { time: *time, ..Frame::default() }),
            RunLine::Player(row) => self.frames.last_mut()?.players.push(row.clone()),
            RunLine::Mover(row) => self.frames.last_mut()?.movers.push(row.clone()),
            RunLine::Missile(row) => self.frames.last_mut()?.missiles.push(row.clone()),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_come_back_from_lines() {
        let body = Body { origin: Vec3::X, weapon: 4, commands: vec![Command::default(); 2], ..Body::default() };
        let missile = MissileFrame { class: "grenade".to_owned(), ..MissileFrame::default() };
        let frame =
            Frame { time: 50, players: vec![PlayerFrame::default()], missiles: vec![missile], ..Frame::default() };
        let run = |what: &str| Run {
            map: "oa_dm1".to_owned(),
            what: what.to_owned(),
            bodies: vec![body.clone(), Body::default()],
            frames: vec![frame.clone(), Frame { time: 100, ..Frame::default() }],
        };
        let runs = vec![run("one"), run("two")];
        assert_eq!(Run::from_lines(&Run::to_lines(&runs)), Some(runs));
    }

    #[test]
    fn frame_before_any_run_makes_no_sense() {
        assert_eq!(Run::from_lines(&[RunLine::Frame(50)]), None);
    }

    #[test]
    fn bounce_is_no_explosion() {
        let missile = |kind, event| MissileFrame { kind, event, ..MissileFrame::default() };
        assert_eq!(missile(3, EVENT_GRENADE_BOUNCE | 0x100).explodes(), None);
        assert_eq!(missile(0, EVENT_MISSILE_MISS | 0x200).explodes(), Some(false));
        assert_eq!(missile(0, EVENT_MISSILE_HIT).explodes(), Some(true));
    }
}
