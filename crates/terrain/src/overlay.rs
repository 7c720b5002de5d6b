//! Edits to a terrain, by hand or learnt from play, kept apart from it as text.
//!
//! In: an overlay, one edit a line. Out: a fresh [`Terrain`] with the edits merged ([`Terrain::with_overlay`]), for the next
//! match; the one in use does not change. The file that was baked stays as it is, so a map baked again keeps its edits.
//!
//! ```text
//! fireteam overlay 1
//! map compound                               # of another map it is refused
//! waypoints 812 5f3a91c2                     # needed before numbers of waypoints are: how many, and their checksum
//! add roof 1024 -96 312 corner               # a new one, named for the lines below, with its flags
//! move 17 101.5 20 24
//! remove 23                                  # no link leads there any more, and its ground is its neighbours'
//! link 640,-32,24 @roof jump 900 trust 128   # by place, by name or by number; kind and milliseconds; more as in a dump
//! unlink 17 23 walk                          # without a kind: every link from 17 to 23
//! trust 23 640,-32,24 walk 96                # how sure it is, of 255; a comment behind an edit is its reason, and stays with it
//! flag @roof no-grenade
//! unflag 17 ledge
//! ```
//!
//! What a new waypoint sees, its area and its values are those of the waypoint it stands at: only a bake can look. Links of a
//! waypoint that was moved take as much longer as they are longer now.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::{fs, io};

use glam::Vec3;

use crate::dump::tail;
use crate::file::write_whole;
use crate::ids::WaypointId;
use crate::links::Link;
use crate::text::{Spaced, TextError, Words, joined, lines};
use crate::waypoints::{WaypointFlags, Waypoints};
use fireteam_world::walker::Travel;

mod learn;
mod merge;

pub use learn::{Mended, Worn};
pub use merge::Misfit;

/// Goes up whenever an overlay of before cannot be read any more.
pub const VERSION: u32 = 1;

/// Edits in the order they are made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Names it in errors.
    pub file: String,
    /// The map it is for; none for any.
    pub map: Option<String>,
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

/// An edit, the line it stands in and the comment behind it: why it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct LinedEdit {
    pub line: usize,
    pub edit: Edit,
    pub note: String,
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
    /// Numbers stay as they are: it is left without links and ground.
    Remove {
        waypoint: Spot,
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
    /// How sure the links are that lead so.
    Trust {
        from: Spot,
        to: Spot,
        kind: Travel,
        trust: u8,
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
    /// Where the edits by hand of a map lie: beside its terrains.
    pub fn edits_in(folder: &Path, map: &str) -> PathBuf {
        folder.join(format!("{map}.edits"))
    }

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
            } else if verb == "map" {
                overlay.map = Some(words.word("name of a map")?.to_owned());
            } else {
                let edit = parse_edit(verb, &mut words)?;
                overlay.edits.push(LinedEdit { line: words.line, edit, note: words.note.to_owned() });
            }
            words.finish()?;
        }
        Ok(overlay)
    }

    /// The overlay in a file; none if there is no such file. One that cannot be read is an error, and is left as it is.
    pub fn open(path: &Path) -> Result<Option<Overlay>, TextError> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Overlay::parse(&file, &text).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TextError { file, line: None, message: error.to_string() }),
        }
    }

    /// Writes it whole or not at all.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        write_whole(path, self.to_string().as_bytes())
    }

    /// Names what it does, however it is laid out and whatever is said about it.
    pub fn checksum(&self) -> u32 {
        let unsaid = |lined: &LinedEdit| LinedEdit { note: String::new(), ..lined.clone() };
        let bare = Overlay { edits: self.edits.iter().map(unsaid).collect(), map: None, ..self.clone() };
        crc32fast::hash(bare.to_string().as_bytes())
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
        "remove" => Ok(Edit::Remove { waypoint: parse_spot(words)? }),
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
        "trust" => {
            let (from, to) = (parse_spot(words)?, parse_spot(words)?);
            let kind = words.kind("kind of travel", Travel::from_name)?;
            Ok(Edit::Trust { from, to, kind, trust: words.number("trust from 0 to 255")? })
        }
        "flag" => Ok(Edit::Flag { waypoint: parse_spot(words)?, flags: parse_flags(words)? }),
        "unflag" => Ok(Edit::Unflag { waypoint: parse_spot(words)?, flags: parse_flags(words)? }),
        _ => Err(words
            .error(format!("there is no edit `{verb}`, only add, move, remove, link, unlink, trust, flag, unflag"))),
    }
}

fn parse_flags(words: &mut Words<'_>) -> Result<WaypointFlags, TextError> {
    let mut flags = WaypointFlags::NONE;
    words.flags("flag of a waypoint", WaypointFlags::from_word, |flag| flags |= flag)?;
    Ok(flags)
}

fn parse_spot(words: &mut Words<'_>) -> Result<Spot, TextError> {
    let word = words.word("waypoint")?;
    Spot::parse(word).ok_or_else(|| {
        let advice = if word.contains(',') {
            "no place: write x,y,z without blanks"
        } else {
            "no waypoint: write 17, @name or x,y,z"
        };
        words.error(format!("`{word}` is {advice}"))
    })
}

impl Spot {
    /// As it is written in an overlay: 17, @name or x,y,z.
    pub fn parse(text: &str) -> Option<Spot> {
        if let Some(name) = text.strip_prefix('@') {
            return Some(Spot::Name(name.to_owned()));
        }
        if text.contains(',') {
            let coordinates: Result<Vec<f32>, _> = text.split(',').map(str::parse).collect();
            return match coordinates.as_deref() {
                Ok(&[x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => {
                    Some(Spot::Place(Vec3::new(x, y, z)))
                }
                _ => None,
            };
        }
        text.parse().ok().map(|number| Spot::Number(WaypointId(number)))
    }
}

impl Display for Overlay {
    /// Text that [`Overlay::parse`] reads as the same edits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fireteam overlay {VERSION}")?;
        if let Some(Fit { waypoints, checksum }) = self.fitted_to {
            writeln!(f, "waypoints {waypoints} {checksum:08x}")?;
        }
        if let Some(map) = &self.map {
            writeln!(f, "map {map}")?;
        }
        for LinedEdit { edit, note, .. } in &self.edits {
            if note.is_empty() { writeln!(f, "{edit}")? } else { writeln!(f, "{edit}   # {note}")? }
        }
        Ok(())
    }
}

impl Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edit::Add { name, origin, flags } => {
                write!(f, "add {name} {} {}", Spaced(*origin), joined(flags.words()))
            }
            Edit::Move { waypoint, origin } => write!(f, "move {waypoint} {}", Spaced(*origin)),
            Edit::Remove { waypoint } => write!(f, "remove {waypoint}"),
            Edit::Link { from, to, link } => write!(f, "link {from} {to} {}", tail::Tail(link)),
            Edit::Unlink { from, to, kind: Some(kind) } => write!(f, "unlink {from} {to} {}", kind.name()),
            Edit::Unlink { from, to, kind: None } => write!(f, "unlink {from} {to}"),
            Edit::Trust { from, to, kind, trust } => write!(f, "trust {from} {to} {} {trust}", kind.name()),
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
