//! The table of W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, Fig. 22 (hand grenades), with our maps
//! above his.

use super::super::report::Table;
use super::Measured;

const COLUMNS: [&str; 12] = [
    "waypoints",
    "doors",
    "throws",
    "a target",
    "at most",
    "KiB",
    "B/throw",
    "B/waypoint",
    "bake s",
    "can throw/s",
    "decoded/s",
    "in game/s",
];

/// His maps; a rate of decoding is not told.
const HIS: [(&str, [f64; 12]); 5] = [
    ("actcity2", [473.0, 6.0, 36781.0, 78.0, 213.0, 203.0, 5.7, 441.0, 12420.0, 2.22e6, f64::NAN, 8.8]),
    ("riotx", [673.0, 5.0, 58217.0, 87.0, 247.0, 318.0, 5.6, 485.0, 23220.0, 2.12e6, f64::NAN, 8.5]),
    ("p1_lightbeam", [811.0, 10.0, 80068.0, 99.0, 326.0, 432.0, 5.5, 546.0, 28440.0, 2.04e6, f64::NAN, 8.9]),
    ("city", [951.0, 4.0, 84345.0, 87.0, 231.0, 460.0, 5.6, 495.0, 24720.0, 2.08e6, f64::NAN, 6.7]),
    ("teacher", [1012.0, 33.0, 42870.0, 42.0, 131.0, 260.0, 6.2, 264.0, 31200.0, 2.32e6, f64::NAN, 8.1]),
];

pub(super) fn table(all: &[Measured]) -> Table {
    let ours = all.iter().map(|one| (format!("{}, {}", one.map, one.game), figures(one)));
    let his = HIS.iter().map(|(map, figures)| (format!("{map} (2000)"), *figures));
    let told = |figure: f64| (!figure.is_nan()).then_some(figure);
    let rows = ours.chain(his).map(|(map, figures)| (map, figures.map(told).to_vec()));
    Table { columns: COLUMNS.map(str::to_owned).to_vec(), rows: rows.collect() }
}

fn figures(one: &Measured) -> [f64; 12] {
    [
        one.waypoints as f64,
        one.doors as f64,
        one.throws as f64,
        one.per_target(),
        one.per_target_max as f64,
        one.bytes as f64 / 1024.0,
        one.per_throw(),
        one.bytes as f64 / one.waypoints.max(1) as f64,
        one.bake.as_secs_f64(),
        one.asked.per_second,
        one.delivered.per_second(),
        1000.0 / one.covered.mean_ms(),
    ]
}

/// One map as it is done, for who waits.
pub(super) fn line(one: &Measured) -> String {
    let all = one.delivered.all();
    let percent = |share: f64| share * 100.0;
    let table = format!(
        "{} {}: {} throws of {} ({:.1} % of the pairs), {:.2} bytes each; baked in {:.1} s, quick {:.1} s for {} of {} waypoints",
        one.map,
        one.game,
        one.throws,
        one.throwable,
        percent(one.density()),
        one.per_throw(),
        one.bake.as_secs_f64(),
        one.quick_bake.as_secs_f64(),
        one.quick_waypoints,
        one.waypoints
    );
    let delivery = format!(
        "hurt {:.1} %, {:.1} points, refused {:.1} %, thrower hurt {:.2} %; out of sight {:.1} % of the pairs, hurt {:.1} %",
        percent(all.hurt()),
        all.mean_points(),
        percent(all.refused()),
        percent(all.own()),
        percent(one.delivered.unseen_share()),
        percent(one.delivered.unseen.hurt())
    );
    let coverage = format!(
        "{} of {} solvable pairs in the table ({} asked from {} waypoints); from nothing {:.2} ms, {:.1} % good, {:.1} % any",
        one.covered.in_table,
        one.covered.pairs,
        one.covered.asked,
        one.covered.sources,
        one.covered.mean_ms(),
        percent(one.covered.found()),
        percent(one.covered.any())
    );
    format!("{table}\n  {delivery}\n  {coverage}\n  can throw? {:.2} times as fast as FxHashMap", one.asked.ratio())
}
