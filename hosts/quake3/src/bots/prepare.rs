//! From a server that has loaded a map to a [`Field`] bots can play on: the map, the game in force, its terrain.
//!
//! In: what the server says of itself ([`Orders`]). Out: a field, and lines that say where its terrain came from. Terrains
//! are looked for in three folders; one for another map or other physics is refused with a line and not used. Without
//! one, the map is baked here by the quick settings, on this thread, and a child process bakes it in full
//! ([`super::child`]) for the next time the map is played; or, if the operator wants it so, nothing is baked and a mesh is
//! recorded from play ([`super::learnt`]).
//!
//! Makes no engine call.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fireteam::Field;
use fireteam_bake::{BakeError, BakeSettings, OneThread, Progress, Step, bake};
use fireteam_openarena::capture::navigation::{ITEM_NAMES_FILE, goal_names};
use fireteam_openarena::clock::thread_time;
use fireteam_openarena::install;
use fireteam_openarena::physics::Physics;
use fireteam_terrain::Terrain;
use fireteam_terrain::file::{self, Wanted};
use fireteam_world::map::Files;
use fireteam_world::{Game, Map, Solids};

use super::child;
use super::ground;
use super::learnt::{Learnt, with_edits};
use super::orders::Orders;
use super::ways::Ways;

/// What our folder is called, beside the game's or in it.
const OWN_FOLDER: &str = "fireteam";

/// What bots can play on, and what to say about it.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) field: Arc<Field>,
    pub(super) learnt: Learnt,
    /// The terrain was made in a hurry.
    pub(super) is_quick: bool,
    pub(super) ways: Ways,
    pub(super) lines: Vec<String>,
}

pub(super) fn prepare(orders: &Orders) -> Result<Prepared, String> {
    let physics = orders.physics;
    physics.check().map_err(|error| error.to_string())?;
    let (map, place) = load_map(orders)?;
    let solids = Arc::new(Solids::build(&map));
    let (map, game) = (Arc::new(map), Arc::new(physics.game()));
    let mut learnt = Learnt::default();
    let mut lines = Vec::new();
    let folders = terrain_folders(orders, &physics);
    folders.iter().for_each(|folder| child::reap(folder, &mut lines));
    let wanted = Wanted { map: Some(map.digest), physics: Some(game.physics_digest()), settings: None };
    let terrain = match found(&folders, &map.name, &wanted, &mut lines) {
        Some(terrain) => terrain,
        None if orders.records_mesh => learnt.record(&folders[0], &map, &solids, &game, &mut lines)?,
        None => {
            let terrain = quick(&folders, &map, &game, &wanted, orders, &mut lines);
            child::begin(&folders[0], &map, &place, &game.name, orders, &mut lines);
            terrain?
        }
    };
    let is_quick = terrain.provenance.settings == BakeSettings::quick().without_throws().digest();
    let terrain = with_edits(&folders, terrain, &mut lines);
    let terrain = if orders.learns { learnt.merge(&folders[0], terrain, &mut lines) } else { terrain };
    let field = Field::new(map, solids, Arc::new(terrain), game);
    let field = Arc::new(field.map_err(|error| error.to_string())?);
    let ways = if orders.ways_s > 0 { ways(orders, &mut lines) } else { Ways::default() };
    Ok(Prepared { field, learnt, is_quick, ways, lines })
}

/// The map, and the folder it lies in.
fn load_map(orders: &Orders) -> Result<(Map, PathBuf), String> {
    for place in places(orders) {
        let files = Files::open(&[&place]).map_err(|error| error.to_string())?;
        if files.maps().contains(&orders.map) {
            return files.map(&orders.map).map(|map| (map, place)).map_err(|error| error.to_string());
        }
    }
    Err(format!("the map {} is in none of the game's folders", orders.map))
}

/// Folders of the game's files. What an operator put into his own comes before what is installed.
fn places(orders: &Orders) -> impl Iterator<Item = PathBuf> {
    let roots = [&orders.home_path, &orders.base_path];
    orders.folders.iter().flat_map(move |folder| roots.map(|root| Path::new(root).join(folder)))
}

/// The ways of the game's own bots to whatever their library knows as a goal; none for a game without such a list. To all ground
/// besides, where an operator allows more time than it takes to the goals of any map.
fn ways(orders: &Orders, lines: &mut Vec<String>) -> Ways {
    let read = |name: &str| places(orders).find_map(|place| Files::open(&[&place]).ok()?.read(name).ok());
    let names = goal_names(&String::from_utf8_lossy(&read(ITEM_NAMES_FILE).unwrap_or_default()));
    let name = format!("maps/{}.aas", orders.map);
    let file = if orders.ways_s > 1 { read(&name) } else { None };
    let ground = file.map_or(Ok(Vec::new()), |file| ground::read(&file)).unwrap_or_else(|error| {
        lines
            .push(format!("{name}: {error}: the game's own bots find their ways to items alone while the level loads"));
        Vec::new()
    });
    Ways::to(&names, ground, Duration::from_secs(orders.ways_s))
}

/// Where to look, and first of all where to write.
fn terrain_folders(orders: &Orders, physics: &Physics) -> Vec<PathBuf> {
    // Where everything of ours is in one folder, this is in it too.
    let own = orders.folders.first().map(|folder| match folder.as_str() {
        OWN_FOLDER => Path::new(&orders.home_path).join(OWN_FOLDER).join("terrain"),
        folder => Path::new(&orders.home_path).join(folder).join(OWN_FOLDER),
    });
    let cache = install::cache_folder().ok().map(|cache| cache.join("terrain"));
    let given = (!orders.terrain.is_empty()).then(|| PathBuf::from(&orders.terrain));
    let folders = [given, own, cache].into_iter().flatten();
    // Terrains for other physics keep out of each other's way.
    folders.map(|folder| if physics.moves_as_usual() { folder } else { folder.join(physics.folder()) }).collect()
}

/// `MAP.terrain`, or one of the cache's, whose names go on with what they were made from.
fn found(folders: &[PathBuf], map: &str, wanted: &Wanted, lines: &mut Vec<String>) -> Option<Terrain> {
    for folder in folders {
        let plain = folder.join(format!("{map}.terrain"));
        for path in [vec![plain.clone()], named_on(folder, &format!("{map}-"))].concat() {
            match file::open(&path, wanted) {
                Ok(terrain) => {
                    lines.push(format!("terrain: {}, {} waypoints", path.display(), terrain.waypoints.len()));
                    return Some(terrain);
                }
                // The cache holds terrains for other games too.
                Err(error) if path == plain && path.exists() => lines.push(format!("{error}: not used")),
                Err(_) => {}
            }
        }
    }
    None
}

/// Terrains in a folder whose names begin so, sorted.
fn named_on(folder: &Path, beginning: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_meant = |name: &str| name.starts_with(beginning) && name.ends_with(".terrain");
    let mut paths: Vec<PathBuf> =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_meant)).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A quick terrain that was kept, or a new one.
fn quick(
    folders: &[PathBuf],
    map: &Map,
    game: &Game,
    wanted: &Wanted,
    orders: &Orders,
    lines: &mut Vec<String>,
) -> Result<Terrain, String> {
    let settings = BakeSettings::quick().without_throws();
    let path = folders[0].join("quick").join(format!("{}.terrain", map.name));
    let wanted = Wanted { settings: Some(settings.digest()), ..*wanted };
    if let Ok(terrain) = file::open(&path, &wanted) {
        lines.push(format!("quick terrain: {}, {} waypoints", path.display(), terrain.waypoints.len()));
        return Ok(terrain);
    }
    let limit = Limit { began: thread_time(), at_most: Duration::from_secs(orders.bake_s) };
    let terrain = bake(map, game, &settings, &OneThread, &limit).map_err(|error| match error {
        BakeError::Cancelled => {
            format!("a quick terrain of {} took over {} s (ft_bake_seconds); no bots here yet", map.name, orders.bake_s)
        }
        error => format!("no terrain of {}: {error}", map.name),
    })?;
    let seconds = (thread_time() - limit.began).as_secs_f32();
    lines.push(format!("quick terrain of {}: {} waypoints in {seconds:.1} s", map.name, terrain.waypoints.len()));
    let kept = fs::create_dir_all(folders[0].join("quick")).map_err(|error| error.to_string());
    let kept = kept.and_then(|()| file::save(&path, &terrain).map_err(|error| error.to_string()));
    if let Err(error) = kept {
        lines.push(format!("cannot keep terrains in {}: {error}", folders[0].display()));
    }
    Ok(terrain)
}

/// The server must go on: a bake that takes longer is given up. In CPU time, so that bots do not stay away because the
/// machine is busy with something else.
struct Limit {
    began: Duration,
    at_most: Duration,
}

impl Progress for Limit {
    fn advance(&self, _: Step, _: usize, _: usize) {}

    fn is_cancelled(&self) -> bool {
        thread_time() - self.began > self.at_most
    }
}
