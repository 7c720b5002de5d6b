//! What is drawn over a plan: lines, dots, discs, letters.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Point, RadialGradient, Rect, Shader,
    SpreadMode, Stroke, Transform,
};

use super::letters::Lettering;

/// A pixmap with a pen.
pub(crate) struct Canvas {
    pub(crate) pixmap: Pixmap,
}

/// Where letters stand relative to the point they are written at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Right,
    Middle,
}

impl Canvas {
    pub(crate) fn line(&mut self, points: &[(f32, f32)], width: f32, colour: Color) {
        let mut builder = PathBuilder::new();
        for (index, &(x, y)) in points.iter().enumerate() {
            if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
        }
        let Some(path) = builder.finish() else { return };
        let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixmap.stroke_path(&path, &paint(colour), &stroke, Transform::identity(), None);
    }

    pub(crate) fn dashes(&mut self, points: &[(f32, f32)], width: f32, dash: f32, colour: Color) {
        let mut left = 0.0;
        for pair in points.windows(2) {
            let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let length = (dx * dx + dy * dy).sqrt();
            let at = |way: f32| (pair[0].0 + dx * way / length, pair[0].1 + dy * way / length);
            let mut way = -left;
            while way < length {
                let (from, to) = (way.max(0.0), (way + dash).min(length));
                if from < to {
                    self.line(&[at(from), at(to)], width, colour);
                }
                way += dash * 2.0;
            }
            left = dash * 2.0 - (way - length);
        }
    }

    pub(crate) fn polygon(&mut self, points: &[(f32, f32)], fill: &Paint<'_>) {
        let mut builder = PathBuilder::new();
        for (index, &(x, y)) in points.iter().enumerate() {
            if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
        }
        builder.close();
        let Some(path) = builder.finish() else { return };
        self.pixmap.fill_path(&path, fill, FillRule::Winding, Transform::identity(), None);
    }

    pub(crate) fn dot(&mut self, (x, y): (f32, f32), radius: f32, colour: Color) {
        let Some(path) = PathBuilder::from_circle(x, y, radius) else { return };
        self.pixmap.fill_path(&path, &paint(colour), FillRule::Winding, Transform::identity(), None);
    }

    pub(crate) fn ring(&mut self, (x, y): (f32, f32), radius: f32, width: f32, colour: Color) {
        let Some(path) = PathBuilder::from_circle(x, y, radius) else { return };
        let stroke = Stroke { width, ..Stroke::default() };
        self.pixmap.stroke_path(&path, &paint(colour), &stroke, Transform::identity(), None);
    }

    pub(crate) fn block(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Color) {
        let Some(rect) = Rect::from_xywh(x, y, width, height) else { return };
        self.pixmap.fill_rect(rect, &paint(colour), Transform::identity(), None);
    }

    pub(crate) fn write(&mut self, text: &str, (x, y): (f32, f32), side: Side, letters: Lettering, colour: Color) {
        let x = match side {
            Side::Right => x,
            Side::Middle => x - letters.width(text) * 0.5,
        };
        let Some(path) = letters.path(text, x, y) else { return };
        self.pixmap.stroke_path(&path, &paint(colour), &letters.stroke(), Transform::identity(), None);
    }

    pub(crate) fn paste(&mut self, picture: &Pixmap, x: i32, y: i32) {
        let paint = tiny_skia::PixmapPaint::default();
        self.pixmap.draw_pixmap(x, y, picture.as_ref(), &paint, Transform::identity(), None);
    }
}

pub(crate) fn paint(colour: Color) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour);
    paint
}

/// Bright in the middle, gone at the edge.
pub(crate) fn glow((x, y): (f32, f32), radius: f32, middle: Color, edge: Color) -> Paint<'static> {
    let stops = vec![GradientStop::new(0.0, middle), GradientStop::new(1.0, edge)];
    let centre = Point::from_xy(x, y);
    let gradient = RadialGradient::new(centre, 0.0, centre, radius, stops, SpreadMode::Pad, Transform::identity());
    Paint { shader: gradient.unwrap_or(Shader::SolidColor(edge)), anti_alias: true, ..Paint::default() }
}
