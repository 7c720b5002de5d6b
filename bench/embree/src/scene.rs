//! The file a race is described in: three lists, each a count (u32) and then so many floats, all little endian.
//!
//! Triangles are nine floats; rays, first those for closest hits, then those for any hit, are six: start and end.

use std::path::Path;

pub(crate) type Triangle = [f32; 9];
/// Start, then end.
pub(crate) type Ray = [f32; 6];

#[derive(Debug, Default)]
pub(crate) struct Scene {
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) closest: Vec<Ray>,
    pub(crate) any: Vec<Ray>,
}

impl Scene {
    pub(crate) fn read(path: &Path) -> Result<Scene, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Scene::parse(&bytes).ok_or_else(|| format!("{}: not three lists of floats", path.display()))
    }

    fn parse(mut bytes: &[u8]) -> Option<Scene> {
        let triangles = list(&mut bytes)?;
        let closest = list(&mut bytes)?;
        let any = list(&mut bytes)?;
        bytes.is_empty().then_some(Scene { triangles, closest, any })
    }
}

fn list<const N: usize>(bytes: &mut &[u8]) -> Option<Vec<[f32; N]>> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let length = (u32::from_le_bytes(*count) as usize).checked_mul(4 * N)?;
    let (floats, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    let record = |chunk: &[u8]| {
        let mut record = [0.0; N];
        for (float, word) in record.iter_mut().zip(chunk.as_chunks::<4>().0) {
            *float = f32::from_le_bytes(*word);
        }
        record
    };
    Some(floats.chunks_exact(4 * N).map(record).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_and_cut_files_do_not() {
        let mut bytes = Vec::new();
        for (count, floats) in [(1u32, 9), (0, 0), (2, 12)] {
            bytes.extend(count.to_le_bytes());
            bytes.extend((0..floats).flat_map(|n| (n as f32).to_le_bytes()));
        }
        let scene = Scene::parse(&bytes).expect("whole");
        assert_eq!((scene.triangles.len(), scene.closest.len(), scene.any.len()), (1, 0, 2));
        assert_eq!(scene.any[1], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
        assert!((0..bytes.len()).all(|length| Scene::parse(&bytes[..length]).is_none()));
    }
}
