//! What a bot believes, and since when: enemies as remembered, missiles, noises, items, movers, dangers, flags.
//!
//! In: the percepts that matured on the delay line, one's own body, what team mates said. Out: lists that behaviours read.
//! A percept is merged with what is known (J. Lampel, "JoeBOT XP, an overview", 2005, 10): new, updated or gone. What is
//! older than short-term memory (3 seconds there and here) is forgotten, but for what is worth keeping: where an enemy was
//! last seen, which items were taken, where somebody was killed.
//!
//! Everything a bot learns is as old as its reaction time. An enemy is believed to have gone on since as he went when he
//! was seen ([`Threat::place`]), as far as the bot's skill lets it guess.
//!
//! Files: `threat`, `items`, `movers`, `objectives`. Not here: what is shared (`team`), where an enemy out of sight may have got to.
//! Cost: a compare for each percept, and one short sweep for each enemy in sight.

mod items;
mod movers;
mod objectives;
mod threat;

use fireteam_world::trace::Placed;
use fireteam_world::units::{EntityId, ModelId, Time};
use fireteam_world::{Vec3, maths};

use crate::character::Skill;
use crate::convar::ConVars;
use crate::field::Field;
use crate::perceive::{Keenness, Mates, Percept, Sense, Senses, What};
use crate::snapshot::{Cloud, Figure, Missile, Own, Said, SoundKind, Team, Voice};

pub use items::BelievedItem;
pub use movers::BelievedMover;
pub(crate) use objectives::OBJECTIVES_MAX;
pub use objectives::{BelievedObjective, Flags, Sighting};
pub use threat::Threat;

use items::Items;
use movers::Movers;
use objectives::Objectives;
use threat::{Seer, Threats};

/// Most of each that is remembered; the oldest makes room.
const MISSILES_MAX: usize = 32;
const NOISES_MAX: usize = 16;
const WORDS_MAX: usize = 8;
const CLOUDS_MAX: usize = 16;
const DANGERS_MAX: usize = 16;
const BYSTANDERS_MAX: usize = 16;
/// Two noises of a kind so soon after each other are one and the same going on.
const SAME_NOISE_MS: i32 = 1000;
/// A noise of somebody the bot knows to be there: this far beyond what the ear may be off.
const EXPLAINED_BEYOND: f32 = 96.0;
/// What a hit takes of the most it could: some pellets miss, a blast is not at its middle, armour takes its share.
const HIT_SHARE: f32 = 0.6;
/// What a bot takes for granted before a match has shown how good the others are: so many fall for so many.
const EXPECTED: (f32, f32) = (25.0, 10.0);
/// A fire that was seen is believed to burn on for so long.
const FIRE_MS: i32 = 6000;
/// Clouds do not move, but they grow.
const SAME_CLOUD: f32 = 32.0;

/// A missile as last seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownMissile {
    pub missile: Missile,
    /// When it was where `missile` says.
    pub seen: Time,
    /// When it was first seen, as known.
    pub since: Time,
}

/// A sound, and where it seemed to come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    pub kind: SoundKind,
    pub place: Vec3,
    /// How far off the place may be.
    pub spread: f32,
    pub heard: Time,
    /// A team mate, an enemy whom the bot knows of or somebody of no side is believed to be about there: nothing new.
    pub is_explained: bool,
}

/// The last blow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Felt {
    pub at: Time,
    pub points: i32,
    /// Unit vector to where it came from, if that was felt.
    pub towards: Option<Vec3>,
}

/// A word of another player's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word {
    pub from: Option<EntityId>,
    pub voice: Voice,
    pub heard: Time,
}

/// Smoke, fire or gas as last seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownCloud {
    pub cloud: Cloud,
    pub seen: Time,
}

/// Somebody of no side as last seen: to be spared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bystander {
    pub entity: EntityId,
    /// Where he was when he was seen, and how he moved.
    pub place: Vec3,
    pub velocity: Vec3,
    pub seen: Time,
}

impl Bystander {
    /// Where he is if he went on as he went.
    pub fn place_at(&self, now: Time) -> Vec3 {
        self.place + self.velocity * now.seconds_since(self.seen)
    }
}

/// A place where somebody of one's own side was killed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Danger {
    pub place: Vec3,
    pub at: Time,
}

/// All that one bot believes.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    threats: Threats,
    missiles: Vec<KnownMissile>,
    noises: Vec<Noise>,
    words: Vec<Word>,
    clouds: Vec<KnownCloud>,
    dangers: Vec<Danger>,
    bystanders: Vec<Bystander>,
    items: Items,
    movers: Movers,
    objectives: Objectives,
    hurt: Option<Felt>,
    /// Of the team's reports, how many it has heard; and of where flags lie.
    pub(crate) reports_heard: u64,
    pub(crate) finds_heard: u64,
    /// When a round began that it knows of.
    round: Option<Time>,
    /// Enemies who fell to one's own side, and the other way round.
    score: (u32, u32),
    me: EntityId,
    was_dead: bool,
    life: u32,
}

impl Memory {
    /// What everyone knows who has played the map before: where items lie and how movers stand when a level begins.
    pub fn of(field: &Field) -> Memory {
        Memory {
            threats: Threats::new(),
            missiles: Vec::with_capacity(MISSILES_MAX),
            noises: Vec::with_capacity(NOISES_MAX),
            words: Vec::with_capacity(WORDS_MAX),
            clouds: Vec::with_capacity(CLOUDS_MAX),
            dangers: Vec::with_capacity(DANGERS_MAX),
            bystanders: Vec::with_capacity(BYSTANDERS_MAX),
            items: Items::of(field),
            movers: Movers::of(field),
            objectives: Objectives::new(),
            hurt: None,
            reports_heard: 0,
            finds_heard: 0,
            round: None,
            score: (0, 0),
            me: EntityId(0),
            was_dead: false,
            life: 0,
        }
    }

    /// Enemies as remembered, each once: the latest and nearest to mind, if there are very many.
    pub fn threats(&self) -> &[Threat] {
        self.threats.all()
    }

    pub fn threat(&self, entity: EntityId) -> Option<&Threat> {
        self.threats.get(entity)
    }

    /// Living enemies believed to be in sight now.
    pub fn in_sight(&self) -> impl Iterator<Item = &Threat> {
        self.threats.in_sight()
    }

    /// Living enemies who were seen at a moment or after it.
    pub fn seen_since(&self, since: Time) -> impl Iterator<Item = &Threat> {
        self.threats.seen_since(since)
    }

    pub fn missiles(&self) -> &[KnownMissile] {
        &self.missiles
    }

    pub fn noises(&self) -> &[Noise] {
        &self.noises
    }

    pub fn words(&self) -> &[Word] {
        &self.words
    }

    pub fn clouds(&self) -> &[KnownCloud] {
        &self.clouds
    }

    /// Clouds that hurt who stands in them.
    pub fn fires(&self) -> impl Iterator<Item = &Cloud> {
        self.clouds.iter().map(|known| &known.cloud).filter(|cloud| cloud.harms)
    }

    /// Where the bot's side lost somebody, the oldest first.
    pub fn dangers(&self) -> &[Danger] {
        &self.dangers
    }

    /// People of no side who were seen a moment ago.
    pub fn bystanders(&self) -> &[Bystander] {
        &self.bystanders
    }

    pub fn items(&self) -> &[BelievedItem] {
        self.items.all()
    }

    /// Where every mover is believed to be now, ready for a crowd.
    pub fn movers(&self) -> &[Placed] {
        self.movers.placed()
    }

    /// Every mover of the map as believed, in its order.
    pub fn believed_movers(&self) -> &[BelievedMover] {
        self.movers.all()
    }

    pub fn mover(&self, model: ModelId) -> Option<&BelievedMover> {
        self.movers.of_model(model)
    }

    /// What is played for, in the game's order; none in a plain fight.
    pub fn objectives(&self) -> &[BelievedObjective] {
        self.objectives.all()
    }

    /// The flags as this team sees them, where each side has one.
    pub fn flags(&self, team: Team) -> Option<Flags<'_>> {
        self.objectives.flags(team)
    }

    /// The last blow, as long as it is fresh.
    pub fn hurt(&self) -> Option<Felt> {
        self.hurt
    }

    /// When the round began that is being played, if the bot was told.
    pub fn round_began(&self) -> Option<Time> {
        self.round
    }

    /// How fights went so far beside what was expected of them: 1 as expected, less if the enemy is better than thought.
    pub fn fortune(&self) -> f32 {
        let (won, lost) = self.score;
        (won as f32 + EXPECTED.0) / (lost as f32 + EXPECTED.1) * (EXPECTED.1 / EXPECTED.0)
    }

    /// In a new life nothing is in sight yet and nothing hurts. Where enemies were and what was taken is still known.
    pub fn forget_life(&mut self) {
        self.threats.lose_all();
        self.missiles.clear();
        self.noises.clear();
        self.bystanders.clear();
        self.clouds.clear();
        self.hurt = None;
    }

    /// What matured on the delay line becomes known. Once a frame, after `perceive`.
    pub fn absorb(
        &mut self,
        senses: &mut Senses,
        own: &Own,
        mates: Mates<'_>,
        now: Time,
        field: &Field,
        convars: &ConVars,
    ) {
        self.me = own.entity;
        if self.life != own.life {
            self.life = own.life;
            self.forget_life();
        }
        // Who joined one's own side is no threat any more.
        if mates.have_changed() {
            self.threats.retain(|threat| mates.find(threat.entity).is_none());
        }
        senses.mature(now, |percept| self.learn(percept, mates, field));
        self.see_own_bearers(own, mates, now);
        if own.body.is_dead && !self.was_dead {
            self.remember_danger(own.body.origin, now);
        }
        self.was_dead = own.body.is_dead;
        // The dead go on reading what is written; where everything has got to they need to know when they are back.
        if own.body.is_dead {
            return;
        }
        if own.has_hit {
            self.note_hit(own, field);
        }
        self.movers.go_on(now, convars);
        // Whoever is in sight moves in every frame, the others at the next turn.
        self.threats.sighted_go_on(&Seer { keen: Keenness::of(senses.skill(), convars), now, field, convars });
    }

    /// The game made the sound of a hit: somebody in front lost what a round of this weapon takes.
    fn note_hit(&mut self, own: &Own, field: &Field) {
        let arsenal = &field.arsenal;
        let weapon = arsenal.weapon(own.weapon);
        let flown = arsenal.fired_by(own.weapon).map_or(0, |(_, missile)| missile.damage);
        let points = (weapon.damage * weapon.pellets).max(flown) as f32 * HIT_SHARE;
        let forward = maths::game_axes(own.body.view.x, own.body.view.y, 0.0).forward;
        self.threats.wound(own.body.eye(), forward, points);
    }

    /// What is too old is forgotten, and everything is believed to have gone on. Once a turn, before deciding anything.
    pub fn review(&mut self, skill: Skill, now: Time, field: &Field, convars: &ConVars) {
        self.forget(now, convars);
        self.items.expect(now);
        self.threats.go_on(&Seer { keen: Keenness::of(skill, convars), now, field, convars });
    }

    /// How much each enemy matters is reckoned once a turn, when all is known.
    pub(crate) fn weigh(&mut self, menace: impl Fn(&Threat) -> f32) {
        self.threats.weigh(menace);
    }

    fn learn(&mut self, percept: &Percept, mates: Mates<'_>, field: &Field) {
        let at = percept.at;
        match percept.what {
            // He may have changed sides since he was seen.
            What::Enemy { figure, .. } if mates.find(figure.entity).is_some() => {}
            What::Enemy { figure, .. } if figure.team == Team::NEUTRAL => self.see_bystander(&figure, at),
            What::Enemy { figure, parts } => {
                self.threats.see(&figure, parts, percept, field);
                let sighting = Sighting { place: figure.origin, at, by: Sense::Sight, bearer: None };
                self.objectives.see_player(figure.entity, figure.team, figure.powers, sighting);
            }
            What::OutOfSight(entity) => self.threats.lose(entity, at),
            What::Missile(missile) => self.see_missile(missile, at),
            What::MissileGone(entity) => self.missiles.retain(|known| known.missile.entity != entity),
            What::Item(item) => {
                self.items.see(&item, at, field);
                self.objectives.see_item(&item, at);
            }
            What::ItemGone { entity, origin } => {
                self.items.miss(entity, origin, at);
                self.objectives.miss_item(origin, at);
            }
            What::Mover(mover) => self.movers.see(&mover, at),
            What::MoverAway(model) => self.movers.miss(model, at, field),
            What::Cloud(cloud) => self.see_cloud(cloud, at),
            What::Noise { kind, place, spread } => self.hear(kind, place, spread, mates, at),
            What::Pain(hurt) => self.hurt = Some(Felt { at, points: hurt.points, towards: hurt.towards }),
            What::Said { from, said } => self.read(from, said, mates, at),
            What::Objective { index, told } => self.objectives.read(index, told, at),
        }
    }

    /// Mates are shown where they are, whatever they have on their backs.
    fn see_own_bearers(&mut self, own: &Own, mates: Mates<'_>, now: Time) {
        if self.objectives.all().is_empty() {
            return;
        }
        let here = Sighting { place: own.body.origin, at: now, by: Sense::Touch, bearer: None };
        self.objectives.see_player(own.entity, own.team, own.powers, here);
        for mate in mates.living() {
            let there = Sighting { place: mate.origin, ..here };
            self.objectives.see_player(mate.entity, mate.team, mate.powers, there);
        }
    }

    fn see_bystander(&mut self, figure: &Figure, at: Time) {
        self.bystanders.retain(|known| known.entity != figure.entity);
        if !figure.is_dead {
            let there = Bystander { entity: figure.entity, place: figure.origin, velocity: figure.velocity, seen: at };
            push(&mut self.bystanders, BYSTANDERS_MAX, there);
        }
    }

    fn see_missile(&mut self, missile: Missile, at: Time) {
        // Games use numbers again: another kind under a known number is another missile.
        let is_same =
            |known: &&mut KnownMissile| known.missile.entity == missile.entity && known.missile.kind == missile.kind;
        match self.missiles.iter_mut().find(is_same) {
            Some(known) => {
                known.missile = missile;
                known.seen = at;
            }
            None => push(&mut self.missiles, MISSILES_MAX, KnownMissile { missile, seen: at, since: at }),
        }
    }

    fn see_cloud(&mut self, cloud: Cloud, at: Time) {
        let is_same = |known: &&mut KnownCloud| known.cloud.origin.distance(cloud.origin) < SAME_CLOUD;
        match self.clouds.iter_mut().find(is_same) {
            Some(known) => *known = KnownCloud { cloud, seen: at },
            None => push(&mut self.clouds, CLOUDS_MAX, KnownCloud { cloud, seen: at }),
        }
    }

    fn hear(&mut self, kind: SoundKind, place: Vec3, spread: f32, mates: Mates<'_>, at: Time) {
        match kind {
            SoundKind::Pickup => self.items.hear_taken(place, spread, at),
            SoundKind::ItemBack => self.items.hear_back(place, spread, at),
            SoundKind::Explosion => self.missiles.retain(|known| known.missile.origin.distance(place) > spread),
            SoundKind::Step
            | SoundKind::Shot(_)
            | SoundKind::Bounce
            | SoundKind::Jump
            | SoundKind::Pain
            | SoundKind::Death
            | SoundKind::Mover
            | SoundKind::Teleport => {}
        }
        let is_same = |known: &Noise| {
            known.kind == kind
                && at - known.heard < SAME_NOISE_MS
                && known.place.distance_squared(place) < spread * spread
        };
        let known = self.noises.iter().position(is_same);
        // What goes on was explained when it began.
        let was_explained = known.is_some_and(|known| self.noises[known].is_explained);
        let is_explained = was_explained || self.is_somebody_about(place, spread + EXPLAINED_BEYOND, mates);
        let noise = Noise { kind, place, spread, heard: at, is_explained };
        match known {
            Some(known) => self.noises[known] = noise,
            None => push(&mut self.noises, NOISES_MAX, noise),
        }
    }

    /// Whether a mate, an enemy in sight, or somebody of no side who was seen a moment ago is near a place.
    fn is_somebody_about(&self, place: Vec3, reach: f32, mates: Mates<'_>) -> bool {
        let is_about = |there: Vec3| there.distance_squared(place) < reach * reach;
        mates.living_near(place, reach * reach).next().is_some()
            || self.in_sight().any(|threat| is_about(threat.place))
            || self.bystanders.iter().any(|bystander| is_about(bystander.place))
    }

    fn read(&mut self, from: Option<EntityId>, said: Said, mates: Mates<'_>, at: Time) {
        match said {
            Said::Obituary { victim, killer, .. } => {
                self.count(victim, killer, mates);
                self.threats.bury(victim, at);
                if let Some(mate) = mates.find(victim) {
                    self.remember_danger(mate.origin, at);
                }
            }
            Said::RoundStarts => self.begin_round(at),
            Said::RoundEnds { .. } => {}
            Said::Taken { kind } => self.items.read_taken(kind, at),
            Said::Voice(voice) => push(&mut self.words, WORDS_MAX, Word { from, voice, heard: at }),
        }
    }

    /// Who fell to whom, if it was between one's own side and another.
    fn count(&mut self, victim: EntityId, killer: Option<EntityId>, mates: Mates<'_>) {
        let is_ours = |who: EntityId| who == self.me || mates.find(who).is_some();
        match killer.map(|killer| (is_ours(killer), is_ours(victim))) {
            Some((true, false)) => self.score.0 += 1,
            Some((false, true)) => self.score.1 += 1,
            Some(_) | None => {}
        }
    }

    /// Everyone stands at his start again, items lie and doors stand as the map has them.
    fn begin_round(&mut self, at: Time) {
        self.round = Some(at);
        self.threats.retain(|threat| threat.seen >= at);
        self.items.begin_round();
        self.movers.begin_round();
    }

    fn remember_danger(&mut self, place: Vec3, at: Time) {
        push(&mut self.dangers, DANGERS_MAX, Danger { place, at });
    }

    /// Short-term memory is short; what is kept longer is kept here.
    fn forget(&mut self, now: Time, convars: &ConVars) {
        let is_fresh = |at: Time| now - at <= convars.memory_short_ms;
        let is_kept = |at: Time| now - at <= convars.memory_long_ms;
        self.threats.forget(now + -convars.memory_long_ms, now + -convars.memory_short_ms);
        self.missiles.retain(|known| is_fresh(known.seen));
        self.noises.retain(|noise| is_fresh(noise.heard));
        self.words.retain(|word| is_fresh(word.heard));
        self.clouds.retain(|known| is_fresh(known.seen) || known.cloud.harms && now - known.seen <= FIRE_MS);
        self.bystanders.retain(|known| is_fresh(known.seen));
        self.dangers.retain(|danger| is_kept(danger.at));
        self.hurt = self.hurt.filter(|felt| is_fresh(felt.at));
    }

    /// A team mate says that he saw an enemy.
    pub(crate) fn hear_report(&mut self, report: &Threat) {
        self.threats.hear_of(report);
        let sighting = Sighting { place: report.origin, at: report.seen, by: Sense::Words, bearer: None };
        self.objectives.see_player(report.entity, report.team, report.powers, sighting);
    }

    /// A team mate says where a flag lies.
    pub(crate) fn hear_find(&mut self, index: u8, sighting: Sighting) {
        self.objectives.hear(index, sighting);
    }
}

/// Adds to a list of a stated length; the first makes room.
fn push<T>(list: &mut Vec<T>, max: usize, new: T) {
    if list.len() == max {
        list.remove(0);
    }
    list.push(new);
}
