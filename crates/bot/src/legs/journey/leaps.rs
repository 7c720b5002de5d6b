//! Leaping along straight ways, and going on from where one comes down.
//!
//! A leap itself, its keys and whether it comes down well, is `world::walker::Sprint`.

use fireteam_world::movement::{Ground, Stance};
use fireteam_world::walker::{Keys, Leg, Sprint, Travel};

use super::Journey;
use crate::legs::careful::is_harmed;
use crate::legs::footing::is_walkable;
use crate::legs::{Gait, Walk, flat};

/// Stretches so long are leapt along, of no more legs than this; so many of them are looked at, and not again at once.
const SPRINT_NEAR: f32 = 320.0;
const SPRINT_FAR: f32 = 1200.0;
const SPRINT_LEGS: usize = 8;
const SPRINT_TRIES: usize = 3;
const SPRINT_AGAIN_MS: i32 = 300;
/// Who comes down looks so many legs ahead whether he can walk on from there.
const LANDING_LEGS: usize = 3;
/// Share of running speed, along the way, from which one leaps.
const SPRINT_SPEED: f32 = 0.9;

impl Journey {
    /// Leaps along the way, where it is straight and long enough and nobody is in sight: who leaps cannot dodge.
    pub(super) fn sprint_on(&mut self, walk: &Walk, index: usize) -> Option<Keys> {
        if let Some(sprint) = self.sprint
            && walk.body().ground.is_air()
        {
            let keys = sprint.fly(walk.body(), &walk.setting(), walk.frame_ms);
            self.sprint = keys.and(self.sprint);
            return keys;
        }
        // Who has just come down leaps on at once, or not.
        let was_leaping = self.sprint.take().is_some();
        if walk.now < self.sprint_after && !was_leaping || !self.may_leap(walk, index) {
            return None;
        }
        self.sprint_after = walk.now + SPRINT_AGAIN_MS;
        let origin = walk.body().origin;
        let is_straight = |leg: &Leg| leg.travel == Travel::Walk && flat(leg.to - origin).length() < SPRINT_FAR;
        let ahead = self.legs[index..].iter().take(SPRINT_LEGS).take_while(|leg| is_straight(leg)).count();
        let far = (index..index + ahead).rev().filter(|leg| flat(self.legs[*leg].to - origin).length() > SPRINT_NEAR);
        for leg in far.take(SPRINT_TRIES) {
            let sprint = Sprint { from: origin, to: self.legs[leg].to };
            if !is_walkable(walk, walk.scene, origin, sprint.to) {
                continue;
            }
            let keys = sprint.leap(walk.body(), &walk.setting(), walk.frame_ms, |body| is_harmed(walk, body))?;
            self.sprint = Some(sprint);
            self.cut_short(walk, leg);
            return Some(keys);
        }
        None
    }

    /// He runs, on firm ground, along his way, and sees nobody.
    pub(super) fn may_leap(&self, walk: &Walk, index: usize) -> bool {
        let body = walk.body();
        let leg = self.legs[index];
        let along = flat(leg.to - body.origin).normalize_or_zero();
        let is_firm = matches!(body.ground, Ground::Floor { entity: None, .. }) && body.immersion.level == 0;
        walk.convars.leaps > 0
            && leg.travel == Travel::Walk
            && self.manner.gait == Gait::Run
            && is_firm
            && !body.jump_is_held
            && body.stance == Stance::Standing
            && flat(body.velocity).dot(along) > body.speed as f32 * SPRINT_SPEED
            && walk.concerns.memory.is_none_or(|memory| memory.in_sight().next().is_none())
    }

    /// Who has come down beyond where a leg ends does not go back to its end, if he can walk on from where he is.
    pub(super) fn goes_on_from_here(&mut self, walk: &Walk, index: usize) -> bool {
        let ahead = self.legs[index + 1..].iter().take(LANDING_LEGS);
        let count = ahead.take_while(|leg| leg.travel == Travel::Walk).count();
        let origin = walk.body().origin;
        let farthest =
            (index + 1..=index + count).rev().find(|leg| is_walkable(walk, walk.scene, origin, self.legs[*leg].to));
        if let Some(leg) = farthest {
            self.cut_short(walk, leg);
        }
        farthest.is_some()
    }
}
