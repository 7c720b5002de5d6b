//! Waiting at a strong place for somebody to come: who stands still and looks sees first who runs.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 9.4: a place that is safe, sees far and much, and did damage before. Of a
//! few places drawn within a short run the strongest is taken by the terrain's values; where this bot hit somebody before,
//! a place is worth more. Only a bot that needs nothing waits: armed for the distance, and whole.

use fireteam_terrain::WaypointId;
use fireteam_world::units::Time;

use super::{Behaviour, Limbs, View, lying, posts};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery;
use crate::legs::{Destination, Manner, Travelling};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Camp {
    place: Option<WaypointId>,
    /// When it is enough, once it is there.
    until: Option<Time>,
    lies: bool,
    /// Not again before then.
    after: Time,
    /// Where it hit somebody, the latest last.
    proved: [Option<WaypointId>; PROVED],
    next: usize,
}

/// Places that are remembered for the hits made from them.
const PROVED: usize = 6;
/// Places drawn, of which the strongest is taken.
const DRAWS: usize = 16;
/// Mates nearer to a place than this have it already; and whoever is so near stands on it.
const CLAIMED: f32 = 200.0;
const AT: f32 = 48.0;
/// Farther than this nobody goes to wait.
const FAR_MS: u32 = 6000;
/// What a gun must do at this distance, in points a second, to be waited with.
const RANGE: f32 = 600.0;
const ARMED: f32 = 45.0;
/// Share of full health that is whole enough.
const WHOLE: f32 = 0.8;
/// What the sides of a place count: how much and how far it sees, from how high, how near cover is, how many ways lead
/// past, and against it from how many places it is seen.
const OVERLOOKS: f32 = 1.0;
const REACHES: f32 = 0.7;
const ABOVE: f32 = 0.6;
const COVERED: f32 = 0.6;
const EXPOSED: f32 = 0.9;
/// What hits made from there before are worth, and what a second of the way costs.
const DID_DAMAGE: f32 = 0.4;
const WAY: f32 = 0.08;

impl Camp {
    fn remember_hits(&mut self, view: &View) {
        if view.own.has_hit && !self.proved.contains(&Some(view.here)) {
            self.proved[self.next] = Some(view.here);
            self.next = (self.next + 1) % PROVED;
        }
    }

    /// The strongest of a few places, drawn and proved ones.
    fn choose(&self, view: &View, limbs: &mut Limbs) -> Option<WaypointId> {
        let count = view.field.terrain.waypoints.len();
        let mut best: Option<(f32, WaypointId)> = None;
        let drawn: [WaypointId; DRAWS] = std::array::from_fn(|_| WaypointId::from(limbs.chance.below(count)));
        for id in drawn.into_iter().chain(self.proved.into_iter().flatten()) {
            let Some(ms) = view.travel_ms(id).filter(|ms| *ms < FAR_MS) else { continue };
            if posts::is_in_a_door(view, id) || posts::is_held_by_a_mate(view, id, CLAIMED) {
                continue;
            }
            let proved = if self.proved.contains(&Some(id)) { DID_DAMAGE } else { 0.0 };
            let worth = strength(view, id) * view.craft.cover + proved - ms as f32 * 0.001 * WAY;
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, id));
            }
        }
        best.map(|(_, id)| id)
    }
}

/// How strong a place is to wait at.
fn strength(view: &View, id: WaypointId) -> f32 {
    let values = &view.field.terrain.values;
    let of = |bytes: &[u8]| f32::from(bytes[id.index()]) / 255.0;
    OVERLOOKS * of(&values.overlooks)
        + REACHES * of(&values.range)
        + ABOVE * of(&values.height)
        + COVERED * of(&values.cover)
        - EXPOSED * of(&values.exposure)
}

/// Whoever lacks something has better to do.
fn is_ready(view: &View) -> bool {
    let health = view.own.health as f32 / view.field.game.rules.health.max as f32;
    health >= WHOLE && gunnery::best(&view.field.arsenal, view.own, RANGE, view.marksman()).1 >= ARMED
}

impl Behaviour for Camp {
    fn name(&self) -> &'static str {
        "camping"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        self.remember_hits(view);
        if view.convars.camp_ms == 0 || view.now < self.after || !is_ready(view) {
            self.place = None;
            return None;
        }
        if self.place.is_none() {
            self.place = self.choose(view, limbs);
            self.until = None;
        }
        let reason = words!("w{} is strong, and nothing is missing", self.place?.0);
        Some(Bid { channels: Channels::LEGS, band: Band::Roam, score: 0.7, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(place) = self.place else { return Outcome::Done(words!("nowhere to wait")) };
        if let Some(until) = self.until {
            if self.lies {
                limbs.legs.lie("waits for somebody to come, lying");
            } else {
                limbs.legs.stay(false, "waits for somebody to come");
            }
            return if view.now < until { Outcome::Continue } else { self.leave(view, limbs, "nobody came") };
        }
        limbs.legs.go(Destination::Waypoint(place), Manner::RUN);
        match limbs.legs.state() {
            // A mate had the same idea: whoever comes second would stand in the way to it.
            Travelling::Arrived if posts::is_held_by_a_mate(view, place, AT) => {
                self.leave(view, limbs, "somebody else waits there")
            }
            Travelling::Arrived => {
                let ms = view.convars.camp_ms as f32 * (1.0 + view.leanings.patience) * limbs.chance.range(0.5, 1.5);
                self.until = Some(view.now + ms as i32);
                self.lies = lying::is_good_here(view);
                Outcome::Continue
            }
            Travelling::Failed(_) => self.leave(view, limbs, "cannot get there"),
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    fn end(&mut self, _: &View, _: &mut Limbs) {
        self.until = None;
    }

    fn forget(&mut self) {
        (self.place, self.until) = (None, None);
    }
}

impl Camp {
    fn leave(&mut self, view: &View, limbs: &mut Limbs, why: &'static str) -> Outcome {
        (self.place, self.until) = (None, None);
        let pause = limbs.chance.range(PAUSE_MS.0, PAUSE_MS.1) * (1.0 - view.leanings.patience);
        self.after = view.now + pause as i32;
        Outcome::Done(words!("{why}"))
    }
}

/// After waiting in vain one goes about for so long.
const PAUSE_MS: (f32, f32) = (3000.0, 8000.0);
