//! What each fuzz target does with the bytes it is given. Every function here must return, whatever they are: a panic,
//! a hang or a runaway allocation is a find.
//!
//! `crates/bot/tests/fuzz_seeds.rs` runs the same functions over `fuzz/seeds`, where inputs that once broke something
//! are kept under a name that says what they broke. The others are small things of our own: `bsp/tiny.bsp` is what
//! `crates/world/tests/maps/tiny_bsp.rs` writes, maps and games are copies of ours, the rest was made by hand.

use fireteam::recording::{self, Entry, Recording};
use fireteam_terrain::file::Head;
use fireteam_terrain::{Overlay, Search, Terrain};
use fireteam_world::map::{Entity, LightGrid, LightSample, Patch, Pk3, Visibility, entity};
use fireteam_world::{Contents, Hull, Map, Solids, Sweep, Vec3, game, patch};

/// A compiled map; if it is taken, also everything that can be asked of it.
pub fn bsp(bytes: &[u8]) {
    let Ok(map) = Map::from_bsp("fuzz", bytes) else { return };
    for curve in &map.patches {
        patch::facets(curve).expect("a map that loads has patches that can be cut");
    }
    ask(&map);
}

/// A .map source, likewise.
pub fn source(bytes: &[u8]) {
    if let Ok(map) = Map::from_source("fuzz", &String::from_utf8_lossy(bytes)) {
        ask(&map);
    }
}

/// The text of an entity lump.
pub fn entities(bytes: &[u8]) {
    for entity in entity::parse(bytes).unwrap_or_default() {
        for (key, _) in &entity.pairs {
            assert!(entity.get(key).is_some());
            assert!(entity.number(key).is_none_or(f32::is_finite));
            assert!(entity.vector(key).is_none_or(Vec3::is_finite));
        }
        read_all_of(&entity);
    }
}

/// The description of a game.
pub fn game(bytes: &[u8]) {
    let _ = game::Game::from_toml("fuzz", &String::from_utf8_lossy(bytes));
}

/// An archive, all of whose entries are read.
pub fn pk3(bytes: &[u8]) {
    let Ok(pack) = Pk3::from_bytes("fuzz", bytes.to_vec()) else { return };
    // Entries may share their packed bytes; a hundred of them show all there is to see.
    for name in pack.names().take(100) {
        let _ = pack.read(name);
    }
}

/// A patch: its size in two bytes, a shift for its coordinates in a third, then 16-bit coordinates.
pub fn patch(bytes: &[u8]) {
    let [width, height, shift, rest @ ..] = bytes else { return };
    let (width, height) = (u32::from(width % 16) * 2 + 1, u32::from(height % 16) * 2 + 1);
    let scale = 2.0_f32.powi(i32::from(shift % 10) - 8);
    let mut numbers = rest.chunks_exact(2).map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) * scale);
    let points = (0..width * height).map(|_| {
        let mut next = || numbers.next().unwrap_or(0.0);
        Vec3::new(next(), next(), next())
    });
    let curve = Patch { width, height, points: points.collect(), shader: 0 };
    let facets = patch::facets(&curve);
    assert_eq!(patch::check(&curve), facets.as_ref().map(drop).map_err(|&error| error));
    let Ok(facets) = facets else { return };
    for facet in &facets.facets {
        for plane in facets.planes_of(facet) {
            assert!(plane.normal.is_finite() && plane.dist.is_finite());
        }
    }
}

/// Tables of sight and light that no map compiler made, asked anywhere.
pub fn queries(bytes: &[u8]) {
    let Some((head, rest)) = bytes.split_first_chunk::<32>() else { return };
    let int = |at: usize| i32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let float = |at: usize| f32::from_bits(int(at) as u32);
    let table = Visibility { cluster_count: u32::from(head[24]), row_bytes: u32::from(head[25]), bits: rest.to_vec() };
    let _ = table.sees(int(0), int(4));
    let sample = |bytes: &[u8; 8]| LightSample {
        ambient: [bytes[0], bytes[1], bytes[2]],
        directed: [bytes[3], bytes[4], bytes[5]],
        direction: [bytes[6], bytes[7]],
    };
    let grid = LightGrid {
        origin: Vec3::splat(float(20)),
        cell: Vec3::new(64.0, float(16), 128.0),
        counts: [head[28], head[29], head[30]].map(u32::from),
        samples: rest.as_chunks().0.iter().map(sample).collect(),
    };
    let light = grid.light_at(Vec3::new(float(0), float(4), float(8)));
    assert!((0.0..=1.0).contains(&light), "{light}");
}

/// A terrain file, or the text of a terrain or of an overlay, by how it begins; a file also with all its checksums put right,
/// since no fuzzer guesses one. What is taken is asked everything and must come back from its own bytes and text.
pub fn terrain(bytes: &[u8]) {
    if let Some(overlay) = bytes.strip_prefix(b"fireteam overlay") {
        let text = format!("fireteam overlay{}", String::from_utf8_lossy(overlay));
        let base = Terrain::from_text("base", include_str!("../seeds/terrain/two_rooms.txt")).expect("a seed is sound");
        if let Ok(merged) = Overlay::parse("fuzz", &text).and_then(|overlay| base.with_overlay(&overlay)) {
            ask_terrain(&merged);
        }
    } else if bytes.starts_with(b"fireteam terrain") {
        if let Ok(terrain) = Terrain::from_text("fuzz", &String::from_utf8_lossy(bytes)) {
            ask_terrain(&terrain);
        }
    } else {
        let repaired = with_right_checksums(bytes);
        for bytes in [bytes, &repaired] {
            if let Ok(terrain) = Terrain::from_bytes("fuzz", bytes) {
                ask_terrain(&terrain);
            }
        }
    }
}

/// A terrain file whose head, table and sections have the checksums of what they hold.
fn with_right_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let Some(count) = bytes.get(12..16).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]))
    else {
        return bytes;
    };
    let length = bytes.len() as u64;
    let table = 128..128 + (count as usize).min(64) * 24;
    if table.end > bytes.len() {
        return bytes;
    }
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    for row in table.clone().step_by(24) {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes are eight"));
        let (offset, length) = (number(row + 8) as usize, number(row + 16) as usize);
        if let Some(section) = offset.checked_add(length).and_then(|end| bytes.get(offset..end)) {
            let crc = crc32fast::hash(section).to_le_bytes();
            bytes[row + 4..row + 8].copy_from_slice(&crc);
        }
    }
    let crc = crc32fast::hash(&[&bytes[..120], &bytes[124..table.end]].concat()).to_le_bytes();
    bytes[120..124].copy_from_slice(&crc);
    bytes
}

/// A recording; or, if it does not begin like one, the entries of a block, put into a file with the right checksums.
pub fn recording(bytes: &[u8]) {
    if bytes.starts_with(&recording::MAGIC) {
        read_recording(bytes);
    } else {
        read_recording(&recording_of(bytes));
    }
}

/// A file with nothing in its head and one block of these bytes.
fn recording_of(entries: &[u8]) -> Vec<u8> {
    let head = [0; 3 + 4 * 32 + 4 + 8];
    let mut file = recording::MAGIC.to_vec();
    file.extend(recording::VERSION.to_le_bytes());
    file.extend(0u32.to_le_bytes());
    file.extend((head.len() as u32).to_le_bytes());
    file.extend(head);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    let packed = miniz_oxide::deflate::compress_to_vec(entries, 0);
    file.extend((packed.len() as u32).to_le_bytes());
    file.extend((entries.len() as u32).to_le_bytes());
    file.extend(crc32fast::hash(entries).to_le_bytes());
    file.extend(packed);
    file.extend([0; 12]);
    file
}

fn read_recording(bytes: &[u8]) {
    let Ok(recording) = Recording::read("fuzz", bytes) else { return };
    let mut recorder = recording::Recorder::new(recording.head.clone(), recording::Keep::Whole);
    let convars = Default::default();
    let mut frames = 0;
    for entry in recording.entries() {
        let Ok(entry) = entry else { break };
        if let Entry::Frame(snapshot, commands) = entry {
            recorder.frame(&snapshot, &convars, &commands);
            frames += 1;
        }
    }
    // What was read can be written and read again. (Not compared: what is no number is not even equal to itself.)
    let again = recorder.to_bytes();
    let again = Recording::read("again", &again).expect("a recorder writes what can be read");
    let is_frame = |entry: &Entry| matches!(entry, Entry::Frame(..));
    let read = again.entries().map(|entry| entry.expect("and all of it")).filter(is_frame).count();
    assert_eq!(read, frames);
}

fn ask_terrain(terrain: &Terrain) {
    assert!(Head::read("again", &terrain.to_bytes()).is_ok());
    assert_eq!(&Terrain::from_bytes("again", &terrain.to_bytes()).expect("what was read can be written"), terrain);
    let text = terrain.to_text();
    assert_eq!(Terrain::from_text("again", &text).expect("what was read can be told").to_text(), text);
    let (Some(first), Some(last)) = (terrain.waypoints.ids().next(), terrain.waypoints.ids().last()) else {
        return;
    };
    let _ = terrain.route(&mut Search::default(), first, last);
    let _ = terrain.visible_from(last) & &terrain.within(Vec3::ZERO, 500.0) & &terrain.reached_within(first, 9000);
    for point in [Vec3::ZERO, Vec3::new(100.0, -50.0, 30.0), Vec3::splat(-1e6), Vec3::new(1e30, f32::NAN, f32::MAX)] {
        assert!(terrain.nearest(point).is_some());
    }
}

fn ask(map: &Map) {
    let points = [Vec3::ZERO, Vec3::new(100.0, -50.0, 30.0), Vec3::splat(-1e6), Vec3::new(1e30, 0.0, f32::MAX)];
    let solids = Solids::build(map);
    for from in points {
        if let Some(grid) = &map.light_grid {
            assert!((0.0..=1.0).contains(&grid.light_at(from)));
        }
        let _ = solids.contents_at(from);
        for to in points {
            let _ = map.may_see(from, to);
            let box_hull = Hull::new(Vec3::splat(-15.0), Vec3::splat(15.0));
            for hull in [Hull::POINT, box_hull] {
                let trace = solids.sweep(&Sweep::hull(from, to, hull, Contents::ALL));
                assert!((0.0..=1.0).contains(&trace.fraction), "{trace:?}");
            }
        }
    }
    map.entities.iter().for_each(read_all_of);
}

fn read_all_of(entity: &Entity) {
    let _ = (entity.class(), entity.origin(), entity.angle(), entity.angles(), entity.model());
}
