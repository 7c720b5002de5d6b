//! Covering fire: rounds on the place where an enemy who went out of sight may show himself, so that he does not.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 11: waypoints within 350 units of where he is believed to be, in view
//! from here and more than 250 units away. Of those the one that he reaches soonest is fired at, with something that flies
//! or that there is plenty of. Eyes and hands only: legs do what they did.
//!
//! Cost: a few links around him, twice a second at most.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::contents::Contents;
use fireteam_world::game::WeaponKind;
use fireteam_world::trace::Sweep;
use fireteam_world::units::{EntityId, Time};

use super::shoot::hurts_me;
use super::{Behaviour, LOOK_THINGS, Limbs, View, heaviest};
use crate::aim::{self, Care, Look};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery;
use crate::snapshot::{Power, WeaponId};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Covering {
    spot: Option<Spot>,
    sought: Time,
}

/// Where the rounds go.
#[derive(Clone, Copy, Debug)]
struct Spot {
    waypoint: WaypointId,
    at: Vec3,
    whom: EntityId,
}

/// As JoeBOT XP has them: this near to him, and this far from oneself at least.
const NEAR_HIM: f32 = 350.0;
const FAR_FROM_ME: f32 = 250.0;
/// Waypoints around him that are looked at.
const AROUND: usize = 24;
const AGAIN_MS: i32 = 500;
/// Share of a weapon's usual load below which it is kept for what is seen.
const SPARE: f32 = 0.5;
/// Degrees off that are near enough for a place.
const CLOSE: f32 = 3.0;

impl Covering {
    fn seek(&mut self, view: &View) -> Option<Spot> {
        let lost = view.threats_within(view.convars.covering_ms).filter(|threat| !threat.in_sight);
        let lost = lost.filter(|threat| !Power::Protected.is_in(threat.powers));
        let threat = heaviest(lost)?;
        let (waypoint, at) = way_out(view, threat.place, FAR_FROM_ME)?;
        Some(Spot { waypoint, at, whom: threat.entity })
    }
}

/// The waypoint near somebody, in view from here and farther away than that, that he reaches soonest, and where it is: links are
/// followed from where he is.
pub(super) fn way_out(view: &View, from: Vec3, far_from_me: f32) -> Option<(WaypointId, Vec3)> {
    let terrain = &view.field.terrain;
    let mut queue = [terrain.nearest(from)?.waypoint; AROUND];
    let (mut known, mut next) = (1, 0);
    while next < known {
        let id = queue[next];
        next += 1;
        let place = terrain.waypoints.origin[id.index()];
        let is_far_enough = place.distance(view.origin()) > far_from_me;
        if is_far_enough && terrain.sight.sees(view.here, id) && is_in_view(view, place) {
            return Some((id, place));
        }
        for link in terrain.links.from(id) {
            let is_near = terrain.waypoints.origin[link.to.index()].distance(from) < NEAR_HIM;
            if known < AROUND && is_near && !queue[..known].contains(&link.to) {
                queue[known] = link.to;
                known += 1;
            }
        }
    }
    None
}

fn is_in_view(view: &View, place: Vec3) -> bool {
    view.field.solids.is_clear(&Sweep::ray(view.eye(), place, Contents::MASK_SHOT))
}

/// What it is done with: the weapon that is worth most there, if there is enough of it.
fn weapon_for(view: &View, range: f32) -> Option<WeaponId> {
    let (id, worth) = gunnery::best(&view.field.arsenal, view.own, range, view.marksman());
    let weapon = view.field.arsenal.weapon(id);
    let arm = view.own.arms[usize::from(id.0)];
    let load = i32::from(arm.rounds) + i32::from(arm.clip);
    let is_plenty = weapon.ammo > 0 && load as f32 > weapon.ammo as f32 * SPARE;
    // What hits at once hits nobody who is not there.
    (worth > 0.0 && is_plenty && weapon.kind == WeaponKind::Projectile).then_some(id)
}

impl Behaviour for Covering {
    fn name(&self) -> &'static str {
        "laying covering fire"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        if view.convars.covering_ms == 0 || view.mood.enemies_in_sight > 0 {
            self.spot = None;
            return None;
        }
        if view.now - self.sought >= AGAIN_MS {
            self.sought = view.now;
            self.spot = self.seek(view);
        }
        let spot = self.spot?;
        weapon_for(view, spot.at.distance(view.origin()))?;
        let reason = words!("player {} may come out at w{}", spot.whom.0, spot.waypoint.0);
        Some(Bid { channels: Channels::EYES.and(Channels::HANDS), band: Band::Fight, score: 0.4, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(spot) = self.spot else { return Outcome::Done(words!("nowhere to fire at")) };
        if let Some(weapon) = weapon_for(view, spot.at.distance(view.origin())) {
            limbs.hands.select(weapon);
        }
        let what = LOOK_THINGS * 3 + u32::from(spot.waypoint.0);
        limbs.aim.look(Look { at: spot.at, velocity: Vec3::ZERO, what, care: Care::Aim });
        Outcome::Continue
    }

    fn fire(&mut self, view: &View, limbs: &mut Limbs) {
        let Some(spot) = self.spot.filter(|_| limbs.hands.wanted() == view.own.weapon) else { return };
        let (pitch, yaw) = limbs.aim.view();
        let (want_pitch, want_yaw) = aim::angles_to(spot.at - view.eye());
        if aim::off(pitch, want_pitch).max(aim::off(yaw, want_yaw)) > CLOSE {
            return;
        }
        let forward = fireteam_world::maths::game_axes(pitch, yaw, 0.0).forward;
        let is_spared_there = super::shoot::is_spared_on_line(view, view.eye(), forward, spot.at.distance(view.eye()));
        if !is_spared_there && !hurts_me(view, view.eye(), forward, view.own.weapon) {
            limbs.hands.attack_for(view.now, view.frame_ms);
        }
    }

    fn end(&mut self, _: &View, limbs: &mut Limbs) {
        limbs.hands.stop_attack();
    }

    fn forget(&mut self) {
        *self = Covering::default();
    }
}
