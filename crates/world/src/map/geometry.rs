//! Maps from a caller's own geometry: triangles and convex brushes, for games that have no .bsp.
//!
//! Brushes are taken as they are, with the same bounds and bevels that a .map brush gets ([`brush`](super::brush)).
//!
//! A triangle becomes a thin convex solid: its plane in front, a plane [`TRIANGLE_DEPTH`] behind it, and three walls
//! along its edges, with bevels. So a box swept at it from the front stops exactly where it would on an endless plane
//! or edge; from behind it stops one depth early; and since the walls of neighbours meet at right angles to each face,
//! convex edges between two triangles may let a *point* in by less than a depth while a concave edge overlaps. A mesh
//! whose triangles face outwards (counter-clockwise seen from outside) therefore blocks like the solid it bounds, and
//! lone sheets (fences, floors) block from both sides. What lies inside a closed mesh beyond the depth is empty, as
//! in any triangle world: start-solid is known only within the skin.
//!
//! Triangles without area (meshes are full of them) enclose nothing and are left out.

use glam::{DVec3, Vec3};
use thiserror::Error;

use crate::contents::{Contents, SurfaceFlags};
use crate::map::brush::{Assembly, BrushFault, Face, Solid, WORLD_LIMIT};
use crate::map::{Entity, Map, Plane};
use crate::units::ModelId;

/// How far a triangle reaches behind its plane: more than a trace's back-off of 1/8 unit, less than any body.
pub const TRIANGLE_DEPTH: f64 = 1.0;

/// What a caller knows of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    pub name: String,
    pub materials: Vec<Material>,
    pub triangles: Vec<Triangle>,
    pub brushes: Vec<ConvexBrush>,
    /// Spawns, items and whatever else the game wants to find again.
    pub entities: Vec<Entity>,
}

/// What triangles and brushes are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    pub name: String,
    pub contents: Contents,
    pub surface: SurfaceFlags,
}

/// Counter-clockwise seen from the side it faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    pub corners: [Vec3; 3],
    /// Index into [`Geometry::materials`].
    pub material: u32,
}

/// The points behind all of its planes.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexBrush {
    pub planes: Vec<Plane>,
    /// Index into [`Geometry::materials`].
    pub material: u32,
}

/// Which triangle or brush cannot be used, and why.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GeometryError {
    #[error("{thing} {index}: there is no material {material}")]
    NoMaterial { thing: &'static str, index: usize, material: u32 },
    #[error("{thing} {index} reaches outside the world, or is not finite")]
    TooFar { thing: &'static str, index: usize },
    #[error("brush {index}: plane {plane} has no direction")]
    NoDirection { index: usize, plane: usize },
    #[error("{thing} {index}: {fault}")]
    Brush { thing: &'static str, index: usize, fault: BrushFault },
}

impl Map {
    /// A map of a caller's triangles and brushes. Equal geometry gives an equal digest.
    pub fn from_geometry(geometry: &Geometry) -> Result<Map, GeometryError> {
        let mut assembly = Assembly::new(&geometry.name, digest(geometry));
        for (index, brush) in geometry.brushes.iter().enumerate() {
            let shader = shader_of(&mut assembly, geometry, "brush", index, brush.material)?;
            let faces = brush_faces(index, brush, shader)?;
            let solid = Solid::new(&faces).map_err(|fault| GeometryError::Brush { thing: "brush", index, fault })?;
            assembly.add_brush(ModelId::WORLD, &solid, shader);
        }
        for (index, triangle) in geometry.triangles.iter().enumerate() {
            let shader = shader_of(&mut assembly, geometry, "triangle", index, triangle.material)?;
            if triangle.corners.iter().any(|c| !c.is_finite() || f64::from(c.abs().max_element()) > WORLD_LIMIT) {
                return Err(GeometryError::TooFar { thing: "triangle", index });
            }
            let Some(faces) = triangle_faces(triangle, shader) else { continue };
            match Solid::new(&faces) {
                Ok(solid) => assembly.add_brush(ModelId::WORLD, &solid, shader),
                // A sliver: its corners are closer together than a vertex is wide.
                Err(BrushFault::Empty | BrushFault::Thin) => continue,
                Err(fault) => return Err(GeometryError::Brush { thing: "triangle", index, fault }),
            };
        }
        let mut map = assembly.finish();
        map.entities = geometry.entities.clone();
        Ok(map)
    }
}

fn shader_of(
    assembly: &mut Assembly,
    geometry: &Geometry,
    thing: &'static str,
    index: usize,
    material: u32,
) -> Result<u32, GeometryError> {
    let missing = GeometryError::NoMaterial { thing, index, material };
    let material = geometry.materials.get(material as usize).ok_or(missing)?;
    Ok(assembly.add_shader(&material.name, material.surface, material.contents))
}

fn brush_faces(index: usize, brush: &ConvexBrush, shader: u32) -> Result<Vec<Face>, GeometryError> {
    let mut faces = Vec::with_capacity(brush.planes.len());
    for (number, plane) in brush.planes.iter().enumerate() {
        let normal = plane.normal.as_dvec3();
        let length = normal.length();
        if !normal.is_finite() || length < 1e-6 {
            return Err(GeometryError::NoDirection { index, plane: number });
        }
        let dist = f64::from(plane.dist) / length;
        if !dist.is_finite() || dist.abs() > WORLD_LIMIT * 2.0 {
            return Err(GeometryError::TooFar { thing: "brush", index });
        }
        let unit = normal / length;
        faces.extend(Face::new(unit, unit * dist, shader));
    }
    Ok(faces)
}

/// Front, back and the three walls of a triangle's solid; none if it has no area.
fn triangle_faces(triangle: &Triangle, shader: u32) -> Option<[Face; 5]> {
    let [a, b, c] = triangle.corners.map(|corner| corner.as_dvec3());
    let up = (b - a).cross(c - a).try_normalize()?;
    let wall = |from: DVec3, to: DVec3| Face::new((to - from).cross(up), from, shader);
    Some([
        Face::new(up, a, shader)?,
        Face::new(-up, a - up * TRIANGLE_DEPTH, shader)?,
        wall(a, b)?,
        wall(b, c)?,
        wall(c, a)?,
    ])
}

/// BLAKE3 over every number in a fixed order; lengths go first, so that no two geometries share their bytes.
fn digest(geometry: &Geometry) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let count = |hasher: &mut blake3::Hasher, n: usize| {
        hasher.update(&(n as u64).to_le_bytes());
    };
    let text = |hasher: &mut blake3::Hasher, text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    };
    let vector = |hasher: &mut blake3::Hasher, v: Vec3| {
        for x in v.to_array() {
            hasher.update(&x.to_bits().to_le_bytes());
        }
    };
    count(&mut hasher, geometry.materials.len());
    for material in &geometry.materials {
        text(&mut hasher, &material.name);
        hasher.update(&material.contents.0.to_le_bytes()).update(&material.surface.0.to_le_bytes());
    }
    count(&mut hasher, geometry.triangles.len());
    for triangle in &geometry.triangles {
        hasher.update(&triangle.material.to_le_bytes());
        for corner in triangle.corners {
            vector(&mut hasher, corner);
        }
    }
    count(&mut hasher, geometry.brushes.len());
    for brush in &geometry.brushes {
        hasher.update(&brush.material.to_le_bytes());
        count(&mut hasher, brush.planes.len());
        for plane in &brush.planes {
            vector(&mut hasher, plane.normal);
            hasher.update(&plane.dist.to_bits().to_le_bytes());
        }
    }
    count(&mut hasher, geometry.entities.len());
    for (key, value) in geometry.entities.iter().flat_map(|entity| &entity.pairs) {
        text(&mut hasher, key);
        text(&mut hasher, value);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
#[path = "geometry_test.rs"]
mod tests;
