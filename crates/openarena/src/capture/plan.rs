//! What to ask: places to start from and questions worth asking, drawn from a seed.
//!
//! All chance is here, in the asking program; the module only answers. The same seed, map and game give the same
//! questions and so the same rows.

pub mod blasts;
pub mod movers;
pub mod moves;
pub mod places;
pub mod routes;
pub mod throws;
pub mod traces;
