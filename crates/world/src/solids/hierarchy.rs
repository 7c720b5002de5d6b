//! A box hierarchy, eight children wide, over solids that were laid out as plane groups.
//!
//! Built top down by the surface area heuristic with an exact sweep over all three axes, then collapsed into wide nodes in
//! the cheapest of all ways. Each leaf lane is one solid, so nothing is ever tested twice.
//!
//! After Ingo Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", RT 2007, Wald, Benthin, Boulos,
//! "Getting Rid of Packets", RT 2008 (wide nodes for single rays), and Ylitie, Karras, Laine, "Efficient Incoherent Ray
//! Traversal on GPUs Through Compressed Wide BVHs", HPG 2017, section 3.1 (which parts of a binary tree become children of
//! one wide node). We sweep exactly instead of binning: maps have thousands of solids, not millions, and build in
//! milliseconds either way. A leaf is always one solid, so only nodes cost anything.

use glam::Vec3;

use super::boxes::{Boxes, Child, Item, Slabs, Visit, octant_bit};
use super::clip::Moving;
use super::simd::Lanes;
use super::stack::{Room, Stack};

/// Children of a node.
const WIDTH: usize = 8;
/// A lopsided tree could outgrow the traversal's stack: below this depth halves are halves.
const LOPSIDED_DEPTH_MAX: usize = 18;
/// Deepest wide tree a traversal's stack can hold: each level leaves at most one node waiting. A wide node takes at least
/// one binary one apart, and as many solids as there can be are halved down to one in so many levels.
pub(super) const DEPTH_MAX: usize = LOPSIDED_DEPTH_MAX + Child::GROUPS_MAX.ilog2() as usize;
/// The size of what mostly goes down a hierarchy: a standing player.
const MOVING: Vec3 = Vec3::new(30.0, 30.0, 56.0);

/// Where one model's hierarchy begins; none for a model with nothing solid in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Root(Option<u32>);

/// The hierarchies of all models of a map, in one array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hierarchy {
    nodes: Vec<Boxes>,
}

impl Root {
    pub(super) fn node(self) -> Option<u32> {
        self.0
    }
}

impl Hierarchy {
    #[inline(always)]
    pub(super) fn node(&self, index: u32) -> &Boxes {
        &self.nodes[index as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Boxes>()
    }

    /// Visits every solid whose box the moving box may meet, near ones first, shortening the path as the visitor says.
    #[inline(always)]
    pub(crate) fn along<L: Lanes, V: Visit>(&self, root: Root, moving: &Moving, slabs: &Slabs<L>, visit: &mut V) {
        let Some(root) = root.0 else { return };
        let mask = moving.mask.0;
        let mut limit = 1.0f32;
        let first = &FIRSTS[slabs.octant()];
        let mut here = self.meet(root, slabs, limit, mask);
        let mut room = Room::<u64, L::F, DEPTH_MAX>::new();
        let mut stack = Stack::new(&mut room);
        loop {
            if here.bits == 0 {
                let Some((packed, nears)) = stack.pop() else { return };
                here = Waiting::<L>::unpacked(packed, nears);
                if V::SHORTENS {
                    here = here.within(limit);
                }
                continue;
            }
            let lane = first[here.bits as usize & 255] & 7;
            here.bits ^= 1 << lane;
            let child = self.nodes[here.node as usize].children[lane as usize];
            if child.is_solid() {
                let seen = visit.solid::<L>(moving, child);
                if seen < 0.0 {
                    return;
                }
                if V::SHORTENS && seen < limit {
                    limit = seen;
                    here = here.within(limit);
                }
                continue;
            }
            let next = self.meet(child.index() as u32, slabs, limit, mask);
            // Nobody asks again when children are reached if nothing shortens the path.
            let nears = if V::SHORTENS { here.nears } else { L::splat(0.0) };
            stack.push_if(here.bits != 0, here.packed(), nears);
            here = next;
        }
    }

    #[inline(always)]
    fn meet<L: Lanes>(&self, node: u32, slabs: &Slabs<L>, limit: f32, mask: u32) -> Waiting<L> {
        let (nears, hits) = slabs.meet(&self.nodes[node as usize], limit, mask);
        Waiting { node, bits: L::bits(hits), nears }
    }
}

/// A node whose children wait to be looked at, one bit each.
#[derive(Clone, Copy)]
struct Waiting<L: Lanes> {
    node: u32,
    bits: u32,
    nears: L::F,
}

impl<L: Lanes> Waiting<L> {
    /// All but the lanes, in one word.
    #[inline(always)]
    fn packed(&self) -> u64 {
        u64::from(self.node) | u64::from(self.bits) << 32
    }

    #[inline(always)]
    fn unpacked(packed: u64, nears: L::F) -> Waiting<L> {
        Waiting { node: packed as u32, bits: (packed >> 32) as u32, nears }
    }

    /// Without those that lie beyond what was met since.
    #[inline(always)]
    fn within(mut self, limit: f32) -> Waiting<L> {
        self.bits &= L::bits(L::le(self.nears, L::splat(limit)));
        self
    }
}

/// For each octant of a path and each set of lanes, which of them to look at first: they are given out so that the nearer
/// corner's is the nearer child. Looked up, and not shifted into an order first: it is one step less on the one chain, from
/// a node's boxes to its child's, that a search's time is made of.
static FIRSTS: [[u8; 256]; 8] = firsts();

const fn firsts() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut octant = 0;
    while octant < 8 {
        let mut bits = 1;
        while bits < 256 {
            let mut place = 0;
            while bits >> (place ^ octant) & 1 == 0 {
                place += 1;
            }
            table[octant][bits] = (place ^ octant) as u8;
            bits += 1;
        }
        octant += 1;
    }
    table
}

// Building.

/// A binary node while the tree is being made.
struct Split {
    low: Vec3,
    high: Vec3,
    contents: u32,
    kind: SplitKind,
    /// What it costs to stand in a wide node as at most one, two, .. eight children.
    forests: [Forest; WIDTH],
}

enum SplitKind {
    Item(Child),
    Pair(Box<Split>, Box<Split>),
}

/// The cheapest way to hand a part of the tree out as a limited number of children.
#[derive(Clone, Copy, Default)]
struct Forest {
    /// Areas of all wide nodes below, in sum: in proportion to how many of them a path is expected to look at.
    cost: f32,
    /// How many children its left and its right half become; none where it stays one child.
    halves: Option<(u8, u8)>,
}

impl Hierarchy {
    /// Adds a hierarchy over these solids.
    pub(crate) fn add(&mut self, items: &mut [Item]) -> Root {
        if items.is_empty() {
            return Root(None);
        }
        let binary = split(items, 0);
        let root = self.collapse(binary, 0);
        Root(Some(root as u32))
    }

    /// Turns a binary tree into wide nodes.
    fn collapse(&mut self, split: Split, depth: usize) -> usize {
        assert!(depth < DEPTH_MAX, "split() bounds the depth");
        let mut parts = Vec::with_capacity(WIDTH);
        match split.kind {
            SplitKind::Item(_) => parts.push(split),
            SplitKind::Pair(left, right) => {
                let (to_left, to_right, _) = cheapest_halves(&left, &right, WIDTH);
                left.hand_out(to_left, &mut parts);
                right.hand_out(to_right, &mut parts);
            }
        }
        let index = self.nodes.len();
        self.nodes.push(Boxes::EMPTY);
        let lanes = lanes_of(&parts);
        for (part, lane) in parts.into_iter().zip(lanes) {
            let (low, high, contents) = (part.low, part.high, part.contents);
            let child = match part.kind {
                SplitKind::Item(child) => child,
                SplitKind::Pair(..) => Child::node(self.collapse(part, depth + 1)),
            };
            self.nodes[index].set(lane, low, high, contents, child);
        }
        index
    }
}

impl Split {
    fn item(low: Vec3, high: Vec3, item: &Item) -> Split {
        Split { low, high, contents: item.contents, kind: SplitKind::Item(item.child), forests: Default::default() }
    }

    fn pair(low: Vec3, high: Vec3, left: Split, right: Split) -> Split {
        let (.., below) = cheapest_halves(&left, &right, WIDTH);
        let mut forests = [Forest { cost: area(low, high) + below, halves: None }; WIDTH];
        for count in 2..=WIDTH {
            let (to_left, to_right, cost) = cheapest_halves(&left, &right, count);
            let opened = Forest { cost, halves: Some((to_left as u8, to_right as u8)) };
            forests[count - 1] = if cost < forests[count - 2].cost { opened } else { forests[count - 2] };
        }
        let contents = left.contents | right.contents;
        Split { low, high, contents, kind: SplitKind::Pair(Box::new(left), Box::new(right)), forests }
    }

    /// Adds itself as at most `count` children.
    fn hand_out(self, count: usize, parts: &mut Vec<Split>) {
        match (self.forests[count - 1].halves, self.kind) {
            (Some((to_left, to_right)), SplitKind::Pair(left, right)) => {
                left.hand_out(to_left.into(), parts);
                right.hand_out(to_right.into(), parts);
            }
            (_, kind) => parts.push(Split { kind, ..self }),
        }
    }
}

/// How two halves share `count` children at the least cost: those of the left, those of the right, the cost.
fn cheapest_halves(left: &Split, right: &Split, count: usize) -> (usize, usize, f32) {
    let share = |to_left: usize| {
        let to_right = count - to_left;
        (to_left, to_right, left.forests[to_left - 1].cost + right.forests[to_right - 1].cost)
    };
    (2..count).map(share).fold(share(1), |best, next| if next.2 < best.2 { next } else { best })
}

/// Gives each part the lane whose corner it lies nearest to: as an octant's, a lane's bits tell the upper halves.
fn lanes_of(parts: &[Split]) -> Vec<usize> {
    let (low, high) =
        parts.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p.low), h.max(p.high)));
    let middle = low + high;
    let mut pairs = Vec::new();
    for (part, split) in parts.iter().enumerate() {
        let off = split.low + split.high - middle;
        for lane in 0..8 {
            let sign = |axis: usize| if lane >> octant_bit(axis) & 1 == 1 { 1.0 } else { -1.0 };
            pairs.push((off.x * sign(0) + off.y * sign(1) + off.z * sign(2), part, lane));
        }
    }
    pairs.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut lanes = vec![usize::MAX; parts.len()];
    let mut taken = [false; 8];
    for (_, part, lane) in pairs {
        if lanes[part] == usize::MAX && !taken[lane] {
            lanes[part] = lane;
            taken[lane] = true;
        }
    }
    lanes
}

/// Half the surface of a box grown by what moves: in proportion to how many of all paths meet it.
fn area(low: Vec3, high: Vec3) -> f32 {
    let size = high - low + MOVING;
    size.x * size.y + size.y * size.z + size.z * size.x
}

fn bounds(items: &[Item]) -> (Vec3, Vec3) {
    let mut all = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for item in items {
        all = (all.0.min(item.low), all.1.max(item.high));
    }
    all
}

fn split(items: &mut [Item], depth: usize) -> Split {
    let (low, high) = bounds(items);
    if let [item] = items {
        return Split::item(low, high, item);
    }
    let at = if depth < LOPSIDED_DEPTH_MAX { cheapest_split(items) } else { median_split(items) };
    let (left, right) = items.split_at_mut(at);
    Split::pair(low, high, split(left, depth + 1), split(right, depth + 1))
}

fn sort_along(items: &mut [Item], axis: usize) {
    // The child breaks ties, so that equal maps give equal trees whatever order sorting left them in.
    items.sort_unstable_by(|a, b| {
        let (a_mid, b_mid) = (a.low[axis] + a.high[axis], b.low[axis] + b.high[axis]);
        a_mid.total_cmp(&b_mid).then(a.child.cmp(&b.child))
    });
}

fn median_split(items: &mut [Item]) -> usize {
    let (low, high) = bounds(items);
    let size = high - low;
    let longest = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
    sort_along(items, longest);
    items.len() / 2
}

/// Orders items along the best axis and says where to cut: least expected cost, area times count on both sides.
fn cheapest_split(items: &mut [Item]) -> usize {
    let mut best = (f32::INFINITY, 0, 0);
    let mut right_areas = vec![0.0; items.len()];
    for axis in 0..3 {
        sort_along(items, axis);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for i in (1..items.len()).rev() {
            (low, high) = (low.min(items[i].low), high.max(items[i].high));
            right_areas[i] = area(low, high);
        }
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for i in 1..items.len() {
            (low, high) = (low.min(items[i - 1].low), high.max(items[i - 1].high));
            let cost = area(low, high) * i as f32 + right_areas[i] * (items.len() - i) as f32;
            if cost < best.0 {
                best = (cost, axis, i);
            }
        }
    }
    if best.2 == 0 {
        // Only boxes without any size get here; any cut will do.
        return items.len() / 2;
    }
    sort_along(items, best.1);
    best.2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::Contents;
    use crate::pcg::Pcg;
    use crate::solids::simd::Portable;
    use crate::trace::Sweep;

    fn item(low: Vec3, high: Vec3, number: usize) -> Item {
        Item { low, high, contents: 1, child: Child::solid(number, 6, false, false) }
    }

    /// Notes which solids it is shown, in order.
    #[derive(Default)]
    struct Seen(Vec<usize>);

    impl Visit for Seen {
        fn solid<L: Lanes>(&mut self, _: &Moving, child: Child) -> f32 {
            self.0.push(child.group_first());
            1.0
        }
    }

    fn seen(items: &mut [Item], start: Vec3, end: Vec3) -> Vec<usize> {
        let mut hierarchy = Hierarchy::default();
        let root = hierarchy.add(items);
        let moving = Moving::of_point(&Sweep::ray(start, end, Contents(1)));
        let mut seen = Seen::default();
        hierarchy.along(root, &moving, &Slabs::<Portable>::of(&moving), &mut seen);
        seen.0
    }

    #[test]
    fn every_solid_on_the_way_is_shown_once() {
        let mut pcg = Pcg::named(1, "hierarchy");
        for count in [1, 2, 7, 8, 9, 64, 500] {
            let mut place = || Vec3::new(pcg.range(0.0, 900.0), pcg.range(0.0, 900.0), 0.0);
            let mut items: Vec<Item> = (0..count)
                .map(|number| {
                    let low = place();
                    item(low, low + Vec3::new(40.0, 40.0, 8.0), number)
                })
                .collect();
            let (start, end) = (Vec3::new(0.0, 0.0, 4.0), Vec3::new(1000.0, 900.0, 4.0));
            let mut expected: Vec<usize> =
                items.iter().filter(|i| is_met(i, start, end)).map(|i| i.child.group_first()).collect();
            let mut shown = seen(&mut items, start, end);
            expected.sort_unstable();
            shown.sort_unstable();
            assert_eq!(shown, expected, "of {count}");
        }
    }

    /// The slab test, once more and plainly.
    fn is_met(item: &Item, start: Vec3, end: Vec3) -> bool {
        let way = end - start;
        let (mut near, mut far) = (0.0f32, 1.0f32);
        for axis in 0..2 {
            let (low, high) = ((item.low[axis] - start[axis]) / way[axis], (item.high[axis] - start[axis]) / way[axis]);
            (near, far) = (near.max(low.min(high)), far.min(low.max(high)));
        }
        near <= far
    }

    #[test]
    fn near_ones_come_first_whichever_way_a_path_runs() {
        let row =
            || (0..8).map(|n| item(Vec3::X * (n as f32 * 100.0), Vec3::new(n as f32 * 100.0 + 50.0, 50.0, 50.0), n));
        let (west, east) = (Vec3::new(-100.0, 25.0, 25.0), Vec3::new(900.0, 26.0, 26.0));
        let there = seen(&mut row().collect::<Vec<_>>(), west, east);
        let back = seen(&mut row().collect::<Vec<_>>(), east, west);
        assert_eq!((there.len(), back.len()), (8, 8));
        let half = |shown: &[usize]| shown[..4].iter().all(|&n| n < 4);
        assert!(half(&there), "{there:?}");
        assert!(half(&back.iter().rev().copied().collect::<Vec<_>>()), "{back:?}");
    }

    #[test]
    fn a_tree_as_lopsided_as_can_be_fits_the_stack() {
        // Every box is half as large as the one before it: the cheapest cut always takes off one.
        let boxes = (0..100).map(|n| (n, 2f32.powi(60 - n)));
        let mut items: Vec<Item> =
            boxes.map(|(n, size)| item(Vec3::splat(size), Vec3::splat(size * 1.5), n as usize)).collect();
        assert_eq!(seen(&mut items, Vec3::ZERO, Vec3::splat(2f32.powi(62))).len(), 100);
    }
}
