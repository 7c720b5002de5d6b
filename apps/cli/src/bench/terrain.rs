//! Whether terrains are right: every map baked anew, then compared with the game's own navigation, with where players
//! have been, and with what a walker makes of its routes, in our physics and on the real server.
//!
//! Map by map: bake ([`cost`]), then each part that was asked for. A part keeps its tally over all maps and ends in rows;
//! what missed is told on standard error as it is found, and summed up by map in the row's note.

pub(super) mod cost;
mod reach;
mod routes;
mod sight;
mod visited;

use anyhow::{Context, Result};
use clap::ValueEnum;
use fireteam_bake::BakeSettings;
use fireteam_terrain::Terrain;
use fireteam_world::{Game, Map, Solids};

use super::Course;
use super::report::Row;

/// Where players are watched, and routes are walked on the real server: doors, buttons and lifts (oa_dm2), the maps on
/// which stock bots do worst, and plain ones.
const LIVE_MAPS: [&str; 12] = [
    "oa_dm1",
    "oa_dm2",
    "oa_dm6",
    "oa_dm7",
    "oa_bases5",
    "czest1dm",
    "kaos2",
    "ce1m7",
    "oa_ctf2",
    "wrackdm17",
    "ctf_compromise",
    "pxlfan",
];
/// Where sight is raced.
const SIGHT_MAPS: [&str; 3] = ["oa_dm1", "oa_dm6", "ctf_compromise"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Part {
    /// Does every map bake, at which cost, into which size
    Bake,
    /// Spawns, items, and the stock game's own navigation
    Stock,
    /// Where stock bots and an aimless walker have been
    Visits,
    /// Random routes walked in our physics
    Routes,
    /// Random routes walked on the real server
    Live,
    /// All-pairs sight against the engine's trace
    Sight,
}

/// A map and its terrain, as all parts need them.
struct Baked {
    name: String,
    map: Map,
    solids: Solids,
    game: Game,
    terrain: Terrain,
    cost: cost::Cost,
}

/// What a part found so far.
trait Tally {
    fn wants(&self, map: &str) -> bool;

    fn take(&mut self, course: &Course, baked: &Baked) -> Result<()>;

    /// A map that could not be baked counts against every part that wanted it.
    fn miss(&mut self, map: &str, why: &str);

    fn rows(&self) -> Vec<Row>;
}

pub(crate) fn terrain(course: &Course, parts: &[Part]) -> Result<Vec<Row>> {
    let is_asked = |part: &Part| parts.is_empty() || parts.contains(part);
    let mut tallies: Vec<Box<dyn Tally>> =
        Part::value_variants().iter().filter(|part| is_asked(part)).map(|part| tally(course, *part)).collect();
    let names = course.maps_or(&course.install.maps()?);
    for (index, name) in names.iter().enumerate() {
        let mut wanting: Vec<_> = tallies.iter_mut().filter(|tally| tally.wants(name)).collect();
        if wanting.is_empty() {
            continue;
        }
        eprintln!("{name} ({} of {})", index + 1, names.len());
        match bake(course, name) {
            Ok(baked) => {
                for tally in wanting {
                    tally.take(course, &baked).with_context(|| name.clone())?;
                }
            }
            Err(error) => {
                eprintln!("{name}: {error:#}");
                wanting.iter_mut().for_each(|tally| tally.miss(name, &format!("{error:#}")));
            }
        }
    }
    Ok(tallies.iter().flat_map(|tally| tally.rows()).collect())
}

fn tally(course: &Course, part: Part) -> Box<dyn Tally> {
    match part {
        Part::Bake => Box::<cost::Costs>::default(),
        Part::Stock => Box::<reach::Reached>::default(),
        Part::Visits => Box::<visited::Visited>::default(),
        Part::Routes => Box::new(routes::Walked::in_our_physics(course)),
        Part::Live => Box::new(routes::Walked::on_the_server(course)),
        Part::Sight => Box::<sight::Sights>::default(),
    }
}

fn bake(course: &Course, name: &str) -> Result<Baked> {
    let map = course.map(name)?;
    let game = Game::named("openarena").expect("it is built in");
    let (terrain, cost) = cost::bake(&map, &game, &settings())?;
    let solids = Solids::build(&map);
    Ok(Baked { name: name.to_owned(), map, solids, game, terrain, cost })
}

/// Throws are measured by `bench throws`.
fn settings() -> BakeSettings {
    BakeSettings::default().without_throws()
}

/// Misses by map, for a row's note: the worst first.
#[derive(Debug, Default)]
struct Misses(Vec<(String, usize, String)>);

impl Misses {
    fn add(&mut self, map: &str, count: usize, what: String) {
        if count > 0 {
            self.0.push((map.to_owned(), count, what));
        }
    }

    fn told(&self) -> String {
        let mut sorted: Vec<_> = self.0.iter().collect();
        sorted.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        let told = sorted.iter().map(|(map, count, what)| format!("{map} {count} ({what})"));
        told.collect::<Vec<_>>().join("; ")
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    // Of nothing, nothing was reached.
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}
