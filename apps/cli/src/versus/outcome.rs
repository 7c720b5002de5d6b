//! What is kept of one match: who killed whom by what, and who captured flags, counted by side.

use std::collections::BTreeMap;

use fireteam_openarena::play::Played;
use fireteam_openarena::play::lineup::Side;
use fireteam_openarena::play::log::Deed;
use fireteam_openarena::play::report::Cost;

use super::Bout;

/// One match between our side and the game's own.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Outcome {
    pub(crate) map: String,
    pub(crate) seed: i32,
    pub(crate) skill: u8,
    pub(crate) stock_skill: u8,
    /// Our side had the lower client slots.
    pub(crate) ours_first: bool,
    pub(crate) ours: Tally,
    pub(crate) stock: Tally,
    /// Longest think of all our bots in a frame, and the 99.9th percentile, in microseconds.
    pub(crate) think_max_us: u32,
    pub(crate) think_p999_us: u32,
    /// Of our side's CPU time, what went into reading the game's memory and into pressing keys.
    pub(crate) translate_ns: u64,
    pub(crate) press_ns: u64,
    /// Bots that were benched.
    pub(crate) faults: u32,
    /// What the module said, but for where the terrain came from.
    pub(crate) said: Vec<String>,
}

/// One side's part of it.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Tally {
    pub(crate) players: usize,
    /// Of the other side.
    pub(crate) kills: u32,
    pub(crate) deaths: u32,
    /// By one's own hand or the map's.
    pub(crate) suicides: u32,
    pub(crate) team_kills: u32,
    /// Flags of the other side that were brought home, and how often one was taken; own ones that were brought back.
    pub(crate) captures: u32,
    pub(crate) flags_taken: u32,
    pub(crate) flags_returned: u32,
    /// Kills of the other side, by weapon.
    pub(crate) by_weapon: BTreeMap<&'static str, u32>,
    pub(crate) alive_s: f64,
    /// Time within 32 units of one place for over five seconds.
    pub(crate) still_s: f64,
    /// Of that, with a reason to hold in the journal.
    pub(crate) held_s: f64,
    /// How often somebody of ours wanted to move for five seconds and stayed within 32 units.
    pub(crate) stuck: u32,
    pub(crate) distance: f64,
    /// The player who walked least, in units a second of his life.
    pub(crate) slowest: f64,
    pub(crate) cpu_ns: u64,
    pub(crate) bot_ms: u64,
}

impl Tally {
    pub(crate) fn us_per_bot_second(&self) -> f64 {
        Cost { ns: self.cpu_ns, bot_ms: self.bot_ms }.us_per_bot_second().unwrap_or(f64::NAN)
    }

    pub(crate) fn still_share(&self) -> f64 {
        self.still_s / self.alive_s.max(1e-9)
    }

    /// Of its life, still without a reason.
    pub(crate) fn idle_share(&self) -> f64 {
        (self.still_s - self.held_s) / self.alive_s.max(1e-9)
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        self.players = self.players.max(other.players);
        self.kills += other.kills;
        self.deaths += other.deaths;
        self.suicides += other.suicides;
        self.team_kills += other.team_kills;
        self.captures += other.captures;
        self.flags_taken += other.flags_taken;
        self.flags_returned += other.flags_returned;
        other.by_weapon.iter().for_each(|(weapon, count)| *self.by_weapon.entry(weapon).or_default() += count);
        self.alive_s += other.alive_s;
        self.still_s += other.still_s;
        self.held_s += other.held_s;
        self.stuck += other.stuck;
        self.distance += other.distance;
        self.cpu_ns += other.cpu_ns;
        self.bot_ms += other.bot_ms;
    }
}

impl Outcome {
    pub(super) fn of(bout: &Bout, played: &Played, size: u8) -> Outcome {
        let report = &played.report;
        let mut tallies = [(Side::Ours, report.ours), (Side::Stock, report.stock)].map(|(side, cost)| {
            let players = report.of_side(side);
            let mut tally = Tally { cpu_ns: cost.ns, bot_ms: cost.bot_ms, slowest: f64::INFINITY, ..Tally::default() };
            for player in players {
                tally.players += 1;
                tally.alive_s += player.alive_ms as f64 / 1000.0;
                tally.still_s += player.still_ms as f64 / 1000.0;
                tally.held_s += player.held_ms as f64 / 1000.0;
                tally.stuck += player.stuck;
                tally.distance += player.distance;
                tally.slowest = tally.slowest.min(player.distance / (player.alive_ms as f64 / 1000.0).max(1e-3));
            }
            if tally.players == 0 {
                tally.slowest = 0.0;
            }
            tally
        });
        let side_of =
            |slot: usize| report.players.iter().find(|player| player.slot == slot).and_then(|player| player.side);
        for kill in &played.kills {
            let Some(victim) = side_of(kill.victim) else { continue };
            let killer = kill.killer.filter(|&killer| killer != kill.victim).and_then(side_of);
            tallies[victim as usize].deaths += 1;
            match killer {
                None => tallies[victim as usize].suicides += 1,
                Some(killer) if killer == victim => tallies[killer as usize].team_kills += 1,
                Some(killer) => {
                    tallies[killer as usize].kills += 1;
                    *tallies[killer as usize].by_weapon.entry(kill.means.name()).or_default() += 1;
                }
            }
        }
        for deed in &played.flag_deeds {
            let Some(side) = side_of(deed.by) else { continue };
            let tally = &mut tallies[side as usize];
            match deed.deed {
                Deed::Captured => tally.captures += 1,
                Deed::Took => tally.flags_taken += 1,
                Deed::Returned => tally.flags_returned += 1,
                Deed::KilledBearer => {}
            }
        }
        let [ours, stock] = tallies;
        let mut said: Vec<String> = played.said.iter().filter(|line| !is_about_terrain(line)).cloned().collect();
        if ours.players != usize::from(size) || stock.players != usize::from(size) {
            said.push(format!(
                "{} of ours and {} of the game's own played, not {size} each",
                ours.players, stock.players
            ));
        }
        Outcome {
            map: bout.map.clone(),
            seed: bout.seed,
            skill: bout.skill,
            stock_skill: bout.stock_skill,
            ours_first: bout.ours_first,
            ours,
            stock,
            think_max_us: report.think.max,
            think_p999_us: report.think.p999,
            translate_ns: report.translate_ns,
            press_ns: report.press_ns,
            faults: report.faults,
            said,
        }
    }

    /// For whoever waits.
    pub(super) fn line(&self) -> String {
        let order = if self.ours_first { "ours first" } else { "stock first" };
        let said = if self.said.is_empty() { String::new() } else { format!(" ({})", self.said.join("; ")) };
        let (ours, stock) = (&self.ours, &self.stock);
        let flags = match ours.flags_taken + stock.flags_taken {
            0 => String::new(),
            _ => format!(", captures {} : {}", ours.captures, stock.captures),
        };
        format!("{} seed {} {order}: {} : {}{flags}{said}", self.map, self.seed, ours.kills, stock.kills)
    }
}

/// Where a terrain came from is said in every match.
fn is_about_terrain(line: &str) -> bool {
    line.starts_with("fireteam: terrain: ") || line.starts_with("fireteam: quick terrain")
}
