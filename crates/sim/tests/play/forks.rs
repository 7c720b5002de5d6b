//! A match taken up again at any moment, and played on: as it was, or otherwise.

use std::sync::Arc;

use fireteam::recording::{Head, Keep, Recorder, Recording};
use fireteam::{Bots, Command, ConVars, Field, Skill, Snapshot};
use fireteam_sim::fork::{BadChange, Change, Moment, Unforkable, is_forkable};
use fireteam_sim::{Match, Roster};
use fireteam_world::game::Objective;

use crate::support::field;

type Frames = Vec<(Snapshot, Vec<Command>)>;

const FRAMES: usize = 700;

/// A match about something, of which the recording says nothing. `tamper` has its way with what is recorded.
fn record(objective: Objective, tamper: impl Fn(usize, &mut Snapshot)) -> (Arc<Field>, Vec<u8>, Frames) {
    let field = field("two_rooms_one_door");
    let mut roster = Roster::of_teams(3, Skill::Veteran, 5);
    // Sides that nobody chose are seen from the first frame.
    roster.members[0].team = None;
    let mut game = Match::about(objective, field.clone(), &roster, 5);
    let mut bots = Bots::new(field.clone(), 5);
    let mut recorder = Recorder::new(Head::of(&field, "two_rooms_one_door", 5), Keep::Whole);
    let mut convars = ConVars::default();
    for ((entity, _), member) in game.players().zip(&roster.members) {
        bots.join(entity, member.character());
        recorder.join(entity, &member.character());
    }
    let mut frames = Vec::new();
    for frame in 0..FRAMES {
        if frame == 100 {
            convars.set("think_ms", "60").unwrap();
        }
        let mut snapshot = game.snapshot().clone();
        tamper(frame, &mut snapshot);
        let commands = bots.think(&snapshot, &convars).to_vec();
        recorder.frame(&snapshot, &convars, &commands);
        game.step(&commands);
        frames.push((snapshot, commands));
    }
    (field, recorder.to_bytes(), frames)
}

fn future(moment: &Moment, seed: Option<u64>, frames: u32) -> Frames {
    let mut seen = Vec::new();
    moment.play(seed, frames, |snapshot, _, commands| {
        seen.push((snapshot.clone(), commands.to_vec()));
        true
    });
    seen
}

#[test]
fn as_it_was_the_future_is_what_was_recorded_whatever_the_match_was_about() {
    for objective in [Objective::Elimination, Objective::TeamFight, Objective::Domination] {
        let (field, bytes, frames) = record(objective, |_, _| {});
        let recording = Recording::read("test", &bytes).unwrap();
        assert_eq!(is_forkable(&recording, &field), Ok(()));
        // A variable that somebody sets in the middle of a future is no part of it.
        for (frame, count) in [(0, 100), (1, 99), (100, 400), (150, 300), (400, 250)] {
            let moment = Moment::of(&recording, &field, frame, None, |_| true).unwrap();
            let seen = future(&moment, None, count);
            let was = &frames[frame as usize..][..count as usize];
            let first = seen.iter().zip(was).position(|(seen, was)| seen != was);
            assert_eq!((seen.len(), first), (was.len(), None), "{objective:?} from {frame} on");
        }
    }
}

#[test]
fn other_seeds_and_changes_lead_elsewhere_and_the_same_seed_to_the_same() {
    let (field, bytes, frames) = record(Objective::TeamFight, |_, _| {});
    let recording = Recording::read("test", &bytes).unwrap();
    let moment = Moment::of(&recording, &field, 300, None, |_| true).unwrap();
    assert_eq!(moment.convars().think_ms, 60, "the variables of then");
    assert_ne!(future(&moment, Some(1), 200), frames[300..500]);
    assert_ne!(future(&moment, Some(1), 200), future(&moment, Some(2), 200));
    assert_eq!(future(&moment, Some(1), 200), future(&moment, Some(1), 200));
    let still = Change { set: Vec::new(), forbid: vec![(None, "shooting".to_owned())] };
    let still = moment.changed(&still).unwrap();
    let fired = |frames: Frames| frames.iter().any(|(shown, _)| shown.players.iter().any(|figure| figure.is_firing));
    assert!(fired(future(&moment, None, 200)));
    // Whatever was fired before the moment is still seen at it.
    assert!(!fired(future(&still, None, 200).split_off(3)), "somebody shoots who may not");
    let slow = Change { set: vec![("think_ms".to_owned(), 1000.0)], forbid: Vec::new() };
    assert_ne!(future(&moment.changed(&slow).unwrap(), None, 200), frames[300..500]);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason() {
    let (field, bytes, _) = record(Objective::TeamFight, |_, _| {});
    let recording = Recording::read("test", &bytes).unwrap();
    let of = |frame| Moment::of(&recording, &field, frame, None, |_| true);
    let frames = FRAMES as u32;
    assert_eq!(of(frames).unwrap_err(), Unforkable::TooShort { frame: frames, frames });
    assert_eq!(Moment::of(&recording, &field, 9, None, |frame| frame < 5).unwrap_err(), Unforkable::Stopped);
    let change = |set, forbid| of(5).unwrap().changed(&Change { set, forbid }).unwrap_err();
    assert!(matches!(change(vec![("nonsense".to_owned(), 1.0)], vec![]), BadChange::Variable(_)));
    assert!(matches!(change(vec![("think_ms".to_owned(), 1.0)], vec![]), BadChange::Variable(_)));
    assert!(matches!(change(vec![], vec![(None, "flying".to_owned())]), BadChange::Behaviour { .. }));
}

#[test]
fn another_game_and_another_version_of_this_one_are_told_apart_from_it() {
    let (field, bytes, _) = record(Objective::TeamFight, |frame, shown| {
        if frame == 200 {
            shown.players[0].origin.x += 1.0;
        }
    });
    let recording = Recording::read("test", &bytes).unwrap();
    assert_eq!(is_forkable(&recording, &field), Ok(()));
    let of = |frame| Moment::of(&recording, &field, frame, None, |_| true).map(|moment| moment.frame);
    assert_eq!((of(150), of(200)), (Ok(150), Err(Unforkable::Differs { frame: 200 })));
    let (field, bytes, _) = record(Objective::TeamFight, |_, shown| shown.players[0].origin.x += 1.0);
    let recording = Recording::read("test", &bytes).unwrap();
    assert_eq!(is_forkable(&recording, &field), Err(Unforkable::NotEmbedded));
}
