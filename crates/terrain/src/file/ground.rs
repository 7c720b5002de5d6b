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
/// has 200,000 spans, and a server waits for them. What differs is as good as chance, so nothing branches on it: the eight
/// bytes a span can have at most are taken together and shifted apart by a table.
#[inline(always)]
fn read_span(bytes: &mut &[u8], last: &Span) -> Option<Span> {
    let word = match bytes.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => tail_word(bytes),
    };
    let layout = &LAYOUTS[(word & 15) as usize];
    if word & 0xf0 != 0 || layout.bytes > bytes.len() {
        return None;
    }
    *bytes = &bytes[layout.bytes..];
    let part = |part: Part| (word >> part.shift) & part.mask;
    let kept = |part: Part, old: u64| if part.mask == 0 { old } else { 0 };
    Some(Span {
        feet: last.feet.wrapping_add(part(layout.feet) as i16),
        headroom: (part(layout.headroom) | kept(layout.headroom, last.headroom.into())) as u8,
        flags: SpanFlags((part(layout.flags) | kept(layout.flags, last.flags.0.into())) as u8),
        waypoint: WaypointId((part(layout.waypoint) | kept(layout.waypoint, last.waypoint.0.into())) as u16),
    })
}

/// The last bytes of a section, with zeros behind them.
#[cold]
fn tail_word(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    // No bytes at all are no span; a bit that has no meaning says so.
    if bytes.is_empty() { 0xf0 } else { u64::from_le_bytes(eight) }
}

/// Where the parts of a span lie in its bytes.
#[derive(Clone, Copy)]
struct Layout {
    bytes: usize,
    feet: Part,
    headroom: Part,
    flags: Part,
    waypoint: Part,
}

/// Nothing of it is there if the mask is 0.
#[derive(Clone, Copy)]
struct Part {
    shift: u32,
    mask: u64,
}

/// One for each byte that says what differs.
const LAYOUTS: [Layout; 16] = {
    const NONE: Part = Part { shift: 0, mask: 0 };
    let mut layouts = [Layout { bytes: 1, feet: NONE, headroom: NONE, flags: NONE, waypoint: NONE }; 16];
    let mut differs = 0;
    while differs < layouts.len() {
        let layout = &mut layouts[differs];
        let differs_in = differs as u8;
        if differs_in & FEET != 0 {
            layout.feet = Part { shift: 8 * layout.bytes as u32, mask: 0xffff };
            layout.bytes += 2;
        }
        if differs_in & HEADROOM != 0 {
            layout.headroom = Part { shift: 8 * layout.bytes as u32, mask: 0xff };
            layout.bytes += 1;
        }
        if differs_in & FLAGS != 0 {
            layout.flags = Part { shift: 8 * layout.bytes as u32, mask: 0xff };
            layout.bytes += 1;
        }
        if differs_in & WAYPOINT != 0 {
            layout.waypoint = Part { shift: 8 * layout.bytes as u32, mask: 0xffff };
            layout.bytes += 2;
        }
        differs += 1;
    }
    layouts
};
