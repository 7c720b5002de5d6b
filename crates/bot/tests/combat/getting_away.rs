//! Who is losing a fight and gets away: to what mends, if it is near; not with a flag, and not far under somebody's eyes.

use fireteam::snapshot::Power;

use crate::duel::Duel;

const NOTICED_MS: i32 = 600;

/// Somebody nearly dead before an enemy with a gun, and something that mends.
fn losing(at: [f32; 2], yaw: f32, enemy: [f32; 2], mends: [f32; 2]) -> Duel {
    let mut duel = Duel::new(at, yaw, "machinegun");
    let gun = duel.own().weapon;
    duel.put_item(40, "item_health_large", mends);
    // It has seen what lies there before anybody comes.
    duel.stand(1000);
    duel.own().health = 3;
    duel.put_enemy(2, enemy);
    duel.enemy(2).weapon = gun;
    duel
}

/// Whether it gets away within so many milliseconds, and how near it comes to what mends.
fn gets_away(duel: &mut Duel, ms: i32) -> (bool, f32) {
    let mends = duel.snapshot.items[0].origin;
    let (mut is_away, mut nearest) = (false, f32::INFINITY);
    for _ in 0..ms / crate::duel::FRAME_MS {
        duel.frame();
        is_away |= duel.is_at("retreating");
        nearest = nearest.min(duel.own().body.origin.distance(mends));
    }
    (is_away, nearest)
}

const AT: [f32; 2] = [-300.0, -100.0];
const ENEMY: [f32; 2] = [60.0, 250.0];
const NEAR: [f32; 2] = [-150.0, -220.0];

#[test]
fn who_loses_with_something_near_that_mends_goes_there_and_whoever_is_well_does_not() {
    let (is_away, nearest) = gets_away(&mut losing(AT, 0.0, ENEMY, NEAR), 2000);
    assert!(is_away && nearest < 40.0, "{is_away}, {nearest} units from it");
    let mut well = losing(AT, 0.0, ENEMY, NEAR);
    well.own().health = 100;
    assert!(!gets_away(&mut well, 2000).0);
}

#[test]
fn whoever_has_the_flag_does_not_get_away() {
    let mut bearer = losing(AT, 0.0, ENEMY, NEAR);
    bearer.own().powers |= Power::Bearer as u32;
    assert!(!gets_away(&mut bearer, 2000).0);
}

#[test]
fn under_somebodys_eyes_nobody_runs_far() {
    // Nearly two seconds along the wall: nothing that is nearer mends or hides.
    let mut duel = losing([-480.0, -280.0], 34.0, [-250.0, 285.0], [60.0, -280.0]);
    duel.stand(NOTICED_MS);
    assert!(duel.bots.target(crate::duel::ME).is_some(), "he is in sight");
    for _ in 0..20 {
        duel.stand(100);
        assert!(!duel.is_at("retreating"));
    }
    duel.enemy(2).origin.z -= 2000.0;
    let runs = (0..20).any(|_| {
        duel.stand(100);
        duel.is_at("retreating")
    });
    assert!(runs, "once he is not seen it is near enough");
}
