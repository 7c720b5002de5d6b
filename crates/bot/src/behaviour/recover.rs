//! Getting our flag back: to where it lies and onto it; after the enemy who has it, to where he can be cut off on his way home;
//! and where nobody knows, along the ways he may have taken, to his base.

use fireteam_terrain::WaypointId;
use fireteam_world::units::Time;

use super::duty::{self, Press, travel_ms};
use super::{Behaviour, Limbs, View};
use crate::goal::{Bid, Outcome};
use crate::journal::Tenths;
use crate::journal::Words;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::{Flags, Sighting};
use crate::snapshot::Standing;
use crate::team::Role;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Recover {
    chase: Option<Chase>,
    /// A search is over: what comes now is told as something new.
    is_found: bool,
}

/// Where to, as last thought over.
#[derive(Clone, Copy, Debug)]
struct Chase {
    to: Destination,
    press: Press,
    reason: Words,
    chosen: Time,
    /// How the flag stood then.
    standing: Standing,
    /// Nobody knows where it is.
    is_search: bool,
}

impl Chase {
    /// Whether it has to be thought over: after a while, or when there is news.
    fn is_over(&self, now: Time, standing: Standing, sighted: Option<Time>) -> bool {
        let lasts_ms = if self.is_search { SEARCH_MS } else { AGAIN_MS };
        let is_found = self.is_search && sighted.is_some_and(|at| at > self.chosen);
        now - self.chosen > lasts_ms || self.standing != standing || is_found
    }
}

/// A chase is thought over again after so long; a search where nobody knows lasts longer.
const AGAIN_MS: i32 = 1000;
const SEARCH_MS: i32 = 6000;
/// Whoever has it is as good as in sight if he was seen this long ago.
const FRESH_MS: i32 = 1500;
/// Whoever had it this long ago, without being seen since, may be anywhere about his base.
const LOST_MS: i32 = 20_000;
/// How much longer than the shortest way his way may be.
const ROUNDABOUT: f32 = 1.15;
/// Places drawn for a search, and how far from his base they may be.
const DRAWS: usize = 16;
const ABOUT_MS: u32 = 5000;

impl Behaviour for Recover {
    fn name(&self) -> &'static str {
        "getting our flag back"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        let flags = duty::flags_as(view, Role::Recover)?;
        let standing = flags.ours.told.standing;
        let sighted = flags.ours.sighting.map(|seen| seen.at);
        if self.chase.is_none_or(|chase| chase.is_over(view.now, standing, sighted)) {
            let was_search = self.chase.is_some_and(|chase| chase.is_search);
            self.chase = choose(view, limbs, &flags);
            self.is_found = was_search && self.chase.is_some_and(|chase| !chase.is_search);
        }
        let chase = self.chase?;
        Some(duty::bid(chase.press, chase.reason))
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(chase) = self.chase else { return Outcome::Done(words!("nowhere to look")) };
        if std::mem::take(&mut self.is_found) {
            return Outcome::Done(words!("somebody saw it"));
        }
        if chase.to == Destination::Waypoint(view.here) {
            self.chase = self.chase.filter(|chase| !chase.is_search);
            limbs.legs.stay(false, "whoever has our flag may come by here");
            return Outcome::Continue;
        }
        limbs.legs.go(chase.to, Manner::RUN);
        match limbs.legs.state() {
            Travelling::Failed(trouble) => {
                self.chase = None;
                Outcome::Done(words!("{trouble}"))
            }
            Travelling::Arrived | Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => {
                Outcome::Continue
            }
        }
    }

    fn forget(&mut self) {
        *self = Recover::default();
    }
}

fn choose(view: &View, limbs: &mut Limbs, flags: &Flags<'_>) -> Option<Chase> {
    let ours = flags.ours;
    let standing = ours.told.standing;
    let chase = |to, press, reason| Chase { to, press, reason, chosen: view.now, standing, is_search: false };
    let home = duty::waypoint_at(view, ours.told.home)?;
    let goal = duty::waypoint_at(view, flags.theirs.told.home)?;
    match (standing, ours.sighting) {
        (Standing::Home, _) => None,
        (Standing::Dropped, Some(seen)) => {
            let ms = travel_ms(view, view.here, duty::waypoint_at(view, seen.place)?);
            let reason = words!("{}, {} s away", duty::stands(view, ours), Tenths(ms as i32));
            Some(chase(duty::onto(view, seen.place), duty::press(view, ms), reason))
        }
        (Standing::Dropped, None) => {
            let (to, reason) = search(view, limbs, |id| on_the_way(view, home, id, goal))?;
            Some(Chase { is_search: true, ..chase(to, Press::Usual, reason) })
        }
        (Standing::Carried, seen) => {
            let seen = seen.filter(|seen| view.now - seen.at < LOST_MS);
            let from = seen.map_or(Some(home), |seen| duty::waypoint_at(view, seen.place))?;
            if let Some(seen) = seen.filter(|seen| view.now - seen.at < FRESH_MS) {
                let press = duty::press(view, FAR_OFF_MS);
                return Some(chase(Destination::Waypoint(from), press, after(view, &seen)));
            }
            if let Some(cut) = cut_off(view, from, goal, seen.map_or(ours.since, |seen| seen.at)) {
                let reason = words!("{}: cuts him off at w{}", duty::stands(view, ours), cut.0);
                return Some(chase(Destination::Waypoint(cut), duty::press(view, FAR_OFF_MS), reason));
            }
            let (to, reason) = search(view, limbs, |id| travel_ms(view, goal, id) < ABOUT_MS)?;
            Some(Chase { is_search: true, ..chase(to, Press::Usual, reason) })
        }
    }
}

/// Of some places that come into question, the one the side has not looked at for the longest.
fn search(view: &View, limbs: &mut Limbs, may_be_there: impl Fn(WaypointId) -> bool) -> Option<(Destination, Words)> {
    let mut best: Option<(f32, WaypointId)> = None;
    for id in duty::shuffled(view, limbs).filter(|id| may_be_there(*id)).take(DRAWS) {
        let Some(ms) = view.travel_ms(id).filter(|_| id != view.here) else { continue };
        let unseen = view.now.seconds_since(view.team.last_seen(id)).min(LONG_AGO_S);
        let worth = unseen - ms as f32 * 0.001;
        if best.is_none_or(|(known, _)| worth > known) {
            best = Some((worth, id));
        }
    }
    let (_, id) = best?;
    Some((Destination::Waypoint(id), words!("nobody knows where it is; it may be about w{}", id.0)))
}

/// A bearer who comes by within this time would be in sight.
const DUE_MS: u32 = 1000;
/// Not longer than this counts as long ago.
const LONG_AGO_S: f32 = 40.0;
/// He is no thing to lay hands on: a fight with him is a fight.
const FAR_OFF_MS: u32 = 1 << 20;

fn after(view: &View, seen: &Sighting) -> Words {
    let distance = seen.place.distance(view.origin());
    let who = seen.bearer.map_or(Words::from("somebody"), |bearer| words!("player {}", bearer.0));
    words!("{who} has it, {distance:.0} units away")
}

/// Whether a place is about on the way between two others.
fn on_the_way(view: &View, from: WaypointId, id: WaypointId, to: WaypointId) -> bool {
    let whole = travel_ms(view, from, to) as f32 * ROUNDABOUT;
    (travel_ms(view, from, id).saturating_add(travel_ms(view, id, to))) as f32 <= whole
}

/// The first place on the bearer's way home that can be reached before him.
fn cut_off(view: &View, from: WaypointId, goal: WaypointId, since: Time) -> Option<WaypointId> {
    let gone_ms = (view.now - since).max(0) as u32;
    let ids = view.field.terrain.waypoints.ids();
    let ahead = ids.filter_map(|id| {
        let his = travel_ms(view, from, id).checked_sub(gone_ms)?;
        let mine = view.travel_ms(id)?;
        (mine < his && on_the_way(view, from, id, goal)).then_some((his, id))
    });
    let (his, cut) = ahead.min()?;
    // Whoever should be here by now and is not in sight has gone another way.
    let is_due = his < DUE_MS && view.travel_ms(cut).is_some_and(|mine| mine < DUE_MS);
    (!is_due).then_some(cut)
}
