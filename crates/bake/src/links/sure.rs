//! Which links to keep: all that are sure enough, and of the others those without which something could not be reached.

use fireteam_terrain::path::{Everywhere, Search};
use fireteam_terrain::{Link, Links, WaypointId};

/// Drops links of less trust than `sure` whose end is reached from their start by surer ones. The surest come first, so that of several
/// shaky ways to the same place one is kept, unless both ends were joined by others meanwhile.
pub(super) fn choose(waypoints: usize, all: Vec<(WaypointId, Link)>, sure: u8) -> Vec<(WaypointId, Link)> {
    let (mut kept, mut shaky): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, link)| link.trust >= sure);
    shaky.sort_by_key(|(from, link)| (u8::MAX - link.trust, link.time_ms, *from, link.order()));
    let mut search = Search::default();
    // By steps of trust, so that the tables are laid out anew a few times and not once a link.
    for level in shaky.chunk_by(|(_, a), (_, b)| a.trust == b.trust) {
        let links = Links::gather(waypoints, kept.clone());
        let mut by_start: Vec<&(WaypointId, Link)> = level.iter().collect();
        by_start.sort_by_key(|(from, link)| (*from, link.time_ms, link.order()));
        for group in by_start.chunk_by(|(a, _), (b, _)| a == b) {
            let (from, _) = group[0];
            search.flood(&links, *from, &Everywhere);
            let missing = group.iter().filter(|(_, link)| search.cost_to(link.to).is_none());
            kept.extend(missing.map(|missing| **missing));
        }
    }
    kept
}
