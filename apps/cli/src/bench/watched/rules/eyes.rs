//! What eyes do that looks stupid: rules 1, 8, 9 and 10.

use std::collections::VecDeque;

use fireteam::aim::off;
use fireteam_world::units::Time;

use super::super::glance::Glance;
use super::Spell;

/// For 0.7 s the view is steeper than 40 degrees or a wall is within 64 units of it, faster than 100 units a second, nobody in
/// sight.
#[derive(Debug, Default)]
pub(super) struct Stares(Spell);

const STARE_MS: i32 = 700;
const STEEP: f32 = 40.0;
/// Units a second: who is slower stands, as far as eyes are concerned.
const GOES: f32 = 100.0;

impl Stares {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        let sees_nothing = glance.pitch.abs() > STEEP || glance.faces_wall;
        let is_so = sees_nothing && glance.speed() > GOES && !glance.sees_somebody;
        self.0.lasts(is_so, glance.time, STARE_MS)
    }
}

/// For 1.2 s it goes more than 120 degrees from the view, nobody in sight.
#[derive(Debug, Default)]
pub(super) struct Backwards(Spell);

const BACKWARDS_MS: i32 = 1200;
const BACKWARDS: f32 = 120.0;

impl Backwards {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        let is_so = glance.off_its_way() > BACKWARDS && glance.speed() > GOES && !glance.sees_somebody;
        self.0.lasts(is_so, glance.time, BACKWARDS_MS)
    }
}

/// 720 degrees of turning within 3 s, to whichever side, nobody in sight.
#[derive(Debug, Default)]
pub(super) struct Whirls {
    yaw: Option<f32>,
    turns: VecDeque<(Time, f32)>,
}

const WHIRL: f32 = 720.0;
const WHIRL_MS: i32 = 3000;

impl Whirls {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        let turned = self.yaw.replace(glance.yaw).map_or(0.0, |before| off(glance.yaw, before));
        if glance.sees_somebody {
            self.turns.clear();
            return false;
        }
        self.turns.push_back((glance.time, turned));
        while self.turns.front().is_some_and(|(at, _)| glance.time - *at >= WHIRL_MS) {
            self.turns.pop_front();
        }
        let is_case = self.turns.iter().map(|(_, turned)| turned).sum::<f32>() >= WHIRL;
        if is_case {
            self.turns.clear();
        }
        is_case
    }
}

/// For 0.8 s within 10 degrees of an enemy in view and in sight, ready, nearer than 1200 units, and no shot.
#[derive(Debug, Default)]
pub(super) struct Spares(Spell);

const SPARE_MS: i32 = 800;

impl Spares {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        self.0.lasts(glance.spares_somebody, glance.time, SPARE_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::cases;
    use super::*;
    use fireteam_world::Vec3;

    fn runs(glance: &mut Glance) {
        glance.velocity = Vec3::X * 320.0;
    }

    #[test]
    fn who_runs_with_his_eyes_on_the_floor_or_a_wall_stares() {
        let count = |change: fn(&mut Glance)| {
            let mut rule = Stares::default();
            cases(
                2000,
                |glance| rule.look(glance),
                |glance| {
                    runs(glance);
                    change(glance);
                },
            )
        };
        assert_eq!(count(|glance| glance.pitch = 41.0), 1);
        assert_eq!(count(|glance| glance.pitch = -41.0), 1);
        assert_eq!(count(|glance| glance.faces_wall = true), 1);
        assert_eq!(count(|glance| glance.pitch = 39.0), 0);
        assert_eq!(count(|glance| (glance.pitch, glance.velocity) = (41.0, Vec3::X * 90.0)), 0);
        assert_eq!(count(|glance| (glance.pitch, glance.sees_somebody) = (41.0, true)), 0);
        assert_eq!(count(|glance| glance.faces_wall = glance.time.0 % 600 != 0), 0);
    }

    #[test]
    fn who_runs_away_from_where_he_looks_runs_backwards() {
        let count = |yaw: f32, sees_somebody: bool| {
            let mut rule = Backwards::default();
            cases(
                2000,
                |glance| rule.look(glance),
                |glance| {
                    runs(glance);
                    (glance.yaw, glance.sees_somebody) = (yaw, sees_somebody);
                },
            )
        };
        assert_eq!(count(180.0, false), 1);
        assert_eq!(count(-125.0, false), 1);
        assert_eq!(count(110.0, false), 0);
        assert_eq!(count(180.0, true), 0);
    }

    /// Degrees a second, to one side and then the other every half second.
    fn swung(time: Time, speed: f32) -> f32 {
        let half = time.0 % 1000;
        speed * 0.001 * if half < 500 { half } else { 1000 - half } as f32
    }

    #[test]
    fn who_turns_round_twice_in_three_seconds_whirls_to_whichever_side() {
        let count = |yaw: &dyn Fn(Time) -> f32, sees_somebody: bool| {
            let mut rule = Whirls::default();
            cases(
                3000,
                |glance| rule.look(glance),
                |glance| {
                    (glance.yaw, glance.sees_somebody) = (yaw(glance.time), sees_somebody);
                },
            )
        };
        assert_eq!(count(&|time| time.0 as f32 * 0.26 % 360.0, false), 1);
        assert_eq!(count(&|time| swung(time, 260.0), false), 1);
        assert_eq!(count(&|time| swung(time, 230.0), false), 0);
        assert_eq!(count(&|time| swung(time, 260.0), true), 0);
    }

    #[test]
    fn a_turn_with_somebody_in_sight_is_no_part_of_a_whirl() {
        let mut rule = Whirls::default();
        let found = cases(
            4000,
            |glance| rule.look(glance),
            |glance| {
                (glance.yaw, glance.sees_somebody) = (swung(glance.time, 300.0), glance.time.0 == 2000);
            },
        );
        assert_eq!(found, 0);
    }

    #[test]
    fn who_has_an_enemy_before_his_gun_and_waits_spares_him() {
        let mut rule = Spares::default();
        assert_eq!(cases(2000, |glance| rule.look(glance), |glance| glance.spares_somebody = true), 1);
        let mut rule = Spares::default();
        let fires = |glance: &mut Glance| glance.spares_somebody = glance.time.0 % 700 != 0;
        assert_eq!(cases(2000, |glance| rule.look(glance), fires), 0);
    }
}
