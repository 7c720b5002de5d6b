//! The words of a link after its two ends, as dump and overlay write them:
//! `KIND MS [damage N] [trust N] [mover N] [opener N] [flags A+B]`.

use std::fmt::{self, Display};

use fireteam_world::walker::Travel;

use crate::ids::{MoverId, WaypointId};
use crate::links::{Link, LinkFlags};
use crate::text::{TextError, Words, joined};

/// What a link has unless its line says otherwise.
const PLAIN: Link = Link {
    to: WaypointId::NONE,
    kind: Travel::Walk,
    flags: LinkFlags::NONE,
    time_ms: 0,
    damage: 0,
    trust: 255,
    mover: MoverId::NONE,
    opener: MoverId::NONE,
};

/// Writes a link without its ends.
pub(crate) struct Tail<'a>(pub(crate) &'a Link);

impl Display for Tail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tail(link) = self;
        write!(f, "{} {}", link.kind.name(), link.time_ms)?;
        let numbers = [
            ("damage", u16::from(link.damage), u16::from(PLAIN.damage)),
            ("trust", u16::from(link.trust), u16::from(PLAIN.trust)),
            ("mover", link.mover.0, PLAIN.mover.0),
            ("opener", link.opener.0, PLAIN.opener.0),
        ];
        for (key, value, _) in numbers.into_iter().filter(|(_, value, plain)| value != plain) {
            write!(f, " {key} {value}")?;
        }
        if link.flags != PLAIN.flags {
            write!(f, " flags {}", joined(link.flags.words()))?;
        }
        Ok(())
    }
}

/// Reads the rest of a line as a link to `to`.
pub(crate) fn parse(words: &mut Words<'_>, to: WaypointId) -> Result<Link, TextError> {
    let kind = words.kind("kind of travel", Travel::from_name)?;
    let mut link = Link { to, kind, time_ms: words.number("number of milliseconds")?, ..PLAIN };
    while let Some(key) = words.peek() {
        words.expect(key)?;
        match key {
            "damage" => link.damage = words.number("damage")?,
            "trust" => link.trust = words.number("trust")?,
            "mover" => link.mover = MoverId(words.number("mover")?),
            "opener" => link.opener = MoverId(words.number("opener")?),
            "flags" => words.flags("flag of a link", LinkFlags::from_word, |flag| link.flags |= flag)?,
            _ => return Err(words.error(format!("a link has no `{key}`, only damage, trust, mover, opener, flags"))),
        }
    }
    Ok(link)
}
