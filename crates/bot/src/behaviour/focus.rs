//! Fire concentrated on one: of several enemies the one whom mates in view face.
//!
//! In: enemies in sight, and mates as they stand and look. Out: the enemy whom most of those mates have faced for as long as this
//! bot takes to notice anything. Who is shot at by two lives half as long: F. W. Lanchester, "Aircraft in Warfare", 1916. No
//! word is needed, since what a mate is at shows in how he stands.
//!
//! Cost: nothing unless two enemies are in sight; then a ray for each mate within the cone of view.

use fireteam_world::trace::Sweep;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, maths};

use super::View;
use crate::aim::{off, yaw_to};
use crate::memory::Threat;
use crate::perceive::Keenness;
use crate::snapshot::Figure;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Focus(Option<Faced>);

#[derive(Clone, Copy, Debug)]
struct Faced {
    enemy: EntityId,
    since: Time,
    last: Time,
}

/// Whoever looks this near to somebody, in degrees, is at him: a hand that follows a runner is off by as much.
const FACES: f32 = 8.0;
/// Somebody who looks aside for so long is still at him.
const ASIDE_MS: i32 = 400;
/// Most mates that are looked at.
const MATES_MAX: usize = 8;

impl Focus {
    /// Whom to join in on; asked every turn.
    pub(super) fn look(&mut self, view: &View) -> Option<EntityId> {
        let is_fresh = |faced: &Faced| view.now - faced.last <= ASIDE_MS;
        let before = self.0.filter(is_fresh);
        self.0 = match faced_by_mates(view) {
            Some(enemy) => {
                let since = before.filter(|faced| faced.enemy == enemy).map_or(view.now, |faced| faced.since);
                Some(Faced { enemy, since, last: view.now })
            }
            None => before,
        };
        let lag_ms = Keenness::of(view.character.skill, view.convars).reaction_ms;
        self.0.filter(|faced| view.now - faced.since >= lag_ms).map(|faced| faced.enemy)
    }
}

/// The enemy whom most mates face; of two the one who matters more.
fn faced_by_mates(view: &View) -> Option<EntityId> {
    let enemies = || view.memory.in_sight();
    if view.convars.fight_focus <= 0.0 || enemies().nth(1).is_none() {
        return None;
    }
    let mut faced: [Option<&Threat>; MATES_MAX] = [None; MATES_MAX];
    let mates = view.mates.living().filter(|mate| is_in_view(view, mate));
    for (mate, faced) in mates.zip(&mut faced) {
        let off_him = |threat: &Threat| off(mate.yaw, yaw_to(threat.place - mate.origin));
        let nearest = enemies().min_by(|a, b| off_him(a).total_cmp(&off_him(b)));
        *faced = nearest.filter(|threat| off_him(threat) < FACES);
    }
    let by = |enemy: EntityId| faced.iter().flatten().filter(|threat| threat.entity == enemy).count();
    let most = faced.iter().flatten().max_by(|a, b| {
        by(a.entity).cmp(&by(b.entity)).then(a.menace.total_cmp(&b.menace)).then(b.entity.cmp(&a.entity))
    });
    most.map(|threat| threat.entity)
}

/// In the cone of view, and nothing between.
fn is_in_view(view: &View, mate: &Figure) -> bool {
    let (eye, look) = (view.eye(), view.own.body.view);
    let way = mate.origin - eye;
    let forward = maths::game_axes(look.x, look.y, 0.0).forward;
    let cone = maths::cos(view.convars.sight_half_angle.to_radians());
    forward.dot(way) >= cone * way.length()
        && view.field.opaque.is_clear(&Sweep::ray(eye, mate.origin, Contents::MASK_OPAQUE))
}
