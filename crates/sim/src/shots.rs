//! What reaches its victim at once: bullets and blades. Whoever is hit feels it when the frame is settled.

use fireteam::snapshot::WeaponId;
use fireteam_world::game::{Description, Weapon};
use fireteam_world::movement::Stance;
use fireteam_world::mover::Act;
use fireteam_world::units::EntityId;
use fireteam_world::{Contents, Hull, Struck, SurfaceFlags, Sweep, Vec3, maths};

use crate::Match;
use crate::arms::muzzle_axes;
use crate::harm::Blow;
use crate::soldier::Soldier;

/// A blade is wider than a bullet.
const BLADE: Hull = Hull::new(Vec3::splat(-6.0), Vec3::splat(6.0));

impl Match {
    pub(crate) fn shoot(&mut self, slot: usize, id: WeaponId) {
        let weapon = self.field.arsenal.weapon(id);
        let (pellets, pierces, range, damage) = (weapon.pellets, weapon.pierces, weapon.range, weapon.damage);
        let cone = spread(&self.soldiers[slot], weapon, &self.field.game.rules);
        for _ in 0..pellets {
            let soldier = &mut self.soldiers[slot];
            soldier.score.shots += 1;
            let direction = scattered(soldier, cone);
            let eye = soldier.body.eye();
            self.strike(slot, id, Sweep::ray(eye, eye + direction * range, Contents::MASK_SHOT), damage, pierces);
        }
    }

    pub(crate) fn stab(&mut self, slot: usize, id: WeaponId) {
        let weapon = self.field.arsenal.weapon(id);
        let (range, damage) = (weapon.range, weapon.damage);
        let soldier = &mut self.soldiers[slot];
        soldier.score.shots += 1;
        let eye = soldier.body.eye();
        let end = eye + muzzle_axes(soldier).forward * range;
        self.strike(slot, id, Sweep::hull(eye, end, BLADE, Contents::MASK_SHOT), damage, 1);
    }

    /// Everything along a line, as far as it goes through bodies.
    fn strike(&mut self, slot: usize, id: WeaponId, line: Sweep, damage: i32, pierces: i32) {
        let direction = (line.end - line.start).normalize_or_zero();
        let mut sweep = line;
        let mut pass = self.soldiers[slot].entity;
        let shooter = pass;
        for _ in 0..pierces {
            let trace = self.scene().sweep(&sweep, Some(pass));
            let Some(struck) = trace.entity else { return };
            if trace.surface.meets(SurfaceFlags::NO_IMPACT) {
                return;
            }
            if trace.struck != Struck::Body {
                self.acts.push(Act::Shot { mover: struck, damage });
                return;
            }
            self.hit(slot, id, struck, direction, damage);
            // On through the body: from where it was met, past whoever was met.
            sweep.start = trace.end;
            pass = struck;
            if struck == shooter {
                return;
            }
        }
    }

    fn hit(&mut self, slot: usize, id: WeaponId, struck: EntityId, direction: Vec3, damage: i32) {
        let Some(victim) = self.slot_of(struck) else { return };
        let from = self.soldiers[slot].entity;
        self.blows.push(Blow {
            from: Some(from),
            weapon: Some(id),
            push: Some((direction, damage)),
            towards: Some(-direction),
            takes_armour: true,
            ..Blow::by_nobody(victim, damage)
        });
    }
}

/// Half angle of the cone in degrees, as this soldier moves.
fn spread(soldier: &Soldier, weapon: &Weapon, rules: &Description) -> f32 {
    let body = &soldier.body;
    let pace = body.velocity.truncate().length() / rules.movement.speed as f32;
    let unrest =
        if body.ground.is_air() && body.immersion.level < 2 && body.ladder.is_none() { 1.0 } else { pace.min(1.0) };
    (weapon.spread_degrees + weapon.moving_spread_degrees * unrest) * steadied(soldier, rules)
}

/// What his stance leaves of spread and recoil.
pub(crate) fn steadied(soldier: &Soldier, rules: &Description) -> f32 {
    match soldier.body.stance {
        Stance::Standing => 1.0,
        Stance::Crouched => rules.steadiness.crouched,
        Stance::Prone => rules.steadiness.prone,
    }
}

/// A direction within the cone: even over the disc it cuts out.
fn scattered(soldier: &mut Soldier, cone: f32) -> Vec3 {
    let axes = muzzle_axes(soldier);
    if cone == 0.0 {
        return axes.forward;
    }
    let (sin, cos) = (maths::sin(cone.to_radians()), maths::cos(cone.to_radians()));
    let radius = sin / cos * soldier.chance.unit().sqrt();
    let turn = soldier.chance.range(0.0, std::f32::consts::TAU);
    let (x, y) = (maths::cos(turn) * radius, maths::sin(turn) * radius);
    (axes.forward + axes.right * x + axes.up * y).normalize_or_zero()
}
