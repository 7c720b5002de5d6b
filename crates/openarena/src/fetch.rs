//! Fetching Debian's packages, unpacked into a folder without root and without starting anything: an OpenArena server,
//! and what benchmarks compare us with.
//!
//! Installing a server's package the ordinary way would enable a public game service; `apt-get download` and `dpkg -x` do
//! not. Everything happens in `openarena.part` and is renamed to `openarena` when whole, under a lock that dies with its
//! process: a killed fetch leaves a `.part` that the next one sweeps away, and two fetches at once become one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install::{Install, InstallError, cache_folder};

const PACKAGES: [&str; 10] = [
    "ioquake3-server",
    "openarena-server",
    "openarena-data",
    "openarena-081-maps",
    "openarena-081-misc",
    "openarena-081-players",
    "openarena-081-players-mature",
    "openarena-081-textures",
    "openarena-085-data",
    "openarena-088-data",
];

/// Puts a whole server into `cache/openarena`; returns at once if another process did so meanwhile.
pub(crate) fn fetch(cache: &Path, say: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    say("fetching OpenArena (10 Debian packages, 417 MB) ...");
    fetch_packages(cache, "openarena", &PACKAGES, |part| Install::at(&part.join("usr")).map(drop), say)
}

/// A folder of the cache with these packages unpacked in it, fetched if it is not there.
pub fn packages_in_cache(name: &str, packages: &[&str], say: &mut dyn FnMut(&str)) -> Result<PathBuf, InstallError> {
    let cache = cache_folder()?;
    let whole = cache.join(name);
    if !whole.exists() {
        say(&format!("fetching {} ...", packages.join(", ")));
        fetch_packages(&cache, name, packages, |_| Ok(()), say)?;
    }
    Ok(whole)
}

/// Unpacks `packages` into `cache/name`, if `check` finds the result whole.
fn fetch_packages(
    cache: &Path,
    name: &str,
    packages: &[&str],
    check: impl FnOnce(&Path) -> Result<(), InstallError>,
    say: &mut dyn FnMut(&str),
) -> Result<(), InstallError> {
    fs::create_dir_all(cache).map_err(InstallError::file(cache))?;
    let lock_path = cache.join(format!("{name}.lock"));
    let lock = File::create(&lock_path).map_err(InstallError::file(&lock_path))?;
    lock.lock().map_err(InstallError::file(&lock_path))?;

    let whole = cache.join(name);
    if whole.exists() {
        return Ok(());
    }
    let part = cache.join(format!("{name}.part"));
    // We hold the lock, so whoever made this is dead.
    remove_if_there(&part)?;
    let folder = part.join("packages");
    fs::create_dir_all(&folder).map_err(InstallError::file(&folder))?;

    download(cache, &part, &folder, packages)?;
    say("unpacking ...");
    unpack(cache, &folder, &part)?;
    fs::remove_dir_all(&folder).map_err(InstallError::file(&folder))?;
    remove_if_there(&part.join("apt"))?;
    check(&part)?;
    fs::rename(&part, &whole).map_err(InstallError::file(&whole))
}

/// Downloads with the machine's package lists, or, where those are missing or stale, with lists of our own.
fn download(cache: &Path, part: &Path, folder: &Path, packages: &[&str]) -> Result<(), InstallError> {
    let plain = run(cache, apt_get(folder).arg("download").args(packages));
    if !matches!(plain, Err(InstallError::Tool { .. })) {
        return plain;
    }
    // What the failed attempt left may be cut short or of another version.
    remove_if_there(folder)?;
    fs::create_dir_all(folder).map_err(InstallError::file(folder))?;
    let own = own_lists(&part.join("apt"))?;
    run(cache, apt_get(folder).args(&own).arg("update"))?;
    run(cache, apt_get(folder).args(&own).arg("download").args(packages))
}

fn apt_get(folder: &Path) -> Command {
    let mut command = Command::new("apt-get");
    // Root would otherwise try to download as the user `_apt`, who may not write here.
    command.current_dir(folder).args(["-q", "-o", "APT::Sandbox::User=root"]);
    command
}

/// Options that keep apt's lists and cache in our folder: the system's need root to refresh.
fn own_lists(apt: &Path) -> Result<Vec<String>, InstallError> {
    for folder in ["lists/partial", "cache/archives/partial"] {
        let folder = apt.join(folder);
        fs::create_dir_all(&folder).map_err(InstallError::file(&folder))?;
    }
    let option = |name: &str, path: PathBuf| ["-o".to_owned(), format!("{name}={}", path.display())];
    let lists = option("Dir::State::lists", apt.join("lists"));
    Ok(lists.into_iter().chain(option("Dir::Cache", apt.join("cache"))).collect())
}

fn unpack(cache: &Path, packages: &Path, into: &Path) -> Result<(), InstallError> {
    let files = fs::read_dir(packages).map_err(InstallError::file(packages))?;
    for file in files {
        let path = file.map_err(InstallError::file(packages))?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            run(cache, Command::new("dpkg").arg("-x").arg(&path).arg(into))?;
        }
    }
    Ok(())
}

fn run(cache: &Path, command: &mut Command) -> Result<(), InstallError> {
    let line = format!("{command:?}");
    let output = match command.env("LC_ALL", "C").output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (command, package) = if line.contains("\"dpkg\"") { ("dpkg", "dpkg") } else { ("apt-get", "apt") };
            return Err(InstallError::NoTool { command, package, cache: cache.join("openarena") });
        }
        Err(source) => return Err(InstallError::File { path: line.into(), source }),
    };
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(InstallError::Tool {
        command: line,
        output: String::from_utf8_lossy(&text).trim().to_owned(),
        advice: "check the network and that the machine's apt sources name a Debian or Ubuntu with these packages, \
                 or install them yourself",
    })
}

fn remove_if_there(folder: &Path) -> Result<(), InstallError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(InstallError::file(folder)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tool_is_named_with_its_package() {
        let error = run(Path::new("/c"), &mut Command::new("fireteam-no-such-apt-get")).expect_err("no such command");
        assert!(error.to_string().contains("install `apt`"), "{error}");
    }

    #[test]
    fn failing_tool_shows_what_it_said() {
        let error =
            run(Path::new("/c"), Command::new("ls").arg("/fireteam-no-such-folder")).expect_err("no such folder");
        assert!(error.to_string().contains("No such file"), "{error}");
    }

    #[test]
    fn remains_of_a_killed_fetch_are_not_taken_for_a_server() {
        let cache = std::env::temp_dir().join(format!("fireteam-fetch-{}", std::process::id()));
        let part = cache.join("openarena.part/usr/lib/ioquake3");
        fs::create_dir_all(&part).expect("temporary folder");
        fs::write(part.join("ioq3ded"), "half").expect("temporary file");
        let found = Install::find_in(&cache.join("no-usr"), &cache);
        fs::remove_dir_all(&cache).expect("made above");
        assert!(matches!(found, Err(InstallError::Missing { .. })), "{found:?}");
    }
}
