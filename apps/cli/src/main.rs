//! The fireteam command.

fn main() {}
