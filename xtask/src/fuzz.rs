//! Runs the fuzz targets, one after another, each for a while.
//!
//! The targets stand in `fuzz`, outside the workspace: they need a runtime and compiler flags that nothing else should
//! be built with. Those flags are what cargo-fuzz gives, so that tool is not needed; the compiler's unstable switches
//! are unlocked for this one build by `RUSTC_BOOTSTRAP`. A crash leaves its input in `fuzz/artifacts`; kept inputs go
//! to `fuzz/seeds/TARGET`, where the next run and the tests find them.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::steps;

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Seconds for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Runs only these targets.
    targets: Vec<String>,
}

/// Where the fuzz crate builds: a target triple keeps the flags away from build scripts.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// Coverage the fuzzer steers by, comparisons it learns constants from, and an allocator that notices stray reads.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Zsanitizer=address -Ccodegen-units=1";

/// No parser may need more than this for an input of the fuzzer's size.
const MEMORY_MB_MAX: u32 = 1024;
/// Nor longer than this for one input.
const INPUT_SECONDS_MAX: u32 = 10;

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let folder = root.join("fuzz");
    let known = target_names(&folder)?;
    if let Some(unknown) = options.targets.iter().find(|name| !known.contains(name)) {
        bail!("no fuzz target `{unknown}`; there are {}", known.join(", "));
    }
    let mut build =
        steps::cargo(&folder, ["build", "--release", "--locked", "--target", TRIPLE, "--target-dir", "target"]);
    steps::run(build.env("RUSTFLAGS", FLAGS).env("RUSTC_BOOTSTRAP", "1"))?;
    for name in known.iter().filter(|name| options.targets.is_empty() || options.targets.contains(name)) {
        println!("\n== {name}, {} s", options.seconds);
        run_target(&folder, name, options.seconds)?;
    }
    Ok(())
}

fn run_target(folder: &Path, name: &str, seconds: u32) -> Result<()> {
    // The corpus grows with the run and stays out of git; the seeds are only read.
    let corpus = folder.join("target/corpus").join(name);
    let artifacts = folder.join("artifacts").join(name);
    for made in [&corpus, &artifacts] {
        std::fs::create_dir_all(made).with_context(|| format!("making {}", made.display()))?;
    }
    let mut command = Command::new(folder.join("target").join(TRIPLE).join("release").join(name));
    command.current_dir(folder).stdin(Stdio::null());
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-rss_limit_mb={MEMORY_MB_MAX}"));
    command.arg(format!("-timeout={INPUT_SECONDS_MAX}")).arg("-print_final_stats=1");
    command.arg(format!("-artifact_prefix={}/", artifacts.display())).arg(&corpus);
    let seeds = folder.join("seeds").join(name);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    steps::run(&mut command)?;
    Ok(())
}

/// The binaries of the fuzz crate.
fn target_names(folder: &Path) -> Result<Vec<String>> {
    let output = steps::cargo(folder, ["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .context("could not start cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata in {}: {}", folder.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")?;
    let targets = metadata["packages"][0]["targets"].as_array().context("the fuzz crate has no targets")?;
    let is_binary = |target: &&Value| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "bin"));
    let names = targets.iter().filter(is_binary).filter_map(|target| target["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}
