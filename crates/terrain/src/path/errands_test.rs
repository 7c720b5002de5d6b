use proptest::prelude::*;

use super::*;
use crate::links::{Inward, Links};
use crate::path::{NoRoute, Progress, Route, Search, Ways};
use crate::samples;

/// What somebody has against the links of a small map.
#[derive(Clone, Debug)]
struct Grudges {
    doubts: Vec<Doubt>,
    tolls: Vec<u8>,
    weight: Cost,
}

impl Grudges {
    fn qualms(&self) -> Qualms<'_> {
        Qualms::new(&self.doubts, &[]).with_tolls(&self.tolls, self.weight)
    }
}

const WAYPOINTS: usize = 25;

fn any_grudges() -> impl Strategy<Value = Grudges> {
    let doubts = prop::collection::vec((0..80_u32, 0..20_000_u32), 0..4);
    let tolls = prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), WAYPOINTS)];
    (doubts, tolls, 0..9_u32).prop_map(|(doubts, tolls, weight)| Grudges {
        doubts: doubts.into_iter().map(|(link, cost)| Doubt { link: LinkId(link), cost }).collect(),
        tolls,
        weight,
    })
}

fn finish(search: &mut Search, ways: &impl Ways, start: WaypointId, errand: &impl Errand, slice: u32) -> Progress {
    search.begin(ways, start, errand, u32::MAX);
    loop {
        match search.run(ways, errand, slice) {
            Progress::Searching => {}
            done => return done,
        }
    }
}

/// What a route costs whoever has these qualms, link by link; its links must join.
fn paid(links: &Links, from: WaypointId, route: &Route, qualms: &Qualms) -> (WaypointId, Cost) {
    route.links.iter().fold((from, 0), |(at, cost), &id| {
        assert_eq!(links.start_of(id), at, "the links of a route join");
        let link = &links.links[id.index()];
        (link.to, cost + qualms.cost(id, link).expect("nothing is shut"))
    })
}

proptest! {
    /// From the goal or from the start, in one go or in slices, with a limit or without: what it costs is what a flood finds.
    #[test]
    fn a_wary_way_costs_what_a_flood_finds(
        links in samples::any_links(WAYPOINTS), grudges in any_grudges(), slice in 1_u32..7
    ) {
        let (times, inward, qualms) = (TravelTimes::of(&links), Inward::of(&links), grudges.qualms());
        let (mut flood, mut whole, mut sliced) = (Search::default(), Search::default(), Search::default());
        let (mut route, mut same) = (Route::default(), Route::default());
        let from = WaypointId(0);
        flood.flood(&links, from, &WarilyEverywhere { qualms });
        for to in (0..links.waypoints()).map(WaypointId::from) {
            let errand = Warily::new(&times, from, to, qualms);
            let progress = finish(&mut whole, &inward, to, &errand, u32::MAX);
            prop_assert_eq!(progress, finish(&mut sliced, &inward, to, &errand, slice));
            match flood.cost_to(to) {
                Some(cost) => {
                    prop_assert_eq!(progress, Progress::Found { destination: from, cost });
                    prop_assert!(whole.trace_on(&links, from, &mut route) && sliced.trace_on(&links, from, &mut same));
                    prop_assert_eq!(&route, &same);
                    prop_assert_eq!(paid(&links, from, &route, &qualms), (to, cost));
                }
                None => {
                    let is_exhausted = matches!(progress, Progress::NoRoute(NoRoute::Exhausted { .. }));
                    prop_assert!(is_exhausted, "{:?}", progress);
                }
            }
        }
    }

    #[test]
    fn the_cheapest_of_several_is_found(links in samples::any_links(WAYPOINTS), grudges in any_grudges(), goals in any::<u32>()) {
        let qualms = grudges.qualms();
        let mut to = Mask::none(links.waypoints());
        (0..links.waypoints()).filter(|index| goals >> index & 1 == 1).for_each(|index| to.insert(WaypointId::from(index)));
        let (mut flood, mut search) = (Search::default(), Search::default());
        flood.flood(&links, WaypointId(0), &WarilyEverywhere { qualms });
        let cheapest = to.iter().filter_map(|goal| flood.cost_to(goal)).min();
        match finish(&mut search, &links, WaypointId(0), &WarilyToAny { to: &to, qualms }, 3) {
            Progress::Found { destination, cost } => {
                prop_assert!(to.contains(destination));
                prop_assert_eq!(Some(cost), cheapest);
            }
            done => prop_assert!(cheapest.is_none(), "{:?}", done),
        }
    }

    #[test]
    fn a_hiding_place_is_unseen_some_way_off_and_the_cheapest_such(
        links in samples::any_links(WAYPOINTS), seen in any::<u32>(), travel_ms_min in 0..3000_u32, slice in 1_u32..7
    ) {
        let (times, qualms) = (TravelTimes::of(&links), Qualms::default());
        let mut mask = Mask::none(links.waypoints());
        (0..links.waypoints()).filter(|index| seen >> index & 1 == 1).for_each(|index| mask.insert(WaypointId::from(index)));
        let start = WaypointId(0);
        let errand = HideFrom { seen: &mask, times: &times, start, travel_ms_min, qualms };
        let (mut flood, mut search, mut sliced) = (Search::default(), Search::default(), Search::default());
        flood.flood(&links, start, &WarilyEverywhere { qualms });
        let hides = |id: &WaypointId| !mask.contains(*id) && times.about_ms(start, *id).is_some_and(|ms| ms >= travel_ms_min);
        let places = (0..links.waypoints()).map(WaypointId::from).filter(hides);
        let cheapest = places.filter_map(|place| flood.cost_to(place)).min();
        let progress = finish(&mut search, &links, start, &errand, u32::MAX);
        prop_assert_eq!(progress, finish(&mut sliced, &links, start, &errand, slice));
        match progress {
            Progress::Found { destination, cost } => prop_assert!(hides(&destination) && Some(cost) == cheapest),
            done => prop_assert!(cheapest.is_none(), "{:?}", done),
        }
    }
}

#[test]
fn a_shut_door_is_no_way_and_a_toll_is_worth_a_detour() {
    let mut door = samples::walk(0, 1, 100);
    door.1.mover = MoverId(3);
    let links = Links::gather(3, vec![door, samples::walk(0, 2, 200), samples::walk(2, 1, 200)]);
    let (times, inward) = (TravelTimes::of(&links), Inward::of(&links));
    let mut search = Search::default();
    let mut cost = |qualms| match finish(
        &mut search,
        &inward,
        WaypointId(1),
        &Warily::new(&times, WaypointId(0), WaypointId(1), qualms),
        9,
    ) {
        Progress::Found { cost, .. } => Some(cost),
        Progress::Searching | Progress::NoRoute(_) => None,
    };
    assert_eq!(cost(Qualms::default()), Some(100));
    assert_eq!(cost(Qualms::new(&[], &[MoverId(3)])), Some(400));
    // A doubt about the door that costs more than the detour, and one that does not.
    assert_eq!(cost(Qualms::new(&[Doubt { link: LinkId(0), cost: 500 }], &[])), Some(400));
    assert_eq!(cost(Qualms::new(&[Doubt { link: LinkId(0), cost: 200 }], &[])), Some(300));
    // The waypoint on the detour is in somebody's sight.
    let qualms = Qualms::new(&[], &[MoverId(3)]).with_tolls(&[0, 0, 255], 4);
    assert_eq!(cost(qualms), Some(400 + 199 * 4));
}

#[test]
fn who_would_not_survive_a_fall_goes_round_and_jumps_only_if_there_is_no_other_way() {
    let mut fall = samples::walk(0, 1, 100);
    fall.1.damage = 10;
    let links = Links::gather(3, vec![fall, samples::walk(0, 2, 200), samples::walk(2, 1, 200)]);
    let cost = |links: &Links, health: Option<u8>| {
        let (times, inward) = (TravelTimes::of(links), Inward::of(links));
        let errand = Warily::new(&times, WaypointId(0), WaypointId(1), Qualms::default().with_health(health, 0));
        match finish(&mut Search::default(), &inward, WaypointId(1), &errand, 9) {
            Progress::Found { cost, .. } => cost,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(cost(&links, None), 100);
    assert_eq!(cost(&links, Some(11)), 100, "it hurts and does not kill");
    assert_eq!(cost(&links, Some(10)), 400);
    assert!(cost(&Links::gather(2, vec![fall]), Some(10)) > 400);
}

#[test]
fn who_has_time_goes_round_a_fall_that_costs_more_than_the_way() {
    let mut fall = samples::walk(0, 1, 100);
    fall.1.damage = 10;
    let links = Links::gather(3, vec![fall, samples::walk(0, 2, 200), samples::walk(2, 1, 200)]);
    let (times, inward) = (TravelTimes::of(&links), Inward::of(&links));
    let cost = |harm_ms: Cost| {
        let errand = Warily::new(&times, WaypointId(0), WaypointId(1), Qualms::default().with_health(None, harm_ms));
        match finish(&mut Search::default(), &inward, WaypointId(1), &errand, 9) {
            Progress::Found { cost, .. } => cost,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((cost(0), cost(20), cost(40)), (100, 300, 400));
}

#[test]
fn who_sees_what_becomes_a_mask_and_a_toll() {
    let terrain = samples::terrain(64, 5);
    let watchers = [WaypointId(3), WaypointId(40)];
    let (mut seen, mut tolls) = (Mask::default(), Vec::new());
    terrain.fill_seen_by(&watchers, &mut seen);
    terrain.fill_exposure(&watchers, &mut tolls);
    for id in terrain.waypoints.ids() {
        let seers = watchers.iter().filter(|watcher| terrain.sees(**watcher, id)).count();
        assert_eq!(seen.contains(id), seers > 0 || watchers.contains(&id), "w{}", id.0);
        assert_eq!(usize::from(tolls[id.index()]), seers * 255 / 2, "w{}", id.0);
    }
    terrain.fill_exposure(&[], &mut tolls);
    assert_eq!(tolls, terrain.values.exposure);
}

#[test]
fn whereabouts_grow_with_time_and_shrink_with_what_is_known() {
    let terrain = samples::terrain(64, 5);
    let (mut soon, mut late) = (Mask::default(), Mask::default());
    terrain.fill_whereabouts(WaypointId(9), 0, |_| false, &mut soon);
    terrain.fill_whereabouts(WaypointId(9), 60_000, |id| id == WaypointId(9), &mut late);
    assert!(soon.contains(WaypointId(9)) && !late.contains(WaypointId(9)));
    assert!(late.count() > soon.count(), "{} {}", soon.count(), late.count());
}
