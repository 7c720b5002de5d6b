//! Is the same match the same everywhere? Played again and again, by every build we make, and compared.
//!
//! In: minutes of the game, and the command built for release and for debugging. Out: a row a run with the fingerprint of all
//! that was pressed and all that came of it; a row a recording that was thought again. A run is as many matches as
//! fill the time, since a match ends when a side has won. The vector tracer is used where the CPU has it; `--portable` is
//! the other one. Recordings are of both games: the embedded one, and a real server as fast as it computes.
//!
//! Not here: other machines. Cost: ten minutes of eight bots are a second in release and a minute in debug.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::dist;
use crate::steps::{self, Counts};

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Minutes of the game to be played by each build.
    #[arg(long, default_value_t = 10)]
    minutes: u32,
    /// A map of the installed OpenArena for the recording of a real server.
    #[arg(long, default_value = "oa_dm1")]
    server_map: String,
}

impl Options {
    /// What a test run has time for.
    pub(crate) fn short() -> Options {
        Options { minutes: 1, server_map: "oa_dm1".to_owned() }
    }
}

/// A way to play the same match.
struct Kind {
    name: &'static str,
    is_release: bool,
    is_portable: bool,
}

const KINDS: [Kind; 5] = [
    Kind { name: "release, vectors", is_release: true, is_portable: false },
    Kind { name: "release, vectors, again", is_release: true, is_portable: false },
    Kind { name: "release, scalars", is_release: true, is_portable: true },
    Kind { name: "debug, vectors", is_release: false, is_portable: false },
    Kind { name: "debug, scalars", is_release: false, is_portable: true },
];

impl Kind {
    fn flags(&self) -> &'static [&'static str] {
        if self.is_portable { &["--portable"] } else { &[] }
    }
}

/// Seeds tried at most: no match ends in its first second.
const SEEDS_MAX: u32 = 3600;

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    steps::run(&mut dist::build_command(root))?;
    steps::run(&mut steps::cargo(root, ["build", "--locked", "--package", "fireteam-cli"]))?;
    let counts = check(root, options)?;
    ensure!(counts.failed == 0, "{} of {} differ", counts.failed, counts.failed + counts.passed);
    Ok(())
}

/// Needs the command built for release and for debugging; the tests of the command leave the latter behind.
pub(crate) fn check(root: &Path, options: &Options) -> Result<Counts> {
    let mut counts = compare_runs(root, options)?;
    let folder = std::env::temp_dir().join(format!("fireteam-determinism-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let recorded = record(root, options, &folder).map(|recordings| rethink_all(root, &recordings));
    std::fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
    counts.add(recorded?);
    Ok(counts)
}

fn compare_runs(root: &Path, options: &Options) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut first: Option<Played> = None;
    for kind in &KINDS {
        let played = play(root, kind, options.minutes)?;
        let is_same = first.get_or_insert_with(|| played.clone()) == &played;
        let (matches, minutes) = (played.fingerprints.len(), played.seconds / 60.0);
        let verdict = if is_same { "same" } else { "DIFFERS" };
        println!(
            "{:<24} {minutes:>5.1} min, {matches} matches: {verdict}  {}",
            kind.name,
            played.fingerprints.join(" ")
        );
        counts.add(if is_same { Counts::ONE } else { Counts { passed: 0, failed: 1 } });
    }
    Ok(counts)
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
struct Played {
    seconds: f64,
    fingerprints: Vec<String>,
}

fn play(root: &Path, kind: &Kind, minutes: u32) -> Result<Played> {
    let wanted = f64::from(minutes) * 60.0;
    let mut played = Played { seconds: 0.0, fingerprints: Vec::new() };
    for seed in 1..=SEEDS_MAX {
        let left = (wanted - played.seconds) / 60.0;
        let mut command = fireteam(root, kind);
        command.args(kind.flags()).args(["--headless", "--json"]);
        command.args(["--seed", &seed.to_string(), "--minutes", &format!("{left:.3}")]);
        let outcome = json_of(&mut command)?;
        played.seconds += outcome["game_seconds"].as_f64().context("the score has no game_seconds")?;
        let fingerprint = outcome["fingerprint"].as_str().context("the score has no fingerprint")?;
        played.fingerprints.push(fingerprint.to_owned());
        // What is left is less than a frame or two, which the next match would begin for nothing.
        if wanted - played.seconds < 1.0 {
            return Ok(played);
        }
    }
    bail!("{SEEDS_MAX} matches were not {minutes} minutes")
}

/// A match of each game, written down.
fn record(root: &Path, options: &Options, folder: &Path) -> Result<Vec<(&'static str, PathBuf)>> {
    let kind = &KINDS[0];
    let minutes = options.minutes.to_string();
    let embedded = folder.join("embedded.recording");
    let mut command = fireteam(root, kind);
    command.args(["--headless", "--quiet", "--minutes", &minutes, "--record"]).arg(&embedded);
    steps::run(command.stdout(Stdio::null()))?;
    let server = folder.join("server.recording");
    let mut command = fireteam(root, kind);
    command.args(["openarena", "--fast", "--bots", "3", "--stock", "3", "--minutes", &minutes]);
    command.args(["--map", &options.server_map, "--record"]).arg(&server);
    steps::run(command.stdout(Stdio::null()))?;
    Ok(vec![("the embedded game", embedded), ("a real server", server)])
}

fn rethink_all(root: &Path, recordings: &[(&'static str, PathBuf)]) -> Counts {
    let mut counts = Counts::default();
    // The first kind made them.
    for ((game, file), kind) in
        recordings.iter().flat_map(|recording| KINDS[1..].iter().map(move |kind| (recording, kind)))
    {
        let verdict = rethink(root, kind, file);
        let said = verdict.as_ref().map_or_else(|error| format!("FAILED: {error:#}"), Clone::clone);
        println!("{:<24} a recording of {game}: {said}", kind.name);
        counts.add(if verdict.is_ok() { Counts::ONE } else { Counts { passed: 0, failed: 1 } });
    }
    counts
}

fn rethink(root: &Path, kind: &Kind, file: &Path) -> Result<String> {
    let told = json_of(fireteam(root, kind).args(["replay", "--json"]).args(kind.flags()).arg(file))?;
    let count = |name: &str| told[name].as_u64().with_context(|| format!("the comparison has no {name}"));
    let (commands, differing) = (count("commands")?, count("differing")?);
    ensure!(commands > 0, "nothing was compared");
    ensure!(differing == 0, "{differing} of {commands} commands differ; {}", told["first"]);
    Ok(format!("{commands} commands, none differs"))
}

fn fireteam(root: &Path, kind: &Kind) -> Command {
    let folder = if kind.is_release { dist::release_folder(root) } else { dist::debug_folder(root) };
    let mut command = Command::new(folder.join("fireteam"));
    command.current_dir(root).stdin(Stdio::null());
    command
}

/// What a command printed as JSON, even if it ended badly: a comparison that found a difference does.
fn json_of(command: &mut Command) -> Result<Value> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("could not start {command:?}"))?;
    serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?} printed no JSON: {}", output.status))
}
