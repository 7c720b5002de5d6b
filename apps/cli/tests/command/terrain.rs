//! Terrains: baked, merged, inspected, drawn, asked; and how each of that fails.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Folder, fireteam, own_map, text};

/// What it prints, if all goes well.
fn said(folder: &Folder, arguments: &[&str]) -> String {
    let output = fireteam(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(folder, arguments)).unwrap()
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
fn a_bake_that_is_killed_again_and_again_ends_in_the_same_bytes() {
    let folder = Folder::new("killed");
    let map = own_map("lift");
    let begin = |out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fireteam"));
        command.args(["bake", &map, "--no-throws", "--out", out, "--threads", "1"]).current_dir(&folder.0);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let begun = Instant::now();
    assert!(begin("whole").wait().unwrap().success());
    let whole_takes = begun.elapsed();
    let whole = folder.bytes("whole/lift.terrain");
    let mut stopped = 0;
    for round in 0_u32.. {
        let mut child = begin("cut");
        // Steps of the golden section come everywhere in the bake's time; any moment is a good one.
        thread::sleep(whole_takes.mul_f64((f64::from(round) * 0.618_034).fract()));
        let signal = ["-KILL", "-KILL", "-KILL", "-INT", "-TERM"][round as usize % 5];
        let is_over = child.try_wait().unwrap().is_some();
        Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
        child.wait().unwrap();
        stopped += u32::from(!is_over);
        let terrain = folder.0.join("cut/lift.terrain");
        if terrain.exists() {
            assert!(fs::read(&terrain).unwrap() == whole, "round {round}");
            fs::remove_file(terrain).unwrap();
        }
        if stopped == 20 {
            break;
        }
    }
    // As a kill while the file is saved would leave it.
    fs::write(folder.0.join("cut/lift.terrain.4194304.part"), "half").unwrap();
    said(&folder, &["bake", &map, "--no-throws", "--out", "cut"]);
    assert!(folder.bytes("cut/lift.terrain") == whole);
    assert_eq!(folder.names("cut"), ["lift.terrain"], "nothing is left behind");
}

#[test]
#[cfg(target_os = "linux")]
fn a_bake_that_is_stopped_says_that_it_goes_on() {
    let folder = Folder::new("stopped");
    let map = own_map("lift");
    said(&folder, &["bake", &map, "--no-throws", "--out", "whole"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fireteam"));
    command.args(["bake", &map, "--no-throws", "--out", "cut", "--threads", "1"]).current_dir(&folder.0);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = folder.0.join("cut/lift.terrain.work/3-links.units");
    while !journal.exists() {
        thread::sleep(Duration::from_millis(1));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    // It may be done before the signal comes.
    if !folder.0.join("cut/lift.terrain").exists() {
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).ends_with("stopped; the same command goes on where it was\n"));
        assert!(journal.exists(), "what was done is kept");
    }
    said(&folder, &["bake", &map, "--no-throws", "--out", "cut"]);
    assert!(folder.bytes("cut/lift.terrain") == folder.bytes("whole/lift.terrain"));
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
    let folder = Folder::new("terrain-fails");
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
    let folder = Folder::new("terrain-usage");
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
    let folder = Folder::new("terrain-full");
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

/// A file may grow to this many KiB and no further, as if the disk were full then.
#[cfg(target_os = "linux")]
fn fireteam_with_room(folder: &Folder, kibibytes: u32, arguments: &[&str]) -> Output {
    let limited = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kibibytes * 2);
    let mut shell = Command::new("sh");
    shell.args(["-c", &limited, env!("CARGO_BIN_EXE_fireteam")]).args(arguments);
    shell.current_dir(&folder.0).output().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_while_baking_costs_nothing_but_time() {
    let folder = Folder::new("filling");
    let map = own_map("stairs");
    said(&folder, &["bake", &map, "--no-throws"]);
    let old = folder.bytes("stairs.terrain");
    // No room for the journal, then none for the file, which is larger (that of throws would not be).
    for (kibibytes, expected) in [
        (1, "cannot keep the work in ./stairs.terrain.work: make room or choose another --out; nothing is lost"),
        (old.len() as u32 / 1024, "cannot write ./stairs.terrain: File too large"),
    ] {
        let output = fireteam_with_room(&folder, kibibytes, &["bake", &map, "--no-throws", "--fresh"]);
        assert_eq!(output.status.code(), Some(1), "{kibibytes} KiB");
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert!(folder.bytes("stairs.terrain") == old, "{kibibytes} KiB");
        assert_eq!(folder.names(""), ["stairs.terrain", "stairs.terrain.work"], "{kibibytes} KiB");
    }
    fs::remove_file(folder.0.join("stairs.terrain")).unwrap();
    said(&folder, &["bake", &map, "--no-throws"]);
    assert!(folder.bytes("stairs.terrain") == old, "what was kept is of use");
    assert_eq!(folder.names(""), ["stairs.terrain"]);
}

#[test]
fn a_terrain_of_another_recipe_is_told_and_replaced() {
    let folder = Folder::new("recipe");
    fs::create_dir(folder.0.join("maps")).unwrap();
    fs::copy(own_map("pit"), folder.0.join("maps/one_room.map")).unwrap();
    let room = own_map("one_room");
    let told = |arguments: &[&str]| {
        let output = fireteam(&folder, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    told(&["bake", &room]);
    let first = folder.bytes("one_room.terrain");
    assert!(told(&["bake", "maps/one_room.map"]).contains("one_room.terrain is for another map ("));
    assert!(told(&["bake", &room]).contains("one_room.terrain is for another map ("));
    assert!(told(&["bake", &room, "--game", "skirmish"]).contains("was baked for other physics ("));
    assert!(told(&["bake", &room, "--density", "2"]).contains("was baked for other physics ("));
    assert!(told(&["bake", &room]).contains("was baked with other settings ("));
    assert!(folder.bytes("one_room.terrain") == first, "back where it began");

    let mut old = first.clone();
    old[8] = 0;
    fs::write(folder.0.join("one_room.terrain"), &old).unwrap();
    assert!(told(&["bake", &room]).contains("has format version 0, this program reads 2"));
    assert!(folder.bytes("one_room.terrain") == first);
}

#[test]
fn edits_by_hand_are_not_baked_over() {
    let folder = Folder::new("edits");
    let room = own_map("one_room");
    said(&folder, &["bake", &room]);
    fs::write(folder.0.join("edits.txt"), "fireteam overlay 1\nflag 0,0,24 no-grenade\n").unwrap();
    let merge = ["inspect", "one_room.terrain", "--overlay", "edits.txt", "--out", "one_room.terrain"];
    said(&folder, &merge);
    let edited = folder.bytes("one_room.terrain");
    let output = fireteam(&folder, &["bake", &room]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("is in the way: --fresh writes over it"), "{}", text(&output.stderr));
    assert!(folder.bytes("one_room.terrain") == edited);
    said(&folder, &["bake", &room, "--fresh"]);
    assert!(folder.bytes("one_room.terrain") != edited);
}

/// The first waypoint from which something can be thrown at something, and at what.
fn some_throw(folder: &Folder, terrain: &str) -> (String, Value) {
    let count = json(folder, &["inspect", terrain, "--json"])["waypoints"].as_u64().unwrap();
    let found = (0..count).map(|from| format!("w{from}")).find_map(|from| {
        let targets = json(folder, &["query", terrain, "targets", &from, "--json"]);
        Some((from, targets["throws"].as_array().unwrap().first()?.clone()))
    });
    found.expect("somebody can throw at somebody")
}

#[test]
fn throws_are_asked_for_from_either_side_and_judged() {
    let folder = Folder::new("throws");
    let map = own_map("corner_bounce");
    said(&folder, &["bake", &map, "--quick"]);
    let terrain = "corner_bounce.terrain";
    let table = &json(&folder, &["inspect", terrain, "--json"])["throws"][0];
    assert_eq!(table["throwables"][0], "grenade", "{table:#}");
    assert!(table["throws"].as_u64().unwrap() > 0 && table["bytes_per_throw"].as_f64().unwrap() > 3.0, "{table:#}");
    assert!(said(&folder, &["inspect", terrain]).contains(&format!("throws     {} of grenade, ", table["throws"])));

    let (from, row) = some_throw(&folder, terrain);
    let at = format!("w{}", row["waypoint"]);
    let sources = json(&folder, &["query", terrain, "sources", &at, "--json"]);
    let back = sources["throws"].as_array().unwrap().iter().find(|row| format!("w{}", row["waypoint"]) == from);
    assert_eq!(back.expect("who throws at it is among its sources")["yaw"], row["yaw"]);
    let asked = said(&folder, &["query", terrain, "can-throw", &from, &at, "--throwable", "grenade"]);
    assert_eq!(asked, format!("grenade from {from} at {at}: yes\n"));
    assert_eq!(json(&folder, &["query", terrain, "can-throw", &from, &from, "--json"])["can_throw"], false);

    let answer = json(&folder, &["query", terrain, "throw", &from, &at, "--map", &map, "--json"]);
    assert_eq!(answer["throw"]["pitch"], row["pitch"], "{answer:#}");
    let judged = &answer["judged"];
    assert_eq!(judged["marks"].as_array().unwrap().len(), 8, "{answer:#}");
    assert!(judged["delivered"].as_f64().unwrap() >= 0.5 && judged["hurts_thrower"] == false, "{answer:#}");
    let lines = said(&folder, &["query", terrain, "throw", &from, &at, "--map", &map]);
    assert!(lines.contains("  verdict: score ") && lines.contains("\n    sees first bounce  "), "{lines}");
    assert!(said(&folder, &["query", terrain, "disposal", &from]).starts_with(&format!("grenade away from {from}: ")));
}

#[test]
fn a_throw_that_needs_a_door_is_there_once_it_is_believed_open() {
    let folder = Folder::new("door-throws");
    let map = own_map("two_rooms_one_door");
    said(&folder, &["bake", &map, "--quick"]);
    let terrain = "two_rooms_one_door.terrain";
    let dump = said(&folder, &["inspect", terrain, "--dump"]);
    let pairs = dump.lines().filter_map(|line| line.strip_prefix("door ")).flat_map(|line| {
        let (at, throws) = line.split_once(' ').unwrap();
        throws.split(' ').map(move |throw| (throw.split_once('=').unwrap().0, at))
    });
    let asked = |(from, at)| (from, at, json(&folder, &["query", terrain, "can-throw", from, at, "--json"]));
    let opening = pairs.map(asked).find(|(.., answer)| answer["needs"]["must_be"] == "open");
    let (from, at, answer) = opening.expect("something flies through the open door");
    assert_eq!(answer["can_throw"], false, "{answer:#}");
    let entity = answer["needs"]["entity"].to_string();
    let output = fireteam(&folder, &["query", terrain, "throw", from, at]);
    assert_eq!(output.status.code(), Some(1));
    let why = format!("only while the door, entity {entity}, is open: say so with --open");
    assert!(text(&output.stderr).contains(&why), "{}", text(&output.stderr));
    let open = json(&folder, &["query", terrain, "throw", from, at, "--open", &entity, "--map", &map, "--json"]);
    assert!(open["judged"]["delivered"].as_f64().unwrap() > 0.0, "{open:#}");
}

#[test]
fn throws_that_cannot_be_had_say_why() {
    let folder = Folder::new("no-throws");
    let room = own_map("one_room");
    said(&folder, &["bake", &room, "--quick", "--out", "with"]);
    said(&folder, &["bake", &room, "--quick", "--no-throws"]);
    let origin = json(&folder, &["query", "with/one_room.terrain", "near", "0,0,24", "--json"]);
    let place: Vec<String> = origin["origin"].as_array().unwrap().iter().map(Value::to_string).collect();
    fs::write(folder.0.join("edits.txt"), format!("fireteam overlay 1\nflag {} no-grenade\n", place.join(",")))
        .unwrap();
    said(&folder, &["inspect", "with/one_room.terrain", "--overlay", "edits.txt", "--out", "edited.terrain"]);
    let marked = format!("w{}", origin["waypoint"]);
    let other = own_map("pit");
    let (from, row) = some_throw(&folder, "with/one_room.terrain");
    let at = format!("w{}", row["waypoint"]);
    let cases: [(&[&str], &str); 6] = [
        (&["can-throw", "w0", "w1"], "this terrain has no throws: bake the map again, without --no-throws"),
        (&["sources", &marked], "is marked no-grenade: nobody throws from or at it"),
        (&["targets", "w0", "--throwable", "brick"], "this terrain has no throws of brick: it has grenade"),
        (&["targets", "w0", "--open", "999"], "entity 999 is nothing that moves on this map"),
        (&["throw", &from, &at, "--map", &other], "the terrain is of another map than pit"),
        (&["throw", &from, &at, "--map", &room, "--game", "action"], "the terrain was baked for other rules"),
    ];
    for (number, (question, expected)) in cases.iter().enumerate() {
        let terrain = ["one_room.terrain", "edited.terrain", "with/one_room.terrain"][number.min(2)];
        let output = fireteam(&folder, &[&["query", terrain][..], question].concat());
        assert_eq!(output.status.code(), Some(1), "{question:?}");
        assert!(text(&output.stderr).contains(expected), "{question:?}: {}", text(&output.stderr));
    }
    let left = json(&folder, &["query", "edited.terrain", "targets", "w0", "--json"]);
    let is_marked = |row: &Value| format!("w{}", row["waypoint"]) == marked;
    assert!(marked == "w0" || !left["throws"].as_array().unwrap().iter().any(is_marked), "{left:#}");
}

#[test]
fn a_map_is_edited_by_hand_and_played_on_as_edited() {
    let folder = Folder::new("edit");
    let map = own_map("two_rooms_one_door");
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fireteam"));
        let output =
            command.args(arguments).current_dir(&folder.0).env("FIRETEAM_CACHE", folder.0.join("cache")).output();
        let output = output.unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let play = ["--map", &map, "--bots", "1", "--minutes", "0.1", "--quiet", "--record", "a.recording"];
    assert_eq!(run(&play).0, Some(0));
    let (code, said, complained) = run(&["edit", &map, "flag", "3", "no-grenade"]);
    assert_eq!(code, Some(0), "{complained}");
    assert!(said.contains("1  flag ") && said.contains("1 edits in"), "{said}");
    assert_eq!(folder.names("cache/terrain").iter().filter(|name| *name == "two_rooms_one_door.edits").count(), 1);
    let (code, said, _) = run(&["edit", &map, "check"]);
    assert_eq!((code, said.as_str()), (Some(0), "nothing is wrong with two_rooms_one_door\n"));
    // What was recorded before the edit is thought again without it, what is recorded now with it.
    let play = ["--map", &map, "--bots", "1", "--minutes", "0.1", "--quiet", "--record", "b.recording"];
    assert_eq!(run(&play).0, Some(0));
    for recording in ["a.recording", "b.recording"] {
        let (code, _, complained) = run(&["replay", recording, "--check"]);
        assert_eq!(code, Some(0), "{recording}: {complained}");
    }
    let (code, said, complained) = run(&["edit", &map, "move", "3", "0,0,-900"]);
    assert_eq!(code, Some(0), "{complained}");
    assert!(said.contains("error    w3: it hangs in the air"), "{said}");
    assert_eq!(run(&["edit", &map, "check"]).0, Some(1));
    let (_, _, complained) = run(&["replay", "b.recording", "--check"]);
    assert!(complained.contains("with edits that are not those of"), "{complained}");
    assert_eq!(run(&["edit", &map, "undo"]).0, Some(0));
    let (_, said, _) = run(&["edit", &map, "list", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(told["edits"][0]["do"], "flag", "{told:#}");
    assert_eq!(run(&["edit", &map, "undo"]).0, Some(0));
    let (code, _, complained) = run(&["edit", &map, "undo"]);
    assert_eq!((code, complained.as_str()), (Some(1), "fireteam: there is nothing left to take back\n"));
}
