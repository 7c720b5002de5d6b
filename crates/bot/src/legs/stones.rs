//! The target stack: the goal, and on top of it whatever has to be done first.
//!
//! After R. Bryant's FrikBot (1999), whose target stack puts a door's button above the door. A stone is never laid twice on
//! the same stack: who would need a button to get to that very button cannot get there. Dropping the goal drops all.

use fireteam_terrain::{MoverId, WaypointId};

use super::Destination;

/// Most stones on top of each other, the goal included.
pub const STONES_MAX: usize = 6;

/// One target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stone {
    /// What the order was.
    Goal(Destination),
    /// A button to press or a target to shoot, so that a door opens or a lift comes.
    Opener(MoverId),
    /// Some place near by, to get away from where one is stuck.
    Roam(WaypointId),
}

/// The stack. The first stone is the goal; an empty stack has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stones {
    stones: [Stone; STONES_MAX],
    count: usize,
}

/// Fills what is not in use.
const NO_STONE: Stone = Stone::Roam(WaypointId::NONE);

impl Default for Stones {
    fn default() -> Stones {
        Stones { stones: [NO_STONE; STONES_MAX], count: 0 }
    }
}

impl Stones {
    pub(super) fn restart(&mut self, goal: Destination) {
        self.stones[0] = Stone::Goal(goal);
        self.count = 1;
    }

    /// Lays a stone on top; false if it lies there already, or there is no room.
    pub(super) fn push(&mut self, stone: Stone) -> bool {
        if self.count == 0 || self.count == STONES_MAX || self.all().contains(&stone) {
            return false;
        }
        self.stones[self.count] = stone;
        self.count += 1;
        true
    }

    /// Takes the top stone away; the goal stays.
    pub(super) fn pop(&mut self) {
        self.count = self.count.saturating_sub(1).max(self.count.min(1));
    }

    /// Down to the goal.
    pub(super) fn clear(&mut self) {
        self.count = self.count.min(1);
    }

    pub(super) fn all(&self) -> &[Stone] {
        &self.stones[..self.count]
    }

    pub(super) fn top(&self) -> Option<Stone> {
        self.all().last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_stone_is_laid_twice_and_the_goal_stays() {
        let goal = Destination::Waypoint(WaypointId(5));
        let mut stones = Stones::default();
        assert!(!stones.push(Stone::Opener(MoverId(1))), "there is no goal to lay it on");
        stones.restart(goal);
        assert!(stones.push(Stone::Opener(MoverId(1))) && stones.push(Stone::Opener(MoverId(2))));
        assert!(!stones.push(Stone::Opener(MoverId(1))));
        stones.pop();
        assert_eq!(stones.top(), Some(Stone::Opener(MoverId(1))));
        stones.clear();
        stones.pop();
        assert_eq!(stones.all(), [Stone::Goal(goal)]);
    }
}
