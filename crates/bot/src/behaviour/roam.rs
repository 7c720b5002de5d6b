//! Going about when nothing calls: to where the team has not looked for the longest.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;

use super::{Behaviour, Limbs, View, watch};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::journal::Words;
use crate::legs::{Destination, Manner, Travelling};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Roam {
    to: Option<WaypointId>,
    reason: Words,
}

/// Places drawn by chance, of which the best is taken: not everyone goes the same way.
const DRAWS: usize = 8;
/// Not longer than a minute counts as long ago.
const LONG_AGO_S: f32 = 60.0;
/// Seconds of unseen time that a second of travel costs.
const TRAVEL_WEIGHT: f32 = 1.5;
/// A place this far from the nearest mate is as lonely as it gets, and so many seconds of unseen time that is worth to who would
/// do anything for company, or to be alone.
const COMPANY: f32 = 1000.0;
const COMPANY_S: f32 = 60.0;

impl Roam {
    fn choose(&mut self, view: &View, limbs: &mut Limbs) -> Option<WaypointId> {
        let count = view.field.terrain.waypoints.len();
        if let Some(id) = self.noise(view, limbs) {
            return Some(id);
        }
        let (here, loyalty) = (view.origin(), view.leanings.loyalty);
        let nearer = |a: &Vec3, b: &Vec3| a.distance_squared(here).total_cmp(&b.distance_squared(here));
        let mate = view.mates.living().map(|mate| mate.origin).min_by(nearer);
        let mut best: Option<(f32, f32, WaypointId)> = None;
        for _ in 0..DRAWS {
            let id = WaypointId::from(limbs.chance.below(count));
            let Some(ms) = view.travel_ms(id).filter(|_| id != view.here) else { continue };
            let unseen = view.now.seconds_since(view.team.last_seen(id)).min(LONG_AGO_S);
            let place = view.field.terrain.waypoints.origin[id.index()];
            let apart = mate.map_or(0.0, |mate| (place.distance(mate) / COMPANY).min(1.0));
            let worth = unseen - ms as f32 * 0.001 * TRAVEL_WEIGHT - loyalty * apart * COMPANY_S;
            if best.is_none_or(|(known, ..)| worth > known) {
                best = Some((worth, unseen, id));
            }
        }
        let Some((_, unseen, id)) = best else {
            // No links lead on from here, as far as known: legs may yet find a way back to where they do.
            self.reason = words!("no way is known from w{}", view.here.0);
            return Some(WaypointId::from(limbs.chance.below(count)));
        };
        self.reason = words!("nobody has looked at w{} for {unseen:.0} s", id.0);
        Some(id)
    }
}

impl Roam {
    /// Where something was heard, if that is worth a walk to this bot.
    fn noise(&mut self, view: &View, limbs: &mut Limbs) -> Option<WaypointId> {
        let noise = watch::unexplained(view)?;
        if !limbs.chance.chance(view.leanings.curiosity) {
            return None;
        }
        let id = view.field.terrain.nearest(noise.place)?.waypoint;
        view.travel_ms(id).filter(|_| id != view.here)?;
        self.reason = words!("something was heard about w{}", id.0);
        Some(id)
    }
}

impl Behaviour for Roam {
    fn name(&self) -> &'static str {
        "roaming"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        if !view.field.has_mesh {
            return None;
        }
        if self.to.is_none() {
            self.to = self.choose(view, limbs);
        }
        self.to?;
        Some(Bid { channels: Channels::LEGS, band: Band::Roam, score: 0.5, reason: self.reason })
    }

    fn update(&mut self, _: &View, limbs: &mut Limbs) -> Outcome {
        let Some(to) = self.to else { return Outcome::Continue };
        limbs.legs.go(Destination::Waypoint(to), Manner::GO_ABOUT);
        match limbs.legs.state() {
            Travelling::Arrived => {
                self.to = None;
                Outcome::Done(words!("got there"))
            }
            Travelling::Failed(trouble) => {
                self.to = None;
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    fn forget(&mut self) {
        self.to = None;
    }
}
