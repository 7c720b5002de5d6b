//! A box hierarchy, eight children wide, over solids that were laid out as plane groups.
//!
//! Built top down by the surface area heuristic with an exact sweep over all three axes, then collapsed: a wide node
//! takes the largest boxes apart until it has eight children. Each leaf lane is one solid, so nothing is ever tested
//! twice. Boxes are grown by the gap a moving thing keeps from surfaces, and a little for rounding: culling may let too
//! much through, never too little.
//!
//! After Ingo Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", RT 2007, and Wald, Benthin, Boulos,
//! "Getting Rid of Packets", RT 2008 (wide nodes for single rays). We sweep exactly instead of binning: maps have
//! thousands of solids, not millions, and build in milliseconds either way.

use glam::Vec3;

use super::clip::{Moving, SURFACE_GAP};
use super::simd::Lanes;

/// Grown on every side: the gap kept from surfaces, and what float rounding can add at map size.
const SLACK: f32 = SURFACE_GAP + 1.0 / 32.0;

/// Deepest wide tree a traversal's stack can hold: each level leaves at most seven siblings waiting.
const DEPTH_MAX: usize = 13;
const STACK_SIZE: usize = 7 * DEPTH_MAX + 5;

/// Which solid a leaf lane holds, packed into 32 bits with its kind, so that a traversal reads no further table.
///
/// Bits from the top: leaf, facet, uncertain, 9 of plane count, 20 of first plane group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child(u32);

impl Child {
    const LEAF: u32 = 1 << 31;
    const FACET: u32 = 1 << 30;
    const UNCERTAIN: u32 = 1 << 29;
    pub(crate) const PLANES_MAX: usize = (1 << 9) - 1;
    pub(crate) const GROUPS_MAX: usize = 1 << 20;

    fn node(index: usize) -> Child {
        Child(index as u32)
    }

    pub(crate) fn solid(group_first: usize, plane_count: usize, is_facet: bool, is_uncertain: bool) -> Child {
        assert!(
            plane_count <= Child::PLANES_MAX && group_first < Child::GROUPS_MAX,
            "checked when solids are laid out"
        );
        let kind = if is_facet { Child::FACET } else { 0 } | if is_uncertain { Child::UNCERTAIN } else { 0 };
        Child(Child::LEAF | kind | (plane_count as u32) << 20 | group_first as u32)
    }

    #[inline(always)]
    fn is_solid(self) -> bool {
        self.0 & Child::LEAF != 0
    }
    #[inline(always)]
    pub(crate) fn is_facet(self) -> bool {
        self.0 & Child::FACET != 0
    }
    /// The compiled tree does not list it everywhere it reaches: only a walk of that tree can tell.
    #[inline(always)]
    pub(crate) fn is_uncertain(self) -> bool {
        self.0 & Child::UNCERTAIN != 0
    }
    #[inline(always)]
    pub(crate) fn group_first(self) -> usize {
        (self.0 & 0xf_ffff) as usize
    }
    #[inline(always)]
    pub(crate) fn plane_count(self) -> usize {
        (self.0 >> 20 & 0x1ff) as usize
    }
    #[inline(always)]
    pub(crate) fn group_range(self) -> std::ops::Range<usize> {
        let first = self.group_first();
        first..first + self.plane_count().div_ceil(8)
    }
}

/// Eight boxes side by side, what fills each, and what each holds. Four cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Node {
    low: [[f32; 8]; 3],
    high: [[f32; 8]; 3],
    contents: [u32; 8],
    children: [Child; 8],
}

impl Node {
    const EMPTY: Node =
        Node { low: [[f32::MAX; 8]; 3], high: [[f32::MIN; 8]; 3], contents: [0; 8], children: [Child(0); 8] };
}

/// A solid to be put into the hierarchy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
    pub(crate) contents: u32,
    pub(crate) child: Child,
}

/// Where one model's hierarchy begins; none for a model with nothing solid in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Root(Option<u32>);

/// The hierarchies of all models of a map, in one array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hierarchy {
    nodes: Vec<Node>,
}

/// What a traversal does with each solid it reaches.
pub(crate) trait Visit {
    /// Looks at a solid; returns how far the search still has to look (a fraction of the path), negative to stop.
    fn solid<L: Lanes>(&mut self, child: Child) -> f32;
}

impl Hierarchy {
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
    }

    /// Visits every solid whose box the moving box may meet, near ones first, shortening the path as the visitor says.
    #[inline(always)]
    pub(crate) fn along<L: Lanes>(&self, root: Root, moving: &Moving, visit: &mut impl Visit) {
        let Some(root) = root.0 else { return };
        let slabs = Slabs::<L>::of(moving);
        let mask = moving.mask.0;
        let mut limit = 1.0f32;
        let mut stack = [(0.0f32, Child(root)); STACK_SIZE];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (near, child) = stack[top];
            if near > limit {
                continue;
            }
            if child.is_solid() {
                limit = visit.solid::<L>(child);
                if limit < 0.0 {
                    return;
                }
                continue;
            }
            let node = &self.nodes[child.0 as usize];
            let (nears, hits) = slabs.meet(node, limit, mask);
            let mut hits = L::bits(hits);
            if hits == 0 {
                continue;
            }
            let nears = L::store(nears);
            let base = top;
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize & 7;
                hits &= hits - 1;
                // Keep what was pushed for this node sorted, nearest on top.
                let near = nears[lane];
                let mut at = top;
                while at > base && stack[at - 1].0 < near {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = (near, node.children[lane]);
                top += 1;
            }
        }
    }

    /// Visits every solid whose box meets the box around the whole path, in no useful order: cheaper than
    /// [`Hierarchy::along`] when the path is short.
    #[inline(always)]
    pub(crate) fn around<L: Lanes>(&self, root: Root, moving: &Moving, visit: &mut impl Visit) {
        let Some(root) = root.0 else { return };
        let low = moving.start.min(moving.end) + moving.low;
        let high = moving.start.max(moving.end) + moving.high;
        let (low_x, low_y, low_z) = (L::splat(low.x), L::splat(low.y), L::splat(low.z));
        let (high_x, high_y, high_z) = (L::splat(high.x), L::splat(high.y), L::splat(high.z));
        let mut stack = [Child(root); STACK_SIZE];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let node = &self.nodes[stack[top].0 as usize];
            let x = L::and(L::ge(high_x, L::load(&node.low[0])), L::le(low_x, L::load(&node.high[0])));
            let y = L::and(L::ge(high_y, L::load(&node.low[1])), L::le(low_y, L::load(&node.high[1])));
            let z = L::and(L::ge(high_z, L::load(&node.low[2])), L::le(low_z, L::load(&node.high[2])));
            let meets = L::meets(&node.contents, moving.mask.0);
            let mut hits = L::bits(L::and(L::and(x, y), L::and(z, meets)));
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize & 7;
                hits &= hits - 1;
                let child = node.children[lane];
                if !child.is_solid() {
                    stack[top] = child;
                    top += 1;
                } else if visit.solid::<L>(child) < 0.0 {
                    return;
                }
            }
        }
    }
}

/// The path, divided out once for the slab test of every node.
struct Slabs<L: Lanes> {
    near_from: [L::F; 3],
    far_from: [L::F; 3],
    inverse: [L::F; 3],
    backwards: [bool; 3],
}

impl<L: Lanes> Slabs<L> {
    #[inline(always)]
    fn of(moving: &Moving) -> Slabs<L> {
        let way = (moving.end - moving.start).to_array();
        let (start, low, high) = (moving.start.to_array(), moving.low.to_array(), moving.high.to_array());
        let backwards = way.map(|d| d < 0.0);
        // A box meets a low face with its high side and the other way round.
        let low_from: [f32; 3] = std::array::from_fn(|i| start[i] + high[i]);
        let high_from: [f32; 3] = std::array::from_fn(|i| start[i] + low[i]);
        let near_from = std::array::from_fn(|i| L::splat(if backwards[i] { high_from[i] } else { low_from[i] }));
        let far_from = std::array::from_fn(|i| L::splat(if backwards[i] { low_from[i] } else { high_from[i] }));
        // Not infinite for axes along which nothing moves: zero times infinity would be no number.
        let inverse = way.map(|d| L::splat(if d.abs() < 1e-20 { 1e20 } else { 1.0 / d }));
        Slabs { near_from, far_from, inverse, backwards }
    }

    /// At which fraction each of the node's boxes is reached, and which are reached at all before `limit`.
    #[inline(always)]
    fn meet(&self, node: &Node, limit: f32, mask: u32) -> (L::F, L::M) {
        let face = |axis: usize, near: bool| {
            if self.backwards[axis] == near { &node.high[axis] } else { &node.low[axis] }
        };
        let near = |axis| L::mul(L::sub(L::load(face(axis, true)), self.near_from[axis]), self.inverse[axis]);
        let far = |axis| L::mul(L::sub(L::load(face(axis, false)), self.far_from[axis]), self.inverse[axis]);
        let nears = L::max(L::max(near(0), near(1)), L::max(near(2), L::splat(0.0)));
        let fars = L::min(L::min(far(0), far(1)), L::min(far(2), L::splat(limit)));
        (nears, L::and(L::le(nears, fars), L::meets(&node.contents, mask)))
    }
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
        for item in items.iter_mut() {
            item.low -= Vec3::splat(SLACK);
            item.high += Vec3::splat(SLACK);
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
        self.nodes.push(Node::EMPTY);
        for (lane, part) in parts.into_iter().enumerate() {
            let (low, high, contents) = (part.low, part.high, part.contents);
            let child = match part.kind {
                SplitKind::Item(child) => child,
                SplitKind::Pair(..) => Child::node(self.collapse(part, depth + 1)),
            };
            let node = &mut self.nodes[index];
            for axis in 0..3 {
                node.low[axis][lane] = low[axis];
                node.high[axis][lane] = high[axis];
            }
            node.contents[lane] = contents;
            node.children[lane] = child;
        }
        index
    }
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
        a_mid.total_cmp(&b_mid).then(a.child.0.cmp(&b.child.0))
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
