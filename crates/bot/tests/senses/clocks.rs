//! Power-ups: when a bot believes them to be there whom nobody showed any.

use fireteam::Field;
use fireteam::memory::{BelievedItem, Memory};
use fireteam::snapshot::{Audience, Item, Message, Said, Sound, SoundKind};
use fireteam_world::map::Entity;
use fireteam_world::units::EntityId;
use fireteam_world::{Game, Vec3};

use crate::support::{Scene, two_rooms};

const PLACES: [Vec3; 2] = [Vec3::new(-320.0, -160.0, 2.0), Vec3::new(-320.0, 160.0, 2.0)];
const SECOND: i32 = 1000;

/// A bot in the other room, which looks at the wall, and quads behind its back with these keys besides.
fn scene(quads: &[&[(&str, &str)]]) -> Scene {
    scene_in(quads, false)
}

fn scene_in(quads: &[&[(&str, &str)]], are_left_out: bool) -> Scene {
    let mut scene = Scene::new(two_rooms(), [200.0, 0.0], 0.0);
    let (mut map, mut game) = ((*scene.field.map).clone(), (*scene.field.game).clone());
    let openarena = Game::named("openarena").expect("built in");
    game.rules.entities.insert("item_quad".to_owned(), openarena.rules.entities["item_quad"].clone());
    game.rules.entities.values_mut().for_each(|item| item.left_out = are_left_out);
    for (keys, place) in quads.iter().zip(PLACES) {
        let origin = format!("{} {} {}", place.x, place.y, place.z);
        let own = [("classname", "item_quad"), ("origin", origin.as_str())];
        let pairs = own.iter().chain(*keys).map(|(key, value)| (key.to_string(), value.to_string()));
        map.entities.push(Entity { pairs: pairs.collect() });
    }
    let Field { solids, terrain, .. } = &*scene.field;
    let field = Field::new(map.into(), solids.clone(), terrain.clone(), game.into());
    scene.field = field.expect("items are not physics").into();
    scene.memory = Memory::of(&scene.field);
    scene
}

fn quads(scene: &Scene) -> Vec<BelievedItem> {
    let kind = scene.field.arsenal.item_named("item_quad");
    scene.memory.items().iter().filter(|item| Some(item.kind) == kind).copied().collect()
}

fn announce(scene: &mut Scene) {
    let kind = scene.field.arsenal.item_named("item_quad").expect("described");
    scene.snapshot.messages.push(Message { to: Audience::All, from: None, said: Said::Taken { kind } });
}

/// When it should be back, in seconds from now.
fn back_in(quad: &BelievedItem, scene: &Scene) -> i32 {
    ((quad.back.expect("it comes back") - scene.now()) as f32 / SECOND as f32).round() as i32
}

#[test]
fn what_the_game_leaves_out_is_believed_nowhere() {
    assert!(!scene_in(&[&[]], false).memory.items().is_empty());
    assert!(scene_in(&[&[]], true).memory.items().is_empty());
}

#[test]
fn a_power_up_is_there_a_minute_after_the_beginning_and_not_before() {
    let mut scene = scene(&[&[]]);
    scene.run(SECOND);
    assert!(!quads(&scene)[0].is_there);
    assert_eq!(back_in(&quads(&scene)[0], &scene), 59);
    scene.run(60 * SECOND);
    assert!(quads(&scene)[0].is_there);
}

#[test]
fn a_power_up_is_timed_by_all_who_hear_that_it_was_taken_somewhere() {
    let mut scene = scene(&[&[]]);
    scene.run(90 * SECOND);
    announce(&mut scene);
    scene.run(SECOND);
    assert_eq!(back_in(&quads(&scene)[0], &scene), 119);
    // What is heard of another one that somebody dropped does not move the clock.
    scene.run(30 * SECOND);
    announce(&mut scene);
    scene.run(SECOND);
    assert_eq!(back_in(&quads(&scene)[0], &scene), 88);
}

#[test]
fn it_may_be_taken_before_the_latest_moment_at_which_it_comes_for_the_first_time() {
    let mut scene = scene(&[&[]]);
    scene.run(35 * SECOND);
    announce(&mut scene);
    scene.run(SECOND);
    assert_eq!(back_in(&quads(&scene)[0], &scene), 119);
}

#[test]
fn which_of_two_was_taken_is_known_only_if_the_other_cannot_be_it() {
    let mut scene = scene(&[&[], &[]]);
    scene.run(90 * SECOND);
    announce(&mut scene);
    scene.run(SECOND);
    assert!(quads(&scene).iter().all(|quad| quad.is_there), "nobody says which");
    // One was heard going: then the word is about that one, and the next about the other.
    scene.snapshot.own[0].body.origin = PLACES[0] + Vec3::new(-60.0, 0.0, 24.0);
    let sound = Sound { kind: SoundKind::Pickup, origin: PLACES[0], source: Some(EntityId(2)) };
    scene.snapshot.sounds.push(sound);
    announce(&mut scene);
    scene.run(SECOND);
    assert_eq!(quads(&scene).iter().map(|quad| quad.is_there).collect::<Vec<_>>(), [false, true]);
    announce(&mut scene);
    scene.run(SECOND);
    assert!(quads(&scene).iter().all(|quad| !quad.is_there));
}

#[test]
fn the_maps_own_times_stand_before_the_games() {
    let back = |keys: &[(&str, &str)]| {
        let mut scene = scene(&[keys]);
        scene.run(90 * SECOND);
        announce(&mut scene);
        scene.run(SECOND);
        quads(&scene)[0].back.map(|back| ((back - scene.now()) as f32 / SECOND as f32).round() as i32)
    };
    assert_eq!(back(&[("wait", "30")]), Some(29));
    assert_eq!(back(&[("wait", "30"), ("random", "10")]), Some(39), "at the latest");
    assert_eq!(back(&[("random", "15")]), Some(134));
    assert_eq!(back(&[("wait", "-1")]), None, "it never comes back");
}

#[test]
fn who_comes_by_earlier_knows_better() {
    let mut scene = scene(&[&[]]);
    let kind = scene.field.arsenal.item_named("item_quad").expect("described");
    scene.snapshot.items.push(Item { entity: EntityId(100), kind, origin: PLACES[0], is_there: true });
    scene.snapshot.own[0].body.origin = PLACES[0] + Vec3::new(-30.0, 0.0, 24.0);
    scene.run(SECOND);
    assert!(quads(&scene)[0].is_there && quads(&scene).len() == 1);
}
