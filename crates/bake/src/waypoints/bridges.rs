//! Neighbours that cannot see each other's feet: a waypoint where one has to turn.
//!
//! Two waypoints whose grounds touch are meant to be walked between. Where a straight walk over the grid does not do it, and no
//! third waypoint is on the way round, one is added at the border.

use std::collections::BTreeMap;

use fireteam_terrain::{SpanFlags, WaypointFlags};
use fireteam_world::movement::Stance;

use super::owners::{self, Owners};
use super::spots::is_quiet;
use super::{Spot, is_plain, length};
use crate::ground::{Feeling, Survey};

/// Each round halves what is crooked; what is left after these is left to `links`.
const ROUNDS: usize = 3;

/// Where two grounds touch: the way across with the shortest walk from one waypoint to the other.
#[derive(Clone, Copy, Debug)]
struct Border {
    length: u32,
    from: u32,
    to: u32,
}

/// How many waypoints there may be, and how far apart those are that one round adds: one often serves several pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) count_max: usize,
    pub(super) apart: f32,
}

/// Finds the owners, adds what is missing within the limits, and finds them again.
pub(super) fn build(
    survey: &Survey,
    clearance: &[f32],
    body: &Feeling<'_>,
    limits: Limits,
    spots: &mut Vec<Spot>,
) -> Owners {
    let mut owners = owners::find(survey, spots);
    for _ in 0..ROUNDS {
        let mut added = bend(survey, clearance, body, limits.apart, &owners, spots);
        added.truncate(limits.count_max.saturating_sub(spots.len()));
        if added.is_empty() {
            break;
        }
        spots.extend(added);
        owners = owners::find(survey, spots);
    }
    owners
}

fn bend(
    survey: &Survey,
    clearance: &[f32],
    body: &Feeling<'_>,
    apart: f32,
    owners: &Owners,
    spots: &[Spot],
) -> Vec<Spot> {
    let borders = borders(survey, owners);
    let straight: BTreeMap<(u32, u32), bool> = borders
        .keys()
        .map(|(a, b)| ((*a, *b), goes_straight(survey, body, &spots[*a as usize], &spots[*b as usize])))
        .collect();
    let mut neighbours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for ((a, b), is_straight) in &straight {
        if *is_straight {
            neighbours.entry(*a).or_default().push(*b);
            neighbours.entry(*b).or_default().push(*a);
        }
    }
    let mut added: Vec<Spot> = Vec::new();
    for ((a, b), border) in &borders {
        let meet = |a: &u32, b: &u32| {
            let (Some(near_a), Some(near_b)) = (neighbours.get(a), neighbours.get(b)) else { return false };
            near_a.iter().any(|third| near_b.contains(third))
        };
        if straight[&(*a, *b)] || meet(a, b) {
            continue;
        }
        let place =
            if clearance[border.from as usize] >= clearance[border.to as usize] { border.from } else { border.to };
        let here = &survey.places[place as usize];
        let is_taken = spots.iter().any(|spot| spot.place == place)
            || added.iter().any(|spot| spot.origin.distance(here.origin) < apart);
        if !is_taken && is_quiet(here) && !here.flags.meets(SpanFlags::STEEP | SpanFlags::LADDER) {
            added.push(Spot { origin: here.origin, place, flags: WaypointFlags::NONE });
        }
    }
    added
}

fn borders(survey: &Survey, owners: &Owners) -> BTreeMap<(u32, u32), Border> {
    let mut borders: BTreeMap<(u32, u32), Border> = BTreeMap::new();
    for place in 0..survey.places.len() {
        let Some(a) = owners.owner[place] else { continue };
        for way in survey.ways_of(place).iter().filter(|way| is_plain(way.kind)) {
            let Some(b) = owners.owner[way.to as usize] else { continue };
            if a >= b {
                continue;
            }
            let from = place as u32;
            let ends = owners.distance[place].saturating_add(owners.distance[way.to as usize]);
            let border = Border { length: ends.saturating_add(length(survey, from, way.to)), from, to: way.to };
            let best = borders.entry((a, b)).or_insert(border);
            if border.length < best.length {
                *best = border;
            }
        }
    }
    borders
}

/// Whether one gets from one to the other without turning: swimming if both are in the water, else on foot.
fn goes_straight(survey: &Survey, body: &Feeling<'_>, a: &Spot, b: &Spot) -> bool {
    let hangs = |spot: &Spot| survey.places[spot.place as usize].is_hanging();
    if hangs(a) || hangs(b) {
        return body.sweep(a.origin, b.origin, body.hull(Stance::Standing)).fraction == 1.0;
    }
    walks_straight(survey, a.place, b.place)
}

/// Whether walking straight from place to place over the grid arrives.
fn walks_straight(survey: &Survey, from: u32, to: u32) -> bool {
    let goal = survey.cell_of(to as usize);
    let mut here = from;
    let start = survey.cell_of(from as usize);
    let across = [goal[0] - start[0], goal[1] - start[1]];
    let steps = across[0].abs().max(across[1].abs());
    for step in 1..=steps {
        let along = |axis: usize| start[axis] + (across[axis] * step * 2 + steps * across[axis].signum()) / (steps * 2);
        let cell = [along(0), along(1)];
        let next = survey
            .ways_of(here as usize)
            .iter()
            .find(|way| is_plain(way.kind) && survey.cell_of(way.to as usize) == cell);
        match next {
            Some(way) => here = way.to,
            None => return false,
        }
    }
    here == to
}
