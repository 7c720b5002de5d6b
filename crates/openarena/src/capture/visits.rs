//! Where players have been: a match of the game's own bots and one aimless walker of ours, watched.
//!
//! In: a map, how many bots, how long. Out: a [`Visit`] four times a second for everybody who is alive and stands or
//! swims, not in lava or slime, where nobody means to be. Bots go where the game's makers meant players to go, the walker wherever keys lead; a terrain that does not
//! know such a place has a hole. The match runs in lockstep from a seed, without chat, so it can be repeated.
//!
//! Cost: a minute of eight players takes two seconds.

use std::path::Path;

use fireteam_world::{Contents, Vec3};

use super::field::rows;
use super::guest::Guest;
use super::kept::kept_lines;
use super::navigation::{is_spawn, standing_at};
use super::oracle::{CaptureError, Limits, Oracle};
use super::rows::{Body, ClientRow, Command, ENTITY_NONE};
use crate::install::Install;
use crate::server::FRAME_MS;
use fireteam_world::pcg::Pcg;

/// Names the game knows; several bots may have the same.
const BOTS: [&str; 4] = ["sarge", "grism", "kyonshi", "merman"];
/// Middling: the best ones die so often that they see little of a map.
const BOT_SKILL: i32 = 3;
/// Bots that join in the same frame overflow what the engine keeps for each of them to hear.
const FRAMES_PER_BOT: i32 = 4;
/// Four looks a second.
const FRAMES_PER_LOOK: i32 = 5;
/// Client slots come before everything else.
const CLIENTS_MAX: i32 = 64;
/// Just above the soles.
const FEET: Vec3 = Vec3::new(0.0, 0.0, -23.0);
/// `PM_NORMAL`: plays, and is not dead.
const MOVE_NORMAL: i32 = 0;

rows! {
    /// Somebody was here.
    Visit {
        /// The walker of ours, not a bot.
        is_walker: bool,
        /// What it stood on: 1022 the map, 1023 nothing (it swam), else a mover.
        ground: u16,
        /// The player's origin, to the nearest unit.
        origin: [i16; 3],
    }
}

impl Visit {
    pub fn origin(&self) -> Vec3 {
        Vec3::from_array(self.origin.map(f32::from))
    }
}

kept_lines!(
    /// A line of `visits.txt.gz`.
    pub VisitLine, "visits",
    "map NAME: what follows happened on this map
    visit WALKER GROUND X Y Z: a player's origin to the nearest unit; WALKER 0 for a bot of the game's; GROUND 1022 for
    .. the map, 1023 for a swimmer, else the mover it stood on" {
        "map" Map(String),
        "visit" Visit(Visit),
    }
);

/// Where players were in one match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visits {
    pub map: String,
    pub visits: Vec<Visit>,
}

impl Visits {
    pub fn to_lines(matches: &[Visits]) -> Vec<VisitLine> {
        let lines = |one: &Visits| {
            let visits = one.visits.iter().cloned().map(VisitLine::Visit);
            std::iter::once(VisitLine::Map(one.map.clone())).chain(visits).collect::<Vec<_>>()
        };
        matches.iter().flat_map(lines).collect()
    }

    /// The matches that `lines` tell of; `None` if a visit comes before any map.
    pub fn from_lines(lines: &[VisitLine]) -> Option<Vec<Visits>> {
        let mut matches: Vec<Visits> = Vec::new();
        for line in lines {
            match line {
                VisitLine::Map(map) => matches.push(Visits { map: map.clone(), visits: Vec::new() }),
                VisitLine::Visit(visit) => matches.last_mut()?.visits.push(visit.clone()),
            }
        }
        Some(matches)
    }
}

/// What to watch.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// Of the game's own; the walker comes on top.
    pub bots: i32,
    pub seconds: i32,
    pub seed: i32,
}

/// Plays a match on `map` and says where everybody was.
pub fn record(
    install: &Install,
    module: &Path,
    map: &str,
    limits: &Limits,
    game: Match,
) -> Result<Visits, CaptureError> {
    let limits = Limits { seed: game.seed, ..*limits };
    // Bots must hear of every frame, and what they chat depends on the clock of the machine.
    let cvars = [("bot_enable", 1), ("fixedtime", FRAME_MS), ("bot_nochat", 3)];
    let mut oracle = Oracle::start_with(install, module, map, &limits, &cvars)?;
    let mut pcg = Pcg::named(game.seed as u64, map);
    let starts: Vec<Vec3> = oracle.entities()?.iter().filter(|row| is_spawn(row)).map(|row| row.spawn_origin).collect();
    let origin = if starts.is_empty() { Vec3::ZERO } else { *pcg.pick(&starts) };
    let origin = standing_at(&mut oracle, &[origin])?[0];
    let mut walker = Guest::enter(&mut oracle, &Body { origin, health: 100, weapon: 2, ..Body::default() })?;
    let mut stroll = Stroll::new(pcg);
    let mut visits = Vec::new();
    for frame in 0..game.seconds * 1000 / FRAME_MS {
        if frame % FRAMES_PER_BOT == 0 && frame / FRAMES_PER_BOT < game.bots {
            let name = BOTS[(frame / FRAMES_PER_BOT) as usize % BOTS.len()];
            walker.oracle().console(&format!("addbot {name} {BOT_SKILL}"))?;
        }
        let command = stroll.press(&walker);
        walker.press(&command)?;
        if frame % FRAMES_PER_LOOK == 0 {
            let players = walker.oracle().players()?;
            visits.extend(look(walker.oracle(), &players)?);
        }
    }
    Ok(Visits { map: map.to_owned(), visits })
}

/// Who of them stands or swims.
fn look(oracle: &mut Oracle, players: &[ClientRow]) -> Result<Vec<Visit>, CaptureError> {
    let origins: Vec<Vec3> = players.iter().map(|row| row.player.origin).collect();
    let feet: Vec<Vec3> = origins.iter().map(|&origin| origin + FEET).collect();
    let (waists, feet) = (oracle.contents(&origins)?, oracle.contents(&feet)?);
    let around = waists.into_iter().zip(feet).map(|(waist, feet)| (Contents(waist as u32), Contents(feet as u32)));
    Ok(players.iter().zip(around).filter_map(|(row, (waist, feet))| visit(row, waist, feet)).collect())
}

fn visit(row: &ClientRow, waist: Contents, feet: Contents) -> Option<Visit> {
    let player = &row.player;
    let is_alive = player.health > 0 && player.move_type == MOVE_NORMAL;
    let is_safe = !(waist | feet).meets(Contents::LAVA | Contents::SLIME);
    let is_held = match player.ground {
        ground if ground == i32::from(ENTITY_NONE) => waist.meets(Contents::WATER),
        // Nobody's head is a place.
        ground => ground >= CLIENTS_MAX,
    };
    let origin = player.origin.to_array().map(|part| part.round() as i16);
    (is_alive && is_safe && is_held).then_some(Visit { is_walker: row.is_guest, ground: player.ground as u16, origin })
}

/// Somebody with no aim: holds keys for a while, turns when nothing moves any more, and comes back when dead.
#[derive(Debug)]
struct Stroll {
    pcg: Pcg,
    command: Command,
    frames_left: usize,
    before: Vec3,
    is_pressing: bool,
}

impl Stroll {
    const FORWARD: i8 = 127;
    /// Slower than this, in units a frame, it has run against something.
    const STEP_MIN: f32 = 4.0;

    fn new(pcg: Pcg) -> Stroll {
        Stroll { pcg, command: Command::default(), frames_left: 0, before: Vec3::ZERO, is_pressing: false }
    }

    fn press(&mut self, walker: &Guest) -> Command {
        const ATTACK: i32 = 1;
        let player = walker.player();
        let step = player.origin.distance(std::mem::replace(&mut self.before, player.origin));
        if !walker.is_alive() {
            // The button must have been let go before it counts.
            self.is_pressing = !self.is_pressing;
            return Command { buttons: if self.is_pressing { ATTACK } else { 0 }, ..Command::default() };
        }
        if self.frames_left == 0 || step < Stroll::STEP_MIN {
            self.draw();
        }
        self.frames_left = self.frames_left.saturating_sub(1);
        let yaw = self.command.angle_words[1] - player.delta_angle_words[1];
        Command { angle_words: [0, yaw & 0xffff, 0], ..self.command.clone() }
    }

    /// Another direction, for half a second to three.
    fn draw(&mut self) {
        let pcg = &mut self.pcg;
        self.frames_left = 10 + pcg.below(50);
        // Mostly on foot, sometimes hopping, seldom ducked.
        let up = match pcg.below(10) {
            0..7 => 0,
            7..9 => 127,
            _ => -127,
        };
        let angle_words = [0, pcg.below(65536) as i32, 0];
        self.command = Command { angle_words, forward: Stroll::FORWARD, up, weapon: 2, ..Command::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::rows::PlayerFrame;

    #[test]
    fn matches_come_back_from_lines() {
        let visit = |x| Visit { is_walker: x > 0, ground: ENTITY_NONE, origin: [x, -x, 7] };
        let one = |map: &str| Visits { map: map.to_owned(), visits: vec![visit(-9), visit(12)] };
        let matches = vec![one("oa_dm1"), Visits { map: "fan".to_owned(), visits: Vec::new() }, one("kaos2")];
        assert_eq!(Visits::from_lines(&Visits::to_lines(&matches)), Some(matches));
        assert_eq!(Visits::from_lines(&[VisitLine::Visit(visit(1))]), None);
    }

    #[test]
    fn only_those_who_live_and_stand_or_swim_are_somewhere() {
        let row = |health, ground| ClientRow {
            player: PlayerFrame { health, ground, origin: Vec3::new(1.6, -1.6, 24.1), ..PlayerFrame::default() },
            ..ClientRow::default()
        };
        let (dry, wet, lava) = (Contents(0), Contents::WATER, Contents::LAVA);
        let seen = visit(&row(100, 1022), dry, dry).expect("stands on the map");
        assert_eq!(seen, Visit { is_walker: false, ground: 1022, origin: [2, -2, 24] });
        assert!(visit(&row(100, 1023), wet, wet).is_some(), "swims");
        assert!(visit(&row(100, 70), dry, dry).is_some(), "rides a lift");
        assert_eq!(visit(&row(100, 1023), dry, wet), None, "jumps from a puddle");
        assert_eq!(visit(&row(0, 1022), dry, dry), None, "is dead");
        assert_eq!(visit(&row(100, 3), dry, dry), None, "stands on a head");
        assert_eq!(visit(&row(100, 1022), dry, lava), None, "burns");
    }
}
