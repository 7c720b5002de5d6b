//! Finished units of work on disk, so that a bake that is killed goes on where it was, and shards can be joined.
//!
//! A journal is a folder with a file for each step that is cut into units. The file's head names what the units were worked
//! off from; units follow in the order in which they were finished:
//!
//! ```text
//!   0  8   magic "fireunit"            8  4  format version           12  4  how many units the step has
//!  16  32  digest of what the units depend on
//!  48      units: number (4), length (4), CRC-32 of number, length and result (4), result
//! ```
//!
//! A kill may leave half a unit at the end: it is cut off when the journal is opened again. A file whose head does not fit
//! is of another map, other settings or another version of the bake, and is begun anew.
//! Not here: what a unit is (`units`).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::progress::Step;
use crate::units::{Batch, Unit};

const MAGIC: [u8; 8] = *b"fireunit";
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 48;
const UNIT_HEAD_BYTES: usize = 12;
/// Steps that are cut into units.
const STEPS: [Step; 3] = [Step::Links, Step::Sight, Step::Throws];
const LOCK: &str = "at-work";

/// Units by number, with their results.
pub(crate) type Units = Vec<(usize, Vec<u8>)>;

/// Why a journal is of no use.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: another bake is at work in this folder", .folder.display())]
    Taken { folder: PathBuf },
}

/// A folder of finished units. While it is held, no other process works in it.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    /// Locked as long as it is open; the operating system lets go of it however the process ends.
    lock: Option<File>,
}

/// A step's file, open for more.
#[derive(Debug)]
pub(crate) struct Pages {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// A journal to work in; the folder is made if need be.
    pub fn begin(folder: &Path) -> Result<Journal, JournalError> {
        let fault = |path: &Path| {
            let path = path.to_owned();
            |source| JournalError::Io { path, source }
        };
        fs::create_dir_all(folder).map_err(fault(folder))?;
        let path = folder.join(LOCK);
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(fault(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Journal { folder: folder.to_owned(), lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(JournalError::Taken { folder: folder.to_owned() }),
            Err(TryLockError::Error(source)) => Err(fault(&path)(source)),
        }
    }

    /// A journal that is only read: a shard that is done.
    pub fn finished(folder: &Path) -> Journal {
        Journal { folder: folder.to_owned(), lock: None }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes away what it wrote, and the folder if nothing else is in it: the terrain has been saved.
    pub fn remove(self) -> Result<(), JournalError> {
        drop(self.lock);
        let files = STEPS.iter().map(|&step| path_of(&self.folder, step)).chain([self.folder.join(LOCK)]);
        for path in files {
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(JournalError::Io { path, source });
                }
                Ok(()) | Err(_) => {}
            }
        }
        match fs::remove_dir(&self.folder) {
            Err(source) if source.kind() != io::ErrorKind::DirectoryNotEmpty => {
                Err(JournalError::Io { path: self.folder, source })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The units of a batch that are there, by number and result.
    pub(crate) fn read(&self, batch: &Batch) -> Result<Units, JournalError> {
        let path = path_of(&self.folder, batch.step);
        match fs::read(&path) {
            Ok(bytes) => Ok(units_in(&bytes, batch).units),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(JournalError::Io { path, source }),
        }
    }

    /// The same, and the file to write more to.
    pub(crate) fn open(&self, batch: &Batch) -> Result<(Pages, Units), JournalError> {
        let path = path_of(&self.folder, batch.step);
        let (file, units) =
            open_pages(&path, batch).map_err(|source| JournalError::Io { path: path.clone(), source })?;
        Ok((Pages { path, file: Mutex::new(file) }, units))
    }
}

impl Pages {
    pub(crate) fn write(&self, number: usize, unit: &impl Unit) -> Result<(), JournalError> {
        let mut bytes = vec![0; UNIT_HEAD_BYTES];
        unit.write(&mut bytes);
        let length = (bytes.len() - UNIT_HEAD_BYTES) as u32;
        bytes[..4].copy_from_slice(&(number as u32).to_le_bytes());
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        let crc = crc_of(&bytes);
        bytes[8..12].copy_from_slice(&crc.to_le_bytes());
        let mut file = self.file.lock().expect("nothing panics while it writes");
        file.write_all(&bytes).map_err(|source| JournalError::Io { path: self.path.clone(), source })
    }
}

fn path_of(folder: &Path, step: Step) -> PathBuf {
    folder.join(format!("{}-{}.units", step.number(), step.word()))
}

fn open_pages(path: &Path, batch: &Batch) -> io::Result<(File, Units)> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    let found = units_in(&fs::read(path)?, batch);
    file.set_len(found.sound_bytes as u64)?;
    file.seek(SeekFrom::End(0))?;
    if found.sound_bytes == 0 {
        file.write_all(&head_of(batch))?;
    }
    Ok((file, found.units))
}

fn head_of(batch: &Batch) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.extend(VERSION.to_le_bytes());
    head.extend((batch.count as u32).to_le_bytes());
    head.extend(batch.inputs);
    assert_eq!(head.len(), HEAD_BYTES);
    head
}

struct Found {
    units: Units,
    /// How much of the file is as it was written.
    sound_bytes: usize,
}

/// Reads until something is not as it was written.
fn units_in(bytes: &[u8], batch: &Batch) -> Found {
    let mut found = Found { units: Vec::new(), sound_bytes: 0 };
    if !bytes.starts_with(&head_of(batch)) {
        return found;
    }
    found.sound_bytes = HEAD_BYTES;
    while let Some((number, length)) = sound_unit(&bytes[found.sound_bytes..]) {
        if number >= batch.count {
            break;
        }
        let result = found.sound_bytes + UNIT_HEAD_BYTES;
        found.units.push((number, bytes[result..result + length].to_vec()));
        found.sound_bytes = result + length;
    }
    found
}

/// Number of the unit these bytes begin with, and length of its result; none if they are cut short or spoilt.
fn sound_unit(bytes: &[u8]) -> Option<(usize, usize)> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (number, length, crc) = (word(0)? as usize, word(4)? as usize, word(8)?);
    let unit = bytes.get(..UNIT_HEAD_BYTES.checked_add(length)?)?;
    (crc_of(unit) == crc).then_some((number, length))
}

fn crc_of(unit: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&unit[..8]);
    hasher.update(&unit[UNIT_HEAD_BYTES..]);
    hasher.finalize()
}
