//! Being hurt and dying. Whatever hurts in a frame is written down as a [`Blow`] and done to all at once, so that two who
//! shoot each other in the same frame both fall.

use fireteam::snapshot::{Hurt, Said, SoundKind, WeaponId};
use fireteam_world::blast::absorb;
use fireteam_world::units::EntityId;
use fireteam_world::{Contents, Sweep, Vec3};

use crate::Match;

/// Something that hurts somebody in this frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blow {
    /// Slot of whom it hurts.
    pub(crate) victim: usize,
    pub(crate) from: Option<EntityId>,
    pub(crate) weapon: Option<WeaponId>,
    pub(crate) points: i32,
    /// Direction and strength of the push.
    pub(crate) push: Option<(Vec3, i32)>,
    /// Where the victim feels it come from.
    pub(crate) towards: Option<Vec3>,
    /// Whether armour helps.
    pub(crate) takes_armour: bool,
    /// Neither a mate's shot nor the moment after a spawn is an excuse.
    pub(crate) spares_nobody: bool,
}

impl Blow {
    /// A fall, a door, the sea.
    pub(crate) fn by_nobody(victim: usize, points: i32) -> Blow {
        Blow {
            victim,
            from: None,
            weapon: None,
            points,
            push: None,
            towards: None,
            takes_armour: false,
            spares_nobody: false,
        }
    }
}

/// Points a second and level of immersion.
const LAVA_DAMAGE: f32 = 30.0;
const SLIME_DAMAGE: f32 = 10.0;
/// What smarts is felt in bites of so many points.
const BITE: f32 = 5.0;
/// How long a breath lasts; then a second's want of air costs two points more each time, up to a limit.
const BREATH_MS: i32 = 12_000;
const CHOKE: i32 = 2;
const CHOKE_MAX: i32 = 15;
/// Fire does not reach a body this far above or below.
const FIRE_HEIGHT: f32 = 72.0;

impl Match {
    pub(crate) fn burn_and_drown(&mut self) {
        let seconds = self.field.game.rules.frame_ms as f32 * 0.001;
        for slot in 0..self.soldiers.len() {
            if !self.soldiers[slot].is_alive() {
                continue;
            }
            self.drown(slot);
            let (burn, by) = self.fire_around(slot);
            let soldier = &mut self.soldiers[slot];
            soldier.smart += (burn + liquid_harm(&soldier.body.immersion)) * seconds;
            if soldier.smart >= BITE {
                let points = soldier.smart as i32;
                soldier.smart -= points as f32;
                let (from, weapon) = (by.map(|(entity, _)| entity), by.map(|(_, weapon)| weapon));
                self.blows.push(Blow { from, weapon, ..Blow::by_nobody(slot, points) });
            }
            self.fade(slot);
        }
    }

    fn drown(&mut self, slot: usize) {
        let frame_ms = self.field.game.rules.frame_ms;
        let soldier = &mut self.soldiers[slot];
        if soldier.body.immersion.level < 3 {
            soldier.under_ms = 0;
            return;
        }
        let before = soldier.under_ms;
        soldier.under_ms += frame_ms;
        let seconds_without = |ms: i32| (ms - BREATH_MS).max(0) / 1000;
        let seconds = seconds_without(soldier.under_ms);
        if seconds > seconds_without(before) {
            self.blows.push(Blow::by_nobody(slot, (seconds * CHOKE).min(CHOKE_MAX)));
        }
    }

    /// Points a second of the fires he stands in, and whose the first is.
    fn fire_around(&self, slot: usize) -> (f32, Option<(EntityId, WeaponId)>) {
        let origin = self.soldiers[slot].body.origin;
        let mut burn = (0.0, None);
        for cloud in &self.clouds {
            let Some(described) = &self.field.arsenal.throwable(cloud.kind).cloud else { continue };
            let Some(radius) = self.cloud_radius(cloud, self.now) else { continue };
            let way = origin - cloud.origin;
            let is_near = way.truncate().length() < radius && way.z.abs() < FIRE_HEIGHT;
            // Fire creeps along the ground but not through walls.
            let line = Sweep::ray(cloud.origin + Vec3::Z, origin, Contents::MASK_SOLID);
            if described.damage_per_second > 0.0 && is_near && self.field.solids.is_clear(&line) {
                burn = (burn.0 + described.damage_per_second, burn.1.or(cloud.owner));
            }
        }
        burn
    }

    /// What is above the most a body holds goes by a point a second.
    fn fade(&mut self, slot: usize) {
        let frames = (1000 / self.field.game.rules.frame_ms).max(1) as u64;
        let soldier = &mut self.soldiers[slot];
        if self.frames.is_multiple_of(frames) && soldier.health > self.field.game.rules.health.max {
            soldier.health -= 1;
        }
    }

    pub(crate) fn settle_blows(&mut self) {
        let mut blows = std::mem::take(&mut self.blows);
        for blow in blows.drain(..) {
            self.settle(&blow);
        }
        self.blows = blows;
    }

    fn settle(&mut self, blow: &Blow) {
        let rules = &self.field.game.rules;
        let attacker = blow.from.and_then(|entity| self.slot_of(entity));
        let is_friend =
            attacker.is_some_and(|a| a != blow.victim && self.soldiers[a].team == self.soldiers[blow.victim].team);
        let share = if is_friend && !blow.spares_nobody { rules.teams.friendly_fire } else { 1.0 };
        let points = (blow.points as f32 * share) as i32;
        let victim = &mut self.soldiers[blow.victim];
        let is_protected = self.now < victim.protected_until && !blow.spares_nobody;
        if !victim.is_alive() || points <= 0 || is_protected {
            return;
        }
        if let Some((direction, strength)) = blow.push {
            victim.body.knock(direction, strength, &rules.movement);
        }
        let armour = if blow.takes_armour { victim.armour } else { 0 };
        let loss = absorb(points, armour, &self.field.game);
        victim.armour -= loss.armour;
        victim.health -= loss.health;
        let before = victim.hurt.map_or(0, |hurt| hurt.points);
        let towards = blow.towards.or(victim.hurt.and_then(|hurt| hurt.towards));
        victim.hurt = Some(Hurt { points: before + points, towards });
        let (health, entity, origin) = (victim.health, victim.entity, victim.body.origin);
        if let Some(attacker) = attacker.filter(|attacker| *attacker != blow.victim && !is_friend) {
            let is_civilian = self.soldiers[blow.victim].is_civilian();
            let attacker = &mut self.soldiers[attacker];
            attacker.has_hit = true;
            if !is_civilian {
                attacker.score.hits += 1;
                attacker.score.damage += points as u32;
            }
        }
        if health <= 0 {
            self.die(blow, attacker, is_friend);
        } else if before == 0 {
            self.sound(SoundKind::Pain, origin, Some(entity));
        }
    }

    fn die(&mut self, blow: &Blow, attacker: Option<usize>, is_friend: bool) {
        self.drop_grenade(blow.victim);
        self.drop_weapon(blow.victim);
        let end = self.now + self.field.game.rules.frame_ms;
        let dead_eye = self.field.game.rules.movement.body.dead_eye;
        let victim = &mut self.soldiers[blow.victim];
        victim.health = victim.health.min(0);
        victim.body.is_dead = true;
        victim.body.eye_height = dead_eye;
        victim.died_at = end;
        victim.score.deaths += 1;
        let (entity, origin) = (victim.entity, victim.body.origin);
        let is_civilian = victim.is_civilian();
        match attacker {
            Some(attacker) if attacker != blow.victim => {
                let score = &mut self.soldiers[attacker].score;
                if is_civilian {
                    score.civilians += 1;
                } else if is_friend {
                    score.team_kills += 1;
                } else {
                    score.kills += 1;
                }
            }
            Some(_) | None => self.soldiers[blow.victim].score.suicides += 1,
        }
        self.sound(SoundKind::Death, origin, Some(entity));
        self.say(Said::Obituary { victim: entity, killer: blow.from, weapon: blow.weapon });
    }
}

fn liquid_harm(immersion: &fireteam_world::movement::Immersion) -> f32 {
    let a_level = if immersion.contents.meets(Contents::LAVA) {
        LAVA_DAMAGE
    } else if immersion.contents.meets(Contents::SLIME) {
        SLIME_DAMAGE
    } else {
        0.0
    };
    a_level * f32::from(immersion.level)
}
