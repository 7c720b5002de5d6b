//! Doors, lifts, buttons and what moves by itself, recorded on the real server and simulated again from the map's
//! entities: every one within an eighth of a unit at the end of every frame.

use std::collections::BTreeMap;
use std::path::Path;

use fireteam_openarena::Install;
use fireteam_openarena::capture::kept::Kept;
use fireteam_openarena::capture::runs::{Run, RunLine};
use fireteam_openarena::replay::movers::replay;
use fireteam_world::map::Files;
use fireteam_world::{Game, Solids};

const NEAR: f32 = 0.125;

#[derive(Default)]
struct Tally {
    runs: usize,
    moving: usize,
    rows: usize,
    exact: usize,
    unknown: usize,
    worst: f32,
    rider_worst: f32,
}

#[test]
fn recorded_movers_are_where_the_engine_had_them_in_every_frame() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures/openarena");
    let kept = Kept::<RunLine>::load(&captures.join("movers.txt.gz")).unwrap_or_else(|error| panic!("{error}"));
    let runs = Run::from_lines(&kept.lines).expect("a run begins with its map and its name");
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let files = Files::open(&[install.base_path.join("baseoa")]).unwrap();
    let mut game = Game::named("openarena").expect("built in");
    // Captures are made in a free-for-all.
    game.rules.teams.count = 1;

    let mut kinds: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut astray = 0;
    let mut told_worst = 0.0_f32;
    for runs in runs.chunk_by(|one, next| one.map == next.map) {
        let map = files.map(&runs[0].map).unwrap_or_else(|error| panic!("{error}"));
        let solids = Solids::build(&map);
        for run in runs {
            let stray = replay(&map, &solids, &game, run);
            told_worst = told_worst.max(stray.told_worst);
            let tally = kinds.entry(&run.what).or_default();
            tally.runs += 1;
            tally.moving += stray.moving;
            tally.rows += stray.rows;
            tally.exact += stray.exact;
            tally.unknown += stray.unknown.len();
            tally.worst = tally.worst.max(stray.worst);
            tally.rider_worst = tally.rider_worst.max(stray.rider_worst);
            if stray.worst > NEAR {
                astray += 1;
                println!("{}, {} at {:?}: {stray:?}", run.map, run.what, run.bodies.first().map(|body| body.origin));
            }
        }
    }
    println!("kind             runs  moving    rows   exact  unknown  worst     rider");
    for (kind, Tally { runs, moving, rows, exact, unknown, worst, rider_worst }) in &kinds {
        println!("{kind:16} {runs:4} {moving:7} {rows:7} {exact:7} {unknown:8}  {worst:.5}  {rider_worst:.4}");
    }
    assert!(kinds.values().map(|tally| tally.moving).sum::<usize>() > 1000, "the record says too little");
    println!("told motions and places: at most {told_worst} apart");
    assert!(told_worst <= NEAR, "a motion as it is told to clients puts its mover elsewhere");
    assert!(kinds["ride"].rider_worst <= NEAR, "a rider was not carried as the lift went");
    assert_eq!(astray, 0, "runs in which a mover strayed more than {NEAR}");
}
