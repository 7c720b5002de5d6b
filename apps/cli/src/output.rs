//! Files that are there whole or not at all: written beside their place, synced, then renamed into it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Puts `bytes` at `path`. Whatever happens meanwhile (a full disk, a crash, Ctrl-C), `path` holds either what it held
/// before or all of `bytes`. Things that are no files, such as /dev/stdout, cannot be renamed over: they are written to.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let advice = || format!("cannot write {}: choose another place with --out", path.display());
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return write_through(path, bytes).with_context(advice);
    }
    let beside = temporary_beside(path);
    let written = write_synced(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The half-written file is ours alone; if it cannot be removed either, the first error says more.
        fs::remove_file(&beside).ok();
    }
    written.with_context(advice)
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

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut there = fs::OpenOptions::new().write(true).open(path)?;
    there.write_all(bytes)?;
    there.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("fireteam-output-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = folder("replaced");
        let path = folder.join("a.png");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = write_whole(Path::new("no/such/folder/a.png"), b"x").unwrap_err();
        assert_eq!(error.to_string(), "cannot write no/such/folder/a.png: choose another place with --out");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        let error = write_whole(Path::new("/dev/full"), b"x").unwrap_err();
        assert!(format!("{error:#}").contains("No space left"), "{error:#}");
    }
}
