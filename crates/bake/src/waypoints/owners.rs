//! Which waypoint owns a place: the one that is nearest on foot, found by one flood from all of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fireteam_world::walker::Travel;

use super::{PARTS, Spot, is_plain, length};
use crate::ground::Survey;

/// What a leap, a fall or a ride costs beside its length: it is used only where no plain way leads to a waypoint.
const HARD: u32 = (512.0 * PARTS) as u32;

#[derive(Debug)]
pub(super) struct Owners {
    /// By place: index of the waypoint.
    pub(super) owner: Vec<Option<u32>>,
    /// How far it is, in parts of a unit.
    pub(super) distance: Vec<u32>,
}

/// Ways turned round: who can get here, and at what cost.
struct Arrivals {
    first: Vec<u32>,
    from: Vec<(u32, u32)>,
}

impl Arrivals {
    fn of(survey: &Survey) -> Arrivals {
        let count = survey.places.len();
        let mut first = vec![0u32; count + 1];
        for way in &survey.ways {
            first[way.to as usize + 1] += 1;
        }
        for place in 0..count {
            first[place + 1] += first[place];
        }
        let mut next = first.clone();
        let mut from = vec![(0, 0); survey.ways.len()];
        for place in 0..count {
            for way in survey.ways_of(place) {
                let slot = &mut next[way.to as usize];
                from[*slot as usize] = (place as u32, cost(survey, place as u32, way.to, way.kind));
                *slot += 1;
            }
        }
        Arrivals { first, from }
    }
}

fn cost(survey: &Survey, from: u32, to: u32, kind: Travel) -> u32 {
    let length = length(survey, from, to);
    if is_plain(kind) { length } else { length + HARD }
}

/// Floods backwards from all waypoints at once: a place belongs to the waypoint it gets to soonest.
pub(super) fn find(survey: &Survey, spots: &[Spot]) -> Owners {
    let arrivals = Arrivals::of(survey);
    let count = survey.places.len();
    let mut owners = Owners { owner: vec![None; count], distance: vec![u32::MAX; count] };
    let mut open = BinaryHeap::new();
    for (spot, index) in spots.iter().zip(0..) {
        let place = spot.place as usize;
        if owners.owner[place].is_none() {
            owners.owner[place] = Some(index);
            owners.distance[place] = 0;
            open.push(Reverse((0, index, spot.place)));
        }
    }
    owners.spread(&arrivals, open);
    owners.adopt(survey);
    owners
}

impl Owners {
    fn spread(&mut self, arrivals: &Arrivals, mut open: BinaryHeap<Reverse<(u32, u32, u32)>>) {
        while let Some(Reverse((distance, owner, place))) = open.pop() {
            if distance > self.distance[place as usize] || self.owner[place as usize] != Some(owner) {
                continue;
            }
            let range = arrivals.first[place as usize] as usize..arrivals.first[place as usize + 1] as usize;
            for (from, cost) in &arrivals.from[range] {
                let further = distance + cost;
                if further < self.distance[*from as usize] {
                    self.distance[*from as usize] = further;
                    self.owner[*from as usize] = Some(owner);
                    open.push(Reverse((further, owner, *from)));
                }
            }
        }
    }

    /// Places from which no waypoint can be reached belong to whoever they are reached from.
    fn adopt(&mut self, survey: &Survey) {
        let mut open: Vec<u32> =
            (0..self.owner.len() as u32).filter(|place| self.owner[*place as usize].is_some()).collect();
        let mut next = 0;
        while next < open.len() {
            let place = open[next];
            next += 1;
            for way in survey.ways_of(place as usize) {
                if self.owner[way.to as usize].is_none() {
                    self.owner[way.to as usize] = self.owner[place as usize];
                    open.push(way.to);
                }
            }
        }
    }
}
