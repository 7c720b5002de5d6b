//! A bot on its feet among enemies that are only shown to it.

use std::sync::{Arc, OnceLock};

use fireteam::snapshot::{Arm, Figure, Item, Mover, Own, Snapshot, Team, WEAPONS_MAX};
use fireteam::{Bots, Character, Command, ConVars, Field, Skill, Traits};
use fireteam_bake::{BakeSettings, OneThread, Unwatched, bake};
use fireteam_world::contents::Contents;
use fireteam_world::movement::{self, Player, Setting, Stance};
use fireteam_world::mover::{Motion, Movers};
use fireteam_world::trace::Scene;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Game, Map, Solids, Vec3};

pub(crate) const FRAME_MS: i32 = 50;
pub(crate) const ME: EntityId = EntityId(1);
const OURS: Team = Team(1);
const THEIRS: Team = Team(2);
const FLOOR: f32 = 24.125;

/// One of our own maps.
pub(crate) fn field_of(name: &str, game: &str) -> Arc<Field> {
    let path = format!("{}/../../testdata/maps/{name}.map", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("one of our maps");
    baked(Map::from_source(name, &text).expect("it is read by other tests too"), game)
}

fn baked(map: Map, game: &str) -> Arc<Field> {
    let game = Game::named(game).expect("built in");
    let settings = BakeSettings::default().without_throws();
    let terrain = bake(&map, &game, &settings, &OneThread, &Unwatched).expect("it bakes");
    let solids = Arc::new(Solids::build(&map));
    Arc::new(Field::new(Arc::new(map), solids, Arc::new(terrain), Arc::new(game)).expect("made for each other"))
}

/// A hall from -500 to 500 by -300 to 300, with a wall across it at x from 100 to 116 that leaves a gap at y over 60.
fn hall(game: &str) -> &'static Arc<Field> {
    static OPENARENA: OnceLock<Arc<Field>> = OnceLock::new();
    static SKIRMISH: OnceLock<Arc<Field>> = OnceLock::new();
    let field = if game == "skirmish" { &SKIRMISH } else { &OPENARENA };
    field.get_or_init(|| baked(Map::from_source("hall", &source()).expect("boxes"), game))
}

fn source() -> String {
    let boxes = [
        [[-516, -316, -16], [516, 316, 0]],
        [[-516, -316, 256], [516, 316, 272]],
        [[-516, -316, 0], [-500, 316, 256]],
        [[500, -316, 0], [516, 316, 256]],
        [[-500, -316, 0], [500, -300, 256]],
        [[-500, 300, 0], [500, 316, 256]],
        [[100, -300, 0], [116, 60, 256]],
    ];
    let brushes: String = boxes.iter().map(|[mins, maxs]| brush(*mins, *maxs)).collect();
    let spawn = "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 0 24\"\n}\n";
    format!("{{\n\"classname\" \"worldspawn\"\n{brushes}}}\n{spawn}")
}

/// A brush of the classic format: three points on each of its faces.
fn brush([x, y, z]: [i32; 3], [u, v, w]: [i32; 3]) -> String {
    let faces = [
        [[x, y, z], [x, y + 1, z], [x, y, z + 1]],
        [[x, y, z], [x, y, z + 1], [x + 1, y, z]],
        [[x, y, z], [x + 1, y, z], [x, y + 1, z]],
        [[u, v, w], [u, v + 1, w], [u + 1, v, w]],
        [[u, v, w], [u + 1, v, w], [u, v, w + 1]],
        [[u, v, w], [u, v, w + 1], [u, v + 1, w]],
    ];
    let point = |[x, y, z]: &[i32; 3]| format!("( {x} {y} {z} )");
    let line =
        |face: &[[i32; 3]; 3]| format!("{} {} {} stone 0 0 0 1 1\n", point(&face[0]), point(&face[1]), point(&face[2]));
    format!("{{\n{}}}\n", faces.iter().map(line).collect::<String>())
}

pub(crate) struct Duel {
    pub(crate) field: Arc<Field>,
    pub(crate) bots: Bots,
    pub(crate) snapshot: Snapshot,
    pub(crate) convars: ConVars,
}

impl Duel {
    /// An elite of no particular character with nothing but one weapon, somewhere on the floor.
    pub(crate) fn new(at: [f32; 2], yaw: f32, weapon: &str) -> Duel {
        Duel::of(Skill::Elite, Traits::MIDDLING, at, yaw, weapon)
    }

    /// The same for a soldier, who may lie down.
    pub(crate) fn of_soldier(at: [f32; 2], yaw: f32, weapon: &str) -> Duel {
        Duel::on(hall("skirmish"), Skill::Elite, Traits::MIDDLING, at, yaw, weapon)
    }

    /// The same for somebody.
    pub(crate) fn of(skill: Skill, traits: Traits, at: [f32; 2], yaw: f32, weapon: &str) -> Duel {
        Duel::on(hall("openarena"), skill, traits, at, yaw, weapon)
    }

    /// The same on another field, where every mover is at rest.
    pub(crate) fn on(field: &Arc<Field>, skill: Skill, traits: Traits, at: [f32; 2], yaw: f32, weapon: &str) -> Duel {
        let field = field.clone();
        let mut bots = Bots::new(field.clone(), 7);
        bots.join(ME, Character { name: "me".into(), skill, traits: Some(traits) });
        let mut body = Player::at(Vec3::new(at[0], at[1], FLOOR), &field.game.rules.movement);
        body.view.y = yaw;
        let mut arms = [Arm::default(); WEAPONS_MAX];
        let weapon = field.arsenal.weapon_named(weapon).expect("described");
        arms[usize::from(weapon.0)] =
            Arm { is_carried: true, rounds: 100, clip: field.arsenal.weapon(weapon).clip as i16 };
        let own = Own {
            entity: ME,
            team: OURS,
            life: 1,
            body,
            health: 100,
            armour: 0,
            weapon,
            ready_in_ms: 0,
            is_reloading: false,
            arms,
            armed_ms: None,
            keys: 0,
            powers: 0,
            hurt: None,
            has_hit: false,
            may_respawn: false,
        };
        let mut snapshot = Snapshot { time: Time(1000), frame_ms: FRAME_MS, ..Snapshot::default() };
        snapshot.own.push(own);
        snapshot.players.push(standing(ME, OURS, at));
        snapshot.movers.extend(Movers::of(&field.map, &field.game, Time(0)).placed().iter().map(|placed| Mover {
            // Numbers that no player has.
            entity: EntityId(placed.entity.0 + 200),
            model: placed.model,
            position: Motion::stationary(placed.origin),
            angles: Motion::stationary(placed.angles),
            is_gone: false,
        }));
        Duel { field, bots, snapshot, convars: ConVars::default() }
    }

    pub(crate) fn put_enemy(&mut self, number: u16, at: [f32; 2]) {
        self.snapshot.players.push(standing(EntityId(number), THEIRS, at));
    }

    pub(crate) fn put_mate(&mut self, number: u16, at: [f32; 2]) {
        self.snapshot.players.push(standing(EntityId(number), OURS, at));
    }

    /// The same, but he has a mind; he stays where he is put.
    pub(crate) fn join_mate(&mut self, number: u16, at: [f32; 2], yaw: f32) {
        let character = Character { name: "mate".into(), skill: Skill::Elite, traits: Some(Traits::MIDDLING) };
        self.bots.join(EntityId(number), character);
        let mut own = self.snapshot.own[0];
        own.entity = EntityId(number);
        own.body = Player::at(Vec3::new(at[0], at[1], FLOOR), &self.field.game.rules.movement);
        own.body.view.y = yaw;
        self.snapshot.own.push(own);
        self.put_mate(number, at);
    }

    /// Somebody who has nothing to do with it.
    pub(crate) fn put_civilian(&mut self, number: u16, at: [f32; 2]) {
        self.snapshot.players.push(standing(EntityId(number), Team::NEUTRAL, at));
    }

    /// Something to pick up that somebody dropped.
    pub(crate) fn put_item(&mut self, number: u16, class: &str, at: [f32; 2]) {
        let kind = self.field.arsenal.item_named(class).expect("described");
        let origin = Vec3::new(at[0], at[1], FLOOR - 9.0);
        self.snapshot.items.push(Item { entity: EntityId(number), kind, origin, is_there: true });
    }

    pub(crate) fn enemy(&mut self, number: u16) -> &mut Figure {
        self.snapshot.players.iter_mut().find(|figure| figure.entity == EntityId(number)).expect("put there")
    }

    pub(crate) fn own(&mut self) -> &mut Own {
        &mut self.snapshot.own[0]
    }

    /// One frame: it thinks and moves; whether somebody was hit is over afterwards.
    pub(crate) fn frame(&mut self) -> Command {
        self.frame_of_all()[0]
    }

    /// The same, with what its mates would press.
    pub(crate) fn frame_of_all(&mut self) -> Vec<Command> {
        let commands = self.bots.think(&self.snapshot, &self.convars).to_vec();
        let command = commands[0];
        let scene = Scene::of(&self.field.solids);
        let rules = &self.field.game.rules.movement;
        let setting = Setting { scene: &scene, rules, me: Some(ME), mask: Contents::MASK_BOT };
        let own = &mut self.snapshot.own[0];
        own.body = movement::step(&own.body, &command.press, FRAME_MS, &setting).player;
        own.has_hit = false;
        own.weapon = command.weapon;
        let (origin, velocity, view) = (own.body.origin, own.body.velocity, own.body.view);
        let shown = &mut self.snapshot.players[0];
        (shown.origin, shown.velocity, shown.pitch, shown.yaw) = (origin, velocity, view.x, view.y);
        self.snapshot.time = self.snapshot.time + FRAME_MS;
        commands
    }

    /// So many frames; every command of them.
    pub(crate) fn run(&mut self, ms: i32) -> Vec<Command> {
        (0..ms / FRAME_MS).map(|_| self.frame()).collect()
    }

    /// The same, but it is kept where it stands, and looks where it looked.
    pub(crate) fn stand(&mut self, ms: i32) {
        let (at, view) = (self.own().body.origin, self.own().body.view);
        for _ in 0..ms / FRAME_MS {
            self.frame();
            (self.own().body.origin, self.own().body.view) = (at, view);
        }
    }

    /// What it is at.
    pub(crate) fn is_at(&self, goal: &str) -> bool {
        self.bots.goals(ME).any(|(name, _)| name == goal)
    }
}

fn standing(entity: EntityId, team: Team, at: [f32; 2]) -> Figure {
    Figure {
        entity,
        team,
        origin: Vec3::new(at[0], at[1], FLOOR),
        velocity: Vec3::new(1.0, 0.0, 0.0),
        pitch: 0.0,
        yaw: 180.0,
        stance: Stance::Standing,
        weapon: Default::default(),
        is_firing: false,
        is_dead: false,
        powers: 0,
    }
}
