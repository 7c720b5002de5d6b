//! Between engine and stock module: loads the stock module, forwards every command and call, and watches the frame.
//!
//! The engine unloads and reloads its module at every map change. The stock module must go with us (`dlclose` after its
//! shutdown), or its static data would survive into the next level and corrupt it.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};

use crate::abi::{self, DllEntry, Syscall, VmMain, call, command};
use crate::capture::{self, Capture};
use crate::engine::{Engine, Game};

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
    /// The process that started the server and must outlive it; 0 for none.
    parent: Cell<u32>,
    frame_time: Cell<i32>,
}

// SAFETY: the engine calls its game module from one thread only.
unsafe impl Sync for Module {}

static MODULE: Module = Module {
    engine: Cell::new(None),
    stock: Cell::new(None),
    game: Cell::new(None),
    capture: Cell::new(std::ptr::null_mut()),
    parent: Cell::new(0),
    frame_time: Cell::new(0),
};

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(handle: *mut c_void) -> c_int;
}
const RTLD_NOW: c_int = 2;

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
        command::SHUTDOWN => shutdown(stock, a0),
        // SAFETY: as in `Stock::command`.
        _ => unsafe { (stock.vm_main)(command, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) },
    }
}

fn init(engine: Engine, level_time: c_int, random_seed: c_int, restart: c_int) -> isize {
    let Some(stock) = load_stock(engine) else {
        engine.append_console_command(c"quit\n");
        return 0;
    };
    MODULE.stock.set(Some(stock));
    MODULE.frame_time.set(level_time);
    MODULE.parent.set(number(engine, c"ft_parent").unwrap_or(0));
    let seed = number(engine, c"ft_seed").unwrap_or(random_seed);
    let result = stock.command(command::INIT, level_time, seed, restart);
    choose_mode(engine);
    result
}

fn choose_mode(engine: Engine) {
    let mut buffer = [0; 256];
    match engine.cvar(c"ft_mode", &mut buffer) {
        "" => {}
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
        _ => engine.print(c"fireteam: ft_mode is unknown (known: capture); passing everything through\n"),
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
    let capture = MODULE.capture.get();
    let last = MODULE.frame_time.replace(time);
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

fn shutdown(stock: Stock, restart: c_int) -> isize {
    let result = stock.command(command::SHUTDOWN, restart, 0, 0);
    MODULE.stock.set(None);
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

fn load_stock(engine: Engine) -> Option<Stock> {
    let mut buffer = [0; 256];
    let path = engine.cvar(c"ft_stock", &mut buffer);
    let stock = open_stock(path);
    if stock.is_none() {
        engine.print(c"fireteam: the stock game module, named by ft_stock, cannot be loaded\n");
    }
    stock
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
    if n as i32 as isize == call::LOCATE_GAME_DATA {
        MODULE.game.set(fits([b, c, e], a, d));
    }
    // SAFETY: the very words the stock module passed, to the function it meant.
    unsafe { (engine.syscall())(n, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p) }
}

/// The game's tables, if they have the layout we know.
fn fits([count, entity_size, client_size]: [isize; 3], entities: isize, clients: isize) -> Option<Game> {
    // The upper half of a word that was passed as an int is undefined.
    let known = entity_size as i32 as usize == size_of::<abi::Entity>()
        && client_size as i32 as usize == size_of::<abi::Client>();
    let entity_count = usize::try_from(count as i32).ok()?;
    known.then_some(Game { entities: entities as *mut _, entity_count, clients: clients as *mut _ })
}
