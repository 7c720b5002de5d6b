//! `/api/live`: the web socket over which a match is watched as it grows.
//!
//! Each socket reads the chronicle at its own pace: whatever is new since it last looked goes out, at most so many times a second.
//! A client that reads too slowly blocks its own task and nobody else; when it is through, it is told to fetch what it
//! missed and goes on at the end of the film. One that stops reading is hung up on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::guard::{MESSAGE_MAX, SOCKETS_MAX};
use super::serve::{Answer, failed};
use super::stage::Pace;
use super::{Showing, Viewer, show};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/live", get(live))
}

/// Further behind than this, a client is told to fetch what it missed.
const BEHIND: u32 = 200;
/// Whoever takes this long to read a message is gone.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often a client is told what is new, unless it asks for less or more.
const RATE: f64 = 20.0;
/// A socket on which nothing happened is looked at so often: another match may be on.
const IDLE: Duration = Duration::from_millis(500);
/// Lines of the journal in one message.
const LINES_MAX: usize = 500;

static SOCKETS: AtomicUsize = AtomicUsize::new(0);

/// Counts itself.
#[derive(Debug)]
struct Seat;

impl Seat {
    fn take() -> Option<Seat> {
        let taken = SOCKETS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < SOCKETS_MAX).then_some(n + 1));
        taken.ok().map(|_| Seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        SOCKETS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Deserialize)]
struct Asked {
    /// The first frame that is wanted; without it, whatever is new.
    from: Option<u32>,
}

async fn live(
    State(viewer): State<Arc<Viewer>>,
    Query(asked): Query<Asked>,
    upgrade: WebSocketUpgrade,
) -> Answer<Response> {
    let Some(seat) = Seat::take() else {
        viewer.guard.refuse("too many web sockets", "/api/live");
        return Err(failed(StatusCode::SERVICE_UNAVAILABLE, format!("{SOCKETS_MAX} are watching already")));
    };
    let upgrade = upgrade.max_message_size(MESSAGE_MAX).max_frame_size(MESSAGE_MAX).write_buffer_size(0);
    Ok(upgrade.on_upgrade(move |socket| async move {
        Client { viewer, socket, hz: RATE, selected: None }.watch(asked.from).await;
        drop(seat);
    }))
}

/// What one client has been told of one show.
struct Told {
    frame: u32,
    marks: usize,
    lines: usize,
    players: usize,
    tuned: usize,
    pace: Option<Pace>,
    is_over: bool,
    mind: u32,
}

struct Client {
    viewer: Arc<Viewer>,
    socket: WebSocket,
    hz: f64,
    selected: Option<u16>,
}

/// The client is gone.
struct Gone;

impl Client {
    async fn watch(&mut self, from: Option<u32>) {
        let mut from = from;
        // Show after show, until the client is gone.
        while let Ok(()) = self.watch_show(from.take()).await {}
    }

    async fn watch_show(&mut self, from: Option<u32>) -> Result<(), Gone> {
        let Ok(showing) = self.viewer.showing() else {
            tokio::time::sleep(IDLE).await;
            return Ok(());
        };
        let mut news = showing.chronicle.subscribe();
        let frames = showing.chronicle.shelf().film.len();
        let hello = json!({ "t": "hello", "show": show::told(&showing, &self.viewer), "frames": frames });
        self.say(hello).await?;
        let mut told = {
            let shelf = showing.chronicle.shelf();
            let frame = from.unwrap_or(frames);
            Told {
                frame,
                marks: shelf.marks.partition_point(|mark| mark.frame < frame),
                lines: shelf.lines.len(),
                players: shelf.players.len(),
                tuned: shelf.tuned.len(),
                pace: None,
                is_over: false,
                mind: 0,
            }
        };
        loop {
            let began = Instant::now();
            self.tell(&showing, &mut told).await?;
            if !self.viewer.is_on(&showing) {
                self.select(&showing, None);
                return Ok(());
            }
            let pause = began + Duration::from_secs_f64(1.0 / self.hz);
            // Until something is new, and not before it is time again.
            let mut is_new = false;
            while !(is_new && Instant::now() >= pause) {
                let wake = if is_new { pause } else { Instant::now() + IDLE };
                tokio::select! {
                    biased;
                    heard = self.socket.recv() => self.hear(heard, &showing)?,
                    changed = news.changed(), if !is_new => {
                        if changed.is_err() {
                            return Ok(());
                        }
                        is_new = true;
                    }
                    () = tokio::time::sleep_until(wake) => is_new = true,
                }
            }
        }
    }

    fn select(&mut self, showing: &Showing, bot: Option<u16>) {
        if let Some(before) = std::mem::replace(&mut self.selected, bot) {
            showing.minds.unselect(before);
        }
        if let Some(bot) = bot {
            showing.minds.select(bot);
        }
    }

    async fn say(&mut self, message: Value) -> Result<(), Gone> {
        self.send(Message::Text(message.to_string().into())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    /// Whatever is new.
    async fn tell(&mut self, showing: &Showing, told: &mut Told) -> Result<(), Gone> {
        let mut messages = Vec::new();
        let mut chunk = None;
        {
            let shelf = showing.chronicle.shelf();
            let frames = shelf.film.len();
            if frames.saturating_sub(told.frame) > BEHIND {
                messages.push(json!({ "t": "behind", "frame": told.frame }));
                told.frame = frames;
            } else if frames > told.frame {
                chunk = Some(shelf.film.chunk(told.frame, (frames - told.frame) as usize));
                told.frame = frames;
            }
            if shelf.players.len() != told.players {
                told.players = shelf.players.len();
                messages.push(json!({ "t": "players", "players": shelf.players }));
            }
            if let Some(marks) = shelf.marks.get(told.marks..).filter(|marks| !marks.is_empty()) {
                messages.push(json!({ "t": "marks", "marks": marks }));
                told.marks = shelf.marks.len();
            }
            if let Some(lines) = shelf.lines.get(told.lines..).filter(|lines| !lines.is_empty()) {
                let lines = &lines[lines.len().saturating_sub(LINES_MAX)..];
                messages.push(json!({ "t": "journal", "lines": lines }));
                told.lines = shelf.lines.len();
            }
            if let Some(tuned) = shelf.tuned.get(told.tuned..).filter(|tuned| !tuned.is_empty()) {
                let changed: serde_json::Map<String, Value> =
                    tuned.iter().map(|one| (one.name.to_owned(), json!(one.value))).collect();
                messages.push(json!({ "t": "convars", "variables-changed": changed }));
                told.tuned = shelf.tuned.len();
            }
            if let Some(why) = shelf.over.as_ref().filter(|_| !told.is_over) {
                told.is_over = true;
                messages.push(json!({ "t": "over", "reason": why }));
            }
        }
        let pace = showing.controls.as_ref().map(|controls| controls.pace());
        if let Some(pace) = pace.filter(|_| pace != told.pace) {
            told.pace = Some(pace);
            messages.push(json!({ "t": "control", "paused": pace.paused, "speed": pace.speed }));
        }
        if let Some(chunk) = chunk {
            self.send(Message::Binary(chunk.into())).await?;
        }
        for message in messages {
            self.say(message).await?;
        }
        if let Some((frame, mind)) = self.selected.and_then(|bot| showing.minds.latest(bot))
            && frame != told.mind
        {
            told.mind = frame;
            self.send(Message::Text(format!("{{\"t\":\"mind\",\"mind\":{mind}}}").into())).await?;
        }
        Ok(())
    }

    fn hear(&mut self, heard: Option<Result<Message, axum::Error>>, showing: &Showing) -> Result<(), Gone> {
        let text = match heard {
            None => return Err(Gone),
            Some(Err(error)) => {
                // Whoever simply went is no reason for a line.
                let why = error.to_string();
                if why.contains("too long") || why.contains("too big") {
                    self.viewer.guard.refuse("a message that is too long", &why);
                }
                return Err(Gone);
            }
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_))) => return Err(Gone),
            Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => return Ok(()),
        };
        match serde_json::from_str(&text) {
            Ok(Said::Select { bot }) => {
                self.select(showing, bot);
            }
            Ok(Said::Rate { hz }) => self.hz = if hz.is_finite() { hz.clamp(0.5, 60.0) } else { RATE },
            // A newer page may say more than this server knows.
            Err(_) => {}
        }
        Ok(())
    }
}

/// What a page says.
#[derive(Debug, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
enum Said {
    Select { bot: Option<u16> },
    Rate { hz: f64 },
}

impl Drop for Client {
    fn drop(&mut self) {
        if let (Some(bot), Ok(showing)) = (self.selected.take(), self.viewer.showing()) {
            showing.minds.unselect(bot);
        }
    }
}
