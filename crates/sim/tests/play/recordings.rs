//! Matches written down, read back, thought again.

use std::sync::Arc;

use fireteam::recording::{Entries, Entry, Head, Keep, Recorder, Recording, RecordingError, rethink};
use fireteam::{Bots, Character, Command, ConVars, Field, Snapshot};
use fireteam_sim::Match;

use crate::support::{field, roster};

struct Recorded {
    field: Arc<Field>,
    recorder: Recorder,
    frames: Vec<(Snapshot, Vec<Command>)>,
}

/// A match of four, one of whom leaves and one joins half way, with a variable changed on the way.
fn record(map: &str, frames: usize, keep: Keep) -> Recorded {
    let field = field(map);
    let mut game = Match::new(field.clone(), &roster(4), 7);
    let mut bots = Bots::new(field.clone(), 7);
    let mut recorder = Recorder::new(Head::of(&field, map, 7), keep);
    let mut convars = ConVars::default();
    for ((entity, _), member) in game.players().zip(&roster(4).members) {
        bots.join(entity, member.character());
        recorder.join(entity, &member.character());
    }
    let mut kept = Vec::new();
    for frame in 0..frames {
        if frame == frames / 2 {
            let gone = game.snapshot().own[0].entity;
            game.leave(gone);
            bots.leave(gone);
            recorder.leave(gone);
            let (late, character) = (game.join("late", None), roster(1).members[0].character());
            bots.join(late, character.clone());
            recorder.join(late, &character);
            convars.set("think_ms", "50").unwrap();
        }
        let snapshot = game.snapshot().clone();
        let commands = bots.think(&snapshot, &convars).to_vec();
        recorder.frame(&snapshot, &convars, &commands);
        game.step(&commands);
        kept.push((snapshot, commands));
    }
    Recorded { field, recorder, frames: kept }
}

#[test]
fn a_recording_gives_back_every_frame() {
    let Recorded { recorder, frames, .. } = record("two_rooms_one_door", 900, Keep::Whole);
    let bytes = recorder.to_bytes();
    let recording = Recording::read("test", &bytes).unwrap();
    assert!(recording.is_whole);
    let entries: Vec<Entry> = recording.entries().collect::<Result<_, _>>().unwrap();
    let read = entries.iter().filter_map(|entry| match entry {
        Entry::Frame(snapshot, commands) => Some((snapshot.as_ref(), commands)),
        Entry::Join(..) | Entry::Leave(_) | Entry::Variables(_) => None,
    });
    assert!(read.eq(frames.iter().map(|(snapshot, commands)| (snapshot, commands))));
    let joined = entries.iter().filter_map(|entry| match entry {
        Entry::Join(_, character) => Some(character.clone()),
        Entry::Leave(_) | Entry::Variables(_) | Entry::Frame(..) => None,
    });
    let joined: Vec<Character> = joined.collect();
    assert_eq!(joined.len(), 5);
    assert_eq!(joined[..4], *roster(4).members.iter().map(|member| member.character()).collect::<Vec<_>>());
    assert!(bytes.len() < 900 * 400, "{} bytes for 45 s of four players", bytes.len());
}

#[test]
fn bots_think_it_again_bit_for_bit() {
    let Recorded { field, recorder, frames } = record("two_rooms_one_door", 900, Keep::Whole);
    let bytes = recorder.to_bytes();
    let recording = Recording::read("test", &bytes).unwrap();
    assert_eq!(recording.fits(&field), Ok(()));
    let comparison = rethink(&recording, field.clone(), |_, _| true).unwrap();
    assert_eq!((comparison.frames, comparison.differing), (900, 0), "{:?}", comparison.first);
    assert_eq!(comparison.commands, frames.iter().map(|(_, commands)| commands.len() as u64).sum::<u64>());
}

#[test]
fn blocks_stand_on_their_own() {
    let Recorded { recorder, frames, .. } = record("two_rooms_one_door", 900, Keep::Whole);
    let bytes = recorder.to_bytes();
    let recording = Recording::read("test", &bytes).unwrap();
    let blocks: Vec<&[u8]> = recording.blocks().collect();
    assert_eq!(blocks.len(), 5, "ten seconds each");
    let read = (0..).zip(&blocks).map(|(number, block)| {
        assert_eq!(recorder.block(number).as_deref(), Some(*block));
        let entries = Entries::of_block("test", number, block).map(Result::unwrap);
        entries.filter(|entry| matches!(entry, Entry::Frame(..))).count()
    });
    assert_eq!(read.sum::<usize>(), frames.len());
    assert_eq!((recorder.begun(), recorder.block(5)), (5, None));
}

#[test]
fn a_checkpoint_thinks_on_bit_for_bit_and_being_watched_changes_nothing() {
    let Recorded { field, recorder, frames } = record("two_rooms_one_door", 900, Keep::Whole);
    let bytes = recorder.to_bytes();
    let recording = Recording::read("test", &bytes).unwrap();
    let mut kept: Option<Bots> = None;
    let mut lines = Vec::new();
    let (mut goals, mut lost) = (0, 0);
    let comparison = rethink(&recording, field, |bots, time| {
        if time == frames[500].0.time {
            kept = Some(bots.checkpoint());
            lines.clear();
        } else if kept.is_some() {
            lines.extend(bots.journal().since(0).filter(|line| line.time == time).copied());
        }
        for own in frames.iter().filter(|(shown, _)| shown.time == time).flat_map(|(shown, _)| &shown.own) {
            // Who has just left is still shown.
            let Some(insight) = bots.insight(own.entity) else { continue };
            goals += insight.wants.goals().count();
            lost += insight.wants.lost().filter(|lost| lost.to.is_some()).count();
            assert!(insight.senses.on_the_way().all(|percept| percept.due > time), "what is due has come off");
        }
        true
    });
    assert_eq!(comparison.unwrap().differing, 0);
    assert!(goals > 900 && lost > 0, "{goals} goals, {lost} bids lost");
    // From the middle on, with the variables that were in force.
    let mut convars = ConVars::default();
    convars.set("think_ms", "50").unwrap();
    let mut bots = kept.expect("it came by");
    for (snapshot, commands) in &frames[501..] {
        assert_eq!(bots.think(snapshot, &convars), commands, "{:?}", snapshot.time);
    }
    assert!(bots.journal().since(0).eq(lines.iter()), "the journal is the same from there on");
}

#[test]
fn another_seed_is_found_out() {
    let Recorded { field, recorder, .. } = record("two_rooms_one_door", 400, Keep::Whole);
    let bytes = recorder.to_bytes();
    let mut recording = Recording::read("test", &bytes).unwrap();
    recording.head.seed += 1;
    let comparison = rethink(&recording, field, |_, _| true).unwrap();
    let first = comparison.first.expect("chance plays a part in it");
    assert_ne!(first.recorded, first.rethought);
}

#[test]
fn a_flight_recorder_keeps_half_a_minute_however_little_room_it_has() {
    let Recorded { recorder, frames, .. } = record("one_room", 2400, Keep::Latest(1000));
    assert!(!recorder.is_whole());
    assert!((30_000..=40_000).contains(&recorder.held_ms()), "{} ms", recorder.held_ms());
    let bytes = recorder.to_bytes();
    let recording = Recording::read("test", &bytes).unwrap();
    assert!(!recording.is_whole);
    let last = recording.entries().map(Result::unwrap).last();
    let (snapshot, commands) = frames.last().unwrap();
    assert_eq!(last, Some(Entry::Frame(Box::new(snapshot.clone()), commands.clone())));
}

#[test]
fn with_room_it_keeps_the_whole_match() {
    let Recorded { field, recorder, .. } = record("one_room", 1200, Keep::USUAL);
    assert!(recorder.is_whole());
    let bytes = recorder.to_bytes();
    let comparison = rethink(&Recording::read("test", &bytes).unwrap(), field, |_, _| true).unwrap();
    assert_eq!((comparison.frames, comparison.differing), (1200, 0));
}

#[test]
fn damage_is_named() {
    let Recorded { recorder, .. } = record("one_room", 500, Keep::Whole);
    let good = recorder.to_bytes();
    let error = |bytes: &[u8]| match Recording::read("a.recording", bytes) {
        Err(error) => error.to_string(),
        Ok(recording) => recording.entries().find_map(Result::err).map_or("nothing".to_owned(), |e| e.to_string()),
    };
    assert_eq!(error(&good), "nothing");
    assert_eq!(error(b"hello"), "a.recording is no recording: it does not begin with `firerecd`");
    let changed = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 0x40;
        bytes
    };
    assert_eq!(error(&changed(8)), "a.recording is a recording of format 67; this version reads 3");
    assert_eq!(error(&changed(30)), "a.recording is damaged: the checksum of its head is wrong");
    assert!(
        error(&changed(good.len() / 2)).starts_with("a.recording is damaged"),
        "{}",
        error(&changed(good.len() / 2))
    );
    assert!(
        error(&good[..good.len() - 1]).starts_with("a.recording is cut short after block"),
        "{}",
        error(&good[..good.len() - 1])
    );
    assert!(
        error(&good[..good.len() * 2 / 3]).contains("cut short after block 1, 9.9 s"),
        "{}",
        error(&good[..good.len() * 2 / 3])
    );
    for length in 0..40 {
        assert!(Recording::read("a", &good[..length]).is_err());
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    let Recorded { recorder, .. } = record("one_room", 250, Keep::Whole);
    let good = recorder.to_bytes();
    for at in (0..good.len()).step_by(good.len() / 300) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        let is_noticed = match Recording::read("a", &bytes) {
            Err(_) => true,
            Ok(recording) => recording.entries().any(|entry| entry.is_err()),
        };
        assert!(is_noticed, "byte {at}");
    }
}

#[test]
fn a_recording_of_another_game_is_refused() {
    let Recorded { recorder, .. } = record("one_room", 20, Keep::Whole);
    let bytes = recorder.to_bytes();
    let recording = Recording::read("test", &bytes).unwrap();
    assert!(recording.fits(&field("pit")).is_err());
    let harder = crate::support::field_with("one_room", |game| game.rules.teams.friendly_fire = 0.25, false);
    assert!(recording.fits(&harder).is_err());
    assert!(matches!(Recording::read("x", &bytes[1..]), Err(RecordingError::NotARecording { .. })));
}
