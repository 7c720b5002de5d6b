//! `/api/control`, `/api/profile`: how the match goes on, and where its time goes.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Viewer;
use super::serve::{Answer, refused};
use super::stage::{Pace, SPEEDS};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/control", post(control)).route("/api/profile", get(profile).post(set_profile))
}

/// Frames that may be stepped at once.
const STEPS_MAX: u32 = 10_000;

#[derive(Debug, Deserialize)]
struct Wanted {
    pause: Option<bool>,
    speed: Option<f64>,
    step: Option<u32>,
    restart: Option<Restart>,
}

#[derive(Debug, Deserialize)]
struct Restart {
    seed: Option<u64>,
}

async fn control(State(viewer): State<Arc<Viewer>>, Json(wanted): Json<Wanted>) -> Answer<Json<Pace>> {
    let showing = viewer.showing()?;
    let controls = showing.controls.as_ref().filter(|_| showing.can.control);
    let controls = controls.ok_or_else(|| refused("nothing is played here that could be paused: it is a recording"))?;
    if let Some(speed) = wanted.speed {
        if !SPEEDS.contains(&speed) {
            return Err(refused(format!("a speed from {} to {} is wanted", SPEEDS.start(), SPEEDS.end())));
        }
        controls.set_speed(speed);
    }
    if let Some(is_paused) = wanted.pause {
        controls.pause(is_paused);
    }
    if let Some(frames) = wanted.step {
        controls.step(frames.min(STEPS_MAX));
    }
    if let Some(restart) = wanted.restart {
        controls.play_again(restart.seed);
    }
    showing.chronicle.announce();
    Ok(Json(controls.pace()))
}

async fn profile(State(viewer): State<Arc<Viewer>>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    let Some(controls) = &showing.controls else {
        return Ok(Json(json!({ "scopes": [], "frames": { "ms": [] }, "on": false })));
    };
    let is_on = controls.is_profiled();
    let costs = controls.costs();
    Ok(Json(json!({ "scopes": costs.scopes, "frames": { "ms": costs.frames_ms }, "on": is_on })))
}

#[derive(Debug, Deserialize)]
struct Profiling {
    on: bool,
}

async fn set_profile(State(viewer): State<Arc<Viewer>>, Json(wanted): Json<Profiling>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    let controls = showing.controls.as_ref();
    let controls = controls.ok_or_else(|| refused("a recording costs nothing: there is nothing to measure"))?;
    controls.set_profiled(wanted.on);
    profile(State(viewer)).await
}
