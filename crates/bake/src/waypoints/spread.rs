//! Filling the ground between: every place within the spacing of a waypoint, the middle of things first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fireteam_terrain::{SpanFlags, WaypointFlags};

use super::spots::is_quiet;
use super::{PARTS, Spacing, Spot, is_plain, length};
use crate::ground::{Place, Survey};

/// Ground is open where walls and edges are this far away.
const OPEN: f32 = 256.0;
/// Clearances are told apart in steps of this: finer differences are chance.
const CLEARANCE_STEP: f32 = 16.0;

/// Ground that one cannot walk on from is worth a waypoint if it has so many places: a crate, not a rail.
const PATCH_MIN: u32 = 8;

/// How far each place is from the next wall or edge, on foot and in units.
pub(super) fn clearance(survey: &Survey) -> Vec<f32> {
    let count = survey.places.len();
    let mut distance = vec![u32::MAX; count];
    let mut open = BinaryHeap::new();
    for (place, distance) in distance.iter_mut().enumerate() {
        if is_bounded(survey, place) {
            *distance = 0;
            open.push(Reverse((0, place as u32)));
        }
    }
    while let Some(Reverse((so_far, place))) = open.pop() {
        if so_far > distance[place as usize] {
            continue;
        }
        for way in survey.ways_of(place as usize).iter().filter(|way| is_plain(way.kind)) {
            let further = so_far + length(survey, place, way.to);
            if further < distance[way.to as usize] {
                distance[way.to as usize] = further;
                open.push(Reverse((further, way.to)));
            }
        }
    }
    distance.into_iter().map(|parts| parts as f32 / PARTS).collect()
}

/// Whether one of the four cells beside it cannot be walked into.
fn is_bounded(survey: &Survey, place: usize) -> bool {
    let here = survey.cell_of(place);
    let beside = survey.ways_of(place).iter().filter(|way| {
        let there = survey.cell_of(way.to as usize);
        is_plain(way.kind) && (there[0] - here[0]).abs() + (there[1] - here[1]).abs() == 1
    });
    beside.count() < 4
}

/// Adds waypoints until every place that can have one is near one.
pub(super) fn fill(survey: &Survey, clearance: &[f32], spacing: &Spacing, spots: &mut Vec<Spot>) {
    let mut cover = Cover { survey, distance: vec![u32::MAX; survey.places.len()] };
    for spot in spots.iter() {
        let place = spot.place as usize;
        cover.add(spot.place, radius(&survey.places[place], clearance[place], spacing));
    }
    let patches = patch_sizes(survey);
    let mut order: Vec<u32> = (0..survey.places.len() as u32).collect();
    order.retain(|place| is_fit(&survey.places[*place as usize]) && patches[*place as usize] >= PATCH_MIN);
    // Water is filled last: what is walked along its shore and bottom counts first.
    order.sort_by_key(|place| {
        let steps = (clearance[*place as usize].min(OPEN) / CLEARANCE_STEP) as u32;
        (survey.places[*place as usize].is_hanging(), Reverse(steps), *place)
    });
    for place in order {
        let radius = radius(&survey.places[place as usize], clearance[place as usize], spacing);
        let roomy = off_the_wall(survey, clearance, place);
        // One that will be moved off the wall must be that much further from the others.
        let moved = length(survey, place, roomy);
        let away = cover.distance[place as usize];
        if away == u32::MAX || away as f32 > radius * PARTS + moved as f32 {
            let origin = survey.places[roomy as usize].origin;
            spots.push(Spot { origin, place: roomy, flags: WaypointFlags::NONE });
            cover.add(roomy, radius);
        }
    }
}

/// By place: how many places can be walked to from it, and back.
fn patch_sizes(survey: &Survey) -> Vec<u32> {
    let count = survey.places.len();
    let mut patch = vec![u32::MAX; count];
    let mut sizes = Vec::new();
    for start in 0..count {
        if patch[start] != u32::MAX {
            continue;
        }
        let number = sizes.len() as u32;
        let mut members = vec![start];
        patch[start] = number;
        let mut next = 0;
        while next < members.len() {
            for way in survey.ways_of(members[next]).iter().filter(|way| is_plain(way.kind)) {
                if patch[way.to as usize] == u32::MAX {
                    patch[way.to as usize] = number;
                    members.push(way.to as usize);
                }
            }
            next += 1;
        }
        sizes.push(members.len() as u32);
    }
    patch.into_iter().map(|number| sizes[number as usize]).collect()
}

/// The neighbour with the most room, for a place right at a wall or an edge: nobody walks along it by choice. Any other
/// place itself.
fn off_the_wall(survey: &Survey, clearance: &[f32], place: u32) -> u32 {
    if clearance[place as usize] > 0.0 {
        return place;
    }
    let beside = survey.ways_of(place as usize).iter().filter(|way| is_plain(way.kind)).map(|way| way.to);
    let fit = beside.filter(|beside| is_fit(&survey.places[*beside as usize]));
    // Of several with as much room the first; `max_by` would take the last.
    fit.fold(place, |best, beside| if clearance[beside as usize] > clearance[best as usize] { beside } else { best })
}

/// Where a waypoint without a reason of its own may stand.
fn is_fit(place: &Place) -> bool {
    let carries = place.flags.meets(SpanFlags::CROUCH) || place.is_hanging();
    carries && is_quiet(place) && !place.flags.meets(SpanFlags::STEEP | SpanFlags::LADDER)
}

/// How far from it other waypoints are kept.
fn radius(place: &Place, clearance: f32, spacing: &Spacing) -> f32 {
    if place.is_hanging() {
        return spacing.swim;
    }
    spacing.corridor + (spacing.open - spacing.corridor) * (clearance / OPEN).min(1.0)
}

/// How far every place is from the waypoints so far, on foot.
struct Cover<'a> {
    survey: &'a Survey,
    distance: Vec<u32>,
}

impl Cover<'_> {
    fn add(&mut self, place: u32, radius: f32) {
        // Twice as far as it covers, since a neighbour may be held to a wider spacing.
        let limit = (radius * 2.0 * PARTS) as u32;
        let mut open = BinaryHeap::new();
        self.distance[place as usize] = 0;
        open.push(Reverse((0, place)));
        while let Some(Reverse((so_far, place))) = open.pop() {
            if so_far > self.distance[place as usize] {
                continue;
            }
            for way in self.survey.ways_of(place as usize).iter().filter(|way| is_plain(way.kind)) {
                let further = so_far + length(self.survey, place, way.to);
                if further < self.distance[way.to as usize] && further <= limit {
                    self.distance[way.to as usize] = further;
                    open.push(Reverse((further, way.to)));
                }
            }
        }
    }
}
