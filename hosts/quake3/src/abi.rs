//! The engine's and the stock module's memory, as this build lays it out: commands, calls, structures.
//!
//! Everything that depends on a byte offset is here, tied down by the assertions at the end. The sizes the stock module
//! announces when it starts are compared with ours (`wrap::fits`); a module built otherwise is only passed through.

use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;

/// The engine's one entry for calls out of a module. Variadic in C; every argument is a machine word.
pub(crate) type Syscall = unsafe extern "C" fn(isize, ...) -> isize;
/// The same as handed to the stock module: a fixed number of words stands in for the variadic list, which on x86-64
/// is passed in the same registers and stack slots.
pub(crate) type Hook = unsafe extern "C" fn(
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
    isize,
) -> isize;
pub(crate) type DllEntry = unsafe extern "C" fn(Hook);
/// A command and its twelve arguments.
pub(crate) type VmMain = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
) -> isize;

/// What the engine asks of a game module.
pub(crate) mod command {
    use std::ffi::c_int;
    pub(crate) const INIT: c_int = 0;
    pub(crate) const SHUTDOWN: c_int = 1;
    pub(crate) const CLIENT_CONNECT: c_int = 2;
    pub(crate) const CLIENT_BEGIN: c_int = 3;
    pub(crate) const CLIENT_DISCONNECT: c_int = 5;
    pub(crate) const CLIENT_COMMAND: c_int = 6;
    pub(crate) const RUN_FRAME: c_int = 8;
    pub(crate) const CONSOLE_COMMAND: c_int = 9;
    /// The stock bots think.
    pub(crate) const BOT_FRAME: c_int = 10;
}

/// What a game module asks of the engine.
pub(crate) mod call {
    pub(crate) const PRINT: isize = 0;
    pub(crate) const CVAR_REGISTER: isize = 3;
    pub(crate) const CVAR_SET: isize = 5;
    pub(crate) const CVAR_STRING: isize = 7;
    pub(crate) const ARGC: isize = 8;
    pub(crate) const ARGV: isize = 9;
    pub(crate) const SEND_CONSOLE_COMMAND: isize = 14;
    pub(crate) const LOCATE_GAME_DATA: isize = 15;
    pub(crate) const DROP_CLIENT: isize = 16;
    pub(crate) const GET_CONFIGSTRING: isize = 19;
    pub(crate) const GET_USERINFO: isize = 20;
    pub(crate) const SET_USERINFO: isize = 21;
    pub(crate) const TRACE: isize = 24;
    pub(crate) const POINT_CONTENTS: isize = 25;
    pub(crate) const IN_PVS: isize = 26;
    pub(crate) const LINK_ENTITY: isize = 30;
    pub(crate) const BOT_ALLOCATE_CLIENT: isize = 34;
    pub(crate) const BOT_FREE_CLIENT: isize = 35;
    pub(crate) const GET_ENTITY_TOKEN: isize = 37;
    pub(crate) const BOT_GET_MESSAGE: isize = 210;
    pub(crate) const BOT_USER_COMMAND: isize = 211;
    pub(crate) const AAS_INITIALIZED: isize = 304;
    pub(crate) const AAS_TRAVEL_TIME: isize = 316;
    pub(crate) const BOT_LEVEL_ITEM_GOAL: isize = 539;
    pub(crate) const BOT_REACHABILITY_AREA: isize = 553;
}

pub(crate) const ENTITY_NONE: i32 = 1023;
/// Who is nobody: the map.
pub(crate) const ENTITY_WORLD: i32 = 1022;
/// Entities there can be.
pub(crate) const ENTITIES_MAX: usize = 1024;
/// Client slots come first among the entities.
pub(crate) const CLIENTS_MAX: usize = 64;
/// In `svFlags`: the game thinks for this client once a frame and the engine sends it nothing.
pub(crate) const SVF_BOT: i32 = 8;
/// Sent to one client alone.
pub(crate) const SVF_SINGLE_CLIENT: i32 = 0x100;
/// In `svFlags`: no client is told of it.
pub(crate) const SVF_HIDDEN: i32 = 1;
/// The longest user settings, with their end.
pub(crate) const USERINFO_BYTES: usize = 1024;
/// The line about flags among those sent to all clients.
pub(crate) const CONFIG_FLAGS: isize = 23;
/// In `contents`: others only touch it.
pub(crate) const CONTENTS_TRIGGER: i32 = 0x4000_0000;
/// In `PlayerState::move_type`: looks on, or waits to.
pub(crate) const MOVE_SPECTATOR: i32 = 2;
pub(crate) const MOVE_FREEZE: i32 = 4;
/// This and what follows: scores are shown.
pub(crate) const MOVE_INTERMISSION: i32 = 5;
/// In `EntityState::kind`.
pub(crate) const KIND_PLAYER: i32 = 1;
pub(crate) const KIND_ITEM: i32 = 2;
pub(crate) const KIND_MISSILE: i32 = 3;
pub(crate) const KIND_MOVER: i32 = 4;
/// From here on an entity is there for one event only, and this less is its number.
pub(crate) const KIND_EVENTS: i32 = 13;
/// In `EntityState::flags`.
pub(crate) const FLAG_DEAD: i32 = 1;
pub(crate) const FLAG_HIDDEN: i32 = 0x80;
pub(crate) const FLAG_FIRING: i32 = 0x100;
/// In `SEND_CONSOLE_COMMAND`: run it after what is already waiting.
pub(crate) const EXEC_APPEND: isize = 2;

pub(crate) type Vector = [f32; 3];

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trajectory {
    pub(crate) kind: i32,
    pub(crate) time: i32,
    pub(crate) duration: i32,
    pub(crate) base: Vector,
    pub(crate) delta: Vector,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntityState {
    pub(crate) number: i32,
    pub(crate) kind: i32,
    pub(crate) flags: i32,
    pub(crate) pos: Trajectory,
    pub(crate) apos: Trajectory,
    pub(crate) time: i32,
    pub(crate) time2: i32,
    pub(crate) origin: Vector,
    pub(crate) origin2: Vector,
    pub(crate) angles: Vector,
    pub(crate) angles2: Vector,
    pub(crate) other_entity: i32,
    pub(crate) other_entity2: i32,
    pub(crate) ground_entity: i32,
    pub(crate) constant_light: i32,
    pub(crate) loop_sound: i32,
    pub(crate) model: i32,
    pub(crate) model2: i32,
    pub(crate) client: i32,
    pub(crate) frame: i32,
    pub(crate) solid: i32,
    pub(crate) event: i32,
    pub(crate) event_parm: i32,
    pub(crate) powerups: i32,
    pub(crate) weapon: i32,
    pub(crate) legs_animation: i32,
    pub(crate) torso_animation: i32,
    pub(crate) generic: i32,
}

/// One entity as the game keeps it: state, the part shared with the engine, and the game's own part.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Entity {
    pub(crate) state: EntityState,
    unused_state: EntityState,
    pub(crate) linked: i32,
    pub(crate) link_count: i32,
    pub(crate) server_flags: i32,
    pub(crate) single_client: i32,
    pub(crate) brush_model: i32,
    pub(crate) mins: Vector,
    pub(crate) maxs: Vector,
    pub(crate) contents: i32,
    pub(crate) absmin: Vector,
    pub(crate) absmax: Vector,
    pub(crate) current_origin: Vector,
    pub(crate) current_angles: Vector,
    pub(crate) owner: i32,
    pub(crate) client: *mut c_void,
    pub(crate) in_use: i32,
    pub(crate) class_name: *const c_char,
    pub(crate) spawn_flags: i32,
    private_a: [u8; 28],
    /// When the slot was given up.
    pub(crate) freed: i32,
    private_h: [u8; 24],
    pub(crate) mover_state: i32,
    private_b: [u8; 48],
    pub(crate) pos1: Vector,
    pub(crate) pos2: Vector,
    private_c: [u8; 16],
    pub(crate) target: *const c_char,
    pub(crate) target_name: *const c_char,
    pub(crate) team: *const c_char,
    private_d: [u8; 24],
    pub(crate) speed: f32,
    private_e: [u8; 12],
    pub(crate) next_think: i32,
    private_f: [u8; 72],
    pub(crate) health: i32,
    pub(crate) take_damage: i32,
    pub(crate) damage: i32,
    private_g: [u8; 104],
}

#[repr(C)]
#[derive(Debug)]
pub(crate) struct PlayerState {
    pub(crate) command_time: i32,
    pub(crate) move_type: i32,
    pub(crate) bob_cycle: i32,
    pub(crate) move_flags: i32,
    pub(crate) move_time: i32,
    pub(crate) origin: Vector,
    pub(crate) velocity: Vector,
    pub(crate) weapon_time: i32,
    pub(crate) gravity: i32,
    pub(crate) speed: i32,
    pub(crate) delta_angles: [i32; 3],
    pub(crate) ground_entity: i32,
    pub(crate) legs_timer: i32,
    pub(crate) legs_animation: i32,
    pub(crate) torso_timer: i32,
    pub(crate) torso_animation: i32,
    pub(crate) movement_direction: i32,
    pub(crate) grapple_point: Vector,
    pub(crate) entity_flags: i32,
    pub(crate) event_sequence: i32,
    pub(crate) events: [i32; 2],
    pub(crate) event_parms: [i32; 2],
    pub(crate) external_event: i32,
    pub(crate) external_event_parm: i32,
    pub(crate) external_event_time: i32,
    pub(crate) client: i32,
    pub(crate) weapon: i32,
    pub(crate) weapon_state: i32,
    pub(crate) view_angles: Vector,
    pub(crate) view_height: i32,
    pub(crate) damage_event: i32,
    pub(crate) damage_yaw: i32,
    pub(crate) damage_pitch: i32,
    pub(crate) damage_count: i32,
    pub(crate) stats: [i32; 16],
    pub(crate) persistent: [i32; 16],
    pub(crate) powerups: [i32; 16],
    pub(crate) ammo: [i32; 16],
    pub(crate) generic: i32,
    pub(crate) loop_sound: i32,
    pub(crate) jump_pad_entity: i32,
    pub(crate) ping: i32,
    pub(crate) move_frame_count: i32,
    pub(crate) jump_pad_frame: i32,
    pub(crate) entity_event_sequence: i32,
}

/// A client as the game keeps it: the player state comes first, the rest is the game's own.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) player: PlayerState,
    private: [u8; 1660],
}

/// Indices into `PlayerState::stats`, in the order of this build.
pub(crate) mod stat {
    pub(crate) const HEALTH: usize = 0;
    pub(crate) const WEAPONS: usize = 3;
    pub(crate) const ARMOUR: usize = 4;
    pub(crate) const HEALTH_MAX: usize = 7;
}

/// Indices into `PlayerState::persistent`.
pub(crate) mod persistent {
    pub(crate) const SCORE: usize = 0;
    pub(crate) const HITS: usize = 1;
    pub(crate) const TEAM: usize = 3;
    pub(crate) const SPAWN_COUNT: usize = 4;
}

/// Values of `persistent::TEAM`.
pub(crate) mod team {
    pub(crate) const FREE: i32 = 0;
    pub(crate) const RED: i32 = 1;
    pub(crate) const BLUE: i32 = 2;
    pub(crate) const SPECTATOR: i32 = 3;
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UserCommand {
    pub(crate) server_time: i32,
    pub(crate) angles: [i32; 3],
    pub(crate) buttons: i32,
    pub(crate) weapon: u8,
    pub(crate) forward: i8,
    pub(crate) right: i8,
    pub(crate) up: i8,
}

/// Something the stock bots may want to go to (the engine's `bot_goal_t`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BotGoal {
    pub(crate) origin: Vector,
    pub(crate) area: i32,
    pub(crate) mins: Vector,
    pub(crate) maxs: Vector,
    pub(crate) entity: i32,
    pub(crate) number: i32,
    pub(crate) flags: i32,
    pub(crate) item: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) all_solid: i32,
    pub(crate) start_solid: i32,
    pub(crate) fraction: f32,
    pub(crate) end: Vector,
    pub(crate) normal: Vector,
    pub(crate) dist: f32,
    pub(crate) plane_kind: u8,
    pub(crate) plane_signs: u8,
    pad: [u8; 2],
    pub(crate) surface: i32,
    pub(crate) contents: i32,
    pub(crate) entity: i32,
}

const _: () = {
    assert!(size_of::<EntityState>() == 208);
    assert!(offset_of!(EntityState, origin) == 92);
    assert!(offset_of!(EntityState, model) == 160);
    assert!(offset_of!(EntityState, event) == 180);
    assert!(size_of::<Entity>() == 952);
    assert!(offset_of!(Entity, linked) == 416);
    assert!(offset_of!(Entity, contents) == 460);
    assert!(offset_of!(Entity, current_origin) == 488);
    assert!(offset_of!(Entity, owner) == 512);
    assert!(offset_of!(Entity, client) == 520);
    assert!(offset_of!(Entity, class_name) == 536);
    assert!(offset_of!(Entity, freed) == 576);
    assert!(offset_of!(Entity, mover_state) == 604);
    assert!(offset_of!(Entity, pos1) == 656);
    assert!(offset_of!(Entity, target) == 696);
    assert!(offset_of!(Entity, team) == 712);
    assert!(offset_of!(Entity, speed) == 744);
    assert!(offset_of!(Entity, next_think) == 760);
    assert!(offset_of!(Entity, health) == 836);
    assert!(size_of::<PlayerState>() == 468);
    assert!(offset_of!(PlayerState, delta_angles) == 56);
    assert!(offset_of!(PlayerState, entity_flags) == 104);
    assert!(offset_of!(PlayerState, client) == 140);
    assert!(offset_of!(PlayerState, view_height) == 164);
    assert!(offset_of!(PlayerState, stats) == 184);
    assert!(offset_of!(PlayerState, jump_pad_entity) == 448);
    assert!(size_of::<Client>() == 2128);
    assert!(size_of::<UserCommand>() == 24);
    assert!(size_of::<BotGoal>() == 56);
    assert!(offset_of!(BotGoal, entity) == 40);
    assert!(size_of::<Trace>() == 56);
};
