//! `/api/show`: what is on, and all that does not change while it is.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use fireteam::Arsenal;
use fireteam::arsenal::{ItemKindId, ThrowableId, WeaponId};
use fireteam_world::movement::Stance;
use fireteam_world::trace::Hull;
use serde_json::{Value, json};

use super::serve::Answer;
use super::{Showing, Viewer};

pub(crate) fn routes() -> Router<Arc<Viewer>> {
    Router::new().route("/api/show", get(show))
}

async fn show(State(viewer): State<Arc<Viewer>>) -> Answer<Json<Value>> {
    let showing = viewer.showing()?;
    Ok(Json(told(&showing, &viewer)))
}

pub(crate) fn told(showing: &Showing, viewer: &Viewer) -> Value {
    let field = &showing.chronicle.field;
    let rules = &field.game.rules.movement;
    let has_prone = rules.hull(Stance::Prone) != rules.hull(Stance::Crouched);
    let Can { control, tune, edit, fork, verify } = showing.can;
    json!({
        "id": showing.id,
        "kind": showing.kind.name(),
        "title": showing.title,
        "map": field.map.name,
        "game": field.game.name,
        "gametype": showing.gametype,
        "seed": showing.chronicle.head.seed,
        "frame_ms": field.game.rules.frame_ms,
        "bodies": {
            "standing": hull(rules.hull(Stance::Standing)),
            "crouched": hull(rules.hull(Stance::Crouched)),
            "prone": has_prone.then(|| hull(rules.hull(Stance::Prone))),
            "eye_standing": rules.body.standing_eye,
            "feet": -rules.body.feet,
        },
        "players": showing.chronicle.shelf().players,
        "weapons": weapons(&field.arsenal),
        "throwables": throwables(&field.arsenal),
        "items": items(&field.arsenal),
        "can": { "control": control, "tune": tune, "edit": edit, "fork": fork, "verify": verify },
        "url_base": viewer.url,
    })
}

/// What the page may do with what is on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Can {
    pub(crate) control: bool,
    pub(crate) tune: bool,
    pub(crate) edit: bool,
    pub(crate) fork: bool,
    pub(crate) verify: bool,
}

fn hull(hull: Hull) -> Value {
    json!({ "mins": hull.mins.to_array(), "maxs": hull.maxs.to_array() })
}

fn weapons(arsenal: &Arsenal) -> Vec<Value> {
    let ids = (0..arsenal.weapons.len() as u8).map(WeaponId);
    let is_thrown = |id: WeaponId| arsenal.grenades.iter().any(|(known, _)| *known == id);
    ids.map(|id| json!({ "id": id.0, "name": arsenal.weapon_name(id), "is_throwable": is_thrown(id) })).collect()
}

fn throwables(arsenal: &Arsenal) -> Vec<Value> {
    let ids = (0..arsenal.throwables.len() as u8).map(ThrowableId);
    let one = |id: ThrowableId| {
        let throwable = arsenal.throwable(id);
        let reach =
            throwable.blast.as_ref().map(|blast| blast.radius).or(throwable.cloud.as_ref().map(|cloud| cloud.radius));
        json!({ "id": id.0, "name": arsenal.throwable_name(id), "radius": reach })
    };
    ids.map(one).collect()
}

fn items(arsenal: &Arsenal) -> Vec<Value> {
    let ids = (0..arsenal.items.len() as u8).map(ItemKindId);
    ids.map(|id| {
        let name = arsenal.item_name(id);
        let class = format!("{:?}", arsenal.item(id).is).to_ascii_lowercase();
        json!({ "id": id.0, "name": name, "class": class })
    })
    .collect()
}
