//! From anywhere to anywhere.

use fireteam::legs::{Destination, Manner, Travelling, Trouble};
use fireteam_terrain::{WaypointFlags, WaypointId};
use fireteam_world::Vec3;

use crate::ground::{Playground, field, field_of, map_of};

/// Nobody who is put there stands there.
const NO_START: WaypointFlags = WaypointFlags(
    WaypointFlags::CROUCH_ONLY.0 | WaypointFlags::PAD.0 | WaypointFlags::TELEPORTER.0 | WaypointFlags::ON_MOVER.0,
);
/// Goals lie so many waypoints further on from start to start: a prime, so that they differ.
const STRIDE: usize = 37;

#[test]
fn journeys_arrive_about_when_the_table_says() {
    for name in ["stairs", "pit", "lift", "jump_pad", "water", "ladder", "two_rooms_one_door", "button_door"] {
        let field = field(name, "skirmish");
        let terrain = &field.terrain;
        let (mut walked, mut late) = (0, Vec::new());
        for from in terrain.waypoints.ids().filter(|id| !terrain.waypoints.flags[id.index()].meets(NO_START)) {
            let to = WaypointId::from((from.index() + STRIDE) % terrain.waypoints.len());
            let Some(promised_ms) = terrain.times.about_ms(from, to) else { continue };
            // Nobody stays on a pad.
            if terrain.waypoints.flags[to.index()].meets(WaypointFlags::PAD) {
                continue;
            }
            let mut playground = Playground::new(&field);
            let me = playground.put(terrain.waypoints.origin[from.index()]);
            playground.people[me].legs.go(Destination::Waypoint(to), Manner::RUN);
            let limit_ms = promised_ms as i32 * 2 + 1000;
            let spent = playground.run(limit_ms, |now| now.people[me].legs.state() == Travelling::Arrived);
            walked += 1;
            if spent.is_none() {
                let legs = &playground.people[me].legs;
                late.push(format!(
                    "w{} to w{}, {promised_ms} ms promised: {:?} {:?} at {}",
                    from.0,
                    to.0,
                    legs.state(),
                    legs.trouble(),
                    playground.origin(me)
                ));
            }
        }
        assert!(walked > 20, "{name}: {walked} journeys");
        assert!(late.len() * 50 <= walked, "{name}: {} of {walked}: {late:#?}", late.len());
    }
}

#[test]
fn who_cannot_get_there_says_so_and_does_not_run_against_the_wall() {
    // Two rooms of 512 by 512 with a wall between them, and no door.
    let boxes = [
        ([-1024, -512, -16], [1024, 512, 0]),
        ([-1024, -512, 192], [1024, 512, 208]),
        ([-1024, -512, 0], [1024, -256, 192]),
        ([-1024, 256, 0], [1024, 512, 192]),
        ([-1024, -256, 0], [-768, 256, 192]),
        ([768, -256, 0], [1024, 256, 192]),
        ([-256, -256, 0], [256, 256, 192]),
    ];
    let field = field_of(map_of("apart", &boxes, &[[-512, 0, 32], [512, 0, 32]]), "openarena");
    let (west, east) = (Vec3::new(-512.0, 0.0, 24.125), Vec3::new(512.0, 0.0, 24.125));
    let mut playground = Playground::new(&field);
    let me = playground.put(west);
    playground.people[me]
        .legs
        .go(Destination::Waypoint(field.terrain.nearest(east).expect("a room").waypoint), Manner::RUN);
    let no_route = Travelling::Failed(Trouble::NoRoute);
    let spent = playground.run(1000, |now| now.people[me].legs.state() == no_route);
    assert!(spent.is_some(), "{:?}", playground.people[me].legs.state());
    playground.run(2000, |_| false);
    assert!(playground.origin(me).distance(west) < 1.0, "{}", playground.origin(me));
}

#[test]
fn who_stood_for_a_while_on_purpose_is_not_stuck_when_he_goes_on() {
    let field = field("one_room", "openarena");
    let mut playground = Playground::new(&field);
    let me = playground.put(Vec3::new(-150.0, 0.0, 24.125));
    let there = field.terrain.nearest(Vec3::new(150.0, 0.0, 24.125)).expect("a room").waypoint;
    let go = |playground: &mut Playground| {
        playground.people[me].legs.go(Destination::Waypoint(there), Manner::RUN);
        playground.run(150, |_| false);
    };
    go(&mut playground);
    for _ in 0..60 {
        playground.people[me].legs.stay(false, "waits for somebody to come");
        playground.frame();
    }
    go(&mut playground);
    assert_eq!(playground.people[me].legs.trouble(), None);
}

/// Whoever looked at a place straight above, below or behind him would turn half round with every step.
#[test]
fn the_way_ahead_is_never_at_ones_feet() {
    for name in ["stairs", "lift", "ladder", "pit"] {
        let field = field(name, "skirmish");
        let terrain = &field.terrain;
        let (mut looks, mut nearest) = (0, f32::MAX);
        for from in terrain.waypoints.ids().step_by(5) {
            let to = WaypointId::from((from.index() + STRIDE) % terrain.waypoints.len());
            let mut playground = Playground::new(&field);
            let me = playground.put(terrain.waypoints.origin[from.index()]);
            playground.people[me].legs.go(Destination::Waypoint(to), Manner::RUN);
            playground.run(5000, |now| {
                if let Some(ahead) = now.people[me].legs.ahead() {
                    looks += 1;
                    nearest = nearest.min((ahead - now.origin(me)).truncate().length());
                }
                now.people[me].legs.state() == Travelling::Arrived
            });
        }
        assert!(looks > 100, "{name}: {looks} looks");
        // Legs look before the step that the body then takes.
        assert!(nearest > 32.0, "{name}: {nearest} units away");
    }
}

#[test]
fn who_stays_on_a_ladder_hangs_there_still() {
    let field = field("ladder", "skirmish");
    let mut playground = Playground::new(&field);
    let me = playground.put(Vec3::new(-60.0, 0.0, 24.125));
    playground.people[me].legs.go(Destination::Place(Vec3::new(256.0, 0.0, 232.125)), Manner::RUN);
    let climbs = playground.run(8000, |now| now.people[me].own.body.ladder.is_some() && now.origin(me).z > 100.0);
    assert!(climbs.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    playground.people[me].legs.stay(false, "who runs does not hit from here");
    for _ in 0..20 {
        // Sideways, as whoever looked elsewhere was moving when he stopped to shoot.
        playground.people[me].own.body.velocity = Vec3::new(0.0, 120.0, 0.0);
        playground.frame();
        assert_eq!(playground.people[me].keys.heading, Vec3::ZERO, "{}", playground.origin(me));
    }
}

#[test]
fn who_jumps_farther_than_a_leg_is_long_does_not_run_back_to_its_end() {
    // The mouth of a corridor as wide as a body and a little: links round its corner are proved by jumps.
    let field = crate::company::rooms(40, false);
    for from in [-512.0, -480.0, -440.0] {
        let mut playground = Playground::new(&field);
        playground.convars.leaps = 0;
        let me = playground.put(Vec3::new(from, 0.0, 24.125));
        playground.people[me].legs.go(Destination::Place(crate::company::EAST), Manner::RUN);
        let mut farthest = f32::MIN;
        let spent = playground.run(8000, |now| {
            let x = now.origin(me).x;
            assert!(x > farthest - 24.0, "from {from}: back from {farthest} to {x}");
            farthest = farthest.max(x);
            now.people[me].legs.state() == Travelling::Arrived
        });
        assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    }
}

#[test]
fn who_crawls_out_from_under_something_is_not_held_to_be_stuck() {
    // A slab over the middle of a hall, so low that whoever lies under it can neither stand nor kneel.
    let boxes = [
        ([-512, -256, -16], [512, 256, 0]),
        ([-512, -256, 192], [512, 256, 208]),
        ([-528, -256, 0], [-512, 256, 192]),
        ([512, -256, 0], [528, 256, 192]),
        ([-512, -272, 0], [512, -256, 192]),
        ([-512, 256, 0], [512, 272, 192]),
        ([-48, -256, 24], [48, 256, 192]),
    ];
    let field =
        crate::ground::field_of(crate::ground::map_of("slab", &boxes, &[[-300, 0, 32], [300, 0, 32]]), "skirmish");
    let mut playground = Playground::new(&field);
    let me = playground.put(Vec3::new(0.0, 0.0, 24.125));
    playground.people[me].own.body.stance = fireteam_world::movement::Stance::Prone;
    playground.people[me].legs.go(Destination::Place(Vec3::new(300.0, 0.0, 24.125)), Manner::RUN);
    let spent = playground.run(20_000, |now| now.origin(me).x > 70.0);
    assert!(spent.is_some(), "{} {:?}", playground.origin(me), playground.people[me].legs.trouble());
    let trouble = playground.people[me].legs.trouble();
    assert!(!trouble.is_some_and(|(_, what)| what == fireteam::legs::Trouble::Stuck), "{trouble:?}");
}
