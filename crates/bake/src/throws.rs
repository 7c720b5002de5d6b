//! Which grenade thrown from where lands where it hurts: the best throw for every pair of waypoints that has one.
//!
//! In: the ground, the waypoints, the movers. Out: a [`ThrowTable`] for each way of flying that the game has: things that
//! fly alike share one. From every waypoint a dense fan is flown once ([`fan`]); for every target its most promising throws
//! ([`promising`]) are judged with the errors of hand and place ([`search`]), and if none is good enough, some between them
//! ([`finer`]); the best is kept if it is sure enough and safe for the thrower, with the door it needs if it needs one
//! ([`source`]).
//!
//! After W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, 5.2, who searched each pair on its own, by a
//! genetic algorithm, for eight hours a map. Not here: judging a throw (`world::throwing`), using the table
//! (`terrain::throws`). Cost: `fireteam bench throws` prints it; nearly all of it is flights.

mod fan;
mod finer;
mod impact;
mod promising;
mod search;
mod source;
mod yard;

use fireteam_terrain::throws::{Listed, Pairs, Stored};
use fireteam_terrain::{Ground, Movers, ThrowTable, Throws, WaypointId, Waypoints};
use fireteam_world::game::{Throwable, ThrowableKind};
use fireteam_world::throwing::{Hand, Range};

use crate::progress::Step;
use crate::units::{Batch, Unit, Workshop};
use crate::{BakeError, Site};
use search::Search;
use yard::{Doors, Yard};

/// How hard throws are looked for, and which are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrowSettings {
    /// Throws in the fan that is flown from every waypoint, over all speeds; 0 bakes no throws at all.
    pub flights: u32,
    /// Where the corners of one of its squares go off further apart than this share of the blast's reach, the throw in the
    /// middle is flown too.
    pub parted: f32,
    /// Throws of the fan that are judged for each target: at least so many, and more as long as none delivers `enough` of
    /// its deviations; after some, a `fair` share is enough; and up to so many as long as there is none.
    pub candidates_min: usize,
    pub enough: f32,
    pub candidates_fair: usize,
    pub fair: f32,
    pub candidates: usize,
    /// After so many, any that is worth keeping is enough.
    pub candidates_any: usize,
    /// After so many in vain the target is given up, if not one of their deviations hit it.
    pub candidates_hopeless: usize,
    /// For a target that none of them is good enough for, so many of them are looked around for a better one: those that hit it
    /// most often, and at least so often.
    pub finer: usize,
    pub finer_hits: usize,
    /// Most of the deviations that may hurt the thrower: who decodes a throw looks again.
    pub own_hits_max: usize,
    /// Least share for a throw to be kept, and least score.
    pub delivered_min: f32,
    pub score_min: f32,
}

impl Default for ThrowSettings {
    fn default() -> ThrowSettings {
        ThrowSettings {
            flights: 3750,
            parted: 0.7,
            candidates_min: 2,
            enough: 0.9,
            candidates_fair: 4,
            fair: 0.75,
            candidates: 32,
            candidates_any: 16,
            candidates_hopeless: 12,
            finer: 4,
            finer_hits: 1,
            own_hits_max: 1,
            delivered_min: 0.58,
            score_min: 0.12,
        }
    }
}

impl ThrowSettings {
    /// A coarse fan, few candidates, none looked around.
    pub fn quick() -> ThrowSettings {
        let full = ThrowSettings::default();
        ThrowSettings { flights: 1500, parted: f32::INFINITY, candidates_min: 1, candidates: 4, finer: 0, ..full }
    }

    pub fn none() -> ThrowSettings {
        ThrowSettings { flights: 0, ..ThrowSettings::default() }
    }
}

/// Waypoints whose throws are one unit of work.
const SOURCES: usize = 4;
/// Steps in which a fuse is let burn in the hand: four of them are as long as anybody dares.
const COOK_STEP_MS: i32 = 400;

/// One way of flying.
struct Kind<'a> {
    throwable: &'a Throwable,
    yard: &'a Yard<'a>,
    settings: &'a ThrowSettings,
    /// Without throws.
    table: ThrowTable,
}

/// What was found from the waypoints of one unit: thrower, target and bytes.
#[derive(Clone, Debug, Default, PartialEq)]
struct Thrown {
    disposals: Vec<(WaypointId, [u8; 3])>,
    always: Vec<(WaypointId, WaypointId, [u8; 3])>,
    doors: Vec<(WaypointId, WaypointId, [u8; 5])>,
}

/// What the throws of a map are looked for on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grounds<'a> {
    pub(crate) ground: &'a Ground,
    pub(crate) waypoints: &'a Waypoints,
    pub(crate) movers: &'a Movers,
    pub(crate) inputs: [u8; 32],
}

/// Finds the throws of every kind.
pub(crate) fn find(workshop: &Workshop, site: &Site, grounds: &Grounds<'_>) -> Result<Throws, BakeError> {
    let yards = prepare(workshop, site, grounds);
    let kinds = kinds(site, &yards);
    let batch = batch(&kinds, grounds);
    let thrown = workshop.units(&batch, |unit| work_off(&kinds, unit))?;
    let of_kind = |(number, kind): (usize, &Kind<'_>)| {
        let of_kind = thrown.iter().skip(number).step_by(kinds.len().max(1));
        gather(kind.table.clone(), grounds.waypoints.len(), of_kind)
    };
    Ok(Throws { tables: kinds.iter().enumerate().map(of_kind).collect() })
}

/// Works off a shard's part of it.
pub(crate) fn find_shard(workshop: &Workshop, site: &Site, grounds: &Grounds<'_>) -> Result<(), BakeError> {
    let yards = prepare(workshop, site, grounds);
    let kinds = kinds(site, &yards);
    workshop.work_off(&batch(&kinds, grounds), |unit| work_off(&kinds, unit)).map(drop)
}

/// A yard for each way of flying; none if no throws are wanted.
fn prepare<'a>(workshop: &Workshop, site: &'a Site<'a>, grounds: &Grounds<'a>) -> Vec<Yard<'a>> {
    if site.settings.throws.flights == 0 {
        return Vec::new();
    }
    let radius = |throwable: &Throwable| throwable.blast.as_ref().map_or(0.0, |blast| blast.radius);
    let ways = ways_of_flying(site).into_iter();
    ways.map(|(throwable, _)| Yard::prepare(site, grounds, radius(throwable), workshop.executor)).collect()
}

fn kinds<'a>(site: &'a Site<'a>, yards: &'a [Yard<'a>]) -> Vec<Kind<'a>> {
    let ways = ways_of_flying(site).into_iter().zip(yards);
    ways.map(|((throwable, table), yard)| Kind { throwable, yard, settings: &site.settings.throws, table }).collect()
}

/// The units of all kinds, in turns.
fn batch(kinds: &[Kind<'_>], grounds: &Grounds<'_>) -> Batch {
    let count = grounds.waypoints.len().div_ceil(SOURCES) * kinds.len();
    Batch { step: Step::Throws, count, inputs: grounds.inputs }
}

fn work_off(kinds: &[Kind<'_>], unit: usize) -> Thrown {
    kinds[unit % kinds.len()].work_off(unit / kinds.len())
}

/// The game's throwables, one of each way of flying, with an empty table for those that share it. Of those that share one, the
/// one that explodes is judged by.
fn ways_of_flying<'a>(site: &Site<'a>) -> Vec<(&'a Throwable, ThrowTable)> {
    let mut ways: Vec<(&Throwable, ThrowTable)> = Vec::new();
    for (name, throwable) in &site.game.rules.throwables {
        if throwable.kind == ThrowableKind::Bolt || throwable.speeds.len() > Stored::SPEEDS {
            continue;
        }
        match ways.iter_mut().find(|(other, _)| other.flies_like(throwable)) {
            Some((judged_by, table)) => {
                let is_better = judged_by.blast.is_none() && throwable.blast.is_some();
                table.throwables.insert(if is_better { 0 } else { table.throwables.len() }, name.clone());
                if is_better {
                    *judged_by = throwable;
                }
            }
            None => {
                let table = ThrowTable {
                    throwables: vec![name.clone()],
                    speeds: throwable.speeds.clone(),
                    cook_step_ms: COOK_STEP_MS as u16,
                    ..ThrowTable::default()
                };
                ways.push((throwable, table));
            }
        }
    }
    ways.retain(|(throwable, _)| throwable.blast.is_some());
    ways
}

impl<'a> Kind<'a> {
    /// A search while doors are so.
    fn search(&'a self, doors: Doors) -> Search<'a> {
        let range = Range::of(self.yard.site.game, self.throwable, self.yard.air(doors));
        Search {
            yard: self.yard,
            range: range.expect("only what explodes has a table"),
            hand: Hand::of(self.throwable),
            settings: self.settings,
            table: &self.table,
        }
    }

    fn work_off(&self, unit: usize) -> Thrown {
        let mut thrown = Thrown::default();
        let sources = unit * SOURCES..((unit + 1) * SOURCES).min(self.yard.waypoints.len());
        sources.for_each(|from| source::throw_from(self, WaypointId::from(from), &mut thrown));
        thrown
    }
}

/// Sorts what was found by target.
fn gather<'a>(table: ThrowTable, waypoints: usize, thrown: impl Iterator<Item = &'a Thrown> + Clone) -> ThrowTable {
    let always = thrown.clone().flat_map(|thrown| &thrown.always);
    let doors = thrown.clone().flat_map(|thrown| &thrown.doors);
    let mut disposals = vec![None; waypoints];
    for (from, throw) in thrown.flat_map(|thrown| &thrown.disposals) {
        disposals[from.index()] = Some(Stored::from_bytes(throw));
    }
    let always = Pairs::of(waypoints, by_target(always));
    ThrowTable { disposals, always, doors: Listed::of(waypoints, by_target(doors)), ..table }
}

fn by_target<'a, const B: usize>(
    thrown: impl Iterator<Item = &'a (WaypointId, WaypointId, [u8; B])>,
) -> Vec<(usize, usize, [u8; B])> {
    let mut all: Vec<(usize, usize, [u8; B])> =
        thrown.map(|&(from, at, bytes)| (at.index(), from.index(), bytes)).collect();
    // A pair may have a throw through each of two doors; the first found is as good as the other.
    all.sort_by_key(|&(at, from, _)| (at, from));
    all.dedup_by_key(|&mut (at, from, _)| (at, from));
    all
}

impl Unit for Thrown {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.disposals.len() as u32, self.always.len() as u32].map(u32::to_le_bytes).as_flattened());
        for (from, throw) in &self.disposals {
            bytes.extend(from.0.to_le_bytes());
            bytes.extend(throw);
        }
        for (from, at, throw) in &self.always {
            bytes.extend([from.0, at.0].map(u16::to_le_bytes).as_flattened());
            bytes.extend(throw);
        }
        for (from, at, throw) in &self.doors {
            bytes.extend([from.0, at.0].map(u16::to_le_bytes).as_flattened());
            bytes.extend(throw);
        }
    }

    fn read(bytes: &[u8]) -> Option<Thrown> {
        let (disposals, rest) = bytes.split_first_chunk()?;
        let (always, rest) = rest.split_first_chunk()?;
        let length = |count: &[u8; 4], each: usize| (u32::from_le_bytes(*count) as usize).checked_mul(each);
        let (disposals, rest) = rest.split_at_checked(length(disposals, 5)?)?;
        let (always, doors) = rest.split_at_checked(length(always, 7)?)?;
        let (disposals, []) = disposals.as_chunks::<5>() else { return None };
        let (always, []) = always.as_chunks::<7>() else { return None };
        let (doors, []) = doors.as_chunks::<9>() else { return None };
        let id = |low: u8, high: u8| WaypointId(u16::from_le_bytes([low, high]));
        let always = always.iter().map(|&[f0, f1, a0, a1, a, b, c]| (id(f0, f1), id(a0, a1), [a, b, c]));
        let doors = doors.iter().map(|&[f0, f1, a0, a1, a, b, c, d, e]| (id(f0, f1), id(a0, a1), [a, b, c, d, e]));
        let disposals = disposals.iter().map(|&[f0, f1, a, b, c]| (id(f0, f1), [a, b, c]));
        Some(Thrown { disposals: disposals.collect(), always: always.collect(), doors: doors.collect() })
    }
}
