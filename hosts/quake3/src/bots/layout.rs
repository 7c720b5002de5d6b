//! Whether the running game is laid out in memory as we believe: asked of what it shows, before anything is trusted.
//!
//! In: the game's tables after our first bot has spawned. Out: nothing, or the first thing that does not fit. Sizes alone
//! say little; a fresh player must have the number of his slot, eyes at their height, the health, arms and team the game
//! gives him, and every item the class its number means.
//!
//! Not here: sizes, which are compared when the game announces its tables (`wrap::fits`).

use std::ffi::{CStr, c_char};

use super::tables::ITEMS;
use crate::abi::{self, persistent, stat, team};
use crate::engine::Game;

const EYES_STANDING: i32 = 26;
/// Nobody spawns with more.
const HEALTH_MAX: i32 = 999;

/// Looks at a bot that has just come to life, and at the items around it. Makes no engine call.
pub(super) fn check(game: &Game, client: usize, gravity: i32) -> Result<(), String> {
    let (entity, state) = (game.entity(client), game.player(client));
    let number = client as i32;
    let health = state.stats[stat::HEALTH];
    let weapon = usize::try_from(state.weapon).unwrap_or(usize::MAX);
    let facts: [(&str, bool); 10] = [
        ("entity number", entity.state.number == number),
        ("client number", state.client == number),
        ("link from entity to client", entity.client.cast_const() == game.client_pointer(client).cast()),
        ("kind of a player", entity.state.kind == abi::KIND_PLAYER),
        ("eye height", state.view_height == EYES_STANDING),
        ("health", (1..=HEALTH_MAX).contains(&health) && health == entity.health),
        ("most health", (1..=HEALTH_MAX).contains(&state.stats[stat::HEALTH_MAX])),
        ("weapon in hand", weapon < 16 && state.stats[stat::WEAPONS] & (1 << weapon) != 0),
        ("gravity", state.gravity == gravity),
        ("team", (team::FREE..=team::SPECTATOR).contains(&state.persistent[persistent::TEAM])),
    ];
    if let Some((what, _)) = facts.iter().find(|(_, fits)| !fits) {
        return Err(format!("the {what} of a fresh player is not where it should be"));
    }
    if state.persistent[persistent::SPAWN_COUNT] < 1 {
        return Err("the count of lives is not where it should be".to_owned());
    }
    check_items(game)
}

fn check_items(game: &Game) -> Result<(), String> {
    for index in (abi::CLIENTS_MAX..game.entity_count).filter(|&index| game.is_in_use(index)) {
        let entity = game.entity(index);
        let number = entity.state.model;
        let Some(expected) = usize::try_from(number - 1).ok().and_then(|index| ITEMS.get(index)) else { continue };
        if entity.state.kind == abi::KIND_ITEM && !is_called(entity.class_name, expected) {
            return Err(format!("item {number} is no {expected}"));
        }
    }
    Ok(())
}

fn is_called(class: *const c_char, expected: &str) -> bool {
    // SAFETY: the game points this at a C string that lives as long as the level, or at nothing.
    !class.is_null() && unsafe { CStr::from_ptr(class) }.to_bytes() == expected.as_bytes()
}
