//! Somebody on his way to a waypoint: a route, the follower that walks it, and another route when he gets lost.
//!
//! In: a [`Terrain`], a start and a goal; then, frame by frame, his body and the scene around it. Out: [`Keys`], and whether he
//! has arrived. Who falls, is pushed aside or finds the way blocked looks where he stands and asks for a new route from
//! there; links he got lost on cost him more from then on, so that he does not try the same for ever.
//!
//! Allocates while a route is searched, and only until its buffers have grown to the map's routes.
//! Not here: why he goes there (his goals), what others do on the way.

use fireteam_world::movement::{Player, Setting};
use fireteam_world::walker::{Follower, Keys, Leg, Progress, Travel};
use glam::Vec3;

use crate::Terrain;
use crate::ids::{LinkId, WaypointId};
use crate::path::errands::{Doubt, Qualms, Warily};
use crate::path::{Cost, NoRoute, Progress as Searched, Route, Search};

/// A journey to a waypoint.
#[derive(Clone, Debug, Default)]
pub struct Traveller {
    goal: WaypointId,
    search: Search,
    route: Route,
    legs: Vec<Leg>,
    /// None while he is astray.
    follower: Option<Follower>,
    /// Legs before those of the route: the way back to it.
    approach: usize,
    /// The way back to the mesh failed, too.
    is_cut_off: bool,
    detours: u32,
    /// Links he got lost on, the latest last.
    lost_on: [LinkId; DOUBTS],
}

/// So many links are remembered as bad.
const DOUBTS: usize = 4;
/// What a link costs more for each time he got lost on it.
const DOUBT_MS: Cost = 15_000;
/// Whoever needs more new routes than this will not get there.
const DETOURS_MAX: u32 = 8;
/// Closer than this he is at a waypoint.
const AT_WAYPOINT: f32 = 18.0;
/// The way back to the mesh may take long: nobody has walked it before.
const APPROACH_SPEED: f32 = 100.0;

impl Traveller {
    /// Begins a journey. What was learned on the one before is forgotten.
    pub fn set_out(&mut self, terrain: &Terrain, from: WaypointId, to: WaypointId) -> Result<(), NoRoute> {
        self.goal = to;
        self.detours = 0;
        self.lost_on = [LinkId::NONE; DOUBTS];
        self.is_cut_off = false;
        self.follower = None;
        self.find_route(terrain, from)?;
        self.legs.clear();
        self.approach = 0;
        self.legs.extend(self.route.links.iter().map(|link| terrain.leg(*link)));
        self.follower = Follower::new(&self.legs);
        Ok(())
    }

    /// What to press for the next `ms` milliseconds; arrived is at the goal, lost is for good.
    pub fn press(&mut self, terrain: &Terrain, player: &Player, setting: &Setting, ms: i32) -> (Keys, Progress) {
        loop {
            let Some(follower) = &mut self.follower else {
                if player.ground.is_air() && player.immersion.level < 2 {
                    return (Keys::NONE, Progress::OnTheWay);
                }
                match self.set_out_anew(terrain, player) {
                    Some(done) => return (Keys::NONE, done),
                    None => continue,
                }
            };
            let (keys, progress) = follower.press(&self.legs, player, setting, ms);
            let Progress::Lost(why) = progress else { return (keys, progress) };
            let leg = follower.index();
            self.is_cut_off = leg < self.approach;
            self.doubt(leg);
            if self.detours >= DETOURS_MAX {
                return (Keys::NONE, Progress::Lost(why));
            }
            self.detours += 1;
            self.follower = None;
        }
    }

    /// The links being followed, as they were last searched.
    pub fn route(&self) -> &Route {
        &self.route
    }

    /// The link being walked; none on the way back to the mesh.
    pub fn link(&self) -> Option<LinkId> {
        let index = self.follower?.index().checked_sub(self.approach)?;
        self.route.links.get(index).copied()
    }

    /// How often he had to ask for another route.
    pub fn detours(&self) -> u32 {
        self.detours
    }

    /// Another route, from where he stands. None if he is on his way again, else how his journey ended.
    fn set_out_anew(&mut self, terrain: &Terrain, player: &Player) -> Option<Progress> {
        let lost = Some(Progress::Lost(fireteam_world::walker::Astray::Stuck));
        let Some(near) = terrain.nearest_towards(player.origin, self.goal) else { return lost };
        if near.waypoint != self.goal && self.find_route(terrain, near.waypoint).is_err() {
            return lost;
        }
        if near.waypoint == self.goal {
            self.route.links.clear();
        }
        let mut waypoint = near.waypoint;
        // Who does not get to the nearest waypoint tries the one after it.
        if self.is_cut_off && !self.route.links.is_empty() {
            waypoint = terrain.links.links[self.route.links.remove(0).index()].to;
        }
        let place = terrain.waypoints.origin[waypoint.index()];
        self.legs.clear();
        self.legs.extend(approach(player, place));
        self.approach = self.legs.len();
        self.legs.extend(self.route.links.iter().map(|link| terrain.leg(*link)));
        self.follower = Follower::new(&self.legs);
        // No legs at all: he stands at the goal.
        if self.follower.is_some() { None } else { Some(Progress::Arrived) }
    }

    fn find_route(&mut self, terrain: &Terrain, from: WaypointId) -> Result<(), NoRoute> {
        let to = self.goal;
        if !terrain.islands.connect(from, to) {
            return Err(NoRoute::NotConnected { from, to });
        }
        let doubts = self.lost_on.map(|link| Doubt { link, cost: DOUBT_MS });
        let known = doubts.iter().position(|doubt| doubt.link.is_some()).unwrap_or(DOUBTS);
        let qualms = Qualms::new(&doubts[known..], &[]);
        let errand = Warily::new(&terrain.times, from, to, qualms);
        self.search.begin(&terrain.inward, to, &errand, u32::MAX);
        loop {
            match self.search.run(&terrain.inward, &errand, u32::MAX) {
                Searched::Searching => {}
                Searched::NoRoute(why) => return Err(why),
                Searched::Found { .. } => {
                    self.search.trace_on(&terrain.links, from, &mut self.route);
                    return Ok(());
                }
            }
        }
    }

    fn doubt(&mut self, leg: usize) {
        let Some(link) = leg.checked_sub(self.approach).and_then(|index| self.route.links.get(index)) else { return };
        self.lost_on.rotate_left(1);
        self.lost_on[DOUBTS - 1] = *link;
    }
}

/// The way to a waypoint close by; none if he is there.
fn approach(player: &Player, place: Vec3) -> Option<Leg> {
    let way = place - player.origin;
    if way.truncate().length() < AT_WAYPOINT && way.z.abs() < AT_WAYPOINT {
        return None;
    }
    let travel = if player.immersion.level > 1 { Travel::Swim } else { Travel::Walk };
    let time_ms = (way.length() / APPROACH_SPEED * 1000.0) as i32;
    Some(Leg { from: player.origin, to: place, travel, via: None, mover: None, opener: None, time_ms })
}
