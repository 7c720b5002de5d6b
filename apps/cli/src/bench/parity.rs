//! Whether we answer as the real engine does: fresh questions on every installed map, compared row by row.
//!
//! Each map is asked on a server of its own, as many at once as there are processors. Traces are compared one by one;
//! player runs, grenades, blasts and movers are recorded and then played again (`fireteam_openarena::replay`, which the
//! tests use too). Every miss is told on standard error; docs/parity.md explains those that remain.

use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};
use fireteam_openarena::capture::plan::throws::GRENADE_LAUNCHER;
use fireteam_openarena::capture::plan::{blasts, movers, moves, places, throws};
use fireteam_openarena::capture::traces::{TraceCounts, capture_scene};
use fireteam_openarena::capture::{Limits, Oracle, Run, TraceScene};
use fireteam_openarena::replay::traces::{Agreement, TraceAgreement, compare, misses};
use fireteam_openarena::replay::{self, flights::Range};
use fireteam_world::movement::{MovementRules, Trigger};
use fireteam_world::pcg::Pcg;
use fireteam_world::{Game, Map, Solids};

use super::Course;
use super::lists::openarena;
use super::report::{Must, Row};

/// What is asked of each map; over all 72 more than 500 runs and 500 grenades.
const PLACES: usize = 1000;
const TRACES: usize = 20_000;
const RUNS: usize = 8;
const GRENADES: usize = 8;
const BLASTS: usize = 6;
const MOVERS: usize = 6;
/// How near to the engine's a run must end, a grenade bounce and explode, and a mover be.
const RUN_REACH: f32 = 0.25;
const GRENADE_REACH: f32 = 0.5;
const MOVER_REACH: f32 = 0.125;
/// Traces of a scene that are told when they miss.
const MISSES_TOLD: usize = 3;
/// Maps named beside a figure.
const WORST_NAMED: usize = 4;

pub(crate) fn parity(course: &Course) -> Result<Vec<Row>> {
    let maps = course.maps_or(&course.install.maps()?);
    let queue = Mutex::new(maps.iter());
    let found = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let work = || -> Result<()> {
            loop {
                let next = queue.lock().map_or(None, |mut queue| queue.next());
                let Some(name) = next else { return Ok(()) };
                let one = ask(course, name).with_context(|| format!("on {name}"))?;
                eprintln!("{name}: {}", one.summary());
                if let Ok(mut found) = found.lock() {
                    found.push(one);
                }
            }
        };
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by(|a, b| a.map.cmp(&b.map));
    Ok(rows(&found))
}

/// How many of something were compared, and how many missed.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    asked: usize,
    missed: usize,
}

impl Count {
    fn add(&mut self, is_near: bool) {
        self.asked += 1;
        self.missed += usize::from(!is_near);
    }
}

/// What came of one map.
#[derive(Clone, Debug, Default)]
struct Found {
    map: String,
    traces: TraceAgreement,
    runs: Count,
    grenades: Count,
    /// Bodies near an explosion.
    bodies: Count,
    /// Bodies whose loss cannot be read off the record, because they wore armour.
    armoured: usize,
    /// Places and angles of movers, and the farthest from the record.
    mover_rows: usize,
    mover_worst: f32,
    /// Movers that were not at rest when their run began, so that nothing is known of them.
    movers_unknown: usize,
}

fn ask(course: &Course, name: &str) -> Result<Found> {
    let map = course.map(name)?;
    let solids = Solids::build(&map);
    let mut found = Found { map: name.to_owned(), ..Found::default() };
    let limits = Limits { seed: course.seed as i32, ..Limits::default() };
    let mut oracle = Oracle::start(&course.install, &course.module, name, &limits)?;
    let mut pcg = Pcg::named(course.seed, name);
    let places = places::find(&mut oracle, &mut pcg, PLACES)?;
    let counts = TraceCounts { traces: course.count(TRACES), contents: 0, sight: 0 };
    let scene = capture_scene(&mut oracle, &mut pcg, &places, counts)?;
    let runs = moves::capture(&mut oracle, &mut pcg, &places, RUNS)?;
    let grenades = throws::capture(&mut oracle, &mut pcg, &places, GRENADE_LAUNCHER, GRENADES)?;
    let explosions = blasts::capture(&mut oracle, &mut pcg, &places, BLASTS)?;
    let moved = movers::capture(&mut oracle, &mut pcg, &places, MOVERS)?;
    drop(oracle);

    let mut game = openarena()?;
    // The server plays a free-for-all.
    game.rules.teams.count = 1;
    found.compare_traces(&solids, &scene);
    moved.scenes.iter().for_each(|scene| found.compare_traces(&solids, scene));
    found.walk(&map, &solids, &runs);
    found.fly(&map, &solids, &game, &grenades);
    found.suffer(&solids, &game, &explosions);
    found.move_all(&map, &solids, &game, &moved.runs);
    Ok(found)
}

impl Found {
    fn compare_traces(&mut self, solids: &Solids, scene: &TraceScene) {
        self.traces.add(&compare(solids, scene));
        for (sweep, theirs, ours) in misses(solids, scene).take(MISSES_TOLD) {
            eprintln!("  {}, {sweep:?}:\n    engine {theirs:?}\n    ours   {ours:?}", scene.map);
        }
    }

    fn walk(&mut self, map: &Map, solids: &Solids, runs: &[Run]) {
        let rules = MovementRules::openarena();
        let triggers = Trigger::all_in(map, &rules);
        let course = replay::moves::Course { solids, triggers: &triggers, rules: &rules };
        for run in runs {
            let stray = replay::moves::replay(&course, &run.frames, &run.bodies[0].commands, 0);
            self.runs.add(stray.end <= RUN_REACH);
            if stray.end.is_nan() || stray.end > RUN_REACH {
                eprintln!("  {}, run ({}) from {}: {stray:?}", run.map, run.what, run.bodies[0].origin);
            }
        }
    }

    fn fly(&mut self, map: &Map, solids: &Solids, game: &Game, grenades: &[Run]) {
        let range = Range::new(map, solids, game);
        for run in grenades {
            let Some(stray) = range.replay(run) else { continue };
            self.grenades.add(stray.is_within(GRENADE_REACH));
            if !stray.is_within(GRENADE_REACH) {
                eprintln!("  {}, grenade from {}: {stray:?}", run.map, run.bodies[0].origin);
            }
        }
    }

    fn suffer(&mut self, solids: &Solids, game: &Game, explosions: &[Run]) {
        for run in explosions {
            for body in replay::blasts::replay(run, solids, game) {
                if body.is_armoured() {
                    self.armoured += 1;
                    continue;
                }
                self.bodies.add(body.is_equal());
                if !body.is_equal() {
                    eprintln!("  {}, blast ({}) from {}: {body:?}", run.map, run.what, run.bodies[0].origin);
                }
            }
        }
    }

    fn move_all(&mut self, map: &Map, solids: &Solids, game: &Game, runs: &[Run]) {
        for run in runs {
            let stray = replay::movers::replay(map, solids, game, run);
            self.mover_rows += stray.rows;
            self.mover_worst = self.mover_worst.max(stray.worst);
            self.movers_unknown += stray.unknown.len();
            if stray.worst.is_nan() || stray.worst > MOVER_REACH {
                eprintln!("  {}, mover ({}): {stray:?}", run.map, run.what);
            }
        }
    }

    fn summary(&self) -> String {
        let TraceAgreement { brushes, curves } = &self.traces;
        format!(
            "{} traces, {} apart; {} runs, {} astray; {} grenades, {} astray; {} bodies, {} hurt otherwise; movers {}",
            brushes.traces + curves.traces,
            brushes.end_differs + curves.end_differs,
            self.runs.asked,
            self.runs.missed,
            self.grenades.asked,
            self.grenades.missed,
            self.bodies.asked,
            self.bodies.missed,
            self.mover_worst,
        )
    }
}

fn rows(found: &[Found]) -> Vec<Row> {
    let mut rows = vec![
        enough("maps asked", found.len(), 72),
        enough("fewest traces on a map", found.iter().map(traces_of).min().unwrap_or(0), TRACES),
    ];
    rows.extend(trace_rows("brushes", found, |one| &one.traces.brushes, 1.0, 99.99, "1/32"));
    rows.extend(trace_rows("curves", found, |one| &one.traces.curves, 20.0, 99.0, "1/8"));
    rows.push(enough("maps of player runs", found.iter().filter(|one| one.runs.asked > 0).count(), 12));
    rows.push(enough("player runs", sum(found, |one| one.runs.asked), 500));
    rows.push(near("player runs: end within 1/4 unit", found, |one| one.runs));
    rows.push(enough("grenades", sum(found, |one| one.grenades.asked), 500));
    rows.push(near("grenades: bounce and explode within 1/2 unit", found, |one| one.grenades));
    rows.push(blast_row(found));
    rows.push(mover_row(found));
    rows
}

fn traces_of(one: &Found) -> usize {
    one.traces.brushes.traces + one.traces.curves.traces
}

fn enough(name: &str, count: usize, must: usize) -> Row {
    Row::new(name.to_owned(), count as f64, "", Must::AtLeast(must as f64), String::new())
}

/// How often only one of both met something, and how often the ends are near.
fn trace_rows(
    what: &str,
    found: &[Found],
    of: impl Fn(&Found) -> &Agreement,
    differ_max: f64,
    near_min: f64,
    reach: &str,
) -> [Row; 2] {
    let mut total = Agreement::default();
    found.iter().for_each(|one| total.add(of(one)));
    let Agreement { traces, hit_differs, end_differs, worst } = total;
    let share = |missed: usize| missed as f64 / traces as f64;
    let differ = worst_maps(found, |one| of(one).hit_differs);
    let apart = worst_maps(found, |one| of(one).end_differs);
    [
        Row::new(
            format!("{what}: hit or not differs, of 10,000"),
            share(hit_differs) * 1e4,
            "",
            Must::AtMost(differ_max),
            format!("{hit_differs} of {traces}{differ}"),
        ),
        Row::new(
            format!("{what}: ends within {reach} unit"),
            100.0 - share(end_differs) * 100.0,
            "%",
            Must::AtLeast(near_min),
            format!("{end_differs} of {traces} apart, by {worst} at most{apart}"),
        ),
    ]
}

fn near(name: &str, found: &[Found], of: impl Fn(&Found) -> Count) -> Row {
    let (asked, missed) = (sum(found, |one| of(one).asked), sum(found, |one| of(one).missed));
    let note = format!("{missed} of {asked} miss{}", worst_maps(found, |one| of(one).missed));
    let share = 100.0 * (asked - missed) as f64 / asked as f64;
    Row::new(name.to_owned(), share, "%", Must::AtLeast(99.0), note)
}

fn blast_row(found: &[Found]) -> Row {
    let (asked, missed) = (sum(found, |one| one.bodies.asked), sum(found, |one| one.bodies.missed));
    let armoured = sum(found, |one| one.armoured);
    let name = "blasts: bodies hurt otherwise".to_owned();
    if asked == 0 {
        return Row::missing(name, "", Must::AtMost(0.0), "nobody was near an explosion");
    }
    let note = format!(
        "of {asked}; {armoured} more wore armour and are not counted{}",
        worst_maps(found, |one| one.bodies.missed)
    );
    Row::new(name, missed as f64, "", Must::AtMost(0.0), note)
}

fn mover_row(found: &[Found]) -> Row {
    let (rows, unknown) = (sum(found, |one| one.mover_rows), sum(found, |one| one.movers_unknown));
    let name = "doors, lifts and the like: farthest from the record".to_owned();
    let worst = found.iter().max_by(|a, b| a.mover_worst.total_cmp(&b.mover_worst));
    let (Some(worst), true) = (worst, rows > 0) else {
        return Row::missing(name, "units", Must::AtMost(MOVER_REACH.into()), "nothing moved");
    };
    let note = format!("{}; {rows} places compared, {unknown} movers began on the way and are not counted", worst.map);
    Row::new(name, worst.mover_worst.into(), "units", Must::AtMost(MOVER_REACH.into()), note)
}

fn sum(found: &[Found], of: impl Fn(&Found) -> usize) -> usize {
    found.iter().map(of).sum()
}

/// The maps with most misses, most first.
fn worst_maps(found: &[Found], misses: impl Fn(&Found) -> usize) -> String {
    let mut worst: Vec<(usize, &str)> = found.iter().map(|one| (misses(one), one.map.as_str())).collect();
    worst.retain(|(misses, _)| *misses > 0);
    worst.sort_by(|a, b| b.cmp(a));
    let named: Vec<String> = worst.iter().take(WORST_NAMED).map(|(misses, map)| format!("{map} {misses}")).collect();
    if named.is_empty() { String::new() } else { format!("; worst: {}", named.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_maps_come_first_and_good_ones_not_at_all() {
        let found = |map: &str, missed: usize| Found {
            map: map.to_owned(),
            runs: Count { asked: 10, missed },
            ..Found::default()
        };
        let all = [found("a", 1), found("b", 3), found("c", 0)];
        assert_eq!(worst_maps(&all, |one| one.runs.missed), "; worst: b 3, a 1");
        let row = near("runs", &all, |one| one.runs);
        assert!(!row.ok, "{row:?}");
        assert!(!near("runs", &[], |one| one.runs).ok, "nothing asked is nothing proved");
    }
}
