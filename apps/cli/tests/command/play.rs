//! Pictures, matches and recordings.

use std::fs;
use std::process::{Command, Output};

use crate::{Folder, fireteam, own_map, text};

#[test]
fn a_picture_is_written_and_named() {
    let folder = Folder::new("picture");
    let output = fireteam(&folder, &["throws", "--headless", "--map", &own_map("corner_bounce")]);
    let lines = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(lines.starts_with("loaded   corner_bounce: 7 brushes"), "{lines}");
    assert!(lines.contains("picture  fireteam-corner_bounce.png"), "{lines}");
    let png = fs::read(folder.0.join("fireteam-corner_bounce.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing else is left behind");
}

#[test]
fn a_grenade_comes_round_the_corner() {
    let folder = Folder::new("corner");
    let output =
        fireteam(&folder, &["throws", "--map", &own_map("corner_bounce"), "--from", "-240,-240,24.125", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["from"], serde_json::json!([-240.0, -240.0, 24.125]));
    let best = &report["best"];
    assert!(best["bounces"].as_u64().unwrap() >= 1, "{report:#}");
    assert!(best["hidden_places"].as_u64().unwrap() >= 3, "{report:#}");
    // Round the corner is the corridor that runs north.
    assert!(best["goes_off_at"][0].as_f64().unwrap() > 160.0, "{report:#}");
}

#[test]
fn the_same_seed_draws_the_same_picture() {
    let folder = Folder::new("seed");
    let map = own_map("one_room");
    for out in ["a.png", "b.png"] {
        let output = fireteam(&folder, &["throws", "--map", &map, "--seed", "7", "--game", "openarena", "--out", out]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert!(fs::read(folder.0.join("a.png")).unwrap() == fs::read(folder.0.join("b.png")).unwrap());
}

#[test]
fn what_fails_says_what_and_what_to_do() {
    let folder = Folder::new("fails");
    let room = own_map("one_room");
    let cases: [(&[&str], &str); 6] = [
        (&["--map", "nowhere.map"], "cannot read nowhere.map"),
        (&["--map", "no_such_map"], "there is no map called no_such_map: name a .map or .bsp file"),
        (&["--game", "chess"], "there is no game called chess: use openarena, skirmish, action or a .toml file"),
        (
            &["throws", "--from", "0,0,-5000", "--map", &room],
            "--from 0,0,-5000 is outside the map, which reaches from [-272",
        ),
        (&["throws", "--from", "0,0,4", "--map", &room], "nobody can stand at 0,0,4: it is inside a wall"),
        (
            &["picture", &room, "--out", "no/such/folder/a.png"],
            "cannot write no/such/folder/a.png: choose another place",
        ),
    ];
    for (arguments, expected) in cases {
        let output = fireteam(&folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "");
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "a failure leaves nothing behind");
}

#[test]
fn wrong_usage_is_told_apart_from_failure() {
    let folder = Folder::new("usage");
    for arguments in [&["--mapp", "x"][..], &["throws", "--from", "1,2"], &["--seed", "many"], &["dance"]] {
        assert_eq!(fireteam(&folder, arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    let folder = Folder::new("full");
    let output = fireteam(&folder, &["throws", "--map", &own_map("one_room"), "--out", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write /dev/full"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("No space left"), "{}", text(&output.stderr));
}

#[test]
fn broken_maps_are_named_by_their_line() {
    let folder = Folder::new("broken");
    fs::write(folder.0.join("broken.map"), "{\n\"classname\" \"worldspawn\"\n{\n( 0 0 0 ) oops\n}\n}\n").unwrap();
    let output = fireteam(&folder, &["--map", "broken.map"]);
    assert_eq!(text(&output.stderr), "fireteam: broken.map:4: expected a point's (, found `oops`\n");
}

/// The terrain of a small map is baked in a moment, into a cache of the test's own.
fn fireteam_with_cache(folder: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fireteam"));
    command.args(arguments).current_dir(&folder.0).env("FIRETEAM_CACHE", folder.0.join("cache")).output().unwrap()
}

#[test]
fn a_match_is_played_recorded_and_thought_again() {
    let folder = Folder::new("match");
    let map = own_map("two_rooms_one_door");
    let play =
        ["--map", &map, "--bots", "2", "--minutes", "0.5", "--seed", "3", "--headless", "--record", "a.recording"];
    let output = fireteam_with_cache(&folder, &play);
    let lines = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(lines.contains("a round begins") || lines.contains("starts"), "{lines}");
    assert!(lines.contains("two_rooms_one_door (skirmish), seed 3: red"), "{lines}");

    let output = fireteam_with_cache(&folder, &["replay", "a.recording", "--check"]);
    assert_eq!(text(&output.stdout), "two_rooms_one_door: 600 frames, 2400 commands compared, 0 differ\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    let output = fireteam_with_cache(&folder, &["replay", "a.recording", "--why", "5", "Nobody"]);
    assert!(text(&output.stderr).contains("nobody is called Nobody: "), "{}", text(&output.stderr));

    let bytes = fs::read(folder.0.join("a.recording")).unwrap();
    fs::write(folder.0.join("cut.recording"), &bytes[..bytes.len() / 2]).unwrap();
    let output = fireteam_with_cache(&folder, &["replay", "cut.recording", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cut.recording is cut short after block"), "{}", text(&output.stderr));
}

#[test]
fn a_recording_is_certified_and_a_forged_one_is_not() {
    let folder = Folder::new("verify");
    let map = own_map("two_rooms_one_door");
    let play = ["--map", &map, "--bots", "2", "--minutes", "1", "--seed", "3", "--quiet", "--record", "a.recording"];
    assert_eq!(fireteam_with_cache(&folder, &play).status.code(), Some(0));
    let output = fireteam_with_cache(&folder, &["verify", "a.recording"]);
    let lines = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{lines}{}", text(&output.stderr));
    assert!(lines.contains("thought again   4800 commands, 0 differ"), "{lines}");
    assert!(lines.contains("\nhonest "), "{lines}");
    let output = fireteam_with_cache(&folder, &["verify", "a.recording", "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["is_honest"], true, "{told:#}");
    assert!(told["blindfold"]["changed"]["players"].as_u64() > Some(0), "{told:#}");
    assert!(told["greatest_turn_rate"].as_f64() < told["turn_bound"].as_f64().map(|bound| bound + 1.0), "{told:#}");

    // The head ends with the seed: minds of another one would have done otherwise.
    let seed = 4u64.to_le_bytes();
    let mut forged = folder.bytes("a.recording");
    let head = 20 + u32::from_le_bytes(forged[16..20].try_into().unwrap()) as usize;
    forged[head - 8..head].copy_from_slice(&seed);
    let sum = crc32(&forged[..head]);
    forged[head..head + 4].copy_from_slice(&sum.to_le_bytes());
    fs::write(folder.0.join("forged.recording"), forged).unwrap();
    let output = fireteam_with_cache(&folder, &["verify", "forged.recording"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("NOT CERTIFIED"), "{}", text(&output.stdout));
}

#[test]
fn what_everyone_did_is_counted_alike_from_a_match_and_from_its_recording() {
    let folder = Folder::new("stats");
    let map = own_map("two_rooms_one_door");
    let play =
        ["--map", &map, "--bots", "2", "--minutes", "1", "--json", "--record", "a.recording", "--stats", "a.json"];
    let output = fireteam_with_cache(&folder, &play);
    let score: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let live: serde_json::Value = serde_json::from_slice(&folder.bytes("a.json")).unwrap();
    let output = fireteam_with_cache(&folder, &["stats", "a.recording", "--json", "--picture", "heat.png"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(folder.bytes("heat.png").starts_with(b"\x89PNG"));
    let sum = |told: &serde_json::Value, of: &str| {
        let players = told["players"].as_array().unwrap().iter();
        players.map(|player| player[of].as_u64().unwrap()).sum::<u64>()
    };
    for count in ["kills", "deaths", "shots", "throws"] {
        assert_eq!(sum(&live, count), sum(&score, count), "{count}");
    }
    // A recording ends with what was shown last, and misses what came of it.
    assert!(sum(&score, "shots") - sum(&read, "shots") <= 8 && sum(&read, "shots") > 0);
    let output = fireteam_with_cache(&folder, &["stats", "a.recording", "--csv"]);
    let table = text(&output.stdout);
    assert!(table.starts_with("subject,name,side,score,kills") && table.contains("\nplayer,"), "{table}");
    let output = fireteam_with_cache(&folder, &["--stats", "a.txt"]);
    assert_eq!(output.status.code(), Some(2));
}

/// CRC-32 as gzip has it, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[test]
fn the_same_seed_is_the_same_match_whoever_watches() {
    let folder = Folder::new("same");
    let map = own_map("one_room");
    let scores = [&["--quiet"][..], &["--headless"], &["--quiet", "--picture", "a.png"]].map(|more| {
        let arguments = [&["--map", &map, "--minutes", "0.3"][..], more].concat();
        let output = fireteam_with_cache(&folder, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let fingerprint = text(&output.stdout).split("fingerprint ").nth(1).map(|rest| rest[..16].to_owned());
        fingerprint.expect("it is printed")
    });
    assert!(scores.iter().all(|score| *score == scores[0]), "{scores:?}");
    assert!(fs::read(folder.0.join("a.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_variable_that_does_not_exist_is_named() {
    let folder = Folder::new("convar");
    let output = fireteam_with_cache(&folder, &["--convar", "think_mss=50"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no variable `think_mss`; the nearest is `think_ms`"));
}
