//! Getting away from a fight that is being lost: to what heals or arms, else out of sight. Eyes and hands go on shooting.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::units::Time;

use super::fetch::Shelf;
use super::{Behaviour, Limbs, View, refuge};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::legs::{Destination, Manner, Travelling};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Retreat {
    refuge: Option<Refuge>,
    shelf: Shelf,
}

#[derive(Clone, Copy, Debug)]
struct Refuge {
    to: Destination,
    chosen: Time,
    /// The item that is hoped for.
    item: Option<Vec3>,
}

/// Who gets away goes on until the fight promises so much more than what he would give it up for, or he has so much more health.
const KEPT: f32 = 1.6;
/// A threat is run from for so long after it was seen.
const FRESH_MS: i32 = 2500;
/// A refuge is thought over again after so long.
const AGAIN_MS: i32 = 2000;
/// Refuges farther than this are no refuge.
const FAR_MS: u32 = 5000;
/// Under somebody's eyes, farther than this: who runs straight with his back to a gun is shot sooner than who fights.
const IN_SIGHT_FAR_MS: u32 = 1500;

impl Behaviour for Retreat {
    fn name(&self) -> &'static str {
        "retreating"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let health = view.own.health as f32 / view.field.game.rules.health.max as f32;
        // Who is on his way out of a fight does not turn round for the next guess how it would go.
        let kept = if self.refuge.is_some() { KEPT } else { 1.0 };
        let caution = kept * (1.0 - view.leanings.aggression);
        let is_weak = health < view.convars.retreat_health * caution;
        let hopeless = view.convars.retreat_prospect * caution * view.craft.prudence;
        // Whoever has the flag is on his way home as fast as he can.
        if !is_weak || view.mood.prospect > hopeless || view.is_bearer() {
            self.refuge = None;
            return None;
        }
        let threat = view.threat_within(FRESH_MS)?;
        if self.refuge.is_none_or(|refuge| view.now - refuge.chosen > AGAIN_MS) {
            let from = view.field.terrain.nearest(threat.place)?.waypoint;
            let far_ms = if threat.in_sight { IN_SIGHT_FAR_MS } else { FAR_MS };
            self.refuge = self.choose(view, from, far_ms);
        }
        let refuge = self.refuge?;
        let what = if refuge.item.is_some() { "something to mend that is near" } else { "cover is near" };
        let reason = words!("{} health and losing to player {}; {what}", view.own.health, threat.entity.0);
        Some(Bid { channels: Channels::LEGS, band: Band::Survive, score: 0.5, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(refuge) = self.refuge else { return Outcome::Done(words!("nowhere to go")) };
        limbs.legs.go(refuge.to, Manner::RUN);
        match limbs.legs.state() {
            Travelling::Failed(trouble) => {
                if let Some(item) = refuge.item {
                    self.shelf.avoid(item, view.now);
                }
                self.refuge = None;
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Arrived if view.now - refuge.chosen > AGAIN_MS => {
                self.refuge = None;
                Outcome::Done(words!("got away"))
            }
            Travelling::Arrived | Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => {
                Outcome::Continue
            }
        }
    }

    fn forget(&mut self) {
        self.refuge = None;
    }
}

impl Retreat {
    /// Something that mends, if it is no farther than the enemy could follow; else the nearest spot he does not see.
    fn choose(&mut self, view: &View, threat: WaypointId, far_ms: u32) -> Option<Refuge> {
        let is_out_of_reach = |to: WaypointId| refuge::is_out_of_reach(view, threat, to, far_ms);
        if let Some(want) = self.shelf.best(view, |want| want.mends && is_out_of_reach(want.waypoint)) {
            return Some(Refuge { to: want.destination, chosen: view.now, item: Some(want.origin) });
        }
        let nearest = refuge::nearest_hidden(view, &[threat], |id| id != view.here && is_out_of_reach(id))?;
        Some(Refuge { to: Destination::Waypoint(nearest), chosen: view.now, item: None })
    }
}
