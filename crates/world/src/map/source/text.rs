//! The text of a .map file: entities, their keys, their brushes' faces, each with the line it stands on.
//!
//! Two dialects differ only in how a face's texture lies on it: the classic one (offset, rotation, scale) and Valve's
//! 220 (two axes, rotation, scale). Which one a face is in shows by what follows its texture name, so files may even
//! mix them. How a texture lies is read, checked and dropped: nothing here draws walls.
//!
//! The quake-map crate reads the same dialects, and the tests compare with it. It keeps no line numbers, and "brush 12
//! is open" without a line sends an author searching through thousands of them; hence this reader.
//! Cost: one pass; allocates no more than the text is long.

use glam::DVec3;

use super::{SourceError, SourceFault};
use crate::map::brush::WORLD_LIMIT;

/// An entity as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EntityText {
    pub(super) line: u32,
    pub(super) pairs: Vec<(String, String)>,
    pub(super) brushes: Vec<BrushText>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BrushText {
    pub(super) line: u32,
    pub(super) faces: Vec<FaceText>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FaceText {
    pub(super) line: u32,
    pub(super) points: [DVec3; 3],
    pub(super) texture: String,
}

impl EntityText {
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    pub(super) fn class(&self) -> &str {
        self.value("classname").unwrap_or("an entity without classname")
    }
}

/// Every entity of the file, in its order.
pub(super) fn read(file: &str, text: &str) -> Result<Vec<EntityText>, SourceError> {
    let mut reader = Reader { file, rest: text, line: 1 };
    let mut entities = Vec::new();
    while reader.peek().is_some() {
        entities.push(reader.entity()?);
    }
    Ok(entities)
}

struct Reader<'a> {
    file: &'a str,
    rest: &'a str,
    line: u32,
}

impl<'a> Reader<'a> {
    fn entity(&mut self) -> Result<EntityText, SourceError> {
        self.expect('{', "an entity's {")?;
        let mut entity = EntityText { line: self.line, ..EntityText::default() };
        loop {
            match self.peek() {
                Some('"') => {
                    let key = self.quoted("a key in quotes")?;
                    let value = self.quoted("a value in quotes")?;
                    entity.pairs.push((key.to_owned(), value.to_owned()));
                }
                Some('{') => entity.brushes.push(self.brush()?),
                Some('}') => {
                    self.expect('}', "}")?;
                    return Ok(entity);
                }
                Some(_) => return Err(self.unexpected("a key, a brush or the entity's }")),
                None => return Err(self.fault(SourceFault::EndOfFile { wanted: "the entity's }" })),
            }
        }
    }

    fn brush(&mut self) -> Result<BrushText, SourceError> {
        self.expect('{', "a brush's {")?;
        let mut brush = BrushText { line: self.line, ..BrushText::default() };
        loop {
            match self.peek() {
                Some('(') => brush.faces.push(self.face()?),
                Some('}') => {
                    self.expect('}', "}")?;
                    return Ok(brush);
                }
                Some('p' | 'b') if self.rest.starts_with("patchDef") || self.rest.starts_with("brushDef") => {
                    let word = self.word("a brush")?.to_owned();
                    return Err(self.fault(SourceFault::OtherDialect(word)));
                }
                Some(_) => return Err(self.unexpected("a face or the brush's }")),
                None => return Err(self.fault(SourceFault::EndOfFile { wanted: "the brush's }" })),
            }
        }
    }

    fn face(&mut self) -> Result<FaceText, SourceError> {
        let points = [self.point()?, self.point()?, self.point()?];
        let line = self.line;
        let texture = match self.peek() {
            Some('"') => self.quoted("a texture name")?,
            _ => self.word("a texture name")?,
        };
        let texture = texture.to_owned();
        if self.peek() == Some('[') {
            for _ in 0..2 {
                self.expect('[', "a texture axis' [")?;
                self.numbers(4)?;
                self.expect(']', "]")?;
            }
            self.numbers(3)?;
        } else {
            self.numbers(5)?;
        }
        // Quake II and III editors append contents, surface flags and a value; the texture's name rules here.
        while matches!(self.peek(), Some('-' | '+' | '.' | '0'..='9')) {
            self.numbers(1)?;
        }
        Ok(FaceText { line, points, texture })
    }

    fn point(&mut self) -> Result<DVec3, SourceError> {
        self.expect('(', "a point's (")?;
        let mut point = DVec3::ZERO;
        for axis in 0..3 {
            let value = self.number()?;
            if value.abs() > WORLD_LIMIT {
                return Err(self.fault(SourceFault::TooFar(value)));
            }
            point[axis] = value;
        }
        self.expect(')', "a point's )")?;
        Ok(point)
    }

    fn numbers(&mut self, count: usize) -> Result<(), SourceError> {
        for _ in 0..count {
            self.number()?;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<f64, SourceError> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| c.is_ascii_whitespace() || "()[]{}\"".contains(c));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.rest = rest;
                Ok(value)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// Everything up to the next blank: texture names hold brackets and slashes.
    fn word(&mut self, wanted: &'static str) -> Result<&'a str, SourceError> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.fault(SourceFault::EndOfFile { wanted }));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    fn quoted(&mut self, wanted: &'static str) -> Result<&'a str, SourceError> {
        if self.peek() != Some('"') {
            return Err(self.unexpected(wanted));
        }
        let inner = &self.rest[1..];
        match inner.find(['"', '\n']) {
            Some(end) if inner[end..].starts_with('"') => {
                self.rest = &inner[end + 1..];
                Ok(&inner[..end])
            }
            _ => Err(self.fault(SourceFault::OpenQuote)),
        }
    }

    fn expect(&mut self, bracket: char, wanted: &'static str) -> Result<(), SourceError> {
        if self.peek() != Some(bracket) {
            return Err(self.unexpected(wanted));
        }
        self.rest = &self.rest[bracket.len_utf8()..];
        Ok(())
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_blanks();
        self.rest.chars().next()
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
            self.line += self.rest[..blank].matches('\n').count() as u32;
            self.rest = &self.rest[blank..];
            if !self.rest.starts_with("//") {
                return;
            }
            self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
        }
    }

    fn unexpected(&mut self, wanted: &'static str) -> SourceError {
        const SHOWN: usize = 24;
        self.skip_blanks();
        let found: String = self.rest.chars().take_while(|c| !c.is_whitespace()).take(SHOWN).collect();
        self.fault(if found.is_empty() {
            SourceFault::EndOfFile { wanted }
        } else {
            SourceFault::Unexpected { wanted, found }
        })
    }

    fn fault(&self, fault: SourceFault) -> SourceError {
        SourceError { file: self.file.to_owned(), line: self.line, fault }
    }
}
