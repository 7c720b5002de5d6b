//! Shooting at an enemy who is believed to be in sight: eyes and hands. Legs are `manoeuvre`'s or `retreat`'s.
//!
//! The target is a belief, as old as the bot's reaction and guessed forward by its skill; the shot goes to where the hand
//! points, not to where it should. A round is fired only if the view lies close enough, nothing solid is on the line that
//! rounds do not break, and no team mate is on it or in the blast.

use fireteam_terrain::MoverKind;
use fireteam_world::Vec3;
use fireteam_world::contents::Contents;
use fireteam_world::game::WeaponKind;
use fireteam_world::maths;
use fireteam_world::trace::Sweep;
use fireteam_world::units::{EntityId, ModelId, Time};

use super::{Behaviour, Limbs, View, look_of};
use crate::aim::{self, Care, Look};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery;
use crate::memory::{Bystander, Threat};
use crate::snapshot::{Power, WeaponId};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Shoot {
    target: Option<EntityId>,
    /// Bursts: when the present one ends, and when the next may begin.
    burst_until: Time,
    rest_until: Time,
}

/// Somebody who has just gone round a corner is still aimed at, for so long.
const LOST_MS: i32 = 700;
/// Share of a life by which another target must matter more to be worth turning to.
const STAY: f32 = 120.0;

impl Shoot {
    fn choose<'a>(&mut self, view: &View<'a>) -> Option<&'a Threat> {
        let memory = view.memory;
        let target = self.target.and_then(|target| memory.threat(target));
        let is_just_lost = |threat: &&Threat| !threat.is_dead && !threat.in_sight && threat.age_ms(view.now) < LOST_MS;
        let candidates = memory.in_sight().chain(target.filter(is_just_lost));
        let candidates = candidates.filter(|threat| !Power::Protected.is_in(threat.powers));
        // Who is shot at by two lives half as long.
        let is_in_sight = |enemy: EntityId| memory.threat(enemy).is_some_and(|threat| threat.in_sight);
        let called = view.team.target_of_mates(view.own, is_in_sight, view.now, view.field, view.convars);
        let worth = |threat: &Threat| {
            let stay = if Some(threat.entity) == self.target { STAY } else { 0.0 };
            let focus = if Some(threat.entity) == called { view.convars.fight_focus } else { 0.0 };
            view.menace(threat) + stay + focus
        };
        let chosen = candidates.max_by(|a, b| worth(a).total_cmp(&worth(b)));
        self.target = chosen.map(|threat| threat.entity);
        chosen
    }

    fn target<'a>(&self, view: &View<'a>) -> Option<&'a Threat> {
        view.memory.threat(self.target?).filter(|threat| !threat.is_dead)
    }
}

impl Behaviour for Shoot {
    fn name(&self) -> &'static str {
        "shooting"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let threat = self.choose(view)?;
        let distance = threat.place.distance(view.origin());
        let reason = if threat.in_sight {
            words!("player {} is in sight, {} units away", threat.entity.0, distance.round() as i32)
        } else {
            words!("player {} was there a moment ago", threat.entity.0)
        };
        Some(Bid { channels: Channels::EYES.and(Channels::HANDS), band: Band::Fight, score: 0.8, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(threat) = self.target(view) else { return Outcome::Done(words!("nobody left to shoot at")) };
        let range = threat.place.distance(view.origin());
        limbs.hands.select(gunnery::best_now(&view.field.arsenal, view.own, range, view.marksman()));
        if gunnery::clip(&view.field.arsenal, view.own).is_some_and(|(left, _)| left == 0) {
            limbs.hands.reload(view.now);
        }
        Outcome::Continue
    }

    fn aim(&mut self, view: &View, limbs: &mut Limbs) {
        let Some(threat) = self.target(view) else { return };
        let at = spot(view, threat, view.own.weapon);
        limbs.aim.look(Look { at, velocity: threat.velocity, what: look_of(threat.entity), care: Care::Aim });
    }

    fn fire(&mut self, view: &View, limbs: &mut Limbs) {
        let Some(threat) = self.target(view).filter(|threat| threat.in_sight) else { return };
        let is_ready = limbs.hands.wanted() == view.own.weapon && view.may_use(view.own.weapon);
        if !is_ready || view.now < self.rest_until {
            return;
        }
        let Some(look) = limbs.aim.wanted() else { return };
        // By when the shot leaves.
        let [lag_s, frame_s] = [view.shot_lag_ms, view.frame_ms].map(|ms| ms as f32 * 0.001);
        let ahead = threat.velocity * lag_s - view.own.body.velocity * frame_s;
        if !is_worth_a_round(view, limbs, look.at + ahead, threat) {
            return;
        }
        limbs.hands.attack_for(view.now, view.frame_ms);
        self.pace(view, limbs, threat);
    }

    fn end(&mut self, _: &View, limbs: &mut Limbs) {
        limbs.hands.stop_attack();
    }

    fn forget(&mut self) {
        *self = Shoot::default();
    }
}

impl Shoot {
    /// Where recoil throws the barrel up, bursts are short when the target is far.
    fn pace(&mut self, view: &View, limbs: &mut Limbs, threat: &Threat) {
        let weapon = view.field.arsenal.weapon(view.own.weapon);
        if weapon.recoil_degrees <= 0.0 {
            return;
        }
        if view.now >= self.burst_until + view.frame_ms {
            let share = (BURST_RANGE / threat.place.distance(view.origin()).max(1.0)).clamp(0.1, 1.0);
            let length = (view.convars.burst_ms as f32 * share * limbs.chance.range(BURST.0, BURST.1)) as i32;
            self.burst_until = view.now + length;
        } else if view.now >= self.burst_until {
            self.rest_until = view.now + (view.convars.burst_rest_ms as f32 * limbs.chance.range(0.7, 1.3)) as i32;
        }
    }
}

/// No two bursts are of the same length: shares of what the distance allows.
const BURST: (f32, f32) = (0.6, 1.4);
/// Nearer than this, whole bursts are fired.
const BURST_RANGE: f32 = 300.0;

/// Where to aim: at what can be seen of him, where it will be when the shot arrives; at the floor there, if a blast on it
/// reaches him and the floor is in view.
fn spot(view: &View, threat: &Threat, weapon: WeaponId) -> Vec3 {
    let (arsenal, rules, eye) = (&view.field.arsenal, &view.field.game.rules.movement, view.eye());
    let body = threat.aim_spot(eye, view.now, rules);
    let seconds = gunnery::flight_s(arsenal, weapon, body - eye, threat.velocity);
    if seconds == 0.0 {
        return body;
    }
    let there = threat.place_after(seconds, view.field);
    let blast = arsenal.fired_by(weapon).and_then(|(_, missile)| missile.blast.as_ref());
    if blast.is_some_and(|blast| blast.radius > FLOOR_BLAST)
        && let Some(floor) = floor_below(view, there, rules.body.feet)
    {
        return floor;
    }
    let body = there + (body - threat.place);
    body + Vec3::Z * gunnery::rise(arsenal, weapon, body.distance(eye), seconds)
}

/// The floor that somebody is on, or about to be; none if it is far below him or out of view.
fn floor_below(view: &View, place: Vec3, feet: f32) -> Option<Vec3> {
    let lowest = place + Vec3::Z * (feet - FLOOR_DEPTH);
    let floor = view.field.solids.sweep(&Sweep::ray(place, lowest, Contents::MASK_SHOT));
    let spot = floor.end + Vec3::Z;
    let is_in_view = || view.field.solids.is_clear(&Sweep::ray(view.eye(), spot, Contents::MASK_SHOT));
    (floor.is_hit() && is_in_view()).then_some(spot)
}

/// Feet higher above the floor than this are not hurt by what goes off there.
const FLOOR_DEPTH: f32 = 40.0;
/// Blasts smaller than this have to hit.
const FLOOR_BLAST: f32 = 60.0;

/// The view lies close, nothing is in between, and no friend would be hurt.
fn is_worth_a_round(view: &View, limbs: &Limbs, at: Vec3, threat: &Threat) -> bool {
    let eye = view.eye();
    let range = at.distance(eye);
    let weapon = view.own.weapon;
    let (pitch, yaw) = limbs.aim.view();
    let (want_pitch, want_yaw) = aim::angles_to(at - eye);
    let off = aim::off(pitch, want_pitch).max(aim::off(yaw, want_yaw));
    if off > gunnery::tolerance(&view.field.arsenal, weapon, range) {
        return false;
    }
    let kind = view.field.arsenal.weapon(weapon);
    if kind.kind != WeaponKind::Projectile && range > kind.range + REACH {
        return false;
    }
    let forward = maths::game_axes(pitch, yaw, 0.0).forward;
    is_line_free(view, eye, forward, range, threat.entity)
        && !hurts_me(view, eye, forward, weapon)
        && !hurts_bystander(view, at, weapon)
}

/// Somebody who has nothing to do with it is in the blast.
fn hurts_bystander(view: &View, at: Vec3, weapon: WeaponId) -> bool {
    let blast = view.field.arsenal.fired_by(weapon).and_then(|(_, missile)| missile.blast.as_ref());
    let is_in = |place: Vec3| blast.is_some_and(|blast| place.distance(at) < blast.radius);
    view.memory.bystanders().iter().any(|bystander| is_in(bystander.place_at(view.now)))
}

/// Slack of a weapon's range: bodies have a width.
const REACH: f32 = 16.0;
/// Being this near to the line is being on it.
const MATE_WIDTH: f32 = 28.0;

/// Somebody to be spared, a mate or a bystander, is about where rounds go that are meant for what is that far off.
pub(super) fn is_spared_on_line(view: &View, eye: Vec3, forward: Vec3, range: f32) -> bool {
    let is_on_line = |place: Vec3, width: f32, beyond: f32| {
        let way = place - eye;
        let along = way.dot(forward);
        along > 0.0 && along < range + beyond && (way - forward * along).length() < width
    };
    let is_in_danger = |bystander: &Bystander| {
        let place = bystander.place_at(view.now);
        let width = BYSTANDER_WIDTH + place.distance(eye) * STRAY;
        is_on_line(place, width, BYSTANDER_BEYOND)
    };
    view.mates.living().any(|mate| is_on_line(mate.origin, MATE_WIDTH, MATE_WIDTH))
        || view.memory.bystanders().iter().any(is_in_danger)
}

/// Those who have nothing to do with it are given a wider berth, the wider the farther they are, and behind the target too.
const BYSTANDER_WIDTH: f32 = 36.0;
const STRAY: f32 = 0.02;
const BYSTANDER_BEYOND: f32 = 400.0;

/// Neither a wall before the target nor somebody to be spared on the way.
fn is_line_free(view: &View, eye: Vec3, forward: Vec3, range: f32, target: EntityId) -> bool {
    if is_spared_on_line(view, eye, forward, range) {
        return false;
    }
    let end = eye + forward * (range - WALL_SLACK).max(1.0);
    let trace = view.scene.sweep(&Sweep::ray(eye, end, Contents::MASK_SHOT), Some(view.own.entity));
    !trace.is_hit() || trace.entity == Some(target) || trace.entity.is_some_and(|entity| breaks(view, entity))
}

/// Whether it is something that rounds break: who stands behind a pane is shot through it.
fn breaks(view: &View, entity: EntityId) -> bool {
    let placed = view.memory.movers().iter().find(|placed| placed.entity == entity);
    let kind_of = |model: ModelId| view.field.terrain.movers.spots.iter().find(|spot| spot.model == model);
    placed.and_then(|placed| kind_of(placed.model)).is_some_and(|spot| spot.kind == MoverKind::Breakable)
}

/// A wall this close to the target is its cover, not in the way.
const WALL_SLACK: f32 = 24.0;

/// A blast that would go off too near to the bot itself.
pub(super) fn hurts_me(view: &View, eye: Vec3, forward: Vec3, weapon: WeaponId) -> bool {
    let blast = view.field.arsenal.fired_by(weapon).and_then(|(_, missile)| missile.blast.as_ref());
    let Some(blast) = blast else { return false };
    let reach = (blast.radius * OWN_BLAST).max(gunnery::arming_range(&view.field.arsenal, weapon));
    let end = eye + forward * reach;
    view.scene.sweep(&Sweep::ray(eye, end, Contents::MASK_SHOT), Some(view.own.entity)).is_hit()
}

/// Share of a blast's radius within which one does not set it off.
const OWN_BLAST: f32 = 0.75;
