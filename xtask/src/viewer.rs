//! The viewer, watched in a real browser: `apps/viewer/tests` drive Chromium against the release build.
//!
//! What is missing is installed: Debian's Chromium, Node, and the packages of the page. Node's own test runner runs the files
//! one after the other; its summary is what counts here.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::steps::Counts;
use crate::{debian, dist, page};

/// What the tests look for; `FIRETEAM_CHROMIUM` names another.
const CHROMIUM: &str = "/usr/bin/chromium";

pub(crate) fn run(root: &Path) -> Result<()> {
    let counts = check(root, &dist::release_folder(root))?;
    println!("{} passed, {} failed", counts.passed, counts.failed);
    if counts.failed > 0 { bail!("the viewer failed") } else { Ok(()) }
}

pub(crate) fn check(root: &Path, release: &Path) -> Result<Counts> {
    page::install_packages(root)?;
    if std::env::var_os("FIRETEAM_CHROMIUM").is_none() && !Path::new(CHROMIUM).is_file() {
        debian::install(&["chromium"])?;
    }
    let mut command = Command::new("node");
    command.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]).args(test_files(root)?);
    command.current_dir(page::folder(root)).env("FIRETEAM_BINARY", release.join("fireteam"));
    // A test that is part of another run reports to that one and prints nothing.
    command.env_remove("NODE_TEST_CONTEXT").env_remove("NODE_OPTIONS");
    run_tests(&mut command)
}

/// Named one by one: versions of Node differ in what they take a folder for.
fn test_files(root: &Path) -> Result<Vec<PathBuf>> {
    let folder = page::folder(root).join("tests");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    Ok(files)
}

fn run_tests(command: &mut Command) -> Result<Counts> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("could not start node")?;
    let stdout = child.stdout.take().expect("stdout was asked for as a pipe");
    let mut summary = Summary::default();
    for line in BufReader::new(stdout).lines() {
        let line = line.context("reading what the tests print")?;
        println!("{line}");
        summary.read(&line);
    }
    let status = child.wait().context("waiting for the tests")?;
    let counts = summary.counts()?;
    if !status.success() && counts.failed == 0 {
        bail!("node ended with {status}, though no test failed");
    }
    Ok(counts)
}

/// The lines at the end: `ℹ pass 12`.
#[derive(Debug, Default)]
struct Summary {
    tests: Option<u64>,
    passed: Option<u64>,
}

impl Summary {
    fn read(&mut self, line: &str) {
        let Some((name, number)) = line.strip_prefix("ℹ ").and_then(|rest| rest.split_once(' ')) else { return };
        let number = number.parse().ok();
        match name {
            "tests" => self.tests = number,
            "pass" => self.passed = number,
            _ => {}
        }
    }

    /// Whatever did not pass failed: a test that was skipped or cancelled has shown nothing.
    fn counts(&self) -> Result<Counts> {
        match (self.tests, self.passed) {
            (Some(0), _) => bail!("node ran no test at all"),
            (Some(tests), Some(passed)) if passed <= tests => Ok(Counts { passed, failed: tests - passed }),
            _ => bail!("node ended without its summary"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> Result<Counts> {
        let mut summary = Summary::default();
        text.lines().for_each(|line| summary.read(line));
        summary.counts()
    }

    #[test]
    fn what_did_not_pass_failed() {
        let text = "✔ loads (12ms)\nℹ tests 7\nℹ suites 0\nℹ pass 4\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0";
        assert_eq!(counted(text).unwrap(), Counts { passed: 4, failed: 3 });
    }

    #[test]
    fn no_test_and_no_summary_are_failures() {
        assert!(counted("ℹ tests 0\nℹ pass 0\nℹ fail 0").is_err());
        assert!(counted("").is_err());
        assert!(counted("ℹ tests 3").is_err());
    }
}
