//! Running things one after another: each with its time, none hiding another's failure, one line at the end.

use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How many checks a step made, and how many of them were good. A step that makes one check is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Counts {
    pub(crate) const ONE: Counts = Counts { passed: 1, failed: 0 };

    pub(crate) fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

#[derive(Debug)]
struct Outcome {
    name: &'static str,
    took: Duration,
    /// CPU time of the step's processes: on a busy machine this says what it costs, `took` only how long one waited.
    worked: Duration,
    counts: Counts,
}

/// The steps run so far.
#[derive(Debug)]
pub(crate) struct Steps {
    started: Instant,
    outcomes: Vec<Outcome>,
}

impl Steps {
    pub(crate) fn begin() -> Steps {
        Steps { started: Instant::now(), outcomes: Vec::new() }
    }

    /// Runs one step and says how it went. Later steps run whatever came of it; `true` if it was good.
    pub(crate) fn run(&mut self, name: &'static str, work: impl FnOnce() -> Result<Counts>) -> bool {
        println!("\n== {name}");
        let (started, worked_before) = (Instant::now(), cpu_time());
        let result = work();
        let (took, worked) = (started.elapsed(), cpu_time().saturating_sub(worked_before));
        let counts = match result {
            Ok(counts) => counts,
            Err(error) => {
                println!("{error:#}");
                Counts { passed: 0, failed: 1 }
            }
        };
        println!("== {name}: {} in {}", verdict(counts), Spent(took));
        self.outcomes.push(Outcome { name, took, worked, counts });
        counts.failed == 0
    }

    /// The table of steps and the line that counts; an error if anything failed.
    pub(crate) fn finish(self) -> Result<()> {
        println!("\n{:<28} {:>13} {:>13} {:>8} {:>8}", "step", "time", "CPU", "passed", "failed");
        let mut total = Counts::default();
        let mut worked = Duration::ZERO;
        for outcome in &self.outcomes {
            let Counts { passed, failed } = outcome.counts;
            let (name, time, cpu) = (outcome.name, Spent(outcome.took), Spent(outcome.worked));
            println!("{name:<28} {time:>13} {cpu:>13} {passed:>8} {failed:>8}");
            total.add(outcome.counts);
            worked += outcome.worked;
        }
        let time = Spent(self.started.elapsed());
        println!("\n{} passed, {} failed in {time} (CPU {})", total.passed, total.failed, Spent(worked));
        let failed: Vec<&str> = self.outcomes.iter().filter(|o| o.counts.failed > 0).map(|o| o.name).collect();
        if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
    }
}

fn verdict(counts: Counts) -> String {
    match counts {
        Counts { failed: 0, passed: 1 } => "ok".to_owned(),
        Counts { failed: 0, passed } => format!("{passed} ok"),
        Counts { failed, passed } => format!("FAILED, {passed} passed, {failed} failed"),
    }
}

/// A time as people say it: `8.3 s`, `2 min 05 s`.
struct Spent(Duration);

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let text = match seconds {
            0..60 => format!("{:.1} s", self.0.as_secs_f64()),
            _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
        };
        f.pad(&text)
    }
}

/// CPU time of this process and of all it has waited for; zero where the system does not tell.
fn cpu_time() -> Duration {
    /// Linux counts these in hundredths of a second, whatever its own clock.
    const HUNDREDTH_MS: u64 = 10;
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return Duration::ZERO };
    parse_cpu_ticks(&stat).map_or(Duration::ZERO, |ticks| Duration::from_millis(ticks * HUNDREDTH_MS))
}

/// User and system time, own and of children: the 14th to 17th field. The second may contain spaces and ends with `)`.
fn parse_cpu_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<u64> = rest.split_whitespace().skip(11).take(4).map_while(|field| field.parse().ok()).collect();
    (fields.len() == 4).then(|| fields.iter().sum())
}

/// The cargo that started us, in the project's folder.
pub(crate) fn cargo<I, S>(root: &Path, arguments: I) -> Command
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(arguments).stdin(Stdio::null());
    command
}

/// Runs a command to its end with its output shown; anything but success is an error that names it.
pub(crate) fn run(command: &mut Command) -> Result<Counts> {
    let status = command.status().with_context(|| format!("could not start {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(Counts::ONE)
}

/// Runs `cargo test`, shows what it prints and adds up its result lines.
pub(crate) fn run_tests(command: &mut Command) -> Result<Counts> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("could not start {}", shown(command)))?;
    let stdout = child.stdout.take().expect("stdout was asked for as a pipe");
    let mut counts = Counts::default();
    for line in BufReader::new(stdout).lines() {
        let line = line.context("reading what the tests print")?;
        println!("{line}");
        if let Some(result) = parse_result_line(&line) {
            counts.add(result);
        }
    }
    let status = child.wait().context("waiting for the tests")?;
    if !status.success() && counts.failed == 0 {
        // It did not compile, or a test process died before it could report.
        bail!("{} ended with {status}", shown(command));
    }
    if counts.passed == 0 {
        bail!("{} ran no test at all", shown(command));
    }
    Ok(counts)
}

/// `test result: ok. 12 passed; 0 failed; ...`
fn parse_result_line(line: &str) -> Option<Counts> {
    let (_, counted) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut parts = counted.split("; ");
    let passed = parts.next()?.strip_suffix(" passed")?.parse().ok()?;
    let failed = parts.next()?.strip_suffix(" failed")?.parse().ok()?;
    Some(Counts { passed, failed })
}

fn shown(command: &Command) -> String {
    let mut words = vec![Path::new(command.get_program()).display().to_string()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_added_and_other_lines_are_not() {
        let line = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(parse_result_line(line), Some(Counts { passed: 12, failed: 3 }));
        assert_eq!(parse_result_line("test trace::ends_in_the_open ... ok"), None);
        assert_eq!(parse_result_line("test result: gone. many passed; 0 failed"), None);
    }

    #[test]
    fn a_failed_step_fails_the_whole_run_but_not_the_next_step() {
        let mut steps = Steps::begin();
        assert!(!steps.run("breaks", || bail!("on purpose")));
        assert!(steps.run("holds", || Ok(Counts::ONE)));
        let error = steps.finish().expect_err("one step failed");
        assert_eq!(error.to_string(), "failed: breaks");
    }

    #[test]
    fn cpu_time_is_read_past_a_name_with_spaces() {
        let stat = "12 (a (b) c) S 1 2 3 0 -1 4194304 5 6 7 8 100 20 3000 400 20 0 1 0";
        assert_eq!(parse_cpu_ticks(stat), Some(3520));
        assert_eq!(parse_cpu_ticks("12 (a) S 1 2"), None);
    }

    #[test]
    fn tests_that_never_ran_are_no_success() {
        assert!(run_tests(Command::new("true").stdin(Stdio::null())).is_err());
    }
}
