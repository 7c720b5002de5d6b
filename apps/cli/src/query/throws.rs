//! Asking for throws: `can-throw`, `throw`, `sources`, `targets`, `disposal`.
//!
//! The file alone says what is stored. With the map at hand (`--map`) a throw is decoded as a bot would decode it, flown,
//! and judged by its eight marks.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fireteam_terrain::throws::{Decoder, DoorThrow, Needs, Stored};
use fireteam_terrain::{MoverId, Terrain, ThrowTable, WaypointId};
use fireteam_world::pcg::Pcg;
use fireteam_world::throwing::seek::Aimed;
use fireteam_world::throwing::{Cell, Hand, Range, Salvo, Stand};
use fireteam_world::{Solids, Vec3};
use serde::Serialize;

use super::at as place;
use crate::spot::Spot;
use crate::still::{Still, stand_at};
use crate::{demo, maps};

/// What is thrown, and what is believed of doors.
#[derive(Args, Debug)]
pub(super) struct Thrown {
    /// What is thrown, as the game calls it; without it, what the file's first table is for
    #[arg(long, value_name = "NAME")]
    throwable: Option<String>,

    /// A door that is believed open, by its number among the map's entities; may be given several times
    #[arg(long, value_name = "ENTITY")]
    open: Vec<u16>,
}

/// What a throw is decoded and judged on.
#[derive(Args, Debug)]
pub(super) struct Judging {
    /// The map, to decode the throw and judge it: as `fireteam bake` takes it
    #[arg(long, value_name = "MAP")]
    map: Option<String>,

    /// Whose rules the terrain was baked for, with --map
    #[arg(long, value_name = "NAME|FILE", default_value = "openarena")]
    game: String,
}

#[derive(Debug, Serialize)]
pub(super) struct CanThrowAnswer {
    throwable: String,
    from: u16,
    at: u16,
    /// With the doors as they are believed.
    can_throw: bool,
    /// None if it holds whatever the doors do, or if there is no throw at all.
    needs: Option<DoorRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct ThrowAnswer {
    throwable: String,
    from: u16,
    at: u16,
    throw: ThrowRow,
    /// Only if the map is at hand.
    judged: Option<JudgedRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct ListAnswer {
    throwable: String,
    /// `sources` or `targets`.
    #[serde(skip)]
    asked: Asked,
    of: u16,
    throws: Vec<ListRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct DisposalAnswer {
    throwable: String,
    from: u16,
    throw: Option<ThrowRow>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    Sources,
    Targets,
}

#[derive(Debug, Serialize)]
struct ListRow {
    waypoint: u16,
    #[serde(flatten)]
    throw: ThrowRow,
}

/// A door by its number among the map's entities, and how it must be.
#[derive(Debug, Serialize)]
struct DoorRow {
    entity: u16,
    must_be: &'static str,
    is_so: bool,
}

#[derive(Debug, Serialize)]
struct ThrowRow {
    yaw: f32,
    pitch: f32,
    speed: f32,
    stance: &'static str,
    cooked_ms: i32,
    /// None: when the fuse ends.
    arrives_within_ms: Option<i32>,
    lies_long: bool,
}

/// A throw as it is decoded where one really stands, and what it is worth.
#[derive(Debug, Serialize)]
struct JudgedRow {
    /// Why the decoder would not throw it; then there is nothing else.
    refused: Option<String>,
    #[serde(flatten)]
    flown: Option<FlownRow>,
}

#[derive(Debug, Serialize)]
struct FlownRow {
    yaw: f32,
    pitch: f32,
    speed: f32,
    first_touch: [f32; 3],
    goes_off: [f32; 3],
    after_ms: i32,
    bounces: u32,
    /// Over an unsteady hand, from all over the one cell at all over the other.
    score: f32,
    delivered: f32,
    points: f32,
    hurts_thrower: bool,
    marks: Vec<(&'static str, f32)>,
}

impl From<(&ThrowTable, Stored)> for ThrowRow {
    fn from((table, stored): (&ThrowTable, Stored)) -> ThrowRow {
        let throw = stored.throw(table);
        ThrowRow {
            yaw: throw.yaw,
            pitch: throw.pitch,
            speed: throw.speed,
            stance: if stored.is_crouched { "crouched" } else { "standing" },
            cooked_ms: throw.cooked_ms,
            arrives_within_ms: stored.arrives_within_ms(),
            lies_long: stored.lies_long,
        }
    }
}

/// A table, and the doors that are believed open.
struct Book<'a> {
    terrain: &'a Terrain,
    table: &'a ThrowTable,
    open: Vec<MoverId>,
}

impl<'a> Book<'a> {
    fn open(terrain: &'a Terrain, thrown: &Thrown) -> Result<Book<'a>> {
        let tables = &terrain.throws.tables;
        ensure!(!tables.is_empty(), "this terrain has no throws: bake the map again, without --no-throws");
        let table = match &thrown.throwable {
            None => tables.first(),
            Some(name) => terrain.throws.of(name),
        };
        let known = || tables.iter().flat_map(|table| &table.throwables).cloned().collect::<Vec<String>>().join(", ");
        let table = table.with_context(|| {
            format!("this terrain has no throws of {}: it has {}", thrown.throwable.as_deref().unwrap_or("-"), known())
        })?;
        let mover = |entity: &u16| {
            let known = terrain.movers.of_entity(fireteam_world::units::EntityId(*entity));
            known.with_context(|| format!("entity {entity} is nothing that moves on this map"))
        };
        Ok(Book { terrain, table, open: thrown.open.iter().map(mover).collect::<Result<_>>()? })
    }

    fn name(&self) -> String {
        self.table.throwables.first().cloned().unwrap_or_default()
    }

    fn is_open(&self, mover: MoverId) -> bool {
        self.open.contains(&mover)
    }

    /// A spot grenades may be thrown from or at.
    fn spot(&self, spot: Spot) -> Result<WaypointId> {
        let id = spot.on(self.terrain)?;
        ensure!(
            self.terrain.waypoints.allows_grenades(id),
            "w{} is marked no-grenade: nobody throws from or at it",
            id.0
        );
        Ok(id)
    }

    fn row(&self, stored: Stored) -> ThrowRow {
        ThrowRow::from((self.table, stored))
    }

    fn door(&self, throw: DoorThrow) -> Option<DoorRow> {
        let spot = self.terrain.movers.get(throw.mover)?;
        let must_be = match throw.needs {
            Needs::Open => "open",
            Needs::Shut => "shut",
        };
        Some(DoorRow { entity: spot.entity.0, must_be, is_so: throw.is_valid(self.is_open(throw.mover)) })
    }
}

pub(super) fn can_throw(terrain: &Terrain, from: Spot, at: Spot, thrown: &Thrown) -> Result<CanThrowAnswer> {
    let book = Book::open(terrain, thrown)?;
    let (from, at) = (book.spot(from)?, book.spot(at)?);
    let can_throw = book.table.get(from, at, |mover| book.is_open(mover)).is_some();
    let holds_always = book.table.can_throw(from, at);
    let door = book.table.door_throw(from, at).filter(|_| !holds_always);
    let needs = door.and_then(|throw| book.door(throw));
    Ok(CanThrowAnswer { throwable: book.name(), from: from.0, at: at.0, can_throw, needs })
}

pub(super) fn throw(
    terrain: &Terrain,
    from: Spot,
    at: Spot,
    thrown: &Thrown,
    judging: &Judging,
) -> Result<ThrowAnswer> {
    let book = Book::open(terrain, thrown)?;
    let (source, target) = (book.spot(from)?, book.spot(at)?);
    let Some(stored) = book.table.get(source, target, |mover| book.is_open(mover)) else {
        let door = book.table.door_throw(source, target).and_then(|throw| book.door(throw));
        let why = door.map_or("none was found".to_owned(), |door| {
            format!("only while the door, entity {}, is {}: say so with --open", door.entity, door.must_be)
        });
        bail!("there is no throw of {} from w{} at w{}: {why}", book.name(), source.0, target.0);
    };
    let judged = match &judging.map {
        Some(map) => Some(judge(&book, &stored, (from, source), (at, target), map, &judging.game)?),
        None => None,
    };
    let throw = book.row(stored);
    Ok(ThrowAnswer { throwable: book.name(), from: source.0, at: target.0, throw, judged })
}

pub(super) fn sources(terrain: &Terrain, at: Spot, thrown: &Thrown) -> Result<ListAnswer> {
    let book = Book::open(terrain, thrown)?;
    let at = book.spot(at)?;
    let found = book.table.sources(at, |mover| book.is_open(mover)).collect();
    Ok(list(&book, Asked::Sources, at, found))
}

pub(super) fn targets(terrain: &Terrain, from: Spot, thrown: &Thrown) -> Result<ListAnswer> {
    let book = Book::open(terrain, thrown)?;
    let from = book.spot(from)?;
    let found = book.table.targets(from, |mover| book.is_open(mover)).collect();
    Ok(list(&book, Asked::Targets, from, found))
}

fn list(book: &Book<'_>, asked: Asked, of: WaypointId, mut found: Vec<(WaypointId, Stored)>) -> ListAnswer {
    found.retain(|(waypoint, _)| book.terrain.waypoints.allows_grenades(*waypoint));
    found.sort_by_key(|(waypoint, _)| *waypoint);
    let throws = found.into_iter().map(|(waypoint, stored)| ListRow { waypoint: waypoint.0, throw: book.row(stored) });
    ListAnswer { throwable: book.name(), asked, of: of.0, throws: throws.collect() }
}

pub(super) fn disposal(terrain: &Terrain, from: Spot, thrown: &Thrown) -> Result<DisposalAnswer> {
    let book = Book::open(terrain, thrown)?;
    // One that burns is thrown away wherever one is, marked or not.
    let from = from.on(terrain)?;
    let throw = book.table.disposal(from).map(|stored| book.row(stored));
    Ok(DisposalAnswer { throwable: book.name(), from: from.0, throw })
}

/// Decodes a throw for where the two really are, and judges what comes of it.
fn judge(
    book: &Book<'_>,
    stored: &Stored,
    (from, source): (Spot, WaypointId),
    (at, target): (Spot, WaypointId),
    map: &str,
    game: &str,
) -> Result<JudgedRow> {
    let (map, game) = (maps::load(map)?, demo::load_game(game)?);
    let made_from = &book.terrain.provenance;
    ensure!(made_from.map == map.digest, "the terrain is of another map than {}", map.name);
    ensure!(made_from.physics == game.physics_digest(), "the terrain was baked for other rules: name them with --game");
    let throwable = book.table.throwables.first().and_then(|name| game.throwable(name));
    let throwable = throwable.context("the game knows no such throwable")?;
    let solids = Solids::build(&map);
    let still = Still::of(&map, &game, &solids, &book.terrain.movers, &book.open);
    let range = Range::of(&game, throwable, still.air(&solids)).context("what does not explode is not judged")?;
    let hand = Hand::of(throwable);
    let (from, at) = (really(book.terrain, from, source), really(book.terrain, at, target));
    let decoder = Decoder { table: book.table, range: &range, hand: &hand };
    let middle = book.terrain.waypoints.origin[source.index()];
    Ok(match decoder.decode(stored, middle, &from, &at) {
        Err(refusal) => JudgedRow { refused: Some(refusal.to_string()), flown: None },
        Ok(aimed) => {
            let from = Stand { stance: stored.stance(), ..from };
            let places = [source, target].map(|waypoint| around(book.terrain, waypoint));
            let cells = (Cell { stand: from, origins: &places[0] }, Cell { stand: at, origins: &places[1] });
            JudgedRow { refused: None, flown: Some(flown(&range, &hand, &aimed, &cells)) }
        }
    })
}

/// Where somebody is who is said to be there: at the very place, or in the middle of a waypoint's cell.
fn really(terrain: &Terrain, spot: Spot, waypoint: WaypointId) -> Stand {
    let middle = stand_at(terrain, waypoint);
    match spot {
        Spot::Place(origin) => Stand { origin, ..middle },
        Spot::Waypoint(_) => middle,
    }
}

/// Origins all over a waypoint's cell.
fn around(terrain: &Terrain, waypoint: WaypointId) -> Vec<Vec3> {
    /// As many as the bake judges by.
    const SAMPLES: usize = 8;
    let cells = terrain.cells();
    let mut chance = Pcg::named(u64::from(waypoint.0), "cells");
    (0..SAMPLES).map(|_| *chance.pick(cells.of_waypoint(waypoint))).collect()
}

fn flown(range: &Range<'_>, hand: &Hand, aimed: &Aimed, (from, at): &(Cell<'_>, Cell<'_>)) -> FlownRow {
    let salvo = Salvo::fly(range, hand, from, &aimed.throw);
    let verdict = salvo.verdict(range, at);
    FlownRow {
        yaw: aimed.throw.yaw,
        pitch: aimed.throw.pitch,
        speed: aimed.throw.speed,
        first_touch: salvo.steady.first.to_array(),
        goes_off: salvo.steady.place.to_array(),
        after_ms: salvo.steady.end_ms,
        bounces: salvo.steady.bounces,
        score: verdict.score,
        delivered: verdict.delivered,
        points: verdict.points,
        hurts_thrower: salvo.own_points > 0,
        marks: verdict.marks.each().to_vec(),
    }
}

pub(super) fn can_throw_line(answer: &CanThrowAnswer) -> String {
    let CanThrowAnswer { throwable, from, at, can_throw, needs } = answer;
    let what = match (can_throw, needs) {
        (true, None) => "yes".to_owned(),
        (false, None) => "no".to_owned(),
        (_, Some(door)) => {
            let yes = if *can_throw { "yes" } else { "no" };
            format!("{yes}: only while entity {} is {}", door.entity, door.must_be)
        }
    };
    format!("{throwable} from w{from} at w{at}: {what}\n")
}

pub(super) fn throw_lines(answer: &ThrowAnswer) -> String {
    let ThrowAnswer { throwable, from, at, throw, judged } = answer;
    let mut lines = format!("{throwable} from w{from} at w{at}: {}\n", throw.told());
    let Some(judged) = judged else { return lines };
    if let Some(why) = &judged.refused {
        lines += &format!("  refused: {why}\n");
    }
    if let Some(flown) = &judged.flown {
        lines += &flown.lines();
    }
    lines
}

pub(super) fn list_lines(answer: &ListAnswer) -> String {
    let ListAnswer { throwable, asked, of, throws } = answer;
    let count = throws.len();
    let mut lines = match asked {
        Asked::Sources => format!("{throwable} at w{of}: from {count} waypoints\n"),
        Asked::Targets => format!("{throwable} from w{of}: at {count} waypoints\n"),
    };
    for ListRow { waypoint, throw } in throws {
        lines += &format!("  {:<6} {}\n", format!("w{waypoint}"), throw.told());
    }
    lines
}

pub(super) fn disposal_line(answer: &DisposalAnswer) -> String {
    let DisposalAnswer { throwable, from, throw } = answer;
    let told = throw.as_ref().map_or("there is no safe way to get rid of it".to_owned(), ThrowRow::told);
    format!("{throwable} away from w{from}: {told}\n")
}

impl ThrowRow {
    fn told(&self) -> String {
        let cooked = if self.cooked_ms == 0 { String::new() } else { format!(", held for {} ms", self.cooked_ms) };
        let arrival = self.arrives_within_ms.map_or("when the fuse ends".to_owned(), |ms| format!("within {ms} ms"));
        let lies = if self.lies_long { ", then lies for a while" } else { "" };
        let ThrowRow { yaw, pitch, speed, stance, .. } = self;
        format!("yaw {yaw:.1}, pitch {pitch:.0}, speed {speed:.0}, {stance}{cooked}; there {arrival}{lies}")
    }
}

impl FlownRow {
    fn lines(&self) -> String {
        let mut lines = format!(
            "  decoded: yaw {:.1}, pitch {:.1}, speed {:.0}; first touches {}, {} bounces, goes off at {} after {:.2} s\n",
            self.yaw,
            self.pitch,
            self.speed,
            place(self.first_touch),
            self.bounces,
            place(self.goes_off),
            f64::from(self.after_ms) / 1000.0
        );
        let own = if self.hurts_thrower { "may hurt the thrower" } else { "never hurts the thrower" };
        lines += &format!(
            "  verdict: score {:.2}, hurts him in {:.0} % of unsteady throws, {:.0} points on average, {own}\n",
            self.score,
            self.delivered * 100.0,
            self.points
        );
        for (name, mark) in &self.marks {
            lines += &format!("    {name:<18} {mark:.2}\n");
        }
        lines
    }
}
