//! Turning the view: from "look there" to this frame's angles, as a hand with a mouse would.
//!
//! In: a place to look at and how it moves, the view as it is, the skill. Out: the view for this frame, never turned
//! faster than a wrist can. Each axis is a damped oscillator towards a moving target,
//!
//! ```text
//! x'' + 2 d w (x' - v0) + w² (x - x0 - v0 t) = 0
//! ```
//!
//! after J. Lampel, "JoeBOT XP, an overview", 2005, 6 (his k is 2dw, his d is w², m is 1). With e = x - x0 - v0 t the
//! error obeys e'' + 2 d w e' + w² e = 0, whose solution is known for any time, so the answer does not depend on the
//! length of frames. d = 1 is the quickest way without overshoot; d < 1 overshoots by exp(-pi d / sqrt(1 - d²)).
//!
//! Where the two departures are: the rate is bounded, and a hand is never quite right: the place aimed at wanders about
//! the place wanted ([`Unsteady`]), less for the skilled and for those who have looked there for a while.
//! Not here: where to look (behaviours), when to fire (`behaviour::shoot`).

use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::pcg::Pcg;

use crate::character::Skill;
use crate::convar::ConVars;

/// Degrees to a radian.
const DEGREES: f32 = 180.0 / std::f32::consts::PI;
/// Views end this far up and down.
const PITCH_MAX: f32 = 85.0;

/// A view that is being turned.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aim {
    pitch: Axis,
    yaw: Axis,
    unsteady: Unsteady,
    wanted: Option<Look>,
    /// For how long it has looked at the same thing.
    settled_s: f32,
    life: u32,
}

/// What to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    pub at: Vec3,
    pub velocity: Vec3,
    /// Names what is looked at, so that a change is noticed: the hand needs to settle anew.
    pub what: u32,
    /// How carefully: a glance is slower and rougher than aiming at somebody.
    pub care: Care,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Looking about.
    Glance,
    /// Aiming to hit.
    Aim,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Axis {
    degrees: f32,
    /// Degrees a second.
    rate: f32,
}

/// How a hand errs: an offset that drifts, drawn anew a few times a second and approached smoothly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Unsteady {
    now: [f32; 2],
    towards: [f32; 2],
    left_s: f32,
}

/// What a skill is worth to a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grip {
    /// Natural frequency w of the oscillator when aiming, per second.
    quickness: f32,
    damping: f32,
    /// Degrees the hand is off, as one standard deviation, when settled.
    error: f32,
}

fn grip(skill: Skill, convars: &ConVars) -> Grip {
    let share = f32::from(skill as u8) / 3.0;
    let between = |low: f32, high: f32| low + (high - low) * share;
    Grip {
        quickness: between(convars.aim_quickness_recruit, convars.aim_quickness_elite),
        damping: between(convars.aim_damping_recruit, 1.0),
        error: between(convars.aim_error_recruit, convars.aim_error_elite),
    }
}

/// Degrees a settled hand of this skill is off, as one standard deviation.
pub fn settled_error(skill: Skill, convars: &ConVars) -> f32 {
    grip(skill, convars).error
}

impl Aim {
    /// Looks there from now on.
    pub fn look(&mut self, look: Look) {
        if self.wanted.is_none_or(|old| old.what != look.what || old.care != look.care) {
            self.settled_s = 0.0;
        }
        self.wanted = Some(look);
    }

    /// Looks at nothing in particular: the view comes to rest where it is.
    pub fn rest(&mut self) {
        self.wanted = None;
    }

    pub fn wanted(&self) -> Option<Look> {
        self.wanted
    }

    /// Pitch and yaw as they are.
    pub fn view(&self) -> (f32, f32) {
        (self.pitch.degrees, self.yaw.degrees)
    }

    /// Turns the view for a frame. A game may turn a view by itself (teleporters, spawning): then the hand starts from there.
    pub fn turn(&mut self, head: &Head, seconds: f32, hand: &mut Hand) {
        let (pitch, yaw) = head.view;
        let is_turned = off(yaw, self.yaw.degrees).max(off(pitch, self.pitch.degrees)) > TURNED_BY_GAME;
        if self.life != head.life || is_turned {
            let wanted = self.wanted.filter(|_| self.life == head.life);
            *self = Aim { wanted, unsteady: self.unsteady, life: head.life, ..Aim::default() };
            (self.pitch.degrees, self.yaw.degrees) = (pitch, yaw);
        }
        let Some(look) = self.wanted else {
            (self.pitch.rate, self.yaw.rate) = (0.0, 0.0);
            return;
        };
        self.settled_s += seconds;
        let mut grip = grip(hand.skill, hand.convars);
        if look.care == Care::Glance {
            grip.quickness *= hand.convars.aim_glance_share;
        }
        let error = match look.care {
            Care::Glance => 0.0,
            // A fresh target is hit less surely: the error shrinks to its settled size.
            Care::Aim => grip.error * hand.sway * (1.0 + UNSETTLED * maths::exp(-self.settled_s * SETTLING)),
        };
        let drift = self.unsteady.drift(error, seconds, hand.chance);
        // The view is wanted for when a shot leaves: by then this body has moved on, and the other as far as the game lets it.
        let relative = look.velocity - head.velocity;
        let way = look.at - head.eye + look.velocity * head.lag_s - head.velocity * seconds;
        let (pitch, yaw) = angles_to(way);
        let (pitch_rate, yaw_rate) = rates(way, relative);
        let rate_max = hand.convars.aim_turn_rate_max;
        self.pitch.approach((pitch + drift[0]).clamp(-PITCH_MAX, PITCH_MAX), pitch_rate, grip, rate_max, seconds);
        self.yaw.approach(yaw + drift[1], yaw_rate, grip, rate_max, seconds);
        self.pitch.degrees = self.pitch.degrees.clamp(-PITCH_MAX, PITCH_MAX);
        self.yaw.degrees = wrapped(self.yaw.degrees);
    }
}

/// Where the eyes are, how they move, and where they look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    pub eye: Vec3,
    pub velocity: Vec3,
    /// Pitch and yaw as the game has them.
    pub view: (f32, f32),
    pub life: u32,
    /// Seconds others go on before a shot leaves that is pressed now.
    pub lag_s: f32,
}

/// Whose hand turns the view, and what it draws its unsteadiness from.
#[derive(Debug)]
pub struct Hand<'a> {
    pub skill: Skill,
    /// How much more than others of its skill it errs; 1 is as they do.
    pub sway: f32,
    pub convars: &'a ConVars,
    pub chance: &'a mut Pcg,
}

/// A view that moved by more than this without us was moved by the game.
const TURNED_BY_GAME: f32 = 0.5;
/// So many times larger is the error on a target just taken, and it shrinks at this rate a second.
const UNSETTLED: f32 = 1.5;
const SETTLING: f32 = 3.0;

impl Axis {
    /// One frame of the oscillator towards a target that will be at `goal` when it ends and moves with `goal_rate`.
    fn approach(&mut self, goal: f32, goal_rate: f32, grip: Grip, rate_max: f32, seconds: f32) {
        let error = wrapped(self.degrees - (goal - goal_rate * seconds));
        let error_rate = self.rate - goal_rate;
        let (error_then, rate_then) = damped(error, error_rate, grip.quickness, grip.damping, seconds);
        let turn = error_then + goal_rate * seconds - error;
        // The wrist has its limit; what it cannot turn in this frame it turns in the next.
        let limit = rate_max * seconds;
        self.degrees += turn.clamp(-limit, limit);
        self.rate = (rate_then + goal_rate).clamp(-rate_max, rate_max);
    }
}

/// Error and its rate after a time, of e'' + 2 d w e' + w² e = 0.
fn damped(e: f32, rate: f32, w: f32, d: f32, t: f32) -> (f32, f32) {
    if d >= 1.0 {
        // e = (e0 + c t) exp(-w t) with c = e0' + w e0.
        let fade = maths::exp(-w * t);
        let c = rate + w * e;
        return ((e + c * t) * fade, (c - w * (e + c * t)) * fade);
    }
    // e = exp(-a t) (e0 cos(b t) + s sin(b t)) with a = d w, b = w sqrt(1 - d²), s = (e0' + a e0) / b.
    let (a, b) = (d * w, w * (1.0 - d * d).sqrt());
    let s = (rate + a * e) / b;
    let (sin, cos) = (maths::sin(b * t), maths::cos(b * t));
    let fade = maths::exp(-a * t);
    (fade * (e * cos + s * sin), fade * ((s * b - a * e) * cos - (e * b + a * s) * sin))
}

impl Unsteady {
    /// How far off the hand is now: pitch, yaw.
    fn drift(&mut self, error: f32, seconds: f32, chance: &mut Pcg) -> [f32; 2] {
        self.left_s -= seconds;
        if self.left_s <= 0.0 {
            self.left_s = chance.range(DRIFT_S.0, DRIFT_S.1);
            self.towards = [bell(chance), bell(chance)];
        }
        let pull = 1.0 - maths::exp(-DRIFT_PULL * seconds);
        for axis in 0..2 {
            self.now[axis] += (self.towards[axis] - self.now[axis]) * pull;
        }
        self.now.map(|off| off * error)
    }
}

/// Seconds until the hand errs another way, and how quickly it gets there, per second.
const DRIFT_S: (f32, f32) = (0.15, 0.4);
const DRIFT_PULL: f32 = 10.0;

/// Bell-shaped, variance 1: four uniform numbers summed.
fn bell(chance: &mut Pcg) -> f32 {
    let sum: f32 = (0..4).map(|_| chance.range(-1.0, 1.0)).sum();
    // The variance of each is 1/3.
    sum / (4.0f32 / 3.0).sqrt()
}

/// Pitch (down is positive) and yaw of a direction, in degrees.
pub fn angles_to(way: Vec3) -> (f32, f32) {
    let flat = (way.x * way.x + way.y * way.y).sqrt();
    (-maths::atan2(way.z, flat) * DEGREES, yaw_to(way))
}

/// The yaw alone.
pub fn yaw_to(way: Vec3) -> f32 {
    let is_level = way.x * way.x + way.y * way.y > 0.0;
    if is_level { maths::atan2(way.y, way.x) * DEGREES } else { 0.0 }
}

/// How fast pitch and yaw to something change that moves with `velocity`.
fn rates(way: Vec3, velocity: Vec3) -> (f32, f32) {
    let flat_square = (way.x * way.x + way.y * way.y).max(NEAR * NEAR);
    let flat = flat_square.sqrt();
    let yaw = (way.x * velocity.y - way.y * velocity.x) / flat_square;
    let away = (way.x * velocity.x + way.y * velocity.y) / flat;
    let pitch = -(velocity.z * flat - way.z * away) / (flat_square + way.z * way.z);
    (pitch * DEGREES, yaw * DEGREES)
}

/// Closer than this, angles change too fast to mean anything.
const NEAR: f32 = 24.0;

/// The same angle between -180 and 180.
pub fn wrapped(degrees: f32) -> f32 {
    let turns = ((degrees + 180.0) / 360.0).floor();
    degrees - turns * 360.0
}

/// How far two angles are apart, either way round.
pub fn off(a: f32, b: f32) -> f32 {
    wrapped(a - b).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn still(aim: &Aim) -> Head {
        Head { eye: Vec3::ZERO, velocity: Vec3::ZERO, view: aim.view(), life: 0, lag_s: 0.05 }
    }

    fn turned(frames: i32, ms: f32, skill: Skill, at: Vec3) -> Vec<(f32, f32)> {
        let convars = ConVars { aim_error_elite: 0.0, aim_error_recruit: 0.0, ..ConVars::default() };
        let mut chance = Pcg::new(1, 1);
        let mut aim = Aim::default();
        let mut views = Vec::new();
        for _ in 0..frames {
            aim.look(Look { at, velocity: Vec3::ZERO, what: 1, care: Care::Aim });
            let hand = &mut Hand { skill, sway: 1.0, convars: &convars, chance: &mut chance };
            aim.turn(&still(&aim), ms / 1000.0, hand);
            views.push(aim.view());
        }
        views
    }

    #[test]
    fn the_view_arrives_and_takes_the_short_way_round() {
        let behind = Vec3::new(-100.0, -10.0, 0.0);
        let views = turned(60, 50.0, Skill::Elite, behind);
        assert!(off(views[59].1, -174.29) < 0.1, "{:?}", views[59]);
        assert!(views.iter().all(|view| view.1 <= 0.0), "went the long way round");
    }

    #[test]
    fn the_length_of_frames_does_not_matter() {
        let at = Vec3::new(100.0, 30.0, 20.0);
        let slow = turned(10, 40.0, Skill::Veteran, at);
        let fast = turned(40, 10.0, Skill::Veteran, at);
        assert!((slow[9].1 - fast[39].1).abs() < 0.05 && (slow[9].0 - fast[39].0).abs() < 0.05);
    }

    #[test]
    fn nobody_turns_faster_than_a_wrist_can() {
        let convars = ConVars::default();
        let views = turned(40, 50.0, Skill::Elite, Vec3::new(-100.0, 1.0, 0.0));
        let fastest = views.windows(2).map(|pair| off(pair[0].1, pair[1].1)).fold(0.0, f32::max);
        assert!(fastest <= convars.aim_turn_rate_max * 0.05 + 0.01, "{fastest} degrees in a frame");
    }

    #[test]
    fn a_recruit_overshoots_and_an_elite_does_not() {
        let at = Vec3::new(100.0, 100.0, 0.0);
        let past = |skill| turned(60, 16.0, skill, at).iter().map(|view| view.1).fold(0.0, f32::max) - 45.0;
        assert!(past(Skill::Recruit) > 0.2, "{}", past(Skill::Recruit));
        assert!(past(Skill::Elite) < 0.05, "{}", past(Skill::Elite));
    }

    /// Whether others have moved on or stand as they are shown when the shot leaves.
    #[test]
    fn a_moving_target_is_followed_without_lag_while_running() {
        for lag_s in [0.0, 0.05] {
            let convars = ConVars { aim_error_elite: 0.0, ..ConVars::default() };
            let (mut aim, mut chance) = (Aim::default(), Pcg::new(1, 1));
            let velocity = Vec3::new(0.0, 200.0, 0.0);
            let running = Vec3::new(0.0, -320.0, 0.0);
            let mut eye = Vec3::ZERO;
            let mut at = Vec3::new(600.0, -300.0, 0.0);
            for _ in 0..40 {
                aim.look(Look { at, velocity, what: 1, care: Care::Aim });
                let hand = &mut Hand { skill: Skill::Elite, sway: 1.0, convars: &convars, chance: &mut chance };
                let head = Head { eye, velocity: running, lag_s, ..still(&aim) };
                aim.turn(&head, 0.05, hand);
                at += velocity * 0.05;
                eye += running * 0.05;
            }
            let wanted = angles_to(at + velocity * (lag_s - 0.05) - eye).1;
            assert!(off(aim.view().1, wanted) < 0.1, "{lag_s} s: {} v {wanted}", aim.view().1);
        }
    }

    #[test]
    fn angles_are_quakes() {
        let (pitch, yaw) = angles_to(Vec3::new(0.0, 10.0, 10.0));
        assert!((pitch + 45.0).abs() < 1e-3 && (yaw - 90.0).abs() < 1e-3);
        assert!((wrapped(190.0) + 170.0).abs() < 1e-3 && (wrapped(-190.0) - 170.0).abs() < 1e-3);
    }
}
