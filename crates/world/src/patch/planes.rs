//! The planes of one patch, shared between its facets: two facets meet without a gap because they use the same one.

use std::collections::BTreeMap;

use glam::Vec3;

use super::{Border, PLANES_MAX, PatchError, normalized, turned};
use crate::map::Plane;
use crate::maths::dot;

/// How far a point may lie off a plane and still be on it. Compared in double precision, as 0.1 is one in C.
const ON_PLANE: f64 = 0.1;

/// Two planes are one if their normals and distances differ by less than this.
const SAME_NORMAL: f64 = 0.0001;
const SAME_DIST: f64 = 0.02;

/// Planes that are one lie in the same shell around the origin or in neighbouring ones.
const SHELL: f64 = 2.0 * SAME_DIST;

#[derive(Default)]
pub(super) struct Planes {
    pub(super) table: Vec<Plane>,
    /// Indices by shell, ascending: a patch of a thousand planes would otherwise spend its time looking through them.
    shells: BTreeMap<i64, Vec<u32>>,
}

impl Planes {
    /// A plane through three points: the first in the table that all three lie on, or a new one; none if the points
    /// are in line.
    pub(super) fn through(&mut self, a: Vec3, b: Vec3, c: Vec3) -> Result<Option<u32>, PatchError> {
        let (normal, length) = normalized(cross(c - a, b - a));
        let plane = Plane { normal, dist: dot(a, normal) };
        if length == 0.0 || !(normal.is_finite() && plane.dist.is_finite()) {
            return Ok(None);
        }
        let is_on = |point: Vec3, other: &Plane| {
            (-ON_PLANE..=ON_PLANE).contains(&f64::from(dot(point, other.normal) - other.dist))
        };
        let fits =
            |other: &Plane| dot(normal, other.normal) >= 0.0 && [a, b, c].iter().all(|&point| is_on(point, other));
        match self.table.iter().position(fits) {
            Some(index) => Ok(Some(index as u32)),
            None => self.add(plane).map(Some),
        }
    }

    /// A plane nearly equal to this one or to its reverse, or a new one.
    pub(super) fn alike(&mut self, plane: Plane) -> Result<Border, PatchError> {
        let near = shell(plane) - 1..=shell(plane) + 1;
        let first_alike = |indices: &Vec<u32>| {
            indices.iter().find_map(|&index| Some((index, likeness(&self.table[index as usize], plane)?)))
        };
        match self.shells.range(near).filter_map(|(_, indices)| first_alike(indices)).min() {
            Some((index, is_inward)) => Ok(Border { plane: index, is_inward }),
            None => Ok(Border { plane: self.add(plane)?, is_inward: false }),
        }
    }

    fn add(&mut self, plane: Plane) -> Result<u32, PatchError> {
        if self.table.len() == PLANES_MAX {
            return Err(PatchError::TooManyPlanes);
        }
        let index = self.table.len() as u32;
        self.table.push(plane);
        self.shells.entry(shell(plane)).or_default().push(index);
        Ok(index)
    }

    /// Whether the points lie in front of a plane; none if all lie on it. Points on both sides count as behind.
    pub(super) fn faces_towards(&self, plane: u32, points: &[Vec3]) -> Option<bool> {
        let plane = &self.table[plane as usize];
        let distances = points.iter().map(|&point| f64::from(dot(point, plane.normal) - plane.dist));
        let (mut front, mut back) = (false, false);
        for distance in distances {
            front |= distance > ON_PLANE;
            back |= distance < -ON_PLANE;
        }
        (front || back).then_some(front && !back)
    }

    /// A border plane turned so that its facet lies in front of it.
    pub(super) fn facing_in(&self, border: Border) -> Plane {
        let plane = self.table[border.plane as usize];
        if border.is_inward { plane } else { turned(plane) }
    }
}

/// Which shell a plane and its reverse lie in.
fn shell(plane: Plane) -> i64 {
    // Far from overflow: the largest float would end 2^64 shells out, where the cast stops, and has no neighbours.
    ((f64::from(plane.dist).abs() / SHELL) as i64).min(i64::MAX - 1)
}

/// Whether a plane is this one (`false`) or its reverse (`true`).
pub(super) fn likeness(plane: &Plane, other: Plane) -> Option<bool> {
    let is_same = |other: Plane| {
        let near = |a: f32, b: f32, epsilon: f64| f64::from(a - b).abs() < epsilon;
        near(plane.normal.x, other.normal.x, SAME_NORMAL)
            && near(plane.normal.y, other.normal.y, SAME_NORMAL)
            && near(plane.normal.z, other.normal.z, SAME_NORMAL)
            && near(plane.dist, other.dist, SAME_DIST)
    };
    if is_same(other) { Some(false) } else { is_same(turned(other)).then_some(true) }
}

pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}
