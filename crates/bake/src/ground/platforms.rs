//! Floors that come and go: the tops of lifts, trains, bobbing slabs and doors, at each of their stops.

use fireteam_terrain::SpanFlags;
use fireteam_world::mover::Movers;
use fireteam_world::units::EntityId;
use fireteam_world::walker::Travel;
use fireteam_world::{Bounds, Hull, Placed, Solids, Sweep, Vec3};

use super::body::{Feeling, MASK};
use super::flood::{Flood, Landing};

/// One mover standing at each of its stops.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) entity: EntityId,
    stops: Vec<Stop>,
}

#[derive(Debug)]
struct Stop {
    placed: Placed,
    bounds: Bounds,
}

impl Platform {
    pub(super) fn all(movers: &Movers, moving: &[Placed], solids: &Solids) -> Vec<Platform> {
        let platform = |placed: &Placed| {
            let stops = movers.stops(placed.entity).into_iter().map(|origin| {
                let placed = Placed { origin, ..*placed };
                Stop { bounds: solids.placed_bounds(&placed), placed }
            });
            Platform { entity: placed.entity, stops: stops.collect() }
        };
        moving.iter().map(platform).collect()
    }
}

impl Feeling<'_> {
    /// Whether something that gives way stands here while it rests.
    pub(super) fn is_filled(&self, origin: Vec3) -> bool {
        let body = Bounds { mins: origin + self.lowest.mins, maxs: origin + self.lowest.maxs };
        let here = Sweep::hull(origin, origin, self.lowest, MASK);
        let resting = self.platforms.iter().filter_map(|platform| platform.stops.first());
        resting
            .filter(|rest| rest.bounds.meets(&body))
            .any(|rest| self.solids.sweep_placed(&rest.placed, &here).start_solid)
    }

    /// Tops of platforms from a step above a body down to a lower height, wherever they may stand.
    pub(super) fn platforms_below(&self, from: Vec3, bottom: f32, hull: Hull, found: &mut Vec<Landing>) {
        let raised = from + Vec3::Z * self.rules.step_height;
        // A little deeper than the floor: a lift may be sunk into it.
        let end = Vec3::new(from.x, from.y, bottom - 0.5);
        let way = Bounds { mins: end + hull.mins, maxs: raised + hull.maxs };
        for platform in &self.platforms {
            for stop in platform.stops.iter().filter(|stop| stop.bounds.meets(&way)) {
                let sweep = Sweep::hull(raised, end, hull, MASK);
                let trace = self.solids.sweep_placed(&stop.placed, &sweep);
                let carries =
                    !trace.start_solid && trace.fraction < 1.0 && trace.normal.z >= self.rules.floor_normal_min;
                if carries && (trace.end.z <= from.z || self.fits(trace.end, hull)) {
                    found.push(Landing { origin: trace.end, is_steep: false, mover: Some(platform.entity) });
                }
            }
        }
    }
}

impl Flood<'_> {
    /// From one stop of a platform to all others, standing on the same spot of it.
    pub(super) fn ride(&mut self, index: u32) {
        let place = self.places[index as usize];
        let Some(platform) = self.body.platforms.iter().find(|platform| Some(platform.entity) == place.mover) else {
            return;
        };
        let rides = |stop: &&Stop| {
            let down = place.origin - Vec3::Z;
            let sweep = Sweep::hull(place.origin, down, self.body.lowest, MASK);
            self.body.solids.sweep_placed(&stop.placed, &sweep).fraction < 1.0
        };
        let Some(here) = platform.stops.iter().find(rides) else { return };
        let shifts: Vec<Vec3> = platform.stops.iter().map(|stop| stop.placed.origin - here.placed.origin).collect();
        for shift in shifts.into_iter().filter(|shift| *shift != Vec3::ZERO) {
            let origin = place.origin + shift;
            if self.body.fits(origin, self.body.lowest) {
                let landing = Landing { origin, is_steep: false, mover: place.mover };
                self.arrive(Some((index, Travel::Lift)), landing, SpanFlags::NONE);
            }
        }
    }
}
