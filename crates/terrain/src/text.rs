//! Lines of words, for the formats people read and edit: the dump and the overlay.
//!
//! A line is a row: a verb, then words. `#` begins a comment, empty lines say nothing. Numbers are the shortest decimals
//! that read back as the same bits. Errors name file and line.

use std::fmt::{self, Display, Write};
use std::str::{FromStr, SplitWhitespace};

use glam::Vec3;

use crate::ids::WaypointId;

/// What is wrong with a text, and in which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", .line.map_or(String::new(), |line| format!(":{line}")))]
pub struct TextError {
    pub file: String,
    /// From 1; none if it is the text as a whole.
    pub line: Option<usize>,
    pub message: String,
}

/// The words of one line that have not been taken yet.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: usize,
    /// The comment at its end.
    pub(crate) note: &'a str,
    words: std::iter::Peekable<SplitWhitespace<'a>>,
}

/// The lines of a text that say something, each with its verb.
pub(crate) fn lines<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = (&'a str, Words<'a>)> {
    text.lines().enumerate().filter_map(move |(index, line)| {
        let (said, note) = line.split_once('#').unwrap_or((line, ""));
        let words = said.split_whitespace().peekable();
        let mut words = Words { file, line: index + 1, note: note.trim(), words };
        Some((words.words.next()?, words))
    })
}

impl<'a> Words<'a> {
    pub(crate) fn error(&self, message: impl Into<String>) -> TextError {
        TextError { file: self.file.to_owned(), line: Some(self.line), message: message.into() }
    }

    pub(crate) fn peek(&mut self) -> Option<&'a str> {
        self.words.peek().copied()
    }

    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, TextError> {
        self.words.next().ok_or_else(|| self.error(format!("{what} is missing")))
    }

    /// A word that must stand here, to make the line readable.
    pub(crate) fn expect(&mut self, expected: &str) -> Result<(), TextError> {
        let word = self.word(&format!("`{expected}`"))?;
        if word == expected { Ok(()) } else { Err(self.error(format!("expected `{expected}`, found `{word}`"))) }
    }

    pub(crate) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, TextError> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.error(format!("`{word}` is no {what}")))
    }

    /// `key number`, as most rows are written.
    pub(crate) fn keyed<T: FromStr>(&mut self, key: &str) -> Result<T, TextError> {
        self.expect(key)?;
        self.number(key)
    }

    pub(crate) fn point(&mut self, what: &str) -> Result<Vec3, TextError> {
        Ok(Vec3::new(self.coordinate(what)?, self.coordinate(what)?, self.coordinate(what)?))
    }

    fn coordinate(&mut self, what: &str) -> Result<f32, TextError> {
        let number: f32 = self.number(what)?;
        if number.is_finite() { Ok(number) } else { Err(self.error(format!("{number} is no {what}"))) }
    }

    /// A word of a fixed list.
    pub(crate) fn kind<T>(&mut self, what: &str, from_word: impl Fn(&str) -> Option<T>) -> Result<T, TextError> {
        let word = self.word(what)?;
        from_word(word).ok_or_else(|| self.error(format!("there is no {what} `{word}`")))
    }

    /// Words of a fixed list joined by `+`, or `-` for none; gives each to `add`.
    pub(crate) fn flags<T>(
        &mut self,
        what: &str,
        from_word: impl Fn(&str) -> Option<T>,
        mut add: impl FnMut(T),
    ) -> Result<(), TextError> {
        let joined = self.word(what)?;
        if joined == "-" {
            return Ok(());
        }
        for word in joined.split('+') {
            add(from_word(word).ok_or_else(|| self.error(format!("there is no {what} `{word}`")))?);
        }
        Ok(())
    }

    /// Nothing may follow.
    pub(crate) fn finish(mut self) -> Result<(), TextError> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.error(format!("`{word}` is too much"))),
        }
    }
}

/// Words joined by `+`, or `-` if there are none.
pub(crate) fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    if words.is_empty() { "-".to_owned() } else { words.join("+") }
}

/// A point as three words.
pub(crate) struct Spaced(pub(crate) Vec3);

impl Display for Spaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spaced(point) = self;
        write!(f, "{} {} {}", point.x, point.y, point.z)
    }
}

/// Ids in rising order as one word: `0-3,7`, or `-` for none.
pub(crate) fn ranges(ids: impl Iterator<Item = WaypointId>) -> String {
    let mut word = String::new();
    let mut ids = ids.map(|id| id.0).peekable();
    while let Some(first) = ids.next() {
        let mut last = first;
        while let Some(next) = ids.next_if(|&next| next == last + 1) {
            last = next;
        }
        let comma = if word.is_empty() { "" } else { "," };
        let is_one = first == last;
        let written = if is_one { write!(word, "{comma}{first}") } else { write!(word, "{comma}{first}-{last}") };
        written.expect("a String takes everything");
    }
    if word.is_empty() { "-".to_owned() } else { word }
}

/// Reads what [`ranges`] wrote; ids are below `count` and rise.
pub(crate) fn parse_ranges(words: &mut Words<'_>, count: usize, mut add: impl FnMut(usize)) -> Result<(), TextError> {
    let word = words.word("waypoints")?;
    if word == "-" {
        return Ok(());
    }
    let mut next = 0;
    for range in word.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let parse = |number: &str| number.parse::<usize>().ok().filter(|&number| number < count);
        match (parse(first), parse(last)) {
            (Some(first), Some(last)) if next <= first && first <= last => {
                (first..=last).for_each(&mut add);
                next = last + 1;
            }
            _ => return Err(words.error(format!("`{range}` is no range of waypoints below {count} that rises"))),
        }
    }
    Ok(())
}
