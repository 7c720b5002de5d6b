//! Room for what shots leave behind: 64 who shoot must not end the server.
//!
//! Every puff, trail and obituary is an entity of the game's own for a while, and a slot that was given up is let again only a
//! second later, so that clients do not take the new one for the old. Sixty-four machineguns need more slots than there are
//! before that second is over, and the game ends the server with "no free entities". It means to be less strict then, by its
//! code, but compares with the wrong number and never is. We are less strict in its stead.
//!
//! In: the game's entities before a frame. Out: as many slots that may be let in it as a frame can need, those that have been
//! empty for longest first. Cost: nothing until nearly all slots have been let once; then a look at each, a frame.

use crate::abi;
use crate::engine::Game;

/// The game lets no slot from here on.
const SLOTS: usize = abi::ENTITIES_MAX - 2;
/// So many are enough for a frame in which everybody shoots, somebody falls and gibs fly: six for each of 64.
const FRAME_NEEDS: usize = 384;
/// A slot stays empty for so long.
const EMPTY_MS: i32 = 1000;
/// But not in the first two seconds of a level: what was given up by then is let at once.
const LOOSE_MS: i32 = 2000;
/// How much less strict it gets at a time: a frame of most servers.
const STEP_MS: i32 = 50;
const STEPS: usize = (EMPTY_MS / STEP_MS) as usize;

/// Makes room, if there is too little for a frame. How many slots may be let now.
pub(super) fn make(game: &mut Game, begun: i32, now: i32) -> usize {
    let unused = SLOTS.saturating_sub(game.entity_count);
    if unused >= FRAME_NEEDS {
        return unused;
    }
    // How many have been empty for so many steps; whoever may be let anyhow is in the last.
    let mut by_steps = [0; STEPS + 1];
    for index in abi::CLIENTS_MAX..game.entity_count.min(SLOTS) {
        if let Some(steps) = steps_empty(game, index, begun, now) {
            by_steps[steps] += 1;
        }
    }
    let (mut vacant, mut least_steps) = (unused + by_steps[STEPS], STEPS);
    while vacant < FRAME_NEEDS && least_steps > 0 {
        least_steps -= 1;
        vacant += by_steps[least_steps];
    }
    if least_steps < STEPS {
        for index in abi::CLIENTS_MAX..game.entity_count.min(SLOTS) {
            if steps_empty(game, index, begun, now).is_some_and(|steps| steps >= least_steps) {
                game.entity_mut(index).freed = begun;
            }
        }
    }
    vacant
}

/// For how many steps a slot has been empty; none if somebody is in it.
fn steps_empty(game: &Game, index: usize, begun: i32, now: i32) -> Option<usize> {
    let freed = game.entity(index).freed;
    let steps = if freed <= begun + LOOSE_MS { STEPS } else { usize::try_from((now - freed) / STEP_MS).unwrap_or(0) };
    (!game.is_in_use(index)).then_some(steps.min(STEPS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{Client, Entity};

    const BEGUN: i32 = 1000;
    const NOW: i32 = 60_000;

    /// A game in which all slots have been let; those from `first` on were given up at these times, over and over.
    fn game(table: &mut [Entity], first: usize, freed: &[i32]) -> Game {
        for (index, entity) in table.iter_mut().enumerate() {
            entity.in_use = i32::from(index < first);
            entity.freed = freed[index % freed.len()];
        }
        Game { entities: table.as_mut_ptr(), entity_count: table.len(), clients: std::ptr::null_mut::<Client>() }
    }

    fn table(count: usize) -> Vec<Entity> {
        // SAFETY: the game's entities are plain old data, for which all zeros are what it begins with.
        (0..count).map(|_| unsafe { std::mem::zeroed() }).collect()
    }

    #[test]
    fn slots_that_were_given_up_a_moment_ago_are_let_again_the_oldest_first_when_none_is_left() {
        let mut table = table(SLOTS);
        let mut game = game(&mut table, 400, &[NOW - 900, NOW - 500, NOW - 100, NOW - 50]);
        assert!(make(&mut game, BEGUN, NOW) >= FRAME_NEEDS);
        let is_let = |index: usize| game.entity(index).freed == BEGUN;
        assert!((400..SLOTS).step_by(4).all(|index| is_let(index) && is_let(index + 1)), "900 and 500 ms ago");
        assert!((402..SLOTS).step_by(4).all(is_let), "100 ms ago");
        assert!(!(403..SLOTS).step_by(4).any(is_let), "50 ms ago: the others are enough");
        assert!((0..400).all(|index| !is_let(index)), "whatever is in use stays as it is");
    }

    #[test]
    fn nothing_is_touched_while_there_is_room() {
        for (count, first) in [(SLOTS - FRAME_NEEDS, 300), (SLOTS, 500)] {
            let mut table = table(count);
            let freed = [NOW - EMPTY_MS, NOW - 5000];
            let mut game = game(&mut table, first, &freed);
            assert!(make(&mut game, BEGUN, NOW) >= FRAME_NEEDS);
            assert!((0..count).all(|index| freed.contains(&game.entity(index).freed)));
        }
    }

    #[test]
    fn what_was_given_up_as_the_level_began_is_let_anyhow() {
        let mut table = table(SLOTS);
        let mut game = game(&mut table, 600, &[BEGUN + LOOSE_MS]);
        assert_eq!(make(&mut game, BEGUN, BEGUN + LOOSE_MS + 50), SLOTS - 600);
        assert!((600..SLOTS).all(|index| game.entity(index).freed == BEGUN + LOOSE_MS));
    }
}
