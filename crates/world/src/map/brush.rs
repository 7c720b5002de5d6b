//! Convex brushes: from the planes an author drew to the planes that stop a swept box.
//!
//! In: the faces of one convex solid, in any order. Out: the same solid with its six axial bounds first and its edge
//! bevels last, or the reason why those faces enclose nothing.
//!
//! A box swept against a brush is a point swept against the brush grown by the box. The grown solid has three kinds of
//! faces: the brush's own, the box's own (the axial bounds), and one for every pair of a brush edge and a box edge that
//! can touch: its normal is their cross product. The third kind are the bevels; without them a box stops in the air
//! beside a slanted edge. Quake III's map compiler adds the same planes, which is why a brush here and the same brush
//! compiled stop a player at the same place.
//!
//! Everything is computed in f64 and rounded once, when it becomes a [`Plane`].
//! Cost: cubic in the number of faces; a crate takes microseconds, [`FACES_MAX`] faces some milliseconds.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use thiserror::Error;

use crate::contents::{Contents, SurfaceFlags};
use crate::map::{Brush, Map, Model, Plane, Shader, Side};
use crate::units::{BrushId, ModelId};

/// More faces than this are a mistake, and would take long to check.
pub const FACES_MAX: usize = 256;
/// No map reaches farther from its origin, along any axis; as in Quake III.
pub const WORLD_LIMIT: f64 = 65536.0;

/// Points closer to a plane than this lie on it.
const ON_PLANE: f64 = 1e-4;
/// Vertices closer than this are one vertex.
const SAME_VERTEX: f64 = 1e-3;
/// A solid thinner than this is a mistake: a sweep would step through it.
const THIN: f64 = 0.01;
/// Normals that differ by less are one normal.
const SAME_NORMAL: f64 = 1e-5;
/// Planes of one normal that differ by less are one plane.
const SAME_DIST: f64 = 0.01;

/// The border of a half-space and what covers it: points with `normal · p <= dist` are inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    pub normal: DVec3,
    pub dist: f64,
    /// Index into [`Map::shaders`].
    pub shader: u32,
}

/// Why faces do not make a brush.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BrushFault {
    #[error("it has {0} planes, and a closed solid needs at least 4")]
    TooFewFaces(usize),
    #[error("it has {0} planes; at most {FACES_MAX} are read")]
    TooManyFaces(usize),
    #[error("it is open towards {0}: no plane closes that side")]
    Open(&'static str),
    #[error("it is inside out: every plane faces inwards (swap two points of each)")]
    InsideOut,
    #[error("it encloses nothing: its planes exclude each other")]
    Empty,
    #[error("it is thinner than {THIN} units")]
    Thin,
}

/// A checked brush: axial bounds first (-x, +x, -y, +y, -z, +z), then its slanted faces, then bevels.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    pub faces: Vec<Face>,
    pub mins: DVec3,
    pub maxs: DVec3,
}

impl Face {
    /// The face through three points that run clockwise seen from outside, as .map files write them.
    /// None if the points lie on one line.
    pub fn through(points: [DVec3; 3], shader: u32) -> Option<Face> {
        let normal = (points[0] - points[1]).cross(points[2] - points[1]);
        Face::new(normal, points[0], shader)
    }

    /// The face with this outward direction (of any length) through a point; none if the direction has no length.
    pub fn new(direction: DVec3, point: DVec3, shader: u32) -> Option<Face> {
        let normal = snapped(direction.try_normalize()?);
        let dist = normal.dot(point);
        // Editors write decimals; an axial wall that is off by a hundredth was meant to be on the grid.
        let rounded = dist.round();
        let dist = if axis_of(normal).is_some() && (dist - rounded).abs() < SAME_DIST { rounded } else { dist };
        Some(Face { normal, dist, shader })
    }

    fn is_same_plane(&self, other: &Face) -> bool {
        self.normal.abs_diff_eq(other.normal, SAME_NORMAL) && (self.dist - other.dist).abs() < SAME_DIST
    }

    fn height_of(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.dist
    }
}

impl Solid {
    pub fn new(faces: &[Face]) -> Result<Solid, BrushFault> {
        let faces = without_twins(faces);
        if faces.len() < 4 {
            return Err(BrushFault::TooFewFaces(faces.len()));
        }
        if faces.len() > FACES_MAX {
            return Err(BrushFault::TooManyFaces(faces.len()));
        }
        let windings = windings_of(&faces);
        if windings.iter().filter(|winding| !winding.is_empty()).count() < 4 {
            return Err(if is_inside_out(&faces) { BrushFault::InsideOut } else { BrushFault::Empty });
        }
        let vertices: Vec<DVec3> = windings.iter().flatten().copied().collect();
        check_closed(&vertices)?;
        check_thickness(&faces, &windings, &vertices)?;

        // A face without a winding touches the solid nowhere, or at an edge: it stops nothing the others do not.
        let (own, windings): (Vec<Face>, Vec<Vec<DVec3>>) =
            faces.into_iter().zip(windings).filter(|(_, winding)| !winding.is_empty()).unzip();
        let mins = vertices.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let maxs = vertices.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let mut faces = axial_bounds(&own, mins, maxs);
        faces.extend(own.iter().filter(|face| axis_of(face.normal).is_none()));
        add_edge_bevels(&mut faces, &own, &windings, &vertices);
        Ok(Solid { faces, mins, maxs })
    }

    /// The same solid elsewhere.
    pub fn moved(mut self, by: DVec3) -> Solid {
        for face in &mut self.faces {
            face.dist += face.normal.dot(by);
        }
        self.mins += by;
        self.maxs += by;
        self
    }
}

/// A map being put together from brushes: keeps planes and shaders unique.
#[derive(Debug, Default)]
pub struct Assembly {
    map: Map,
    plane_ids: BTreeMap<[u32; 4], u32>,
    shader_ids: BTreeMap<(String, u32, u32), u32>,
}

impl Assembly {
    /// An empty map with its model 0.
    pub fn new(name: &str, digest: [u8; 32]) -> Assembly {
        let mut assembly = Assembly { map: Map { name: name.to_owned(), digest, ..Map::default() }, ..Self::default() };
        assembly.add_model();
        assembly
    }

    pub fn add_shader(&mut self, name: &str, surface: SurfaceFlags, contents: Contents) -> u32 {
        let shaders = &mut self.map.shaders;
        *self.shader_ids.entry((name.to_owned(), surface.0, contents.0)).or_insert_with(|| {
            shaders.push(Shader { name: name.to_owned(), surface, contents });
            (shaders.len() - 1) as u32
        })
    }

    /// A new, empty brush model; none when ids run out.
    pub fn add_model(&mut self) -> Option<ModelId> {
        let id = u16::try_from(self.map.models.len()).ok()?;
        self.map.models.push(Model { mins: Vec3::ZERO, maxs: Vec3::ZERO, brushes: Vec::new(), patches: Vec::new() });
        Some(ModelId(id))
    }

    /// Adds a brush to a model; `shader` says what fills it.
    pub fn add_brush(&mut self, model: ModelId, solid: &Solid, shader: u32) -> BrushId {
        let id = BrushId(self.map.brushes.len() as u32);
        let side_first = self.map.sides.len() as u32;
        for face in &solid.faces {
            let plane = self.add_plane(face);
            self.map.sides.push(Side { plane, shader: face.shader });
        }
        self.map.brushes.push(Brush { side_first, side_count: solid.faces.len() as u32, shader });

        let model = &mut self.map.models[model.index()];
        let (mins, maxs) = (solid.mins.as_vec3(), solid.maxs.as_vec3());
        let is_first = model.brushes.is_empty();
        model.mins = if is_first { mins } else { model.mins.min(mins) };
        model.maxs = if is_first { maxs } else { model.maxs.max(maxs) };
        model.brushes.push(id);
        id
    }

    pub fn finish(self) -> Map {
        self.map
    }

    pub fn map_mut(&mut self) -> &mut Map {
        &mut self.map
    }

    fn add_plane(&mut self, face: &Face) -> u32 {
        // Adding zero turns a negative zero into the positive one, so that equal planes have equal bits.
        let normal = face.normal.as_vec3() + Vec3::ZERO;
        let dist = face.dist as f32 + 0.0;
        let key = [normal.x.to_bits(), normal.y.to_bits(), normal.z.to_bits(), dist.to_bits()];
        let planes = &mut self.map.planes;
        *self.plane_ids.entry(key).or_insert_with(|| {
            planes.push(Plane { normal, dist });
            (planes.len() - 1) as u32
        })
    }
}

/// Which axis a normal runs along, if it runs along one.
fn axis_of(normal: DVec3) -> Option<usize> {
    (0..3).find(|&axis| normal[axis].abs() == 1.0)
}

fn snapped(normal: DVec3) -> DVec3 {
    for axis in 0..3 {
        if 1.0 - normal[axis].abs() < SAME_NORMAL * SAME_NORMAL {
            let mut exact = DVec3::ZERO;
            exact[axis] = normal[axis].signum();
            return exact;
        }
    }
    normal
}

fn without_twins(faces: &[Face]) -> Vec<Face> {
    let mut kept: Vec<Face> = Vec::with_capacity(faces.len());
    for face in faces.iter().take(FACES_MAX + 1) {
        if !kept.iter().any(|other| other.is_same_plane(face)) {
            kept.push(*face);
        }
    }
    kept
}

/// The sides of a map's brush that are part of its skin, each with its polygon: for whoever draws it.
pub fn skin(map: &Map, brush: BrushId) -> Vec<(Side, Vec<Vec3>)> {
    let brush = &map.brushes[brush.index()];
    let sides = &map.sides[brush.side_first as usize..][..brush.side_count as usize];
    let face = |side: &Side| {
        let plane = &map.planes[side.plane as usize];
        Face { normal: plane.normal.as_dvec3(), dist: f64::from(plane.dist), shader: side.shader }
    };
    let faces: Vec<Face> = sides.iter().map(face).collect();
    // A compiler may list a plane twice: once as a bound and once as it was drawn.
    let is_twin = |index: usize| faces[..index].iter().any(|other| other.is_same_plane(&faces[index]));
    let own: Vec<usize> = (0..faces.len()).filter(|index| !is_twin(*index)).collect();
    let kept: Vec<Face> = own.iter().map(|index| faces[*index]).collect();
    let skins = own.into_iter().zip(windings_of(&kept)).filter(|(_, winding)| !winding.is_empty());
    skins.map(|(index, winding)| (sides[index], winding.iter().map(|point| point.as_vec3()).collect())).collect()
}

/// The polygon each face contributes to the solid's skin; empty if it contributes none.
fn windings_of(faces: &[Face]) -> Vec<Vec<DVec3>> {
    let clip_by_others = |index: usize| {
        let mut winding = huge_winding(&faces[index]);
        for (other, face) in faces.iter().enumerate() {
            if other != index && !winding.is_empty() {
                winding = clipped(&winding, face);
            }
        }
        let winding = without_repeats(&winding);
        if winding.len() < 3 { Vec::new() } else { winding }
    };
    (0..faces.len()).map(clip_by_others).collect()
}

/// A square in the face's plane that reaches past the world on all sides.
fn huge_winding(face: &Face) -> Vec<DVec3> {
    let reach = WORLD_LIMIT * 4.0;
    let along = face.normal.any_orthonormal_vector();
    let across = face.normal.cross(along);
    let centre = face.normal * face.dist;
    [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
        .map(|(u, v)| centre + along * (u * reach) + across * (v * reach))
        .to_vec()
}

/// What of a polygon lies behind a face.
fn clipped(winding: &[DVec3], face: &Face) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(winding.len() + 1);
    for (index, &point) in winding.iter().enumerate() {
        let next = winding[(index + 1) % winding.len()];
        let (here, there) = (face.height_of(point), face.height_of(next));
        if here <= ON_PLANE {
            kept.push(point);
        }
        if (here > ON_PLANE && there < -ON_PLANE) || (here < -ON_PLANE && there > ON_PLANE) {
            kept.push(point + (next - point) * (here / (here - there)));
        }
    }
    kept
}

fn without_repeats(winding: &[DVec3]) -> Vec<DVec3> {
    let mut kept: Vec<DVec3> = Vec::with_capacity(winding.len());
    for &point in winding {
        if !kept.iter().any(|other| other.distance_squared(point) < SAME_VERTEX * SAME_VERTEX) {
            kept.push(point);
        }
    }
    kept
}

/// Whether the faces would make a closed solid if all of them were turned round.
fn is_inside_out(faces: &[Face]) -> bool {
    let turned: Vec<Face> = faces.iter().map(|f| Face { normal: -f.normal, dist: -f.dist, ..*f }).collect();
    let windings = windings_of(&turned);
    let vertices: Vec<DVec3> = windings.iter().flatten().copied().collect();
    windings.iter().filter(|winding| !winding.is_empty()).count() >= 4 && check_closed(&vertices).is_ok()
}

fn check_closed(vertices: &[DVec3]) -> Result<(), BrushFault> {
    const TOWARDS: [[&str; 2]; 3] = [["-x", "+x"], ["-y", "+y"], ["-z", "+z"]];
    for vertex in vertices {
        for (axis, towards) in TOWARDS.iter().enumerate() {
            if vertex[axis].abs() > WORLD_LIMIT + 1.0 {
                return Err(BrushFault::Open(towards[usize::from(vertex[axis] > 0.0)]));
            }
        }
    }
    Ok(())
}

fn check_thickness(faces: &[Face], windings: &[Vec<DVec3>], vertices: &[DVec3]) -> Result<(), BrushFault> {
    for (face, _) in faces.iter().zip(windings).filter(|(_, winding)| !winding.is_empty()) {
        let deepest = vertices.iter().map(|&v| -face.height_of(v)).fold(0.0, f64::max);
        if deepest < THIN {
            return Err(BrushFault::Thin);
        }
    }
    Ok(())
}

/// The six planes of the bounding box: the author's own where there are any, bevels elsewhere.
fn axial_bounds(own: &[Face], mins: DVec3, maxs: DVec3) -> Vec<Face> {
    let mut bounds = Vec::with_capacity(own.len() + 6);
    for axis in 0..3 {
        for (sign, dist) in [(-1.0, -mins[axis]), (1.0, maxs[axis])] {
            let mut normal = DVec3::ZERO;
            normal[axis] = sign;
            let drawn = own.iter().find(|face| face.normal == normal);
            bounds.push(drawn.copied().unwrap_or(Face { normal, dist, shader: covering(own, normal) }));
        }
    }
    bounds
}

/// The shader of the face a bevel lies closest to: a box that slides onto a bevel of a ladder is on the ladder.
fn covering(own: &[Face], normal: DVec3) -> u32 {
    let mut best = (f64::NEG_INFINITY, 0);
    for face in own {
        let likeness = face.normal.dot(normal);
        if likeness > best.0 {
            best = (likeness, face.shader);
        }
    }
    best.1
}

fn add_edge_bevels(faces: &mut Vec<Face>, own: &[Face], windings: &[Vec<DVec3>], vertices: &[DVec3]) {
    if own.iter().all(|face| axis_of(face.normal).is_some()) {
        return;
    }
    for winding in windings {
        for (index, &from) in winding.iter().enumerate() {
            let edge = winding[(index + 1) % winding.len()] - from;
            for axis in DVec3::AXES {
                for direction in [edge.cross(axis), axis.cross(edge)] {
                    add_bevel_if_it_touches(faces, own, direction, from, vertices);
                }
            }
        }
    }
}

fn add_bevel_if_it_touches(faces: &mut Vec<Face>, own: &[Face], direction: DVec3, on: DVec3, vertices: &[DVec3]) {
    // An edge along the axis spans no plane with it.
    if direction.length_squared() < SAME_VERTEX * SAME_VERTEX {
        return;
    }
    let Some(bevel) = Face::new(direction, on, 0) else { return };
    let touches = vertices.iter().all(|&vertex| bevel.height_of(vertex) < SAME_VERTEX);
    if touches && !faces.iter().any(|face| face.is_same_plane(&bevel)) {
        faces.push(Face { shader: covering(own, bevel.normal), ..bevel });
    }
}

#[cfg(test)]
#[path = "brush_test.rs"]
mod tests;
