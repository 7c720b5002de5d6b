//! The best throw from one waypoint at one target: candidates judged by their unsteady throws, each flown no further than it
//! takes to know that it is not the one.

use std::collections::HashMap;

use fireteam_terrain::WaypointId;
use fireteam_terrain::throws::{Stored, ThrowTable};
use fireteam_world::movement::Stance;
use fireteam_world::throwing::{Cell, DEVIATIONS, Demand, Flown, Hand, Range, Volley, Worth};

use super::ThrowSettings;
use super::yard::Yard;

/// From the middle of a square to its corner, of half its width.
const DIAGONAL: f32 = std::f32::consts::SQRT_2;

/// What stays the same for all throws of one scene.
pub(super) struct Search<'a> {
    pub(super) yard: &'a Yard<'a>,
    pub(super) range: Range<'a>,
    pub(super) hand: Hand,
    pub(super) settings: &'a ThrowSettings,
    /// Names the speeds; it holds no throws yet.
    pub(super) table: &'a ThrowTable,
}

/// A throw that may be worth judging, and its steady flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) throw: Stored,
    pub(super) flown: Flown,
}

/// A throw that is worth keeping against a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) throw: Stored,
    pub(super) steady: Flown,
    worth: Worth,
    own_hits: usize,
}

/// What is known of throws of which none was worth keeping.
#[derive(Clone, Debug, Default)]
pub(super) struct Vain {
    /// How many of the unsteady throws of each hurt the target before it was refused.
    hits: Vec<usize>,
}

impl Vain {
    /// The numbers of those that hurt most often, at least so often; of equals, the first.
    pub(super) fn nearest(&self, count: usize, hits_min: usize) -> Vec<usize> {
        let mut nearest: Vec<usize> = (0..self.hits.len()).filter(|number| self.hits[*number] >= hits_min).collect();
        nearest.sort_by_key(|number| std::cmp::Reverse(self.hits[*number]));
        nearest.truncate(count);
        nearest
    }
}

/// Unsteady throws from one waypoint, each flown once for all targets it is a candidate for.
#[derive(Default)]
pub(super) struct Volleys {
    /// In boxes: they are large, and the map moves what it keeps when it grows.
    known: HashMap<Stored, Box<Volley>>,
}

impl Search<'_> {
    pub(super) fn candidate(&self, from: &Cell<'_>, throw: Stored) -> Candidate {
        let flown = self.range.fly(&in_stance(from, &throw).stand, &throw.throw(self.table));
        Candidate { throw, flown }
    }

    /// How far from an explosion an origin may be for the body around it to be hurt.
    pub(super) fn reach(&self) -> f32 {
        self.range.blast.radius + self.yard.site.game.rules.movement.hull(Stance::Standing).maxs.x * DIAGONAL
    }

    /// Whether the one who threw it is near enough to be hurt, by a quick look.
    pub(super) fn may_hurt(&self, flown: &Flown, waypoint: WaypointId) -> bool {
        let origin = self.yard.waypoints.origin[waypoint.index()];
        let reach = self.reach();
        flown.place.distance_squared(origin) < reach * reach && self.yard.may_reach(flown.place, waypoint)
    }

    /// The best of some throws, or what is known of them if none is worth keeping.
    pub(super) fn best(
        &self,
        from: WaypointId,
        at: WaypointId,
        candidates: impl IntoIterator<Item = Candidate>,
        volleys: &mut Volleys,
    ) -> Result<Judged, Vain> {
        let (from, at) = (self.yard.cell(from), self.yard.cell(at));
        let mut best: Option<Judged> = None;
        let mut vain = Vain::default();
        let mut candidates = candidates.into_iter();
        for number in 0.. {
            if best.map_or_else(|| self.is_hopeless(&vain), |best| self.is_enough(&best, number)) {
                break;
            }
            let Some(candidate) = candidates.next() else { break };
            let volley = volleys.known.entry(candidate.throw);
            let volley = volley.or_insert_with(|| Box::new(self.volley(&from, &candidate)));
            let demand = self.demand(best.map(|best| best.worth.score));
            let cell = in_stance(&from, &candidate.throw);
            match volley.worth(&self.range, &self.hand, &cell, &at, &demand) {
                Ok(worth) => {
                    let (throw, steady) = (candidate.throw, candidate.flown);
                    best = Some(Judged { throw, steady, worth, own_hits: volley.own_hits() });
                }
                Err(refused) => vain.hits.push(refused.hits),
            }
        }
        best.ok_or(vain)
    }

    /// Whether so many throws in vain are enough: an unsteady hand never hit by any of them.
    fn is_hopeless(&self, vain: &Vain) -> bool {
        vain.hits.len() >= self.settings.candidates_hopeless && vain.hits.iter().all(|hits| *hits == 0)
    }

    /// Whether the best of so many candidates need not be bettered.
    fn is_enough(&self, best: &Judged, judged: usize) -> bool {
        let ThrowSettings { candidates_min, enough, candidates_fair, fair, candidates_any, .. } = *self.settings;
        let (delivered, is_safe) = (best.worth.delivered, best.own_hits == 0);
        is_safe && (judged >= candidates_min && delivered >= enough || judged >= candidates_fair && delivered >= fair)
            || judged >= candidates_any
    }

    /// The first of some throws that never hurts the one who throws it.
    pub(super) fn safe(&self, from: WaypointId, candidates: &[Candidate]) -> Option<Stored> {
        let from = self.yard.cell(from);
        let is_safe = |candidate: &&Candidate| {
            let cell = in_stance(&from, &candidate.throw);
            self.volley(&from, candidate).is_safe(&self.range, &self.hand, &cell)
        };
        candidates.iter().find(is_safe).map(|candidate| candidate.throw)
    }

    fn volley(&self, from: &Cell<'_>, candidate: &Candidate) -> Volley {
        let Candidate { throw, flown } = candidate;
        Volley::of(&self.range, &in_stance(from, throw), &throw.throw(self.table), *flown)
    }

    /// What is worth keeping, and better than what is already there.
    fn demand(&self, best_score: Option<f32>) -> Demand {
        let hits_min = (self.settings.delivered_min * DEVIATIONS as f32).ceil() as usize;
        Demand {
            misses_max: DEVIATIONS - hits_min.min(DEVIATIONS),
            own_hits_max: self.settings.own_hits_max,
            score: best_score.unwrap_or(self.settings.score_min),
        }
    }

    /// The same direction, crouched, or with some of the fuse burnt in the hand.
    pub(super) fn otherwise(&self, from: &Cell<'_>, throw: Stored) -> impl Iterator<Item = Candidate> {
        let crouched = Stored { is_crouched: true, ..throw };
        let crouched = (from.stand.stance == Stance::Standing && !throw.is_crouched).then_some(crouched);
        let cookings = if self.range.throwable.can_cook { 1..Stored::COOKINGS } else { 0..0 };
        let cooked = cookings.map(move |cooking| Stored { cooking, ..throw });
        crouched.into_iter().chain(cooked).map(|throw| self.candidate(from, throw))
    }
}

/// A cell as somebody who throws so uses it.
fn in_stance<'a>(cell: &Cell<'a>, throw: &Stored) -> Cell<'a> {
    let mut cell = *cell;
    if throw.is_crouched {
        cell.stand.stance = Stance::Crouched;
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_throws_in_vain_those_that_hit_most_often_are_nearest() {
        let vain = Vain { hits: vec![0, 2, 5, 2, 1] };
        assert_eq!(vain.nearest(3, 1), [2, 1, 3]);
        assert_eq!(vain.nearest(9, 2), [2, 1, 3], "the others hit too rarely");
        assert_eq!(vain.nearest(9, 6), []);
    }
}
