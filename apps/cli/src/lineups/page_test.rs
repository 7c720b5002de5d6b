use std::path::Path;
use std::sync::LazyLock;

use fireteam_bake::{BakeSettings, OneThread, ThrowSettings, Unwatched, bake};
use fireteam_terrain::WaypointId;
use fireteam_world::{Game, Map};

use super::*;
use crate::fan::WALL_NORMAL_Z;
use crate::lineups::choose;

static CORNER: LazyLock<Stage> = LazyLock::new(|| stage("corner_bounce"));
static WINDOW_AND_WALL: LazyLock<Stage> = LazyLock::new(|| stage("window_lob"));

/// A map of testdata with its terrain, as a server would bake it, of the grenade alone.
fn stage(name: &str) -> Stage {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/maps/{name}.map"));
    let text = std::fs::read_to_string(path).unwrap();
    let map = Map::from_source(&format!("{name}.map"), &text).unwrap();
    let mut game = Game::named("openarena").unwrap();
    game.rules.throwables.retain(|name, _| name == "grenade");
    let settings = BakeSettings { throws: ThrowSettings::quick(), ..BakeSettings::default() };
    let terrain = bake(&map, &game, &settings, &OneThread, &Unwatched).unwrap();
    Stage::new(map, game, terrain, None).unwrap()
}

/// The waypoints nearest to where the map's players start.
fn starts(stage: &Stage) -> Vec<WaypointId> {
    let spawns = stage.map.entities.iter().filter(|entity| entity.class() == "info_player_deathmatch");
    spawns.map(|spawn| stage.terrain.nearest(spawn.origin()).unwrap().waypoint).collect()
}

/// Throws from a start at what is not seen from there.
fn unseen_from_starts(stage: &Stage) -> Vec<Exhibit> {
    let crowd = stage.crowd(None);
    let pairs = starts(stage).into_iter().flat_map(|from| stage.terrain.waypoints.ids().map(move |at| (from, at)));
    let unseen = pairs.filter(|(from, at)| !stage.terrain.sight.sees(*from, *at));
    unseen.filter_map(|(from, at)| Some(stage.exhibit(stage.pick(from, at)?, &crowd))).collect()
}

#[test]
fn round_the_corner_goes_what_bounces_off_the_far_wall() {
    let stage = &*CORNER;
    let is_bounced = |exhibit: &Exhibit| {
        let bounces = &exhibit.steady.trajectory.bounces;
        exhibit.steady.points > 0 && bounces.iter().any(|bounce| bounce.normal.z.abs() < WALL_NORMAL_Z)
    };
    let around = unseen_from_starts(stage);
    assert!(around.iter().any(|exhibit| is_bounced(exhibit) && !exhibit.sees_end), "{} throws", around.len());
}

#[test]
fn a_grenade_goes_through_the_window_behind_the_wall() {
    let stage = &*WINDOW_AND_WALL;
    // The middle of the house's front wall, and the window in it; the door beside it is another way in.
    const FRONT: f32 = 136.0;
    const WINDOW: (std::ops::Range<f32>, std::ops::Range<f32>) = (-40.0..40.0, 48.0..112.0);
    let through = |exhibit: &Exhibit| {
        let crossing = exhibit.steady.trajectory.points.windows(2).find(|pair| pair[0].x < FRONT && pair[1].x >= FRONT);
        crossing.is_some_and(|pair| {
            let at = pair[0].lerp(pair[1], (FRONT - pair[0].x) / (pair[1].x - pair[0].x));
            WINDOW.0.contains(&at.y) && WINDOW.1.contains(&at.z)
        })
    };
    let unseen = unseen_from_starts(stage);
    let hits = unseen.iter().filter(|exhibit| exhibit.steady.points > 0 && through(exhibit));
    assert!(hits.count() > 0, "none of {} throws", unseen.len());
}

/// The page's own text: letters of a picture may be any.
fn without_pictures(page: &str) -> String {
    let pieces = page.split("data:image/png;base64,").enumerate();
    let after = |piece: &'_ str| piece.find(['"', ')']).map_or(0, |end| end);
    pieces.map(|(index, piece)| if index == 0 { piece } else { &piece[after(piece)..] }).collect()
}

#[test]
fn the_page_needs_nothing_beside_it_and_has_what_was_asked_for() {
    let stage = &*WINDOW_AND_WALL;
    let found = choose::choose(stage, 3);
    let page = write(stage, &found, 3, |_| true).unwrap().unwrap();
    assert_eq!(page.matches("<article").count(), found.lineups.len());
    assert!(found.lineups.len() == 3 || page.contains("variants of one another"));
    for outward in ["http:", "https:", "//", "<script", "<link", "@import", "<iframe", "javascript:"] {
        assert!(!without_pictures(&page).contains(outward), "{outward}");
    }
    let sources = page.match_indices("src=\"").map(|(at, _)| &page[at + 5..]);
    assert_eq!(sources.clone().count(), found.lineups.len() * 3);
    assert!(sources.into_iter().all(|source| source.starts_with("data:image/png;base64,")));
    let drawn = page.match_indices("url(").map(|(at, _)| &page[at + 4..]);
    assert!(drawn.into_iter().all(|source| source.starts_with("data:image/png;base64,")));
}

#[test]
fn who_asks_for_more_than_there_are_is_told_why() {
    let stage = &*CORNER;
    let found = choose::choose(stage, 200);
    assert!(found.lineups.len() < 200);
    if !found.lineups.is_empty() {
        let page = write(stage, &found, 200, |_| true).unwrap().unwrap();
        assert!(page.contains(&format!("all but {} of the 200", found.lineups.len())));
    }
}

#[test]
fn a_book_that_is_stopped_is_no_book() {
    let stage = &*WINDOW_AND_WALL;
    let found = choose::choose(stage, 2);
    assert!(!found.lineups.is_empty());
    assert!(write(stage, &found, 2, |_| false).unwrap().is_none());
}

#[test]
fn bytes_become_letters_as_the_standard_says() {
    let known = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
    for (length, letters) in known.iter().enumerate() {
        assert_eq!(base64(&b"foobar"[..length]), *letters);
    }
}
