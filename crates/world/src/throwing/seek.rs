//! A throw for one thrower and one target, found on the spot: from a guess that is nearly right, or from nothing.
//!
//! In: where both really are, and guesses if there are any. Out: the [`Aimed`] throw that hurts most when an unsteady hand
//! throws it, or none. [`Seeker::improve`] climbs from a guess; [`Seeker::seek`] makes its guesses by tossing straight at
//! the target and by a coarse fan towards it.
//!
//! Not here: the search for all targets at once (the bake), which has more time and looks at everything.
//! Cost: a value is [`TRIALS`] flights; improving takes up to [`ROUNDS`] * 4 of them, seeking a few hundred flights more.

use super::{Flown, Hand, Range, Stand};
use crate::flight::Throw;
use crate::maths;

/// Flights a throw is valued by: steady, and four ways off.
const TRIALS: usize = 5;
/// Rounds of climbing.
const ROUNDS: usize = 4;
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

    /// Finds a throw from nothing.
    pub fn seek(&self) -> Option<Aimed> {
        /// How many of the fan's throws are climbed from.
        const STARTS: usize = 6;
        let tossed = self.tosses().into_iter().flatten();
        let mut guesses: Vec<(f32, Throw)> =
            tossed.chain(self.fan()).map(|throw| (self.promise(&throw), throw)).collect();
        guesses.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best: Option<Aimed> = None;
        for (_, guess) in guesses.into_iter().take(STARTS) {
            let found = self.improve([guess]);
            best = match (best, found) {
                (Some(best), Some(found)) if found.worth() <= best.worth() => Some(best),
                (best, found) => found.or(best),
            };
            if best.is_some_and(|best| best.is_sure(self.range)) {
                break;
            }
        }
        best
    }

    /// Straight at the target's feet, by every speed, low and high.
    fn tosses(&self) -> Vec<Option<Throw>> {
        let thrower = self.range.thrower(&self.from);
        let feet = self.at.origin + glam::Vec3::Z * self.range.game.rules.movement.body.feet;
        self.range.throwable.speeds.iter().flat_map(|&speed| self.range.throwable.aims(&thrower, feet, speed)).collect()
    }

    /// A coarse fan towards the target.
    fn fan(&self) -> impl Iterator<Item = Throw> + '_ {
        const YAWS: i32 = 6;
        const YAW_STEP: f32 = 10.0;
        const PITCHES: i32 = 10;
        const PITCH_FIRST: f32 = -66.0;
        const PITCH_STEP: f32 = 10.0;
        let way = self.at.origin - self.from.origin;
        let ahead = maths::atan2(way.y, way.x).to_degrees();
        self.range.throwable.speeds.iter().flat_map(move |&speed| {
            (-YAWS..=YAWS).flat_map(move |yaw| {
                (0..PITCHES).map(move |pitch| Throw {
                    yaw: ahead + yaw as f32 * YAW_STEP,
                    pitch: PITCH_FIRST + pitch as f32 * PITCH_STEP,
                    speed,
                    cooked_ms: 0,
                })
            })
        })
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
