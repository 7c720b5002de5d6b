//! Do bots cheat? Think everything over again with all changed that they could not have perceived, and compare.
//!
//! In: the snapshots of a match and the commands its bots gave. Out: the first command that differs, or none. For each side
//! a second set of bots is shown the same frames, but for what an **oracle** says nobody of that side could see, hear or
//! be told in that frame: enemies stand elsewhere and are other people's, missiles fly elsewhere, items are there
//! or gone, doors stand otherwise, far sounds come from elsewhere, the other side's own feelings are missing. If one
//! bit of one command changes, something that was not perceived had a say in it.
//!
//! The oracle is not the bots' `perceive` and shares nothing with it: whether any of a fine grid of points of a thing is in the
//! line of sight of any eye of the side, whichever way the eyes look and however far, among the movers as they truly
//! stand; whether a sound is within the game's range. It says "could not" only when it is sure, so it may leave a
//! thing unchanged that a bot did not notice, never change one that it might have.

use std::sync::Arc;

use fireteam::snapshot::{Audience, Own, Sound, SoundKind, Team};
use fireteam::{Bots, Character, Command, ConVars, Field, Snapshot};
use fireteam_world::movement::Buttons;
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::{Placed, Sweep};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Scene, Vec3};

/// Distance between the points of a thing that are looked for.
const GRID: f32 = 8.0;
/// Things with more points than this are taken to be in sight.
const POINTS_MAX: usize = 4096;
/// Boxes are looked at a little larger than they are.
const MARGIN: f32 = 2.0;
/// How deep inside a box the point nearest to an eye is looked for.
const CRACKS: [f32; 4] = [0.0, 1.0, 2.0, 3.0];
/// What is this near to a body may be touched.
const TOUCH: f32 = 96.0;
/// Places tried for somebody who is to stand elsewhere.
const TRIES: usize = 6;
/// Sounds are heard no farther than this many times their range.
const RANGE_SLACK: f32 = 1.05;

/// One side's second thoughts.
#[derive(Debug)]
pub struct Blindfold {
    team: Team,
    bots: Bots,
    shown: Snapshot,
    crowd: Crowd,
    placed: Vec<Placed>,
    chance: Pcg,
    changed: Changed,
}

/// How much was changed: a blindfold that changes nothing proves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub frames: u64,
    /// Commands that were compared.
    pub commands: u64,
    pub players: u64,
    pub missiles: u64,
    pub items: u64,
    pub movers: u64,
    pub sounds: u64,
}

impl Changed {
    /// Of two sides together.
    pub fn and(self, other: Changed) -> Changed {
        Changed {
            frames: self.frames + other.frames,
            commands: self.commands + other.commands,
            players: self.players + other.players,
            missiles: self.missiles + other.missiles,
            items: self.items + other.items,
            movers: self.movers + other.movers,
            sounds: self.sounds + other.sounds,
        }
    }
}

/// A command that depended on something the bot could not have perceived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caught {
    pub time: Time,
    pub bot: EntityId,
    pub gave: Command,
    /// What it does when what it cannot know is different.
    pub gives: Command,
}

impl Blindfold {
    /// For the bots of one side: the same field, the same seed, the same people.
    pub fn new<'a>(
        field: &Arc<Field>,
        team: Team,
        seed: u64,
        members: impl Iterator<Item = (EntityId, &'a Character)>,
        chance: Pcg,
    ) -> Blindfold {
        let mut bots = Bots::new(Arc::clone(field), seed);
        members.for_each(|(entity, character)| bots.join(entity, character.clone()));
        Blindfold {
            team,
            bots,
            shown: Snapshot::default(),
            crowd: Crowd::default(),
            placed: Vec::new(),
            chance,
            changed: Changed::default(),
        }
    }

    /// Somebody joins; of which side he is, the frames say.
    pub fn join(&mut self, entity: EntityId, character: Character) {
        self.bots.join(entity, character);
    }

    pub fn leave(&mut self, entity: EntityId) {
        self.bots.leave(entity);
    }

    pub fn team(&self) -> Team {
        self.team
    }

    /// One frame: what the side did with its eyes open, against what it does blindfolded.
    pub fn compare(&mut self, truth: &Snapshot, commands: &[Command], convars: &ConVars) -> Option<Caught> {
        self.hide(truth);
        self.changed.frames += 1;
        let given = self.bots.think(&self.shown, convars);
        for command in given {
            let Some(gave) = commands.iter().find(|gave| gave.bot == command.bot) else { continue };
            self.changed.commands += 1;
            if gave != command {
                return Some(Caught { time: truth.time, bot: gave.bot, gave: *gave, gives: *command });
            }
        }
        None
    }

    pub fn changed(&self) -> Changed {
        self.changed
    }

    /// What the blindfolded side was shown last, for whoever wants to know what was different.
    pub fn shown(&self) -> &Snapshot {
        &self.shown
    }

    /// Makes `shown` out of the truth.
    fn hide(&mut self, truth: &Snapshot) {
        self.shown.clone_from(truth);
        self.shown.own.retain(|own| own.team == self.team);
        let field = Arc::clone(self.bots.field());
        stand(truth, &mut self.placed);
        self.crowd.set(&field.opaque, &self.placed, &[]);
        let oracle = Oracle {
            eyes: &self.shown.own.clone(),
            field: &field,
            scene: Scene { solids: &field.opaque, crowd: &self.crowd },
        };
        hide_players(&mut self.shown, &oracle, self.team, &mut self.chance, &mut self.changed);
        hide_missiles(&mut self.shown, &oracle, &mut self.chance, &mut self.changed);
        hide_items(&mut self.shown, &oracle, &mut self.chance, &mut self.changed);
        hide_movers(&mut self.shown, &oracle, &self.placed, &mut self.chance, &mut self.changed);
        hide_sounds(&mut self.shown, &oracle, &mut self.chance, &mut self.changed);
        let team = self.team;
        let is_told = |to: Audience| match to {
            Audience::All => true,
            Audience::Team(told) => told == team,
            Audience::One(told) => truth.own.iter().any(|own| own.entity == told && own.team == team),
        };
        self.shown.messages.retain(|message| is_told(message.to));
    }
}

/// Every mover where it truly is.
fn stand(truth: &Snapshot, placed: &mut Vec<Placed>) {
    placed.clear();
    let standing = truth.movers.iter().filter(|mover| !mover.is_gone);
    placed.extend(standing.map(|mover| Placed {
        model: mover.model,
        entity: mover.entity,
        origin: mover.position.at(truth.time),
        angles: mover.angles.at(truth.time),
        contents: Contents(u32::MAX),
    }));
}

/// What a side could perceive at all.
struct Oracle<'a> {
    eyes: &'a [Own],
    field: &'a Field,
    scene: Scene<'a>,
}

impl Oracle<'_> {
    /// Whether any point of a box might be seen or touched by anybody.
    fn could_perceive(&self, mins: Vec3, maxs: Vec3, pass: Option<EntityId>) -> bool {
        let (mins, maxs) = (mins - MARGIN, maxs + MARGIN);
        let steps = ((maxs - mins) / GRID).ceil().max(Vec3::ONE);
        if (steps.x + 1.0) * (steps.y + 1.0) * (steps.z + 1.0) > POINTS_MAX as f32 {
            return true;
        }
        let size = maxs - mins;
        let (nx, ny, nz) = (steps.x as i32, steps.y as i32, steps.z as i32);
        let points = (0..=nz).flat_map(move |z| {
            (0..=ny).flat_map(move |y| (0..=nx).map(move |x| Vec3::new(x as f32, y as f32, z as f32)))
        });
        let mut places = points.map(|at| mins + size * at / steps);
        let is_near = |own: &Own| own.body.origin.clamp(mins, maxs).distance(own.body.origin) < TOUCH;
        let sees = |own: &Own, place: Vec3| {
            let ray = Sweep::ray(own.body.eye(), place, Contents::MASK_OPAQUE);
            !own.body.is_dead && self.scene.is_clear(&ray, pass)
        };
        // What shows through a crack no grid would find: the middle, and what is nearest to the eye.
        let sees_crack = |own: &Own| {
            let nearest = |inset: f32| own.body.eye().clamp(mins + inset, (maxs - inset).max(mins + inset));
            sees(own, (mins + maxs) * 0.5) || CRACKS.iter().any(|inset| sees(own, nearest(*inset)))
        };
        self.eyes.iter().any(|own| is_near(own) || sees_crack(own))
            || places.any(|place| self.eyes.iter().any(|own| sees(own, place)))
    }

    /// A place where nobody of this side could perceive a body.
    fn hidden_place(&self, chance: &mut Pcg, reach: Vec3) -> Option<Vec3> {
        let origins = &self.field.terrain.waypoints.origin;
        (0..TRIES)
            .map(|_| *chance.pick(origins))
            .find(|place| !self.could_perceive(*place - reach, *place + reach, None))
    }
}

/// Half the size of the box a player is looked for in.
const PLAYER: Vec3 = Vec3::new(18.0, 18.0, 34.0);

fn hide_players(shown: &mut Snapshot, oracle: &Oracle, team: Team, chance: &mut Pcg, changed: &mut Changed) {
    for figure in shown.players.iter_mut().filter(|figure| figure.team != team) {
        if oracle.could_perceive(figure.origin - PLAYER, figure.origin + PLAYER, None) {
            continue;
        }
        let Some(place) = oracle.hidden_place(chance, PLAYER) else { continue };
        figure.origin = place;
        figure.velocity = chance.direction() * chance.range(0.0, 600.0);
        (figure.pitch, figure.yaw) = (chance.range(-80.0, 80.0), chance.range(-180.0, 180.0));
        figure.is_firing = chance.chance(0.5);
        figure.is_dead = chance.chance(0.2);
        figure.weapon.0 = chance.below(oracle.field.arsenal.weapons.len()) as u8;
        changed.players += 1;
    }
}

fn hide_missiles(shown: &mut Snapshot, oracle: &Oracle, chance: &mut Pcg, changed: &mut Changed) {
    let reach = Vec3::splat(4.0);
    for missile in &mut shown.missiles {
        // One's own are felt to leave the hand.
        let is_own = oracle.eyes.iter().any(|own| Some(own.entity) == missile.owner);
        if is_own || oracle.could_perceive(missile.origin - reach, missile.origin + reach, None) {
            continue;
        }
        let Some(place) = oracle.hidden_place(chance, reach) else { continue };
        missile.origin = place;
        missile.velocity = chance.direction() * chance.range(0.0, 1000.0);
        changed.missiles += 1;
    }
}

fn hide_items(shown: &mut Snapshot, oracle: &Oracle, chance: &mut Pcg, changed: &mut Changed) {
    let reach = Vec3::splat(16.0);
    for item in &mut shown.items {
        if !oracle.could_perceive(item.origin - reach, item.origin + reach, None) && chance.chance(0.5) {
            item.is_there = !item.is_there;
            changed.items += 1;
        }
    }
}

fn hide_movers(shown: &mut Snapshot, oracle: &Oracle, placed: &[Placed], chance: &mut Pcg, changed: &mut Changed) {
    for mover in &mut shown.movers {
        let Some(stands) = placed.iter().find(|placed| placed.entity == mover.entity) else { continue };
        let bounds = oracle.field.solids.placed_bounds(stands);
        let shift = Vec3::Z * chance.range(-64.0, 64.0);
        let moved = |at: Vec3| at + shift;
        if oracle.could_perceive(bounds.mins, bounds.maxs, Some(mover.entity))
            || oracle.could_perceive(moved(bounds.mins), moved(bounds.maxs), Some(mover.entity))
        {
            continue;
        }
        mover.position.base += shift;
        changed.movers += 1;
    }
}

fn hide_sounds(shown: &mut Snapshot, oracle: &Oracle, chance: &mut Pcg, changed: &mut Changed) {
    let hearing = &oracle.field.game.rules.hearing;
    let range = |sound: &Sound| match sound.kind {
        SoundKind::Step => hearing.steps,
        SoundKind::Shot(_) => hearing.shots,
        SoundKind::Explosion => hearing.explosions,
        SoundKind::Bounce => hearing.bounces,
        SoundKind::Pickup
        | SoundKind::Jump
        | SoundKind::Pain
        | SoundKind::Death
        | SoundKind::Mover
        | SoundKind::Teleport
        | SoundKind::ItemBack => hearing.small,
    };
    let before = shown.sounds.len();
    let is_heard = |sound: &Sound| {
        oracle.eyes.iter().any(|own| own.body.eye().distance(sound.origin) <= range(sound) * RANGE_SLACK)
    };
    shown.sounds.retain(|sound| is_heard(sound));
    changed.sounds += (before - shown.sounds.len()) as u64;
    let origin = *chance.pick(&oracle.field.terrain.waypoints.origin);
    let step = Sound { kind: SoundKind::Step, origin, source: None };
    if !is_heard(&step) {
        shown.sounds.push(step);
        changed.sounds += 1;
    }
}

/// How soon bots react: from the first moment an enemy could be seen to the first moment the bot acts on it.
///
/// An encounter begins when the oracle says that the bot could perceive somebody whom it could not for a while; it ends when
/// the bot believes him in sight, and later fires at him.
#[derive(Debug, Default)]
pub struct Encounters {
    pairs: Vec<Pair>,
    crowd: Crowd,
    placed: Vec<Placed>,
    /// Milliseconds until the bot knew, of each encounter.
    pub known_ms: Vec<i32>,
    /// Milliseconds until it pressed attack with him as its target.
    pub fired_ms: Vec<i32>,
}

/// What is known of one bot and one enemy of its.
#[derive(Clone, Copy, Debug)]
struct Pair {
    bot: EntityId,
    enemy: EntityId,
    /// Could be perceived since then; none if he cannot be.
    open: Option<Time>,
    /// Could not be perceived since then.
    shut: Time,
    /// The encounter is fresh: he had been out of sight for long enough.
    is_fresh: bool,
    is_known: bool,
    has_fired: bool,
}

/// Out of sight for less than this is the same encounter.
const APART_MS: i32 = 3000;

impl Encounters {
    /// One frame, after the bots have thought.
    pub fn look(&mut self, truth: &Snapshot, bots: &Bots, commands: &[Command]) {
        stand(truth, &mut self.placed);
        let field = bots.field();
        self.crowd.set(&field.solids, &self.placed, &[]);
        let scene = Scene { solids: &field.solids, crowd: &self.crowd };
        for own in &truth.own {
            let oracle = Oracle { eyes: std::slice::from_ref(own), field, scene };
            for enemy in truth.players.iter().filter(|figure| figure.team != own.team) {
                let pair = pair_of(&mut self.pairs, own.entity, enemy.entity, truth.time);
                let is_open = !own.body.is_dead
                    && !enemy.is_dead
                    && oracle.could_perceive(enemy.origin - PLAYER, enemy.origin + PLAYER, None);
                pair.turn(is_open, truth.time);
                let Some(open) = pair.open.filter(|_| pair.is_fresh) else { continue };
                let knows = bots.memory(own.entity).and_then(|memory| memory.threat(enemy.entity));
                if !pair.is_known && knows.is_some_and(|threat| threat.in_sight) {
                    pair.is_known = true;
                    self.known_ms.push(truth.time - open);
                }
                let fires = commands
                    .iter()
                    .any(|command| command.bot == own.entity && command.press.buttons.meets(Buttons::ATTACK));
                if !pair.has_fired && fires && bots.target(own.entity) == Some(enemy.entity) {
                    pair.has_fired = true;
                    self.fired_ms.push(truth.time - open);
                }
            }
        }
    }
}

impl Pair {
    fn turn(&mut self, is_open: bool, now: Time) {
        match (self.open, is_open) {
            (None, true) => {
                self.open = Some(now);
                self.is_fresh = now - self.shut >= APART_MS;
                (self.is_known, self.has_fired) = (false, false);
            }
            (Some(_), false) => {
                self.open = None;
                self.shut = now;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
}

fn pair_of(pairs: &mut Vec<Pair>, bot: EntityId, enemy: EntityId, now: Time) -> &mut Pair {
    let index = pairs.iter().position(|pair| (pair.bot, pair.enemy) == (bot, enemy)).unwrap_or_else(|| {
        let fresh = Pair { bot, enemy, open: None, shut: now, is_fresh: false, is_known: false, has_fired: false };
        pairs.push(fresh);
        pairs.len() - 1
    });
    &mut pairs[index]
}
