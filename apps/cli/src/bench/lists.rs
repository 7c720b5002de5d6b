//! The questions that contenders race on, made up once a map so that all get the same.
//!
//! Points lie in the open, found by hopping from spawn points and items along the engine's own traces
//! (`capture::plan::places`). From them: random rays, long player sweeps, rays from eye to eye, and the steps that
//! grenades really take, recorded while they are flown.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use fireteam_openarena::capture::Oracle;
use fireteam_openarena::capture::plan::places::{self, STANDING};
use fireteam_world::flight::{Air, Launch, Throw, Thrower, Tracer, fly_to_end};
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Game, Hull, Placed, Scene, Solids, Sweep, Trace, Vec3};

use super::Course;

const POINTS: usize = 20_000;
const SEGMENTS: usize = 100_000;
const LENGTH_MAX: f32 = 1000.0;
const GRENADES: usize = 4000;
/// Places of eyes, and how many others each looks to in turn.
const EYES: usize = 1000;
const TARGETS: usize = 8;
/// Of a standing player's eye above his origin.
const EYE_HEIGHT: f32 = 26.0;

/// Everything that is asked about one map.
#[derive(Debug)]
pub(crate) struct Lists {
    /// Movers as they stand in the settled, empty server.
    pub(crate) placed: Vec<Placed>,
    pub(crate) rays: Vec<Sweep>,
    pub(crate) sweeps: Vec<Sweep>,
    pub(crate) grenade_steps: Vec<Sweep>,
    pub(crate) eye_rays: Vec<Sweep>,
    pub(crate) grenades: Vec<Launch>,
}

impl Lists {
    pub(crate) fn make(course: &Course, oracle: &mut Oracle, solids: &Solids) -> Result<Lists> {
        let mut pcg = Pcg::named(course.seed, oracle.map());
        let places = places::find(oracle, &mut pcg, course.count(POINTS))?;
        ensure!(places.floors.len() > 1, "{}: nobody can stand anywhere", oracle.map());
        let placed: Vec<Placed> = places.entities.iter().filter_map(|row| row.placed()).collect();
        let count = course.count(SEGMENTS);
        let segments = segments(&mut pcg, &places.open, count);
        let grenades = throws(&mut pcg, &places.floors, course.count(GRENADES))?;
        let crowd = Crowd::of(solids, &placed, &[]);
        let scene = Scene { solids, crowd: &crowd };
        let grenade_steps = record_steps(scene, &grenades, count)?;
        Ok(Lists {
            rays: segments.iter().map(|&(a, b)| Sweep::ray(a, b, Contents::MASK_SHOT)).collect(),
            sweeps: segments.iter().map(|&(a, b)| Sweep::hull(a, b, STANDING, Contents::MASK_PLAYER)).collect(),
            eye_rays: eye_rays(&mut pcg, &places.floors, count),
            grenade_steps,
            grenades,
            placed,
        })
    }
}

/// Random pairs of points that are near enough to one another.
fn segments(pcg: &mut Pcg, points: &[Vec3], count: usize) -> Vec<(Vec3, Vec3)> {
    let mut segments = Vec::with_capacity(count);
    while segments.len() < count {
        let (a, b) = (*pcg.pick(points), *pcg.pick(points));
        if a != b && a.distance(b) <= LENGTH_MAX {
            segments.push((a, b));
        }
    }
    segments
}

/// Grenades as players fire them: from where they stand, in any direction, from somewhat down to steeply up.
fn throws(pcg: &mut Pcg, floors: &[Vec3], count: usize) -> Result<Vec<Launch>> {
    let game = openarena()?;
    let Some(grenade) = game.throwable("grenade") else { anyhow::bail!("the game has no grenade") };
    let launch = |pcg: &mut Pcg| {
        let origin = *pcg.pick(floors);
        let thrower = Thrower { origin, view_height: EYE_HEIGHT, velocity: Vec3::ZERO, entity: None };
        let (yaw, pitch) = (pcg.range(0.0, 360.0), pcg.range(-75.0, 40.0));
        let throw = Throw { yaw, pitch, speed: grenade.speeds[0], cooked_ms: 0 };
        grenade.launch(&thrower, &throw, Time(0))
    };
    Ok((0..count).map(|_| launch(pcg)).collect())
}

pub(crate) fn openarena() -> Result<Game> {
    Game::named("openarena").ok_or_else(|| anyhow::anyhow!("openarena is not among the built-in games"))
}

/// Writes down every sweep that is asked of it.
struct Recorder<'a> {
    scene: Scene<'a>,
    sweeps: RefCell<Vec<Sweep>>,
}

impl Tracer for Recorder<'_> {
    fn sweep(&self, sweep: &Sweep, pass: Option<EntityId>) -> Trace {
        self.sweeps.borrow_mut().push(*sweep);
        self.scene.sweep(sweep, pass)
    }
}

/// The 50 ms steps of grenades in flight, in the order they are flown.
fn record_steps(scene: Scene<'_>, grenades: &[Launch], count: usize) -> Result<Vec<Sweep>> {
    let game = openarena()?;
    let Some(grenade) = game.throwable("grenade") else { anyhow::bail!("the game has no grenade") };
    let air = Air { scene: Recorder { scene, sweeps: RefCell::default() }, shootable: &[] };
    for launch in grenades {
        fly_to_end(launch, grenade, game.flight_rules(), &air);
    }
    let mut steps = air.scene.sweeps.into_inner();
    steps.truncate(count);
    ensure!(steps.iter().all(|step| step.hull == Hull::POINT), "OpenArena's grenades are points");
    Ok(steps)
}

/// Whether one can see another: every eye looks to some others in turn. Eyes that are near one another follow one
/// another, as in a bake.
fn eye_rays(pcg: &mut Pcg, floors: &[Vec3], count: usize) -> Vec<Sweep> {
    let mut eyes: Vec<Vec3> = (0..EYES).map(|_| *pcg.pick(floors) + Vec3::Z * EYE_HEIGHT).collect();
    eyes.sort_by_key(|eye| morton(*eye));
    let groups = count / TARGETS;
    let group = |number: usize, pcg: &mut Pcg| {
        let eye = eyes[number * eyes.len() / groups.max(1)];
        (0..TARGETS).map(|_| Sweep::ray(eye, *pcg.pick(&eyes), Contents::MASK_SOLID)).collect::<Vec<_>>()
    };
    (0..groups).flat_map(|number| group(number, pcg)).collect()
}

/// Bits of the three coordinates in turn, in cells of 64 units: near in space is near in number.
fn morton(point: Vec3) -> u64 {
    let cells = (point / 64.0 + 1024.0).as_uvec3();
    (0..16).fold(0, |code, bit: u32| {
        let of = |cell: u32, axis: u32| u64::from(cell >> bit & 1) << (3 * bit + axis);
        code | of(cells.x, 0) | of(cells.y, 1) | of(cells.z, 2)
    })
}
