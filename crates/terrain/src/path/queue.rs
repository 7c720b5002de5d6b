//! What a search opens next: the waypoint with the smallest bound; of equals the one farther on its way, then the smaller id.
//!
//! The three are packed into one number, so that comparing two is one instruction, and kept in a heap whose nodes have four
//! children: half as deep as a binary one, and the children of a node lie in one line of the cache. After D. Johnson,
//! "Priority queues with update and finding minimum spanning trees", Information Processing Letters 4, 1975.

use super::Cost;
use crate::ids::{WAYPOINTS_MAX, WaypointId};

/// Bits of the three parts: bound, cost, waypoint.
const COST_BITS: u32 = 25;
const WAYPOINT_BITS: u32 = 14;
/// The largest cost that can be queued: nine hours.
pub(super) const QUEUED_MAX: Cost = (1 << COST_BITS) - 1;

const _: () = assert!(2 * COST_BITS + WAYPOINT_BITS == u64::BITS);
const _: () = assert!(WAYPOINTS_MAX < 1 << WAYPOINT_BITS);

/// A waypoint to be expanded, at what it cost to get there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) cost: Cost,
    pub(super) waypoint: WaypointId,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    heap: Vec<u64>,
}

const CHILDREN: usize = 4;

impl Queue {
    /// Empties it, with room for more than a search over so many waypoints has ever kept open.
    pub(super) fn clear_for(&mut self, waypoints: usize) {
        self.heap.clear();
        self.heap.reserve(waypoints * 4);
    }

    #[inline]
    pub(super) fn push(&mut self, bound: Cost, open: Open) {
        let key = u64::from(bound) << (COST_BITS + WAYPOINT_BITS)
            | u64::from(QUEUED_MAX - open.cost) << WAYPOINT_BITS
            | u64::from(open.waypoint.0);
        self.heap.push(key);
        let mut at = self.heap.len() - 1;
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = key;
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Open> {
        let first = *self.heap.first()?;
        // It has a first, so it has a last.
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.sink(last);
        }
        let cost = QUEUED_MAX - ((first >> WAYPOINT_BITS) as Cost & QUEUED_MAX);
        Some(Open { cost, waypoint: WaypointId((first & ((1 << WAYPOINT_BITS) - 1)) as u16) })
    }

    /// Puts a key where the first one was, and lets smaller ones rise.
    fn sink(&mut self, key: u64) {
        let heap = &mut self.heap[..];
        let mut at = 0;
        loop {
            let first = at * CHILDREN + 1;
            let mut least = first;
            match heap.get(first..first + CHILDREN) {
                Some(children) => {
                    let low = usize::from(children[1] < children[0]);
                    let high = 2 + usize::from(children[3] < children[2]);
                    least += if children[high] < children[low] { high } else { low };
                }
                None if first < heap.len() => {
                    for child in first + 1..heap.len() {
                        least = if heap[child] < heap[least] { child } else { least };
                    }
                }
                None => break,
            }
            if heap[least] >= key {
                break;
            }
            heap[at] = heap[least];
            at = least;
        }
        heap[at] = key;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn comes_out_by_bound_then_cost_then_waypoint(
            each in prop::collection::vec((0..50_u32, 0..50_u32, 0..50_u16, any::<bool>()), 0..200)
        ) {
            let mut queue = Queue::default();
            let mut plain = Vec::new();
            for (bound, cost, waypoint, pops) in each {
                queue.push(bound, Open { cost, waypoint: WaypointId(waypoint) });
                plain.push((bound, std::cmp::Reverse(cost), waypoint));
                if pops {
                    plain.sort();
                    let (_, std::cmp::Reverse(cost), waypoint) = plain.remove(0);
                    prop_assert_eq!(queue.pop(), Some(Open { cost, waypoint: WaypointId(waypoint) }));
                }
            }
            plain.sort();
            for (_, std::cmp::Reverse(cost), waypoint) in plain {
                prop_assert_eq!(queue.pop(), Some(Open { cost, waypoint: WaypointId(waypoint) }));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }

    #[test]
    fn the_largest_of_everything_fits() {
        let mut queue = Queue::default();
        let largest = Open { cost: QUEUED_MAX, waypoint: WaypointId(WAYPOINTS_MAX as u16) };
        queue.push(QUEUED_MAX, largest);
        assert_eq!(queue.pop(), Some(largest));
    }
}
