//! The tree a map compiler made, walked as the engine walks it.
//!
//! The engine finds brushes through the leafs its path touches, and some compiled maps do not list a brush in every leaf
//! it reaches into: there the engine flies through solid matter. Whoever wants the engine's answer and not geometry's
//! has to walk this tree; [`super::forgotten`] tells for which solids that makes a difference, so that it is seldom.

use glam::Vec3;

use super::boxes::Child;
use super::clip::{Moving, PlaneGroup, SURFACE_GAP};
use super::nearest::{InOrder, Nearest};
use super::simd::Path;
use crate::contents::Contents;
use crate::map::{self, Map, Plane, Tree};
use crate::maths::dot;

#[derive(Clone, Debug, Default)]
pub(crate) struct EngineTree {
    nodes: Vec<Node>,
    leafs: Vec<Leaf>,
    listed: Vec<Listed>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    normal: Vec3,
    dist: f32,
    children: [i32; 2],
}

#[derive(Clone, Copy, Debug)]
struct Leaf {
    first: u32,
    count: u32,
}

/// A solid as a leaf lists it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) contents: Contents,
    pub(crate) child: Child,
}

/// A stretch of the path, by its fractions of the whole and its ends.
#[derive(Clone, Copy)]
struct Stretch {
    from: f32,
    to: f32,
    start: Vec3,
    end: Vec3,
}

impl EngineTree {
    /// Keeps of the map's tree what a walk needs. `listed` gives, for a leaf, its solids in the engine's order.
    pub(crate) fn of(map: &Map, tree: &Tree, listed: impl Fn(&map::Leaf, &mut Vec<Listed>)) -> EngineTree {
        let nodes = tree.nodes.iter().map(|node| {
            let Plane { normal, dist } = map.planes[node.plane as usize];
            Node { normal, dist, children: node.children }
        });
        let mut engine = EngineTree { nodes: nodes.collect(), leafs: Vec::new(), listed: Vec::new() };
        for leaf in &tree.leafs {
            let first = engine.listed.len() as u32;
            listed(leaf, &mut engine.listed);
            engine.leafs.push(Leaf { first, count: engine.listed.len() as u32 - first });
        }
        engine
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.leafs[..]) + size_of_val(&self.listed[..])
    }

    /// The engine's answer for this path.
    pub(crate) fn sweep(&self, path: Path, groups: &[PlaneGroup], moving: &Moving) -> Nearest {
        let mut found = InOrder::new(path, groups, moving);
        if moving.start == moving.end {
            self.stand(0, moving, &mut found);
        } else {
            let whole = Stretch { from: 0.0, to: 1.0, start: moving.start, end: moving.end };
            self.walk(0, moving, whole, &mut found);
        }
        found.into_nearest()
    }

    /// Near side first, then the far side, each with the stretch that may touch it.
    fn walk(&self, child: i32, moving: &Moving, stretch: Stretch, found: &mut InOrder<'_>) {
        /// What the engine takes for the box's reach through a slanted plane: both sides are looked at.
        const REACH_SLANTED: f32 = 2048.0;
        if found.fraction() <= stretch.from {
            return;
        }
        if child < 0 {
            return self.look(!child as usize, moving, found);
        }
        let node = &self.nodes[child as usize];
        let (t1, t2) = node.distances(stretch.start, stretch.end);
        let reach = match node.axis() {
            Some(axis) => moving.high[axis],
            None if moving.is_point => 0.0,
            None => REACH_SLANTED,
        };
        if t1 >= reach + 1.0 && t2 >= reach + 1.0 {
            return self.walk(node.children[0], moving, stretch, found);
        }
        if t1 < -reach - 1.0 && t2 < -reach - 1.0 {
            return self.walk(node.children[1], moving, stretch, found);
        }
        let (near, near_until, far_since) = if t1 < t2 {
            let scale = 1.0 / (t1 - t2);
            (1, (t1 - reach + SURFACE_GAP) * scale, (t1 + reach + SURFACE_GAP) * scale)
        } else if t1 > t2 {
            let scale = 1.0 / (t1 - t2);
            (0, (t1 + reach + SURFACE_GAP) * scale, (t1 - reach - SURFACE_GAP) * scale)
        } else {
            (0, 1.0, 0.0)
        };
        let (cut, at) = stretch.cut(near_until);
        self.walk(node.children[near], moving, Stretch { to: cut, end: at, ..stretch }, found);
        let (cut, at) = stretch.cut(far_since);
        self.walk(node.children[1 - near], moving, Stretch { from: cut, start: at, ..stretch }, found);
    }

    /// A box that does not move: every leaf it touches, with a unit to spare.
    fn stand(&self, child: i32, moving: &Moving, found: &mut InOrder<'_>) {
        if found.fraction() == 0.0 {
            return;
        }
        if child < 0 {
            return self.look(!child as usize, moving, found);
        }
        let node = &self.nodes[child as usize];
        let (low, high) = (moving.start + moving.low - Vec3::ONE, moving.start + moving.high + Vec3::ONE);
        let (centre, half) = ((low + high) * 0.5, (high - low) * 0.5);
        let distance = dot(node.normal, centre) - node.dist;
        let reach = dot(node.normal.abs(), half);
        if distance >= -reach {
            self.stand(node.children[0], moving, found);
        }
        if distance <= reach {
            self.stand(node.children[1], moving, found);
        }
    }

    fn look(&self, leaf: usize, moving: &Moving, found: &mut InOrder<'_>) {
        let leaf = self.leafs[leaf];
        for listed in &self.listed[leaf.first as usize..][..leaf.count as usize] {
            if listed.contents.meets(moving.mask) {
                found.solid(listed.child);
                if found.fraction() == 0.0 {
                    return;
                }
            }
        }
    }

    /// The solids listed where this point is.
    pub(crate) fn listed_at(&self, point: Vec3) -> &[Listed] {
        let mut child = 0;
        while child >= 0 {
            let node = &self.nodes[child as usize];
            child = node.children[usize::from(node.distances(point, point).0 < 0.0)];
        }
        let leaf = self.leafs[!child as usize];
        &self.listed[leaf.first as usize..][..leaf.count as usize]
    }
}

impl Node {
    /// The axis it splits, if it is one and the normal points along it: only then does the engine take short cuts.
    fn axis(&self) -> Option<usize> {
        (0..3).find(|&axis| self.normal[axis] == 1.0)
    }

    fn distances(&self, start: Vec3, end: Vec3) -> (f32, f32) {
        match self.axis() {
            Some(axis) => (start[axis] - self.dist, end[axis] - self.dist),
            None => (dot(self.normal, start) - self.dist, dot(self.normal, end) - self.dist),
        }
    }
}

impl Stretch {
    /// Where this part of the stretch ends, as a fraction of the whole path and as a point.
    fn cut(&self, part: f32) -> (f32, Vec3) {
        let part = part.clamp(0.0, 1.0);
        (self.from + (self.to - self.from) * part, self.start + part * (self.end - self.start))
    }
}
