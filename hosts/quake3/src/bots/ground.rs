//! Where on a map somebody may stand, as the library of the game's own bots has it.
//!
//! In: the library's file of a map (`maps/NAME.aas`, version 5; ioquake3's `code/botlib/aasfile.h`). Out: its areas on dry ground
//! that lead anywhere, the larger first, and what room the library takes to keep the ways to each.
//!
//! On islanddm those are 3831 of 10443 areas. Of 763 places that bots there asked for ways to, 96 % lie in them.

/// "EAAS", and the version that all of OpenArena's files have.
const MAGIC: [u8; 4] = *b"EAAS";
const VERSION: i32 = 5;
/// Everything after magic and version is masked, up to the end of the table of lumps: a checksum, then offset and length of each.
const MASKED: std::ops::Range<usize> = 8..12 + 8 * LUMPS;
const MASK_STEP: usize = 119;
const LUMPS: usize = 14;
const BOXES_LUMP: usize = 7;
const BOX_BYTES: usize = 48;
const AREAS_LUMP: usize = 8;
const AREA_BYTES: usize = 28;
const PARTS_LUMP: usize = 13;
const PART_BYTES: usize = 16;

/// In an area's flags: one can stand there; it is in water or worse.
const GROUNDED: i32 = 1;
const LIQUID: i32 = 4;
/// What the library keeps of a way from each area of a part of the map: a time of two bytes, and the first step in one.
const BYTES_PER_AREA: usize = 3;
/// What it keeps besides, with what the engine adds to whatever it allots.
const BYTES_BESIDES: usize = 128;

/// An area somebody may stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) area: i32,
    /// That the library takes to keep the ways to it from everywhere in its part of the map.
    pub(super) bytes: usize,
}

/// All of a map, the larger first; or what is wrong with the file.
pub(super) fn read(file: &[u8]) -> Result<Vec<Standing>, String> {
    let table = table(file)?;
    let boxes = lump(file, &table, BOXES_LUMP, BOX_BYTES)?;
    let areas = lump(file, &table, AREAS_LUMP, AREA_BYTES)?;
    let parts: Vec<usize> = lump(file, &table, PARTS_LUMP, PART_BYTES)?.map(|part| int(part, 4) as usize).collect();
    // Doorways belong to two parts.
    let largest = parts.iter().copied().max().unwrap_or(0);
    let mut found: Vec<(f32, Standing)> = Vec::new();
    // The first of both is nobody's.
    for (number, (extent, area)) in boxes.zip(areas).enumerate().skip(1) {
        let (flags, part, links) = (int(area, 4), int(area, 12), int(area, 20));
        if flags & (GROUNDED | LIQUID) == GROUNDED && links > 0 {
            let from = usize::try_from(part).ok().and_then(|part| parts.get(part).copied()).unwrap_or(largest);
            let bytes = from * BYTES_PER_AREA + BYTES_BESIDES;
            let size = (float(extent, 24) - float(extent, 12)) * (float(extent, 28) - float(extent, 16));
            found.push((size, Standing { area: number as i32, bytes }));
        }
    }
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    Ok(found.into_iter().map(|(_, standing)| standing).collect())
}

/// The table of lumps without its mask, with what stands before it.
fn table(file: &[u8]) -> Result<Vec<u8>, String> {
    let mut table = file.get(..MASKED.end).ok_or("it ends in its table of lumps")?.to_vec();
    if table[..4] != MAGIC || int(&table, 4) != VERSION {
        return Err(format!("it does not begin with EAAS and version {VERSION}"));
    }
    for (number, byte) in table[MASKED].iter_mut().enumerate() {
        *byte ^= (number * MASK_STEP) as u8;
    }
    Ok(table)
}

/// The entries of a lump.
fn lump<'a>(
    file: &'a [u8],
    table: &[u8],
    number: usize,
    entry: usize,
) -> Result<std::slice::ChunksExact<'a, u8>, String> {
    let (offset, length) = (int(table, 12 + 8 * number), int(table, 16 + 8 * number));
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
    let bytes = file.get(start..end).ok_or_else(|| format!("lump {number} at {offset} is not all there"))?;
    Ok(bytes.chunks_exact(entry))
}

/// Callers know that there are four bytes.
fn int(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn float(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(int(bytes, at) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Side of the area, flags, part, links.
    type Given = (f32, i32, i32, i32);

    fn file(areas: &[Given], parts: &[i32]) -> Vec<u8> {
        let (mut boxes, mut settings, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for &(side, flags, part, links) in areas {
            boxes.extend([0; 24]);
            [side, side, 64.0].iter().for_each(|value| boxes.extend(value.to_le_bytes()));
            boxes.extend([0; 12]);
            [0, flags, 6, part, 0, links, 0].iter().for_each(|value: &i32| settings.extend(value.to_le_bytes()));
        }
        for &count in parts {
            [count, count, 0, 0].iter().for_each(|value| sizes.extend(value.to_le_bytes()));
        }
        let mut table = vec![0; MASKED.end];
        table[..4].copy_from_slice(&MAGIC);
        table[4..8].copy_from_slice(&VERSION.to_le_bytes());
        let mut body = Vec::new();
        for (number, lump) in [(BOXES_LUMP, boxes), (AREAS_LUMP, settings), (PARTS_LUMP, sizes)] {
            let at = 12 + 8 * number;
            table[at..at + 4].copy_from_slice(&((MASKED.end + body.len()) as i32).to_le_bytes());
            table[at + 4..at + 8].copy_from_slice(&(lump.len() as i32).to_le_bytes());
            body.extend(lump);
        }
        for (number, byte) in table[MASKED].iter_mut().enumerate() {
            *byte ^= (number * MASK_STEP) as u8;
        }
        [table, body].concat()
    }

    #[test]
    fn dry_ground_that_leads_anywhere_comes_by_size() {
        let dry = GROUNDED;
        let areas = [
            (900.0, dry, 1, 5),
            (32.0, dry, 1, 1),
            (64.0, dry, 2, 1),
            (48.0, dry, -1, 2),
            (99.0, 0, 1, 1),
            (99.0, dry | LIQUID, 1, 1),
            (99.0, dry, 1, 0),
        ];
        let found = read(&file(&areas, &[0, 10, 1000])).expect("it is whole");
        let standing = |area, from| Standing { area, bytes: from * BYTES_PER_AREA + BYTES_BESIDES };
        assert_eq!(found, [standing(2, 1000), standing(3, 1000), standing(1, 10)]);
    }

    #[test]
    fn a_broken_file_is_an_error_and_no_panic() {
        let whole = file(&[(1.0, 0, 1, 1), (32.0, GROUNDED, 1, 1)], &[0, 2]);
        assert_eq!(read(&whole).map(|found| found.len()), Ok(1));
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        let mut other = whole;
        other[4] = 4;
        assert!(read(&other).is_err_and(|error| error.contains("version 5")));
    }
}
