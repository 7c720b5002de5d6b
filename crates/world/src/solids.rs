//! What is solid: brushes and facets, asked with sweeps.

use glam::Vec3;

use crate::contents::Contents;
use crate::map::Map;
use crate::trace::{Body, Placed, Sweep, Trace};
use crate::units::ModelId;

#[derive(Clone, Debug)]
pub struct Solids {}

impl Solids {
    pub fn build(_map: &Map) -> Solids {
        Solids {}
    }
    pub fn sweep(&self, sweep: &Sweep) -> Trace {
        Trace::free(sweep.end)
    }
    pub fn sweep_placed(&self, _placed: &Placed, sweep: &Sweep) -> Trace {
        Trace::free(sweep.end)
    }
    pub fn contents_at(&self, _point: Vec3) -> Contents {
        Contents::NONE
    }
    pub fn contents_at_placed(&self, _placed: &Placed, _point: Vec3) -> Contents {
        Contents::NONE
    }
    pub fn bounds(&self, _model: ModelId) -> (Vec3, Vec3) {
        (Vec3::ZERO, Vec3::ZERO)
    }
}

pub fn sweep_body(_body: &Body, sweep: &Sweep) -> Trace {
    Trace::free(sweep.end)
}
