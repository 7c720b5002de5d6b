//! Fetching a key where a door is locked: without it half of the map may be out of reach, and one opens all that it fits.

use fireteam_terrain::OpensBy;
use fireteam_world::Vec3;
use fireteam_world::game::Interest;
use fireteam_world::units::Time;

use super::duty;
use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::journal::Tenths;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Unlock {
    key: Option<Vec3>,
    /// No way was found there: something else is done until then.
    not_before: Time,
}

/// Keys farther off than this are not gone for.
const FAR_MS: u32 = 20_000;
/// Before going where it may be of use.
const SCORE: f32 = 0.6;

impl Behaviour for Unlock {
    fn name(&self) -> &'static str {
        "fetching a key"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let is_locked = || view.field.terrain.movers.spots.iter().any(|spot| spot.opens_by == OpensBy::Key);
        if view.own.keys != 0 || view.now < self.not_before || !is_locked() {
            return None;
        }
        let keys = view.memory.items().iter().filter(|item| view.field.arsenal.item(item.kind).is == Interest::Key);
        let near = keys.filter(|key| key.is_there).filter_map(|key| Some((view.travel_ms(key.waypoint?)?, key)));
        let (ms, key) = near.filter(|(ms, _)| *ms < FAR_MS).min_by_key(|(ms, _)| *ms)?;
        self.key = Some(key.origin);
        let name = view.field.arsenal.item_name(key.kind);
        let reason = words!("{name} {} s away, and a door is locked", Tenths(ms as i32));
        Some(Bid { channels: Channels::LEGS, band: Band::Objective, score: SCORE, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(key) = self.key else { return Outcome::Done(words!("no key is known")) };
        // Standing where it should be and not having it: somebody else has.
        duty::run_onto(view, limbs, duty::onto(view, key), "it is not here", &mut self.not_before)
    }

    fn forget(&mut self) {
        *self = Unlock::default();
    }
}
