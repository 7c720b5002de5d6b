//! What cannot wait for a bot's turn brings it forward, and only once.

use crate::duel::Duel;

/// Turns that were taken in each of so many frames; before each of them the clip is filled or emptied.
fn turns(duel: &mut Duel, frames: usize, clip: impl Fn(usize) -> i16) -> Vec<u64> {
    let rifle = usize::from(duel.own().weapon.0);
    let mut taken = Vec::new();
    for frame in 0..frames {
        duel.own().arms[rifle].clip = clip(frame);
        let before = duel.bots.turns();
        duel.frame();
        taken.push(duel.bots.turns() - before);
    }
    taken
}

/// A soldier at peace, between two turns: turns come every other frame, and the next frame is not one of them.
fn between_turns() -> Duel {
    let mut duel = Duel::of_soldier([-300.0, 0.0], 0.0, "rifle");
    assert!(duel.bots.forbid(None, "getting ready"));
    while turns(&mut duel, 1, |_| 30) != [1] {}
    duel
}

#[test]
fn an_empty_clip_brings_the_turn_forward_once_and_turns_stay_where_they_were() {
    let mut calm = between_turns();
    assert_eq!(turns(&mut calm, 6, |_| 30), [0, 1, 0, 1, 0, 1]);
    let mut alarmed = between_turns();
    assert_eq!(turns(&mut alarmed, 6, |_| 2), [1, 1, 0, 1, 0, 1]);
    assert_eq!(turns(&mut alarmed, 200, |_| 2).iter().sum::<u64>(), 100, "a standing alarm calls for nothing");
}

#[test]
fn an_alarm_that_comes_and_goes_costs_no_more_than_a_turn_in_three_hundred_milliseconds() {
    let mut duel = between_turns();
    // It rises between turns, every time.
    let taken = turns(&mut duel, 240, |frame| if frame % 2 == 0 { 2 } else { 30 });
    assert!(taken.iter().all(|turns| *turns <= 1), "never two in a frame");
    let more = taken.iter().sum::<u64>() - 120;
    assert!((20..=40).contains(&more), "{more} turns more in twelve seconds");
}
