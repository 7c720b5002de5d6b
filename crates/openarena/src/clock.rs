//! CPU time of the calling thread: what work costs, however many others share the machine.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time this thread has used since it began.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Runs `work` and says how much CPU time it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = thread_time();
    let result = work();
    (result, thread_time() - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_costs_nothing_and_work_does() {
        let ((), asleep) = timed(|| std::thread::sleep(Duration::from_millis(30)));
        let (_, busy) = timed(|| (0..3_000_000u64).fold(0, |sum: u64, n| std::hint::black_box(sum ^ n)));
        assert!(asleep < Duration::from_millis(20), "{asleep:?}");
        assert!(busy > Duration::ZERO, "{busy:?}");
    }
}
