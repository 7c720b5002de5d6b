//! Everything a developer runs: `cargo xtask test`, and the parts it is made of.
//!
//! There are no shell scripts in the project: what has to be run is written here, in Rust, so that it works the same
//! on a desk and unattended, and so that tidy can read it too.

mod capture;
mod debian;
mod deny;
mod determinism;
mod dist;
mod fuzz;
mod live;
mod page;
mod servers;
mod steps;
mod test;
mod tidy;
mod viewer;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

#[derive(Parser, Debug)]
#[command(name = "cargo xtask", about = "Developer commands of Fireteam.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Everything that must hold, unattended: format, lints, licences, tidy, all tests, the real engine.
    Test(test::Options),
    /// Asks the real engine and keeps its answers in testdata/captures.
    Capture(capture::Options),
    /// What the compiler does not check: rooms, names, papers, long functions, leftovers.
    Tidy,
    /// Packs the command and the game module into one folder.
    Dist(dist::Options),
    /// Lets our bots play on live servers, through map changes and faults; needs the release build.
    Servers {
        /// Only scenes whose name has these words.
        #[arg(default_value = "")]
        words: String,
    },
    /// Plays the same matches by every build, with and without vectors, and thinks recordings again: all must be equal.
    Determinism(determinism::Options),
    /// Feeds every parser with made-up files.
    Fuzz(fuzz::Options),
    /// Builds the viewer's page; what is built is committed.
    Page(page::Options),
    /// Watches matches in a real browser; needs the release build.
    Viewer,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = project_root();
    let result = match &arguments.command {
        Command::Test(options) => test::run(&root, options),
        Command::Capture(options) => capture::run(&root, options),
        Command::Tidy => tidy::run(&root),
        Command::Dist(options) => dist::run(&root, options),
        Command::Servers { words } => servers::run(&root, words),
        Command::Determinism(options) => determinism::run(&root, options),
        Command::Fuzz(options) => fuzz::run(&root, options),
        Command::Page(options) => page::run_command(&root, options),
        Command::Viewer => viewer::run(&root),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The folder that holds the workspace, wherever the command was started.
fn project_root() -> PathBuf {
    // Cargo says at run time where xtask lies; the place it was compiled in may be another clone's.
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&xtask).parent().expect("xtask lies one folder below the workspace").to_path_buf()
}

/// The names after `cargo xtask`, for papers that quote them.
fn command_names() -> Vec<String> {
    Arguments::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}
