//! Where soldiers begin: the map's spawn points by side, and standing room around them for those who come after.
//!
//! A map without team spawns has its points split into two groups as far apart as possible, half the points each.

use fireteam::Field;
use fireteam_world::game::{Interest, Side};
use fireteam_world::movement::Stance;
use fireteam_world::mover::Movers;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::Time;
use fireteam_world::{Contents, Crowd, Scene, Sweep, Vec3};

#[derive(Clone, Debug)]
pub(crate) struct Spawns {
    sides: Vec<Places>,
}

#[derive(Clone, Debug, Default)]
struct Places {
    /// The map's own points first, then what lies nearest to them.
    places: Vec<Place>,
    points: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) origin: Vec3,
    pub(crate) yaw: f32,
}

/// Players start this much above the point, and fall.
const LIFT: f32 = 9.0;
const DROP: f32 = 128.0;
/// Nearer than this over ground and in height, two bodies would be in each other's way.
const APART: f32 = 36.0;
const APART_UP: f32 = 60.0;
/// Room for the largest side a game may have.
const PLACES_MAX: usize = 64;
/// A climb to a place counts for so many times its height: the yard, rather than the roof above.
const CLIMB_WEIGHT: f32 = 4.0;

pub(crate) fn is_on(place: Vec3, body: Vec3) -> bool {
    let way = (place - body).abs();
    way.x < APART && way.y < APART && way.z < APART_UP
}

impl Spawns {
    pub(crate) fn of(field: &Field) -> Spawns {
        let movers = Movers::of(&field.map, &field.game, Time(0));
        let crowd = Crowd::of(&field.solids, movers.placed(), &[]);
        let scene = Scene { solids: &field.solids, crowd: &crowd };
        let points = points(field, &scene);
        let of_side =
            |side: Side| points.iter().filter(|(s, _)| *s == side).map(|(_, place)| *place).collect::<Vec<_>>();
        let any: Vec<Place> = points.iter().map(|(_, place)| *place).collect();
        let (red, blue) = (of_side(Side::Red), of_side(Side::Blue));
        let groups = match field.game.rules.teams.count {
            2 if !red.is_empty() && !blue.is_empty() => vec![red, blue],
            2 => split(any),
            _ => vec![any],
        };
        let sides = groups.iter().map(|own| with_room_around(field, &scene, own, &groups)).collect();
        Spawns { sides }
    }

    /// The first point of each of two sides.
    pub(crate) fn ends(&self) -> [Option<Vec3>; 2] {
        [0, 1].map(|side| self.sides.get(side)?.places.first().map(|place| place.origin))
    }

    /// A free place by chance at one end of the map; none if everything is taken.
    pub(crate) fn choose(
        &self,
        end: Side,
        members: usize,
        chance: &mut Pcg,
        taken: impl Fn(Vec3) -> bool,
    ) -> Option<Place> {
        let index = match end {
            Side::Blue if self.sides.len() > 1 => 1,
            Side::Red | Side::Blue | Side::Anyone => 0,
        };
        let side = &self.sides[index];
        // Room further off is used only by teams that the points do not hold.
        let used = side.points.max(members).min(side.places.len());
        let start = if used == 0 { 0 } else { chance.below(used) };
        let near = (0..used).map(|step| side.places[(start + step) % used]);
        near.chain(side.places[used..].iter().copied()).find(|place| !taken(place.origin))
    }
}

fn points(field: &Field, scene: &Scene<'_>) -> Vec<(Side, Place)> {
    let spawns = field.map.entities.iter().filter_map(|entity| {
        let described = field.game.rules.entities.get(entity.class())?;
        let origin = standing(field, scene, entity.origin() + Vec3::Z * LIFT)?;
        let yaw = entity.angles().map_or(0.0, |angles| angles.y);
        (described.is == Interest::Spawn).then_some((described.side, Place { origin, yaw }))
    });
    let spawns: Vec<(Side, Place)> = spawns.collect();
    if !spawns.is_empty() {
        return spawns;
    }
    // A map made for nothing of this kind: wherever one can stand.
    let places = field.terrain.waypoints.origin.iter().filter_map(|origin| standing(field, scene, *origin));
    places.map(|origin| (Side::Anyone, Place { origin, yaw: 0.0 })).collect()
}

/// Where a body comes to stand below this place; none if it does not fit, or would stand in harm.
fn standing(field: &Field, scene: &Scene<'_>, place: Vec3) -> Option<Vec3> {
    let rules = &field.game.rules.movement;
    let hull = rules.hull(Stance::Standing);
    let down = scene.sweep(&Sweep::hull(place, place - Vec3::Z * DROP, hull, Contents::MASK_BOT), None);
    let feet = down.end + Vec3::new(0.0, 0.0, rules.body.feet + 1.0);
    let is_floor = !down.start_solid && down.fraction < 1.0 && down.normal.z >= rules.floor_normal_min;
    let is_dry = !scene.has_contents_at(feet, Contents::MASK_LIQUID, None);
    (is_floor && is_dry).then_some(down.end)
}

/// Two groups of half the points each: the two that are furthest apart, and to each those that are rather its own.
fn split(points: Vec<Place>) -> Vec<Vec<Place>> {
    let mut ends = (0, 0, -1.0);
    for (i, a) in points.iter().enumerate() {
        for (j, b) in points.iter().enumerate().skip(i + 1) {
            let distance = a.origin.distance_squared(b.origin);
            if distance > ends.2 {
                ends = (i, j, distance);
            }
        }
    }
    let (Some(a), Some(b)) = (points.get(ends.0).copied(), points.get(ends.1).copied()) else {
        return vec![points.clone(), points];
    };
    let mut sorted = points;
    let lean = |place: &Place| place.origin.distance(a.origin) - place.origin.distance(b.origin);
    sorted.sort_by(|x, y| lean(x).total_cmp(&lean(y)));
    let other = sorted.split_off(sorted.len().div_ceil(2));
    if other.is_empty() { vec![sorted.clone(), sorted] } else { vec![sorted, other] }
}

/// Waypoints near the points of a side, nearest first, none nearer to another side's.
fn with_room_around(field: &Field, scene: &Scene<'_>, own: &[Place], groups: &[Vec<Place>]) -> Places {
    let way = |a: Vec3, b: Vec3| (a - b).truncate().length() + (a.z - b.z).abs() * CLIMB_WEIGHT;
    let nearest = |group: &[Place], to: Vec3| {
        let near = group.iter().min_by(|a, b| way(a.origin, to).total_cmp(&way(b.origin, to)));
        near.map_or((f32::INFINITY, 0.0), |place| (way(place.origin, to), place.yaw))
    };
    let candidates = field.terrain.waypoints.origin.iter().filter_map(|origin| standing(field, scene, *origin));
    let mut around: Vec<(f32, Place)> = candidates
        .map(|origin| (nearest(own, origin), origin))
        .filter(|((distance, _), origin)| groups.iter().all(|other| nearest(other, *origin).0 >= *distance))
        .map(|((distance, yaw), origin)| (distance, Place { origin, yaw }))
        .collect();
    around.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places: Vec<Place> = Vec::new();
    for place in own.iter().copied().chain(around.into_iter().map(|(_, place)| place)) {
        if places.len() < PLACES_MAX && !places.iter().any(|taken| is_on(taken.origin, place.origin)) {
            places.push(place);
        }
    }
    let points = own.len().min(places.len());
    Places { places, points }
}
