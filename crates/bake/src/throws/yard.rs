//! What every throw of a map has in common: who may stand where, what movers stand in the way, whom a blast reaches.

use std::borrow::Cow;

use fireteam_terrain::{Cells, Ground, MoverId, MoverKind, Movers, WaypointFlags, WaypointId, Waypoints};
use fireteam_world::flight::Air;
use fireteam_world::movement::Stance;
use fireteam_world::mover::Movers as Moving;
use fireteam_world::pcg::Pcg;
use fireteam_world::throwing::{Cell, Stand};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Crowd, Placed, Scene, Sweep, Vec3};

use super::Grounds;
use crate::Site;
use crate::executor::{self, Executor};

/// Origins of a cell that unsteady throws begin and end at.
const SAMPLES: usize = 8;
/// An explosion on the ground looks from this far above it.
const LIFT: f32 = 8.0;
/// And one that came to rest in it.
const SUNK: f32 = -1.5;
/// One this far above the ground reaches others than one on it.
const HIGH: f32 = 64.0;

/// The map, with all that is asked of it again and again.
pub(super) struct Yard<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) ground: &'a Ground,
    pub(super) waypoints: &'a Waypoints,
    shootable: Vec<EntityId>,
    /// Every mover where it rests: doors shut, panes whole.
    at_rest: Crowd,
    /// Doors, those of a team together; and the map with all of them open.
    pub(super) doors: Vec<Door>,
    all_open: Crowd,
    stands: Vec<Stand>,
    samples: Vec<[Vec3; SAMPLES]>,
    /// Whom an explosion on the ground of a waypoint may reach; by waypoint.
    around: Vec<Vec<WaypointId>>,
    /// All waypoints from west to east.
    by_x: Vec<WaypointId>,
    /// Of the explosions.
    radius: f32,
}

/// A door (or what breaks) that lets throws through which it stops at rest, or stops some that passed.
pub(super) struct Door {
    pub(super) mover: MoverId,
    /// It and what moves with it.
    pub(super) entities: Vec<EntityId>,
    /// The map with this one open and nothing else.
    open: Crowd,
}

/// Which doors are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doors {
    Shut,
    /// This one of the yard's.
    Open(usize),
    AllOpen,
}

impl<'a> Yard<'a> {
    /// Prepares for explosions of up to `radius`.
    pub(super) fn prepare(site: &'a Site<'a>, grounds: &Grounds<'a>, radius: f32, executor: &dyn Executor) -> Yard<'a> {
        let Grounds { ground, waypoints, movers, .. } = *grounds;
        let moving = Moving::of(site.map, site.game, Time(0));
        let stance = |flags: &WaypointFlags| {
            if flags.meets(WaypointFlags::CROUCH_ONLY) { Stance::Crouched } else { Stance::Standing }
        };
        let stands = waypoints.origin.iter().zip(&waypoints.flags);
        let mut yard = Yard {
            site,
            ground,
            waypoints,
            shootable: moving.shootable().collect(),
            at_rest: Crowd::of(site.solids, moving.placed(), &[]),
            doors: doors(site, movers, moving.placed()),
            all_open: with_open(site, movers, moving.placed(), |_| true),
            stands: stands.map(|(&origin, flags)| Stand { origin, stance: stance(flags) }).collect(),
            samples: samples(ground, waypoints, site.game.rules.movement.body.feet),
            around: Vec::new(),
            by_x: waypoints.ids().collect(),
            radius,
        };
        yard.by_x.sort_by(|a, b| waypoints.origin[a.index()].x.total_cmp(&waypoints.origin[b.index()].x));
        // From all over its ground, since round a corner a step aside decides; and from just inside it, where grenades come to
        // rest: what they hurt through a thin floor they hurt.
        let lifts = [LIFT, SUNK].map(|lift| Vec3::Z * (site.game.rules.movement.body.feet + lift));
        let places = |from: usize| -> Vec<Vec3> {
            let origins = [waypoints.origin[from]].into_iter().chain(yard.samples[from]);
            origins.flat_map(|origin| lifts.map(|lift| origin + lift)).collect()
        };
        yard.around = executor::collect(executor, waypoints.len(), |from| yard.reached_from(&places(from), radius));
        yard
    }

    pub(super) fn air(&self, doors: Doors) -> Air<'_> {
        let crowd = match doors {
            Doors::Shut => &self.at_rest,
            Doors::Open(door) => &self.doors[door].open,
            Doors::AllOpen => &self.all_open,
        };
        Air { scene: Scene { solids: self.site.solids, crowd }, shootable: &self.shootable }
    }

    pub(super) fn cell(&self, waypoint: WaypointId) -> Cell<'_> {
        Cell { stand: self.stands[waypoint.index()], origins: &self.samples[waypoint.index()] }
    }

    /// Whom an explosion at this place may reach: those that one on the ground below it would. High above the ground, or
    /// where nobody walks, everyone who is near.
    pub(super) fn around(&self, place: Vec3) -> Cow<'_, [WaypointId]> {
        match self.on_ground_of(place) {
            Some(waypoint) => Cow::Borrowed(&self.around[waypoint.index()]),
            None => Cow::Owned(self.near(place)),
        }
    }

    /// Whether [`Yard::around`] has this one.
    pub(super) fn may_reach(&self, place: Vec3, who: WaypointId) -> bool {
        match self.on_ground_of(place) {
            Some(waypoint) => self.around[waypoint.index()].contains(&who),
            None => self.is_near(place, who),
        }
    }

    fn on_ground_of(&self, place: Vec3) -> Option<WaypointId> {
        let below = self.ground.span_below(place).filter(|span| place.z - f32::from(span.feet) < HIGH);
        below.and_then(|span| span.waypoint.get())
    }

    fn near(&self, place: Vec3) -> Vec<WaypointId> {
        let x = |id: &WaypointId| self.waypoints.origin[id.index()].x;
        let first = self.by_x.partition_point(|id| x(id) < place.x - self.radius);
        let strip = self.by_x[first..].iter().copied().take_while(|id| x(id) <= place.x + self.radius);
        let mut near: Vec<WaypointId> = strip.filter(|id| self.is_near(place, *id)).collect();
        near.sort_unstable();
        near
    }

    fn is_near(&self, place: Vec3, who: WaypointId) -> bool {
        self.waypoints.origin[who.index()].distance_squared(place) < self.radius * self.radius
    }

    /// Nobody throws who swims or burns.
    pub(super) fn throws_from(&self, waypoint: WaypointId) -> bool {
        !self.waypoints.flags[waypoint.index()].meets(WaypointFlags::SWIM | WaypointFlags::HARM)
    }

    /// Whom an explosion at any of some places, all near the first, may reach.
    fn reached_from(&self, places: &[Vec3], radius: f32) -> Vec<WaypointId> {
        let rules = &self.site.game.rules.movement;
        // The ground of a waypoint reaches beyond it, and so do the bodies of those who may be reached.
        let reach = radius + self.site.settings.waypoints.spacing_max;
        let scene = Scene::of(self.site.solids);
        let is_open = |to: Vec3| {
            let is_clear =
                |place: &Vec3| scene.sweep(&Sweep::ray(*place, to, Contents::MASK_SOLID), None).fraction == 1.0;
            places.iter().any(is_clear)
        };
        // A corner of a body that shows is hurt as well as its middle.
        let half = rules.hull(Stance::Standing).maxs.x;
        let corners = [(half, half), (half, -half), (-half, half), (-half, -half)].map(|(x, y)| Vec3::new(x, y, 0.0));
        let eye = Vec3::Z * rules.eye_height(Stance::Standing) as f32;
        let may_be_reached = |to: &WaypointId| {
            let there = self.waypoints.origin[to.index()];
            let mut parts = [Vec3::ZERO, eye].into_iter().chain(corners);
            there.distance_squared(places[0]) < reach * reach && parts.any(|part| is_open(there + part))
        };
        self.waypoints.ids().filter(may_be_reached).collect()
    }
}

/// Where in its cell somebody at a waypoint is: all over it, and in the middle the first time.
fn samples(ground: &Ground, waypoints: &Waypoints, feet: f32) -> Vec<[Vec3; SAMPLES]> {
    let cells = Cells::of(ground, waypoints, feet);
    let mut chance = Pcg::named(1, "cells");
    let all = waypoints.ids().zip(&waypoints.origin).map(|(waypoint, origin)| {
        let places = cells.of_waypoint(waypoint);
        std::array::from_fn(|number| if number == 0 { *origin } else { *chance.pick(places) })
    });
    all.collect()
}

/// The doors of a map and what of it breaks, each with the scene in which it alone is open.
fn doors(site: &Site, movers: &Movers, at_rest: &[Placed]) -> Vec<Door> {
    let team = |entity: EntityId| site.map.entities.get(entity.index()).and_then(|entity| entity.get("team"));
    let mut doors: Vec<Door> = Vec::new();
    for placed in at_rest {
        let Some(mover) = movers.of_entity(placed.entity).filter(|mover| opened(movers, *mover).is_some()) else {
            continue;
        };
        let is_with = |other: &EntityId| team(*other).is_some_and(|name| team(placed.entity) == Some(name));
        match doors.iter_mut().find(|door| door.entities.iter().any(is_with)) {
            Some(door) => door.entities.push(placed.entity),
            None => doors.push(Door { mover, entities: vec![placed.entity], open: Crowd::default() }),
        }
    }
    for door in &mut doors {
        door.open = with_open(site, movers, at_rest, |entity| door.entities.contains(&entity));
    }
    doors
}

/// Where a door goes; for what breaks, away. None for what is no door.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Opened {
    By(Vec3),
    Gone,
}

fn opened(movers: &Movers, mover: MoverId) -> Option<Opened> {
    let spot = movers.get(mover)?;
    match spot.kind {
        MoverKind::Door if spot.shift != Vec3::ZERO => Some(Opened::By(spot.shift)),
        MoverKind::Breakable => Some(Opened::Gone),
        MoverKind::Door
        | MoverKind::Lift
        | MoverKind::Train
        | MoverKind::Button
        | MoverKind::Other
        | MoverKind::Pad
        | MoverKind::Teleporter => None,
    }
}

/// The movers at rest, but for some doors that are open.
fn with_open(site: &Site, movers: &Movers, at_rest: &[Placed], is_open: impl Fn(EntityId) -> bool) -> Crowd {
    let place = |placed: &Placed| {
        let mover = movers.of_entity(placed.entity).filter(|_| is_open(placed.entity));
        match mover.and_then(|mover| opened(movers, mover)) {
            Some(Opened::By(shift)) => Some(Placed { origin: placed.origin + shift, ..*placed }),
            Some(Opened::Gone) => None,
            None => Some(*placed),
        }
    };
    Crowd::of(site.solids, &at_rest.iter().filter_map(place).collect::<Vec<Placed>>(), &[])
}
