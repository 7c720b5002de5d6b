//! Traces as captured and kept: scenes, each a moment of a map with everything that stands in it.

use fireteam_world::trace::Placed;
use fireteam_world::{Contents, Sweep, Vec3};

use super::kept::kept_lines;
use super::oracle::{CaptureError, Oracle};
use super::plan::places::Places;
use super::plan::traces as plan;
use super::rows::TraceAnswer;
use fireteam_world::pcg::Pcg;

kept_lines!(
    /// A line of `traces.txt.gz`.
    pub TraceLine, "traces",
    "map NAME: what follows was asked on this map
    scene N: a moment; forget the movers before
    mover MODEL ENTITY ORIGIN ANGLES CONTENTS: a brush model that stands in this scene
    trace START END MINS MAXS MASK FRACTION END NORMAL DIST SURFACE CONTENTS ENTITY STARTSOLID ALLSOLID
    contents POINT CONTENTS
    sight POINT POINT MAY_SEE: by the map's visibility table and the area portals of closed doors" {
        "map" Map(String),
        "scene" Scene(i32),
        "mover" Mover(Placed),
        "trace" Trace((Sweep, TraceAnswer)),
        "contents" Contents((Vec3, Contents)),
        "sight" Sight(((Vec3, Vec3), bool)),
    }
);

/// A moment of a map, and what the engine answered in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceScene {
    pub map: String,
    /// Every brush model that stood in somebody's way.
    pub placed: Vec<Placed>,
    pub traces: Vec<(Sweep, TraceAnswer)>,
    pub contents: Vec<(Vec3, Contents)>,
    pub sight: Vec<((Vec3, Vec3), bool)>,
}

/// How many rows of each kind.
#[derive(Clone, Copy, Debug)]
pub struct TraceCounts {
    pub traces: usize,
    pub contents: usize,
    pub sight: usize,
}

/// The map as it stands, asked from `places`.
pub fn capture_scene(
    oracle: &mut Oracle,
    pcg: &mut Pcg,
    places: &Places,
    counts: TraceCounts,
) -> Result<TraceScene, CaptureError> {
    let sweeps = plan::sweeps(oracle, pcg, places, counts.traces)?;
    let mut points = plan::points(pcg, places, counts.contents);
    let pairs = plan::pairs(pcg, places, counts.sight);
    // Time stands still between two questions, so this is what all of them meet.
    let entities = oracle.entities()?;
    let placed = entities.iter().filter_map(|row| row.placed()).collect();
    // Asked what fills a point, the engine also counts items and triggers, which are no part of a scene.
    points.retain(|&point| !entities.iter().any(|row| row.placed().is_none() && row.holds(point)));
    let answers = oracle.traces(&sweeps)?;
    let contents = oracle.contents(&points)?.into_iter().map(|bits| Contents(bits as u32));
    let sight = oracle.sight(&pairs)?;
    Ok(TraceScene {
        map: oracle.map().to_owned(),
        placed,
        traces: sweeps.into_iter().zip(answers).collect(),
        contents: points.into_iter().zip(contents).collect(),
        sight: pairs.into_iter().zip(sight).collect(),
    })
}

impl TraceScene {
    pub fn to_lines(scenes: &[TraceScene]) -> Vec<TraceLine> {
        let mut lines = Vec::new();
        for (number, scene) in scenes.iter().enumerate() {
            lines.push(TraceLine::Map(scene.map.clone()));
            lines.push(TraceLine::Scene(number as i32));
            lines.extend(scene.placed.iter().copied().map(TraceLine::Mover));
            lines.extend(scene.traces.iter().cloned().map(TraceLine::Trace));
            lines.extend(scene.contents.iter().copied().map(TraceLine::Contents));
            lines.extend(scene.sight.iter().copied().map(TraceLine::Sight));
        }
        lines
    }

    /// The scenes that `lines` tell of; `None` if a line stands before the first scene.
    pub fn from_lines(lines: &[TraceLine]) -> Option<Vec<TraceScene>> {
        let mut scenes: Vec<TraceScene> = Vec::new();
        let mut map = "";
        for line in lines {
            match line {
                TraceLine::Map(name) => map = name,
                TraceLine::Scene(_) => scenes.push(TraceScene { map: map.to_owned(), ..TraceScene::default() }),
                TraceLine::Mover(placed) => scenes.last_mut()?.placed.push(*placed),
                TraceLine::Trace(row) => scenes.last_mut()?.traces.push(row.clone()),
                TraceLine::Contents(row) => scenes.last_mut()?.contents.push(*row),
                TraceLine::Sight(row) => scenes.last_mut()?.sight.push(*row),
            }
        }
        Some(scenes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_come_back_from_lines() {
        let row =
            (Sweep::ray(Vec3::X, Vec3::Y, Contents::SOLID), TraceAnswer { fraction: 0.5, ..TraceAnswer::default() });
        let one = TraceScene { map: "a".to_owned(), traces: vec![row.clone(), row], ..TraceScene::default() };
        let two = TraceScene { contents: vec![(Vec3::Z, Contents::WATER)], ..one.clone() };
        let other =
            TraceScene { map: "b".to_owned(), sight: vec![((Vec3::X, Vec3::Y), true)], ..TraceScene::default() };
        let scenes = vec![one, two, other];
        assert_eq!(TraceScene::from_lines(&TraceScene::to_lines(&scenes)), Some(scenes));
    }
}
