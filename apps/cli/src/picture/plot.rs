//! Curves over an axis: what a figure does in time, for people who would rather see it.

use anyhow::{Context, Result};
use tiny_skia::Pixmap;

use super::colours::{FAINT_INK, INK, PAPER, Rgb, ink};
use super::ink::{Canvas, Side};
use super::sheet::{BODY, HEADING, MARGIN, TITLE};

const WIDTH: u32 = 960;
const HEIGHT: u32 = 560;
/// Left of the curves, for numbers.
const LEFT: f32 = 78.0;
const TOP: f32 = 86.0;
const BOTTOM: f32 = 62.0;
const COLOURS: [Rgb; 4] = [[0.78, 0.24, 0.20], [0.86, 0.56, 0.16], [0.20, 0.52, 0.42], [0.14, 0.33, 0.62]];
/// About so many lines across the sheet either way.
const LINES: f32 = 8.0;

pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    pub(crate) across: &'a str,
    pub(crate) up: &'a str,
    /// Where all of them should end, dashed.
    pub(crate) goal: Option<f32>,
    pub(crate) curves: &'a [Curve],
}

pub(crate) struct Curve {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<(f32, f32)>,
}

impl Plot<'_> {
    pub(crate) fn draw(&self) -> Result<Pixmap> {
        let mut canvas = Canvas { pixmap: Pixmap::new(WIDTH, HEIGHT).context("a sheet is not too large")? };
        canvas.pixmap.fill(ink(PAPER, 1.0));
        let frame = Frame::around(self);
        canvas.write(self.title, (LEFT, 56.0), Side::Right, TITLE, ink(INK, 1.0));
        frame.rule(&mut canvas, self);
        if let Some(goal) = self.goal {
            canvas.dashes(&[frame.at((0.0, goal)), frame.at((frame.x_max, goal))], 1.6, 6.0, ink(INK, 0.8));
        }
        for (number, curve) in self.curves.iter().enumerate() {
            let colour = ink(COLOURS[number % COLOURS.len()], 1.0);
            let points: Vec<(f32, f32)> = curve.points.iter().map(|point| frame.at(*point)).collect();
            canvas.line(&points, 2.6, colour);
            let (x, y) = (WIDTH as f32 - MARGIN - 130.0, HEIGHT as f32 - BOTTOM - 96.0 + 22.0 * number as f32);
            canvas.line(&[(x, y - 4.0), (x + 28.0, y - 4.0)], 2.6, colour);
            canvas.write(curve.name, (x + 38.0, y), Side::Right, HEADING, ink(INK, 1.0));
        }
        Ok(canvas.pixmap)
    }
}

/// From figures to pixels.
struct Frame {
    x_max: f32,
    y_max: f32,
}

impl Frame {
    fn around(plot: &Plot<'_>) -> Frame {
        let most = |of: fn(&(f32, f32)) -> f32| {
            let points = plot.curves.iter().flat_map(|curve| &curve.points);
            points.map(of).fold(plot.goal.map_or(0.0, |_| 1.0), f32::max)
        };
        Frame { x_max: most(|point| point.0), y_max: most(|point| point.1) * 1.08 }
    }

    fn at(&self, (x, y): (f32, f32)) -> (f32, f32) {
        let (width, height) = (WIDTH as f32 - LEFT - MARGIN, HEIGHT as f32 - TOP - BOTTOM);
        (LEFT + x / self.x_max * width, HEIGHT as f32 - BOTTOM - y / self.y_max * height)
    }

    /// Faint lines with their numbers, and what the axes are.
    fn rule(&self, canvas: &mut Canvas, plot: &Plot<'_>) {
        let faint = ink(FAINT_INK, 0.28);
        let (every_x, every_y) = (round_step(self.x_max / LINES), round_step(self.y_max / LINES));
        for number in 0..=(self.x_max / every_x) as usize {
            let x = number as f32 * every_x;
            canvas.line(&[self.at((x, 0.0)), self.at((x, self.y_max))], 1.0, faint);
            let (left, bottom) = self.at((x, 0.0));
            canvas.write(&format!("{x:.0}"), (left, bottom + 20.0), Side::Middle, BODY, ink(INK, 1.0));
        }
        for number in 0..=(self.y_max / every_y) as usize {
            let y = number as f32 * every_y;
            canvas.line(&[self.at((0.0, y)), self.at((self.x_max, y))], 1.0, faint);
            let (left, bottom) = self.at((0.0, y));
            canvas.write(&format!("{y:.0}"), (left - 24.0, bottom + 4.0), Side::Middle, BODY, ink(INK, 1.0));
        }
        let (middle, bottom) = self.at((self.x_max * 0.5, 0.0));
        canvas.write(plot.across, (middle, bottom + 44.0), Side::Middle, HEADING, ink(INK, 1.0));
        let (left, top) = self.at((0.0, self.y_max));
        canvas.write(plot.up, (left - 40.0, top - 8.0), Side::Right, HEADING, ink(INK, 1.0));
    }
}

/// The nearest of 1, 2, 5, 10, 20 and so on that is no less: what stands at the lines are whole numbers.
fn round_step(least: f32) -> f32 {
    let mut ten = 1.0;
    loop {
        if let Some(step) = [1.0, 2.0, 5.0].into_iter().map(|one| one * ten).find(|step| *step >= least) {
            return step;
        }
        ten *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_drawn_from_corner_to_corner() {
        let points = vec![(0.0, 0.0), (100.0, 10.0)];
        let curves = [Curve { name: "one", points }];
        let plot = Plot { title: "a", across: "b", up: "c", goal: Some(10.0), curves: &curves };
        let frame = Frame::around(&plot);
        assert_eq!(frame.at((0.0, 0.0)), (LEFT, HEIGHT as f32 - BOTTOM));
        assert_eq!(frame.at((100.0, frame.y_max)), (WIDTH as f32 - MARGIN, TOP));
        let drawn = plot.draw().expect("a sheet");
        let (x, y) = frame.at((50.0, 5.0));
        let pixel = drawn.pixel(x as u32, y as u32).expect("on the sheet");
        assert!(pixel.red() > 150 && pixel.green() < 120, "the first curve is red: {pixel:?}");
    }

    #[test]
    fn lines_stand_at_round_numbers() {
        assert_eq!([round_step(0.7), round_step(3.0), round_step(100.0)], [1.0, 5.0, 100.0]);
    }
}
