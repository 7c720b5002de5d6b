//! Can one get from where one appears to where things lie? Our links, against the stock bots' navigation.

use std::collections::BTreeMap;

use anyhow::Result;
use fireteam_bake::links::taken_on_the_way;
use fireteam_openarena::capture::Limits;
use fireteam_openarena::capture::navigation::{self, Spot, StockNavigation};
use fireteam_terrain::{LinkFlags, Terrain, WaypointFlags, WaypointId};
use fireteam_world::Vec3;

use super::super::Course;
use super::super::report::{Must, Row};
use super::{Baked, Misses, Tally, percent};

const STOCK_MUST: Must = Must::AtLeast(99.0);
const ALL_MUST: Must = Must::AtLeast(97.0);
/// A spot is known if a waypoint is this near to who stands there: one arrives within 14 units of it, and a body and an
/// item reach out by 15 and 15.
const SPOT_REACH: f32 = 48.0;
/// An item may lie above the floor: on a ledge, or where one jumps for it.
const SPOT_HEIGHT: f32 = 64.0;

#[derive(Default)]
pub(super) struct Reached {
    /// Pairs the stock bots know a way for, and how many of those we do.
    stock_pairs: usize,
    of_stock: usize,
    /// All pairs of a spawn and an item, but those that need a rocket jump.
    item_pairs: usize,
    of_items: usize,
    stock_items: usize,
    stock_misses: Misses,
    item_misses: Misses,
}

impl Tally for Reached {
    fn wants(&self, _: &str) -> bool {
        true
    }

    fn take(&mut self, course: &Course, baked: &Baked) -> Result<()> {
        let stock = navigation::ask(&course.install, &course.module, &baked.name, &Limits::default())?;
        let known = Known::of(baked, &stock);
        let stock_missed = self.count_stock(&stock, &known);
        let items_missed = self.count_items(&stock, &known);
        let (of_stock, of_items) = (stock_missed.values().sum(), items_missed.values().sum());
        if of_stock + of_items > 0 {
            eprintln!("  not reached: {}", told(&items_missed));
        }
        self.stock_misses.add(&baked.name, of_stock, told(&stock_missed));
        self.item_misses.add(&baked.name, of_items, told(&items_missed));
        Ok(())
    }

    fn miss(&mut self, map: &str, why: &str) {
        // How many pairs it has is not known without its terrain; one is enough to be seen.
        self.stock_pairs += 1;
        self.item_pairs += 1;
        self.stock_misses.add(map, 1, why.to_owned());
        self.item_misses.add(map, 1, why.to_owned());
    }

    fn rows(&self) -> Vec<Row> {
        let of_stock = percent(self.of_stock, self.stock_pairs);
        let of_items = percent(self.of_items, self.item_pairs);
        let stock_share = percent(self.stock_items, self.item_pairs);
        let note = |reached: usize, pairs: usize, misses: &Misses| {
            let missed = if misses.0.is_empty() { String::new() } else { format!("; missed: {}", misses.told()) };
            format!("{reached} of {pairs}{missed}")
        };
        let stock_note = note(self.of_stock, self.stock_pairs, &self.stock_misses);
        let item_note = note(self.of_items, self.item_pairs, &self.item_misses);
        vec![
            Row::new("pairs the stock bots know a way for".into(), of_stock, "%", STOCK_MUST, stock_note),
            Row::new(
                "all pairs of a spawn and an item".into(),
                of_items,
                "%",
                ALL_MUST,
                format!("the stock bots {stock_share:.2} %; {item_note}"),
            ),
        ]
    }
}

impl Reached {
    fn count_stock(&mut self, stock: &StockNavigation, known: &Known) -> BTreeMap<String, usize> {
        let mut missed = BTreeMap::new();
        for (from, start) in known.spawns.iter().enumerate() {
            let items = known.items.iter().enumerate().filter(|(to, _)| stock.reaches_item(from, *to));
            let items = items.map(|(to, ends)| (&stock.items[to], ends));
            let spawns = known.spawns.iter().enumerate().filter(|(to, _)| stock.reaches_spawn(from, *to));
            let spawns = spawns.map(|(to, ends)| (&stock.spawns[to], ends));
            for (spot, ends) in items.chain(spawns) {
                self.stock_pairs += 1;
                match known.why_not(start, spot, ends) {
                    None => self.of_stock += 1,
                    Some(why) => *missed.entry(named(spot, why)).or_default() += 1,
                }
            }
        }
        missed
    }

    fn count_items(&mut self, stock: &StockNavigation, known: &Known) -> BTreeMap<String, usize> {
        let mut missed = BTreeMap::new();
        for (from, start) in known.spawns.iter().enumerate() {
            for (to, ends) in known.items.iter().enumerate() {
                let why = known.why_not(start, &stock.items[to], ends);
                if why.is_some() && stock.needs_rocket(from, to) {
                    continue;
                }
                self.item_pairs += 1;
                self.stock_items += usize::from(stock.reaches_item(from, to));
                match why {
                    None => self.of_items += 1,
                    Some(why) => *missed.entry(named(&stock.items[to], why)).or_default() += 1,
                }
            }
        }
        missed
    }
}

fn named(spot: &Spot, why: &str) -> String {
    let Vec3 { x, y, z } = spot.stand;
    format!("{} at {x:.0},{y:.0},{z:.0}: {why}", spot.class)
}

fn told(missed: &BTreeMap<String, usize>) -> String {
    const TOLD_MAX: usize = 12;
    let mut each: Vec<(&String, &usize)> = missed.iter().collect();
    each.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let rest = if each.len() > TOLD_MAX { format!(", and {} more", each.len() - TOLD_MAX) } else { String::new() };
    let first = each.iter().take(TOLD_MAX).map(|(what, count)| format!("{what} x{count}"));
    first.collect::<Vec<_>>().join(", ") + &rest
}

/// Which waypoints stand for each spawn and each item.
struct Known<'a> {
    terrain: &'a Terrain,
    spawns: Vec<Vec<WaypointId>>,
    /// For what hangs in the air, the starts of links on which it is taken.
    items: Vec<Vec<WaypointId>>,
}

impl<'a> Known<'a> {
    fn of(baked: &'a Baked, stock: &StockNavigation) -> Known<'a> {
        let terrain = &baked.terrain;
        let all = |spots: &[Spot], flag| spots.iter().map(|spot| waypoints_at(terrain, spot, flag)).collect();
        let mut items: Vec<Vec<WaypointId>> = all(&stock.items, WaypointFlags::ITEM);
        for (item, from) in taken_in_flight(baked, &stock.items) {
            items[item].push(from);
        }
        Known { terrain, spawns: all(&stock.spawns, WaypointFlags::SPAWN), items }
    }

    fn why_not(&self, starts: &[WaypointId], goal: &Spot, ends: &[WaypointId]) -> Option<&'static str> {
        let leads = |starts: &[WaypointId]| {
            starts.iter().any(|&from| ends.iter().any(|&to| self.terrain.islands.connect(from, to)))
        };
        if starts.is_empty() {
            Some("the spawn has no waypoint")
        } else if leads(starts) {
            None
        } else if ends.is_empty() && hangs(goal) {
            Some("it hangs in the air, and no link takes it in flight")
        } else if ends.is_empty() {
            Some("no waypoint is there")
        } else if self.spawns.iter().any(|others| leads(others)) {
            Some("links lead there from other spawns only")
        } else {
            Some("no links lead there from any spawn")
        }
    }
}

/// Items that cannot be taken from the ground below, by their number, each with the start of a link that takes it.
fn taken_in_flight(baked: &Baked, items: &[Spot]) -> Vec<(usize, WaypointId)> {
    let hanging: Vec<usize> = (0..items.len()).filter(|&item| hangs(&items[item])).collect();
    let spots: Vec<Vec3> = hanging.iter().map(|&item| items[item].origin).collect();
    let course = fireteam_world::walker::outing::Course::new(&baked.map, &baked.solids, &baked.game);
    let Terrain { waypoints, movers, links, .. } = &baked.terrain;
    let takes = |link: &fireteam_terrain::Link| link.flags.meets(LinkFlags::ITEM);
    let mut found = Vec::new();
    for (from, link) in links.iter().filter(|(_, link)| takes(link)) {
        let taken = taken_on_the_way(&course, waypoints, movers, from, link, &spots);
        found.extend(hanging.iter().zip(taken).filter(|(_, is_taken)| *is_taken).map(|(item, _)| (*item, from)));
    }
    found
}

fn hangs(spot: &Spot) -> bool {
    spot.origin.z - spot.stand.z > SPOT_HEIGHT
}

/// The waypoints made for what lies here, else the one whose ground it is, if that is near.
fn waypoints_at(terrain: &Terrain, spot: &Spot, flag: WaypointFlags) -> Vec<WaypointId> {
    let is_here = |id: &WaypointId| {
        let way = terrain.waypoints.origin[id.index()] - spot.stand;
        way.truncate().length() <= SPOT_REACH && way.z.abs() <= SPOT_HEIGHT
    };
    let made: Vec<WaypointId> =
        terrain.waypoints.ids().filter(|id| terrain.waypoints.flags[id.index()].meets(flag) && is_here(id)).collect();
    if !made.is_empty() {
        return made;
    }
    terrain.nearest(spot.stand).map(|near| near.waypoint).into_iter().filter(|id| is_here(id)).collect()
}
