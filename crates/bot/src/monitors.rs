//! Alarms above the tactics: what cannot wait for the bot's next turn, looked for every frame.
//!
//! In: the bot's own body, and what its legs and memory say; never what else a snapshot holds. Out: whether the next turn is to come
//! now. That is all: what is done about it is for the behaviours that bid in that turn. After the tactical monitor of Insurgency
//! (2014), which runs every tick above all actions and acts by itself.
//!
//! Only an alarm's rising edge brings a turn forward, and each alarm's only once in [`AGAIN_MS`]; the turns that come by the clock
//! stay where they are, so that they stay spread over the frames. Cost: a few comparisons a frame, and at the worst
//! [`Alarm::COUNT`] turns more in every [`AGAIN_MS`].

use fireteam_world::units::Time;

use crate::arsenal::Arsenal;
use crate::convar::ConVars;
use crate::gunnery;
use crate::legs::{Legs, Trouble};
use crate::snapshot::Own;

/// What may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alarm {
    /// Hardly anything is left in the clip.
    Reload,
    /// Legs want to go and do not get on.
    Stuck,
}

impl Alarm {
    const ALL: [Alarm; 2] = [Alarm::Reload, Alarm::Stuck];
    const COUNT: usize = Alarm::ALL.len();

    fn is_raised(self, body: &Body) -> bool {
        match self {
            Alarm::Reload => !body.own.is_reloading && gunnery::needs_reload(body.arsenal, body.own, body.convars),
            Alarm::Stuck => {
                let trouble = body.legs.trouble();
                trouble.is_some_and(|(at, what)| what == Trouble::Stuck && body.now - at < STUCK_MS)
            }
        }
    }
}

/// An alarm brings no two turns forward within this.
const AGAIN_MS: i32 = 300;
/// Who got stuck is so for so long: attempts to get out come sooner one after the other.
const STUCK_MS: i32 = 1500;

/// What is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    pub(crate) own: &'a Own,
    pub(crate) legs: &'a Legs,
    pub(crate) arsenal: &'a Arsenal,
    pub(crate) convars: &'a ConVars,
    pub(crate) now: Time,
}

/// The alarms of one bot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Monitors {
    watches: [Watch; Alarm::COUNT],
}

#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    is_raised: bool,
    /// When it last brought a turn forward.
    called: Option<Time>,
}

impl Monitors {
    /// Whether something has come up that a turn should be taken for now. To be asked every frame.
    pub(crate) fn call_for_a_turn(&mut self, body: &Body) -> bool {
        let mut calls = false;
        for (watch, alarm) in self.watches.iter_mut().zip(Alarm::ALL) {
            calls |= watch.rises(alarm.is_raised(body), body.now);
        }
        calls
    }
}

impl Watch {
    fn rises(&mut self, is_raised: bool, now: Time) -> bool {
        let was_raised = std::mem::replace(&mut self.is_raised, is_raised);
        let rises = is_raised && !was_raised && self.called.is_none_or(|at| now - at >= AGAIN_MS);
        if rises {
            self.called = Some(now);
        }
        rises
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_calls_when_it_rises_and_not_while_it_stands() {
        let mut watch = Watch::default();
        assert!(!watch.rises(false, Time(0)));
        assert!(watch.rises(true, Time(50)));
        assert!((2..40).all(|frame| !watch.rises(true, Time(frame * 50))));
    }

    #[test]
    fn an_alarm_that_comes_and_goes_calls_once_in_a_while() {
        let mut watch = Watch::default();
        let calls = (0..120).filter(|frame| watch.rises(frame % 2 == 0, Time(frame * 50))).count();
        assert_eq!(calls, 20, "in six seconds");
    }
}
