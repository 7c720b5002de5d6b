//! Which pairs of waypoints to try, and how.
//!
//! A way of the survey that leads from a place of one waypoint to a place of another makes the two a pair. A trigger makes
//! pairs of the waypoints around it and those where it may bring a body to; so does a platform, of those beside its stops.

use fireteam_terrain::{MoverId, MoverKind, Movers, WaypointFlags, WaypointId};
use fireteam_world::movement::{Stance, TriggerAction};
use fireteam_world::units::EntityId;
use fireteam_world::walker::Travel;
use fireteam_world::walker::outing::Course;
use fireteam_world::{Bounds, Sweep, Vec3};

use super::Grounds;
use crate::ground::Survey;

/// A pair to try, with the kinds of ways that were found between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) from: WaypointId,
    pub(super) to: WaypointId,
    /// A bit for each kind of travel.
    pub(super) kinds: u16,
    /// The pad, teleporter, lift or train.
    pub(super) aid: MoverId,
}

/// All pairs, by start.
#[derive(Debug)]
pub(super) struct Candidates {
    first: Vec<usize>,
    all: Vec<Candidate>,
}

/// How far around the natural landing of a pad other waypoints are tried, and how many of them.
const STEERED: f32 = 400.0;
const STEERED_MAX: usize = 24;
/// From so many waypoints above it one falls into a pad or teleporter.
const ABOVE_MAX: usize = 6;

impl Candidates {
    pub(super) fn from(&self, waypoint: WaypointId) -> &[Candidate] {
        &self.all[self.first[waypoint.index()]..self.first[waypoint.index() + 1]]
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

pub(super) fn gather(grounds: &Grounds, course: &Course, movers: &Movers) -> Candidates {
    let survey = grounds.survey;
    let count = grounds.waypoints.len();
    let mut all = past_shut(along_ways(grounds, course), grounds, course);
    let neighbours = Neighbours::of(&all);
    for (bounds, trigger) in course.triggers() {
        let is_aid = matches!(trigger.action, TriggerAction::Launch { .. } | TriggerAction::Teleport { .. });
        if let (true, Some(mover)) = (is_aid, movers.of_entity(trigger.place.entity)) {
            let kind = match trigger.action {
                TriggerAction::Teleport { .. } => Travel::Teleport,
                TriggerAction::Launch { .. } | TriggerAction::Hurt { .. } | TriggerAction::Fire => Travel::Push,
            };
            let aid = Aid { entity: trigger.place.entity, mover, kind, bounds: *bounds };
            around_trigger(grounds, &neighbours, &aid, &mut all);
        }
    }
    for (index, spot) in movers.spots.iter().enumerate() {
        if matches!(spot.kind, MoverKind::Lift | MoverKind::Train | MoverKind::Other | MoverKind::Door) {
            over_platform(survey, spot.entity, MoverId::from(index), spot.kind, &mut all);
        }
    }
    sort(all, count)
}

/// One candidate a pair and aid, its kinds together.
pub(super) fn sort(mut all: Vec<Candidate>, count: usize) -> Candidates {
    let key = |candidate: &Candidate| (candidate.from, candidate.to, candidate.aid);
    all.sort_by_key(key);
    let mut merged: Vec<Candidate> = Vec::with_capacity(all.len());
    for candidate in all {
        match merged.last_mut() {
            Some(last) if key(last) == key(&candidate) => last.kinds |= candidate.kinds,
            Some(_) | None => merged.push(candidate),
        }
    }
    let first = (0..=count).map(|from| merged.partition_point(|candidate| candidate.from.index() < from)).collect();
    Candidates { first, all: merged }
}

pub(super) fn bit(kind: Travel) -> u16 {
    1 << kind as u8
}

fn owner(survey: &Survey, place: usize) -> Option<WaypointId> {
    survey.ground.spans[place].waypoint.get()
}

/// Pairs whose places have a way between them that needs no aid.
fn along_ways(grounds: &Grounds, course: &Course) -> Vec<Candidate> {
    let survey = grounds.survey;
    let is_firm = |place: usize| survey.places[place].mover.is_none() || is_fetched(grounds, course, place);
    let mut all = Vec::new();
    for place in 0..survey.places.len() {
        let Some(from) = owner(survey, place) else { continue };
        for way in survey.ways_of(place) {
            let Some(to) = owner(survey, way.to as usize).filter(|to| *to != from) else { continue };
            let needs_aid = matches!(way.kind, Travel::Push | Travel::Teleport | Travel::Lift | Travel::Train);
            // What stands on a platform is there only while that is: see `over_platform`.
            if needs_aid || !is_firm(place) || !is_firm(way.to as usize) {
                continue;
            }
            let mut kinds = bit(way.kind);
            if kinds == bit(Travel::Walk) && [from, to].iter().any(|end| is_low(grounds, *end)) {
                kinds |= bit(Travel::Crouch);
            }
            all.push(Candidate { from, to, kinds, aid: MoverId::NONE });
        }
    }
    all.sort_by_key(|candidate| (candidate.from, candidate.to, candidate.kinds));
    all.dedup();
    all
}

/// The last steps to a waypoint in a low niche are crouched, though its ground is entered upright.
fn is_low(grounds: &Grounds, waypoint: WaypointId) -> bool {
    grounds.waypoints.flags[waypoint.index()].meets(WaypointFlags::CROUCH_ONLY)
}

/// Whether this is where a resting platform offers an item: one walks there for it, and is off again before it leaves.
fn is_fetched(grounds: &Grounds, course: &Course, place: usize) -> bool {
    let has_item =
        |owner: WaypointId| grounds.waypoints.flags[owner.index()].meets(WaypointFlags::ITEM | WaypointFlags::SPAWN);
    let here = &grounds.survey.places[place];
    owner(grounds.survey, place).is_some_and(has_item) && {
        let hull = course.rules.hull(Stance::Crouched);
        let down = Sweep::hull(here.origin, here.origin - Vec3::Z, hull, course.mask);
        let below = course.scene().sweep(&down, None);
        !below.start_solid && below.is_hit() && below.entity == here.mover
    }
}

/// The survey takes doors to be open, so a waypoint may stand where a door is shut. Nobody can be there then: pairs on its
/// two sides are tried instead, so that one walks through and does not stop in the doorway.
fn past_shut(mut all: Vec<Candidate>, grounds: &Grounds, course: &Course) -> Vec<Candidate> {
    let scene = course.scene();
    let hull = course.rules.hull(Stance::Crouched);
    let is_shut = |origin: &Vec3| {
        let trace = scene.sweep(&Sweep::hull(*origin, *origin, hull, course.mask), None);
        trace.start_solid && trace.entity.is_some()
    };
    let shut: Vec<bool> = grounds.waypoints.origin.iter().map(is_shut).collect();
    let is_shut = |waypoint: WaypointId| shut[waypoint.index()];
    for _ in 0..DOORWAY_WAYPOINTS_MAX {
        // Sorted, so that the ways on from a waypoint stand together: a mover may fill a whole hall.
        all.sort_by_key(|candidate| (candidate.from, candidate.to, candidate.kinds));
        all.dedup();
        let mut joined = Vec::new();
        for before in all.iter().filter(|pair| is_shut(pair.to)) {
            let first = all.partition_point(|after| after.from < before.to);
            let onward = all[first..].iter().take_while(|after| after.from == before.to);
            joined.extend(onward.filter(|after| after.to != before.from).map(|after| Candidate {
                from: before.from,
                to: after.to,
                kinds: bit(Travel::Walk),
                aid: MoverId::NONE,
            }));
        }
        all.retain(|pair| !is_shut(pair.to));
        all.extend(joined);
    }
    all.retain(|pair| !is_shut(pair.from) && !is_shut(pair.to));
    all.sort_by_key(|candidate| (candidate.from, candidate.to, candidate.kinds));
    all.dedup();
    all
}

/// So many waypoints in a row may stand in one doorway.
const DOORWAY_WAYPOINTS_MAX: usize = 2;

/// Who lies beside whom.
struct Neighbours {
    pairs: Vec<(WaypointId, WaypointId)>,
}

impl Neighbours {
    fn of(all: &[Candidate]) -> Neighbours {
        let mut pairs: Vec<_> = all.iter().map(|candidate| (candidate.to, candidate.from)).collect();
        pairs.sort();
        pairs.dedup();
        Neighbours { pairs }
    }

    /// Waypoints from which this one is a candidate.
    fn before(&self, waypoint: WaypointId) -> impl Iterator<Item = WaypointId> + '_ {
        let first = self.pairs.partition_point(|(to, _)| *to < waypoint);
        self.pairs[first..].iter().take_while(move |(to, _)| *to == waypoint).map(|(_, from)| *from)
    }
}

/// A pad or a teleporter.
struct Aid {
    entity: EntityId,
    mover: MoverId,
    kind: Travel,
    bounds: Bounds,
}

/// From the waypoints around a pad or teleporter, and those from which one falls into it, to where it may bring a body.
fn around_trigger(grounds: &Grounds, neighbours: &Neighbours, aid: &Aid, all: &mut Vec<Candidate>) {
    let survey = grounds.survey;
    let touching = places_touching(grounds, aid.bounds);
    let mut sources: Vec<WaypointId> = touching.iter().filter_map(|place| owner(survey, *place)).collect();
    sources.sort();
    sources.dedup();
    let around: Vec<WaypointId> = sources.iter().flat_map(|source| neighbours.before(*source)).collect();
    sources.extend(around);
    sources.extend(above(grounds, aid));
    sources.sort();
    sources.dedup();
    let mut landings: Vec<Vec3> = Vec::new();
    let mut targets: Vec<WaypointId> = Vec::new();
    for place in &touching {
        for way in survey.ways_of(*place).iter().filter(|way| way.kind == aid.kind) {
            landings.push(survey.places[way.to as usize].origin);
            targets.extend(owner(survey, way.to as usize));
        }
    }
    if aid.kind == Travel::Push {
        targets.extend(waypoints_near(grounds, &landings));
    }
    targets.sort();
    targets.dedup();
    for from in &sources {
        for to in targets.iter().filter(|to| *to != from) {
            all.push(Candidate { from: *from, to: *to, kinds: bit(aid.kind), aid: aid.mover });
        }
    }
}

/// The waypoints nearest to a pad or teleporter among those beside which one falls or leaps into it.
fn above(grounds: &Grounds, aid: &Aid) -> Vec<WaypointId> {
    let survey = grounds.survey;
    let middle = (aid.bounds.mins + aid.bounds.maxs) * 0.5;
    let caught = survey.caught.iter().filter(|(_, trigger)| *trigger == aid.entity);
    let mut above: Vec<WaypointId> = caught.filter_map(|(place, _)| owner(survey, *place as usize)).collect();
    above.sort();
    above.dedup();
    let nearness = |id: &WaypointId| (grounds.waypoints.origin[id.index()] - middle).truncate().length();
    above.sort_by(|a, b| nearness(a).total_cmp(&nearness(b)));
    above.truncate(ABOVE_MAX);
    above
}

/// Places where a body reaches into a box.
fn places_touching(grounds: &Grounds, bounds: Bounds) -> Vec<usize> {
    let rules = &grounds.game.rules.movement;
    let hull = rules.hull(Stance::Standing);
    let survey = grounds.survey;
    let touches = |place: &usize| {
        let origin = survey.places[*place].origin;
        Bounds { mins: origin + hull.mins, maxs: origin + hull.maxs }.meets(&bounds)
    };
    (0..survey.places.len()).filter(touches).collect()
}

/// Waypoints a body might steer to that would come down at one of these.
fn waypoints_near(grounds: &Grounds, landings: &[Vec3]) -> Vec<WaypointId> {
    let Some(first) = landings.first() else { return Vec::new() };
    let origins = &grounds.waypoints.origin;
    let nearness = |id: &WaypointId| {
        let origin = origins[id.index()];
        landings.iter().map(|landing| (*landing - origin).length()).fold((*first - origin).length(), f32::min)
    };
    let mut near: Vec<WaypointId> = grounds.waypoints.ids().filter(|id| nearness(id) < STEERED).collect();
    near.sort_by(|a, b| nearness(a).total_cmp(&nearness(b)));
    near.truncate(STEERED_MAX);
    near
}

/// From the waypoints beside one stop of a platform to those beside another.
fn over_platform(survey: &Survey, entity: EntityId, mover: MoverId, kind: MoverKind, all: &mut Vec<Candidate>) {
    let on_it = |place: usize| survey.places[place].mover == Some(entity);
    let travel = if kind == MoverKind::Lift { Travel::Lift } else { Travel::Train };
    let mut boarding: Vec<WaypointId> = Vec::new();
    let mut leaving: Vec<WaypointId> = Vec::new();
    for place in 0..survey.places.len() {
        for way in survey.ways_of(place) {
            let to = way.to as usize;
            match (on_it(place), on_it(to)) {
                (false, true) => boarding.extend(owner(survey, place)),
                (true, false) => leaving.extend(owner(survey, to)),
                (true, true) | (false, false) => {}
            }
        }
    }
    for ends in [&mut boarding, &mut leaving] {
        ends.sort();
        ends.dedup();
    }
    for from in &boarding {
        for to in leaving.iter().filter(|to| *to != from) {
            all.push(Candidate { from: *from, to: *to, kinds: bit(travel), aid: mover });
        }
    }
}
