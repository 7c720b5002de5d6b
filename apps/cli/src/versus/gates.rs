//! What a count must come to: bars for whoever lets a program judge, such as before a new version goes onto a server.

use clap::Args;

use super::outcome::{Outcome, Tally};
use super::stats::bootstrap;
use crate::bench::report::{Must, Row};

/// Bars; without any, everything passes.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Gates {
    /// Fail unless kills for : against are at least this, by the lower end of their 95 % interval; one for all grades of the game's
    /// own bots, or one each
    #[arg(long, value_name = "RATIO,…", value_delimiter = ',')]
    at_least: Vec<f64>,

    /// Fail unless captures for : against are at least this
    #[arg(long, value_name = "RATIO")]
    captures_at_least: Option<f64>,

    /// Fail if a bot of ours takes more than this share of the CPU time of one of the game's own
    #[arg(long, value_name = "SHARE")]
    cpu_at_most: Option<f64>,
}

impl Gates {
    /// Why these bars fit no match; nothing if they do.
    pub(super) fn fault(&self, stock_skills: &[u8]) -> Option<String> {
        let (bars, grades) = (self.at_least.len(), stock_skills.len());
        (bars > 1 && bars != grades)
            .then(|| format!("--at-least has {bars} bars, and --stock-skill {grades} grades: one for all, or one each"))
    }

    /// Every bar with what was counted.
    pub(super) fn rows(&self, stock_skills: &[u8], outcomes: &[Outcome]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (number, &grade) in stock_skills.iter().enumerate() {
            let Some(&bar) = self.at_least.get(number).or(self.at_least.first()) else { continue };
            let of: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.stock_skill == grade).collect();
            let name = format!("kills for : against, grade {grade} of the game's own, at least");
            rows.push(kills(name, bar, &of));
        }
        let mut sums = (Tally::default(), Tally::default());
        outcomes.iter().for_each(|outcome| (sums.0.add(&outcome.ours), sums.1.add(&outcome.stock)).0);
        if let Some(bar) = self.captures_at_least {
            let ratio = f64::from(sums.0.captures) / f64::from(sums.1.captures.max(1));
            let note = format!("{} : {}", sums.0.captures, sums.1.captures);
            rows.push(Row::new("captures for : against".to_owned(), ratio, "", Must::AtLeast(bar), note));
        }
        if let Some(bar) = self.cpu_at_most {
            let [ours, stock] = [&sums.0, &sums.1].map(Tally::us_per_bot_second);
            let note = format!("{ours:.0} us of {stock:.0}");
            rows.push(Row::new(
                "CPU a bot and second, to theirs".to_owned(),
                ours / stock,
                "",
                Must::AtMost(bar),
                note,
            ));
        }
        rows
    }
}

fn kills(name: String, bar: f64, outcomes: &[&Outcome]) -> Row {
    let matches: Vec<(u32, u32)> = outcomes.iter().map(|outcome| (outcome.ours.kills, outcome.stock.kills)).collect();
    let sum = matches.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let Some(interval) = bootstrap(&matches) else {
        return Row::missing(name, "", Must::AtLeast(bar), "an interval takes two matches: --seeds 2");
    };
    let ratio = f64::from(sum.0) / f64::from(sum.1.max(1));
    let note = format!("{} : {} is {ratio:.2}, {:.2} to {:.2}", sum.0, sum.1, interval.low, interval.high);
    Row::new(name, interval.low, "", Must::AtLeast(bar), note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(stock_skill: u8, kills: (u32, u32), cpu_ns: (u64, u64)) -> Outcome {
        let side = |kills, cpu_ns| Tally { kills, captures: kills, cpu_ns, bot_ms: 1000, ..Tally::default() };
        Outcome { stock_skill, ours: side(kills.0, cpu_ns.0), stock: side(kills.1, cpu_ns.1), ..Outcome::default() }
    }

    #[test]
    fn every_bar_is_judged_by_its_own_matches() {
        let outcomes = [(3, 50), (3, 50), (5, 10), (5, 10)].map(|(grade, ours)| outcome(grade, (ours, 10), (50, 100)));
        let gates = Gates { at_least: vec![4.0, 1.5], captures_at_least: Some(2.0), cpu_at_most: Some(0.8) };
        let rows = gates.rows(&[3, 5], &outcomes);
        let told: Vec<(Option<f64>, bool)> = rows.iter().map(|row| (row.value, row.ok)).collect();
        assert_eq!(told, [(Some(5.0), true), (Some(1.0), false), (Some(3.0), true), (Some(0.5), true)]);
        let one = Gates { at_least: vec![4.0], ..Gates::default() };
        assert!(!one.rows(&[3], &outcomes[..1])[0].ok, "one match has no interval");
        assert!(Gates::default().rows(&[3, 5], &outcomes).is_empty());
    }

    #[test]
    fn there_is_one_bar_for_all_or_one_for_each() {
        let gates = |count: usize| Gates { at_least: vec![1.0; count], ..Gates::default() };
        assert!([0, 1, 2].iter().all(|&count| gates(count).fault(&[3, 5]).is_none()));
        assert!(gates(2).fault(&[3]).is_some_and(|fault| fault.contains("--stock-skill")));
    }
}
