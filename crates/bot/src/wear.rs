//! What links did to those who took them: how often each was walked and how often it failed somebody of this side, in this match.
//!
//! In: every link that somebody of the side came to the end of, or got lost on. Out: links that failed again and again, which
//! the whole side then avoids ([`Wear::condemned`]); and after the match the tallies, from which the map's overlay learns
//! (`terrain::overlay`). A link is only made dearer, never closed: it may be the only way.
//!
//! Not here: what one bot holds against a link for a while (`legs::doubts`). Cost: two numbers a link and side.

use fireteam_terrain::path::Cost;
use fireteam_terrain::path::errands::Doubt;
use fireteam_terrain::{LinkId, Terrain};

/// So many condemned links are kept in mind, the worst of them.
pub(crate) const CONDEMNED_MAX: usize = 16;
/// A link is condemned that failed so often, and more often than it was walked.
const REPEATS: u16 = 3;
/// What the side would rather pay than take it.
const CONDEMNED_MS: Cost = 60_000;

/// Tallies of one side.
#[derive(Clone, Debug, Default)]
pub struct Wear {
    /// Walked and failed, by link.
    tallies: Vec<(u16, u16)>,
    condemned: Vec<Doubt>,
}

impl Wear {
    /// Room for every link, so that counting allocates nothing.
    pub(crate) fn make_room(&mut self, terrain: &Terrain) {
        self.tallies.resize(terrain.links.links.len(), (0, 0));
        self.condemned.reserve(CONDEMNED_MAX);
    }

    /// Somebody took a link, and came to its end or not.
    pub(crate) fn note(&mut self, link: LinkId, has_failed: bool) {
        let Some((walked, failed)) = self.tallies.get_mut(link.index()) else { return };
        if has_failed {
            *failed = failed.saturating_add(1);
        } else {
            *walked = walked.saturating_add(1);
        }
        let is_condemned = *failed >= REPEATS && failed > walked;
        let known = self.condemned.iter().position(|doubt| doubt.link == link);
        match known {
            Some(index) if !is_condemned => drop(self.condemned.swap_remove(index)),
            None if is_condemned && self.condemned.len() < CONDEMNED_MAX => {
                self.condemned.push(Doubt { link, cost: CONDEMNED_MS });
            }
            Some(_) | None => {}
        }
    }

    /// Links that are taken only where no other way leads.
    pub fn condemned(&self) -> &[Doubt] {
        &self.condemned
    }

    /// How often each link that anybody took was walked, and how often it failed.
    pub fn tallies(&self) -> impl Iterator<Item = (LinkId, u16, u16)> {
        let all =
            self.tallies.iter().enumerate().map(|(index, (walked, failed))| (LinkId::from(index), *walked, *failed));
        all.filter(|(_, walked, failed)| walked + failed > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_three_times_is_condemned_until_it_proves_itself() {
        let mut wear = Wear { tallies: vec![(0, 0); 4], condemned: Vec::new() };
        for _ in 0..2 {
            wear.note(LinkId(2), true);
        }
        assert!(wear.condemned().is_empty());
        wear.note(LinkId(2), true);
        assert_eq!(wear.condemned(), [Doubt { link: LinkId(2), cost: CONDEMNED_MS }]);
        for _ in 0..3 {
            wear.note(LinkId(2), false);
        }
        assert!(wear.condemned().is_empty(), "as often walked as failed");
        assert_eq!(wear.tallies().collect::<Vec<_>>(), [(LinkId(2), 3, 3)]);
    }
}
