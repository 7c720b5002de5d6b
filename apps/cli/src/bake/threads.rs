//! As many threads as asked for, to work off what a bake hands out.

use anyhow::{Context, Result};
use fireteam_bake::Executor;
use rayon::prelude::*;

pub(crate) struct Threads(rayon::ThreadPool);

impl Threads {
    /// Without a number, as many as the machine has.
    pub(crate) fn new(count: Option<usize>) -> Result<Threads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count.unwrap_or(0)).build();
        Ok(Threads(pool.context("cannot start threads: ask for fewer with --threads")?))
    }
}

impl Executor for Threads {
    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        // One by one: units differ a hundredfold in what they cost.
        self.0.install(|| (0..count).into_par_iter().with_max_len(1).for_each(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam_bake::executor::collect;

    #[test]
    fn every_job_is_done_once_whatever_the_number_of_threads() {
        for count in [1, 2, 7] {
            let threads = Threads::new(Some(count)).unwrap();
            assert_eq!(collect(&threads, 1000, |number| number * 2), (0..2000).step_by(2).collect::<Vec<_>>());
        }
    }
}
