//! One throw of a terrain, drawn: `fireteam inspect FILE --throws FROM AT`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use clap::Args;
use fireteam_terrain::{Terrain, WaypointId};
use fireteam_world::{Game, Map};

use crate::exhibit::{Pick, Stage};
use crate::spot::Spot;
use crate::{demo, maps, output, picture};

/// Which throw.
#[derive(Args, Debug)]
pub(super) struct Thrown {
    /// Draw the throw from one spot at another, from above and from the side, with what is thought of it; a spot is a
    /// waypoint (w12) or a place (x,y,z)
    #[arg(
        long,
        num_args = 2,
        value_names = ["FROM", "AT"],
        allow_hyphen_values = true,
        conflicts_with_all = ["json", "dump", "import", "picture"]
    )]
    throws: Option<Vec<Spot>>,

    /// The map the terrain was made from; without it, the one of its name
    #[arg(long, value_name = "FILE|NAME", requires = "throws")]
    map: Option<String>,

    /// The game it was made for, as for `fireteam bake`
    #[arg(long, value_name = "NAME|FILE", default_value = "openarena", requires = "throws")]
    game: String,

    /// What is thrown, as the game calls it; without it, its hand grenade
    #[arg(long, value_name = "NAME", requires = "throws")]
    throwable: Option<String>,
}

impl Thrown {
    pub(super) fn is_asked_for(&self) -> bool {
        self.throws.is_some()
    }
}

/// Draws it into a file and says where that is.
pub(super) fn draw(asked: &Thrown, terrain: Terrain, out: Option<&Path>) -> Result<()> {
    let [from, at] = asked.throws.as_deref().unwrap_or_default() else { bail!("--throws takes two spots") };
    let (from, at) = (from.on(&terrain)?, at.on(&terrain)?);
    let map = maps::load(asked.map.as_deref().unwrap_or(&terrain.provenance.map_name))?;
    let game = demo::load_game(&asked.game)?;
    check_origin(&terrain, &map, &game)?;
    let stage = Stage::new(map, game, terrain, asked.throwable.as_deref())?;
    let pick = wanted(&stage, from, at)?;
    let crowd = stage.crowd(pick.door);
    let exhibit = stage.exhibit(pick, &crowd);
    let bytes = picture::small_png(&picture::throw::draw(&stage, &exhibit, &crowd)?)?;
    let default = || PathBuf::from(format!("fireteam-{}-w{}-w{}.png", stage.map.name, from.0, at.0));
    let path = out.map_or_else(default, Path::to_owned);
    output::write_whole(&path, &bytes)?;
    println!("picture  {}", path.display());
    Ok(())
}

/// A throw flown through another map, or by other rules, would look real and be wrong.
pub(crate) fn check_origin(terrain: &Terrain, map: &Map, game: &Game) -> Result<()> {
    let origin = &terrain.provenance;
    ensure!(
        origin.map == map.digest,
        "the terrain was made from another map than {}: name the right one with --map",
        map.name
    );
    ensure!(
        origin.physics == game.physics_digest(),
        "the terrain was made for another game than {}: name the right one with --game",
        game.name
    );
    Ok(())
}

/// The throw for a pair, or what there is instead of it.
fn wanted(stage: &Stage, from: WaypointId, at: WaypointId) -> Result<Pick> {
    if let Some(pick) = stage.pick(from, at) {
        return Ok(pick);
    }
    let origins = &stage.terrain.waypoints.origin;
    let near = |waypoint: &WaypointId| origins[waypoint.index()].distance(origins[at.index()]);
    let mut others: Vec<WaypointId> =
        stage.terrain.waypoints.ids().filter(|other| stage.pick(from, *other).is_some()).collect();
    others.sort_by(|a, b| near(a).total_cmp(&near(b)));
    let (f, a) = (from.0, at.0);
    match others.len() {
        0 => bail!("nothing can be hit from w{f} by a {}", stage.throwable_name),
        count => {
            let nearest: Vec<String> = others.iter().take(5).map(|other| format!("w{}", other.0)).collect();
            bail!(
                "there is no throw from w{f} at w{a}: {count} other waypoints can be hit from there, the nearest to w{a} \
                 are {}",
                nearest.join(", ")
            )
        }
    }
}
