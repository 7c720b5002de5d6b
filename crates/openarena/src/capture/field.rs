//! How a row is written down: once as bytes (between us and the module), once as text (kept in git and read by people).
//!
//! A row names its fields once, in `rows!`; [`Bytes`] and [`Words`] decide what a number looks like. Floats come back
//! with the same bits in both. Reading never panics and never allocates by a count it has not checked against what is
//! left to read.

use std::fmt::Write as _;

use fireteam_world::units::{EntityId, ModelId};
use fireteam_world::{Contents, Hull, Placed, SurfaceFlags, Sweep, Vec3};
use thiserror::Error;

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    #[error("ends too early")]
    Short,
    #[error("`{0}` is not a number")]
    Number(String),
    #[error("{0} of something, more than there is left to read")]
    Count(i64),
    #[error("{0} is out of range")]
    Range(i64),
    #[error("text is not UTF-8")]
    Text,
    #[error("{0} fields too many")]
    Long(usize),
}

pub trait Sink {
    fn int(&mut self, value: i32);
    fn float(&mut self, value: f32);
    fn word(&mut self, value: &str);
}

pub trait Source {
    fn int(&mut self) -> Result<i32, Fault>;
    fn float(&mut self) -> Result<f32, Fault>;
    fn word(&mut self) -> Result<String, Fault>;
    /// No list can have more elements than this.
    fn left(&self) -> usize;
}

/// Something that can be written down and read back.
pub trait Field: Sized {
    fn put(&self, sink: &mut impl Sink);
    fn take(source: &mut impl Source) -> Result<Self, Fault>;
}

/// Declares plain rows: public fields, written in the order they stand.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        impl $crate::capture::field::Field for $name {
            fn put(&self, sink: &mut impl $crate::capture::field::Sink) {
                $($crate::capture::field::Field::put(&self.$field, sink);)*
            }
            fn take(
                source: &mut impl $crate::capture::field::Source,
            ) -> Result<Self, $crate::capture::field::Fault> {
                Ok($name { $($field: $crate::capture::field::Field::take(source)?,)* })
            }
        }
    )* };
}
pub(crate) use rows;

impl Field for i32 {
    fn put(&self, sink: &mut impl Sink) {
        sink.int(*self);
    }
    fn take(source: &mut impl Source) -> Result<i32, Fault> {
        source.int()
    }
}

impl Field for f32 {
    fn put(&self, sink: &mut impl Sink) {
        sink.float(*self);
    }
    fn take(source: &mut impl Source) -> Result<f32, Fault> {
        source.float()
    }
}

impl Field for bool {
    fn put(&self, sink: &mut impl Sink) {
        sink.int(i32::from(*self));
    }
    fn take(source: &mut impl Source) -> Result<bool, Fault> {
        match source.int()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Fault::Range(other.into())),
        }
    }
}

/// Numbers narrower than an `i32`.
macro_rules! narrow {
    ($($type:ty),*) => { $(
        impl Field for $type {
            fn put(&self, sink: &mut impl Sink) {
                sink.int(i32::from(*self));
            }
            fn take(source: &mut impl Source) -> Result<$type, Fault> {
                let wide = source.int()?;
                <$type>::try_from(wide).map_err(|_| Fault::Range(wide.into()))
            }
        }
    )* };
}
narrow!(i8, u8, i16, u16);

macro_rules! ids {
    ($($type:ident),*) => { $(
        impl Field for $type {
            fn put(&self, sink: &mut impl Sink) {
                self.0.put(sink);
            }
            fn take(source: &mut impl Source) -> Result<$type, Fault> {
                Ok($type(Field::take(source)?))
            }
        }
    )* };
}
ids!(EntityId, ModelId);

/// Bit sets travel as the signed number with the same bits, as the engine stores them.
macro_rules! bits {
    ($($type:ident),*) => { $(
        impl Field for $type {
            fn put(&self, sink: &mut impl Sink) {
                sink.int(self.0 as i32);
            }
            fn take(source: &mut impl Source) -> Result<$type, Fault> {
                Ok($type(source.int()? as u32))
            }
        }
    )* };
}
bits!(Contents, SurfaceFlags);

impl Field for String {
    fn put(&self, sink: &mut impl Sink) {
        sink.word(self);
    }
    fn take(source: &mut impl Source) -> Result<String, Fault> {
        source.word()
    }
}

impl Field for Vec3 {
    fn put(&self, sink: &mut impl Sink) {
        self.to_array().put(sink);
    }
    fn take(source: &mut impl Source) -> Result<Vec3, Fault> {
        Ok(Vec3::from_array(Field::take(source)?))
    }
}

impl Field for Sweep {
    fn put(&self, sink: &mut impl Sink) {
        for vector in [self.start, self.end, self.hull.mins, self.hull.maxs] {
            vector.put(sink);
        }
        self.mask.put(sink);
    }
    fn take(source: &mut impl Source) -> Result<Sweep, Fault> {
        let (start, end) = Field::take(source)?;
        let (mins, maxs) = Field::take(source)?;
        Ok(Sweep { start, end, hull: Hull { mins, maxs }, mask: Field::take(source)? })
    }
}

impl Field for Placed {
    fn put(&self, sink: &mut impl Sink) {
        self.model.put(sink);
        self.entity.put(sink);
        self.origin.put(sink);
        self.angles.put(sink);
        self.contents.put(sink);
    }
    fn take(source: &mut impl Source) -> Result<Placed, Fault> {
        Ok(Placed {
            model: Field::take(source)?,
            entity: Field::take(source)?,
            origin: Field::take(source)?,
            angles: Field::take(source)?,
            contents: Field::take(source)?,
        })
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, sink: &mut impl Sink) {
        self.0.put(sink);
        self.1.put(sink);
    }
    fn take(source: &mut impl Source) -> Result<(A, B), Fault> {
        Ok((A::take(source)?, B::take(source)?))
    }
}

impl<T: Field + Copy + Default, const N: usize> Field for [T; N] {
    fn put(&self, sink: &mut impl Sink) {
        self.iter().for_each(|element| element.put(sink));
    }
    fn take(source: &mut impl Source) -> Result<[T; N], Fault> {
        let mut array = [T::default(); N];
        for element in &mut array {
            *element = T::take(source)?;
        }
        Ok(array)
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, sink: &mut impl Sink) {
        let count = i32::try_from(self.len()).expect("rows are counted in thousands");
        sink.int(count);
        self.iter().for_each(|element| element.put(sink));
    }
    fn take(source: &mut impl Source) -> Result<Vec<T>, Fault> {
        let stated = source.int()?;
        let count =
            usize::try_from(stated).ok().filter(|&count| count <= source.left()).ok_or(Fault::Count(stated.into()))?;
        (0..count).map(|_| T::take(source)).collect()
    }
}

/// Little-endian bytes.
#[derive(Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Sink for Bytes {
    fn int(&mut self, value: i32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn float(&mut self, value: f32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn word(&mut self, value: &str) {
        self.int(i32::try_from(value.len()).expect("names and lines, not books"));
        self.0.extend_from_slice(value.as_bytes());
    }
}

impl Source for &[u8] {
    fn int(&mut self) -> Result<i32, Fault> {
        let (head, rest) = self.split_first_chunk().ok_or(Fault::Short)?;
        *self = rest;
        Ok(i32::from_le_bytes(*head))
    }
    fn float(&mut self) -> Result<f32, Fault> {
        let (head, rest) = self.split_first_chunk().ok_or(Fault::Short)?;
        *self = rest;
        Ok(f32::from_le_bytes(*head))
    }
    fn word(&mut self) -> Result<String, Fault> {
        let stated = self.int()?;
        let length = usize::try_from(stated).map_err(|_| Fault::Count(stated.into()))?;
        let (head, rest) = self.split_at_checked(length).ok_or(Fault::Short)?;
        *self = rest;
        String::from_utf8(head.to_vec()).map_err(|_| Fault::Text)
    }
    fn left(&self) -> usize {
        self.len()
    }
}

/// One line of words with a blank between.
#[derive(Debug, Default)]
pub struct Words(pub String);

impl Words {
    fn push(&mut self, word: std::fmt::Arguments<'_>) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0.write_fmt(word).expect("a String takes everything");
    }
}

impl Sink for Words {
    fn int(&mut self, value: i32) {
        self.push(format_args!("{value}"));
    }
    fn float(&mut self, value: f32) {
        // Rust prints the shortest decimal that reads back as the same float, -0 included.
        self.push(format_args!("{value}"));
    }
    fn word(&mut self, value: &str) {
        let escaped: String = value.chars().fold(String::from("'"), |mut word, c| {
            if c.is_ascii_whitespace() || c.is_control() || c == '%' {
                write!(word, "%{:02x}", u32::from(c)).expect("a String takes everything");
            } else {
                word.push(c);
            }
            word
        });
        self.push(format_args!("{escaped}"));
    }
}

/// Reads the words of one line.
#[derive(Debug)]
pub struct Line<'a>(pub &'a str);

impl<'a> Line<'a> {
    fn next(&mut self) -> Result<&'a str, Fault> {
        let text = self.0.trim_start_matches(' ');
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        if word.is_empty() {
            return Err(Fault::Short);
        }
        self.0 = rest;
        Ok(word)
    }

    /// Everything must have been read.
    pub fn finish(self) -> Result<(), Fault> {
        match self.0.split_whitespace().count() {
            0 => Ok(()),
            count => Err(Fault::Long(count)),
        }
    }
}

impl Source for Line<'_> {
    fn int(&mut self) -> Result<i32, Fault> {
        let word = self.next()?;
        word.parse().map_err(|_| Fault::Number(word.to_owned()))
    }
    fn float(&mut self) -> Result<f32, Fault> {
        let word = self.next()?;
        word.parse().map_err(|_| Fault::Number(word.to_owned()))
    }
    fn word(&mut self) -> Result<String, Fault> {
        let word = self.next()?.strip_prefix('\'').ok_or(Fault::Text)?;
        let mut parts = word.split('%');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (code, rest) = part.split_at_checked(2).ok_or(Fault::Text)?;
            text.push(u8::from_str_radix(code, 16).map_err(|_| Fault::Text)?.into());
            text += rest;
        }
        Ok(text)
    }
    fn left(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Everything = (Vec<Vec3>, (String, (i32, (bool, [f32; 2]))));

    fn sample() -> Everything {
        let odd = Vec3::new(-0.0, f32::MIN_POSITIVE / 3.0, 0.1);
        (vec![odd, Vec3::splat(1.0e20)], ("two words, 5 %".to_owned(), (-7, (true, [f32::MAX, -1.5e-7]))))
    }

    #[test]
    fn bytes_come_back() {
        let mut bytes = Bytes::default();
        sample().put(&mut bytes);
        let mut source = bytes.0.as_slice();
        assert_eq!(Everything::take(&mut source), Ok(sample()));
        assert!(source.is_empty());
    }

    #[test]
    fn text_comes_back_with_every_bit() {
        let mut words = Words::default();
        sample().put(&mut words);
        let mut line = Line(&words.0);
        let back = Everything::take(&mut line).expect("just written");
        line.finish().expect("nothing is left");
        assert_eq!(back, sample());
        assert_eq!(back.0[0].x.to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn list_longer_than_its_file_is_refused_before_allocating() {
        let mut bytes = Bytes::default();
        bytes.int(i32::MAX);
        assert_eq!(Vec::<i32>::take(&mut bytes.0.as_slice()), Err(Fault::Count(i32::MAX.into())));
    }

    #[test]
    fn every_cut_is_noticed() {
        let mut bytes = Bytes::default();
        sample().put(&mut bytes);
        for length in 0..bytes.0.len() {
            assert!(Everything::take(&mut &bytes.0[..length]).is_err(), "cut at {length}");
        }
    }
}
