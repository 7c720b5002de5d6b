//! `fireteam replay FILE`: bots think a recording again, and every command is compared with what was recorded.
//!
//! In: a recording, and the map it names (or `--map`). Out: how many commands were compared and the first that differs;
//! with `--why TIME BOT`, what that bot wrote into its journal around then. Exit code 1 if anything differs.

pub(crate) mod blindfold;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fireteam::recording::{Comparison, Difference, Entry, Recording, rethink};
use fireteam::{Command, Field};
use fireteam_world::units::EntityId;
use serde::Serialize;
use std::sync::Arc;

use crate::bake::Watch;
use crate::play::Names;
use crate::{demo, maps, terrains};

/// Think a recording again and compare
#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// What `--record` wrote, or a crash left
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where the map is, if not where it was
    #[arg(long, value_name = "FILE|NAME")]
    map: Option<String>,

    /// The game's description, if it was a file that has moved
    #[arg(long, value_name = "NAME|FILE")]
    game: Option<String>,

    /// Print what a bot (name or number) had in mind around a time in seconds
    #[arg(long, num_args = 2, value_names = ["TIME", "BOT"])]
    why: Option<Vec<String>>,

    /// Think it again with everything changed that the bots could not have perceived: nothing may follow from it
    #[arg(long, conflicts_with = "why")]
    blindfold: bool,

    #[command(flatten)]
    tracing: terrains::Tracing,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
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
    let file = replay.file.display().to_string();
    let bytes = std::fs::read(&replay.file).with_context(|| format!("cannot read {file}"))?;
    let recording = Recording::read(&file, &bytes)?;
    if !recording.is_whole {
        bail!("{file} does not begin with its match: minds cannot be re-thought from the middle");
    }
    let names = names(&recording)?;
    let question = replay.why.as_deref().map(|why| question(why, &names)).transpose()?;
    let watch = Watch::begin(1, replay.json)?;
    let field = field(replay, &recording, &watch)?;
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

/// The field it was recorded on.
fn field(replay: &Replay, recording: &Recording<'_>, watch: &Watch) -> Result<Arc<Field>> {
    let head = &recording.head;
    let place = replay.map.as_ref().unwrap_or(&head.map_place);
    let map =
        maps::load(place).with_context(|| format!("the recording was made on {place}: say where it is with --map"))?;
    ensure!(map.digest == head.map, "{place} is not the map this was recorded on, {}", head.map_name);
    let game = demo::load_game(replay.game.as_ref().unwrap_or(&head.game_name))?;
    let terrain = terrains::of_settings(&head.settings, &map, &game, watch)?;
    let field = terrains::field_on(terrain, map, game, replay.tracing)?;
    recording.fits(&field)?;
    Ok(field)
}

fn names(recording: &Recording<'_>) -> Result<Names> {
    let mut named = Vec::new();
    for entry in recording.entries() {
        match entry? {
            Entry::Join(entity, character) => named.push((entity, character.name)),
            // Whoever joins later has a number.
            Entry::Frame(..) => break,
            Entry::Leave(_) | Entry::Variables(_) => {}
        }
    }
    Ok(Names::of_characters(named.into_iter()))
}

fn question(why: &[String], names: &Names) -> Result<Question> {
    let [time, bot] = why else { bail!("--why takes a time and a bot") };
    let seconds = time.parse().with_context(|| format!("`{time}` is no time in seconds"))?;
    let numbered = bot.parse().ok().map(EntityId);
    let bot = names.find(bot).or(numbered).with_context(|| format!("nobody is called {bot}: {}", names.all()))?;
    Ok(Question { seconds, bot })
}
