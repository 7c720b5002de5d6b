//! Doors, lifts, keys and things that break, set off in our own maps by a body that walks and shoots.

use std::path::Path;

use fireteam_world::game::Side;
use fireteam_world::mover::{Act, MoverEvent, MoverState, Movers, Rider};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Game, Hull, Map, Scene, Solids, Sweep, Vec3};

const BODY: Hull = Hull::new(Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0));
const WALKER: EntityId = EntityId(1000);

struct Stage {
    map: Map,
    solids: Solids,
    movers: Movers,
    now: i32,
    rider: Rider,
    events: Vec<MoverEvent>,
}

impl Stage {
    fn new(name: &str, origin: Vec3) -> Stage {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/maps/{name}.map"));
        let text = std::fs::read_to_string(&path).unwrap();
        let map = Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}"));
        let game = Game::named("skirmish").unwrap();
        let rider = Rider {
            entity: WALKER,
            origin,
            hull: BODY,
            ground: None,
            turned: 0.0,
            is_alive: true,
            is_player: true,
            side: Side::Anyone,
            keys: 0,
        };
        let (solids, movers) = (Solids::build(&map), Movers::of(&map, &game, Time(0)));
        Stage { map, solids, movers, now: 0, rider, events: Vec::new() }
    }

    /// One frame, in which the walker does `acts`.
    fn frame(&mut self, acts: &[Act]) {
        self.now += 50;
        let mut riders = [self.rider];
        self.events.extend(self.movers.advance(Time(self.now), &self.solids, &mut riders, acts));
        self.rider = riders[0];
    }

    fn wait(&mut self, ms: i32) {
        for _ in 0..ms / 50 {
            self.frame(&[]);
        }
    }

    fn entity(&self, class: &str) -> EntityId {
        EntityId(self.map.entities.iter().position(|entity| entity.class() == class).unwrap() as u16)
    }

    fn state(&self, class: &str) -> MoverState {
        self.movers.state(self.entity(class)).unwrap().state
    }

    fn origin(&self, class: &str) -> Vec3 {
        let entity = self.entity(class);
        self.movers.placed().iter().find(|placed| placed.entity == entity).unwrap().origin
    }

    fn is_free(&self, from: Vec3, to: Vec3) -> bool {
        let crowd = Crowd::of(&self.solids, self.movers.placed(), &[]);
        let scene = Scene { solids: &self.solids, crowd: &crowd };
        !scene.sweep(&Sweep::hull(from, to, BODY, Contents::MASK_PLAYER), None).is_hit()
    }
}

#[test]
fn a_lift_comes_up_with_its_rider_waits_and_goes_down_without_him() {
    let mut stage = Stage::new("lift", Vec3::new(112.0, 0.0, 24.125));
    assert_eq!(stage.origin("func_plat").z, -176.0);
    stage.rider.ground = Some(stage.entity("func_plat"));
    stage.frame(&[]);
    assert_eq!(stage.state("func_plat"), MoverState::ToSecond);
    stage.wait(1250);
    assert_eq!(stage.state("func_plat"), MoverState::Second);
    assert_eq!(stage.origin("func_plat").z, 0.0);
    assert!((stage.rider.origin.z - 200.125).abs() < 0.001, "{}", stage.rider.origin);
    stage.wait(3000);
    assert_eq!(stage.state("func_plat"), MoverState::Second, "it must not leave under its rider");
    (stage.rider.ground, stage.rider.origin) = (None, Vec3::new(250.0, 0.0, 200.125));
    stage.wait(1100);
    assert_eq!(stage.state("func_plat"), MoverState::ToFirst);
    stage.wait(1300);
    assert_eq!(stage.origin("func_plat").z, -176.0);
}

#[test]
fn a_door_opens_for_who_comes_near_and_shuts_behind_him() {
    let (far, near) = (Vec3::new(-320.0, 0.0, 24.125), Vec3::new(-60.0, 64.0, 24.125));
    let mut stage = Stage::new("two_rooms_one_door", far);
    let through = |stage: &Stage| stage.is_free(near, Vec3::new(60.0, 64.0, 24.125));
    stage.wait(500);
    assert_eq!(stage.state("func_door"), MoverState::First);
    assert!(!through(&stage));
    stage.rider.origin = near;
    stage.wait(1500);
    assert_eq!(stage.state("func_door"), MoverState::Second);
    assert!(through(&stage));
    stage.rider.origin = far;
    stage.wait(4000);
    assert_eq!(stage.state("func_door"), MoverState::First);
    assert!(!through(&stage));
}

#[test]
fn a_door_that_meets_somebody_hurts_him_and_opens_again() {
    let mut stage = Stage::new("button_door", Vec3::new(-320.0, -128.0, 24.125));
    let (door, button) = (stage.entity("func_door"), stage.entity("func_button"));
    stage.frame(&[Act::Used { mover: button }]);
    while stage.state("func_door") != MoverState::ToFirst {
        stage.frame(&[]);
        assert!(stage.now < 20_000, "the door never came back");
    }
    let placed = *stage.movers.placed().iter().find(|placed| placed.entity == door).unwrap();
    let (mins, maxs) = stage.solids.bounds(placed.model);
    let doorway = (mins + maxs) * 0.5;
    stage.rider.origin = Vec3::new(doorway.x, doorway.y, mins.z + 24.125);
    while stage.state("func_door") == MoverState::ToFirst {
        stage.frame(&[]);
        assert!(stage.now < 20_000, "the door went through him");
    }
    assert_eq!(stage.state("func_door"), MoverState::ToSecond);
    assert!(stage.events.contains(&MoverEvent::Crushed { rider: WALKER, mover: door, damage: 2 }));
    assert_eq!(stage.rider.origin.z, mins.z + 24.125, "he was not pushed through the floor");
}

#[test]
fn a_button_opens_the_door_it_is_wired_to() {
    let mut stage = Stage::new("button_door", Vec3::new(-320.0, -128.0, 24.125));
    stage.wait(500);
    assert_eq!(stage.state("func_door"), MoverState::First, "a wired door does not open by itself");
    let button = stage.entity("func_button");
    stage.frame(&[Act::Bumped { rider: WALKER, mover: button }]);
    assert_eq!(stage.state("func_button"), MoverState::ToSecond);
    stage.wait(2000);
    assert_eq!(stage.state("func_door"), MoverState::Second);
    stage.wait(6000);
    assert_eq!((stage.state("func_door"), stage.state("func_button")), (MoverState::First, MoverState::First));
}

#[test]
fn a_locked_door_opens_only_with_its_key() {
    let mut stage = Stage::new("key_door", Vec3::new(-60.0, 0.0, 24.125));
    stage.wait(1000);
    assert_eq!(stage.state("func_door"), MoverState::First);
    let locked = MoverEvent::Locked { rider: WALKER, mover: stage.entity("func_door") };
    assert!(stage.events.contains(&locked));
    assert_eq!(stage.movers.key("gold"), None);
    stage.rider.keys = stage.movers.key("silver").unwrap();
    stage.frame(&[]);
    assert_eq!(stage.state("func_door"), MoverState::ToSecond);
}

#[test]
fn a_breakable_wall_stands_until_its_health_is_gone() {
    let mut stage = Stage::new("breakable", Vec3::new(-320.0, 0.0, 24.125));
    let wall = stage.entity("func_breakable");
    assert!(stage.movers.shootable().any(|mover| mover == wall));
    let (from, to) = (Vec3::new(-60.0, -128.0, 26.0), Vec3::new(60.0, -128.0, 26.0));
    stage.frame(&[Act::Shot { mover: wall, damage: 59 }]);
    assert!(!stage.is_free(from, to));
    stage.frame(&[Act::Shot { mover: wall, damage: 1 }]);
    assert!(stage.events.contains(&MoverEvent::Broke(wall)));
    assert!(stage.is_free(from, to));
    assert!(!stage.movers.shootable().any(|mover| mover == wall));
}
