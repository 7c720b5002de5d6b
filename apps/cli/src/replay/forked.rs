//! `fireteam replay FILE --fork-at SECONDS`: both futures from that moment on, over many seeds, as a table.

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use fireteam_sim::fork::{Change, Moment, Unforkable};
use serde::Serialize;

use crate::bake::Watch;
use crate::fork::{Fork, Outcome, SECONDS, SEEDS_MAX, SEEDS_MIN, spare_threads, table};
use crate::openarena::assignment;
use crate::play::Names;
use crate::reel::{self, Reel};

/// What is to be otherwise, from when on, and for how long.
#[derive(Args, Debug)]
pub(crate) struct Forking {
    /// Play on from this moment, as it was and with a change, and compare; recordings of the embedded game only, no viewer
    #[arg(long, value_name = "SECONDS")]
    pub(crate) fork_at: Option<f64>,

    /// A variable of the bots to change, such as think_ms=50; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment, requires = "fork_at")]
    set: Vec<(String, String)>,

    /// A behaviour that all bots, or one by name or number, are to do without: hunting, Ada:retreating
    #[arg(long, value_name = "[BOT:]BEHAVIOUR", requires = "fork_at")]
    forbid: Vec<String>,

    /// How long both futures last
    #[arg(long, value_name = "COUNT", default_value_t = 10.0, requires = "fork_at")]
    seconds: f64,

    /// Over how many seeds
    #[arg(long, value_name = "COUNT", default_value_t = 50, requires = "fork_at")]
    seeds: u32,
}

#[derive(Debug, Serialize)]
struct Told {
    file: String,
    map: String,
    frame: u32,
    at: f64,
    seconds: f64,
    seeds: u32,
    changed: Vec<String>,
    outcomes: Vec<Outcome>,
}

pub(super) fn run(reel: &Reel, asked: &Forking, at: f64, is_json: bool) -> Result<ExitCode> {
    let Forking { seconds, seeds, .. } = *asked;
    ensure!(SECONDS.contains(&seconds), "--seconds is {} to {}", SECONDS.start(), SECONDS.end());
    ensure!((SEEDS_MIN..=SEEDS_MAX).contains(&seeds), "--seeds is {SEEDS_MIN} to {SEEDS_MAX}");
    let (file, bytes) = (reel.name(), reel.bytes()?);
    let recording = reel.whole(&bytes)?;
    let change = asked.change(&reel::names(&recording)?)?;
    let watch = Watch::begin(1, is_json)?;
    let field = reel.field(&recording, &watch)?;
    watch.map(&recording.head.map_name);
    let frame = (at * 1000.0 / f64::from(field.game.rules.frame_ms)).round().max(0.0) as u32;
    let moment = match Moment::of(&recording, &field, frame, None, |_| !watch.is_stopped()) {
        Err(Unforkable::Stopped) => anyhow::bail!("stopped before the moment"),
        moment => moment.with_context(|| format!("{file} cannot be forked at {at} s"))?,
    };
    let fork = Fork::new(moment, &change, seconds, seeds)?;
    let futures = seeds as usize * 2;
    let outcomes = fork.outcomes(spare_threads() + 1, |done| {
        if !is_json {
            watch.count("futures", done, futures);
        }
        !watch.is_stopped()
    });
    let outcomes = outcomes.context("stopped before all futures were played")?;
    drop(watch);
    let map = recording.head.map_name.clone();
    let told = Told { file, map, frame, at, seconds, seeds, changed: asked.in_words(), outcomes };
    if is_json {
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        let changed = if told.changed.is_empty() { "nothing changed".to_owned() } else { told.changed.join(", ") };
        println!("{}, {at} s on for {seconds} s, {seeds} seeds: {changed}", told.map);
        print!("{}", table(&told.outcomes));
        println!("means and 95 % intervals; * is more than chance");
    }
    Ok(ExitCode::SUCCESS)
}

impl Forking {
    fn change(&self, names: &Names) -> Result<Change> {
        let number = |(name, value): &(String, String)| {
            let parsed = value.trim().parse().with_context(|| format!("`{value}` is no number for {name}"))?;
            Ok((name.trim().to_owned(), parsed))
        };
        let ban = |text: &String| {
            let Some((bot, behaviour)) = text.split_once(':') else { return Ok((None, text.clone())) };
            Ok((Some(super::bot(bot, names)?), behaviour.to_owned()))
        };
        Ok(Change {
            set: self.set.iter().map(number).collect::<Result<_>>()?,
            forbid: self.forbid.iter().map(ban).collect::<Result<_>>()?,
        })
    }

    fn in_words(&self) -> Vec<String> {
        let set = self.set.iter().map(|(name, value)| format!("{name} = {value}"));
        let ban = |text: &String| match text.split_once(':') {
            Some((bot, behaviour)) => format!("no {behaviour} for {bot}"),
            None => format!("no {text}"),
        };
        set.chain(self.forbid.iter().map(ban)).collect()
    }
}
