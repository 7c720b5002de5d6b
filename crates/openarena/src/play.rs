//! A match on the real server: our bots, the game's own, or both, on any of its maps.
//!
//! In: a [`Match`]: map, game type, line-up, seed, length, pace. Out: [`Played`]: who killed whom by what and who captured flags, out of
//! the engine's own log, and what the module saw and spent. In lockstep a match takes as long as it takes to compute, and comes
//! out the same every time; in real time people can join.
//!
//! Cost: ten minutes of eight bots of the game's own take 13 s.

pub mod lineup;
pub mod log;
pub mod report;

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::install::Install;
use crate::server::{Scratch, Server, ServerError, ServerSettings};
use lineup::{Entrant, Side};
use log::{FlagDeed, Kill};
use report::Report;

/// Console lines shown with an error.
const LOG_LINES_SHOWN: usize = 12;
/// How often a running match is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Slots beside the line-up, for people.
const SLOTS_SPARE: usize = 8;
const CLIENTS_MAX: usize = 64;

/// How fast the server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As fast as it computes, frame by frame.
    Lockstep,
    /// As people play it.
    RealTime,
}

/// What is played.
#[derive(Clone, Debug)]
pub struct Match {
    pub map: String,
    /// The game's number: 0 everyone for himself, 3 team deathmatch, 4 capture the flag.
    pub game_type: i32,
    /// In the order of their client slots.
    pub entrants: Vec<Entrant>,
    pub seed: i32,
    pub pace: Pace,
    /// None goes on until somebody ends it.
    pub minutes: Option<u32>,
    /// Where terrains are; the module bakes a quick one where there is none.
    pub terrain: Option<PathBuf>,
    /// Where a recording of what bots saw and pressed goes.
    pub record: Option<PathBuf>,
    /// Where the same is written while it is played, for who watches.
    pub relay: Option<PathBuf>,
    /// Where the server listens.
    pub address: String,
    /// The port to listen on; without one, any that is free.
    pub port: Option<u16>,
    /// The bots' variables that differ from their defaults.
    pub convars: Vec<(String, String)>,
    /// Further settings of the server.
    pub cvars: Vec<(String, String)>,
}

impl Match {
    pub fn new(map: &str, game_type: i32, entrants: Vec<Entrant>) -> Match {
        Match {
            map: map.to_owned(),
            game_type,
            entrants,
            seed: 1,
            pace: Pace::Lockstep,
            minutes: None,
            terrain: None,
            record: None,
            relay: None,
            address: "127.0.0.1".to_owned(),
            port: None,
            convars: Vec::new(),
            cvars: Vec::new(),
        }
    }
}

/// How it went.
#[derive(Clone, Debug)]
pub struct Played {
    pub kills: Vec<Kill>,
    pub flag_deeds: Vec<FlagDeed>,
    pub report: Report,
    /// What our module said on the console.
    pub said: Vec<String>,
}

#[derive(Debug, Error)]
pub enum PlayError {
    #[error("{0} is not there: build it with `cargo build --release -p fireteam-quake3`")]
    NoModule(PathBuf),
    #[error("{0} bots do not fit into a server of {CLIENTS_MAX} clients")]
    TooMany(usize),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("the match was stopped")]
    Stopped,
    #[error("{map}: {what}; the server said:\n{log}")]
    Unfinished { map: String, what: &'static str, log: String },
}

/// A match under way.
#[derive(Debug)]
pub struct Running {
    server: Server,
    map: String,
    report: PathBuf,
    log: PathBuf,
    said: usize,
}

impl Running {
    pub fn start(install: &Install, module: &Path, game: &Match) -> Result<Running, PlayError> {
        if !module.is_file() {
            return Err(PlayError::NoModule(module.to_owned()));
        }
        if game.entrants.len() > CLIENTS_MAX {
            return Err(PlayError::TooMany(game.entrants.len()));
        }
        let home = Scratch::new()?;
        let report = home.path().join("report.txt");
        let log = home.path().join("baseoa/games.log");
        let mut settings = settings(game, &report);
        settings.module = Some(module.to_owned());
        let server = Server::start_in(home, install, &settings)?;
        Ok(Running { server, map: game.map.clone(), report, log, said: 0 })
    }

    pub fn server(&mut self) -> &mut Server {
        &mut self.server
    }

    /// What our module has said since this was asked last.
    pub fn news(&mut self) -> Vec<String> {
        let lines = self.server.log_since(&mut self.said);
        lines.into_iter().filter(|line| line.starts_with("fireteam: ")).collect()
    }

    /// Waits for the end of the match; `is_stopped` is asked now and then.
    pub fn finish(mut self, limit: Duration, is_stopped: &dyn Fn() -> bool) -> Result<Played, PlayError> {
        let (start, mut seen) = (Instant::now(), 0);
        while self.server.ended().is_none() {
            if is_stopped() {
                return Err(PlayError::Stopped);
            }
            if start.elapsed() > limit {
                return Err(self.unfinished("it took too long"));
            }
            // The engine stays up without a level; a map without places to spawn for this game type does that.
            if self.server.log_since(&mut seen).iter().any(|line| line.contains("(Server crashed: ")) {
                return Err(self.unfinished("the game gave up"));
            }
            thread::sleep(LOOK_EVERY);
        }
        let read = |path: &Path| {
            let bytes = std::fs::read(path).map_err(|source| PlayError::File { path: path.to_owned(), source })?;
            // Names may hold anything.
            Ok::<String, PlayError>(String::from_utf8_lossy(&bytes).into_owned())
        };
        let Ok(report) = read(&self.report) else { return Err(self.unfinished("it ended without a report")) };
        let report = Report::from_text(&report).ok_or_else(|| self.unfinished("its report makes no sense"))?;
        if report.players.is_empty() {
            return Err(self.unfinished("nobody played"));
        }
        let log = read(&self.log)?;
        self.said = 0;
        Ok(Played { kills: log::kills(&log), flag_deeds: log::flag_deeds(&log), report, said: self.news() })
    }

    fn unfinished(&self, what: &'static str) -> PlayError {
        let log = self.server.log();
        let lines: Vec<&str> = log.lines().collect();
        let end = lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n");
        PlayError::Unfinished { map: self.map.clone(), what, log: end }
    }
}

/// Plays a match to its end.
pub fn play(
    install: &Install,
    module: &Path,
    game: &Match,
    limit: Duration,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Played, PlayError> {
    Running::start(install, module, game)?.finish(limit, is_stopped)
}

fn settings(game: &Match, report: &Path) -> ServerSettings {
    let has_stock = game.entrants.iter().any(|entrant| entrant.side == Side::Stock);
    let slots = (game.entrants.len() + SLOTS_SPARE).min(CLIENTS_MAX);
    let mut settings = ServerSettings::new(&game.map)
        .with("ft_mode", "bots")
        .with("ft_lineup", lineup::to_text(&game.entrants))
        .with("ft_seed", game.seed)
        .with("ft_report", report.display())
        .with("ft_equal", 1)
        .with("g_gametype", game.game_type)
        .with("sv_maxclients", slots)
        .with("timelimit", game.minutes.unwrap_or(0))
        // A match goes on to its end, however many flags are captured.
        .with("capturelimit", 0)
        .with("g_log", "games.log")
        .with("g_logSync", 1)
        .with("bot_enable", i32::from(has_stock))
        // What they chat depends on the clock of the machine.
        .with("bot_nochat", 3);
    if let Some(minutes) = game.minutes {
        settings = settings.with("ft_minutes", minutes);
    }
    let files = [("ft_terrain", &game.terrain), ("ft_record", &game.record), ("ft_relay", &game.relay)];
    for (name, path) in files {
        if let Some(path) = path {
            settings = settings.with(name, path.display());
        }
    }
    settings.lockstep = game.pace == Pace::Lockstep;
    settings.address.clone_from(&game.address);
    settings.port = game.port;
    for (name, value) in &game.convars {
        settings = settings.with(&format!("ft_{name}"), value);
    }
    game.cvars.iter().fold(settings, |settings, (name, value)| settings.with(name, value))
}
