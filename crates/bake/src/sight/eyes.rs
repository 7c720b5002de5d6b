//! Where eyes and bodies are at each waypoint, and what an eye cannot look through.

use fireteam_terrain::{BitRows, WaypointFlags, WaypointId, Waypoints};
use fireteam_world::movement::Stance;
use fireteam_world::solids::Fidelity;
use fireteam_world::{Contents, Map, Solids, Vec3};

use crate::Site;

/// The eyes of players at all waypoints.
#[derive(Debug)]
pub(crate) struct Eyes<'a> {
    map: &'a Map,
    /// What is in an eye's way. Every brush all through: where the engine's tree has forgotten one, a body falls through
    /// the hole, but what is drawn there is a wall.
    pub(crate) solids: Solids,
    /// Eyes of a player who stands there, or crouches where nobody can stand.
    pub(crate) standing: Vec<Vec3>,
    /// The middle of a crouched body.
    pub(crate) crouched: Vec<Vec3>,
    pub(crate) standing_cluster: Vec<i32>,
    pub(crate) crouched_cluster: Vec<i32>,
    /// All waypoints so that neighbours follow each other; a place in it is a waypoint's rank.
    pub(crate) order: Vec<WaypointId>,
}

impl<'a> Eyes<'a> {
    /// What an eye cannot look through, glass aside.
    pub(crate) const MASK: Contents = Contents::MASK_OPAQUE;

    pub(crate) fn of(site: &Site<'a>, waypoints: &Waypoints) -> Eyes<'a> {
        let rules = &site.game.rules.movement;
        let eye = |flags: WaypointFlags| {
            let crouches = flags.meets(WaypointFlags::CROUCH_ONLY);
            rules.eye_height(if crouches { Stance::Crouched } else { Stance::Standing }) as f32
        };
        let middle = middle_of(rules.hull(Stance::Crouched));
        let spots = waypoints.origin.iter().zip(&waypoints.flags);
        let standing: Vec<Vec3> = spots.map(|(&origin, &flags)| origin + Vec3::Z * eye(flags)).collect();
        let crouched: Vec<Vec3> = waypoints.origin.iter().map(|&origin| origin + middle).collect();
        let clusters = |points: &[Vec3]| points.iter().map(|&point| site.map.cluster_at(point)).collect();
        Eyes {
            map: site.map,
            solids: Solids::with_fidelity(without_glass(site.map).as_ref().unwrap_or(site.map), Fidelity::Geometry),
            standing_cluster: clusters(&standing),
            crouched_cluster: clusters(&crouched),
            order: neighbours_together(waypoints),
            standing,
            crouched,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.standing.len()
    }

    /// A bit for every waypoint.
    pub(crate) fn everybody(&self) -> Vec<u64> {
        let mut words = vec![0; BitRows::stride(self.count())];
        (0..self.count()).for_each(|id| words[id / 64] |= 1 << (id % 64));
        words
    }

    /// Those of `among` whose standing eye may be seen from a cluster, as far as the map's compiler knew.
    pub(crate) fn not_hidden_from(&self, cluster: i32, among: &[u64]) -> Vec<u64> {
        self.not_ruled_out(cluster, &self.standing_cluster, among)
    }

    /// Those of `among` that may be seen from a cluster; `clusters` are theirs.
    pub(crate) fn not_ruled_out(&self, from: i32, clusters: &[i32], among: &[u64]) -> Vec<u64> {
        let mut words = among.to_vec();
        for (word, clusters) in words.iter_mut().zip(clusters.chunks(64)) {
            for (bit, &to) in clusters.iter().enumerate() {
                *word &= !(u64::from(self.is_ruled_out(from, to)) << bit);
            }
        }
        words
    }

    /// Whether no ray leads from one cluster to the other. What lies outside of all clusters may be seen from anywhere: an
    /// eye may well be in a leaf that the compiler took for solid.
    pub(crate) fn is_ruled_out(&self, from: i32, to: i32) -> bool {
        let known = self.map.visibility.as_ref().filter(|_| from >= 0 && to >= 0);
        known.is_some_and(|table| !table.sees(from, to))
    }
}

/// From the origin to the middle of a body.
pub(crate) fn middle_of(hull: fireteam_world::Hull) -> Vec3 {
    (hull.mins + hull.maxs) * 0.5
}

/// The map with everything taken for air that is solid and lets light through. A mask cannot say that: glass has the bits
/// of solid and of translucent, and a mask asks for any of its bits.
fn without_glass(map: &Map) -> Option<Map> {
    let is_glass = |contents: Contents| contents.meets(Contents::TRANSLUCENT) && contents.meets(Eyes::MASK);
    if !map.shaders.iter().any(|shader| is_glass(shader.contents)) {
        return None;
    }
    let mut clear = map.clone();
    for shader in &mut clear.shaders {
        if is_glass(shader.contents) {
            shader.contents = shader.contents & !Eyes::MASK;
        }
    }
    Some(clear)
}

/// Bits of a coordinate that count for the order: steps of 16 units over any map.
const ORDER_STEP: f32 = 16.0;
const ORDER_BITS: u32 = 16;

/// Along a curve that fills space: each coordinate's bits in turn, the highest first.
///
/// After G. Morton, "A computer oriented geodetic data base", IBM, 1966.
fn neighbours_together(waypoints: &Waypoints) -> Vec<WaypointId> {
    let half = (1 << (ORDER_BITS - 1)) as f32;
    let key = |id: &WaypointId| {
        let steps = (waypoints.origin[id.index()] / ORDER_STEP + half).to_array().map(|step| step as u64);
        (0..ORDER_BITS).rev().fold(0_u64, |key, bit| steps.iter().fold(key, |key, step| key << 1 | (step >> bit & 1)))
    };
    let mut order: Vec<WaypointId> = waypoints.ids().collect();
    order.sort_by_key(|id| (key(id), *id));
    order
}
