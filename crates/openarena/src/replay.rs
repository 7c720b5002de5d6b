//! Recorded frames played again through `fireteam_world`, and how far it strays from the record.

pub mod blasts;
pub mod flights;
pub mod movers;
pub mod moves;
pub mod traces;
