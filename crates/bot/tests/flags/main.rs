//! Playing for flags: who takes them, brings them home, gets ours back, guards it and goes along, and what each says of it.

mod pitch;

use fireteam::snapshot::{Power, Standing};
use fireteam::team::Role;
use fireteam_world::Vec3;
use fireteam_world::units::EntityId;

use pitch::{BLUE_HOME, Pitch, RED_HOME};

#[test]
fn one_alone_takes_the_flag_and_brings_it_home() {
    let mut pitch = Pitch::new();
    let red = pitch.put_red([-400.0, 100.0]);
    assert!(pitch.run_until(30_000, |pitch| pitch.captures == 1), "{:#?}", pitch.told(red));
    let goals = pitch.flag_goals(red);
    assert!(goals[0].starts_with("starts taking their flag: it is in its place, "), "{goals:#?}");
    assert!(goals.iter().any(|line| line.starts_with("starts bringing the flag home: ")), "{goals:#?}");
    assert!(goals.iter().any(|line| line.ends_with(" s from our stand, and ours is in its place")), "{goals:#?}");
    assert!(pitch.run_until(30_000, |pitch| pitch.captures == 2), "it does not stop at one: {:#?}", pitch.told(red));
}

#[test]
fn ours_is_brought_back_from_where_it_is_seen_to_lie() {
    let mut pitch = Pitch::new();
    let red = pitch.put_red([-400.0, 100.0]);
    pitch.drop_red_flag(Vec3::new(-150.0, -200.0, 15.125));
    assert!(pitch.run_until(10_000, |pitch| pitch.red_flag() == Standing::Home), "{:#?}", pitch.told(red));
    let goals = pitch.flag_goals(red);
    let is_meant = |line: &String| line.starts_with("starts getting our flag back: it was seen to lie there 0 s ago, ");
    assert!(goals.iter().any(is_meant), "{goals:#?}");
}

#[test]
fn where_a_flag_lies_that_nobody_of_the_side_saw_is_not_known() {
    let play = |place: Vec3| {
        let mut pitch = Pitch::new();
        let red = pitch.put_red([-400.0, 100.0]);
        let mate = pitch.put_red([-400.0, -100.0]);
        pitch.drop_red_flag(place);
        // Not for longer: who searches gets to where he sees past the wall.
        let commands: Vec<_> = (0..20).flat_map(|_| pitch.frame()).collect();
        let known = [red, mate].map(|bot| (pitch.red_flag_told_to(bot), pitch.red_flag_seen_by(bot)));
        let later: Vec<_> = (0..40).flat_map(|_| pitch.frame()).collect();
        (commands, known, later)
    };
    // Both behind the wall.
    let (here, there) = (play(Vec3::new(500.0, -250.0, 15.125)), play(Vec3::new(300.0, -100.0, 15.125)));
    for (_, known, ..) in [&here, &there] {
        for (told, place) in known {
            assert_eq!((*told, *place), (Some(Standing::Dropped), None), "that it lies somewhere is told to everyone");
        }
    }
    assert_eq!(here.0, there.0, "whatever they do, the place has no say in it");
    // In view it is known, and the commands are others.
    let seen = play(Vec3::new(-150.0, -200.0, 15.125));
    assert!(seen.1.iter().all(|(_, place)| place.is_some()));
    assert_ne!((seen.0, seen.2), (here.0, here.2));
}

#[test]
fn a_flag_that_one_sees_is_known_to_the_others_after_a_word() {
    let mut pitch = Pitch::new();
    let far = pitch.put_red([-500.0, -250.0]);
    let near = pitch.put_red([350.0, 100.0]);
    let place = Vec3::new(500.0, -100.0, 15.125);
    pitch.drop_red_flag(place);
    pitch.turn(near, -45.0);
    let knows = |bot: EntityId| move |pitch: &Pitch| pitch.red_flag_seen_by(bot) == Some(place);
    assert!(pitch.run_until(2000, knows(near)), "in view");
    assert!(!knows(far)(&pitch), "not said yet");
    assert!(pitch.run_until(2000, knows(far)), "told");
}

#[test]
fn of_four_the_nearest_guards_and_stays_by_the_flag() {
    let mut pitch = Pitch::new();
    let guard = pitch.put_red([-450.0, -100.0]);
    let others = [[-100.0, 200.0], [-60.0, 250.0], [-30.0, 150.0]].map(|at| pitch.put_red(at));
    pitch.run_until(1000, |_| false);
    let goals = pitch.flag_goals(guard);
    assert!(goals[0].starts_with("starts guarding our flag: w"), "{goals:#?}");
    for other in others {
        assert!(pitch.flag_goals(other)[0].starts_with("starts taking their flag: "), "{:#?}", pitch.told(other));
    }
    // As long as nobody falls and no flag changes hands.
    pitch.freeze_flags();
    let mut farthest: f32 = 0.0;
    for _ in 0..400 {
        pitch.frame();
        farthest = farthest.max(pitch.origin(guard).distance(RED_HOME));
    }
    assert!(farthest < 900.0, "{farthest} units from the flag");
    assert!(pitch.told(guard).iter().any(|line| line.contains("stays: guards our flag")), "{:#?}", pitch.told(guard));
}

#[test]
fn whoever_is_free_goes_along_with_the_bearer() {
    let mut pitch = Pitch::new();
    let bearer = pitch.put_red([400.0, 200.0]);
    let guard = pitch.put_red([-500.0, -200.0]);
    let escorts = [[-450.0, 200.0], [-400.0, 250.0]].map(|at| pitch.put_red(at));
    pitch.give_blue_flag_to(bearer);
    pitch.freeze_flags();
    let mut nearest = f32::INFINITY;
    for _ in 0..100 {
        pitch.frame();
        nearest = nearest.min(pitch.origin(escorts[0]).distance(pitch.origin(bearer)));
    }
    for escort in escorts {
        let goals = pitch.flag_goals(escort);
        let is_meant = format!("starts escorting: player {} has their flag, ", bearer.0);
        assert!(goals.iter().any(|line| line.starts_with(&is_meant)), "{goals:#?}");
    }
    assert!(nearest < 300.0, "{nearest} units");
    assert!(pitch.flag_goals(guard)[0].starts_with("starts guarding our flag: "), "{:#?}", pitch.told(guard));
    let goals = pitch.flag_goals(bearer);
    assert!(goals[0].starts_with("starts bringing the flag home: "), "{goals:#?}");
}

#[test]
fn the_enemy_who_has_our_flag_is_hunted_and_cut_off() {
    let mut pitch = Pitch::new();
    let red = pitch.put_red([-300.0, 150.0]);
    pitch.turn(red, 0.0);
    let blue = pitch.put_blue([-60.0, 150.0]);
    pitch.give_red_flag_to(blue);
    assert!(pitch.run_until(2000, |pitch| pitch.red_flag_seen_by(red).is_some()), "he is in view");
    // In sight he is a fight. Round the corner, where nobody sees him, he is followed.
    pitch.place(blue, [300.0, -250.0]);
    let before = pitch.origin(red).distance(BLUE_HOME);
    assert!(pitch.run_until(16_000, |pitch| pitch.origin(red).x > 50.0), "{:#?}", pitch.told(red));
    assert!(pitch.origin(red).distance(BLUE_HOME) < before);
    let goals = pitch.flag_goals(red);
    let is_after = |line: &String| line.starts_with(&format!("starts getting our flag back: player {} ", blue.0));
    assert!(goals.iter().any(is_after), "{:#?}", pitch.told(red));
}

#[test]
fn with_both_flags_away_the_bearer_waits_near_home() {
    let mut pitch = Pitch::new();
    let bearer = pitch.put_red([-300.0, 0.0]);
    let blue = pitch.put_blue([500.0, -250.0]);
    pitch.give_blue_flag_to(bearer);
    pitch.give_red_flag_to(blue);
    pitch.run_until(15_000, |_| false);
    let goals = pitch.flag_goals(bearer);
    assert!(goals.iter().any(|line| line.contains("hides near our stand: somebody has it")), "{goals:#?}");
    let told = pitch.told(bearer);
    assert!(told.iter().any(|line| line.contains("stays: waits for our own flag to come back")), "{told:#?}");
    assert_eq!(pitch.captures, 0);
    // Once it is back, it counts.
    pitch.return_red_flag();
    assert!(pitch.run_until(15_000, |pitch| pitch.captures == 1), "{:#?}", pitch.told(bearer));
}

#[test]
fn roles_are_dealt_anew_when_a_flag_changes_hands() {
    let mut pitch = Pitch::new();
    let reds = [[-450.0, -100.0], [-300.0, 0.0], [-200.0, 100.0], [-100.0, 200.0]].map(|at| pitch.put_red(at));
    let blue = pitch.put_blue([500.0, -250.0]);
    pitch.freeze_flags();
    let count = |pitch: &Pitch, role: Role| reds.iter().filter(|red| pitch.role(**red) == Some(role)).count();
    pitch.run_until(1000, |_| false);
    assert_eq!([Role::Defend, Role::Attack].map(|role| count(&pitch, role)), [1, 3]);
    pitch.give_red_flag_to(blue);
    pitch.run_until(1000, |_| false);
    assert_eq!([Role::Recover, Role::Attack].map(|role| count(&pitch, role)), [2, 2]);
    pitch.give_blue_flag_to(reds[3]);
    pitch.run_until(1000, |_| false);
    assert_eq!([Role::Bear, Role::Recover, Role::Escort].map(|role| count(&pitch, role)), [1, 2, 1]);
    pitch.return_red_flag();
    pitch.run_until(1000, |_| false);
    assert_eq!([Role::Bear, Role::Defend, Role::Escort].map(|role| count(&pitch, role)), [1, 1, 2]);
    assert!(Power::Bearer.is_in(pitch.powers(reds[3])));
}
