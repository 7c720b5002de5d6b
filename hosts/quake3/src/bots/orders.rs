//! What the server says of itself and what its operator asks for, read from console variables: most when a level begins,
//! what may change meanwhile once a second.
//!
//! `docs/openarena.md` lists the variables. Every string goes into [`Orders`] before the next engine call, so that no
//! frame that calls the engine owns anything.

use std::ffi::CStr;

use fireteam::{Character, ConVars, Skill, Traits};
use fireteam_openarena::cast::Stock;
use fireteam_openarena::physics::Physics;
use fireteam_openarena::play::lineup::{self, Colour, Entrant};

use super::Lines;
use super::asked::{GRADE_MAX, grade_named};
use super::quota::{Mode, Quota};
use super::variables;
use crate::abi;
use crate::engine::Engine;

/// Team deathmatch, and with it all games from here on but one: red fights blue.
const TEAM_DEATHMATCH: i32 = 3;
const LAST_MAN_STANDING: i32 = 10;
/// Damage of a machinegun's bullet outside team deathmatch.
const BULLET_ALONE: i32 = 7;
/// In `dmflags`.
const NO_FALLING: i32 = 8;

#[derive(Debug)]
pub(super) struct Orders {
    pub(super) map: String,
    pub(super) base_path: String,
    pub(super) home_path: String,
    /// Folders below both that hold the game's files, the most particular first.
    pub(super) folders: Vec<String>,
    /// Where terrains are, if not in the usual places.
    pub(super) terrain: String,
    /// The `fireteam` program, if it is not beside the module.
    pub(super) program: String,
    pub(super) physics: Physics,
    /// Links that fail are learnt, and kept for the next level on this map.
    pub(super) learns: bool,
    /// Where there is no terrain, none is baked: bots explore, and a mesh is recorded.
    pub(super) records_mesh: bool,
    /// Longest time a quick bake may hold up the server.
    pub(super) bake_s: u64,
    /// Longest time the ways of the game's own bots may hold up loading; 0: they are not reckoned then.
    pub(super) ways_s: u64,

    pub(super) game_type: i32,
    pub(super) has_teams: bool,
    pub(super) lineup: Vec<Entrant>,
    /// None if nobody has asked for any number of bots.
    pub(super) quota: Option<Quota>,
    /// Client slots of the server, and how many of them stay free for people.
    pub(super) slots: usize,
    pub(super) reserve: usize,
    /// Bots stand still.
    pub(super) is_frozen: bool,
    /// Where the time goes is measured.
    pub(super) is_profiled: bool,
    /// Of those who join from now on, on the server's scale.
    pub(super) skill: u8,
    pub(super) colour: Colour,
    /// Decides what is left to chance in this level.
    pub(super) seed: u64,
    /// Decides who bears a name: the same person on every map, unless an operator wants another cast.
    cast: u64,
    pub(super) convars: ConVars,
    /// What the operator's file of them says for this map.
    filed: Vec<(&'static str, f64)>,

    /// Files to write; empty for none.
    pub(super) report: String,
    pub(super) record: String,
    /// The same while it is played, for who watches.
    pub(super) relay: String,
    pub(super) journal: String,
    /// Quit after so many minutes, or when the game ends the match before; 0 goes on for ever.
    pub(super) minutes: i32,
    /// What is to go wrong on purpose, for tests: `layout` or `think`.
    pub(super) fault: String,
    /// Bodies are compared with what our physics foretold, for tests.
    pub(super) is_checked: bool,
    /// Variables whose value makes no sense and was complained about.
    complaints: Vec<&'static str>,
}

impl Default for Orders {
    fn default() -> Orders {
        Orders {
            map: String::new(),
            base_path: String::new(),
            home_path: String::new(),
            folders: Vec::new(),
            terrain: String::new(),
            program: String::new(),
            physics: Physics::usual(),
            learns: false,
            records_mesh: false,
            bake_s: 0,
            ways_s: 0,
            game_type: 0,
            has_teams: false,
            lineup: Vec::new(),
            quota: None,
            slots: 0,
            reserve: 0,
            is_frozen: false,
            is_profiled: false,
            skill: 0,
            colour: Colour::Free,
            seed: 0,
            cast: CAST_USUAL,
            convars: ConVars::default(),
            filed: Vec::new(),
            report: String::new(),
            record: String::new(),
            relay: String::new(),
            journal: String::new(),
            minutes: 0,
            fault: String::new(),
            is_checked: false,
            complaints: Vec::new(),
        }
    }
}

impl Orders {
    /// Says what is wrong with a variable, once, until it is right again.
    fn judge(&mut self, name: &'static str, wrong: Option<String>, lines: &mut Lines) {
        let known = self.complaints.iter().position(|known| *known == name);
        match (wrong, known) {
            (Some(wrong), None) => {
                self.complaints.push(name);
                lines.say(wrong);
            }
            (None, Some(index)) => {
                self.complaints.swap_remove(index);
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
    }

    /// Somebody of this name.
    pub(super) fn character(&self, name: &str, skill: Skill) -> Character {
        Character { traits: Some(Traits::drawn(self.cast, name)), ..Character::new(name, skill) }
    }

    /// Another quota, for the levels to come too.
    pub(super) fn set_quota(&mut self, engine: Engine, quota: Quota) {
        self.quota = Some(quota);
        engine.set_number(c"ft_quota", quota.count);
        engine.set_cvar(c"ft_quota_mode", quota.mode.value());
    }
}

/// What holds for a level; with the seed that the game has got for it.
pub(super) fn read(orders: &mut Orders, engine: Engine, seed: i32, lines: &mut Lines) {
    let mut buffer = [0; 256];
    let strings: [(&CStr, &mut String); 10] = [
        (c"mapname", &mut orders.map),
        (c"fs_basepath", &mut orders.base_path),
        (c"fs_homepath", &mut orders.home_path),
        (c"ft_terrain", &mut orders.terrain),
        (c"ft_program", &mut orders.program),
        (c"ft_report", &mut orders.report),
        (c"ft_record", &mut orders.record),
        (c"ft_relay", &mut orders.relay),
        (c"ft_journal", &mut orders.journal),
        (c"ft_fault", &mut orders.fault),
    ];
    for (name, string) in strings {
        *string = engine.cvar(name, &mut buffer).to_owned();
    }
    for name in [c"fs_game", c"fs_basegame", c"com_basegame"] {
        let folder = engine.cvar(name, &mut buffer);
        if !folder.is_empty() && !orders.folders.iter().any(|known| known == folder) {
            orders.folders.push(folder.to_owned());
        }
    }
    let game_type = number(engine, c"g_gametype", 0);
    orders.game_type = game_type;
    orders.has_teams = game_type >= TEAM_DEATHMATCH && game_type != LAST_MAN_STANDING;
    orders.physics = physics(engine, game_type);
    orders.learns = number(engine, c"ft_learn", 0) != 0;
    orders.records_mesh = number(engine, c"ft_record_mesh", 0) != 0;
    orders.bake_s = number(engine, c"ft_bake_seconds", 30).max(1) as u64;
    orders.ways_s = number(engine, c"ft_stock_ways", 1).clamp(0, 600) as u64;
    orders.seed = seed as u64;
    orders.cast = engine.cvar(c"ft_seed", &mut buffer).parse::<i32>().map_or(CAST_USUAL, |seed| seed as u64);
    orders.minutes = number(engine, c"ft_minutes", 0).clamp(0, 10_000);
    orders.is_checked = number(engine, c"ft_check", 0) != 0;
    orders.is_profiled = number(engine, c"ft_profile", 0) != 0;
    match lineup::from_text(engine.cvar(c"ft_lineup", &mut buffer)) {
        Some(entrants) => orders.lineup = entrants,
        None => lines.say("ft_lineup makes no sense: words such as or2 (ours, red, skill 2) or sb3".to_owned()),
    }
    variables::register(engine);
    let path = engine.cvar(c"ft_convars", &mut buffer);
    if !path.is_empty() {
        match variables::of_file(path, &orders.map) {
            Ok(filed) => orders.filed = filed,
            Err(fault) => lines.say(fault),
        }
    }
    variables::follow(&orders.filed, engine);
    read_again(orders, engine, lines);
}

/// What an operator may change while a level goes on.
pub(super) fn read_again(orders: &mut Orders, engine: Engine, lines: &mut Lines) {
    let mut buffer = [0; 256];
    orders.slots = number(engine, c"sv_maxclients", 0).clamp(0, abi::CLIENTS_MAX as i32) as usize;
    orders.reserve = number(engine, c"ft_reserve", 1).clamp(0, abi::CLIENTS_MAX as i32) as usize;
    orders.is_frozen = number(engine, c"ft_freeze", 0) != 0;
    orders.colour = colour_named(engine.cvar(c"ft_team", &mut buffer));
    read_quota(orders, engine, lines);
    read_skill(orders, engine.cvar(c"ft_skill", &mut buffer), lines);
    variables::read(&mut orders.convars, engine, lines);
}

/// `ft_quota` and `ft_quota_mode`; or `ft_bots`, which is short for a normal quota.
fn read_quota(orders: &mut Orders, engine: Engine, lines: &mut Lines) {
    let (mut buffer, mut room) = ([0; 256], [0; 256]);
    let word = engine.cvar(c"ft_bots", &mut buffer);
    if let Ok(count) = word.parse::<usize>() {
        orders.judge("ft_bots", None, lines);
        engine.set_cvar(c"ft_bots", c"");
        orders.set_quota(engine, Quota { mode: Mode::Normal, count: count.min(abi::CLIENTS_MAX) });
        return;
    }
    orders.judge("ft_bots", not_a_number("ft_bots", word), lines);
    let mode = engine.cvar(c"ft_quota_mode", &mut room);
    let known = if mode.is_empty() { Some(Mode::Normal) } else { Mode::named(mode) };
    let wrong = known.is_none().then(|| format!("ft_quota_mode: `{mode}` is no mode: normal, fill or match"));
    orders.judge("ft_quota_mode", wrong, lines);
    let word = engine.cvar(c"ft_quota", &mut buffer);
    let count = word.parse::<usize>().ok();
    orders.judge("ft_quota", not_a_number("ft_quota", word), lines);
    let quota = |count: usize| Quota { mode: known.unwrap_or_default(), count: count.min(abi::CLIENTS_MAX) };
    orders.quota = count.map(quota);
}

/// What to say of a word that should be a number of bots; nothing if it is one, or none was given.
fn not_a_number(name: &str, word: &str) -> Option<String> {
    let is_wrong = !word.is_empty() && word.parse::<usize>().is_err();
    is_wrong.then(|| format!("{name}: `{word}` is no number of bots: 0 to {}", abi::CLIENTS_MAX))
}

fn read_skill(orders: &mut Orders, word: &str, lines: &mut Lines) {
    let grade = if word.is_empty() { Ok(SKILL_USUAL) } else { grade_named(word) };
    let wrong = grade.as_ref().err().map(|error| format!("ft_skill: {error}"));
    orders.skill = grade.unwrap_or(SKILL_USUAL);
    orders.judge("ft_skill", wrong, lines);
}

/// Without `ft_seed`.
const CAST_USUAL: u64 = 1;

/// A regular, on the server's scale of 1 to 5.
const SKILL_USUAL: u8 = 2;
const _: () = assert!(SKILL_USUAL <= GRADE_MAX);

/// The numbers in force, as the game itself takes them from its settings.
fn physics(engine: Engine, game_type: i32) -> Physics {
    let usual = Physics::usual();
    let is_fixed = number(engine, c"pmove_fixed", 0) != 0;
    let is_team_deathmatch = game_type == TEAM_DEATHMATCH;
    let is_arena = [c"g_instantgib", c"g_rockets", c"g_elimination"].iter().any(|name| number(engine, name, 0) != 0);
    Physics {
        speed: number(engine, c"g_speed", usual.speed),
        gravity: number(engine, c"g_gravity", usual.gravity),
        knockback: number(engine, c"g_knockback", usual.knockback),
        frame_ms: 1000 / number(engine, c"sv_fps", 20).max(1),
        piece_ms: if is_fixed { number(engine, c"pmove_msec", 8).clamp(8, 33) } else { usual.piece_ms },
        whole_speeds: number(engine, c"pmove_float", i32::from(!usual.whole_speeds)) == 0,
        falls_hurt: number(engine, c"dmflags", 0) & NO_FALLING == 0,
        bullet: if is_team_deathmatch { usual.bullet } else { BULLET_ALONE },
        weapons_s: if is_team_deathmatch {
            number(engine, c"g_weaponTeamRespawn", usual.weapons_s)
        } else {
            number(engine, c"g_weaponrespawn", 5)
        },
        items: Stock::of(game_type, is_arena),
    }
}

fn number(engine: Engine, name: &CStr, otherwise: i32) -> i32 {
    let mut buffer = [0; 256];
    engine.cvar(name, &mut buffer).parse::<f32>().map_or(otherwise, |number| number as i32)
}

pub(super) fn colour_named(word: &str) -> Colour {
    match word {
        "red" => Colour::Red,
        "blue" => Colour::Blue,
        _ => Colour::Free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_variable_is_told_once_until_it_is_right_again() {
        let (mut orders, mut lines) = (Orders::default(), Lines::default());
        for (word, told) in [("vier", 1), ("vier", 1), ("", 1), ("five", 2), ("5", 2), ("6x", 3)] {
            orders.judge("ft_quota", not_a_number("ft_quota", word), &mut lines);
            assert_eq!(lines.waiting.len(), told, "{word}");
        }
        read_skill(&mut orders, "veteran", &mut lines);
        assert_eq!((orders.skill, lines.waiting.len()), (3, 3));
        read_skill(&mut orders, "best", &mut lines);
        assert_eq!((orders.skill, lines.waiting.len()), (SKILL_USUAL, 4));
    }
}
