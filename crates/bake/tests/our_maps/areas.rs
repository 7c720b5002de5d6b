//! Areas and portals: what must be true of any, what each of our maps asks, and whether players would agree.

use std::collections::BTreeMap;
use std::fmt::Write;

use fireteam_bake::OneThread;
use fireteam_bake::areas::{self, Gathered};
use fireteam_bake::links::{self, Grounds, LinkSettings};
use fireteam_terrain::{AreaClass, Movers, PortalFlags, PortalKind};
use fireteam_world::Vec3;

use crate::support::{self, Baked};
use crate::{goldens, support::questions};

fn gather(baked: &Baked) -> (Gathered, Movers) {
    let Baked { map, solids, game, survey, waypoints } = baked;
    let grounds = Grounds { map, solids, game, survey, waypoints };
    let proof = links::prove(&grounds, &LinkSettings::default(), &OneThread);
    (areas::gather(&grounds, &proof.links, &proof.movers), proof.movers)
}

/// The class of the area over which a player's origin lies.
fn class_at(baked: &Baked, gathered: &Gathered, origin: Vec3) -> AreaClass {
    let feet = origin + Vec3::Z * baked.game.rules.movement.body.feet;
    let place = baked.survey.place_at(feet).unwrap_or_else(|| panic!("{}: nothing at {origin}", baked.map.name));
    gathered.areas.areas[gathered.of_place[place].index()].class
}

#[test]
fn areas_and_portals_are_as_they_were() {
    let mut faults = Vec::new();
    for map in questions() {
        let (gathered, _) = gather(&support::bake(&map));
        faults.extend(goldens::check(&map, "4_areas", &areas_text(&gathered)).err());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_waypoint_is_in_an_area_and_every_area_is_counted_right() {
    for map in questions() {
        let baked = support::bake(&map);
        let (Gathered { areas, portals, of_place, .. }, movers) = gather(&baked);
        assert_eq!(areas.of_waypoint.len(), baked.waypoints.len(), "{map}");
        for (number, area) in areas.areas.iter().enumerate() {
            let waypoints = areas.of_waypoint.iter().filter(|of| of.index() == number).count();
            assert!(waypoints > 0, "{map}: area {number} has no waypoint");
            assert_eq!(waypoints, usize::from(area.waypoints), "{map}: area {number}");
            let places = of_place.iter().filter(|of| of.index() == number).count();
            assert_eq!(area.floor, places as f32 * baked.survey.ground.cell.powi(2), "{map}: area {number}");
        }
        for portal in &portals.portals {
            assert!(portal.areas[0] < portal.areas[1], "{map}: {portal:?}");
            for (area, waypoint) in portal.areas.iter().zip(portal.waypoints) {
                assert_eq!(areas.of_waypoint[waypoint.index()], *area, "{map}: {portal:?}");
            }
            assert_eq!(portal.kind == PortalKind::Door, portal.mover.is_some(), "{map}: {portal:?}");
            assert!(portal.mover.get().is_none_or(|door| movers.get(door).is_some()), "{map}: {portal:?}");
        }
    }
}

#[test]
fn a_door_parts_two_rooms() {
    let (gathered, _) = gather(&support::bake("two_rooms_one_door"));
    let classes: Vec<AreaClass> = gathered.areas.areas.iter().map(|area| area.class).collect();
    assert_eq!(classes, [AreaClass::Room, AreaClass::Room]);
    let [door] = &gathered.portals.portals[..] else { panic!("{:?}", gathered.portals) };
    assert_eq!((door.kind, door.flags), (PortalKind::Door, PortalFlags::FORTH | PortalFlags::BACK));
    assert_eq!(gathered.areas.areas.iter().map(|area| area.exits).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_window_is_looked_through_and_not_walked_through() {
    let (gathered, _) = gather(&support::bake("window_lob"));
    let windows: Vec<_> = gathered.portals.portals.iter().filter(|portal| portal.kind == PortalKind::Window).collect();
    let [window] = windows[..] else { panic!("{:?}", gathered.portals) };
    assert_eq!(window.flags, PortalFlags::NONE);
    let sky = window.areas.map(|area| gathered.areas.areas[area.index()].sky > 127);
    assert_eq!(sky, [true, false], "one side of it is under the sky");
    assert!((window.centre.x - 144.0).abs() <= 16.0, "it is in the wall: {window:?}");
}

#[test]
fn a_ladder_leads_up() {
    let (gathered, _) = gather(&support::bake("ladder"));
    let is_ladder = |portal: &&fireteam_terrain::Portal| portal.kind == PortalKind::Ladder;
    let ladder = gathered.portals.portals.iter().find(is_ladder).expect("a ladder between floor and gallery");
    assert_eq!(ladder.flags, PortalFlags::FORTH | PortalFlags::BACK);
}

/// The labels were made by looking at plans, before there were rules: `testdata/areas` has how.
#[test]
fn compound_is_called_what_players_call_it() {
    let baked = support::bake("compound");
    let Baked { map, solids, game, survey, waypoints } = &baked;
    let grounds = Grounds { map, solids, game, survey, waypoints };
    // What an area is called follows from the ground and the doors, not from the links.
    let proof =
        links::Trials::prepare(&grounds, &LinkSettings::default()).gather(Vec::new(), &fireteam_bake::OneThread);
    let gathered = areas::gather(&grounds, &proof.links, &proof.movers);
    let text = std::fs::read_to_string(support::root().join("testdata/areas/compound.txt")).unwrap();
    let mut confusion: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut agreed, mut all) = (0, 0);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [x, y, z, label] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let origin = Vec3::from([x, y, z].map(|number| number.parse::<f32>().unwrap()));
        let class = class_at(&baked, &gathered, origin).word();
        agreed += usize::from(class == label);
        all += 1;
        *confusion.entry((label, class)).or_default() += 1;
    }
    assert!(all >= 70, "{all} labels");
    assert!(agreed * 100 >= all * 85, "{agreed} of {all} agree; label, class, count: {confusion:?}");
}

fn areas_text(gathered: &Gathered) -> String {
    let mut text = format!("{} areas, {} portals\n", gathered.areas.areas.len(), gathered.portals.portals.len());
    for (number, area) in gathered.areas.areas.iter().enumerate() {
        let (mins, maxs) = (area.mins, area.maxs);
        writeln!(
            text,
            "area {number} {} of {} waypoints, floor {}, exits {}, sky {}, light {}, from {mins:.0} to {maxs:.0}",
            area.class.word(),
            area.waypoints,
            area.floor,
            area.exits,
            area.sky,
            area.light,
        )
        .unwrap();
    }
    for portal in &gathered.portals.portals {
        let [a, b] = portal.areas.map(|area| area.0);
        let words: Vec<&str> = portal.flags.words().collect();
        let [from, to] = portal.waypoints.map(|waypoint| waypoint.0);
        let (centre, width, height) = (portal.centre, portal.width, portal.height);
        writeln!(
            text,
            "{} {a} {b} {} at {centre:.0}, {width:.0} wide, {height:.0} high, waypoints {from} {to}",
            portal.kind.word(),
            words.join("+"),
        )
        .unwrap();
    }
    text
}
