//! Not alone: past who stands there, past who comes the other way, in wide places and in narrow ones.

use std::sync::Arc;

use fireteam::Field;
use fireteam::legs::{Destination, Manner, Travelling};
use fireteam_world::Vec3;

use crate::ground::{Playground, field, field_of, field_with, map_of};

/// Two rooms of 512 by 512 in the west and the east, and a corridor 512 long and so wide between them. With a second corridor
/// north of it, if asked for.
pub(crate) fn rooms(width: i32, has_detour: bool) -> Arc<Field> {
    let half = width / 2;
    let mut boxes = vec![
        ([-1024, -512, -16], [1024, 512, 0]),
        ([-1024, -512, 192], [1024, 512, 208]),
        ([-1024, -512, 0], [1024, -256, 192]),
        ([-1024, 256, 0], [1024, 512, 192]),
        ([-1024, -256, 0], [-768, 256, 192]),
        ([768, -256, 0], [1024, 256, 192]),
        ([-256, -256, 0], [256, -half, 192]),
    ];
    if has_detour {
        boxes.extend([([-256, half, 0], [256, 160, 192]), ([-256, 224, 0], [256, 256, 192])]);
    } else {
        boxes.push(([-256, half, 0], [256, 256, 192]));
    }
    field_of(map_of("rooms", &boxes, &[[-512, 0, 32], [512, 0, 32]]), "openarena")
}

const WEST: Vec3 = Vec3::new(-512.0, 0.0, 24.125);
pub(crate) const EAST: Vec3 = Vec3::new(512.0, 0.0, 24.125);

fn all_arrive(playground: &mut Playground, who: &[usize], limit_ms: i32) -> Option<i32> {
    playground.run(limit_ms, |now| who.iter().all(|index| now.people[*index].legs.state() == Travelling::Arrived))
}

#[test]
fn who_stands_in_a_corridor_is_walked_around() {
    for (width, place) in [(104, 0.0), (112, 0.0), (128, 0.0), (128, 20.0), (128, -20.0), (256, 0.0)] {
        let field = rooms(width, false);
        let mut playground = Playground::new(&field);
        let me = playground.put(WEST);
        playground.put(Vec3::new(0.0, place, 24.125));
        playground.people[me].legs.go(Destination::Place(EAST), Manner::RUN);
        let spent = all_arrive(&mut playground, &[me], 6000);
        assert!(spent.is_some(), "{width} wide, stands at {place}: {}", playground.origin(me));
    }
}

#[test]
fn two_who_meet_pass_each_other() {
    for width in [80, 96, 128, 256] {
        let field = rooms(width, false);
        let mut playground = Playground::new(&field);
        let (one, two) = (playground.put(WEST), playground.put(EAST));
        playground.people[one].legs.go(Destination::Place(EAST), Manner::RUN);
        playground.people[two].legs.go(Destination::Place(WEST), Manner::RUN);
        let spent = all_arrive(&mut playground, &[one, two], 7000);
        assert!(spent.is_some(), "{width} wide: {} {}", playground.origin(one), playground.origin(two));
    }
}

#[test]
fn in_a_narrow_place_one_gives_way() {
    for width in [40, 56] {
        let field = rooms(width, false);
        let mut playground = Playground::new(&field);
        let (one, two) = (playground.put(WEST), playground.put(EAST));
        playground.people[one].legs.go(Destination::Place(EAST), Manner::RUN);
        playground.people[two].legs.go(Destination::Place(WEST), Manner::RUN);
        let spent = all_arrive(&mut playground, &[one, two], 20_000);
        let origins = (playground.origin(one), playground.origin(two));
        assert!(spent.is_some(), "{width} wide: {origins:?} {:?}", playground.people[two].legs.trouble());
    }
}

#[test]
fn who_waits_in_a_corridor_lets_others_through() {
    let field = rooms(40, false);
    let mut playground = Playground::new(&field);
    let (me, waiting) = (playground.put(WEST), playground.put(Vec3::new(0.0, 0.0, 24.125)));
    playground.people[waiting].legs.stay(false, "waits for somebody to come");
    playground.people[me].legs.go(Destination::Place(EAST), Manner::RUN);
    let spent = all_arrive(&mut playground, &[me], 10_000);
    assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
}

#[test]
fn who_waits_where_there_is_room_to_pass_stays_where_he_is() {
    let field = rooms(128, false);
    let mut playground = Playground::new(&field);
    let place = Vec3::new(0.0, 0.0, 24.125);
    let (me, waiting) = (playground.put(WEST), playground.put(place));
    playground.people[waiting].legs.stay(false, "waits for somebody to come");
    playground.people[me].legs.go(Destination::Place(EAST), Manner::RUN);
    assert!(all_arrive(&mut playground, &[me], 6000).is_some());
    assert!(playground.origin(waiting).distance(place) < 1.0, "{}", playground.origin(waiting));
}

#[test]
fn who_never_moves_is_avoided_by_another_way() {
    let field = rooms(40, true);
    let mut playground = Playground::new(&field);
    let me = playground.put(WEST);
    let still = playground.put(Vec3::new(0.0, 0.0, 24.125));
    playground.people[still].own.body.speed = 0;
    playground.people[me].legs.go(Destination::Place(EAST), Manner::RUN);
    let mut was_north = false;
    let spent = playground.run(20_000, |now| {
        was_north |= now.origin(me).y > 150.0;
        now.people[me].legs.state() == Travelling::Arrived
    });
    assert!(spent.is_some() && was_north, "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
}

#[test]
fn eight_change_sides_through_one_corridor() {
    let field = rooms(128, false);
    let mut playground = Playground::new(&field);
    let mut everybody = Vec::new();
    for row in 0..4 {
        let aside = Vec3::Y * (row as f32 * 80.0 - 120.0);
        let (west, east) = (playground.put(WEST + aside), playground.put(EAST + aside));
        playground.people[west].legs.go(Destination::Place(EAST - aside), Manner::RUN);
        playground.people[east].legs.go(Destination::Place(WEST - aside), Manner::RUN);
        everybody.extend([west, east]);
    }
    let spent = all_arrive(&mut playground, &everybody, 20_000);
    let left: Vec<_> =
        everybody.iter().map(|index| (playground.origin(*index), playground.people[*index].legs.state())).collect();
    assert!(spent.is_some(), "{left:?}");
}

#[test]
fn a_place_where_somebody_stands_is_as_good_as_reached() {
    let field = rooms(128, false);
    let mut playground = Playground::new(&field);
    let me = playground.put(WEST);
    playground.put(EAST);
    playground.people[me].legs.go(Destination::Place(EAST), Manner::RUN);
    let spent = all_arrive(&mut playground, &[me], 5000);
    assert!(spent.is_some() && playground.origin(me).distance(EAST) < 64.0, "{}", playground.origin(me));
}

#[test]
fn four_take_the_lift_and_none_stands_where_it_comes_down() {
    let field = field("lift", "openarena");
    let mut playground = Playground::new(&field);
    let top = Vec3::new(224.0, 0.0, 200.125);
    let everybody: Vec<usize> =
        [-90.0, -30.0, 30.0, 90.0].iter().map(|y| playground.put(Vec3::new(-60.0, *y, 24.125))).collect();
    for (index, who) in everybody.iter().enumerate() {
        let aside = Vec3::Y * (index as f32 * 60.0 - 90.0);
        playground.people[*who].legs.go(Destination::Place(top + aside), Manner::RUN);
    }
    let spent = all_arrive(&mut playground, &everybody, 30_000);
    let left: Vec<_> =
        everybody.iter().map(|index| (playground.origin(*index), playground.people[*index].legs.trouble())).collect();
    assert!(spent.is_some(), "{left:?}");
}

#[test]
fn who_is_under_a_lift_leaves_though_others_wait_before_it() {
    // At rest it stands out of the floor a little, so that whoever is under it is where it would come to.
    let field = field_with("lift", "openarena", |text| text.replace("\"height\" \"176\"", "\"height\" \"170\""));
    let waiting = [Vec3::new(20.0, 0.0, 24.125), Vec3::new(20.0, -31.0, 24.125)];
    for count in 1..=waiting.len() {
        let mut playground = Playground::new(&field);
        let rider = playground.put(Vec3::new(112.0, 0.0, 30.25));
        playground.people[rider].legs.go(Destination::Place(Vec3::new(280.0, 120.0, 200.125)), Manner::RUN);
        assert!(all_arrive(&mut playground, &[rider], 8000).is_some(), "the lift is up: {}", playground.origin(rider));
        let me = playground.put(Vec3::new(112.0, 0.0, 24.125));
        for place in &waiting[..count] {
            playground.put(*place);
        }
        playground.people[me].legs.go(Destination::Place(Vec3::new(224.0, 0.0, 200.125)), Manner::RUN);
        let left = playground.run(4000, |now| now.origin(me).x < 49.0);
        assert!(left.is_some(), "{count} wait: {} {:?}", playground.origin(me), playground.people[me].legs.trouble());
        let spent = all_arrive(&mut playground, &[me], 10_000);
        assert!(spent.is_some(), "{count} wait: {} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    }
}
