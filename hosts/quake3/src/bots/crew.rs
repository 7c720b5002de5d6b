//! Who of ours is in the game: joining, leaving, coming back on the next map.
//!
//! In: the line-up or the quota, who was asked for by name, which client slots are ours. Out: clients connected and
//! dropped, one every other frame (each join is announced to all, and more than 64 announcements at once overflow a
//! client). A bot's skill is in its user settings under a key of ours; those outlive the level, so the same
//! bots are recognised when the engine connects them again.

use std::collections::VecDeque;
use std::ffi::{CStr, CString};

use fireteam::Skill;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};

use super::Lines;
use super::quota::{Present, Quota};
use crate::abi::{self, persistent, team};
use crate::client;
use crate::engine::{Engine, Game};
use crate::wrap::{self, Stock};

/// The key in user settings that makes a client ours; its value is the skill.
const KEY: &str = "\\ft\\";
/// Call signs. More bots than names get a number behind.
const NAMES: [&str; 24] = [
    "Ash", "Birch", "Cedar", "Dusk", "Ember", "Flint", "Gale", "Hazel", "Iris", "Juniper", "Kestrel", "Lark", "Marsh",
    "North", "Onyx", "Pike", "Quill", "Rook", "Slate", "Thorn", "Umber", "Vale", "Wren", "Yarrow",
];
/// Bodies that every installation has.
const MODELS: [&str; 4] = ["sarge", "grism", "kyonshi", "merman"];
/// Bots of the game's own that are asked for by a line-up.
const STOCK_NAMES: [&str; 4] = ["sarge", "grism", "kyonshi", "merman"];
const FRAMES_PER_JOIN: u32 = 2;
/// After a refusal, so long until it is tried again.
const FRAMES_PER_REFUSAL: u32 = 200;
/// A map whose stock navigation is not there by then has none.
const STOCK_PATIENCE_MS: i32 = 5000;

/// A bot of ours as others know it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) skill: Skill,
}

/// A bot somebody asked for by name.
#[derive(Debug)]
struct Asked {
    name: Option<String>,
    skill: u8,
    colour: Colour,
}

#[derive(Debug)]
pub(super) struct Crew {
    members: [Option<Member>; abi::CLIENTS_MAX],
    /// Of all who play, for the report.
    names: [String; abi::CLIENTS_MAX],
    /// Of a line-up, who is still to come.
    waiting: VecDeque<Entrant>,
    asked: VecDeque<Asked>,
    frame: u32,
    stock_count: usize,
    /// Kept here while the engine reads it.
    userinfo: CString,
    line: String,
    is_full_said: bool,
    /// Nobody is let in before this frame.
    not_before: u32,
    /// Clients that were sent away and not yet written off, as bits.
    dismissed: u64,
}

/// The frame's surroundings that joining needs.
#[derive(Clone, Copy)]
pub(super) struct Door {
    pub(super) engine: Engine,
    pub(super) stock: Stock,
    pub(super) game: Game,
    pub(super) has_teams: bool,
    pub(super) skill: u8,
    pub(super) colour: Colour,
    /// None while a line-up decides.
    pub(super) quota: Option<Quota>,
    pub(super) present: Present,
    /// Since the level began.
    pub(super) level_ms: i32,
}

impl Default for Crew {
    fn default() -> Crew {
        Crew {
            members: [const { None }; abi::CLIENTS_MAX],
            names: [const { String::new() }; abi::CLIENTS_MAX],
            waiting: VecDeque::new(),
            asked: VecDeque::new(),
            frame: 0,
            stock_count: 0,
            userinfo: CString::default(),
            line: String::new(),
            is_full_said: false,
            not_before: 0,
            dismissed: 0,
        }
    }
}

impl Crew {
    /// These are to come, in this order.
    pub(super) fn line_up(&mut self, entrants: &[Entrant]) {
        self.waiting.extend(entrants);
    }

    pub(super) fn member(&self, client: usize) -> Option<&Member> {
        self.members[client].as_ref()
    }

    /// Learns what everybody calls himself.
    pub(super) fn read_names(&mut self, engine: Engine, game: &Game) {
        for client in (0..abi::CLIENTS_MAX).filter(|&client| game.is_in_use(client)) {
            let mut buffer = [0; abi::USERINFO_BYTES];
            self.names[client] = value(engine.userinfo(client, &mut buffer), "\\name\\").to_owned();
        }
    }

    /// What somebody called himself when names were read.
    pub(super) fn name(&self, client: usize) -> &str {
        &self.names[client]
    }

    /// Whether anybody is to come who is not there.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.asked.is_empty()
    }

    /// Of those who come next, one is to be so; the quota says how many come.
    pub(super) fn ask_for(&mut self, name: &str, skill: u8, colour: Colour) {
        let name = (!name.is_empty()).then(|| plain(name));
        self.asked.push_back(Asked { name, skill, colour });
    }

    /// Nobody in particular is to come any more.
    pub(super) fn ask_for_nobody(&mut self) {
        self.asked.clear();
    }

    /// The slot of a member, by name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let is_him = |member: &Member| member.name.eq_ignore_ascii_case(name);
        self.members.iter().position(|member| member.as_ref().is_some_and(is_him))
    }

    /// Brings the members up to date with the slots that are ours now. Answers who came and who went, as bits.
    pub(super) fn recognise(&mut self, engine: Engine, ours: u64) -> (u64, u64) {
        let (mut came, mut went) = (0, 0);
        for (client, member) in self.members.iter_mut().enumerate() {
            let bit = 1 << client;
            if ours & bit == 0 {
                went |= if member.take().is_some() { bit } else { 0 };
            } else if member.is_none() {
                let mut buffer = [0; abi::USERINFO_BYTES];
                let userinfo = engine.userinfo(client, &mut buffer);
                *member = Some(Member { name: value(userinfo, "\\name\\").to_owned(), skill: skill_in(userinfo) });
                came |= bit;
            }
        }
        (came, went)
    }

    /// Those of a line-up who came along from the level before need not come again.
    fn strike_present(&mut self, game: &Game) {
        for client in (0..abi::CLIENTS_MAX).filter(|&client| game.is_in_use(client)) {
            let is_bot = game.entity(client).server_flags & abi::SVF_BOT != 0;
            let side = if wrap::ours() & (1 << client) != 0 { Side::Ours } else { Side::Stock };
            let meant = self.waiting.iter().position(|entrant| is_bot && entrant.side == side);
            if let Some(index) = meant {
                self.waiting.remove(index);
            }
        }
    }

    /// One step towards the line-up or the quota.
    pub(super) fn step(&mut self, door: Door, lines: &mut Lines) {
        self.frame += 1;
        if self.frame == 1 {
            self.strike_present(&door.game);
        }
        if !self.frame.is_multiple_of(FRAMES_PER_JOIN) {
            return;
        }
        let count = wrap::ours().count_ones() as usize;
        if let Some(&next) = self.waiting.front() {
            self.step_line_up(door, next, lines);
        } else if let Some(quota) = door.quota {
            self.step_quota(door, quota, count, lines);
        }
    }

    fn step_quota(&mut self, door: Door, quota: Quota, count: usize, lines: &mut Lines) {
        let wanted = quota.wanted(&door.present);
        if count < wanted && self.frame >= self.not_before {
            self.prepare_next(door);
            if !self.join(door, lines) {
                self.not_before = self.frame + FRAMES_PER_REFUSAL;
            }
        } else if count >= wanted && !self.asked.is_empty() {
            let Present { slots, reserve, .. } = door.present;
            lines.say(format!(
                "no room for {} more: of {slots} slots (sv_maxclients) {reserve} stay free for people (ft_reserve)",
                self.asked.len()
            ));
            self.asked.clear();
        } else if count > wanted
            && let Some(client) = who_leaves(&door.game)
        {
            self.dismiss(door.engine, client, c"makes room");
        }
    }

    fn step_line_up(&mut self, door: Door, next: Entrant, lines: &mut Lines) {
        match next.side {
            Side::Ours => {
                self.prepare(door, None, next.skill, next.colour);
                self.join(door, lines);
            }
            Side::Stock if door.engine.has_navigation() => {
                let name = STOCK_NAMES[self.stock_count % STOCK_NAMES.len()];
                let colour = next.colour.word().unwrap_or("free");
                self.stock_count += 1;
                self.line = format!("addbot {name} {} {colour} 0 {name}{}", next.skill, self.stock_count);
                door.engine.append_console_line(&self.line);
            }
            Side::Stock if door.level_ms < STOCK_PATIENCE_MS => return,
            Side::Stock => {
                self.waiting.retain(|entrant| entrant.side != Side::Stock);
                lines.say("no bots of the game's own can play here: it has no navigation for this map".into());
                return;
            }
        }
        self.waiting.pop_front();
    }

    /// Prepares the next of those who were asked for, or anybody.
    fn prepare_next(&mut self, door: Door) {
        match self.asked.pop_front() {
            Some(asked) => self.prepare(door, asked.name.as_deref(), asked.skill, asked.colour),
            None => self.prepare(door, None, door.skill, door.colour),
        }
    }

    /// Writes the user settings of who comes next. Makes no engine call, so it may own things.
    fn prepare(&mut self, door: Door, name: Option<&str>, skill: u8, colour: Colour) {
        let taken = |name: &str| self.find(name).is_some();
        let name = name.filter(|name| !taken(name)).map(str::to_owned);
        let mut numbered = (0..).map(|number: usize| match number / NAMES.len() {
            0 => NAMES[number].to_owned(),
            round => format!("{}{}", NAMES[number % NAMES.len()], round + 1),
        });
        // There are fewer clients than names, so one is free.
        let name = name.or_else(|| numbered.find(|name| !taken(name))).unwrap_or_default();
        let model = MODELS[wrap::ours().count_ones() as usize % MODELS.len()];
        let guid = identity(&name);
        let mut text = format!(
            "\\name\\{name}\\ip\\localhost\\cl_guid\\{guid}\\handicap\\100\\model\\{model}\\headmodel\\{model}\
             \\team_model\\{model}\\team_headmodel\\{model}\\color1\\4\\color2\\5{KEY}{skill}"
        );
        let colour = if door.has_teams && colour == Colour::Free { smaller_side(&door.game) } else { colour };
        if let Some(word) = colour.word().filter(|_| door.has_teams) {
            text += "\\team\\";
            text += word;
        }
        self.userinfo = CString::new(text).unwrap_or_default();
    }

    /// Connects who was prepared.
    fn join(&mut self, door: Door, lines: &mut Lines) -> bool {
        let client = client::connect(door.engine, door.stock, door.game, &self.userinfo);
        match client {
            Some(client) => wrap::mark_ours(client),
            None if self.is_full_said => {}
            None => {
                self.is_full_said = true;
                lines.say("no free client slot, or the game refused: raise sv_maxclients".into());
            }
        }
        client.is_some()
    }

    /// Sends a bot away because we want it.
    pub(super) fn dismiss(&mut self, engine: Engine, client: usize, reason: &'static CStr) {
        self.members[client] = None;
        self.dismissed |= 1 << client;
        engine.drop_client(client, reason);
    }

    /// Who was sent away since this was asked last, as bits.
    pub(super) fn take_dismissed(&mut self) -> u64 {
        std::mem::take(&mut self.dismissed)
    }

    /// A member becomes better or worse, and stays so on the next map.
    pub(super) fn regrade(&mut self, engine: Engine, client: usize, grade: u8) {
        let mut buffer = [0; abi::USERINFO_BYTES];
        self.userinfo = with_grade(engine.userinfo(client, &mut buffer), grade);
        if let Some(member) = &mut self.members[client] {
            member.skill = skill_of(grade);
        }
        engine.set_userinfo(client, &self.userinfo);
    }
}

/// Who has to go when there are too many: the last who came to the side with more players.
fn who_leaves(game: &Game) -> Option<usize> {
    let ours = || (0..abi::CLIENTS_MAX).rev().filter(|client| wrap::ours() & (1 << client) != 0);
    let side = |client: usize| game.player(client).persistent[persistent::TEAM];
    let larger = if smaller_side(game) == Colour::Red { team::BLUE } else { team::RED };
    ours().find(|&client| game.is_in_use(client) && side(client) == larger).or_else(|| ours().next())
}

/// Whether a client's user settings say that it is ours.
pub(crate) fn is_ours(engine: Engine, client: usize) -> bool {
    let mut buffer = [0; abi::USERINFO_BYTES];
    engine.userinfo(client, &mut buffer).contains(KEY)
}

/// One of our grades by the number an operator gives it: the scale is that of the game's own bots, and has one more.
pub(super) fn skill_of(grade: u8) -> Skill {
    match grade {
        0 | 1 => Skill::Recruit,
        2 => Skill::Regular,
        3 => Skill::Veteran,
        4.. => Skill::Elite,
    }
}

fn skill_in(userinfo: &str) -> Skill {
    value(userinfo, KEY).parse().map_or(Skill::default(), skill_of)
}

/// User settings with another grade under our key.
fn with_grade(userinfo: &str, grade: u8) -> CString {
    let Some((before, rest)) = userinfo.split_once(KEY) else { return CString::new(userinfo).unwrap_or_default() };
    let after = rest.find('\\').map_or("", |at| &rest[at..]);
    CString::new(format!("{before}{KEY}{grade}{after}")).unwrap_or_default()
}

fn value<'a>(userinfo: &'a str, key: &str) -> &'a str {
    let rest = userinfo.split_once(key).map_or("", |(_, rest)| rest);
    rest.split('\\').next().unwrap_or("")
}

/// A name without what would break out of user settings or the console.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_graphic() && !matches!(c, '\\' | '"' | ';' | '%')).take(20).collect()
}

/// 32 hexadecimal digits that differ whenever names do: the game takes equal ones for one person.
fn identity(name: &str) -> String {
    // FNV-1a, from two starting points.
    let hash =
        |start: u64| name.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{:016X}{:016X}", hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142))
}

/// The team with fewer players.
pub(super) fn smaller_side(game: &Game) -> Colour {
    let count = |side: i32| {
        let is_there =
            |&client: &usize| game.is_in_use(client) && game.player(client).persistent[persistent::TEAM] == side;
        (0..abi::CLIENTS_MAX).filter(is_there).count()
    };
    if count(team::BLUE) < count(team::RED) { Colour::Blue } else { Colour::Red }
}

/// The game's command that joins a team.
pub(super) fn team_command(colour: Colour) -> [&'static CStr; 2] {
    match colour {
        Colour::Red => [c"team", c"red"],
        Colour::Blue => [c"team", c"blue"],
        Colour::Free => [c"team", c"free"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skill_and_name_come_back_from_user_settings() {
        let userinfo = "\\name\\Ash\\handicap\\100\\ft\\3\\team\\red";
        assert_eq!((value(userinfo, "\\name\\"), skill_in(userinfo)), ("Ash", Skill::Veteran));
        assert_eq!(value(userinfo, "\\song\\"), "");
        assert_eq!(skill_in("\\name\\somebody"), Skill::Regular);
        assert_eq!([1, 2, 3, 4, 5].map(skill_of), {
            use Skill::{Elite, Recruit, Regular, Veteran};
            [Recruit, Regular, Veteran, Elite, Elite]
        });
        let regraded = with_grade(userinfo, 1);
        assert_eq!(regraded.to_str(), Ok("\\name\\Ash\\handicap\\100\\ft\\1\\team\\red"));
        assert_eq!(with_grade("\\name\\Ash\\ft\\3", 5).to_str(), Ok("\\name\\Ash\\ft\\5"));
    }

    #[test]
    fn names_break_out_of_nothing_and_identities_differ() {
        assert_eq!(plain("A\\ft\\4;quit\"%s"), "Aft4quits");
        let mut all: Vec<String> = NAMES.iter().map(|name| identity(name)).collect();
        assert!(all.iter().all(|id| id.len() == 32));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), NAMES.len());
    }
}
