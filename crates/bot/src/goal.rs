//! Who gets legs, eyes, hands and voice: from the bids of all behaviours to the goals that run.
//!
//! In: at most one [`Bid`] a behaviour and turn, with the channels it claims, its band, its score and its reason. Out: which
//! goals start, wait, resume and end, each with a line for the journal. Three traditions meet here: J. Lampel's
//! "JoeBOT XP, an overview", 2005, 11, lets goals for looking, moving and acting run side by side; Insurgency (2014) lets an
//! action suspend for another and come back to it; FrikBot (1999) keeps a stack whose lower end is what it is all for.
//!
//! - A bid claims all its channels or none. Urgency is a **band**; no score lifts a bid out of its band. Given out
//!   from the top; what runs is worth a little more than what would be new (`goal_hysteresis`).
//! - A goal whose channels are taken **waits**, and resumes when they are free and its behaviour still wants it.
//! - A goal may hold a **lease**: with the pin pulled nothing takes the hands but what the lease names.
//! - A goal may suspend itself **for** another (a door for its button); whoever drops a goal drops what serves it.
//!
//! Not here: what behaviours want (`behaviour`), how goals are carried out. Cost: a sort of a dozen small things a turn.

use fireteam_world::units::Time;

use crate::journal::{Turn, Words};

/// A set of the things a body can do at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels(pub u8);

impl Channels {
    pub const NONE: Channels = Channels(0);
    pub const LEGS: Channels = Channels(1);
    pub const EYES: Channels = Channels(2);
    pub const HANDS: Channels = Channels(4);
    pub const VOICE: Channels = Channels(8);
    pub const ALL: Channels = Channels(15);

    pub const fn and(self, other: Channels) -> Channels {
        Channels(self.0 | other.0)
    }

    pub const fn holds(self, other: Channels) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn without(self, other: Channels) -> Channels {
        Channels(self.0 & !other.0)
    }
}

/// How urgent: a later band always comes before an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    #[default]
    Roam,
    Need,
    Objective,
    Order,
    Fight,
    Survive,
    /// A live grenade in one's own hand.
    Armed,
}

/// A behaviour's place in its bot's list.
pub type BehaviourId = u8;

/// Most behaviours a bot may have.
pub const BEHAVIOURS_MAX: usize = 32;

/// What a behaviour wants to do now, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bid {
    pub channels: Channels,
    pub band: Band,
    /// Within the band: 0 to 1.
    pub score: f32,
    pub reason: Words,
}

/// A promise that nothing takes a goal's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    pub until: Time,
    /// Bits of behaviours that may all the same, if their band is higher.
    pub except: u32,
}

/// A goal that was begun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    pub by: BehaviourId,
    pub bid: Bid,
    pub since: Time,
    pub is_waiting: bool,
    lease: Option<Lease>,
    /// The behaviour whose goal waits for this one.
    serves: Option<BehaviourId>,
}

impl Goal {
    pub fn lease(&self) -> Option<Lease> {
        self.lease
    }

    /// The behaviour whose goal waits for this one.
    pub fn serves(&self) -> Option<BehaviourId> {
        self.serves
    }
}

/// Something for the journal, and for the behaviour to be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub by: BehaviourId,
    pub turn: Turn,
    pub reason: Words,
}

/// What goes on after a goal has been carried on for a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Continue,
    /// Something else has to be done first; this goal waits for it.
    SuspendFor(BehaviourId, Bid),
    /// Something else has to be done instead.
    ChangeTo(BehaviourId, Bid),
    Done(Words),
}

/// The goals of one bot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Goals {
    goals: Vec<Goal>,
    changes: Vec<Change>,
    free: Channels,
}

impl Goals {
    pub fn new() -> Goals {
        Goals {
            goals: Vec::with_capacity(BEHAVIOURS_MAX),
            changes: Vec::with_capacity(BEHAVIOURS_MAX * 2),
            free: Channels::ALL,
        }
    }

    /// Goals that have their channels, most urgent first.
    pub fn active(&self) -> impl Iterator<Item = &Goal> {
        self.goals.iter().filter(|goal| !goal.is_waiting)
    }

    pub fn all(&self) -> &[Goal] {
        &self.goals
    }

    /// Channels nobody has claimed.
    pub fn free(&self) -> Channels {
        self.free
    }

    /// What changed and was not taken note of yet.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// What changed since this was asked last.
    pub fn take_changes(&mut self) -> impl Iterator<Item = Change> + '_ {
        self.changes.drain(..)
    }

    /// Whoever holds some of these channels, the most urgent: to whom a bid for them lost.
    pub fn holder(&self, channels: Channels) -> Option<&Goal> {
        self.active().find(|goal| goal.bid.channels.0 & channels.0 != 0)
    }

    /// Gives the channels out anew. `bids` has a place for each behaviour; one that runs and does not bid again is over.
    pub fn settle(&mut self, bids: &[Option<Bid>], now: Time, hysteresis: f32) {
        for index in (0..self.goals.len()).rev() {
            let Some(goal) = self.goals.get_mut(index) else { continue };
            let is_leased = goal.lease.is_some_and(|lease| now < lease.until);
            match bids.get(usize::from(goal.by)).copied().flatten() {
                Some(bid) => goal.bid = bid,
                // What was asked for by another goal is over when that one, or it itself, says so.
                None if is_leased || goal.serves.is_some() => {}
                None => {
                    let by = goal.by;
                    self.drop_goal(by, Words::from("no longer called for"));
                }
            }
        }
        for (bid, by) in bids.iter().zip(0..) {
            if let Some(bid) = bid
                && !self.goals.iter().any(|goal| goal.by == by)
            {
                // Waiting until it has won its channels; those that do not are not begun at all.
                self.goals.push(Goal { by, bid: *bid, since: now, is_waiting: true, lease: None, serves: None });
            }
        }
        self.give_out(now, hysteresis);
    }

    /// Greedy from the top.
    fn give_out(&mut self, now: Time, hysteresis: f32) {
        let leases = self.leases(now);
        let rank = |goal: &Goal| {
            let score = goal.bid.score + if goal.is_waiting { 0.0 } else { hysteresis };
            (tier(goal, now, &leases), goal.bid.band, score)
        };
        // A stable sort in place: equals keep their order, and nothing is allocated.
        for end in 1..self.goals.len() {
            let mut at = end;
            while at > 0 && is_above(rank(&self.goals[at]), rank(&self.goals[at - 1])) {
                self.goals.swap(at, at - 1);
                at -= 1;
            }
        }
        self.free = Channels::ALL;
        for index in 0..self.goals.len() {
            let goal = self.goals[index];
            let is_blocked = self.goals.iter().any(|other| other.serves == Some(goal.by));
            let has_room = self.free.holds(goal.bid.channels) && !is_blocked;
            if has_room {
                self.free = self.free.without(goal.bid.channels);
            }
            let is_new = goal.since == now && goal.is_waiting;
            let turn = match (goal.is_waiting, has_room) {
                (true, true) if is_new => Turn::Starts,
                (true, true) => Turn::Resumes,
                (false, false) => Turn::Waits,
                (true, false) | (false, true) => continue,
            };
            self.goals[index].is_waiting = !has_room;
            self.changes.push(Change { by: goal.by, turn, reason: goal.bid.reason });
        }
        // Bids that found no room were never goals.
        self.goals.retain(|goal| !(goal.is_waiting && goal.since == now && goal.serves.is_none()));
    }

    /// Takes note of what carrying a goal on for a turn came to.
    pub fn conclude(&mut self, by: BehaviourId, outcome: Outcome, now: Time) {
        match outcome {
            Outcome::Continue => {}
            Outcome::Done(reason) => self.drop_goal(by, reason),
            Outcome::SuspendFor(other, bid) => self.push(other, bid, Some(by), now),
            Outcome::ChangeTo(other, bid) => {
                self.drop_goal(by, bid.reason);
                self.push(other, bid, None, now);
            }
        }
    }

    /// A goal that another one asked for. Nothing is ever asked for twice.
    fn push(&mut self, by: BehaviourId, bid: Bid, serves: Option<BehaviourId>, now: Time) {
        if serves == Some(by) || self.goals.iter().any(|goal| goal.by == by) {
            return;
        }
        if let Some(asker) = self.goals.iter_mut().find(|goal| Some(goal.by) == serves) {
            asker.is_waiting = true;
            self.changes.push(Change { by: asker.by, turn: Turn::Waits, reason: bid.reason });
        }
        self.goals.push(Goal { by, bid, since: now, is_waiting: false, lease: None, serves });
        self.changes.push(Change { by, turn: Turn::Starts, reason: bid.reason });
    }

    /// From now on nothing takes its channels.
    pub fn grant(&mut self, by: BehaviourId, lease: Lease) {
        if let Some(goal) = self.goals.iter_mut().find(|goal| goal.by == by) {
            goal.lease = Some(lease);
        }
    }

    /// Ends a goal and everything that serves it.
    pub fn drop_goal(&mut self, by: BehaviourId, reason: Words) {
        let Some(index) = self.goals.iter().position(|goal| goal.by == by) else { return };
        let goal = self.goals.remove(index);
        while let Some(servant) = self.goals.iter().find(|other| other.serves == Some(goal.by)).map(|other| other.by) {
            self.drop_goal(servant, Words::from("what it was for is over"));
        }
        self.changes.push(Change { by, turn: Turn::Ends, reason });
    }

    /// Ends everything: the body died.
    pub fn drop_all(&mut self, reason: Words) {
        while let Some(goal) = self.goals.first() {
            self.drop_goal(goal.by, reason);
        }
        self.free = Channels::ALL;
    }

    fn leases(&self, now: Time) -> Leases {
        let mut leases = Leases { band: Band::Roam, except: u32::MAX, is_any: false };
        for goal in &self.goals {
            if let Some(lease) = goal.lease.filter(|lease| now < lease.until && !goal.is_waiting) {
                leases.is_any = true;
                leases.band = leases.band.max(goal.bid.band);
                leases.except &= lease.except;
            }
        }
        leases
    }
}

/// All leases that hold, together.
struct Leases {
    band: Band,
    except: u32,
    is_any: bool,
}

/// Exceptions stand above leases, leases above the rest.
fn tier(goal: &Goal, now: Time, leases: &Leases) -> u8 {
    let is_leased = goal.lease.is_some_and(|lease| now < lease.until);
    let is_exception = leases.is_any && leases.except >> goal.by & 1 != 0 && goal.bid.band > leases.band;
    match (is_exception, is_leased) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    }
}

fn is_above(a: (u8, Band, f32), b: (u8, Band, f32)) -> bool {
    (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).is_gt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROAM: BehaviourId = 0;
    const FIGHT: BehaviourId = 1;
    const FLEE: BehaviourId = 2;
    const LOOK: BehaviourId = 3;

    fn bid(channels: Channels, band: Band, score: f32) -> Option<Bid> {
        Some(Bid { channels, band, score, reason: Words::from("because") })
    }

    fn told(goals: &mut Goals) -> Vec<(BehaviourId, Turn)> {
        goals.take_changes().map(|change| (change.by, change.turn)).collect()
    }

    const WALK: Channels = Channels::LEGS;
    const SHOOT: Channels = Channels::LEGS.and(Channels::EYES).and(Channels::HANDS);

    #[test]
    fn goals_run_side_by_side_and_a_stronger_one_makes_others_wait() {
        let mut goals = Goals::new();
        let roam = bid(WALK, Band::Roam, 0.9);
        let look = bid(Channels::EYES, Band::Roam, 0.1);
        goals.settle(&[roam, None, None, look], Time(0), 0.1);
        assert_eq!(told(&mut goals), [(ROAM, Turn::Starts), (LOOK, Turn::Starts)]);
        goals.settle(&[roam, bid(SHOOT, Band::Fight, 0.0), None, look], Time(100), 0.1);
        assert_eq!(told(&mut goals), [(FIGHT, Turn::Starts), (ROAM, Turn::Waits), (LOOK, Turn::Waits)]);
        assert_eq!(goals.free(), Channels::VOICE);
        goals.settle(&[roam, None, None, look], Time(200), 0.1);
        assert_eq!(told(&mut goals), [(FIGHT, Turn::Ends), (ROAM, Turn::Resumes), (LOOK, Turn::Resumes)]);
    }

    #[test]
    fn no_score_lifts_a_bid_out_of_its_band() {
        let mut goals = Goals::new();
        goals.settle(&[bid(WALK, Band::Roam, 1e9), bid(SHOOT, Band::Fight, -1e9)], Time(0), 0.1);
        assert_eq!(told(&mut goals), [(FIGHT, Turn::Starts)]);
    }

    #[test]
    fn within_a_band_a_little_more_is_not_enough() {
        let mut goals = Goals::new();
        goals.settle(&[bid(WALK, Band::Need, 0.5), None, None], Time(0), 0.1);
        goals.settle(&[bid(WALK, Band::Need, 0.5), None, bid(WALK, Band::Need, 0.55)], Time(100), 0.1);
        goals.settle(&[bid(WALK, Band::Need, 0.5), None, bid(WALK, Band::Need, 0.65)], Time(200), 0.1);
        assert_eq!(told(&mut goals), [(ROAM, Turn::Starts), (FLEE, Turn::Starts), (ROAM, Turn::Waits)]);
    }

    #[test]
    fn channels_are_claimed_all_or_none() {
        let mut goals = Goals::new();
        goals.settle(&[bid(SHOOT, Band::Roam, 0.5), None, bid(WALK, Band::Survive, 0.5)], Time(0), 0.1);
        assert_eq!(told(&mut goals), [(FLEE, Turn::Starts)]);
        assert_eq!(goals.free(), Channels::ALL.without(WALK));
    }

    #[test]
    fn a_lease_yields_to_what_it_names_and_to_nothing_else() {
        let mut goals = Goals::new();
        let fight = bid(SHOOT, Band::Fight, 0.5);
        goals.settle(&[None, fight], Time(0), 0.1);
        goals.grant(FIGHT, Lease { until: Time(1000), except: 1 << LOOK });
        told(&mut goals);
        goals.settle(&[None, fight, bid(WALK, Band::Survive, 1.0)], Time(100), 0.1);
        assert_eq!(told(&mut goals), [], "fleeing is no exception");
        goals.settle(&[None, None, bid(WALK, Band::Survive, 1.0)], Time(200), 0.1);
        assert_eq!(told(&mut goals), [], "not even its own silence ends it");
        goals.settle(&[None, fight, None, bid(WALK, Band::Survive, 1.0)], Time(300), 0.1);
        assert_eq!(told(&mut goals), [(LOOK, Turn::Starts), (FIGHT, Turn::Waits)]);
    }

    #[test]
    fn what_serves_a_goal_goes_with_it() {
        let mut goals = Goals::new();
        let roam = bid(WALK, Band::Roam, 0.5);
        goals.settle(&[roam], Time(0), 0.1);
        let stone = bid(WALK, Band::Roam, 0.5).expect("made above");
        goals.conclude(ROAM, Outcome::SuspendFor(FLEE, stone), Time(0));
        assert_eq!(told(&mut goals), [(ROAM, Turn::Starts), (ROAM, Turn::Waits), (FLEE, Turn::Starts)]);
        goals.settle(&[roam], Time(100), 0.1);
        assert_eq!(told(&mut goals), [], "the stone keeps its channels while it serves");
        goals.conclude(FLEE, Outcome::Done(Words::from("pressed")), Time(150));
        goals.settle(&[roam], Time(200), 0.1);
        assert_eq!(told(&mut goals), [(FLEE, Turn::Ends), (ROAM, Turn::Resumes)]);
        goals.conclude(ROAM, Outcome::SuspendFor(FLEE, stone), Time(200));
        told(&mut goals);
        goals.settle(&[None], Time(300), 0.1);
        assert_eq!(told(&mut goals), [(FLEE, Turn::Ends), (ROAM, Turn::Ends)]);
    }
}
