//! Which throws of a fan are worth judging for a target, the most promising first.
//!
//! Told one by one, since nearly always the first or second is good enough: what it costs to rank the others and to ask
//! whether they hit is not spent.

use std::cmp::Reverse;
use std::collections::HashMap;

use fireteam_terrain::WaypointId;
use fireteam_world::throwing::{Flown, Stand};

use super::fan::Fan;
use super::search::{Candidate, Search};

/// Explosions in the same cube of this size are sheltered from alike.
const SPOT: f32 = 48.0;
/// For each throw that is told, so many are asked whether they hit, at most.
const ASKS_EACH: usize = 2;
/// So many throws are ranked at a time.
const RANKED: usize = 64;

/// A target reached by a throw of the fan, and how well: 255 is in the middle of the blast.
#[derive(Clone, Copy, Debug)]
struct Reached {
    target: WaypointId,
    throw: u32,
    nearness: u8,
}

/// The throws of a fan at one target: those that hit when thrown steadily, none beside another.
pub(super) struct Promising<'a> {
    fan: &'a Fan,
    search: &'a Search<'a>,
    /// Where each throw goes off, roughly.
    spots: &'a [u32],
    target: Stand,
    /// Promise and number; sorted up to `sorted`, told of up to `next`.
    ranked: &'a mut [(u32, u32)],
    sorted: usize,
    next: usize,
    told: Vec<usize>,
    /// Spots that the target is safe from.
    sheltered: Vec<u32>,
    asks_left: usize,
}

/// Tells of every target that is reached.
pub(super) fn promising(fan: &Fan, search: &Search, mut tell: impl FnMut(WaypointId, Promising<'_>)) {
    let reached = reached(fan, search);
    let (spots, outlooks) = (spots(&fan.flown), outlooks(fan));
    let mut nearness = vec![0_u8; fan.flown.len()];
    let mut ranked: Vec<(u32, u32)> = Vec::new();
    for reached in reached.chunk_by(|a, b| a.target == b.target) {
        reached.iter().for_each(|one| nearness[one.throw as usize] = one.nearness);
        ranked.clear();
        let promise = |one: &Reached| outlooks[one.throw as usize].promise(one.nearness, &nearness);
        ranked.extend(reached.iter().map(|one| (promise(one), one.throw)));
        reached.iter().for_each(|one| nearness[one.throw as usize] = 0);
        let target = search.yard.cell(reached[0].target).stand;
        tell(
            reached[0].target,
            Promising {
                fan,
                search,
                spots: &spots,
                target,
                ranked: &mut ranked,
                sorted: 0,
                next: 0,
                told: Vec::with_capacity(search.settings.candidates),
                sheltered: Vec::new(),
                asks_left: ASKS_EACH * search.settings.candidates,
            },
        );
    }
}

impl Promising<'_> {
    /// Those told so far, by their numbers in the fan.
    pub(super) fn told(&self) -> &[usize] {
        &self.told
    }

    fn next_ranked(&mut self) -> Option<usize> {
        if self.next == self.sorted {
            let key = |&(promise, throw): &(u32, u32)| (Reverse(promise), throw);
            let rest = &mut self.ranked[self.sorted..];
            let count = rest.len().min(RANKED);
            if count < rest.len() {
                rest.select_nth_unstable_by_key(count, key);
            }
            rest[..count].sort_unstable_by_key(key);
            self.sorted += count;
        }
        let throw = self.ranked[..self.sorted].get(self.next)?.1;
        self.next += 1;
        Some(throw as usize)
    }
}

impl Iterator for Promising<'_> {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        while self.told.len() < self.search.settings.candidates {
            let throw = self.next_ranked()?;
            let spot = self.spots[throw];
            if self.sheltered.contains(&spot) || self.told.iter().any(|&other| self.fan.is_beside(other, throw)) {
                continue;
            }
            // Whom a wall shelters from all that goes off near him is not asked for over and over.
            self.asks_left = self.asks_left.checked_sub(1)?;
            if self.search.range.points(self.fan.flown[throw].place, &self.target, false) > 0 {
                self.told.push(throw);
                return Some(self.fan.candidate(throw));
            }
            self.sheltered.push(spot);
        }
        None
    }
}

/// Who is reached by which throw, by target.
fn reached(fan: &Fan, search: &Search) -> Vec<Reached> {
    let mut all = Vec::new();
    let reach = search.reach();
    let useful = fan.flown.iter().zip(&fan.hurts_thrower).enumerate();
    for (number, (flown, _)) in useful.filter(|(_, (flown, hurts))| flown.explodes && !**hurts) {
        for &target in search.yard.around(flown.place).iter() {
            let distance = flown.place.distance(search.yard.waypoints.origin[target.index()]);
            let nearness = 1.0 - distance / reach;
            if nearness > 0.0 {
                all.push(Reached { target, throw: number as u32, nearness: (nearness * 255.0) as u8 });
            }
        }
    }
    by_target(&all, search.yard.waypoints.len())
}

/// In the order of targets; those of each as they were.
fn by_target(all: &[Reached], targets: usize) -> Vec<Reached> {
    let mut ends = vec![0_usize; targets + 1];
    all.iter().for_each(|one| ends[one.target.index() + 1] += 1);
    for target in 0..targets {
        ends[target + 1] += ends[target];
    }
    let mut sorted = all.to_vec();
    for one in all {
        let place = &mut ends[one.target.index()];
        sorted[*place] = *one;
        *place += 1;
    }
    sorted
}

/// What a throw's promise is made of besides how near it goes off: known once for all targets.
struct Outlook {
    /// The throws beside it.
    beside: [u32; 4],
    /// Less for every plane more than one; none beside a throw that hurts the thrower.
    weight: u32,
}

fn outlooks(fan: &Fan) -> Vec<Outlook> {
    let outlook = |throw: usize| {
        let beside = fan.beside(throw);
        let is_safe = !beside.iter().any(|&beside| fan.hurts_thrower[beside]);
        let weight = if is_safe { 8 - fan.flown[throw].planes.clamp(1, 7) } else { 0 };
        Outlook { beside: beside.map(|beside| beside as u32), weight }
    };
    (0..fan.flown.len()).map(outlook).collect()
}

impl Outlook {
    /// How near it and those beside it go off; little beside one that hurts the thrower.
    fn promise(&self, own: u8, nearness: &[u8]) -> u32 {
        let beside: u32 = self.beside.iter().map(|&beside| u32::from(nearness[beside as usize])).sum();
        if self.weight == 0 { u32::from(own) } else { (u32::from(own) * 2 + beside) * self.weight }
    }
}

/// Which throws go off in about the same place: the number of a place for each.
fn spots(flown: &[Flown]) -> Vec<u32> {
    let mut known = HashMap::new();
    let mut spots = Vec::with_capacity(flown.len());
    for flown in flown {
        let next = known.len() as u32;
        spots.push(*known.entry((flown.place / SPOT).floor().as_ivec3()).or_insert(next));
    }
    spots
}
