//! Who might be seen from where: the bit rows a map compiler worked out, asked by cluster or by point.
//!
//! A set bit promises nothing, a clear one promises that no ray connects the two clusters through the bare map.
//! Outside of everything a leaf has cluster -1. From there the engine looks through the eyes of cluster 0, and so do
//! we; towards there it tests a bit in front of the row, which may be any: we answer "not seen".

use glam::Vec3;

use super::{Map, Visibility};
use crate::contents::Contents;

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
}
