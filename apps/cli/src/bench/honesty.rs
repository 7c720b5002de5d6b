//! Do bots know what they could not perceive? Matches of the embedded game, re-thought blindfolded.
//!
//! Each side of a match is thought over again with everything changed that an independent oracle says it could not have
//! perceived (`fireteam_sim::honesty`). One command that differs by a bit is one too many. So that the blindfold is
//! known to work, a match is also played by a bot that peeks, which has to be caught.

use std::sync::Arc;

use anyhow::Result;
use fireteam::perceive::Keenness;
use fireteam::snapshot::Team;
use fireteam::{Bots, Command, ConVars, Field, Skill, Snapshot};
use fireteam_sim::honesty::{Blindfold, Caught, Changed, Encounters};
use fireteam_sim::{Match, Roster};
use fireteam_world::Game;
use fireteam_world::pcg::Pcg;

use super::Course;
use super::report::{Must, Row, median};
use crate::bake::Watch;
use crate::{maps, terrains};

/// Where: houses with doors, a hall of pads, a large base, and our own.
const MAPS: [&str; 5] = ["compound", "oa_dm1", "oa_dm2", "kaos2", "oa_bases5"];
/// Under which rules.
const GAMES: [&str; 2] = ["skirmish", "openarena"];
/// A stretch is so long, and so many of them are re-thought.
const STRETCH_S: f64 = 10.0;
const STRETCHES: usize = 2000;
const PER_TEAM: usize = 4;

pub(crate) fn honesty(course: &Course) -> Result<Vec<Row>> {
    let watch = Watch::begin(MAPS.len(), false)?;
    let names = course.maps_or(&MAPS);
    let wanted = course.count(STRETCHES);
    let each = wanted.div_ceil(names.len() * GAMES.len());
    let (mut stretches, mut caught, mut peekers) = (0.0, Vec::new(), 0);
    let mut changed = Changed::default();
    let mut encounters = Encounters::default();
    for (name, game) in names.iter().flat_map(|name| GAMES.map(|game| (name, game))) {
        let game = Game::named(game).expect("built in");
        let frame_s = f64::from(game.rules.frame_ms) * 0.001;
        let field = terrains::field(maps::load(name)?, game, &watch)?;
        let frames = (each as f64 * STRETCH_S / (PER_TEAM * 2) as f64 / frame_s).ceil() as u64;
        let tried = play(&field, frames, course.seed, |_, _| {});
        encounters.known_ms.extend(tried.encounters.known_ms);
        encounters.fired_ms.extend(tried.encounters.fired_ms);
        stretches += tried.changed.commands as f64 * frame_s / STRETCH_S;
        caught.extend(tried.caught.map(|caught| format!("{name}: {caught:?}")));
        changed = changed.and(tried.changed);
        peekers += usize::from(play(&field, frames.min(PEEK_FRAMES), course.seed, peek).caught.is_some());
        eprintln!("{name} ({}): {} frames, {:?}", field.game.name, tried.changed.frames, tried.changed);
    }
    let reaction = f64::from(Keenness::of(SKILL, &ConVars::default()).reaction_ms);
    let least = |ms: &[i32]| ms.iter().min().map_or(f64::NAN, |ms| f64::from(*ms));
    let middle = |ms: &[i32]| format!("median {:.0} ms of {}", median(ms.iter().map(|ms| f64::from(*ms))), ms.len());
    let (known, fired) = (&encounters.known_ms, &encounters.fired_ms);
    let met = course.count(ENCOUNTERS) as f64;
    let played = (names.len() * GAMES.len()) as f64;
    let told = format!("{changed:?}");
    Ok(vec![
        Row::new("stretches of 10 s re-thought".into(), stretches.round(), "", Must::AtLeast(wanted as f64), told),
        Row::new("bots caught".into(), caught.len() as f64, "", Must::AtMost(0.0), caught.join("; ")),
        Row::new("encounters".into(), known.len() as f64, "", Must::AtLeast(met), String::new()),
        Row::new(
            "shortest time to know of an enemy".into(),
            least(known),
            "ms",
            Must::AtLeast(reaction),
            middle(known),
        ),
        Row::new("shortest time to fire at one".into(), least(fired), "ms", Must::AtLeast(reaction), middle(fired)),
        Row::new("players hidden and moved".into(), changed.players as f64, "", Must::AtLeast(1.0), String::new()),
        Row::new(
            "matches in which a peeking bot is caught".into(),
            peekers as f64,
            "",
            Must::AtLeast(played),
            String::new(),
        ),
    ])
}

/// A peeker is caught within so many frames, or not at all.
const PEEK_FRAMES: u64 = 4000;

/// Who plays.
const SKILL: Skill = Skill::Elite;
/// Encounters whose reaction is measured.
const ENCOUNTERS: usize = 1000;

struct Tried {
    encounters: Encounters,
    caught: Option<Caught>,
    changed: Changed,
}

/// Plays a match beside its blindfolded copies, up to the first command that differs.
fn play(field: &Arc<Field>, frames: u64, seed: u64, mut tamper: impl FnMut(&Snapshot, &mut [Command])) -> Tried {
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
        caught = blindfolds.iter_mut().find_map(|blindfold| blindfold.compare(truth, &commands, &convars));
        if caught.is_some() {
            break;
        }
        game.step(&commands);
    }
    Tried { caught, encounters, changed: blindfolds[0].changed().and(blindfolds[1].changed()) }
}

/// The first bot leans one bit of its view on where the first living enemy truly is.
fn peek(truth: &Snapshot, commands: &mut [Command]) {
    let Some(own) = truth.own.iter().find(|own| !own.body.is_dead) else { return };
    let enemy = truth.players.iter().find(|figure| figure.team != own.team && !figure.is_dead);
    let Some(enemy) = enemy else { return };
    if let Some(command) = commands.iter_mut().find(|command| command.bot == own.entity) {
        command.press.angles[1] ^= i32::from(enemy.origin.x as i32 & 64 == 0);
    }
}
