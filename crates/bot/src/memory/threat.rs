//! An enemy as remembered: where he was seen, when, and where he is believed to be now.

use fireteam_world::movement::{MovementRules, Stance};
use fireteam_world::trace::{Hull, Sweep};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Vec3};

use crate::convar::ConVars;
use crate::field::Field;
use crate::perceive::{Keenness, Parts, Percept, Sense, body_points};
use crate::snapshot::{Figure, Team, WeaponId};

/// Enemies a bot keeps in mind at a time: every one of a match of sixteen a side. Among more, people lose track as well, and
/// whoever was seen longest ago is hardly where he was.
pub(super) const THREATS_MAX: usize = 16;
/// Half the width of the body that is moved along to guess where somebody got to: thin, so that corners do not stop it.
const GUESS_HALF_WIDTH: f32 = 4.0;
/// Feet this far off the ground are in the air.
const AIRBORNE: f32 = 8.0;
/// Longer than any pause between two sightings of one who is watched.
const SWALLOWED_MS: i32 = 500;
/// A sighting that was interrupted for no longer than this goes on.
const SAME_SIGHTING_MS: i32 = 1000;
/// Who was out of sight for longer may have mended.
const WOUNDED_MS: i32 = 6000;
/// Two looks farther apart than this do not show whether he turns round. What changed between them goes on for so long: of 53,000
/// looks at stock bots in fights, this puts most within a body's width of where they were 150 ms later.
const TURN_LOOK_MS: i32 = 100;
const TURN_MS: f32 = 45.0;
/// More than this nobody is believed to have lost and lived.
const WOUNDS_MAX: f32 = 90.0;
/// Cosine of what a shot that hits may lie off the middle of a body close by: 30 degrees.
const STRUCK_COSINE: f32 = 0.866;

/// An enemy as remembered, never the enemy himself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threat {
    pub entity: EntityId,
    pub team: Team,
    /// Where he was when he was last seen.
    pub origin: Vec3,
    /// How he is believed to go on from there: as he went, and more so by what had changed since the look before.
    pub velocity: Vec3,
    /// Where he looked then.
    pub pitch: f32,
    pub yaw: f32,
    pub stance: Stance,
    /// What he held; none if somebody only told of him.
    pub weapon: Option<WeaponId>,
    pub is_firing: bool,
    /// Bits of [`Power`](crate::snapshot::Power).
    pub powers: u32,
    pub is_dead: bool,
    /// When `origin` was true.
    pub seen: Time,
    /// When this sighting began.
    pub since: Time,
    /// As far as the bot knows, he is in sight now.
    pub in_sight: bool,
    /// Which points of his body were in sight.
    pub parts: Parts,
    /// By which sense he is known: sight, or the words of a team mate.
    pub by: Sense,
    /// Where he is believed to be now, if he goes on as he went.
    pub place: Vec3,
    /// The moment `place` is for.
    pub placed: Time,
    /// How far from `place` he may be by now.
    pub spread: f32,
    /// Points he is believed to have lost to hits that were felt to go home, by this bot or by who told of him.
    pub wounds: f32,
    /// How much he mattered when the turn began ([`menace`](crate::behaviour::View::menace)).
    pub(crate) menace: f32,
    /// The last thing known of him, a sighting or an obituary, was true then.
    pub(crate) known: Time,
    /// He was off the ground.
    is_airborne: bool,
    /// How he went when he was last seen.
    went: Vec3,
}

impl Threat {
    /// Where he will be at a moment not far off, if he goes on as he goes.
    pub fn place_at(&self, time: Time) -> Vec3 {
        self.place + self.velocity * time.seconds_since(self.placed)
    }

    /// What of him to aim at from `eye`: the middle of him, or else whatever of him was in the open. Where it will be at
    /// a moment not far off.
    pub fn aim_spot(&self, eye: Vec3, time: Time, rules: &MovementRules) -> Vec3 {
        let points = body_points(self.place_at(time), self.stance, self.is_dead, eye, rules);
        let order = [Parts::CHEST, Parts::HEAD, Parts::LEFT, Parts::RIGHT, Parts::FEET];
        let part = order.into_iter().find(|&part| self.parts.meets(part)).unwrap_or(Parts::CHEST);
        points[part.0.trailing_zeros() as usize]
    }

    /// Where he will be after a while not long: straight on, falling if he is in the air, stopped by walls and floors.
    pub fn place_after(&self, seconds: f32, field: &Field) -> Vec3 {
        let mut velocity = self.velocity;
        if self.is_airborne {
            velocity.z -= field.game.rules.movement.gravity as f32 * self.placed.seconds_since(self.seen);
        }
        self.went_on(self.place, velocity, seconds, field)
    }

    /// How long ago he was seen.
    pub fn age_ms(&self, now: Time) -> i32 {
        now - self.seen
    }
}

/// Who guesses, and when.
pub(super) struct Seer<'a> {
    pub(super) keen: Keenness,
    pub(super) now: Time,
    pub(super) field: &'a Field,
    pub(super) convars: &'a ConVars,
}

impl Threat {
    /// What to add to how he goes by now, since he goes otherwise than at the look before: whoever turns round is seen to brake
    /// first, and by when the mind knows of it he runs the other way.
    fn turn(&self, velocity: Vec3, at: Time, rules: &MovementRules) -> Vec3 {
        let ms = at - self.seen;
        if ms <= 0 || ms > TURN_LOOK_MS {
            return Vec3::ZERO;
        }
        let changed = velocity - self.went;
        let turn = Vec3::new(changed.x, changed.y, 0.0) * (TURN_MS / ms as f32);
        let then = velocity + turn;
        let most = velocity.length().max(rules.speed as f32);
        if then.length() > most { then * (most / then.length()) - velocity } else { turn }
    }

    /// Believes him to have gone on since he was seen: straight on, falling if he was in the air, stopped by walls.
    #[inline]
    pub(super) fn go_on(&mut self, seer: &Seer<'_>) {
        // Whoever is in sight has gone on in this frame already.
        if self.placed == seer.now {
            return;
        }
        let age_ms = (seer.now - self.seen).max(0);
        // Whoever is in sight is seen anew all the time; if no word of him came, something swallowed it.
        self.in_sight &= age_ms <= seer.keen.reaction_max_ms + SWALLOWED_MS;
        let was_settled = self.placed - self.seen >= seer.convars.foresight_ms;
        self.placed = seer.now;
        let rules = &seer.field.game.rules.movement;
        let unseen_ms = if self.in_sight { 0 } else { age_ms };
        self.spread = (unseen_ms as f32 * 0.001 * rules.speed as f32).min(seer.convars.memory_spread_max);
        // Nobody guesses further than that; the guess stays where it was.
        if was_settled && seer.convars.foresight_ms > 0 {
            return;
        }
        self.place = self.guess(age_ms, seer);
    }

    fn guess(&self, age_ms: i32, seer: &Seer<'_>) -> Vec3 {
        let seconds = age_ms.min(seer.convars.foresight_ms) as f32 * 0.001 * seer.keen.foresight;
        self.went_on(self.origin, self.velocity, seconds, seer.field)
    }

    fn went_on(&self, from: Vec3, velocity: Vec3, seconds: f32, field: &Field) -> Vec3 {
        let rules = &field.game.rules.movement;
        if self.is_dead || seconds == 0.0 || velocity == Vec3::ZERO {
            return from;
        }
        let mut to = from + velocity * seconds;
        if self.is_airborne {
            to.z -= 0.5 * rules.gravity as f32 * seconds * seconds;
        }
        // Steps are climbed by lifting the feet of the guess that far.
        let feet = rules.body.feet + rules.step_height;
        let thin = Hull::new(
            Vec3::new(-GUESS_HALF_WIDTH, -GUESS_HALF_WIDTH, feet),
            Vec3::new(GUESS_HALF_WIDTH, GUESS_HALF_WIDTH, feet.max(0.0) + GUESS_HALF_WIDTH),
        );
        field.solids.sweep(&Sweep::hull(from, to, thin, Contents::MASK_WALK)).end
    }
}

/// Enemies as remembered, each once. Of more than there is room for, those who matter least make room.
///
/// Of all of them one or two are in sight; the others are touched once a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Threats {
    all: Vec<Threat>,
    /// Who each of them is.
    entities: Vec<EntityId>,
    /// When each of them was seen.
    seen: Vec<Time>,
    /// A bit for each that may be in sight; the others are not.
    sighted: u32,
    /// A bit for each that is dead.
    fallen: u32,
}

const _: () = assert!(THREATS_MAX <= u32::BITS as usize);

impl Threats {
    pub(super) fn new() -> Threats {
        Threats {
            all: Vec::with_capacity(THREATS_MAX),
            entities: Vec::with_capacity(THREATS_MAX),
            seen: Vec::with_capacity(THREATS_MAX),
            sighted: 0,
            fallen: 0,
        }
    }

    pub(super) fn all(&self) -> &[Threat] {
        &self.all
    }

    pub(super) fn get(&self, entity: EntityId) -> Option<&Threat> {
        self.index(entity).map(|index| &self.all[index])
    }

    /// Those believed to be in sight, and alive.
    pub(super) fn in_sight(&self) -> impl Iterator<Item = &Threat> {
        let sighted = bits(self.sighted).map(|index| &self.all[index]);
        sighted.filter(|threat| threat.in_sight && !threat.is_dead)
    }

    /// Those who live and were seen at a moment or after it.
    pub(super) fn seen_since(&self, since: Time) -> impl Iterator<Item = &Threat> {
        let seen = self.seen.iter().enumerate().filter(move |(_, seen)| **seen >= since);
        seen.filter(|(index, _)| self.fallen >> index & 1 == 0).map(|(index, _)| &self.all[index])
    }

    pub(super) fn retain(&mut self, is_kept: impl FnMut(&Threat) -> bool) {
        self.all.retain(is_kept);
        self.index_anew();
    }

    /// Forgets the living who were not seen since a moment, and the dead of whom nothing new is known since another.
    pub(super) fn forget(&mut self, seen_before: Time, known_before: Time) {
        let is_stale = |threat: &Threat| {
            if threat.is_dead { threat.known < known_before } else { threat.seen < seen_before }
        };
        // Nearly always there is nobody to be forgotten.
        let is_anyone_old = self.seen.iter().any(|seen| *seen < seen_before);
        if is_anyone_old || bits(self.fallen).any(|index| is_stale(&self.all[index])) {
            self.retain(|threat| !is_stale(threat));
        }
    }

    /// Whoever is in sight goes on.
    pub(super) fn sighted_go_on(&mut self, seer: &Seer<'_>) {
        for index in bits(self.sighted) {
            self.all[index].go_on(seer);
        }
    }

    /// Everyone goes on.
    pub(super) fn go_on(&mut self, seer: &Seer<'_>) {
        self.sighted = 0;
        for (index, threat) in self.all.iter_mut().enumerate() {
            threat.go_on(seer);
            self.sighted |= u32::from(threat.in_sight) << index;
        }
    }

    /// Weighs everyone who lives.
    pub(super) fn weigh(&mut self, menace: impl Fn(&Threat) -> f32) {
        let living = self.all.iter_mut().filter(|threat| !threat.is_dead);
        living.for_each(|threat| threat.menace = menace(threat));
    }

    /// Nobody is in sight any more.
    pub(super) fn lose_all(&mut self) {
        self.all.iter_mut().for_each(|threat| threat.in_sight = false);
        self.sighted = 0;
    }

    fn index(&self, entity: EntityId) -> Option<usize> {
        self.entities.iter().position(|known| *known == entity)
    }

    fn find(&mut self, entity: EntityId) -> Option<&mut Threat> {
        self.index(entity).map(|index| &mut self.all[index])
    }

    fn index_anew(&mut self) {
        self.entities.clear();
        self.seen.clear();
        (self.sighted, self.fallen) = (0, 0);
        for (index, threat) in self.all.iter().enumerate() {
            self.entities.push(threat.entity);
            self.seen.push(threat.seen);
            self.sighted |= u32::from(threat.in_sight) << index;
            self.fallen |= u32::from(threat.is_dead) << index;
        }
    }

    fn put(&mut self, new: Threat) {
        let Some(index) = self.index(new.entity).or_else(|| self.room_for(&new)) else { return };
        self.all[index] = new;
        (self.entities[index], self.seen[index]) = (new.entity, new.seen);
        self.sighted = self.sighted & !(1 << index) | u32::from(new.in_sight) << index;
        self.fallen = self.fallen & !(1 << index) | u32::from(new.is_dead) << index;
    }

    /// A place for one who is not in mind yet: that of whoever matters least, the dead before the living, those out of sight before
    /// those in it, and of these the one seen longest ago. None if that is he himself.
    fn room_for(&mut self, new: &Threat) -> Option<usize> {
        if self.all.len() < THREATS_MAX {
            self.all.push(*new);
            self.entities.push(new.entity);
            self.seen.push(new.seen);
            return Some(self.all.len() - 1);
        }
        let matters = |threat: &Threat| (!threat.is_dead, threat.in_sight, threat.seen);
        let (index, least) = self.all.iter().enumerate().min_by_key(|(_, threat)| matters(threat))?;
        (matters(least) <= matters(new)).then_some(index)
    }

    /// A sighting matured.
    pub(super) fn see(&mut self, figure: &Figure, parts: Parts, percept: &Percept, field: &Field) {
        let at = percept.at;
        let known = self.get(figure.entity);
        // The word that he died may have come before the last glimpse of him alive.
        if known.is_some_and(|threat| threat.is_dead && !figure.is_dead && at <= threat.known) {
            return;
        }
        let goes_on = |threat: &&Threat| threat.by == Sense::Sight && at - threat.seen <= SAME_SIGHTING_MS;
        let is_hurt = |threat: &&Threat| !threat.is_dead && at - threat.seen <= WOUNDED_MS;
        let since = known.filter(goes_on).map_or(at, |threat| threat.since);
        let wounds = known.filter(is_hurt).map_or(0.0, |threat| threat.wounds);
        let below = Vec3::Z * (field.game.rules.movement.body.feet - AIRBORNE);
        let down = Sweep::ray(figure.origin, figure.origin + below, Contents::MASK_WALK);
        let is_airborne = figure.velocity.z != 0.0 && field.solids.is_clear(&down);
        let before = known.filter(|threat| threat.by == Sense::Sight && !(threat.is_airborne || is_airborne));
        let turn = before.map_or(Vec3::ZERO, |threat| threat.turn(figure.velocity, at, &field.game.rules.movement));
        self.put(Threat {
            entity: figure.entity,
            team: figure.team,
            origin: figure.origin,
            velocity: figure.velocity + turn,
            pitch: figure.pitch,
            yaw: figure.yaw,
            stance: figure.stance,
            weapon: Some(figure.weapon),
            is_firing: figure.is_firing,
            powers: figure.powers,
            is_dead: figure.is_dead,
            seen: at,
            since,
            in_sight: true,
            parts,
            by: Sense::Sight,
            place: figure.origin,
            placed: at,
            spread: 0.0,
            wounds,
            menace: 0.0,
            known: at,
            is_airborne,
            went: figure.velocity,
        });
    }

    /// Somebody saw him; what one saw oneself since then counts more.
    pub(super) fn hear_of(&mut self, report: &Threat) {
        if self.find(report.entity).is_none_or(|threat| threat.known < report.seen) {
            let wounds = self.get(report.entity).map_or(0.0, |threat| threat.wounds).max(report.wounds);
            let told = Threat { in_sight: false, parts: Parts::NONE, by: Sense::Words, known: report.seen, ..*report };
            self.put(Threat { weapon: None, is_firing: false, wounds, ..told });
        }
    }

    pub(super) fn lose(&mut self, entity: EntityId, at: Time) {
        if let Some(threat) = self.find(entity).filter(|threat| threat.seen <= at) {
            threat.in_sight = false;
            threat.parts = Parts::NONE;
        }
    }

    /// A hit went home: on whom of those in sight the view lay best.
    pub(super) fn wound(&mut self, eye: Vec3, forward: Vec3, points: f32) {
        let off = |threat: &Threat| (threat.place - eye).normalize_or_zero().dot(forward);
        let struck = self.in_sight().max_by(|a, b| off(a).total_cmp(&off(b)));
        let struck = struck.filter(|threat| off(threat) > STRUCK_COSINE).map(|threat| threat.entity);
        if let Some(threat) = struck.and_then(|entity| self.find(entity)) {
            threat.wounds = (threat.wounds + points).min(WOUNDS_MAX);
        }
    }

    /// An obituary was read.
    pub(super) fn bury(&mut self, entity: EntityId, at: Time) {
        let Some(index) = self.index(entity) else { return };
        let threat = &mut self.all[index];
        if threat.known <= at {
            threat.is_dead = true;
            threat.in_sight = false;
            threat.known = at;
            self.fallen |= 1 << index;
        }
    }
}

/// Which bits are set, from the lowest.
fn bits(mut rest: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(lowest)
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn threat(entity: u16, seen: i32, in_sight: bool) -> Threat {
        Threat {
            entity: EntityId(entity),
            team: Team(1),
            origin: Vec3::ZERO,
            velocity: Vec3::ZERO,
            pitch: 0.0,
            yaw: 0.0,
            stance: Stance::Standing,
            weapon: None,
            is_firing: false,
            powers: 0,
            is_dead: false,
            seen: Time(seen),
            since: Time(seen),
            in_sight,
            parts: Parts::NONE,
            by: Sense::Sight,
            place: Vec3::ZERO,
            placed: Time(seen),
            spread: 0.0,
            wounds: 0.0,
            menace: 0.0,
            known: Time(seen),
            is_airborne: false,
            went: Vec3::ZERO,
        }
    }

    proptest! {
        /// More enemies than there is room for, seen, lost, buried and forgotten.
        #[test]
        fn what_is_kept_beside_the_threats_says_what_they_say(events in vec((0..5_u8, 0..140_u16), 0..400)) {
            let mut threats = Threats::new();
            for (ms, (event, entity)) in (0..).step_by(10).zip(events) {
                match event {
                    0..=1 => threats.put(threat(entity, ms, event == 1)),
                    2 => threats.lose(EntityId(entity), Time(ms)),
                    3 => threats.bury(EntityId(entity), Time(ms)),
                    _ => threats.forget(Time(ms - 1500), Time(ms - 300)),
                }
                let whom = |threat: &Threat| threat.entity;
                let since = Time(ms - 700);
                let fresh = threats.all.iter().filter(|threat| !threat.is_dead && threat.seen >= since).map(whom);
                prop_assert!(threats.seen_since(since).map(whom).eq(fresh));
                let seen = threats.all.iter().filter(|threat| !threat.is_dead && threat.in_sight).map(whom);
                prop_assert!(threats.in_sight().map(whom).eq(seen));
                prop_assert!(threats.all.iter().all(|threat| threats.get(threat.entity) == Some(threat)));
                let is_old = |threat: &Threat| if threat.is_dead { threat.known < Time(ms - 300) } else { threat.seen < Time(ms - 1500) };
                prop_assert!(event != 4 || !threats.all.iter().any(is_old));
            }
        }
    }

    #[test]
    fn of_more_enemies_than_can_be_kept_in_mind_the_least_makes_room() {
        let mut threats = Threats::new();
        (0..THREATS_MAX as u16).for_each(|entity| threats.put(threat(entity, 100 + i32::from(entity), entity == 0)));
        let is_known = |threats: &Threats, entity| threats.get(EntityId(entity)).is_some();
        threats.put(threat(50, 90, false));
        assert!(!is_known(&threats, 50), "an old word of somebody else");
        threats.put(threat(51, 500, false));
        assert!(is_known(&threats, 0), "in sight, though he was seen first");
        assert!(!is_known(&threats, 1) && is_known(&threats, 51), "seen longest ago");
        threats.bury(EntityId(51), Time(600));
        threats.put(threat(52, 550, false));
        assert!(!is_known(&threats, 51) && is_known(&threats, 52), "the dead make room first");
        assert_eq!(threats.all.len(), THREATS_MAX);
    }
}
