//! Items as believed: where each lies, whether it is there, and when it should be back.
//!
//! Everyone who knows the map knows what lies where, and what the game that is played leaves out of it; what was taken is
//! learnt by seeing the empty place, by hearing it picked up nearby, or because the game lets everyone hear it. How long it
//! takes to come back is the map's, or else the game's. Items that the map does not have were dropped by somebody; they are
//! believed in while they are seen to lie there.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::game::Interest;
use fireteam_world::units::{EntityId, Time};

use crate::field::Field;
use crate::perceive::is_same_place;
use crate::snapshot::{Item, ItemKindId};

/// Items that can be believed in: those of the map, and so many dropped ones.
const DROPPED_MAX: usize = 64;

/// An item as believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BelievedItem {
    /// Its number in the game, once it has been seen.
    pub entity: Option<EntityId>,
    pub kind: ItemKindId,
    pub origin: Vec3,
    /// The waypoint it lies at; none if nobody gets there.
    pub waypoint: Option<WaypointId>,
    pub is_there: bool,
    /// When it was last seen there, seen gone, or heard taken; none if never.
    pub known: Option<Time>,
    /// When it should be back, if it is gone and comes back at all.
    pub back: Option<Time>,
    /// Somebody dropped it; the map does not have it.
    pub is_dropped: bool,
    /// `back` is known to the moment: when it went was heard. Else it is the latest that it can be.
    is_timed: bool,
    respawn_ms: i32,
    first_ms: i32,
}

impl BelievedItem {
    /// Whether this belief is about that item.
    pub(crate) fn is_of(&self, item: &Item) -> bool {
        match self.entity {
            Some(entity) => entity == item.entity && self.kind == item.kind,
            None => self.kind == item.kind && is_same_place(item.origin, self.origin),
        }
    }

    /// Whether it would be there at a moment to come.
    pub fn will_be_there(&self, at: Time) -> bool {
        self.is_there || self.back.is_some_and(|back| back <= at)
    }

    /// When it should be back.
    fn set_gone(&mut self, at: Time) -> Time {
        // Nobody saw when it went. Whoever comes back at the latest time it can take waits for nothing.
        if self.is_there {
            self.set_taken(at);
            self.is_timed = false;
        }
        self.known = Some(at);
        self.back.unwrap_or(NEVER)
    }

    /// It went at that very moment. When it should be back.
    fn set_taken(&mut self, at: Time) -> Time {
        self.back = (self.respawn_ms > 0).then(|| at + self.respawn_ms);
        (self.is_there, self.is_timed, self.known) = (false, true, Some(at));
        self.back.unwrap_or(NEVER)
    }

    fn set_there(&mut self, at: Time) {
        self.is_there = true;
        self.known = Some(at);
        self.back = None;
    }

    /// As it is when all begins.
    fn begin(&mut self) {
        (self.is_there, self.is_timed, self.back, self.known) = (self.first_ms == 0, false, None, None);
    }

    /// Whether it may have been taken just now, as far as its clock is known.
    fn may_go(&self, at: Time) -> bool {
        self.is_there || !self.is_timed || self.back.is_some_and(|back| back - at <= CLOCK_SLACK_MS)
    }
}

/// What somebody dropped is announced as well when it is taken: a clock that is known and has longer than this to run is believed.
const CLOCK_SLACK_MS: i32 = 1000;

/// All items a bot believes in: the map's first, in its order, then dropped ones.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Items {
    all: Vec<BelievedItem>,
    of_map: usize,
    /// None of them should be back before then.
    next_back: Time,
    /// What the game has not put there yet comes so long after the first look at the clock.
    awaits_first: bool,
}

/// Nothing is expected.
const NEVER: Time = Time(i32::MAX);

impl Items {
    pub(super) fn of(field: &Field) -> Items {
        let believed = |entity: &fireteam_world::map::Entity| {
            let kind = field.arsenal.item_named(entity.class())?;
            let item = field.arsenal.item(kind);
            (is_taken(item.is) && !item.left_out).then(|| BelievedItem {
                entity: None,
                kind,
                origin: entity.origin(),
                waypoint: waypoint_at(entity.origin(), field),
                is_there: item.first_ms == 0,
                known: None,
                back: None,
                is_dropped: false,
                is_timed: false,
                respawn_ms: respawn_ms(entity, item.respawn_ms),
                first_ms: item.first_ms,
            })
        };
        let mut all: Vec<BelievedItem> = field.map.entities.iter().filter_map(believed).collect();
        let of_map = all.len();
        all.reserve(DROPPED_MAX);
        Items { all, of_map, next_back: NEVER, awaits_first: true }
    }

    pub(super) fn all(&self) -> &[BelievedItem] {
        &self.all
    }

    pub(super) fn see(&mut self, item: &Item, at: Time, field: &Field) {
        let known = self.all.iter().position(|belief| belief.entity == Some(item.entity) && belief.kind == item.kind);
        let known = known.or_else(|| self.all.iter().position(|belief| belief.is_of(item)));
        if let Some(index) = known {
            let belief = &mut self.all[index];
            belief.entity = Some(item.entity);
            if belief.origin != item.origin {
                (belief.origin, belief.waypoint) = (item.origin, waypoint_at(item.origin, field));
            }
            belief.set_there(at);
        } else if self.all.len() < self.of_map + DROPPED_MAX {
            self.all.push(BelievedItem {
                entity: Some(item.entity),
                kind: item.kind,
                origin: item.origin,
                waypoint: waypoint_at(item.origin, field),
                is_there: true,
                known: Some(at),
                back: None,
                is_dropped: true,
                is_timed: false,
                respawn_ms: 0,
                first_ms: 0,
            });
        }
    }

    pub(super) fn miss(&mut self, entity: Option<EntityId>, origin: Vec3, at: Time) {
        let is_meant = |belief: &BelievedItem| belief.entity == entity && belief.origin == origin;
        let Some(index) = self.all.iter().position(is_meant) else { return };
        if self.all[index].is_dropped {
            self.all.remove(index);
        } else {
            self.next_back = self.next_back.min(self.all[index].set_gone(at));
        }
    }

    /// Somebody took something about there: the nearest thing that was there to take.
    pub(super) fn hear_taken(&mut self, place: Vec3, spread: f32, at: Time) {
        if let Some(belief) = nearest(&mut self.all, place, spread, true) {
            self.next_back = self.next_back.min(belief.set_taken(at));
        }
    }

    /// One of this kind was taken, wherever it lay. Which of several nobody says: then only one that all others speak against.
    pub(super) fn read_taken(&mut self, kind: ItemKindId, at: Time) {
        let such = |belief: &BelievedItem| belief.kind == kind;
        // It was heard nearby, or it may be one that somebody dropped.
        let is_explained = |belief: &BelievedItem| {
            such(belief) && (belief.is_dropped || belief.is_timed && !belief.is_there && belief.known == Some(at))
        };
        if self.all.iter().any(is_explained) {
            return;
        }
        let mut may_go = self.all.iter_mut().filter(|belief| such(belief) && belief.may_go(at));
        if let (Some(belief), None) = (may_go.next(), may_go.next()) {
            self.next_back = self.next_back.min(belief.set_taken(at));
        }
    }

    pub(super) fn hear_back(&mut self, place: Vec3, spread: f32, at: Time) {
        if let Some(belief) = nearest(&mut self.all, place, spread, false) {
            belief.set_there(at);
        }
    }

    /// What should be back by now is believed to be.
    pub(super) fn expect(&mut self, now: Time) {
        if std::mem::take(&mut self.awaits_first) {
            let late = self.all.iter_mut().filter(|belief| belief.first_ms > 0 && !belief.is_there);
            late.filter(|belief| belief.back.is_none()).for_each(|belief| belief.back = Some(now + belief.first_ms));
            self.next_back = self.all.iter().filter_map(|belief| belief.back).min().unwrap_or(NEVER);
        }
        if now < self.next_back {
            return;
        }
        for belief in self.all.iter_mut().filter(|belief| belief.back.is_some_and(|back| back <= now)) {
            (belief.is_there, belief.back) = (true, None);
        }
        self.next_back = self.all.iter().filter_map(|belief| belief.back).min().unwrap_or(NEVER);
    }

    pub(super) fn begin_round(&mut self) {
        self.all.truncate(self.of_map);
        self.all.iter_mut().for_each(BelievedItem::begin);
        self.awaits_first = true;
    }
}

/// How long it stays away at the most, in seconds by the map: an item's `wait` stands before the game's own number, less than none
/// is for ever, and `random` may add as much again.
fn respawn_ms(entity: &fireteam_world::map::Entity, usual_ms: i32) -> i32 {
    let ms = |key: &str| entity.number(key).map_or(0, |seconds| (seconds.clamp(-1.0, RESPAWN_S_MAX) * 1000.0) as i32);
    match ms("wait") {
        wait if wait < 0 => 0,
        0 if usual_ms == 0 => 0,
        0 => usual_ms + ms("random").max(0),
        wait => wait + ms("random").max(0),
    }
}

/// More is as good as never.
const RESPAWN_S_MAX: f32 = 36_000.0;

fn waypoint_at(origin: Vec3, field: &Field) -> Option<WaypointId> {
    field.terrain.nearest(origin).map(|near| near.waypoint)
}

fn nearest(all: &mut [BelievedItem], place: Vec3, spread: f32, is_there: bool) -> Option<&mut BelievedItem> {
    let near = |belief: &&mut BelievedItem| belief.is_there == is_there && belief.origin.distance(place) <= spread;
    let distance = |belief: &BelievedItem| belief.origin.distance_squared(place);
    all.iter_mut().filter(near).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Whether such an entity is something to pick up.
fn is_taken(interest: Interest) -> bool {
    match interest {
        Interest::Weapon
        | Interest::Ammo
        | Interest::Health
        | Interest::Armour
        | Interest::Powerup
        | Interest::Holdable
        | Interest::Key
        | Interest::Flag => true,
        Interest::Spawn
        | Interest::Ladder
        | Interest::Zone
        | Interest::Door
        | Interest::Button
        | Interest::Lift
        | Interest::Breakable
        | Interest::Teleporter
        | Interest::JumpPad
        | Interest::Hazard => false,
    }
}
