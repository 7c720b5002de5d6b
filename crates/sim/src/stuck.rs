//! Watching from outside whether anybody is stuck: wants to move, and stays within 32 units for five seconds.
//!
//! In: each frame's snapshot and the commands that answered it. Out: a [`Case`] for every time it happened, and how
//! long was watched. Knows nothing of minds: what a body wants is what is pressed.

use fireteam::Command;
use fireteam::snapshot::{Phase, Snapshot};
use fireteam_world::Vec3;
use fireteam_world::units::{EntityId, Time};

/// Somebody was stuck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    pub time: Time,
    pub player: EntityId,
    pub origin: Vec3,
}

/// Within this for so long is stuck.
const ROOM: f32 = 32.0;
const PATIENCE_MS: i32 = 5000;
/// Pressing for less than this share of the time is not wanting to move.
const WANTING: f32 = 0.8;

/// Keeps an eye on everyone.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    watched: Vec<Watched>,
    pub cases: Vec<Case>,
    /// Time alive and free to move, of all players together.
    pub alive_ms: i64,
    /// Of that, time in which nothing was pressed.
    pub idle_ms: i64,
}

#[derive(Clone, Copy, Debug)]
struct Watched {
    player: EntityId,
    life: u32,
    /// Where the present stay began, and when.
    place: Vec3,
    since: Time,
    pressed_ms: i32,
}

impl Watch {
    /// One frame: what was shown, and what was pressed for it.
    pub fn look(&mut self, snapshot: &Snapshot, commands: &[Command]) {
        for own in &snapshot.own {
            let at = self.watched.iter().position(|watched| watched.player == own.entity);
            let (place, since) = (own.body.origin, snapshot.time);
            let fresh = Watched { player: own.entity, life: own.life, place, since, pressed_ms: 0 };
            let at = at.unwrap_or_else(|| {
                self.watched.push(fresh);
                self.watched.len() - 1
            });
            let watched = &mut self.watched[at];
            let moved = (own.body.origin - watched.place).length() >= ROOM;
            if own.body.is_dead || snapshot.phase != Phase::Playing || watched.life != own.life || moved {
                *watched = fresh;
            }
            if own.body.is_dead || snapshot.phase != Phase::Playing {
                continue;
            }
            self.alive_ms += i64::from(snapshot.frame_ms);
            let presses = commands.iter().find(|command| command.bot == own.entity).is_some_and(wants_to_move);
            if presses {
                watched.pressed_ms += snapshot.frame_ms;
            } else {
                self.idle_ms += i64::from(snapshot.frame_ms);
            }
            let stayed_ms = snapshot.time - watched.since;
            if stayed_ms >= PATIENCE_MS {
                if watched.pressed_ms as f32 >= stayed_ms as f32 * WANTING {
                    self.cases.push(Case { time: snapshot.time, player: own.entity, origin: own.body.origin });
                }
                *watched = fresh;
            }
        }
    }

    /// What another watch saw, as if it were one.
    pub fn add(&mut self, other: Watch) {
        self.cases.extend(other.cases);
        self.alive_ms += other.alive_ms;
        self.idle_ms += other.idle_ms;
    }

    /// Cases an hour of one player's life.
    pub fn per_hour(&self) -> f64 {
        self.cases.len() as f64 / self.hours().max(f64::MIN_POSITIVE)
    }

    pub fn hours(&self) -> f64 {
        self.alive_ms as f64 / 3_600_000.0
    }
}

fn wants_to_move(command: &Command) -> bool {
    command.press.forward != 0 || command.press.right != 0
}
