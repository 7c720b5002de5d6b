//! Our bots against the game's own, counted: `fireteam versus`.
//!
//! In: maps, seeds, skills, how many a side. Out: kills, deaths and suicides per weapon, and captured flags, out of the engine's
//! own log, with confidence intervals, and the CPU time of both sides in the same runs; as a table, and as CSV or JSON for whoever
//! wants every match. Matches run in lockstep from their seed, so each comes out the same every time. Handicap is equal, and
//! since the lower client slots have an advantage, every pairing is played in both orders. Bars (`gates`) make it a test.
//!
//! Cost: ten minutes of four against four take about half a minute of one core.

mod gates;
mod outcome;
pub(crate) mod stats;
pub(crate) mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use fireteam_openarena::Install;
use fireteam_openarena::install::cache_folder;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::{Match, play};

use crate::bake::Watch;
use crate::bench::report::Report;
use crate::openarena::{TEAM_DEATHMATCH, assignment, game_type, has_teams, module, ready};
use crate::{convars, output};
use gates::Gates;
pub(crate) use outcome::Outcome;

/// Play our bots against the game's own, many times, and count
#[derive(Args, Debug)]
pub(crate) struct Versus {
    /// Maps of the installed OpenArena, or `all`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "oa_dm1,oa_dm3,oa_dm6,kaos2")]
    pub(crate) maps: Vec<String>,

    /// How many seeds
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    seeds: u16,

    /// The first seed
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: i32,

    /// Bots on each side
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=31))]
    size: u8,

    /// Grades of our bots, 1 to 4
    #[arg(long, value_name = "GRADE,…", value_delimiter = ',', default_value = "2", value_parser = clap::value_parser!(u8).range(1..=4))]
    skill: Vec<u8>,

    /// Skills of the game's own, 1 to 5
    #[arg(long, value_name = "GRADE,…", value_delimiter = ',', default_value = "3", value_parser = clap::value_parser!(u8).range(1..=5))]
    stock_skill: Vec<u8>,

    /// Who has the lower client slots
    #[arg(long, value_name = "WHO", value_enum, default_value_t = Orders::Both)]
    order: Orders,

    /// Length of a match
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    minutes: u32,

    /// ffa, team, ctf and so on, or the game's number
    #[arg(long, value_name = "NAME", default_value = "team", value_parser = game_type)]
    gametype: i32,

    /// Matches at a time; without it, one for each processor
    #[arg(long, value_name = "COUNT")]
    jobs: Option<usize>,

    /// Do not bake terrains first: where there is none, the server makes a quick one
    #[arg(long)]
    quick: bool,

    /// A variable of our bots, such as think_ms=50; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,

    /// A file of variables of the bots: `fireteam convars --write FILE` makes one
    #[arg(long, value_name = "FILE")]
    convars: Option<PathBuf>,

    /// A setting of the server; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    cvar: Vec<(String, String)>,

    /// Write a line for every match
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write everything that was counted
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    gates: Gates,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Orders {
    Both,
    OursFirst,
    StockFirst,
}

/// One match to be played.
#[derive(Clone, Debug)]
struct Bout {
    map: String,
    seed: i32,
    skill: u8,
    stock_skill: u8,
    ours_first: bool,
}

/// Bots on each side of a match that is played once.
pub(crate) const ONCE_SIZE: u8 = 4;

impl Versus {
    /// One match on each of these maps, with our side in the lower slots.
    pub(crate) fn once(maps: Vec<String>, minutes: u32, seed: i32) -> Versus {
        Versus {
            maps,
            seeds: 1,
            seed,
            size: ONCE_SIZE,
            skill: vec![2],
            stock_skill: vec![3],
            order: Orders::OursFirst,
            minutes,
            gametype: TEAM_DEATHMATCH,
            jobs: None,
            quick: false,
            set: Vec::new(),
            convars: None,
            cvar: Vec::new(),
            csv: None,
            json: None,
            gates: Gates::default(),
        }
    }

    /// With whatever terrain is at hand, as another game.
    pub(crate) fn quickly(self, gametype: i32) -> Versus {
        Versus { quick: true, gametype, ..self }
    }
}

pub(crate) fn run(asked: &Versus) -> Result<ExitCode> {
    if let Some(fault) = asked.gates.fault(&asked.stock_skill) {
        bail!(fault);
    }
    let install = Install::find()?;
    let watch = Watch::begin(asked.maps.len(), false)?;
    let began = Instant::now();
    let (outcomes, failed) = play_all(asked, &install, &module()?, &watch)?;
    ensure!(!outcomes.is_empty(), "no match came to its end");
    print!("{}", table::write(&outcomes));
    let seconds = began.elapsed().as_secs_f64();
    println!("{} matches of {} minutes in {seconds:.0} s", outcomes.len(), asked.minutes);
    if let Some(path) = &asked.csv {
        output::write_whole(path, table::csv(&outcomes).as_bytes())?;
    }
    if let Some(path) = &asked.json {
        output::write_whole(path, &serde_json::to_vec_pretty(&outcomes).context("numbers and names are JSON")?)?;
    }
    let gates = Report::of("versus", asked.gates.rows(&asked.stock_skill, &outcomes));
    let is_enough = gates.rows.is_empty() || gates.is_ok();
    if !gates.rows.is_empty() {
        print!("{gates}");
    }
    Ok(if failed == 0 && is_enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn bouts(asked: &Versus, maps: &[String]) -> Vec<Bout> {
    let orders: &[bool] = match asked.order {
        Orders::Both => &[true, false],
        Orders::OursFirst => &[true],
        Orders::StockFirst => &[false],
    };
    let mut bouts = Vec::new();
    for map in maps {
        for (&skill, &stock_skill) in
            asked.skill.iter().flat_map(|ours| asked.stock_skill.iter().map(move |s| (ours, s)))
        {
            for seed in (0..asked.seeds).map(|number| asked.seed + i32::from(number)) {
                let each = |&ours_first: &bool| Bout { map: map.clone(), seed, skill, stock_skill, ours_first };
                bouts.extend(orders.iter().map(each));
            }
        }
    }
    bouts
}

/// Plays whatever is asked for, several matches at a time. Answers with what came of them, in their order, and how many
/// failed.
pub(crate) fn play_all(
    asked: &Versus,
    install: &Install,
    module: &Path,
    watch: &Watch,
) -> Result<(Vec<Outcome>, usize)> {
    ensure!(module.is_file(), "{} is not there: `cargo build --release` makes it", module.display());
    let maps = if asked.maps == ["all"] { install.maps()? } else { asked.maps.clone() };
    if !asked.quick {
        maps.iter().try_for_each(|map| ready(map, watch).map(drop))?;
    }
    let bouts = bouts(asked, &maps);
    let jobs = asked.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).max(1);
    let queue = Mutex::new(bouts.iter().enumerate());
    let found = Mutex::new((Vec::new(), 0));
    let began = Instant::now();
    thread::scope(|scope| {
        let work = || {
            while !watch.is_stopped() {
                let next = queue.lock().expect("nobody panics with it").next();
                let Some((number, bout)) = next else { return };
                let outcome = play_one(asked, install, module, bout, watch);
                let mut found = found.lock().expect("nobody panics with it");
                match outcome {
                    Ok(outcome) => found.0.push((number, outcome)),
                    Err(error) => {
                        found.1 += 1;
                        watch.complain(&format!("fireteam: {}, seed {}: {error:#}", bout.map, bout.seed));
                    }
                }
                let done = found.0.len() + found.1;
                let left = began.elapsed().as_secs_f64() / done as f64 * (bouts.len() - done) as f64;
                let line = found.0.last().map(|(_, outcome)| outcome.line()).unwrap_or_default();
                watch.complain(&format!("{done}/{} {line}; {left:.0} s left", bouts.len()));
            }
        };
        (0..jobs.min(bouts.len())).for_each(|_| drop(scope.spawn(work)));
    });
    let (mut outcomes, failed) = found.into_inner().expect("nobody panics with it");
    outcomes.sort_by_key(|(number, _)| *number);
    Ok((outcomes.into_iter().map(|(_, outcome)| outcome).collect(), failed))
}

fn play_one(asked: &Versus, install: &Install, module: &Path, bout: &Bout, watch: &Watch) -> Result<Outcome> {
    let game = Match {
        seed: bout.seed,
        minutes: Some(asked.minutes),
        terrain: Some(cache_folder()?.join("terrain")),
        convars: convars::assignments(asked.convars.as_deref(), &bout.map, &asked.set)?,
        cvars: asked.cvar.clone(),
        ..Match::new(&bout.map, asked.gametype, entrants(asked, bout))
    };
    // A hundred times what it takes on an idle machine.
    let limit = Duration::from_secs(300 + u64::from(asked.minutes) * 120);
    let played = play(install, module, &game, limit, &|| watch.is_stopped())?;
    Ok(Outcome::of(bout, &played, asked.size))
}

fn entrants(asked: &Versus, bout: &Bout) -> Vec<Entrant> {
    let colour = |colour| if has_teams(asked.gametype) { colour } else { Colour::Free };
    let ours = Entrant { side: Side::Ours, colour: colour(Colour::Red), skill: bout.skill };
    let stock = Entrant { side: Side::Stock, colour: colour(Colour::Blue), skill: bout.stock_skill };
    let size = usize::from(asked.size);
    let order = if bout.ours_first { [ours, stock] } else { [stock, ours] };
    order.iter().flat_map(|&entrant| vec![entrant; size]).collect()
}
