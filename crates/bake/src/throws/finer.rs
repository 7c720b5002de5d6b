//! Throws between those of a fan, for targets that none of it hits surely.
//!
//! Around the throws that hit a target most often, though not often enough, a patch twice as dense is flown, and what lies
//! in the middle of hits is told: a single hit is luck. All patches are of one grid, which the fan is every other throw of,
//! so that what was flown for one target is known for all. The same direction crouched, or later in the fuse, is told too
//! if it hits.

use fireteam_terrain::WaypointId;
use fireteam_world::throwing::{Cell, Flown};

use super::fan::{Fan, Half};
use super::search::{Candidate, Search};

/// Looks from one waypoint; what is flown for one target, or was for the fan, is known for the next.
pub(super) struct Finer<'a> {
    search: &'a Search<'a>,
    fan: &'a Fan,
    from: WaypointId,
    cell: Cell<'a>,
    /// By the number of a half step, one more than where in `flown` it is; 0 if it is not.
    known: Vec<u32>,
    flown: Vec<Seen>,
}

/// A flight, and whether it may hurt the thrower.
#[derive(Clone, Copy, Debug)]
struct Seen {
    flown: Flown,
    hurts_thrower: bool,
}

impl<'a> Finer<'a> {
    pub(super) fn of(search: &'a Search<'a>, fan: &'a Fan, from: WaypointId) -> Finer<'a> {
        let flown = fan.flown.iter().zip(&fan.hurts_thrower);
        let flown: Vec<Seen> = flown.map(|(&flown, &hurts_thrower)| Seen { flown, hurts_thrower }).collect();
        let mut known = vec![0; fan.shape.halves()];
        (0..flown.len()).for_each(|throw| known[fan.shape.number_of_half(fan.half(throw))] = throw as u32 + 1);
        Finer { search, fan, from, cell: search.yard.cell(from), known, flown }
    }

    /// The most promising throws around some of the fan's, the best first.
    pub(super) fn around(&mut self, at: WaypointId, starts: &[usize]) -> Vec<Candidate> {
        let shape = &self.fan.shape;
        let mut ranked: Vec<(u32, Half)> = Vec::new();
        for &start in starts {
            let start = self.fan.half(start);
            let (sum, yaw, pitch) = self.patch(start, at).middle();
            let middle = shape.beside_half(start, yaw, pitch).filter(|_| sum > 0);
            ranked.extend(middle.map(|throw| (sum, throw)));
        }
        ranked.sort_by_key(|(sum, _)| std::cmp::Reverse(*sum));
        let mut found: Vec<Candidate> = Vec::new();
        for (_, half) in ranked {
            let throw = shape.throw_of_half(half);
            if !found.iter().any(|known| known.throw == throw) {
                found.push(Candidate { throw, flown: self.fly(half).flown });
            }
        }
        let first = starts.first().map(|start| self.fan.candidate(*start));
        let otherwise = first.into_iter().flat_map(|start| self.search.otherwise(&self.cell, start.throw));
        found.extend(otherwise.filter(|candidate| self.points(&self.seen(candidate.flown), at) > 0));
        found
    }

    fn patch(&mut self, start: Half, at: WaypointId) -> Patch {
        let mut patch = Patch([[0; Patch::WIDTH]; Patch::WIDTH]);
        for (pitch, row) in patch.0.iter_mut().enumerate() {
            for (yaw, points) in row.iter_mut().enumerate() {
                let [yaw, pitch] = [yaw, pitch].map(Patch::off);
                if let Some(throw) = self.fan.shape.beside_half(start, yaw, pitch) {
                    let seen = self.fly(throw);
                    *points = self.points(&seen, at);
                }
            }
        }
        patch
    }

    fn fly(&mut self, half: Half) -> Seen {
        let number = self.fan.shape.number_of_half(half);
        if self.known[number] == 0 {
            let throw = self.fan.shape.throw_of_half(half);
            self.flown.push(self.seen(self.search.candidate(&self.cell, throw).flown));
            self.known[number] = self.flown.len() as u32;
        }
        self.flown[self.known[number] as usize - 1]
    }

    fn seen(&self, flown: Flown) -> Seen {
        Seen { flown, hurts_thrower: self.search.may_hurt(&flown, self.from) }
    }

    /// What it costs the target; nothing if it may cost the thrower something.
    fn points(&self, seen: &Seen, at: WaypointId) -> u32 {
        if !seen.flown.explodes || seen.hurts_thrower {
            return 0;
        }
        let target = self.search.yard.cell(at).stand;
        self.search.range.points(seen.flown.place, &target, false).max(0) as u32
    }
}

/// What each throw around one costs the target: rows of pitch, columns of yaw.
struct Patch([[u32; Patch::WIDTH]; Patch::WIDTH]);

impl Patch {
    const HALF: usize = 2;
    const WIDTH: usize = 2 * Patch::HALF + 1;

    /// Half steps from the middle.
    fn off(index: usize) -> i32 {
        index as i32 - Patch::HALF as i32
    }

    /// The throw that, with the eight around it, costs the most: how much that is, and where in the patch it lies.
    fn middle(&self) -> (u32, i32, i32) {
        let mut best = (0, 0, 0);
        for pitch in 1..Patch::WIDTH - 1 {
            for yaw in 1..Patch::WIDTH - 1 {
                let rows = &self.0[pitch - 1..=pitch + 1];
                let sum: u32 = rows.iter().map(|row| row[yaw - 1..=yaw + 1].iter().sum::<u32>()).sum();
                if sum > best.0 {
                    best = (sum, Patch::off(yaw), Patch::off(pitch));
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_hits_is_worth_more_than_one_lucky_hit() {
        let mut patch = Patch([[0; Patch::WIDTH]; Patch::WIDTH]);
        assert_eq!(patch.middle(), (0, 0, 0), "nothing hits");
        patch.0[0][0] = 100;
        assert_eq!(patch.middle(), (100, -1, -1), "one hit in a corner is next to the corner of the inner throws");
        for (pitch, yaw) in [(2, 2), (2, 3), (2, 4), (3, 3), (4, 3)] {
            patch.0[pitch][yaw] = 30;
        }
        assert_eq!(patch.middle(), (150, 1, 1), "five weak hits around one throw");
    }
}
