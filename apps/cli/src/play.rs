//! A match in the embedded game: `fireteam` without a command.
//!
//! In: a map, how many bots, how good, a seed. Out: a page to watch it on, at the speed of life (`watched`); or, where no page
//! is wanted, what happened, line by line as it happens, and the score, as fast as the machine can. Time is the game's; the
//! same arguments give the same match, to the last bit of every command, watched or not.

mod told;
pub(crate) mod watched;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use fireteam::journal::Line;
use fireteam::profile::Clock;
use fireteam::recording::{Head, Keep, Recorder};
use fireteam::{Bots, Command, ConVars, Field, Skill};
use fireteam_openarena::clock::wall_ns;
use fireteam_sim::stats::Stats;
use fireteam_sim::stuck::Watch as StuckWatch;
use fireteam_sim::{Match, Roster};
use fireteam_terrain::file;
use fireteam_world::game::Objective;
use fireteam_world::mover::Movers;
use fireteam_world::units::Time;
use fireteam_world::{Crowd, Game, Map, Scene};

use crate::bake::{Threads, Watch};
use crate::learnt::{Lessons, Mesh};
use crate::picture::tracks::{self, Tracks};
use crate::view::Viewing;
use crate::{convars, demo, maps, picture, roster, stats, terrains};
use told::{Held, Outcome};
pub(crate) use told::{Names, side};

#[derive(Args, Debug)]
pub(crate) struct Play {
    /// A built-in map, a .map or .bsp file, `some.pk3:NAME`, or a map of an installed OpenArena; several in turn
    #[arg(long, value_name = "FILE|NAME", value_delimiter = ',', default_value = maps::DEFAULT)]
    map: Vec<String>,

    /// Whose rules: skirmish, openarena, or a .toml file of your own
    #[arg(long, value_name = "NAME|FILE", default_value = "skirmish")]
    game: String,

    /// What is played for, whatever the rules come with: rounds to the last side standing, ground to hold, or kills
    #[arg(long, value_name = "TYPE")]
    gametype: Option<GameType>,

    /// Bots on each side
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    bots: u16,

    /// A file that says who plays, with skills, sides and traits, instead of --bots: `docs/play.md`
    #[arg(long, value_name = "FILE", conflicts_with = "bots")]
    roster: Option<PathBuf>,

    /// People of no side who go about and run from shots: to be spared
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=32))]
    civilians: u16,

    /// How good they are: 0 recruit, 1 regular, 2 veteran, 3 elite
    #[arg(long, value_name = "0-3", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    skill: u8,

    /// All chance in the match comes from it
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Length of the match in game minutes; it also ends when a side has won. 10 in the viewer, else 2
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    minutes: Option<f64>,

    /// Set a variable of the bots, such as think_ms=50; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    convar: Vec<String>,

    /// A file of variables of the bots: `fireteam convars --write FILE` makes one
    #[arg(long, value_name = "FILE")]
    convars: Option<PathBuf>,

    /// Of what bots decide and why, print only what those with this name do; no viewer
    #[arg(long, value_name = "NAME")]
    journal: Option<String>,

    /// Write everything the bots were shown and did, for `fireteam replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Play on a map as if nobody had baked it: bots explore, or use the mesh that --record-mesh wrote before
    #[arg(long, conflicts_with = "record")]
    no_terrain: bool,

    /// Record a mesh from where everyone walks, into this file: read if it is there, written when the match ends
    #[arg(long, value_name = "FILE", requires = "no_terrain")]
    record_mesh: Option<PathBuf>,

    /// Learn which links fail, into this file: merged if it is there, written when the match ends
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "no_terrain"])]
    learn: Option<PathBuf>,

    /// Write what everyone did, by player, weapon, grenade and place: FILE.json or FILE.csv; no viewer
    #[arg(long, value_name = "FILE", value_parser = stats::file)]
    stats: Option<PathBuf>,

    /// Draw where everyone went and fell; no viewer
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,

    /// Print where the time went, scope by scope; no viewer
    #[arg(long)]
    profile: bool,

    /// Print only the score, not what happens on the way; no viewer
    #[arg(long)]
    quiet: bool,

    /// Print the score as JSON; no viewer
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tracing: terrains::Tracing,

    /// No viewer: print what happens and the score, as fast as it computes
    #[arg(long)]
    headless: bool,

    #[command(flatten)]
    viewing: Viewing,
}

/// Game minutes of a match that nobody watches.
const MINUTES_UNWATCHED: f64 = 2.0;

impl Play {
    /// A page is wanted, and nothing that is only there when the match is over.
    fn is_watched(&self) -> bool {
        let wants_text = self.headless || self.quiet || self.json || self.profile || self.journal.is_some();
        let wants_files = self.picture.is_some() || self.stats.is_some();
        let is_taught = self.learn.is_some() || self.record_mesh.is_some();
        !wants_text && !wants_files && !is_taught
    }

    /// Frames until it is over.
    fn frames(&self, minutes_usual: f64, frame_ms: i32) -> u64 {
        (self.minutes.unwrap_or(minutes_usual) * 60_000.0 / f64::from(frame_ms)).ceil() as u64
    }
}

/// What a match of the embedded game may be about, by the names that OpenArena's types have.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum GameType {
    /// Rounds of one life: the last side standing wins
    Elimination,
    /// Rounds for ground that is taken by standing on it; the dead come back
    #[value(alias = "hold")]
    Domination,
    /// One long fight: the dead come back
    Team,
}

impl GameType {
    fn objective(self) -> Objective {
        match self {
            GameType::Elimination => Objective::Elimination,
            GameType::Domination => Objective::Domination,
            GameType::Team => Objective::TeamFight,
        }
    }
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes: Option<f64> = text.parse().ok();
    let wanted = minutes.filter(|minutes| (0.01..=100_000.0).contains(minutes));
    wanted.ok_or_else(|| "expected a number of minutes from 0.01 to 100000".to_owned())
}

/// The four grades by their numbers.
pub(crate) fn skill_of(number: u8) -> Skill {
    match number {
        0 => Skill::Recruit,
        1 => Skill::Regular,
        2 => Skill::Veteran,
        _ => Skill::Elite,
    }
}

/// The variables of a file, if there is one, and single ones.
pub(crate) fn tuned(file: Option<&Path>, map: &str, settings: &[String]) -> Result<ConVars> {
    let mut convars = file.map_or_else(|| Ok(ConVars::default()), |path| convars::read(path, map))?;
    for setting in settings {
        let (name, value) = setting.split_once('=').with_context(|| format!("`{setting}` is not NAME=VALUE"))?;
        convars.set(name.trim(), value.trim())?;
    }
    Ok(convars)
}

pub(crate) fn run(play: &Play) -> Result<ExitCode> {
    let is_single = [&play.record, &play.learn, &play.record_mesh, &play.stats].iter().all(|file| file.is_none());
    ensure!(
        is_single || play.map.len() == 1,
        "--record, --learn, --stats and --record-mesh take one match: name one map"
    );
    let watch = Watch::begin(play.map.len(), play.quiet || play.json)?;
    // The same people on every map.
    let skill = skill_of(play.skill);
    let mut roster = match &play.roster {
        Some(path) => roster::read(path, skill, play.seed)?,
        None => Roster::of_teams(usize::from(play.bots), skill, play.seed),
    };
    roster.civilians = usize::from(play.civilians);
    if play.is_watched() {
        return watched::run(play, &roster, &watch);
    }
    for name in &play.map {
        let Prepared { convars, objective, taught } = Prepared::on(name, play, &watch)?;
        let mut session = Session::begin(play, name, taught, (&roster, objective));
        session.play(play, &convars, &watch)?;
        let outcome = Outcome::of(&session.game, &session.bots, &session.stuck, play.seed, session.started.elapsed());
        if play.json {
            println!("{}", serde_json::to_string_pretty(&outcome)?);
        } else {
            print!("{outcome}");
        }
        if play.profile {
            // Beside the score, which a program may read.
            eprint!("{}", session.bots.profile());
        }
        if let Some(path) = &play.picture {
            draw(path, &session, &outcome)?;
        }
        if let Some(path) = &play.stats {
            // What the last frame came to is shown by the next.
            session.stats.look(session.game.snapshot());
            let players = session.game.players().map(|(entity, name)| (entity, name.to_owned()));
            let names = Names::of_characters(players);
            stats::save(path, &stats::Told::of(&session.stats, &names, &outcome.title()))?;
            watch.complain(&format!("stats  {}", path.display()));
        }
        session.keep(&watch)?;
        if let Some(path) = &play.record {
            save(path, &session.recorder, &watch)?;
        }
        if watch.is_stopped() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What a match on one map needs.
struct Prepared {
    convars: ConVars,
    objective: Objective,
    taught: Taught,
}

impl Prepared {
    fn on(name: &str, play: &Play, watch: &Watch) -> Result<Prepared> {
        let convars = tuned(play.convars.as_deref(), name, &play.convar)?;
        let (map, game) = (maps::load(name)?, demo::load_game(&play.game)?);
        let objective = play.gametype.map_or(game.rules.kernels.objective, GameType::objective);
        ensure!(
            Match::can_be_about(objective, &game.rules),
            "{} does not say how ground is held: describe [holding] (docs/games.md), or play another --gametype",
            game.name
        );
        ensure!(
            play.civilians == 0 || game.rules.teams.neutrals,
            "{} has nobody who is of no side: --civilians needs `neutrals = true` in [teams]",
            game.name
        );
        Ok(Prepared { convars, objective, taught: Taught::open(play, map, game, watch)? })
    }
}

/// A field, and what is kept of what happens on it.
struct Taught {
    field: Arc<Field>,
    lessons: Option<Lessons>,
    mesh: Option<Mesh>,
}

impl Taught {
    fn open(play: &Play, map: Map, game: Game, watch: &Watch) -> Result<Taught> {
        if play.no_terrain {
            let (mesh, field) = Mesh::open(play.record_mesh.as_deref(), map, game, &Threads::new(None)?)?;
            if !field.has_mesh {
                watch.complain("there is no mesh of this map yet: bots explore");
            }
            return Ok(Taught { field, lessons: None, mesh: Some(mesh) });
        }
        let baked = terrains::edited(terrains::terrain(&map, &game, watch)?, &map, watch)?;
        let (lessons, terrain) = match &play.learn {
            Some(path) => {
                let (lessons, terrain) = Lessons::open(path, baked, watch)?;
                (Some(lessons), terrain)
            }
            None => (None, baked),
        };
        Ok(Taught { field: terrains::field_on(terrain, map, game, play.tracing)?, lessons, mesh: None })
    }
}

/// One match and all who watch it.
struct Session {
    lessons: Option<Lessons>,
    mesh: Option<Mesh>,
    game: Match,
    bots: Bots,
    commands: Vec<Command>,
    recorder: Recorder,
    stuck: StuckWatch,
    stats: Stats,
    tracks: Tracks,
    names: Names,
    held: Held,
    started: Instant,
}

impl Session {
    fn begin(play: &Play, place: &str, taught: Taught, (roster, objective): (&Roster, Objective)) -> Session {
        let Taught { field, lessons, mesh } = taught;
        let game = Match::about(objective, field.clone(), roster, play.seed);
        let keep = if play.record.is_some() { Keep::Whole } else { Keep::USUAL };
        let mut recorder = Recorder::new(Head::of(&field, place, play.seed), keep);
        let stats = Stats::of(&field);
        let mut bots = Bots::new(field, play.seed);
        bots.profile().set_clock(play.profile.then_some(wall_ns as Clock));
        for ((entity, _), member) in game.players().zip(&roster.members) {
            bots.join(entity, member.character());
            recorder.join(entity, &member.character());
        }
        let names = Names::of(&game, roster);
        Session {
            lessons,
            mesh,
            game,
            bots,
            commands: Vec::new(),
            recorder,
            stuck: StuckWatch::default(),
            stats,
            tracks: Tracks::default(),
            names,
            held: Held::default(),
            started: Instant::now(),
        }
    }

    fn play(&mut self, play: &Play, convars: &ConVars, watch: &Watch) -> Result<()> {
        let frames = play.frames(MINUTES_UNWATCHED, self.game.snapshot().frame_ms);
        let is_told = !play.quiet && !play.json;
        let mut out = io::BufWriter::new(io::stdout().lock());
        for _ in 0..frames {
            if self.game.is_over() || watch.is_stopped() {
                break;
            }
            let written = self.bots.journal().written();
            self.frame(convars, watch)?;
            let is_wanted = |line: &&Line| {
                play.journal.as_ref().is_none_or(|name| self.names.name(line.bot).starts_with(name.as_str()))
            };
            let lines = self.bots.journal().since(written).filter(is_wanted);
            let (snapshot, arsenal) = (self.game.snapshot(), &self.game.field().arsenal);
            let tell = || {
                self.names.tell(&mut out, lines, snapshot, arsenal)?;
                self.held.tell(&mut out, snapshot)
            };
            if is_told && tell().is_err() {
                // A closed pipe: nobody listens any more.
                break;
            }
        }
        out.flush().ok();
        Ok(())
    }

    /// Writes what was learnt.
    fn keep(&mut self, watch: &Watch) -> Result<()> {
        if let Some(lessons) = self.lessons.take() {
            lessons.learn(self.game.field(), &self.bots, watch)?;
        }
        self.mesh.as_mut().map_or(Ok(()), |mesh| mesh.save(watch))
    }

    /// Thinks and plays one frame. If a mind breaks down, what led to it is kept.
    fn frame(&mut self, convars: &ConVars, watch: &Watch) -> Result<()> {
        let (bots, commands, snapshot) = (&mut self.bots, &mut self.commands, self.game.snapshot());
        commands.clear();
        let thought = catch_unwind(AssertUnwindSafe(|| commands.extend_from_slice(bots.think(snapshot, convars))));
        if thought.is_err() {
            self.recorder.frame(snapshot, convars, &[]);
            let path = PathBuf::from(format!("fireteam-{}-crash.recording", self.game.field().map.name));
            save(&path, &self.recorder, watch)?;
            bail!("a bot's mind broke down at {:.2} s", f64::from(snapshot.time.0) / 1000.0);
        }
        {
            let _record = self.bots.profile().enter("record");
            self.recorder.frame(snapshot, convars, commands);
        }
        self.stuck.look(snapshot, commands);
        self.stats.look(snapshot);
        self.tracks.look(snapshot);
        if let Some(mesh) = &mut self.mesh {
            mesh.look(snapshot);
        }
        let _game = self.bots.profile().enter("game");
        self.game.step(commands);
        Ok(())
    }
}

fn draw(path: &Path, session: &Session, outcome: &Outcome) -> Result<()> {
    let field = session.game.field();
    let movers = Movers::of(&field.map, &field.game, Time(0));
    let crowd = Crowd::of(&field.solids, movers.placed(), &[]);
    let scene = Scene { solids: &field.solids, crowd: &crowd };
    let feet = field.game.rules.movement.body.feet;
    let sheet = tracks::draw(&field.map, scene, &session.tracks, feet, &outcome.title())?;
    file::write_whole(path, &picture::png(&sheet)?)
        .with_context(|| format!("cannot write {}: choose another place with --picture", path.display()))?;
    println!("picture  {}", path.display());
    Ok(())
}

fn save(path: &Path, recorder: &Recorder, watch: &Watch) -> Result<()> {
    let bytes = recorder.to_bytes();
    file::write_whole(path, &bytes)
        .with_context(|| format!("cannot write {}: choose another place with --record", path.display()))?;
    let (seconds, kilobytes) = (recorder.held_ms() / 1000, bytes.len() / 1000);
    watch.complain(&format!("recording  {}: {seconds} s in {kilobytes} kB", path.display()));
    Ok(())
}
