//! The full bake beside the running server: the `fireteam` program as a child process, one at a time for each map.
//!
//! In: the map and the folder its terrain belongs into. Out: a child at work, or a line that says why not. A lock file
//! beside the terrain names process and map, so that a map that is played again meanwhile is not baked twice; a lock whose
//! process is gone, or that names another map, is stale and replaced. The engine unloads us at every map change while the
//! child goes on: whoever finds its lock later reaps it.
//!
//! Cost: a lower priority than the server's; the server itself waits for nothing.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fireteam_world::Map;
use rustix::process::{Pid, WaitOptions, waitpid};

use super::orders::Orders;

const PROGRAM: &str = "fireteam";

/// Starts the bake unless it is under way.
pub(super) fn begin(folder: &Path, map: &Map, place: &Path, game: &str, orders: &Orders, lines: &mut Vec<String>) {
    let lock = lock_of(folder, &map.name);
    let digest = hexadecimal(&map.digest[..8]);
    if let Some((process, of)) = read_lock(&lock)
        && is_running(process)
        && of == digest
    {
        lines.push(format!("process {process} is still baking the full terrain of {}", map.name));
        return;
    }
    let Some(program) = program(orders) else {
        lines.push(format!(
            "quick terrain only: the program `{PROGRAM}` is not beside the module (ft_program names it)"
        ));
        return;
    };
    match spawn(&program, folder, &map.name, place, game) {
        Ok(process) => {
            let kept = fs::write(&lock, format!("{process} {digest}\n"));
            lines.push(match kept {
                Ok(()) => {
                    format!("process {process} bakes the full terrain of {} for the next time it is played", map.name)
                }
                Err(error) => format!("{}: {error}", lock.display()),
            });
        }
        Err(error) => lines.push(format!(
            "quick terrain only: {} cannot bake into {}: {error}",
            program.display(),
            folder.display()
        )),
    }
}

fn spawn(program: &Path, folder: &Path, map: &str, place: &Path, game: &str) -> io::Result<u32> {
    fs::create_dir_all(folder)?;
    let log = File::create(folder.join(format!("{map}.bake.log")))?;
    let child = Command::new("nice")
        .arg(program)
        // Bots throw nothing yet, and the throws would take longer than all the rest.
        .args(["bake", "--no-throws", "--threads", "1", "--game", game, "--out"])
        .arg(folder)
        .arg(format!("{}:{map}", place.display()))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()?;
    Ok(child.id())
}

/// Reaps children that have ended and forgets their locks. Answers with what went wrong.
pub(super) fn reap(folder: &Path, lines: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for lock in
        entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "lock"))
    {
        let Some((process, _)) = read_lock(&lock) else { continue };
        let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
        // Asked before the wait: a child that ends between the two questions stays, and is reaped the next time.
        let gone = !is_running(process);
        // Only our own children can be waited for; others' locks are left until their process is gone.
        let ended = pid.and_then(|pid| waitpid(Some(pid), WaitOptions::NOHANG).ok().flatten());
        if let Some((_, status)) = ended
            && status.exit_status() != Some(0)
        {
            lines.push(format!("the full bake of {} failed: see its .bake.log there", lock.display()));
        }
        if ended.is_some() || gone {
            // Somebody else may have removed it meanwhile.
            fs::remove_file(&lock).ok();
        }
    }
}

fn lock_of(folder: &Path, map: &str) -> PathBuf {
    folder.join(format!("{map}.terrain.lock"))
}

/// Process and map of a lock.
fn read_lock(path: &Path) -> Option<(u32, String)> {
    let text = fs::read_to_string(path).ok()?;
    let (process, of) = text.trim().split_once(' ')?;
    Some((process.parse().ok()?, of.to_owned()))
}

/// A process of this number that is not merely waiting to be reaped.
fn is_running(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state follows the name, which ends with the last bracket.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Named by the operator, or beside the module where the game looks for it.
fn program(orders: &Orders) -> Option<PathBuf> {
    if !orders.program.is_empty() {
        return Some(PathBuf::from(&orders.program)).filter(|path| path.is_file());
    }
    let roots = [&orders.home_path, &orders.base_path];
    let places = orders.folders.iter().flat_map(|folder| roots.map(|root| Path::new(root).join(folder).join(PROGRAM)));
    places.into_iter().find(|path| path.is_file())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("fireteam-child-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("temporary folder");
        folder
    }

    #[test]
    fn a_lock_whose_process_is_gone_is_stale() {
        let folder = folder("stale");
        let lock = lock_of(&folder, "oa_dm1");
        // No process has a number this high: the kernel's own limit is 2^22.
        fs::write(&lock, "4194305 0011\n").expect("temporary file");
        assert_eq!(read_lock(&lock), Some((4_194_305, "0011".to_owned())));
        let mut lines = Vec::new();
        reap(&folder, &mut lines);
        assert!(!lock.exists() && lines.is_empty(), "{lines:?}");
        fs::write(&lock, format!("{} 0011\n", std::process::id())).expect("temporary file");
        reap(&folder, &mut lines);
        assert!(lock.exists(), "its process runs: it is ours");
        fs::remove_dir_all(folder).expect("made above");
    }

    /// Again and again without a pause, since a child may end at any point of a visit.
    #[test]
    fn a_child_that_failed_is_reaped_and_told_of() {
        let folder = folder("failed");
        let lock = lock_of(&folder, "x");
        for _ in 0..50 {
            let mut child = Command::new("false").spawn().expect("every system has it");
            fs::write(&lock, format!("{} 00\n", child.id())).expect("temporary file");
            let mut lines = Vec::new();
            while lock.exists() {
                reap(&folder, &mut lines);
            }
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(child.wait().is_err(), "it was reaped already");
        }
        fs::remove_dir_all(folder).expect("made above");
    }
}
