//! How long it takes from anywhere to anywhere, and the landmarks that help a path search to guess it.
//!
//! [`TravelTimes`] has a byte for each pair of waypoints, for whoever compares many places (positions, throws, beliefs).
//! [`Landmarks`] have exact times from and to a few waypoints only; by the triangle inequality they bound the time
//! between any two. After A. Goldberg, C. Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005,
//! with landmarks chosen as far from each other as can be (their "farthest").
//!
//! Both follow from the links alone. Why the bytes are kept in the file and not computed when it is opened:
//! `docs/notes/terrain-times.md`.

use std::ops::Range;

use crate::ids::WaypointId;
use crate::islands::Islands;
use crate::links::Links;
use crate::path::{Everywhere, Search};

/// Travel times between all pairs of waypoints, a byte each.
///
/// The byte is a small floating-point number: three bits of exponent, five of mantissa. So it is never more than
/// 64 ms or 3.1 % below the true time, and needs no table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TravelTimes {
    waypoints: usize,
    /// Row by row: `from * waypoints + to`.
    steps: Vec<u8>,
}

impl TravelTimes {
    /// There is no way.
    pub const NEVER: u8 = 255;
    /// Milliseconds of the smallest step.
    pub const UNIT_MS: u32 = 64;
    const MANTISSA_BITS: u32 = 5;
    const MANTISSA: u32 = 1 << Self::MANTISSA_BITS;

    pub fn of(links: &Links) -> TravelTimes {
        let waypoints = links.waypoints();
        let mut search = Search::default();
        let mut steps = Vec::with_capacity(waypoints * waypoints);
        for from in 0..waypoints {
            search.flood(links, WaypointId::from(from), &Everywhere);
            let row = (0..waypoints).map(|to| search.cost_to(WaypointId::from(to)));
            steps.extend(row.map(|ms| ms.map_or(Self::NEVER, Self::step_of)));
        }
        TravelTimes { waypoints, steps }
    }

    /// From bytes as [`TravelTimes::steps`] gives them; none if their number is wrong.
    pub fn from_steps(waypoints: usize, steps: Vec<u8>) -> Option<TravelTimes> {
        (steps.len() == waypoints * waypoints).then_some(TravelTimes { waypoints, steps })
    }

    pub fn steps(&self) -> &[u8] {
        &self.steps
    }

    /// Steps from a waypoint to every other: smaller is sooner.
    pub fn row(&self, from: WaypointId) -> &[u8] {
        &self.steps[from.index() * self.waypoints..(from.index() + 1) * self.waypoints]
    }

    /// Milliseconds from one to the other, in the middle of what the byte stands for; none if there is no way.
    pub fn about_ms(&self, from: WaypointId, to: WaypointId) -> Option<u32> {
        let step = self.row(from)[to.index()];
        let is_known = step != Self::NEVER && from != to;
        let at_least = (step != Self::NEVER).then(|| Self::at_least_ms(step))?;
        Some(if is_known { at_least + (Self::UNIT_MS << (Self::octave(step).max(1) - 1)) / 2 } else { 0 })
    }

    /// The step whose time is the longest that is not above `ms`.
    pub fn step_of(ms: u32) -> u8 {
        let units = ms / Self::UNIT_MS;
        if units < Self::MANTISSA {
            return units as u8;
        }
        // The leading one becomes the exponent, the five bits below it the mantissa.
        let exponent = units.ilog2() - Self::MANTISSA_BITS;
        let step = (exponent << Self::MANTISSA_BITS) + (units >> exponent);
        step.min(u32::from(Self::NEVER) - 1) as u8
    }

    /// Milliseconds a step stands for, at least.
    pub fn at_least_ms(step: u8) -> u32 {
        let octave = Self::octave(step);
        if octave == 0 {
            return u32::from(step) * Self::UNIT_MS;
        }
        let mantissa = Self::MANTISSA + u32::from(step) % Self::MANTISSA;
        (mantissa << (octave - 1)) * Self::UNIT_MS
    }

    /// Milliseconds that every time of a step lies below; none for those that have no end.
    pub fn below_ms(step: u8) -> Option<u32> {
        (step < Self::NEVER - 1).then(|| Self::at_least_ms(step + 1))
    }

    fn octave(step: u8) -> u32 {
        u32::from(step) >> Self::MANTISSA_BITS
    }
}

/// A few waypoints whose travel times from and to everywhere are known exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landmarks {
    waypoints: Vec<WaypointId>,
    /// Waypoint by waypoint, landmark by landmark: milliseconds from the landmark to it.
    from_ms: Vec<u32>,
    /// The same, from it to the landmark.
    to_ms: Vec<u32>,
}

impl Landmarks {
    /// There is no way.
    pub const NEVER: u32 = u32::MAX;
    /// Most landmarks a terrain may have.
    pub const MAX: usize = 32;
    /// How many a terrain gets: `docs/notes/terrain-times.md` has what fewer and more would save.
    pub const COUNT: usize = 8;

    /// Up to `count` landmarks of the largest island: the first is the one farthest from the island's smallest id, each
    /// next one the farthest from those before it. Dead ends and spots of no return would make poor landmarks.
    pub fn choose(links: &Links, islands: &Islands, count: usize) -> Landmarks {
        let largest = islands.largest();
        let members: Vec<WaypointId> = (0..links.waypoints())
            .filter(|&waypoint| Some(islands.of_waypoint[waypoint]) == largest)
            .map(WaypointId::from)
            .collect();
        let mut search = Search::default();
        let mut chosen: Vec<WaypointId> = Vec::new();
        let mut nearest_ms = vec![Landmarks::NEVER; members.len()];
        while chosen.len() < count.min(members.len()).min(Landmarks::MAX) {
            let start = chosen.last().unwrap_or(&members[0]);
            search.flood(links, *start, &Everywhere);
            for (member, nearest) in members.iter().zip(&mut nearest_ms) {
                let ms = search.cost_to(*member).unwrap_or(Landmarks::NEVER);
                // The flood from the smallest id only finds the first landmark; it is none itself.
                *nearest = if chosen.len() <= 1 { ms } else { ms.min(*nearest) };
            }
            let farthest = (0..members.len()).rev().max_by_key(|&index| nearest_ms[index]).map(|index| members[index]);
            let Some(farthest) = farthest.filter(|farthest| !chosen.contains(farthest)) else { break };
            chosen.push(farthest);
        }
        Landmarks::at(links, chosen)
    }

    /// The tables for landmarks that are already chosen.
    pub fn at(links: &Links, chosen: Vec<WaypointId>) -> Landmarks {
        let (waypoints, count) = (links.waypoints(), chosen.len());
        let mut landmarks = Landmarks {
            waypoints: chosen,
            from_ms: vec![Landmarks::NEVER; waypoints * count],
            to_ms: vec![Landmarks::NEVER; waypoints * count],
        };
        let reversed = links.reversed();
        let mut search = Search::default();
        for (index, &landmark) in landmarks.waypoints.iter().enumerate() {
            for (links, table) in [(links, &mut landmarks.from_ms), (&reversed, &mut landmarks.to_ms)] {
                search.flood(links, landmark, &Everywhere);
                for waypoint in 0..waypoints {
                    if let Some(ms) = search.cost_to(WaypointId::from(waypoint)) {
                        table[waypoint * count + index] = ms;
                    }
                }
            }
        }
        landmarks
    }

    /// From tables as they are given by [`Landmarks::tables`]; none if their sizes do not agree.
    pub fn from_tables(waypoints: Vec<WaypointId>, from_ms: Vec<u32>, to_ms: Vec<u32>) -> Option<Landmarks> {
        let agree = from_ms.len() == to_ms.len() && waypoints.len() <= Landmarks::MAX;
        let whole =
            if waypoints.is_empty() { from_ms.is_empty() } else { from_ms.len().is_multiple_of(waypoints.len()) };
        (agree && whole).then_some(Landmarks { waypoints, from_ms, to_ms })
    }

    pub fn waypoints(&self) -> &[WaypointId] {
        &self.waypoints
    }

    /// Milliseconds from each landmark to each waypoint, and back, waypoint by waypoint.
    pub fn tables(&self) -> (&[u32], &[u32]) {
        (&self.from_ms, &self.to_ms)
    }

    /// No way from one to the other is shorter than this; [`Landmarks::NEVER`] if there is none.
    pub fn at_least_ms(&self, from: WaypointId, to: WaypointId) -> u32 {
        self.bound_to(to).at_least_ms(from)
    }

    /// The bound towards one waypoint, for who asks it of many.
    pub fn bound_to(&self, to: WaypointId) -> Bound<'_> {
        let row = self.row(to);
        Bound { landmarks: self, outward: &self.from_ms[row.clone()], inward: &self.to_ms[row] }
    }

    fn row(&self, waypoint: WaypointId) -> Range<usize> {
        let count = self.waypoints.len();
        waypoint.index() * count..(waypoint.index() + 1) * count
    }
}

/// How long it takes at least to one waypoint.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    landmarks: &'a Landmarks,
    /// From each landmark to the waypoint, and back.
    outward: &'a [u32],
    inward: &'a [u32],
}

/// No travel time is longer; a difference that is was made with [`Landmarks::NEVER`].
const TIME_MAX: u32 = 1 << 31;

impl Bound<'_> {
    /// No way from there is shorter than this; [`Landmarks::NEVER`] if there is none.
    ///
    /// With d for distance and L a landmark: d(L, to) <= d(L, from) + d(from, to), so d(from, to) is at least the
    /// difference of the other two; the same holds for the ways to L. Where the smaller of the two is never, nothing follows
    /// and the difference is 0; where only the larger is, there is no way, and the difference is larger than any time.
    #[inline]
    pub fn at_least_ms(&self, from: WaypointId) -> u32 {
        let row = self.landmarks.row(from);
        let outward = self.outward.iter().zip(&self.landmarks.from_ms[row.clone()]);
        let inward = self.landmarks.to_ms[row].iter().zip(self.inward);
        let most = outward.chain(inward).fold(0, |most: u32, (far, near)| most.max(far.saturating_sub(*near)));
        if most > TIME_MAX { Landmarks::NEVER } else { most }
    }
}

#[cfg(test)]
#[path = "times_test.rs"]
mod tests;
