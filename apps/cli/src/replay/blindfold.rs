//! A recording thought again by blindfolded sides: everything they could not perceive is changed, and nothing may follow.

use std::sync::Arc;

use anyhow::Result;
use fireteam::recording::{Entry, Recording};
use fireteam::snapshot::Snapshot;
use fireteam::{Character, Command, ConVars, Field};
use fireteam_sim::honesty::{Blindfold, Caught, Changed};
use fireteam_world::pcg::Pcg;
use fireteam_world::units::EntityId;

use crate::bake::Watch;

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) caught: Option<Caught>,
    pub(crate) changed: Changed,
}

/// Up to the first command that differs. What `tamper` does to commands it does to both those recorded and those thought
/// again, each time with what was shown: so that one can see a peeker caught.
pub(crate) fn think_blindfolded(
    recording: &Recording<'_>,
    field: &Arc<Field>,
    watch: &Watch,
    tamper: fn(&Snapshot, &mut [Command]),
) -> Result<Outcome> {
    let mut sides: Vec<Blindfold> = Vec::new();
    let mut joined: Vec<(EntityId, Character)> = Vec::new();
    let mut convars = ConVars::default();
    let mut caught = None;
    for entry in recording.entries() {
        match entry? {
            Entry::Join(entity, character) => {
                sides.iter_mut().for_each(|side| side.join(entity, character.clone()));
                joined.push((entity, character));
            }
            Entry::Leave(entity) => {
                sides.iter_mut().for_each(|side| side.leave(entity));
                joined.retain(|(known, _)| *known != entity);
            }
            Entry::Variables(given) => convars = *given,
            Entry::Frame(snapshot, mut commands) => {
                tamper(&snapshot, &mut commands);
                add_sides(&mut sides, &snapshot, recording, field, &joined);
                caught = sides.iter_mut().find_map(|side| side.compare_as(&snapshot, &commands, &convars, tamper));
                if caught.is_some() || watch.is_stopped() {
                    break;
                }
            }
        }
    }
    let changed = sides.iter().map(Blindfold::changed).fold(Changed::default(), Changed::and);
    Ok(Outcome { caught, changed })
}

/// Sides are known once one of theirs is in a frame.
fn add_sides(
    sides: &mut Vec<Blindfold>,
    snapshot: &Snapshot,
    recording: &Recording<'_>,
    field: &Arc<Field>,
    joined: &[(EntityId, Character)],
) {
    for own in &snapshot.own {
        if sides.iter().all(|side| side.team() != own.team) {
            let everyone = joined.iter().map(|(entity, character)| (*entity, character));
            let seed = recording.head.seed;
            sides.push(Blindfold::new(field, own.team, seed, everyone, Pcg::named(seed, "blindfold")));
        }
    }
}
