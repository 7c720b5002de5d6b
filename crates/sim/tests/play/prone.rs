//! Lying down: slower, lower, steadier; and bots that lie down where they wait.

use fireteam::snapshot::Snapshot;
use fireteam_sim::Match;
use fireteam_world::Game;
use fireteam_world::game::Objective;
use fireteam_world::movement::{Buttons, Stance};

use crate::support::{RED, Watched, entity_at, field_with, hall, idle, look_at, nobody, own, play_until, roster};

fn harmless(game: &mut Game) {
    game.rules.rounds.freeze_ms = 0;
    game.rules.weapons.get_mut("rifle").expect("skirmish has one").damage = 1;
}

#[test]
fn who_lies_shoots_steadier() {
    let hits_of_a_clip = |lies: bool| {
        let mut game = Match::new(field_with("one_room", harmless, false), &roster(2), 5);
        let rifle = game.field().arsenal.weapon_named("rifle").unwrap();
        let emptied = play_until(
            &mut game,
            20,
            |snapshot| {
                let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
                let mut command = idle(red);
                look_at(&mut command, red, blue.body.origin);
                command.weapon = rifle;
                let is_down =
                    red.weapon == rifle && (!lies || red.body.stance == Stance::Prone && red.body.stance_ms == 0);
                let attack = if is_down { Buttons::ATTACK.0 } else { 0 };
                command.press.buttons = Buttons(attack | if lies { Buttons::PRONE.0 } else { 0 });
                vec![command, idle(blue)]
            },
            |snapshot| own(snapshot, 0).is_reloading,
        );
        assert!(emptied);
        game.standing().players[0].2.hits
    };
    let (standing, lying) = (hits_of_a_clip(false), hits_of_a_clip(true));
    assert!(lying >= 29 && standing <= 24, "{standing} standing, {lying} lying");
}

#[test]
fn who_lies_is_low_and_crawls() {
    let mut game = Match::new(hall("", |_| ()), &roster(2), 5);
    let crawl = |snapshot: &Snapshot| {
        let mut command = idle(own(snapshot, 0));
        command.press.buttons = Buttons::PRONE;
        command.press.forward = 127;
        vec![command]
    };
    play_until(&mut game, 1, crawl, |_| false);
    let start = own(game.snapshot(), 0).body.origin;
    play_until(&mut game, 2, crawl, |_| false);
    let red = own(game.snapshot(), 0);
    assert_eq!((red.body.stance, red.body.eye_height), (Stance::Prone, -12));
    let crawled = red.body.origin.distance(start);
    assert!(crawled > 20.0 && crawled < 80.0, "an eighth of running: {crawled} in two seconds");
}

#[test]
fn a_bot_that_keeps_ground_with_a_far_view_lies_down_and_gets_up_again() {
    let field = hall(&entity_at("domination_point", [-500, 0, 32]), |_| ());
    let roster = roster(1);
    let mut watched = Watched::new(Match::about(Objective::Domination, field, &roster, 3), &roster, &[0]);
    let bot = watched.entity(0);
    let is_ours = |watched: &Watched| watched.game.snapshot().objectives[0].holder == Some(RED);
    assert!(watched.play(30, nobody, is_ours), "{:#?}", watched.told(bot));
    let lies = |watched: &Watched| watched.own(0).body.stance == Stance::Prone;
    assert!(watched.play(30, nobody, lies), "{:#?}", watched.told(bot));
    assert!(watched.told(bot).iter().any(|line| line.contains("keeps ground, lying")), "{:#?}", watched.told(bot));
    assert!(watched.play(30, nobody, |watched| !lies(watched)), "it changes its post: {:#?}", watched.told(bot));
}
