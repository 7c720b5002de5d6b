//! Hands: weapons taken down and brought up, clips changed, triggers pulled, pins drawn.
//!
//! A hand grenade is armed by pressing attack and leaves the hand when attack is let go, but not before the arm is back
//! (`wind_up_ms`). Where the game lets one cook, its fuse burns from that moment on while attack is held; held too long,
//! it goes off in the hand. What has its pin drawn cannot be put away: who dies drops it.

use fireteam::snapshot::{Arm, SoundKind, WeaponId};
use fireteam_world::flight::{Throw, Thrower};
use fireteam_world::game::WeaponKind;
use fireteam_world::units::Time;
use fireteam_world::{Vec3, maths};

use crate::Match;
use crate::shots::steadied;
use crate::soldier::Soldier;

/// What hands are at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Hold {
    #[default]
    Ready,
    /// The old weapon is out of the way at `down_at`.
    Changing {
        to: WeaponId,
        down_at: Time,
    },
    Reloading {
        done_at: Time,
    },
    /// A grenade with its pin drawn.
    Armed {
        since: Time,
    },
}

impl Hold {
    pub(crate) fn is_reloading(&self) -> bool {
        matches!(self, Hold::Reloading { .. })
    }

    pub(crate) fn armed_ms(&self, now: Time) -> Option<i32> {
        match self {
            Hold::Armed { since } => Some(now - *since),
            Hold::Ready | Hold::Changing { .. } | Hold::Reloading { .. } => None,
        }
    }
}

/// Most rounds one can carry, as a multiple of what the weapon comes with.
const ROUNDS_MAX_FACTOR: i32 = 2;
/// Shots that fall into one frame: a chaingun's are two, and no description may make it more than this.
const SHOTS_PER_FRAME_MAX: usize = 16;
/// Share of a shot's recoil that goes to the side.
const SIDEWAYS: f32 = 1.0 / 3.0;
/// How fast an armed grenade leaves a dead hand.
const DROPPED_SPEED: f32 = 20.0;

impl Match {
    pub(crate) fn use_hands(&mut self) {
        for slot in self.order() {
            if self.soldiers[slot].is_alive() {
                self.steady(slot);
                self.go_on(slot);
                self.begin_change(slot);
                self.begin_reload(slot);
                if self.soldiers[slot].attacks() {
                    self.pull(slot);
                }
            }
        }
    }

    /// A hand takes recoil back.
    fn steady(&mut self, slot: usize) {
        let soldier = &mut self.soldiers[slot];
        let weapon = self.field.arsenal.weapon(soldier.weapon);
        let back = weapon.recoil_recovery * self.field.game.rules.frame_ms as f32 * 0.001;
        for kick in &mut soldier.kick {
            *kick = if kick.abs() <= back { 0.0 } else { *kick - back.copysign(*kick) };
        }
    }

    /// What was begun in an earlier frame.
    fn go_on(&mut self, slot: usize) {
        let now = self.now;
        match self.soldiers[slot].hold {
            Hold::Ready => {}
            Hold::Changing { to, down_at } => {
                if now >= down_at {
                    let soldier = &mut self.soldiers[slot];
                    (soldier.weapon, soldier.hold, soldier.kick) = (to, Hold::Ready, [0.0; 2]);
                }
            }
            Hold::Reloading { done_at } => {
                if now >= done_at {
                    let soldier = &mut self.soldiers[slot];
                    let clip = self.field.arsenal.weapon(soldier.weapon).clip;
                    fill_clip(soldier.arm(soldier.weapon), clip);
                    soldier.hold = Hold::Ready;
                }
            }
            Hold::Armed { since } => self.hold_grenade(slot, since),
        }
    }

    fn begin_change(&mut self, slot: usize) {
        let (now, arsenal) = (self.now, &self.field.arsenal);
        let soldier = &mut self.soldiers[slot];
        let wanted = soldier.command.weapon;
        let is_there = soldier.arms.get(usize::from(wanted.0)).is_some_and(|arm| arm.is_carried);
        if !is_there || usize::from(wanted.0) >= arsenal.weapons.len() {
            return;
        }
        match &mut soldier.hold {
            Hold::Armed { .. } => {}
            // Changed his mind while the old one was going down.
            Hold::Changing { to, .. } => *to = wanted,
            Hold::Ready if now < soldier.ready_at => {}
            Hold::Ready | Hold::Reloading { .. } => {
                if wanted != soldier.weapon {
                    let down_at = now + arsenal.weapon(soldier.weapon).drop_ms;
                    soldier.hold = Hold::Changing { to: wanted, down_at };
                    soldier.ready_at = down_at + arsenal.weapon(wanted).raise_ms;
                }
            }
        }
    }

    fn begin_reload(&mut self, slot: usize) {
        let soldier = &self.soldiers[slot];
        if soldier.command.reload && soldier.hold == Hold::Ready && self.now >= soldier.ready_at {
            self.reload(slot);
        }
    }

    fn reload(&mut self, slot: usize) {
        let now = self.now;
        let soldier = &mut self.soldiers[slot];
        let weapon = self.field.arsenal.weapon(soldier.weapon);
        let arm = *soldier.arm(soldier.weapon);
        if i32::from(arm.clip) < weapon.clip && arm.rounds > 0 {
            soldier.ready_at = now + weapon.reload_ms;
            soldier.hold = Hold::Reloading { done_at: soldier.ready_at };
        }
    }

    /// Attack is down: as many shots as fall into this frame, or a pin.
    fn pull(&mut self, slot: usize) {
        let end = self.now + self.field.game.rules.frame_ms;
        for _ in 0..SHOTS_PER_FRAME_MAX {
            let soldier = &self.soldiers[slot];
            if soldier.hold != Hold::Ready || soldier.ready_at >= end {
                return;
            }
            let id = soldier.weapon;
            let refire_ms = self.field.arsenal.weapon(id).refire_ms;
            let is_thrown = self.field.arsenal.fired_by(id).is_some_and(|(_, thrown)| thrown.wind_up_ms > 0);
            if !self.spend(slot, id) {
                return;
            }
            if is_thrown {
                self.soldiers[slot].hold = Hold::Armed { since: self.now };
                return;
            }
            let soldier = &mut self.soldiers[slot];
            soldier.ready_at = Time(soldier.ready_at.0.max(self.now.0)) + refire_ms;
            soldier.is_firing = true;
            let (source, origin) = (soldier.entity, soldier.body.eye());
            self.sound(SoundKind::Shot(id), origin, Some(source));
            self.fire(slot, id);
            self.recoil(slot, id);
        }
    }

    /// Takes a round; an empty clip is changed instead.
    fn spend(&mut self, slot: usize, id: WeaponId) -> bool {
        let clip = self.field.arsenal.weapon(id).clip;
        let arm = self.soldiers[slot].arm(id);
        if !arm.is_carried {
            return false;
        }
        let store = if clip > 0 { &mut arm.clip } else { &mut arm.rounds };
        if *store > 0 {
            if *store != Arm::ENDLESS {
                *store -= 1;
            }
            return true;
        }
        if clip > 0 {
            self.reload(slot);
        }
        false
    }

    fn fire(&mut self, slot: usize, id: WeaponId) {
        match self.field.arsenal.weapon(id).kind {
            WeaponKind::Hitscan => self.shoot(slot, id),
            WeaponKind::Melee => self.stab(slot, id),
            WeaponKind::Projectile => self.throw(slot, id, 0),
        }
    }

    fn recoil(&mut self, slot: usize, id: WeaponId) {
        let weapon = self.field.arsenal.weapon(id);
        let soldier = &mut self.soldiers[slot];
        let side = soldier.chance.range(-SIDEWAYS, SIDEWAYS);
        let (most, kick) =
            (weapon.recoil_max_degrees, weapon.recoil_degrees * steadied(soldier, &self.field.game.rules));
        let [up, aside] = &mut soldier.kick;
        *up = (*up + kick).min(most);
        *aside = (*aside + kick * side).clamp(-most, most);
    }

    fn hold_grenade(&mut self, slot: usize, since: Time) {
        let soldier = &self.soldiers[slot];
        let id = soldier.weapon;
        let Some((_, thrown)) = self.field.arsenal.fired_by(id) else { return };
        let (handling_ms, fuse_ms) = (thrown.handling_ms, thrown.fuse_ms);
        let cooked_ms = self.cooked_ms(id, since);
        let is_back = self.now - since >= thrown.wind_up_ms;
        let leaves = is_back && !soldier.attacks() || cooked_ms >= fuse_ms;
        if !leaves {
            return;
        }
        self.throw(slot, id, cooked_ms);
        let soldier = &mut self.soldiers[slot];
        soldier.is_firing = true;
        soldier.hold = Hold::Ready;
        soldier.ready_at = Time((since + handling_ms).0.max(self.now.0));
        soldier.arm(id).is_carried = soldier.arm(id).rounds > 0;
        soldier.score.throws += 1;
    }

    fn cooked_ms(&self, id: WeaponId, since: Time) -> i32 {
        match self.field.arsenal.fired_by(id) {
            Some((_, thrown)) if thrown.can_cook => (self.now - since - thrown.wind_up_ms).max(0),
            Some(_) | None => 0,
        }
    }

    /// Sends off what the weapon fires, as well as a hand can.
    fn throw(&mut self, slot: usize, id: WeaponId, cooked_ms: i32) {
        let Some((kind, thrown)) = self.field.arsenal.fired_by(id) else { return };
        let soldier = &mut self.soldiers[slot];
        let index = usize::from(soldier.command.throw_speed).min(thrown.speeds.len() - 1);
        let [pitch, yaw] = muzzle_angles(soldier);
        let chance = &mut soldier.chance;
        let mut about = |reach: f32| if reach == 0.0 { 0.0 } else { chance.range(-reach, reach) };
        let throw = Throw {
            yaw: yaw + about(thrown.deviation_degrees),
            pitch: pitch + about(thrown.deviation_degrees),
            speed: (thrown.speeds[index] + about(thrown.deviation_speed)).max(0.0),
            cooked_ms,
        };
        let end = self.now + self.field.game.rules.frame_ms;
        let launch = thrown.launch(&thrower(soldier), &throw, end);
        let owner = (soldier.entity, id);
        self.launch(kind, Some(owner), launch);
    }

    /// The pin is drawn and nobody holds the lever any more.
    pub(crate) fn drop_grenade(&mut self, slot: usize) {
        let Hold::Armed { since } = self.soldiers[slot].hold else { return };
        let soldier = &self.soldiers[slot];
        let (id, end) = (soldier.weapon, self.now + self.field.game.rules.frame_ms);
        if let Some((kind, thrown)) = self.field.arsenal.fired_by(id) {
            let down = Throw {
                yaw: soldier.body.view.y,
                pitch: 0.0,
                speed: DROPPED_SPEED,
                cooked_ms: self.cooked_ms(id, since),
            };
            let launch = thrown.launch(&thrower(soldier), &down, end);
            let owner = (soldier.entity, id);
            self.launch(kind, Some(owner), launch);
        }
        self.soldiers[slot].hold = Hold::Ready;
    }

    /// What a soldier has at the start of a life.
    pub(crate) fn equip(&mut self, slot: usize) {
        let arsenal = &self.field.arsenal;
        let soldier = &mut self.soldiers[slot];
        soldier.arms = Default::default();
        for (arm, weapon) in soldier.arms.iter_mut().zip(&arsenal.weapons).filter(|(_, weapon)| weapon.at_spawn) {
            arm.is_carried = true;
            arm.rounds = if weapon.ammo == 0 { Arm::ENDLESS } else { rounds(weapon.ammo) };
            fill_clip(arm, weapon.clip);
        }
        soldier.weapon = best_at_spawn(arsenal);
        soldier.command.weapon = soldier.weapon;
        (soldier.hold, soldier.ready_at, soldier.kick) = (Hold::Ready, self.now, [0.0; 2]);
    }

    /// More rounds, and the weapon itself if `with_weapon`. Whether there was room for any.
    pub(crate) fn supply(&mut self, slot: usize, id: WeaponId, amount: i32, with_weapon: bool) -> bool {
        let weapon = self.field.arsenal.weapon(id);
        let is_thrown = self.field.arsenal.fired_by(id).is_some_and(|(_, thrown)| thrown.wind_up_ms > 0);
        let most = rounds(weapon.ammo.max(amount) * ROUNDS_MAX_FACTOR);
        let arm = self.soldiers[slot].arm(id);
        let is_new = !arm.is_carried && (with_weapon || is_thrown);
        if !is_new && (arm.rounds >= most || arm.rounds == Arm::ENDLESS) {
            return false;
        }
        arm.rounds = arm.rounds.saturating_add(rounds(amount)).min(most);
        if is_new {
            arm.is_carried = true;
            fill_clip(arm, weapon.clip);
        }
        true
    }
}

/// Where the muzzle points: the view, and what recoil has made of it.
pub(crate) fn muzzle_angles(soldier: &Soldier) -> [f32; 2] {
    let [up, aside] = soldier.kick;
    [soldier.body.view.x - up, soldier.body.view.y + aside]
}

/// The muzzle's axes.
pub(crate) fn muzzle_axes(soldier: &Soldier) -> maths::Axes {
    let [pitch, yaw] = muzzle_angles(soldier);
    maths::game_axes(pitch, yaw, 0.0)
}

fn thrower(soldier: &Soldier) -> Thrower {
    Thrower {
        origin: soldier.body.origin,
        view_height: soldier.body.eye_height as f32,
        velocity: soldier.body.velocity,
        entity: Some(soldier.entity),
    }
}

/// The gun that hurts most in the same time, or whatever there is.
fn best_at_spawn(arsenal: &fireteam::Arsenal) -> WeaponId {
    let strength = |weapon: &fireteam_world::game::Weapon| {
        let is_gun = weapon.at_spawn && weapon.kind == WeaponKind::Hitscan;
        (weapon.at_spawn, is_gun, weapon.damage * weapon.pellets * 1000 / weapon.refire_ms)
    };
    let best = (0..arsenal.weapons.len()).max_by_key(|index| (strength(&arsenal.weapons[*index]), *index));
    WeaponId(best.and_then(|index| u8::try_from(index).ok()).unwrap_or(0))
}

fn fill_clip(arm: &mut Arm, clip: i32) {
    let wanted = rounds(clip) - arm.clip;
    let moved = wanted.clamp(0, arm.rounds.max(0));
    arm.clip += moved;
    if arm.rounds != Arm::ENDLESS {
        arm.rounds -= moved;
    }
}

fn rounds(count: i32) -> i16 {
    i16::try_from(count).unwrap_or(Arm::ENDLESS - 1)
}

/// A place a little off, as hands are.
pub(crate) fn jitter(soldier: &mut Soldier, reach: f32) -> Vec3 {
    if reach == 0.0 { Vec3::ZERO } else { soldier.chance.direction() * reach }
}
