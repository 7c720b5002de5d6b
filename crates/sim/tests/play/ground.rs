//! Ground: who takes it, what it is worth, who wins by it; and bots that play for it.

use std::sync::Arc;

use fireteam::snapshot::{ObjectiveKind, Said, Snapshot, Team};
use fireteam::team::Role;
use fireteam::{Command, Field};
use fireteam_sim::Match;
use fireteam_world::Vec3;
use fireteam_world::game::{Holding, Objective};

use crate::support::{
    BLUE, RED, Watched, field_of, field_with, idle, nobody, own, play_until, roster, run_to, shoot_at,
};

/// One room with a piece of ground in its middle.
fn room(change: impl FnOnce(&mut Holding)) -> Arc<Field> {
    let zone = "{\n\"classname\" \"domination_point\"\n\"origin\" \"0 0 64\"\n\"radius\" \"100\"\n}\n";
    field_of("one_room", zone, |game| {
        game.rules.rounds.freeze_ms = 0;
        change(game.rules.holding.as_mut().expect("skirmish describes it"));
    })
}

fn play_for_ground(field: Arc<Field>, players: usize, seed: u64) -> Match {
    Match::about(Objective::Domination, field, &roster(players), seed)
}

fn holder(snapshot: &Snapshot) -> Option<Team> {
    snapshot.objectives[0].holder
}

/// Red runs to one place, blue to another.
fn run(red: Vec3, blue: Vec3) -> impl FnMut(&Snapshot) -> Vec<Command> {
    move |snapshot| vec![run_to(own(snapshot, 0), red), run_to(own(snapshot, 1), blue)]
}

const MIDDLE: Vec3 = Vec3::ZERO;
const CORNER: Vec3 = Vec3::new(-220.0, -220.0, 0.0);

#[test]
fn ground_is_taken_by_standing_on_it_alone_and_earns_points() {
    let mut game = play_for_ground(room(|_| ()), 2, 1);
    let told = game.snapshot().objectives[0];
    assert_eq!((told.kind, told.radius, told.holder, told.owner), (ObjectiveKind::Ground, 100.0, None, None));
    assert!((told.home - Vec3::new(0.0, 0.0, 24.125)).length() < 1.0, "on the floor: {}", told.home);
    let on_it = |snapshot: &Snapshot| own(snapshot, 0).body.origin.distance(told.home) <= 100.0;
    assert!(play_until(&mut game, 5, run(MIDDLE, CORNER), on_it));
    let since = game.snapshot().time;
    assert!(play_until(&mut game, 10, run(MIDDLE, CORNER), |snapshot| holder(snapshot) == Some(RED)));
    assert_eq!(game.snapshot().time - since, 4000 - 50, "the frame in which he got there counts");
    assert_eq!(game.standing().players[0].2.ground, 1);
    // It is kept without standing on it.
    let taken = game.snapshot().time;
    play_until(&mut game, 10, run(CORNER, -CORNER), |snapshot| snapshot.time - taken >= 8000);
    assert_eq!((holder(game.snapshot()), game.standing().points), (Some(RED), vec![8, 0]));
}

#[test]
fn where_both_sides_stand_neither_gets_on() {
    let mut game = play_for_ground(room(|_| ()), 2, 1);
    let beside = Vec3::new(50.0, 50.0, 0.0);
    let both = |snapshot: &Snapshot| {
        [0, 1].iter().all(|index| own(snapshot, *index).body.origin.distance(snapshot.objectives[0].home) <= 100.0)
    };
    assert!(play_until(&mut game, 5, run(MIDDLE, beside), both));
    assert!(!play_until(&mut game, 20, run(MIDDLE, beside), |snapshot| holder(snapshot).is_some()), "contested");
    assert!(play_until(&mut game, 6, run(MIDDLE, CORNER), |snapshot| holder(snapshot) == Some(RED)), "now alone");
    assert!(play_until(&mut game, 8, run(CORNER, MIDDLE), |snapshot| holder(snapshot) == Some(BLUE)), "and lost again");
}

#[test]
fn points_win_a_round_and_the_next_begins_with_nobodys_ground() {
    let mut game = play_for_ground(room(|rules| rules.points_to_win = 3), 2, 1);
    let won = |said: Said| move |snapshot: &Snapshot| snapshot.messages.iter().any(|message| message.said == said);
    let ends = won(Said::RoundEnds { winner: Some(RED) });
    assert!(play_until(&mut game, 12, run(MIDDLE, CORNER), ends), "{:?}", game.standing());
    assert_eq!(game.standing().points, [3, 0]);
    assert!(play_until(&mut game, 5, |_| Vec::new(), won(Said::RoundStarts)));
    let standing = game.standing();
    assert_eq!((standing.wins, standing.points, holder(game.snapshot())), (vec![1, 0], vec![0, 0], None));
}

#[test]
fn who_has_more_points_when_the_time_is_up_wins() {
    let field = field_of("one_room", "{\n\"classname\" \"domination_point\"\n\"origin\" \"0 0 64\"\n}\n", |game| {
        (game.rules.rounds.freeze_ms, game.rules.rounds.round_ms) = (0, 8000);
    });
    let mut game = play_for_ground(field, 2, 1);
    let over = |snapshot: &Snapshot| {
        snapshot.messages.iter().any(|message| message.said == Said::RoundEnds { winner: Some(RED) })
    };
    assert!(play_until(&mut game, 10, run(MIDDLE, CORNER), over), "{:?}", game.standing());
}

/// Red shoots blue, who stands still.
fn red_shoots(snapshot: &Snapshot) -> Vec<Command> {
    vec![shoot_at(own(snapshot, 0), own(snapshot, 1).body.origin), idle(own(snapshot, 1))]
}

#[test]
fn reinforcements_come_as_the_rules_say() {
    let mut game = play_for_ground(room(|_| ()), 2, 1);
    assert!(play_until(&mut game, 20, red_shoots, |snapshot| own(snapshot, 1).body.is_dead));
    let died = game.snapshot().time;
    assert!(play_until(&mut game, 20, |_| Vec::new(), |snapshot| own(snapshot, 1).may_respawn));
    assert_eq!(game.snapshot().time - died, 5000);
    assert_eq!(game.standing().wins, [0, 0], "nobody wins by killing");
    let mut game = play_for_ground(room(|rules| rules.reinforcements = false), 2, 1);
    assert!(play_until(&mut game, 20, red_shoots, |snapshot| own(snapshot, 1).body.is_dead));
    assert_eq!(game.standing().wins, [1, 0], "without them the last side standing wins");
}

#[test]
fn a_map_without_ground_gets_some_between_the_ends() {
    let field = field_with("two_rooms_one_door", |game| game.rules.rounds.freeze_ms = 0, false);
    let game = play_for_ground(field.clone(), 2, 1);
    let pieces: Vec<Vec3> = game.snapshot().objectives.iter().map(|told| told.home).collect();
    assert_eq!(pieces.len(), 3);
    let [red, blue] = [0, 1].map(|index| own(game.snapshot(), index).body.origin);
    let ms = |from: Vec3, to: Vec3| {
        let at = |place| field.terrain.nearest(place).expect("ground").waypoint;
        field.terrain.times.about_ms(at(from), at(to)).expect("a way")
    };
    let from_red = pieces.iter().map(|place| ms(red, *place)).collect::<Vec<_>>();
    let from_blue = pieces.iter().map(|place| ms(blue, *place)).collect::<Vec<_>>();
    let is_sorted = |ms: &[u32]| ms.is_sorted() || ms.iter().rev().is_sorted();
    assert!(is_sorted(&from_red) && is_sorted(&from_blue), "{from_red:?} {from_blue:?}");
    let middle = from_red[1].abs_diff(from_blue[1]);
    assert!(middle * 4 < from_red[1] + from_blue[1], "as far from both: {from_red:?} {from_blue:?}");
}

/// So many players who play for ground, bots in some of the places.
fn watched(field: Arc<Field>, players: usize, minds: &[usize]) -> Watched {
    Watched::new(play_for_ground(field, players, 3), &roster(players), minds)
}

#[test]
fn a_bot_takes_all_there_is_piece_by_piece_and_keeps_it() {
    let field = field_with("two_rooms_one_door", |game| game.rules.rounds.freeze_ms = 0, false);
    let mut watched = watched(field, 1, &[0]);
    let bot = watched.entity(0);
    let all = |watched: &Watched| watched.game.snapshot().objectives.iter().all(|told| told.holder == Some(RED));
    assert!(watched.play(90, nobody, all), "{:#?}", watched.told(bot));
    let told = watched.told(bot);
    let says = |start: &str| told.iter().any(|line| line.starts_with(start));
    assert!(
        says("starts taking ground: ground 1 is nobody's, ") || says("starts taking ground: ground 3"),
        "{told:#?}"
    );
    assert!(told.iter().any(|line| line.contains("stays: stands on the ground it is to take")), "{told:#?}");
    watched.play(3, nobody, |_| false);
    assert!(matches!(watched.bots.role(bot), Some(Role::Keep { .. })), "{:?}", watched.bots.role(bot));
    assert!(
        watched.told(bot).iter().any(|line| line.starts_with("starts keeping ground: w")),
        "{:#?}",
        watched.told(bot)
    );
}

#[test]
fn of_four_some_keep_what_is_theirs_and_the_rest_take_more() {
    let field = field_with("two_rooms_one_door", |game| game.rules.rounds.freeze_ms = 0, false);
    let mut watched = watched(field, 8, &[0, 2, 4, 6]);
    let held = |watched: &Watched| watched.game.snapshot().objectives.iter().any(|told| told.holder == Some(RED));
    assert!(watched.play(40, nobody, held));
    watched.play(1, nobody, |_| false);
    let roles: Vec<Role> = [0, 2, 4, 6].iter().filter_map(|index| watched.bots.role(watched.entity(*index))).collect();
    let keepers = roles.iter().filter(|role| matches!(role, Role::Keep { .. })).count();
    let takers = roles.iter().filter(|role| matches!(role, Role::Take { .. })).count();
    let living = roles.len();
    assert!(keepers >= 1 && takers >= 1 && keepers + takers == living, "{roles:?}");
}

#[test]
fn who_keeps_ground_steps_onto_it_when_an_enemy_does() {
    let zone = "{\n\"classname\" \"domination_point\"\n\"origin\" \"0 0 64\"\n\"radius\" \"100\"\n}\n";
    let field = field_of("one_room", zone, |game| {
        game.rules.rounds.freeze_ms = 0;
        // It is about the legs.
        game.rules.weapons.values_mut().for_each(|weapon| weapon.damage = 0);
    });
    let mut watched = watched(field, 2, &[0]);
    let bot = watched.entity(0);
    let away = |snapshot: &Snapshot| vec![run_to(own(snapshot, 1), CORNER)];
    assert!(watched.play(30, away, |watched| holder(watched.game.snapshot()) == Some(RED)), "{:#?}", watched.told(bot));
    let onto = |snapshot: &Snapshot| vec![run_to(own(snapshot, 1), MIDDLE)];
    let contests = |watched: &Watched| {
        watched.bots.goals(bot).any(|(name, reason)| {
            name == "taking ground" && reason.to_string().ends_with("is on ground 1, which is ours")
        })
    };
    assert!(watched.play(20, onto, contests), "{:#?}", watched.told(bot));
}
