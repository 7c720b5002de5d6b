//! What a grade of skill is worth beyond senses and hand: what a bot makes of what it knows.
//!
//! In: a grade, the variables. Out: one number for each thing that players learn with the years: to mind noises and their
//! backs, to stand and walk where few see them, to know a lost fight, to change weapons, to time items, to dodge. An elite
//! has all of it; each grade below does without a part. Not here: reaction and senses (`perceive::keenness`), the hand (`aim`).

use crate::character::Skill;
use crate::convar::ConVars;

/// What a bot makes of what it knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Craft {
    /// Chance that a noise of nobody known is turned to.
    pub heed: f32,
    /// How much longer than an elite it looks only where it goes.
    pub tunnel: f32,
    /// What being seen weighs for it, where it stands and where it walks.
    pub cover: f32,
    /// How far it goes by what a fight promises.
    pub prudence: f32,
    /// By how much another weapon must be better than the one in hand.
    pub habit: f32,
    /// How long before an item is back it sets out for it.
    pub timing_ms: i32,
    /// Share of sidesteps it makes, and of missiles it minds.
    pub dodge: f32,
}

impl Craft {
    pub fn of(skill: Skill, convars: &ConVars) -> Craft {
        let c = convars;
        let grade = skill as usize;
        Craft {
            heed: [c.heed_recruit, c.heed_regular, c.heed_veteran, c.heed_elite][grade],
            tunnel: [c.tunnel_recruit, c.tunnel_regular, c.tunnel_veteran, c.tunnel_elite][grade],
            cover: [c.cover_recruit, c.cover_regular, c.cover_veteran, c.cover_elite][grade],
            prudence: [c.prudence_recruit, c.prudence_regular, c.prudence_veteran, c.prudence_elite][grade],
            habit: [c.habit_recruit, c.habit_regular, c.habit_veteran, c.habit_elite][grade],
            timing_ms: [c.timing_ms_recruit, c.timing_ms_regular, c.timing_ms_veteran, c.timing_ms_elite][grade],
            dodge: [c.dodge_recruit, c.dodge_regular, c.dodge_veteran, c.dodge_elite][grade],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grade_is_in_nothing_worse_than_the_one_below() {
        let crafts = Skill::ALL.map(|skill| Craft::of(skill, &ConVars::default()));
        for pair in crafts.windows(2) {
            let (less, more) = (pair[0], pair[1]);
            assert!(less.heed < more.heed && less.cover < more.cover && less.prudence < more.prudence);
            assert!(less.tunnel > more.tunnel && less.habit > more.habit);
            assert!(less.timing_ms < more.timing_ms && less.dodge < more.dodge);
        }
    }
}
