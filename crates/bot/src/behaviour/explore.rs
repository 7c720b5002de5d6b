//! Where there is no mesh: going to places that are in sight, can be walked to, and where nobody of the side has been.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 8: a bot without waypoints looks for a place that is visible, reachable and
//! has no waypoint near; by going there it makes waypoints for whoever records them (`fireteam-bake`'s `recorded`). Departures: what
//! is near is not asked of the recording, which has watched enemies too, but of what the own side has trodden
//! ([`TeamMind::trodden`](crate::team::TeamMind::trodden)); and a bot also dares to drop down and to jump up.
//!
//! A lone waypoint at a spawn is no mesh, and neither are a few of them that nothing links.
//! Cost: some hundred short sweeps each time a place is chosen, about once a second.

use fireteam_terrain::WaypointId;
use fireteam_world::units::Time;
use fireteam_world::walker::Travel;
use fireteam_world::{Vec3, maths};

use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::legs::feelers::{Feelers, STRIDE};
use crate::legs::{Destination, Manner, Travelling};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Explore {
    to: Option<Chosen>,
    /// The last choice led nowhere: the next one may be anything.
    has_failed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Chosen {
    place: Vec3,
    travel: Travel,
    visits: u8,
    until: Time,
}

/// Directions that are looked into.
const SIDES: usize = 14;
/// An edge or a ledge is tried from no farther than this; from farther one goes up to it first.
const AT_HAND: f32 = 72.0;
/// No place is gone for longer.
const PATIENCE_MS: i32 = 4000;
/// A visit more is worth as many units of way.
const VISIT: f32 = 160.0;
/// What a place may be out of the mood for.
const MOOD: f32 = 160.0;
/// What it costs to jump or to drop, in units of way.
const DARE: f32 = 64.0;
/// Known spots so near that nobody has been to are gone to first.
const SPOT_REACH: f32 = 640.0;

impl Explore {
    fn choose(&self, view: &View, limbs: &mut Limbs) -> Option<Chosen> {
        let ground = Feelers::of(view.field);
        let here = view.origin();
        let turn = limbs.chance.range(0.0, std::f32::consts::TAU);
        let mut best: Option<(f32, Chosen)> = None;
        let mut weigh = |place: Vec3, travel: Travel, limbs: &mut Limbs| {
            let visits = view.team.trodden(place);
            let way = place.distance(here);
            let dare = if travel == Travel::Walk { 0.0 } else { DARE };
            let mood = limbs.chance.range(0.0, if self.has_failed { MOOD * 4.0 } else { MOOD });
            let worth = way - f32::from(visits) * VISIT - dare + mood;
            if best.is_none_or(|(known, _)| worth > known) {
                let until = view.now + PATIENCE_MS;
                best = Some((worth, Chosen { place, travel, visits, until }));
            }
        };
        for side in 0..SIDES {
            let angle = turn + side as f32 * std::f32::consts::TAU / SIDES as f32;
            let along = Vec3::new(maths::cos(angle), maths::sin(angle), 0.0);
            let reached = ground.walk(here, along);
            if reached.place.distance(here) > STRIDE {
                weigh(reached.place, Travel::Walk, limbs);
                weigh(here + (reached.place - here) * 0.5, Travel::Walk, limbs);
            }
            if let Some((place, travel)) = reached.beyond.filter(|_| reached.place.distance(here) < AT_HAND) {
                weigh(place, travel, limbs);
            }
        }
        self.spot_nobody_went_to(view, &ground).or(best.map(|(_, chosen)| chosen))
    }

    /// A spawn or an item in sight that the side has not been to.
    fn spot_nobody_went_to(&self, view: &View, ground: &Feelers) -> Option<Chosen> {
        if self.has_failed {
            return None;
        }
        let here = view.origin();
        let spots = view.field.terrain.waypoints.origin.iter();
        let fresh = spots.filter(|spot| {
            let way = spot.distance(here);
            way > AT_HAND && way < SPOT_REACH && view.team.trodden(**spot) == 0
        });
        let reached = |spot: &&Vec3| {
            let way = **spot - here;
            let along = Vec3::new(way.x, way.y, 0.0).normalize_or_zero();
            ground.walk_up_to(here, along, way.truncate().length()).place.distance(**spot) < AT_HAND
        };
        let nearest = fresh.filter(reached).min_by(|a, b| a.distance(here).total_cmp(&b.distance(here)))?;
        Some(Chosen { place: *nearest, travel: Travel::Walk, visits: 0, until: view.now + PATIENCE_MS })
    }

    /// Nobody knows ways from here: there is no mesh, or this is off it.
    fn is_lost(view: &View) -> bool {
        let terrain = &view.field.terrain;
        let leads_on = |id: WaypointId| !terrain.links.from(id).is_empty();
        !view.field.has_mesh || !leads_on(view.here) || terrain.islands.is_trap(view.here)
    }
}

impl Behaviour for Explore {
    fn name(&self) -> &'static str {
        "exploring"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        if !Explore::is_lost(view) {
            self.to = None;
            return None;
        }
        let is_over = self.to.is_none_or(|chosen| view.now > chosen.until);
        if is_over && view.own.body.ground.is_air() && view.own.body.immersion.level < 2 {
            // In flight nothing can be chosen; what was is still wanted.
            self.to = self.to.map(|chosen| Chosen { until: view.now, ..chosen });
        } else if is_over {
            self.to = self.choose(view, limbs);
        }
        let chosen = self.to?;
        let reason = words!("no ways are known here; been {} times over there", chosen.visits);
        Some(Bid { channels: Channels::LEGS, band: Band::Roam, score: 0.6, reason })
    }

    fn update(&mut self, _: &View, limbs: &mut Limbs) -> Outcome {
        let Some(Chosen { place, travel, .. }) = self.to else { return Outcome::Continue };
        limbs.legs.go(Destination::Untried { to: place, travel }, Manner::RUN);
        match limbs.legs.state() {
            Travelling::Arrived => {
                (self.to, self.has_failed) = (None, false);
                Outcome::Continue
            }
            Travelling::Failed(_) => {
                (self.to, self.has_failed) = (None, true);
                Outcome::Continue
            }
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    fn forget(&mut self) {
        (self.to, self.has_failed) = (None, false);
    }
}
