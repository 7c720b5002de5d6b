//! Every map of the installed game is found where the engine finds it, loads, and makes sense where players start.

use fireteam_openarena::Install;
use fireteam_world::Map;
use fireteam_world::map::Files;

fn files() -> Files {
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    Files::open(&[install.base_path.join("baseoa")]).unwrap()
}

#[test]
fn every_installed_map_loads() {
    let files = files();
    let names = files.maps();
    assert!(names.len() >= 72, "only {} maps: {names:?}", names.len());
    for name in &names {
        let map = files.map(name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(map.entities[0].class(), "worldspawn", "{name}");
        assert_models_exist(&map);
        assert_starts_are_inside(&map);
    }
}

/// Twenty-seven names are in more than one archive; the patches' maps are newer than those they patch.
#[test]
fn maps_of_later_archives_hide_those_of_earlier_ones() {
    let files = files();
    let install = Install::find().unwrap();
    let last = Files::open_pk3(&install.base_path.join("baseoa/pak6-patch088.pk3")).unwrap();
    let first = Files::open_pk3(&install.base_path.join("baseoa/pak1-maps.pk3")).unwrap();
    let mut hidden = 0;
    for name in last.maps() {
        let path = format!("maps/{name}.bsp");
        assert_eq!(files.map(&name).unwrap().digest, last.map(&name).unwrap().digest, "{name}");
        hidden += usize::from(first.read(&path).is_ok_and(|bytes| bytes != last.read(&path).unwrap()));
    }
    assert!(hidden > 0, "no map is in both archives");
}

fn assert_models_exist(map: &Map) {
    for entity in &map.entities {
        if let Some(model) = entity.model() {
            assert!(model.index() < map.models.len(), "{}: {} has model {model:?}", map.name, entity.class());
        }
    }
}

fn assert_starts_are_inside(map: &Map) {
    let grid = map.light_grid.as_ref().unwrap_or_else(|| panic!("{} has no light grid", map.name));
    let starts = map.entities.iter().filter(|entity| entity.class() == "info_player_deathmatch");
    for origin in starts.map(|entity| entity.origin()) {
        assert!(map.cluster_at(origin) >= 0, "{}: the start at {origin} is outside the map", map.name);
        assert!(map.may_see(origin, origin), "{}: {origin} cannot see itself", map.name);
        assert!((0.0..=1.0).contains(&grid.light_at(origin)));
    }
}
