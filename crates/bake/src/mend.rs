//! Walking a link again that failed in play: does it lead there at all, and if not as it says, then in another way?
//!
//! In: the map, the terrain it was played on, a link. Out: [`Mended`], for [`Overlay::learn`](fireteam_terrain::Overlay::learn).
//! Walked alone, from the starts a bake uses, with every kind of going on foot; or, where something throws, teleports or
//! carries, with that. Cost: some milliseconds a link.

use fireteam_terrain::overlay::Mended;
use fireteam_terrain::{Link, Terrain, WaypointId};
use fireteam_world::walker::outing::Course;
use fireteam_world::{Game, Map, Solids};

use crate::Survey;
use crate::links::{Grounds, LinkSettings, Pair};

/// Walks links of one terrain again.
#[derive(Debug)]
pub struct Mender<'a> {
    map: &'a Map,
    solids: &'a Solids,
    game: &'a Game,
    terrain: &'a Terrain,
    course: Course<'a>,
    settings: LinkSettings,
}

impl<'a> Mender<'a> {
    pub fn new(map: &'a Map, solids: &'a Solids, game: &'a Game, terrain: &'a Terrain) -> Mender<'a> {
        let course = Course::new(map, solids, game);
        Mender { map, solids, game, terrain, course, settings: LinkSettings::default() }
    }

    /// Walks it.
    pub fn walk_again(&self, from: WaypointId, link: &Link) -> Mended {
        match self.prove(from, link) {
            None => Mended::No,
            Some(found) if found.kind == link.kind => Mended::Holds,
            Some(found) => Mended::By(found),
        }
    }

    /// The link as it turns out when it is walked, of its own kind or another; none if nothing leads there.
    pub fn prove(&self, from: WaypointId, link: &Link) -> Option<Link> {
        let (map, solids, game) = (self.map, self.solids, self.game);
        let survey = Survey::default();
        let grounds = Grounds { map, solids, game, survey: &survey, waypoints: &self.terrain.waypoints };
        let movers = &self.terrain.movers;
        let pair = Pair { course: &self.course, grounds: &grounds, movers, settings: &self.settings };
        pair.prove_like(from, link)
    }
}
