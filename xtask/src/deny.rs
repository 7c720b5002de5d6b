//! Licences, bans and sources of everything that comes into the build, by cargo-deny and `deny.toml`.
//!
//! A cargo-deny on the path is used; otherwise one version of it is compiled once, unoptimised, into the cache folder,
//! where it outlives the target folder (`docs/notes/test-time.md` has what that costs). Advisories are not looked at:
//! they need a network and change without us.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::steps::{self, Counts};

const VERSION: &str = "0.20.2";

pub(crate) fn check(root: &Path) -> Result<Counts> {
    let tool = if is_on_path() { PathBuf::from("cargo-deny") } else { installed(root)? };
    let mut command = Command::new(tool);
    command.current_dir(root).args(["--offline", "--locked", "check", "bans", "licenses", "sources"]);
    steps::run(command.stdin(Stdio::null()))
}

fn is_on_path() -> bool {
    let mut command = Command::new("cargo-deny");
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The one in the cache folder, compiled if it is not there yet.
fn installed(root: &Path) -> Result<PathBuf> {
    let folder = fireteam_openarena::install::cache_folder()?.join(format!("cargo-deny-{VERSION}"));
    let tool = folder.join("bin").join("cargo-deny");
    if tool.is_file() {
        return Ok(tool);
    }
    println!("compiling cargo-deny {VERSION} once, into {}", folder.display());
    let build = folder.join("build");
    let mut command = steps::cargo(root, ["install", "cargo-deny", "--version", VERSION, "--locked", "--debug"]);
    command.arg("--no-track").arg("--root").arg(&folder).arg("--target-dir").arg(&build);
    // It runs for a second, so neither optimising nor debugging it is worth the minute each would cost.
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_PROFILE_DEV_INCREMENTAL", "false");
    steps::run(&mut command)?;
    std::fs::remove_dir_all(&build).with_context(|| format!("clearing {}", build.display()))?;
    Ok(tool)
}
