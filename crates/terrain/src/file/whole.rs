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

/// Takes away what writers of `path` left beside it when they were killed. For whoever knows that nobody else writes there.
pub fn remove_leftovers(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_temporary_of(path, &entry.path()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

const TEMPORARY: &str = "part";

fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.{TEMPORARY}", std::process::id()));
    path.with_file_name(name)
}

fn is_temporary_of(path: &Path, other: &Path) -> bool {
    let numbered = other.file_stem().map(Path::new);
    let number = numbered.and_then(Path::extension).and_then(|number| number.to_str());
    other.extension().is_some_and(|end| end == TEMPORARY)
        && number.is_some_and(|number| number.parse::<u32>().is_ok())
        && numbered.and_then(Path::file_stem) == path.file_name()
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_writers_left_is_taken_away() {
        let folder = std::env::temp_dir().join(format!("fireteam-leftovers-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("pit.terrain");
        let others = ["pit.terrain", "pit.terrain.part", "pit.terrain.x.part", "spit.terrain.7.part", "pit.7.part"];
        for name in others.iter().chain(&["pit.terrain.7.part", "pit.terrain.4194304.part"]) {
            fs::write(folder.join(name), "").unwrap();
        }
        remove_leftovers(&path).unwrap();
        let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let mut expected = others;
        left.sort();
        expected.sort_unstable();
        assert_eq!(left, expected);
        assert!(is_temporary_of(&path, &temporary_beside(&path)));
        fs::remove_dir_all(folder).unwrap();
    }
}
