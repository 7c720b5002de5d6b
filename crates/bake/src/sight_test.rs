//! Sight, asked pair by pair: every short cut must give what looking along each ray alone gives.

use std::path::Path;

use fireteam_terrain::Waypoints;
use fireteam_world::{Game, Map, Solids, Sweep};

use super::*;
use crate::links::Trials;
use crate::{BakeSettings, Grounds, OneThread, Unwatched, ground, waypoints};

/// Steps 1 and 2, then what `ask` wants to know.
fn with_site(name: &str, ask: impl FnOnce(&Site, &Waypoints, &Movers)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/maps/{name}.map"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let map = Map::from_source(name, &text).unwrap_or_else(|error| panic!("{error}"));
    let game = Game::named("skirmish").expect("built in");
    let (solids, settings) = (Solids::build(&map), BakeSettings::default());
    let site = Site { map: &map, game: &game, settings: &settings, solids: &solids };
    let mut survey = ground::survey(&map, &solids, &game, &settings.ground).unwrap_or_else(|error| panic!("{error}"));
    let waypoints = waypoints::place(&mut survey, &map, &solids, &game, &settings.waypoints);
    let grounds = Grounds { map: &map, solids: &solids, game: &game, survey: &survey, waypoints: &waypoints };
    let movers = Trials::prepare(&grounds, &settings.links).movers().clone();
    ask(&site, &waypoints, &movers);
}

fn measured(site: &Site, waypoints: &Waypoints, movers: &Movers) -> Sight {
    let workshop = Workshop::new(&OneThread, &Unwatched);
    measure(&workshop, site, &Eyes::of(site, waypoints), movers, [0; 32]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_pair_is_as_a_look_at_it_alone() {
    for name in ["two_rooms_one_door", "window_lob", "stairs", "breakable"] {
        with_site(name, |site, waypoints, movers| {
            let sight = measured(site, waypoints, movers);
            let eyes = Eyes::of(site, waypoints);
            let doors = Doors::of(site, movers, &eyes);
            let all: Vec<usize> = doors.near(&eyes, 0);
            let is_seen = |eye: Vec3, target: Vec3| {
                let is_clear = eyes.solids.is_clear(&Sweep::ray(eye, target, Eyes::MASK));
                is_clear && doors.verdict(&eyes, &all, eye, target) == Verdict::Free
            };
            for from in 0..eyes.count() {
                for to in (0..eyes.count()).filter(|&to| to != from) {
                    let (a, b) = (eyes.order[from], eyes.order[to]);
                    // Whose rank is smaller looks, so that both see the same.
                    let standing = is_seen(eyes.standing[from.min(to)], eyes.standing[from.max(to)]);
                    assert_eq!(sight.sees(a, b), standing, "{name}: {a:?} {b:?} standing");
                    let crouched = is_seen(eyes.standing[from], eyes.crouched[to]);
                    assert_eq!(sight.sees_crouched(a, b), crouched, "{name}: {a:?} {b:?} crouched");
                }
            }
        });
    }
}

#[test]
fn a_shut_door_hides_what_opening_it_shows() {
    with_site("two_rooms_one_door", |site, waypoints, movers| {
        let sight = measured(site, waypoints, movers);
        assert!(!sight.openings.is_empty(), "nobody looks through the door");
        for opening in &sight.openings {
            let Opening { from, to, mover, adds } = *opening;
            assert!(movers.get(mover).is_some(), "{opening:?}");
            assert!(!adds.meets(OpeningFlags::STANDING) || !sight.sees(from, to), "{opening:?}");
            assert!(!adds.meets(OpeningFlags::CROUCHED) || !sight.sees_crouched(from, to), "{opening:?}");
            if adds.meets(OpeningFlags::STANDING) {
                let back = sight.openings_from(to).iter().find(|back| back.to == from && back.mover == mover);
                assert!(back.is_some_and(|back| back.adds.meets(OpeningFlags::STANDING)), "{opening:?}");
            }
        }
    });
}

#[test]
fn a_view_in_a_journal_is_the_same_view() {
    let opening =
        Opening { from: WaypointId(1), to: WaypointId(258), mover: MoverId::NONE, adds: OpeningFlags::CROUCHED };
    let view = View { standing: vec![1, u64::MAX], crouched: vec![3, 4], openings: vec![opening; 2] };
    let mut bytes = Vec::new();
    view.write(&mut bytes);
    assert_eq!(View::read(&bytes), Some(view));
    for end in 0..bytes.len() {
        // Cut between openings it is a view with fewer of them; the journal's checksum is for that.
        let is_whole = end >= 36 && (end - 36) % 7 == 0;
        assert_eq!(View::read(&bytes[..end]).is_some(), is_whole, "{end} bytes");
    }
}
