//! Grenades thrown in our own maps, and what their explosions do: what must hold for any game and any throw.

use std::path::Path;

use fireteam_world::blast::{Target, absorb, exposure, harm};
use fireteam_world::flight::{
    Air, EndReason, Ending, Fan, FlightRules, Launch, Missile, Throw, Thrower, Trajectory, fly, fly_to_end,
};
use fireteam_world::movement::Stance;
use fireteam_world::units::Time;
use fireteam_world::{Contents, Game, Map, Scene, Solids, Sweep, Vec3};
use proptest::prelude::*;

fn solids(name: &str) -> Solids {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/maps/{name}.map"));
    let text = std::fs::read_to_string(&path).unwrap();
    Solids::build(&Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}")))
}

fn thrower(origin: Vec3) -> Thrower {
    Thrower { origin, view_height: 26.0, velocity: Vec3::ZERO, entity: None }
}

fn throw(yaw: f32, pitch: f32, speed: f32) -> Throw {
    Throw { yaw, pitch, speed, cooked_ms: 0 }
}

/// Frame by frame, without any short cut.
fn fly_slowly(launch: Launch, game: &Game, name: &str, air: &Air<'_>) -> (Ending, usize) {
    let mut missile = Missile::new(launch, game.throwable(name).unwrap(), game.flight_rules());
    let mut bounces = 0;
    loop {
        if let Some(ending) = missile.step(air, &mut |_| bounces += 1) {
            return (ending, bounces);
        }
    }
}

#[test]
fn what_lies_still_is_not_flown_further_but_ends_the_same() {
    let solids = solids("one_room");
    let air = Air::from(Scene::of(&solids));
    let mut trajectory = Trajectory::default();
    let mut rested = 0;
    for name in ["openarena", "action", "skirmish"] {
        let game = Game::named(name).unwrap();
        for (kind, throwable) in &game.rules.throwables {
            let fan = Fan {
                yaw_first: 0.0,
                yaw_span: 360.0,
                yaw_count: 9,
                pitch_first: -70.0,
                pitch_last: 40.0,
                pitch_count: 5,
                speeds: &throwable.speeds,
            };
            for throw in fan.throws() {
                let launch = throwable.launch(&thrower(Vec3::new(0.0, 0.0, 24.125)), &throw, Time(1000));
                let (slow, bounces) = fly_slowly(launch, &game, kind, &air);
                let flown = fly(&launch, throwable, game.flight_rules(), &air, &mut trajectory);
                assert_eq!(flown, slow, "{name} {kind} {throw:?}");
                assert_eq!(flown, fly_to_end(&launch, throwable, game.flight_rules(), &air));
                assert_eq!((trajectory.bounces.len(), flown.bounces as usize), (bounces, bounces));
                assert_eq!(trajectory.rest.is_some(), flown.rested);
                rested += usize::from(flown.rested);
            }
        }
    }
    assert!(rested > 100, "only {rested} came to lie");
}

#[test]
fn a_throw_of_our_own_games_lands_in_the_same_place_at_any_frame_length() {
    let solids = solids("one_room");
    let air = Air::from(Scene::of(&solids));
    let game = Game::named("action").unwrap();
    let frag = game.throwable("frag").unwrap();
    for yaw in 0..12 {
        let throw = throw(yaw as f32 * 30.0, -20.0, frag.speeds[0]);
        let launch = frag.launch(&thrower(Vec3::new(0.0, 0.0, 24.125)), &throw, Time(0));
        let at = |frame_ms| fly_to_end(&launch, frag, FlightRules { frame_ms, ..game.flight_rules() }, &air).place;
        let (fine, coarse) = (at(10), at(50));
        assert!(fine.distance(coarse) < 8.0, "yaw {}: {fine} and {coarse}", throw.yaw);
    }
}

#[test]
fn a_rifle_grenade_does_not_go_off_in_front_of_the_rifle() {
    let solids = solids("one_room");
    let air = Air::from(Scene::of(&solids));
    let game = Game::named("action").unwrap();
    let grenade = game.throwable("rifle-grenade").unwrap();
    let hand = thrower(Vec3::new(0.0, 0.0, 24.125));
    let at_the_feet = fly_to_end(
        &grenade.launch(&hand, &throw(0.0, 89.0, grenade.speeds[0]), Time(0)),
        grenade,
        game.flight_rules(),
        &air,
    );
    assert!(at_the_feet.bounces > 0 && at_the_feet.time.0 >= grenade.arming_ms, "{at_the_feet:?}");
    let mut direct = grenade.clone();
    direct.arming_ms = 0;
    let armed = fly_to_end(
        &direct.launch(&hand, &throw(0.0, 89.0, direct.speeds[0]), Time(0)),
        &direct,
        game.flight_rules(),
        &air,
    );
    assert_eq!((armed.reason, armed.bounces), (EndReason::Impact, 0));
}

#[test]
fn a_cooked_grenade_goes_off_that_much_earlier() {
    let solids = solids("one_room");
    let air = Air::from(Scene::of(&solids));
    let game = Game::named("skirmish").unwrap();
    let frag = game.throwable("frag").unwrap();
    let cooked = Throw { cooked_ms: 1200, ..throw(45.0, -10.0, frag.speeds[1]) };
    let launch = frag.launch(&thrower(Vec3::new(0.0, 0.0, 24.125)), &cooked, Time(0));
    assert_eq!(fly_to_end(&launch, frag, game.flight_rules(), &air).time, Time(frag.fuse_ms - 1200));
}

proptest! {
    #[test]
    fn a_grenade_never_gets_out_of_a_room(yaw in 0f32..360.0, pitch in -89f32..89.0, class in 0usize..3) {
        let solids = solids("one_room");
        let air = Air::from(Scene::of(&solids));
        let (mins, maxs) = solids.bounds(fireteam_world::units::ModelId::WORLD);
        for name in ["action", "skirmish"] {
            let game = Game::named(name).unwrap();
            let frag = game.throwable("frag").unwrap();
            let launch = frag.launch(&thrower(Vec3::new(0.0, 0.0, 24.125)), &throw(yaw, pitch, frag.speeds[class]), Time(0));
            let ending = fly_to_end(&launch, frag, game.flight_rules(), &air);
            prop_assert!(ending.place.cmpge(mins).all() && ending.place.cmple(maxs).all());
            prop_assert!(!solids.contents_at(ending.place).meets(Contents::SOLID), "{ending:?}");
        }
    }
}

fn target(origin: Vec3, game: &Game, stance: Stance) -> Target {
    Target { origin, hull: game.rules.movement.hull(stance), stance, entity: None, is_self: false, is_carried: false }
}

#[test]
fn openarena_damage_falls_with_the_distance_to_the_linked_box() {
    let solids = solids("one_room");
    let scene = Scene::of(&solids);
    let game = Game::named("openarena").unwrap();
    let blast = game.throwable("grenade").unwrap().blast.clone().unwrap();
    let body = target(Vec3::new(0.0, 0.0, 24.125), &game, Stance::Standing);
    let points = |edge: f32| {
        let centre = Vec3::new(-16.0 - edge, 0.0, 24.0);
        harm(centre, &blast, &game, &body, &scene).map(|harm| harm.points)
    };
    // 100 * (1 - d / 150), cut to whole points; the quotient is single, so that 90 units leave 39, not 40. What reaches
    // a body at all hurts it by a point.
    assert_eq!([0.0, 30.0, 60.0, 90.0, 120.0, 149.9].map(points), [100, 80, 60, 39, 19, 1].map(Some));
    assert_eq!(points(150.0), None);
    let own = Target { is_self: true, ..body };
    let harm = harm(Vec3::new(-16.0, 0.0, 24.0), &blast, &game, &own, &scene).unwrap();
    assert_eq!((harm.points, harm.blow), (50, 100), "one's own blast hurts half and throws in full");
    assert_eq!(absorb(50, 199, &game).armour, 33);
    assert_eq!(absorb(50, 10, &game).health, 40);
}

#[test]
fn a_wall_between_stops_every_blast() {
    let solids = solids("two_rooms_one_door");
    let scene = Scene::of(&solids);
    for name in ["openarena", "action", "skirmish"] {
        let game = Game::named(name).unwrap();
        let (kind, ours) = if name == "openarena" { ("grenade", 40.0) } else { ("frag", 60.0) };
        let blast = game.throwable(kind).unwrap().blast.clone().unwrap();
        let body = target(Vec3::new(ours, 150.0, 24.125), &game, Stance::Standing);
        let hidden = Vec3::new(-ours, 150.0, 24.0);
        assert!(scene.sweep(&Sweep::ray(hidden, body.origin, Contents::MASK_SOLID), None).is_hit(), "no wall there");
        assert_eq!(harm(hidden, &blast, &game, &body, &scene), None, "{name}");
        let open = Vec3::new(ours + 60.0, 150.0, 24.0);
        assert!(harm(open, &blast, &game, &body, &scene).is_some(), "{name}");
    }
}

#[test]
fn who_lies_down_or_stands_behind_something_suffers_less() {
    let solids = solids("breakable");
    let scene = Scene::of(&solids);
    let game = Game::named("skirmish").unwrap();
    let blast = game.throwable("frag").unwrap().blast.clone().unwrap();
    let origin = Vec3::new(-100.0, 0.0, 24.125);
    let centre = Vec3::new(-220.0, 0.0, 30.0);
    let points = |stance| harm(centre, &blast, &game, &target(origin, &game, stance), &scene).unwrap().points;
    let (standing, crouched, prone) = (points(Stance::Standing), points(Stance::Crouched), points(Stance::Prone));
    assert!(standing > crouched && crouched > prone && prone > 0, "{standing} {crouched} {prone}");

    // A sill 44 high with a lintel above it (`breakable` has one at y 96): legs and chest are behind it.
    let behind = target(Vec3::new(60.0, 96.0, 24.125), &game, Stance::Standing);
    let open = exposure(Vec3::new(-60.0, 96.0, 70.0), &behind, &scene);
    assert!(open.head > 0.0 && open.legs == 0.0, "{open:?}");
    assert!(open.share() > 0.0 && open.share() < 1.0);
}
