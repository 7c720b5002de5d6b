//! Path searches of all bots, a slice each frame: who asks gets a ticket, and finds the answer on it some frame later.
//!
//! In: questions ("from here to there, with these qualms"), each with an owner and a priority. Out: routes, or travel times to
//! everywhere. All questions share one budget of expansions a frame; the most urgent is searched first, of equals the one
//! asked earliest. Questions that nobody wants any more are withdrawn with their ticket or with their owner.
//!
//! After J. Lampel, "JoeBOT XP, an overview", 2005, 9.3 (a task manager for paths). A question waits in a slot with its own
//! copies of what it was asked with, so that beliefs may change meanwhile; only the few being searched hold a
//! [`Search`], whose memory is the map's size. Slots and searches are used again: nothing is allocated once the
//! largest number of questions at a time has been seen.
//!
//! Not here: what links are like (`terrain::path`), walking (`legs`). Cost: a few nanoseconds a frame with nothing asked;
//! `fireteam bench frame` has what an expansion costs.

use fireteam_terrain::path::errands::{Doubt, HideFrom, Qualms, Wait, Warily, WarilyEverywhere, WarilyToAny};
use fireteam_terrain::path::{Cost, Errand, Progress, Ways};
use fireteam_terrain::{Landmarks, LinkId, Mask, MoverId, NoRoute, Route, Search, Terrain, WaypointId};
use fireteam_world::units::EntityId;

use crate::legs::DOUBTS_MAX;
use crate::wear::{CONDEMNED_MAX, Wear};

/// Questions that may wait at the same time: four each for a full server.
const SLOTS_MAX: usize = 256;
/// Searches that may be under way at the same time; further ones wait until one is finished.
const SEARCHES_MAX: usize = 4;

/// Has no way.
const NOBODY: EntityId = EntityId(u16::MAX);

/// How urgent an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Nice to know: travel times with changed costs, a place to roam to.
    Idle,
    #[default]
    Usual,
    /// Somebody stands still until he knows.
    Urgent,
}

/// Where a search is to end.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    Waypoint(WaypointId),
    /// Whichever is reached first: where a threat may be, several items.
    AnyOf(&'a Mask),
    /// Unseen by whoever sees these, and some way off.
    HiddenFrom {
        seen: &'a Mask,
        travel_ms_min: u32,
    },
    /// Travel times to everywhere; the answer has costs and no route.
    Everywhere,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub from: WaypointId,
    pub target: Target<'a>,
    /// Links to avoid.
    pub doubts: &'a [Doubt],
    /// Movers that cannot be used.
    pub shut: &'a [MoverId],
    /// Movers that have to be waited for.
    pub waits: &'a [Wait],
    /// A byte a waypoint, or nothing; and by how many times its own time a link of the highest toll is dearer.
    pub tolls: &'a [u8],
    pub toll_weight: Cost,
    /// The health of who would not survive every link.
    pub frail: Option<u8>,
    /// What a point of health that a link costs is worth, in time.
    pub harm_ms: Cost,
}

impl<'a> Question<'a> {
    /// The plain question for the quickest way.
    pub fn quickest(from: WaypointId, to: WaypointId) -> Question<'a> {
        let target = Target::Waypoint(to);
        Question {
            from,
            target,
            doubts: &[],
            shut: &[],
            waits: &[],
            tolls: &[],
            toll_weight: 0,
            frail: None,
            harm_ms: 0,
        }
    }
}

/// Names a question that was asked. It is good for one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    slot: u16,
    /// Counts the questions of a slot: an old ticket does not get another's answer.
    turn: u32,
}

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Not yet.
    Pending,
    Found {
        destination: WaypointId,
        cost: Cost,
    },
    /// Costs to everywhere are known.
    Flooded,
    NoRoute(NoRoute),
    /// There is no such question: it was answered, or withdrawn.
    Withdrawn,
}

/// All questions of a match.
#[derive(Clone, Debug, Default)]
pub struct Searches {
    slots: Vec<Slot>,
    searches: Vec<Search>,
    /// Searches nobody holds, as indices.
    idle: Vec<usize>,
    asked: u64,
    /// Expansions of the last frame.
    spent: u32,
    /// The way that each has under way, and how many of them lead over each waypoint.
    ways: Vec<(EntityId, Vec<WaypointId>)>,
    traffic: Vec<u8>,
    /// How links fared under the side's feet.
    pub wear: Wear,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    turn: u32,
    state: State,
    owner: EntityId,
    priority: Priority,
    asked: u64,
    from: WaypointId,
    aim: Aim,
    mask: Mask,
    doubts: Vec<Doubt>,
    shut: Vec<MoverId>,
    waits: Vec<Wait>,
    tolls: Vec<u8>,
    toll_weight: Cost,
    frail: Option<u8>,
    harm_ms: Cost,
    route: Route,
    costs: Vec<Cost>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    Waiting,
    /// With this search.
    Searching(usize),
    Done(Answer),
}

/// [`Target`], with its mask in the slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Aim {
    Waypoint(WaypointId),
    AnyOf,
    HiddenFrom {
        travel_ms_min: u32,
    },
    #[default]
    Everywhere,
}

impl Searches {
    /// Makes room for the questions of so many who ask one at a time, so that asking and searching allocate nothing.
    pub fn make_room(&mut self, askers: usize, terrain: &Terrain) {
        let waypoints = terrain.waypoints.len();
        while self.slots.len() < askers.min(SLOTS_MAX) {
            let mut slot = Slot { doubts: Vec::with_capacity(DOUBTS_MAX + CONDEMNED_MAX), ..Slot::default() };
            slot.shut.reserve(terrain.movers.spots.len());
            slot.waits.reserve(terrain.movers.spots.len());
            slot.tolls.reserve(waypoints);
            slot.route.clear_for(waypoints);
            self.slots.push(slot);
        }
        self.wear.make_room(terrain);
        self.traffic.resize(waypoints, 0);
        self.ways.reserve(askers);
        while self.ways.len() < askers {
            self.ways.push((NOBODY, Vec::with_capacity(waypoints)));
        }
        self.idle.reserve(SEARCHES_MAX);
        while self.searches.len() < askers.min(SEARCHES_MAX) {
            let mut search = Search::default();
            search.clear_for(waypoints);
            self.idle.push(self.searches.len());
            self.searches.push(search);
        }
    }

    /// Asks; none if so many questions wait already that this one has to be asked again later.
    pub fn ask(&mut self, owner: EntityId, priority: Priority, question: &Question) -> Option<Ticket> {
        let free = self.slots.iter().position(|slot| slot.state == State::Free);
        let index = free.or_else(|| {
            (self.slots.len() < SLOTS_MAX).then(|| {
                self.slots.push(Slot::default());
                self.slots.len() - 1
            })
        })?;
        let slot = &mut self.slots[index];
        slot.turn = slot.turn.wrapping_add(1);
        slot.state = State::Waiting;
        (slot.owner, slot.priority, slot.asked) = (owner, priority, self.asked);
        self.asked += 1;
        slot.take(question);
        Some(Ticket { slot: index as u16, turn: slot.turn })
    }

    /// The answer, if it is there: its route is put into `route`, and the ticket is used up.
    pub fn collect(&mut self, ticket: Ticket, route: &mut Route) -> Answer {
        self.collect_with(ticket, |slot| std::mem::swap(&mut slot.route, route))
    }

    /// The same for a question about [`Target::Everywhere`]: what each waypoint costs to reach, [`Landmarks::NEVER`] if it
    /// cannot be reached.
    pub fn collect_costs(&mut self, ticket: Ticket, costs: &mut Vec<Cost>) -> Answer {
        self.collect_with(ticket, |slot| std::mem::swap(&mut slot.costs, costs))
    }

    fn collect_with(&mut self, ticket: Ticket, take: impl FnOnce(&mut Slot)) -> Answer {
        let Some(slot) = self.slot_of(ticket) else { return Answer::Withdrawn };
        match slot.state {
            State::Free => Answer::Withdrawn,
            State::Waiting | State::Searching(_) => Answer::Pending,
            State::Done(answer) => {
                take(slot);
                slot.state = State::Free;
                answer
            }
        }
    }

    /// Lets the others of the side know which way somebody takes now.
    pub fn announce(&mut self, owner: EntityId, links: &[LinkId], terrain: &Terrain) {
        self.retract(owner);
        self.traffic.resize(terrain.waypoints.len(), 0);
        let known = self.ways.iter().position(|(who, _)| *who == owner);
        let free = || self.ways.iter().position(|(who, _)| *who == NOBODY);
        let index = known.or_else(free).unwrap_or_else(|| {
            self.ways.push((owner, Vec::with_capacity(terrain.waypoints.len())));
            self.ways.len() - 1
        });
        let (who, way) = &mut self.ways[index];
        *who = owner;
        way.extend(links.iter().map(|link| terrain.links.links[link.index()].to));
        way.iter().for_each(|id| self.traffic[id.index()] = self.traffic[id.index()].saturating_add(1));
    }

    /// He is on no way any more.
    pub fn retract(&mut self, owner: EntityId) {
        if let Some((who, way)) = self.ways.iter_mut().find(|(who, _)| *who == owner) {
            *who = NOBODY;
            way.drain(..).for_each(|id| self.traffic[id.index()] = self.traffic[id.index()].saturating_sub(1));
        }
    }

    /// How many ways of the side lead over each waypoint.
    pub fn traffic(&self) -> &[u8] {
        &self.traffic
    }

    /// Takes a question back.
    pub fn withdraw(&mut self, ticket: Ticket) {
        if self.slot_of(ticket).is_some() {
            self.free(usize::from(ticket.slot));
        }
    }

    /// Takes back all questions of somebody who left or died.
    pub fn withdraw_all_of(&mut self, owner: EntityId) {
        self.retract(owner);
        for index in 0..self.slots.len() {
            if self.slots[index].owner == owner {
                self.free(index);
            }
        }
    }

    /// Searches for at most `budget` expansions, the most urgent question first.
    pub fn run(&mut self, terrain: &Terrain, budget: u32) {
        let mut left = budget;
        while left > 0 {
            let Some(index) = self.next() else { break };
            left -= self.search(index, terrain, left);
        }
        self.spent = budget - left;
    }

    /// Expansions of the last frame, and questions that still wait.
    pub fn load(&self) -> (u32, usize) {
        let is_open = |slot: &&Slot| matches!(slot.state, State::Waiting | State::Searching(_));
        (self.spent, self.slots.iter().filter(is_open).count())
    }

    /// The most urgent question that can be worked on.
    fn next(&self) -> Option<usize> {
        let may_begin = !self.idle.is_empty() || self.searches.len() < SEARCHES_MAX;
        let can_run = |slot: &Slot| match slot.state {
            State::Waiting => may_begin,
            State::Searching(_) => true,
            State::Free | State::Done(_) => false,
        };
        let open = self.slots.iter().enumerate().filter(|(_, slot)| can_run(slot));
        let best = open.min_by_key(|(_, slot)| (std::cmp::Reverse(slot.priority), slot.asked));
        best.map(|(index, _)| index)
    }

    /// Works on one question; how many expansions that took.
    fn search(&mut self, index: usize, terrain: &Terrain, budget: u32) -> u32 {
        let slot = &mut self.slots[index];
        let (which, begins) = match slot.state {
            State::Searching(which) => (which, false),
            State::Waiting | State::Free | State::Done(_) => {
                let which = self.idle.pop().unwrap_or_else(|| {
                    self.searches.push(Search::default());
                    self.searches.len() - 1
                });
                slot.state = State::Searching(which);
                (which, true)
            }
        };
        let search = &mut self.searches[which];
        let (progress, spent) = slot.run(search, terrain, begins, budget);
        if let Some(answer) = slot.answered(search, terrain, progress) {
            slot.state = State::Done(answer);
            self.idle.push(which);
        }
        // A question that is answered without any expansion is not for nothing: it must not keep the frame for ever.
        spent.max(1).min(budget)
    }

    fn free(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        if let State::Searching(which) = slot.state {
            self.idle.push(which);
        }
        slot.state = State::Free;
    }

    fn slot_of(&mut self, ticket: Ticket) -> Option<&mut Slot> {
        self.slots.get_mut(usize::from(ticket.slot)).filter(|slot| slot.turn == ticket.turn)
    }
}

impl Slot {
    /// Keeps a copy of what is asked.
    fn take(&mut self, question: &Question) {
        self.from = question.from;
        self.aim = match question.target {
            Target::Waypoint(to) => Aim::Waypoint(to),
            Target::AnyOf(mask) => {
                self.mask.copy_from(mask);
                Aim::AnyOf
            }
            Target::HiddenFrom { seen, travel_ms_min } => {
                self.mask.copy_from(seen);
                Aim::HiddenFrom { travel_ms_min }
            }
            Target::Everywhere => Aim::Everywhere,
        };
        self.doubts.clear();
        self.doubts.extend_from_slice(question.doubts);
        self.shut.clear();
        self.shut.extend_from_slice(question.shut);
        self.waits.clear();
        self.waits.extend_from_slice(question.waits);
        self.tolls.clear();
        self.tolls.extend_from_slice(question.tolls);
        self.toll_weight = question.toll_weight;
        (self.frail, self.harm_ms) = (question.frail, question.harm_ms);
    }

    fn run(&self, search: &mut Search, terrain: &Terrain, begins: bool, budget: u32) -> (Progress, u32) {
        let qualms = Qualms::new(&self.doubts, &self.shut).with_waits(&self.waits);
        let qualms = qualms.with_tolls(&self.tolls, self.toll_weight).with_health(self.frail, self.harm_ms);
        let (links, from) = (&terrain.links, self.from);
        match self.aim {
            Aim::Waypoint(to) if !terrain.islands.connect(from, to) => {
                (Progress::NoRoute(NoRoute::NotConnected { from, to }), 0)
            }
            Aim::Waypoint(to) => {
                let errand = Warily::new(&terrain.times, from, to, qualms);
                advance(search, &terrain.inward, to, &errand, begins, budget)
            }
            Aim::AnyOf => advance(search, links, from, &WarilyToAny { to: &self.mask, qualms }, begins, budget),
            Aim::HiddenFrom { travel_ms_min } => {
                let (seen, times) = (&self.mask, &terrain.times);
                let errand = HideFrom { seen, times, start: from, travel_ms_min, qualms };
                advance(search, links, from, &errand, begins, budget)
            }
            Aim::Everywhere => advance(search, links, from, &WarilyEverywhere { qualms }, begins, budget),
        }
    }

    /// What the search came to, kept in the slot; none if it goes on.
    fn answered(&mut self, search: &Search, terrain: &Terrain, progress: Progress) -> Option<Answer> {
        match progress {
            Progress::Searching => None,
            // A search for one waypoint begins there and finds its way to where it was asked from.
            Progress::Found { destination, cost } => Some(match self.aim {
                Aim::Waypoint(to) => {
                    search.trace_on(&terrain.links, destination, &mut self.route);
                    Answer::Found { destination: to, cost }
                }
                Aim::AnyOf | Aim::HiddenFrom { .. } | Aim::Everywhere => {
                    search.trace_back(&terrain.links, destination, &mut self.route);
                    Answer::Found { destination, cost }
                }
            }),
            Progress::NoRoute(NoRoute::Exhausted { .. }) if self.aim == Aim::Everywhere => {
                self.costs.clear();
                let cost = |id| search.cost_to(id).unwrap_or(Landmarks::NEVER);
                self.costs.extend(terrain.waypoints.ids().map(cost));
                Some(Answer::Flooded)
            }
            Progress::NoRoute(why) => Some(Answer::NoRoute(why)),
        }
    }
}

/// Begins or goes on; how far it is, and how many expansions that took.
fn advance(
    search: &mut Search,
    ways: &impl Ways,
    start: WaypointId,
    errand: &impl Errand,
    begins: bool,
    budget: u32,
) -> (Progress, u32) {
    if begins {
        search.begin(ways, start, errand, u32::MAX);
    }
    let before = search.expansions();
    let progress = search.run(ways, errand, budget);
    (progress, search.expansions() - before)
}
