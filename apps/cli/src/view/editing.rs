//! `/api/edit`: the terrain edited by hand on the page, with the same words and the same file as `fireteam edit`.
//!
//! In: the whole list of edits, each time. Out: the terrain they make of the one that was baked, and what is wrong with it; kept
//! is nothing before it is saved, and then as the text overlay that every match from the next on merges. What is being
//! played goes on as it began. One list is tried at a time; a few may wait.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use fireteam::Field;
use fireteam_terrain::Terrain;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::serve::{Answer, failed, json_text, refused, slowly};
use super::{Showing, Viewer, ground};
use crate::edit::draft::{Draft, Site, Spoken};
use crate::edit::faults::{Links, faults};
use crate::{edit, terrains};

/// Lists of edits that may wait while one is tried.
const WAITING_MAX: usize = 4;

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/edit", get(kept).post(tried)).route("/api/edit/save", post(save))
}

/// Whose turn it is, and what the terrain was before anybody edited it.
#[derive(Debug)]
pub(crate) struct Table {
    turn: Semaphore,
    seats: Semaphore,
    baked: OnceLock<Arc<Terrain>>,
}

impl Default for Table {
    fn default() -> Table {
        Table { turn: Semaphore::new(1), seats: Semaphore::new(WAITING_MAX), baked: OnceLock::new() }
    }
}

#[derive(Debug, Deserialize)]
struct Wanted {
    edits: Vec<Spoken>,
}

/// What was saved for this map.
async fn kept(State(viewer): State<Arc<Viewer>>) -> Answer<Json<Value>> {
    at_table(&viewer, |bench| {
        let draft = bench.open()?;
        let terrain = bench.made_by(&draft)?;
        let found = faults(&bench.site(), &terrain, Links::ByHand);
        let edits = Draft::speak(&bench.baked, &draft.overlay);
        Ok(Json(json!({ "edits": edits, "faults": found, "path": bench.path.display().to_string() })))
    })
    .await
}

async fn tried(State(viewer): State<Arc<Viewer>>, Json(wanted): Json<Wanted>) -> Answer<Response> {
    at_table(&viewer, move |bench| {
        let draft = bench.draft(&wanted.edits)?;
        let terrain = bench.made_by(&draft)?;
        let found = faults(&bench.site(), &terrain, Links::ByHand);
        let told = ground::told(&terrain);
        Ok(json_text(json!({ "overlay": draft.overlay.to_string(), "terrain": told, "faults": found }).to_string()))
    })
    .await
}

async fn save(State(viewer): State<Arc<Viewer>>, Json(wanted): Json<Wanted>) -> Answer<Json<Value>> {
    at_table(&viewer, move |bench| {
        let draft = bench.draft(&wanted.edits)?;
        bench.made_by(&draft)?;
        // Whatever lies there and is no list of edits of this map stays.
        bench.open()?;
        edit::save(&bench.path, &draft.overlay)
            .map_err(|error| failed(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}")))?;
        Ok(Json(json!({ "path": bench.path.display().to_string() })))
    })
    .await
}

/// Does something with the terrain when it is its turn.
async fn at_table<T: Send + 'static>(
    viewer: &Viewer,
    work: impl FnOnce(&Bench) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let showing = viewer.showing()?;
    if !showing.can.edit {
        return Err(refused("the terrain of this match was not baked: there is nothing to edit"));
    }
    let busy = |_| failed(StatusCode::SERVICE_UNAVAILABLE, "too many edits are tried at once: ask again in a moment");
    let _seat = showing.table.seats.try_acquire().map_err(busy)?;
    let closed = |_| failed(StatusCode::SERVICE_UNAVAILABLE, "this match is over and gone");
    let _turn = showing.table.turn.acquire().await.map_err(closed)?;
    let shown = showing.clone();
    slowly(move || work(&Bench::of(&shown)?)).await
}

/// What edits are made to, and where they lie.
struct Bench {
    field: Arc<Field>,
    baked: Arc<Terrain>,
    path: PathBuf,
}

impl Bench {
    fn of(showing: &Showing) -> Answer<Bench> {
        let field = showing.chronicle.field.clone();
        let cannot = |error: anyhow::Error| failed(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}"));
        let baked = match showing.table.baked.get() {
            Some(baked) => baked.clone(),
            None => {
                let read = terrains::without_edits(&field).map_err(cannot)?;
                showing.table.baked.get_or_init(|| read).clone()
            }
        };
        let path = terrains::edits_path(&field.map).map_err(cannot)?;
        Ok(Bench { field, baked, path })
    }

    fn site(&self) -> Site<'_> {
        let Field { map, solids, game, .. } = &*self.field;
        Site { map, solids, game, baked: &self.baked }
    }

    fn open(&self) -> Answer<Draft> {
        edit::open(&self.path, &self.field.map, &self.baked).map_err(|error| refused(format!("{error:#}")))
    }

    fn draft(&self, edits: &[Spoken]) -> Answer<Draft> {
        Draft::spoken(&self.site(), edits).map_err(|error| refused(format!("{error:#}")))
    }

    fn made_by(&self, draft: &Draft) -> Answer<Terrain> {
        draft.terrain(&self.baked).map_err(|error| refused(format!("{error:#}")))
    }
}
