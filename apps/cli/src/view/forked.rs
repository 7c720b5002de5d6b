//! `/api/fork`: the moment forked, from any frame of a match of the embedded game.
//!
//! POST begins, GET asks how far it is, DELETE stops it. First both futures are played with the chance the match had: they
//! become films of the show, to be watched beside each other. Then both are played over as many seeds as asked for, on the
//! cores that are left, and compared (`fork`).

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use axum::extract::{Query, State};
use axum::routing::post;
use axum::{Json, Router};
use fireteam::recording::{Entry, Recording};
use fireteam_sim::fork::{Change, Minds, Moment};
use fireteam_world::units::EntityId;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::chronicle::Chronicle;
use super::errand::{Errand, Number, Task};
use super::serve::{Answer, refused};
use super::{Showing, Viewer};
use crate::fork::{Fork, SECONDS, SEEDS_MAX, SEEDS_MIN, spare_threads};

/// Films of futures that are kept; of more, the oldest go.
const FILMS_MAX: usize = 8;
/// What may be changed at once.
const CHANGES_MAX: usize = 64;

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/fork", post(begin).get(ask).delete(stop))
}

#[derive(Debug, Deserialize)]
struct Wanted {
    frame: u32,
    seconds: f64,
    #[serde(default)]
    set: BTreeMap<String, f64>,
    #[serde(default)]
    forbid: Vec<Ban>,
    #[serde(default)]
    seeds: u32,
}

#[derive(Debug, Deserialize)]
struct Ban {
    /// Everybody, without it.
    bot: Option<u16>,
    behaviour: String,
}

async fn begin(State(viewer): State<Arc<Viewer>>, Json(wanted): Json<Wanted>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    if !showing.can.fork {
        return Err(refused(
            "only a whole match of the embedded game can be forked: of any other only what was seen is known",
        ));
    }
    check(&wanted, &showing)?;
    // Minds that are at hand save thinking it all again; without them that is what is done.
    let bots = match wanted.frame.checked_sub(1) {
        Some(before) => showing.minds.bots_after(before).await.ok(),
        None => None,
    };
    viewer.errands.send(Task::Fork, move |errand| run(&showing, &wanted, bots, errand)).map(Json)
}

async fn ask(State(viewer): State<Arc<Viewer>>, Query(Number { id }): Query<Number>) -> Answer<Json<Value>> {
    viewer.errands.ask(Task::Fork, id).map(Json)
}

async fn stop(State(viewer): State<Arc<Viewer>>, Query(Number { id }): Query<Number>) -> Answer<Json<Value>> {
    viewer.errands.stop(Task::Fork, id).map(Json)
}

/// What can be said at once.
fn check(wanted: &Wanted, showing: &Showing) -> Answer<()> {
    let frames = showing.chronicle.shelf().film.len();
    if wanted.frame >= frames {
        return Err(refused(format!("there are {frames} frames, no frame {}", wanted.frame)));
    }
    if !SECONDS.contains(&wanted.seconds) {
        return Err(refused(format!("a future of {} to {} seconds is wanted", SECONDS.start(), SECONDS.end())));
    }
    if wanted.seeds > SEEDS_MAX || (1..SEEDS_MIN).contains(&wanted.seeds) {
        return Err(refused(format!("no seeds are wanted, or {SEEDS_MIN} to {SEEDS_MAX}")));
    }
    if wanted.set.len() + wanted.forbid.len() > CHANGES_MAX {
        return Err(refused(format!("at most {CHANGES_MAX} things can be changed at once")));
    }
    let mut convars = showing.convars();
    let bad = |bad: fireteam::convar::BadConVar| refused(bad.to_string());
    wanted.set.iter().try_for_each(|(name, value)| convars.set(name, &value.to_string())).map_err(bad)
}

fn run(showing: &Showing, wanted: &Wanted, bots: Minds, errand: &Errand) -> Result<Map<String, Value>, String> {
    let fork = split(showing, wanted, bots, errand)?;
    let of = 2 + 2 * u64::from(wanted.seeds);
    let mut numbers = Vec::new();
    for (moment, done) in [&fork.as_was, &fork.changed].into_iter().zip(1..) {
        let film = film(showing, moment, fork.frames, errand)?;
        numbers.push(shelve(showing, film));
        errand.go_on(done, of);
    }
    errand.tell_early("films", json!({ "as_was": numbers[0], "changed": numbers[1] }));
    if wanted.seeds == 0 {
        return Ok(Map::new());
    }
    let outcomes = fork.outcomes(spare_threads(), |done| errand.go_on(2 + done as u64, of));
    let outcomes = outcomes.ok_or("stopped before all futures were played")?;
    Ok(Map::from_iter([("outcomes".to_owned(), json!(outcomes))]))
}

/// The match at the moment, twice.
fn split(showing: &Showing, wanted: &Wanted, bots: Minds, errand: &Errand) -> Result<Fork, String> {
    let Chronicle { field, .. } = &*showing.chronicle;
    let bytes = showing.chronicle.recording();
    let recording = Recording::read("the recording", &bytes).map_err(|error| error.to_string())?;
    let go_on = |_| errand.is_wanted();
    let as_was = Moment::of(&recording, field, wanted.frame, bots, go_on).map_err(|error| error.to_string())?;
    let change = Change {
        set: wanted.set.iter().map(|(name, value)| (name.clone(), *value)).collect(),
        forbid: wanted.forbid.iter().map(|ban| (ban.bot.map(EntityId), ban.behaviour.clone())).collect(),
    };
    Fork::new(as_was, &change, wanted.seconds, wanted.seeds).map_err(|error| error.to_string())
}

/// A future with the chance the match had, as a film of its own.
fn film(showing: &Showing, moment: &Moment, frames: u32, errand: &Errand) -> Result<Arc<Chronicle>, String> {
    let film = Chronicle::blank(showing.chronicle.field.clone(), showing.chronicle.head.clone());
    for (entity, character) in moment.bots() {
        film.take(Entry::Join(entity, character.clone()), &[]);
    }
    film.take(Entry::Variables(Box::new(*moment.convars())), &[]);
    moment.play(None, frames, |shown, _, commands| {
        film.take(Entry::Frame(Box::new(shown.clone()), commands.to_vec()), &[]);
        errand.is_wanted()
    });
    film.finish("as far as was asked for");
    if errand.is_wanted() { Ok(Arc::new(film)) } else { Err("stopped before both futures were played".to_owned()) }
}

/// Puts a film beside the match; its number.
fn shelve(showing: &Showing, film: Arc<Chronicle>) -> u32 {
    let mut films = showing.films.lock().unwrap_or_else(PoisonError::into_inner);
    let number = films.last_key_value().map_or(1, |(last, _)| last + 1);
    films.insert(number, film);
    while films.len() > FILMS_MAX {
        films.pop_first();
    }
    number
}
