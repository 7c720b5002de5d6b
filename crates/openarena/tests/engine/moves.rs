//! Player runs recorded from the real server, walked again: every one ends where the record says.
//!
//! The bar is a quarter of a unit after three seconds in 99 of 100 runs. What does not reach it is printed with the first
//! frame that differs, under its kind of run; `fireteam bench parity` prints the same table.

use std::collections::BTreeMap;
use std::path::Path;

use fireteam_openarena::Install;
use fireteam_openarena::capture::kept::Kept;
use fireteam_openarena::capture::rows::{Body, ENTITY_WORLD};
use fireteam_openarena::capture::runs::{Run, RunLine};
use fireteam_openarena::replay::moves::{Course, Stray, again, replay};
use fireteam_world::Solids;
use fireteam_world::map::Files;
use fireteam_world::movement::{MovementRules, Trigger};

/// How far from the record a run may end.
const NEAR: f32 = 0.25;
/// The share of runs that must.
const SHARE_MIN: f32 = 0.99;

#[derive(Default)]
struct Tally {
    runs: usize,
    near: usize,
    frames: usize,
    exact: usize,
    worst: f32,
}

impl Tally {
    fn add(&mut self, stray: &Stray) {
        self.runs += 1;
        self.near += usize::from(stray.end <= NEAR);
        self.frames += stray.frames;
        self.exact += stray.exact;
        self.worst = self.worst.max(stray.end);
    }
}

/// What a run came across, by the game's own events and flags.
fn met_with(run: &Run) -> Vec<&'static str> {
    const DUCKED: i32 = 1;
    const TIME_KNOCKBACK: i32 = 64;
    const TELEPORT_BIT: i32 = 4;
    let players = || run.frames.iter().map(|frame| &frame.players[0]);
    let has_event = |from: i32, to: i32| {
        players().any(|player| player.events.iter().any(|event| (from..=to).contains(&event.event)))
    };
    let first_flags = run.frames[0].players[0].entity_flags;
    let is_teleported = players().any(|player| (player.entity_flags ^ first_flags) & TELEPORT_BIT != 0);
    let things = [
        ("steps", has_event(6, 9)),
        ("falls", has_event(10, 12)),
        ("a pad", has_event(13, 13)),
        ("jumps", has_event(14, 14)),
        ("water", has_event(15, 18)),
        ("a teleport", is_teleported),
        ("a lift", players().any(|player| (64..i32::from(ENTITY_WORLD)).contains(&player.ground))),
        ("crouching", players().any(|player| player.move_flags & DUCKED != 0)),
        ("a blow", !is_teleported && players().any(|player| player.move_flags & TIME_KNOCKBACK != 0)),
    ];
    things.into_iter().filter(|(_, is_met)| *is_met).map(|(thing, _)| thing).collect()
}

/// Prints where a run begins to differ.
fn explain(run: &Run, stray: &Stray, course: &Course) {
    let Body { origin, commands, .. } = &run.bodies[0];
    println!("{}, {}, from {origin}: {stray:?}", run.map, run.what);
    if let Some(number) = stray.inexact_first {
        let ours = again(course, &run.frames, commands, 0, number);
        println!("  frame {number}: recorded {:?}", run.frames[number].players[0]);
        println!("  frame {number}: ours {ours:?}");
    }
}

#[test]
fn recorded_runs_end_where_the_engine_ended_them() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures/openarena");
    let kept = Kept::<RunLine>::load(&captures.join("moves.txt.gz")).unwrap_or_else(|error| panic!("{error}"));
    let runs = Run::from_lines(&kept.lines).expect("a run begins with its map and its name");
    let mut by_map: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in &runs {
        by_map.entry(&run.map).or_default().push(run);
    }

    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let files = Files::open(&[install.base_path.join("baseoa")]).unwrap();
    let rules = MovementRules::openarena();
    let mut kinds: BTreeMap<String, Tally> = BTreeMap::new();
    let mut total = Tally::default();
    for (name, runs) in by_map {
        let map = files.map(name).unwrap_or_else(|error| panic!("{error}"));
        let solids = Solids::build(&map);
        let triggers = Trigger::all_in(&map, &rules);
        let course = Course { solids: &solids, triggers: &triggers, rules: &rules };
        for run in runs {
            let stray = replay(&course, &run.frames, &run.bodies[0].commands, 0);
            if stray.end > NEAR {
                explain(run, &stray, &course);
            }
            kinds.entry(format!("style {}", run.what)).or_default().add(&stray);
            for thing in met_with(run) {
                kinds.entry(format!("with {thing}")).or_default().add(&stray);
            }
            total.add(&stray);
        }
    }
    kinds.insert("all".to_owned(), total);
    println!("kind             runs  near  frames  exact  worst end");
    for (kind, tally) in &kinds {
        let Tally { runs, near, frames, exact, worst } = tally;
        println!("{kind:15} {runs:5} {near:5} {frames:7} {exact:6}  {worst:.4}");
    }
    let all = &kinds["all"];
    assert!(all.runs >= 200, "only {} runs were recorded", all.runs);
    assert!(all.near as f32 >= all.runs as f32 * SHARE_MIN, "{} of {} runs end near", all.near, all.runs);
}
