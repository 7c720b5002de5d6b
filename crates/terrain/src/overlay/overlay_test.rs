use proptest::prelude::*;

use super::*;
use crate::samples;
use crate::{LinkFlags, NearBy, Search, Terrain};

const WAYPOINTS: usize = 36;

fn base() -> Terrain {
    samples::terrain(WAYPOINTS, 11)
}

/// The overlay of these lines, with the line that lets it speak of numbers.
fn overlay(lines: &str) -> Overlay {
    let Fit { waypoints, checksum } = Fit::of(&base().waypoints);
    Overlay::parse("my.overlay", &format!("fireteam overlay 1\nwaypoints {waypoints} {checksum:08x}\n{lines}")).unwrap()
}

fn merged(lines: &str) -> Terrain {
    base().with_overlay(&overlay(lines)).unwrap()
}

fn refused(lines: &str) -> String {
    base().with_overlay(&overlay(lines)).unwrap_err().to_string()
}

#[test]
fn nothing_changes_without_edits() {
    let terrain = merged("");
    let base = base();
    assert_eq!(terrain.links, base.links);
    assert_eq!((&terrain.sight, &terrain.ground, &terrain.times), (&base.sight, &base.ground, &base.times));
}

#[test]
fn a_new_waypoint_is_stood_at_seen_and_walked_to() {
    let base = base();
    let origin = base.waypoints.origin[14] + Vec3::new(24.0, 0.0, 0.0);
    let lines = format!(
        "add nook {} corner+no-grenade\nlink 14 @nook walk 90\nlink @nook 14 walk 95 trust 200",
        Spaced(origin)
    );
    let terrain = merged(&lines);
    let nook = WaypointId::from(WAYPOINTS);
    assert_eq!(terrain.waypoints.origin[nook.index()], origin);
    let flags = WaypointFlags::CORNER | WaypointFlags::NO_GRENADE | WaypointFlags::BY_HAND;
    assert_eq!(terrain.waypoints.flags[nook.index()], flags);
    let near = terrain.nearest(origin).unwrap();
    assert_eq!((near.waypoint, near.by), (nook, NearBy::Ground));
    assert_eq!(terrain.nearest(base.waypoints.origin[14]).unwrap().waypoint, WaypointId(14));
    for to in base.waypoints.ids().filter(|&to| to != WaypointId(14)) {
        assert_eq!(terrain.sees(nook, to), base.sees(WaypointId(14), to));
        assert_eq!(terrain.sees(to, nook), base.sees(to, WaypointId(14)));
    }
    let route = terrain.route(&mut Search::default(), WaypointId(14), nook).unwrap();
    assert_eq!((route.links.len(), route.cost), (1, 90));
    let back = terrain.links.from(nook)[0];
    assert_eq!((back.to, back.trust, back.flags), (WaypointId(14), 200, LinkFlags::BY_HAND));
    assert_eq!(Terrain::from_bytes("merged", &terrain.to_bytes()).unwrap(), terrain);
    assert_eq!(base, super::tests::base(), "the terrain in use is untouched");
}

#[test]
fn links_come_and_go() {
    let base = base();
    let first = base.links.from(WaypointId(0))[0];
    let lines = format!("unlink 0 {}\nlink 0 35 teleport 50\nlink 0 35 teleport 70", first.to.0);
    let terrain = merged(&lines);
    assert!(terrain.links.from(WaypointId(0)).iter().all(|link| link.to != first.to));
    let added: Vec<u16> =
        terrain.links.from(WaypointId(0)).iter().filter(|link| link.to.0 == 35).map(|link| link.time_ms).collect();
    assert_eq!(added, [70], "the last line about a link holds");
}

#[test]
fn a_moved_waypoint_takes_its_links_along() {
    let base = base();
    let link = base.links.from(WaypointId(7))[0];
    let (here, there) = (base.waypoints.origin[7], base.waypoints.origin[link.to.index()]);
    let terrain = merged(&format!("move 7 {}", Spaced(here + (here - there))));
    let moved = terrain.links.from(WaypointId(7)).iter().find(|known| known.order() == link.order()).unwrap();
    assert!(moved.time_ms.abs_diff(link.time_ms * 2) <= 1, "twice as far: {} and {}", link.time_ms, moved.time_ms);
    assert!(moved.flags.meets(LinkFlags::BY_HAND));
}

#[test]
fn flags_are_set_and_cleared() {
    let terrain = merged("flag 3 no-grenade+window\nunflag 3 window");
    let before = base().waypoints.flags[3];
    assert_eq!(terrain.waypoints.flags[3], (before | WaypointFlags::NO_GRENADE).without(WaypointFlags::WINDOW));
}

#[test]
fn a_place_names_the_waypoint_there_and_survives_another_bake() {
    let base = base();
    let place = base.waypoints.origin[20] + Vec3::new(3.0, -2.0, 5.0);
    let text = format!("fireteam overlay 1\nflag {},{},{} no-grenade", place.x, place.y, place.z);
    let terrain = base.with_overlay(&Overlay::parse("o", &text).unwrap()).unwrap();
    assert!(terrain.waypoints.flags[20].meets(WaypointFlags::NO_GRENADE));
    let numbered = Overlay::parse("o", "fireteam overlay 1\nflag 20 no-grenade").unwrap();
    let error = base.with_overlay(&numbered).unwrap_err().to_string();
    assert!(error.starts_with("o:2: numbers need a line `waypoints 36 "), "{error}");
    let other = samples::terrain(WAYPOINTS, 12).with_overlay(&overlay("flag 20 no-grenade")).unwrap_err().to_string();
    assert!(other.starts_with("my.overlay: it was written for 36 waypoints"), "{other}");
}

#[test]
fn errors_name_the_line() {
    assert_eq!(refused("flag 3 no-grenade\nflag 36 ledge"), "my.overlay:4: there is no waypoint 36");
    assert_eq!(refused("flag @nook ledge"), "my.overlay:3: no line before this adds `nook`");
    assert_eq!(refused("unlink 0 35"), "my.overlay:3: there is no such link from 0 to 35");
    assert_eq!(refused("flag 9e5,0,0 ledge"), "my.overlay:3: no waypoint is within 48 units of 900000,0,0");
    assert_eq!(refused("add a 0 0 24\nadd a 0 0 24"), "my.overlay:4: `a` is added twice");
    let parse =
        |line: &str| Overlay::parse("o", &format!("fireteam overlay 1\n# why\n{line}")).unwrap_err().to_string();
    assert_eq!(
        parse("dig 3"),
        "o:3: there is no edit `dig`, only add, move, remove, link, unlink, trust, flag, unflag"
    );
    assert_eq!(parse("flag 3 noisy"), "o:3: there is no flag of a waypoint `noisy`");
    assert_eq!(parse("link 1 2 fly 100"), "o:3: there is no kind of travel `fly`");
    assert_eq!(parse("link 1 2 walk 0"), "o:3: a link takes time");
    assert_eq!(
        parse("link 1 2 walk 100 tust 9"),
        "o:3: a link has no `tust`, only damage, trust, mover, opener, flags"
    );
    assert_eq!(parse("move 3 1 2"), "o:3: coordinate is missing");
    assert_eq!(parse("move 1,2 1 2 3"), "o:3: `1,2` is no place: write x,y,z without blanks");
    assert_eq!(
        Overlay::parse("o", "").unwrap_err().to_string(),
        "o: the text does not begin with `fireteam overlay 1`"
    );
}

#[test]
fn an_overlay_is_written_as_it_is_read() {
    let lines = "add roof 1 2.5 -3 -\nmove 1,2,3 4 5 6\nlink 3 @roof door 900 damage 3 mover 2 opener 1 flags harm\n\
                 unlink 1 2\nunlink 1 2 jump\ntrust 1 4,5,6 walk 7\nflag 4 spawn+item\nunflag @roof window\n";
    let read = overlay(lines);
    let again = Overlay::parse("my.overlay", &read.to_string()).unwrap();
    assert_eq!(again, read);
    assert!(read.to_string().ends_with(lines), "{read}");
    let commented = overlay(&lines.replace("move ", "\n  # a reason\n move "));
    assert_eq!(commented.checksum(), read.checksum());
}

#[test]
fn a_reason_stays_with_its_edit_and_changes_nothing() {
    let bare = overlay("trust 1 4,5,6 walk 7\n");
    let said = overlay("# of all\ntrust 1 4,5,6 walk 7 #  stuck 4 of 5 times \n");
    assert_eq!(said.edits[0].note, "stuck 4 of 5 times");
    assert_eq!(said.checksum(), bare.checksum());
    assert_eq!(Overlay::parse("my.overlay", &said.to_string()).unwrap().edits[0].note, said.edits[0].note);
}

#[test]
fn trust_is_lowered_and_what_does_not_fit_is_left_out_and_told() {
    let base = base();
    let first = base.links.from(WaypointId(0))[0];
    let lines = format!("trust 0 {} {} 9\nunlink 0 35 walk\n", first.to.0, first.kind.name());
    let (terrain, misfits) = base.with_what_fits(&overlay(&lines)).unwrap();
    let trusted = terrain.links.from(WaypointId(0)).iter().find(|link| link.order() == first.order()).unwrap();
    assert_eq!((trusted.trust, trusted.flags), (9, first.flags));
    assert_eq!(misfits.len(), 1);
    assert_eq!(misfits[0].to_string(), "my.overlay:4: there is no such link from 0 to 35");
    let foreign = Overlay { map: Some("dungeon".to_owned()), ..overlay(&lines) };
    let error = base.with_what_fits(&foreign).unwrap_err().to_string();
    assert_eq!(error, "my.overlay: it was written for the map dungeon, this is lattice");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(fireteam overlay 1\n)?([a-z@#,. 0-9-]{0,20}\n){0,6}") {
        if let Ok(overlay) = Overlay::parse("any", &text) {
            let _ = base().with_overlay(&overlay);
        }
    }
}

#[test]
fn who_stands_where_a_waypoint_was_removed_is_at_a_neighbour() {
    let base = base();
    let gone = WaypointId(14);
    let terrain = merged("remove 14");
    assert!(terrain.links.from(gone).is_empty());
    assert!(terrain.links.iter().all(|(_, link)| link.to != gone));
    let near = terrain.nearest(base.waypoints.origin[14]).unwrap();
    let was_linked = base.links.iter().any(|(from, link)| (from, link.to) == (gone, near.waypoint));
    assert!(near.by == NearBy::Ground && was_linked, "{near:?}");
    assert_eq!(terrain.waypoints.len(), base.waypoints.len(), "numbers stay as they are");
    assert_eq!(refused("remove 99"), "my.overlay:3: there is no waypoint 99");
}
