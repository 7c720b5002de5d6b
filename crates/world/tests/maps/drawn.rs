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
    let mut wrong = Vec::new();
    for map in all_maps() {
        let solids = Solids::build(&map);
        assert!(spawns(&map).len() >= 4, "{} has {} spawns", map.name, spawns(&map).len());
        for spawn in spawns(&map) {
            let at = spawn.origin();
            let down = solids.sweep(&Sweep::hull(at, at - Vec3::Z * 16.0, PLAYER, Contents::MASK_PLAYER));
            if down.start_solid || !down.is_hit() {
                let how = if down.start_solid { "stands in a wall" } else { "hangs in the air" };
                wrong.push(format!("{}: {} at {at} {how}", map.name, spawn.class()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
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

/// On foot, without jumping or climbing: what needs a ladder has another way in as well.
#[test]
fn every_part_of_the_compound_can_be_walked_to() {
    let map = load("maps/compound.map");
    let solids = Solids::build(&map);
    let reached = walked_over(&solids, spawns(&map)[0].origin());
    let parts = [
        ("red yard", -960.0, 0.0, 0.0),
        ("blue yard", 960.0, 60.0, 0.0),
        ("great hall", -540.0, 20.0, 16.0),
        ("lobby", -320.0, -100.0, 16.0),
        ("office", -300.0, 260.0, 16.0),
        ("gallery", -450.0, 0.0, 176.0),
        ("council room", -320.0, -100.0, 176.0),
        ("archive", -300.0, 270.0, 176.0),
        ("alley", -520.0, -290.0, 0.0),
        ("warehouse", -520.0, -560.0, 0.0),
        ("warehouse roof", -520.0, -560.0, 176.0),
        ("bridge", -64.0, -416.0, 176.0),
        ("street", -64.0, -700.0, 0.0),
        ("market", -300.0, 680.0, 0.0),
        ("flat, ground floor", 200.0, -560.0, 16.0),
        ("flat, upper floor", 200.0, -700.0, 176.0),
        ("corridor", 344.0, -560.0, 16.0),
        ("court", 240.0, -40.0, 0.0),
        ("workshop", 100.0, 500.0, 0.0),
        ("store", 320.0, 320.0, 0.0),
        ("workshop roof", 250.0, 520.0, 176.0),
        ("tunnel", 100.0, 310.0, -128.0),
        ("cistern", -496.0, 328.0, -128.0),
        ("shed", -880.0, -690.0, 0.0),
        ("shop", 830.0, 650.0, 16.0),
        ("container", 764.0, -600.0, 0.0),
        ("park", -860.0, 700.0, 0.0),
    ];
    for (name, x, y, floor) in parts {
        let near = |at: &Vec3| (at.x - x).abs() < 60.0 && (at.y - y).abs() < 60.0 && (at.z - 24.0 - floor).abs() < 20.0;
        assert!(reached.iter().any(near), "the {name} at {x} {y} {floor} cannot be reached");
    }
}

/// Where a walk of short steps leads from here: up a step, across, down again.
fn walked_over(solids: &Solids, from: Vec3) -> Vec<Vec3> {
    const STEP: f32 = 16.0;
    const STEP_HEIGHT: f32 = 18.0;
    let sweep = |start: Vec3, end: Vec3| solids.sweep(&Sweep::hull(start, end, PLAYER, Contents::MASK_WALK));
    let cell = |at: Vec3| [at.x / STEP, at.y / STEP, at.z / 32.0].map(|c| c.round() as i32);
    let mut reached = vec![from];
    let mut seen = BTreeSet::from([cell(from)]);
    let mut next = 0;
    while next < reached.len() {
        let at = reached[next];
        next += 1;
        for way in [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y] {
            let up = sweep(at, at + Vec3::Z * STEP_HEIGHT).end;
            let across = sweep(up, up + way * STEP);
            let down = sweep(across.end, across.end - Vec3::Z * 64.0);
            let is_floor = across.fraction == 1.0 && down.is_hit() && down.normal.z >= 0.7;
            if is_floor && seen.insert(cell(down.end)) {
                reached.push(down.end);
            }
        }
    }
    reached
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
