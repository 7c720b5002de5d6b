//! From maps to terrain files: `fireteam bake MAP…`, and `fireteam merge` for what several machines baked together.
//!
//! In: maps. Out: `MAP.terrain` in a folder, each whole or not at all. While a map is baked, finished work is kept in a
//! journal beside its file (`MAP.terrain.work`): a bake that was killed goes on where it was, and so do Ctrl-C and a
//! full disk. A terrain that is there already, made from the same map, physics and settings, is not baked again.
//! A shard works off its part of the units and leaves a journal; `fireteam merge` makes the file from all of them.

mod progress;
mod threads;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fireteam_bake::{BakeError, BakeSettings, Journal, Shard, Unwatched, Workshop, bake_in};
use fireteam_openarena::Install;
use fireteam_terrain::file::{self, Wanted};
use fireteam_terrain::{FileError, Terrain};
use fireteam_world::{Game, Map};

use crate::{demo, maps};
pub(crate) use progress::Watch;
pub(crate) use threads::Threads;

/// Make the terrain files of maps
#[derive(Args, Debug)]
pub(crate) struct Bake {
    /// Built-in maps, .map or .bsp files, `some.pk3:NAME`, or maps of an installed OpenArena
    #[arg(value_name = "MAP", default_value = maps::DEFAULT, conflicts_with = "all")]
    maps: Vec<String>,

    /// Every map of the installed OpenArena
    #[arg(long)]
    all: bool,

    /// Folder for the terrain files
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,

    #[command(flatten)]
    recipe: Recipe,

    /// How many threads work; without it, as many as the machine has
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Only a part of the work, such as 1/4, to be joined by `fireteam merge`
    #[arg(long, value_name = "I/N")]
    shard: Option<Part>,

    /// Throw away what an earlier bake left and begin anew
    #[arg(long)]
    fresh: bool,

    /// Print one JSON object a map instead of lines
    #[arg(long)]
    json: bool,
}

/// What decides how a terrain turns out, besides the map. Shards and their merge must agree on it.
#[derive(Args, Debug)]
struct Recipe {
    /// Whose physics: openarena, skirmish, action, a .toml file of your own, or those of a server with other settings,
    /// such as "openarena:speed=400 gravity=600"
    #[arg(long, value_name = "NAME|FILE", default_value = "openarena")]
    game: String,

    /// How densely waypoints are placed: 2 is about twice as many as usual
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = density)]
    density: f32,

    /// Settle for what a server bakes while a level loads: a quarter of the waypoints
    #[arg(long, conflicts_with = "density")]
    quick: bool,

    /// Leave the grenades out: who can throw at whom takes longer to find than all the rest
    #[arg(long)]
    no_throws: bool,
}

/// Join what shards of a map have baked into its terrain file
#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// The map, as it was given to `fireteam bake`
    #[arg(value_name = "MAP")]
    map: String,

    /// Folders that `fireteam bake --shard` left: MAP.terrain.1of4 and its sisters
    #[arg(value_name = "SHARD", required = true)]
    shards: Vec<PathBuf>,

    /// Folder for the terrain file
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,

    #[command(flatten)]
    recipe: Recipe,
}

/// A shard given as `i/n`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    number: usize,
    count: usize,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, count)) if (1..=count).contains(&number) && count <= 4096 => Ok(Part { number, count }),
            _ => Err(format!("`{text}` is no part such as 1/4: the first is 1/n, the last n/n")),
        }
    }
}

fn density(text: &str) -> Result<f32, String> {
    let factor: Option<f32> = text.parse().ok();
    factor.filter(|factor| (0.25..=8.0).contains(factor)).ok_or_else(|| "expected a number from 0.25 to 8".to_owned())
}

impl Recipe {
    fn game(&self) -> Result<Game> {
        demo::load_game(&self.game)
    }

    fn settings(&self) -> BakeSettings {
        let whole = if self.quick { BakeSettings::quick() } else { BakeSettings::default() };
        let mut settings = if self.no_throws { whole.without_throws() } else { whole };
        if self.quick {
            return settings;
        }
        settings.waypoints = settings.waypoints.denser(self.density);
        settings
    }
}

/// What is told of a map that was baked.
#[derive(Debug, serde::Serialize)]
struct Summary {
    map: String,
    file: String,
    waypoints: usize,
    links: usize,
    areas: usize,
    islands: usize,
    bytes: u64,
    seconds: f64,
    /// It was there already.
    kept: bool,
}

pub(crate) fn run(bake: &Bake) -> Result<ExitCode> {
    let names = if bake.all {
        Install::find().context("--all needs an installed OpenArena")?.maps()?
    } else {
        bake.maps.clone()
    };
    ensure!(!names.is_empty(), "the installed OpenArena has no maps");
    std::fs::create_dir_all(&bake.out)
        .with_context(|| format!("cannot make the folder {}: choose another with --out", bake.out.display()))?;
    let game = bake.recipe.game()?;
    let watch = Watch::begin(names.len(), bake.json)?;
    let threads = Threads::new(bake.threads.map(usize::from))?;
    let mut failed = 0;
    for name in &names {
        // One map that is broken must not cost the others.
        match bake_one(bake, name, &game, &threads, &watch) {
            Ok(line) => watch.say(&line),
            Err(error) if watch.is_stopped() => {
                watch.complain(&format!("{name}: {error:#}"));
                watch.complain("stopped; the same command goes on where it was");
                return Ok(ExitCode::FAILURE);
            }
            Err(error) if names.len() == 1 => return Err(error),
            Err(error) => {
                watch.complain(&format!("fireteam: {name}: {error:#}"));
                failed += 1;
            }
        }
    }
    if names.len() > 1 {
        watch.complain(&format!("{} of {} maps baked", names.len() - failed, names.len()));
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Bakes a map, or its shard, and says what came of it in one line.
fn bake_one(bake: &Bake, name: &str, game: &Game, threads: &Threads, watch: &Watch) -> Result<String> {
    let started = Instant::now();
    let map = maps::load(name)?;
    let settings = bake.recipe.settings();
    let path = bake.out.join(format!("{}.terrain", map.name));
    if let Some(part) = bake.shard {
        return bake_shard(part, &path, &map, game, &settings, threads, watch);
    }
    let wanted =
        Wanted { map: Some(map.digest), physics: Some(game.physics_digest()), settings: Some(settings.digest()) };
    if let Some(terrain) = finished(&path, &wanted, bake.fresh, watch)? {
        return summary(bake, &terrain, &path, started, true);
    }
    let folder = beside(&path, "work");
    if bake.fresh {
        Journal::begin(&folder)?.remove()?;
    }
    let journal = Journal::begin(&folder)?;
    watch.map(&map.name);
    let workshop = Workshop { journal: Some(&journal), ..Workshop::new(threads, watch) };
    let terrain = told(bake_in(&workshop, &map, game, &settings), &folder)?;
    save(&path, &terrain)?;
    journal.remove()?;
    summary(bake, &terrain, &path, started, false)
}

/// The terrain at `path`, if it is this map's under these physics and settings. What cannot be baked again (a file that is
/// no terrain, edits by hand) is not written over.
fn finished(path: &Path, wanted: &Wanted, is_fresh: bool, watch: &Watch) -> Result<Option<Terrain>> {
    if !path.exists() {
        return Ok(None);
    }
    match file::open(path, wanted) {
        Err(error @ FileError::NotATerrain { .. }) => {
            Err(error).with_context(|| format!("{} is in the way", path.display()))
        }
        Ok(_) | Err(_) if is_fresh => Ok(None),
        Ok(terrain) => Ok(Some(terrain)),
        Err(error @ FileError::Overlaid { .. }) => {
            Err(error).with_context(|| format!("{} is in the way: --fresh writes over it", path.display()))
        }
        // Old, broken or of another recipe: it stays until the new one is done.
        Err(error) => {
            watch.complain(&format!("{error}: that is done now"));
            Ok(None)
        }
    }
}

/// Nobody else saves there: the journal is locked, or shards are being joined.
fn save(path: &Path, terrain: &Terrain) -> Result<()> {
    file::remove_leftovers(path).with_context(|| format!("cannot tidy up beside {}", path.display()))?;
    Ok(file::save(path, terrain)?)
}

fn bake_shard(
    part: Part,
    path: &Path,
    map: &Map,
    game: &Game,
    settings: &BakeSettings,
    threads: &Threads,
    watch: &Watch,
) -> Result<String> {
    let started = Instant::now();
    let folder = beside(path, &format!("{}of{}", part.number, part.count));
    let journal = Journal::begin(&folder)?;
    watch.map(&map.name);
    let shard = Shard { index: part.number - 1, count: part.count };
    let workshop = Workshop { journal: Some(&journal), shard, ..Workshop::new(threads, watch) };
    told(fireteam_bake::bake_shard(&workshop, map, game, settings), &folder)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(format!(
        "{}: part {} of {} is done after {seconds:.1} s, in {}",
        map.name,
        part.number,
        part.count,
        folder.display()
    ))
}

pub(crate) fn merge(merge: &Merge) -> Result<()> {
    let started = Instant::now();
    let map = maps::load(&merge.map)?;
    let game = merge.recipe.game()?;
    let settings = merge.recipe.settings();
    for shard in &merge.shards {
        ensure!(shard.is_dir(), "{} is no folder that `fireteam bake --shard` left", shard.display());
    }
    let others: Vec<Journal> = merge.shards.iter().map(|folder| Journal::finished(folder)).collect();
    let threads = Threads::new(None)?;
    let merged = fireteam_bake::merge(&others, &map, &game, &settings, &threads, &Unwatched);
    let terrain = match merged {
        Err(BakeError::Missing { missing, total, .. }) => bail!(
            "{missing} of {total} units are in none of the shards: bake the missing ones, of the same map with the same \
             --game and --density"
        ),
        other => other?,
    };
    let path = merge.out.join(format!("{}.terrain", map.name));
    std::fs::create_dir_all(&merge.out)
        .with_context(|| format!("cannot make the folder {}: choose another with --out", merge.out.display()))?;
    save(&path, &terrain)?;
    let line = Summary::of(&terrain, &path, started, false)?;
    println!("{}", line.line());
    Ok(())
}

/// An error of the bake, with what to do about it.
fn told<T>(result: Result<T, BakeError>, folder: &Path) -> Result<T> {
    result.map_err(|error| match error {
        BakeError::Journal(_) => anyhow::Error::new(error).context(format!(
            "cannot keep the work in {}: make room or choose another --out; nothing is lost",
            folder.display()
        )),
        error => error.into(),
    })
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(end);
    path.with_file_name(name)
}

fn summary(bake: &Bake, terrain: &Terrain, path: &Path, started: Instant, kept: bool) -> Result<String> {
    let summary = Summary::of(terrain, path, started, kept)?;
    Ok(if bake.json { serde_json::to_string(&summary)? } else { summary.line() })
}

impl Summary {
    fn of(terrain: &Terrain, path: &Path, started: Instant, kept: bool) -> Result<Summary> {
        let bytes = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
        Ok(Summary {
            map: terrain.provenance.map_name.clone(),
            file: path.display().to_string(),
            waypoints: terrain.waypoints.len(),
            links: terrain.links.links.len(),
            areas: terrain.areas.areas.len(),
            islands: terrain.islands.count(),
            bytes,
            seconds: started.elapsed().as_secs_f64(),
            kept,
        })
    }

    fn line(&self) -> String {
        let Summary { map, waypoints, links, areas, bytes, seconds, file, .. } = self;
        let kilobytes = *bytes as f64 / 1000.0;
        let how = if self.kept { "was there already".to_owned() } else { format!("{seconds:.1} s") };
        format!("{map}: {waypoints} waypoints, {links} links, {areas} areas, {how}, {kilobytes:.0} kB, {file}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("1/4".parse(), Ok(Part { number: 1, count: 4 }));
        assert_eq!("4/4".parse(), Ok(Part { number: 4, count: 4 }));
        for wrong in ["", "0/4", "5/4", "1", "1/", "a/b", "1/100000"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_density_of_one_is_the_usual_bake() {
        let usual = Recipe { game: "openarena".to_owned(), density: 1.0, quick: false, no_throws: false };
        assert_eq!(usual.settings(), BakeSettings::default());
        assert_eq!(
            Recipe { game: "openarena".to_owned(), density: 1.0, quick: true, no_throws: false }.settings(),
            BakeSettings::quick()
        );
        let bare = Recipe { no_throws: true, ..usual };
        assert_eq!(bare.settings(), BakeSettings::default().without_throws());
        let usual = Recipe { no_throws: false, ..bare };
        assert_ne!(Recipe { density: 2.0, ..usual }.settings().digest(), BakeSettings::default().digest());
    }
}
