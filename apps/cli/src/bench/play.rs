//! Does anybody get stuck? Matches of eight against eight until enough hours were lived, watched from outside.
//!
//! Stuck is who presses to move and stays within 32 units for five seconds (`fireteam_sim::stuck`). Every case is listed
//! with what the bot was at, so that it can be explained: the same map, seed and time show it again.

use std::sync::Arc;

use anyhow::{Result, ensure};
use fireteam::{Bots, ConVars, Field, Skill};
use fireteam_sim::stuck::{Case, Watch as StuckWatch};
use fireteam_sim::{Match, Roster};
use fireteam_world::Game;

use super::Course;
use super::report::{Must, Row};
use crate::bake::Watch;
use crate::{maps, terrains};

const MAPS: [&str; 5] = ["compound", "oa_dm2", "oa_bases5", "kaos2", "czest1dm"];
const HOURS: f64 = 60.0;
const PER_TEAM: usize = 8;
/// A match is cut off after this long and the next begins, with the next seed.
const MINUTES: usize = 20;
/// Cases an hour on any one map: what is allowed on a real server.
const HOURLY_MUST: Must = Must::AtMost(1.0);
/// Cases allowed in all hours together.
const STUCK_MUST: Must = Must::AtMost(6.0);

pub(crate) fn play(course: &Course) -> Result<Vec<Row>> {
    let watch = Watch::begin(MAPS.len(), false)?;
    let names = course.maps_or(&MAPS);
    let hours_each = if course.quick { HOURS / 4.0 } else { HOURS } / names.len() as f64;
    let mut rows = Vec::new();
    let (mut cases, mut hours) = (0, 0.0);
    for name in &names {
        let game = Game::named("skirmish").expect("a test reads every description that is built in");
        let field = terrains::field(maps::load(name)?, game, &watch)?;
        let lived = live(name, &field, PER_TEAM, hours_each, course.seed, &watch);
        ensure!(!watch.is_stopped(), "stopped on {name}");
        let note = format!("{} in {:.1} hours", lived.cases.len(), lived.hours());
        let idle = lived.idle_ms as f64 / lived.alive_ms.max(1) as f64 * 100.0;
        let per_hour = Row::new(format!("{name}: stuck an hour"), lived.per_hour(), "", HOURLY_MUST, note);
        rows.push(Row { note: format!("{}; nothing pressed {idle:.0} % of the time", per_hour.note), ..per_hour });
        cases += lived.cases.len();
        hours += lived.hours();
    }
    let most = if course.quick { Must::AtMost(2.0) } else { STUCK_MUST };
    rows.push(Row::new(format!("stuck in {hours:.0} hours"), cases as f64, "", most, String::new()));
    Ok(rows)
}

/// Matches on one map until bots have lived this many hours together.
pub(super) fn live(
    name: &str,
    field: &Arc<Field>,
    per_team: usize,
    hours: f64,
    seed: u64,
    watch: &Watch,
) -> StuckWatch {
    let convars = ConVars::default();
    let mut total = StuckWatch::default();
    for seed in seed.. {
        let roster = Roster::of_teams(per_team, Skill::Veteran, seed);
        let mut game = Match::new(field.clone(), &roster, seed);
        let mut bots = Bots::new(field.clone(), seed);
        for ((entity, _), member) in game.players().zip(&roster.members) {
            bots.join(entity, member.character());
        }
        let mut stuck = StuckWatch::default();
        for _ in 0..MINUTES * 60_000 / game.snapshot().frame_ms as usize {
            let known = stuck.cases.len();
            let commands = bots.think(game.snapshot(), &convars);
            stuck.look(game.snapshot(), commands);
            game.step(commands);
            for case in &stuck.cases[known..] {
                watch.complain(&explained(name, seed, case, &bots));
            }
            if game.is_over() || watch.is_stopped() || total.hours() + stuck.hours() >= hours {
                break;
            }
        }
        total.add(stuck);
        if total.hours() >= hours || watch.is_stopped() {
            break;
        }
    }
    eprintln!("{name}: {:.1} hours, stuck {} times", total.hours(), total.cases.len());
    total
}

fn explained(map: &str, seed: u64, case: &Case, bots: &Bots) -> String {
    let seconds = f64::from(case.time.0) / 1000.0;
    let goals: Vec<String> = bots.goals(case.player).map(|(goal, reason)| format!("{goal} ({reason})")).collect();
    let name = bots.character(case.player).map_or("?", |character| &character.name);
    let legs = bots.legs(case.player).map(|legs| format!("{:?}", legs.state())).unwrap_or_default();
    format!("{map}, seed {seed}, {seconds:.1} s: {name} stuck at {}, at {}; legs {legs}", case.origin, goals.join(", "))
}
