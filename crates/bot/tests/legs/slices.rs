//! Many questions, one budget: who is answered when, and that slices change nothing.

use fireteam::searches::{Answer, Priority, Question, Searches, Target};
use fireteam_terrain::{Route, Search, Terrain, WaypointId};
use fireteam_world::units::EntityId;

use crate::ground::field;

const ME: EntityId = EntityId(7);

/// Waypoints far apart, so that a search takes a while.
fn ends(terrain: &Terrain) -> (WaypointId, WaypointId) {
    let from = WaypointId(0);
    let row = terrain.times.row(from);
    let reached = terrain.waypoints.ids().filter(|id| row[id.index()] != 255);
    (from, reached.max_by_key(|id| row[id.index()]).expect("a map has waypoints"))
}

#[test]
fn any_budget_gives_the_route_of_one_go() {
    let field = field("stairs", "openarena");
    let terrain = &field.terrain;
    let (from, to) = ends(terrain);
    let whole = terrain.route(&mut Search::default(), from, to).expect("it is reached");
    for budget in [1, 2, 7, 1000] {
        let mut searches = Searches::default();
        let ticket = searches.ask(ME, Priority::Usual, &Question::quickest(from, to)).expect("there is room");
        let mut route = Route::default();
        let mut frames = 0;
        let answer = loop {
            searches.run(terrain, budget);
            assert!(searches.load().0 <= budget, "no more than the budget");
            frames += 1;
            match searches.collect(ticket, &mut route) {
                Answer::Pending => {}
                answer => break answer,
            }
        };
        assert_eq!(answer, Answer::Found { destination: to, cost: whole.cost });
        assert!(budget < 1000 || frames == 1, "{frames} frames");
        let ends = route.links.iter().fold(from, |at, id| {
            assert_eq!(terrain.links.start_of(*id), at);
            terrain.links.links[id.index()].to
        });
        assert_eq!(ends, to);
        assert_eq!(searches.collect(ticket, &mut route), Answer::Withdrawn, "a ticket is good once");
    }
}

#[test]
fn the_urgent_is_answered_first_and_the_withdrawn_never() {
    let field = field("stairs", "openarena");
    let terrain = &field.terrain;
    let (from, to) = ends(terrain);
    let question = Question::quickest(from, to);
    let mut searches = Searches::default();
    let idle = searches.ask(ME, Priority::Idle, &question).expect("there is room");
    let gone = searches.ask(EntityId(8), Priority::Urgent, &question).expect("there is room");
    let urgent = searches.ask(ME, Priority::Urgent, &question).expect("there is room");
    searches.withdraw_all_of(EntityId(8));
    let mut route = Route::default();
    assert_eq!(searches.collect(gone, &mut route), Answer::Withdrawn);
    while searches.collect(urgent, &mut route) == Answer::Pending {
        assert_eq!(searches.collect(idle, &mut route), Answer::Pending);
        searches.run(terrain, 1);
    }
    assert_eq!(searches.collect(idle, &mut route), Answer::Pending, "it had to wait");
    searches.run(terrain, 100_000);
    assert!(matches!(searches.collect(idle, &mut route), Answer::Found { .. }));
    assert_eq!(searches.load().1, 0);
}

#[test]
fn a_flood_agrees_with_the_table_of_travel_times() {
    let field = field("stairs", "openarena");
    let terrain = &field.terrain;
    let from = WaypointId(3);
    let mut searches = Searches::default();
    let question = Question { target: Target::Everywhere, ..Question::quickest(from, from) };
    let ticket = searches.ask(ME, Priority::Idle, &question).expect("there is room");
    let mut costs = Vec::new();
    while searches.collect_costs(ticket, &mut costs) == Answer::Pending {
        searches.run(terrain, 5);
    }
    assert_eq!(costs.len(), terrain.waypoints.len());
    for id in terrain.waypoints.ids() {
        let step = terrain.times.row(from)[id.index()];
        let flooded =
            if costs[id.index()] == u32::MAX { 255 } else { fireteam_terrain::TravelTimes::step_of(costs[id.index()]) };
        assert_eq!(step, flooded, "w{}", id.0);
    }
}

#[test]
fn more_questions_than_fit_are_told_to_come_back() {
    let field = field("stairs", "openarena");
    let terrain = &field.terrain;
    let (from, to) = ends(terrain);
    let mut searches = Searches::default();
    let asked =
        (0..1000).take_while(|_| searches.ask(ME, Priority::Usual, &Question::quickest(from, to)).is_some()).count();
    assert!((64..1000).contains(&asked), "{asked}");
    searches.withdraw_all_of(ME);
    searches.run(terrain, 100);
    assert!(searches.ask(ME, Priority::Usual, &Question::quickest(from, to)).is_some());
}
