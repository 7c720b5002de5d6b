//! `/api/map`: the map as triangles, to be looked at.
//!
//! In: brushes and curved patches. Out: for the map and each of its brush models, vertices with normals, and triangles with a
//! class: solid, floor, ceiling, liquid, glass, or not to be drawn. Faces that lie against other brushes are left out, and so are those that look out
//! of the map, so that one can look into it from outside. Little-endian:
//!
//! ```text
//! "FTMAP1\0\0", u32 models; a model: u32 vertices, u32 triangles, f32[3] positions, f32[3] normals, u8 classes,
//! zeros up to a multiple of 4, u32[3] corners
//! ```
//!
//! Cost: a tenth of a second for a large map, once.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use fireteam::Field;
use fireteam_world::map::brush::skin;
use fireteam_world::map::{Patch, Shader};
use fireteam_world::trace::Sweep;
use fireteam_world::{Contents, Map, SurfaceFlags, Vec3};

use super::Viewer;
use super::serve::{Answer, bytes, slowly};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/map", get(map))
}

async fn map(State(viewer): State<Arc<Viewer>>) -> Answer<Response> {
    let showing = viewer.showing()?;
    let drawn =
        slowly(move || Ok(showing.map_bytes.get_or_init(|| draw(&showing.chronicle.field).into()).clone())).await?;
    Ok(bytes(drawn))
}

const SOLID: u8 = 0;
const FLOOR: u8 = 1;
const CEILING: u8 = 2;
const LIQUID: u8 = 3;
const GLASS: u8 = 4;
const UNDRAWN: u8 = 5;

/// Steeper than this is no floor.
const FLOOR_NORMAL: f32 = 0.7;
/// How far before a face it is asked what is there.
const BEFORE: f32 = 1.0;
/// Points of a face that are asked lie so far in from its corners.
const INWARDS: f32 = 0.1;
/// Farther than this is out of the world.
const FAR: f32 = 131_072.0;
/// Straight pieces to a curve.
const CURVE_STEPS: u32 = 5;

/// What is drawn of one model.
#[derive(Default)]
struct Mesh {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    classes: Vec<u8>,
    corners: Vec<[u32; 3]>,
}

/// The whole map as bytes.
pub(crate) fn draw(field: &Field) -> Vec<u8> {
    let map = &field.map;
    let mut out = b"FTMAP1\0\0".to_vec();
    out.extend((map.models.len() as u32).to_le_bytes());
    for (number, model) in map.models.iter().enumerate() {
        let mut mesh = Mesh::default();
        for brush in &model.brushes {
            let shader = &map.shaders[map.brushes[brush.index()].shader as usize];
            for (side, polygon) in skin(map, *brush) {
                let class = class_of(shader, &map.shaders[side.shader as usize]);
                let normal = map.planes[side.plane as usize].normal;
                // Doors move away from what they lie against.
                let is_hidden = number == 0 && class != UNDRAWN && is_hidden(&polygon, normal, class, field);
                if class != UNDRAWN && !is_hidden {
                    mesh.add_polygon(&polygon, normal, class);
                }
            }
        }
        for patch in &model.patches {
            mesh.add_patch(&map.patches[patch.index()], map);
        }
        mesh.put(&mut out);
    }
    out
}

/// By what fills a brush, and by what its face is covered with.
fn class_of(fills: &Shader, covers: &Shader) -> u8 {
    let is = |mask: Contents| fills.contents.meets(mask);
    if covers.surface.meets(SurfaceFlags::SKY.union(SurfaceFlags::NO_DRAW)) {
        UNDRAWN
    } else if is(Contents::MASK_LIQUID) {
        LIQUID
    } else if !is(Contents::SOLID) {
        UNDRAWN
    } else if is(Contents::TRANSLUCENT) {
        GLASS
    } else {
        SOLID
    }
}

/// Whether a face lies against something solid everywhere, or looks out of the map.
fn is_hidden(polygon: &[Vec3], normal: Vec3, class: u8, field: &Field) -> bool {
    let centre = polygon.iter().sum::<Vec3>() / polygon.len() as f32;
    let within = |point: Vec3| point + (centre - point) * INWARDS + normal * BEFORE;
    let mut asked = polygon.iter().map(|point| within(*point)).chain([centre + normal * BEFORE]);
    let mask = if class == LIQUID { Contents(Contents::SOLID.0 | Contents::MASK_LIQUID.0) } else { Contents::SOLID };
    if asked.all(|point| field.solids.has_contents_at(point, mask)) {
        return true;
    }
    let before = centre + normal * BEFORE;
    match &field.map.tree {
        Some(tree) => {
            let is_out = |point: Vec3| tree.leaf_at(&field.map.planes, point).cluster < 0;
            polygon.iter().all(|point| is_out(within(*point))) && is_out(before)
        }
        None => field.solids.is_clear(&Sweep::ray(before, before + normal * FAR, Contents::MASK_SOLID)),
    }
}

/// Floors and ceilings can be told from walls by where they look.
fn by_slope(class: u8, normal: Vec3) -> u8 {
    match class {
        SOLID if normal.z > FLOOR_NORMAL => FLOOR,
        SOLID if normal.z < -FLOOR_NORMAL => CEILING,
        _ => class,
    }
}

impl Mesh {
    /// Convex, counter-clockwise seen from before it.
    fn add_polygon(&mut self, polygon: &[Vec3], normal: Vec3, class: u8) {
        let first = self.positions.len() as u32;
        self.positions.extend_from_slice(polygon);
        self.normals.extend(polygon.iter().map(|_| normal));
        for corner in 1..polygon.len() as u32 - 1 {
            self.corners.push([first, first + corner, first + corner + 1]);
            self.classes.push(by_slope(class, normal));
        }
    }

    /// Quadratic pieces, three by three points each, as a grid of triangles. Seen from both sides, since some are sheets.
    fn add_patch(&mut self, patch: &Patch, map: &Map) {
        let shader = &map.shaders[patch.shader as usize];
        let class = class_of(shader, shader);
        if class == UNDRAWN {
            return;
        }
        let (across, down) = ((patch.width - 1) / 2 * CURVE_STEPS, (patch.height - 1) / 2 * CURVE_STEPS);
        let points: Vec<Vec3> = (0..=down)
            .flat_map(|row| (0..=across).map(move |column| (column, row)))
            .map(|(column, row)| point_of(patch, column, row))
            .collect();
        let at = |column: u32, row: u32| points[(row * (across + 1) + column) as usize];
        for row in 0..down {
            for column in 0..across {
                let [a, b, c, d] = [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)];
                for triangle in [[a, b, c], [a, c, d]] {
                    let [a, b, c] = triangle;
                    let normal = (c - a).cross(b - a).normalize_or_zero();
                    if normal != Vec3::ZERO {
                        self.add_polygon(&[a, c, b], normal, class);
                    }
                }
            }
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend((self.positions.len() as u32).to_le_bytes());
        out.extend((self.corners.len() as u32).to_le_bytes());
        for point in self.positions.iter().chain(&self.normals) {
            point.to_array().iter().for_each(|along| out.extend(along.to_le_bytes()));
        }
        out.extend_from_slice(&self.classes);
        out.resize(out.len().next_multiple_of(4), 0);
        self.corners.iter().flatten().for_each(|corner| out.extend(corner.to_le_bytes()));
    }
}

/// A point of the curved surface, [`CURVE_STEPS`] to a piece each way.
fn point_of(patch: &Patch, column: u32, row: u32) -> Vec3 {
    let piece = |step: u32, size: u32| {
        let piece = (step / CURVE_STEPS).min((size - 3) / 2);
        (piece * 2, (step - piece * CURVE_STEPS) as f32 / CURVE_STEPS as f32)
    };
    let ((x, s), (y, t)) = (piece(column, patch.width), piece(row, patch.height));
    let weights = |u: f32| [(1.0 - u) * (1.0 - u), 2.0 * u * (1.0 - u), u * u];
    let mut point = Vec3::ZERO;
    for (down, by_row) in (0..3).zip(weights(t)) {
        for (right, by_column) in (0..3).zip(weights(s)) {
            point += patch.points[((y + down) * patch.width + x + right) as usize] * (by_row * by_column);
        }
    }
    point
}
