//! How long it takes to know who sees whom, against asking the engine for every pair.

use anyhow::Result;
use fireteam_bake::Step;
use fireteam_openarena::capture::race::Race;
use fireteam_openarena::capture::{Limits, Oracle};
use fireteam_terrain::BitRows;
use fireteam_world::movement::Stance;
use fireteam_world::pcg::Pcg;
use fireteam_world::{Contents, Map, Sweep, Vec3};

use super::super::Course;
use super::super::report::{Must, Row, median};
use super::{Baked, SIGHT_MAPS, Tally, cost};

const MUST: Must = Must::AtLeast(30.0);
/// Pairs the engine is asked for; what one takes does not depend on how many there are.
const PAIRS: usize = 40_000;

const BAKES: usize = 5;
/// Pairs in a million that the map's visibility table may hide and a ray would not. Where a compiler got it wrong, players
/// vanish for each other in the game too; but if it is many, the fault is ours.
const HIDDEN_MUST: Must = Must::AtMost(100.0);

#[derive(Default)]
pub(super) struct Sights(Vec<Row>);

impl Tally for Sights {
    fn wants(&self, map: &str) -> bool {
        SIGHT_MAPS.contains(&map)
    }

    fn take(&mut self, course: &Course, baked: &Baked) -> Result<()> {
        let mut oracle = Oracle::start(&course.install, &course.module, &baked.name, &Limits::default())?;
        let lists = vec![rays(course, baked)];
        let laps = oracle.race(&Race { rounds: course.rounds as i32, lists, grenades: Vec::new() })?;
        let engine_ns = median(laps.sweeps.iter().flat_map(|lap| &lap.engine_ns).map(|&ns| f64::from(ns)));
        let waypoints = baked.terrain.waypoints.len();
        // Eye to eye is the same both ways; eye to body is not.
        let pairs = waypoints * waypoints.saturating_sub(1) * 3 / 2;
        let ours = measure_again(baked)?;
        let engine = engine_ns * pairs as f64 * 1e-9;
        let note = format!(
            "{waypoints} waypoints, {pairs} pairs: engine {engine_ns:.0} ns a pair, {engine:.2} s; ours {ours:.3} s, doors open and shut"
        );
        self.0.push(Row::new(format!("{}: all-pairs sight v engine", baked.name), engine / ours, "times", MUST, note));
        self.0.push(hidden_by_table(baked)?);
        Ok(())
    }

    fn miss(&mut self, map: &str, why: &str) {
        self.0.push(Row::missing(format!("{map}: all-pairs sight v engine"), "times", MUST, why));
    }

    fn rows(&self) -> Vec<Row> {
        self.0.clone()
    }
}

/// The step's CPU time, the median of several bakes: it is short, and the machine does other things too.
fn measure_again(baked: &Baked) -> Result<f64> {
    let mut times = vec![baked.cost.of(Step::Sight).as_secs_f64()];
    while times.len() < BAKES {
        let (_, cost) = cost::bake(&baked.map, &baked.game, &super::settings())?;
        times.push(cost.of(Step::Sight).as_secs_f64());
    }
    Ok(median(times))
}

/// What becomes of sight without the table that spares most of the looking.
fn hidden_by_table(baked: &Baked) -> Result<Row> {
    let (plain, _) = cost::bake(&Map { visibility: None, ..baked.map.clone() }, &baked.game, &super::settings())?;
    let (with, without) = (&baked.terrain.sight, &plain.sight);
    let differ = |with: &BitRows, without: &BitRows| {
        let words = with.words().iter().zip(without.words());
        words.map(|(a, b)| u64::from((a ^ b).count_ones())).sum::<u64>()
    };
    let count = differ(&with.standing, &without.standing) + differ(&with.crouched, &without.crouched);
    let pairs = 2 * baked.terrain.waypoints.len().pow(2);
    let name = format!("{}: pairs only the visibility table hides", baked.name);
    let note = format!("{count} of {pairs}");
    Ok(Row::new(name, count as f64 * 1e6 / pairs as f64, "in a million", HIDDEN_MUST, note))
}

/// Eye to eye between waypoints drawn at random.
fn rays(course: &Course, baked: &Baked) -> Vec<Sweep> {
    let mut pcg = Pcg::named(course.seed, &baked.name);
    let origins = &baked.terrain.waypoints.origin;
    let eye = Vec3::Z * baked.game.rules.movement.eye_height(Stance::Standing) as f32;
    let ray = |_| Sweep::ray(*pcg.pick(origins) + eye, *pcg.pick(origins) + eye, Contents::MASK_SOLID);
    (0..course.count(PAIRS)).map(ray).collect()
}
