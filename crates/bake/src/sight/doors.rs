//! What stands in an eye's way where it rests and may be elsewhere: doors, lifts, buttons, walls that break.
//!
//! What never stops (trains, blades, bobbing things) hides nothing for long, and is looked past.

use fireteam_terrain::{MoverId, MoverKind, Movers};
use fireteam_world::mover::Movers as Moving;
use fireteam_world::trace::{Bounds, Placed};
use fireteam_world::units::Time;
use fireteam_world::{Map, Sweep, Vec3};

use super::Eyes;
use crate::Site;

#[derive(Debug, Default)]
pub(super) struct Doors {
    each: Vec<Door>,
}

#[derive(Debug)]
struct Door {
    rest: Placed,
    bounds: Bounds,
    opens: Opens,
    mover: MoverId,
    /// What moves with it has the same name.
    team: Option<String>,
    /// Clusters it reaches into.
    clusters: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Opens {
    Never,
    /// It is gone, once broken.
    Breaks,
    To(Placed),
}

/// Whether doors are between an eye and what it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Free,
    /// This one; [`MoverId::NONE`] if several would have to open.
    Behind(MoverId),
    /// Whatever opens.
    Hidden,
}

impl Doors {
    pub(super) fn of(site: &Site, movers: &Movers, eyes: &Eyes) -> Doors {
        let moving = Moving::of(site.map, site.game, Time(0));
        let each = moving.placed().iter().filter_map(|placed| {
            let mover = movers.of_entity(placed.entity);
            let spot = mover.and_then(|mover| movers.get(mover));
            let opens = match spot.map(|spot| spot.kind) {
                Some(MoverKind::Train | MoverKind::Other | MoverKind::Pad | MoverKind::Teleporter) => return None,
                Some(MoverKind::Breakable) => Opens::Breaks,
                Some(MoverKind::Door | MoverKind::Lift | MoverKind::Button) => match spot.map(|spot| spot.shift) {
                    Some(shift) if shift != Vec3::ZERO => {
                        Opens::To(Placed { origin: placed.origin + shift, ..*placed })
                    }
                    Some(_) | None => Opens::Never,
                },
                None => Opens::Never,
            };
            let bounds = eyes.solids.placed_bounds(placed);
            let entity = site.map.entities.get(placed.entity.index());
            let team = entity.and_then(|entity| entity.get("team")).map(str::to_owned);
            let mover = mover.unwrap_or(MoverId::NONE);
            Some(Door { rest: *placed, bounds, opens, mover, team, clusters: clusters_in(site.map, &bounds) })
        });
        Doors { each: each.collect() }
    }

    /// Doors that may be in the view from a waypoint.
    pub(super) fn near(&self, eyes: &Eyes, from: usize) -> Vec<usize> {
        let from = eyes.standing_cluster[from];
        let may_be_seen = |door: &Door| {
            door.clusters.is_empty() || door.clusters.iter().any(|&cluster| !eyes.is_ruled_out(from, cluster))
        };
        (0..self.each.len()).filter(|&door| may_be_seen(&self.each[door])).collect()
    }

    /// What `near` doors make of a look that the map itself lets pass.
    pub(super) fn verdict(&self, eyes: &Eyes, near: &[usize], eye: Vec3, target: Vec3) -> Verdict {
        let way = Bounds { mins: eye.min(target), maxs: eye.max(target) };
        let sweep = Sweep::ray(eye, target, Eyes::MASK);
        let stops = |placed: &Placed| eyes.solids.sweep_placed(placed, &sweep).is_hit();
        let mut first: Option<&Door> = None;
        let mut mover = MoverId::NONE;
        for door in near.iter().map(|&door| &self.each[door]) {
            if !way.meets(&door.bounds) || !crosses(&door.bounds, eye, target) || !stops(&door.rest) {
                continue;
            }
            let stays = match &door.opens {
                Opens::Never => true,
                Opens::Breaks => false,
                Opens::To(open) => stops(open),
            };
            if stays {
                return Verdict::Hidden;
            }
            let is_with = |first: &Door| first.team.is_some() && first.team == door.team;
            mover = match first {
                None => door.mover,
                Some(first) if is_with(first) => mover,
                Some(_) => MoverId::NONE,
            };
            first = first.or(Some(door));
        }
        if first.is_some() { Verdict::Behind(mover) } else { Verdict::Free }
    }
}

/// Whether the way from one point to another leads through a box.
fn crosses(bounds: &Bounds, from: Vec3, to: Vec3) -> bool {
    let way = to - from;
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
    for axis in 0..3 {
        // Doors are solid a little beyond their bounds, as everything is to a ray.
        let (low, high) = (bounds.mins[axis] - 1.0 - from[axis], bounds.maxs[axis] + 1.0 - from[axis]);
        if way[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / way[axis], high / way[axis]);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter <= leave
}

/// Clusters of all leaves that a box reaches into; empty if the map has no tree, or one of them lies in no cluster.
fn clusters_in(map: &Map, bounds: &Bounds) -> Vec<i32> {
    let Some(tree) = &map.tree else { return Vec::new() };
    let mut clusters = Vec::new();
    let mut open = vec![0_i32];
    while let Some(child) = open.pop() {
        if child < 0 {
            // A door's frame is solid, and what is solid is in no cluster: its own leaves are what counts.
            clusters.extend(Some(tree.leafs[(-1 - child) as usize].cluster).filter(|&cluster| cluster >= 0));
            continue;
        }
        let node = &tree.nodes[child as usize];
        let plane = &map.planes[node.plane as usize];
        let (centre, half) = ((bounds.mins + bounds.maxs) * 0.5, (bounds.maxs - bounds.mins) * 0.5 + Vec3::ONE);
        let distance = plane.normal.dot(centre) - plane.dist;
        let reach = plane.normal.abs().dot(half);
        open.extend((distance >= -reach).then_some(node.children[0]));
        open.extend((distance < reach).then_some(node.children[1]));
    }
    clusters.sort_unstable();
    clusters.dedup();
    clusters
}
