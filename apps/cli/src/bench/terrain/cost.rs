//! What a bake costs, step by step, and what its file costs whoever opens it.

use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result};
use fireteam_bake::{BakeSettings, OneThread, Progress, Step};
use fireteam_openarena::clock::{thread_time, timed};
use fireteam_terrain::Terrain;
use fireteam_terrain::file::{self, Wanted};
use fireteam_world::{Game, Map};

use super::super::Course;
use super::super::report::{Must, Row, median};
use super::{Baked, Misses, Tally};

const MEDIAN_MUST: Must = Must::AtMost(5.0);
const WORST_MUST: Must = Must::AtMost(30.0);
/// Of file for a thousand waypoints.
const BYTES_MUST: Must = Must::AtMost(2.5e6);
const OPEN_MUST: Must = Must::AtMost(5.0);
/// As often as this a file is opened.
const OPENINGS: usize = 5;

/// CPU time by step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cost {
    pub(super) total: Duration,
    pub(super) steps: Vec<(Step, Duration)>,
    /// What went on before each, since the last one ended.
    preparations: Vec<(Step, Duration)>,
}

impl Cost {
    pub(super) fn of(&self, step: Step) -> Duration {
        sum(&self.steps, step)
    }

    pub(crate) fn with_preparation(&self, step: Step) -> Duration {
        sum(&self.steps, step) + sum(&self.preparations, step)
    }
}

fn sum(times: &[(Step, Duration)], step: Step) -> Duration {
    times.iter().filter(|(known, _)| *known == step).map(|(_, time)| *time).sum()
}

/// Bakes on this thread, since its clock counts only this one.
pub(crate) fn bake(map: &Map, game: &Game, settings: &BakeSettings) -> Result<(Terrain, Cost)> {
    let start = thread_time();
    let watch = Stopwatch(Mutex::new(Watched { begun: start, ended: start, cost: Cost::default() }));
    let (terrain, total) = timed(|| fireteam_bake::bake(map, game, settings, &OneThread, &watch));
    let cost = watch.0.into_inner().expect("nothing panics while it looks at the clock").cost;
    Ok((terrain?, Cost { total, ..cost }))
}

/// Notes when steps begin and end.
struct Stopwatch(Mutex<Watched>);

struct Watched {
    begun: Duration,
    /// When the step before did.
    ended: Duration,
    cost: Cost,
}

impl Progress for Stopwatch {
    fn advance(&self, step: Step, done: usize, total: usize) {
        let mut watched = self.0.lock().expect("nothing panics while it looks at the clock");
        let now = thread_time();
        if done == 0 {
            let prepared = now - watched.ended;
            watched.cost.preparations.push((step, prepared));
            watched.begun = now;
        }
        if done == total {
            let time = now - watched.begun;
            watched.cost.steps.push((step, time));
            watched.ended = now;
        }
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// One map's figures.
struct MapCost {
    map: String,
    seconds: f64,
    waypoints: usize,
    bytes: usize,
    open_ms: f64,
}

#[derive(Default)]
pub(super) struct Costs {
    maps: Vec<MapCost>,
    failed: Misses,
}

impl Tally for Costs {
    fn wants(&self, _: &str) -> bool {
        true
    }

    fn take(&mut self, _: &Course, baked: &Baked) -> Result<()> {
        let seconds = baked.cost.total.as_secs_f64();
        let steps: Vec<String> =
            baked.cost.steps.iter().map(|(step, time)| format!("{} {:.2}", step.word(), time.as_secs_f64())).collect();
        let (waypoints, links) = (baked.terrain.waypoints.len(), baked.terrain.links.links.len());
        eprintln!("  {seconds:.2} s ({}), {waypoints} waypoints, {links} links", steps.join(", "));
        let (bytes, open_ms) = measure_file(&baked.terrain)?;
        self.maps.push(MapCost { map: baked.name.clone(), seconds, waypoints, bytes, open_ms });
        Ok(())
    }

    fn miss(&mut self, map: &str, why: &str) {
        self.failed.add(map, 1, why.to_owned());
    }

    fn rows(&self) -> Vec<Row> {
        let asked = self.maps.len() + self.failed.0.len();
        let worst = |figure: fn(&MapCost) -> f64| {
            let worst = self.maps.iter().max_by(|a, b| figure(a).total_cmp(&figure(b)));
            worst.map_or((f64::NAN, String::new()), |map| {
                (figure(map), format!("{}, {} waypoints, {} bytes", map.map, map.waypoints, map.bytes))
            })
        };
        let (slowest, slowest_map) = worst(|map| map.seconds);
        let (largest, largest_map) = worst(|map| map.bytes as f64 * 1000.0 / map.waypoints.max(1) as f64);
        let (open, open_map) = worst(|map| map.open_ms);
        let middle = median(self.maps.iter().map(|map| map.seconds));
        let all: f64 = self.maps.iter().map(|map| map.seconds).sum();
        vec![
            Row::new(
                "maps that bake".into(),
                self.maps.len() as f64,
                "",
                Must::AtLeast(asked as f64),
                self.failed.told(),
            ),
            Row::new("bake, median CPU".into(), middle, "s", MEDIAN_MUST, format!("{all:.0} s for all")),
            Row::new("bake, worst CPU".into(), slowest, "s", WORST_MUST, slowest_map),
            Row::new("file for 1,000 waypoints, worst".into(), largest, "bytes", BYTES_MUST, largest_map),
            Row::new("open to first query, worst CPU".into(), open, "ms", OPEN_MUST, open_map),
        ]
    }
}

/// Bytes of the file, and how long it takes from its path to the first answer.
fn measure_file(terrain: &Terrain) -> Result<(usize, f64)> {
    let name = format!("fireteam-bench-{}.terrain", std::process::id());
    let path = std::env::temp_dir().join(name);
    file::save(&path, terrain)?;
    let origin = terrain.waypoints.origin.last().copied().unwrap_or_default();
    let mut times = Vec::new();
    for _ in 0..OPENINGS {
        let (found, time) = timed(|| file::open(&path, &Wanted::default()).map(|opened| opened.nearest(origin)));
        found?.context("a terrain that was baked has a waypoint")?;
        times.push(time.as_secs_f64() * 1000.0);
    }
    let bytes = std::fs::metadata(&path)?.len() as usize;
    std::fs::remove_file(&path)?;
    Ok((bytes, median(times)))
}
