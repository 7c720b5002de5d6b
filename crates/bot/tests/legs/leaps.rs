//! Leaping along straight ways: quicker than running, and never farther than the way leads.

use std::sync::Arc;

use fireteam::Field;
use fireteam::legs::{Destination, Gait, Manner, Travelling};
use fireteam_world::Vec3;

use crate::ground::{Playground, field_of, map_of};

/// A corridor 2,400 units long, with a pit at its eastern end that nobody gets out of; 160 units before it is where one goes.
fn corridor(game: &str) -> Arc<Field> {
    let boxes = [
        ([-1280, -160, -16], [1120, 160, 0]),
        ([1120, -160, -1040], [1600, 160, -1024]),
        ([-1296, -176, -1040], [-1280, 176, 208]),
        ([1600, -176, -1040], [1616, 176, 208]),
        ([-1280, -176, -1040], [1600, -160, 208]),
        ([-1280, 160, -1040], [1600, 176, 208]),
        ([-1280, -160, 192], [1600, 160, 208]),
    ];
    field_of(map_of("corridor", &boxes, &[[-1200, 0, 32], [1000, 0, 32]]), game)
}

const WEST: Vec3 = Vec3::new(-1200.0, 0.0, 24.125);
const EAST: Vec3 = Vec3::new(960.0, 0.0, 24.125);

struct Run {
    ms: i32,
    fastest: f32,
    deepest: f32,
}

fn run(field: &Arc<Field>, manner: Manner, leaps: u32) -> Run {
    let mut playground = Playground::new(field);
    playground.convars.leaps = leaps;
    let me = playground.put(WEST);
    playground.people[me].legs.go(Destination::Place(EAST), manner);
    let (mut fastest, mut deepest) = (0.0f32, 0.0f32);
    let took = playground.run(30_000, |now| {
        let body = &now.people[me].own.body;
        fastest = fastest.max(body.velocity.truncate().length());
        deepest = deepest.min(body.origin.z);
        now.people[me].legs.state() == Travelling::Arrived
    });
    Run { ms: took.unwrap_or_else(|| panic!("at {}", playground.origin(me))), fastest, deepest }
}

#[test]
fn a_long_way_is_leapt_along_a_third_faster_than_it_is_run_and_not_into_the_pit_behind_it() {
    let field = corridor("openarena");
    let (leapt, ran) = (run(&field, Manner::RUN, 1), run(&field, Manner::RUN, 0));
    assert!(ran.fastest < 330.0 && leapt.fastest > 480.0, "{} and {}", ran.fastest, leapt.fastest);
    assert!(leapt.ms * 4 < ran.ms * 3, "{} ms instead of {}", leapt.ms, ran.ms);
    assert!(leapt.deepest > -1.0, "he fell to {}", leapt.deepest);
}

#[test]
fn who_goes_quietly_does_not_leap_nor_does_anybody_where_it_gains_little() {
    let quiet = Manner { gait: Gait::Walk, ..Manner::RUN };
    assert!(run(&corridor("openarena"), quiet, 1).fastest < 200.0);
    let field = corridor("skirmish");
    assert_eq!(run(&field, Manner::RUN, 1).ms, run(&field, Manner::RUN, 0).ms);
}
