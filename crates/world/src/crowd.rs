//! Everything in a scene that is not the map itself: movers and bodies, boxed so that a sweep can pass them by.
//!
//! A sweep meets a door or a player once in a hundred times. Their boxes stand eight to a group as those of the map
//! do, prepared once a frame, so that the other ninety-nine times cost one look at a group.

use glam::Vec3;

use crate::contents::Contents;
use crate::solids::{Boxes, Solids};
use crate::trace::{Body, Bounds, Placed};

/// A sweep's box keeps its axes in the frame of a turned model, and so may stick out of its own bounds by its radius.
/// Nothing that moves in these games is larger.
const TURNED_REACH: f32 = 128.0;

/// Who and what stands around in a map, where it is now (or is believed to be).
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    placed: Vec<Placed>,
    bodies: Vec<Body>,
    /// The boxes of `placed`, then of `bodies`, eight to a group.
    boxes: Vec<Boxes>,
}

/// Nobody and nothing.
pub(crate) static NOBODY: Crowd = Crowd { placed: Vec::new(), bodies: Vec::new(), boxes: Vec::new() };

impl Crowd {
    pub fn of(solids: &Solids, placed: &[Placed], bodies: &[Body]) -> Crowd {
        let mut crowd = Crowd::default();
        crowd.set(solids, placed, bodies);
        crowd
    }

    /// Nobody and nothing, with room for so many of each.
    pub fn with_room(placed: usize, bodies: usize) -> Crowd {
        Crowd {
            placed: Vec::with_capacity(placed),
            bodies: Vec::with_capacity(bodies),
            boxes: Vec::with_capacity((placed + bodies).div_ceil(8)),
        }
    }

    /// Starts anew with these, in the memory of those before them.
    pub fn set(&mut self, solids: &Solids, placed: &[Placed], bodies: &[Body]) {
        self.placed.clear();
        self.placed.extend_from_slice(placed);
        self.bodies.clear();
        self.bodies.extend_from_slice(bodies);
        self.boxes.clear();
        self.boxes.resize((placed.len() + bodies.len()).div_ceil(8), Boxes::EMPTY);
        for (slot, placed) in placed.iter().enumerate() {
            let mut bounds = solids.placed_bounds(placed);
            if placed.angles != Vec3::ZERO {
                bounds.mins -= Vec3::splat(TURNED_REACH);
                bounds.maxs += Vec3::splat(TURNED_REACH);
            }
            self.put(slot, bounds, placed.contents);
        }
        for index in 0..bodies.len() {
            self.box_body(index);
        }
    }

    /// Puts one of the bodies elsewhere.
    pub fn move_body(&mut self, index: usize, origin: Vec3) {
        self.bodies[index].origin = origin;
        self.box_body(index);
    }

    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    pub(crate) fn boxes(&self) -> &[Boxes] {
        &self.boxes
    }

    fn box_body(&mut self, index: usize) {
        let body = self.bodies[index];
        self.put(self.placed.len() + index, body.bounds(), body.contents);
    }

    fn put(&mut self, slot: usize, bounds: Bounds, contents: Contents) {
        self.boxes[slot / 8].set_plain(slot % 8, bounds.mins, bounds.maxs, contents.0);
    }
}
