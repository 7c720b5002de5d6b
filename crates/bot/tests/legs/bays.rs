//! Off the mesh: where the nearest waypoint is behind a wall, a floor or an edge, and none can be walked to straight.

use std::sync::Arc;

use fireteam::Field;
use fireteam::legs::{Destination, Manner, Travelling};
use fireteam_bake::OneThread;
use fireteam_bake::recorded::{Recorder, Seen, terrain_of};
use fireteam_terrain::overlay::{Edit, LinedEdit, Spot};
use fireteam_terrain::{Overlay, Terrain};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Game, Map, Solids, Vec3};

use crate::company::{EAST, rooms};
use crate::ground::{Playground, field_of, map_of};

/// The same field, with another terrain.
fn played_on(field: &Field, terrain: Terrain) -> Arc<Field> {
    let (map, solids, game) = (field.map.clone(), field.solids.clone(), field.game.clone());
    Arc::new(Field::new(map, solids, Arc::new(terrain), game).expect("made for each other"))
}

/// The same field without some of its waypoints.
fn without(field: &Field, is_gone: impl Fn(&Vec3) -> bool) -> Arc<Field> {
    let terrain = &field.terrain;
    let gone = terrain.waypoints.origin.iter().filter(|place| is_gone(place));
    let remove =
        |place: &Vec3| LinedEdit { line: 0, edit: Edit::Remove { waypoint: Spot::Place(*place) }, note: String::new() };
    let edits = gone.map(remove).collect();
    let known = terrain.with_overlay(&Overlay { edits, ..Overlay::default() }).expect("waypoints it has");
    played_on(field, known)
}

/// Two rooms and two corridors between them, of which nothing is known of the southern one.
fn with_one_corridor_known() -> Arc<Field> {
    without(&rooms(96, true), |place| place.x.abs() < 300.0 && place.y < 100.0)
}

/// Sends somebody from one place to another; how it ended, if he did not get there in time.
fn sent(field: &Arc<Field>, from: Vec3, to: Vec3, limit_ms: i32) -> Result<i32, String> {
    let mut playground = Playground::new(field);
    let me = playground.put(from);
    playground.people[me].legs.go(Destination::Place(to), Manner::RUN);
    let spent = playground.run(limit_ms, |now| now.people[me].legs.state() == Travelling::Arrived);
    spent
        .ok_or_else(|| format!("from {from}: at {}, {:?}", playground.origin(me), playground.people[me].legs.trouble()))
}

#[test]
fn who_runs_against_the_wall_before_the_nearest_waypoint_goes_round_it() {
    let field = with_one_corridor_known();
    let northern = field.terrain.waypoints.origin.iter().filter(|place| place.x.abs() < 100.0 && place.y > 150.0);
    for x in northern.map(|place| place.x).collect::<Vec<f32>>() {
        sent(&field, Vec3::new(x, 0.0, 24.125), EAST, 12_000).unwrap();
    }
}

/// Steps of the stairs up to the roof, and how high and deep each is.
const STEPS: i32 = 11;
const RISE: i32 = 16;
const TREAD: i32 = 32;
/// Where the stairs end on the roof.
const HEAD: i32 = -256;

/// A hall under a roof that stairs lead up to; the rest of the roof has a wall around it that nobody jumps over.
fn hall_with_a_roof() -> Map {
    let top = STEPS * RISE;
    let mut boxes = vec![
        ([-1024, -512, -16], [1024, 512, 0]),
        ([-1024, -512, 0], [-1008, 512, 512]),
        ([1008, -512, 0], [1024, 512, 512]),
        ([-1024, -512, 0], [1024, -496, 512]),
        ([-1024, 496, 0], [1024, 512, 512]),
        ([HEAD, -256, top - 16], [768, 256, top]),
        ([HEAD, -256, top], [768, -240, top + 64]),
        ([HEAD, 240, top], [768, 256, top + 64]),
        ([752, -256, top], [768, 256, top + 64]),
        ([HEAD, -256, top], [HEAD + 16, -64, top + 64]),
        ([HEAD, 64, top], [HEAD + 16, 256, top + 64]),
    ];
    let step = |step: i32| HEAD - TREAD * (STEPS + 1 - step);
    boxes.extend((1..=STEPS).map(|n| ([step(n), -64, 0], [step(n + 1), 64, n * RISE])));
    map_of("roof", &boxes, &[[-900, 0, 32]])
}

/// Somebody's origin on the stairs, or before or behind them.
fn on_stairs(x: f32) -> Vec3 {
    let foot = HEAD - TREAD * STEPS;
    // A body stands on the highest step that it touches.
    let step = ((x + 15.0 - foot as f32) / TREAD as f32).floor() + 1.0;
    Vec3::new(x, 0.0, 24.125 + step.clamp(0.0, STEPS as f32) * RISE as f32)
}

/// What is known once somebody has walked the hall from end to end and looked at the head of the stairs.
fn with_little_of_the_roof_known() -> Arc<Field> {
    let (map, game) = (Arc::new(hall_with_a_roof()), Arc::new(Game::named("openarena").expect("built in")));
    let solids = Arc::new(Solids::build(&map));
    let mut recorder = Recorder::new(Arc::clone(&map), Arc::clone(&solids), Arc::clone(&game), None);
    let up = (-900..-127).step_by(24).map(|x| on_stairs(x as f32));
    let aside = (0..151).step_by(24).map(|y| Vec3::new(-900.0, -y as f32, 24.125));
    let below = (-900..601).step_by(24).map(|x| Vec3::new(x as f32, -150.0, 24.125));
    let trail = up.clone().chain(up.rev()).chain(aside).chain(below);
    for (look, origin) in trail.enumerate() {
        recorder.look(Time(look as i32 * 100), [Seen { player: EntityId(1), origin, is_dead: false }].into_iter());
    }
    recorder.settle();
    let terrain = terrain_of(&map, &game, &recorder.overlay(), &OneThread).expect("ground to stand on");
    Arc::new(Field::new(map, solids, Arc::new(terrain), game).expect("made for each other"))
}

#[test]
fn who_stands_on_a_roof_that_nobody_has_trodden_does_not_make_for_the_room_below() {
    let field = with_little_of_the_roof_known();
    let roof = 24.125 + (STEPS * RISE) as f32;
    assert!(field.has_mesh && field.terrain.underfoot(Vec3::new(600.0, 0.0, roof)).is_none());
    for (x, y) in [(600.0, -150.0), (600.0, 0.0), (600.0, 200.0), (300.0, 100.0)] {
        sent(&field, Vec3::new(x, y, roof), Vec3::new(600.0, -150.0, 24.125), 25_000).unwrap();
    }
}

#[test]
fn who_stands_on_a_crate_before_a_wall_steps_off_it_to_go_round() {
    let boxes = [
        ([-512, -512, -16], [512, 512, 0]),
        ([-512, -512, 0], [-496, 512, 256]),
        ([496, -512, 0], [512, 512, 256]),
        ([-512, -512, 0], [512, -496, 256]),
        ([-512, 496, 0], [512, 512, 256]),
        ([-16, -496, 0], [16, 300, 256]),
        ([-144, -64, 0], [-16, 64, 40]),
    ];
    let whole = field_of(map_of("crate", &boxes, &[[-400, 0, 32], [400, 0, 32]]), "openarena");
    // Nothing is known of the crate's side of the wall but where the wall ends.
    let field = without(&whole, |place| place.x < 0.0 && place.y < 250.0);
    for (x, y) in [(-60.0, 0.0), (-120.0, 40.0), (-40.0, -40.0)] {
        sent(&field, Vec3::new(x, y, 64.125), Vec3::new(400.0, 0.0, 24.125), 15_000).unwrap();
    }
}
