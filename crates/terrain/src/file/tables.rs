//! What each section holds, row by row. Writing and reading of a table stand together.

use fireteam_world::units::{EntityId, ModelId};
use fireteam_world::walker::Travel;

use super::bytes::{Fault, Reader, Writer};
use super::{ground, throws};
use crate::check::{AREAS_MAX, NAME_BYTES_MAX, OPENINGS_MAX};
use crate::*;

pub(super) const NAME: [u8; 4] = *b"name";
pub(super) const WAYPOINTS: [u8; 4] = *b"wayp";
pub(super) const GROUND: [u8; 4] = *b"grnd";
pub(super) const LINKS: [u8; 4] = *b"link";
pub(super) const MOVERS: [u8; 4] = *b"movr";
pub(super) const SIGHT: [u8; 4] = *b"sght";
pub(super) const OPENINGS: [u8; 4] = *b"open";
pub(super) const AREAS: [u8; 4] = *b"area";
pub(super) const PORTALS: [u8; 4] = *b"port";
pub(super) const HIDING: [u8; 4] = *b"hide";
pub(super) const THROWS: [u8; 4] = *b"thrw";
pub(super) const VALUES: [u8; 4] = *b"valu";
pub(super) const TIMES: [u8; 4] = *b"time";
pub(super) const LANDMARKS: [u8; 4] = *b"land";

/// Every section, in the order of the file.
pub(super) fn write_all(terrain: &Terrain) -> Vec<([u8; 4], Vec<u8>)> {
    let section = |tag, write: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::default();
        write(&mut writer);
        (tag, writer.into_bytes())
    };
    vec![
        section(NAME, &|writer| writer.array(terrain.provenance.map_name.as_bytes())),
        section(WAYPOINTS, &|writer| write_waypoints(writer, terrain.feet, &terrain.waypoints)),
        section(GROUND, &|writer| ground::write(writer, &terrain.ground)),
        section(LINKS, &|writer| write_links(writer, &terrain.links)),
        section(MOVERS, &|writer| write_movers(writer, &terrain.movers)),
        section(SIGHT, &|writer| write_sight(writer, &terrain.sight)),
        section(OPENINGS, &|writer| write_openings(writer, &terrain.sight.openings)),
        section(AREAS, &|writer| write_areas(writer, &terrain.areas)),
        section(PORTALS, &|writer| write_portals(writer, &terrain.portals)),
        section(HIDING, &|writer| write_hiding(writer, &terrain.hiding)),
        section(THROWS, &|writer| throws::write(writer, &terrain.throws)),
        section(VALUES, &|writer| terrain.values.columns().iter().for_each(|column| writer.array(column))),
        section(TIMES, &|writer| writer.array(terrain.times.steps())),
        section(LANDMARKS, &|writer| write_landmarks(writer, &terrain.landmarks)),
    ]
}

pub(super) fn read_name(reader: &mut Reader<'_>) -> Result<String, Fault> {
    if reader.left() > NAME_BYTES_MAX {
        return Err(reader.fault("the name is too long"));
    }
    let name = std::str::from_utf8(reader.take(reader.left())?).map(str::to_owned);
    name.map_err(|_| reader.fault("the name is no text"))
}

fn write_waypoints(writer: &mut Writer, feet: f32, waypoints: &Waypoints) {
    writer.f32(feet);
    writer.count(waypoints.len());
    waypoints.origin.iter().for_each(|&origin| writer.point(origin));
    waypoints.flags.iter().for_each(|flags| writer.u16(flags.0));
}

pub(super) fn read_waypoints(reader: &mut Reader<'_>) -> Result<(f32, Waypoints), Fault> {
    let feet = reader.f32()?;
    let count = reader.count(14, WAYPOINTS_MAX)?;
    let mut waypoints = Waypoints { origin: Vec::with_capacity(count), flags: Vec::with_capacity(count) };
    for _ in 0..count {
        waypoints.origin.push(reader.point()?);
    }
    for _ in 0..count {
        waypoints.flags.push(WaypointFlags(reader.u16()?));
    }
    Ok((feet, waypoints))
}

fn write_links(writer: &mut Writer, links: &Links) {
    writer.count(links.links.len());
    links.first.iter().for_each(|&first| writer.u32(first));
    for link in &links.links {
        writer.u16(link.to.0);
        writer.u8(link.kind as u8);
        writer.u8(link.flags.0);
        writer.u16(link.time_ms);
        writer.u8(link.damage);
        writer.u8(link.trust);
        writer.u16(link.mover.0);
        writer.u16(link.opener.0);
    }
}

pub(super) fn read_links(reader: &mut Reader<'_>, waypoints: usize) -> Result<Links, Fault> {
    let count = reader.count(12, Links::MAX)?;
    let mut links = Links { first: Vec::with_capacity(waypoints + 1), links: Vec::with_capacity(count) };
    for _ in 0..=waypoints {
        links.first.push(reader.u32()?);
    }
    for _ in 0..count {
        links.links.push(Link {
            to: WaypointId(reader.u16()?),
            kind: reader.kind("kind of travel", Travel::from_number)?,
            flags: LinkFlags(reader.u8()?),
            time_ms: reader.u16()?,
            damage: reader.u8()?,
            trust: reader.u8()?,
            mover: MoverId(reader.u16()?),
            opener: MoverId(reader.u16()?),
        });
    }
    Ok(links)
}

fn write_movers(writer: &mut Writer, movers: &Movers) {
    writer.count(movers.spots.len());
    for spot in &movers.spots {
        writer.u16(spot.entity.0);
        writer.u16(spot.model.0);
        writer.u8(spot.kind as u8);
        writer.u8(spot.opens_by as u8);
        writer.u16(spot.opener.map_or(NO_ENTITY, |opener| opener.0));
        [spot.stand, spot.aim, spot.shift].into_iter().for_each(|point| writer.point(point));
        writer.u32(spot.travel_ms);
        writer.i32(spot.wait_ms);
    }
}

const NO_ENTITY: u16 = u16::MAX;

pub(super) fn read_movers(reader: &mut Reader<'_>) -> Result<Movers, Fault> {
    let count = reader.count(52, Movers::MAX)?;
    let mut spots = Vec::with_capacity(count);
    for _ in 0..count {
        spots.push(MoverSpot {
            entity: EntityId(reader.u16()?),
            model: ModelId(reader.u16()?),
            kind: reader.kind("kind of mover", MoverKind::from_byte)?,
            opens_by: reader.kind("way to open", OpensBy::from_byte)?,
            opener: Some(reader.u16()?).filter(|&opener| opener != NO_ENTITY).map(EntityId),
            stand: reader.point()?,
            aim: reader.point()?,
            shift: reader.point()?,
            travel_ms: reader.u32()?,
            wait_ms: reader.i32()?,
        });
    }
    Ok(Movers { spots })
}

fn write_sight(writer: &mut Writer, sight: &Sight) {
    for rows in [&sight.standing, &sight.crouched] {
        rows.words().iter().for_each(|&word| writer.u64(word));
    }
}

pub(super) fn read_sight(reader: &mut Reader<'_>, waypoints: usize) -> Result<Sight, Fault> {
    let mut read = || {
        let bytes = reader.take(waypoints * BitRows::stride(waypoints) * 8)?;
        let words = bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        BitRows::from_words(waypoints, words).ok_or_else(|| reader.fault("a bit past the last waypoint is set"))
    };
    Ok(Sight { standing: read()?, crouched: read()?, openings: Vec::new() })
}

fn write_openings(writer: &mut Writer, openings: &[Opening]) {
    writer.count(openings.len());
    for opening in openings {
        writer.u16(opening.from.0);
        writer.u16(opening.to.0);
        writer.u16(opening.mover.0);
        writer.u8(opening.adds.0);
    }
}

pub(super) fn read_openings(reader: &mut Reader<'_>) -> Result<Vec<Opening>, Fault> {
    let count = reader.count(7, OPENINGS_MAX)?;
    let mut openings = Vec::with_capacity(count);
    for _ in 0..count {
        openings.push(Opening {
            from: WaypointId(reader.u16()?),
            to: WaypointId(reader.u16()?),
            mover: MoverId(reader.u16()?),
            adds: OpeningFlags(reader.u8()?),
        });
    }
    Ok(openings)
}

fn write_areas(writer: &mut Writer, areas: &Areas) {
    areas.of_waypoint.iter().for_each(|area| writer.u16(area.0));
    writer.count(areas.areas.len());
    for area in &areas.areas {
        writer.array(&[area.class as u8, area.sky, area.light, area.exits]);
        writer.u16(area.waypoints);
        writer.f32(area.floor);
        writer.point(area.mins);
        writer.point(area.maxs);
    }
}

pub(super) fn read_areas(reader: &mut Reader<'_>, waypoints: usize) -> Result<Areas, Fault> {
    let of_waypoint = reader.take(waypoints * 2)?;
    let of_waypoint = of_waypoint.as_chunks().0.iter().map(|&area| AreaId(u16::from_le_bytes(area))).collect();
    let count = reader.count(34, AREAS_MAX)?;
    let mut areas = Vec::with_capacity(count);
    for _ in 0..count {
        areas.push(Area {
            class: reader.kind("class of area", AreaClass::from_byte)?,
            sky: reader.u8()?,
            light: reader.u8()?,
            exits: reader.u8()?,
            waypoints: reader.u16()?,
            floor: reader.f32()?,
            mins: reader.point()?,
            maxs: reader.point()?,
        });
    }
    Ok(Areas { areas, of_waypoint })
}

fn write_portals(writer: &mut Writer, portals: &Portals) {
    writer.count(portals.portals.len());
    for portal in &portals.portals {
        portal.areas.iter().for_each(|area| writer.u16(area.0));
        portal.waypoints.iter().for_each(|waypoint| writer.u16(waypoint.0));
        writer.array(&[portal.kind as u8, portal.flags.0]);
        writer.u16(portal.mover.0);
        writer.point(portal.centre);
        writer.f32(portal.width);
        writer.f32(portal.height);
    }
}

pub(super) fn read_portals(reader: &mut Reader<'_>) -> Result<Portals, Fault> {
    let count = reader.count(32, AREAS_MAX)?;
    let mut portals = Vec::with_capacity(count);
    for _ in 0..count {
        portals.push(Portal {
            areas: [AreaId(reader.u16()?), AreaId(reader.u16()?)],
            waypoints: [WaypointId(reader.u16()?), WaypointId(reader.u16()?)],
            kind: reader.kind("kind of portal", PortalKind::from_byte)?,
            flags: PortalFlags(reader.u8()?),
            mover: MoverId(reader.u16()?),
            centre: reader.point()?,
            width: reader.f32()?,
            height: reader.f32()?,
        });
    }
    Ok(Portals { portals })
}

fn write_hiding(writer: &mut Writer, hiding: &HidingSpots) {
    writer.count(hiding.spots.len());
    for spot in &hiding.spots {
        writer.u16(spot.waypoint.0);
        writer.point(spot.origin);
        writer.array(&[spot.standing.0, spot.crouched.0, spot.hidden]);
    }
}

pub(super) fn read_hiding(reader: &mut Reader<'_>) -> Result<HidingSpots, Fault> {
    let count = reader.count(17, HidingSpots::MAX)?;
    let mut spots = Vec::with_capacity(count);
    for _ in 0..count {
        spots.push(HidingSpot {
            waypoint: WaypointId(reader.u16()?),
            origin: reader.point()?,
            standing: Sides(reader.u8()?),
            crouched: Sides(reader.u8()?),
            hidden: reader.u8()?,
        });
    }
    Ok(HidingSpots { spots })
}

pub(super) fn read_values(reader: &mut Reader<'_>, waypoints: usize) -> Result<Values, Fault> {
    let mut values = Values::default();
    for column in values.columns_mut() {
        *column = reader.take(waypoints)?.to_vec();
    }
    Ok(values)
}

pub(super) fn read_times(reader: &mut Reader<'_>, waypoints: usize) -> Result<TravelTimes, Fault> {
    let steps = reader.take(waypoints * waypoints)?.to_vec();
    TravelTimes::from_steps(waypoints, steps).ok_or_else(|| reader.fault("the table is not square"))
}

fn write_landmarks(writer: &mut Writer, landmarks: &Landmarks) {
    writer.count(landmarks.waypoints().len());
    landmarks.waypoints().iter().for_each(|waypoint| writer.u16(waypoint.0));
    let (from_ms, to_ms) = landmarks.tables();
    [from_ms, to_ms].into_iter().flatten().for_each(|&ms| writer.u32(ms));
}

pub(super) fn read_landmarks(reader: &mut Reader<'_>, waypoints: usize) -> Result<Landmarks, Fault> {
    let count = reader.count(2 + waypoints * 8, Landmarks::MAX)?;
    let mut chosen = Vec::with_capacity(count);
    for _ in 0..count {
        chosen.push(WaypointId(reader.u16()?));
    }
    let mut read = || {
        let bytes = reader.take(count * waypoints * 4)?;
        Ok(bytes.as_chunks().0.iter().map(|&ms| u32::from_le_bytes(ms)).collect())
    };
    let (from_ms, to_ms) = (read()?, read()?);
    Landmarks::from_tables(chosen, from_ms, to_ms).ok_or_else(|| reader.fault("the tables differ in size"))
}
