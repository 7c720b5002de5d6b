//! Who sees whom: a bit for each pair of waypoints, standing eye to standing eye, and standing eye to crouched body.
//!
//! In: the waypoints and the movers. Out: [`Sight`], with doors shut, and what opening them would add. An eye looks through
//! water, fog and glass, not through walls, lava and slime ([`eyes`]); doors, lifts and buttons stand in its way where
//! they rest ([`doors`]). Standing pairs are looked at once, from the smaller rank to the larger.
//!
//! Two things make it quick. What the map's compiler knew to be hidden is not looked at. And waypoints are taken in clumps of
//! neighbours, clump against clump: what may stand between two of them is found once for all their rays, and the wall that
//! hid a waypoint from the last eye is tried first for the next one ([`Solids::gaze`](fireteam_world::Solids::gaze)).
//!
//! Not here: hiding spots (`hiding`). Cost: `fireteam bench terrain` prints it beside the engine's.

mod doors;
mod eyes;

#[cfg(test)]
#[path = "sight_test.rs"]
mod tests;

use std::ops::Range;

use fireteam_terrain::{BitRows, MoverId, Movers, Opening, OpeningFlags, Sight, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::solids::{Corridor, Gaze, Obstacles};

use crate::progress::Step;
use crate::units::{Batch, Unit, Workshop};
use crate::{BakeError, Site};
use doors::{Doors, Verdict};
pub(crate) use eyes::{CLUMP, Eyes, middle_of};

/// Waypoints whose view is one unit of work.
const ROWS: usize = 64;

/// The view from the waypoints of one unit: a row each, a bit for each waypoint, both in the order of the eyes' ranks.
#[derive(Clone, Debug, Default, PartialEq)]
struct View {
    /// Only towards waypoints of larger rank.
    standing: Vec<u64>,
    crouched: Vec<u64>,
    /// Those of `STANDING` likewise one way only.
    openings: Vec<Opening>,
}

/// Looks from every waypoint at every other.
pub(crate) fn measure(
    workshop: &Workshop,
    site: &Site,
    eyes: &Eyes,
    movers: &Movers,
    inputs: [u8; 32],
) -> Result<Sight, BakeError> {
    let doors = Doors::of(site, movers, eyes);
    let views = workshop.units(&batch(eyes, inputs), |unit| look_around(eyes, &doors, unit))?;
    Ok(gather(eyes, &views))
}

/// Works off a shard's part of it.
pub(crate) fn measure_shard(
    workshop: &Workshop,
    site: &Site,
    eyes: &Eyes,
    movers: &Movers,
    inputs: [u8; 32],
) -> Result<(), BakeError> {
    let doors = Doors::of(site, movers, eyes);
    workshop.work_off(&batch(eyes, inputs), |unit| look_around(eyes, &doors, unit)).map(drop)
}

fn batch(eyes: &Eyes, inputs: [u8; 32]) -> Batch {
    Batch { step: Step::Sight, count: eyes.count().div_ceil(ROWS), inputs }
}

/// Works off one unit.
fn look_around(eyes: &Eyes, doors: &Doors, unit: usize) -> View {
    let ranks = unit * ROWS..((unit + 1) * ROWS).min(eyes.count());
    let mut view = View::as_far_as_known(eyes, ranks.clone());
    let mut obstacles = vec![Obstacles::default(); eyes.clumps.len()];
    let mut corridor = Corridor::default();
    for first in ranks.clone().step_by(CLUMP) {
        let looking = &eyes.standing[first..ranks.end.min(first + CLUMP)];
        for (targets, (clump, obstacles)) in eyes.clumps.iter().zip(&mut obstacles).enumerate() {
            let block = Block { stride: BitRows::stride(eyes.count()), row: first - ranks.start, targets };
            let mut seen = view.taken_from(&block, looking.len());
            if seen.iter().any(|&bits| bits != 0) {
                let gaze = Gaze { eyes: looking, targets: clump, mask: Eyes::MASK };
                eyes.solids.gaze(&gaze, obstacles, &mut corridor, &mut seen[..looking.len() * 2]);
                view.put_into(&block, &seen[..looking.len() * 2]);
            }
        }
    }
    for (row, from) in ranks.enumerate() {
        view.shut_doors(eyes, doors, row, from);
    }
    view
}

/// The rows of one clump's eyes towards another clump: a byte a row.
struct Block {
    stride: usize,
    row: usize,
    /// Number of the clump that is looked at.
    targets: usize,
}

impl Block {
    /// Which word of a row has it, and how far up.
    fn place(&self, row: usize) -> (usize, usize) {
        let bit = self.targets * CLUMP;
        ((self.row + row) * self.stride + bit / 64, bit % 64)
    }
}

impl View {
    /// All that the map's compiler did not rule out.
    fn as_far_as_known(eyes: &Eyes, ranks: Range<usize>) -> View {
        let mut view = View::default();
        let mut possible = Possible::default();
        for from in ranks {
            possible.turn_to(eyes, eyes.standing_cluster[from]);
            view.standing.extend(possible.standing.iter().enumerate().map(|(word, bits)| bits & later(from, word)));
            view.crouched.extend(&possible.crouched);
        }
        view
    }

    /// For each eye of a block two bytes, whom it may see standing and whom crouched. They are gone from the view then.
    fn taken_from(&mut self, block: &Block, rows: usize) -> [u8; CLUMP * 2] {
        let mut taken = [0; CLUMP * 2];
        for (row, [standing, crouched]) in taken.as_chunks_mut().0.iter_mut().take(rows).enumerate() {
            let (word, shift) = block.place(row);
            *standing = (self.standing[word] >> shift) as u8;
            *crouched = (self.crouched[word] >> shift) as u8;
            self.standing[word] &= !(0xff << shift);
            self.crouched[word] &= !(0xff << shift);
        }
        taken
    }

    fn put_into(&mut self, block: &Block, seen: &[u8]) {
        for (row, [standing, crouched]) in seen.as_chunks().0.iter().enumerate() {
            let (word, shift) = block.place(row);
            self.standing[word] |= u64::from(*standing) << shift;
            self.crouched[word] |= u64::from(*crouched) << shift;
        }
    }

    fn shut_doors(&mut self, eyes: &Eyes, doors: &Doors, row: usize, from: usize) {
        let words = row * BitRows::stride(eyes.count())..(row + 1) * BitRows::stride(eyes.count());
        let View { standing, crouched, openings } = self;
        let mut shut = Shut { eyes, doors, from, near: doors.near(eyes, from), openings };
        shut.take_out(&mut standing[words.clone()], &eyes.standing, OpeningFlags::STANDING);
        shut.take_out(&mut crouched[words], &eyes.crouched, OpeningFlags::CROUCHED);
    }
}

/// Bits of a row's word for ranks larger than this one.
fn later(rank: usize, word: usize) -> u64 {
    match (rank + 1).saturating_sub(word * 64) {
        bits @ 0..64 => u64::MAX << bits,
        _ => 0,
    }
}

/// Who may be seen from a cluster. Neighbours lie in the same cluster more often than not.
#[derive(Debug, Default)]
struct Possible {
    cluster: Option<i32>,
    standing: Vec<u64>,
    crouched: Vec<u64>,
}

impl Possible {
    fn turn_to(&mut self, eyes: &Eyes, cluster: i32) {
        if self.cluster == Some(cluster) {
            return;
        }
        self.cluster = Some(cluster);
        let nobody = || vec![0; BitRows::stride(eyes.count())];
        (self.standing, self.crouched) = (nobody(), nobody());
        for other in eyes.clusters.iter().filter(|other| !eyes.is_ruled_out(cluster, other.number)) {
            self.standing.iter_mut().zip(&other.standing).for_each(|(words, there)| *words |= there);
            self.crouched.iter_mut().zip(&other.crouched).for_each(|(words, there)| *words |= there);
        }
    }
}

/// Doors in the view from one waypoint.
struct Shut<'a> {
    eyes: &'a Eyes<'a>,
    doors: &'a Doors,
    from: usize,
    near: Vec<usize>,
    openings: &'a mut Vec<Opening>,
}

impl Shut<'_> {
    /// Takes out what is behind a door, and notes what opening it would show.
    fn take_out(&mut self, seen: &mut [u64], targets: &[Vec3], adds: OpeningFlags) {
        if self.near.is_empty() {
            return;
        }
        let eye = self.eyes.standing[self.from];
        let passed = seen.to_vec();
        for target in bits(&passed) {
            match self.doors.verdict(self.eyes, &self.near, eye, targets[target]) {
                Verdict::Free => continue,
                Verdict::Hidden => {}
                Verdict::Behind(mover) => {
                    let [from, to] = [self.from, target].map(|rank| self.eyes.order[rank]);
                    self.openings.push(Opening { from, to, mover, adds });
                }
            }
            clear(seen, target);
        }
    }
}

fn clear(words: &mut [u64], bit: usize) {
    words[bit / 64] &= !(1 << (bit % 64));
}

/// Numbers of the bits that are set.
pub(crate) fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let rest = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
        rest.take_while(|&rest| rest != 0).map(move |rest| index * 64 + rest.trailing_zeros() as usize)
    })
}

/// Puts the units' views together, and standing pairs both ways.
fn gather(eyes: &Eyes, views: &[View]) -> Sight {
    let count = eyes.count();
    let stride = BitRows::stride(count).max(1);
    let (mut standing, mut crouched) = (BitRows::new(count), BitRows::new(count));
    let rows = |rows: fn(&View) -> &Vec<u64>| views.iter().flat_map(move |view| rows(view).chunks_exact(stride));
    let by_rank = eyes.order.iter().zip(rows(|view| &view.standing)).zip(rows(|view| &view.crouched));
    for ((from, standing_row), crouched_row) in by_rank {
        standing.set(from.index(), from.index());
        bits(crouched_row).for_each(|to| crouched.set(from.index(), eyes.order[to].index()));
        for to in bits(standing_row).map(|rank| eyes.order[rank].index()) {
            standing.set(from.index(), to);
            standing.set(to, from.index());
        }
    }
    let openings = views.iter().flat_map(|view| &view.openings).flat_map(|opening| {
        let back = Opening { from: opening.to, to: opening.from, ..*opening };
        let is_both_ways = opening.adds == OpeningFlags::STANDING;
        [Some(*opening), is_both_ways.then_some(back)].into_iter().flatten()
    });
    Sight { standing, crouched, openings: merge(openings.collect()) }
}

/// One opening a pair and door.
fn merge(mut openings: Vec<Opening>) -> Vec<Opening> {
    let key = |opening: &Opening| (opening.from, opening.to, opening.mover);
    openings.sort_unstable();
    let mut merged: Vec<Opening> = Vec::with_capacity(openings.len());
    for opening in openings {
        match merged.last_mut() {
            Some(last) if key(last) == key(&opening) => last.adds |= opening.adds,
            Some(_) | None => merged.push(opening),
        }
    }
    merged
}

impl Unit for View {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.standing.len() as u32).to_le_bytes());
        self.standing.iter().chain(&self.crouched).for_each(|word| bytes.extend(word.to_le_bytes()));
        for opening in &self.openings {
            bytes.extend([opening.from.0, opening.to.0, opening.mover.0].map(u16::to_le_bytes).as_flattened());
            bytes.push(opening.adds.0);
        }
    }

    fn read(bytes: &[u8]) -> Option<View> {
        let (length, rest) = bytes.split_first_chunk()?;
        let row_bytes = (u32::from_le_bytes(*length) as usize).checked_mul(8)?;
        let (standing, rest) = rest.split_at_checked(row_bytes)?;
        let (crouched, rest) = rest.split_at_checked(row_bytes)?;
        let (openings, []) = rest.as_chunks::<7>() else { return None };
        let words = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let opening = |&[from0, from1, to0, to1, mover0, mover1, adds]: &[u8; 7]| Opening {
            from: WaypointId(u16::from_le_bytes([from0, from1])),
            to: WaypointId(u16::from_le_bytes([to0, to1])),
            mover: MoverId(u16::from_le_bytes([mover0, mover1])),
            adds: OpeningFlags(adds),
        };
        let openings = openings.iter().map(opening).collect();
        Some(View { standing: words(standing), crouched: words(crouched), openings })
    }
}
