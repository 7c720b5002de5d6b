//! Routes a second against the A* of the `pathfinding` crate, over the links of real maps.
//!
//! Both are asked the same pairs of waypoints and must agree on every cost. The crate gets what serves it best: the links'
//! ends and costs side by side in one array, and the terrain's landmarks as its bound. Ours is what bots ask
//! ([`Warily`]): from the goal, with the table of travel times as bound and limit. What the crate makes of that table, over
//! links turned round, stands in the note.

use anyhow::Result;
use fireteam_world::Game;

use super::super::Course;
use super::super::report::{Must, Row};
use crate::bake::Watch;
use crate::terrains;

/// Two houses, the highest of the maps, and a large outdoor one.
const MAPS: [&str; 4] = ["oa_dm1", "oa_dm6", "kaos2", "ctf_compromise"];
const MUST: Must = Must::AtLeast(3.0);

pub(super) fn rows(course: &Course, watch: &Watch) -> Result<Vec<Row>> {
    let game = Game::named("openarena").expect("a test reads every description that is built in");
    let mut rows = Vec::new();
    for name in MAPS {
        let terrain = terrains::terrain(&course.map(name)?, &game, watch)?;
        eprintln!("{name}: racing pathfinding");
        rows.push(race(course, format!("{name}: routes v pathfinding"), &terrain)?);
    }
    Ok(rows)
}

#[cfg(feature = "bench")]
use peer::race;

#[cfg(not(feature = "bench"))]
fn race(_: &Course, name: String, _: &fireteam_terrain::Terrain) -> Result<Row> {
    Ok(Row::missing(name, "times", MUST, "built without pathfinding: build with `--features bench`"))
}

#[cfg(feature = "bench")]
mod peer {
    use std::time::Duration;

    use anyhow::{Result, ensure};
    use fireteam_openarena::clock::timed;
    use fireteam_terrain::path::errands::{Qualms, Warily};
    use fireteam_terrain::path::{Cost, Errand, Progress};
    use fireteam_terrain::{Links, Route, Search, Terrain, WaypointId};
    use fireteam_world::pcg::Pcg;
    use pathfinding::directed::astar::astar;

    use super::super::super::Course;
    use super::super::super::duel::Duel;
    use super::super::super::report::Row;
    use super::MUST;

    const PAIRS: usize = 2000;
    /// No bound may be added to a cost and overflow.
    const FAR: Cost = 1 << 24;

    type Pair = (WaypointId, WaypointId);

    /// Links as the crate is given them.
    struct Graph<'a> {
        first: &'a [u32],
        ways: Vec<(WaypointId, Cost)>,
    }

    impl Graph<'_> {
        fn of(links: &Links) -> Graph<'_> {
            let ways = links.links.iter().map(|link| (link.to, link.expected_ms())).collect();
            Graph { first: &links.first, ways }
        }

        fn from(&self, at: WaypointId) -> impl Iterator<Item = (WaypointId, Cost)> + '_ {
            let (first, end) = (self.first[at.index()] as usize, self.first[at.index() + 1] as usize);
            self.ways[first..end].iter().copied()
        }
    }

    pub(super) fn race(course: &Course, name: String, terrain: &Terrain) -> Result<Row> {
        let pairs = pairs_of(terrain, course.count(PAIRS), course.seed);
        let reversed = terrain.links.reversed();
        let (graph, turned) = (Graph::of(&terrain.links), Graph::of(&reversed));
        let mut search = Search::default();
        let costs = [ours(terrain, &pairs, &mut search).1, theirs(terrain, &graph, &pairs).1];
        ensure!(costs[0] == costs[1], "the two disagree about the costs of routes: {} and {}", costs[0], costs[1]);
        let duel = Duel::run(
            course.rounds,
            pairs.len(),
            || Ok(theirs(terrain, &graph, &pairs).0),
            || Ok(ours(terrain, &pairs, &mut search).0),
        )?;
        let same_bound = Duel::run(
            course.rounds,
            pairs.len(),
            || Ok(theirs_turned(terrain, &turned, &pairs)),
            || Ok(ours(terrain, &pairs, &mut search).0),
        )?;
        let (waypoints, links) = (terrain.waypoints.len(), terrain.links.links.len());
        let with_table = same_bound.ratio();
        let remark = format!("{waypoints} waypoints, {links} links; {with_table:.2} times with our bound for both");
        Ok(duel.row(name, MUST, "pathfinding", &remark))
    }

    /// Pairs that links connect.
    fn pairs_of(terrain: &Terrain, count: usize, seed: u64) -> Vec<Pair> {
        let mut chance = Pcg::named(seed, "routes");
        let ids: Vec<WaypointId> = terrain.waypoints.ids().collect();
        let pairs = std::iter::repeat_with(|| (*chance.pick(&ids), *chance.pick(&ids)));
        pairs.filter(|(from, to)| from != to && terrain.islands.connect(*from, *to)).take(count).collect()
    }

    /// The time for all routes, and what they cost together.
    fn ours(terrain: &Terrain, pairs: &[Pair], search: &mut Search) -> (Duration, u64) {
        let mut route = Route::default();
        let (sum, time) = timed(|| {
            pairs.iter().fold(0, |sum, (from, to)| {
                let errand = Warily::new(&terrain.times, *from, *to, Qualms::default());
                search.begin(&terrain.inward, *to, &errand, u32::MAX);
                while search.run(&terrain.inward, &errand, u32::MAX) == Progress::Searching {}
                search.trace_on(&terrain.links, *from, &mut route);
                sum + u64::from(std::hint::black_box(&route).cost)
            })
        });
        (time, sum)
    }

    fn theirs(terrain: &Terrain, graph: &Graph, pairs: &[Pair]) -> (Duration, u64) {
        let (sum, time) = timed(|| {
            pairs.iter().fold(0, |sum, (from, to)| {
                let bound = terrain.landmarks.bound_to(*to);
                let at_least = |at: &WaypointId| bound.at_least_ms(*at).min(FAR);
                let found = astar(from, |at| graph.from(*at), at_least, |at| at == to);
                sum + std::hint::black_box(found).map_or(0, |(_, cost)| u64::from(cost))
            })
        });
        (time, sum)
    }

    fn theirs_turned(terrain: &Terrain, turned: &Graph, pairs: &[Pair]) -> Duration {
        let (_, time) = timed(|| {
            for (from, to) in pairs {
                let errand = Warily::new(&terrain.times, *from, *to, Qualms::default());
                let at_least = |at: &WaypointId| errand.at_least(*at).min(FAR);
                std::hint::black_box(astar(to, |at| turned.from(*at), at_least, |at| at == from));
            }
        });
        time
    }
}
