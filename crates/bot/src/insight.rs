//! What goes on in one bot, laid open for whoever watches: a viewer, a test, a tool that asks why.
//!
//! In: [`Bots::insight`](crate::Bots::insight) between two frames. Out: borrowed parts of the bot as they are, nothing copied
//! and nothing kept; goals and lost bids with the names of their behaviours. To ask changes nothing: no decision can follow
//! from having been watched, and who is not watched pays nothing.
//!
//! Not here: what a side shares ([`Bots::side`](crate::Bots::side)), what happened when ([`Journal`](crate::journal::Journal)).

use fireteam_terrain::WaypointId;

use crate::aim::Aim;
use crate::behaviour::Behaviour;
use crate::character::{Character, Traits};
use crate::goal::{Bid, Goal, Goals};
use crate::legs::Legs;
use crate::memory::Memory;
use crate::mood::Mood;
use crate::perceive::Senses;
use crate::team::Role;

/// One bot as it is after its last frame.
#[derive(Clone, Copy, Debug)]
pub struct Insight<'a> {
    pub character: &'a Character,
    /// As set or drawn.
    pub traits: &'a Traits,
    /// With what is on its way to the mind.
    pub senses: &'a Senses,
    pub memory: &'a Memory,
    pub mood: &'a Mood,
    pub wants: Wants<'a>,
    pub legs: &'a Legs,
    pub aim: &'a Aim,
    /// The waypoint it is at.
    pub here: WaypointId,
    /// What it is to do for its side.
    pub role: Option<Role>,
}

/// What a bot wants, and what it wanted and did not get.
#[derive(Clone, Copy, Debug)]
pub struct Wants<'a> {
    pub(crate) behaviours: &'a [Box<dyn Behaviour>],
    pub(crate) goals: &'a Goals,
    /// Of its last turn.
    pub(crate) bids: &'a [Option<Bid>],
    pub(crate) is_dead: bool,
}

/// A goal that was begun.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub name: &'static str,
    pub goal: &'a Goal,
    /// The goal that waits for this one to be reached.
    pub serves: Option<&'static str>,
    /// If it waits: who has its channels.
    pub waits_for: Option<&'static str>,
}

/// A bid of the last turn that became no goal.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    pub name: &'static str,
    pub bid: Bid,
    /// Who has the channels it asked for; none if it had them and was done within the turn.
    pub to: Option<&'static str>,
}

impl<'a> Wants<'a> {
    /// Goals in the order of their urgency, those that wait included.
    pub fn goals(self) -> impl Iterator<Item = Wanted<'a>> {
        self.goals.all().iter().map(move |goal| {
            let holder = goal.is_waiting.then(|| self.goals.holder(goal.bid.channels)).flatten();
            Wanted {
                name: self.name(goal.by),
                goal,
                serves: goal.serves().map(|by| self.name(by)),
                waits_for: holder.map(|holder| self.name(holder.by)),
            }
        })
    }

    /// What else was bid for in the last turn, and who has the channels instead.
    pub fn lost(self) -> impl Iterator<Item = Lost> + 'a {
        let bids = if self.is_dead { &[] } else { self.bids };
        bids.iter().zip(0_u8..).filter_map(move |(bid, by)| {
            let bid = (*bid)?;
            let is_goal = self.goals.all().iter().any(|goal| goal.by == by);
            let to = self.goals.holder(bid.channels).map(|holder| self.name(holder.by));
            (!is_goal).then(|| Lost { name: self.name(by), bid, to })
        })
    }

    fn name(self, by: u8) -> &'static str {
        self.behaviours[usize::from(by)].name()
    }
}
