//! What moves by itself: doors, lifts, buttons, trains, blades, and whatever sets them off.
//!
//! In: the map's entities; then, frame by frame, who stands where ([`Rider`]) and what they did ([`Act`]). Out: every brush
//! model where it is now ([`Movers::placed`], ready for a scene), riders carried or pushed, and what happened
//! ([`MoverEvent`]). A host that is told each motion by a real server needs only [`Motion`]; the embedded game runs this.
//!
//! Everything is as OpenArena's game code does it, frame by frame and in its order: first the players' touches, then
//! the movers in map order, each with its team; a blocked door turns round, a crusher does not, a bobbing thing kills.
//! Keys and breakable walls are ours: that game has none.
//!
//! Chance ("random" keys of triggers and timers) is left out: what varies there is fixed here at its middle.
//! Not here: jump pads, teleporters and harm, which act on a player's own movement (`movement::Trigger`).
//! Cost: nothing for what rests; a moving part costs a box test a rider.

use glam::Vec3;

use crate::crowd::Crowd;
use crate::game::{Game, Side};
use crate::map::Map;
use crate::solids::Solids;
use crate::trace::{Body, Hull, Placed};
use crate::units::{EntityId, Time};

mod binary;
pub mod motion;
mod push;
mod spawn;
mod stops;
mod target;
mod train;

pub use motion::{Motion, MotionKind};

use binary::Binary;
use train::Train;

/// Everything in a map that moves by itself, and the wiring between.
#[derive(Clone, Debug)]
pub struct Movers {
    /// In map order, which is the order in which they act.
    things: Vec<Thing>,
    /// One a brush model, in map order.
    placed: Vec<Placed>,
    /// Names of keys; a rider's `keys` has a bit for each.
    keys: Vec<String>,
    previous: Time,
    events: Vec<MoverEvent>,
    scratch: Scratch,
}

/// Buffers kept from frame to frame.
#[derive(Clone, Debug, Default)]
struct Scratch {
    bodies: Vec<Body>,
    crowd: Crowd,
    pushed: Vec<push::Pushed>,
}

/// Who may be carried, pushed, crushed, and let through doors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rider {
    pub entity: EntityId,
    pub origin: Vec3,
    pub hull: Hull,
    /// The mover he stands on.
    pub ground: Option<EntityId>,
    /// Yaw in degrees he was turned by in this frame; add it to his view.
    pub turned: f32,
    pub is_alive: bool,
    /// An item that blocks a door is removed; a player is hurt.
    pub is_player: bool,
    pub side: Side,
    /// Bits of [`Movers::key`].
    pub keys: u32,
}

/// What somebody did to a mover in this frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Ran into it.
    Bumped { rider: EntityId, mover: EntityId },
    /// Pressed "use" at it, or a script did.
    Used { mover: EntityId },
    /// Hit it with a bullet, a missile or a blast.
    Shot { mover: EntityId, damage: i32 },
}

/// What a frame brought about, beyond moving things.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoverEvent {
    Started(EntityId),
    Stopped(EntityId),
    /// A rider was in the way.
    Crushed {
        rider: EntityId,
        mover: EntityId,
        damage: i32,
    },
    /// An item was in the way.
    Removed {
        rider: EntityId,
    },
    /// A shooter of the map fired: one of the game's throwables, from here, with this direction.
    Fired {
        shooter: EntityId,
        kind: ShooterKind,
        muzzle: Vec3,
        direction: Vec3,
    },
    /// A `target_push` threw who set it off.
    Launched {
        rider: EntityId,
        velocity: Vec3,
    },
    Broke(EntityId),
    /// Somebody without the key tried.
    Locked {
        rider: EntityId,
        mover: EntityId,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShooterKind {
    Rocket,
    Grenade,
    Plasma,
}

/// Which way a thing of two positions is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MoverState {
    /// Where it rests: a door shut, a lift down.
    #[default]
    First,
    /// The other end.
    Second,
    ToSecond,
    ToFirst,
}

/// A mover as one might tell a client about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoverReport {
    pub state: MoverState,
    pub position: Motion,
    pub angles: Motion,
    pub is_shootable: bool,
}

#[derive(Clone, Debug)]
struct Thing {
    entity: EntityId,
    target: Option<String>,
    name: Option<String>,
    /// When it acts next by itself; none if it waits for others.
    think: Option<Time>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Brush(Brush),
    Wire(target::Wire),
}

/// A brush model that may move.
#[derive(Clone, Debug)]
struct Brush {
    /// Index into `placed`.
    slot: usize,
    /// Its bounds before it is placed, a unit larger than the map's, as the engine loads them.
    bounds: Hull,
    position: Motion,
    angles: Motion,
    /// Indices of `things` that move as one, this one first; empty for all but the first of a team.
    team: Vec<usize>,
    captain: usize,
    is_shootable: bool,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Binary(Binary),
    Train(Train),
    /// Rotating, bobbing, swinging: never stops, never told anything.
    Steady,
    Breakable {
        health: i32,
    },
}

/// What is at hand while a frame runs.
struct Frame<'a> {
    now: Time,
    previous: Time,
    solids: &'a Solids,
    riders: &'a mut [Rider],
}

impl Movers {
    /// The movers of a map, standing as they do when a level begins at `start`.
    pub fn of(map: &Map, game: &Game, start: Time) -> Movers {
        spawn::all(map, game, start)
    }

    /// Every brush model where it is now.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    pub fn state(&self, mover: EntityId) -> Option<MoverReport> {
        let brush = self.brush(self.index_of(mover)?)?;
        let state = match &brush.kind {
            Kind::Binary(binary) => binary.state,
            Kind::Train(_) => MoverState::ToSecond,
            Kind::Steady | Kind::Breakable { .. } => MoverState::First,
        };
        Some(MoverReport { state, position: brush.position, angles: brush.angles, is_shootable: brush.is_shootable })
    }

    /// Movers that a shot opens or breaks: what a missile explodes on.
    pub fn shootable(&self) -> impl Iterator<Item = EntityId> + '_ {
        self.things
            .iter()
            .filter(|thing| thing.brush().is_some_and(|brush| brush.is_shootable))
            .map(|thing| thing.entity)
    }

    /// The bit of a key in [`Rider::keys`]; none if no door of this map asks for it.
    pub fn key(&self, name: &str) -> Option<u32> {
        self.keys.iter().position(|key| key == name).map(|index| 1 << index)
    }

    /// One game frame, which ends at `now`. Riders are carried and pushed in place.
    pub fn advance(&mut self, now: Time, solids: &Solids, riders: &mut [Rider], acts: &[Act]) -> &[MoverEvent] {
        self.events.clear();
        let mut frame = Frame { now, previous: self.previous, solids, riders };
        for rider in 0..frame.riders.len() {
            frame.riders[rider].turned = 0.0;
            self.touch_around(rider, &mut frame);
        }
        for act in acts {
            self.act(*act, &mut frame);
        }
        for index in 0..self.things.len() {
            self.run(index, &mut frame);
        }
        self.previous = now;
        &self.events
    }

    /// One thing's frame: it moves with its team, then does what it had put off until now.
    fn run(&mut self, index: usize, frame: &mut Frame<'_>) {
        if let Some(brush) = self.brush(index) {
            if brush.captain != index {
                return;
            }
            let rests = |motion: &Motion| motion.kind == MotionKind::Stationary;
            if !rests(&brush.position) || !rests(&brush.angles) {
                self.move_team(index, frame);
            }
        }
        let due = self.things[index].think.is_some_and(|time| time <= frame.now);
        if due {
            self.things[index].think = None;
            self.think(index, frame);
        }
    }

    fn think(&mut self, index: usize, frame: &mut Frame<'_>) {
        match &self.things[index].what {
            What::Brush(Brush { kind: Kind::Binary(_), .. }) => self.return_to_first(index, frame.now),
            What::Brush(Brush { kind: Kind::Train(_), .. }) => self.train_thinks(index, frame),
            What::Brush(Brush { kind: Kind::Steady | Kind::Breakable { .. }, .. }) => {}
            What::Wire(_) => self.wire_thinks(index, frame),
        }
    }

    /// Moves a team together, or not at all.
    fn move_team(&mut self, captain: usize, frame: &mut Frame<'_>) {
        self.scratch.pushed.clear();
        let mut parts = 0;
        while let Some(part) = self.team_part(captain, parts) {
            if let Err(obstacle) = self.push(part, frame) {
                self.back_out(captain, frame);
                self.blocked(captain, obstacle, frame);
                return;
            }
            parts += 1;
        }
        for part in 0..parts {
            let Some(part) = self.team_part(captain, part) else { continue };
            let arrived = self.brush(part).is_some_and(|brush| {
                brush.position.kind == MotionKind::LinearStop
                    && frame.now >= brush.position.start + brush.position.duration_ms
            });
            if arrived {
                self.arrive(part, frame);
            }
        }
    }

    fn arrive(&mut self, index: usize, frame: &mut Frame<'_>) {
        match self.brush(index).map(|brush| &brush.kind) {
            Some(Kind::Binary(_)) => self.binary_arrives(index, frame),
            Some(Kind::Train(_)) => self.train_arrives(index, frame),
            Some(Kind::Steady | Kind::Breakable { .. }) | None => {}
        }
    }

    /// A blocked team waits a frame where it was: its motions start that much later.
    fn back_out(&mut self, captain: usize, frame: &Frame<'_>) {
        let parts = self.brush(captain).map_or(0, |brush| brush.team.len());
        for part in 0..parts {
            let Some(part) = self.team_part(captain, part) else { continue };
            let Some(brush) = self.brush_mut(part) else { continue };
            brush.position.start = brush.position.start + (frame.now - frame.previous);
            brush.angles.start = brush.angles.start + (frame.now - frame.previous);
            self.place(part, frame.now);
        }
    }

    /// Puts a brush model where its motions say.
    fn place(&mut self, index: usize, now: Time) {
        let Some(brush) = self.brush(index) else { return };
        let (slot, origin, angles) = (brush.slot, brush.position.at(now), brush.angles.at(now));
        self.placed[slot].origin = origin;
        self.placed[slot].angles = angles;
    }

    fn team_part(&self, captain: usize, part: usize) -> Option<usize> {
        self.brush(captain)?.team.get(part).copied()
    }

    fn index_of(&self, entity: EntityId) -> Option<usize> {
        self.things.binary_search_by_key(&entity, |thing| thing.entity).ok()
    }

    fn brush(&self, index: usize) -> Option<&Brush> {
        self.things[index].brush()
    }

    fn brush_mut(&mut self, index: usize) -> Option<&mut Brush> {
        match &mut self.things[index].what {
            What::Brush(brush) => Some(brush),
            What::Wire(_) => None,
        }
    }
}

impl Thing {
    fn brush(&self) -> Option<&Brush> {
        match &self.what {
            What::Brush(brush) => Some(brush),
            What::Wire(_) => None,
        }
    }
}
