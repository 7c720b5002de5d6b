//! Thinking a recording again, and comparing: the same snapshots must lead to the same commands, bit for bit.

use std::sync::Arc;

use fireteam_world::units::{EntityId, Time};

use super::read::{Entry, Recording, RecordingError};
use crate::bots::Bots;
use crate::command::Command;
use crate::convar::ConVars;
use crate::field::Field;

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    pub frames: u64,
    pub commands: u64,
    pub differing: u64,
    pub first: Option<Difference>,
}

/// A bot that did not do what it had done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub time: Time,
    pub bot: EntityId,
    /// None if it did nothing.
    pub recorded: Option<Command>,
    pub rethought: Option<Command>,
}

/// Lets new bots think everything over again. `watch` sees them after every frame and may end it.
pub fn rethink(
    recording: &Recording<'_>,
    field: Arc<Field>,
    mut watch: impl FnMut(&Bots, Time) -> bool,
) -> Result<Comparison, RecordingError> {
    let mut bots = Bots::new(field, recording.head.seed);
    let mut convars = ConVars::default();
    let mut comparison = Comparison::default();
    for entry in recording.entries() {
        match entry? {
            Entry::Join(entity, character) => bots.join(entity, character),
            Entry::Leave(entity) => bots.leave(entity),
            Entry::Variables(given) => convars = *given,
            Entry::Frame(snapshot, recorded) => {
                let rethought = bots.think(&snapshot, &convars);
                comparison.add(snapshot.time, &recorded, rethought);
                if !watch(&bots, snapshot.time) {
                    break;
                }
            }
        }
    }
    Ok(comparison)
}

impl Comparison {
    /// One frame: what was recorded, and what new bots make of it.
    pub fn add(&mut self, time: Time, recorded: &[Command], rethought: &[Command]) {
        self.frames += 1;
        self.commands += recorded.len() as u64;
        let find = |list: &[Command], bot: EntityId| list.iter().copied().find(|command| command.bot == bot);
        let missing = rethought.iter().filter(|command| find(recorded, command.bot).is_none());
        for bot in recorded.iter().chain(missing).map(|command| command.bot) {
            let (recorded, rethought) = (find(recorded, bot), find(rethought, bot));
            if recorded != rethought {
                self.differing += 1;
                self.first = self.first.or(Some(Difference { time, bot, recorded, rethought }));
            }
        }
    }
}
