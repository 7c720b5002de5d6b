//! Ways that have to be opened or climbed: a bot whose goal lies behind them gets there in the embedded game.

use fireteam_sim::Match;
use fireteam_world::game::Objective;

use crate::support::{RED, Watched, entity_at, field_from, nobody, roster};

/// Red starts in the west of these maps; ground lies in the east. Seconds until a bot has taken it, and what it wrote.
fn takes_what_lies_behind(map: &str, place: [i32; 3]) -> Watched {
    takes_what_lies_behind_in(map, place, |text| text)
}

/// The same with something changed in the map's source.
fn takes_what_lies_behind_in(map: &str, place: [i32; 3], rewrite: impl FnOnce(String) -> String) -> Watched {
    let ground = entity_at("domination_point", place);
    let field = field_from(
        map,
        |text| rewrite(text) + &ground,
        |game| {
            game.rules.rounds.freeze_ms = 0;
            game.rules.holding.as_mut().expect("skirmish describes it").radius = 90.0;
        },
    );
    let roster = roster(1);
    let mut watched = Watched::new(Match::about(Objective::Domination, field, &roster, 3), &roster, &[0]);
    assert!(watched.own(0).body.origin.x < 0.0, "{map}: it starts before it");
    let is_taken = |watched: &Watched| watched.game.snapshot().objectives[0].holder == Some(RED);
    let has_taken = watched.play(60, nobody, is_taken);
    let bot = watched.entity(0);
    assert!(has_taken, "{map}: at {}: {:#?}", watched.own(0).body.origin, watched.told(bot));
    watched
}

#[test]
fn a_locked_door_is_opened_with_its_key() {
    let watched = takes_what_lies_behind("key_door", [320, 0, 32]);
    assert_ne!(watched.own(0).keys, 0);
}

#[test]
fn a_door_with_a_button_is_opened_by_it() {
    takes_what_lies_behind("button_door", [320, 0, 32]);
}

#[test]
fn a_ladder_is_climbed() {
    let watched = takes_what_lies_behind("ladder", [256, 0, 240]);
    assert!(watched.own(0).body.origin.z > 200.0, "{}", watched.own(0).body.origin);
}

#[test]
fn what_can_be_broken_is_shot_to_pieces() {
    let watched = takes_what_lies_behind("breakable", [320, 0, 32]);
    assert!(watched.game.snapshot().movers.iter().any(|mover| mover.is_gone));
    assert!(watched.game.standing().players[0].2.shots > 0);
}

/// On oa_dm1 bots ran against such a door, towards where one stands when it is open: stuck there 24 times in 8 hours.
#[test]
fn a_door_that_has_to_be_shot_is_shot_from_before_it() {
    let watched = takes_what_lies_behind_in("two_rooms_one_door", [320, 0, 32], |text| {
        let (door, shot) = ("\"func_door\"\n", "\"func_door\"\n\"health\" \"1\"\n");
        assert!(text.contains(door));
        // Four times as thick, so that nobody who stands before it is at its middle.
        let thicker = [("( -4 ", "( -16 "), ("( -3 ", "( -15 "), ("( 4 ", "( 16 "), ("( 5 ", "( 17 ")];
        thicker.iter().fold(text.replace(door, shot), |text, (thin, thick)| text.replace(thin, thick))
    });
    let took_ms = watched.game.snapshot().time.0;
    assert!(took_ms < 15_000, "{took_ms} ms");
}
