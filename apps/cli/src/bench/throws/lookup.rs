//! "Can throw?" a second: for random pairs, as the paper asked, and beside a hash table where every other pair is there.

use std::hint::black_box;

use anyhow::Result;
use fireteam_openarena::clock::timed;
use fireteam_terrain::{ThrowTable, WaypointId};
use fireteam_world::pcg::Pcg;

use super::super::Course;
use super::super::duel::Duel;

const QUESTIONS: usize = 1 << 20;

/// From whom, at whom.
type Pair = (WaypointId, WaypointId);

pub(super) struct Asked {
    /// Random pairs.
    pub(super) per_second: f64,
    /// None without a peer.
    duel: Option<Duel>,
}

impl Asked {
    /// How many times faster than the hash table.
    pub(super) fn ratio(&self) -> f64 {
        self.duel.as_ref().map_or(f64::NAN, Duel::ratio)
    }
}

pub(super) fn ask(course: &Course, table: &ThrowTable) -> Result<Asked> {
    let mut chance = Pcg::named(course.seed, "can throw");
    let questions: Vec<Pair> = (0..QUESTIONS).map(|_| random(table, &mut chance)).collect();
    count(table, &questions);
    let (_, time) = timed(|| count(table, &questions));
    let per_second = QUESTIONS as f64 / time.as_secs_f64();
    Ok(Asked { per_second, duel: race(course, table, &every_other(table, &mut chance))? })
}

fn random(table: &ThrowTable, chance: &mut Pcg) -> Pair {
    let mut waypoint = || WaypointId::from(chance.below(table.always.size()));
    (waypoint(), waypoint())
}

/// Pairs of which every other has a throw, in random order.
fn every_other(table: &ThrowTable, chance: &mut Pcg) -> Vec<Pair> {
    let there: Vec<Pair> =
        table.always.iter().map(|(at, from, _)| (WaypointId::from(from), WaypointId::from(at))).collect();
    let is_full = table.always.len() == table.always.size() * table.always.size();
    if there.is_empty() || is_full {
        return Vec::new();
    }
    let question = |_| {
        if chance.chance(0.5) {
            return *chance.pick(&there);
        }
        loop {
            let (from, at) = random(table, chance);
            if !table.can_throw(from, at) {
                return (from, at);
            }
        }
    };
    (0..QUESTIONS).map(question).collect()
}

fn count(table: &ThrowTable, questions: &[Pair]) -> usize {
    questions.iter().filter(|(from, at)| black_box(table.can_throw(*from, *at))).count()
}

#[cfg(feature = "bench")]
fn race(course: &Course, table: &ThrowTable, questions: &[Pair]) -> Result<Option<Duel>> {
    use super::super::duel::time;
    use rustc_hash::FxHashMap;
    let key = |from: WaypointId, at: WaypointId| u32::from(from.0) << 16 | u32::from(at.0);
    let all = table.always.iter();
    let hashed: FxHashMap<u32, [u8; 3]> =
        all.map(|(at, from, bytes)| (key(WaypointId::from(from), WaypointId::from(at)), *bytes)).collect();
    let found = || questions.iter().filter(|(from, at)| black_box(hashed.contains_key(&key(*from, *at)))).count();
    anyhow::ensure!(found() == count(table, questions), "the two tables differ");
    let theirs = || {
        time(|| {
            black_box(found());
        })
    };
    let ours = || {
        time(|| {
            black_box(count(table, questions));
        })
    };
    Duel::run(course.rounds, questions.len(), theirs, ours).map(Some)
}

#[cfg(not(feature = "bench"))]
fn race(_: &Course, _: &ThrowTable, _: &[Pair]) -> Result<Option<Duel>> {
    Ok(None)
}
