use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::samples;

const WAYPOINTS: usize = 130;

fn mask_of(ids: &BTreeSet<usize>) -> Mask {
    let mut mask = Mask::none(WAYPOINTS);
    ids.iter().for_each(|&id| mask.insert(WaypointId::from(id)));
    mask
}

fn ids_of(mask: &Mask) -> BTreeSet<usize> {
    mask.iter().map(WaypointId::index).collect()
}

proptest! {
    #[test]
    fn masks_are_sets(a in prop::collection::btree_set(0..WAYPOINTS, 0..60), b in prop::collection::btree_set(0..WAYPOINTS, 0..60)) {
        let (left, right) = (mask_of(&a), mask_of(&b));
        prop_assert_eq!(ids_of(&(left.clone() & &right)), &a & &b);
        prop_assert_eq!(ids_of(&(left.clone() | &right)), &a | &b);
        prop_assert_eq!(ids_of(&!left.clone()), (0..WAYPOINTS).filter(|id| !a.contains(id)).collect::<BTreeSet<_>>());
        prop_assert_eq!(left.meets(&right), !a.is_disjoint(&b));
        prop_assert_eq!((left.count(), left.first().map(WaypointId::index)), (a.len(), a.first().copied()));
        let mut rest = left;
        rest.subtract(&right);
        prop_assert_eq!(ids_of(&rest), &a - &b);
    }
}

/// The question of Lampel's section 4.1: what near the threat do I see, and is not near me?
#[test]
fn spots_for_covering_fire_are_seen_near_the_threat_and_not_near_me() {
    let terrain = samples::terrain(WAYPOINTS, 3);
    let (me, threat) = (WaypointId(0), Vec3::new(400.0, 100.0, 24.0));
    let my_origin = terrain.waypoints.origin[0];
    let spots = terrain.visible_from(me) & &terrain.within(threat, 250.0) & &!terrain.within(my_origin, 200.0);
    let expected: Vec<WaypointId> = terrain
        .waypoints
        .ids()
        .filter(|&id| {
            let origin = terrain.waypoints.origin[id.index()];
            terrain.sees(me, id) && origin.distance(threat) <= 250.0 && origin.distance(my_origin) > 200.0
        })
        .collect();
    assert!(expected.len() > 5, "the sample has such spots");
    assert_eq!(spots.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn a_door_adds_what_lies_behind_it() {
    let terrain = samples::terrain(WAYPOINTS, 3);
    let opening = terrain.sight.openings[0];
    let mut mask = terrain.visible_from(opening.from);
    assert!(!mask.contains(opening.to));
    mask.add_through_doors(&terrain, opening.from, |_| false);
    assert!(!mask.contains(opening.to));
    mask.add_through_doors(&terrain, opening.from, |mover| mover == opening.mover);
    assert!(mask.contains(opening.to));
}

#[test]
#[should_panic(expected = "masks of two terrains")]
fn masks_of_two_terrains_do_not_mix() {
    let mut mask = Mask::all(10);
    mask &= &Mask::all(11);
}
