//! What is asked of the engine and what it answers, as plain data.
//!
//! Names and numbers are the engine's own (entity numbers, event numbers, flag bits), because a capture is evidence and
//! evidence is not translated. Distances are units, times are milliseconds of the level, angles degrees unless a name
//! says `words` (65536 to the circle).

use fireteam_world::trace::Placed;
use fireteam_world::units::{EntityId, ModelId};
use fireteam_world::{Contents, SurfaceFlags, Sweep, Vec3};

use super::field::rows;

/// The entity number of the map itself.
pub const ENTITY_WORLD: u16 = 1022;
/// The entity number of nothing.
pub const ENTITY_NONE: u16 = 1023;

rows! {
    /// What the engine found on the way of a sweep.
    TraceAnswer {
        fraction: f32,
        end: Vec3,
        normal: Vec3,
        dist: f32,
        surface: SurfaceFlags,
        contents: Contents,
        /// `ENTITY_WORLD` for the map, `ENTITY_NONE` for nothing.
        entity: u16,
        start_solid: bool,
        all_solid: bool,
    }

    /// How a thing moves until told otherwise (the game's `trajectory_t`).
    Trajectory {
        /// 0 stationary, 1 interpolate, 2 linear, 3 linear and stop, 4 sine, 5 gravity.
        kind: i32,
        time: i32,
        duration: i32,
        base: Vec3,
        delta: Vec3,
    }

    /// Anything in the game, as the engine and the game know it at one moment.
    EntityRow {
        entity: u16,
        class: String,
        /// 0 general, 1 player, 2 item, 3 missile, 4 mover, 8 push trigger, 9 teleport trigger, and so on.
        kind: i32,
        /// The brush model, 0 if it has none.
        model: u16,
        linked: bool,
        contents: Contents,
        absmin: Vec3,
        absmax: Vec3,
        origin: Vec3,
        angles: Vec3,
        /// `s.origin`: where spawn points and teleport destinations keep their place.
        spawn_origin: Vec3,
        /// `s.origin2`: the launch velocity of a push trigger.
        launch: Vec3,
        spawn_angles: Vec3,
        spawn_flags: i32,
        mover_state: i32,
        pos: Trajectory,
        apos: Trajectory,
        pos1: Vec3,
        pos2: Vec3,
        target: String,
        target_name: String,
        team: String,
        speed: f32,
        health: i32,
        damage: i32,
    }

    /// One press of the controls: what a client sends for one frame.
    Command {
        /// Pitch, yaw, roll; 65536 to the circle.
        angle_words: [i32; 3],
        /// 1 attack, 16 walk.
        buttons: i32,
        weapon: u8,
        forward: i8,
        right: i8,
        up: i8,
    }

    /// A client put somewhere, and what it presses, frame by frame; after its last command it stands still.
    Body {
        origin: Vec3,
        velocity: Vec3,
        health: i32,
        /// The weapon in hand, ready to fire, with ten rounds.
        weapon: u8,
        commands: Vec<Command>,
    }

    /// Sweeps to be asked when a frame of a drive is over.
    Probe {
        /// 0 is the moment before the first frame.
        frame: i32,
        sweeps: Vec<Sweep>,
    }

    /// Clients driven through frames of the game. All are gone again when it is over.
    Drive {
        frames: i32,
        bodies: Vec<Body>,
        probes: Vec<Probe>,
    }

    /// An event of a player state: a jump, a step, a fall.
    Event {
        event: i32,
        parm: i32,
    }

    /// A player as the game left it at the end of a frame.
    PlayerFrame {
        command_time: i32,
        move_type: i32,
        move_flags: i32,
        move_time: i32,
        origin: Vec3,
        velocity: Vec3,
        gravity: i32,
        speed: i32,
        delta_angle_words: [i32; 3],
        view_angles: Vec3,
        /// What it stands on; `ENTITY_NONE` in the air.
        ground: i32,
        view_height: i32,
        weapon: i32,
        weapon_state: i32,
        weapon_time: i32,
        health: i32,
        entity_flags: i32,
        jump_pad: i32,
        /// The box others hit, one unit larger than the hull.
        absmin: Vec3,
        absmax: Vec3,
        /// Events of this frame, oldest first; the game keeps the last two.
        events: Vec<Event>,
    }

    /// A player among others.
    ClientRow {
        client: u16,
        /// The guest, not a bot of the game's.
        is_guest: bool,
        player: PlayerFrame,
    }

    /// A brush model at one moment.
    MoverFrame {
        entity: u16,
        model: u16,
        contents: Contents,
        origin: Vec3,
        angles: Vec3,
        /// 0 at rest closed, 1 at rest open, 2 opening, 3 closing.
        state: i32,
        pos: Trajectory,
        apos: Trajectory,
    }

    /// A grenade or rocket at one moment. Having exploded it stays for 300 ms as something of kind 0.
    MissileFrame {
        entity: u16,
        kind: i32,
        class: String,
        owner: u16,
        origin: Vec3,
        pos: Trajectory,
        /// 44 bounce, 50 hit, 51 miss, 52 miss on metal; bits 0x300 count.
        event: i32,
        event_parm: i32,
        entity_flags: i32,
        /// When the fuse ends.
        next_think: i32,
    }

    /// Everything watched, at the end of one frame.
    Frame {
        time: i32,
        players: Vec<PlayerFrame>,
        /// In the first frame all brush models that can be hit; afterwards those that changed.
        movers: Vec<MoverFrame>,
        missiles: Vec<MissileFrame>,
        /// Answers to the probe of this frame.
        traces: Vec<TraceAnswer>,
    }

    /// What the server says of itself.
    Head {
        engine: String,
        map: String,
        /// Console variables that decide how things move.
        cvars: Vec<(String, String)>,
        frame_ms: i32,
    }
}

impl EntityRow {
    /// Whether it is linked into the world around this point.
    pub fn holds(&self, point: Vec3) -> bool {
        self.linked && self.absmin.cmple(point).all() && self.absmax.cmpge(point).all()
    }

    /// The same as a brush model placed in a scene, if it is one that can stand in the way.
    pub fn placed(&self) -> Option<Placed> {
        let solid = self.model != 0 && self.linked && self.contents != Contents::TRIGGER;
        solid.then_some(Placed {
            model: ModelId(self.model),
            entity: EntityId(self.entity),
            origin: self.origin,
            angles: self.angles,
            contents: self.contents,
        })
    }
}

impl MoverFrame {
    /// The same as a brush model placed in a scene.
    pub fn placed(&self) -> Placed {
        Placed {
            model: ModelId(self.model),
            entity: EntityId(self.entity),
            origin: self.origin,
            angles: self.angles,
            contents: self.contents,
        }
    }
}
