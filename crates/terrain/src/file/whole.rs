//! Files that are there whole or not at all: written beside their place, synced, then renamed into it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Puts `bytes` at `path`. Whatever happens meanwhile (a full disk, a crash, a kill), `path` holds either what it held
/// before or all of `bytes`. Things that are no files, such as /dev/stdout, cannot be renamed over: they are written to.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        let mut there = fs::OpenOptions::new().write(true).open(path)?;
        there.write_all(bytes)?;
        return there.flush();
    }
    let beside = temporary_beside(path);
    let written = write_synced(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The half-written file is ours alone; if it cannot be removed either, the first error says more.
        fs::remove_file(&beside).ok();
    }
    written
}

fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
