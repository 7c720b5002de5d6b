//! Where is an OpenArena server? Installed, fetched earlier, or to be fetched now.
//!
//! In: the machine's usual places and the cache folder (`$FIRETEAM_CACHE`, else `$XDG_CACHE_HOME/fireteam`, else
//! `~/.cache/fireteam`). Out: an [`Install`], all of whose files were seen, or an [`InstallError`] that says what to do.
//!
//! The layout is Debian's (`usr/lib/ioquake3`, `usr/lib/openarena-server`), because our module knows the memory layout
//! of that build of the game; a server put together otherwise is not looked for.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use thiserror::Error;

use crate::fetch;

/// The archives a complete game has, in the order they shadow one another: what comes first here wins.
///
/// Quake III looks into archives by name, last name first.
pub const PK3_NAMES: [&str; 9] = [
    "pak6-patch088.pk3",
    "pak6-patch085.pk3",
    "pak6-misc.pk3",
    "pak5-TA.pk3",
    "pak4-textures.pk3",
    "pak2-players.pk3",
    "pak2-players-mature.pk3",
    "pak1-maps.pk3",
    "pak0.pk3",
];

/// A complete OpenArena server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// The dedicated server's executable.
    pub engine: PathBuf,
    /// What the engine is told as `fs_basepath`; the archives lie in `baseoa` below it.
    pub base_path: PathBuf,
    /// The game module that ours stands in front of.
    pub stock_module: PathBuf,
}

#[derive(Debug, Error)]
pub enum InstallError {
    #[error(
        "no OpenArena server in /usr nor in {cache}; install the packages ioquake3-server and openarena-server, \
         or let `cargo xtask test` fetch them"
    )]
    Missing { cache: PathBuf },
    #[error("no place to keep a fetched server: set FIRETEAM_CACHE to a folder with 1 GB free")]
    NoCache,
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("{path} is not a complete server, {lacks} is missing; remove that folder and try again")]
    Incomplete { path: PathBuf, lacks: PathBuf },
    #[error("{archive}: {fault}")]
    Archive { archive: PathBuf, fault: String },
    #[error(
        "`{command}` is needed to fetch OpenArena and is not here: on Debian or Ubuntu install `{package}`, \
         elsewhere put a server into {cache}"
    )]
    NoTool { command: &'static str, package: &'static str, cache: PathBuf },
    #[error("`{command}` failed:\n{output}\n{advice}")]
    Tool { command: String, output: String, advice: &'static str },
}

impl InstallError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> InstallError + use<> {
        let path = path.to_owned();
        move |source| InstallError::File { path, source }
    }
}

impl Install {
    /// A server that is already on this machine; touches no network.
    pub fn find() -> Result<Install, InstallError> {
        Install::find_in(Path::new("/usr"), &cache_folder()?)
    }

    pub(crate) fn find_in(usr: &Path, cache: &Path) -> Result<Install, InstallError> {
        if let Ok(install) = Install::at(usr) {
            return Ok(install);
        }
        let root = cache.join("openarena");
        if !root.exists() {
            return Err(InstallError::Missing { cache: root });
        }
        Install::at(&root.join("usr"))
    }

    /// A server on this machine, fetched into the cache folder if there is none. `say` hears what takes time.
    pub fn find_or_fetch(say: &mut dyn FnMut(&str)) -> Result<Install, InstallError> {
        match Install::find() {
            Err(InstallError::Missing { .. }) => {
                fetch::fetch(&cache_folder()?, say)?;
                Install::find()
            }
            found => found,
        }
    }

    /// The server below `usr`, if every file of it is there.
    pub fn at(usr: &Path) -> Result<Install, InstallError> {
        let install = Install {
            engine: usr.join("lib/ioquake3/ioq3ded"),
            base_path: usr.join("lib/openarena-server"),
            stock_module: usr.join("lib/openarena-server/baseoa/qagamex86_64.so"),
        };
        let parts = [install.engine.clone(), install.stock_module.clone()];
        for part in parts.into_iter().chain(install.pk3_files()) {
            if !fs::metadata(&part).is_ok_and(|file| file.is_file() && file.len() > 0) {
                return Err(InstallError::Incomplete { path: usr.to_owned(), lacks: part });
            }
        }
        Ok(install)
    }

    /// The archives of the game; where two hold the same file, the earlier one's is played.
    pub fn pk3_files(&self) -> Vec<PathBuf> {
        PK3_NAMES.iter().map(|name| self.base_path.join("baseoa").join(name)).collect()
    }

    /// The name of every map in the archives, sorted, each once.
    pub fn maps(&self) -> Result<Vec<String>, InstallError> {
        let mut maps = Vec::new();
        for archive in self.pk3_files() {
            maps.extend(maps_in(&archive)?);
        }
        maps.sort_unstable();
        maps.dedup();
        Ok(maps)
    }
}

/// Where fetched things are kept.
pub fn cache_folder() -> Result<PathBuf, InstallError> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("FIRETEAM_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("fireteam")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/fireteam")))
        .ok_or(InstallError::NoCache)
}

fn maps_in(archive: &Path) -> Result<Vec<String>, InstallError> {
    let fault = |error: rawzip::Error| InstallError::Archive { archive: archive.to_owned(), fault: error.to_string() };
    let file = fs::File::open(archive).map_err(InstallError::file(archive))?;
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let zip = rawzip::ZipArchive::from_file(file, &mut buffer).map_err(fault)?;
    let mut entries = zip.entries(&mut buffer);
    let mut maps = Vec::new();
    while let Some(entry) = entries.next_entry().map_err(fault)? {
        let path = entry.file_path();
        let name = String::from_utf8_lossy(path.as_ref()).to_ascii_lowercase();
        if let Some(map) = name.strip_prefix("maps/").and_then(|name| name.strip_suffix(".bsp")) {
            maps.push(map.to_owned());
        }
    }
    Ok(maps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_without_a_pack_is_named_as_incomplete() {
        let usr = env::temp_dir().join(format!("fireteam-install-{}", std::process::id()));
        for file in ["lib/ioquake3/ioq3ded", "lib/openarena-server/baseoa/qagamex86_64.so"] {
            let path = usr.join(file);
            fs::create_dir_all(path.parent().expect("joined above")).expect("temporary folder");
            fs::write(&path, "x").expect("temporary file");
        }
        let error = Install::at(&usr).expect_err("no archive is there").to_string();
        fs::remove_dir_all(&usr).expect("made above");
        assert!(error.contains("pak6-patch088.pk3 is missing"), "{error}");
    }
}
