//! What links, areas, sight, hiding spots and values our own maps have, as text that a person can compare.
//!
//! `FIRETEAM_BLESS=1 cargo test -p fireteam-bake --test whole goldens` writes the texts anew; a commit that does so says what
//! changed, and why.

use std::fmt::Write;

use fireteam_bake::{BakeSettings, OneThread, Unwatched, bake};
use fireteam_terrain::{BitRows, Terrain, Values, WaypointId};

use crate::{game, map, questions, root};

#[test]
fn every_later_step_is_as_it_was() {
    let mut faults = Vec::new();
    for name in questions() {
        let terrain = bake(&map(&name), &game(), &BakeSettings::default().without_throws(), &OneThread, &Unwatched)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        faults.extend(check(&name, "3_links", &links_text(&terrain)).err());
        faults.extend(check(&name, "5_sight", &sight_text(&terrain)).err());
        faults.extend(check(&name, "5_hiding", &hiding_text(&terrain)).err());
        faults.extend(check(&name, "7_values", &values_text(&terrain)).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Compares with `testdata/goldens/<map>/<step>.txt`, or writes it when asked to.
fn check(map: &str, step: &str, text: &str) -> Result<(), String> {
    let path = root().join("testdata/goldens").join(map).join(format!("{step}.txt"));
    if std::env::var_os("FIRETEAM_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return Ok(());
    }
    let golden = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if golden == text {
        return Ok(());
    }
    let differing = golden.lines().zip(text.lines()).find(|(old, new)| old != new);
    let counts = (golden.lines().count(), text.lines().count());
    Err(format!("{map}, {step}: {} lines, now {}; first to differ: {differing:?}", counts.0, counts.1))
}

fn links_text(terrain: &Terrain) -> String {
    let mut text = format!("{} links\n", terrain.links.links.len());
    for (from, link) in terrain.links.iter() {
        write!(text, "w{} w{} {:?} {} ms trust {}", from.0, link.to.0, link.kind, link.time_ms, link.trust).unwrap();
        for (word, mover) in [("by", link.mover), ("opened by", link.opener)] {
            if let Some(mover) = mover.get() {
                write!(text, " {word} m{}", mover.0).unwrap();
            }
        }
        if link.damage > 0 {
            write!(text, " damage {}", link.damage).unwrap();
        }
        text += if link.flags.is_empty() { "\n" } else { " " };
        if !link.flags.is_empty() {
            writeln!(text, "{:?}", link.flags).unwrap();
        }
    }
    text
}

fn sight_text(terrain: &Terrain) -> String {
    let mut text = String::new();
    for id in terrain.waypoints.ids() {
        let sight = &terrain.sight;
        writeln!(text, "w{} standing {}", id.0, ranges(&sight.standing, id)).unwrap();
        writeln!(text, "w{} crouched {}", id.0, ranges(&sight.crouched, id)).unwrap();
        for opening in sight.openings_from(id) {
            writeln!(text, "w{} w{} with m{} open: {:?}", id.0, opening.to.0, opening.mover.0, opening.adds).unwrap();
        }
    }
    text
}

/// Columns that are set in a row, as `3-7 9`.
fn ranges(rows: &BitRows, row: WaypointId) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for column in (0..rows.size()).filter(|&column| rows.get(row.index(), column)) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == column => *last = column,
            Some(_) | None => runs.push((column, column)),
        }
    }
    let words: Vec<String> =
        runs.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") }).collect();
    words.join(" ")
}

fn hiding_text(terrain: &Terrain) -> String {
    let mut text = format!("{} hiding spots\n", terrain.hiding.spots.len());
    for spot in &terrain.hiding.spots {
        let [x, y, z] = spot.origin.to_array();
        let (standing, crouched) = (spot.standing, spot.crouched);
        writeln!(
            text,
            "w{} at {x:.2} {y:.2} {z:.2} hidden {} standing {standing:?} crouched {crouched:?}",
            spot.waypoint.0, spot.hidden
        )
        .unwrap();
    }
    text
}

fn values_text(terrain: &Terrain) -> String {
    let mut text = format!("waypoint {}\n", Values::NAMES.join(" "));
    for id in terrain.waypoints.ids() {
        let values: Vec<String> =
            terrain.values.columns().iter().map(|column| column[id.index()].to_string()).collect();
        writeln!(text, "w{} {}", id.0, values.join(" ")).unwrap();
    }
    text
}
