//! Where a map comes from: built in, a file, or an installed OpenArena.

use std::path::Path;

use anyhow::{Context, Result, bail};
use fireteam_openarena::Install;
use fireteam_world::Map;
use fireteam_world::map::Files;

/// The map that is there without any file.
pub(crate) const DEFAULT: &str = "compound";
const COMPOUND: &str = include_str!("../../../maps/compound.map");

/// Loads what `--map` names: `compound`, a .map or .bsp file, `FOLDER:NAME`, `some.pk3:NAME`, or a map of an
/// installed OpenArena.
pub(crate) fn load(place: &str) -> Result<Map> {
    if place == DEFAULT {
        return Map::from_source("compound.map", COMPOUND).context("the built-in map is broken");
    }
    if place.ends_with(".map") {
        let bytes = std::fs::read(place).with_context(|| format!("cannot read {place}"))?;
        return Ok(Map::from_source(place, &String::from_utf8_lossy(&bytes))?);
    }
    if place.contains(':') || place.ends_with(".bsp") || place.ends_with(".pk3") {
        return Ok(Map::load(place)?);
    }
    if Path::new(place).exists() {
        bail!("{place} is neither a .map nor a .bsp nor a .pk3 file");
    }
    installed(place)
}

fn installed(name: &str) -> Result<Map> {
    let advice = || {
        format!(
            "there is no map called {name}: name a .map or .bsp file, `some.pk3:NAME`, `{DEFAULT}`, \
             or a map of an installed OpenArena"
        )
    };
    let install = Install::find().with_context(advice)?;
    let files = Files::open(&[install.base_path.join("baseoa")])?;
    if !files.maps().iter().any(|map| map == name) {
        bail!(advice());
    }
    Ok(files.map(name)?)
}
