//! Our bots on a live server, and everything that may go wrong there: the server goes on, and one line says what it was.
//!
//! In: the install and the release build. Out: how many scenes came out as they must. Each scene is a server of its own, in
//! lockstep, with a terrain folder of its own, so that nothing depends on what other runs have left. Faults are real
//! where they can be (a file cut short, a folder that cannot be written); a panic and a foreign layout are forced by
//! `ft_fault`.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fireteam_openarena::Install;
use fireteam_openarena::capture::MODULE_FILE;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::{Match, Played, Running, play};

use crate::dist;
use crate::steps::Counts;

/// A small map that bakes quickly.
const MAP: &str = "oa_dm1";
/// Six changes of map, which come back to the first.
const TOUR: [&str; 6] = ["oa_dm6", "wrackdm17", "oa_dm4", "am_galmevish", "fan", "oa_dm1"];
const PATIENCE: Duration = Duration::from_secs(180);
/// A bot that plays covers more than this in a minute of the game; one that stands, nothing.
const WALKED_MIN: f64 = 2000.0;

/// Doors that start and lifts that take along are not foretold; the rest of a body's frames is.
const FORESEEN_MIN: f64 = 0.97;

/// Where scenes are played.
struct Stage {
    install: Install,
    module: PathBuf,
    program: PathBuf,
    folder: PathBuf,
}

type Scene = fn(&Stage) -> Result<()>;

const SCENES: [(&str, Scene); 9] = [
    ("bots join, walk and stay, on a pure server too", bots_play),
    ("bots are shown their bodies as they are", bodies_are_foreseen),
    ("six maps and two restarts with the same bots", bots_travel),
    ("bots come and go by console", bots_obey),
    ("a mind that breaks down is benched", panic_is_contained),
    ("a game laid out otherwise is left alone", layout_is_refused),
    ("a terrain cut short is refused", cut_terrain_is_refused),
    ("no disk: a terrain that cannot be kept", full_disk_is_told),
    ("the full bake beside the server, used the next time", child_bakes),
];

/// All scenes, for whoever works on the module.
pub(crate) fn run(root: &Path) -> Result<()> {
    let counts = check(&dist::release_folder(root), MODULE_FILE)?;
    ensure!(counts.failed == 0, "{} of {} scenes failed", counts.failed, counts.failed + counts.passed);
    Ok(())
}

pub(crate) fn check(release: &Path, module: &str) -> Result<Counts> {
    let folder = std::env::temp_dir().join(format!("fireteam-servers-{}", std::process::id()));
    let stage = Stage {
        install: Install::find()?,
        module: release.join(module),
        program: release.join("fireteam"),
        folder: folder.clone(),
    };
    let mut counts = Counts::default();
    for (name, scene) in SCENES {
        let began = Instant::now();
        fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
        let done = scene(&stage);
        fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
        let verdict = done.as_ref().map_or_else(|error| format!("FAILED: {error:#}"), |()| "ok".to_owned());
        println!("{name}: {verdict}, {:.1} s", began.elapsed().as_secs_f64());
        counts.add(if done.is_ok() { Counts::ONE } else { Counts { passed: 0, failed: 1 } });
    }
    Ok(counts)
}

impl Stage {
    /// A minute of the game with so many of ours, everyone for himself.
    fn game(&self, bots: usize) -> Match {
        let one = Entrant { side: Side::Ours, colour: Colour::Free, skill: 2 };
        Match { minutes: Some(1), terrain: Some(self.folder.clone()), ..Match::new(MAP, 0, vec![one; bots]) }
    }

    fn play(&self, game: &Match) -> Result<Played> {
        Ok(play(&self.install, &self.module, game, PATIENCE, &|| false)?)
    }
}

fn with(mut game: Match, cvars: &[(&str, &str)]) -> Match {
    game.cvars.extend(cvars.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    game
}

/// How many of the module's lines have these words.
fn said(lines: &[String], words: &str) -> usize {
    lines.iter().filter(|line| line.contains(words)).count()
}

fn everyone_walks(played: &Played, bots: usize) -> Result<()> {
    let players: Vec<_> = played.report.of_side(Side::Ours).collect();
    ensure!(players.len() == bots, "{} bots of ours, not {bots}: {:?}", players.len(), played.said);
    for player in players {
        ensure!(player.distance > WALKED_MIN, "{} walked only {} units", player.name, player.distance);
    }
    Ok(())
}

fn bots_play(stage: &Stage) -> Result<()> {
    let first = stage.play(&with(stage.game(4), &[("sv_pure", "1")]))?;
    everyone_walks(&first, 4)?;
    ensure!(first.report.faults == 0, "{:?}", first.said);
    ensure!(said(&first.said, "quick terrain of") == 1, "{:?}", first.said);
    let again = stage.play(&with(stage.game(4), &[("sv_pure", "1")]))?;
    ensure!(again.kills == first.kills, "the same seed played another match");
    ensure!(said(&again.said, "quick terrain: ") == 1, "it was baked again: {:?}", again.said);
    Ok(())
}

/// What bots are shown of themselves, moved on by our physics, is what the game shows a frame later.
fn bodies_are_foreseen(stage: &Stage) -> Result<()> {
    let foreseen = stage.play(&with(stage.game(3), &[("ft_check", "1")]))?.report.foreseen;
    ensure!(foreseen.bodies > 1000, "only {} bodies were looked at", foreseen.bodies);
    let share = foreseen.near as f64 / foreseen.bodies as f64;
    ensure!(share > FORESEEN_MIN, "only {:.2} % of {} bodies went as foretold", share * 100.0, foreseen.bodies);
    Ok(())
}

/// A server that goes on until it is let go, and what it has said.
struct Attended {
    running: Running,
    said: Vec<String>,
}

impl Attended {
    fn start(stage: &Stage, game: &Match) -> Result<Attended> {
        let endless = Match { minutes: None, ..game.clone() };
        Ok(Attended { running: Running::start(&stage.install, &stage.module, &endless)?, said: Vec::new() })
    }

    /// Waits until the module has said this so often in all.
    fn wait(&mut self, words: &str, times: usize) -> Result<()> {
        let began = Instant::now();
        while said(&self.said, words) < times {
            let news = self.running.news();
            self.said.extend(news);
            if let Some(status) = self.running.server().ended() {
                bail!("the server ended ({status}):\n{}", self.running.server().log());
            }
            ensure!(began.elapsed() < PATIENCE, "`{words}` was not said {times} times: {:?}", self.said);
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn type_line(&mut self, line: &str) -> Result<()> {
        Ok(self.running.server().type_line(line)?)
    }

    /// Names of those who are there, as the server lists them, once there are so many.
    fn names(&mut self, count: usize) -> Result<Vec<String>> {
        let began = Instant::now();
        loop {
            let mut seen = usize::MAX;
            self.running.server().log_since(&mut seen);
            self.type_line("status")?;
            thread::sleep(Duration::from_millis(200));
            let lines = self.running.server().log_since(&mut seen);
            // Number, score, ping and name; the name ends with the colour code that restores the console's.
            let name = |line: &String| {
                let mut words = line.split_whitespace();
                words.next()?.parse::<u8>().ok()?;
                Some(words.nth(2)?.trim_end_matches("^7").to_owned())
            };
            let mut names: Vec<String> = lines.iter().filter_map(name).collect();
            names.sort();
            if names.len() == count {
                return Ok(names);
            }
            ensure!(began.elapsed() < PATIENCE, "{names:?} are there, not {count}; the module said {:?}", self.said);
        }
    }
}

fn bots_travel(stage: &Stage) -> Result<()> {
    let mut game = with(stage.game(0), &[("ft_bots", "4")]);
    game.minutes = None;
    let mut server = Attended::start(stage, &game)?;
    server.wait("quick terrain", 1)?;
    let names = server.names(4)?;
    let mut levels = 1;
    for (number, map) in TOUR.iter().enumerate() {
        server.type_line(&format!("map {map}"))?;
        levels += 1;
        server.wait("quick terrain", levels)?;
        ensure!(server.names(4)? == names, "other bots on {map}");
        if number % 3 == 2 {
            server.type_line("map_restart 0")?;
            levels += 1;
            server.wait("quick terrain", levels)?;
            ensure!(server.names(4)? == names, "other bots after a restart");
        }
    }
    ensure!(said(&server.said, "benched") + said(&server.said, "without us") == 0, "{:?}", server.said);
    Ok(())
}

fn bots_obey(stage: &Stage) -> Result<()> {
    let mut server = Attended::start(stage, &stage.game(0))?;
    thread::sleep(Duration::from_millis(500));
    ensure!(server.running.news().is_empty(), "it does something although nobody wants bots");
    server.type_line("ft_addbot Mallory 4")?;
    server.wait("quick terrain of", 1)?;
    ensure!(server.names(1)? == ["Mallory"], "that is not who was asked for");
    server.type_line("set ft_bots 3")?;
    ensure!(server.names(3)?.contains(&"Mallory".to_owned()), "somebody else had to go");
    server.type_line("ft_removebot mallory")?;
    ensure!(!server.names(2)?.contains(&"Mallory".to_owned()), "somebody else went");
    server.type_line("ft_removebot nobody")?;
    server.wait("no bot of ours is called `nobody`", 1)?;
    let rest = server.names(2)?;
    server.type_line(&format!("kick {}", rest[0]))?;
    ensure!(server.names(1)? == rest[1..], "who was kicked came back");
    Ok(())
}

fn panic_is_contained(stage: &Stage) -> Result<()> {
    let played = stage.play(&with(stage.game(3), &[("ft_fault", "think")]))?;
    ensure!(
        played.report.faults == 1 && said(&played.said, "is benched until the next level") == 1,
        "{:?}",
        played.said
    );
    let (still, walking): (Vec<_>, Vec<_>) =
        played.report.of_side(Side::Ours).partition(|player| player.distance < 50.0);
    ensure!(still.len() == 1 && walking.len() == 2, "{still:?} stand still, {walking:?} walk");
    Ok(())
}

fn layout_is_refused(stage: &Stage) -> Result<()> {
    let mut server = Attended::start(stage, &with(stage.game(2), &[("ft_fault", "layout"), ("bot_enable", "1")]))?;
    server.wait("laid out otherwise", 1)?;
    // The stock game goes on, with its own bots.
    server.type_line("addbot sarge 3")?;
    ensure!(server.names(1)? == ["Sarge"], "the game does not go on");
    let news = server.running.news();
    ensure!(server.said.len() + news.len() == 1, "more than one line: {:?} {news:?}", server.said);
    Ok(())
}

fn cut_terrain_is_refused(stage: &Stage) -> Result<()> {
    // Any terrain will do: a quick one, made by a first match, is cut.
    everyone_walks(&stage.play(&stage.game(1))?, 1)?;
    let whole = fs::read(stage.folder.join(format!("quick/{MAP}.terrain"))).context("the quick terrain was kept")?;
    fs::write(stage.folder.join(format!("{MAP}.terrain")), &whole[..whole.len() / 2])?;
    let played = stage.play(&stage.game(2))?;
    ensure!(said(&played.said, ": not used") == 1, "{:?}", played.said);
    everyone_walks(&played, 2)
}

fn full_disk_is_told(stage: &Stage) -> Result<()> {
    // Below a file there can be no folder, whoever asks.
    let file = stage.folder.join("file");
    fs::write(&file, "")?;
    let played = stage.play(&Match { terrain: Some(file.join("below")), ..stage.game(2) })?;
    ensure!(said(&played.said, "cannot keep terrains in") == 1, "{:?}", played.said);
    everyone_walks(&played, 2)
}

fn child_bakes(stage: &Stage) -> Result<()> {
    let program = stage.program.display().to_string();
    let mut server = Attended::start(stage, &with(stage.game(2), &[("ft_program", &program)]))?;
    server.wait("bakes the full terrain", 1)?;
    let (lock, terrain) =
        (stage.folder.join(format!("{MAP}.terrain.lock")), stage.folder.join(format!("{MAP}.terrain")));
    ensure!(lock.exists(), "no lock beside the terrain to come");
    server.type_line("map_restart 0")?;
    server.wait("is still baking the full terrain", 1)?;
    let began = Instant::now();
    while !terrain.exists() {
        ensure!(began.elapsed() < PATIENCE, "no terrain after {PATIENCE:?}");
        thread::sleep(Duration::from_millis(100));
    }
    thread::sleep(Duration::from_millis(300));
    server.type_line("map_restart 0")?;
    server.wait("fireteam: terrain: ", 1)?;
    ensure!(!lock.exists(), "the child is gone and its lock is not");
    ensure!(server.names(2)?.len() == 2, "nobody plays on it");
    Ok(())
}
