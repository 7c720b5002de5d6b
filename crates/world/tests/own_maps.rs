//! Our own maps: every one loads, asks a question, is sealed, and starts nobody inside a wall.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fireteam_world::map::Entity;
use fireteam_world::{Contents, Hull, Map, Solids, Sweep, Vec3};

const PLAYER: Hull = Hull::new(Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0));

const QUESTIONS: [&str; 13] = [
    "breakable",
    "button_door",
    "corner_bounce",
    "jump_pad",
    "key_door",
    "ladder",
    "lift",
    "one_room",
    "pit",
    "stairs",
    "two_rooms_one_door",
    "water",
    "window_lob",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn all_maps() -> Vec<Map> {
    let mut maps: Vec<Map> = QUESTIONS.iter().map(|name| load(&format!("testdata/maps/{name}.map"))).collect();
    maps.push(load("maps/compound.map"));
    maps
}

fn load(path: &str) -> Map {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    Map::from_source(path, &text).unwrap_or_else(|error| panic!("{error}"))
}

fn spawns(map: &Map) -> Vec<&Entity> {
    let is_spawn = |class: &str| class == "info_player_deathmatch" || class.ends_with("spawn") && class != "worldspawn";
    map.entities.iter().filter(|entity| is_spawn(entity.class())).collect()
}

#[test]
fn every_map_in_the_folder_is_tested() {
    let mut found: Vec<String> = std::fs::read_dir(root().join("testdata/maps"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, QUESTIONS);
}

#[test]
fn every_map_asks_its_question() {
    for map in all_maps() {
        let message = map.entities[0].get("message").unwrap_or_default();
        assert!(message.ends_with('?'), "{}: {message}", map.name);
    }
}

#[test]
fn nobody_starts_in_a_wall_or_in_the_air() {
    for map in all_maps() {
        let solids = Solids::build(&map);
        assert!(spawns(&map).len() >= 4, "{} has {} spawns", map.name, spawns(&map).len());
        for spawn in spawns(&map) {
            let at = spawn.origin();
            let here = solids.sweep(&Sweep::hull(at, at, PLAYER, Contents::MASK_PLAYER));
            assert!(!here.start_solid, "{}: {} at {at} stands in a wall", map.name, spawn.class());
            let down = solids.sweep(&Sweep::hull(at, at - Vec3::Z * 16.0, PLAYER, Contents::MASK_PLAYER));
            assert!(down.is_hit(), "{}: {} at {at} hangs in the air", map.name, spawn.class());
        }
    }
}

#[test]
fn nothing_leaks() {
    for map in all_maps() {
        if let Some(leak) = leak(&map) {
            panic!("{} leaks at {leak}", map.name);
        }
    }
}

#[test]
fn a_hole_in_the_wall_is_a_leak() {
    let mut map = load("testdata/maps/one_room.map");
    map.models[0].brushes.remove(2);
    assert!(leak(&map).is_some());
}

#[test]
fn items_and_lights_are_not_in_walls() {
    for map in all_maps() {
        let solids = Solids::build(&map);
        for entity in map.entities.iter().filter(|entity| entity.get("origin").is_some() && entity.model().is_none()) {
            let inside = solids.contents_at(entity.origin()).meets(Contents::SOLID);
            assert!(!inside, "{}: {} at {} is in a wall", map.name, entity.class(), entity.origin());
        }
    }
}

#[test]
fn whatever_is_aimed_at_exists() {
    for map in all_maps() {
        for entity in &map.entities {
            let Some(target) = entity.get("target") else { continue };
            let is_there = map.entities.iter().any(|other| other.get("targetname") == Some(target));
            assert!(is_there, "{}: {} aims at {target}, which nothing is called", map.name, entity.class());
        }
    }
}

#[test]
fn compound_has_room_for_eight_on_each_side() {
    let map = load("maps/compound.map");
    let count = |class: &str| map.entities.iter().filter(|entity| entity.class() == class).count();
    assert_eq!((count("team_CTF_redspawn"), count("team_CTF_bluespawn")), (8, 8));
    assert_eq!((count("team_CTF_redflag"), count("team_CTF_blueflag")), (1, 1));
}

/// Spreads through the open from every spawn, in steps of a grid; a place outside the map's bounds is a leak.
/// Doors and lifts are not in the way. Half a wall's thickness is the step, so no wall is stepped over.
fn leak(map: &Map) -> Option<Vec3> {
    const STEP: f32 = 16.0;
    let solids = Solids::build(map);
    let world = &map.models[0];
    let place = |cell: [i32; 3]| Vec3::new(cell[0] as f32, cell[1] as f32, cell[2] as f32) * STEP + Vec3::splat(3.0);
    let cell_of = |at: Vec3| [at.x, at.y, at.z].map(|c| ((c - 3.0) / STEP).round() as i32);
    let mut seen: BTreeSet<[i32; 3]> = spawns(map).iter().map(|spawn| cell_of(spawn.origin())).collect();
    let mut open: Vec<[i32; 3]> = seen.iter().copied().collect();
    while let Some(cell) = open.pop() {
        let at = place(cell);
        if at.cmplt(world.mins).any() || at.cmpgt(world.maxs).any() {
            return Some(at);
        }
        for axis in 0..3 {
            for step in [-1, 1] {
                let mut next = cell;
                next[axis] += step;
                if !seen.contains(&next) && !solids.sweep(&Sweep::ray(at, place(next), Contents::SOLID)).is_hit() {
                    seen.insert(next);
                    open.push(next);
                }
            }
        }
    }
    None
}
