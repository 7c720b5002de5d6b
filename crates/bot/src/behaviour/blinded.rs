//! Blinded by a flash: out of the way of whoever was about, with rounds on where he was last seen; low and still if nobody was.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::game::WeaponKind;
use fireteam_world::maths;
use fireteam_world::units::{EntityId, Time};

use super::shoot::is_spared_on_line;
use super::{Behaviour, LOOK_THINGS, Limbs, View, refuge};
use crate::aim::{self, Care, Look};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::legs::{Destination, Manner, Travelling};
use crate::snapshot::Power;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Blinded {
    spell: Option<Spell>,
}

/// One time of seeing nothing.
#[derive(Clone, Copy, Debug)]
struct Spell {
    since: Time,
    foe: Option<Foe>,
    refuge: Option<WaypointId>,
}

/// Who was about, and where.
#[derive(Clone, Copy, Debug)]
struct Foe {
    entity: EntityId,
    place: Vec3,
}

/// Somebody seen this long before is still about.
const SEEN_MS: i32 = 3000;
/// Rounds are spent on a memory for so long.
const FIRE_MS: i32 = 1500;
/// The view must lie this close to it, in degrees.
const CLOSE: f32 = 4.0;
/// Nobody runs farther with his eyes shut.
const FAR_MS: u32 = 3000;

impl Behaviour for Blinded {
    fn name(&self) -> &'static str {
        "blinded"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        if !Power::Blinded.is_in(view.own.powers) {
            self.spell = None;
            return None;
        }
        let spell = self.spell.get_or_insert_with(|| Spell::begin(view));
        let reason = match (spell.foe, spell.refuge) {
            (Some(foe), Some(_)) => words!("player {} was in sight; into cover, firing at where he was", foe.entity.0),
            (Some(foe), None) => words!("player {} was in sight; fires at where he was", foe.entity.0),
            (None, _) => words!("a flash, and nobody was in sight"),
        };
        let channels = Channels::LEGS.and(Channels::EYES).and(Channels::HANDS);
        Some(Bid { channels, band: Band::Survive, score: 0.8, reason })
    }

    fn update(&mut self, _: &View, limbs: &mut Limbs) -> Outcome {
        let Some(spell) = &mut self.spell else { return Outcome::Done(words!("sees again")) };
        let Some(refuge) = spell.refuge else {
            limbs.legs.stay(true, "sees nothing");
            return Outcome::Continue;
        };
        limbs.legs.go(Destination::Waypoint(refuge), Manner::RUN);
        match limbs.legs.state() {
            Travelling::Arrived | Travelling::Failed(_) => spell.refuge = None,
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => {}
        }
        Outcome::Continue
    }

    fn aim(&mut self, _: &View, limbs: &mut Limbs) {
        if let Some(foe) = self.spell.and_then(|spell| spell.foe) {
            limbs.aim.look(Look { at: foe.place, velocity: Vec3::ZERO, what: LOOK_THINGS, care: Care::Glance });
        }
    }

    fn fire(&mut self, view: &View, limbs: &mut Limbs) {
        let Some(Spell { since, foe: Some(foe), .. }) = self.spell else { return };
        let weapon = view.own.weapon;
        let is_gun = view.field.arsenal.weapon(weapon).kind == WeaponKind::Hitscan && view.may_use(weapon);
        if !is_gun || view.now - since > FIRE_MS {
            return;
        }
        let (pitch, yaw) = limbs.aim.view();
        let way = foe.place - view.eye();
        let wanted = aim::angles_to(way);
        let is_close = aim::off(pitch, wanted.0) < CLOSE && aim::off(yaw, wanted.1) < CLOSE;
        let forward = maths::game_axes(pitch, yaw, 0.0).forward;
        if is_close && !is_spared_on_line(view, view.eye(), forward, way.length()) {
            limbs.hands.attack_for(view.now, view.frame_ms);
        }
    }

    fn end(&mut self, _: &View, limbs: &mut Limbs) {
        limbs.hands.stop_attack();
    }

    fn forget(&mut self) {
        self.spell = None;
    }
}

impl Spell {
    fn begin(view: &View) -> Spell {
        let threat = view.threat_within(SEEN_MS);
        let foe = threat.map(|threat| Foe { entity: threat.entity, place: threat.place });
        Spell { since: view.now, foe, refuge: foe.and_then(|foe| hidden_from(view, foe.place)) }
    }
}

/// The nearest spot that is not seen from a place, known from before.
fn hidden_from(view: &View, place: Vec3) -> Option<WaypointId> {
    let from = view.field.terrain.nearest(place)?.waypoint;
    refuge::nearest_hidden(view, &[from], |id| view.travel_ms(id).is_some_and(|ms| ms < FAR_MS))
}
