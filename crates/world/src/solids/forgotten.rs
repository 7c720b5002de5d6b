//! Which solids a compiled tree does not list in every leaf they reach into.

use crate::map::Map;

/// Marks by brush and patch id.
#[derive(Debug, Default)]
pub(crate) struct Forgotten {
    brushes: Vec<bool>,
    patches: Vec<bool>,
}

impl Forgotten {
    pub(crate) fn brush(&self, id: usize) -> bool {
        self.brushes.get(id).copied().unwrap_or(false)
    }

    pub(crate) fn patch(&self, id: usize) -> bool {
        self.patches.get(id).copied().unwrap_or(false)
    }
}

pub(crate) fn find(map: &Map) -> Forgotten {
    Forgotten { brushes: vec![false; map.brushes.len()], patches: vec![false; map.patches.len()] }
}
