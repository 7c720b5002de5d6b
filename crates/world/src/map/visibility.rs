//! Who might be seen from where: the bit rows a map compiler worked out, asked by cluster or by point.
//!
//! A set bit promises nothing, a clear one promises that no ray connects the two clusters through the bare map.
//! Outside of everything a leaf has cluster -1. From there the engine looks through the eyes of cluster 0, and so do
//! we; towards there it tests a bit in front of the row, which may be any: we answer "not seen".

use glam::Vec3;

use super::{Map, Visibility};
use crate::contents::Contents;
use crate::trace::Bounds;

impl Visibility {
    /// Whether `to` may be seen from `from`.
    pub fn sees(&self, from: i32, to: i32) -> bool {
        let Some(to) = self.row_of(to) else { return false };
        let row = self.row_of(from).unwrap_or(0) * self.row_bytes as usize;
        // A map may have no cluster at all; then there is no row 0 either.
        self.bits.get(row + to / 8).is_some_and(|byte| byte & (1 << (to % 8)) != 0)
    }

    fn row_of(&self, cluster: i32) -> Option<usize> {
        u32::try_from(cluster).ok().filter(|&c| c < self.cluster_count).map(|c| c as usize)
    }
}

impl Map {
    /// The cluster a point lies in: -1 outside the map, and everywhere in a map without a tree.
    pub fn cluster_at(&self, point: Vec3) -> i32 {
        self.tree.as_ref().map_or(-1, |tree| tree.leaf_at(&self.planes, point).cluster)
    }

    /// Whether one point may be seen from another as far as the compiler knew; always, if it worked nothing out.
    /// Doors are not looked at.
    pub fn may_see(&self, from: Vec3, to: Vec3) -> bool {
        match &self.visibility {
            Some(table) => table.sees(self.cluster_at(from), self.cluster_at(to)),
            None => true,
        }
    }

    /// Whether anything of a box may be seen from a point as far as the compiler knew; always, if it worked nothing out
    /// there. Unlike a point, a box is in all the clusters it reaches into.
    pub fn may_see_into(&self, from: Vec3, bounds: &Bounds) -> bool {
        let (Some(tree), Some(table)) = (&self.tree, &self.visibility) else { return true };
        let cluster = self.cluster_at(from);
        cluster < 0 || tree.any_leaf_in(&self.planes, bounds, &mut |leaf| table.sees(cluster, leaf.cluster))
    }

    /// The map with everything taken for air that is solid and lets light through; none if there is nothing of the kind.
    /// A mask cannot say that: glass has the bits of solid and of translucent, and a mask asks for any of its bits.
    pub fn without_glass(&self) -> Option<Map> {
        let is_glass =
            |contents: Contents| contents.meets(Contents::TRANSLUCENT) && contents.meets(Contents::MASK_OPAQUE);
        if !self.shaders.iter().any(|shader| is_glass(shader.contents)) {
            return None;
        }
        let mut clear = self.clone();
        for shader in &mut clear.shaders {
            if is_glass(shader.contents) {
                shader.contents = shader.contents & !Contents::MASK_OPAQUE;
            }
        }
        Some(clear)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Leaf, Node, Plane, Tree};
    use super::*;

    #[test]
    fn clusters_outside_the_table_are_never_looked_up() {
        let table = Visibility { cluster_count: 2, row_bytes: 1, bits: vec![0b01, 0b11] };
        assert!(table.sees(0, 0) && !table.sees(0, 1) && table.sees(1, 0) && table.sees(1, 1));
        // From outside: what cluster 0 sees. Towards outside: nothing.
        assert!(table.sees(-1, 0) && !table.sees(-1, 1));
        assert!(!table.sees(1, -1) && !table.sees(1, 2) && !table.sees(i32::MIN, i32::MAX));
        assert!(!Visibility::default().sees(0, 0) && !Visibility::default().sees(-1, -1));
    }

    #[test]
    fn a_box_is_in_every_cluster_it_reaches_into() {
        // Cut at x = 0: cluster 0 in front, cluster 1 behind it. The one in front does not see the other.
        let leaf = |cluster| Leaf { cluster, area: 0, brush_first: 0, brush_count: 0, patch_first: 0, patch_count: 0 };
        let map = Map {
            planes: vec![Plane { normal: Vec3::X, dist: 0.0 }],
            tree: Some(Tree {
                nodes: vec![Node { plane: 0, children: [-1, -2] }],
                leafs: vec![leaf(0), leaf(1)],
                ..Tree::default()
            }),
            visibility: Some(Visibility { cluster_count: 2, row_bytes: 1, bits: vec![0b01, 0b11] }),
            ..Map::default()
        };
        let around = |x: f32| Bounds { mins: Vec3::new(x - 8.0, -8.0, -8.0), maxs: Vec3::new(x + 8.0, 8.0, 8.0) };
        let eye = Vec3::X * 100.0;
        assert!(!map.may_see_into(eye, &around(-20.0)));
        assert!(map.may_see_into(eye, &around(-7.0)) && !map.may_see(eye, Vec3::X * -7.0));
        assert!(map.may_see_into(-eye, &around(20.0)));
        assert!(Map { visibility: None, ..map }.may_see_into(eye, &around(-20.0)));
    }
}
