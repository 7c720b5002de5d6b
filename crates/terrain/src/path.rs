//! Path search: from "there, please" to the links that lead there.
//!
//! In: the links, a start, and an [`Errand`], which says where it may end, what a link costs, whether it is open and how far
//! it is at least. Out: a [`Route`], or [`NoRoute`] with the reason. One [`Search`] serves any number of errands, one after
//! the other; it keeps its memory, so a search allocates nothing once it has seen the map. It may be stopped after any
//! number of expansions and goes on where it was: the same answer, whatever the slices.
//!
//! A* after P. Hart, N. Nilsson, B. Raphael, "A formal basis for the heuristic determination of minimum cost paths", IEEE
//! Transactions on Systems Science and Cybernetics 4, 1968; as a machine that is asked in slices after J. Lampel, "JoeBOT XP,
//! an overview", 2005, 9. A bound that is not monotone is allowed: a waypoint is opened again when a cheaper way to it turns up.
//! Of ways that cost the same, the one found first stays; the order of expansions depends on nothing but the question.
//!
//! Not here: what a bot wants to avoid (its errand's costs), following a route (`world::walker`).
//! Cost: `docs/notes/terrain-times.md`.

pub mod errands;
mod queue;

use crate::Terrain;
use crate::ids::{LinkId, WaypointId};
use crate::links::{Inward, Link, Links};
use crate::mask::Mask;
use crate::times::{Bound, Landmarks};

use queue::{Open, Queue};

/// Costs are milliseconds, or what an errand counts as such.
pub type Cost = u32;

/// No route can cost as much: costs past this are taken for it.
pub const COST_MAX: Cost = queue::QUEUED_MAX;

/// What is asked of a search.
pub trait Errand {
    /// What taking this link costs, or none if it is closed to this traveller. Never 0 for links that lead in a circle.
    fn cost(&self, from: WaypointId, id: LinkId, link: &Link) -> Option<Cost>;

    /// No way from here to a destination costs less. [`Landmarks::NEVER`] says that none leads there.
    fn at_least(&self, from: WaypointId) -> Cost;

    fn is_destination(&self, waypoint: WaypointId) -> bool;

    /// No way that costs as much is of any use: the way is known to cost less. What cannot lead below this is not opened.
    fn limit(&self) -> Cost {
        Cost::MAX
    }
}

/// Links as a search follows them: from their start to their end ([`Links`]), or against their direction ([`Inward`]), for
/// searches that begin at the goal.
pub trait Ways {
    fn waypoints(&self) -> usize;

    /// Calls `visit` with every link at a waypoint: the waypoint at its other end, its start, its id and the link itself.
    fn visit(&self, at: WaypointId, visit: impl FnMut(WaypointId, WaypointId, LinkId, &Link));
}

impl Ways for Links {
    fn waypoints(&self) -> usize {
        self.first.len() - 1
    }

    #[inline]
    fn visit(&self, at: WaypointId, mut visit: impl FnMut(WaypointId, WaypointId, LinkId, &Link)) {
        for (id, link) in self.ids_from(at) {
            visit(link.to, at, id, link);
        }
    }
}

impl Ways for Inward {
    fn waypoints(&self) -> usize {
        self.first.len() - 1
    }

    #[inline]
    fn visit(&self, at: WaypointId, mut visit: impl FnMut(WaypointId, WaypointId, LinkId, &Link)) {
        for entry in &self.links[self.first[at.index()] as usize..self.first[at.index() + 1] as usize] {
            visit(entry.from, entry.from, entry.id, &entry.link);
        }
    }
}

/// The quickest way to one waypoint, by what links take on average, mishaps included.
#[derive(Clone, Copy, Debug)]
pub struct Quickest<'a> {
    bound: Bound<'a>,
    to: WaypointId,
}

impl<'a> Quickest<'a> {
    pub fn new(landmarks: &'a Landmarks, to: WaypointId) -> Quickest<'a> {
        Quickest { bound: landmarks.bound_to(to), to }
    }

    pub fn to(&self) -> WaypointId {
        self.to
    }
}

impl Errand for Quickest<'_> {
    #[inline]
    fn cost(&self, _: WaypointId, _: LinkId, link: &Link) -> Option<Cost> {
        Some(link.expected_ms())
    }

    #[inline]
    fn at_least(&self, from: WaypointId) -> Cost {
        self.bound.at_least_ms(from)
    }

    #[inline]
    fn is_destination(&self, waypoint: WaypointId) -> bool {
        waypoint == self.to
    }
}

/// The quickest way to any waypoint of a mask.
#[derive(Clone, Copy, Debug)]
pub struct QuickestOf<'a> {
    pub to: &'a Mask,
}

impl Errand for QuickestOf<'_> {
    fn cost(&self, _: WaypointId, _: LinkId, link: &Link) -> Option<Cost> {
        Some(link.expected_ms())
    }

    fn at_least(&self, _: WaypointId) -> Cost {
        0
    }

    fn is_destination(&self, waypoint: WaypointId) -> bool {
        self.to.contains(waypoint)
    }
}

/// Nowhere in particular: what a flood asks.
#[derive(Clone, Copy, Debug)]
pub struct Everywhere;

impl Errand for Everywhere {
    fn cost(&self, _: WaypointId, _: LinkId, link: &Link) -> Option<Cost> {
        Some(link.expected_ms())
    }

    fn at_least(&self, _: WaypointId) -> Cost {
        0
    }

    fn is_destination(&self, _: WaypointId) -> bool {
        false
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Searching,
    Found { destination: WaypointId, cost: Cost },
    NoRoute(NoRoute),
}

/// Why there is no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRoute {
    #[error("no links lead from w{} to w{}", .from.0, .to.0)]
    NotConnected { from: WaypointId, to: WaypointId },
    #[error("every open way was searched, {expansions} waypoints")]
    Exhausted { expansions: u32 },
    #[error("the limit of {expansions} expansions was reached")]
    LimitReached { expansions: u32 },
}

/// The links to take, in order, and what they cost together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    pub links: Vec<LinkId>,
    pub cost: Cost,
}

impl Route {
    /// Empty, with room for any way between so many waypoints: later ones allocate nothing.
    pub fn clear_for(&mut self, waypoints: usize) {
        self.links.clear();
        self.links.reserve(waypoints);
        self.cost = 0;
    }
}

/// A search and its memory.
#[derive(Clone, Debug)]
pub struct Search {
    /// One a waypoint; what another search left behind is told by its mark.
    reached: Vec<Reached>,
    open: Queue,
    round: u32,
    expansions: u32,
    expansions_max: u32,
    progress: Progress,
}

/// How a waypoint was reached. Four to a line of the cache.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// The round, counted down, above the cost: what this round reached is less than anything earlier rounds left, and of
    /// this round's the cheaper is less. So "new, or cheaper than known" is one comparison.
    mark: u64,
    by: LinkId,
    /// What the errand's bound said, which it is asked only once a round.
    ahead: Cost,
}

impl Reached {
    const NEVER: Reached = Reached { mark: u64::MAX, by: LinkId::NONE, ahead: 0 };

    fn cost(&self) -> Cost {
        self.mark as Cost
    }
}

impl Default for Search {
    /// A search that has been asked nothing yet.
    fn default() -> Search {
        Search {
            reached: Vec::new(),
            open: Queue::default(),
            round: 0,
            expansions: 0,
            expansions_max: 0,
            progress: Progress::NoRoute(NoRoute::Exhausted { expansions: 0 }),
        }
    }
}

impl Search {
    /// Forgets what was searched before and sets out from `start`, for at most `expansions_max` expansions in all.
    pub fn begin(&mut self, ways: &impl Ways, start: WaypointId, errand: &impl Errand, expansions_max: u32) {
        self.clear_for(ways.waypoints());
        self.round = self.round.wrapping_add(1);
        if self.round == u32::MAX {
            // Four thousand million searches ago: old marks would look new.
            self.reached.fill(Reached::NEVER);
            self.round = 1;
        }
        self.expansions = 0;
        self.expansions_max = expansions_max;
        self.progress = Progress::Searching;
        self.reach(start, 0, LinkId::NONE, errand, Cost::MAX);
    }

    /// Room for any search among so many waypoints, which then allocates nothing.
    pub fn clear_for(&mut self, waypoints: usize) {
        self.reached.resize(waypoints, Reached::NEVER);
        self.open.clear_for(waypoints);
    }

    /// Searches on, for up to `budget` expansions. The errand must be the one the search began with.
    pub fn run(&mut self, ways: &impl Ways, errand: &impl Errand, budget: u32) -> Progress {
        let mut left = budget;
        while left > 0 && self.progress == Progress::Searching {
            match self.open.pop() {
                None => self.progress = Progress::NoRoute(NoRoute::Exhausted { expansions: self.expansions }),
                // A cheaper way here has been expanded meanwhile.
                Some(open) if open.cost > self.reached[open.waypoint.index()].cost() => {}
                Some(open) if errand.is_destination(open.waypoint) => {
                    self.progress = Progress::Found { destination: open.waypoint, cost: open.cost };
                }
                Some(_) if self.expansions == self.expansions_max => {
                    self.progress = Progress::NoRoute(NoRoute::LimitReached { expansions: self.expansions });
                }
                Some(open) => {
                    self.expand(ways, open, errand);
                    left -= 1;
                }
            }
        }
        self.progress
    }

    /// Costs from `start` to everywhere; ask [`Search::cost_to`] afterwards.
    pub fn flood(&mut self, ways: &impl Ways, start: WaypointId, errand: &impl Errand) {
        self.begin(ways, start, errand, u32::MAX);
        while self.run(ways, errand, u32::MAX) == Progress::Searching {}
    }

    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Waypoints expanded so far.
    pub fn expansions(&self) -> u32 {
        self.expansions
    }

    /// What the cheapest way found so far to a waypoint costs.
    pub fn cost_to(&self, waypoint: WaypointId) -> Option<Cost> {
        let reached = self.reached[waypoint.index()];
        (reached.mark >> 32 == self.marks() >> 32).then(|| reached.cost())
    }

    /// Writes the way to a waypoint that was reached into `route`; false if it was not.
    pub fn trace_back(&self, links: &Links, to: WaypointId, route: &mut Route) -> bool {
        route.clear_for(self.reached.len());
        let Some(cost) = self.cost_to(to) else { return false };
        route.cost = cost;
        let mut by = self.reached[to.index()].by;
        while by.is_some() {
            route.links.push(by);
            by = self.reached[links.start_of(by).index()].by;
        }
        route.links.reverse();
        true
    }

    /// The same for a search that began at the goal and came to where the way starts.
    pub fn trace_on(&self, links: &Links, start: WaypointId, route: &mut Route) -> bool {
        route.clear_for(self.reached.len());
        let Some(cost) = self.cost_to(start) else { return false };
        route.cost = cost;
        let mut by = self.reached[start.index()].by;
        while by.is_some() {
            route.links.push(by);
            by = self.reached[links.links[by.index()].to.index()].by;
        }
        true
    }

    #[inline]
    fn expand(&mut self, ways: &impl Ways, open: Open, errand: &impl Errand) {
        self.expansions += 1;
        let limit = errand.limit();
        ways.visit(open.waypoint, |other, from, by, link| {
            if let Some(cost) = errand.cost(from, by, link) {
                self.reach(other, open.cost.saturating_add(cost).min(COST_MAX), by, errand, limit);
            }
        });
    }

    /// What this round reaches at no cost is marked so.
    fn marks(&self) -> u64 {
        u64::from(!self.round) << 32
    }

    /// Opens a waypoint, unless a way there that costs no more is known or nothing below the limit leads on from it.
    #[inline(always)]
    fn reach(&mut self, waypoint: WaypointId, cost: Cost, by: LinkId, errand: &impl Errand, limit: Cost) {
        // Where there is a limit the bound is cheap to ask for, and turns most waypoints away at once.
        if limit != Cost::MAX && cost.saturating_add(errand.at_least(waypoint)) >= limit {
            return;
        }
        let marks = self.marks();
        let mark = marks | u64::from(cost);
        let reached = &mut self.reached[waypoint.index()];
        if mark >= reached.mark {
            return;
        }
        let ahead = if reached.mark >> 32 == marks >> 32 { reached.ahead } else { errand.at_least(waypoint) };
        reached.mark = mark;
        reached.by = by;
        reached.ahead = ahead;
        if ahead != Landmarks::NEVER {
            let bound = cost.saturating_add(ahead).min(COST_MAX);
            self.open.push(bound, Open { cost, waypoint });
        }
    }
}

impl Terrain {
    /// How long a route takes whom nothing goes wrong for: the times of its links.
    pub fn promised_ms(&self, route: &Route) -> u32 {
        route.links.iter().map(|link| u32::from(self.links.links[link.index()].time_ms)).sum()
    }

    /// The quickest route, in one go.
    pub fn route(&self, search: &mut Search, from: WaypointId, to: WaypointId) -> Result<Route, NoRoute> {
        if !self.islands.connect(from, to) {
            return Err(NoRoute::NotConnected { from, to });
        }
        let errand = Quickest::new(&self.landmarks, to);
        search.begin(&self.links, from, &errand, u32::MAX);
        loop {
            match search.run(&self.links, &errand, u32::MAX) {
                Progress::Searching => {}
                Progress::NoRoute(why) => return Err(why),
                Progress::Found { destination, .. } => {
                    let mut route = Route::default();
                    search.trace_back(&self.links, destination, &mut route);
                    return Ok(route);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "path_test.rs"]
mod tests;
