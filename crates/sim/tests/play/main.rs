//! The embedded game, played by players who do as they are told, and by bots.

mod civilians;
mod determinism;
mod eyes;
mod fire;
mod forks;
mod ground;
mod hiding;
mod prone;
mod recordings;
mod rules;
mod stats;
mod supplies;
mod support;
mod ways;
