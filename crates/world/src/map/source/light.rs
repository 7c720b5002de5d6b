//! Light for maps that never met a light compiler: how bright each place is, from open sky and `light` entities.
//!
//! The kernel, at every point of a grid ([`CELL`] apart, or worldspawn's `gridsize`) that is not inside a wall:
//! - *Sky.* [`SKY_RAYS`] rays, spread evenly over the upper half of the sphere; the share that ends at a sky surface
//!   (or leaves the map), weighted with its height, times [`SKY_LIGHT`]. It is the ambient part.
//! - *Lamps.* Each `light` entity in plain view adds 7500 · `light` / distance², as Quake III's compiler has it
//!   (`light` is 300 unless told, `_color` tints it). They are the directed part; its direction is their mean.
//! - worldspawn's `ambient` is added everywhere; a floor of 1 tells darkness from the inside of a wall.
//!
//! Panes of glass let light pass. Nothing is reflected, so a room without lamp or window is dark.
//! Cost: about 30 rays a sample; at most [`SAMPLES_MAX`] samples, past which the grid gets coarser.

use glam::Vec3;

use super::SourceFault;
use crate::contents::{Contents, SurfaceFlags};
use crate::map::{LightGrid, LightSample, Map};
use crate::maths;
use crate::solids::Solids;
use crate::trace::Sweep;

const CELL: Vec3 = Vec3::splat(64.0);
const SAMPLES_MAX: u64 = 1 << 15;
const LIGHTS_MAX: usize = 1024;
const SKY_RAYS: u32 = 24;
/// Under a whole sky of it, a player is well lit.
const SKY_LIGHT: f32 = 200.0;
/// Lamps: 7500 · light / distance², the scale mappers know.
const LAMP_SCALE: f32 = 7500.0;
const LAMP_DEFAULT: f32 = 300.0;
/// Lamps that add less (of 255) are not looked for.
const LAMP_FAINTEST: f32 = 2.0;
const PANES_MAX: u32 = 4;

struct Lamp {
    at: Vec3,
    /// Power by colour.
    power: Vec3,
}

pub(super) fn grid(map: &Map) -> Result<Option<LightGrid>, SourceFault> {
    let world = &map.models[0];
    if world.brushes.is_empty() {
        return Ok(None);
    }
    let lamps = lamps(map)?;
    let worldspawn = map.entities.first();
    let ambient = worldspawn.and_then(|entity| entity.number("ambient")).unwrap_or(0.0);
    let cell = worldspawn.and_then(|entity| entity.vector("gridsize")).filter(|cell| cell.min_element() >= 1.0);
    let mut grid = frame(cell.unwrap_or(CELL), world.mins, world.maxs);

    let solids = Solids::build(map);
    let sky = sky_directions();
    let reach = (world.maxs - world.mins).length();
    for index in 0..grid.counts.iter().product::<u32>() {
        let at = grid.origin + grid.cell * step_of(index, grid.counts).as_vec3();
        let sample = if solids.contents_at(at).meets(Contents::SOLID) {
            LightSample { ambient: [0; 3], directed: [0; 3], direction: [0; 2] }
        } else {
            let open = sky_share(&solids, at, &sky, reach);
            let (directed, direction) = lamp_light(&solids, at, &lamps);
            let even = Vec3::splat((ambient + SKY_LIGHT * open).max(1.0));
            LightSample { ambient: bytes(even), directed: bytes(directed), direction: longitude_latitude(direction) }
        };
        grid.samples.push(sample);
    }
    Ok(Some(grid))
}

fn lamps(map: &Map) -> Result<Vec<Lamp>, SourceFault> {
    let mut lamps = Vec::new();
    for entity in map.entities.iter().filter(|entity| entity.class() == "light") {
        let light = entity.number("light").unwrap_or(LAMP_DEFAULT).max(0.0);
        let tint = entity.vector("_color").unwrap_or(Vec3::ONE).max(Vec3::ZERO);
        let tint = tint / tint.max_element().max(f32::MIN_POSITIVE);
        lamps.push(Lamp { at: entity.origin(), power: tint * (light * LAMP_SCALE) });
    }
    if lamps.len() > LIGHTS_MAX { Err(SourceFault::TooManyLights(LIGHTS_MAX)) } else { Ok(lamps) }
}

/// An empty grid over the map; coarser than asked where it would be too large.
fn frame(mut cell: Vec3, mins: Vec3, maxs: Vec3) -> LightGrid {
    loop {
        let origin = (mins / cell).ceil() * cell;
        let steps = ((maxs / cell).floor() * cell - origin) / cell;
        let counts = [steps.x, steps.y, steps.z].map(|n| n.max(0.0) as u32 + 1);
        if counts.iter().map(|&n| u64::from(n)).product::<u64>() <= SAMPLES_MAX {
            return LightGrid { origin, cell, counts, samples: Vec::new() };
        }
        cell *= 2.0;
    }
}

fn step_of(index: u32, [nx, ny, _]: [u32; 3]) -> glam::UVec3 {
    glam::UVec3::new(index % nx, index / nx % ny, index / nx / ny)
}

/// Directions spread evenly over the upper half of the sphere: equal steps in height, the golden angle round.
fn sky_directions() -> Vec<Vec3> {
    const GOLDEN_ANGLE: f32 = 2.399_963_2;
    (0..SKY_RAYS)
        .map(|n| {
            let z = (n as f32 + 0.5) / SKY_RAYS as f32;
            let r = (1.0 - z * z).sqrt();
            let turn = n as f32 * GOLDEN_ANGLE;
            Vec3::new(r * maths::cos(turn), r * maths::sin(turn), z)
        })
        .collect()
}

fn sky_share(solids: &Solids, at: Vec3, directions: &[Vec3], reach: f32) -> f32 {
    let (mut seen, mut whole) = (0.0, 0.0);
    for &direction in directions {
        whole += direction.z;
        if look(solids, at, at + direction * reach) != Sight::Wall {
            seen += direction.z;
        }
    }
    seen / whole
}

/// Light of all lamps in plain view, by colour, and where it comes from.
fn lamp_light(solids: &Solids, at: Vec3, lamps: &[Lamp]) -> (Vec3, Vec3) {
    let (mut light, mut direction) = (Vec3::ZERO, Vec3::ZERO);
    for lamp in lamps {
        let way = lamp.at - at;
        let add = lamp.power / way.length_squared().max(1.0);
        if add.max_element() >= LAMP_FAINTEST && look(solids, at, lamp.at) == Sight::Clear {
            light += add;
            direction += way.normalize_or_zero() * add.max_element();
        }
    }
    (light, direction)
}

#[derive(PartialEq, Eq)]
enum Sight {
    Clear,
    Sky,
    Wall,
}

fn look(solids: &Solids, from: Vec3, to: Vec3) -> Sight {
    let mut from = from;
    for _ in 0..PANES_MAX {
        let trace = solids.sweep(&Sweep::ray(from, to, Contents::SOLID));
        if !trace.is_hit() {
            return Sight::Clear;
        }
        if trace.surface.meets(SurfaceFlags::SKY) {
            return Sight::Sky;
        }
        if !trace.contents.meets(Contents::TRANSLUCENT) {
            return Sight::Wall;
        }
        // Panes are a few units thick: go on behind this one.
        let step = (to - from).normalize_or_zero() * 8.0;
        from = trace.end + step;
    }
    Sight::Wall
}

fn bytes(light: Vec3) -> [u8; 3] {
    // `as` saturates: brighter than white is white.
    light.to_array().map(|level| (level + 0.5) as u8)
}

fn longitude_latitude(direction: Vec3) -> [u8; 2] {
    const STEPS_PER_RADIAN: f32 = 128.0 / std::f32::consts::PI;
    let longitude = maths::atan2((direction.x * direction.x + direction.y * direction.y).sqrt(), direction.z);
    let latitude = maths::atan2(direction.y, direction.x);
    [longitude, latitude].map(|angle| (angle * STEPS_PER_RADIAN).round() as i32 as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM_WITH_A_LAMP: &str = include_str!("../../../../../testdata/maps/two_rooms_one_door.map");

    #[test]
    fn sky_directions_are_even_and_upward() {
        let directions = sky_directions();
        assert!(directions.iter().all(|d| d.z > 0.0 && (d.length() - 1.0).abs() < 1e-5));
        let mean: Vec3 = directions.iter().sum::<Vec3>() / SKY_RAYS as f32;
        assert!(mean.x.abs() < 0.03 && mean.y.abs() < 0.03 && (mean.z - 0.5).abs() < 0.01, "{mean}");
    }

    #[test]
    fn a_grid_never_outgrows_its_limit() {
        let grid = frame(Vec3::ONE, Vec3::splat(-65536.0), Vec3::splat(65536.0));
        assert!(grid.counts.iter().map(|&n| u64::from(n)).product::<u64>() <= SAMPLES_MAX, "{:?}", grid.counts);
    }

    #[test]
    fn light_falls_off_behind_the_door() {
        let map = Map::from_source("two_rooms_one_door.map", ROOM_WITH_A_LAMP).unwrap();
        let grid = map.light_grid.as_ref().unwrap();
        let lamp = map.entities.iter().find(|entity| entity.class() == "light").unwrap().origin();
        let near = grid.light_at(lamp - Vec3::Z * 32.0);
        let far = grid.light_at(Vec3::new(-lamp.x, lamp.y, lamp.z));
        assert!(near > 0.9 && far < 0.3, "lamp room {near}, other room {far}");
    }
}
