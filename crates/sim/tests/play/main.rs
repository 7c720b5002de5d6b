//! The embedded game, played by players who do as they are told, and by bots.

mod determinism;
mod ground;
mod recordings;
mod rules;
mod support;
