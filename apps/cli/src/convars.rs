//! `fireteam convars`: what may be tuned, files of it, and the page and settings made from the one table.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use fireteam::ConVars;
use fireteam::convar::Listing;

use crate::output;

/// List what may be tuned of the bots, with range, default and the reason for it
///
/// Matches take a file of them by `--convars FILE` and single ones by `--convar` or `--set`.
#[derive(Args, Debug)]
pub(crate) struct Listings {
    /// Only those whose names hold this
    #[arg(value_name = "PART")]
    part: Option<String>,

    /// Check a file of variables and print what it changes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["part", "write", "cfg", "markdown"])]
    file: Option<PathBuf>,

    /// The map a file is read for
    #[arg(long, value_name = "NAME", requires = "file", default_value = "")]
    map: String,

    /// Write all of them with their defaults to a new file, to be edited
    #[arg(long, value_name = "FILE", conflicts_with_all = ["part", "cfg", "markdown"])]
    write: Option<PathBuf>,

    /// Print them as settings of a server
    #[arg(long, conflicts_with = "markdown")]
    cfg: bool,

    /// Print the reference page
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(asked: &Listings) -> Result<ExitCode> {
    let part = asked.part.as_deref().unwrap_or("");
    let listings: Vec<&Listing> = ConVars::LISTINGS.iter().filter(|listing| listing.name.contains(part)).collect();
    if let Some(path) = &asked.write {
        write_defaults(path)?;
    } else if let Some(path) = &asked.file {
        let convars = read(path, &asked.map)?;
        convars.differences(&ConVars::default()).for_each(|difference| println!("{difference}"));
    } else if asked.cfg {
        print!("{}", cfg(&listings));
    } else if asked.markdown {
        print!("{}", markdown(&listings));
    } else {
        anyhow::ensure!(!listings.is_empty(), "no variable has `{part}` in its name; `fireteam convars` lists all");
        listings.iter().for_each(|listing| println!("{listing}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The variables of a file, as they are for one map.
pub(crate) fn read(path: &Path, map: &str) -> Result<ConVars> {
    let text = fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    ConVars::default().with_text(&text, map).with_context(|| format!("{}", path.display()))
}

/// The same as names and values, for a server, with what was asked for besides.
pub(crate) fn assignments(
    file: Option<&Path>,
    map: &str,
    besides: &[(String, String)],
) -> Result<Vec<(String, String)>> {
    let mut convars = file.map_or_else(|| Ok(ConVars::default()), |path| read(path, map))?;
    for (name, value) in besides {
        convars.set(name, value)?;
    }
    let default = ConVars::default();
    let changed = convars.differences(&default);
    Ok(changed.map(|one| (one.listing.name.to_owned(), (one.value as f32).to_string())).collect())
}

fn write_defaults(path: &Path) -> Result<()> {
    anyhow::ensure!(!path.exists(), "{} is there already; name a new file", path.display());
    output::write_whole(path, ConVars::default().to_text().as_bytes())?;
    println!("{}: {} variables", path.display(), ConVars::LISTINGS.len());
    Ok(())
}

fn cfg(listings: &[&Listing]) -> String {
    let mut text = String::new();
    for listing in listings {
        for line in listing.help.lines() {
            writeln!(text, "//{line}").expect("memory takes everything");
        }
        writeln!(text, "// {} to {}", listing.min as f32, listing.max as f32).expect("memory takes everything");
        writeln!(text, "set ft_{} {}\n", listing.name, listing.default as f32).expect("memory takes everything");
    }
    text
}

fn markdown(listings: &[&Listing]) -> String {
    let mut text = String::from(HEAD);
    for listing in listings {
        let help: Vec<&str> = listing.help.lines().map(str::trim).collect();
        let (name, default) = (listing.name, listing.default as f32);
        let range = format!("{} to {}", listing.min as f32, listing.max as f32);
        let kind = if listing.is_whole { "whole" } else { "number" };
        writeln!(text, "| `{name}` | {default} | {kind}, {range} | {} |", help.join(" "))
            .expect("memory takes everything");
    }
    text
}

const HEAD: &str = "\
# What may be tuned

Every taste of the bots is a variable with a range. A match takes single ones (`fireteam --convar think_ms=50`, `--set` for
`openarena` and `versus`) or a file of them (`--convars FILE`); a server has each as a variable of its own, `ft_` and its name
(`set ft_think_ms 50`), which counts within a second; its console knows them all, and sets back with a line what is out of range.
A server takes a file too, with `ft_convars FILE`, read when a level begins.

A file has `name = value` on a line and `#` before words for the reader. Lines after `[oa_dm1]` are for that map alone, lines
after `[*]` for every map again. `fireteam convars --write FILE` makes one with all defaults, `fireteam convars --file FILE`
says what one changes, `fireteam convars --cfg` prints a server's settings, and `fireteam convars --markdown` this page.

| variable | default | takes | what it is, and why it is what it is |
| --- | --- | --- | --- |
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_the_table_says() {
        let listings: Vec<&Listing> = ConVars::LISTINGS.iter().collect();
        let page = include_str!("../../../docs/convars.md");
        assert_eq!(page, markdown(&listings), "`fireteam convars --markdown > docs/convars.md` makes it anew");
    }

    #[test]
    fn a_server_is_told_what_a_file_changes_and_then_what_was_asked_for() {
        let path = std::env::temp_dir().join(format!("fireteam-convars-{}", std::process::id()));
        fs::write(&path, "think_ms = 50\n[kaos2]\naim_error_elite = 0.3\n").expect("written");
        let asked = [("hunt_ms".to_owned(), "1000".to_owned())];
        let told = |map: &str| {
            let all = assignments(Some(&path), map, &asked).expect("all of it makes sense");
            all.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told("oa_dm1"), "think_ms=50 hunt_ms=1000");
        assert_eq!(told("kaos2"), "think_ms=50 aim_error_elite=0.3 hunt_ms=1000");
        let slip = assignments(None, "kaos2", &[("hunt".to_owned(), "1".to_owned())]).expect_err("no such variable");
        assert_eq!(slip.to_string(), "there is no variable `hunt`; the nearest is `hunt_ms`");
        fs::remove_file(path).expect("it was there");
    }
}
