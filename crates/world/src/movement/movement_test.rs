use glam::Vec3;
use proptest::prelude::*;

use super::*;
use crate::map::geometry::{ConvexBrush, Geometry, Material};
use crate::map::{Map, Plane};
use crate::solids::Solids;

const FRAME_MS: i32 = 50;
/// Origin of a player whose feet rest on a floor at height 0: the trace stops 1/8 unit above it.
const STANDING: f32 = 24.125;

const STONE: u32 = 0;
const WATER: u32 = 1;
const RUNGS: u32 = 2;
const ICE: u32 = 3;
const CUSHION: u32 = 4;

fn material(name: &str, contents: Contents, surface: SurfaceFlags) -> Material {
    Material { name: name.to_owned(), contents, surface }
}

/// A place built of boxes and other convex things.
struct Place {
    geometry: Geometry,
}

impl Place {
    /// A wide floor whose top is at height 0.
    fn with_floor() -> Place {
        Place::empty().block([-4096.0, -4096.0, -64.0], [4096.0, 4096.0, 0.0], STONE)
    }

    fn empty() -> Place {
        let materials = vec![
            material("stone", Contents::SOLID, SurfaceFlags::NONE),
            material("water", Contents::WATER, SurfaceFlags::NONE),
            material("rungs", Contents::SOLID, SurfaceFlags::LADDER),
            material("ice", Contents::SOLID, SurfaceFlags::SLICK),
            material("cushion", Contents::SOLID, SurfaceFlags::NO_DAMAGE),
        ];
        Place { geometry: Geometry { name: "place".to_owned(), materials, ..Geometry::default() } }
    }

    fn block(self, mins: [f32; 3], maxs: [f32; 3], material: u32) -> Place {
        let mut planes = Vec::new();
        for axis in 0..3 {
            let mut normal = Vec3::ZERO;
            normal[axis] = 1.0;
            planes.push(Plane { normal, dist: maxs[axis] });
            planes.push(Plane { normal: -normal, dist: -mins[axis] });
        }
        self.convex(planes, material)
    }

    fn convex(mut self, planes: Vec<Plane>, material: u32) -> Place {
        self.geometry.brushes.push(ConvexBrush { planes, material });
        self
    }

    /// A ramp rising from x = 0 whose surface has this upward part in its normal.
    fn ramp(self, rise: f32, material: u32) -> Place {
        let normal = Vec3::new(-(1.0 - rise * rise).sqrt(), 0.0, rise);
        let walls = [(Vec3::X, 2048.0), (-Vec3::Y, 512.0), (Vec3::Y, 512.0), (-Vec3::Z, 64.0), (-Vec3::X, 64.0)];
        let mut planes: Vec<Plane> = walls.map(|(normal, dist)| Plane { normal, dist }).to_vec();
        planes.push(Plane { normal, dist: 0.0 });
        self.convex(planes, material)
    }

    fn build(&self) -> Solids {
        Solids::build(&Map::from_geometry(&self.geometry).expect("the test's own brushes are sound"))
    }
}

/// One player in a place, driven frame by frame.
struct Run {
    solids: Solids,
    rules: MovementRules,
    player: Player,
    events: Vec<Event>,
}

impl Run {
    fn new(place: &Place, origin: [f32; 3]) -> Run {
        Run::by(MovementRules::openarena(), place, origin)
    }

    fn by(rules: MovementRules, place: &Place, origin: [f32; 3]) -> Run {
        let player = Player::at(Vec3::from_array(origin), &rules);
        let mut run = Run { solids: place.build(), rules, player, events: Vec::new() };
        run.frames(2, Command::default());
        run.events.clear();
        run
    }

    fn frames(&mut self, count: usize, command: Command) -> &mut Run {
        for _ in 0..count {
            self.pass(FRAME_MS, command);
        }
        self
    }

    fn pass(&mut self, ms: i32, command: Command) {
        let scene = Scene::of(&self.solids);
        let setting = Setting { scene: &scene, rules: &self.rules, me: None, mask: Contents::MASK_PLAYER };
        let step = step(&self.player, &command, ms, &setting);
        self.player = step.player;
        self.events.extend(step.events.iter());
    }

    fn speed(&self) -> f32 {
        self.player.velocity.truncate().length()
    }

    fn is_in_solid(&self) -> bool {
        let origin = self.player.origin;
        let sweep = Sweep::hull(origin, origin, self.player.hull(&self.rules), Contents::MASK_PLAYER);
        self.solids.sweep(&sweep).start_solid
    }
}

fn forward() -> Command {
    Command { forward: 127, ..Command::default() }
}

fn jump() -> Command {
    Command { up: 127, ..Command::default() }
}

fn yaw(degrees: f32) -> [i32; 3] {
    [0, angle_word(degrees), 0]
}

#[test]
fn a_runner_reaches_top_speed_in_three_frames() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    let speeds: Vec<f32> = (0..4).map(|_| run.frames(1, forward()).speed().round()).collect();
    assert_eq!(speeds, [160.0, 272.0, 320.0, 320.0]);
}

#[test]
fn two_keys_are_not_faster_than_one() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    run.frames(10, Command { right: 127, ..forward() });
    assert!((run.speed() - 320.0).abs() < 0.01, "{}", run.speed());
}

#[test]
fn a_jump_rises_by_45_and_a_half_and_takes_fourteen_frames() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    let mut highest = 0.0_f32;
    let mut frames = 0;
    loop {
        run.frames(1, jump());
        frames += 1;
        highest = highest.max(run.player.origin.z - STANDING);
        if !run.player.ground.is_air() {
            break;
        }
    }
    assert!((highest - 45.5).abs() < 0.1, "{highest}");
    assert_eq!(frames, 14);
    // Still held: no second jump.
    run.frames(3, jump());
    assert_eq!(run.events.iter().filter(|event| **event == Event::Jumped).count(), 1);
}

#[test]
fn turning_in_the_air_gains_speed() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    run.frames(10, forward());
    for hop in 0..8 {
        let side: i8 = if hop % 2 == 0 { 127 } else { -127 };
        for frame in 0..14 {
            // Away from the pressed side: the wish stays almost at right angles to the velocity.
            let turn = (frame as f32 + 1.0) * if hop % 2 == 0 { 1.0 } else { -1.0 };
            let up = if frame == 0 { 127 } else { 0 };
            run.frames(1, Command { angles: yaw(-turn), right: side, up, ..forward() });
        }
    }
    assert!(run.speed() > 340.0, "{}", run.speed());
}

#[test]
fn a_croucher_creeps_at_a_quarter_and_is_lower() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    run.frames(20, Command { up: -127, ..forward() });
    assert!((run.speed() - 80.0).abs() < 0.1, "{}", run.speed());
    assert_eq!((run.player.stance, run.player.eye_height), (Stance::Crouched, 12));
    run.frames(1, Command::default());
    assert_eq!((run.player.stance, run.player.eye_height), (Stance::Standing, 26));
}

#[test]
fn nobody_stands_up_under_a_low_beam() {
    let place = Place::with_floor().block([100.0, -64.0, 48.0], [300.0, 64.0, 64.0], STONE);
    let mut run = Run::new(&place, [0.0, 0.0, STANDING]);
    run.frames(20, forward());
    assert!(run.player.origin.x < 100.0 - 15.0, "upright he does not fit under it");
    run.frames(40, Command { up: -127, ..forward() });
    assert!(run.player.origin.x > 110.0);
    run.frames(5, Command::default());
    assert_eq!(run.player.stance, Stance::Crouched);
    run.frames(80, forward()).frames(1, Command::default());
    assert!(run.player.origin.x > 315.0);
    assert_eq!(run.player.stance, Stance::Standing);
}

#[test]
fn a_step_of_18_is_walked_up_and_one_of_19_is_not() {
    for (height, climbs) in [(8.0, true), (18.0, true), (19.0, false)] {
        let place = Place::with_floor().block([100.0, -64.0, 0.0], [400.0, 64.0, height], STONE);
        let mut run = Run::new(&place, [0.0, 0.0, STANDING]);
        run.frames(15, forward());
        assert_eq!(run.player.origin.x > 120.0, climbs, "a step of {height}");
        assert_eq!(run.events.iter().any(|event| matches!(event, Event::SteppedUp { .. })), climbs);
    }
}

#[test]
fn slopes_steeper_than_seven_tenths_do_not_carry() {
    for (rise, carries) in [(0.9, true), (0.71, true), (0.69, false), (0.5, false)] {
        let run_up = Place::with_floor().ramp(rise, STONE);
        let mut run = Run::new(&run_up, [-200.0, 0.0, STANDING]);
        run.frames(40, forward());
        assert_eq!(run.player.origin.z > 100.0, carries, "a ramp of {rise}: {}", run.player.origin);
    }
}

#[test]
fn ice_keeps_what_speed_there_is_and_adds_a_little() {
    let mut run =
        Run::new(&Place::empty().block([-4096.0, -4096.0, -64.0], [4096.0, 4096.0, 0.0], ICE), [0.0, 0.0, STANDING]);
    run.player.velocity = Vec3::new(300.0, 0.0, 0.0);
    run.frames(40, Command::default());
    // Gravity is added to the velocity before it is turned along the floor without loss: 40 u/s a frame, squared.
    let expected = (300.0_f32 * 300.0 + 40.0 * 40.0 * 40.0).sqrt();
    assert!((run.speed() - expected).abs() < 6.0, "{}", run.speed());
}

#[test]
fn falls_hurt_by_their_energy() {
    // Energy is g h / 5000: 0.16 of the height.
    for (height, fall) in [(80.0, Fall::Short), (300.0, Fall::Medium), (420.0, Fall::Far)] {
        let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
        run.player.origin.z += height;
        run.frames(40, Command::default());
        let landed = run.events.iter().find_map(|event| match event {
            Event::Landed { fall, damage } => Some((*fall, *damage)),
            _ => None,
        });
        let damage = match fall {
            Fall::Short => 0,
            Fall::Medium => 5,
            Fall::Far => 10,
        };
        assert_eq!(landed, Some((fall, damage)), "from {height}");
    }
}

#[test]
fn cushions_and_deep_water_take_the_fall() {
    let cushion = Place::empty().block([-512.0, -512.0, -64.0], [512.0, 512.0, 0.0], CUSHION);
    let pool = Place::with_floor().block([-512.0, -512.0, 0.0], [512.0, 512.0, 200.0], WATER);
    for place in [cushion, pool] {
        let mut run = Run::new(&place, [0.0, 0.0, STANDING]);
        run.player.origin.z += 600.0;
        run.frames(80, Command::default());
        assert!(!run.events.iter().any(|event| matches!(event, Event::Landed { .. })), "{:?}", run.events);
    }
}

#[test]
fn swimmers_sink_slowly_and_swim_at_half_speed() {
    let pool = Place::with_floor().block([-4000.0, -4000.0, 0.0], [4000.0, 4000.0, 2000.0], WATER);
    let mut run = Run::new(&pool, [0.0, 0.0, 1000.0]);
    assert_eq!(run.player.immersion, Immersion { level: 3, contents: Contents::WATER });
    run.frames(60, Command::default());
    assert!((-61.0..-30.0).contains(&run.player.velocity.z), "{}", run.player.velocity);
    run.frames(60, forward());
    assert!((100.0..161.0).contains(&run.speed()), "{}", run.speed());
}

#[test]
fn a_swimmer_leaps_out_over_an_edge() {
    let place = Place::with_floor().block([-512.0, -512.0, 0.0], [100.0, 512.0, 128.0], WATER).block(
        [100.0, -512.0, 0.0],
        [1024.0, 512.0, 132.0],
        STONE,
    );
    let mut run = Run::new(&place, [0.0, 0.0, 100.0]);
    run.frames(60, Command { up: 40, ..forward() });
    assert!(run.player.origin.x > 130.0 && run.player.origin.z > 132.0, "{}", run.player.origin);
    assert!(run.events.contains(&Event::LeftWater));
}

#[test]
fn a_blow_takes_the_friction_away_for_a_moment() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    run.player.knock(Vec3::X, 100, &MovementRules::openarena());
    assert_eq!(run.player.velocity.x, 500.0);
    assert_eq!(run.player.hold, Hold { ms: 200, knocked: true, ..Hold::default() });
    run.frames(3, Command::default());
    assert!((500.0..510.0).contains(&run.speed()), "{}", run.speed());
    run.frames(3, Command::default());
    assert!(run.speed() < 400.0);
}

#[test]
fn long_commands_are_cut_into_pieces() {
    let place = Place::with_floor();
    let mut whole = Run::new(&place, [0.0, 0.0, STANDING]);
    let mut pieces = Run::new(&place, [0.0, 0.0, STANDING]);
    whole.pass(150, forward());
    for ms in [66, 66, 18] {
        pieces.pass(ms, forward());
    }
    assert_eq!(whole.player, pieces.player);
}

#[test]
fn the_view_stops_short_of_straight_down() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    run.frames(1, Command { angles: [angle_word(120.0), angle_word(-90.0), 0], ..Command::default() });
    assert_eq!(run.player.view, Vec3::new(87.890625, -90.0, 0.0));
}

#[test]
fn the_dead_slide_to_a_halt_and_keep_their_view() {
    let mut run = Run::new(&Place::with_floor(), [0.0, 0.0, STANDING]);
    run.frames(10, Command { angles: yaw(90.0), ..forward() });
    run.player.is_dead = true;
    run.frames(40, forward());
    assert_eq!(run.player.velocity, Vec3::ZERO);
    assert_eq!((run.player.view.y, run.player.eye_height), (90.0, -16));
}

#[test]
fn a_ladder_is_climbed_to_the_ledge_above_it() {
    let place = Place::with_floor().block([100.0, -64.0, 0.0], [108.0, 64.0, 256.0], RUNGS).block(
        [108.0, -512.0, 0.0],
        [512.0, 512.0, 256.0],
        STONE,
    );
    let mut run = Run::by(MovementRules::skirmish(), &place, [40.0, 0.0, STANDING]);
    run.frames(30, forward());
    assert!(run.player.ladder.is_some() && run.player.origin.z > 80.0, "{:?}", run.player);
    run.frames(3, Command::default());
    let height = run.player.origin.z;
    run.frames(10, Command::default());
    assert_eq!(run.player.origin.z, height, "hands hold without pressing anything");
    run.frames(45, forward());
    assert!((run.player.origin.z - (256.0 + STANDING)).abs() < 0.5, "on the ledge: {}", run.player.origin);
    assert!(run.player.origin.x > 110.0);

    let mut quake = Run::new(&place, [40.0, 0.0, STANDING]);
    quake.frames(30, forward());
    assert_eq!(quake.player.origin.z, STANDING, "Quake III has no ladders");
}

#[test]
fn a_climber_jumps_off_backwards() {
    let place = Place::with_floor().block([100.0, -64.0, 0.0], [108.0, 64.0, 512.0], RUNGS);
    let mut run = Run::by(MovementRules::skirmish(), &place, [40.0, 0.0, STANDING]);
    run.frames(40, forward());
    let height = run.player.origin.z;
    run.frames(1, Command { up: 127, ..Command::default() }).frames(40, Command::default());
    assert!(run.player.ladder.is_none() && height > 100.0);
    assert!(run.player.origin.x < 60.0 && run.player.origin.z < height, "{}", run.player.origin);
}

#[test]
fn lying_down_takes_time_and_fits_under_low_things() {
    let place = Place::with_floor().block([60.0, -64.0, 24.0], [200.0, 64.0, 128.0], STONE);
    let prone = Command { buttons: Buttons::PRONE, ..forward() };
    let mut run = Run::by(MovementRules::skirmish(), &place, [0.0, 0.0, STANDING]);
    run.frames(20, Command { up: -127, ..forward() });
    assert!(run.player.origin.x < 46.0, "crouching is not low enough");
    run.frames(1, prone);
    assert_eq!((run.player.stance, run.player.stance_ms), (Stance::Prone, 450));
    run.frames(60, prone);
    assert!(run.player.origin.x > 80.0, "{}", run.player.origin);
    run.frames(20, forward());
    assert_eq!(run.player.stance, Stance::Prone, "no room to get up");
    run.frames(200, forward());
    assert_eq!(run.player.stance, Stance::Standing);

    let mut quake = Run::new(&place, [0.0, 0.0, STANDING]);
    quake.frames(1, prone);
    assert_eq!(quake.player.stance, Stance::Standing);
}

#[test]
fn a_pad_throws_to_its_apex() {
    let pad = Hull::new(Vec3::new(-32.0, -32.0, -8.0), Vec3::new(32.0, 32.0, 8.0));
    let velocity = launch_velocity(pad, Vec3::new(300.0, 400.0, 450.0), 800).expect("the apex is above");
    let time = velocity.z / 800.0;
    assert!((velocity.z * time - 400.0 * time * time - 450.0).abs() < 0.01);
    assert!((velocity.truncate() * time - glam::Vec2::new(300.0, 400.0)).length() < 0.01);
    assert_eq!(launch_velocity(pad, Vec3::new(0.0, 0.0, -10.0), 800), None);
}

fn any_block() -> impl Strategy<Value = ([f32; 3], [f32; 3])> {
    let corner = [-300.0_f32..300.0, -300.0_f32..300.0, -20.0_f32..120.0];
    let size = [8.0_f32..200.0, 8.0_f32..200.0, 8.0_f32..120.0];
    (corner, size).prop_map(|(mins, size)| (mins, [mins[0] + size[0], mins[1] + size[1], mins[2] + size[2]]))
}

fn any_command() -> impl Strategy<Value = Command> {
    let moves = prop::sample::select(vec![-127_i8, 0, 127]);
    (0..65536_i32, moves.clone(), moves.clone(), moves).prop_map(|(yaw, forward, right, up)| Command {
        angles: [0, yaw, 0],
        forward,
        right,
        up,
        ..Command::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nobody_ends_in_solid_and_both_paths_agree(
        blocks in prop::collection::vec(any_block(), 1..24),
        commands in prop::collection::vec(any_command(), 1..16),
    ) {
        let mut place = Place::with_floor();
        for (mins, maxs) in blocks {
            place = place.block(mins, maxs, STONE);
        }
        let mut run = Run::new(&place, [0.0, 0.0, 300.0]);
        let mut portable = Run::new(&place, [0.0, 0.0, 300.0]);
        portable.solids = portable.solids.portable();
        for command in commands {
            run.frames(5, command);
            portable.frames(5, command);
            prop_assert!(!run.is_in_solid(), "{:?}", run.player);
            prop_assert_eq!(run.player, portable.player);
        }
    }
}
