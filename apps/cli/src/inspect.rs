//! What a terrain file holds: `fireteam inspect FILE`, as a report, as text, or as a picture.

mod tables;
mod throws;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use fireteam_terrain::file::{self, Head};
use fireteam_terrain::overlay::{Edit, LinedEdit};
use fireteam_terrain::readiness::Readiness;
use fireteam_terrain::{AreaClass, Overlay, Terrain};
use fireteam_world::walker::Travel;
use serde::Serialize;

use crate::picture::chart::{self, Subject};
use crate::spot::Spot;
use crate::{output, picture};
use tables::Table;

/// Say what a terrain file holds and whether it is fit to play on; draw it; turn it into text and back
#[derive(Args, Debug)]
pub(crate) struct Inspect {
    /// A terrain file, as `fireteam bake` makes them
    file: PathBuf,

    /// Print the report as JSON instead of lines
    #[arg(long, conflicts_with_all = ["dump", "import", "picture"])]
    json: bool,

    /// Write the whole terrain as text, to --out or to standard output
    #[arg(long, conflicts_with_all = ["import", "picture"])]
    dump: bool,

    /// Make FILE from a text that --dump wrote
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["picture", "overlay", "out"])]
    import: Option<PathBuf>,

    /// Merge edits by hand (docs/formats.md) before anything else; with --out, save the result as a terrain file
    #[arg(long, value_name = "EDITS")]
    overlay: Option<PathBuf>,

    /// Draw it from above: `links`, `areas`, `sight` (with --from), or a value such as `exposure`
    #[arg(long, value_name = "WHAT")]
    picture: Option<Drawn>,

    /// Whose sight to draw: a waypoint (w12) or a place (x,y,z)
    #[arg(long, value_name = "SPOT", allow_hyphen_values = true)]
    from: Option<Spot>,

    /// Draw only floors between these heights
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    floors: Option<Heights>,

    #[command(flatten)]
    thrown: throws::Thrown,

    /// Where to put the picture, the text or the merged terrain
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawn {
    Links,
    Areas,
    Sight,
    /// A column of the values, by its place in `Values::NAMES`.
    Value(usize),
}

impl std::str::FromStr for Drawn {
    type Err = String;

    fn from_str(text: &str) -> Result<Drawn, String> {
        let value = || fireteam_terrain::Values::NAMES.iter().position(|name| *name == text).map(Drawn::Value);
        match text {
            "links" => Ok(Drawn::Links),
            "areas" => Ok(Drawn::Areas),
            "sight" => Ok(Drawn::Sight),
            _ => value().ok_or_else(|| {
                format!(
                    "there is no picture of that: links, areas, sight, {}",
                    fireteam_terrain::Values::NAMES.join(", ")
                )
            }),
        }
    }
}

/// A range of heights, given as `low,high`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Heights(f32, f32);

impl std::str::FromStr for Heights {
    type Err = String;

    fn from_str(text: &str) -> Result<Heights, String> {
        let parts =
            text.split_once(',').and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
        match parts {
            Some((low, high)) if low < high => Ok(Heights(low, high)),
            _ => Err("expected two heights, the lower first, such as -64,128".to_owned()),
        }
    }
}

pub(crate) fn run(inspect: &Inspect) -> Result<()> {
    if let Some(text) = &inspect.import {
        return import(text, &inspect.file);
    }
    let (head, bytes, terrain) = open(&inspect.file)?;
    let is_shown = inspect.picture.is_some() || inspect.thrown.is_asked_for() || inspect.dump;
    let is_saved = inspect.overlay.is_some() && inspect.out.is_some() && !is_shown;
    let overlay = inspect.overlay.as_deref().map(read_overlay).transpose()?;
    let terrain = overlay.as_ref().map_or(Ok(terrain.clone()), |overlay| merged(&terrain, overlay))?;
    if is_saved {
        let out = inspect.out.as_ref().expect("it was just looked for");
        file::save(out, &terrain)?;
        println!("wrote  {}", out.display());
        return Ok(());
    }
    if let Some(drawn) = inspect.picture {
        return draw(inspect, &terrain, drawn);
    }
    if inspect.thrown.is_asked_for() {
        return throws::draw(&inspect.thrown, terrain, inspect.out.as_deref());
    }
    if inspect.dump {
        return dump(&terrain, inspect.out.as_deref());
    }
    if inspect.out.is_some() {
        bail!("--out needs something to write: --picture, --throws, --dump or --overlay");
    }
    let mut report = Report::of(&inspect.file, &head, bytes, &terrain);
    report.learnt = overlay.as_ref().map(reasons).unwrap_or_default();
    if inspect.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.lines());
    }
    Ok(())
}

fn open(path: &Path) -> Result<(Head, usize, Terrain)> {
    let name = path.display().to_string();
    let bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let terrain = Terrain::from_bytes(&name, &bytes)?;
    Ok((Head::read(&name, &bytes)?, bytes.len(), terrain))
}

fn read_overlay(path: &Path) -> Result<Overlay> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    Ok(Overlay::parse(&name, &text)?)
}

/// What was learnt fits as far as it does; an edit by hand that does not fit is a mistake.
fn merged(terrain: &Terrain, overlay: &Overlay) -> Result<Terrain> {
    if overlay.map.is_none() {
        return Ok(terrain.with_overlay(overlay)?);
    }
    let (fresh, misfits) = terrain.with_what_fits(overlay)?;
    misfits.iter().for_each(|misfit| eprintln!("{misfit}: left out"));
    Ok(fresh)
}

/// Edits of links that have a reason.
fn reasons(overlay: &Overlay) -> Vec<String> {
    let is_lesson = |lined: &&LinedEdit| {
        let is_link = matches!(lined.edit, Edit::Unlink { .. } | Edit::Trust { .. } | Edit::Link { .. });
        is_link && !lined.note.is_empty()
    };
    overlay.edits.iter().filter(is_lesson).map(|lined| format!("{}: {}", lined.edit, lined.note)).collect()
}

fn import(text: &Path, file: &Path) -> Result<()> {
    let name = text.display().to_string();
    let read = fs::read_to_string(text).with_context(|| format!("cannot read {name}"))?;
    let terrain = Terrain::from_text(&name, &read)?;
    file::save(file, &terrain)?;
    println!("wrote  {}: {} waypoints, {} links", file.display(), terrain.waypoints.len(), terrain.links.links.len());
    Ok(())
}

fn dump(terrain: &Terrain, out: Option<&Path>) -> Result<()> {
    let text = terrain.to_text();
    match out {
        Some(path) => output::write_whole(path, text.as_bytes()),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

fn draw(inspect: &Inspect, terrain: &Terrain, drawn: Drawn) -> Result<()> {
    let subject = match (drawn, inspect.from) {
        (Drawn::Sight, Some(spot)) => Subject::Sight(spot.on(terrain)?),
        (Drawn::Sight, None) => bail!("whose sight? name a waypoint or a place with --from"),
        (_, Some(_)) => bail!("--from goes with --picture sight"),
        (Drawn::Links, None) => Subject::Links,
        (Drawn::Areas, None) if terrain.areas.areas.is_empty() => {
            bail!("this terrain has no areas: bake the map again")
        }
        (Drawn::Areas, None) => Subject::Areas,
        (Drawn::Value(column), None) => Subject::Value(column),
    };
    let heights = inspect.floors.map(|Heights(low, high)| low..=high);
    let bytes = picture::png(&chart::draw(terrain, subject, heights)?)?;
    let default = || PathBuf::from(format!("fireteam-{}-{}.png", terrain.provenance.map_name, subject.name()));
    let path = inspect.out.clone().unwrap_or_else(default);
    output::write_whole(&path, &bytes)?;
    println!("picture  {}", path.display());
    Ok(())
}

#[derive(Debug, Serialize)]
struct Report {
    file: String,
    bytes: usize,
    map: String,
    map_digest: String,
    physics_digest: String,
    settings_digest: String,
    overlay: Option<String>,
    /// Edits of links by the overlay that was named, with their reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    learnt: Vec<String>,
    sections: Vec<(String, usize)>,
    waypoints: usize,
    links: usize,
    links_by_kind: Vec<(&'static str, usize)>,
    areas: usize,
    areas_by_class: Vec<(&'static str, usize)>,
    portals: usize,
    movers: usize,
    hiding_spots: usize,
    /// Share of all pairs of waypoints that see each other.
    seen: f32,
    /// One for each way of flying.
    throws: Vec<Table>,
    ready: bool,
    readiness: Readiness,
}

impl Report {
    fn of(path: &Path, head: &Head, bytes: usize, terrain: &Terrain) -> Report {
        let waypoints = terrain.waypoints.len();
        let readiness = Readiness::of(terrain);
        let kinds = Travel::ALL
            .into_iter()
            .map(|kind| (kind.name(), terrain.links.links.iter().filter(|link| link.kind == kind).count()));
        let classes = AreaClass::ALL
            .iter()
            .map(|class| (class.word(), terrain.areas.areas.iter().filter(|area| area.class == *class).count()));
        let seen: u32 = terrain.sight.standing.words().iter().map(|word| word.count_ones()).sum();
        let some = |counted: &(&'static str, usize)| counted.1 > 0;
        Report {
            file: path.display().to_string(),
            bytes,
            map: terrain.provenance.map_name.clone(),
            map_digest: hex(&head.map),
            physics_digest: hex(&head.physics),
            settings_digest: hex(&head.settings),
            overlay: (head.overlay != 0).then(|| format!("{:08x}", head.overlay)),
            learnt: Vec::new(),
            sections: head.sections.iter().map(|section| (section.name(), section.length)).collect(),
            waypoints,
            links: terrain.links.links.len(),
            links_by_kind: kinds.filter(some).collect(),
            areas: terrain.areas.areas.len(),
            areas_by_class: classes.filter(some).collect(),
            portals: terrain.portals.portals.len(),
            movers: terrain.movers.spots.len(),
            hiding_spots: terrain.hiding.spots.len(),
            seen: seen as f32 / (waypoints * waypoints).max(1) as f32,
            throws: terrain.throws.tables.iter().map(Table::of).collect(),
            ready: readiness.is_ready(),
            readiness,
        }
    }

    fn lines(&self) -> String {
        let Report { readiness, .. } = self;
        let counted = |rows: &[(&str, usize)]| -> String {
            rows.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
        };
        let sections: Vec<String> = self.sections.iter().map(|(name, length)| format!("{name} {length}")).collect();
        let edits = self.overlay.as_ref().map_or(String::new(), |overlay| format!(", overlay {overlay}"));
        let mut lines = String::new();
        let mut line = |name: &str, text: String| {
            writeln!(lines, "{name:<10} {text}").expect("a String takes everything");
        };
        line("terrain", format!("{} of map {}, {} bytes{edits}", self.file, self.map, self.bytes));
        line(
            "made from",
            format!(
                "map {:.12}, physics {:.12}, settings {:.12}",
                self.map_digest, self.physics_digest, self.settings_digest
            ),
        );
        line("sections", sections.join(", "));
        line("waypoints", format!("{} ({} spawns, {} items)", self.waypoints, readiness.spawns, readiness.items));
        line("links", format!("{}: {}", self.links, counted(&self.links_by_kind)));
        line("areas", format!("{}: {}; {} portals", self.areas, counted(&self.areas_by_class), self.portals));
        line("movers", self.movers.to_string());
        line(
            "sight",
            format!("{:.1} % of all pairs see each other; {} hiding spots", self.seen * 100.0, self.hiding_spots),
        );
        if self.throws.is_empty() {
            line("throws", "none".to_owned());
        }
        self.throws.iter().for_each(|table| line("throws", table.told()));
        line(
            "coverage",
            format!(
                "{:.2} % of {} places belong to a waypoint that is reached",
                readiness.coverage * 100.0,
                readiness.places
            ),
        );
        line(
            "islands",
            format!(
                "{}; {} waypoints reach every spawn and back, {} are not reached, {} lead nowhere back",
                readiness.islands, readiness.mainland, readiness.unreached, readiness.without_return
            ),
        );
        for remark in &readiness.remarks {
            line(if remark.is_serious { "PROBLEM" } else { "remark" }, format!("{} {}", remark.count, remark.what));
            for example in &remark.examples {
                line("", format!("  {example}"));
            }
            if remark.count > remark.examples.len() {
                line("", format!("  and {} more", remark.count - remark.examples.len()));
            }
        }
        self.learnt.iter().for_each(|lesson| line("learnt", lesson.clone()));
        line(
            "verdict",
            if self.ready { "ready".to_owned() } else { "look at the problems before bots play here".to_owned() },
        );
        lines
    }
}

fn hex(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
