//! Links: directed ways from waypoint to waypoint, each walked before it was written down.

use fireteam_world::walker::Travel;

use crate::ids::{LinkId, MoverId, WaypointId, flags};

flags! {
    /// What to know of a link beyond its kind.
    LinkFlags(u8) {
        /// Leads through lava, slime or a trigger that hurts.
        HARM = 1, "harm";
        /// A mistake on the way falls deep or into harm.
        RISKY = 2, "risky";
        /// A part of the way is walked crouched.
        LOW = 4, "low";
        /// A part of the way is swum.
        WET = 8, "wet";
        /// Drawn by hand: nothing walked it.
        BY_HAND = 16, "by-hand";
        /// On the way something is taken in flight that hangs where nobody stands.
        ITEM = 32, "item";
        /// Recorded from play: somebody walked it, and a walker after him.
        PLAYED = 64, "played";
    }
}

/// One way out of a waypoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub to: WaypointId,
    pub kind: Travel,
    pub flags: LinkFlags,
    /// How long the walker took, on routes that lead over it and waiting for movers: what is promised.
    pub time_ms: u16,
    /// Health it costs: falls and harm.
    pub damage: u8,
    /// Share of walks that arrived, alone from jittered starts or on routes, whichever was less; 255 is all of them.
    pub trust: u8,
    /// The door, lift or train it leads through or rides, or [`MoverId::NONE`].
    pub mover: MoverId,
    /// What has to be pressed or shot to set `mover` off, or [`MoverId::NONE`].
    pub opener: MoverId,
}

/// What it costs on average to get lost: the way back, and a second attempt.
const MISHAP_MS: u32 = 8000;

impl Link {
    /// How long it takes on average, mishaps included: what a search weighs. A sure way that takes a little longer wins.
    pub fn expected_ms(&self) -> u32 {
        u32::from(self.time_ms) + u32::from(u8::MAX - self.trust) * MISHAP_MS / u32::from(u8::MAX)
    }

    /// What links of one waypoint are sorted by.
    pub fn order(&self) -> (WaypointId, u8, MoverId) {
        (self.to, self.kind as u8, self.mover)
    }
}

/// All links, by where they start; a [`LinkId`] is an index into `links`.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    /// Where each waypoint's links begin; one more at the end.
    pub first: Vec<u32>,
    /// Sorted by start, then by [`Link::order`].
    pub links: Vec<Link>,
}

impl Default for Links {
    fn default() -> Links {
        Links { first: vec![0], links: Vec::new() }
    }
}

impl Links {
    /// Most links a terrain may have: 32 a waypoint.
    pub const MAX: usize = crate::WAYPOINTS_MAX * 32;

    /// From links in any order, each with its start. Of links that agree in start, end, kind and mover the quickest stays.
    pub fn gather(waypoints: usize, mut each: Vec<(WaypointId, Link)>) -> Links {
        each.sort_by_key(|(from, link)| (*from, link.order(), link.time_ms, link.damage, u8::MAX - link.trust));
        each.dedup_by_key(|(from, link)| (*from, link.order()));
        let mut first = Vec::with_capacity(waypoints + 1);
        first.push(0);
        for from in 0..waypoints {
            let end = each.partition_point(|(start, _)| start.index() <= from);
            first.push(end as u32);
        }
        Links { first, links: each.into_iter().map(|(_, link)| link).collect() }
    }

    /// Links out of a waypoint.
    pub fn from(&self, waypoint: WaypointId) -> &[Link] {
        &self.links[self.first[waypoint.index()] as usize..self.first[waypoint.index() + 1] as usize]
    }

    /// Links out of a waypoint, with their ids.
    pub fn ids_from(&self, waypoint: WaypointId) -> impl ExactSizeIterator<Item = (LinkId, &Link)> {
        let first = self.first[waypoint.index()] as usize;
        self.from(waypoint).iter().enumerate().map(move |(index, link)| (LinkId::from(first + index), link))
    }

    /// Every link with its start.
    pub fn iter(&self) -> impl Iterator<Item = (WaypointId, &Link)> {
        (0..self.waypoints()).flat_map(|from| {
            let from = WaypointId::from(from);
            self.from(from).iter().map(move |link| (from, link))
        })
    }

    /// Where a link starts.
    pub fn start_of(&self, link: LinkId) -> WaypointId {
        WaypointId::from(self.first.partition_point(|&first| first <= link.0) - 1)
    }

    /// Every link turned round, for searching towards a waypoint. Ids are its own.
    pub fn reversed(&self) -> Links {
        let each = self.iter().map(|(from, link)| (link.to, Link { to: from, ..*link }));
        Links::gather(self.waypoints(), each.collect())
    }

    /// How many waypoints the table was made for.
    pub fn waypoints(&self) -> usize {
        self.first.len() - 1
    }
}

/// Links by where they end, for searches that begin at a goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inward {
    /// Where the links that lead to each waypoint begin; one more at the end.
    pub first: Vec<u32>,
    /// By end, then by id.
    pub links: Vec<InwardLink>,
}

/// A link as it is found at its end, with all that a search asks of it side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InwardLink {
    pub id: LinkId,
    pub from: WaypointId,
    pub link: Link,
}

impl Inward {
    pub fn of(links: &Links) -> Inward {
        let mut first = vec![0_u32; links.waypoints() + 1];
        for link in &links.links {
            first[link.to.index() + 1] += 1;
        }
        for to in 1..first.len() {
            first[to] += first[to - 1];
        }
        let mut next = first.clone();
        let nothing =
            links.links.first().map(|link| InwardLink { id: LinkId::NONE, from: WaypointId::NONE, link: *link });
        let mut each: Vec<InwardLink> = nothing.into_iter().cycle().take(links.links.len()).collect();
        for (index, (from, link)) in links.iter().enumerate() {
            let place = &mut next[link.to.index()];
            each[*place as usize] = InwardLink { id: LinkId::from(index), from, link: *link };
            *place += 1;
        }
        Inward { first, links: each }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples;

    proptest! {
        #[test]
        fn every_link_is_found_once_at_its_end(links in samples::any_links(25)) {
            let inward = Inward::of(&links);
            let mut found: Vec<LinkId> = Vec::new();
            for to in 0..links.waypoints() {
                for entry in &inward.links[inward.first[to] as usize..inward.first[to + 1] as usize] {
                    prop_assert_eq!(entry.link, links.links[entry.id.index()]);
                    prop_assert_eq!((entry.link.to.index(), entry.from), (to, links.start_of(entry.id)));
                    found.push(entry.id);
                }
            }
            found.sort();
            prop_assert_eq!(found, (0..links.links.len()).map(LinkId::from).collect::<Vec<_>>());
        }
    }
}
