//! Things that lie about: taken by who touches them and has use for them, back after their time. Who dies drops his gun, which is
//! there until somebody takes it or nobody did for a while.

use fireteam::Field;
use fireteam::snapshot::{Arm, ItemKindId, SoundKind};
use fireteam_world::game::Interest;
use fireteam_world::mover::Movers;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Hull, Sweep, Vec3};

use crate::Match;

#[derive(Clone, Debug)]
pub(crate) struct Items {
    /// The map's first; then what was dropped, the oldest first.
    pub(crate) lying: Vec<Lying>,
    of_map: usize,
}

/// A place for an item, whether it is there or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lying {
    pub(crate) entity: EntityId,
    pub(crate) kind: ItemKindId,
    pub(crate) origin: Vec3,
    /// When it comes back; none if it is there.
    pub(crate) back_at: Option<Time>,
    /// For keys: the bit that doors know it by.
    key: u32,
    dropped: Option<Dropped>,
}

/// What a dead hand let go of.
#[derive(Clone, Copy, Debug)]
struct Dropped {
    rounds: i32,
    until: Time,
}

/// More guns than this do not lie about, and none for longer.
const DROPPED_MAX: usize = 32;
const DROPPED_MS: i32 = 30_000;

/// An item's box when it is dropped to the floor, as in Quake III.
const BOX: Hull = Hull::new(Vec3::splat(-15.0), Vec3::splat(15.0));
const DROP: f32 = 4096.0;
/// A player whose origin is this near takes it, each way over ground and in height.
const REACH: f32 = 44.0;
const REACH_UP: f32 = 36.0;
/// Spawn flag of what hangs in the air.
const SUSPENDED: i32 = 1;

impl Items {
    pub(crate) fn of(field: &Field, movers: &Movers) -> Items {
        let entities = field.map.entities.iter().zip(0u16..);
        let lying = entities.filter_map(|(entity, number)| {
            let kind = field.arsenal.item_named(entity.class())?;
            let is_taken = match field.arsenal.item(kind).is {
                Interest::Weapon | Interest::Ammo => field.arsenal.holds[usize::from(kind.0)].is_some(),
                Interest::Health | Interest::Armour | Interest::Key => true,
                // Powers and flags need rules that this game does not have; the rest is no item.
                Interest::Powerup
                | Interest::Holdable
                | Interest::Flag
                | Interest::Spawn
                | Interest::Ladder
                | Interest::Zone
                | Interest::Door
                | Interest::Button
                | Interest::Lift
                | Interest::Breakable
                | Interest::Teleporter
                | Interest::JumpPad
                | Interest::Hazard => false,
            };
            let hangs = entity.number("spawnflags").unwrap_or(0.0) as i32 & SUSPENDED != 0;
            let origin = if hangs { entity.origin() } else { dropped(field, entity.origin()) };
            let key = entity.get("key").and_then(|name| movers.key(name)).unwrap_or(0);
            is_taken.then_some(Lying { entity: EntityId(number), kind, origin, back_at: None, key, dropped: None })
        });
        let lying: Vec<Lying> = lying.collect();
        Items { of_map: lying.len(), lying }
    }

    pub(crate) fn put_all_back(&mut self) {
        self.lying.truncate(self.of_map);
        for item in &mut self.lying {
            item.back_at = None;
        }
    }
}

fn dropped(field: &Field, origin: Vec3) -> Vec3 {
    let fall = Sweep::hull(origin, origin - Vec3::Z * DROP, BOX, Contents::MASK_SOLID);
    let trace = field.solids.sweep(&fall);
    if trace.start_solid { origin } else { trace.end }
}

impl Match {
    /// The gun in a dead hand, with what was left in it, where the game knows such a thing as an item.
    pub(crate) fn drop_weapon(&mut self, slot: usize) {
        let soldier = &self.soldiers[slot];
        let (weapon, origin) = (soldier.weapon, soldier.body.origin);
        let arm = soldier.arms[usize::from(weapon.0)];
        let arsenal = &self.field.arsenal;
        let is_such = |at: &usize| arsenal.items[*at].is == Interest::Weapon && arsenal.holds[*at] == Some(weapon);
        let kind = (0..arsenal.items.len()).find(is_such).and_then(|at| u8::try_from(at).ok());
        let (Some(kind), true) = (kind, arm.is_loaded() && arm.rounds != Arm::ENDLESS) else { return };
        let rounds = i32::from(arm.rounds) + i32::from(arm.clip);
        let (entity, origin) = (self.new_entity(), dropped(&self.field, origin));
        let dropped = Some(Dropped { rounds, until: self.now + DROPPED_MS });
        if self.items.lying.len() >= self.items.of_map + DROPPED_MAX {
            self.items.lying.remove(self.items.of_map);
        }
        self.items.lying.push(Lying { entity, kind: ItemKindId(kind), origin, back_at: None, key: 0, dropped });
    }

    pub(crate) fn hand_out_items(&mut self) {
        let now = self.now;
        self.items.lying.retain(|item| item.dropped.is_none_or(|dropped| now < dropped.until));
        for index in 0..self.items.lying.len() {
            let item = self.items.lying[index];
            match item.back_at {
                Some(back_at) if self.now >= back_at => {
                    self.items.lying[index].back_at = None;
                    self.sound(SoundKind::ItemBack, item.origin, None);
                }
                Some(_) => {}
                None => self.offer(index, item),
            }
        }
    }

    /// To the first in this frame's order who can use it.
    fn offer(&mut self, index: usize, item: Lying) {
        let described = self.field.arsenal.item(item.kind);
        let (is, respawn_ms) = (described.is, described.respawn_ms);
        let amount = item.dropped.map_or(described.amount, |dropped| dropped.rounds);
        for slot in self.order() {
            let soldier = &self.soldiers[slot];
            let way = (soldier.body.origin - item.origin).abs();
            let touches = way.x <= REACH && way.y <= REACH && way.z <= REACH_UP;
            if !touches || !soldier.is_alive() || !self.takes(slot, &item, is, amount) {
                continue;
            }
            let source = self.soldiers[slot].entity;
            self.sound(SoundKind::Pickup, item.origin, Some(source));
            if item.dropped.is_some() {
                // Gone with the next frame.
                self.items.lying[index].dropped = Some(Dropped { rounds: 0, until: self.now });
                self.items.lying[index].back_at = Some(Time(i32::MAX));
            } else if respawn_ms > 0 {
                self.items.lying[index].back_at = Some(self.now + respawn_ms);
            }
            return;
        }
    }

    fn takes(&mut self, slot: usize, item: &Lying, is: Interest, amount: i32) -> bool {
        let most = self.field.game.rules.health.max;
        let held = self.field.arsenal.holds[usize::from(item.kind.0)];
        let soldier = &mut self.soldiers[slot];
        match (is, held) {
            (Interest::Health, _) => raise(&mut soldier.health, amount, most),
            (Interest::Armour, _) => raise(&mut soldier.armour, amount, most),
            (Interest::Key, _) => {
                let is_new = soldier.keys & item.key != item.key;
                soldier.keys |= item.key;
                is_new
            }
            (Interest::Weapon, Some(weapon)) => self.supply(slot, weapon, amount, true),
            (Interest::Ammo, Some(weapon)) => self.supply(slot, weapon, amount, false),
            _ => false,
        }
    }
}

fn raise(points: &mut i32, amount: i32, most: i32) -> bool {
    let is_wanted = *points < most;
    if is_wanted {
        *points = (*points + amount).min(most);
    }
    is_wanted
}
