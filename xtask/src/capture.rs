//! `cargo xtask capture`: asks the real engine and keeps what it answered in `testdata/captures/openarena`.
//!
//! Builds the game module, starts one server per map, and writes one file per subject. The same seed gives the same
//! files, byte for byte. `--show FILE` prints a kept file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fireteam_openarena::Install;
use fireteam_openarena::capture::kept::{self, KeptLine};
use fireteam_openarena::capture::navigation::{self, StockNavigation};
use fireteam_openarena::capture::plan::movers::Moved;
use fireteam_openarena::capture::plan::places::Places;
use fireteam_openarena::capture::plan::throws::{GRENADE_LAUNCHER, ROCKET_LAUNCHER};
use fireteam_openarena::capture::plan::{blasts, movers, moves, places, throws};
use fireteam_openarena::capture::rows::Head;
use fireteam_openarena::capture::traces::{TraceCounts, TraceScene, capture_scene};
use fireteam_openarena::capture::visits::{self, Match, Visits};
use fireteam_openarena::capture::{Kept, Limits, MODULE_FILE, Oracle, Origin, Run};
use fireteam_world::pcg::Pcg;

use crate::{dist, steps};

/// Doors, lifts, bobbing things, trains, pads, teleporters, water, curves, low ceilings and open air.
const MAPS: [&str; 16] = [
    "oa_dm1",
    "oa_dm2",
    "oa_dm3",
    "oa_dm6",
    "oa_dm7",
    "kaos2",
    "oa_bases5",
    "oa_bases7",
    "wrackdm17",
    "ctf_compromise",
    "czest1dm",
    "sleekgrinder",
    "am_thornish",
    "pxlfan",
    "ce1m7",
    "oa_koth1",
];
/// Asked only about what moves: a train, a fan, more that bobs.
const MOVER_MAPS: [&str; 4] = ["oa_ctf4ish", "fan", "slimefac", "oa_koth2"];
const PLACES: usize = 1000;
const TRACE_COUNTS: TraceCounts = TraceCounts { traces: 800, contents: 200, sight: 200 };
const RUNS: usize = 24;
const GRENADES: usize = 24;
const ROCKETS: usize = 6;
const BLASTS: usize = 16;
const MOVERS: usize = 10;
/// Watched for where players go.
const MATCH_BOTS: i32 = 7;
const MATCH_SECONDS: i32 = 60;

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Decides every question.
    #[arg(long, default_value_t = 1)]
    seed: i32,
    /// Maps to ask about, instead of the usual sixteen.
    #[arg(long, value_delimiter = ',')]
    maps: Vec<String>,
    /// Where to write, instead of testdata/captures/openarena.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print a kept file instead.
    #[arg(long, value_name = "FILE")]
    show: Option<PathBuf>,
}

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    if let Some(file) = &options.show {
        print!("{}", kept::unpack(file)?);
        return Ok(());
    }
    let install = Install::find_or_fetch(&mut |line| eprintln!("{line}"))?;
    let module = build_module(root)?;
    let out = options.out.clone().unwrap_or_else(|| root.join("testdata/captures/openarena"));
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;

    let mut captured = Captured::default();
    let usual: Vec<String> = MAPS.map(str::to_owned).to_vec();
    let maps = if options.maps.is_empty() { &usual } else { &options.maps };
    for map in maps {
        captured.add(&install, &module, map, options.seed)?;
    }
    if options.maps.is_empty() {
        for map in MOVER_MAPS {
            captured.add_movers(&install, &module, map, options.seed)?;
        }
    }
    captured.save(&out, options)
}

/// What the server of each map answered.
#[derive(Debug, Default)]
struct Captured {
    head: Head,
    scenes: Vec<TraceScene>,
    moves: Vec<Run>,
    flights: Vec<Run>,
    blasts: Vec<Run>,
    movers: Vec<Run>,
    navigation: Vec<StockNavigation>,
    visits: Vec<Visits>,
}

impl Captured {
    fn add(&mut self, install: &Install, module: &Path, map: &str, seed: i32) -> Result<()> {
        let (mut oracle, mut pcg, places) = start(install, module, map, seed)?;
        self.head = oracle.head()?;
        self.scenes.push(capture_scene(&mut oracle, &mut pcg, &places, TRACE_COUNTS)?);
        self.moves.extend(moves::capture(&mut oracle, &mut pcg, &places, RUNS)?);
        self.flights.extend(throws::capture(&mut oracle, &mut pcg, &places, GRENADE_LAUNCHER, GRENADES)?);
        self.flights.extend(throws::capture(&mut oracle, &mut pcg, &places, ROCKET_LAUNCHER, ROCKETS)?);
        self.blasts.extend(blasts::capture(&mut oracle, &mut pcg, &places, BLASTS)?);
        self.keep_moved(movers::capture(&mut oracle, &mut pcg, &places, MOVERS)?);
        drop(oracle);
        let limits = Limits { seed, ..Limits::default() };
        self.navigation.push(navigation::ask(install, module, map, &limits)?);
        let game = Match { bots: MATCH_BOTS, seconds: MATCH_SECONDS, seed };
        self.visits.push(visits::record(install, module, map, &limits, game)?);
        eprintln!("{map}");
        Ok(())
    }

    fn add_movers(&mut self, install: &Install, module: &Path, map: &str, seed: i32) -> Result<()> {
        let (mut oracle, mut pcg, places) = start(install, module, map, seed)?;
        self.keep_moved(movers::capture(&mut oracle, &mut pcg, &places, MOVERS)?);
        eprintln!("{map}: movers");
        Ok(())
    }

    fn keep_moved(&mut self, moved: Moved) {
        self.movers.extend(moved.runs);
        self.scenes.extend(moved.scenes);
    }

    fn save(&self, out: &Path, options: &Options) -> Result<()> {
        let mut command = format!("cargo xtask capture --seed {}", options.seed);
        if !options.maps.is_empty() {
            command += &format!(" --maps {}", options.maps.join(","));
        }
        let Head { engine, cvars, .. } = self.head.clone();
        let origin = Origin { engine, command, seed: options.seed, tolerance: 0.0, settings: cvars };
        let within = |tolerance: f32| Origin { tolerance, ..origin.clone() };
        save(out, "traces", within(1.0 / 32.0), TraceScene::to_lines(&self.scenes))?;
        save(out, "moves", within(0.25), Run::to_lines(&self.moves))?;
        save(out, "flights", within(0.5), Run::to_lines(&self.flights))?;
        save(out, "blasts", within(0.0), Run::to_lines(&self.blasts))?;
        save(out, "movers", within(0.125), Run::to_lines(&self.movers))?;
        save(out, "navigation", within(0.0), StockNavigation::to_lines(&self.navigation))?;
        save(out, "visits", within(0.5), Visits::to_lines(&self.visits))
    }
}

fn start(install: &Install, module: &Path, map: &str, seed: i32) -> Result<(Oracle, Pcg, Places)> {
    let limits = Limits { seed, ..Limits::default() };
    let mut oracle = Oracle::start(install, module, map, &limits)?;
    let mut pcg = Pcg::named(seed as u64, map);
    let places = places::find(&mut oracle, &mut pcg, PLACES)?;
    Ok((oracle, pcg, places))
}

fn save<L: KeptLine>(out: &Path, subject: &str, origin: Origin, lines: Vec<L>) -> Result<()> {
    let path = out.join(format!("{subject}.txt.gz"));
    let count = lines.len();
    Kept { origin, lines }.save(&path)?;
    let size = fs::metadata(&path)?.len();
    eprintln!("{}: {count} lines, {} kB", path.display(), size / 1024);
    Ok(())
}

/// Builds the game module and says where it is.
fn build_module(root: &Path) -> Result<PathBuf> {
    steps::run(&mut steps::cargo(root, ["build", "--quiet", "--release", "--package", "fireteam-quake3"]))?;
    Ok(dist::release_folder(root).join(MODULE_FILE))
}
