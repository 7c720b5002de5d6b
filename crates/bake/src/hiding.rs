//! Where is a player hard to see? Hiding spots, and on which sides of them something stands.
//!
//! In: the ground around each waypoint. Out: for a waypoint at most one spot, the place of its ground with the most sides
//! covered, if enough of those who might look there see no crouched body. A side is covered if what stops a bullet stands
//! close by in that direction; in cover within 48 units is what the bots of Insurgency (2014) ask for.
//!
//! Not here: whether a spot is any good for a team, now: that depends on objectives and enemies, and is the bot's part.
//! Cost: 16 short rays a place, and one look at the waypoints around for each spot.

use fireteam_terrain::{HidingSpot, HidingSpots, Sides, SpanFlags, WaypointId, Waypoints};
use fireteam_world::maths;
use fireteam_world::movement::Stance;
use fireteam_world::solids::{Corridor, Gaze, Obstacles};
use fireteam_world::{Contents, Sweep, Vec3};

use crate::Site;
use crate::executor::{self, Executor};
use crate::ground::{Place, Survey};
use crate::sight::{CLUMP, Eyes, middle_of};

/// What counts as hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct HidingSettings {
    /// How close cover must stand.
    pub reach: f32,
    /// Least number of sides, of eight, on which a crouched body must be covered: three is a corner.
    pub sides_min: u32,
    /// Waypoints further away than this do not count as lookers: beyond it a crouched body is a speck.
    pub around: f32,
    /// Least share of them that must not see it.
    pub hidden_min: f32,
}

impl Default for HidingSettings {
    fn default() -> HidingSettings {
        HidingSettings { reach: 48.0, sides_min: 3, around: 1024.0, hidden_min: 0.6 }
    }
}

/// Finds a spot for each waypoint that has one.
pub(crate) fn find(
    site: &Site,
    survey: &Survey,
    waypoints: &Waypoints,
    eyes: &Eyes,
    executor: &dyn Executor,
) -> HidingSpots {
    let owned = Owned::of(survey, waypoints.len());
    let seeker = Seeker::of(site, waypoints, eyes);
    let spots = executor::collect(executor, waypoints.len(), |waypoint| {
        let waypoint = WaypointId::from(waypoint);
        let places = owned.of_waypoint(waypoint).iter().map(|&place| &survey.places[place as usize]);
        let best = seeker.best(places)?;
        seeker.judge(waypoint, best)
    });
    HidingSpots { spots: spots.into_iter().flatten().collect() }
}

/// Places by the waypoint that owns them.
struct Owned {
    first: Vec<u32>,
    places: Vec<u32>,
}

impl Owned {
    fn of(survey: &Survey, waypoints: usize) -> Owned {
        let owner = |place: &u32| survey.ground.spans[*place as usize].waypoint;
        let mut places: Vec<u32> = (0..survey.places.len() as u32).filter(|place| owner(place).is_some()).collect();
        places.sort_by_key(|place| (owner(place), *place));
        let begins = |waypoint: usize| places.partition_point(|place| owner(place).index() < waypoint) as u32;
        let first = (0..=waypoints).map(begins).collect();
        Owned { first, places }
    }

    fn of_waypoint(&self, waypoint: WaypointId) -> &[u32] {
        &self.places[self.first[waypoint.index()] as usize..self.first[waypoint.index() + 1] as usize]
    }
}

/// A place and its covered sides.
#[derive(Clone, Copy, Debug)]
struct Nook {
    origin: Vec3,
    standing: Sides,
    crouched: Sides,
}

struct Seeker<'a> {
    site: &'a Site<'a>,
    settings: &'a HidingSettings,
    waypoints: &'a Waypoints,
    eyes: &'a Eyes<'a>,
    /// The eight compass directions, in the order of the bits of [`Sides`].
    compass: [Vec3; 8],
    standing_eye: Vec3,
    crouched_middle: Vec3,
}

impl<'a> Seeker<'a> {
    fn of(site: &'a Site<'a>, waypoints: &'a Waypoints, eyes: &'a Eyes<'a>) -> Seeker<'a> {
        let rules = &site.game.rules.movement;
        Seeker {
            site,
            settings: &site.settings.hiding,
            waypoints,
            eyes,
            compass: std::array::from_fn(|side| maths::axes(0.0, side as f32 * 45.0, 0.0).forward),
            standing_eye: Vec3::Z * rules.eye_height(Stance::Standing) as f32,
            crouched_middle: middle_of(rules.hull(Stance::Crouched)),
        }
    }

    /// The place with the most cover; of equals, the first.
    fn best(&self, places: impl Iterator<Item = &'a Place>) -> Option<Nook> {
        let mut best: Option<(u32, Nook)> = None;
        for place in places.filter(|place| can_stay(place)) {
            let crouched = self.covered(place.origin + self.crouched_middle);
            if crouched.0.count_ones() < self.settings.sides_min {
                continue;
            }
            let standing = self.covered(place.origin + self.standing_eye);
            let sides = crouched.0.count_ones() * 9 + standing.0.count_ones();
            if best.is_none_or(|(most, _)| sides > most) {
                best = Some((sides, Nook { origin: place.origin, standing, crouched }));
            }
        }
        best.map(|(_, nook)| nook)
    }

    fn covered(&self, from: Vec3) -> Sides {
        let is_covered = |side: &usize| {
            let to = from + self.compass[*side] * self.settings.reach;
            !self.site.solids.is_clear(&Sweep::ray(from, to, Contents::MASK_SHOT))
        };
        Sides((0..8).filter(is_covered).fold(0, |sides, side| sides | 1 << side))
    }

    /// A spot of it, if few enough see a body crouched there.
    fn judge(&self, waypoint: WaypointId, nook: Nook) -> Option<HidingSpot> {
        let origins = self.eyes.order.iter().map(|id| (*id, self.waypoints.origin[id.index()]));
        let is_near =
            |(id, origin): (WaypointId, Vec3)| origin.distance(nook.origin) <= self.settings.around && id != waypoint;
        let near: Vec<bool> = origins.map(is_near).collect();
        let count = near.iter().filter(|&&is_near| is_near).count();
        let hidden = 1.0 - self.seeing(nook.origin + self.crouched_middle, &near) as f32 / count.max(1) as f32;
        (count > 0 && hidden >= self.settings.hidden_min).then(|| HidingSpot {
            waypoint,
            origin: nook.origin,
            standing: nook.standing,
            crouched: nook.crouched,
            hidden: (hidden * 255.0).round() as u8,
        })
    }
    /// How many of those near a body see it; `near` is in the order of the eyes' ranks.
    fn seeing(&self, body: Vec3, near: &[bool]) -> u32 {
        let cluster = self.site.map.cluster_at(body);
        let may_see = |rank: usize| near[rank] && !self.eyes.is_ruled_out(cluster, self.eyes.standing_cluster[rank]);
        let mut corridor = Corridor::default();
        let mut count = 0;
        for (clump, [standing, _]) in self.eyes.clumps.iter().enumerate() {
            let ranks = clump * CLUMP..near.len().min((clump + 1) * CLUMP);
            let mut seen =
                [ranks.clone().filter(|&rank| may_see(rank)).fold(0, |bits, rank| bits | 1 << (rank % CLUMP))];
            let gaze = Gaze { eyes: &[body], targets: std::slice::from_ref(standing), mask: Eyes::MASK };
            self.eyes.solids.gaze(&gaze, &mut Obstacles::default(), &mut corridor, &mut seen);
            count += seen[0].count_ones();
        }
        count
    }
}

/// Whether a body can stay there: on its feet, unharmed, on ground that does not move.
fn can_stay(place: &Place) -> bool {
    let rests = place.flags.meets(SpanFlags::STAND | SpanFlags::CROUCH);
    let is_bad = place.flags.meets(SpanFlags::HARM | SpanFlags::SWIM | SpanFlags::LADDER | SpanFlags::STEEP);
    rests && !is_bad && place.mover.is_none() && place.sent_by.is_none()
}
