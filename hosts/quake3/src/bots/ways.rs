//! The ways of the game's own bots, reckoned while a level loads instead of while it is played.
//!
//! Their library keeps, for every goal and every set of means to get about, how long it takes from everywhere. It reckons that
//! when it is first asked, for all items of the level in one frame, and anew whenever a bot may use other means: with a rocket
//! launcher in its hands, or out of lava. Where a map is one large open place, that is a frame of 100 ms each time
//! (islanddm, ctf_compromise). Asked for once before anybody plays, it is there. The answers are the same whenever they are reckoned,
//! and so is what the bots do: a match of the same seed comes out kill for kill.
//!
//! What is left are ways to where no item lay: to what the dead drop, and from where an enemy vanished to where the bot itself stands,
//! when it aims a rocket at the corner he may come round. Nobody knows those places beforehand, but nearly all are on dry ground
//! ([`super::ground`]). On islanddm one takes 3 ms, one frame in thirty has some, and reckoning all of them takes 12 to 16 s and 75 MB:
//! that is done for operators who allow it (`ft_stock_ways` is the seconds, `com_zoneMegs` the room). With it, five frames in a thousand are
//! left, most of them for rocket jumps and lava. `docs/notes/stock-ways.md` has the numbers, and what does not help.
//!
//! Cost: on loading, 0.7 ms on oa_dm1 and 5 ms on kaos2, 0.35 s on islanddm.

use std::ffi::CString;
use std::time::Duration;

use fireteam_openarena::capture::navigation::{TRAVEL_LAVA, TRAVEL_ROCKET_JUMP, TRAVEL_USUAL};
use fireteam_openarena::clock::thread_time;
use fireteam_world::Vec3;

use super::Lines;
use super::ground::Standing;
use crate::engine::Engine;

/// The library keeps 256 items of a level.
const GOALS_MAX: usize = 256;
/// By these means the game's own bots were seen to look for items, the usual ones first.
const MEANS: [i32; 3] = [TRAVEL_USUAL, TRAVEL_USUAL | TRAVEL_LAVA, TRAVEL_USUAL | TRAVEL_ROCKET_JUMP];
/// Whatever `com_zoneMegs` says, the engine takes no less, in megabytes.
const ZONE_LEAST: usize = 24;
/// So many are left to the rest of the engine and to ways that are found in play: no fewer than they have without us, for the engine
/// ends when they are used up.
const ZONE_KEPT: usize = ZONE_LEAST;
const MEGABYTE: usize = 1 << 20;

/// An operator is told of it only where loading takes longer by what somebody might notice.
const FELT: Duration = Duration::from_millis(100);

/// What is to be reckoned. Owned by the level, so that what calls the engine owns nothing.
#[derive(Debug, Default)]
pub(super) struct Ways {
    names: Vec<CString>,
    goals: Vec<Goal>,
    ground: Vec<Standing>,
    /// Loading goes on after so long, whatever is left.
    at_most: Duration,
    is_done: bool,
}

#[derive(Clone, Copy, Debug)]
struct Goal {
    area: i32,
    origin: Vec3,
}

impl Ways {
    /// To the goals of these names, as the library's own file has them, and then to wherever somebody may stand.
    pub(super) fn to(names: &[String], ground: Vec<Standing>, at_most: Duration) -> Ways {
        let names = names.iter().filter_map(|name| CString::new(name.as_str()).ok()).collect();
        Ways { names, goals: Vec::with_capacity(GOALS_MAX), ground, at_most, is_done: false }
    }
}

/// Once, as soon as the library is ready; without `bot_enable` it never is.
pub(super) fn reckon(ways: &mut Ways, engine: Engine, lines: &mut Lines) {
    if ways.is_done || ways.names.is_empty() || !engine.has_navigation() {
        return;
    }
    ways.is_done = true;
    find_goals(ways, engine);
    let began = thread_time();
    for means in MEANS {
        for goal in &ways.goals {
            ask(ways, engine, goal.area, means, began);
        }
    }
    let spent = thread_time() - began;
    if spent >= FELT {
        lines.say(format!(
            "the ways of the game's own bots to {} goals took {} ms",
            ways.goals.len(),
            spent.as_millis()
        ));
    }
    if !ways.ground.is_empty() {
        let zone = zone_megabytes(engine);
        let fitting = fitting(&ways.ground, zone);
        let reckoned =
            ways.ground[..fitting].iter().take_while(|to| ask(ways, engine, to.area, MEANS[0], began)).count();
        lines.say(told(&ways.ground, reckoned, fitting, thread_time() - began));
    }
}

/// Has the library find the ways to an area; false if there is no time left.
fn ask(ways: &Ways, engine: Engine, area: i32, means: i32, began: Duration) -> bool {
    let has_time = thread_time() - began < ways.at_most;
    // From within the same area there is nothing to reckon.
    if let Some(from) = ways.goals.iter().find(|from| from.area != area)
        && has_time
    {
        engine.travel_time(from.area, from.origin, area, means);
    }
    has_time
}

/// What the engine has for all that its parts allot, the library's ways among it.
fn zone_megabytes(engine: Engine) -> usize {
    let mut buffer = [0; 256];
    engine.cvar(c"com_zoneMegs", &mut buffer).parse().unwrap_or(0).max(ZONE_LEAST)
}

/// How many of these ways the library can keep.
fn fitting(ground: &[Standing], zone: usize) -> usize {
    let room = zone.saturating_sub(ZONE_KEPT) * MEGABYTE;
    let taken = ground.iter().scan(0, |taken, to| {
        *taken += to.bytes;
        Some(*taken)
    });
    taken.take_while(|taken| *taken <= room).count()
}

/// What became of it, and what an operator might do if it was not all.
fn told(ground: &[Standing], reckoned: usize, fitting: usize, spent: Duration) -> String {
    let needed = ground.iter().map(|to| to.bytes).sum::<usize>().div_ceil(MEGABYTE) + ZONE_KEPT;
    let short = if reckoned < fitting {
        ": ft_stock_ways allows no more time".to_owned()
    } else if reckoned < ground.len() {
        format!(": no room for more, start the server with +set com_zoneMegs {needed}")
    } else {
        String::new()
    };
    let all = ground.len();
    format!("the ways of the game's own bots to {reckoned} of {all} places took {} ms{short}", spent.as_millis())
}

fn find_goals(ways: &mut Ways, engine: Engine) {
    for name in &ways.names {
        let mut number = -1;
        while let Some(goal) = engine.level_item_goal(number, name)
            && ways.goals.len() < GOALS_MAX
        {
            number = goal.number;
            // The library complains on the console about area 0: what lies there is in no bot's reach.
            if goal.area > 0 {
                ways.goals.push(Goal { area: goal.area, origin: goal.origin.into() });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three ways to a megabyte, on ten megabytes' worth of ground.
    const GROUND: [Standing; 30] = [Standing { area: 1, bytes: MEGABYTE / 3 }; 30];

    #[test]
    fn no_more_ways_are_reckoned_than_the_engine_keeps() {
        assert_eq!(fitting(&GROUND, ZONE_KEPT), 0);
        assert_eq!(fitting(&GROUND, 0), 0);
        assert_eq!(fitting(&GROUND, ZONE_LEAST), 0, "what the engine has by itself is for play");
        assert_eq!(fitting(&GROUND, ZONE_KEPT + 2), 6);
        assert_eq!(fitting(&GROUND, ZONE_KEPT + 100), 30);
    }

    #[test]
    fn an_operator_hears_what_he_must_set_for_all_ways() {
        let told = |reckoned, fitting| told(&GROUND, reckoned, fitting, Duration::from_millis(1500));
        assert!(told(30, 30).ends_with("to 30 of 30 places took 1500 ms"));
        assert!(told(12, 30).ends_with("ft_stock_ways allows no more time"));
        assert!(told(6, 6).ends_with("+set com_zoneMegs 34"));
        assert_eq!(fitting(&GROUND, 34), 30, "what is asked for is enough");
    }
}
