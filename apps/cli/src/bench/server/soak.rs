//! An evening on a server: every installed map in one process, one after another, with whatever an operator fears counted.
//!
//! Two tours. The first finds no terrain: every map is baked quickly as it loads. The second finds what the first has left and
//! what is in the cache. On each map eight of ours and four of the game's own play two minutes; then the console is told the next
//! map, and everybody comes along. A third course fills all 64 slots with ours, for ten minutes on two maps.
//!
//! A frame is everything the module does for it, the game and its own bots included, in CPU time; loading a map is none. The
//! bar is for all frames of a tour together and for those of its worst map alone. The server is set up as `docs/openarena.md`
//! advises who wants even frames: the game's own bots find all their ways while a level loads (`ft_stock_ways`). The row says too
//! what the frames of that map take on a server as it comes, and with as many of the game's own bots and none of ours: so it is
//! seen whose time it is.
//!
//! Cost: some seconds of one core a map, and as much again for a quick bake.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fireteam_openarena::cast::is_cast;
use fireteam_openarena::install::cache_folder;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::report::Report;
use fireteam_openarena::play::{Match, Running};
use fireteam_openarena::server::Scratch;
use fireteam_world::map::Entity;

use super::CAPTURE_THE_FLAG;
use crate::bake::Watch;
use crate::bench::Course;
use crate::bench::report::{Must, Row};
use crate::openarena::{TEAM_DEATHMATCH, ready};

const MINUTES: u32 = 2;
const OURS: usize = 8;
const STOCK: usize = 4;
/// Two large maps, one of halls and one in the open.
const FULL_MAPS: [&str; 2] = ["kaos2", "ctf_compromise"];
const FULL_MINUTES: u32 = 10;
const FULL_OURS: usize = 64;

/// Where anybody may spawn, whatever is played.
const OPEN_SPAWNS: [&str; 2] = ["info_player_deathmatch", "info_player_start"];

/// Cases an hour of a bot's life.
const STUCK_MUST: Must = Must::AtMost(0.5);
const NONE_MUST: Must = Must::AtMost(0.0);
/// Milliseconds of the frame that one in a hundred exceeds.
const FRAME_MUST: Must = Must::AtMost(3.0);
const FULL_FRAME_MUST: Must = Must::AtMost(10.0);
/// More seconds and megabytes than the ways of any map installed take.
const ALL_WAYS: [(&str, &str); 2] = [("ft_stock_ways", "120"), ("com_zoneMegs", "128")];
/// However busy the machine: by then a level is over, or hangs.
const PATIENCE: Duration = Duration::from_secs(1200);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What is played, everywhere in one process.
struct Tour<'a> {
    name: &'static str,
    levels: Vec<Level>,
    entrants: Vec<Entrant>,
    minutes: u32,
    terrain: &'a Path,
    frame_must: Must,
    /// What the operator sets besides.
    cvars: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Debug)]
struct Level {
    map: String,
    game_type: i32,
}

/// What became of it.
#[derive(Default)]
struct Travelled {
    reports: Vec<(String, Report)>,
    /// The server or the level ended, or nothing happened any more; or a mind broke down.
    crashes: Vec<String>,
}

impl Travelled {
    /// The map with the longest frames.
    fn slowest(&self) -> Option<&(String, Report)> {
        self.reports.iter().max_by_key(|(_, report)| report.frame.p99)
    }

    /// How many frames there were on all maps, and the milliseconds that one in a hundred of them exceeds.
    fn frames(&self) -> (u64, f64) {
        let lengths = self.reports.iter().flat_map(|(_, report)| report.frame_lengths.iter().copied());
        let mut lengths: Vec<(u32, u64)> = lengths.collect();
        lengths.sort_unstable();
        let frames: u64 = lengths.iter().map(|(_, count)| count).sum();
        let mut longer = frames;
        let p99 = lengths.iter().find(|(_, count)| {
            longer -= count;
            longer * 100 <= frames
        });
        (frames, p99.map_or(f64::NAN, |(us, _)| ms(*us)))
    }
}

/// All maps, without terrains and with them.
pub(super) fn soak(course: &Course, watch: &Watch) -> Result<Vec<Row>> {
    let folder = Scratch::new()?;
    let mut maps = course.maps_or(&course.install.maps()?);
    if course.quick {
        maps.truncate(6);
    }
    let levels = levels(course, &maps)?;
    let tour = |name| Tour {
        name,
        levels: levels.clone(),
        entrants: entrants(OURS, STOCK),
        minutes: MINUTES,
        terrain: folder.path(),
        frame_must: FRAME_MUST,
        cvars: &ALL_WAYS,
    };
    let mut rows = travel(course, watch, &tour("fresh"))?;
    lend_cache(folder.path())?;
    rows.extend(travel(course, watch, &tour("cached"))?);
    Ok(rows)
}

/// Every slot taken by ours.
pub(super) fn full(course: &Course, watch: &Watch) -> Result<Vec<Row>> {
    let maps = course.maps_or(&FULL_MAPS);
    maps.iter().try_for_each(|map| ready(map, watch).map(drop))?;
    let tour = Tour {
        name: "64 of ours",
        levels: levels(course, &maps)?,
        entrants: entrants(FULL_OURS, 0),
        minutes: if course.quick { 1 } else { FULL_MINUTES },
        terrain: &cache_folder()?.join("terrain"),
        frame_must: FULL_FRAME_MUST,
        cvars: &[],
    };
    travel(course, watch, &tour)
}

/// The game itself gives up on a map that has nowhere to spawn without flags: such a map is played for flags.
fn levels(course: &Course, maps: &[String]) -> Result<Vec<Level>> {
    let level = |name: &String| {
        let map = course.map(name)?;
        let may_spawn = |entity: &Entity| OPEN_SPAWNS.contains(&entity.class()) && is_cast(entity, TEAM_DEATHMATCH);
        let is_open = map.entities.iter().any(may_spawn);
        let game_type = if is_open { TEAM_DEATHMATCH } else { CAPTURE_THE_FLAG };
        Ok(Level { map: name.clone(), game_type })
    };
    maps.iter().map(level).collect()
}

/// Both sides mixed, so that nobody's place decides.
fn entrants(ours: usize, stock: usize) -> Vec<Entrant> {
    let side = |side, count: usize, skill| {
        let colour = |number: usize| if number.is_multiple_of(2) { Colour::Red } else { Colour::Blue };
        (0..count).map(move |number| Entrant { side, colour: colour(number), skill })
    };
    side(Side::Ours, ours, 2).chain(side(Side::Stock, stock, 3)).collect()
}

/// What was baked in full before lies beside what the first tour has left.
fn lend_cache(folder: &Path) -> Result<()> {
    let cache = cache_folder()?.join("terrain");
    for entry in fs::read_dir(&cache).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "terrain") {
            let to = folder.join(entry.file_name());
            fs::copy(&path, &to).with_context(|| format!("copying {} to {}", path.display(), to.display()))?;
        }
    }
    Ok(())
}

fn travel(course: &Course, watch: &Watch, tour: &Tour) -> Result<Vec<Row>> {
    let travelled = play_all(course, watch, tour)?;
    let has_stock = tour.entrants.iter().any(|entrant| entrant.side == Side::Stock);
    let elsewise = match travelled.slowest().filter(|_| has_stock) {
        Some((map, _)) => elsewise(course, watch, tour, map)?,
        None => Elsewise::default(),
    };
    Ok(rows(tour, &travelled, &elsewise))
}

/// Milliseconds of the frame that one in a hundred exceeds on a tour's worst map, if things were otherwise.
#[derive(Default)]
struct Elsewise {
    /// With as many players, all of them the game's own, on a server as it comes.
    stock_alone: Option<f64>,
    /// With the same players, on a server as it comes.
    as_it_comes: Option<f64>,
}

fn elsewise(course: &Course, watch: &Watch, tour: &Tour, map: &str) -> Result<Elsewise> {
    let levels: Vec<Level> = tour.levels.iter().filter(|level| level.map == map).cloned().collect();
    let p99 = |tour: &Tour| -> Result<Option<f64>> {
        let travelled = play_all(course, watch, tour)?;
        Ok(travelled.slowest().map(|(_, report)| ms(report.frame.p99)))
    };
    let entrants = entrants(0, tour.entrants.len());
    let alone = Tour { name: "the game alone", levels: levels.clone(), entrants, cvars: &[], ..*tour };
    let plain = Tour { name: "as it comes", levels, entrants: tour.entrants.clone(), cvars: &[], ..*tour };
    Ok(Elsewise { stock_alone: p99(&alone)?, as_it_comes: p99(&plain)? })
}

fn play_all(course: &Course, watch: &Watch, tour: &Tour) -> Result<Travelled> {
    let mut travelled = Travelled::default();
    let mut server: Option<Stay> = None;
    for (number, level) in tour.levels.iter().enumerate() {
        let began = Instant::now();
        let mut stay = match server.take() {
            Some(mut stay) => {
                stay.go_on(level)?;
                stay
            }
            None => Stay::begin(course, tour, level)?,
        };
        let told = match stay.wait(level, watch)? {
            Ok(report) => {
                let told = line(&report);
                if report.faults > 0 {
                    travelled.crashes.push(format!("{}: {} benched", level.map, report.faults));
                }
                travelled.reports.push((level.map.clone(), report));
                server = Some(stay);
                told
            }
            Err(what) => {
                travelled.crashes.push(format!("{}: {what}", level.map));
                // A server that goes on without a level would go on in real time: a new one takes its place.
                what
            }
        };
        let seconds = began.elapsed().as_secs_f64();
        eprintln!("{} {}/{} {}: {told}; {seconds:.0} s", tour.name, number + 1, tour.levels.len(), level.map);
        let cases = travelled.reports.last().filter(|(map, _)| *map == level.map).map(|(_, report)| &report.cases);
        cases.into_iter().flatten().for_each(|case| eprintln!("    stuck: {case}"));
    }
    Ok(travelled)
}

fn ms(us: u32) -> f64 {
    f64::from(us) / 1000.0
}

fn line(report: &Report) -> String {
    let (ours, stock) = (report.of_side(Side::Ours).count(), report.of_side(Side::Stock).count());
    let stuck: u32 = report.of_side(Side::Ours).map(|player| player.stuck).sum();
    let [p99, max, own, rest] = [report.frame.p99, report.frame.max, report.own.p99, report.rest.p99].map(ms);
    let frame = format!("frame p99 {p99:.2} ms (we {own:.2}, the game {rest:.2}), longest {max:.1} ms");
    format!("{ours} ours, {stock} stock, {} dropped, {stuck} stuck; {frame}", report.dropped)
}

/// A server that goes from map to map.
struct Stay {
    running: Running,
    reports: PathBuf,
    seen: usize,
    _folder: Scratch,
}

impl Stay {
    fn begin(course: &Course, tour: &Tour, level: &Level) -> Result<Stay> {
        let folder = Scratch::new()?;
        let reports = folder.path().to_owned();
        let mut game = Match::new(&level.map, level.game_type, tour.entrants.clone());
        game.seed = course.seed as i32;
        game.terrain = Some(tour.terrain.to_owned());
        // After the match's own, which say that there is no end.
        let set = |name: &str, value: String| (name.to_owned(), value);
        game.cvars.push(set("timelimit", tour.minutes.to_string()));
        game.cvars.push(set("ft_report", reports.display().to_string()));
        game.cvars.extend(tour.cvars.iter().map(|(name, value)| set(name, (*value).to_owned())));
        let running = Running::start(&course.install, &course.module, &game)?;
        Ok(Stay { running, reports, seen: 0, _folder: folder })
    }

    fn go_on(&mut self, level: &Level) -> Result<()> {
        let Level { map, game_type } = level;
        Ok(self.running.server().type_line(&format!("set g_gametype {game_type}; map {map}"))?)
    }

    /// The level's report, or what went wrong with it.
    fn wait(&mut self, level: &Level, watch: &Watch) -> Result<Result<Report, String>> {
        let (began, path) = (Instant::now(), self.reports.join(format!("{}.txt", level.map)));
        loop {
            ensure!(!watch.is_stopped(), "stopped on {}", level.map);
            // It may be read while it is written.
            let text = fs::read_to_string(&path).unwrap_or_default();
            if let Some(report) = Report::from_text(&text).filter(|report| !report.players.is_empty()) {
                return Ok(Ok(report));
            }
            if let Some(status) = self.running.server().ended() {
                return Ok(Err(format!("the server ended ({status})")));
            }
            let news = self.running.server().log_since(&mut self.seen);
            if let Some(line) = news.iter().find(|line| line.contains("(Server crashed: ")) {
                return Ok(Err(line.clone()));
            }
            if began.elapsed() > PATIENCE {
                return Ok(Err(format!("no end after {PATIENCE:?}")));
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

fn rows(tour: &Tour, travelled: &Travelled, elsewise: &Elsewise) -> Vec<Row> {
    let Travelled { reports, crashes } = travelled;
    let ours_wanted = tour.entrants.iter().filter(|entrant| entrant.side == Side::Ours).count();
    let missing = |report: &Report| ours_wanted.saturating_sub(report.of_side(Side::Ours).count());
    let lost: Vec<String> = reports
        .iter()
        .filter(|(_, report)| report.dropped > 0 || missing(report) > 0)
        .map(|(map, report)| format!("{map}: {} dropped, {} never came", report.dropped, missing(report)))
        .collect();
    let dropped: usize = reports.iter().map(|(_, report)| report.dropped as usize + missing(report)).sum();
    let stuck_on = |report: &Report| report.of_side(Side::Ours).map(|player| player.stuck).sum::<u32>();
    let stuck: u32 = reports.iter().map(|(_, report)| stuck_on(report)).sum();
    let alive_ms: i64 =
        reports.iter().flat_map(|(_, report)| report.of_side(Side::Ours)).map(|player| player.alive_ms).sum();
    let hours = alive_ms as f64 / 3.6e6;
    let mut where_stuck: Vec<(u32, &str)> =
        reports.iter().map(|(map, report)| (stuck_on(report), map.as_str())).filter(|(count, _)| *count > 0).collect();
    where_stuck.sort_by(|a, b| b.cmp(a));
    let places: Vec<String> = where_stuck.iter().map(|(count, map)| format!("{map} {count}")).collect();
    let slowest = travelled.slowest();
    let p99 = slowest.map_or(f64::NAN, |(_, report)| ms(report.frame.p99));
    let frame_note = slowest.map_or(String::new(), |(map, report)| {
        let (longest, own, rest) = (ms(report.frame.max), ms(report.own.p99), ms(report.rest.p99));
        let players = tour.entrants.len();
        let note = |p99: Option<f64>, how: &str| p99.map_or(String::new(), |p99| format!("; {how} {p99:.2} ms"));
        let plain = note(elsewise.as_it_comes, "as it comes");
        let alone = note(elsewise.stock_alone, &format!("with {players} of the game's own"));
        let parts = format!("without us {rest:.2} ms, we alone {own:.2} ms");
        format!("{map}; its longest {longest:.1} ms; {parts}{plain}{alone}")
    });
    let (frames, all_p99) = travelled.frames();
    let busiest = reports.iter().map(|(map, report)| (report.own.p99, map.as_str())).max();
    let (own_p99, busiest) = busiest.map_or((f64::NAN, "none"), |(us, map)| (ms(us), map));
    let row = |what: &str, value: f64, unit, must, note: String| {
        Row::new(format!("{}: {what}", tour.name), value, unit, must, note)
    };
    let levels = format!("{} levels of {} minutes in one process", tour.levels.len(), tour.minutes);
    let stuck_note = format!("{stuck} in {hours:.1} hours; {}", places.join(", "));
    vec![
        row("crashes", crashes.len() as f64, "", NONE_MUST, format!("{levels}; {}", crashes.join("; "))),
        row("dropped clients", dropped as f64, "", NONE_MUST, lost.join("; ")),
        row("stuck an hour", f64::from(stuck) / hours, "", STUCK_MUST, stuck_note),
        row("frame, one in a hundred", all_p99, "ms", tour.frame_must, format!("of {frames} frames on all maps")),
        row("frame, one in a hundred of the worst map", p99, "ms", tour.frame_must, frame_note),
        row("of it our part", own_p99, "ms", tour.frame_must, format!("the worst map's ({busiest})")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level of a hundred frames, two of which take so long.
    fn level(map: &str, us: u32) -> (String, Report) {
        (map.to_owned(), Report { frame_lengths: vec![(500, 98), (us, 2)], ..Report::default() })
    }

    #[test]
    fn one_in_a_hundred_of_the_frames_of_all_maps_is_longer() {
        let frames = |reports| Travelled { reports, crashes: Vec::new() }.frames();
        assert_eq!(frames(vec![level("oa_dm1", 1000)]), (100, 1.0));
        assert_eq!(frames(vec![level("oa_dm1", 1000), level("czest3ctf", 4600)]), (200, 1.0));
        let levels = vec![level("oa_dm1", 1000), level("czest3ctf", 4600), level("kaos2", 4600)];
        assert_eq!(frames(levels), (300, 4.6));
        assert!(frames(Vec::new()).1.is_nan(), "which no bar takes for good");
    }
}
