//! Which way: not always the same, not the one a mate is on, and not over a link that fails again and again.

use std::path::Path;
use std::sync::Arc;

use fireteam::craft::Craft;
use fireteam::legs::tolls::{Concerns, Constitution, Reckoning, WEIGHT};
use fireteam::legs::{Destination, Manner, Travelling};
use fireteam::searches::{Answer, Priority, Question, Searches};
use fireteam::{ConVars, Field, Skill};
use fireteam_bake::mend::Mender;
use fireteam_bake::{BakeSettings, OneThread, Unwatched};
use fireteam_terrain::{Overlay, Route, Terrain, WaypointId};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Game, Map, Vec3};

use crate::ground::{Playground, field_of, map_of};

/// A ring: a hall of 1024 by 1024 with a block in the middle, as wide to the north of it as to the south.
fn ring() -> Arc<Field> {
    let boxes = [
        ([-768, -768, -16], [768, 768, 0]),
        ([-768, -768, 192], [768, 768, 208]),
        ([-768, -768, 0], [768, -512, 192]),
        ([-768, 512, 0], [768, 768, 192]),
        ([-768, -512, 0], [-512, 512, 192]),
        ([512, -512, 0], [768, 512, 192]),
        ([-320, -320, 0], [320, 320, 192]),
    ];
    field_of(map_of("ring", &boxes, &[[-416, 0, 32], [416, 0, 32]]), "openarena")
}

const WEST: Vec3 = Vec3::new(-416.0, 0.0, 24.125);
const EAST: Vec3 = Vec3::new(416.0, 0.0, 24.125);

/// Whether somebody who walks from the west to the east goes round by the north.
fn goes_north(playground: &mut Playground, me: usize) -> bool {
    let mut north = None;
    let arrived = playground.run(20_000, |now| {
        let origin = now.origin(me);
        if origin.x.abs() < 64.0 {
            north = Some(origin.y > 0.0);
        }
        now.people[me].legs.state() == Travelling::Arrived
    });
    assert!(arrived.is_some(), "at {}", playground.origin(me));
    north.expect("he came past the middle")
}

fn goal(field: &Field, place: Vec3) -> Destination {
    Destination::Waypoint(field.terrain.nearest(place).expect("a hall").waypoint)
}

#[test]
fn by_chance_some_go_round_by_the_north_and_some_by_the_south() {
    let field = ring();
    let count = |manner: Manner| {
        // One playground each: nobody is on anybody's way. Whoever comes later draws other chance.
        let norths = (0..12).filter(|number| {
            let mut playground = Playground::new(&field);
            for _ in 0..*number {
                playground.put(Vec3::new(0.0, 0.0, 2000.0));
            }
            let me = playground.put(WEST);
            playground.people.drain(..me);
            playground.people[0].legs.go(goal(&field, EAST), manner);
            goes_north(&mut playground, 0)
        });
        norths.count()
    };
    let hurried = count(Manner::RUN);
    assert!(hurried == 0 || hurried == 12, "the quickest way is always the same: {hurried} of 12 by the north");
    assert!((2..=10).contains(&count(Manner::GO_ABOUT)), "{} of 12 by the north", count(Manner::GO_ABOUT));
}

#[test]
fn who_follows_a_mate_takes_the_other_way() {
    let field = ring();
    let mut playground = Playground::new(&field);
    playground.convars.path_variety = 0.0;
    let first = playground.put(WEST);
    let second = playground.put(WEST + Vec3::new(-40.0, 0.0, 0.0));
    playground.people[first].legs.go(goal(&field, EAST), Manner::GO_ABOUT);
    playground.run(300, |_| false);
    playground.people[second].legs.go(goal(&field, EAST), Manner::GO_ABOUT);
    let mut side_of_first = None;
    let mut side_of_second = None;
    playground.run(15_000, |now| {
        for (who, side) in [(first, &mut side_of_first), (second, &mut side_of_second)] {
            if now.origin(who).x.abs() < 64.0 {
                *side = Some(now.origin(who).y > 0.0);
            }
        }
        side_of_first.is_some() && side_of_second.is_some()
    });
    assert!(side_of_first.is_some() && side_of_second.is_some());
    assert_ne!(side_of_first, side_of_second);
}

#[test]
fn an_aggressive_bot_or_a_recruit_takes_shorter_and_more_exposed_ways_than_a_defensive_elite() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../maps/compound.map");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let map = Map::from_source("compound", &text).unwrap_or_else(|error| panic!("{error}"));
    let game = Game::named("skirmish").expect("built in");
    let settings = BakeSettings::quick().without_throws();
    let terrain = fireteam_bake::bake(&map, &game, &settings, &OneThread, &Unwatched).expect("it is baked elsewhere");
    let of = |constitution, skill| {
        let cover = Craft::of(skill, &ConVars::default()).cover;
        Concerns { constitution, cover, ..Concerns::default() }
    };
    let [aggressive, normal, defensive] = Constitution::ALL.map(|constitution| of(constitution, Skill::Elite));
    let people = [aggressive, normal, defensive, of(Constitution::Defensive, Skill::Recruit)];
    let mut sums = [[0.0; 2]; 4];
    for (concerns, sums) in people.into_iter().zip(&mut sums) {
        for from in terrain.waypoints.ids().step_by(7) {
            let to = WaypointId::from((from.index() + terrain.waypoints.len() / 2) % terrain.waypoints.len());
            if let Some(route) = asked(&terrain, from, to, concerns) {
                let seen = |index: usize| f64::from(terrain.values.exposure[index]);
                let places = route.links.iter().map(|link| terrain.links.links[link.index()].to.index());
                sums[0] += f64::from(terrain.promised_ms(&route));
                sums[1] += places.map(seen).sum::<f64>() / route.links.len().max(1) as f64;
            }
        }
    }
    let [aggressive, normal, defensive, recruit] = sums;
    assert!(aggressive[0] <= normal[0] && normal[0] < defensive[0], "milliseconds: {sums:?}");
    assert!(aggressive[1] >= normal[1] && normal[1] > defensive[1], "exposure: {sums:?}");
    assert!(recruit[0] < defensive[0] && recruit[1] > defensive[1], "{sums:?}");
}

/// The way of somebody with these concerns, chance aside.
fn asked(terrain: &Terrain, from: WaypointId, to: WaypointId, concerns: Concerns<'_>) -> Option<Route> {
    let convars = ConVars { path_variety: 0.0, ..ConVars::default() };
    let mut tolls = Vec::new();
    let (traffic, now) = (&[][..], Time(0));
    Reckoning { terrain, concerns, traffic, caution: 1, taste: 0, now, convars: &convars }.fill(&mut tolls);
    let mut searches = Searches::default();
    let question = Question { tolls: &tolls, toll_weight: WEIGHT, ..Question::quickest(from, to) };
    let ticket = searches.ask(EntityId(0), Priority::Usual, &question)?;
    searches.run(terrain, u32::MAX);
    let mut route = Route::default();
    matches!(searches.collect(ticket, &mut route), Answer::Found { .. }).then_some(route)
}

/// The ring with a link that leads straight through its block.
fn with_a_lie(field: &Arc<Field>) -> Arc<Field> {
    let lie = "fireteam overlay 1\nlink -416,0,24 416,0,24 walk 600\n";
    let overlay = Overlay::parse("lie", lie).expect("it is well written");
    played_on(field, field.terrain.with_overlay(&overlay).expect("both ends are waypoints"))
}

fn played_on(field: &Field, terrain: Terrain) -> Arc<Field> {
    let (map, solids, game) = (Arc::clone(&field.map), Arc::clone(&field.solids), Arc::clone(&field.game));
    Arc::new(Field::new(map, solids, Arc::new(terrain), game).expect("it is the same map"))
}

/// Sends somebody from the west to the east; whether he ran against the block, and how often the side was let down.
fn sent(playground: &mut Playground) -> (bool, u16) {
    let field = Arc::clone(&playground.field);
    let me = playground.put(WEST);
    playground.people[me].legs.go(goal(&field, EAST), Manner::RUN);
    let mut ran_against_it = false;
    let arrived = playground.run(30_000, |now| {
        let origin = now.origin(me);
        ran_against_it |= (-345.0..-330.0).contains(&origin.x) && origin.y.abs() < 200.0;
        now.people[me].legs.state() == Travelling::Arrived
    });
    assert!(arrived.is_some(), "he finds the way round in the end; at {}", playground.origin(me));
    // He goes home: the next one finds the place free.
    playground.people.remove(me);
    let failures = playground.searches.wear.tallies().map(|(_, _, failed)| failed).max();
    (ran_against_it, failures.unwrap_or(0))
}

#[test]
fn a_link_that_lies_is_given_up_in_this_match_and_gone_in_the_next() {
    let honest = ring();
    let field = with_a_lie(&honest);
    let mut playground = Playground::new(&field);
    playground.searches.make_room(1, &field.terrain);
    let mut believers = 0;
    while sent(&mut playground).0 {
        believers += 1;
        assert!(believers < 8, "everyone runs against it for ever");
    }
    assert!(believers > 0, "nobody believed the lie at all");
    assert!((0..5).all(|_| !sent(&mut playground).0), "those who come later know from the others");
    let worn: Vec<_> = playground.searches.wear.tallies().collect();
    let worn: Vec<_> = worn
        .into_iter()
        .map(|(link, walked, failed)| fireteam_terrain::overlay::Worn {
            link,
            walked: walked.into(),
            failed: failed.into(),
        })
        .collect();
    let mut overlay = Overlay::default();
    let mender = Mender::new(&field.map, &field.solids, &field.game, &field.terrain);
    overlay.learn(&field.terrain, &worn, |from, link| mender.walk_again(from, link));
    let text = overlay.to_string();
    assert!(text.contains("and another way leads there"), "{text}");
    let read = Overlay::parse("learnt", &text).expect("what is written can be read");
    let next = played_on(&field, field.terrain.with_overlay(&read).expect("it is for this terrain"));
    assert_eq!(next.terrain.links.links, honest.terrain.links.links, "the lie is gone, and nothing else");
    assert!(!sent(&mut Playground::new(&next)).0);
}
