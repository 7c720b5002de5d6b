//! Who may ask what: addresses, origins, the token, and how many may ask at a time.
//!
//! Any page in a browser can send requests to this machine, and a name that leads elsewhere today may lead here tomorrow (DNS
//! rebinding). So a request must name one of our own addresses as its host, and come from a page of ours if it comes from a page;
//! whatever changes something must bring the token that was printed. What is refused is said on standard error, not more
//! than a line a kind and second.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

use super::serve::failed;

/// Largest request that is read.
pub(crate) const BODY_MAX: usize = 256 << 10;
/// Largest message on a web socket.
pub(crate) const MESSAGE_MAX: usize = 64 << 10;
/// Web sockets at a time.
pub(crate) const SOCKETS_MAX: usize = 32;
/// Connections that have asked something, at a time.
pub(crate) const GUESTS_MAX: usize = 256;
/// Connections that have not said anything yet; one more, and the oldest is shown out.
pub(crate) const STRANGERS_MAX: usize = 128;
/// A client may take so long to say what it wants.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(10);
/// Where the token is in requests that change something.
pub(crate) const TOKEN_HEADER: &str = "x-fireteam-token";

const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Knows who may come in.
#[derive(Debug)]
pub(crate) struct Guard {
    token: String,
    hosts: Vec<String>,
    said: Mutex<BTreeMap<&'static str, Said>>,
}

/// When a kind of refusal was last told, and how many since.
#[derive(Debug)]
struct Said {
    at: Instant,
    untold: u64,
}

impl Guard {
    /// For a server at this address. Listening on a network, it goes by that address too.
    pub(crate) fn of(address: SocketAddr) -> Result<Guard> {
        let port = address.port();
        let mut hosts: Vec<String> = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).to_vec();
        hosts.push(address.to_string());
        Ok(Guard { token: random_token()?, hosts, said: Mutex::default() })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    fn knows_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.contains(&host) || self.listens_everywhere() && names_an_address(&host)
    }

    /// On every address of this machine: then any of them may be asked for, but by number, which no name can pretend to be.
    fn listens_everywhere(&self) -> bool {
        self.hosts.iter().any(|host| host.starts_with("0.0.0.0:") || host.starts_with("[::]:"))
    }

    fn knows_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.knows_host(host))
    }

    /// In a time that does not tell how much of it was right.
    pub(crate) fn is_token(&self, given: Option<&str>) -> bool {
        let Some(given) = given.filter(|given| given.len() == self.token.len()) else { return false };
        given.bytes().zip(self.token.bytes()).fold(0, |off, (a, b)| off | (a ^ b)) == 0
    }

    pub(crate) fn has_token(&self, headers: &HeaderMap) -> bool {
        self.is_token(headers.get(TOKEN_HEADER).and_then(|value| value.to_str().ok()))
    }

    /// Says that somebody was refused.
    pub(crate) fn refuse(&self, why: &'static str, who: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let untold = match said.get_mut(why) {
            Some(last) if now - last.at < Duration::from_secs(1) => {
                last.untold += 1;
                return;
            }
            Some(last) => std::mem::take(&mut last.untold),
            None => 0,
        };
        said.insert(why, Said { at: now, untold: 0 });
        let besides = if untold > 0 { format!(" (and {untold} times before)") } else { String::new() };
        // What a client sends is not to be trusted with the terminal.
        let who: String = who.chars().filter(|letter| !letter.is_control()).take(80).collect();
        eprintln!("viewer: refused: {why}: {who}{besides}");
    }
}

/// Whether a host is a number and not a name.
fn names_an_address(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok()
}

fn random_token() -> Result<String> {
    let mut bytes = [0; 16];
    let mut source = std::fs::File::open("/dev/urandom").context("no source of chance for the viewer's token")?;
    source.read_exact(&mut bytes).context("cannot read /dev/urandom")?;
    let mut token = String::new();
    bytes.iter().for_each(|byte| write!(token, "{byte:02x}").expect("memory takes everything"));
    Ok(token)
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Before anything else looks at a request.
pub(crate) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = text(headers, header::HOST).unwrap_or("");
    let origin = text(headers, header::ORIGIN);
    // Not even to look: another page's scripts must not read along.
    let has_foreign_origin =
        headers.contains_key(header::ORIGIN) && !origin.is_some_and(|origin| guard.knows_origin(origin));
    let path = request.uri().path().to_owned();
    let is_api = path.starts_with("/api/");
    let refused = if !guard.knows_host(host) {
        guard.refuse("a host that is not this one", host);
        Some((StatusCode::MISDIRECTED_REQUEST, "this server does not go by that name"))
    } else if has_foreign_origin {
        guard.refuse("a page from elsewhere", origin.unwrap_or("?"));
        Some((StatusCode::FORBIDDEN, "pages from elsewhere may not ask here"))
    } else if ![Method::GET, Method::HEAD].contains(request.method()) && !guard.has_token(headers) {
        guard.refuse("a change without the token", request.uri().path());
        Some((StatusCode::FORBIDDEN, "changes need the token that is in the address this server printed"))
    } else {
        None
    };
    let mut response = match refused {
        Some((code, why)) => failed(code, why).into_response(),
        None => next.run(request).await,
    };
    // Only the page's own files are served; what else somebody tries for is worth knowing.
    if !is_api && response.status() == StatusCode::NOT_FOUND {
        guard.refuse("a file that is not the page's", &path);
    }
    let headers = response.headers_mut();
    let set = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    set.into_iter().for_each(|(name, value)| drop(headers.insert(name, HeaderValue::from_static(value))));
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
