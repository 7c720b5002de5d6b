//! A recorded shot, flown again.
//!
//! The launch is computed from the thrower as recorded in the frame of the shot; from there on the missile is left alone
//! to its end: errors add up. Movers stand where the record has them in each frame.

use fireteam_world::flight::{Air, EndReason, Ending, Launch, Missile, Throw, Thrower};
use fireteam_world::game::{Game, Throwable};
use fireteam_world::mover::Movers;
use fireteam_world::trace::Placed;
use fireteam_world::units::{EntityId, ModelId, Time};
use fireteam_world::{Crowd, Map, Scene, Solids, Vec3};

use crate::capture::plan::throws::FRAMES;
use crate::capture::rows::{ENTITY_NONE, ENTITY_WORLD, Frame, MissileFrame};
use crate::capture::runs::Run;

/// What an entity is while it flies; afterwards it is only an event.
const KIND_MISSILE: i32 = 3;
/// The kind of motion of what lies still.
const STATIONARY: i32 = 0;

/// The map in which shots were fired, and the game whose missiles they were.
#[derive(Debug)]
pub struct Range<'a> {
    solids: &'a Solids,
    game: &'a Game,
    /// Brush models on which a missile explodes.
    shootable: Vec<ModelId>,
}

/// How a flight compares with its record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stray {
    /// The largest distance at the end of any frame, the explosion included.
    pub worst: f32,
    /// Distance between the places where both went off.
    pub end: f32,
    pub bounces: usize,
    /// Frames in which one bounced and the other did not.
    pub bounces_apart: usize,
    /// Ended in another frame, or otherwise (exploded on something, by its fuse, or left the map).
    pub ends_apart: bool,
    pub frames: usize,
}

impl Stray {
    /// Whether every bounce and the explosion are within `reach` of the record's.
    pub fn is_within(&self, reach: f32) -> bool {
        self.worst <= reach && self.bounces_apart == 0 && !self.ends_apart
    }
}

impl<'a> Range<'a> {
    pub fn new(map: &Map, solids: &'a Solids, game: &'a Game) -> Range<'a> {
        let movers = Movers::of(map, game, Time(0));
        let shootable = movers.shootable().collect::<Vec<_>>();
        let placed = movers.placed().iter().filter(|placed| shootable.contains(&placed.entity));
        Range { solids, game, shootable: placed.map(|placed| placed.model).collect() }
    }

    /// Flies the first shot of a run again; none if nothing was fired in it.
    pub fn replay(&self, run: &Run) -> Option<Stray> {
        let throwable = self.game.throwable(&run.what)?;
        let (first, shot) = run.frames.iter().enumerate().find_map(|(number, frame)| {
            let missile = frame.missiles.iter().find(|missile| missile.class == run.what)?;
            Some((number, missile))
        })?;
        let launch = launch_of(throwable, run, first)?;
        let mut missile = Missile::new(launch, throwable, self.game.flight_rules());
        let mut placed: Vec<Placed> = Vec::new();
        let mut stray = Stray::default();
        let mut before = None;
        for (number, frame) in run.frames.iter().enumerate() {
            self.place(&mut placed, frame);
            if number < first {
                continue;
            }
            let ours = self.step(&mut missile, &placed);
            let theirs = frame.missiles.iter().find(|row| row.entity == shot.entity);
            stray.add(&ours, theirs, theirs.is_some_and(|now| is_bounced(before, now, frame.time)));
            if ours.ending.is_some() || theirs.is_none_or(|row| row.kind != KIND_MISSILE) {
                return Some(stray);
            }
            before = theirs;
        }
        if run.frames.len() <= FRAMES as usize {
            // The record keeps nothing of a missile that left the map, not even the frame in which it did.
            let ours = self.step(&mut missile, &placed);
            stray.add(&ours, None, false);
        }
        Some(stray)
    }

    fn place(&self, placed: &mut Vec<Placed>, frame: &Frame) {
        for mover in frame.movers.iter().map(|mover| mover.placed()) {
            match placed.iter_mut().find(|known| known.entity == mover.entity) {
                Some(known) => *known = mover,
                None => placed.push(mover),
            }
        }
    }

    fn step(&self, missile: &mut Missile<'_>, placed: &[Placed]) -> Flown {
        let shootable: Vec<EntityId> =
            placed.iter().filter(|mover| self.shootable.contains(&mover.model)).map(|mover| mover.entity).collect();
        let crowd = Crowd::of(self.solids, placed, &[]);
        let scene = Scene { solids: self.solids, crowd: &crowd };
        let mut bounces = 0;
        let ending = missile.step(&Air { scene, shootable: &shootable }, &mut |_| bounces += 1);
        Flown { place: ending.map_or(missile.place(), |ending| ending.place), ending, bounces }
    }
}

/// What one frame brought in our own flight.
struct Flown {
    place: Vec3,
    ending: Option<Ending>,
    bounces: usize,
}

impl Stray {
    fn add(&mut self, ours: &Flown, theirs: Option<&MissileFrame>, is_theirs_bounced: bool) {
        self.frames += 1;
        let is_gone = ours.ending.is_some_and(|ending| ending.reason == EndReason::Gone);
        let Some(theirs) = theirs else {
            self.ends_apart |= !is_gone;
            return;
        };
        self.bounces += ours.bounces;
        self.bounces_apart += usize::from((ours.bounces > 0) != is_theirs_bounced);
        self.ends_apart |= is_gone || ours.ending.is_some() != (theirs.kind != KIND_MISSILE);
        self.end = ours.place.distance(theirs.origin);
        self.worst = self.worst.max(self.end);
    }
}

/// Whether a missile bounced in the frame that ended at `time`: its motion began anew there, or it came to lie.
fn is_bounced(before: Option<&MissileFrame>, now: &MissileFrame, time: i32) -> bool {
    let is_new_rest = now.pos.kind == STATIONARY && before.is_some_and(|before| before.pos.kind != STATIONARY);
    now.kind == KIND_MISSILE && (now.pos.time == time || is_new_rest)
}

/// The shot as it left the hand in frame `first`. A client fires before movers carry it along in that frame, so who
/// stands on one fired from where the frame before had left him.
fn launch_of(throwable: &Throwable, run: &Run, first: usize) -> Option<Launch> {
    let frame = &run.frames[first];
    let thrower = frame.players.first()?;
    let rides = thrower.ground != i32::from(ENTITY_WORLD) && thrower.ground != i32::from(ENTITY_NONE);
    let before = run.frames.get(first.checked_sub(1)?)?.players.first()?;
    let hand = Thrower {
        origin: if rides { before.origin } else { thrower.origin },
        view_height: thrower.view_height as f32,
        velocity: thrower.velocity,
        entity: Some(EntityId(0)),
    };
    let angles = thrower.view_angles;
    let throw = Throw { yaw: angles.y, pitch: angles.x, speed: throwable.speeds[0], cooked_ms: 0 };
    Some(throwable.launch(&hand, &throw, Time(frame.time)))
}
