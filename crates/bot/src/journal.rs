//! The journal: every change of a bot's mind as one line that reads like a person explaining.
//!
//! `2.30 Ada goes for the shotgun: 8 s away and nothing better to do`. Tests assert these lines, `why` prints them, the
//! viewer shows them. A [`Journal`] keeps the latest lines in a ring that never grows; reasons are [`Words`], short
//! sentences kept in place, so that explaining costs no memory while bots think.

use std::fmt::{self, Write};

use fireteam_world::units::{EntityId, Time};

/// A short sentence in place; what does not fit is cut off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Words {
    length: u8,
    bytes: [u8; WORDS_MAX],
}

/// Bytes of a sentence.
const WORDS_MAX: usize = 95;

impl Words {
    pub const NONE: Words = Words { length: 0, bytes: [0; WORDS_MAX] };

    pub fn as_str(&self) -> &str {
        let bytes = &self.bytes[..usize::from(self.length)];
        // Only whole characters are ever taken in.
        std::str::from_utf8(bytes).unwrap_or("")
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl Default for Words {
    fn default() -> Words {
        Words::NONE
    }
}

impl Write for Words {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            let mut utf8 = [0; 4];
            let letter = letter.encode_utf8(&mut utf8).as_bytes();
            let start = usize::from(self.length);
            let Some(place) = self.bytes.get_mut(start..start + letter.len()) else { return Ok(()) };
            place.copy_from_slice(letter);
            self.length += letter.len() as u8;
        }
        Ok(())
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Words {
        let mut words = Words::NONE;
        // Writing into `Words` cannot fail: too long a text is cut.
        words.write_str(text).ok();
        words
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// Makes [`Words`] as `format!` makes strings, without allocating.
#[macro_export]
macro_rules! words {
    ($($part:tt)*) => {{
        let mut words = $crate::journal::Words::NONE;
        // Writing into `Words` cannot fail: too long a text is cut.
        ::std::fmt::Write::write_fmt(&mut words, ::std::format_args!($($part)*)).ok();
        words
    }};
}

/// Milliseconds as people say them, `2.3` seconds. Reasons are worded in every turn, and fractions are slow to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenths(pub i32);

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0.max(0) + 50) / 100;
        write!(f, "{}.{}", tenths / 10, tenths % 10)
    }
}

/// What happened to a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Starts,
    /// Something stronger took its channels.
    Waits,
    Resumes,
    Ends,
    /// Not a goal: something worth saying all the same.
    Notes,
}

impl Turn {
    pub fn verb(self) -> &'static str {
        match self {
            Turn::Starts => "starts",
            Turn::Waits => "puts off",
            Turn::Resumes => "goes back to",
            Turn::Ends => "ends",
            Turn::Notes => "notes",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub time: Time,
    pub bot: EntityId,
    pub turn: Turn,
    /// What the behaviour is called.
    pub goal: &'static str,
    pub reason: Words,
}

impl Line {
    /// What happened, without when and to whom: `starts roaming: nobody has looked there for 20 s`.
    pub fn told(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| {
            write!(f, "{} {}", self.turn.verb(), self.goal)?;
            if self.reason.is_empty() { Ok(()) } else { write!(f, ": {}", self.reason) }
        })
    }
}

/// What a mind writes of others it writes by their numbers. Here with their names, as whoever reads a scoreboard knows them.
pub fn with_names<'n>(told: &str, name: impl Fn(EntityId) -> Option<&'n str>) -> String {
    const PLAYER: &str = "player ";
    let mut named = String::with_capacity(told.len());
    let mut rest = told;
    while let Some(at) = rest.find(PLAYER) {
        let digits = rest[at + PLAYER.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + PLAYER.len() + digits;
        let known = rest[at + PLAYER.len()..end].parse().ok().and_then(|number| name(EntityId(number)));
        named.push_str(&rest[..at]);
        named.push_str(known.unwrap_or(&rest[at..end]));
        rest = &rest[end..];
    }
    named + rest
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = f64::from(self.time.0) / 1000.0;
        write!(f, "{seconds:.2} bot {} {}", self.bot.0, self.told())
    }
}

/// The latest lines of all bots.
#[derive(Clone, Debug)]
pub struct Journal {
    lines: Vec<Line>,
    /// Lines written since the beginning, those that are gone included.
    written: u64,
}

/// About half a minute of 64 busy bots.
pub const LINES_MAX: usize = 4096;

impl Default for Journal {
    fn default() -> Journal {
        Journal { lines: Vec::with_capacity(LINES_MAX), written: 0 }
    }
}

impl Journal {
    /// With room for nothing yet, for minds that are put by and not thought on.
    pub(crate) fn empty() -> Journal {
        Journal { lines: Vec::new(), written: 0 }
    }

    pub fn write(&mut self, line: Line) {
        let slot = (self.written % LINES_MAX as u64) as usize;
        match self.lines.get_mut(slot) {
            Some(old) => *old = line,
            None => self.lines.push(line),
        }
        self.written += 1;
    }

    /// How many lines there have been: pass it to [`Journal::since`] later to get what is new.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Lines from the `start`th on, oldest first; those that the ring has lost are left out.
    pub fn since(&self, start: u64) -> impl Iterator<Item = &Line> {
        let oldest = self.written.saturating_sub(LINES_MAX as u64);
        (start.max(oldest)..self.written).map(|index| &self.lines[(index % LINES_MAX as u64) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(time: i32) -> Line {
        Line { time: Time(time), bot: EntityId(7), turn: Turn::Starts, goal: "roam", reason: Words::from("bored") }
    }

    #[test]
    fn a_line_reads_like_a_sentence() {
        assert_eq!(line(2300).to_string(), "2.30 bot 7 starts roam: bored");
    }

    #[test]
    fn words_that_are_too_long_are_cut_between_letters() {
        let long = words!("{}", "ä".repeat(60));
        assert_eq!(long.as_str().chars().count(), 47);
        assert_eq!(words!("{} of {}", 1, 2).as_str(), "1 of 2");
    }

    #[test]
    fn the_ring_forgets_the_oldest_and_says_what_is_new() {
        let mut journal = Journal::default();
        (0..LINES_MAX as i32 + 10).for_each(|time| journal.write(line(time)));
        assert_eq!(journal.since(0).next().map(|line| line.time), Some(Time(10)));
        let mark = journal.written();
        journal.write(line(9_000_000));
        assert_eq!(journal.since(mark).map(|line| line.time.0).collect::<Vec<_>>(), [9_000_000]);
    }

    #[test]
    fn players_are_told_by_the_names_that_are_known() {
        let name = |entity: EntityId| (entity.0 == 128).then_some("Rook");
        let named = |told: &str| with_names(told, name);
        assert_eq!(named("starts shooting: player 128 is in sight"), "starts shooting: Rook is in sight");
        assert_eq!(named("player 12 after player 128"), "player 12 after Rook");
        assert_eq!(named("no player here"), "no player here");
    }
}
