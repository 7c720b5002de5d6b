//! Whom to shoot at, when to wait, where to fire without seeing anybody.

use fireteam::ConVars;
use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::movement::{Buttons, Stance};
use fireteam_world::units::EntityId;

use crate::duel::{Duel, FRAME_MS, ME};

/// Frames until an elite has noticed who stands before it.
const NOTICED_MS: i32 = 600;

/// Of two who stand side by side one is hit; then the other comes much nearer. Who is shot at, and who was hit.
fn target_after_hits(finish: f32) -> (Option<EntityId>, EntityId) {
    let mut duel = Duel::new([-460.0, 0.0], 0.0, "machinegun");
    duel.convars.fight_finish = finish;
    duel.put_enemy(2, [0.0, 60.0]);
    duel.put_enemy(3, [0.0, -60.0]);
    duel.run(NOTICED_MS);
    let first = duel.bots.target(ME).expect("both are in sight");
    let other = if first == EntityId(2) { 3 } else { 2 };
    for _ in 0..25 {
        duel.own().has_hit = true;
        duel.frame();
    }
    let wounds = |who| duel.bots.memory(ME).and_then(|memory| memory.threat(who)).map(|threat| threat.wounds);
    assert!(wounds(first) >= Some(60.0), "{:?}", wounds(first));
    assert_eq!(wounds(EntityId(other)), Some(0.0));
    let near = duel.own().body.origin + Vec3::new(120.0, 0.0, 0.0);
    duel.enemy(other).origin = near;
    duel.run(NOTICED_MS);
    (duel.bots.target(ME), first)
}

#[test]
fn who_is_nearly_dead_is_shot_at_rather_than_who_is_nearer() {
    let (target, hit) = target_after_hits(ConVars::default().fight_finish);
    assert_eq!(target, Some(hit));
    let (target, hit) = target_after_hits(0.0);
    assert!(target.is_some_and(|target| target != hit), "nearness alone would have turned it");
}

/// Whom it shoots at when it turns round behind a mate who has been shooting at one for a while, and another is nearer.
fn target_behind_a_mate(focus: f32) -> Option<EntityId> {
    let mut duel = Duel::new([-300.0, 0.0], 180.0, "machinegun");
    duel.convars.fight_focus = focus;
    duel.join_mate(4, [-300.0, 250.0], 0.0);
    duel.put_enemy(2, [60.0, 200.0]);
    duel.stand(1500);
    duel.put_enemy(3, [-60.0, -160.0]);
    duel.own().body.view.y = 0.0;
    duel.stand(NOTICED_MS);
    assert_eq!(duel.bots.target(EntityId(4)), Some(EntityId(2)));
    duel.bots.target(ME)
}

#[test]
fn whom_a_mate_was_heard_to_call_is_shot_at_by_both() {
    assert_eq!(target_behind_a_mate(ConVars::default().fight_focus), Some(EntityId(2)));
    assert_eq!(target_behind_a_mate(0.0), Some(EntityId(3)), "nearness alone");
}

/// With how many states of health it follows somebody round the wall, if it has been in that state from the beginning, and if it
/// comes to it once it is on its way.
fn follows_in_how_many() -> [usize; 2] {
    let follows = |before: i32, after: i32| {
        let mut duel = Duel::new([-460.0, 100.0], 0.0, "machinegun");
        duel.convars.retreat_health = 0.0;
        duel.own().health = before;
        duel.put_enemy(2, [200.0, 120.0]);
        let gun = duel.field.arsenal.weapon_named("machinegun").expect("described");
        duel.enemy(2).weapon = gun;
        duel.run(900);
        duel.enemy(2).origin.y = -100.0;
        duel.run(1200);
        duel.own().health = after;
        duel.run(200);
        duel.is_at("hunting")
    };
    [false, true].map(|is_hale| {
        let states = (1..=30).map(|pairs| pairs * 2);
        states.filter(|health| follows(if is_hale { 200 } else { *health }, *health)).count()
    })
}

#[test]
fn who_is_on_a_trail_does_not_leave_it_for_what_would_have_kept_him_from_it() {
    let [from_the_start, on_the_way] = follows_in_how_many();
    // It is nearer to him by then, which promises less: without staying on there would be fewer.
    assert!(from_the_start > 0 && on_the_way > from_the_start, "{on_the_way} and {from_the_start} of 30");
    assert!(on_the_way < 30, "nearly dead, nobody goes on");
}

/// Whether it leaves the way to some armour for an enemy behind the wall whom a mate speaks of.
fn sets_off(armour: [f32; 2]) -> bool {
    let mut duel = Duel::new([-300.0, 100.0], 0.0, "machinegun");
    duel.own().health = 200;
    duel.put_item(50, "item_armor_body", armour);
    duel.join_mate(4, [420.0, -100.0], 180.0);
    let notices = (0..40).any(|_| {
        duel.stand(100);
        duel.is_at("fetching")
    });
    assert!(notices, "there is nothing else to do");
    duel.put_enemy(2, [200.0, -100.0]);
    duel.stand(1300);
    duel.is_at("hunting")
}

#[test]
fn who_is_nearly_at_something_has_it_before_he_runs_after_anybody() {
    assert!(!sets_off([-120.0, 250.0]));
    assert!(sets_off([80.0, -280.0]), "two seconds off it can wait");
}

#[test]
fn who_came_back_after_long_may_have_mended() {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "machinegun");
    duel.put_enemy(2, [-100.0, 0.0]);
    duel.run(NOTICED_MS);
    duel.own().has_hit = true;
    duel.frame();
    let wounds = |duel: &Duel| duel.bots.memory(ME).and_then(|memory| memory.threat(EntityId(2))).map(|t| t.wounds);
    assert!(wounds(&duel) > Some(0.0));
    duel.enemy(2).origin.z -= 2000.0;
    duel.run(8000);
    duel.enemy(2).origin.z += 2000.0;
    let near = duel.own().body.origin + Vec3::new(60.0, 0.0, 0.0);
    duel.enemy(2).origin = near;
    duel.run(3000);
    assert_eq!(wounds(&duel), Some(0.0));
}

#[test]
fn who_needs_nothing_waits_at_a_strong_place_and_who_is_hurt_does_not() {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "railgun");
    duel.convars.camp_ms = 20_000;
    duel.run(10_000);
    assert!(duel.is_at("camping"));
    let before = duel.own().body.origin;
    duel.run(2000);
    assert!(duel.own().body.origin.distance(before) < 4.0, "it waits");
    duel.own().health = 40;
    duel.run(2000);
    assert!(!duel.is_at("camping"));
}

/// Somebody is seen past the end of the wall and steps behind it: frames of covering fire, and shots in them.
fn covering_fire(at: [f32; 2]) -> (i32, i32) {
    let mut duel = Duel::new(at, 0.0, "rocket-launcher");
    duel.convars.covering_ms = 2500;
    duel.put_enemy(2, [200.0, 120.0]);
    duel.run(NOTICED_MS);
    duel.enemy(2).origin.y = -100.0;
    let (mut laid, mut fired) = (0, 0);
    for _ in 0..2000 / FRAME_MS {
        let command = duel.frame();
        let is_laying = duel.is_at("laying covering fire");
        laid += i32::from(is_laying);
        fired += i32::from(is_laying && command.press.buttons.meets(Buttons::ATTACK));
    }
    (laid, fired)
}

#[test]
fn fire_is_laid_on_where_somebody_may_come_out() {
    let (laid, fired) = covering_fire([-460.0, 100.0]);
    assert!(laid > 5 && fired > 0, "{laid} frames, {fired} with attack");
}

#[test]
fn no_fire_is_laid_where_nobody_is_believed() {
    let mut duel = Duel::new([-460.0, 100.0], 0.0, "rocket-launcher");
    let commands = duel.run(3000);
    assert!(commands.iter().all(|command| !command.press.buttons.meets(Buttons::ATTACK)));
}

/// How often legs change between the fight and the hunt while somebody bobs behind the end of a wall for six seconds.
fn changes_of_mind(linger_ms: i32) -> usize {
    let mut duel = Duel::new([-460.0, 100.0], 0.0, "machinegun");
    duel.convars.fight_linger_ms = linger_ms;
    duel.put_enemy(2, [200.0, 120.0]);
    duel.run(NOTICED_MS);
    let mut at_it: Vec<bool> = Vec::new();
    for _ in 0..10 {
        for y in [-100.0, 120.0] {
            duel.enemy(2).origin.y = y;
            for _ in 0..6 {
                duel.frame();
                at_it.push(duel.is_at("manoeuvring"));
            }
        }
    }
    at_it.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

#[test]
fn a_fight_with_somebody_who_bobs_out_of_sight_goes_on() {
    let (hasty, steady) = (changes_of_mind(0), changes_of_mind(ConVars::default().fight_linger_ms));
    assert!(hasty >= 8, "without lingering there would be nothing to see: {hasty} changes");
    assert!(steady <= 2, "{steady} changes");
}

#[test]
fn a_soldier_who_lies_with_a_civilian_on_his_line_gets_up_and_shoots_past_him() {
    let mut duel = Duel::of_soldier([-460.0, 150.0], 0.0, "rifle");
    duel.put_enemy(2, [440.0, 150.0]);
    duel.put_civilian(3, [-200.0, 150.0]);
    let civilian = duel.enemy(3).origin;
    // He was lying there when they came.
    for _ in 0..NOTICED_MS / FRAME_MS {
        duel.own().body.stance = Stance::Prone;
        duel.frame();
    }
    assert!(duel.is_at("shooting") && duel.own().body.stance == Stance::Prone);
    let mut shots = 0;
    for _ in 0..8000 / FRAME_MS {
        let is_shot = duel.frame().press.buttons.0 & Buttons::ATTACK.0 != 0;
        let body = duel.own().body;
        let (eye, forward) = (body.eye(), maths::game_axes(body.view.x, body.view.y, 0.0).forward);
        let way = civilian - eye;
        let off = (way - forward * way.dot(forward)).length();
        assert!(!is_shot || off > 30.0, "a round {off} units past a civilian");
        shots += usize::from(is_shot);
    }
    assert!(shots > 0, "he never fired, and is {:?}", duel.own().body.stance);
}
