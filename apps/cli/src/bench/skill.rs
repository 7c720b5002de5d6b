//! Does skill win? Neighbours in skill against each other in the embedded game, and what is left of it with equal hands.
//!
//! Four a side on the map that is built in. Half of the rounds are played with the better side as red, half as blue; which end a
//! side begins at changes with every round. Matches are played until either half has its rounds; whole ones, so that there may be a
//! few more. A round that time ends is nobody's and does not count. Intervals are those of a share of independent rounds.
//!
//! Cost: about a minute of one core.

use std::sync::Arc;

use anyhow::{Result, ensure};
use fireteam::snapshot::Team;
use fireteam::{Bots, ConVars, Field, Skill};
use fireteam_sim::{Match, Roster};
use fireteam_world::Game;

use super::Course;
use super::report::{Must, Row};
use crate::bake::Watch;
use crate::versus::stats::wilson;
use crate::{maps, terrains};

const PER_TEAM: usize = 4;
const ROUNDS: usize = 200;
/// Craft alone is worth three rounds in five: of 200, chance takes away one in fifteen.
const CRAFT_ROUNDS: usize = 1000;
/// A match is cut off after this long and the next begins, with the next seed.
const MINUTES: i32 = 20;
/// Percent of the decided rounds.
const NEIGHBOUR_MUST: Must = Must::AtLeast(60.0);
const FAR_MUST: Must = Must::AtLeast(85.0);
const CRAFT_MUST: Must = Must::AtLeast(55.0);

pub(crate) fn skill(course: &Course) -> Result<Vec<Row>> {
    let maps = course.maps_or(&[maps::DEFAULT]);
    let watch = Watch::begin(maps.len(), false)?;
    let usual = ConVars::default();
    use Skill::{Elite, Recruit, Regular, Veteran};
    let pairings = [
        (Elite, Veteran, "", usual, ROUNDS, NEIGHBOUR_MUST),
        (Veteran, Regular, "", usual, ROUNDS, NEIGHBOUR_MUST),
        (Regular, Recruit, "", usual, ROUNDS, NEIGHBOUR_MUST),
        (Elite, Regular, "", usual, ROUNDS, FAR_MUST),
        (Elite, Recruit, " with the same hands and senses", alike(usual), CRAFT_ROUNDS, CRAFT_MUST),
    ];
    let mut rows = Vec::new();
    for map in maps {
        let game = Game::named("skirmish").expect("a test reads every description that is built in");
        let field = terrains::field(maps::load(&map)?, game, &watch)?;
        for (better, worse, how, convars, rounds, must) in &pairings {
            let name = format!("{map}: {} v {}{how}", better.name(), worse.name());
            let found = contest(&field, (*better, *worse), convars, course.count(*rounds), course.seed, &watch)?;
            let row = found.row(name, *must);
            eprintln!("{}: {:.1} %, {}", row.name, row.value.unwrap_or(f64::NAN), row.note);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Every hand as an elite's, and every reaction: what is left is what a grade makes of what it knows.
fn alike(usual: ConVars) -> ConVars {
    ConVars {
        aim_quickness_recruit: usual.aim_quickness_elite,
        aim_damping_recruit: 1.0,
        aim_error_recruit: usual.aim_error_elite,
        reaction_ms_recruit: usual.reaction_ms_elite,
        reaction_ms_regular: usual.reaction_ms_elite,
        reaction_ms_veteran: usual.reaction_ms_elite,
        ..usual
    }
}

/// Rounds of the better side and of the other, by which colour the better had.
#[derive(Debug, Default)]
struct Found {
    won: [u32; 2],
    lost: [u32; 2],
    undecided: u32,
}

impl Found {
    fn row(&self, name: String, must: Must) -> Row {
        let (won, lost) = (self.won.iter().sum::<u32>(), self.lost.iter().sum::<u32>());
        let decided = won + lost;
        let share = |won: u32, of: u32| f64::from(won) / f64::from(of.max(1)) * 100.0;
        let sure = wilson(won, decided)
            .map_or_else(String::new, |sure| format!(", {:.0} to {:.0} %", sure.low * 100.0, sure.high * 100.0));
        let by_colour = [0, 1].map(|colour| share(self.won[colour], self.won[colour] + self.lost[colour]));
        let [red, blue] = by_colour;
        let note = format!(
            "{won} of {decided} decided rounds{sure}; as red {red:.0} %, as blue {blue:.0} %; {} undecided",
            self.undecided
        );
        Row::new(name, share(won, decided), "%", must, note)
    }
}

fn contest(
    field: &Arc<Field>,
    (better, worse): (Skill, Skill),
    convars: &ConVars,
    rounds: usize,
    first_seed: u64,
    watch: &Watch,
) -> Result<Found> {
    let each = (rounds / 2) as u32;
    let mut found = Found::default();
    for colour in 0..2 {
        let mut seed = first_seed;
        while found.won[colour] + found.lost[colour] < each {
            let standing = play(field, better, worse, colour, seed, convars, watch);
            ensure!(!watch.is_stopped(), "stopped at seed {seed}");
            let [won, lost] = [standing.wins[colour], standing.wins[1 - colour]];
            found.won[colour] += won;
            found.lost[colour] += lost;
            found.undecided += standing.round.saturating_sub(won + lost + u32::from(!standing.is_over));
            seed += 1;
        }
    }
    Ok(found)
}

/// How a match stands at its end.
struct Standing {
    wins: Vec<u32>,
    round: u32,
    is_over: bool,
}

fn play(
    field: &Arc<Field>,
    better: Skill,
    worse: Skill,
    colour: usize,
    seed: u64,
    convars: &ConVars,
    watch: &Watch,
) -> Standing {
    let mut roster = Roster::of_teams(PER_TEAM, worse, seed);
    let theirs = Team(1 + colour as u8);
    roster.members.iter_mut().filter(|member| member.team == Some(theirs)).for_each(|member| member.skill = better);
    let mut game = Match::new(field.clone(), &roster, seed);
    let mut bots = Bots::new(field.clone(), seed);
    for ((entity, _), member) in game.players().zip(&roster.members) {
        bots.join(entity, member.character());
    }
    for _ in 0..MINUTES * 60_000 / game.snapshot().frame_ms {
        if game.is_over() || watch.is_stopped() {
            break;
        }
        let commands = bots.think(game.snapshot(), convars);
        game.step(commands);
    }
    let standing = game.standing();
    Standing { wins: standing.wins, round: standing.round, is_over: game.is_over() }
}
