//! The viewer as strangers meet it: who may ask what, and whether the match minds.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Folder, own_map, text};

/// A match that is being watched, ended with the test.
struct Watched {
    child: Child,
    address: SocketAddr,
    token: String,
    complaints: Receiver<String>,
    heard: Vec<String>,
    folder: Folder,
}

/// Nothing here takes so long but on a machine that does nothing at all.
const PATIENCE: Duration = Duration::from_secs(120);

impl Watched {
    /// A live match.
    fn begin(name: &str) -> Watched {
        let map = own_map("two_rooms_one_door");
        let played = ["--map", &map, "--bots", "2", "--gametype", "team", "--minutes", "1000"];
        Watched::of(Folder::new(name), &played)
    }

    /// Whatever this command shows.
    fn of(folder: Folder, arguments: &[&str]) -> Watched {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fireteam"))
            .args(arguments)
            .args(["--no-open", "--port", "0"])
            .env("FIRETEAM_CACHE", folder.0.join("cache"))
            .current_dir(&folder.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines.map_while(Result::ok).find(|line| line.contains("http://")).expect("it says where it is");
        let url = said.split("http://").nth(1).unwrap().to_owned();
        let (address, token) = url.trim().split_once("/?token=").expect("with the token");
        let (complain, complaints) = channel();
        let errors = BufReader::new(child.stderr.take().unwrap()).lines();
        thread::spawn(move || errors.map_while(Result::ok).for_each(|line| drop(complain.send(line))));
        let (address, token) = (address.parse().unwrap(), token.to_owned());
        Watched { child, address, token, complaints, heard: Vec::new(), folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A whole request; the code and the body of the answer.
    fn ask(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = self.connect();
        write!(stream, "{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = Vec::new();
        // Refused before all of it was read, the connection may be reset: what was answered is there.
        stream.read_to_end(&mut answer).ok();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let code = answer.get(9..12).and_then(|code| code.parse().ok()).unwrap_or(0);
        (code, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }

    fn get(&self, path: &str, more: &str) -> (u16, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}{more}", self.address), "")
    }

    fn post(&self, path: &str, body: &str, more: &str) -> (u16, String) {
        let host = self.address;
        self.ask(&format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json{more}"), body)
    }

    /// What a request that changes something answers, with the token.
    fn change(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let host = self.address;
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json{}", self.with_token());
        let (code, body) = self.ask(&head, body);
        (code, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    fn json(&self, path: &str) -> Value {
        let (code, body) = self.get(path, "");
        assert_eq!(code, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Something that takes a while, when it is over.
    fn done(&self, path: &str, id: &Value) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let state = self.json(&format!("{path}?id={id}"));
            if state["state"] != "running" {
                return state;
            }
            assert!(Instant::now() < until, "{path} never ends: {state}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn with_token(&self) -> String {
        format!("\r\nx-fireteam-token: {}", self.token)
    }

    fn frames(&self) -> u64 {
        let (code, body) = self.get("/api/film/length", "");
        assert_eq!(code, 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["frames"].as_u64().unwrap()
    }

    /// The match goes on: so many frames more.
    fn goes_on(&self, frames: u64) {
        let (begun, until) = (self.frames(), Instant::now() + PATIENCE);
        while self.frames() < begun + frames {
            assert!(Instant::now() < until, "it stands still at {begun}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether somebody was told of it.
    fn complains(&mut self, of: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.heard.iter().any(|line| line.contains(of)) {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.complaints.recv_timeout(left);
            self.heard.push(line.unwrap_or_else(|_| panic!("nothing is said of `{of}`: {:?}", self.heard)));
        }
    }

    /// A web socket, up to the end of the server's greeting.
    fn socket(&self) -> TcpStream {
        let mut stream = self.connect();
        let key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
        write!(
            stream,
            "GET /api/live HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}\r\n\r\n",
            self.address
        )
        .unwrap();
        let mut greeting = Vec::new();
        while !greeting.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            greeting.push(byte[0]);
        }
        assert!(greeting.starts_with(b"HTTP/1.1 101 "), "{}", text(&greeting));
        stream
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn only_its_own_page_may_ask_and_only_with_the_token_change() {
    let mut game = Watched::begin("guard");
    let host = |name: &str| game.ask(&format!("GET /api/show HTTP/1.1\r\nHost: {name}"), "").0;
    let port = game.address.port();
    assert_eq!(host(&format!("localhost:{port}")), 200);
    assert_eq!(host(&format!("127.0.0.1:{port}")), 200);
    // A name of somebody's own that leads here.
    assert_eq!(host(&format!("evil.example:{port}")), 421);
    assert_eq!(host("127.0.0.1:1"), 421);
    assert_eq!(host(""), 421);
    assert_eq!(game.get("/api/show", "\r\nOrigin: http://evil.example").0, 403);
    assert_eq!(game.get("/api/show", "\r\nOrigin: null").0, 403);
    let own = format!("\r\nOrigin: http://{}", game.address);
    assert_eq!(game.get("/api/show", &own).0, 200);
    let pause = r#"{"pause":true}"#;
    assert_eq!(game.post("/api/control", pause, "").0, 403);
    assert_eq!(game.post("/api/control", pause, &format!("\r\nx-fireteam-token: {}", "0".repeat(32))).0, 403);
    let with_foreign_origin = format!("{}\r\nOrigin: http://evil.example", game.with_token());
    assert_eq!(game.post("/api/control", pause, &with_foreign_origin).0, 403);
    assert_eq!(game.post("/api/convars", r#"{"set":{"think_ms":50}}"#, "").0, 403);
    game.goes_on(5);
    let (code, body) = game.post("/api/control", pause, &game.with_token());
    assert_eq!((code, body.as_str()), (200, r#"{"paused":true,"speed":1.0}"#));
    for what in ["a host that is not this one", "a page from elsewhere", "a change without the token"] {
        game.complains(what);
    }
}

#[test]
fn nothing_but_the_page_is_served() {
    let mut game = Watched::begin("files");
    for path in
        ["/../Cargo.toml", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%2f..%2fetc/passwd", "/src/main.tsx"]
    {
        let (code, body) = game.get(path, "");
        assert!(matches!(code, 400 | 404), "{path}: {code}");
        assert!(!body.contains("root:") && !body.contains("[workspace]"), "{path}: {body}");
    }
    game.goes_on(5);
    game.complains("a file that is not the page's");
    let (code, page) = game.get("/", "");
    assert!(code == 200 && page.starts_with("<!doctype html>"), "{code}: {page}");
    let name = |name: &str| game.post("/api/convars/save", &format!(r#"{{"name":"{name}"}}"#), &game.with_token());
    for bad in ["../a.convars", "/etc/a.convars", ".hidden", "", "a b"] {
        assert_eq!(name(bad).0, 400, "{bad}");
    }
    assert_eq!(name("mine.convars").0, 200);
    let saved = std::fs::read_to_string(game.folder.0.join("mine.convars")).unwrap();
    assert!(saved.contains("think_ms = 100"), "{saved}");
    std::fs::write(game.folder.0.join("precious.txt"), "not variables").unwrap();
    assert_eq!(name("precious.txt").0, 400, "what is there and is something else stays");
}

#[test]
fn a_thousand_connections_that_say_nothing_keep_nobody_out() {
    let mut game = Watched::begin("half-open");
    let mut silent = Vec::new();
    for number in 0..1000 {
        let mut stream = game.connect();
        if number % 2 == 0 {
            // Half a head is no more than none.
            stream.write_all(b"GET /api/show HTTP/1.1\r\nHost: ").ok();
        }
        silent.push(stream);
    }
    game.goes_on(10);
    assert_eq!(game.get("/api/show", "").0, 200);
    game.complains("too many connections that say nothing");
}

#[test]
fn a_hundred_megabytes_are_not_read() {
    let mut game = Watched::begin("large");
    let (code, _) = game.post("/api/convars", &" ".repeat(300 << 10), &game.with_token());
    assert_eq!(code, 413);
    let mut stream = game.connect();
    let head = format!("POST /api/convars HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json", game.address);
    write!(stream, "{head}{}\r\nContent-Length: 104857600\r\n\r\n", game.with_token()).unwrap();
    assert!(sent(&mut stream, 100 << 20) < 100 << 20, "it hung up before the end");
    // On a web socket: one message of which the first frame says how long it is.
    let mut socket = game.socket();
    socket.write_all(&[0x82, 0xff, 0, 0, 0, 0, 6, 64, 0, 0, 1, 2, 3, 4]).unwrap();
    assert!(sent(&mut socket, 100 << 20) < 100 << 20, "it hung up before the end");
    game.goes_on(10);
    game.complains("a message that is too long");
}

/// How much of so many bytes goes through.
fn sent(stream: &mut TcpStream, bytes: usize) -> usize {
    let piece = [b' '; 1 << 16];
    (0..bytes / piece.len()).take_while(|_| stream.write_all(&piece).is_ok()).count() * piece.len()
}

#[test]
fn who_does_not_read_or_is_gone_slows_nobody() {
    let game = Watched::begin("slow");
    assert_eq!(game.post("/api/control", r#"{"speed":32}"#, &game.with_token()).0, 200);
    let slow: Vec<TcpStream> = (0..8).map(|_| game.socket()).collect();
    (0..8).for_each(|_| drop(game.socket()));
    // Far more than fits between the two of them.
    game.goes_on(3000);
    drop(slow);
    let taken: Vec<TcpStream> = (0..20).map(|_| game.socket()).collect();
    game.goes_on(100);
    drop(taken);
}

#[test]
fn a_variable_set_on_the_page_is_in_force_a_frame_later_and_in_the_recording() {
    let game = Watched::begin("tuning");
    game.goes_on(5);
    let (code, body) = game.post("/api/convars", r#"{"set":{"think_ms":50}}"#, &game.with_token());
    assert_eq!(code, 200, "{body}");
    let (code, body) = game.post("/api/convars", r#"{"set":{"think_ms":1}}"#, &game.with_token());
    assert!(code == 400 && body.contains("think_ms"), "{code}: {body}");
    game.goes_on(5);
    let (_, body) = game.get("/api/convars", "");
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(told["history"][0]["name"], "think_ms");
    assert_eq!(told["history"][0]["value"], 50.0);
    let (_, marks) = game.get("/api/marks", "");
    assert!(marks.contains("think_ms = 50"), "{marks}");
}

#[test]
fn a_mind_is_told_for_any_frame_and_the_journal_with_it() {
    let game = Watched::begin("minds");
    assert_eq!(game.post("/api/control", r#"{"speed":32}"#, &game.with_token()).0, 200);
    game.goes_on(700);
    let (_, show) = game.get("/api/show", "");
    let show: Value = serde_json::from_str(&show).unwrap();
    let bot = &show["players"][0]["id"];
    let mind = |frame: u64| {
        let (code, body) = game.get(&format!("/api/mind?bot={bot}&frame={frame}"), "");
        assert_eq!(code, 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()
    };
    let wait = Instant::now() + PATIENCE;
    while game.get(&format!("/api/mind?bot={bot}&frame=650"), "").0 == 503 {
        assert!(Instant::now() < wait, "it is never thought again");
        thread::sleep(Duration::from_millis(20));
    }
    // There and back again: the same whichever way one comes.
    let first = mind(650);
    assert_eq!(mind(130)["frame"], 130);
    assert_eq!(mind(650), first);
    // The dead want nothing.
    let wants = |mind: &Value| mind["goals"].as_array().is_some_and(|goals| !goals.is_empty());
    assert!((0..600).step_by(60).any(|frame| wants(&mind(frame))), "{first:#}");
    let (_, journal) = game.get(&format!("/api/journal?bot={bot}"), "");
    let journal: Value = serde_json::from_str(&journal).unwrap();
    let lines = journal["lines"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["turn"] == "starts"), "{journal:#}");
    assert_eq!(game.get("/api/mind?bot=9999&frame=100", "").0, 404, "nobody");
}

/// A match that is over: half a minute of eight bots, and the folder it lies in.
fn recorded(name: &str) -> Folder {
    let folder = Folder::new(name);
    let map = own_map("two_rooms_one_door");
    let done = Command::new(env!("CARGO_BIN_EXE_fireteam"))
        .args(["--map", &map, "--bots", "4", "--gametype", "team", "--minutes", "0.5", "--quiet"])
        .args(["--record", "half.recording"])
        .env("FIRETEAM_CACHE", folder.0.join("cache"))
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
    folder
}

fn command(folder: &Folder, arguments: &[&str]) -> (bool, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_fireteam"))
        .args(arguments)
        .env("FIRETEAM_CACHE", folder.0.join("cache"))
        .current_dir(&folder.0)
        .output()
        .unwrap();
    (done.status.success(), text(&done.stdout).to_owned(), text(&done.stderr).to_owned())
}

/// Frames of a film, each without the length before it and the number it begins with.
fn frames_of(game: &Watched, query: &str) -> Vec<Vec<u8>> {
    let mut stream = game.connect();
    let path = format!("/api/film?{query}");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", game.address).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let begin = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let film = &answer[begin..];
    let number = |at: usize| u32::from_le_bytes(film[at..at + 4].try_into().unwrap()) as usize;
    let (count, mut at) = (number(4), 8);
    let mut frames = Vec::new();
    for _ in 0..count {
        let length = number(at);
        frames.push(film[at + 8..at + 4 + length].to_vec());
        at += 4 + length;
    }
    frames
}

#[test]
fn what_is_counted_on_the_page_is_what_the_command_counts() {
    let folder = recorded("stats");
    let (_, counted, complaints) = command(&folder, &["stats", "half.recording", "--json"]);
    let counted: Value = serde_json::from_str(&counted).unwrap_or_else(|_| panic!("{complaints}"));
    let (_, table, _) = command(&folder, &["stats", "half.recording", "--csv"]);
    let game = Watched::of(folder, &["replay", "half.recording"]);
    let until = Instant::now() + PATIENCE;
    while game.json("/api/film/length")["is_growing"] == true {
        assert!(Instant::now() < until, "it is never read to its end");
        thread::sleep(Duration::from_millis(20));
    }
    let shown = game.json("/api/stats");
    for part in ["teams", "players", "weapons", "grenades", "heat"] {
        assert_eq!(shown[part], counted[part], "{part}");
    }
    assert!(shown["players"].as_array().unwrap().iter().any(|player| player["shots"].as_u64() > Some(0)), "{shown:#}");
    let (code, shown) = game.get("/api/stats.csv", "");
    assert_eq!((code, shown), (200, table));
}

#[test]
fn a_certificate_is_given_for_a_match_that_goes_on_meanwhile() {
    let game = Watched::begin("verify");
    assert_eq!(game.post("/api/control", r#"{"speed":32}"#, &game.with_token()).0, 200);
    game.goes_on(400);
    assert_eq!(game.post("/api/verify", "", "").0, 403, "without the token");
    let (code, sent) = game.change("POST", "/api/verify", "");
    assert_eq!(code, 200, "{sent}");
    // One at a time, and whoever comes second hears why.
    let (code, refused) = game.change("POST", "/api/verify", "");
    assert!(code == 409 && refused["error"].as_str().unwrap().contains("a verification is under way"), "{refused}");
    let fork = r#"{"frame":10,"seconds":1,"seeds":0}"#;
    assert_eq!(game.change("POST", "/api/fork", fork).0, 409);
    game.goes_on(20);
    let state = game.done("/api/verify", &sent["id"]);
    assert_eq!(state["state"], "done", "{state}");
    let certificate = &state["certificate"];
    assert_eq!(
        (&certificate["is_honest"], &certificate["differing"]),
        (&Value::Bool(true), &Value::from(0)),
        "{state:#}"
    );
    assert!(certificate["frames"].as_u64() >= Some(400) && certificate["commands"].as_u64() >= Some(1600), "{state:#}");
    assert!(certificate["text"].as_str().unwrap().contains("honest"), "{state:#}");
    // Stopped, it says so, and the next may begin.
    let (_, sent) = game.change("POST", "/api/verify", "");
    assert_eq!(game.change("DELETE", &format!("/api/verify?id={}", sent["id"]), "").0, 200);
    let state = game.done("/api/verify", &sent["id"]);
    assert!(state["error"].as_str().is_some_and(|why| why.contains("stopped")), "{state}");
    assert_eq!(game.change("POST", "/api/fork", fork).0, 200);
    assert_eq!(game.get("/api/verify?id=77", "").0, 404);
}

#[test]
fn edits_are_tried_checked_saved_and_in_force_in_the_next_match() {
    let game = Watched::begin("editing");
    let kept = game.json("/api/edit");
    assert_eq!(kept["edits"], Value::Array(Vec::new()), "{kept}");
    let terrain = game.json("/api/terrain");
    let origins = terrain["waypoints"]["origin"].as_array().unwrap();
    let place = origins[0].as_array().unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    let place = format!("[{},{},{}]", number(&place[0]) + 8.0, number(&place[1]), number(&place[2]));
    let flagged = format!(
        r#"{{"edits":[{{"do":"move","waypoint":0,"place":{place}}},{{"do":"flag","waypoint":0,"flag":"no-grenade"}}]}}"#
    );
    assert_eq!(game.post("/api/edit", &flagged, "").0, 403);
    let (code, tried) = game.change("POST", "/api/edit", &flagged);
    assert_eq!(code, 200, "{tried}");
    assert_ne!(tried["terrain"]["waypoints"]["origin"][0], terrain["waypoints"]["origin"][0]);
    assert_ne!(tried["terrain"]["waypoints"]["flags"][0], terrain["waypoints"]["flags"][0]);
    assert!(tried["overlay"].as_str().unwrap().contains("no-grenade"), "{}", tried["overlay"]);
    assert_eq!(game.json("/api/edit")["edits"].as_array().unwrap().len(), 0, "nothing is kept before it is saved");
    // High above everything nobody can stand.
    let (_, tried) = game.change("POST", "/api/edit", r#"{"edits":[{"do":"add","place":[0,0,9000]}]}"#);
    let faults = tried["faults"].as_array().unwrap();
    assert!(faults.iter().any(|fault| fault["severity"] == "error" && fault["waypoint"].is_u64()), "{faults:?}");
    let (code, refused) = game.change("POST", "/api/edit", r#"{"edits":[{"do":"remove","waypoint":60000}]}"#);
    assert!(code == 400 && refused["error"].as_str().unwrap().contains("edit 1"), "{refused}");
    let (code, saved) = game.change("POST", "/api/edit/save", &flagged);
    assert_eq!(code, 200, "{saved}");
    let text = std::fs::read_to_string(saved["path"].as_str().unwrap()).unwrap();
    assert!(text.contains("move") && text.contains("no-grenade"), "{text}");
    let kept = game.json("/api/edit");
    assert_eq!(kept["edits"].as_array().unwrap().len(), 2, "{kept}");
    let show = game.json("/api/show")["id"].clone();
    assert_eq!(game.post("/api/control", r#"{"restart":{"seed":2}}"#, &game.with_token()).0, 200);
    let until = Instant::now() + PATIENCE;
    while game.json("/api/show")["id"] == show {
        assert!(Instant::now() < until, "no other match begins");
        thread::sleep(Duration::from_millis(20));
    }
    let next = game.json("/api/terrain");
    assert_eq!(next["waypoints"]["flags"][0], tried_flag(&game, &flagged), "the next match is played on it");
    // Nothing left to edit: the file goes, and what was baked is there again.
    assert_eq!(game.change("POST", "/api/edit/save", r#"{"edits":[]}"#).0, 200);
    assert!(!std::path::Path::new(saved["path"].as_str().unwrap()).exists());
}

fn tried_flag(game: &Watched, edits: &str) -> Value {
    game.change("POST", "/api/edit", edits).1["terrain"]["waypoints"]["flags"][0].clone()
}

#[test]
fn a_fork_without_a_change_is_what_was_recorded_and_with_one_it_is_not() {
    let game = Watched::of(recorded("fork"), &["replay", "half.recording"]);
    assert_eq!(game.json("/api/show")["can"]["fork"], true);
    let until = Instant::now() + PATIENCE;
    while game.json("/api/film/length")["is_growing"] == true {
        assert!(Instant::now() < until, "it is never read to its end");
        thread::sleep(Duration::from_millis(20));
    }
    let asked = r#"{"frame":200,"seconds":5,"set":{},"forbid":[{"bot":null,"behaviour":"shooting"}],"seeds":6}"#;
    assert_eq!(game.post("/api/fork", asked, "").0, 403);
    let (code, sent) = game.change("POST", "/api/fork", asked);
    assert_eq!(code, 200, "{sent}");
    let state = game.done("/api/fork", &sent["id"]);
    assert_eq!(state["state"], "done", "{state}");
    let was = frames_of(&game, "from=200&count=100");
    let [as_was, changed] = ["as_was", "changed"].map(|name| {
        let film = &state["films"][name];
        frames_of(&game, &format!("from=0&count=2000&film={film}"))
    });
    assert_eq!((as_was.len(), changed.len()), (100, 100));
    // Whom they aim at is known to those who think it, and the list of items is told where a film begins: bodies are the same.
    assert_eq!(bodies(&as_was), bodies(&was));
    assert_ne!(bodies(&changed), bodies(&was), "nobody shoots");
    let outcomes = state["outcomes"].as_array().unwrap();
    let of = |name: &str| {
        outcomes.iter().find(|outcome| outcome["name"] == name).unwrap_or_else(|| panic!("{name}: {state:#}"))
    };
    let damage = of("damage dealt, red");
    assert!(damage["as_was"]["mean"].as_f64() > Some(0.0), "{damage}");
    assert!(damage["difference"]["mean"].as_f64() < Some(0.0), "{damage}");
    for (bad, why) in [
        (r#"{"frame":99999,"seconds":5,"seeds":0}"#, "no frame 99999"),
        (r#"{"frame":10,"seconds":500,"seeds":0}"#, "seconds"),
        (r#"{"frame":10,"seconds":5,"seeds":1000}"#, "200"),
        (r#"{"frame":10,"seconds":5,"seeds":0,"set":{"nonsense":1}}"#, "nonsense"),
    ] {
        let (code, refused) = game.change("POST", "/api/fork", bad);
        assert!(code == 400 && refused["error"].as_str().unwrap().contains(why), "{bad}: {refused}");
    }
    let unknown = r#"{"frame":10,"seconds":5,"seeds":0,"forbid":[{"bot":null,"behaviour":"flying"}]}"#;
    let (_, sent) = game.change("POST", "/api/fork", unknown);
    let state = game.done("/api/fork", &sent["id"]);
    assert!(state["error"].as_str().is_some_and(|why| why.contains("hunting")), "{state}");
}

/// Who is where, in every frame: everything of a player but whom he aims at.
fn bodies(frames: &[Vec<u8>]) -> Vec<Vec<Vec<u8>>> {
    let one = |frame: &Vec<u8>| {
        let players = usize::from(frame[5]);
        let player = |number: usize| {
            let mut player = frame[12 + number * 30..][..30].to_vec();
            player[23] = 0;
            player
        };
        (0..players).map(player).collect()
    };
    frames.iter().map(one).collect()
}

#[test]
fn a_live_match_is_forked_while_it_goes_on() {
    let game = Watched::begin("fork-live");
    assert_eq!(game.post("/api/control", r#"{"speed":32}"#, &game.with_token()).0, 200);
    game.goes_on(300);
    let bot = game.json("/api/show")["players"][0]["id"].clone();
    let asked = format!(
        r#"{{"frame":250,"seconds":4,"set":{{"think_ms":400}},"forbid":[{{"bot":{bot},"behaviour":"hunting"}}],"seeds":5}}"#
    );
    let (code, sent) = game.change("POST", "/api/fork", &asked);
    assert_eq!(code, 200, "{sent}");
    game.goes_on(20);
    let state = game.done("/api/fork", &sent["id"]);
    assert_eq!(state["state"], "done", "{state}");
    assert_eq!(state["done"], state["of"]);
    assert_eq!(state["of"], 12);
}

#[test]
fn a_fork_by_command_prints_what_differs() {
    let folder = recorded("fork-command");
    let fork = ["replay", "half.recording", "--fork-at", "10", "--seconds", "5", "--seeds", "5"];
    let (is_done, table, complaints) = command(&folder, &[&fork[..], &["--forbid", "shooting"]].concat());
    assert!(is_done && table.contains("no shooting") && table.contains("damage dealt, red"), "{table}{complaints}");
    let (_, told, _) = command(&folder, &[&fork[..], &["--set", "think_ms=1000", "--json"]].concat());
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["frame"], &told["seeds"]), (&Value::from(200), &Value::from(5)), "{told:#}");
    let (_, same, _) = command(&folder, &[&fork[..], &["--json"]].concat());
    let same: Value = serde_json::from_str(&same).unwrap();
    let differs =
        |outcome: &Value| outcome["difference"] != serde_json::json!({ "mean": 0.0, "low": 0.0, "high": 0.0 });
    assert!(!same["outcomes"].as_array().unwrap().iter().any(differs), "nothing was changed: {same:#}");
    let (is_done, _, complaints) = command(&folder, &["replay", "half.recording", "--fork-at", "1000"]);
    assert!(!is_done && complaints.contains("no frame 20000"), "{complaints}");
}
