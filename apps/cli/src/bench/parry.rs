//! parry3d's shape cast against a compound of convex hulls, one a brush: what a Rust game would use by default.
//!
//! Curves are left out (a hull cannot be one), which makes parry's work less, not more. Built with this program's own
//! settings and parry's default features.

use std::time::Duration;

use anyhow::{Context, Result};
use fireteam_openarena::clock::timed;
use fireteam_world::{Hull, Sweep};
use parry3d::math::{Pose, Vector};
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::{Compound, Cuboid, SharedShape};

use super::polygon::{Polyhedron, Shapes};

/// What parry is asked: the same hull, the same way.
pub(crate) struct Parry {
    compound: Compound,
    cuboid: Cuboid,
    /// From a sweep's place to the middle of its hull.
    centre: Vector,
}

impl Parry {
    /// `hull` is that of every sweep asked later.
    pub(crate) fn new(shapes: &Shapes, hull: Hull) -> Result<Parry> {
        let hulls: Vec<(Pose, SharedShape)> = shapes.brushes.iter().filter_map(convex_hull).collect();
        anyhow::ensure!(!hulls.is_empty(), "no brush of this map is a convex hull");
        let centre = (hull.mins + hull.maxs) * 0.5;
        Ok(Parry { compound: Compound::new(hulls), cuboid: Cuboid::new((hull.maxs - hull.mins) * 0.5), centre })
    }

    /// The time for all sweeps, and how many met something.
    pub(crate) fn cast_all(&self, sweeps: &[Sweep]) -> Result<(Duration, usize)> {
        let (hits, time) =
            timed(|| sweeps.iter().try_fold(0, |hits, sweep| Ok(hits + usize::from(self.meets(sweep)?))));
        Ok((time, hits.map_err(|error: parry3d::query::Unsupported| error).context("parry3d")?))
    }

    #[inline]
    fn meets(&self, sweep: &Sweep) -> Result<bool, parry3d::query::Unsupported> {
        let at = Pose::from_translation(sweep.start + self.centre);
        let way = sweep.end - sweep.start;
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let hit = cast_shapes(&at, way, &self.cuboid, &Pose::IDENTITY, Vector::ZERO, &self.compound, options)?;
        Ok(std::hint::black_box(hit).is_some())
    }
}

/// None for what parry finds too flat to be a hull.
fn convex_hull(brush: &Polyhedron) -> Option<(Pose, SharedShape)> {
    let corners: Vec<Vector> = brush.faces.iter().flatten().copied().collect();
    Some((Pose::IDENTITY, SharedShape::convex_hull(&corners)?))
}
