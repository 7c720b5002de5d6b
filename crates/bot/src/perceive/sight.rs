//! Seeing players: who is in the cone, which parts of him are in the open, and how long it takes until he is noticed.
//!
//! Cheap questions first: distance, cone, what the map's compiler ruled out; then rays to points of the body. Being in view
//! is not yet being seen: attention gathers by the frame, slower for what is far off, at the edge of the view,
//! half hidden, still, low or faint, and only when it is full does a percept go on its way. Who was noticed stays so for
//! a while: coming round the same corner again surprises nobody.

use std::ops::{BitOr, BitOrAssign};

use fireteam_world::Vec3;
use fireteam_world::movement::{MovementRules, Stance};
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, Time};

use super::looks::Looks;
use super::{Here, Percept, SAMPLE_MS, Sense, Senses, What};
use crate::snapshot::{Figure, Power};

/// Which points of a body are in sight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts(pub u8);

impl Parts {
    pub const NONE: Parts = Parts(0);
    pub const HEAD: Parts = Parts(1);
    pub const CHEST: Parts = Parts(2);
    /// The side on the left of who looks.
    pub const LEFT: Parts = Parts(4);
    pub const RIGHT: Parts = Parts(8);
    pub const FEET: Parts = Parts(16);
    pub const ALL: Parts = Parts(31);

    pub fn meets(self, other: Parts) -> bool {
        self.0 & other.0 != 0
    }

    pub fn count(self) -> u32 {
        self.0.count_ones()
    }
}

impl BitOr for Parts {
    type Output = Parts;
    fn bitor(self, other: Parts) -> Parts {
        Parts(self.0 | other.0)
    }
}

impl BitOrAssign for Parts {
    fn bitor_assign(&mut self, other: Parts) {
        self.0 |= other.0;
    }
}

/// How many points of a body are looked at: the bits of [`Parts`], from the lowest.
pub(crate) const POINTS: usize = 5;
/// Head and chest are looked at first; of the others one a look, in turn.
const FIRST: usize = 2;
/// How far out the side points are, as a share of half the width of the body: inside its box from any direction.
const SIDE_SHARE: f32 = 0.8;
/// How far above the ground feet are looked at.
const ANKLE: f32 = 6.0;

/// Where the [`Parts`] of a body are, for somebody who looks from `eye`.
pub(crate) fn body_points(
    origin: Vec3,
    stance: Stance,
    is_dead: bool,
    eye: Vec3,
    rules: &MovementRules,
) -> [Vec3; POINTS] {
    let (hull, eye_height) =
        if is_dead { (rules.dead_hull(), rules.body.dead_eye) } else { (rules.hull(stance), rules.eye_height(stance)) };
    let at = |height: f32| origin + Vec3::Z * height;
    let chest = at((hull.mins.z + hull.maxs.z) * 0.5);
    let way = (origin - eye).truncate().normalize_or_zero();
    let left = Vec3::new(-way.y, way.x, 0.0) * (hull.maxs.x * SIDE_SHARE);
    [at(eye_height as f32), chest, chest + left, chest - left, at(hull.mins.z + ANKLE)]
}

/// How far an enemy has been noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Glance {
    /// 1 is noticed.
    attention: f32,
    parts: Parts,
    /// A percept of him is on its way or has arrived, and none since that he is gone.
    is_told: bool,
    looks: u8,
    /// When he was last looked for.
    looked: Option<Time>,
    /// When a percept of him was last put on the line.
    told: Time,
    /// How long percepts of this sighting take.
    lag_ms: i32,
}

/// Whom the eyes are on: what `see` needs to know of one enemy.
struct Target<'a> {
    figure: &'a Figure,
    /// Row in the frame's tables.
    slot: usize,
    /// Cosine of the angle off the middle of the view.
    cosine: f32,
    distance: f32,
}

impl Senses {
    pub(super) fn see_players(&mut self, here: &Here<'_>, looks: &mut Looks, chance: &mut Pcg) {
        let (watched, mut met) = (self.watched, 0);
        for (slot, figure) in here.snapshot.players.iter().enumerate() {
            if figure.team == here.own().team || figure.entity == here.own().entity {
                continue;
            }
            let index = figure.entity.index();
            if index >= self.glances.len() {
                self.glances.resize(index + 1, Glance::default());
            }
            met += usize::from(self.glances[index].is_told);
            if self.is_turn(here, figure) {
                let (cosine, distance) = here.bearing(figure.origin);
                self.look_at(here, &Target { figure, slot, cosine, distance }, looks, chance);
            }
        }
        if met < watched {
            self.miss_players(here);
        }
    }

    /// Whoever is watched is looked at in every frame he takes part in; who was not has left the game, or changed sides.
    fn miss_players(&mut self, here: &Here<'_>) {
        for index in 0..self.glances.len() {
            let glance = &mut self.glances[index];
            if glance.is_told && glance.looked != Some(here.now()) {
                glance.is_told = false;
                self.watched -= 1;
                let due = here.now() + glance.lag_ms;
                let what = What::OutOfSight(EntityId(index as u16));
                self.put(Percept { at: here.now(), due, sense: Sense::Sight, what });
            }
        }
    }

    /// Whoever is being watched or is near is looked at in every frame, others in turn. It depends on nobody else.
    fn is_turn(&self, here: &Here<'_>, figure: &Figure) -> bool {
        let glance = &self.glances[figure.entity.index()];
        let is_watched = glance.attention > 0.0 || glance.is_told;
        let near = here.convars.sight_near;
        is_watched
            || u32::from(figure.entity.0).wrapping_add(self.frame) & here.turns_players == 0
            || figure.origin.distance_squared(here.eye) < near * near
    }

    fn look_at(&mut self, here: &Here<'_>, target: &Target<'_>, looks: &mut Looks, chance: &mut Pcg) {
        let now = here.now();
        let glance = &mut self.glances[target.figure.entity.index()];
        let elapsed_ms = glance.looked.map_or(here.snapshot.frame_ms, |looked| now - looked).min(ELAPSED_MAX_MS);
        glance.looked = Some(now);
        glance.looks = glance.looks.wrapping_add(1);
        let is_in_view = target.distance <= here.convars.sight_range && target.cosine >= looks.cone;
        let parts = if is_in_view { visible_parts(here, target, glance, looks) } else { Parts::NONE };
        glance.parts = parts;
        if parts == Parts::NONE {
            glance.attention = glance.attention.min(1.0) - elapsed_ms as f32 / here.convars.attention_fade_ms as f32;
            glance.attention = glance.attention.max(0.0);
            if std::mem::take(&mut glance.is_told) {
                self.watched -= 1;
                let due = now + glance.lag_ms;
                self.put(Percept { at: now, due, sense: Sense::Sight, what: What::OutOfSight(target.figure.entity) });
            }
            return;
        }
        glance.attention += elapsed_ms as f32 / notice_ms(here, target, parts, looks.cone);
        if glance.attention < 1.0 || (glance.is_told && now - glance.told < SAMPLE_MS) {
            return;
        }
        glance.attention = 1.0;
        if !glance.is_told {
            glance.is_told = true;
            self.watched += 1;
            let spare_ms = here.keen.reaction_max_ms - here.keen.reaction_ms;
            glance.lag_ms = here.keen.reaction_ms + (chance.unit() * spare_ms as f32) as i32;
        }
        glance.told = now;
        let due = now + glance.lag_ms;
        let what = What::Enemy { figure: *target.figure, parts };
        self.put(Percept { at: now, due, sense: Sense::Sight, what });
    }
}

/// Not looking for a while does not gather attention.
const ELAPSED_MAX_MS: i32 = 200;

/// Which points of a body are in the open. For who is watched: head, chest and one of the others, whose last answers are
/// kept meanwhile; for who is not: his head, or else one of the others, in turn.
fn visible_parts(here: &Here<'_>, target: &Target<'_>, glance: &Glance, looks: &mut Looks) -> Parts {
    let field = here.field;
    if here.own_slot.is_some_and(|own| !looks.may_see(field, own, target.slot)) {
        return Parts::NONE;
    }
    let Figure { origin, stance, is_dead, .. } = *target.figure;
    let points = body_points(origin, stance, is_dead, here.eye, &field.game.rules.movement);
    let mut parts = Parts::NONE;
    let head_is_seen = match here.own_slot {
        Some(own) if !target.figure.is_dead => looks.eyes_meet(field, own, target.slot),
        _ => looks.is_clear(field, here.eye, points[0], None),
    };
    if head_is_seen {
        parts |= Parts::HEAD;
    }
    let mut see = |index: usize, parts: &mut Parts| {
        if looks.is_clear(field, here.eye, points[index], None) {
            *parts |= Parts(1 << index);
        }
    };
    if glance.attention < 1.0 {
        if parts == Parts::NONE {
            see(1 + usize::from(glance.looks) % (POINTS - 1), &mut parts);
        }
        return parts;
    }
    see(1, &mut parts);
    if parts == Parts::NONE {
        (FIRST..POINTS).for_each(|index| see(index, &mut parts));
        return parts;
    }
    let turn = FIRST + usize::from(glance.looks) % (POINTS - FIRST);
    let kept = Parts::ALL.0 & !(Parts::HEAD.0 | Parts::CHEST.0 | 1 << turn);
    parts |= Parts(glance.parts.0 & kept);
    see(turn, &mut parts);
    parts
}

/// How long somebody in view takes to be noticed.
fn notice_ms(here: &Here<'_>, target: &Target<'_>, parts: Parts, cone: f32) -> f32 {
    let convars = here.convars;
    let figure = target.figure;
    let dim = target.distance / convars.attention_distance;
    // 0 in the middle of the view, 1 at its edge.
    let aside = ((1.0 - target.cosine) / (1.0 - cone).max(1e-3)).clamp(0.0, 1.0);
    let mut ms = convars.attention_ms * here.keen.slowness * dim * dim;
    ms *= 1.0 + (convars.attention_edge_factor - 1.0) * aside;
    // A head alone is what an unwatched enemy is first looked at by; it counts as a whole body then.
    if !parts.meets(Parts::HEAD | Parts::CHEST) {
        ms *= convars.attention_sliver_factor;
    }
    ms *= match figure.stance {
        Stance::Standing => 1.0,
        Stance::Crouched => convars.attention_low_factor,
        Stance::Prone => convars.attention_low_factor * convars.attention_low_factor,
    };
    if figure.velocity.length_squared() < STILL_SPEED * STILL_SPEED && !figure.is_firing {
        ms *= convars.attention_still_factor;
    }
    if Power::Faint.is_in(figure.powers) {
        ms *= convars.attention_faint_factor;
    }
    ms.max(1.0)
}

/// Slower than this is standing still to the eye.
const STILL_SPEED: f32 = 20.0;

impl Senses {
    /// Whether an enemy is being watched now: for tests and viewers.
    pub fn is_watching(&self, entity: EntityId) -> bool {
        self.glances.get(entity.index()).is_some_and(|glance| glance.is_told)
    }
}
