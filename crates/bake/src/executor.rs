//! Who does the work: a bake hands out numbered jobs, and its caller decides on how many threads they run.
//!
//! The answer never depends on that: each job writes only its own result, and results are read in the order of their
//! numbers.

use std::sync::OnceLock;

/// Runs jobs, in any order and on any number of threads.
pub trait Executor: Sync {
    /// Calls `job` once for every number below `count`, and returns when all have ended.
    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync));
}

/// One after the other, on the caller's thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneThread;

impl Executor for OneThread {
    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(job);
    }
}

/// The results of `count` jobs, in the order of their numbers.
pub fn collect<T: Send + Sync>(executor: &dyn Executor, count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    executor.run(count, &|number| {
        let is_first = results[number].set(job(number)).is_ok();
        assert!(is_first, "an executor ran job {number} twice");
    });
    let take = |result: OnceLock<T>| result.into_inner().expect("an executor runs every job");
    results.into_iter().map(take).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Backwards, as threads might.
    struct Backwards;

    impl Executor for Backwards {
        fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
            (0..count).rev().for_each(job);
        }
    }

    #[test]
    fn results_come_in_the_order_of_their_numbers() {
        let square = |number: usize| number * number;
        assert_eq!(collect(&Backwards, 5, square), [0, 1, 4, 9, 16]);
        assert_eq!(collect(&OneThread, 5, square), collect(&Backwards, 5, square));
    }
}
