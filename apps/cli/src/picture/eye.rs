//! What the thrower sees as he throws: the map from his eye, the crosshair where he aims, and where it will bounce first.
//!
//! Every surface has one colour by its texture's name, lit by where it faces and paler with distance; edges are drawn, and
//! lines [`GRID`] units apart, so that one finds the spot again in the game. Four rays a pixel.

use fireteam_world::maths::Axes;
use fireteam_world::{Contents, Map, Scene, Struck, SurfaceFlags, Sweep, Trace, Vec3};
use tiny_skia::Pixmap;

use super::colours::{self, INK, PAPER, Rgb, ink, mix};
use super::ink::{Canvas, Side, paint};
use super::sheet::{SMALL, drawn_path};
use super::{plan, throw};
use crate::exhibit::Exhibit;

/// From the left edge of the picture to the right, in degrees: as most people play.
const FIELD_OF_VIEW: f32 = 96.0;
const GRID: f32 = 64.0;
/// Rays a pixel, each way.
const FINE: usize = 2;
const FAR: f32 = 16_384.0;
const SKY: Rgb = [0.78, 0.86, 0.93];
const HAZE: Rgb = [0.84, 0.85, 0.86];

/// A camera and the size of its picture.
struct Camera {
    eye: Vec3,
    axes: Axes,
    width: f32,
    height: f32,
    /// Half the picture's width, a unit before the eye.
    half_width: f32,
}

/// What a ray met.
#[derive(Clone, Copy)]
struct Seen {
    colour: Rgb,
    normal: Vec3,
    /// Of its plane from the origin; no two walls that lie behind each other share it.
    dist: f32,
    distance: f32,
}

impl Camera {
    fn way(&self, x: f32, y: f32) -> Vec3 {
        let right = (x / self.width * 2.0 - 1.0) * self.half_width;
        let up = (self.height * 0.5 - y) / (self.width * 0.5) * self.half_width;
        (self.axes.forward + self.axes.right * right + self.axes.up * up).normalize()
    }

    /// Where a point lies in the picture; none if it is behind the eye.
    fn place(&self, point: Vec3) -> Option<(f32, f32)> {
        let way = point - self.eye;
        let ahead = way.dot(self.axes.forward);
        if ahead < 1.0 {
            return None;
        }
        let half = self.width * 0.5 / self.half_width;
        let (right, up) = (way.dot(self.axes.right) / ahead, way.dot(self.axes.up) / ahead);
        Some((self.width * 0.5 + right * half, self.height * 0.5 - up * half))
    }

    fn is_inside(&self, (x, y): (f32, f32)) -> bool {
        const RIM: f32 = 10.0;
        (RIM..self.width - RIM).contains(&x) && (RIM..self.height - RIM).contains(&y)
    }
}

/// Draws it in so many pixels; none if that has no size.
pub(crate) fn draw(map: &Map, scene: &Scene<'_>, exhibit: &Exhibit, (width, height): (u32, u32)) -> Option<Pixmap> {
    let camera = Camera {
        eye: exhibit.eye,
        axes: fireteam_world::maths::game_axes(exhibit.throw.pitch, exhibit.throw.yaw, 0.0),
        width: width as f32,
        height: height as f32,
        half_width: {
            let half = (FIELD_OF_VIEW * 0.5).to_radians();
            fireteam_world::maths::sin(half) / fireteam_world::maths::cos(half)
        },
    };
    let mut canvas = Canvas { pixmap: Pixmap::new(width, height)? };
    paint_world(&mut canvas.pixmap, map, scene, &camera);
    draw_flight(&mut canvas, scene, &camera, exhibit);
    draw_crosshair(&mut canvas, (camera.width * 0.5, camera.height * 0.5));
    Some(canvas.pixmap)
}

fn paint_world(pixmap: &mut Pixmap, map: &Map, scene: &Scene<'_>, camera: &Camera) {
    let (width, height) = (pixmap.width() as usize * FINE, pixmap.height() as usize * FINE);
    let colours: Vec<Rgb> = map.shaders.iter().map(|shader| colours::of_texture(&shader.name)).collect();
    let seen = plan::by_rows(width, height, |x, y| {
        let way = camera.way((x as f32 + 0.5) / FINE as f32, (y as f32 + 0.5) / FINE as f32);
        let sweep = Sweep::ray(camera.eye, camera.eye + way * FAR, Contents::MASK_OPAQUE);
        look(&scene.sweep(&sweep, None), map, &colours, camera.eye)
    });
    let row_width = pixmap.width() as usize;
    for (index, bytes) in pixmap.data_mut().chunks_exact_mut(4).enumerate() {
        let (left, top) = (index % row_width * FINE, index / row_width * FINE);
        let mut sum = [0.0; 3];
        for (x, y) in [(left, top), (left + 1, top), (left, top + 1), (left + 1, top + 1)] {
            let here = &seen[y * width + x];
            let others = [(x + 1).min(width - 1) + y * width, x + (y + 1).min(height - 1) * width];
            let is_edge = others.iter().any(|&other| is_edge(here, &seen[other]));
            let colour = if is_edge { mix(here.colour, INK, 0.72) } else { here.colour };
            sum = [0, 1, 2].map(|part| sum[part] + colour[part] / (FINE * FINE) as f32);
        }
        let [r, g, b] = sum.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
        bytes.copy_from_slice(&[r, g, b, 255]);
    }
}

/// Whether one surface ends and another begins between two rays.
fn is_edge(here: &Seen, there: &Seen) -> bool {
    const SAME_WAY: f32 = 0.96;
    if (here.distance >= FAR) != (there.distance >= FAR) {
        return true;
    }
    // Curved surfaces are many planes: only a jump in distance or a sharp turn is an edge.
    let is_turned = here.normal.dot(there.normal) < SAME_WAY;
    let jumps = (here.dist - there.dist).abs() > 2.0
        && (here.distance - there.distance).abs() > 4.0 + here.distance.min(there.distance) * 0.06;
    here.distance < FAR && (is_turned || jumps)
}

fn look(trace: &Trace, map: &Map, colours: &[Rgb], eye: Vec3) -> Seen {
    const DOOR: Rgb = [0.66, 0.50, 0.34];
    if !trace.is_hit() || trace.surface.meets(SurfaceFlags::SKY) {
        return Seen { colour: SKY, normal: Vec3::ZERO, dist: 0.0, distance: FAR };
    }
    let distance = trace.end.distance(eye);
    let texture = match trace.struck {
        Struck::Nothing | Struck::Body => PAPER,
        Struck::Brush(_) | Struck::Patch(_) => plan::shader_of(map, trace).map_or(PAPER, |shader| colours[shader]),
    };
    let base = if trace.entity.is_some() { mix(texture, DOOR, 0.5) } else { texture };
    let colour = base.map(|part| part * light(trace.normal) * (1.0 - 0.10 * grid(trace, distance)));
    let haze = distance / (distance + 2600.0);
    Seen { colour: mix(colour, HAZE, haze * 0.8), normal: trace.normal, dist: trace.dist, distance }
}

/// Floors are bright, ceilings dim, walls between, those to the south-west brighter than the others.
fn light(normal: Vec3) -> f32 {
    const TOWARDS: Vec3 = Vec3::new(-0.34, -0.46, 0.82);
    0.74 + 0.30 * normal.dot(TOWARDS)
}

/// 1 on a line of the grid, 0 between; gone where lines would run together.
fn grid(trace: &Trace, distance: f32) -> f32 {
    const GONE_AT: f32 = 1400.0;
    let half = 0.5 + distance * 0.0012;
    let axes = [(trace.end.x, trace.normal.x), (trace.end.y, trace.normal.y), (trace.end.z, trace.normal.z)];
    let is_on = axes.iter().any(|&(place, normal)| {
        let off = place.rem_euclid(GRID);
        normal.abs() < 0.7 && off.min(GRID - off) < half
    });
    f32::from(u8::from(is_on)) * (1.0 - distance / GONE_AT).max(0.0)
}

/// The flight as dots, solid where it is seen; a mark on the first bounce, or an arrow towards it.
fn draw_flight(canvas: &mut Canvas, scene: &Scene<'_>, camera: &Camera, exhibit: &Exhibit) {
    const DOTS_APART: f32 = 9.0;
    let path = drawn_path(&exhibit.steady.trajectory);
    let is_seen = |point: Vec3| {
        let sweep = Sweep::ray(camera.eye, point, Contents::MASK_OPAQUE);
        !scene.sweep(&sweep, None).is_hit()
    };
    let mut last: Option<(f32, f32)> = None;
    for pair in path.windows(2) {
        for step in 0..12 {
            let point = pair[0].lerp(pair[1], step as f32 / 12.0);
            let Some(at) = camera.place(point).filter(|at| camera.is_inside(*at)) else { continue };
            let is_apart = last.is_none_or(|last| (last.0 - at.0).hypot(last.1 - at.1) >= DOTS_APART);
            if is_apart && is_seen(point) {
                canvas.dot(at, 2.9, ink([1.0; 3], 0.9));
                canvas.dot(at, 1.8, ink(colours::of_height(130.0), 1.0));
                last = Some(at);
            }
        }
    }
    let first = exhibit.salvo.steady.first;
    match camera.place(first).filter(|at| camera.is_inside(*at)) {
        Some(at) => draw_first(canvas, at),
        None => draw_arrow(canvas, camera, first),
    }
}

fn draw_first(canvas: &mut Canvas, at: (f32, f32)) {
    canvas.ring(at, 11.0, 5.0, ink([1.0; 3], 0.95));
    canvas.ring(at, 11.0, 2.6, ink(throw::TARGET, 1.0));
    canvas.dot(at, 2.4, ink(throw::TARGET, 1.0));
}

/// At the picture's edge, towards what lies beyond it.
fn draw_arrow(canvas: &mut Canvas, camera: &Camera, point: Vec3) {
    let way = point - camera.eye;
    let (dx, dy) = (way.dot(camera.axes.right), -way.dot(camera.axes.up));
    let length = dx.hypot(dy).max(1e-3);
    let (dx, dy) = (dx / length, dy / length);
    let reach =
        ((camera.width * 0.5 - 22.0) / dx.abs().max(1e-3)).min((camera.height * 0.5 - 22.0) / dy.abs().max(1e-3));
    let (x, y) = (camera.width * 0.5 + dx * reach, camera.height * 0.5 + dy * reach);
    let tip = |long: f32, wide: f32| {
        [
            (x + dx * long, y + dy * long),
            (x - dy * wide - dx * wide, y + dx * wide - dy * wide),
            (x + dy * wide - dx * wide, y - dx * wide - dy * wide),
        ]
    };
    canvas.polygon(&tip(16.0, 12.0), &paint(ink([1.0; 3], 0.95)));
    canvas.polygon(&tip(12.0, 9.0), &paint(ink(throw::TARGET, 1.0)));
    let text = "first bounce";
    let half = SMALL.width(text) * 0.5 + 6.0;
    let at = ((x - dx * 26.0).clamp(half, camera.width - half), y - dy * 20.0 + 4.0);
    canvas.block(at.0 - half, at.1 - 12.0, half * 2.0, 16.0, ink(PAPER, 0.85));
    canvas.write(text, at, Side::Middle, SMALL, ink(INK, 1.0));
}

fn draw_crosshair(canvas: &mut Canvas, (x, y): (f32, f32)) {
    const INNER: f32 = 4.0;
    const OUTER: f32 = 15.0;
    for (width, colour) in [(4.6, ink([0.0; 3], 0.85)), (2.0, ink([0.35, 1.0, 0.35], 1.0))] {
        for (dx, dy) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            canvas.line(&[(x + dx * INNER, y + dy * INNER), (x + dx * OUTER, y + dy * OUTER)], width, colour);
        }
        canvas.dot((x, y), width * 0.5, colour);
    }
}
