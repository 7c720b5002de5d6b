//! How fast we answer, beside the engine and other tracers.

use anyhow::Result;
use fireteam_openarena::capture::race::{Lap, Race, Toss};
use fireteam_openarena::capture::{Limits, Oracle};
use fireteam_world::Solids;

use super::Course;
use super::lists::Lists;
use super::report::{Must, Row, median};

/// Against the engine's TRACE, on every map.
const RAYS_MUST: Must = Must::AtLeast(5.0);
const SWEEPS_MUST: Must = Must::AtLeast(4.5);
const GRENADE_STEPS_MUST: Must = Must::AtLeast(5.0);
const GRENADES_MUST: Must = Must::AtLeast(5.0);
/// All a map's solids, on the map with the most.
const BYTES_MUST: Must = Must::AtMost(2.5e6);
const BYTES_MAP: &str = "ctf_compromise";

pub(crate) fn trace(course: &Course) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in &course.maps {
        eprintln!("{name}: making up questions");
        let map = course.map(name)?;
        let solids = Solids::build(&map);
        let mut oracle = Oracle::start(&course.install, &course.module, name, &Limits::default())?;
        let lists = Lists::make(course, &mut oracle, &solids)?;
        eprintln!("{name}: racing the engine");
        let raced = [
            ("random rays", &lists.rays, RAYS_MUST),
            ("long player sweeps", &lists.sweeps, SWEEPS_MUST),
            ("grenade steps", &lists.grenade_steps, GRENADE_STEPS_MUST),
        ];
        let race = Race {
            rounds: course.rounds as i32,
            lists: raced.iter().map(|(_, list, _)| (*list).clone()).collect(),
            grenades: Vec::new(),
        };
        let laps = oracle.race(&race)?;
        drop(oracle);
        for ((what, list, must), lap) in raced.into_iter().zip(&laps.sweeps) {
            rows.push(row(format!("{name}: {what} v engine"), lap, list.len(), must));
        }
        if name == BYTES_MAP {
            rows.push(bytes(name, &solids));
        }
    }
    Ok(rows)
}

pub(crate) fn flight(course: &Course) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in &course.maps {
        eprintln!("{name}: racing the engine");
        let solids = Solids::build(&course.map(name)?);
        let mut oracle = Oracle::start(&course.install, &course.module, name, &Limits::default())?;
        let lists = Lists::make(course, &mut oracle, &solids)?;
        let grenades: Vec<Toss> = lists.grenades.iter().map(Toss::from).collect();
        let count = grenades.len();
        let laps = oracle.race(&Race { rounds: course.rounds as i32, lists: Vec::new(), grenades })?;
        rows.push(row(format!("{name}: grenades v engine"), &laps.grenades, count, GRENADES_MUST));
    }
    Ok(rows)
}

/// The ratio of the two contenders' times: the median over rounds of what each round gave.
fn row(name: String, lap: &Lap, count: usize, must: Must) -> Row {
    let wide = |ns: &f32| f64::from(*ns);
    let ratio = median(lap.engine_ns.iter().zip(&lap.ours_ns).map(|(engine, ours)| wide(engine) / wide(ours)));
    let (engine, ours) = (median(lap.engine_ns.iter().map(wide)), median(lap.ours_ns.iter().map(wide)));
    let apart = lap.hit_differs.max(lap.end_differs);
    let note = format!("engine {engine:.0} ns, ours {ours:.0} ns; {apart} of {count} differ");
    Row::new(name, ratio, "times", must, note)
}

fn bytes(name: &str, solids: &Solids) -> Row {
    Row::new(format!("{name}: bytes of solids"), solids.bytes() as f64, "bytes", BYTES_MUST, String::new())
}
