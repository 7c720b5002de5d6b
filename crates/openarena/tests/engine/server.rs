//! A server started by us loads its map, keeps to itself, and is gone when we let go of it.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fireteam_openarena::{Install, Server, ServerSettings};

/// Generous: a busy machine takes seconds to load a map.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn stock_server_runs_on_loopback_and_dies_with_its_handle() {
    let install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    let server = Server::start(&install, &ServerSettings::new("oa_dm1")).expect("the engine starts");
    let start = Instant::now();
    while !server.log().contains("------- Game Initialization -------") {
        assert!(start.elapsed() < PATIENCE, "no game after {PATIENCE:?}:\n{}", server.log());
        thread::sleep(Duration::from_millis(20));
    }
    assert!(server.log().contains("Opening IP socket: 127.0.0.1:"), "{}", server.log());
    assert!(!server.log().contains("Opening IP6 socket"), "{}", server.log());
    let (home, process) = (server.home().to_owned(), server.process());
    assert!(home.join("baseoa").is_dir());
    assert!(is_running(process));
    drop(server);
    assert!(!home.exists(), "{} is still there", home.display());
    assert!(!is_running(process), "process {process} is still there");
}

#[test]
fn server_that_cannot_start_says_which_file_is_missing() {
    let mut install = Install::find().expect("`cargo xtask test` fetches OpenArena before it runs the tests");
    install.engine = "/no/such/engine".into();
    let error = Server::start(&install, &ServerSettings::new("oa_dm1")).expect_err("there is no such file");
    assert!(error.to_string().starts_with("/no/such/engine does not start"), "{error}");
}

fn is_running(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}
