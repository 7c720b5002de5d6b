//! A route followed on the real server: the controller of `fireteam_world::walker` drives a guest, the server does the rest.
//!
//! In: whoever decides what to press (somebody [`along`] given legs, or a traveller who finds his own), and the server's own
//! word, frame by frame, of where the guest and the movers are. Out: a [`Journey`]: whether it arrived, in which time, else
//! where it ended. Doors, buttons, lifts, pads and falls are the server's; nothing of ours moves the body, and the guest is
//! never put right on its way.
//!
//! [`rehearse`] is the same journey in our own physics, with the same settling, so that the two can be compared: on plain
//! ground they end in the same frame at the same place.
//!
//! Between two journeys the movers stand still with the game, so a door may be open from the one before: as in a match.
//! Cost: two messages and one sweep or two a frame; a journey of 20 s takes about 20 ms.

use fireteam_world::movement::{Command, Ground, MovementRules, Player, Setting, Stance};
use fireteam_world::units::EntityId;
use fireteam_world::walker::outing::{Course, Outing};
use fireteam_world::walker::{Astray, Follower, Keys, Leg, Progress};
use fireteam_world::{Contents, Crowd, Game, Map, Placed, Scene, Solids, Vec3};

use super::guest::Guest;
use super::oracle::{CaptureError, Oracle};
use super::rows::{self, Body, PlayerFrame};
use crate::replay::moves::player_of;
use crate::server::FRAME_MS;

/// The guest among the map's entities, whose numbers are their places in the map.
const GUEST: EntityId = EntityId(u16::MAX);
/// A brush model that no entity of the map has, which stands in the way all the same; or a pad, whichever it was.
const STRANGER: EntityId = EntityId(u16::MAX - 1);
/// What the guest holds, to shoot at buttons that want it.
const MACHINE_GUN: u8 = 2;
const HEALTH_FRESH: i32 = 100;
const CROUCH: i8 = -127;
/// Frames in which a body that was just placed finds its feet; they are not counted.
const SETTLE_FRAMES: usize = 2;

/// The map as the controller knows it.
#[derive(Debug)]
pub struct Guide<'a> {
    solids: &'a Solids,
    rules: &'a MovementRules,
    /// Which entity of the map has a brush model, by the model's number.
    owners: Vec<EntityId>,
}

/// How a journey begins and when it ends at the latest.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Where the body is put: as a rule at a route's start, perhaps a little beside it.
    pub start: Vec3,
    /// There is no room to stand.
    pub is_crouched: bool,
    pub health: i32,
    pub time_limit_ms: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Arrived,
    /// The controller gave up.
    Lost(Astray),
    Died,
    OutOfTime,
}

/// What came of a route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Journey {
    pub outcome: Outcome,
    /// From the first command to the end.
    pub spent_ms: i32,
    pub at: Vec3,
    pub health: i32,
    /// It ran over something that makes it faster than the route was meant for.
    pub is_hastened: bool,
}

impl<'a> Guide<'a> {
    pub fn new(map: &Map, solids: &'a Solids, game: &'a Game) -> Guide<'a> {
        let mut owners = vec![STRANGER; map.models.len()];
        for (index, entity) in map.entities.iter().enumerate() {
            let owner = entity.model().and_then(|model| owners.get_mut(model.index()));
            if let (Some(owner), Ok(index)) = (owner, u16::try_from(index)) {
                *owner = EntityId(index);
            }
        }
        Guide { solids, rules: &game.rules.movement, owners }
    }

    fn owner(&self, model: u16) -> EntityId {
        self.owners.get(usize::from(model)).copied().unwrap_or(STRANGER)
    }

    /// The movers where the server has them, called as the map calls them.
    fn placed(&self, guest: &Guest) -> Vec<Placed> {
        guest.movers().iter().map(|row| Placed { entity: self.owner(row.model), ..row.placed() }).collect()
    }

    /// The guest's body in our words.
    fn player(&self, guest: &Guest, setting: &Setting) -> Player {
        let row = guest.player();
        let mut player = player_of(row, self.rules);
        if let Ground::Floor { entity: Some(entity), .. } = &mut player.ground {
            let mover = guest.movers().iter().find(|mover| mover.entity == entity.0);
            *entity = mover.map_or(STRANGER, |mover| self.owner(mover.model));
        }
        // The server does not tell a client how deep it is in water, but that it was thrown.
        player.immersion = player.immersion_in(setting);
        player.pad = (row.jump_pad != 0).then_some(STRANGER);
        player
    }
}

/// Presses for whoever follows `route`, which has at least one leg, from its first leg to its last.
pub fn along(route: &[Leg]) -> impl FnMut(&Player, &Setting, i32) -> (Keys, Progress) {
    let mut follower = Follower::new(route).expect("a route has at least one leg");
    move |player, setting, ms| follower.press(route, player, setting, ms)
}

/// Puts the guest at the start and lets `press` drive it.
pub fn follow(
    oracle: &mut Oracle,
    guide: &Guide,
    terms: &Terms,
    mut press: impl FnMut(&Player, &Setting, i32) -> (Keys, Progress),
) -> Result<Journey, CaptureError> {
    let body = Body { origin: terms.start, health: terms.health, weapon: MACHINE_GUN, ..Body::default() };
    let mut guest = Guest::enter(oracle, &body)?;
    for _ in 0..SETTLE_FRAMES {
        guest.press(&rows::Command { weapon: MACHINE_GUN, up: terms.settling_key(), ..rows::Command::default() })?;
    }
    let begun = guest.time();
    let mut is_hastened = false;
    let mut crowd = Crowd::of(guide.solids, &[], &[]);
    loop {
        crowd.set(guide.solids, &guide.placed(&guest), &[]);
        let scene = Scene { solids: guide.solids, crowd: &crowd };
        let setting = Setting { scene: &scene, rules: guide.rules, me: Some(GUEST), mask: Contents::MASK_BOT };
        let player = guide.player(&guest, &setting);
        let (keys, progress) = press(&player, &setting, FRAME_MS);
        let spent_ms = guest.time() - begun;
        let PlayerFrame { origin: at, health, speed, .. } = *guest.player();
        is_hastened |= speed > guide.rules.speed;
        if let Some(outcome) = terms.outcome(progress, health, spent_ms) {
            return Ok(Journey { outcome, spent_ms, at, health, is_hastened });
        }
        guest.press(&command_of(&keys.command_facing_ahead(&player)))?;
    }
}

/// The same journey in our own physics, among movers that begin as in a new level.
pub fn rehearse(
    course: &Course,
    terms: &Terms,
    mut press: impl FnMut(&Player, &Setting, i32) -> (Keys, Progress),
) -> Journey {
    let mut player = Player::at(terms.start, course.rules);
    if terms.is_crouched {
        player.stance = Stance::Crouched;
    }
    let mut outing = Outing::among_movers(course, player, 0);
    for _ in 0..SETTLE_FRAMES {
        let still = Keys { up: terms.settling_key(), ..Keys::NONE };
        outing.frame(|player, _, _| (still.command_facing_ahead(player), ()));
    }
    let begun = outing.spent_ms();
    loop {
        let (at, spent_ms) = (outing.player.origin, outing.spent_ms() - begun);
        let health = terms.health - outing.cost.damage as i32;
        let progress = outing.frame(|player, setting, ms| {
            let (keys, progress) = press(player, setting, ms);
            (keys.command_facing_ahead(player), progress)
        });
        if let Some(outcome) = terms.outcome(progress, health, spent_ms) {
            return Journey { outcome, spent_ms, at, health, is_hastened: false };
        }
    }
}

impl Terms {
    /// Standing, and fresh.
    pub fn from(start: Vec3, time_limit_ms: i32) -> Terms {
        Terms { start, is_crouched: false, health: HEALTH_FRESH, time_limit_ms }
    }

    /// What is pressed upwards while the body finds its feet.
    fn settling_key(&self) -> i8 {
        if self.is_crouched { CROUCH } else { 0 }
    }

    fn outcome(&self, progress: Progress, health: i32, spent_ms: i32) -> Option<Outcome> {
        match progress {
            _ if health <= 0 => Some(Outcome::Died),
            Progress::Arrived => Some(Outcome::Arrived),
            Progress::Lost(astray) => Some(Outcome::Lost(astray)),
            Progress::OnTheWay if spent_ms >= self.time_limit_ms => Some(Outcome::OutOfTime),
            Progress::OnTheWay => None,
        }
    }
}

fn command_of(command: &Command) -> rows::Command {
    rows::Command {
        angle_words: command.angles.map(|word| word & 0xffff),
        buttons: command.buttons.0 as i32,
        weapon: MACHINE_GUN,
        forward: command.forward,
        right: command.right,
        up: command.up,
    }
}
