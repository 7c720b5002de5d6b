//! What leads from one area to the next: where ways cross from one into the other, and where one looks through a wall.
//!
//! Crossings that lie together are one portal. Walked, it is a door if a door stands there, else a doorway; fallen or
//! jumped, it is a drop, or a hole if it leads through the ceiling of the lower area. Windows ([`windows`]) are looked for
//! apart: nobody walks through them.
//!
//! Not here: teleporters, pads and lifts, which join areas that do not meet; their links do.

mod windows;

use std::collections::{BTreeMap, BTreeSet};

use fireteam_terrain::{AreaId, Links, MoverId, Portal, PortalFlags, PortalKind, Portals, SpanFlags, WaypointId};
use fireteam_world::walker::Travel;
use fireteam_world::{Bounds, Vec3};

use super::shapes::{NONE, Shapes};
use crate::links::Grounds;

/// Crossings this many cells and this many units of height apart belong to one portal.
const CLUSTER_CELLS: i32 = 2;
const CLUSTER_HEIGHT: f32 = 48.0;
/// A jump this many cells wide crosses no gap: it leads up what one drops down from.
const JUMP_CELLS: i32 = 3;
/// A door is this far from where the areas at its sides meet, at most.
const DOOR_REACH: f32 = 28.0;
/// A fall from this little above a ceiling leads through it.
const HOLE_DEPTH: f32 = 24.0;

/// How one gets across, before it is known what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Manner {
    Walked,
    Climbed,
    Fallen,
    Seen,
}

/// One way, or one look, from an area into another.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// Between the feet on either side.
    at: Vec3,
    from: u32,
    to: u32,
}

/// What portals are made of.
pub(super) struct Parts<'a> {
    pub(super) grounds: &'a Grounds<'a>,
    pub(super) shapes: &'a Shapes,
    pub(super) of_place: &'a [u16],
    pub(super) of_waypoint: &'a [AreaId],
    pub(super) links: &'a Links,
    /// The box of a player's origin in each door.
    pub(super) doors: &'a [(MoverId, Bounds)],
    pub(super) feet: f32,
    pub(super) eye: f32,
    pub(super) body_width: f32,
}

type Groups = BTreeMap<(u16, u16, Manner), Vec<Crossing>>;

pub(super) fn find(parts: &Parts) -> Portals {
    let mut groups = parts.crossings();
    windows::look(parts, &mut groups);
    let linked = parts.linked();
    let ceilings = parts.ceilings();
    let mut portals = Vec::new();
    for ((low, high, manner), crossings) in &groups {
        for cluster in parts.clusters(crossings) {
            portals.extend(parts.portal([*low, *high], *manner, &cluster, &linked, &ceilings));
        }
    }
    portals.sort_by_key(|portal| (portal.areas, portal.waypoints, portal.kind as u8));
    Portals { portals }
}

impl Parts<'_> {
    fn crossings(&self) -> Groups {
        let survey = self.grounds.survey;
        let mut groups = Groups::new();
        for (from, here) in survey.places.iter().enumerate() {
            for way in survey.ways_of(from) {
                let to = way.to as usize;
                let is_sent = here.sent_by.or(survey.places[to].sent_by).is_some();
                if self.of_place[from] == self.of_place[to] || is_sent {
                    continue;
                }
                if let Some(manner) = self.manner(from, to, way.kind) {
                    self.add(&mut groups, from, to, manner);
                }
            }
        }
        groups
    }

    fn add(&self, groups: &mut Groups, from: usize, to: usize, manner: Manner) {
        let places = &self.grounds.survey.places;
        let (a, b) = (self.of_place[from], self.of_place[to]);
        let (here, there) = (places[from].origin, places[to].origin);
        // A walk is between its ends, a fall is where its edge is, a window is right before who looks out.
        let at = match manner {
            Manner::Walked => (here + there) * 0.5,
            Manner::Climbed | Manner::Fallen if there.z > here.z => there,
            Manner::Climbed | Manner::Fallen => here,
            Manner::Seen => here + (there - here).with_z(0.0).normalize_or_zero() * windows::SILL_DISTANCE,
        } + Vec3::Z * self.feet;
        let crossing = Crossing { at, from: from as u32, to: to as u32 };
        groups.entry((a.min(b), a.max(b), manner)).or_default().push(crossing);
    }

    fn manner(&self, from: usize, to: usize, kind: Travel) -> Option<Manner> {
        let survey = self.grounds.survey;
        let is_rung = |place: usize| survey.places[place].flags.meets(SpanFlags::LADDER);
        let [a, b] = [from, to].map(|place| survey.cell_of(place));
        let cells = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
        match kind {
            Travel::Ladder => Some(Manner::Climbed),
            _ if is_rung(from) || is_rung(to) => Some(Manner::Climbed),
            Travel::Walk | Travel::Crouch | Travel::Swim | Travel::WaterExit => Some(Manner::Walked),
            Travel::Drop => Some(Manner::Fallen),
            Travel::Jump if cells <= JUMP_CELLS => Some(Manner::Fallen),
            Travel::Jump
            | Travel::StrafeJump
            | Travel::Push
            | Travel::Teleport
            | Travel::Lift
            | Travel::Train
            | Travel::Door
            | Travel::ButtonDoor
            | Travel::KeyDoor => None,
        }
    }

    /// Which areas have links to which.
    fn linked(&self) -> BTreeSet<(AreaId, AreaId)> {
        let area = |waypoint: WaypointId| self.of_waypoint[waypoint.index()];
        self.links.iter().map(|(from, link)| (area(from), area(link.to))).collect()
    }

    /// Mean height at which the ceiling of each area is; none where most of it is sky.
    fn ceilings(&self) -> Vec<Option<f32>> {
        let count = self.of_place.iter().max().map_or(0, |last| usize::from(*last) + 1);
        let mut sums = vec![(0.0, 0_u32, 0_u32); count];
        for (place, area) in self.of_place.iter().enumerate() {
            let (height, roofed, all) = &mut sums[usize::from(*area)];
            *all += 1;
            if !self.shapes.is_sky[place] {
                *roofed += 1;
                *height += self.grounds.survey.places[place].origin.z + self.feet + self.shapes.overhead[place];
            }
        }
        sums.into_iter().map(|(height, roofed, all)| (roofed * 2 > all).then(|| height / roofed as f32)).collect()
    }

    /// Crossings that lie together.
    fn clusters(&self, crossings: &[Crossing]) -> Vec<Vec<Crossing>> {
        let cell = |crossing: &Crossing| self.grounds.survey.cell_of_point(crossing.at);
        let mut waiting: BTreeMap<[i32; 2], Vec<Crossing>> = BTreeMap::new();
        for crossing in crossings {
            waiting.entry(cell(crossing)).or_default().push(*crossing);
        }
        let mut clusters = Vec::new();
        while let Some((key, _)) = waiting.first_key_value() {
            let key = *key;
            let Some(seed) = take(&mut waiting, key, |_| true).first().copied() else { continue };
            let mut cluster = vec![seed];
            let mut next = 0;
            while next < cluster.len() {
                let here = cluster[next];
                let [x, y] = cell(&here);
                for (dx, dy) in around() {
                    let is_near = |other: &Crossing| (other.at.z - here.at.z).abs() <= CLUSTER_HEIGHT;
                    cluster.extend(take(&mut waiting, [x + dx, y + dy], is_near));
                }
                next += 1;
            }
            clusters.push(cluster);
        }
        clusters
    }

    fn portal(
        &self,
        areas: [u16; 2],
        manner: Manner,
        cluster: &[Crossing],
        linked: &BTreeSet<(AreaId, AreaId)>,
        ceilings: &[Option<f32>],
    ) -> Option<Portal> {
        let areas = areas.map(AreaId);
        let mins = cluster.iter().fold(Vec3::MAX, |mins, crossing| mins.min(crossing.at));
        let maxs = cluster.iter().fold(Vec3::MIN, |maxs, crossing| maxs.max(crossing.at));
        let width = (maxs - mins).truncate().max_element() + self.body_width;
        if manner == Manner::Seen && width > windows::WIDTH_MAX {
            return None;
        }
        let height = if manner == Manner::Seen { windows::HEIGHT } else { self.height(cluster) };
        let door = self.door(mins, maxs).filter(|_| manner == Manner::Walked);
        let kind = match manner {
            Manner::Walked if door.is_some() => PortalKind::Door,
            Manner::Walked => PortalKind::Doorway,
            Manner::Climbed => PortalKind::Ladder,
            Manner::Seen => PortalKind::Window,
            Manner::Fallen => self.fall(cluster, ceilings),
        };
        let mut flags = PortalFlags::NONE;
        for (flag, [from, to]) in [(PortalFlags::FORTH, areas), (PortalFlags::BACK, [areas[1], areas[0]])] {
            let leads = |crossing: &Crossing| self.of_place[crossing.from as usize] == from.0;
            if manner != Manner::Seen && linked.contains(&(from, to)) && cluster.iter().any(leads) {
                flags |= flag;
            }
        }
        let centre = cluster.iter().map(|crossing| crossing.at).sum::<Vec3>() / cluster.len() as f32;
        let lift = if manner == Manner::Seen { self.eye - self.feet } else { height * 0.5 };
        let waypoints = areas.map(|area| self.waypoint_before(area, cluster, centre));
        let centre = centre + Vec3::Z * lift;
        let mover = door.unwrap_or(MoverId::NONE);
        Some(Portal { areas, waypoints: [waypoints[0]?, waypoints[1]?], kind, flags, mover, centre, width, height })
    }

    /// The lowest ceiling in it and right before it.
    fn height(&self, cluster: &[Crossing]) -> f32 {
        let places = cluster.iter().flat_map(|crossing| [crossing.from, crossing.to]);
        let near = places.flat_map(|place| self.shapes.beside[place as usize].into_iter().chain([place]));
        near.filter(|place| *place != NONE)
            .map(|place| self.shapes.overhead[place as usize])
            .fold(f32::MAX, f32::min)
            .max(1.0)
    }

    fn door(&self, mins: Vec3, maxs: Vec3) -> Option<MoverId> {
        let reach = Vec3::new(DOOR_REACH, DOOR_REACH, CLUSTER_HEIGHT);
        let origin = Vec3::Z * -self.feet;
        let here = Bounds { mins: mins + origin - reach, maxs: maxs + origin + reach };
        self.doors.iter().find(|(_, door)| door.meets(&here)).map(|(mover, _)| *mover)
    }

    /// A hole if the edge is above the ceiling of what lies below.
    fn fall(&self, cluster: &[Crossing], ceilings: &[Option<f32>]) -> PortalKind {
        let places = &self.grounds.survey.places;
        let through = cluster.iter().filter(|crossing| {
            let (from, to) = (crossing.from as usize, crossing.to as usize);
            let low = if places[from].origin.z < places[to].origin.z { from } else { to };
            ceilings[usize::from(self.of_place[low])].is_some_and(|ceiling| ceiling <= crossing.at.z + HOLE_DEPTH)
        });
        if through.count() * 2 > cluster.len() { PortalKind::Hole } else { PortalKind::Drop }
    }

    /// The nearest waypoint of an area, one that owns ground at the portal first.
    fn waypoint_before(&self, area: AreaId, cluster: &[Crossing], centre: Vec3) -> Option<WaypointId> {
        let survey = self.grounds.survey;
        let origins = &self.grounds.waypoints.origin;
        let is_here = |waypoint: &WaypointId| self.of_waypoint[waypoint.index()] == area;
        let nearest = |a: &WaypointId, b: &WaypointId| {
            let distance = |waypoint: &WaypointId| origins[waypoint.index()].distance_squared(centre);
            distance(a).total_cmp(&distance(b)).then(a.cmp(b))
        };
        let owners = cluster
            .iter()
            .flat_map(|crossing| [crossing.from, crossing.to])
            .filter_map(|place| survey.ground.spans[place as usize].waypoint.get())
            .filter(is_here);
        owners.min_by(nearest).or_else(|| self.grounds.waypoints.ids().filter(is_here).min_by(nearest))
    }
}

/// Cells in which crossings of one cluster lie, as seen from one of them.
fn around() -> impl Iterator<Item = (i32, i32)> {
    let reach = -CLUSTER_CELLS..=CLUSTER_CELLS;
    reach.clone().flat_map(move |dx| reach.clone().map(move |dy| (dx, dy)))
}

/// Takes what fits out of a cell.
fn take(
    waiting: &mut BTreeMap<[i32; 2], Vec<Crossing>>,
    cell: [i32; 2],
    fits: impl Fn(&Crossing) -> bool,
) -> Vec<Crossing> {
    let Some(here) = waiting.get_mut(&cell) else { return Vec::new() };
    let (taken, left): (Vec<Crossing>, Vec<Crossing>) = here.drain(..).partition(|crossing| fits(crossing));
    *here = left;
    if here.is_empty() {
        waiting.remove(&cell);
    }
    taken
}
