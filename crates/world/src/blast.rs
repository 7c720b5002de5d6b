//! What an explosion does to a body: points, a push, and nothing at all behind a wall.
//!
//! In: where it went off, the throwable's [`Blast`] numbers, the body, the scene. Out: a [`Harm`], or none.
//! Two kernels. `quake3` is OpenArena's, to the point: distance to the box the server links (one unit larger than the
//! hull, around the origin cut to integers), damage cut to whole points, five lines of which one must be clear.
//! `exposure` is for our own games: nine lines to legs, chest and head, of which every clear one counts, and a body
//! that lies down takes less.
//!
//! The paper asks for "damage radius, provided a free line of sight" and less damage behind cover and when prone
//! (W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, sections 6.1 and 7).
//! Not here: dying, armour picked up, who may hurt whom. Cost: 1 to 5 rays (`quake3`), 9 (`exposure`), none out of range.

use glam::Vec3;

use crate::contents::Contents;
use crate::flight::normalize;
use crate::game::{Blast, BlastKernel, Description, Falloff, Game};
use crate::maths::dot;
use crate::movement::Stance;
use crate::trace::{Hull, Scene, Sweep};
use crate::units::EntityId;

/// Who may be hurt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    pub origin: Vec3,
    pub hull: Hull,
    pub stance: Stance,
    /// A shootable door does not hide itself from the blast.
    pub entity: Option<EntityId>,
    /// Whether this is the thrower.
    pub is_self: bool,
    /// Whether a mover carries him just now: OpenArena's server then knows exactly where he is, and not only to the unit.
    pub is_carried: bool,
}

/// What a body suffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harm {
    /// Before armour takes its part.
    pub points: i32,
    /// The blow that throws it, for [`Player::knock`](crate::movement::Player::knock): points and a unit direction.
    pub blow: i32,
    pub direction: Vec3,
}

/// What is left of damage when armour has taken its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    pub health: i32,
    pub armour: i32,
}

/// How much of a body is open to the blast: of each part, the share of its lines that is clear.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Exposure {
    pub legs: f32,
    pub chest: f32,
    pub head: f32,
}

impl Exposure {
    pub fn share(&self) -> f32 {
        (self.legs + self.chest + self.head) / 3.0
    }
}

/// What `blast`, going off at `centre`, does to `target`; none if it is too far or hidden.
pub fn harm(centre: Vec3, blast: &Blast, game: &Game, target: &Target, scene: &Scene<'_>) -> Option<Harm> {
    let points = match game.rules.kernels.blast {
        BlastKernel::Quake3 => quake3_points(centre, blast, target, scene)?,
        BlastKernel::Exposure => exposure_points(centre, blast, &game.rules, target, scene)?,
    };
    let mut direction = target.origin - centre;
    direction.z += blast.push_up;
    // The thrower's share is taken after the push, so that jumping on one's own rocket works; what got here hurts
    // by at least a point.
    let share = if target.is_self { blast.self_share } else { 1.0 };
    Some(Harm {
        points: ((f64::from(points) * f64::from(share)) as i32).max(1),
        blow: (points as f32 * blast.push_share) as i32,
        direction: normalize(direction),
    })
}

/// The most points it can cost a target that is not the thrower: those of one whom nothing hides.
pub fn points_max(centre: Vec3, blast: &Blast, game: &Game, target: &Target) -> i32 {
    let points = match game.rules.kernels.blast {
        BlastKernel::Quake3 => linked_distance(centre, blast, target).map(|(distance, _)| full_points(blast, distance)),
        BlastKernel::Exposure => unhidden_points(centre, blast, &game.rules, target).map(|full| full.points(1.0)),
    };
    points.map_or(0, |points| (points as i32).max(1))
}

/// Splits damage between armour and body: armour takes its share, rounded up, as long as there is any.
pub fn absorb(points: i32, armour: i32, game: &Game) -> Loss {
    let saved = (f64::from(points) * game.rules.health.armour_share).ceil() as i32;
    let saved = saved.min(armour);
    Loss { health: points - saved, armour: saved }
}

/// How much of a body a blast at `centre` can reach.
pub fn exposure(centre: Vec3, target: &Target, scene: &Scene<'_>) -> Exposure {
    let (low, high) = (target.origin + target.hull.mins, target.origin + target.hull.maxs);
    let middle = (low + high) * 0.5;
    let away = middle - centre;
    let across = normalize(Vec3::new(-away.y, away.x, 0.0)) * ((high.x - low.x) * 0.5 * INSIDE);
    let row = |height: f32| {
        let spine = Vec3::new(middle.x, middle.y, low.z + (high.z - low.z) * height);
        [spine, spine + across, spine - across]
    };
    let points = [row(LEGS), row(CHEST), row(HEAD)];
    let clear = clear(centre, points.as_flattened(), target, scene);
    let share = |part: u32| (clear >> (3 * part) & 0b111).count_ones() as f32 / 3.0;
    Exposure { legs: share(0), chest: share(1), head: share(2) }
}

/// Which of some points are open to the blast, one bit each.
fn clear(centre: Vec3, points: &[Vec3], target: &Target, scene: &Scene<'_>) -> u32 {
    let clear = scene.burst(centre, points, Contents::MASK_SOLID);
    if target.entity.is_none() {
        return clear;
    }
    let itself = points.iter().enumerate().filter(|(_, point)| is_clear(centre, **point, target, scene));
    itself.fold(clear, |clear, (point, _)| clear | 1 << point)
}

/// Heights of the three parts, as shares of the body's height; and how far out to the sides they are looked at.
const LEGS: f32 = 0.2;
const CHEST: f32 = 0.55;
const HEAD: f32 = 0.9;
const INSIDE: f32 = 0.8;

fn is_clear(centre: Vec3, point: Vec3, target: &Target, scene: &Scene<'_>) -> bool {
    let trace = scene.sweep(&Sweep::ray(centre, point, Contents::MASK_SOLID), None);
    trace.fraction == 1.0 || (trace.entity.is_some() && trace.entity == target.entity)
}

fn exposure_points(
    centre: Vec3,
    blast: &Blast,
    rules: &Description,
    target: &Target,
    scene: &Scene<'_>,
) -> Option<i32> {
    let unhidden = unhidden_points(centre, blast, rules, target)?;
    let points = unhidden.points(exposure(centre, target, scene).share()) as i32;
    (points > 0).then_some(points)
}

/// What a body suffers as far as it is open to the blast.
struct Unhidden {
    full: f32,
    stance_share: f32,
}

impl Unhidden {
    fn points(&self, open: f32) -> f32 {
        self.full * open * self.stance_share
    }
}

/// None out of range.
fn unhidden_points(centre: Vec3, blast: &Blast, rules: &Description, target: &Target) -> Option<Unhidden> {
    let distance = distance_to_box(centre, target.origin + target.hull.mins, target.origin + target.hull.maxs);
    let stance_share = match target.stance {
        Stance::Standing => 1.0,
        Stance::Crouched => rules.health.crouched_blast_share,
        Stance::Prone => rules.health.prone_blast_share,
    };
    (distance < blast.radius).then(|| Unhidden { full: full_points(blast, distance), stance_share })
}

/// How far beyond the middle of a box its four further lines end, each way in x and y.
const ASIDE: f32 = 15.0;

fn quake3_points(centre: Vec3, blast: &Blast, target: &Target, scene: &Scene<'_>) -> Option<i32> {
    let (distance, middle) = linked_distance(centre, blast, target)?;
    let aside = |x: f32, y: f32| Vec3::new(middle.x + x, middle.y + y, middle.z);
    let clear = is_clear(centre, middle, target, scene)
        || [aside(ASIDE, ASIDE), aside(ASIDE, -ASIDE), aside(-ASIDE, ASIDE), aside(-ASIDE, -ASIDE)]
            .iter()
            .any(|point| scene.sweep(&Sweep::ray(centre, *point, Contents::MASK_SOLID), None).fraction == 1.0);
    clear.then(|| full_points(blast, distance) as i32)
}

/// How far the box of a target is, and the middle of it; none out of range.
fn linked_distance(centre: Vec3, blast: &Blast, target: &Target) -> Option<(f32, Vec3)> {
    // The server links players where its clients are told they are: at the origin cut to integers.
    let origin = if target.is_carried { target.origin } else { target.origin.trunc() };
    let (low, high) = linked_box(origin, target.hull);
    let distance = distance_to_box(centre, low, high);
    (distance < blast.radius).then(|| (distance, (low + high) * 0.5))
}

/// The box a Quake III server keeps for culling: the hull, one unit larger on every side.
pub fn linked_box(origin: Vec3, hull: Hull) -> (Vec3, Vec3) {
    (origin + hull.mins - Vec3::ONE, origin + hull.maxs + Vec3::ONE)
}

/// Damage at a distance, all lines clear. The game's compiler made the division by the radius a product with its
/// inverse, which at some distances costs a point.
fn full_points(blast: &Blast, distance: f32) -> f32 {
    let left = 1.0 - f64::from(distance * (1.0 / blast.radius));
    let share = match blast.falloff {
        Falloff::Linear => left,
        Falloff::Quadratic => left * left,
    };
    (f64::from(blast.damage) * share) as f32
}

fn distance_to_box(point: Vec3, low: Vec3, high: Vec3) -> f32 {
    let outside = |p: f32, low: f32, high: f32| {
        if p < low {
            low - p
        } else if p > high {
            p - high
        } else {
            0.0
        }
    };
    let v =
        Vec3::new(outside(point.x, low.x, high.x), outside(point.y, low.y, high.y), outside(point.z, low.z, high.z));
    dot(v, v).sqrt()
}
