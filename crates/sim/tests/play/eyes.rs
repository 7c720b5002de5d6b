//! What grenades do to eyes: flashes blind, smoke hides.

use fireteam::Command;
use fireteam::snapshot::{Power, Snapshot};
use fireteam_sim::Match;
use fireteam_world::Game;

use crate::support::{Watched, field, field_with, idle, look_at, nobody, own, play_until, roster, throw_once};

fn is_blinded(snapshot: &Snapshot, index: usize) -> bool {
    Power::Blinded.is_in(own(snapshot, index).powers)
}

/// Hands that do no harm: it is about the eyes.
fn harmless(game: &mut Game) {
    game.rules.rounds.freeze_ms = 0;
    game.rules.weapons.values_mut().for_each(|weapon| weapon.damage = weapon.damage.min(1));
    game.rules.weapons.get_mut("frag").expect("skirmish has one").at_spawn = false;
}

#[test]
fn a_flash_blinds_whoever_looks_at_it_longer_than_who_turns_away() {
    let blinded_ms = |faces: bool| {
        let mut game = Match::new(field("one_room"), &roster(2), 2);
        let flash = game.field().arsenal.weapon_named("flash").unwrap();
        let press = |snapshot: &Snapshot| {
            let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
            let mut watcher = idle(blue);
            if let Some(flying) = snapshot.missiles.first() {
                let way = flying.origin - blue.body.eye();
                look_at(&mut watcher, blue, blue.body.eye() + if faces { way } else { -way });
            }
            // Down at his own feet, and then aside: where it lies is the same for both.
            vec![throw_once(red, flash, [50.0, red.body.view.y]), watcher]
        };
        let mut ms = 0;
        play_until(&mut game, 12, press, |snapshot| {
            ms += if is_blinded(snapshot, 1) { snapshot.frame_ms } else { 0 };
            false
        });
        ms
    };
    let (faced, turned) = (blinded_ms(true), blinded_ms(false));
    assert!((1000..=4000).contains(&faced), "{faced}");
    assert!(turned > 0 && turned * 2 <= faced, "{turned} and {faced}");
}

#[test]
fn a_wall_keeps_a_flash_from_eyes() {
    let mut game = Match::new(field("two_rooms_one_door"), &roster(2), 2);
    let flash = game.field().arsenal.weapon_named("flash").unwrap();
    let press = |snapshot: &Snapshot| vec![throw_once(own(snapshot, 0), flash, [60.0, own(snapshot, 0).body.view.y])];
    let mut thrower = false;
    let other = play_until(&mut game, 12, press, |snapshot| {
        thrower |= is_blinded(snapshot, 0);
        is_blinded(snapshot, 1)
    });
    assert!(thrower && !other, "in the other room nobody is");
}

#[test]
fn a_blinded_bot_sees_nobody_fires_at_a_memory_and_sees_again() {
    let field = field_with("one_room", harmless, false);
    let roster = roster(2);
    let mut watched = Watched::new(Match::new(field, &roster, 2), &roster, &[1]);
    let flash = watched.game.field().arsenal.weapon_named("flash").unwrap();
    let (red, bot) = (watched.entity(0), watched.entity(1));
    let throw = |snapshot: &Snapshot| -> Vec<Command> {
        let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
        let mut command = throw_once(red, flash, [0.0, 0.0]);
        look_at(&mut command, red, blue.body.origin);
        vec![command]
    };
    let sees =
        |watched: &Watched| watched.bots.memory(bot).is_some_and(|memory| memory.in_sight().any(|it| it.entity == red));
    assert!(watched.play(10, throw, sees), "before");
    assert!(watched.play(10, throw, |watched| is_blinded(watched.game.snapshot(), 1)), "{:#?}", watched.told(bot));
    let began = watched.game.snapshot().time;
    let shots = watched.game.standing().players[1].2.shots;
    // What was on its way to the mind arrives; after that, nothing.
    let mut seen_blind = 0;
    let over = watched.play(10, throw, |watched| {
        let is_late = watched.game.snapshot().time - began > 600;
        seen_blind += u32::from(is_late && sees(watched) && is_blinded(watched.game.snapshot(), 1));
        !is_blinded(watched.game.snapshot(), 1)
    });
    assert!(
        over && watched.game.snapshot().time - began > 700,
        "blinded for {} ms",
        watched.game.snapshot().time - began
    );
    assert_eq!(seen_blind, 0, "frames in which it saw somebody");
    let told = watched.told(bot);
    assert!(told.iter().any(|line| line.starts_with("starts blinded: player ")), "{told:#?}");
    let fired = watched.game.standing().players[1].2.shots - shots;
    assert!(fired > 0, "it fires at where he was: {:?} {told:#?}", watched.own(1));
    assert!(watched.play(10, throw, sees), "after");
}

#[test]
fn smoke_hides_whoever_stands_in_it() {
    // Blue, in another corner, gets his mind when the smoke stands.
    let sees_red = |with_smoke: bool| {
        let roster = roster(2);
        let mut watched = Watched::new(Match::new(field_with("one_room", harmless, false), &roster, 2), &roster, &[]);
        let smoke = watched.game.field().arsenal.weapon_named("smoke").unwrap();
        let red = watched.entity(0);
        // At his own feet.
        let throw = |snapshot: &Snapshot| {
            let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
            let mut watcher = idle(blue);
            look_at(&mut watcher, blue, red.body.origin);
            let thrower = if with_smoke { throw_once(red, smoke, [85.0, red.body.view.y]) } else { idle(red) };
            vec![thrower, watcher]
        };
        watched.play(7, throw, |_| false);
        let is_smoky = watched.game.snapshot().clouds.iter().any(|cloud| cloud.blocks_sight && cloud.radius > 150.0);
        assert_eq!(is_smoky, with_smoke);
        let mut watched = Watched::new(watched.game, &roster, &[1]);
        let bot = watched.entity(1);
        watched.play(2, nobody, |watched| {
            watched.bots.memory(bot).is_some_and(|memory| memory.in_sight().any(|threat| threat.entity == red))
        })
    };
    assert!(sees_red(false), "without smoke he is seen");
    assert!(!sees_red(true), "in smoke he is not");
}
