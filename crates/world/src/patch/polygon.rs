//! A convex polygon on a plane, cut down by other planes: what is left of a facet's surface between its borders.

use glam::Vec3;

use super::normalized;
use super::planes::cross;
use crate::map::Plane;
use crate::maths::dot;

/// Half the width of the world as far as facets go.
const WORLD_HALF: f32 = 65535.0;

/// Points this near to a cutting plane lie on it.
const ON_CUT: f32 = 0.1;

pub(super) struct Polygon {
    pub(super) points: Vec<Vec3>,
}

impl Polygon {
    /// A square as large as the world.
    pub(super) fn on(plane: Plane) -> Polygon {
        let Plane { normal, dist } = plane;
        let steep = normal.z.abs() > normal.x.abs().max(normal.y.abs());
        let up = if steep { Vec3::X } else { Vec3::Z };
        let (up, _) = normalized(up + normal * -dot(up, normal));
        let centre = normal * dist;
        let right = cross(up, normal) * WORLD_HALF;
        let up = up * WORLD_HALF;
        let points = vec![centre - right + up, centre + right + up, centre + right - up, centre - right - up];
        Polygon { points }
    }

    /// The part in front of a plane; none if nothing lies clearly in front.
    pub(super) fn in_front_of(self, plane: Plane) -> Option<Polygon> {
        if !self.leaves_some(plane) {
            return None;
        }
        let distances: Vec<f32> = self.points.iter().map(|&point| dot(point, plane.normal) - plane.dist).collect();
        if !distances.iter().any(|&d| d < -ON_CUT) {
            return Some(self);
        }
        let mut points = Vec::with_capacity(self.points.len() + 4);
        for (n, &point) in self.points.iter().enumerate() {
            let next = (n + 1) % self.points.len();
            let (here, there) = (side(distances[n]), side(distances[next]));
            if here >= 0 {
                points.push(point);
            }
            if here * there < 0 {
                points.push(crossing(point, self.points[next], distances[n] / (distances[n] - distances[next]), plane));
            }
        }
        Some(Polygon { points })
    }

    /// Whether anything lies clearly in front of a plane.
    pub(super) fn leaves_some(&self, plane: Plane) -> bool {
        self.points.iter().any(|&point| dot(point, plane.normal) - plane.dist > ON_CUT)
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        let nothing = (Vec3::splat(WORLD_HALF), Vec3::splat(-WORLD_HALF));
        self.points.iter().fold(nothing, |(mins, maxs), &point| (mins.min(point), maxs.max(point)))
    }

    /// Whether it lies in the world and does not span it: otherwise a border is missing.
    pub(super) fn is_bounded(&self) -> bool {
        let (mins, maxs) = self.bounds();
        (0..3).all(|axis| maxs[axis] - mins[axis] <= WORLD_HALF && mins[axis] < WORLD_HALF && maxs[axis] > -WORLD_HALF)
    }
}

/// 1 in front of the cut, -1 behind it, 0 on it.
fn side(distance: f32) -> i32 {
    i32::from(distance > ON_CUT) - i32::from(distance < -ON_CUT)
}

fn crossing(from: Vec3, to: Vec3, share: f32, plane: Plane) -> Vec3 {
    let mut point = from + (to - from) * share;
    for axis in 0..3 {
        // On an axial plane the coordinate is known without rounding.
        if plane.normal[axis].abs() == 1.0 {
            point[axis] = plane.dist * plane.normal[axis];
        }
    }
    point
}
