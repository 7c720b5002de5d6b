//! The command as its users meet it: what it prints, what it writes, how it fails.
//!
//! One program, so that its tests share two cores to the end; a folder of its own for each of them.

mod play;
mod terrain;
mod view;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for each test, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fireteam-command-{name}-{}", std::process::id()));
        // Two tests of one name would share it.
        fs::create_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Folder(path)
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn names(&self, under: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.join(under))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn own_map(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maps").join(format!("{name}.map"));
    path.to_str().unwrap().to_owned()
}

fn fireteam(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fireteam")).args(arguments).current_dir(&folder.0).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
