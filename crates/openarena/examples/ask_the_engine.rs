//! Asks a real OpenArena server what a ray hits and lets a player walk: `cargo run --example ask_the_engine [MAP]`.
//!
//! You will see the server's own description, a ray straight down from every spawn point, and half a second of walking.
//! Needs the module: `cargo build --release -p fireteam-quake3`. Change the map first, then the command.

use std::error::Error;
use std::path::PathBuf;

use fireteam_openarena::Install;
use fireteam_openarena::capture::rows::{Body, Command, Drive};
use fireteam_openarena::capture::{Limits, MODULE_FILE, Oracle};
use fireteam_world::{Contents, Sweep, Vec3};

fn main() -> Result<(), Box<dyn Error>> {
    let map = std::env::args().nth(1).unwrap_or_else(|| "oa_dm1".to_owned());
    let install = Install::find_or_fetch(&mut |line| eprintln!("{line}"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let module = target.join("release").join(MODULE_FILE);
    let mut oracle = Oracle::start(&install, &module, &map, &Limits::default())?;
    println!("{:?}", oracle.head()?);

    let entities = oracle.entities()?;
    let spawns: Vec<Vec3> =
        entities.iter().filter(|row| row.class.starts_with("info_player")).map(|row| row.spawn_origin).collect();
    let rays: Vec<Sweep> =
        spawns.iter().map(|&spot| Sweep::ray(spot, spot - Vec3::Z * 1000.0, Contents::MASK_SOLID)).collect();
    for (ray, answer) in rays.iter().zip(oracle.traces(&rays)?) {
        println!("{} -> {} on entity {}", ray.start, answer.end, answer.entity);
    }

    let Some(&origin) = spawns.first() else { return Ok(()) };
    let walk = Command { forward: 127, weapon: 2, ..Command::default() };
    let body =
        Body { origin: origin + Vec3::Z * 9.0, health: 100, weapon: 2, commands: vec![walk; 10], ..Body::default() };
    for frame in oracle.drive(&Drive { frames: 10, bodies: vec![body], probes: Vec::new() })? {
        println!("{} ms: at {} with {}", frame.time, frame.players[0].origin, frame.players[0].velocity);
    }
    Ok(())
}
