//! The Quake III game module: stands between the engine and the stock game module and passes everything through.
//!
//! The engine loads this library as `qagamex86_64.so` and calls `dllEntry` once, then `vmMain` for everything ([`wrap`]).
//! The cvar `ft_mode` chooses what else happens. When it is empty or `bots`, bots of ours play as soon as somebody wants
//! them ([`bots`]; `docs/openarena.md` is for operators); `capture` answers questions about the map and drives clients
//! for an asking program (`fireteam_openarena::capture`).
//!
//! Rules of the house, which every function here keeps: the engine is single threaded and may come back into `vmMain`
//! from within a call; it may also leave a call by `longjmp`, so a frame that calls the engine owns nothing that needs
//! dropping, and panics are caught only around code that makes no engine call.

mod abi;
mod bots;
mod capture;
mod client;
mod engine;
mod race;
mod vantage;
mod wrap;
