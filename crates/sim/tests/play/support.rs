//! What the tests of the game share: our own maps baked once, and players who do as they are told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use fireteam::snapshot::{Own, Snapshot, Team, WeaponId};
use fireteam::{Bots, Command, ConVars, Field, Skill, Traits};
use fireteam_bake::{BakeSettings, OneThread, Unwatched, bake};
use fireteam_sim::{Match, Member, Roster};
use fireteam_terrain::Terrain;
use fireteam_world::movement::{Buttons, angle_word};
use fireteam_world::units::EntityId;
use fireteam_world::{Game, Map, Solids, Vec3, maths};

/// Terrains of this process's tests, by map: a bake is the dearest part of a test.
static BAKED: Mutex<BTreeMap<[u8; 32], Arc<Terrain>>> = Mutex::new(BTreeMap::new());

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One of our maps, with rules changed as a test needs them and solids as they are or portable.
pub(crate) fn field_with(name: &str, change: impl FnOnce(&mut Game), is_portable: bool) -> Arc<Field> {
    let path = format!("testdata/maps/{name}.map");
    let text = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    build(&path, &text, change, is_portable)
}

fn build(path: &str, text: &str, change: impl FnOnce(&mut Game), is_portable: bool) -> Arc<Field> {
    let map = Map::from_source(path, text).unwrap_or_else(|error| panic!("{error}"));
    let mut game = Game::named("skirmish").unwrap();
    let terrain = {
        let mut baked = BAKED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let bake = || bake(&map, &game, &BakeSettings::default().without_throws(), &OneThread, &Unwatched).unwrap();
        baked.entry(map.digest).or_insert_with(|| Arc::new(bake())).clone()
    };
    change(&mut game);
    let solids = Solids::build(&map);
    let solids = if is_portable { solids.portable() } else { solids };
    Arc::new(Field::new(Arc::new(map), Arc::new(solids), terrain, Arc::new(game)).unwrap())
}

/// One of our maps with more entities in it.
pub(crate) fn field_of(name: &str, entities: &str, change: impl FnOnce(&mut Game)) -> Arc<Field> {
    field_from(name, |text| text + entities, change)
}

/// One of our maps with something changed in its source.
pub(crate) fn field_from(
    name: &str,
    rewrite: impl FnOnce(String) -> String,
    change: impl FnOnce(&mut Game),
) -> Arc<Field> {
    let path = format!("testdata/maps/{name}.map");
    let text = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    build(&path, &rewrite(text), change, false)
}

/// A hall of 2000 by 600 units with a floor and four walls, one end each for red (west) and blue, and more entities in it.
pub(crate) fn hall(entities: &str, change: impl FnOnce(&mut Game)) -> Arc<Field> {
    hall_with(&[], entities, change)
}

/// The same with something standing in it.
pub(crate) fn hall_with(inside: &[([i32; 3], [i32; 3])], entities: &str, change: impl FnOnce(&mut Game)) -> Arc<Field> {
    let boxes = [
        ([-1016, -316, -16], [1016, 316, 0]),
        ([-1016, -316, 256], [1016, 316, 272]),
        ([-1016, -316, 0], [-1000, 316, 256]),
        ([1000, -316, 0], [1016, 316, 256]),
        ([-1000, -316, 0], [1000, -300, 256]),
        ([-1000, 300, 0], [1000, 316, 256]),
    ];
    let mut text = "{\n\"classname\" \"worldspawn\"\n".to_owned();
    text.extend(boxes.iter().chain(inside).map(|(mins, maxs)| brush(*mins, *maxs)));
    text.push_str("}\n");
    for (class, x) in [("team_CTF_redspawn", -900), ("team_CTF_bluespawn", 900)] {
        for y in [0, -120, 120] {
            text.push_str(&entity_at(class, [x, y, 32]));
        }
    }
    build(
        "hall",
        &(text + entities),
        |game| {
            game.rules.rounds.freeze_ms = 0;
            change(game);
        },
        false,
    )
}

pub(crate) fn entity_at(class: &str, [x, y, z]: [i32; 3]) -> String {
    format!("{{\n\"classname\" \"{class}\"\n\"origin\" \"{x} {y} {z}\"\n}}\n")
}

/// A brush of the classic format: three points on each of its faces.
pub(crate) fn brush([x, y, z]: [i32; 3], [u, v, w]: [i32; 3]) -> String {
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

/// As it is, but for the wait before a round.
pub(crate) fn field(name: &str) -> Arc<Field> {
    field_with(name, |game| game.rules.rounds.freeze_ms = 0, false)
}

pub(crate) const RED: Team = Team(1);
pub(crate) const BLUE: Team = Team(2);

/// So many players, red and blue in turn.
pub(crate) fn roster(count: usize) -> Roster {
    let member = |number: usize| Member {
        name: format!("player {number}"),
        skill: Skill::Regular,
        team: Some(if number.is_multiple_of(2) { RED } else { BLUE }),
        // One who is set, so that recordings have to keep it.
        traits: (number == 0).then_some(Traits { aggression: 95, handedness: 5, ..Traits::MIDDLING }),
    };
    Roster { members: (0..count).map(member).collect(), civilians: 0 }
}

pub(crate) fn duel(name: &str, seed: u64) -> Match {
    Match::new(field(name), &roster(2), seed)
}

/// The first player, who is red, and the second, who is blue.
pub(crate) fn own(snapshot: &Snapshot, index: usize) -> &Own {
    &snapshot.own[index]
}

/// Hands and legs at rest, looking ahead.
pub(crate) fn idle(own: &Own) -> Command {
    let mut command = Command {
        bot: own.entity,
        press: Default::default(),
        weapon: own.weapon,
        reload: false,
        throw_speed: 0,
        voice: None,
    };
    look(&mut command, own, own.body.view.x, own.body.view.y);
    command
}

pub(crate) fn look(command: &mut Command, own: &Own, pitch: f32, yaw: f32) {
    let words = [angle_word(pitch), angle_word(yaw), 0];
    command.press.angles = [0, 1, 2].map(|axis| words[axis].wrapping_sub(own.body.view_offset[axis]));
}

/// Turns to look at a point.
pub(crate) fn look_at(command: &mut Command, own: &Own, point: Vec3) {
    let way = point - own.body.eye();
    let (pitch, yaw) = (maths::atan2(-way.z, way.truncate().length()), maths::atan2(way.y, way.x));
    look(command, own, pitch.to_degrees(), yaw.to_degrees());
}

/// Runs straight to a place and stops there.
pub(crate) fn run_to(own: &Own, place: Vec3) -> Command {
    let mut command = idle(own);
    let way = (place - own.body.origin).truncate();
    if way.length() > 12.0 {
        look(&mut command, own, 0.0, maths::atan2(way.y, way.x).to_degrees());
        command.press.forward = 127;
    }
    command
}

/// Looks at another and holds attack.
pub(crate) fn shoot_at(own: &Own, target: Vec3) -> Command {
    let mut command = idle(own);
    look_at(&mut command, own, target);
    command.press.buttons = Buttons::ATTACK;
    command
}

/// Steps until something is so, at most for so many seconds of play.
pub(crate) fn play_until(
    game: &mut Match,
    seconds: i32,
    mut press: impl FnMut(&Snapshot) -> Vec<Command>,
    mut is_so: impl FnMut(&Snapshot) -> bool,
) -> bool {
    for _ in 0..seconds * 20 {
        let commands = press(game.snapshot());
        game.step(&commands);
        if is_so(game.snapshot()) {
            return true;
        }
    }
    false
}

/// A match with bots for some of the players; the others do as they are told.
pub(crate) struct Watched {
    pub(crate) game: Match,
    pub(crate) bots: Bots,
}

impl Watched {
    /// Minds for those of the roster who are named by their places in it.
    pub(crate) fn new(game: Match, roster: &Roster, minds: &[usize]) -> Watched {
        let mut bots = Bots::new(game.field().clone(), 3);
        for (index, (entity, _)) in game.players().enumerate() {
            if minds.contains(&index) {
                bots.join(entity, roster.members[index].character());
            }
        }
        Watched { game, bots }
    }

    /// Steps until something is so; whoever has no mind does as he is told.
    pub(crate) fn play(
        &mut self,
        seconds: i32,
        mut press: impl FnMut(&Snapshot) -> Vec<Command>,
        mut is_so: impl FnMut(&Watched) -> bool,
    ) -> bool {
        let convars = ConVars::default();
        for _ in 0..seconds * 20 {
            let mut commands = self.bots.think(self.game.snapshot(), &convars).to_vec();
            commands.extend(press(self.game.snapshot()));
            self.game.step(&commands);
            if is_so(self) {
                return true;
            }
        }
        false
    }

    /// What a bot wrote into the journal.
    pub(crate) fn told(&self, bot: EntityId) -> Vec<String> {
        let lines = self.bots.journal().since(0).filter(|line| line.bot == bot);
        lines.map(|line| line.told().to_string()).collect()
    }

    pub(crate) fn own(&self, index: usize) -> &Own {
        own(self.game.snapshot(), index)
    }

    pub(crate) fn entity(&self, index: usize) -> EntityId {
        self.own(index).entity
    }
}

/// Nobody presses anything.
pub(crate) fn nobody(_: &Snapshot) -> Vec<Command> {
    Vec::new()
}

/// Takes a weapon into his hands, looks somewhere, and throws or fires what is in it, once.
pub(crate) fn throw_once(own: &Own, weapon: WeaponId, [pitch, yaw]: [f32; 2]) -> Command {
    let mut command = idle(own);
    look(&mut command, own, pitch, yaw);
    // What is thrown at one's own feet is not thrown hard.
    (command.weapon, command.throw_speed) = (weapon, if pitch > 40.0 { 0 } else { 2 });
    let is_held = own.weapon == weapon && own.ready_in_ms == 0 && own.armed_ms.is_none();
    if is_held && own.arms[usize::from(weapon.0)].rounds > 0 {
        command.press.buttons = Buttons::ATTACK;
    }
    command
}

pub(crate) fn entity(game: &Match, index: usize) -> EntityId {
    game.snapshot().own[index].entity
}
