//! Items, movers, missiles, clouds: what a bot believes of them, and what changes its mind.

use fireteam::snapshot::{Cloud, Item, ItemKindId, Missile, Sound, SoundKind, ThrowableId};
use fireteam_world::mover::{Motion, MotionKind};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Vec3};

use crate::support::{FLOOR, Scene, glass, two_rooms};

const ITEM: EntityId = EntityId(100);
/// Where the map has its one item, and where the game let it drop to.
const ITEM_PLACE: Vec3 = Vec3::new(320.0, 0.0, 2.0);
const OPEN: Vec3 = Vec3::new(0.0, 58.0, 0.0);

/// A bot in the room with the item, which lies to its right if it looks along the yaw given.
fn item_scene(yaw: f32) -> Scene {
    let mut scene = Scene::new(two_rooms(), [200.0, 0.0], yaw);
    let kind = scene.field.arsenal.item_named("ammo_grenades").expect("described");
    scene.snapshot.items.push(Item { entity: ITEM, kind, origin: ITEM_PLACE, is_there: true });
    scene
}

#[test]
fn an_item_is_believed_to_lie_where_the_map_has_it_until_it_is_seen_gone() {
    let mut scene = item_scene(180.0);
    scene.snapshot.items[0].is_there = false;
    scene.run(1000);
    assert!(scene.memory.items()[0].is_there, "behind the back");
    scene.turn_to(0.0);
    scene.run(100);
    assert!(scene.memory.items()[0].is_there, "not yet");
    scene.run(500);
    let belief = scene.memory.items()[0];
    let back = belief.back.expect("grenades come back");
    let respawn_ms = scene.field.arsenal.item(belief.kind).respawn_ms;
    assert!(!belief.is_there && (back.0 - respawn_ms - 2000).abs() < 500, "{back:?}");
    assert!(!belief.will_be_there(back + -1) && belief.will_be_there(back));
    // Nobody looks: it is believed to be back when it should be, wherever it may be in truth.
    scene.turn_to(180.0);
    scene.run(back - scene.now() + 100);
    assert!(scene.memory.items()[0].is_there);
    // One look, and it is gone again.
    scene.turn_to(0.0);
    scene.run(600);
    assert!(!scene.memory.items()[0].is_there);
}

#[test]
fn an_item_that_is_seen_takes_its_place_and_number_from_what_is_seen() {
    let mut scene = item_scene(0.0);
    scene.run(600);
    let items = scene.memory.items();
    assert_eq!((items.len(), items[0].entity, items[0].origin), (1, Some(ITEM), ITEM_PLACE));
}

#[test]
fn an_item_is_not_seen_where_the_map_has_it_but_where_it_fell() {
    let mut scene = item_scene(0.0);
    // It lies under the floor of the room, at the bottom of a shaft, say.
    scene.snapshot.items[0].origin.z = -100.0;
    scene.run(1500);
    assert!(scene.memory.items()[0].entity.is_none() && scene.memory.items()[0].known.is_none());
}

/// Seen in the air and fallen on to where nobody sees it, it is as gone as if somebody had taken it.
#[test]
fn what_fell_out_of_sight_after_it_was_seen_is_not_known_to_lie_there_still() {
    let believed = |is_there: bool| {
        let mut scene = item_scene(0.0);
        scene.run(600);
        (scene.snapshot.items[0].origin.z, scene.snapshot.items[0].is_there) = (-60.0, is_there);
        scene.run(600);
        scene.memory.items()[0].is_there
    };
    assert_eq!((believed(true), believed(false)), (false, false));
}

#[test]
fn picking_something_up_out_of_sight_is_heard() {
    let mut scene = item_scene(180.0);
    scene.snapshot.sounds.push(Sound { kind: SoundKind::Pickup, origin: ITEM_PLACE, source: Some(EntityId(2)) });
    scene.run(500);
    assert!(!scene.memory.items()[0].is_there);
}

#[test]
fn what_the_bot_walks_over_it_knows_at_once() {
    let mut scene = item_scene(180.0);
    scene.snapshot.items[0].is_there = false;
    scene.snapshot.own[0].body.origin.x = ITEM_PLACE.x - 20.0;
    scene.frame();
    assert!(!scene.memory.items()[0].is_there);
}

#[test]
fn what_somebody_dropped_is_known_while_it_is_seen_to_lie_there() {
    let mut scene = item_scene(0.0);
    let dropped =
        Item { entity: EntityId(101), kind: ItemKindId(0), origin: Vec3::new(330.0, 90.0, 2.0), is_there: true };
    scene.snapshot.items.push(dropped);
    scene.run(600);
    assert!(scene.memory.items().len() == 2 && scene.memory.items()[1].is_dropped);
    scene.snapshot.items.pop();
    scene.turn_to(180.0);
    scene.run(600);
    assert_eq!(scene.memory.items().len(), 2);
    scene.turn_to(0.0);
    scene.run(600);
    assert_eq!(scene.memory.items().len(), 1);
}

#[test]
fn a_door_is_believed_shut_until_it_is_seen_open_and_again_some_time_after() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 64.0], 180.0);
    scene.snapshot.movers[0].position = Motion::stationary(OPEN);
    scene.run(1000);
    assert_eq!(scene.memory.movers()[0].origin, Vec3::ZERO, "behind the back");
    scene.turn_to(0.0);
    scene.run(150);
    assert_eq!(scene.memory.movers()[0].origin, Vec3::ZERO, "not yet");
    scene.run(350);
    assert!((scene.memory.movers()[0].origin - OPEN).length() < 0.01, "{:?}", scene.memory.movers()[0].origin);
    scene.turn_to(180.0);
    scene.run(4000);
    assert!((scene.memory.movers()[0].origin - OPEN).length() < 0.01, "fresh in mind");
    scene.run(3000);
    assert_eq!(scene.memory.movers()[0].origin, Vec3::ZERO, "doors shut by themselves");
}

/// The frame from which on a door is believed to be elsewhere, for a bot that looks at its doorway after `idle` frames. The door
/// itself hides behind the bot's back, so far off.
fn frame_of_missing(behind: f32, sight_near: f32, idle: i32) -> Option<i32> {
    let mut scene = Scene::new(two_rooms(), [-300.0, 64.0], 180.0);
    scene.convars.sight_near = sight_near;
    for _ in 0..idle {
        scene.frame();
    }
    scene.turn_to(0.0);
    scene.snapshot.movers[0].position = Motion::stationary(Vec3::new(-300.0 - behind, 0.0, 0.0));
    (0..60).find(|_| {
        scene.frame();
        scene.memory.movers()[0].origin != Vec3::ZERO
    })
}

#[test]
fn how_soon_a_door_is_missed_does_not_tell_how_near_it_hides() {
    // The doorway is 300 units away: near by the one measure, far by the other.
    for sight_near in [400.0, 200.0] {
        // Things have their turns by the number of the frame: after 16 frames, all kinds of frames were the first.
        for idle in 0..16 {
            let close = frame_of_missing(60.0, sight_near, idle);
            let away = frame_of_missing(2000.0, sight_near, idle);
            assert!(close.is_some(), "near is {sight_near}, {idle} frames idle: never missed");
            assert_eq!(close, away, "near is {sight_near}, {idle} frames idle");
        }
    }
}

#[test]
fn a_moving_door_is_believed_to_go_on_moving() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 64.0], 0.0);
    let start = scene.now() + 100;
    let delta = Vec3::new(0.0, 20.0, 0.0);
    scene.snapshot.movers[0].position =
        Motion { kind: MotionKind::LinearStop, start, duration_ms: 2900, base: Vec3::ZERO, delta };
    scene.run(700);
    let told = scene.snapshot.movers[0].position.at(scene.now() + -50);
    assert_eq!(scene.memory.movers()[0].origin, told, "seen a while ago and followed since");
    assert!(told.y > 5.0);
}

#[test]
fn a_lift_one_stands_on_is_known_at_once() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 64.0], 180.0);
    let mover = scene.snapshot.movers[0].entity;
    scene.snapshot.movers[0].position = Motion::stationary(Vec3::new(0.0, 30.0, 0.0));
    let ground = fireteam_world::movement::Ground::Floor { entity: Some(mover), normal: Vec3::Z };
    scene.snapshot.own[0].body.ground = ground;
    scene.frame();
    assert_eq!(scene.memory.movers()[0].origin.y, 30.0);
}

#[test]
fn what_is_broken_to_pieces_is_seen_not_to_be_there() {
    let mut scene = Scene::new(glass(), [-200.0, -128.0], 180.0);
    scene.snapshot.movers[0].is_gone = true;
    scene.run(1000);
    assert_eq!(scene.memory.movers()[0].contents, Contents::ALL);
    scene.turn_to(0.0);
    scene.run(1000);
    assert_eq!(scene.memory.movers()[0].contents, Contents::NONE);
    assert_eq!(scene.memory.movers()[1].contents, Contents::ALL, "the pane is whole");
}

fn grenade(x: f32, y: f32) -> Missile {
    Missile {
        entity: EntityId(200),
        kind: ThrowableId(0),
        origin: Vec3::new(x, y, FLOOR),
        velocity: Vec3::ZERO,
        owner: None,
    }
}

#[test]
fn a_grenade_in_view_is_known_and_so_is_its_going_off() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
    scene.snapshot.missiles.push(grenade(-100.0, 0.0));
    scene.run(scene.reaction_ms());
    assert!(scene.memory.missiles().is_empty());
    scene.run(100);
    assert_eq!(scene.memory.missiles().len(), 1);
    assert_eq!(scene.memory.missiles()[0].since, Time(1000));
    scene.snapshot.missiles.clear();
    scene.run(300);
    assert!(scene.memory.missiles().is_empty());
}

#[test]
fn a_grenade_behind_the_back_or_the_wall_is_not() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 180.0);
    scene.snapshot.missiles.push(grenade(-100.0, 0.0));
    scene.run(1000);
    assert!(scene.memory.missiles().is_empty());
    scene.turn_to(0.0);
    scene.snapshot.missiles[0].origin.x = 100.0;
    scene.run(1000);
    assert!(scene.memory.missiles().is_empty());
}

#[test]
fn a_rocket_that_flies_away_is_not_worth_a_thought() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    let mut rocket = grenade(-20.0, 0.0);
    rocket.velocity = Vec3::new(900.0, 0.0, 0.0);
    scene.snapshot.missiles.push(rocket);
    scene.run(600);
    assert!(scene.memory.missiles().is_empty());
    scene.snapshot.missiles[0].velocity.x = -900.0;
    scene.run(600);
    assert_eq!(scene.memory.missiles().len(), 1);
}

#[test]
fn smoke_is_remembered_while_it_is_seen_and_fire_for_longer() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
    let fire = Cloud { origin: Vec3::new(-100.0, 0.0, 10.0), radius: 50.0, blocks_sight: false, harms: true };
    let smoke = Cloud { origin: Vec3::new(-100.0, 100.0, 10.0), radius: 50.0, blocks_sight: true, harms: false };
    scene.snapshot.clouds.extend([fire, smoke]);
    scene.run(600);
    assert_eq!(scene.memory.clouds().len(), 2);
    scene.snapshot.clouds.clear();
    scene.run(4000);
    assert!(scene.memory.clouds().iter().all(|known| known.cloud == fire) && scene.memory.fires().count() == 1);
    scene.run(3000);
    assert!(scene.memory.clouds().is_empty());
}
