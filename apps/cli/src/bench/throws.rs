//! Whether the throws of terrains are right, and what they cost: the table of the paper that had the idea, measured again.
//!
//! Map by map, for the hand grenades of two games: bake with no other throwable ([`terrain::cost`](super::terrain::cost)),
//! throw what the table says ([`delivery`]), look by brute force for what it misses ([`coverage`]), ask it beside a hash
//! table ([`lookup`]). Then a table of all maps beside W. van der Sterren's ([`paper`]), and rows for the worst map.

mod coverage;
mod delivery;
mod lookup;
mod paper;

use std::time::Duration;

use anyhow::{Context, Result};
use fireteam_bake::{BakeSettings, Step, WaypointSettings};
use fireteam_terrain::{MoverKind, Terrain, ThrowTable, WaypointFlags, WaypointId};
use fireteam_world::{Game, Map, Solids};

use super::Course;
use super::report::{Must, Report, Row};
use super::terrain::cost;
use crate::maps;
use coverage::Covered;
use delivery::{Delivered, Thrown};
use lookup::Asked;

/// Houses, a base, towers, open country, caves, and a map of our own.
const MAPS: [&str; 10] = [
    "oa_dm1",
    "oa_dm2",
    "oa_dm3",
    "oa_dm6",
    "oa_bases5",
    "kaos2",
    "sleekgrinder",
    "ctf_compromise",
    "czest1dm",
    "compound",
];
const MAPS_QUICK: [&str; 2] = ["oa_dm1", "compound"];
/// A game's hand grenade, as the game calls it: one that bounces for long, and one thrown at three speeds by a shaky hand.
const GRENADES: [(&str, &str); 2] = [("openarena", "grenade"), ("action", "frag")];

/// Everything a part needs of one map and one kind of grenade.
struct Ground {
    map: Map,
    solids: Solids,
    game: Game,
    throwable: &'static str,
    terrain: Terrain,
}

impl Ground {
    fn table(&self) -> &ThrowTable {
        self.terrain.throws.of(self.throwable).expect("it was baked for this throwable")
    }

    fn throwable(&self) -> &fireteam_world::game::Throwable {
        self.game.throwable(self.throwable).expect("the game was looked up by it")
    }

    /// Nobody throws who swims or burns.
    fn throws_from(&self, waypoint: WaypointId) -> bool {
        !self.terrain.waypoints.flags[waypoint.index()].meets(WaypointFlags::SWIM | WaypointFlags::HARM)
    }
}

/// All figures of one map and one kind of grenade.
struct Measured {
    game: &'static str,
    throwable: &'static str,
    map: String,
    waypoints: usize,
    doors: usize,
    throws: usize,
    per_target_max: usize,
    bytes: usize,
    /// CPU time of the step that finds throws.
    bake: Duration,
    /// The same with about a thousand waypoints.
    bake_of_a_thousand: Duration,
    quick_bake: Duration,
    quick_waypoints: usize,
    asked: Asked,
    delivered: Delivered,
    covered: Covered,
}

impl Measured {
    fn per_target(&self) -> f64 {
        self.throws as f64 / self.waypoints.max(1) as f64
    }

    fn per_throw(&self) -> f64 {
        self.bytes as f64 / self.throws.max(1) as f64
    }

    /// Share of all pairs that have a throw.
    fn density(&self) -> f64 {
        self.throws as f64 / (self.waypoints * self.waypoints).max(1) as f64
    }

    /// As if the map had a thousand waypoints.
    fn for_a_thousand(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1000.0 / self.waypoints.max(1) as f64
    }
}

pub(crate) fn throws(course: &Course) -> Result<Report> {
    let usual: &[&str] = if course.quick { &MAPS_QUICK } else { &MAPS };
    let mut all = Vec::new();
    for name in course.maps_or(usual) {
        for (game, throwable) in GRENADES {
            let measured = measure(course, &name, game, throwable).with_context(|| format!("{name}, {game}"))?;
            eprintln!("{}", paper::line(&measured));
            all.push(measured);
        }
    }
    let rows = GRENADES.iter().flat_map(|&(game, throwable)| {
        let of_game: Vec<&Measured> = all.iter().filter(|measured| measured.game == game).collect();
        rows(&format!("{game} {throwable}"), &of_game)
    });
    Ok(Report { table: Some(paper::table(&all)), ..Report::of("throws", rows.collect()) })
}

fn measure(course: &Course, name: &str, game: &'static str, throwable: &'static str) -> Result<Measured> {
    let map = maps::load(name)?;
    let mut rules = Game::named(game).expect("a test reads every description that is built in");
    rules.rules.throwables.retain(|name, _| name == throwable);
    eprintln!("{name}, {game}: baking");
    let (quick, quick_cost) = cost::bake(&map, &rules, &BakeSettings::quick())?;
    let (terrain, cost) = cost::bake(&map, &rules, &BakeSettings::default())?;
    let bake_of_a_thousand = bake_of_a_thousand(&map, &rules, terrain.waypoints.len(), &cost)?;
    let solids = Solids::build(&map);
    let ground = Ground { map, solids, game: rules, throwable, terrain };
    let (terrain, table) = (&ground.terrain, ground.table());
    eprintln!("{name}, {game}: throwing");
    let thrown = Thrown::all(&ground);
    let doors = terrain.movers.spots.iter().filter(|spot| spot.kind == MoverKind::Door).count();
    let of_target = |at: usize| table.always.row(at).count() + table.doors.row(at).count();
    Ok(Measured {
        game,
        throwable,
        map: name.to_owned(),
        waypoints: terrain.waypoints.len(),
        doors,
        throws: table.len(),
        per_target_max: (0..terrain.waypoints.len()).map(of_target).max().unwrap_or(0),
        bytes: table.bytes(),
        bake: cost.with_preparation(Step::Throws),
        bake_of_a_thousand,
        quick_bake: quick_cost.with_preparation(Step::Throws),
        quick_waypoints: quick.waypoints.len(),
        asked: lookup::ask(course, table)?,
        delivered: delivery::throw(course, &ground, &thrown)?,
        covered: coverage::look(course, &ground)?,
    })
}

/// What the throws of a thousand waypoints take: a smaller map is scaled up, one with up to a third more counts as it is. A still
/// larger one is baked again with as many, since what there is to do grows with the pairs that have a throw and not with the
/// waypoints.
fn bake_of_a_thousand(map: &Map, rules: &Game, waypoints: usize, cost: &cost::Cost) -> Result<Duration> {
    const ABOUT_A_THOUSAND: usize = 1333;
    let share = 1000.0 / waypoints.max(1) as f64;
    let time = cost.with_preparation(Step::Throws);
    if waypoints <= ABOUT_A_THOUSAND {
        return Ok(time.mul_f64(share.max(1.0)));
    }
    let waypoints = WaypointSettings::default().denser(share as f32);
    let sparser = BakeSettings { waypoints, ..BakeSettings::default() };
    let (terrain, cost) = cost::bake(map, rules, &sparser)?;
    let share = 1000.0 / terrain.waypoints.len().max(1) as f64;
    Ok(cost.with_preparation(Step::Throws).mul_f64(share.max(1.0)))
}

/// The bars, each for the map that is worst at it.
fn rows(who: &str, all: &[&Measured]) -> Vec<Row> {
    let worst =
        |what: &str, unit, must, figure: &dyn Fn(&Measured) -> Option<f64>| worst(who, what, all, unit, must, figure);
    let least = Must::AtLeast;
    let most = Must::AtMost;
    let percent = |share: f64| Some(share * 100.0);
    let is_large = |one: &Measured| one.waypoints >= 700 && one.game == "action";
    let is_dense = |one: &Measured| one.density() >= 0.2;
    let rows = [
        worst("hurt", "%", least(85.0), &|one| percent(one.delivered.all().hurt())),
        worst("mean damage", "points", least(40.0), &|one| Some(one.delivered.all().mean_points())),
        worst("thrower hurt", "%", most(1.0), &|one| percent(one.delivered.all().own())),
        worst("pairs out of sight", "%", least(30.0), &|one| percent(one.delivered.unseen_share())),
        worst("hurt out of sight", "%", least(80.0), &|one| percent(one.delivered.unseen.hurt())),
        worst("solvable pairs in the table", "%", least(95.0), &|one| percent(one.covered.share())),
        worst("throws a target, 700 waypoints", "", least(80.0), &|one| is_large(one).then(|| one.per_target())),
        worst("bytes a throw", "bytes", most(5.0), &|one| Some(one.per_throw())),
        worst("bytes a throw, a fifth there", "bytes", most(4.25), &|one| is_dense(one).then(|| one.per_throw())),
        worst("can throw? v FxHashMap", "times", least(1.4), &|one| Some(one.asked.ratio())),
        worst("bake of 1,000 waypoints", "s", most(60.0), &|one| Some(one.bake_of_a_thousand.as_secs_f64())),
        worst("quick bake of 1,000 waypoints", "s", most(8.0), &|one| Some(one.for_a_thousand(one.quick_bake))),
        worst("from nothing", "ms", most(2.0), &|one| Some(one.covered.mean_ms())),
        worst("found from nothing", "%", least(90.0), &|one| percent(one.covered.found())),
    ];
    rows.into_iter().flatten().collect()
}

/// A row for the map that is worst, and all maps in its note; none if there is no map it is about.
fn worst(
    who: &str,
    what: &str,
    all: &[&Measured],
    unit: &'static str,
    must: Must,
    figure: &dyn Fn(&Measured) -> Option<f64>,
) -> Option<Row> {
    let figures: Vec<(&str, f64)> = all.iter().filter_map(|one| Some((one.map.as_str(), figure(one)?))).collect();
    let is_worse = |a: f64, b: f64| match must {
        Must::AtLeast(_) => a < b || a.is_nan(),
        Must::AtMost(_) => a > b || a.is_nan(),
    };
    let value = figures.iter().map(|(_, value)| *value).reduce(|a, b| if is_worse(b, a) { b } else { a })?;
    let note: Vec<String> = figures.iter().map(|(map, value)| format!("{map} {value:.2}")).collect();
    // Without the peer there is nothing to compare with.
    if value.is_nan() {
        let why = "could not be measured on every map; hash tables need a build with `--features bench`";
        return Some(Row::missing(format!("{who}: {what}"), unit, must, why));
    }
    Some(Row::new(format!("{who}: {what}"), value, unit, must, note.join(", ")))
}
