//! Do bots know what they could not perceive? Matches of both games, re-thought blindfolded.
//!
//! Each side of a match is thought over again with everything changed that an independent oracle says it could not have
//! perceived (`fireteam_sim::honesty`): matches of the embedded game while they are played, matches of a real OpenArena
//! server out of their recordings. One command that differs by a bit is one too many. So that the blindfold is known to
//! work, every match is also thought by a bot that peeks at one true position, which has to be caught.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fireteam::perceive::Keenness;
use fireteam::recording::Recording;
use fireteam::snapshot::Team;
use fireteam::{Bots, Command, ConVars, Field, Skill, Snapshot};
use fireteam_openarena::physics::Physics;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::{self as server, Match as ServerMatch};
use fireteam_openarena::server::Scratch;
use fireteam_sim::honesty::{Blindfold, Caught, Changed, Encounters, Reaction};
use fireteam_sim::{Match, Roster};
use fireteam_terrain::file;
use fireteam_world::Game;
use fireteam_world::pcg::Pcg;

use super::Course;
use super::report::{Must, Row, median};
use crate::bake::Watch;
use crate::openarena::TEAM_DEATHMATCH;
use crate::replay::blindfold::{Outcome, think_blindfolded};
use crate::{maps, terrains};

/// Where: houses with doors, a hall of pads, a large base, and our own.
const MAPS: [&str; 5] = ["compound", "oa_dm1", "oa_dm2", "kaos2", "oa_bases5"];
/// The server plays only what it has itself.
const SERVER_MAPS: [&str; 5] = ["oa_dm1", "oa_dm2", "kaos2", "oa_bases5", "czest1dm"];
/// On this one flags are played for; and what the server's game is like then.
const FLAGS_MAP: &str = "oa_bases5";
const FLAGS: (i32, &str) = (4, "bullet=7 weapons=5");
/// Under which rules the embedded game is played.
const GAMES: [&str; 2] = ["skirmish", "openarena"];
/// A stretch is so long, and so many of them are re-thought of the embedded game and of the server's.
const STRETCH_S: f64 = 10.0;
const STRETCHES: usize = 2000;
const SERVER_STRETCHES: usize = 1000;
const PER_TEAM: usize = 4;
/// Who plays.
const SKILL: Skill = Skill::Elite;
/// The same, as a line-up numbers it.
const SERVER_SKILL: u8 = 4;
/// Encounters whose reaction is measured; as many rounds are played as it takes, up to this many.
const ENCOUNTERS: usize = 1000;
const ROUNDS_MAX: u64 = 5;

pub(crate) fn honesty(course: &Course) -> Result<Vec<Row>> {
    let watch = Watch::begin(MAPS.len(), false)?;
    let (wanted, wanted_served) = (course.count(STRETCHES), course.count(SERVER_STRETCHES));
    let mut embedded = Tried::default();
    let names = course.maps_or(&MAPS);
    let met_enough = |embedded: &Tried| embedded.encounters.known.len() >= course.count(ENCOUNTERS);
    let matches = (0..ROUNDS_MAX).flat_map(|round| names.iter().map(move |name| (round, name)));
    for ((round, name), game) in matches.flat_map(|of_map| GAMES.map(|game| (of_map, game))) {
        if round > 0 && met_enough(&embedded) {
            break;
        }
        let game = Game::named(game).expect("a test reads every description that is built in");
        let field = terrains::field(maps::load(name)?, game, &watch)?;
        let frames = frames(wanted.div_ceil(names.len() * GAMES.len()), &field);
        embedded.add(name, &field, play(&field, frames, course.seed + round, |_, _| {}));
        embedded.peek(play(&field, frames.min(PEEK_FRAMES), course.seed + round, peek).caught);
        ensure!(!watch.is_stopped(), "stopped on {name}");
    }
    let mut served = Tried::default();
    let names = course.maps_or(&SERVER_MAPS);
    // Whatever is not the game's own cannot be played there.
    let names: Vec<String> = names.into_iter().filter(|name| course.files.maps().contains(name)).collect();
    for name in &names {
        let (game_type, physics) = if name == FLAGS_MAP { FLAGS } else { (TEAM_DEATHMATCH, "") };
        let game = physics.parse::<Physics>()?.game();
        let field = terrains::field(maps::load(name)?, game, &watch)?;
        let frames = frames(wanted_served.div_ceil(names.len()), &field);
        let recorded = record(course, (name, game_type), frames, &field, &watch)?;
        let recording = Recording::read(name, &recorded)?;
        recording.fits(&field)?;
        served.add(name, &field, think_blindfolded(&recording, &field, &watch, |_, _| {})?.into());
        served.peek(think_blindfolded(&recording, &field, &watch, peek)?.caught);
        ensure!(!watch.is_stopped(), "stopped on {name}");
    }
    let rows = [embedded.rows("embedded game", wanted), served.rows("real server", wanted_served)].concat();
    Ok([rows, reactions(&embedded.encounters, course.count(ENCOUNTERS)).to_vec()].concat())
}

/// Frames in which two teams live so many stretches.
fn frames(stretches: usize, field: &Field) -> u64 {
    let frame_s = f64::from(field.game.rules.frame_ms) * 0.001;
    (stretches as f64 * STRETCH_S / (PER_TEAM * 2) as f64 / frame_s).ceil() as u64
}

/// What came of several matches.
#[derive(Default)]
struct Tried {
    matches: usize,
    stretches: f64,
    caught: Vec<String>,
    /// Matches in which a bot that peeks was caught.
    peekers: usize,
    changed: Changed,
    encounters: Encounters,
}

impl Tried {
    fn add(&mut self, name: &str, field: &Field, one: Played) {
        let frame_s = f64::from(field.game.rules.frame_ms) * 0.001;
        self.stretches += one.changed.commands as f64 * frame_s / STRETCH_S;
        self.caught.extend(one.caught.map(|caught| format!("{name}: {caught:?}")));
        self.changed = self.changed.and(one.changed);
        self.encounters.add(one.encounters);
        self.matches += 1;
        eprintln!("{name} ({}): caught {:?}, {:?}", field.game.name, one.caught, one.changed);
    }

    fn peek(&mut self, caught: Option<Caught>) {
        self.peekers += usize::from(caught.is_some());
    }

    fn rows(&self, game: &str, wanted: usize) -> [Row; 4] {
        let row = |name: String, value: f64, must: Must, note: String| Row::new(name, value, "", must, note);
        let (told, players) = (format!("{:?}", self.changed), self.changed.players as f64);
        let all = Must::AtLeast(self.matches as f64);
        [
            row(format!("{game}: stretches of 10 s"), self.stretches.round(), Must::AtLeast(wanted as f64), told),
            row(format!("{game}: bots caught"), self.caught.len() as f64, Must::AtMost(0.0), self.caught.join("; ")),
            row(format!("{game}: players hidden and moved"), players, Must::AtLeast(1.0), String::new()),
            row(format!("{game}: matches in which a peeker is caught"), self.peekers as f64, all, String::new()),
        ]
    }
}

fn reactions(encounters: &Encounters, wanted: usize) -> [Row; 4] {
    let reaction = Must::AtLeast(f64::from(Keenness::of(SKILL, &ConVars::default()).reaction_ms));
    let ms = |all: &[Reaction]| all.iter().map(|reaction| f64::from(reaction.ms)).collect::<Vec<f64>>();
    let least = |all: &[Reaction]| ms(all).into_iter().min_by(f64::total_cmp).unwrap_or(f64::NAN);
    let middle = |all: &[Reaction]| format!("median {:.0} ms of {}", median(ms(all).into_iter()), all.len());
    let Encounters { known, turned, fired, .. } = encounters;
    [
        Row::new("encounters".into(), known.len() as f64, "", Must::AtLeast(wanted as f64), String::new()),
        Row::new("shortest time to know of an enemy".into(), least(known), "ms", reaction, middle(known)),
        Row::new("shortest time to turn to one".into(), least(turned), "ms", reaction, middle(turned)),
        Row::new("shortest time to fire at one".into(), least(fired), "ms", reaction, middle(fired)),
    ]
}

/// A match on the real server, ours against ours, as a recording.
fn record(
    course: &Course,
    (name, game_type): (&str, i32),
    frames: u64,
    field: &Field,
    watch: &Watch,
) -> Result<Vec<u8>> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("match.recording");
    // On this very terrain: of a cache that has several the server takes the first.
    file::save(&scratch.path().join(format!("{name}.terrain")), &field.terrain)?;
    let colours = [Colour::Red, Colour::Blue];
    let entrants =
        (0..PER_TEAM).flat_map(|_| colours.map(|colour| Entrant { side: Side::Ours, colour, skill: SERVER_SKILL }));
    let minutes = (frames * field.game.rules.frame_ms as u64).div_ceil(60_000) as u32;
    let game = ServerMatch {
        seed: course.seed as i32,
        minutes: Some(minutes),
        terrain: Some(scratch.path().to_owned()),
        record: Some(path.clone()),
        ..ServerMatch::new(name, game_type, entrants.collect())
    };
    // A hundred times what it takes on an idle machine.
    let limit = Duration::from_secs(300 + u64::from(minutes) * 120);
    server::play(&course.install, &course.module, &game, limit, &|| watch.is_stopped())?;
    std::fs::read(&path).with_context(|| format!("the match on {name} was not recorded"))
}

/// A peeker is caught within so many frames, or not at all.
const PEEK_FRAMES: u64 = 4000;

/// What came of one match.
struct Played {
    caught: Option<Caught>,
    changed: Changed,
    /// Measured while minds are open to look into: not in recordings.
    encounters: Encounters,
}

impl From<Outcome> for Played {
    fn from(Outcome { caught, changed }: Outcome) -> Played {
        Played { caught, changed, encounters: Encounters::default() }
    }
}

/// Plays a match beside its blindfolded copies, up to the first command that differs.
fn play(field: &Arc<Field>, frames: u64, seed: u64, tamper: fn(&Snapshot, &mut [Command])) -> Played {
    let roster = Roster::of_teams(PER_TEAM, SKILL, seed);
    let mut game = Match::new(Arc::clone(field), &roster, seed);
    let mut bots = Bots::new(Arc::clone(field), seed);
    let members: Vec<_> = game.snapshot().own.iter().map(|own| (own.entity, own.team)).zip(&roster.members).collect();
    members.iter().for_each(|((entity, _), member)| bots.join(*entity, member.character()));
    let mut blindfolds = [Team(1), Team(2)].map(|team| {
        let side = members.iter().filter(|((_, side), _)| *side == team);
        let side: Vec<_> = side.map(|((entity, _), member)| (*entity, member.character())).collect();
        let people = side.iter().map(|(entity, character)| (*entity, character));
        Blindfold::new(field, team, seed, people, Pcg::named(seed, "blindfold"))
    });
    let convars = ConVars::default();
    let mut commands = Vec::new();
    let mut encounters = Encounters::default();
    let mut caught = None;
    for _ in 0..frames {
        let truth = game.snapshot();
        commands.clear();
        commands.extend_from_slice(bots.think(truth, &convars));
        encounters.look(truth, &bots, &commands);
        tamper(truth, &mut commands);
        caught = blindfolds.iter_mut().find_map(|blindfold| blindfold.compare_as(truth, &commands, &convars, tamper));
        if caught.is_some() {
            break;
        }
        game.step(&commands);
    }
    Played { caught, encounters, changed: blindfolds[0].changed().and(blindfolds[1].changed()) }
}

/// One of the first team leans a bit of its view on where an enemy is: on what it is shown of him, perceived or not.
fn peek(shown: &Snapshot, commands: &mut [Command]) {
    let peeker = shown.players.iter().find(|figure| figure.team == Team(1)).map(|figure| figure.entity);
    let enemy = shown.players.iter().find(|figure| figure.team == Team(2));
    let is_peeker = |command: &&mut Command| Some(command.bot) == peeker;
    if let (Some(command), Some(enemy)) = (commands.iter_mut().find(is_peeker), enemy) {
        command.press.angles[1] ^= i32::from(enemy.origin.x as i32 & 64 == 0);
    }
}
