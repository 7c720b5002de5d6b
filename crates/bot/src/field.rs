//! Everything about a match that no bot changes: the map, its solids, its terrain, the game played on it.

use std::sync::Arc;

use fireteam_terrain::Terrain;
use fireteam_world::movement::Trigger;
use fireteam_world::solids::Fidelity;
use fireteam_world::trace::Bounds;
use fireteam_world::{Game, Map, Solids};

use crate::arsenal::Arsenal;

/// The field of play. Shared by all bots, and by whoever watches them.
#[derive(Debug)]
pub struct Field {
    pub map: Arc<Map>,
    pub solids: Arc<Solids>,
    /// What stops an eye: the solids without panes of glass.
    pub opaque: Arc<Solids>,
    pub terrain: Arc<Terrain>,
    pub game: Arc<Game>,
    pub arsenal: Arsenal,
    /// Jump pads, teleporters and harm, each with the box it acts in.
    pub triggers: Vec<(Bounds, Trigger)>,
    /// Links lead about most of the map: otherwise one has to explore.
    pub has_mesh: bool,
}

/// Why bots cannot play here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("the terrain was made from another map than {map}; bake it again")]
    OtherMap { map: String },
    #[error("the terrain was made for other physics than those of {game}; bake it again")]
    OtherPhysics { game: String },
    #[error("the terrain has no waypoints: nobody could walk anywhere on this map")]
    NoWaypoints,
}

impl Field {
    /// Puts a match together; refuses a terrain that belongs to another map or to other physics.
    pub fn new(map: Arc<Map>, solids: Arc<Solids>, terrain: Arc<Terrain>, game: Arc<Game>) -> Result<Field, Unfit> {
        if terrain.provenance.map != map.digest {
            return Err(Unfit::OtherMap { map: terrain.provenance.map_name.clone() });
        }
        if terrain.provenance.physics != game.physics_digest() {
            return Err(Unfit::OtherPhysics { game: game.name.clone() });
        }
        if terrain.waypoints.is_empty() {
            return Err(Unfit::NoWaypoints);
        }
        let triggers = Trigger::all_in(&map, &game.rules.movement);
        let triggers = triggers.into_iter().map(|trigger| (solids.placed_bounds(&trigger.place), trigger)).collect();
        let opaque = opaque(&map, &solids);
        let has_mesh = terrain.is_mesh();
        Ok(Field { arsenal: Arsenal::of(&game), map, solids, opaque, terrain, game, triggers, has_mesh })
    }

    /// The same field, traced without instructions that only some CPUs have: slower, equal to the bit.
    pub fn portable(self) -> Field {
        let plain = |solids: &Arc<Solids>| Arc::new(Solids::clone(solids).portable());
        Field { solids: plain(&self.solids), opaque: plain(&self.opaque), ..self }
    }
}

/// The same solids unless something in the map is solid and can be looked through, or the engine's tree forgot a brush:
/// a body falls through such a hole, but what is drawn there is a wall. The bake's sight is measured in the same.
fn opaque(map: &Map, solids: &Arc<Solids>) -> Arc<Solids> {
    let clear = map.without_glass();
    if clear.is_none() && solids.forgotten_count() == 0 {
        return solids.clone();
    }
    Arc::new(Solids::with_fidelity(clear.as_ref().unwrap_or(map), Fidelity::Geometry))
}
