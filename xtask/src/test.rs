//! `cargo xtask test`: the whole truth, unattended.
//!
//! Every step runs even if an earlier one failed, except those that cannot without it; the table at the end has all of
//! them with their times. Three sets of artefacts are compiled in all: checked (clippy), dev (the tests and this
//! program, optimised only where tests spend their time), release (the command and the module, as users build them).
//! `docs/notes/test-time.md` has what each costs.

use std::path::Path;

use anyhow::{Result, bail};
use fireteam_openarena::Install;
use fireteam_openarena::capture::MODULE_FILE;

use crate::steps::{self, Counts, Steps};
use crate::{deny, determinism, dist, live, page, servers, tidy, viewer};

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Asks the engine what an earlier run asked, which printed this number.
    #[arg(long)]
    seed: Option<i32>,
}

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    let cargo = |arguments: &[&str]| steps::run(&mut steps::cargo(root, arguments));
    let mut steps = Steps::begin();
    steps.run("crates fetched", || cargo(&["fetch", "--locked"]));
    steps.run("format", || {
        cargo(&["fmt", "--all", "--check"])?;
        // These two stand outside the workspace.
        cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])?;
        cargo(&["fmt", "--manifest-path", "bench/embree/Cargo.toml", "--check"])
    });
    steps.run("tidy", || tidy::run(root).map(|()| Counts::ONE));
    steps.run("licences, bans, sources", || deny::check(root));
    steps.run("clippy", || {
        // With the peers of the benchmarks, which nothing else here compiles.
        let what = ["--workspace", "--all-targets", "--features", "fireteam-cli/bench", "--locked"];
        cargo(&[&["clippy"], &what[..], &["--", "--deny", "warnings"]].concat())
    });
    steps.run("page", || page::check(root));
    let has_engine = steps.run("OpenArena found or fetched", || {
        Install::find_or_fetch(&mut |line| println!("{line}"))?;
        Ok(Counts::ONE)
    });
    let has_module = steps.run("release build", || steps::run(&mut dist::build_command(root)));
    steps.run("tests", || {
        steps::run_tests(&mut steps::cargo(root, ["test", "--workspace", "--locked", "--no-fail-fast"]))
    });
    steps.run("viewer in Chromium", || {
        if !has_module {
            bail!("needs the release build");
        }
        viewer::check(root, &dist::release_folder(root))
    });
    steps.run("determinism", || {
        if !(has_engine && has_module) {
            bail!("needs the server and the release build");
        }
        determinism::check(root, &determinism::Options::short())
    });
    steps.run("live engine", || {
        if !(has_engine && has_module) {
            bail!("needs the server and the release build");
        }
        let seed = options.seed.unwrap_or_else(live::new_seed);
        live::check(root, &dist::release_folder(root).join(MODULE_FILE), seed)
    });
    steps.run("bots on a live server", || {
        if !(has_engine && has_module) {
            bail!("needs the server and the release build");
        }
        servers::check(root, &dist::release_folder(root), MODULE_FILE, "")
    });
    steps.finish()
}
