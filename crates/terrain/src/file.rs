//! The terrain file: one file, read whole, or refused with the reason.
//!
//! Little-endian throughout. A head of 128 bytes, the table of sections, then the sections, each at the next multiple of 8
//! with zeros between:
//!
//! ```text
//!   0  8   magic "fireterr"
//!   8  4   format version
//!  12  4   number of sections
//!  16  8   length of the file
//!  24  32  digest of the map            56  32  digest of the physics            88  32  digest of the settings
//! 120  4   CRC-32 of all other bytes of the head and of the table
//! 124  4   CRC-32 of the overlay that was merged in, or 0
//! 128      the table: tag (4 letters), CRC-32, offset (8), length (8) of each section
//! ```
//!
//! Sections this version does not know are checked and skipped, so that a later one may add some; what a
//! section holds stands beside its code, in `file/tables.rs`, `file/ground.rs` and `file/throws.rs`.
//! No count is believed before the bytes for it are there, and nothing is used before `check` has passed.
//!
//! Cost: `fireteam bench terrain` prints what opening takes and how large files are.

use std::fs;
use std::path::Path;

use crate::{Inward, Islands, Parts, Provenance, Terrain};
use bytes::{Fault, Reader, Writer};
pub use error::FileError;
pub use whole::{remove_leftovers, write_whole};

mod bytes;
mod error;
mod ground;
mod tables;
mod throws;
mod whole;

pub const MAGIC: [u8; 8] = *b"fireterr";
/// Goes up whenever a file of before cannot be read any more.
pub const VERSION: u32 = 2;

const HEAD_BYTES: usize = 128;
const ENTRY_BYTES: usize = 24;
/// Most sections a file may have.
const SECTIONS_MAX: usize = 64;
/// Sections begin at multiples of this.
const ALIGNMENT: usize = 8;

/// What a terrain must have been made from to be of use; what is left out is not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    pub map: Option<[u8; 32]>,
    pub physics: Option<[u8; 32]>,
    pub settings: Option<[u8; 32]>,
}

/// What the head of a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub map: [u8; 32],
    pub physics: [u8; 32],
    pub settings: [u8; 32],
    /// Names the overlay that was merged into it; 0 if it is as it was baked.
    pub overlay: u32,
    /// In the order of the file.
    pub sections: Vec<Section>,
}

/// Where a section lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub tag: [u8; 4],
    pub crc: u32,
    pub offset: usize,
    pub length: usize,
}

impl Section {
    pub fn name(&self) -> String {
        self.tag.escape_ascii().to_string()
    }
}

/// Opens a terrain that was made from what is wanted.
pub fn open(path: &Path, wanted: &Wanted) -> Result<Terrain, FileError> {
    let file = path.display().to_string();
    let bytes = fs::read(path).map_err(|source| FileError::Read { file: file.clone(), source })?;
    let head = Head::read(&file, &bytes)?;
    head.fits(&file, wanted)?;
    Terrain::from_sections(&file, &bytes, &head)
}

/// Writes a terrain; whatever happens meanwhile, `path` holds either what it held before or all of it.
pub fn save(path: &Path, terrain: &Terrain) -> Result<(), FileError> {
    let written = write_whole(path, &terrain.to_bytes());
    written.map_err(|source| FileError::Write { file: path.display().to_string(), source })
}

impl Terrain {
    pub fn to_bytes(&self) -> Vec<u8> {
        let sections = tables::write_all(self);
        let table_end = HEAD_BYTES + sections.len() * ENTRY_BYTES;
        let mut table = Writer::default();
        let mut body = Writer::default();
        for (tag, section) in &sections {
            body.pad_to(ALIGNMENT);
            table.array(tag);
            table.u32(crc32fast::hash(section));
            table.u64((table_end + body.len()) as u64);
            table.u64(section.len() as u64);
            body.array(section);
        }
        let mut head = Writer::default();
        head.array(&MAGIC);
        head.u32(VERSION);
        head.u32(sections.len() as u32);
        head.u64((table_end + body.len()) as u64);
        for digest in [&self.provenance.map, &self.provenance.physics, &self.provenance.settings] {
            head.array(digest);
        }
        let overlay = self.provenance.overlay.to_le_bytes();
        let crc = crc_of([head.as_bytes(), &overlay, table.as_bytes()]);
        head.u32(crc);
        head.array(&overlay);
        [head, table, body].into_iter().flat_map(Writer::into_bytes).collect()
    }

    /// Reads a terrain; `file` names it in errors.
    pub fn from_bytes(file: &str, bytes: &[u8]) -> Result<Terrain, FileError> {
        let head = Head::read(file, bytes)?;
        Terrain::from_sections(file, bytes, &head)
    }

    fn from_sections(file: &str, bytes: &[u8], head: &Head) -> Result<Terrain, FileError> {
        head.check_sections(file, bytes)?;
        let shelf = Shelf { file, bytes, head };
        let parts = Parts {
            provenance: Provenance {
                map_name: shelf.read(tables::NAME, tables::read_name)?,
                map: head.map,
                physics: head.physics,
                settings: head.settings,
                overlay: head.overlay,
            },
            ..Parts::default()
        };
        let mut terrain = Terrain::bare(parts);
        (terrain.feet, terrain.waypoints) = shelf.read(tables::WAYPOINTS, tables::read_waypoints)?;
        let waypoints = terrain.waypoints.len();
        terrain.ground = shelf.read(tables::GROUND, ground::read)?;
        terrain.links = shelf.read(tables::LINKS, |reader| tables::read_links(reader, waypoints))?;
        terrain.movers = shelf.read(tables::MOVERS, tables::read_movers)?;
        terrain.sight = shelf.read(tables::SIGHT, |reader| tables::read_sight(reader, waypoints))?;
        terrain.sight.openings = shelf.read(tables::OPENINGS, tables::read_openings)?;
        terrain.areas = shelf.read(tables::AREAS, |reader| tables::read_areas(reader, waypoints))?;
        terrain.portals = shelf.read(tables::PORTALS, tables::read_portals)?;
        terrain.hiding = shelf.read(tables::HIDING, tables::read_hiding)?;
        terrain.throws = shelf.read(tables::THROWS, |reader| throws::read(reader, waypoints))?;
        terrain.values = shelf.read(tables::VALUES, |reader| tables::read_values(reader, waypoints))?;
        terrain.times = shelf.read(tables::TIMES, |reader| tables::read_times(reader, waypoints))?;
        terrain.landmarks = shelf.read(tables::LANDMARKS, |reader| tables::read_landmarks(reader, waypoints))?;
        let unsound = |unsound| FileError::Unsound { file: file.to_owned(), unsound };
        terrain.check_tables().map_err(unsound)?;
        terrain.inward = Inward::of(&terrain.links);
        terrain.islands = Islands::of(&terrain.links);
        terrain.check_derived().map_err(unsound)?;
        Ok(terrain)
    }
}

/// A file whose sections have been found and checked.
struct Shelf<'a> {
    file: &'a str,
    bytes: &'a [u8],
    head: &'a Head,
}

impl Shelf<'_> {
    /// Reads one section, all of it.
    fn read<T>(&self, tag: [u8; 4], read: impl Fn(&mut Reader<'_>) -> Result<T, Fault>) -> Result<T, FileError> {
        let section = self.head.sections.iter().find(|section| section.tag == tag);
        let Some(section) = section else {
            return Err(FileError::Missing { file: self.file.to_owned(), section: tag.escape_ascii().to_string() });
        };
        let mut reader = Reader::new(&self.bytes[section.offset..section.offset + section.length]);
        let value = read(&mut reader).and_then(|value| reader.finish().map(|()| value));
        value.map_err(|fault| corrupt(self.file, &section.name(), section.offset + fault.offset, fault.what))
    }
}

impl Head {
    /// Reads what stands before the sections; nothing of the sections themselves is looked at.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Head, FileError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(FileError::NotATerrain { file: file.to_owned() });
        }
        let mut reader = Reader::new(bytes);
        let truncated = |fault: Fault| FileError::Truncated {
            file: file.to_owned(),
            found: bytes.len() as u64,
            expected: fault.offset.max(HEAD_BYTES) as u64,
        };
        reader.take(MAGIC.len()).map_err(truncated)?;
        // Another version may have another head, so this is looked at before its checksum.
        let version = reader.u32().map_err(truncated)?;
        if version != VERSION {
            return Err(FileError::Version { file: file.to_owned(), found: version });
        }
        let count = reader.u32().map_err(truncated)? as usize;
        let length = reader.u64().map_err(truncated)?;
        let mut head = Head { map: [0; 32], physics: [0; 32], settings: [0; 32], overlay: 0, sections: Vec::new() };
        for digest in [&mut head.map, &mut head.physics, &mut head.settings] {
            *digest = reader.array().map_err(truncated)?;
        }
        let fixed = reader.offset();
        let crc = reader.u32().map_err(truncated)?;
        head.overlay = reader.u32().map_err(truncated)?;
        if count > SECTIONS_MAX {
            return Err(corrupt(file, "head", 12, format!("{count} sections are more than there may be")));
        }
        let table = reader.take(count * ENTRY_BYTES).map_err(truncated)?;
        if crc != crc_of([&bytes[..fixed], &head.overlay.to_le_bytes(), table]) {
            return Err(corrupt(file, "head", fixed, "the checksum of head and table is wrong"));
        }
        if length != bytes.len() as u64 {
            return Err(FileError::Truncated { file: file.to_owned(), found: bytes.len() as u64, expected: length });
        }
        head.sections = read_table(file, table, bytes.len())?;
        Ok(head)
    }

    /// Whether the terrain was made from what is wanted. Who wants certain settings wants it as it was baked.
    pub fn fits(&self, file: &str, wanted: &Wanted) -> Result<(), FileError> {
        let file = || file.to_owned();
        let differs = |found: &[u8; 32], wanted: Option<[u8; 32]>| wanted.filter(|wanted| wanted != found);
        if let Some(wanted) = differs(&self.map, wanted.map) {
            return Err(FileError::OtherMap { file: file(), found: short(&self.map), wanted: short(&wanted) });
        }
        if let Some(wanted) = differs(&self.physics, wanted.physics) {
            return Err(FileError::OtherPhysics { file: file(), found: short(&self.physics), wanted: short(&wanted) });
        }
        if wanted.settings.is_some() && self.overlay != 0 {
            return Err(FileError::Overlaid { file: file(), overlay: self.overlay });
        }
        if let Some(wanted) = differs(&self.settings, wanted.settings) {
            return Err(FileError::OtherSettings {
                file: file(),
                found: short(&self.settings),
                wanted: short(&wanted),
            });
        }
        Ok(())
    }

    /// Whether each section is as it was written, those nobody here knows included.
    pub fn check_sections(&self, file: &str, bytes: &[u8]) -> Result<(), FileError> {
        let mut end = HEAD_BYTES + self.sections.len() * ENTRY_BYTES;
        for section in &self.sections {
            let name = section.name();
            if bytes[end..section.offset].iter().any(|&byte| byte != 0) {
                return Err(corrupt(file, &name, end, "the bytes before the section are not 0"));
            }
            end = section.offset + section.length;
            if crc32fast::hash(&bytes[section.offset..end]) != section.crc {
                return Err(corrupt(file, &name, section.offset, "the checksum of the section is wrong"));
            }
        }
        Ok(())
    }
}

/// Sections follow each other as [`Terrain::to_bytes`] puts them, and end where the file does.
fn read_table(file: &str, table: &[u8], file_length: usize) -> Result<Vec<Section>, FileError> {
    let mut sections: Vec<Section> = Vec::with_capacity(table.len() / ENTRY_BYTES);
    let mut end = HEAD_BYTES + table.len();
    for (row, entry) in table.chunks_exact(ENTRY_BYTES).enumerate() {
        let at = HEAD_BYTES + row * ENTRY_BYTES;
        let mut reader = Reader::new(entry);
        let is_whole = "a row of the table is 24 bytes";
        let (tag, crc) = (reader.array().expect(is_whole), reader.u32().expect(is_whole));
        let (offset, length) = (reader.u64().expect(is_whole), reader.u64().expect(is_whole));
        let section = Section { tag, crc, offset: offset as usize, length: length as usize };
        let has_room = offset == end.next_multiple_of(ALIGNMENT) as u64
            && offset.checked_add(length).is_some_and(|end| end <= file_length as u64);
        if !has_room {
            return Err(corrupt(file, &section.name(), at, "the section does not lie where it must"));
        }
        if sections.iter().any(|other| other.tag == tag) {
            return Err(corrupt(file, &section.name(), at, "there are two of it"));
        }
        end = section.offset + section.length;
        sections.push(section);
    }
    if end != file_length {
        return Err(corrupt(file, "table", HEAD_BYTES, "the sections are not all of the file"));
    }
    Ok(sections)
}

fn corrupt(file: &str, section: &str, offset: usize, what: impl Into<String>) -> FileError {
    FileError::Corrupt { file: file.to_owned(), section: section.to_owned(), offset: offset as u64, what: what.into() }
}

fn crc_of<const N: usize>(parts: [&[u8]; N]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

/// The first bytes of a digest, as people compare them.
fn short(digest: &[u8; 32]) -> String {
    digest[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "file/file_test.rs"]
mod tests;
