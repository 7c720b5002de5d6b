//! What the real engine does: questions, answers, and how both are kept.
//!
//! [`rows`] is the plain data, [`field`] how it is written down (bytes or text), [`wire`] what travels between an asking
//! program and our game module, [`oracle`] the asking side. The answering side is `hosts/quake3`. [`plan`] makes up the
//! questions; [`traces`] and its neighbours hold what is kept of the answers, [`kept`] in which files.

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
pub use oracle::{CaptureError, Limits, MODULE_FILE, Oracle, run};
pub use runs::Run;
pub use traces::TraceScene;
