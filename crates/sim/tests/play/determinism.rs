//! The same match is the same, to the bit: run after run, in debug and in release, with and without vector instructions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fireteam::{Bots, Command, ConVars, Field};
use fireteam_sim::Match;
use fireteam_world::pcg::Pcg;

use crate::support::{field, field_with, idle, look, own, roster};

/// Players who run, jump, turn, shoot and throw as chance has it: nothing of a mind is in it.
fn scrambled(field: Arc<Field>, seed: u64, frames: u32) -> u64 {
    let mut game = Match::new(field, &roster(6), seed);
    let mut chance = Pcg::new(seed, 77);
    for _ in 0..frames {
        let snapshot = game.snapshot();
        let commands: Vec<Command> = (0..6)
            .map(|index| {
                let me = own(snapshot, index);
                let mut command = idle(me);
                let mut key = || *chance.pick(&[0i8, 0, 127, -127]);
                (command.press.forward, command.press.right) = (key(), key());
                command.press.up = if chance.chance(0.05) { 127 } else { 0 };
                command.press.buttons.0 = u32::from(chance.chance(0.4));
                let turn = chance.range(-40.0, 40.0);
                look(&mut command, me, chance.range(-20.0, 20.0), me.body.view.y + turn);
                command.weapon =
                    if chance.chance(0.02) { fireteam::snapshot::WeaponId(chance.below(11) as u8) } else { me.weapon };
                command.throw_speed = chance.below(3) as u8;
                command
            })
            .collect();
        game.step(&commands);
    }
    game.fingerprint()
}

/// Bots play; what is compared holds every command they gave.
fn played(field: Arc<Field>, seed: u64, frames: u32) -> u64 {
    watched(Bots::new(field, seed), seed, frames).fingerprint()
}

fn watched(mut bots: Bots, seed: u64, frames: u32) -> Match {
    let mut game = Match::new(bots.field().clone(), &roster(4), seed);
    let convars = ConVars::default();
    for ((entity, _), member) in game.players().zip(&roster(4).members) {
        bots.join(entity, member.character());
    }
    for _ in 0..frames {
        let commands = bots.think(game.snapshot(), &convars);
        game.step(commands);
    }
    if bots.profile().is_on() {
        let figures = bots.profile().figures();
        let calls = |name: &str| figures.iter().filter(|one| one.name == name).map(|one| one.calls).sum::<u64>();
        assert_eq!(
            (figures[0].name, calls("think"), calls("searches")),
            ("think", u64::from(frames), u64::from(frames))
        );
        assert_eq!(calls("turn"), bots.turns());
        assert!(calls("roaming") > 0 && calls("legs") > 0, "{}", bots.profile());
    }
    game
}

const MAPS: [&str; 3] = ["one_room", "two_rooms_one_door", "breakable"];

/// Debug and release must both leave what is kept; `FIRETEAM_BLESS=1` keeps it anew.
#[test]
fn players_by_chance_leave_the_fingerprint_that_is_kept() {
    let path = crate::support::root().join("testdata/sim-fingerprints.txt");
    let line = |map: &&str| format!("{map} {:016x}\n", scrambled(field(map), 9, 2000));
    let ours: String = MAPS.iter().map(line).collect();
    if std::env::var_os("FIRETEAM_BLESS").is_some() {
        std::fs::write(&path, &ours).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(ours, kept, "{}: a change of rules or of movement changes it, nothing else may", path.display());
}

#[test]
fn the_same_seed_is_the_same_match_and_another_is_not() {
    let field = field("two_rooms_one_door");
    let first = played(field.clone(), 5, 1200);
    for _ in 0..2 {
        assert_eq!(played(field.clone(), 5, 1200), first);
    }
    assert_ne!(played(field, 6, 1200), first);
}

#[test]
fn the_profiler_changes_nothing() {
    static NOW: AtomicU64 = AtomicU64::new(0);
    let field = field("two_rooms_one_door");
    let bots = Bots::new(field.clone(), 5);
    bots.profile().set_clock(Some(|| NOW.fetch_add(7, Ordering::Relaxed)));
    assert_eq!(watched(bots, 5, 600).fingerprint(), played(field, 5, 600));
}

#[test]
fn vector_instructions_change_nothing() {
    for map in MAPS {
        let portable = field_with(map, |game| game.rules.rounds.freeze_ms = 0, true);
        assert_eq!(played(portable.clone(), 5, 600), played(field(map), 5, 600), "{map}, bots");
        assert_eq!(scrambled(portable, 5, 600), scrambled(field(map), 5, 600), "{map}, by chance");
    }
}
