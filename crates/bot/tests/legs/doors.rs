//! What stands between a bot and its goal is seen to first.

use std::sync::Arc;

use fireteam::Field;
use fireteam::legs::{Destination, Manner, Stone, Travelling, Trouble};
use fireteam_world::Vec3;

use crate::ground::{Playground, field, field_with};

const INSIDE: Vec3 = Vec3::new(-200.0, -60.0, 24.125);
const BEHIND: Vec3 = Vec3::new(200.0, 0.0, 24.125);

#[test]
fn the_button_is_a_stepping_stone_on_the_way_through_the_door() {
    let field = field("button_door", "openarena");
    let mut playground = Playground::new(&field);
    let me = playground.put(INSIDE);
    playground.people[me].legs.go(Destination::Place(BEHIND), Manner::RUN);
    let goal = Stone::Goal(Destination::Place(BEHIND));
    let mut saw_stone = false;
    let spent = playground.run(12_000, |now| {
        let legs = &now.people[me].legs;
        assert_eq!(legs.stack()[0], goal, "the goal stays below");
        saw_stone |= matches!(legs.stack(), [_, Stone::Opener(_)]);
        legs.state() == Travelling::Arrived
    });
    let legs = &playground.people[me].legs;
    assert!(spent.is_some() && saw_stone, "{:?} at {}, {:?}", legs.stack(), playground.origin(me), legs.trouble());
    assert_eq!(legs.stack(), [goal]);
}

#[test]
fn a_new_goal_drops_the_stones_of_the_old_one() {
    let field = field("button_door", "openarena");
    let mut playground = Playground::new(&field);
    let me = playground.put(INSIDE);
    playground.people[me].legs.go(Destination::Place(BEHIND), Manner::RUN);
    let lays_stone = playground.run(8000, |now| now.people[me].legs.stack().len() > 1);
    assert!(lays_stone.is_some());
    playground.people[me].legs.go(Destination::Place(INSIDE), Manner::RUN);
    assert_eq!(playground.people[me].legs.stack(), [Stone::Goal(Destination::Place(INSIDE))]);
}

#[test]
fn a_locked_door_is_no_way_for_who_has_no_key_and_one_for_who_has() {
    let field = field("key_door", "openarena");
    for keys in [0, u32::MAX] {
        let mut playground = Playground::new(&field);
        let me = playground.put(INSIDE);
        playground.people[me].own.keys = keys;
        playground.people[me].legs.go(Destination::Place(BEHIND), Manner::RUN);
        let arrives = playground.run(5000, |now| now.people[me].legs.state() == Travelling::Arrived).is_some();
        let trouble = playground.people[me].legs.trouble().map(|(_, trouble)| trouble);
        assert_eq!(arrives, keys != 0, "{trouble:?}");
        assert!(arrives || trouble == Some(Trouble::NoRoute), "{trouble:?}");
    }
}

#[test]
fn who_is_put_elsewhere_finds_another_way() {
    let field = field("two_rooms_one_door", "openarena");
    let mut playground = Playground::new(&field);
    let me = playground.put(Vec3::new(-200.0, -100.0, 24.125));
    let goal = Vec3::new(-60.0, -100.0, 24.125);
    playground.people[me].legs.go(Destination::Place(goal), Manner::RUN);
    playground.frame();
    playground.people[me].own.body.origin = Vec3::new(200.0, -100.0, 24.125);
    let spent = playground.run(8000, |now| now.people[me].legs.state() == Travelling::Arrived);
    assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    assert!(playground.origin(me).distance(goal) < 32.0);
}

#[test]
fn a_door_that_seems_shut_is_looked_at_and_then_felt_for() {
    let field = field("two_rooms_one_door", "openarena");
    let mut playground = Playground::new(&field);
    let me = playground.put(Vec3::new(-120.0, 64.0, 24.125));
    let goal = Vec3::new(120.0, 64.0, 24.125);
    playground.blindfold();
    playground.people[me].legs.go(Destination::Place(goal), Manner::RUN);
    let mut looked = false;
    let spent = playground.run(8000, |now| {
        looked |= now.people[me].legs.look_needed().is_some_and(|at| at.x > now.origin(me).x);
        now.people[me].legs.state() == Travelling::Arrived
    });
    assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    assert!(looked);
}

#[test]
fn a_lift_that_is_called_otherwise_than_thought_is_boarded_once_it_is_seen() {
    let field = field("lift", "openarena");
    let mut playground = Playground::new(&field);
    let me = playground.put(Vec3::new(-60.0, 0.0, 24.125));
    playground.misname();
    playground.people[me].legs.go(Destination::Place(Vec3::new(224.0, 0.0, 200.125)), Manner::RUN);
    playground.run(400, |_| false);
    playground.open_eyes();
    let spent = playground.run(8000, |now| now.people[me].legs.state() == Travelling::Arrived);
    assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
}

#[test]
fn what_is_to_be_shot_is_shot_from_before_the_door_it_opens() {
    let field = field_with("button_door", "openarena", |text| {
        let (button, target) = ("\"func_button\"\n", "\"func_button\"\n\"health\" \"1\"\n");
        assert!(text.contains(button));
        text.replace(button, target)
    });
    let mut playground = Playground::new(&field);
    let me = playground.put(INSIDE);
    playground.people[me].legs.go(Destination::Place(BEHIND), Manner::RUN);
    let mut shot_from = None;
    let spent = playground.run(12_000, |now| {
        let legs = &now.people[me].legs;
        shot_from = shot_from.or(legs.wants_attack().then(|| now.origin(me)));
        legs.state() == Travelling::Arrived
    });
    assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    // The door is in the middle, the target at the west end, 396 units away.
    assert!(shot_from.is_some_and(|from| from.x > -100.0), "{shot_from:?}");
}

/// The door between the two rooms, which only a shot at it opens.
fn field_with_a_door_to_shoot() -> Arc<Field> {
    field_with("two_rooms_one_door", "openarena", |text| {
        let (door, shot) = ("\"func_door\"\n", "\"func_door\"\n\"health\" \"1\"\n");
        assert!(text.contains(door));
        text.replace(door, shot)
    })
}

const WEST_OF_IT: Vec3 = Vec3::new(-200.0, 64.0, 24.125);
const EAST_OF_IT: Vec3 = Vec3::new(200.0, 64.0, 24.125);

#[test]
fn a_door_that_has_shut_unseen_is_looked_at_by_who_runs_against_it() {
    let field = field_with_a_door_to_shoot();
    let mut playground = Playground::new(&field);
    let me = playground.put(WEST_OF_IT);
    playground.people[me].legs.go(Destination::Place(EAST_OF_IT), Manner::RUN);
    assert!(playground.run(5000, |now| now.people[me].legs.state() == Travelling::Arrived).is_some());
    // It is open still, shuts, and nobody sees it.
    playground.blindfold();
    playground.run(4000, |_| false);
    playground.people[me].legs.go(Destination::Place(WEST_OF_IT), Manner::RUN);
    let looks = playground.run(3000, |now| {
        now.people[me].legs.look_needed().is_some_and(|at| at.x < now.origin(me).x) && now.origin(me).x < 64.0
    });
    assert!(looks.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    playground.open_eyes();
    let spent = playground.run(5000, |now| now.people[me].legs.state() == Travelling::Arrived);
    assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
}

#[test]
fn who_runs_against_a_lift_that_he_thinks_is_down_looks_at_it() {
    // A pillar, so that whoever is before it when it is up has a wall before him.
    let field = field_with("lift", "openarena", |text| {
        let (before, plat) = text.split_once("func_plat").expect("it is about a lift");
        let (plat, after) = plat.split_once("// entity 2").expect("lights follow it");
        let pillar = plat.replace(" 160 )", " 0 )").replace(" 161 )", " 1 )");
        format!("{before}func_plat{pillar}// entity 2{after}")
    });
    let mut playground = Playground::new(&field);
    let goal = Vec3::new(224.0, 0.0, 200.125);
    let first = playground.put(Vec3::new(-60.0, 0.0, 24.125));
    playground.blindfold();
    playground.people[first].legs.go(Destination::Place(goal), Manner::RUN);
    // It carries somebody up, who stays on it, and nobody sees it go.
    let is_up = playground.run(6000, |now| now.origin(first).z > 190.0);
    assert!(is_up.is_some(), "{}", playground.origin(first));
    playground.people[first].legs.hold();
    let me = playground.put(Vec3::new(-60.0, 0.0, 24.125));
    playground.people[me].legs.go(Destination::Place(goal), Manner::RUN);
    let looks = playground.run(4000, |now| {
        now.people[me].legs.look_needed().is_some_and(|at| at.x > now.origin(me).x) && now.origin(me).x > 40.0
    });
    assert!(looks.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
}
