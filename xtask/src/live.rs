//! Fresh questions for the real engine: maps and rows that nobody has looked at before, drawn from a new seed each time.
//!
//! In: the install, the built module, a seed. Out: how many of the bars below hold. The bars are those of
//! `fireteam bench parity`, with [`SLACK`] times as many misses allowed: chance alone turns no run red, a real
//! difference does. Routes are followed on the server and in our physics, and what the stock bots know and do is asked
//! again, which must come out the same. What is drawn from one seed is always the same, so a red run can be repeated.

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use fireteam_openarena::Install;
use fireteam_openarena::capture::follow::{Guide, Terms, along, follow, rehearse};
use fireteam_openarena::capture::navigation::{self, StockNavigation};
use fireteam_openarena::capture::plan::throws::GRENADE_LAUNCHER;
use fireteam_openarena::capture::plan::{blasts, movers, moves, places, routes, throws};
use fireteam_openarena::capture::traces::{TraceCounts, capture_scene};
use fireteam_openarena::capture::visits::{self, Match};
use fireteam_openarena::capture::{Kept, Limits, Oracle, Run};
use fireteam_openarena::replay;
use fireteam_openarena::replay::flights::Range;
use fireteam_openarena::replay::moves::Course;
use fireteam_openarena::replay::traces::{TraceAgreement, compare};
use fireteam_world::map::Files;
use fireteam_world::movement::{MovementRules, Trigger};
use fireteam_world::pcg::Pcg;
use fireteam_world::walker::outing;
use fireteam_world::{Game, Map, Solids, Vec3};

use crate::steps::Counts;

/// How many times the misses of a bar are allowed here.
const SLACK: f64 = 5.0;
const MAPS: usize = 6;
const PLACES: usize = 500;
const TRACE_COUNTS: TraceCounts = TraceCounts { traces: 4000, contents: 0, sight: 0 };
const RUNS: usize = 16;
/// A run of three seconds ends this near to the engine's.
const RUN_REACH: f32 = 0.25;
const GRENADES: usize = 16;
/// Every bounce of a grenade, and its explosion, come this near.
const FLIGHT_REACH: f32 = 0.5;
const BLASTS: usize = 8;
/// Doors, buttons and lifts to set off on one map.
const MOVERS: usize = 4;
/// A mover is this near in every frame. Here the slack is in the reach: a door is where it is or it is not.
const MOVER_REACH: f32 = 0.125 * SLACK as f32;

/// Routes to follow on one map, and how long any may take.
const ROUTES: usize = 12;
const ROUTE_MS_MAX: i32 = 60_000;
/// A match that is played twice.
const MATCH: Match = Match { bots: 4, seconds: 20, seed: 1 };

/// At most this share of a kind of row may miss.
struct Bar {
    name: &'static str,
    share_max: f64,
    /// Fewer rows than this prove nothing. Not every map has curves, so of those there may be none.
    rows_min: usize,
    rows: usize,
    missed: usize,
}

impl Bar {
    fn allowed(&self) -> usize {
        (self.share_max * SLACK * self.rows as f64).ceil() as usize
    }

    fn holds(&self) -> bool {
        self.rows >= self.rows_min && self.missed <= self.allowed()
    }
}

/// A number that this machine has not drawn before.
pub(crate) fn new_seed() -> i32 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // Nanoseconds, folded to a positive number that is easy to type.
    (since.as_nanos() % 1_000_000_007) as i32
}

pub(crate) fn check(root: &Path, module: &Path, seed: i32) -> Result<Counts> {
    println!("seed {seed}; `cargo xtask test --seed {seed}` asks the same again");
    let install = Install::find()?;
    let files = Files::open(&[install.base_path.join("baseoa")])?;
    let mut found = Found::default();
    let maps = draw_maps(&install.maps()?, seed);
    for name in &maps {
        let map = files.map(name)?;
        found.ask(&install, module, &map, seed).with_context(|| format!("on {name}, seed {seed}"))?;
    }
    found.ask_again(&install, module, root, &maps, seed)?;
    let bars = found.bars();
    let mut counts = Counts::default();
    for bar in &bars {
        let verdict = if bar.holds() { "ok" } else { "TOO MANY" };
        println!("{:<46} {:>6} of {:>6} miss, {:>4} allowed: {verdict}", bar.name, bar.missed, bar.rows, bar.allowed());
        counts.add(if bar.holds() { Counts::ONE } else { Counts { passed: 0, failed: 1 } });
    }
    Ok(counts)
}

/// Some of the maps, each at most once.
fn draw_maps(all: &[String], seed: i32) -> Vec<String> {
    let mut pcg = Pcg::named(seed as u64, "maps");
    let mut left = all.to_vec();
    let count = MAPS.min(left.len());
    (0..count).map(|_| left.swap_remove(pcg.below(left.len()))).collect()
}

/// Rows of one kind, and how many of them were not near enough to the engine's.
#[derive(Clone, Copy, Debug, Default)]
struct Missed {
    rows: usize,
    missed: usize,
}

impl Missed {
    fn count(&mut self, is_near: bool) {
        self.rows += 1;
        self.missed += usize::from(!is_near);
    }
}

/// What came of all maps asked so far.
#[derive(Debug, Default)]
struct Found {
    traces: TraceAgreement,
    runs: Missed,
    flights: Missed,
    blasts: Missed,
    movers: Missed,
    routes: Missed,
    stock: Missed,
}

impl Found {
    fn ask(&mut self, install: &Install, module: &Path, map: &Map, seed: i32) -> Result<()> {
        let limits = Limits { seed, ..Limits::default() };
        let mut oracle = Oracle::start(install, module, &map.name, &limits)?;
        let mut pcg = Pcg::named(seed as u64, &map.name);
        let places = places::find(&mut oracle, &mut pcg, PLACES)?;
        let scene = capture_scene(&mut oracle, &mut pcg, &places, TRACE_COUNTS)?;
        let runs = moves::capture(&mut oracle, &mut pcg, &places, RUNS)?;
        let shots = throws::capture(&mut oracle, &mut pcg, &places, GRENADE_LAUNCHER, GRENADES)?;
        let blasts = blasts::capture(&mut oracle, &mut pcg, &places, BLASTS)?;
        let moved = movers::capture(&mut oracle, &mut pcg, &places, MOVERS)?;
        let solids = Solids::build(map);
        self.follow_routes(&mut oracle, &mut pcg, map, &solids, &places.floors)?;
        drop(oracle);

        self.traces.add(&compare(&solids, &scene));
        self.walk_again(map, &solids, &runs);
        self.fly_again(map, &solids, &shots);
        self.suffer_again(&solids, &blasts);
        self.move_again(map, &solids, &moved.runs);
        let [traces, runs, shots] = [scene.traces.len(), runs.len(), shots.len()];
        let [blasts, moved] = [blasts.len(), moved.runs.len()];
        println!("{}: {traces} traces, {runs} runs, {shots} shots, {blasts} blasts, {moved} movers", map.name);
        Ok(())
    }

    /// A guest on the server and a body of ours follow the same routes.
    fn follow_routes(
        &mut self,
        oracle: &mut Oracle,
        pcg: &mut Pcg,
        map: &Map,
        solids: &Solids,
        floors: &[Vec3],
    ) -> Result<()> {
        let game = openarena();
        let course = outing::Course::new(map, solids, &game);
        let guide = Guide::new(map, solids, &game);
        for route in (0..ROUTES).filter_map(|_| routes::draw(&course, pcg, floors)).collect::<Vec<_>>() {
            let terms = Terms::from(route[0].from, ROUTE_MS_MAX);
            let ours = rehearse(&course, &terms, along(&route));
            let theirs = follow(oracle, &guide, &terms, along(&route))?;
            if theirs.is_hastened {
                continue;
            }
            let is_same = ours.outcome == theirs.outcome
                && ours.spent_ms == theirs.spent_ms
                && ours.at.distance(theirs.at) <= RUN_REACH;
            if !is_same {
                println!("{}, a route from {}: {theirs:?}, ours {ours:?}", map.name, terms.start);
            }
            self.routes.count(is_same);
        }
        Ok(())
    }

    /// What must come out the same every time: the stock bots' ways as they are kept, and a match played twice.
    fn ask_again(&mut self, install: &Install, module: &Path, root: &Path, maps: &[String], seed: i32) -> Result<()> {
        let limits = Limits { seed, ..Limits::default() };
        let kept = Kept::load(&root.join("testdata/captures/openarena/navigation.txt.gz"))?;
        let kept = StockNavigation::from_lines(&kept.lines).context("navigation.txt.gz makes no sense")?;
        let one = Pcg::named(seed as u64, "navigation").pick(&kept);
        let again = navigation::ask(install, module, &one.map, &limits)?;
        println!("{}: {:?} of the stock bots' ways", one.map, again.items_reached());
        self.stock.count(again == *one);

        let Some(map) = maps.first() else { return Ok(()) };
        let play = || visits::record(install, module, map, &limits, MATCH);
        let (first, second) = (play()?, play()?);
        println!("{map}: {} visits in a match", first.visits.len());
        self.stock.count(!first.visits.is_empty() && first == second);
        Ok(())
    }

    fn walk_again(&mut self, map: &Map, solids: &Solids, runs: &[Run]) {
        let rules = MovementRules::openarena();
        let triggers = Trigger::all_in(map, &rules);
        let course = Course { solids, triggers: &triggers, rules: &rules };
        for run in runs {
            let stray = replay::moves::replay(&course, &run.frames, &run.bodies[0].commands, 0);
            let is_near = stray.end <= RUN_REACH;
            tell(is_near, run, &stray);
            self.runs.count(is_near);
        }
    }

    fn fly_again(&mut self, map: &Map, solids: &Solids, shots: &[Run]) {
        let game = openarena();
        let range = Range::new(map, solids, &game);
        for run in shots {
            let Some(stray) = range.replay(run) else { continue };
            let is_near = stray.is_within(FLIGHT_REACH);
            tell(is_near, run, &stray);
            self.flights.count(is_near);
        }
    }

    fn suffer_again(&mut self, solids: &Solids, runs: &[Run]) {
        let game = openarena();
        for run in runs {
            for body in replay::blasts::replay(run, solids, &game) {
                let is_same = body.is_equal() || body.is_armoured();
                tell(is_same, run, &body);
                self.blasts.count(is_same);
            }
        }
    }

    fn move_again(&mut self, map: &Map, solids: &Solids, runs: &[Run]) {
        let mut game = openarena();
        // The server is asked in a free-for-all.
        game.rules.teams.count = 1;
        for run in runs {
            let stray = replay::movers::replay(map, solids, &game, run);
            let is_near = stray.worst <= MOVER_REACH;
            tell(is_near, run, &stray);
            self.movers.count(is_near);
        }
    }

    fn bars(&self) -> Vec<Bar> {
        let TraceAgreement { brushes, curves } = self.traces;
        let bar = |name, share_max, rows, missed| Bar { name, share_max, rows_min: 1, rows, missed };
        let rare = |name, share_max, rows, missed| Bar { rows_min: 0, ..bar(name, share_max, rows, missed) };
        vec![
            bar("brushes: meets what the engine meets", 1e-4, brushes.traces, brushes.hit_differs),
            bar("brushes: ends within 1/32 unit", 1e-4, brushes.traces, brushes.end_differs),
            rare("curves: meets what the engine meets", 2e-3, curves.traces, curves.hit_differs),
            rare("curves: ends within 1/8 unit", 1e-2, curves.traces, curves.end_differs),
            bar("players: three seconds end within 1/4 unit", 1e-2, self.runs.rows, self.runs.missed),
            bar("grenades: bounces and end within 1/2 unit", 1e-2, self.flights.rows, self.flights.missed),
            bar("blasts: the same damage", 2e-3, self.blasts.rows, self.blasts.missed),
            rare("movers: within 5/8 unit in every frame", 0.0, self.movers.rows, self.movers.missed),
            bar("routes: end on the server as in our physics", 1e-2, self.routes.rows, self.routes.missed),
            bar("stock bots: know and do the same again", 0.0, self.stock.rows, self.stock.missed),
        ]
    }
}

fn openarena() -> Game {
    Game::named("openarena").expect("it is built in")
}

/// Prints a row that missed, with what is needed to look at it again.
fn tell(is_near: bool, run: &Run, found: &impl std::fmt::Debug) {
    if !is_near {
        let origin = run.bodies.first().map(|body| body.origin);
        println!("{}, {} from {origin:?}: {found:?}", run.map, run.what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_maps_and_no_map_twice() {
        let all: Vec<String> = (0..72).map(|number| format!("map{number}")).collect();
        let mut drawn = draw_maps(&all, 7);
        assert_eq!(drawn, draw_maps(&all, 7));
        assert_ne!(drawn, draw_maps(&all, 8));
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), MAPS);
    }

    #[test]
    fn a_bar_allows_five_times_its_misses_and_needs_rows() {
        let bar = |rows, missed| Bar { name: "", share_max: 1e-2, rows_min: 1, rows, missed };
        assert!(bar(100, 5).holds() && !bar(100, 6).holds());
        assert!(!bar(0, 0).holds(), "nothing asked is nothing proved");
    }
}
