//! All bots of a match, and the frame they live in.

use std::sync::Arc;

use fireteam_world::movement;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::EntityId;

use crate::command::{Command, Hands};
use crate::convar::ConVars;
use crate::field::Field;
use crate::snapshot::Snapshot;

/// Four grades, as the sources have them: hosts map their own scale onto these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skill {
    Recruit,
    #[default]
    Regular,
    Veteran,
    Elite,
}

/// Who a bot is.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    pub name: String,
    pub skill: Skill,
}

#[derive(Debug)]
struct Bot {
    entity: EntityId,
    character: Character,
    hands: Hands,
    chance: Pcg,
}

/// Every bot of a match on one [`Field`].
#[derive(Debug)]
pub struct Bots {
    field: Arc<Field>,
    bots: Vec<Bot>,
    commands: Vec<Command>,
    seed: u64,
}

impl Bots {
    /// The same field, seed and snapshots give the same commands, bit for bit.
    pub fn new(field: Arc<Field>, seed: u64) -> Bots {
        Bots { field, bots: Vec::new(), commands: Vec::new(), seed }
    }

    /// A bot takes part from the next frame on, as this entity.
    pub fn join(&mut self, entity: EntityId, character: Character) {
        self.leave(entity);
        let chance = Pcg::new(self.seed, u64::from(entity.0));
        self.bots.push(Bot { entity, character, hands: Hands::default(), chance });
    }

    pub fn leave(&mut self, entity: EntityId) {
        self.bots.retain(|bot| bot.entity != entity);
    }

    pub fn field(&self) -> &Arc<Field> {
        &self.field
    }

    /// One frame for every bot.
    pub fn think(&mut self, snapshot: &Snapshot, _convars: &ConVars) -> &[Command] {
        self.commands.clear();
        for own in &snapshot.own {
            let Some(bot) = self.bots.iter_mut().find(|bot| bot.entity == own.entity) else { continue };
            bot.hands.select(own.weapon);
            self.commands.push(bot.hands.press(own.entity, movement::Command::default(), snapshot.time));
        }
        &self.commands
    }
}
