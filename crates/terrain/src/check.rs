//! Whether a terrain's tables fit together: every id names a row that is there, every column is as long as it must be.
//!
//! Whoever has a `Terrain` may index with what it holds; this is why. Files, text and the bake all pass through here.

use glam::Vec3;

use crate::ids::{AreaId, MoverId, WAYPOINTS_MAX, WaypointId};
use crate::throws::{DoorThrow, Stored};
use crate::{
    Ground, HidingSpots, Landmarks, LinkFlags, Links, Movers, OpeningFlags, PortalFlags, Span, SpanFlags, Terrain,
    Throws, WaypointFlags,
};

/// No coordinate of a map is larger: the engine's own traces end before that.
pub const COORDINATE_MAX: f32 = 131_072.0;

/// The longest name of a map.
pub const NAME_BYTES_MAX: usize = 256;
/// Most areas and most portals a terrain may have.
pub const AREAS_MAX: usize = WAYPOINTS_MAX;
/// Most pairs that doors hide from each other.
pub const OPENINGS_MAX: usize = 1 << 22;

/// What does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{table} {row}: {what}")]
pub struct Unsound {
    /// The table, as the file's sections are called.
    pub table: &'static str,
    pub row: usize,
    pub what: String,
}

/// Finds fault with one row of one table.
struct Finder {
    table: &'static str,
    row: usize,
}

impl Finder {
    fn fault(&self, what: impl Into<String>) -> Unsound {
        Unsound { table: self.table, row: self.row, what: what.into() }
    }

    fn expect(&self, is_so: bool, what: &str) -> Result<(), Unsound> {
        if is_so { Ok(()) } else { Err(self.fault(what)) }
    }

    fn point(&self, point: Vec3, name: &str) -> Result<(), Unsound> {
        // A comparison with NaN is false, so this refuses it too.
        let is_in_range = point.abs().to_array().into_iter().all(|coordinate| coordinate <= COORDINATE_MAX);
        if is_in_range { Ok(()) } else { Err(self.fault(format!("{name} {point} is outside any map"))) }
    }

    fn positive(&self, number: f32, name: &str) -> Result<(), Unsound> {
        let is_in_range = (0.0..=f32::MAX).contains(&number);
        if is_in_range { Ok(()) } else { Err(self.fault(format!("{name} is {number}"))) }
    }

    fn index(&self, index: usize, count: usize, name: &str) -> Result<(), Unsound> {
        if index < count { Ok(()) } else { Err(self.fault(format!("there is no {name} {index}, only {count}"))) }
    }
}

/// How many rows the tables have that others point into.
#[derive(Clone, Copy)]
struct Counts {
    waypoints: usize,
    movers: usize,
    areas: usize,
}

impl Counts {
    fn waypoint(self, finder: &Finder, id: WaypointId) -> Result<(), Unsound> {
        finder.index(id.index(), self.waypoints, "waypoint")
    }

    fn mover(self, finder: &Finder, id: MoverId) -> Result<(), Unsound> {
        id.get().map_or(Ok(()), |id| finder.index(id.index(), self.movers, "mover"))
    }

    fn area(self, finder: &Finder, id: AreaId) -> Result<(), Unsound> {
        finder.index(id.index(), self.areas, "area")
    }
}

fn rows<'a, T>(table: &'static str, rows: &'a [T]) -> impl Iterator<Item = (Finder, &'a T)> {
    rows.iter().enumerate().map(move |(row, value)| (Finder { table, row }, value))
}

fn whole(table: &'static str) -> Finder {
    Finder { table, row: 0 }
}

impl Terrain {
    /// Whether everything fits together; the first fault if not.
    pub fn check(&self) -> Result<(), Unsound> {
        self.check_tables()?;
        self.check_derived()
    }

    /// The same for what does not follow from the links.
    pub(crate) fn check_tables(&self) -> Result<(), Unsound> {
        let counts = self.counts();
        self.check_waypoints()?;
        self.check_ground(counts)?;
        self.check_links(counts)?;
        self.check_movers()?;
        self.check_sight(counts)?;
        self.check_areas(counts)?;
        self.check_hiding(counts)?;
        self.check_throws(counts)
    }

    fn counts(&self) -> Counts {
        Counts { waypoints: self.waypoints.len(), movers: self.movers.spots.len(), areas: self.areas.areas.len() }
    }

    fn check_waypoints(&self) -> Result<(), Unsound> {
        let name = &self.provenance.map_name;
        let is_plain = name.len() <= NAME_BYTES_MAX && !name.contains(char::is_control);
        whole("name").expect(is_plain, "the map's name is too long or no plain text")?;
        let finder = whole("waypoints");
        finder.expect(self.waypoints.len() <= WAYPOINTS_MAX, "there are more than a terrain may have")?;
        finder.expect(self.waypoints.flags.len() == self.waypoints.len(), "the columns differ in length")?;
        finder.expect(self.feet.abs() <= COORDINATE_MAX, "the feet are out of range")?;
        for (finder, &origin) in rows("waypoints", &self.waypoints.origin) {
            finder.point(origin, "origin")?;
        }
        for (finder, &flags) in rows("waypoints", &self.waypoints.flags) {
            finder.expect(WaypointFlags::ALL.holds(flags), "it has flags without a meaning")?;
        }
        Ok(())
    }

    fn check_ground(&self, counts: Counts) -> Result<(), Unsound> {
        let Ground { cell, origin, size, column_first, spans } = &self.ground;
        let finder = whole("ground");
        finder.expect((1.0..=1024.0).contains(cell), "the cells are out of range")?;
        let is_near = |origin: &i32| origin.unsigned_abs() as f32 * cell <= COORDINATE_MAX;
        finder.expect(origin.iter().all(is_near), "it begins outside any map")?;
        let columns = (size[0] as usize).saturating_mul(size[1] as usize);
        finder.expect(columns <= Ground::COLUMNS_MAX, "there are more columns than a terrain may have")?;
        finder.expect(spans.len() <= Ground::SPANS_MAX, "there are more spans than a terrain may have")?;
        finder.expect(column_first.len() == columns + 1, "the columns are not as many as its size says")?;
        finder.expect(column_first.is_sorted(), "a column ends before it begins")?;
        finder.expect(column_first[0] == 0 && column_first[columns] as usize == spans.len(), "columns miss spans")?;
        for (row, bounds) in column_first.windows(2).enumerate() {
            // Most columns have one span or none, and a large map has a million of them.
            if bounds[1] - bounds[0] > 1 {
                let finder = Finder { table: "ground", row };
                let column = &spans[bounds[0] as usize..bounds[1] as usize];
                finder.expect(column.len() <= Ground::COLUMN_SPANS_MAX, "a column has too many spans")?;
                finder.expect(column.is_sorted_by(|a, b| a.feet < b.feet), "the spans of a column are out of order")?;
            }
        }
        let is_owned = |span: &Span| span.waypoint.get().is_none_or(|id| id.index() < counts.waypoints);
        let is_sound = |span: &Span| is_owned(span) & SpanFlags::ALL.holds(span.flags);
        // All of them at once first: without a way out in between this goes several spans at a time.
        if spans.iter().fold(true, |all, span| all & is_sound(span)) {
            return Ok(());
        }
        let Some(row) = spans.iter().position(|span| !is_sound(span)) else { return Ok(()) };
        let (finder, span) = (Finder { table: "ground", row }, &spans[row]);
        span.waypoint.get().map_or(Ok(()), |id| counts.waypoint(&finder, id))?;
        finder.expect(SpanFlags::ALL.holds(span.flags), "it has flags without a meaning")
    }

    fn check_links(&self, counts: Counts) -> Result<(), Unsound> {
        let Links { first, links } = &self.links;
        let finder = whole("links");
        finder.expect(links.len() <= Links::MAX, "there are more than a terrain may have")?;
        finder.expect(first.len() == counts.waypoints + 1, "they are for another number of waypoints")?;
        finder.expect(first.is_sorted(), "a waypoint's links end before they begin")?;
        finder.expect(first[0] == 0 && first[counts.waypoints] as usize == links.len(), "some belong nowhere")?;
        for (finder, bounds) in first.windows(2).enumerate().map(|(row, b)| (Finder { table: "links", row }, b)) {
            let from = &links[bounds[0] as usize..bounds[1] as usize];
            finder.expect(from.is_sorted_by(|a, b| a.order() < b.order()), "a waypoint's links are out of order")?;
            finder.expect(from.iter().all(|link| link.to.index() != finder.row), "a link leads to its own start")?;
        }
        for (finder, link) in rows("links", links) {
            counts.waypoint(&finder, link.to)?;
            counts.mover(&finder, link.mover)?;
            counts.mover(&finder, link.opener)?;
            finder.expect(link.time_ms > 0, "it takes no time")?;
            finder.expect(LinkFlags::ALL.holds(link.flags), "it has flags without a meaning")?;
        }
        Ok(())
    }

    fn check_movers(&self) -> Result<(), Unsound> {
        let spots = &self.movers.spots;
        let finder = whole("movers");
        finder.expect(spots.len() <= Movers::MAX, "there are more than a terrain may have")?;
        finder.expect(spots.is_sorted_by(|a, b| a.entity < b.entity), "they are out of order")?;
        for (finder, spot) in rows("movers", spots) {
            finder.point(spot.stand, "stand")?;
            finder.point(spot.aim, "aim")?;
            finder.point(spot.shift, "shift")?;
        }
        Ok(())
    }

    fn check_sight(&self, counts: Counts) -> Result<(), Unsound> {
        let finder = whole("sight");
        for rows in [&self.sight.standing, &self.sight.crouched] {
            finder.expect(rows.size() == counts.waypoints, "it is for another number of waypoints")?;
        }
        let finder = whole("openings");
        let openings = &self.sight.openings;
        finder.expect(openings.len() <= OPENINGS_MAX, "there are more than a terrain may have")?;
        finder.expect(openings.is_sorted_by(|a, b| a < b), "they are out of order")?;
        for (finder, opening) in rows("openings", openings) {
            counts.waypoint(&finder, opening.from)?;
            counts.waypoint(&finder, opening.to)?;
            counts.mover(&finder, opening.mover)?;
            finder.expect(OpeningFlags::ALL.holds(opening.adds), "it has flags without a meaning")?;
        }
        Ok(())
    }

    fn check_areas(&self, counts: Counts) -> Result<(), Unsound> {
        let finder = whole("areas");
        finder.expect(counts.areas <= AREAS_MAX, "there are more than a terrain may have")?;
        finder.expect(self.areas.of_waypoint.len() == counts.waypoints, "they are for another number of waypoints")?;
        for (finder, area) in rows("areas", &self.areas.of_waypoint) {
            area.get().map_or(Ok(()), |area| counts.area(&finder, area))?;
        }
        for (finder, area) in rows("areas", &self.areas.areas) {
            finder.point(area.mins, "mins")?;
            finder.point(area.maxs, "maxs")?;
            finder.positive(area.floor, "floor")?;
        }
        let finder = whole("portals");
        finder.expect(self.portals.portals.len() <= AREAS_MAX, "there are more than a terrain may have")?;
        for (finder, portal) in rows("portals", &self.portals.portals) {
            portal.areas.iter().try_for_each(|&area| counts.area(&finder, area))?;
            portal.waypoints.iter().try_for_each(|&waypoint| counts.waypoint(&finder, waypoint))?;
            counts.mover(&finder, portal.mover)?;
            finder.expect(PortalFlags::ALL.holds(portal.flags), "it has flags without a meaning")?;
            finder.point(portal.centre, "centre")?;
            finder.positive(portal.width, "width")?;
            finder.positive(portal.height, "height")?;
        }
        Ok(())
    }

    fn check_hiding(&self, counts: Counts) -> Result<(), Unsound> {
        let spots = &self.hiding.spots;
        let finder = whole("hiding");
        finder.expect(spots.len() <= HidingSpots::MAX, "there are more than a terrain may have")?;
        finder.expect(spots.is_sorted_by_key(|spot| spot.waypoint), "they are out of order")?;
        for (finder, spot) in rows("hiding", spots) {
            counts.waypoint(&finder, spot.waypoint)?;
            finder.point(spot.origin, "origin")?;
        }
        let are_whole = self.values.columns().iter().all(|column| column.len() == counts.waypoints);
        whole("values").expect(are_whole, "a column is for another number of waypoints")
    }

    fn check_throws(&self, counts: Counts) -> Result<(), Unsound> {
        let finder = whole("throws");
        finder.expect(self.throws.tables.len() <= Throws::MAX, "there are more tables than a terrain may have")?;
        for (finder, table) in rows("throws", &self.throws.tables) {
            let sizes = [table.always.size(), table.doors.size()];
            finder.expect(sizes == [counts.waypoints; 2], "a table is for another number of waypoints")?;
            let are_whole = !table.throwables.is_empty() && (1..=Stored::SPEEDS).contains(&table.speeds.len());
            finder.expect(are_whole, "a table has no name, no speed or too many")?;
            table.speeds.iter().try_for_each(|&speed| finder.positive(speed, "speed"))?;
            let are_whole = table.disposals.is_empty() || table.disposals.len() == counts.waypoints;
            finder.expect(are_whole, "the disposals are for another number of waypoints")?;
            let has_speed = |throw: Stored| finder.index(throw.speed.into(), table.speeds.len(), "speed");
            table.disposals.iter().flatten().try_for_each(|throw| has_speed(*throw))?;
            table.always.iter().try_for_each(|(_, _, bytes)| has_speed(Stored::from_bytes(bytes)))?;
            for (_, _, bytes) in table.doors.iter() {
                let throw = DoorThrow::from_bytes(bytes);
                has_speed(throw.throw)?;
                finder.index(throw.mover.index(), counts.movers, "mover")?;
            }
        }
        Ok(())
    }

    /// The same for what does.
    pub(crate) fn check_derived(&self) -> Result<(), Unsound> {
        let counts = self.counts();
        let is_whole = self.times.steps().len() == counts.waypoints * counts.waypoints;
        whole("times").expect(is_whole, "they are for another number of waypoints")?;
        let finder = whole("landmarks");
        let (from_ms, to_ms) = self.landmarks.tables();
        let size = self.landmarks.waypoints().len() * counts.waypoints;
        let are_whole = from_ms.len() == size && to_ms.len() == size;
        finder.expect(self.landmarks.waypoints().len() <= Landmarks::MAX, "there are more than a terrain may have")?;
        finder.expect(are_whole, "they are for another number of waypoints")?;
        self.landmarks.waypoints().iter().try_for_each(|&waypoint| counts.waypoint(&finder, waypoint))?;
        let is_whole = self.islands.of_waypoint.len() == counts.waypoints;
        whole("islands").expect(is_whole, "they are for another number of waypoints")
    }
}
