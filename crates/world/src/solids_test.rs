//! Properties of sweeps, asked of heaps of random brushes: every short cut must give what looking at all brushes gives.

use glam::Vec3;
use proptest::prelude::*;

use super::clip::{Clip, Moving, clip};
use super::simd::Portable;
use super::*;
use crate::crowd::Crowd;
use crate::map::geometry::{ConvexBrush, Geometry, Material};
use crate::map::{Map, Plane};
use crate::units::EntityId;

/// A box, perhaps with one corner cut off by a slanted plane.
fn brush(centre: Vec3, half: Vec3, slant: Vec3) -> ConvexBrush {
    let mut planes = Vec::new();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        planes.push(Plane { normal: axis, dist: (centre + half).dot(axis) });
        planes.push(Plane { normal: -axis, dist: -(centre - half).dot(axis) });
    }
    if slant.length() > 0.5 {
        let normal = slant.normalize();
        planes.push(Plane { normal, dist: normal.dot(centre) + half.min_element() * 0.5 });
    }
    ConvexBrush { planes, material: 0 }
}

fn vector(range: f32) -> impl Strategy<Value = Vec3> {
    (-range..range, -range..range, -range..range).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn heap() -> impl Strategy<Value = Map> {
    let half = (4.0f32..200.0, 4.0f32..200.0, 4.0f32..200.0).prop_map(|(x, y, z)| Vec3::new(x, y, z));
    prop::collection::vec((vector(600.0), half, vector(1.0)), 1..40).prop_map(|brushes| {
        let stone = Material { name: "stone".into(), contents: Contents::SOLID, surface: SurfaceFlags::NONE };
        let brushes = brushes.into_iter().map(|(centre, half, slant)| brush(centre, half, slant)).collect();
        let geometry = Geometry { name: "heap".into(), materials: vec![stone], brushes, ..Geometry::default() };
        Map::from_geometry(&geometry).expect("boxes with a corner cut off are brushes")
    })
}

fn sweep() -> impl Strategy<Value = Sweep> {
    let hull = prop_oneof![
        Just(Hull::POINT),
        // A point with the wrong zeros, and one beside its path.
        Just(Hull::new(-Vec3::ZERO, Vec3::ZERO)),
        Just(Hull::new(Vec3::splat(3.0), Vec3::splat(3.0))),
        Just(Hull::new(Vec3::splat(-4.0), Vec3::splat(4.0))),
        Just(Hull::new(Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0))),
    ];
    // Long ways, steps, and standing still.
    let way = prop_oneof![vector(1200.0), vector(30.0), Just(Vec3::ZERO), vector(900.0).prop_map(|v| v * Vec3::X)];
    (vector(800.0), way, hull).prop_map(|(start, way, hull)| Sweep::hull(start, start + way, hull, Contents::MASK_SHOT))
}

fn body() -> impl Strategy<Value = Body> {
    (vector(800.0), 1u16..64).prop_map(|(origin, entity)| Body {
        entity: EntityId(entity),
        origin,
        hull: Hull::new(Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0)),
        contents: Contents::BODY,
    })
}

/// The least fraction over all brushes, clipped one by one.
fn nearest_of_all(solids: &Solids, sweep: &Sweep) -> (f32, bool) {
    let moving = Moving::of(sweep);
    let (mut fraction, mut starts_inside) = (1.0f32, false);
    let mut first = 0;
    while first < solids.groups.len() {
        let owner = solids.owner_of_group[first];
        let count = solids.owner_of_group[first..].iter().take_while(|&&other| other == owner).count();
        match clip::<Portable>(&solids.groups[first..first + count], &moving, 1.0) {
            Clip::Miss => {}
            Clip::Enter { fraction: entered, .. } => fraction = fraction.min(entered),
            Clip::StartInside => starts_inside = true,
            Clip::AllInside => (fraction, starts_inside) = (0.0, true),
        }
        first += count;
    }
    (fraction, starts_inside)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_gaze_sees_what_single_rays_see(
        map in heap(),
        eyes in prop::collection::vec(vector(700.0), 1..9),
        points in prop::collection::vec(vector(700.0), 1..17),
        asked in any::<u8>(),
    ) {
        let targets: Vec<Eight> = points.chunks(8).map(Eight::of).collect();
        let (solids, mask) = (Solids::build(&map), Contents::MASK_SHOT);
        let gaze = Gaze { eyes: &eyes, targets: &targets, mask };
        let seen_by = |solids: &Solids| {
            let mut seen = vec![asked; eyes.len() * targets.len()];
            solids.gaze(&gaze, &mut Obstacles::default(), &mut Corridor::default(), &mut seen);
            seen
        };
        let seen = seen_by(&solids);
        for (place, &bits) in seen.iter().enumerate() {
            let eye = eyes[place / targets.len()];
            for (lane, &target) in points.chunks(8).nth(place % targets.len()).unwrap().iter().enumerate() {
                let is_seen = asked >> lane & 1 == 1 && solids.is_clear(&Sweep::ray(eye, target, mask));
                prop_assert_eq!(bits >> lane & 1 == 1, is_seen, "{} {}", eye, target);
            }
        }
        prop_assert_eq!(seen_by(&solids.portable()), seen);
    }

    /// Whatever was in the way before, of this way or of another.
    #[test]
    fn looking_again_sees_what_looking_for_the_first_time_sees(
        map in heap(),
        sweeps in prop::collection::vec(sweep(), 1..12),
        bodies in prop::collection::vec(body(), 0..4),
    ) {
        let solids = Solids::build(&map);
        let crowd = Crowd::of(&solids, &[], &bodies);
        let scene = Scene { solids: &solids, crowd: &crowd };
        let mut known = Blocker::default();
        for sweep in sweeps.iter().chain(&sweeps) {
            for mask in [Contents::MASK_SHOT, Contents::BODY] {
                let sweep = Sweep { mask, ..*sweep };
                let is_clear = scene.is_clear(&sweep, None);
                prop_assert_eq!(scene.is_still_clear(&sweep, None, &mut known), is_clear);
                prop_assert_eq!(scene.is_still_clear(&sweep, None, &mut known), is_clear, "what it just found");
            }
        }
    }

    #[test]
    fn a_burst_gets_where_single_rays_get(
        map in heap(),
        // Everywhere, and where grenades lie: on the very top of something, or just inside.
        from in vector(700.0),
        sunk in prop::option::of(0.0f32..2.0),
        ways in prop::collection::vec(vector(300.0), 1..17),
        bodies in prop::collection::vec(body(), 0..12),
    ) {
        let solids = Solids::build(&map);
        let fall = solids.sweep(&Sweep::ray(from, from - Vec3::Z * 900.0, Contents::MASK_SOLID));
        let from = sunk.map_or(from, |sunk| fall.end - Vec3::Z * sunk);
        let points: Vec<Vec3> = ways.iter().map(|way| from + *way).collect();
        let crowd = Crowd::of(&solids, &[], &bodies);
        let mask = Contents::MASK_SHOT;
        let got = Scene { solids: &solids, crowd: &crowd }.burst(from, &points, mask);
        for (number, &point) in points.iter().enumerate() {
            let single = Scene { solids: &solids, crowd: &crowd }.sweep(&Sweep::ray(from, point, mask), None);
            prop_assert_eq!(got >> number & 1 == 1, single.fraction == 1.0, "{} {}", from, point);
        }
        let portable = solids.clone().portable();
        prop_assert_eq!(Scene { solids: &portable, crowd: &crowd }.burst(from, &points, mask), got);
    }

    #[test]
    fn fast_and_portable_paths_agree(map in heap(), sweeps in prop::collection::vec(sweep(), 50)) {
        let fast = Solids::build(&map);
        let portable = fast.clone().portable();
        for sweep in &sweeps {
            prop_assert_eq!(fast.sweep(sweep), portable.sweep(sweep));
            prop_assert_eq!(fast.is_clear(sweep), portable.is_clear(sweep));
            prop_assert_eq!(fast.contents_at(sweep.start), portable.contents_at(sweep.start));
        }
    }

    #[test]
    fn culling_never_loses_a_brush(map in heap(), is_open in any::<bool>(), sweeps in prop::collection::vec(sweep(), 50)) {
        let solids = Solids { is_open, ..Solids::build(&map) };
        for sweep in &sweeps {
            let trace = solids.sweep(sweep);
            let (fraction, starts_inside) = nearest_of_all(&solids, sweep);
            prop_assert_eq!(trace.fraction, fraction, "{:?}", sweep);
            // At fraction 0 the engine stops looking, and whether it saw the brush around the start is a matter of order.
            if fraction > 0.0 {
                prop_assert_eq!(trace.start_solid, starts_inside, "{:?}", sweep);
            }
        }
    }

    #[test]
    fn a_crowd_hides_nobody(map in heap(), bodies in prop::collection::vec(body(), 1..20), sweep in sweep()) {
        let solids = Solids::build(&map);
        let crowd = Crowd::of(&solids, &[], &bodies);
        let trace = Scene { solids: &solids, crowd: &crowd }.sweep(&sweep, None);
        let bare = solids.sweep(&sweep);
        let alone = bodies.iter().map(|body| sweep_body(body, &sweep));
        let nearest = alone.clone().map(|trace| trace.fraction).fold(bare.fraction, f32::min);
        // Whoever is blocked at once by the map does not look at bodies.
        let expected = if bare.fraction == 0.0 { 0.0 } else { nearest };
        prop_assert_eq!(trace.fraction, expected);
        let is_clear = !bare.is_hit() && !alone.clone().any(|trace| trace.is_hit());
        prop_assert_eq!(Scene { solids: &solids, crowd: &crowd }.is_clear(&sweep, None), is_clear);
    }

    #[test]
    fn nothing_in_the_way_means_a_whole_fraction(map in heap(), sweeps in prop::collection::vec(sweep(), 50)) {
        let solids = Solids::build(&map);
        let mut clear = Vec::new();
        let mut traces = Vec::new();
        solids.are_clear(&sweeps, &mut clear);
        solids.sweep_all(&sweeps, &mut traces);
        for ((sweep, clear), trace) in sweeps.iter().zip(clear).zip(traces) {
            prop_assert_eq!(trace, solids.sweep(sweep));
            prop_assert_eq!(clear, !trace.is_hit());
            prop_assert_eq!(clear, solids.is_clear(sweep));
        }
    }

    #[test]
    fn a_trace_never_ends_in_solid(map in heap(), sweeps in prop::collection::vec(sweep(), 50)) {
        let solids = Solids::build(&map);
        for sweep in &sweeps {
            let trace = solids.sweep(sweep);
            // At fraction 0 the engine stops looking, perhaps before it sees that it began inside another brush.
            if !trace.start_solid && trace.fraction > 0.0 {
                let there = Sweep { start: trace.end, end: trace.end, ..*sweep };
                prop_assert!(!solids.sweep(&there).start_solid, "{:?} ends inside", sweep);
            }
        }
    }

    #[test]
    fn a_placed_model_moves_with_its_origin(map in heap(), sweep in sweep(), origin in vector(300.0)) {
        // Whole numbers move exactly; the map's own solids serve as the model.
        let solids = Solids::build(&map);
        let origin = origin.round();
        let start = sweep.start.round();
        let end = sweep.end.round();
        let still = solids.sweep(&Sweep { start, end, ..sweep });
        let model = Placed {
            model: ModelId::WORLD,
            entity: EntityId(70),
            origin,
            angles: Vec3::ZERO,
            contents: Contents::ALL,
        };
        let moved = solids.sweep_placed(&model, &Sweep { start: start + origin, end: end + origin, ..sweep });
        prop_assert_eq!(still.fraction, moved.fraction);
        prop_assert_eq!(still.normal, moved.normal);
    }
}

#[test]
fn a_door_turned_a_quarter_stands_across_its_old_place() {
    let stone = Material { name: "stone".into(), contents: Contents::SOLID, surface: SurfaceFlags::NONE };
    let door = brush(Vec3::new(32.0, 0.0, 0.0), Vec3::new(32.0, 4.0, 48.0), Vec3::ZERO);
    let geometry = Geometry { name: "door".into(), materials: vec![stone], brushes: vec![door], ..Geometry::default() };
    let solids = Solids::build(&Map::from_geometry(&geometry).unwrap());
    let placed = |yaw: f32| Placed {
        model: ModelId::WORLD,
        entity: EntityId(70),
        origin: Vec3::ZERO,
        angles: Vec3::new(0.0, yaw, 0.0),
        contents: Contents::ALL,
    };
    let through = Sweep::ray(Vec3::new(40.0, -20.0, 0.0), Vec3::new(40.0, 60.0, 0.0), Contents::MASK_SHOT);
    assert!(solids.sweep_placed(&placed(0.0), &through).fraction < 1.0);
    assert_eq!(solids.sweep_placed(&placed(90.0), &through).fraction, 1.0);
    let across = Sweep::ray(Vec3::new(-20.0, 40.0, 0.0), Vec3::new(60.0, 40.0, 0.0), Contents::MASK_SHOT);
    assert_eq!(solids.sweep_placed(&placed(0.0), &across).fraction, 1.0);
    let hit = solids.sweep_placed(&placed(90.0), &across);
    assert!(hit.normal.distance(-Vec3::X) < 1e-6, "its side faces west now: {:?}", hit.normal);
    assert!((hit.end.x - -4.125).abs() < 1e-3, "stopped an eighth before it: {}", hit.end);
}

#[test]
fn a_body_stops_a_box_an_eighth_short() {
    let body = Body {
        entity: EntityId(3),
        origin: Vec3::new(100.0, 0.0, 0.0),
        hull: Hull::new(Vec3::splat(-15.0), Vec3::splat(15.0)),
        contents: Contents::BODY,
    };
    let hull = Hull::new(Vec3::splat(-5.0), Vec3::splat(5.0));
    let hit = sweep_body(&body, &Sweep::hull(Vec3::ZERO, Vec3::X * 200.0, hull, Contents::MASK_SHOT));
    assert_eq!((hit.end.x, hit.normal, hit.struck), (79.875, -Vec3::X, Struck::Body));
    let beside = Sweep::hull(Vec3::Y * 21.0, Vec3::new(200.0, 21.0, 0.0), hull, Contents::MASK_SHOT);
    assert_eq!(sweep_body(&body, &beside).fraction, 1.0);
}

#[test]
fn masks_choose_what_is_solid() {
    let material = |contents| Material { name: format!("{contents:?}"), contents, surface: SurfaceFlags::NONE };
    let mut clip_brush = brush(Vec3::new(100.0, 0.0, 0.0), Vec3::splat(10.0), Vec3::ZERO);
    clip_brush.material = 1;
    let wall = brush(Vec3::new(200.0, 0.0, 0.0), Vec3::splat(10.0), Vec3::ZERO);
    let geometry = Geometry {
        name: "masks".into(),
        materials: vec![material(Contents::SOLID), material(Contents::PLAYER_CLIP)],
        brushes: vec![wall, clip_brush],
        ..Geometry::default()
    };
    let solids = Solids::build(&Map::from_geometry(&geometry).unwrap());
    let ray = |mask| solids.sweep(&Sweep::ray(Vec3::ZERO, Vec3::X * 400.0, mask));
    assert_eq!(ray(Contents::MASK_SHOT).end.x, 189.875);
    assert_eq!(ray(Contents::MASK_PLAYER).end.x, 89.875);
    assert_eq!(ray(Contents::MASK_LIQUID).fraction, 1.0);
    assert_eq!(solids.contents_at(Vec3::new(100.0, 0.0, 0.0)), Contents::PLAYER_CLIP);
}
