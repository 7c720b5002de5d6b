//! Bots mode: our bots as clients of the game, beside people and the game's own bots.
//!
//! Once a frame: what the game shows becomes a snapshot (`translate`, `events`), bots think (`post`), what they press goes
//! to the engine, and what so many shots leave behind finds room (`vacancies`). Around that: what is asked for (`orders`,
//! `variables`; `console`, `asked`), who is in the game (`crew`, `quota`), on which field (`prepare`, `child`, `ways`), whether the game
//! is the one we know (`layout`), and what it all cost (`tally`). Nothing here decides anything a bot could decide.
//!
//! A fault of ours must not cost the server a frame. Thinking makes no engine call and is guarded: whoever panics is
//! benched and stands still until the next level. What cannot be played (another layout, no terrain) is said once, and the
//! stock game goes on alone. Everything owned lives in [`Playing`], so that frames that call the engine own nothing.

mod asked;
mod child;
pub(crate) mod console;
pub(crate) mod crew;
mod events;
mod flags;
mod foresight;
mod ground;
mod layout;
mod learnt;
mod orders;
mod post;
mod prepare;
mod quota;
mod relay;
mod tables;
mod tally;
mod translate;
mod vacancies;
mod variables;
mod ways;

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use fireteam_openarena::clock::thread_time;
use fireteam_world::movement::angle_word;

use crate::abi::{self, UserCommand, persistent, team};
use crate::engine::{Engine, Game};
use crate::wrap::{self, Stock};
use crew::{Crew, Door};
use flags::Announced;
use orders::Orders;
use post::{Post, Presses};
use quota::Present;
use tally::Tally;
use translate::Frame;
use ways::Ways;

/// The engine connects last level's clients again within this time; nobody new joins before.
const SETTLED_MS: i32 = 1000;
/// Console variables are looked at so often.
const FRAMES_PER_LOOK: u32 = 20;
/// Who looks on although there are teams is put into one so often: the game allows a change every five seconds.
const FRAMES_PER_ENROLMENT: u32 = 120;

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
    /// None until somebody wants bots.
    post: Option<Post>,
    tally: Tally,
    lines: Lines,
    /// Nothing more is done in this level.
    is_aside: bool,
    is_checked: bool,
    is_reported: bool,
    /// The frame that goes on is none that players play: a field was made ready in it.
    is_loading: bool,
    /// What the game's own bots took for it.
    stock_time: Duration,
    frame: u32,
    presses: Presses,
    /// The words of the console command that is carried out.
    words: Vec<String>,
    /// Quick or full, as `ft report` says it.
    is_quick: bool,
    ways: Ways,
}

impl Playing {
    /// For a level that the game plays with this seed. Owned by whoever gets the pointer: `wrap` frees it.
    pub(crate) fn make(engine: Engine, seed: i32) -> *mut Playing {
        let playing = Box::into_raw(Box::new(Playing {
            orders: Orders::default(),
            crew: Crew::default(),
            post: None,
            tally: Tally::default(),
            lines: Lines::default(),
            is_aside: false,
            is_checked: false,
            is_reported: false,
            is_loading: false,
            stock_time: Duration::ZERO,
            frame: 0,
            presses: [None; abi::CLIENTS_MAX],
            words: Vec::new(),
            is_quick: false,
            ways: Ways::default(),
        }));
        // SAFETY: made above, and nobody else knows of it yet.
        let Playing { orders, lines, crew, .. } = unsafe { &mut *playing };
        orders::read(orders, engine, seed, lines);
        crew.line_up(&orders.lineup);
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
        post::hear_panics();
        self.is_loading = true;
        let prepared = catch_unwind(AssertUnwindSafe(|| prepare::prepare(&self.orders)));
        match prepared.unwrap_or_else(|_| Err(post::last_panic())) {
            Ok(prepared) => {
                prepared.lines.into_iter().for_each(|line| self.lines.say(line));
                self.is_quick = prepared.is_quick;
                self.ways = prepared.ways;
                self.post = Some(Post::new(prepared.field, prepared.learnt, &self.orders, &mut self.lines));
            }
            Err(reason) => self.step_aside(&reason),
        }
    }

    /// Whether anybody is wanted, or already there.
    fn is_needed(&self) -> bool {
        self.orders.quota.is_some_and(|quota| quota.count > 0) || self.crew.is_waiting() || wrap::ours() != 0
    }

    /// What a frame took and how much of that the game did, to both of which its own bots come. Loading is no frame.
    pub(crate) fn note_frame(&mut self, took: Duration, of_game: Duration, times: Times) {
        let stock_time = std::mem::take(&mut self.stock_time);
        let is_loading = std::mem::take(&mut self.is_loading) || times.now - times.begun < SETTLED_MS;
        if self.post.is_some() && !is_loading {
            self.tally.frame.add(took + stock_time);
            self.tally.own.add(took - of_game);
            self.tally.rest.add(of_game + stock_time);
        }
    }

    /// Who is there besides our bots, and how much room.
    fn present(&self, game: &Game) -> Present {
        let Orders { slots, reserve, .. } = self.orders;
        let mut present = Present { slots, reserve, ..Present::default() };
        for client in (0..abi::CLIENTS_MAX).filter(|client| wrap::ours() & (1 << client) == 0) {
            let is_playing = game.is_in_use(client);
            if !is_playing && wrap::connected() & (1 << client) == 0 {
                continue;
            }
            present.others += 1;
            let looks_on = game.player(client).persistent[persistent::TEAM] == team::SPECTATOR;
            if is_playing && game.entity(client).server_flags & abi::SVF_BOT != 0 {
                present.stock += 1;
            } else if !looks_on {
                present.people += 1;
            }
        }
        present
    }
}

/// After the game has started a level: if bots are wanted, the field is made ready while nobody waits for a frame.
pub(crate) fn begin(playing: &mut Playing, engine: Engine, game: Option<Game>) {
    let is_needed = playing.is_needed();
    if game.is_none() || playing.orders.fault == "layout" {
        playing.is_aside = true;
        if is_needed {
            playing.step_aside("this game module is laid out otherwise than the one we know");
        }
    } else if is_needed {
        playing.get_ready();
    }
    playing.lines.print(engine);
}

/// Before the game runs a frame.
pub(crate) fn before_frame(playing: &mut Playing, engine: Engine, stock: Stock, mut game: Game, times: Times) {
    if playing.is_aside {
        dismiss_all(playing, engine);
        if playing.orders.minutes > 0 && !playing.is_reported {
            // Whoever wanted one match would wait for ever.
            report(playing);
            engine.append_console_command(c"quit\n");
        }
        return;
    }
    look_at_wishes(playing, engine);
    let dismissed = playing.crew.take_dismissed();
    (0..abi::CLIENTS_MAX)
        .filter(|client| dismissed & (1 << client) != 0)
        .for_each(|client| playing.tally.excuse(client));
    let stock_ns = wrap::take_stock_ns();
    playing.stock_time = Duration::from_nanos(stock_ns);
    playing.tally.look(&game, wrap::ours(), times.now - times.last, stock_ns);
    if times.now - times.begun < SETTLED_MS {
        ways::reckon(&mut playing.ways, engine, &mut playing.lines);
    } else if playing.post.is_some() {
        welcome(playing, engine, stock, game, times);
    }
    if wrap::ours() != 0 {
        think_and_press(playing, engine, game, times);
        if playing.is_checked {
            vacancies::make(&mut game, times.begun, times.now);
        }
    }
    playing.lines.print(engine);
}

/// Follows the operator's variables, and gets ready when the first bot is wanted in the middle of a level.
fn look_at_wishes(playing: &mut Playing, engine: Engine) {
    playing.frame += 1;
    if !playing.frame.is_multiple_of(FRAMES_PER_LOOK) {
        return;
    }
    read_wishes(playing, engine);
    if playing.post.is_none() && playing.is_needed() {
        playing.get_ready();
    }
}

/// Reads the operator's variables again, and lets minds have theirs.
fn read_wishes(playing: &mut Playing, engine: Engine) {
    orders::read_again(&mut playing.orders, engine, &mut playing.lines);
    if let Some(post) = &mut playing.post {
        post.set_convars(playing.orders.convars);
    }
}

/// Lets bots in, and makes their minds.
fn welcome(playing: &mut Playing, engine: Engine, stock: Stock, game: Game, times: Times) {
    let Orders { has_teams, skill, colour, quota, .. } = playing.orders;
    let (level_ms, present) = (times.now - times.begun, playing.present(&game));
    let door = Door { engine, stock, game, has_teams, skill, colour, quota, present, level_ms };
    playing.crew.step(door, &mut playing.lines);
    let (came, went) = playing.crew.recognise(engine, wrap::ours());
    if let (Some(quota), true) = (playing.orders.quota, went != 0) {
        // Somebody who was shown the door by others is not asked in again.
        playing.orders.set_quota(engine, quota.without(went.count_ones() as usize));
    }
    check_layout(playing, &game, came);
    let Some(post) = &mut playing.post else { return };
    for client in 0..abi::CLIENTS_MAX {
        if went & (1 << client) != 0 {
            post.leave(client);
        }
        if came & (1 << client) != 0
            && let Some(member) = playing.crew.member(client)
        {
            post.join(client, playing.orders.character(&member.name, member.skill));
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
    if let Err(what) = layout::check(game, first, playing.orders.physics.gravity) {
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

fn think_and_press(playing: &mut Playing, engine: Engine, game: Game, times: Times) {
    playing.presses = [None; abi::CLIENTS_MAX];
    let announced = announced(playing.orders.game_type, engine);
    let Some(post) = &mut playing.post else { return };
    if playing.orders.is_frozen {
        return press(playing, engine, game, times);
    }
    let frame = Frame { ours: wrap::ours(), times: [times.last, times.now], announced };
    let (spent, fault) = post.think(&game, frame, &mut playing.presses);
    if let Some(fault) = fault {
        playing.tally.faults += 1;
        playing.lines.say(fault);
    }
    let before = thread_time();
    press(playing, engine, game, times);
    playing.tally.spend(spent, thread_time() - before);
}

/// How flags stand, as the game tells all clients.
fn announced(game_type: i32, engine: Engine) -> Announced {
    let mut buffer = [0; 256];
    let line = if flags::are_played_for(game_type) { engine.config_line(abi::CONFIG_FLAGS, &mut buffer) } else { "" };
    line.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Sends every bot's command, and takes what the server had to say to it.
fn press(playing: &mut Playing, engine: Engine, game: Game, times: Times) {
    let began = playing.post.as_ref().and_then(|post| post.profile().begin("press"));
    for client in (0..abi::CLIENTS_MAX).filter(|client| wrap::ours() & (1 << client) != 0) {
        engine.drain_messages(client);
        let command = playing.presses[client].unwrap_or_else(|| at_rest(&game, client, times.now));
        let is_holding = playing.post.as_ref().is_some_and(|post| post.holds(client));
        playing.tally.note_press(client, command.forward != 0 || command.right != 0, is_holding);
        engine.press(client, &command);
    }
    if let Some(post) = &playing.post {
        post.profile().end(began);
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
        playing.crew.dismiss(engine, client, c"was dismissed");
    }
}

/// After the game has run a frame: once the match is over, its report. The game itself goes on after a draw.
pub(crate) fn after_frame(playing: &mut Playing, engine: Engine, game: Game, times: Times) {
    let is_over = |client: usize| {
        let is_player = game.is_in_use(client) && !game.entity(client).client.is_null();
        is_player && game.player(client).move_type >= abi::MOVE_INTERMISSION
    };
    let minutes = playing.orders.minutes;
    let is_late = minutes > 0 && times.now - times.begun > minutes * 60_000;
    if playing.is_reported || !(is_late || (0..abi::CLIENTS_MAX).any(is_over)) {
        return;
    }
    playing.crew.read_names(engine, &game);
    report(playing);
    playing.lines.print(engine);
    if minutes > 0 {
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

/// Where the report goes: in a folder, every map has its own.
fn report_path(orders: &Orders) -> PathBuf {
    let path = PathBuf::from(&orders.report);
    if path.is_dir() { path.join(format!("{}.txt", orders.map)) } else { path }
}

/// Writes what the match was like. Makes no engine call.
fn report(playing: &mut Playing) {
    playing.is_reported = true;
    let foreseen = playing.post.as_ref().map(Post::foreseen).unwrap_or_default();
    let report = playing.tally.report(&playing.crew, foreseen);
    if playing.orders.is_profiled
        && let Some(post) = &playing.post
    {
        post.profile().to_string().lines().for_each(|line| playing.lines.say(line.to_owned()));
    }
    let path = &report_path(&playing.orders);
    if path.as_os_str().is_empty() {
        if let Some(us) = report.ours.us_per_bot_second() {
            let stock = report.stock.us_per_bot_second().map_or("none here".to_owned(), |us| format!("{us:.0} us"));
            playing.lines.say(format!("CPU a bot and second of the game: {us:.0} us; the game's own bots: {stock}"));
        }
    } else if let Err(error) = std::fs::write(path, report.to_text()) {
        playing.lines.say(format!("{}: {error}", path.display()));
    }
    if let Some(Err(error)) = playing.post.as_mut().map(Post::finish) {
        playing.lines.say(error);
    }
}
