//! People in the way: past them on the right, or on whichever side there is room; in a narrow place one of two gives way.
//!
//! Everybody sees only where the other is believed to be. Two who meet pass each other by the same rule, mirrored, and so on
//! different sides. Where there is no room to pass, the one with the higher number walks back; after a while either looks
//! for another way. Who waits for a lift keeps clear of where it comes down, and nobody stays on somebody's head.

use fireteam_world::Vec3;
use fireteam_world::movement::Ground;
use fireteam_world::trace::Body;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::Keys;

use super::careful::turned;
use super::doubts::Doubts;
use super::footing::is_walkable;
use super::journey::{Course, Journey};
use super::{Walk, flat};

/// Bodies are seen to be in the way this far ahead, and so much farther for every unit a second.
const LOOK: f32 = 56.0;
const LOOK_SECONDS: f32 = 0.3;
/// Two bodies side by side, and a little.
const WIDTH: f32 = 30.5;
/// Two bodies nearer than this overlap.
const BODY_WIDTH: f32 = 30.0;
/// Past somebody with this much between the two middles; with the less where there is no room for the more.
const BERTHS: [f32; 3] = [40.0, 32.0, 30.75];
/// Nearer than this, one is up against him.
pub(super) const CLOSE: f32 = 52.0;
/// Who is more than this to one side is passed on the other.
const ASIDE: f32 = 6.0;
/// Two bodies farther apart in height do not meet.
pub(super) const TALL: f32 = 56.0;
/// How long one stands before somebody in a narrow place until the one who yields does, and until either looks for another way.
const YIELD_MS: i32 = 300;
const PATIENCE_MS: i32 = 2500;
/// How long one walks back, and at which share of full speed.
const BACK_MS: i32 = 600;
const BACK_SHARE: f32 = 0.8;
/// Turned so far from straight back where that is no way, and with at least a stride of room.
const BACK_TURNS: [f32; 7] = [0.0, 30.0, -30.0, 60.0, -60.0, 90.0, -90.0];
const STRIDE: f32 = 48.0;
/// A way round or back is kept for this long before one looks again; where there was none, none is looked for so long.
const KEPT_MS: i32 = 100;
const NARROW_MS: i32 = 200;
/// Half a body, and a little.
const CLEAR: f32 = 18.0;
/// Who is clear of a lift by no more than this stays there, wherever he should wait: that may be below it.
const BESIDE: f32 = 24.0;
/// Unseen for so long, somebody is no longer the one who is in the way.
const FORGET_MS: i32 = 800;

/// Somebody in the way in a narrow place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Others {
    who: EntityId,
    since: Time,
    last: Time,
    back_until: Time,
    passes: Option<Pass>,
    back: Option<(Vec3, Time)>,
    /// Whom there is no room to pass, for so long.
    narrow: Option<(EntityId, Time)>,
}

/// Who is being passed and how, so that it is not thought over in every frame.
#[derive(Clone, Copy, Debug)]
struct Pass {
    who: EntityId,
    /// 1 is on the right.
    side: f32,
    berth: f32,
    heading: Vec3,
    until: Time,
}

impl Others {
    /// The keys, or others that lead around whoever is in the way.
    pub(super) fn make_way(&mut self, walk: &Walk, journey: &mut Journey, doubts: &mut Doubts, keys: Keys) -> Keys {
        if let Some(keys) = off_a_head(walk).or_else(|| clear_of_lift(walk, journey)) {
            return keys;
        }
        let Some(course) = journey.course(walk) else { return keys };
        if walk.now < self.back_until {
            return self.back_off(walk, &course);
        }
        let Some(other) = in_the_way(walk, &course) else {
            self.passes = self.passes.filter(|pass| is_near(walk, pass.who));
            return keys;
        };
        if !self.narrow.is_some_and(|(who, until)| who == other.entity && walk.now < until) {
            if let Some(around) = self.way_round(walk, &course, &other) {
                return Keys { up: keys.up.min(0), walks: keys.walks, ..walk.urge(around * journey.pace(walk)) };
            }
            self.narrow = Some((other.entity, walk.now + NARROW_MS));
        }
        if flat(other.origin - walk.body().origin).length() > CLOSE {
            return keys;
        }
        self.give_way(walk, journey, doubts, other.entity)
    }

    /// No room to pass.
    fn give_way(&mut self, walk: &Walk, journey: &mut Journey, doubts: &mut Doubts, who: EntityId) -> Keys {
        let is_new = who != self.who || walk.now - self.last > FORGET_MS;
        if is_new {
            (self.who, self.since) = (who, walk.now);
        }
        self.last = walk.now;
        let waited = walk.now - self.since;
        if waited > PATIENCE_MS {
            self.since = walk.now;
            journey.avoid(who, doubts, walk.now);
        } else if waited > YIELD_MS && walk.own.entity > who {
            self.back_until = walk.now + BACK_MS;
            self.last = self.back_until;
        }
        walk.urge(Vec3::ZERO)
    }

    /// The direction past somebody: as before, else on the right unless he is there, on the other side if there is no room.
    fn way_round(&mut self, walk: &Walk, course: &Course, other: &Body) -> Option<Vec3> {
        let origin = walk.body().origin;
        let way = flat(other.origin - origin);
        let right = Vec3::new(course.along.y, -course.along.x, 0.0);
        let before = self.passes.filter(|pass| pass.who == other.entity);
        if let Some(pass) = before.filter(|pass| walk.now < pass.until) {
            return Some(pass.heading);
        }
        let first = before.map_or(if way.dot(right) > ASIDE { -1.0 } else { 1.0 }, |pass| pass.side);
        let anew = [first, -first].into_iter().flat_map(|side| BERTHS.map(|berth| (side, berth)));
        let mut options = before.map(|pass| (pass.side, pass.berth)).into_iter().chain(anew);
        options.find_map(|(side, berth)| {
            // Beside him before the two boxes are level with each other; up against him that is straight to the side.
            let ahead = (way.dot(course.along) - WIDTH).max(0.0);
            let aside = right * side;
            let goal = course.along * ahead + aside * (berth + way.dot(aside)).max(0.0);
            is_open(walk, goal).then(|| {
                let heading = goal.normalize_or_zero();
                self.passes = Some(Pass { who: other.entity, side, berth, heading, until: walk.now + KEPT_MS });
                heading
            })
        })
    }

    /// Back from whoever is in the way: straight back, or as far aside as there is ground and room.
    fn back_off(&mut self, walk: &Walk, course: &Course) -> Keys {
        let kept = self.back.filter(|(_, until)| walk.now < *until);
        let (way, _) = *self.back.insert(kept.unwrap_or_else(|| {
            let mut ways = BACK_TURNS.iter().map(|degrees| turned(-course.along, *degrees));
            let way = ways.find(|way| is_open(walk, *way * STRIDE)).unwrap_or(Vec3::ZERO);
            (way, walk.now + KEPT_MS)
        }));
        walk.urge(way * (BACK_SHARE * walk.body().speed as f32))
    }
}

/// Whether one walks straight to a place so far from here.
pub(super) fn is_open(walk: &Walk, shift: Vec3) -> bool {
    let origin = walk.body().origin;
    let there = origin + shift;
    // Nearly always it is somebody who stands there, on ground that a step or two do not raise or lower by a body.
    let stands_there = |body: &Body| {
        let off = (body.origin - there).abs();
        off.x.max(off.y) < BODY_WIDTH && off.z < TALL && body.entity != walk.own.entity
    };
    let is_walkable = || is_walkable(walk, walk.scene, origin, there + Vec3::Z * slope(walk, shift));
    !walk.scene.crowd.bodies().iter().any(stands_there) && is_walkable()
}

/// Who waits for a lift stands clear of where it comes down: it turns back at whoever it touches.
fn clear_of_lift(walk: &Walk, journey: &Journey) -> Option<Keys> {
    let mover = journey.awaited(walk)?;
    let placed = walk.scene.crowd.placed().iter().find(|placed| placed.entity == mover)?;
    let bounds = walk.scene.solids.placed_bounds(placed);
    let body = walk.body();
    let rules = &walk.field.game.rules.movement;
    let is_down = bounds.maxs.z <= body.origin.z + body.hull(rules).mins.z + rules.step_height;
    let (west, east) = (body.origin.x - bounds.mins.x + CLEAR, bounds.maxs.x + CLEAR - body.origin.x);
    let (south, north) = (body.origin.y - bounds.mins.y + CLEAR, bounds.maxs.y + CLEAR - body.origin.y);
    let least = west.min(east).min(south).min(north);
    if is_down || least <= -BESIDE {
        return None;
    }
    if least <= 0.0 {
        return Some(walk.urge(Vec3::ZERO));
    }
    let mut ways = [(west, Vec3::NEG_X), (east, Vec3::X), (south, Vec3::NEG_Y), (north, Vec3::Y)];
    ways.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (_, way) = ways.into_iter().find(|(depth, way)| is_open(walk, *way * *depth))?;
    Some(walk.urge(way * body.speed as f32))
}

/// Nobody stays on somebody's head.
fn off_a_head(walk: &Walk) -> Option<Keys> {
    let Ground::Floor { entity: Some(below), .. } = walk.body().ground else { return None };
    let body = walk.scene.crowd.bodies().iter().find(|body| body.entity == below)?;
    let off = flat(walk.body().origin - body.origin);
    let off = if off.length() > 1.0 { off.normalize() } else { Vec3::X };
    Some(walk.urge(off * walk.body().speed as f32))
}

/// The nearest body that one would run into on the way.
fn in_the_way(walk: &Walk, course: &Course) -> Option<Body> {
    let body = walk.body();
    let reach = LOOK + flat(body.velocity).length() * LOOK_SECONDS;
    let mask = walk.setting().mask;
    let ahead = walk.scene.crowd.bodies().iter().filter_map(|other| {
        let way = other.origin - body.origin;
        let along = way.dot(course.along);
        let aside = (flat(way) - course.along * along).length();
        let is_met = other.entity != walk.own.entity
            && other.contents.meets(mask)
            && way.z.abs() < TALL
            && along > 0.0
            && along < reach.min(course.left + WIDTH)
            && aside < WIDTH;
        is_met.then_some((along, other))
    });
    ahead.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| *other)
}

/// Whether somebody is still around.
fn is_near(walk: &Walk, who: EntityId) -> bool {
    let mut bodies = walk.scene.crowd.bodies().iter();
    bodies.any(|body| body.entity == who && body.origin.distance(walk.body().origin) < 2.0 * CLOSE)
}

/// How much higher the ground is at a place near by.
fn slope(walk: &Walk, shift: Vec3) -> f32 {
    let terrain = &walk.field.terrain;
    let feet = walk.body().origin + Vec3::Z * terrain.feet;
    let span = terrain.ground.span_below(feet + shift);
    span.map_or(0.0, |span| f32::from(span.feet) - feet.z)
}
