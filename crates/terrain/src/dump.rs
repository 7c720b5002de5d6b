//! A terrain as text: every row a line, so that two bakes can be compared by `diff`, and back.
//!
//! In: a terrain. Out: text from which [`Terrain::from_text`] makes the same terrain, byte for byte. What follows from the
//! links (travel times, landmarks, islands) is not written; reading computes it again. `docs/formats.md` lists the lines.

use std::fmt::{self, Write};

use crate::text::{Spaced, TextError, joined, ranges};
use crate::*;

mod read;
pub(crate) mod tail;
mod throws;

/// Goes up whenever a text of before cannot be read any more.
pub const VERSION: u32 = 1;

const TO_A_STRING: &str = "a String takes everything";

impl Terrain {
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.write_text(&mut text).expect(TO_A_STRING);
        text
    }

    /// `file` names the text in errors.
    pub fn from_text(file: &str, text: &str) -> Result<Terrain, TextError> {
        read::read(file, text)
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        write_provenance(out, &self.provenance)?;
        writeln!(out, "feet {}", self.feet)?;
        write_waypoints(out, self)?;
        write_movers(out, &self.movers)?;
        for (from, link) in self.links.iter() {
            writeln!(out, "link {} {} {}", from.0, link.to.0, tail::Tail(link))?;
        }
        write_areas(out, self)?;
        write_sight(out, self)?;
        for spot in &self.hiding.spots {
            let (standing, crouched) = (joined(spot.standing.words()), joined(spot.crouched.words()));
            let origin = Spaced(spot.origin);
            let id = spot.waypoint.0;
            writeln!(out, "hide {id} at {origin} standing {standing} crouched {crouched} hidden {}", spot.hidden)?;
        }
        throws::write(out, &self.throws)?;
        write_ground(out, &self.ground)
    }
}

fn write_provenance(out: &mut String, provenance: &Provenance) -> fmt::Result {
    writeln!(out, "fireteam terrain {VERSION}")?;
    writeln!(out, "name {}", escaped(&provenance.map_name))?;
    let digests = [("map", &provenance.map), ("physics", &provenance.physics), ("settings", &provenance.settings)];
    for (name, digest) in digests {
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(out, "{name} {hex}")?;
    }
    writeln!(out, "overlay {:08x}", provenance.overlay)
}

/// A name as one word: what could be mistaken for something else is written by its code.
fn escaped(name: &str) -> String {
    match name {
        "" => "-".to_owned(),
        "-" => "\\u{2d}".to_owned(),
        _ => name
            .chars()
            .map(|letter| {
                let is_plain = letter.is_ascii_graphic() && letter != '#' && letter != '\\';
                if is_plain { letter.to_string() } else { letter.escape_unicode().to_string() }
            })
            .collect(),
    }
}

fn write_waypoints(out: &mut String, terrain: &Terrain) -> fmt::Result {
    for id in terrain.waypoints.ids() {
        let (origin, flags) = (terrain.waypoints.origin[id.index()], terrain.waypoints.flags[id.index()]);
        write!(out, "waypoint {} at {} flags {} values", id.0, Spaced(origin), joined(flags.words()))?;
        for column in terrain.values.columns() {
            write!(out, " {}", column[id.index()])?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_movers(out: &mut String, movers: &Movers) -> fmt::Result {
    for (id, spot) in movers.spots.iter().enumerate() {
        write!(out, "mover {id} entity {} model {} ", spot.entity.0, spot.model.0)?;
        write!(out, "kind {} by {} opener ", spot.kind.word(), spot.opens_by.word())?;
        match spot.opener {
            Some(opener) => write!(out, "{} ", opener.0)?,
            None => write!(out, "- ")?,
        }
        write!(out, "stand {} aim {} shift {} ", Spaced(spot.stand), Spaced(spot.aim), Spaced(spot.shift))?;
        writeln!(out, "travel {} wait {}", spot.travel_ms, spot.wait_ms)?;
    }
    Ok(())
}

fn write_areas(out: &mut String, terrain: &Terrain) -> fmt::Result {
    for (id, area) in terrain.areas.areas.iter().enumerate() {
        let members =
            terrain.waypoints.ids().filter(|waypoint| terrain.areas.of_waypoint[waypoint.index()].index() == id);
        write!(out, "area {id} {} sky {} light {} ", area.class.word(), area.sky, area.light)?;
        write!(out, "exits {} waypoints {} floor {} ", area.exits, area.waypoints, area.floor)?;
        writeln!(out, "mins {} maxs {} holds {}", Spaced(area.mins), Spaced(area.maxs), ranges(members))?;
    }
    for portal in &terrain.portals.portals {
        let ([a, b], [c, d]) = (portal.areas, portal.waypoints);
        write!(out, "portal {} {} {} between {} {} ", portal.kind.word(), a.0, b.0, c.0, d.0)?;
        write!(out, "ways {} mover ", joined(portal.flags.words()))?;
        match portal.mover.get() {
            Some(mover) => write!(out, "{} ", mover.0)?,
            None => write!(out, "- ")?,
        }
        writeln!(out, "at {} width {} height {}", Spaced(portal.centre), portal.width, portal.height)?;
    }
    Ok(())
}

fn write_sight(out: &mut String, terrain: &Terrain) -> fmt::Result {
    for (verb, rows) in [("sees", &terrain.sight.standing), ("sees-crouched", &terrain.sight.crouched)] {
        for id in terrain.waypoints.ids() {
            let seen = terrain.waypoints.ids().filter(|to| rows.get(id.index(), to.index()));
            writeln!(out, "{verb} {} {}", id.0, ranges(seen))?;
        }
    }
    for opening in &terrain.sight.openings {
        write!(out, "opening {} {} mover ", opening.from.0, opening.to.0)?;
        match opening.mover.get() {
            Some(mover) => write!(out, "{}", mover.0)?,
            None => write!(out, "-")?,
        }
        writeln!(out, " adds {}", joined(opening.adds.words()))?;
    }
    Ok(())
}

/// Columns without a span are left out.
fn write_ground(out: &mut String, ground: &Ground) -> fmt::Result {
    let Ground { cell, origin: [x, y], size: [width, height], .. } = ground;
    writeln!(out, "ground cell {cell} origin {x} {y} size {width} {height}")?;
    for column in 0..ground.columns() {
        let spans = ground.column(column);
        if spans.is_empty() {
            continue;
        }
        let [x, y] = ground.cell_of(column);
        write!(out, "column {x} {y}")?;
        for span in spans {
            write!(out, " {} {} {} ", span.feet, span.headroom, joined(span.flags.words()))?;
            match span.waypoint.get() {
                Some(owner) => write!(out, "{}", owner.0)?,
                None => write!(out, "-")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "dump/dump_test.rs"]
mod tests;
