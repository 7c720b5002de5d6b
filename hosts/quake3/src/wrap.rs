//! Between engine and stock module: loads the stock module, forwards every command and call, and watches the frame.
//!
//! The engine unloads and reloads its module at every map change. The stock module must go with us (`dlclose` after its
//! shutdown), or its static data would survive into the next level and corrupt it.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

use fireteam_openarena::clock::thread_time;

use crate::abi::{self, DllEntry, Syscall, VmMain, call, command};
use crate::bots::{self, Playing, console, crew};
use crate::capture::{self, Capture};
use crate::client;
use crate::engine::{Engine, Game};
use crate::vantage::Vantage;

/// The stock module, loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stock {
    handle: *mut c_void,
    vm_main: VmMain,
}

impl Stock {
    /// Asks the stock module; arguments beyond the third are zero.
    pub(crate) fn command(self, command: c_int, a: c_int, b: c_int, c: c_int) -> isize {
        // SAFETY: `vm_main` was looked up in the loaded stock module, which takes these 13 integers.
        unsafe { (self.vm_main)(command, a, b, c, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
    }
}

/// What the module knows, in cells: the engine may come back into `vmMain` from within a call, so nothing stays borrowed.
struct Module {
    engine: Cell<Option<Engine>>,
    stock: Cell<Option<Stock>>,
    game: Cell<Option<Game>>,
    /// Made when the mode is `capture`; owned, freed at shutdown.
    capture: Cell<*mut Capture>,
    /// Made when the mode is bots; owned, freed at shutdown.
    playing: Cell<*mut Playing>,
    /// Clients that are bots of ours, as bits.
    ours: Cell<u64>,
    /// Clients that the engine has let in, on their way or there, as bits. Of the game's own bots it tells only later.
    connected: Cell<u64>,
    /// CPU time of the stock bots since it was last asked for.
    stock_ns: Cell<u64>,
    /// Nobody's handicap is other than 100.
    is_equal: Cell<bool>,
    /// Made while the game reads a map; owned, freed when it has.
    vantage: Cell<*mut Vantage>,
    /// What the game is told when it asks for the words of a client's command.
    words: Cell<Option<[&'static CStr; 2]>>,
    /// The process that started the server and must outlive it; 0 for none.
    parent: Cell<u32>,
    begun: Cell<i32>,
    frame_time: Cell<i32>,
}

// SAFETY: the engine calls its game module from one thread only.
unsafe impl Sync for Module {}

static MODULE: Module = Module {
    engine: Cell::new(None),
    stock: Cell::new(None),
    game: Cell::new(None),
    capture: Cell::new(std::ptr::null_mut()),
    playing: Cell::new(std::ptr::null_mut()),
    ours: Cell::new(0),
    connected: Cell::new(0),
    stock_ns: Cell::new(0),
    is_equal: Cell::new(false),
    vantage: Cell::new(std::ptr::null_mut()),
    words: Cell::new(None),
    parent: Cell::new(0),
    begun: Cell::new(0),
    frame_time: Cell::new(0),
};

/// Clients that are bots of ours, as bits.
pub(crate) fn ours() -> u64 {
    MODULE.ours.get()
}

/// Clients that are connected or connecting, as far as the engine told us, as bits.
pub(crate) fn connected() -> u64 {
    MODULE.connected.get()
}

pub(crate) fn mark_ours(client: usize) {
    MODULE.ours.set(MODULE.ours.get() | 1 << client);
}

/// What the stock bots have cost since this was asked last.
pub(crate) fn take_stock_ns() -> u64 {
    MODULE.stock_ns.replace(0)
}

/// Lets the game believe that a client typed this.
pub(crate) fn say_as_client(stock: Stock, client: usize, words: [&'static CStr; 2]) {
    MODULE.words.set(Some(words));
    stock.command(command::CLIENT_COMMAND, client as c_int, 0, 0);
    MODULE.words.set(None);
}

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(handle: *mut c_void) -> c_int;
}
const RTLD_NOW: c_int = 2;
/// How the engine names a native game module, and how an operator may name the stock one beside ours.
const MODULE_NAME: &str = "qagamex86_64.so";
const STOCK_NAME: &str = "qagamex86_64.stock.so";

/// The first thing the engine calls: hands over its system call.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the engine looks this name up")]
pub(crate) extern "C" fn dllEntry(syscall: Syscall) {
    MODULE.engine.set(Some(Engine::new(syscall)));
}

/// Everything the engine asks of a game.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the engine looks this name up")]
pub(crate) extern "C" fn vmMain(
    command: c_int,
    a0: c_int,
    a1: c_int,
    a2: c_int,
    a3: c_int,
    a4: c_int,
    a5: c_int,
    a6: c_int,
    a7: c_int,
    a8: c_int,
    a9: c_int,
    a10: c_int,
    a11: c_int,
) -> isize {
    // The engine calls `dllEntry` before anything else.
    let Some(engine) = MODULE.engine.get() else { return 0 };
    if command == command::INIT {
        return init(engine, a0, a1, a2);
    }
    let Some(stock) = MODULE.stock.get() else { return 0 };
    match command {
        command::RUN_FRAME => run_frame(engine, stock, a0),
        command::SHUTDOWN => shutdown(engine, stock, a0),
        command::CLIENT_CONNECT if a2 != 0 && is_coming_back(engine, a0) => connect_again(engine, stock, a0, a1),
        command::CLIENT_CONNECT => {
            let refused = stock.command(command, a0, a1, a2);
            if refused == 0 {
                MODULE.connected.set(MODULE.connected.get() | bit(a0));
            }
            refused
        }
        command::CLIENT_BEGIN if is_ours(a0) => begin_again(engine, stock, a0),
        command::CLIENT_DISCONNECT => {
            MODULE.ours.set(MODULE.ours.get() & !bit(a0));
            MODULE.connected.set(MODULE.connected.get() & !bit(a0));
            stock.command(command, a0, 0, 0)
        }
        command::CONSOLE_COMMAND if is_for_us(engine) => 1,
        command::BOT_FRAME => {
            let before = thread_time();
            let result = stock.command(command, a0, 0, 0);
            let spent = thread_time() - before;
            MODULE.stock_ns.set(MODULE.stock_ns.get() + spent.as_nanos() as u64);
            result
        }
        // SAFETY: as in `Stock::command`.
        _ => unsafe { (stock.vm_main)(command, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) },
    }
}

fn bit(client: c_int) -> u64 {
    u32::try_from(client).ok().and_then(|client| 1u64.checked_shl(client)).unwrap_or(0)
}

fn is_ours(client: c_int) -> bool {
    MODULE.ours.get() & bit(client) != 0
}

/// The engine connects a bot of last level's again, and it is one of ours.
fn is_coming_back(engine: Engine, client: c_int) -> bool {
    !MODULE.playing.get().is_null() && usize::try_from(client).is_ok_and(|client| crew::is_ours(engine, client))
}

/// Connects a bot of ours as a person: as a bot, the stock AI would take it for its own.
fn connect_again(engine: Engine, stock: Stock, client: c_int, first_time: c_int) -> isize {
    mark_ours(client as usize);
    set_bot_flag(client);
    let refused = stock.command(command::CLIENT_CONNECT, client, first_time, 0);
    set_bot_flag(client);
    if refused != 0 {
        MODULE.ours.set(MODULE.ours.get() & !bit(client));
    }
    drain_ours(engine);
    refused
}

fn begin_again(engine: Engine, stock: Stock, client: c_int) -> isize {
    let result = match MODULE.game.get() {
        Some(game) => client::begin(stock, game, client as usize),
        None => stock.command(command::CLIENT_BEGIN, client, 0, 0),
    };
    drain_ours(engine);
    result
}

/// The engine connects all of last level's clients in one go, and the game tells everybody of each: with many of us there, that is
/// more than a client may leave unread, and no frame comes in between in which it would be read.
fn drain_ours(engine: Engine) {
    // To ask about a slot that the server does not have ends the level.
    let slots = number(engine, c"sv_maxclients").unwrap_or(0).min(abi::CLIENTS_MAX);
    let is_ours = |client: &usize| crew::is_ours(engine, *client);
    (0..slots).filter(is_ours).for_each(|client| engine.drain_messages(client));
}

fn set_bot_flag(client: c_int) {
    if let Some(mut game) = MODULE.game.get() {
        game.entity_mut(client as usize).server_flags |= abi::SVF_BOT;
    }
}

/// A console command of ours, carried out.
fn is_for_us(engine: Engine) -> bool {
    // SAFETY: lives until shutdown; console commands come between frames, when nothing else refers to it.
    unsafe { MODULE.playing.get().as_mut() }.is_some_and(|playing| console::obey(playing, engine, MODULE.game.get()))
}

fn init(engine: Engine, level_time: c_int, random_seed: c_int, restart: c_int) -> isize {
    let Some(stock) = load_stock(engine) else {
        engine.append_console_command(c"quit\n");
        return 0;
    };
    MODULE.stock.set(Some(stock));
    MODULE.begun.set(level_time);
    MODULE.frame_time.set(level_time);
    MODULE.ours.set(0);
    MODULE.connected.set(0);
    MODULE.parent.set(number(engine, c"ft_parent").unwrap_or(0));
    MODULE.is_equal.set(number(engine, c"ft_equal") == Some(1));
    let seed = number(engine, c"ft_seed").unwrap_or(random_seed);
    MODULE.vantage.set(Box::into_raw(Box::new(Vantage::new(number(engine, c"g_gametype").unwrap_or(0)))));
    let result = stock.command(command::INIT, level_time, seed, restart);
    // SAFETY: made above, and nothing refers to it any more.
    let vantage = unsafe { Box::from_raw(MODULE.vantage.replace(std::ptr::null_mut())) };
    let has_added = vantage.has_added();
    drop(vantage);
    if has_added {
        engine.print(c"fireteam: this map has nowhere to look from when a match is over, and the game would end the server: mended\n");
    }
    choose_mode(engine, seed);
    result
}

fn choose_mode(engine: Engine, seed: c_int) {
    let mut buffer = [0; 256];
    match engine.cvar(c"ft_mode", &mut buffer) {
        "" | "bots" => {
            let playing = Playing::make(engine, seed);
            MODULE.playing.set(playing);
            // SAFETY: made just now, freed at shutdown; nothing else refers to it yet.
            bots::begin(unsafe { &mut *playing }, engine, MODULE.game.get());
        }
        "capture" if MODULE.game.get().is_some() => {
            let mut socket = [0; 256];
            MODULE.capture.set(Capture::make(engine.cvar(c"ft_socket", &mut socket)));
        }
        "capture" => {
            engine.print(
                c"fireteam: this game module is built otherwise than the one we know; nothing can be captured\n",
            );
            engine.append_console_command(c"quit\n");
        }
        _ => engine.print(c"fireteam: ft_mode is unknown (known: bots, capture); passing everything through\n"),
    }
}

fn number<T: std::str::FromStr>(engine: Engine, name: &CStr) -> Option<T> {
    let mut buffer = [0; 256];
    engine.cvar(name, &mut buffer).parse().ok()
}

fn run_frame(engine: Engine, stock: Stock, time: c_int) -> isize {
    let parent = MODULE.parent.get();
    if parent != 0 && std::os::unix::process::parent_id() != parent {
        engine.print(c"fireteam: whoever started this server is gone; so am I\n");
        engine.append_console_command(c"quit\n");
        MODULE.parent.set(0);
    }
    let last = MODULE.frame_time.replace(time);
    if !MODULE.playing.get().is_null() {
        return play_frame(engine, stock, bots::Times { begun: MODULE.begun.get(), last, now: time });
    }
    let capture = MODULE.capture.get();
    let times = capture::Times { last, now: time };
    // SAFETY: the capture lives until shutdown, and commands that come back to us from within a call are forwarded
    // without looking at it: this is the only reference.
    let Some(capture) = (unsafe { capture.as_mut() }) else {
        return stock.command(command::RUN_FRAME, time, 0, 0);
    };
    if let Some(game) = MODULE.game.get() {
        capture::before_frame(capture, engine, stock, game, times);
    }
    let result = stock.command(command::RUN_FRAME, time, 0, 0);
    // Asked again: the table grows in the course of a frame.
    if let Some(game) = MODULE.game.get() {
        capture::after_frame(capture, engine, game, times);
    }
    result
}

fn play_frame(engine: Engine, stock: Stock, times: bots::Times) -> isize {
    let playing = MODULE.playing.get();
    // SAFETY: lives until shutdown; what comes back to us from within a call is forwarded without looking at it.
    let (Some(game), Some(before)) = (MODULE.game.get(), unsafe { playing.as_mut() }) else {
        return stock.command(command::RUN_FRAME, times.now, 0, 0);
    };
    let began = thread_time();
    bots::before_frame(before, engine, stock, game, times);
    let ran = thread_time();
    let result = stock.command(command::RUN_FRAME, times.now, 0, 0);
    let of_game = thread_time() - ran;
    // Asked again: the table grows in the course of a frame.
    // SAFETY: as above; the first reference is not used any more.
    if let (Some(game), Some(after)) = (MODULE.game.get(), unsafe { playing.as_mut() }) {
        bots::after_frame(after, engine, game, times);
        after.note_frame(thread_time() - began, of_game, times);
    }
    result
}

fn shutdown(engine: Engine, stock: Stock, restart: c_int) -> isize {
    let playing = MODULE.playing.replace(std::ptr::null_mut());
    if !playing.is_null() {
        // SAFETY: as in `play_frame`.
        bots::end(unsafe { &mut *playing }, engine, MODULE.game.get());
        // SAFETY: made by `Box::into_raw` in `Playing::make`, and nothing refers to it any more.
        drop(unsafe { Box::from_raw(playing) });
    }
    let result = stock.command(command::SHUTDOWN, restart, 0, 0);
    MODULE.stock.set(None);
    MODULE.ours.set(0);
    MODULE.game.set(None);
    let capture = MODULE.capture.replace(std::ptr::null_mut());
    if !capture.is_null() {
        // SAFETY: made by `Box::into_raw` in `Capture::make`, and nothing refers to it any more.
        drop(unsafe { Box::from_raw(capture) });
    }
    // SAFETY: the handle is open and no code of the stock module is on the stack.
    unsafe { dlclose(stock.handle) };
    result
}

/// The module that `ft_stock` names; else `qagamex86_64.stock.so` beside ours, else the installed one.
fn load_stock(engine: Engine) -> Option<Stock> {
    let (mut given, mut home, mut base, mut game) = ([0; 256], [0; 256], [0; 256], [0; 256]);
    let given = engine.cvar(c"ft_stock", &mut given);
    let (home, base) = (engine.cvar(c"fs_homepath", &mut home), engine.cvar(c"fs_basepath", &mut base));
    let stock = find_stock(given, [home, base], engine.cvar(c"com_basegame", &mut game));
    if stock.is_none() {
        engine.print(
            c"fireteam: the stock game module cannot be loaded: name it by ft_stock, or put it beside ours as \
              qagamex86_64.stock.so\n",
        );
    }
    stock
}

/// Makes no engine call, so it may own things.
fn find_stock(given: &str, roots: [&str; 2], game: &str) -> Option<Stock> {
    if !given.is_empty() {
        return open_stock(given);
    }
    let [home, base] = roots.map(|root| Path::new(root).join(game));
    let places = [home.join(STOCK_NAME), base.join(STOCK_NAME), base.join(MODULE_NAME)];
    places.iter().filter(|path| path.is_file()).find_map(|path| open_stock(path.to_str()?))
}

/// Makes no engine call, so it may own things.
fn open_stock(path: &str) -> Option<Stock> {
    let path = CString::new(path).ok()?;
    // SAFETY: opening a library runs its initialisers; the stock module has none that touch us.
    let handle = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: the handle is open, the names are C strings.
    let (entry, main) = unsafe { (dlsym(handle, c"dllEntry".as_ptr()), dlsym(handle, c"vmMain".as_ptr())) };
    if entry.is_null() || main.is_null() {
        // SAFETY: opened above, nothing of it in use.
        unsafe { dlclose(handle) };
        return None;
    }
    // Where an operator put us in the stock module's place, this is what we find.
    let is_ourselves = std::ptr::eq(main.cast_const(), vmMain as *const c_void);
    if is_ourselves {
        // SAFETY: opened above once more than the engine did.
        unsafe { dlclose(handle) };
        return None;
    }
    // SAFETY: every Quake III game module exports these two with these types.
    let (entry, vm_main) = unsafe {
        (std::mem::transmute::<*mut c_void, DllEntry>(entry), std::mem::transmute::<*mut c_void, VmMain>(main))
    };
    // SAFETY: the stock module keeps the pointer and calls it with at most 15 words beside the call's number.
    unsafe { entry(hook) };
    Some(Stock { handle, vm_main })
}

/// What the stock module calls in place of the engine. Words the caller did not pass are whatever lay there; the engine
/// reads as many as the call has.
#[rustfmt::skip]
unsafe extern "C" fn hook(
    n: isize, a: isize, b: isize, c: isize, d: isize, e: isize, f: isize, g: isize,
    h: isize, i: isize, j: isize, k: isize, l: isize, m: isize, o: isize, p: isize,
) -> isize {
    let Some(engine) = MODULE.engine.get() else { return 0 };
    match n as i32 as isize {
        call::LOCATE_GAME_DATA => MODULE.game.set(fits([b, c, e], a, d)),
        call::SET_USERINFO if MODULE.is_equal.get() => return set_equal_userinfo(engine, a, b),
        call::GET_ENTITY_TOKEN => return read_word(engine, a as *mut u8, b as i32),
        call::ARGC if MODULE.words.get().is_some() => return 2,
        call::ARGV => {
            if let Some(words) = MODULE.words.get() {
                let word = words.get(a as i32 as usize).copied().unwrap_or(c"");
                copy_word(word.to_bytes(), b as *mut u8, c as i32);
                return 0;
            }
        }
        _ => {}
    }
    // SAFETY: the very words the stock module passed, to the function it meant.
    unsafe { (engine.syscall())(n, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p) }
}

/// The next word of the map for the game: the map's own, or one of ours after the last.
fn read_word(engine: Engine, to: *mut u8, length: i32) -> isize {
    // SAFETY: the game passed a buffer of `length` bytes to be filled with a C string.
    let has_more = unsafe { (engine.syscall())(call::GET_ENTITY_TOKEN, to, length) };
    // SAFETY: lives while the game reads its map; no call is made while it is referred to.
    let Some(vantage) = (unsafe { MODULE.vantage.get().as_mut() }) else { return has_more };
    // A truth value: the upper half of the word is undefined.
    if has_more as i32 != 0 {
        // SAFETY: the engine filled it with a C string.
        let word = unsafe { CStr::from_ptr(to.cast()) };
        vantage.read(&word.to_string_lossy());
        return has_more;
    }
    match vantage.add() {
        Some(word) => {
            copy_word(word.as_bytes(), to, length);
            1
        }
        None => 0,
    }
}

/// Into the game's own buffer, cut to its length.
fn copy_word(word: &[u8], to: *mut u8, length: i32) {
    let room = usize::try_from(length).unwrap_or(0);
    if room == 0 {
        return;
    }
    let count = word.len().min(room - 1);
    // SAFETY: the game passed a buffer of `length` bytes to be filled with a C string.
    unsafe {
        std::ptr::copy_nonoverlapping(word.as_ptr(), to, count);
        *to.add(count) = 0;
    }
}

/// Passes user settings on with a handicap of 100: the game gives its weaker bots less health besides.
fn set_equal_userinfo(engine: Engine, client: isize, text: isize) -> isize {
    let mut equal = [0u8; abi::USERINFO_BYTES];
    // SAFETY: the game passes a C string.
    let given = unsafe { CStr::from_ptr(text as *const c_char) };
    let text = if with_handicap_100(given.to_bytes(), &mut equal) { equal.as_ptr() } else { given.as_ptr().cast() };
    // SAFETY: a slot and a C string, as the game passed them.
    unsafe { (engine.syscall())(call::SET_USERINFO, client, text) }
}

/// False if there is nothing to change, or it does not fit.
fn with_handicap_100(given: &[u8], equal: &mut [u8; abi::USERINFO_BYTES]) -> bool {
    const KEY: &[u8] = b"\\handicap\\";
    let Some(start) = given.windows(KEY.len()).position(|part| part == KEY).map(|at| at + KEY.len()) else {
        return false;
    };
    let end = given[start..].iter().position(|&byte| byte == b'\\').map_or(given.len(), |length| start + length);
    let parts = [&given[..start], b"100", &given[end..]];
    let total: usize = parts.iter().map(|part| part.len()).sum();
    if total >= equal.len() {
        return false;
    }
    let mut rest = &mut equal[..];
    for part in parts {
        let (to, after) = rest.split_at_mut(part.len());
        to.copy_from_slice(part);
        rest = after;
    }
    true
}

/// The game's tables, if they have the layout we know.
fn fits([count, entity_size, client_size]: [isize; 3], entities: isize, clients: isize) -> Option<Game> {
    // The upper half of a word that was passed as an int is undefined.
    let known = entity_size as i32 as usize == size_of::<abi::Entity>()
        && client_size as i32 as usize == size_of::<abi::Client>();
    let entity_count = usize::try_from(count as i32).ok()?;
    known.then_some(Game { entities: entities as *mut _, entity_count, clients: clients as *mut _ })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handicap_becomes_100_wherever_it_stands() {
        let equal = |given: &str| {
            let mut buffer = [0; abi::USERINFO_BYTES];
            let is_changed = with_handicap_100(given.as_bytes(), &mut buffer);
            let text = CStr::from_bytes_until_nul(&buffer).expect("its end is zero").to_str().expect("as given");
            is_changed.then(|| text.to_owned())
        };
        assert_eq!(equal("\\name\\x\\handicap\\50\\skill\\1").as_deref(), Some("\\name\\x\\handicap\\100\\skill\\1"));
        assert_eq!(equal("\\handicap\\70").as_deref(), Some("\\handicap\\100"));
        assert_eq!(equal("\\name\\x"), None);
        assert_eq!(equal(&format!("\\handicap\\5\\x\\{}", "y".repeat(1008))), None);
    }
}
