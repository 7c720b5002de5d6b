//! Somebody who watches, without a browser: asks, listens, and counts what comes over the wire.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// Nobody waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a listener looks whether it is to go.
const LOOK_UP: Duration = Duration::from_millis(100);

/// The body of an answer, if there is one.
pub(super) fn get(address: SocketAddr, path: &str) -> Result<Option<Vec<u8>>> {
    let mut stream = TcpStream::connect(address).context("the viewer does not answer")?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").context("half an answer")?;
    let is_good = answer.starts_with(b"HTTP/1.1 200");
    Ok(is_good.then(|| answer.split_off(end + 4)))
}

/// A page's web socket, with a bot selected, read by a thread of its own.
pub(super) struct Listener {
    bytes: Arc<AtomicU64>,
    is_gone: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub(super) fn attach(address: SocketAddr, bot: u16) -> Result<Listener> {
        let mut stream = TcpStream::connect(address).context("the viewer does not answer")?;
        stream.set_read_timeout(Some(LOOK_UP))?;
        let key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade";
        write!(stream, "GET /api/live HTTP/1.1\r\nHost: {address}\r\n{upgrade}\r\n{key}\r\n\r\n")?;
        // One whole message, masked with nothing, as RFC 6455 lets a client.
        let said = format!("{{\"t\":\"select\",\"bot\":{bot}}}");
        let mut message = vec![0x81, 0x80 | said.len() as u8, 0, 0, 0, 0];
        message.extend_from_slice(said.as_bytes());
        stream.write_all(&message)?;
        let (bytes, is_gone) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, gone) = (bytes.clone(), is_gone.clone());
        let thread = thread::spawn(move || {
            let mut room = vec![0; 1 << 16];
            while !gone.load(Ordering::Relaxed) {
                match stream.read(&mut room) {
                    Ok(0) => return,
                    Ok(count) => drop(counted.fetch_add(count as u64, Ordering::Relaxed)),
                    // Nothing was said for a while.
                    Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                    Err(_) => return,
                }
            }
        });
        Ok(Listener { bytes, is_gone, thread: Some(thread) })
    }

    /// Everything that came so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.is_gone.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// `fireteam replay FILE`, as somebody would start it; ended when it is dropped.
pub(super) struct Opened {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Opened {
    pub(super) fn start(file: &Path, rules: &str) -> Result<Opened> {
        let program = std::env::current_exe().context("where this program lies")?;
        let mut child = Command::new(program)
            .arg("replay")
            .arg(file)
            .args(["--game", rules, "--no-open", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the viewer")?;
        let said = child.stdout.take().context("it was asked to speak")?;
        let url = BufReader::new(said).lines().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("http://")?;
            rest.split('/').next().and_then(|address| address.parse().ok())
        });
        let opened = url.context("it does not say where it is");
        ensure!(opened.is_ok() || child.kill().is_ok(), "it cannot be ended");
        Ok(Opened { child, address: opened? })
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
