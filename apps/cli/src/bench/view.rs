//! What being watched costs, with sixteen bots on the built-in map in a fight without end.
//!
//! The playing thread's CPU time with the viewer and a client attached, who has a bot selected, against the same match with
//! nobody to watch: thinking and the game, nothing else. Both are played by the same thread in turn, a second of each, at the same
//! pace and bit for bit the same; the median of all seconds. Bytes on the wire are counted at the speed of life. A recording of ten
//! minutes is written, and opened by a command of its own: open is when the terrain and the first frames of its film have
//! been answered.
//!
//! Not here: what a page costs to draw, which only a browser can say.

mod visitor;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use fireteam::recording::{Head, Keep, Recorder};
use fireteam::{Bots, ConVars, Field, Skill};
use fireteam_openarena::clock::thread_time;
use fireteam_openarena::server::Scratch;
use fireteam_sim::{Match, Roster};
use fireteam_world::game::Objective;

use super::Course;
use super::report::{Must, Row, median};
use crate::bake::Watch;
use crate::play::watched::Played;
use crate::view::stage::{Beat, Controls, Cue};
use crate::view::{Viewer, Viewing};
use crate::{demo, maps, terrains};
use visitor::{Listener, Opened};

const PER_TEAM: usize = 8;
/// Of the embedded game.
const FRAME_MS: i32 = 50;
const SECOND: usize = 20;
/// Seconds of each match that are measured, after those that warm it up.
const SECONDS: usize = 60;
const WARM: usize = 10;
const ROUNDS_MAX: usize = 5;
/// As many times as fast as in life while CPU time is measured; two matches share it.
const SPEED: f64 = 8.0;
/// Seconds of listening.
const LISTENED: usize = 30;
/// The length of the recording in minutes.
const MINUTES: i32 = 10;
/// Rounds end after four minutes: whoever fights for ten is given rules without that.
const ROUND: &str = "round_ms = 240000";
const ENDLESS: &str = "round_ms = 0";

const CPU_MUST: Must = Must::AtMost(3.0);
const WIRE_MUST: Must = Must::AtMost(300.0);
const SIZE_MUST: Must = Must::AtMost(12.0);
const OPEN_MUST: Must = Must::AtMost(2.0);

pub(crate) fn view(course: &Course) -> Result<Vec<Row>> {
    let watch = Watch::begin(1, false)?;
    let folder = Scratch::new()?;
    let rules = folder.path().join("endless.toml");
    let described = include_str!("../../../../games/skirmish.toml");
    ensure!(described.contains(ROUND), "skirmish has another length of rounds than it had");
    std::fs::write(&rules, described.replace(ROUND, ENDLESS)).context("cannot write the rules")?;
    let rules = rules.to_str().context("a folder whose name is no text")?;
    let field = terrains::field(maps::load(maps::DEFAULT)?, demo::load_game(rules)?, &watch)?;
    let viewer = Viewer::open(&Quiet::parse_from(["bench", "--no-open", "--port", "0"]).viewing)?;
    let mut rows = vec![cpu_row(course, &field, &viewer, &watch)?, wire_row(course, &field, &viewer, &watch)?];
    let file = folder.path().join("ten-minutes.recording");
    rows.extend(recording_rows(course, &field, (&file, rules), &watch)?);
    Ok(rows)
}

/// The viewer as `--no-open --port 0` asks for it.
#[derive(Debug, Parser)]
struct Quiet {
    #[command(flatten)]
    viewing: Viewing,
}

fn roster(seed: u64) -> Roster {
    Roster::of_teams(PER_TEAM, Skill::Veteran, seed)
}

fn address_of(viewer: &Viewer) -> Result<SocketAddr> {
    let host = viewer.url.trim_start_matches("http://").trim_end_matches('/');
    host.parse().context("the viewer's own address")
}

fn cpu_row(course: &Course, field: &Arc<Field>, viewer: &Viewer, watch: &Watch) -> Result<Row> {
    let (rounds, seconds) = (course.rounds.min(ROUNDS_MAX), course.count(SECONDS));
    let (mut growths, mut spent) = (Vec::new(), [0.0, 0.0]);
    for round in 0..rounds {
        watch.count("rounds", round, rounds);
        let seed = course.seed + round as u64;
        let (mut alone, mut scene) = (Alone::begin(field, seed), begin(field, viewer, seed));
        let _listener = Listener::attach(address_of(viewer)?, bot_of(&scene))?;
        let (controls, mut beat) = (Controls::new(SPEED), Beat::from_now());
        for second in 0..WARM + seconds {
            let alone_s = paced(&controls, &mut beat, watch, || alone.frame())?;
            let watched_s = paced(&controls, &mut beat, watch, || scene.frame())?;
            if second >= WARM {
                growths.push((watched_s / alone_s - 1.0) * 100.0);
                spent = [spent[0] + alone_s, spent[1] + watched_s];
            }
        }
        let is_same = alone.game.fingerprint() == scene.game.fingerprint();
        ensure!(is_same, "being watched changed the match of seed {seed}");
        scene.end();
    }
    let [alone, watched] = spent.map(|all| all * 1000.0 / (rounds * seconds * SECOND) as f64);
    let count = growths.len();
    let note = format!("16 bots: {alone:.3} ms a frame alone, {watched:.3} watched; median of {count} seconds");
    Ok(Row::new("playing thread, CPU with the viewer".to_owned(), median(growths), "% more", CPU_MUST, note))
}

/// A match with nobody to watch.
struct Alone {
    game: Match,
    bots: Bots,
    convars: ConVars,
}

impl Alone {
    fn begin(field: &Arc<Field>, seed: u64) -> Alone {
        let roster = roster(seed);
        let game = Match::about(Objective::TeamFight, field.clone(), &roster, seed);
        let mut bots = Bots::new(field.clone(), seed);
        for ((entity, _), member) in game.players().zip(&roster.members) {
            bots.join(entity, member.character());
        }
        Alone { game, bots, convars: ConVars::default() }
    }

    fn frame(&mut self) -> Result<()> {
        let commands = self.bots.think(self.game.snapshot(), &self.convars);
        self.game.step(commands);
        Ok(())
    }
}

fn begin(field: &Arc<Field>, viewer: &Viewer, seed: u64) -> Played {
    let about = (&roster(seed), Objective::TeamFight);
    let scene = Played::begin(maps::DEFAULT, field.clone(), about, seed, ConVars::default());
    scene.present(viewer, Objective::TeamFight, true);
    scene
}

fn bot_of(scene: &Played) -> u16 {
    scene.game.players().next().map_or(0, |(entity, _)| entity.0)
}

/// CPU seconds of this thread for a second of a match.
fn paced(controls: &Controls, beat: &mut Beat, watch: &Watch, mut frame: impl FnMut() -> Result<()>) -> Result<f64> {
    let began = thread_time();
    for _ in 0..SECOND {
        match controls.wait(beat, FRAME_MS, false, || watch.is_stopped()) {
            Cue::Frame => frame()?,
            Cue::Again(_) | Cue::Stop => bail!("stopped while measuring"),
        }
    }
    Ok((thread_time() - began).as_secs_f64())
}

fn wire_row(course: &Course, field: &Arc<Field>, viewer: &Viewer, watch: &Watch) -> Result<Row> {
    let mut scene = begin(field, viewer, course.seed);
    let listener = Listener::attach(address_of(viewer)?, bot_of(&scene))?;
    let controls = scene.controls.clone();
    let mut beat = Beat::from_now();
    let (mut most, mut since, mut from) = (0, 0, (Instant::now(), 0));
    for second in 0..WARM + course.count(LISTENED) {
        if second == WARM {
            from = (Instant::now(), listener.bytes());
        } else if second > WARM {
            most = most.max(listener.bytes() - since);
        }
        since = listener.bytes();
        paced(&controls, &mut beat, watch, || scene.frame())?;
    }
    let rate = (listener.bytes() - from.1) as f64 / from.0.elapsed().as_secs_f64() / 1000.0;
    scene.end();
    let note = format!("16 bots, one of them selected; the fullest second {:.0} kB", most as f64 / 1000.0);
    Ok(Row::new("one live client on the wire".to_owned(), rate, "kB/s", WIRE_MUST, note))
}

fn recording_rows(
    course: &Course,
    field: &Arc<Field>,
    (file, rules): (&Path, &str),
    watch: &Watch,
) -> Result<Vec<Row>> {
    let bytes = record(course.seed, field, watch)?;
    std::fs::write(file, &bytes).with_context(|| format!("cannot write {}", file.display()))?;
    let rounds = course.rounds.min(ROUNDS_MAX);
    let opened = (0..rounds).map(|_| time_to_open(file, rules)).collect::<Result<Vec<(f64, f64)>>>()?;
    let size = bytes.len() as f64 / 1e6;
    let note = format!("{MINUTES} minutes of 16 bots, 20 frames a second");
    let whole = median(opened.iter().map(|(_, whole)| *whole));
    let told = format!("from the command to terrain and first film; {whole:.2} s to the last frame");
    Ok(vec![
        Row::new("a recording of ten minutes".to_owned(), size, "MB", SIZE_MUST, note),
        Row::new("until it is open".to_owned(), median(opened.iter().map(|(first, _)| *first)), "s", OPEN_MUST, told),
    ])
}

fn record(seed: u64, field: &Arc<Field>, watch: &Watch) -> Result<Vec<u8>> {
    let Alone { mut game, mut bots, convars } = Alone::begin(field, seed);
    let mut recorder = Recorder::new(Head::of(field, maps::DEFAULT, seed), Keep::Whole);
    for ((entity, _), member) in game.players().zip(&roster(seed).members) {
        recorder.join(entity, &member.character());
    }
    let frames = MINUTES * 60_000 / FRAME_MS;
    for number in 0..frames {
        watch.count("frames", number as usize, frames as usize);
        ensure!(!watch.is_stopped(), "stopped while recording");
        let commands = bots.think(game.snapshot(), &convars);
        recorder.frame(game.snapshot(), &convars, commands);
        game.step(commands);
    }
    ensure!(!game.is_over() && game.snapshot().frame_ms == FRAME_MS, "it was not ten minutes of a fight");
    Ok(recorder.to_bytes())
}

/// Seconds from the command to terrain and first film, and to the last frame.
fn time_to_open(path: &Path, rules: &str) -> Result<(f64, f64)> {
    let began = Instant::now();
    let opened = Opened::start(path, rules)?;
    let terrain = visitor::get(opened.address, "/api/terrain")?;
    ensure!(terrain.is_some_and(|text| text.starts_with(b"{")), "there is no terrain");
    // The number of the first frame, how many there are, and they.
    let is_film = |film: &[u8]| film.get(4..8).is_some_and(|count| count != [0; 4]);
    while !visitor::get(opened.address, "/api/film?from=0&count=200")?.is_some_and(|film| is_film(&film)) {
        thread::sleep(Duration::from_millis(5));
    }
    let first = began.elapsed().as_secs_f64();
    let grows = |text: &[u8]| !String::from_utf8_lossy(text).contains("\"is_growing\":false");
    while visitor::get(opened.address, "/api/film/length")?.is_none_or(|text| grows(&text)) {
        ensure!(began.elapsed() < Duration::from_secs(120), "it is never read to its end");
        thread::sleep(Duration::from_millis(5));
    }
    Ok((first, began.elapsed().as_secs_f64()))
}
