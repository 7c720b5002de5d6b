//! What thinking costs: CPU time of the thread inside [`Bots::think`](fireteam::Bots::think), in matches of the embedded
//! game.
//!
//! Minds are measured warm: the first game minute of every match is left out. Growth from 8 to 64 bots is the ratio of two
//! matches played in turn, a second of each, the median of all rounds, so that a busy machine slows both. What is compared is
//! a turn, which only the living take; a bot's share of a frame would flatter whichever match has more dead. How many
//! of 64 meet each other in a moment hangs on the map, so several are played, from one too small for so many to one in
//! which they lose each other.

mod measured;
mod search;

use std::sync::Arc;

use anyhow::Result;
use fireteam::Field;
use fireteam_world::Game;

use super::Course;
use super::report::{Must, Row, median};
use crate::bake::Watch;
use crate::{maps, terrains};
use measured::{Measured, Profiled, count_allocations, profiled};

const GROWTH_MAPS: [&str; 5] = [maps::DEFAULT, "oa_dm2", "oa_bases5", "kaos2", "czest1dm"];
const FEW: usize = 8;
const MANY: usize = 64;
/// Game seconds that are measured, after those that warm up.
const SECONDS: usize = 240;
const ROUNDS: usize = 5;

const TURN_MUST: Must = Must::AtMost(45.0);
const FRAME_MUST: Must = Must::AtMost(1.0);
const NONE_MUST: Must = Must::AtMost(0.0);
const SPEED_MUST: Must = Must::AtLeast(20.0);
const GROWTH_MUST: Must = Must::AtMost(1.3);
/// A recorder that is always on must not be felt: microseconds a bot and frame.
const RECORDER_MUST: Must = Must::AtMost(1.0);
/// A profiler that is off must not be felt either; on, it may be.
const PROFILER_OFF_MUST: Must = Must::AtMost(1.01);
const PROFILER_ON_MUST: Must = Must::AtMost(1.25);

pub(crate) fn frame(course: &Course) -> Result<Vec<Row>> {
    let watch = Watch::begin(1, false)?;
    let mut rows = Vec::new();
    let mut growths = Vec::new();
    for name in course.maps_or(&[maps::DEFAULT]) {
        let field = field(&name, &watch)?;
        let sizes = Sizes::measure(&name, &field, course);
        rows.extend(rows_of(&name, &sizes));
        growths.push((name.clone(), sizes.growth(Measured::turn_us)));
        let (rounds, seconds) = (rounds(course), course.count(SECONDS));
        let profiles: Vec<Profiled> =
            (0..rounds).map(|round| profiled(&field, FEW, seconds, course.seed + round as u64)).collect();
        rows.extend(profiler_rows(&name, &profiles));
        rows.extend([FEW, MANY].map(|bots| allocations(&name, &field, bots, course)));
    }
    if course.maps.is_empty() && !course.quick {
        for name in GROWTH_MAPS {
            if !growths.iter().any(|(known, _)| known == name) {
                let sizes = Sizes::measure(name, &field(name, &watch)?, course);
                growths.push((name.to_owned(), sizes.growth(Measured::turn_us)));
            }
        }
    }
    rows.extend(growths.iter().map(growth_row));
    rows.extend(search::rows(course, &watch)?);
    Ok(rows)
}

fn field(map: &str, watch: &Watch) -> Result<Arc<Field>> {
    let game = Game::named("skirmish").expect("a test reads every description that is built in");
    terrains::field(maps::load(map)?, game, watch)
}

fn rounds(course: &Course) -> usize {
    if course.quick { 1 } else { ROUNDS }
}

/// Matches of few and of many on one map, round by round.
struct Sizes {
    few: Vec<Measured>,
    many: Vec<Measured>,
}

impl Sizes {
    fn measure(map: &str, field: &Arc<Field>, course: &Course) -> Sizes {
        let mut sizes = Sizes { few: Vec::new(), many: Vec::new() };
        for round in 0..rounds(course) {
            let seed = course.seed + round as u64;
            let [few, many] = Measured::in_turn(field, [FEW, MANY], course.count(SECONDS), seed);
            for (bots, one) in [(FEW, &few), (MANY, &many)] {
                let (turn, living) = (one.turn_us(), one.living() * 100.0);
                eprintln!("{map}, seed {seed}, {bots} bots: {turn:.1} us a turn, {living:.0} % of them living");
            }
            sizes.few.push(few);
            sizes.many.push(many);
        }
        sizes
    }

    /// By how many times something is dearer among many than among few.
    fn growth(&self, cost: fn(&Measured) -> f64) -> f64 {
        median(self.few.iter().zip(&self.many).map(|(few, many)| cost(many) / cost(few)))
    }
}

/// Each map for itself: a mean would hide the one that is too small for so many.
fn growth_row((map, growth): &(String, f64)) -> Row {
    let name = format!("{map}: a turn with {MANY} bots to one with {FEW}");
    Row::new(name, *growth, "x", GROWTH_MUST, String::new())
}

fn rows_of(map: &str, sizes: &Sizes) -> Vec<Row> {
    let Sizes { few, many } = sizes;
    let middle = |value: &dyn Fn(&Measured) -> f64, of: &[Measured]| median(of.iter().map(value));
    let turns: u64 = few.iter().map(|one| one.turns).sum();
    let frames: usize = few.iter().map(|one| one.frames.len()).sum();
    let row = |name: String, value: f64, unit, must, note: String| {
        Row::new(format!("{map}: {name}"), value, unit, must, note)
    };
    vec![
        row(
            format!("think, {FEW} bots, a turn"),
            middle(&Measured::turn_us, few),
            "us",
            TURN_MUST,
            format!("everything inside think, over {turns} turns"),
        ),
        row(
            format!("think, {FEW} bots, one frame in a thousand"),
            middle(&|one| one.worst_ms(0.999), few),
            "ms",
            FRAME_MUST,
            format!("of {frames} frames; the mean is {:.3} ms", middle(&Measured::frame_ms, few)),
        ),
        row(
            format!("{MANY} bots, times real time"),
            middle(&Measured::speed, many),
            "x",
            SPEED_MUST,
            format!(
                "{:.1} us a turn; a bot's frame {:.2} times that of one of {FEW}, alive or not; the game itself takes {:.0} %",
                middle(&Measured::turn_us, many),
                sizes.growth(Measured::bot_us),
                middle(&|one| one.game_share() * 100.0, many)
            ),
        ),
        row(
            "the flight recorder, a frame and bot".to_owned(),
            middle(&|one| one.recorder_us() / FEW as f64, few),
            "us",
            RECORDER_MUST,
            format!("{:.0} % of thinking", middle(&|one| one.recorder_share() * 100.0, few)),
        ),
    ]
}

fn profiler_rows(map: &str, all: &[Profiled]) -> [Row; 2] {
    let middle = |value: fn(&Profiled) -> f64| median(all.iter().map(value));
    let (scopes, ns) = (middle(|one| one.scopes_per_frame), middle(|one| one.scope_off_ns));
    let off = format!("{scopes:.0} scopes a frame, {ns:.1} ns each");
    let row = |state: &str, value, must, note| {
        Row::new(format!("{map}: a frame with the profiler {state} to one without"), value, "x", must, note)
    };
    [
        row("off", middle(|one| one.off), PROFILER_OFF_MUST, off),
        row(
            "on",
            middle(|one| one.on),
            PROFILER_ON_MUST,
            String::from("the same match twice, a second of each in turn"),
        ),
    ]
}

fn allocations(map: &str, field: &Arc<Field>, bots: usize, course: &Course) -> Row {
    let name = format!("{map}: allocations inside think, {bots} bots, once warm");
    match count_allocations(field, bots, course.count(SECONDS), course.seed) {
        Some(count) => Row::new(name, count as f64, "", NONE_MUST, String::new()),
        None => Row::missing(name, "", NONE_MUST, "counted only with --features bench"),
    }
}
