//! Off the mesh: where the nearest waypoint is behind a wall, and none can be walked to straight.

use std::sync::Arc;

use fireteam::Field;
use fireteam::legs::{Destination, Manner, Travelling};
use fireteam_terrain::Overlay;
use fireteam_terrain::overlay::{Edit, LinedEdit, Spot};
use fireteam_world::Vec3;

use crate::company::{EAST, rooms};
use crate::ground::Playground;

/// Two rooms and two corridors between them, of which nothing is known of the southern one.
fn with_one_corridor_known() -> Arc<Field> {
    let whole = rooms(96, true);
    let terrain = &whole.terrain;
    let is_south = |place: &Vec3| place.x.abs() < 300.0 && place.y < 100.0;
    let gone = terrain.waypoints.origin.iter().filter(|place| is_south(place));
    let remove =
        |place: &Vec3| LinedEdit { line: 0, edit: Edit::Remove { waypoint: Spot::Place(*place) }, note: String::new() };
    let edits = gone.map(remove).collect();
    let known = terrain.with_overlay(&Overlay { edits, ..Overlay::default() }).expect("waypoints it has");
    let (map, solids, game) = (whole.map.clone(), whole.solids.clone(), whole.game.clone());
    Arc::new(Field::new(map, solids, Arc::new(known), game).expect("made for each other"))
}

#[test]
fn who_runs_against_the_wall_before_the_nearest_waypoint_goes_round_it() {
    let field = with_one_corridor_known();
    let northern = field.terrain.waypoints.origin.iter().filter(|place| place.x.abs() < 100.0 && place.y > 150.0);
    for x in northern.map(|place| place.x).collect::<Vec<f32>>() {
        let mut playground = Playground::new(&field);
        let me = playground.put(Vec3::new(x, 0.0, 24.125));
        playground.people[me].legs.go(Destination::Place(EAST), Manner::RUN);
        let spent = playground.run(12_000, |now| now.people[me].legs.state() == Travelling::Arrived);
        assert!(spent.is_some(), "from {x}: at {}, {:?}", playground.origin(me), playground.people[me].legs.trouble());
    }
}
