use proptest::prelude::*;

use super::*;
use crate::samples;

#[test]
fn text_comes_back_as_the_same_bytes() {
    for waypoints in [0, 1, 40, 130] {
        let terrain = samples::terrain(waypoints, 4);
        let text = terrain.to_text();
        let read = Terrain::from_text("sample", &text).unwrap();
        assert_eq!(read.to_bytes(), terrain.to_bytes());
        assert_eq!(read.to_text(), text);
    }
}

#[test]
fn a_row_is_a_line() {
    let text = samples::terrain(9, 2).to_text();
    let has = |line: &str| assert!(text.lines().any(|known| known == line), "no {line:?} in\n{text}");
    has("fireteam terrain 1");
    has("name lattice");
    has("feet -24");
    has(&format!("physics {}", "02".repeat(32)));
    has("ground cell 16 origin 0 0 size 12 12");
    assert_eq!(text.lines().filter(|line| line.starts_with("waypoint ")).count(), 9);
}

#[test]
fn odd_names_come_back() {
    for name in ["", "-", "two words", "# no comment", "\\u{41}", "größer", "a-b_c/d"] {
        let mut terrain = samples::terrain(1, 1);
        terrain.provenance.map_name = name.to_owned();
        assert_eq!(Terrain::from_text("sample", &terrain.to_text()).unwrap(), terrain, "{name:?}");
    }
}

#[test]
fn errors_name_the_line() {
    let text = samples::terrain(9, 2).to_text();
    let error_of = |old: &str, new: &str| {
        assert!(text.contains(old), "{old:?} is not in the sample");
        Terrain::from_text("t.txt", &text.replacen(old, new, 1)).unwrap_err().to_string()
    };
    assert_eq!(error_of("terrain 1", "terrain 2"), "t.txt:1: this is version 2, this program reads 1");
    assert_eq!(error_of("feet -24", "feet low"), "t.txt:7: `low` is no height");
    assert_eq!(error_of("feet -24", "feat -24"), "t.txt:7: a terrain has no `feat`");
    assert_eq!(error_of("feet -24", "feet -24 inches"), "t.txt:7: `inches` is too much");
    assert_eq!(error_of("waypoint 1 at", "waypoint 2 at"), "t.txt:9: number 2 stands where 1 should");
    assert_eq!(error_of("fireteam ", "firetime "), "t.txt: the text does not begin with `fireteam terrain 1`");
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let text = samples::terrain(9, 2).to_text();
    let error = Terrain::from_text("t.txt", &text.replacen("feet -24", "feet 1e9", 1)).unwrap_err().to_string();
    assert_eq!(error, "t.txt: waypoints 0: the feet are out of range");
}

proptest! {
    /// Words swapped, lost or doubled anywhere end in a terrain or in an error.
    #[test]
    fn a_mangled_text_never_panics(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u8..4), 1..5)) {
        let text = samples::terrain(9, 2).to_text();
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        for (at, from, how) in edits {
            let (at, from) = (at.index(words.len()), from.index(words.len()));
            match how {
                0 => words[at] = words[from],
                1 => words.insert(at, words[from]),
                2 => drop(words.remove(at)),
                _ => words[at] = "-99999999999 ",
            }
        }
        if let Ok(terrain) = Terrain::from_text("mangled", &words.concat()) {
            prop_assert_eq!(Terrain::from_text("again", &terrain.to_text()).unwrap(), terrain);
        }
    }
}
