//! Routes over our own maps, walked from one end to the other.

use fireteam_bake::{BakeSettings, OneThread, Unwatched};
use fireteam_terrain::{Search, Terrain, Traveller, WaypointFlags, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::movement::Player;
use fireteam_world::walker::Progress;
use fireteam_world::walker::outing::{Course, Outing};

use crate::support::{self, Baked};

/// Nobody who is put there stands there.
const NO_START: WaypointFlags = WaypointFlags(
    WaypointFlags::CROUCH_ONLY.0 | WaypointFlags::PAD.0 | WaypointFlags::TELEPORTER.0 | WaypointFlags::ON_MOVER.0,
);
/// Goals lie so many waypoints further on from start to start: a prime, so that they differ.
const STRIDE: usize = 37;

fn terrain_of(baked: &Baked) -> Terrain {
    let settings = BakeSettings::default().without_throws();
    let terrain = fireteam_bake::bake(&baked.map, &baked.game, &settings, &OneThread, &Unwatched);
    terrain.unwrap_or_else(|error| panic!("{error}"))
}

struct Trip {
    spent_ms: i32,
    detours: u32,
    has_arrived: bool,
}

/// Walks from one waypoint to another; `shove` may put the body elsewhere in any frame.
fn travel(
    terrain: &Terrain,
    course: &Course,
    from: WaypointId,
    to: WaypointId,
    shove: impl Fn(i32) -> Option<Vec3>,
) -> Trip {
    let mut traveller = Traveller::default();
    traveller.set_out(terrain, from, to).unwrap_or_else(|error| panic!("{error}"));
    let player = Player::at(terrain.waypoints.origin[from.index()], course.rules);
    let mut outing = Outing::among_movers(course, player, u32::MAX);
    loop {
        let progress = outing.frame(|player, setting, ms| {
            let (keys, progress) = traveller.press(terrain, player, setting, ms);
            (keys.command_facing_ahead(player), progress)
        });
        if let Some(place) = shove(outing.spent_ms()) {
            outing.player.origin = place;
        }
        if progress != Progress::OnTheWay {
            let has_arrived = progress == Progress::Arrived;
            return Trip { spent_ms: outing.spent_ms(), detours: traveller.detours(), has_arrived };
        }
    }
}

#[test]
fn routes_arrive_in_the_time_they_promise() {
    for name in ["stairs", "pit", "lift", "jump_pad", "water", "ladder", "two_rooms_one_door"] {
        let baked = support::bake(name);
        let terrain = terrain_of(&baked);
        let course = Course::new(&baked.map, &baked.solids, &baked.game);
        let (mut walked, mut late) = (0, Vec::new());
        for from in terrain.waypoints.ids().filter(|id| !terrain.waypoints.flags[id.index()].meets(NO_START)) {
            let to = WaypointId::from((from.index() + STRIDE) % terrain.waypoints.len());
            let Ok(route) = terrain.route(&mut Search::default(), from, to) else { continue };
            let promised_ms = terrain.promised_ms(&route) as i32;
            let trip = travel(&terrain, &course, from, to, |_| None);
            walked += 1;
            if !trip.has_arrived || trip.spent_ms * 2 > promised_ms * 3 {
                late.push(format!("w{} to w{}: {} of {promised_ms} ms", from.0, to.0, trip.spent_ms));
            }
        }
        assert!(walked > 20, "{name}: {walked} routes");
        assert!(late.len() * 50 <= walked, "{name}: {} of {walked}: {late:#?}", late.len());
    }
}

/// From one end of the first room to the other; on the way he is put into the room next door, behind a wall.
#[test]
fn who_is_put_elsewhere_finds_another_route() {
    let baked = support::bake("two_rooms_one_door");
    let terrain = terrain_of(&baked);
    let course = Course::new(&baked.map, &baked.solids, &baked.game);
    let near = |x: f32, y: f32| terrain.nearest(Vec3::new(x, y, 24.0)).expect("a map has waypoints").waypoint;
    let (from, to, elsewhere) = (near(-200.0, -100.0), near(-60.0, -100.0), near(200.0, -100.0));
    let place = terrain.waypoints.origin[elsewhere.index()];
    let trip = travel(&terrain, &course, from, to, |now| (now == 200).then_some(place));
    assert!(trip.has_arrived && trip.detours > 0, "{} detours in {} ms", trip.detours, trip.spent_ms);
}
