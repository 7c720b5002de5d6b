//! Two contenders, one list of questions: who takes how long.

use std::time::Duration;

use anyhow::Result;
use fireteam_openarena::capture::race::Lap;
use fireteam_openarena::clock::timed;

use super::report::{Must, Row, median};

/// Nanoseconds of CPU time an item, one number a round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Duel {
    theirs_ns: Vec<f64>,
    ours_ns: Vec<f64>,
}

impl Duel {
    /// Each contender says how long it took for all `count` items. Both warm up once; who begins changes every round.
    pub(crate) fn run(
        rounds: usize,
        count: usize,
        mut theirs: impl FnMut() -> Result<Duration>,
        mut ours: impl FnMut() -> Result<Duration>,
    ) -> Result<Duel> {
        theirs()?;
        ours()?;
        let per_item = |time: Duration| time.as_nanos() as f64 / count.max(1) as f64;
        let mut duel = Duel::default();
        for round in 0..rounds {
            if round % 2 == 0 {
                duel.theirs_ns.push(per_item(theirs()?));
                duel.ours_ns.push(per_item(ours()?));
            } else {
                duel.ours_ns.push(per_item(ours()?));
                duel.theirs_ns.push(per_item(theirs()?));
            }
        }
        Ok(duel)
    }

    /// How many times faster we are: the median of what every round gave.
    pub(crate) fn ratio(&self) -> f64 {
        median(self.theirs_ns.iter().zip(&self.ours_ns).map(|(theirs, ours)| theirs / ours))
    }

    pub(crate) fn row(&self, name: String, must: Must, peer: &str, remark: &str) -> Row {
        let (theirs, ours) = (median(self.theirs_ns.iter().copied()), median(self.ours_ns.iter().copied()));
        let note = format!("{peer} {theirs:.0} ns, ours {ours:.0} ns; {remark}");
        Row::new(name, self.ratio(), "times", must, note)
    }
}

impl From<&Lap> for Duel {
    fn from(lap: &Lap) -> Duel {
        let wide = |ns: &[f32]| ns.iter().map(|&ns| f64::from(ns)).collect();
        Duel { theirs_ns: wide(&lap.engine_ns), ours_ns: wide(&lap.ours_ns) }
    }
}

/// The CPU time of something that cannot fail.
pub(crate) fn time(work: impl FnOnce()) -> Result<Duration> {
    Ok(timed(work).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_the_rounds_and_warming_up_does_not_count() {
        let mut theirs = [900, 40, 80, 60].into_iter();
        let mut ours = [900, 20, 20, 20].into_iter();
        let next =
            |times: &mut std::array::IntoIter<u64, 4>| Ok(Duration::from_nanos(times.next().expect("four rounds")));
        let duel = Duel::run(3, 2, || next(&mut theirs), || next(&mut ours)).unwrap();
        assert_eq!(duel.ratio(), 3.0);
        assert_eq!(duel.ours_ns, [10.0; 3]);
    }
}
