//! The floors of a terrain seen from above, as a lit model: what the ground grid knows, without the map.
//!
//! In: the grid, the view, and for each span a colour. Out: for each pixel which span is on top, how high it is, and its
//! colour in the light. Spans of the four cells around a pixel that belong together (by height) share in it, so that
//! slopes are smooth and edges are drawn between cells, not along them. Walls are not known here: between floors is paper.

use std::ops::RangeInclusive;

use fireteam_terrain::Ground;
use fireteam_world::Vec3;
use tiny_skia::Pixmap;

use super::colours::{PAPER, Rgb, mix};
use super::plan::{Heights, View, by_rows};

/// Spans of neighbouring cells whose heights differ by less than this are one floor: a step, or the slope of a ramp.
const TOGETHER: f32 = 24.0;
/// Heights differing by more get a line between them.
const LEDGE: f32 = 10.0;
/// A share of a pixel's four cells this large makes it floor.
const FLOOR_SHARE: f32 = 0.5;

/// Which of several floors above each other is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    Highest,
    Lowest,
}

/// How colours of neighbouring spans meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    Blended,
    Sharp,
}

/// What lies under a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Under {
    /// The span that has the most of it.
    span: u32,
    z: f32,
    colour: Rgb,
}

/// A picture of floors, and what is where in it.
pub(crate) struct Floors {
    pub(crate) pixmap: Pixmap,
    width: usize,
    under: Vec<Option<Under>>,
}

/// How floors are to be drawn.
pub(crate) struct Style<'a> {
    pub(crate) view: View,
    pub(crate) shown: Shown,
    /// Only floors at these heights.
    pub(crate) heights: RangeInclusive<f32>,
    pub(crate) meeting: Meeting,
    /// How strongly light and shadow change the colours, 0 to 1.
    pub(crate) light: f32,
    pub(crate) colour: &'a (dyn Fn(usize) -> Rgb + Sync),
    /// A line is drawn between spans for which this differs.
    pub(crate) border: &'a (dyn Fn(usize) -> u32 + Sync),
}

impl Floors {
    /// None if the view is too large or has no size.
    pub(crate) fn draw(ground: &Ground, style: &Style<'_>) -> Option<Floors> {
        let view = &style.view;
        let (width, height) = (view.width() as usize, view.height() as usize);
        let mut pixmap = Pixmap::new(view.width(), view.height())?;
        let under = by_rows(width, height, |x, y| look(ground, style, x, y));
        // Where there is no floor, nothing stands that would cast a shadow.
        let z: Vec<f32> = under.iter().map(|under| under.map_or(view.mins.z, |under| under.z)).collect();
        let field = Heights { z: &z, width, height, pixels_per_unit: view.pixels_per_unit };
        let colours = by_rows(width, height, |x, y| {
            let Some(here) = under[y * width + x] else { return PAPER };
            let light = mix([1.0; 3], field.light_at(x, y) * 1.0, style.light);
            let line = line_at(&under, style, width, height, x, y);
            [0, 1, 2].map(|i| here.colour[i] * light[i] * line)
        });
        for (bytes, colour) in pixmap.data_mut().chunks_exact_mut(4).zip(colours) {
            let rgb = colour.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
            bytes.copy_from_slice(&[rgb[0], rgb[1], rgb[2], 255]);
        }
        Some(Floors { pixmap, width, under })
    }

    /// Whether feet at this point are on a floor that the picture shows.
    pub(crate) fn shows(&self, view: &View, feet: Vec3) -> bool {
        const REACH: f32 = 40.0;
        let (x, y) = view.place(feet);
        let index = y as usize * self.width + x as usize;
        self.under.get(index).is_some_and(|under| under.is_some_and(|under| (under.z - feet.z).abs() < REACH))
    }
}

/// The floor under a pixel: of all spans in the four cells around it, those on top that belong together.
fn look(ground: &Ground, style: &Style<'_>, x: usize, y: usize) -> Option<Under> {
    let view = &style.view;
    let point = Vec3::new(
        view.mins.x + (x as f32 + 0.5) / view.pixels_per_unit,
        view.maxs.y - (y as f32 + 0.5) / view.pixels_per_unit,
        0.0,
    );
    let near = spans_around(ground, point, &style.heights);
    let sign = if style.shown == Shown::Highest { 1.0 } else { -1.0 };
    let mut left: Vec<Share> = near;
    left.sort_by(|a, b| (b.z * sign).total_cmp(&(a.z * sign)));
    let mut rest = &left[..];
    while let Some(first) = rest.first() {
        let mut count = 1;
        while count < rest.len() && (rest[count - 1].z - rest[count].z).abs() < TOGETHER {
            count += 1;
        }
        let (floor, below) = rest.split_at(count);
        let weight: f32 = floor.iter().map(|share| share.weight).sum();
        if weight >= FLOOR_SHARE {
            return Some(blend(floor, weight, first, style));
        }
        rest = below;
    }
    None
}

fn blend(floor: &[Share], weight: f32, first: &Share, style: &Style<'_>) -> Under {
    let most = floor.iter().fold(first, |most, share| if share.weight > most.weight { share } else { most });
    let z = floor.iter().map(|share| share.z * share.weight).sum::<f32>() / weight;
    let colour = match style.meeting {
        Meeting::Sharp => (style.colour)(most.span),
        Meeting::Blended => floor.iter().fold([0.0; 3], |sum, share| {
            let colour = (style.colour)(share.span);
            [0, 1, 2].map(|i| sum[i] + colour[i] * share.weight / weight)
        }),
    };
    Under { span: most.span as u32, z, colour }
}

/// A span near a pixel, and how much of the pixel is its.
#[derive(Clone, Copy)]
struct Share {
    span: usize,
    z: f32,
    weight: f32,
}

fn spans_around(ground: &Ground, point: Vec3, heights: &RangeInclusive<f32>) -> Vec<Share> {
    let cell = ground.cell;
    // Where the pixel lies between the middles of the four cells around it.
    let (across, along) = ((point.x / cell - 0.5).floor(), (point.y / cell - 0.5).floor());
    let (right, up) = (point.x / cell - 0.5 - across, point.y / cell - 0.5 - along);
    let mut shares = Vec::new();
    for (dx, dy, weight) in [
        (0.0, 0.0, (1.0 - right) * (1.0 - up)),
        (1.0, 0.0, right * (1.0 - up)),
        (0.0, 1.0, (1.0 - right) * up),
        (1.0, 1.0, right * up),
    ] {
        let middle = Vec3::new((across + dx + 0.5) * cell, (along + dy + 0.5) * cell, 0.0);
        let Some(column) = ground.column_at(middle) else { continue };
        let first = ground.first_of(column);
        for (index, span) in ground.column(column).iter().enumerate() {
            let z = f32::from(span.feet);
            if heights.contains(&z) {
                shares.push(Share { span: first + index, z, weight });
            }
        }
    }
    shares
}

/// How dark a line makes a pixel: along ledges, at the edge of the floor, between what borders.
fn line_at(under: &[Option<Under>], style: &Style<'_>, width: usize, height: usize, x: usize, y: usize) -> f32 {
    const EDGE: f32 = 0.42;
    const STEP: f32 = 0.72;
    const BORDER: f32 = 0.55;
    let Some(here) = under[y * width + x] else { return 1.0 };
    let (right, down) = ((x + 1).min(width - 1), (y + 1).min(height - 1));
    let around = [(x.saturating_sub(1), y), (x, y.saturating_sub(1)), (right, y), (x, down)];
    let mut shade: f32 = 1.0;
    for (nx, ny) in around {
        shade = shade.min(match under[ny * width + nx] {
            None => EDGE,
            Some(there) if here.z - there.z > LEDGE => STEP,
            Some(there) if (style.border)(here.span as usize) != (style.border)(there.span as usize) => BORDER,
            Some(_) => 1.0,
        });
    }
    shade
}
