//! Reading a dump: one line after the other, into the tables a terrain is assembled from.
//!
//! Rows come in the order they are written in, and numbered rows without a gap; so a line that was lost is noticed.

use fireteam_world::units::{EntityId, ModelId};

use super::{VERSION, tail, throws};
use crate::text::{TextError, Words, lines, parse_ranges};
use crate::*;

/// The tables as far as they have been read.
#[derive(Default)]
struct Reading {
    parts: Parts,
    links: Vec<(WaypointId, Link)>,
    throws: throws::Reading,
    has_ground: bool,
    /// The first column of the ground that no line has come for yet.
    next_column: usize,
}

pub(super) fn read(file: &str, text: &str) -> Result<Terrain, TextError> {
    let mut lines = lines(file, text);
    let whole = |message: String| TextError { file: file.to_owned(), line: None, message };
    let Some(("fireteam", mut words)) = lines.next() else {
        return Err(whole(format!("the text does not begin with `fireteam terrain {VERSION}`")));
    };
    let version: u32 = words.keyed("terrain")?;
    if version != VERSION {
        return Err(words.error(format!("this is version {version}, this program reads {VERSION}")));
    }
    words.finish()?;
    let mut reading = Reading::default();
    for (verb, mut words) in lines {
        reading.row(verb, &mut words)?;
        words.finish()?;
    }
    let Reading { mut parts, links, throws, next_column, .. } = reading;
    let spans = parts.ground.spans.len() as u32;
    parts.ground.column_first[next_column..].fill(spans);
    let count = parts.waypoints.len();
    parts.throws = throws.finish(count);
    let given = links.len();
    parts.links = Links::gather(count, links);
    if parts.links.links.len() != given {
        return Err(whole("two links agree in start, end, kind and mover".to_owned()));
    }
    // Rows that never came are rows in which nobody sees anybody.
    for rows in [&mut parts.sight.standing, &mut parts.sight.crouched] {
        if rows.size() != count {
            *rows = BitRows::new(count);
        }
    }
    Terrain::assemble(parts).map_err(|unsound| whole(unsound.to_string()))
}

impl Reading {
    fn row(&mut self, verb: &str, words: &mut Words<'_>) -> Result<(), TextError> {
        match verb {
            "name" => self.parts.provenance.map_name = read_name(words)?,
            "map" => self.parts.provenance.map = read_digest(words)?,
            "physics" => self.parts.provenance.physics = read_digest(words)?,
            "settings" => self.parts.provenance.settings = read_digest(words)?,
            "overlay" => self.parts.provenance.overlay = read_checksum(words)?,
            "feet" => self.parts.feet = words.number("height")?,
            "waypoint" => self.waypoint(words)?,
            "mover" => self.mover(words)?,
            "link" => self.link(words)?,
            "area" => self.area(words)?,
            "portal" => self.portal(words)?,
            "sees" | "sees-crouched" => self.sees(verb, words)?,
            "opening" => self.opening(words)?,
            "hide" => self.hide(words)?,
            "throws" => self.throws.table(words)?,
            "disposal" => self.throws.disposal(words, self.parts.waypoints.len())?,
            "always" => self.throws.always(words, self.parts.waypoints.len())?,
            "door" => self.throws.door(words, self.parts.waypoints.len())?,
            "ground" => self.ground(words)?,
            "column" => self.column(words)?,
            _ => return Err(words.error(format!("a terrain has no `{verb}`"))),
        }
        Ok(())
    }

    fn waypoint(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        let waypoints = &mut self.parts.waypoints;
        in_turn(words, waypoints.len(), WAYPOINTS_MAX)?;
        words.expect("at")?;
        let origin = words.point("coordinate")?;
        words.expect("flags")?;
        let mut flags = WaypointFlags::NONE;
        words.flags("flag of a waypoint", WaypointFlags::from_word, |flag| flags |= flag)?;
        waypoints.push(origin, flags);
        self.parts.areas.of_waypoint.push(AreaId::NONE);
        words.expect("values")?;
        for (name, column) in Values::NAMES.iter().zip(self.parts.values.columns_mut()) {
            column.push(words.number(name)?);
        }
        Ok(())
    }

    fn mover(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        in_turn(words, self.parts.movers.spots.len(), Movers::MAX)?;
        let (entity, model) = (EntityId(words.keyed("entity")?), ModelId(words.keyed("model")?));
        words.expect("kind")?;
        let kind = words.kind("kind of mover", MoverKind::from_word)?;
        words.expect("by")?;
        let opens_by = words.kind("way to open", OpensBy::from_word)?;
        words.expect("opener")?;
        let opener = number_or_none(words, "entity")?.map(EntityId);
        words.expect("stand")?;
        let stand = words.point("coordinate")?;
        words.expect("aim")?;
        let aim = words.point("coordinate")?;
        words.expect("shift")?;
        let shift = words.point("coordinate")?;
        let (travel_ms, wait_ms) = (words.keyed("travel")?, words.keyed("wait")?);
        let spot = MoverSpot { entity, model, kind, opens_by, opener, stand, aim, shift, travel_ms, wait_ms };
        self.parts.movers.spots.push(spot);
        Ok(())
    }

    fn link(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        let (from, to) = (self.known_waypoint(words)?, self.known_waypoint(words)?);
        let link = tail::parse(words, to)?;
        self.links.push((from, link));
        Ok(())
    }

    fn area(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        let id = in_turn(words, self.parts.areas.areas.len(), check::AREAS_MAX)?;
        let class = words.kind("class of area", AreaClass::from_word)?;
        let (sky, light, exits) = (words.keyed("sky")?, words.keyed("light")?, words.keyed("exits")?);
        let (waypoints, floor) = (words.keyed("waypoints")?, words.keyed("floor")?);
        words.expect("mins")?;
        let mins = words.point("coordinate")?;
        words.expect("maxs")?;
        let maxs = words.point("coordinate")?;
        self.parts.areas.areas.push(Area { class, sky, light, exits, waypoints, floor, mins, maxs });
        words.expect("holds")?;
        let of_waypoint = &mut self.parts.areas.of_waypoint;
        let mut is_twice = false;
        parse_ranges(words, of_waypoint.len(), |waypoint| {
            is_twice |= std::mem::replace(&mut of_waypoint[waypoint], AreaId::from(id)).is_some();
        })?;
        if is_twice { Err(words.error("a waypoint is in two areas")) } else { Ok(()) }
    }

    fn portal(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        let kind = words.kind("kind of portal", PortalKind::from_word)?;
        let areas = [AreaId(words.number("area")?), AreaId(words.number("area")?)];
        words.expect("between")?;
        let waypoints = [self.known_waypoint(words)?, self.known_waypoint(words)?];
        words.expect("ways")?;
        let mut flags = PortalFlags::NONE;
        words.flags("way", PortalFlags::from_word, |flag| flags |= flag)?;
        words.expect("mover")?;
        let mover = number_or_none(words, "mover")?.map_or(MoverId::NONE, MoverId);
        words.expect("at")?;
        let centre = words.point("coordinate")?;
        let (width, height) = (words.keyed("width")?, words.keyed("height")?);
        self.parts.portals.portals.push(Portal { areas, waypoints, kind, flags, mover, centre, width, height });
        Ok(())
    }

    fn sees(&mut self, verb: &str, words: &mut Words<'_>) -> Result<(), TextError> {
        let from = self.known_waypoint(words)?;
        let count = self.parts.waypoints.len();
        let sight = &mut self.parts.sight;
        let rows = if verb == "sees" { &mut sight.standing } else { &mut sight.crouched };
        if rows.size() != count {
            *rows = BitRows::new(count);
        }
        parse_ranges(words, count, |to| rows.set(from.index(), to))
    }

    fn opening(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        let (from, to) = (self.known_waypoint(words)?, self.known_waypoint(words)?);
        words.expect("mover")?;
        let mover = number_or_none(words, "mover")?.map_or(MoverId::NONE, MoverId);
        words.expect("adds")?;
        let mut adds = OpeningFlags::NONE;
        words.flags("table of sight", OpeningFlags::from_word, |flag| adds |= flag)?;
        self.parts.sight.openings.push(Opening { from, to, mover, adds });
        Ok(())
    }

    fn hide(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        let waypoint = self.known_waypoint(words)?;
        words.expect("at")?;
        let origin = words.point("coordinate")?;
        let mut sides = |key: &str| {
            let mut sides = Sides::NONE;
            words.expect(key)?;
            words.flags("side", Sides::from_word, |side| sides |= side)?;
            Ok(sides)
        };
        let (standing, crouched) = (sides("standing")?, sides("crouched")?);
        let hidden = words.keyed("hidden")?;
        self.parts.hiding.spots.push(HidingSpot { waypoint, origin, standing, crouched, hidden });
        Ok(())
    }

    fn ground(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        if std::mem::replace(&mut self.has_ground, true) {
            return Err(words.error("there is a second ground"));
        }
        let ground = &mut self.parts.ground;
        ground.cell = words.keyed("cell")?;
        words.expect("origin")?;
        ground.origin = [words.number("cell")?, words.number("cell")?];
        words.expect("size")?;
        ground.size = [words.number("number of cells")?, words.number("number of cells")?];
        let columns = (ground.size[0] as usize).saturating_mul(ground.size[1] as usize);
        if columns > Ground::COLUMNS_MAX {
            return Err(
                words.error(format!("{columns} columns are more than the {} there may be", Ground::COLUMNS_MAX))
            );
        }
        ground.column_first = vec![0; columns + 1];
        Ok(())
    }

    /// Columns that were left out begin where this one does.
    fn column(&mut self, words: &mut Words<'_>) -> Result<(), TextError> {
        let (x, y): (u32, u32) = (words.number("cell")?, words.number("cell")?);
        let ground = &mut self.parts.ground;
        let [width, height] = ground.size;
        if x >= width || y >= height {
            return Err(words.error(format!("there is no column {x} {y} in {width} by {height}")));
        }
        let column = x as usize + y as usize * width as usize;
        if self.next_column > column {
            return Err(words.error("the columns are out of order"));
        }
        let before = ground.spans.len() as u32;
        ground.column_first[self.next_column..=column].fill(before);
        self.next_column = column + 1;
        while words.peek().is_some() {
            let (feet, headroom) = (words.number("height of feet")?, words.number("headroom")?);
            let mut flags = SpanFlags::NONE;
            words.flags("flag of a span", SpanFlags::from_word, |flag| flags |= flag)?;
            let waypoint = number_or_none(words, "waypoint")?.map_or(WaypointId::NONE, WaypointId);
            ground.spans.push(Span { feet, headroom, flags, waypoint });
        }
        Ok(())
    }

    fn known_waypoint(&self, words: &mut Words<'_>) -> Result<WaypointId, TextError> {
        let id: u16 = words.number("waypoint")?;
        if usize::from(id) < self.parts.waypoints.len() {
            Ok(WaypointId(id))
        } else {
            Err(words.error(format!("there is no waypoint {id} before this line")))
        }
    }
}

/// Undoes [`super::escaped`].
fn read_name(words: &mut Words<'_>) -> Result<String, TextError> {
    let word = words.word("name")?;
    unescaped(words, word)
}

pub(super) fn unescaped(words: &Words<'_>, word: &str) -> Result<String, TextError> {
    if word == "-" {
        return Ok(String::new());
    }
    let mut parts = word.split("\\u{");
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').ok_or_else(|| words.error("a `\\u{` has no `}`"))?;
        let character = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        name.push(character.ok_or_else(|| words.error(format!("there is no character {code}")))?);
        name.push_str(rest);
    }
    Ok(name)
}

fn read_digest(words: &mut Words<'_>) -> Result<[u8; 32], TextError> {
    let word = words.word("digest")?;
    let is_hex = word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex {
        return Err(words.error("a digest is 64 hexadecimal digits"));
    }
    let mut digest = [0; 32];
    for (byte, pair) in digest.iter_mut().zip(word.as_bytes().as_chunks::<2>().0) {
        let digit = |letter: u8| (letter as char).to_digit(16).expect("all of it are hexadecimal digits") as u8;
        *byte = digit(pair[0]) << 4 | digit(pair[1]);
    }
    Ok(digest)
}

fn read_checksum(words: &mut Words<'_>) -> Result<u32, TextError> {
    let word = words.word("checksum")?;
    u32::from_str_radix(word, 16).map_err(|_| words.error(format!("`{word}` is no checksum")))
}

/// The number of the next row of a table.
fn in_turn(words: &mut Words<'_>, next: usize, max: usize) -> Result<usize, TextError> {
    let id: usize = words.number("number")?;
    if id != next {
        return Err(words.error(format!("number {id} stands where {next} should")));
    }
    if id >= max {
        return Err(words.error(format!("there may be only {max}")));
    }
    Ok(id)
}

/// A number, or `-`.
fn number_or_none(words: &mut Words<'_>, what: &str) -> Result<Option<u16>, TextError> {
    if words.peek() == Some("-") {
        words.expect("-")?;
        return Ok(None);
    }
    words.number(what).map(Some)
}
