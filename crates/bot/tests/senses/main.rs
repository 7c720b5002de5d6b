//! Each sense: where it works, where it stops, and how long it takes; and that nothing else gets in.

mod blindfold;
mod clocks;
mod hearing;
mod sight;
mod support;
mod team;
mod things;
