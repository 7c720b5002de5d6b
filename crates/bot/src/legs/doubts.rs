//! Links that failed this bot in this match, and how much of the doubt is left.

use fireteam_terrain::LinkId;
use fireteam_terrain::path::Cost;
use fireteam_terrain::path::errands::Doubt;
use fireteam_world::units::Time;

use crate::wear::{CONDEMNED_MAX, Wear};

/// So many links are remembered as bad; who fails more often forgets the mildest.
pub(crate) const DOUBTS_MAX: usize = 16;
/// What a link costs more after it failed: a detour of that many milliseconds is better.
pub(super) const FAILED_MS: Cost = 15_000;
/// The same for one that somebody stood on.
pub(super) const OCCUPIED_MS: Cost = 4_000;
/// A doubt halves in this time: doors open, bad landings are bad luck.
const HALF_LIFE_MS: i32 = 45_000;
/// The same for people, who walk on.
const OCCUPIED_HALF_LIFE_MS: i32 = 4_000;
/// A smaller doubt sends nobody another way, and only makes the search for one longer.
const MINDED_MS: Cost = 250;

#[derive(Clone, Copy, Debug)]
struct Bad {
    link: LinkId,
    cost: Cost,
    since: Time,
    half_life_ms: i32,
}

/// Fixed memory of bad links.
#[derive(Clone, Debug)]
pub(super) struct Doubts {
    bad: Vec<Bad>,
    /// As searches want them.
    listed: Vec<Doubt>,
    /// Links that were taken since the side last heard of it, and whether they failed.
    news: Vec<(LinkId, bool)>,
}

/// More links than this are not taken in one frame.
const NEWS_MAX: usize = 16;

impl Default for Doubts {
    fn default() -> Doubts {
        Doubts {
            bad: Vec::with_capacity(DOUBTS_MAX),
            listed: Vec::with_capacity(DOUBTS_MAX + CONDEMNED_MAX),
            news: Vec::with_capacity(NEWS_MAX),
        }
    }
}

impl Doubts {
    pub(super) fn doubt(&mut self, link: LinkId, cost: Cost, now: Time) {
        let half_life_ms = if cost == OCCUPIED_MS { OCCUPIED_HALF_LIFE_MS } else { HALF_LIFE_MS };
        let unknown = Bad { link, cost: 0, since: now, half_life_ms };
        let entry = match self.bad.iter().position(|bad| bad.link == link) {
            Some(known) => known,
            None if self.bad.len() < DOUBTS_MAX => {
                self.bad.push(unknown);
                self.bad.len() - 1
            }
            None => {
                let mildest = (0..self.bad.len()).min_by_key(|&index| self.bad[index].left(now)).unwrap_or(0);
                self.bad[mildest] = unknown;
                mildest
            }
        };
        let known = self.bad[entry];
        let half_life_ms = half_life_ms.max(known.half_life_ms);
        self.bad[entry] = Bad { link, cost: known.left(now).saturating_add(cost), since: now, half_life_ms };
    }

    /// What a search is told: own doubts, and what failed the whole side again and again.
    pub(super) fn list(&mut self, now: Time, wear: &Wear) -> &[Doubt] {
        self.listed.clear();
        self.bad.retain(|bad| bad.left(now) >= MINDED_MS);
        self.listed.extend(self.bad.iter().map(|bad| Doubt { link: bad.link, cost: bad.left(now) }));
        self.listed.extend_from_slice(wear.condemned());
        &self.listed
    }

    /// A link was taken.
    pub(super) fn note(&mut self, link: LinkId, has_failed: bool) {
        if self.news.len() < NEWS_MAX {
            self.news.push((link, has_failed));
        }
    }

    /// Tells the side.
    pub(super) fn tell(&mut self, wear: &mut Wear) {
        self.news.drain(..).for_each(|(link, has_failed)| wear.note(link, has_failed));
    }

    pub(super) fn is_doubted(&self, link: LinkId, now: Time) -> bool {
        self.bad.iter().any(|bad| bad.link == link && bad.left(now) > 0)
    }
}

impl Bad {
    fn left(&self, now: Time) -> Cost {
        let halves = ((now - self.since).max(0) / self.half_life_ms).min(31);
        self.cost >> halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_add_up_and_fade() {
        let mut doubts = Doubts::default();
        doubts.doubt(LinkId(7), FAILED_MS, Time(0));
        doubts.doubt(LinkId(7), FAILED_MS, Time(1000));
        assert_eq!(doubts.list(Time(1000), &Wear::default()), [Doubt { link: LinkId(7), cost: 2 * FAILED_MS }]);
        let later = Time(1000 + HALF_LIFE_MS);
        assert_eq!(doubts.list(later, &Wear::default()), [Doubt { link: LinkId(7), cost: FAILED_MS }]);
        assert!(!doubts.is_doubted(LinkId(7), Time(40 * HALF_LIFE_MS)));
    }

    #[test]
    fn who_stood_in_the_way_has_walked_on_soon_and_what_failed_is_held_against_a_link_for_longer() {
        let mut doubts = Doubts::default();
        doubts.doubt(LinkId(1), OCCUPIED_MS, Time(0));
        doubts.doubt(LinkId(2), FAILED_MS, Time(0));
        let listed = |doubts: &mut Doubts, ms: i32| doubts.list(Time(ms), &Wear::default()).to_vec();
        assert_eq!(listed(&mut doubts, 0).len(), 2);
        let left = listed(&mut doubts, 5 * OCCUPIED_HALF_LIFE_MS);
        assert_eq!(left, [Doubt { link: LinkId(2), cost: FAILED_MS }]);
    }

    #[test]
    fn the_mildest_doubt_makes_room() {
        let mut doubts = Doubts::default();
        doubts.doubt(LinkId(100), OCCUPIED_MS, Time(0));
        for link in 0..DOUBTS_MAX as u32 {
            doubts.doubt(LinkId(link), FAILED_MS, Time(0));
        }
        assert!(!doubts.is_doubted(LinkId(100), Time(0)));
        assert!((0..DOUBTS_MAX as u32).all(|link| doubts.is_doubted(LinkId(link), Time(0))));
    }
}
