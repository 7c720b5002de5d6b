//! Links walked one after the other: a way that holds alone may fail when one comes from the link before it, too fast or from
//! the wrong side, or cuts the corner to the next.
//!
//! In: links, each proved alone. Out: the same links, with the trust and the time that routes over them had, and without
//! those that failed too often where another way leads to the same place. Round by round, a route is walked from every
//! waypoint, by the follower that bots use; who gets lost counts against the link he was lost on, and half as much against
//! the one before. The next round's routes avoid what failed, so that its replacements are tried as well.
//!
//! Nothing is left to chance: goals and offsets follow from the numbers of the waypoint and the round, each start is one job
//! of the executor, and jobs are added up in order. Cost: about 0.3 ms a route.

use fireteam_terrain::path::{Everywhere, Route, Search};
use fireteam_terrain::{Link, LinkId, Links, Movers, WaypointFlags, WaypointId, Waypoints, legs};
use fireteam_world::movement::{Player, Stance};
use fireteam_world::walker::outing::{Course, Outing};
use fireteam_world::walker::{Follower, Leg, Progress};
use fireteam_world::{Sweep, Vec3, maths};

use super::Grounds;
use super::sure;
use crate::executor::{self, Executor};

/// Rounds, and routes in each at most.
const ROUNDS: usize = 4;
const ROUTES_MAX: usize = 500;
/// No more rounds once so few routes fail: one in this many.
const ENOUGH: usize = 250;
/// Links that arrive less often are dropped where another way leads to the same place.
const TRUST_KEPT: u8 = 204;
/// So often a link must have been walked before its time is taken from routes.
const WALKS_MIN: u32 = 3;
/// How far beside its waypoint a route begins.
const JITTER: f32 = 14.0;
/// Turns offsets by so much from one start to the next: they never repeat.
const GOLDEN_ANGLE: f32 = 2.399_963;
/// Distances between the goals of neighbouring starts, and of a start's rounds: primes, larger than most maps.
const GOAL_STRIDE: usize = 7919;
const ROUND_STRIDE: usize = 104_729;
/// Routes that take so many times as long as promised are given up.
const LATE_TIMES: i32 = 3;
const LATE_MS: i32 = 4000;
const HEALTH: i32 = 100;
/// Nobody who is put there stands there: a pad throws him and a teleporter sends him before the first step, a lift may be
/// elsewhere.
const NO_START: WaypointFlags =
    WaypointFlags(WaypointFlags::PAD.0 | WaypointFlags::TELEPORTER.0 | WaypointFlags::ON_MOVER.0);

/// Where routes are rehearsed.
pub(super) struct Stage<'a> {
    pub(super) course: &'a Course<'a>,
    pub(super) grounds: &'a Grounds<'a>,
    pub(super) movers: &'a Movers,
}

/// A link and what routes made of it.
#[derive(Clone, Copy)]
struct Record {
    from: WaypointId,
    /// As it was proved alone.
    alone: Link,
    walked: u32,
    /// Halves: a failure counts two here and one against the link before.
    failed_halves: u32,
    /// How often it was walked to its end, and how long that took in all.
    finished: u32,
    spent_ms: u64,
}

/// A link that was walked on a route, and how long that took; none if it was not finished.
type Passed = (LinkId, Option<i32>);

impl Stage<'_> {
    /// Links as routes over them turn out.
    pub(super) fn rehearse(&self, links: &Links, executor: &dyn Executor) -> Links {
        let mut records: Vec<Record> = links.iter().map(|(from, link)| Record::new(from, *link)).collect();
        let starts = self.starts(links);
        for round in 0..ROUNDS {
            let table = self.table(&records);
            let count = starts.len().min(ROUTES_MAX);
            let routes = executor::collect(executor, count, |number| {
                let start = starts[(number + round * ROUTES_MAX) % starts.len()];
                self.walk_from(&table, start, round)
            });
            let failed = routes.iter().filter(|passed| matches!(passed.last(), Some((_, None)))).count();
            for passed in routes {
                count_in(&mut records, &passed);
            }
            records = self.keep(records);
            if failed * ENOUGH <= count {
                break;
            }
        }
        self.table(&records)
    }

    fn table(&self, records: &[Record]) -> Links {
        let each = records.iter().map(|record| (record.from, record.link())).collect();
        Links::gather(self.grounds.waypoints.len(), each)
    }

    /// Without links that failed too often, except where nothing else leads.
    fn keep(&self, records: Vec<Record>) -> Vec<Record> {
        let each: Vec<(WaypointId, Link)> = records.iter().map(|record| (record.from, record.link())).collect();
        let mut kept = sure::choose(self.grounds.waypoints.len(), each, TRUST_KEPT);
        kept.sort_by_key(|(from, link)| (*from, link.order()));
        let is_kept = |record: &Record| {
            let key = (record.from, record.alone.order());
            kept.binary_search_by_key(&key, |(from, link)| (*from, link.order())).is_ok()
        };
        records.into_iter().filter(is_kept).collect()
    }

    fn starts(&self, links: &Links) -> Vec<WaypointId> {
        let waypoints = self.grounds.waypoints;
        let can_start = |id: &WaypointId| !waypoints.flags[id.index()].meets(NO_START) && !links.from(*id).is_empty();
        waypoints.ids().filter(can_start).collect()
    }

    /// One route from a waypoint: what was walked of it.
    fn walk_from(&self, links: &Links, start: WaypointId, round: usize) -> Vec<Passed> {
        let waypoints = self.grounds.waypoints;
        let mut search = Search::default();
        search.flood(links, start, &Everywhere);
        let first = start.index() * GOAL_STRIDE + (round + 1) * ROUND_STRIDE;
        let goals = (0..waypoints.len()).map(|index| WaypointId::from((first + index) % waypoints.len()));
        let goal = goals.into_iter().find(|goal| *goal != start && search.cost_to(*goal).is_some());
        let mut route = Route::default();
        let has_route = goal.is_some_and(|goal| search.trace_back(links, goal, &mut route));
        if !has_route {
            return Vec::new();
        }
        let leg = |id: &LinkId| legs::leg(waypoints, self.movers, links.start_of(*id), &links.links[id.index()]);
        let legs: Vec<Leg> = route.links.iter().map(leg).collect();
        let turn = (start.index() * ROUNDS + round) as f32 * GOLDEN_ANGLE;
        self.walk(&route.links, &legs, self.body_at(waypoints, start, turn))
    }

    fn walk(&self, route: &[LinkId], legs: &[Leg], player: Player) -> Vec<Passed> {
        let mut passed = Vec::with_capacity(route.len());
        let Some(mut follower) = Follower::new(legs) else { return passed };
        let mut outing = Outing::among_movers(self.course, player, u32::MAX);
        let promised: i32 = legs.iter().map(|leg| leg.time_ms).sum();
        let mut entered_ms = 0;
        loop {
            let before = follower.index();
            let now = outing.spent_ms();
            let progress = outing.frame(|player, setting, ms| {
                let (keys, progress) = follower.press(legs, player, setting, ms);
                (keys.command_facing_ahead(player), progress)
            });
            for link in &route[before..follower.index()] {
                passed.push((*link, Some(now - entered_ms)));
                entered_ms = now;
            }
            let is_late = now > promised * LATE_TIMES + LATE_MS;
            let is_dead = !outing.cost.is_survived_with(HEALTH);
            match progress {
                Progress::Arrived => {
                    passed.push((route[follower.index()], Some(now - entered_ms)));
                    return passed;
                }
                Progress::OnTheWay if !is_late && !is_dead => {}
                Progress::OnTheWay | Progress::Lost(_) => {
                    passed.push((route[follower.index()], None));
                    return passed;
                }
            }
        }
    }

    /// A little beside a waypoint, as far as a body gets over the same floor.
    fn body_at(&self, waypoints: &Waypoints, start: WaypointId, turn: f32) -> Player {
        let rules = self.course.rules;
        let origin = waypoints.origin[start.index()];
        let mut player = Player::at(origin, rules);
        if waypoints.flags[start.index()].meets(WaypointFlags::CROUCH_ONLY) {
            player.stance = Stance::Crouched;
        }
        let hull = player.hull(rules);
        let scene = self.course.scene();
        let sweep = |from: Vec3, to: Vec3| scene.sweep(&Sweep::hull(from, to, hull, self.course.mask), None);
        let across = sweep(origin, origin + Vec3::new(maths::cos(turn), maths::sin(turn), 0.0) * JITTER);
        let below = sweep(across.end, across.end - Vec3::Z * 2.0);
        if !across.start_solid && below.is_hit() {
            player.origin = across.end;
        }
        player
    }
}

fn count_in(records: &mut [Record], passed: &[Passed]) {
    let mut before: Option<LinkId> = None;
    for (link, time_ms) in passed {
        let record = &mut records[link.index()];
        record.walked += 1;
        match time_ms {
            Some(time_ms) => {
                record.finished += 1;
                record.spent_ms += u64::from(time_ms.unsigned_abs());
            }
            None => {
                record.failed_halves += 2;
                if let Some(before) = before {
                    records[before.index()].failed_halves += 1;
                }
            }
        }
        before = Some(*link);
    }
}

impl Record {
    fn new(from: WaypointId, alone: Link) -> Record {
        Record { from, alone, walked: 0, failed_halves: 0, finished: 0, spent_ms: 0 }
    }

    /// The link as far as is known now: trusted as far as the worse of proof and routes allows, as quick as routes were.
    fn link(&self) -> Link {
        let halves = self.walked * 2;
        // As if it had been walked well once more: one failure is no proof that it always fails.
        let arrived = (halves.saturating_sub(self.failed_halves) + 2) * 255 / (halves + 2);
        let mean = self.spent_ms.checked_div(u64::from(self.finished)).filter(|_| self.finished >= WALKS_MIN);
        let time_ms = mean.map_or(self.alone.time_ms, |mean| mean.clamp(1, u64::from(u16::MAX)) as u16);
        Link { time_ms, trust: self.alone.trust.min(arrived.min(255) as u8), ..self.alone }
    }
}
