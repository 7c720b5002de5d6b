//! Files that are there whole or not at all, with advice for whoever asked for them.

use std::path::Path;

use anyhow::{Context, Result};
use fireteam_terrain::file;

/// Puts `bytes` at `path`, as [`file::write_whole`] does.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    file::write_whole(path, bytes)
        .with_context(|| format!("cannot write {}: choose another place with --out", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

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
