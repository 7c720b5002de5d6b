//! Are routes walked in the time they promise? Random routes from jittered starts, in our physics or on the real server.
//!
//! Each is walked by a [`Traveller`], as a bot would: who gets lost asks for another route from where he stands, and the time
//! that was promised at the start still counts. How many arrived without that stands in the note.

use std::collections::BTreeMap;

use anyhow::Result;
use fireteam_openarena::capture::follow::{Guide, Journey, Outcome, Terms, follow, rehearse};
use fireteam_openarena::capture::{Limits, Oracle};
use fireteam_terrain::{LinkId, Search, Terrain, Traveller, WaypointFlags, WaypointId};
use fireteam_world::movement::{Player, Setting, Stance};
use fireteam_world::pcg::Pcg;
use fireteam_world::walker::outing::Course as Grounds;
use fireteam_world::walker::{Keys, Progress};
use fireteam_world::{Contents, Sweep, Vec3};

use super::super::Course;
use super::super::report::{Must, Row};
use super::{Baked, LIVE_MAPS, Misses, Tally, percent};

/// How far beside its waypoint a route begins: as far as a walker may be off when it has arrived somewhere.
const JITTER: f32 = 14.0;
/// Nobody who is put there stands there: a pad throws him and a teleporter sends him before his first step, a lift may be
/// elsewhere. Routes lead through all of them.
const NO_START: WaypointFlags =
    WaypointFlags(WaypointFlags::PAD.0 | WaypointFlags::TELEPORTER.0 | WaypointFlags::ON_MOVER.0);
/// Pairs are drawn until so many times as many as wanted were tried.
const DRAWS: usize = 20;

/// Where routes are walked, and what must come of it.
struct Manner {
    name: &'static str,
    is_live: bool,
    routes: usize,
    /// They must arrive within so many times the promised time.
    times: f64,
    must: Must,
}

pub(super) struct Walked {
    manner: Manner,
    routes: usize,
    arrived: usize,
    /// Of those, without asking for another route on the way.
    straight: usize,
    maps: usize,
    misses: Misses,
}

/// A start and a goal, and what the terrain promises between them.
struct Trip {
    from: WaypointId,
    to: WaypointId,
    start: Vec3,
    is_crouched: bool,
    promised_ms: u32,
}

/// What came of a trip.
struct Told {
    journey: Journey,
    /// The link on which he got lost first, or on which it ended.
    link: Option<LinkId>,
    is_straight: bool,
}

impl Walked {
    pub(super) fn in_our_physics(course: &Course) -> Walked {
        Walked::new(Manner {
            name: "routes walked in our physics",
            is_live: false,
            routes: course.count(500),
            times: 1.5,
            must: Must::AtLeast(99.0),
        })
    }

    pub(super) fn on_the_server(course: &Course) -> Walked {
        Walked::new(Manner {
            name: "routes walked on the server",
            is_live: true,
            routes: course.count(50),
            times: 2.0,
            must: Must::AtLeast(95.0),
        })
    }

    fn new(manner: Manner) -> Walked {
        Walked { manner, routes: 0, arrived: 0, straight: 0, maps: 0, misses: Misses::default() }
    }

    /// Walks them all; what came of each.
    fn walk(&self, course: &Course, baked: &Baked, trips: &[Trip]) -> Result<Vec<Told>> {
        let terrain = &baked.terrain;
        let terms = |trip: &Trip| {
            let limit = (f64::from(trip.promised_ms) * self.manner.times) as i32;
            Terms { is_crouched: trip.is_crouched, ..Terms::from(trip.start, limit) }
        };
        if self.manner.is_live {
            let mut oracle = Oracle::start(&course.install, &course.module, &baked.name, &Limits::default())?;
            let guide = Guide::new(&baked.map, &baked.solids, &baked.game);
            let walk = |trip| told(terrain, trip, |press| Ok(follow(&mut oracle, &guide, &terms(trip), press)?));
            return trips.iter().map(walk).collect();
        }
        let grounds = Grounds::new(&baked.map, &baked.solids, &baked.game);
        trips.iter().map(|trip| told(terrain, trip, |press| Ok(rehearse(&grounds, &terms(trip), press)))).collect()
    }
}

/// Presses as a traveller does.
type Press<'a> = &'a mut dyn FnMut(&Player, &Setting, i32) -> (Keys, Progress);

/// Lets a traveller go on a trip, and notes where he first got lost.
fn told(terrain: &Terrain, trip: &Trip, go: impl FnOnce(Press) -> Result<Journey>) -> Result<Told> {
    let mut traveller = Traveller::default();
    traveller.set_out(terrain, trip.from, trip.to)?;
    let mut link = None;
    let journey = go(&mut |player, setting, ms| {
        let was_straight = traveller.detours() == 0;
        link = if was_straight { traveller.link().or(link) } else { link };
        traveller.press(terrain, player, setting, ms)
    })?;
    Ok(Told { journey, link, is_straight: traveller.detours() == 0 })
}

impl Tally for Walked {
    fn wants(&self, map: &str) -> bool {
        !self.manner.is_live || LIVE_MAPS.contains(&map)
    }

    fn take(&mut self, course: &Course, baked: &Baked) -> Result<()> {
        let trips = draw(course, baked, self.manner.routes);
        let mut failed: BTreeMap<String, usize> = BTreeMap::new();
        for (trip, told) in trips.iter().zip(&self.walk(course, baked, &trips)?) {
            let has_arrived = told.journey.outcome == Outcome::Arrived;
            self.arrived += usize::from(has_arrived);
            self.straight += usize::from(has_arrived && told.is_straight);
            if has_arrived && told.is_straight {
                continue;
            }
            eprintln!("  {}", describe(&baked.terrain, trip, told));
            if !has_arrived {
                let kind = told.link.map_or("off the mesh", |link| baked.terrain.links.links[link.index()].kind.name());
                *failed.entry(format!("{kind}: {:?}", told.journey.outcome)).or_default() += 1;
            }
        }
        self.maps += 1;
        self.routes += trips.len();
        let told: Vec<String> = failed.iter().map(|(what, count)| format!("{what} x{count}")).collect();
        self.misses.add(&baked.name, failed.values().sum(), told.join(", "));
        Ok(())
    }

    fn miss(&mut self, map: &str, why: &str) {
        self.routes += 1;
        self.misses.add(map, 1, why.to_owned());
    }

    fn rows(&self) -> Vec<Row> {
        let Manner { name, times, must, .. } = &self.manner;
        let missed = if self.misses.0.is_empty() { String::new() } else { format!("; missed: {}", self.misses.told()) };
        let note = format!(
            "{} of {} on {} maps within {times} times the promised time, {} of them without a new route on the way; \
             starts on pads, teleporters and movers left out{missed}",
            self.arrived, self.routes, self.maps, self.straight
        );
        vec![Row::new((*name).into(), percent(self.arrived, self.routes), "%", *must, note)]
    }
}

/// Random routes between waypoints that a spawn reaches.
fn draw(course: &Course, baked: &Baked, count: usize) -> Vec<Trip> {
    let terrain = &baked.terrain;
    let spawns = terrain.waypoints.ids().filter(|id| terrain.waypoints.flags[id.index()].meets(WaypointFlags::SPAWN));
    let spawns: Vec<WaypointId> = spawns.collect();
    let is_reached = |id: &WaypointId| spawns.iter().any(|&spawn| terrain.islands.connect(spawn, *id));
    let reached: Vec<WaypointId> = terrain.waypoints.ids().filter(is_reached).collect();
    let can_start = |id: &WaypointId| !terrain.waypoints.flags[id.index()].meets(NO_START);
    let starts: Vec<WaypointId> = reached.iter().copied().filter(can_start).collect();
    if starts.is_empty() || reached.len() < 2 {
        return Vec::new();
    }
    let mut pcg = Pcg::named(course.seed, &baked.name);
    let mut search = Search::default();
    let mut trips = Vec::new();
    for _ in 0..count * DRAWS {
        if trips.len() == count {
            break;
        }
        let (from, to) = (*pcg.pick(&starts), *pcg.pick(&reached));
        if from == to {
            continue;
        }
        let Ok(route) = terrain.route(&mut search, from, to) else { continue };
        let is_crouched = terrain.waypoints.flags[from.index()].meets(WaypointFlags::CROUCH_ONLY);
        let start = jittered(baked, terrain.waypoints.origin[from.index()], is_crouched, &mut pcg);
        trips.push(Trip { from, to, start, is_crouched, promised_ms: terrain.promised_ms(&route) });
    }
    trips
}

/// A little beside, as far as a body gets from there over the same floor.
fn jittered(baked: &Baked, origin: Vec3, is_crouched: bool, pcg: &mut Pcg) -> Vec3 {
    let rules = &baked.game.rules.movement;
    let hull = rules.hull(if is_crouched { Stance::Crouched } else { Stance::Standing });
    let aside = Vec3::new(pcg.range(-1.0, 1.0), pcg.range(-1.0, 1.0), 0.0).normalize_or_zero() * pcg.range(0.0, JITTER);
    let sweep = |from: Vec3, to: Vec3| baked.solids.sweep(&Sweep::hull(from, to, hull, Contents::MASK_BOT));
    let across = sweep(origin, origin + aside);
    let below = sweep(across.end, across.end - Vec3::Z * 2.0);
    let has_floor = !across.start_solid && below.fraction < 1.0;
    if has_floor { across.end } else { origin }
}

/// The link it failed on, and how.
fn describe(terrain: &Terrain, trip: &Trip, told: &Told) -> String {
    let Journey { outcome, spent_ms, at, .. } = told.journey;
    let link = told.link.map_or("nowhere".to_owned(), |link| {
        let row = &terrain.links.links[link.index()];
        let from = terrain.links.start_of(link);
        let (a, b) = (terrain.waypoints.origin[from.index()], terrain.waypoints.origin[row.to.index()]);
        format!("{} w{} {a:.0} to w{} {b:.0}, trust {}", row.kind.name(), from.0, row.to.0, row.trust)
    });
    let Trip { from, to, promised_ms, .. } = trip;
    format!("{link}: {outcome:?} at {at:.0} after {spent_ms} of {promised_ms} ms, from w{} to w{}", from.0, to.0)
}
