use super::*;

fn cuboid(mins: DVec3, maxs: DVec3) -> Vec<Face> {
    let mut faces = Vec::new();
    for axis in DVec3::AXES {
        faces.push(Face::new(axis, maxs, 0).unwrap());
        faces.push(Face::new(-axis, mins, 0).unwrap());
    }
    faces
}

/// A block with its top sloping down from -x to +x.
fn ramp() -> Vec<Face> {
    let mut faces = cuboid(DVec3::ZERO, DVec3::new(64.0, 64.0, 64.0));
    faces.push(Face::new(DVec3::new(1.0, 0.0, 1.0), DVec3::new(64.0, 0.0, 0.0), 7).unwrap());
    faces
}

#[test]
fn first_six_sides_are_the_bounds_in_order() {
    let solid = Solid::new(&cuboid(DVec3::new(-8.0, -16.0, 0.0), DVec3::new(8.0, 16.0, 40.0))).unwrap();
    let expected =
        [(-DVec3::X, 8.0), (DVec3::X, 8.0), (-DVec3::Y, 16.0), (DVec3::Y, 16.0), (-DVec3::Z, 0.0), (DVec3::Z, 40.0)];
    assert_eq!(solid.faces.iter().map(|f| (f.normal, f.dist)).collect::<Vec<_>>(), expected);
}

#[test]
fn ramp_keeps_its_slope_and_gets_bounds_of_its_own() {
    let solid = Solid::new(&ramp()).unwrap();
    // -x, -y, +y, -z are drawn; +x and +z touch the solid at an edge only and come back as bounds.
    assert_eq!(solid.maxs, DVec3::new(64.0, 64.0, 64.0));
    assert_eq!(solid.faces[1].normal, DVec3::X);
    assert_eq!(solid.faces[5].normal, DVec3::Z);
    assert_eq!(solid.faces[5].shader, 7, "a bevel is covered as the slope beneath it");
    assert_eq!(solid.faces[6].shader, 7);
    // Its slanted edges run in the x-z plane: their cross products with the axes are planes it already has.
    assert_eq!(solid.faces.len(), 7);
}

#[test]
fn bevels_are_exactly_the_faces_of_the_grown_solid() {
    // A pyramid standing askew: none of its edges runs along an axis.
    let apex = DVec3::new(10.0, 20.0, 50.0);
    let base = [(-40.0, 4.0), (8.0, -32.0), (56.0, 10.0), (0.0, 60.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let mut faces = vec![Face::new(-DVec3::Z, DVec3::ZERO, 0).unwrap()];
    for (index, &corner) in base.iter().enumerate() {
        faces.push(Face::through([base[(index + 1) % 4], corner, apex], 0).unwrap());
    }
    let solid = Solid::new(&faces).unwrap();
    assert!(solid.faces.len() > 10, "{} sides", solid.faces.len());
    let vertices: Vec<DVec3> = base.iter().copied().chain([apex]).collect();
    for face in &solid.faces {
        let top = vertices.iter().map(|&v| face.height_of(v)).fold(f64::NEG_INFINITY, f64::max);
        assert!(top.abs() < 1e-6, "{face:?} stands {top} off the solid");
    }
    // Brute force: a small box centred at p overlaps the pyramid if and only if p is inside the grown planes.
    let half = DVec3::new(15.0, 15.0, 28.0);
    for step in 0..4096 {
        let p = DVec3::new((step % 16) as f64, (step / 16 % 16) as f64, (step / 256) as f64) * 10.0
            - DVec3::new(75.0, 75.0, 50.0);
        let height = solid.faces.iter().map(|f| f.height_of(p) - f.normal.abs().dot(half)).fold(f64::MIN, f64::max);
        if height.abs() > 0.01 {
            assert_eq!(overlaps(&faces, p, half), height < 0.0, "{p} is {height} outside the grown planes");
        }
    }
}

/// Whether a box meets a convex solid: clip the box's own skin, which is what overlap means.
fn overlaps(faces: &[Face], centre: DVec3, half: DVec3) -> bool {
    let mut both = cuboid(centre - half, centre + half);
    both.extend_from_slice(faces);
    windings_of(&both).iter().filter(|winding| !winding.is_empty()).count() >= 4
}

#[test]
fn what_is_no_solid_says_why() {
    let cube = cuboid(DVec3::ZERO, DVec3::splat(32.0));
    assert_eq!(Solid::new(&cube[..3]), Err(BrushFault::TooFewFaces(3)));
    assert_eq!(Solid::new(&cube[1..]), Err(BrushFault::Open("+x")));
    let turned: Vec<Face> = cube.iter().map(|f| Face { normal: -f.normal, dist: -f.dist, ..*f }).collect();
    assert_eq!(Solid::new(&turned), Err(BrushFault::InsideOut));
    let mut apart = cube.clone();
    apart.push(Face::new(DVec3::X, DVec3::splat(-8.0), 0).unwrap());
    assert_eq!(Solid::new(&apart), Err(BrushFault::Empty));
    assert_eq!(Solid::new(&cuboid(DVec3::ZERO, DVec3::new(32.0, 32.0, 0.005))), Err(BrushFault::Empty));
    assert_eq!(Solid::new(&cuboid(DVec3::ZERO, DVec3::new(32.0, 0.4, 1e-9))), Err(BrushFault::Empty));
    assert_eq!(Solid::new(&vec![cube[0]; 1000]), Err(BrushFault::TooFewFaces(1)));
}

#[test]
fn points_on_a_line_make_no_face() {
    let on_line = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
    assert_eq!(Face::through(on_line, 0), None);
}

#[test]
fn clockwise_points_face_outwards() {
    let face = Face::through([DVec3::ZERO, DVec3::Y, DVec3::X], 0).unwrap();
    assert_eq!(face.normal, DVec3::Z);
}
