//! What moves by itself: doors, lifts, trains, and the way any of them is told to a client.

pub mod motion;

pub use motion::{Motion, MotionKind};
