//! `/api/verify`: the honesty certificate of the match so far, by whoever asks for it.
//!
//! POST begins, GET asks how far it is, DELETE stops it. What is certified is the recording as it was when somebody asked.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use fireteam::recording::Recording;
use serde_json::{Map, Value};

use super::Viewer;
use super::chronicle::Chronicle;
use super::errand::{Errand, Number, Task};
use super::serve::{Answer, failed, refused};
use crate::reel;
use crate::verify::{Told, certify};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/verify", post(begin).get(ask).delete(stop))
}

async fn begin(State(viewer): State<Arc<Viewer>>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    if !showing.can.verify {
        return Err(refused("this recording lost its beginning: what its bots thought cannot be thought again"));
    }
    if showing.chronicle.shelf().film.len() == 0 {
        return Err(failed(StatusCode::SERVICE_UNAVAILABLE, "nothing has happened yet"));
    }
    let chronicle = showing.chronicle.clone();
    viewer.errands.send(Task::Verify, move |errand| certificate(&chronicle, errand)).map(Json)
}

async fn ask(State(viewer): State<Arc<Viewer>>, Query(Number { id }): Query<Number>) -> Answer<Json<Value>> {
    viewer.errands.ask(Task::Verify, id).map(Json)
}

async fn stop(State(viewer): State<Arc<Viewer>>, Query(Number { id }): Query<Number>) -> Answer<Json<Value>> {
    viewer.errands.stop(Task::Verify, id).map(Json)
}

fn certificate(chronicle: &Chronicle, errand: &Errand) -> Result<Map<String, Value>, String> {
    let told = |error: &dyn std::fmt::Display| format!("{error:#}");
    let bytes = chronicle.recording();
    let recording = Recording::read("the recording", &bytes).map_err(|error| told(&error))?;
    let names = reel::names(&recording).map_err(|error| told(&error))?;
    let total = reel::length(&recording).map_err(|error| told(&error))?;
    let go_on = |frames| errand.go_on(frames, total);
    let certificate = certify(&recording, chronicle.field.clone(), |_, _| {}, go_on).map_err(|error| told(&error))?;
    if !errand.is_wanted() {
        return Err(format!("stopped after {} of {total} frames: no certificate", certificate.rethought.frames));
    }
    let certificate = serde_json::to_value(Told::of(&recording, &certificate, &names)).map_err(|error| told(&error))?;
    Ok(Map::from_iter([("certificate".to_owned(), certificate)]))
}
