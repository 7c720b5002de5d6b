//! Packs what a player or server operator needs into one folder: the command, the module it loads into a game server,
//! the papers. The folder is dropped beside a server's `baseoa` as it is, and removed again by deleting it.
//!
//! The two are separate works under separate licences that lie side by side, as the papers in the folder say.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fireteam_openarena::capture::MODULE_FILE;
use fireteam_openarena::server::MODULE_NAME;

use crate::steps;

#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The folder to make; what it holds is replaced.
    #[arg(long, default_value = "target/dist/fireteam")]
    folder: PathBuf,
}

/// What goes in: from the built files, and from the project. The module has the name by which an engine looks for it.
const BUILT: [(&str, &str); 2] = [("fireteam", "fireteam"), (MODULE_FILE, MODULE_NAME)];
const PAPERS: [(&str, &str); 6] = [
    ("docs/openarena.md", "openarena.md"),
    ("README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("hosts/quake3/LICENSE", "LICENSE-GPL-2-of-qagamex86_64.so"),
];

pub(crate) fn run(root: &Path, options: &Options) -> Result<()> {
    steps::run(&mut build_command(root))?;
    let folder = root.join(&options.folder);
    pack(root, &release_folder(root), &folder)?;
    println!("{}", folder.display());
    Ok(())
}

/// The folder, made from what was built.
pub(crate) fn pack(root: &Path, release: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("clearing {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let built = BUILT.iter().map(|(from, name)| (release.join(from), *name));
    let papers = PAPERS.iter().map(|(from, name)| (root.join(from), *name));
    for (from, name) in built.chain(papers) {
        let to = folder.join(name);
        std::fs::copy(&from, &to).with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

/// Builds the command and the module, as a user's first `cargo build --release` does.
pub(crate) fn build_command(root: &Path) -> std::process::Command {
    steps::cargo(root, ["build", "--release", "--locked"])
}

/// Where cargo puts what that builds.
pub(crate) fn release_folder(root: &Path) -> PathBuf {
    target_folder(root).join("release")
}

/// Where it puts what is built for tests.
pub(crate) fn debug_folder(root: &Path) -> PathBuf {
    target_folder(root).join("debug")
}

fn target_folder(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}
