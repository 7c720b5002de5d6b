use super::*;
use crate::solids::Solids;
use crate::trace::{Hull, Sweep};

fn stone() -> Material {
    Material { name: "stone".to_owned(), contents: Contents::SOLID, surface: SurfaceFlags::NONE }
}

/// A floor of two triangles, 256 units square, facing up at z = 0.
fn floor() -> Geometry {
    let [a, b, c, d] =
        [(-128.0, -128.0), (128.0, -128.0), (128.0, 128.0), (-128.0, 128.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    Geometry {
        name: "floor".to_owned(),
        materials: vec![stone()],
        triangles: vec![Triangle { corners: [a, b, c], material: 0 }, Triangle { corners: [a, c, d], material: 0 }],
        ..Geometry::default()
    }
}

#[test]
fn a_box_lands_on_triangles_as_on_a_plane() {
    let solids = Solids::build(&Map::from_geometry(&floor()).unwrap());
    let body = Hull::new(Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0));
    for (x, y) in [(0.0, 0.0), (60.0, -60.0), (100.0, 3.0), (135.0, 0.0)] {
        let start = Vec3::new(x, y, 100.0);
        let trace = solids.sweep(&Sweep::hull(start, start - Vec3::Z * 200.0, body, Contents::SOLID));
        assert!((trace.end.z - 24.125).abs() < 0.01, "at {x} {y}: {trace:?}");
        assert_eq!(trace.normal, Vec3::Z);
    }
    let beside = Vec3::new(144.0, 0.0, 100.0);
    let trace = solids.sweep(&Sweep::hull(beside, beside - Vec3::Z * 200.0, body, Contents::SOLID));
    assert!(!trace.is_hit(), "{trace:?}");
}

#[test]
fn a_sheet_blocks_from_behind_one_depth_early() {
    let solids = Solids::build(&Map::from_geometry(&floor()).unwrap());
    let start = Vec3::new(20.0, 40.0, -50.0);
    let trace = solids.sweep(&Sweep::ray(start, start + Vec3::Z * 100.0, Contents::SOLID));
    assert!((trace.end.z + 1.125).abs() < 0.01, "{trace:?}");
}

#[test]
fn triangles_without_area_are_left_out() {
    let mut geometry = floor();
    geometry.triangles.push(Triangle { corners: [Vec3::ZERO, Vec3::X, Vec3::X * 2.0], material: 0 });
    geometry.triangles.push(Triangle { corners: [Vec3::ZERO; 3], material: 0 });
    assert_eq!(Map::from_geometry(&geometry).unwrap().brushes.len(), 2);
}

#[test]
fn brushes_need_not_have_unit_normals() {
    let planes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z]
        .map(|normal| Plane { normal: normal * 4.0, dist: 64.0 })
        .to_vec();
    let geometry = Geometry {
        materials: vec![stone()],
        brushes: vec![ConvexBrush { planes, material: 0 }],
        ..Geometry::default()
    };
    let map = Map::from_geometry(&geometry).unwrap();
    assert_eq!(map.models[0].maxs, Vec3::splat(16.0));
}

#[test]
fn what_cannot_be_used_is_named() {
    let mut geometry = floor();
    geometry.triangles[1].material = 3;
    let missing = GeometryError::NoMaterial { thing: "triangle", index: 1, material: 3 };
    assert_eq!(Map::from_geometry(&geometry).unwrap_err(), missing);
    geometry.triangles[1] = Triangle { corners: [Vec3::ZERO, Vec3::X, Vec3::Y * f32::NAN], material: 0 };
    let far = GeometryError::TooFar { thing: "triangle", index: 1 };
    assert_eq!(Map::from_geometry(&geometry).unwrap_err(), far);
    geometry.triangles.clear();
    geometry.brushes = vec![ConvexBrush { planes: vec![Plane { normal: Vec3::X, dist: 0.0 }], material: 0 }];
    let error = Map::from_geometry(&geometry).unwrap_err();
    assert_eq!(error.to_string(), "brush 0: it has 1 planes, and a closed solid needs at least 4");
}

#[test]
fn the_digest_tells_geometries_apart() {
    let one = Map::from_geometry(&floor()).unwrap();
    let mut moved = floor();
    moved.triangles[0].corners[0].z = 1.0;
    assert_eq!(one.digest, Map::from_geometry(&floor()).unwrap().digest);
    assert_ne!(one.digest, Map::from_geometry(&moved).unwrap().digest);
}
