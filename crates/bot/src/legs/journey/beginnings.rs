//! Where a way begins: at a waypoint that can be walked to, or first of all out of where one has got to.
//!
//! In: where the body stands and where it wants to. Out: the waypoint that a search begins from, or legs that lead somewhere from
//! which to look again: into a teleporter, down an edge, round a corner (`round`), back onto the mesh (`back`).

use fireteam_terrain::{Near, NearBy, WaypointFlags, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::movement::{Ground, Stance, TriggerAction};
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::{Scene, Sweep};
use fireteam_world::walker::{Leg, Travel};

use super::{ARM, Journey, STRAIGHT};
use crate::legs::back::{Lost, is_off_mesh, way_back};
use crate::legs::careful::turned;
use crate::legs::feelers::Reached;
use crate::legs::footing::{is_walkable, is_walkable_but_for_people};
use crate::legs::round::{Round, is_in_reach, way_round};
use crate::legs::{Walk, flat};

/// A waypoint so near aside, and so far below, is straight below.
const BELOW: f32 = 40.0;
const TOP: f32 = 40.0;
/// Edges are looked for in these directions and so far; one drops off them no deeper than this, rather towards the goal.
const EDGES: [f32; 8] = [0.0, 45.0, 90.0, 135.0, 180.0, -135.0, -90.0, -45.0];
const EDGE_REACH: [f32; 4] = [32.0, 64.0, 96.0, 128.0];
const EDGE_DROP: f32 = 240.0;
const EDGE_TOWARDS: f32 = 24.0;
/// So far one goes out of a lift's way.
const REFUGE: f32 = 256.0;

impl Journey {
    /// Who stands where the mesh knows nothing gets back to it; who ran against a wall where no waypoint can be walked to straight
    /// goes round by a corner, or anywhere else that he sees floor. From there he looks again.
    pub(super) fn get_clear(&mut self, walk: &Walk, goal: WaypointId, chance: &mut Pcg) -> bool {
        let owner = walk.field.terrain.underfoot(walk.body().origin);
        self.is_cut_off |= owner.is_some() && owner == self.unreached;
        if is_off_mesh(walk, self.is_cut_off) && self.go_back(walk, goal, chance) {
            return true;
        }
        self.is_cut_off && !is_in_reach(walk, goal) && (self.go_round(walk, goal) || self.go_back(walk, goal, chance))
    }

    pub(super) fn go_round(&mut self, walk: &Walk, goal: WaypointId) -> bool {
        let Some(Round { corner, waypoint }) = way_round(walk, goal) else { return false };
        self.legs.push(self.unproved(walk.body().origin, corner, Travel::Walk));
        let place = walk.field.terrain.waypoints.origin[waypoint.index()];
        self.legs.push(self.unproved(corner, place, Travel::Walk));
        self.approach = self.legs.len();
        self.leads_out = true;
        self.begin_legs();
        true
    }

    pub(super) fn go_back(&mut self, walk: &Walk, goal: WaypointId, chance: &mut Pcg) -> bool {
        let origin = walk.body().origin;
        let lost = Lost { goal, unreached: self.unreached, looked_from: self.looked_from };
        let Some(Reached { place, beyond }) = way_back(walk, &lost, chance) else { return false };
        if place == origin && beyond.is_none() {
            return false;
        }
        self.looked_from = Some(origin);
        if place != origin {
            self.legs.push(self.unproved(origin, place, Travel::Walk));
        }
        if let Some((end, travel)) = beyond {
            self.legs.push(self.unproved(place, end, travel));
        }
        self.approach = self.legs.len();
        (self.leads_out, self.leads_back) = (true, true);
        self.begin_legs();
        true
    }

    /// Out of where no links lead on: into a teleporter that can be walked to, wherever that goes.
    pub(super) fn way_out(&self, walk: &Walk, goal: WaypointId) -> Option<Leg> {
        let terrain = &walk.field.terrain;
        let origin = walk.body().origin;
        if terrain.islands.connect(terrain.nearest(origin)?.waypoint, goal) {
            return None;
        }
        let bare = Scene::of(&walk.field.solids);
        let exits = walk.field.triggers.iter().filter_map(|(bounds, trigger)| {
            let TriggerAction::Teleport { origin: to, .. } = trigger.action else { return None };
            let nearest = origin.clamp(bounds.mins, bounds.maxs);
            let via = nearest.with_z(origin.z);
            let is_level = (nearest.z - origin.z).abs() < ARM;
            (is_level && is_walkable(walk, &bare, origin, via)).then_some((via, to))
        });
        let (via, to) = exits.min_by(|a, b| a.0.distance(origin).total_cmp(&b.0.distance(origin)))?;
        Some(Leg { via: Some(via), ..self.unproved(origin, to, Travel::Teleport) })
    }

    /// Off the top of something whose nearest waypoint is straight below, where no ground that is known leads: over the edge that is
    /// nearest to where one wants to go.
    pub(super) fn way_down(&self, walk: &Walk, goal: WaypointId) -> Option<Leg> {
        let terrain = &walk.field.terrain;
        let origin = walk.body().origin;
        let near = terrain.nearest_towards(origin, goal)?.waypoint;
        let way = terrain.waypoints.origin[near.index()] - origin;
        if flat(way).length() > BELOW || way.z > -TOP {
            return None;
        }
        let rules = &walk.field.game.rules.movement;
        let hull = rules.hull(Stance::Standing);
        let bare = Scene::of(&walk.field.solids);
        let mask = walk.setting().mask;
        let towards = flat(terrain.waypoints.origin[goal.index()] - origin).normalize_or_zero();
        let edges = EDGES.into_iter().flat_map(|degrees| EDGE_REACH.map(|reach| (turned(Vec3::X, degrees), reach)));
        let landed = edges.filter_map(|(along, reach)| {
            let over = origin + along * reach;
            let lands = bare.sweep(&Sweep::hull(over, over - Vec3::Z * EDGE_DROP, hull, mask), None);
            let is_free = bare.is_clear(&Sweep::hull(origin, over, hull, mask), None);
            let is_below = lands.is_hit() && !lands.start_solid && origin.z - lands.end.z > TOP * 0.5;
            (is_free && is_below).then_some((reach - along.dot(towards) * EDGE_TOWARDS, lands.end))
        });
        let (_, to) = landed.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(self.unproved(origin, to, Travel::Drop))
    }

    /// The waypoint from which the way to another is asked: the nearest. Who stands where a lift comes down, and not on the
    /// lift, begins beside it: it will not come while he stands there. Who could not get to the nearest begins at one that
    /// he can walk to.
    pub(super) fn beginning(&self, walk: &Walk, goal: WaypointId) -> Option<WaypointId> {
        let terrain = &walk.field.terrain;
        let body = walk.body();
        let usual = terrain.nearest_towards(body.origin, goal)?.waypoint;
        let is_carried = matches!(body.ground, Ground::Floor { entity: Some(_), .. });
        let is_on_mover = |id: WaypointId| terrain.waypoints.flags[id.index()].meets(WaypointFlags::ON_MOVER);
        let is_in_shaft = !is_carried && is_on_mover(usual);
        if !is_in_shaft && !self.is_cut_off {
            return Some(usual);
        }
        let refuge = |is_open: &dyn Fn(Vec3) -> bool| {
            let (mut refuge, mut nearest) = (None, REFUGE * REFUGE);
            for (id, place) in terrain.waypoints.ids().zip(&terrain.waypoints.origin) {
                let distance = place.distance_squared(body.origin);
                if distance < nearest && !is_on_mover(id) && terrain.islands.connect(id, goal) && is_open(*place) {
                    (refuge, nearest) = (Some(id), distance);
                }
            }
            refuge
        };
        let free = refuge(&|place| is_walkable(walk, walk.scene, body.origin, place));
        // Those who wait for the lift crowd its mouth. Who stays under it on their account keeps it up, and all wait for it.
        let crowded = || refuge(&|place| is_walkable_but_for_people(walk, body.origin, place));
        Some(free.or_else(|| if is_in_shaft { crowded() } else { None }).unwrap_or(usual))
    }
}

/// He stands where links lead on, but none to there, nor is anything near from which they do: who has dropped down somewhere
/// since he chose his goal has to want something else. The nearest waypoint that leads there may be at the other end of the
/// map, with all its walls in between. Who stands off the mesh goes straight for it all the same: he may be on a ledge.
pub(super) fn is_marooned(walk: &Walk, goal: WaypointId) -> bool {
    let terrain = &walk.field.terrain;
    let origin = walk.body().origin;
    let is_on_mesh = |near: &Near| near.by == NearBy::Ground && terrain.links.ids_from(near.waypoint).next().is_some();
    terrain.nearest(origin).is_some_and(|near| is_on_mesh(&near) && !terrain.islands.connect(near.waypoint, goal))
        && terrain.nearest_towards(origin, goal).is_some_and(|near| near.distance > STRAIGHT)
}
