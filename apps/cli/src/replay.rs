//! `fireteam replay FILE`: a recording in the viewer; or, with `--check`, thought again and every command compared.
//!
//! In: a recording, and the map it names (or `--map`). Out: a page to watch it on (`watched`); with `--check`, how many commands
//! were compared and the first that differs; with `--why TIME BOT`, what that bot wrote into its journal around then; with
//! `--fork-at TIME`, what might have been (`forked`). Exit code 1 if anything differs.

pub(crate) mod blindfold;
mod forked;
mod watched;

use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fireteam::Command;
use fireteam::recording::{Comparison, Difference, Recording, rethink};
use fireteam_world::units::EntityId;
use serde::Serialize;

use crate::bake::Watch;
use crate::play::Names;
use crate::reel::{self, Reel};
use crate::view::Viewing;

/// Watch a recording, or think it again and compare
#[derive(Args, Debug)]
pub(crate) struct Replay {
    #[command(flatten)]
    reel: Reel,

    /// No viewer: think it again, compare every command with what was recorded, and print what came of it
    #[arg(long, visible_alias = "headless")]
    check: bool,

    /// Print what a bot (name or number) had in mind around a time in seconds
    #[arg(long, num_args = 2, value_names = ["TIME", "BOT"])]
    why: Option<Vec<String>>,

    /// Think it again with everything changed that the bots could not have perceived: nothing may follow from it
    #[arg(long, conflicts_with = "why")]
    blindfold: bool,

    /// Print the result as JSON; no viewer
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    forking: forked::Forking,

    #[command(flatten)]
    viewing: Viewing,
}

impl Replay {
    fn is_watched(&self) -> bool {
        !self.check && !self.json && !self.blindfold && self.why.is_none()
    }
}

/// Seconds before and after the moment asked about.
const AROUND: f64 = 5.0;

#[derive(Debug, Serialize)]
struct Told {
    file: String,
    map: String,
    frames: u64,
    commands: u64,
    differing: u64,
    first: Option<String>,
}

/// A moment and a bot, as asked for.
struct Question {
    seconds: f64,
    bot: EntityId,
}

pub(crate) fn run(replay: &Replay) -> Result<ExitCode> {
    if let Some(at) = replay.forking.fork_at {
        return forked::run(&replay.reel, &replay.forking, at, replay.json);
    }
    if replay.is_watched() {
        return watched::run(&replay.reel, &replay.viewing);
    }
    let (file, bytes) = (replay.reel.name(), replay.reel.bytes()?);
    let recording = replay.reel.whole(&bytes)?;
    let names = reel::names(&recording)?;
    let question = replay.why.as_deref().map(|why| question(why, &names)).transpose()?;
    let watch = Watch::begin(1, replay.json)?;
    let field = replay.reel.field(&recording, &watch)?;
    if replay.blindfold {
        let outcome = blindfold::think_blindfolded(&recording, &field, &watch, |_, _| {})?;
        ensure!(!watch.is_stopped(), "stopped after {} frames", outcome.changed.frames);
        return report_blindfold(replay, file, &recording, &outcome, &names);
    }
    let mut told = 0;
    let comparison = rethink(&recording, field, |bots, time| {
        for line in bots.journal().since(told) {
            let seconds = f64::from(line.time.0) / 1000.0;
            let is_asked = question
                .as_ref()
                .is_some_and(|asked| asked.bot == line.bot && (asked.seconds - seconds).abs() <= AROUND);
            if is_asked {
                watch.say(&names.line(line));
            }
        }
        told = bots.journal().written();
        let is_past = question.as_ref().is_some_and(|asked| f64::from(time.0) / 1000.0 > asked.seconds + AROUND);
        !is_past && !watch.is_stopped()
    })?;
    ensure!(!watch.is_stopped(), "stopped after {} frames", comparison.frames);
    report(replay, file, &recording, &comparison, &names)
}

fn report(
    replay: &Replay,
    file: String,
    recording: &Recording<'_>,
    comparison: &Comparison,
    names: &Names,
) -> Result<ExitCode> {
    let Comparison { frames, commands, differing, first } = comparison.clone();
    let map = recording.head.map_name.clone();
    let told = Told { file, map, frames, commands, differing, first: first.map(|first| difference(&first, names)) };
    if replay.json {
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        println!("{}: {frames} frames, {commands} commands compared, {differing} differ", told.map);
        if let Some(first) = &told.first {
            println!("{first}");
        }
    }
    Ok(if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report_blindfold(
    replay: &Replay,
    file: String,
    recording: &Recording<'_>,
    outcome: &blindfold::Outcome,
    names: &Names,
) -> Result<ExitCode> {
    let blindfold::Outcome { caught, changed } = outcome;
    let first = caught.map(|caught| Difference {
        time: caught.time,
        bot: caught.bot,
        recorded: Some(caught.gave),
        rethought: Some(caught.gives),
    });
    let first = first.map(|first| difference(&first, names));
    let (frames, commands, map) = (changed.frames, changed.commands, recording.head.map_name.clone());
    let told = Told { file, map, frames, commands, differing: u64::from(caught.is_some()), first };
    if replay.json {
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        println!(
            "{}: {commands} commands of blindfolded bots compared; hidden and changed meanwhile: {} times a player, {} a missile, {} an item, {} a mover, {} a sound",
            told.map, changed.players, changed.missiles, changed.items, changed.movers, changed.sounds
        );
        println!("{}", told.first.as_deref().unwrap_or("nothing they could not perceive changed what they did"));
    }
    Ok(if caught.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn difference(first: &Difference, names: &Names) -> String {
    let pressed = |command: Option<Command>| command.map_or("nothing".to_owned(), |command| format!("{command:?}"));
    format!(
        "first at {:.2} s, {}:\n  recorded   {}\n  re-thought {}",
        f64::from(first.time.0) / 1000.0,
        names.name(first.bot),
        pressed(first.recorded),
        pressed(first.rethought)
    )
}

fn question(why: &[String], names: &Names) -> Result<Question> {
    let [time, bot] = why else { bail!("--why takes a time and a bot") };
    let seconds = time.parse().with_context(|| format!("`{time}` is no time in seconds"))?;
    Ok(Question { seconds, bot: self::bot(bot, names)? })
}

/// A bot by its name or number.
fn bot(text: &str, names: &Names) -> Result<EntityId> {
    let numbered = text.parse().ok().map(EntityId);
    names.find(text).or(numbered).with_context(|| format!("nobody is called {text}: {}", names.all()))
}
