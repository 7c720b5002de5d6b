//! Do bots all run the same way? The routes of a hundred seeds from the same start to the same goal, and how they differ by
//! constitution.
//!
//! Pairs of waypoints a few seconds apart are drawn; each is asked a hundred times, by bots that draw their taste as a journey
//! does, and once as it would be without. Entropy is that of the distribution over routes, in bits: 0 is always the same.
//! Nobody is near and nobody has died: what enemies add comes on top.

use std::collections::BTreeMap;

use anyhow::Result;
use fireteam::ConVars;
use fireteam::legs::tolls::{Concerns, Constitution, Reckoning, WEIGHT};
use fireteam::searches::{Answer, Priority, Question, Searches};
use fireteam_terrain::{LinkId, Route, Terrain, WaypointId};
use fireteam_world::Game;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, Time};

use super::Course;
use super::report::{Must, Row};
use crate::bake::Watch;
use crate::{maps, terrains};

const MAPS: [&str; 4] = ["compound", "oa_dm1", "oa_dm6", "kaos2"];
const PAIRS: usize = 40;
const SEEDS: u32 = 100;
/// Journeys that take less are too short for two ways, in milliseconds.
const TRAVEL_MS: std::ops::RangeInclusive<u32> = 3000..=15_000;
const BITS_MUST: Must = Must::AtLeast(1.0);
const DETOUR_MUST: Must = Must::AtMost(1.25);
const LONGER_MUST: Must = Must::AtLeast(1.0);
const EXPOSED_MUST: Must = Must::AtMost(0.99);

pub(crate) fn routes(course: &Course) -> Result<Vec<Row>> {
    let watch = Watch::begin(MAPS.len(), false)?;
    let mut rows = Vec::new();
    for name in course.maps_or(&MAPS) {
        let game = Game::named("skirmish").expect("a test reads every description that is built in");
        let terrain = terrains::terrain(&maps::load(&name)?, &game, &watch)?;
        rows.extend(rows_of(&name, &terrain, course));
    }
    Ok(rows)
}

fn rows_of(name: &str, terrain: &Terrain, course: &Course) -> Vec<Row> {
    let mut asker = Asker { terrain, searches: Searches::default(), convars: ConVars::default() };
    let pairs = pairs(terrain, course.count(PAIRS), course.seed);
    let (mut bits, mut distinct, mut detour) = (0.0, 0.0, 0.0);
    let mut of = [[0.0; 2]; 2];
    for &(from, to) in &pairs {
        let quickest = f64::from(asker.quickest(from, to));
        let mut counts: BTreeMap<Vec<LinkId>, u32> = BTreeMap::new();
        for seed in 0..SEEDS {
            let taste = Pcg::new(course.seed, u64::from(seed)).draw();
            let route = asker.route(from, to, Constitution::Normal, taste);
            detour += f64::from(terrain.promised_ms(&route)) / quickest;
            *counts.entry(route.links).or_default() += 1;
            for (constitution, sums) in [Constitution::Aggressive, Constitution::Defensive].into_iter().zip(&mut of) {
                let route = asker.route(from, to, constitution, taste);
                sums[0] += f64::from(terrain.promised_ms(&route));
                sums[1] += exposure(terrain, &route);
            }
        }
        distinct += counts.len() as f64;
        let share = |count: &u32| f64::from(*count) / f64::from(SEEDS);
        bits -= counts.values().map(|count| share(count) * share(count).log2()).sum::<f64>();
    }
    let each = pairs.len().max(1) as f64;
    let [aggressive, defensive] = of;
    let row =
        |what: &str, value: f64, unit, must, note: String| Row::new(format!("{name}: {what}"), value, unit, must, note);
    let note =
        format!("{:.1} routes of {SEEDS} seeds over {} pairs; without, one and 0 bits", distinct / each, pairs.len());
    let seconds = |sum: f64| sum / each / f64::from(SEEDS) / 1000.0;
    vec![
        row("variety of routes", bits / each, "bits", BITS_MUST, note),
        row("time, of the quickest way's", detour / each / f64::from(SEEDS), "times", DETOUR_MUST, String::new()),
        row(
            "a defensive bot's way, of an aggressive one's",
            defensive[0] / aggressive[0],
            "times",
            LONGER_MUST,
            format!("{:.1} s and {:.1} s", seconds(defensive[0]), seconds(aggressive[0])),
        ),
        row(
            "and seen on it, mean of places",
            defensive[1] / aggressive[1],
            "times",
            EXPOSED_MUST,
            "by the share of the map that sees a place".to_owned(),
        ),
    ]
}

/// Drawn pairs that are neither too near nor too far.
fn pairs(terrain: &Terrain, count: usize, seed: u64) -> Vec<(WaypointId, WaypointId)> {
    let mut chance = Pcg::named(seed, "routes");
    let mut pairs = Vec::new();
    for _ in 0..count * 1000 {
        let mut draw = || WaypointId::from(chance.below(terrain.waypoints.len()));
        let (from, to) = (draw(), draw());
        if pairs.len() < count && terrain.times.about_ms(from, to).is_some_and(|ms| TRAVEL_MS.contains(&ms)) {
            pairs.push((from, to));
        }
    }
    pairs
}

/// How much of the map sees a place of the route, on average.
fn exposure(terrain: &Terrain, route: &Route) -> f64 {
    let seen = |link: &LinkId| f64::from(terrain.values.exposure[terrain.links.links[link.index()].to.index()]);
    route.links.iter().map(seen).sum::<f64>() / route.links.len().max(1) as f64
}

struct Asker<'a> {
    terrain: &'a Terrain,
    searches: Searches,
    convars: ConVars,
}

impl Asker<'_> {
    fn quickest(&mut self, from: WaypointId, to: WaypointId) -> u32 {
        let route = self.ask(&Question::quickest(from, to));
        self.terrain.promised_ms(&route).max(1)
    }

    /// As a journey asks.
    fn route(&mut self, from: WaypointId, to: WaypointId, constitution: Constitution, taste: u32) -> Route {
        let concerns = Concerns { constitution, ..Concerns::default() };
        let (terrain, convars) = (self.terrain, &self.convars);
        let mut tolls = Vec::new();
        Reckoning { terrain, concerns, traffic: &[], caution: 1, taste, now: Time(0), convars }.fill(&mut tolls);
        self.ask(&Question { tolls: &tolls, toll_weight: WEIGHT, ..Question::quickest(from, to) })
    }

    fn ask(&mut self, question: &Question) -> Route {
        let ticket = self.searches.ask(EntityId(0), Priority::Usual, question).expect("nobody else asks");
        let mut route = Route::default();
        while self.searches.collect(ticket, &mut route) == Answer::Pending {
            self.searches.run(self.terrain, u32::MAX);
        }
        route
    }
}
