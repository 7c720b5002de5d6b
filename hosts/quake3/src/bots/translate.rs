//! From the game's memory to a [`Snapshot`]: what a client is told, and of our own bots what their players would feel.
//!
//! In: entity states and player states after the last frame. Out: one snapshot, in buffers that are kept. Others are where
//! clients are told they are, which is cut to whole units; bots' own bodies are exact. A taken item, a door's course, a
//! missile's owner, how flags stand: all out of what is sent. Nothing of the game's private part is read: no fuses, no respawn
//! clocks, no health of others. A number that is not finite stops here: the entity is left out.
//!
//! Not here: sounds and obituaries (`events`), which bot learns what (`perceive`).
//! Cost: printed with every match (`translate_ns` of its report).

use fireteam::snapshot::{
    Arm, Audience, Figure, Hurt, Item, Message, Missile, Mover, Own, Phase, Power, Said, Snapshot, Team, WEAPONS_MAX,
};
use fireteam_world::maths::game_axes;
use fireteam_world::movement::{Ground, Hold, MovementRules, Player, Setting, Stance};
use fireteam_world::mover::{Motion, MotionKind};
use fireteam_world::units::{EntityId, ModelId, Time};
use fireteam_world::{Contents, Crowd, Scene, Solids, Vec3};

use super::events::Ears;
use super::flags::{Announced, Flags};
use super::tables::{self, Tables};
use crate::abi::{self, Entity, PlayerState, persistent, stat, team};
use crate::engine::Game;

/// Bits of the game's movement flags.
const DUCKED: i32 = 1;
const JUMP_HELD: i32 = 2;
const TIME_LAND: i32 = 32;
const TIME_KNOCKBACK: i32 = 64;
const TIME_WATERJUMP: i32 = 256;
const RESPAWNED: i32 = 512;
/// Before a round of elimination: whoever has it can move and can do nothing else.
const BEFORE_ROUND: i32 = 32_768;
/// Gravity of everything that is thrown, whatever the server's setting.
const MISSILE_GRAVITY: f32 = 800.0;
/// `weapon_state`: the old weapon goes down, and the new one takes this long to come up.
const DROPPING: i32 = 2;
const RAISE_MS: i32 = 250;
/// Both bytes of a blow's direction when it came from nowhere.
const NO_DIRECTION: i32 = 255;
/// The number of the gauntlet, which needs no rounds.
const GAUNTLET: usize = 1;
/// How the engine packs a box into `solid`: its top is the third byte, less this.
const SOLID_TOP_BIAS: i32 = 32;

/// Sides of those who fight alone are numbered from here, after red and blue.
const ALONE: u8 = 3;

/// What a level's translation needs besides the memory: tables, rules, and what was shown before.
#[derive(Debug)]
pub(super) struct Translator {
    pub(super) tables: Tables,
    ears: Ears,
    before: [Before; abi::CLIENTS_MAX],
    respawn_ms: i32,
    flags: Flags,
    /// Somebody stands at a start, and nobody can shoot yet.
    round_begins: bool,
}

/// What a bot's own state was a frame ago.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    life: i32,
    damage_event: i32,
    hits: i32,
    died: Option<Time>,
}

/// What does not change within a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'a> {
    pub(super) solids: &'a Solids,
    pub(super) rules: &'a MovementRules,
}

/// What a frame is about besides the game's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// A bit for each client of ours.
    pub(super) ours: u64,
    /// When the last frame ended and when the next will.
    pub(super) times: [i32; 2],
    pub(super) announced: Announced,
}

impl Translator {
    pub(super) fn new(tables: Tables, respawn_ms: i32, flags: Flags) -> Translator {
        Translator {
            tables,
            ears: Ears::default(),
            before: [Before::default(); abi::CLIENTS_MAX],
            respawn_ms,
            flags,
            round_begins: false,
        }
    }

    /// Fills the snapshot with the frame that ended at `last`. Makes no engine call.
    pub(super) fn translate(&mut self, game: &Game, site: Site, frame: Frame, snapshot: &mut Snapshot) {
        let Frame { ours, times: [last, now], announced } = frame;
        clear(snapshot);
        snapshot.time = Time(last);
        snapshot.frame_ms = now - last;
        // Each client moves and shoots by himself, when his command comes: nobody else has moved meanwhile.
        snapshot.shot_lag_ms = 0;
        for client in 0..abi::CLIENTS_MAX {
            if ours & (1 << client) != 0 && plays(game, client) {
                snapshot.phase = phase(game.player(client).move_type);
                let own = self.own(game, site, client, Time(last));
                snapshot.own.extend(own.filter(is_sound));
            }
            if plays(game, client) {
                snapshot.players.extend(self.figure(game, client));
            }
        }
        for index in abi::CLIENTS_MAX..game.entity_count {
            if game.is_in_use(index) {
                self.thing(game.entity(index), index, snapshot);
            }
        }
        if std::mem::take(&mut self.round_begins) {
            snapshot.messages.push(Message { to: Audience::All, from: None, said: Said::RoundStarts });
        }
        self.ears.listen(game, &self.tables, snapshot);
        self.flags.show(announced, snapshot);
    }

    fn thing(&self, entity: &Entity, index: usize, snapshot: &mut Snapshot) {
        let id = EntityId(index as u16);
        match entity.state.kind {
            abi::KIND_ITEM => snapshot.items.extend(self.item(entity, id, snapshot.time)),
            abi::KIND_MISSILE => snapshot.missiles.extend(self.missile(entity, id, snapshot.time)),
            abi::KIND_MOVER if entity.brush_model != 0 => snapshot.movers.extend(mover(entity, id)),
            _ => {}
        }
    }

    fn own(&mut self, game: &Game, site: Site, client: usize, time: Time) -> Option<Own> {
        let state = game.player(client);
        let body = body(state, site, EntityId(client as u16));
        let before = &mut self.before[client];
        let life = state.persistent[persistent::SPAWN_COUNT];
        if before.life != life {
            // All come back for it in one frame, those too who still lived.
            self.round_begins |= is_before_round(state);
            *before =
                Before { life, damage_event: state.damage_event, hits: state.persistent[persistent::HITS], died: None };
        }
        let hurt = (before.damage_event != state.damage_event).then(|| hurt(state));
        let has_hit = state.persistent[persistent::HITS] > before.hits;
        before.damage_event = state.damage_event;
        before.hits = state.persistent[persistent::HITS];
        let died = body.is_dead.then(|| *before.died.get_or_insert(time));
        Some(Own {
            entity: EntityId(client as u16),
            team: team(state, client),
            life: life as u32,
            body,
            health: state.stats[stat::HEALTH],
            armour: state.stats[stat::ARMOUR],
            weapon: self.tables.weapon(state.weapon),
            ready_in_ms: ready_in_ms(state),
            is_reloading: false,
            arms: self.arms(state),
            armed_ms: None,
            keys: 0,
            powers: tables::powers(|number| state.powerups[number] > time.0),
            hurt,
            has_hit,
            may_respawn: died.is_some_and(|died| time - died >= self.respawn_ms),
        })
    }

    fn arms(&self, state: &PlayerState) -> [Arm; WEAPONS_MAX] {
        let mut arms = [Arm::default(); WEAPONS_MAX];
        for (number, weapon) in self.tables.weapons() {
            // Less than none is a supply that never ends.
            let is_endless = number == GAUNTLET || state.ammo[number] < 0;
            arms[usize::from(weapon.0)] = Arm {
                is_carried: state.stats[stat::WEAPONS] & (1 << number) != 0,
                rounds: if is_endless { Arm::ENDLESS } else { state.ammo[number] as i16 },
                clip: 0,
            };
        }
        arms
    }

    /// A player as everybody is told of him; none if nobody is.
    fn figure(&self, game: &Game, client: usize) -> Option<Figure> {
        let entity = game.entity(client);
        let state = &entity.state;
        if state.kind != abi::KIND_PLAYER || entity.server_flags & abi::SVF_HIDDEN != 0 {
            return None;
        }
        let is_dead = state.flags & abi::FLAG_DEAD != 0;
        let powers = tables::powers(|number| state.powerups & (1 << number) != 0);
        // The screen says how long it is until the round; till then nobody can fire, so that nothing hurts anybody.
        let protected = if is_before_round(game.player(client)) { Power::Protected as u32 } else { 0 };
        let figure = Figure {
            entity: EntityId(client as u16),
            team: team(game.player(client), client),
            origin: state.pos.base.into(),
            velocity: state.pos.delta.into(),
            pitch: state.apos.base[0],
            yaw: state.apos.base[1],
            stance: if is_dead { Stance::Standing } else { stance(state.solid) },
            weapon: self.tables.weapon(state.weapon),
            is_firing: state.flags & abi::FLAG_FIRING != 0,
            is_dead,
            powers: powers | protected,
        };
        let is_finite = figure.origin.is_finite() && figure.velocity.is_finite();
        (is_finite && figure.pitch.is_finite() && figure.yaw.is_finite()).then_some(figure)
    }

    fn missile(&self, entity: &Entity, id: EntityId, time: Time) -> Option<Missile> {
        let state = &entity.state;
        let kind = self.tables.missile(state.weapon).filter(|_| entity.server_flags & abi::SVF_HIDDEN == 0)?;
        let course = motion(&state.pos);
        let (origin, velocity) = (course.at(time), course.velocity(time));
        let owner =
            (0..abi::CLIENTS_MAX as i32).contains(&state.other_entity).then_some(EntityId(state.other_entity as u16));
        (origin.is_finite() && velocity.is_finite()).then_some(Missile { entity: id, kind, origin, velocity, owner })
    }

    fn item(&self, entity: &Entity, id: EntityId, time: Time) -> Option<Item> {
        let kind = self.tables.item(entity.state.model)?;
        let origin = motion(&entity.state.pos).at(time);
        let is_hidden = entity.server_flags & abi::SVF_HIDDEN != 0 || entity.state.flags & abi::FLAG_HIDDEN != 0;
        let is_there = entity.linked != 0 && !is_hidden;
        origin.is_finite().then_some(Item { entity: id, kind, origin, is_there })
    }
}

fn clear(snapshot: &mut Snapshot) {
    snapshot.phase = Phase::Playing;
    snapshot.own.clear();
    snapshot.players.clear();
    snapshot.missiles.clear();
    snapshot.items.clear();
    snapshot.movers.clear();
    snapshot.clouds.clear();
    snapshot.sounds.clear();
    snapshot.messages.clear();
    snapshot.objectives.clear();
}

/// Takes part, rather than looking on or still connecting.
pub(super) fn plays(game: &Game, client: usize) -> bool {
    if !game.is_in_use(client) || game.entity(client).client.is_null() {
        return false;
    }
    let state = game.player(client);
    state.move_type != abi::MOVE_SPECTATOR && state.persistent[persistent::TEAM] != team::SPECTATOR
}

/// Red, blue, or a side of his own.
fn team(state: &PlayerState, client: usize) -> Team {
    match state.persistent[persistent::TEAM] {
        side @ (team::RED | team::BLUE) => Team(side as u8),
        _ => Team(ALONE + client as u8),
    }
}

fn is_before_round(state: &PlayerState) -> bool {
    state.move_flags & BEFORE_ROUND != 0
}

fn phase(move_type: i32) -> Phase {
    match move_type {
        abi::MOVE_FREEZE => Phase::Frozen,
        kind if kind >= abi::MOVE_INTERMISSION => Phase::Over,
        _ => Phase::Playing,
    }
}

fn is_sound(own: &Own) -> bool {
    own.body.origin.is_finite() && own.body.velocity.is_finite() && own.body.view.is_finite()
}

/// All that the next step of its movement depends on.
pub(super) fn body(state: &PlayerState, site: Site, me: EntityId) -> Player {
    let has = |flag: i32| state.move_flags & flag != 0;
    let ground = match state.ground_entity {
        abi::ENTITY_NONE => Ground::Air,
        abi::ENTITY_WORLD => Ground::Floor { entity: None, normal: Vec3::Z },
        entity => Ground::Floor { entity: Some(EntityId(entity as u16)), normal: Vec3::Z },
    };
    let mut body = Player {
        velocity: state.velocity.into(),
        view: state.view_angles.into(),
        view_offset: state.delta_angles,
        eye_height: state.view_height,
        ground,
        stance: if has(DUCKED) { Stance::Crouched } else { Stance::Standing },
        is_dead: state.stats[stat::HEALTH] <= 0,
        speed: state.speed,
        hold: Hold {
            ms: state.move_time,
            landed: has(TIME_LAND),
            knocked: has(TIME_KNOCKBACK),
            leaping: has(TIME_WATERJUMP),
        },
        jump_is_held: has(JUMP_HELD),
        awaits_release: has(RESPAWNED),
        pad: (state.jump_pad_entity != 0).then_some(EntityId(state.jump_pad_entity as u16)),
        gait: state.bob_cycle & 255,
        ..Player::at(state.origin.into(), site.rules)
    };
    if body.origin.is_finite() {
        let crowd = Crowd::default();
        let scene = Scene { solids: site.solids, crowd: &crowd };
        let setting = Setting { scene: &scene, rules: site.rules, me: Some(me), mask: Contents::MASK_BOT };
        body.immersion = body.immersion_in(&setting);
    }
    body
}

fn ready_in_ms(state: &PlayerState) -> i32 {
    let raise = if state.weapon_state == DROPPING { RAISE_MS } else { 0 };
    state.weapon_time.max(0) + raise
}

/// What the screen shows of a blow: how much, and from where, to within a degree and a half.
fn hurt(state: &PlayerState) -> Hurt {
    let is_from_nowhere = state.damage_yaw == NO_DIRECTION && state.damage_pitch == NO_DIRECTION;
    let degrees = |byte: i32| byte as f32 * (360.0 / 256.0);
    // The bytes tell which way the blow went; who dealt it is the other way.
    let towards = || -game_axes(degrees(state.damage_pitch), degrees(state.damage_yaw), 0.0).forward;
    Hurt { points: state.damage_count, towards: (!is_from_nowhere).then(towards) }
}

/// Crouched players have a lower box, which clients are told.
fn stance(solid: i32) -> Stance {
    const STANDING_TOP: i32 = 32;
    let top = ((solid >> 16) & 0xff) - SOLID_TOP_BIAS;
    if solid != 0 && top < STANDING_TOP { Stance::Crouched } else { Stance::Standing }
}

fn mover(entity: &Entity, id: EntityId) -> Option<Mover> {
    let (position, angles) = (motion(&entity.state.pos), motion(&entity.state.apos));
    let parts = [position.base, position.delta, angles.base, angles.delta];
    let model = ModelId(u16::try_from(entity.state.model).ok()?);
    let is_gone = entity.linked == 0 || entity.server_flags & abi::SVF_HIDDEN != 0;
    parts.iter().all(|part| part.is_finite()).then_some(Mover { entity: id, model, position, angles, is_gone })
}

/// A course as the protocol numbers its kinds.
pub(super) fn motion(course: &abi::Trajectory) -> Motion {
    let kind = match course.kind {
        1 => MotionKind::Interpolate,
        2 => MotionKind::Linear,
        3 => MotionKind::LinearStop,
        4 => MotionKind::Sine,
        5 => MotionKind::Gravity(MISSILE_GRAVITY),
        _ => MotionKind::Stationary,
    };
    let (start, duration_ms) = (Time(course.time), course.duration);
    Motion { kind, start, duration_ms, base: course.base.into(), delta: course.delta.into() }
}

#[cfg(test)]
#[path = "translate_test.rs"]
mod tests;
