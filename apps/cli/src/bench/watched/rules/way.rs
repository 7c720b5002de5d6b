//! What goes wrong on the way: rules 2, 4, 5 and 6.

use std::collections::{BTreeSet, VecDeque};

use fireteam_world::Vec3;
use fireteam_world::units::{EntityId, Time};

use super::super::glance::Glance;
use super::CAME_TO;

/// Within 40 units of where it was 1 to 4 s ago and 140 away in between, unhurt, nobody in sight, and without having come to what it
/// fetched: a niche is left as one came.
#[derive(Debug, Default)]
pub(super) struct ComesBack {
    track: VecDeque<(Time, Vec3)>,
}

const BACK: f32 = 40.0;
const AWAY: f32 = 140.0;
const BACK_MS: (i32, i32) = (1000, 4000);

impl ComesBack {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        let came_to_it = glance.fetches.is_some_and(|place| place.distance(glance.origin) < CAME_TO);
        if glance.sees_somebody || glance.hurt.is_some() || came_to_it {
            self.track.clear();
            return false;
        }
        while self.track.front().is_some_and(|(at, _)| glance.time - *at > BACK_MS.1) {
            self.track.pop_front();
        }
        let is_case = self.was_here_and_away(glance);
        if is_case {
            self.track.clear();
        }
        self.track.push_back((glance.time, glance.origin));
        is_case
    }

    fn was_here_and_away(&self, glance: &Glance) -> bool {
        let was_here =
            |(at, place): &(Time, Vec3)| glance.time - *at >= BACK_MS.0 && place.distance(glance.origin) < BACK;
        let Some(first) = self.track.iter().position(was_here) else { return false };
        self.track.iter().skip(first).any(|(_, place)| place.distance(glance.origin) > AWAY)
    }
}

/// Within 120 units of what it needs and on a clear way, then 220 away without it; medkits below 70 health, armour below 50, guns
/// it lacks, powers.
#[derive(Debug, Default)]
pub(super) struct RunsPast {
    at_hand: BTreeSet<EntityId>,
}

const PAST: f32 = 220.0;

impl RunsPast {
    /// What was taken, by whomever, or is needed no more is no longer among the needs.
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        let is_needed = |item: &EntityId| glance.needs.iter().any(|need| need.item == *item);
        self.at_hand.retain(is_needed);
        let mut is_case = false;
        for need in &glance.needs {
            if need.is_at_hand {
                self.at_hand.insert(need.item);
            } else if need.distance > PAST {
                is_case |= self.at_hand.remove(&need.item);
            }
        }
        is_case
    }
}

/// 5 points or more that nobody dealt.
#[derive(Debug, Default)]
pub(super) struct Falls;

const FALL_POINTS: i32 = 5;

impl Falls {
    #[expect(clippy::unused_self, reason = "a rule like the others")]
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        glance.hurt.is_some_and(|hurt| hurt.points >= FALL_POINTS && hurt.towards.is_none())
    }
}

/// `notes the way: stuck` within 0.4 s of `goes on`.
#[derive(Debug, Default)]
pub(super) struct Hops {
    went_on: Option<Time>,
}

const HOP_MS: i32 = 400;

impl Hops {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        if glance.goes_on {
            self.went_on = Some(glance.time);
        }
        let is_case = glance.is_stuck && self.went_on.is_some_and(|at| glance.time - at <= HOP_MS);
        if is_case {
            self.went_on = None;
        }
        is_case
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::glance::Need;
    use super::super::tests::cases;
    use super::*;
    use fireteam::snapshot::Hurt;

    /// There and back along x and on: so far, in so long each way.
    fn there_and_back(time: Time, far: f32, ms: i32) -> Vec3 {
        let at = time.0 as f32 / ms as f32;
        Vec3::X * far * if at < 1.0 { at } else { 2.0 - at }
    }

    #[test]
    fn who_runs_off_and_is_back_within_four_seconds_comes_back() {
        let count = |far: f32, ms: i32, change: fn(&mut Glance)| {
            let mut rule = ComesBack::default();
            cases(
                6000,
                |glance| rule.look(glance),
                |glance| {
                    glance.origin = there_and_back(glance.time, far, ms);
                    change(glance);
                },
            )
        };
        assert_eq!(count(300.0, 1500, |_| {}), 1);
        assert_eq!(count(90.0, 1500, |_| {}), 0);
        assert_eq!(count(300.0, 400, |_| {}), 0, "a second has not passed");
        assert_eq!(count(2000.0, 100_000, |_| {}), 0, "straight on");
        assert_eq!(count(300.0, 1500, |glance| glance.sees_somebody = glance.time.0 == 1500), 0);
        let hurt = |glance: &mut Glance| {
            glance.hurt = (glance.time.0 == 1500).then_some(Hurt { points: 9, towards: Some(Vec3::X) });
        };
        assert_eq!(count(300.0, 1500, hurt), 0);
    }

    #[test]
    fn who_turns_back_from_what_he_fetched_left_a_niche_as_he_came() {
        let count = |item: f32| {
            let mut rule = ComesBack::default();
            cases(
                3000,
                |glance| rule.look(glance),
                |glance| {
                    let turned = glance.time.0 as f32 - 1500.0;
                    glance.origin = Vec3::X * (450.0 - 0.3 * turned.abs());
                    glance.fetches = Some(Vec3::X * item);
                },
            )
        };
        assert_eq!((count(450.0), count(600.0)), (0, 1));
    }

    #[test]
    fn who_had_it_at_hand_and_is_off_without_it_ran_past() {
        let count = |speed: f32, is_clear: bool, taken: i32| {
            let mut rule = RunsPast::default();
            cases(
                3000,
                |glance| rule.look(glance),
                |glance| {
                    let distance = (glance.time.0 as f32 * 0.001 - 1.0).abs() * speed;
                    let need = Need { item: EntityId(7), distance, is_at_hand: is_clear && distance < 120.0 };
                    glance.needs = if glance.time.0 < taken { vec![need] } else { Vec::new() };
                },
            )
        };
        assert_eq!(count(320.0, true, i32::MAX), 1);
        assert_eq!(count(320.0, true, 1000), 0, "it was taken");
        assert_eq!(count(320.0, false, i32::MAX), 0, "behind a wall");
        assert_eq!(count(100.0, true, i32::MAX), 0, "still about");
    }

    #[test]
    fn what_hurts_and_nobody_dealt_is_a_fall() {
        let count = |points: i32, towards: Option<Vec3>| {
            cases(
                1000,
                |glance| Falls.look(glance),
                |glance| {
                    glance.hurt = (glance.time.0 == 500).then_some(Hurt { points, towards });
                },
            )
        };
        assert_eq!(count(5, None), 1);
        assert_eq!(count(4, None), 0);
        assert_eq!(count(50, Some(Vec3::X)), 0);
    }

    #[test]
    fn who_is_stuck_as_soon_as_he_goes_on_hops() {
        let count = |after_ms: i32| {
            let mut rule = Hops::default();
            cases(
                2000,
                |glance| rule.look(glance),
                |glance| {
                    glance.goes_on = glance.time.0 == 500;
                    glance.is_stuck = glance.time.0 == 500 + after_ms;
                },
            )
        };
        assert_eq!((count(0), count(400), count(450), count(-100)), (1, 1, 0, 0));
    }
}
