//! How often each rule was met in one match, and how long bots lived in it.

use std::collections::BTreeMap;

use fireteam::snapshot::{Phase, Snapshot};
use fireteam::{Bots, Command};
use fireteam_world::Vec3;
use fireteam_world::units::EntityId;

use super::glance::Frame;
use super::rules::{RULES, Rules};

/// Cases of each rule, and the time in which they could have happened.
#[derive(Debug, Default)]
pub(super) struct Tally {
    cases: [u32; RULES],
    alive_ms: i64,
    lives: BTreeMap<EntityId, Life>,
}

/// Somebody's life, or what follows one leap through a teleporter: neither track nor view goes on from before.
#[derive(Debug)]
struct Life {
    number: u32,
    place: Vec3,
    rules: Rules,
}

/// Nobody runs, falls or is thrown this far in a frame.
const LEAP: f32 = 250.0;

impl Tally {
    /// One frame: what was shown, those who thought about it, what they pressed, and how long their journal was before.
    pub(super) fn look(&mut self, snapshot: &Snapshot, bots: &Bots, commands: &[Command], written: u64) {
        let frame = Frame { snapshot, bots, commands, lines: bots.journal().since(written).collect() };
        for own in &snapshot.own {
            let is_up = !own.body.is_dead && snapshot.phase == Phase::Playing;
            let Some(glance) = is_up.then(|| frame.glance(own)).flatten() else {
                self.lives.remove(&own.entity);
                continue;
            };
            self.alive_ms += i64::from(snapshot.frame_ms);
            let goes_on = |life: &Life| life.number == own.life && life.place.distance(glance.origin) < LEAP;
            if self.lives.get(&own.entity).is_some_and(|life| !goes_on(life)) {
                self.lives.remove(&own.entity);
            }
            let fresh = || Life { number: own.life, place: glance.origin, rules: Rules::default() };
            let life = self.lives.entry(own.entity).or_insert_with(fresh);
            life.place = glance.origin;
            let met = life.rules.look(&glance);
            self.cases.iter_mut().zip(met).for_each(|(cases, met)| *cases += u32::from(met));
        }
    }

    /// What several matches come to.
    pub(super) fn of_all<'a>(all: impl Iterator<Item = &'a Tally>) -> Tally {
        let mut sum = Tally::default();
        for tally in all {
            sum.alive_ms += tally.alive_ms;
            sum.cases.iter_mut().zip(tally.cases).for_each(|(cases, more)| *cases += more);
        }
        sum
    }

    pub(super) fn hours(&self) -> f64 {
        self.alive_ms as f64 / 3_600_000.0
    }

    pub(super) fn cases(&self, rule: usize) -> u32 {
        self.cases[rule]
    }

    /// Cases in an hour of one bot's life.
    pub(super) fn rate(&self, rule: usize) -> f64 {
        f64::from(self.cases[rule]) / self.hours()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_several_matches_weigh_by_the_time_lived() {
        let tally = |cases: u32, minutes: i64| {
            let mut tally = Tally { alive_ms: minutes * 60_000, ..Tally::default() };
            tally.cases[8] = cases;
            tally
        };
        let both = [tally(10, 30), tally(0, 90)];
        assert_eq!((both[0].rate(8), Tally::of_all(both.iter()).rate(8)), (20.0, 5.0));
        assert_eq!((Tally::of_all(both.iter()).cases(8), Tally::of_all(both.iter()).hours()), (10, 2.0));
    }
}
