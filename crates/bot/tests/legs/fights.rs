//! Moves of combat: as wished where the ground allows it, never into the pit.

use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::pcg::Pcg;

use crate::ground::{Playground, field};

/// The fall begins here; the floor of the map is at 0.
const FALLEN: f32 = -20.0;

#[test]
fn strafing_at_random_beside_a_pit_never_ends_in_it() {
    let field = field("pit", "openarena");
    for seed in 0..12 {
        let mut chance = Pcg::new(seed, 1);
        let mut playground = Playground::new(&field);
        let me = playground.put(Vec3::new(-200.0, chance.range(-150.0, 150.0), 24.125));
        let mut gone = 0.0;
        for think in 0..200 {
            let angle = chance.range(0.0, std::f32::consts::TAU);
            let wish = Vec3::new(maths::cos(angle), maths::sin(angle), 0.0) * chance.range(0.4, 1.0);
            let jumps = chance.chance(0.1);
            let before = playground.origin(me);
            for _ in 0..6 {
                playground.people[me].legs.move_by(wish, jumps, false);
                playground.frame();
            }
            let after = playground.origin(me);
            gone += (after - before).length();
            assert!(
                after.z > FALLEN,
                "seed {seed}, think {think}: fell from {before} to {after}, wished {wish}, jumps {jumps}"
            );
        }
        assert!(gone > 4000.0, "seed {seed}: moved only {gone} units");
    }
}

#[test]
fn a_wish_is_pressed_as_it_is_on_plain_ground() {
    let field = field("one_room", "openarena");
    let mut playground = Playground::new(&field);
    let me = playground.put(Vec3::new(0.0, 0.0, 24.125));
    for _ in 0..8 {
        playground.people[me].legs.move_by(Vec3::new(0.6, 0.8, 0.0), false, false);
        playground.frame();
    }
    let velocity = playground.people[me].own.body.velocity;
    assert!((velocity - Vec3::new(192.0, 256.0, 0.0)).length() < 25.0, "{velocity}");
    for _ in 0..8 {
        playground.people[me].legs.hold();
        playground.frame();
    }
    assert!(playground.people[me].own.body.velocity.length() < 5.0);
}
