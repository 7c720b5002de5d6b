//! Walking one leg after the other.

use super::{Keys, Leg, Onward, Progress, Walker};
use crate::movement::{Player, Setting};

/// A route being walked: legs come from the caller, so that he may change what lies ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    walker: Walker,
    /// Which leg is being walked.
    index: usize,
}

impl Follower {
    /// At the start of a route of at least one leg.
    pub fn new(route: &[Leg]) -> Option<Follower> {
        let first = route.first()?;
        Some(Follower { walker: Walker::new(*first, onward(route, 0)), index: 0 })
    }

    /// Which leg is being walked.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The walker of that leg.
    pub fn walker(&self) -> &Walker {
        &self.walker
    }

    /// What to press for the next `ms` milliseconds; arrived is at the end of the whole route.
    pub fn press(&mut self, route: &[Leg], player: &Player, setting: &Setting, ms: i32) -> (Keys, Progress) {
        loop {
            let (keys, progress) = self.walker.press(player, setting, ms);
            if progress != Progress::Arrived {
                return (keys, progress);
            }
            let Some(leg) = route.get(self.index + 1) else { return (keys, progress) };
            self.index += 1;
            self.walker = Walker::new(*leg, onward(route, self.index));
        }
    }
}

/// How it goes on after a leg.
fn onward(route: &[Leg], index: usize) -> Option<Onward> {
    route.get(index + 1).map(|leg| Onward { place: leg.via.unwrap_or(leg.to), travel: leg.travel })
}
