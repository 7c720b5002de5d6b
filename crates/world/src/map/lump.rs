//! Checked reading of one lump of a compiled map: every number that leaves here is finite and lies in a world of
//! [`WORLD_REACH`], every index is in range.
//!
//! A record's errors carry the byte of the file at which the offending number stands, so that a broken map can be
//! looked at with a hex editor.

use glam::Vec3;

use super::{BspProblem, MapError};

/// No coordinate or distance is larger. Compilers stop at 128 K units from the middle; OpenArena's largest is 9,576.
const WORLD_REACH: f32 = 262_144.0;

/// A part of a map file, and where in the file it lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lump<'a> {
    pub(super) file: &'a str,
    pub(super) name: &'static str,
    pub(super) offset: usize,
    pub(super) bytes: &'a [u8],
}

impl<'a> Lump<'a> {
    /// The lump cut into records of `size` bytes, all of them whole.
    pub(super) fn records(&self, size: usize) -> Result<impl ExactSizeIterator<Item = Record<'a>>, MapError> {
        if !self.bytes.len().is_multiple_of(size) {
            let problem = BspProblem::PartialRecord { length: self.bytes.len(), record: size };
            return Err(self.error(self.bytes.len(), problem));
        }
        let lump = *self;
        Ok(self.bytes.chunks_exact(size).enumerate().map(move |(n, bytes)| Record {
            lump,
            start: n * size,
            at: 0,
            bytes,
        }))
    }

    /// As [`Lump::records`], for lumps a map cannot do without.
    pub(super) fn some_records(&self, size: usize) -> Result<impl ExactSizeIterator<Item = Record<'a>>, MapError> {
        if self.bytes.is_empty() {
            return Err(self.error(0, BspProblem::Empty));
        }
        self.records(size)
    }

    /// How many whole records it holds; [`Lump::records`] refuses what is left over.
    pub(super) fn count(&self, size: usize) -> u32 {
        // A file's bytes are counted by `u32` lump headers: see `bsp::lumps`.
        (self.bytes.len() / size) as u32
    }

    pub(super) fn error(&self, at: usize, problem: BspProblem) -> MapError {
        MapError::Bsp { file: self.file.to_owned(), lump: self.name, offset: (self.offset + at) as u64, problem }
    }
}

/// One record, read from front to back. Callers read no more bytes than the size they cut records to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    lump: Lump<'a>,
    start: usize,
    at: usize,
    bytes: &'a [u8],
}

impl<'a> Record<'a> {
    pub(super) fn error(&self, problem: BspProblem) -> MapError {
        self.lump.error(self.start + self.at, problem)
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut taken = [0; N];
        taken.copy_from_slice(&self.bytes[self.at..self.at + N]);
        self.at += N;
        taken
    }

    pub(super) fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.bytes())
    }

    pub(super) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    pub(super) fn float(&mut self) -> Result<f32, MapError> {
        let value = f32::from_le_bytes(self.bytes());
        if !value.is_finite() {
            return Err(self.error_before(4, BspProblem::NotFinite));
        }
        if value.abs() > WORLD_REACH {
            return Err(self.error_before(4, BspProblem::TooFar));
        }
        Ok(value)
    }

    pub(super) fn vector(&mut self) -> Result<Vec3, MapError> {
        Ok(Vec3::new(self.float()?, self.float()?, self.float()?))
    }

    /// A number that must name one of `count` `things`.
    pub(super) fn index(&mut self, things: &'static str, count: u32) -> Result<u32, MapError> {
        let index = self.i32();
        u32::try_from(index)
            .ok()
            .filter(|&i| i < count)
            .ok_or_else(|| self.error_before(4, BspProblem::Index { things, index, count }))
    }

    /// A first index and a count, which must lie among `available` `things`.
    pub(super) fn range(&mut self, things: &'static str, available: u32) -> Result<(u32, u32), MapError> {
        let (first, count) = (self.i32(), self.i32());
        match (u32::try_from(first), u32::try_from(count)) {
            (Ok(f), Ok(c)) if f.checked_add(c).is_some_and(|end| end <= available) => Ok((f, c)),
            _ => Err(self.error_before(8, BspProblem::Range { things, first, count, available })),
        }
    }

    fn error_before(&self, back: usize, problem: BspProblem) -> MapError {
        self.lump.error(self.start + self.at - back, problem)
    }
}
