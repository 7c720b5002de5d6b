//! What is each waypoint worth to a soldier, before anybody is there? A byte a value, each on a scale of its own.
//!
//! | value | 0 | 255 |
//! |---|---|---|
//! | freedom | no way leads off | links lead off towards all eight sides |
//! | overlooks | sees nobody crouched elsewhere | sees as many as the best waypoint of this map |
//! | range | sees nobody | those seen are 2,048 units away on average, or more |
//! | exposure | seen from nowhere | seen, standing and with all doors open, from as many as the worst of this map |
//! | cover | within a short run, whoever sees one here still does | somewhere near nobody of them does, if one crouches |
//! | light | dark | as bright as the map's light grid can say; also where a map has none, as the engine does it |
//! | choke | no quickest way leads through | as many as through the busiest of this map; by the square root of the share |
//! | height | 512 units below what is seen from here | as far above; 128 is level |
//!
//! Choke is betweenness, after U. Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology
//! 25, 2001, from a sample of starts (his section 5 of "On variants of shortest-path betweenness centrality and their generic
//! computation", Social Networks 30, 2008): bots compare places, and need no exact share.
//! Not here: travel times and landmarks, which follow from the links (`terrain::times`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fireteam_terrain::{BitRows, Links, Sight, Values, WaypointId, Waypoints};
use fireteam_world::Vec3;

use crate::Site;
use crate::executor::{self, Executor};
use crate::sight::bits;

/// Mean distance of what is seen that counts as the furthest.
const RANGE_FULL: f32 = 2048.0;
/// Mean difference in height that counts as the largest.
const HEIGHT_FULL: f32 = 512.0;
/// How far one runs to cover that is near.
const COVER_MS: u32 = 1200;
/// Starts from which routes are counted, and how many of them are one job.
const STARTS_MAX: usize = 256;
const STARTS_A_JOB: usize = 16;

/// What the values are worked out from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) waypoints: &'a Waypoints,
    pub(crate) links: &'a Links,
    pub(crate) sight: &'a Sight,
    /// Waypoints so that neighbours follow each other.
    pub(crate) order: &'a [WaypointId],
}

/// Weighs every waypoint.
pub(crate) fn weigh(site: &Site, known: &Known, executor: &dyn Executor) -> Values {
    let each = |value: &dyn Fn(WaypointId) -> f32| known.waypoints.ids().map(value).collect::<Vec<f32>>();
    let seers = seers(known.sight);
    let light = |id: WaypointId| {
        let grid = site.map.light_grid.as_ref();
        grid.map_or(1.0, |grid| grid.light_at(known.waypoints.origin[id.index()]))
    };
    Values {
        freedom: bytes(&each(&|id| known.freedom(id))),
        overlooks: bytes(&shares_of_most(&each(&|id| known.seen(id).count() as f32))),
        range: bytes(&each(&|id| known.mean_of_seen(id, |way| way.length()) / RANGE_FULL)),
        exposure: bytes(&shares_of_most(&each(&|id| known.exposure(id)))),
        cover: bytes(&cover(known, &seers, executor)),
        light: bytes(&each(&light)),
        choke: bytes(&choke(known, executor)),
        height: bytes(&each(&|id| 0.5 - known.mean_of_seen(id, |way| way.z) / HEIGHT_FULL / 2.0)),
    }
}

/// Shares from 0 to 1 as bytes; what lies beyond is cut off.
fn bytes(shares: &[f32]) -> Vec<u8> {
    shares.iter().map(|share| (share.clamp(0.0, 1.0) * 255.0).round() as u8).collect()
}

fn shares_of_most(counts: &[f32]) -> Vec<f32> {
    let most = counts.iter().copied().fold(1.0, f32::max);
    counts.iter().map(|count| count / most).collect()
}

impl<'a> Known<'a> {
    /// Waypoints where even a crouched body is seen from here.
    fn seen(&self, from: WaypointId) -> impl Iterator<Item = usize> + 'a {
        bits(self.sight.crouched.row(from.index())).filter(move |&to| to != from.index())
    }

    fn way(&self, from: WaypointId, to: usize) -> Vec3 {
        self.waypoints.origin[to] - self.waypoints.origin[from.index()]
    }

    fn mean_of_seen(&self, from: WaypointId, value: impl Fn(Vec3) -> f32) -> f32 {
        let (sum, count) =
            self.seen(from).fold((0.0, 0), |(sum, count), to| (sum + value(self.way(from, to)), count + 1));
        sum / count.max(1) as f32
    }

    /// Share of the eight sides towards which links lead off.
    fn freedom(&self, from: WaypointId) -> f32 {
        let sides = self.links.from(from).iter().map(|link| side_of(self.way(from, link.to.index())));
        let sides = sides.fold(0_u8, |sides, side| sides | 1 << side);
        sides.count_ones() as f32 / 8.0
    }

    /// From how many waypoints one is seen standing, with all doors open.
    fn exposure(&self, at: WaypointId) -> f32 {
        let shut = bits(self.sight.standing.row(at.index())).filter(|&from| from != at.index()).count();
        let mut behind: Vec<WaypointId> = self.sight.openings_from(at).iter().map(|opening| opening.to).collect();
        behind.dedup();
        (shut + behind.iter().filter(|from| !self.sight.sees(at, **from)).count()) as f32
    }
}

/// Which of eight sides a way leads to, by comparing and not by angles: sides meet at slopes of 1 to 2 and 2 to 1.
fn side_of(way: Vec3) -> u8 {
    let is_along = |a: f32, b: f32| a.abs() > 2.0 * b.abs();
    match (is_along(way.x, way.y), is_along(way.y, way.x), way.x >= 0.0, way.y >= 0.0) {
        (true, _, true, _) => 0,
        (false, false, true, true) => 1,
        (_, true, _, true) => 2,
        (false, false, false, true) => 3,
        (true, _, false, _) => 4,
        (false, false, false, false) => 5,
        (_, true, _, false) => 6,
        (false, false, true, false) => 7,
    }
}

/// For each waypoint, from where a body crouched there is seen.
fn seers(sight: &Sight) -> BitRows {
    let count = sight.crouched.size();
    let mut seers = BitRows::new(count);
    for from in 0..count {
        for to in bits(sight.crouched.row(from)) {
            seers.set(to, from);
        }
    }
    seers
}

/// Of those who see one standing here, the largest share that sees no body crouched at a waypoint a short run away.
fn cover(known: &Known, seers: &BitRows, executor: &dyn Executor) -> Vec<f32> {
    let count = known.waypoints.len();
    let jobs = executor::collect(executor, count.div_ceil(STARTS_A_JOB), |job| {
        let mut tree = Tree::default();
        let range = job * STARTS_A_JOB..((job + 1) * STARTS_A_JOB).min(count);
        range.map(|at| cover_at(known, seers, &mut tree, at)).collect::<Vec<f32>>()
    });
    jobs.into_iter().flatten().collect()
}

fn cover_at(known: &Known, seers: &BitRows, tree: &mut Tree, at: usize) -> f32 {
    let without = |word: usize, id: usize| if id / 64 == word { !(1 << (id % 64)) } else { u64::MAX };
    let lookers = known.sight.standing.row(at).iter().enumerate().map(|(word, &bits)| bits & without(word, at));
    let lookers: Vec<u64> = lookers.collect();
    let all: u32 = lookers.iter().map(|word| word.count_ones()).sum();
    if all == 0 {
        return 1.0;
    }
    tree.grow(known.links, WaypointId::from(at), COVER_MS);
    let still = |hide: usize| -> u32 {
        let seeing = lookers.iter().zip(seers.row(hide)).enumerate();
        seeing.map(|(word, (here, there))| (here & there & without(word, hide)).count_ones()).sum()
    };
    let least = tree.order.iter().map(|to| still(to.index())).min().unwrap_or(all);
    1.0 - least as f32 / all as f32
}

/// How much of the quickest ways between all waypoints leads through each, by the square root of its share of the most.
fn choke(known: &Known, executor: &dyn Executor) -> Vec<f32> {
    let count = known.waypoints.len();
    let stride = count.div_ceil(STARTS_MAX).max(1);
    let starts: Vec<WaypointId> = known.order.iter().copied().step_by(stride).collect();
    let jobs = executor::collect(executor, starts.len().div_ceil(STARTS_A_JOB), |job| {
        let mut tree = Tree::default();
        let mut through = vec![0.0_f64; count];
        for &start in starts.chunks(STARTS_A_JOB).nth(job).unwrap_or_default() {
            tree.grow(known.links, start, u32::MAX);
            tree.count_through(&mut through);
        }
        through
    });
    let mut through = vec![0.0_f64; count];
    for job in jobs {
        through.iter_mut().zip(job).for_each(|(sum, part)| *sum += part);
    }
    let most = through.iter().copied().fold(1.0, f64::max);
    through.iter().map(|part| (part / most).sqrt() as f32).collect()
}

/// The quickest ways from one waypoint to all others; of equals, the one found first.
#[derive(Debug, Default)]
struct Tree {
    /// Waypoints that are reached, the nearest first.
    order: Vec<WaypointId>,
    ms: Vec<u32>,
    before: Vec<WaypointId>,
    is_settled: Vec<bool>,
    open: BinaryHeap<Reverse<(u32, WaypointId)>>,
    /// How many ways lead on from each.
    beyond: Vec<f64>,
}

impl Tree {
    /// After E. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik 1, 1959.
    fn grow(&mut self, links: &Links, start: WaypointId, ms_max: u32) {
        let count = links.waypoints();
        self.order.clear();
        self.ms.clear();
        self.ms.resize(count, u32::MAX);
        self.is_settled.clear();
        self.is_settled.resize(count, false);
        self.before.resize(count, WaypointId::NONE);
        self.ms[start.index()] = 0;
        self.open.push(Reverse((0, start)));
        while let Some(Reverse((ms, from))) = self.open.pop() {
            if std::mem::replace(&mut self.is_settled[from.index()], true) {
                continue;
            }
            self.order.push(from);
            for link in links.from(from) {
                let there = ms.saturating_add(u32::from(link.time_ms));
                if there <= ms_max && there < self.ms[link.to.index()] {
                    self.ms[link.to.index()] = there;
                    self.before[link.to.index()] = from;
                    self.open.push(Reverse((there, link.to)));
                }
            }
        }
    }

    /// Adds to each waypoint how many of these ways lead through it, ends not counted.
    fn count_through(&mut self, through: &mut [f64]) {
        self.beyond.clear();
        self.beyond.resize(self.ms.len(), 0.0);
        for to in self.order[1..].iter().rev() {
            let before = self.before[to.index()];
            through[to.index()] += self.beyond[to.index()];
            self.beyond[before.index()] += 1.0 + self.beyond[to.index()];
        }
    }
}

#[cfg(test)]
mod tests {
    use fireteam_terrain::{Link, LinkFlags, MoverId};
    use fireteam_world::walker::Travel;

    use super::*;

    fn walk(from: u16, to: u16, time_ms: u16) -> (WaypointId, Link) {
        let (mover, opener) = (MoverId::NONE, MoverId::NONE);
        let (kind, flags) = (Travel::Walk, LinkFlags::NONE);
        (WaypointId(from), Link { to: WaypointId(to), kind, flags, time_ms, damage: 0, trust: 255, mover, opener })
    }

    fn both_ways(pairs: &[(u16, u16)]) -> Links {
        let count = pairs.iter().map(|&(a, b)| a.max(b)).max().map_or(0, |most| usize::from(most) + 1);
        Links::gather(count, pairs.iter().flat_map(|&(a, b)| [walk(a, b, 100), walk(b, a, 100)]).collect())
    }

    #[test]
    fn the_door_between_two_rooms_is_the_choke() {
        // Two rooms of three, joined by 3 alone.
        let links = both_ways(&[(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (4, 6)]);
        let (waypoints, sight) = (Waypoints::default(), Sight::default());
        let order: Vec<WaypointId> = (0..7).map(WaypointId).collect();
        let mut known = Known { waypoints: &waypoints, links: &links, sight: &sight, order: &order };
        let spots = Waypoints { origin: vec![Vec3::ZERO; 7], flags: vec![Default::default(); 7] };
        known.waypoints = &spots;
        let choke = choke(&known, &crate::OneThread);
        assert_eq!(choke[3], 1.0);
        assert!(choke[2] < 1.0 && choke[2] > 0.5, "{choke:?}");
        assert_eq!([choke[0], choke[1], choke[5], choke[6]], [0.0; 4]);
    }

    #[test]
    fn sides_go_round_from_east() {
        let sides =
            [(1.0, 0.1), (1.0, 1.0), (0.2, 1.0), (-1.0, 1.0), (-1.0, 0.0), (-1.0, -0.9), (0.0, -1.0), (1.0, -1.0)];
        for (side, (x, y)) in sides.into_iter().enumerate() {
            assert_eq!(usize::from(side_of(Vec3::new(x, y, 5.0))), side, "{x} {y}");
        }
    }

    #[test]
    fn who_ducks_behind_something_near_has_cover() {
        // 0 is seen by 2 standing; 1, a step away, is seen by nobody who crouches there.
        let links = both_ways(&[(0, 1), (1, 2)]);
        let waypoints = Waypoints { origin: vec![Vec3::ZERO; 3], flags: vec![Default::default(); 3] };
        let mut sight = Sight { standing: BitRows::new(3), crouched: BitRows::new(3), openings: Vec::new() };
        for (a, b) in [(0, 0), (1, 1), (2, 2), (0, 2), (2, 0)] {
            sight.standing.set(a, b);
            sight.crouched.set(a, b);
        }
        let order: Vec<WaypointId> = (0..3).map(WaypointId).collect();
        let known = Known { waypoints: &waypoints, links: &links, sight: &sight, order: &order };
        assert_eq!(cover(&known, &seers(&sight), &crate::OneThread), [1.0, 1.0, 1.0]);
        let lone = Known { links: &Links::gather(3, Vec::new()), ..known };
        assert_eq!(cover(&lone, &seers(&sight), &crate::OneThread), [0.0, 1.0, 0.0]);
    }
}
