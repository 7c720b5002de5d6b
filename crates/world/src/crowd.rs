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
    /// How far each of `placed` reaches, then each of `bodies`.
    bounds: Vec<Bounds>,
    /// The same eight to a group, and farther for what is turned.
    boxes: Vec<Boxes>,
}

/// One of a crowd.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Standing<'a> {
    Mover(&'a Placed),
    Body(&'a Body),
}

/// Nobody and nothing.
pub(crate) static NOBODY: Crowd =
    Crowd { placed: Vec::new(), bodies: Vec::new(), bounds: Vec::new(), boxes: Vec::new() };

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
            bounds: Vec::with_capacity(placed + bodies),
            boxes: Vec::with_capacity((placed + bodies).div_ceil(8)),
        }
    }

    /// Starts anew with these, in the memory of those before them.
    pub fn set(&mut self, solids: &Solids, placed: &[Placed], bodies: &[Body]) {
        self.placed.clear();
        self.placed.extend_from_slice(placed);
        self.bodies.clear();
        self.bodies.extend_from_slice(bodies);
        self.bounds.clear();
        self.bounds.extend(placed.iter().map(|placed| solids.placed_bounds(placed)));
        self.bounds.extend(bodies.iter().map(Body::bounds));
        self.boxes.clear();
        self.boxes.resize(self.bounds.len().div_ceil(8), Boxes::EMPTY);
        for (slot, placed) in placed.iter().enumerate() {
            let mut bounds = self.bounds[slot];
            if placed.angles != Vec3::ZERO {
                bounds.mins -= Vec3::splat(TURNED_REACH);
                bounds.maxs += Vec3::splat(TURNED_REACH);
            }
            self.put(slot, bounds, placed.contents);
        }
        for (index, body) in bodies.iter().enumerate() {
            let slot = placed.len() + index;
            self.put(slot, self.bounds[slot], body.contents);
        }
    }

    /// Puts one of the bodies elsewhere.
    pub fn move_body(&mut self, index: usize, origin: Vec3) {
        self.bodies[index].origin = origin;
        let (slot, body) = (self.placed.len() + index, self.bodies[index]);
        self.bounds[slot] = body.bounds();
        self.put(slot, self.bounds[slot], body.contents);
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

    /// Whoever and whatever reaches into a box: movers first, each in its order.
    pub(crate) fn standing_in(&self, space: Bounds) -> impl Iterator<Item = Standing<'_>> {
        let groups = self.boxes.iter().zip((0..).step_by(8));
        let near = groups.flat_map(move |(boxes, first)| {
            let mut lanes = boxes.met_by(&space);
            std::iter::from_fn(move || {
                let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize)?;
                lanes &= lanes - 1;
                Some(first + lane)
            })
        });
        // The groups' boxes have some room around them.
        near.filter(move |slot| space.meets(&self.bounds[*slot])).map(|slot| {
            match slot.checked_sub(self.placed.len()) {
                None => Standing::Mover(&self.placed[slot]),
                Some(body) => Standing::Body(&self.bodies[body]),
            }
        })
    }

    fn put(&mut self, slot: usize, bounds: Bounds, contents: Contents) {
        self.boxes[slot / 8].set_plain(slot % 8, bounds.mins, bounds.maxs, contents.0);
    }
}
