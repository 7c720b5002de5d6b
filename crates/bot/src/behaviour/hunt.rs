//! Following an enemy who went out of sight: to where he is believed to be, until that turns out to be empty.

use fireteam_terrain::WaypointId;
use fireteam_world::units::{EntityId, Time};

use super::{Behaviour, Limbs, View, heaviest};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::journal::Tenths;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::Threat;
use crate::perceive::Sense;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Hunt {
    quarry: Option<Quarry>,
    /// A sighting that led nowhere is not followed twice.
    given_up: Option<(EntityId, Time)>,
    /// It has set out, and wanted to go on ever since: who is on a trail does not leave it for what would have kept him from it.
    is_on: bool,
    /// When it let a trail be that it was on.
    let_be: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
struct Quarry {
    entity: EntityId,
    seen: Time,
    to: WaypointId,
}

impl Hunt {
    fn choose<'a>(&self, view: &View<'a>) -> Option<&'a Threat> {
        let (hunt_ms, told_reach) = (trail_ms(view), view.convars.hunt_told_reach * (1.0 + view.leanings.loyalty));
        let rests = !self.is_on && self.let_be.is_some_and(|at| view.now - at < REST_MS);
        let reach_to = |threat: &Threat| {
            let farther = if self.is_after(threat) { 1.0 / KEPT } else { 1.0 };
            if rests { 0.0 } else { told_reach * farther }
        };
        let is_fair = |threat: &&Threat| {
            !threat.in_sight
                && threat.age_ms(view.now) < hunt_ms
                // Whom another saw far away is another's to follow.
                && (threat.by == Sense::Sight || threat.place.distance(view.origin()) < reach_to(threat))
                && Some((threat.entity, threat.seen)) != self.given_up
        };
        let worst = heaviest(view.memory.seen_since(view.now + -hunt_ms).filter(is_fair))?;
        let before = self.quarry.and_then(|quarry| view.memory.threat(quarry.entity));
        let is_kept = |threat: &&Threat| !threat.is_dead && is_fair(threat) && threat.menace + STAY > worst.menace;
        before.filter(is_kept).or(Some(worst))
    }
}

/// Another matters so much more before the one who is followed is let go: as much as somebody 500 units nearer. Where many are
/// about, whoever ran after the nearest of every moment would run to and fro.
const STAY: f32 = 300.0;

/// Who is on a trail stays on it until the fight promises so much less than what he would set out for, and follows whom he was
/// told of so much farther than he would set out to.
const KEPT: f32 = 0.6;
/// Who let a trail be goes for nobody he is only told of for so long: where many are about, there is a word every moment, and he
/// would never get anywhere.
const REST_MS: i32 = 1500;

/// Whoever is reported every moment is not searched a way to every moment: as long as he is no farther from where the hunt
/// leads than this share of the way there, it leads to him.
const NEAR_SHARE: f32 = 0.2;

fn leads_near(view: &View, to: WaypointId, threat: &Threat) -> bool {
    let spot = view.field.terrain.waypoints.origin[to.index()];
    spot.distance(threat.place) < NEAR_SHARE * threat.place.distance(view.origin())
}

/// How long one is followed: the patient stay longer on a trail.
fn trail_ms(view: &View) -> i32 {
    (view.convars.hunt_ms as f32 * (1.0 + view.leanings.patience)) as i32
}

impl Behaviour for Hunt {
    fn name(&self) -> &'static str {
        "hunting"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let bid = self.trail(view);
        if bid.is_none() && std::mem::take(&mut self.is_on) {
            let quarry = self.quarry.and_then(|quarry| view.memory.threat(quarry.entity));
            let is_met = quarry.is_some_and(|threat| threat.is_dead || threat.in_sight);
            self.let_be = (!is_met).then_some(view.now);
        }
        bid
    }

    fn begin(&mut self, _: &View, _: &mut Limbs) {
        self.is_on = true;
    }

    fn update(&mut self, _: &View, limbs: &mut Limbs) -> Outcome {
        let Some(quarry) = self.quarry else { return Outcome::Done(words!("nobody to hunt")) };
        limbs.legs.go(Destination::Waypoint(quarry.to), Manner::RUN);
        match limbs.legs.state() {
            Travelling::Arrived => {
                self.give_up();
                Outcome::Done(words!("nobody there"))
            }
            Travelling::Failed(trouble) => {
                self.give_up();
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => Outcome::Continue,
        }
    }

    fn forget(&mut self) {
        (self.quarry, self.is_on, self.let_be) = (None, false, None);
    }
}

impl Hunt {
    fn is_after(&self, threat: &Threat) -> bool {
        self.is_on && self.quarry.is_some_and(|quarry| quarry.entity == threat.entity)
    }

    fn trail(&mut self, view: &View) -> Option<Bid> {
        let prospect_min = view.convars.hunt_prospect * view.craft.prudence * (1.0 - view.leanings.aggression);
        if view.has_duty() {
            return None;
        }
        let threat = self.choose(view)?;
        let kept = if self.is_after(threat) { KEPT } else { 1.0 };
        if view.mood.prospect < prospect_min * kept {
            return None;
        }
        if self.quarry.is_none_or(|quarry| (quarry.entity, quarry.seen) != (threat.entity, threat.seen)) {
            let known = self.quarry.filter(|quarry| quarry.entity == threat.entity).map(|quarry| quarry.to);
            let to = match known.filter(|to| leads_near(view, *to, threat)) {
                Some(to) => to,
                None => view.field.terrain.nearest(threat.place)?.waypoint,
            };
            view.travel_ms(to)?;
            self.quarry = Some(Quarry { entity: threat.entity, seen: threat.seen, to });
        }
        let age_ms = threat.age_ms(view.now);
        let reason = match threat.by {
            Sense::Sight | Sense::Hearing | Sense::Touch => {
                words!("player {} went out of sight {} s ago", threat.entity.0, Tenths(age_ms))
            }
            Sense::Words => words!("a mate saw player {} {} s ago", threat.entity.0, Tenths(age_ms)),
        };
        let score = 0.5 - 0.3 * age_ms as f32 / trail_ms(view).max(1) as f32;
        Some(Bid { channels: Channels::LEGS, band: Band::Fight, score, reason })
    }

    fn give_up(&mut self) {
        self.given_up = self.quarry.take().map(|quarry| (quarry.entity, quarry.seen));
    }
}
