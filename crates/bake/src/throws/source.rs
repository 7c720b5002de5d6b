//! All throws from one waypoint.
//!
//! What bounces is looked for by the fan ([`fan`](super::fan)), what explodes where it strikes by aiming
//! ([`impact`](super::impact)). Then the doors: throws that opening one would spoil need it shut; and where a shut one
//! stopped throws of the fan, those are flown again with it open.

use fireteam_terrain::WaypointId;
use fireteam_terrain::throws::{DoorThrow, Needs, Stored};
use fireteam_world::game::Impact;
use fireteam_world::movement::Stance;
use fireteam_world::throwing::Flown;

use super::fan::{Fan, Shape};
use super::finer::Finer;
use super::promising::promising;
use super::search::{Candidate, Judged, Search, Volleys};
use super::yard::{Door, Doors};
use super::{Kind, Thrown, impact};

/// A grenade that goes off this close to where it did goes the same way.
const SAME: f32 = 4.0;

/// Works off one waypoint: `thrown` gets what was found.
pub(super) fn throw_from(kind: &Kind<'_>, from: WaypointId, thrown: &mut Thrown) {
    let search = kind.search(Doors::Shut);
    if !search.yard.throws_from(from) {
        return;
    }
    let mut volleys = Volleys::default();
    let mut found: Vec<(WaypointId, Judged)> = Vec::new();
    let fan = match search.range.throwable.impact {
        Impact::Explode => {
            impact::candidates(&search, from, |at, throws: &[Candidate]| {
                let best = (at != from).then(|| search.best(from, at, throws.iter().copied(), &mut volleys)).flatten();
                found.extend(best.map(|best| (at, best)));
            });
            None
        }
        Impact::Bounce => {
            let crouches = search.yard.cell(from).stand.stance != Stance::Standing;
            let shape = Shape::of(search.settings.flights, search.range.throwable.speeds.len(), crouches);
            let fan = Fan::fly(&search, from, shape);
            let mut finer = Finer::of(&search, shape, from);
            promising(&fan, &search, |at, mut throws| {
                if at == from {
                    return;
                }
                let best = search.best(from, at, throws.by_ref(), &mut volleys).or_else(|| {
                    let finer = finer.around(at, &throws.first(search.settings.finer));
                    search.best(from, at, finer, &mut volleys)
                });
                found.extend(best.map(|best| (at, best)));
            });
            Some(fan)
        }
    };
    for (at, best) in &found {
        keep(kind, &search, from, *at, best, thrown);
    }
    let Some(fan) = fan else { return };
    let disposal = search.safe(from, &fan.disposals(&search, from, search.settings.candidates));
    thrown.disposals.extend(disposal.map(|throw| (from, throw.to_bytes())));
    let is_found = |at: WaypointId| found.iter().any(|(found, _)| *found == at);
    for door in 0..search.yard.doors.len() {
        through_door(kind, from, &fan, door, &is_found, thrown);
    }
}

/// Keeps a throw for good, or with the door that must stay shut for it. One that takes several is not kept.
fn keep(kind: &Kind<'_>, search: &Search, from: WaypointId, at: WaypointId, best: &Judged, thrown: &mut Thrown) {
    let cell = search.yard.cell(from);
    let is_spoilt_by = |doors: Doors| {
        let flown = kind.search(doors).candidate(&cell, best.throw).flown;
        flown.place.distance(best.steady.place) > SAME
    };
    let throw = timed(best);
    // Most throws never come near a door, and then one flight past all of them says so.
    if search.yard.doors.is_empty() || !is_spoilt_by(Doors::AllOpen) {
        thrown.always.push((from, at, throw.to_bytes()));
        return;
    }
    let mut spoilt = (0..search.yard.doors.len()).filter(|&door| is_spoilt_by(Doors::Open(door)));
    // By none alone: two doors that spoil it together are as bad as two that do so each.
    if let (Some(door), None) = (spoilt.next(), spoilt.next()) {
        let throw = DoorThrow { throw, mover: search.yard.doors[door].mover, needs: Needs::Shut };
        thrown.doors.push((from, at, throw.to_bytes()));
    }
}

/// Throws that this door stopped, flown with it open, at targets nothing was found for.
fn through_door(
    kind: &Kind<'_>,
    from: WaypointId,
    fan: &Fan,
    door: usize,
    is_found: &impl Fn(WaypointId) -> bool,
    thrown: &mut Thrown,
) {
    let search = kind.search(Doors::Open(door));
    let Door { entities, mover, .. } = &search.yard.doors[door];
    let was_stopped = |flown: &Flown| flown.mover.is_some_and(|mover| entities.contains(&mover));
    let Some(fan) = fan.again(&search, from, was_stopped) else { return };
    let mut volleys = Volleys::default();
    promising(&fan, &search, |at, throws| {
        if at == from || is_found(at) {
            return;
        }
        if let Some(best) = search.best(from, at, throws, &mut volleys) {
            let throw = DoorThrow { throw: timed(&best), mover: *mover, needs: Needs::Open };
            thrown.doors.push((from, at, throw.to_bytes()));
        }
    });
}

/// With the classes of when it gets there and how long it lies.
fn timed(best: &Judged) -> Stored {
    let Flown { rest_ms, end_ms, .. } = best.steady;
    Stored { arrival: Stored::arrival_class(rest_ms), lies_long: end_ms - rest_ms >= Stored::LONG_MS, ..best.throw }
}
