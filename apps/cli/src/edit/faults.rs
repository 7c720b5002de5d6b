//! What is wrong with a terrain that was edited by hand: each fault with its place, so that one can go and look.
//!
//! Looked at is what hands touched: waypoints in walls or in the air, links that nobody can walk or only in another way. Of
//! the whole terrain: waypoints without links, spawns and items that are not reached from every spawn. What the bake left so
//! is a warning, what edits made so is an error.

use fireteam_bake::mend::Mender;
use fireteam_terrain::overlay::Mended;
use fireteam_terrain::{LinkFlags, Terrain, WaypointFlags, WaypointId};
use fireteam_world::movement::Stance;
use fireteam_world::{Contents, Sweep, Vec3};
use serde::Serialize;

use super::draft::Site;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Fault {
    pub(crate) severity: Severity,
    pub(crate) text: String,
    pub(crate) waypoint: Option<u16>,
    pub(crate) place: Option<[f32; 3]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    Error,
    Warning,
}

/// A body this far above any ground hangs in the air.
const AIR: f32 = 64.0;

/// Which links are walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    ByHand,
    All,
}

pub(crate) fn faults(site: &Site<'_>, terrain: &Terrain, links: Links) -> Vec<Fault> {
    let mut faults = bodies(site, terrain);
    faults.extend(walks(site, terrain, links));
    faults.extend(reach(site, terrain));
    faults.sort_by_key(|fault| fault.severity == Severity::Warning);
    faults
}

fn fault(terrain: &Terrain, severity: Severity, waypoint: WaypointId, text: String) -> Fault {
    let place = terrain.waypoints.origin[waypoint.index()].to_array();
    Fault { severity, text, waypoint: Some(waypoint.0), place: Some(place) }
}

/// Whether a body fits where somebody put a waypoint.
fn bodies(site: &Site<'_>, terrain: &Terrain) -> Vec<Fault> {
    let mut faults = Vec::new();
    for id in terrain.waypoints.ids() {
        let (origin, flags) = (terrain.waypoints.origin[id.index()], terrain.waypoints.flags[id.index()]);
        if !flags.meets(WaypointFlags::BY_HAND) {
            continue;
        }
        let stance = if flags.meets(WaypointFlags::CROUCH_ONLY) { Stance::Crouched } else { Stance::Standing };
        let hull = site.game.rules.movement.hull(stance);
        let down = Sweep::hull(origin, origin - Vec3::Z * AIR, hull, Contents::MASK_BOT);
        let trace = site.solids.sweep(&down);
        let mut put = |text: &str| faults.push(fault(terrain, Severity::Error, id, format!("w{}: {text}", id.0)));
        if trace.start_solid {
            put("it stands in something solid: nobody can be there");
        } else if !trace.is_hit() && !flags.meets(WaypointFlags::SWIM | WaypointFlags::LADDER_END) {
            put("it hangs in the air: nobody can stand there");
        }
    }
    faults
}

fn walks(site: &Site<'_>, terrain: &Terrain, links: Links) -> Vec<Fault> {
    let mender = Mender::new(site.map, site.solids, site.game, terrain);
    let is_asked = |flags: LinkFlags| links == Links::All || flags.meets(LinkFlags::BY_HAND);
    let mut faults = Vec::new();
    for (from, link) in terrain.links.iter().filter(|(_, link)| is_asked(link.flags)) {
        let ends = format!("w{} to w{}", from.0, link.to.0);
        let severity = if link.flags.meets(LinkFlags::BY_HAND) { Severity::Error } else { Severity::Warning };
        match mender.walk_again(from, link) {
            Mended::Holds => {}
            Mended::By(other) => {
                let text =
                    format!("{ends}: it does not lead there as {}, but as {}", link.kind.name(), other.kind.name());
                faults.push(fault(terrain, Severity::Warning, from, text));
            }
            Mended::No => {
                let text = format!("{ends}: nobody gets there as {}", link.kind.name());
                faults.push(fault(terrain, severity, from, text));
            }
        }
    }
    faults
}

/// Who cannot be reached, and who cannot be left.
fn reach(site: &Site<'_>, terrain: &Terrain) -> Vec<Fault> {
    let mut faults = Vec::new();
    let count = terrain.waypoints.len();
    let mut is_linked = vec![false; count];
    for (from, link) in terrain.links.iter() {
        (is_linked[from.index()], is_linked[link.to.index()]) = (true, true);
    }
    let spawns = flagged(terrain, WaypointFlags::SPAWN);
    let lost = lost(terrain, &spawns);
    let lost_before = self::lost(site.baked, &flagged(site.baked, WaypointFlags::SPAWN));
    for id in terrain.waypoints.ids() {
        let flags = terrain.waypoints.flags[id.index()];
        let what = if flags.meets(WaypointFlags::SPAWN) { "a spawn" } else { "an item" };
        let matters = flags.meets(WaypointFlags::SPAWN | WaypointFlags::ITEM);
        if matters && lost[id.index()] {
            let was_so = lost_before.get(id.index()) == Some(&true);
            let severity = if was_so { Severity::Warning } else { Severity::Error };
            let text = format!("w{}: {what} is here, and no way leads here from some spawn", id.0);
            faults.push(fault(terrain, severity, id, text));
        } else if !is_linked[id.index()] {
            let is_removed = id.index() < site.baked.waypoints.len() && has_links(site.baked, id);
            if !is_removed {
                faults.push(fault(terrain, Severity::Warning, id, format!("w{}: no link leads here or away", id.0)));
            }
        }
    }
    faults
}

fn has_links(terrain: &Terrain, id: WaypointId) -> bool {
    terrain.links.iter().any(|(from, link)| from == id || link.to == id)
}

fn flagged(terrain: &Terrain, flag: WaypointFlags) -> Vec<WaypointId> {
    terrain.waypoints.ids().filter(|id| terrain.waypoints.flags[id.index()].meets(flag)).collect()
}

/// By waypoint, whether some spawn does not lead there.
fn lost(terrain: &Terrain, spawns: &[WaypointId]) -> Vec<bool> {
    let is_lost = |id: WaypointId| spawns.iter().any(|spawn| !terrain.islands.connect(*spawn, id));
    terrain.waypoints.ids().map(is_lost).collect()
}
