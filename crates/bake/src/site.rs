//! What a bake works on, and the names by which its results know it again.

use fireteam_terrain::{Ground, Provenance, Waypoints};
use fireteam_world::{Game, Map, Solids};

use crate::BakeSettings;

/// A map under a game's physics, with the settings to bake it by.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    pub map: &'a Map,
    pub game: &'a Game,
    pub settings: &'a BakeSettings,
    pub solids: &'a Solids,
}

impl Site<'_> {
    /// What the terrain is made from, as its file says it.
    pub fn provenance(&self) -> Provenance {
        Provenance {
            map_name: self.map.name.clone(),
            map: self.map.digest,
            physics: self.game.physics_digest(),
            settings: self.settings.digest(),
            overlay: 0,
        }
    }

    /// Names everything that units of later steps depend on. The ground and the waypoints are looked at too, so that units
    /// of a bake that placed them otherwise are never taken for this one's.
    pub(crate) fn inputs(&self, ground: &Ground, waypoints: &Waypoints) -> [u8; 32] {
        let Provenance { map, physics, settings, .. } = self.provenance();
        let mut hasher = blake3::Hasher::new();
        [map, physics, settings].iter().for_each(|digest| {
            hasher.update(digest);
        });
        for (origin, flags) in waypoints.origin.iter().zip(&waypoints.flags) {
            let words = origin.to_array().map(f32::to_bits).map(u32::to_le_bytes);
            hasher.update(words.as_flattened());
            hasher.update(&flags.0.to_le_bytes());
        }
        for span in &ground.spans {
            hasher.update(&span.feet.to_le_bytes());
            hasher.update(&span.waypoint.0.to_le_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}
