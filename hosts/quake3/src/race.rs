//! A race between the engine's TRACE and our sweeps, on the same questions, in the engine's own process and thread.
//!
//! In: the lists of a `Race`. Out: `Laps`, CPU time an item for either contender and how often the two disagree. Both run
//! everything once before the clock starts; then they take turns, and who begins changes with every round.
//!
//! Rule of the house: whoever calls the engine owns nothing, so the map lives in a [`Track`] that capture mode keeps.

use std::hint::black_box;
use std::path::Path;

use fireteam_openarena::capture::race::{Lap, Laps, Race, Toss};
use fireteam_openarena::clock::thread_time;
use fireteam_openarena::replay::traces::{BRUSH_REACH, PATCH_REACH};
use fireteam_world::flight::{Air, Ending, FlightRules, Tracer, fly_to_end};
use fireteam_world::game::Throwable;
use fireteam_world::map::Files;
use fireteam_world::units::EntityId;
use fireteam_world::{Contents, Crowd, Placed, Scene, Solids, Struck, SurfaceFlags, Sweep, Trace};

use crate::abi;
use crate::engine::Engine;

/// How far apart two grenades may end and still be the same throw.
const GRENADE_REACH: f32 = 0.5;
const GAME: &str = "openarena";
const GRENADE: &str = "grenade";

/// The map as we know it, with its movers where they stand now.
#[derive(Debug)]
pub(crate) struct Track {
    solids: Solids,
    crowd: Crowd,
    grenade: Throwable,
    rules: FlightRules,
}

impl Track {
    /// Reads the map that the server runs. Makes no engine call.
    pub(crate) fn open(base_path: &str, map: &str, placed: &[Placed]) -> Result<Track, String> {
        let files = Files::open(&[Path::new(base_path).join("baseoa")]).map_err(|error| error.to_string())?;
        let map = files.map(map).map_err(|error| error.to_string())?;
        let game = fireteam_world::Game::named(GAME).ok_or("the game is not described")?;
        let grenade = game.throwable(GRENADE).ok_or("the game has no grenade")?.clone();
        let rules = game.flight_rules();
        let solids = Solids::build(&map);
        let crowd = Crowd::of(&solids, placed, &[]);
        Ok(Track { solids, crowd, grenade, rules })
    }

    fn scene(&self) -> Scene<'_> {
        Scene { solids: &self.solids, crowd: &self.crowd }
    }
}

/// Room for every number that [`run`] will write, so that it need not own any.
pub(crate) fn room(race: &Race) -> Laps {
    let rounds = race.rounds.clamp(1, ROUNDS_MAX) as usize;
    let lap = || Lap { engine_ns: vec![0.0; rounds], ours_ns: vec![0.0; rounds], ..Lap::default() };
    Laps { sweeps: race.lists.iter().map(|_| lap()).collect(), grenades: lap() }
}

/// Nobody means more.
const ROUNDS_MAX: i32 = 1000;

pub(crate) fn run(engine: Engine, track: &Track, race: &Race, laps: &mut Laps) {
    let scene = track.scene();
    for (list, lap) in race.lists.iter().zip(&mut laps.sweeps) {
        compare_sweeps(engine, scene, list, lap);
        take_turns(lap, list.len(), || sweep_all(&Stock(engine), list), || sweep_all(&scene, list));
    }
    let lap = &mut laps.grenades;
    let tosses = &race.grenades;
    compare_grenades(engine, track, tosses, lap);
    take_turns(lap, tosses.len(), || fly_all(Stock(engine), track, tosses), || fly_all(scene, track, tosses));
}

/// The engine, asked as the game asks it.
#[derive(Clone, Copy)]
struct Stock(Engine);

impl Tracer for Stock {
    #[inline]
    fn sweep(&self, sweep: &Sweep, pass: Option<EntityId>) -> Trace {
        let answer = self.0.trace(sweep, pass.map_or(abi::ENTITY_NONE, |entity| entity.0.into()));
        let entity = (answer.entity < abi::ENTITY_NONE - 1).then_some(EntityId(answer.entity as u16));
        Trace {
            fraction: answer.fraction,
            end: answer.end.into(),
            normal: answer.normal.into(),
            dist: answer.dist,
            surface: SurfaceFlags(answer.surface as u32),
            contents: Contents(answer.contents as u32),
            start_solid: answer.start_solid != 0,
            all_solid: answer.all_solid != 0,
            // The engine does not tell, and nobody's body is in an empty server.
            struck: Struck::Nothing,
            entity,
        }
    }
}

fn sweep_all(tracer: &impl Tracer, sweeps: &[Sweep]) {
    for sweep in sweeps {
        black_box(tracer.sweep(black_box(sweep), None));
    }
}

fn fly_all(tracer: impl Tracer, track: &Track, tosses: &[Toss]) {
    let air = Air { scene: tracer, shootable: &[] };
    for toss in tosses {
        black_box(fly_to_end(&toss.launch(), &track.grenade, track.rules, &air));
    }
}

fn take_turns(lap: &mut Lap, count: usize, mut engine: impl FnMut(), mut ours: impl FnMut()) {
    engine();
    ours();
    let per_item = |work: &mut dyn FnMut()| {
        let start = thread_time();
        work();
        (thread_time() - start).as_nanos() as f32 / count.max(1) as f32
    };
    for (round, (engine_ns, ours_ns)) in lap.engine_ns.iter_mut().zip(&mut lap.ours_ns).enumerate() {
        if round % 2 == 0 {
            *engine_ns = per_item(&mut engine);
            *ours_ns = per_item(&mut ours);
        } else {
            *ours_ns = per_item(&mut ours);
            *engine_ns = per_item(&mut engine);
        }
    }
}

fn compare_sweeps(engine: Engine, scene: Scene<'_>, sweeps: &[Sweep], lap: &mut Lap) {
    for sweep in sweeps {
        let (theirs, ours) = (Stock(engine).sweep(sweep, None), scene.sweep(sweep, None));
        let reach = if matches!(ours.struck, Struck::Patch(_)) { PATCH_REACH } else { BRUSH_REACH };
        lap.hit_differs += i32::from(theirs.is_hit() != ours.is_hit());
        lap.end_differs += i32::from(!is_near(theirs.end.distance(ours.end), reach));
    }
}

fn compare_grenades(engine: Engine, track: &Track, tosses: &[Toss], lap: &mut Lap) {
    let fly = |toss: &Toss, tracer: Stock| fly_to_end(&toss.launch(), &track.grenade, track.rules, &air(tracer));
    let fly_ours = |toss: &Toss| fly_to_end(&toss.launch(), &track.grenade, track.rules, &air(track.scene()));
    let course = |ending: &Ending| (ending.reason, ending.time, ending.bounces, ending.entity);
    for toss in tosses {
        let (theirs, ours) = (fly(toss, Stock(engine)), fly_ours(toss));
        lap.hit_differs += i32::from(course(&theirs) != course(&ours));
        lap.end_differs += i32::from(!is_near(theirs.place.distance(ours.place), GRENADE_REACH));
    }
}

fn air<T: Tracer>(tracer: T) -> Air<'static, T> {
    Air { scene: tracer, shootable: &[] }
}

/// A distance that is no number is not near.
fn is_near(distance: f32, reach: f32) -> bool {
    distance <= reach
}
