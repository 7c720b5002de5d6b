//! What hangs in the air is taken by those who fly past it.

use fireteam_bake::executor::OneThread;
use fireteam_bake::links::{Grounds, LinkSettings, prove, taken_on_the_way};
use fireteam_terrain::legs;
use fireteam_world::Vec3;
use fireteam_world::walker::Travel;
use fireteam_world::walker::outing::Course;

use crate::support::{Baked, bake};

#[test]
fn a_pad_throws_through_what_hangs_above_it() {
    let Baked { map, solids, game, survey, waypoints } = bake("jump_pad");
    let grounds = Grounds { map: &map, solids: &solids, game: &game, survey: &survey, waypoints: &waypoints };
    let proof = prove(&grounds, &LinkSettings::default(), &OneThread);
    let course = Course::new(&map, &solids, &game);
    let (from, link) = proof.links.iter().find(|(_, link)| link.kind == Travel::Push).unwrap();
    let leg = legs::leg(&waypoints, &proof.movers, from, link);
    let above = leg.via.unwrap() + Vec3::Z * 96.0;
    let spots = [above, above + Vec3::new(0.0, 0.0, 4000.0), leg.from + Vec3::Z * 200.0];
    let taken = taken_on_the_way(&course, &waypoints, &proof.movers, from, link, &spots);
    assert_eq!(taken, [true, false, false], "{leg:?}");
}
