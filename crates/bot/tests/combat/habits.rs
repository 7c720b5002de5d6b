//! What anybody who watches would call stupid, and what is done instead.

use fireteam::snapshot::{Sound, SoundKind};
use fireteam::{Skill, Traits};
use fireteam_world::contents::Contents;
use fireteam_world::movement::Buttons;
use fireteam_world::trace::Sweep;
use fireteam_world::units::EntityId;
use fireteam_world::{Solids, Vec3};

use crate::duel::{Duel, FRAME_MS, ME, field_of};

/// Frames until an elite has noticed who stands before it.
const NOTICED_MS: i32 = 600;

/// Somebody who was seen past the end of the wall runs behind it.
fn runs_behind_the_wall(duel: &mut Duel) {
    duel.put_enemy(2, [200.0, 120.0]);
    duel.run(NOTICED_MS);
    duel.enemy(2).velocity = Vec3::new(0.0, -320.0, 0.0);
    for _ in 0..16 {
        duel.enemy(2).origin.y -= 16.0;
        duel.frame();
    }
    duel.enemy(2).velocity = Vec3::ZERO;
}

fn is_in_view(solids: &Solids, eye: Vec3, at: Vec3) -> bool {
    solids.is_clear(&Sweep::ray(eye, at, Contents::SOLID))
}

#[test]
fn who_lost_somebody_behind_a_wall_looks_at_where_he_may_come_out_and_not_at_the_wall() {
    let mut duel = Duel::new([-460.0, -100.0], 0.0, "machinegun");
    duel.bots.forbid(None, "hunting");
    runs_behind_the_wall(&mut duel);
    let (mut looked, mut through_walls) = (0, 0);
    for _ in 0..3000 / FRAME_MS {
        duel.frame();
        let eye = duel.own().body.eye();
        let insight = duel.bots.insight(ME).expect("it plays");
        let is_watching = insight.wants.goals().any(|wanted| {
            wanted.name == "watching"
                && wanted.goal.bid.reason.as_str().ends_with("went there")
                && !wanted.goal.is_waiting
        });
        if let Some(look) = insight.aim.wanted().filter(|_| is_watching) {
            looked += 1;
            through_walls += i32::from(!is_in_view(&duel.field.solids, eye, look.at));
        }
    }
    assert!(looked > 10, "it watches for him: {looked} frames");
    assert!(through_walls * 10 < looked, "{through_walls} of {looked} frames");
}

#[test]
fn who_hears_steps_to_the_left_and_to_the_right_does_not_turn_to_each_of_them() {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "railgun");
    duel.convars.camp_ms = 20_000;
    let (mut turned, mut yaw) = (0.0, 0.0);
    for frame in 0..6000 / FRAME_MS {
        if frame % 5 == 0 {
            let y = if frame % 10 == 0 { 250.0 } else { -250.0 };
            let origin = Vec3::new(-300.0, y, 24.0);
            duel.snapshot.sounds.push(Sound { kind: SoundKind::Step, origin, source: Some(EntityId(9)) });
        }
        duel.frame();
        duel.snapshot.sounds.clear();
        turned += fireteam::aim::off(duel.own().body.view.y, yaw);
        yaw = duel.own().body.view.y;
    }
    assert!(turned < 6.0 * 180.0, "{turned} degrees in six seconds");
}

/// What it looks at, by the reason it gives.
fn looks_at(duel: &Duel) -> Option<String> {
    let insight = duel.bots.insight(ME)?;
    let watching = insight.wants.goals().find(|wanted| wanted.name == "watching" && !wanted.goal.is_waiting)?;
    Some(watching.goal.bid.reason.as_str().to_owned())
}

#[test]
fn who_goes_about_looks_aside_and_not_behind_him() {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "railgun");
    assert!(duel.bots.forbid(None, "camping"));
    let (mut before, mut looks, mut farthest) = (None, 0, 0.0_f32);
    for _ in 0..60_000 / FRAME_MS {
        duel.frame();
        let now = looks_at(&duel).filter(|reason| reason.starts_with("nobody watches"));
        let eye = duel.own().body.eye();
        let insight = duel.bots.insight(ME).expect("it plays");
        let way = |at: Vec3| fireteam::aim::yaw_to(at - eye);
        if let (Some(look), Some(ahead)) =
            (insight.aim.wanted().filter(|_| now.is_some() && now != before), insight.legs.ahead())
        {
            looks += 1;
            farthest = farthest.max(fireteam::aim::off(way(look.at), way(ahead)));
        }
        before = now;
    }
    assert!(looks > 10, "it looks aside: {looks} times");
    // A step later the way ahead leads a little elsewhere.
    assert!(farthest < 110.0, "{farthest} degrees from the way ahead");
}

#[test]
fn who_has_turned_to_a_noise_looks_where_he_goes_before_he_looks_aside() {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "railgun");
    assert!(duel.bots.forbid(None, "camping"));
    let (mut listened, mut noises, mut soonest) = (None, 0, i32::MAX);
    for frame in 0..60_000 / FRAME_MS {
        if frame % 60 == 0 {
            let origin = duel.own().body.origin + Vec3::Y * if frame % 120 == 0 { 250.0 } else { -250.0 };
            duel.snapshot.sounds.push(Sound { kind: SoundKind::Step, origin, source: Some(EntityId(9)) });
        }
        duel.frame();
        duel.snapshot.sounds.clear();
        match looks_at(&duel) {
            Some(reason) if reason.starts_with("a noise") => {
                noises += i32::from(listened.is_none_or(|at| frame - at > 1));
                listened = Some(frame);
            }
            Some(reason) if reason.starts_with("nobody watches") => {
                soonest = soonest.min(listened.take().map_or(i32::MAX, |at| (frame - at) * FRAME_MS));
            }
            Some(_) | None => {}
        }
    }
    assert!(noises > 5 && soonest < i32::MAX, "it does both: {noises} noises");
    // The shortest pause is 1200 ms, of which the shortest look that was begun may take 250.
    assert!(soonest >= 950, "{soonest} ms from a noise to a look aside");
}

#[test]
fn who_goes_up_and_down_does_not_stare_at_floors_and_ceilings() {
    let field = field_of("stairs", "openarena");
    let mut duel = Duel::on(&field, Skill::Elite, Traits::MIDDLING, [-300.0, 0.0], 0.0, "railgun");
    assert!(duel.bots.forbid(None, "camping"));
    let (mut frames, mut steep, mut ahead_ms) = (0, 0, 0);
    for _ in 0..60_000 / FRAME_MS {
        duel.frame();
        let is_ahead = looks_at(&duel).is_some_and(|reason| reason == "the way ahead");
        ahead_ms = if is_ahead { ahead_ms + FRAME_MS } else { 0 };
        // A view that comes from somewhere else takes a moment.
        let has_come = ahead_ms > 100;
        frames += i32::from(has_come);
        steep += i32::from(has_come && duel.own().body.view.x.abs() > 40.0);
    }
    assert!(frames > 100, "it looks where it goes: {frames} frames");
    assert!(steep == 0, "{steep} of {frames} frames");
}

#[test]
fn an_enemy_behind_a_pane_is_shot_through_it() {
    let field = field_of("breakable", "skirmish");
    let mut duel = Duel::on(&field, Skill::Elite, Traits::MIDDLING, [-200.0, 96.0], 0.0, "rifle");
    let rifle = duel.own().weapon;
    duel.own().arms[usize::from(rifle.0)].clip = 30;
    duel.put_enemy(7, [200.0, 96.0]);
    // On his feet he would step aside, to where a door is and no pane.
    for legs in ["camping", "roaming", "manoeuvring", "hunting"] {
        assert!(duel.bots.forbid(None, legs), "nobody does {legs}");
    }
    let commands = duel.run(2000);
    assert!(duel.bots.target(ME).is_some(), "it sees him");
    assert!(commands.iter().any(|command| command.press.buttons.meets(Buttons::ATTACK)));
}

/// How near somebody who runs to something good comes to some armour that lies beside his way.
fn nearest_to_armour(armour: i32, is_barred: bool) -> f32 {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "machinegun");
    if is_barred {
        duel.bots.forbid(None, "picking up");
    }
    duel.own().armour = armour;
    duel.put_item(40, "item_health_mega", [50.0, 0.0]);
    duel.put_item(41, "item_armor_shard", [-110.0, 75.0]);
    let shard = duel.snapshot.items[1].origin;
    let mut nearest = f32::INFINITY;
    for _ in 0..4000 / FRAME_MS {
        duel.frame();
        nearest = nearest.min(duel.own().body.origin.distance(shard));
        if nearest < 30.0 {
            duel.snapshot.items[1].is_there = false;
        }
        if duel.own().body.origin.x > 0.0 {
            return nearest;
        }
    }
    panic!("he does not get there: {}", duel.own().body.origin);
}

#[test]
fn who_runs_to_something_good_takes_the_armour_along_that_lies_by_the_way() {
    let (past, taken, full) = (nearest_to_armour(0, true), nearest_to_armour(0, false), nearest_to_armour(200, false));
    assert!(past > 45.0, "without it he would run past, {past} units away");
    assert!(taken < 30.0, "{taken}");
    assert!(full > 45.0, "who needs none runs on: {full}");
}

#[test]
fn mates_do_not_step_aside_in_step_when_an_enemy_comes_round_a_corner_again() {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "machinegun");
    let mates = [-240.0, -160.0, -80.0, 80.0, 160.0, 240.0];
    for (number, y) in (3..).zip(mates) {
        duel.join_mate(number, [-300.0, y], 0.0);
    }
    duel.put_enemy(2, [60.0, 200.0]);
    duel.run(1500);
    let (mut pairs, mut in_step) = (0, 0);
    for _ in 0..100 {
        let seen_at = std::mem::replace(&mut duel.enemy(2).origin, Vec3::new(260.0, -200.0, 24.125));
        duel.run(2500);
        duel.enemy(2).origin = seen_at;
        let began = first_side_steps(&mut duel, 1000);
        for (number, at) in began.iter().enumerate() {
            pairs += number;
            in_step += began[..number].iter().filter(|other| (**other - at).abs() <= 1).count();
        }
    }
    assert!(pairs > 100, "they step aside: {pairs}");
    assert!(in_step * 4 < pairs, "{in_step} of {pairs}");
}

/// The frames in which each bot first steps aside before an enemy.
fn first_side_steps(duel: &mut Duel, ms: i32) -> Vec<i32> {
    let mut began = std::collections::BTreeMap::new();
    for frame in 0..ms / FRAME_MS {
        for command in duel.frame_of_all() {
            let is_fighting = duel.bots.goals(command.bot).any(|(name, _)| name == "manoeuvring");
            let press = command.press;
            if is_fighting && press.right.unsigned_abs() > press.forward.unsigned_abs() {
                began.entry(command.bot).or_insert(frame);
            }
        }
    }
    began.into_values().collect()
}

#[test]
fn mates_do_not_turn_away_in_step_when_the_enemy_falls_whom_they_fought() {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "machinegun");
    for (number, y) in (3..).zip([-240.0, -160.0, -80.0, 80.0, 160.0, 240.0]) {
        duel.join_mate(number, [-300.0, y], 0.0);
    }
    duel.put_enemy(2, [60.0, 200.0]);
    let (mut pairs, mut in_step) = (0, 0);
    for _ in 0..40 {
        duel.run(1500);
        duel.enemy(2).is_dead = true;
        let over = ends_of_fights(&mut duel, 1500);
        for (number, at) in over.iter().enumerate() {
            pairs += number;
            in_step += over[..number].iter().filter(|other| (**other - at).abs() <= 1).count();
        }
        duel.enemy(2).is_dead = false;
    }
    assert!(pairs > 100, "they fight: {pairs}");
    assert!(in_step * 2 < pairs, "{in_step} of {pairs}");
}

/// The frames in which those who fight have had enough of it; nobody fights on for ever.
fn ends_of_fights(duel: &mut Duel, ms: i32) -> Vec<i32> {
    let is_at_it = |duel: &Duel, bot| duel.bots.goals(bot).any(|(name, _)| name == "manoeuvring");
    let everybody: Vec<EntityId> = duel.snapshot.own.iter().map(|own| own.entity).collect();
    let mut fighting: Vec<EntityId> = everybody.into_iter().filter(|bot| is_at_it(duel, *bot)).collect();
    let mut over = Vec::new();
    for frame in 0..ms / FRAME_MS {
        duel.frame();
        fighting.retain(|bot| {
            let goes_on = is_at_it(duel, *bot);
            over.extend((!goes_on).then_some(frame));
            goes_on
        });
    }
    assert!(fighting.is_empty(), "{fighting:?} fight with a dead man");
    over
}
