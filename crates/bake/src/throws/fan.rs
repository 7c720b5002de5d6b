//! A dense fan of throws from one place, flown once for all targets: every yaw, pitch and speed.
//!
//! Neighbours in the fan are each other's deviations: a target that a throw and those around it reach is reached surely.
//! Throws lie on the lattice of [`Stored`], so that what is judged is what will be kept. Where the fan is too coarse for a
//! target, [`Finer`](super::finer) looks between its throws.

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

/// A target reached by a throw of the fan, and how well: 255 is in the middle of the blast.
#[derive(Clone, Copy, Debug)]
struct Reached {
    target: WaypointId,
    throw: u32,
    nearness: u8,
}

/// A fan, flown.
pub(super) struct Fan {
    shape: Shape,
    flown: Vec<Flown>,
    hurts_thrower: Vec<bool>,
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

    /// A throw so many half steps beside another; none beyond straight up or down.
    pub(super) fn half_steps_beside(&self, throw: &Stored, yaw: i32, pitch: i32) -> Option<Stored> {
        let half = |step: usize| (step as i32 / 2).max(1);
        let yaw = (i32::from(throw.yaw) + yaw * half(self.yaw_step)).rem_euclid(i32::from(Stored::YAWS));
        let pitch = i32::from(throw.pitch) + pitch * half(self.pitch_step);
        let pitch = u8::try_from(pitch).ok().filter(|pitch| *pitch < Stored::PITCHES)?;
        Some(Stored { yaw: yaw as u16, pitch, ..*throw })
    }

    /// Whether two throws are alike but for a step of yaw and a step of pitch.
    fn is_beside(&self, one: usize, other: usize) -> bool {
        let ((yaw, pitch, speed), other) = (self.index(one), self.index(other));
        let apart = yaw.abs_diff(other.0);
        apart.min(self.yaws - apart) <= 1 && pitch.abs_diff(other.1) <= 1 && speed == other.2
    }
}

impl Fan {
    pub(super) fn fly(search: &Search, from: WaypointId, shape: Shape) -> Fan {
        let cell = search.yard.cell(from);
        let fly = |number: usize| search.candidate(&cell, shape.throw(number)).flown;
        let flown: Vec<Flown> = (0..shape.count()).map(fly).collect();
        let hurts = |flown: &Flown| search.may_hurt(flown, from);
        Fan { shape, hurts_thrower: flown.iter().map(hurts).collect(), flown }
    }

    /// The same fan where another scene lets some of its throws through: only those `changes` names are flown again, and only
    /// they are promising.
    pub(super) fn again(&self, search: &Search, from: WaypointId, changes: impl Fn(&Flown) -> bool) -> Option<Fan> {
        if !self.flown.iter().any(&changes) {
            return None;
        }
        let cell = search.yard.cell(from);
        let mut again = Fan { shape: self.shape, flown: self.flown.clone(), hurts_thrower: self.hurts_thrower.clone() };
        for (number, flown) in again.flown.iter_mut().enumerate() {
            if changes(flown) {
                *flown = search.candidate(&cell, self.shape.throw(number)).flown;
                again.hurts_thrower[number] = search.may_hurt(flown, from);
            } else {
                flown.explodes = false;
            }
        }
        Some(again)
    }

    /// Every target that is reached, with up to `count` throws at it, the most promising first.
    pub(super) fn promising(&self, search: &Search, count: usize, mut tell: impl FnMut(WaypointId, &[Candidate])) {
        let reached = self.reached(search);
        let mut nearness = vec![0_u8; self.flown.len()];
        let mut ranked: Vec<(u32, u32)> = Vec::new();
        for reached in reached.chunk_by(|a, b| a.target == b.target) {
            reached.iter().for_each(|one| nearness[one.throw as usize] = one.nearness);
            ranked.clear();
            ranked.extend(reached.iter().map(|one| (self.promise(one.throw as usize, &nearness), one.throw)));
            reached.iter().for_each(|one| nearness[one.throw as usize] = 0);
            tell(reached[0].target, &self.best_apart(search, reached[0].target, &mut ranked, count));
        }
    }

    /// Where to get rid of a live grenade: as few as possible are near where it goes off, and the thrower is not, however
    /// badly it is thrown; of such throws, the one that goes off furthest away.
    pub(super) fn disposals(&self, search: &Search, from: WaypointId, count: usize) -> Vec<Candidate> {
        let origin = search.yard.waypoints.origin[from.index()];
        let is_safe = |throw: &usize| {
            let all = self.shape.beside(*throw).into_iter().chain([*throw]);
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

    /// Who is reached by which throw, by target.
    fn reached(&self, search: &Search) -> Vec<Reached> {
        let mut all = Vec::new();
        let reach = search.reach();
        let useful = self.flown.iter().zip(&self.hurts_thrower).enumerate();
        for (number, (flown, _)) in useful.filter(|(_, (flown, hurts))| flown.explodes && !**hurts) {
            for &target in search.yard.around(flown.place).iter() {
                let distance = flown.place.distance(search.yard.waypoints.origin[target.index()]);
                let nearness = 1.0 - distance / reach;
                if nearness > 0.0 {
                    all.push(Reached { target, throw: number as u32, nearness: (nearness * 255.0) as u8 });
                }
            }
        }
        all.sort_unstable_by_key(|reached| (reached.target, reached.throw));
        all
    }

    /// How near it and those beside it go off, less for every plane more than one; little beside one that hurts the
    /// thrower.
    fn promise(&self, throw: usize, nearness: &[u8]) -> u32 {
        let beside = self.shape.beside(throw);
        if beside.iter().any(|&beside| self.hurts_thrower[beside]) {
            return u32::from(nearness[throw]);
        }
        let beside: u32 = beside.iter().map(|&beside| u32::from(nearness[beside])).sum();
        let planes = self.flown[throw].planes.clamp(1, 7);
        (u32::from(nearness[throw]) * 2 + beside) * (8 - planes)
    }

    /// The best ones that do not lie beside each other, of those that hit when thrown steadily.
    fn best_apart(&self, search: &Search, at: WaypointId, ranked: &mut [(u32, u32)], count: usize) -> Vec<Candidate> {
        let target = search.yard.cell(at).stand;
        // Whom a wall shelters from all that goes off near him is not asked for over and over.
        let mut asked = 0..2 * count;
        let hits = |throw: usize| search.range.points(self.flown[throw].place, &target, false) > 0;
        ranked.sort_unstable_by_key(|&(promise, throw)| (std::cmp::Reverse(promise), throw));
        let mut chosen: Vec<usize> = Vec::with_capacity(count);
        for throw in ranked.iter().map(|&(_, throw)| throw as usize) {
            if chosen.len() == count {
                break;
            }
            if chosen.iter().any(|&other| self.shape.is_beside(other, throw)) {
                continue;
            }
            if asked.next().is_none() {
                break;
            }
            if hits(throw) {
                chosen.push(throw);
            }
        }
        chosen.into_iter().map(|throw| self.candidate(throw)).collect()
    }

    fn candidate(&self, throw: usize) -> Candidate {
        Candidate { throw: self.shape.throw(throw), flown: self.flown[throw] }
    }
}
