//! A chronicle: one match as it can be watched, live and growing or read from a file.
//!
//! In: entries in the order of a recording, from whoever plays the match ([`Chronicle::take`]) or from a file ([`Chronicle::thread_in`]).
//! Out: the film, marks, players, variables, statistics, and the recording itself block by block, for whoever thinks it again (`minds`).
//! Everything lies behind one lock that nobody holds for longer than a copy takes; the thread that plays the match does not
//! take it at all, it hands entries to a scribe (`stage`).
//!
//! Not here: journal lines are put in by `minds`, which re-thinks them: a recording has none.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use fireteam::recording::{Entries, Entry, Head, Keep, Recorder, Recording};
use fireteam::{Character, ConVars, Field, Snapshot};
use fireteam_sim::stats::Stats;
use fireteam_world::units::EntityId;
use serde::Serialize;
use tokio::sync::watch;

use super::film::Film;
use super::marks::{Mark, MarkKind, Marker, Scene};

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Player {
    pub(crate) id: u16,
    pub(crate) name: String,
    pub(crate) team: u8,
    pub(crate) is_bot: bool,
    pub(crate) skill: Option<&'static str>,
    pub(crate) traits: Option<BTreeMap<&'static str, u8>>,
}

/// A line of the journal, with the frame it was written in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Line {
    pub(crate) time: i32,
    pub(crate) frame: u32,
    pub(crate) bot: u16,
    pub(crate) turn: &'static str,
    pub(crate) goal: &'static str,
    pub(crate) reason: String,
}

/// A variable that was set while the match ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Tuned {
    pub(crate) frame: u32,
    pub(crate) time: i32,
    pub(crate) name: &'static str,
    pub(crate) value: f64,
}

/// One match.
#[derive(Debug)]
pub(crate) struct Chronicle {
    pub(crate) field: Arc<Field>,
    pub(crate) head: Head,
    /// It begins at the beginning, so that it can be thought again.
    pub(crate) is_whole: bool,
    shelf: Mutex<Shelf>,
    /// Goes up with whatever is new.
    news: watch::Sender<u64>,
}

/// Everything there is of it so far.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) film: Film,
    pub(crate) marks: Vec<Mark>,
    pub(crate) lines: Vec<Line>,
    /// Frames that were thought again, and commands that came out otherwise: there should be none.
    pub(crate) thought: u32,
    pub(crate) differing: u64,
    pub(crate) players: Vec<Player>,
    pub(crate) convars: ConVars,
    pub(crate) tuned: Vec<Tuned>,
    pub(crate) stats: Stats,
    /// More is to come.
    pub(crate) is_growing: bool,
    /// Why it is over.
    pub(crate) over: Option<String>,
    marker: Marker,
    writing: Writing,
    blocks: Vec<Block>,
}

/// Where the recording comes from.
#[derive(Debug)]
enum Writing {
    /// It is written as the match goes on.
    Recorder(Box<Recorder>),
    /// It was there before: the bytes of its file.
    Read(Arc<[u8]>),
}

/// Ten seconds of the recording.
#[derive(Debug)]
struct Block {
    first: u32,
    /// Once it is done.
    packed: Option<Arc<[u8]>>,
    /// While it is not, and a block longer, for those who are reading it.
    entries: Vec<Arc<Entry>>,
}

/// What a block holds.
pub(crate) enum Contents {
    Packed(Arc<[u8]>),
    Open(Vec<Arc<Entry>>),
}

impl Chronicle {
    /// A match that is about to begin.
    pub(crate) fn blank(field: Arc<Field>, head: Head) -> Chronicle {
        let writing = Writing::Recorder(Box::new(Recorder::new(head.clone(), Keep::Whole)));
        Chronicle::with(field, head, writing, true)
    }

    /// A recording, before its blocks are threaded in, and the file it was read from.
    pub(crate) fn of_recording(field: Arc<Field>, recording: &Recording<'_>, bytes: Arc<[u8]>) -> Chronicle {
        Chronicle::with(field, recording.head.clone(), Writing::Read(bytes), recording.is_whole)
    }

    fn with(field: Arc<Field>, head: Head, writing: Writing, is_whole: bool) -> Chronicle {
        let shelf = Shelf {
            film: Film::default(),
            marks: Vec::new(),
            lines: Vec::new(),
            thought: 0,
            differing: 0,
            players: Vec::new(),
            convars: ConVars::default(),
            tuned: Vec::new(),
            stats: Stats::of(&field),
            is_growing: true,
            over: None,
            marker: Marker::default(),
            writing,
            blocks: Vec::new(),
        };
        Chronicle { field, head, is_whole, shelf: Mutex::new(shelf), news: watch::Sender::new(0) }
    }

    /// A thread that broke down with the lock in its hand left whole entries behind: they can still be watched.
    pub(crate) fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For those who wait for something new.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    pub(crate) fn announce(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    /// The next entry of a match that is being played. `targets` says whom bots aim at.
    pub(crate) fn take(&self, entry: Entry, targets: &[(EntityId, EntityId)]) {
        let mut shelf = self.shelf();
        let shelf = &mut *shelf;
        let begun = shelf.record(&entry);
        if shelf.blocks.len() < begun.max(1) {
            shelf.seal();
            shelf.blocks.push(Block { first: shelf.film.len(), packed: None, entries: Vec::new() });
        }
        shelf.show(&entry, &self.field, targets);
        if let Some(block) = shelf.blocks.last_mut() {
            block.entries.push(Arc::new(entry));
        }
    }

    /// The blocks of a recording that is there already; `is_wanted` ends it early.
    pub(crate) fn thread_in(&self, recording: &Recording<'_>, is_wanted: impl Fn() -> bool) -> Result<()> {
        for (number, block) in recording.blocks().enumerate() {
            let packed: Arc<[u8]> = block.into();
            {
                let mut shelf = self.shelf();
                let first = shelf.film.len();
                shelf.blocks.push(Block { first, packed: Some(packed), entries: Vec::new() });
            }
            // Decoded without the lock, so that nobody waits for it.
            let entries: Result<Vec<Entry>, _> = Entries::of_block("the recording", number as u32, block).collect();
            for entry in entries? {
                self.shelf().show(&entry, &self.field, &[]);
            }
            self.announce();
            if !is_wanted() {
                break;
            }
        }
        Ok(())
    }

    /// No more is to come.
    pub(crate) fn finish(&self, why: &str) {
        let mut shelf = self.shelf();
        shelf.is_growing = false;
        shelf.over = Some(why.to_owned());
        drop(shelf);
        self.announce();
    }

    /// The recording as far as it goes, as the bytes of a file.
    pub(crate) fn recording(&self) -> Arc<[u8]> {
        match &self.shelf().writing {
            Writing::Recorder(recorder) => recorder.to_bytes().into(),
            Writing::Read(bytes) => bytes.clone(),
        }
    }

    pub(crate) fn name_of(&self, entity: EntityId) -> String {
        self.shelf().name_of(entity)
    }
}

impl Shelf {
    pub(crate) fn name_of(&self, entity: EntityId) -> String {
        let known = self.players.iter().find(|player| player.id == entity.0);
        known.map_or_else(|| format!("player {}", entity.0), |player| player.name.clone())
    }

    /// Which block a frame lies in, and the first frame of that block.
    pub(crate) fn block_of(&self, frame: u32) -> (usize, u32) {
        let block = self.blocks.partition_point(|block| block.first <= frame).saturating_sub(1);
        (block, self.blocks.get(block).map_or(0, |block| block.first))
    }

    pub(crate) fn block_count(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn contents(&self, block: usize) -> Option<Contents> {
        let block = self.blocks.get(block)?;
        Some(match &block.packed {
            Some(packed) if block.entries.is_empty() => Contents::Packed(packed.clone()),
            Some(_) | None => Contents::Open(block.entries.clone()),
        })
    }

    /// Writes it down; how many blocks there are then.
    fn record(&mut self, entry: &Entry) -> usize {
        let Writing::Recorder(recorder) = &mut self.writing else { return self.blocks.len() };
        match entry {
            Entry::Join(entity, character) => recorder.join(*entity, character),
            Entry::Leave(entity) => recorder.leave(*entity),
            Entry::Variables(_) => {}
            Entry::Frame(shown, commands) => recorder.frame(shown, &self.convars, commands),
        }
        recorder.begun() as usize
    }

    /// What was the last block is done; the entries of the one before it are not needed unpacked any more.
    fn seal(&mut self) {
        let Writing::Recorder(recorder) = &self.writing else { return };
        let count = self.blocks.len();
        if let Some(block) = self.blocks.last_mut() {
            block.packed = recorder.block(count as u32 - 1).map(Arc::from);
        }
        if let Some(block) = count.checked_sub(2).and_then(|before| self.blocks.get_mut(before)) {
            block.entries = Vec::new();
        }
    }

    /// Adds it to the film.
    fn show(&mut self, entry: &Entry, field: &Field, targets: &[(EntityId, EntityId)]) {
        match entry {
            Entry::Join(entity, character) => self.join(*entity, character),
            Entry::Leave(_) => {}
            Entry::Variables(convars) => self.tune(convars),
            Entry::Frame(shown, commands) => {
                self.meet(shown);
                self.stats.look(shown);
                let frame = self.film.len();
                let mut marks = std::mem::take(&mut self.marks);
                let mut marker = std::mem::take(&mut self.marker);
                let name = |entity| self.name_of(entity);
                marker.look(&Scene { frame, shown, field, name: &name }, commands, &mut marks);
                (self.marks, self.marker) = (marks, marker);
                let target = |bot| targets.iter().find(|(known, _)| *known == bot).map(|(_, target)| *target);
                self.film.push(shown, field, target);
            }
        }
    }

    fn join(&mut self, entity: EntityId, character: &Character) {
        self.players.retain(|player| player.id != entity.0);
        self.players.push(Player {
            id: entity.0,
            name: character.name.clone(),
            team: u8::MAX,
            is_bot: true,
            skill: Some(character.skill.name()),
            traits: None,
        });
    }

    /// Players of whom nobody said who they are, and sides that were not known yet.
    fn meet(&mut self, shown: &Snapshot) {
        for figure in &shown.players {
            match self.players.iter_mut().find(|player| player.id == figure.entity.0) {
                Some(player) => player.team = figure.team.0,
                None => self.players.push(Player {
                    id: figure.entity.0,
                    name: format!("player {}", figure.entity.0),
                    team: figure.team.0,
                    is_bot: false,
                    skill: None,
                    traits: None,
                }),
            }
        }
    }

    fn tune(&mut self, convars: &ConVars) {
        let frame = self.film.len();
        let time = frame.checked_sub(1).and_then(|last| self.film.time(last)).unwrap_or(0);
        for listing in ConVars::LISTINGS {
            let (before, now) = (self.convars.get(listing.name), convars.get(listing.name));
            let Some(value) = now.filter(|_| before != now && frame > 0) else { continue };
            self.tuned.push(Tuned { frame, time, name: listing.name, value });
            let text = format!("{} = {}", listing.name, value as f32);
            let (kind, who, whom, place) = (MarkKind::Changed, None, None, None);
            self.marks.push(Mark { frame, time, kind, text, who, whom, place });
        }
        self.convars = *convars;
    }
}
