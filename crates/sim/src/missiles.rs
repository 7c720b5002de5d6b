//! What flies, what happens when it goes off, and the smoke and fire it leaves.

use fireteam::snapshot::{SoundKind, ThrowableId, WeaponId};
use fireteam_world::blast::{self, Target};
use fireteam_world::flight::{Air, Course, EndReason, Ending, Launch, Missile};
use fireteam_world::game::{self, Blast, Throwable, ThrowableKind};
use fireteam_world::movement::Stance;
use fireteam_world::mover::{Act, ShooterKind};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Hull, Scene, Sweep, Vec3, maths};

use crate::Match;
use crate::arms;
use crate::harm::Blow;

/// Something in the air. Its fuse is in its course, which nobody is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flying {
    pub(crate) entity: EntityId,
    pub(crate) kind: ThrowableId,
    /// Who sent it, with what.
    pub(crate) owner: Option<(EntityId, WeaponId)>,
    pub(crate) course: Course,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Cloud {
    pub(crate) origin: Vec3,
    pub(crate) kind: ThrowableId,
    pub(crate) born: Time,
    pub(crate) owner: Option<(EntityId, WeaponId)>,
}

/// What a flash behind one's back does beside one before one's eyes: light comes off the walls.
const BEHIND: f32 = 0.25;
/// Half of a flash's radius and less is as good as before the nose.
const GLARE: f32 = 2.0;

impl Match {
    pub(crate) fn launch(&mut self, kind: ThrowableId, owner: Option<(EntityId, WeaponId)>, mut launch: Launch) {
        let entity = self.new_entity();
        let field = self.field.clone();
        let throwable = field.arsenal.throwable(kind);
        if let Some(slot) = owner.and_then(|(entity, _)| self.slot_of(entity)) {
            launch.muzzle += arms::jitter(&mut self.soldiers[slot], throwable.deviation_place);
        }
        let course = Missile::new(launch, throwable, field.game.flight_rules()).course();
        self.missiles.push(Flying { entity, kind, owner, course });
    }

    pub(crate) fn fly_missiles(&mut self) {
        if self.missiles.is_empty() {
            return;
        }
        let field = self.field.clone();
        let shootable: Vec<EntityId> = self.movers.shootable().collect();
        let mut missiles = std::mem::take(&mut self.missiles);
        missiles.retain_mut(|flying| {
            let throwable = field.arsenal.throwable(flying.kind);
            let mut missile = Missile::resume(flying.course, throwable);
            let scene = Scene { solids: &field.solids, crowd: &self.crowd };
            let sounds = &mut self.snapshot.sounds;
            let ending = missile.step(&Air { scene, shootable: &shootable }, &mut |bounce| {
                sounds.push(fireteam::snapshot::Sound { kind: SoundKind::Bounce, origin: bounce.point, source: None });
            });
            flying.course = missile.course();
            if let Some(ending) = ending {
                self.go_off(flying, throwable, &ending);
            }
            ending.is_none()
        });
        self.missiles = missiles;
    }

    fn go_off(&mut self, flying: &Flying, throwable: &Throwable, ending: &Ending) {
        if ending.reason == EndReason::Gone {
            return;
        }
        // Smoke comes with a hiss that carries no further than a bounce.
        let is_loud = throwable.kind != ThrowableKind::Smoke;
        let kind = if is_loud { SoundKind::Explosion } else { SoundKind::Bounce };
        self.sound(kind, ending.place, None);
        if let Some(struck) = ending.entity {
            self.strike_with_missile(flying, throwable, struck);
        }
        if let Some(blast) = &throwable.blast {
            self.burst(flying, blast, ending);
        }
        if let Some(cloud) = &throwable.cloud {
            self.blind(cloud, ending.place);
            let born = self.now + self.field.game.rules.frame_ms;
            self.clouds.push(Cloud { origin: ending.place, kind: flying.kind, born, owner: flying.owner });
        }
    }

    /// A flash: whoever has it in view is blinded, the nearer and the more he looks at it the longer.
    fn blind(&mut self, cloud: &game::Cloud, place: Vec3) {
        if cloud.blinds_ms == 0 {
            return;
        }
        let end = self.now + self.field.game.rules.frame_ms;
        for slot in 0..self.soldiers.len() {
            let body = &self.soldiers[slot].body;
            let (eye, way) = (body.eye(), place - body.eye());
            let distance = way.length();
            let light = Sweep::ray(place, eye, Contents::MASK_OPAQUE);
            if body.is_dead
                || distance >= cloud.radius
                || !self.scene().is_clear(&light, None)
                || self.is_smoky(place, eye)
            {
                continue;
            }
            let forward = maths::game_axes(body.view.x, body.view.y, 0.0).forward;
            let turned = 0.5 - 0.5 * forward.dot(way) / distance.max(1.0);
            let share = (1.0 - distance / cloud.radius) * (1.0 - turned * (1.0 - BEHIND));
            // Near enough, distance matters no more.
            let ms = (cloud.blinds_ms as f32 * (share * GLARE).min(1.0)) as i32;
            let soldier = &mut self.soldiers[slot];
            soldier.blind_until = soldier.blind_until.max(end + ms);
        }
    }

    /// Whether a cloud that eyes do not see through lies between two places.
    fn is_smoky(&self, from: Vec3, to: Vec3) -> bool {
        self.clouds.iter().any(|cloud| {
            let blocks = self.field.arsenal.throwable(cloud.kind).cloud.as_ref().is_some_and(|kind| kind.blocks_sight);
            let radius = self.cloud_radius(cloud, self.now).filter(|_| blocks);
            radius.is_some_and(|radius| {
                let way = to - from;
                let along = ((cloud.origin - from).dot(way) / way.length_squared().max(1.0)).clamp(0.0, 1.0);
                (from + way * along).distance(cloud.origin) < radius
            })
        })
    }

    fn strike_with_missile(&mut self, flying: &Flying, throwable: &Throwable, struck: EntityId) {
        let damage = throwable.damage;
        let Some(victim) = self.slot_of(struck) else {
            self.acts.push(Act::Shot { mover: struck, damage: damage.max(1) });
            return;
        };
        if damage > 0 {
            let direction = flying.course.velocity().normalize_or_zero();
            self.blows.push(Blow {
                from: flying.owner.map(|(entity, _)| entity),
                weapon: flying.owner.map(|(_, weapon)| weapon),
                push: Some((direction, damage)),
                towards: Some(-direction),
                takes_armour: true,
                ..Blow::by_nobody(victim, damage)
            });
        }
    }

    /// An explosion: everyone near who is not hidden, and whatever can be broken.
    fn burst(&mut self, flying: &Flying, blast: &Blast, ending: &Ending) {
        let centre = ending.place;
        let owner = flying.owner.map(|(entity, _)| entity);
        for victim in 0..self.soldiers.len() {
            let soldier = &self.soldiers[victim];
            let is_direct =
                ending.entity == Some(soldier.entity) && self.field.arsenal.throwable(flying.kind).damage > 0;
            if !soldier.is_alive() || is_direct {
                continue;
            }
            let target = Target {
                origin: soldier.body.origin,
                hull: soldier.body.hull(&self.field.game.rules.movement),
                stance: soldier.body.stance,
                entity: None,
                is_self: owner == Some(soldier.entity),
                is_carried: false,
            };
            if let Some(harm) = blast::harm(centre, blast, &self.field.game, &target, &self.scene()) {
                self.blows.push(Blow {
                    from: owner,
                    weapon: flying.owner.map(|(_, weapon)| weapon),
                    push: Some((harm.direction, harm.blow)),
                    towards: Some((centre - soldier.body.origin).normalize_or_zero()),
                    takes_armour: true,
                    ..Blow::by_nobody(victim, harm.points)
                });
            }
        }
        self.burst_movers(blast, centre);
    }

    fn burst_movers(&mut self, blast: &Blast, centre: Vec3) {
        let field = &self.field;
        let scene = Scene { solids: &field.solids, crowd: &self.crowd };
        for mover in self.movers.shootable() {
            let Some(placed) = self.movers.placed().iter().find(|placed| placed.entity == mover) else { continue };
            let bounds = field.solids.placed_bounds(placed);
            let origin = (bounds.mins + bounds.maxs) * 0.5;
            let target = Target {
                origin,
                hull: Hull::new(bounds.mins - origin, bounds.maxs - origin),
                stance: Stance::Standing,
                entity: Some(mover),
                is_self: false,
                is_carried: true,
            };
            if let Some(harm) = blast::harm(centre, blast, &field.game, &target, &scene) {
                self.acts.push(Act::Shot { mover, damage: harm.points });
            }
        }
    }

    /// What a map's launcher fires in this game.
    pub(crate) fn throwable_for(&self, kind: ShooterKind) -> Option<(ThrowableId, &Throwable)> {
        let wanted = match kind {
            ShooterKind::Rocket => ThrowableKind::Rocket,
            ShooterKind::Grenade => ThrowableKind::Frag,
            ShooterKind::Plasma => ThrowableKind::Bolt,
        };
        let index = self.field.arsenal.throwables.iter().position(|throwable| throwable.kind == wanted)?;
        let id = ThrowableId(u8::try_from(index).ok()?);
        Some((id, self.field.arsenal.throwable(id)))
    }

    /// How large a cloud is at a moment; none when it is gone.
    pub(crate) fn cloud_radius(&self, cloud: &Cloud, now: Time) -> Option<f32> {
        let described = self.field.arsenal.throwable(cloud.kind).cloud.as_ref()?;
        let age = now - cloud.born;
        if age >= described.last_ms {
            return None;
        }
        let grown = if described.grow_ms == 0 { 1.0 } else { (age as f32 / described.grow_ms as f32).min(1.0) };
        Some(described.radius * grown)
    }
}
