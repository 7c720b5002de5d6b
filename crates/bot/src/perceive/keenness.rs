//! What a grade of skill is worth to the senses: one reaction time each, and everything else in proportion to it.

use crate::character::Skill;
use crate::convar::ConVars;

/// How quick and how exact a bot's senses are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keenness {
    /// From an event to knowing of it, at the least.
    pub reaction_ms: i32,
    /// The same at the most.
    pub reaction_max_ms: i32,
    /// How much slower and less exact than an elite: 1 and more.
    pub slowness: f32,
    /// How much of what happened since it looked a bot makes up for by guessing on: 1 is all of it.
    pub foresight: f32,
}

impl Keenness {
    pub fn of(skill: Skill, convars: &ConVars) -> Keenness {
        let reaction_ms = match skill {
            Skill::Recruit => convars.reaction_ms_recruit,
            Skill::Regular => convars.reaction_ms_regular,
            Skill::Veteran => convars.reaction_ms_veteran,
            Skill::Elite => convars.reaction_ms_elite,
        };
        let slowness = (reaction_ms as f32 / convars.reaction_ms_elite.max(1) as f32).max(1.0);
        let foresight = (1.0 - convars.foresight_loss * (slowness - 1.0)).clamp(0.0, 1.0);
        // An elite is as quick as he can be each time.
        let spread = if skill == Skill::Elite { 0.0 } else { convars.reaction_spread };
        let reaction_max_ms = reaction_ms + (reaction_ms as f32 * spread) as i32;
        Keenness { reaction_ms, reaction_max_ms, slowness, foresight }
    }
}
