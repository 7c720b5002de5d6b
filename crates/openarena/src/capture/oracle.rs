//! A running server that answers questions about one map.
//!
//! In: an install, the built module, a map. Out: an [`Oracle`] with one method per kind of question. Every call is one
//! message each way, so ask in batches. A server that dies, hangs or refuses becomes a [`CaptureError`] that carries the
//! end of its console log.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fireteam_world::{Sweep, Vec3};
use thiserror::Error;

use super::navigation::{Goal, Trips};
use super::race::{Laps, Race};
use super::rows::{Body, ClientRow, Command, Drive, EntityRow, Frame, Head, TraceAnswer};
use super::wire::{self, Answer, GuestRequest, Request, StockQuestion};
use crate::install::Install;
use crate::server::{FRAME_MS, MODULE_NAME, Scratch, Server, ServerError, ServerSettings};

/// The module's file name as cargo builds it.
pub const MODULE_FILE: &str = "libfireteam_quake3.so";

/// The module that belongs to a program: beside it, as cargo builds it, or under the name by which an engine looks for it.
pub fn module_beside(program: &Path) -> PathBuf {
    let [built, packed] = [MODULE_FILE, MODULE_NAME].map(|name| program.with_file_name(name));
    if !built.is_file() && packed.is_file() { packed } else { built }
}
/// Console lines shown with an error.
const LOG_LINES_SHOWN: usize = 12;

/// How long to wait before calling a server hung.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From starting the process to its first word.
    pub start: Duration,
    /// For one answer.
    pub answer: Duration,
    /// Replaces the random seed the engine gives the game, so that a capture can be repeated.
    pub seed: i32,
}

impl Default for Limits {
    fn default() -> Limits {
        // A loaded machine with two cores takes up to 3 s to start and 10 s for the longest drive.
        Limits { start: Duration::from_secs(60), answer: Duration::from_secs(120), seed: 1 }
    }
}

#[derive(Debug, Error)]
pub enum CaptureError {
    #[error("{0} is not there: build it with `cargo build --release -p fireteam-quake3`")]
    NoModule(PathBuf),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("{map}: {doing}: {source}; the server said:\n{log}")]
    Lost { map: String, doing: &'static str, source: io::Error, log: String },
    #[error("{map}: {reason}; the server said:\n{log}")]
    Refused { map: String, reason: String, log: String },
}

/// A server with one map loaded, waiting for questions.
#[derive(Debug)]
pub struct Oracle {
    server: Server,
    stream: UnixStream,
    map: String,
}

impl Oracle {
    pub fn start(install: &Install, module: &Path, map: &str, limits: &Limits) -> Result<Oracle, CaptureError> {
        Oracle::start_with(install, module, map, limits, &[])
    }

    /// Starts with further console variables, which replace the usual ones.
    pub fn start_with(
        install: &Install,
        module: &Path,
        map: &str,
        limits: &Limits,
        cvars: &[(&str, i32)],
    ) -> Result<Oracle, CaptureError> {
        if !module.is_file() {
            return Err(CaptureError::NoModule(module.to_owned()));
        }
        let home = Scratch::new()?;
        let socket = home.path().join("ask");
        let file = |source| ServerError::File { path: socket.clone(), source };
        let listener = UnixListener::bind(&socket).map_err(file)?;
        listener.set_nonblocking(true).map_err(file)?;

        let mut settings = ServerSettings::new(map)
            .with("ft_mode", "capture")
            .with("ft_socket", socket.display())
            .with("ft_seed", limits.seed)
            .with("g_gametype", 0)
            // Ten frames in every loop of the engine: a loop takes at least a millisecond whatever it does.
            .with("fixedtime", 10 * FRAME_MS)
            // A driven client may be shot in the very frame it appears.
            .with("g_spawnprotect", 0);
        settings = cvars.iter().fold(settings, |settings, (name, value)| settings.with(name, value));
        settings.module = Some(module.to_owned());
        let mut server = Server::start_in(home, install, &settings)?;
        let connected = accept(&listener, &mut server, limits);
        let stream = connected.map_err(|source| lost(map, "waiting for the module", source, &server))?;
        Ok(Oracle { server, stream, map: map.to_owned() })
    }

    pub fn map(&self) -> &str {
        &self.map
    }

    /// The server's console so far.
    pub fn log(&self) -> String {
        self.server.log()
    }

    pub fn head(&mut self) -> Result<Head, CaptureError> {
        match self.ask(&Request::Head)? {
            Answer::Head(head) => Ok(head),
            other => Err(self.surprised(&other)),
        }
    }

    /// Everything in the game just now.
    pub fn entities(&mut self) -> Result<Vec<EntityRow>, CaptureError> {
        match self.ask(&Request::Entities)? {
            Answer::Entities(rows) => Ok(rows),
            other => Err(self.surprised(&other)),
        }
    }

    /// One answer per sweep, in order.
    pub fn traces(&mut self, sweeps: &[Sweep]) -> Result<Vec<TraceAnswer>, CaptureError> {
        match self.ask(&Request::Traces(sweeps.to_vec()))? {
            Answer::Traces(answers) if answers.len() == sweeps.len() => Ok(answers),
            other => Err(self.surprised(&other)),
        }
    }

    pub fn contents(&mut self, points: &[Vec3]) -> Result<Vec<i32>, CaptureError> {
        match self.ask(&Request::Contents(points.to_vec()))? {
            Answer::Contents(answers) if answers.len() == points.len() => Ok(answers),
            other => Err(self.surprised(&other)),
        }
    }

    /// Whether each pair may see one another; both points must be inside the map.
    pub fn sight(&mut self, pairs: &[(Vec3, Vec3)]) -> Result<Vec<bool>, CaptureError> {
        match self.ask(&Request::Sight(pairs.to_vec()))? {
            Answer::Sight(answers) if answers.len() == pairs.len() => Ok(answers),
            other => Err(self.surprised(&other)),
        }
    }

    /// Frame 0 is the moment before the first command; one more for every frame driven.
    pub fn drive(&mut self, drive: &Drive) -> Result<Vec<Frame>, CaptureError> {
        match self.ask(&Request::Drive(drive.clone()))? {
            Answer::Drive(frames) if frames.len() == drive.frames as usize + 1 => Ok(frames),
            other => Err(self.surprised(&other)),
        }
    }

    /// Takes as long as the engine needs for `rounds` times everything.
    pub fn race(&mut self, race: &Race) -> Result<Laps, CaptureError> {
        match self.ask(&Request::Race(race.clone()))? {
            Answer::Race(laps) if laps.sweeps.len() == race.lists.len() => Ok(laps),
            other => Err(self.surprised(&other)),
        }
    }

    /// Every client in the game just now.
    pub fn players(&mut self) -> Result<Vec<ClientRow>, CaptureError> {
        match self.ask(&Request::Players)? {
            Answer::Players(rows) => Ok(rows),
            other => Err(self.surprised(&other)),
        }
    }

    /// The stock bots' area for a player with each of these origins; 0 for none.
    pub fn areas(&mut self, origins: &[Vec3]) -> Result<Vec<i32>, CaptureError> {
        match self.ask(&Request::Stock(StockQuestion::Areas(origins.to_vec())))? {
            Answer::Areas(areas) if areas.len() == origins.len() => Ok(areas),
            other => Err(self.surprised(&other)),
        }
    }

    pub fn goals(&mut self, names: &[String]) -> Result<Vec<Goal>, CaptureError> {
        match self.ask(&Request::Stock(StockQuestion::Goals(names.to_vec())))? {
            Answer::Goals(goals) => Ok(goals),
            other => Err(self.surprised(&other)),
        }
    }

    /// Hundredths of a second for each trip; 0 where the stock bots know no way.
    pub fn travel_times(&mut self, trips: &Trips) -> Result<Vec<i32>, CaptureError> {
        match self.ask(&Request::Stock(StockQuestion::TravelTimes(trips.clone())))? {
            Answer::TravelTimes(times) if times.len() == trips.trips.len() => Ok(times),
            other => Err(self.surprised(&other)),
        }
    }

    /// Puts a guest into the game, who stays until it leaves; its frame tells of every mover.
    pub fn enter(&mut self, body: &Body) -> Result<Frame, CaptureError> {
        self.ask_guest(GuestRequest::Enter(body.clone()))
    }

    /// One frame of the game, in which the guest presses this; tells of the movers that changed.
    pub fn press(&mut self, command: &Command) -> Result<Frame, CaptureError> {
        self.ask_guest(GuestRequest::Press(command.clone()))
    }

    fn ask_guest(&mut self, request: GuestRequest) -> Result<Frame, CaptureError> {
        match self.ask(&Request::Guest(request))? {
            Answer::Frame(frame) if frame.players.len() == 1 => Ok(frame),
            other => Err(self.surprised(&other)),
        }
    }

    pub fn leave(&mut self) -> Result<(), CaptureError> {
        match self.ask(&Request::Guest(GuestRequest::Leave))? {
            Answer::Done => Ok(()),
            other => Err(self.surprised(&other)),
        }
    }

    /// A line for the server's console, carried out before its next loop.
    pub fn console(&mut self, line: &str) -> Result<(), CaptureError> {
        match self.ask(&Request::Console(line.to_owned()))? {
            Answer::Done => Ok(()),
            other => Err(self.surprised(&other)),
        }
    }

    pub fn ask(&mut self, request: &Request) -> Result<Answer, CaptureError> {
        let sent = wire::send(&mut self.stream, request);
        sent.map_err(|source| lost(&self.map, "asking", source, &self.server))?;
        let answer = wire::receive(&mut self.stream);
        match answer.map_err(|source| lost(&self.map, "waiting for an answer", source, &self.server))? {
            Answer::Refused(reason) => {
                Err(CaptureError::Refused { map: self.map.clone(), reason, log: last_lines(&self.server) })
            }
            answer => Ok(answer),
        }
    }

    fn surprised(&self, answer: &Answer) -> CaptureError {
        let mut reason = format!("this is no answer to what was asked: {answer:?}");
        reason.truncate(200);
        CaptureError::Refused { map: self.map.clone(), reason, log: last_lines(&self.server) }
    }
}

/// Starts a server with `map`, asks everything in order, stops it.
pub fn run(
    install: &Install,
    module: &Path,
    map: &str,
    requests: &[Request],
    limits: &Limits,
) -> Result<Vec<Answer>, CaptureError> {
    let mut oracle = Oracle::start(install, module, map, limits)?;
    requests.iter().map(|request| oracle.ask(request)).collect()
}

fn accept(listener: &UnixListener, server: &mut Server, limits: &Limits) -> io::Result<UnixStream> {
    let start = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(Some(limits.answer))?;
                stream.set_write_timeout(Some(limits.answer))?;
                return Ok(stream);
            }
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            Err(_) => {}
        }
        if let Some(status) = server.ended() {
            return Err(io::Error::other(format!("the server ended, {status}")));
        }
        if start.elapsed() > limits.start {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn lost(map: &str, doing: &'static str, source: io::Error, server: &Server) -> CaptureError {
    CaptureError::Lost { map: map.to_owned(), doing, source, log: last_lines(server) }
}

fn last_lines(server: &Server) -> String {
    let log = server.log();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n")
}
