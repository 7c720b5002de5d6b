//! What an engine shows in one frame: the whole of what bots may be told, as plain data.
//!
//! A host fills one [`Snapshot`] a frame and hands it to [`think`](crate::Bots::think). It is the truth about
//! everything that a client of the game could be told somewhere on the map; which of it a bot learns is decided by
//! `perceive`, the only reader of everything here but [`Own`]. Nothing private to the game belongs in it: no fuses,
//! no respawn clocks, no health of others.
//!
//! Units are Quake's: lengths in units, z up, angles in degrees, times in milliseconds since the level began.
//! Tables keep their order from frame to frame as far as the game does; nothing here depends on it.

use fireteam_world::Vec3;
use fireteam_world::movement::{Player, Stance};
use fireteam_world::mover::Motion;
use fireteam_world::units::{EntityId, ModelId, Time};

pub use crate::arsenal::{ItemKindId, ThrowableId, WeaponId};

/// One frame of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The moment shown. Commands are for the frame that begins now.
    pub time: Time,
    /// How long the frame will be that the commands are used for.
    pub frame_ms: i32,
    /// How long others go on from where they are shown before a shot is fired that is pressed now: the frame's length where all
    /// bodies move before anyone shoots, 0 where everyone moves and shoots in turn and the others stand as they are shown.
    pub shot_lag_ms: i32,
    pub phase: Phase,
    /// Bodies of our bots, as their players would feel them.
    pub own: Vec<Own>,
    /// Everyone who takes part, our bots included; nobody who only watches.
    pub players: Vec<Figure>,
    pub missiles: Vec<Missile>,
    pub items: Vec<Item>,
    /// Brush models that can move: doors, lifts, buttons, trains.
    pub movers: Vec<Mover>,
    /// Smoke, fire, gas.
    pub clouds: Vec<Cloud>,
    /// What can be heard, each for one frame.
    pub sounds: Vec<Sound>,
    /// What was said or announced, each for one frame.
    pub messages: Vec<Message>,
    /// What is played for besides kills; none in a plain fight. Each keeps its place in the list for a whole level.
    pub objectives: Vec<Objective>,
}

/// Whether anything a player does matters now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Playing,
    /// Before a round: one may look, not move.
    Frozen,
    /// The match is decided; scores are shown.
    Over,
}

/// A side. Different numbers fight each other; where everyone fights for himself, everyone has a number of his own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Team(pub u8);

impl Team {
    /// Those who are on no side and fight nobody.
    pub const NEUTRAL: Team = Team(u8::MAX);
}

/// Most kinds of weapon a game may have.
pub const WEAPONS_MAX: usize = 32;

/// A bot's own body and belongings: what its player would feel or read off the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Own {
    pub entity: EntityId,
    pub team: Team,
    /// Counts how often it came to life: in a new life nothing is left of what hands and legs were at.
    pub life: u32,
    /// Place, velocity, view, stance, ground, water: all that movement depends on. `body.is_dead` says so.
    pub body: Player,
    pub health: i32,
    pub armour: i32,
    /// What is in its hands.
    pub weapon: WeaponId,
    /// Until that can be fired; 0 is now. Changing, reloading and firing all take time.
    pub ready_in_ms: i32,
    /// Reloading now.
    pub is_reloading: bool,
    /// What it carries of each kind of weapon.
    pub arms: [Arm; WEAPONS_MAX],
    /// A grenade in the hand with its pin pulled, and for how long.
    pub armed_ms: Option<i32>,
    /// Keys it carries, bits as the map's movers name them.
    pub keys: u32,
    /// Bits of [`Power`].
    pub powers: u32,
    /// What hurt since the last frame.
    pub hurt: Option<Hurt>,
    /// It hit somebody since the last frame: the game makes a sound for the shooter alone.
    pub has_hit: bool,
    /// Dead, and a press of attack brings it back.
    pub may_respawn: bool,
}

/// What is carried of one kind of weapon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    pub is_carried: bool,
    /// Rounds besides those in the clip; a weapon that needs none has [`Arm::ENDLESS`].
    pub rounds: i16,
    /// Rounds in the clip, where the game has clips.
    pub clip: i16,
}

impl Arm {
    pub const ENDLESS: i16 = i16::MAX;

    /// Whether there is anything left to fire.
    pub fn is_loaded(&self) -> bool {
        self.is_carried && (self.rounds > 0 || self.clip > 0)
    }
}

/// What a power-up does, or a flash, as bits of [`Own::powers`] and [`Figure::powers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Power {
    /// Deals several times the damage.
    Strong = 1,
    /// Nothing of a blast reaches it.
    Shielded = 2,
    Fast = 4,
    /// Nearly invisible.
    Faint = 8,
    Healing = 16,
    Flying = 32,
    /// Carries a flag.
    Bearer = 64,
    /// Just spawned: nothing hurts.
    Protected = 128,
    /// Its own eyes see nothing but light: a flash went off before them. For how long yet, nobody is told.
    Blinded = 256,
}

impl Power {
    pub fn is_in(self, powers: u32) -> bool {
        powers & self as u32 != 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hurt {
    pub points: i32,
    /// Unit vector to where it came from, as the screen shows it; none for falls, drowning and the like.
    pub towards: Option<Vec3>,
}

/// A player as others see him.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub entity: EntityId,
    pub team: Team,
    /// Where his box is measured from: 24 units over his feet in Quake III.
    pub origin: Vec3,
    pub velocity: Vec3,
    /// Where he looks.
    pub pitch: f32,
    pub yaw: f32,
    pub stance: Stance,
    pub weapon: WeaponId,
    pub is_firing: bool,
    /// A corpse lies where it fell, until it is gone.
    pub is_dead: bool,
    /// Bits of [`Power`].
    pub powers: u32,
}

/// Something in flight, or lying there with its fuse burning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missile {
    pub entity: EntityId,
    pub kind: ThrowableId,
    pub origin: Vec3,
    pub velocity: Vec3,
    /// Who sent it, where the game tells clients so.
    pub owner: Option<EntityId>,
}

/// Something to pick up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    pub entity: EntityId,
    pub kind: ItemKindId,
    pub origin: Vec3,
    /// Taken ones stay in the table, so that a bot can see that they are gone.
    pub is_there: bool,
}

/// A brush model under way or at rest, told as a client is told it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    pub entity: EntityId,
    pub model: ModelId,
    pub position: Motion,
    pub angles: Motion,
    /// Broken to pieces: it is in nobody's way.
    pub is_gone: bool,
}

/// Something a game is played for, as everyone who plays is told of it: by the map, the score line, the announcer. Where a
/// flag is that was taken from its place, nobody is told: it is seen there, on its bearer's back or on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    pub kind: ObjectiveKind,
    /// Where the map has it: a flag's stand, the middle of the ground.
    pub home: Vec3,
    /// Whoever is this near to the middle of ground stands on it; of a flag, 0.
    pub radius: f32,
    /// Whose it is to lose: the side whose flag it is, or that has to keep the ground. Nobody's is there for all to take.
    pub owner: Option<Team>,
    /// Who has it now: carries the flag, holds the ground; none if nobody does, or if it is not told who.
    pub holder: Option<Team>,
    pub standing: Standing,
    /// A flag's kind among [`Snapshot::items`].
    pub item: Option<ItemKindId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectiveKind {
    /// Is carried from its place to another.
    Flag,
    /// Is held by standing on it.
    Ground,
}

/// How it is with an objective, as told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Where it belongs; ground always is.
    Home,
    /// Somebody has it on his back.
    Carried,
    /// It lies somewhere.
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cloud {
    pub origin: Vec3,
    /// Its size now.
    pub radius: f32,
    pub blocks_sight: bool,
    /// It hurts who stands in it.
    pub harms: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sound {
    pub kind: SoundKind,
    pub origin: Vec3,
    /// Who made it. Bots are not told: it keeps them from hearing themselves.
    pub source: Option<EntityId>,
}

/// Which of the game's ranges of hearing a sound has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundKind {
    Step,
    Shot(WeaponId),
    Explosion,
    Bounce,
    Pickup,
    /// A jump or a landing.
    Jump,
    Pain,
    Death,
    /// A door, a lift, a button.
    Mover,
    Teleport,
    ItemBack,
}

/// Who is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    All,
    Team(Team),
    One(EntityId),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    pub to: Audience,
    pub from: Option<EntityId>,
    pub said: Said,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said {
    /// The line everyone reads when somebody dies.
    Obituary {
        victim: EntityId,
        killer: Option<EntityId>,
        weapon: Option<WeaponId>,
    },
    RoundStarts,
    RoundEnds {
        winner: Option<Team>,
    },
    /// Somebody took a thing of this kind: the game lets everyone hear that, wherever he is, and not where it lay.
    Taken {
        kind: ItemKindId,
    },
    /// A word of another player's.
    Voice(Voice),
}

/// What a player can say at the press of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    EnemySpotted,
    Moving,
    FragOut,
    Grenade,
    NeedHelp,
    Clear,
}
