//! What a level teaches about its map, kept beside the terrains: links that fail (`ft_learn`), and a mesh recorded from play
//! where nobody has baked one (`ft_record_mesh`).
//!
//! Both are overlays, text that a person can read (`docs/formats.md`). A file that cannot be read or is another map's is told
//! once, not used and never written over. Makes no engine call.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fireteam::snapshot::{Figure, Snapshot};
use fireteam::{Bots, Field};
use fireteam_bake::OneThread;
use fireteam_bake::mend::Mender;
use fireteam_bake::recorded::{Recorder, Seen, terrain_of};
use fireteam_terrain::{Overlay, Terrain};
use fireteam_world::{Game, Map, Solids};

/// What is kept of a level.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    lessons: Option<(PathBuf, Overlay)>,
    mesh: Option<(PathBuf, Recorder)>,
}

impl Learnt {
    /// A terrain with what was learnt before merged into it; as it is, if that cannot be read.
    pub(super) fn merge(&mut self, folder: &Path, terrain: Terrain, lines: &mut Vec<String>) -> Terrain {
        let path = folder.join(format!("{}.overlay", terrain.provenance.map_name));
        let merged = read(&path, &terrain.provenance.map_name).and_then(|overlay| {
            let (fresh, misfits) = terrain.with_what_fits(&overlay).map_err(|error| error.to_string())?;
            Ok((overlay, fresh, misfits))
        });
        match merged {
            Ok((overlay, fresh, misfits)) => {
                lines.extend(misfits.iter().map(|misfit| format!("{misfit}: left out")));
                if !overlay.edits.is_empty() {
                    lines.push(format!("learnt before: {}, {} lines", path.display(), overlay.edits.len()));
                }
                self.lessons = Some((path, overlay));
                fresh
            }
            Err(error) => {
                lines.push(format!("{error}: not used, and nothing is learnt in this level"));
                terrain
            }
        }
    }

    /// The terrain of a map that nobody has baked: what was recorded before, or its spawns and items alone.
    pub(super) fn record(
        &mut self,
        folder: &Path,
        map: &Arc<Map>,
        solids: &Arc<Solids>,
        game: &Arc<Game>,
        lines: &mut Vec<String>,
    ) -> Result<Terrain, String> {
        let path = folder.join(format!("{}.mesh", map.name));
        let before = read(&path, &map.name)?;
        let recorder = Recorder::new(Arc::clone(map), Arc::clone(solids), Arc::clone(game), Some(&before));
        let terrain = terrain_of(map, game, &recorder.overlay(), &OneThread).map_err(|error| error.to_string())?;
        let known = if terrain.is_mesh() { "bots play on it" } else { "no mesh yet, bots explore" };
        lines.push(format!("recording a mesh of {}: {} waypoints, {known}", map.name, terrain.waypoints.len()));
        self.mesh = Some((path, recorder));
        Ok(terrain)
    }

    /// A frame, as a spectator is shown it.
    pub(super) fn look(&mut self, snapshot: &Snapshot) {
        let seen = |figure: &Figure| Seen { player: figure.entity, origin: figure.origin, is_dead: figure.is_dead };
        if let Some((_, recorder)) = &mut self.mesh {
            recorder.look(snapshot.time, snapshot.players.iter().map(seen));
        }
    }

    /// The level is over: what it taught is written. Answers with what went wrong.
    pub(super) fn save(&mut self, field: &Field, bots: &Bots) -> Result<(), String> {
        if let Some((path, mut overlay)) = self.lessons.take() {
            let mender = Mender::new(&field.map, &field.solids, &field.game, &field.terrain);
            overlay.learn(&field.terrain, &bots.worn(), |from, link| mender.walk_again(from, link));
            write(&path, &overlay)?;
        }
        if let Some((path, mut recorder)) = self.mesh.take() {
            recorder.settle();
            write(&path, &recorder.overlay())?;
        }
        Ok(())
    }
}

/// A terrain with the edits that somebody made by hand (`fireteam edit`): of the first folder that has some.
pub(super) fn with_edits(folders: &[PathBuf], terrain: Terrain, lines: &mut Vec<String>) -> Terrain {
    let map = &terrain.provenance.map_name;
    let places = folders.iter().map(|folder| Overlay::edits_in(folder, map));
    let Some(path) = places.into_iter().find(|path| path.exists()) else { return terrain };
    let merged = read(&path, map).and_then(|edits| {
        let (fresh, misfits) = terrain.with_what_fits(&edits).map_err(|error| error.to_string())?;
        Ok((edits.edits.len(), fresh, misfits))
    });
    match merged {
        Ok((count, fresh, misfits)) => {
            lines.extend(misfits.iter().map(|misfit| format!("{misfit}: left out")));
            lines.push(format!("edited by hand: {}, {count} lines", path.display()));
            fresh
        }
        Err(error) => {
            lines.push(format!("{error}: not used"));
            terrain
        }
    }
}

/// The overlay of a file, or an empty one for this map.
fn read(path: &Path, map: &str) -> Result<Overlay, String> {
    let overlay = Overlay::open(path).map_err(|error| error.to_string())?.unwrap_or_default();
    match overlay.map.as_ref().filter(|other| *other != map) {
        Some(other) => Err(format!("{}: it was written for the map {other}", path.display())),
        None => Ok(Overlay { map: Some(map.to_owned()), ..overlay }),
    }
}

fn write(path: &Path, overlay: &Overlay) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| overlay.save(path)).map_err(|error| format!("cannot keep {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_damaged_or_another_maps_is_told_and_left_as_it_is() {
        let folder = std::env::temp_dir().join(format!("fireteam-learnt-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("temporary folder");
        let path = folder.join("x.overlay");
        for (text, why) in [
            ("fireteam overlay 1\nunlink 1\n", "x.overlay:2: waypoint is missing"),
            ("fireteam overlay 1\nmap y\n", "it was written for the map y"),
            ("\u{1}\u{2}", "the text does not begin with `fireteam overlay 1`"),
        ] {
            fs::write(&path, text).expect("temporary file");
            let mut lines = Vec::new();
            let mut terrain = Terrain::default();
            terrain.provenance.map_name = "x".to_owned();
            let mut learnt = Learnt::default();
            learnt.merge(&folder, terrain, &mut lines);
            assert!(lines.len() == 1 && lines[0].contains(why), "{lines:?}");
            assert!(learnt.lessons.is_none(), "nothing will be written over it");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
        }
        fs::remove_dir_all(folder).expect("made above");
    }
}
