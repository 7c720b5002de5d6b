//! Capture mode: answers the requests of an asking program, one after another, between two frames of the game.
//!
//! Unless a drive is under way or a guest has pressed something, the engine stands still in [`before_frame`], waiting
//! for the next request; so time in the game passes only when it is asked for. When the asking program is gone, the
//! server quits.

mod drive;
mod guest;
mod look;
mod navigation;
mod party;

use std::io;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fireteam_openarena::capture::rows::{Head, MoverFrame, TraceAnswer};
use fireteam_openarena::capture::wire::{self, Answer, Request};
use fireteam_world::{Contents, SurfaceFlags, Sweep};

use crate::abi;
use crate::engine::{Engine, Game};
use crate::race::{self, Track};
use crate::wrap::Stock;
use drive::Driving;
use guest::Guest;

/// Items have dropped to the floor, doors have their triggers and frames their length by then.
const SETTLED_MS: i32 = 1500;

/// Level time of the frame before and of the one to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) last: i32,
    pub(crate) now: i32,
}

/// Everything capture mode owns, so that frames which call the engine own nothing.
#[derive(Debug)]
pub(crate) struct Capture {
    socket: String,
    stream: Option<UnixStream>,
    request: Request,
    answer: Answer,
    driving: Option<Driving>,
    guest: Option<Guest>,
    /// The map of the last race.
    track: Option<Track>,
    is_over: bool,
}

impl Capture {
    /// Owned by whoever gets the pointer: `wrap` frees it.
    pub(crate) fn make(socket: &str) -> *mut Capture {
        Box::into_raw(Box::new(Capture {
            socket: socket.to_owned(),
            stream: None,
            request: Request::Head,
            answer: Answer::Refused(String::new()),
            driving: None,
            guest: None,
            track: None,
            is_over: false,
        }))
    }

    /// Waits for the next request. Makes no engine call, so a panic may be caught here.
    fn listen(&mut self) -> io::Result<()> {
        guarded(|| {
            let stream = match &mut self.stream {
                Some(stream) => stream,
                None => self.stream.insert(UnixStream::connect(&self.socket)?),
            };
            self.request = wire::receive(stream)?;
            Ok(())
        })
    }

    /// Whether the game must go on before there is an answer.
    fn awaits_frame(&self) -> bool {
        self.driving.is_some() || self.guest.as_ref().is_some_and(Guest::awaits_frame)
    }

    fn reply(&mut self) -> io::Result<()> {
        guarded(|| {
            let stream = self.stream.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            wire::send(stream, &self.answer)
        })
    }
}

/// A panic becomes an error, as everything that ends a capture.
fn guarded(work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(io::Error::other("panic")))
}

pub(crate) fn before_frame(capture: &mut Capture, engine: Engine, stock: Stock, game: Game, times: Times) {
    if times.now < SETTLED_MS {
        return;
    }
    while !capture.awaits_frame() && !capture.is_over {
        if capture.listen().is_err() {
            end(capture, engine);
            return;
        }
        let is_answered = serve(capture, engine, stock, game, times);
        if is_answered && capture.reply().is_err() {
            end(capture, engine);
        }
    }
    if let Some(driving) = &capture.driving {
        driving.press(engine, times);
    }
    if let Some(guest) = &capture.guest {
        guest.press(engine, times);
    }
}

pub(crate) fn after_frame(capture: &mut Capture, engine: Engine, game: Game, times: Times) {
    if let Some(guest) = capture.guest.as_mut().filter(|guest| guest.awaits_frame()) {
        capture.answer = Answer::Frame(guest.look(&game, times.now));
    } else if let Some(driving) = &mut capture.driving {
        driving.record(engine, game, times.now);
        if !driving.is_over() {
            return;
        }
        driving.drop_clients(engine);
        capture.answer = Answer::Drive(capture.driving.take().map(Driving::into_frames).unwrap_or_default());
    } else {
        return;
    }
    if capture.reply().is_err() {
        end(capture, engine);
    }
}

/// Carries out `capture.request`; false if its answer has to wait for frames of the game.
///
/// Room for the answer is made in `capture` first, then filled by functions that own nothing.
fn serve(capture: &mut Capture, engine: Engine, stock: Stock, game: Game, times: Times) -> bool {
    let Capture { request, answer, driving, guest, track, .. } = capture;
    match request {
        Request::Head => {
            *answer = Answer::Head(Head { frame_ms: times.now - times.last, ..Head::default() });
            if let Answer::Head(head) = answer {
                look::describe(engine, head);
            }
        }
        Request::Entities => *answer = Answer::Entities(look::entities(&game)),
        Request::Players => *answer = Answer::Players(look::players(&game, guest.as_ref().and_then(Guest::client))),
        Request::Traces(sweeps) => {
            *answer = Answer::Traces(vec![TraceAnswer::default(); sweeps.len()]);
            if let Answer::Traces(answers) = answer {
                trace_all(engine, sweeps, answers);
            }
        }
        Request::Contents(points) => {
            *answer = Answer::Contents(vec![0; points.len()]);
            if let Answer::Contents(answers) = answer {
                points.iter().zip(answers).for_each(|(&point, answer)| *answer = engine.point_contents(point));
            }
        }
        Request::Sight(pairs) => {
            *answer = Answer::Sight(vec![false; pairs.len()]);
            if let Answer::Sight(answers) = answer {
                pairs.iter().zip(answers).for_each(|(&(a, b), answer)| *answer = engine.in_pvs(a, b));
            }
        }
        Request::Drive(_) if guest.is_some() => *answer = Answer::Refused("a guest is in the game".to_owned()),
        Request::Drive(drive) => match drive::start(driving, drive, engine, stock, game, times) {
            Ok(()) => return false,
            Err(reason) => *answer = Answer::Refused(reason.to_owned()),
        },
        Request::Guest(request) => return guest::serve(guest, request, answer, engine, stock, game, times),
        Request::Stock(question) => navigation::serve(engine, question, answer),
        Request::Console(line) => {
            *answer = Answer::Done;
            if !engine.append_console_line(line) {
                *answer = Answer::Refused("a line that is too long, or holds a zero".to_owned());
            }
        }
        Request::Race(race) => {
            *answer =
                open_track(track, engine, &game).map_or_else(Answer::Refused, |()| Answer::Race(race::room(race)));
            if let (Answer::Race(laps), Some(track)) = (answer, track) {
                race::run(engine, track, race, laps);
            }
        }
    }
    true
}

/// Loads the server's own map with its movers as they stand.
fn open_track(track: &mut Option<Track>, engine: Engine, game: &Game) -> Result<(), String> {
    let (mut base_path, mut map) = ([0; 256], [0; 256]);
    let (base_path, map) = (engine.cvar(c"fs_basepath", &mut base_path), engine.cvar(c"mapname", &mut map));
    let opened = guarded(|| {
        let placed: Vec<_> = look::movers(game).iter().map(MoverFrame::placed).collect();
        *track = Some(Track::open(base_path, map, &placed).map_err(io::Error::other)?);
        Ok(())
    });
    opened.map_err(|error| error.to_string())
}

fn trace_all(engine: Engine, sweeps: &[Sweep], answers: &mut [TraceAnswer]) {
    for (sweep, answer) in sweeps.iter().zip(answers) {
        let trace = engine.trace(sweep, abi::ENTITY_NONE);
        *answer = TraceAnswer {
            fraction: trace.fraction,
            end: trace.end.into(),
            normal: trace.normal.into(),
            dist: trace.dist,
            surface: SurfaceFlags(trace.surface as u32),
            contents: Contents(trace.contents as u32),
            entity: trace.entity as u16,
            start_solid: trace.start_solid != 0,
            all_solid: trace.all_solid != 0,
        };
    }
}

fn end(capture: &mut Capture, engine: Engine) {
    capture.is_over = true;
    capture.driving = None;
    engine.append_console_command(c"quit\n");
}
