//! A recording read back: nothing in it is believed before it has been checked.

use fireteam_world::units::{EntityId, Time};

use super::wire::{Fault, Reader, Wire, take_rows};
use super::{
    BLOCK_BYTES, BLOCK_HEAD, BLOCK_UNFOLDED, FRAME, Head, JOIN, LEAVE, MAGIC, PRESENT, SECTIONS, TRAITS_SET, VARIABLES,
    VERSION, delta,
};
use crate::character::{Character, Skill, Traits};
use crate::command::Command;
use crate::convar::ConVars;
use crate::field::{Field, Unfit};
use crate::snapshot::{Phase, Snapshot};

/// Why a recording cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecordingError {
    #[error("{file} is no recording: it does not begin with `firerecd`")]
    NotARecording { file: String },
    #[error("{file} is a recording of format {found}; this version reads {VERSION}")]
    Version { file: String, found: u32 },
    #[error("{file} is damaged in its head: {fault}")]
    Head { file: String, fault: Fault },
    #[error("{file} is damaged: the checksum of its head is wrong")]
    HeadSum { file: String },
    #[error("{file} is cut short after block {block}, {seconds:.1} s")]
    CutShort { file: String, block: u32, seconds: f64 },
    #[error("{file} is damaged: the checksum of block {block} is wrong")]
    BlockSum { file: String, block: u32 },
    #[error("{file} is damaged in block {block}: {fault}")]
    Block { file: String, block: u32, fault: Fault },
    #[error("{file} was recorded by a version with other variables: {fault}")]
    Variables { file: String, fault: String },
}

/// A recording whose head has been read.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    pub head: Head,
    /// Whether it begins at the beginning; only then it can be re-thought.
    pub is_whole: bool,
    file: String,
    blocks: &'a [u8],
}

/// What happened, in the order it did.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Join(EntityId, Character),
    Leave(EntityId),
    Variables(Box<ConVars>),
    Frame(Box<Snapshot>, Vec<Command>),
}

impl<'a> Recording<'a> {
    /// Reads the head; `file` names it in errors.
    pub fn read(file: &str, bytes: &'a [u8]) -> Result<Recording<'a>, RecordingError> {
        let name = || file.to_owned();
        let Some(rest) = bytes.strip_prefix(&MAGIC) else {
            return Err(RecordingError::NotARecording { file: name() });
        };
        let fault = |fault| RecordingError::Head { file: name(), fault };
        let mut reader = Reader(rest);
        let found = u32::take(&mut reader).map_err(fault)?;
        if found != VERSION {
            return Err(RecordingError::Version { file: name(), found });
        }
        let dropped = u32::take(&mut reader).map_err(fault)?;
        let length = u32::take(&mut reader).map_err(fault)?;
        let head = reader.bytes(length as usize).map_err(fault)?;
        let summed = bytes.len() - reader.0.len();
        let crc = u32::take(&mut reader).map_err(fault)?;
        if crc != crc32fast::hash(&bytes[..summed]) {
            return Err(RecordingError::HeadSum { file: name() });
        }
        let head = take_head(head).map_err(fault)?;
        Ok(Recording { head, is_whole: dropped == 0, file: name(), blocks: reader.0 })
    }

    /// Everything in it, block by block.
    pub fn entries(&self) -> Entries<'a> {
        Entries::of(&self.file, self.blocks, 0)
    }

    /// Bytes after its head: blocks, and whatever else there is.
    pub fn blocks_len(&self) -> usize {
        self.blocks.len()
    }

    /// Its blocks as they lie in the file, to be read one by one with [`Entries::of_block`]. One that is cut short is the last.
    pub fn blocks(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut left = self.blocks;
        std::iter::from_fn(move || {
            let packed = left.first_chunk().map(|length| u32::from_le_bytes(*length) as usize)?;
            let length = (packed > 0).then(|| packed.saturating_add(BLOCK_HEAD).min(left.len()))?;
            let (block, rest) = left.split_at(length);
            left = rest;
            Some(block)
        })
    }

    /// Whether it was recorded on this field, with this terrain and these rules.
    pub fn fits(&self, field: &Field) -> Result<(), Unfit> {
        let provenance = &field.terrain.provenance;
        if self.head.map != provenance.map {
            return Err(Unfit::OtherMap { map: self.head.map_name.clone() });
        }
        let is_same = self.head.physics == provenance.physics
            && self.head.settings == provenance.settings
            && self.head.overlay == provenance.overlay
            && self.head.game == field.game.digest();
        if is_same { Ok(()) } else { Err(Unfit::OtherPhysics { game: self.head.game_name.clone() }) }
    }
}

fn take_head(bytes: &[u8]) -> Result<Head, Fault> {
    let mut reader = Reader(bytes);
    let mut text = || reader.text().map(str::to_owned);
    let (map_place, map_name, game_name) = (text()?, text()?, text()?);
    let [map, physics, game, settings] = [reader.array()?, reader.array()?, reader.array()?, reader.array()?];
    let overlay = u32::take(&mut reader)?;
    let seed = u64::from_le_bytes(reader.array()?);
    reader.end()?;
    Ok(Head { map_place, map_name, map, physics, game, settings, overlay, game_name, seed })
}

/// The entries of a recording, in order; after an error there are no more.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    file: String,
    left: &'a [u8],
    /// The block that is being read, unpacked.
    block: Vec<u8>,
    at: usize,
    /// Bytes that may still be unfolded from it.
    room: usize,
    number: u32,
    /// Of the last frame.
    time: Option<(Time, Time)>,
    sections: [Vec<u8>; SECTIONS],
    /// Who was there when it began, last first.
    waiting: Vec<Entry>,
    is_one_block: bool,
    is_done: bool,
}

impl<'a> Entries<'a> {
    fn of(file: &str, left: &'a [u8], number: u32) -> Entries<'a> {
        Entries {
            file: file.to_owned(),
            left,
            block: Vec::new(),
            at: 0,
            room: 0,
            number,
            time: None,
            sections: Default::default(),
            waiting: Vec::new(),
            is_one_block: false,
            is_done: false,
        }
    }

    /// What is in one block, which stands on its own: only that nobody joins in it who was there when it began, but in the
    /// first, whose number is 0.
    pub fn of_block(file: &str, number: u32, block: &'a [u8]) -> Entries<'a> {
        Entries { is_one_block: true, ..Entries::of(file, block, number) }
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let entry = self.advance();
        self.is_done = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}

impl Entries<'_> {
    fn advance(&mut self) -> Result<Option<Entry>, RecordingError> {
        loop {
            if let Some(entry) = self.waiting.pop() {
                return Ok(Some(entry));
            }
            if self.at == self.block.len() && !self.open_block()? {
                return Ok(None);
            }
            if let Some(entry) = self.read_entry()? {
                return Ok(Some(entry));
            }
        }
    }

    fn fault(&self, fault: Fault) -> RecordingError {
        RecordingError::Block { file: self.file.clone(), block: self.number, fault }
    }

    fn cut_short(&self) -> RecordingError {
        let seconds = self.time.map_or(0.0, |(first, last)| f64::from(last.0.wrapping_sub(first.0)) / 1000.0);
        RecordingError::CutShort { file: self.file.clone(), block: self.number, seconds }
    }

    /// Unpacks the next block; false at the end.
    fn open_block(&mut self) -> Result<bool, RecordingError> {
        if self.is_one_block && self.left.is_empty() {
            return Ok(false);
        }
        let mut reader = Reader(self.left);
        let mut number = || u32::take(&mut reader);
        let (Ok(packed), Ok(length), Ok(crc)) = (number(), number(), number()) else {
            return Err(self.cut_short());
        };
        if packed == 0 {
            if (length, crc) != (0, 0) {
                return Err(self.fault(Fault::Absurd));
            }
            return reader.end().map(|()| false).map_err(|fault| self.fault(fault));
        }
        let Ok(bytes) = reader.bytes(packed as usize) else { return Err(self.cut_short()) };
        self.left = reader.0;
        self.number += 1;
        if crc32fast::hash(bytes) != crc {
            return Err(RecordingError::BlockSum { file: self.file.clone(), block: self.number });
        }
        let length = length as usize;
        // A block is closed when it is full, so its last frame may reach over.
        if length > BLOCK_BYTES * 2 {
            return Err(self.fault(Fault::Absurd));
        }
        let unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(bytes, length);
        self.block = unpacked.map_err(|_| self.fault(Fault::Absurd))?;
        if self.block.len() != length {
            return Err(self.fault(Fault::Absurd));
        }
        self.at = 0;
        self.room = BLOCK_UNFOLDED * 2;
        self.sections.iter_mut().for_each(Vec::clear);
        Ok(true)
    }

    /// The next entry of the open block; none for one that says nothing new.
    fn read_entry(&mut self) -> Result<Option<Entry>, RecordingError> {
        let block = std::mem::take(&mut self.block);
        let mut reader = Reader(&block[self.at..]);
        let entry = self.take_entry(&mut reader);
        self.at = block.len() - reader.0.len();
        self.block = block;
        entry
    }

    fn take_entry(&mut self, reader: &mut Reader<'_>) -> Result<Option<Entry>, RecordingError> {
        let is_first = self.number == 1 && self.time.is_none();
        let fault = |fault: Fault| RecordingError::Block { file: self.file.clone(), block: self.number, fault };
        let [tag] = reader.array().map_err(fault)?;
        match tag {
            JOIN => take_member(reader).map(Some).map_err(fault),
            LEAVE => Ok(Some(Entry::Leave(EntityId::take(reader).map_err(fault)?))),
            VARIABLES => take_variables(reader, &self.file, fault).map(Some),
            PRESENT => {
                let count = reader.short().map_err(fault)?;
                let mut present = Vec::new();
                for _ in 0..count {
                    present.push(take_member(reader).map_err(fault)?);
                }
                if is_first {
                    present.reverse();
                    self.waiting = present;
                }
                Ok(None)
            }
            FRAME => {
                let entry = take_frame(reader, &mut self.sections, &mut self.room).map_err(fault)?;
                if let Entry::Frame(snapshot, _) = &entry {
                    let first = self.time.map_or(snapshot.time, |(first, _)| first);
                    self.time = Some((first, snapshot.time));
                }
                Ok(Some(entry))
            }
            other => Err(fault(Fault::Tag(other, "kind of entry"))),
        }
    }
}

fn take_member(reader: &mut Reader<'_>) -> Result<Entry, Fault> {
    let entity = EntityId::take(reader)?;
    let [tag] = reader.array()?;
    let skill = match tag & !TRAITS_SET {
        0 => Skill::Recruit,
        1 => Skill::Regular,
        2 => Skill::Veteran,
        3 => Skill::Elite,
        _ => return Err(Fault::Tag(tag, "skill")),
    };
    let name = reader.text()?.to_owned();
    let traits = if tag & TRAITS_SET == 0 { None } else { Some(take_traits(reader)?) };
    Ok(Entry::Join(entity, Character { name, skill, traits }))
}

fn take_traits(reader: &mut Reader<'_>) -> Result<Traits, Fault> {
    let values: [u8; Traits::COUNT] = reader.array()?;
    match values.iter().find(|value| **value > Traits::MOST) {
        Some(&value) => Err(Fault::Tag(value, "trait")),
        None => Ok(Traits::of(values)),
    }
}

fn take_variables(
    reader: &mut Reader<'_>,
    file: &str,
    fault: impl Fn(Fault) -> RecordingError,
) -> Result<Entry, RecordingError> {
    let mut convars = ConVars::default();
    let count = reader.short().map_err(&fault)?;
    if count != ConVars::LISTINGS.len() {
        let fault = format!("there are {} and not {count}", ConVars::LISTINGS.len());
        return Err(RecordingError::Variables { file: file.to_owned(), fault });
    }
    for _ in 0..count {
        let name = reader.text().map_err(&fault)?;
        let value = f64::from_le_bytes(reader.array().map_err(&fault)?);
        let set = convars.set(name, &value.to_string());
        set.map_err(|bad| RecordingError::Variables { file: file.to_owned(), fault: bad.to_string() })?;
    }
    Ok(Entry::Variables(Box::new(convars)))
}

fn take_frame(reader: &mut Reader<'_>, sections: &mut [Vec<u8>; SECTIONS], room: &mut usize) -> Result<Entry, Fault> {
    let mut snapshot = Box::<Snapshot>::default();
    let mut commands = Vec::new();
    for (index, section) in sections.iter_mut().enumerate() {
        delta::take(reader, section, room)?;
        let mut bytes = Reader(section);
        take_section(index, &mut bytes, &mut snapshot, &mut commands)?;
        bytes.end()?;
    }
    Ok(Entry::Frame(snapshot, commands))
}

fn take_section(
    index: usize,
    from: &mut Reader<'_>,
    snapshot: &mut Snapshot,
    commands: &mut Vec<Command>,
) -> Result<(), Fault> {
    match index {
        0 => {
            snapshot.time = Time::take(from)?;
            snapshot.frame_ms = i32::take(from)?;
            snapshot.shot_lag_ms = i32::take(from)?;
            snapshot.phase = Phase::take(from)?;
            Ok(())
        }
        1 => take_rows(from, &mut snapshot.own),
        2 => take_rows(from, &mut snapshot.players),
        3 => take_rows(from, &mut snapshot.missiles),
        4 => take_rows(from, &mut snapshot.items),
        5 => take_rows(from, &mut snapshot.movers),
        6 => take_rows(from, &mut snapshot.clouds),
        7 => take_rows(from, &mut snapshot.sounds),
        8 => take_rows(from, &mut snapshot.messages),
        9 => take_rows(from, &mut snapshot.objectives),
        _ => take_rows(from, commands),
    }
}
