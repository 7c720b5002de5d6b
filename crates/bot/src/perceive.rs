//! What reaches a bot of the world: sight, hearing, touch, pain and words, each after its reaction time.
//!
//! In: a [`Snapshot`], the bot's own body, what it believes so far. Out: [`Percept`]s on the delay line of its [`Senses`],
//! which [`Memory::absorb`] takes off once they have matured. This is the only reader of a snapshot's players, missiles,
//! items, movers, clouds, sounds, messages and objectives; whatever is not put on the line here, no bot knows.
//!
//! One kind of percept for all senses, after J. Lampel, "JoeBOT XP, an overview", 2005, 10. The delay line takes the
//! place of a pause before firing: a bot is not told now what it may act on later, it learns later.
//!
//! Nothing hidden may show through, not even by what it costs: whether one thing is looked at in a frame depends on that
//! thing and on what the bot knows, never on how many others were looked at; and chance is drawn only for what is
//! perceived. A budget that hidden players use up would tell of them.
//!
//! Files: `line` (the delay), `looks` (rays, shared by all bots of a frame), `sight` (players), `things` (missiles, items, movers, clouds),
//! `hearing` (sounds, words), `keenness` (what skill is worth).
//! Cost: a ray and a half for each enemy in the cone, two for one in sight.

mod hearing;
mod keenness;
mod line;
mod looks;
mod sight;
mod things;

use std::ops::Range;

use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, ModelId, Time};

use crate::character::Skill;
use crate::convar::ConVars;
use crate::field::Field;
use crate::memory::{Memory, OBJECTIVES_MAX};
use crate::snapshot::{Cloud, Figure, Hurt, Item, Missile, Mover, Objective, Own, Power, Said, Snapshot, SoundKind};

pub use keenness::Keenness;
use line::Line;
pub use looks::{Looks, Mate, Mates};
pub use sight::Parts;
pub(crate) use sight::body_points;
use sight::{Glance, Regarded};
pub(crate) use things::is_same_place;

/// How a bot came to know something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    Sight,
    Hearing,
    /// Its own skin: what hurt it, what it stands on or runs into.
    Touch,
    /// A message on the screen or a word in the ear.
    Words,
}

/// One sensed event on its way to the bot's mind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percept {
    /// When it was true.
    pub at: Time,
    /// When the bot becomes aware of it.
    pub due: Time,
    pub sense: Sense,
    pub what: What,
}

/// What was sensed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// An enemy, or his corpse, of whom these parts of the body are in sight.
    Enemy {
        figure: Figure,
        parts: Parts,
    },
    /// One who was in sight and is no more.
    OutOfSight(EntityId),
    Missile(Missile),
    /// One that was in sight exploded, or fizzled out.
    MissileGone(EntityId),
    /// An item that lies there.
    Item(Item),
    /// The place of a believed item, and nothing there.
    ItemGone {
        entity: Option<EntityId>,
        origin: Vec3,
    },
    Mover(Mover),
    /// The place where a mover was believed to be, and nothing there.
    MoverAway(ModelId),
    Cloud(Cloud),
    Noise {
        kind: SoundKind,
        place: Vec3,
        spread: f32,
    },
    Pain(Hurt),
    Said {
        from: Option<EntityId>,
        said: Said,
    },
    /// How one of the things that are played for is said to stand.
    Objective {
        index: u8,
        told: Objective,
    },
}

/// A bot's eyes and ears: what they are fixed upon, and what is on its way to the mind.
#[derive(Clone, Debug, PartialEq)]
pub struct Senses {
    skill: Skill,
    line: Line,
    /// By entity: how far an enemy has been noticed.
    glances: Vec<Glance>,
    /// Whom it looks at more often than in turn.
    regarded: Vec<Regarded>,
    /// How many enemies it believes, or is about to believe, in sight.
    watched: usize,
    /// Missiles in sight when last looked at.
    followed: Vec<EntityId>,
    /// What is played for, as last read.
    read: Vec<Objective>,
    /// Frames since it joined.
    frame: u32,
    life: u32,
}

/// Two looks at the same enemy closer together than this tell nothing new.
const SAMPLE_MS: i32 = 25;
const FOLLOWED_MAX: usize = 32;
/// So many enemies in sight at a time have room without asking for memory.
const REGARDED_ROOM: usize = 64;

impl Senses {
    pub fn new(skill: Skill) -> Senses {
        Senses {
            skill,
            line: Line::new(),
            glances: Vec::new(),
            regarded: Vec::with_capacity(REGARDED_ROOM),
            watched: 0,
            followed: Vec::with_capacity(FOLLOWED_MAX),
            read: Vec::with_capacity(OBJECTIVES_MAX),
            frame: 0,
            life: 0,
        }
    }

    pub fn skill(&self) -> Skill {
        self.skill
    }

    /// What is on its way to the mind, in the order in which it was sensed: for whoever watches.
    pub fn on_the_way(&self) -> impl Iterator<Item = &Percept> {
        self.line.waiting()
    }

    /// Takes what has matured off the line, in the order in which it was sensed.
    pub(crate) fn mature(&mut self, now: Time, take: impl FnMut(&Percept)) {
        self.line.mature(now, take);
    }

    fn put(&mut self, percept: Percept) {
        self.line.put(percept);
    }

    /// A new life has new eyes: nothing is left of what the old one was looking at.
    fn begin_life(&mut self, life: u32) {
        self.life = life;
        self.glances.clear();
        self.regarded.clear();
        self.watched = 0;
        self.followed.clear();
        self.line.retain(|percept| percept.sense == Sense::Words);
    }
}

/// Whose senses they are: the body they are in, and what it believes, since one notices what differs from it.
#[derive(Clone, Copy, Debug)]
pub struct Eyes<'a> {
    pub own: &'a Own,
    pub memory: &'a Memory,
}

/// One bot's senses for one frame. `looks` has been [prepared](Looks::begin) for it; `chance` is the bot's own.
pub fn perceive(
    senses: &mut Senses,
    eyes: &Eyes<'_>,
    snapshot: &Snapshot,
    field: &Field,
    looks: &mut Looks,
    chance: &mut Pcg,
    convars: &ConVars,
) {
    let own = eyes.own;
    if senses.life != own.life {
        senses.begin_life(own.life);
    }
    senses.frame = senses.frame.wrapping_add(1);
    // The dead only read, and mostly there is nothing to.
    let has_news = own.hurt.is_some() || !snapshot.messages.is_empty() || !snapshot.objectives.is_empty();
    if own.body.is_dead && !has_news {
        return;
    }
    let keen = Keenness::of(senses.skill, convars);
    // The dead look nowhere.
    let forward =
        if own.body.is_dead { Vec3::X } else { maths::game_axes(own.body.view.x, own.body.view.y, 0.0).forward };
    let frames_in = |ms: i32| (ms / snapshot.frame_ms.max(1)) as u32;
    let side = looks.side(own.team);
    let turns_players = turns((snapshot.players.len() as u32).div_ceil(convars.sight_checks_per_frame));
    let here = Here {
        eyes,
        snapshot,
        field,
        convars,
        keen,
        eye: own.body.eye(),
        forward,
        turns_near: turns(frames_in(convars.sight_near_ms)),
        turns_far: turns(frames_in(convars.sight_far_ms)),
        turns_players,
        turns_missed: turns_players >> 1,
        turns_close: turns_players >> 2,
        own_slot: looks.slot(own.entity).filter(|slot| side.contains(slot)),
        side,
    };
    senses.read_off_screen(&here);
    if !own.body.is_dead {
        if Power::Blinded.is_in(own.powers) {
            senses.see_nothing(&here);
        } else {
            senses.see_players(&here, looks, chance);
            senses.see_missiles(&here, looks);
            senses.see_items(&here, looks);
            senses.see_movers(&here, looks);
            senses.see_clouds(&here, looks);
        }
        senses.hear(&here, looks, chance);
    }
}

/// A bot in its frame.
struct Here<'a> {
    eyes: &'a Eyes<'a>,
    snapshot: &'a Snapshot,
    field: &'a Field,
    convars: &'a ConVars,
    keen: Keenness,
    eye: Vec3,
    /// Where it looks.
    forward: Vec3,
    /// Near things are looked at in every frame whose number has none of these bits, besides the thing's own number.
    turns_near: u32,
    /// The same for far ones.
    turns_far: u32,
    /// The same for enemies who are neither near nor watched.
    turns_players: u32,
    /// The same for those who went out of sight a moment ago, and for those who are near: every frame, unless there are many.
    turns_missed: u32,
    turns_close: u32,
    /// The rows of its side in the tables of `looks`, and its own.
    side: Range<usize>,
    own_slot: Option<usize>,
}

/// The bits that are all 0 once in so many frames, or in the next power of two of them.
fn turns(frames: u32) -> u32 {
    frames.max(1).next_power_of_two() - 1
}

impl Here<'_> {
    fn own(&self) -> &Own {
        self.eyes.own
    }

    fn now(&self) -> Time {
        self.snapshot.time
    }

    /// Cosine of the angle between the view and the way to a place, and the distance there.
    fn bearing(&self, place: Vec3) -> (f32, f32) {
        let way = place - self.eye;
        let distance = way.length().max(1e-3);
        (self.forward.dot(way) / distance, distance)
    }

    /// A percept that takes the time any takes.
    fn percept(&self, sense: Sense, what: What) -> Percept {
        Percept { at: self.now(), due: self.now() + self.keen.reaction_ms, sense, what }
    }

    /// A percept of what the bot touches: known at once.
    fn touch(&self, what: What) -> Percept {
        Percept { at: self.now(), due: self.now(), sense: Sense::Touch, what }
    }
}

impl Senses {
    /// Pain and words: what a player is told without looking or listening.
    fn read_off_screen(&mut self, here: &Here<'_>) {
        if let Some(hurt) = here.own().hurt {
            self.put(here.percept(Sense::Touch, What::Pain(hurt)));
        }
        self.read_messages(here);
        self.read_objectives(here);
    }

    /// How things stand that are played for is written over everyone's screen; news is read as it comes.
    fn read_objectives(&mut self, here: &Here<'_>) {
        for (index, told) in here.snapshot.objectives.iter().take(OBJECTIVES_MAX).enumerate() {
            match self.read.get_mut(index) {
                Some(read) if read == told => continue,
                Some(read) => *read = *told,
                None => self.read.push(*told),
            }
            self.put(here.percept(Sense::Words, What::Objective { index: index as u8, told: *told }));
        }
    }
}
