//! Our bots on a live server, and everything that may go wrong there: the server goes on, and one line says what it was.
//!
//! In: the install and the release build. Out: how many scenes came out as they must. Each scene is a server of its own, in
//! lockstep, with a terrain folder of its own, so that nothing depends on what other runs have left. Faults are real
//! where they can be (a file cut short, a folder that cannot be written); a panic and a foreign layout are forced by
//! `ft_fault`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fireteam_openarena::Install;
use fireteam_openarena::capture::MODULE_FILE;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::{Match, Played, Running, play};
use fireteam_openarena::{Server, ServerSettings};

use crate::dist;
use crate::steps::Counts;

/// A small map that bakes quickly.
const MAP: &str = "oa_dm1";
/// Six changes of map, which come back to the first.
const TOUR: [&str; 6] = ["oa_dm6", "wrackdm17", "oa_dm4", "am_galmevish", "fan", "oa_dm1"];
/// Every slot an engine has.
const FULL: usize = 64;
const PATIENCE: Duration = Duration::from_secs(180);
/// For what is answered at once, however busy the machine.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);
/// A bot that plays covers more than this in a minute of the game; one that stands, nothing.
const WALKED_MIN: f64 = 2000.0;

/// Doors that start and lifts that take along are not foretold; the rest of a body's frames is.
const FORESEEN_MIN: f64 = 0.97;

/// Where scenes are played.
struct Stage {
    root: PathBuf,
    release: PathBuf,
    install: Install,
    module: PathBuf,
    program: PathBuf,
    folder: PathBuf,
}

type Scene = fn(&Stage) -> Result<()>;

const SCENES: [(&str, Scene); 20] = [
    ("bots join, walk and stay, on a pure server too", bots_play),
    ("bots are shown their bodies as they are", bodies_are_foreseen),
    ("six maps and two restarts with the same bots", bots_travel),
    ("a server full of bots, and all of them on the next map", full_server_travels),
    ("a match for flags ends where there is nowhere to look from, and the server goes on", match_ends),
    ("rounds of elimination: nobody goes for what is not there, or shoots before the round", rounds_are_played),
    ("a match is watched while it is played", match_is_watched),
    ("bots come and go by console", bots_obey),
    ("what an operator asks is done or answered", operator_is_answered),
    ("bots are tuned on the console and by a file for each map", bots_are_tuned),
    ("a slot stays free, and quotas count who is there", slots_stay_free),
    ("grenades that are off are not used", grenades_stay_off),
    ("the game's own bots find their ways while a level loads, and play as they did", ways_are_found_on_loading),
    ("what a level taught is used in the next, and a mesh grows where nobody baked", levels_teach),
    ("one folder, dropped in and deleted", folder_is_dropped_in),
    ("a mind that breaks down is benched", panic_is_contained),
    ("a game laid out otherwise is left alone", layout_is_refused),
    ("a terrain cut short or of another version is refused", cut_terrain_is_refused),
    ("no disk: a terrain that cannot be kept", full_disk_is_told),
    ("the full bake beside the server, used the next time", child_bakes),
];

/// Scenes whose name has these words, for whoever works on the module.
pub(crate) fn run(root: &Path, words: &str) -> Result<()> {
    let counts = check(root, &dist::release_folder(root), MODULE_FILE, words)?;
    ensure!(counts.failed + counts.passed > 0, "no scene has `{words}` in its name");
    ensure!(counts.failed == 0, "{} of {} scenes failed", counts.failed, counts.failed + counts.passed);
    Ok(())
}

pub(crate) fn check(root: &Path, release: &Path, module: &str, words: &str) -> Result<Counts> {
    let folder = std::env::temp_dir().join(format!("fireteam-servers-{}", std::process::id()));
    let stage = Stage {
        root: root.to_owned(),
        release: release.to_owned(),
        install: Install::find()?,
        module: release.join(module),
        program: release.join("fireteam"),
        folder: folder.clone(),
    };
    let mut counts = Counts::default();
    for (name, scene) in SCENES.into_iter().filter(|(name, _)| name.contains(words)) {
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
            self.goes_on()?;
            ensure!(began.elapsed() < PATIENCE, "`{words}` was not said {times} times: {:?}", self.said);
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// The server still plays: a game that gives up leaves the program running, without a map.
    fn goes_on(&mut self) -> Result<()> {
        let server = self.running.server();
        if let Some(status) = server.ended() {
            bail!("the server ended ({status}):\n{}", server.log());
        }
        let log = server.log();
        ensure!(!log.contains("Server crashed"), "the game gave up:\n{log}");
        Ok(())
    }

    fn type_line(&mut self, line: &str) -> Result<()> {
        Ok(self.running.server().type_line(line)?)
    }

    /// Types a line, and waits for a line of the module's with these words. Answers with it.
    fn ask(&mut self, line: &str, words: &str) -> Result<String> {
        let (began, mut seen) = (Instant::now(), usize::MAX);
        self.running.server().log_since(&mut seen);
        self.type_line(line)?;
        let mut told = Vec::new();
        loop {
            told.extend(self.running.server().log_since(&mut seen));
            let ours = told.iter().filter(|line| line.starts_with("fireteam: "));
            if let Some(answer) = ours.into_iter().find(|line| line.contains(words)) {
                return Ok(answer.clone());
            }
            self.goes_on().with_context(|| format!("at `{line}`"))?;
            ensure!(began.elapsed() < ANSWER_PATIENCE, "`{line}` was not answered with `{words}`: {told:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Names of those who are there, as the server lists them, once there are so many.
    fn names(&mut self, count: usize) -> Result<Vec<String>> {
        self.wait_for_names(count, |_| true)
    }

    fn wait_for_names(&mut self, count: usize, is_so: impl Fn(&[String]) -> bool) -> Result<Vec<String>> {
        let began = Instant::now();
        loop {
            let names = listed(self.running.server())?;
            if names.len() == count && is_so(&names) {
                return Ok(names);
            }
            self.goes_on()?;
            ensure!(
                began.elapsed() < PATIENCE,
                "{names:?} are there, not {count}; the module said {:?}; the server's console:\n{}",
                self.said,
                self.running.server().log()
            );
        }
    }
}

/// Names of those who are there just now, as a server lists them, sorted.
fn listed(server: &mut Server) -> Result<Vec<String>> {
    let mut seen = usize::MAX;
    server.log_since(&mut seen);
    server.type_line("status")?;
    thread::sleep(Duration::from_millis(200));
    let lines = server.log_since(&mut seen);
    // Number, score, ping and name; the name ends with the colour code that restores the console's.
    let name = |line: &String| {
        let mut words = line.split_whitespace();
        words.next()?.parse::<u8>().ok()?;
        Some(words.nth(2)?.trim_end_matches("^7").to_owned())
    };
    // What a level still says of itself stands before the table.
    let rows = lines.iter().skip_while(|line| !line.starts_with("-- "));
    let mut names: Vec<String> = rows.filter_map(name).collect();
    names.sort();
    Ok(names)
}

fn bots_travel(stage: &Stage) -> Result<()> {
    let mut game = with(stage.game(0), &[("ft_bots", "4")]);
    game.minutes = None;
    let mut server = Attended::start(stage, &game)?;
    server.wait("quick terrain", 1)?;
    let names = server.names(4)?;
    server.ask(&format!("ft skill elite {}", names[0]), "elite")?;
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
    ensure!(server.ask("ft list", &in_list(&names[0]))?.contains(" elite "), "a skill got lost on the way");
    ensure!(server.ask("ft list", &in_list(&names[1]))?.contains(" regular "), "a skill was passed on");
    ensure!(said(&server.said, "benched") + said(&server.said, "without us") == 0, "{:?}", server.said);
    Ok(())
}

/// Each of them is announced to all, in one frame.
/// Their shots leave more behind than the game, alone, has entities for.
fn full_server_travels(stage: &Stage) -> Result<()> {
    everyone_walks(&stage.play(&stage.game(FULL))?, FULL)?;
    let mut server = Attended::start(stage, &stage.game(FULL))?;
    let names = server.names(FULL)?;
    for (map, levels) in TOUR[..2].iter().zip(2..) {
        server.type_line(&format!("map {map}"))?;
        server.wait("quick terrain", levels)?;
        ensure!(server.names(FULL)? == names, "other bots on {map}");
    }
    let log = server.running.server().log();
    ensure!(!log.contains("Server command overflow"), "somebody was dropped and came again:\n{log}");
    Ok(())
}

/// On this map the stock game, alone, ends the server when the first match is over.
fn match_ends(stage: &Stage) -> Result<()> {
    const BLIND_MAP: &str = "oa_bases3cl";
    const FLAGS: i32 = 4;
    let side = |colour| Entrant { side: Side::Ours, colour, skill: 2 };
    let entrants = vec![side(Colour::Red), side(Colour::Blue)];
    let game = Match { terrain: Some(stage.folder.clone()), ..Match::new(BLIND_MAP, FLAGS, entrants) };
    let mut server = Attended::start(stage, &with(game, &[("timelimit", "1")]))?;
    server.wait("nowhere to look from", 1)?;
    // It begins again when everybody has seen the scores.
    server.wait("nowhere to look from", 2)
}

/// Elimination in teams, and the last man standing: who fell waits, all come back together, and the first seconds nobody can shoot.
fn rounds_are_played(stage: &Stage) -> Result<()> {
    for (game_type, colours) in [(8, [Colour::Red, Colour::Blue]), (10, [Colour::Free; 2])] {
        let entrants = (0..4).map(|slot| Entrant { side: Side::Ours, colour: colours[slot % 2], skill: 3 });
        let game = Match { game_type, entrants: entrants.collect(), minutes: Some(3), ..stage.game(4) };
        let journal = stage.folder.join(format!("{game_type}.journal"));
        let played = stage.play(&with(game, &[("ft_journal", &journal.display().to_string())]))?;
        everyone_walks(&played, 4)?;
        let falls = |slot: usize| played.kills.iter().filter(|kill| kill.victim == slot).count();
        let rounds = (0..4).map(falls).max().unwrap_or(0);
        ensure!(rounds >= ROUNDS_MIN, "game type {game_type}: nobody fell in more than {rounds} rounds");
        let journal = fs::read_to_string(&journal).context("what they decided and why")?;
        let goes = journal.lines().find(|line| line.contains("fetching") || line.contains("picking up"));
        ensure!(goes.is_none(), "game type {game_type}: {goes:?}, and nothing lies there");
        let early = shot_before_round(&journal);
        ensure!(early.is_none(), "game type {game_type}: {early:?}, and the round has not begun");
    }
    Ok(())
}

/// In three minutes.
const ROUNDS_MIN: usize = 3;
/// The game lets nobody shoot for five seconds; what was pressed just before is over in one.
const BEFORE_ROUND_S: std::ops::Range<f32> = 0.2..4.5;

/// The first line of somebody who begins to shoot when all have just come back for a round.
fn shot_before_round(journal: &str) -> Option<&str> {
    let mut came_back = f32::NEG_INFINITY;
    journal.lines().find(|line| {
        let Some(time) = line.split(' ').next().and_then(|word| word.parse::<f32>().ok()) else { return false };
        if line.ends_with("a new life") {
            came_back = time;
        }
        let is_shot = line.contains("starts shooting") || line.contains("starts laying covering fire");
        is_shot && BEFORE_ROUND_S.contains(&(time - came_back))
    })
}

/// The viewer's page is asked as a browser would.
fn match_is_watched(stage: &Stage) -> Result<()> {
    let port = UdpSocket::bind(("127.0.0.1", 0)).and_then(|socket| socket.local_addr())?.port();
    let mut command = Command::new(&stage.program);
    let words = ["openarena", "--map", MAP, "--bots", "2", "--view", "--no-open", "--view-port", "0", "--port"];
    command.args(words).arg(port.to_string()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut viewer = Ended(command.spawn().with_context(|| format!("starting {}", stage.program.display()))?);
    let stdout = viewer.0.stdout.take().context("stdout was asked for as a pipe")?;
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let said = lines.find(|line| line.contains("http://")).context("it does not say where")?;
    let address = said.split("http://").nth(1).and_then(|url| url.split('/').next()).context("no address")?.to_owned();
    let began = Instant::now();
    loop {
        let length = get(&address, "/api/film/length").unwrap_or_default();
        let frames =
            length.split("\"frames\":").nth(1).and_then(|rest| rest.split([',', '}']).next()?.trim().parse().ok());
        if frames.is_some_and(|frames: u32| frames > FRAMES_WATCHED) {
            break;
        }
        ensure!(began.elapsed() < PATIENCE, "no film after {PATIENCE:?}: {length}");
        thread::sleep(Duration::from_millis(100));
    }
    let show = get(&address, "/api/show")?;
    ensure!(show.contains("\"server\"") && show.contains(MAP), "another show: {show}");
    let journal = get(&address, "/api/journal")?;
    ensure!(journal.contains("starts"), "nobody decides anything: {journal}");
    Ok(())
}

/// Two seconds of a server's frames.
const FRAMES_WATCHED: u32 = 40;

/// A process that does not outlive its scene.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // Gone already is as good.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The body of an answer.
fn get(address: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(ANSWER_PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    ensure!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
    Ok(body.to_owned())
}

fn bots_obey(stage: &Stage) -> Result<()> {
    let mut server = Attended::start(stage, &stage.game(0))?;
    thread::sleep(Duration::from_millis(500));
    ensure!(server.running.news().is_empty(), "it does something although nobody wants bots");
    server.type_line("ft report")?;
    server.wait("no terrain was needed yet", 1)?;
    server.type_line("ft add 1 elite Mallory")?;
    server.wait("quick terrain of", 1)?;
    ensure!(server.names(1)? == ["Mallory"], "that is not who was asked for");
    server.type_line("set ft_bots 3")?;
    ensure!(server.names(3)?.contains(&"Mallory".to_owned()), "somebody else had to go");
    server.type_line("ft add 1 Mallory")?;
    server.wait("there is a bot called Mallory already", 1)?;
    server.type_line("ft kick mallory")?;
    ensure!(!server.names(2)?.contains(&"Mallory".to_owned()), "somebody else went");
    server.type_line("ft kick nobody")?;
    server.wait("no bot of ours is called `nobody`: `ft list` has", 1)?;
    let rest = server.names(2)?;
    server.type_line(&format!("kick {}", rest[0]))?;
    ensure!(server.names(1)? == rest[1..], "who was kicked came back");
    server.type_line("ft kick all")?;
    server.wait("1 bots go", 1)?;
    ensure!(server.names(0)?.is_empty(), "somebody stayed");
    Ok(())
}

/// Every command that changes nobody's number, and what is said to a slip of the pen.
fn operator_is_answered(stage: &Stage) -> Result<()> {
    let mut server =
        Attended::start(stage, &with(stage.game(0), &[("ft_quota", "2"), ("ft_skill", "veteran"), ("ft_seed", "")]))?;
    server.wait("quick terrain", 1)?;
    let names = server.names(2)?;
    for (line, answer) in [
        ("ft", "ft add [COUNT]"),
        ("ft help kick", "such as: ft kick"),
        ("ft dance", "there is no `ft dance`"),
        ("ft add 2 9", "`9` is no skill"),
        ("ft list", "2 of ours, 0 people, 0 of the game's own"),
        ("ft why", "whose reasons?"),
        ("ft stats", "whole frames: mean"),
        ("ft stats", "MB, the whole server"),
        ("ft report", "verdict: "),
        ("ft report", "(quick, a full one is better)"),
        ("ft report", "throws: none in it"),
        ("ft profile", "measuring is off"),
        ("ft profile on", "measuring is on"),
    ] {
        server.ask(line, answer)?;
    }
    ensure!(server.ask("ft list", &in_list(&names[0]))?.contains(" veteran "), "ft_skill was not followed");
    server.ask(&format!("ft why {}", names[0]), &names[0])?;
    server.ask(&format!("ft why {}", names[0]), " starts ")?;
    server.ask("ft profile", "translate ")?;
    server.ask("ft profile bids", "roaming ")?;
    server.ask("ft profile reset", "measuring begins anew")?;
    server.ask(&format!("ft skill 5 {}", names[1]), "elite")?;
    let traits = "aggression ";
    let (seed, person) = (server.ask("ft stats", " with seed ")?, server.ask(&format!("ft why {}", names[0]), traits)?);
    server.type_line("map_restart 0")?;
    server.wait("quick terrain", 2)?;
    ensure!(server.names(2)? == names, "others came back");
    ensure!(server.ask("ft stats", " with seed ")? != seed, "the same chance again: {seed}");
    ensure!(server.ask(&format!("ft why {}", names[0]), traits)? == person, "somebody else came back as {}", names[0]);
    ensure!(server.ask("ft list", &in_list(&names[1]))?.contains(" elite "), "a skill did not outlive the level");
    ensure!(server.ask("ft list", &in_list(&names[0]))?.contains(" veteran "), "a skill did not outlive the level");
    server.ask("ft skill 1", "2 bots, and whoever joins: recruit")?;
    ensure!(server.ask("ft list", &in_list(&names[1]))?.contains(" recruit "), "a skill was not set");
    server.ask("ft freeze on", "stand still")?;
    server.ask("ft list", " frozen")?;
    server.ask("ft freeze", "play on")?;
    drop(server);
    let frozen = stage.play(&with(stage.game(2), &[("ft_freeze", "1")]))?;
    let far = frozen.report.of_side(Side::Ours).map(|player| player.distance).fold(0.0, f64::max);
    ensure!(frozen.report.of_side(Side::Ours).count() == 2 && far < FROZEN_MAX, "frozen bots walked {far} units");
    Ok(())
}

/// Each level adds to a recorded mesh; and links that a level was hard on are known in the next.
fn levels_teach(stage: &Stage) -> Result<()> {
    let mesh = stage.folder.join(format!("{MAP}.mesh"));
    let mut lengths = Vec::new();
    for _ in 0..2 {
        let played = stage.play(&with(stage.game(6), &[("ft_record_mesh", "1")]))?;
        everyone_walks(&played, 6)?;
        lengths.push(fs::metadata(&mesh).with_context(|| format!("{}", mesh.display()))?.len());
        let known = if lengths.len() == 1 { "no mesh yet, bots explore" } else { "bots play on it" };
        ensure!(said(&played.said, known) == 1, "{:?}", played.said);
    }
    ensure!(lengths[1] > lengths[0], "the second level added nothing: {lengths:?} bytes");
    let taught = stage.folder.join(format!("{MAP}.overlay"));
    let game = with(stage.game(8), &[("ft_learn", "1")]);
    everyone_walks(&stage.play(&game)?, 8)?;
    let lessons = fs::read_to_string(&taught).with_context(|| format!("{}", taught.display()))?;
    ensure!(lessons.starts_with("fireteam overlay"), "{lessons}");
    let rows = lessons.lines().filter(|line| line.starts_with("trust ") || line.contains("link ")).count();
    let again = stage.play(&game)?;
    ensure!(said(&again.said, "learnt before") == usize::from(rows > 0), "{rows} lessons, and {:?}", again.said);
    Ok(())
}

/// `ft grenades` tells what holds of two of the variables.
fn bots_are_tuned(stage: &Stage) -> Result<()> {
    let file = stage.folder.join("tuned");
    fs::write(&file, format!("grenades_per_life = 3\n[{MAP}]\ngrenades = 0\n"))?;
    let cvars = [("ft_quota", "1"), ("ft_convars", &file.to_string_lossy()), ("ft_hunt_ms", "-1")];
    let mut server = Attended::start(stage, &with(stage.game(0), &cvars))?;
    server.wait("quick terrain", 1)?;
    ensure!(said(&server.said, "ft_hunt_ms: ") == 1, "a senseless number was taken: {:?}", server.said);
    server.ask("ft grenades", "grenades are off")?;
    server.ask("ft_grenades 1; ft grenades", "grenades are on, all kinds, 3 in a life")?;
    server.ask("ft_think_ms 5", "it is 100 again")?;
    server.type_line("ft_think_ms")?;
    server.ask("ft", "ft add [COUNT]")?;
    let log = server.running.server().log();
    ensure!(log.contains("\"ft_think_ms\" is:\"100"), "the console does not know the variable:\n{log}");
    server.type_line("map_restart 0")?;
    server.wait("quick terrain", 2)?;
    server.ask("ft grenades", "grenades are off")?;
    server.type_line(&format!("map {}", TOUR[0]))?;
    server.wait("quick terrain", 3)?;
    server.ask("ft grenades", "grenades are on, all kinds, 3 in a life")?;
    drop(server);
    fs::write(&file, "grenades = 0\nthink_ms = 5\n")?;
    let mut server = Attended::start(stage, &with(stage.game(0), &cvars))?;
    server.wait("line 2: `think_ms` takes a number from 20 to 1000, not `5`; nothing of it is used", 1)
}

/// Whoever spawns above the floor falls onto it, frozen or not.
const FROZEN_MAX: f64 = 64.0;

/// As many players as slots, but for one: whoever comes finds room, and somebody of ours leaves for the next.
fn slots_stay_free(stage: &Stage) -> Result<()> {
    let game = with(stage.game(0), &[("sv_maxclients", "6"), ("ft_bots", "8"), ("bot_enable", "1")]);
    let mut server = Attended::start(stage, &game)?;
    server.wait("quick terrain", 1)?;
    ensure!(server.names(5)?.len() == 5, "all slots are taken");
    server.ask("ft quota", "for want of slots")?;
    // A newcomer takes the last slot. That he is a bot of the game's own makes no difference to the engine.
    server.type_line("addbot sarge 3")?;
    server.wait_for_names(5, |names| names.contains(&"Sarge".to_owned()))?;
    server.ask("ft fill 4", "4 players in all")?;
    ensure!(server.names(4)?.contains(&"Sarge".to_owned()), "the newcomer had to go");
    server.type_line("kick Sarge")?;
    server.wait_for_names(4, |names| !names.contains(&"Sarge".to_owned()))?;
    server.ask("ft quota match 2", "2 bots for each person")?;
    ensure!(server.names(0)?.is_empty(), "bots stayed without people");
    server.ask("ft add", "and not more")?;
    server.type_line("set ft_quota_mode full")?;
    server.wait("ft_quota_mode: `full` is no mode", 1)
}

/// The game hands out launchers and nothing else: bots use them, and then they do not.
fn grenades_stay_off(stage: &Stage) -> Result<()> {
    let launched = |cvars: &[(&str, &str)]| -> Result<usize> {
        let mut game = with(with(stage.game(6), &LAUNCHERS), cvars);
        game.minutes = Some(2);
        let played = stage.play(&game)?;
        everyone_walks(&played, 6)?;
        Ok(played.kills.iter().filter(|kill| kill.means.name() == "grenade-launcher").count())
    };
    let (free, off) = (launched(&[])?, launched(&[("ft_grenades", "0")])?);
    ensure!(free > 0, "nobody was killed by a grenade although they are on");
    ensure!(off == 0, "{off} were killed by grenades that are off");
    let none = launched(&[("ft_grenades_per_life", "0")])?;
    ensure!(none == 0, "{none} were killed by grenades although nobody has one in a life");
    let kind = launched(&[("ft_grenades_frag", "0")])?;
    ensure!(kind == 0, "{kind} were killed by a kind of grenade that is off");
    let other = launched(&[("ft_grenades_smoke", "0")])?;
    ensure!(other == free, "{other} were killed by grenades, not {free}, though another kind is off");
    Ok(())
}

/// Everybody spawns with these, whatever the game type.
const LAUNCHERS: [(&str, &str); 11] = [
    ("g_elimination", "1"),
    ("elimination_grenade", "100"),
    ("elimination_machinegun", "0"),
    ("elimination_shotgun", "0"),
    ("elimination_rocket", "0"),
    ("elimination_railgun", "0"),
    ("elimination_lightning", "0"),
    ("elimination_plasmagun", "0"),
    ("elimination_chain", "0"),
    ("elimination_mine", "0"),
    ("elimination_nail", "0"),
];

/// Where the game's own bots take a tenth of a second to find their ways: one large open place.
const OPEN_MAP: &str = "islanddm";

/// They are told of where they take long, and the match comes out the same. What it saves is `bench server`'s to show.
fn ways_are_found_on_loading(stage: &Stage) -> Result<()> {
    let play = |cvars: &[(&str, &str)]| {
        let one = |side, colour| Entrant { side, colour, skill: 3 };
        let two = [one(Side::Ours, Colour::Red), one(Side::Stock, Colour::Blue)];
        let game = Match { map: OPEN_MAP.to_owned(), game_type: 3, entrants: two.repeat(2), ..stage.game(0) };
        stage.play(&with(game, cvars))
    };
    let (late, early) = (play(&[("ft_stock_ways", "0")])?, play(&[("ft_stock_ways", "1")])?);
    let words = "the ways of the game's own bots to";
    ensure!(said(&late.said, words) == 0 && said(&early.said, words) == 1, "{:?}", early.said);
    ensure!(!late.kills.is_empty() && late.kills == early.kills, "they played another match");
    // More time than it takes, but not the room.
    let more = play(&[("ft_stock_ways", "60"), ("com_zoneMegs", "40")])?;
    let told = more.said.iter().find_map(|line| line.split_once(words)?.1.split_once(" places took"));
    let counts = told.map_or("", |(counts, _)| counts);
    let counts: Vec<usize> = counts.split_whitespace().flat_map(str::parse).collect();
    let hint = "no room for more, start the server with +set com_zoneMegs";
    let fits = |counts: &[usize]| matches!(counts, [some, all] if (1..*all).contains(some));
    ensure!(fits(&counts) && said(&more.said, hint) == 1, "{counts:?} {:?}", more.said);
    ensure!(late.kills == more.kills, "they played another match when they knew more ways");
    Ok(())
}

/// What `cargo xtask dist` packs, beside a server's own folder: bots play, all that is written lies in it, and without it the
/// server is as it was.
fn folder_is_dropped_in(stage: &Stage) -> Result<()> {
    let package = stage.folder.join("fireteam");
    dist::pack(&stage.root, &stage.release, &package)?;
    let settings = |package: Option<PathBuf>| {
        let mut settings = ServerSettings::new(MAP).with("ft_bots", 3).with("g_log", "");
        settings.package = package;
        settings
    };
    let mut server = Server::start(&stage.install, &settings(Some(package)))?;
    let began = Instant::now();
    while listed(&mut server)?.len() < 3 {
        ensure!(began.elapsed() < PATIENCE, "nobody plays:\n{}", server.log());
    }
    server.type_line("systeminfo")?;
    wait_until("the server says what it tells clients", || server.log().contains("sv_cheats"))?;
    // Its name, and nothing behind.
    let is_untold = server.log().lines().any(|line| line.split_whitespace().eq(["fs_game"]));
    ensure!(is_untold, "clients are told of our folder:\n{}", server.log());
    let ours = server.home().join("fireteam");
    ensure!(ours.join("terrain/quick").join(format!("{MAP}.terrain")).is_file(), "its terrain lies elsewhere");
    let strange = entries(server.home())?;
    ensure!(strange.iter().all(|name| ["baseoa", "fireteam"].contains(&name.as_str())), "{strange:?} lie beside it");
    let strange = entries(&server.home().join("baseoa"))?;
    let is_known = |name: &String| name == "fireteam.cfg" || name.ends_with(".pid");
    ensure!(strange.iter().all(is_known), "{strange:?} lie in the game's folder");
    drop(server);
    let mut stock = Server::start(&stage.install, &settings(None))?;
    wait_until("the stock game runs", || stock.log().contains(&format!("Server: {MAP}")))?;
    let names = listed(&mut stock)?;
    ensure!(names.is_empty(), "{names:?} are left:\n{}", stock.log());
    ensure!(!stock.log().contains("fireteam: "), "our module still speaks:\n{}", stock.log());
    Ok(())
}

/// A bot's name as its own line of `ft list` has it; in others' lines no gap follows.
fn in_list(name: &str) -> String {
    format!(" {name:<20}")
}

fn entries(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("looking into {}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) -> Result<()> {
    let began = Instant::now();
    while !is_so() {
        ensure!(began.elapsed() < PATIENCE, "not after {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn panic_is_contained(stage: &Stage) -> Result<()> {
    let played = stage.play(&with(stage.game(3), &[("ft_fault", "think")]))?;
    ensure!(
        played.report.faults == 1 && said(&played.said, "is benched until the next level") == 1,
        "{:?}",
        played.said
    );
    // Who stands there is shot at, and pushed about a little by it.
    let (still, walking): (Vec<_>, Vec<_>) =
        played.report.of_side(Side::Ours).partition(|player| player.still_ms * 10 >= player.alive_ms * 9);
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
    let full = stage.folder.join(format!("{MAP}.terrain"));
    fs::write(&full, &whole[..whole.len() / 2])?;
    let played = stage.play(&stage.game(2))?;
    ensure!(said(&played.said, ": not used") == 1, "{:?}", played.said);
    everyone_walks(&played, 2)?;
    // Both of another version of the format: one is not used, the other made again.
    let mut other = whole.clone();
    other[VERSION_AT] = other[VERSION_AT].wrapping_add(1);
    fs::write(&full, &other)?;
    fs::write(stage.folder.join(format!("quick/{MAP}.terrain")), &other)?;
    let played = stage.play(&stage.game(2))?;
    ensure!(said(&played.said, ": not used") == 1, "{:?}", played.said);
    ensure!(said(&played.said, "quick terrain of") == 1, "it was not baked again: {:?}", played.said);
    ensure!(fs::read(stage.folder.join(format!("quick/{MAP}.terrain")))? == whole, "what was baked was not kept");
    everyone_walks(&played, 2)
}

/// Where a terrain file has the version of its format, after its magic.
const VERSION_AT: usize = 8;

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
