//! Do bots cheat? Think everything over again with all changed that they could not have perceived, and compare.
//!
//! In: the snapshots of a match and the commands its bots gave. Out: the first command that differs, or none. For each side
//! a second set of bots is shown the same frames, but for what an **oracle** says nobody of that side could see, hear or
//! be told in that frame: enemies stand elsewhere and are other people's, missiles fly elsewhere, items are there
//! or gone, flags lie elsewhere, doors stand otherwise, far sounds come from elsewhere, the other side's own feelings are
//! missing. If one bit of one command changes, something that was not perceived had a say in it.
//!
//! The oracle (`oracle`) is not the bots' `perceive` and shares nothing with it. It says "could not" only when it is sure, so
//! it may leave a thing unchanged that a bot did not notice, never change one that it might have. How soon bots react is
//! measured against the same oracle (`encounters`). All of it together, of a recording, is its certificate (`certificate`).

mod certificate;
mod encounters;
mod oracle;

use std::sync::Arc;

use fireteam::snapshot::{Audience, Power, Sound, SoundKind, Team};
use fireteam::{Bots, Character, Command, ConVars, Field, Snapshot};
use fireteam_world::game::Interest;
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::Placed;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Crowd, Scene, Vec3};

pub use certificate::{Certificate, Certifier, Tamper};
pub use encounters::{Encounters, Reaction, Shares};
use oracle::{Oracle, stand};

/// Sounds are heard no farther than this many times their range.
const RANGE_SLACK: f32 = 1.05;

/// One side's second thoughts.
#[derive(Debug)]
pub struct Blindfold {
    team: Team,
    bots: Bots,
    shown: Snapshot,
    crowd: Crowd,
    placed: Vec<Placed>,
    commands: Vec<Command>,
    chance: Pcg,
    changed: Changed,
}

/// How much was changed: a blindfold that changes nothing proves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub frames: u64,
    /// Commands that were compared.
    pub commands: u64,
    pub players: u64,
    pub missiles: u64,
    pub items: u64,
    pub movers: u64,
    pub sounds: u64,
}

impl Changed {
    /// Changes of any kind.
    pub fn total(&self) -> u64 {
        self.players + self.missiles + self.items + self.movers + self.sounds
    }

    /// Of two sides together.
    pub fn and(self, other: Changed) -> Changed {
        Changed {
            frames: self.frames + other.frames,
            commands: self.commands + other.commands,
            players: self.players + other.players,
            missiles: self.missiles + other.missiles,
            items: self.items + other.items,
            movers: self.movers + other.movers,
            sounds: self.sounds + other.sounds,
        }
    }
}

/// A command that depended on something the bot could not have perceived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caught {
    pub time: Time,
    pub bot: EntityId,
    pub gave: Command,
    /// What it does when what it cannot know is different.
    pub gives: Command,
}

impl Blindfold {
    /// For the bots of one side: the same field, the same seed, the same people.
    pub fn new<'a>(
        field: &Arc<Field>,
        team: Team,
        seed: u64,
        members: impl Iterator<Item = (EntityId, &'a Character)>,
        chance: Pcg,
    ) -> Blindfold {
        let mut bots = Bots::new(Arc::clone(field), seed);
        members.for_each(|(entity, character)| bots.join(entity, character.clone()));
        Blindfold {
            team,
            bots,
            shown: Snapshot::default(),
            crowd: Crowd::default(),
            placed: Vec::new(),
            commands: Vec::new(),
            chance,
            changed: Changed::default(),
        }
    }

    /// Somebody joins; of which side he is, the frames say.
    pub fn join(&mut self, entity: EntityId, character: Character) {
        self.bots.join(entity, character);
    }

    pub fn leave(&mut self, entity: EntityId) {
        self.bots.leave(entity);
    }

    pub fn team(&self) -> Team {
        self.team
    }

    /// One frame: what the side did with its eyes open, against what it does blindfolded.
    pub fn compare(&mut self, truth: &Snapshot, commands: &[Command], convars: &ConVars) -> Option<Caught> {
        self.compare_as(truth, commands, convars, |_, _| {})
    }

    /// The same with something done to what bots press that looks at what they are shown: at more than they perceive, it is
    /// caught. The commands to compare with have undergone it as well.
    pub fn compare_as(
        &mut self,
        truth: &Snapshot,
        commands: &[Command],
        convars: &ConVars,
        mut tamper: impl FnMut(&Snapshot, &mut [Command]),
    ) -> Option<Caught> {
        self.hide(truth);
        self.changed.frames += 1;
        self.commands.clear();
        self.commands.extend_from_slice(self.bots.think(&self.shown, convars));
        tamper(&self.shown, &mut self.commands);
        for command in &self.commands {
            let Some(gave) = commands.iter().find(|gave| gave.bot == command.bot) else { continue };
            self.changed.commands += 1;
            if gave != command {
                return Some(Caught { time: truth.time, bot: gave.bot, gave: *gave, gives: *command });
            }
        }
        None
    }

    pub fn changed(&self) -> Changed {
        self.changed
    }

    /// What the blindfolded side was shown last, for whoever wants to know what was different.
    pub fn shown(&self) -> &Snapshot {
        &self.shown
    }

    /// Makes `shown` out of the truth.
    fn hide(&mut self, truth: &Snapshot) {
        self.shown.clone_from(truth);
        self.shown.own.retain(|own| own.team == self.team);
        let field = Arc::clone(self.bots.field());
        stand(truth, &mut self.placed);
        self.crowd.set(&field.opaque, &self.placed, &[]);
        let bodies = self.shown.own.clone();
        let scene = Scene { solids: &field.opaque, crowd: &self.crowd };
        let oracle = Oracle::new(&bodies, &truth.players, &field, scene);
        hide_players(&mut self.shown, &oracle, self.team, &mut self.chance, &mut self.changed);
        hide_missiles(&mut self.shown, &oracle, &mut self.chance, &mut self.changed);
        hide_items(&mut self.shown, &oracle, &mut self.chance, &mut self.changed);
        hide_movers(&mut self.shown, &oracle, &self.placed, &mut self.chance, &mut self.changed);
        hide_sounds(&mut self.shown, &oracle, &mut self.chance, &mut self.changed);
        let team = self.team;
        let is_told = |to: Audience| match to {
            Audience::All => true,
            Audience::Team(told) => told == team,
            Audience::One(told) => truth.own.iter().any(|own| own.entity == told && own.team == team),
        };
        self.shown.messages.retain(|message| is_told(message.to));
    }
}

/// Half the size of the box a player is looked for in.
const PLAYER: Vec3 = Vec3::new(18.0, 18.0, 34.0);

fn hide_players(shown: &mut Snapshot, oracle: &Oracle, team: Team, chance: &mut Pcg, changed: &mut Changed) {
    for figure in shown.players.iter_mut().filter(|figure| figure.team != team) {
        if oracle.could_perceive(figure.origin - PLAYER, figure.origin + PLAYER, None) {
            continue;
        }
        let Some(place) = oracle.hidden_place(chance, PLAYER) else { continue };
        figure.origin = place;
        figure.velocity = chance.direction() * chance.range(0.0, 600.0);
        (figure.pitch, figure.yaw) = (chance.range(-80.0, 80.0), chance.range(-180.0, 180.0));
        figure.is_firing = chance.chance(0.5);
        figure.is_dead = chance.chance(0.2);
        figure.weapon.0 = chance.below(oracle.field.arsenal.weapons.len()) as u8;
        figure.powers ^= Power::Bearer as u32;
        changed.players += 1;
    }
}

fn hide_missiles(shown: &mut Snapshot, oracle: &Oracle, chance: &mut Pcg, changed: &mut Changed) {
    let reach = Vec3::splat(4.0);
    for missile in &mut shown.missiles {
        // One's own are felt to leave the hand.
        if oracle.is_own(missile.owner) || oracle.could_perceive(missile.origin - reach, missile.origin + reach, None) {
            continue;
        }
        let Some(place) = oracle.hidden_place(chance, reach) else { continue };
        missile.origin = place;
        missile.velocity = chance.direction() * chance.range(0.0, 1000.0);
        changed.missiles += 1;
    }
}

/// A flag this near to its stand, seen from above, is on it.
const AT_HOME: f32 = 48.0;

fn hide_items(shown: &mut Snapshot, oracle: &Oracle, chance: &mut Pcg, changed: &mut Changed) {
    let reach = Vec3::splat(16.0);
    let homes: Vec<Vec3> = shown.objectives.iter().map(|objective| objective.home).collect();
    for item in &mut shown.items {
        if !chance.chance(0.5) || oracle.could_perceive(item.origin - reach, item.origin + reach, None) {
            continue;
        }
        // How a flag stands is told to all; where it lies is not.
        let is_flag = oracle.field.arsenal.item(item.kind).is == Interest::Flag;
        let is_away = || homes.iter().all(|home| home.truncate().distance(item.origin.truncate()) > AT_HOME);
        let elsewhere = if is_flag && is_away() { oracle.hidden_place(chance, reach) } else { None };
        match elsewhere {
            Some(place) => item.origin = place,
            None => item.is_there = !item.is_there,
        }
        changed.items += 1;
    }
}

fn hide_movers(shown: &mut Snapshot, oracle: &Oracle, placed: &[Placed], chance: &mut Pcg, changed: &mut Changed) {
    for mover in &mut shown.movers {
        let Some(stands) = placed.iter().find(|placed| placed.entity == mover.entity) else { continue };
        let bounds = oracle.field.solids.placed_bounds(stands);
        let shift = Vec3::Z * chance.range(-64.0, 64.0);
        let moved = |at: Vec3| at + shift;
        if oracle.could_perceive(bounds.mins, bounds.maxs, Some(mover.entity))
            || oracle.could_perceive(moved(bounds.mins), moved(bounds.maxs), Some(mover.entity))
        {
            continue;
        }
        mover.position.base += shift;
        changed.movers += 1;
    }
}

fn hide_sounds(shown: &mut Snapshot, oracle: &Oracle, chance: &mut Pcg, changed: &mut Changed) {
    let hearing = &oracle.field.game.rules.hearing;
    let range = |sound: &Sound| match sound.kind {
        SoundKind::Step => hearing.steps,
        SoundKind::Shot(_) => hearing.shots,
        SoundKind::Explosion => hearing.explosions,
        SoundKind::Bounce => hearing.bounces,
        SoundKind::Pickup
        | SoundKind::Jump
        | SoundKind::Pain
        | SoundKind::Death
        | SoundKind::Mover
        | SoundKind::Teleport
        | SoundKind::ItemBack => hearing.small,
    };
    let before = shown.sounds.len();
    let is_heard = |sound: &Sound| oracle.could_hear(sound.origin, range(sound) * RANGE_SLACK);
    shown.sounds.retain(|sound| is_heard(sound));
    changed.sounds += (before - shown.sounds.len()) as u64;
    let origin = *chance.pick(&oracle.field.terrain.waypoints.origin);
    let step = Sound { kind: SoundKind::Step, origin, source: None };
    if !is_heard(&step) {
        shown.sounds.push(step);
        changed.sounds += 1;
    }
}
