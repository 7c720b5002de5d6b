//! The best throw from one waypoint at one target: candidates judged by their unsteady throws, each flown no further than it
//! takes to know that it is not the one.

use std::collections::HashMap;

use fireteam_terrain::WaypointId;
use fireteam_terrain::throws::{Stored, ThrowTable};
use fireteam_world::movement::Stance;
use fireteam_world::throwing::{Cell, DEVIATIONS, Demand, Flown, Hand, Range, Verdict, Volley};

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
    verdict: Verdict,
    own_hits: usize,
}

/// Unsteady throws from one waypoint, each flown once for all targets it is a candidate for.
#[derive(Default)]
pub(super) struct Volleys {
    known: HashMap<Stored, Volley>,
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

    /// The best of some throws; none if none is worth keeping.
    pub(super) fn best(
        &self,
        from: WaypointId,
        at: WaypointId,
        candidates: impl IntoIterator<Item = Candidate>,
        volleys: &mut Volleys,
    ) -> Option<Judged> {
        let (from, at) = (self.yard.cell(from), self.yard.cell(at));
        let mut best: Option<Judged> = None;
        let mut candidates = candidates.into_iter();
        for number in 0.. {
            if best.as_ref().is_some_and(|best| self.is_enough(best, number)) {
                break;
            }
            let Some(candidate) = candidates.next() else { break };
            let volley = volleys.known.entry(candidate.throw).or_insert_with(|| self.volley(&from, &candidate));
            let demand = self.demand(best.map(|best| best.verdict.score));
            let cell = in_stance(&from, &candidate.throw);
            if let Some(verdict) = volley.verdict(&self.range, &self.hand, &cell, &at, &demand) {
                let (throw, steady) = (candidate.throw, candidate.flown);
                best = Some(Judged { throw, steady, verdict, own_hits: volley.own_hits() });
            }
        }
        best
    }

    /// Whether the best of so many candidates need not be bettered.
    fn is_enough(&self, best: &Judged, judged: usize) -> bool {
        let ThrowSettings { candidates_min, enough, candidates_fair, fair, .. } = *self.settings;
        let (delivered, is_safe) = (best.verdict.delivered, best.own_hits == 0);
        is_safe && (judged >= candidates_min && delivered >= enough || judged >= candidates_fair && delivered >= fair)
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
