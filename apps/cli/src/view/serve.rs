//! The server: one thread that answers everybody who watches.
//!
//! [`router`] is the list of everything that can be asked, put together from parts: each file that answers something has its
//! `routes`. Answers are JSON, or bytes where they are large; what fails is `{"error": "..."}` with a code. Nothing here touches
//! the thread that plays.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, middleware};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::guard::{self, BODY_MAX, GUESTS_MAX, Guard, HEAD_TIME, STRANGERS_MAX};
use super::{
    Viewer, control, counted, editing, film_routes, forked, ground, live, page, picture, show, throws, tuning, verified,
};

/// Ports that are tried one after the other.
const PORTS: u16 = 50;

/// Why something could not be answered.
#[derive(Debug)]
pub(crate) struct Failed(pub(crate) StatusCode, pub(crate) String);

pub(crate) type Answer<T> = Result<T, Failed>;

pub(crate) fn failed(code: StatusCode, why: impl Into<String>) -> Failed {
    Failed(code, why.into())
}

/// The question makes no sense.
pub(crate) fn refused(why: impl Into<String>) -> Failed {
    failed(StatusCode::BAD_REQUEST, why)
}

/// There is no such thing.
pub(crate) fn missing(why: impl Into<String>) -> Failed {
    failed(StatusCode::NOT_FOUND, why)
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

/// Bytes that are no text.
pub(crate) fn bytes(bytes: impl Into<axum::body::Bytes>) -> Response {
    ([(header::CONTENT_TYPE, "application/octet-stream")], bytes.into()).into_response()
}

/// JSON that was written before.
pub(crate) fn json_text(text: impl Into<axum::body::Bytes>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// Something that takes longer than a moment, on a thread of its own.
pub(crate) async fn slowly<T: Send + 'static>(work: impl FnOnce() -> Answer<T> + Send + 'static) -> Answer<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(failed(StatusCode::INTERNAL_SERVER_ERROR, "the answer broke down")))
}

/// Everything that can be asked.
pub(crate) fn router(viewer: Arc<Viewer>) -> Router {
    let guard = viewer.guard.clone();
    Router::new()
        .merge(show::routes())
        .merge(picture::routes())
        .merge(ground::routes())
        .merge(throws::routes())
        .merge(film_routes::routes())
        .merge(live::routes())
        .merge(control::routes())
        .merge(tuning::routes())
        .merge(counted::routes())
        .merge(verified::routes())
        .merge(editing::routes())
        .merge(forked::routes())
        .fallback(page::file)
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(middleware::from_fn_with_state(guard, guard::check))
        .with_state(viewer)
}

/// The first free port from this one on.
pub(crate) fn bind(wanted: SocketAddr) -> Result<StdListener> {
    let ports = (0..PORTS).filter_map(|more| wanted.port().checked_add(more));
    let mut last = None;
    for port in ports {
        match StdListener::bind(SocketAddr::new(wanted.ip(), port)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = Some(error),
            Err(error) => return Err(error).with_context(|| format!("cannot listen on {wanted}")),
        }
    }
    let error = last.unwrap_or_else(|| io::ErrorKind::AddrInUse.into());
    Err(error).with_context(|| format!("no port from {} on is free: choose one with --port", wanted.port()))
}

/// Serves for as long as the process lives.
pub(crate) fn run(listener: StdListener, viewer: Arc<Viewer>) -> Result<()> {
    listener.set_nonblocking(true).context("cannot listen without waiting")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")?;
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).context("cannot listen")?;
        let lobby = Arc::new(Lobby { guard: viewer.guard.clone(), strangers: Mutex::default(), guests: 0.into() });
        let router = router(viewer);
        loop {
            match listener.accept().await {
                Ok((stream, address)) => lobby.receive(stream, address, router.clone()),
                // Out of file handles, or somebody hung up on the doorstep: others may come.
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
            }
        }
    })
}

/// Connections. Whoever has not said anything yet may be shown out for the next who comes: a thousand that never speak keep
/// nobody out.
#[derive(Debug)]
struct Lobby {
    guard: Arc<Guard>,
    strangers: Mutex<VecDeque<(usize, AbortHandle)>>,
    guests: AtomicUsize,
}

impl Lobby {
    fn receive(self: &Arc<Lobby>, stream: TcpStream, address: SocketAddr, router: Router) {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        if self.guests.load(Ordering::Relaxed) >= GUESTS_MAX {
            self.guard.refuse("too many connections", &address.to_string());
            return;
        }
        stream.set_nodelay(true).ok();
        let visit = Visit { number, lobby: self.clone(), is_guest: Arc::default() };
        let task = tokio::spawn(converse(stream, router, visit));
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        strangers.push_back((number, task.abort_handle()));
        if strangers.len() > STRANGERS_MAX
            && let Some((_, oldest)) = strangers.pop_front()
        {
            oldest.abort();
            self.guard.refuse("too many connections that say nothing", &address.to_string());
        }
    }
}

/// One connection's stay.
#[derive(Debug)]
struct Visit {
    number: usize,
    lobby: Arc<Lobby>,
    is_guest: Arc<AtomicUsize>,
}

impl Visit {
    /// It has said what it wants.
    fn admit(lobby: &Lobby, number: usize, is_guest: &AtomicUsize) {
        if is_guest.swap(1, Ordering::Relaxed) == 0 {
            lobby.guests.fetch_add(1, Ordering::Relaxed);
            lobby.strangers.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| *known != number);
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if self.is_guest.load(Ordering::Relaxed) == 1 {
            self.lobby.guests.fetch_sub(1, Ordering::Relaxed);
        }
        let mut strangers = self.lobby.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        strangers.retain(|(known, _)| *known != self.number);
    }
}

async fn converse(stream: TcpStream, router: Router, visit: Visit) {
    let inner = TowerToHyperService::new(router);
    let (lobby, number, is_guest) = (visit.lobby.clone(), visit.number, visit.is_guest.clone());
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        Visit::admit(&lobby, number, &is_guest);
        inner.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // Whoever hangs up in the middle of a sentence has no more to say.
    connection.await.ok();
    drop(visit);
}
