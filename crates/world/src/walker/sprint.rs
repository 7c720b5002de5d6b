//! Leaping along a straight way, faster than anybody runs: strafe jumps, one after the other.
//!
//! In: a straight stretch of plain ground, the body, its setting. Out: the keys that begin a leap, if it was foreseen to
//! come down on the stretch ([`Sprint::leap`]), and those of every frame in the air ([`Sprint::fly`]). In the air the game
//! limits only the speed *along the keys* (`jump`), so that every frame pressed aside adds to it, now left and now right of
//! the way. Who jumps again in the frame he comes down loses nothing to the ground.
//!
//! Not here: where a stretch is straight, and whether leaping is wise. Cost: the movement of one flight, some fourteen frames,
//! for each leap that is asked for; a few operations a frame in the air.

use glam::Vec3;

use super::{Keys, Moment, flat};
use crate::movement::{Ground, Player, Setting};

/// A straight stretch between two origins of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprint {
    pub from: Vec3,
    pub to: Vec3,
}

/// How far ahead on the line one steers for.
const AHEAD: f32 = 160.0;
/// So far off the line a leap may lead.
const ASIDE: f32 = 28.0;
/// No leap over plain ground takes more frames of fifty milliseconds.
const FRAMES_MAX: i32 = 24;
/// A leap gains less than this share of running speed where the game does not reward it: then it is not worth its noise.
const GAIN_MIN: f32 = 1.2;
/// Who comes down needs so many seconds of his speed to get back to running.
const BRAKE_SECONDS: f32 = 0.12;
/// Losing more than this in a frame is to have struck something.
const STRUCK: f32 = 8.0;
/// A leap comes down no deeper than this below the line's lower end.
const DEEPER: f32 = 40.0;

impl Sprint {
    /// The keys that begin a leap now; none if it would not end on the stretch, faster than one would have run, with room to
    /// stop. A flight is given up as soon as `is_barred`.
    pub fn leap(
        &self,
        player: &Player,
        setting: &Setting,
        ms: i32,
        is_barred: impl Fn(&Player) -> bool,
    ) -> Option<Keys> {
        let moment = Moment { player, setting, ms };
        // Whoever takes off is in the air from the first frame on.
        let leaping = Player { ground: Ground::Air, ..*player };
        let keys = self.press(&Moment { player: &leaping, setting, ms }).jumping();
        let mut body = moment.after(keys);
        let mut spent_ms = ms;
        while body.ground.is_air() {
            let before = flat(body.velocity).length();
            if spent_ms > FRAMES_MAX * 50 || self.is_off(&body) || is_barred(&body) {
                return None;
            }
            let next = Moment { player: &body, setting, ms };
            let after = next.after(self.press(&next));
            if flat(after.velocity).length() < before - STRUCK {
                return None;
            }
            body = after;
            spent_ms += ms;
        }
        let along = flat(self.to - self.from).normalize_or_zero();
        let gone = flat(body.origin - player.origin).dot(along);
        let left = flat(self.to - body.origin).dot(along);
        let is_quick = gone > moment.top_speed() * spent_ms as f32 * 0.001 * GAIN_MIN;
        let can_stop = left > flat(body.velocity).length() * BRAKE_SECONDS;
        (is_quick && can_stop && spent_ms > 2 * ms && !self.is_off(&body)).then_some(keys)
    }

    /// The keys of a frame in the air; none for who was thrown off the stretch.
    pub fn fly(&self, player: &Player, setting: &Setting, ms: i32) -> Option<Keys> {
        (!self.is_off(player)).then(|| self.press(&Moment { player, setting, ms }))
    }

    fn press(&self, moment: &Moment) -> Keys {
        let along = flat(self.to - self.from).normalize_or_zero();
        let done = flat(moment.player.origin - self.from).dot(along);
        let aim = flat(self.from) + along * (done + AHEAD);
        let way = (aim - flat(moment.player.origin)).normalize_or_zero();
        moment.strafe_towards(way * moment.top_speed())
    }

    /// Beside the stretch, below it, or in water.
    fn is_off(&self, player: &Player) -> bool {
        let way = flat(self.to - self.from);
        let share = flat(player.origin - self.from).dot(way) / way.length_squared().max(1.0);
        let aside = flat(player.origin - self.from) - way * share;
        aside.length() > ASIDE || player.origin.z < self.from.z.min(self.to.z) - DEEPER || player.immersion.level > 0
    }
}
