//! Our own maps on foot: keys pressed, frames passed, and the place where that leads.

use std::path::Path;

use fireteam_world::movement::{
    Command, Event, Hold, MovementRules, Player, Setting, Trigger, TriggerAction, angle_word, frame,
};
use fireteam_world::{Contents, Map, Scene, Solids, Vec3};

const FRAME_MS: i32 = 50;
const FORWARD: Command = Command { forward: 127, angles: [0; 3], right: 0, up: 0, buttons: NOTHING };
const NOTHING: fireteam_world::movement::Buttons = fireteam_world::movement::Buttons(0);

/// A player in a map with its triggers.
struct Walk {
    solids: Solids,
    triggers: Vec<Trigger>,
    rules: MovementRules,
    player: Player,
    events: Vec<Event>,
    highest: f32,
}

impl Walk {
    fn in_map(map: &Map, rules: MovementRules, start: [f32; 3]) -> Walk {
        let player = Player::at(Vec3::from_array(start), &rules);
        Walk {
            solids: Solids::build(map),
            triggers: Trigger::all_in(map, &rules),
            rules,
            player,
            events: Vec::new(),
            highest: f32::MIN,
        }
    }

    fn press(&mut self, frames: usize, command: Command) {
        for _ in 0..frames {
            let scene = Scene::of(&self.solids);
            let setting = Setting { scene: &scene, rules: &self.rules, me: None, mask: Contents::MASK_PLAYER };
            let step = frame(&self.player, &command, FRAME_MS, &setting, &self.triggers);
            self.player = step.player;
            self.events.extend(step.events.iter());
            self.highest = self.highest.max(self.player.origin.z);
        }
    }
}

fn own_map(name: &str) -> Map {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/maps/{name}.map"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_pad_throws_to_its_apex_and_onto_the_balcony() {
    let map = own_map("jump_pad");
    let mut walk = Walk::in_map(&map, MovementRules::openarena(), [-320.0, 0.0, 40.0]);
    assert!(matches!(walk.triggers[..], [Trigger { action: TriggerAction::Launch { .. }, .. }]));
    while walk.events.is_empty() || walk.player.pad.is_none() {
        walk.press(1, FORWARD);
        assert!(walk.player.origin.x < -100.0, "walked over the pad: {:?}", walk.events);
    }
    walk.press(60, Command::default());
    // The apex is where a body thrown from the middle of the pad would be highest; this one stood higher.
    assert!((320.0..345.0).contains(&walk.highest), "{}", walk.highest);
    assert!(walk.player.origin.x > 100.0 && walk.player.origin.z > 190.0, "{}", walk.player.origin);
    let launches = walk.events.iter().filter(|event| matches!(event, Event::Launched { .. })).count();
    assert_eq!(launches, 1);
}

#[test]
fn stairs_are_run_up_without_a_jump() {
    let mut walk = Walk::in_map(&own_map("stairs"), MovementRules::openarena(), [-320.0, 0.0, 40.0]);
    walk.press(60, FORWARD);
    assert!(walk.player.origin.x > 200.0 && walk.player.origin.z > 180.0, "{}", walk.player.origin);
    assert!(walk.events.iter().any(|event| matches!(event, Event::SteppedUp { .. })));
}

#[test]
fn the_ladder_leads_to_the_upper_floor() {
    let map = own_map("ladder");
    let mut walk = Walk::in_map(&map, MovementRules::skirmish(), [-200.0, 0.0, 40.0]);
    walk.press(100, FORWARD);
    assert!(walk.player.origin.z > 220.0 && !walk.player.ground.is_air(), "{}", walk.player.origin);

    let mut without = Walk::in_map(&map, MovementRules::openarena(), [-200.0, 0.0, 40.0]);
    without.press(100, FORWARD);
    assert!(without.highest < 60.0, "OpenArena has no ladders: {}", without.highest);
}

#[test]
fn the_pool_is_dived_through_and_left() {
    let mut walk = Walk::in_map(&own_map("water"), MovementRules::openarena(), [-330.0, 0.0, 40.0]);
    walk.press(20, FORWARD);
    assert!(walk.events.contains(&Event::EnteredWater), "{:?}", walk.player);
    // A wall divides the pool but for its ground.
    walk.press(40, Command { angles: [angle_word(60.0), 0, 0], ..FORWARD });
    assert!(walk.events.contains(&Event::WentUnder));
    walk.press(60, FORWARD);
    assert!(walk.player.origin.x > 30.0, "{}", walk.player.origin);
    walk.press(120, Command { up: 127, ..FORWARD });
    assert!(walk.events.contains(&Event::LeftWater) && walk.player.origin.z > 0.0, "{:?}", walk.player);
}

/// A brush of the classic format: its corners, and three points on each of its faces.
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

#[test]
fn a_teleporter_turns_throws_and_holds() {
    let text = format!(
        "{{\n\"classname\" \"worldspawn\"\n{}}}\n\
         {{\n\"classname\" \"trigger_teleport\"\n\"target\" \"exit\"\n{}}}\n\
         {{\n\"classname\" \"misc_teleporter_dest\"\n\"targetname\" \"exit\"\n\"origin\" \"0 512 64\"\n\"angle\" \"90\"\n}}\n",
        brush([-1024, -1024, -64], [1024, 1024, 0]),
        brush([100, -64, 0], [164, 64, 96]),
    );
    let map = Map::from_source("teleporter", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut walk = Walk::in_map(&map, MovementRules::openarena(), [0.0, 0.0, 40.0]);
    let south_east = Command { angles: [0, angle_word(-10.0), 0], ..FORWARD };
    while !walk.events.iter().any(|event| matches!(event, Event::Teleported { .. })) {
        walk.press(1, south_east);
        assert!(walk.player.origin.x < 200.0, "walked through it");
    }
    assert_eq!(walk.player.origin, Vec3::new(0.0, 512.0, 65.0));
    assert_eq!(walk.player.velocity.round(), Vec3::new(0.0, 400.0, 0.0));
    assert_eq!(walk.player.hold, Hold { ms: 160, knocked: true, ..Hold::default() });
    walk.press(1, south_east);
    assert!((walk.player.view.y - 90.0).abs() < 0.01, "the same mouse looks north now: {}", walk.player.view);
    assert!(walk.player.velocity.y > 390.0);
}
