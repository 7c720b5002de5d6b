//! `/api/stats`, `/api/stats.csv`: what the match has come to so far, counted as its film was made.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use fireteam_world::units::EntityId;

use super::serve::Answer;
use super::{Showing, Viewer};
use crate::play::Names;
use crate::stats::Told;

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/stats", get(stats)).route("/api/stats.csv", get(table))
}

async fn stats(State(viewer): State<Arc<Viewer>>) -> Answer<Json<Told>> {
    Ok(Json(counted(&*viewer.showing()?)))
}

async fn table(State(viewer): State<Arc<Viewer>>) -> Answer<Response> {
    let text = counted(&*viewer.showing()?).csv();
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], text).into_response())
}

fn counted(showing: &Showing) -> Told {
    let (stats, names) = {
        let shelf = showing.chronicle.shelf();
        let named = shelf.players.iter().map(|player| (EntityId(player.id), player.name.clone()));
        (shelf.stats.clone(), Names::of_characters(named))
    };
    // Words are found without the lock, so that nobody waits for them.
    Told::of(&stats, &names, &showing.title)
}
