//! What the real engine does: questions, answers, and how both are kept.
//!
//! [`rows`] is the plain data, [`field`] how it is written down (bytes or text), [`wire`] what travels between an asking
//! program and our game module, [`oracle`] the asking side. The answering side is `hosts/quake3`. [`plan`] makes up the
//! questions; [`traces`] and its neighbours hold what is kept of the answers, [`kept`] in which files.
//!
//! What the server can tell of a terrain: [`navigation`], the ways its own bots know; [`visits`], the places where players
//! were; [`follow`], a route walked by a [`guest`], one client of ours that is driven frame by frame.

pub mod field;
pub mod follow;
pub mod guest;
pub mod kept;
pub mod navigation;
pub mod oracle;
pub mod plan;
pub mod race;
pub mod rows;
pub mod runs;
pub mod traces;
pub mod visits;
pub mod wire;

pub use kept::{Kept, KeptError, Origin};
pub use oracle::{CaptureError, Limits, MODULE_FILE, Oracle, module_beside, run};
pub use runs::Run;
pub use traces::TraceScene;
