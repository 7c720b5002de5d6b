//! A recording that is written while the match goes on, for whoever watches it from another process.
//!
//! In: the recorder, after every frame. Out: a file to which each block is appended when it is done. A level begins a new
//! file under the same name, so that a reader who holds the old one has all of it. Makes no engine call.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use fireteam::recording::Recorder;

/// Whoever watches is this far behind at most; a shorter block packs worse.
pub(super) const BLOCK_MS: i32 = 250;

#[derive(Debug)]
pub(super) struct Relay {
    file: File,
    /// Blocks that were written.
    written: u32,
}

impl Relay {
    pub(super) fn begin(path: &Path, recorder: &Recorder) -> io::Result<Relay> {
        let fresh = path.with_extension("new");
        let mut file = File::create(&fresh)?;
        file.write_all(&recorder.head_bytes())?;
        // Nobody sees it before its head is whole.
        fs::rename(&fresh, path)?;
        Ok(Relay { file, written: 0 })
    }

    /// Blocks that are done since.
    pub(super) fn pass_on(&mut self, recorder: &Recorder) -> io::Result<()> {
        while self.written + 1 < recorder.begun() {
            self.put(recorder)?;
        }
        Ok(())
    }

    /// The rest of it, and the mark that there is no more.
    pub(super) fn end(mut self, recorder: &Recorder) -> io::Result<()> {
        while self.written < recorder.begun() {
            self.put(recorder)?;
        }
        self.file.write_all(&Recorder::END)
    }

    fn put(&mut self, recorder: &Recorder) -> io::Result<()> {
        if let Some(block) = recorder.block(self.written) {
            self.file.write_all(&block)?;
        }
        self.written += 1;
        Ok(())
    }
}
