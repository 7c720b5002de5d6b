//! What play teaches about a map, kept between matches: links that failed (`--learn`), a mesh where none was baked (`--record-mesh`).
//!
//! Both are overlays: text, read before a match, written whole or not at all after it. A file that cannot be read, or is another
//! map's, is an error before anything is played, and stays as it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use fireteam::snapshot::{Figure, Snapshot};
use fireteam::{Bots, Field};
use fireteam_bake::Executor;
use fireteam_bake::mend::Mender;
use fireteam_bake::recorded::{Recorder, Seen, terrain_of};
use fireteam_terrain::{Overlay, Terrain};
use fireteam_world::{Game, Map, Solids};

use crate::bake::Watch;

/// A file of lessons, and what is in it.
pub(crate) struct Lessons {
    path: PathBuf,
    overlay: Overlay,
}

impl Lessons {
    /// Reads the file, if it is there, and merges it.
    pub(crate) fn open(path: &Path, terrain: Terrain, watch: &Watch) -> Result<(Lessons, Terrain)> {
        let overlay = read(path, &terrain.provenance.map_name)?;
        let (terrain, misfits) = terrain.with_what_fits(&overlay)?;
        for misfit in misfits {
            watch.complain(&format!("{misfit}: left out, and kept in the file"));
        }
        Ok((Lessons { path: path.to_owned(), overlay }, terrain))
    }

    /// Learns from a match that was played on `field`, and writes the file.
    pub(crate) fn learn(mut self, field: &Field, bots: &Bots, watch: &Watch) -> Result<()> {
        let mender = Mender::new(&field.map, &field.solids, &field.game, &field.terrain);
        let lessons = self.overlay.learn(&field.terrain, &bots.worn(), |from, link| mender.walk_again(from, link));
        write(&self.path, &self.overlay)?;
        watch.complain(&format!(
            "learnt  {}: {lessons} links, {} lines",
            self.path.display(),
            self.overlay.edits.len()
        ));
        Ok(())
    }
}

/// A mesh that is being recorded.
pub(crate) struct Mesh {
    path: Option<PathBuf>,
    recorder: Recorder,
}

impl Mesh {
    /// What was recorded before, or spawns and items alone; and the field that makes.
    pub(crate) fn open(
        path: Option<&Path>,
        map: Map,
        game: Game,
        executor: &dyn Executor,
    ) -> Result<(Mesh, Arc<Field>)> {
        let before = path.map(|path| read(path, &map.name)).transpose()?;
        let (map, game) = (Arc::new(map), Arc::new(game));
        let solids = Arc::new(Solids::build(&map));
        let recorder = Recorder::new(Arc::clone(&map), Arc::clone(&solids), Arc::clone(&game), before.as_ref());
        let terrain = terrain_of(&map, &game, &recorder.overlay(), executor)?;
        let field = Field::new(map, solids, Arc::new(terrain), game)?;
        Ok((Mesh { path: path.map(Path::to_owned), recorder }, Arc::new(field)))
    }

    /// A new match: its clock begins anew, and everyone is somebody else.
    pub(crate) fn begin_match(&mut self) {
        self.recorder.begin_match();
    }

    /// One frame, as a spectator is shown it.
    pub(crate) fn look(&mut self, snapshot: &Snapshot) {
        let seen = |figure: &Figure| Seen { player: figure.entity, origin: figure.origin, is_dead: figure.is_dead };
        self.recorder.look(snapshot.time, snapshot.players.iter().map(seen));
    }

    pub(crate) fn overlay(&mut self) -> Overlay {
        self.recorder.settle();
        self.recorder.overlay()
    }

    /// Writes the file, if there is to be one.
    pub(crate) fn save(&mut self, watch: &Watch) -> Result<()> {
        let overlay = self.overlay();
        let Some(path) = &self.path else { return Ok(()) };
        write(path, &overlay)?;
        let (waypoints, links) = (self.recorder.waypoints().len(), self.recorder.links().len());
        watch.complain(&format!("mesh  {}: {waypoints} waypoints, {links} links", path.display()));
        Ok(())
    }
}

/// The overlay of a file, or an empty one for this map.
fn read(path: &Path, map: &str) -> Result<Overlay> {
    let known = Overlay::open(path).context("it is left as it is: move it away, or mend the line")?;
    let overlay = known.unwrap_or_default();
    if let Some(other) = overlay.map.as_ref().filter(|other| *other != map) {
        anyhow::bail!("{}: it was written for the map {other}, this is {map}: name another file", path.display());
    }
    Ok(Overlay { map: Some(map.to_owned()), ..overlay })
}

fn write(path: &Path, overlay: &Overlay) -> Result<()> {
    overlay.save(path).with_context(|| format!("cannot write {}", path.display()))
}
