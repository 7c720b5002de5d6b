//! A scene: one bot, whoever else is put there, and frames of 50 ms.

use std::sync::{Arc, OnceLock};

use fireteam::convar::ConVars;
use fireteam::memory::{Memory, Threat};
use fireteam::perceive::{Eyes, Keenness, Looks, Senses, perceive};
use fireteam::snapshot::{Arm, Figure, Mover, Own, Snapshot, Team, WEAPONS_MAX, WeaponId};
use fireteam::{Field, Skill};
use fireteam_bake::{BakeSettings, OneThread, Unwatched, bake};
use fireteam_world::movement::{Player, Stance};
use fireteam_world::mover::{Motion, Movers};
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Game, Map, Solids, Vec3};

pub(crate) const FRAME_MS: i32 = 50;
pub(crate) const ME: EntityId = EntityId(1);
pub(crate) const OURS: Team = Team(1);
pub(crate) const THEIRS: Team = Team(2);
/// Origin of a body that stands on the floor of our maps.
pub(crate) const FLOOR: f32 = 24.125;

/// Two rooms with a wall at x = 0 between them and a door in it, at y from 32 to 96. Standing at y = 64, one looks through.
pub(crate) fn two_rooms() -> &'static Arc<Field> {
    static FIELD: OnceLock<Arc<Field>> = OnceLock::new();
    FIELD.get_or_init(|| field("two_rooms_one_door"))
}

/// The same with a pane of glass at y from 64 to 128, z from 44 to 108, and a plank door at y from -160 to -96.
pub(crate) fn glass() -> &'static Arc<Field> {
    static FIELD: OnceLock<Arc<Field>> = OnceLock::new();
    FIELD.get_or_init(|| field("breakable"))
}

fn field(name: &str) -> Arc<Field> {
    let path = format!("{}/../../testdata/maps/{name}.map", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("one of our maps");
    let map = Map::from_source(name, &text).expect("it is read by other tests too");
    let game = Game::named("skirmish").expect("built in");
    let terrain =
        bake(&map, &game, &BakeSettings::default().without_throws(), &OneThread, &Unwatched).expect("it bakes");
    let solids = Arc::new(Solids::build(&map));
    Arc::new(Field::new(Arc::new(map), solids, Arc::new(terrain), Arc::new(game)).expect("made for each other"))
}

pub(crate) struct Scene {
    pub(crate) field: Arc<Field>,
    pub(crate) snapshot: Snapshot,
    pub(crate) senses: Senses,
    pub(crate) memory: Memory,
    pub(crate) looks: Looks,
    pub(crate) chance: Pcg,
    pub(crate) convars: ConVars,
}

impl Scene {
    /// The bot stands at a place of the floor and looks along a yaw. Movers are at rest.
    pub(crate) fn new(field: &Arc<Field>, at: [f32; 2], yaw: f32) -> Scene {
        Scene::with_skill(field, at, yaw, Skill::Elite)
    }

    /// From an event to knowing of it, at the least.
    pub(crate) fn reaction_ms(&self) -> i32 {
        Keenness::of(self.senses.skill(), &self.convars).reaction_ms
    }

    pub(crate) fn with_skill(field: &Arc<Field>, at: [f32; 2], yaw: f32, skill: Skill) -> Scene {
        let own = own(field, at, yaw);
        let mut snapshot = Snapshot { time: Time(1000), frame_ms: FRAME_MS, ..Snapshot::default() };
        snapshot.own.push(own);
        snapshot.players.push(figure_of(&own));
        let movers = Movers::of(&field.map, &field.game, Time(0));
        snapshot.movers.extend(movers.placed().iter().map(|placed| Mover {
            entity: placed.entity,
            model: placed.model,
            position: Motion::stationary(placed.origin),
            angles: Motion::stationary(placed.angles),
            is_gone: false,
        }));
        Scene {
            field: field.clone(),
            snapshot,
            senses: Senses::new(skill),
            memory: Memory::of(field),
            looks: Looks::default(),
            chance: Pcg::new(7, 1),
            convars: ConVars::default(),
        }
    }

    pub(crate) fn put_enemy(&mut self, number: u16, at: [f32; 2]) -> &mut Figure {
        self.put(number, THEIRS, at)
    }

    pub(crate) fn put_mate(&mut self, number: u16, at: [f32; 2]) -> &mut Figure {
        self.put(number, OURS, at)
    }

    fn put(&mut self, number: u16, team: Team, at: [f32; 2]) -> &mut Figure {
        self.snapshot.players.push(standing(EntityId(number), team, at));
        self.snapshot.players.last_mut().expect("just pushed")
    }

    pub(crate) fn player(&mut self, number: u16) -> &mut Figure {
        self.snapshot.players.iter_mut().find(|figure| figure.entity == EntityId(number)).expect("put there")
    }

    pub(crate) fn now(&self) -> Time {
        self.snapshot.time
    }

    /// One frame; afterwards its sounds, words and pain are over, and time has gone on.
    pub(crate) fn frame(&mut self) {
        let own = self.snapshot.own[0];
        self.looks.begin(&self.snapshot, &self.field, &self.convars);
        let eyes = Eyes { own: &own, memory: &self.memory };
        perceive(
            &mut self.senses,
            &eyes,
            &self.snapshot,
            &self.field,
            &mut self.looks,
            &mut self.chance,
            &self.convars,
        );
        let mates = self.looks.mates(&own);
        self.memory.absorb(&mut self.senses, &own, mates, self.snapshot.time, &self.field, &self.convars);
        self.memory.review(self.senses.skill(), self.snapshot.time, &self.field, &self.convars);
        self.snapshot.sounds.clear();
        self.snapshot.messages.clear();
        self.snapshot.own[0].hurt = None;
        self.snapshot.time = self.snapshot.time + FRAME_MS;
    }

    pub(crate) fn run(&mut self, ms: i32) {
        for _ in 0..ms / FRAME_MS {
            self.frame();
        }
    }

    /// Runs until an enemy is known to be in sight; how long that took, from the first frame that showed him.
    pub(crate) fn ms_until_known(&mut self, number: u16, limit_ms: i32) -> Option<i32> {
        let start = self.now();
        for _ in 0..=limit_ms / FRAME_MS {
            let now = self.now();
            self.frame();
            if self.sees(number) {
                return Some(now - start);
            }
        }
        None
    }

    pub(crate) fn threat(&self, number: u16) -> Option<&Threat> {
        self.memory.threat(EntityId(number))
    }

    pub(crate) fn sees(&self, number: u16) -> bool {
        self.threat(number).is_some_and(|threat| threat.in_sight)
    }

    pub(crate) fn turn_to(&mut self, yaw: f32) {
        self.snapshot.own[0].body.view.y = yaw;
        self.snapshot.players[0].yaw = yaw;
    }

    pub(crate) fn own(&self) -> &Own {
        &self.snapshot.own[0]
    }
}

/// A living body that is nobody's enemy yet.
pub(crate) fn standing(entity: EntityId, team: Team, at: [f32; 2]) -> Figure {
    Figure {
        entity,
        team,
        origin: Vec3::new(at[0], at[1], FLOOR),
        velocity: Vec3::new(100.0, 0.0, 0.0),
        pitch: 0.0,
        yaw: 0.0,
        stance: Stance::Standing,
        weapon: WeaponId(0),
        is_firing: false,
        is_dead: false,
        powers: 0,
    }
}

pub(crate) fn own(field: &Field, at: [f32; 2], yaw: f32) -> Own {
    let rules = &field.game.rules.movement;
    let mut body = Player::at(Vec3::new(at[0], at[1], FLOOR), rules);
    body.view.y = yaw;
    Own {
        entity: ME,
        team: OURS,
        life: 1,
        body,
        health: 100,
        armour: 0,
        weapon: WeaponId(0),
        ready_in_ms: 0,
        is_reloading: false,
        arms: [Arm::default(); WEAPONS_MAX],
        armed_ms: None,
        keys: 0,
        powers: 0,
        hurt: None,
        has_hit: false,
        may_respawn: false,
    }
}

pub(crate) fn figure_of(own: &Own) -> Figure {
    Figure {
        entity: own.entity,
        team: own.team,
        origin: own.body.origin,
        velocity: own.body.velocity,
        pitch: own.body.view.x,
        yaw: own.body.view.y,
        stance: own.body.stance,
        weapon: own.weapon,
        is_firing: false,
        is_dead: false,
        powers: 0,
    }
}
