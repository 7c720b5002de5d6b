//! A dense fan of throws from one place, flown once for all targets: every yaw, pitch and speed.
//!
//! Neighbours in the fan are each other's deviations: a target that a throw and those around it reach is reached surely.
//! Throws lie on the lattice of [`Stored`], so that what is judged is what will be kept. Where four neighbours part, the
//! throw in the middle of them is flown too; where that is still too coarse for a target, [`Finer`](super::finer) looks
//! between them.

use fireteam_terrain::WaypointId;
use fireteam_terrain::throws::Stored;
use fireteam_world::throwing::Flown;

use super::search::{Candidate, Search};

/// The grid of a fan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// In steps of the lattice.
    yaw_step: usize,
    pitch_step: usize,
    yaws: usize,
    pitches: usize,
    speeds: usize,
    is_crouched: bool,
}

/// A throw of the grid twice as fine as a fan's, in half steps: the fan's own throws are even, the middles of its squares odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Half {
    yaw: u16,
    pitch: u16,
    speed: u16,
}

/// A fan, flown. Throws are known by their numbers: those of the grid, then the middles of its squares.
#[derive(Clone)]
pub(super) struct Fan {
    pub(super) shape: Shape,
    /// Squares of the grid that have a throw in the middle, by the throw they begin at.
    squares: Vec<u32>,
    /// Where each throw is on a grid twice as fine.
    halves: Vec<Half>,
    pub(super) flown: Vec<Flown>,
    pub(super) hurts_thrower: Vec<bool>,
}

impl Shape {
    /// About so many flights, as far apart in yaw as in pitch.
    pub(super) fn of(flights: u32, speeds: usize, is_crouched: bool) -> Shape {
        let (yaws, pitches) = (usize::from(Stored::YAWS), usize::from(Stored::PITCHES));
        let directions = Stored::YAW_STEP * Stored::PITCH_STEP * (yaws * pitches * speeds) as f32;
        let degrees = (directions / flights.max(1) as f32).sqrt();
        let step =
            |degrees_per_step: f32, count: usize| ((degrees / degrees_per_step).round() as usize).clamp(1, count / 4);
        let (yaw_step, pitch_step) = (step(Stored::YAW_STEP, yaws), step(Stored::PITCH_STEP, pitches));
        let (yaws, pitches) = (yaws.div_ceil(yaw_step), pitches.div_ceil(pitch_step));
        Shape { yaw_step, pitch_step, yaws, pitches, speeds, is_crouched }
    }

    fn count(&self) -> usize {
        self.yaws * self.pitches * self.speeds
    }

    fn index(&self, throw: usize) -> (usize, usize, usize) {
        let (yaw, rest) = (throw % self.yaws, throw / self.yaws);
        (yaw, rest % self.pitches, rest / self.pitches)
    }

    pub(super) fn throw(&self, throw: usize) -> Stored {
        let (yaw, pitch, speed) = self.index(throw);
        Stored {
            yaw: (yaw * self.yaw_step) as u16,
            pitch: (pitch * self.pitch_step) as u8,
            speed: speed as u8,
            is_crouched: self.is_crouched,
            ..Stored::default()
        }
    }

    /// The throws beside this one: to the left and to the right, above and below.
    fn beside(&self, throw: usize) -> [usize; 4] {
        let (yaw, pitch, _) = self.index(throw);
        let left = if yaw + 1 == self.yaws { throw + 1 - self.yaws } else { throw + 1 };
        let right = if yaw == 0 { throw + self.yaws - 1 } else { throw - 1 };
        let above = if pitch == 0 { throw } else { throw - self.yaws };
        let below = if pitch + 1 == self.pitches { throw } else { throw + self.yaws };
        [left, right, above, below]
    }

    /// A throw so many half steps beside another; none beyond the first and the last pitch.
    pub(super) fn beside_half(&self, half: Half, yaw: i32, pitch: i32) -> Option<Half> {
        let yaws = 2 * self.yaws as i32;
        let pitch = u16::try_from(i32::from(half.pitch) + pitch).ok()?;
        let beside = Half { yaw: (i32::from(half.yaw) + yaw).rem_euclid(yaws) as u16, pitch, ..half };
        (half_way(self.pitch_step, pitch) < usize::from(Stored::PITCHES)).then_some(beside)
    }

    pub(super) fn throw_of_half(&self, half: Half) -> Stored {
        Stored {
            yaw: half_way(self.yaw_step, half.yaw) as u16 % Stored::YAWS,
            pitch: half_way(self.pitch_step, half.pitch) as u8,
            speed: half.speed as u8,
            is_crouched: self.is_crouched,
            ..Stored::default()
        }
    }

    /// A number for every half step, from 0; and how many there are.
    pub(super) fn number_of_half(&self, half: Half) -> usize {
        let (yaw, pitch, speed) = (usize::from(half.yaw), usize::from(half.pitch), usize::from(half.speed));
        (speed * 2 * self.pitches + pitch) * 2 * self.yaws + yaw
    }

    pub(super) fn halves(&self) -> usize {
        4 * self.count()
    }

    /// The corners of the square that begins at a throw: it, left of it, and below both. None below the lowest.
    fn corners(&self, throw: usize) -> Option<[usize; 4]> {
        let [left, _, _, below] = self.beside(throw);
        (below != throw).then(|| [throw, left, below, self.beside(left)[3]])
    }

    /// Where a throw of the grid, or one half a step each way from it, is on a grid twice as fine.
    fn half(&self, throw: usize, aside: u16) -> Half {
        let (yaw, pitch, speed) = self.index(throw);
        Half { yaw: 2 * yaw as u16 + aside, pitch: 2 * pitch as u16 + aside, speed: speed as u16 }
    }

    /// The throw in the middle of a square.
    fn middle(&self, square: u32) -> Stored {
        let Stored { yaw, pitch, .. } = self.throw(square as usize);
        let (yaw, pitch) = (yaw + (self.yaw_step / 2) as u16, pitch + (self.pitch_step / 2) as u8);
        Stored { yaw: yaw % Stored::YAWS, pitch: pitch.min(Stored::PITCHES - 1), ..self.throw(square as usize) }
    }
}

/// So many half steps, in steps of the lattice.
fn half_way(step: usize, halves: u16) -> usize {
    usize::from(halves / 2) * step + usize::from(halves % 2) * (step / 2)
}

impl Fan {
    pub(super) fn fly(search: &Search, from: WaypointId, shape: Shape) -> Fan {
        let cell = search.yard.cell(from);
        let fly = |throw: Stored| search.candidate(&cell, throw).flown;
        let mut flown: Vec<Flown> = (0..shape.count()).map(|number| fly(shape.throw(number))).collect();
        let parted = search.reach() * search.settings.parted;
        let is_parted = |square: &u32| {
            shape
                .corners(*square as usize)
                .is_some_and(|corners| do_part(&corners.map(|corner| &flown[corner]), parted))
        };
        let squares: Vec<u32> = (0..shape.count() as u32).filter(is_parted).collect();
        flown.extend(squares.iter().map(|square| fly(shape.middle(*square))));
        let hurts = |flown: &Flown| search.may_hurt(flown, from);
        let of_grid = (0..shape.count()).map(|throw| shape.half(throw, 0));
        let halves = of_grid.chain(squares.iter().map(|square| shape.half(*square as usize, 1))).collect();
        Fan { shape, hurts_thrower: flown.iter().map(hurts).collect(), squares, halves, flown }
    }

    /// The square that a throw is in the middle of; none for one of the grid.
    fn square(&self, throw: usize) -> Option<u32> {
        throw.checked_sub(self.shape.count()).map(|number| self.squares[number])
    }

    fn throw(&self, throw: usize) -> Stored {
        self.square(throw).map_or_else(|| self.shape.throw(throw), |square| self.shape.middle(square))
    }

    /// The four throws of the grid around one.
    pub(super) fn beside(&self, throw: usize) -> [usize; 4] {
        let corners = self.square(throw).and_then(|square| self.shape.corners(square as usize));
        corners.unwrap_or_else(|| self.shape.beside(throw))
    }

    /// Whether two throws are alike but for a step of yaw and a step of pitch.
    pub(super) fn is_beside(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.half(one), self.half(other));
        let apart = usize::from(one.yaw.abs_diff(other.yaw));
        apart.min(2 * self.shape.yaws - apart) <= 2 && one.pitch.abs_diff(other.pitch) <= 2 && one.speed == other.speed
    }

    /// Where a throw is on a grid twice as fine.
    pub(super) fn half(&self, throw: usize) -> Half {
        self.halves[throw]
    }

    /// The same fan where another scene lets some of its throws through: only those `changes` names are flown again, and only
    /// they are promising.
    pub(super) fn again(&self, search: &Search, from: WaypointId, changes: impl Fn(&Flown) -> bool) -> Option<Fan> {
        if !self.flown.iter().any(&changes) {
            return None;
        }
        let cell = search.yard.cell(from);
        let mut again = self.clone();
        for (number, flown) in again.flown.iter_mut().enumerate() {
            if changes(flown) {
                *flown = search.candidate(&cell, self.throw(number)).flown;
                again.hurts_thrower[number] = search.may_hurt(flown, from);
            } else {
                flown.explodes = false;
            }
        }
        Some(again)
    }

    /// Where to get rid of a live grenade: as few as possible are near where it goes off, and the thrower is not, however
    /// badly it is thrown; of such throws, the one that goes off furthest away.
    pub(super) fn disposals(&self, search: &Search, from: WaypointId, count: usize) -> Vec<Candidate> {
        let origin = search.yard.waypoints.origin[from.index()];
        let is_safe = |throw: &usize| {
            let all = self.beside(*throw).into_iter().chain([*throw]);
            all.into_iter().all(|throw| !self.hurts_thrower[throw])
        };
        let rank = |throw: usize| {
            let flown = &self.flown[throw];
            let near = if flown.explodes { search.yard.around(flown.place).len() } else { 0 };
            (near, u32::MAX - flown.place.distance(origin) as u32, throw)
        };
        let mut safe: Vec<_> = (0..self.flown.len()).filter(is_safe).map(rank).collect();
        safe.sort_unstable();
        safe.into_iter().take(count).map(|(.., throw)| self.candidate(throw)).collect()
    }

    pub(super) fn candidate(&self, throw: usize) -> Candidate {
        Candidate { throw: self.throw(throw), flown: self.flown[throw] }
    }
}

/// Whether throws go off further apart than this, so that one between them may go anywhere. Those that never go off, by a
/// fall into a pit, say nothing.
fn do_part(throws: &[&Flown; 4], parted: f32) -> bool {
    let is_apart = |other: &&Flown| other.place.distance_squared(throws[0].place) > parted * parted;
    throws.iter().any(is_apart) && throws.iter().any(|throw| throw.explodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_steps_name_every_throw_of_a_fan_and_none_twice() {
        for speeds in [1, 3] {
            let shape = Shape::of(3750, speeds, false);
            let mut known = vec![false; shape.halves()];
            for throw in 0..shape.count() {
                let middle = shape.corners(throw).map(|_| (shape.half(throw, 1), shape.middle(throw as u32)));
                for (half, expected) in [(shape.half(throw, 0), shape.throw(throw))].into_iter().chain(middle) {
                    assert_eq!(shape.throw_of_half(half), expected, "{half:?}");
                    assert!(!std::mem::replace(&mut known[shape.number_of_half(half)], true), "{half:?}");
                }
            }
        }
    }

    #[test]
    fn two_half_steps_lead_to_the_next_throw_of_a_fan() {
        let shape = Shape::of(3750, 3, false);
        for throw in 0..shape.count() {
            let half = shape.half(throw, 0);
            let [left, right, _, below] = shape.beside(throw).map(|beside| Some(shape.half(beside, 0)));
            assert_eq!([shape.beside_half(half, 2, 0), shape.beside_half(half, -2, 0)], [left, right]);
            assert_eq!(shape.beside_half(half, 0, 2), below.filter(|below| *below != half), "none below the lowest");
        }
    }
}
