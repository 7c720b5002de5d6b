//! Seeing things: missiles, items, movers, clouds.
//!
//! Missiles are looked for in every frame. Items and movers are looked at in turn, each at a frame that depends only on
//! itself; at which places, the bot's own belief says: an item is seen to be gone where it was believed to lie, a door
//! is seen to be open where it was believed to stand. What the bot touches it knows at once.

use fireteam_world::Vec3;
use fireteam_world::movement::Ground;
use fireteam_world::trace::Placed;
use fireteam_world::units::EntityId;

use super::looks::{self, Looks};
use super::{FOLLOWED_MAX, Here, Percept, Sense, Senses, What};
use crate::memory::{BelievedItem, BelievedMover};
use crate::snapshot::{Item, Missile, Mover};

/// A point on the ground is looked at from so far above it.
const ABOVE_GROUND: f32 = 2.0;
/// A missile that flies away from the bot matters to it no longer, beyond this.
const MISSILE_NEAR: f32 = 300.0;
/// Whatever is closer than this to a bot's origin, aside and up or down, it walks into.
const TOUCH_ASIDE: f32 = 40.0;
const TOUCH_UP: f32 = 56.0;
/// The same item seen here and believed there: games let items drop to the floor.
const SAME_ASIDE: f32 = 24.0;
const SAME_UP: f32 = 512.0;
/// A mover is where it is believed to be if it is off by no more than this.
const SAME_MOVER: f32 = 4.0;
/// Believed items that are looked at in the same frame.
const NEIGHBOURS: u32 = 8;
/// Clouds change slowly.
const CLOUD_TURNS: u32 = 4;
/// How far inside its box a mover is looked at.
const SKIN: f32 = 1.0;

impl Here<'_> {
    fn sees(&self, looks: &mut Looks, place: Vec3, pass: Option<EntityId>) -> bool {
        self.is_in_view(looks, place) && looks.is_clear(self.field, self.eye, place, pass)
    }

    /// In the cone, and not too far off.
    fn is_in_view(&self, looks: &Looks, place: Vec3) -> bool {
        let (cosine, distance) = self.bearing(place);
        distance <= self.convars.sight_range && cosine >= looks.cone
    }

    /// What is to be learnt at a place on the ground, if the bot touches or sees it.
    fn percept_at(&self, place: Vec3, what: What, looks: &mut Looks) -> Option<Percept> {
        if self.touches(place) {
            return Some(self.touch(what));
        }
        self.sees(looks, place + Vec3::Z * ABOVE_GROUND, None).then(|| self.percept(Sense::Sight, what))
    }

    fn touches(&self, place: Vec3) -> bool {
        let off = place - self.own().body.origin;
        off.truncate().length_squared() < TOUCH_ASIDE * TOUCH_ASIDE && off.z.abs() < TOUCH_UP
    }
}

/// The item a belief is about, if it is there at all.
pub(crate) fn item_of<'a>(belief: &BelievedItem, items: &'a [Item]) -> Option<&'a Item> {
    match belief.entity {
        Some(entity) => items.iter().find(|item| item.entity == entity && item.kind == belief.kind),
        None => {
            let distance = |item: &&Item| item.origin.distance_squared(belief.origin);
            let same =
                items.iter().filter(|item| item.kind == belief.kind && is_same_place(item.origin, belief.origin));
            same.min_by(|a, b| distance(a).total_cmp(&distance(b)))
        }
    }
}

pub(crate) fn is_same_place(seen: Vec3, believed: Vec3) -> bool {
    let off = seen - believed;
    off.truncate().length_squared() < SAME_ASIDE * SAME_ASIDE && off.z.abs() < SAME_UP
}

impl Senses {
    pub(super) fn see_missiles(&mut self, here: &Here<'_>, looks: &mut Looks) {
        self.miss_missiles(here);
        for missile in &here.snapshot.missiles {
            let was_followed = self.followed.iter().position(|&entity| entity == missile.entity);
            let is_seen = matters(here, missile) && here.sees(looks, missile.origin + Vec3::Z * ABOVE_GROUND, None);
            match (is_seen, was_followed) {
                (true, None) if self.followed.len() < FOLLOWED_MAX => self.followed.push(missile.entity),
                (true, _) => {}
                (false, Some(index)) => drop(self.followed.remove(index)),
                (false, None) => {}
            }
            if is_seen {
                self.put(here.percept(Sense::Sight, What::Missile(*missile)));
            }
        }
    }

    /// One that was in sight and is no more in the world went off before the bot's eyes.
    fn miss_missiles(&mut self, here: &Here<'_>) {
        let mut index = 0;
        while index < self.followed.len() {
            let entity = self.followed[index];
            if here.snapshot.missiles.iter().any(|missile| missile.entity == entity) {
                index += 1;
            } else {
                self.followed.remove(index);
                self.put(here.percept(Sense::Sight, What::MissileGone(entity)));
            }
        }
    }

    /// Whether it is this thing's turn to be looked at: by its own number and distance, whatever else there is.
    fn is_turn_of(&self, number: u32, place: Vec3, here: &Here<'_>) -> bool {
        let phase = number.wrapping_add(self.frame);
        let is_near = || place.distance_squared(here.eye) < here.convars.sight_near * here.convars.sight_near;
        phase & here.turns_near == 0 && (phase & here.turns_far == 0 || is_near())
    }

    pub(super) fn see_items(&mut self, here: &Here<'_>, looks: &mut Looks) {
        let beliefs = here.eyes.memory.items();
        for (number, belief) in beliefs.iter().enumerate() {
            // Neighbours in the list have their turn together: fewer of them are touched in a frame. What somebody dropped is
            // not watched, however near: after a fight there are many, and hardly anybody needs one.
            let number = number as u32 / NEIGHBOURS;
            let is_turn = if belief.is_dropped {
                number.wrapping_add(self.frame) & here.turns_far == 0
            } else {
                self.is_turn_of(number, belief.origin, here)
            };
            if is_turn {
                self.look_at_item(here, belief, looks);
            }
        }
        for item in &here.snapshot.items {
            if here.touches(item.origin)
                && let Some(belief) = beliefs.iter().find(|belief| belief.is_of(item))
            {
                self.look_at_item(here, belief, looks);
            }
            let is_turn = item.is_there && self.is_turn_of(u32::from(item.entity.0), item.origin, here);
            let place = item.origin + Vec3::Z * ABOVE_GROUND;
            let is_new = || !beliefs.iter().any(|belief| belief.is_of(item));
            // Most are behind the back, and then it does not matter whether they are known.
            if is_turn && here.is_in_view(looks, place) && is_new() && here.sees(looks, place, None) {
                self.put(here.percept(Sense::Sight, What::Item(*item)));
            }
        }
    }

    /// An item is seen where it lies, and is seen to be gone where it was believed to lie. One that was never seen lies
    /// somewhere below the place the map has it at, there or not.
    fn look_at_item(&mut self, here: &Here<'_>, belief: &BelievedItem, looks: &mut Looks) {
        let item = item_of(belief, &here.snapshot.items);
        if let Some(item) = item.filter(|item| item.is_there)
            && let Some(percept) = here.percept_at(item.origin, What::Item(*item), looks)
        {
            self.put(percept);
            return;
        }
        // Whether it lies out of sight close by, as what fell on after it was seen, nobody who looks here can know.
        let place = item.filter(|_| belief.entity.is_none()).map_or(belief.origin, |item| item.origin);
        let gone = What::ItemGone { entity: belief.entity, origin: belief.origin };
        if let Some(percept) = here.percept_at(place, gone, looks) {
            self.put(percept);
        }
    }

    /// What carries the bot.
    pub(super) fn feel_mover(&mut self, here: &Here<'_>) {
        let carrier = here.carrier();
        if let Some(mover) = here.snapshot.movers.iter().find(|mover| Some(mover.entity) == carrier) {
            self.put(here.touch(What::Mover(*mover)));
        }
    }

    pub(super) fn see_movers(&mut self, here: &Here<'_>, looks: &mut Looks) {
        let carrier = here.carrier();
        for (index, mover) in here.snapshot.movers.iter().enumerate() {
            if Some(mover.entity) == carrier {
                self.put(here.touch(What::Mover(*mover)));
            } else {
                self.look_at_mover(here, mover, looks.mover_middle(index), looks);
            }
        }
    }

    /// A mover is known once any of it is in sight; or it is seen not to be where it was believed to be. How often each place
    /// is looked at depends on that place alone: by where it really is, nobody looks for it elsewhere.
    fn look_at_mover(&mut self, here: &Here<'_>, mover: &Mover, middle: Vec3, looks: &mut Looks) {
        let number = u32::from(mover.entity.0);
        let stands = looks::stand(mover, here.now());
        if !mover.is_gone && self.is_turn_of(number, middle, here) && here.sees_mover(looks, &stands) {
            self.put(here.percept(Sense::Sight, What::Mover(*mover)));
            return;
        }
        let Some(believed) = here.eyes.memory.mover(mover.model).and_then(BelievedMover::placed) else { return };
        let is_off = mover.is_gone
            || believed.origin.distance(stands.origin) > SAME_MOVER
            || believed.angles.distance(stands.angles) > SAME_MOVER;
        // The box it would have there, without asking for it anew: a mover that turns is as large everywhere, nearly.
        let believed_middle = middle + believed.origin - stands.origin;
        if is_off
            && self.is_turn_of(number, believed_middle, here)
            && here.sees_mover(looks, &Placed { entity: mover.entity, ..believed })
        {
            self.put(here.percept(Sense::Sight, What::MoverAway(mover.model)));
        }
    }

    pub(super) fn see_clouds(&mut self, here: &Here<'_>, looks: &mut Looks) {
        if !self.frame.is_multiple_of(CLOUD_TURNS) {
            return;
        }
        for cloud in &here.snapshot.clouds {
            let way = cloud.origin - here.eye;
            let is_inside = way.length_squared() < cloud.radius * cloud.radius;
            // The near edge: the middle of smoke is hidden by smoke.
            let edge = cloud.origin - way.normalize_or_zero() * cloud.radius;
            if is_inside
                || here.sees(looks, edge, None)
                || here.sees(looks, cloud.origin + Vec3::Z * cloud.radius, None)
            {
                self.put(here.percept(Sense::Sight, What::Cloud(*cloud)));
            }
        }
    }
}

impl Here<'_> {
    fn carrier(&self) -> Option<EntityId> {
        match self.own().body.ground {
            Ground::Floor { entity, .. } => entity,
            Ground::Air => None,
        }
    }

    /// Whether the middle of a mover's box or the point of it that is nearest to the eye is in sight.
    fn sees_mover(&self, looks: &mut Looks, placed: &Placed) -> bool {
        let bounds = self.field.opaque.placed_bounds(placed);
        let middle = (bounds.mins + bounds.maxs) * 0.5;
        let skin = Vec3::splat(SKIN).min((bounds.maxs - bounds.mins) * 0.5);
        let nearest = self.eye.clamp(bounds.mins + skin, bounds.maxs - skin);
        self.sees(looks, middle, Some(placed.entity)) || self.sees(looks, nearest, Some(placed.entity))
    }
}

/// Whether a missile may yet come near the bot.
fn matters(here: &Here<'_>, missile: &Missile) -> bool {
    let way = here.eye - missile.origin;
    missile.velocity.dot(way) >= 0.0 || way.length_squared() < MISSILE_NEAR * MISSILE_NEAR
}
