//! A throw from the side: the map cut open along the flight, and the flight unfolded at every wall it comes off.
//!
//! To the right goes the way over the ground, upwards the height, both to one scale. Each column of pixels is the map
//! above and below the place the grenade is over; so a bounce off a wall is a fold, drawn as a bar where the wall is.
//! The last piece leads on to the target. Unsteady throws are drawn by their own way, as if they flew over the same ground.
//!
//! Cost: one look into the solids a pixel, and two rays a column for curved surfaces.

use fireteam_world::flight::Trajectory;
use fireteam_world::{Contents, Scene, Sweep, Vec3};
use tiny_skia::Pixmap;

use super::colours::{self, BLAST, CUT, INK, PAPER, THROWER, ink, mix};
use super::ink::{Canvas, Side};
use super::plan;
use super::sheet::{SMALL, drawn_path, star};
use super::throw::{self, HIT, MISS};
use crate::exhibit::{Exhibit, Flight};
use crate::fan::WALL_NORMAL_Z;

/// Before the thrower and behind the target, in units, at least.
const LEAD: f32 = 56.0;
/// Below the lowest and above the highest point of a throw, in units.
const ROOM: [f32; 2] = [40.0, 56.0];

/// The ground below a flight, laid out straight.
struct Unfolded {
    /// From before the thrower, over the flight, to the target.
    path: Vec<Vec3>,
    /// How far each point lies from the first along the ground.
    way: Vec<f32>,
}

impl Unfolded {
    /// With `lead` units before the thrower and behind the target.
    fn of(exhibit: &Exhibit, lead: f32) -> Unfolded {
        let flight = drawn_path(&exhibit.steady.trajectory);
        let ahead = fireteam_world::maths::game_axes(0.0, exhibit.throw.yaw, 0.0).forward;
        let mut path = vec![exhibit.from.origin - ahead * lead, exhibit.from.origin];
        path.extend(flight);
        let last = path[path.len() - 1];
        let onward = (exhibit.at.origin - last).with_z(0.0);
        path.push(exhibit.at.origin.with_z(last.z));
        path.push(path[path.len() - 1] + onward.normalize_or(ahead) * lead);
        let way = ways(&path);
        Unfolded { path, way }
    }

    fn length(&self) -> f32 {
        self.way[self.way.len() - 1]
    }

    /// The place over which one is after so much way.
    fn at(&self, way: f32) -> Vec3 {
        let next = self.way.partition_point(|&here| here < way).clamp(1, self.way.len() - 1);
        let (from, to) = (self.way[next - 1], self.way[next]);
        let share = if to > from { ((way - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        self.path[next - 1].lerp(self.path[next], share)
    }
}

fn ways(path: &[Vec3]) -> Vec<f32> {
    let mut way = vec![0.0];
    for pair in path.windows(2) {
        way.push(way[way.len() - 1] + pair[0].truncate().distance(pair[1].truncate()));
    }
    way
}

/// From units to pixels.
struct Frame {
    scale: f32,
    low: f32,
    height: f32,
}

impl Frame {
    fn place(&self, way: f32, z: f32) -> (f32, f32) {
        (way * self.scale, self.height - (z - self.low) * self.scale)
    }
}

/// Draws it, `width` pixels wide and up to `height_max` high; none if that has no size.
pub(crate) fn draw(exhibit: &Exhibit, scene: &Scene<'_>, radius: f32, width: f32, height_max: f32) -> Option<Pixmap> {
    let unfolded = Unfolded::of(exhibit, LEAD);
    let ends = [exhibit.from.origin.z - 24.0, exhibit.at.origin.z - 24.0];
    let heights = || unfolded.path.iter().map(|point| point.z).chain(ends);
    let low = heights().fold(f32::INFINITY, f32::min) - ROOM[0];
    let high = heights().fold(f32::NEG_INFINITY, f32::max) + ROOM[1];
    let scale = (width / unfolded.length()).min(height_max / (high - low));
    let height = ((high - low) * scale).round().max(1.0);
    // A steep throw leaves room on both sides: more of the map is shown there.
    let spare = (width / scale - unfolded.length()).max(0.0);
    let unfolded = Unfolded::of(exhibit, LEAD + spare * 0.5);
    let frame = Frame { scale, low, height };
    let mut canvas = Canvas { pixmap: Pixmap::new(width as u32, height as u32)? };
    draw_ground(&mut canvas, &unfolded, &frame, scene);
    draw_blast(&mut canvas, &unfolded, &frame, exhibit, radius);
    draw_folds(&mut canvas, &unfolded, &frame, exhibit);
    let muzzle = unfolded.way[2];
    for flight in &exhibit.unsteady {
        let colour = if flight.points > 0 { HIT } else { MISS };
        canvas.line(&profile(&frame, &flight.trajectory, muzzle), 1.1, ink(colour, 0.6));
    }
    draw_steady(&mut canvas, &frame, &exhibit.steady, muzzle);
    let at = frame.place(unfolded.way[1], exhibit.from.origin.z);
    throw::draw_body(&mut canvas, at, frame.scale, THROWER);
    let target = frame.place(unfolded.way[unfolded.way.len() - 2], exhibit.at.origin.z);
    throw::draw_body(&mut canvas, target, frame.scale, throw::TARGET);
    draw_scale(&mut canvas, &frame);
    Some(canvas.pixmap)
}

/// The map, cut along the way.
fn draw_ground(canvas: &mut Canvas, unfolded: &Unfolded, frame: &Frame, scene: &Scene<'_>) {
    const SKY: [f32; 3] = [0.99, 0.985, 0.97];
    const LIQUID: [f32; 3] = [0.62, 0.76, 0.84];
    let (width, height) = (canvas.pixmap.width() as usize, canvas.pixmap.height() as usize);
    let colours = plan::by_rows(width, height, |x, y| {
        let over = unfolded.at((x as f32 + 0.5) / frame.scale);
        let contents = scene.contents_at(over.with_z(frame.low + (height as f32 - y as f32 - 0.5) / frame.scale), None);
        if contents.meets(Contents::SOLID) {
            CUT
        } else if contents.meets(Contents::MASK_LIQUID) {
            LIQUID
        } else {
            SKY
        }
    });
    for (bytes, colour) in canvas.pixmap.data_mut().chunks_exact_mut(4).zip(colours) {
        let [r, g, b] = colour.map(|part: f32| (part * 255.0 + 0.5) as u8);
        bytes.copy_from_slice(&[r, g, b, 255]);
    }
    // Curved surfaces fill no space: what stops a ray from the flight, up or down, is drawn as a line.
    for x in 0..width {
        let over = unfolded.at((x as f32 + 0.5) / frame.scale);
        for way in [Vec3::Z, -Vec3::Z] {
            let trace = scene.sweep(&Sweep::ray(over, over + way * 2048.0, Contents::MASK_SOLID), None);
            let (_, y) = frame.place(0.0, trace.end.z);
            if trace.is_hit() && !trace.start_solid && (0.0..height as f32).contains(&y) {
                canvas.block(x as f32, y - 1.0, 1.0, 2.0, ink(CUT, 1.0));
            }
        }
    }
}

fn draw_blast(canvas: &mut Canvas, unfolded: &Unfolded, frame: &Frame, exhibit: &Exhibit, radius: f32) {
    let end = unfolded.way[unfolded.way.len() - 3];
    let at = frame.place(end, exhibit.steady.ending.place.z);
    canvas.dot(at, radius * frame.scale, ink(BLAST, 0.20));
    canvas.ring(at, radius * frame.scale, 1.4, ink(mix(BLAST, INK, 0.2), 0.8));
}

/// Walls the grenade comes off: bars across the section, where it turns.
fn draw_folds(canvas: &mut Canvas, unfolded: &Unfolded, frame: &Frame, exhibit: &Exhibit) {
    const REACH: f32 = 48.0;
    let flight = &unfolded.path[2..unfolded.path.len() - 2];
    let walls = exhibit.steady.trajectory.bounces.iter().filter(|bounce| bounce.normal.z.abs() < WALL_NORMAL_Z);
    for bounce in walls {
        let distance = |index: &usize| flight[*index].distance_squared(bounce.point);
        let nearest = (0..flight.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
        let way = unfolded.way[nearest + 2];
        let (x, top) = frame.place(way, bounce.point.z + REACH);
        let (_, bottom) = frame.place(way, bounce.point.z - REACH);
        canvas.dashes(&[(x, 0.0), (x, frame.height)], 1.0, 3.0, ink(INK, 0.45));
        canvas.line(&[(x, top), (x, bottom)], 5.0, ink(CUT, 1.0));
    }
}

fn profile(frame: &Frame, trajectory: &Trajectory, muzzle: f32) -> Vec<(f32, f32)> {
    let path = drawn_path(trajectory);
    ways(&path).iter().zip(&path).map(|(way, point)| frame.place(muzzle + way, point.z)).collect()
}

fn draw_steady(canvas: &mut Canvas, frame: &Frame, flight: &Flight, muzzle: f32) {
    let line = profile(frame, &flight.trajectory, muzzle);
    canvas.line(&line, 5.0, ink([1.0; 3], 0.95));
    canvas.line(&line, 2.8, ink(colours::of_height(140.0), 1.0));
    let path = drawn_path(&flight.trajectory);
    let ways = ways(&path);
    let mut numbered = throw::Numbered::default();
    for (number, bounce) in flight.trajectory.bounces.iter().enumerate() {
        let distance = |index: &usize| path[*index].distance_squared(bounce.point);
        let nearest = (0..path.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
        numbered.draw(canvas, frame.place(muzzle + ways[nearest], bounce.point.z), number + 1);
    }
    if let Some(&end) = line.last() {
        star(canvas, end);
    }
}

fn draw_scale(canvas: &mut Canvas, frame: &Frame) {
    const UNITS: f32 = 128.0;
    let (left, y) = (12.0, 22.0);
    let length = UNITS * frame.scale;
    canvas.block(left - 6.0, y - 18.0, length + 12.0, 26.0, ink(PAPER, 0.86));
    canvas.line(&[(left, y - 4.0), (left, y), (left + length, y), (left + length, y - 4.0)], 1.4, ink(INK, 1.0));
    canvas.write("128", (left + length * 0.5, y - 5.0), Side::Middle, SMALL, ink(INK, 1.0));
}
