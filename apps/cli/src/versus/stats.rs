//! How sure one may be: intervals that hold the truth in 95 of 100 cases.

use fireteam_world::pcg::Pcg;

/// Two-sided 95 % of a normal distribution.
const Z: f64 = 1.959_964;
const RESAMPLES: usize = 4000;

/// From, to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The interval of a share, after E. B. Wilson, "Probable inference", J. Amer. Statist. Assoc., 1927. It takes every kill
/// for a coin of its own, so it is too narrow where kills hang together; [`bootstrap`] over whole matches is not.
pub(crate) fn wilson(hits: u32, of: u32) -> Option<Interval> {
    if of == 0 {
        return None;
    }
    let (n, share) = (f64::from(of), f64::from(hits) / f64::from(of));
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    Some(Interval { low: (middle - reach) / whole, high: (middle + reach) / whole })
}

/// The interval of a ratio of sums, by drawing as many matches with replacement, many times (B. Efron, "Bootstrap
/// methods", Ann. Statist., 1979). The seed is fixed: the same matches give the same interval.
pub(super) fn bootstrap(matches: &[(u32, u32)]) -> Option<Interval> {
    if matches.len() < 2 {
        return None;
    }
    let mut pcg = Pcg::named(1, "bootstrap");
    let mut ratios: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let (mut ours, mut stock) = (0, 0);
            for _ in matches {
                let drawn = pcg.pick(matches);
                ours += drawn.0;
                stock += drawn.1;
            }
            f64::from(ours) / f64::from(stock.max(1))
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| ratios[((RESAMPLES - 1) as f64 * share).round() as usize];
    Some(Interval { low: at(0.025), high: at(0.975) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_agrees_with_worked_examples() {
        // 10 of 20 and 0 of 10, from the formula worked by hand.
        let half = wilson(10, 20).expect("twenty");
        assert!((half.low - 0.2993).abs() < 1e-4 && (half.high - 0.7007).abs() < 1e-4, "{half:?}");
        let none = wilson(0, 10).expect("ten");
        assert!(none.low.abs() < 1e-9 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn equal_matches_leave_no_doubt_and_unequal_ones_do() {
        let sure = bootstrap(&[(20, 10); 6]).expect("six");
        assert_eq!(sure, Interval { low: 2.0, high: 2.0 });
        let unsure = bootstrap(&[(30, 10), (10, 10), (20, 10), (5, 10)]).expect("four");
        assert!(unsure.low < 1.2 && unsure.high > 2.0, "{unsure:?}");
        assert_eq!(bootstrap(&[(1, 1)]), None);
    }
}
