//! `/api/film`, `/api/marks`, `/api/journal`, `/api/mind`, `/api/team`: what happened, and what was thought.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use fireteam::snapshot::Team;
use fireteam_world::units::EntityId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Viewer;
use super::film::FRAMES_MAX;
use super::serve::{Answer, bytes, json_text};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new()
        .route("/api/film", get(film))
        .route("/api/film/length", get(length))
        .route("/api/marks", get(marks))
        .route("/api/journal", get(journal))
        .route("/api/mind", get(mind))
        .route("/api/team", get(team))
}

#[derive(Debug, Deserialize)]
struct Whose {
    bot: u16,
    /// Without it, the last.
    frame: Option<u32>,
}

async fn mind(State(viewer): State<Arc<Viewer>>, Query(asked): Query<Whose>) -> Answer<Response> {
    let showing = viewer.showing()?;
    let frame = asked.frame.unwrap_or_else(|| showing.chronicle.shelf().thought.saturating_sub(1));
    Ok(json_text(showing.minds.ask(EntityId(asked.bot), frame).await?))
}

#[derive(Debug, Deserialize)]
struct Side {
    team: u8,
    frame: Option<u32>,
}

async fn team(State(viewer): State<Arc<Viewer>>, Query(asked): Query<Side>) -> Answer<Response> {
    let showing = viewer.showing()?;
    let frame = asked.frame.unwrap_or_else(|| showing.chronicle.shelf().thought.saturating_sub(1));
    Ok(json_text(showing.minds.ask_side(Team(asked.team), frame).await?))
}

#[derive(Debug, Deserialize)]
struct Stretch {
    #[serde(default)]
    from: u32,
    count: Option<usize>,
    film: Option<u32>,
}

async fn film(State(viewer): State<Arc<Viewer>>, Query(asked): Query<Stretch>) -> Answer<Response> {
    let chronicle = viewer.showing()?.chronicle(asked.film)?;
    let chunk = chronicle.shelf().film.chunk(asked.from, asked.count.unwrap_or(FRAMES_MAX));
    Ok(bytes(chunk))
}

async fn length(State(viewer): State<Arc<Viewer>>, Query(asked): Query<Stretch>) -> Answer<Json<Value>> {
    let chronicle = viewer.showing()?.chronicle(asked.film)?;
    let shelf = chronicle.shelf();
    let first_time = shelf.film.time(0).unwrap_or(0);
    Ok(Json(json!({ "frames": shelf.film.len(), "first_time": first_time, "is_growing": shelf.is_growing })))
}

async fn marks(State(viewer): State<Arc<Viewer>>, Query(asked): Query<Stretch>) -> Answer<Json<Value>> {
    let chronicle = viewer.showing()?.chronicle(asked.film)?;
    let shelf = chronicle.shelf();
    let marks = &shelf.marks[shelf.marks.partition_point(|mark| mark.frame < asked.from)..];
    Ok(Json(json!({ "marks": marks })))
}

#[derive(Debug, Deserialize)]
struct Lines {
    from: Option<i32>,
    to: Option<i32>,
    bot: Option<u16>,
    film: Option<u32>,
}

/// So many lines fit into an answer; the later ones are given.
const LINES_MAX: usize = 5000;

async fn journal(State(viewer): State<Arc<Viewer>>, Query(asked): Query<Lines>) -> Answer<Json<Value>> {
    let chronicle = viewer.showing()?.chronicle(asked.film)?;
    let shelf = chronicle.shelf();
    let (from, to) = (asked.from.unwrap_or(i32::MIN), asked.to.unwrap_or(i32::MAX));
    let first = shelf.lines.partition_point(|line| line.time < from);
    let within = shelf.lines[first..].iter().take_while(|line| line.time <= to);
    let lines: Vec<_> = within.filter(|line| asked.bot.is_none_or(|bot| bot == line.bot)).collect();
    let latest = &lines[lines.len().saturating_sub(LINES_MAX)..];
    Ok(Json(json!({ "lines": latest, "known_until": shelf.film.time(shelf.thought.saturating_sub(1)) })))
}
