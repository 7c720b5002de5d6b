//! A box hierarchy, eight children wide, over solids that were laid out as plane groups.
//!
//! Built top down by the surface area heuristic with an exact sweep over all three axes, then collapsed: a wide node
//! takes the largest boxes apart until it has eight children. Each leaf lane is one solid, so nothing is ever tested
//! twice.
//!
//! After Ingo Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", RT 2007, and Wald, Benthin, Boulos,
//! "Getting Rid of Packets", RT 2008 (wide nodes for single rays). We sweep exactly instead of binning: maps have
//! thousands of solids, not millions, and build in milliseconds either way.

use glam::Vec3;

use super::boxes::{Boxes, Child, Item, Slabs, Visit};
use super::clip::Moving;
use super::simd::Lanes;
use super::stack::{Room, Stack};

/// Deepest wide tree a traversal's stack can hold: each level leaves at most one node waiting.
const DEPTH_MAX: usize = 13;

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
        let octant = slabs.octant();
        let order = &ORDERS[octant];
        let mut here = self.meet(root, slabs, limit, mask, order);
        let mut room = Room::<u64, L::F, DEPTH_MAX>::new();
        let mut stack = Stack::new(&mut room);
        loop {
            if here.bits == 0 {
                let Some((packed, nears)) = stack.pop() else { return };
                here = Waiting::<L>::unpacked(packed, nears);
                if V::SHORTENS {
                    here = here.within(limit, order);
                }
                continue;
            }
            let lane = here.bits.trailing_zeros() as usize & 7 ^ octant;
            here.bits &= here.bits - 1;
            let child = self.nodes[here.node as usize].children[lane];
            if child.is_solid() {
                let seen = visit.solid::<L>(moving, child);
                if seen < 0.0 {
                    return;
                }
                if V::SHORTENS && seen < limit {
                    limit = seen;
                    here = here.within(limit, order);
                }
                continue;
            }
            let next = self.meet(child.index() as u32, slabs, limit, mask, order);
            // Nobody asks again when children are reached if nothing shortens the path.
            let nears = if V::SHORTENS { here.nears } else { L::splat(0.0) };
            stack.push_if(here.bits != 0, here.packed(), nears);
            here = next;
        }
    }

    #[inline(always)]
    fn meet<L: Lanes>(&self, node: u32, slabs: &Slabs<L>, limit: f32, mask: u32, order: &[u8; 256]) -> Waiting<L> {
        let (nears, hits) = slabs.meet(&self.nodes[node as usize], limit, mask);
        Waiting { node, bits: u32::from(order[L::bits(hits) as usize & 255]), nears }
    }
}

/// A node whose children wait to be looked at: one bit each, in the order of looking.
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
    fn within(mut self, limit: f32, order: &[u8; 256]) -> Waiting<L> {
        let reached = L::bits(L::le(self.nears, L::splat(limit)));
        self.bits &= u32::from(order[reached as usize & 255]);
        self
    }
}

/// For each direction of a path (one bit an axis, set if it runs backwards), where the bits of lanes go so that near ones come first.
static ORDERS: [[u8; 256]; 8] = orders();

const fn orders() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut octant = 0;
    while octant < 8 {
        let mut bits = 0;
        while bits < 256 {
            let mut lane = 0;
            while lane < 8 {
                table[octant][bits] |= ((bits >> lane & 1) << (lane ^ octant)) as u8;
                lane += 1;
            }
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
}

enum SplitKind {
    Item(Child),
    Pair(Box<Split>, Box<Split>),
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

    /// Turns a binary tree into wide nodes: opens the largest pair again and again until eight children stand there.
    fn collapse(&mut self, split: Split, depth: usize) -> usize {
        assert!(depth < DEPTH_MAX, "split() bounds the depth");
        let mut parts = vec![split];
        while parts.len() < 8 {
            let largest = (0..parts.len())
                .filter(|&i| matches!(parts[i].kind, SplitKind::Pair(..)))
                .max_by(|&a, &b| area(parts[a].low, parts[a].high).total_cmp(&area(parts[b].low, parts[b].high)));
            let Some(largest) = largest else { break };
            if let SplitKind::Pair(left, right) = parts.swap_remove(largest).kind {
                parts.push(*left);
                parts.push(*right);
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

/// Gives each part the lane whose corner it lies nearest to: bit 0 of a lane is set for the far half along x, and so on.
fn lanes_of(parts: &[Split]) -> Vec<usize> {
    let (low, high) =
        parts.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p.low), h.max(p.high)));
    let middle = low + high;
    let mut pairs = Vec::new();
    for (part, split) in parts.iter().enumerate() {
        let off = split.low + split.high - middle;
        for lane in 0..8 {
            let sign = |axis: usize| if lane >> axis & 1 == 1 { 1.0 } else { -1.0 };
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

fn area(low: Vec3, high: Vec3) -> f32 {
    let size = high - low;
    size.x * size.y + size.y * size.z + size.z * size.x
}

fn bounds(items: &[Item]) -> (Vec3, Vec3, u32) {
    let mut all = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0);
    for item in items {
        all = (all.0.min(item.low), all.1.max(item.high), all.2 | item.contents);
    }
    all
}

fn split(items: &mut [Item], depth: usize) -> Split {
    let (low, high, contents) = bounds(items);
    if let [item] = items {
        return Split { low, high, contents, kind: SplitKind::Item(item.child) };
    }
    // A lopsided tree could outgrow the traversal's stack: below this depth halves are halves, and 2^20 solids fit.
    const LOPSIDED_DEPTH_MAX: usize = 18;
    let at = if depth < LOPSIDED_DEPTH_MAX { cheapest_split(items) } else { median_split(items) };
    let (left, right) = items.split_at_mut(at);
    let pair = SplitKind::Pair(Box::new(split(left, depth + 1)), Box::new(split(right, depth + 1)));
    Split { low, high, contents, kind: pair }
}

fn sort_along(items: &mut [Item], axis: usize) {
    // The child breaks ties, so that equal maps give equal trees whatever order sorting left them in.
    items.sort_unstable_by(|a, b| {
        let (a_mid, b_mid) = (a.low[axis] + a.high[axis], b.low[axis] + b.high[axis]);
        a_mid.total_cmp(&b_mid).then(a.child.cmp(&b.child))
    });
}

fn median_split(items: &mut [Item]) -> usize {
    let (low, high, _) = bounds(items);
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
