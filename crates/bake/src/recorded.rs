//! A mesh recorded from play: for a map that nobody has baked, or may bake.
//!
//! In: where players are, ten times a second, as a spectator sees it ([`Recorder`]). Out: an overlay in text, waypoints and
//! links, each with the reason it is there; and a [`Terrain`] made of such an overlay alone ([`terrain_of`]), for the next match.
//! Only geometry is kept: where somebody walked, not who or when. Bots never see any of it while they play.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 8. Departures: "reachable" is decided by walking it, with the walker that
//! bots use, and what is linked is proved; and the terrain's links are not only those that somebody took: on the trodden
//! ground around the waypoints whatever leads from one to the next is tried, as a bake does it.
//!
//! Not here: bots that explore where there is no mesh (`fireteam`'s `behaviour::explore`).

mod recorder;

use std::collections::BTreeMap;

use fireteam_terrain::overlay::{Edit, LinedEdit, Spot};
use fireteam_terrain::{HidingSpots, Link, Links, Overlay, Parts, Terrain, Throws, WaypointId, Waypoints};
use fireteam_world::{Game, Map, Solids, Vec3};

use crate::executor::Executor;
use crate::ground::survey_within;
use crate::links::{Grounds, Proof, Trials};
use crate::progress::Unwatched;
use crate::ranks::Known;
use crate::sight::Eyes;
use crate::units::Workshop;
use crate::{BakeError, BakeSettings, Site, areas, hiding, ranks, sight, waypoints};

pub use recorder::{Recorder, Seen};

/// Ground this far around a waypoint counts as trodden: waypoints are recorded no farther apart.
const TRODDEN: f32 = 176.0;

/// The terrain of what was recorded, with nothing baked below it. Lines of the overlay that do not fit are left out.
pub fn terrain_of(map: &Map, game: &Game, overlay: &Overlay, executor: &dyn Executor) -> Result<Terrain, BakeError> {
    let solids = Solids::build(map);
    let settings = BakeSettings::default().without_throws();
    let site = Site { map, game, settings: &settings, solids: &solids };
    let workshop = Workshop::new(executor, &Unwatched);
    let drawn = Drawn::of(overlay);
    let mut survey = survey_within(map, &solids, game, &settings.ground, &drawn.origins(), TRODDEN)?;
    let (waypoints, kept) = waypoints::at(&mut survey, &drawn.waypoints);
    let inputs = site.inputs(&survey.ground, &waypoints);
    let grounds = Grounds { map, solids: &solids, game, survey: &survey, waypoints: &waypoints };
    let proof = drawn.prove(&grounds, &kept, &settings, executor);
    let gathered = areas::gather(&grounds, &proof.links, &proof.movers);
    let eyes = Eyes::of(&site, &waypoints);
    let sight = sight::measure(&workshop, &site, &eyes, &proof.movers, inputs)?;
    let hiding: HidingSpots = hiding::find(&site, &survey, &waypoints, &eyes, executor);
    let known = Known { waypoints: &waypoints, links: &proof.links, sight: &sight, order: &eyes.order };
    let values = ranks::weigh(&site, &known, executor);
    let mut provenance = site.provenance();
    provenance.overlay = overlay.checksum();
    let parts = Parts {
        provenance,
        feet: game.rules.movement.body.feet,
        ground: survey.ground,
        links: proof.links,
        movers: proof.movers,
        sight,
        areas: gathered.areas,
        portals: gathered.portals,
        hiding,
        throws: Throws::default(),
        values,
        waypoints,
    };
    Ok(Terrain::assemble(parts)?)
}

/// What an overlay says, as tables.
struct Drawn<'a> {
    names: BTreeMap<&'a str, usize>,
    waypoints: Waypoints,
    links: Vec<(usize, usize, Link)>,
    unlinked: Vec<(usize, usize, Option<fireteam_world::walker::Travel>)>,
}

impl<'a> Drawn<'a> {
    fn of(overlay: &'a Overlay) -> Drawn<'a> {
        let mut drawn =
            Drawn { names: BTreeMap::new(), waypoints: Waypoints::default(), links: Vec::new(), unlinked: Vec::new() };
        for LinedEdit { edit, .. } in &overlay.edits {
            match edit {
                Edit::Add { name, origin, flags } => {
                    drawn.names.insert(name, drawn.waypoints.len());
                    drawn.waypoints.push(*origin, *flags);
                }
                Edit::Link { from, to, link } => {
                    if let (Some(from), Some(to)) = (drawn.find(from), drawn.find(to)) {
                        drawn.links.push((from, to, *link));
                    }
                }
                Edit::Unlink { from, to, kind } => {
                    if let (Some(from), Some(to)) = (drawn.find(from), drawn.find(to)) {
                        drawn.unlinked.push((from, to, *kind));
                    }
                }
                Edit::Trust { from, to, kind, trust } => {
                    let (from, to) = (drawn.find(from), drawn.find(to));
                    let is_meant =
                        |a: usize, b: usize, link: &Link| Some(a) == from && Some(b) == to && link.kind == *kind;
                    drawn
                        .links
                        .iter_mut()
                        .filter(|(a, b, link)| is_meant(*a, *b, link))
                        .for_each(|(_, _, link)| link.trust = *trust);
                }
                Edit::Move { .. } | Edit::Remove { .. } | Edit::Flag { .. } | Edit::Unflag { .. } => {}
            }
        }
        drawn
    }

    fn origins(&self) -> Vec<Vec3> {
        self.waypoints.origin.clone()
    }

    fn find(&self, spot: &Spot) -> Option<usize> {
        match spot {
            Spot::Name(name) => self.names.get(name.as_str()).copied(),
            Spot::Number(id) => Some(id.index()).filter(|index| *index < self.waypoints.len()),
            Spot::Place(place) => {
                let near = |index: &usize| self.waypoints.origin[*index].distance(*place);
                let nearest = (0..self.waypoints.len()).min_by(|a, b| near(a).total_cmp(&near(b)));
                nearest.filter(|index| near(index) < SAME_SPOT)
            }
        }
    }

    /// Whatever leads from one waypoint to the next over trodden ground, and what somebody was seen to walk. Waypoints that nobody
    /// has walked between yet are no mesh: nothing is tried.
    fn prove(
        &self,
        grounds: &Grounds,
        kept: &[Option<WaypointId>],
        settings: &BakeSettings,
        executor: &dyn Executor,
    ) -> Proof {
        let trials = Trials::prepare(grounds, &settings.links);
        if self.links.is_empty() {
            let links = Links::gather(grounds.waypoints.len(), Vec::new());
            return Proof { links, movers: trials.movers().clone(), ..Proof::default() };
        }
        let ids = grounds.waypoints.ids();
        let mut walked = crate::executor::collect(executor, ids.len(), |from| trials.walk(WaypointId::from(from)));
        for (from, to, link) in &self.links {
            if let (Some(from), Some(to)) = (kept[*from], kept[*to]) {
                let known = &mut walked[from.index()].links;
                if !known.iter().any(|known| known.to == to) {
                    known.push(Link { to, ..*link });
                }
            }
        }
        // What was seen to be walked is rehearsed like the rest: alone it may lead there, and on no route.
        let mut proof = trials.gather(walked, executor);
        let mut each: Vec<(WaypointId, Link)> = proof.links.iter().map(|(from, link)| (from, *link)).collect();
        for (from, to, kind) in &self.unlinked {
            let (from, to) = (kept[*from], kept[*to]);
            each.retain(|(start, link)| {
                Some(*start) != from || Some(link.to) != to || kind.is_some_and(|kind| kind != link.kind)
            });
        }
        proof.links = Links::gather(grounds.waypoints.len(), each);
        proof
    }
}

/// A place in an overlay names the nearest waypoint, if it is this near.
const SAME_SPOT: f32 = 48.0;
