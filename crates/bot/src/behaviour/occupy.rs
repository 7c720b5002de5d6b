//! Taking ground that is not ours, by standing on it until it is; and standing on ours while an enemy does, so that he gets nowhere.

use fireteam_terrain::WaypointId;
use fireteam_world::units::{EntityId, Time};

use super::duty::{self, Press};
use super::{Behaviour, Limbs, View};
use crate::goal::{Bid, Outcome};
use crate::journal::Tenths;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::BelievedObjective;
use crate::team::Role;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Occupy {
    stand: Option<Stand>,
    /// No way was found there: something else is done until then.
    not_before: Time,
}

/// Where it means to stand.
#[derive(Clone, Copy, Debug)]
struct Stand {
    ground: u8,
    at: WaypointId,
}

/// After no way was found, it is tried again so much later.
const AGAIN_MS: i32 = 5000;
/// An enemy seen on our ground this long ago is on it yet.
const FRESH_MS: i32 = 4000;
/// One stands well inside the edge.
const INSIDE: f32 = 0.8;
/// So near to a place one is there.
const THERE: f32 = 24.0;
/// What being in everybody's view costs, beside being as far from the middle as one can.
const SHY: f32 = 1.5;

impl Behaviour for Occupy {
    fn name(&self) -> &'static str {
        "taking ground"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        let (ground, intruder) = wanted(view)?;
        let piece = view.memory.objectives().get(usize::from(ground))?;
        if self.stand.is_none_or(|stand| stand.ground != ground) {
            self.stand = choose(view, limbs, piece).map(|at| Stand { ground, at });
        }
        let ms = view.travel_ms(self.stand?.at).filter(|_| view.now >= self.not_before)?;
        let (number, seconds) = (ground + 1, Tenths(ms as i32));
        let is_on_it = view.origin().distance(piece.told.home) < piece.told.radius;
        let whose = if piece.told.holder.is_some() { "theirs" } else { "nobody's" };
        let reason = match intruder {
            Some(intruder) => words!("player {} is on ground {number}, which is ours", intruder.0),
            None if is_on_it => words!("stands on ground {number}, which is {whose}"),
            None => words!("ground {number} is {whose}, {seconds} s away"),
        };
        // Who stands on it may move about in a fight.
        let press = if is_on_it { Press::Usual } else { duty::press(view, ms) };
        Some(duty::bid(press, reason))
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(stand) = self.stand else { return Outcome::Done(words!("nowhere to stand")) };
        let place = view.field.terrain.waypoints.origin[stand.at.index()];
        if place.distance(view.origin()) < THERE {
            limbs.legs.stay(false, "stands on the ground it is to take");
            return Outcome::Continue;
        }
        limbs.legs.go(Destination::Waypoint(stand.at), Manner::RUN);
        match limbs.legs.state() {
            Travelling::Failed(trouble) => {
                (self.stand, self.not_before) = (None, view.now + AGAIN_MS);
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Arrived | Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => {
                Outcome::Continue
            }
        }
    }

    fn forget(&mut self) {
        *self = Occupy::default();
    }
}

/// Which ground to stand on, and who is on it that should not be.
fn wanted(view: &View) -> Option<(u8, Option<EntityId>)> {
    match view.role()? {
        Role::Take { ground } => Some((ground, None)),
        Role::Keep { ground } => {
            let told = &view.memory.objectives().get(usize::from(ground))?.told;
            let mut known = view.threats_within(FRESH_MS);
            let on_it = known.find(|threat| threat.place.distance(told.home) < told.radius)?;
            Some((ground, Some(on_it.entity)))
        }
        Role::Attack | Role::Defend | Role::Recover | Role::Escort | Role::Bear => None,
    }
}

/// Of the places on a piece of ground one that few others see, not too near to its edge; not the same for all.
fn choose(view: &View, limbs: &mut Limbs, piece: &BelievedObjective) -> Option<WaypointId> {
    let terrain = &view.field.terrain;
    let (home, reach) = (piece.told.home, piece.told.radius * INSIDE);
    let mut best: Option<(f32, WaypointId)> = None;
    for id in terrain.waypoints.ids() {
        let aside = terrain.waypoints.origin[id.index()].distance(home) / reach.max(1.0);
        if aside > 1.0 || view.travel_ms(id).is_none() {
            continue;
        }
        let seen = f32::from(terrain.values.exposure[id.index()]) / 255.0;
        let cost = aside + SHY * seen + limbs.chance.range(0.0, 1.0);
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, id));
        }
    }
    best.map(|(_, id)| id).or_else(|| duty::waypoint_at(view, home))
}
