//! `/api/convars`: every variable of the bots, set while they play.
//!
//! What is set holds from the next frame on and stands in the recording from there, as if a server's console had set it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use fireteam::ConVars;
use fireteam::convar::Listing;
use serde::Deserialize;
use serde_json::{Value, json};

use super::serve::{Answer, failed, refused};
use super::{Showing, Viewer};
use crate::{convars, output};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/convars", get(listed).post(set)).route("/api/convars/save", post(save))
}

async fn listed(State(viewer): State<Arc<Viewer>>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    Ok(Json(told(&showing, &showing.convars())))
}

fn told(showing: &Showing, convars: &ConVars) -> Value {
    let one = |listing: &Listing| {
        let help: Vec<&str> = listing.help.lines().map(str::trim).collect();
        // As they were written: doubles would show what single numbers leave out.
        let plain = |number: f64| (number as f32).to_string().parse().unwrap_or(number);
        json!({
            "name": listing.name,
            "help": help.join(" "),
            "default": plain(listing.default),
            "min": plain(listing.min),
            "max": plain(listing.max),
            "is_whole": listing.is_whole,
            "value": plain(convars.get(listing.name).unwrap_or(listing.default)),
            "group": listing.name.split_once('_').map_or(listing.name, |(group, _)| group),
        })
    };
    let variables: Vec<Value> = ConVars::LISTINGS.iter().map(one).collect();
    json!({ "variables": variables, "history": showing.chronicle.shelf().tuned })
}

#[derive(Debug, Deserialize)]
struct Wanted {
    #[serde(default)]
    set: BTreeMap<String, f64>,
    reset: Option<Reset>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reset {
    Some(Vec<String>),
    All(String),
}

async fn set(State(viewer): State<Arc<Viewer>>, Json(wanted): Json<Wanted>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    let controls = showing.controls.as_ref().filter(|_| showing.can.tune);
    let controls = controls.ok_or_else(|| refused("what is recorded was thought with the variables it has"))?;
    let convars = changed(showing.convars(), &wanted).map_err(refused)?;
    showing.set_convars(convars);
    controls.set_convars(convars);
    showing.chronicle.announce();
    Ok(Json(told(&showing, &convars)))
}

/// All of it or nothing.
fn changed(mut convars: ConVars, wanted: &Wanted) -> Result<ConVars, String> {
    let default = ConVars::default();
    match &wanted.reset {
        Some(Reset::All(all)) if all == "all" => convars = default,
        Some(Reset::All(other)) => return Err(format!("`{other}` is neither \"all\" nor a list of variables")),
        Some(Reset::Some(names)) => {
            for name in names {
                let value = default.get(name).ok_or_else(|| format!("there is no variable `{name}`"))?;
                convars.set(name, &(value as f32).to_string()).map_err(|bad| bad.to_string())?;
            }
        }
        None => {}
    }
    for (name, value) in &wanted.set {
        convars.set(name, &value.to_string()).map_err(|bad| bad.to_string())?;
    }
    Ok(convars)
}

#[derive(Debug, Deserialize)]
struct Name {
    name: String,
}

/// Beside where the command was given, under a plain name: nothing else on this machine is written to.
async fn save(State(viewer): State<Arc<Viewer>>, Json(Name { name }): Json<Name>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    let path = plain_file(&name)?;
    if path.exists() && convars::read(&path, "").is_err() {
        return Err(refused(format!("{name} is there already, and is no file of variables: choose another name")));
    }
    let text = showing.convars().to_text();
    output::write_whole(&path, text.as_bytes())
        .map_err(|error| failed(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}")))?;
    Ok(Json(json!({ "path": path.display().to_string() })))
}

/// A file in the folder where the command was given: letters, digits, `-`, `_` and `.`, not beginning with a dot.
pub(crate) fn plain_file(name: &str) -> Answer<std::path::PathBuf> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let fits = (1..=80).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with('.');
    fits.then(|| name.into()).ok_or_else(|| refused("a plain file name is wanted: letters, digits, -, _ and ."))
}
