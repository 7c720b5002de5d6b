//! What is solid in a shooter's map, and how things move through it.
//!
//! A map of any source becomes one [`Map`]; a `Map` becomes [`Solids`], which answer "what would the engine hit?".
//! Player movement, grenade flight, blast and movers are built on those answers and exist only here: the bake, the
//! bots and the embedded game all call the same functions, and captures from a real engine test them.
//!
//! Units are Quake's: lengths in units (about an inch), z up, angles in degrees with pitch positive downwards.
//! Nothing here knows a bot or a clock; chance is drawn only from a [`pcg::Pcg`] that the caller seeds.

pub mod contents;
pub mod maths;
pub mod pcg;
pub mod units;

pub mod crowd;
pub mod map;
pub mod patch;
pub mod solids;
pub mod trace;

pub mod movement;

pub mod blast;
pub mod flight;
pub mod game;
pub mod mover;
pub mod throwing;
pub mod toss;

pub mod walker;

pub use contents::{Contents, SurfaceFlags};
pub use crowd::Crowd;
pub use game::Game;
pub use glam::Vec3;
pub use map::Map;
pub use solids::{Blocker, Solids};
pub use trace::{Body, Bounds, Hull, Placed, Scene, Struck, Sweep, Trace};
