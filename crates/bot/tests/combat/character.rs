//! What a trait and a grade of skill change in play: the same scene with two people in it.

use fireteam::aim::{angles_to, off};
use fireteam::snapshot::{Arm, Sound, SoundKind};
use fireteam::{Skill, Traits};
use fireteam_world::Vec3;
use fireteam_world::units::EntityId;

use crate::duel::{Duel, FRAME_MS, ME};

const NOBODY: Traits = Traits::MIDDLING;
const ENEMY: EntityId = EntityId(2);

fn somebody(skill: Skill, traits: Traits) -> Duel {
    Duel::of(skill, traits, [-300.0, 0.0], 0.0, "machinegun")
}

/// With how many of several states of health it follows somebody who stepped behind the wall.
fn hunts(skill: Skill, traits: Traits) -> usize {
    let follows = |health: i32| {
        let mut duel = Duel::of(skill, traits, [-460.0, 100.0], 0.0, "machinegun");
        duel.own().health = health;
        // The same hands and senses, so that the same is promised to all.
        duel.convars.aim_error_recruit = duel.convars.aim_error_elite;
        duel.convars.reaction_ms_recruit = duel.convars.reaction_ms_elite;
        duel.convars.retreat_health = 0.0;
        duel.put_enemy(2, [200.0, 120.0]);
        let gun = duel.field.arsenal.weapon_named("machinegun").expect("described");
        duel.enemy(2).weapon = gun;
        duel.run(900);
        duel.enemy(2).origin.y = -100.0;
        (0..40).any(|_| {
            duel.frame();
            duel.is_at("hunting")
        })
    };
    (1..=20).filter(|tenths| follows(tenths * 10)).count()
}

#[test]
fn an_aggressive_bot_follows_when_a_defensive_one_lets_go() {
    let [bold, shy] = [100, 0].map(|aggression| hunts(Skill::Elite, Traits { aggression, ..NOBODY }));
    assert!(bold > shy, "{bold} and {shy} of 20");
}

#[test]
fn a_recruit_runs_after_whom_an_elite_lets_go() {
    let [recruit, elite] = [Skill::Recruit, Skill::Elite].map(|skill| hunts(skill, NOBODY));
    assert!(recruit > elite, "{recruit} and {elite} of 20");
}

/// In how many frames of a minute it waits at a strong place.
fn waits(traits: Traits) -> usize {
    let mut duel = Duel::of(Skill::Elite, traits, [-300.0, 0.0], 0.0, "railgun");
    let waiting = |duel: &Duel| duel.bots.legs(ME).is_some_and(|legs| legs.holding().is_some());
    (0..60_000 / FRAME_MS)
        .filter(|_| {
            duel.frame();
            waiting(&duel)
        })
        .count()
}

#[test]
fn a_patient_bot_waits_longer_than_a_restless_one() {
    let [patient, restless] = [100, 0].map(|patience| waits(Traits { patience, ..NOBODY }));
    assert!(patient > restless * 2, "{patient} and {restless} frames");
}

#[test]
fn a_loyal_bot_goes_about_where_its_mate_is_and_a_loner_elsewhere() {
    let [loyal, loner] = [100, 0].map(|loyalty| {
        let mut duel = somebody(Skill::Elite, Traits { loyalty, ..NOBODY });
        duel.convars.camp_ms = 0;
        let mate = [450.0, 250.0];
        duel.put_mate(3, mate);
        let mate = Vec3::new(mate[0], mate[1], 24.0);
        let frames = 90_000 / FRAME_MS;
        let mut sum = 0.0;
        for _ in 0..frames {
            duel.frame();
            sum += duel.own().body.origin.distance(mate);
        }
        sum / frames as f32
    });
    assert!(loyal < loner * 0.8, "{loyal} and {loner} units from it");
}

/// How often in two minutes it looks at something besides the way ahead.
fn looks_aside(skill: Skill, traits: Traits) -> usize {
    let mut duel = somebody(skill, traits);
    duel.convars.camp_ms = 0;
    let aside = |duel: &Duel| {
        let watched = duel.bots.goals(ME).find(|(name, _)| *name == "watching");
        watched.map(|(_, reason)| reason).filter(|reason| reason.as_str().starts_with("nobody watches"))
    };
    let mut last = None;
    let mut count = 0;
    for _ in 0..120_000 / FRAME_MS {
        duel.frame();
        let now = aside(&duel);
        count += usize::from(now.is_some() && now != last);
        last = now;
    }
    count
}

#[test]
fn a_curious_bot_looks_about_more_than_an_incurious_one() {
    let [curious, incurious] = [100, 0].map(|curiosity| looks_aside(Skill::Elite, Traits { curiosity, ..NOBODY }));
    assert!(curious > incurious * 3 / 2, "{curious} and {incurious} looks");
}

#[test]
fn a_recruit_minds_his_flanks_less_than_an_elite() {
    let [recruit, elite] = [Skill::Recruit, Skill::Elite].map(|skill| looks_aside(skill, NOBODY));
    assert!(elite > recruit * 3 / 2, "{elite} and {recruit} looks");
}

/// How many of forty noises behind the wall it turns to, the first of them so long after it has begun to go about.
fn minds(skill: Skill, traits: Traits, after_ms: i32) -> usize {
    let mut duel = somebody(skill, traits);
    duel.run(after_ms);
    let turned = |duel: &Duel| {
        duel.bots.goals(ME).any(|(name, reason)| name == "watching" && reason.as_str().starts_with("a noise"))
    };
    (0..40)
        .filter(|_| {
            let origin = Vec3::new(300.0, -150.0, 24.0);
            duel.snapshot.sounds.push(Sound { kind: SoundKind::Jump, origin, source: Some(EntityId(9)) });
            duel.frame();
            duel.snapshot.sounds.clear();
            let minded = (0..30).fold(false, |minded, _| {
                duel.frame();
                minded | turned(&duel)
            });
            duel.run(4000);
            minded
        })
        .count()
}

#[test]
fn an_elite_turns_to_nearly_every_noise_and_a_recruit_to_some() {
    let starts = || (0..8).map(|start| start * 350);
    let turns = |skill: Skill| starts().map(|after_ms| minds(skill, NOBODY, after_ms)).sum::<usize>();
    let [recruit, elite] = [Skill::Recruit, Skill::Elite].map(turns);
    // Who has a wall right before him on that side has nothing to turn to. Of forty noises that is 2 more or less by chance.
    assert!(elite >= 8 * 35 && (8 * 4..8 * 32).contains(&recruit), "{elite} and {recruit} of 320");
}

#[test]
fn a_steady_hand_errs_less_than_a_shaky_one() {
    let [steady, shaky] = [100, 0].map(|steadiness| {
        let mut duel = somebody(Skill::Regular, Traits { steadiness, ..NOBODY });
        duel.put_enemy(2, [90.0, 0.0]);
        duel.run(1500);
        let mut sum = 0.0;
        for _ in 0..400 {
            duel.frame();
            let eye = duel.own().body.eye();
            let (view, at) = (duel.own().body.view, duel.enemy(2).origin);
            sum += off(view.y, angles_to(at - eye).1);
        }
        sum
    });
    assert!(steady < shaky * 0.92, "{steady} and {shaky} degrees in all");
}

/// At how many distances somebody with a machinegun in his hand takes the shotgun.
fn takes_the_shotgun(skill: Skill) -> usize {
    let takes = |tens: &u16| {
        let mut duel = Duel::of(skill, NOBODY, [-460.0, 0.0], 0.0, "machinegun");
        let shotgun = duel.field.arsenal.weapon_named("shotgun").expect("described");
        duel.own().arms[usize::from(shotgun.0)] = Arm { is_carried: true, rounds: 100, clip: 0 };
        duel.put_enemy(2, [-460.0 + f32::from(*tens) * 10.0, 0.0]);
        duel.run(1500).iter().any(|command| command.weapon == shotgun)
    };
    (4..50).step_by(3).filter(takes).count()
}

#[test]
fn an_elite_takes_the_gun_for_the_distance_and_a_recruit_what_he_holds() {
    let [recruit, elite] = [Skill::Recruit, Skill::Elite].map(takes_the_shotgun);
    assert!(elite > recruit, "{elite} and {recruit} of 16 distances");
}

/// Frames to the right, to the left, and of standing, in a long fight.
fn steps(skill: Skill, traits: Traits) -> [usize; 3] {
    let mut duel = somebody(skill, traits);
    duel.put_enemy(2, [-160.0, 0.0]);
    duel.run(1000);
    let mut frames = [0; 3];
    for _ in 0..1200 {
        let command = duel.frame();
        // It stays where it is, so that walls do not decide.
        duel.own().body.origin = Vec3::new(-300.0, 0.0, duel.own().body.origin.z);
        let is_going = command.press.forward != 0 || command.press.right != 0;
        let side = if !is_going { 2 } else { usize::from(command.press.right < 0) };
        frames[side] += 1;
    }
    assert_eq!(duel.bots.target(ME), Some(ENEMY));
    frames
}

#[test]
fn a_right_handed_bot_steps_to_the_right_more_often() {
    let [right, left] = [100, 0].map(|handedness| steps(Skill::Elite, Traits { handedness, ..NOBODY }));
    assert!(right[0] > right[1] * 3 / 2, "{right:?}");
    assert!(left[1] > left[0] * 3 / 2, "{left:?}");
}

#[test]
fn a_recruit_stands_to_shoot_and_an_elite_does_not() {
    let [recruit, elite] = [Skill::Recruit, Skill::Elite].map(|skill| steps(skill, NOBODY));
    assert!(recruit[2] > 400 && elite[2] < 60, "{recruit:?} {elite:?}");
}

#[test]
fn changes_of_side_do_not_keep_to_turns() {
    let mut duel = somebody(Skill::Elite, NOBODY);
    duel.put_enemy(2, [60.0, 0.0]);
    duel.run(1000);
    let (mut side, mut phases) = (0, [0; 2]);
    for frame in 0..1200 {
        let command = duel.frame();
        duel.own().body.origin = Vec3::new(-300.0, 0.0, duel.own().body.origin.z);
        let now = command.press.right.signum();
        if now != 0 && now == -side {
            phases[frame % 2] += 1;
        }
        side = if now == 0 { side } else { now };
    }
    // Turns come every other frame.
    assert!(phases[0].min(phases[1]) * 3 > phases[0].max(phases[1]), "{phases:?}");
}
