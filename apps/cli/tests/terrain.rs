//! Terrains as the command's users meet them: baked, merged, inspected, drawn, asked; and how each of that fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A folder of its own for each test, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fireteam-terrain-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn names(&self, under: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.join(under))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn own_map(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/maps").join(format!("{name}.map"));
    path.to_str().unwrap().to_owned()
}

fn fireteam(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fireteam")).args(arguments).current_dir(&folder.0).output().unwrap()
}

/// What it prints, if all goes well.
fn said(folder: &Folder, arguments: &[&str]) -> String {
    let output = fireteam(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(folder, arguments)).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_map_is_baked_inspected_and_asked() {
    let folder = Folder::new("asked");
    let line = said(&folder, &["bake", &own_map("two_rooms_one_door")]);
    assert!(line.starts_with("two_rooms_one_door: ") && line.contains(" waypoints, "), "{line}");
    assert!(line.ends_with("two_rooms_one_door.terrain\n"), "{line}");
    assert_eq!(folder.names(""), ["two_rooms_one_door.terrain"], "the journal is gone when it is done");

    let terrain = "two_rooms_one_door.terrain";
    let report = json(&folder, &["inspect", terrain, "--json"]);
    assert_eq!(report["ready"], true, "{report:#}");
    assert!(report["readiness"]["coverage"].as_f64().unwrap() > 0.95, "{report:#}");
    assert!(report["links_by_kind"].as_array().unwrap().iter().any(|row| row[0] == "door"), "{report:#}");
    assert!(said(&folder, &["inspect", terrain]).ends_with("verdict    ready\n"));

    let last = format!("w{}", report["waypoints"].as_u64().unwrap() - 1);
    let route = json(&folder, &["query", terrain, "route", "w0", &last, "--json"]);
    let legs = route["legs"].as_array().unwrap();
    let sum: u64 = legs.iter().map(|leg| leg["milliseconds"].as_u64().unwrap()).sum();
    assert_eq!(route["milliseconds"].as_u64().unwrap(), sum, "{route:#}");
    let end = &legs.last().unwrap()["to_origin"];
    let place: Vec<String> = end.as_array().unwrap().iter().map(|part| part.as_f64().unwrap().to_string()).collect();
    let near = json(&folder, &["query", terrain, "near", &place.join(","), "--json"]);
    assert_eq!(format!("w{}", near["waypoint"]), last, "a waypoint's own place is its own");
    let sees = json(&folder, &["query", terrain, "sees", "w0", &last, "--json"]);
    let view = json(&folder, &["query", terrain, "sees", "w0", "--json"]);
    let is_listed = view["standing"].as_array().unwrap().iter().any(|id| format!("w{id}") == last);
    assert_eq!(sees["standing"], is_listed);
    assert!(said(&folder, &["query", terrain, "area", "w0"]).starts_with(['a', 'w']));
}

#[test]
fn threads_shards_and_beginning_anew_change_no_byte() {
    let folder = Folder::new("bytes");
    let map = own_map("stairs");
    for (out, threads) in [("one", "1"), ("two", "2")] {
        said(&folder, &["bake", &map, "--out", out, "--threads", threads]);
    }
    let whole = folder.bytes("one/stairs.terrain");
    assert!(whole == folder.bytes("two/stairs.terrain"), "two threads");

    assert!(said(&folder, &["bake", &map, "--out", "one"]).contains("was there already"));
    said(&folder, &["bake", &map, "--out", "one", "--fresh"]);
    assert!(whole == folder.bytes("one/stairs.terrain"), "anew");

    for part in ["1/4", "2/4", "3/4", "4/4"] {
        said(&folder, &["bake", &map, "--out", "parts", "--shard", part]);
    }
    let shards = ["parts/stairs.terrain.1of4", "parts/stairs.terrain.2of4", "parts/stairs.terrain.3of4"];
    let output = fireteam(&folder, &[&["merge", &map][..], &shards[..], &["--out", "parts"][..]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("are in none of the shards: bake the missing ones"),
        "{}",
        text(&output.stderr)
    );
    said(&folder, &[&["merge", &map][..], &shards[..], &["parts/stairs.terrain.4of4", "--out", "parts"][..]].concat());
    assert!(whole == folder.bytes("parts/stairs.terrain"), "four shards");
    assert_ne!(whole, folder.bytes("parts/stairs.terrain.4of4/3-links.units"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_bake_that_was_killed_or_stopped_goes_on() {
    let folder = Folder::new("killed");
    let map = own_map("lift");
    said(&folder, &["bake", &map, "--out", "whole"]);
    let begin = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fireteam"));
        command.args(["bake", &map, "--out", "cut", "--threads", "1"]).current_dir(&folder.0);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    for (round, signal) in ["KILL", "INT", "KILL", "TERM", "KILL"].into_iter().enumerate() {
        let mut child = begin();
        std::thread::sleep(Duration::from_millis(15 + 30 * round as u64));
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let status = child.wait().unwrap();
        // A bake may be done before it is stopped, and is gone then.
        assert!(!status.success() || !sent.success() || folder.0.join("cut/lift.terrain").exists(), "{signal}");
    }
    said(&folder, &["bake", &map, "--out", "cut"]);
    assert!(folder.bytes("whole/lift.terrain") == folder.bytes("cut/lift.terrain"));
    assert_eq!(folder.names("cut"), ["lift.terrain"], "nothing is left behind");
}

#[test]
fn a_terrain_becomes_text_and_comes_back() {
    let folder = Folder::new("text");
    said(&folder, &["bake", &own_map("one_room")]);
    said(&folder, &["inspect", "one_room.terrain", "--dump", "--out", "room.txt"]);
    assert_eq!(text(&folder.bytes("room.txt")), said(&folder, &["inspect", "one_room.terrain", "--dump"]));
    said(&folder, &["inspect", "again.terrain", "--import", "room.txt"]);
    assert!(folder.bytes("one_room.terrain") == folder.bytes("again.terrain"));
}

#[test]
fn every_picture_is_drawn() {
    let folder = Folder::new("pictures");
    said(&folder, &["bake", &own_map("two_rooms_one_door")]);
    let terrain = "two_rooms_one_door.terrain";
    let mut pictures = Vec::new();
    for what in ["links", "areas", "exposure", "height"] {
        let line = said(&folder, &["inspect", terrain, "--picture", what]);
        pictures.push((format!("fireteam-two_rooms_one_door-{what}.png"), line));
    }
    let line = said(&folder, &["inspect", terrain, "--picture", "sight", "--from", "w0", "--out", "sight.png"]);
    pictures.push(("sight.png".to_owned(), line));
    for (name, line) in pictures {
        assert_eq!(line, format!("picture  {name}\n"));
        let png = folder.bytes(&name);
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"), "{name}");
    }
}

#[test]
fn what_fails_says_what_and_what_to_do() {
    let folder = Folder::new("fails");
    let room = own_map("one_room");
    said(&folder, &["bake", &room]);
    let whole = folder.bytes("one_room.terrain");
    fs::write(folder.0.join("cut.terrain"), &whole[..whole.len() / 2]).unwrap();
    let mut spoilt = whole.clone();
    let last = spoilt.len() - 1;
    spoilt[last] ^= 1;
    fs::write(folder.0.join("spoilt.terrain"), spoilt).unwrap();
    fs::write(folder.0.join("note.terrain"), "a note").unwrap();
    fs::create_dir(folder.0.join("way")).unwrap();
    fs::write(folder.0.join("way/one_room.terrain"), "a note").unwrap();
    let before = folder.names("");
    let cases: [(&[&str], &str); 14] = [
        (&["bake", "nowhere.map"], "cannot read nowhere.map"),
        (&["bake", &room, "--game", "chess"], "there is no game called chess"),
        (&["bake", &room, "--out", "note.terrain"], "cannot make the folder note.terrain: choose another with --out"),
        (&["bake", &room, "--out", "way"], "way/one_room.terrain is in the way"),
        (&["merge", &room, "way"], "are in none of the shards"),
        (&["merge", &room, "nowhere"], "nowhere is no folder that `fireteam bake --shard` left"),
        (&["inspect", "nowhere.terrain"], "cannot read nowhere.terrain"),
        (&["inspect", "note.terrain"], "note.terrain is no terrain file; `fireteam bake` makes one from a map"),
        (&["inspect", "cut.terrain"], "it was cut off; bake the map again"),
        (&["inspect", "spoilt.terrain"], "checksum of the section is wrong; bake the map again"),
        (&["inspect", "one_room.terrain", "--picture", "sight"], "whose sight? name a waypoint or a place with --from"),
        (&["inspect", "one_room.terrain", "--picture", "links", "--floors", "9000,9001"], "there is no floor"),
        (&["query", "one_room.terrain", "route", "w0", "w9999"], "there is no waypoint w9999: the terrain has "),
        (&["query", "cut.terrain", "near", "0,0,0"], "it was cut off"),
    ];
    for (arguments, expected) in cases {
        let output = fireteam(&folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
    assert_eq!(folder.names(""), before, "a failure leaves nothing behind");
    assert_eq!(folder.bytes("way/one_room.terrain"), b"a note", "what is no terrain is not written over");
}

#[test]
fn wrong_usage_is_told_apart_from_failure() {
    let folder = Folder::new("usage");
    for arguments in [
        &["bake", "--shard", "0/4"][..],
        &["bake", "--threads", "0"],
        &["bake", "--density", "100"],
        &["bake", "compound", "--all"],
        &["merge", "compound"],
        &["inspect", "x.terrain", "--picture", "beauty"],
        &["inspect", "x.terrain", "--dump", "--json"],
        &["query", "x.terrain", "route", "w0"],
        &["query", "x.terrain", "near", "somewhere"],
        &["bench", "terrain", "--part", "beauty"],
    ] {
        assert_eq!(fireteam(&folder, arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_loses_nothing() {
    let folder = Folder::new("full");
    said(&folder, &["bake", &own_map("one_room")]);
    let output = fireteam(&folder, &["inspect", "/dev/full", "--import", "none.txt"]);
    assert_eq!(output.status.code(), Some(1));
    said(&folder, &["inspect", "one_room.terrain", "--dump", "--out", "room.txt"]);
    let output = fireteam(&folder, &["inspect", "/dev/full", "--import", "room.txt"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write /dev/full"), "{}", text(&output.stderr));
    let output = fireteam(&folder, &["inspect", "one_room.terrain", "--picture", "links", "--out", "/dev/full"]);
    assert!(text(&output.stderr).contains("No space left"), "{}", text(&output.stderr));
    assert!(!folder.bytes("one_room.terrain").is_empty());
}
