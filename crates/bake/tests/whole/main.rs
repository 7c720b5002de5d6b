//! The whole bake on our own maps: the same bytes however the work is divided, stopped and taken up again, and what each of
//! its later steps made of each map before.

mod goldens;
mod same_bytes;
mod throws;

use std::path::{Path, PathBuf};

use fireteam_world::{Game, Map};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Names of our maps that ask one question each.
fn questions() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("testdata/maps")).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = folder.map(|entry| stem(entry.unwrap().path())).collect();
    names.sort();
    names
}

fn map(name: &str) -> Map {
    let path = root().join(format!("testdata/maps/{name}.map"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

/// The game whose legs climb and crawl.
fn game() -> Game {
    Game::named("skirmish").unwrap()
}
