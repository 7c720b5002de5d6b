//! Who sees whom: a bit for each pair of waypoints, standing eye to standing eye, and standing eye to crouched body.
//!
//! In: the waypoints and the movers. Out: [`Sight`], with doors shut, and what opening them would add. An eye looks through
//! water, fog and glass, not through walls, lava and slime ([`eyes`]); doors, lifts and buttons stand in its way where
//! they rest ([`doors`]). Standing pairs are looked at once, from the smaller rank to the larger.
//!
//! Two things make it quick. What the map's compiler knew to be hidden is not looked at. And waypoints are taken in an order
//! in which neighbours follow each other, so that the wall that hid a waypoint from the last eye is tried first for the
//! next one ([`Solids::gaze`](fireteam_world::Solids::gaze)).
//!
//! Not here: hiding spots (`hiding`). Cost: `fireteam bench terrain` prints it beside the engine's.

mod doors;
mod eyes;

#[cfg(test)]
#[path = "sight_test.rs"]
mod tests;

use fireteam_terrain::{BitRows, MoverId, Movers, Opening, OpeningFlags, Sight, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::solids::{Gaze, Obstacle};

use crate::progress::Step;
use crate::units::{Batch, Unit, Workshop};
use crate::{BakeError, Site};
use doors::{Doors, Verdict};
pub(crate) use eyes::{Eyes, middle_of};

/// Waypoints whose view is one unit of work.
const ROWS: usize = 64;

/// The view from the waypoints of one unit, row by row in the order of the eyes' ranks.
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
    let mut view = View::default();
    let mut later = eyes.everybody();
    eyes.order[..ranks.start].iter().for_each(|id| clear(&mut later, id.index()));
    let mut obstacles = vec![Obstacle::default(); eyes.count()];
    let mut possible = Possible::default();
    for &from in &eyes.order[ranks] {
        clear(&mut later, from.index());
        let eye = eyes.standing[from.index()];
        possible.turn_to(eyes, eyes.standing_cluster[from.index()]);
        let mut look = |targets: &[Vec3], mut seen: Vec<u64>| {
            eyes.solids.gaze(&Gaze { eye, targets, mask: Eyes::MASK }, &mut obstacles, &mut seen);
            seen
        };
        let standing = possible.standing.iter().zip(&later).map(|(possible, later)| possible & later);
        let mut standing = look(&eyes.standing, standing.collect());
        let mut crouched = look(&eyes.crouched, possible.crouched.clone());
        let mut shut = Shut { eyes, doors, from, near: doors.near(eyes, from), openings: &mut view.openings };
        shut.take_out(&mut standing, &eyes.standing, OpeningFlags::STANDING);
        shut.take_out(&mut crouched, &eyes.crouched, OpeningFlags::CROUCHED);
        view.standing.extend(standing);
        view.crouched.extend(crouched);
    }
    view
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
        if self.cluster != Some(cluster) {
            let everybody = eyes.everybody();
            self.cluster = Some(cluster);
            self.standing = eyes.not_hidden_from(cluster, &everybody);
            self.crouched = eyes.not_ruled_out(cluster, &eyes.crouched_cluster, &everybody);
        }
    }
}

/// Doors in the view from one waypoint.
struct Shut<'a> {
    eyes: &'a Eyes<'a>,
    doors: &'a Doors,
    from: WaypointId,
    near: Vec<usize>,
    openings: &'a mut Vec<Opening>,
}

impl Shut<'_> {
    /// Takes out what is behind a door, and notes what opening it would show.
    fn take_out(&mut self, seen: &mut [u64], targets: &[Vec3], adds: OpeningFlags) {
        if self.near.is_empty() {
            return;
        }
        let eye = self.eyes.standing[self.from.index()];
        let passed = seen.to_vec();
        for target in bits(&passed) {
            match self.doors.verdict(self.eyes, &self.near, eye, targets[target]) {
                Verdict::Free => continue,
                Verdict::Hidden => {}
                Verdict::Behind(mover) => {
                    self.openings.push(Opening { from: self.from, to: WaypointId::from(target), mover, adds });
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
        crouched.row_mut(from.index()).copy_from_slice(crouched_row);
        standing.set(from.index(), from.index());
        for to in bits(standing_row) {
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
