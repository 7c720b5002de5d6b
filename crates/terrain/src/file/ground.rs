//! The section of the ground, packed: neighbouring columns are much alike.
//!
//! ```text
//! cell (f32), origin (2 × i32), size (2 × u32), number of spans (u32), bytes of the counts (u32)
//! counts: 0 to 127 is a column with that many spans; 128 to 255 is a run of 1 to 128 columns without any
//! spans:  a byte that says what differs from the last span of the same storey, then only that:
//!         1 feet (difference: i16), 2 headroom (u8), 4 flags (u8), 8 waypoint (u16)
//! ```
//! The storey of a span is its place in its column. What the last span of a storey is before there was one: all 0.
//! Packed, a span takes about 2 bytes of the 6 it has in memory.

use super::bytes::{Fault, Reader, Writer};
use crate::ground::{Ground, Span, SpanFlags};
use crate::ids::WaypointId;

const FEET: u8 = 1;
const HEADROOM: u8 = 2;
const FLAGS: u8 = 4;
const WAYPOINT: u8 = 8;

const RUN: u8 = 128;
const RUN_MAX: usize = 128;
const _: () = assert!(Ground::COLUMN_SPANS_MAX < RUN as usize);

/// The last span of each storey.
type Storeys = [Span; Ground::COLUMN_SPANS_MAX];

const FIRST: Span = Span { feet: 0, headroom: 0, flags: SpanFlags::NONE, waypoint: WaypointId(0) };

pub(super) fn write(writer: &mut Writer, ground: &Ground) {
    writer.f32(ground.cell);
    ground.origin.iter().for_each(|&cell| writer.i32(cell));
    ground.size.iter().for_each(|&cells| writer.u32(cells));
    writer.count(ground.spans.len());
    let counts = write_counts(ground);
    writer.count(counts.len());
    writer.array(&counts);
    let mut storeys: Storeys = [FIRST; Ground::COLUMN_SPANS_MAX];
    for column in 0..ground.columns() {
        for (last, span) in storeys.iter_mut().zip(ground.column(column)) {
            write_span(writer, last, span);
            *last = *span;
        }
    }
}

fn write_counts(ground: &Ground) -> Vec<u8> {
    let mut counts = Vec::new();
    let mut empty = 0;
    for column in 0..ground.columns() {
        let spans = ground.column(column).len();
        if spans == 0 && empty < RUN_MAX {
            empty += 1;
            continue;
        }
        write_run(&mut counts, &mut empty);
        if spans == 0 {
            empty = 1;
        } else {
            counts.push(spans as u8);
        }
    }
    write_run(&mut counts, &mut empty);
    counts
}

fn write_run(counts: &mut Vec<u8>, empty: &mut usize) {
    if *empty > 0 {
        counts.push(RUN + (*empty - 1) as u8);
        *empty = 0;
    }
}

fn write_span(writer: &mut Writer, last: &Span, span: &Span) {
    let bit = |differs: bool, bit: u8| if differs { bit } else { 0 };
    let differs = bit(span.feet != last.feet, FEET)
        | bit(span.headroom != last.headroom, HEADROOM)
        | bit(span.flags != last.flags, FLAGS)
        | bit(span.waypoint != last.waypoint, WAYPOINT);
    writer.u8(differs);
    if differs & FEET != 0 {
        writer.u16(span.feet.wrapping_sub(last.feet) as u16);
    }
    if differs & HEADROOM != 0 {
        writer.u8(span.headroom);
    }
    if differs & FLAGS != 0 {
        writer.u8(span.flags.0);
    }
    if differs & WAYPOINT != 0 {
        writer.u16(span.waypoint.0);
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Ground, Fault> {
    let cell = reader.f32()?;
    let origin = [reader.i32()?, reader.i32()?];
    let size = [reader.u32()?, reader.u32()?];
    let span_count = reader.count(1, Ground::SPANS_MAX)?;
    let count_bytes = reader.count(1, usize::MAX)?;
    let counts = reader.take(count_bytes)?;
    let columns = (size[0] as usize).saturating_mul(size[1] as usize);
    let described: usize = counts.iter().map(|&count| columns_of(count)).sum();
    if columns > Ground::COLUMNS_MAX || described != columns {
        return Err(reader.fault(format!("{described} columns are described, the size is {} by {}", size[0], size[1])));
    }
    let counted: usize = counts.iter().filter(|&&count| count < RUN).map(|&count| usize::from(count)).sum();
    if counted != span_count || span_count > reader.left() {
        return Err(reader.fault(format!("{span_count} spans are promised, the columns have {counted}")));
    }
    let mut ground = Ground { cell, origin, size, column_first: Vec::with_capacity(columns + 1), spans: Vec::new() };
    ground.column_first.push(0);
    ground.spans.reserve_exact(span_count);
    let mut storeys: Storeys = [FIRST; Ground::COLUMN_SPANS_MAX];
    let mut bytes = reader.rest();
    for &count in counts {
        if count < RUN {
            for last in &mut storeys[..usize::from(count)] {
                let Some(span) = read_span(&mut bytes, last) else {
                    reader.take(reader.left() - bytes.len())?;
                    return Err(reader.fault(format!("span {} is cut short or says nothing", ground.spans.len())));
                };
                *last = span;
                ground.spans.push(span);
            }
        }
        let end = ground.spans.len() as u32;
        ground.column_first.extend(std::iter::repeat_n(end, columns_of(count)));
    }
    reader.take(reader.left() - bytes.len())?;
    Ok(ground)
}

fn columns_of(count: u8) -> usize {
    if count < RUN { 1 } else { usize::from(count - RUN) + 1 }
}

/// The next span, or none if it is cut short or says what no span can. Apart from the reader and its faults: a large map
/// has 200,000 spans, and a server waits for them.
#[inline(always)]
fn read_span(bytes: &mut &[u8], last: &Span) -> Option<Span> {
    let mut span = *last;
    let (&differs, mut rest) = bytes.split_first()?;
    if differs & !(FEET | HEADROOM | FLAGS | WAYPOINT) != 0 {
        return None;
    }
    if differs & FEET != 0 {
        let (feet, after) = rest.split_first_chunk()?;
        (span.feet, rest) = (last.feet.wrapping_add(i16::from_le_bytes(*feet)), after);
    }
    if differs & HEADROOM != 0 {
        let (&headroom, after) = rest.split_first()?;
        (span.headroom, rest) = (headroom, after);
    }
    if differs & FLAGS != 0 {
        let (&flags, after) = rest.split_first()?;
        (span.flags, rest) = (SpanFlags(flags), after);
    }
    if differs & WAYPOINT != 0 {
        let (waypoint, after) = rest.split_first_chunk()?;
        (span.waypoint, rest) = (WaypointId(u16::from_le_bytes(*waypoint)), after);
    }
    *bytes = rest;
    Some(span)
}
