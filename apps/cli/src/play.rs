//! A match in the embedded game: `fireteam` without a command.
//!
//! In: a map, how many bots, how good, a seed. Out: what happened, line by line as it happens, and the score. Time is the
//! game's and runs as fast as the machine can; the same arguments give the same match, to the last bit of every command.

mod told;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use fireteam::{Bots, ConVars, Field, Skill};
use fireteam_sim::stuck::Watch as StuckWatch;
use fireteam_sim::{Match, Roster};

use crate::bake::Watch;
use crate::{demo, maps, terrains};
use told::{Names, Outcome};

#[derive(Args, Debug)]
pub(crate) struct Play {
    /// A built-in map, a .map or .bsp file, `some.pk3:NAME`, or a map of an installed OpenArena; several in turn
    #[arg(long, value_name = "FILE|NAME", value_delimiter = ',', default_value = maps::DEFAULT)]
    map: Vec<String>,

    /// Whose rules: skirmish, openarena, or a .toml file of your own
    #[arg(long, value_name = "NAME|FILE", default_value = "skirmish")]
    game: String,

    /// Bots on each side
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    bots: u16,

    /// How good they are: 0 recruit, 1 regular, 2 veteran, 3 elite
    #[arg(long, value_name = "0-3", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    skill: u8,

    /// All chance in the match comes from it
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Length of the match in game minutes; it also ends when a side has won
    #[arg(long, value_name = "MINUTES", default_value_t = 2.0, value_parser = minutes)]
    minutes: f64,

    /// Set a variable of the bots, such as think_ms=50; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    convar: Vec<String>,

    /// Print what bots decide and why: of all, or of those with this name
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    journal: Option<String>,

    /// Print only the score, not what happens on the way
    #[arg(long)]
    quiet: bool,

    /// Print the score as JSON
    #[arg(long)]
    json: bool,

    /// Open no window: accepted for scripts, since there is no viewer yet
    #[arg(long)]
    headless: bool,
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes: Option<f64> = text.parse().ok();
    let wanted = minutes.filter(|minutes| (0.01..=100_000.0).contains(minutes));
    wanted.ok_or_else(|| "expected a number of minutes from 0.01 to 100000".to_owned())
}

/// The four grades by their numbers.
pub(crate) fn skill_of(number: u8) -> Skill {
    match number {
        0 => Skill::Recruit,
        1 => Skill::Regular,
        2 => Skill::Veteran,
        _ => Skill::Elite,
    }
}

pub(crate) fn convars(settings: &[String]) -> Result<ConVars> {
    let mut convars = ConVars::default();
    for setting in settings {
        let (name, value) = setting.split_once('=').with_context(|| format!("`{setting}` is not NAME=VALUE"))?;
        convars.set(name.trim(), value.trim())?;
    }
    Ok(convars)
}

pub(crate) fn run(play: &Play) -> Result<ExitCode> {
    let convars = convars(&play.convar)?;
    let watch = Watch::begin(play.map.len(), play.quiet || play.json)?;
    // The same people on every map.
    let roster = Roster::of_teams(usize::from(play.bots), skill_of(play.skill), play.seed);
    for name in &play.map {
        let field = terrains::field(maps::load(name)?, demo::load_game(&play.game)?, &watch)?;
        let outcome = play_one(play, field, &roster, &convars, &watch)?;
        if play.json {
            println!("{}", serde_json::to_string_pretty(&outcome)?);
        } else {
            print!("{outcome}");
        }
        if watch.is_stopped() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn play_one(play: &Play, field: Arc<Field>, roster: &Roster, convars: &ConVars, watch: &Watch) -> Result<Outcome> {
    let started = Instant::now();
    let mut game = Match::new(field.clone(), roster, play.seed);
    let mut bots = Bots::new(field.clone(), play.seed);
    let names = Names::of(&game, roster);
    for ((entity, _), member) in game.players().zip(&roster.members) {
        bots.join(entity, member.character());
    }
    let frames = (play.minutes * 60_000.0 / f64::from(field.game.rules.frame_ms)).ceil() as u64;
    let mut stuck = StuckWatch::default();
    let mut written = 0;
    let mut out = io::stdout().lock();
    for _ in 0..frames {
        if game.is_over() || watch.is_stopped() {
            break;
        }
        let commands = bots.think(game.snapshot(), convars);
        stuck.look(game.snapshot(), commands);
        game.step(commands);
        if !play.quiet && !play.json {
            // A closed pipe ends the talking and the match.
            let told = tell_journal(play, &bots, &names, &mut written, &mut out);
            if told.and_then(|()| names.tell(&mut out, game.snapshot(), &field.arsenal)).is_err() {
                break;
            }
        }
    }
    out.flush().ok();
    Ok(Outcome::of(&game, &stuck, play.seed, started.elapsed()))
}

/// What the journal has had to say since it was asked last.
fn tell_journal(play: &Play, bots: &Bots, names: &Names, written: &mut u64, out: &mut impl Write) -> io::Result<()> {
    let Some(wanted) = &play.journal else { return Ok(()) };
    for line in bots.journal().since(*written) {
        let name = names.name(line.bot);
        if name.starts_with(wanted.as_str()) {
            writeln!(out, "{:7.2} {name} {}", f64::from(line.time.0) / 1000.0, line.told())?;
        }
    }
    *written = bots.journal().written();
    Ok(())
}
