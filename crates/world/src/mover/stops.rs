//! Where movers come to rest: what a survey needs to know of a lift before it has been seen moving.

use glam::Vec3;

use super::{Kind, MotionKind, Movers, What};
use crate::mover::target::Wire;
use crate::units::EntityId;

impl Movers {
    /// Every place a mover's origin stops or turns round at: both ends of a door or lift, the first its rest; all
    /// corners of a train's line; middle and ends of a bobbing thing. One place for what only turns or stands still;
    /// none if the map has no such mover.
    pub fn stops(&self, mover: EntityId) -> Vec<Vec3> {
        let Some(brush) = self.index_of(mover).and_then(|index| self.brush(index)) else { return Vec::new() };
        match &brush.kind {
            Kind::Binary(binary) => vec![binary.first, binary.second],
            Kind::Train(train) => self.corners_from(train.next),
            Kind::Steady if brush.position.kind == MotionKind::Sine => {
                let (base, delta) = (brush.position.base, brush.position.delta);
                vec![base, base + delta, base - delta]
            }
            Kind::Steady | Kind::Breakable { .. } => vec![brush.position.base],
        }
    }

    /// The corners of a line from this one on, each once.
    fn corners_from(&self, first: Option<usize>) -> Vec<Vec3> {
        let mut seen = Vec::new();
        let mut stops = Vec::new();
        let mut next = first;
        while let Some(index) = next.filter(|index| !seen.contains(index)) {
            let What::Wire(Wire::Corner(corner)) = &self.things[index].what else { break };
            seen.push(index);
            stops.push(corner.origin);
            next = corner.next;
        }
        stops
    }
}
