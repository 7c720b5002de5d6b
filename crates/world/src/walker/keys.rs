//! From a wanted velocity to keys, and from keys to a command for whatever direction the eyes have.

use glam::Vec3;

use super::{Moment, flat};
use crate::maths;
use crate::movement::{Buttons, Command, Player, Setting, Stance, angle_word};
use crate::trace::{Hull, Sweep};

/// What legs ask for, before it is known where the eyes look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keys {
    /// Where to press towards: level, of length one, or zero for no key.
    pub heading: Vec3,
    /// How hard: 1 is running.
    pub push: f32,
    /// As in a command: 10 and more jumps, negative crouches.
    pub up: i8,
    /// Pitch and yaw, where the way depends on the view: leaping out of water, climbing, shooting a button.
    pub look: Option<[f32; 2]>,
    pub attacks: bool,
    /// Quietly: a command says so apart from how hard it presses.
    pub walks: bool,
    /// On the belly, where the game has it.
    pub lies: bool,
}

/// The least that counts as jumping, so that it does not eat into the running speed.
pub(super) const JUMP: i8 = 10;
const CROUCH: i8 = -127;
/// Moves are whole numbers up to this.
const MOVE_MAX: f32 = 127.0;

impl Keys {
    pub const NONE: Keys =
        Keys { heading: Vec3::ZERO, push: 0.0, up: 0, look: None, attacks: false, walks: false, lies: false };

    /// What brings the velocity of the next `ms` milliseconds as near as possible to `wanted`, which is level.
    pub fn for_velocity(wanted: Vec3, player: &Player, setting: &Setting, ms: i32) -> Keys {
        Moment { player, setting, ms }.urge(wanted)
    }

    /// The command that does this while looking along `view` (pitch and yaw in degrees), or where the keys insist.
    pub fn command(&self, player: &Player, view: [f32; 2]) -> Command {
        let [pitch, yaw] = self.look.unwrap_or(view);
        let words = [angle_word(pitch), angle_word(yaw), 0];
        let [forward, right] = if self.heading == Vec3::ZERO { [0, 0] } else { self.arrows(yaw) };
        Command {
            angles: [0, 1, 2].map(|axis| words[axis].wrapping_sub(player.view_offset[axis])),
            forward,
            right,
            up: self.up,
            buttons: self.buttons(),
        }
    }

    /// Forwards and to the right, for somebody who looks along `yaw`.
    fn arrows(&self, yaw: f32) -> [i8; 2] {
        let axes = maths::game_axes(0.0, yaw, 0.0);
        let (ahead, aside) = (self.heading.dot(axes.forward), self.heading.dot(axes.right));
        // The larger of the two decides the speed, so it is the one that is pressed by `push`.
        let scale = MOVE_MAX * self.push / ahead.abs().max(aside.abs()).max(f32::MIN_POSITIVE);
        [ahead, aside].map(|part| (part * scale).round() as i8)
    }

    fn buttons(&self) -> Buttons {
        let held = |is_held: bool, button: Buttons| if is_held { button.0 } else { 0 };
        let lies = held(self.lies, Buttons::PRONE);
        Buttons(held(self.attacks, Buttons::ATTACK) | held(self.walks, Buttons::WALK) | lies)
    }

    /// The command of somebody who looks where he walks.
    pub fn command_facing_ahead(&self, player: &Player) -> Command {
        let yaw = if self.heading == Vec3::ZERO { player.view.y } else { yaw_of(self.heading) };
        self.command(player, [0.0, yaw])
    }

    pub(super) fn crouched(mut self) -> Keys {
        self.up = CROUCH;
        self
    }

    pub(super) fn jumping(mut self) -> Keys {
        self.up = JUMP;
        self
    }

    pub(super) fn looking(mut self, along: Vec3) -> Keys {
        self.look = Some([0.0, yaw_of(along)]);
        self
    }
}

impl Moment<'_> {
    /// Keys that bring the velocity of the next frame as near as possible to `wanted`, which is level.
    ///
    /// Friction makes `v` into `v'`. Pressing along `d` with a wished speed `s` then adds `min(a s, s - v' · d)` along
    /// `d`, where `a` is the acceleration times the frame. What is missing is `m = wanted - v'`, so we press along `m`,
    /// with the least `s` that adds its whole length: the larger of `|m| / a` and `|m| + v' · d`.
    pub(super) fn urge(&self, wanted: Vec3) -> Keys {
        let after = self.after_friction();
        let missing = flat(wanted) - after;
        let length = missing.length();
        if length < 1.0 {
            return Keys::NONE;
        }
        let heading = missing / length;
        let gain = self.acceleration() * self.ms as f32 * 0.001;
        let speed = (length / gain).max(length + after.dot(heading));
        Keys { heading, push: (speed / self.top_speed()).clamp(0.0, 1.0), ..Keys::NONE }
    }

    /// Running speed as the body is now.
    pub(super) fn top_speed(&self) -> f32 {
        let speed = self.player.speed as f32;
        match self.player.stance {
            Stance::Standing => speed,
            Stance::Crouched | Stance::Prone => speed * self.setting.rules.ground.crouch_scale,
        }
    }

    fn acceleration(&self) -> f32 {
        let rules = self.setting.rules;
        let player = self.player;
        if player.immersion.level > 1 {
            rules.water.accelerate
        } else if player.ground.is_air() || player.hold.knocked {
            rules.air.accelerate
        } else {
            rules.ground.accelerate
        }
    }

    /// The share of the speed that friction leaves in this frame, and the most that keys add to it.
    pub(super) fn kept_and_gained(&self) -> (f32, f32) {
        let speed = flat(self.player.velocity).length();
        let gain = self.acceleration() * self.ms as f32 * 0.001 * self.top_speed();
        (self.after_friction().length() / speed.max(1.0), gain)
    }

    fn after_friction(&self) -> Vec3 {
        let rules = self.setting.rules;
        let player = self.player;
        let velocity = flat(player.velocity);
        let speed = velocity.length();
        let seconds = self.ms as f32 * 0.001;
        let depth = f32::from(player.immersion.level);
        let mut loss = rules.water.friction * seconds * depth * speed;
        if !player.ground.is_air() && !player.hold.knocked && depth <= 1.0 {
            loss += rules.ground.friction * seconds * speed.max(rules.ground.stop_speed);
        }
        velocity * ((speed - loss).max(0.0) / speed.max(1.0))
    }

    /// Whether nothing higher than a step stands between the body and a place close by: being near is not being there with
    /// a wall between.
    pub(super) fn is_free_to(&self, place: Vec3) -> bool {
        let start = self.player.origin;
        let end = Vec3::new(place.x, place.y, start.z.max(place.z));
        let sweep = Sweep::hull(start, end, self.upper_body(), self.setting.mask);
        let trace = self.setting.scene.sweep(&sweep, self.setting.me);
        // Some maps have slivers of solid that a body stands in unharmed.
        trace.start_solid || !trace.is_hit()
    }

    /// A crouched body without what is lower than a step: meets walls, and not what is walked over.
    pub(super) fn upper_body(&self) -> Hull {
        let mut hull = self.setting.rules.hull(Stance::Crouched);
        hull.mins.z += self.setting.rules.step_height;
        hull
    }

    /// Whether a floor is below where a body would be after moving by `shift`: no deeper than `depth`.
    pub(super) fn has_floor(&self, shift: Vec3, depth: f32) -> bool {
        let rules = self.setting.rules;
        let below = self.player.origin + shift - Vec3::Z * depth;
        let hull = self.player.hull(rules);
        // From a step above: the ground may rise, and curves are felt only from outside. No room for that counts as floor.
        let (start, end) = (below + Vec3::Z * (depth + rules.step_height), below);
        !self.setting.scene.is_clear(&Sweep::hull(start, end, hull, self.setting.mask), self.setting.me)
    }
}

pub(super) fn yaw_of(along: Vec3) -> f32 {
    maths::atan2(along.y, along.x).to_degrees()
}
