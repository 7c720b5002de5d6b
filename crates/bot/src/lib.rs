//! Bots for first-person shooters: from what the engine shows to what a player would press.
//!
//! A game hands over a [`Snapshot`] each frame and gets a [`Command`] for each bot ([`Bots::think`]). Between the two,
//! in the order of the frame: what a bot perceives, what it remembers, what its behaviours bid for, the goals that win,
//! and legs, eyes and hands that carry them out.
//!
//! Bots know only what they perceived and act only through what a player could press. Nothing here opens a file, reads a
//! clock, prints, starts a thread or draws a number from anything but the seed it was given; nothing here can fail.

pub mod command;
pub mod snapshot;

pub mod arsenal;
pub mod convar;
pub mod field;

mod bots;
pub mod character;
pub mod craft;

pub mod perceive;

pub mod memory;

pub mod team;

pub mod legs;
pub mod searches;
pub mod wear;

pub mod behaviour;
pub mod goal;
pub mod journal;
mod monitors;
pub mod mood;

pub mod aim;
pub mod grenades;
pub mod gunnery;

pub mod insight;
pub mod profile;
pub mod recording;

pub use arsenal::Arsenal;
pub use bots::Bots;
pub use character::{Character, Skill, Traits};
pub use command::Command;
pub use convar::ConVars;
pub use field::{Field, Unfit};
pub use snapshot::Snapshot;
