//! Archives of game files: .pk3, which are zip files with names compared without case.
//!
//! In: a path, or bytes. Out: names and contents of entries. An entry is unpacked only if its declared size is sane,
//! never beyond that size, and is handed out only if size and CRC come out as declared: a small file cannot make us
//! allocate a large one. Of entries with the same name the last counts, as in the engine.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use rawzip::{CompressionMethod, FileReader, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder, ZipLocator};

/// Largest entry unpacked. The largest map of OpenArena has 10 MB, the largest entry of any kind 14 MB.
pub const ENTRY_BYTES_MAX: u64 = 256 << 20;

/// Most entries an archive may list; OpenArena's fullest has about 2,300.
pub const ENTRIES_MAX: usize = 1 << 17;

/// Deflate cannot do better than 1032 to 1: what claims more lies about its size.
const DEFLATE_RATIO_MAX: u64 = 1032;

/// An open archive and the directory of its entries.
pub struct Pk3 {
    name: String,
    archive: ZipArchive<Box<dyn ReaderAt + Send + Sync>>,
    /// By name in lower case, with forward slashes.
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    crc: u32,
}

#[derive(Debug, thiserror::Error)]
#[error("{archive}: {problem}")]
pub struct Pk3Error {
    pub archive: String,
    pub problem: Pk3Problem,
}

#[derive(Debug, thiserror::Error)]
pub enum Pk3Problem {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not a readable zip archive: {0}")]
    Zip(#[from] rawzip::Error),
    #[error("it lists more than {ENTRIES_MAX} entries")]
    TooManyEntries,
    #[error("{0}: no such entry")]
    NoEntry(String),
    #[error("{name}: {method:?} compression is not used in .pk3 files")]
    Method { name: String, method: CompressionMethod },
    #[error("{name}: {size} bytes from {packed} packed ones; more than is believed")]
    Size { name: String, size: u64, packed: u64 },
    #[error("{name}: does not unpack: {status:?}")]
    Inflate { name: String, status: TINFLStatus },
    #[error("{name}: {found} bytes, {declared} declared")]
    Length { name: String, found: u64, declared: u64 },
    #[error("{name}: checksum {found:08x}, {declared:08x} declared")]
    Checksum { name: String, found: u32, declared: u32 },
}

impl Pk3 {
    pub fn open(path: &Path) -> Result<Pk3, Pk3Error> {
        let name = path.display().to_string();
        let file = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = file.map_err(|error| Pk3Error { archive: name.clone(), problem: error.into() })?;
        Pk3::index(name, Box::new(FileReader::from(file)), length)
    }

    /// An archive in memory; `name` stands in errors.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Pk3, Pk3Error> {
        let length = bytes.len() as u64;
        Pk3::index(name.to_owned(), Box::new(bytes), length)
    }

    fn index(name: String, source: Box<dyn ReaderAt + Send + Sync>, length: u64) -> Result<Pk3, Pk3Error> {
        let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
        let opened = ZipLocator::new().locate_in_reader(source, &mut buffer, length).map_err(|(_, error)| error);
        let listed = opened.map_err(Pk3Problem::from).and_then(|archive| {
            let entries = list(&archive, &mut buffer)?;
            Ok((archive, entries))
        });
        match listed {
            Ok((archive, entries)) => Ok(Pk3 { name, archive, entries }),
            Err(problem) => Err(Pk3Error { archive: name, problem }),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of all entries, lower case, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(&key(name))
    }

    /// The contents of an entry, unpacked and checked.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Pk3Error> {
        self.unpack(name).map_err(|problem| Pk3Error { archive: self.name.clone(), problem })
    }

    fn unpack(&self, name: &str) -> Result<Vec<u8>, Pk3Problem> {
        let owned = || name.to_owned();
        let entry = self.entries.get(&key(name)).ok_or_else(|| Pk3Problem::NoEntry(owned()))?;
        let (packed, size) = (entry.place.compressed_size_hint(), entry.place.uncompressed_size_hint());
        if size > ENTRY_BYTES_MAX || packed > ENTRY_BYTES_MAX || size > packed.saturating_mul(DEFLATE_RATIO_MAX) {
            return Err(Pk3Problem::Size { name: owned(), size, packed });
        }
        let mut raw = Vec::new();
        self.archive.get_entry(entry.place)?.reader().take(packed).read_to_end(&mut raw)?;
        let bytes = match entry.method {
            CompressionMethod::STORE => raw,
            CompressionMethod::DEFLATE => decompress_to_vec_with_limit(&raw, size as usize)
                .map_err(|error| Pk3Problem::Inflate { name: owned(), status: error.status })?,
            method => return Err(Pk3Problem::Method { name: owned(), method }),
        };
        if bytes.len() as u64 != size {
            return Err(Pk3Problem::Length { name: owned(), found: bytes.len() as u64, declared: size });
        }
        let found = rawzip::crc32(&bytes);
        if found != entry.crc {
            return Err(Pk3Problem::Checksum { name: owned(), found, declared: entry.crc });
        }
        Ok(bytes)
    }
}

impl fmt::Debug for Pk3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pk3").field("name", &self.name).field("entries", &self.entries.len()).finish()
    }
}

fn list<R: ReaderAt>(archive: &ZipArchive<R>, buffer: &mut [u8]) -> Result<BTreeMap<String, Entry>, Pk3Problem> {
    let mut entries = BTreeMap::new();
    let mut records = archive.entries(buffer);
    let mut count = 0;
    while let Some(record) = records.next_entry()? {
        count += 1;
        if count > ENTRIES_MAX {
            return Err(Pk3Problem::TooManyEntries);
        }
        if record.is_dir() {
            continue;
        }
        let name: String = record.file_path().as_bytes().iter().map(|&byte| char::from(byte)).collect();
        let entry = Entry { place: record.wayfinder(), method: record.compression_method(), crc: record.crc32() };
        entries.insert(key(&name), entry);
    }
    Ok(entries)
}

/// A name as the engine compares it: without case, any separator a slash.
pub(super) fn key(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '\\' | ':') { '/' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;

    /// An archive of these files, packed as games pack them.
    pub(in super::super) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = rawzip::ZipArchiveWriter::new(&mut bytes);
        for (name, contents) in files {
            let method = CompressionMethod::DEFLATE;
            let (mut entry, config) = writer.new_file(name).compression_method(method).start().unwrap();
            entry.write_all(&miniz_oxide::deflate::compress_to_vec(contents, 6)).unwrap();
            let mut checked = config.wrap(io::sink());
            checked.write_all(contents).unwrap();
            let (_, descriptor) = checked.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        writer.finish().unwrap();
        bytes
    }

    fn open(bytes: Vec<u8>) -> Result<Pk3, Pk3Error> {
        Pk3::from_bytes("test.pk3", bytes)
    }

    #[test]
    fn entries_are_found_without_case_and_the_last_of_a_name_counts() {
        let pack = open(archive(&[("Maps/One.BSP", b"old"), ("maps/one.bsp", b"new"), ("a.txt", b"")])).unwrap();
        assert_eq!(pack.names().collect::<Vec<_>>(), ["a.txt", "maps/one.bsp"]);
        assert_eq!(pack.read("MAPS\\ONE.bsp").unwrap(), b"new");
        assert_eq!(pack.read("a.txt").unwrap(), b"");
        assert!(matches!(pack.read("b.txt").unwrap_err().problem, Pk3Problem::NoEntry(_)));
    }

    #[test]
    fn what_unpacks_to_something_else_than_declared_is_refused() {
        let contents = [7_u8; 5000];
        let whole = archive(&[("a", &contents)]);
        // The central directory repeats checksum and sizes 16, 20 and 24 bytes after its signature.
        let directory = whole.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
        let with = |at: usize, value: u32| {
            let mut bent = whole.clone();
            bent[directory + at..directory + at + 4].copy_from_slice(&value.to_le_bytes());
            open(bent).and_then(|pack| pack.read("a")).unwrap_err().problem
        };
        assert!(matches!(with(16, 0), Pk3Problem::Checksum { .. }));
        assert!(matches!(with(24, 100), Pk3Problem::Inflate { .. }));
        assert!(matches!(with(24, 9000), Pk3Problem::Length { found: 5000, .. }));
        assert!(matches!(with(24, 1 << 30), Pk3Problem::Size { .. }));
        assert!(matches!(with(10, 0x0000_000c), Pk3Problem::Method { .. } | Pk3Problem::Zip(_)));
    }

    #[test]
    fn a_few_bytes_cannot_claim_to_be_many() {
        let bomb = archive(&[("bomb", &vec![0; 8 << 20])]);
        assert!(bomb.len() < 10_000);
        // Honest, if odd: within what deflate can do, and below the limit.
        assert_eq!(open(bomb.clone()).unwrap().read("bomb").unwrap().len(), 8 << 20);
        let directory = bomb.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
        let mut bent = bomb.clone();
        bent[directory + 24..directory + 28].copy_from_slice(&(200_u32 << 20).to_le_bytes());
        assert!(matches!(open(bent).unwrap().read("bomb").unwrap_err().problem, Pk3Problem::Size { .. }));
    }

    #[test]
    fn no_cut_or_bent_archive_panics() {
        let whole = archive(&[("maps/a.bsp", b"some contents, some contents"), ("b", &[1; 300])]);
        let read_all = |bytes: Vec<u8>| open(bytes).map(|pack| pack.names().filter_map(|n| pack.read(n).ok()).count());
        for length in 0..whole.len() {
            assert_ne!(read_all(whole[..length].to_vec()).unwrap_or(0), 2, "cut at {length}");
        }
        for bit in 0..whole.len() * 8 {
            let mut bent = whole.clone();
            bent[bit / 8] ^= 1 << (bit % 8);
            let _ = read_all(bent);
        }
    }
}
