//! Recordings: all that went into bots and all that came out, frame by frame, so that they can be made to think it again.
//!
//! A [`Recorder`] takes every snapshot and the commands that answered it. Bots draw on nothing else ([`Bots::new`]: same
//! field, seed and snapshots, same commands), so a recording from the first frame on can be re-thought bit for bit
//! ([`rethink`]), journal included, which is why no journal is stored.
//!
//! The recorder is meant to be always on. It folds each frame into what changed since the one before (1 to 2 kB for 16
//! bots), in blocks of ten seconds, and holds as many blocks as it was given room for: the last 30 s always, and a whole
//! match of ordinary length in 32 MB, so that what a crash leaves behind usually begins at the beginning and can be
//! re-thought on another machine. (Minds hold behaviours of anybody's making and cannot be written down; a recording that
//! lost its beginning can be watched, not re-thought.) Once it is full it takes memory from blocks it drops.
//!
//! ```text
//! file   magic "firerecd", version (4), number of the first block (4), length of the head (4), head, CRC-32 of all that
//! block  packed length (4), length (4), CRC-32 of the packed bytes (4), deflated entries; a last block has length 0
//! entry  1 join, 2 leave, 3 variables, 4 frame, 5 who is there (begins every block, as do all variables)
//! frame  eleven sections, each as changes since the frame before in the same block: see `delta` and `wire`
//! ```
//!
//! Readers do not trust: every length is checked against the bytes there are, and what may be unfolded is limited.
//! Cost: `fireteam bench frame` prints what recording a frame takes beside thinking it.

mod delta;
mod read;
mod rethink;
mod wire;

use std::collections::VecDeque;

use fireteam_world::units::{EntityId, Time};

use crate::character::{Character, Skill};
use crate::command::Command;
use crate::convar::ConVars;
use crate::field::Field;
use crate::snapshot::Snapshot;

pub use read::{Entries, Entry, Recording, RecordingError};
pub use rethink::{Comparison, Difference, rethink};
pub use wire::Fault;
use wire::{Wire, put_rows, put_short, put_text};

pub const MAGIC: [u8; 8] = *b"firerecd";
/// Goes up whenever a recording of before cannot be read any more.
pub const VERSION: u32 = 3;

/// A block holds frames of this long, unless told otherwise.
const BLOCK_MS: i32 = 10_000;
/// And this many bytes, folded and unfolded, whatever comes first. A reader unfolds no more of a block than twice that.
const BLOCK_BYTES: usize = 4 << 20;
const BLOCK_UNFOLDED: usize = 64 << 20;
/// Three numbers before its bytes.
const BLOCK_HEAD: usize = 12;
/// However little room there is, this much is kept.
const KEPT_MS: i32 = 30_000;
/// Deflate's levels: quick, for blocks that are packed while a match runs.
const PACKING: u8 = 3;

/// In a member's skill: traits follow his name, which were set and not drawn.
const TRAITS_SET: u8 = 0x80;

const JOIN: u8 = 1;
const LEAVE: u8 = 2;
const VARIABLES: u8 = 3;
const FRAME: u8 = 4;
const PRESENT: u8 = 5;
const SECTIONS: usize = 11;

/// What a recording belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// How the map was asked for, for whoever looks for it again.
    pub map_place: String,
    pub map_name: String,
    /// Digests of the map, of the game's physics, of the whole game, and of the bake's settings.
    pub map: [u8; 32],
    pub physics: [u8; 32],
    pub game: [u8; 32],
    pub settings: [u8; 32],
    /// Of hand edits merged into the terrain, or 0.
    pub overlay: u32,
    pub game_name: String,
    pub seed: u64,
}

impl Head {
    pub fn of(field: &Field, map_place: &str, seed: u64) -> Head {
        let provenance = &field.terrain.provenance;
        Head {
            map_place: map_place.to_owned(),
            map_name: field.map.name.clone(),
            map: provenance.map,
            physics: provenance.physics,
            game: field.game.digest(),
            settings: provenance.settings,
            overlay: provenance.overlay,
            game_name: field.game.name.clone(),
            seed,
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        for text in [&self.map_place, &self.map_name, &self.game_name] {
            put_text(text, out);
        }
        for digest in [&self.map, &self.physics, &self.game, &self.settings] {
            out.extend_from_slice(digest);
        }
        out.extend_from_slice(&self.overlay.to_le_bytes());
        out.extend_from_slice(&self.seed.to_le_bytes());
    }
}

/// How much a recorder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Everything; blocks that are done are packed.
    Whole,
    /// The latest frames that fit into so many bytes, and never less than 30 s.
    Latest(usize),
}

impl Keep {
    /// What a flight recorder holds unless told otherwise: half an hour of eight bots.
    pub const USUAL: Keep = Keep::Latest(32 << 20);
}

/// Writes down what bots are shown and what they answer.
#[derive(Clone, Debug)]
pub struct Recorder {
    head: Head,
    keep: Keep,
    /// A block holds frames of this long.
    block_ms: i32,
    blocks: VecDeque<Block>,
    /// Bytes in all blocks.
    held: usize,
    /// Blocks that were dropped.
    dropped: u32,
    present: Vec<(EntityId, Character)>,
    convars: Option<ConVars>,
    /// Sections of the frame before and of this one.
    before: [Vec<u8>; SECTIONS],
    section: Vec<u8>,
    spare: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
struct Block {
    bytes: Vec<u8>,
    /// Of the entries, before they were packed.
    length: usize,
    crc: u32,
    is_packed: bool,
    unfolded: usize,
    /// Of its first and last frame.
    first: Option<Time>,
    last: Option<Time>,
}

impl Recorder {
    pub fn new(head: Head, keep: Keep) -> Recorder {
        Recorder {
            head,
            keep,
            block_ms: BLOCK_MS,
            blocks: VecDeque::new(),
            held: 0,
            dropped: 0,
            present: Vec::new(),
            convars: None,
            before: Default::default(),
            section: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Shorter blocks are done sooner, for who reads along, and pack worse.
    pub fn in_blocks_of(self, ms: i32) -> Recorder {
        Recorder { block_ms: ms, ..self }
    }

    /// To be told whatever the bots are told: who joins, who leaves, and each frame with its answers.
    pub fn join(&mut self, entity: EntityId, character: &Character) {
        self.present.retain(|(known, _)| *known != entity);
        self.present.push((entity, character.clone()));
        if let Some(block) = self.blocks.back_mut() {
            block.bytes.push(JOIN);
            put_member(entity, character, &mut block.bytes);
        }
    }

    pub fn leave(&mut self, entity: EntityId) {
        self.present.retain(|(known, _)| *known != entity);
        if let Some(block) = self.blocks.back_mut() {
            block.bytes.push(LEAVE);
            entity.put(&mut block.bytes);
        }
    }

    /// What was shown, by which variables it was thought over, and what came of it.
    pub fn frame(&mut self, snapshot: &Snapshot, convars: &ConVars, commands: &[Command]) {
        self.make_room(snapshot.time);
        let is_new = self.blocks.back().is_none_or(|block| block.first.is_none());
        let Some(block) = self.blocks.back_mut() else { return };
        if is_new {
            block.first = Some(snapshot.time);
        } else if self.convars.as_ref() != Some(convars) {
            put_variables(convars, &mut block.bytes);
        }
        if is_new {
            begin_block(&self.present, convars, &mut block.bytes);
            self.before.iter_mut().for_each(Vec::clear);
        }
        self.convars = Some(*convars);
        block.last = Some(snapshot.time);
        block.bytes.push(FRAME);
        for (index, before) in self.before.iter_mut().enumerate() {
            self.section.clear();
            put_section(index, snapshot, commands, &mut self.section);
            delta::put(before, &self.section, &mut block.bytes);
            block.unfolded += self.section.len();
            std::mem::swap(before, &mut self.section);
        }
    }

    /// Game time that is held.
    pub fn held_ms(&self) -> i32 {
        let first = self.blocks.iter().find_map(|block| block.first);
        let last = self.blocks.iter().rev().find_map(|block| block.last);
        first.zip(last).map_or(0, |(first, last)| last - first)
    }

    /// Whether it still has the first frame.
    pub fn is_whole(&self) -> bool {
        self.dropped == 0
    }

    /// The recording as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.head_bytes();
        self.blocks.iter().for_each(|block| block.put(&mut out));
        out.extend_from_slice(&Recorder::END);
        out
    }

    /// After the last block.
    pub const END: [u8; BLOCK_HEAD] = [0; BLOCK_HEAD];

    /// The file as far as its first block.
    pub fn head_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.dropped.to_le_bytes());
        let mut head = Vec::new();
        self.head.put(&mut head);
        out.extend_from_slice(&(head.len() as u32).to_le_bytes());
        out.extend_from_slice(&head);
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// How many blocks were begun, those that were dropped included. All but the last are done.
    pub fn begun(&self) -> u32 {
        self.dropped + self.blocks.len() as u32
    }

    /// One block as it would lie in the file; none if it was dropped or not begun.
    pub fn block(&self, number: u32) -> Option<Vec<u8>> {
        let block = self.blocks.get(number.checked_sub(self.dropped)? as usize)?;
        let mut out = Vec::new();
        block.put(&mut out);
        Some(out)
    }

    /// Begins a new block if the last is full, and drops old ones if there are too many bytes.
    fn make_room(&mut self, now: Time) {
        let is_full = self.blocks.back().is_none_or(|block| {
            let is_long = block.first.is_some_and(|first| now - first >= self.block_ms || now < first);
            is_long || block.bytes.len() >= BLOCK_BYTES || block.unfolded >= BLOCK_UNFOLDED
        });
        if !is_full {
            return;
        }
        if let Some(block) = self.blocks.back_mut() {
            if self.keep == Keep::Whole {
                *block = block.packed();
            }
            self.held += block.bytes.len();
        }
        if let Keep::Latest(room) = self.keep {
            while self.held > room && self.may_drop(now) {
                let Some(oldest) = self.blocks.pop_front() else { break };
                self.held -= oldest.bytes.len();
                self.dropped += 1;
                if oldest.bytes.capacity() > self.spare.capacity() {
                    self.spare = oldest.bytes;
                }
            }
        }
        let mut bytes = std::mem::take(&mut self.spare);
        bytes.clear();
        self.blocks.push_back(Block { bytes, ..Block::default() });
    }

    /// Whether half a minute is left without the oldest block.
    fn may_drop(&self, now: Time) -> bool {
        self.blocks.get(1).and_then(|second| second.first).is_some_and(|first| now - first >= KEPT_MS)
    }
}

impl Block {
    fn put(&self, out: &mut Vec<u8>) {
        let packed;
        let block = if self.is_packed {
            self
        } else {
            packed = self.packed();
            &packed
        };
        out.extend_from_slice(&(block.bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(&(block.length as u32).to_le_bytes());
        out.extend_from_slice(&block.crc.to_le_bytes());
        out.extend_from_slice(&block.bytes);
    }

    fn packed(&self) -> Block {
        let bytes = miniz_oxide::deflate::compress_to_vec(&self.bytes, PACKING);
        // Of the packed bytes: some bits of those unpack to nothing, and are to be missed all the same.
        Block { length: self.bytes.len(), crc: crc32fast::hash(&bytes), is_packed: true, bytes, ..*self }
    }
}

fn begin_block(present: &[(EntityId, Character)], convars: &ConVars, out: &mut Vec<u8>) {
    out.push(PRESENT);
    put_short(present.len(), out);
    for (entity, character) in present {
        put_member(*entity, character, out);
    }
    put_variables(convars, out);
}

fn put_member(entity: EntityId, character: &Character, out: &mut Vec<u8>) {
    entity.put(out);
    let skill = match character.skill {
        Skill::Recruit => 0,
        Skill::Regular => 1,
        Skill::Veteran => 2,
        Skill::Elite => 3,
    };
    out.push(if character.traits.is_some() { skill | TRAITS_SET } else { skill });
    put_text(&character.name, out);
    if let Some(traits) = &character.traits {
        out.extend_from_slice(&traits.values());
    }
}

/// By name, so that a recording of an older version says which variable is not there any more.
fn put_variables(convars: &ConVars, out: &mut Vec<u8>) {
    out.push(VARIABLES);
    put_short(ConVars::LISTINGS.len(), out);
    for listing in ConVars::LISTINGS {
        put_text(listing.name, out);
        let value = convars.get(listing.name).unwrap_or(listing.default);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn put_section(index: usize, snapshot: &Snapshot, commands: &[Command], out: &mut Vec<u8>) {
    let Snapshot { time, frame_ms, shot_lag_ms, phase, own, players, .. } = snapshot;
    let Snapshot { missiles, items, movers, clouds, sounds, messages, objectives, .. } = snapshot;
    match index {
        0 => {
            time.put(out);
            frame_ms.put(out);
            shot_lag_ms.put(out);
            phase.put(out);
        }
        1 => put_rows(own, out),
        2 => put_rows(players, out),
        3 => put_rows(missiles, out),
        4 => put_rows(items, out),
        5 => put_rows(movers, out),
        6 => put_rows(clouds, out),
        7 => put_rows(sounds, out),
        8 => put_rows(messages, out),
        9 => put_rows(objectives, out),
        _ => put_rows(commands, out),
    }
}
