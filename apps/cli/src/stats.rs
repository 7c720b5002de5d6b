//! `fireteam stats FILE`: what a recorded match came to, as a table, as JSON, as CSV, and as a picture of where it was busy.
//!
//! In: a recording, whole or not; a live match's [`Stats`] are told in the same way (`fireteam --stats FILE`, the viewer).
//! Out: [`Told`]. What is counted and how sure it is: `fireteam_sim::stats`.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use fireteam::Arsenal;
use fireteam::recording::{Entry, Recording};
use fireteam::snapshot::{ThrowableId, WeaponId};
use fireteam_sim::stats::{Heat, Stats};
use fireteam_terrain::file;
use fireteam_world::Solids;
use fireteam_world::units::ModelId;
use serde::Serialize;

use crate::bake::Watch;
use crate::picture;
use crate::play::{Names, side};
use crate::reel::{self, Reel};

/// Count what everyone did in a recording: score, accuracy, grenades, places
#[derive(Args, Debug)]
pub(crate) struct StatsOf {
    #[command(flatten)]
    reel: Reel,

    /// Print everything as JSON, the heat map too
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print players, weapons and grenades as one table of comma-separated values
    #[arg(long)]
    csv: bool,

    /// Draw where the match was busy, who killed from where and who fell where
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

/// What a match came to, with names.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    title: String,
    teams: Vec<TeamRow>,
    players: Vec<PlayerRow>,
    weapons: Vec<WeaponRow>,
    grenades: Vec<GrenadeRow>,
    heat: HeatMap,
}

#[derive(Debug, Serialize)]
struct TeamRow {
    team: u8,
    name: String,
    /// Rounds won; where there are no rounds, kills less those of its own.
    score: i64,
    kills: u32,
    deaths: u32,
}

#[derive(Debug, Serialize)]
struct PlayerRow {
    id: u16,
    name: String,
    team: u8,
    side: String,
    kills: u32,
    deaths: u32,
    suicides: u32,
    team_kills: u32,
    civilians: u32,
    damage_dealt: u32,
    damage_taken: u32,
    shots: u32,
    hits: u32,
    accuracy: f64,
    distance: f64,
    throws: u32,
    alive_s: f64,
}

#[derive(Debug, Serialize)]
struct WeaponRow {
    weapon: String,
    kills: u32,
    shots: u32,
    hits: u32,
}

#[derive(Debug, Serialize)]
struct GrenadeRow {
    kind: String,
    thrown: u32,
    hurt: u32,
    killed: u32,
    blinded: u32,
    own: u32,
    friends: u32,
    nothing: u32,
}

#[derive(Debug, Serialize)]
struct HeatMap {
    cell: f32,
    origin: [f32; 2],
    width: usize,
    height: usize,
    /// Seconds.
    traffic: Vec<f32>,
    kills: Vec<u32>,
    deaths: Vec<u32>,
}

/// A place for stats, by whose ending one knows how they are to be written.
pub(crate) fn file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_known = path.extension().is_some_and(|ending| ending == "json" || ending == "csv");
    if is_known { Ok(path) } else { Err("expected a file that ends in .json or .csv".to_owned()) }
}

/// Writes them as the file's ending says.
pub(crate) fn save(path: &Path, told: &Told) -> Result<()> {
    let is_csv = path.extension().is_some_and(|ending| ending == "csv");
    let text = if is_csv { told.csv() } else { serde_json::to_string_pretty(told)? + "\n" };
    file::write_whole(path, text.as_bytes())
        .with_context(|| format!("cannot write {}: choose another place with --stats", path.display()))
}

pub(crate) fn run(asked: &StatsOf) -> Result<ExitCode> {
    let (name, bytes) = (asked.reel.name(), asked.reel.bytes()?);
    let recording = Recording::read(&name, &bytes)?;
    let watch = Watch::begin(1, asked.json || asked.csv)?;
    let (map, game) = asked.reel.map_and_game(&recording)?;
    let solids = Solids::build(&map);
    let names = reel::names(&recording)?;
    let mut stats = Stats::new(Arsenal::of(&game), solids.bounds(ModelId(0)));
    let mut frames = 0u64;
    for entry in recording.entries() {
        if let Entry::Frame(snapshot, _) = entry? {
            stats.look(&snapshot);
            frames += 1;
        }
        ensure!(!watch.is_stopped(), "stopped after {frames} frames");
    }
    let title = format!("{} ({}), seed {}", map.name, game.name, recording.head.seed);
    let told = Told::of(&stats, &names, &title);
    if asked.json {
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else if asked.csv {
        print!("{}", told.csv());
    } else {
        print!("{told}");
    }
    if let Some(path) = &asked.picture {
        let sheet = picture::heat::draw(&map, &game, &solids, &stats.heat, &title)?;
        file::write_whole(path, &picture::png(&sheet)?)
            .with_context(|| format!("cannot write {}: choose another place with --picture", path.display()))?;
        watch.complain(&format!("picture  {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

impl Told {
    pub(crate) fn of(stats: &Stats, names: &Names, title: &str) -> Told {
        let arsenal = stats.arsenal();
        let mut players: Vec<PlayerRow> = stats
            .players
            .iter()
            .map(|player| PlayerRow {
                id: player.player.0,
                name: names.known(player.player).map_or_else(|| format!("player {}", player.player.0), str::to_owned),
                team: player.team.0,
                side: side(Some(player.team)),
                kills: player.kills,
                deaths: player.deaths,
                suicides: player.suicides,
                team_kills: player.team_kills,
                civilians: player.civilians,
                damage_dealt: player.damage_dealt,
                damage_taken: player.damage_taken,
                shots: player.shots,
                hits: player.hits,
                accuracy: player.accuracy(),
                distance: player.distance,
                throws: player.throws,
                alive_s: player.alive_ms as f64 / 1000.0,
            })
            .collect();
        players.sort_by_key(|row| (row.team, std::cmp::Reverse(row.kills), row.deaths));
        let sum = |team: u8, count: fn(&PlayerRow) -> u32| {
            players.iter().filter(|row| row.team == team).map(count).sum::<u32>()
        };
        let teams = stats.teams.iter().map(|known| TeamRow {
            team: known.team.0,
            name: side(Some(known.team)),
            score: stats.score(known.team),
            kills: sum(known.team.0, |row| row.kills),
            deaths: sum(known.team.0, |row| row.deaths),
        });
        let weapons = stats.weapons.iter().zip(0..).filter(|(weapon, _)| weapon.shots + weapon.kills > 0);
        let grenades = stats.grenades.iter().zip(0..).filter(|(grenade, _)| grenade.thrown > 0);
        Told {
            title: title.to_owned(),
            teams: teams.collect(),
            weapons: weapons
                .map(|(weapon, number)| WeaponRow {
                    weapon: arsenal.weapon_name(WeaponId(number)).to_owned(),
                    kills: weapon.kills,
                    shots: weapon.shots,
                    hits: weapon.hits,
                })
                .collect(),
            grenades: grenades
                .map(|(grenade, number)| GrenadeRow {
                    kind: arsenal.throwable_name(ThrowableId(number)).to_owned(),
                    thrown: grenade.thrown,
                    hurt: grenade.hurt,
                    killed: grenade.killed,
                    blinded: grenade.blinded,
                    own: grenade.own,
                    friends: grenade.friends,
                    nothing: grenade.nothing,
                })
                .collect(),
            heat: HeatMap::of(&stats.heat),
            players,
        }
    }

    /// One table for everything that has a name; what a row has nothing to say about is empty.
    pub(crate) fn csv(&self) -> String {
        let mut out =
            "subject,name,side,score,kills,deaths,suicides,team_kills,civilians,damage_dealt,damage_taken,shots,\
                       hits,accuracy,distance,throws,alive_s,thrown,hurt,killed,blinded,own,friends,nothing\n"
                .to_owned();
        let mut put = |cells: [String; 24]| {
            out.push_str(&cells.join(","));
            out.push('\n');
        };
        let none = || -> [String; 24] { std::array::from_fn(|_| String::new()) };
        let number = |value: u32| value.to_string();
        for row in &self.teams {
            let mut cells = none();
            (cells[0], cells[1], cells[2]) = ("team".to_owned(), quoted(&row.name), quoted(&row.name));
            (cells[3], cells[4], cells[5]) = (row.score.to_string(), number(row.kills), number(row.deaths));
            put(cells);
        }
        for row in &self.players {
            let mut cells = none();
            (cells[0], cells[1], cells[2]) = ("player".to_owned(), quoted(&row.name), quoted(&row.side));
            let counts = [
                row.kills,
                row.deaths,
                row.suicides,
                row.team_kills,
                row.civilians,
                row.damage_dealt,
                row.damage_taken,
                row.shots,
                row.hits,
            ];
            cells[4..13].clone_from_slice(&counts.map(number));
            (cells[13], cells[14]) = (format!("{:.4}", row.accuracy), format!("{:.0}", row.distance));
            (cells[15], cells[16]) = (number(row.throws), format!("{:.2}", row.alive_s));
            put(cells);
        }
        for row in &self.weapons {
            let mut cells = none();
            (cells[0], cells[1]) = ("weapon".to_owned(), quoted(&row.weapon));
            (cells[4], cells[11], cells[12]) = (number(row.kills), number(row.shots), number(row.hits));
            put(cells);
        }
        for row in &self.grenades {
            let mut cells = none();
            (cells[0], cells[1]) = ("grenade".to_owned(), quoted(&row.kind));
            let counts = [row.thrown, row.hurt, row.killed, row.blinded, row.own, row.friends, row.nothing].map(number);
            cells[17..24].clone_from_slice(&counts);
            put(cells);
        }
        out
    }
}

impl HeatMap {
    fn of(heat: &Heat) -> HeatMap {
        let Heat { cell, origin, width, height, .. } = *heat;
        let (kills, deaths) = (heat.kills.clone(), heat.deaths.clone());
        HeatMap { cell, origin, width, height, traffic: heat.traffic.clone(), kills, deaths }
    }
}

/// As RFC 4180 has it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scores: Vec<String> = self.teams.iter().map(|team| format!("{} {}", team.name, team.score)).collect();
        writeln!(f, "{}: {}", self.title, scores.join(", "))?;
        let mut head = String::new();
        write!(head, "{:<12} {:<6}", "name", "side")?;
        for word in ["kills", "deaths", "dealt", "taken", "shots", "hits", "hit %", "throws", "ran"] {
            write!(head, " {word:>7}")?;
        }
        writeln!(f, "{head}")?;
        for row in &self.players {
            let PlayerRow { name, side, kills, deaths, damage_dealt, damage_taken, shots, hits, throws, .. } = row;
            let (share, ran) = (row.accuracy * 100.0, row.distance);
            write!(f, "{name:<12} {side:<6} {kills:>7} {deaths:>7} {damage_dealt:>7} {damage_taken:>7} {shots:>7} ")?;
            writeln!(f, "{hits:>7} {share:>7.1} {throws:>7} {ran:>7.0}")?;
        }
        if !self.weapons.is_empty() {
            writeln!(f, "\n{:<19} {:>7} {:>7} {:>7}", "weapon", "kills", "shots", "hits")?;
        }
        for WeaponRow { weapon, kills, shots, hits } in &self.weapons {
            writeln!(f, "{weapon:<19} {kills:>7} {shots:>7} {hits:>7}")?;
        }
        if !self.grenades.is_empty() {
            let words = ["thrown", "hurt", "killed", "blinded", "own", "friends", "nothing"];
            let words: Vec<String> = words.iter().map(|word| format!("{word:>7}")).collect();
            writeln!(f, "\n{:<19} {}", "grenade", words.join(" "))?;
        }
        for row in &self.grenades {
            let GrenadeRow { kind, thrown, hurt, killed, blinded, own, friends, nothing } = row;
            write!(f, "{kind:<19} {thrown:>7} {hurt:>7} {killed:>7} {blinded:>7} {own:>7} ")?;
            writeln!(f, "{friends:>7} {nothing:>7}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_stay_one_cell() {
        assert_eq!(quoted("Ada"), "Ada");
        assert_eq!(quoted("Ada, \"the\" first"), "\"Ada, \"\"the\"\" first\"");
    }

    #[test]
    fn every_row_of_the_table_has_all_columns() {
        let row = |kills| WeaponRow { weapon: "rifle".to_owned(), kills, shots: 3, hits: 1 };
        let team = TeamRow { team: 1, name: "red".to_owned(), score: -1, kills: 2, deaths: 3 };
        let heat = HeatMap {
            cell: 1.0,
            origin: [0.0; 2],
            width: 0,
            height: 0,
            traffic: Vec::new(),
            kills: Vec::new(),
            deaths: Vec::new(),
        };
        let (players, grenades) = (Vec::new(), Vec::new());
        let told = Told { title: String::new(), teams: vec![team], players, weapons: vec![row(2)], grenades, heat };
        let columns: Vec<usize> = told.csv().lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns, [24, 24, 24]);
    }

    #[test]
    fn only_files_whose_ending_says_how_are_taken() {
        assert!(file("a.csv").is_ok() && file("b/a.json").is_ok());
        assert!(file("a.txt").is_err() && file("csv").is_err());
    }
}
