//! Player movement: where a body is after one command, and what happened to it on the way.
//!
//! In: a [`Player`], a [`Command`] (angles, moves and buttons as a player presses them), its length in milliseconds,
//! and the [`Setting`]: the scene to move in and the rules of the game. Out: a [`Step`], which is the player afterwards,
//! the events, and what was bumped into. Nothing allocates; a `Player` is plain data and can be copied to try a move out.
//!
//! [`frame`] is one server frame of a game: a step, then the triggers it ended in. [`step`] is the body alone; read it
//! downwards, each call is one file: `stance` (crouch, stand up), `ground` (what carries us), then one of `walk`, `air`,
//! `water`, `ladder`, which decide a velocity by `effort` and carry it out by `slide`.
//!
//! The kernel is Quake III's, as OpenArena 0.8.8 for x86-64 Linux computes it: single precision, in the order that
//! build's compiler chose, which is not always the order its authors wrote. Where a line looks oddly grouped, that is
//! why. `moves_match_the_engine`, a test of `fireteam-openarena`, replays recorded runs;
//! `docs/notes/movement.md` has the figures.
//!
//! Not here: weapons, items, damage taken (a landing says what it costs, the game subtracts it), how a mover pushes
//! (`mover`; [`Player::carry`] is what it calls). Cost: 3 sweeps a piece in the open, 7 to 10 along walls and stairs.

mod air;
mod effort;
mod fall;
mod footfall;
mod ground;
mod ladder;
#[cfg(test)]
mod movement_test;
mod rules;
mod slide;
mod stance;
mod trigger;
mod walk;
mod water;

use glam::Vec3;

use crate::contents::{Contents, SurfaceFlags};
use crate::maths::{self, Axes};
use crate::trace::{Hull, Scene, Sweep, Trace};
use crate::units::EntityId;

pub use fall::Fall;
pub use footfall::Footfall;
pub use rules::{
    AirRules, BodyRules, FallRules, GroundRules, KnockRules, LadderRules, MovementRules, ProneRules, TeleportRules,
    WaterRules,
};
pub use trigger::{Trigger, TriggerAction, frame, launch_velocity};

/// A player's body: all that the next step depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Player {
    /// The point the box is measured from: 24 units over the feet.
    pub origin: Vec3,
    pub velocity: Vec3,
    /// Pitch, yaw and roll in degrees.
    pub view: Vec3,
    /// Added to the angles of every command, 65536 to the circle: how a game turns a player who keeps the mouse still.
    pub view_offset: [i32; 3],
    /// Height of the eyes over the origin.
    pub eye_height: i32,
    pub ground: Ground,
    pub stance: Stance,
    /// How long lying down or getting up still takes.
    pub stance_ms: i32,
    pub is_dead: bool,
    /// Top speed now: [`MovementRules::speed`], or more with haste.
    pub speed: i32,
    pub hold: Hold,
    pub immersion: Immersion,
    /// Jump has been held since the last take-off; it must be let go before the next.
    pub jump_is_held: bool,
    /// Just spawned: no jump until attack and use have been let go.
    pub awaits_release: bool,
    /// The wall face of the ladder that is being climbed.
    pub ladder: Option<Vec3>,
    /// The jump pad touched in the last frame, which makes no sound again while it lasts.
    pub pad: Option<EntityId>,
    /// Where in the walking cycle the feet are, 256 to the cycle of two steps.
    pub gait: i32,
}

/// What carries a player.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Ground {
    /// Nothing, or something too steep to stand on.
    #[default]
    Air,
    /// The map, or a mover or body if `entity` says so.
    Floor { entity: Option<EntityId>, normal: Vec3 },
}

impl Ground {
    pub fn is_air(&self) -> bool {
        matches!(self, Ground::Air)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stance {
    #[default]
    Standing,
    Crouched,
    Prone,
}

/// A span during which the body does not fully obey. Quake III has one clock for three reasons, and so have we.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Hold {
    /// While it runs, bumping into things does not change the velocity.
    pub ms: i32,
    /// After a hard landing.
    pub landed: bool,
    /// After a blow or a teleport: no ground friction, and legs as weak as in the air.
    pub knocked: bool,
    /// Leaping out of water: no control at all.
    pub leaping: bool,
}

/// How deep in a liquid, and in which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Immersion {
    /// 0 dry, 1 feet, 2 waist, 3 eyes.
    pub level: u8,
    pub contents: Contents,
}

/// What a player presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Command {
    /// Pitch, yaw and roll, 65536 to the circle, before the player's `view_offset`.
    pub angles: [i32; 3],
    pub forward: i8,
    pub right: i8,
    /// 10 and more jumps, negative crouches.
    pub up: i8,
    pub buttons: Buttons,
}

/// The buttons that matter to the legs. Values up to 16 are Quake III's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Buttons(pub u32);

impl Buttons {
    pub const ATTACK: Buttons = Buttons(1);
    /// Typing a message: everything else is ignored.
    pub const TALK: Buttons = Buttons(2);
    pub const USE: Buttons = Buttons(4);
    /// Walking quietly.
    pub const WALK: Buttons = Buttons(16);
    /// Lie down, where the game has it. No Quake III game uses this bit.
    pub const PRONE: Buttons = Buttons(1 << 16);

    pub const fn meets(self, other: Buttons) -> bool {
        self.0 & other.0 != 0
    }
}

/// Where, as whom, and by which rules a body moves.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub scene: &'a Scene<'a>,
    pub rules: &'a MovementRules,
    /// Who moves: its own box in the scene is not in its way.
    pub me: Option<EntityId>,
    /// What stops it: [`Contents::MASK_PLAYER`], or [`Contents::MASK_BOT`] for bots.
    pub mask: Contents,
}

/// Something others may hear, or the game must act on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    Jumped,
    /// Walked up an edge of this height.
    SteppedUp {
        height: f32,
    },
    /// Came down; `damage` is what the game should take off.
    Landed {
        fall: Fall,
        damage: i32,
    },
    Footfall(Footfall),
    EnteredWater,
    LeftWater,
    WentUnder,
    CameUp,
    /// Thrown by a jump pad; told once while the pad is touched.
    Launched {
        pad: EntityId,
    },
    Teleported {
        trigger: EntityId,
        from: Vec3,
    },
    /// Stood in something harmful. The trigger's own clock decides whether it bites.
    Hurt {
        trigger: EntityId,
        damage: i32,
    },
    /// Stood in a trigger that sets something else off.
    Fired {
        trigger: EntityId,
    },
}

/// Room for everything one step may report; what does not fit is counted.
pub const EVENTS_MAX: usize = 16;
/// Room for everything one step may bump into, as in Quake III.
pub const TOUCHED_MAX: usize = 32;

/// A small list in place: steps are copied and thrown away by the thousand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Short<T: Copy, const N: usize> {
    items: [Option<T>; N],
    count: usize,
    /// How many did not fit.
    pub lost: u32,
}

impl<T: Copy + PartialEq, const N: usize> Short<T, N> {
    fn new() -> Short<T, N> {
        Short { items: [None; N], count: 0, lost: 0 }
    }

    fn push(&mut self, item: T) {
        match self.items.get_mut(self.count) {
            Some(place) => {
                *place = Some(item);
                self.count += 1;
            }
            None => self.lost += 1,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.items[..self.count].iter().flatten().copied()
    }

    pub fn contains(&self, item: T) -> bool {
        self.iter().any(|kept| kept == item)
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// What came of a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub player: Player,
    pub events: Short<Event, EVENTS_MAX>,
    /// Movers and bodies that were bumped into or stood on: what opens a door, what a button feels.
    pub touched: Short<EntityId, TOUCHED_MAX>,
}

/// Carries out one command for `ms` milliseconds.
pub fn step(player: &Player, command: &Command, ms: i32, setting: &Setting) -> Step {
    let mut step = Step { player: *player, events: Short::new(), touched: Short::new() };
    let mut command = *command;
    let mut left = ms;
    while left > 0 {
        let piece = left.min(setting.rules.piece_ms);
        left -= piece;
        Stride::new(&mut step, &mut command, piece, setting).run();
        if step.player.jump_is_held {
            // Keeps a jump from repeating in the pieces of one long command, and slows running a little.
            command.up = 20;
        }
    }
    step
}

/// One piece of movement under way: what is known of it until it ends.
struct Stride<'a> {
    player: &'a mut Player,
    events: &'a mut Short<Event, EVENTS_MAX>,
    touched: &'a mut Short<EntityId, TOUCHED_MAX>,
    command: &'a mut Command,
    scene: &'a Scene<'a>,
    rules: &'a MovementRules,
    me: Option<EntityId>,
    mask: Contents,
    ms: i32,
    seconds: f32,
    axes: Axes,
    hull: Hull,
    floor: Floor,
    started: Started,
}

/// What the last look downwards found.
#[derive(Clone, Copy, Debug, Default)]
struct Floor {
    /// A plane is right below, steep or not.
    is_there: bool,
    /// It carries us.
    holds: bool,
    normal: Vec3,
    surface: SurfaceFlags,
}

/// The body as it was when the piece began.
#[derive(Clone, Copy, Debug)]
struct Started {
    origin: Vec3,
    velocity: Vec3,
    depth: u8,
}

impl<'a> Stride<'a> {
    fn new(step: &'a mut Step, command: &'a mut Command, ms: i32, setting: &Setting<'a>) -> Stride<'a> {
        let Step { player, events, touched } = step;
        *touched = Short::new();
        if command.buttons.meets(Buttons::TALK) {
            *command = Command { angles: command.angles, buttons: Buttons::TALK, ..Command::default() };
        }
        let started = Started { origin: player.origin, velocity: player.velocity, depth: 0 };
        player.turn(command);
        let mask = if player.is_dead { setting.mask & !Contents::BODY } else { setting.mask };
        Stride {
            axes: maths::game_axes(player.view.x, player.view.y, player.view.z),
            hull: setting.rules.hull(player.stance),
            player,
            events,
            touched,
            command,
            scene: setting.scene,
            rules: setting.rules,
            me: setting.me,
            mask,
            ms,
            seconds: (f64::from(ms) * 0.001) as f32,
            floor: Floor::default(),
            started,
        }
    }

    fn run(mut self) {
        self.heed_buttons();
        self.player.immersion = self.immersion();
        self.started.depth = self.player.immersion.level;
        self.take_stance();
        self.feel_ground();
        if self.player.is_dead && self.floor.holds {
            self.drag_dead_body();
        }
        self.run_clocks();

        if self.player.hold.leaping {
            self.leap_from_water();
        } else if self.rules.ladder.is_some() && self.grips_ladder() {
            self.climb();
        } else if self.player.immersion.level > 1 {
            self.swim();
        } else if self.floor.holds {
            self.walk();
        } else {
            self.drift();
        }

        self.feel_ground();
        self.player.immersion = self.immersion();
        self.tread();
        self.splash();
        if self.rules.whole_speeds {
            self.player.velocity = rounded(self.player.velocity);
        }
    }

    fn heed_buttons(&mut self) {
        if self.command.up < JUMP_PRESSED {
            self.player.jump_is_held = false;
        }
        if self.player.is_dead {
            (self.command.forward, self.command.right, self.command.up) = (0, 0, 0);
        } else if !self.command.buttons.meets(Buttons(Buttons::ATTACK.0 | Buttons::USE.0)) {
            self.player.awaits_release = false;
        }
    }

    fn run_clocks(&mut self) {
        let hold = &mut self.player.hold;
        if hold.ms != 0 {
            *hold = if self.ms >= hold.ms { Hold::default() } else { Hold { ms: hold.ms - self.ms, ..*hold } };
        }
        self.player.stance_ms = (self.player.stance_ms - self.ms).max(0);
    }

    /// What the body would meet on a straight way.
    fn sweep(&self, start: Vec3, end: Vec3) -> Trace {
        self.scene.sweep(&Sweep::hull(start, end, self.hull, self.mask), self.me)
    }

    fn touch(&mut self, entity: Option<EntityId>) {
        if let Some(entity) = entity
            && !self.touched.contains(entity)
        {
            self.touched.push(entity);
        }
    }

    fn clip(&self, velocity: Vec3, normal: Vec3) -> Vec3 {
        slide::clip(velocity, normal, self.rules.overclip)
    }

    fn fall_speed_gained(&self) -> f32 {
        self.rules.gravity as f32 * self.seconds
    }
}

/// From this upward move on, jump counts as pressed.
const JUMP_PRESSED: i8 = 10;

/// The view stops a little short of straight up and straight down: 87.9 degrees.
const PITCH_MAX: i32 = 16_000;

impl Player {
    /// A player standing still in the open, alive and at full speed.
    pub fn at(origin: Vec3, rules: &MovementRules) -> Player {
        Player {
            origin,
            velocity: Vec3::ZERO,
            view: Vec3::ZERO,
            view_offset: [0; 3],
            eye_height: rules.eye_height(Stance::Standing),
            ground: Ground::Air,
            stance: Stance::Standing,
            stance_ms: 0,
            is_dead: false,
            speed: rules.speed,
            hold: Hold::default(),
            immersion: Immersion::default(),
            jump_is_held: false,
            awaits_release: false,
            ladder: None,
            pad: None,
            gait: 0,
        }
    }

    /// The box this player takes up.
    pub fn hull(&self, rules: &MovementRules) -> Hull {
        if self.is_dead { rules.dead_hull() } else { rules.hull(self.stance) }
    }

    pub fn eye(&self) -> Vec3 {
        self.origin + Vec3::new(0.0, 0.0, self.eye_height as f32)
    }

    /// Taken along by a mover: pushed by `shift`, and turned by `yaw` degrees when it rotates.
    pub fn carry(&mut self, shift: Vec3, yaw: f32) {
        self.origin += shift;
        self.view_offset[1] += angle_word(yaw);
    }

    /// Struck by `damage` points along `direction` (of length one): thrown, and out of control for a moment.
    pub fn knock(&mut self, direction: Vec3, damage: i32, rules: &MovementRules) {
        let knock = &rules.knock;
        let force = damage.min(knock.damage_max);
        // A player's mass is 200; the division became a multiplication in the compiled game.
        self.velocity += direction * ((0.005 * knock.strength) * force as f32);
        if self.hold.ms == 0 {
            self.hold.ms = (force * knock.ms_per_damage).clamp(knock.ms_min, knock.ms_max);
            self.hold.knocked = true;
        }
    }

    /// Looks along `angles` in spite of what the mouse says: the command's angles count from here on.
    pub fn face(&mut self, angles: Vec3, command: &Command) {
        for (axis, degrees) in angles.to_array().into_iter().enumerate() {
            self.view_offset[axis] = angle_word(degrees) - command.angles[axis];
        }
        self.view = angles;
    }

    /// The command's angles become the view.
    fn turn(&mut self, command: &Command) {
        if self.is_dead {
            return;
        }
        let offset = self.view_offset;
        let [asked, yaw, roll] =
            [0, 1, 2].map(|axis| i32::from(command.angles[axis].wrapping_add(offset[axis]) as i16));
        let pitch = asked.clamp(-PITCH_MAX, PITCH_MAX);
        if pitch != asked {
            self.view_offset[0] = pitch - command.angles[0];
        }
        self.view = Vec3::new(degrees(pitch), degrees(yaw), degrees(roll));
    }
}

/// 65536 to the circle; exact, since a word times 45 fits the mantissa.
fn degrees(word: i32) -> f32 {
    word as f32 * (360.0 / 65536.0)
}

/// The word whose angle is just below these degrees: cut, not rounded, as the game does.
pub fn angle_word(degrees: f32) -> i32 {
    ((degrees * (65536.0 / 360.0)) as i32) & 0xffff
}

fn rounded(velocity: Vec3) -> Vec3 {
    Vec3::new(velocity.x.round_ties_even(), velocity.y.round_ties_even(), velocity.z.round_ties_even()) + Vec3::ZERO
}
