//! Planes that keep a box from catching on a facet's sharp edges: pushed out by the size of a box, a surface and its
//! edges alone would reach far beyond the facet's corners.

use glam::Vec3;

use super::planes::{Planes, cross, likeness};
use super::polygon::Polygon;
use super::{BORDERS_MAX, Border, PatchError, normalized};
use crate::map::Plane;
use crate::maths::dot;

/// Edges shorter than this, and normals that came out shorter, are not beveled.
const LENGTH_MIN: f32 = 0.5;

/// A bevel may cut this deep into its facet.
const DEPTH_MAX: f64 = 0.1;

/// Directions this near to an axis are that axis.
const AXIAL: f64 = 0.0001;

/// Adds axial bevels, edge bevels and the back to a facet's borders.
pub(super) fn bevels(
    planes: &mut Planes,
    surface: u32,
    polygon: &Polygon,
    borders: &mut Vec<Border>,
) -> Result<(), PatchError> {
    let (mins, maxs) = polygon.bounds();
    for axis in 0..3 {
        for (sign, dist) in [(-1.0, -mins[axis]), (1.0, maxs[axis])] {
            let plane = Plane { normal: unit(axis, sign), dist };
            if is_new(planes, surface, borders, plane) && borders.len() < BORDERS_MAX {
                borders.push(planes.alike(plane)?);
            }
        }
    }
    for (n, &from) in polygon.points.iter().enumerate() {
        let to = polygon.points[(n + 1) % polygon.points.len()];
        let (along, length) = normalized(from - to);
        if length >= LENGTH_MIN && !is_axial(along) {
            bevel_edge(planes, surface, polygon, borders, (from, along))?;
        }
    }
    // The engine has room for so many and no more; a facet that fills it goes without a back.
    if borders.len() < BORDERS_MAX {
        borders.push(Border { plane: surface, is_inward: true });
    }
    Ok(())
}

/// Tries the six planes through an edge that lie along an axis.
fn bevel_edge(
    planes: &mut Planes,
    surface: u32,
    polygon: &Polygon,
    borders: &mut Vec<Border>,
    (from, along): (Vec3, Vec3),
) -> Result<(), PatchError> {
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let (normal, length) = normalized(cross(along, unit(axis, sign)));
            let plane = Plane { normal, dist: dot(from, normal) };
            if length < LENGTH_MIN || cuts(plane, polygon) || !is_new(planes, surface, borders, plane) {
                continue;
            }
            if borders.len() == BORDERS_MAX {
                continue;
            }
            let border = planes.alike(plane)?;
            if polygon.leaves_some(planes.facing_in(border)) {
                borders.push(border);
            }
        }
    }
    Ok(())
}

fn unit(axis: usize, sign: f32) -> Vec3 {
    let mut unit = Vec3::ZERO;
    unit[axis] = sign;
    unit
}

fn cuts(plane: Plane, polygon: &Polygon) -> bool {
    polygon.points.iter().any(|&point| f64::from(dot(point, plane.normal) - plane.dist) > DEPTH_MAX)
}

/// Whether neither the surface nor a border is this plane, either way round.
fn is_new(planes: &Planes, surface: u32, borders: &[Border], plane: Plane) -> bool {
    let is_alike = |index: u32| likeness(&planes.table[index as usize], plane).is_some();
    !is_alike(surface) && !borders.iter().any(|border| is_alike(border.plane))
}

fn is_axial(direction: Vec3) -> bool {
    direction.to_array().into_iter().any(|part| f64::from(part.abs() - 1.0).abs() < AXIAL)
}
