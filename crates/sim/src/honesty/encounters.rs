//! How soon do bots react? From the first moment an enemy could be seen to the first moment a bot knows of him, turns to him,
//! and fires.
//!
//! In: every frame's truth, the minds, what they press. Out: milliseconds, one figure an encounter. When an encounter begins
//! the oracle says, which is not the bots' `perceive`.

use fireteam::snapshot::{Figure, Snapshot, Team};
use fireteam::{Bots, Command};
use fireteam_world::movement::Buttons;
use fireteam_world::trace::Placed;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Crowd, Scene};

use super::PLAYER;
use super::oracle::{Oracle, stand};

/// How soon bots react: from the first moment an enemy could be seen to the first moment the bot acts on it.
///
/// An encounter begins when the oracle says that the bot could perceive somebody whom it could not for a while, and whom it
/// did not expect; it ends when the bot believes him in sight, and later fires at him.
#[derive(Debug, Default)]
pub struct Encounters {
    pairs: Vec<Pair>,
    crowd: Crowd,
    placed: Vec<Placed>,
    /// Until the bot knew, of each encounter.
    pub known: Vec<Reaction>,
    /// Until it turned to aim at him.
    pub turned: Vec<Reaction>,
    /// Until it pressed attack with him as its target.
    pub fired: Vec<Reaction>,
    pub shares: Shares,
}

/// How long it took somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reaction {
    pub bot: EntityId,
    pub ms: i32,
}

/// Of all there was to know, how much could be known and how much was: counted by living bot, living enemy and frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    pub there: u64,
    /// The oracle does not rule out that he could be seen or touched, whichever way the bot looks.
    pub perceivable: u64,
    /// The bot believes him in sight.
    pub perceived: u64,
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
    /// The encounter is fresh: he had been out of sight for long enough, and was not expected.
    is_fresh: bool,
    is_known: bool,
    has_turned: bool,
    has_fired: bool,
}

/// Out of sight for less than this is the same encounter.
const APART_MS: i32 = 3000;

impl Encounters {
    /// What was measured elsewhere, as well.
    pub fn add(&mut self, other: Encounters) {
        self.known.extend(other.known);
        self.turned.extend(other.turned);
        self.fired.extend(other.fired);
        self.shares.there += other.shares.there;
        self.shares.perceivable += other.shares.perceivable;
        self.shares.perceived += other.shares.perceived;
    }

    /// One frame, after the bots have thought.
    pub fn look(&mut self, truth: &Snapshot, bots: &Bots, commands: &[Command]) {
        stand(truth, &mut self.placed);
        let field = bots.field();
        self.crowd.set(&field.opaque, &self.placed, &[]);
        let scene = Scene { solids: &field.opaque, crowd: &self.crowd };
        for own in &truth.own {
            let oracle = Oracle::new(std::slice::from_ref(own), &truth.players, field, scene);
            let is_enemy = |figure: &&Figure| figure.team != own.team && figure.team != Team::NEUTRAL;
            for enemy in truth.players.iter().filter(is_enemy) {
                let pair = pair_of(&mut self.pairs, own.entity, enemy.entity, truth.time);
                let are_alive = !own.body.is_dead && !enemy.is_dead;
                let is_open = are_alive && oracle.could_perceive(enemy.origin - PLAYER, enemy.origin + PLAYER, None);
                let knows = bots.memory(own.entity).and_then(|memory| memory.threat(enemy.entity));
                let is_perceived = are_alive && knows.is_some_and(|threat| threat.in_sight && !threat.is_dead);
                self.shares.there += u64::from(are_alive);
                self.shares.perceivable += u64::from(is_open);
                self.shares.perceived += u64::from(is_perceived);
                // Whom a mate has just told of, who left a trace, or whom the bot already aims for, is looked out for.
                let is_aimed_at = bots.target(own.entity) == Some(enemy.entity);
                let is_expected = is_aimed_at || knows.is_some_and(|threat| truth.time - threat.seen < APART_MS);
                pair.turn(is_open, is_expected, truth.time);
                let Some(open) = pair.open.filter(|_| pair.is_fresh) else { continue };
                // His corpse may have been in sight until now.
                if !pair.is_known && knows.is_some_and(|threat| threat.in_sight && !threat.is_dead) {
                    pair.is_known = true;
                    self.known.push(Reaction { bot: own.entity, ms: truth.time - open });
                }
                let fires = commands
                    .iter()
                    .any(|command| command.bot == own.entity && command.press.buttons.meets(Buttons::ATTACK));
                if !pair.has_turned && is_aimed_at {
                    pair.has_turned = true;
                    self.turned.push(Reaction { bot: own.entity, ms: truth.time - open });
                }
                if !pair.has_fired && fires && is_aimed_at {
                    pair.has_fired = true;
                    self.fired.push(Reaction { bot: own.entity, ms: truth.time - open });
                }
            }
        }
    }
}

impl Pair {
    fn turn(&mut self, is_open: bool, is_expected: bool, now: Time) {
        match (self.open, is_open) {
            (None, true) => {
                self.open = Some(now);
                self.is_fresh = now - self.shut >= APART_MS && !is_expected;
                (self.is_known, self.has_turned, self.has_fired) = (false, false, false);
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
        let fresh = Pair {
            bot,
            enemy,
            open: None,
            shut: now,
            is_fresh: false,
            is_known: false,
            has_turned: false,
            has_fired: false,
        };
        pairs.push(fresh);
        pairs.len() - 1
    });
    &mut pairs[index]
}
