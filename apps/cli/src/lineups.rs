//! The line-up book of a map: `fireteam lineups MAP`.
//!
//! In: a map, and its terrain if there is one already. Out: one HTML page with the map's best throws at places the
//! thrower does not see, each with where to stand, what to aim at and what it does. The page needs nothing beside it: pictures
//! are part of it, and it has no script.
//!
//! [`choose`] picks the throws, [`page`] writes them down. Cost: a second or two for choosing, half a second a throw.

mod choose;
mod page;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use fireteam_terrain::Terrain;
use fireteam_terrain::file::{self, Wanted};
use fireteam_world::{Game, Map};

use crate::bake::Watch;
use crate::exhibit::Stage;
use crate::picture::throw;
use crate::{demo, maps, output, terrains};

/// Write a map's line-up book: its best bounced throws on one page, with where to stand and what to aim at
#[derive(Args, Debug)]
pub(crate) struct Lineups {
    /// A built-in map, a .map or .bsp file, `some.pk3:NAME`, or a map of an installed OpenArena
    #[arg(value_name = "MAP", default_value = maps::DEFAULT)]
    map: String,

    /// Whose grenades: openarena, skirmish, action, or a .toml file of your own
    #[arg(long, value_name = "NAME|FILE", default_value = "openarena")]
    game: String,

    /// What is thrown, as the game calls it; without it, its hand grenade
    #[arg(long, value_name = "NAME")]
    throwable: Option<String>,

    /// How many throws the book has, if the map has as many that differ
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    count: u16,

    /// The map's terrain, as `fireteam bake` made it for this game; without it, it is baked now and kept for next time
    #[arg(long, value_name = "FILE")]
    terrain: Option<PathBuf>,

    /// Where to put the page; without it, fireteam-MAP-lineups.html in this folder
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

pub(crate) fn run(asked: &Lineups) -> Result<ExitCode> {
    let watch = Watch::begin(1, false)?;
    let map = maps::load(&asked.map)?;
    let game = demo::load_game(&asked.game)?;
    let terrain = terrain(asked, &map, &game, &watch)?;
    let stage = Stage::new(map, game, terrain, asked.throwable.as_deref())?;
    watch.complain(&format!("{}: looking through {} throws", stage.map.name, stage.table().len()));
    let found = choose::choose(&stage, usize::from(asked.count));
    if found.lineups.is_empty() {
        bail!("{} has no throw for the book: {}", stage.map.name, found.why_fewer(usize::from(asked.count)));
    }
    let page = page::write(&stage, &found, usize::from(asked.count), |number| {
        watch.complain(&format!("{}: throw {number} of {}", stage.map.name, found.lineups.len()));
        !watch.is_stopped()
    })?;
    let Some(page) = page else { bail!("stopped before the book was done; nothing was written") };
    let default = || PathBuf::from(format!("fireteam-{}-lineups.html", stage.map.name));
    let path = asked.out.clone().unwrap_or_else(default);
    output::write_whole(&path, page.as_bytes())?;
    for (number, (exhibit, way)) in (1..).zip(&found.lineups) {
        watch.say(&format!(
            "{number:>3}. w{} at w{}: {}, {}, {} of {} hit, {:.0} points",
            exhibit.pick.from.0,
            exhibit.pick.at.0,
            way.words(),
            throw::counted(exhibit.salvo.steady.bounces, "bounce"),
            exhibit.hits(),
            exhibit.unsteady.len(),
            exhibit.verdict.points
        ));
    }
    watch.say(&format!(
        "{}: {} throws out of {} that a person might throw, {:.1} MB, {}",
        stage.map.name,
        found.lineups.len(),
        found.looked_at,
        page.len() as f64 * 1e-6,
        path.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn terrain(asked: &Lineups, map: &Map, game: &Game, watch: &Watch) -> Result<Terrain> {
    match &asked.terrain {
        Some(path) => {
            let wanted = Wanted { map: Some(map.digest), physics: Some(game.physics_digest()), settings: None };
            Ok(file::open(path, &wanted)?)
        }
        None => terrains::with_throws(map, game, None, watch),
    }
}
