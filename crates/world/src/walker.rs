//! Walking a leg of a route: from "from here to there, in this way" to what a player would press this frame.
//!
//! In: a [`Leg`], the player's own body, and the [`Setting`] it moves in. Out: [`Keys`], which become a
//! [`Command`] for any direction of view, and how far along it is ([`Progress`]). A [`Walker`] is plain data, remembers only
//! its own leg and allocates nothing; the same body in the same scene gives the same keys.
//!
//! Read [`Walker::press`] downwards: each way of travelling is one file. All of them end in `urge`: a wanted velocity
//! becomes the keys that bring the next frame's velocity nearest to it, by the game's own friction and acceleration.
//! That is what lets a body turn and stop within a few units at full speed.
//!
//! [`Follower`] walks one leg after the other. The bake proves links with it, benches and bots follow routes with it,
//! so that what was promised is what is walked. Not here: choosing a route, and what to do when the way is lost.
//! Where the floor ends close ahead, keys are tried out in thought before they are pressed (`foresight`).
//! Cost: two short sweeps a frame on plain ground; a few frames of movement near edges, a flight before a jump.

mod climb;
mod follow;
mod foresight;
mod jump;
mod keys;
pub mod outing;
mod ride;
mod sprint;
mod swim;
mod travel;
mod walk;
#[cfg(test)]
mod walker_test;

use glam::Vec3;

use crate::movement::{Player, Setting};
use crate::units::EntityId;

pub use follow::Follower;
pub use keys::Keys;
pub use sprint::Sprint;
pub use travel::Travel;

/// One stretch of a route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Player origins at both ends.
    pub from: Vec3,
    pub to: Vec3,
    pub travel: Travel,
    /// What has to be touched on the way: the middle of the pad, of the teleporter, or a place on the lift where it is
    /// boarded. As a player's origin.
    pub via: Option<Vec3>,
    /// The door, lift or train.
    pub mover: Option<EntityId>,
    /// What sets the mover off, where neither coming near nor stepping on does.
    pub opener: Option<Opener>,
    /// How long the leg is known to take; the walker gives up after several times as long.
    pub time_ms: i32,
}

/// A button, or a target to shoot at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opener {
    /// Player's origin from which it is pressed or shot.
    pub stand: Vec3,
    /// What he runs into or shoots at.
    pub aim: Vec3,
    pub is_shot: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    OnTheWay,
    Arrived,
    Lost(Astray),
}

/// Why a leg was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Astray {
    /// Something is in the way.
    Stuck,
    /// Too far below or beside the leg to finish it.
    Fallen,
    /// It takes far longer than it should.
    Late,
}

/// One leg being walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    leg: Leg,
    /// How it goes on from the end of this leg, so that corners are taken at speed; none to stop there.
    next: Option<Onward>,
    stage: Stage,
    spent_ms: i32,
    /// Nearest to the goal so far, and how long ago that was.
    nearest: f32,
    idle_ms: i32,
    /// Where the body was in the frame before.
    before: Option<Vec3>,
    /// How often it went back to try again.
    retries: u8,
    /// It began beside the start of the line.
    began_aside: bool,
}

/// What follows a leg: where to, and in which way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Onward {
    pub place: Vec3,
    pub travel: Travel,
}

/// How far a leg with several parts has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Stage {
    /// Getting ready: to the pad, to the lift, to the button, or back for a run-up.
    #[default]
    First,
    /// The thing itself: the run, the flight, the ride.
    Under,
    /// What remains is walked.
    Last,
}

/// A frame as a leg sees it.
struct Moment<'a> {
    player: &'a Player,
    setting: &'a Setting<'a>,
    ms: i32,
}

/// Without coming nearer for this long, a body on foot is stuck.
const IDLE_MS_MAX: i32 = 800;
/// Waiting for a lift, a train or a door is no idling; this is as long as one waits.
const WAIT_MS_MAX: i32 = 12_000;
/// Coming nearer by less than this is not coming nearer.
const NEARER_MIN: f32 = 4.0;
/// So often a jump that would end in a fall is put off.
const RETRIES_MAX: u8 = 3;
/// A leg may take so many times as long as it is known to, and this much more.
const LATE_FACTOR: i32 = 3;
const LATE_MS: i32 = 1500;
/// Deeper than this below both ends of a leg, there is no way back to it.
const FALLEN: f32 = 40.0;
/// And while falling, this much deeper.
const FALLING: f32 = 96.0;

impl Walker {
    pub fn new(leg: Leg, next: Option<Onward>) -> Walker {
        Walker {
            leg,
            next,
            stage: Stage::First,
            spent_ms: 0,
            nearest: f32::INFINITY,
            idle_ms: 0,
            before: None,
            retries: 0,
            began_aside: false,
        }
    }

    pub fn leg(&self) -> &Leg {
        &self.leg
    }

    /// What the leg is about has begun: the run, the flight, the ride.
    pub fn is_under_way(&self) -> bool {
        self.stage != Stage::First
    }

    /// What remains of the leg is walked.
    pub fn is_leaving(&self) -> bool {
        self.stage == Stage::Last
    }

    /// What to press for the next `ms` milliseconds, and how the leg goes.
    pub fn press(&mut self, player: &Player, setting: &Setting, ms: i32) -> (Keys, Progress) {
        let moment = Moment { player, setting, ms };
        if self.before.is_none() {
            self.began_aside = flat(player.origin - self.leg.from).length() > AT_START;
        }
        if self.has_arrived(&moment) {
            return (Keys::NONE, Progress::Arrived);
        }
        if let Some(astray) = self.astray(&moment) {
            return (Keys::NONE, Progress::Lost(astray));
        }
        let keys = match self.leg.travel {
            Travel::Walk => self.walk(&moment),
            Travel::Crouch => self.walk(&moment).crouched(),
            Travel::Drop => self.drop(&moment),
            Travel::Jump | Travel::StrafeJump => self.jump(&moment),
            Travel::Swim => self.swim(&moment),
            Travel::WaterExit => self.leave_water(&moment),
            Travel::Ladder => self.climb(&moment),
            Travel::Push => self.be_thrown(&moment),
            Travel::Teleport => self.be_teleported(&moment),
            Travel::Lift | Travel::Train => self.ride(&moment),
            Travel::Door | Travel::KeyDoor => self.pass_door(&moment),
            Travel::ButtonDoor => self.open_and_pass(&moment),
        };
        self.before = Some(player.origin);
        (keys, Progress::OnTheWay)
    }

    /// At the end of the leg: near enough, or just past it while going on.
    fn has_arrived(&self, moment: &Moment) -> bool {
        let player = moment.player;
        let is_swimming = player.immersion.level > 1;
        if player.ground.is_air() && !is_swimming && !self.may_pass_in_air(moment) || self.awaits_first_stage() {
            return false;
        }
        // Thrown or fallen there too fast to turn: it is part of this leg to slow down.
        let speed_max = player.speed as f32 * HANDLED_SPEED;
        if flat(player.velocity).length() > speed_max {
            return false;
        }
        let way = self.leg.to - player.origin;
        let height = if is_swimming { SWIM_REACH } else { moment.setting.rules.step_height + 2.0 };
        if way.z.abs() > height {
            return false;
        }
        let distance = flat(way).length();
        let reach = if self.next.is_some() { PASS_REACH } else { END_REACH };
        let along = flat(self.leg.to - self.leg.from).normalize_or_zero();
        let has_passed = self.next.is_some() && distance < PASS_REACH * 1.5 && flat(way).dot(along) < 0.0;
        (distance < reach || has_passed) && moment.is_free_to(self.leg.to)
    }

    /// Running down a slope or a stair, feet seldom touch the ground, but it is there.
    fn may_pass_in_air(&self, moment: &Moment) -> bool {
        let is_walk = self.leg.travel == Travel::Walk && self.next.is_none_or(|next| next.travel == Travel::Walk);
        is_walk && moment.has_floor(Vec3::ZERO, HOP) && !self.is_at_edge(moment, Vec3::ZERO)
    }

    /// Pads, lifts and their kind must have been used before being near the goal means anything.
    fn awaits_first_stage(&self) -> bool {
        let is_staged = match self.leg.travel {
            Travel::Push | Travel::Teleport | Travel::Lift | Travel::Train => true,
            Travel::Walk
            | Travel::Crouch
            | Travel::Drop
            | Travel::Jump
            | Travel::StrafeJump
            | Travel::Swim
            | Travel::WaterExit
            | Travel::Ladder
            | Travel::Door
            | Travel::ButtonDoor
            | Travel::KeyDoor => false,
        };
        is_staged && self.stage == Stage::First
    }

    /// Keeps the clocks, and says whether it is time to give up.
    fn astray(&mut self, moment: &Moment) -> Option<Astray> {
        let player = moment.player;
        self.spent_ms += moment.ms;
        let goal = match (self.stage, self.leg.via) {
            (Stage::First, Some(via)) => via,
            (Stage::First | Stage::Under | Stage::Last, _) => self.leg.to,
        };
        let distance = (goal - player.origin).length();
        if distance < self.nearest - NEARER_MIN {
            self.nearest = distance;
            self.idle_ms = 0;
        } else {
            self.idle_ms += moment.ms;
        }
        let (idle_max, waits) = self.patience(player);
        let late = self.leg.time_ms * LATE_FACTOR + LATE_MS + waits;
        let is_down = !player.ground.is_air() || player.immersion.level > 1;
        let below = self.floor() - player.origin.z;
        if (is_down && below > 0.0 || below > FALLING) && self.leg.mover.is_none() {
            Some(Astray::Fallen)
        } else if self.idle_ms > idle_max || self.retries > RETRIES_MAX {
            Some(Astray::Stuck)
        } else {
            (self.spent_ms > late).then_some(Astray::Late)
        }
    }

    /// Who stands lower than this has fallen off the leg.
    fn floor(&self) -> f32 {
        self.leg.from.z.min(self.leg.to.z) - FALLEN
    }

    /// How long one may make no headway, and how much longer than its own time the leg may take.
    fn patience(&self, player: &Player) -> (i32, i32) {
        match self.leg.travel {
            Travel::Walk | Travel::Crouch | Travel::Teleport => (IDLE_MS_MAX, 0),
            // In the air one may have to go away from the goal first.
            Travel::Drop | Travel::Jump | Travel::StrafeJump | Travel::Push if player.ground.is_air() => {
                (IDLE_MS_MAX * 5, IDLE_MS_MAX * 5)
            }
            Travel::Drop | Travel::Jump | Travel::StrafeJump | Travel::Push => (IDLE_MS_MAX * 2, IDLE_MS_MAX),
            Travel::Swim | Travel::WaterExit | Travel::Ladder => (IDLE_MS_MAX * 3, IDLE_MS_MAX),
            Travel::Lift | Travel::Train | Travel::Door | Travel::ButtonDoor | Travel::KeyDoor => {
                (WAIT_MS_MAX, WAIT_MS_MAX)
            }
        }
    }

    fn enter(&mut self, stage: Stage) {
        if self.stage != stage {
            self.stage = stage;
            self.nearest = f32::INFINITY;
            self.idle_ms = 0;
        }
    }
}

/// Speed, as a share of running speed, at which one may go on with something else.
const HANDLED_SPEED: f32 = 1.1;
/// Passing a corner this close counts as having been there.
const PASS_REACH: f32 = 18.0;
/// The end of a route is met more closely.
const END_REACH: f32 = 14.0;
/// So close to the start of a leg is at its start.
const AT_START: f32 = 6.0;
/// Feet are no higher than this above a slope that is run down.
const HOP: f32 = 24.0;
/// A swimmer bobs.
const SWIM_REACH: f32 = 28.0;

fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, 0.0)
}
