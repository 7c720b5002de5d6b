//! Bringing the enemy's flag home: past fights, by ways on which nobody was killed lately. If our own is away, it does not count
//! yet: then near home and out of sight, until it is back.

use fireteam_terrain::WaypointId;
use fireteam_world::units::Time;

use super::duty::{self, Press, travel_ms};
use super::{Behaviour, Limbs, View};
use crate::goal::{Bid, Outcome};
use crate::journal::Tenths;
use crate::legs::{Destination, Travelling};
use crate::memory::BelievedObjective;
use crate::snapshot::Standing;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Bear {
    to: Option<Destination>,
    hideout: Option<Hideout>,
    is_waiting: bool,
}

/// Where it waits, and since when that is so.
#[derive(Clone, Copy, Debug)]
struct Hideout {
    at: WaypointId,
    chosen: Time,
    is_reached: bool,
}

/// Hideouts are no farther from home than this; one that was not reached in so long is given up.
const NEAR_MS: u32 = 2500;
const AGAIN_MS: i32 = 8000;
/// Milliseconds of way that outweigh a 255th of exposure.
const MS_OF_EXPOSURE: u32 = 20;
/// Our own flag is picked up by the bearer if it lies no farther than this.
const ASIDE_MS: u32 = 4000;

impl Behaviour for Bear {
    fn name(&self) -> &'static str {
        "bringing the flag home"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let flags = view.memory.flags(view.own.team).filter(|_| view.is_bearer())?;
        let (ours, home) = (flags.ours, flags.ours.told.home);
        let ms = travel_ms(view, view.here, duty::waypoint_at(view, home)?);
        self.is_waiting = false;
        if ours.told.standing == Standing::Home {
            self.to = Some(duty::onto(view, home));
            let reason = words!("{} s from our stand, and ours is in its place", Tenths(ms as i32));
            return Some(duty::bid(Press::First, reason));
        }
        if let Some(place) = lies_near(view, ours) {
            self.to = Some(duty::onto(view, place));
            return Some(duty::bid(Press::First, words!("our own lies on the way")));
        }
        if ms > NEAR_MS {
            self.to = Some(duty::onto(view, home));
            return Some(duty::bid(Press::First, words!("ours is away: to our base first, to wait there")));
        }
        self.is_waiting = true;
        self.hideout = self.hideout.filter(|hideout| view.now - hideout.chosen < AGAIN_MS || hideout.is_reached);
        if self.hideout.is_none() {
            let at = hideout(view, duty::waypoint_at(view, home)?)?;
            self.hideout = Some(Hideout { at, chosen: view.now, is_reached: false });
        }
        self.to = self.hideout.map(|hideout| Destination::Waypoint(hideout.at));
        Some(duty::bid(Press::Usual, words!("hides near our stand: {}", duty::stands(view, ours))))
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(to) = self.to else { return Outcome::Done(words!("nowhere to bring it")) };
        let hideout = self.hideout.as_mut().filter(|_| self.is_waiting);
        if hideout.as_ref().is_some_and(|hideout| hideout.is_reached && hideout.at == view.here) {
            limbs.legs.stay(false, "waits for our own flag to come back");
            return Outcome::Continue;
        }
        limbs.legs.go(to, duty::warily(view));
        match limbs.legs.state() {
            Travelling::Failed(trouble) => {
                self.hideout = None;
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Arrived => {
                // A fight, or somebody who pushes past, may have moved it since.
                if let Some(hideout) = hideout {
                    hideout.is_reached = true;
                }
                Outcome::Continue
            }
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    fn forget(&mut self) {
        *self = Bear::default();
    }
}

/// Our own flag, if it is known to lie near.
fn lies_near(view: &View, ours: &BelievedObjective) -> Option<fireteam_world::Vec3> {
    let place = ours.place().filter(|_| ours.told.standing == Standing::Dropped)?;
    let ms = travel_ms(view, view.here, duty::waypoint_at(view, place)?);
    (ms < ASIDE_MS).then_some(place)
}

/// Of the places near home one that is seen from few others, and soon back from.
fn hideout(view: &View, home: WaypointId) -> Option<WaypointId> {
    let terrain = &view.field.terrain;
    let near = terrain.waypoints.ids().filter(|&id| {
        id != home && travel_ms(view, id, home) < NEAR_MS && view.travel_ms(id).is_some_and(|ms| ms < 2 * NEAR_MS)
    });
    let trouble =
        |id: WaypointId| u32::from(terrain.values.exposure[id.index()]) + travel_ms(view, id, home) / MS_OF_EXPOSURE;
    near.min_by_key(|id| (trouble(*id), *id))
}
