//! Why a terrain file cannot be used, and what to do about it.

use std::io;

use super::VERSION;
use crate::check::Unsound;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot read {file}: {source}")]
    Read { file: String, source: io::Error },
    #[error("cannot write {file}: {source}; nothing was changed, choose another place or make room")]
    Write { file: String, source: io::Error },
    #[error("{file} is no terrain file; `fireteam bake` makes one from a map")]
    NotATerrain { file: String },
    #[error("{file} has format version {found}, this program reads {VERSION}; bake the map again with `fireteam bake`")]
    Version { file: String, found: u32 },
    #[error("{file} has {found} bytes of {expected}: it was cut off; bake the map again with `fireteam bake`")]
    Truncated { file: String, found: u64, expected: u64 },
    #[error("{file}, section {section}, byte {offset}: {what}; bake the map again with `fireteam bake`")]
    Corrupt { file: String, section: String, offset: u64, what: String },
    #[error("{file} has no section {section}; bake the map again with `fireteam bake`")]
    Missing { file: String, section: String },
    #[error("{file}, {unsound}; bake the map again with `fireteam bake`")]
    Unsound { file: String, unsound: Unsound },
    #[error("{file} is for another map ({found}, not {wanted}); bake this one with `fireteam bake`")]
    OtherMap { file: String, found: String, wanted: String },
    #[error("{file} was baked for other physics ({found}, not {wanted}); bake the map again under these")]
    OtherPhysics { file: String, found: String, wanted: String },
    #[error("{file} was baked with other settings ({found}, not {wanted}); bake the map again with these")]
    OtherSettings { file: String, found: String, wanted: String },
    #[error("{file} has overlay {overlay:08x} merged into it; bake the map again for one without")]
    Overlaid { file: String, overlay: u32 },
}
