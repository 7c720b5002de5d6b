//! What a bot hears, feels and is told.

use fireteam::snapshot::{Audience, Hurt, Message, Said, Sound, SoundKind, Team, Voice};
use fireteam::{Field, Skill};
use fireteam_world::Vec3;
use fireteam_world::map::{Leaf, Node, Plane, Tree, Visibility};
use fireteam_world::pcg::Pcg;
use fireteam_world::units::EntityId;

use crate::support::{FLOOR, ME, OURS, Scene, THEIRS, two_rooms};

fn sound(kind: SoundKind, x: f32, source: Option<EntityId>) -> Sound {
    Sound { kind, origin: Vec3::new(x, 0.0, FLOOR), source }
}

#[test]
fn a_sound_is_heard_within_its_range_and_not_beyond() {
    let heard = |range: f32| {
        let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 180.0);
        let mut game = (*scene.field.game).clone();
        game.rules.hearing.steps = range;
        let field = &scene.field;
        let field = Field::new(field.map.clone(), field.solids.clone(), field.terrain.clone(), game.into());
        scene.field = field.expect("hearing is not physics").into();
        scene.snapshot.sounds.push(sound(SoundKind::Step, 300.0, Some(EntityId(2))));
        scene.run(500);
        !scene.memory.noises().is_empty()
    };
    assert!(heard(610.0), "walls do not stop it, nor does it matter where one looks");
    assert!(!heard(590.0));
}

#[test]
fn walls_that_a_map_compiler_let_nothing_through_halve_the_range() {
    let heard = |from: f32, is_sealed: bool| {
        let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
        let mut map = (*scene.field.map).clone();
        let leaf = |cluster| Leaf { cluster, area: 0, brush_first: 0, brush_count: 0, patch_first: 0, patch_count: 0 };
        // Two leaves, parted by the wall; each is seen from itself, and from the other unless it is sealed.
        let node = Node { plane: map.planes.len() as u32, children: [-1, -2] };
        map.planes.push(Plane { normal: Vec3::X, dist: 0.0 });
        map.tree = Some(Tree { nodes: vec![node], leafs: vec![leaf(0), leaf(1)], ..Tree::default() });
        let bits = if is_sealed { vec![0b01, 0b10] } else { vec![0b11, 0b11] };
        map.visibility = Some(Visibility { cluster_count: 2, row_bytes: 1, bits });
        let Field { solids, terrain, game, .. } = &*scene.field;
        let field = Field::new(map.into(), solids.clone(), terrain.clone(), game.clone());
        scene.field = field.expect("the same map").into();
        scene.snapshot.sounds.push(sound(SoundKind::Step, from, Some(EntityId(2))));
        scene.run(500);
        !scene.memory.noises().is_empty()
    };
    let range = two_rooms().game.rules.hearing.steps;
    assert!(range * 0.5 < 600.0 && range > 600.0, "the rooms fit the range of steps");
    assert!(heard(300.0, false) && !heard(300.0, true), "600 units off, through the wall");
    assert!(heard(range * 0.5 - 310.0, true), "near the wall it is heard all the same");
}

#[test]
fn a_sound_is_known_after_the_reaction_time() {
    let mut scene = Scene::with_skill(two_rooms(), [-300.0, 0.0], 0.0, Skill::Regular);
    scene.snapshot.sounds.push(sound(SoundKind::Explosion, 300.0, None));
    scene.run(300);
    assert!(scene.memory.noises().is_empty());
    scene.run(50);
    assert_eq!(scene.memory.noises().len(), 1);
    scene.run(scene.convars.memory_short_ms);
    assert!(scene.memory.noises().is_empty(), "short-term memory is over");
}

#[test]
fn where_a_sound_came_from_is_uncertain_and_more_so_for_the_unskilled() {
    let mean_error = |skill: Skill| {
        let mut sum = 0.0;
        for seed in 0..200 {
            let mut scene = Scene::with_skill(two_rooms(), [-300.0, 0.0], 0.0, skill);
            scene.chance = Pcg::new(seed, 1);
            let shot = sound(SoundKind::Bounce, 200.0, None);
            scene.snapshot.sounds.push(shot);
            scene.run(600);
            let noise = scene.memory.noises()[0];
            let off = noise.place.distance(shot.origin);
            assert!(off <= noise.spread, "off by {off}, said {}", noise.spread);
            sum += off;
        }
        sum / 200.0
    };
    let (recruit, elite) = (mean_error(Skill::Recruit), mean_error(Skill::Elite));
    assert!(elite > 20.0 && recruit > 1.6 * elite, "{recruit} against {elite}");
}

#[test]
fn nobody_hears_himself_or_what_his_mates_do_and_a_mate_explains_other_noises_about_him() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
    scene.put_mate(4, [-100.0, 0.0]);
    scene.snapshot.sounds.push(sound(SoundKind::Step, -300.0, Some(ME)));
    scene.run(400);
    assert!(scene.memory.noises().is_empty());
    scene.snapshot.sounds.push(sound(SoundKind::Step, -100.0, Some(EntityId(4))));
    scene.run(400);
    scene.snapshot.sounds.push(sound(SoundKind::Pain, -100.0, Some(EntityId(4))));
    scene.run(400);
    assert!(scene.memory.noises().is_empty(), "everyone is shown where a mate is, and what he is at");
    scene.snapshot.sounds.push(sound(SoundKind::Teleport, -100.0, Some(EntityId(4))));
    scene.snapshot.sounds.push(sound(SoundKind::Step, 380.0, Some(EntityId(2))));
    scene.run(400);
    let explained: Vec<bool> = scene.memory.noises().iter().map(|noise| noise.is_explained).collect();
    assert_eq!(explained, [true, false]);
}

#[test]
fn pain_is_felt_with_its_direction() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
    scene.snapshot.own[0].hurt = Some(Hurt { points: 40, towards: Some(Vec3::NEG_X) });
    scene.run(scene.reaction_ms());
    assert_eq!(scene.memory.hurt(), None);
    scene.frame();
    assert!(scene.memory.hurt().is_some_and(|felt| felt.points == 40 && felt.towards == Some(Vec3::NEG_X)));
    scene.run(3100);
    assert_eq!(scene.memory.hurt(), None);
}

#[test]
fn words_reach_those_they_are_for_as_far_as_they_carry() {
    let heard = |to: Audience, range: f32| {
        let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
        let mut game = (*scene.field.game).clone();
        game.rules.hearing.voice = range;
        let field = &scene.field;
        let field = Field::new(field.map.clone(), field.solids.clone(), field.terrain.clone(), game.into());
        scene.field = field.expect("hearing is not physics").into();
        scene.put_mate(4, [300.0, 0.0]);
        scene.snapshot.messages.push(Message { to, from: Some(EntityId(4)), said: Said::Voice(Voice::Grenade) });
        scene.run(500);
        scene.memory.words().len() == 1
    };
    assert!(heard(Audience::Team(OURS), 1000.0) && heard(Audience::All, 1000.0) && heard(Audience::One(ME), 1000.0));
    assert!(!heard(Audience::Team(THEIRS), 1000.0) && !heard(Audience::One(EntityId(4)), 1000.0));
    assert!(!heard(Audience::Team(OURS), 500.0), "too far off");
}

#[test]
fn a_new_round_wipes_the_slate() {
    let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
    scene.put_enemy(2, [-100.0, 0.0]);
    scene.run(500);
    scene.player(2).origin.x = 300.0;
    scene.run(500);
    assert!(scene.threat(2).is_some());
    scene.snapshot.messages.push(Message { to: Audience::All, from: None, said: Said::RoundStarts });
    scene.run(300);
    assert!(scene.threat(2).is_none() && scene.memory.round_began().is_some());
}

#[test]
fn steps_of_somebody_of_no_side_whom_it_sees_are_nothing_new() {
    let is_new = |is_seen: bool| {
        let mut scene = Scene::new(two_rooms(), [-300.0, 0.0], 0.0);
        if is_seen {
            scene.put_enemy(2, [-100.0, 0.0]).team = Team::NEUTRAL;
            scene.run(500);
        }
        scene.snapshot.sounds.push(sound(SoundKind::Step, -100.0, Some(EntityId(2))));
        scene.run(500);
        scene.memory.noises().iter().any(|noise| !noise.is_explained)
    };
    assert!(is_new(false), "who is not there to be seen may be anybody");
    assert!(!is_new(true));
}
