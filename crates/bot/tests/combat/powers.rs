//! What glows on a body, and what it makes of a fight.

use fireteam::snapshot::Power;
use fireteam_world::Vec3;
use fireteam_world::movement::Buttons;

use crate::duel::{Duel, FRAME_MS, ME};

/// What comes of a fight with somebody 300 units away, to whom and on whom these shine.
fn prospect(mine: u32, his: u32) -> f32 {
    let mut duel = Duel::new([-300.0, 0.0], 0.0, "machinegun");
    duel.put_enemy(2, [0.0, 0.0]);
    duel.enemy(2).powers = his;
    duel.own().powers = mine;
    assert!(["manoeuvring", "retreating", "hunting", "roaming"].iter().all(|name| duel.bots.forbid(None, name)));
    duel.run(800);
    duel.bots.insight(ME).expect("it plays").mood.prospect
}

#[test]
fn who_glows_changes_how_a_fight_would_go() {
    let plain = prospect(0, 0);
    let ratio = |mine: u32, his: u32| prospect(mine, his) / plain;
    let is_about = |ratio: f32, wanted: f32| (ratio - wanted).abs() < wanted * 0.02;
    let (strong, shielded, fast) = (Power::Strong as u32, Power::Shielded as u32, Power::Fast as u32);
    assert!(plain.is_finite() && plain > 0.0, "{plain}");
    assert!(is_about(ratio(0, strong), 1.0 / 3.0), "three times the damage: {}", ratio(0, strong));
    assert!(is_about(ratio(strong, 0), 3.0), "{}", ratio(strong, 0));
    assert!(is_about(ratio(0, shielded), 0.5), "he takes half of each shot: {}", ratio(0, shielded));
    assert!(is_about(ratio(shielded, 0), 2.0), "{}", ratio(shielded, 0));
    assert!(is_about(ratio(fast, fast), 1.0) && ratio(0, fast) < 0.8);
    assert!(is_about(ratio(0, Power::Faint as u32 | Power::Protected as u32), 1.0));
}

/// Whether anything is fired in five seconds, first at somebody in view, then at where he may come out again.
fn is_fired_at(powers: u32) -> [bool; 2] {
    let mut duel = Duel::new([-460.0, -100.0], 0.0, "rocket-launcher");
    assert!(["manoeuvring", "retreating", "hunting", "roaming"].iter().all(|name| duel.bots.forbid(None, name)));
    duel.convars.covering_ms = 3000;
    duel.put_enemy(2, [200.0, 120.0]);
    duel.enemy(2).powers = powers;
    let attacks =
        |commands: Vec<fireteam::Command>| commands.iter().any(|command| command.press.buttons.meets(Buttons::ATTACK));
    let seen = attacks(duel.run(2000));
    duel.enemy(2).velocity = Vec3::new(0.0, -320.0, 0.0);
    for _ in 0..16 {
        duel.enemy(2).origin.y -= 16.0;
        duel.frame();
    }
    duel.enemy(2).velocity = Vec3::ZERO;
    duel.run(10 * FRAME_MS);
    [seen, attacks(duel.run(2500))]
}

#[test]
fn before_a_round_nobody_shoots_at_those_whom_nothing_hurts() {
    assert_eq!(is_fired_at(0), [true, true]);
    assert_eq!(is_fired_at(Power::Protected as u32), [false, false]);
}

#[test]
fn of_two_powers_as_far_away_the_better_one_is_fetched() {
    for side in [1.0, -1.0] {
        let mut duel = Duel::new([-450.0, 0.0], 0.0, "machinegun");
        duel.put_item(40, "item_flight", [-50.0, -90.0 * side]);
        duel.put_item(41, "item_quad", [-50.0, 90.0 * side]);
        // Long enough to have seen both.
        duel.stand(2000);
        let mut goals = duel.bots.goals(ME);
        let is_wanted = goals.any(|(name, reason)| name == "fetching" && reason.as_str().starts_with("item_quad"));
        assert!(is_wanted, "the quad first: {side}");
    }
}
