//! The things a map's author placed: `{ "key" "value" … }` text, read as Quake III reads it.
//!
//! In: the bytes of an entity lump. Out: [`Entity`] lists in file order, or the byte at which the text went wrong.
//! Words may stand in quotes (with no escapes: a backslash is a backslash, the game's own code turns `\n` in a message
//! into a new line later) or bare; `//` and `/* */` comments are skipped; a zero byte ends the text. Bytes above 127
//! are taken as Latin-1, so that no text is refused for its accents.

use glam::Vec3;

use super::Entity;
use crate::units::ModelId;

/// What is wrong with entity text, and at which byte of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset} of the entities: {problem}")]
pub struct EntityError {
    pub offset: usize,
    pub problem: EntityProblem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntityProblem {
    #[error("an entity must begin with {{, found \"{0}\"")]
    NoOpeningBrace(String),
    #[error("the text ends inside an entity")]
    Unclosed,
    #[error("key \"{0}\" has no value")]
    NoValue(String),
    #[error("{{ inside an entity")]
    Nested,
    #[error("a quoted word is not closed")]
    UnclosedQuote,
}

/// Reads all entities of a lump.
pub fn parse(text: &[u8]) -> Result<Vec<Entity>, EntityError> {
    let mut words = Words { text, at: 0 };
    let mut entities = Vec::new();
    loop {
        match words.next()? {
            None => return Ok(entities),
            Some(Word::Open) => entities.push(parse_one(&mut words)?),
            Some(Word::Close) => return Err(words.error(EntityProblem::NoOpeningBrace("}".to_owned()))),
            Some(Word::Text(found)) => return Err(words.error(EntityProblem::NoOpeningBrace(found))),
        }
    }
}

fn parse_one(words: &mut Words<'_>) -> Result<Entity, EntityError> {
    let mut pairs = Vec::new();
    loop {
        let key = match words.next()? {
            Some(Word::Text(key)) => key,
            Some(Word::Close) => return Ok(Entity { pairs }),
            Some(Word::Open) => return Err(words.error(EntityProblem::Nested)),
            None => return Err(words.error(EntityProblem::Unclosed)),
        };
        match words.next()? {
            Some(Word::Text(value)) => pairs.push((key, value)),
            Some(Word::Close | Word::Open) => return Err(words.error(EntityProblem::NoValue(key))),
            None => return Err(words.error(EntityProblem::Unclosed)),
        }
    }
}

enum Word {
    Open,
    Close,
    Text(String),
}

struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl Words<'_> {
    fn next(&mut self) -> Result<Option<Word>, EntityError> {
        self.skip_blanks();
        let Some(first) = self.peek(0) else { return Ok(None) };
        match first {
            b'{' | b'}' => {
                self.at += 1;
                Ok(Some(if first == b'{' { Word::Open } else { Word::Close }))
            }
            b'"' => self.quoted().map(Some),
            _ => {
                let word = self.take_while(|byte| byte > b' ' && !matches!(byte, b'{' | b'}' | b'"'));
                Ok(Some(Word::Text(word)))
            }
        }
    }

    fn quoted(&mut self) -> Result<Word, EntityError> {
        let start = self.at;
        self.at += 1;
        let word = self.take_while(|byte| byte != b'"');
        if self.peek(0).is_none() {
            return Err(EntityError { offset: start, problem: EntityProblem::UnclosedQuote });
        }
        self.at += 1;
        Ok(Word::Text(word))
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'/', Some(b'/')) => self.skip_until(|rest| rest[0] == b'\n'),
                (b'/', Some(b'*')) => {
                    self.at += 2;
                    self.skip_until(|rest| rest.starts_with(b"*/"));
                    // A comment that never closes hides the rest of the text.
                    self.at += if self.peek(0).is_some() { 2 } else { 0 };
                }
                (..=b' ', _) => self.at += 1,
                _ => return,
            }
        }
    }

    fn skip_until(&mut self, found: impl Fn(&[u8]) -> bool) {
        while self.peek(0).is_some() && !found(&self.text[self.at..]) {
            self.at += 1;
        }
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(&belongs) {
            self.at += 1;
        }
        self.text[start..self.at].iter().map(|&byte| char::from(byte)).collect()
    }

    /// The byte `ahead` of here; none at the end of the text or at the zero that ends it.
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied().filter(|&byte| byte != 0)
    }

    fn error(&self, problem: EntityProblem) -> EntityError {
        EntityError { offset: self.at, problem }
    }
}

impl Entity {
    /// The value of a key. Keys are compared without case; of a key given twice the first counts.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value.as_str())
    }

    /// What it is (`worldspawn`, `func_door`, …); empty when the author forgot.
    pub fn class(&self) -> &str {
        self.get("classname").unwrap_or("")
    }

    /// A number as C's `atof` finds it: what follows the number is ignored.
    pub fn number(&self, key: &str) -> Option<f32> {
        leading_number(self.get(key)?).map(|(number, _)| number)
    }

    /// Three numbers.
    pub fn vector(&self, key: &str) -> Option<Vec3> {
        let mut rest = self.get(key)?;
        let mut numbers = [0.0; 3];
        for number in &mut numbers {
            (*number, rest) = leading_number(rest)?;
        }
        Some(Vec3::from_array(numbers))
    }

    /// Which brush model it is made of: `"model" "*3"`.
    pub fn model(&self) -> Option<ModelId> {
        self.get("model")?.strip_prefix('*')?.parse().ok().map(ModelId)
    }

    /// Where it stands; the middle of the map when not said.
    pub fn origin(&self) -> Vec3 {
        self.vector("origin").unwrap_or(Vec3::ZERO)
    }

    /// The yaw it faces. Movers give -1 and -2 the meaning "up" and "down".
    pub fn angle(&self) -> Option<f32> {
        self.number("angle")
    }

    /// Pitch, yaw and roll: `angles`, or `angle` as the yaw, whichever key comes last.
    pub fn angles(&self) -> Option<Vec3> {
        let last = self.pairs.iter().rev().find_map(|(name, _)| {
            let is_yaw = name.eq_ignore_ascii_case("angle");
            (is_yaw || name.eq_ignore_ascii_case("angles")).then_some(is_yaw)
        })?;
        if last { self.angle().map(|yaw| Vec3::new(0.0, yaw, 0.0)) } else { self.vector("angles") }
    }
}

/// The number `text` begins with, and what follows it.
fn leading_number(text: &str) -> Option<(f32, &str)> {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    end += digits(end);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number: f32 = text[..end].parse().ok()?;
    number.is_finite().then_some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Entity {
        let mut entities = parse(text.as_bytes()).unwrap();
        assert_eq!(entities.len(), 1);
        entities.remove(0)
    }

    #[test]
    fn comments_bare_words_and_a_closing_zero_are_read_as_the_game_reads_them() {
        let entities =
            parse(b"// made by hand\n{ classname worldspawn /* no\nlight */ \"message\" \"a\\nb // c\" }\n{}\0 junk")
                .unwrap();
        assert_eq!(entities.len(), 2);
        assert_eq!(entities[0].class(), "worldspawn");
        assert_eq!(entities[0].get("MESSAGE"), Some("a\\nb // c"));
        assert_eq!(entities[1].pairs, []);
    }

    #[test]
    fn numbers_and_vectors_are_read_up_to_where_they_stop_being_numbers() {
        let entity = one("{ a \"12.5units\" b \"-3e2 .5  7\" c \"1 2\" d nan e \"4e\" f \"1e99\" }");
        assert_eq!(entity.number("a"), Some(12.5));
        assert_eq!(entity.vector("b"), Some(Vec3::new(-300.0, 0.5, 7.0)));
        assert_eq!(entity.vector("c"), None);
        assert_eq!(entity.number("d"), None);
        assert_eq!(entity.number("e"), Some(4.0));
        assert_eq!(entity.number("f"), None);
    }

    #[test]
    fn models_and_angles_are_found() {
        let door = one("{ classname func_door model *12 angle 90 }");
        assert_eq!(door.model(), Some(ModelId(12)));
        assert_eq!(door.angles(), Some(Vec3::new(0.0, 90.0, 0.0)));
        assert_eq!(one("{ angle 90 angles \"1 2 3\" }").angles(), Some(Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(one("{ model \"models/a.md3\" }").model(), None);
    }

    #[test]
    fn errors_name_the_byte() {
        let error = |text: &[u8]| parse(text).unwrap_err();
        assert_eq!(error(b"{ a b").problem, EntityProblem::Unclosed);
        assert_eq!(error(b"  \"a").offset, 2);
        assert_eq!(error(b"{ a }"), EntityError { offset: 5, problem: EntityProblem::NoValue("a".to_owned()) });
        assert_eq!(error(b"{ { }").problem, EntityProblem::Nested);
        assert_eq!(error(b"x").problem, EntityProblem::NoOpeningBrace("x".to_owned()));
    }
}
