//! A game's memory made by hand, and what becomes of it in a snapshot.

use std::path::Path;

use fireteam::snapshot::{Said, SoundKind};
use fireteam::{Arsenal, Snapshot};
use fireteam_world::Map;

use super::*;
use crate::abi::{Client, KIND_EVENTS};

/// Memory as the game lays it out, all zero but for what a test writes.
struct Memory {
    entities: Vec<Entity>,
    clients: Vec<Client>,
    game: fireteam_world::Game,
    solids: Solids,
}

impl Memory {
    fn new() -> Memory {
        let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maps/one_room.map");
        let map = Map::load(&map.display().to_string()).expect("a map of ours");
        // SAFETY: both are plain numbers and pointers, for which zero is a value.
        let (entities, clients) = unsafe {
            let entities = (0..80).map(|_| std::mem::zeroed::<Entity>()).collect();
            (entities, (0..abi::CLIENTS_MAX).map(|_| std::mem::zeroed::<Client>()).collect())
        };
        let game = fireteam_world::Game::named("openarena").expect("built in");
        Memory { entities, clients, game, solids: Solids::build(&map) }
    }

    /// Somebody alive who plays in this slot.
    fn add_player(&mut self, slot: usize, team: i32) {
        self.clients[slot].player.stats[stat::HEALTH] = 100;
        self.clients[slot].player.persistent[persistent::TEAM] = team;
        self.clients[slot].player.persistent[persistent::SPAWN_COUNT] = 1;
        self.clients[slot].player.ground_entity = abi::ENTITY_NONE;
        let client: *mut Client = &raw mut self.clients[slot];
        let entity = &mut self.entities[slot];
        entity.in_use = 1;
        entity.linked = 1;
        entity.client = client.cast();
        entity.state.number = slot as i32;
        entity.state.kind = abi::KIND_PLAYER;
        entity.state.solid = 0x0040_180f;
    }

    fn add_thing(&mut self, index: usize, kind: i32) -> &mut Entity {
        let entity = &mut self.entities[index];
        entity.in_use = 1;
        entity.linked = 1;
        entity.state.number = index as i32;
        entity.state.kind = kind;
        entity
    }

    fn translator(&self) -> Translator {
        Translator::new(Tables::of(&Arsenal::of(&self.game)), 1700, Flags::default())
    }

    fn show(&mut self, translator: &mut Translator, ours: u64, time: i32) -> Snapshot {
        let game = Game {
            entities: self.entities.as_mut_ptr(),
            entity_count: self.entities.len(),
            clients: self.clients.as_mut_ptr(),
        };
        let site = Site { solids: &self.solids, rules: &self.game.rules.movement };
        let mut snapshot = Snapshot::default();
        let frame = Frame { ours, times: [time, time + 50], announced: *b"00" };
        translator.translate(&game, site, frame, &mut snapshot);
        snapshot
    }
}

#[test]
fn a_number_that_is_none_stops_at_the_door() {
    let mut memory = Memory::new();
    memory.add_player(0, team::RED);
    memory.add_player(1, team::BLUE);
    memory.entities[1].state.pos.delta[2] = f32::NAN;
    memory.clients[1].player.origin[0] = f32::INFINITY;
    let missile = memory.add_thing(70, abi::KIND_MISSILE);
    missile.state.weapon = 5;
    missile.state.pos.base[1] = f32::NAN;
    let snapshot = memory.show(&mut memory.translator(), 0b11, 1000);
    assert_eq!(snapshot.own.iter().map(|own| own.entity.0).collect::<Vec<_>>(), [0]);
    assert_eq!(snapshot.players.iter().map(|figure| figure.entity.0).collect::<Vec<_>>(), [0]);
    assert!(snapshot.missiles.is_empty());
}

#[test]
fn others_are_where_clients_are_told_and_oneself_where_one_is() {
    let mut memory = Memory::new();
    memory.add_player(0, team::RED);
    memory.clients[0].player.origin = [440.19, 0.0, 24.125];
    memory.entities[0].state.pos.base = [440.0, 0.0, 24.0];
    memory.entities[0].state.solid = 0x0030_180f;
    let snapshot = memory.show(&mut memory.translator(), 1, 1000);
    assert_eq!(snapshot.own[0].body.origin, Vec3::new(440.19, 0.0, 24.125));
    assert_eq!(snapshot.players[0].origin, Vec3::new(440.0, 0.0, 24.0));
    assert_eq!(snapshot.players[0].stance, Stance::Crouched);
}

#[test]
fn who_looks_on_is_nobody_and_who_fights_alone_has_a_side_of_his_own() {
    let mut memory = Memory::new();
    memory.add_player(0, team::FREE);
    memory.add_player(1, team::FREE);
    memory.add_player(2, team::SPECTATOR);
    memory.add_player(3, team::BLUE);
    let snapshot = memory.show(&mut memory.translator(), 0, 1000);
    let sides: Vec<u8> = snapshot.players.iter().map(|figure| figure.team.0).collect();
    assert_eq!(sides, [3, 4, 2]);
    assert!(snapshot.own.is_empty());
}

#[test]
fn a_blow_is_felt_once_and_from_where_it_came() {
    let mut memory = Memory::new();
    memory.add_player(0, team::RED);
    let mut translator = memory.translator();
    assert_eq!(memory.show(&mut translator, 1, 1000).own[0].hurt, None);
    let player = &mut memory.clients[0].player;
    // It flew along +y: yaw 90 degrees.
    (player.damage_event, player.damage_count, player.damage_yaw, player.damage_pitch) = (1, 30, 64, 0);
    let hurt = memory.show(&mut translator, 1, 1050).own[0].hurt.expect("thirty points");
    assert_eq!(hurt.points, 30);
    assert!(hurt.towards.expect("somebody").distance(Vec3::NEG_Y) < 1e-3, "{hurt:?}");
    assert_eq!(memory.show(&mut translator, 1, 1100).own[0].hurt, None);
    let player = &mut memory.clients[0].player;
    (player.damage_event, player.damage_yaw, player.damage_pitch) = (2, 255, 255);
    assert_eq!(memory.show(&mut translator, 1, 1150).own[0].hurt.expect("a fall").towards, None);
}

#[test]
fn respawn_is_offered_when_the_game_allows_it() {
    let mut memory = Memory::new();
    memory.add_player(0, team::RED);
    let mut translator = memory.translator();
    memory.clients[0].player.stats[stat::HEALTH] = -20;
    let may =
        |memory: &mut Memory, translator: &mut Translator, time| memory.show(translator, 1, time).own[0].may_respawn;
    assert!(!may(&mut memory, &mut translator, 1000) && !may(&mut memory, &mut translator, 2650));
    assert!(may(&mut memory, &mut translator, 2700));
}

#[test]
fn things_are_shown_as_their_states_say() {
    let mut memory = Memory::new();
    let grenade = memory.add_thing(70, abi::KIND_MISSILE);
    grenade.state.weapon = 4;
    grenade.state.other_entity = 3;
    grenade.state.pos =
        abi::Trajectory { kind: 5, time: 500, duration: 0, base: [0.0, 0.0, 100.0], delta: [100.0, 0.0, 0.0] };
    let item = memory.add_thing(71, abi::KIND_ITEM);
    item.state.model = 12;
    item.server_flags = abi::SVF_HIDDEN;
    let door = memory.add_thing(72, abi::KIND_MOVER);
    (door.brush_model, door.state.model) = (1, 4);
    let arsenal = Arsenal::of(&memory.game);
    let snapshot = memory.show(&mut memory.translator(), 0, 1000);
    let missile = &snapshot.missiles[0];
    assert_eq!(missile.kind, arsenal.throwable_named("grenade").expect("described"));
    assert_eq!((missile.owner, missile.origin.x, missile.origin.z), (Some(EntityId(3)), 50.0, 0.0));
    assert_eq!(arsenal.item_name(snapshot.items[0].kind), "weapon_rocketlauncher");
    assert!(!snapshot.items[0].is_there);
    assert_eq!((snapshot.movers[0].model, snapshot.movers[0].is_gone), (ModelId(4), false));
}

#[test]
fn an_event_is_told_once_and_again_when_it_repeats() {
    let mut memory = Memory::new();
    memory.add_player(0, team::RED);
    let mut translator = memory.translator();
    let kinds = |snapshot: Snapshot| snapshot.sounds.iter().map(|sound| sound.kind).collect::<Vec<_>>();
    // A jump, with the bits that tell one from the next.
    memory.entities[0].state.event = 14 | 0x100;
    assert_eq!(kinds(memory.show(&mut translator, 0, 1000)), [SoundKind::Jump]);
    assert_eq!(kinds(memory.show(&mut translator, 0, 1050)), []);
    memory.entities[0].state.event = 14 | 0x200;
    assert_eq!(kinds(memory.show(&mut translator, 0, 1100)), [SoundKind::Jump]);
    let obituary = memory.add_thing(75, KIND_EVENTS + 60);
    (obituary.state.other_entity, obituary.state.other_entity2, obituary.state.event_parm) = (2, 1022, 19);
    let messages = memory.show(&mut translator, 0, 1150).messages;
    let said = Said::Obituary { victim: EntityId(2), killer: None, weapon: None };
    assert_eq!(messages.iter().map(|message| message.said).collect::<Vec<_>>(), [said]);
    assert!(memory.show(&mut translator, 0, 1200).messages.is_empty());
}

#[test]
fn a_round_begins_when_all_come_back_and_cannot_shoot_yet() {
    let mut memory = Memory::new();
    memory.add_player(0, team::RED);
    memory.add_player(1, team::BLUE);
    let mut translator = memory.translator();
    let rounds =
        |snapshot: &Snapshot| snapshot.messages.iter().filter(|message| message.said == Said::RoundStarts).count();
    let are_safe = |snapshot: &Snapshot| snapshot.players.iter().all(|figure| Power::Protected.is_in(figure.powers));
    let fights = memory.show(&mut translator, 0b11, 1000);
    assert_eq!((rounds(&fights), are_safe(&fights)), (0, false), "a life alone is no round");
    for slot in 0..2 {
        memory.clients[slot].player.persistent[persistent::SPAWN_COUNT] = 2;
        memory.clients[slot].player.move_flags |= BEFORE_ROUND;
    }
    let waits = memory.show(&mut translator, 0b11, 1050);
    assert_eq!((rounds(&waits), are_safe(&waits)), (1, true), "said once, whoever came back");
    assert_eq!(rounds(&memory.show(&mut translator, 0b11, 1100)), 0);
    (0..2).for_each(|slot| memory.clients[slot].player.move_flags = 0);
    assert!(!are_safe(&memory.show(&mut translator, 0b11, 6050)));
}

#[test]
fn a_power_up_that_is_taken_is_told_to_all_unless_the_map_says_otherwise() {
    let mut memory = Memory::new();
    let arsenal = Arsenal::of(&memory.game);
    let mut translator = memory.translator();
    // A quad; a red flag, of which the top of the screen tells; a quad on a map that keeps it quiet.
    for (index, item, server_flags) in [(70, 28, 0x20), (71, 34, 0x20), (72, 28, abi::SVF_SINGLE_CLIENT)] {
        let event = memory.add_thing(index, KIND_EVENTS + 20);
        (event.state.event_parm, event.server_flags) = (item, server_flags);
    }
    let said: Vec<_> = memory.show(&mut translator, 0, 1000).messages.iter().map(|message| message.said).collect();
    let quad = arsenal.item_named("item_quad").expect("described");
    assert_eq!(said, [Said::Taken { kind: quad }]);
    assert!(memory.show(&mut translator, 0, 1050).messages.is_empty());
}
