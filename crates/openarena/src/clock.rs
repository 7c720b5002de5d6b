//! CPU time of the calling thread: what work costs, however many others share the machine. And the time on the wall, which
//! is ten times as quick to read: for profiles.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time this thread has used since it began.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Nanoseconds on the wall since the machine began.
pub fn wall_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
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

    #[test]
    fn the_wall_goes_on_while_one_sleeps() {
        let before = wall_ns();
        std::thread::sleep(Duration::from_millis(10));
        assert!(wall_ns() - before >= 10_000_000);
    }
}
