//! Recorded frames played again through `fireteam_world`, and how far it strays from the record.

pub mod moves;
pub mod traces;
