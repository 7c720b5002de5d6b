//! Jumps: a run-up if one is needed, the take-off at the last moment, and the way through the air.
//!
//! Speed is gained in the air because the game limits only the speed *along the keys*: pressing aside of the way one
//! flies adds to it. A strafe jump does so on purpose, on the ground and in the air, now left and now right of the goal.

use glam::Vec3;

use super::{Keys, Moment, Stage, Travel, Walker, flat};
use crate::trace::Sweep;

/// A run-up of this length reaches full speed.
const RUN_UP: f32 = 48.0;
/// A wall is jumped at when it is so many seconds away.
const WALL_SECONDS: f32 = 0.25;
/// Shares of running speed for the first attempt and the next ones.
const RUN_SPEEDS: [f32; 4] = [1.0, 0.75, 0.9, 0.6];
/// Speed that a standing start gains on the last steps before an edge.
const STANDING_SPEED: f32 = 200.0;

impl Walker {
    pub(super) fn jump(&mut self, moment: &Moment) -> Keys {
        let player = moment.player;
        if self.stage == Stage::First && !player.ground.is_air() && self.is_ready_to_run(moment) {
            self.enter(Stage::Under);
        }
        match self.stage {
            // Just come down somewhere, or dropped over a step: that is no jump.
            Stage::First if player.ground.is_air() => moment.urge(flat(self.leg.from - player.origin)),
            Stage::First => self.go_back(moment),
            Stage::Under if player.ground.is_air() => self.fly(moment),
            Stage::Under => self.run_and_jump(moment),
            Stage::Last => moment.urge(self.along_line(moment, player.origin, self.leg.to)),
        }
    }

    /// Fast enough already, or as far back as there is room.
    fn is_ready_to_run(&self, moment: &Moment) -> bool {
        let along = self.heading();
        let speed = flat(moment.player.velocity).dot(along);
        let needed = self.speed_needed(moment);
        if self.retries == 0 && (needed <= STANDING_SPEED || speed >= needed) {
            return true;
        }
        let back = flat(self.leg.from - moment.player.origin).dot(along);
        back >= RUN_UP || self.idle_ms > 200 || !self.has_room_behind(moment, along)
    }

    fn heading(&self) -> Vec3 {
        flat(self.leg.to - self.leg.from).normalize_or_zero()
    }

    /// Speed over ground that carries a jump from one end of the leg to the other.
    fn speed_needed(&self, moment: &Moment) -> f32 {
        let rules = moment.setting.rules;
        let gravity = rules.gravity as f32;
        let rise = self.leg.to.z - self.leg.from.z;
        let seconds =
            (rules.jump_speed + (rules.jump_speed * rules.jump_speed - 2.0 * gravity * rise).max(0.0).sqrt()) / gravity;
        flat(self.leg.to - self.leg.from).length().min(moment.top_speed() * seconds) / seconds * 0.95
    }

    fn has_room_behind(&self, moment: &Moment, along: Vec3) -> bool {
        let shift = -along * 16.0;
        let rules = moment.setting.rules;
        let origin = moment.player.origin;
        let hull = moment.player.hull(rules);
        let lifted = Vec3::new(0.0, 0.0, 2.0);
        let sweep = Sweep::hull(origin + lifted, origin + shift + lifted, hull, moment.setting.mask);
        moment.setting.scene.is_clear(&sweep, moment.setting.me) && moment.has_floor(shift, rules.step_height)
    }

    fn go_back(&self, moment: &Moment) -> Keys {
        let goal = self.leg.from - self.heading() * (RUN_UP + 8.0);
        let way = flat(goal - moment.player.origin);
        moment.urge(way.normalize_or_zero() * moment.top_speed().min(way.length() * 8.0))
    }

    fn run_and_jump(&mut self, moment: &Moment) -> Keys {
        let player = moment.player;
        let rules = moment.setting.rules;
        let way = flat(self.leg.to - player.origin);
        let rise = self.leg.to.z - player.origin.z;
        let has_crossed = flat(player.origin - self.leg.from).dot(self.heading()) > way.length();
        if rise.abs() <= rules.step_height && has_crossed && self.before.is_some() && self.has_clear_floor(moment) {
            self.enter(Stage::Last);
            return moment.urge(self.along_line(moment, player.origin, self.leg.to));
        }
        let line = self.along_line_fast(moment);
        let keys = if self.leg.travel == Travel::StrafeJump { moment.strafe_towards(line) } else { moment.urge(line) };
        let is_time = self.is_time_to_jump(moment, line);
        if !is_time && (!self.is_at_edge(moment, line) || self.is_safe(moment, keys)) {
            return keys;
        }
        if !player.jump_is_held && self.is_safe(moment, keys.jumping()) {
            return keys.jumping();
        }
        self.retries += 1;
        self.enter(Stage::First);
        moment.urge(Vec3::ZERO)
    }

    /// As `along_line`, but never slower before its end: it is left by a jump.
    fn along_line_fast(&self, moment: &Moment) -> Vec3 {
        let share = RUN_SPEEDS[usize::from(self.retries) % RUN_SPEEDS.len()];
        self.along_line(moment, self.leg.from, self.leg.to).normalize_or_zero() * moment.top_speed() * share
    }

    /// Nothing but floor lies between here and the goal's side: no further jump is needed.
    fn has_clear_floor(&self, moment: &Moment) -> bool {
        let way = flat(self.leg.to - moment.player.origin);
        let shift = way.normalize_or_zero() * way.length().min(32.0);
        !self.wall_is_near(moment, way) && moment.has_floor(shift, moment.setting.rules.step_height)
    }

    /// At the edge, or before a wall that must be got over.
    fn is_time_to_jump(&self, moment: &Moment, line: Vec3) -> bool {
        let rules = moment.setting.rules;
        let velocity = flat(moment.player.velocity);
        let speed = velocity.dot(line.normalize_or_zero()).max(STANDING_SPEED);
        let shift = line.normalize_or_zero() * (speed * moment.ms as f32 * 0.001);
        !moment.has_floor(shift, rules.step_height) || self.wall_is_near(moment, line)
    }

    fn wall_is_near(&self, moment: &Moment, line: Vec3) -> bool {
        let rules = moment.setting.rules;
        let ahead = line.normalize_or_zero() * (moment.top_speed() * WALL_SECONDS);
        let origin = moment.player.origin + Vec3::new(0.0, 0.0, rules.step_height);
        let sweep = Sweep::hull(origin, origin + ahead, moment.player.hull(rules), moment.setting.mask);
        let trace = moment.setting.scene.sweep(&sweep, moment.setting.me);
        trace.is_hit() && trace.normal.z < rules.floor_normal_min
    }

    /// Through the air to the goal, and faster on the way if need be.
    pub(super) fn strafe_through_air(&self, moment: &Moment) -> Keys {
        let wanted = self.landing_velocity(moment, self.leg.to);
        let is_slow = wanted.length() > flat(moment.player.velocity).length();
        if is_slow { moment.strafe_towards(wanted) } else { moment.urge(wanted) }
    }
}

impl Moment<'_> {
    /// Presses so far aside of the velocity that all of the acceleration counts, on the side where `line` leads.
    pub(super) fn strafe_towards(&self, line: Vec3) -> Keys {
        let velocity = flat(self.player.velocity);
        let speed = velocity.length();
        let top = self.top_speed();
        let (kept, gain) = self.kept_and_gained();
        // The game adds `gain` along the keys while the speed along them stays below `top`.
        let cosine = ((top - gain) / (speed * kept).max(1.0)).min(1.0);
        if cosine >= 1.0 || speed < top * 0.5 {
            return self.urge(line);
        }
        let ahead = velocity / speed;
        let left = Vec3::new(-ahead.y, ahead.x, 0.0);
        let side = if line.dot(left) >= 0.0 { left } else { -left };
        let heading = ahead * cosine + side * (1.0 - cosine * cosine).sqrt();
        Keys { heading, push: 1.0, ..Keys::NONE }
    }
}
