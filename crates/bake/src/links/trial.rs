//! Walking one candidate: from around its start, as often as it takes to trust it.

use fireteam_terrain::{Link, LinkFlags, MoverId, MoverKind, MoverSpot, Movers, OpensBy, legs};
use fireteam_world::movement::{Ground, Player};
use fireteam_world::units::EntityId;
use fireteam_world::walker::outing::{Course, Outing};
use fireteam_world::walker::{Leg, Onward, Opener, Progress, Travel, Walker};
use fireteam_world::{Sweep, Vec3};

use super::candidates::{Candidate, bit};
use super::{Grounds, LinkSettings};

/// Proves candidates one after the other, in the same memory.
pub(super) struct Prover<'a> {
    course: &'a Course<'a>,
    grounds: &'a Grounds<'a>,
    movers: &'a Movers,
    settings: &'a LinkSettings,
    resting: Outing<'a>,
    moving: Option<Outing<'a>>,
    pub(super) frames: u64,
}

/// A start: where around the waypoint (along the leg, aside of it), and how fast in those directions, as shares.
#[derive(Clone, Copy)]
struct Start {
    offset: [f32; 2],
    run: [f32; 2],
}

/// The first decides whether the rest is tried at all: at rest on the waypoint. Then all around it, as one arrives there:
/// running on, from a turn to either side, from the opposite way.
const STARTS: [Start; 8] = [
    Start { offset: [0.0, 0.0], run: [0.0, 0.0] },
    Start { offset: [-1.0, 0.0], run: [1.0, 0.0] },
    Start { offset: [-0.7, 0.7], run: [0.7, 0.7] },
    Start { offset: [-0.7, -0.7], run: [0.7, -0.7] },
    Start { offset: [0.0, 1.0], run: [0.0, -0.8] },
    Start { offset: [0.0, -1.0], run: [0.0, 0.8] },
    Start { offset: [0.7, 0.7], run: [-0.6, -0.6] },
    Start { offset: [0.7, -0.7], run: [-0.6, 0.6] },
];
/// With less than half of so many starts, no more are tried.
const HOPELESS_AFTER: usize = 1;
/// On foot and in water less depends on the start; what is left is found out when routes are rehearsed.
const STARTS_ON_FOOT: usize = 6;
/// Rides and doors cost more to try and depend less on where one starts.
const STARTS_AMONG_MOVERS: usize = 3;
/// No link takes longer.
const TIME_MAX_MS: i32 = 60_000;
/// What a leg is told it may take while nobody knows better.
const GUESS_SPEED: f32 = 0.6;

/// What came of walking a leg from all its starts.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    kind: Travel,
    arrived: usize,
    tried: usize,
    time_ms: i32,
    damage: f32,
    was_wet: bool,
    mover: MoverId,
    opener: MoverId,
}

/// One walk that ended.
#[derive(Clone, Copy, Debug)]
struct Walked {
    arrived: bool,
    time_ms: i32,
    damage: f32,
    was_wet: bool,
    meddled: bool,
    bumped: Option<EntityId>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        course: &'a Course<'a>,
        grounds: &'a Grounds<'a>,
        movers: &'a Movers,
        settings: &'a LinkSettings,
    ) -> Prover<'a> {
        let nobody = Player::at(Vec3::ZERO, course.rules);
        Prover { course, grounds, movers, settings, resting: Outing::new(course, nobody), moving: None, frames: 0 }
    }

    /// The link, if the way can be walked at all.
    pub(super) fn prove(&mut self, candidate: &Candidate) -> Option<Link> {
        let origins = &self.grounds.waypoints.origin;
        let (from, to) = (origins[candidate.from.index()], origins[candidate.to.index()]);
        if candidate.aid.is_none() && (to - from).length() > self.settings.length_max {
            return None;
        }
        let mut best: Option<Outcome> = None;
        for kind in Travel::ALL.into_iter().filter(|kind| worth_trying(candidate.kinds, *kind)) {
            let outcome = self.try_kind(candidate, kind);
            let is_better = |outcome: &Outcome| best.is_none_or(|best| outcome.arrived > best.arrived);
            best = outcome.filter(is_better).or(best);
            if best.is_some_and(|best| best.arrived == best.tried) {
                break;
            }
        }
        best.filter(|best| best.arrived as f32 >= best.tried as f32 * self.settings.trust_min)
            .map(|outcome| self.link(candidate, &outcome))
    }

    fn link(&self, candidate: &Candidate, outcome: &Outcome) -> Link {
        let mut flags = LinkFlags::NONE;
        if outcome.damage > 0.0 {
            flags |= LinkFlags::HARM;
        }
        if outcome.was_wet {
            flags |= LinkFlags::WET;
        }
        Link {
            to: candidate.to,
            kind: outcome.kind,
            flags,
            time_ms: outcome.time_ms.clamp(1, i32::from(u16::MAX)) as u16,
            damage: outcome.damage.ceil().clamp(0.0, 255.0) as u8,
            trust: (outcome.arrived * 255 / outcome.tried) as u8,
            mover: outcome.mover,
            opener: outcome.opener,
        }
    }

    fn try_kind(&mut self, candidate: &Candidate, kind: Travel) -> Option<Outcome> {
        let link = Link {
            to: candidate.to,
            kind,
            flags: LinkFlags::NONE,
            time_ms: 0,
            damage: 0,
            trust: 0,
            mover: candidate.aid,
            opener: MoverId::NONE,
        };
        let mut leg = legs::leg(self.grounds.waypoints, self.movers, candidate.from, &link);
        let Leg { from, to, via, .. } = leg;
        let length = via.map_or((to - from).length(), |via| (via - from).length() + (to - via).length());
        leg.time_ms = (length / (self.course.rules.speed as f32 * GUESS_SPEED) * 1000.0) as i32;
        match kind {
            Travel::Lift | Travel::Train => self.try_among_movers(leg, candidate.aid, MoverId::NONE),
            _ => self.try_at_rest(leg, candidate.aid),
        }
    }

    /// Among movers at rest; if one of them was in the way, among movers.
    fn try_at_rest(&mut self, leg: Leg, mover: MoverId) -> Option<Outcome> {
        let mut outcome = Outcome::new(leg.travel, mover);
        let mut starts = STARTS;
        if needs_run_up(leg.travel) {
            starts.swap(0, 1);
        }
        for (start, from) in starts[..starts_for(leg.travel)].iter().enumerate() {
            let player = self.start(&leg, from)?;
            self.resting.restart(player);
            let walked = walk(&mut self.resting, leg, start > 0, &mut self.frames);
            if walked.meddled {
                return self.try_opening(leg, &walked);
            }
            outcome.add(&walked, self.settings.damage_max);
            if outcome.arrived == 0 {
                return None;
            }
            if start >= HOPELESS_AFTER && outcome.arrived * 2 < outcome.tried {
                return None;
            }
        }
        outcome.finish()
    }

    /// Something was run into or set off: a door to wait for, a button to press, or nothing of importance.
    fn try_opening(&mut self, leg: Leg, walked: &Walked) -> Option<Outcome> {
        let door = walked.bumped.and_then(|entity| self.movers.of_entity(entity));
        // What breaks is a door that is shot open, once and for all.
        let opens = |spot: &&MoverSpot| matches!(spot.kind, MoverKind::Door | MoverKind::Breakable);
        let spot = door.and_then(|door| self.movers.get(door)).filter(opens);
        let (Some(door), Some(spot)) = (door, spot) else {
            let mover = leg.mover.and_then(|entity| self.movers.of_entity(entity)).unwrap_or(MoverId::NONE);
            return self.try_among_movers(leg, mover, MoverId::NONE);
        };
        if leg.travel > Travel::Crouch {
            return None;
        }
        let opener = spot.opener.and_then(|entity| self.movers.of_entity(entity));
        let (travel, opener) = match (spot.opens_by, opener) {
            (OpensBy::Touch | OpensBy::Itself, _) => (Travel::Door, MoverId::NONE),
            (OpensBy::Key, _) => (Travel::KeyDoor, MoverId::NONE),
            (OpensBy::Button | OpensBy::Shot | OpensBy::Use, Some(opener)) => (Travel::ButtonDoor, opener),
            // A volume before the door may open it; walking will tell.
            (OpensBy::Button | OpensBy::Use, None) => (Travel::Door, MoverId::NONE),
            (OpensBy::Shot, None) => (Travel::ButtonDoor, door),
        };
        let pressed = self.movers.get(opener).map(|spot| Opener {
            stand: spot.stand,
            aim: spot.aim,
            is_shot: spot.opens_by == OpensBy::Shot,
        });
        let leg = Leg { travel, mover: Some(spot.entity), opener: pressed, ..leg };
        self.try_among_movers(leg, door, opener)
    }

    fn try_among_movers(&mut self, leg: Leg, mover: MoverId, opener: MoverId) -> Option<Outcome> {
        let mut outcome = Outcome { opener, ..Outcome::new(leg.travel, mover) };
        for start in &STARTS[..STARTS_AMONG_MOVERS] {
            let player = self.start(&leg, start)?;
            let outing = self.moving.get_or_insert_with(|| Outing::among_movers(self.course, player, u32::MAX));
            outing.restart(player);
            outing.let_pass(SETTLED_MS);
            let walked = walk(outing, leg, false, &mut self.frames);
            outcome.add(&walked, self.settings.damage_max);
            if outcome.arrived == 0 {
                return None;
            }
        }
        outcome.time_ms += self.wait_expected(mover) * outcome.arrived as i32;
        outcome.finish()
    }

    /// Half of the time a lift is away when it is not at hand.
    fn wait_expected(&self, mover: MoverId) -> i32 {
        let spot = self.movers.get(mover).filter(|spot| matches!(spot.kind, MoverKind::Lift | MoverKind::Train));
        spot.map_or(0, |spot| (spot.travel_ms as i32 + spot.wait_ms.max(0)) / 2)
    }

    /// A body at a start, in free space and on the floor. None if the waypoint itself is in something solid.
    fn start(&self, leg: &Leg, start: &Start) -> Option<Player> {
        let rules = self.course.rules;
        let ahead = leg.via.unwrap_or(leg.to) - leg.from;
        let along = Vec3::new(ahead.x, ahead.y, 0.0).normalize_or(Vec3::X);
        let aside = Vec3::new(-along.y, along.x, 0.0);
        let turned = |[forward, sideways]: [f32; 2]| along * forward + aside * sideways;
        let scene = self.course.scene();
        let mut player = Player::at(leg.from, rules);
        let mut hull = player.hull(rules);
        let sweep = |from: Vec3, to: Vec3, hull| scene.sweep(&Sweep::hull(from, to, hull, self.course.mask), None);
        if sweep(leg.from, leg.from, hull).all_solid {
            player.stance = fireteam_world::movement::Stance::Crouched;
            hull = player.hull(rules);
        }
        let moved = sweep(leg.from, leg.from + turned(start.offset) * self.settings.jitter, hull);
        if moved.all_solid {
            return None;
        }
        let below = sweep(moved.end, moved.end - Vec3::Z * rules.step_height, hull);
        let has_floor = below.is_hit() && below.normal.z >= rules.floor_normal_min;
        if has_floor {
            player.origin = below.end;
            player.ground = Ground::Floor { entity: below.entity, normal: below.normal };
        }
        player.velocity = turned(start.run) * rules.speed as f32;
        Some(player)
    }
}

/// Trains and bobbing things have left where the map drew them by then.
const SETTLED_MS: i32 = 500;

/// Kinds that are tried where ways of these kinds were found: a way may be plainer than it seemed, or harder.
fn worth_trying(kinds: u16, kind: Travel) -> bool {
    let has = |kind: Travel| kinds & bit(kind) != 0;
    match kind {
        Travel::Walk => has(Travel::Walk) || has(Travel::Crouch) || has(Travel::Drop),
        Travel::Crouch => has(Travel::Crouch),
        Travel::Drop => has(Travel::Drop) || has(Travel::Jump),
        Travel::Jump => has(Travel::Walk) || has(Travel::Jump) || has(Travel::StrafeJump),
        Travel::StrafeJump => has(Travel::StrafeJump),
        Travel::Swim => has(Travel::Swim) || has(Travel::WaterExit),
        Travel::WaterExit => has(Travel::WaterExit) || has(Travel::Swim),
        Travel::Ladder => has(Travel::Ladder),
        Travel::Push => has(Travel::Push),
        Travel::Teleport => has(Travel::Teleport),
        Travel::Lift => has(Travel::Lift),
        Travel::Train => has(Travel::Train),
        // Found by bumping into one.
        Travel::Door | Travel::ButtonDoor | Travel::KeyDoor => false,
    }
}

/// From how many starts a kind is tried.
fn starts_for(kind: Travel) -> usize {
    if matches!(kind, Travel::Walk | Travel::Crouch | Travel::Swim) { STARTS_ON_FOOT } else { STARTS.len() }
}

/// Whether it may work with a run though it does not from rest: then the run is tried first.
fn needs_run_up(kind: Travel) -> bool {
    matches!(kind, Travel::Jump | Travel::StrafeJump)
}

/// Walks a leg until it ends one way or the other.
fn walk(outing: &mut Outing, leg: Leg, goes_on: bool, frames: &mut u64) -> Walked {
    // Somebody who goes on does not stop at the end of the leg.
    let onward = (leg.to - leg.via.unwrap_or(leg.from)).normalize_or_zero() * 64.0;
    let next = Onward { place: leg.to + onward, travel: Travel::Walk };
    let mut walker = Walker::new(leg, goes_on.then_some(next));
    let mut was_wet = false;
    loop {
        let progress = outing.frame(|player, setting, ms| {
            let (keys, progress) = walker.press(player, setting, ms);
            (keys.command_facing_ahead(player), progress)
        });
        *frames += 1;
        was_wet |= outing.player.immersion.level > 1;
        let is_late = outing.spent_ms() > TIME_MAX_MS;
        let is_stopped = outing.cost.meddled && outing.movers().is_none();
        if progress != Progress::OnTheWay || is_late || is_stopped {
            return Walked {
                arrived: progress == Progress::Arrived && !is_stopped,
                time_ms: outing.spent_ms(),
                damage: outing.cost.damage,
                was_wet,
                meddled: is_stopped,
                bumped: outing.cost.bumped,
            };
        }
    }
}

impl Outcome {
    fn new(kind: Travel, mover: MoverId) -> Outcome {
        Outcome { kind, arrived: 0, tried: 0, time_ms: 0, damage: 0.0, was_wet: false, mover, opener: MoverId::NONE }
    }

    fn add(&mut self, walked: &Walked, damage_max: f32) {
        self.tried += 1;
        if walked.arrived && walked.damage <= damage_max {
            self.arrived += 1;
            self.time_ms += walked.time_ms;
            self.damage = self.damage.max(walked.damage);
            self.was_wet |= walked.was_wet;
        }
    }

    /// The mean of the times; none if nobody arrived.
    fn finish(mut self) -> Option<Outcome> {
        let arrived = i32::try_from(self.arrived).ok().filter(|arrived| *arrived > 0)?;
        self.time_ms /= arrived;
        Some(self)
    }
}
