//! Traces recorded from the real server, asked again: they end where the engine's end, and see what it sees.

use std::collections::BTreeMap;
use std::path::Path;

use fireteam_openarena::Install;
use fireteam_openarena::capture::kept::Kept;
use fireteam_openarena::capture::traces::{TraceLine, TraceScene};
use fireteam_openarena::replay::traces::{TraceAgreement, compare};
use fireteam_world::map::Files;
use fireteam_world::{Crowd, Map, Scene, Solids, Sweep};

fn kept_scenes() -> BTreeMap<String, Vec<TraceScene>> {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures/openarena");
    let kept = Kept::<TraceLine>::load(&captures.join("traces.txt.gz")).unwrap_or_else(|error| panic!("{error}"));
    let mut by_map: BTreeMap<String, Vec<TraceScene>> = BTreeMap::new();
    for scene in TraceScene::from_lines(&kept.lines).expect("a trace follows its map and scene") {
        by_map.entry(scene.map.clone()).or_default().push(scene);
    }
    by_map
}

fn on_each_map(mut check: impl FnMut(&Map, &Solids, &TraceScene)) {
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let files = Files::open(&[install.base_path.join("baseoa")]).unwrap_or_else(|error| panic!("{error}"));
    for (name, scenes) in kept_scenes() {
        let map = files.map(&name).unwrap_or_else(|error| panic!("{error}"));
        let solids = Solids::build(&map);
        scenes.iter().for_each(|scene| check(&map, &solids, scene));
    }
}

#[test]
fn recorded_traces_end_where_the_engines_end() {
    let mut total = TraceAgreement::default();
    on_each_map(|map, solids, scene| {
        let agreement = compare(solids, scene);
        println!("{:16} {agreement:?}", map.name);
        total.add(&agreement);
    });
    println!("{total:?}");
    assert!(total.brushes.traces > 10_000 && total.curves.traces > 100, "{total:?}");
    assert!(total.brushes.hit_differs * 10_000 <= total.brushes.traces, "{:?}", total.brushes);
    assert!(total.brushes.end_differs * 10_000 <= total.brushes.traces, "{:?}", total.brushes);
    assert!(total.curves.hit_differs * 10_000 <= total.curves.traces * 20, "{:?}", total.curves);
    assert!(total.curves.end_differs * 100 <= total.curves.traces, "{:?}", total.curves);
}

#[test]
fn the_portable_path_answers_recorded_traces_to_the_same_bit() {
    on_each_map(|map, solids, scene| {
        let portable = solids.clone().portable();
        for (sweep, _) in &scene.traces {
            assert_eq!(solids.sweep(sweep), portable.sweep(sweep), "{} {sweep:?}", map.name);
        }
    });
}

#[test]
fn the_hierarchy_answers_as_a_walk_of_the_whole_tree_does() {
    let (mut asked, mut differ) = (0, 0);
    on_each_map(|_, solids, scene| {
        for (sweep, _) in &scene.traces {
            let (ours, tree) = (solids.sweep(sweep), solids.sweep_by_tree(sweep).expect("compiled maps have a tree"));
            asked += 1;
            differ += usize::from(ours.fraction != tree.fraction || ours.start_solid != tree.start_solid);
        }
    });
    println!("{differ} of {asked} differ");
    assert!(differ * 10_000 <= asked, "{differ} of {asked} differ");
}

#[test]
fn recorded_points_hold_what_the_engine_says() {
    let (mut asked, mut differ) = (0, 0);
    on_each_map(|_, solids, record| {
        let crowd = Crowd::of(solids, &record.placed, &[]);
        let scene = Scene { solids, crowd: &crowd };
        for (point, contents) in &record.contents {
            asked += 1;
            differ += usize::from(scene.contents_at(*point, None) != *contents);
        }
    });
    println!("{differ} of {asked} points differ");
    assert!(asked > 1000 && differ * 1000 <= asked, "{differ} of {asked} points differ");
}

#[test]
fn a_clear_way_is_a_trace_without_a_hit() {
    on_each_map(|map, solids, scene| {
        for (sweep, _) in &scene.traces {
            let back = Sweep { start: sweep.end, end: sweep.start, ..*sweep };
            for sweep in [sweep, &back] {
                assert_eq!(solids.is_clear(sweep), !solids.sweep(sweep).is_hit(), "{} {sweep:?}", map.name);
            }
        }
    });
}
