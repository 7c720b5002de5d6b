//! The viewer: a page in the browser that shows a match, live or recorded, and what every bot in it thinks.
//!
//! ```text
//! plays (stage) --entries--> scribe --> chronicle: recording, film, marks <-- asked by --> serve, live <--> page
//!                                        ^ journal, minds
//!                                        '-- minds: thinks it all again, a moment behind
//! ```
//!
//! The thread that plays copies what it was shown and does nothing else for whoever watches. Everything the page shows
//! comes from the recording: what a bot thinks is found out by thinking it again, bit for bit, which is why it is the same for a
//! match that is being played, a file, and a server far away, and why being watched cannot change a decision.
//!
//! Read `chronicle` for what is kept, `serve` for what can be asked, `guard` for who may.

pub(crate) mod chronicle;
pub(crate) mod control;
mod counted;
mod editing;
mod errand;
pub(crate) mod film;
mod film_routes;
mod forked;
pub(crate) mod ground;
pub(crate) mod guard;
mod live;
pub(crate) mod marks;
mod mind;
pub(crate) mod minds;
mod page;
pub(crate) mod picture;
pub(crate) mod relay;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stage;
mod throws;
pub(crate) mod tuning;
mod verified;

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use axum::body::Bytes;
use axum::http::StatusCode;
use clap::Args;
use fireteam::ConVars;

use chronicle::Chronicle;
use errand::Errands;
use guard::Guard;
use minds::Minds;
use serve::{Answer, failed, missing};
use show::Can;
use stage::Controls;

/// The port that is asked for first.
pub(crate) const PORT: u16 = 4747;

/// How the viewer is reached.
#[derive(Args, Clone, Debug)]
pub(crate) struct Viewing {
    /// Open no browser; the address is printed
    #[arg(long)]
    pub(crate) no_open: bool,

    /// The viewer's port; the next free one if it is taken
    #[arg(long, value_name = "NUMBER", default_value_t = PORT)]
    pub(crate) port: u16,

    /// Where the viewer listens; 0.0.0.0 lets others on the network watch, and change things if they have the token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) listen: IpAddr,
}

/// What kind of match is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Live,
    Recording,
    /// Played elsewhere, and told of as it goes on.
    Server,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Live => "live",
            Kind::Recording => "recording",
            Kind::Server => "server",
        }
    }
}

/// What is on, to be watched.
#[derive(Debug)]
pub(crate) struct Showing {
    /// Another one for every match.
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) gametype: String,
    pub(crate) chronicle: Arc<Chronicle>,
    /// Of what is being played.
    pub(crate) controls: Option<Arc<Controls>>,
    pub(crate) can: Can,
    pub(crate) minds: Minds,
    /// Other films of the same match: what might have been.
    pub(crate) films: Mutex<BTreeMap<u32, Arc<Chronicle>>>,
    /// As last set; a frame later they are the match's.
    convars: Mutex<ConVars>,
    pub(crate) book: Arc<throws::Book>,
    table: editing::Table,
    pub(crate) terrain_text: OnceLock<Bytes>,
    pub(crate) map_bytes: OnceLock<Bytes>,
}

/// What a show is put together from.
#[derive(Debug)]
pub(crate) struct Billing {
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) gametype: String,
    pub(crate) can: Can,
}

impl Showing {
    pub(crate) fn new(
        billing: Billing,
        chronicle: Arc<Chronicle>,
        controls: Option<Arc<Controls>>,
        convars: ConVars,
    ) -> Showing {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let Billing { kind, title, gametype, can } = billing;
        Showing {
            id: format!("{}-{number}", std::process::id()),
            kind,
            title,
            gametype,
            minds: Minds::of(chronicle.clone()),
            chronicle,
            controls,
            can,
            films: Mutex::default(),
            convars: Mutex::new(convars),
            book: Arc::default(),
            table: editing::Table::default(),
            terrain_text: OnceLock::new(),
            map_bytes: OnceLock::new(),
        }
    }

    /// The match itself, or another film of it.
    pub(crate) fn chronicle(&self, film: Option<u32>) -> Answer<Arc<Chronicle>> {
        let Some(number) = film.filter(|number| *number != 0) else { return Ok(self.chronicle.clone()) };
        let films = self.films.lock().unwrap_or_else(PoisonError::into_inner);
        films.get(&number).cloned().ok_or_else(|| missing(format!("there is no film {number}")))
    }

    pub(crate) fn convars(&self) -> ConVars {
        *self.convars.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_convars(&self, convars: ConVars) {
        *self.convars.lock().unwrap_or_else(PoisonError::into_inner) = convars;
    }
}

/// Everything the server knows.
#[derive(Debug)]
pub(crate) struct Viewer {
    pub(crate) guard: Arc<Guard>,
    /// Without the token.
    pub(crate) url: String,
    errands: Errands,
    showing: Mutex<Option<Arc<Showing>>>,
}

impl Viewer {
    /// Begins to serve. Nothing is shown yet.
    pub(crate) fn open(viewing: &Viewing) -> Result<Arc<Viewer>> {
        let listener = serve::bind(SocketAddr::new(viewing.listen, viewing.port))?;
        let address = listener.local_addr().context("a listener without an address")?;
        if !address.ip().is_loopback() {
            eprintln!(
                "viewer: listening on {address}: whoever reaches it can watch, and change things if they have the token"
            );
        }
        let url = format!("http://{}/", shown_address(address));
        let guard = Arc::new(Guard::of(address)?);
        let viewer = Arc::new(Viewer { guard, url, errands: Errands::default(), showing: Mutex::default() });
        let served = viewer.clone();
        thread::Builder::new()
            .name("viewer".to_owned())
            .spawn(move || {
                if let Err(error) = serve::run(listener, served) {
                    eprintln!("viewer: {error:#}: nobody can watch any more");
                }
            })
            .context("no thread for the viewer")?;
        Ok(viewer)
    }

    /// With the token that lets whoever has it change things.
    pub(crate) fn address(&self) -> String {
        format!("{}?token={}", self.url, self.guard.token())
    }

    /// What was on before is gone, and with it whatever is being found out about it.
    pub(crate) fn show(&self, showing: Arc<Showing>) {
        self.errands.stop_all();
        let before = self.showing.lock().unwrap_or_else(PoisonError::into_inner).replace(showing);
        if let Some(before) = before {
            before.chronicle.announce();
        }
    }

    pub(crate) fn showing(&self) -> Answer<Arc<Showing>> {
        let showing = self.showing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        showing.ok_or_else(|| failed(StatusCode::SERVICE_UNAVAILABLE, "nothing is on yet"))
    }

    fn is_on(&self, showing: &Showing) -> bool {
        self.showing.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|on| on.id == showing.id)
    }

    /// Tells where to look, and opens a browser where there is one.
    pub(crate) fn invite(&self, viewing: &Viewing) {
        let address = self.address();
        let mut lines = format!("watch it at  {address}\n");
        let is_opened = !viewing.no_open && browse(&address);
        if !is_opened && !viewing.no_open && std::io::stdout().is_terminal() {
            lines.push_str("no browser was found to open it in\n");
        }
        lines.push_str("Ctrl-C ends it\n");
        // Whoever has read where it is may have closed the pipe: what is on goes on.
        std::io::stdout().write_all(lines.as_bytes()).ok();
    }
}

/// Nobody can type `0.0.0.0` into a browser.
fn shown_address(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from(std::net::Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Whether a browser was started. Only where there is something to show it on.
fn browse(address: &str) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let chosen = std::env::var("BROWSER").ok().filter(|name| !name.is_empty());
    let has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || cfg!(target_os = "macos");
    if !has_display {
        return false;
    }
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let openers = chosen.into_iter().chain([opener.to_owned()]);
    openers.into_iter().any(|program| {
        let mut command = Command::new(program);
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = command.spawn();
        // Waited for elsewhere, so that no dead process is left behind.
        started.map(|mut child| thread::spawn(move || child.wait().ok())).is_ok()
    })
}
