//! Variables as text: what somebody keeps in a file, one `name = value` a line.
//!
//! `#` begins words for the reader. A line `[NAME]` begins those for one map alone, `[*]` ends them: they count after what is
//! for every map, wherever they stand. A text with a fault changes nothing, and its line is told, whichever map it is for.

use std::fmt::Write;

use super::{BadConVar, ConVars, Listing};

/// A line that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct BadLine {
    /// Counted from 1.
    pub line: usize,
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    #[error(transparent)]
    ConVar(#[from] BadConVar),
    #[error("`{0}` is neither `name = value` nor `[map]`")]
    NoAssignment(String),
}

/// A variable whose value is another than somewhere else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub listing: &'static Listing,
    pub value: f64,
    pub other: f64,
}

/// Whom the lines of a section are for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Section<'a> {
    EveryMap,
    Map(&'a str),
}

impl ConVars {
    /// These variables with what a text says of them, as it is for one map.
    pub fn with_text(&self, text: &str, map: &str) -> Result<ConVars, BadLine> {
        // Faults are told in the order of the lines, and so everything is tried before anything counts.
        let mut tried = ConVars::default();
        let assignments = assignments(text)?;
        for (line, _, name, value) in &assignments {
            tried.set(name, value).map_err(|error| BadLine { line: *line, fault: error.into() })?;
        }
        let mut convars = *self;
        let mut count = |section: Section<'_>| {
            for (line, _, name, value) in assignments.iter().filter(|(_, own, ..)| *own == section) {
                convars.set(name, value).map_err(|error| BadLine { line: *line, fault: error.into() })?;
            }
            Ok(())
        };
        count(Section::EveryMap)?;
        count(Section::Map(map))?;
        Ok(convars)
    }

    /// Which variables a text sets, on whatever map, in the order of the table.
    pub fn named_in(text: &str) -> Result<Vec<&'static str>, BadLine> {
        let assignments = assignments(text)?;
        let is_set = |listing: &&Listing| assignments.iter().any(|(_, _, name, _)| *name == listing.name);
        Ok(ConVars::LISTINGS.iter().filter(is_set).map(|listing| listing.name).collect())
    }

    /// Every variable with its value, its range and what it is for.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for listing in ConVars::LISTINGS {
            let value = self.get(listing.name).unwrap_or(listing.default);
            for line in listing.help.lines() {
                writeln!(text, "#{line}").expect("memory takes everything");
            }
            writeln!(text, "# {} to {}", listing.min as f32, listing.max as f32).expect("memory takes everything");
            writeln!(text, "{} = {}\n", listing.name, value as f32).expect("memory takes everything");
        }
        text
    }

    /// What is otherwise than in others, in the order of the table.
    pub fn differences<'a>(&'a self, others: &'a ConVars) -> impl Iterator<Item = Difference> + 'a {
        ConVars::LISTINGS.iter().filter_map(|listing| {
            let (value, other) = (self.get(listing.name)?, others.get(listing.name)?);
            (value != other).then_some(Difference { listing, value, other })
        })
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {} # not {}", self.listing.name, self.value as f32, self.other as f32)
    }
}

/// Line, section, name and value of everything that is set.
fn assignments(text: &str) -> Result<Vec<(usize, Section<'_>, &str, &str)>, BadLine> {
    let mut section = Section::EveryMap;
    let mut all = Vec::new();
    for (line, words) in (1..).zip(text.lines()) {
        let words = words.split('#').next().unwrap_or("").trim();
        let named = words.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match (words, named) {
            ("", _) => {}
            (_, Some("*")) => section = Section::EveryMap,
            (_, Some(map)) => section = Section::Map(map.trim()),
            (words, None) => {
                let fault = || BadLine { line, fault: Fault::NoAssignment(words.to_owned()) };
                let (name, value) = words.split_once('=').ok_or_else(fault)?;
                all.push((line, section, name.trim(), value.trim()));
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut convars = ConVars::default();
        for (number, listing) in ConVars::LISTINGS.iter().enumerate() {
            let end = if number % 2 == 0 { listing.max } else { listing.min };
            convars.set(listing.name, &end.to_string()).expect("the end of a range is in it");
        }
        assert_eq!(ConVars::default().with_text(&convars.to_text(), "oa_dm1"), Ok(convars));
        assert_eq!(ConVars::default().with_text(&ConVars::default().to_text(), "oa_dm1"), Ok(ConVars::default()));
    }

    #[test]
    fn a_map_has_the_last_word_wherever_its_lines_stand() {
        let text = "[oa_dm1]\nthink_ms = 50 # quick there\n[*]\nthink_ms = 200\n\nhunt_ms=1000\n[kaos2]\nhunt_ms = 0\n";
        let on = |map: &str| ConVars::default().with_text(text, map).expect("all of it makes sense");
        assert_eq!((on("oa_dm1").think_ms, on("oa_dm1").hunt_ms), (50, 1000));
        assert_eq!((on("kaos2").think_ms, on("kaos2").hunt_ms), (200, 0));
        assert_eq!((on("oa_dm6").think_ms, on("oa_dm6").hunt_ms), (200, 1000));
    }

    #[test]
    fn what_a_text_sets_is_known_whichever_map_it_is_for() {
        assert_eq!(ConVars::named_in("[kaos2]\nhunt_ms = 0\n[*]\nthink_ms = 200"), Ok(vec!["think_ms", "hunt_ms"]));
        assert!(ConVars::named_in("words").is_err());
    }

    #[test]
    fn a_fault_is_told_with_its_line_whichever_map_it_is_for() {
        let fault = |text: &str| ConVars::default().with_text(text, "oa_dm1").expect_err("a fault").to_string();
        assert_eq!(fault("# words\nthink_ms 50"), "line 2: `think_ms 50` is neither `name = value` nor `[map]`");
        assert_eq!(
            fault("think_ms = 50\n[kaos2]\nthink_mss = 50"),
            "line 3: there is no variable `think_mss`; the nearest is `think_ms`"
        );
        assert_eq!(fault("[kaos2]\nthink_ms = 1\n"), "line 2: `think_ms` takes a number from 20 to 1000, not `1`");
    }

    #[test]
    fn differences_are_those_that_were_made() {
        let changed = ConVars { think_ms: 50, ..ConVars::default() };
        let all: Vec<String> = changed.differences(&ConVars::default()).map(|one| one.to_string()).collect();
        assert_eq!(all, ["think_ms = 50 # not 100"]);
        assert_eq!(changed.differences(&changed).count(), 0);
    }
}
