//! A client without a network: connected, put somewhere, driven by commands, dropped.
//!
//! The slot is a bot's for the engine (no packets) and for the game's frame (it thinks once a frame at the frame's
//! time), but it connects as a player, so that the stock bot AI never hears of it.

use std::ffi::CStr;

use fireteam_openarena::capture::rows::{Body, Command};

use crate::abi::{self, UserCommand, command, stat};
use crate::engine::{Engine, Game};
use crate::wrap::Stock;

/// Health a fresh player is meant to have; above it the game takes one point a second.
const HEALTH_USUAL: i32 = 100;
const ROUNDS: i32 = 10;
const VIEW_HEIGHT_STANDING: i32 = 26;
/// The settings of those who only answer questions. Different clients must have different identities, or the game takes the second for the first.
pub(crate) const IDENTITIES: [&CStr; 4] = [
    c"\\name\\ask0\\ip\\localhost\\cl_guid\\0123456789ABCDEF0123456789ABCDE0\\handicap\\100\\model\\sarge\\headmodel\\sarge",
    c"\\name\\ask1\\ip\\localhost\\cl_guid\\0123456789ABCDEF0123456789ABCDE1\\handicap\\100\\model\\sarge\\headmodel\\sarge",
    c"\\name\\ask2\\ip\\localhost\\cl_guid\\0123456789ABCDEF0123456789ABCDE2\\handicap\\100\\model\\sarge\\headmodel\\sarge",
    c"\\name\\ask3\\ip\\localhost\\cl_guid\\0123456789ABCDEF0123456789ABCDE3\\handicap\\100\\model\\sarge\\headmodel\\sarge",
];
pub(crate) const CLIENTS_MAX: usize = IDENTITIES.len();

/// Connects a client and lets it spawn wherever the game likes; `None` if there is no slot or the game refuses.
pub(crate) fn connect(engine: Engine, stock: Stock, mut game: Game, userinfo: &CStr) -> Option<usize> {
    let client = engine.allocate_client()?;
    let slot = client as i32;
    game.entity_mut(client).server_flags |= abi::SVF_BOT;
    engine.set_userinfo(client, userinfo);
    if stock.command(command::CLIENT_CONNECT, slot, 1, 0) != 0 {
        engine.free_client(client);
        return None;
    }
    begin(stock, game, client);
    Some(client)
}

/// Lets a connected client into the game. Connecting clears its entity, and beginning looks at the flag.
pub(crate) fn begin(stock: Stock, mut game: Game, client: usize) -> isize {
    game.entity_mut(client).server_flags |= abi::SVF_BOT;
    let result = stock.command(command::CLIENT_BEGIN, client as i32, 0, 0);
    game.entity_mut(client).server_flags |= abi::SVF_BOT;
    result
}

/// Puts a living client where `body` says, with nothing left of what happened to it before.
pub(crate) fn place(engine: Engine, mut game: Game, client: usize, body: &Body, time: i32) {
    let player = game.player_mut(client);
    player.command_time = time;
    player.move_flags = 0;
    player.move_time = 0;
    player.origin = body.origin.to_array();
    player.velocity = body.velocity.to_array();
    player.delta_angles = [0; 3];
    player.ground_entity = abi::ENTITY_NONE;
    player.view_height = VIEW_HEIGHT_STANDING;
    player.jump_pad_entity = 0;
    player.weapon = i32::from(body.weapon);
    player.weapon_state = 0;
    player.weapon_time = 0;
    player.stats[stat::WEAPONS] |= 1 << body.weapon.min(15);
    player.ammo[usize::from(body.weapon.min(15))] = ROUNDS;
    player.stats[stat::HEALTH] = body.health;
    player.stats[stat::HEALTH_MAX] = body.health.max(HEALTH_USUAL);
    player.stats[stat::ARMOUR] = 0;
    player.powerups = [0; 16];
    let entity = game.entity_mut(client);
    entity.health = body.health;
    entity.state.pos.base = body.origin.to_array();
    entity.current_origin = body.origin.to_array();
    engine.link(game.entity_pointer(client));
}

pub(crate) fn press(engine: Engine, client: usize, command: &Command, time: i32) {
    engine.drain_messages(client);
    let command = UserCommand {
        server_time: time,
        angles: command.angle_words,
        buttons: command.buttons,
        weapon: command.weapon,
        forward: command.forward,
        right: command.right,
        up: command.up,
    };
    engine.press(client, &command);
}
