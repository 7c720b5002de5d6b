//! A recording as a command is given it: the file, and where its map and rules are if they have moved.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use fireteam::Field;
use fireteam::recording::{Entry, Recording};
use fireteam_world::{Game, Map};

use crate::bake::Watch;
use crate::play::Names;
use crate::{demo, maps, terrains};

#[derive(Args, Debug)]
pub(crate) struct Reel {
    /// What `--record` wrote, or a crash left
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Where the map is, if not where it was
    #[arg(long, value_name = "FILE|NAME")]
    map: Option<String>,

    /// The game's description, if it was a file that has moved
    #[arg(long, value_name = "NAME|FILE")]
    game: Option<String>,

    #[command(flatten)]
    tracing: terrains::Tracing,
}

impl Reel {
    /// One whose map and rules are where it says.
    pub(crate) fn of(file: PathBuf) -> Reel {
        Reel { file, map: None, game: None, tracing: terrains::Tracing::default() }
    }

    /// How it is called in what is said.
    pub(crate) fn name(&self) -> String {
        self.file.display().to_string()
    }

    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        std::fs::read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))
    }

    /// One that can be thought again, out of the file's bytes.
    pub(crate) fn whole<'a>(&self, bytes: &'a [u8]) -> Result<Recording<'a>> {
        let file = self.name();
        let recording = Recording::read(&file, bytes)?;
        if !recording.is_whole {
            bail!("{file} does not begin with its match: minds cannot be re-thought from the middle");
        }
        Ok(recording)
    }

    /// The map it was recorded on, and the rules.
    pub(crate) fn map_and_game(&self, recording: &Recording<'_>) -> Result<(Map, Game)> {
        let head = &recording.head;
        let place = self.map.as_ref().unwrap_or(&head.map_place);
        let map = maps::load(place)
            .with_context(|| format!("the recording was made on {place}: say where it is with --map"))?;
        ensure!(map.digest == head.map, "{place} is not the map this was recorded on, {}", head.map_name);
        let game = demo::load_game(self.game.as_ref().unwrap_or(&head.game_name))?;
        Ok((map, game))
    }

    /// The field it was recorded on.
    pub(crate) fn field(&self, recording: &Recording<'_>, watch: &Watch) -> Result<Arc<Field>> {
        let (map, game) = self.map_and_game(recording)?;
        let terrain = terrains::of_settings(&recording.head.settings, &map, &game, watch)?;
        let terrain = terrains::edited_as(recording.head.overlay, terrain, &map, watch)?;
        let field = terrains::field_on(terrain, map, game, self.tracing)?;
        recording.fits(&field)?;
        Ok(field)
    }
}

/// Who was there when it began.
pub(crate) fn names(recording: &Recording<'_>) -> Result<Names> {
    let mut named = Vec::new();
    for entry in recording.entries() {
        match entry? {
            Entry::Join(entity, character) => named.push((entity, character.name)),
            // Whoever joins later has a number.
            Entry::Frame(..) => break,
            Entry::Leave(_) | Entry::Variables(_) => {}
        }
    }
    Ok(Names::of_characters(named.into_iter()))
}

/// How many frames it has.
pub(crate) fn length(recording: &Recording<'_>) -> Result<u64> {
    recording.entries().try_fold(0, |frames, entry| Ok(frames + u64::from(matches!(entry?, Entry::Frame(..)))))
}
