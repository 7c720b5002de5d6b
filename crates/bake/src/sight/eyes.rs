//! Where eyes and bodies are at each waypoint, and what an eye cannot look through.

use fireteam_terrain::{BitRows, WaypointFlags, WaypointId, Waypoints};
use fireteam_world::movement::Stance;
use fireteam_world::solids::{Eight, Fidelity};
use fireteam_world::trace::Bounds;
use fireteam_world::{Contents, Map, Solids, Vec3};

use crate::Site;

/// The eyes of players at all waypoints.
#[derive(Debug)]
pub(crate) struct Eyes<'a> {
    map: &'a Map,
    /// What is in an eye's way. Every brush all through: where the engine's tree has forgotten one, a body falls through
    /// the hole, but what is drawn there is a wall.
    pub(crate) solids: Solids,
    /// All waypoints so that neighbours follow each other; a place in it is a waypoint's rank, by which all else is sorted.
    pub(crate) order: Vec<WaypointId>,
    /// Eyes of a player who stands there, or crouches where nobody can stand.
    pub(crate) standing: Vec<Vec3>,
    /// The middle of a crouched body.
    pub(crate) crouched: Vec<Vec3>,
    pub(crate) standing_cluster: Vec<i32>,
    /// Whose eyes and whose bodies lie in which cluster.
    pub(crate) clusters: Vec<Cluster>,
    /// Eyes and bodies of each clump.
    pub(crate) clumps: Vec<[Eight; 2]>,
}

/// Waypoints of one clump: those of as many ranks in a row, from a multiple of it.
pub(crate) const CLUMP: usize = 8;

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
        let order = neighbours_together(waypoints);
        let spot = |id: &WaypointId| (waypoints.origin[id.index()], waypoints.flags[id.index()]);
        let spots = || order.iter().map(spot);
        let standing: Vec<Vec3> = spots().map(|(origin, flags)| origin + Vec3::Z * eye(flags)).collect();
        let crouched: Vec<Vec3> = spots().map(|(origin, _)| origin + middle).collect();
        let cluster = |point: &Vec3| site.map.cluster_at(*point);
        let standing_cluster: Vec<i32> = standing.iter().map(cluster).collect();
        let clumps = standing.chunks(CLUMP).zip(crouched.chunks(CLUMP));
        Eyes {
            map: site.map,
            solids: Solids::with_fidelity(site.map.without_glass().as_ref().unwrap_or(site.map), Fidelity::Geometry),
            clusters: Cluster::gather(&standing_cluster, &crouched.iter().map(cluster).collect::<Vec<i32>>()),
            standing_cluster,
            clumps: clumps.map(|(standing, crouched)| [Eight::of(standing), Eight::of(crouched)]).collect(),
            order,
            standing,
            crouched,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.standing.len()
    }

    /// Whether no ray leads from one cluster to the other. What lies outside of all clusters may be seen from anywhere: an
    /// eye may well be in a leaf that the compiler took for solid.
    pub(crate) fn is_ruled_out(&self, from: i32, to: i32) -> bool {
        let known = self.map.visibility.as_ref().filter(|_| from >= 0 && to >= 0);
        known.is_some_and(|table| !table.sees(from, to))
    }
}

/// Who is in one of the map compiler's clusters: a bit for each rank.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) number: i32,
    pub(crate) standing: Vec<u64>,
    pub(crate) crouched: Vec<u64>,
}

impl Cluster {
    fn gather(standing: &[i32], crouched: &[i32]) -> Vec<Cluster> {
        let mut numbers: Vec<i32> = [standing, crouched].concat();
        numbers.sort_unstable();
        numbers.dedup();
        let nobody = vec![0; BitRows::stride(standing.len())];
        let empty = |&number: &i32| Cluster { number, standing: nobody.clone(), crouched: nobody.clone() };
        let mut clusters: Vec<Cluster> = numbers.iter().map(empty).collect();
        let place = |number: &i32| numbers.binary_search(number).expect("all of them are in it");
        for (rank, (standing, crouched)) in standing.iter().zip(crouched).enumerate() {
            clusters[place(standing)].standing[rank / 64] |= 1 << (rank % 64);
            clusters[place(crouched)].crouched[rank / 64] |= 1 << (rank % 64);
        }
        clusters
    }
}

/// From the origin to the middle of a body.
pub(crate) fn middle_of(hull: fireteam_world::Hull) -> Vec3 {
    (hull.mins + hull.maxs) * 0.5
}

/// All waypoints, cut in halves along the longest side again and again, until clumps are left.
fn neighbours_together(waypoints: &Waypoints) -> Vec<WaypointId> {
    let mut order: Vec<WaypointId> = waypoints.ids().collect();
    halve(&mut order, &waypoints.origin);
    order
}

fn halve(part: &mut [WaypointId], origins: &[Vec3]) {
    if part.len() <= CLUMP {
        return;
    }
    let mut around = Bounds::EMPTY;
    part.iter().for_each(|id| around.take_in(origins[id.index()]));
    let axis = (around.maxs - around.mins).max_position();
    part.sort_unstable_by(|a, b| origins[a.index()][axis].total_cmp(&origins[b.index()][axis]).then(a.cmp(b)));
    let (low, high) = part.split_at_mut((part.len() / 2).next_multiple_of(CLUMP));
    halve(low, origins);
    halve(high, origins);
}
