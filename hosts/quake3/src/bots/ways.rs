//! The ways of the game's own bots to items, reckoned while a level loads instead of while it is played.
//!
//! Their library keeps, for every goal and every set of means to get about, how long it takes from everywhere. It reckons that
//! when it is first asked, for all items of the level in one frame, and anew whenever a bot may use other means: with a rocket
//! launcher in its hands, or out of lava. Where a map is one large open place, that is a frame of 100 ms each time
//! (islanddm, ctf_compromise). Asked for once before anybody plays, it is there. The answers are the same whenever they are reckoned,
//! and so is what the bots do: a match of the same seed comes out kill for kill.
//!
//! Not here: ways to where nothing lies, such as an enemy's place, which nobody knows beforehand. The library's room for ways
//! (`max_routingcache`, 4 MB) is left as it is: with 64 MB islanddm's frames were no shorter.
//! Cost: on loading, 0.7 ms on oa_dm1 and 5 ms on kaos2, 0.35 s on islanddm.

use std::ffi::CString;
use std::time::Duration;

use fireteam_openarena::capture::navigation::{TRAVEL_LAVA, TRAVEL_ROCKET_JUMP, TRAVEL_USUAL};
use fireteam_openarena::clock::thread_time;
use fireteam_world::Vec3;

use super::Lines;
use crate::engine::Engine;

/// The library keeps 256 items of a level.
const GOALS_MAX: usize = 256;
/// By these means the game's own bots were seen to look for items, the usual ones first.
const MEANS: [i32; 3] = [TRAVEL_USUAL, TRAVEL_USUAL | TRAVEL_LAVA, TRAVEL_USUAL | TRAVEL_ROCKET_JUMP];
/// Loading goes on after so long, whatever is left: three times what the dearest map measured takes.
const AT_MOST: Duration = Duration::from_secs(1);

/// An operator is told of it only where loading takes longer by what somebody might notice.
const FELT: Duration = Duration::from_millis(100);

/// What is to be reckoned. Owned by the level, so that what calls the engine owns nothing.
#[derive(Debug, Default)]
pub(super) struct Ways {
    names: Vec<CString>,
    goals: Vec<Goal>,
    is_done: bool,
}

#[derive(Clone, Copy, Debug)]
struct Goal {
    area: i32,
    origin: Vec3,
}

impl Ways {
    /// To the goals of these names, as the library's own file has them.
    pub(super) fn to(names: &[String]) -> Ways {
        let names = names.iter().filter_map(|name| CString::new(name.as_str()).ok()).collect();
        Ways { names, goals: Vec::with_capacity(GOALS_MAX), is_done: false }
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
    let goals = &ways.goals;
    for means in MEANS {
        for to in goals {
            // From within the same area there is nothing to reckon.
            if let Some(from) = goals.iter().find(|from| from.area != to.area)
                && thread_time() - began < AT_MOST
            {
                engine.travel_time(from.area, from.origin, to.area, means);
            }
        }
    }
    let spent = thread_time() - began;
    if spent >= FELT {
        lines.say(format!("the ways of the game's own bots to {} goals took {} ms", goals.len(), spent.as_millis()));
    }
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
