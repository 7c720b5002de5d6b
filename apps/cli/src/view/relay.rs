//! A match on a server, watched while it is played: the recording that the game module writes piece by piece is read as it
//! grows, and handed to a chronicle.
//!
//! In: a file to which the module appends blocks of a quarter of a second (`ft_relay`); for every level it begins another of
//! the same name. Out: a show for each level. What bots think is thought again here, as for every other match; the server
//! does no more for those who watch than write that file.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use fireteam::ConVars;
use fireteam::recording::{Entries, Entry, Recording};

use super::chronicle::Chronicle;
use super::show::Can;
use super::{Billing, Kind, Showing, Viewer, Viewing};
use crate::bake::Watch;
use crate::reel::Reel;

/// Packed length, length and checksum stand before a block.
const BLOCK_HEAD: usize = 12;

/// Follows a server from level to level.
pub(crate) struct Relay {
    path: PathBuf,
    viewer: Arc<Viewer>,
    viewing: Viewing,
    gametype: String,
    level: Option<Level>,
    has_invited: bool,
}

/// One level.
struct Level {
    file: File,
    /// The file's number, by which a new one of the same name is known.
    number: u64,
    tail: Tail,
    chronicle: Arc<Chronicle>,
}

impl Relay {
    /// Opens the viewer; the server is told to write to [`Relay::path`].
    pub(crate) fn open(viewing: Viewing, gametype: &str) -> Result<Relay> {
        let path = std::env::temp_dir().join(format!("fireteam-relay-{}.recording", std::process::id()));
        let viewer = Viewer::open(&viewing)?;
        Ok(Relay { path, viewer, viewing, gametype: gametype.to_owned(), level: None, has_invited: false })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Takes in whatever is new. To be asked several times a second.
    pub(crate) fn look(&mut self, watch: &Watch) -> Result<()> {
        let number = match std::fs::metadata(&self.path) {
            Ok(file) => Some(file.ino()),
            // No level has begun yet.
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("cannot look at {}", self.path.display())),
        };
        if let Some(number) = number.filter(|number| self.level.as_ref().is_none_or(|level| level.number != *number)) {
            if let Some(mut before) = self.level.take() {
                before.read_on()?;
                before.chronicle.finish("the level is over");
            }
            self.level = Some(self.begin(number, watch)?);
        }
        self.level.as_mut().map_or(Ok(()), Level::read_on)
    }

    fn begin(&mut self, number: u64, watch: &Watch) -> Result<Level> {
        let name = self.path.display().to_string();
        let mut file = File::open(&self.path).with_context(|| format!("cannot read {name}"))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
        let recording = Recording::read(&name, &bytes)?;
        let field = Reel::of(self.path.clone()).field(&recording, watch)?;
        let chronicle = Arc::new(Chronicle::blank(field.clone(), recording.head.clone()));
        let can = Can { edit: true, verify: true, ..Can::default() };
        let title = format!("{} ({}), live server", field.map.name, field.game.name);
        let billing = Billing { kind: Kind::Server, title, gametype: self.gametype.clone(), can };
        self.viewer.show(Arc::new(Showing::new(billing, chronicle.clone(), None, ConVars::default())));
        if !std::mem::replace(&mut self.has_invited, true) {
            self.viewer.invite(&self.viewing);
        }
        let tail = Tail::after(recording.blocks_len(), &bytes);
        Ok(Level { file, number, tail, chronicle })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // Nothing is left behind; if no level ever began, there is nothing.
        std::fs::remove_file(&self.path).ok();
    }
}

impl Level {
    fn read_on(&mut self) -> Result<()> {
        self.file.read_to_end(&mut self.tail.unread).context("cannot read on in the server's recording")?;
        let mut is_new = false;
        for entry in self.tail.entries()? {
            self.chronicle.take(entry, &[]);
            is_new = true;
        }
        if is_new {
            self.chronicle.announce();
        }
        if self.tail.is_over && self.chronicle.shelf().is_growing {
            self.chronicle.finish("the level is over");
        }
        Ok(())
    }
}

/// The end of a recording that is still being written.
#[derive(Debug, Default)]
struct Tail {
    unread: Vec<u8>,
    /// Blocks so far.
    blocks: u32,
    is_over: bool,
}

impl Tail {
    /// After the head of a file, of which `left` bytes at its end are blocks.
    fn after(left: usize, bytes: &[u8]) -> Tail {
        Tail { unread: bytes[bytes.len() - left..].to_vec(), ..Tail::default() }
    }

    /// Those of all blocks that are there whole.
    fn entries(&mut self) -> Result<Vec<Entry>> {
        let (mut at, mut entries) = (0, Vec::new());
        while let Some(length) = self.unread[at..].first_chunk().map(|length| u32::from_le_bytes(*length) as usize) {
            let end = at + BLOCK_HEAD + length;
            if self.unread.len() < end {
                break;
            }
            if length == 0 {
                self.is_over = true;
            } else {
                let block = Entries::of_block("the server's recording", self.blocks, &self.unread[at..end]);
                entries.extend(block.collect::<Result<Vec<Entry>, _>>()?);
                self.blocks += 1;
            }
            at = end;
        }
        self.unread.drain(..at);
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam::recording::{Head, Keep, Recorder};
    use fireteam::{Character, Skill, Snapshot};
    use fireteam_world::units::{EntityId, Time};

    /// A recording in blocks of a quarter of a second, as the module writes it.
    fn written() -> Vec<u8> {
        let mut recorder = Recorder::new(Head::default(), Keep::Whole).in_blocks_of(250);
        let ada = Character { name: "Ada".to_owned(), skill: Skill::Elite, traits: None };
        recorder.join(EntityId(3), &ada);
        let mut convars = ConVars::default();
        for frame in 0..40 {
            if frame == 21 {
                convars.set("think_ms", "50").unwrap();
            }
            if frame == 30 {
                recorder.leave(EntityId(3));
            }
            let shown = Snapshot { time: Time(frame * 50), frame_ms: 50, ..Snapshot::default() };
            recorder.frame(&shown, &convars, &[]);
        }
        assert_eq!(recorder.begun(), 8);
        recorder.to_bytes()
    }

    #[test]
    fn a_recording_read_as_it_grows_is_the_same_as_read_at_its_end() {
        let bytes = written();
        let recording = Recording::read("test", &bytes).unwrap();
        let whole: Vec<Entry> = recording.entries().collect::<Result<_, _>>().unwrap();
        let head = bytes.len() - recording.blocks_len();
        // However much of it is there when somebody looks.
        for step in [1, 7, 100, bytes.len()] {
            let mut tail = Tail::after(0, &bytes[..head]);
            let mut read = Vec::new();
            for piece in bytes[head..].chunks(step) {
                assert!(!tail.is_over);
                tail.unread.extend_from_slice(piece);
                read.extend(tail.entries().unwrap());
            }
            assert!(tail.is_over && tail.unread.is_empty(), "{step}");
            assert_eq!(settled(read), settled(whole.clone()), "{step}");
        }
    }

    /// Variables are told at the beginning of every block: only what changes them counts.
    fn settled(entries: Vec<Entry>) -> Vec<Entry> {
        let mut known = None;
        let is_news = |entry: &Entry| match entry {
            Entry::Variables(convars) => known.replace(**convars) != Some(**convars),
            Entry::Join(..) | Entry::Leave(_) | Entry::Frame(..) => true,
        };
        let mut is_news = is_news;
        entries.into_iter().filter(|entry| is_news(entry)).collect()
    }

    #[test]
    fn a_damaged_block_is_told() {
        let mut bytes = written();
        let head = bytes.len() - Recording::read("test", &bytes).unwrap().blocks_len();
        bytes[head + 20] ^= 1;
        let mut tail = Tail::after(bytes.len() - head, &bytes);
        assert!(tail.entries().unwrap_err().to_string().contains("checksum of block"));
    }
}
