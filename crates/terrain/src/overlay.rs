//! Hand edits to a terrain, kept apart from it as text.
//!
//! In: an overlay, one edit a line. Out: a fresh [`Terrain`] with the edits merged ([`Terrain::with_overlay`]), for the next
//! match; the one in use does not change. The file that was baked stays as it is, so a map baked again keeps its edits.
//!
//! ```text
//! fireteam overlay 1
//! waypoints 812 5f3a91c2                     # needed before numbers of waypoints are: how many, and their checksum
//! add roof 1024 -96 312 corner               # a new one, named for the lines below, with its flags
//! move 17 101.5 20 24
//! link 640,-32,24 @roof jump 900 trust 128   # by place, by name or by number; kind and milliseconds; more as in a dump
//! unlink 17 23 walk                          # without a kind: every link from 17 to 23
//! flag @roof no-grenade
//! unflag 17 ledge
//! ```
//!
//! What a new waypoint sees, its area and its values are those of the waypoint it stands at: only a bake can look. Links of a
//! waypoint that was moved take as much longer as they are longer now.

use std::fmt::{self, Display};

use glam::Vec3;

use crate::dump::tail;
use crate::ids::WaypointId;
use crate::links::Link;
use crate::text::{Spaced, TextError, Words, joined, lines};
use crate::waypoints::{WaypointFlags, Waypoints};
use fireteam_world::walker::Travel;

mod merge;

/// Goes up whenever an overlay of before cannot be read any more.
pub const VERSION: u32 = 1;

/// Edits in the order they are made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Names it in errors.
    pub file: String,
    /// The waypoints that numbers refer to.
    pub fitted_to: Option<Fit>,
    pub edits: Vec<LinedEdit>,
}

/// Which waypoints an overlay's numbers were written for: a bake with other settings numbers them otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    pub waypoints: usize,
    pub checksum: u32,
}

/// An edit and the line it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct LinedEdit {
    pub line: usize,
    pub edit: Edit,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    Add {
        name: String,
        origin: Vec3,
        flags: WaypointFlags,
    },
    Move {
        waypoint: Spot,
        origin: Vec3,
    },
    /// `link.to` is not used: `to` says where it leads.
    Link {
        from: Spot,
        to: Spot,
        link: Link,
    },
    Unlink {
        from: Spot,
        to: Spot,
        kind: Option<Travel>,
    },
    Flag {
        waypoint: Spot,
        flags: WaypointFlags,
    },
    Unflag {
        waypoint: Spot,
        flags: WaypointFlags,
    },
}

/// A waypoint as an overlay speaks of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Spot {
    Number(WaypointId),
    /// One that the overlay added.
    Name(String),
    /// The nearest to this origin, if it is near enough.
    Place(Vec3),
}

impl Fit {
    pub fn of(waypoints: &Waypoints) -> Fit {
        let mut hasher = crc32fast::Hasher::new();
        for coordinate in waypoints.origin.iter().flat_map(|origin| origin.to_array()) {
            hasher.update(&coordinate.to_le_bytes());
        }
        Fit { waypoints: waypoints.len(), checksum: hasher.finalize() }
    }
}

impl Overlay {
    /// `file` names the text in errors.
    pub fn parse(file: &str, text: &str) -> Result<Overlay, TextError> {
        let mut lines = lines(file, text);
        let Some(("fireteam", mut words)) = lines.next() else {
            let message = format!("the text does not begin with `fireteam overlay {VERSION}`");
            return Err(TextError { file: file.to_owned(), line: None, message });
        };
        let version: u32 = words.keyed("overlay")?;
        if version != VERSION {
            return Err(words.error(format!("this is version {version}, this program reads {VERSION}")));
        }
        words.finish()?;
        let mut overlay = Overlay { file: file.to_owned(), ..Overlay::default() };
        for (verb, mut words) in lines {
            if verb == "waypoints" {
                overlay.fitted_to = Some(parse_fit(&mut words)?);
            } else {
                let edit = parse_edit(verb, &mut words)?;
                overlay.edits.push(LinedEdit { line: words.line, edit });
            }
            words.finish()?;
        }
        Ok(overlay)
    }

    /// Names what it does, however it is laid out.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(self.to_string().as_bytes())
    }
}

fn parse_fit(words: &mut Words<'_>) -> Result<Fit, TextError> {
    let waypoints = words.number("number of waypoints")?;
    let word = words.word("checksum")?;
    let checksum = u32::from_str_radix(word, 16).map_err(|_| words.error(format!("`{word}` is no checksum")))?;
    Ok(Fit { waypoints, checksum })
}

fn parse_edit(verb: &str, words: &mut Words<'_>) -> Result<Edit, TextError> {
    match verb {
        "add" => {
            let (name, origin) = (words.word("name")?.to_owned(), words.point("coordinate")?);
            let flags = if words.peek().is_some() { parse_flags(words)? } else { WaypointFlags::NONE };
            Ok(Edit::Add { name, origin, flags })
        }
        "move" => Ok(Edit::Move { waypoint: parse_spot(words)?, origin: words.point("coordinate")? }),
        "link" => {
            let (from, to) = (parse_spot(words)?, parse_spot(words)?);
            let link = tail::parse(words, WaypointId::NONE)?;
            if link.time_ms == 0 { Err(words.error("a link takes time")) } else { Ok(Edit::Link { from, to, link }) }
        }
        "unlink" => {
            let (from, to) = (parse_spot(words)?, parse_spot(words)?);
            let has_kind = words.peek().is_some();
            let kind = has_kind.then(|| words.kind("kind of travel", Travel::from_name)).transpose()?;
            Ok(Edit::Unlink { from, to, kind })
        }
        "flag" => Ok(Edit::Flag { waypoint: parse_spot(words)?, flags: parse_flags(words)? }),
        "unflag" => Ok(Edit::Unflag { waypoint: parse_spot(words)?, flags: parse_flags(words)? }),
        _ => Err(words.error(format!("there is no edit `{verb}`, only add, move, link, unlink, flag, unflag"))),
    }
}

fn parse_flags(words: &mut Words<'_>) -> Result<WaypointFlags, TextError> {
    let mut flags = WaypointFlags::NONE;
    words.flags("flag of a waypoint", WaypointFlags::from_word, |flag| flags |= flag)?;
    Ok(flags)
}

fn parse_spot(words: &mut Words<'_>) -> Result<Spot, TextError> {
    let word = words.word("waypoint")?;
    if let Some(name) = word.strip_prefix('@') {
        return Ok(Spot::Name(name.to_owned()));
    }
    if word.contains(',') {
        let coordinates: Result<Vec<f32>, _> = word.split(',').map(str::parse).collect();
        return match coordinates.as_deref() {
            Ok(&[x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => Ok(Spot::Place(Vec3::new(x, y, z))),
            _ => Err(words.error(format!("`{word}` is no place: write x,y,z without blanks"))),
        };
    }
    let number = word.parse().map_err(|_| words.error(format!("`{word}` is no waypoint: write 17, @name or x,y,z")))?;
    Ok(Spot::Number(WaypointId(number)))
}

impl Display for Overlay {
    /// Text that [`Overlay::parse`] reads as the same edits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fireteam overlay {VERSION}")?;
        if let Some(Fit { waypoints, checksum }) = self.fitted_to {
            writeln!(f, "waypoints {waypoints} {checksum:08x}")?;
        }
        self.edits.iter().try_for_each(|LinedEdit { edit, .. }| writeln!(f, "{edit}"))
    }
}

impl Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edit::Add { name, origin, flags } => {
                write!(f, "add {name} {} {}", Spaced(*origin), joined(flags.words()))
            }
            Edit::Move { waypoint, origin } => write!(f, "move {waypoint} {}", Spaced(*origin)),
            Edit::Link { from, to, link } => write!(f, "link {from} {to} {}", tail::Tail(link)),
            Edit::Unlink { from, to, kind: Some(kind) } => write!(f, "unlink {from} {to} {}", kind.name()),
            Edit::Unlink { from, to, kind: None } => write!(f, "unlink {from} {to}"),
            Edit::Flag { waypoint, flags } => write!(f, "flag {waypoint} {}", joined(flags.words())),
            Edit::Unflag { waypoint, flags } => write!(f, "unflag {waypoint} {}", joined(flags.words())),
        }
    }
}

impl Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Number(id) => write!(f, "{}", id.0),
            Spot::Name(name) => write!(f, "@{name}"),
            Spot::Place(place) => write!(f, "{},{},{}", place.x, place.y, place.z),
        }
    }
}

#[cfg(test)]
#[path = "overlay/overlay_test.rs"]
mod tests;
