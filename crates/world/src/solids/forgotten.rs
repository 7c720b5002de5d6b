//! Which solids a compiled tree does not list in every leaf they reach into.
//!
//! Map compilers push each brush down the tree and drop fragments they think too small, or cut them wrongly where
//! rounding is against them; a path that stays within such a leaf flies through the brush in the engine. We push every
//! brush and facet down the same tree, exactly, and mark those that reach a leaf which does not list them.
//!
//! In: a map with a tree. Out: marks by brush and patch. A mark costs time (the tree is asked when the solid is hit),
//! a missing one costs parity: when in doubt, mark.

use glam::DVec3;

use crate::map::{Map, Plane, Tree};
use crate::patch::facets;
use crate::units::BrushId;

/// Fragments thinner than this do not count: the engine looks a whole unit to both sides of every split.
const THIN: f64 = 0.05;

/// No map reaches farther than this from its origin.
const FAR: f64 = 131_072.0;

/// Marks by brush and patch id.
#[derive(Debug, Default)]
pub(crate) struct Forgotten {
    brushes: Vec<bool>,
    patches: Vec<bool>,
}

impl Forgotten {
    pub(crate) fn brush(&self, id: usize) -> bool {
        self.brushes.get(id).copied().unwrap_or(false)
    }

    pub(crate) fn patch(&self, id: usize) -> bool {
        self.patches.get(id).copied().unwrap_or(false)
    }
}

pub(crate) fn find(map: &Map, tree: &Tree) -> Forgotten {
    let world = &map.models[0];
    let mut forgotten = Forgotten { brushes: vec![false; map.brushes.len()], patches: vec![false; map.patches.len()] };
    for &id in &world.brushes {
        let is_listed = |leaf: usize| tree.brushes_of(&tree.leafs[leaf]).contains(&id);
        forgotten.brushes[id.index()] = is_forgotten(map, tree, brush_piece(map, id), &is_listed);
    }
    for &id in &world.patches {
        let is_listed = |leaf: usize| tree.patches_of(&tree.leafs[leaf]).contains(&id);
        let facets = facets(&map.patches[id.index()]).expect("patches are checked when a map is read");
        forgotten.patches[id.index()] = facets.facets.iter().any(|facet| {
            let planes: Vec<Plane> = facets.planes_of(facet).collect();
            is_forgotten(map, tree, facet_piece(&planes), &is_listed)
        });
    }
    forgotten
}

/// A convex piece of a solid as its faces; a facet has just one.
struct Piece {
    faces: Vec<Vec<DVec3>>,
}

fn is_forgotten(map: &Map, tree: &Tree, piece: Piece, is_listed: &dyn Fn(usize) -> bool) -> bool {
    let mut waiting = vec![(0, piece)];
    while let Some((child, piece)) = waiting.pop() {
        if child < 0 {
            // What no one can see into is solid all through, and stops everything before it gets to this piece.
            let is_open = tree.leafs[!child as usize].cluster >= 0;
            if is_open && !is_listed(!child as usize) {
                return true;
            }
            continue;
        }
        let node = &tree.nodes[child as usize];
        let plane = map.planes[node.plane as usize];
        let (least, greatest) = piece.reach(plane);
        if least >= -THIN {
            waiting.push((node.children[0], piece));
        } else if greatest <= THIN {
            waiting.push((node.children[1], piece));
        } else {
            waiting.push((node.children[0], piece.behind(turned(plane))));
            waiting.push((node.children[1], piece.behind(plane)));
        }
    }
    false
}

fn turned(plane: Plane) -> Plane {
    Plane { normal: -plane.normal, dist: -plane.dist }
}

fn height(point: DVec3, plane: Plane) -> f64 {
    point.dot(plane.normal.as_dvec3()) - f64::from(plane.dist)
}

impl Piece {
    fn reach(&self, plane: Plane) -> (f64, f64) {
        let heights = self.faces.iter().flatten().map(|&point| height(point, plane));
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    }

    /// The part behind a plane, closed again where it was cut if it was a volume.
    fn behind(&self, plane: Plane) -> Piece {
        let mut faces: Vec<Vec<DVec3>> = self.faces.iter().map(|face| clipped(face, plane)).collect();
        faces.retain(|face| face.len() >= 3);
        if self.faces.len() > 1 {
            let rim = faces.iter().flatten().copied().filter(|&point| height(point, plane).abs() < 1e-6).collect();
            let lid = around(rim, plane);
            if lid.len() >= 3 {
                faces.push(lid);
            }
        }
        Piece { faces }
    }
}

/// The part of a polygon behind a plane.
fn clipped(polygon: &[DVec3], plane: Plane) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (at, &from) in polygon.iter().enumerate() {
        let to = polygon[(at + 1) % polygon.len()];
        let (from_height, to_height) = (height(from, plane), height(to, plane));
        if from_height <= 0.0 {
            kept.push(from);
        }
        if (from_height < 0.0 && to_height > 0.0) || (from_height > 0.0 && to_height < 0.0) {
            kept.push(from + (to - from) * (from_height / (from_height - to_height)));
        }
    }
    kept
}

/// Points of a plane in order around their middle.
fn around(mut points: Vec<DVec3>, plane: Plane) -> Vec<DVec3> {
    if points.len() < 3 {
        return Vec::new();
    }
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let (right, up) = plane.normal.as_dvec3().any_orthonormal_pair();
    points.sort_unstable_by(|&a, &b| {
        let turn = |point: DVec3| pseudo_angle((point - middle).dot(right), (point - middle).dot(up));
        turn(a).total_cmp(&turn(b))
    });
    points.dedup_by(|a, b| a.distance_squared(*b) < 1e-12);
    points
}

/// Grows with the angle of (x, y) without being it: no function that differs between platforms.
fn pseudo_angle(x: f64, y: f64) -> f64 {
    let slope = y / (x.abs() + y.abs());
    if x < 0.0 { 2.0 - slope } else { slope }
}

fn huge_polygon(plane: Plane) -> Vec<DVec3> {
    let normal = plane.normal.as_dvec3();
    let (right, up) = normal.any_orthonormal_pair();
    let centre = normal * f64::from(plane.dist);
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| centre + (right * x + up * y) * FAR).to_vec()
}

/// The polygon a plane has in common with the solid behind all the others.
fn face_of(planes: &[Plane], own: usize) -> Vec<DVec3> {
    let mut polygon = huge_polygon(planes[own]);
    for (at, &plane) in planes.iter().enumerate() {
        // The same plane twice bounds the same face; cutting one with the other would leave crumbs.
        let is_twin = planes[own].normal.dot(plane.normal) > 0.99999 && (planes[own].dist - plane.dist).abs() < 0.01;
        if at != own && !is_twin {
            polygon = clipped(&polygon, plane);
        }
        if polygon.len() < 3 {
            return Vec::new();
        }
    }
    polygon
}

fn brush_piece(map: &Map, id: BrushId) -> Piece {
    let brush = &map.brushes[id.index()];
    let sides = &map.sides[brush.side_first as usize..][..brush.side_count as usize];
    let planes: Vec<Plane> = sides.iter().map(|side| map.planes[side.plane as usize]).collect();
    let faces = (0..planes.len()).map(|own| face_of(&planes, own)).filter(|face| face.len() >= 3).collect();
    Piece { faces }
}

/// A facet is flat: its surface within its borders, without its back.
fn facet_piece(planes: &[Plane]) -> Piece {
    let bounded = &planes[..planes.len() - 1];
    Piece { faces: vec![face_of(bounded, 0)] }
}
