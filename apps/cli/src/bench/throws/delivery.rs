//! Throws of the table, thrown: from anywhere in the one cell at anywhere in the other, by an unsteady hand.
//!
//! Each is decoded for where the two really are, and thrown once with fresh chance. Throws that need a door are thrown
//! with that door as they need it. What the decoder refuses was asked for in vain, and is a miss.

use std::time::Duration;

use anyhow::{Context, Result};
use fireteam_openarena::clock::timed;
use fireteam_terrain::throws::{Decoder, DoorThrow, Needs, Stored};
use fireteam_terrain::{MoverId, WaypointId};
use fireteam_world::pcg::Pcg;
use fireteam_world::throwing::{Hand, Range, Stand};

use super::super::Course;
use super::Ground;
use crate::still::{Still, stand_at};

const PAIRS: usize = 10_000;

/// One throw of the table.
pub(super) struct Thrown {
    from: WaypointId,
    at: WaypointId,
    throw: Stored,
    /// The door that must be open for it.
    open: Option<MoverId>,
}

impl Thrown {
    pub(super) fn all(ground: &Ground) -> Vec<Thrown> {
        let table = ground.table();
        let always = table.always.iter().map(|(at, from, bytes)| (at, from, Stored::from_bytes(bytes), None));
        let doors = table.doors.iter().map(|(at, from, bytes)| {
            let DoorThrow { throw, mover, needs } = DoorThrow::from_bytes(bytes);
            (at, from, throw, (needs == Needs::Open).then_some(mover))
        });
        let all = always.chain(doors);
        all.map(|(at, from, throw, open)| Thrown { from: from.into(), at: at.into(), throw, open }).collect()
    }
}

/// What came of throws.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    count: usize,
    refused: usize,
    hurt: usize,
    points: i64,
    /// The thrower himself was hurt.
    own: usize,
}

impl Tally {
    fn share(&self, part: usize) -> f64 {
        part as f64 / self.count as f64
    }

    pub(super) fn hurt(&self) -> f64 {
        self.share(self.hurt)
    }

    pub(super) fn refused(&self) -> f64 {
        self.share(self.refused)
    }

    pub(super) fn own(&self) -> f64 {
        self.share(self.own)
    }

    pub(super) fn mean_points(&self) -> f64 {
        self.points as f64 / self.count as f64
    }
}

#[derive(Default)]
pub(super) struct Delivered {
    /// Those at whom the thrower sees, and those he does not.
    seen: Tally,
    pub(super) unseen: Tally,
    /// CPU time of decoding.
    decoding: Duration,
}

impl Delivered {
    pub(super) fn all(&self) -> Tally {
        let (seen, unseen) = (self.seen, self.unseen);
        Tally {
            count: seen.count + unseen.count,
            refused: seen.refused + unseen.refused,
            hurt: seen.hurt + unseen.hurt,
            points: seen.points + unseen.points,
            own: seen.own + unseen.own,
        }
    }

    pub(super) fn unseen_share(&self) -> f64 {
        self.unseen.count as f64 / self.all().count as f64
    }

    pub(super) fn per_second(&self) -> f64 {
        self.all().count as f64 / self.decoding.as_secs_f64()
    }
}

pub(super) fn throw(course: &Course, ground: &Ground, all: &[Thrown]) -> Result<Delivered> {
    let Ground { map, solids, game, terrain, .. } = ground;
    let (throwable, cells) = (ground.throwable(), terrain.cells());
    let mut open: Vec<MoverId> = all.iter().filter_map(|thrown| thrown.open).collect();
    open.sort();
    open.dedup();
    let stills: Vec<Still> = std::iter::once(Vec::new())
        .chain(open.iter().map(|mover| vec![*mover]))
        .map(|open| Still::of(map, game, solids, &terrain.movers, &open))
        .collect();
    let ranges = stills.iter().map(|still| Range::of(game, throwable, still.air(solids)));
    let ranges: Vec<Range<'_>> = ranges.collect::<Option<_>>().context("a grenade explodes")?;
    let hand = Hand::of(throwable);
    let mut chance = Pcg::named(course.seed, "delivery");
    let mut delivered = Delivered::default();
    for _ in 0..if all.is_empty() { 0 } else { course.count(PAIRS) } {
        let thrown = chance.pick(all);
        let door = thrown.open.and_then(|mover| open.binary_search(&mover).ok());
        let range = &ranges[door.map_or(0, |door| door + 1)];
        let [from, at] = [thrown.from, thrown.at]
            .map(|waypoint| Stand { origin: *chance.pick(cells.of_waypoint(waypoint)), ..stand_at(terrain, waypoint) });
        let decoder = Decoder { table: ground.table(), range, hand: &hand };
        let middle = terrain.waypoints.origin[thrown.from.index()];
        let (aimed, time) = timed(|| decoder.decode(&thrown.throw, middle, &from, &at));
        delivered.decoding += time;
        let is_seen = terrain.sight.sees(thrown.from, thrown.at);
        let tally = if is_seen { &mut delivered.seen } else { &mut delivered.unseen };
        tally.count += 1;
        let Ok(aimed) = aimed else {
            tally.refused += 1;
            continue;
        };
        let from = Stand { stance: thrown.throw.stance(), ..from };
        let flown = range.fly(&from, &hand.unsteady(&aimed.throw, &mut chance));
        let points =
            |who: &Stand, is_thrower| if flown.explodes { range.points(flown.place, who, is_thrower) } else { 0 };
        tally.hurt += usize::from(points(&at, false) > 0);
        tally.points += i64::from(points(&at, false));
        tally.own += usize::from(points(&from, true) > 0);
    }
    Ok(delivered)
}
