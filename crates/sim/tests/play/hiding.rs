//! Who has two rounds left and a corner near loads behind it; who has none loads where he stands, or draws the pistol.

use std::sync::Arc;

use fireteam::Field;
use fireteam::snapshot::Snapshot;
use fireteam_sim::Match;
use fireteam_world::contents::Contents;
use fireteam_world::game::Objective;
use fireteam_world::movement::Buttons;
use fireteam_world::trace::Sweep;
use fireteam_world::{Game, Vec3};

use crate::support::{Watched, hall_with, idle, look_at, own, roster, run_to};

/// A wall beside red's end: from where blue comes to, nobody is seen behind it.
const CORNER: ([i32; 3], [i32; 3]) = ([-800, 60, 0], [-784, 300, 256]);
/// Where blue comes to and stays.
const BLUE_AT: Vec3 = Vec3::new(-300.0, 0.0, 24.0);
const CLIP: i16 = 30;

/// Nobody is hurt much, so that nobody falls before he has loaded.
fn with_guns(game: &mut Game, has_pistol: bool) {
    let weapons = &mut game.rules.weapons;
    for (name, damage) in [("rifle", 4), ("pistol", 3)] {
        weapons.get_mut(name).expect("skirmish has one").damage = damage;
    }
    weapons.get_mut("pistol").expect("skirmish has one").at_spawn = has_pistol;
}

fn field(has_corner: bool, has_pistol: bool) -> Arc<Field> {
    let inside: &[_] = if has_corner { &[CORNER] } else { &[] };
    hall_with(inside, "", |game| with_guns(game, has_pistol))
}

fn rounds_left(snapshot: &Snapshot) -> i16 {
    let red = own(snapshot, 0);
    red.arms[usize::from(red.weapon.0)].clip
}

/// Red has so many rounds in the clip and faces blue, who came within 600 units of him; now he may think.
fn faces_blue(field: Arc<Field>, rounds: i16) -> Watched {
    let roster = roster(2);
    let mut watched = Watched::new(Match::about(Objective::TeamFight, field, &roster, 1), &roster, &[]);
    let wall = Vec3::new(-2000.0, 0.0, 50.0);
    let press = |snapshot: &Snapshot| {
        let (red, blue) = (own(snapshot, 0), own(snapshot, 1));
        let mut command = idle(red);
        let fires = rounds_left(snapshot) > rounds;
        look_at(&mut command, red, if fires { wall } else { blue.body.origin });
        command.press.buttons = if fires { Buttons::ATTACK } else { Buttons::default() };
        vec![command, run_to(blue, BLUE_AT)]
    };
    let is_ready = |watched: &Watched| {
        let snapshot = watched.game.snapshot();
        rounds_left(snapshot) == rounds && own(snapshot, 1).body.origin.distance(BLUE_AT) < 20.0
    };
    assert!(watched.play(20, press, is_ready), "{} rounds", rounds_left(watched.game.snapshot()));
    let mut watched = Watched::new(watched.game, &roster, &[0]);
    // Before it has noticed him it would load as when nobody is about.
    assert!(watched.bots.forbid(None, "getting ready"));
    watched
}

fn blue_stays(snapshot: &Snapshot) -> Vec<fireteam::Command> {
    vec![idle(own(snapshot, 1))]
}

fn is_in_view_of_blue(watched: &Watched) -> bool {
    let (red, blue) = (watched.own(0).body.eye(), watched.own(1).body.eye());
    watched.game.field().solids.is_clear(&Sweep::ray(blue, red, Contents::MASK_SHOT))
}

fn has_told(watched: &Watched, what: &str) -> bool {
    watched.told(watched.entity(0)).iter().any(|line| line.contains(what))
}

#[test]
fn who_has_two_rounds_left_and_a_corner_near_loads_behind_it_and_comes_back() {
    let mut watched = faces_blue(field(true, true), 2);
    let told = |watched: &Watched| watched.told(watched.entity(0));
    assert!(is_in_view_of_blue(&watched));
    let is_hidden = watched.play(4, blue_stays, |watched| !is_in_view_of_blue(watched));
    assert!(is_hidden, "at {}: {:#?}", watched.own(0).body.origin, told(&watched));
    assert!(has_told(&watched, "is out of sight of player"), "{:#?}", told(&watched));
    let mut was_seen = false;
    let is_full = watched.play(5, blue_stays, |watched| {
        was_seen |= is_in_view_of_blue(watched);
        rounds_left(watched.game.snapshot()) == CLIP
    });
    assert!(is_full && !was_seen, "loaded {is_full}, seen {was_seen}: {:#?}", told(&watched));
    let is_back = watched.play(5, blue_stays, is_in_view_of_blue);
    assert!(is_back, "at {}: {:#?}", watched.own(0).body.origin, told(&watched));
}

#[test]
fn without_a_corner_he_draws_the_pistol_and_without_one_he_loads_where_he_stands() {
    for has_pistol in [true, false] {
        let mut watched = faces_blue(field(false, has_pistol), 2);
        let rifle = watched.own(0).weapon;
        let is_done = watched.play(4, blue_stays, |watched| {
            let red = watched.own(0);
            if has_pistol { red.weapon != rifle } else { red.is_reloading }
        });
        let told = watched.told(watched.entity(0));
        assert!(is_done && is_in_view_of_blue(&watched), "pistol {has_pistol}: {told:#?}");
        assert!(!has_told(&watched, "hiding to reload"), "{told:#?}");
    }
}

#[test]
fn whose_clip_is_full_stays_in_the_fight() {
    let mut watched = faces_blue(field(true, true), CLIP);
    let fires = watched.play(4, blue_stays, |watched| rounds_left(watched.game.snapshot()) < CLIP - 10);
    let told = watched.told(watched.entity(0));
    assert!(fires && is_in_view_of_blue(&watched), "{told:#?}");
    assert!(!has_told(&watched, "hiding to reload"), "{told:#?}");
}
