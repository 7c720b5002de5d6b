//! How bright the air is: the light grid a map compiler sampled, asked at a point.
//!
//! The grid's spacing stands in the map's first entity (`gridsize`, else 64 x 64 x 128); its corner is the first whole
//! step inside the map's bounds. Samples inside walls are black and left out of the mean, as the engine's renderer
//! does it when it lights a player: what remains is scaled up to full weight.

use glam::Vec3;

use super::lump::{Lump, Record};
use super::{Entity, LightGrid, LightSample, MapError, Model};

const CELL_DEFAULT: Vec3 = Vec3::new(64.0, 64.0, 128.0);
const SAMPLE_BYTES: usize = 8;

impl LightGrid {
    /// Reads a light grid lump. None when the map has no grid, or one that does not fit its bounds: the engine
    /// then lights everything evenly.
    pub(super) fn read(
        lump: &Lump<'_>,
        world: &Model,
        worldspawn: Option<&Entity>,
    ) -> Result<Option<LightGrid>, MapError> {
        let cell = worldspawn.and_then(|entity| entity.vector("gridsize")).unwrap_or(CELL_DEFAULT);
        let samples: Vec<LightSample> = lump.records(SAMPLE_BYTES)?.map(read_sample).collect();
        let Some((origin, counts)) = extent(cell, world) else { return Ok(None) };
        let wanted = counts.iter().try_fold(1_usize, |product, &n| product.checked_mul(n as usize));
        if samples.is_empty() || wanted != Some(samples.len()) {
            return Ok(None);
        }
        Ok(Some(LightGrid { origin, cell, counts, samples }))
    }

    /// Brightness at a point from 0 to 1: ambient and directed light together, between the samples around it.
    pub fn light_at(&self, point: Vec3) -> f32 {
        let mut low = [0_usize; 3];
        let mut share = [0.0_f32; 3];
        for axis in 0..3 {
            let place = (point[axis] - self.origin[axis]) / self.cell[axis];
            // Saturates, so any point at all, NaN included, ends at a sample.
            let last = (self.counts[axis] as usize).saturating_sub(1);
            let step = place.floor();
            low[axis] = (step as usize).min(last);
            share[axis] = if step >= 0.0 && (step as usize) < last { place - step } else { 0.0 };
        }
        let (mut light, mut weights) = (0.0, 0.0);
        for corner in 0..8 {
            let mut weight = 1.0;
            let mut at = [0; 3];
            for axis in 0..3 {
                let is_high = corner >> axis & 1;
                weight *= if is_high == 1 { share[axis] } else { 1.0 - share[axis] };
                at[axis] = low[axis] + is_high;
            }
            let Some(sample) = (weight > 0.0).then(|| self.sample(at)).flatten() else { continue };
            if sample.ambient != [0; 3] {
                light += weight * sample.brightness();
                weights += weight;
            }
        }
        if weights > 0.0 { light / weights } else { 0.0 }
    }

    fn sample(&self, at: [usize; 3]) -> Option<&LightSample> {
        let [x, y, z] = at;
        let [nx, ny, _] = self.counts.map(|n| n as usize);
        self.samples.get((z * ny + y) * nx + x)
    }
}

impl LightSample {
    /// How bright a thing here looks from its lit side, 0 to 1, weighting colours as the eye does (ITU-R BT.601).
    pub fn brightness(&self) -> f32 {
        let luma = |c: [u8; 3]| 0.299 * f32::from(c[0]) + 0.587 * f32::from(c[1]) + 0.114 * f32::from(c[2]);
        ((luma(self.ambient) + luma(self.directed)) / 255.0).min(1.0)
    }
}

fn read_sample(mut record: Record<'_>) -> LightSample {
    LightSample { ambient: record.bytes(), directed: record.bytes(), direction: record.bytes() }
}

/// First sample and number of samples each way; none if the cell or the bounds are no sizes.
fn extent(cell: Vec3, world: &Model) -> Option<(Vec3, [u32; 3])> {
    const COUNT_MAX: f32 = 65536.0;
    let mut origin = Vec3::ZERO;
    let mut counts = [0; 3];
    for axis in 0..3 {
        let size = cell[axis];
        let first = size * (world.mins[axis] / size).ceil();
        let last = size * (world.maxs[axis] / size).floor();
        let count = (last - first) / size + 1.0;
        if !(size > 0.0 && (1.0..COUNT_MAX).contains(&count)) {
            return None;
        }
        origin[axis] = first;
        counts[axis] = count as u32;
    }
    Some((origin, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(levels: &[u8]) -> LightGrid {
        let sample = |&level: &u8| LightSample { ambient: [level; 3], directed: [0; 3], direction: [0; 2] };
        let samples = levels.iter().map(sample).collect();
        LightGrid { origin: Vec3::ZERO, cell: CELL_DEFAULT, counts: [2, 2, 2], samples }
    }

    #[test]
    fn light_is_mixed_between_samples_and_leaves_out_those_in_walls() {
        let even = grid(&[51, 153, 51, 153, 51, 153, 51, 153]);
        let near = |light: f32, expected: f32| assert!((light - expected).abs() < 1e-5, "{light} {expected}");
        near(even.light_at(Vec3::ZERO), 0.2);
        near(even.light_at(Vec3::new(32.0, 10.0, 90.0)), 0.4);
        near(even.light_at(Vec3::new(1e9, 0.0, 0.0)), 0.6);
        near(even.light_at(Vec3::new(-1e9, f32::NAN, f32::INFINITY)), 0.2);
        near(grid(&[0, 153, 0, 153, 0, 153, 0, 153]).light_at(Vec3::new(16.0, 0.0, 0.0)), 0.6);
        near(grid(&[0; 8]).light_at(Vec3::ZERO), 0.0);
    }

    #[test]
    fn the_grid_begins_at_the_first_whole_step_inside_the_map() {
        let world = Model {
            mins: Vec3::new(-100.0, -64.0, 0.0),
            maxs: Vec3::new(100.0, 63.0, 127.0),
            brushes: Vec::new(),
            patches: Vec::new(),
        };
        assert_eq!(extent(CELL_DEFAULT, &world), Some((Vec3::new(-64.0, -64.0, 0.0), [3, 2, 1])));
        assert_eq!(extent(Vec3::ZERO, &world), None);
        assert_eq!(extent(Vec3::NEG_ONE, &world), None);
    }
}
