//! The matches that are watched: five of the embedded game, five on the real server, and elites in three long fights.
//!
//! In: a [`Encounter`] and a seed. Out: its [`Tally`]. The embedded game is watched as it is played. A match on the server is recorded,
//! and thought again beside what it truly showed: the same snapshots lead to the same commands.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fireteam::recording::{Entry, Recording};
use fireteam::{Bots, ConVars, Field};
use fireteam_openarena::install::cache_folder;
use fireteam_openarena::play::lineup::{Colour, Entrant, Side};
use fireteam_openarena::play::{Match as ServerMatch, play};
use fireteam_openarena::server::Scratch;
use fireteam_sim::{Match, Roster};
use fireteam_world::Game;
use fireteam_world::game::Objective;

use super::super::Course;
use super::Part;
use super::tally::Tally;
use crate::bake::Watch;
use crate::openarena::{TEAM_DEATHMATCH, has_teams, ready};
use crate::play::skill_of;
use crate::reel::Reel;
use crate::{maps, terrains};

/// A match to watch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encounter {
    pub(super) name: &'static str,
    pub(super) map: &'static str,
    /// As the command line counts: from 0 in the embedded game, from 1 on the server.
    skill: u8,
    minutes: u32,
    /// If seed 1 is asked for; for each more, the next.
    seed: u64,
    rules: Rules,
}

#[derive(Clone, Copy, Debug)]
enum Rules {
    Embedded {
        game: &'static str,
        objective: Objective,
        civilians: usize,
    },
    /// The game's number.
    Server(i32),
}

const PER_SIDE: usize = 4;
const MINUTES: u32 = 5;
const MINUTES_ELITES: u32 = 15;
const STOCK_SKILL: u8 = 3;
const EVERYONE_FOR_HIMSELF: i32 = 0;
const CAPTURE_THE_FLAG: i32 = 4;

const EMBEDDED: [Encounter; 5] = [
    Encounter { seed: 1, ..embedded("rounds", "compound", "skirmish", Objective::Elimination, 3) },
    Encounter { seed: 2, ..embedded("ground", "compound", "skirmish", Objective::Domination, 2) },
    Encounter {
        seed: 3,
        rules: Rules::Embedded { game: "skirmish", objective: Objective::Elimination, civilians: 6 },
        ..embedded("civilians", "compound", "skirmish", Objective::Elimination, 2)
    },
    Encounter { seed: 4, ..embedded("kaos2", "kaos2", "openarena", Objective::TeamFight, 3) },
    Encounter { seed: 5, ..embedded("oa_bases5", "oa_bases5", "skirmish", Objective::TeamFight, 1) },
];

const SERVER: [Encounter; 5] = [
    server("oa_dm1", TEAM_DEATHMATCH, 4),
    server("oa_ctf2", CAPTURE_THE_FLAG, 4),
    server("oa_dm6", EVERYONE_FOR_HIMSELF, 1),
    server("oa_koth1", TEAM_DEATHMATCH, 4),
    server("am_galmevish", TEAM_DEATHMATCH, 2),
];

const ELITES: [Encounter; 3] = [elites("kaos2"), elites("oa_dm1"), elites("oa_dm6")];

const fn embedded(
    name: &'static str,
    map: &'static str,
    game: &'static str,
    objective: Objective,
    skill: u8,
) -> Encounter {
    Encounter { name, map, skill, minutes: MINUTES, seed: 1, rules: Rules::Embedded { game, objective, civilians: 0 } }
}

const fn server(map: &'static str, game_type: i32, skill: u8) -> Encounter {
    Encounter { name: map, map, skill, minutes: MINUTES, seed: 1, rules: Rules::Server(game_type) }
}

const fn elites(map: &'static str) -> Encounter {
    Encounter { minutes: MINUTES_ELITES, seed: 4, ..embedded(map, map, "openarena", Objective::TeamFight, 3) }
}

impl Part {
    pub(super) fn encounters(self) -> &'static [Encounter] {
        match self {
            Part::Embedded => &EMBEDDED,
            Part::Server => &SERVER,
            Part::Elites => &ELITES,
        }
    }
}

impl Encounter {
    /// What one sees in it.
    pub(super) fn watched(&self, course: &Course, watch: &Watch) -> Result<Tally> {
        let seed = self.seed_of(course);
        let minutes = if course.quick { 1 } else { self.minutes };
        let tally = match self.rules {
            Rules::Embedded { game, objective, civilians } => {
                let game = Game::named(game).expect("a test reads every description that is built in");
                let field = terrains::field(maps::load(self.map)?, game, watch)?;
                let mut roster = Roster::of_teams(PER_SIDE, skill_of(self.skill), seed);
                roster.civilians = civilians;
                let game = Match::about(objective, field.clone(), &roster, seed);
                played(game, &roster, &field, seed, minutes, watch)
            }
            Rules::Server(game_type) => {
                let folder = Scratch::new()?;
                let reel = Reel::of(folder.path().join("watched.recording"));
                self.record(&reel, game_type, course, minutes, watch)?;
                rethought(&reel, watch)?
            }
        };
        ensure!(!watch.is_stopped(), "stopped on {}", self.name);
        Ok(tally)
    }

    /// Its seed, if the usual one is not asked for.
    pub(super) fn seed_of(&self, course: &Course) -> u64 {
        (self.seed - 1).wrapping_add(course.seed)
    }

    fn record(&self, reel: &Reel, game_type: i32, course: &Course, minutes: u32, watch: &Watch) -> Result<()> {
        ready(self.map, watch)?;
        let colour = |colour| if has_teams(game_type) { colour } else { Colour::Free };
        let ours = Entrant { side: Side::Ours, colour: colour(Colour::Red), skill: self.skill };
        let stock = Entrant { side: Side::Stock, colour: colour(Colour::Blue), skill: STOCK_SKILL };
        let game = ServerMatch {
            seed: self.seed_of(course) as i32,
            minutes: Some(minutes),
            terrain: Some(cache_folder()?.join("terrain")),
            record: Some(reel.file.clone()),
            ..ServerMatch::new(self.map, game_type, [[ours; PER_SIDE], [stock; PER_SIDE]].concat())
        };
        let limit = Duration::from_secs(300 + u64::from(minutes) * 120);
        play(&course.install, &course.module, &game, limit, &|| watch.is_stopped())?;
        Ok(())
    }
}

/// A match of the embedded game, watched as it is played.
fn played(mut game: Match, roster: &Roster, field: &Arc<Field>, seed: u64, minutes: u32, watch: &Watch) -> Tally {
    let mut bots = Bots::new(field.clone(), seed);
    for ((entity, _), member) in game.players().zip(&roster.members) {
        bots.join(entity, member.character());
    }
    let (mut tally, convars) = (Tally::default(), ConVars::default());
    let frames = minutes as i32 * 60_000 / game.snapshot().frame_ms;
    for _ in 0..frames {
        if game.is_over() || watch.is_stopped() {
            break;
        }
        let written = bots.journal().written();
        let commands = bots.think(game.snapshot(), &convars).to_vec();
        tally.look(game.snapshot(), &bots, &commands, written);
        game.step(&commands);
    }
    tally
}

/// A recording, thought again.
fn rethought(reel: &Reel, watch: &Watch) -> Result<Tally> {
    let bytes = reel.bytes().context("the server left no recording")?;
    let recording: Recording<'_> = reel.whole(&bytes)?;
    let mut bots = Bots::new(reel.field(&recording, watch)?, recording.head.seed);
    let (mut tally, mut convars) = (Tally::default(), ConVars::default());
    for entry in recording.entries() {
        match entry? {
            Entry::Join(entity, character) => bots.join(entity, character),
            Entry::Leave(entity) => bots.leave(entity),
            Entry::Variables(given) => convars = *given,
            Entry::Frame(snapshot, recorded) => {
                let written = bots.journal().written();
                let commands = bots.think(&snapshot, &convars);
                ensure!(commands == recorded, "at {} ms bots thought otherwise than they had", snapshot.time.0);
                tally.look(&snapshot, &bots, &recorded, written);
            }
        }
    }
    Ok(tally)
}
