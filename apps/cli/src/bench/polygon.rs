//! A map as other tracers want it: convex polygons instead of planes.
//!
//! Only for contenders. Fireteam itself traces planes and never needs a corner of a brush.

use fireteam_world::map::{Brush, Plane};
use fireteam_world::maths::game_axes;
use fireteam_world::{Contents, Map, Placed, Vec3, patch};
use glam::DVec3;

/// Half the side of the square that a plane starts as: larger than any map.
const FAR: f64 = 1e6;
/// Corners this far behind a plane still lie on it.
const ON_PLANE: f64 = 1e-4;

/// A face narrower than this is what rounding left of a bevel.
const WIDTH_MIN: f64 = 1e-3;

/// Corners around a convex face.
pub(crate) type Polygon = Vec<Vec3>;

/// The faces of one brush.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polyhedron {
    pub(crate) faces: Vec<Polygon>,
}

/// What a map and the movers standing in it are made of, for one mask.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    pub(crate) brushes: Vec<Polyhedron>,
    /// The flat pieces of curves.
    pub(crate) facets: Vec<Polygon>,
}

impl Shapes {
    pub(crate) fn of(map: &Map, placed: &[Placed], mask: Contents) -> Shapes {
        let mut shapes = Shapes::default();
        shapes.add_model(map, 0, mask, |point| point);
        for mover in placed.iter().filter(|mover| mover.contents.meets(mask)) {
            let axes = game_axes(mover.angles.x, mover.angles.y, mover.angles.z);
            let stand = |v: Vec3| mover.origin + axes.forward * v.x - axes.right * v.y + axes.up * v.z;
            shapes.add_model(map, mover.model.index(), mask, stand);
        }
        shapes
    }

    fn add_model(&mut self, map: &Map, model: usize, mask: Contents, place: impl Fn(Vec3) -> Vec3 + Copy) {
        let is_met = |shader: u32| map.shaders[shader as usize].contents.meets(mask);
        let model = &map.models[model];
        let brushes = model.brushes.iter().map(|brush| &map.brushes[brush.index()]);
        for brush in brushes.filter(|brush| is_met(brush.shader)) {
            let mut faces = faces(&planes_of(map, brush));
            faces.iter_mut().flatten().for_each(|corner| *corner = place(*corner));
            self.brushes.push(Polyhedron { faces });
        }
        for patch in model.patches.iter().map(|patch| &map.patches[patch.index()]).filter(|patch| is_met(patch.shader))
        {
            // A patch that cannot be cut into facets is refused when the map is loaded.
            let Ok(facets) = patch::facets(patch) else { continue };
            for facet in &facets.facets {
                // Its last plane is its back, which lies on the surface and would leave nothing of it.
                let planes: Vec<Plane> = facets.planes_of(facet).take(facet.border_count as usize).collect();
                self.facets.extend(face(&planes, 0).map(|face| face.into_iter().map(place).collect::<Polygon>()));
            }
        }
    }

    /// Every face cut into triangles.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> {
        let faces = self.brushes.iter().flat_map(|brush| &brush.faces).chain(&self.facets);
        faces.flat_map(|face| (2..face.len()).map(|corner| [face[0], face[corner - 1], face[corner]]))
    }
}

fn planes_of(map: &Map, brush: &Brush) -> Vec<Plane> {
    let sides = &map.sides[brush.side_first as usize..][..brush.side_count as usize];
    sides.iter().map(|side| map.planes[side.plane as usize]).collect()
}

/// Every face that is left of the planes of a brush; bevels leave none.
fn faces(planes: &[Plane]) -> Vec<Polygon> {
    (0..planes.len()).filter_map(|index| face(planes, index)).collect()
}

/// What all other planes leave of one of them.
fn face(planes: &[Plane], index: usize) -> Option<Polygon> {
    let mut corners = square_on(&planes[index]);
    for (other, plane) in planes.iter().enumerate() {
        // The same plane twice would leave the face to both.
        let is_twin = *plane == planes[index] && other > index;
        if other != index && !is_twin {
            corners = clip(&corners, plane);
        }
    }
    (width(&corners) >= WIDTH_MIN).then(|| corners.iter().map(|corner| corner.as_vec3()).collect())
}

/// Area over circumference: what is left of a bevel is long but not wide.
fn width(corners: &[DVec3]) -> f64 {
    let Some(&first) = corners.first() else { return 0.0 };
    let next = corners.iter().skip(1).chain([&first]);
    let around = || corners.iter().zip(next.clone());
    let length: f64 = around().map(|(a, b)| a.distance(*b)).sum();
    let area: DVec3 = around().map(|(a, b)| (*a - first).cross(*b - first)).sum();
    if length == 0.0 { 0.0 } else { area.length() / (2.0 * length) }
}

fn square_on(plane: &Plane) -> Vec<DVec3> {
    let normal = plane.normal.as_dvec3();
    let (side, up) = normal.any_orthonormal_pair();
    let centre = normal * f64::from(plane.dist);
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(a, b)| centre + (side * a + up * b) * FAR).to_vec()
}

/// The part of a polygon behind a plane; empty if none of it is more than on it.
fn clip(corners: &[DVec3], plane: &Plane) -> Vec<DVec3> {
    let height = |corner: DVec3| plane.normal.as_dvec3().dot(corner) - f64::from(plane.dist);
    if corners.iter().all(|&corner| height(corner) > -ON_PLANE) {
        return Vec::new();
    }
    let mut left = Vec::with_capacity(corners.len() + 1);
    for (index, &corner) in corners.iter().enumerate() {
        let next = corners[(index + 1) % corners.len()];
        let (here, there) = (height(corner), height(next));
        if here <= ON_PLANE {
            left.push(corner);
        }
        if (here > ON_PLANE && there < -ON_PLANE) || (here < -ON_PLANE && there > ON_PLANE) {
            left.push(corner + (next - corner) * (here / (here - there)));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<Plane> {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        axes.into_iter().flat_map(|axis| [axis, -axis]).map(|normal| Plane { normal, dist: 8.0 }).collect()
    }

    #[test]
    fn a_cube_has_six_squares() {
        let faces = faces(&cube());
        assert_eq!(faces.len(), 6);
        for face in faces {
            assert_eq!(face.len(), 4);
            assert!(face.iter().all(|corner| corner.abs().distance(Vec3::splat(8.0)) < 1e-4), "{face:?}");
        }
    }

    #[test]
    fn a_bevel_leaves_no_face_and_takes_none_away() {
        let mut planes = cube();
        let normal = Vec3::new(1.0, 1.0, 0.0).normalize();
        planes.push(Plane { normal, dist: Vec3::new(8.0, 8.0, 0.0).dot(normal) });
        assert_eq!(faces(&planes).len(), 6);
    }

    #[test]
    fn a_cut_edge_makes_a_seventh_face() {
        let mut planes = cube();
        let normal = Vec3::new(1.0, 1.0, 0.0).normalize();
        planes.push(Plane { normal, dist: 8.0 });
        let faces = faces(&planes);
        assert_eq!(faces.len(), 7);
        let shapes = Shapes { brushes: vec![Polyhedron { faces }], facets: Vec::new() };
        // Top and bottom have five corners, the others four.
        assert_eq!(shapes.triangles().count(), 2 * 3 + 5 * 2);
    }
}
