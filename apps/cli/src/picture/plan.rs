//! The floor plan of a map: what one sees from above when everything over a height is taken off, as architects cut.
//!
//! In: solids, the area to draw, the height of the cut. Out: a picture of it, lit from the north-west.
//!
//! Every pixel is four columns. A column whose cut point is open shows what lies below; one that is solid there, but
//! ends within [`TALL`] above the cut (a container, a flight of stairs), shows its top; the others are cut walls. The
//! heights found are then lit as a model on a table would be, by looking for each pixel's horizon (N. Max, "Horizon
//! mapping", The Visual Computer, 1988): a sun with soft shadows, less sky in corners. The map's own light grid dims
//! dark rooms, and a line shows where the height jumps.
//!
//! Cost: one to five rays a pixel, then about a hundred height look-ups, shared among the machine's cores.

use fireteam_world::{Contents, Map, Solids, Struck, SurfaceFlags, Sweep, Trace, Vec3};
use tiny_skia::Pixmap;

use super::colours::{self, CUT, PAPER, Rgb, mix};

/// How far above the cut things may reach and still be shown whole: under a ceiling, and where there is none.
const TALL: [f32; 2] = [80.0, 120.0];
/// A floor whose underside is open this far down lies over a tunnel or a cellar.
const CELLAR_DEPTH: f32 = 64.0;
/// Columns a pixel, each way.
const FINE: usize = 2;
/// Heights differing by more get a line between them.
const LEDGE: f32 = 10.0;

/// Which part of the map, and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) mins: Vec3,
    pub(crate) maxs: Vec3,
    /// Everything above is taken off.
    pub(crate) cut: f32,
    pub(crate) pixels_per_unit: f32,
}

impl View {
    /// A view of the whole map that fits into so many pixels.
    pub(crate) fn fitting(map: &Map, cut: f32, width: f32, height: f32) -> View {
        let world = &map.models[0];
        let size = (world.maxs - world.mins).max(Vec3::ONE);
        let pixels_per_unit = (width / size.x).min(height / size.y);
        View { mins: world.mins, maxs: world.maxs, cut, pixels_per_unit }
    }

    pub(crate) fn width(&self) -> u32 {
        ((self.maxs.x - self.mins.x) * self.pixels_per_unit).round().max(1.0) as u32
    }

    pub(crate) fn height(&self) -> u32 {
        ((self.maxs.y - self.mins.y) * self.pixels_per_unit).round().max(1.0) as u32
    }

    /// Where a point of the map lies in the picture: north is up.
    pub(crate) fn place(&self, point: Vec3) -> (f32, f32) {
        ((point.x - self.mins.x) * self.pixels_per_unit, (self.maxs.y - point.y) * self.pixels_per_unit)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    z: f32,
    kind: Kind,
    colour: Rgb,
    is_over_cellar: bool,
    /// Leaves or cloth overhead, shown as a veil.
    veil: Option<Rgb>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Floor,
    CutWall,
    /// Outside the map, or nothing below.
    Void,
}

/// A map with the colours its surfaces have.
struct Painted<'a> {
    map: &'a Map,
    solids: &'a Solids,
    view: View,
    /// By shader.
    colours: Vec<Rgb>,
    /// By shader: whether it is shown as a veil where it hangs overhead.
    veils: Vec<bool>,
}

/// Draws the plan; None if the view is too large or has no size.
pub(crate) fn draw(map: &Map, solids: &Solids, view: &View) -> Option<Pixmap> {
    let (width, height) = (view.width() as usize, view.height() as usize);
    let mut pixmap = Pixmap::new(view.width(), view.height())?;
    let names = || map.shaders.iter().map(|shader| shader.name.as_str());
    let painted = Painted {
        map,
        solids,
        view: *view,
        colours: names().map(colours::of_texture).collect(),
        veils: names().map(|name| name.starts_with("tree") || name.starts_with("cloth")).collect(),
    };
    let columns = survey(&painted, width, height);
    let heights = mean_heights(&columns, width, height);
    let field = Heights { z: &heights, width, height, pixels_per_unit: view.pixels_per_unit };
    let colours = by_rows(width, height, |x, y| {
        let light = field.light_at(x, y) * grid_light(map, view, &heights, x, y, width);
        pixel(&columns, width * FINE, height * FINE, x * FINE, y * FINE, light)
    });
    for (bytes, colour) in pixmap.data_mut().chunks_exact_mut(4).zip(colours) {
        let rgb = colour.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
        bytes.copy_from_slice(&[rgb[0], rgb[1], rgb[2], 255]);
    }
    Some(pixmap)
}

/// Columns of a picture of this size, row by row. One ray a pixel first; only where a pixel differs from its
/// neighbours are all of its columns looked at.
fn survey(painted: &Painted<'_>, width: usize, height: usize) -> Vec<Column> {
    let view = &painted.view;
    let pixel = 1.0 / view.pixels_per_unit;
    let look = |x: f32, y: f32| painted.look_down(view.mins.x + x * pixel, view.maxs.y - y * pixel);
    let coarse = by_rows(width, height, |x, y| look(x as f32 + 0.5, y as f32 + 0.5));
    let is_even = |x: usize, y: usize| {
        let here = coarse[y * width + x];
        let (right, down) = ((x + 1).min(width - 1), (y + 1).min(height - 1));
        [(x.saturating_sub(1), y), (x, y.saturating_sub(1)), (right, y), (x, down)]
            .iter()
            .all(|&(nx, ny)| coarse[ny * width + nx] == here)
    };
    by_rows(width * FINE, height * FINE, |x, y| {
        if is_even(x / FINE, y / FINE) {
            return coarse[y / FINE * width + x / FINE];
        }
        look((x as f32 + 0.5) / FINE as f32, (y as f32 + 0.5) / FINE as f32)
    })
}

/// Something for every point of a grid, row by row, the rows shared among the machine's cores.
pub(super) fn by_rows<T: Send + Copy>(width: usize, height: usize, at: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let shares = std::thread::available_parallelism().map_or(1, |cores| cores.get()).min(height.max(1));
    let rows_of = |share: usize| height * share / shares..height * (share + 1) / shares;
    std::thread::scope(|scope| {
        let at = &at;
        let workers: Vec<_> = (0..shares)
            .map(|share| {
                let rows = rows_of(share);
                scope.spawn(move || rows.flat_map(|y| (0..width).map(move |x| at(x, y))).collect::<Vec<T>>())
            })
            .collect();
        // A worker panics only if `at` does, and then so do we.
        workers.into_iter().flat_map(|worker| worker.join().expect("a row could not be drawn")).collect()
    })
}

impl Painted<'_> {
    fn look_down(&self, x: f32, y: f32) -> Column {
        const SEEN: Contents = Contents(Contents::SOLID.0 | Contents::MASK_LIQUID.0);
        let view = &self.view;
        let void = Column { z: view.mins.z, kind: Kind::Void, colour: PAPER, is_over_cellar: false, veil: None };
        let wall = Column { z: view.cut, kind: Kind::CutWall, colour: CUT, is_over_cellar: false, veil: None };
        let sweep_from = |top: f32| {
            let from = Vec3::new(x, y, top.min(view.maxs.z - 1.0));
            self.solids.sweep(&Sweep::ray(from, Vec3::new(x, y, view.mins.z - 8.0), SEEN))
        };
        if self.is_outside(Vec3::new(x, y, view.cut)) {
            return void;
        }
        let trace = sweep_from(view.cut);
        if !trace.start_solid {
            let is_nothing = !trace.is_hit() || trace.surface.meets(SurfaceFlags::SKY);
            return if is_nothing { void } else { Column { veil: self.veil(x, y), ..self.covered(&trace) } };
        }
        for above in TALL {
            let trace = sweep_from(view.cut + above);
            if !trace.start_solid && trace.end.z > view.cut && self.begins_below(&trace, view.cut) {
                return self.covered(&trace);
            }
        }
        wall
    }

    /// Tree crowns and awnings that hang above the cut, seen from the sky: they hide, but one walks beneath them.
    fn veil(&self, x: f32, y: f32) -> Option<Rgb> {
        let top = Vec3::new(x, y, self.view.maxs.z - 17.0);
        let trace = self.solids.sweep(&Sweep::ray(top, Vec3::new(x, y, self.view.cut), Contents::SOLID));
        let shader = shader_of(self.map, &trace).filter(|shader| self.veils[*shader])?;
        Some(self.colours[shader])
    }

    /// Whether what was struck stands on something below this height; a roof over a wall does not.
    fn begins_below(&self, trace: &Trace, height: f32) -> bool {
        let Struck::Brush(id) = trace.struck else { return false };
        // The fifth side of a brush is its lower bound.
        let bottom = self.map.sides[self.map.brushes[id.index()].side_first as usize + 4].plane;
        -self.map.planes[bottom as usize].dist < height
    }

    /// Compiled maps say where their outside is.
    fn is_outside(&self, point: Vec3) -> bool {
        self.map.tree.as_ref().is_some_and(|tree| {
            let leaf = tree.leaf_at(&self.map.planes, point);
            leaf.cluster < 0 && leaf.brush_count == 0
        })
    }

    fn covered(&self, trace: &Trace) -> Column {
        const DEPTH_DIM: f32 = 128.0;
        const DEEP: Rgb = [0.12, 0.25, 0.36];
        let mut colour = self.colour_of(trace);
        if trace.contents.meets(Contents::MASK_LIQUID) {
            let below = Vec3::new(trace.end.x, trace.end.y, self.view.mins.z - 8.0);
            let bottom = self.solids.sweep(&Sweep::ray(trace.end, below, Contents::SOLID));
            let depth = ((trace.end.z - bottom.end.z) / DEPTH_DIM).clamp(0.0, 1.0);
            colour = mix(mix(colour, self.colour_of(&bottom), 0.25), DEEP, depth * 0.6);
        }
        // Deep places are dimmer, as at the bottom of a shaft.
        let below_cut = ((self.view.cut - trace.end.z) / 400.0).clamp(-0.3, 1.0);
        let shade = 1.04 - 0.22 * below_cut;
        let down = trace.end - Vec3::Z * CELLAR_DEPTH;
        let is_over_cellar = !self.solids.contents_at(down).meets(Contents::SOLID) && down.z > self.view.mins.z;
        let colour = colour.map(|part| part * shade);
        Column { z: trace.end.z, kind: Kind::Floor, colour, is_over_cellar, veil: None }
    }

    fn colour_of(&self, trace: &Trace) -> Rgb {
        shader_of(self.map, trace).map_or(PAPER, |shader| self.colours[shader])
    }
}

/// The shader of the surface a trace ended at.
pub(super) fn shader_of(map: &Map, trace: &Trace) -> Option<usize> {
    let shader = match trace.struck {
        Struck::Brush(id) => {
            let brush = &map.brushes[id.index()];
            let sides = &map.sides[brush.side_first as usize..][..brush.side_count as usize];
            let likeness = |plane: u32| map.planes[plane as usize].normal.dot(trace.normal);
            let facing = sides.iter().max_by(|a, b| likeness(a.plane).total_cmp(&likeness(b.plane)));
            facing.map_or(brush.shader, |side| side.shader)
        }
        Struck::Patch(id) => map.patches[id.index()].shader,
        Struck::Nothing | Struck::Body => return None,
    };
    Some(shader as usize)
}

fn mean_heights(columns: &[Column], width: usize, height: usize) -> Vec<f32> {
    let mut heights = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let fine = |dx: usize, dy: usize| columns[(y * FINE + dy) * width * FINE + x * FINE + dx].z;
            heights.push((fine(0, 0) + fine(1, 0) + fine(0, 1) + fine(1, 1)) * 0.25);
        }
    }
    heights
}

/// One pixel: its columns lit, with a line where the ground jumps or a wall is cut.
fn pixel(columns: &[Column], width: usize, height: usize, x: usize, y: usize, light: Rgb) -> Rgb {
    const LINE: f32 = 0.62;
    let mut sum = [0.0; 3];
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let (x, y) = (x + dx, y + dy);
        let here = columns[y * width + x];
        let grain = 1.0 + (noise(x / FINE, y / FINE) - 0.5) * 0.035;
        let mut colour = match here.kind {
            Kind::Floor => [0, 1, 2].map(|i| here.colour[i] * light[i] * grain),
            Kind::CutWall => here.colour,
            Kind::Void => here.colour,
        };
        let right_and_down = ((x + 1).min(width - 1), (y + 1).min(height - 1));
        let around = [(x.saturating_sub(1), y), (x, y.saturating_sub(1)), (right_and_down.0, y), (x, right_and_down.1)];
        let around = around.map(|(nx, ny)| columns[ny * width + nx]);
        let jumps = |there: &Column| there.z - here.z > LEDGE || there.kind == Kind::Void;
        if here.kind == Kind::Floor && around.iter().any(jumps) {
            colour = colour.map(|part| part * LINE);
        }
        if let Some(veil) = here.veil {
            let is_rim = around.iter().any(|there| there.veil != here.veil);
            colour =
                mix(colour, veil.map(|part| part * if is_rim { 0.55 } else { 1.0 }), if is_rim { 0.6 } else { 0.42 });
        }
        // The outline of what lies underneath is dashed.
        let is_edge = here.is_over_cellar && around.iter().any(|there| !there.is_over_cellar);
        if is_edge && ((x + y) / (FINE * 6)).is_multiple_of(2) {
            colour = mix(colour, CUT, 0.75);
        }
        sum = [0, 1, 2].map(|i| sum[i] + colour[i] * 0.25);
    }
    sum
}

/// A hash of the pixel, 0 to 1: grain, so that large floors do not look like plastic.
fn noise(x: usize, y: usize) -> f32 {
    let mut h = (x as u32).wrapping_mul(0x9E37_79B1) ^ (y as u32).wrapping_mul(0x85EB_CA77);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    ((h ^ (h >> 15)) & 0xffff) as f32 / 65535.0
}

/// Dark rooms look dark, though their roof is off.
fn grid_light(map: &Map, view: &View, heights: &[f32], x: usize, y: usize, width: usize) -> f32 {
    let Some(grid) = &map.light_grid else { return 1.0 };
    let at = Vec3::new(
        view.mins.x + (x as f32 + 0.5) / view.pixels_per_unit,
        view.maxs.y - (y as f32 + 0.5) / view.pixels_per_unit,
        heights[y * width + x] + 40.0,
    );
    0.84 + 0.16 * grid.light_at(at).min(1.0)
}

pub(super) struct Heights<'a> {
    pub(super) z: &'a [f32],
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels_per_unit: f32,
}

impl Heights<'_> {
    fn at(&self, x: f32, y: f32) -> f32 {
        let x = (x as isize).clamp(0, self.width as isize - 1) as usize;
        let y = (y as isize).clamp(0, self.height as isize - 1) as usize;
        self.z[y * self.width + x]
    }

    /// Sun and open sky on a pixel, by colour: shadows are cool, light is warm.
    pub(super) fn light_at(&self, x: usize, y: usize) -> Light {
        let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
        let z = self.z[y * self.width + x];
        let sun = 1.0 - self.shadow(px, py, z);
        let sky = 1.0 - self.corner(px, py, z);
        const SUN: Rgb = [0.50, 0.48, 0.44];
        const SKY: Rgb = [0.62, 0.64, 0.68];
        Light([0, 1, 2].map(|i| SUN[i] * sun + SKY[i] * (0.25 + 0.75 * sky)))
    }

    /// How much of the sun's disc is hidden, 0 to 1.
    fn shadow(&self, x: f32, y: f32, z: f32) -> f32 {
        // North-west, 48 degrees up: 1.1 units of height a unit of way.
        const TOWARDS: (f32, f32) = (-0.62, -0.785);
        const RISE: f32 = 1.1;
        const REACH: f32 = 220.0;
        let mut hidden: f32 = 0.0;
        // Starting a little farther off here, a little nearer there, keeps steps from showing in a shadow's edge.
        let mut way = 1.5 + noise(x as usize, y as usize) * 2.0;
        while way < REACH {
            let pixels = way * self.pixels_per_unit;
            let over = self.at(x + TOWARDS.0 * pixels, y + TOWARDS.1 * pixels) - (z + way * RISE);
            // The penumbra widens with the distance of what casts it.
            hidden = hidden.max((over / (3.0 + way * 0.10) + 0.5).min(1.0));
            // Farther off, edges are softer and need fewer looks.
            way += 2.0 + way * 0.025;
        }
        hidden.max(0.0)
    }

    /// How much of the sky walls close by take away, 0 to 1.
    fn corner(&self, x: f32, y: f32, z: f32) -> f32 {
        const DIRECTIONS: [(f32, f32); 12] = [
            (1.0, 0.0),
            (0.866, 0.5),
            (0.5, 0.866),
            (0.0, 1.0),
            (-0.5, 0.866),
            (-0.866, 0.5),
            (-1.0, 0.0),
            (-0.866, -0.5),
            (-0.5, -0.866),
            (0.0, -1.0),
            (0.5, -0.866),
            (0.866, -0.5),
        ];
        let mut hidden = 0.0;
        for (dx, dy) in DIRECTIONS {
            let mut steepest: f32 = 0.0;
            for way in [5.0, 12.0, 24.0, 44.0] {
                let pixels = way * self.pixels_per_unit;
                let slope = (self.at(x + dx * pixels, y + dy * pixels) - z) / way;
                steepest = steepest.max(slope);
            }
            hidden += steepest / (1.0 + steepest);
        }
        hidden / DIRECTIONS.len() as f32
    }
}

/// Light by colour, to be dimmed evenly.
#[derive(Clone, Copy)]
pub(super) struct Light(Rgb);

impl std::ops::Mul<f32> for Light {
    type Output = Rgb;
    fn mul(self, dim: f32) -> Rgb {
        self.0.map(|part| part * dim)
    }
}

#[cfg(test)]
#[path = "plan_test.rs"]
mod tests;
