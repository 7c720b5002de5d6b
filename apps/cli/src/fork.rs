//! The moment forked: both futures of a match, as it was and with something changed, over many seeds, and what differs.
//!
//! In: a moment (`fireteam_sim::fork`), a change, seconds and seeds. Out: [`Outcome`]s: how much of what was done in each, on
//! the average of all seeds, and the difference, each with the interval that holds the truth in 95 of 100 cases. Both
//! futures of a seed have the same chance at hand, so the difference is taken seed by seed.
//!
//! `fireteam replay FILE --fork-at SECONDS` prints it as a table; the viewer asks for it and shows both films.

use std::fmt::Write;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fireteam::snapshot::Team;
use fireteam_sim::fork::{BadChange, Change, Future, Moment};
use fireteam_sim::stats::{PlayerStats, Stats};
use fireteam_world::units::EntityId;
use serde::Serialize;

use crate::play::side;

/// Seconds that a future may last.
pub(crate) const SECONDS: std::ops::RangeInclusive<f64> = 1.0..=120.0;
/// Seeds that may be asked for; from two or fewer nothing can be said.
pub(crate) const SEEDS_MAX: u32 = 200;
pub(crate) const SEEDS_MIN: u32 = 3;

/// A mean over seeds, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Something that was counted in both futures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) as_was: Estimate,
    pub(crate) changed: Estimate,
    pub(crate) difference: Estimate,
}

/// Two moments that differ in what was changed.
pub(crate) struct Fork {
    pub(crate) as_was: Moment,
    pub(crate) changed: Moment,
    pub(crate) frames: u32,
    pub(crate) seeds: u32,
    ledger: Ledger,
}

/// What is counted.
#[derive(Clone, Debug)]
struct Ledger {
    teams: Vec<Team>,
    /// Of those whom the change is about, what becomes of them is told too.
    about: Vec<(EntityId, String)>,
}

impl Fork {
    /// From a moment on, for so many seconds.
    pub(crate) fn new(as_was: Moment, change: &Change, seconds: f64, seeds: u32) -> Result<Fork, BadChange> {
        let changed = as_was.changed(change)?;
        let is_about = |entity: EntityId| change.forbid.iter().any(|(bot, _)| *bot == Some(entity));
        let about = as_was.bots().filter(|(entity, _)| is_about(*entity));
        let about = about.map(|(entity, character)| (entity, character.name.clone())).collect();
        let mut teams: Vec<Team> = as_was.teams().collect();
        teams.sort_unstable();
        teams.dedup();
        let frames = as_was.frames_in(seconds);
        Ok(Fork { as_was, changed, frames, seeds, ledger: Ledger { teams, about } })
    }

    /// Plays both futures of every seed. `go_on` hears how many are done, and may end it; then there are no outcomes.
    pub(crate) fn outcomes(&self, threads: usize, go_on: impl Fn(usize) -> bool + Sync) -> Option<Vec<Outcome>> {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (seeds, frames, ledger) = (self.seeds as usize, self.frames, &self.ledger);
        let counted: Mutex<Vec<Option<[Vec<f64>; 2]>>> = Mutex::new(vec![None; seeds]);
        let is_wanted = || go_on(done.load(Ordering::Relaxed));
        let work = |moments: [Moment; 2]| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= seeds || !is_wanted() {
                    return;
                }
                let both = moments.each_ref().map(|moment| {
                    let future = moment.play(Some(number as u64 + 1), frames, |_, _, _| is_wanted());
                    done.fetch_add(1, Ordering::Relaxed);
                    ledger.count(&future)
                });
                counted.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(both);
            }
        };
        thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                // Minds belong to one thread each.
                let moments = [self.as_was.clone(), self.changed.clone()];
                let work = &work;
                scope.spawn(move || work(moments));
            }
        });
        if !go_on(done.load(Ordering::Relaxed)) {
            return None;
        }
        let counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
        let counted: Vec<[Vec<f64>; 2]> = counted.into_iter().flatten().collect();
        Some(ledger.names().into_iter().enumerate().map(|(column, name)| Outcome::of(name, column, &counted)).collect())
    }
}

impl Ledger {
    fn names(&self) -> Vec<String> {
        let of_sides = ["kills", "damage dealt", "alive at the end", "rounds won"];
        let sides: Vec<String> = self.teams.iter().map(|team| side(Some(*team))).collect();
        let sides = of_sides.iter().flat_map(|what| sides.iter().map(move |side| format!("{what}, {side}")));
        let of_bots = ["kills", "deaths", "damage dealt", "damage taken"];
        let bots = self.about.iter().flat_map(|(_, name)| of_bots.iter().map(move |what| format!("{what}, {name}")));
        sides.chain(["grenades thrown".to_owned()]).chain(bots).collect()
    }

    /// In the order of their names.
    fn count(&self, future: &Future) -> Vec<f64> {
        let Future { stats, before, alive } = future;
        let since = |count: &dyn Fn(&Stats) -> u32| f64::from(count(stats)) - f64::from(count(before));
        let of_side = |team: Team, part: fn(&PlayerStats) -> u32| {
            since(&|stats| stats.players.iter().filter(|player| player.team == team).map(part).sum())
        };
        let of_bot = |bot: EntityId, part: fn(&PlayerStats) -> u32| {
            since(&|stats| stats.players.iter().find(|player| player.player == bot).map_or(0, part))
        };
        let teams = &self.teams;
        let mut counted: Vec<f64> = Vec::new();
        counted.extend(teams.iter().map(|team| of_side(*team, |player| player.kills)));
        counted.extend(teams.iter().map(|team| of_side(*team, |player| player.damage_dealt)));
        let alive =
            |team: &Team| alive.iter().find(|(known, _)| known == team).map_or(0.0, |(_, count)| f64::from(*count));
        counted.extend(teams.iter().map(alive));
        let rounds = |team: Team, stats: &Stats| {
            stats.teams.iter().find(|known| known.team == team).map_or(0, |known| known.rounds)
        };
        counted.extend(teams.iter().map(|team| since(&|stats| rounds(*team, stats))));
        counted.push(since(&|stats| stats.players.iter().map(|player| player.throws).sum()));
        for (bot, _) in &self.about {
            let parts: [fn(&PlayerStats) -> u32; 4] =
                [|one| one.kills, |one| one.deaths, |one| one.damage_dealt, |one| one.damage_taken];
            counted.extend(parts.map(|part| of_bot(*bot, part)));
        }
        counted
    }
}

/// Threads for futures: one core is left to whatever is being played.
pub(crate) fn spare_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).saturating_sub(1).max(1)
}

impl Outcome {
    fn of(name: String, column: usize, counted: &[[Vec<f64>; 2]]) -> Outcome {
        let values = |which: usize| counted.iter().map(move |both| both[which][column]);
        let differences = counted.iter().map(|[as_was, changed]| changed[column] - as_was[column]);
        Outcome {
            name,
            as_was: Estimate::of(values(0)),
            changed: Estimate::of(values(1)),
            difference: Estimate::of(differences),
        }
    }

    /// More than chance would do.
    fn is_sure(&self) -> bool {
        self.difference.low > 0.0 || self.difference.high < 0.0
    }
}

impl Estimate {
    /// After Student, "The probable error of a mean", Biometrika, 1908.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Estimate {
        let count = values.clone().count() as f64;
        let mean = values.clone().sum::<f64>() / count.max(1.0);
        let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
        let reach =
            if count < 2.0 { f64::INFINITY } else { student(count - 1.0) * (squares / (count - 1.0) / count).sqrt() };
        Estimate { mean, low: mean - reach, high: mean + reach }
    }
}

/// Two-sided 95 % of Student's distribution: Abramowitz and Stegun, "Handbook of mathematical functions", 1964, 26.7.5.
/// Three per cent off at two degrees of freedom, nothing that shows from five on.
fn student(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    let [z3, z5, z7] = [3, 5, 7].map(|power| Z.powi(power));
    let terms = [
        (z3 + Z) / 4.0,
        (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / 96.0,
        (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / 384.0,
    ];
    terms.iter().zip(1..).fold(Z, |sum, (term, power)| sum + term / freedom.powi(power))
}

/// As people read it: what is more than chance is marked.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let shown = |estimate: &Estimate| format!("{:.2} [{:.2}, {:.2}]", estimate.mean, estimate.low, estimate.high);
    let width = outcomes.iter().map(|outcome| outcome.name.chars().count()).max().unwrap_or(0).max(7);
    let mut out = format!("{:<width$} {:>24} {:>24} {:>24}\n", "outcome", "as it was", "changed", "difference");
    for outcome in outcomes {
        let Outcome { name, as_was, changed, difference } = outcome;
        let [as_was, changed, difference] = [as_was, changed, difference].map(shown);
        let mark = if outcome.is_sure() { " *" } else { "" };
        // Memory takes everything.
        writeln!(out, "{name:<width$} {as_was:>24} {changed:>24} {difference:>24}{mark}").ok();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Student's t at 95 %, two-sided: 4.303, 2.571, 2.093, 1.972.
        for (freedom, table) in [(2.0, 4.303), (5.0, 2.571), (19.0, 2.093), (199.0, 1.972)] {
            let off = student(freedom) / table - 1.0;
            assert!(off.abs() < if freedom < 5.0 { 0.04 } else { 0.003 }, "{freedom}: {off}");
        }
        let of = Estimate::of([1.0, 2.0, 3.0, 4.0, 5.0].into_iter());
        // By hand: deviation 1.5811, error 0.7071, times 2.776.
        assert!((of.mean - 3.0).abs() < 1e-9 && (of.high - 4.963).abs() < 0.01, "{of:?}");
        let sure = Estimate::of([2.0; 9].into_iter());
        assert_eq!((sure.low, sure.high), (2.0, 2.0));
    }
}
