//! A throw for one thrower and one target, found on the spot: from a guess that is nearly right, or from nothing.
//!
//! In: where both really are, and guesses if there are any. Out: the [`Aimed`] throw that hurts most when an unsteady hand
//! throws it, or none. [`Seeker::improve`] climbs from a guess; [`Seeker::seek`] makes its guesses by tossing straight at
//! the target and by a coarse fan towards it.
//!
//! Not here: the search for all targets at once (the bake), which has more time and looks at everything.
//! Cost: a value is [`TRIALS`] flights; improving takes up to [`ROUNDS`] * 4 of them, seeking some hundreds of flights where there is
//! a throw, and over a thousand to know that there is none.

use glam::Vec3;

use super::{Flown, Hand, Range, Stand};
use crate::flight::Throw;
use crate::maths;
use crate::pcg::Pcg;

/// Flights a throw is valued by: steady, and four ways off.
const TRIALS: usize = 5;
/// Rounds of climbing.
const ROUNDS: usize = 4;
/// The fan from nothing is flown in parts, until one of them leads to a good throw; of how many throws a part is, how many of
/// them are followed up, and by how many degrees those are turned.
const PARTS: usize = 6;
const PART: usize = 160;
const STARTS: usize = 6;
/// Of those, how many are improved with an unsteady hand: each takes as many flights as all turning together.
const IMPROVED: usize = 4;
/// After so many parts that found nothing at all, there is nothing.
const PARTS_BLIND: usize = 4;
const STEPS: [f32; 3] = [4.0, 2.0, 1.0];
/// Throws that prove one, and how many of them may miss.
const PROOFS: usize = 20;
const MISSES_FEW: usize = 4;
/// What hurting oneself counts, in points of damage.
const OWN_HARM: f32 = 200.0;

/// A throw that was found, and what it is expected to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aimed {
    pub throw: Throw,
    /// The steady flight.
    pub flown: Flown,
    /// Points it costs the target on average, the hand's errors included.
    pub points: f32,
    /// Share of the trials that hurt the target.
    pub delivered: f32,
    pub hurts_thrower: bool,
}

/// A throw, and how often it missed when it was thrown again and again.
#[derive(Clone, Copy, Debug)]
struct Proved {
    misses: usize,
    aimed: Aimed,
}

/// Who throws at whom.
#[derive(Clone, Copy, Debug)]
pub struct Seeker<'a> {
    pub range: &'a Range<'a>,
    pub hand: &'a Hand,
    pub from: Stand,
    pub at: Stand,
}

impl Seeker<'_> {
    /// What a throw is worth.
    pub fn value(&self, throw: &Throw) -> Aimed {
        /// Of the hand's error; its corners are rare.
        const OFF: f32 = 0.7;
        let flown = self.range.fly(&self.from, throw);
        let mut aimed = Aimed { throw: *throw, flown, points: 0.0, delivered: 0.0, hurts_thrower: false };
        self.count(&mut aimed, &flown);
        for (yaw, pitch, speed) in [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)] {
            let off = Throw {
                yaw: throw.yaw + yaw * OFF * self.hand.degrees,
                pitch: throw.pitch + pitch * OFF * self.hand.degrees,
                speed: throw.speed + speed * OFF * self.hand.speed,
                ..*throw
            };
            self.count(&mut aimed, &self.range.fly(&self.from, &off));
        }
        aimed
    }

    fn count(&self, aimed: &mut Aimed, flown: &Flown) {
        let points = self.range.points_of(flown, &self.at, false);
        aimed.points += points as f32 / TRIALS as f32;
        aimed.delivered += f32::from(u8::from(points > 0)) / TRIALS as f32;
        aimed.hurts_thrower |= self.range.points_of(flown, &self.from, true) > 0;
    }

    /// Climbs from the best guess: turns it a little each way, goes on from whichever is best, and then turns it less.
    pub fn improve(&self, guesses: impl IntoIterator<Item = Throw>) -> Option<Aimed> {
        /// How far it is turned in the first round, in degrees.
        const STEP: f32 = 2.0;
        let values = guesses.into_iter().map(|guess| self.value(&guess));
        let mut best = values.max_by(|a, b| a.worth().total_cmp(&b.worth()))?;
        let mut step = STEP;
        for _ in 0..ROUNDS {
            if best.is_sure(self.range) {
                break;
            }
            let here = best.throw;
            let before = best.worth();
            for (yaw, pitch) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
                let throw = Throw { yaw: here.yaw + yaw * step, pitch: here.pitch + pitch * step, ..here };
                let value = self.value(&throw);
                if value.worth() > best.worth() {
                    best = value;
                }
            }
            if best.worth() == before {
                step *= 0.5;
            }
        }
        Some(best).filter(|best| best.delivered > 0.0 && !best.hurts_thrower)
    }

    /// Finds a throw from nothing: the best of what a fan and its improvements come to, proved by throwing it again and again.
    pub fn seek(&self) -> Option<Aimed> {
        let tossed = self.tosses().into_iter().flatten().map(|throw| self.value(&throw));
        let is_good = |toss: &Aimed| toss.is_sure(self.range) && self.misses(&toss.throw, MISSES_FEW) <= MISSES_FEW;
        if let Some(toss) = tossed.into_iter().find(is_good) {
            return Some(toss);
        }
        let mut fan = self.fan();
        let mut best: Option<Proved> = None;
        for part in 1..=PARTS {
            let mut guesses: Vec<(f32, Throw)> = Vec::with_capacity(PART);
            guesses.extend(fan.by_ref().take(PART).map(|throw| (self.promise(&throw), throw)));
            keep_best(&mut guesses, STARTS);
            guesses.iter_mut().for_each(|guess| self.approach(guess));
            keep_best(&mut guesses, IMPROVED);
            // What hurts nobody there leads nowhere.
            for (_, guess) in guesses.into_iter().filter(|(promise, _)| *promise > 0.0) {
                best = self.better(best, guess);
                if best.is_some_and(|best| best.misses <= MISSES_FEW) {
                    return best.map(|best| best.aimed);
                }
            }
            if part == PARTS_BLIND && best.is_none() {
                break;
            }
        }
        best.map(|best| best.aimed)
    }

    /// What a guess can be improved to, if that misses less often than the best so far.
    fn better(&self, best: Option<Proved>, guess: Throw) -> Option<Proved> {
        let Some(aimed) = self.improve([guess]) else { return best };
        let misses = self.misses(&aimed.throw, best.map_or(PROOFS, |best| best.misses));
        if best.is_none_or(|best| misses < best.misses) { Some(Proved { misses, aimed }) } else { best }
    }

    /// Turns a throw towards where a steady hand does better, in smaller and smaller steps.
    fn approach(&self, guess: &mut (f32, Throw)) {
        for step in STEPS {
            let here = guess.1;
            for (yaw, pitch) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
                let throw = Throw { yaw: here.yaw + yaw * step, pitch: here.pitch + pitch * step, ..here };
                let promise = self.promise(&throw);
                if promise > guess.0 {
                    *guess = (promise, throw);
                }
            }
        }
    }

    /// Thrown many times, how often it does not hurt the target, or hurts the thrower; not counted beyond `enough`.
    fn misses(&self, throw: &Throw, enough: usize) -> usize {
        let mut chance = Pcg::new(1, PROOFS as u64);
        let mut misses = 0;
        for _ in 0..PROOFS {
            let flown = self.range.fly(&self.from, &self.hand.unsteady(throw, &mut chance));
            let is_hit = self.range.points_of(&flown, &self.at, false) > 0;
            let hurts_thrower = self.range.points_of(&flown, &self.from, true) > 0;
            // Once is as bad as missing every third time.
            misses += if hurts_thrower { PROOFS / 3 } else { usize::from(!is_hit) };
            if misses > enough {
                break;
            }
        }
        misses
    }

    /// Straight at the target's feet, by every speed, low and high.
    fn tosses(&self) -> Vec<Option<Throw>> {
        let thrower = self.range.thrower(&self.from);
        let feet = self.at.origin + Vec3::Z * self.range.game.rules.movement.body.feet;
        self.range.throwable.speeds.iter().flat_map(|&speed| self.range.throwable.aims(&thrower, feet, speed)).collect()
    }

    /// A coarse fan all round, denser towards the target: over yaw, pitch and speed as even as few throws can be.
    fn fan(&self) -> impl Iterator<Item = Throw> + '_ {
        /// Steps whose multiples fill a cube evenly: powers of the root of x^4 = x + 1.
        const EVEN: [f32; 3] = [0.819_172_5, 0.671_043_6, 0.549_700_5];
        const PITCHES: [f32; 2] = [-75.0, 40.0];
        let way = self.at.origin - self.from.origin;
        let ahead = maths::atan2(way.y, way.x).to_degrees();
        let speeds = self.speeds(way);
        (1..=PARTS * PART).map(move |number| {
            let [yaw, pitch, speed] = EVEN.map(|step| (number as f32 * step).fract());
            // Half of them within 45 degrees of the target.
            let aside = 2.0 * yaw - 1.0;
            Throw {
                yaw: ahead + 180.0 * aside * aside.abs(),
                pitch: PITCHES[0] + pitch * (PITCHES[1] - PITCHES[0]),
                speed: speeds[((speed * speeds.len() as f32) as usize).min(speeds.len() - 1)],
                cooked_ms: 0,
            }
        })
    }

    /// Those fast enough to come most of the way in one arc; all if none is.
    fn speeds(&self, way: Vec3) -> Vec<f32> {
        const MOST: f32 = 0.6;
        let thrower = self.range.thrower(&self.from);
        let spot = self.from.origin + way * MOST;
        let all = &self.range.throwable.speeds;
        let reaches =
            |speed: &f32| self.range.throwable.aims(&thrower, spot, *speed).into_iter().flatten().next().is_some();
        let fast: Vec<f32> = all.iter().copied().filter(reaches).collect();
        if fast.is_empty() { all.clone() } else { fast }
    }

    /// How a steady throw looks: by what it does, else by how near it goes off.
    fn promise(&self, throw: &Throw) -> f32 {
        let flown = self.range.fly(&self.from, throw);
        if !flown.explodes || self.range.points_of(&flown, &self.from, true) > 0 {
            return f32::NEG_INFINITY;
        }
        let points = self.range.points_of(&flown, &self.at, false) as f32;
        points - flown.place.distance(self.at.origin) / self.range.blast.radius - flown.planes as f32
    }
}

/// The most promising of some throws, in order.
fn keep_best(guesses: &mut Vec<(f32, Throw)>, count: usize) {
    guesses.sort_by(|a, b| b.0.total_cmp(&a.0));
    guesses.truncate(count);
}

impl Aimed {
    fn worth(&self) -> f32 {
        self.points + self.delivered - if self.hurts_thrower { OWN_HARM } else { 0.0 }
    }

    /// Good enough to stop looking: it hurts whatever the hand does, and by more than half of what it could.
    fn is_sure(&self, range: &Range<'_>) -> bool {
        let full = range.blast.damage.min(range.game.rules.health.spawn) as f32;
        self.delivered >= 1.0 && self.points > full * 0.6 && !self.hurts_thrower
    }
}
