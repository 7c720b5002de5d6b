//! What the table misses: pairs for which brute force finds a good throw, and whether the table has one too.
//!
//! From a random waypoint a fan of 50 times the flights of a bake is flown, off the lattice that throws are kept on; for
//! random targets its best throws are each tried 64 times, with errors of hand, place and target. A pair is solvable if one of
//! them hurts in 70 % of the tries, and the thrower in at most one. Every pair of waypoints is as likely to be asked as any
//! other, but for those whose thrower swims. On the same pairs a throw is looked for from nothing, as a bot would have to
//! without a table.
//!
//! Nothing of the bake's own search is used, so that what it overlooks is not overlooked here too.

use std::time::Duration;

use anyhow::{Context, Result};
use fireteam_bake::ThrowSettings;
use fireteam_openarena::clock::timed;
use fireteam_terrain::{Cells, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::flight::Throw;
use fireteam_world::pcg::Pcg;
use fireteam_world::throwing::seek::Seeker;
use fireteam_world::throwing::{Hand, Range, Stand};

use super::super::Course;
use super::Ground;
use crate::still::{Still, stand_at};

const PAIRS: usize = 100;
const TIMES_THE_FLIGHTS: u32 = 50;
/// Targets that are asked for from one source, and most sources for a map on which little can be solved.
const TARGETS: usize = 32;
const SOURCES_MAX: usize = 100;
/// Throws at a target that are tried, and how often.
const CANDIDATES: usize = 16;
const TRIES: usize = 64;
const HURT_MIN: usize = TRIES * 7 / 10 + 1;
const OWN_MAX: usize = 1;

#[derive(Default)]
pub(super) struct Covered {
    pub(super) sources: usize,
    pub(super) asked: usize,
    /// Solvable ones, and how many of them the table has.
    pub(super) pairs: usize,
    pub(super) in_table: usize,
    /// Throws found from nothing: any, and those as good as brute force's must be.
    any: usize,
    good: usize,
    seeking: Duration,
}

impl Covered {
    pub(super) fn share(&self) -> f64 {
        self.in_table as f64 / self.pairs as f64
    }

    pub(super) fn any(&self) -> f64 {
        self.any as f64 / self.pairs as f64
    }

    pub(super) fn found(&self) -> f64 {
        self.good as f64 / self.pairs as f64
    }

    pub(super) fn mean_ms(&self) -> f64 {
        self.seeking.as_secs_f64() * 1000.0 / self.pairs as f64
    }
}

pub(super) fn look(course: &Course, ground: &Ground) -> Result<Covered> {
    let Ground { map, solids, game, terrain, .. } = ground;
    let still = Still::of(map, game, solids, &terrain.movers, &[]);
    let throwable = ground.throwable();
    let range = Range::of(game, throwable, still.air(solids)).context("a grenade explodes")?;
    let hand = Hand::of(throwable);
    let (cells, fan) = (terrain.cells(), Fan::of(&throwable.speeds));
    let trial = Trial { range: &range, hand: &hand, cells: &cells };
    let mut chance = Pcg::named(course.seed, "coverage");
    let mut covered = Covered::default();
    let sources: Vec<WaypointId> = terrain.waypoints.ids().filter(|id| ground.throws_from(*id)).collect();
    while !sources.is_empty() && covered.pairs < course.count(PAIRS) && covered.sources < SOURCES_MAX {
        let from = *chance.pick(&sources);
        let thrower = stand_at(terrain, from);
        let flights = fan.fly(&range, &thrower);
        covered.sources += 1;
        for _ in 0..TARGETS {
            let at = WaypointId::from(chance.below(terrain.waypoints.len()));
            covered.asked += usize::from(at != from);
            let target = stand_at(terrain, at);
            let candidates = || fan.best(&range, &hand, &flights, &target);
            if at == from
                || !candidates().iter().any(|throw| trial.is_good(throw, (from, thrower), (at, target), &mut chance))
            {
                continue;
            }
            covered.pairs += 1;
            covered.in_table += usize::from(ground.table().get(from, at, |_| false).is_some());
            let seeker = Seeker { range: &range, hand: &hand, from: thrower, at: target };
            let (found, time) = timed(|| seeker.seek());
            covered.seeking += time;
            covered.any += usize::from(found.is_some());
            let is_good = |throw: &Throw| trial.is_good_here(throw, &thrower, &target, &mut chance.clone());
            covered.good += usize::from(found.is_some_and(|found| is_good(&found.throw)));
        }
    }
    Ok(covered)
}

/// Every direction a player can throw in, at every speed.
struct Fan<'a> {
    speeds: &'a [f32],
    degrees: f32,
    yaws: usize,
    pitches: usize,
}

/// Where a throw of the fan goes off; none if that is of no use, or hurts the thrower.
type Flight = Option<Vec3>;

impl Fan<'_> {
    const PITCH_FIRST: f32 = -85.0;
    const PITCH_LAST: f32 = 60.0;

    fn of(speeds: &[f32]) -> Fan<'_> {
        let flights = (ThrowSettings::default().flights * TIMES_THE_FLIGHTS) as f32 / speeds.len() as f32;
        let degrees = (360.0 * (Fan::PITCH_LAST - Fan::PITCH_FIRST) / flights).sqrt();
        let pitches = ((Fan::PITCH_LAST - Fan::PITCH_FIRST) / degrees) as usize;
        Fan { speeds, degrees, yaws: (360.0 / degrees) as usize, pitches }
    }

    fn throw(&self, number: usize) -> Throw {
        let (yaw, rest) = (number % self.yaws, number / self.yaws);
        Throw {
            yaw: yaw as f32 * 360.0 / self.yaws as f32,
            pitch: Fan::PITCH_FIRST + (rest % self.pitches) as f32 * self.degrees,
            speed: self.speeds[rest / self.pitches],
            cooked_ms: 0,
        }
    }

    fn fly(&self, range: &Range<'_>, from: &Stand) -> Vec<Flight> {
        let fly = |number: usize| {
            let flown = range.fly(from, &self.throw(number));
            let is_safe = flown.explodes && range.points(flown.place, from, true) == 0;
            is_safe.then_some(flown.place)
        };
        (0..self.yaws * self.pitches * self.speeds.len()).map(fly).collect()
    }

    /// The throws that hurt a target most, each with those that lie within a hand's error of it; no two within that error.
    fn best(&self, range: &Range<'_>, hand: &Hand, flights: &[Flight], at: &Stand) -> Vec<Throw> {
        let mut points = vec![0_u8; flights.len()];
        for (points, place) in points.iter_mut().zip(flights) {
            if let Some(place) = place {
                *points = range.points(*place, at, false).clamp(0, 255) as u8;
            }
        }
        let reach = (hand.degrees / self.degrees).round().max(1.0) as isize;
        let hurting = points.iter().enumerate().filter(|(_, points)| **points > 0);
        let mut ranked: Vec<(u32, usize)> =
            hurting.map(|(number, _)| (self.sum_around(&points, number, reach), number)).collect();
        ranked.sort_by_key(|&(sum, number)| (std::cmp::Reverse(sum), number));
        let mut chosen: Vec<usize> = Vec::with_capacity(CANDIDATES);
        for (_, number) in ranked {
            if chosen.len() == CANDIDATES {
                break;
            }
            if !chosen.iter().any(|other| self.are_near(*other, number, reach)) {
                chosen.push(number);
            }
        }
        chosen.into_iter().map(|number| self.throw(number)).collect()
    }

    fn sum_around(&self, points: &[u8], number: usize, reach: isize) -> u32 {
        let (yaw, rest) = (number % self.yaws, number / self.yaws);
        let (pitch, speed) = (rest % self.pitches, rest / self.pitches);
        let mut sum = 0;
        for pitch in (pitch as isize - reach).max(0)..=(pitch as isize + reach).min(self.pitches as isize - 1) {
            let row = (speed * self.pitches + pitch as usize) * self.yaws;
            for yaw in yaw as isize - reach..=yaw as isize + reach {
                sum += u32::from(points[row + yaw.rem_euclid(self.yaws as isize) as usize]);
            }
        }
        sum
    }

    fn are_near(&self, one: usize, other: usize, reach: isize) -> bool {
        let yaws = (one % self.yaws).abs_diff(other % self.yaws);
        let (one, other) = (one / self.yaws, other / self.yaws);
        let is_same_speed = one / self.pitches == other / self.pitches;
        let pitches = (one % self.pitches).abs_diff(other % self.pitches);
        is_same_speed && yaws.min(self.yaws - yaws).max(pitches) <= reach as usize
    }
}

/// What throws are tried with.
struct Trial<'a> {
    range: &'a Range<'a>,
    hand: &'a Hand,
    cells: &'a Cells,
}

impl Trial<'_> {
    /// Whether a throw is good from all over one cell at all over another, aimed for the same spot from everywhere.
    fn is_good(
        &self,
        throw: &Throw,
        (from, thrower): (WaypointId, Stand),
        (at, target): (WaypointId, Stand),
        chance: &mut Pcg,
    ) -> bool {
        let steady = self.range.fly(&thrower, throw);
        self.holds(|| {
            let thrower = Stand { origin: *chance.pick(self.cells.of_waypoint(from)), ..thrower };
            let target = Stand { origin: *chance.pick(self.cells.of_waypoint(at)), ..target };
            let is_aimed = steady.bounces > 0;
            let aimed = if is_aimed { self.range.aimed_again(&thrower, throw, steady.first) } else { *throw };
            (thrower, target, self.hand.unsteady(&aimed, chance))
        })
    }

    /// The same where both are known to stand.
    fn is_good_here(&self, throw: &Throw, from: &Stand, at: &Stand, chance: &mut Pcg) -> bool {
        self.holds(|| (*from, *at, self.hand.unsteady(throw, chance)))
    }

    /// Tries until it is known.
    fn holds(&self, mut next: impl FnMut() -> (Stand, Stand, Throw)) -> bool {
        let (mut hurt, mut own) = (0, 0);
        for tried in 0..TRIES {
            if hurt + (TRIES - tried) < HURT_MIN || own > OWN_MAX {
                return false;
            }
            let (from, at, throw) = next();
            let flown = self.range.fly(&from, &throw);
            if flown.explodes {
                hurt += usize::from(self.range.points(flown.place, &at, false) > 0);
                own += usize::from(self.range.points(flown.place, &from, true) > 0);
            }
        }
        hurt >= HURT_MIN && own <= OWN_MAX
    }
}
