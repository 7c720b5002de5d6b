//! The command as its users meet it: what it prints, what it writes, how it fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for each test, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fireteam-command-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

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
    let output = fireteam(&folder, &["throws", "--map", &own_map("corner_bounce"), "--from", "-240,-240,24.125", "--json"]);
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
        (&["throws", "--from", "0,0,-5000", "--map", &room], "--from 0,0,-5000 is outside the map, which reaches from [-272"),
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
