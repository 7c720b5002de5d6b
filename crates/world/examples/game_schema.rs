//! Prints every key a game description may have, as the table in `docs/games.md`: `cargo run -p fireteam-world --example game_schema`.
//!
//! You will see one row a key: what it takes, what holds without it, what it means. After changing
//! `crates/world/src/game/tables.rs`, paste the output into the docs; a test compares them.

fn main() {
    print!("{}", fireteam_world::Game::schema_markdown());
}
