//! `fireteam edit MAP …`: waypoints and links of a map by hand: add, move, remove, link, unlink, flag, undo, list, check.
//!
//! Edits are kept as an overlay, text beside the cached terrains (`MAP.edits`; `fireteam edit MAP where` says where), written
//! whole or not at all. Matches of `fireteam`, `fireteam openarena` and the game module merge it from the next on; the
//! baked file stays as it is. The viewer edits through the same functions ([`Draft`], [`faults`]).

pub(crate) mod draft;
pub(crate) mod faults;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use fireteam_terrain::{Overlay, Terrain};
use fireteam_world::{Map, Solids};
use serde::Serialize;

use crate::bake::Watch;
use crate::{demo, maps, terrains};
use draft::{Act, Draft, Named, Site, Spoken};
use faults::{Fault, Links, Severity};

/// Edit a map's waypoints and links by hand: the edits are used by every match from the next on
#[derive(Args, Debug)]
pub(crate) struct EditMap {
    /// A built-in map, a .map or .bsp file, `some.pk3:NAME`, or a map of an installed OpenArena
    #[arg(value_name = "MAP")]
    map: String,

    /// Whose physics links are walked with
    #[arg(long, value_name = "NAME|FILE", default_value = "skirmish")]
    game: String,

    /// Another file of edits than the one matches use
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    action: Action,
}

/// A WAYPOINT is a number (17), one that was added (@hand1), or a place near it (x,y,z).
#[derive(Subcommand, Debug)]
enum Action {
    /// A new waypoint at a player's origin: 24 units above his feet
    Add {
        #[arg(value_name = "X,Y,Z", allow_hyphen_values = true)]
        place: String,
    },
    /// Put a waypoint elsewhere
    Move {
        #[arg(value_name = "WAYPOINT", allow_hyphen_values = true)]
        waypoint: String,
        #[arg(value_name = "X,Y,Z", allow_hyphen_values = true)]
        place: String,
    },
    /// Take a waypoint out of use: its links go, its ground is its neighbours'
    Remove {
        #[arg(value_name = "WAYPOINT", allow_hyphen_values = true)]
        waypoint: String,
    },
    /// A link from one waypoint to another, walked to know how long it takes
    Link {
        #[arg(value_name = "FROM", allow_hyphen_values = true)]
        from: String,
        #[arg(value_name = "TO", allow_hyphen_values = true)]
        to: String,
        /// How one gets there: walk, jump, drop, climb, ...
        #[arg(long, value_name = "KIND", default_value = "walk")]
        kind: String,
        /// And the way back
        #[arg(long)]
        both: bool,
    },
    /// No link from one waypoint to another
    Unlink {
        #[arg(value_name = "FROM", allow_hyphen_values = true)]
        from: String,
        #[arg(value_name = "TO", allow_hyphen_values = true)]
        to: String,
        /// Only this kind
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// Flag a waypoint: no-grenade, ledge, corner, window, ...
    Flag {
        #[arg(value_name = "WAYPOINT", allow_hyphen_values = true)]
        waypoint: String,
        #[arg(value_name = "FLAG")]
        flag: String,
    },
    /// Take a flag off a waypoint
    Unflag {
        #[arg(value_name = "WAYPOINT", allow_hyphen_values = true)]
        waypoint: String,
        #[arg(value_name = "FLAG")]
        flag: String,
    },
    /// Make the edits of a JSON file, the list that `--json` prints as `edits`, instead of those there are
    Apply {
        #[arg(value_name = "FILE")]
        from: PathBuf,
    },
    /// Take the last edits back
    Undo {
        #[arg(value_name = "COUNT", default_value_t = 1)]
        count: usize,
    },
    /// Every edit so far
    List,
    /// What is wrong: links nobody can walk, waypoints in walls, spawns and items out of reach; exit code 1 if an error is among it
    Check {
        /// Walk every link, not only those that hands touched
        #[arg(long)]
        all: bool,
    },
    /// Where the edits lie
    Where,
}

/// What came of it, for programs.
#[derive(Debug, Serialize)]
struct Told {
    path: PathBuf,
    edits: Vec<Spoken>,
    faults: Vec<Fault>,
}

pub(crate) fn run(asked: &EditMap) -> Result<ExitCode> {
    let watch = Watch::begin(1, asked.json)?;
    let (map, game) = (maps::load(&asked.map)?, demo::load_game(&asked.game)?);
    let path = asked.file.clone().map_or_else(|| terrains::edits_path(&map), Ok)?;
    if matches!(asked.action, Action::Where) {
        println!("{}", path.display());
        return Ok(ExitCode::SUCCESS);
    }
    let baked = terrains::terrain(&map, &game, &watch)?;
    let solids = Solids::build(&map);
    let site = Site { map: &map, solids: &solids, game: &game, baked: &baked };
    let mut draft = open(&path, &map, &baked)?;
    let before = draft.overlay.edits.len();
    match &asked.action {
        Action::Undo { count } => {
            for _ in 0..*count {
                let last = draft.undo(&baked).context("there is nothing left to take back")?;
                watch.complain(&format!("taken back  {}", last.edit));
            }
        }
        Action::Apply { from } => {
            let cannot = || format!("cannot read {}", from.display());
            let text = std::fs::read_to_string(from).with_context(cannot)?;
            let edits: Vec<Spoken> = serde_json::from_str(&text).with_context(cannot)?;
            draft = Draft::spoken(&site, &edits)?;
        }
        other => {
            for act in acts(other)? {
                draft.take(&act.into())?;
            }
            draft.walk(&site)?;
        }
    }
    let links = if matches!(asked.action, Action::Check { all: true }) { Links::All } else { Links::ByHand };
    let terrain = draft.terrain(&baked)?;
    if draft.overlay.edits.len() != before || matches!(asked.action, Action::Apply { .. }) {
        save(&path, &draft.overlay)?;
    }
    tell(asked, &path, &site, &draft, before, faults::faults(&site, &terrain, links))
}

fn tell(
    asked: &EditMap,
    path: &Path,
    site: &Site<'_>,
    draft: &Draft,
    before: usize,
    faults: Vec<Fault>,
) -> Result<ExitCode> {
    let is_check = matches!(asked.action, Action::Check { .. });
    let is_bad = is_check && faults.iter().any(|fault| fault.severity == Severity::Error);
    let edits = &draft.overlay.edits;
    if asked.json {
        let told = Told { path: path.to_owned(), edits: Draft::speak(site.baked, &draft.overlay), faults };
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        let first = if matches!(asked.action, Action::List) { 0 } else { before.min(edits.len()) };
        for (number, lined) in edits.iter().enumerate().skip(first) {
            println!("{:>4}  {}", number + 1, lined.edit);
        }
        for fault in faults.iter().filter(|fault| is_check || fault.severity == Severity::Error) {
            let word = if fault.severity == Severity::Error { "error" } else { "warning" };
            let place = fault.place.map(|[x, y, z]| format!("   at {x:.0},{y:.0},{z:.0}")).unwrap_or_default();
            println!("{word:<8} {}{place}", fault.text);
        }
        if is_check && faults.is_empty() {
            println!("nothing is wrong with {}", site.map.name);
        }
        if edits.len() != before {
            println!("{}: {} edits in {}", site.map.name, edits.len(), path.display());
        }
    }
    Ok(if is_bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The edits of a file, or none yet.
pub(crate) fn open(path: &Path, map: &Map, baked: &Terrain) -> Result<Draft> {
    let known = Overlay::open(path).context("it is left as it is: move it away, or mend the line")?;
    let Some(known) = known else { return Ok(Draft::new(baked)) };
    if let Some(other) = known.map.as_ref().filter(|other| **other != map.name) {
        anyhow::bail!("{}: it was written for the map {other}, this is {}", path.display(), map.name);
    }
    Ok(Draft::of(baked, &known))
}

/// Writes them whole or not at all; without any left, there is no file.
pub(crate) fn save(path: &Path, overlay: &Overlay) -> Result<()> {
    let cannot = || format!("cannot write {}: choose another place with --file", path.display());
    if overlay.edits.is_empty() {
        return match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).with_context(cannot),
            Ok(()) | Err(_) => Ok(()),
        };
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(cannot)?;
    }
    overlay.save(path).with_context(cannot)
}

fn acts(action: &Action) -> Result<Vec<Act>> {
    let named = |text: &String| Named::Text(text.clone());
    Ok(match action {
        Action::Add { place } => vec![Act::Add { place: point(place)? }],
        Action::Move { waypoint, place } => vec![Act::Move { waypoint: named(waypoint), place: point(place)? }],
        Action::Remove { waypoint } => vec![Act::Remove { waypoint: named(waypoint) }],
        Action::Link { from, to, kind, both } => {
            let link = |from, to| Act::Link { from: named(from), to: named(to), kind: kind.clone() };
            if *both { vec![link(from, to), link(to, from)] } else { vec![link(from, to)] }
        }
        Action::Unlink { from, to, kind } => {
            vec![Act::Unlink { from: named(from), to: named(to), kind: kind.clone() }]
        }
        Action::Flag { waypoint, flag } => vec![Act::Flag { waypoint: named(waypoint), flag: flag.clone() }],
        Action::Unflag { waypoint, flag } => vec![Act::Unflag { waypoint: named(waypoint), flag: flag.clone() }],
        Action::Undo { .. } | Action::Apply { .. } | Action::List | Action::Check { .. } | Action::Where => Vec::new(),
    })
}

fn point(text: &str) -> Result<[f32; 3]> {
    let coordinates: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let coordinates = coordinates.ok().and_then(|coordinates| <[f32; 3]>::try_from(coordinates).ok());
    let place = coordinates.with_context(|| format!("`{text}` is no place: write x,y,z without blanks"))?;
    ensure!(place.iter().all(|part| part.is_finite()), "`{text}` is no place");
    Ok(place)
}

#[cfg(test)]
#[path = "edit/edit_test.rs"]
mod tests;
