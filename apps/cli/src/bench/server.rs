//! Do our bots get about on the real server? Matches against the game's own bots, watched from outside.
//!
//! Four parts. Five minutes of four against four on [`MAPS`], with the terrains a bake makes: who wants to move and stays
//! within 32 units for five seconds is stuck; who stays there, alive, and whose journal has no reason for it is idle. Then
//! one minute on every installed map, with whatever terrain is at hand or a quick one made at the start: everybody has to
//! join, to live and to get about. Then an evening in one process, and a server full of ours ([`soak`]).
//!
//! Cost: a quarter of a minute of one core for five minutes of a match.

mod soak;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use super::Course;
use super::report::{Must, Row};
use crate::bake::Watch;
use crate::openarena::TEAM_DEATHMATCH;
use crate::versus::{ONCE_SIZE, Outcome, Versus, play_all, table};

/// Halls, bases, pits with lava, islands, lifts and pads: what people play.
const MAPS: [&str; 20] = [
    "aggressor",
    "am_galmevish2",
    "am_lavaarena",
    "am_thornish",
    "ce1m7",
    "czest1dm",
    "delta",
    "dm4ish",
    "hydronex",
    "kaos2",
    "oa_bases5",
    "oa_dm1",
    "oa_dm2",
    "oa_dm3",
    "oa_dm4",
    "oa_dm5",
    "oa_dm6",
    "oa_rpg3dm2",
    "oa_shouse",
    "wrackdm17",
];
const MINUTES: u32 = 5;
/// Cases an hour of a bot's life.
const STUCK_MUST: Must = Must::AtMost(1.0);
/// Percent of a bot's life.
const IDLE_MUST: Must = Must::AtMost(3.0);
/// Units a second of his life: who walks less does not play.
const GETS_ABOUT: f64 = 60.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Five minutes on twenty maps: who gets stuck or stands about
    Routes,
    /// A minute on every installed map: does everybody play
    Everywhere,
    /// Every installed map in one process, without terrains and with them
    Soak,
    /// 64 of ours for ten minutes on two maps
    Full,
}

pub(crate) fn server(course: &Course, parts: &[Part]) -> Result<Vec<Row>> {
    let maps = course.maps_or(&MAPS);
    let watch = Watch::begin(maps.len(), false)?;
    let mut rows = Vec::new();
    for part in Part::value_variants().iter().filter(|part| parts.is_empty() || parts.contains(part)) {
        match part {
            Part::Routes => rows.extend(navigation(course, maps.clone(), &watch)?),
            // That is about all of them.
            Part::Everywhere if !course.maps.is_empty() => {}
            Part::Everywhere => rows.push(everywhere(course, &watch)?),
            Part::Soak => rows.extend(soak::soak(course, &watch)?),
            Part::Full => rows.extend(soak::full(course, &watch)?),
        }
    }
    Ok(rows)
}

fn navigation(course: &Course, maps: Vec<String>, watch: &Watch) -> Result<Vec<Row>> {
    let minutes = if course.quick { 1 } else { MINUTES };
    let asked = Versus::once(maps, minutes, course.seed as i32);
    let (outcomes, failed) = play_all(&asked, &course.install, &course.module, watch)?;
    ensure!(!watch.is_stopped(), "stopped after {} matches", outcomes.len());
    eprint!("{}", table::write(&outcomes));
    let sum = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).sum::<f64>();
    let hours = sum(|outcome| outcome.ours.alive_s) / 3600.0;
    let stuck = sum(|outcome| f64::from(outcome.ours.stuck));
    let idle = sum(|outcome| outcome.ours.still_s - outcome.ours.held_s) / hours / 3600.0 * 100.0;
    let held = sum(|outcome| outcome.ours.held_s) / hours / 3600.0 * 100.0;
    let worst = |of: fn(&Outcome) -> f64| {
        let worst = outcomes.iter().max_by(|a, b| of(a).total_cmp(&of(b)));
        worst.map_or(String::new(), |outcome| format!("worst {}: {:.1}", outcome.map, of(outcome)))
    };
    let stuck_note = format!("{stuck} in {hours:.1} hours; {}", worst(|outcome| f64::from(outcome.ours.stuck)));
    let idle_note = format!("{held:.1} % with one; {}", worst(|outcome| outcome.ours.idle_share() * 100.0));
    Ok(vec![
        Row::new(
            "matches that failed".into(),
            failed as f64,
            "",
            Must::AtMost(0.0),
            format!("of {}", asked.maps.len()),
        ),
        Row::new("stuck an hour".into(), stuck / hours, "", STUCK_MUST, stuck_note),
        Row::new("still for over 5 s without a reason".into(), idle, "%", IDLE_MUST, idle_note),
    ])
}

const CAPTURE_THE_FLAG: i32 = 4;

/// A minute on every map.
fn everywhere(course: &Course, watch: &Watch) -> Result<Row> {
    let maps = course.install.maps()?;
    let count = maps.len();
    let mut outcomes: Vec<Outcome> = Vec::new();
    // The game itself gives up on a map that has nowhere to spawn without flags: such a map is played for flags.
    let mut left = maps;
    for game_type in [TEAM_DEATHMATCH, CAPTURE_THE_FLAG] {
        if left.is_empty() {
            break;
        }
        let asked = Versus::once(left.clone(), 1, course.seed as i32).quickly(game_type);
        let (played, _) = play_all(&asked, &course.install, &course.module, watch)?;
        ensure!(!watch.is_stopped(), "stopped after {} matches", played.len());
        left.retain(|map| !played.iter().any(|outcome| outcome.map == *map));
        outcomes.extend(played);
    }
    eprint!("{}", table::write(&outcomes));
    let plays = |outcome: &&Outcome| {
        outcome.ours.players == usize::from(ONCE_SIZE) && outcome.faults == 0 && outcome.ours.slowest >= GETS_ABOUT
    };
    let idlers: Vec<&str> = outcomes.iter().filter(|o| !plays(o)).map(|outcome| outcome.map.as_str()).collect();
    let playing = outcomes.iter().filter(plays).count();
    let note = if idlers.is_empty() { String::new() } else { format!("not on {}", idlers.join(", ")) };
    let note = if left.is_empty() { note } else { format!("failed: {}; {note}", left.join(", ")) };
    Ok(Row::new("maps on which everybody plays".into(), playing as f64, "", Must::AtLeast(count as f64), note))
}
