//! What a terrain costs: how large its file is, how long it takes to open, and what a route takes by different bounds.
//! Prints the tables of `docs/notes/terrain-times.md` for each file it is given.
//!
//! `cargo run --release -p fireteam-terrain --example measure_terrain -- FILE...`

use std::path::Path;
use std::time::Instant;

use fireteam_terrain::file::{self, Head, Wanted};
use fireteam_terrain::path::{Cost, Errand, Progress, Quickest};
use fireteam_terrain::{Islands, Landmarks, Link, LinkId, Search, Terrain, TravelTimes, WaypointId};

/// How often each thing is done; the quickest counts.
const ROUNDS: usize = 15;
/// Routes asked for, from and to waypoints spread over the terrain.
const ROUTES: usize = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in std::env::args().skip(1) {
        let bytes = std::fs::read(&name)?;
        let terrain = file::open(Path::new(&name), &Wanted::default())?;
        println!("{name}: {} waypoints, {} links", terrain.waypoints.len(), terrain.links.links.len());
        let head = Head::read(&name, &bytes)?;
        let sections: Vec<String> = head.sections.iter().map(|s| format!("{} {}", s.name(), s.length)).collect();
        println!("  {} bytes: {}; {} spans", bytes.len(), sections.join(", "), terrain.ground.spans.len());
        measure_opening(Path::new(&name), &terrain);
        measure_routes(&terrain);
    }
    Ok(())
}

fn measure_opening(path: &Path, terrain: &Terrain) {
    let origin = terrain.waypoints.origin.last().copied().unwrap_or_default();
    let rows: [(&str, &dyn Fn()); 4] = [
        ("open and first query", &|| {
            let opened = file::open(path, &Wanted::default()).expect("it was opened before");
            assert!(opened.nearest(origin).is_some());
        }),
        ("travel times from the links", &|| {
            assert_eq!(TravelTimes::of(&terrain.links), terrain.times);
        }),
        ("landmarks from the links", &|| {
            assert_eq!(Landmarks::choose(&terrain.links, &terrain.islands, Landmarks::COUNT), terrain.landmarks);
        }),
        ("islands from the links", &|| {
            assert_eq!(Islands::of(&terrain.links), terrain.islands);
        }),
    ];
    for (name, run) in rows {
        println!("  {name}: {:.3} ms", quickest_ms(run));
    }
}

fn measure_routes(terrain: &Terrain) {
    let none = Landmarks::default();
    println!("  route by no bound: {}", route_cost(terrain, |to| Quickest::new(&none, to)));
    for count in [2, 4, 8, 16, 32] {
        let landmarks = Landmarks::choose(&terrain.links, &terrain.islands, count);
        let told = route_cost(terrain, |to| Quickest::new(&landmarks, to));
        println!("  route by {count} landmarks: {told}");
    }
    println!("  route by travel times: {}", route_cost(terrain, |to| ByTimes { times: &terrain.times, to }));
}

/// The table of travel times as a bound: closer than landmarks, but not monotone.
struct ByTimes<'a> {
    times: &'a TravelTimes,
    to: WaypointId,
}

impl Errand for ByTimes<'_> {
    fn cost(&self, _: WaypointId, _: LinkId, link: &Link) -> Option<Cost> {
        Some(Cost::from(link.time_ms))
    }

    fn at_least(&self, from: WaypointId) -> Cost {
        match self.times.row(from)[self.to.index()] {
            TravelTimes::NEVER => Landmarks::NEVER,
            step => TravelTimes::at_least_ms(step),
        }
    }

    fn is_destination(&self, waypoint: WaypointId) -> bool {
        waypoint == self.to
    }
}

fn route_cost<E: Errand>(terrain: &Terrain, errand: impl Fn(WaypointId) -> E) -> String {
    let count = terrain.waypoints.len();
    let mut search = Search::default();
    let (mut expansions, mut found) = (0, 0_u32);
    let ms = quickest_ms(&mut || {
        (expansions, found) = (0, 0);
        for route in 0..ROUTES {
            // Two steps that share no factor with each other visit pairs all over the table.
            let (from, to) = (WaypointId::from(route * 7919 % count), WaypointId::from(route * 104_729 % count));
            if terrain.islands.connect(from, to) {
                let errand = errand(to);
                search.begin(&terrain.links, from, &errand, u32::MAX);
                while search.run(&terrain.links, &errand, u32::MAX) == Progress::Searching {}
                expansions += search.expansions();
                found += u32::from(matches!(search.progress(), Progress::Found { .. }));
            }
        }
    });
    let each = f64::from(found.max(1));
    format!("{:.1} us, {:.1} expansions, {found} routes", ms * 1000.0 / each, f64::from(expansions) / each)
}

fn quickest_ms(mut run: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1000.0
    });
    times.fold(f64::INFINITY, f64::min)
}
