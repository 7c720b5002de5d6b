//! Finding maps where a game keeps them: folders of loose files and .pk3 archives, searched in the engine's order.
//!
//! In: the game folders, first searched first. A game names up to four: the mod's and the base game's folder under the
//! user's own files, then both under the installed ones; `fs_game` before the base game, and within a game the user's
//! files before the installed ones. Out: the bytes of the first file found under a name, or a whole [`Map`].
//!
//! Within a folder, as ioquake3 has it: loose files before archives; among archives (and folders called `*.pk3dir`,
//! which stand for one) the one whose name sorts last wins, compared without case. Twenty-seven of OpenArena's maps
//! are in more than one archive, so this decides which map is played.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::pk3::{ENTRY_BYTES_MAX, Pk3, Pk3Error, key};
use super::{Map, MapError};

/// Where a game's files are looked for, in order.
#[derive(Debug)]
pub struct Files {
    places: Vec<Place>,
}

#[derive(Debug)]
enum Place {
    Folder(PathBuf),
    Archive(Pk3),
}

#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error("{path}: {error}")]
    Io { path: String, error: io::Error },
    #[error(transparent)]
    Pk3(#[from] Pk3Error),
    #[error("{name}: not found in {searched}")]
    NotFound { name: String, searched: String },
    #[error("{path}: {size} bytes, more than the {ENTRY_BYTES_MAX} that are read")]
    TooLarge { path: String, size: u64 },
    #[error("{0}: not a path inside a game folder")]
    Outside(String),
    #[error("{path}: byte {offset}: not UTF-8, so no .map source")]
    NotText { path: String, offset: usize },
    #[error("{path}: holds {count} maps, say which: {path}:NAME")]
    WhichMap { path: String, count: usize },
}

impl Files {
    /// Opens game folders (such as `…/baseoa`), the first to be searched first. Folders that are not there are passed
    /// over, as a user without own files has none; an archive that cannot be read is an error.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> Result<Files, FilesError> {
        let mut places = Vec::new();
        for folder in folders {
            let folder = folder.as_ref();
            if folder.is_dir() {
                places.push(Place::Folder(folder.to_owned()));
                places.extend(packs(folder)?);
            }
        }
        Ok(Files { places })
    }

    /// One archive alone.
    pub fn open_pk3(path: &Path) -> Result<Files, FilesError> {
        Ok(Files { places: vec![Place::Archive(Pk3::open(path)?)] })
    }

    /// The first file of this name, e.g. `maps/oa_dm1.bsp`.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FilesError> {
        if name.split(['/', '\\']).any(|part| part == "..") || Path::new(name).is_absolute() {
            return Err(FilesError::Outside(name.to_owned()));
        }
        for place in &self.places {
            match place {
                Place::Archive(pack) if pack.contains(name) => return Ok(pack.read(name)?),
                Place::Folder(folder) if folder.join(name).is_file() => return read_file(&folder.join(name)),
                Place::Archive(_) | Place::Folder(_) => {}
            }
        }
        Err(FilesError::NotFound { name: name.to_owned(), searched: self.searched() })
    }

    /// Names of all maps (`oa_dm1`), sorted, each once.
    pub fn maps(&self) -> Vec<String> {
        let mut names = BTreeSet::new();
        for place in &self.places {
            match place {
                Place::Archive(pack) => names.extend(pack.names().filter_map(map_name)),
                Place::Folder(folder) => {
                    let files = list(&folder.join("maps")).unwrap_or_default();
                    names.extend(files.iter().filter_map(|file| map_name(&format!("maps/{file}"))));
                }
            }
        }
        names.into_iter().collect()
    }

    /// Reads a map by name.
    pub fn map(&self, name: &str) -> Result<Map, MapError> {
        Map::from_bsp(name, &self.read(&format!("maps/{name}.bsp"))?)
    }

    fn searched(&self) -> String {
        let names = self.places.iter().map(|place| match place {
            Place::Archive(pack) => pack.name().to_owned(),
            Place::Folder(folder) => folder.display().to_string(),
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

impl Map {
    /// Reads a map from wherever it is: a bare `.bsp` or `.map`, or the compiled one of `FOLDER:NAME` or
    /// `some.pk3:NAME`, where the name may be left out if there is but one map.
    pub fn load(place: &str) -> Result<Map, MapError> {
        let path = Path::new(place);
        if has_ending(place, ".bsp") {
            let stem = path.file_stem().map_or_else(|| place.to_owned(), |stem| stem.to_string_lossy().into_owned());
            return Map::from_bsp(&stem, &read_file(path)?);
        }
        if has_ending(place, ".map") {
            let text = String::from_utf8(read_file(path)?).map_err(|error| {
                let offset = error.utf8_error().valid_up_to();
                FilesError::NotText { path: place.to_owned(), offset }
            })?;
            return Ok(Map::from_source(place, &text)?);
        }
        if path.exists() {
            let files = open_any(path)?;
            return match files.maps().as_slice() {
                [only] => files.map(only),
                several => Err(FilesError::WhichMap { path: place.to_owned(), count: several.len() }.into()),
            };
        }
        match place.rsplit_once(':') {
            Some((outer, name)) if Path::new(outer).exists() => open_any(Path::new(outer))?.map(name),
            _ => Err(FilesError::Io { path: place.to_owned(), error: io::ErrorKind::NotFound.into() }.into()),
        }
    }
}

fn open_any(path: &Path) -> Result<Files, FilesError> {
    if path.is_dir() { Files::open(&[path]) } else { Files::open_pk3(path) }
}

/// The archives of a folder, first searched first.
fn packs(folder: &Path) -> Result<Vec<Place>, FilesError> {
    let mut names = list(folder)?;
    names.retain(|name| has_ending(name, ".pk3") || has_ending(name, ".pk3dir"));
    names.sort_by(|a, b| sort_key(b).cmp(&sort_key(a)).then_with(|| b.cmp(a)));
    let mut places = Vec::new();
    for name in names {
        let path = folder.join(&name);
        match (has_ending(&name, ".pk3dir"), path.is_dir()) {
            (true, true) => places.push(Place::Folder(path)),
            (false, false) => places.push(Place::Archive(Pk3::open(&path)?)),
            // A folder called x.pk3 or a file called x.pk3dir is neither.
            (true, false) | (false, true) => {}
        }
    }
    Ok(places)
}

/// Names are ordered by capital letters in the engine: this is what sorts `_` after `z`.
fn sort_key(name: &str) -> String {
    key(name).to_ascii_uppercase()
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.len() >= ending.len() && name.as_bytes()[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
}

fn list(folder: &Path) -> Result<Vec<String>, FilesError> {
    let entries = fs::read_dir(folder).map_err(|error| io_error(folder, error))?;
    entries
        .map(|entry| Ok(entry.map_err(|error| io_error(folder, error))?.file_name().to_string_lossy().into_owned()))
        .collect()
}

fn map_name(path: &str) -> Option<String> {
    let name = path.strip_prefix("maps/")?;
    (has_ending(name, ".bsp") && !name.contains('/')).then(|| name[..name.len() - 4].to_owned())
}

fn read_file(path: &Path) -> Result<Vec<u8>, FilesError> {
    let size = fs::metadata(path).map_err(|error| io_error(path, error))?.len();
    if size > ENTRY_BYTES_MAX {
        return Err(FilesError::TooLarge { path: path.display().to_string(), size });
    }
    fs::read(path).map_err(|error| io_error(path, error))
}

fn io_error(path: &Path, error: io::Error) -> FilesError {
    FilesError::Io { path: path.display().to_string(), error }
}

#[cfg(test)]
mod tests {
    use super::super::pk3::tests::archive;
    use super::*;

    /// A folder that is gone when the test ends.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("fireteam-files-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Scratch(path)
        }

        fn write(&self, name: &str, contents: &[u8]) {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }

        fn open(&self, folders: &[&str]) -> Files {
            Files::open(&folders.iter().map(|folder| self.0.join(folder)).collect::<Vec<_>>()).unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn the_last_archive_by_name_wins_and_loose_files_win_over_archives() {
        let scratch = Scratch::new("order");
        let maps = |text: &'static [u8]| archive(&[("maps/a.bsp", text), ("maps/b.bsp", text), ("maps/c.bsp", text)]);
        scratch.write("base/pak0.pk3", &maps(b"pak0"));
        scratch.write("base/PAK1-maps.pk3", &maps(b"pak1"));
        // Capital letters come before `_`, so this is searched before pakZ.
        scratch.write("base/pak_.pk3", &archive(&[("maps/b.bsp", b"pak_"), ("maps/c.bsp", b"pak_")]));
        scratch.write("base/pakz.pk3", &archive(&[("maps/b.bsp", b"pakz")]));
        scratch.write("base/pak2.pk3dir/maps/a.bsp", b"pk3dir");
        scratch.write("base/maps/c.bsp", b"loose");
        scratch.write("base/readme.pk3.txt", b"no archive");
        let files = scratch.open(&["no such folder", "base"]);
        assert_eq!(files.read("maps/a.bsp").unwrap(), b"pk3dir");
        assert_eq!(files.read("maps/B.bsp").unwrap(), b"pak_");
        assert_eq!(files.read("maps/c.bsp").unwrap(), b"loose");
        assert_eq!(files.maps(), ["a", "b", "c"]);
    }

    #[test]
    fn the_users_own_files_come_before_the_installed_ones() {
        let scratch = Scratch::new("home");
        scratch.write("home/mod/x.cfg", b"home mod");
        scratch.write("base/mod/pak0.pk3", &archive(&[("x.cfg", b"base mod"), ("y.cfg", b"base mod")]));
        scratch.write("home/game/y.cfg", b"home game");
        let files = scratch.open(&["home/mod", "base/mod", "home/game", "base/game"]);
        assert_eq!(files.read("x.cfg").unwrap(), b"home mod");
        assert_eq!(files.read("y.cfg").unwrap(), b"base mod");
    }

    #[test]
    fn what_is_missing_outside_or_broken_is_said_so() {
        let scratch = Scratch::new("missing");
        scratch.write("base/maps/a.bsp", b"not a map");
        scratch.write("secret", b"");
        let files = scratch.open(&["base"]);
        assert!(matches!(files.read("maps/b.bsp"), Err(FilesError::NotFound { .. })));
        assert!(matches!(files.read("../secret"), Err(FilesError::Outside(_))));
        assert!(matches!(files.map("a"), Err(MapError::Bsp { lump: "header", .. })));
        scratch.write("base/bad.pk3", b"PK");
        let opened = Files::open(&[scratch.0.join("base")]);
        assert!(opened.unwrap_err().to_string().contains("bad.pk3"));
    }

    #[test]
    fn a_map_is_loaded_from_a_file_a_folder_or_an_archive() {
        let scratch = Scratch::new("load");
        scratch.write("base/x.pk3", &archive(&[("maps/in_pack.bsp", b"IBSP?")]));
        scratch.write("base/maps/loose.bsp", b"IBSP?");
        let refused = |place: &str| Map::load(&scratch.0.join(place).display().to_string()).unwrap_err().to_string();
        // Found and read, so it is the map's own header that is complained about, under the map's name.
        for (place, name) in [
            ("base/maps/loose.bsp", "loose"),
            ("base/x.pk3:in_pack", "in_pack"),
            ("base/x.pk3", "in_pack"),
            ("base:loose", "loose"),
            ("base:in_pack", "in_pack"),
        ] {
            assert!(refused(place).starts_with(&format!("{name}: header")), "{place}: {}", refused(place));
        }
        scratch.write("drawn.map", b"{ }");
        scratch.write("latin.map", b"// \xe9");
        assert!(refused("drawn.map").contains("drawn.map:1: the first entity must be worldspawn"));
        assert!(refused("latin.map").contains("byte 3: not UTF-8"));
        assert!(refused("base").contains("holds 2 maps"));
        assert!(refused("nowhere:x").contains("not found"));
    }
}
