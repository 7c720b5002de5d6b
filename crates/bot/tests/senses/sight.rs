//! Whom a bot sees, how soon, and what hides him.

use fireteam::Skill;
use fireteam::perceive::{Eyes, Keenness, Parts, Sense, Senses, perceive};
use fireteam::snapshot::{Audience, Cloud, Message, Own, Power, Said};
use fireteam_world::Vec3;
use fireteam_world::movement::Stance;
use fireteam_world::mover::Motion;
use fireteam_world::units::EntityId;

use crate::support::{FRAME_MS, OURS, Scene, THEIRS, figure_of, glass, own, two_rooms};

const LONG_MS: i32 = 3000;

#[test]
fn an_enemy_in_plain_view_is_known_after_the_reaction_time_and_never_before() {
    for skill in [Skill::Recruit, Skill::Regular, Skill::Veteran, Skill::Elite] {
        let mut slowest = 0;
        for encounter in 0..250 {
            let mut scene = Scene::with_skill(two_rooms(), [-350.0, 0.0], 0.0, skill);
            scene.chance = fireteam_world::pcg::Pcg::new(encounter, 3);
            let reaction_ms = Keenness::of(skill, &scene.convars).reaction_ms;
            scene.run(5 * FRAME_MS);
            scene.put_enemy(2, [-100.0, encounter as f32 - 125.0]);
            let took = scene.ms_until_known(2, LONG_MS).expect("he stands in the middle of the view");
            assert!(took >= reaction_ms, "{skill:?} knew after {took} ms");
            slowest = slowest.max(took);
        }
        let least = Keenness::of(skill, &Default::default()).reaction_ms;
        assert!(slowest < 2 * least + 2 * FRAME_MS, "{skill:?} took up to {slowest} ms at a few steps");
    }
}

#[test]
fn of_a_crowd_in_view_nobody_is_lost_though_each_is_looked_at_less_often() {
    let freshest_and_oldest_ms = |enemies: u16| {
        let mut scene = Scene::new(two_rooms(), [-350.0, 0.0], 0.0);
        // Who is near is looked at all the same.
        scene.convars.sight_near = 100.0;
        for number in 0..enemies {
            scene.put_enemy(2 + number, [-60.0, f32::from(number) * 16.0 - 120.0]);
        }
        scene.run(LONG_MS);
        let (mut freshest, mut oldest) = (i32::MAX, 0);
        for _ in 0..40 {
            scene.frame();
            for number in 2..2 + enemies {
                let threat = scene.threat(number).filter(|threat| threat.in_sight).expect("all of them are in view");
                let age = threat.age_ms(scene.now());
                (freshest, oldest) = (freshest.min(age), oldest.max(age));
            }
        }
        (freshest, oldest)
    };
    let (few, many) = (freshest_and_oldest_ms(4), freshest_and_oldest_ms(16));
    let lag_apart_ms = 100;
    assert!(few.1 - few.0 <= lag_apart_ms, "four are watched in every frame: {few:?}");
    assert!(many.1 - many.0 >= 3 * FRAME_MS, "sixteen take turns: {many:?}");
    assert!(many.1 <= few.1 + 4 * FRAME_MS, "and none waits for long: {many:?} after {few:?}");
}

/// A server may show a body a frame late: its eyes are where it is.
#[test]
fn nobody_looks_from_where_he_is_only_shown() {
    let mut scene = Scene::new(two_rooms(), [-200.0, 150.0], 0.0);
    scene.put_enemy(2, [300.0, 150.0]);
    scene.player(1).origin.x = 150.0;
    assert_eq!(scene.ms_until_known(2, LONG_MS), None, "a wall is between");
    scene.snapshot.own[0].body.origin.x = 150.0;
    assert!(scene.ms_until_known(2, LONG_MS).is_some());
}

#[test]
fn behind_the_back_nobody_is_seen() {
    let mut scene = Scene::new(two_rooms(), [-200.0, 0.0], 0.0);
    scene.put_enemy(2, [-350.0, 0.0]);
    assert_eq!(scene.ms_until_known(2, LONG_MS), None);
    scene.turn_to(180.0);
    assert!(scene.ms_until_known(2, LONG_MS).is_some());
}

#[test]
fn a_wall_hides_and_so_does_a_shut_door() {
    let mut scene = Scene::new(two_rooms(), [-200.0, 64.0], 0.0);
    scene.put_enemy(2, [200.0, 64.0]);
    scene.put_enemy(3, [200.0, -100.0]);
    assert_eq!(scene.ms_until_known(2, LONG_MS), None, "through the door");
    assert_eq!(scene.ms_until_known(3, 0), None, "through the wall");
}

#[test]
fn an_open_door_is_looked_through_whatever_the_bot_believes() {
    let mut scene = Scene::new(two_rooms(), [-200.0, 64.0], 0.0);
    scene.put_enemy(2, [200.0, 64.0]);
    scene.snapshot.movers[0].position = Motion::stationary(Vec3::new(0.0, 58.0, 0.0));
    assert!(scene.ms_until_known(2, LONG_MS).is_some());
    // It shuts. What was seen goes on to be believed for as long as it takes to see that he is gone.
    scene.snapshot.movers[0].position = Motion::stationary(Vec3::ZERO);
    scene.run(150);
    assert!(scene.sees(2));
    scene.run(300);
    assert!(!scene.sees(2) && scene.threat(2).is_some());
}

#[test]
fn glass_does_not_hide_and_planks_do() {
    let mut scene = Scene::new(glass(), [-200.0, 96.0], 0.0);
    scene.put_enemy(2, [200.0, 96.0]);
    assert!(scene.ms_until_known(2, LONG_MS).is_some());
    assert!(scene.threat(2).is_some_and(|threat| threat.parts.meets(Parts::HEAD) && !threat.parts.meets(Parts::FEET)));
    let mut scene = Scene::new(glass(), [-200.0, -128.0], 0.0);
    scene.put_enemy(2, [200.0, -128.0]);
    assert_eq!(scene.ms_until_known(2, LONG_MS), None);
}

#[test]
fn smoke_hides_whom_it_lies_before_or_around_and_not_whom_it_lies_behind() {
    let seen_with_smoke_at = |x: f32| {
        let mut scene = Scene::new(two_rooms(), [-380.0, 0.0], 0.0);
        scene.put_enemy(2, [-150.0, 0.0]);
        let origin = Vec3::new(x, 0.0, 40.0);
        scene.snapshot.clouds.push(Cloud { origin, radius: 60.0, blocks_sight: true, harms: false });
        scene.ms_until_known(2, LONG_MS).is_some()
    };
    assert!(!seen_with_smoke_at(-270.0), "between the two");
    assert!(!seen_with_smoke_at(-165.0), "around him");
    assert!(!seen_with_smoke_at(-370.0), "around the bot");
    assert!(seen_with_smoke_at(-80.0), "behind him");
}

#[test]
fn in_the_same_smoke_one_sees_only_who_is_at_arms_length() {
    let seen_at = |x: f32| {
        let mut scene = Scene::new(two_rooms(), [-380.0, 0.0], 0.0);
        scene.put_enemy(2, [x, 0.0]);
        let origin = Vec3::new(-300.0, 0.0, 40.0);
        scene.snapshot.clouds.push(Cloud { origin, radius: 160.0, blocks_sight: true, harms: false });
        scene.ms_until_known(2, LONG_MS).is_some()
    };
    assert!(seen_at(-340.0) && !seen_at(-280.0));
}

#[test]
fn it_takes_longer_to_notice_who_is_far_at_the_edge_low_still_or_faint() {
    let base = |change: &dyn Fn(&mut Scene)| {
        let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
        // Distances are small in our rooms; attention is made as slow as it would be in a street.
        scene.convars.attention_distance = 100.0;
        scene.put_enemy(2, [-200.0, 0.0]);
        change(&mut scene);
        scene.ms_until_known(2, 30_000).expect("in view all the time")
    };
    let plain = base(&|_| {});
    let far = base(&|scene| scene.player(2).origin.x = -50.0);
    let edge = base(&|scene| scene.turn_to(50.0));
    let low = base(&|scene| scene.player(2).stance = Stance::Prone);
    let still = base(&|scene| scene.player(2).velocity = Vec3::ZERO);
    let faint = base(&|scene| scene.player(2).powers = Power::Faint as u32);
    for (name, slow) in [("far", far), ("edge", edge), ("low", low), ("still", still), ("faint", faint)] {
        assert!(slow > plain + 100, "{name}: {slow} ms against {plain}");
    }
}

#[test]
fn recruits_notice_later_than_elites() {
    let took = |skill| {
        let mut scene = Scene::with_skill(two_rooms(), [-390.0, 0.0], 0.0, skill);
        scene.convars.attention_distance = 100.0;
        scene.put_enemy(2, [-100.0, 0.0]);
        scene.ms_until_known(2, 30_000).expect("in view all the time")
    };
    let (recruit, elite) = (took(Skill::Recruit), took(Skill::Elite));
    assert!(recruit - 450 > 2 * (elite - 250), "{recruit} against {elite}");
}

#[test]
fn what_is_known_of_a_runner_is_old_but_made_up_for() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.put_enemy(2, [-150.0, -180.0]).velocity = Vec3::new(0.0, 200.0, 0.0);
    for _ in 0..30 {
        scene.frame();
        scene.player(2).origin.y += 10.0;
    }
    let (truth, now) = (scene.player(2).origin.y - 10.0, scene.now());
    let threat = *scene.threat(2).expect("in view");
    let lag = now.0 - FRAME_MS - threat.seen.0;
    assert_eq!(lag, scene.reaction_ms());
    assert!(threat.origin.y < truth - 25.0, "what was seen lies behind him");
    assert!((threat.place.y - truth).abs() < 1.0, "{} against {truth}", threat.place.y);
    // He stops: for as long as it takes to see that, the bot believes that he ran on.
    scene.player(2).velocity = Vec3::ZERO;
    let stopped = scene.player(2).origin.y;
    scene.run(scene.reaction_ms());
    assert!(scene.threat(2).is_some_and(|threat| threat.place.y > stopped + 15.0));
    scene.run(300);
    assert!(scene.threat(2).is_some_and(|threat| (threat.place.y - stopped).abs() < 1.0));
}

/// Whoever runs to and fro is seen to brake before he runs back.
#[test]
fn who_turns_round_is_believed_to_sooner_than_one_who_knows_only_how_he_went() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.put_enemy(2, [-150.0, -60.0]);
    let (mut wish, mut off, mut off_straight, mut frames) = (240.0, 0.0, 0.0, 0.0);
    let mut went = Vec::new();
    for frame in 0..120 {
        scene.frame();
        let enemy = scene.player(2);
        let truth = enemy.origin.y;
        went.push((truth, enemy.velocity.y));
        // As a body does that brakes and gathers speed.
        enemy.velocity.y += (wish - enemy.velocity.y).clamp(-96.0, 96.0);
        enemy.origin.y += enemy.velocity.y * FRAME_MS as f32 * 0.001;
        wish = if enemy.origin.y > 60.0 {
            -240.0
        } else if enemy.origin.y < -60.0 {
            240.0
        } else {
            wish
        };
        let lag = (scene.reaction_ms() / FRAME_MS) as usize;
        if let Some(threat) = scene.threat(2).filter(|_| frame > 40) {
            let (origin, velocity) = went[frame - lag];
            let straight = origin + velocity * scene.reaction_ms() as f32 * 0.001;
            off += (threat.place.y - truth).abs();
            off_straight += (straight - truth).abs();
            frames += 1.0;
        }
    }
    let (off, straight) = (off / frames, off_straight / frames);
    assert!(frames > 70.0 && off < straight * 0.8, "{off} units off, {straight} by how he went alone");
}

#[test]
fn surprise_passes_but_nothing_is_known_sooner_than_the_mind_works() {
    for encounter in 0..50 {
        let mut scene = Scene::new(two_rooms(), [-350.0, 0.0], 0.0);
        scene.chance = fireteam_world::pcg::Pcg::new(encounter, 3);
        scene.convars.reaction_spread = 1.0;
        scene.put_enemy(2, [-100.0, 0.0]);
        let reaction_ms = scene.reaction_ms();
        let mut lags: Vec<i32> = Vec::new();
        for _ in 0..20 {
            scene.frame();
            let now = scene.now().0 - FRAME_MS;
            lags.extend(scene.threat(2).map(|threat| now - threat.seen.0));
        }
        assert!(lags.iter().all(|lag| *lag >= reaction_ms), "{lags:?}");
        assert!(lags[0] < 2 * reaction_ms + FRAME_MS, "a reaction and the surprise: {lags:?}");
        assert!(lags[lags.len() / 2..].iter().all(|lag| *lag == reaction_ms), "followed with no more lag: {lags:?}");
    }
}

#[test]
fn nobody_is_believed_to_run_on_through_a_wall() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.put_enemy(2, [-20.0, 0.0]).velocity = Vec3::new(240.0, 0.0, 0.0);
    scene.run(1000);
    assert!(scene.threat(2).is_some_and(|threat| threat.place.x < -8.0));
}

#[test]
fn a_corpse_is_seen_to_be_one_and_an_obituary_is_believed() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.put_enemy(2, [-150.0, 0.0]);
    scene.put_enemy(3, [-150.0, 80.0]);
    scene.run(500);
    assert!(scene.sees(2) && scene.sees(3));
    scene.player(2).is_dead = true;
    scene.turn_to(180.0);
    let said = Said::Obituary { victim: EntityId(3), killer: None, weapon: None };
    scene.snapshot.messages.push(Message { to: Audience::All, from: None, said });
    scene.run(500);
    assert!(scene.threat(3).is_some_and(|threat| threat.is_dead), "read on the screen");
    assert!(scene.threat(2).is_some_and(|threat| !threat.is_dead), "nobody told, and nobody looked");
    scene.turn_to(0.0);
    scene.run(500);
    assert!(scene.threat(2).is_some_and(|threat| threat.is_dead), "lies there");
}

#[test]
fn out_of_sight_he_is_remembered_less_and_less_surely_and_then_not_at_all() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.put_enemy(2, [-150.0, 0.0]).velocity = Vec3::ZERO;
    scene.run(500);
    assert!(scene.threat(2).is_some_and(|threat| threat.by == Sense::Sight && threat.spread == 0.0));
    scene.player(2).origin.x = 300.0;
    scene.run(1000);
    let early = scene.threat(2).expect("remembered").spread;
    scene.run(4000);
    let threat = scene.threat(2).expect("long-term memory has him");
    assert!(!threat.in_sight && threat.origin.x == -150.0 && threat.spread > early + 500.0);
    scene.run(scene.convars.memory_long_ms);
    assert!(scene.threat(2).is_none());
}

#[test]
fn who_comes_back_round_the_corner_is_recognised_without_being_noticed_anew() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.convars.attention_distance = 50.0;
    scene.put_enemy(2, [-150.0, 0.0]);
    let first = scene.ms_until_known(2, 30_000).expect("in view");
    scene.player(2).origin.x = 300.0;
    scene.run(700);
    assert!(!scene.sees(2));
    scene.player(2).origin.x = -150.0;
    let again = scene.ms_until_known(2, 30_000).expect("in view");
    assert!(first > again + 500, "{first} ms, then {again}");
}

#[test]
fn a_new_life_sees_with_new_eyes() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.put_enemy(2, [-150.0, 0.0]);
    scene.run(500);
    scene.snapshot.own[0].life += 1;
    scene.frame();
    assert!(!scene.sees(2) && scene.threat(2).is_some());
    scene.run(400);
    assert!(scene.sees(2));
}

#[test]
fn who_leaves_the_game_or_changes_sides_is_no_threat_any_more() {
    let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
    scene.put_enemy(2, [-150.0, 0.0]);
    scene.put_enemy(3, [-150.0, 80.0]);
    scene.run(500);
    assert!(scene.sees(2) && scene.sees(3));
    scene.player(3).team = OURS;
    scene.snapshot.players.retain(|figure| figure.entity != EntityId(2));
    scene.frame();
    assert!(scene.threat(3).is_none());
    scene.run(400);
    assert!(!scene.sees(2));
}

#[test]
fn one_aims_at_what_is_in_the_open() {
    let mut scene = Scene::new(glass(), [-200.0, 96.0], 0.0);
    scene.put_enemy(2, [40.0, 96.0]).velocity = Vec3::ZERO;
    scene.run(1000);
    let (eye, rules) = (scene.own().body.eye(), scene.field.game.rules.movement.clone());
    let threat = *scene.threat(2).expect("in the window");
    assert!(!threat.parts.meets(Parts::CHEST), "below the sill: {:?}", threat.parts);
    assert_eq!(threat.aim_spot(eye, threat.placed, &rules).z, threat.origin.z + rules.body.standing_eye as f32);
    scene.snapshot.own[0].body.origin.x = 30.0;
    scene.snapshot.players[0].origin.x = 30.0;
    scene.player(2).origin.x = 150.0;
    scene.run(1000);
    let threat = *scene.threat(2).expect("in the same room");
    assert!(threat.parts == Parts::ALL && threat.aim_spot(eye, threat.placed, &rules).z < threat.origin.z + 10.0);
}

#[test]
fn two_who_look_at_each_other_share_the_ray_between_their_eyes() {
    let rays = |are_shared: bool| {
        let mut scene = Scene::new(two_rooms(), [-390.0, 0.0], 0.0);
        let other = Own { entity: EntityId(2), team: THEIRS, ..own(&scene.field, [-150.0, 0.0], 180.0) };
        scene.snapshot.own.push(other);
        scene.snapshot.players.push(figure_of(&other));
        let mut sum = 0;
        scene.looks.begin(&scene.snapshot, &scene.field, &scene.convars);
        for index in 0..2 {
            let mut senses = Senses::new(Skill::Elite);
            let Scene { snapshot, field, looks, chance, convars, memory, .. } = &mut scene;
            let eyes = Eyes { own: &snapshot.own[index], memory };
            perceive(&mut senses, &eyes, snapshot, field, looks, chance, convars);
            assert!(senses.is_watching(EntityId(2 - index as u16)), "at so few steps one look is enough");
            if !are_shared {
                sum += looks.rays();
                looks.begin(snapshot, field, convars);
            }
        }
        sum + scene.looks.rays()
    };
    assert_eq!(rays(true) + 1, rays(false));
}
