//! Throws as text: a line for each table, then one for each target that has any.
//!
//! `throws NAME,NAME speeds 700 cook 400`, then `always AT FROM=BYTES FROM=BYTES …` and `door AT FROM=BYTES …`, the bytes in
//! hexadecimal digits as the file has them.

use std::fmt::{self, Write};

use super::escaped;
use crate::text::{TextError, Words};
use crate::throws::{Listed, Pairs, Stored};
use crate::{ThrowTable, Throws};

pub(super) fn write(out: &mut String, throws: &Throws) -> fmt::Result {
    for table in &throws.tables {
        let names: Vec<String> = table.throwables.iter().map(|name| escaped(name).replace(',', "\\u{2c}")).collect();
        let speeds: Vec<String> = table.speeds.iter().map(f32::to_string).collect();
        writeln!(out, "throws {} speeds {} cook {}", names.join(","), speeds.join(","), table.cook_step_ms)?;
        for (from, throw) in table.disposals.iter().enumerate() {
            let digits = hexadecimal(&throw.map_or(Stored::NONE, Stored::to_bytes));
            writeln!(out, "disposal {from} {digits}")?;
        }
        for at in 0..table.always.size() {
            write_row(out, "always", at, table.always.row(at))?;
        }
        for at in 0..table.doors.size() {
            write_row(out, "door", at, table.doors.row(at))?;
        }
    }
    Ok(())
}

fn write_row<'a, const B: usize>(
    out: &mut String,
    verb: &str,
    at: usize,
    row: impl Iterator<Item = (usize, &'a [u8; B])>,
) -> fmt::Result {
    let mut row = row.peekable();
    if row.peek().is_none() {
        return Ok(());
    }
    write!(out, "{verb} {at}")?;
    for (from, bytes) in row {
        write!(out, " {from}={}", hexadecimal(bytes))?;
    }
    writeln!(out)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Tables whose lines are still coming.
#[derive(Default)]
pub(super) struct Reading {
    tables: Vec<Table>,
}

#[derive(Default)]
struct Table {
    table: ThrowTable,
    always: Vec<(usize, usize, [u8; 3])>,
    doors: Vec<(usize, usize, [u8; 5])>,
}

impl Reading {
    pub(super) fn table(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        if self.tables.len() == Throws::MAX {
            return Err(words.error(format!("a terrain has at most {} tables of throws", Throws::MAX)));
        }
        let names = words.word("name of a throwable")?.split(',');
        let throwables = names.map(|name| super::read::unescaped(words, name)).collect::<Result<Vec<String>, _>>()?;
        words.expect("speeds")?;
        let speeds = words.word("speeds")?;
        let parsed: Option<Vec<f32>> = speeds.split(',').map(|speed| speed.parse().ok()).collect();
        let speeds = parsed
            .filter(|speeds| speeds.len() <= Stored::SPEEDS)
            .ok_or_else(|| words.error(format!("`{speeds}` are not 1 to {} speeds", Stored::SPEEDS)))?;
        let cook_step_ms = words.keyed("cook")?;
        let table = ThrowTable { throwables, speeds, cook_step_ms, ..ThrowTable::default() };
        self.tables.push(Table { table, ..Table::default() });
        Ok(())
    }

    pub(super) fn disposal(&mut self, words: &mut Words<'_>, waypoints: usize) -> Result<(), TextError> {
        let Some(Table { table, .. }) = self.tables.last_mut() else {
            return Err(words.error("no line `throws` comes before this"));
        };
        let from: usize = words.number("waypoint")?;
        if from != table.disposals.len() || from >= waypoints {
            return Err(words.error(format!("waypoint {from} is not the next one")));
        }
        let digits = words.word("throw")?;
        let bytes = bytes_of(digits).ok_or_else(|| words.error(format!("`{digits}` is no throw")))?;
        table.disposals.push((bytes != Stored::NONE).then(|| Stored::from_bytes(&bytes)));
        Ok(())
    }

    pub(super) fn always(&mut self, words: &mut Words<'_>, waypoints: usize) -> Result<(), TextError> {
        read_row(words, waypoints, self.tables.last_mut().map(|table| &mut table.always))
    }

    pub(super) fn door(&mut self, words: &mut Words<'_>, waypoints: usize) -> Result<(), TextError> {
        read_row(words, waypoints, self.tables.last_mut().map(|table| &mut table.doors))
    }

    pub(super) fn finish(self, waypoints: usize) -> Throws {
        let tables = self.tables.into_iter().map(|Table { table, always, doors }| ThrowTable {
            always: Pairs::of(waypoints, always),
            doors: Listed::of(waypoints, doors),
            ..table
        });
        Throws { tables: tables.collect() }
    }
}

fn read_row<const B: usize>(
    words: &mut Words<'_>,
    waypoints: usize,
    rows: Option<&mut Vec<(usize, usize, [u8; B])>>,
) -> Result<(), TextError> {
    let rows = rows.ok_or_else(|| words.error("no line `throws` comes before this"))?;
    let at: usize = words.number("waypoint")?;
    while let Some(word) = words.peek() {
        words.word("throw")?;
        let parse = |word: &str| {
            let (from, digits) = word.split_once('=')?;
            Some((from.parse::<usize>().ok()?, bytes_of(digits)?))
        };
        let (from, bytes) = parse(word).ok_or_else(|| words.error(format!("`{word}` is no throw")))?;
        let is_in_turn = rows.last().is_none_or(|&(last_at, last_from, _)| (last_at, last_from) < (at, from));
        if at >= waypoints || from >= waypoints || !is_in_turn {
            return Err(words.error(format!("{at} {word} is no pair below {waypoints} that follows the last")));
        }
        rows.push((at, from, bytes));
    }
    Ok(())
}

fn bytes_of<const B: usize>(digits: &str) -> Option<[u8; B]> {
    if digits.len() != B * 2 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; B];
    for (number, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(number * 2..number * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}
