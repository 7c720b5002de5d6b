//! Where do eyes go that follow the way?
//!
//! In: where the way leads from the eye, turn by turn. Out: where to look. Three things keep them quiet:
//!
//! - Whoever drops down a shaft or is thrown up one looks out from it, not at the floor between his feet: eyes stay within some degrees
//!   of level.
//! - He looks along the way, not at the next place on it: who looked at that would turn with every step as he comes to it.
//! - A way that suddenly leads elsewhere has to do so for a moment. Goals come and go within tenths of a second, and a search that has
//!   just begun knows only the first steps; legs may follow at once, but who threw his view round each time would whirl about.
//!
//! A bend in the way is not sudden: the place ahead goes round it at the speed of a run.

use fireteam_world::Vec3;
use fireteam_world::units::Time;

/// Tangent of how far up and down eyes follow the way: 35 degrees, as steep as stairs are.
const STEEP: f32 = 0.7;
/// How far along it eyes look.
const FAR: f32 = 512.0;
/// Cosine of what is elsewhere: 60 degrees from where eyes are. What is less does not throw them round.
const ELSEWHERE: f32 = 0.5;
/// For how long the way has to lead there: about what people need to take in that they have to turn round. With 300, 400 and 500 ms
/// elites whirl 10.3, 9.1 and 7.0 times an hour and run backwards 6.7, 9.0 and 7.7 times, which is 1 more or less by chance; so the
/// shortest, with which eyes lead the way soonest.
const SURE_MS: i32 = 300;

/// Eyes on the way ahead.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Onward {
    /// Where they look, from the eye.
    way: Vec3,
    /// Since when the way has led elsewhere.
    elsewhere: Option<Time>,
}

impl Onward {
    /// Eyes that come from something else: nothing keeps them.
    pub(super) fn towards(way: Vec3) -> Onward {
        Onward { way: along(way), elsewhere: None }
    }

    /// Eyes that were on the way before, which now leads there.
    pub(super) fn follow(self, way: Vec3, now: Time) -> Onward {
        let level = |way: Vec3| way.with_z(0.0).normalize_or_zero();
        if level(self.way).dot(level(way)) >= ELSEWHERE {
            return Onward::towards(way);
        }
        let since = self.elsewhere.unwrap_or(now);
        if now - since < SURE_MS { Onward { elsewhere: Some(since), ..self } } else { Onward::towards(way) }
    }

    /// Where to look, from the eye.
    pub(super) fn look(self) -> Vec3 {
        self.way
    }
}

/// The same way, farther, and no steeper than eyes follow it.
fn along(way: Vec3) -> Vec3 {
    let most = way.with_z(0.0).length() * STEEP;
    way.with_z(way.z.clamp(-most, most)).normalize_or_zero() * FAR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aim::{angles_to, off};

    const TURN_MS: i32 = 100;

    #[test]
    fn who_falls_down_a_shaft_does_not_look_at_its_floor() {
        for z in [-400.0, 400.0] {
            let (pitch, yaw) = angles_to(Onward::towards(Vec3::new(30.0, 60.0, z)).look());
            assert!(pitch.abs() < 36.0, "{pitch}");
            assert!((yaw - angles_to(Vec3::new(30.0, 60.0, 0.0)).1).abs() < 1e-3, "{yaw}");
        }
        let stairs = Vec3::new(100.0, 0.0, 60.0);
        assert!(Onward::towards(stairs).look().normalize().distance(stairs.normalize()) < 1e-6);
    }

    /// Degrees that eyes turn in three seconds on a way whose yaw is that at each moment.
    fn turned(yaw: impl Fn(i32) -> f32) -> f32 {
        let way = |ms: i32| fireteam_world::maths::game_axes(0.0, yaw(ms), 0.0).forward * 100.0;
        let (mut eyes, mut turned) = (Onward::towards(way(0)), 0.0);
        for ms in (0..3000).step_by(TURN_MS as usize) {
            let before = angles_to(eyes.look()).1;
            eyes = eyes.follow(way(ms), Time(ms));
            turned += off(angles_to(eyes.look()).1, before);
        }
        turned
    }

    #[test]
    fn a_way_that_leads_to_and_fro_does_not_throw_the_view_round() {
        assert!(turned(|ms| if ms / 300 % 2 == 0 { 0.0 } else { 170.0 }) < 1.0);
    }

    #[test]
    fn a_way_that_leads_elsewhere_for_good_is_looked_along_a_moment_later() {
        let way = |yaw: f32| fireteam_world::maths::game_axes(0.0, yaw, 0.0).forward * 100.0;
        let mut eyes = Onward::towards(way(0.0));
        let looks = (0..5).map(|turn| {
            eyes = eyes.follow(way(170.0), Time(turn * TURN_MS));
            angles_to(eyes.look()).1.round()
        });
        assert_eq!(looks.collect::<Vec<_>>(), [0.0, 0.0, 0.0, 170.0, 170.0]);
    }

    #[test]
    fn eyes_go_round_a_bend_with_the_way() {
        let round = turned(|ms| 0.1 * ms as f32);
        assert!((round - 290.0).abs() < 1.0, "{round}");
    }
}
