//! Errands of a soldier: not only the quickest way, but the one with the fewest doubts, the least danger, the fewest eyes
//! on it; and out of sight, wherever that is.
//!
//! What makes a way dearer or closes it is one thing, [`Qualms`], whatever the errand: links that failed before, doors known to
//! be shut, and a toll for each waypoint, which is danger for one bot and exposure for another. Every qualm only adds to a
//! link's time, so a bound on the time bounds the cost as well.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 9.1: goals of a search as objects (hide, least seen, avoid danger).
//! Departure: tolls grow with the time a link takes, so that a way is not dearer for having more waypoints on it.
//!
//! Not here: who is dangerous and where (the bot's beliefs). Cost: a look into a table of bytes a link.

use super::{Cost, Errand};
use crate::Terrain;
use crate::ids::{LinkId, MoverId, WaypointId};
use crate::links::Link;
use crate::mask::Mask;
use crate::times::{Landmarks, TravelTimes};

/// A link that failed somebody, and what he would rather pay than take it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    pub link: LinkId,
    pub cost: Cost,
}

/// A mover that is not as it should be, and how long it takes until it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub mover: MoverId,
    pub ms: Cost,
}

/// What one has against links.
#[derive(Clone, Copy, Debug, Default)]
pub struct Qualms<'a> {
    pub doubts: &'a [Doubt],
    /// A bit for every number of a doubted link modulo 64: nearly all links are told by it to be none of them.
    doubted: u64,
    /// Doors and lifts that cannot be used now.
    pub shut: &'a [MoverId],
    /// Doors that have to be waited for.
    waits: &'a [Wait],
    /// A byte a waypoint, or nothing at all.
    tolls: &'a [u8],
    /// By how many times its own time a link to a waypoint of the highest toll is dearer.
    toll_weight: Cost,
    /// The health of who would not survive every link; none for who need not care.
    frail: Option<u8>,
    /// What a point of health that a link costs is worth, in time.
    harm_ms: Cost,
}

impl<'a> Qualms<'a> {
    /// Most that a toll may weigh.
    pub const TOLL_WEIGHT_MAX: Cost = 64;

    /// What a link costs more that kills: any other way is better, but where there is none it is one.
    const DEADLY_MS: Cost = 60_000;

    pub fn new(doubts: &'a [Doubt], shut: &'a [MoverId]) -> Qualms<'a> {
        let doubted = doubts.iter().fold(0, |bits, doubt| bits | 1 << (doubt.link.0 % 64));
        Qualms { doubts, doubted, shut, ..Qualms::default() }
    }

    /// Adds a toll, a byte for each waypoint; `weight` is how many times its own time the worst link costs besides.
    pub fn with_tolls(self, tolls: &'a [u8], weight: Cost) -> Qualms<'a> {
        Qualms { tolls, toll_weight: weight.min(Self::TOLL_WEIGHT_MAX), ..self }
    }

    /// Adds what has to be waited for on links that lead through it.
    pub fn with_waits(self, waits: &'a [Wait]) -> Qualms<'a> {
        Qualms { waits, ..self }
    }

    /// Shrinks from links that cost as much health as is left, and takes no others for nothing: `harm_ms` for every point.
    pub fn with_health(self, frail: Option<u8>, harm_ms: Cost) -> Qualms<'a> {
        Qualms { frail, harm_ms, ..self }
    }

    /// Whether nothing is dearer than the time it takes.
    pub fn is_none(&self) -> bool {
        let movers_work = self.shut.is_empty() && self.waits.is_empty();
        let has_no_toll = self.tolls.is_empty() || self.toll_weight == 0;
        self.doubts.is_empty() && movers_work && has_no_toll && self.frail.is_none() && self.harm_ms == 0
    }

    /// What a link costs whoever has these qualms; none if it is closed.
    #[inline]
    pub fn cost(&self, id: LinkId, link: &Link) -> Option<Cost> {
        let ms = link.expected_ms();
        let mut cost = ms + Cost::from(link.damage) * self.harm_ms;
        if let Some(&toll) = self.tolls.get(link.to.index()) {
            cost += ms * Cost::from(toll) / 256 * self.toll_weight;
        }
        if self.doubted >> (id.0 % 64) & 1 == 1 {
            let doubts = self.doubts.iter().filter(|doubt| doubt.link == id);
            cost = doubts.fold(cost, |cost, doubt| cost.saturating_add(doubt.cost));
        }
        if self.frail.is_some_and(|health| link.damage >= health) {
            cost = cost.saturating_add(Self::DEADLY_MS);
        }
        if link.mover.is_none() {
            return Some(cost);
        }
        let waits = self.waits.iter().filter(|wait| wait.mover == link.mover);
        let cost = waits.fold(cost, |cost, wait| cost.saturating_add(wait.ms));
        (!self.shut.contains(&link.mover)).then_some(cost)
    }
}

/// From one waypoint to another, with qualms; searched from the goal, against the direction of links ([`Terrain::inward`]).
///
/// The travel times from the start to everywhere are one short row of the terrain's table: a bound that is nearly exact and
/// lies in the cache. Who has no qualms knows besides what the whole way costs at most, and opens nothing that costs more.
#[derive(Clone, Copy, Debug)]
pub struct Warily<'a> {
    start: WaypointId,
    row: &'a [u8],
    limit: Cost,
    qualms: Qualms<'a>,
}

impl<'a> Warily<'a> {
    pub fn new(times: &'a TravelTimes, start: WaypointId, to: WaypointId, qualms: Qualms<'a>) -> Warily<'a> {
        let row = times.row(start);
        let limit = if qualms.is_none() { TravelTimes::below_ms(row[to.index()]) } else { None };
        Warily { start, row, limit: limit.unwrap_or(Cost::MAX), qualms }
    }
}

impl Errand for Warily<'_> {
    #[inline]
    fn cost(&self, _: WaypointId, id: LinkId, link: &Link) -> Option<Cost> {
        self.qualms.cost(id, link)
    }

    #[inline]
    fn at_least(&self, from: WaypointId) -> Cost {
        match self.row[from.index()] {
            TravelTimes::NEVER => Landmarks::NEVER,
            step => TravelTimes::at_least_ms(step),
        }
    }

    #[inline]
    fn is_destination(&self, waypoint: WaypointId) -> bool {
        waypoint == self.start
    }

    #[inline]
    fn limit(&self) -> Cost {
        self.limit
    }
}

/// To whichever waypoint of a mask is reached at the least cost: the places where a threat may be by now
/// ([`Terrain::fill_whereabouts`]), or any of several items.
#[derive(Clone, Copy, Debug)]
pub struct WarilyToAny<'a> {
    pub to: &'a Mask,
    pub qualms: Qualms<'a>,
}

impl Errand for WarilyToAny<'_> {
    fn cost(&self, _: WaypointId, id: LinkId, link: &Link) -> Option<Cost> {
        self.qualms.cost(id, link)
    }

    fn at_least(&self, _: WaypointId) -> Cost {
        0
    }

    fn is_destination(&self, waypoint: WaypointId) -> bool {
        self.to.contains(waypoint)
    }
}

/// Out of sight: to a waypoint that is in no watcher's view, and not merely round the nearest corner.
#[derive(Clone, Copy, Debug)]
pub struct HideFrom<'a> {
    /// What the watchers see ([`Terrain::fill_seen_by`]).
    pub seen: &'a Mask,
    pub times: &'a TravelTimes,
    pub start: WaypointId,
    /// A hiding place takes at least so long to get to: who hides within two steps is found within two steps.
    pub travel_ms_min: u32,
    pub qualms: Qualms<'a>,
}

impl HideFrom<'_> {
    /// Travel to a hiding place, at least, in units (JoeBOT XP); see [`HideFrom::travel_ms_min`].
    pub const TRAVEL_MIN: f32 = 300.0;

    /// How long [`HideFrom::TRAVEL_MIN`] takes at a running speed in units a second.
    pub fn travel_ms_min(speed: f32) -> u32 {
        (Self::TRAVEL_MIN / speed.max(1.0) * 1000.0) as u32
    }
}

impl Errand for HideFrom<'_> {
    fn cost(&self, _: WaypointId, id: LinkId, link: &Link) -> Option<Cost> {
        self.qualms.cost(id, link)
    }

    fn at_least(&self, _: WaypointId) -> Cost {
        0
    }

    fn is_destination(&self, waypoint: WaypointId) -> bool {
        let is_far = || self.times.about_ms(self.start, waypoint).is_some_and(|ms| ms >= self.travel_ms_min);
        !self.seen.contains(waypoint) && is_far()
    }
}

/// Everywhere, with qualms: how far all places are for who has them.
#[derive(Clone, Copy, Debug)]
pub struct WarilyEverywhere<'a> {
    pub qualms: Qualms<'a>,
}

impl Errand for WarilyEverywhere<'_> {
    fn cost(&self, _: WaypointId, id: LinkId, link: &Link) -> Option<Cost> {
        self.qualms.cost(id, link)
    }

    fn at_least(&self, _: WaypointId) -> Cost {
        0
    }

    fn is_destination(&self, _: WaypointId) -> bool {
        false
    }
}

impl Terrain {
    /// Everything that somebody standing at one of these waypoints sees, and where they stand.
    pub fn fill_seen_by(&self, watchers: &[WaypointId], seen: &mut Mask) {
        seen.fill_where(self, |_| false);
        for &watcher in watchers {
            seen.insert(watcher);
            seen.add_visible(self, watcher);
        }
    }

    /// The toll of being seen: for each waypoint, the share of these watchers who see it; with no watchers named, the share
    /// of the whole map that does.
    pub fn fill_exposure(&self, watchers: &[WaypointId], tolls: &mut Vec<u8>) {
        tolls.clear();
        if watchers.is_empty() {
            tolls.extend_from_slice(&self.values.exposure);
            return;
        }
        let seers = |id: WaypointId| watchers.iter().filter(|watcher| self.sees(**watcher, id)).count();
        tolls.extend(self.waypoints.ids().map(|id| (seers(id) * 255 / watchers.len()) as u8));
    }

    /// Where somebody may be who was last known at a waypoint so long ago: what he had the time to reach, less what `is_ruled_out`
    /// knows to be empty.
    pub fn fill_whereabouts(
        &self,
        last: WaypointId,
        ms: u32,
        is_ruled_out: impl Fn(WaypointId) -> bool,
        mask: &mut Mask,
    ) {
        mask.fill_where(self, |id| self.times.about_ms(last, id).is_some_and(|about| about <= ms) && !is_ruled_out(id));
    }
}

#[cfg(test)]
#[path = "errands_test.rs"]
mod tests;
