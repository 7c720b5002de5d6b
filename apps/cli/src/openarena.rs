//! Our bots on a real OpenArena server: `fireteam openarena`, to join, to watch, or to run at full speed.
//!
//! In: a map, how many of ours and of the game's own bots, for how long. Out: a server on this machine with our module in
//! it, told how to join; at the end of a timed match, its score. The map's terrain is taken from the cache or baked first.
//! Ctrl-C ends the server and leaves nothing behind.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fireteam_openarena::Install;
use fireteam_openarena::capture::module_beside;
use fireteam_openarena::install::cache_folder;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::log::Deed;
use fireteam_openarena::play::{Match, Pace, Played, Running};
use fireteam_world::{Game, Map};

use crate::bake::Watch;
use crate::view::relay::Relay;
use crate::view::{self, Viewing};
use crate::{convars, maps, terrains};

/// Let our bots play on a real OpenArena server
#[derive(Args, Debug)]
pub(crate) struct OpenArena {
    /// A map of the installed OpenArena
    #[arg(long, value_name = "NAME", default_value = "oa_dm1")]
    map: String,

    /// Bots of ours
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=63))]
    bots: u8,

    /// Bots of the game's own; in team games they are blue and ours are red
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=63))]
    stock: u8,

    /// Of our bots: 1 recruit, 2 regular, 3 veteran, 4 elite
    #[arg(long, value_name = "GRADE", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    skill: u8,

    /// Of the game's own bots, 1 to 5
    #[arg(long, value_name = "GRADE", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    stock_skill: u8,

    /// ffa, tourney, single, team, ctf, oneflag, overload, harvester, elimination, ctfelimination, lms, dd, domination, or the game's
    /// number
    #[arg(long, value_name = "NAME", default_value = "team", value_parser = game_type)]
    gametype: i32,

    /// As fast as it computes instead of real time; nobody can join
    #[arg(long)]
    fast: bool,

    /// End after so many minutes of the game, with the score
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=600))]
    minutes: Option<u32>,

    /// Decides everything that is left to chance
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: i32,

    /// Keep what the bots saw and pressed, for `fireteam replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Where the server listens; 0.0.0.0 lets others on the network join
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    listen: String,

    /// The port to listen on
    #[arg(long, value_name = "NUMBER", default_value_t = 27960)]
    port: u16,

    /// A variable of the bots, such as think_ms=50; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,

    /// A file of variables of the bots: `fireteam convars --write FILE` makes one
    #[arg(long, value_name = "FILE")]
    convars: Option<PathBuf>,

    /// A setting of the server, such as g_speed=400; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    cvar: Vec<(String, String)>,

    /// Watch it in the viewer, with what our bots think
    #[arg(long)]
    view: bool,

    /// Open no browser for the viewer; the address is printed
    #[arg(long, requires = "view")]
    no_open: bool,

    /// The viewer's port; the next free one if it is taken
    #[arg(long, value_name = "NUMBER", default_value_t = view::PORT, requires = "view")]
    view_port: u16,

    /// Where the viewer listens; 0.0.0.0 lets others on the network watch
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", requires = "view")]
    view_listen: IpAddr,

    /// Measure where the time goes: told at the end of a timed match, and by `ft profile` on the server's console
    #[arg(long)]
    profile: bool,
}

/// The game types by name, with the game's numbers.
const GAME_TYPES: [(&str, i32); 13] = [
    ("ffa", 0),
    ("tourney", 1),
    ("single", 2),
    ("team", 3),
    ("ctf", 4),
    ("oneflag", 5),
    ("overload", 6),
    ("harvester", 7),
    ("elimination", 8),
    ("ctfelimination", 9),
    ("lms", 10),
    ("dd", 11),
    ("domination", 12),
];
/// Red fights blue in these and all that follow, but for the last man standing.
pub(crate) const TEAM_DEATHMATCH: i32 = 3;
const LAST_MAN_STANDING: i32 = 10;

pub(crate) fn game_type(word: &str) -> Result<i32, String> {
    let named = GAME_TYPES.iter().find(|(name, _)| *name == word).map(|(_, number)| *number);
    let numbered = || word.parse().ok().filter(|number| (0..GAME_TYPES.len() as i32).contains(number));
    let names = GAME_TYPES.map(|(name, _)| name).join(", ");
    named.or_else(numbered).ok_or_else(|| format!("there are {names}"))
}

pub(crate) fn assignment(word: &str) -> Result<(String, String), String> {
    let parts = word.split_once('=').ok_or_else(|| format!("`{word}` is no NAME=VALUE"))?;
    Ok((parts.0.to_owned(), parts.1.to_owned()))
}

pub(crate) fn has_teams(game_type: i32) -> bool {
    game_type >= TEAM_DEATHMATCH && game_type != LAST_MAN_STANDING
}

/// How often the server is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub(crate) fn run(asked: &OpenArena) -> Result<ExitCode> {
    ensure!(asked.bots + asked.stock > 0, "nobody would play: ask for --bots or --stock");
    ensure!(!asked.fast || asked.minutes.is_some(), "--fast needs --minutes: nobody could stop it by hand");
    let watch = Watch::begin(1, false)?;
    let install = Install::find()?;
    let terrain = ready(&asked.map, &watch)?;
    let relay = asked.viewing().map(|viewing| Relay::open(viewing, type_name(asked.gametype))).transpose()?;
    let game = Match {
        seed: asked.seed,
        pace: if asked.fast { Pace::Lockstep } else { Pace::RealTime },
        minutes: asked.minutes,
        terrain: Some(terrain),
        // The server runs in a folder of its own.
        record: asked.record.as_ref().map(std::path::absolute).transpose()?,
        relay: relay.as_ref().map(Relay::path),
        convars: convars::assignments(asked.convars.as_deref(), &asked.map, &asked.set)?,
        cvars: [room()].into_iter().chain(asked.cvar.iter().cloned()).chain(profiling(asked)).collect(),
        address: asked.listen.clone(),
        port: (!asked.fast).then_some(asked.port),
        ..Match::new(&asked.map, asked.gametype, entrants(asked))
    };
    let mut running = Running::start(&install, &module()?, &game)?;
    if !asked.fast {
        let (address, port) = (&asked.listen, running.server().port);
        println!("{} on port {port}; join with: openarena +connect {address}:{port}   (Ctrl-C ends it)", asked.map);
    }
    let Some(minutes) = asked.minutes else { return attend(running, relay, &watch) };
    let limit = Duration::from_secs(u64::from(minutes) * 60 + 120);
    let played = attend_timed(running, relay, limit, &watch)?;
    print!("{}", score(&played));
    Ok(ExitCode::SUCCESS)
}

impl OpenArena {
    fn viewing(&self) -> Option<Viewing> {
        let OpenArena { no_open, view_port: port, view_listen: listen, .. } = *self;
        self.view.then_some(Viewing { no_open, port, listen })
    }
}

fn type_name(number: i32) -> &'static str {
    GAME_TYPES.iter().find(|(_, known)| *known == number).map_or("unknown", |(name, _)| name)
}

/// The game's own bots use up what the engine allots by itself on large open maps, and end the server with it; more costs
/// nothing until it is used (`docs/notes/stock-ways.md`). Whoever asks for another size has the last word.
fn room() -> (String, String) {
    ("com_zoneMegs".to_owned(), "128".to_owned())
}

fn profiling(asked: &OpenArena) -> Option<(String, String)> {
    asked.profile.then(|| ("ft_profile".to_owned(), "1".to_owned()))
}

fn entrants(asked: &OpenArena) -> Vec<Entrant> {
    let colour = |colour| if has_teams(asked.gametype) { colour } else { Colour::Free };
    // Without opponents of the game's own, ours fight each other.
    let ours = |number: u8| match (asked.stock, number % 2) {
        (0, 1) => Colour::Blue,
        _ => Colour::Red,
    };
    let ours =
        (0..asked.bots).map(|number| Entrant { side: Side::Ours, colour: colour(ours(number)), skill: asked.skill });
    let stock = Entrant { side: Side::Stock, colour: colour(Colour::Blue), skill: asked.stock_skill };
    ours.chain((0..asked.stock).map(|_| stock)).collect()
}

/// Makes sure that a map has its terrain in the cache. Answers with the folder.
pub(crate) fn ready(name: &str, watch: &Watch) -> Result<PathBuf> {
    let map: Map = maps::load(name)?;
    let game = Game::named("openarena").context("it is built in")?;
    terrains::terrain(&map, &game, watch)?;
    Ok(cache_folder()?.join("terrain"))
}

/// Our module, which lies beside this program.
pub(crate) fn module() -> Result<PathBuf> {
    Ok(module_beside(&std::env::current_exe().context("where this program lies")?))
}

/// Passes on what the module says until somebody ends it.
fn attend(mut running: Running, mut relay: Option<Relay>, watch: &Watch) -> Result<ExitCode> {
    loop {
        watch_on(&mut relay, watch);
        running.news().iter().for_each(|line| watch.say(line));
        if watch.is_stopped() {
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(status) = running.server().ended() {
            let log = running.server().log();
            let end: Vec<&str> = log.lines().rev().take(8).collect();
            bail!("the server ended by itself ({status}):\n{}", end.into_iter().rev().collect::<Vec<_>>().join("\n"));
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Nobody has to see a server for it to go on: what cannot be shown is told, once.
fn watch_on(relay: &mut Option<Relay>, watch: &Watch) {
    if let Some(Err(error)) = relay.as_mut().map(|relay| relay.look(watch)) {
        watch.complain(&format!("viewer: {error:#}: the match goes on, but is not shown any more"));
        *relay = None;
    }
}

fn attend_timed(running: Running, relay: Option<Relay>, limit: Duration, watch: &Watch) -> Result<Played> {
    let relay = RefCell::new(relay);
    let played = running.finish(limit, &|| {
        watch_on(&mut relay.borrow_mut(), watch);
        watch.is_stopped()
    })?;
    played.said.iter().for_each(|line| watch.complain(line));
    Ok(played)
}

/// Kills and deaths of everybody, and what our bots cost.
fn score(played: &Played) -> String {
    let report = &played.report;
    let mut text =
        format!("{:<14} {:>5} {:>6} {:>8} {:>8} {:>6}\n", "player", "kills", "deaths", "suicides", "units/s", "still");
    let mut counts: BTreeMap<usize, [u32; 3]> = BTreeMap::new();
    for kill in &played.kills {
        match kill.killer.filter(|&killer| killer != kill.victim) {
            Some(killer) => counts.entry(killer).or_default()[0] += 1,
            None => counts.entry(kill.victim).or_default()[2] += 1,
        }
        counts.entry(kill.victim).or_default()[1] += 1;
    }
    for player in &report.players {
        let [kills, deaths, suicides] = counts.get(&player.slot).copied().unwrap_or_default();
        let seconds = (player.alive_ms as f64 / 1000.0).max(1e-3);
        let still = player.still_ms as f64 / player.alive_ms.max(1) as f64 * 100.0;
        let pace = player.distance / seconds;
        text += &format!("{:<14} {kills:>5} {deaths:>6} {suicides:>8} {pace:>8.0} {still:>5.1}%\n", player.name);
    }
    let captures = played.flag_deeds.iter().filter(|deed| deed.deed == Deed::Captured);
    let mut by_player: BTreeMap<usize, u32> = BTreeMap::new();
    captures.for_each(|deed| *by_player.entry(deed.by).or_default() += 1);
    for player in &report.players {
        if let Some(count) = by_player.get(&player.slot) {
            text += &format!("flags captured by {}: {count}\n", player.name);
        }
    }
    let think = &report.think;
    for (whose, cost) in [("ours", report.ours), ("the game's", report.stock)] {
        if let Some(us) = cost.us_per_bot_second() {
            text += &format!("CPU a bot and second of the game, {whose}: {us:.0} us\n");
        }
    }
    text += &format!(
        "think, all bots in a frame: median {} us, p99.9 {} us, longest {} us\n",
        think.median, think.p999, think.max
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_types_have_names_and_numbers() {
        assert_eq!((game_type("team"), game_type("ctf"), game_type("12")), (Ok(3), Ok(4), Ok(12)));
        assert!(game_type("chess").is_err() && game_type("13").is_err() && game_type("-1").is_err());
        assert!(has_teams(3) && has_teams(12) && !has_teams(0) && !has_teams(10));
    }
}
