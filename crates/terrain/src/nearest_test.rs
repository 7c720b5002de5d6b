use proptest::prelude::*;

use super::*;
use crate::samples;

#[test]
fn ground_below_the_feet_names_the_waypoint() {
    let terrain = samples::terrain(100, 1);
    let spans_with_owner = (0..terrain.ground.columns()).flat_map(|column| {
        let centre = terrain.ground.centre(column);
        terrain.ground.column(column).iter().filter(|span| span.waypoint.is_some()).map(move |span| (centre, *span))
    });
    for (centre, span) in spans_with_owner {
        let origin = centre.with_z(f32::from(span.feet) - terrain.feet);
        for lift in [0.0, 50.0] {
            let near = terrain.nearest(origin + Vec3::Z * lift).unwrap();
            assert_eq!((near.waypoint, near.by), (span.waypoint, NearBy::Ground));
        }
    }
}

#[test]
fn ground_nobody_owns_is_left_for_ground_beside_it() {
    let mut terrain = samples::terrain(100, 1);
    let column = terrain.ground.column_at(terrain.waypoints.origin[55]).unwrap();
    let orphaned = terrain.ground.column_first[column] as usize..terrain.ground.column_first[column + 1] as usize;
    terrain.ground.spans[orphaned].iter_mut().for_each(|span| span.waypoint = WaypointId::NONE);
    let near = terrain.nearest(terrain.ground.centre(column).with_z(terrain.waypoints.origin[55].z)).unwrap();
    assert_eq!((near.waypoint, near.by), (WaypointId(55), NearBy::Around));
}

#[test]
fn who_stands_on_a_roof_is_not_on_the_ground_of_the_room_below_though_it_is_the_nearest() {
    let terrain = samples::terrain(100, 1);
    let floor = terrain.waypoints.origin[55];
    let roof = floor + Vec3::Z * 176.0;
    assert_eq!((terrain.underfoot(floor), terrain.underfoot(roof)), (Some(WaypointId(55)), None));
    assert_eq!((terrain.has_ground_beside(floor), terrain.has_ground_beside(roof)), (true, false));
    assert_eq!(terrain.nearest(roof).unwrap().by, NearBy::Ground);
}

#[test]
fn off_the_grid_distance_decides() {
    let terrain = samples::terrain(100, 1);
    let near = terrain.nearest(Vec3::new(-5000.0, -5000.0, 0.0)).unwrap();
    assert_eq!((near.waypoint, near.by), (WaypointId(0), NearBy::Distance));
    assert_eq!(samples::terrain(0, 1).nearest(Vec3::ZERO), None);
}

#[test]
fn a_player_on_an_island_is_sent_to_where_links_lead_to_his_goal() {
    let mut parts = samples::parts(9, 1);
    parts.links = crate::Links::gather(9, vec![samples::walk(3, 8, 100)]);
    let terrain = Terrain::assemble(parts).unwrap();
    let at_first = terrain.waypoints.origin[0];
    assert_eq!(terrain.nearest_towards(at_first, WaypointId(8)).unwrap().waypoint, WaypointId(3));
    assert_eq!(terrain.nearest_towards(at_first, WaypointId(7)).unwrap().waypoint, WaypointId(7));
    let mut mask = Mask::none(9);
    assert_eq!(terrain.nearest_of(at_first, &mask), None);
    mask.insert(WaypointId(6));
    assert_eq!(terrain.nearest_of(at_first, &mask).unwrap().waypoint, WaypointId(6));
}

proptest! {
    #[test]
    fn there_is_always_an_answer(bits in prop::array::uniform3(any::<u32>())) {
        let terrain = samples::terrain(30, 1);
        prop_assert!(terrain.nearest(Vec3::from_array(bits.map(f32::from_bits))).is_some());
    }
}
