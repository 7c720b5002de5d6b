//! The minds at work on one level: field, bots, what they are shown, and what is written down of it.
//!
//! In: the game's memory, a frame at a time. Out: what each bot presses. [`Post::think`] is guarded: a panic in a mind
//! benches its bot, keeps the flight recorder's file and goes on with the others. Makes no engine call anywhere.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fireteam::behaviour::{self, Behaviour, Limbs, View};
use fireteam::goal::{Bid, Outcome};
use fireteam::journal::{Words, with_names};
use fireteam::profile::{Clock, Profile};
use fireteam::recording::{Head, Keep, Recorder};
use fireteam::{Bots, Character, ConVars, Field, Snapshot, Traits};
use fireteam_openarena::clock::{thread_time, wall_ns};
use fireteam_openarena::play::report::Foreseen;
use fireteam_terrain::file;
use fireteam_world::units::EntityId;

use super::Lines;
use super::flags::Flags;
use super::foresight::Foresight;
use super::learnt::Learnt;
use super::orders::Orders;
use super::relay::{self, Relay};
use super::tables::Tables;
use super::translate::{Frame, Site, Translator};
use crate::abi::{self, UserCommand};
use crate::engine::Game;

/// Buttons that a Quake III client has.
const BUTTONS: u32 = 0xffff;

/// What bots press in a frame, by client slot.
pub(super) type Presses = [Option<UserCommand>; abi::CLIENTS_MAX];

#[derive(Debug)]
pub(super) struct Post {
    pub(super) field: Arc<Field>,
    bots: Bots,
    translator: Translator,
    snapshot: Snapshot,
    convars: ConVars,
    recorder: Recorder,
    learnt: Learnt,
    record: String,
    relay: Option<Relay>,
    journal: Option<BufWriter<File>>,
    foresight: Option<Foresight>,
    /// Clients that stand still after a fault, as bits.
    benched: u64,
    /// The next who joins breaks down, for tests.
    is_to_break: bool,
    home: PathBuf,
}

/// CPU time of a frame's two parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) translate: Duration,
    pub(super) think: Duration,
}

impl Post {
    pub(super) fn new(field: Arc<Field>, learnt: Learnt, orders: &Orders, lines: &mut Lines) -> Post {
        hear_panics();
        let head = Head::of(&field, &orders.map, orders.seed);
        let keep = if orders.record.is_empty() { Keep::USUAL } else { Keep::Whole };
        let journal = (!orders.journal.is_empty()).then(|| File::create(&orders.journal));
        let journal = journal.and_then(|file| match file {
            Ok(file) => Some(BufWriter::new(file)),
            Err(error) => {
                lines.say(format!("{}: {error}", orders.journal));
                None
            }
        });
        let recorder = Recorder::new(head, keep);
        let (recorder, relay) = if orders.relay.is_empty() {
            (recorder, None)
        } else {
            let recorder = recorder.in_blocks_of(relay::BLOCK_MS);
            let relay = Relay::begin(Path::new(&orders.relay), &recorder);
            (recorder, relay.map_err(|error| lines.say(format!("{}: {error}: nobody can watch", orders.relay))).ok())
        };
        let bots = Bots::new(Arc::clone(&field), orders.seed);
        bots.profile().set_clock(clock(orders.is_profiled));
        Post {
            bots,
            translator: Translator::new(
                Tables::of(&field.arsenal),
                field.game.rules.rounds.respawn_ms,
                Flags::of(&field, orders.game_type),
            ),
            snapshot: Snapshot::default(),
            convars: orders.convars,
            recorder,
            learnt,
            record: orders.record.clone(),
            relay,
            journal,
            foresight: orders.is_checked.then(|| Foresight::new(&field)),
            benched: 0,
            is_to_break: orders.fault == "think",
            home: Path::new(&orders.home_path).to_owned(),
            field,
        }
    }

    pub(super) fn join(&mut self, client: usize, character: Character) {
        let entity = EntityId(client as u16);
        self.recorder.join(entity, &character);
        let mut behaviours = behaviour::standard();
        if std::mem::take(&mut self.is_to_break) {
            behaviours.push(Box::new(Breakdown));
        }
        self.bots.join_with(entity, character, behaviours);
    }

    pub(super) fn leave(&mut self, client: usize) {
        let entity = EntityId(client as u16);
        self.recorder.leave(entity);
        self.bots.leave(entity);
        self.benched &= !(1 << client);
    }

    /// Shows a frame to our bots. Answers with what they press and what it took; with a name and a reason if somebody had to
    /// be benched.
    pub(super) fn think(&mut self, game: &Game, frame: Frame, presses: &mut Presses) -> (Spent, Option<String>) {
        let Frame { ours, times: [_, now], .. } = frame;
        let (mut spent, began) = (Spent::default(), thread_time());
        let written = self.bots.journal().written();
        let done = catch_unwind(AssertUnwindSafe(|| {
            let site = Site { solids: &self.field.solids, rules: &self.field.game.rules.movement };
            {
                let _translate = self.bots.profile().enter("translate");
                let frame = Frame { ours: ours & !self.benched, ..frame };
                self.translator.translate(game, site, frame, &mut self.snapshot);
            }
            let shown = thread_time();
            let commands = self.bots.think(&self.snapshot, &self.convars);
            spent.think = thread_time() - shown;
            for command in commands {
                let (press, weapon) = (&command.press, self.translator.tables.number_of(command.weapon));
                presses[command.bot.index()] = Some(UserCommand {
                    server_time: now,
                    angles: press.angles,
                    buttons: (press.buttons.0 & BUTTONS) as i32,
                    weapon,
                    forward: press.forward,
                    right: press.right,
                    up: press.up,
                });
            }
            self.recorder.frame(&self.snapshot, &self.convars, commands);
            self.learnt.look(&self.snapshot);
            if let Some(foresight) = &mut self.foresight {
                foresight.look(&self.snapshot, commands, &self.field);
            }
        }));
        self.tell(written);
        // Whoever watches does without if the disk is full; the match does not.
        if self.relay.as_mut().is_some_and(|relay| relay.pass_on(&self.recorder).is_err()) {
            self.relay = None;
        }
        spent.translate = (thread_time() - began).saturating_sub(spent.think);
        (spent, done.is_err().then(|| self.bench()))
    }

    /// The bot that was thinking stands still from now on. Answers with what to say.
    fn bench(&mut self) -> String {
        let reason = last_panic();
        self.recorder.frame(&self.snapshot, &self.convars, &[]);
        let path = self.home.join(format!("fireteam-{}-crash.recording", self.field.map.name));
        let kept = match file::write_whole(&path, &self.recorder.to_bytes()) {
            Ok(()) => format!("what led to it is in {}", path.display()),
            Err(error) => format!("what led to it cannot be kept: {}: {error}", path.display()),
        };
        // Nobody's thought was broken off: reading the game's memory was.
        let Some(entity) = self.bots.broke_off_at(&self.snapshot) else { return format!("{reason}; {kept}") };
        let name = self.bots.character(entity).map_or_else(String::new, |character| character.name.clone());
        self.leave(entity.index());
        self.benched |= 1 << entity.index();
        format!("{name} is benched until the next level: {reason}; {kept}")
    }

    /// New lines of the bots' journal go to its file.
    fn tell(&mut self, since: u64) {
        let Some(journal) = &mut self.journal else { return };
        for line in self.bots.journal().since(since) {
            let name = self.bots.character(line.bot).map_or("?", |character| &character.name);
            let seconds = f64::from(line.time.0) / 1000.0;
            if writeln!(journal, "{seconds:.2} {name} {}", line.told()).is_err() {
                self.journal = None;
                return;
            }
        }
    }

    /// Tastes changed: for the frames to come.
    pub(super) fn set_convars(&mut self, convars: ConVars) {
        self.convars = convars;
    }

    pub(super) fn profile(&self) -> &Profile {
        self.bots.profile()
    }

    /// Measures where the time goes from now on, or no longer.
    pub(super) fn set_profiling(&self, is_on: bool) {
        self.bots.profile().set_clock(clock(is_on));
    }

    /// Turns taken by all bots together.
    pub(super) fn turns(&self) -> u64 {
        self.bots.turns()
    }

    pub(super) fn is_benched(&self, client: usize) -> bool {
        self.benched & (1 << client) != 0
    }

    /// What a bot would rather do.
    pub(super) fn traits(&self, client: usize) -> Option<&Traits> {
        self.bots.traits(EntityId(client as u16))
    }

    /// What a bot wants, most urgent first: goals with their reasons.
    pub(super) fn goals(&self, client: usize) -> impl Iterator<Item = (&'static str, Words)> {
        self.bots.goals(EntityId(client as u16))
    }

    /// The last lines of a bot's journal, oldest first, with others' names for their numbers.
    pub(super) fn latest<'n>(
        &self,
        client: usize,
        count: usize,
        name: impl Fn(EntityId) -> Option<&'n str>,
    ) -> Vec<String> {
        let lines: Vec<_> = self.bots.journal().since(0).filter(|line| line.bot.index() == client).collect();
        let latest = &lines[lines.len().saturating_sub(count)..];
        let told = |line: &&fireteam::journal::Line| {
            format!("{:.2} {}", f64::from(line.time.0) / 1000.0, with_names(&line.told().to_string(), &name))
        };
        latest.iter().map(told).collect()
    }

    /// Whether a bot stands where it is for a reason that it wrote down.
    pub(super) fn holds(&self, client: usize) -> bool {
        self.bots.legs(EntityId(client as u16)).is_some_and(|legs| legs.holding().is_some())
    }

    pub(super) fn foreseen(&self) -> Foreseen {
        self.foresight.as_ref().map(|foresight| foresight.foreseen).unwrap_or_default()
    }

    /// The match is over: what was recorded is written. Answers with what went wrong.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        if let Some(mut journal) = self.journal.take() {
            journal.flush().map_err(|error| format!("the journal is not whole: {error}"))?;
        }
        let learnt = catch_unwind(AssertUnwindSafe(|| self.learnt.save(&self.field, &self.bots)));
        learnt.unwrap_or_else(|_| Err(last_panic()))?;
        if let Some(relay) = self.relay.take() {
            relay.end(&self.recorder).map_err(|error| format!("the relay is not whole: {error}"))?;
        }
        if self.record.is_empty() {
            return Ok(());
        }
        file::write_whole(Path::new(&self.record), &self.recorder.to_bytes())
            .map_err(|error| format!("{}: {error}", self.record))
    }
}

fn clock(is_on: bool) -> Option<Clock> {
    is_on.then_some(wall_ns as Clock)
}

/// A mind that breaks down at its first turn.
#[derive(Clone, Debug)]
struct Breakdown;

impl Behaviour for Breakdown {
    fn name(&self) -> &'static str {
        "breakdown"
    }

    fn bid(&mut self, _: &View, _: &mut Limbs) -> Option<Bid> {
        panic!("forced by ft_fault");
    }

    fn update(&mut self, _: &View, _: &mut Limbs) -> Outcome {
        unreachable!("it never gets that far")
    }
}

/// What the last panic said, on one line.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Panics are told by us, in one line, and not by the standard library in several.
pub(super) fn hear_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        *last = panic.to_string().replace('\n', " ");
    }));
}

pub(super) fn last_panic() -> String {
    LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
