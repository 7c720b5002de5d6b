//! What a side shares: by whom, how late, how far; and which places it has had an eye on.

use fireteam::memory::Memory;
use fireteam::perceive::Sense;
use fireteam::snapshot::Own;
use fireteam::team::{NEVER, TeamMind};
use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::units::EntityId;

use crate::support::{FRAME_MS, OURS, Scene, own, two_rooms};

/// The mate who listens, in the other room.
fn listener(scene: &Scene) -> Own {
    Own { entity: EntityId(4), ..own(&scene.field, [300.0, 0.0], 0.0) }
}

#[test]
fn own_side_is_known_everywhere_and_at_once() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 180.0);
    scene.put_mate(4, [300.0, 0.0]);
    scene.frame();
    let places = |scene: &Scene| scene.looks.mates(scene.own()).iter().map(|mate| mate.origin.x).collect::<Vec<_>>();
    assert_eq!(places(&scene), [300.0]);
    scene.player(4).origin.x = 250.0;
    scene.frame();
    assert_eq!(places(&scene), [250.0]);
}

#[test]
fn what_one_sees_reaches_the_others_after_a_word() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
    scene.put_enemy(2, [-100.0, 0.0]);
    let mut team = TeamMind::new(OURS, &scene.field);
    let mut memory = Memory::of(&scene.field);
    let other = listener(&scene);
    let (mut saw, mut heard) = (None, None);
    for _ in 0..60 {
        let now = scene.now();
        scene.frame();
        team.share(scene.own(), &scene.memory, now, &scene.convars);
        team.hear(&other, &mut memory, now, &scene.field);
        saw = saw.or(scene.sees(2).then_some(now));
        heard = heard.or(memory.threat(EntityId(2)).map(|_| now));
    }
    let (saw, heard) = (saw.expect("in view"), heard.expect("within earshot"));
    assert!((700..=700 + FRAME_MS).contains(&(heard - saw)), "{} ms", heard - saw);
    let threat = memory.threat(EntityId(2)).expect("heard of");
    assert!(threat.by == Sense::Words && !threat.in_sight && threat.origin.x == -100.0);
}

#[test]
fn out_of_earshot_nothing_is_shared() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
    scene.put_enemy(2, [-100.0, 0.0]);
    let mut game = (*scene.field.game).clone();
    game.rules.hearing.voice = 500.0;
    let field = &scene.field;
    let field = fireteam::Field::new(field.map.clone(), field.solids.clone(), field.terrain.clone(), game.into());
    scene.field = field.expect("hearing is not physics").into();
    let mut team = TeamMind::new(OURS, &scene.field);
    let mut memory = Memory::of(&scene.field);
    let mut other = listener(&scene);
    for _ in 0..60 {
        let now = scene.now();
        scene.frame();
        team.share(scene.own(), &scene.memory, now, &scene.convars);
        team.hear(&other, &mut memory, now, &scene.field);
    }
    assert!(memory.threat(EntityId(2)).is_none());
    // Come nearer, and the next word is heard.
    other.body.origin.x = 100.0;
    for _ in 0..60 {
        let now = scene.now();
        scene.frame();
        team.share(scene.own(), &scene.memory, now, &scene.convars);
        team.hear(&other, &mut memory, now, &scene.field);
    }
    assert!(memory.threat(EntityId(2)).is_some());
}

#[test]
fn a_team_knows_which_places_it_has_had_an_eye_on() {
    let mut scene = Scene::new(two_rooms(), [-380.0, 0.0], 0.0);
    let mut team = TeamMind::new(OURS, &scene.field);
    let terrain = scene.field.terrain.clone();
    let at = |x: f32, y: f32| -> WaypointId {
        terrain.nearest(Vec3::new(x, y, crate::support::FLOOR)).expect("there are waypoints").waypoint
    };
    let (here, other_room) = (at(-60.0, 0.0), at(300.0, 0.0));
    let behind = at(-390.0, -180.0);
    let words = terrain.waypoints.len().div_ceil(64);
    for _ in 0..words {
        team.look(scene.own(), scene.now(), &scene.field, &scene.convars);
    }
    assert_eq!(team.last_seen(here), scene.now());
    assert_eq!((team.last_seen(other_room), team.last_seen(behind)), (NEVER, NEVER));
    let first = scene.now();
    scene.snapshot.time = first + 2000;
    scene.turn_to(-110.0);
    for _ in 0..words {
        team.look(scene.own(), scene.now(), &scene.field, &scene.convars);
    }
    assert_eq!((team.last_seen(here), team.last_seen(behind)), (first, scene.now()));
}
