//! The embedded game: soldiers, rounds, rifles and grenades in any map, so that bots can play with nothing installed.
//!
//! A [`Match`] shows a [`Snapshot`](fireteam::Snapshot) and takes [`Command`](fireteam::Command)s, as any host's engine
//! does; it is headless and deterministic: the same field, roster, seed and commands give the same match, bit for bit
//! ([`Match::fingerprint`]). Bodies, missiles, blasts and doors are `fireteam-world`'s; here are hands, rules and items.
//! All numbers come from the game's description. `skirmish` is what it is for; any game whose kernels are known plays.
//!
//! Read [`Match::step`] downwards: each line is a file. Not here: minds (`fireteam`), clocks, pictures, files.

mod game;

mod arms;
mod items;
mod legs;
mod missiles;
mod shots;

mod civilians;
mod ground;
mod harm;
mod rounds;
mod soldier;
mod spawns;

mod fingerprint;
mod shown;

pub mod fork;
pub mod honesty;
pub mod roster;
pub mod stats;
pub mod stuck;

pub use game::Match;
pub use roster::{Member, Roster};
pub use rounds::Standing;
pub use soldier::Score;
