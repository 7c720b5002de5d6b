//! Bots mode: our bots as clients of the game, beside people and the game's own bots.
//!
//! Once a frame: what the game shows becomes a snapshot (`translate`, `events`), bots think, what they press goes to the
//! engine. Around that: who is in the game (`crew`), on which field (`prepare`, `child`), whether the game is the one we
//! know (`layout`), and what it all cost (`tally`). Nothing here decides anything a bot could decide.
//!
//! A fault of ours must not cost the server a frame. Thinking makes no engine call and is guarded: whoever panics is
//! benched and stands still until the next level. What cannot be played (another layout, no terrain) is said once, and the
//! stock game goes on alone. Everything owned lives in [`Playing`], so that frames that call the engine own nothing.

mod child;
pub(crate) mod crew;
mod events;
mod layout;
mod prepare;
mod tables;
mod tally;
mod translate;

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fireteam::{Bots, Character, ConVars, Field, Snapshot};
use fireteam_openarena::clock::thread_time;
use fireteam_openarena::physics::Physics;
use fireteam_openarena::play::lineup::{self, Colour};
use fireteam_world::movement::angle_word;
use fireteam_world::units::EntityId;

use crate::abi::{self, UserCommand, persistent, team};
use crate::engine::{Engine, Game};
use crate::wrap::{self, Stock};
use crew::{Crew, Door};
use prepare::Orders;
use tables::Tables;
use tally::Tally;
use translate::{Site, Translator};

/// The engine connects last level's clients again within this time; nobody new joins before.
const SETTLED_MS: i32 = 1000;
/// Console variables are looked at so often.
const FRAMES_PER_LOOK: u32 = 20;
/// Who looks on although there are teams is put into one so often: the game allows a change every five seconds.
const FRAMES_PER_ENROLMENT: u32 = 120;
/// Buttons that a Quake III client has.
const BUTTONS: u32 = 0xffff;
/// Game types in which red fights blue: all from team deathmatch on but the last man standing.
const TEAM_GAME_FIRST: i32 = 3;
const LAST_MAN_STANDING: i32 = 10;

/// Times of the frame before and of the one to come, and the level's first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) begun: i32,
    pub(crate) last: i32,
    pub(crate) now: i32,
}

/// Lines for the server's console, kept until they can be printed.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    waiting: Vec<CString>,
}

impl Lines {
    pub(crate) fn say(&mut self, line: String) {
        let line = format!("fireteam: {}\n", line.replace(['\n', '\0'], " "));
        self.waiting.extend(CString::new(line));
    }

    fn print(&mut self, engine: Engine) {
        self.waiting.iter().for_each(|line| engine.print(line));
        self.waiting.clear();
    }
}

/// Everything bots mode owns for a level.
#[derive(Debug)]
pub(crate) struct Playing {
    orders: Orders,
    crew: Crew,
    post: Option<Post>,
    tally: Tally,
    lines: Lines,
    convars: ConVars,
    seed: u64,
    skill: u8,
    colour: Colour,
    /// Nothing more is done in this level.
    is_aside: bool,
    is_checked: bool,
    frame: u32,
    /// Where to write what the match was like; empty for the console.
    report: String,
    is_reported: bool,
    /// Quit when the match is over.
    is_once: bool,
    fault: String,
    /// Clients of ours that stand still after a fault, as bits.
    benched: u64,
    commands: [Option<UserCommand>; abi::CLIENTS_MAX],
    gravity: i32,
}

/// A field, the bots on it, and what they are shown.
#[derive(Debug)]
struct Post {
    field: Arc<Field>,
    bots: Bots,
    translator: Translator,
    snapshot: Snapshot,
}

impl Playing {
    /// Owned by whoever gets the pointer: `wrap` frees it.
    pub(crate) fn make(engine: Engine) -> *mut Playing {
        hear_panics();
        let playing = Box::into_raw(Box::new(Playing {
            orders: Orders::default(),
            crew: Crew::new(Vec::new()),
            post: None,
            tally: Tally::default(),
            lines: Lines::default(),
            convars: ConVars::default(),
            seed: 0,
            skill: 2,
            colour: Colour::Free,
            is_aside: false,
            is_checked: false,
            frame: 0,
            report: String::new(),
            is_reported: false,
            is_once: false,
            fault: String::new(),
            benched: 0,
            commands: [None; abi::CLIENTS_MAX],
            gravity: 0,
        }));
        // SAFETY: made above, and nobody else knows of it yet.
        read_cvars(unsafe { &mut *playing }, engine);
        playing
    }

    /// Steps aside for the rest of the level, with the reason.
    fn step_aside(&mut self, reason: &str) {
        self.is_aside = true;
        self.post = None;
        self.lines.say(format!("{reason}; no bots of ours in this level, the game goes on without us"));
    }

    /// Puts map, terrain and minds together. Makes no engine call.
    fn get_ready(&mut self) {
        let prepared = catch_unwind(AssertUnwindSafe(|| prepare::prepare(&self.orders)));
        match prepared.unwrap_or_else(|_| Err(last_panic())) {
            Ok(prepared) => {
                prepared.lines.into_iter().for_each(|line| self.lines.say(line));
                let field = prepared.field;
                let respawn_ms = field.game.rules.rounds.respawn_ms;
                let translator = Translator::new(Tables::of(&field.arsenal), respawn_ms);
                let bots = Bots::new(Arc::clone(&field), self.seed);
                self.post = Some(Post { field, bots, translator, snapshot: Snapshot::default() });
            }
            Err(reason) => self.step_aside(&reason),
        }
    }

    /// Whether anybody is wanted, or already there.
    fn is_needed(&self, wanted: usize) -> bool {
        wanted > 0 || self.crew.is_waiting() || wrap::ours() != 0
    }
}

/// Reads what the operator asks for; every string goes into `playing` before the next call.
fn read_cvars(playing: &mut Playing, engine: Engine) {
    let mut buffer = [0; 256];
    let number = |name, otherwise: i32| {
        let mut buffer = [0; 256];
        engine.cvar(name, &mut buffer).parse::<f32>().map_or(otherwise, |number| number as i32)
    };
    let orders = &mut playing.orders;
    orders.map = engine.cvar(c"mapname", &mut buffer).to_owned();
    orders.base_path = engine.cvar(c"fs_basepath", &mut buffer).to_owned();
    orders.home_path = engine.cvar(c"fs_homepath", &mut buffer).to_owned();
    orders.terrain = engine.cvar(c"ft_terrain", &mut buffer).to_owned();
    orders.program = engine.cvar(c"ft_program", &mut buffer).to_owned();
    for name in [c"fs_game", c"com_basegame"] {
        let folder = engine.cvar(name, &mut buffer);
        if !folder.is_empty() && !orders.folders.iter().any(|known| known == folder) {
            orders.folders.push(folder.to_owned());
        }
    }
    orders.game_type = number(c"g_gametype", 0);
    let is_team = orders.game_type == TEAM_GAME_FIRST;
    orders.weapon_respawn_s = if is_team { number(c"g_weaponTeamRespawn", 30) } else { number(c"g_weaponrespawn", 5) };
    orders.bake_s = number(c"ft_bake_seconds", 30).max(1) as u64;
    let usual = Physics::usual();
    let is_fixed = number(c"pmove_fixed", 0) != 0;
    const NO_FALLING: i32 = 8;
    orders.physics = Some(Physics {
        speed: number(c"g_speed", usual.speed),
        gravity: number(c"g_gravity", usual.gravity),
        knockback: number(c"g_knockback", usual.knockback),
        frame_ms: 1000 / number(c"sv_fps", 20).max(1),
        piece_ms: if is_fixed { number(c"pmove_msec", 8).clamp(8, 33) } else { usual.piece_ms },
        whole_speeds: number(c"pmove_float", 0) == 0,
        falls_hurt: number(c"dmflags", 0) & NO_FALLING == 0,
    });
    playing.gravity = number(c"g_gravity", usual.gravity);
    playing.seed = number(c"ft_seed", 1) as u64;
    playing.skill = number(c"ft_skill", 2).clamp(1, 4) as u8;
    playing.is_once = number(c"ft_once", 0) != 0;
    playing.report = engine.cvar(c"ft_report", &mut buffer).to_owned();
    playing.fault = engine.cvar(c"ft_fault", &mut buffer).to_owned();
    playing.colour = colour_named(engine.cvar(c"ft_team", &mut buffer));
    match lineup::from_text(engine.cvar(c"ft_lineup", &mut buffer)) {
        Some(entrants) => playing.crew = Crew::new(entrants),
        None => playing.lines.say("ft_lineup makes no sense: words such as or2 (ours, red, skill 2) or sb3".to_owned()),
    }
    set_convars(playing, engine.cvar(c"ft_convars", &mut buffer));
}

/// `name=value name=value`.
fn set_convars(playing: &mut Playing, text: &str) {
    for word in text.split_whitespace() {
        let set = word.split_once('=').ok_or_else(|| format!("`{word}` is no name=value"));
        let set = set.and_then(|(name, value)| playing.convars.set(name, value).map_err(|error| error.to_string()));
        if let Err(error) = set {
            playing.lines.say(format!("ft_convars: {error}"));
        }
    }
}

fn colour_named(word: &str) -> Colour {
    match word {
        "red" => Colour::Red,
        "blue" => Colour::Blue,
        _ => Colour::Free,
    }
}

/// After the game has started a level: if bots are wanted, the field is made ready while nobody waits for a frame.
pub(crate) fn begin(playing: &mut Playing, engine: Engine, game: Option<Game>) {
    let wanted = wanted(engine);
    if game.is_none() || playing.fault == "layout" {
        if playing.is_needed(wanted) {
            playing.step_aside("this game module is laid out otherwise than the one we know");
        } else {
            playing.is_aside = true;
        }
    } else if playing.is_needed(wanted) {
        playing.get_ready();
    }
    playing.lines.print(engine);
}

/// How many bots the operator wants.
fn wanted(engine: Engine) -> usize {
    let mut buffer = [0; 256];
    engine.cvar(c"ft_bots", &mut buffer).parse().unwrap_or(0).min(abi::CLIENTS_MAX)
}

/// Before the game runs a frame.
pub(crate) fn before_frame(playing: &mut Playing, engine: Engine, stock: Stock, game: Game, times: Times) {
    if playing.is_aside {
        dismiss_all(playing, engine);
        return;
    }
    look_at_wishes(playing, engine);
    playing.tally.look(&game, wrap::ours(), times.now - times.last, wrap::take_stock_ns());
    if playing.post.is_none() {
        playing.lines.print(engine);
        return;
    }
    if times.now - times.begun >= SETTLED_MS {
        welcome(playing, engine, stock, game, times);
    }
    let translated = thread_time();
    let (thought, done) = think(playing, &game, times);
    let pressed = thread_time();
    press(playing, engine, game, times);
    let (think_time, translate_time) = (done - thought, (thought - translated) + (pressed - done));
    if wrap::ours() != 0 {
        playing.tally.spend(translate_time, think_time, thread_time() - pressed);
    }
    playing.lines.print(engine);
}

/// Follows `ft_bots`, and gets ready when the first bot is wanted in the middle of a level.
fn look_at_wishes(playing: &mut Playing, engine: Engine) {
    playing.frame += 1;
    if !playing.frame.is_multiple_of(FRAMES_PER_LOOK) {
        return;
    }
    let mut buffer = [0; 256];
    if !engine.cvar(c"ft_bots", &mut buffer).is_empty() {
        playing.crew.want(wanted(engine));
    }
    if playing.post.is_none() && playing.is_needed(wanted(engine)) {
        playing.get_ready();
    }
}

/// Lets bots in, and makes their minds.
fn welcome(playing: &mut Playing, engine: Engine, stock: Stock, game: Game, times: Times) {
    let has_teams = playing.orders.game_type >= TEAM_GAME_FIRST && playing.orders.game_type != LAST_MAN_STANDING;
    let (skill, colour) = (playing.skill, playing.colour);
    let level_ms = times.now - times.begun;
    playing.crew.step(Door { engine, stock, game, has_teams, skill, colour, level_ms }, &mut playing.lines);
    let (came, went) = playing.crew.recognise(engine, wrap::ours());
    check_layout(playing, &game, came);
    let Some(post) = &mut playing.post else { return };
    for client in 0..abi::CLIENTS_MAX {
        let entity = EntityId(client as u16);
        if went & (1 << client) != 0 {
            post.bots.leave(entity);
            playing.benched &= !(1 << client);
        }
        if came & (1 << client) != 0
            && let Some(member) = playing.crew.member(client)
        {
            post.bots.join(entity, Character { name: member.name.clone(), skill: member.skill });
        }
    }
    if has_teams && playing.frame.is_multiple_of(FRAMES_PER_ENROLMENT) {
        enrol(stock, &game);
    }
}

/// Once, when a bot of ours has lived for a frame.
fn check_layout(playing: &mut Playing, game: &Game, came: u64) {
    let lives = |client: &usize| (wrap::ours() & !came) & (1 << client) != 0 && translate::plays(game, *client);
    let Some(first) = (0..abi::CLIENTS_MAX).find(lives).filter(|_| !playing.is_checked) else { return };
    playing.is_checked = true;
    if let Err(what) = layout::check(game, first, playing.gravity) {
        playing.step_aside(&format!("this game module is laid out otherwise than the one we know: {what}"));
    }
}

/// Puts those who look on into the smaller team: so it goes when a server changes to a team game.
fn enrol(stock: Stock, game: &Game) {
    for client in (0..abi::CLIENTS_MAX).filter(|client| wrap::ours() & (1 << client) != 0) {
        if game.is_in_use(client) && game.player(client).persistent[persistent::TEAM] == team::SPECTATOR {
            wrap::say_as_client(stock, client, crew::team_command(crew::smaller_side(game)));
        }
    }
}

/// Shows the frame to the bots and keeps what they press. Answers when thinking began and ended.
fn think(playing: &mut Playing, game: &Game, times: Times) -> (Duration, Duration) {
    playing.commands = [None; abi::CLIENTS_MAX];
    let ours = wrap::ours();
    let begun = thread_time();
    let Some(post) = &mut playing.post else { return (begun, begun) };
    let Post { field, bots, translator, snapshot } = post;
    let mut span = (begun, begun);
    let site = Site { solids: &field.solids, rules: &field.game.rules.movement };
    let (convars, commands) = (&playing.convars, &mut playing.commands);
    let is_forced = playing.fault == "think" && playing.tally.faults == 0 && !snapshot.own.is_empty();
    let done = catch_unwind(AssertUnwindSafe(|| {
        translator.translate(game, site, ours & !playing.benched, [times.last, times.now], snapshot);
        span.0 = thread_time();
        assert!(!is_forced, "forced by ft_fault");
        let pressed = bots.think(snapshot, convars);
        span.1 = thread_time();
        for command in pressed {
            let (press, weapon) = (&command.press, translator.tables.number_of(command.weapon));
            commands[command.bot.index()] = Some(UserCommand {
                server_time: times.now,
                angles: press.angles,
                buttons: (press.buttons.0 & BUTTONS) as i32,
                weapon,
                forward: press.forward,
                right: press.right,
                up: press.up,
            });
        }
    }));
    if done.is_err() {
        bench(playing);
        let now = thread_time();
        span = (span.0.max(begun), now);
    }
    span
}

/// The bot that was thinking stands still from now on.
fn bench(playing: &mut Playing) {
    playing.tally.faults += 1;
    let Some(post) = &mut playing.post else { return };
    let at_fault = post.bots.broke_off_at(&post.snapshot);
    let reason = last_panic();
    let Some(entity) = at_fault else {
        playing.step_aside(&reason);
        return;
    };
    post.bots.leave(entity);
    playing.benched |= 1 << entity.index();
    let name = playing.crew.member(entity.index()).map_or("a bot", |member| &member.name);
    playing.lines.say(format!("{name} is benched until the next level: {reason}"));
}

/// Sends every bot's command, and takes what the server had to say to it.
fn press(playing: &mut Playing, engine: Engine, game: Game, times: Times) {
    for client in (0..abi::CLIENTS_MAX).filter(|client| wrap::ours() & (1 << client) != 0) {
        engine.drain_messages(client);
        let command = playing.commands[client].unwrap_or_else(|| at_rest(&game, client, times.now));
        engine.press(client, &command);
    }
}

/// Looks where it looked and presses nothing.
fn at_rest(game: &Game, client: usize, now: i32) -> UserCommand {
    let state = game.player(client);
    let word = |axis: usize| angle_word(state.view_angles[axis]).wrapping_sub(state.delta_angles[axis]) & 0xffff;
    let weapon = u8::try_from(state.weapon).unwrap_or(0);
    UserCommand { server_time: now, angles: [word(0), word(1), 0], weapon, ..UserCommand::default() }
}

/// Without us there is nobody to press their keys.
fn dismiss_all(playing: &mut Playing, engine: Engine) {
    playing.lines.print(engine);
    for client in (0..abi::CLIENTS_MAX).filter(|client| wrap::ours() & (1 << client) != 0) {
        playing.crew.dismiss(engine, client);
    }
}

/// After the game has run a frame: once the match is over, its report.
pub(crate) fn after_frame(playing: &mut Playing, engine: Engine, game: Game) {
    let is_over = |client: usize| {
        game.is_in_use(client)
            && !game.entity(client).client.is_null()
            && game.player(client).move_type >= abi::MOVE_INTERMISSION
    };
    if playing.is_reported || !(0..abi::CLIENTS_MAX).any(is_over) {
        return;
    }
    playing.crew.read_names(engine, &game);
    report(playing);
    playing.lines.print(engine);
    if playing.is_once {
        engine.append_console_command(c"quit\n");
    }
}

/// The level ends, for whatever reason.
pub(crate) fn end(playing: &mut Playing, engine: Engine, game: Option<Game>) {
    if let Some(game) = game.filter(|_| !playing.is_reported && playing.post.is_some()) {
        playing.crew.read_names(engine, &game);
        report(playing);
    }
    playing.lines.print(engine);
}

/// Writes what the match was like. Makes no engine call.
fn report(playing: &mut Playing) {
    playing.is_reported = true;
    let report = playing.tally.report(&playing.crew);
    if playing.report.is_empty() {
        if let Some(us) = report.ours.us_per_bot_second() {
            let stock = report.stock.us_per_bot_second().map_or("none here".to_owned(), |us| format!("{us:.0}"));
            playing.lines.say(format!("CPU a bot and second of the game: {us:.0} us; the game's own bots: {stock}"));
        }
    } else if let Err(error) = std::fs::write(&playing.report, report.to_text()) {
        playing.lines.say(format!("{}: {error}", playing.report));
    }
}

/// `ft_addbot NAME SKILL TEAM`, `ft_removebot NAME` (or `all`); false if the command is not ours.
pub(crate) fn console(playing: &mut Playing, engine: Engine) -> bool {
    let (mut verb, mut name) = ([0; 256], [0; 256]);
    let (mut skill, mut colour) = ([0; 256], [0; 256]);
    match engine.word(0, &mut verb) {
        "ft_addbot" => {
            let skill = engine.word(2, &mut skill).parse().unwrap_or(playing.skill).clamp(1, 4);
            let colour = colour_named(engine.word(3, &mut colour));
            playing.crew.ask_for(engine.word(1, &mut name), skill, colour);
        }
        "ft_removebot" => match engine.word(1, &mut name) {
            "all" => dismiss_all(playing, engine),
            name => match playing.crew.find(name) {
                Some(client) => playing.crew.dismiss(engine, client),
                None => playing.lines.say(format!("no bot of ours is called `{name}`")),
            },
        },
        _ => return false,
    }
    playing.lines.print(engine);
    true
}

/// What the last panic said, on one line.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Panics are told by us, in one line, and not by the standard library in several.
fn hear_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        *last = panic.to_string().replace('\n', " ");
    }));
}

fn last_panic() -> String {
    LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
