//! Compiled maps that are cut short, bent or not maps at all: an error that says where, never a panic.

use std::fs;
use std::path::Path;

use crate::tiny_bsp::*;
use fireteam_world::map::{BspProblem, MapError};
use fireteam_world::units::{BrushId, PatchId};
use fireteam_world::{Map, Vec3, patch};

#[test]
fn the_tiny_map_is_read_as_it_was_drawn() {
    let map = Map::from_bsp("tiny", &tiny_bsp()).unwrap();
    assert_eq!(map.entities.len(), 3);
    assert_eq!(map.entities[1].model().unwrap().index(), 1);
    assert_eq!(map.shaders[1].name, "textures/tiny/ice");
    // The door stands in a leaf's list, but is not part of the map itself.
    assert_eq!(map.models[0].brushes, (0..6).map(BrushId).collect::<Vec<_>>());
    assert_eq!(map.models[1].brushes, [BrushId(6)]);
    assert_eq!(map.models[0].patches, [PatchId(0)]);
    assert_eq!(map.patches[0].points[5], Vec3::new(192.0, 0.0, 0.0));
    let tree = map.tree.as_ref().unwrap();
    let near_ramp = tree.leaf_at(&map.planes, Vec3::new(10.0, 0.0, 0.0));
    assert_eq!(tree.brushes_of(near_ramp), [5, 4, 3, 2, 1, 5].map(BrushId));
    assert_eq!(tree.patches_of(near_ramp), [PatchId(0)]);
    assert_eq!(map.cluster_at(Vec3::new(0.0, 0.0, -200.0)), -1);
    let (east, west) = (Vec3::new(100.0, 0.0, 0.0), Vec3::new(-100.0, 0.0, 0.0));
    assert!(map.may_see(west, east) && !map.may_see(east, west));
    let light = map.light_grid.as_ref().unwrap();
    assert_eq!(light.counts, [9, 9, 3]);
    assert!((light.light_at(Vec3::new(-256.0, -256.0, -128.0)) - 64.0 / 255.0).abs() < 0.001);
}

/// Set `FIRETEAM_BLESS` to write it anew after the tiny map was changed.
#[test]
fn the_fuzzer_starts_from_the_tiny_map() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/bsp/tiny.bsp");
    if std::env::var_os("FIRETEAM_BLESS").is_some() {
        fs::write(&path, tiny_bsp()).unwrap();
    }
    assert!(fs::read(&path).unwrap() == tiny_bsp(), "{} is not the tiny map", path.display());
}

#[test]
fn a_file_cut_anywhere_is_refused_with_file_lump_and_byte() {
    let whole = tiny_bsp();
    for length in 0..whole.len() {
        assert_names_its_place(&refusal(&whole[..length]), length);
    }
}

#[test]
fn no_flipped_bits_panic_and_a_map_that_still_loads_can_be_asked() {
    let whole = tiny_bsp();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut loaded) = (0, 0);
    for _ in 0..20_000 {
        let mut bent = whole.clone();
        for _ in 0..1 + random.below(4) {
            let bit = random.below(bent.len() * 8);
            bent[bit / 8] ^= 1 << (bit % 8);
        }
        match Map::from_bsp("bent", &bent) {
            Err(error) => {
                refused += 1;
                assert_names_its_place(&error, bent.len());
            }
            Ok(map) => {
                loaded += 1;
                ask(&map, &mut random);
            }
        }
    }
    assert!(refused > 1_000 && loaded > 1_000, "refused {refused}, loaded {loaded}");
}

#[test]
fn files_of_another_kind_are_named_as_such() {
    for foreign in
        [&b""[..], b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"VBSP\x13\0\0\0", b"{ \"classname\" \"worldspawn\" }"]
    {
        assert!(matches!(
            refusal(foreign),
            MapError::Bsp { problem: BspProblem::NotBsp, lump: "header", offset: 0, .. }
        ));
    }
    for version in [38, 47, -1] {
        let mut other = tiny_bsp();
        other[4..8].copy_from_slice(&i32::to_le_bytes(version));
        let error = refusal(&other);
        assert_eq!(
            error.to_string(),
            format!("bent: header lump, byte 4: version {version}, only 46 (Quake III) is read")
        );
    }
}

/// Overwrites one number of a lump and expects the error at the byte it stands at.
#[test]
fn every_table_notices_a_number_that_does_not_fit() {
    let float = |value: f32| value.to_bits() as i32;
    let nan = float(f32::NAN);
    let cases: &[(usize, usize, i32, &str, &str)] = &[
        (PLANES, 20, nan, "planes", "not a finite number"),
        (PLANES, 0, float(-1.5), "planes", "a plane's normal must have length 1"),
        (PLANES, 12, float(1e9), "planes", "a number far outside the world"),
        (PLANES, 12, float(-400.0), "brushes", "the brush is inside out"),
        (SIDES, 8, 44, "brush sides", "index 44, but there are 44 planes"),
        (SIDES, 12, -1, "brush sides", "index -1, but there are 2 shaders"),
        (BRUSHES, 12, 37, "brushes", "6 brush sides from 37, but there are 42"),
        (BRUSHES, 12, 5, "brushes", "a brush must begin with its six axial sides"),
        (BRUSHES, 4, 1, "brushes", "a brush must begin with its six axial sides"),
        (BRUSHES, 16, i32::MAX, "brushes", "brush sides from 6"),
        (BRUSHES, 8, 2, "brushes", "index 2, but there are 2 shaders"),
        (NODES, 0, -5, "nodes", "index -5, but there are 44 planes"),
        (NODES, 4, 2, "nodes", "index 2, but there are 2 nodes"),
        (NODES, 4, 0, "nodes", "this node has two parents"),
        (NODES, 8, -4, "nodes", "index 3, but there are 3 leafs"),
        (NODES, 8, i32::MIN, "nodes", "index 2147483647, but there are 3 leafs"),
        (LEAFS, 0, 2, "leafs", "index 2, but there are 2 clusters"),
        (LEAFS, 32, 3, "leafs", "2 leaf surfaces from 3, but there are 3"),
        (LEAFS, 44, 12, "leafs", "two lists share some leaf brushes"),
        (LEAF_BRUSHES, 4, 7, "leaf brushes", "index 7, but there are 7 brushes"),
        (LEAF_SURFACES, 4, 2, "leaf surfaces", "index 2, but there are 2 surfaces"),
        (MODELS, 24, 1, "models", "2 surfaces from 1, but there are 2"),
        (MODELS, 36, 7, "models", "two lists share some brushes"),
        (MODELS, 40, nan, "models", "not a finite number"),
        (SURFACES, 104, 2, "surfaces", "index 2, but there are 2 shaders"),
        (SURFACES, 200, 2, "surfaces", "a patch of 2 x 3 with 9 points"),
        (SURFACES, 204, 1025, "surfaces", "a patch of 3 x 1025 with 9 points"),
        (VERTICES, 44, nan, "draw vertices", "not a finite number"),
        (VERTICES, 48, float(1e30), "draw vertices", "a number far outside the world"),
        (VERTICES, 0, float(200_000.0), "surfaces", "the curve"),
        (VISIBILITY, 0, 3, "visibility", "3 rows of 4 bytes do not fit the 8 bytes"),
        (VISIBILITY, 4, 0, "visibility", "2 rows of 0 bytes do not fit"),
    ];
    let whole = tiny_bsp();
    for &(lump, at, value, place, expected) in cases {
        let mut bent = whole.clone();
        let at = lump_range(&whole, lump).start + at;
        bent[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let message = refusal(&bent).to_string();
        assert!(message.contains(place) && message.contains(expected), "{message}; expected {expected} in {place}");
        let record_starts_before = message.split("byte ").nth(1).and_then(|rest| rest.split(':').next()?.parse().ok());
        // Some numbers are found out only by the table that uses them.
        let is_elsewhere = matches!((lump, place), (VERTICES, "surfaces") | (PLANES, "brushes"));
        let near = |byte: usize| byte.abs_diff(at) <= 104 || is_elsewhere;
        assert!(record_starts_before.is_some_and(near), "{message}; written at {at}");
    }
}

#[test]
fn a_tree_that_is_too_deep_is_refused_before_anyone_walks_it() {
    let whole = tiny_bsp();
    let depth = 2000;
    let mut chain = Vec::new();
    for n in 0..depth {
        let next = if n + 1 < depth { n + 1 } else { -1 };
        for value in [42, next, -1, 0, 0, 0, 0, 0, 0_i32] {
            chain.extend(value.to_le_bytes());
        }
    }
    // The chain goes to the end of the file; the header points there.
    let mut deep = with_lump_length(&whole, NODES, chain.len());
    deep[8 + 8 * NODES..12 + 8 * NODES].copy_from_slice(&(whole.len() as u32).to_le_bytes());
    deep.extend(chain);
    assert!(matches!(refusal(&deep), MapError::Bsp { lump: "nodes", problem: BspProblem::TooDeep, .. }));
}

#[test]
fn a_lump_must_hold_whole_records_and_some_lumps_must_hold_any() {
    let whole = tiny_bsp();
    let of_records = [
        SHADERS,
        PLANES,
        NODES,
        LEAFS,
        LEAF_SURFACES,
        LEAF_BRUSHES,
        MODELS,
        BRUSHES,
        SIDES,
        VERTICES,
        SURFACES,
        LIGHT_GRID,
    ];
    for lump in of_records {
        let error = refusal(&with_lump_length(&whole, lump, lump_range(&whole, lump).len() - 1));
        assert!(matches!(error, MapError::Bsp { problem: BspProblem::PartialRecord { .. }, .. }), "{error}");
    }
    for lump in [SHADERS, PLANES, NODES, LEAFS, MODELS] {
        let error = refusal(&with_lump_length(&whole, lump, 0));
        assert!(matches!(error, MapError::Bsp { problem: BspProblem::Empty, .. }), "{error}");
    }
}

fn with_lump_length(file: &[u8], lump: usize, length: usize) -> Vec<u8> {
    let mut file = file.to_vec();
    file[12 + 8 * lump..16 + 8 * lump].copy_from_slice(&(length as u32).to_le_bytes());
    file
}

fn refusal(bytes: &[u8]) -> MapError {
    match Map::from_bsp("bent", bytes) {
        Err(error) => error,
        Ok(_) => panic!("{} bytes of a broken map were taken", bytes.len()),
    }
}

fn assert_names_its_place(error: &MapError, length: usize) {
    let MapError::Bsp { file, lump, offset, .. } = error else { panic!("{error}") };
    assert!(file == "bent" && !lump.is_empty(), "{error}");
    // A lump may claim to lie past the end; then its header entry is what is named.
    assert!(*offset <= length as u64, "{error} in {length} bytes");
}

/// Everything that can be asked of a map, at points in and far outside of it.
fn ask(map: &Map, random: &mut Random) {
    let mut point = || Vec3::new(random.within(400.0), random.within(400.0), random.within(1e9));
    let (a, b) = (point(), point());
    let _ = map.may_see(a, b);
    if let Some(grid) = &map.light_grid {
        assert!((0.0..=1.0).contains(&grid.light_at(a)));
    }
    for curve in &map.patches {
        patch::facets(curve).expect("a map that loads has patches that can be cut");
    }
}

/// Xorshift: the same numbers on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn within(&mut self, reach: f32) -> f32 {
        (self.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0) * reach
    }
}
