//! Outcomes as people and programs read them: a table by map and grade, weapons, a CSV line for every match.

use std::collections::BTreeMap;

use super::outcome::{Outcome, Tally};
use super::stats::{bootstrap, wilson};

/// Both sides over several matches.
#[derive(Default)]
struct Sum {
    ours: Tally,
    stock: Tally,
    kills: Vec<(u32, u32)>,
    captures: Vec<(u32, u32)>,
}

impl Sum {
    fn add(&mut self, outcome: &Outcome) {
        self.ours.add(&outcome.ours);
        self.stock.add(&outcome.stock);
        self.kills.push((outcome.ours.kills, outcome.stock.kills));
        self.captures.push((outcome.ours.captures, outcome.stock.captures));
    }

    fn line(&self, name: &str) -> String {
        let (ours, stock) = (&self.ours, &self.stock);
        let ratio = f64::from(ours.kills) / f64::from(stock.kills.max(1));
        let interval = bootstrap(&self.kills).map_or(String::new(), |i| format!("{:.2}..{:.2}", i.low, i.high));
        let share = wilson(ours.kills, ours.kills + stock.kills);
        let share = share.map_or(String::new(), |i| format!("{:.0}..{:.0} %", i.low * 100.0, i.high * 100.0));
        let (cost, stock_cost) = (ours.us_per_bot_second(), stock.us_per_bot_second());
        let still = format!("{:.1} %", ours.still_share() * 100.0);
        let idle = format!("{:.1} %", ours.idle_share() * 100.0);
        let stuck = f64::from(ours.stuck) / (ours.alive_s / 3600.0).max(1e-9);
        format!(
            "{name:<24} {:>7} {:>11} {ratio:>6.2} {interval:>11} {share:>11} {:>11} {still:>7} {idle:>7} {stuck:>7.1} {cost:>5.0} {stock_cost:>5.0} {:>5.2}\n",
            self.kills.len(),
            format!("{} : {}", ours.kills, stock.kills),
            format!("{} : {}", ours.suicides, stock.suicides),
            cost / stock_cost,
        )
    }

    /// The same for flags.
    fn flags_line(&self, name: &str) -> String {
        let (ours, stock) = (&self.ours, &self.stock);
        let ratio = f64::from(ours.captures) / f64::from(stock.captures.max(1));
        let interval = bootstrap(&self.captures).map_or(String::new(), |i| format!("{:.2}..{:.2}", i.low, i.high));
        let both = |ours: u32, stock: u32| format!("{ours} : {stock}");
        format!(
            "{name:<24} {:>7} {:>11} {ratio:>6.2} {interval:>11} {:>11} {:>11}\n",
            self.captures.len(),
            both(ours.captures, stock.captures),
            both(ours.flags_taken, stock.flags_taken),
            both(ours.flags_returned, stock.flags_returned),
        )
    }
}

pub(crate) fn write(outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "{:<24} {:>7} {:>11} {:>6} {:>11} {:>11} {:>11} {:>7} {:>7} {:>7} {:>5} {:>5} {:>5}\n",
        "map, skill v stock",
        "matches",
        "kills",
        "ratio",
        "95 %",
        "share 95 %",
        "suicides",
        "still",
        "idle",
        "stuck/h",
        "us",
        "stock",
        "cost"
    );
    let mut rows: BTreeMap<String, Sum> = BTreeMap::new();
    let (mut pairs, mut all): (BTreeMap<String, Sum>, Sum) = Default::default();
    for outcome in outcomes {
        let pair = format!("{} v {}", outcome.skill, outcome.stock_skill);
        rows.entry(format!("{} {pair}", outcome.map)).or_default().add(outcome);
        pairs.entry(format!("all maps {pair}")).or_default().add(outcome);
        all.add(outcome);
    }
    rows.iter().for_each(|(name, sum)| text += &sum.line(name));
    // Whoever asks about several grades asks how each of them does, over all maps.
    if pairs.len() > 1 {
        pairs.iter().for_each(|(name, sum)| text += &sum.line(name));
    }
    if rows.len() > 1 {
        text += &all.line("all");
    }
    if all.ours.flags_taken + all.stock.flags_taken > 0 {
        text += &format!(
            "{:<24} {:>7} {:>11} {:>6} {:>11} {:>11} {:>11}\n",
            "flags", "matches", "captures", "ratio", "95 %", "taken", "returned"
        );
        rows.iter().for_each(|(name, sum)| text += &sum.flags_line(name));
        if rows.len() > 1 {
            text += &all.flags_line("all");
        }
    }
    text += &weapons(&all);
    text += "us: CPU time of the server's thread a bot and second of the game, reading and pressing included; ";
    text += "still: of its life, within 32 units of one place for over 5 s; ";
    text += "idle: of that, what its journal has no reason for; ";
    text += "stuck: the same while it wants to move, cases an hour of a bot's life\n";
    let slots = |first: bool| {
        let of = outcomes.iter().filter(|outcome| outcome.ours_first == first);
        of.fold((0, 0), |sum, outcome| (sum.0 + outcome.ours.kills, sum.1 + outcome.stock.kills))
    };
    let (first, last) = (slots(true), slots(false));
    text + &format!("with the lower slots {} : {}, with the upper {} : {}\n", first.0, first.1, last.0, last.1)
}

/// Kills of both sides by weapon, the most frequent first.
fn weapons(sum: &Sum) -> String {
    let mut names: Vec<&str> = sum.ours.by_weapon.keys().chain(sum.stock.by_weapon.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let count = |tally: &Tally, name: &str| tally.by_weapon.get(name).copied().unwrap_or(0);
    names.sort_by_key(|name| std::cmp::Reverse(count(&sum.ours, name) + count(&sum.stock, name)));
    let each = names.iter().map(|name| format!("{name} {} : {}", count(&sum.ours, name), count(&sum.stock, name)));
    format!("by weapon: {}\n", each.collect::<Vec<_>>().join(", "))
}

pub(super) fn csv(outcomes: &[Outcome]) -> String {
    let mut text =
        "map,seed,skill,stock_skill,ours_first,kills,stock_kills,deaths,stock_deaths,suicides,stock_suicides,\
                    team_kills,captures,stock_captures,still_share,stock_still_share,idle_share,stuck,slowest,us,stock_us,think_p999_us,think_max_us,faults\n"
            .to_owned();
    for outcome in outcomes {
        let Outcome { map, seed, skill, stock_skill, ours, stock, .. } = outcome;
        text += &format!("{map},{seed},{skill},{stock_skill},{},", u8::from(outcome.ours_first));
        text += &format!("{},{},{},{},", ours.kills, stock.kills, ours.deaths, stock.deaths);
        text += &format!("{},{},{},", ours.suicides, stock.suicides, ours.team_kills);
        text += &format!("{},{},", ours.captures, stock.captures);
        text += &format!("{:.4},{:.4},{:.4},", ours.still_share(), stock.still_share(), ours.idle_share());
        text += &format!("{},{:.0},", ours.stuck, ours.slowest);
        text += &format!("{:.1},{:.1},", ours.us_per_bot_second(), stock.us_per_bot_second());
        text += &format!("{},{},{}\n", outcome.think_p999_us, outcome.think_max_us, outcome.faults);
    }
    text
}
