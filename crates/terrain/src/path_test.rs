use proptest::prelude::*;

use super::*;
use crate::islands::Islands;
use crate::samples;

fn finish(search: &mut Search, links: &Links, errand: &impl Errand, slice: u32) -> Progress {
    loop {
        match search.run(links, errand, slice) {
            Progress::Searching => {}
            done => return done,
        }
    }
}

fn all_errands_of<'a>(links: &Links, landmarks: &'a Landmarks) -> Vec<Quickest<'a>> {
    (0..links.waypoints()).map(|to| Quickest::new(landmarks, WaypointId::from(to))).collect()
}

proptest! {
    #[test]
    fn a_search_costs_what_a_flood_finds(links in samples::any_links(25), landmarks in 0_usize..5) {
        let landmarks = Landmarks::choose(&links, &Islands::of(&links), landmarks);
        let (mut flood, mut search, mut route) = (Search::default(), Search::default(), Route::default());
        let start = WaypointId(0);
        flood.flood(&links, start, &Everywhere);
        for errand in all_errands_of(&links, &landmarks) {
            search.begin(&links, start, &errand, u32::MAX);
            let progress = finish(&mut search, &links, &errand, u32::MAX);
            match flood.cost_to(errand.to()) {
                Some(cost) => {
                    prop_assert_eq!(progress, Progress::Found { destination: errand.to(), cost });
                    prop_assert!(search.trace_back(&links, errand.to(), &mut route));
                    prop_assert_eq!(walked(&links, start, &route), (errand.to(), cost));
                    prop_assert_eq!(route.cost, cost);
                }
                None => {
                    let is_exhausted = matches!(progress, Progress::NoRoute(NoRoute::Exhausted { .. }));
                    prop_assert!(is_exhausted, "{:?}", progress);
                }
            }
        }
    }

    #[test]
    fn slices_do_not_change_the_answer(links in samples::any_links(25), slice in 1_u32..7) {
        let landmarks = Landmarks::choose(&links, &Islands::of(&links), 2);
        let (mut whole, mut sliced) = (Search::default(), Search::default());
        let (mut route_whole, mut route_sliced) = (Route::default(), Route::default());
        for errand in all_errands_of(&links, &landmarks) {
            whole.begin(&links, WaypointId(0), &errand, u32::MAX);
            sliced.begin(&links, WaypointId(0), &errand, u32::MAX);
            let progress = finish(&mut whole, &links, &errand, u32::MAX);
            prop_assert_eq!(progress, finish(&mut sliced, &links, &errand, slice));
            prop_assert_eq!(whole.expansions(), sliced.expansions());
            whole.trace_back(&links, errand.to(), &mut route_whole);
            sliced.trace_back(&links, errand.to(), &mut route_sliced);
            prop_assert_eq!(&route_whole, &route_sliced);
        }
    }
}

/// Where following the links leads, and what they take together.
fn walked(links: &Links, start: WaypointId, route: &Route) -> (WaypointId, Cost) {
    route.links.iter().fold((start, 0), |(at, cost), &id| {
        assert_eq!(links.start_of(id), at, "the links of a route join");
        let link = links.links[id.index()];
        (link.to, cost + Cost::from(link.time_ms))
    })
}

/// A ring of six, one way round.
fn ring() -> Links {
    Links::gather(6, (0..6).map(|from| samples::walk(from, (from + 1) % 6, 100)).collect())
}

#[test]
fn a_limit_is_told_from_a_dead_end() {
    let links = ring();
    let landmarks = Landmarks::default();
    let errand = Quickest::new(&landmarks, WaypointId(5));
    let mut search = Search::default();
    search.begin(&links, WaypointId(0), &errand, 3);
    assert_eq!(finish(&mut search, &links, &errand, 2), Progress::NoRoute(NoRoute::LimitReached { expansions: 3 }));
    search.begin(&links, WaypointId(0), &errand, 5);
    assert_eq!(finish(&mut search, &links, &errand, 2), Progress::Found { destination: WaypointId(5), cost: 500 });
}

/// Cannot pass one waypoint.
struct Barred(WaypointId);

impl Errand for Barred {
    fn cost(&self, _: WaypointId, _: LinkId, link: &Link) -> Option<Cost> {
        (link.to != self.0).then_some(Cost::from(link.time_ms))
    }

    fn at_least(&self, _: WaypointId) -> Cost {
        0
    }

    fn is_destination(&self, waypoint: WaypointId) -> bool {
        waypoint == WaypointId(5)
    }
}

#[test]
fn a_closed_link_is_not_taken() {
    let links = ring();
    let mut search = Search::default();
    let errand = Barred(WaypointId(3));
    search.begin(&links, WaypointId(0), &errand, u32::MAX);
    assert_eq!(finish(&mut search, &links, &errand, 100), Progress::NoRoute(NoRoute::Exhausted { expansions: 3 }));
    assert_eq!(search.cost_to(WaypointId(2)), Some(200));
    assert_eq!(search.cost_to(WaypointId(4)), None);
}

#[test]
fn the_nearest_of_several_is_found() {
    let links = ring();
    let mut goals = Mask::none(6);
    goals.insert(WaypointId(2));
    goals.insert(WaypointId(4));
    let errand = QuickestOf { to: &goals };
    let mut search = Search::default();
    search.begin(&links, WaypointId(3), &errand, u32::MAX);
    assert_eq!(finish(&mut search, &links, &errand, 1), Progress::Found { destination: WaypointId(4), cost: 100 });
}

#[test]
fn of_two_equal_ways_always_the_same_is_taken() {
    let each =
        vec![samples::walk(0, 1, 100), samples::walk(0, 2, 100), samples::walk(1, 3, 100), samples::walk(2, 3, 100)];
    let links = Links::gather(4, each);
    let landmarks = Landmarks::default();
    let errand = Quickest::new(&landmarks, WaypointId(3));
    let mut search = Search::default();
    let mut route = Route::default();
    for _ in 0..3 {
        search.begin(&links, WaypointId(0), &errand, u32::MAX);
        finish(&mut search, &links, &errand, 1);
        search.trace_back(&links, WaypointId(3), &mut route);
        assert_eq!(route.links, [LinkId(0), LinkId(2)]);
    }
}

#[test]
fn islands_without_a_bridge_need_no_search() {
    let terrain = samples::terrain(64, 5);
    let mut parts = terrain.into_parts();
    parts.links = Links::gather(64, vec![samples::walk(0, 1, 100)]);
    let terrain = Terrain::assemble(parts).unwrap();
    let mut search = Search::default();
    let route = terrain.route(&mut search, WaypointId(0), WaypointId(1)).unwrap();
    assert_eq!((route.links.len(), route.cost), (1, 100));
    let (from, to) = (WaypointId(1), WaypointId(0));
    assert_eq!(terrain.route(&mut search, from, to), Err(NoRoute::NotConnected { from, to }));
}
