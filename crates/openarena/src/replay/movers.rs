//! Recorded doors, lifts and trains, set off again.
//!
//! The movers are simulated from the map's entities alone, from the level's first moment on. Who set them off is taken
//! from the record frame by frame: the player as it was, moved by the recorded command through our own movers, so that
//! what it bumps into, stands on and enters is found by our own code. One thing is told: a shot, since bullets scatter.

use fireteam_world::game::{Game, Side};
use fireteam_world::movement::{Ground, Setting, frame};
use fireteam_world::mover::{Act, Motion, MotionKind, MoverState, Movers, Rider};
use fireteam_world::trace::Placed;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Map, Scene, Solids};

use super::moves::{command_of, player_of};
use crate::capture::rows::{Frame, MoverFrame, Trajectory};
use crate::capture::runs::Run;

/// What the walker is called among the map's entities, whose numbers are their places in the map.
const WALKER: EntityId = EntityId(u16::MAX);
const BUTTON_ATTACK: i32 = 1;
/// What the protocol's thrown things fall by, whatever a server's gravity.
const GRAVITY: f32 = 800.0;
/// The recorded states of a door at rest and of one that opens.
const AT_REST: i32 = 0;
const OPENING: i32 = 2;
/// A server lets a new level settle in three frames of this length before frames are 50 ms.
const SETTLING_MS: i32 = 100;
const SETTLING_FRAMES: i32 = 3;

/// How movers compare with their record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stray {
    /// Places and angles compared.
    pub rows: usize,
    /// Of these, told of something that moves.
    pub moving: usize,
    pub exact: usize,
    /// The largest distance (or difference of angles, in degrees), and of which brush model in which frame.
    pub worst: f32,
    pub worst_at: Option<(u16, usize)>,
    /// The largest distance of a player who was carried or pushed.
    pub rider_worst: f32,
    /// Models that stood elsewhere when the run began (a door still open from the run before, a blade that somebody
    /// had held up): what they would do is not known.
    pub unknown: Vec<u16>,
    /// The largest distance between a place and the motion that clients are told for it, unknown models included.
    pub told_worst: f32,
}

/// Simulates the movers of a run again.
pub fn replay(map: &Map, solids: &Solids, game: &Game, run: &Run) -> Stray {
    let mut stray = Stray::default();
    let Some(first) = run.frames.first() else { return stray };
    let mut movers = settle(map, solids, game, first.time);
    stray.unknown = first.movers.iter().filter(|row| !is_known(&movers, row)).map(|row| row.model).collect();
    let mut known: Vec<MoverFrame> = first.movers.clone();
    for (number, pair) in run.frames.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let mut riders: Vec<Rider> = Vec::new();
        let mut acts = shots(&movers, &known, after, run, number);
        if let (Some(row), Some(_)) = (before.players.first(), after.players.first()) {
            let crowd = Crowd::of(solids, movers.placed(), &[]);
            let scene = Scene { solids, crowd: &crowd };
            let rules = &game.rules.movement;
            let setting = Setting { scene: &scene, rules, me: Some(WALKER), mask: Contents::MASK_BOT };
            let command = command_of(&run.bodies[0].commands, number);
            let step = frame(&player_of(row, rules), &command, after.time - before.time, &setting, &[]);
            acts.extend(step.touched.iter().map(|mover| Act::Bumped { rider: WALKER, mover }));
            riders.push(rider_of(&step.player, game));
        }
        movers.advance(Time(after.time), solids, &mut riders, &acts);
        update(&mut known, &after.movers);
        stray.told_worst = after.movers.iter().map(|row| told_apart(row, after.time)).fold(stray.told_worst, f32::max);
        stray.add(movers.placed(), &known, number + 1);
        if let (Some(rider), Some(row)) = (riders.first(), after.players.first()) {
            stray.rider_worst = stray.rider_worst.max(rider.origin.distance(row.origin));
        }
    }
    stray
}

/// The level from its first moment to `time`, with nobody in it.
fn settle(map: &Map, solids: &Solids, game: &Game, time: i32) -> Movers {
    let mut movers = Movers::of(map, game, Time(0));
    let settling = (1..=SETTLING_FRAMES).map(|frame| frame * SETTLING_MS);
    let settled = SETTLING_FRAMES * SETTLING_MS;
    let frames = (1..).map(|frame| settled + frame * game.rules.frame_ms);
    for now in settling.chain(frames.take_while(|now| *now <= time)) {
        movers.advance(Time(now), solids, &mut [], &[]);
    }
    movers
}

/// Whether a mover is in the record as it is in ours when a run begins.
fn is_known(movers: &Movers, row: &MoverFrame) -> bool {
    let apart = |placed: &Placed| placed.origin.distance(row.origin).max(placed.angles.distance(row.angles));
    movers.placed().iter().any(|placed| placed.model.0 == row.model && apart(placed) < 0.125)
}

/// Shots told by the record: who fires, opens what can be shot open.
fn shots(movers: &Movers, known: &[MoverFrame], after: &Frame, run: &Run, number: usize) -> Vec<Act> {
    let fires =
        run.bodies.first().and_then(|body| body.commands.get(number)).is_some_and(|c| c.buttons & BUTTON_ATTACK != 0);
    let opens = |row: &&MoverFrame| {
        let was_at_rest = known.iter().any(|old| old.entity == row.entity && old.state == AT_REST);
        fires && row.state == OPENING && was_at_rest
    };
    let placed = |row: &MoverFrame| movers.placed().iter().find(|placed| placed.model.0 == row.model);
    let opened = after.movers.iter().filter(opens).filter_map(placed).filter(|placed| {
        let report = movers.state(placed.entity);
        report.is_some_and(|report| report.is_shootable && report.state == MoverState::First)
    });
    opened.map(|placed| Act::Shot { mover: placed.entity, damage: 1 }).collect()
}

fn rider_of(player: &fireteam_world::movement::Player, game: &Game) -> Rider {
    let ground = match player.ground {
        Ground::Air => None,
        Ground::Floor { entity, .. } => entity,
    };
    Rider {
        entity: WALKER,
        origin: player.origin,
        hull: player.hull(&game.rules.movement),
        ground,
        turned: 0.0,
        is_alive: !player.is_dead,
        is_player: true,
        side: Side::Anyone,
        keys: 0,
    }
}

/// How far a mover is from where the motions told for it have it.
fn told_apart(row: &MoverFrame, time: i32) -> f32 {
    let place = motion_of(&row.pos).at(Time(time));
    let angles = motion_of(&row.apos).at(Time(time));
    place.distance(row.origin).max(angles.distance(row.angles))
}

/// A motion as the protocol tells it.
fn motion_of(row: &Trajectory) -> Motion {
    let kind = match row.kind {
        0 => MotionKind::Stationary,
        1 => MotionKind::Interpolate,
        2 => MotionKind::Linear,
        3 => MotionKind::LinearStop,
        4 => MotionKind::Sine,
        _ => MotionKind::Gravity(GRAVITY),
    };
    Motion { kind, start: Time(row.time), duration_ms: row.duration, base: row.base, delta: row.delta }
}

fn update(known: &mut [MoverFrame], changed: &[MoverFrame]) {
    for row in changed {
        if let Some(old) = known.iter_mut().find(|old| old.entity == row.entity) {
            old.clone_from(row);
        }
    }
}

impl Stray {
    fn add(&mut self, placed: &[Placed], known: &[MoverFrame], frame: usize) {
        for row in known.iter().filter(|row| !self.unknown.contains(&row.model)) {
            let Some(ours) = placed.iter().find(|placed| placed.model.0 == row.model) else { continue };
            let apart = ours.origin.distance(row.origin).max(ours.angles.distance(row.angles));
            self.rows += 1;
            self.moving += usize::from(row.pos.kind != 0 || row.apos.kind != 0);
            self.exact += usize::from(apart == 0.0);
            if apart > self.worst {
                (self.worst, self.worst_at) = (apart, Some((row.model, frame)));
            }
        }
    }
}
