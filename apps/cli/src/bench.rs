//! Every figure we state, measured again: `fireteam bench SUBJECT`.
//!
//! A subject is a list of rows: what was measured, what it came to, what it must be. Speed is always a ratio to a
//! contender measured in the same run, by CPU time of the thread, the two in turn, the median of all rounds. A contender
//! that is not there is a row that is not ok. Progress goes to standard error, the result to standard output.

mod aim;
mod duel;
mod embree;
mod frame;
mod honesty;
mod lists;
mod load;
mod parity;
#[cfg(feature = "bench")]
mod parry;
mod play;
mod polygon;
mod record;
pub(crate) mod report;
mod rhythm;
mod routes;
mod server;
mod skill;
mod speed;
mod terrain;
mod thrown;
mod throws;
mod view;
mod watched;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use fireteam_openarena::Install;
use fireteam_openarena::capture::module_beside;
use fireteam_world::Map;
use fireteam_world::map::Files;

use report::Report;

/// The maps on which speed is stated: two houses, a space station in the void, and a large outdoor map.
const SPEED_MAPS: [&str; 4] = ["oa_dm1", "oa_dm6", "wrackdm17", "ctf_compromise"];
const ROUNDS: usize = 11;
const ROUNDS_QUICK: usize = 7;

/// Measure again what we state, beside a real OpenArena server and other tracers
#[derive(Args, Debug)]
pub(crate) struct Bench {
    subject: Subject,

    /// Write the result as JSON
    #[arg(long)]
    json: bool,

    /// Only these maps
    #[arg(long, value_delimiter = ',', value_name = "NAME,..")]
    maps: Vec<String>,

    /// How often each contender runs; medians are taken
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: Option<u16>,

    /// Fewer questions and rounds: a first look, not a figure to state
    #[arg(long)]
    quick: bool,

    /// Only this part of `bench terrain`, `bench server` or `bench watched`; may be given several times
    #[arg(long, value_name = "PART")]
    part: Vec<String>,

    /// Also draw what was measured, for `bench aim`
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,

    /// Draws other questions
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// Rays and sweeps against the engine, parry3d and Embree
    Trace,
    /// Grenades a second against the same flight on the engine's traces
    Flight,
    /// Traces, runs, grenades, blasts and movers against what the real engine does
    Parity,
    /// From archive to solids, every installed map
    Load,
    /// Bots of the embedded game blindfolded: does anything they could not perceive change what they do?
    Honesty,
    /// What thinking costs: a turn, the worst frames, memory, 64 bots, the recorder
    Frame,
    /// Hours of matches watched for bots that get stuck
    Play,
    /// A mesh recorded from play: what it reaches after five minutes, and how well bots get about on it
    Record,
    /// Whether bots all run the same way: routes of a hundred seeds, and of an aggressive and a defensive bot
    Routes,
    /// Neighbours in skill against each other in the embedded game
    Skill,
    /// Whether bots tick, or march in step: shots and changes of side, beside the stock bots'
    Rhythm,
    /// How a view arrives: overshoot and settling, by skill
    Aim,
    /// Matches on the real server watched for bots that get stuck or stand about, all installed maps in one process,
    /// and a server full of ours
    Server,
    /// Throws of the table, thrown on the real server: do they go off where we said?
    Thrown,
    /// Every installed map baked, and compared with the game's own navigation and the real server
    Terrain,
    /// Every throw of ten maps: does it hurt, is any missing, what does it cost; beside the figures of the paper of 2000
    Throws,
    /// What being watched costs: the playing thread, the wire, a recording of ten minutes and how soon it is open
    View,
    /// Matches watched for the ten most stupid things bots do, by rules a program can decide
    Watched,
}

pub(crate) fn run(bench: &Bench) -> Result<ExitCode> {
    let course = Course::open(bench)?;
    let report = match bench.subject {
        Subject::Trace => Report::of("trace", speed::trace(&course)?),
        Subject::Flight => Report::of("flight", speed::flight(&course)?),
        Subject::Parity => Report::of("parity", parity::parity(&course)?),
        Subject::Load => Report::of("load", load::load(&course)?),
        Subject::Honesty => Report::of("honesty", honesty::honesty(&course)?),
        Subject::Frame => Report::of("frame", frame::frame(&course)?),
        Subject::Play => Report::of("play", play::play(&course)?),
        Subject::Record => Report::of("record", record::record(&course)?),
        Subject::Routes => Report::of("routes", routes::routes(&course)?),
        Subject::Skill => Report::of("skill", skill::skill(&course)?),
        Subject::Rhythm => Report::of("rhythm", rhythm::rhythms(&course)?),
        Subject::Aim => Report::of("aim", aim::aim(&course, bench.picture.as_deref())?),
        Subject::Server => Report::of("server", server::server(&course, &parts(&bench.part))?),
        Subject::Thrown => Report::of("thrown", thrown::thrown(&course)?),
        Subject::Throws => throws::throws(&course)?,
        Subject::View => Report::of("view", view::view(&course)?),
        Subject::Watched => watched::watched(&course, &parts(&bench.part))?,
        Subject::Terrain => Report::of("terrain", terrain::terrain(&course, &parts(&bench.part))?),
    };
    if bench.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{report}");
    }
    Ok(if report.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The parts of a subject by name; one that it does not have is wrong usage, as any other argument's value would be.
fn parts<P: ValueEnum>(words: &[String]) -> Vec<P> {
    let names = || {
        let known = P::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        known.map(|part| part.get_name().to_owned()).collect::<Vec<_>>().join(", ")
    };
    let named = |word: &String| {
        P::from_str(word, true).unwrap_or_else(|_| {
            let told = format!("there is no part `{word}`; there are {}\n", names());
            clap::Error::raw(clap::error::ErrorKind::InvalidValue, told).exit()
        })
    };
    words.iter().map(named).collect()
}

/// What every subject needs: the game, its maps, our module, and how much to ask.
struct Course {
    install: Install,
    files: Files,
    module: PathBuf,
    /// Those asked for; empty for the usual ones.
    maps: Vec<String>,
    rounds: usize,
    quick: bool,
    seed: u64,
}

impl Course {
    fn open(bench: &Bench) -> Result<Course> {
        let install = Install::find_or_fetch(&mut |line| eprintln!("{line}"))?;
        let files = Files::open(&[install.base_path.join("baseoa")])?;
        let module = module_beside(&std::env::current_exe().context("where this program lies")?);
        let rounds = bench.rounds.map_or(if bench.quick { ROUNDS_QUICK } else { ROUNDS }, usize::from);
        Ok(Course { install, files, module, maps: bench.maps.clone(), rounds, quick: bench.quick, seed: bench.seed })
    }

    fn maps_or(&self, usual: &[impl ToString]) -> Vec<String> {
        if self.maps.is_empty() { usual.iter().map(ToString::to_string).collect() } else { self.maps.clone() }
    }

    fn map(&self, name: &str) -> Result<Map> {
        Ok(self.files.map(name)?)
    }

    /// As many as asked for, or a quarter for a quick look.
    fn count(&self, full: usize) -> usize {
        if self.quick { full / 4 } else { full }
    }
}
