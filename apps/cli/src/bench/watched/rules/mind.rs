//! Minds that change too often: rules 3 and 7.

use std::collections::VecDeque;

use fireteam_world::Vec3;
use fireteam_world::units::Time;

use super::super::glance::Glance;
use super::CAME_TO;

/// Another item within a second of the last choice, and the last was not come to.
#[derive(Debug, Default)]
pub(super) struct OtherItem {
    chosen: Option<(Vec3, Time)>,
}

const REGRET_MS: i32 = 1000;

impl OtherItem {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        let Some(item) = glance.fetches else { return false };
        let before = self.chosen.filter(|(before, _)| *before != item);
        if self.chosen.is_none() || before.is_some() {
            self.chosen = Some((item, glance.time));
        }
        let is_early = |since: Time| glance.time - since <= REGRET_MS;
        before.is_some_and(|(place, since)| is_early(since) && place.distance(glance.origin) > CAME_TO)
    }
}

/// Seven changes of what the legs are at within 3 s; without those to pick something up.
#[derive(Debug, Default)]
pub(super) struct Dithers {
    at: Option<&'static str>,
    changes: VecDeque<Time>,
}

const DITHERS: usize = 7;
const DITHER_MS: i32 = 3000;

impl Dithers {
    pub(super) fn look(&mut self, glance: &Glance) -> bool {
        let is_other = glance.legs_at != self.at && glance.legs_at != Some("picking up");
        if !is_other {
            return false;
        }
        self.at = glance.legs_at;
        self.changes.push_back(glance.time);
        while self.changes.front().is_some_and(|at| glance.time - *at > DITHER_MS) {
            self.changes.pop_front();
        }
        let is_case = self.changes.len() >= DITHERS;
        if is_case {
            self.changes.clear();
        }
        is_case
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::cases;
    use super::*;

    /// Another item so often, each so far off.
    fn regrets(every_ms: i32, far: f32) -> usize {
        let mut rule = OtherItem::default();
        cases(
            2 * every_ms,
            |glance| rule.look(glance),
            |glance| {
                glance.fetches = Some(Vec3::X * (far + (glance.time.0 / every_ms) as f32));
            },
        )
    }

    #[test]
    fn another_item_within_a_second_is_a_change_of_mind_and_a_later_one_is_not() {
        assert_eq!((regrets(1000, 300.0), regrets(1100, 300.0)), (1, 0));
    }

    #[test]
    fn whoever_has_it_has_not_changed_his_mind() {
        assert_eq!(regrets(500, 30.0), 0);
    }

    #[test]
    fn whoever_comes_back_to_what_he_fetched_has_not_changed_his_mind() {
        let mut rule = OtherItem::default();
        let found = cases(
            3000,
            |glance| rule.look(glance),
            |glance| {
                glance.fetches = (glance.time.0 % 400 < 200).then_some(Vec3::X * 300.0);
            },
        );
        assert_eq!(found, 0);
    }

    #[test]
    fn seven_changes_of_goal_within_three_seconds_are_dithering_and_picking_up_is_none() {
        let count = |other: &'static str, every_ms: i32| {
            let mut rule = Dithers::default();
            cases(
                3000,
                |glance| rule.look(glance),
                |glance| {
                    let is_other = glance.time.0 / every_ms % 2 == 1;
                    glance.legs_at = Some(if is_other { other } else { "hunting" });
                },
            )
        };
        assert_eq!(count("fetching", 450), 1);
        assert_eq!(count("fetching", 550), 0);
        assert_eq!(count("picking up", 200), 0);
    }
}
