//! Whether players would agree with what the bake calls the rooms, halls and corridors of five maps.
//!
//! The labels are in `testdata/areas`, made by looking at plans before the rules were written.

use std::collections::BTreeMap;
use std::path::Path;

use fireteam_bake::links::{Grounds, LinkSettings, Trials};
use fireteam_bake::{BakeSettings, areas, survey, waypoints};
use fireteam_openarena::Install;
use fireteam_world::map::Files;
use fireteam_world::{Game, Solids, Vec3};

const MAPS: [&str; 5] = ["oa_dm1", "oa_dm4", "oa_dm6", "oa_bases5", "ctf_inyard"];

/// By label and class: how many places.
type Confusion = BTreeMap<(String, &'static str), usize>;

#[test]
fn five_maps_are_called_what_players_call_them() {
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let files = Files::open(&[install.base_path.join("baseoa")]).unwrap();
    let mut confusion = Confusion::new();
    for name in MAPS {
        compare(name, &files, &mut confusion);
    }
    let all: usize = confusion.values().sum();
    let agreed: usize = confusion.iter().filter(|((label, class), _)| label == class).map(|(_, count)| count).sum();
    assert!(all >= 80, "{all} labels");
    assert!(agreed * 100 >= all * 85, "{agreed} of {all} agree; label, class, count: {confusion:?}");
}

fn compare(name: &str, files: &Files, confusion: &mut Confusion) {
    let map = files.map(name).unwrap();
    let game = Game::named("openarena").unwrap();
    let solids = Solids::build(&map);
    let settings = BakeSettings::default().without_throws();
    let mut survey = survey(&map, &solids, &game, &settings.ground).unwrap();
    let waypoints = waypoints::place(&mut survey, &map, &solids, &game, &settings.waypoints);
    let grounds = Grounds { map: &map, solids: &solids, game: &game, survey: &survey, waypoints: &waypoints };
    // What an area is called follows from the ground and the doors, not from the links.
    let proof = Trials::prepare(&grounds, &LinkSettings::default()).gather(Vec::new(), &fireteam_bake::OneThread);
    let gathered = areas::gather(&grounds, &proof.links, &proof.movers);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/areas/{name}.txt"));
    for line in std::fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let [x, y, z, label] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{name}: {line}") };
        let origin = Vec3::from([x, y, z].map(|number| number.parse::<f32>().unwrap()));
        let place = survey.place_at(origin + Vec3::Z * game.rules.movement.body.feet).unwrap();
        let class = gathered.areas.areas[gathered.of_place[place].index()].class.word();
        *confusion.entry((label.to_owned(), class)).or_default() += 1;
    }
}
