//! What the tests of the bake share: our own maps, and texts to compare with.

use std::path::{Path, PathBuf};

use fireteam_bake::{BakeSettings, Survey, survey, waypoints};
use fireteam_terrain::Waypoints;
use fireteam_world::{Game, Map, Solids};

/// A map, and what the first two steps of a bake made of it.
pub(crate) struct Baked {
    pub(crate) map: Map,
    pub(crate) solids: Solids,
    pub(crate) game: Game,
    pub(crate) survey: Survey,
    pub(crate) waypoints: Waypoints,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Names of our maps that ask one question each.
pub(crate) fn questions() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("testdata/maps")).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = folder.map(|entry| stem(entry.unwrap().path())).collect();
    names.sort();
    names
}

/// Bakes `testdata/maps/<name>.map`, or `maps/compound.map`, for the game whose legs climb and crawl.
pub(crate) fn bake(name: &str) -> Baked {
    let path = if name == "compound" { "maps/compound.map".to_owned() } else { format!("testdata/maps/{name}.map") };
    let text = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let map = Map::from_source(&path, &text).unwrap_or_else(|error| panic!("{error}"));
    let game = Game::named("skirmish").unwrap();
    let solids = Solids::build(&map);
    let settings = BakeSettings::default().without_throws();
    let mut survey = survey(&map, &solids, &game, &settings.ground).unwrap_or_else(|error| panic!("{error}"));
    let waypoints = waypoints::place(&mut survey, &map, &solids, &game, &settings.waypoints);
    Baked { map, solids, game, survey, waypoints }
}
