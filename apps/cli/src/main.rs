//! The fireteam command.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage. What goes wrong is said on standard error: what, where, what to do.

mod bake;
mod bench;
mod convars;
mod demo;
mod edit;
mod exhibit;
mod fan;
mod fork;
mod ground;
mod inspect;
mod learnt;
mod lineups;
mod maps;
mod openarena;
mod output;
mod picture;
mod play;
mod query;
mod reel;
mod replay;
mod roster;
mod spot;
mod stats;
mod still;
mod terrains;
mod verify;
mod versus;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Counts what is allocated, for `fireteam bench frame`.
#[cfg(feature = "bench")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

/// Tactical bots for shooters: matches, maps, grenades, and every figure we state.
///
/// Without a command: a match of bots in the embedded game, in a viewer to watch them think.
#[derive(Parser, Debug)]
#[command(name = "fireteam", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    play: play::Play,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Fly a fan of grenades through a map and draw what happened
    Throws(demo::Demo),
    /// Draw a map from above
    Picture(demo::Drawing),
    Bake(bake::Bake),
    Merge(bake::Merge),
    Inspect(inspect::Inspect),
    Query(query::Query),
    Lineups(lineups::Lineups),
    Edit(edit::EditMap),
    #[command(name = "openarena")]
    OpenArena(openarena::OpenArena),
    Versus(versus::Versus),
    Replay(replay::Replay),
    Verify(verify::Verify),
    Stats(stats::StatsOf),
    #[command(name = "convars")]
    ConVars(convars::Listings),
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        None => play::run(&cli.play),
        Some(Command::Throws(demo)) => demo::run(demo).map(|()| ExitCode::SUCCESS),
        Some(Command::Picture(drawing)) => demo::draw_map(drawing).map(|()| ExitCode::SUCCESS),
        Some(Command::Bake(bake)) => bake::run(bake),
        Some(Command::Merge(merge)) => bake::merge(merge).map(|()| ExitCode::SUCCESS),
        Some(Command::Inspect(inspect)) => inspect::run(inspect).map(|()| ExitCode::SUCCESS),
        Some(Command::Query(query)) => query::run(query).map(|()| ExitCode::SUCCESS),
        Some(Command::Lineups(asked)) => lineups::run(asked),
        Some(Command::Edit(asked)) => edit::run(asked),
        Some(Command::OpenArena(asked)) => openarena::run(asked),
        Some(Command::Replay(replay)) => replay::run(replay),
        Some(Command::Verify(asked)) => verify::run(asked),
        Some(Command::Stats(asked)) => stats::run(asked),
        Some(Command::ConVars(asked)) => convars::run(asked),
        Some(Command::Versus(asked)) => versus::run(asked),
        Some(Command::Bench(bench)) => bench::run(bench),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("fireteam: {error:#}");
            ExitCode::FAILURE
        }
    }
}
