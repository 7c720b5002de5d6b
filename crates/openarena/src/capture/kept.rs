//! Captures as they are kept in git: lines of text, gzipped, so that `zcat` shows them and a test replays them.
//!
//! ```text
//! fireteam capture 1 traces
//! engine 'ioq3%201.36...
//! command 'cargo%20xtask%20capture%20--seed%201
//! seed 1
//! tolerance 0.03125
//! settings 2 'g_gravity '800 'g_speed '320
//! # what the columns of the lines below mean
//! map 'oa_dm1
//! ...
//! ```
//! A line is a word that names its kind, then the fields of its row in order; words of text begin with `'`. Floats are
//! the shortest decimals that read back as the same bits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use thiserror::Error;

use super::field::{Fault, Field, Line, Words};

const MAGIC: &str = "fireteam capture 1";
/// Unpacked; the largest kept file has 20 MB.
const TEXT_BYTES_MAX: usize = 256 << 20;
/// Slowest and smallest.
const COMPRESSION: u8 = 10;
/// Magic, deflate, no flags, no time, slowest compression, unknown system.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];

#[derive(Debug, Error)]
pub enum KeptError {
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("{path}: not a gzip file as `cargo xtask capture` writes it")]
    NotGzip { path: PathBuf },
    #[error("{path}: damaged: {what}")]
    Damaged { path: PathBuf, what: &'static str },
    #[error("{path}:{line}: {fault}")]
    Line { path: PathBuf, line: usize, fault: Fault },
    #[error("{path}:{line}: expected {expected}")]
    Expected { path: PathBuf, line: usize, expected: String },
}

/// The kinds of line a file may have after its head.
pub trait KeptLine: Sized {
    /// What the file is about, in its first line.
    const SUBJECT: &'static str;
    /// Comment for people: what stands in the columns.
    const LEGEND: &'static str;
    /// The word a line begins with, and the rest of it.
    fn write(&self) -> (&'static str, Words);
    fn read(kind: &str, line: &mut Line<'_>) -> Result<Option<Self>, Fault>;
}

/// Declares the lines of a file: an enum whose variants hold one row each.
macro_rules! kept_lines {
    ($(#[$doc:meta])* $visible:vis $name:ident, $subject:literal, $legend:literal { $($(#[$line_doc:meta])* $word:literal $line:ident($row:ty),)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        $visible enum $name { $($(#[$line_doc])* $line($row),)* }

        impl $crate::capture::kept::KeptLine for $name {
            const SUBJECT: &'static str = $subject;
            const LEGEND: &'static str = $legend;
            fn write(&self) -> (&'static str, $crate::capture::field::Words) {
                let mut words = $crate::capture::field::Words::default();
                match self {
                    $($name::$line(row) => {
                        $crate::capture::field::Field::put(row, &mut words);
                        ($word, words)
                    })*
                }
            }
            fn read(
                kind: &str,
                line: &mut $crate::capture::field::Line<'_>,
            ) -> Result<Option<Self>, $crate::capture::field::Fault> {
                match kind {
                    $($word => Ok(Some($name::$line($crate::capture::field::Field::take(line)?))),)*
                    _ => Ok(None),
                }
            }
        }
    };
}
pub(crate) use kept_lines;

/// Where rows come from, said at the top of every kept file.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Origin {
    pub engine: String,
    /// What remakes the file.
    pub command: String,
    pub seed: i32,
    /// How far, in units, a row played again may end from where the engine ended.
    pub tolerance: f32,
    /// The console variables that decide how things move, with their values.
    pub settings: Vec<(String, String)>,
}

/// A kept file in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept<L> {
    pub origin: Origin,
    pub lines: Vec<L>,
}

impl<L: KeptLine> Kept<L> {
    pub fn load(path: &Path) -> Result<Kept<L>, KeptError> {
        Kept::parse(path, &unpack(path)?)
    }

    pub fn save(&self, path: &Path) -> Result<(), KeptError> {
        let file = |source| KeptError::File { path: path.to_owned(), source };
        // A reader never sees half a file.
        let part = path.with_extension("part");
        fs::write(&part, pack(self.text().as_bytes())).map_err(file)?;
        fs::rename(&part, path).map_err(file)
    }

    fn text(&self) -> String {
        let Origin { engine, command, seed, tolerance, settings } = &self.origin;
        let mut text = format!("{MAGIC} {}\n", L::SUBJECT);
        text += &format!("engine {}\n", words(engine));
        text += &format!("command {}\n", words(command));
        text += &format!("seed {}\n", words(seed));
        text += &format!("tolerance {}\n", words(tolerance));
        text += &format!("settings {}\n", words(settings));
        for line in L::LEGEND.lines() {
            text += &format!("# {}\n", line.trim());
        }
        for line in &self.lines {
            let (kind, words) = line.write();
            text.push_str(kind);
            text.push(' ');
            text.push_str(&words.0);
            text.push('\n');
        }
        text
    }

    fn parse(path: &Path, text: &str) -> Result<Kept<L>, KeptError> {
        let mut lines =
            text.lines().enumerate().map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.starts_with('#'));
        let first = format!("{MAGIC} {}", L::SUBJECT);
        if lines.next().is_none_or(|(_, line)| line != first) {
            return Err(KeptError::Expected { path: path.to_owned(), line: 1, expected: format!("`{first}`") });
        }
        let origin = Origin {
            engine: head(path, &mut lines, "engine")?,
            command: head(path, &mut lines, "command")?,
            seed: head(path, &mut lines, "seed")?,
            tolerance: head(path, &mut lines, "tolerance")?,
            settings: head(path, &mut lines, "settings")?,
        };
        let lines = lines.map(|(number, line)| read_line(path, number, line)).collect::<Result<_, _>>()?;
        Ok(Kept { origin, lines })
    }
}

fn words(field: &impl Field) -> String {
    let mut words = Words::default();
    field.put(&mut words);
    words.0
}

fn head<'a, T: Field>(
    path: &Path,
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    kind: &str,
) -> Result<T, KeptError> {
    let (number, line) = lines.next().unwrap_or_default();
    let Some(rest) = line.strip_prefix(kind) else {
        return Err(KeptError::Expected { path: path.to_owned(), line: number, expected: format!("`{kind}`") });
    };
    T::take(&mut Line(rest)).map_err(|fault| KeptError::Line { path: path.to_owned(), line: number, fault })
}

fn read_line<L: KeptLine>(path: &Path, number: usize, line: &str) -> Result<L, KeptError> {
    let fault = |fault| KeptError::Line { path: path.to_owned(), line: number, fault };
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut rest = Line(rest);
    let Some(row) = L::read(kind, &mut rest).map_err(fault)? else {
        let expected = format!("a line of {}, not `{kind}`", L::SUBJECT);
        return Err(KeptError::Expected { path: path.to_owned(), line: number, expected });
    };
    rest.finish().map_err(fault)?;
    Ok(row)
}

/// The text of a kept file, whatever its subject.
pub fn unpack(path: &Path) -> Result<String, KeptError> {
    let bytes = fs::read(path).map_err(|source| KeptError::File { path: path.to_owned(), source })?;
    let damaged = |what| KeptError::Damaged { path: path.to_owned(), what };
    let body = bytes.strip_prefix(&GZIP_HEAD).ok_or_else(|| KeptError::NotGzip { path: path.to_owned() })?;
    let (body, tail) = body.split_last_chunk::<8>().ok_or_else(|| damaged("too short"))?;
    let text = decompress_to_vec_with_limit(body, TEXT_BYTES_MAX).map_err(|_| damaged("cannot be inflated"))?;
    if *tail != gzip_tail(&text) {
        return Err(damaged("checksum or length differ"));
    }
    String::from_utf8(text).map_err(|_| damaged("not UTF-8"))
}

fn pack(text: &[u8]) -> Vec<u8> {
    let mut bytes = GZIP_HEAD.to_vec();
    bytes.extend(compress_to_vec(text, COMPRESSION));
    bytes.extend(gzip_tail(text));
    bytes
}

/// CRC-32 and length, as gzip ends.
fn gzip_tail(text: &[u8]) -> [u8; 8] {
    let crc = !text.iter().fold(!0u32, |crc, &byte| CRC_TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8));
    let mut tail = [0; 8];
    tail[..4].copy_from_slice(&crc.to_le_bytes());
    tail[4..].copy_from_slice(&(text.len() as u32).to_le_bytes());
    tail
}

/// Of the polynomial of IEEE 802.3, reflected.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam_world::Vec3;

    kept_lines!(
        /// Lines to test with.
        TestLine, "tests", "map NAME\npoint X Y Z" {
            "map" Map(String),
            "point" Point(Vec3),
        }
    );

    fn sample() -> Kept<TestLine> {
        Kept {
            origin: Origin {
                engine: "an engine 1.0".to_owned(),
                command: "cargo xtask".to_owned(),
                seed: 7,
                tolerance: 0.25,
                settings: vec![("g_speed".to_owned(), "320".to_owned())],
            },
            lines: vec![TestLine::Map("oa_dm1".to_owned()), TestLine::Point(Vec3::new(0.1, -0.0, 1e9))],
        }
    }

    #[test]
    fn file_comes_back() {
        let path = std::env::temp_dir().join(format!("fireteam-kept-{}.gz", std::process::id()));
        sample().save(&path).expect("temporary file");
        let loaded = Kept::load(&path);
        fs::remove_file(&path).expect("made above");
        assert_eq!(loaded.expect("just written"), sample());
    }

    #[test]
    fn checksum_is_that_of_gzip() {
        // The check value every description of CRC-32 gives.
        assert_eq!(gzip_tail(b"123456789")[..4], 0xcbf4_3926u32.to_le_bytes());
    }

    #[test]
    fn wrong_word_is_reported_with_its_line() {
        let text = sample().text().replace("point", "pint");
        let error = Kept::<TestLine>::parse(Path::new("f"), &text).expect_err("no such line");
        assert_eq!(error.to_string(), "f:10: expected a line of tests, not `pint`");
    }

    #[test]
    fn column_too_many_is_reported_with_its_line() {
        let text = sample().text().replace("-0", "-0 5");
        let error = Kept::<TestLine>::parse(Path::new("f"), &text).expect_err("four coordinates");
        assert_eq!(error.to_string(), "f:10: 1 fields too many");
    }

    #[test]
    fn flipped_bit_is_noticed() {
        let path = std::env::temp_dir().join(format!("fireteam-flip-{}.gz", std::process::id()));
        let mut bytes = pack(sample().text().as_bytes());
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        fs::write(&path, bytes).expect("temporary file");
        let loaded = Kept::<TestLine>::load(&path);
        fs::remove_file(&path).expect("made above");
        assert!(loaded.is_err());
    }
}
