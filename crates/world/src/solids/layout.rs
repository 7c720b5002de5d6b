//! From a map's tables to plane groups: which solid lies where, in the order the engine looks at them.

use glam::Vec3;

use super::boxes::{Child, Item};
use super::cells::Cells;
use super::clip::PlaneGroup;
use super::forgotten::{self, Forgotten};
use super::hierarchy::Hierarchy;
use super::simd::Path;
use super::tree::{EngineTree, Listed};
use super::{Fidelity, ModelSolids, Solids, openness};
use crate::contents::Contents;
use crate::map::{Leaf, Map, Model, Plane, Tree};
use crate::patch::facets;
use crate::trace::Struck;
use crate::units::{BrushId, PatchId};

/// What a group of planes belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) struck: Struck,
    pub(crate) contents: Contents,
    pub(crate) is_uncertain: bool,
}

/// The laid-out solids of each brush and patch, before hierarchies are built over them.
#[derive(Default)]
struct Layout {
    groups: Vec<PlaneGroup>,
    surfaces: Vec<[u32; 8]>,
    owner_of_group: Vec<u32>,
    owners: Vec<Owner>,
    /// By brush id; brushes without any contents are never asked for.
    brushes: Vec<Option<Item>>,
    /// By patch id: its facets.
    patches: Vec<Vec<Item>>,
}

pub(crate) fn lay_out(map: &Map, fidelity: Fidelity, path: Path) -> Solids {
    let tree = map.tree.as_ref().filter(|_| fidelity == Fidelity::Engine);
    let unlisted = tree.map_or_else(Forgotten::default, |tree| forgotten::find(map, tree));
    let mut layout = Layout { brushes: vec![None; map.brushes.len()], ..Layout::default() };
    // Compilers list the brushes of a leaf from the last to the first, and the engine looks at them in that order.
    for id in (0..map.brushes.len()).rev() {
        layout.add_brush(map, BrushId(id as u32), unlisted.brush(id));
    }
    for id in 0..map.patches.len() {
        layout.add_patch(map, PatchId(id as u32), unlisted.patch(id));
    }
    let mut hierarchy = Hierarchy::default();
    let models = map.models.iter().map(|model| ModelSolids {
        root: hierarchy.add(&mut layout.items_of(model)),
        mins: model.mins,
        maxs: model.maxs,
    });
    let models = models.collect();
    let cells = Cells::of(&map.models.first().map_or(Vec::new(), |world| layout.items_of(world)));
    let tree = tree.map(|tree| EngineTree::of(map, tree, |leaf, listed| layout.list(tree, leaf, listed)));
    let Layout { groups, surfaces, owner_of_group, owners, .. } = layout;
    let mut solids =
        Solids { path, groups, surfaces, owner_of_group, owners, hierarchy, cells, is_open: false, models, tree };
    solids.is_open = openness::is_open(map, &solids);
    solids
}

impl Layout {
    fn add_brush(&mut self, map: &Map, id: BrushId, is_uncertain: bool) {
        let brush = &map.brushes[id.index()];
        let contents = map.shaders[brush.shader as usize].contents;
        let sides = &map.sides[brush.side_first as usize..][..brush.side_count as usize];
        if contents.is_empty() || sides.len() < 6 {
            return;
        }
        let owner = Owner { struck: Struck::Brush(id), contents, is_uncertain };
        let planes = sides.iter().map(|side| {
            let plane = map.planes[side.plane as usize];
            (plane.normal, plane.dist, map.shaders[side.shader as usize].surface.0)
        });
        // The first six sides are the brush's bounds: -x, +x, -y, +y, -z, +z.
        let dist = |side: usize| map.planes[sides[side].plane as usize].dist;
        let low = -Vec3::new(dist(0), dist(2), dist(4));
        let high = Vec3::new(dist(1), dist(3), dist(5));
        let child = self.push(owner, planes, false);
        self.brushes[id.index()] = Some(Item { low, high, contents: contents.0, child });
    }

    fn add_patch(&mut self, map: &Map, id: PatchId, is_uncertain: bool) {
        let patch = &map.patches[id.index()];
        let shader = &map.shaders[patch.shader as usize];
        let facets = facets(patch).expect("patches are checked when a map is read");
        let owner = Owner { struck: Struck::Patch(id), contents: shader.contents, is_uncertain };
        let mut items = Vec::with_capacity(facets.facets.len());
        for facet in &facets.facets {
            let planes = facets.planes_of(facet).map(|plane| (plane.normal, plane.dist, shader.surface.0));
            let child = self.push(owner, planes, true);
            let (low, high) = facet_bounds(facets.planes_of(facet), facets.mins, facets.maxs);
            items.push(Item { low, high, contents: shader.contents.0, child });
        }
        self.patches.push(items);
    }

    fn push(&mut self, owner: Owner, planes: impl ExactSizeIterator<Item = (Vec3, f32, u32)>, is_facet: bool) -> Child {
        let first = self.groups.len();
        let count = planes.len();
        for (index, (normal, dist, surface)) in planes.enumerate() {
            let lane = index % 8;
            if lane == 0 {
                self.groups.push(PlaneGroup::EMPTY);
                self.surfaces.push([0; 8]);
                self.owner_of_group.push(self.owners.len() as u32);
            }
            let group = self.groups.len() - 1;
            self.groups[group].set(lane, normal, dist);
            self.surfaces[group][lane] = surface;
        }
        self.owners.push(owner);
        Child::solid(first, count, is_facet, owner.is_uncertain)
    }

    /// The solids of one model, grown for culling.
    fn items_of(&self, model: &Model) -> Vec<Item> {
        let brushes = model.brushes.iter().filter_map(|id| self.brushes[id.index()]);
        let facets = model.patches.iter().flat_map(|id| &self.patches[id.index()]).copied();
        let mut items: Vec<Item> = brushes.chain(facets).collect();
        items.iter_mut().for_each(Item::grow);
        items
    }

    /// A leaf's solids as the engine looks at them: brushes first, then curves.
    fn list(&self, tree: &Tree, leaf: &Leaf, listed: &mut Vec<Listed>) {
        let brushes = tree.brushes_of(leaf).iter().filter_map(|id| self.brushes[id.index()].as_ref());
        let facets = tree.patches_of(leaf).iter().flat_map(|id| &self.patches[id.index()]);
        listed
            .extend(brushes.chain(facets).map(|item| Listed { contents: Contents(item.contents), child: item.child }));
    }
}

/// The box around a facet, from the axial planes among its borders; where there is none, the patch's own bounds.
fn facet_bounds(planes: impl Iterator<Item = Plane>, mut low: Vec3, mut high: Vec3) -> (Vec3, Vec3) {
    /// Almost axial planes count too, and lie at most this far beside the true bound.
    const TILT: f32 = 0.25;
    for Plane { normal, dist } in planes {
        for axis in 0..3 {
            if normal[axis] > 0.99999 {
                high[axis] = high[axis].min(dist + TILT);
            } else if normal[axis] < -0.99999 {
                low[axis] = low[axis].max(-dist - TILT);
            }
        }
    }
    (low, high)
}
