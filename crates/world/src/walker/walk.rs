//! On foot: along the line of a leg at full speed, round its end at the speed the corner allows, off an edge with care.

use glam::Vec3;

use super::{Keys, Moment, Stage, Walker, flat};

/// How far ahead on the line a walker aims: nearer turns him back to the line faster than it is worth. One who makes no
/// headway goes back to the line first: beside it may be a wall that the line just clears.
const AHEAD: f32 = 32.0;
const AHEAD_STUCK: f32 = 4.0;
const STUCK_MS: i32 = 100;
/// A body brakes from full speed in about this time; so much speed a unit before the end is safe.
const BRAKE: f32 = 8.0;
/// Walking pace, for the last steps and for edges.
const SLOW: f32 = 60.0;
/// So far off the line, the floor ahead is looked at before it is stepped on.
const OFF_LINE: f32 = 10.0;
/// Or with a velocity so far from the wanted one.
const OFF_SPEED: f32 = 120.0;
/// A walk has no steps down deeper than this.
const STEP_DOWN: f32 = 48.0;

impl Walker {
    /// Along the ground.
    pub(super) fn walk(&self, moment: &Moment) -> Keys {
        let wanted = self.along_line(moment, self.leg.from, self.leg.to);
        let seconds = moment.ms as f32 * 0.001;
        let velocity = flat(moment.player.velocity);
        let off = self.off_line(moment);
        let is_off = off.length() > OFF_LINE || (velocity - wanted).length() > OFF_SPEED;
        let is_walking = !moment.player.ground.is_air() && moment.player.immersion.level == 0;
        if is_off && is_walking {
            let is_edge = |shift: Vec3| !moment.has_floor(shift, STEP_DOWN);
            if is_edge(wanted * seconds) || is_edge(velocity * seconds) {
                return moment.urge(-off.normalize_or_zero() * SLOW);
            }
        }
        moment.urge(wanted)
    }

    /// The velocity that follows the line and is slow enough at its end.
    pub(super) fn along_line(&self, moment: &Moment, from: Vec3, to: Vec3) -> Vec3 {
        let origin = moment.player.origin;
        let line = flat(to - from);
        let length = line.length();
        let along = line.normalize_or_zero();
        let done = flat(origin - from).dot(along).clamp(0.0, length);
        let ahead = if self.idle_ms > STUCK_MS { AHEAD_STUCK } else { AHEAD };
        let aim = flat(from) + along * (done + ahead).min(length);
        let way = flat(to - origin).length();
        let speed = (self.corner_speed(moment, along) + BRAKE * way).min(moment.top_speed());
        (aim - flat(origin)).normalize_or_zero() * speed
    }

    /// How fast the end may be passed: by how sharply the route turns there, and not at all where it ends.
    fn corner_speed(&self, moment: &Moment, along: Vec3) -> f32 {
        let Some(next) = self.next else { return 0.0 };
        let onward = flat(next - self.leg.to).normalize_or_zero();
        if onward == Vec3::ZERO {
            return SLOW;
        }
        let turn = along.dot(onward);
        (moment.top_speed() * (0.5 + 0.5 * turn)).max(SLOW)
    }

    /// From the nearest point of the leg's line to the body.
    fn off_line(&self, moment: &Moment) -> Vec3 {
        let line = flat(self.leg.to - self.leg.from);
        let from_start = flat(moment.player.origin - self.leg.from);
        let length = line.length();
        if length < 1.0 {
            return from_start;
        }
        let along = line / length;
        from_start - along * from_start.dot(along).clamp(0.0, length)
    }

    /// Off an edge without a jump, slowly enough to come down at the goal.
    pub(super) fn drop(&mut self, moment: &Moment) -> Keys {
        if moment.player.ground.is_air() {
            self.enter(Stage::Under);
            return moment.urge(self.landing_velocity(moment, self.leg.to));
        }
        if self.stage == Stage::Under {
            self.enter(Stage::Last);
        }
        let way = flat(self.leg.to - moment.player.origin);
        let fall = moment.player.origin.z - self.leg.to.z;
        if self.stage == Stage::Last || fall < moment.setting.rules.step_height {
            return moment.urge(self.along_line(moment, moment.player.origin, self.leg.to));
        }
        let seconds = (2.0 * fall / moment.setting.rules.gravity as f32).sqrt();
        let speed = (way.length() / seconds).max(SLOW * 1.5).min(moment.top_speed());
        let line = self.along_line(moment, self.leg.from, self.leg.to).normalize_or_zero();
        moment.urge(line * speed)
    }

    /// The level velocity with which a body in the air comes down at `goal`.
    pub(super) fn landing_velocity(&self, moment: &Moment, goal: Vec3) -> Vec3 {
        let way = flat(goal - moment.player.origin);
        let seconds = moment.seconds_to_fall_to(goal.z).max(moment.ms as f32 * 0.001);
        way.normalize_or_zero() * (way.length() / seconds).min(AIR_SPEED_MAX)
    }
}

impl Moment<'_> {
    /// How long a body in the air takes to come down to a height; from below it, to the top of the flight.
    pub(super) fn seconds_to_fall_to(&self, height: f32) -> f32 {
        let gravity = self.setting.rules.gravity as f32;
        let (rise, above) = (self.player.velocity.z, self.player.origin.z - height);
        // Solves above + rise t - g/2 t² = 0 for the later t.
        (rise + (rise * rise + 2.0 * gravity * above).max(0.0).sqrt()) / gravity
    }
}

/// Nobody can be asked for more than this in the air; pads throw faster.
const AIR_SPEED_MAX: f32 = 2000.0;
