//! Explosions among victims on the real server, suffered again: the same points at every distance, the same push.

use std::path::Path;

use fireteam_openarena::Install;
use fireteam_openarena::capture::kept::Kept;
use fireteam_openarena::capture::runs::{Run, RunLine};
use fireteam_openarena::replay::blasts::replay;
use fireteam_world::map::Files;
use fireteam_world::{Game, Solids};

/// Units per second between the velocities after a blow.
const SAME_THROW: f32 = 0.01;

#[test]
fn recorded_blasts_hurt_and_throw_as_the_engine_did() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures/openarena");
    let kept = Kept::<RunLine>::load(&captures.join("blasts.txt.gz")).unwrap_or_else(|error| panic!("{error}"));
    let runs = Run::from_lines(&kept.lines).expect("a run begins with its map and its name");
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let files = Files::open(&[install.base_path.join("baseoa")]).unwrap();
    let game = Game::named("openarena").expect("built in");

    let (mut bodies, mut hurt, mut spared, mut armoured, mut thrown) = (0, 0, 0, 0, 0);
    let (mut points_apart, mut throws_apart) = (0, 0);
    for runs in runs.chunk_by(|one, next| one.map == next.map) {
        let map = files.map(&runs[0].map).unwrap_or_else(|error| panic!("{error}"));
        let solids = Solids::build(&map);
        for run in runs {
            for body in replay(run, &solids, &game) {
                bodies += 1;
                hurt += usize::from(body.computed > 0);
                spared += usize::from(body.computed == 0 && body.recorded == 0 && body.distance < 120.0);
                armoured += usize::from(body.is_armoured());
                thrown += usize::from(body.throw_apart.is_some() && body.computed > 0);
                let is_thrown_elsewhere = body.throw_apart.is_some_and(|apart| apart > SAME_THROW);
                points_apart += usize::from(!body.is_equal() && !body.is_armoured());
                throws_apart += usize::from(is_thrown_elsewhere);
                if is_thrown_elsewhere || !body.is_equal() {
                    println!("{}, {} from {}: {body:?}", run.map, run.what, run.bodies[0].origin);
                }
            }
        }
    }
    println!("{bodies} bodies: {hurt} hurt, {spared} near but shielded, {thrown} thrown, {armoured} wore armour");
    println!("{points_apart} lost other points, {throws_apart} were thrown otherwise");
    assert!(hurt >= 100 && thrown >= 50 && spared >= 5, "the record says too little");
    assert_eq!((points_apart, throws_apart), (0, 0));
}
