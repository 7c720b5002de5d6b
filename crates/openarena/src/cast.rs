//! Which of a map's entities the game has: some are meant for some game types only, and some types have hardly any items.
//!
//! In: an entity as the map's author placed it, and the number of a game type. Out: whether the game spawns it. As seen of
//! OpenArena 0.8.8: `notsingle`, `notteam` and `notfree` leave an entity out, so does `notta` everywhere; and one with
//! a list of game types (`gametype`) is there only if the type's name stands somewhere in it, be it as a part of another word.
//! In the games of rounds everyone has a whole armoury: items are there, but nobody is shown them, and nobody picks them up.

use fireteam_world::game::Interest;
use fireteam_world::map::Entity;

/// The game's names for its types, by their numbers.
const NAMES: [&str; 13] = [
    "ffa",
    "tournament",
    "single",
    "team",
    "ctf",
    "oneflag",
    "obelisk",
    "harvester",
    "elimination",
    "ctf",
    "lms",
    "dd",
    "dom",
];
const SINGLE_PLAYER: i32 = 2;
const TEAM_DEATHMATCH: i32 = 3;
const ELIMINATION: i32 = 8;
const CTF_ELIMINATION: i32 = 9;
const LAST_MAN_STANDING: i32 = 10;

/// What of a map's items a game has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stock {
    #[default]
    All,
    Flags,
    Nothing,
}

impl Stock {
    /// Of a game type; `is_arena` if the server gives everyone the same arms in all types (`g_instantgib`, `g_rockets`,
    /// `g_elimination`).
    pub fn of(game_type: i32, is_arena: bool) -> Stock {
        match game_type {
            ELIMINATION | LAST_MAN_STANDING => Stock::Nothing,
            CTF_ELIMINATION => Stock::Flags,
            _ if is_arena => Stock::Flags,
            _ => Stock::All,
        }
    }

    /// Whether such an entity is an item that nobody gets to see in it.
    pub fn leaves_out(self, interest: Interest) -> bool {
        let is_item = matches!(
            interest,
            Interest::Weapon
                | Interest::Ammo
                | Interest::Health
                | Interest::Armour
                | Interest::Powerup
                | Interest::Holdable
        );
        match self {
            Stock::All => false,
            Stock::Flags => is_item,
            Stock::Nothing => is_item || interest == Interest::Flag,
        }
    }
}

/// Whether the game has this entity in a game of this type.
pub fn is_cast(entity: &Entity, game_type: i32) -> bool {
    let has_teams = game_type >= TEAM_DEATHMATCH && game_type != LAST_MAN_STANDING;
    let is_set = |key: &str| entity.number(key).is_some_and(|number| number as i32 != 0);
    let is_left_out = game_type == SINGLE_PLAYER && is_set("notsingle")
        || is_set(if has_teams { "notteam" } else { "notfree" })
        || is_set("notta");
    let name = usize::try_from(game_type).ok().and_then(|number| NAMES.get(number));
    let is_listed = |list: &str| name.is_none_or(|name| list.contains(name));
    !is_left_out && entity.get("gametype").is_none_or(is_listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(pairs: &[(&str, &str)]) -> Entity {
        Entity { pairs: pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect() }
    }

    #[test]
    fn a_flag_for_another_game_is_not_there() {
        let other = entity(&[("classname", "team_CTF_redflag"), ("gametype", "dd")]);
        let ours = entity(&[("classname", "team_CTF_redflag"), ("gametype", "ctf, oneflag, ctfelimination")]);
        assert_eq!([4, 9, 11, 3].map(|game_type| is_cast(&other, game_type)), [false, false, true, false]);
        assert_eq!([4, 9, 5, 11, 3].map(|game_type| is_cast(&ours, game_type)), [true, true, true, false, false]);
    }

    #[test]
    fn games_of_rounds_have_no_items_but_flags_that_are_played_for() {
        let leaves_out = |game_type, interest| Stock::of(game_type, false).leaves_out(interest);
        let left_out = [0, 3, 4, 8, 9, 10, 12].map(|game_type| leaves_out(game_type, Interest::Health));
        assert_eq!(left_out, [false, false, false, true, true, true, false]);
        assert_eq!([4, 8, 9, 10].map(|game_type| leaves_out(game_type, Interest::Flag)), [false, true, false, true]);
        assert!(!leaves_out(8, Interest::Spawn) && !leaves_out(8, Interest::Button));
        assert!(Stock::of(3, true).leaves_out(Interest::Weapon) && !Stock::of(4, true).leaves_out(Interest::Flag));
    }

    #[test]
    fn spawns_that_are_not_for_teams_are_left_out_of_team_games() {
        let spawn = entity(&[("classname", "info_player_deathmatch"), ("notteam", "1")]);
        assert_eq!([0, 3, 4, 10].map(|game_type| is_cast(&spawn, game_type)), [true, false, false, true]);
        let free = entity(&[("notfree", "1"), ("notteam", "0"), ("notsingle", "1")]);
        assert_eq!([0, 2, 3].map(|game_type| is_cast(&free, game_type)), [false, false, true]);
        assert!(!is_cast(&entity(&[("notta", "1")]), 3) && is_cast(&entity(&[("notq3a", "1")]), 3));
    }
}
