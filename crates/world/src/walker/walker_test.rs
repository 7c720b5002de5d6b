//! Legs walked in our own maps, with the movement and the movers that the game has.

use std::path::Path;

use glam::Vec3;

use super::outing::{Course, Outing};
use super::{Follower, Leg, Opener, Progress, Travel, Walker};
use crate::game::Game;
use crate::map::Map;
use crate::movement::Player;
use crate::solids::Solids;
use crate::units::EntityId;

struct Place {
    map: Map,
    solids: Solids,
    game: Game,
}

impl Place {
    fn new(name: &str) -> Place {
        Place::of(name, "openarena")
    }

    fn of(name: &str, game: &str) -> Place {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/maps/{name}.map"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let map = Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}"));
        let solids = Solids::build(&map);
        Place { map, solids, game: Game::named(game).expect("built in") }
    }

    fn course(&self) -> Course<'_> {
        Course::new(&self.map, &self.solids, &self.game)
    }

    fn entity(&self, class: &str) -> EntityId {
        EntityId(self.map.entities.iter().position(|entity| entity.class() == class).expect("in the map") as u16)
    }

    /// Walks a leg among its movers; the time it took, or where and why it failed.
    fn walk(&self, leg: Leg, offset: Vec3) -> Result<Walked, String> {
        let course = self.course();
        let player = Player::at(leg.from + offset, course.rules);
        let mut outing = Outing::among_movers(&course, player, u32::MAX);
        let mut walker = Walker::new(leg, None);
        loop {
            let progress = outing.frame(|player, setting, ms| {
                let (keys, progress) = walker.press(player, setting, ms);
                (keys.command_facing_ahead(player), progress)
            });
            match progress {
                Progress::OnTheWay => {}
                Progress::Arrived => {
                    return Ok(Walked { ms: outing.spent_ms(), damage: outing.cost.damage, at: outing.player.origin });
                }
                Progress::Lost(why) => {
                    return Err(format!("{why:?} at {} after {} ms", outing.player.origin, outing.spent_ms()));
                }
            }
        }
    }

    fn walk_from_around(&self, leg: Leg) -> Vec<Walked> {
        let offsets = [[0.0, 0.0], [12.0, 0.0], [-12.0, 0.0], [0.0, 12.0], [0.0, -12.0]];
        offsets
            .iter()
            .map(|[x, y]| {
                self.walk(leg, Vec3::new(*x, *y, 0.0)).unwrap_or_else(|error| panic!("{x} {y}: {leg:?}: {error}"))
            })
            .collect()
    }
}

#[derive(Debug)]
struct Walked {
    ms: i32,
    damage: f32,
    at: Vec3,
}

fn leg(travel: Travel, from: [f32; 3], to: [f32; 3]) -> Leg {
    Leg {
        from: Vec3::from_array(from),
        to: Vec3::from_array(to),
        travel,
        via: None,
        mover: None,
        opener: None,
        time_ms: 2000,
    }
}

#[test]
fn a_walk_runs_at_full_speed_and_stops_at_its_end() {
    let place = Place::new("one_room");
    for walked in place.walk_from_around(leg(Travel::Walk, [-150.0, -100.0, 24.125], [150.0, 100.0, 24.125])) {
        // 360 units at 320 a second, and a moment to start and stop.
        assert!(walked.ms <= 1450, "{walked:?}");
        assert!((walked.at - Vec3::new(150.0, 100.0, 24.125)).length() < 16.0, "{walked:?}");
    }
}

#[test]
fn stairs_are_walked_up_and_down() {
    let place = Place::new("stairs");
    let (low, high) = ([-320.0, 0.0, 24.125], [320.0, 0.0, 184.125]);
    let up = place.walk_from_around(leg(Travel::Walk, low, high));
    let down = place.walk_from_around(leg(Travel::Walk, high, low));
    assert!(up.iter().chain(&down).all(|walked| walked.damage == 0.0 && walked.ms < 3000), "{up:?} {down:?}");
}

#[test]
fn a_plank_over_a_pit_is_crossed_and_the_pit_is_not_entered() {
    let place = Place::new("pit");
    for walked in place.walk_from_around(leg(Travel::Walk, [-160.0, 0.0, 24.125], [160.0, 0.0, 24.125])) {
        assert!(walked.damage == 0.0, "{walked:?}");
    }
    let fall = place.walk(leg(Travel::Walk, [-160.0, 150.0, 24.125], [160.0, 150.0, 24.125]), Vec3::ZERO);
    assert!(fall.is_err(), "{fall:?}");
}

#[test]
fn a_gap_too_wide_to_walk_is_jumped() {
    let place = Place::new("pit");
    // From the ledge onto the plank, 96 units over the pit.
    for walked in place.walk_from_around(leg(Travel::Jump, [-144.0, -100.0, 24.125], [-40.0, 0.0, 24.125])) {
        assert!(walked.damage == 0.0, "{walked:?}");
    }
}

#[test]
fn a_pad_is_stepped_on_and_flown_from() {
    let place = Place::new("jump_pad");
    let via = Some(Vec3::new(-192.0, 0.0, 32.125));
    let push = Leg { via, ..leg(Travel::Push, [-300.0, 0.0, 24.125], [220.0, 60.0, 216.125]) };
    for walked in place.walk_from_around(push) {
        assert!(walked.ms < 3500, "{walked:?}");
    }
}

#[test]
fn a_lift_is_waited_for_ridden_and_left() {
    let place = Place::new("lift");
    let mover = Some(place.entity("func_plat"));
    let via = Some(Vec3::new(112.0, 0.0, 24.125));
    let up = Leg { via, mover, ..leg(Travel::Lift, [20.0, 0.0, 24.125], [210.0, 0.0, 200.125]) };
    for walked in place.walk_from_around(up) {
        assert!((1200..4000).contains(&walked.ms) && walked.damage == 0.0, "{walked:?}");
    }
}

#[test]
fn a_button_is_pressed_before_the_door_is_passed() {
    let place = Place::new("button_door");
    let mover = Some(place.entity("func_door"));
    let stand = Vec3::new(-370.0, 136.0, 24.125);
    let opener = Some(Opener { stand, aim: Vec3::new(-396.0, 136.0, 56.0), is_shot: false });
    let ends = ([-60.0, 0.0, 24.125], [60.0, 0.0, 24.125]);
    for walked in place.walk_from_around(Leg { mover, opener, ..leg(Travel::ButtonDoor, ends.0, ends.1) }) {
        assert!(walked.ms < 6000 && walked.damage == 0.0, "{walked:?}");
    }
    let shut = place.walk(Leg { mover, ..leg(Travel::Door, ends.0, ends.1) }, Vec3::ZERO);
    assert!(shut.is_err(), "nobody pressed the button: {shut:?}");
}

#[test]
fn a_door_that_opens_by_itself_is_walked_through() {
    for (map, y, travel) in [("two_rooms_one_door", 64.0, Travel::Door), ("key_door", 0.0, Travel::KeyDoor)] {
        let place = Place::new(map);
        let mover = Some(place.entity("func_door"));
        for walked in place.walk_from_around(Leg { mover, ..leg(travel, [-120.0, y, 24.125], [120.0, y, 24.125]) }) {
            assert!(walked.ms < 3000 && walked.damage == 0.0, "{map}: {walked:?}");
        }
    }
}

#[test]
fn a_ladder_is_climbed_up_and_down() {
    let place = Place::of("ladder", "skirmish");
    let (low, high) = ([40.0, 0.0, 24.125], [150.0, 0.0, 232.125]);
    for walked in place.walk_from_around(leg(Travel::Ladder, low, high)) {
        assert!(walked.ms < 4000, "{walked:?}");
    }
    for walked in place.walk_from_around(leg(Travel::Ladder, high, low)) {
        assert!(walked.damage == 0.0, "{walked:?}");
    }
}

#[test]
fn a_route_of_several_legs_is_followed_round_its_corners() {
    let place = Place::new("pit");
    let corners = [
        [-320.0, -192.0, 24.125],
        [-320.0, 0.0, 24.125],
        [-160.0, 0.0, 24.125],
        [160.0, 0.0, 24.125],
        [320.0, 192.0, 24.125],
    ];
    let route: Vec<Leg> = corners.windows(2).map(|pair| leg(Travel::Walk, pair[0], pair[1])).collect();
    let course = place.course();
    let mut outing = Outing::new(&course, Player::at(Vec3::from_array(corners[0]), course.rules));
    let mut follower = Follower::new(&route).expect("has legs");
    let length: f32 = route.iter().map(|leg| (leg.to - leg.from).length()).sum();
    loop {
        let progress = outing.frame(|player, setting, ms| {
            let (keys, progress) = follower.press(&route, player, setting, ms);
            (keys.command_facing_ahead(player), progress)
        });
        match progress {
            Progress::OnTheWay => {}
            Progress::Arrived => break,
            Progress::Lost(why) => panic!("{why:?} at {}", outing.player.origin),
        }
    }
    // Corners cost a little: not more than a fifth of the way at full speed.
    assert!((outing.spent_ms() as f32) < 1.2 * length / 320.0 * 1000.0, "{}", outing.spent_ms());
    assert_eq!(outing.cost.damage, 0.0);
}
