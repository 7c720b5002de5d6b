//! What a frame lets clients hear and read: sounds and obituaries, out of the events of the game's entities.
//!
//! In: entity states, which are what clients are sent. Out: [`Sound`]s and [`Message`]s, each once. An entity shows its last
//! event for 300 ms with two bits that change with every new one; a client acts when the number differs from the one it
//! saw last, and so do we. Events that outlive nobody (a shot's trail, an obituary) are entities of their own.
//!
//! Not here: who is near enough to hear (`perceive`, by the game's ranges).

use fireteam::snapshot::{Audience, Message, Said, Snapshot, Sound, SoundKind};
use fireteam_world::Vec3;
use fireteam_world::units::EntityId;

use super::tables::Tables;
use super::translate;
use crate::abi::{self, Entity};
use crate::engine::Game;

/// The two bits that change when an event repeats.
const REPEAT_BITS: i32 = 0x300;
/// In the flags of an event's own entity: it was one too many for the player it belongs to.
const PLAYER_EVENT: i32 = 0x10;
/// Events by number, as this game's clients know them.
const STEP_FIRST: i32 = 1;
const STEP_LAST: i32 = 5;
const LAND_FIRST: i32 = 10;
const JUMP: i32 = 14;
const WATER_FIRST: i32 = 15;
const WATER_LAST: i32 = 18;
const PICKUP: i32 = 19;
const PICKUP_HEARD_BY_ALL: i32 = 20;
const FIRE: i32 = 23;
const ITEM_BACK: i32 = 40;
const TELEPORT_FIRST: i32 = 42;
const TELEPORT_LAST: i32 = 43;
const BOUNCE: i32 = 44;
const GENERAL_SOUND: i32 = 45;
const MISSILE_HIT_FIRST: i32 = 50;
const MISSILE_HIT_LAST: i32 = 52;
const PAIN: i32 = 56;
const DEATH_FIRST: i32 = 57;
const DEATH_LAST: i32 = 59;
const OBITUARY: i32 = 60;
const GIBBED: i32 = 64;

/// What each entity showed last.
#[derive(Debug)]
pub(super) struct Ears {
    shown: Vec<i32>,
}

impl Default for Ears {
    fn default() -> Ears {
        Ears { shown: vec![0; abi::ENTITIES_MAX] }
    }
}

impl Ears {
    /// Adds what is new. Makes no engine call.
    pub(super) fn listen(&mut self, game: &Game, tables: &Tables, snapshot: &mut Snapshot) {
        for (index, shown) in self.shown.iter_mut().enumerate() {
            let event = if game.is_in_use(index) { shown_by(game.entity(index)) } else { 0 };
            if event == std::mem::replace(shown, event) || event & !REPEAT_BITS == 0 {
                continue;
            }
            let entity = game.entity(index);
            if entity.server_flags & abi::SVF_HIDDEN == 0 {
                tell(entity, event & !REPEAT_BITS, tables, snapshot);
            }
        }
    }
}

/// The event an entity shows, with its repeat bits.
fn shown_by(entity: &Entity) -> i32 {
    if entity.state.kind >= abi::KIND_EVENTS { entity.state.kind - abi::KIND_EVENTS } else { entity.state.event }
}

fn tell(entity: &Entity, event: i32, tables: &Tables, snapshot: &mut Snapshot) {
    let state = &entity.state;
    if event == OBITUARY {
        let killer = (state.other_entity2 < abi::CLIENTS_MAX as i32).then_some(EntityId(state.other_entity2 as u16));
        let victim = EntityId(state.other_entity as u16);
        let said = Said::Obituary { victim, killer, weapon: tables.killed_by(state.event_parm) };
        snapshot.messages.push(Message { to: Audience::All, from: None, said });
        return;
    }
    if event == PICKUP_HEARD_BY_ALL {
        // Some maps let only him hear it who took it.
        let is_for_all = entity.server_flags & abi::SVF_SINGLE_CLIENT == 0;
        let kind = tables.announced(state.event_parm).filter(|_| is_for_all);
        snapshot.messages.extend(kind.map(|kind| Message {
            to: Audience::All,
            from: None,
            said: Said::Taken { kind },
        }));
        return;
    }
    let Some(kind) = sound(entity, event, tables) else { return };
    let origin: Vec3 = translate::motion(&state.pos).at(snapshot.time);
    if origin.is_finite() {
        snapshot.sounds.push(Sound { kind, origin, source: source(state, kind) });
    }
}

/// Whose sound it is. An event that became an entity of its own says so in a field that depends on the kind.
fn source(state: &abi::EntityState, kind: SoundKind) -> Option<EntityId> {
    if state.kind < abi::KIND_EVENTS {
        return Some(EntityId(state.number as u16));
    }
    let number = match kind {
        _ if state.flags & PLAYER_EVENT != 0 => state.other_entity,
        SoundKind::Teleport => state.client,
        _ => return None,
    };
    Some(EntityId(number as u16))
}

/// What a client would hear; most events are for the eye only.
fn sound(entity: &Entity, event: i32, tables: &Tables) -> Option<SoundKind> {
    Some(match event {
        STEP_FIRST..=STEP_LAST | WATER_FIRST..=WATER_LAST => SoundKind::Step,
        LAND_FIRST..=JUMP => SoundKind::Jump,
        PICKUP => SoundKind::Pickup,
        FIRE => SoundKind::Shot(tables.weapon(entity.state.weapon)),
        ITEM_BACK => SoundKind::ItemBack,
        TELEPORT_FIRST..=TELEPORT_LAST => SoundKind::Teleport,
        BOUNCE => SoundKind::Bounce,
        GENERAL_SOUND if entity.state.kind == abi::KIND_MOVER => SoundKind::Mover,
        MISSILE_HIT_FIRST..=MISSILE_HIT_LAST => SoundKind::Explosion,
        PAIN => SoundKind::Pain,
        DEATH_FIRST..=DEATH_LAST | GIBBED => SoundKind::Death,
        _ => return None,
    })
}
