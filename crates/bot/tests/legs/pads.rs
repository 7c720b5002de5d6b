//! Throws: whoever a pad has thrown comes down where it throws, whatever he is told meanwhile.

use fireteam::legs::{Destination, Legs, Manner};
use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;

use crate::ground::{Playground, field};

/// On the floor, west of the pad.
const START: Vec3 = Vec3::new(-320.0, 0.0, 24.125);
/// No throw of this map lasts longer.
const THROW_MS: i32 = 3000;

/// What a fight or a change of mind tells legs that are in the air.
fn tell(legs: &mut Legs, what: usize) {
    match what {
        0 => legs.go(Destination::Place(START), Manner::RUN),
        1 => legs.move_by(Vec3::NEG_X, false, false),
        2 => legs.move_by(Vec3::Y, false, false),
        _ => legs.hold(),
    }
}

#[test]
fn whoever_changes_his_mind_on_a_pad_still_comes_down_where_it_throws() {
    let field = field("jump_pad", "openarena");
    let terrain = &field.terrain;
    let height = |id: WaypointId| terrain.waypoints.origin[id.index()].z;
    let ledge = terrain.waypoints.ids().max_by(|a, b| height(*a).total_cmp(&height(*b))).expect("a ledge");
    for (frames, what) in (0..16).flat_map(|frames| (0..4).map(move |what| (frames, what))) {
        let mut playground = Playground::new(&field);
        let me = playground.put(START);
        playground.people[me].legs.go(Destination::Waypoint(ledge), Manner::RUN);
        let thrown = playground.run(THROW_MS, |now| now.people[me].own.body.pad.is_some());
        assert!(thrown.is_some(), "no pad was taken: at {}", playground.origin(me));
        for _ in 0..frames {
            playground.frame();
        }
        let landed = (0..THROW_MS / field.game.rules.frame_ms).find(|_| {
            tell(&mut playground.people[me].legs, what);
            playground.frame();
            let body = &playground.people[me].own.body;
            body.pad.is_none() && !body.ground.is_air()
        });
        assert!(landed.is_some(), "still in the air at {}", playground.origin(me));
        let (after, end) = (frames * field.game.rules.frame_ms, playground.origin(me));
        assert!(end.z > height(ledge) - 8.0, "order {what} after {after} ms: came down at {end}");
    }
}
