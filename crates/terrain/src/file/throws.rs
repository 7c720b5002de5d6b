//! The section of throws: the tables one after the other.
//!
//! ```text
//! number of tables (4), then each:
//!   number of names (1), each name's length (1) and letters; number of speeds (1), each (4); a step of cooking in ms (2)
//!   disposals (4), each (3); ff ff ff is none
//!   throws that always hold: kept words (4), pairs (4), summary (8 a word), kept words (8 each), pairs (3 each)
//!   throws that need a door: pairs (4), where each row ends (4 each), columns (2 each), pairs (5 each)
//! ```

use super::bytes::{Fault, Reader, Writer};
use crate::throws::{Listed, Pairs, Stored};
use crate::{ThrowTable, Throws};

/// Most names a table may have.
const NAMES_MAX: usize = 64;

pub(super) fn write(writer: &mut Writer, throws: &Throws) {
    writer.count(throws.tables.len());
    for table in &throws.tables {
        writer.u8(table.throwables.len() as u8);
        for name in &table.throwables {
            writer.u8(name.len() as u8);
            writer.array(name.as_bytes());
        }
        writer.u8(table.speeds.len() as u8);
        table.speeds.iter().for_each(|&speed| writer.f32(speed));
        writer.u16(table.cook_step_ms);
        writer.count(table.disposals.len());
        table.disposals.iter().for_each(|throw| writer.array(&throw.map_or(Stored::NONE, Stored::to_bytes)));
        write_pairs(writer, &table.always);
        write_listed(writer, &table.doors);
    }
}

pub(super) fn read(reader: &mut Reader<'_>, waypoints: usize) -> Result<Throws, Fault> {
    let count = reader.count(1, Throws::MAX)?;
    let mut throws = Throws { tables: Vec::with_capacity(count) };
    for _ in 0..count {
        throws.tables.push(read_table(reader, waypoints)?);
    }
    Ok(throws)
}

fn read_table(reader: &mut Reader<'_>, waypoints: usize) -> Result<ThrowTable, Fault> {
    let mut table = ThrowTable::default();
    let names = usize::from(reader.u8()?);
    if names == 0 || names > NAMES_MAX {
        return Err(reader.fault(format!("a table has 1 to {NAMES_MAX} names, not {names}")));
    }
    for _ in 0..names {
        let length = usize::from(reader.u8()?);
        let name = std::str::from_utf8(reader.take(length)?).map(str::to_owned);
        table.throwables.push(name.map_err(|_| reader.fault("the name is no text"))?);
    }
    let speeds = usize::from(reader.u8()?);
    if speeds == 0 || speeds > Stored::SPEEDS {
        return Err(reader.fault(format!("a table has 1 to {} speeds, not {speeds}", Stored::SPEEDS)));
    }
    for _ in 0..speeds {
        table.speeds.push(reader.f32()?);
    }
    table.cook_step_ms = reader.u16()?;
    let count = reader.count(3, waypoints)?;
    for bytes in reader.take(count * 3)?.as_chunks().0 {
        table.disposals.push((*bytes != Stored::NONE).then(|| Stored::from_bytes(bytes)));
    }
    table.always = read_pairs(reader, waypoints)?;
    table.doors = read_listed(reader, waypoints)?;
    Ok(table)
}

fn write_pairs<const B: usize>(writer: &mut Writer, pairs: &Pairs<B>) {
    let (summary, words, bytes) = pairs.columns();
    writer.count(words.len());
    writer.count(bytes.len());
    summary.iter().chain(words).for_each(|&word| writer.u64(word));
    writer.array(bytes.as_flattened());
}

fn read_pairs<const B: usize>(reader: &mut Reader<'_>, waypoints: usize) -> Result<Pairs<B>, Fault> {
    let (kept, pairs) = (reader.u32()? as usize, reader.u32()? as usize);
    let mut words = |count: usize| {
        let bytes = reader.take(count.saturating_mul(8))?;
        Ok(bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect())
    };
    let (summary, kept) = (words(Pairs::<B>::summary_words(waypoints))?, words(kept)?);
    let bytes = reader.take(pairs.saturating_mul(B))?.as_chunks().0.to_vec();
    let pairs = Pairs::from_columns(waypoints, summary, kept, bytes);
    pairs.ok_or_else(|| reader.fault("the pairs and their bits do not fit together"))
}

fn write_listed<const B: usize>(writer: &mut Writer, listed: &Listed<B>) {
    let (ends, columns, bytes) = listed.columns();
    writer.count(bytes.len());
    ends.iter().for_each(|&end| writer.u32(end));
    columns.iter().for_each(|&column| writer.u16(column));
    writer.array(bytes.as_flattened());
}

fn read_listed<const B: usize>(reader: &mut Reader<'_>, waypoints: usize) -> Result<Listed<B>, Fault> {
    let pairs = reader.u32()? as usize;
    let ends = reader.take(waypoints.saturating_mul(4))?.as_chunks().0.iter().map(|&end| u32::from_le_bytes(end));
    let columns = reader.take(pairs.saturating_mul(2))?.as_chunks().0.iter().map(|&column| u16::from_le_bytes(column));
    let bytes = reader.take(pairs.saturating_mul(B))?.as_chunks().0.to_vec();
    let listed = Listed::from_columns(ends.collect(), columns.collect(), bytes);
    listed.ok_or_else(|| reader.fault("the rows of throws through doors do not fit together"))
}
