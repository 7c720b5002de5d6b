//! How fast we answer, beside the engine and other tracers.
//!
//! Ours is always a scene with every mover of the map in it, in the engine's own fidelity, as a bake for OpenArena has
//! it. The engine is raced inside its server process (`capture::race`), Embree takes turns with us from a process of
//! its own, parry3d within this one.

use std::hint::black_box;

use anyhow::Result;
use fireteam_openarena::capture::race::{Lap, Race, Toss};
use fireteam_openarena::capture::{Limits, Oracle};
use fireteam_world::{Contents, Crowd, Map, Scene, Solids, Sweep, Vec3};

use super::duel::{Duel, time};
use super::embree::Embree;
use super::lists::Lists;
use super::polygon::Shapes;
use super::report::{Must, Row};
use super::{Course, SPEED_MAPS};

/// All a map's solids, on the map with the most.
const BYTES_MUST: Must = Must::AtMost(2.5e6);
const BYTES_MAP: &str = "ctf_compromise";
const GRENADES_MUST: Must = Must::AtLeast(5.0);

/// One list of one map, as it is raced.
struct Heat<'a> {
    name: String,
    sweeps: &'a [Sweep],
    must: Must,
}

impl<'a> Heat<'a> {
    fn new(map: &str, what: &str, sweeps: &'a [Sweep], times: f64) -> Heat<'a> {
        Heat { name: format!("{map}: {what}"), sweeps, must: Must::AtLeast(times) }
    }
}

pub(crate) fn trace(course: &Course) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in &course.maps_or(&SPEED_MAPS) {
        eprintln!("{name}: making up questions");
        let map = course.map(name)?;
        let solids = Solids::build(&map);
        let mut oracle = Oracle::start(&course.install, &course.module, name, &Limits::default())?;
        let lists = Lists::make(course, &mut oracle, &solids)?;
        eprintln!("{name}: racing the engine");
        rows.extend(against_engine(course, &mut oracle, &lists)?);
        drop(oracle);
        let crowd = Crowd::of(&solids, &lists.placed, &[]);
        let scene = Scene { solids: &solids, crowd: &crowd };
        eprintln!("{name}: racing parry3d");
        rows.extend(against_parry(course, &map, scene, &lists)?);
        eprintln!("{name}: racing Embree");
        rows.extend(against_embree(course, &map, scene, &lists)?);
        if name == BYTES_MAP {
            let bytes = solids.bytes() as f64;
            rows.push(Row::new(format!("{name}: bytes of solids"), bytes, "bytes", BYTES_MUST, String::new()));
        }
    }
    Ok(rows)
}

pub(crate) fn flight(course: &Course) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in &course.maps_or(&SPEED_MAPS) {
        eprintln!("{name}: racing the engine");
        let solids = Solids::build(&course.map(name)?);
        let mut oracle = Oracle::start(&course.install, &course.module, name, &Limits::default())?;
        let lists = Lists::make(course, &mut oracle, &solids)?;
        let grenades: Vec<Toss> = lists.grenades.iter().map(Toss::from).collect();
        let count = grenades.len();
        let laps = oracle.race(&Race { rounds: course.rounds as i32, lists: Vec::new(), grenades })?;
        let remark = differ(&laps.grenades, count);
        rows.push(Duel::from(&laps.grenades).row(
            format!("{name}: grenades v engine"),
            GRENADES_MUST,
            "engine",
            &remark,
        ));
    }
    Ok(rows)
}

fn against_engine(course: &Course, oracle: &mut Oracle, lists: &Lists) -> Result<Vec<Row>> {
    let map = oracle.map().to_owned();
    let heats = [
        Heat::new(&map, "random rays v engine", &lists.rays, 5.0),
        Heat::new(&map, "long player sweeps v engine", &lists.sweeps, 4.5),
        Heat::new(&map, "grenade steps v engine", &lists.grenade_steps, 5.0),
    ];
    let raced = heats.iter().map(|heat| heat.sweeps.to_vec()).collect();
    let laps = oracle.race(&Race { rounds: course.rounds as i32, lists: raced, grenades: Vec::new() })?;
    let rows = heats.into_iter().zip(&laps.sweeps).map(|(heat, lap)| {
        let remark = differ(lap, heat.sweeps.len());
        Duel::from(lap).row(heat.name, heat.must, "engine", &remark)
    });
    Ok(rows.collect())
}

fn differ(lap: &Lap, count: usize) -> String {
    format!("{} of {count} differ", lap.hit_differs.max(lap.end_differs))
}

fn parry_heats<'a>(map: &str, lists: &'a Lists) -> [Heat<'a>; 2] {
    [
        Heat::new(map, "long player sweeps v parry3d", &lists.sweeps, 6.0),
        Heat::new(map, "grenade steps v parry3d", &lists.grenade_steps, 9.0),
    ]
}

#[cfg(feature = "bench")]
fn against_parry(course: &Course, map: &Map, scene: Scene<'_>, lists: &Lists) -> Result<Vec<Row>> {
    use super::parry::Parry;
    let mut rows = Vec::new();
    for heat in parry_heats(&map.name, lists) {
        let Some(first) = heat.sweeps.first() else { continue };
        let parry = Parry::new(&Shapes::of(map, &lists.placed, first.mask), first.hull)?;
        // Parry is slow enough for a fifth of the questions to be timed as exactly.
        let sweeps = &heat.sweeps[..heat.sweeps.len() / 5];
        let (_, hits) = parry.cast_all(sweeps)?;
        let ours = sweeps.iter().filter(|sweep| scene.sweep(sweep, None).is_hit()).count();
        let theirs = || Ok(parry.cast_all(sweeps)?.0);
        let duel = Duel::run(course.rounds, sweeps.len(), theirs, || time(|| sweep_all(scene, sweeps)))?;
        rows.push(duel.row(heat.name, heat.must, "parry3d", &hits_of(hits, ours, sweeps.len())));
    }
    Ok(rows)
}

#[cfg(not(feature = "bench"))]
fn against_parry(_: &Course, map: &Map, _: Scene<'_>, lists: &Lists) -> Result<Vec<Row>> {
    let why = "built without parry3d: build with `--features bench`";
    Ok(parry_heats(&map.name, lists).map(|heat| Row::missing(heat.name, "times", heat.must, why)).into())
}

fn against_embree(course: &Course, map: &Map, scene: Scene<'_>, lists: &Lists) -> Result<Vec<Row>> {
    let closest = Heat::new(&map.name, "closest random rays v Embree", &lists.rays, 0.85);
    let any = Heat::new(&map.name, "any-hit eye rays v Embree", &lists.eye_rays, 1.0);
    // Neither mask meets anything that is not solid.
    let triangles: Vec<_> = Shapes::of(map, &lists.placed, Contents::SOLID).triangles().collect();
    let mut embree = match Embree::start(&triangles, closest.sweeps, any.sweeps) {
        Ok(embree) => embree,
        Err(error) => {
            let missing = |heat: Heat<'_>| Row::missing(heat.name, "times", heat.must, &format!("{error:#}"));
            return Ok(vec![missing(closest), missing(any)]);
        }
    };
    let hits = embree.closest()?.hits;
    let ours = closest.sweeps.iter().filter(|ray| scene.sweep(ray, None).is_hit()).count();
    let remark = format!("{} triangles; {}", triangles.len(), hits_of(hits, ours, closest.sweeps.len()));
    let rays = Rays::of(closest.sweeps);
    let race = || {
        time(|| {
            rays.each(|ray| {
                black_box(scene.sweep(ray, None));
            })
        })
    };
    let duel = Duel::run(course.rounds, closest.sweeps.len(), || Ok(embree.closest()?.time), race)?;
    let closest = duel.row(closest.name, closest.must, "Embree", &remark);

    let hits = embree.any()?.hits;
    let ours = any.sweeps.iter().filter(|ray| !scene.is_clear(ray, None)).count();
    let remark = hits_of(hits, ours, any.sweeps.len());
    let rays = Rays::of(any.sweeps);
    let race = || {
        time(|| {
            rays.each(|ray| {
                black_box(scene.is_clear(ray, None));
            })
        })
    };
    let duel = Duel::run(course.rounds, any.sweeps.len(), || Ok(embree.any()?.time), race)?;
    Ok(vec![closest, duel.row(any.name, any.must, "Embree", &remark)])
}

#[cfg(feature = "bench")]
fn sweep_all(scene: Scene<'_>, sweeps: &[Sweep]) {
    for sweep in sweeps {
        black_box(scene.sweep(black_box(sweep), None));
    }
}

/// Rays as Embree's process has them, two points each: a list of whole sweeps is twice as large, and on a machine that does other
/// things too it is the reading of the list that would be measured.
struct Rays {
    ends: Vec<[Vec3; 2]>,
    mask: Contents,
}

impl Rays {
    fn of(sweeps: &[Sweep]) -> Rays {
        let mask = sweeps.first().map_or(Contents::NONE, |sweep| sweep.mask);
        assert!(
            sweeps.iter().all(|sweep| *sweep == Sweep::ray(sweep.start, sweep.end, mask)),
            "not all are rays alike"
        );
        Rays { ends: sweeps.iter().map(|sweep| [sweep.start, sweep.end]).collect(), mask }
    }

    #[inline]
    fn each(&self, mut ask: impl FnMut(&Sweep)) {
        for [start, end] in &self.ends {
            ask(black_box(&Sweep::ray(*start, *end, self.mask)));
        }
    }
}

/// Contenders of other semantics can only be compared by how often they meet something.
fn hits_of(theirs: usize, ours: usize, count: usize) -> String {
    format!("of {count} it meets something with {theirs}, we with {ours}")
}
