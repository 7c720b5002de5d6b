//! People of no side: they go about, run from shots and explosions, and count against whoever kills them.
//!
//! In: where they stand, and what was loud in the frame before. Out: what they press. They follow links that are plain walking,
//! one at a time, by chance; frightened, they take those that lead away. Nothing of a bot's mind is in them.

use fireteam::Command;
use fireteam::snapshot::{SoundKind, Team, WeaponId};
use fireteam_terrain::WaypointId;
use fireteam_world::movement::{Buttons, angle_word};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::Travel;
use fireteam_world::{Vec3, maths};

use crate::Match;
use crate::ground::UNFIT;
use crate::spawns::{self, Place};

/// What one of them is at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Civilian {
    to: Option<WaypointId>,
    /// When he set out for it.
    since: Time,
    /// What he runs from, and until when.
    scare: Option<(Vec3, Time)>,
}

/// This near to a waypoint is there; who is not there by then goes elsewhere.
const THERE: f32 = 24.0;
const LATE_MS: i32 = 4000;
/// Louder things than feet are run from if they are this near, for so long.
const FRIGHT: f32 = 1200.0;
const FRIGHT_MS: i32 = 6000;
/// How hard they press: walking, and running.
const STROLL: i8 = 50;
const RUN: i8 = 127;
/// At the start of a round nobody of a side is nearer than this, if such a place is found by so many draws.
const APART: f32 = 350.0;
const DRAWS: usize = 24;
impl Match {
    /// Those of no side.
    pub fn civilians(&self) -> impl Iterator<Item = (EntityId, &str)> {
        let all = self.soldiers.iter().filter(|soldier| soldier.is_civilian());
        all.map(|soldier| (soldier.entity, soldier.name.as_str()))
    }

    pub(crate) fn add_civilian(&mut self, number: usize) {
        let entity = self.join(&format!("civilian {number}"), Some(Team::NEUTRAL));
        if let Some(slot) = self.slot_of(entity) {
            self.soldiers[slot].civilian = Some(Civilian::default());
        }
    }

    /// What was loud in the frame before is run from.
    pub(crate) fn frighten(&mut self) {
        let now = self.now;
        for sound in &self.snapshot.sounds {
            let is_loud = matches!(sound.kind, SoundKind::Shot(_) | SoundKind::Explosion);
            for soldier in self.soldiers.iter_mut().filter(|_| is_loud) {
                let is_near = soldier.body.origin.distance(sound.origin) < FRIGHT;
                if let Some(civilian) = soldier.civilian.as_mut().filter(|_| is_near) {
                    let was_calm = civilian.scare.is_none_or(|(_, until)| now >= until);
                    civilian.scare = Some((sound.origin, now + FRIGHT_MS));
                    civilian.to = civilian.to.filter(|_| !was_calm);
                }
            }
        }
    }

    /// What a civilian presses in this frame; none for whoever is none.
    pub(crate) fn lead(&mut self, slot: usize) -> Option<Command> {
        let mut civilian = self.soldiers[slot].civilian?;
        let (origin, entity) = (self.soldiers[slot].body.origin, self.soldiers[slot].entity);
        let scare = civilian.scare.filter(|(_, until)| self.now < *until).map(|(place, _)| place);
        let place_of = |id: WaypointId| self.field.terrain.waypoints.origin[id.index()];
        let is_there = civilian.to.is_none_or(|to| (place_of(to) - origin).truncate().length() < THERE);
        if is_there || self.now - civilian.since > LATE_MS {
            (civilian.to, civilian.since) = (self.next_of(slot, scare), self.now);
        }
        self.soldiers[slot].civilian = Some(civilian);
        let soldier = &self.soldiers[slot];
        let mut press = soldier.command.press;
        (press.forward, press.right, press.up, press.buttons) = (0, 0, 0, Buttons::default());
        if let Some(to) = civilian.to {
            let way = self.field.terrain.waypoints.origin[to.index()] - origin;
            let words = [0, angle_word(maths::atan2(way.y, way.x).to_degrees()), 0];
            press.angles = [0, 1, 2].map(|axis| words[axis].wrapping_sub(soldier.body.view_offset[axis]));
            press.forward = if scare.is_some() { RUN } else { STROLL };
        }
        Some(Command { bot: entity, press, weapon: WeaponId(0), reload: false, throw_speed: 0, voice: None })
    }

    /// Over a link that is plain walking: any, or one that leads away.
    fn next_of(&mut self, slot: usize, scare: Option<Vec3>) -> Option<WaypointId> {
        let field = self.field.clone();
        let terrain = &field.terrain;
        let soldier = &mut self.soldiers[slot];
        let here = terrain.nearest(soldier.body.origin)?.waypoint;
        let is_plain = |to: WaypointId| !terrain.waypoints.flags[to.index()].meets(UNFIT);
        let mut best: Option<(f32, WaypointId)> = None;
        for (_, link) in terrain.links.ids_from(here) {
            if link.kind != Travel::Walk || !link.flags.is_empty() || !is_plain(link.to) {
                continue;
            }
            let place = terrain.waypoints.origin[link.to.index()];
            let away = scare.map_or(0.0, |scare| place.distance(scare));
            let worth = away + soldier.chance.range(0.0, 64.0);
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, link.to));
            }
        }
        best.map(|(_, to)| to)
    }

    /// Somewhere on the map, rather away from those who fight.
    pub(crate) fn place_for_civilian(&mut self) -> Option<Place> {
        let terrain = &self.field.terrain;
        let mut last = None;
        for _ in 0..DRAWS {
            let id = WaypointId::from(self.chance.below(terrain.waypoints.len()));
            let origin = terrain.waypoints.origin[id.index()];
            let mut living = self.soldiers.iter().filter(|soldier| soldier.is_alive());
            if terrain.waypoints.flags[id.index()].meets(UNFIT)
                || living.any(|soldier| spawns::is_on(origin, soldier.body.origin))
            {
                continue;
            }
            last = Some(Place { origin, yaw: 0.0 });
            let mut fighters = self.soldiers.iter().filter(|soldier| soldier.is_alive() && !soldier.is_civilian());
            if fighters.all(|soldier| soldier.body.origin.distance(origin) > APART) {
                return last;
            }
        }
        last
    }
}
