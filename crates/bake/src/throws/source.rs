//! All throws from one waypoint.
//!
//! What bounces is looked for by the fan ([`fan`](super::fan)), what explodes where it strikes by aiming
//! ([`impact`](super::impact)). Then the doors: throws that opening one would spoil need it shut; and where a shut one
//! stopped throws of the fan, those are flown again with it open.

use std::collections::HashMap;

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
                if at != from {
                    let best = search.best(from, at, throws.iter().copied(), &mut volleys);
                    found.extend(best.map(|best| (at, best)).ok());
                }
            });
            None
        }
        Impact::Bounce => {
            let crouches = search.yard.cell(from).stand.stance != Stance::Standing;
            let shape = Shape::of(search.settings.flights, search.range.throwable.speeds.len(), crouches);
            let fan = Fan::fly(&search, from, shape);
            let mut finer = Finer::of(&search, &fan, from);
            promising(&fan, &search, |at, mut throws| {
                if at == from {
                    return;
                }
                let best = search.best(from, at, throws.by_ref(), &mut volleys).or_else(|vain| {
                    let nearest = vain.nearest(search.settings.finer, search.settings.finer_hits);
                    let starts: Vec<usize> = nearest.into_iter().map(|number| throws.told()[number]).collect();
                    search.best(from, at, finer.around(at, &starts), &mut volleys)
                });
                found.extend(best.map(|best| (at, best)).ok());
            });
            Some(fan)
        }
    };
    let mut doors = DoorsPassed { kind, search: &search, from, known: HashMap::new() };
    for (at, best) in &found {
        doors.keep(*at, best, thrown);
    }
    let Some(fan) = fan else { return };
    let disposal = search.safe(from, &fan.disposals(&search, from, search.settings.candidates));
    thrown.disposals.extend(disposal.map(|throw| (from, throw.to_bytes())));
    let is_found = |at: WaypointId| found.iter().any(|(found, _)| *found == at);
    for door in 0..search.yard.doors.len() {
        through_door(kind, from, &fan, door, &is_found, thrown);
    }
}

/// What doors do to the throws from one waypoint; asked once for all targets of a throw.
struct DoorsPassed<'a> {
    kind: &'a Kind<'a>,
    search: &'a Search<'a>,
    from: WaypointId,
    known: HashMap<Stored, Passed>,
}

/// How a throw gets past the doors of a map.
#[derive(Clone, Copy, Debug)]
enum Passed {
    /// However they stand.
    Always,
    /// As long as this one is shut.
    Shut(usize),
    /// Only as long as several are.
    Never,
}

impl DoorsPassed<'_> {
    /// Keeps a throw for good, or with the door that must stay shut for it. One that takes several is not kept.
    fn keep(&mut self, at: WaypointId, best: &Judged, thrown: &mut Thrown) {
        let passed = self.known.get(&best.throw).copied().unwrap_or_else(|| self.pass(best));
        self.known.insert(best.throw, passed);
        let throw = timed(best);
        match passed {
            Passed::Always => thrown.always.push((self.from, at, throw.to_bytes())),
            Passed::Shut(door) => {
                let throw = DoorThrow { throw, mover: self.search.yard.doors[door].mover, needs: Needs::Shut };
                thrown.doors.push((self.from, at, throw.to_bytes()));
            }
            Passed::Never => {}
        }
    }

    fn pass(&self, best: &Judged) -> Passed {
        let cell = self.search.yard.cell(self.from);
        let is_spoilt_by = |doors: Doors| {
            let flown = self.kind.search(doors).candidate(&cell, best.throw).flown;
            flown.place.distance(best.steady.place) > SAME
        };
        let count = self.search.yard.doors.len();
        // Most throws never come near a door, and then one flight past all of them says so.
        if count == 0 || !is_spoilt_by(Doors::AllOpen) {
            return Passed::Always;
        }
        let mut spoilt = (0..count).filter(|&door| is_spoilt_by(Doors::Open(door)));
        // By none alone: two doors that spoil it together are as bad as two that do so each.
        match (spoilt.next(), spoilt.next()) {
            (Some(door), None) => Passed::Shut(door),
            (None, _) | (Some(_), Some(_)) => Passed::Never,
        }
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
        if let Ok(best) = search.best(from, at, throws, &mut volleys) {
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
