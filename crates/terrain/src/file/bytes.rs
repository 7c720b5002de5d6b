//! Little-endian numbers, written one after the other and read back with every length checked.

use glam::Vec3;

/// What is wrong, and where in the section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) what: String,
}

#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn array(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.array(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.array(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.array(&value.to_le_bytes());
    }

    pub(super) fn i32(&mut self, value: i32) {
        self.array(&value.to_le_bytes());
    }

    pub(super) fn f32(&mut self, value: f32) {
        self.array(&value.to_le_bytes());
    }

    pub(super) fn point(&mut self, point: Vec3) {
        point.to_array().into_iter().for_each(|coordinate| self.f32(coordinate));
    }

    /// A number of rows: tables are kept below their maxima, which fit.
    pub(super) fn count(&mut self, count: usize) {
        self.u32(count as u32);
    }

    pub(super) fn pad_to(&mut self, alignment: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment), 0);
    }
}

#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// All that was not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(super) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault { offset: self.at, what: what.into() }
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        if length > self.left() {
            return Err(self.fault(format!("{length} bytes are needed and {} are left", self.left())));
        }
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        Ok(self.take(N)?.try_into().expect("as many bytes as were asked for"))
    }

    pub(super) fn u8(&mut self) -> Result<u8, Fault> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, Fault> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn i32(&mut self) -> Result<i32, Fault> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(super) fn f32(&mut self) -> Result<f32, Fault> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    pub(super) fn point(&mut self) -> Result<Vec3, Fault> {
        Ok(Vec3::new(self.f32()?, self.f32()?, self.f32()?))
    }

    /// A number of rows of at least `row_bytes` each, believed only if that many bytes are left.
    pub(super) fn count(&mut self, row_bytes: usize, max: usize) -> Result<usize, Fault> {
        let count = self.u32()? as usize;
        if count > max {
            return Err(self.fault(format!("{count} rows are more than the {max} there may be")));
        }
        if count.saturating_mul(row_bytes) > self.left() {
            return Err(self.fault(format!("{count} rows of {row_bytes} bytes are more than are left")));
        }
        Ok(count)
    }

    /// A byte that stands for one of a few values.
    pub(super) fn kind<T>(&mut self, name: &str, from_byte: impl Fn(u8) -> Option<T>) -> Result<T, Fault> {
        let byte = self.u8()?;
        from_byte(byte).ok_or_else(|| self.fault(format!("{byte} is no {name}")))
    }

    /// A section is read to its end.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        if self.left() == 0 { Ok(()) } else { Err(self.fault(format!("{} bytes are left over", self.left()))) }
    }
}
