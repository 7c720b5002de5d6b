//! Grenades and rockets fired on the real server, flown again from the thrower's hand: every bounce and the place of the
//! explosion within half a unit in 99 of 100; what does not reach it is printed.

use std::collections::BTreeMap;
use std::path::Path;

use fireteam_openarena::Install;
use fireteam_openarena::capture::kept::Kept;
use fireteam_openarena::capture::runs::{Run, RunLine};
use fireteam_openarena::replay::flights::Range;
use fireteam_world::map::Files;
use fireteam_world::{Game, Solids};

const NEAR: f32 = 0.5;
const SHARE_MIN: f32 = 0.99;

#[derive(Default)]
struct Tally {
    flights: usize,
    near: usize,
    exact: usize,
    bounces: usize,
    worst: f32,
}

#[test]
fn recorded_shots_bounce_and_explode_where_the_engine_had_them() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures/openarena");
    let kept = Kept::<RunLine>::load(&captures.join("flights.txt.gz")).unwrap_or_else(|error| panic!("{error}"));
    let runs = Run::from_lines(&kept.lines).expect("a run begins with its map and its name");
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let files = Files::open(&[install.base_path.join("baseoa")]).unwrap();
    let game = Game::named("openarena").expect("built in");

    let mut kinds: BTreeMap<&str, Tally> = BTreeMap::new();
    for runs in runs.chunk_by(|one, next| one.map == next.map) {
        let map = files.map(&runs[0].map).unwrap_or_else(|error| panic!("{error}"));
        let solids = Solids::build(&map);
        let range = Range::new(&map, &solids, &game);
        for run in runs {
            let Some(stray) = range.replay(run) else { continue };
            let tally = kinds.entry(&run.what).or_default();
            tally.flights += 1;
            tally.bounces += stray.bounces;
            tally.exact += usize::from(stray.is_within(0.0));
            tally.worst = tally.worst.max(stray.worst);
            if stray.is_within(NEAR) {
                tally.near += 1;
            } else {
                println!("{}, {} from {}: {stray:?}", run.map, run.what, run.bodies[0].origin);
            }
        }
    }
    println!("kind     flights   near  exact  bounces  worst");
    for (kind, Tally { flights, near, exact, bounces, worst }) in &kinds {
        println!("{kind:8} {flights:7} {near:6} {exact:6} {bounces:8}  {worst:.5}");
        assert!(*near as f32 >= *flights as f32 * SHARE_MIN, "{near} of {flights} {kind} flights are near");
    }
    assert!(kinds.get("grenade").is_some_and(|grenades| grenades.flights >= 300 && grenades.bounces >= 1000));
}
