//! Bodies driven by [`Legs`] alone, among movers and each other, as a game would run them.

use std::path::Path;
use std::sync::Arc;

use fireteam::legs::{Legs, Walk};
use fireteam::searches::Searches;
use fireteam::snapshot::{Arm, Own, WEAPONS_MAX};
use fireteam::{ConVars, Field};
use fireteam_bake::{BakeSettings, OneThread, Unwatched};
use fireteam_world::contents::Contents;
use fireteam_world::crowd::Crowd;
use fireteam_world::game::Side;
use fireteam_world::maths;
use fireteam_world::movement::{self, Buttons, Ground, Player, Setting, Trigger};
use fireteam_world::mover::{Act, MoverEvent, Movers, Rider};
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::{Body, Placed, Scene, Sweep};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::Keys;
use fireteam_world::{Game, Map, Solids, Vec3};

/// Bodies are numbered from here on, past all entities of our maps.
pub(crate) const FIRST: u16 = 1000;

/// A map with its terrain.
pub(crate) fn field(name: &str, game: &str) -> Arc<Field> {
    field_with(name, game, |text| text)
}

/// The same with something changed in the map's source.
pub(crate) fn field_with(name: &str, game: &str, change: impl FnOnce(String) -> String) -> Arc<Field> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/maps/{name}.map"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let map = Map::from_source(name, &change(text)).unwrap_or_else(|error| panic!("{error}"));
    field_of(map, game)
}

pub(crate) fn field_of(map: Map, game: &str) -> Arc<Field> {
    let game = Game::named(game).expect("built in");
    let terrain = fireteam_bake::bake(&map, &game, &BakeSettings::default().without_throws(), &OneThread, &Unwatched);
    let terrain = terrain.unwrap_or_else(|error| panic!("{error}"));
    let solids = Solids::build(&map);
    let field = Field::new(Arc::new(map), Arc::new(solids), Arc::new(terrain), Arc::new(game));
    Arc::new(field.unwrap_or_else(|error| panic!("{error}")))
}

/// Somebody on his feet.
pub(crate) struct Person {
    pub(crate) legs: Legs,
    pub(crate) own: Own,
    /// What he pressed last.
    pub(crate) keys: Keys,
    chance: Pcg,
}

/// A map, its movers, and people.
pub(crate) struct Playground {
    pub(crate) field: Arc<Field>,
    pub(crate) people: Vec<Person>,
    pub(crate) searches: Searches,
    pub(crate) now: Time,
    pub(crate) convars: ConVars,
    /// Where everybody believes the movers to be, if that is not the truth.
    believed: Option<Vec<Placed>>,
    movers: Movers,
    crowd: Crowd,
    beliefs: Crowd,
    triggers: Vec<Trigger>,
}

impl Playground {
    pub(crate) fn new(field: &Arc<Field>) -> Playground {
        Playground {
            movers: Movers::of(&field.map, &field.game, Time(0)),
            triggers: field.triggers.iter().map(|(_, trigger)| *trigger).collect(),
            field: Arc::clone(field),
            people: Vec::new(),
            searches: Searches::default(),
            now: Time(0),
            convars: ConVars::default(),
            crowd: Crowd::default(),
            beliefs: Crowd::default(),
            believed: None,
        }
    }

    /// From now on nobody sees movers move.
    pub(crate) fn blindfold(&mut self) {
        self.believed = Some(self.movers.placed().to_vec());
    }

    /// Movers are believed to stand where they do, but to have other numbers: nobody has seen them yet.
    pub(crate) fn misname(&mut self) {
        let renamed = |placed: &Placed| Placed { entity: EntityId(placed.entity.0 + FIRST / 2), ..*placed };
        self.believed = Some(self.movers.placed().iter().map(renamed).collect());
    }

    /// From now on everybody sees movers as they are.
    pub(crate) fn open_eyes(&mut self) {
        self.believed = None;
    }

    /// Puts somebody down; his number in `people`.
    pub(crate) fn put(&mut self, origin: Vec3) -> usize {
        let index = self.people.len();
        let entity = EntityId(FIRST + index as u16);
        let own = Own {
            entity,
            team: Default::default(),
            life: 1,
            body: Player::at(origin, &self.field.game.rules.movement),
            health: 100,
            armour: 0,
            weapon: Default::default(),
            ready_in_ms: 0,
            is_reloading: false,
            arms: [Arm::default(); WEAPONS_MAX],
            armed_ms: None,
            keys: 0,
            powers: 0,
            hurt: None,
            has_hit: false,
            may_respawn: false,
        };
        self.people.push(Person {
            legs: Legs::default(),
            own,
            keys: Keys::NONE,
            chance: Pcg::new(7, u64::from(entity.0)),
        });
        index
    }

    /// One frame: everybody presses and moves, then the movers do.
    pub(crate) fn frame(&mut self) {
        let frame_ms = self.field.game.rules.frame_ms;
        let field = Arc::clone(&self.field);
        let rules = &field.game.rules.movement;
        let mut acts = Vec::new();
        self.searches.run(&field.terrain, self.convars.path_slices_per_frame);
        for index in 0..self.people.len() {
            let bodies: Vec<Body> = self.people.iter().map(|person| body_of(person, rules)).collect();
            self.crowd.set(&field.solids, self.movers.placed(), &bodies);
            let believed = self.believed.as_deref().unwrap_or(self.movers.placed());
            self.beliefs.set(&field.solids, believed, &bodies);
            let scene = Scene { solids: &field.solids, crowd: &self.crowd };
            let beliefs = Scene { solids: &field.solids, crowd: &self.beliefs };
            let person = &mut self.people[index];
            let walk = Walk {
                own: &person.own,
                scene: &beliefs,
                field: &field,
                now: self.now,
                frame_ms,
                convars: &self.convars,
                concerns: Default::default(),
            };
            let keys = person.legs.press(&walk, &mut self.searches, &mut person.chance);
            person.keys = keys;
            let command = keys.command_facing_ahead(&person.own.body);
            let me = person.own.entity;
            let setting = Setting { scene: &scene, rules, me: Some(me), mask: Contents::MASK_BOT };
            let step = movement::frame(&person.own.body, &command, frame_ms, &setting, &self.triggers);
            person.own.body = step.player;
            acts.extend(step.touched.iter().map(|mover| Act::Bumped { rider: me, mover }));
            if command.buttons.meets(Buttons::ATTACK) {
                acts.extend(shot_at(&step.player, &setting).map(|mover| Act::Shot { mover, damage: 5 }));
            }
        }
        self.now = self.now + frame_ms;
        let mut riders: Vec<Rider> = self.people.iter().map(|person| rider_of(person, rules)).collect();
        for event in self.movers.advance(self.now, &field.solids, &mut riders, &acts) {
            if let MoverEvent::Crushed { rider, damage, .. } = event {
                let crushed = self.people.iter_mut().find(|person| person.own.entity == *rider);
                crushed.expect("riders are people").own.health -= damage;
            }
        }
        for (person, rider) in self.people.iter_mut().zip(riders) {
            let shift = rider.origin - person.own.body.origin;
            person.own.body.carry(shift, rider.turned);
        }
    }

    /// Runs until `is_over` says so; the milliseconds it took, or none if it took longer than `limit_ms`.
    pub(crate) fn run(&mut self, limit_ms: i32, mut is_over: impl FnMut(&Playground) -> bool) -> Option<i32> {
        let start = self.now;
        while self.now - start < limit_ms {
            self.frame();
            if is_over(self) {
                return Some(self.now - start);
            }
        }
        None
    }

    pub(crate) fn origin(&self, index: usize) -> Vec3 {
        self.people[index].own.body.origin
    }
}

fn body_of(person: &Person, rules: &movement::MovementRules) -> Body {
    let body = &person.own.body;
    Body { entity: person.own.entity, origin: body.origin, hull: body.hull(rules), contents: Contents::BODY }
}

fn rider_of(person: &Person, rules: &movement::MovementRules) -> Rider {
    let body = &person.own.body;
    let ground = match body.ground {
        Ground::Floor { entity, .. } => entity,
        Ground::Air => None,
    };
    Rider {
        entity: person.own.entity,
        origin: body.origin,
        hull: body.hull(rules),
        ground,
        turned: 0.0,
        is_alive: true,
        is_player: true,
        side: Side::Anyone,
        keys: person.own.keys,
    }
}

fn shot_at(player: &Player, setting: &Setting) -> Option<EntityId> {
    let ahead = maths::game_axes(player.view.x, player.view.y, 0.0).forward;
    let sweep = Sweep::ray(player.eye(), player.eye() + ahead * 8192.0, Contents::MASK_SHOT);
    setting.scene.sweep(&sweep, setting.me).entity
}

/// A map of boxes: floor, walls and whatever else is solid, with spawns to begin a bake from.
pub(crate) fn map_of(name: &str, boxes: &[([i32; 3], [i32; 3])], spawns: &[[i32; 3]]) -> Map {
    let mut text = "{\n\"classname\" \"worldspawn\"\n".to_owned();
    text.extend(boxes.iter().map(|(mins, maxs)| brush(*mins, *maxs)));
    text.push_str("}\n");
    for [x, y, z] in spawns {
        text.push_str(&format!("{{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"{x} {y} {z}\"\n}}\n"));
    }
    Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

/// A brush of the classic format: three points on each of its faces.
fn brush(mins: [i32; 3], maxs: [i32; 3]) -> String {
    let ([x, y, z], [u, v, w]) = (mins, maxs);
    let faces = [
        [[x, y, z], [x, y + 1, z], [x, y, z + 1]],
        [[x, y, z], [x, y, z + 1], [x + 1, y, z]],
        [[x, y, z], [x + 1, y, z], [x, y + 1, z]],
        [[u, v, w], [u, v + 1, w], [u + 1, v, w]],
        [[u, v, w], [u + 1, v, w], [u, v, w + 1]],
        [[u, v, w], [u, v, w + 1], [u, v + 1, w]],
    ];
    let line = |face: &[[i32; 3]; 3]| {
        let points: Vec<String> = face.iter().map(|[x, y, z]| format!("( {x} {y} {z} )")).collect();
        format!("{} stone 0 0 0 1 1\n", points.join(" "))
    };
    format!("{{\n{}}}\n", faces.iter().map(line).collect::<String>())
}
