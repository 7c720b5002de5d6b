//! Seeing players: who is in the cone, which parts of him are in the open, and how long it takes until he is noticed.
//!
//! Cheap questions first: distance, cone, what the map's compiler ruled out; then rays to points of the body. Being in view
//! is not yet being seen: attention gathers by the frame, slower for what is far off, at the edge of the view,
//! half hidden, still, low or faint, and only when it is full does a percept go on its way. Who was noticed stays so for
//! a while: coming round the same corner again surprises nobody. A corpse is looked at until it is known for one, and then
//! left alone for a while.
//!
//! Looking for somebody hidden leaves no trace, and attention fades by the clock: how often he was looked for depends on where
//! he is, and must not show once he is seen.

use std::ops::{BitOr, BitOrAssign};

use fireteam_world::Vec3;
use fireteam_world::movement::{MovementRules, Stance};
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, Time};

use super::looks::{self, Looks, Round};
use super::{Here, Percept, SAMPLE_MS, Sense, Senses, What, turns};
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
/// After head and chest.
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
    /// 1 is noticed; as it was when he was last seen.
    attention: f32,
    /// What of him was in the open at the last look.
    parts: Parts,
    /// A percept of him is on its way or has arrived, and none since that he is gone.
    is_told: bool,
    /// When any of him was last in the open.
    seen: Time,
    /// When a percept of him was last put on the line.
    told: Time,
    /// How long percepts of this sighting take.
    lag_ms: i32,
    /// When he was last told to lie there dead.
    laid: Option<Time>,
}

impl Glance {
    /// How far he is noticed now: it fades while he is out of sight.
    fn attention_at(&self, now: Time, fade_ms: i32) -> f32 {
        let gone_ms = if self.parts == Parts::NONE { now - self.seen } else { 0 };
        (self.attention - gone_ms as f32 / fade_ms as f32).max(0.0)
    }
}

/// An enemy who is looked at more often than in turn with all the others, wherever he is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Regarded {
    entity: EntityId,
    /// In the open when last looked at; else out of sight a moment ago, and looked out for.
    is_watched: bool,
}

/// Whom the eyes are on: what `see` needs to know of one enemy.
struct Target<'a> {
    figure: &'a Figure,
    /// Row in the frame's tables.
    slot: usize,
    /// Cosine of the angle off the middle of the view.
    cosine: f32,
    distance: f32,
    /// In the cone, and not too far off.
    is_in_view: bool,
    is_near: bool,
    /// Counts looks at whoever is watched.
    look: u32,
}

impl Senses {
    pub(super) fn see_players(&mut self, here: &Here<'_>, looks: &mut Looks, chance: &mut Pcg) {
        self.lose_leavers(here, looks);
        let entities = looks.entities_end();
        if self.glances.len() < entities {
            self.glances.resize(entities, Glance::default());
        }
        let turns_watched = turns((self.watched as u32).div_ceil(here.convars.attention_span));
        for first in (0..looks.heads().len()).step_by(looks::MASK_BITS) {
            let side = here.side_bits(first);
            let mut due = looks.due(first, side, &here.round(self.frame));
            due |= self.due_regarded(here, first, turns_watched, looks) & !side;
            while due != 0 {
                let slot = first + due.trailing_zeros() as usize;
                due &= due - 1;
                let head = looks.heads()[slot];
                let (cosine, distance) = here.bearing(looks.figures()[slot].origin);
                let is_in_view = distance <= here.convars.sight_range && cosine >= looks.cone;
                // Behind the back, and nobody who was in view a moment ago: so it is with most.
                if !is_in_view && !self.regarded.iter().any(|regarded| regarded.entity == head.entity) {
                    continue;
                }
                let laid = self.glances[head.entity.index()].laid;
                if head.is_dead && laid.is_some_and(|laid| here.now() - laid < LAID_MS) {
                    continue;
                }
                let figure = looks.figures()[slot];
                let is_near = here.is_near(head.eye);
                let look = self.frame >> turns_watched.count_ones();
                let target = Target { figure: &figure, slot, cosine, distance, is_in_view, is_near, look };
                self.look_at(here, &target, looks, chance);
                self.regard(here, head.entity);
            }
        }
    }

    /// Blinded: whoever was in sight is so no more, and what carries one is felt.
    pub(super) fn see_nothing(&mut self, here: &Here<'_>) {
        while let Some(regarded) = self.regarded.pop() {
            self.glances[regarded.entity.index()].parts = Parts::NONE;
            self.lose(here, regarded.entity);
        }
        // Where they went, and whether they went off, nobody saw.
        self.followed.clear();
        self.feel_mover(here);
    }

    /// Whoever is watched and takes part no more, or has changed sides, is lost.
    fn lose_leavers(&mut self, here: &Here<'_>, looks: &Looks) {
        if !looks.have_sides_changed() {
            return;
        }
        let mut index = 0;
        while index < self.regarded.len() {
            let entity = self.regarded[index].entity;
            if looks.slot(entity).is_some_and(|slot| !here.side.contains(&slot)) {
                index += 1;
                continue;
            }
            self.regarded.remove(index);
            self.glances[entity.index()].parts = Parts::NONE;
            self.lose(here, entity);
        }
    }

    /// Those of up to [`looks::MASK_BITS`] players who are regarded and due: who is watched in every frame, unless so many are
    /// that the eyes must go round; who was lost a moment ago, often.
    fn due_regarded(&self, here: &Here<'_>, first: usize, turns_watched: u32, looks: &Looks) -> u64 {
        let mut due = 0;
        for regarded in &self.regarded {
            let phase = u32::from(regarded.entity.0).wrapping_add(self.frame);
            let turns = if regarded.is_watched { turns_watched } else { here.turns_missed };
            if phase & turns != 0 {
                continue;
            }
            let slot = looks.slot(regarded.entity).and_then(|slot| slot.checked_sub(first));
            if let Some(slot) = slot.filter(|slot| *slot < looks::MASK_BITS) {
                due |= 1 << slot;
            }
        }
        due
    }

    /// Somebody was looked at: how he is regarded from now on.
    fn regard(&mut self, here: &Here<'_>, entity: EntityId) {
        let glance = &self.glances[entity.index()];
        let is_watched = glance.parts != Parts::NONE;
        let is_regarded = is_watched || here.attention_of(glance) > 0.0;
        let known = self.regarded.iter().position(|regarded| regarded.entity == entity);
        match (known, is_regarded) {
            (Some(index), true) => self.regarded[index].is_watched = is_watched,
            (Some(index), false) => drop(self.regarded.remove(index)),
            (None, true) => self.regarded.push(Regarded { entity, is_watched }),
            (None, false) => {}
        }
    }

    /// Who was told to be in sight is so no more.
    fn lose(&mut self, here: &Here<'_>, entity: EntityId) {
        let glance = &mut self.glances[entity.index()];
        if std::mem::take(&mut glance.is_told) {
            self.watched -= 1;
            let due = here.now() + glance.lag_ms;
            self.put(Percept { at: here.now(), due, sense: Sense::Sight, what: What::OutOfSight(entity) });
        }
    }

    fn look_at(&mut self, here: &Here<'_>, target: &Target<'_>, looks: &mut Looks, chance: &mut Pcg) {
        let now = here.now();
        let glance = &mut self.glances[target.figure.entity.index()];
        let parts =
            if target.is_in_view { visible_parts(here, target, glance, self.frame, looks) } else { Parts::NONE };
        if parts == Parts::NONE {
            glance.parts = Parts::NONE;
            self.lose(here, target.figure.entity);
            return;
        }
        let gained = here.open_ms(target, glance) as f32 / notice_ms(here, target, parts, looks.cone);
        glance.attention = (here.attention_of(glance) + gained).min(1.0);
        (glance.parts, glance.seen) = (parts, now);
        glance.laid = glance.laid.filter(|_| target.figure.is_dead);
        if glance.attention < 1.0 || (glance.is_told && now - glance.told < SAMPLE_MS) {
            return;
        }
        if glance.is_told {
            // Surprise passes: whoever is watched is soon followed with no more lag than the mind needs. No look overtakes the
            // one before.
            glance.lag_ms = (glance.lag_ms - (now - glance.told)).max(here.keen.reaction_ms);
        } else {
            glance.is_told = true;
            self.watched += 1;
            let spare_ms = here.keen.reaction_max_ms - here.keen.reaction_ms;
            glance.lag_ms = here.keen.reaction_ms + (chance.unit() * spare_ms as f32) as i32;
        }
        glance.told = now;
        let due = now + glance.lag_ms;
        if target.figure.is_dead {
            *glance = Glance { laid: Some(now), ..Glance::default() };
            self.watched -= 1;
        }
        let what = What::Enemy { figure: *target.figure, parts };
        self.put(Percept { at: now, due, sense: Sense::Sight, what });
    }
}

/// Not looking for a while does not gather attention.
const OPEN_MS_MAX: i32 = 200;
/// A corpse that was seen is looked at again after this long.
const LAID_MS: i32 = 3000;

impl Here<'_> {
    fn is_near(&self, place: Vec3) -> bool {
        place.distance_squared(self.eye) < self.convars.sight_near * self.convars.sight_near
    }

    fn attention_of(&self, glance: &Glance) -> f32 {
        glance.attention_at(self.now(), self.convars.attention_fade_ms)
    }

    /// Whose turn it is in this frame, before anything is known of anyone.
    fn round(&self, frame: u32) -> Round {
        let near = self.convars.sight_near;
        Round {
            eye: self.eye,
            near_squared: near * near,
            frame,
            turns: self.turns_players,
            turns_close: self.turns_close,
        }
    }

    /// Which of [`looks::MASK_BITS`] players are of the bot's own side.
    fn side_bits(&self, first: usize) -> u64 {
        let bits_below = |slot: usize| match slot.saturating_sub(first) {
            count if count < looks::MASK_BITS => (1 << count) - 1,
            _ => u64::MAX,
        };
        bits_below(self.side.end) & !bits_below(self.side.start)
    }

    /// For how long somebody in the open is taken to have been so: since the last look, if he was then; else for as long as it
    /// is from look to look where he is now, whenever the last one was.
    fn open_ms(&self, target: &Target<'_>, glance: &Glance) -> i32 {
        let frames = |turns: u32| self.snapshot.frame_ms.saturating_mul(turns as i32 + 1);
        let open_ms = if glance.parts != Parts::NONE {
            self.now() - glance.seen
        } else if target.is_near {
            frames(self.turns_close)
        } else if self.attention_of(glance) > 0.0 {
            frames(self.turns_missed)
        } else {
            frames(self.turns_players)
        };
        open_ms.min(OPEN_MS_MAX)
    }
}

/// Which points of a body are in the open. For who is watched: his head and one of the others, whose last answers are
/// kept meanwhile; for who is not: his head, or else one of the others. Which of them, the frame says.
fn visible_parts(here: &Here<'_>, target: &Target<'_>, glance: &Glance, frame: u32, looks: &mut Looks) -> Parts {
    let field = here.field;
    if here.own_slot.is_some_and(|own| !looks.may_see(field, own, target.slot)) {
        return Parts::NONE;
    }
    let Figure { origin, stance, is_dead, .. } = *target.figure;
    let points = body_points(origin, stance, is_dead, here.eye, &field.game.rules.movement);
    let mut parts = Parts::NONE;
    let is_clear = |looks: &mut Looks, point: Vec3| match here.own_slot {
        Some(own) => looks.is_clear_between(field, [own, target.slot], here.eye, point),
        None => looks.is_clear(field, here.eye, point, None),
    };
    let head_is_seen = match here.own_slot {
        // Both know the other where players are shown to be. Whoever is not quite there himself looks again from his own eyes.
        Some(own) if !target.figure.is_dead => {
            looks.eyes_meet(field, own, target.slot)
                && (looks.heads()[own].eye == here.eye || is_clear(looks, points[0]))
        }
        _ => is_clear(looks, points[0]),
    };
    if head_is_seen {
        parts |= Parts::HEAD;
    }
    let mut see = |index: usize, parts: &mut Parts| {
        if is_clear(looks, points[index]) {
            *parts |= Parts(1 << index);
        }
    };
    if !glance.is_told {
        if parts == Parts::NONE {
            // In turn also for who is looked at once in several frames.
            let turn = if glance.parts == Parts::NONE { frame / (here.turns_players + 1) } else { frame };
            see(1 + turn as usize % (POINTS - 1), &mut parts);
        }
        return parts;
    }
    // The chest every other time.
    let turn = if target.look.is_multiple_of(2) { 1 } else { FIRST + (target.look / 2) as usize % (POINTS - FIRST) };
    see(turn, &mut parts);
    if parts == Parts::NONE {
        (1..POINTS).filter(|index| *index != turn).for_each(|index| see(index, &mut parts));
        return parts;
    }
    let kept = Parts::ALL.0 & !(Parts::HEAD.0 | 1 << turn);
    parts | Parts(glance.parts.0 & kept)
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
