//! What carries a bot about: from "go there", "move so", "stay" to the keys of this frame.
//!
//! In: an order, which stands until the next ([`Legs::go`], [`Legs::move_by`], [`Legs::hold`]); then, every frame, the bot's own
//! body and the scene it believes in. Out: [`Keys`], and how the journey goes ([`Travelling`], [`Trouble`]).
//!
//! Read [`Legs::press`] downwards. A journey (`journey`) is searched in slices and begun meanwhile; its links are walked by
//! `world::walker`, as they were proved. What a door needs is a stepping stone on top of the goal (`stones`). Who is
//! in the way is walked around (`others`), who stays makes room for those who walk (`room`), who does not get on tries to get
//! out (`stuck`), and a link that failed is remembered (`doubts`). Moves of combat are tried out in thought where the ground is not plain (`careful`).
//!
//! Not here: where to go (goals), where to look (`aim`). Cost: that of the walker, a look at the bodies around, and a few
//! short roll-outs ten times a second near hazards.

mod back;
mod careful;
mod doubts;
pub(crate) mod feelers;
mod fires;
mod footing;
mod journey;
mod others;
mod room;
mod round;
mod stones;
mod stuck;
pub mod tolls;

use std::fmt;

use fireteam_terrain::{MoverId, Terrain, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::contents::Contents;
use fireteam_world::movement::{Player, Setting};
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::Scene;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::{Astray, Keys, Leg, Travel};

use crate::convar::ConVars;
use crate::field::Field;
use crate::searches::Searches;
use crate::snapshot::Own;

use careful::Careful;
pub(crate) use doubts::DOUBTS_MAX;
use doubts::Doubts;
use journey::Journey;
use others::Others;
use room::Room;
use stuck::Stuck;
use tolls::Concerns;

pub use stones::{STONES_MAX, Stone};

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Destination {
    Waypoint(WaypointId),
    /// A player's origin. The way leads over the waypoint that owns it, then straight there if that can be walked.
    Place(Vec3),
    /// Straight there in one go, where no links lead: nobody knows whether it works.
    Untried {
        to: Vec3,
        travel: Travel,
    },
}

/// How fast, and how quietly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gait {
    #[default]
    Run,
    /// Half as fast, without the sound of steps.
    Walk,
    Crouch,
}

/// In which manner to go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    pub gait: Gait,
    /// How much danger weighs against time, as many times as usual; 0 is to take the quickest way whatever lies on it.
    pub caution: u8,
}

impl Manner {
    /// The quickest way, as fast as can be.
    pub const RUN: Manner = Manner { gait: Gait::Run, caution: 0 };
    /// As fast, by a way one likes: not always the same, not through everybody's view (`tolls`).
    pub const GO_ABOUT: Manner = Manner { gait: Gait::Run, caution: 1 };
}

/// How a journey goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Travelling {
    /// Nobody wants to go anywhere.
    #[default]
    Standing,
    /// The way is being searched; the first steps may be under way.
    Searching,
    OnTheWay,
    Arrived,
    Failed(Trouble),
}

/// Why a bot stands where it is: a reason for the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Waits for a lift or train.
    Mover(EntityId),
    /// A behaviour wants it so.
    Because(&'static str),
}

impl fmt::Display for Holding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holding::Mover(mover) => write!(f, "waits for mover {} to come", mover.0),
            Holding::Because(why) => write!(f, "stays: {why}"),
        }
    }
}

/// What went wrong on the way: a reason for the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No links lead there, or none that are open.
    NoRoute,
    /// A link did not lead where it should.
    Lost(Astray),
    /// Somebody stands in the way and does not move.
    InTheWay(EntityId),
    /// Hardly moved for two seconds.
    Stuck,
    /// What should open it did not.
    Shut(MoverId),
    /// Cannot be walked to from any waypoint.
    NoFooting,
    /// Tried everything.
    GaveUp,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::NoRoute => write!(f, "no way leads there"),
            Trouble::Lost(Astray::Stuck) => write!(f, "something is in the way"),
            Trouble::Lost(Astray::Fallen) => write!(f, "fell off the way"),
            Trouble::Lost(Astray::Late) => write!(f, "the way takes far too long"),
            Trouble::InTheWay(entity) => write!(f, "player {} stands in the way", entity.0),
            Trouble::Stuck => write!(f, "stuck"),
            Trouble::Shut(mover) => write!(f, "mover {} stays shut", mover.0),
            Trouble::NoFooting => write!(f, "the last stretch cannot be walked"),
            Trouble::GaveUp => write!(f, "tried everything, gave up"),
        }
    }
}

/// A frame as legs see it.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    pub own: &'a Own,
    /// Movers and players where they are believed to be.
    pub scene: &'a Scene<'a>,
    pub field: &'a Field,
    pub now: Time,
    pub frame_ms: i32,
    pub convars: &'a ConVars,
    /// What makes it choose one way over another.
    pub concerns: Concerns<'a>,
}

impl<'a> Walk<'a> {
    fn setting(&self) -> Setting<'a> {
        let rules = &self.field.game.rules.movement;
        Setting { scene: self.scene, rules, me: Some(self.own.entity), mask: Contents::MASK_BOT }
    }

    fn body(&self) -> &'a Player {
        &self.own.body
    }

    /// Keys that bring the body's velocity near to `wanted`.
    fn urge(&self, wanted: Vec3) -> Keys {
        // Who presses nothing on a ladder hangs still; who brakes there goes to and fro.
        if wanted == Vec3::ZERO && self.body().ladder.is_some() {
            return Keys::NONE;
        }
        Keys::for_velocity(wanted, self.body(), &self.setting(), self.frame_ms)
    }

    /// It neither falls nor flies. A pad throws while the ground is still underfoot: whoever is on one flies already.
    fn has_hold(&self) -> bool {
        let body = self.body();
        let is_thrown = body.pad.is_some() && body.velocity.z > 0.0;
        !body.ground.is_air() && !is_thrown || body.immersion.level > 1 || body.ladder.is_some()
    }
}

/// What legs were told last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Order {
    #[default]
    Hold,
    Go {
        to: Destination,
        manner: Manner,
    },
    Move {
        wish: Vec3,
        jump: bool,
        crouch: bool,
    },
}

/// The legs of one bot.
#[derive(Clone, Debug, Default)]
pub struct Legs {
    order: Order,
    life: u32,
    journey: Journey,
    careful: Careful,
    others: Others,
    room: Room,
    stuck: Stuck,
    doubts: Doubts,
    trouble: Option<(Time, Trouble)>,
    keys: Option<Keys>,
    awaited: Option<EntityId>,
    /// Why it was told to stay.
    because: Option<&'static str>,
    /// It was told to stay lying.
    lies: bool,
    origin: Vec3,
    eye: Vec3,
    /// Units a second at a run.
    speed: f32,
}

impl Legs {
    /// Legs for a map: with room for any way on it, so that walking allocates nothing.
    pub fn of(terrain: &Terrain) -> Legs {
        let mut legs = Legs::default();
        legs.journey.make_room(terrain);
        legs
    }

    /// Goes there. To be told the same again changes nothing: the journey goes on.
    pub fn go(&mut self, to: Destination, manner: Manner) {
        (self.because, self.lies) = (None, false);
        let is_new = !matches!(self.order, Order::Go { to: before, .. } if before == to);
        self.order = Order::Go { to, manner };
        if is_new {
            self.journey.set_out(to, manner);
        } else {
            self.journey.set_manner(manner);
        }
    }

    /// Moves so, for as long as nothing else is said: `wish` is level, and of length 1 at full speed. Kept off ledges, harm
    /// and walls.
    pub fn move_by(&mut self, wish: Vec3, jump: bool, crouch: bool) {
        (self.because, self.lies) = (None, false);
        self.order = Order::Move { wish, jump, crouch };
    }

    /// Stays on purpose, with a reason for the journal.
    pub fn stay(&mut self, crouch: bool, because: &'static str) {
        self.move_by(Vec3::ZERO, false, crouch);
        self.because = Some(because);
    }

    /// Stays on its belly, in games that have it; crouched in others.
    pub fn lie(&mut self, because: &'static str) {
        self.stay(true, because);
        self.lies = true;
    }

    /// Stays where it is, since nobody wants anything else.
    pub fn hold(&mut self) {
        (self.because, self.lies) = (None, false);
        self.order = Order::Hold;
    }

    /// How the journey goes. Standing unless the last order was to go.
    pub fn state(&self) -> Travelling {
        match self.order {
            Order::Hold | Order::Move { .. } => Travelling::Standing,
            Order::Go { .. } => self.journey.state(),
        }
    }

    /// What went wrong last, and when.
    pub fn trouble(&self) -> Option<(Time, Trouble)> {
        self.trouble
    }

    /// What keeps it where it is, if something does: being stuck, or wanting nothing, is no reason.
    pub fn holding(&self) -> Option<Holding> {
        let fire = || self.journey.awaits_fire().then_some(Holding::Because("waits for a fire to burn down"));
        self.awaited.map(Holding::Mover).or(self.because.map(Holding::Because)).or_else(fire)
    }

    /// The goal and the stepping stones on top of it, the present one last.
    pub fn stack(&self) -> &[Stone] {
        self.journey.stack()
    }

    /// The legs of the route that is being walked, and which of them one is on: for whoever watches.
    pub fn route(&self) -> Option<(&[Leg], usize)> {
        matches!(self.order, Order::Go { .. }).then(|| self.journey.walked()).flatten()
    }

    /// How long the rest of the way there takes, by the times of its links; none for who is not on the way there.
    pub fn left_ms(&self, to: Destination) -> Option<u32> {
        let is_under_way = matches!(self.order, Order::Go { to: there, .. } if there == to);
        is_under_way.then(|| self.journey.left_ms(self.origin, self.speed)).flatten()
    }

    /// A place on the route about a second ahead: where to look for who has nothing better to look at.
    pub fn ahead(&self) -> Option<Vec3> {
        matches!(self.order, Order::Go { .. }).then(|| self.journey.ahead(self.eye, self.origin)).flatten()
    }

    /// What has to be looked at now for the legs to get on: a button to shoot, a ladder.
    pub fn look_needed(&self) -> Option<Vec3> {
        let [pitch, yaw] = self.keys?.look?;
        Some(self.eye + fireteam_world::maths::game_axes(pitch, yaw, 0.0).forward * LOOK_DISTANCE)
    }

    /// Whether what has to be looked at has to be shot.
    pub fn wants_attack(&self) -> bool {
        self.keys.is_some_and(|keys| keys.attacks)
    }

    /// What to press in this frame. To be asked every frame.
    pub fn press(&mut self, walk: &Walk, searches: &mut Searches, chance: &mut Pcg) -> Keys {
        let body = walk.body();
        (self.origin, self.eye, self.speed) = (body.origin, body.eye(), body.speed as f32);
        if self.life != walk.own.life || body.is_dead {
            self.life = walk.own.life;
            self.begin_life(walk.own.entity, searches);
        }
        if body.is_dead {
            self.keys = None;
            return Keys::NONE;
        }
        let is_going = matches!(self.order, Order::Go { .. });
        let flight = self.journey.come_down(walk, is_going);
        let keys = flight.unwrap_or_else(|| self.carry_out(walk, searches, chance));
        self.awaited = self.journey.awaited(walk).filter(|_| is_going && keys.heading == Vec3::ZERO);
        self.keys = Some(keys);
        keys
    }

    fn carry_out(&mut self, walk: &Walk, searches: &mut Searches, chance: &mut Pcg) -> Keys {
        match self.order {
            Order::Hold => self.stand(walk, searches),
            Order::Move { wish, jump, crouch } => {
                self.journey.interrupt(walk.own.entity, searches);
                let aside = if wish == Vec3::ZERO { self.room.make(walk) } else { None };
                aside.unwrap_or_else(|| Keys { lies: self.lies, ..self.careful.press(walk, wish, jump, crouch) })
            }
            Order::Go { .. } => self.travel(walk, searches, chance),
        }
    }

    fn stand(&mut self, walk: &Walk, searches: &mut Searches) -> Keys {
        self.journey.interrupt(walk.own.entity, searches);
        let aside = self.room.make(walk);
        aside.unwrap_or_else(|| if walk.body().ground.is_air() { Keys::NONE } else { walk.urge(Vec3::ZERO) })
    }

    /// Along the route; around who is in the way; out of where one is stuck.
    fn travel(&mut self, walk: &Walk, searches: &mut Searches, chance: &mut Pcg) -> Keys {
        if let Some(keys) = self.stuck.escape(walk, &mut self.careful) {
            return keys;
        }
        let keys = self.journey.press(walk, searches, &mut self.doubts, chance);
        let keys = self.others.make_way(walk, &mut self.journey, &mut self.doubts, keys);
        if let Some(trouble) = self.journey.take_trouble() {
            self.trouble = Some((walk.now, trouble));
        }
        if self.stuck.watch(walk, &keys) {
            self.trouble = Some((walk.now, Trouble::Stuck));
            self.stuck.escalate(walk, &keys, &mut self.journey, &mut self.doubts, chance);
        }
        self.doubts.tell(&mut searches.wear);
        keys
    }

    /// In a new life nothing is left of what legs were at; what was learned about links stays.
    fn begin_life(&mut self, owner: EntityId, searches: &mut Searches) {
        self.journey.begin_life(owner, searches);
        self.stuck = Stuck::default();
        self.others = Others::default();
        self.room = Room::default();
        self.careful = Careful::default();
    }
}

/// How far off a place is put that stands for a direction.
const LOOK_DISTANCE: f32 = 256.0;

fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, 0.0)
}
