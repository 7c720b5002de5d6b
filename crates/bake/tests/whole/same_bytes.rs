//! A terrain depends on map, physics and settings, and on nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use fireteam_bake::{
    BakeError, BakeSettings, Executor, Journal, JournalError, OneThread, Progress, Shard, Step, ThrowSettings,
    Unwatched, Workshop, bake, bake_in, bake_shard, merge,
};
use fireteam_terrain::Terrain;

use crate::{game, map};

/// With doors, so that sight has openings, and small enough to be baked many times.
const MAP: &str = "two_rooms_one_door";

/// Everything a bake does, with so few throws that it can be done many times.
fn settings() -> BakeSettings {
    let throws = ThrowSettings { flights: 400, candidates: 2, ..ThrowSettings::default() };
    BakeSettings { throws, ..BakeSettings::default() }
}

/// Two threads that take jobs from either end.
struct TwoThreads;

impl Executor for TwoThreads {
    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        let taken = AtomicUsize::new(0);
        let work = |from_the_end: bool| {
            for number in 0..count {
                if taken.fetch_add(1, Ordering::SeqCst) < count {
                    job(if from_the_end { count - 1 - number } else { number });
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| work(false));
            work(true);
        });
    }
}

/// Stops a bake once it has been told of so many units.
struct StopAfter {
    units: AtomicUsize,
}

impl StopAfter {
    fn new(units: usize) -> StopAfter {
        StopAfter { units: AtomicUsize::new(units) }
    }
}

impl Progress for StopAfter {
    fn advance(&self, _: Step, done: usize, _: usize) {
        if done > 0 {
            self.units.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| Some(left.saturating_sub(1))).unwrap();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.units.load(Ordering::SeqCst) == 0
    }
}

/// A folder of its own, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fireteam-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn baked(executor: &dyn Executor) -> Vec<u8> {
    bake(&map(MAP), &game(), &settings(), executor, &Unwatched).unwrap().to_bytes()
}

/// Bakes with a journal, until done or stopped.
fn bake_with(folder: &Path, progress: &dyn Progress) -> Result<Terrain, BakeError> {
    let journal = Journal::begin(folder)?;
    let workshop = Workshop { journal: Some(&journal), ..Workshop::new(&OneThread, progress) };
    bake_in(&workshop, &map(MAP), &game(), &settings())
}

#[test]
fn two_threads_bake_what_one_does() {
    assert!(baked(&OneThread) == baked(&TwoThreads));
}

#[test]
fn a_bake_that_is_stopped_goes_on_where_it_was() {
    let whole = baked(&OneThread);
    let folder = Folder::new("stopped");
    for units in [1, 2, 3, 4, 7, 12] {
        let stopped = bake_with(&folder.join("journal"), &StopAfter::new(units));
        assert!(matches!(stopped, Err(BakeError::Cancelled)), "after {units} units");
    }
    let resumed = bake_with(&folder.join("journal"), &Unwatched).unwrap();
    assert!(resumed.to_bytes() == whole);
}

#[test]
fn units_that_are_kept_are_not_worked_off_again() {
    let folder = Folder::new("kept");
    bake_with(&folder.join("journal"), &Unwatched).unwrap();
    // Ground, waypoints, areas, hiding, ranks, assembling: one piece each, and nothing else.
    let again = bake_with(&folder.join("journal"), &StopAfter::new(7));
    assert!(again.is_ok(), "{again:?}");
}

#[test]
fn a_journal_cut_or_spoilt_anywhere_still_gives_the_same() {
    let whole = baked(&OneThread);
    let folder = Folder::new("cut");
    let journal = folder.join("journal");
    bake_with(&journal, &Unwatched).unwrap();
    let files = ["3-links.units", "5-sight.units", "6-throws.units"]
        .map(|name| (journal.join(name), fs::read(journal.join(name)).unwrap()));
    for part in 0..12 {
        for (path, bytes) in &files {
            let mut spoilt = bytes[..bytes.len() * part / 12].to_vec();
            if let Some(byte) = spoilt.len().checked_sub(3).and_then(|at| spoilt.get_mut(at)).filter(|_| part % 2 == 1)
            {
                *byte ^= 0x40;
            }
            fs::write(path, spoilt).unwrap();
        }
        assert!(bake_with(&journal, &Unwatched).unwrap().to_bytes() == whole, "cut at {part}/12");
    }
}

#[test]
fn four_shards_merge_to_what_one_bake_makes() {
    let folder = Folder::new("shards");
    let shard_folder = |index: usize| folder.join(&format!("shard-{index}"));
    for index in 0..4 {
        let journal = Journal::begin(&shard_folder(index)).unwrap();
        let shard = Shard { index, count: 4 };
        let workshop = Workshop { journal: Some(&journal), shard, ..Workshop::new(&OneThread, &Unwatched) };
        bake_shard(&workshop, &map(MAP), &game(), &settings()).unwrap();
    }
    let merged = |shards: &[usize], settings: &BakeSettings| {
        let journals: Vec<Journal> = shards.iter().map(|&index| Journal::finished(&shard_folder(index))).collect();
        merge(&journals, &map(MAP), &game(), settings, &OneThread, &Unwatched)
    };
    assert!(merged(&[2, 0, 3, 1], &settings()).unwrap().to_bytes() == baked(&OneThread));
    let incomplete = merged(&[0, 1, 3], &settings());
    assert!(matches!(incomplete, Err(BakeError::Missing { step: Step::Links, .. })), "{incomplete:?}");
    let mut other = settings();
    other.links.damage_max += 1.0;
    let foreign = merged(&[0, 1, 2, 3], &other);
    assert!(matches!(foreign, Err(BakeError::Missing { .. })), "{foreign:?}");
}

#[test]
fn two_bakes_do_not_share_a_journal() {
    let folder = Folder::new("taken");
    let held = Journal::begin(&folder.join("journal")).unwrap();
    let second = Journal::begin(&folder.join("journal"));
    assert!(matches!(second, Err(JournalError::Taken { .. })), "{second:?}");
    drop(held);
    Journal::begin(&folder.join("journal")).unwrap().remove().unwrap();
    assert!(!folder.join("journal").exists());
}

#[test]
fn a_journal_that_cannot_be_written_is_told_with_its_name() {
    let folder = Folder::new("unwritable");
    fs::write(folder.join("journal"), "in the way").unwrap();
    let error = Journal::begin(&folder.join("journal")).unwrap_err();
    assert!(error.to_string().contains("journal"), "{error}");
}
