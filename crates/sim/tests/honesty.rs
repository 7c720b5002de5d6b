//! Bots that play the embedded game do not know what they could not perceive; one that peeks is caught.

use std::path::Path;
use std::sync::Arc;

use fireteam::recording::{Entry, Head, Keep, Recorder, Recording};
use fireteam::snapshot::{Power, Team};
use fireteam::{Bots, Character, Command, ConVars, Field, Skill, Snapshot};
use fireteam_bake::{BakeSettings, OneThread, Unwatched, bake};
use fireteam_sim::honesty::{Blindfold, Caught, Certificate, Certifier, Changed, Tamper};
use fireteam_sim::{Match, Roster};
use fireteam_world::movement::Buttons;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::EntityId;
use fireteam_world::{Game, Map, Solids};

const SEED: u64 = 7;

fn field(name: &str) -> Arc<Field> {
    field_with(name, |_| ())
}

fn field_with(name: &str, change: impl FnOnce(&mut Game)) -> Arc<Field> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maps").join(format!("{name}.map"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let map = Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}"));
    let mut game = Game::named("skirmish").expect("built in");
    let terrain =
        bake(&map, &game, &BakeSettings::default().without_throws(), &OneThread, &Unwatched).expect("it bakes");
    change(&mut game);
    let solids = Solids::build(&map);
    let parts = (Arc::new(map), Arc::new(solids), Arc::new(terrain), Arc::new(game));
    Arc::new(Field::new(parts.0, parts.1, parts.2, parts.3).expect("they belong together"))
}

/// Plays a match beside its blindfolded copies; `tamper` changes what bots do, eyes open or not, by what they are shown.
fn play(
    field: &Arc<Field>,
    seconds: i32,
    mut tamper: impl FnMut(&Snapshot, &mut [Command]),
) -> (Option<Caught>, Changed) {
    let roster = Roster::of_teams(2, Skill::Elite, SEED);
    let mut game = Match::new(Arc::clone(field), &roster, SEED);
    let mut bots = Bots::new(Arc::clone(field), SEED);
    let players: Vec<(EntityId, Team, Character)> = (game.snapshot().own.iter().zip(&roster.members))
        .map(|(own, member)| (own.entity, own.team, member.character()))
        .collect();
    players.iter().for_each(|(entity, _, character)| bots.join(*entity, character.clone()));
    let mut blindfolds: Vec<Blindfold> = [Team(1), Team(2)]
        .map(|team| {
            let members = players.iter().filter(|player| player.1 == team).map(|player| (player.0, &player.2));
            Blindfold::new(field, team, SEED, members, Pcg::named(SEED, "blindfold"))
        })
        .into();
    let convars = ConVars::default();
    for _ in 0..seconds * 20 {
        let truth = game.snapshot();
        let mut commands = bots.think(truth, &convars).to_vec();
        tamper(truth, &mut commands);
        for blindfold in &mut blindfolds {
            if let Some(caught) = blindfold.compare_as(truth, &commands, &convars, &mut tamper) {
                return (Some(caught), blindfold.changed());
            }
        }
        game.step(&commands);
    }
    (None, blindfolds[0].changed())
}

#[test]
fn nothing_unperceived_changes_a_command() {
    for name in ["two_rooms_one_door", "stairs", "window_lob"] {
        let (caught, changed) = play(&field(name), 60, |_, _| {});
        assert_eq!(caught, None, "{name}: {changed:?}");
        assert!(changed.players > 0 && changed.commands > 0, "{name}: nothing was hidden: {changed:?}");
    }
}

#[test]
fn a_bot_that_peeks_at_one_true_position_is_caught() {
    let mut peeked = false;
    let (caught, _) = play(&field("two_rooms_one_door"), 60, |shown, commands| {
        let enemy = shown.players.iter().find(|figure| figure.team == Team(2));
        let me = shown.players.iter().find(|figure| figure.team == Team(1));
        let command = me.and_then(|me| commands.iter_mut().find(|command| command.bot == me.entity));
        if let (Some(enemy), Some(command)) = (enemy, command) {
            peeked = true;
            // One bit of the view leans on where the enemy truly is.
            command.press.angles[1] ^= i32::from(enemy.origin.x as i32 & 16 == 0);
        }
    });
    assert!(peeked && caught.is_some());
}

#[test]
fn a_bot_that_leans_on_what_everyone_is_shown_is_not_caught() {
    let (caught, _) = play(&field("two_rooms_one_door"), 60, |shown, commands| {
        let mut team = shown.players.iter().filter(|figure| figure.team == Team(1));
        let (me, mate) = (team.next(), team.next());
        let command = me.and_then(|me| commands.iter_mut().find(|command| command.bot == me.entity));
        if let (Some(mate), Some(command)) = (mate, command) {
            command.press.angles[1] ^= i32::from(mate.origin.x as i32 & 16 == 0);
        }
    });
    assert_eq!(caught, None);
}

/// Both sides throw flashes whenever their hands are free: whoever is blinded may know nothing that eyes would have told him.
#[test]
fn whoever_is_blinded_knows_nothing_by_his_eyes() {
    let field = field_with("two_rooms_one_door", |game| {
        let flash = game.rules.weapons.get_mut("flash").expect("skirmish has one");
        (flash.ammo, game.rules.rounds.freeze_ms) = (60, 0);
    });
    let flash = field.arsenal.weapon_named("flash").expect("described");
    let mut blinded = 0;
    let (caught, changed) = play(&field, 90, |shown, commands| {
        for own in &shown.own {
            blinded += usize::from(Power::Blinded.is_in(own.powers));
            let Some(command) = commands.iter_mut().find(|command| command.bot == own.entity) else { continue };
            // By turns: seconds in which they fight, and seconds in which they throw.
            if shown.time.0 / 4000 % 2 == 0 {
                command.weapon = flash;
                command.press.buttons.0 &= !Buttons::ATTACK.0;
                let is_free = own.weapon == flash && own.ready_in_ms == 0 && own.armed_ms.is_none();
                command.press.buttons.0 |= if is_free { Buttons::ATTACK.0 } else { 0 };
            }
        }
    });
    assert_eq!(caught, None, "{changed:?}");
    assert!(blinded > 200 && changed.players > 0, "{blinded} frames of somebody blinded, {changed:?}");
}

/// A match as a recording, with whatever `change` does to what was pressed before it is written down.
fn recorded(field: &Arc<Field>, seconds: i32, mut change: impl FnMut(&Snapshot, &mut [Command])) -> Vec<u8> {
    let roster = Roster::of_teams(2, Skill::Elite, SEED);
    let mut game = Match::new(Arc::clone(field), &roster, SEED);
    let mut bots = Bots::new(Arc::clone(field), SEED);
    let mut recorder = Recorder::new(Head::of(field, "test", SEED), Keep::Whole);
    for ((entity, _), member) in game.players().zip(&roster.members) {
        bots.join(entity, member.character());
        recorder.join(entity, &member.character());
    }
    let convars = ConVars::default();
    for _ in 0..seconds * 20 {
        let mut commands = bots.think(game.snapshot(), &convars).to_vec();
        change(game.snapshot(), &mut commands);
        recorder.frame(game.snapshot(), &convars, &commands);
        game.step(&commands);
    }
    recorder.to_bytes()
}

fn certificate(field: &Arc<Field>, bytes: &[u8], tamper: Tamper) -> Certificate {
    let mut certifier = Certifier::tampered(Arc::clone(field), SEED, tamper);
    let recording = Recording::read("test", bytes).unwrap();
    recording.entries().map(Result::unwrap).for_each(|entry: Entry| certifier.take(entry));
    certifier.finish()
}

fn peek(shown: &Snapshot, commands: &mut [Command]) {
    let enemy = shown.players.iter().find(|figure| figure.team == Team(2));
    let me = shown.players.iter().find(|figure| figure.team == Team(1));
    let command = me.and_then(|me| commands.iter_mut().find(|command| command.bot == me.entity));
    if let (Some(enemy), Some(command)) = (enemy, command) {
        command.press.angles[1] ^= i32::from(enemy.origin.x as i32 & 16 == 0);
    }
}

#[test]
fn an_honest_match_is_certified() {
    let field = field("two_rooms_one_door");
    let certificate = certificate(&field, &recorded(&field, 60, |_, _| {}), |_, _| {});
    assert_eq!(certificate.doubts(), Vec::<String>::new(), "{certificate:?}");
    assert_eq!((certificate.rethought.frames, certificate.rethought.commands), (1200, 4800));
    let (fastest, least) = certificate.fastest.expect("they met");
    assert!(fastest.ms >= least && least == 150, "{certificate:?}");
    assert!(certificate.turn_rate > 100.0 && certificate.turn_rate < 721.0, "{certificate:?}");
    let shares = certificate.shares;
    assert!(0 < shares.perceived && shares.perceived < shares.there, "{shares:?}");
}

#[test]
fn a_peeker_is_not_certified() {
    let field = field("two_rooms_one_door");
    // One whose mind peeks: thought again it does the same, and only the blindfold shows it.
    let honest = recorded(&field, 60, |_, _| {});
    let certificate_of_mind = certificate(&field, &honest, peek);
    assert_eq!(certificate_of_mind.rethought.differing, 0);
    assert!(certificate_of_mind.caught > 0 && !certificate_of_mind.is_honest(), "{certificate_of_mind:?}");
    // One that was helped from outside: thought again, it would not have done that.
    let helped = certificate(&field, &recorded(&field, 60, peek), |_, _| {});
    assert!(helped.rethought.differing > 0 && !helped.is_honest());
}

#[test]
fn a_view_that_jumps_is_not_certified() {
    let field = field("one_room");
    let certificate = certificate(&field, &recorded(&field, 5, |_, _| {}), |shown, commands| {
        if shown.time.0 == 4000 {
            commands.iter_mut().for_each(|command| command.press.angles[1] += 20_000);
        }
    });
    assert!(certificate.too_wild > 0 && certificate.turn_rate > 2000.0, "{certificate:?}");
    let doubts = certificate.doubts();
    assert!(doubts.iter().any(|doubt| doubt.ends_with("faster than the wrist's limit")), "{doubts:?}");
}
