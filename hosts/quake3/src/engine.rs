//! The engine's calls with types, and the game's memory with bounds.
//!
//! An engine call may leave by `longjmp` (the engine's error path), so no frame below a call owns anything that would
//! have to be dropped: callers pass slices and plain values, and keep what they own in `capture::Capture` or
//! `bots::Playing`, which live as long as the level.

use std::ffi::CStr;
use std::io::Write;

use fireteam_world::{Sweep, Vec3};

use crate::abi::{self, BotGoal, Client, Entity, PlayerState, Syscall, UserCommand, call};

/// The longest line of the console that is passed on, with its end.
const LINE_BYTES_MAX: usize = 256;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine {
    syscall: Syscall,
}

impl Engine {
    /// `syscall` must be what the engine gave to `dllEntry`.
    pub(crate) fn new(syscall: Syscall) -> Engine {
        Engine { syscall }
    }

    pub(crate) fn syscall(self) -> Syscall {
        self.syscall
    }

    pub(crate) fn print(self, text: &CStr) {
        // SAFETY: PRINT reads a C string.
        unsafe { (self.syscall)(call::PRINT, text.as_ptr()) };
    }

    /// The value of a cvar, cut to `buffer`; empty if there is none.
    pub(crate) fn cvar<'a>(self, name: &CStr, buffer: &'a mut [u8; 256]) -> &'a str {
        // SAFETY: the engine writes at most 256 bytes, the last of them zero.
        unsafe { (self.syscall)(call::CVAR_STRING, name.as_ptr(), buffer.as_mut_ptr(), buffer.len() as isize) };
        text_in(buffer)
    }

    /// A cvar with its default, for the console to know; whatever it was set to stays.
    pub(crate) fn register_cvar(self, name: &CStr, default: &CStr) {
        const NO_FLAGS: isize = 0;
        // SAFETY: reads two C strings; with no `vmCvar_t` nothing is written.
        unsafe {
            (self.syscall)(
                call::CVAR_REGISTER,
                std::ptr::null_mut::<std::ffi::c_void>(),
                name.as_ptr(),
                default.as_ptr(),
                NO_FLAGS,
            )
        };
    }

    pub(crate) fn set_cvar(self, name: &CStr, value: &CStr) {
        // SAFETY: reads two C strings.
        unsafe { (self.syscall)(call::CVAR_SET, name.as_ptr(), value.as_ptr()) };
    }

    /// Sets a cvar to a number.
    pub(crate) fn set_number(self, name: &CStr, value: usize) {
        let mut buffer = [0u8; 24];
        let mut rest = &mut buffer[..];
        // Twenty digits at most.
        if write!(rest, "{value}").is_ok()
            && let Ok(text) = CStr::from_bytes_until_nul(&buffer)
        {
            self.set_cvar(name, text);
        }
    }

    /// A word of the console command that is being carried out, cut to `buffer`; empty if there are fewer.
    pub(crate) fn word(self, index: usize, buffer: &mut [u8; 256]) -> &str {
        // SAFETY: the engine writes at most 256 bytes, the last of them zero.
        unsafe { (self.syscall)(call::ARGV, index as isize, buffer.as_mut_ptr(), buffer.len() as isize) };
        text_in(buffer)
    }

    /// A line that the game sends to all clients, cut to `buffer`; empty if it has not said anything.
    pub(crate) fn config_line(self, index: isize, buffer: &mut [u8; 256]) -> &str {
        // SAFETY: the engine writes at most 256 bytes, the last of them zero, for an index below the most there are.
        unsafe { (self.syscall)(call::GET_CONFIGSTRING, index, buffer.as_mut_ptr(), buffer.len() as isize) };
        text_in(buffer)
    }

    /// What a client says of itself.
    pub(crate) fn userinfo(self, client: usize, buffer: &mut [u8; abi::USERINFO_BYTES]) -> &str {
        // SAFETY: the engine writes at most so many bytes, the last of them zero, for a slot below the most there are.
        unsafe { (self.syscall)(call::GET_USERINFO, client as isize, buffer.as_mut_ptr(), buffer.len() as isize) };
        text_in(buffer)
    }

    /// Carries out a line of the console before the next frame; what does not fit `LINE_BYTES_MAX` is refused.
    pub(crate) fn append_console_line(self, line: &str) -> bool {
        let mut buffer = [0u8; LINE_BYTES_MAX];
        let Some(room) = buffer.get_mut(..line.len()).filter(|_| line.len() + 1 < LINE_BYTES_MAX) else { return false };
        room.copy_from_slice(line.as_bytes());
        buffer[line.len()] = b'\n';
        let Ok(text) = CStr::from_bytes_until_nul(&buffer) else { return false };
        self.append_console_command(text);
        true
    }

    pub(crate) fn append_console_command(self, text: &CStr) {
        // SAFETY: reads a C string.
        unsafe { (self.syscall)(call::SEND_CONSOLE_COMMAND, abi::EXEC_APPEND, text.as_ptr()) };
    }

    pub(crate) fn trace(self, sweep: &Sweep, pass: i32) -> abi::Trace {
        let mut trace = abi::Trace::default();
        let (start, end) = (sweep.start.to_array(), sweep.end.to_array());
        let (mins, maxs) = (sweep.hull.mins.to_array(), sweep.hull.maxs.to_array());
        // SAFETY: TRACE fills one `trace_t` and reads four vectors; all live until it returns.
        unsafe {
            (self.syscall)(
                call::TRACE,
                &raw mut trace,
                start.as_ptr(),
                mins.as_ptr(),
                maxs.as_ptr(),
                end.as_ptr(),
                pass as isize,
                sweep.mask.0 as isize,
            );
        }
        trace
    }

    pub(crate) fn point_contents(self, point: Vec3) -> i32 {
        let point = point.to_array();
        // SAFETY: reads one vector.
        unsafe { (self.syscall)(call::POINT_CONTENTS, point.as_ptr(), abi::ENTITY_NONE as isize) as i32 }
    }

    /// Both points must lie inside the map: the engine looks up their clusters unchecked.
    pub(crate) fn in_pvs(self, a: Vec3, b: Vec3) -> bool {
        let (a, b) = (a.to_array(), b.to_array());
        // SAFETY: reads two vectors.
        unsafe { (self.syscall)(call::IN_PVS, a.as_ptr(), b.as_ptr()) as i32 != 0 }
    }

    pub(crate) fn link(self, entity: *mut Entity) {
        // SAFETY: `entity` comes from `Game::entity_pointer`, an element of the game's own table.
        unsafe { (self.syscall)(call::LINK_ENTITY, entity) };
    }

    /// Whether the stock bots' navigation of this map is ready.
    pub(crate) fn has_navigation(self) -> bool {
        // SAFETY: takes no argument.
        unsafe { (self.syscall)(call::AAS_INITIALIZED) as i32 != 0 }
    }

    /// The area a stock bot with this origin would believe to be in; 0 for none.
    pub(crate) fn reachability_area(self, origin: Vec3) -> i32 {
        let origin = origin.to_array();
        // SAFETY: reads one vector. The second word is whom its traces pass through, nobody here.
        unsafe { (self.syscall)(call::BOT_REACHABILITY_AREA, origin.as_ptr(), abi::ENTITY_NONE as isize) as i32 }
    }

    /// The next goal called `name` after the one numbered `after` (-1 for the first).
    pub(crate) fn level_item_goal(self, after: i32, name: &CStr) -> Option<BotGoal> {
        let mut goal = BotGoal::default();
        // SAFETY: reads a C string and fills one `bot_goal_t`.
        let found =
            unsafe { (self.syscall)(call::BOT_LEVEL_ITEM_GOAL, after as isize, name.as_ptr(), &raw mut goal) as i32 };
        (found >= 0).then_some(goal)
    }

    /// Hundredths of a second from a place in one area to another area; 0 if there is no way.
    pub(crate) fn travel_time(self, from_area: i32, from: Vec3, to_area: i32, travel_flags: i32) -> i32 {
        let from = from.to_array();
        // SAFETY: reads one vector; areas that do not exist are answered with 0.
        unsafe {
            (self.syscall)(
                call::AAS_TRAVEL_TIME,
                from_area as isize,
                from.as_ptr(),
                to_area as isize,
                travel_flags as isize,
            ) as i32
        }
    }

    /// A free client slot, taken.
    pub(crate) fn allocate_client(self) -> Option<usize> {
        // SAFETY: takes no argument.
        usize::try_from(unsafe { (self.syscall)(call::BOT_ALLOCATE_CLIENT) as i32 }).ok()
    }

    /// Gives back a slot whose client never came in.
    pub(crate) fn free_client(self, client: usize) {
        // SAFETY: a slot the engine gave us.
        unsafe { (self.syscall)(call::BOT_FREE_CLIENT, client as isize) };
    }

    pub(crate) fn set_userinfo(self, client: usize, userinfo: &CStr) {
        // SAFETY: reads a C string for a client slot the engine gave us.
        unsafe { (self.syscall)(call::SET_USERINFO, client as isize, userinfo.as_ptr()) };
    }

    /// Calls back into `vmMain` before it returns.
    pub(crate) fn drop_client(self, client: usize, reason: &CStr) {
        // SAFETY: reads a C string for a client slot the engine gave us.
        unsafe { (self.syscall)(call::DROP_CLIENT, client as isize, reason.as_ptr()) };
    }

    /// Throws away what the server had to say to a client; without this it is dropped after 64 messages.
    pub(crate) fn drain_messages(self, client: usize) {
        let mut buffer = [0u8; 1024];
        // SAFETY: the engine writes at most 1024 bytes.
        while unsafe {
            (self.syscall)(call::BOT_GET_MESSAGE, client as isize, buffer.as_mut_ptr(), buffer.len() as isize) as i32
        } != 0
        {}
    }

    /// Calls back into `vmMain` before it returns.
    pub(crate) fn press(self, client: usize, command: &UserCommand) {
        // SAFETY: reads one `usercmd_t`.
        unsafe { (self.syscall)(call::BOT_USER_COMMAND, client as isize, &raw const *command) };
    }
}

/// A C string; empty if it is not UTF-8.
fn text_in(buffer: &[u8]) -> &str {
    CStr::from_bytes_until_nul(buffer).ok().and_then(|text| text.to_str().ok()).unwrap_or("")
}

/// The game's tables, as the stock module announced them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Game {
    pub(crate) entities: *mut Entity,
    pub(crate) entity_count: usize,
    pub(crate) clients: *mut Client,
}

impl Game {
    pub(crate) fn entity_pointer(&self, index: usize) -> *mut Entity {
        assert!(index < self.entity_count, "entity {index} of {}", self.entity_count);
        // SAFETY: the stock module announced `entity_count` entities of this size (`wrap::fits`).
        unsafe { self.entities.add(index) }
    }

    /// The entity as it is now; the reference must not outlive the next call into engine or game.
    pub(crate) fn entity(&self, index: usize) -> &Entity {
        // SAFETY: in bounds as above; the game's memory is plain old data and nothing else runs while we look.
        unsafe { &*self.entity_pointer(index) }
    }

    /// Not while another reference from here is alive.
    pub(crate) fn entity_mut(&mut self, index: usize) -> &mut Entity {
        // SAFETY: as in `entity`; `&mut self` keeps a second borrow through this value away.
        unsafe { &mut *self.entity_pointer(index) }
    }

    pub(crate) fn client_pointer(&self, index: usize) -> *const Client {
        assert!(index < abi::CLIENTS_MAX, "client {index}");
        // SAFETY: the game keeps 64 clients of this size in one table.
        unsafe { self.clients.add(index) }
    }

    pub(crate) fn player(&self, index: usize) -> &PlayerState {
        assert!(index < abi::CLIENTS_MAX, "client {index}");
        // SAFETY: the game keeps 64 clients of this size in one table.
        unsafe { &(*self.clients.add(index)).player }
    }

    pub(crate) fn player_mut(&mut self, index: usize) -> &mut PlayerState {
        assert!(index < abi::CLIENTS_MAX, "client {index}");
        // SAFETY: as in `player`.
        unsafe { &mut (*self.clients.add(index)).player }
    }

    pub(crate) fn is_in_use(&self, index: usize) -> bool {
        index < self.entity_count && self.entity(index).in_use != 0
    }
}
