//! `/api/terrain`: what is known of the ground, for the layers over the map.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use fireteam_terrain::{BitRows, SpanFlags, Terrain, Values, WaypointFlags, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::walker::Travel;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Viewer;
use super::serve::{Answer, bytes, json_text, refused};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new()
        .route("/api/terrain", get(terrain))
        .route("/api/terrain/grid", get(grid))
        .route("/api/terrain/sight", get(sight))
        .route("/api/terrain/travel", get(travel))
}

async fn terrain(State(viewer): State<Arc<Viewer>>) -> Answer<Response> {
    let showing = viewer.showing()?;
    let text = showing.terrain_text.get_or_init(|| told(&showing.chronicle.field.terrain).to_string().into());
    Ok(json_text(text.clone()))
}

/// A terrain as the page wants it.
pub(crate) fn told(terrain: &Terrain) -> Value {
    json!({
        "hash": hash(terrain),
        "waypoints": waypoints(terrain),
        "flag_names": flag_names(),
        "links": links(terrain),
        "link_kinds": Travel::ALL.map(Travel::name),
        "areas": areas(terrain),
        "portals": portals(terrain),
        "hiding": hiding(terrain),
        "values": values(terrain),
    })
}

/// Names the terrain: what it was made from, by whom, and what was edited.
fn hash(terrain: &Terrain) -> String {
    let made = &terrain.provenance;
    let short = |digest: &[u8; 32]| digest[..4].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("{}-{}-{}-{:08x}", short(&made.map), short(&made.physics), short(&made.settings), made.overlay)
}

/// Tenths are finer than anybody sees.
pub(crate) fn place(place: Vec3) -> [f64; 3] {
    place.to_array().map(|along| f64::from((along * 10.0).round()) / 10.0)
}

fn share(byte: u8) -> f64 {
    (f64::from(byte) / 255.0 * 1000.0).round() / 1000.0
}

fn waypoints(terrain: &Terrain) -> Value {
    let all = &terrain.waypoints;
    let area = |id: WaypointId| terrain.areas.of_waypoint.get(id.index()).and_then(|area| area.get());
    let areas: Vec<i32> = all.ids().map(|id| area(id).map_or(-1, |area| i32::from(area.0))).collect();
    let column = |column: &[u8]| column.iter().map(|byte| share(*byte)).collect::<Vec<f64>>();
    json!({
        "origin": all.origin.iter().map(|origin| place(*origin)).collect::<Vec<_>>(),
        "flags": all.flags.iter().map(|flags| flags.0).collect::<Vec<_>>(),
        "area": areas,
        "value": strength(&terrain.values),
        "exposure": column(&terrain.values.exposure),
    })
}

/// One number for how strong a spot is: it overlooks much and is seen by few, with cover near.
fn strength(values: &Values) -> Vec<f64> {
    let part = |column: &[u8], index: usize| column.get(index).map_or(0.0, |byte| share(*byte));
    let one = |index: usize| {
        let good = part(&values.overlooks, index) + part(&values.cover, index) + part(&values.height, index);
        let bad = part(&values.exposure, index);
        ((good / 3.0 + 1.0 - bad) / 2.0 * 1000.0).round() / 1000.0
    };
    (0..values.overlooks.len()).map(one).collect()
}

fn flag_names() -> Vec<&'static str> {
    let bits = (0..u16::BITS).map(|bit| WaypointFlags(1 << bit));
    bits.map(|bit| bit.words().next().unwrap_or("")).collect()
}

fn links(terrain: &Terrain) -> Value {
    let all: Vec<_> = terrain.links.iter().collect();
    json!({
        "from": all.iter().map(|(from, _)| from.0).collect::<Vec<_>>(),
        "to": all.iter().map(|(_, link)| link.to.0).collect::<Vec<_>>(),
        "kind": all.iter().map(|(_, link)| link.kind as u8).collect::<Vec<_>>(),
        "ms": all.iter().map(|(_, link)| link.time_ms).collect::<Vec<_>>(),
        "trust": all.iter().map(|(_, link)| share(link.trust)).collect::<Vec<_>>(),
    })
}

fn areas(terrain: &Terrain) -> Vec<Value> {
    let mut within: Vec<Vec<usize>> = vec![Vec::new(); terrain.areas.areas.len()];
    for (waypoint, area) in terrain.areas.of_waypoint.iter().enumerate() {
        if let Some(list) = area.get().and_then(|area| within.get_mut(area.index())) {
            list.push(waypoint);
        }
    }
    let each = terrain.areas.areas.iter().zip(within).enumerate();
    each.map(|(id, (area, waypoints))| json!({ "id": id, "class": area.class.word(), "waypoints": waypoints }))
        .collect()
}

fn portals(terrain: &Terrain) -> Vec<Value> {
    let one = |portal: &fireteam_terrain::Portal| {
        let [a, b] = portal.areas.map(|area| area.0);
        json!({ "a": a, "b": b, "kind": portal.kind.word(), "place": place(portal.centre), "width": portal.width, "height": portal.height })
    };
    terrain.portals.portals.iter().map(one).collect()
}

fn hiding(terrain: &Terrain) -> Vec<Value> {
    let one = |spot: &fireteam_terrain::HidingSpot| json!({ "waypoint": spot.waypoint.0, "place": place(spot.origin), "covered": spot.crouched.0, "standing": spot.standing.0 });
    terrain.hiding.spots.iter().map(one).collect()
}

fn values(terrain: &Terrain) -> Map<String, Value> {
    let columns = Values::NAMES.into_iter().zip(terrain.values.columns());
    columns
        .map(|(name, column)| (name.to_owned(), json!(column.iter().map(|byte| share(*byte)).collect::<Vec<_>>())))
        .collect()
}

const LEDGE: u8 = 1;
const LIQUID: u8 = 2;
const HARM: u8 = 4;
const CROUCH: u8 = 8;
const LADDER: u8 = 16;

async fn grid(State(viewer): State<Arc<Viewer>>) -> Answer<Response> {
    let showing = viewer.showing()?;
    let ground = &showing.chronicle.field.terrain.ground;
    let mut out = Vec::with_capacity(16 + ground.spans.len() * 16);
    out.extend_from_slice(b"FTGRID1\0");
    out.extend_from_slice(&ground.cell.to_le_bytes());
    out.extend_from_slice(&(ground.spans.len() as u32).to_le_bytes());
    for column in 0..ground.columns() {
        let centre = ground.centre(column);
        for span in ground.column(column) {
            [centre.x, centre.y, f32::from(span.feet)].iter().for_each(|along| out.extend(along.to_le_bytes()));
            out.extend(span.waypoint.0.to_le_bytes());
            let bits = [
                (SpanFlags::LEDGE, LEDGE),
                (SpanFlags(SpanFlags::LIQUID.0 | SpanFlags::SWIM.0), LIQUID),
                (SpanFlags::HARM, HARM),
                (SpanFlags::LADDER, LADDER),
            ];
            let told = bits.iter().filter(|(flag, _)| span.flags.meets(*flag)).fold(0, |bits, (_, bit)| bits | bit);
            let is_low = span.flags.meets(SpanFlags::CROUCH) && !span.flags.meets(SpanFlags::STAND);
            out.extend([told | if is_low { CROUCH } else { 0 }, 0]);
        }
    }
    Ok(bytes(out))
}

#[derive(Debug, Deserialize)]
struct From {
    from: u16,
}

/// A waypoint that is there.
pub(crate) fn waypoint(terrain: &Terrain, number: u16) -> Answer<WaypointId> {
    let count = terrain.waypoints.len();
    let is_there = usize::from(number) < count;
    is_there.then_some(WaypointId(number)).ok_or_else(|| refused(format!("there are {count} waypoints, no {number}")))
}

async fn sight(State(viewer): State<Arc<Viewer>>, Query(asked): Query<From>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    let terrain = &showing.chronicle.field.terrain;
    let from = waypoint(terrain, asked.from)?;
    let row = |rows: &BitRows| (0..rows.size()).filter(|to| rows.get(from.index(), *to)).collect::<Vec<_>>();
    Ok(Json(json!({ "standing": row(&terrain.sight.standing), "crouched": row(&terrain.sight.crouched) })))
}

async fn travel(State(viewer): State<Arc<Viewer>>, Query(asked): Query<From>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    let terrain = &showing.chronicle.field.terrain;
    let from = waypoint(terrain, asked.from)?;
    let times: Vec<Option<u32>> = terrain.waypoints.ids().map(|to| terrain.times.about_ms(from, to)).collect();
    Ok(Json(json!({ "ms": times })))
}
