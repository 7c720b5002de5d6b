//! A picture in few colours: which ones, and which of them each pixel gets.
//!
//! After P. Heckbert, "Color Image Quantization for Frame Buffer Display", SIGGRAPH, 1982: the heaviest box of colours is cut
//! at its median, along its longest side, until there are enough boxes; heavy is not only what has many pixels. Colours
//! are counted in steps of 8; nothing is dithered, since that costs the bytes a palette saves, and a pixel keeps its
//! neighbour's colour if it may.

/// Colours of a palette.
const COLOURS: usize = 96;
/// Channels that differ by no more than this look the same.
const LIKE: u8 = 4;
/// Steps of a channel when colours are counted.
const STEPS: usize = 32;

/// A colour that occurs: its steps, how many pixels have it, and the sum of what they have exactly.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    steps: [u8; 3],
    pixels: u64,
    sum: [u64; 3],
}

/// A palette (three bytes a colour) for pixels of four bytes, and the index of each pixel's colour.
pub(super) fn reduce(pixels: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let bin = |pixel: &[u8]| pixel[..3].iter().fold(0, |bin, part| bin * STEPS + usize::from(*part) * STEPS / 256);
    let mut bins = vec![Counted::default(); STEPS * STEPS * STEPS];
    for pixel in pixels.chunks_exact(4) {
        let counted = &mut bins[bin(pixel)];
        counted.steps = [0, 1, 2].map(|part| pixel[part] / (256 / STEPS) as u8);
        counted.pixels += 1;
        counted.sum = [0, 1, 2].map(|part| counted.sum[part] + u64::from(pixel[part]));
    }
    let occurring: Vec<Counted> = bins.iter().filter(|counted| counted.pixels > 0).copied().collect();
    let boxes = cut(occurring);
    let mut palette = Vec::with_capacity(boxes.len() * 3);
    let mut index_of = vec![0_u8; bins.len()];
    for (index, colours) in boxes.iter().enumerate() {
        let count: u64 = colours.iter().map(|colour| colour.pixels).sum();
        palette
            .extend([0, 1, 2].map(|part| (colours.iter().map(|colour| colour.sum[part]).sum::<u64>() / count) as u8));
        for colour in colours {
            let bin = colour.steps.iter().fold(0, |bin, step| bin * STEPS + usize::from(*step));
            index_of[bin] = index as u8;
        }
    }
    let mut last = 0_u8;
    let indices = pixels.chunks_exact(4).map(|pixel| {
        let is_like = |index: u8| {
            let colour = palette.get(usize::from(index) * 3..).unwrap_or_default();
            colour.len() >= 3 && pixel.iter().zip(&colour[..3]).all(|(a, b)| a.abs_diff(*b) <= LIKE)
        };
        // What was good enough for the neighbour is good enough here: grain becomes runs, which cost next to nothing.
        last = if is_like(last) { last } else { index_of[bin(pixel)] };
        last
    });
    let indices = indices.collect();
    (palette, indices)
}

/// Boxes of colours, each with at least one.
fn cut(all: Vec<Counted>) -> Vec<Vec<Counted>> {
    const { assert!(COLOURS <= 256) };
    let mut boxes = if all.is_empty() { Vec::new() } else { vec![all] };
    while boxes.len() < COLOURS {
        let weight = |colours: &Vec<Counted>| match colours.len() {
            0 | 1 => 0,
            // By the root of its pixels: a mark that is small but of a colour of its own must not be lost in a large floor.
            _ => u64::from(longest(colours).1).pow(2) * colours.iter().map(|colour| colour.pixels).sum::<u64>().isqrt(),
        };
        let Some(heaviest) = (0..boxes.len()).max_by_key(|&index| weight(&boxes[index])) else { break };
        if weight(&boxes[heaviest]) == 0 {
            break;
        }
        let mut colours = boxes.swap_remove(heaviest);
        let side = longest(&colours).0;
        colours.sort_by_key(|colour| colour.steps[side]);
        let half: u64 = colours.iter().map(|colour| colour.pixels).sum::<u64>() / 2;
        let mut before = 0;
        let middle = colours.iter().position(|colour| {
            before += colour.pixels;
            before > half
        });
        let rest = colours.split_off(middle.unwrap_or(0).clamp(1, colours.len() - 1));
        boxes.extend([colours, rest]);
    }
    boxes
}

/// The channel in which some colours differ most, and by how many steps.
fn longest(colours: &[Counted]) -> (usize, u8) {
    let spread = |part: usize| {
        let steps = || colours.iter().map(|colour| colour.steps[part]);
        steps().max().unwrap_or(0) - steps().min().unwrap_or(0)
    };
    let side = (0..3).max_by_key(|&part| spread(part)).unwrap_or(0);
    (side, spread(side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_as_they_are() {
        let pixels = [[255, 0, 0, 255], [0, 128, 0, 255], [255, 0, 0, 255], [9, 9, 90, 255]].concat();
        let (palette, indices) = reduce(&pixels);
        assert_eq!(palette.len(), 9);
        for (pixel, index) in pixels.chunks_exact(4).zip(&indices) {
            assert_eq!(pixel[..3], palette[usize::from(*index) * 3..][..3], "{palette:?}");
        }
    }

    #[test]
    fn many_colours_become_near_ones() {
        let pixels: Vec<u8> = (0..65_536_u32).flat_map(|n| [n as u8, (n >> 8) as u8, (n >> 4) as u8, 255]).collect();
        let (palette, indices) = reduce(&pixels);
        assert_eq!(palette.len(), COLOURS * 3);
        let off = |(pixel, index): (&[u8], &u8)| {
            let colour = &palette[usize::from(*index) * 3..][..3];
            pixel[..3].iter().zip(colour).map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>()
        };
        let total: u32 = pixels.chunks_exact(4).zip(&indices).map(off).sum();
        assert!(total / 65_536 < 48, "off by {} a pixel", total / 65_536);
    }
}
