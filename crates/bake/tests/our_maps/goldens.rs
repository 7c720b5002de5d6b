//! What each step of the bake makes of our own maps, as text that a person can compare.
//!
//! `FIRETEAM_BLESS=1 cargo test -p fireteam-bake --test our_maps goldens` writes the texts anew; a commit that does so says how many
//! spans and waypoints changed, and why.

use std::collections::BTreeMap;
use std::fmt::Write;

use fireteam_terrain::{Ground, Span, SpanFlags, Waypoints};

use crate::support;

/// Compares with `testdata/goldens/<map>/<step>.txt`, or writes it when asked to.
pub(crate) fn check(map: &str, step: &str, text: &str) -> Result<(), String> {
    let path = support::root().join("testdata/goldens").join(map).join(format!("{step}.txt"));
    if std::env::var_os("FIRETEAM_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return Ok(());
    }
    let golden = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let differing = golden.lines().zip(text.lines()).position(|(a, b)| a != b);
    match differing {
        _ if golden == text => Ok(()),
        None => {
            Err(format!("{map}, {step}: {} lines, the golden has {}", text.lines().count(), golden.lines().count()))
        }
        Some(line) => {
            let [old, new] = [&golden, text].map(|text| text.lines().nth(line).unwrap_or_default());
            Err(format!("{map}, {step}, line {}:\n  golden {old}\n  now    {new}", line + 1))
        }
    }
}

#[test]
fn every_step_is_as_it_was() {
    let mut faults = Vec::new();
    for map in support::questions() {
        let support::Baked { survey, waypoints, .. } = support::bake(&map);
        faults.extend(check(&map, "1_ground", &ground_text(&survey.ground)).err());
        faults.extend(check(&map, "2_waypoints", &waypoints_text(&waypoints)).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every storey as a plan, north up: a letter a cell, for what is most special about it. Below it, how many spans there
/// are at each height.
fn ground_text(ground: &Ground) -> String {
    let mut text =
        format!("{} spans in {} x {} cells of {}\n", ground.spans.len(), ground.size[0], ground.size[1], ground.cell);
    let storeys = (0..ground.columns()).map(|column| ground.column(column).len()).max().unwrap_or(0);
    for storey in 0..storeys {
        writeln!(text, "\nstorey {storey}").unwrap();
        for y in (0..ground.size[1] as usize).rev() {
            let row = (0..ground.size[0] as usize).map(|x| {
                let spans = ground.column(x + y * ground.size[0] as usize);
                spans.get(storey).map_or(' ', letter)
            });
            let row: String = row.collect();
            writeln!(text, "{}", row.trim_end()).unwrap();
        }
    }
    let mut heights: BTreeMap<(i16, u8), usize> = BTreeMap::new();
    for span in &ground.spans {
        *heights.entry((span.feet, span.headroom)).or_default() += 1;
    }
    text.push('\n');
    for ((feet, headroom), count) in heights {
        writeln!(text, "feet {feet} headroom {}: {count}", f32::from(headroom) * Span::HEADROOM_STEP).unwrap();
    }
    text
}

fn letter(span: &Span) -> char {
    let letters = [
        (SpanFlags::HARM, '!'),
        (SpanFlags::LADDER, 'H'),
        (SpanFlags::STEEP, '/'),
        (SpanFlags::SWIM, '~'),
        (SpanFlags::LEDGE, '|'),
        (SpanFlags::LIQUID, '-'),
        (SpanFlags::STAND, '.'),
        (SpanFlags::CROUCH, 'c'),
    ];
    letters.iter().find(|(flag, _)| span.flags.meets(*flag)).map_or('_', |(_, letter)| *letter)
}

fn waypoints_text(waypoints: &Waypoints) -> String {
    let mut text = format!("{} waypoints\n", waypoints.len());
    for id in waypoints.ids() {
        let origin = waypoints.origin[id.index()];
        let words: Vec<&str> = waypoints.flags[id.index()].words().collect();
        writeln!(text, "{} at {:.2} {:.2} {:.2} {}", id.0, origin.x, origin.y, origin.z, words.join("+")).unwrap();
    }
    text
}
