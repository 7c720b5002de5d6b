//! The real engine's word against ours, out of the captures; its maps, its bots, and its server under our hand.
//!
//! One program: each of these would link the same crates anew, and most have a single long test that leaves a core idle.

mod blasts;
mod flights;
mod labelled_areas;
mod maps;
mod movers;
mod moves;
mod server;
mod stock_bots;
mod traces;
