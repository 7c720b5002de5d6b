//! What a match teaches about links: from how often each was walked and failed to edits of an overlay, each with its reason.
//!
//! A link that fails loses trust, by what share of walks arrived, the bake's own word counting as a few walks. One that fails
//! nearly always is mended, if who has the map can ([`Overlay::learn`]'s `mend`), else removed; but never if it is the only
//! way from its start to its end. One that does better than was learnt before gets its trust back.
//!
//! Not here: counting (the bots), walking a link again (`bake::mend`).

use fireteam_world::walker::Travel;

use super::{Edit, LinedEdit, Overlay, Spot};
use crate::Terrain;
use crate::ids::{LinkId, WaypointId};
use crate::links::{Link, LinkFlags};

/// How a link fared in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worn {
    pub link: LinkId,
    pub walked: u32,
    pub failed: u32,
}

/// What came of walking a link again, alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mended {
    /// It leads there after all: what failed was the company, or a door.
    Holds,
    /// It leads there in another way.
    By(Link),
    /// It does not.
    No,
}

/// So many walks the trust that a link has counts for.
const PRIOR: u32 = 2;
/// A link that failed less often than this in a match proves nothing.
const REPEATS: u32 = 3;
/// Less trust than this, of 255, is none: three walks of four fail.
const HOPELESS: u8 = 64;
/// A change of trust by less is no news.
const NEWS: u8 = 12;

impl Overlay {
    /// Learns from a match that was played on `terrain`, which this overlay is already merged into. How many links it has
    /// something new to say about.
    pub fn learn(
        &mut self,
        terrain: &Terrain,
        worn: &[Worn],
        mut mend: impl FnMut(WaypointId, &Link) -> Mended,
    ) -> usize {
        let mut removed: Vec<LinkId> = Vec::new();
        let mut lessons = 0;
        for fared in worn {
            let (from, link) = (terrain.links.start_of(fared.link), terrain.links.links[fared.link.index()]);
            let trust = fared.trust_after(link.trust);
            let is_bad = fared.failed >= REPEATS && fared.failed > fared.walked;
            let times = format!("failed {} of {} times", fared.failed, fared.failed + fared.walked);
            let ends = format!("w{} to w{}", from.0, link.to.0);
            let edit = Lesson { terrain, from, link };
            if is_bad && (trust < HOPELESS || fared.walked == 0) {
                lessons += 1;
                match mend(from, &link) {
                    Mended::By(better) => {
                        self.put(edit.unlink(), format!("{ends}: {times} as {}", link.kind.name()));
                        self.put(
                            edit.relink(&better),
                            format!("{ends}: walked again, leads there as {}", better.kind.name()),
                        );
                        continue;
                    }
                    Mended::No if leads_otherwise(terrain, from, link.to, fared.link, &removed) => {
                        removed.push(fared.link);
                        self.put(edit.unlink(), format!("{ends}: {times}, and another way leads there"));
                        continue;
                    }
                    Mended::No => {
                        self.put(edit.trust(trust.max(1)), format!("{ends}: {times}, but no other way leads there"));
                    }
                    Mended::Holds => {
                        self.put(edit.trust(trust.max(1)), format!("{ends}: {times}, but not who walks it alone"));
                    }
                }
                continue;
            }
            let is_worse = fared.failed >= REPEATS && trust.saturating_add(NEWS) <= link.trust;
            let is_better = self.speaks_of(&edit) && trust >= link.trust.saturating_add(NEWS);
            if is_worse || is_better {
                lessons += 1;
                self.put(edit.trust(trust), format!("{ends}: {times}"));
            }
        }
        lessons
    }

    /// Makes an edit of a link, in place of what was said of it before.
    fn put(&mut self, edit: Edit, note: String) {
        let key = key_of(&edit);
        self.edits.retain(|known| !matches!(known.edit, Edit::Trust { .. }) || key_of(&known.edit) != key);
        self.edits.push(LinedEdit { line: 0, edit, note });
    }

    fn speaks_of(&self, lesson: &Lesson) -> bool {
        let edit = lesson.trust(0);
        let key = key_of(&edit);
        self.edits.iter().any(|known| matches!(known.edit, Edit::Trust { .. }) && key_of(&known.edit) == key)
    }
}

fn key_of(edit: &Edit) -> Option<(&Spot, &Spot, Option<Travel>)> {
    match edit {
        Edit::Trust { from, to, kind, .. } => Some((from, to, Some(*kind))),
        Edit::Unlink { from, to, kind } => Some((from, to, *kind)),
        Edit::Link { from, to, link } => Some((from, to, Some(link.kind))),
        Edit::Add { .. } | Edit::Move { .. } | Edit::Remove { .. } | Edit::Flag { .. } | Edit::Unflag { .. } => None,
    }
}

impl Worn {
    /// What is left of a link's trust after this.
    fn trust_after(&self, trust: u8) -> u8 {
        let before = u32::from(trust) * PRIOR;
        ((before + self.walked * 255) / (PRIOR + self.walked + self.failed)).min(255) as u8
    }
}

/// A link that something is to be said of, by the places of its ends: numbers change when a map is baked again.
struct Lesson<'a> {
    terrain: &'a Terrain,
    from: WaypointId,
    link: Link,
}

impl Lesson<'_> {
    fn ends(&self) -> (Spot, Spot) {
        let place = |id: WaypointId| Spot::Place(self.terrain.waypoints.origin[id.index()]);
        (place(self.from), place(self.link.to))
    }

    fn unlink(&self) -> Edit {
        let (from, to) = self.ends();
        Edit::Unlink { from, to, kind: Some(self.link.kind) }
    }

    fn trust(&self, trust: u8) -> Edit {
        let (from, to) = self.ends();
        Edit::Trust { from, to, kind: self.link.kind, trust }
    }

    fn relink(&self, better: &Link) -> Edit {
        let (from, to) = self.ends();
        Edit::Link { from, to, link: Link { flags: better.flags | LinkFlags::PLAYED, ..*better } }
    }
}

/// Whether links lead from one to the other without this one and those that are to go.
fn leads_otherwise(terrain: &Terrain, from: WaypointId, to: WaypointId, without: LinkId, removed: &[LinkId]) -> bool {
    let mut is_reached = vec![false; terrain.waypoints.len()];
    is_reached[from.index()] = true;
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for (id, link) in terrain.links.ids_from(at) {
            let is_open = id != without && !removed.contains(&id);
            if is_open && !std::mem::replace(&mut is_reached[link.to.index()], true) {
                open.push(link.to);
            }
        }
    }
    is_reached[to.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::Links;
    use crate::samples;

    /// A ring of walks one way round, and a short cut from 0 to 3.
    fn ring() -> Terrain {
        let mut parts = samples::terrain(9, 3).into_parts();
        let mut each: Vec<_> = (0..9).map(|from| samples::walk(from, (from + 1) % 9, 200)).collect();
        each.push(samples::walk(0, 3, 250));
        parts.links = Links::gather(9, each);
        Terrain::assemble(parts).unwrap()
    }

    fn link(terrain: &Terrain, from: u16, to: u16) -> LinkId {
        let mut from = terrain.links.ids_from(WaypointId(from));
        from.find(|(_, link)| link.to == WaypointId(to)).map(|(id, _)| id).unwrap()
    }

    fn fared(link: LinkId, walked: u32, failed: u32) -> Worn {
        Worn { link, walked, failed }
    }

    fn connects(terrain: &Terrain) -> bool {
        terrain.waypoints.ids().all(|a| terrain.waypoints.ids().all(|b| terrain.islands.connect(a, b)))
    }

    #[test]
    fn a_link_that_always_fails_goes_where_another_way_leads() {
        let terrain = ring();
        let mut overlay = Overlay::default();
        let worn = [fared(link(&terrain, 0, 3), 0, 3), fared(link(&terrain, 4, 5), 30, 1)];
        assert_eq!(overlay.learn(&terrain, &worn, |_, _| Mended::No), 1);
        assert_eq!(overlay.edits[0].note, "w0 to w3: failed 3 of 3 times, and another way leads there");
        let read = Overlay::parse("learnt", &overlay.to_string()).unwrap();
        let next = terrain.with_overlay(&read).unwrap();
        assert!(next.links.from(WaypointId(0)).iter().all(|link| link.to != WaypointId(3)));
        assert!(connects(&next));
    }

    #[test]
    fn the_only_way_is_never_removed_however_often_it_fails() {
        let terrain = ring();
        let mut overlay = Overlay::default();
        // Everything fails, the short cut and what leads round it too.
        let worn: Vec<Worn> = (0..10).map(|id| fared(LinkId(id), 0, 50)).collect();
        overlay.learn(&terrain, &worn, |_, _| Mended::No);
        let next = terrain.with_overlay(&overlay).unwrap();
        assert!(connects(&next), "whatever was reached still is");
        assert_eq!(next.links.links.len(), 9, "only one of all ways is not the only one");
        assert!(next.links.links.iter().all(|link| link.trust < 16));
    }

    #[test]
    fn trust_goes_with_failures_and_comes_back_with_walks() {
        let terrain = ring();
        let shaky = link(&terrain, 0, 3);
        let mut overlay = Overlay::default();
        assert_eq!(overlay.learn(&terrain, &[fared(shaky, 4, 4)], |_, _| Mended::No), 1);
        let next = terrain.with_overlay(&overlay).unwrap();
        let lowered = next.links.links[shaky.index()].trust;
        assert_eq!(lowered, ((2 + 4) * 255 / 10) as u8);
        assert_eq!(overlay.learn(&next, &[fared(shaky, 40, 0)], |_, _| Mended::No), 1);
        assert_eq!(overlay.edits.len(), 1, "one line a link: {overlay}");
        assert!(terrain.with_overlay(&overlay).unwrap().links.links[shaky.index()].trust > 240);
    }

    #[test]
    fn a_link_that_leads_there_in_another_way_is_mended() {
        let terrain = ring();
        let bad = link(&terrain, 0, 3);
        let by = Link { kind: Travel::Jump, time_ms: 700, ..terrain.links.links[bad.index()] };
        let mut overlay = Overlay::default();
        overlay.learn(&terrain, &[fared(bad, 0, 4)], |_, _| Mended::By(by));
        let next = terrain.with_overlay(&overlay).unwrap();
        let now = next.links.from(WaypointId(0)).iter().find(|link| link.to == WaypointId(3)).unwrap();
        assert_eq!((now.kind, now.time_ms, now.flags), (Travel::Jump, 700, LinkFlags::PLAYED));
    }

    #[test]
    fn who_walks_it_alone_keeps_it() {
        let terrain = ring();
        let mut overlay = Overlay::default();
        overlay.learn(&terrain, &[fared(link(&terrain, 0, 3), 0, 9)], |_, _| Mended::Holds);
        let next = terrain.with_overlay(&overlay).unwrap();
        assert!(next.links.from(WaypointId(0)).iter().any(|link| link.to == WaypointId(3) && link.trust < HOPELESS));
    }
}
