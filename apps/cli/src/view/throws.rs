//! `/api/terrain/throws`, `/api/terrain/throw`: which grenades lead where, and one of them in every detail.
//!
//! Matches are played on terrains without throws as long as no bot throws; those with throws come out of the cache, or are
//! baked once, by one thread beside the match, while whoever asks is told to come again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use fireteam::Field;
use fireteam::arsenal::ThrowableId;
use fireteam_terrain::throws::Stored;
use fireteam_terrain::{Terrain, WaypointId};
use fireteam_world::throwing::Marks;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Viewer;
use super::ground::{place, waypoint};
use super::serve::{Answer, failed, refused, slowly};
use crate::bake::Watch;
use crate::exhibit::{Exhibit, Flight, Stage};
use crate::terrains;

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/terrain/throws", get(throws)).route("/api/terrain/throw", get(throw))
}

/// Threads that bake beside a match.
const THREADS: usize = 1;
/// Slower than this to arrive is the last rank.
const RANK_MS: i32 = 4000;

/// The terrain with throws, once somebody has asked for it.
#[derive(Debug, Default)]
pub(crate) struct Book {
    page: Mutex<Page>,
    /// By what is thrown.
    stages: Mutex<BTreeMap<String, Arc<Stage>>>,
}

#[derive(Debug, Default)]
enum Page {
    #[default]
    Unasked,
    Baking(Instant),
    There(Arc<Terrain>),
    Failed(String),
}

impl Book {
    fn page(&self) -> std::sync::MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The terrain, or word that it is being made.
    fn terrain(self: &Arc<Book>, field: &Arc<Field>) -> Answer<Arc<Terrain>> {
        if !field.terrain.throws.tables.is_empty() {
            return Ok(field.terrain.clone());
        }
        let mut page = self.page();
        match &*page {
            Page::There(terrain) => return Ok(terrain.clone()),
            Page::Failed(why) => return Err(failed(StatusCode::INTERNAL_SERVER_ERROR, why)),
            Page::Baking(_) => {}
            Page::Unasked => {
                *page = Page::Baking(Instant::now());
                let (book, field) = (self.clone(), field.clone());
                thread::spawn(move || book.bake(&field));
            }
        }
        let Page::Baking(since) = *page else { unreachable!("it was set above") };
        let why = format!("the throws of this map are being worked out, once: {} s so far", since.elapsed().as_secs());
        Err(failed(StatusCode::SERVICE_UNAVAILABLE, why))
    }

    fn bake(&self, field: &Field) {
        let baked = Watch::begin(1, true)
            .and_then(|watch| terrains::with_throws(&field.map, &field.game, Some(THREADS), &watch));
        *self.page() = match baked {
            Ok(terrain) if terrain.waypoints.origin == field.terrain.waypoints.origin => Page::There(Arc::new(terrain)),
            Ok(_) => Page::Failed("the terrain with throws has other waypoints than this match: it was edited".into()),
            Err(error) => Page::Failed(format!("{error:#}")),
        };
    }

    /// Everything to fly one kind of throw.
    fn stage(self: &Arc<Book>, field: &Arc<Field>, thrown: Option<&str>) -> Answer<Arc<Stage>> {
        let terrain = self.terrain(field)?;
        let name = thrown.map(|thrown| name_of(field, thrown)).transpose()?;
        let key = name.clone().unwrap_or_default();
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stage) = stages.get(&key) {
            return Ok(stage.clone());
        }
        let (map, game) = (field.map.as_ref().clone(), field.game.as_ref().clone());
        let stage = Stage::new(map, game, terrain.as_ref().clone(), name.as_deref());
        let stage = Arc::new(stage.map_err(|error| refused(format!("{error:#}")))?);
        stages.insert(key, stage.clone());
        Ok(stage)
    }
}

/// By number, as the show lists them, or by name.
fn name_of(field: &Field, thrown: &str) -> Answer<String> {
    let number = thrown.parse().ok().filter(|number| usize::from(*number) < field.arsenal.throwables.len());
    let known = number.or_else(|| field.arsenal.throwable_named(thrown).map(|id| id.0));
    let known = known.ok_or_else(|| refused(format!("nothing called {thrown} can be thrown here")))?;
    Ok(field.arsenal.throwable_name(ThrowableId(known)).to_owned())
}

#[derive(Debug, Deserialize)]
struct Ends {
    from: Option<u16>,
    to: Option<u16>,
    throwable: Option<String>,
}

async fn throws(State(viewer): State<Arc<Viewer>>, Query(asked): Query<Ends>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    slowly(move || {
        let stage = showing.book.stage(&showing.chronicle.field, asked.throwable.as_deref())?;
        let (terrain, table) = (&stage.terrain, stage.table());
        let row = |end: &str, (waypoint, stored): (WaypointId, Stored), has_door: bool| {
            let soon_ms = stored.arrives_within_ms().unwrap_or(RANK_MS).min(RANK_MS);
            json!({ end: waypoint.0, "rank": 1.0 - f64::from(soon_ms) / f64::from(RANK_MS), "flags": flags(&stored, has_door) })
        };
        // Whatever the doors do; which of them it needs is told with the throw itself.
        let is_open = |_| true;
        let answer = match (asked.from, asked.to) {
            (None, Some(to)) => {
                let at = waypoint(terrain, to)?;
                let needs_door = |from| !table.can_throw(from, at);
                let sources = table.sources(at, is_open).map(|one| row("from", one, needs_door(one.0)));
                json!({ "sources": sources.collect::<Vec<_>>() })
            }
            (Some(from), None) => {
                let from = waypoint(terrain, from)?;
                let needs_door = |at| !table.can_throw(from, at);
                let targets = table.targets(from, is_open).map(|one| row("to", one, needs_door(one.0)));
                json!({ "targets": targets.collect::<Vec<_>>() })
            }
            (Some(_), Some(_)) | (None, None) => return Err(refused("either from or to is wanted")),
        };
        Ok(Json(answer))
    })
    .await
}

fn flags(stored: &Stored, has_door: bool) -> Vec<&'static str> {
    let all = [
        (stored.is_crouched, "crouched"),
        (stored.cooking > 0, "held"),
        (stored.lies_long, "lies long"),
        (has_door, "door"),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word).collect()
}

#[derive(Debug, Deserialize)]
struct One {
    from: u16,
    to: u16,
    throwable: Option<String>,
}

async fn throw(State(viewer): State<Arc<Viewer>>, Query(asked): Query<One>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    slowly(move || {
        let stage = showing.book.stage(&showing.chronicle.field, asked.throwable.as_deref())?;
        let (from, to) = (waypoint(&stage.terrain, asked.from)?, waypoint(&stage.terrain, asked.to)?);
        let none = |why: &str| Ok(Json(json!({ "found": false, "reason": why })));
        if ![from, to].into_iter().all(|end| stage.terrain.waypoints.allows_grenades(end)) {
            return none("one of them is marked no-grenade");
        }
        let Some(pick) = stage.pick(from, to) else { return none("no throw from there does anything over there") };
        let crowd = stage.crowd(pick.door);
        Ok(Json(told(&stage, &stage.exhibit(pick, &crowd))))
    })
    .await
}

fn told(stage: &Stage, exhibit: &Exhibit) -> Value {
    let radius = stage.throwable().blast.as_ref().map_or(0.0, |blast| blast.radius);
    let marks = exhibit.verdict.marks.each();
    let each = marks.iter().zip(Marks::WEIGHTS);
    let mut score: Vec<Value> =
        each.map(|((name, value), weight)| json!({ "name": name, "value": round(*value), "weight": weight })).collect();
    let verdict = &exhibit.verdict;
    let sums = [("score", verdict.score), ("delivered", verdict.delivered), ("points", verdict.points)];
    score.extend(sums.map(|(name, value)| json!({ "name": name, "value": round(value), "weight": null })));
    let unsteady = exhibit.unsteady.iter().zip(exhibit.salvo.unsteady_own_points);
    let deviations: Vec<Value> = unsteady
        .map(|(flight, own)| {
            json!({ "path": path(flight), "ends": place(flight.ending.place), "damage": flight.points, "own": own })
        })
        .collect();
    let bounces: Vec<Value> = exhibit
        .steady
        .trajectory
        .bounces
        .iter()
        .map(|bounce| json!({ "place": place(bounce.point), "time": bounce.time.0 }))
        .collect();
    let tolerance = &exhibit.tolerance;
    json!({
        "found": true,
        "throwable": stage.throwable_name,
        "yaw": round(exhibit.throw.yaw),
        "pitch": round(exhibit.throw.pitch),
        "speed": round(exhibit.throw.speed),
        "fuse_ms": stage.throwable().fuse_ms - exhibit.throw.cooked_ms,
        "path": path(&exhibit.steady),
        "bounces": bounces,
        "ends": place(exhibit.steady.ending.place),
        "blast_radius": radius,
        "score": score,
        "deviations": deviations,
        "damage": exhibit.steady.points,
        "own_damage": exhibit.salvo.own_points,
        "flags": flags(&exhibit.pick.stored, exhibit.pick.door.is_some()),
        "eye": place(exhibit.eye),
        "sees_end": exhibit.sees_end,
        "tolerance": { "left": tolerance.left, "right": tolerance.right, "up": tolerance.up, "down": tolerance.down },
    })
}

fn round(number: f32) -> f64 {
    f64::from((number * 1000.0).round()) / 1000.0
}

fn path(flight: &Flight) -> Vec<[f64; 3]> {
    flight.trajectory.points.iter().map(|point| place(*point)).collect()
}
