//! From a map to its terrain: everything a soldier could know of the ground before the fight.
//!
//! [`bake`] is the whole of it; each numbered step is a file and reads what the steps before it found. Steps that take long
//! are cut into [`units`], which any number of threads, processes and machines may share, and which a [`Journal`] keeps so
//! that a bake that was killed goes on where it was.
//!
//! A terrain is a pure function of map, physics and [`BakeSettings`]: no clock, no chance, no order of threads.

pub mod ground;
pub mod waypoints;

pub mod links;

pub mod areas;
pub mod hiding;
pub mod ranks;
pub mod sight;
pub mod throws;

pub mod mend;
pub mod recorded;

pub mod executor;
pub mod journal;
pub mod progress;
mod site;
pub mod units;

use fireteam_terrain::{
    Areas, HidingSpots, Link, LinkFlags, MoverId, Parts, Portals, Terrain, Unsound, WaypointId, Waypoints,
};
use fireteam_world::walker::Travel;
use fireteam_world::{Game, Map, Solids};

pub use executor::{Executor, OneThread};
pub use ground::{GroundError, GroundSettings, Place, Survey, Way, survey};
pub use hiding::HidingSettings;
pub use journal::{Journal, JournalError};
pub use links::{Grounds, LinkSettings};
pub use progress::{Progress, Step, Unwatched};
pub use site::Site;
pub use throws::ThrowSettings;
pub use units::{Shard, Workshop};
pub use waypoints::WaypointSettings;

use links::{Proof, Trials, Walked};
use ranks::Known;
use sight::Eyes;
use units::{Batch, Unit};

/// Goes up whenever the same map and settings bake to another terrain.
pub const VERSION: u32 = 4;

/// What a bake can be told; the defaults suit any ordinary map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakeSettings {
    pub ground: GroundSettings,
    pub waypoints: WaypointSettings,
    pub links: LinkSettings,
    pub hiding: HidingSettings,
    pub throws: ThrowSettings,
}

/// Why there is no terrain.
#[derive(Debug, thiserror::Error)]
pub enum BakeError {
    #[error(transparent)]
    Ground(#[from] GroundError),
    #[error("the bake was cancelled")]
    Cancelled,
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{missing} of the {total} units of the {} are in none of the shards", .step.word())]
    Missing { step: Step, missing: usize, total: usize },
    #[error("what was baked does not fit together")]
    Unsound(#[from] Unsound),
}

impl BakeSettings {
    /// For a server that must have something now: a quarter of the waypoints, about a twentieth of the work. Every
    /// link is proved all the same; what is lost is how near a waypoint is, and second-best ways.
    pub fn quick() -> BakeSettings {
        let usual = WaypointSettings::default();
        let waypoints = WaypointSettings {
            count: usual.count / 4.0,
            count_max: usual.count_max / 4,
            spacing_max: usual.spacing_max * 2.0,
            reach_max: usual.reach_max * 2.0,
            ..usual
        };
        BakeSettings { waypoints, throws: ThrowSettings::quick(), ..BakeSettings::default() }
    }

    /// For those who never throw, or have no time to wait.
    pub fn without_throws(self) -> BakeSettings {
        BakeSettings { throws: ThrowSettings::none(), ..self }
    }

    /// Names these settings and the version of the bake.
    pub fn digest(&self) -> [u8; 32] {
        // Debug prints every field, and floats so that no two look alike.
        *blake3::hash(format!("bake {VERSION} {self:?}").as_bytes()).as_bytes()
    }
}

/// Makes the terrain of a map.
pub fn bake(
    map: &Map,
    game: &Game,
    settings: &BakeSettings,
    executor: &dyn Executor,
    progress: &dyn Progress,
) -> Result<Terrain, BakeError> {
    bake_in(&Workshop::new(executor, progress), map, game, settings)
}

/// The same in a workshop that may keep a journal, or have the journals of shards at hand.
pub fn bake_in(workshop: &Workshop, map: &Map, game: &Game, settings: &BakeSettings) -> Result<Terrain, BakeError> {
    let solids = Solids::build(map);
    let site = Site { map, game, settings, solids: &solids };
    let mut survey = survey_ground(workshop, &site)?; // 1. where can a player stand, crouch, swim, climb
    let waypoints = place_waypoints(workshop, &site, &mut survey)?; // 2. a spot for all that matters, and between
    let inputs = site.inputs(&survey.ground, &waypoints);
    let proof = prove_links(workshop, &site, &survey, &waypoints, inputs)?; // 3. walked by world's legs, or it is none
    let (areas, portals) = gather_areas(workshop, &site, &survey, &waypoints, &proof)?; // 4. rooms, halls, streets; doors
    let eyes = Eyes::of(&site, &waypoints);
    let sight = sight::measure(workshop, &site, &eyes, &proof.movers, inputs)?; // 5. who sees whom
    let hiding = find_hiding_spots(workshop, &site, &survey, &waypoints, &eyes)?; //  and where nobody does
    let thrown_on = throws::Grounds { ground: &survey.ground, waypoints: &waypoints, movers: &proof.movers, inputs };
    let throws = throws::find(workshop, &site, &thrown_on)?; // 6. who can throw a grenade at whom, and how
    let known = Known { waypoints: &waypoints, links: &proof.links, sight: &sight, order: &eyes.order };
    let values = workshop.piece(Step::Ranks, || ranks::weigh(&site, &known, workshop.executor))?; // 7. which are strong
    let parts = Parts {
        provenance: site.provenance(),
        feet: game.rules.movement.body.feet,
        ground: survey.ground,
        waypoints,
        links: proof.links,
        movers: proof.movers,
        sight,
        areas,
        portals,
        hiding,
        throws,
        values,
    };
    Ok(workshop.piece(Step::Assemble, || Terrain::assemble(parts))??) // 8. checked; travel times follow from the links
}

fn survey_ground(workshop: &Workshop, site: &Site) -> Result<Survey, BakeError> {
    let survey = || ground::survey(site.map, site.solids, site.game, &site.settings.ground);
    Ok(workshop.piece(Step::Ground, survey)??)
}

fn place_waypoints(workshop: &Workshop, site: &Site, survey: &mut Survey) -> Result<Waypoints, BakeError> {
    let place = || waypoints::place(survey, site.map, site.solids, site.game, &site.settings.waypoints);
    workshop.piece(Step::Waypoints, place)
}

fn prove_links(
    workshop: &Workshop,
    site: &Site,
    survey: &Survey,
    waypoints: &Waypoints,
    inputs: [u8; 32],
) -> Result<Proof, BakeError> {
    let grounds = Grounds { map: site.map, solids: site.solids, game: site.game, survey, waypoints };
    let trials = Trials::prepare(&grounds, &site.settings.links);
    let walked = workshop.units(&links_batch(waypoints, inputs), |from| trials.walk(WaypointId::from(from)))?;
    Ok(trials.gather(walked, workshop.executor))
}

fn links_batch(waypoints: &Waypoints, inputs: [u8; 32]) -> Batch {
    Batch { step: Step::Links, count: waypoints.len(), inputs }
}

fn gather_areas(
    workshop: &Workshop,
    site: &Site,
    survey: &Survey,
    waypoints: &Waypoints,
    proof: &Proof,
) -> Result<(Areas, Portals), BakeError> {
    let grounds = Grounds { map: site.map, solids: site.solids, game: site.game, survey, waypoints };
    let gathered = workshop.piece(Step::Areas, || areas::gather(&grounds, &proof.links, &proof.movers))?;
    Ok((gathered.areas, gathered.portals))
}

fn find_hiding_spots(
    workshop: &Workshop,
    site: &Site,
    survey: &Survey,
    waypoints: &Waypoints,
    eyes: &Eyes,
) -> Result<HidingSpots, BakeError> {
    workshop.piece(Step::Hiding, || hiding::find(site, survey, waypoints, eyes, workshop.executor))
}

/// Works off a shard's part of the units into the workshop's journal. [`merge`] makes a terrain of all shards' journals.
pub fn bake_shard(workshop: &Workshop, map: &Map, game: &Game, settings: &BakeSettings) -> Result<(), BakeError> {
    let solids = Solids::build(map);
    let site = Site { map, game, settings, solids: &solids };
    let mut survey = survey_ground(workshop, &site)?;
    let waypoints = place_waypoints(workshop, &site, &mut survey)?;
    let inputs = site.inputs(&survey.ground, &waypoints);
    let grounds = Grounds { map, solids: &solids, game, survey: &survey, waypoints: &waypoints };
    let trials = Trials::prepare(&grounds, &settings.links);
    workshop.work_off(&links_batch(&waypoints, inputs), |from| trials.walk(WaypointId::from(from)))?;
    sight::measure_shard(workshop, &site, &Eyes::of(&site, &waypoints), trials.movers(), inputs)?;
    let thrown_on = throws::Grounds { ground: &survey.ground, waypoints: &waypoints, movers: trials.movers(), inputs };
    throws::find_shard(workshop, &site, &thrown_on)
}

/// The terrain of a map whose units were worked off by shards: the same as one bake makes, or [`BakeError::Missing`].
pub fn merge(
    shards: &[Journal],
    map: &Map,
    game: &Game,
    settings: &BakeSettings,
    executor: &dyn Executor,
    progress: &dyn Progress,
) -> Result<Terrain, BakeError> {
    let workshop = Workshop { others: shards, shard: Shard::NOTHING, ..Workshop::new(executor, progress) };
    bake_in(&workshop, map, game, settings)
}

impl Unit for Walked {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.frames.to_le_bytes());
        for link in &self.links {
            bytes.extend(link.to.0.to_le_bytes());
            bytes.extend([link.kind as u8, link.flags.0]);
            bytes.extend(link.time_ms.to_le_bytes());
            bytes.extend([link.damage, link.trust]);
            bytes.extend(link.mover.0.to_le_bytes());
            bytes.extend(link.opener.0.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Option<Walked> {
        let (frames, rest) = bytes.split_first_chunk()?;
        let (links, []) = rest.as_chunks::<12>() else { return None };
        let link =
            |&[to0, to1, kind, flags, time0, time1, damage, trust, mover0, mover1, opener0, opener1]: &[u8; 12]| {
                Some(Link {
                    to: WaypointId(u16::from_le_bytes([to0, to1])),
                    kind: Travel::from_number(kind)?,
                    flags: LinkFlags(flags),
                    time_ms: u16::from_le_bytes([time0, time1]),
                    damage,
                    trust,
                    mover: MoverId(u16::from_le_bytes([mover0, mover1])),
                    opener: MoverId(u16::from_le_bytes([opener0, opener1])),
                })
            };
        let links = links.iter().map(link).collect::<Option<Vec<Link>>>()?;
        Some(Walked { links, frames: u64::from_le_bytes(*frames) })
    }
}
