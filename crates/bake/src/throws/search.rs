//! The best throw from one waypoint at one target: candidates judged by their salvos, and the best improved if it is weak.
//!
//! Improving climbs: it turns a throw a step each way on the lattice, and goes on from whichever is better; crouching, and
//! holding the grenade back for a while, are tried too. The paper's genetic search has not been tried beside it yet.

use std::collections::HashMap;

use fireteam_terrain::WaypointId;
use fireteam_terrain::throws::{Stored, ThrowTable};
use fireteam_world::movement::Stance;
use fireteam_world::throwing::{Cell, Flown, Hand, Range, Salvo, Verdict};

use super::ThrowSettings;
use super::yard::Yard;

/// What stays the same for all throws of one scene.
pub(super) struct Search<'a> {
    pub(super) yard: &'a Yard<'a>,
    pub(super) range: Range<'a>,
    pub(super) hand: Hand,
    pub(super) settings: &'a ThrowSettings,
    /// Names the speeds; it holds no throws yet.
    pub(super) table: &'a ThrowTable,
}

/// A throw that was judged against a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) throw: Stored,
    pub(super) steady: Flown,
    pub(super) verdict: Verdict,
    pub(super) own_hits: usize,
}

/// Salvos from one waypoint, each flown once for all targets it is a candidate for.
#[derive(Default)]
pub(super) struct Salvos {
    known: HashMap<Stored, Salvo>,
}

impl Search<'_> {
    pub(super) fn steady(&self, from: &Cell<'_>, throw: &Stored) -> Flown {
        self.range.fly(&in_stance(from, throw).stand, &throw.throw(self.table))
    }

    /// Whether the one who threw it is near enough to be hurt, by a quick look.
    pub(super) fn may_hurt(&self, flown: &Flown, waypoint: WaypointId) -> bool {
        let origin = self.yard.waypoints.origin[waypoint.index()];
        let is_near = flown.place.distance_squared(origin) < self.range.blast.radius * self.range.blast.radius;
        is_near && self.yard.around(flown.place).contains(&waypoint)
    }

    /// The best of some throws, improved if need be; none if it is not worth keeping.
    pub(super) fn best(
        &self,
        from: WaypointId,
        at: WaypointId,
        candidates: &[Stored],
        salvos: &mut Salvos,
    ) -> Option<Judged> {
        let (from, at) = (self.yard.cell(from), self.yard.cell(at));
        let mut best: Option<Judged> = None;
        for (number, throw) in candidates.iter().enumerate() {
            let is_enough = |best: Judged| best.own_hits == 0 && best.verdict.delivered >= self.settings.enough;
            if number >= self.settings.candidates_min && best.is_some_and(is_enough) {
                break;
            }
            let salvo = salvos.known.entry(*throw).or_insert_with(|| self.salvo(&from, throw));
            keep_better(&mut best, self.judge(throw, salvo, &at));
        }
        let best = self.improved(&from, &at, best?);
        self.accepts(&best).then_some(best)
    }

    /// The first of some throws that never hurts the one who throws it.
    pub(super) fn safe(&self, from: WaypointId, throws: &[Stored]) -> Option<Stored> {
        let from = self.yard.cell(from);
        throws.iter().find(|throw| self.salvo(&from, throw).own_points == 0).copied()
    }

    fn salvo(&self, from: &Cell<'_>, throw: &Stored) -> Salvo {
        Salvo::fly(&self.range, &self.hand, &in_stance(from, throw), &throw.throw(self.table))
    }

    fn judge(&self, throw: &Stored, salvo: &Salvo, at: &Cell<'_>) -> Judged {
        let verdict = salvo.verdict(&self.range, at);
        Judged { throw: *throw, steady: salvo.steady, verdict, own_hits: salvo.own_hits() }
    }

    fn accepts(&self, judged: &Judged) -> bool {
        let Judged { verdict, own_hits, .. } = judged;
        *own_hits <= self.settings.own_hits_max
            && verdict.delivered >= self.settings.delivered_min
            && verdict.score >= self.settings.score_min
    }

    fn improved(&self, from: &Cell<'_>, at: &Cell<'_>, best: Judged) -> Judged {
        let is_weak = |best: &Judged| best.verdict.delivered < self.settings.sure;
        let mut best = Some(best);
        let mut step = self.settings.climb_step;
        for round in 0..self.settings.climbs {
            let Some(here) = best.filter(is_weak) else { break };
            if here.verdict.delivered < self.settings.hopeless {
                break;
            }
            let otherwise = if round == 0 { self.otherwise(from, &here.throw) } else { Vec::new() };
            for throw in turned(&here.throw, step).into_iter().flatten().chain(otherwise) {
                let salvo = self.salvo(from, &throw);
                keep_better(&mut best, self.judge(&throw, &salvo, at));
            }
            if best.is_some_and(|best| best.throw == here.throw) {
                step = (step / 2).max(1);
            }
        }
        best.expect("it began with one, and is only replaced by better ones")
    }

    /// The same direction, crouched, or with some of the fuse burnt in the hand.
    fn otherwise(&self, from: &Cell<'_>, throw: &Stored) -> Vec<Stored> {
        let crouched = Stored { is_crouched: true, ..*throw };
        let crouched = (from.stand.stance == Stance::Standing && !throw.is_crouched).then_some(crouched);
        let cookings = if self.range.throwable.can_cook { 1..Stored::COOKINGS } else { 0..0 };
        crouched.into_iter().chain(cookings.map(|cooking| Stored { cooking, ..*throw })).collect()
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

/// A step to the left, to the right, up and down.
fn turned(throw: &Stored, step: u16) -> [Option<Stored>; 4] {
    let yaw = |yaw: u16| Some(Stored { yaw: yaw % Stored::YAWS, ..*throw });
    let pitch = |pitch: i32| {
        let pitch = u8::try_from(pitch).ok().filter(|pitch| *pitch < Stored::PITCHES)?;
        Some(Stored { pitch, ..*throw })
    };
    let (here, turn) = (i32::from(throw.pitch), i32::from(step));
    [yaw(throw.yaw + step), yaw(throw.yaw + Stored::YAWS - step), pitch(here - turn), pitch(here + turn)]
}

fn keep_better(best: &mut Option<Judged>, judged: Judged) {
    if best.is_none_or(|best| judged.verdict.score > best.verdict.score) {
        *best = Some(judged);
    }
}
