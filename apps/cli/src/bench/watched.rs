//! What is stupid to watch? Matches watched for the ten most laughable things bots do, each by a rule that a program can decide.
//!
//! In: the matches of `docs/notes/watched.md`. Out: how often each of them happens in an hour of a bot's life, match by match and over
//! all; what was mended has a bar. Rules are decided beside the truth of the snapshots; what a bot saw, wanted and wrote is asked of the
//! bot (`glance`, `rules`).
//!
//! Bots that do otherwise live otherwise: between two states of the code a rate differs by chance as well, by a fifth or more
//! where it is of a few dozen cases. `--seed` plays other matches.
//!
//! Cost: a second or two of one core for a match of the embedded game, a quarter of a minute for one on the server.

mod glance;
mod matches;
mod rules;
mod tally;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use super::Course;
use super::report::{Must, Report, Row, Table};
use crate::bake::Watch;
use rules::{NAMES, RULES};
use tally::Tally;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Five matches of the embedded game
    Embedded,
    /// Five on the real server, beside the game's own bots
    Server,
    /// Elites of the embedded game in three fights of a quarter of an hour
    Elites,
}

/// Cases in an hour of one bot's life, in any of the parts: what is mended stays mended. Half as
/// much again as the worst part comes to, or more where cases are few, for chance. None where the rate is only told.
const MUSTS: [Option<f64>; RULES] =
    [Some(35.0), None, None, None, None, Some(2.0), None, Some(12.0), Some(15.0), Some(20.0)];

pub(crate) fn watched(course: &Course, parts: &[Part]) -> Result<Report> {
    let is_asked = |part: &&Part| parts.is_empty() || parts.contains(part);
    let parts = Part::value_variants().iter().filter(is_asked);
    let matches = parts.flat_map(|part| part.encounters().iter().map(move |encounter| (part, encounter)));
    let is_played = |map: &str| course.maps.is_empty() || course.maps.iter().any(|asked| asked == map);
    let matches: Vec<_> = matches.filter(|(_, encounter)| is_played(encounter.map)).collect();
    ensure!(!matches.is_empty(), "no match on {} is watched", course.maps.join(", "));
    let watch = Watch::begin(matches.len(), false)?;
    let mut tallies = Vec::new();
    for (part, encounter) in matches {
        let part = part.to_possible_value().map_or(String::new(), |part| part.get_name().to_owned());
        let name = format!("{part} {}", encounter.name);
        let tally = encounter.watched(course, &watch)?;
        eprintln!("{name}, seed {}: {:.2} hours", encounter.seed_of(course), tally.hours());
        tallies.push((name, tally));
    }
    let rows = (0..RULES).filter_map(|rule| Some(row(rule, MUSTS[rule]?, &tallies))).collect();
    Ok(Report { table: Some(table(&tallies)), ..Report::of("watched", rows) })
}

/// Every rule in every match and over all.
fn table(tallies: &[(String, Tally)]) -> Table {
    let all = Tally::of_all(tallies.iter().map(|(_, tally)| tally));
    let rates = |tally: &Tally| (0..RULES).map(|rule| Some(tally.rate(rule))).chain([Some(tally.hours())]).collect();
    let columns = NAMES_SHORT.into_iter().map(str::to_owned).collect();
    let each = tallies.iter().map(|(name, tally)| (name.clone(), rates(tally)));
    Table { columns, rows: each.chain([("all".to_owned(), rates(&all))]).collect() }
}

/// The rules again as heads of columns, and what the rates are of.
const NAMES_SHORT: [&str; RULES + 1] = [
    "stares",
    "comes back",
    "other item",
    "runs past",
    "falls",
    "hops",
    "dithers",
    "backwards",
    "whirls",
    "no shot",
    "bot-hours",
];

fn row(rule: usize, most: f64, tallies: &[(String, Tally)]) -> Row {
    let all = Tally::of_all(tallies.iter().map(|(_, tally)| tally));
    let worst = tallies.iter().max_by(|(_, a), (_, b)| a.rate(rule).total_cmp(&b.rate(rule)));
    let worst = worst.map_or(String::new(), |(name, tally)| format!("; worst {name}: {:.1}", tally.rate(rule)));
    let note = format!("{} in {:.1} hours{worst}", all.cases(rule), all.hours());
    Row::new(NAMES[rule].to_owned(), all.rate(rule), "an hour", Must::AtMost(most), note)
}
