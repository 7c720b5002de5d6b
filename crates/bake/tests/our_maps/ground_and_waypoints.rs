//! What must be true of any ground and its waypoints, and what each of our maps asks about them.

use fireteam_bake::ground::SeedKind;
use fireteam_bake::{BakeSettings, Survey, survey, waypoints};
use fireteam_terrain::{SpanFlags, WaypointFlags};
use fireteam_world::movement::{Command, Player, Setting, Stance, step};
use fireteam_world::mover::Movers;
use fireteam_world::units::Time;
use fireteam_world::walker::Travel;
use fireteam_world::{Contents, Crowd, Placed, Scene, Sweep, Vec3};

use crate::support::{Baked, bake, questions};

fn all() -> impl Iterator<Item = Baked> {
    questions().into_iter().chain(["compound".to_owned()]).map(|name| bake(&name))
}

/// Places reached from one over ways of these kinds.
fn reached(survey: &Survey, from: usize, kinds: &[Travel]) -> Vec<bool> {
    let mut reached = vec![false; survey.places.len()];
    reached[from] = true;
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        for way in survey.ways_of(place).iter().filter(|way| kinds.contains(&way.kind)) {
            if !reached[way.to as usize] {
                reached[way.to as usize] = true;
                open.push(way.to as usize);
            }
        }
    }
    reached
}

const ON_FOOT: [Travel; 2] = [Travel::Walk, Travel::Crouch];

/// The place under a player's origin.
fn place_at(baked: &Baked, origin: Vec3) -> usize {
    let feet = origin + Vec3::Z * baked.game.rules.movement.body.feet;
    baked.survey.place_at(feet).unwrap_or_else(|| panic!("{}: nothing at {origin}", baked.map.name))
}

fn spawn_places(baked: &Baked) -> Vec<usize> {
    let spawns = baked.survey.seeds.iter().filter(|seed| seed.kind == SeedKind::Spawn);
    spawns.map(|seed| seed.place.unwrap_or_else(|| panic!("{}: {seed:?}", baked.map.name)) as usize).collect()
}

#[test]
fn no_place_is_in_a_wall() {
    for baked in all() {
        let rules = &baked.game.rules.movement;
        for place in &baked.survey.places {
            let stance = if place.flags.meets(SpanFlags::STAND) {
                Stance::Standing
            } else if place.flags.meets(SpanFlags::CROUCH) {
                Stance::Crouched
            } else {
                Stance::Prone
            };
            let sweep = Sweep::hull(place.origin, place.origin, rules.hull(stance), Contents::MASK_BOT);
            assert!(!baked.solids.sweep(&sweep).start_solid, "{}: {place:?}", baked.map.name);
        }
    }
}

#[test]
fn whoever_stands_on_a_waypoint_stays_there() {
    for baked in all() {
        let rules = &baked.game.rules.movement;
        let movers = Movers::of(&baked.map, &baked.game, Time(0));
        // Doors stand open, as the survey takes them to; everything else is where it rests.
        let is_fixed = |placed: &&Placed| baked.map.entities[placed.entity.index()].class() == "func_button";
        let fixed: Vec<Placed> = movers.placed().iter().filter(is_fixed).copied().collect();
        let crowd = Crowd::of(&baked.solids, &fixed, &[]);
        let scene = Scene { solids: &baked.solids, crowd: &crowd };
        let setting = Setting { scene: &scene, rules, me: None, mask: Contents::MASK_BOT };
        for id in baked.waypoints.ids() {
            let flags = baked.waypoints.flags[id.index()];
            if flags.meets(WaypointFlags::SWIM | WaypointFlags::ON_MOVER) {
                continue;
            }
            let origin = baked.waypoints.origin[id.index()];
            let up = if flags.meets(WaypointFlags::CROUCH_ONLY) { -127 } else { 0 };
            let mut player = Player::at(origin, rules);
            player.stance = if up < 0 { Stance::Crouched } else { Stance::Standing };
            for _ in 0..20 {
                player = step(&player, &Command { up, ..Command::default() }, 50, &setting).player;
            }
            let moved = player.origin.distance(origin);
            let to = player.origin;
            assert!(moved < 1.0, "{}: waypoint {} at {origin} ({flags:?}) slid to {to}", baked.map.name, id.0);
        }
    }
}

#[test]
fn every_span_is_owned_and_every_waypoint_owns_its_own() {
    for baked in all() {
        let ground = &baked.survey.ground;
        for (span, place) in ground.spans.iter().zip(&baked.survey.places) {
            assert!(span.waypoint.is_some(), "{}: {place:?}", baked.map.name);
        }
        for id in baked.waypoints.ids() {
            let place = place_at(&baked, baked.waypoints.origin[id.index()]);
            assert_eq!(ground.spans[place].waypoint, id, "{}", baked.map.name);
        }
    }
}

#[test]
fn what_matters_has_a_waypoint() {
    for baked in all() {
        for seed in baked.survey.seeds.iter().filter(|seed| seed.kind != SeedKind::Exit) {
            let flag = if seed.kind == SeedKind::Spawn { WaypointFlags::SPAWN } else { WaypointFlags::ITEM };
            let place = seed.place.unwrap_or_else(|| panic!("{}: no ground at {seed:?}", baked.map.name));
            let origin = baked.survey.places[place as usize].origin;
            let is_near = |id: usize| baked.waypoints.origin[id].distance(origin) < 48.0;
            let has_one = (0..baked.waypoints.len()).any(|id| baked.waypoints.flags[id].meets(flag) && is_near(id));
            assert!(has_one, "{}: {seed:?}", baked.map.name);
        }
    }
}

#[test]
fn a_survey_repeated_is_the_same() {
    for name in ["water", "lift", "compound"] {
        let (one, other) = (bake(name), bake(name));
        assert_eq!(one.survey.ground, other.survey.ground, "{name}");
        assert_eq!(one.survey.ways, other.survey.ways, "{name}");
        assert_eq!(one.waypoints, other.waypoints, "{name}");
    }
}

#[test]
fn one_room_is_filled_to_its_walls_and_no_further() {
    let baked = bake("one_room");
    let world = &baked.map.models[0];
    let rules = &baked.game.rules.movement;
    // Every cell whose middle a body fits over the floor is ground, and nothing else is.
    let ground = &baked.survey.ground;
    let feet = ground.spans[0].feet;
    assert!(ground.spans.iter().all(|span| span.feet == feet), "the floor is level");
    let mut fitting = 0;
    for x in (world.mins.x / 16.0) as i32..(world.maxs.x / 16.0) as i32 {
        for y in (world.mins.y / 16.0) as i32..(world.maxs.y / 16.0) as i32 {
            let middle = Vec3::new(x as f32 + 0.5, y as f32 + 0.5, 0.0) * 16.0;
            let origin = middle + Vec3::Z * (f32::from(feet) - rules.body.feet + 1.0);
            let sweep = Sweep::hull(origin, origin, rules.hull(Stance::Standing), Contents::MASK_BOT);
            let inside = baked.solids.contents_at(origin).is_empty()
                && baked.solids.sweep(&Sweep::ray(origin, origin - Vec3::Z * 64.0, Contents::MASK_BOT)).is_hit();
            if inside && !baked.solids.sweep(&sweep).start_solid && reaches_spawn(&baked, origin) {
                fitting += 1;
                assert!(baked.survey.place_at(origin).is_some(), "no ground at {origin}");
            }
        }
    }
    // Beyond those, cells into whose nearer part a body fits.
    let rim = 2 * (ground.size[0] + ground.size[1]) as usize;
    assert!(fitting > 300 && ground.spans.len() <= fitting + rim, "{} spans, {fitting} fit", ground.spans.len());
}

/// Whether a straight line leads to a spawn: in one empty room it does from everywhere inside.
fn reaches_spawn(baked: &Baked, origin: Vec3) -> bool {
    spawn_places(baked).iter().any(|place| {
        let spawn = baked.survey.places[*place].origin;
        baked.solids.is_clear(&Sweep::ray(origin, spawn, Contents::MASK_SOLID))
    })
}

#[test]
fn stairs_are_walked_up_and_down() {
    let baked = bake("stairs");
    let spawns = spawn_places(&baked);
    let height = |place: &usize| baked.survey.places[*place].origin.z;
    let low = spawns.iter().copied().min_by(|a, b| height(a).total_cmp(&height(b))).unwrap();
    let high = spawns.iter().copied().max_by(|a, b| height(a).total_cmp(&height(b))).unwrap();
    assert!(height(&high) - height(&low) > 64.0, "the map has two floors");
    assert!(reached(&baked.survey, low, &ON_FOOT)[high]);
    assert!(reached(&baked.survey, high, &ON_FOOT)[low]);
}

#[test]
fn a_pit_has_edges_and_nobody_stands_where_he_would_die() {
    let baked = bake("pit");
    let edges = baked.survey.places.iter().filter(|place| place.flags.meets(SpanFlags::LEDGE)).count();
    assert!(edges > 10, "{edges} places at an edge");
    assert!(baked.waypoints.flags.iter().any(|flags| flags.meets(WaypointFlags::LEDGE)));
    // What is at its bottom kills: there is no ground down there.
    let floor = baked.survey.ground.spans[spawn_places(&baked)[0]].feet;
    assert!(baked.survey.ground.spans.iter().all(|span| span.feet >= floor - 1));
}

#[test]
fn a_lift_is_ground_at_both_stops_and_carries_between_them() {
    let baked = bake("lift");
    let riding: Vec<usize> =
        (0..baked.survey.places.len()).filter(|place| baked.survey.places[*place].mover.is_some()).collect();
    let heights: std::collections::BTreeSet<i16> =
        riding.iter().map(|place| baked.survey.ground.spans[*place].feet).collect();
    assert_eq!(heights.len(), 2, "{heights:?}");
    assert_eq!(heights.last().unwrap() - heights.first().unwrap(), 176);
    let lower = riding
        .iter()
        .copied()
        .find(|place| baked.survey.ground.spans[*place].feet == *heights.first().unwrap())
        .unwrap();
    let kinds = [Travel::Walk, Travel::Crouch, Travel::Lift];
    let up = reached(&baked.survey, lower, &kinds);
    assert!(spawn_places(&baked).iter().all(|spawn| up[*spawn]), "some spawn is not reached by the lift");
    let stops = baked.waypoints.flags.iter().filter(|flags| flags.meets(WaypointFlags::ON_MOVER)).count();
    assert_eq!(stops, 2, "one waypoint on the lift at each stop");
}

#[test]
fn a_ladder_has_two_ends() {
    let baked = bake("ladder");
    assert!(baked.survey.places.iter().any(|place| place.flags.meets(SpanFlags::LADDER)), "no rungs");
    let ends: Vec<f32> = (0..baked.waypoints.len())
        .filter(|id| baked.waypoints.flags[*id].meets(WaypointFlags::LADDER_END))
        .map(|id| baked.waypoints.origin[id].z)
        .collect();
    let low = ends.iter().copied().fold(f32::MAX, f32::min);
    let high = ends.iter().copied().fold(f32::MIN, f32::max);
    assert!(high - low > 64.0, "ends at {ends:?}");
}

#[test]
fn a_door_joins_two_rooms_and_has_a_waypoint_on_each_side() {
    for name in ["two_rooms_one_door", "button_door", "key_door"] {
        let baked = bake(name);
        let spawns = spawn_places(&baked);
        let from_first = reached(&baked.survey, spawns[0], &ON_FOOT);
        assert!(spawns.iter().all(|spawn| from_first[*spawn]), "{name}: the door is in the way");
        let sides = baked.waypoints.flags.iter().filter(|flags| flags.meets(WaypointFlags::DOOR_SIDE)).count();
        assert_eq!(sides, 2, "{name}");
    }
    assert!(bake("button_door").waypoints.flags.iter().any(|flags| flags.meets(WaypointFlags::OPENER)));
}

#[test]
fn what_can_be_shot_to_pieces_is_not_in_the_way() {
    let baked = bake("breakable");
    let spawns = spawn_places(&baked);
    let from_first = reached(&baked.survey, spawns[0], &[Travel::Walk, Travel::Crouch, Travel::Drop, Travel::Jump]);
    assert!(spawns.iter().all(|spawn| from_first[*spawn]));
}

#[test]
fn a_pad_throws_to_where_its_armour_lies() {
    let baked = bake("jump_pad");
    let pushes = baked.survey.ways.iter().filter(|way| way.kind == Travel::Push).count();
    assert!(pushes > 0);
    let armour = baked.survey.seeds.iter().find(|seed| seed.kind == SeedKind::Item).unwrap();
    let kinds = [Travel::Walk, Travel::Crouch, Travel::Push];
    let spawns = spawn_places(&baked);
    let thrown = spawns.iter().any(|spawn| reached(&baked.survey, *spawn, &kinds)[armour.place.unwrap() as usize]);
    assert!(thrown, "no spawn gets to the armour by foot and pad");
    assert!(baked.waypoints.flags.iter().any(|flags| flags.meets(WaypointFlags::PAD)));
}

#[test]
fn water_is_swum_in_and_left() {
    let baked = bake("water");
    let survey = &baked.survey;
    let spawn = spawn_places(&baked)[0];
    let kinds = [Travel::Walk, Travel::Crouch, Travel::Drop, Travel::Swim, Travel::WaterExit];
    let everywhere = reached(survey, spawn, &kinds);
    let wet = (0..survey.places.len()).filter(|place| survey.places[*place].flags.meets(SpanFlags::SWIM));
    let (swum, all) = wet.fold((0, 0), |(swum, all), place| (swum + usize::from(everywhere[place]), all + 1));
    assert!(all > 0 && swum == all, "{swum} of {all} places in the water are reached");
    // And back: from the deepest place to the spawn.
    let deepest = (0..survey.places.len()).min_by_key(|place| survey.ground.spans[*place].feet).unwrap();
    assert!(reached(survey, deepest, &kinds)[spawn], "there is no way out of the pool");
}

#[test]
fn a_window_has_somebody_to_look_out_of_it() {
    let baked = bake("window_lob");
    assert!(baked.waypoints.flags.iter().any(|flags| flags.meets(WaypointFlags::WINDOW)));
}

#[test]
fn a_corner_has_somebody_to_peek_round_it() {
    let baked = bake("corner_bounce");
    assert!(baked.waypoints.flags.iter().any(|flags| flags.meets(WaypointFlags::CORNER)));
}

#[test]
fn more_are_placed_when_more_are_asked_for() {
    let Baked { map, solids, game, survey: _, waypoints: usual } = bake("compound");
    let mut settings = BakeSettings::default().without_throws();
    settings.waypoints.count *= 4.0;
    settings.waypoints.spacing_min /= 2.0;
    settings.waypoints.count_max *= 4;
    let mut ground = survey(&map, &solids, &game, &settings.ground).unwrap();
    let dense = waypoints::place(&mut ground, &map, &solids, &game, &settings.waypoints);
    assert!(dense.len() > usual.len() * 3 / 2, "{} and {}", dense.len(), usual.len());
    settings.waypoints.count_max = 300;
    let few = waypoints::place(&mut ground, &map, &solids, &game, &settings.waypoints);
    assert!(few.len() <= 300, "{}", few.len());
}

#[test]
fn nobody_stands_in_a_resting_door_or_lift() {
    for name in ["two_rooms_one_door", "key_door"] {
        let Baked { survey, waypoints, game, .. } = bake(name);
        assert!(survey.places.iter().any(|place| place.is_filled), "{name}: nothing is in the way of anybody");
        let feet = Vec3::Z * game.rules.movement.body.feet;
        for origin in &waypoints.origin {
            let place = survey.place_at(*origin + feet).map(|place| survey.places[place]);
            assert!(place.is_some_and(|place| !place.is_filled), "{name}: {origin}");
        }
    }
}

#[test]
fn no_floor_is_far_from_a_waypoint() {
    let reach = BakeSettings::default().without_throws().waypoints.reach_max;
    for name in questions() {
        let Baked { survey, waypoints, .. } = bake(&name);
        let floor = survey.places.iter().filter(|place| place.flags.meets(SpanFlags::STAND));
        let is_near = |at: Vec3| waypoints.origin.iter().any(|origin| origin.distance(at) <= reach);
        let (near, far): (Vec<_>, Vec<_>) = floor.map(|place| place.origin).partition(|at| is_near(*at));
        assert!(far.len() * 100 <= near.len(), "{name}: {} of {}, such as {:?}", far.len(), near.len(), far.first());
    }
}
