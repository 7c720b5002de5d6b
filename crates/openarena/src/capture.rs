//! What the real engine does: questions, answers, and how both are kept.
//!
//! [`rows`] is the plain data, [`field`] how it is written down (bytes or text), [`wire`] what travels between an asking
//! program and our game module, [`oracle`] the asking side. The answering side is `hosts/quake3`.

pub mod field;
pub mod oracle;
pub mod rows;
pub mod wire;

pub use oracle::{CaptureError, Limits, MODULE_FILE, Oracle, run};
