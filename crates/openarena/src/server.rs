//! A dedicated server as a child process: headless, on loopback, in a scratch folder, gone when we are.
//!
//! In: an [`Install`], a map, settings, perhaps a game module of ours. Out: a running [`Server`] whose console is
//! collected. The child is killed and its folder removed on drop; if this process dies first, our module notices that
//! its parent has changed and quits (`ft_parent`).

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use thiserror::Error;

use crate::install::Install;

/// Console lines kept; a server that floods its console loses the oldest.
const LOG_LINES_MAX: usize = 10_000;
/// How the engine must find a native game module.
pub const MODULE_NAME: &str = "qagamex86_64.so";
/// The frame length in lockstep. The stock server runs 20 frames a second.
pub const FRAME_MS: i32 = 50;

/// How to start a server.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    pub map: String,
    /// Our module; without one the stock game runs.
    pub module: Option<PathBuf>,
    /// A folder with module and program, as `cargo xtask dist` packs it: dropped beside the game's, under its own name.
    pub package: Option<PathBuf>,
    /// Every engine loop advances exactly one frame of 50 ms, however long it takes.
    pub lockstep: bool,
    /// Where it listens. On loopback nothing on the network learns of it.
    pub address: String,
    /// The port to listen on; without one, any that is free.
    pub port: Option<u16>,
    /// Further console variables, set before the map loads.
    pub cvars: Vec<(String, String)>,
}

impl ServerSettings {
    pub fn new(map: &str) -> ServerSettings {
        ServerSettings {
            map: map.to_owned(),
            module: None,
            package: None,
            lockstep: true,
            address: "127.0.0.1".to_owned(),
            port: None,
            cvars: Vec::new(),
        }
    }

    pub fn with(mut self, name: &str, value: impl ToString) -> ServerSettings {
        self.cvars.push((name.to_owned(), value.to_string()));
        self
    }
}

#[derive(Debug, Error)]
pub enum ServerError {
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("{engine} does not start: {source}")]
    Start { engine: PathBuf, source: io::Error },
    #[error("`{0}` cannot be written into a server configuration: it holds a quote or a line break")]
    Setting(String),
    #[error("the server was still running after {0:?}")]
    TimeLimit(Duration),
}

impl ServerError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> ServerError + use<> {
        let path = path.to_owned();
        move |source| ServerError::File { path, source }
    }
}

/// What the console said.
#[derive(Debug, Default)]
struct Log {
    lines: VecDeque<String>,
    /// How many lines came before the first of these.
    forgotten: usize,
}

/// A running server; killed on drop.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// Where its console is typed into.
    keyboard: Option<ChildStdin>,
    home: Scratch,
    log: Arc<Mutex<Log>>,
    pub port: u16,
}

impl Server {
    pub fn start(install: &Install, settings: &ServerSettings) -> Result<Server, ServerError> {
        Server::start_in(Scratch::new()?, install, settings)
    }

    /// Starts with a scratch folder that already holds something (a socket, say).
    pub(crate) fn start_in(home: Scratch, install: &Install, settings: &ServerSettings) -> Result<Server, ServerError> {
        let game = home.path().join("baseoa");
        fs::create_dir_all(&game).map_err(ServerError::file(&game))?;
        if let Some(module) = &settings.module {
            fs::copy(module, game.join(MODULE_NAME)).map_err(ServerError::file(module))?;
        }
        if let Some(package) = &settings.package {
            drop_in(package, home.path())?;
        }
        let configuration = game.join("fireteam.cfg");
        fs::write(&configuration, write_configuration(install, settings)?)
            .map_err(ServerError::file(&configuration))?;

        let port = match settings.port {
            Some(port) => port,
            None => free_port().map_err(ServerError::file(Path::new(&settings.address)))?,
        };
        let mut command = command(install, home.path(), &settings.address, port);
        if let Some(name) = settings.package.as_deref().and_then(Path::file_name) {
            // Known to the server alone: clients are not told of it, and need nothing.
            command.arg("+set").arg("fs_basegame").arg(name);
        }
        for (name, value) in settings.cvars.iter().filter(|(name, _)| EARLY.contains(&name.as_str())) {
            command.arg("+set").arg(name).arg(value);
        }
        let mut child = command
            .args(["+exec", "fireteam.cfg"])
            .spawn()
            .map_err(|source| ServerError::Start { engine: install.engine.clone(), source })?;
        let log: Arc<Mutex<Log>> = Arc::default();
        collect(child.stdout.take(), &log);
        collect(child.stderr.take(), &log);
        let keyboard = child.stdin.take();
        Ok(Server { child, keyboard, home, log, port })
    }

    /// The scratch folder the server writes into; removed with the server.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The engine's process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Types a line into the console; carried out before the next frame.
    pub fn type_line(&mut self, line: &str) -> Result<(), ServerError> {
        // All at once: a server that looks at half a line takes that for one, less its last letter.
        let typed = self.keyboard.as_mut().map(|keyboard| keyboard.write_all(format!("{line}\n").as_bytes()));
        let gone = || Err(io::ErrorKind::BrokenPipe.into());
        typed.unwrap_or_else(gone).map_err(ServerError::file(Path::new("the server's console")))
    }

    /// What the console has said so far.
    pub fn log(&self) -> String {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.lines.iter().map(String::as_str).collect()
    }

    /// Lines of the console after the first `seen`, which then counts these too.
    pub fn log_since(&self, seen: &mut usize) -> Vec<String> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = log.lines.iter().skip(seen.saturating_sub(log.forgotten));
        let lines = kept.map(|line| line.trim_end().to_owned()).collect();
        *seen = log.forgotten + log.lines.len();
        lines
    }

    /// Whether the process has ended, and how.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for the server to end by itself.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus, ServerError> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.ended() {
                return Ok(status);
            }
            if start.elapsed() > limit {
                return Err(ServerError::TimeLimit(limit));
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only for a child that is already gone, which is what we want.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A folder of our own among the temporary files, removed on drop.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Result<Scratch, ServerError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        sweep_remains(&env::temp_dir());
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("fireteam-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).map_err(ServerError::file(&path))?;
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Removes the folders of processes that were killed before they could: `fireteam-PROCESS-NUMBER`.
fn sweep_remains(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("fireteam-")?.split_once('-'));
        let owner =
            owner.filter(|(_, number)| number.parse::<u32>().is_ok()).and_then(|(id, _)| id.parse::<u32>().ok());
        if owner.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            // Somebody else may be sweeping too.
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// What the engine allots before it reads its first configuration file.
const EARLY: [&str; 2] = ["com_zoneMegs", "com_hunkMegs"];

/// The engine takes 32 commands and 1023 characters of command line, so only what must be known before the first
/// configuration file is there; the rest is in `fireteam.cfg`.
fn command(install: &Install, home: &Path, address: &str, port: u16) -> Command {
    let mut command = Command::new(&install.engine);
    let mut set = |name: &str, value: &Path| {
        command.arg("+set").arg(name).arg(value);
    };
    set("fs_basepath", &install.base_path);
    set("fs_homepath", home);
    set("com_basegame", Path::new("baseoa"));
    set("com_legacyprotocol", Path::new("71"));
    set("com_protocol", Path::new("71"));
    set("dedicated", Path::new("1"));
    // IPv4 only.
    set("net_enabled", Path::new("1"));
    set("net_ip", Path::new(address));
    set("net_port", Path::new(&port.to_string()));
    command.env("HOME", home).env_remove("FIRETEAM_CACHE").env_remove("XDG_CACHE_HOME").current_dir(home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Copies a folder, one level deep, to where a server looks.
fn drop_in(package: &Path, home: &Path) -> Result<(), ServerError> {
    let to = home.join(package.file_name().unwrap_or_default());
    fs::create_dir_all(&to).map_err(ServerError::file(&to))?;
    for entry in fs::read_dir(package).map_err(ServerError::file(package))?.flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).map_err(ServerError::file(&entry.path()))?;
    }
    Ok(())
}

fn write_configuration(install: &Install, settings: &ServerSettings) -> Result<String, ServerError> {
    let frames_per_second = (1000 / FRAME_MS).to_string();
    let mut cvars: Vec<(&str, String)> = vec![
        ("sv_pure", "0".into()),
        ("vm_game", "0".into()),
        ("sv_fps", frames_per_second),
        ("bot_enable", "0".into()),
        ("bot_minplayers", "0".into()),
        ("sv_maxclients", "16".into()),
        ("g_doWarmup", "0".into()),
        ("timelimit", "0".into()),
        ("fraglimit", "0".into()),
        ("ft_stock", install.stock_module.display().to_string()),
        ("ft_parent", std::process::id().to_string()),
    ];
    if settings.lockstep {
        cvars.push(("timedemo", "1".into()));
        cvars.push(("fixedtime", FRAME_MS.to_string()));
    }
    cvars.extend(settings.cvars.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let mut text = String::new();
    for (name, value) in cvars {
        let line = format!("set {name} \"{value}\"\n");
        if name.contains(['"', '\n']) || value.contains(['"', '\n']) {
            return Err(ServerError::Setting(line.trim().to_owned()));
        }
        text += &line;
    }
    Ok(text + &format!("map {}\n", settings.map))
}

/// A port nobody listens on just now; should it be taken meanwhile, the engine itself tries the next ones.
fn free_port() -> io::Result<u16> {
    Ok(UdpSocket::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn collect(stream: Option<impl Read + Send + 'static>, log: &Arc<Mutex<Log>>) {
    let Some(stream) = stream else { return };
    let log = Arc::clone(log);
    // Ends with the child: its end of the pipe closes.
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            if log.lines.len() == LOG_LINES_MAX {
                log.lines.pop_front();
                log.forgotten += 1;
            }
            log.lines.push_back(String::from_utf8_lossy(&line).into_owned());
            line.clear();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_processes_are_swept_and_others_are_not() {
        let temporary = env::temp_dir().join(format!("fireteam-sweep-{}", std::process::id()));
        // No process has the number 0; the first is always there.
        let (dead, alive, other) = ("fireteam-0-3", "fireteam-1-3", "fireteam-map");
        for folder in [dead, alive, other] {
            fs::create_dir_all(temporary.join(folder).join("baseoa")).expect("temporary folder");
        }
        sweep_remains(&temporary);
        let left = [dead, alive, other].map(|folder| temporary.join(folder).exists());
        fs::remove_dir_all(&temporary).expect("made above");
        assert_eq!(left, [false, true, true]);
    }

    #[test]
    fn setting_that_would_break_out_of_its_quotes_is_refused() {
        let install = Install { engine: "e".into(), base_path: "b".into(), stock_module: "s".into() };
        let settings = ServerSettings::new("oa_dm1").with("ft_mode", "x\"\nquit");
        assert!(matches!(write_configuration(&install, &settings), Err(ServerError::Setting(_))));
    }
}
