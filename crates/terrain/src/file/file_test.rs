use proptest::prelude::*;

use super::*;
use crate::samples::{self, Dice};
use crate::*;

fn sample() -> (Terrain, Vec<u8>) {
    let terrain = samples::terrain(40, 9);
    let bytes = terrain.to_bytes();
    (terrain, bytes)
}

/// Puts new contents into a section, with the checksums to match: what a clever forger would do.
fn forge(bytes: &[u8], tag: [u8; 4], change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let head = Head::read("forged", bytes).unwrap();
    let mut sections: Vec<([u8; 4], Vec<u8>)> = head
        .sections
        .iter()
        .map(|section| (section.tag, bytes[section.offset..section.offset + section.length].to_vec()))
        .collect();
    match sections.iter_mut().find(|(known, _)| *known == tag) {
        Some((_, contents)) => change(contents),
        None => {
            let mut contents = Vec::new();
            change(&mut contents);
            sections.push((tag, contents));
        }
    }
    join(bytes, &sections)
}

/// A file with these sections and the digests of another.
fn join(like: &[u8], sections: &[([u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut file = like[..HEAD_BYTES].to_vec();
    let mut body = Vec::new();
    let table_end = HEAD_BYTES + sections.len() * ENTRY_BYTES;
    for (tag, contents) in sections {
        body.resize(usize::next_multiple_of(body.len(), ALIGNMENT), 0);
        file.extend(tag);
        file.extend(crc32fast::hash(contents).to_le_bytes());
        file.extend(((table_end + body.len()) as u64).to_le_bytes());
        file.extend((contents.len() as u64).to_le_bytes());
        body.extend(contents);
    }
    file[12..16].copy_from_slice(&(sections.len() as u32).to_le_bytes());
    file[16..24].copy_from_slice(&((table_end + body.len()) as u64).to_le_bytes());
    let crc = crc_of([&file[..120], &file[124..]]);
    file[120..124].copy_from_slice(&crc.to_le_bytes());
    file.extend(body);
    file
}

#[test]
fn a_terrain_comes_back_as_it_was() {
    for waypoints in [0, 1, 40, 130] {
        let terrain = samples::terrain(waypoints, 4);
        let bytes = terrain.to_bytes();
        let read = Terrain::from_bytes("sample", &bytes).unwrap();
        assert_eq!(read, terrain);
        assert_eq!(read.to_bytes(), bytes);
    }
}

#[test]
fn a_section_begins_where_numbers_are_aligned() {
    let (_, bytes) = sample();
    for section in Head::read("sample", &bytes).unwrap().sections {
        assert!(section.offset.is_multiple_of(8), "{section:?}");
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let (_, bytes) = sample();
    let mut dice = Dice(1);
    // All of head and table, and a few thousand bits of the rest.
    let in_head = 0..(HEAD_BYTES + 13 * ENTRY_BYTES) * 8;
    let elsewhere: Vec<usize> = (0..3000).map(|_| dice.below(bytes.len() * 8)).collect();
    for bit in in_head.chain(elsewhere) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        // The digests of the head are what they are: another digest is for `fits` to refuse, but the checksum tells.
        assert!(Terrain::from_bytes("flipped", &flipped).is_err(), "bit {} of byte {}", bit % 8, bit / 8);
    }
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    let (_, bytes) = sample();
    for length in (0..1000).chain((1000..bytes.len()).step_by(97)) {
        let error = Terrain::from_bytes("cut", &bytes[..length]).unwrap_err();
        let is_told = match length {
            0..8 => matches!(error, FileError::NotATerrain { .. }),
            _ => matches!(error, FileError::Truncated { found, .. } if found == length as u64),
        };
        assert!(is_told, "{length} bytes: {error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(Terrain::from_bytes("longer", &longer), Err(FileError::Truncated { .. })));
}

#[test]
fn errors_say_where_and_what_to_do() {
    let (_, bytes) = sample();
    let head = Head::read("pit.terrain", &bytes).unwrap();
    let links = head.sections.iter().find(|section| section.tag == tables::LINKS).unwrap();
    let mut damaged = bytes.clone();
    damaged[links.offset + 3] ^= 64;
    let error = Terrain::from_bytes("pit.terrain", &damaged).unwrap_err().to_string();
    let place = format!("pit.terrain, section link, byte {}", links.offset);
    assert_eq!(
        error,
        format!("{place}: the checksum of the section is wrong; bake the map again with `fireteam bake`")
    );

    let mut old = bytes.clone();
    old[8] = 0;
    let error = Terrain::from_bytes("pit.terrain", &old).unwrap_err().to_string();
    assert_eq!(
        error,
        "pit.terrain has format version 0, this program reads 2; bake the map again with `fireteam bake`"
    );

    let error = Terrain::from_bytes("pit.bsp", b"IBSP and so on").unwrap_err().to_string();
    assert_eq!(error, "pit.bsp is no terrain file; `fireteam bake` makes one from a map");
}

#[test]
fn damage_is_told_by_its_section() {
    let (_, bytes) = sample();
    let sections = Head::read("pit.terrain", &bytes).unwrap().sections;
    assert!(sections.len() >= 12, "{}", sections.len());
    for section in sections.iter().filter(|section| section.length > 0) {
        let tag = String::from_utf8_lossy(&section.tag);
        for at in [0, section.length / 2, section.length - 1] {
            let mut damaged = bytes.clone();
            damaged[section.offset + at] ^= 1;
            let error = Terrain::from_bytes("pit.terrain", &damaged).unwrap_err().to_string();
            let place = format!("pit.terrain, section {tag}, byte {}: the checksum", section.offset);
            assert!(error.starts_with(&place), "{error}");
        }
    }
}

#[test]
fn a_terrain_of_another_map_or_of_other_physics_is_refused() {
    let folder = std::env::temp_dir().join(format!("fireteam-terrain-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("lattice.terrain");
    let (terrain, _) = sample();
    save(&path, &terrain).unwrap();
    save(&path, &terrain).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
    let Provenance { map, physics, settings, .. } = terrain.provenance.clone();
    let right = Wanted { map: Some(map), physics: Some(physics), settings: Some(settings) };
    assert_eq!(open(&path, &right).unwrap(), terrain);
    assert_eq!(open(&path, &Wanted::default()).unwrap(), terrain);
    let other = Some([9; 32]);
    assert!(matches!(open(&path, &Wanted { map: other, ..right }), Err(FileError::OtherMap { .. })));
    assert!(matches!(open(&path, &Wanted { physics: other, ..right }), Err(FileError::OtherPhysics { .. })));
    assert!(matches!(open(&path, &Wanted { settings: other, ..right }), Err(FileError::OtherSettings { .. })));
    let mut overlaid = terrain.clone();
    overlaid.provenance.overlay = 7;
    save(&path, &overlaid).unwrap();
    assert!(matches!(open(&path, &right), Err(FileError::Overlaid { overlay: 7, .. })));
    assert_eq!(open(&path, &Wanted { settings: None, ..right }).unwrap(), overlaid);
    fs::remove_dir_all(folder).unwrap();
    assert!(matches!(open(&path, &right), Err(FileError::Read { .. })));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let error = save(Path::new("/dev/full"), &sample().0).unwrap_err();
    assert!(error.to_string().starts_with("cannot write /dev/full: No space left"), "{error}");
}

#[test]
fn a_section_of_a_later_version_is_skipped() {
    let (terrain, bytes) = sample();
    let later = forge(&bytes, *b"late", |contents| contents.extend(b"something, some day"));
    assert_eq!(Terrain::from_bytes("later", &later).unwrap(), terrain);
}

#[test]
fn a_section_that_is_missing_is_named() {
    let (_, bytes) = sample();
    let head = Head::read("sample", &bytes).unwrap();
    for left_out in &head.sections {
        let rest: Vec<([u8; 4], Vec<u8>)> = head
            .sections
            .iter()
            .filter(|section| section.tag != left_out.tag)
            .map(|section| (section.tag, bytes[section.offset..section.offset + section.length].to_vec()))
            .collect();
        match Terrain::from_bytes("sample", &join(&bytes, &rest)) {
            Err(FileError::Missing { section, .. }) => assert_eq!(section, left_out.name()),
            other => panic!("without {}: {other:?}", left_out.name()),
        }
    }
}

#[test]
fn an_id_that_names_nothing_is_refused() {
    let (terrain, _) = sample();
    let nowhere = WaypointId(40);
    type Spoil = fn(&mut Terrain, WaypointId);
    let spoils: [(&str, Spoil); 7] = [
        ("links", |terrain, nowhere| terrain.links.links[3].to = nowhere),
        ("links", |terrain, _| terrain.links.links[3].mover = MoverId(4)),
        ("ground", |terrain, nowhere| terrain.ground.spans[9].waypoint = nowhere),
        ("areas", |terrain, _| terrain.areas.of_waypoint[2] = AreaId(5)),
        ("portals", |terrain, nowhere| terrain.portals.portals[0].waypoints[1] = nowhere),
        ("hiding", |terrain, nowhere| terrain.hiding.spots.last_mut().unwrap().waypoint = nowhere),
        ("waypoints", |terrain, _| terrain.waypoints.origin[7].y = f32::NAN),
    ];
    for (table, spoil) in spoils {
        let mut spoiled = terrain.clone();
        spoil(&mut spoiled, nowhere);
        match Terrain::from_bytes("spoiled", &spoiled.to_bytes()) {
            Err(FileError::Unsound { unsound, .. }) => assert_eq!(unsound.table, table),
            other => panic!("{table}: {other:?}"),
        }
    }
}

proptest! {
    /// Checksums that match do not make a section true: whatever stands in it, reading it ends in a terrain or an error.
    #[test]
    fn a_forged_section_never_panics(
        section in 0_usize..14,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (_, bytes) = sample();
        let tag = Head::read("sample", &bytes).unwrap().sections[section].tag;
        let forged = forge(&bytes, tag, |contents| {
            for (place, byte) in &edits {
                // The counts stand at the beginning of a section, so half of the edits go there.
                let reach = if byte % 2 == 0 { contents.len().min(32) } else { contents.len() };
                if reach > 0 {
                    contents[place.index(reach)] ^= byte | 1;
                }
            }
            if let Some(cut) = cut.filter(|_| !contents.is_empty()) {
                contents.truncate(cut.index(contents.len()));
            }
        });
        if let Ok(terrain) = Terrain::from_bytes("forged", &forged) {
            prop_assert_eq!(Terrain::from_bytes("again", &terrain.to_bytes()).unwrap(), terrain);
        }
    }

    #[test]
    fn ground_of_any_shape_comes_back(
        columns in prop::collection::vec(prop::collection::btree_map(any::<i16>(), any::<(u8, u8, u16)>(), 0..4), 1..400),
    ) {
        let mut ground = Ground { size: [columns.len() as u32, 1], ..Ground::default() };
        for column in columns {
            ground.spans.extend(column.into_iter().map(|(feet, (headroom, flags, waypoint))| Span {
                feet,
                headroom,
                flags: SpanFlags(flags),
                waypoint: WaypointId(waypoint),
            }));
            ground.column_first.push(ground.spans.len() as u32);
        }
        let mut writer = Writer::default();
        super::ground::write(&mut writer, &ground);
        let mut reader = Reader::new(writer.as_bytes());
        prop_assert_eq!(super::ground::read(&mut reader).unwrap(), ground);
        prop_assert_eq!(reader.left(), 0);
    }
}

#[test]
fn empty_ground_is_a_byte_for_128_columns() {
    let columns = 1000 * 1000;
    let ground = Ground { size: [1000, 1000], column_first: vec![0; columns + 1], ..Ground::default() };
    let mut writer = Writer::default();
    super::ground::write(&mut writer, &ground);
    assert!(writer.len() < 28 + columns / 128 + 2, "{} bytes", writer.len());
    assert_eq!(super::ground::read(&mut Reader::new(writer.as_bytes())).unwrap(), ground);
}
