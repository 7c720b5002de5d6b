//! Spots out of sight, for whoever gets away from somebody: `retreat`, `hide` and `blinded` choose theirs here.

use fireteam_terrain::{TravelTimes, WaypointId};

use super::View;

/// The nearest waypoint that is seen from none of these and is fit for it; of equally near ones the first.
pub(super) fn nearest_hidden(
    view: &View,
    foes: &[WaypointId],
    is_fit: impl Fn(WaypointId) -> bool,
) -> Option<WaypointId> {
    let row = view.field.terrain.times.row(view.here).iter().zip(0..);
    let hidden = row.filter(|(step, id)| {
        let id = WaypointId(*id);
        **step != TravelTimes::NEVER && is_hidden(view, foes, id) && is_fit(id)
    });
    hidden.min_by_key(|(step, id)| (**step, *id)).map(|(_, id)| WaypointId(id))
}

/// Whether a waypoint is seen from none of these, as is known from before.
pub(super) fn is_hidden(view: &View, foes: &[WaypointId], spot: WaypointId) -> bool {
    foes.iter().all(|foe| !view.field.terrain.sight.sees(*foe, spot))
}

/// Whether the bot gets there in less time than that, and before whoever would follow it from there.
pub(super) fn is_out_of_reach(view: &View, foe: WaypointId, to: WaypointId, within_ms: u32) -> bool {
    let theirs = view.field.terrain.times.about_ms(foe, to).unwrap_or(u32::MAX);
    view.travel_ms(to).is_some_and(|mine| mine < theirs && mine < within_ms)
}
