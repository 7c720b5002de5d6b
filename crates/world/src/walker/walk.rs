//! On foot: along the line of a leg at full speed, round its end at the speed the corner allows, off an edge with care.

use glam::Vec3;

use super::{AT_START, Keys, Moment, Stage, Walker, flat};

/// How far ahead on the line a walker aims: nearer turns him back to the line faster than it is worth. One who makes no
/// headway goes back to the line first: beside it may be a wall that the line just clears.
const AHEAD: f32 = 32.0;
const AHEAD_STUCK: f32 = 4.0;
const STUCK_MS: i32 = 100;
/// A body brakes from full speed in about this time; so much speed a unit before the end is safe.
const BRAKE: f32 = 8.0;
/// Walking pace, for the last steps and for edges.
const SLOW: f32 = 60.0;
/// An edge is felt this far ahead.
const EDGE_ROOM: f32 = 44.0;
/// Shares of running speed that are tried where the wanted speed would end in a fall.
const SLOWER: [f32; 3] = [0.6, 0.35, 0.2];
/// What lies deeper than this is an edge.
const STEP_DOWN: f32 = 40.0;
/// Without headway for this long, one is caught.
const CAUGHT_MS: i32 = 350;
/// What a frame before an edge that cannot be passed counts for.
const HESITATION_MS: i32 = 400;
/// Deeper than this below the start, the drop has begun.
const DROPPED: f32 = 20.0;
/// Speeds at which an edge is left, as shares of running, where the one that was reckoned does not lead to the goal.
const DROP_SPEEDS: [f32; 5] = [1.0, 0.75, 0.5, 0.35, 0.2];

impl Walker {
    /// Along the ground. Who gets caught on something goes back to the start of the line once and tries again, unless it is
    /// where he came from.
    pub(super) fn walk(&mut self, moment: &Moment) -> Keys {
        let back = flat(self.leg.from - moment.player.origin);
        match self.stage {
            Stage::First if self.began_aside && self.idle_ms > CAUGHT_MS && back.length() > AT_START => {
                self.enter(Stage::Under);
            }
            Stage::Under if back.length() < AT_START || self.idle_ms > CAUGHT_MS => self.enter(Stage::Last),
            Stage::First | Stage::Under | Stage::Last => {}
        }
        if self.stage == Stage::Under {
            let wanted = back.normalize_or_zero() * moment.top_speed().min(back.length() * BRAKE);
            return self.carefully(moment, wanted);
        }
        let wanted = self.along_line(moment, self.leg.from, self.leg.to);
        self.carefully(moment, wanted)
    }

    /// Presses for a velocity, unless that leads over an edge: then back to the line, or no further.
    fn carefully(&mut self, moment: &Moment, wanted: Vec3) -> Keys {
        let keys = moment.urge(wanted);
        let is_walking = !moment.player.ground.is_air() && moment.player.immersion.level == 0;
        if !is_walking || !self.is_at_edge(moment, wanted) || self.is_safe(moment, keys) {
            return keys;
        }
        let slower = SLOWER.map(|share| wanted.normalize_or_zero() * moment.top_speed() * share);
        let to_line = -self.off_line(moment.player.origin).normalize_or_zero();
        let options = slower.into_iter().chain([to_line * SLOW * 2.0, to_line * SLOW]);
        let mut options = options.map(|velocity| moment.urge(velocity));
        let safe = options.find(|keys| self.is_safe(moment, *keys));
        safe.unwrap_or_else(|| self.hesitate(moment))
    }

    /// Stops before an edge. Nothing will change while one stands there, so that this wears out patience faster.
    fn hesitate(&mut self, moment: &Moment) -> Keys {
        self.idle_ms += HESITATION_MS;
        moment.urge(Vec3::ZERO)
    }

    /// Whether the floor ends close ahead, the way one goes or the way one wants to go.
    pub(super) fn is_at_edge(&self, moment: &Moment, wanted: Vec3) -> bool {
        let ends = |along: Vec3| !moment.has_floor(along.normalize_or_zero() * EDGE_ROOM, STEP_DOWN);
        ends(wanted) || ends(flat(moment.player.velocity))
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
        let onward = flat(next.place - self.leg.to).normalize_or_zero();
        if onward == Vec3::ZERO {
            return SLOW;
        }
        let turn = along.dot(onward);
        (moment.top_speed() * (0.5 + 0.5 * turn)).max(SLOW)
    }

    /// From the nearest point of the leg's line to a place, over ground.
    pub(super) fn off_line(&self, place: Vec3) -> Vec3 {
        flat(place - self.leg.from) - flat(self.leg.to - self.leg.from) * self.share_done(place)
    }

    /// How much of the line lies behind a place.
    pub(super) fn share_done(&self, place: Vec3) -> f32 {
        let line = flat(self.leg.to - self.leg.from);
        (flat(place - self.leg.from).dot(line) / line.length_squared().max(1.0)).clamp(0.0, 1.0)
    }

    /// Off an edge without a jump, slowly enough to come down at the goal.
    pub(super) fn drop(&mut self, moment: &Moment) -> Keys {
        if moment.player.ground.is_air() {
            self.enter(Stage::Under);
            return self.steer(moment);
        }
        let way = flat(self.leg.to - moment.player.origin);
        let fall = moment.player.origin.z - self.leg.to.z;
        if self.stage == Stage::Under {
            // A step on the way to the edge is not the fall.
            self.enter(if fall < self.leg.from.z - self.leg.to.z - DROPPED { Stage::Last } else { Stage::First });
        }
        if self.stage == Stage::Last || fall < moment.setting.rules.step_height {
            let wanted = self.along_line(moment, moment.player.origin, self.leg.to);
            return self.carefully(moment, wanted);
        }
        let seconds = (2.0 * fall / moment.setting.rules.gravity as f32).sqrt();
        let speed = (way.length() / seconds).max(SLOW * 1.5).min(moment.top_speed());
        let line = self.along_line(moment, self.leg.from, self.leg.to).normalize_or_zero();
        let keys = moment.urge(line * speed);
        // Braking takes no longer than a frame, so that the last one before the edge is early enough.
        let next_frame = line * (moment.top_speed().max(speed) * moment.ms as f32 * 0.001);
        if moment.has_floor(next_frame, STEP_DOWN) || self.is_safe(moment, keys) {
            return keys;
        }
        let others = DROP_SPEEDS.map(|share| moment.urge(line * moment.top_speed() * share));
        let safe = others.into_iter().find(|keys| self.is_safe(moment, *keys));
        safe.unwrap_or_else(|| self.hesitate(moment))
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
