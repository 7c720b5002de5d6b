//! What the game's own bots know of a map: the areas of its AAS file, the goals in it, and how long ways take.
//!
//! [`ask`] starts a server with the stock bot library on, finds every spawn point and item, and asks for the travel
//! time of all pairs from spawn to item and from spawn to spawn, as a stock bot would: a spawn's area is the one a bot
//! standing there believes to be in, an item's the one the bots' own goal lies in. "Reached" is the claim of a file that
//! was made before the match; nobody walks.
//!
//! A map without such a file (islandctf has none) gives [`StockNavigation::has_areas`] false and no way anywhere.
//! Cost: a third of a second a map, most of it the server's start.

use std::path::Path;

use fireteam_world::map::{Files, FilesError};
use fireteam_world::{Contents, Sweep, Vec3};
use thiserror::Error;

use super::field::rows;
use super::kept::kept_lines;
use super::oracle::{CaptureError, Limits, Oracle};
use super::plan::places::STANDING;
use super::rows::{EntityRow, TraceAnswer};
use crate::install::Install;

/// The ways a stock bot takes without being told: everything but rocket jumps, grapples and swimming in lava or slime.
pub const TRAVEL_USUAL: i32 = 0x11c_0fbe;
pub const TRAVEL_ROCKET_JUMP: i32 = 0x1000;
/// Through lava and slime: what a bot is allowed that stands in it.
pub const TRAVEL_LAVA: i32 = 0x60_0000;
/// Team deathmatch, in which the spawn points of teams count too.
const GAME_TYPE_TEAM: i32 = 3;
/// Where the bots' library learns its goals' names.
pub const ITEM_NAMES_FILE: &str = "botfiles/items.c";
/// Areas are made for the origins of players, which are 9 units farther from the floor than those of items and spawn
/// points; the rest keeps the drop out of the floor.
const LIFT: Vec3 = Vec3::new(0.0, 0.0, 9.25);
/// Farther than any spawn point or item floats. Some spawn points hang 400 units high, and whoever appears there falls.
const DROP: f32 = 4096.0;
/// A goal stands above its item by the lift, and at the same place otherwise.
const GOAL_REACH: Vec3 = Vec3::new(1.0, 1.0, 24.0);

rows! {
    /// A goal of the stock bots.
    Goal {
        name: String,
        origin: Vec3,
        area: i32,
        /// 0 for what has not appeared yet.
        entity: u16,
    }

    /// From a place in an area to another area.
    Trip {
        from_area: i32,
        from: Vec3,
        to_area: i32,
    }

    /// Trips by the same means.
    Trips {
        travel_flags: i32,
        trips: Vec<Trip>,
    }

    /// A spawn point or an item.
    Spot {
        entity: u16,
        class: String,
        /// As the map or the game has it: for an item where it lies.
        origin: Vec3,
        /// The origin of a player who stands there.
        stand: Vec3,
        /// 0 if the stock bots know no area there.
        area: i32,
    }

    /// From one spawn to everything of a list, in hundredths of a second; 0 where the stock bots know no way.
    Times {
        usual: Vec<i32>,
        /// With rocket jumps allowed.
        rocket: Vec<i32>,
    }
}

/// What the stock bots know of the ways on one map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StockNavigation {
    pub map: String,
    pub spawns: Vec<Spot>,
    pub items: Vec<Spot>,
    /// One for each spawn, to all items.
    pub to_items: Vec<Times>,
    /// One for each spawn, to all spawns, itself included.
    pub to_spawns: Vec<Times>,
}

kept_lines!(
    /// A line of `navigation.txt.gz`.
    pub NavigationLine, "navigation",
    "map NAME: what follows is known of this map
    spawn ENTITY CLASS ORIGIN STAND AREA: STAND is the origin of a player there, AREA 0 if the stock bots know none
    item ENTITY CLASS ORIGIN STAND AREA
    items USUAL ROCKET: from one spawn to all items, the spawns in order; each a count, then hundredths of a second,
    .. 0 for no way; first by the usual means, then with rocket jumps allowed
    spawns USUAL ROCKET: the same to all spawns" {
        "map" Map(String),
        "spawn" Spawn(Spot),
        "item" Item(Spot),
        "items" ToItems(Times),
        "spawns" ToSpawns(Times),
    }
);

impl StockNavigation {
    pub fn to_lines(maps: &[StockNavigation]) -> Vec<NavigationLine> {
        maps.iter().flat_map(StockNavigation::lines).collect()
    }

    fn lines(&self) -> Vec<NavigationLine> {
        let mut lines = vec![NavigationLine::Map(self.map.clone())];
        lines.extend(self.spawns.iter().cloned().map(NavigationLine::Spawn));
        lines.extend(self.items.iter().cloned().map(NavigationLine::Item));
        lines.extend(self.to_items.iter().cloned().map(NavigationLine::ToItems));
        lines.extend(self.to_spawns.iter().cloned().map(NavigationLine::ToSpawns));
        lines
    }

    /// The maps that `lines` tell of; `None` if a line stands where it makes no sense, or a row has not one time a spot.
    pub fn from_lines(lines: &[NavigationLine]) -> Option<Vec<StockNavigation>> {
        let mut maps: Vec<StockNavigation> = Vec::new();
        for line in lines {
            match line {
                NavigationLine::Map(map) => maps.push(StockNavigation { map: map.clone(), ..Default::default() }),
                NavigationLine::Spawn(spot) => maps.last_mut()?.spawns.push(spot.clone()),
                NavigationLine::Item(spot) => maps.last_mut()?.items.push(spot.clone()),
                NavigationLine::ToItems(times) => maps.last_mut()?.to_items.push(times.clone()),
                NavigationLine::ToSpawns(times) => maps.last_mut()?.to_spawns.push(times.clone()),
            }
        }
        maps.iter().all(StockNavigation::is_whole).then_some(maps)
    }

    fn is_whole(&self) -> bool {
        let fits = |rows: &[Times], count: usize| {
            rows.len() == self.spawns.len()
                && rows.iter().all(|row| row.usual.len() == count && row.rocket.len() == count)
        };
        fits(&self.to_items, self.items.len()) && fits(&self.to_spawns, self.spawns.len())
    }

    /// Whether the stock bots know anything of this map.
    pub fn has_areas(&self) -> bool {
        self.spawns.iter().chain(&self.items).any(|spot| spot.area != 0)
    }
}

/// How many pairs there are, and how many of them the stock bots know a way for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub pairs: usize,
    pub usual: usize,
    pub rocket: usize,
}

impl StockNavigation {
    /// Over all pairs of a spawn and an item.
    pub fn items_reached(&self) -> Reach {
        let count = |times: &[i32]| times.iter().filter(|&&time| time != 0).count();
        self.to_items.iter().fold(Reach::default(), |sum, row| Reach {
            pairs: sum.pairs + row.usual.len(),
            usual: sum.usual + count(&row.usual),
            rocket: sum.rocket + count(&row.rocket),
        })
    }

    /// Whether a stock bot knows a way, by the usual means.
    pub fn reaches_item(&self, spawn: usize, item: usize) -> bool {
        self.to_items[spawn].usual[item] != 0
    }

    pub fn reaches_spawn(&self, from: usize, to: usize) -> bool {
        self.to_spawns[from].usual[to] != 0
    }

    /// Whether a stock bot needs a rocket jump to get there.
    pub fn needs_rocket(&self, spawn: usize, item: usize) -> bool {
        let Times { usual, rocket } = &self.to_items[spawn];
        usual[item] == 0 && rocket[item] != 0
    }
}

#[derive(Debug, Error)]
pub enum NavigationError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Asks a server of its own about `map`.
pub fn ask(install: &Install, module: &Path, map: &str, limits: &Limits) -> Result<StockNavigation, NavigationError> {
    let files = Files::open(&[install.base_path.join("baseoa")])?;
    let names = goal_names(&String::from_utf8_lossy(&files.read(ITEM_NAMES_FILE)?));
    let cvars = [("bot_enable", 1), ("g_gametype", GAME_TYPE_TEAM)];
    let mut oracle = Oracle::start_with(install, module, map, limits, &cvars)?;
    Ok(ask_oracle(&mut oracle, &names)?)
}

/// Asks a server that was started with `bot_enable` on.
fn ask_oracle(oracle: &mut Oracle, goal_names: &[String]) -> Result<StockNavigation, CaptureError> {
    let entities = oracle.entities()?;
    let mut spawns: Vec<Spot> =
        entities.iter().filter(|row| is_spawn(row)).map(|row| spot(row, row.spawn_origin)).collect();
    let mut items: Vec<Spot> =
        entities.iter().filter(|row| row.kind == ITEM).map(|row| spot(row, row.origin)).collect();
    stand(oracle, &mut spawns)?;
    stand(oracle, &mut items)?;

    let goals = oracle.goals(goal_names)?;
    let areas = oracle.areas(&spawns.iter().map(|spot| spot.stand).collect::<Vec<_>>())?;
    spawns.iter_mut().zip(areas).for_each(|(spot, area)| spot.area = area);
    let areas = oracle.areas(&items.iter().map(|spot| spot.origin + LIFT).collect::<Vec<_>>())?;
    for (spot, area) in items.iter_mut().zip(areas) {
        spot.area = goal_of(spot, &goals).map_or(area, |goal| goal.area);
    }
    let to_items = times(oracle, &spawns, &items)?;
    let to_spawns = times(oracle, &spawns, &spawns)?;
    Ok(StockNavigation { map: oracle.map().to_owned(), spawns, items, to_items, to_spawns })
}

const ITEM: i32 = 2;

pub(super) fn is_spawn(row: &EntityRow) -> bool {
    matches!(row.class.as_str(), "info_player_deathmatch" | "info_player_start")
        || (row.class.starts_with("team_CTF_") && (row.class.ends_with("spawn") || row.class.ends_with("player")))
}

fn spot(row: &EntityRow, origin: Vec3) -> Spot {
    Spot { entity: row.entity, class: row.class.clone(), origin, stand: origin, area: 0 }
}

fn stand(oracle: &mut Oracle, spots: &mut [Spot]) -> Result<(), CaptureError> {
    let origins: Vec<Vec3> = spots.iter().map(|spot| spot.origin).collect();
    spots.iter_mut().zip(standing_at(oracle, &origins)?).for_each(|(spot, stand)| spot.stand = stand);
    Ok(())
}

/// The origins of players who have dropped to the floor at these spawn points or items.
pub(super) fn standing_at(oracle: &mut Oracle, origins: &[Vec3]) -> Result<Vec<Vec3>, CaptureError> {
    let drop = |&origin: &Vec3| Sweep::hull(origin + LIFT, origin - Vec3::Z * DROP, STANDING, Contents::MASK_PLAYER);
    let answers = oracle.traces(&origins.iter().map(drop).collect::<Vec<_>>())?;
    let stand = |(&origin, answer): (&Vec3, TraceAnswer)| if answer.start_solid { origin + LIFT } else { answer.end };
    Ok(origins.iter().zip(answers).map(stand).collect())
}

/// The bots' goal for an item: by its number, or by its place while it has not appeared.
fn goal_of<'a>(item: &Spot, goals: &'a [Goal]) -> Option<&'a Goal> {
    let is_here = |goal: &&Goal| (goal.origin - item.origin).abs().cmple(GOAL_REACH).all();
    goals.iter().find(|goal| goal.entity == item.entity).or_else(|| goals.iter().find(is_here))
}

fn times(oracle: &mut Oracle, from: &[Spot], to: &[Spot]) -> Result<Vec<Times>, CaptureError> {
    let trip = |from: &Spot, to: &Spot| Trip { from_area: from.area, from: from.stand, to_area: to.area };
    let trips: Vec<Trip> = from.iter().flat_map(|from| to.iter().map(move |to| trip(from, to))).collect();
    let rocket =
        oracle.travel_times(&Trips { travel_flags: TRAVEL_USUAL | TRAVEL_ROCKET_JUMP, trips: trips.clone() })?;
    let usual = oracle.travel_times(&Trips { travel_flags: TRAVEL_USUAL, trips })?;
    let rows = usual.chunks(to.len().max(1)).zip(rocket.chunks(to.len().max(1)));
    Ok(rows.map(|(usual, rocket)| Times { usual: usual.to_vec(), rocket: rocket.to_vec() }).collect())
}

/// The names in the bots' description of items: `name "Rocket Launcher"`.
pub fn goal_names(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = line.trim().strip_prefix("name")?.trim_start().strip_prefix('"')?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(entity: u16, origin: Vec3) -> Spot {
        Spot { entity, class: "item_quad".to_owned(), origin, stand: origin, area: 0 }
    }

    #[test]
    fn maps_come_back_from_lines() {
        let times = |count: usize| Times { usual: vec![0; count], rocket: vec![7; count] };
        let navigation = StockNavigation {
            map: "oa_dm1".to_owned(),
            spawns: vec![spot(64, Vec3::X), spot(65, Vec3::Y)],
            items: vec![spot(66, Vec3::Z); 3],
            to_items: vec![times(3); 2],
            to_spawns: vec![times(2); 2],
        };
        let maps = vec![navigation.clone(), StockNavigation { map: "islandctf".to_owned(), ..Default::default() }];
        assert_eq!(StockNavigation::from_lines(&StockNavigation::to_lines(&maps)), Some(maps));
        assert!(navigation.needs_rocket(1, 2) && !navigation.reaches_item(1, 2));
        assert_eq!(navigation.items_reached(), Reach { pairs: 6, usual: 0, rocket: 6 });

        let torn = StockNavigation { to_spawns: vec![times(2)], ..navigation };
        assert_eq!(StockNavigation::from_lines(&torn.lines()), None, "a spawn has no times");
    }

    #[test]
    fn power_up_that_has_not_appeared_is_found_by_its_place() {
        let goal = |entity, origin, area| Goal { name: "Quad Damage".to_owned(), origin, area, entity };
        let goals = [goal(70, Vec3::ZERO, 1), goal(0, Vec3::new(100.0, 0.0, 9.0), 2)];
        let area = |spot: &Spot| goal_of(spot, &goals).map(|goal| goal.area);
        assert_eq!(area(&spot(70, Vec3::new(100.0, 0.0, 0.0))), Some(1), "the number decides");
        assert_eq!(area(&spot(71, Vec3::new(100.0, 0.0, 0.0))), Some(2));
        assert_eq!(area(&spot(71, Vec3::new(102.0, 0.0, 0.0))), None);
    }

    #[test]
    fn goals_are_called_what_the_bots_call_them() {
        let text = "iteminfo \"weapon_rocketlauncher\"\n{\nname\t\t\"Rocket Launcher\"\nmodel \"models/r.md3\"\n}";
        assert_eq!(goal_names(text), ["Rocket Launcher"]);
    }
}
