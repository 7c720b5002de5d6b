//! A map that stands still, for grenades to be flown through: movers at rest, but for those that are said to be open.

use fireteam_terrain::{MoverId, MoverKind, Movers as Spots, Terrain, WaypointFlags, WaypointId};
use fireteam_world::flight::Air;
use fireteam_world::movement::Stance;
use fireteam_world::mover::Movers;
use fireteam_world::throwing::Stand;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Crowd, Game, Map, Placed, Scene, Solids};

/// Movers where they stand, to be looked at together with the map's solids.
pub(crate) struct Still {
    crowd: Crowd,
    shootable: Vec<EntityId>,
}

impl Still {
    /// Doors in `open` stand at their other end, and with them all of their team; what breaks and is in it is gone.
    pub(crate) fn of(map: &Map, game: &Game, solids: &Solids, spots: &Spots, open: &[MoverId]) -> Still {
        let moving = Movers::of(map, game, Time(0));
        let team = |entity: EntityId| map.entities.get(entity.index()).and_then(|entity| entity.get("team"));
        let is_open = |entity: EntityId| {
            let opened = open.iter().filter_map(|mover| spots.get(*mover));
            opened
                .into_iter()
                .any(|spot| spot.entity == entity || team(entity).is_some() && team(spot.entity) == team(entity))
        };
        let placed = moving.placed().iter().filter_map(|placed| {
            let spot = spots.of_entity(placed.entity).and_then(|mover| spots.get(mover));
            match spot.filter(|_| is_open(placed.entity)) {
                Some(spot) if spot.kind == MoverKind::Breakable => None,
                Some(spot) => Some(Placed { origin: placed.origin + spot.shift, ..*placed }),
                None => Some(*placed),
            }
        });
        let crowd = Crowd::of(solids, &placed.collect::<Vec<Placed>>(), &[]);
        Still { crowd, shootable: moving.shootable().collect() }
    }

    pub(crate) fn air<'a>(&'a self, solids: &'a Solids) -> Air<'a> {
        Air { scene: Scene { solids, crowd: &self.crowd }, shootable: &self.shootable }
    }
}

/// Somebody at a waypoint: crouched where nobody can stand.
pub(crate) fn stand_at(terrain: &Terrain, waypoint: WaypointId) -> Stand {
    let is_low = terrain.waypoints.flags[waypoint.index()].meets(WaypointFlags::CROUCH_ONLY);
    let stance = if is_low { Stance::Crouched } else { Stance::Standing };
    Stand { origin: terrain.waypoints.origin[waypoint.index()], stance }
}
