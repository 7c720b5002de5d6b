//! What is connected at all: answered without a search.
//!
//! Waypoints that reach each other in both ways form an island; between islands, a bit says whether one leads to the
//! other. After R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1, 1972; his
//! recursion is a stack here, since a map may be one long corridor.
//!
//! Cost: one look at every link; made anew when a terrain is opened.

use crate::ids::WaypointId;
use crate::links::Links;
use crate::sight::BitRows;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Islands {
    /// The island of each waypoint. Islands are numbered so that links lead only to smaller or equal numbers.
    pub of_waypoint: Vec<u16>,
    /// Which island (row) leads to which (column); each leads to itself.
    leads: BitRows,
    largest: u16,
}

/// A waypoint on the way down: how many of its links have been followed.
struct Descent {
    waypoint: usize,
    followed: usize,
}

struct Tarjan<'a> {
    links: &'a Links,
    /// When each waypoint was met, from 1; 0 is not yet.
    met: Vec<u32>,
    /// The earliest waypoint known to be reached from each.
    low: Vec<u32>,
    island: Vec<u16>,
    undecided: Vec<usize>,
    clock: u32,
    islands: u16,
}

const UNDECIDED: u16 = u16::MAX;

/// Fewer waypoints than this that lead to each other are no mesh.
const MESH_MIN: usize = 8;

impl crate::Terrain {
    /// Whether most of its waypoints lead to each other: spawns and items that nothing links are no mesh to play on.
    pub fn is_mesh(&self) -> bool {
        let largest = self.islands.sizes().into_iter().max().unwrap_or(0);
        // Small maps of one room have a small mesh, but all of it is one.
        largest == self.waypoints.len() && largest > 1 || largest >= MESH_MIN && largest * 2 >= self.waypoints.len()
    }
}

impl Islands {
    pub fn of(links: &Links) -> Islands {
        let count = links.waypoints();
        let mut tarjan = Tarjan {
            links,
            met: vec![0; count],
            low: vec![0; count],
            island: vec![UNDECIDED; count],
            undecided: Vec::new(),
            clock: 0,
            islands: 0,
        };
        for start in 0..count {
            if tarjan.met[start] == 0 {
                tarjan.descend(start);
            }
        }
        let leads = leads(links, &tarjan.island, usize::from(tarjan.islands));
        let islands = Islands { of_waypoint: tarjan.island, leads, largest: 0 };
        let largest = islands.largest().unwrap_or(0);
        Islands { largest, ..islands }
    }

    /// A ledge or pit from which no links lead back to where most of the map is.
    pub fn is_trap(&self, waypoint: WaypointId) -> bool {
        !self.leads.get(usize::from(self.of_waypoint[waypoint.index()]), usize::from(self.largest))
    }

    pub fn count(&self) -> usize {
        self.leads.size()
    }

    /// Whether any links lead from one to the other, doors and damage aside.
    pub fn connect(&self, from: WaypointId, to: WaypointId) -> bool {
        self.leads.get(usize::from(self.of_waypoint[from.index()]), usize::from(self.of_waypoint[to.index()]))
    }

    /// How many waypoints each island has.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count()];
        for &island in &self.of_waypoint {
            sizes[usize::from(island)] += 1;
        }
        sizes
    }

    /// The island with the most waypoints; of equals the smallest number.
    pub fn largest(&self) -> Option<u16> {
        let sizes = self.sizes();
        (0..sizes.len()).rev().max_by_key(|&island| sizes[island]).map(|island| island as u16)
    }
}

impl Tarjan<'_> {
    fn descend(&mut self, start: usize) {
        let mut stack = vec![self.meet(start)];
        while let Some(Descent { waypoint, followed }) = stack.last_mut() {
            let waypoint = *waypoint;
            let link = self.links.from(WaypointId::from(waypoint)).get(*followed);
            *followed += 1;
            match link.map(|link| link.to.index()) {
                Some(to) if self.met[to] == 0 => stack.push(self.meet(to)),
                Some(to) if self.island[to] == UNDECIDED => {
                    self.low[waypoint] = self.low[waypoint].min(self.met[to]);
                }
                Some(_) => {}
                None => {
                    self.leave(waypoint);
                    stack.pop();
                    if let Some(above) = stack.last() {
                        self.low[above.waypoint] = self.low[above.waypoint].min(self.low[waypoint]);
                    }
                }
            }
        }
    }

    fn meet(&mut self, waypoint: usize) -> Descent {
        self.clock += 1;
        self.met[waypoint] = self.clock;
        self.low[waypoint] = self.clock;
        self.undecided.push(waypoint);
        Descent { waypoint, followed: 0 }
    }

    /// If nothing earlier is reached from here, all that is undecided since is one island.
    fn leave(&mut self, waypoint: usize) {
        if self.low[waypoint] != self.met[waypoint] {
            return;
        }
        while let Some(member) = self.undecided.pop() {
            self.island[member] = self.islands;
            if member == waypoint {
                break;
            }
        }
        self.islands += 1;
    }
}

/// Islands come out with those they lead to before them, so each row is ready when it is needed.
fn leads(links: &Links, island: &[u16], islands: usize) -> BitRows {
    let mut bridges: Vec<(u16, u16)> = links
        .iter()
        .map(|(from, link)| (island[from.index()], island[link.to.index()]))
        .filter(|(from, to)| from != to)
        .collect();
    bridges.sort_unstable();
    bridges.dedup();
    let mut leads = BitRows::new(islands);
    for row in 0..islands {
        leads.set(row, row);
    }
    for (from, to) in bridges {
        leads.add_row(usize::from(from), usize::from(to));
    }
    leads
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples;

    fn reached_by_flooding(links: &Links, start: usize) -> Vec<bool> {
        let mut is_reached = vec![false; links.waypoints()];
        let mut open = vec![start];
        is_reached[start] = true;
        while let Some(from) = open.pop() {
            for link in links.from(WaypointId::from(from)) {
                if !std::mem::replace(&mut is_reached[link.to.index()], true) {
                    open.push(link.to.index());
                }
            }
        }
        is_reached
    }

    proptest! {
        #[test]
        fn connected_is_what_a_flood_reaches(links in samples::any_links(40)) {
            let islands = Islands::of(&links);
            for from in 0..links.waypoints() {
                for (to, is_reached) in reached_by_flooding(&links, from).into_iter().enumerate() {
                    prop_assert_eq!(islands.connect(WaypointId::from(from), WaypointId::from(to)), is_reached);
                }
            }
        }
    }

    #[test]
    fn a_trap_is_what_does_not_lead_back_to_most_of_the_map() {
        let both = |a: usize, b: usize| [samples::walk(a, b, 100), samples::walk(b, a, 100)];
        let mut each: Vec<_> = [both(0, 1), both(1, 2)].concat();
        // Into 3 and not out again; out of 4 and not back.
        each.extend([samples::walk(2, 3, 100), samples::walk(4, 0, 100)]);
        let islands = Islands::of(&Links::gather(5, each));
        let traps: Vec<bool> = (0..5).map(|waypoint| islands.is_trap(WaypointId(waypoint))).collect();
        assert_eq!(traps, [false, false, false, true, false]);
    }

    #[test]
    fn a_long_corridor_does_not_overflow_the_stack() {
        let count = crate::WAYPOINTS_MAX;
        let each = (1..count).map(|to| samples::walk(to - 1, to, 100)).collect();
        let islands = Islands::of(&Links::gather(count, each));
        assert_eq!(islands.count(), count);
        assert!(islands.connect(WaypointId(0), WaypointId::from(count - 1)));
        assert!(!islands.connect(WaypointId::from(count - 1), WaypointId(0)));
    }
}
