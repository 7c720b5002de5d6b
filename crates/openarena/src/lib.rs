//! The real OpenArena server, as an oracle: find or fetch it, start it without anyone noticing, ask it questions.
//!
//! [`install`] finds a server on this machine, or one fetched earlier into a cache folder, or fetches it. [`server`]
//! runs it headless on loopback in a scratch folder with our game module in place of the stock one. [`capture`] is what
//! is asked through that module and what the engine answered: plain rows, shared by the module, the tests that replay
//! them and the benchmarks.
//!
//! No code of the game is here or linked here: everything is spoken over files, a socket and a child process.

pub mod capture;
pub mod cast;
pub mod clock;
pub mod fetch;
pub mod install;
pub mod physics;
pub mod play;
pub mod replay;
pub mod server;

pub use install::{Install, InstallError};
pub use server::{Server, ServerError, ServerSettings};
