//! Lettering for plans: a single-stroke alphabet of our own, drawn with a round pen, as on an engineer's sheet.
//!
//! A glyph is a few strokes over a grid: two hexadecimal digits a point, x then y; the baseline is y = 3, small letters
//! reach 10, capitals 13, tails 0. A stroke that begins with `~` is a smooth curve whose inner points pull it, `o` one
//! that closes; others are straight. No font file, no licence, and it scales.

use tiny_skia::{LineCap, LineJoin, Path, PathBuilder, Stroke};

const BASELINE: f32 = 3.0;
const CAP_HEIGHT: f32 = 10.0;
const GAP: f32 = 3.0;

/// Letter, width, strokes.
#[rustfmt::skip]
const GLYPHS: &[(char, u8, &str)] = &[
    (' ', 3, ""), ('.', 1, "0304"), (',', 1, "1402"), (':', 1, "0304 0809"), (';', 1, "1402 0809"), ('-', 5, "0858"), ('+', 6, "0868 3b35"),
    ('/', 5, "015d"), ('(', 2, "~2e0c0421"), (')', 2, "~0e2c2401"), ('=', 6, "0a6a 0666"), ('\'', 1, "0d0b"),
    ('?', 6, "~0b0d3d6d6a3836 3334"), ('!', 1, "0d06 0304"), ('·', 1, "0708"), ('×', 5, "055a 0a55"), ('_', 6, "0262"),
    ('°', 3, "o0a3a3d0d"), ('%', 8, "038d o0a3a3d0d o53838656"), ('*', 4, "282c 0b49 094b"), ('"', 3, "0d0b 2d2b"),
    ('0', 6, "o033363686d3d0d08"), ('1', 3, "0b3d33"), ('2', 6, "~0b0d3d6d693603 0363"),
    ('3', 6, "~0b0d3d6d683828 ~28386863330305"), ('4', 7, "535d0676"), ('5', 6, "6d0d08 ~082a6a633303 0305"),
    ('6', 6, "o0333636669390906 ~060b2d5d"), ('7', 6, "0d6d23"), ('8', 6, "o0333636568380805 o0838686a6d3d0d0a"),
    ('9', 6, "o0737676a6d3d0d0a ~6a654313"),
    ('A', 8, "034d83 1676"), ('B', 8, "030d ~0d4d7d784808 ~084888834303"), ('C', 8, "~8b7d4d0d0803437385"),
    ('D', 8, "030d ~0d4d8d834303"), ('E', 7, "7d0d0373 0868"), ('F', 7, "7d0d03 0868"),
    ('G', 8, "~8b7d4d0d0803438388 8848"), ('H', 8, "030d 838d 0888"), ('I', 1, "030d"), ('J', 6, "~6d6663330305"),
    ('K', 7, "030d 7d07 2973"), ('L', 6, "0d0363"), ('M', 8, "030d478d83"), ('N', 8, "030d838d"),
    ('O', 8, "o034383888d4d0d08"), ('P', 7, "030d ~0d4d7d774707"), ('Q', 8, "o034383888d4d0d08 5582"),
    ('R', 7, "030d ~0d4d7d774707 4773"), ('S', 7, "~7b7d3d0d08487873330305"), ('T', 8, "0d8d 4d43"),
    ('U', 8, "~0d07034383878d"), ('V', 8, "0d438d"), ('W', 10, "0d235a83ad"), ('X', 8, "038d 0d83"),
    ('Y', 8, "0d488d 4843"), ('Z', 8, "0d8d0383"),
    ('a', 6, "6a63 o033363666a3a0a06"), ('b', 6, "0d03 o033363666a3a0a06"), ('c', 6, "~695a3a0a0603335364"),
    ('d', 6, "6d63 o033363666a3a0a06"), ('e', 6, "0767 ~676a3a0a0603335364"), ('f', 4, "~4d1d1b13 0a3a"),
    ('g', 6, "o033363666a3a0a06 ~6a62603001"), ('h', 6, "0d03 ~070a3a6a6763"), ('i', 1, "030a 0c0d"),
    ('j', 2, "2c2d ~2a222000"), ('k', 5, "0d03 5a06 2753"), ('l', 1, "0d03"), ('m', 8, "0a03 ~070a2a4a4743 ~474a6a8a8783"),
    ('n', 6, "0a03 ~070a3a6a6763"), ('o', 6, "o033363666a3a0a06"), ('p', 6, "0a00 o033363666a3a0a06"),
    ('q', 6, "6a60 o033363666a3a0a06"), ('r', 4, "0a03 ~070a2a49"), ('s', 5, "~595a3a0a07375753330304"),
    ('t', 4, "~1d151343 0a3a"), ('u', 6, "~0a06033363666a 6a63"), ('v', 6, "0a336a"), ('w', 8, "0a2349638a"),
    ('x', 6, "036a 0a63"), ('y', 6, "0a33 6a20"), ('z', 6, "0a6a0363"),
];

/// How large and how heavy letters are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lettering {
    /// Height of a capital, in pixels.
    pub(crate) size: f32,
    /// Width of the pen, in pixels.
    pub(crate) pen: f32,
}

impl Lettering {
    pub(crate) fn stroke(&self) -> Stroke {
        Stroke { width: self.pen, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() }
    }

    pub(crate) fn width(&self, text: &str) -> f32 {
        let unit = self.size / CAP_HEIGHT;
        text.chars().map(|letter| f32::from(glyph(letter).0) + GAP).sum::<f32>() * unit
    }

    /// The strokes of a line of text whose baseline begins at (x, y); none if it has no ink.
    pub(crate) fn path(&self, text: &str, x: f32, y: f32) -> Option<Path> {
        let unit = self.size / CAP_HEIGHT;
        let mut builder = PathBuilder::new();
        let mut left = x;
        for letter in text.chars() {
            let (width, strokes) = glyph(letter);
            for stroke in strokes.split(' ').filter(|stroke| !stroke.is_empty()) {
                let place = |(px, py): (f32, f32)| (left + px * unit, y - (py - BASELINE) * unit);
                let points: Vec<(f32, f32)> = points_of(stroke).into_iter().map(place).collect();
                match stroke.as_bytes()[0] {
                    b'~' => curve(&mut builder, &points),
                    b'o' => ring(&mut builder, &points),
                    _ => polyline(&mut builder, &points),
                }
            }
            left += (f32::from(width) + GAP) * unit;
        }
        builder.finish()
    }
}

/// A letter we have no strokes for is drawn as a question mark: seen, not lost.
fn glyph(letter: char) -> (u8, &'static str) {
    let find = |wanted: char| GLYPHS.iter().find(|(known, _, _)| *known == wanted);
    find(letter).or_else(|| find('?')).map_or((0, ""), |(_, width, strokes)| (*width, *strokes))
}

fn points_of(stroke: &str) -> Vec<(f32, f32)> {
    let digits: Vec<f32> = stroke.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as f32).collect();
    digits.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

fn polyline(builder: &mut PathBuilder, points: &[(f32, f32)]) {
    for (index, &(x, y)) in points.iter().enumerate() {
        if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
}

fn middle(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    ((a.0 + b.0) * 0.5, (a.1 + b.1) * 0.5)
}

/// Starts and ends at the outer points; each inner one is pulled towards.
fn curve(builder: &mut PathBuilder, points: &[(f32, f32)]) {
    let Some(&(x, y)) = points.first() else { return };
    builder.move_to(x, y);
    for index in 1..points.len().saturating_sub(1) {
        let is_last = index + 2 == points.len();
        let to = if is_last { points[index + 1] } else { middle(points[index], points[index + 1]) };
        builder.quad_to(points[index].0, points[index].1, to.0, to.1);
    }
}

fn ring(builder: &mut PathBuilder, points: &[(f32, f32)]) {
    let count = points.len();
    let start = middle(points[count - 1], points[0]);
    builder.move_to(start.0, start.1);
    for index in 0..count {
        let to = middle(points[index], points[(index + 1) % count]);
        builder.quad_to(points[index].0, points[index].1, to.0, to.1);
    }
    builder.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_stays_in_its_cell() {
        for (letter, width, strokes) in GLYPHS {
            for stroke in strokes.split(' ').filter(|stroke| !stroke.is_empty()) {
                let digits = stroke.trim_start_matches(['~', 'o']);
                assert!(digits.len() >= 4 && digits.len() % 2 == 0, "{letter}: {stroke}");
                for (x, y) in points_of(stroke) {
                    assert!(x <= f32::from(*width) && y <= 14.0, "{letter}: {stroke} leaves the cell");
                }
            }
        }
    }

    #[test]
    fn all_letters_and_digits_can_be_written() {
        for letter in ('a'..='z').chain('A'..='Z').chain('0'..='9') {
            assert!(GLYPHS.iter().any(|(known, _, _)| *known == letter), "{letter}");
        }
    }

    #[test]
    fn longer_text_is_wider() {
        let letters = Lettering { size: 10.0, pen: 1.25 };
        assert!(letters.width("wider") > letters.width("wide"));
        assert!(letters.path(" ", 0.0, 0.0).is_none());
        let bounds = letters.path("Hy", 0.0, 0.0).unwrap().bounds();
        assert_eq!((bounds.top(), bounds.bottom()), (-10.0, 3.0));
    }
}
