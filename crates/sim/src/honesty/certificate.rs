//! The honesty certificate of a recording: what a sceptic would ask of a match, answered from the recording alone.
//!
//! In: the entries of a recording, one after the other, and the field it was played on. Out: a [`Certificate`]:
//!
//! 1. New bots think everything over again. The same commands, bit for bit: it was these bots who played, and nobody helped.
//! 2. Each side thinks it over blindfolded ([`Blindfold`]). The same commands again: nothing that could not be perceived had
//!    a say.
//! 3. How soon they reacted ([`Encounters`]), against the reaction time that the bot's grade has.
//! 4. How fast they turned, against the wrist's limit: from the view a body has to the one its command asks for.
//! 5. How much of all there was to know they knew.
//!
//! Not here: reading files, words (`fireteam verify`). Cost: about four times what thinking it once costs, and the oracle.

use std::sync::Arc;

use fireteam::perceive::Keenness;
use fireteam::recording::{Comparison, Entry};
use fireteam::snapshot::{Own, Snapshot};
use fireteam::{Bots, Character, Command, ConVars, Field};
use fireteam_world::pcg::Pcg;
use fireteam_world::units::EntityId;

use super::{Blindfold, Caught, Changed, Encounters, Reaction, Shares};

/// What can be said of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Everything thought again.
    pub rethought: Comparison,
    /// What was changed behind the backs of the blindfolded.
    pub changed: Changed,
    /// Commands that depended on it, and the first of them.
    pub caught: u64,
    pub first_caught: Option<Caught>,
    pub encounters: usize,
    /// Reactions of any kind that were measured.
    pub reactions: usize,
    /// The quickest of them, and what the reaction time of that bot's grade is.
    pub fastest: Option<(Reaction, i32)>,
    /// Reactions below the reaction time of their bot's grade.
    pub too_fast: usize,
    /// Degrees a second, and the limit that held then.
    pub turn_rate: f32,
    pub turn_rate_max: f32,
    /// Turns above the limit.
    pub too_wild: u64,
    pub shares: Shares,
}

impl Certificate {
    /// Why it is no certificate of honesty; empty if it is one.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let Certificate { rethought, changed, caught, too_fast, too_wild, .. } = self;
        if rethought.commands == 0 {
            doubts.push("no bot did anything".to_owned());
        }
        if rethought.differing > 0 {
            doubts.push(format!("{} commands are not what these bots would do", rethought.differing));
        }
        if *caught > 0 {
            doubts.push(format!("{caught} commands depended on what could not be perceived"));
        }
        if rethought.commands > 0 && changed.total() == 0 {
            doubts.push("nothing was ever hidden from anybody, so there is nothing to show".to_owned());
        }
        if *too_fast > 0 {
            doubts.push(format!("{too_fast} reactions were quicker than they can be"));
        }
        if *too_wild > 0 {
            doubts.push(format!("{too_wild} turns were faster than the wrist's limit"));
        }
        doubts
    }

    pub fn is_honest(&self) -> bool {
        self.doubts().is_empty()
    }

    /// Of all enemies alive, how many were believed in sight: from 0 to 1.
    pub fn perceived_share(&self) -> f64 {
        self.shares.perceived as f64 / self.shares.there.max(1) as f64
    }

    /// The same of those who could have been perceived by somebody who looks everywhere at once.
    pub fn perceivable_share(&self) -> f64 {
        self.shares.perceivable as f64 / self.shares.there.max(1) as f64
    }
}

/// Done to commands by whoever wants to see somebody caught: to those recorded, to those thought again and to those of the
/// blindfolded, each time with what was shown.
pub type Tamper = fn(&Snapshot, &mut [Command]);

/// Takes a recording's entries one by one.
#[derive(Debug)]
pub struct Certifier {
    field: Arc<Field>,
    seed: u64,
    bots: Bots,
    sides: Vec<Blindfold>,
    joined: Vec<(EntityId, Character)>,
    /// The least reaction time each bot had so far.
    least_ms: Vec<(EntityId, i32)>,
    convars: ConVars,
    tamper: Tamper,
    commands: Vec<Command>,
    encounters: Encounters,
    judged: [usize; 3],
    so_far: Certificate,
}

/// Angles go into commands and snapshots in steps of this size; two may be lost on the way.
const ANGLE_STEP: f32 = 360.0 / 65536.0;

impl Certifier {
    pub fn new(field: Arc<Field>, seed: u64) -> Certifier {
        Certifier::tampered(field, seed, |_, _| {})
    }

    pub fn tampered(field: Arc<Field>, seed: u64, tamper: Tamper) -> Certifier {
        Certifier {
            bots: Bots::new(Arc::clone(&field), seed),
            field,
            seed,
            sides: Vec::new(),
            joined: Vec::new(),
            least_ms: Vec::new(),
            convars: ConVars::default(),
            tamper,
            commands: Vec::new(),
            encounters: Encounters::default(),
            judged: [0; 3],
            so_far: Certificate {
                rethought: Comparison::default(),
                changed: Changed::default(),
                caught: 0,
                first_caught: None,
                encounters: 0,
                reactions: 0,
                fastest: None,
                too_fast: 0,
                turn_rate: 0.0,
                turn_rate_max: ConVars::default().aim_turn_rate_max,
                too_wild: 0,
                shares: Shares::default(),
            },
        }
    }

    pub fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Join(entity, character) => {
                self.bots.join(entity, character.clone());
                self.sides.iter_mut().for_each(|side| side.join(entity, character.clone()));
                self.joined.push((entity, character));
                self.note_reactions();
            }
            Entry::Leave(entity) => {
                self.bots.leave(entity);
                self.sides.iter_mut().for_each(|side| side.leave(entity));
                self.joined.retain(|(known, _)| *known != entity);
                self.least_ms.retain(|(known, _)| *known != entity);
            }
            Entry::Variables(given) => {
                self.convars = *given;
                self.note_reactions();
            }
            Entry::Frame(snapshot, mut commands) => {
                (self.tamper)(&snapshot, &mut commands);
                self.rethink(&snapshot, &commands);
                self.measure(&snapshot, &commands);
                self.blindfold(&snapshot, &commands);
            }
        }
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.so_far.rethought.frames
    }

    pub fn finish(mut self) -> Certificate {
        self.so_far.changed = self.sides.iter().map(Blindfold::changed).fold(Changed::default(), Changed::and);
        self.so_far.encounters = self.encounters.known.len();
        self.so_far.shares = self.encounters.shares;
        self.so_far
    }

    /// A variable may be lowered and raised while a percept is under way: the least that held counts.
    fn note_reactions(&mut self) {
        for (entity, character) in &self.joined {
            let ms = Keenness::of(character.skill, &self.convars).reaction_ms;
            match self.least_ms.iter_mut().find(|(known, _)| known == entity) {
                Some((_, least)) => *least = ms.min(*least),
                None => self.least_ms.push((*entity, ms)),
            }
        }
    }

    fn rethink(&mut self, snapshot: &Snapshot, recorded: &[Command]) {
        self.commands.clear();
        self.commands.extend_from_slice(self.bots.think(snapshot, &self.convars));
        (self.tamper)(snapshot, &mut self.commands);
        self.so_far.rethought.add(snapshot.time, recorded, &self.commands);
    }

    fn measure(&mut self, snapshot: &Snapshot, commands: &[Command]) {
        self.encounters.look(snapshot, &self.bots, commands);
        let Encounters { known, turned, fired, .. } = &self.encounters;
        for (all, judged) in [known, turned, fired].into_iter().zip(&mut self.judged) {
            for reaction in &all[*judged..] {
                let least = self.least_ms.iter().find(|(bot, _)| *bot == reaction.bot).map_or(0, |(_, ms)| *ms);
                self.so_far.reactions += 1;
                self.so_far.too_fast += usize::from(reaction.ms < least);
                if self.so_far.fastest.is_none_or(|(fastest, _)| reaction.ms < fastest.ms) {
                    self.so_far.fastest = Some((*reaction, least));
                }
            }
            *judged = all.len();
        }
        let seconds = snapshot.frame_ms.max(1) as f32 * 0.001;
        let limit = self.convars.aim_turn_rate_max;
        for own in snapshot.own.iter().filter(|own| !own.body.is_dead) {
            let Some(command) = commands.iter().find(|command| command.bot == own.entity) else { continue };
            let turn = turned_by(own, command);
            let rate = turn / seconds;
            if rate > self.so_far.turn_rate {
                (self.so_far.turn_rate, self.so_far.turn_rate_max) = (rate, limit);
            }
            self.so_far.too_wild += u64::from(turn > limit * seconds + ANGLE_STEP * 2.0);
        }
    }

    fn blindfold(&mut self, snapshot: &Snapshot, commands: &[Command]) {
        for own in &snapshot.own {
            if self.sides.iter().all(|side| side.team() != own.team) {
                let everyone = self.joined.iter().map(|(entity, character)| (*entity, character));
                let chance = Pcg::named(self.seed, "blindfold");
                self.sides.push(Blindfold::new(&self.field, own.team, self.seed, everyone, chance));
            }
        }
        for side in &mut self.sides {
            if let Some(caught) = side.compare_as(snapshot, commands, &self.convars, self.tamper) {
                self.so_far.caught += 1;
                self.so_far.first_caught = self.so_far.first_caught.or(Some(caught));
            }
        }
    }
}

/// Degrees between the view a body has and the one its command asks for, about the axis that turns more.
fn turned_by(own: &Own, command: &Command) -> f32 {
    let view = own.body.view.to_array();
    let turns = (0..2).map(|axis| {
        let word = (command.press.angles[axis] + own.body.view_offset[axis]) as i16;
        let off = (f32::from(word) * ANGLE_STEP - view[axis]).rem_euclid(360.0);
        off.min(360.0 - off)
    });
    turns.fold(0.0, f32::max)
}
