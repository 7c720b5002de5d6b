//! Minds: what every bot thought at any moment, found out by thinking it again.
//!
//! In: a chronicle. A thread of its own thinks it from the first frame on, a moment behind the match: that gives the journal, whom
//! bots aim at, what those think that somebody has selected, and every ten seconds a checkpoint. Out: the mind of any
//! bot at any frame ([`Minds::ask`]), from the nearest checkpoint on, at most ten seconds of thinking; and whether all commands came
//! out as they were recorded, which they must.
//!
//! Cost: as much again as the match's thinking, on another core. Checkpoints of 16 bots take about a megabyte each; when there
//! are many, every second one goes.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use axum::http::StatusCode;
use fireteam::journal::{Turn, with_names};
use fireteam::perceive::Percept;
use fireteam::recording::{Entries, Entry};
use fireteam::snapshot::Team;
use fireteam::{Bots, ConVars, Snapshot};
use fireteam_world::units::EntityId;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::chronicle::{Chronicle, Contents, Line};
use super::mind;
use super::serve::{Answer, failed, missing};

/// Questions that may wait.
const QUESTIONS_MAX: usize = 64;
/// Frames that are thought before somebody who asks is heard.
const BATCH: u32 = 16;
/// How long to wait for more, while there may be more.
const SOON: Duration = Duration::from_millis(12);
/// How long what was perceived is still told of.
const RECENT_MS: i32 = 1000;
/// Checkpoints that are kept.
const CHECKPOINTS_MAX: usize = 96;
/// Minds near the moments that were asked about last, to go on from.
const SPARES_MAX: usize = 3;
/// Minds are told of so often while they think.
const TELL_EVERY_MS: i32 = 100;

enum Question {
    Mind { bot: EntityId, frame: u32, answer: oneshot::Sender<Answer<String>> },
    Side { team: Team, frame: u32, answer: oneshot::Sender<Answer<String>> },
    Bots { frame: u32, answer: oneshot::Sender<Answer<Bots>> },
}

/// Who is watched, and what they last thought.
#[derive(Debug, Default)]
struct Selected {
    watchers: BTreeMap<u16, usize>,
    latest: BTreeMap<u16, (u32, Arc<str>)>,
}

/// The way to the thread that thinks.
#[derive(Debug)]
pub(crate) struct Minds {
    questions: SyncSender<Question>,
    selected: Arc<Mutex<Selected>>,
}

impl Minds {
    /// Begins to think a chronicle again.
    pub(crate) fn of(chronicle: Arc<Chronicle>) -> Minds {
        let (questions, asked) = sync_channel(QUESTIONS_MAX);
        let selected = Arc::new(Mutex::new(Selected::default()));
        let told = selected.clone();
        thread::spawn(move || Rethinking::of(chronicle, told).run(&asked));
        Minds { questions, selected }
    }

    fn selected(&self) -> std::sync::MutexGuard<'_, Selected> {
        self.selected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn select(&self, bot: u16) {
        *self.selected().watchers.entry(bot).or_default() += 1;
    }

    pub(crate) fn unselect(&self, bot: u16) {
        let mut selected = self.selected();
        let left = selected.watchers.get_mut(&bot).map(|count| {
            *count = count.saturating_sub(1);
            *count
        });
        if left == Some(0) {
            selected.watchers.remove(&bot);
            selected.latest.remove(&bot);
        }
    }

    pub(crate) fn latest(&self, bot: u16) -> Option<(u32, Arc<str>)> {
        self.selected().latest.get(&bot).cloned()
    }

    /// What a bot had in mind after it had thought a frame, as JSON.
    pub(crate) async fn ask(&self, bot: EntityId, frame: u32) -> Answer<String> {
        self.put(|answer| Question::Mind { bot, frame, answer }).await
    }

    /// What a side knew together.
    pub(crate) async fn ask_side(&self, team: Team, frame: u32) -> Answer<String> {
        self.put(|answer| Question::Side { team, frame, answer }).await
    }

    /// The minds themselves, after they had thought a frame.
    pub(crate) async fn bots_after(&self, frame: u32) -> Answer<Bots> {
        self.put(|answer| Question::Bots { frame, answer }).await
    }

    async fn put<T>(&self, question: impl FnOnce(oneshot::Sender<Answer<T>>) -> Question) -> Answer<T> {
        let (answer, answered) = oneshot::channel();
        let busy = || failed(StatusCode::SERVICE_UNAVAILABLE, "too many questions at once: ask again");
        self.questions.try_send(question(answer)).map_err(|_| busy())?;
        answered.await.unwrap_or_else(|_| Err(missing("this match is over and gone")))
    }
}

/// Bots on their way through a recording.
#[derive(Clone)]
struct Thinker {
    bots: Bots,
    convars: ConVars,
    /// The frame they think next.
    next: u32,
    block: usize,
    /// Entries of the block that were taken.
    taken: usize,
    /// They were taken before the block was packed, and are counted otherwise.
    was_open: bool,
    recent: Vec<(EntityId, Percept)>,
    /// What was shown last.
    shown: Option<Arc<Entry>>,
    differing: u64,
    /// Of the journal, lines that were read.
    read: u64,
}

/// A block that was unpacked.
struct Unpacked {
    block: usize,
    entries: Vec<Arc<Entry>>,
}

impl Thinker {
    fn at_the_beginning(chronicle: &Chronicle) -> Thinker {
        Thinker {
            bots: Bots::new(chronicle.field.clone(), chronicle.head.seed),
            convars: ConVars::default(),
            next: 0,
            block: 0,
            taken: 0,
            was_open: false,
            recent: Vec::new(),
            shown: None,
            differing: 0,
            read: 0,
        }
    }

    fn checkpoint(&self) -> Thinker {
        let Thinker { convars, next, block, taken, was_open, differing, .. } = *self;
        let (recent, shown) = (self.recent.clone(), self.shown.clone());
        let bots = self.bots.checkpoint();
        Thinker { bots, convars, next, block, taken, was_open, recent, shown, differing, read: 0 }
    }

    /// The entries that come next, within one block; none if there are no more yet.
    fn ahead(&mut self, chronicle: &Chronicle, unpacked: &mut Option<Unpacked>) -> Option<Vec<Arc<Entry>>> {
        loop {
            let (contents, (_, first), blocks) = {
                let shelf = chronicle.shelf();
                (shelf.contents(self.block)?, shelf.block_of(self.next), shelf.block_count())
            };
            let is_packed = matches!(contents, Contents::Packed(_));
            let entries = match contents {
                Contents::Open(entries) => entries,
                Contents::Packed(packed) => unpack(self.block, &packed, unpacked),
            };
            if is_packed && self.was_open {
                self.taken = after_frames(&entries, self.next.saturating_sub(first) as usize);
                self.was_open = false;
            }
            self.was_open = !is_packed;
            if self.taken < entries.len() {
                return Some(entries[self.taken..].to_vec());
            }
            if self.block + 1 >= blocks {
                return None;
            }
            (self.block, self.taken, self.was_open) = (self.block + 1, 0, false);
        }
    }

    fn take(&mut self, entry: &Arc<Entry>) {
        self.taken += 1;
        match &**entry {
            Entry::Join(entity, character) => self.bots.join(*entity, character.clone()),
            Entry::Leave(entity) => self.bots.leave(*entity),
            Entry::Variables(convars) => self.convars = **convars,
            Entry::Frame(shown, commands) => {
                self.note_percepts(shown);
                if self.bots.think(shown, &self.convars) != commands {
                    self.differing += 1;
                }
                self.shown = Some(entry.clone());
                self.next += 1;
            }
        }
    }

    /// What is about to come off the delay lines.
    fn note_percepts(&mut self, shown: &Snapshot) {
        self.recent.retain(|(_, percept)| shown.time - percept.due < RECENT_MS);
        for own in &shown.own {
            let Some(insight) = self.bots.insight(own.entity) else { continue };
            let ripe = insight.senses.on_the_way().filter(|percept| percept.due <= shown.time);
            self.recent.extend(ripe.map(|percept| (own.entity, *percept)));
        }
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        match self.shown.as_deref() {
            Some(Entry::Frame(shown, _)) => Some(shown),
            Some(Entry::Join(..) | Entry::Leave(_) | Entry::Variables(_)) | None => None,
        }
    }
}

/// Blocks are read by one thinker after the other, mostly the same.
fn unpack(block: usize, packed: &[u8], unpacked: &mut Option<Unpacked>) -> Vec<Arc<Entry>> {
    if let Some(known) = unpacked.as_ref().filter(|known| known.block == block) {
        return known.entries.clone();
    }
    let entries = Entries::of_block("the recording", block as u32, packed);
    // What is damaged ends there; whoever read it for the film has said so.
    let entries: Vec<Arc<Entry>> = entries.map_while(Result::ok).map(Arc::new).collect();
    *unpacked = Some(Unpacked { block, entries: entries.clone() });
    entries
}

/// The place after so many frames.
fn after_frames(entries: &[Arc<Entry>], frames: usize) -> usize {
    let ends = entries.iter().enumerate().filter(|(_, entry)| matches!(&***entry, Entry::Frame(..)));
    frames.checked_sub(1).and_then(|last| ends.map(|(index, _)| index + 1).nth(last)).unwrap_or(0)
}

/// The thread's work.
struct Rethinking {
    chronicle: Arc<Chronicle>,
    selected: Arc<Mutex<Selected>>,
    /// Goes through all of it.
    leader: Thinker,
    /// By block: as they were before it.
    checkpoints: BTreeMap<usize, Thinker>,
    /// Keep every so many.
    stride: usize,
    spares: Vec<Thinker>,
    unpacked: Option<Unpacked>,
    told_at: i32,
}

impl Rethinking {
    fn of(chronicle: Arc<Chronicle>, selected: Arc<Mutex<Selected>>) -> Rethinking {
        let leader = Thinker::at_the_beginning(&chronicle);
        let checkpoints = BTreeMap::from([(0, leader.checkpoint())]);
        Rethinking {
            chronicle,
            selected,
            leader,
            checkpoints,
            stride: 1,
            spares: Vec::new(),
            unpacked: None,
            told_at: i32::MIN,
        }
    }

    /// Until nobody can ask any more.
    fn run(mut self, asked: &Receiver<Question>) {
        loop {
            match asked.try_recv() {
                Ok(question) => {
                    self.answer(question);
                    continue;
                }
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) => {}
            }
            if self.chronicle.is_whole && self.think_on() {
                continue;
            }
            match asked.recv_timeout(SOON) {
                Ok(question) => self.answer(question),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Some more frames; false if there are none.
    fn think_on(&mut self) -> bool {
        let block = self.leader.block;
        let Some(entries) = self.leader.ahead(&self.chronicle, &mut self.unpacked) else { return false };
        if self.leader.block != block {
            self.keep_checkpoint();
        }
        let mut lines = Vec::new();
        for entry in entries.iter().take(BATCH as usize) {
            self.leader.take(entry);
            self.read_journal(&mut lines);
        }
        {
            let mut shelf = self.chronicle.shelf();
            for line in &mut lines {
                line.reason = with_names(&line.reason, |entity| {
                    shelf.players.iter().find(|player| player.id == entity.0).map(|player| player.name.as_str())
                });
            }
            shelf.lines.extend(lines);
            (shelf.thought, shelf.differing) = (self.leader.next, self.leader.differing);
            for player in shelf.players.iter_mut().filter(|player| player.is_bot && player.traits.is_none()) {
                player.traits = self.leader.bots.traits(EntityId(player.id)).map(mind::traits);
            }
        }
        self.tell_selected();
        self.chronicle.announce();
        true
    }

    fn keep_checkpoint(&mut self) {
        if !self.leader.block.is_multiple_of(self.stride) {
            return;
        }
        self.checkpoints.insert(self.leader.block, self.leader.checkpoint());
        if self.checkpoints.len() > CHECKPOINTS_MAX {
            self.stride *= 2;
            let stride = self.stride;
            self.checkpoints.retain(|block, _| block.is_multiple_of(stride));
        }
    }

    fn read_journal(&mut self, lines: &mut Vec<Line>) {
        let journal = self.leader.bots.journal();
        let frame = self.leader.next.saturating_sub(1);
        lines.extend(journal.since(self.leader.read).map(|line| Line {
            time: line.time.0,
            frame,
            bot: line.bot.0,
            turn: turn_name(line.turn),
            goal: line.goal,
            reason: line.reason.to_string(),
        }));
        self.leader.read = journal.written();
    }

    /// Those who are watched, when there is nothing more to think: at the end of what there is.
    fn tell_selected(&mut self) {
        let Some(shown) = self.leader.snapshot() else { return };
        let is_soon = (shown.time.0.wrapping_sub(self.told_at)).unsigned_abs() < TELL_EVERY_MS as u32;
        let is_last = self.leader.next >= self.chronicle.shelf().film.len();
        if is_soon || !is_last {
            return;
        }
        self.told_at = shown.time.0;
        let bots: Vec<u16> = {
            let selected = self.selected.lock().unwrap_or_else(PoisonError::into_inner);
            selected.watchers.keys().copied().collect()
        };
        for bot in bots {
            let told = self.tell(&self.leader, EntityId(bot));
            let mut selected = self.selected.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Ok(told), true) = (told, selected.watchers.contains_key(&bot)) {
                selected.latest.insert(bot, (self.leader.next, told.into()));
            }
        }
    }

    fn answer(&mut self, question: Question) {
        // Whoever asked may have gone.
        match question {
            Question::Mind { bot, frame, answer } => {
                let told = self.thinker_at(frame).and_then(|thinker| self.tell(&thinker, bot));
                answer.send(told).ok();
            }
            Question::Side { team, frame, answer } => {
                let told = self.thinker_at(frame).and_then(|thinker| tell_side(&thinker, team));
                answer.send(told).ok();
            }
            Question::Bots { frame, answer } => {
                answer.send(self.thinker_at(frame).map(|thinker| thinker.bots)).ok();
            }
        }
    }

    /// Bots that have just thought this frame. They go back among the spares in their state of now.
    fn thinker_at(&mut self, frame: u32) -> Answer<Thinker> {
        if !self.chronicle.is_whole {
            return Err(missing(
                "this recording lost its beginning: it can be watched, its minds cannot be re-thought",
            ));
        }
        let frames = self.chronicle.shelf().film.len();
        if frame >= frames {
            return Err(missing(format!("there are {frames} frames, no {frame}")));
        }
        if frame >= self.leader.next {
            let why =
                format!("{} of {frames} frames are thought again so far: ask again in a moment", self.leader.next);
            return Err(failed(StatusCode::SERVICE_UNAVAILABLE, why));
        }
        if frame + 1 == self.leader.next {
            return Ok(self.leader.checkpoint());
        }
        let (block, _) = self.chronicle.shelf().block_of(frame);
        let spare = self.spares.iter().position(|spare| spare.next <= frame + 1 && spare.block + 1 >= block);
        let mut thinker = match spare {
            Some(spare) => self.spares.swap_remove(spare),
            None => {
                let nearest = self.checkpoints.range(..=block).next_back();
                nearest.map_or_else(|| Thinker::at_the_beginning(&self.chronicle), |(_, kept)| kept.clone())
            }
        };
        while thinker.next <= frame {
            let Some(entries) = thinker.ahead(&self.chronicle, &mut self.unpacked) else {
                return Err(missing("the recording ends before that"));
            };
            for entry in &entries {
                if thinker.next > frame {
                    break;
                }
                thinker.take(entry);
            }
        }
        if self.spares.len() == SPARES_MAX {
            self.spares.remove(0);
        }
        self.spares.push(thinker.clone());
        Ok(thinker)
    }

    fn tell(&self, thinker: &Thinker, bot: EntityId) -> Answer<String> {
        let insight = thinker.bots.insight(bot).ok_or_else(|| missing(format!("{} has no mind of ours", bot.0)))?;
        let shown = thinker.snapshot().ok_or_else(|| missing("nothing has been shown yet"))?;
        let ripe = thinker.recent.iter().filter(|(known, _)| *known == bot).map(|(_, percept)| percept);
        let name = |entity: EntityId| self.chronicle.name_of(entity);
        let moment = mind::Moment { bot, frame: thinker.next - 1, shown, field: &self.chronicle.field, name: &name };
        let target = thinker.bots.target(bot);
        Ok(mind::told(&moment, &insight, ripe, target).to_string())
    }
}

fn tell_side(thinker: &Thinker, team: Team) -> Answer<String> {
    let (side, wear) =
        thinker.bots.side(team).ok_or_else(|| missing(format!("no bot of ours is on side {}", team.0)))?;
    let shown = thinker.snapshot().ok_or_else(|| missing("nothing has been shown yet"))?;
    let field = thinker.bots.field();
    let seen = |waypoint| {
        let at = side.last_seen(waypoint);
        (at != fireteam::team::NEVER).then(|| shown.time - at)
    };
    let last_seen: Vec<Option<i32>> = field.terrain.waypoints.ids().map(seen).collect();
    let trust = |(link, walked, failed): (fireteam_terrain::LinkId, u16, u16)| {
        let share = f64::from(walked) / f64::from(u32::from(walked) + u32::from(failed));
        (link.0.to_string(), json!(share))
    };
    let trust: serde_json::Map<String, Value> = wear.tallies().map(trust).collect();
    Ok(json!({ "last_seen_ms": last_seen, "trust": trust }).to_string())
}

fn turn_name(turn: Turn) -> &'static str {
    match turn {
        Turn::Starts => "starts",
        Turn::Waits => "waits",
        Turn::Resumes => "resumes",
        Turn::Ends => "ends",
        Turn::Notes => "notes",
    }
}
