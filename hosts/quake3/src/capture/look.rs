//! Reading the game's memory into rows. No engine call but the cvars of [`describe`].

use std::ffi::{CStr, c_char};

use fireteam_openarena::capture::rows::{
    ClientRow, EntityRow, Event, Head, MissileFrame, MoverFrame, PlayerFrame, Trajectory,
};
use fireteam_world::Contents;

use crate::abi::{self, CONTENTS_TRIGGER, Entity, KIND_MISSILE, stat};
use crate::engine::{Engine, Game};

/// What decides how things move, besides the map.
const CVARS: [&CStr; 13] = [
    c"g_gravity",
    c"g_speed",
    c"g_knockback",
    c"g_gametype",
    c"g_friendlyFire",
    c"pmove_fixed",
    c"pmove_msec",
    c"pmove_float",
    c"sv_fps",
    c"sv_maxclients",
    c"dmflags",
    c"elimflags",
    c"videoflags",
];

/// Fills in what the server says of itself; every string goes into `head` before the next call.
pub(super) fn describe(engine: Engine, head: &mut Head) {
    let mut buffer = [0; 256];
    head.engine = engine.cvar(c"version", &mut buffer).to_owned();
    head.map = engine.cvar(c"mapname", &mut buffer).to_owned();
    for name in CVARS {
        let value = engine.cvar(name, &mut buffer);
        head.cvars.push((name.to_string_lossy().into_owned(), value.to_owned()));
    }
}

pub(super) fn entities(game: &Game) -> Vec<EntityRow> {
    (0..game.entity_count)
        .filter(|&index| game.is_in_use(index))
        .map(|index| entity(game.entity(index), index))
        .collect()
}

fn entity(entity: &Entity, index: usize) -> EntityRow {
    EntityRow {
        entity: index as u16,
        class: text(entity.class_name),
        kind: entity.state.kind,
        model: brush_model(entity),
        linked: entity.linked != 0,
        contents: Contents(entity.contents as u32),
        absmin: entity.absmin.into(),
        absmax: entity.absmax.into(),
        origin: entity.current_origin.into(),
        angles: entity.current_angles.into(),
        spawn_origin: entity.state.origin.into(),
        launch: entity.state.origin2.into(),
        spawn_angles: entity.state.angles.into(),
        spawn_flags: entity.spawn_flags,
        mover_state: entity.mover_state,
        pos: trajectory(&entity.state.pos),
        apos: trajectory(&entity.state.apos),
        pos1: entity.pos1.into(),
        pos2: entity.pos2.into(),
        target: text(entity.target),
        target_name: text(entity.target_name),
        team: text(entity.team),
        speed: entity.speed,
        health: entity.health,
        damage: entity.damage,
    }
}

/// Every brush model that can stand in somebody's way, or could a moment ago.
pub(super) fn movers(game: &Game) -> Vec<MoverFrame> {
    let solid = |&index: &usize| {
        game.is_in_use(index) && brush_model(game.entity(index)) != 0 && game.entity(index).contents != CONTENTS_TRIGGER
    };
    let row = |index: usize| {
        let entity = game.entity(index);
        // What is not linked into the world stops nobody.
        let contents = if entity.linked != 0 { entity.contents as u32 } else { 0 };
        MoverFrame {
            entity: index as u16,
            model: brush_model(entity),
            contents: Contents(contents),
            origin: entity.current_origin.into(),
            angles: entity.current_angles.into(),
            state: entity.mover_state,
            pos: trajectory(&entity.state.pos),
            apos: trajectory(&entity.state.apos),
        }
    };
    (abi::CLIENTS_MAX..game.entity_count).filter(solid).map(row).collect()
}

/// Grenades and rockets, also those that have just exploded.
pub(super) fn missiles(game: &Game) -> Vec<MissileFrame> {
    let missile = |&index: &usize| {
        if !game.is_in_use(index) {
            return false;
        }
        let entity = game.entity(index);
        entity.state.kind == KIND_MISSILE || matches!(text(entity.class_name).as_str(), "grenade" | "rocket")
    };
    let row = |index: usize| {
        let entity = game.entity(index);
        MissileFrame {
            entity: index as u16,
            kind: entity.state.kind,
            class: text(entity.class_name),
            owner: entity.owner as u16,
            origin: entity.current_origin.into(),
            pos: trajectory(&entity.state.pos),
            event: entity.state.event,
            event_parm: entity.state.event_parm,
            entity_flags: entity.state.flags,
            next_think: entity.next_think,
        }
    };
    (abi::CLIENTS_MAX..game.entity_count).filter(missile).map(row).collect()
}

/// Everybody who plays, without events.
pub(super) fn players(game: &Game, guest: Option<usize>) -> Vec<ClientRow> {
    let row = |client: usize| {
        let player = player(game, client, game.player(client).event_sequence);
        ClientRow { client: client as u16, is_guest: guest == Some(client), player }
    };
    let plays = |&client: &usize| game.is_in_use(client) && game.player(client).move_type != abi::MOVE_SPECTATOR;
    (0..abi::CLIENTS_MAX).filter(plays).map(row).collect()
}

/// A player with the events since `event_sequence`.
pub(super) fn player(game: &Game, client: usize, event_sequence: i32) -> PlayerFrame {
    let player = game.player(client);
    let entity = game.entity(client);
    let new = (player.event_sequence - event_sequence).clamp(0, player.events.len() as i32);
    let event = |sequence: i32| {
        let slot = (sequence & 1) as usize;
        Event { event: player.events[slot], parm: player.event_parms[slot] }
    };
    PlayerFrame {
        command_time: player.command_time,
        move_type: player.move_type,
        move_flags: player.move_flags,
        move_time: player.move_time,
        origin: player.origin.into(),
        velocity: player.velocity.into(),
        gravity: player.gravity,
        speed: player.speed,
        delta_angle_words: player.delta_angles,
        view_angles: player.view_angles.into(),
        ground: player.ground_entity,
        view_height: player.view_height,
        weapon: player.weapon,
        weapon_state: player.weapon_state,
        weapon_time: player.weapon_time,
        health: player.stats[stat::HEALTH],
        entity_flags: player.entity_flags,
        jump_pad: player.jump_pad_entity,
        absmin: entity.absmin.into(),
        absmax: entity.absmax.into(),
        events: (player.event_sequence - new..player.event_sequence).map(event).collect(),
    }
}

fn brush_model(entity: &Entity) -> u16 {
    if entity.brush_model != 0 { entity.state.model as u16 } else { 0 }
}

fn trajectory(from: &abi::Trajectory) -> Trajectory {
    Trajectory {
        kind: from.kind,
        time: from.time,
        duration: from.duration,
        base: from.base.into(),
        delta: from.delta.into(),
    }
}

fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the game points these at its own C strings, which live as long as the level.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
