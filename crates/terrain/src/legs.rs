//! From a link to the leg that a walker walks.

use fireteam_world::walker::{Leg, Opener, Travel};
use glam::Vec3;

use crate::Terrain;
use crate::ids::{LinkId, WaypointId};
use crate::links::Link;
use crate::movers::{MoverSpot, Movers, OpensBy};
use crate::waypoints::Waypoints;

impl Terrain {
    /// What a walker needs to know to take this link.
    pub fn leg(&self, id: LinkId) -> Leg {
        leg(&self.waypoints, &self.movers, self.links.start_of(id), &self.links.links[id.index()])
    }
}

/// The same, before there is a terrain.
pub fn leg(waypoints: &Waypoints, movers: &Movers, from: WaypointId, link: &Link) -> Leg {
    let origin = waypoints.origin[from.index()];
    let mover = movers.get(link.mover);
    let opener = movers.get(link.opener).map(|spot| Opener {
        stand: spot.stand,
        aim: spot.aim,
        is_shot: spot.opens_by == OpensBy::Shot,
    });
    Leg {
        from: origin,
        to: waypoints.origin[link.to.index()],
        travel: link.kind,
        via: mover.and_then(|spot| via(spot, link.kind, origin)),
        mover: mover.map(|spot| spot.entity),
        opener,
        time_ms: i32::from(link.time_ms),
    }
}

/// Where a mover is stepped on by who comes from `origin`: at the nearer of its two ends.
fn via(spot: &MoverSpot, kind: Travel, origin: Vec3) -> Option<Vec3> {
    match kind {
        Travel::Push | Travel::Teleport => Some(spot.stand),
        Travel::Lift | Travel::Train => {
            let far = spot.stand + spot.shift;
            let is_far = (far - origin).length() < (spot.stand - origin).length();
            Some(if is_far { far } else { spot.stand })
        }
        Travel::Walk
        | Travel::Crouch
        | Travel::Drop
        | Travel::Jump
        | Travel::StrafeJump
        | Travel::Swim
        | Travel::WaterExit
        | Travel::Ladder
        | Travel::Door
        | Travel::ButtonDoor
        | Travel::KeyDoor => None,
    }
}
