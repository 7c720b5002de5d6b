//! Throws between those of a fan, for targets that none of it hits surely.
//!
//! Around a throw that comes near a target a patch twice as dense is flown, and what lies in the middle of hits is told: a
//! single hit is luck. The same direction crouched, or later in the fuse, is told too if it hits.

use std::collections::HashMap;

use fireteam_terrain::WaypointId;
use fireteam_terrain::throws::Stored;
use fireteam_world::throwing::{Cell, Flown};

use super::fan::Shape;
use super::search::{Candidate, Search};

/// Looks from one waypoint; what is flown for one target is known for the next.
pub(super) struct Finer<'a> {
    search: &'a Search<'a>,
    shape: Shape,
    from: WaypointId,
    cell: Cell<'a>,
    flown: HashMap<Stored, Flown>,
}

impl<'a> Finer<'a> {
    pub(super) fn of(search: &'a Search<'a>, shape: Shape, from: WaypointId) -> Finer<'a> {
        Finer { search, shape, from, cell: search.yard.cell(from), flown: HashMap::new() }
    }

    /// The most promising throws around `starts`, the best first.
    pub(super) fn around(&mut self, at: WaypointId, starts: &[Candidate]) -> Vec<Candidate> {
        let mut ranked: Vec<(u32, Stored)> = Vec::new();
        for Candidate { throw, .. } in starts {
            let (sum, yaw, pitch) = self.patch(throw, at).middle();
            let middle = self.shape.half_steps_beside(throw, yaw, pitch).filter(|_| sum > 0);
            ranked.extend(middle.map(|throw| (sum, throw)));
        }
        ranked.sort_by_key(|(sum, _)| std::cmp::Reverse(*sum));
        let mut found: Vec<Candidate> = Vec::new();
        for (_, throw) in ranked {
            if !found.iter().any(|known| known.throw == throw) {
                found.push(Candidate { throw, flown: self.fly(throw) });
            }
        }
        let otherwise = starts.first().into_iter().flat_map(|start| self.search.otherwise(&self.cell, start.throw));
        found.extend(otherwise.filter(|candidate| self.points(&candidate.flown, at) > 0));
        found
    }

    fn patch(&mut self, start: &Stored, at: WaypointId) -> Patch {
        let mut patch = Patch([[0; Patch::WIDTH]; Patch::WIDTH]);
        for (pitch, row) in patch.0.iter_mut().enumerate() {
            for (yaw, points) in row.iter_mut().enumerate() {
                let [yaw, pitch] = [yaw, pitch].map(Patch::off);
                if let Some(throw) = self.shape.half_steps_beside(start, yaw, pitch) {
                    let flown = self.fly(throw);
                    *points = self.points(&flown, at);
                }
            }
        }
        patch
    }

    fn fly(&mut self, throw: Stored) -> Flown {
        *self.flown.entry(throw).or_insert_with(|| self.search.candidate(&self.cell, throw).flown)
    }

    /// What it costs the target; nothing if it may cost the thrower something.
    fn points(&self, flown: &Flown, at: WaypointId) -> u32 {
        if !flown.explodes || self.search.may_hurt(flown, self.from) {
            return 0;
        }
        let target = self.search.yard.cell(at).stand;
        self.search.range.points(flown.place, &target, false).max(0) as u32
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
