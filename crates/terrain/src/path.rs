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

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Terrain;
use crate::ids::{LinkId, WaypointId};
use crate::links::{Link, Links};
use crate::mask::Mask;
use crate::times::Landmarks;

/// Costs are milliseconds, or what an errand counts as such.
pub type Cost = u32;

/// No route can cost as much: costs past this are taken for it.
pub const COST_MAX: Cost = Cost::MAX - 1;

/// What is asked of a search.
pub trait Errand {
    /// What taking this link costs, or none if it is closed to this traveller. Never 0 for links that lead in a circle.
    fn cost(&self, from: WaypointId, id: LinkId, link: &Link) -> Option<Cost>;

    /// No way from here to a destination costs less. [`Landmarks::NEVER`] says that none leads there.
    fn at_least(&self, from: WaypointId) -> Cost;

    fn is_destination(&self, waypoint: WaypointId) -> bool;
}

/// The quickest way to one waypoint, by what links take on average, mishaps included.
#[derive(Clone, Copy, Debug)]
pub struct Quickest<'a> {
    pub landmarks: &'a Landmarks,
    pub to: WaypointId,
}

impl Errand for Quickest<'_> {
    fn cost(&self, _: WaypointId, _: LinkId, link: &Link) -> Option<Cost> {
        Some(link.expected_ms())
    }

    fn at_least(&self, from: WaypointId) -> Cost {
        self.landmarks.at_least_ms(from, self.to)
    }

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

/// A search and its memory.
#[derive(Clone, Debug)]
pub struct Search {
    /// One a waypoint; what another search left behind is told by its `round`.
    reached: Vec<Reached>,
    open: BinaryHeap<Reverse<Open>>,
    round: u32,
    expansions: u32,
    expansions_max: u32,
    progress: Progress,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    round: u32,
    cost: Cost,
    by: LinkId,
    from: WaypointId,
}

/// Cheapest first; of equals the one farther on its way, then the smaller id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    bound: Cost,
    cost: Reverse<Cost>,
    waypoint: WaypointId,
}

impl Default for Search {
    /// A search that has been asked nothing yet.
    fn default() -> Search {
        Search {
            reached: Vec::new(),
            open: BinaryHeap::new(),
            round: 0,
            expansions: 0,
            expansions_max: 0,
            progress: Progress::NoRoute(NoRoute::Exhausted { expansions: 0 }),
        }
    }
}

impl Search {
    /// Forgets what was searched before and sets out from `start`, for at most `expansions_max` expansions in all.
    pub fn begin(&mut self, links: &Links, start: WaypointId, errand: &impl Errand, expansions_max: u32) {
        self.reached.resize(links.waypoints(), Reached::default());
        self.open.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            // Four thousand million searches ago: old marks would look new.
            self.reached.fill(Reached::default());
            self.round = 1;
        }
        self.expansions = 0;
        self.expansions_max = expansions_max;
        self.progress = Progress::Searching;
        self.reach(start, Reached { round: self.round, cost: 0, by: LinkId::NONE, from: WaypointId::NONE }, errand);
    }

    /// Searches on, for up to `budget` expansions. The errand must be the one the search began with.
    pub fn run(&mut self, links: &Links, errand: &impl Errand, budget: u32) -> Progress {
        let mut left = budget;
        while left > 0 && self.progress == Progress::Searching {
            match self.open.pop() {
                None => self.progress = Progress::NoRoute(NoRoute::Exhausted { expansions: self.expansions }),
                // A cheaper way here has been expanded meanwhile.
                Some(Reverse(open)) if open.cost.0 > self.reached[open.waypoint.index()].cost => {}
                Some(Reverse(open)) if errand.is_destination(open.waypoint) => {
                    self.progress = Progress::Found { destination: open.waypoint, cost: open.cost.0 };
                }
                Some(_) if self.expansions == self.expansions_max => {
                    self.progress = Progress::NoRoute(NoRoute::LimitReached { expansions: self.expansions });
                }
                Some(Reverse(open)) => {
                    self.expand(links, open, errand);
                    left -= 1;
                }
            }
        }
        self.progress
    }

    /// Costs from `start` to everywhere; ask [`Search::cost_to`] afterwards.
    pub fn flood(&mut self, links: &Links, start: WaypointId, errand: &impl Errand) {
        self.begin(links, start, errand, u32::MAX);
        while self.run(links, errand, u32::MAX) == Progress::Searching {}
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
        (reached.round == self.round).then_some(reached.cost)
    }

    /// Writes the way to a waypoint that was reached into `route`; false if it was not.
    pub fn trace_back(&self, to: WaypointId, route: &mut Route) -> bool {
        route.links.clear();
        route.cost = 0;
        let Some(cost) = self.cost_to(to) else { return false };
        route.cost = cost;
        let mut at = self.reached[to.index()];
        while at.by.is_some() {
            route.links.push(at.by);
            at = self.reached[at.from.index()];
        }
        route.links.reverse();
        true
    }

    fn expand(&mut self, links: &Links, open: Open, errand: &impl Errand) {
        self.expansions += 1;
        let from = open.waypoint;
        for (by, link) in links.ids_from(from) {
            let Some(cost) = errand.cost(from, by, link) else { continue };
            let cost = open.cost.0.saturating_add(cost).min(COST_MAX);
            let known = self.reached[link.to.index()];
            if known.round != self.round || cost < known.cost {
                self.reach(link.to, Reached { round: self.round, cost, by, from }, errand);
            }
        }
    }

    fn reach(&mut self, waypoint: WaypointId, reached: Reached, errand: &impl Errand) {
        let ahead = errand.at_least(waypoint);
        self.reached[waypoint.index()] = reached;
        if ahead != Landmarks::NEVER {
            let bound = reached.cost.saturating_add(ahead).min(COST_MAX);
            self.open.push(Reverse(Open { bound, cost: Reverse(reached.cost), waypoint }));
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
        let errand = Quickest { landmarks: &self.landmarks, to };
        search.begin(&self.links, from, &errand, u32::MAX);
        loop {
            match search.run(&self.links, &errand, u32::MAX) {
                Progress::Searching => {}
                Progress::NoRoute(why) => return Err(why),
                Progress::Found { destination, .. } => {
                    let mut route = Route::default();
                    search.trace_back(destination, &mut route);
                    return Ok(route);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "path_test.rs"]
mod tests;
