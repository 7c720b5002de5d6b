//! Where nothing carries: swimming in layers, up and down and out of the water; and ladders, rung by rung.

use fireteam_terrain::SpanFlags;
use fireteam_world::map::{Brush, Plane};
use fireteam_world::movement::Stance;
use fireteam_world::walker::Travel;
use fireteam_world::{Bounds, Contents, Map, SurfaceFlags, Vec3};

use super::flood::{AROUND, Flood, Landing};

/// Height between places on a ladder.
const RUNG: f32 = 24.0;
/// Faces that lean more than this are ramps, not ladders.
const FACE_RISE_MAX: f32 = 0.7;
/// The water's surface is found to within this.
const SURFACE_TOLERANCE: f32 = 1.0;
/// Layers are at least so far from the bottom and from the surface.
const LAYER_GAP: f32 = 20.0;

/// The map's liquids alone: a handful of brushes, where asking the map looks at everything around.
#[derive(Debug)]
pub(super) struct Liquids(Vec<Liquid>);

#[derive(Debug)]
struct Liquid {
    bounds: Bounds,
    planes: Vec<Plane>,
    contents: Contents,
}

impl Liquids {
    pub(super) fn of(map: &Map) -> Liquids {
        let brushes = map.models.first().map_or(&[][..], |world| &world.brushes);
        let liquid = |brush: &Brush| {
            let contents = map.shaders[brush.shader as usize].contents & Contents::MASK_LIQUID;
            let sides = &map.sides[brush.side_first as usize..][..brush.side_count as usize];
            let planes: Vec<Plane> = sides.iter().map(|side| map.planes[side.plane as usize]).collect();
            // The first six sides are the bounds.
            let axial = |side: usize| planes.get(side).map_or(0.0, |plane| plane.dist);
            let mins = Vec3::new(-axial(0), -axial(2), -axial(4));
            let bounds = Bounds { mins, maxs: Vec3::new(axial(1), axial(3), axial(5)) };
            (!contents.is_empty()).then_some(Liquid { bounds, planes, contents })
        };
        Liquids(brushes.iter().filter_map(|brush| liquid(&map.brushes[brush.index()])).collect())
    }

    /// Which liquid fills a point.
    pub(super) fn at(&self, point: Vec3) -> Contents {
        let here = Bounds { mins: point, maxs: point };
        let fills = |liquid: &&Liquid| {
            liquid.bounds.meets(&here) && liquid.planes.iter().all(|plane| plane.normal.dot(point) <= plane.dist)
        };
        self.0.iter().find(fills).map_or(Contents::NONE, |liquid| liquid.contents)
    }
}

impl Flood<'_> {
    /// From a place in deep liquid to those around, above and below it, and onto the shore.
    pub(super) fn swim(&mut self, index: u32) {
        let place = self.places[index as usize];
        for direction in 0..AROUND.len() {
            if place.is_hanging() {
                self.swim_across(index, direction);
            }
            if direction.is_multiple_of(2) && !self.body.are_eyes_wet(place.origin) {
                self.leave_water(index, direction);
            }
        }
        self.swim_up(index);
        if place.is_hanging() {
            self.swim_down(index);
        }
    }

    fn swim_across(&mut self, index: u32, direction: usize) {
        let origin = self.places[index as usize].origin;
        let Some(over) = self.across(origin, direction, self.body.hull(Stance::Standing), 0.0) else { return };
        if self.body.is_waist_wet(over) {
            self.hang(index, over, Travel::Swim);
        } else {
            self.drop_in(Some((index, Travel::Drop)), over);
        }
    }

    /// Over an edge, or through a gap above it: as high as the leap out of the water carries.
    fn leave_water(&mut self, index: u32, direction: usize) {
        let rules = self.body.rules;
        let rise = rules.water.leap_up * rules.water.leap_up / (2.0 * rules.gravity.max(1) as f32);
        self.mount(index, direction, Stance::Standing, rise, Travel::WaterExit);
    }

    /// To the next layer above, or to the surface.
    fn swim_up(&mut self, index: u32) {
        let layer = self.settings.swim_layer;
        let origin = self.places[index as usize].origin;
        let next = ((origin.z + LAYER_GAP) / layer).ceil() * layer;
        let up = self.body.sweep(origin, Vec3::new(origin.x, origin.y, next), self.body.hull(Stance::Standing));
        if up.start_solid {
            return;
        }
        let top = if self.body.is_waist_wet(up.end) { up.end } else { self.surface_between(origin, up.end) };
        if top.z > origin.z + LAYER_GAP * 0.5 {
            self.hang(index, top, Travel::Swim);
        }
    }

    /// The highest point on the way up at which a body still swims.
    fn surface_between(&self, wet: Vec3, dry: Vec3) -> Vec3 {
        let (mut wet, mut dry) = (wet, dry);
        while dry.z - wet.z > SURFACE_TOLERANCE {
            let middle = (wet + dry) * 0.5;
            if self.body.is_waist_wet(middle) {
                wet = middle;
            } else {
                dry = middle;
            }
        }
        wet
    }

    /// To the next layer below, or to the bottom.
    fn swim_down(&mut self, index: u32) {
        let layer = self.settings.swim_layer;
        let origin = self.places[index as usize].origin;
        let next = ((origin.z - LAYER_GAP) / layer).floor() * layer;
        let down = self.body.sweep(origin, Vec3::new(origin.x, origin.y, next), self.body.hull(Stance::Standing));
        if down.start_solid {
            return;
        }
        if down.fraction < 1.0 {
            let is_steep = down.normal.z < self.body.rules.floor_normal_min;
            let landing = Landing { origin: down.end, is_steep, mover: None };
            self.arrive(Some((index, Travel::Swim)), landing, SpanFlags::NONE);
        } else if self.body.is_waist_wet(down.end) {
            self.hang(index, down.end, Travel::Swim);
        }
    }

    fn hang(&mut self, index: u32, origin: Vec3, kind: Travel) -> Option<u32> {
        let extra = if kind == Travel::Ladder { SpanFlags::LADDER } else { SpanFlags::SWIM };
        self.arrive(Some((index, kind)), Landing { origin, is_steep: false, mover: None }, extra)
    }

    /// Up every ladder within reach of a place.
    pub(super) fn climb(&mut self, index: u32) {
        if self.places[index as usize].flags.meets(SpanFlags::LADDER) {
            return;
        }
        let origin = self.places[index as usize].origin;
        for [x, y] in AROUND {
            let ahead = Vec3::new(x as f32, y as f32, 0.0);
            if let Some((grip, face)) = self.ladder_ahead(origin, ahead * self.settings.cell) {
                self.climb_face(index, grip, face);
            }
        }
    }

    /// Where a body moving so would hold on to a ladder, and which way into the wall is.
    fn ladder_ahead(&self, origin: Vec3, way: Vec3) -> Option<(Vec3, Vec3)> {
        let trace = self.body.sweep(origin, origin + way, self.body.hull(Stance::Standing));
        let is_ladder = trace.fraction < 1.0
            && !trace.start_solid
            && trace.surface.meets(SurfaceFlags::LADDER)
            && trace.normal.z.abs() < FACE_RISE_MAX;
        let into = Vec3::new(-trace.normal.x, -trace.normal.y, 0.0).normalize_or_zero();
        is_ladder.then_some((trace.end, into))
    }

    /// Rung by rung until the face ends, then onto what is there.
    fn climb_face(&mut self, index: u32, grip: Vec3, into: Vec3) {
        let hull = self.body.hull(Stance::Standing);
        let reach = self.body.rules.ladder.map_or(0.0, |rules| rules.reach);
        let (mut below, mut at) = (index, grip);
        loop {
            let up = self.body.sweep(at, at + Vec3::Z * RUNG, hull);
            if up.start_solid || up.end.z - at.z < 1.0 {
                return;
            }
            at = up.end;
            if self.ladder_ahead(at, into * (reach + 1.0)).is_none() {
                self.step_off(below, at, into);
                return;
            }
            let Some(rung) = self.hang(below, at, Travel::Ladder) else { return };
            self.ways.push((rung, super::Way { to: below, kind: Travel::Ladder }));
            below = rung;
        }
    }

    /// Over the upper end of a ladder.
    fn step_off(&mut self, rung: u32, at: Vec3, into: Vec3) {
        let over = self.body.sweep(at, at + into * self.settings.cell, self.body.hull(Stance::Standing)).end;
        if let Some(top) = self.drop_in(Some((rung, Travel::Ladder)), over) {
            self.ways.push((top, super::Way { to: rung, kind: Travel::Ladder }));
        }
    }
}
