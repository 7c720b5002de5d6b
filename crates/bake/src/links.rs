//! How does one get from waypoint to waypoint? Links, each walked by the game's own legs before it is written down.
//!
//! In: the survey's ways, which are hopeful, and the waypoints that own its places. Out: [`Links`], and the [`Movers`] they
//! lead through. Where ways lead from one waypoint's places to another's, that is a candidate ([`candidates`]); it is
//! driven with the walker that bots use, from several starts around the waypoint, at rest and at the speed one arrives
//! with ([`trial`]). The plainest kind that arrives becomes the link; what does not arrive is no link.
//!
//! Doors, lifts, trains and buttons are tried among movers that move; everything else among movers at rest, which costs a
//! fraction. Each waypoint's links are one job of the executor, so that any number of threads gives the same links.
//! Cost: a frame of walking is one to two microseconds; [`Proof::frames`] counts them.

mod candidates;
mod flights;
mod movers;
mod rehearsal;
mod second;
mod sure;
mod trial;

use fireteam_terrain::{Link, Links, MoverId, Movers, WaypointId, Waypoints};
use fireteam_world::walker::Travel;
use fireteam_world::walker::outing::Course;
use fireteam_world::{Game, Map, Solids};

use crate::executor::{self, Executor};
use crate::ground::Survey;
use candidates::{Candidate, Candidates};
pub use flights::taken_on_the_way;
use rehearsal::Stage;
use trial::Prover;

/// How hard to try.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// Health a link may cost at most: somebody at a hundred should think nothing of taking two.
    pub damage_max: f32,
    /// Least share of starts that must arrive. Links that fail from some are kept only where no sure way leads to the same
    /// place: half of the starts is better than never getting there.
    pub trust_min: f32,
    /// How far from a waypoint the starts lie: a walker counts as having been there within 20 units.
    pub jitter: f32,
    /// A walk longer than this is left to the waypoints between.
    pub length_max: f32,
}

impl Default for LinkSettings {
    fn default() -> LinkSettings {
        LinkSettings { damage_max: 45.0, trust_min: 0.5, jitter: 16.0, length_max: 640.0 }
    }
}

/// What was proved, and what it took.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    pub links: Links,
    pub movers: Movers,
    /// Pairs of waypoints that were tried, and frames that were walked for it.
    pub candidates: u64,
    pub frames: u64,
}

/// What the proof works on: the map, and what the steps before found in it.
#[derive(Clone, Copy, Debug)]
pub struct Grounds<'a> {
    pub map: &'a Map,
    pub solids: &'a Solids,
    pub game: &'a Game,
    pub survey: &'a Survey,
    pub waypoints: &'a Waypoints,
}

/// Everything that might be a link, ready to be walked waypoint by waypoint.
#[derive(Debug)]
pub struct Trials<'a> {
    grounds: Grounds<'a>,
    settings: &'a LinkSettings,
    course: Course<'a>,
    movers: Movers,
    candidates: Candidates,
}

/// What was proved from one waypoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walked {
    pub links: Vec<Link>,
    pub frames: u64,
}

impl<'a> Trials<'a> {
    pub fn prepare(grounds: &Grounds<'a>, settings: &'a LinkSettings) -> Trials<'a> {
        let course = Course::new(grounds.map, grounds.solids, grounds.game);
        let movers = movers::find(grounds, &course);
        let candidates = candidates::gather(grounds, &course, &movers);
        Trials { grounds: *grounds, settings, course, movers, candidates }
    }

    /// Walks everything that might lead away from a waypoint.
    pub fn walk(&self, from: WaypointId) -> Walked {
        let mut prover = Prover::new(&self.course, &self.grounds, &self.movers, self.settings);
        let links = self.candidates.from(from).iter().filter_map(|candidate| prover.prove(candidate)).collect();
        Walked { links, frames: prover.frames }
    }

    /// What moves, throws or teleports.
    pub fn movers(&self) -> &Movers {
        &self.movers
    }

    /// What is proved by a second attempt, of all to which the first found no way.
    fn attempt_again(&self, proved: &Links, executor: &dyn Executor) -> Vec<(WaypointId, Link)> {
        let attempts = second::attempts(self.grounds.waypoints, &self.candidates, proved);
        let starts: Vec<&[Candidate]> = attempts.chunk_by(|a, b| a.from == b.from).collect();
        let later = executor::collect(executor, starts.len(), |start| {
            let mut prover = Prover::new(&self.course, &self.grounds, &self.movers, self.settings);
            let proved = |attempt: &Candidate| prover.prove(attempt).map(|link| (attempt.from, link));
            starts[start].iter().filter_map(proved).collect::<Vec<_>>()
        });
        later.into_iter().flatten().collect()
    }

    /// Puts together what was walked from each waypoint, and rehearses routes over it.
    pub fn gather(self, walked: Vec<Walked>, executor: &dyn Executor) -> Proof {
        let count = self.grounds.waypoints.len();
        let frames = walked.iter().map(|walked| walked.frames).sum();
        let mut each: Vec<(WaypointId, Link)> = walked
            .into_iter()
            .enumerate()
            .flat_map(|(from, walked)| walked.links.into_iter().map(move |link| (WaypointId::from(from), link)))
            .collect();
        let later = self.attempt_again(&Links::gather(count, each.clone()), executor);
        each.extend(later);
        let alone = Links::gather(count, sure::choose(count, each, u8::MAX));
        let stage = Stage { course: &self.course, grounds: &self.grounds, movers: &self.movers };
        let mut links = stage.rehearse(&alone, executor);
        flights::mark(&self.grounds, &self.course, &self.movers, &mut links);
        Proof { links, movers: self.movers, candidates: self.candidates.len() as u64, frames }
    }
}

/// Two waypoints of any kind and what is needed to walk between them.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    pub course: &'a Course<'a>,
    pub grounds: &'a Grounds<'a>,
    pub movers: &'a Movers,
    pub settings: &'a LinkSettings,
}

/// Kinds of ways that need nothing that moves, throws or teleports.
const ON_FOOT: [Travel; 6] =
    [Travel::Walk, Travel::Crouch, Travel::Drop, Travel::Jump, Travel::Swim, Travel::WaterExit];

fn on_foot() -> u16 {
    ON_FOOT.into_iter().fold(0, |kinds, kind| kinds | candidates::bit(kind))
}

impl Pair<'_> {
    /// The link from one to the other, if a walker gets there on foot.
    pub fn prove(&self, from: WaypointId, to: WaypointId) -> Option<Link> {
        self.try_kinds(Candidate { from, to, kinds: on_foot(), aid: MoverId::NONE })
    }

    /// The same for a link that is there: by what it uses, or on foot.
    pub fn prove_like(&self, from: WaypointId, link: &Link) -> Option<Link> {
        let is_aided = matches!(link.kind, Travel::Push | Travel::Teleport | Travel::Lift | Travel::Train);
        let aid = if is_aided { link.mover } else { MoverId::NONE };
        let kinds = candidates::bit(link.kind) | if is_aided { 0 } else { on_foot() };
        self.try_kinds(Candidate { from, to: link.to, kinds, aid })
    }

    fn try_kinds(&self, candidate: Candidate) -> Option<Link> {
        Prover::new(self.course, self.grounds, self.movers, self.settings).prove(&candidate)
    }
}

/// Walks everything that might be a link.
pub fn prove(grounds: &Grounds, settings: &LinkSettings, executor: &dyn Executor) -> Proof {
    let trials = Trials::prepare(grounds, settings);
    let walked = executor::collect(executor, grounds.waypoints.len(), |from| trials.walk(WaypointId::from(from)));
    trials.gather(walked, executor)
}
