//! Fights: one bot with its whole mind, enemies that do as the test says, frames of 50 ms.

mod alarms;
mod character;
mod choices;
mod duel;
mod getting_away;
mod habits;
mod powers;
