//! Are routes walked in the time they promise? Random routes from jittered starts, in our physics or on the real server.

use std::collections::BTreeMap;

use anyhow::Result;
use fireteam_openarena::capture::follow::{Guide, Journey, Outcome, Terms, follow, rehearse};
use fireteam_openarena::capture::{Limits, Oracle};
use fireteam_openarena::pcg::Pcg;
use fireteam_terrain::{LinkId, Route, Search, Terrain, WaypointFlags, WaypointId};
use fireteam_world::movement::Stance;
use fireteam_world::walker::Leg;
use fireteam_world::walker::outing::Course as Grounds;
use fireteam_world::{Contents, Sweep, Vec3};

use super::super::Course;
use super::super::report::{Must, Row};
use super::{Baked, LIVE_MAPS, Misses, Tally, percent};

/// How far beside its waypoint a route begins: as far as a walker may be off when it has arrived somewhere.
const JITTER: f32 = 14.0;
/// Nobody who is put there stands there: a body that is put where it must duck is stuck, a pad throws it and a teleporter
/// sends it before its first step, a lift may be elsewhere. Routes lead through all of them.
const NO_START: WaypointFlags = WaypointFlags(
    WaypointFlags::CROUCH_ONLY.0 | WaypointFlags::PAD.0 | WaypointFlags::TELEPORTER.0 | WaypointFlags::ON_MOVER.0,
);
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
    maps: usize,
    misses: Misses,
}

/// One route, and what a walker needs for it.
struct Trip {
    route: Route,
    legs: Vec<Leg>,
    start: Vec3,
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
        Walked { manner, routes: 0, arrived: 0, maps: 0, misses: Misses::default() }
    }

    /// Walks them all; what came of each.
    fn walk(&self, course: &Course, baked: &Baked, trips: &[Trip]) -> Result<Vec<Journey>> {
        let terms = |trip: &Trip| {
            let limit = (f64::from(trip.route.cost) * self.manner.times) as i32;
            Terms { start: trip.start, ..Terms::for_route(&trip.legs, limit) }
        };
        if self.manner.is_live {
            let mut oracle = Oracle::start(&course.install, &course.module, &baked.name, &Limits::default())?;
            let guide = Guide::new(&baked.map, &baked.solids, &baked.game);
            let follow = |trip| follow(&mut oracle, &guide, Trip::legs(trip), &terms(trip));
            return Ok(trips.iter().map(follow).collect::<Result<_, _>>()?);
        }
        let grounds = Grounds::new(&baked.map, &baked.solids, &baked.game);
        Ok(trips.iter().map(|trip| rehearse(&grounds, &trip.legs, &terms(trip))).collect())
    }
}

impl Trip {
    fn legs(trip: &Trip) -> &[Leg] {
        &trip.legs
    }
}

impl Tally for Walked {
    fn wants(&self, map: &str) -> bool {
        !self.manner.is_live || LIVE_MAPS.contains(&map)
    }

    fn take(&mut self, course: &Course, baked: &Baked) -> Result<()> {
        let trips = draw(course, baked, self.manner.routes);
        let journeys = self.walk(course, baked, &trips)?;
        let mut failed: BTreeMap<String, usize> = BTreeMap::new();
        for (trip, journey) in trips.iter().zip(&journeys) {
            if journey.outcome == Outcome::Arrived {
                self.arrived += 1;
            } else {
                let (link, what) = fault(&baked.terrain, trip, journey);
                eprintln!("  {}: {what}", describe(&baked.terrain, link));
                let kind = baked.terrain.links.links[link.index()].kind.name();
                *failed.entry(format!("{kind}: {:?}", journey.outcome)).or_default() += 1;
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
            "{} of {} on {} maps within {times} times the promised time{missed}",
            self.arrived, self.routes, self.maps
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
        let legs = route.links.iter().map(|&link| terrain.leg(link)).collect();
        let start = jittered(baked, terrain.waypoints.origin[from.index()], &mut pcg);
        trips.push(Trip { route, legs, start });
    }
    trips
}

/// A little beside, as far as a body gets from there over the same floor.
fn jittered(baked: &Baked, origin: Vec3, pcg: &mut Pcg) -> Vec3 {
    let rules = &baked.game.rules.movement;
    let hull = rules.hull(Stance::Standing);
    let aside = Vec3::new(pcg.range(-1.0, 1.0), pcg.range(-1.0, 1.0), 0.0).normalize_or_zero() * pcg.range(0.0, JITTER);
    let sweep = |from: Vec3, to: Vec3| baked.solids.sweep(&Sweep::hull(from, to, hull, Contents::MASK_BOT));
    let across = sweep(origin, origin + aside);
    let below = sweep(across.end, across.end - Vec3::Z * 2.0);
    let has_floor = !across.start_solid && below.fraction < 1.0;
    if has_floor { across.end } else { origin }
}

/// The link it failed on, and how.
fn fault(terrain: &Terrain, trip: &Trip, journey: &Journey) -> (LinkId, String) {
    let index = journey.leg.min(trip.route.links.len() - 1);
    let link = trip.route.links[index];
    let (at, spent, promised) = (journey.at, journey.spent_ms, trip.route.cost);
    let from = terrain.links.start_of(trip.route.links[0]).0;
    let place = format!("{:.0},{:.0},{:.0}", at.x, at.y, at.z);
    let how = format!(
        "{:?} at {place} after {spent} of {promised} ms, leg {index} of {}, route from w{from}",
        journey.outcome,
        trip.route.links.len()
    );
    (link, how)
}

fn describe(terrain: &Terrain, link: LinkId) -> String {
    let row = &terrain.links.links[link.index()];
    let from = terrain.links.start_of(link);
    let (a, b) = (terrain.waypoints.origin[from.index()], terrain.waypoints.origin[row.to.index()]);
    format!("{} w{} {a:.0} to w{} {b:.0}, trust {}", row.kind.name(), from.0, row.to.0, row.trust)
}
