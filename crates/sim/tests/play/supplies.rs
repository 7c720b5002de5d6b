//! Ammunition runs out, is fetched, and is left behind by the dead; launchers are fired by bots that keep out of their own blasts.

use fireteam::snapshot::{Snapshot, ThrowableId};
use fireteam_sim::Match;
use fireteam_world::Game;
use fireteam_world::game::Objective;

use crate::support::{
    Watched, duel, entity_at, field_of, field_with, hall, idle, nobody, own, play_until, roster, run_to, shoot_at,
};

#[test]
fn who_dies_drops_his_gun_and_another_takes_its_rounds() {
    let mut game = duel("one_room", 1);
    let rifle = game.field().arsenal.weapon_named("rifle").unwrap();
    let shoots =
        |snapshot: &Snapshot| vec![shoot_at(own(snapshot, 0), own(snapshot, 1).body.origin), idle(own(snapshot, 1))];
    let of_map = game.snapshot().items.len();
    assert!(play_until(&mut game, 20, shoots, |snapshot| own(snapshot, 1).body.is_dead));
    let dropped = game.snapshot().items[of_map];
    assert_eq!(game.field().arsenal.holds[usize::from(dropped.kind.0)], Some(rifle));
    assert!(dropped.is_there && dropped.origin.distance(own(game.snapshot(), 1).body.origin) < 40.0);
    let rounds = |snapshot: &Snapshot| own(snapshot, 0).arms[usize::from(rifle.0)].rounds;
    let before = rounds(game.snapshot());
    let fetch = |snapshot: &Snapshot| vec![run_to(own(snapshot, 0), dropped.origin)];
    assert!(play_until(&mut game, 3, fetch, |snapshot| rounds(snapshot) > before), "{before}");
    assert_eq!(rounds(game.snapshot()), before + 120);
    game.step(&[]);
    assert_eq!(game.snapshot().items.len(), of_map, "gone");
}

#[test]
fn a_gun_that_nobody_takes_is_gone_after_a_while_and_in_the_next_round() {
    // Nobody comes back, and no round ends.
    let respawns = |game: &mut Game| {
        (game.rules.rounds.freeze_ms, game.rules.rounds.one_life, game.rules.rounds.respawn_ms) = (0, false, 600_000);
    };
    let mut game = Match::new(field_with("one_room", respawns, false), &roster(2), 1);
    let of_map = game.snapshot().items.len();
    let shoots =
        |snapshot: &Snapshot| vec![shoot_at(own(snapshot, 0), own(snapshot, 1).body.origin), idle(own(snapshot, 1))];
    assert!(play_until(&mut game, 20, shoots, |snapshot| own(snapshot, 1).body.is_dead));
    let fell = game.snapshot().time;
    assert!(play_until(&mut game, 40, |_| Vec::new(), |snapshot| snapshot.items.len() == of_map));
    assert!((29_900..=30_100).contains(&(game.snapshot().time - fell)), "{}", game.snapshot().time - fell);
    let mut game = duel("one_room", 1);
    assert!(play_until(&mut game, 20, shoots, |snapshot| own(snapshot, 1).body.is_dead));
    assert!(play_until(&mut game, 6, |_| Vec::new(), |snapshot| own(snapshot, 1).life == 2));
    assert_eq!(game.snapshot().items.len(), of_map);
}

#[test]
fn a_bot_that_is_short_of_rounds_fetches_some() {
    let field = field_of("two_rooms_one_door", &entity_at("ammo_bullets", [320, 100, 32]), |game| {
        game.rules.rounds.freeze_ms = 0;
        // A clip in the rifle and none besides.
        game.rules.weapons.get_mut("rifle").expect("skirmish has one").ammo = 30;
        game.rules.weapons.get_mut("pistol").expect("skirmish has one").at_spawn = false;
    });
    let rifle = field.arsenal.weapon_named("rifle").unwrap();
    let roster = roster(1);
    let mut watched = Watched::new(Match::about(Objective::TeamFight, field, &roster, 3), &roster, &[0]);
    let bot = watched.entity(0);
    let rounds = |watched: &Watched| watched.own(0).arms[usize::from(rifle.0)].rounds;
    assert_eq!(rounds(&watched), 0);
    assert!(watched.play(40, nobody, |watched| rounds(watched) > 0), "{:#?}", watched.told(bot));
    let is_meant = |line: &String| line.starts_with("starts fetching: ammo_bullets ");
    assert!(watched.told(bot).iter().any(is_meant), "{:#?}", watched.told(bot));
}

#[test]
fn mates_part_for_two_things_before_either_could_say_a_word() {
    let things = entity_at("item_armor_body", [-600, 0, 32]) + &entity_at("item_armor_combat", [-600, 200, 32]);
    let roster = roster(4);
    let game = Match::about(Objective::TeamFight, hall(&things, |_| ()), &roster, 3);
    let mut watched = Watched::new(game, &roster, &[0, 2]);
    let began = watched.game.snapshot().time;
    watched.play(1, nobody, |watched| watched.game.snapshot().time - began >= 600);
    let wants = [0, 2].map(|index| {
        let told = watched.told(watched.entity(index));
        let line = told.iter().find_map(|line| line.strip_prefix("starts fetching: "));
        line.and_then(|line| line.split(' ').next()).unwrap_or_else(|| panic!("{told:#?}")).to_owned()
    });
    assert!(wants[0] != wants[1], "both run for {}", wants[0]);
}

/// A bot with nothing but this and a knife, against one who stands still at the other end of a hall.
fn fights_with(
    weapon: &str,
    field: impl FnOnce(&mut dyn FnMut(&mut Game)) -> std::sync::Arc<fireteam::Field>,
) -> (Watched, u32) {
    let mut armed = |game: &mut Game| {
        game.rules.rounds.freeze_ms = 0;
        for (name, described) in &mut game.rules.weapons {
            described.at_spawn = name == weapon || name == "knife";
            described.ammo = if name == weapon { 40 } else { described.ammo };
        }
    };
    let field = field(&mut armed);
    let fired = field.arsenal.throwable_named(if weapon == "rocket-launcher" { "rocket" } else { weapon });
    let roster = roster(2);
    let mut watched = Watched::new(Match::about(Objective::TeamFight, field, &roster, 3), &roster, &[0]);
    let mut flown: Vec<u16> = Vec::new();
    watched.play(60, nobody, |watched| {
        let of_kind = |kind: ThrowableId| Some(kind) == fired;
        for missile in watched.game.snapshot().missiles.iter().filter(|missile| of_kind(missile.kind)) {
            if !flown.contains(&missile.entity.0) {
                flown.push(missile.entity.0);
            }
        }
        false
    });
    (watched, flown.len() as u32)
}

#[test]
fn bots_fire_launchers_from_afar_and_not_at_their_own_feet() {
    for weapon in ["rocket-launcher", "rifle-grenade"] {
        let (watched, fired) = fights_with(weapon, |armed| hall("", |game| armed(game)));
        let score = watched.game.standing().players[0].2;
        assert!(fired >= 3, "{weapon}: {fired} fired: {:#?}", watched.told(watched.entity(0)));
        assert!(score.kills >= 1, "{weapon}: {score:?}");
        assert_eq!(score.suicides, 0, "{weapon}: {score:?}");
        let (watched, _) = fights_with(weapon, |armed| field_with("one_room", |game| armed(game), false));
        assert_eq!(watched.game.standing().players[0].2.suicides, 0, "{weapon}, in a small room");
    }
}
