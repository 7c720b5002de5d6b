//! Asks the game's own bots which items they know a way to: `cargo run --example ask_the_bots [MAP ...]`.
//!
//! You will see one line a map (all installed ones if none is named): pairs of a spawn and an item, how many of them a
//! stock bot reaches, and how many if it may rocket-jump. Needs the module: `cargo build --release -p fireteam-quake3`.

use std::error::Error;
use std::path::PathBuf;

use fireteam_openarena::Install;
use fireteam_openarena::capture::navigation::{self, Reach};
use fireteam_openarena::capture::{Limits, MODULE_FILE};

fn main() -> Result<(), Box<dyn Error>> {
    let install = Install::find_or_fetch(&mut |line| eprintln!("{line}"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let module = target.join("release").join(MODULE_FILE);
    let named: Vec<String> = std::env::args().skip(1).collect();
    let maps = if named.is_empty() { install.maps()? } else { named };
    let mut total = Reach::default();
    for map in maps {
        let navigation = navigation::ask(&install, &module, &map, &Limits::default())?;
        let Reach { pairs, usual, rocket } = navigation.items_reached();
        let (spawns, items) = (navigation.spawns.len(), navigation.items.len());
        println!("{map:16} {spawns:3} spawns {items:4} items: {usual:6} of {pairs:6}, {rocket:6} with rocket jumps");
        total = Reach { pairs: total.pairs + pairs, usual: total.usual + usual, rocket: total.rocket + rocket };
    }
    println!("{:40} {:6} of {:6}, {:6} with rocket jumps", "all", total.usual, total.pairs, total.rocket);
    Ok(())
}
