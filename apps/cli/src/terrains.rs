//! A map's terrain for whoever is about to play on it: from the cache, or baked now and kept there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fireteam::Field;
use fireteam_bake::{BakeError, BakeSettings, Workshop, bake_in};
use fireteam_openarena::install::cache_folder;
use fireteam_terrain::file::{self, Wanted};
use fireteam_terrain::{Overlay, Terrain};
use fireteam_world::{Game, Map, Solids};

use crate::bake::{Threads, Watch};

/// How a field is traced: nobody can tell but by the time it takes.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Tracing {
    /// Use no instructions that only some CPUs have: slower, and the same to the last bit
    #[arg(long)]
    portable: bool,
}

/// Everything a match needs of a map.
pub(crate) fn field(map: Map, game: Game, watch: &Watch) -> Result<Arc<Field>> {
    let terrain = terrain(&map, &game, watch)?;
    field_on(terrain, map, game, Tracing::default())
}

/// The same on a terrain that is there already.
pub(crate) fn field_on(terrain: Terrain, map: Map, game: Game, tracing: Tracing) -> Result<Arc<Field>> {
    let solids = Solids::build(&map);
    let field = Field::new(Arc::new(map), Arc::new(solids), Arc::new(terrain), Arc::new(game))?;
    Ok(Arc::new(if tracing.portable { field.portable() } else { field }))
}

/// The terrain that something was played on, of which only the digest of its settings is known: a server takes the first
/// it finds, with throws or without, and bakes quickly where there is none.
pub(crate) fn of_settings(digest: &[u8; 32], map: &Map, game: &Game, watch: &Watch) -> Result<Terrain> {
    let wanted = Wanted { map: Some(map.digest), physics: Some(game.physics_digest()), settings: Some(*digest) };
    let kept = cache_folder().ok().map(|cache| cache.join("terrain").join(file_name(map, &wanted)));
    if let Some(Ok(terrain)) = kept.map(|path| file::open(&path, &wanted)) {
        return Ok(terrain);
    }
    let usual =
        [BakeSettings::default().without_throws(), BakeSettings::default(), BakeSettings::quick().without_throws()];
    let settings = usual.iter().find(|settings| settings.digest() == *digest);
    let settings = settings.context("it was played on a terrain that was baked with settings of its own")?;
    made_by(settings, map, game, None, watch)
}

/// The terrain of a map, as far as bots use it.
pub(crate) fn terrain(map: &Map, game: &Game, watch: &Watch) -> Result<Terrain> {
    made_by(&BakeSettings::default().without_throws(), map, game, None, watch)
}

/// Where the edits by hand of a map lie, for every game and server: beside the terrains.
pub(crate) fn edits_path(map: &Map) -> Result<PathBuf> {
    Ok(Overlay::edits_in(&cache_folder()?.join("terrain"), &map.name))
}

/// The terrain with the edits that somebody made by hand, if there are any. What does not fit is told and left out.
pub(crate) fn edited(terrain: Terrain, map: &Map, watch: &Watch) -> Result<Terrain> {
    let Some(edits) = edits(map)? else { return Ok(terrain) };
    let (merged, misfits) = terrain.with_what_fits(&edits)?;
    for misfit in misfits {
        watch.complain(&format!("{misfit}: left out; `fireteam edit {} check` tells more", map.name));
    }
    Ok(merged)
}

/// A field's terrain as it was baked, before anybody edited it by hand.
pub(crate) fn without_edits(field: &Field) -> Result<Arc<Terrain>> {
    let made = &field.terrain.provenance;
    if made.overlay == 0 {
        return Ok(field.terrain.clone());
    }
    let wanted = Wanted { map: Some(made.map), physics: Some(made.physics), settings: Some(made.settings) };
    let path = cache_folder()?.join("terrain").join(file_name(&field.map, &wanted));
    let read = file::open(&path, &wanted);
    Ok(Arc::new(read.context("the terrain without edits is needed: start again, and it is baked anew")?))
}

/// A recording's terrain: edited as it was when it was made, or not at all.
pub(crate) fn edited_as(checksum: u32, terrain: Terrain, map: &Map, watch: &Watch) -> Result<Terrain> {
    if checksum == 0 {
        return Ok(terrain);
    }
    let is_it = edits(map)?.is_some_and(|edits| edits.checksum() == checksum);
    ensure!(
        is_it,
        "it was played on a terrain with edits that are not those of {} any more",
        edits_path(map)?.display()
    );
    edited(terrain, map, watch)
}

fn edits(map: &Map) -> Result<Option<Overlay>> {
    let known = edits_path(map).ok().map(|path| Overlay::open(&path)).transpose()?.flatten();
    Ok(known.filter(|edits| !edits.edits.is_empty()))
}

/// The terrain of a map as an ordinary bake makes it, by so many threads.
pub(crate) fn with_throws(map: &Map, game: &Game, threads: Option<usize>, watch: &Watch) -> Result<Terrain> {
    made_by(&BakeSettings::default(), map, game, threads, watch)
}

fn made_by(settings: &BakeSettings, map: &Map, game: &Game, threads: Option<usize>, watch: &Watch) -> Result<Terrain> {
    let wanted =
        Wanted { map: Some(map.digest), physics: Some(game.physics_digest()), settings: Some(settings.digest()) };
    let path = cache_folder().ok().map(|cache| cache.join("terrain").join(file_name(map, &wanted)));
    if let Some(path) = path.as_ref().filter(|path| path.exists()) {
        match file::open(path, &wanted) {
            Ok(terrain) => return Ok(terrain),
            Err(error) => watch.complain(&format!("{error}: it is baked anew")),
        }
    }
    watch.complain(&format!("baking the terrain of {}: once for this map and these physics", map.name));
    watch.map(&map.name);
    let threads = Threads::new(threads)?;
    let baked = match bake_in(&Workshop::new(&threads, watch), map, game, settings) {
        Err(BakeError::Cancelled) => bail!("stopped before the terrain of {} was baked", map.name),
        baked => baked.with_context(|| format!("cannot bake {}", map.name))?,
    };
    if let Some(path) = path
        && let Err(error) = keep(&path, &baked)
    {
        watch.complain(&format!("{error:#}: it will be baked again next time"));
    }
    Ok(baked)
}

/// Two maps of one name, or one map under two games, do not get into each other's way.
fn file_name(map: &Map, wanted: &Wanted) -> String {
    let digests = [wanted.map, wanted.physics, wanted.settings];
    let short = |digest: &[u8; 32]| digest[..4].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let digests: Vec<String> = digests.iter().flatten().map(short).collect();
    format!("{}-{}.terrain", map.name, digests.join("-"))
}

fn keep(path: &Path, terrain: &Terrain) -> Result<()> {
    let folder = path.parent().context("the cache has no folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    Ok(file::save(path, terrain)?)
}
