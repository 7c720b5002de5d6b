//! A journey: from a destination to a route, from the route to legs that are walked, and anew when it goes wrong.
//!
//! The way is searched in slices (`searches`). Until the answer comes, the bot sets off over the link that the table of travel
//! times favours, if that is plain walking; what it finds out meanwhile costs nothing. Who falls, is pushed or teleported
//! finds himself off his leg, looks where he stands and asks anew. A link that failed is doubted; a door that needs a
//! button lays a stepping stone; who fails again and again goes somewhere else first, and in the end says so.
//!
//! Files: `beginnings`, where a way begins; `movers`, doors and lifts; `leaps`.

mod beginnings;
mod leaps;
mod movers;

use fireteam_terrain::path::Cost;
use fireteam_terrain::path::errands::Wait;
use fireteam_terrain::{LinkFlags, LinkId, MoverId, Route, Terrain, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::movement::{Ground, Player};
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::Scene;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::{Astray, Follower, Keys, Leg, Progress, Sprint, Travel, Walker};

use super::doubts::{Doubts, FAILED_MS, OCCUPIED_MS};
use super::fires;
use super::footing::is_walkable;
use super::stones::Stones;
use super::tolls::{self, Reckoning};
use super::{Destination, Gait, Manner, Stone, Travelling, Trouble, Walk, flat};
use crate::searches::{Answer, Priority, Question, Searches, Target, Ticket};
use beginnings::is_marooned;
use movers::Headway;

/// Closer than this one is at a waypoint.
const AT_WAYPOINT: f32 = 18.0;
/// A stretch that nobody proved may take as long as at this speed.
const UNPROVED_SPEED: f32 = 100.0;
/// Places so near are walked to straight, if they can be.
const STRAIGHT: f32 = 320.0;
/// So many of a route's first links may be cut short.
const SKIP_MAX: usize = 2;
/// A place that moved by less is the same place, moved.
const SAME_PLACE: f32 = 96.0;
/// As near as this to a place that cannot be walked to will do: an arm's length.
const ARM: f32 = 40.0;
/// So near to an end on which somebody stands is there.
const AT_OCCUPIED: f32 = 60.0;
const OCCUPIED: f32 = 30.0;
/// A waypoint on the way that somebody stands on is left out from this far.
const BEFORE_OCCUPIED: f32 = 160.0;
/// Whoever needs more new routes than this before he gets on goes somewhere else first; so often.
const DETOURS_MAX: u32 = 6;
const ROAMS_MAX: u32 = 2;
/// After so long, who failed may try again.
const RETRY_MS: i32 = 3000;
/// To who is nearly dead a point of health is worth so many times as much as to the whole.
const DEAR: i32 = 4;
/// Before a fire another way is looked for this often.
const FIRE_AGAIN_MS: i32 = 500;
/// A door is seen to by its button so often; then the leg's own way is tried.
const PRESSES_MAX: u32 = 2;
/// Who has shot at what opens a door looks for so long whether it opens.
const SEE_MS: i32 = 1000;
/// How long somewhere else is away.
const ROAM_MS: std::ops::RangeInclusive<u32> = 600..=3000;
/// Stages that may end within one frame.
const TURNS_MAX: usize = 4;
/// About a second's run: how far ahead one looks.
const AHEAD: f32 = 320.0;
/// Nearer than this on level ground, a place is at one's feet: at a run it is behind one a fifth of a second later.
const OFF_FEET: f32 = 64.0;
/// Cosine of what one may be off the leg's direction: 45 degrees.
const ALONG: f32 = 0.7;
/// A command of so little counts as quiet: half of full speed.
const QUIET: f32 = 0.5;
const CROUCH: i8 = -127;

/// What the journey is at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Stage {
    /// There is no plan for the top stone.
    #[default]
    Unplanned,
    /// The route is being searched.
    Asked,
    Following,
    /// At an opener, since then.
    Pressing(Time),
    Done(Travelling),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Journey {
    stones: Stones,
    manner: Manner,
    stage: Stage,
    ticket: Option<Ticket>,
    /// Where the route that was asked for begins.
    start: WaypointId,
    route: Route,
    /// What is walked: perhaps a way to the route's start, the route's links, perhaps a last stretch.
    legs: Vec<Leg>,
    /// Legs before those of the route.
    approach: usize,
    follower: Option<Follower>,
    /// The way to the route's start failed.
    is_cut_off: bool,
    /// The legs end short of the place that was asked for.
    ends_short: bool,
    /// The legs only lead to somewhere else, from where to look again.
    leads_out: bool,
    /// They do so because the mesh does not know where one stands; and from where the way back was looked for last.
    leads_back: bool,
    looked_from: Option<Vec3>,
    /// Where one could not get to, though it owns the ground one stood on.
    unreached: Option<WaypointId>,
    detours: u32,
    roams: u32,
    presses: u32,
    /// When an opener was last seen to.
    pressed_at: Time,
    /// How long one has stood before a lift that is to be walked onto.
    waited_ms: i32,
    /// How long one has stood before a door or a lift.
    stood_ms: i32,
    /// How one gets on through a door.
    headway: Headway,
    /// In the air on a leg.
    is_aloft: bool,
    failed_at: Time,
    trouble: Option<Trouble>,
    shut: Vec<MoverId>,
    waits: Vec<Wait>,
    tolls: Vec<u8>,
    /// As the way was planned for.
    frail: Option<u8>,
    /// A way round a fire is not asked for again before then; and whether one waits for it to burn down.
    fire_again: Time,
    awaits_fire: bool,
    /// Which ways are out of favour on this journey; none until it is drawn.
    taste: Option<u32>,
    /// The stretch that is being leapt along, and when it may be looked for one again.
    sprint: Option<Sprint>,
    sprint_after: Time,
    /// The leg that was walked last, for who is in the air on it; and whether a pad threw him.
    flight: Option<Walker>,
    is_thrown: bool,
}

/// The way one walks now, for who looks who stands on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// Level, of length one.
    pub(super) along: Vec3,
    /// To the end of the leg.
    pub(super) left: f32,
}

/// Legs a journey has room for without asking for memory: routes have a few dozen.
const LEGS_ROOM: usize = 256;

impl Journey {
    /// Room for the longest of ways, once.
    pub(super) fn make_room(&mut self, terrain: &Terrain) {
        self.route.clear_for(terrain.waypoints.len());
        self.legs.reserve(LEGS_ROOM);
        self.shut.reserve(terrain.movers.spots.len());
        self.waits.reserve(terrain.movers.spots.len());
        self.tolls.reserve(terrain.waypoints.len());
    }

    pub(super) fn set_out(&mut self, to: Destination, manner: Manner) {
        self.manner = manner;
        if self.follows(to) {
            return;
        }
        self.stones.restart(to);
        self.taste = None;
        (self.detours, self.roams, self.presses) = (0, 0, 0);
        // Wherever links are to lead one, one has to get back to them first.
        let needs_mesh = !matches!(to, Destination::Untried { .. });
        if needs_mesh && self.leads_back && self.stage == Stage::Following {
            return;
        }
        self.stage = Stage::Unplanned;
        self.is_cut_off = false;
    }

    /// A place that moves a little is followed without a new search. Whether it is such a place.
    fn follows(&mut self, to: Destination) -> bool {
        let (Some(Stone::Goal(Destination::Place(before))), Destination::Place(place)) =
            (self.stones.all().first().copied(), to)
        else {
            return false;
        };
        let is_under_way = self.stage == Stage::Following && self.stones.all().len() == 1 && !self.leads_back;
        if !is_under_way || self.ends_short || before.distance(place) > SAME_PLACE {
            return false;
        }
        self.stones.restart(to);
        let is_last = self.follower.is_some_and(|follower| follower.index() + 1 >= self.legs.len());
        match self.legs.last_mut() {
            Some(leg) if !is_last => leg.to = place,
            // On the last stretch: look again from here.
            Some(_) | None => self.stage = Stage::Unplanned,
        }
        true
    }

    pub(super) fn set_manner(&mut self, manner: Manner) {
        self.manner = manner;
    }

    /// Something else is done: what was planned is of no use afterwards.
    pub(super) fn interrupt(&mut self, owner: EntityId, searches: &mut Searches) {
        self.withdraw(owner, searches);
        if !matches!(self.stage, Stage::Done(_)) {
            self.stage = Stage::Unplanned;
        }
        self.follower = None;
        self.sprint = None;
    }

    pub(super) fn begin_life(&mut self, owner: EntityId, searches: &mut Searches) {
        self.interrupt(owner, searches);
        (self.flight, self.is_thrown) = (None, false);
        (self.looked_from, self.unreached) = (None, None);
    }

    /// Who is in the air on a leg comes down where it leads, whatever else he was told meanwhile: half a throw towards one place
    /// and half a throw towards another end beside both. Whom a pad throws that he did not mean to take presses nothing: it was
    /// set up for whoever stands on it. None for who stands, or flies as he was told to.
    pub(super) fn come_down(&mut self, walk: &Walk, is_going: bool) -> Option<Keys> {
        if walk.has_hold() {
            let is_astray = self.is_thrown && self.stage == Stage::Following && self.flight_meant().is_none();
            if is_astray {
                self.stage = Stage::Unplanned;
            }
            (self.flight, self.is_thrown) = (None, false);
            return None;
        }
        self.is_thrown |= walk.body().pad.is_some();
        let is_on_it = is_going && self.stage == Stage::Following;
        match self.flight_meant() {
            Some(_) if is_on_it => None,
            Some(mut walker) => {
                let (keys, progress) = walker.press(&aloft(walk.body()), &walk.setting(), walk.frame_ms);
                self.flight = Some(walker);
                Some(if progress == Progress::OnTheWay { keys } else { Keys::NONE })
            }
            None => self.is_thrown.then_some(Keys::NONE),
        }
    }

    /// The leg one is in the air on, if it leads through the air.
    fn flight_meant(&self) -> Option<Walker> {
        self.flight.filter(|walker| match walker.leg().travel {
            Travel::Push => self.is_thrown,
            Travel::Drop | Travel::Jump | Travel::StrafeJump => walker.is_under_way(),
            Travel::Walk | Travel::Crouch | Travel::Swim | Travel::WaterExit | Travel::Ladder => false,
            Travel::Teleport | Travel::Lift | Travel::Train => false,
            Travel::Door | Travel::ButtonDoor | Travel::KeyDoor => false,
        })
    }

    pub(super) fn state(&self) -> Travelling {
        match self.stage {
            Stage::Unplanned | Stage::Asked => Travelling::Searching,
            Stage::Following | Stage::Pressing(_) => Travelling::OnTheWay,
            Stage::Done(state) => state,
        }
    }

    pub(super) fn stack(&self) -> &[Stone] {
        self.stones.all()
    }

    /// What is walked, and which leg of it.
    pub(super) fn walked(&self) -> Option<(&[Leg], usize)> {
        self.follower.as_ref().map(|follower| (self.legs.as_slice(), follower.index()))
    }

    /// Milliseconds that the legs to the goal take from here on, for who runs so fast.
    pub(super) fn left_ms(&self, origin: Vec3, speed: f32) -> Option<u32> {
        let follower = self.follower.filter(|_| self.stage == Stage::Following && self.stones.all().len() == 1)?;
        // Legs that were not proved are given all the time in the world.
        let takes = |leg: &Leg| match leg.travel {
            Travel::Walk => (leg.time_ms as f32).min(leg.to.distance(leg.from) / speed.max(1.0) * 1000.0),
            _ => leg.time_ms as f32,
        };
        let leg = self.legs[follower.index()];
        let share = leg.to.distance(origin) / leg.to.distance(leg.from).max(1.0);
        let ahead: f32 = self.legs[follower.index() + 1..].iter().map(takes).sum();
        Some((takes(&leg) * share.min(1.0) + ahead) as u32)
    }

    pub(super) fn take_trouble(&mut self) -> Option<Trouble> {
        self.trouble.take()
    }

    /// Every stage may hand over to the next within the frame.
    pub(super) fn press(
        &mut self,
        walk: &Walk,
        searches: &mut Searches,
        doubts: &mut Doubts,
        chance: &mut Pcg,
    ) -> Keys {
        for _ in 0..TURNS_MAX {
            let keys = match self.stage {
                Stage::Unplanned => self.plan(walk, searches, doubts, chance),
                Stage::Asked => self.await_answer(walk, searches),
                Stage::Following => self.follow(walk, doubts),
                Stage::Pressing(since) => self.open(walk, since),
                Stage::Done(state) => self.rest(walk, state),
            };
            if self.detours > DETOURS_MAX {
                self.roam(walk, chance);
            }
            if let Some(keys) = keys {
                return keys;
            }
        }
        Keys::NONE
    }

    fn plan(&mut self, walk: &Walk, searches: &mut Searches, doubts: &mut Doubts, chance: &mut Pcg) -> Option<Keys> {
        self.withdraw(walk.own.entity, searches);
        self.frail = tolls::frail(walk);
        self.legs.clear();
        self.route.links.clear();
        self.follower = None;
        (self.leads_out, self.leads_back) = (false, false);
        if !walk.has_hold() {
            return Some(Keys::NONE);
        }
        let terrain = &walk.field.terrain;
        let origin = walk.body().origin;
        if let Some(Stone::Goal(Destination::Untried { to, travel })) = self.stones.top() {
            return self.try_out(walk, to, travel);
        }
        let Some((waypoint, place)) = self.target(walk) else {
            self.stage = Stage::Done(Travelling::Standing);
            return None;
        };
        let end = place.unwrap_or(terrain.waypoints.origin[waypoint.index()]);
        if origin.distance(end) < STRAIGHT && is_walkable(walk, walk.scene, origin, end) {
            return self.walk_straight(walk, end);
        }
        if let Some(leg) = self.way_out(walk, waypoint) {
            self.leads_out = true;
            self.legs.push(leg);
            self.begin_legs();
            return None;
        }
        if let Some(leg) = self.way_down(walk, waypoint) {
            self.leads_out = true;
            self.legs.push(leg);
            self.begin_legs();
            return None;
        }
        if self.get_clear(walk, waypoint, chance) {
            return None;
        }
        if is_marooned(walk, waypoint) {
            self.fail_stone(walk, Trouble::NoRoute);
            return None;
        }
        self.start = self.beginning(walk, waypoint)?;
        if self.start == waypoint {
            self.lay_legs(walk);
            return None;
        }
        self.list_shut(walk);
        self.reckon(walk, searches, chance);
        let question = Question {
            from: self.start,
            target: Target::Waypoint(waypoint),
            doubts: doubts.list(walk.now, &searches.wear),
            shut: &self.shut,
            waits: &self.waits,
            tolls: &self.tolls,
            toll_weight: tolls::WEIGHT,
            frail: self.frail,
            harm_ms: self.harm_ms(walk),
        };
        self.ticket = searches.ask(walk.own.entity, Priority::Usual, &question);
        if self.ticket.is_none() {
            return Some(walk.urge(Vec3::ZERO));
        }
        self.stage = Stage::Asked;
        self.set_off(walk, waypoint, doubts);
        None
    }

    /// The waypoint the top stone is reached by, and its place if that is another.
    fn target(&self, walk: &Walk) -> Option<(WaypointId, Option<Vec3>)> {
        let terrain = &walk.field.terrain;
        let by_place = |place: Vec3| terrain.nearest(place).map(|near| (near.waypoint, Some(place)));
        match self.stones.top()? {
            Stone::Goal(Destination::Waypoint(waypoint)) | Stone::Roam(waypoint) => Some((waypoint, None)),
            Stone::Goal(Destination::Place(place) | Destination::Untried { to: place, .. }) => by_place(place),
            Stone::Opener(mover) => by_place(terrain.movers.get(mover)?.stand),
        }
    }

    /// Straight there, in the way that was asked for. Who gets lost says so at once: nobody knows another way.
    fn try_out(&mut self, walk: &Walk, to: Vec3, travel: Travel) -> Option<Keys> {
        if self.detours > 0 {
            self.fail_stone(walk, Trouble::NoRoute);
            return None;
        }
        (self.approach, self.ends_short) = (0, false);
        self.legs.push(self.unproved(walk.body().origin, to, travel));
        self.begin_legs();
        None
    }

    fn walk_straight(&mut self, walk: &Walk, end: Vec3) -> Option<Keys> {
        self.approach = 0;
        self.ends_short = false;
        self.legs.push(self.unproved(walk.body().origin, end, Travel::Walk));
        self.begin_legs();
        None
    }

    /// Whether a fall may be on the way that was harmless when it was planned.
    fn is_frailer(&self, walk: &Walk) -> bool {
        let is_less = |health: u8| self.frail.is_none_or(|before| health < before);
        walk.has_hold() && tolls::frail(walk).is_some_and(is_less)
    }

    /// What speaks for one way and against another; nothing for who is in a hurry.
    fn reckon(&mut self, walk: &Walk, searches: &Searches, chance: &mut Pcg) {
        self.waits.clear();
        self.tolls.clear();
        if self.manner.caution == 0 {
            if fires::fires(walk).next().is_some() {
                self.tolls.resize(walk.field.terrain.waypoints.len(), 0);
                fires::add_tolls(walk, &mut self.tolls);
            }
            return;
        }
        let taste = *self.taste.get_or_insert_with(|| chance.draw());
        let Walk { now, convars, concerns, .. } = *walk;
        let terrain = &walk.field.terrain;
        let (traffic, caution) = (searches.traffic(), self.manner.caution);
        Reckoning { terrain, concerns, traffic, caution, taste, now, convars }.fill(&mut self.tolls);
        fires::add_tolls(walk, &mut self.tolls);
        if let Some(memory) = concerns.memory {
            tolls::list_waits(terrain, memory, &mut self.waits);
        }
    }

    /// What a point of health is worth on the way, in time: nothing to who is in a hurry, the more to others the fewer they have.
    fn harm_ms(&self, walk: &Walk) -> Cost {
        if self.manner.caution == 0 {
            return 0;
        }
        let full = walk.field.game.rules.health.max.max(1);
        let health = walk.own.health.clamp(full / DEAR, full);
        (walk.convars.path_harm_ms * full / health) as Cost
    }

    /// First steps before the route is known: the link that the table of travel times favours, if it is plain walking and
    /// nothing speaks against it.
    fn set_off(&mut self, walk: &Walk, goal: WaypointId, doubts: &Doubts) {
        let terrain = &walk.field.terrain;
        let from = self.start;
        let is_sure = |id: LinkId, kind: Travel, flags: LinkFlags| {
            kind == Travel::Walk && flags.is_empty() && !doubts.is_doubted(id, walk.now)
        };
        let sure = terrain.links.ids_from(from).filter(|(id, link)| is_sure(*id, link.kind, link.flags));
        let rated =
            sure.filter_map(|(id, link)| Some((terrain.times.about_ms(link.to, goal)? + link.expected_ms(), id)));
        let Some((ms, id)) = rated.min() else { return };
        let is_towards = terrain.times.about_ms(from, goal).is_some_and(|about| ms < about + about / 4);
        if is_towards {
            self.route.links.push(id);
            self.lay_route(walk);
            self.follower = Follower::new(&self.legs);
        }
    }

    fn await_answer(&mut self, walk: &Walk, searches: &mut Searches) -> Option<Keys> {
        let Some(ticket) = self.ticket else {
            self.stage = Stage::Unplanned;
            return None;
        };
        match searches.collect(ticket, &mut self.route) {
            Answer::Pending => Some(self.walk_meanwhile(walk)),
            Answer::Found { .. } => {
                self.ticket = None;
                searches.announce(walk.own.entity, &self.route.links, &walk.field.terrain);
                self.lay_legs(walk);
                None
            }
            Answer::NoRoute(_) => {
                self.ticket = None;
                self.fail_stone(walk, Trouble::NoRoute);
                None
            }
            Answer::Flooded | Answer::Withdrawn => {
                self.ticket = None;
                self.stage = Stage::Unplanned;
                None
            }
        }
    }

    fn walk_meanwhile(&mut self, walk: &Walk) -> Keys {
        let Some(follower) = &mut self.follower else { return walk.urge(Vec3::ZERO) };
        let (keys, progress) = follower.press(&self.legs, walk.body(), &walk.setting(), walk.frame_ms);
        if progress != Progress::OnTheWay {
            self.follower = None;
        }
        keys
    }

    /// The whole way for the top stone, then on it.
    fn lay_legs(&mut self, walk: &Walk) {
        let terrain = &walk.field.terrain;
        self.lay_route(walk);
        self.ends_short = false;
        if let Some((waypoint, Some(place))) = self.target(walk) {
            let last = terrain.waypoints.origin[waypoint.index()];
            // Doors and people come and go: only the map decides.
            let bare = Scene::of(&walk.field.solids);
            self.ends_short = !is_walkable(walk, &bare, last, place);
            if !self.ends_short && flat(place - last).length() > 1.0 {
                let from = if self.legs.is_empty() { walk.body().origin } else { last };
                self.legs.push(self.unproved(from, place, Travel::Walk));
            }
        }
        self.begin_legs();
    }

    /// A way to the start of the route and its links. Who stands where he can walk to the second or third waypoint straight
    /// need not go back to the first.
    fn lay_route(&mut self, walk: &Walk) {
        let terrain = &walk.field.terrain;
        let origin = walk.body().origin;
        let mut skipped = 0;
        let mut waypoint = self.start;
        for (index, id) in self.route.links.iter().take(SKIP_MAX).enumerate() {
            let link = &terrain.links.links[id.index()];
            if link.kind != Travel::Walk {
                break;
            }
            if is_walkable(walk, walk.scene, origin, terrain.waypoints.origin[link.to.index()]) {
                skipped = index + 1;
                waypoint = link.to;
            }
        }
        self.route.links.drain(..skipped);
        self.legs.clear();
        let place = terrain.waypoints.origin[waypoint.index()];
        let way = place - origin;
        if flat(way).length() > AT_WAYPOINT || way.z.abs() > AT_WAYPOINT {
            let travel = if walk.body().immersion.level > 1 { Travel::Swim } else { Travel::Walk };
            self.legs.push(self.unproved(origin, place, travel));
        }
        self.approach = self.legs.len();
        for index in 0..self.route.links.len() {
            let leg = self.proved(walk, self.route.links[index]);
            self.legs.push(leg);
        }
    }

    /// The leg of a link, its mover named as the game at hand names it.
    fn proved(&self, walk: &Walk, id: LinkId) -> Leg {
        let leg = walk.field.terrain.leg(id);
        let slowness = self.slowness(leg.travel);
        Leg { mover: mover_of(walk, id).or(leg.mover), time_ms: leg.time_ms * slowness, ..leg }
    }

    /// A leg that nobody has walked before.
    fn unproved(&self, from: Vec3, to: Vec3, travel: Travel) -> Leg {
        let time_ms = (from.distance(to) / UNPROVED_SPEED * 1000.0) as i32 * self.slowness(travel);
        Leg { from, to, travel, via: None, mover: None, opener: None, time_ms }
    }

    fn begin_legs(&mut self) {
        self.follower = Follower::new(&self.legs);
        self.stage = Stage::Following;
    }

    /// What comes before the next step: whoever stands there, what has to be opened or waited for, fire. Then the step.
    fn follow(&mut self, walk: &Walk, doubts: &mut Doubts) -> Option<Keys> {
        let Some(follower) = self.follower else {
            // No legs at all: he stands there.
            self.finish_stone(walk);
            return None;
        };
        let index = follower.index();
        if let Some(keys) = self.sprint_on(walk, index) {
            return Some(keys);
        }
        if self.is_occupied(walk, index) {
            if index + 1 == self.legs.len() {
                self.finish_stone(walk);
                return None;
            }
            if self.step_over(walk, index) {
                return None;
            }
        }
        if follower.walker().needs_opener(walk.body(), &walk.setting()) {
            let leg = self.legs[index];
            let is_shot = leg.opener.is_some_and(|opener| opener.is_shot);
            if is_shot && self.presses > 0 && walk.now - self.pressed_at < SEE_MS {
                return Some(facing(walk, leg.to, walk.urge(Vec3::ZERO)));
            }
            // To run into a button once more does no harm; who shoots looks away from the door, and would never know.
            if self.presses < PRESSES_MAX || is_shot {
                self.lay_opener(walk, index, doubts);
                return None;
            }
        }
        if self.is_under_lift(walk) || self.misnames_mover(walk, index) || self.is_frailer(walk) {
            self.stage = Stage::Unplanned;
            return None;
        }
        if self.waits_before_lift(walk, index) {
            self.waited_ms += walk.frame_ms;
            return Some(self.attend(walk, index + 1, walk.urge(Vec3::ZERO)));
        }
        if let Some(ahead) = fires::leg_ahead(walk, &self.legs[index..]) {
            return self.keep_off_fire(walk, index + ahead, doubts);
        }
        self.awaits_fire = false;
        let has_landed = std::mem::replace(&mut self.is_aloft, !walk.has_hold()) && !self.is_aloft;
        if has_landed && self.goes_on_from_here(walk, index) {
            return None;
        }
        self.step(walk, follower, doubts)
    }

    /// On along the legs.
    fn step(&mut self, walk: &Walk, mut follower: Follower, doubts: &mut Doubts) -> Option<Keys> {
        let index = follower.index();
        let body = self.paced(walk, self.legs[index].travel);
        let (keys, progress) = follower.press(&self.legs, &body, &walk.setting(), walk.frame_ms);
        self.follower = Some(follower);
        self.flight = Some(*follower.walker());
        self.note_walked(index, follower.index(), doubts);
        self.waited_ms = if follower.index() > index { 0 } else { self.waited_ms };
        if follower.index() > index + 1 {
            self.detours = self.detours.saturating_sub(1);
        }
        match progress {
            Progress::OnTheWay => {
                let leg = self.legs[follower.index()];
                let keys = self.attend(walk, follower.index(), keys);
                if self.is_held_up(walk, follower.index(), &keys) {
                    self.lose(Astray::Stuck, doubts, walk.now);
                    return None;
                }
                Some(self.with_gait(keys, leg.travel))
            }
            Progress::Arrived => {
                self.note_walked(follower.index(), follower.index() + 1, doubts);
                self.finish_stone(walk);
                None
            }
            Progress::Lost(why) => {
                self.lose(why, doubts, walk.now);
                None
            }
        }
    }

    /// Another way, or none until it has burnt down.
    fn keep_off_fire(&mut self, walk: &Walk, index: usize, doubts: &mut Doubts) -> Option<Keys> {
        if walk.now < self.fire_again {
            self.awaits_fire = true;
            return Some(if walk.has_hold() { walk.urge(Vec3::ZERO) } else { Keys::NONE });
        }
        self.fire_again = walk.now + FIRE_AGAIN_MS;
        if let Some(link) = index.checked_sub(self.approach).and_then(|index| self.route.links.get(index)) {
            doubts.doubt(*link, OCCUPIED_MS, walk.now);
        }
        self.follower = None;
        self.stage = Stage::Unplanned;
        None
    }

    /// Whether it stands before a fire that it has no way round.
    pub(super) fn awaits_fire(&self) -> bool {
        self.awaits_fire && self.stage == Stage::Following
    }

    /// The links of these legs led where they should, and who gets on is not cut off any more.
    fn note_walked(&mut self, first: usize, end: usize, doubts: &mut Doubts) {
        if first < end && !self.leads_out {
            self.unreached = None;
        }
        let walked = (first..end).filter_map(|index| self.route.links.get(index.checked_sub(self.approach)?));
        walked.for_each(|link| doubts.note(*link, false));
    }

    /// Somebody stands where the leg ends, and it is not far.
    fn is_occupied(&self, walk: &Walk, index: usize) -> bool {
        let end = self.legs[index].to;
        let is_near = |a: Vec3, b: Vec3, reach: f32| flat(a - b).length() < reach && (a.z - b.z).abs() < ARM;
        let reach = if index + 1 == self.legs.len() { AT_OCCUPIED } else { BEFORE_OCCUPIED };
        let mut others = walk.scene.crowd.bodies().iter().filter(|body| body.entity != walk.own.entity);
        is_near(walk.body().origin, end, reach) && others.any(|body| is_near(body.origin, end, OCCUPIED))
    }

    /// Straight on to the end of the leg after this one, if the map allows it; whether it does.
    fn step_over(&mut self, walk: &Walk, index: usize) -> bool {
        let (this, next) = (self.legs[index], self.legs[index + 1]);
        let origin = walk.body().origin;
        let on_foot = this.travel == Travel::Walk && next.travel == Travel::Walk;
        if !on_foot || !is_walkable(walk, &Scene::of(&walk.field.solids), origin, next.to) {
            return false;
        }
        self.cut_short(walk, index + 1);
        true
    }

    /// Straight to the end of a leg that lies ahead.
    fn cut_short(&mut self, walk: &Walk, index: usize) {
        let links = (index + 1).saturating_sub(self.approach).min(self.route.links.len());
        self.route.links.drain(..links);
        self.legs.drain(..index);
        self.legs[0] = self.unproved(walk.body().origin, self.legs[0].to, Travel::Walk);
        self.approach = 1;
        self.follower = Follower::new(&self.legs);
    }

    /// What is done at the end of a way: on with the stone below, or the end of the journey.
    fn finish_stone(&mut self, walk: &Walk) {
        match self.stones.top() {
            _ if self.leads_out => self.stage = Stage::Unplanned,
            Some(Stone::Opener(_)) => self.stage = Stage::Pressing(walk.now),
            Some(Stone::Roam(_)) => {
                self.stones.pop();
                self.stage = Stage::Unplanned;
            }
            Some(Stone::Goal(Destination::Place(place))) if self.ends_short && !self.is_within_reach(walk, place) => {
                self.fail_stone(walk, Trouble::NoFooting);
            }
            Some(Stone::Goal(_)) | None => self.stage = Stage::Done(Travelling::Arrived),
        }
    }

    fn is_within_reach(&self, walk: &Walk, place: Vec3) -> bool {
        let way = place - walk.body().origin;
        flat(way).length() < ARM && way.z.abs() < ARM
    }

    /// The top stone cannot be had. If it is the goal, that is the end.
    fn fail_stone(&mut self, walk: &Walk, why: Trouble) {
        self.trouble = Some(why);
        self.failed_at = walk.now;
        match self.stones.top() {
            Some(Stone::Goal(_)) | None => self.stage = Stage::Done(Travelling::Failed(why)),
            Some(Stone::Opener(_) | Stone::Roam(_)) => {
                self.presses = PRESSES_MAX;
                self.stones.clear();
                self.stage = Stage::Unplanned;
            }
        }
    }

    /// At the end. Who failed may try again after a while, who was pushed away goes back.
    fn rest(&mut self, walk: &Walk, state: Travelling) -> Option<Keys> {
        let again = match state {
            Travelling::Failed(_) => walk.now - self.failed_at > RETRY_MS,
            Travelling::Standing | Travelling::Searching | Travelling::OnTheWay | Travelling::Arrived => false,
        };
        if again {
            (self.detours, self.roams, self.presses) = (0, 0, 0);
            self.stage = Stage::Unplanned;
            return None;
        }
        Some(if walk.has_hold() { walk.urge(Vec3::ZERO) } else { Keys::NONE })
    }

    fn lose(&mut self, why: Astray, doubts: &mut Doubts, now: Time) {
        self.trouble = Some(Trouble::Lost(why));
        self.detour(doubts, now);
    }

    /// Another route, and not over this link if it can be helped.
    pub(super) fn detour(&mut self, doubts: &mut Doubts, now: Time) {
        self.leave_leg(doubts, FAILED_MS, now);
    }

    /// The same because of somebody who stands there.
    pub(super) fn avoid(&mut self, who: EntityId, doubts: &mut Doubts, now: Time) {
        self.trouble = Some(Trouble::InTheWay(who));
        self.leave_leg(doubts, OCCUPIED_MS, now);
    }

    fn leave_leg(&mut self, doubts: &mut Doubts, cost: Cost, now: Time) {
        self.headway = Headway::default();
        let index = self.follower.map_or(0, |follower| follower.index());
        self.is_cut_off = self.follower.is_some() && index < self.approach;
        if self.is_cut_off && !self.leads_out && cost == FAILED_MS {
            self.unreached = Some(self.start);
        }
        if let Some(link) = index.checked_sub(self.approach).and_then(|index| self.route.links.get(index)) {
            doubts.doubt(*link, cost, now);
            // Who stands in the way says nothing about the way.
            if cost == FAILED_MS {
                doubts.note(*link, true);
            }
        }
        self.detours += 1;
        self.follower = None;
        if !matches!(self.stage, Stage::Done(_)) {
            self.stage = Stage::Unplanned;
        }
    }

    /// Somewhere else first; who has been everywhere gives up.
    pub(super) fn roam(&mut self, walk: &Walk, chance: &mut Pcg) {
        self.detours = 0;
        self.roams += 1;
        self.stones.clear();
        self.follower = None;
        let place = if self.roams > ROAMS_MAX { None } else { self.somewhere(walk, chance) };
        match place {
            Some(waypoint) => {
                self.stones.push(Stone::Roam(waypoint));
                self.stage = Stage::Unplanned;
            }
            None => self.fail_stone(walk, Trouble::GaveUp),
        }
    }

    /// Any waypoint a few seconds away.
    fn somewhere(&self, walk: &Walk, chance: &mut Pcg) -> Option<WaypointId> {
        let terrain = &walk.field.terrain;
        let from = terrain.nearest(walk.body().origin)?.waypoint;
        let is_near = |id: &WaypointId| terrain.times.about_ms(from, *id).is_some_and(|ms| ROAM_MS.contains(&ms));
        let count = terrain.waypoints.ids().filter(is_near).count();
        if count == 0 { None } else { terrain.waypoints.ids().filter(is_near).nth(chance.below(count)) }
    }

    fn withdraw(&mut self, owner: EntityId, searches: &mut Searches) {
        searches.retract(owner);
        if let Some(ticket) = self.ticket.take() {
            searches.withdraw(ticket);
        }
    }

    /// Where one walks on foot just now.
    pub(super) fn course(&self, walk: &Walk) -> Option<Course> {
        let walker = *self.follower.as_ref()?.walker();
        let leg = *walker.leg();
        let on_foot = match leg.travel {
            Travel::Walk | Travel::Crouch | Travel::Door | Travel::ButtonDoor | Travel::KeyDoor => true,
            Travel::Lift | Travel::Train => walker.is_leaving(),
            Travel::Drop
            | Travel::Jump
            | Travel::StrafeJump
            | Travel::Swim
            | Travel::WaterExit
            | Travel::Ladder
            | Travel::Push
            | Travel::Teleport => false,
        };
        // The leg's own direction, which does not turn as one steps aside; for who is far off it, straight to its end.
        let way = flat(leg.to - walk.body().origin).normalize_or_zero();
        let line = flat(leg.to - leg.from).normalize_or_zero();
        let along = if line.dot(way) > ALONG { line } else { way };
        let stands = !walk.body().ground.is_air();
        (on_foot && stands && along != Vec3::ZERO).then(|| Course { along, left: self.left(walk) })
    }

    /// How far there is still to go in this direction: past the end of the leg if the route goes on.
    fn left(&self, walk: &Walk) -> f32 {
        let Some(follower) = self.follower else { return 0.0 };
        let way = flat(follower.walker().leg().to - walk.body().origin).length();
        if follower.index() + 1 < self.legs.len() { way + AHEAD } else { way }
    }

    /// Units a second in the manner asked for.
    pub(super) fn pace(&self, walk: &Walk) -> f32 {
        let travel = self.follower.map_or(Travel::Walk, |follower| follower.walker().leg().travel);
        self.paced(walk, travel).speed as f32
    }

    /// The body as it would be if it could not go faster than it should.
    fn paced(&self, walk: &Walk, travel: Travel) -> Player {
        let body = if walk.has_hold() { *walk.body() } else { aloft(walk.body()) };
        match self.gait(travel) {
            Gait::Run | Gait::Crouch => body,
            Gait::Walk => Player { speed: (body.speed as f32 * QUIET) as i32, ..body },
        }
    }

    /// Keys of a paced body, as the true one presses them.
    fn with_gait(&self, keys: Keys, travel: Travel) -> Keys {
        match self.gait(travel) {
            Gait::Run => keys,
            Gait::Walk => Keys { push: keys.push * QUIET, walks: true, ..keys },
            Gait::Crouch => Keys { up: CROUCH, ..keys },
        }
    }

    /// Only what is walked can be walked slowly: a jump needs its run.
    fn gait(&self, travel: Travel) -> Gait {
        if travel == Travel::Walk { self.manner.gait } else { Gait::Run }
    }

    /// How many times as long a leg takes.
    fn slowness(&self, travel: Travel) -> i32 {
        match self.gait(travel) {
            Gait::Run => 1,
            Gait::Walk => 2,
            Gait::Crouch => 4,
        }
    }

    /// A place about a second ahead on the way, at the height of eyes that are at `eye`; farther if the way leads straight up or
    /// down or back to where one is, and none if it ends there: whoever looked at his own feet would whirl about with every step.
    pub(super) fn ahead(&self, eye: Vec3, origin: Vec3) -> Option<Vec3> {
        let follower = self.follower?;
        let is_off = |place: Vec3| flat(place - origin).length_squared() > OFF_FEET * OFF_FEET;
        let mut at = origin;
        let mut left = AHEAD;
        for leg in &self.legs[follower.index()..] {
            let way = leg.to - at;
            let length = way.length();
            if length >= left && length > 0.0 {
                let place = at + way * (left.max(0.0) / length);
                if is_off(place) {
                    return Some(place + (eye - origin));
                }
            }
            left -= length;
            at = leg.to;
            if left < 0.0 && is_off(at) {
                break;
            }
        }
        is_off(at).then_some(at + (eye - origin))
    }
}

/// The body of somebody who flies: a pad throws while the ground is still underfoot, and no key finds hold there any more.
fn aloft(body: &Player) -> Player {
    Player { ground: Ground::Air, ..*body }
}

/// The same keys, with the eyes on a place at the height of a body's middle.
fn facing(walk: &Walk, place: Vec3, keys: Keys) -> Keys {
    let way = place - walk.body().origin;
    let pitch = -maths::atan2(way.z, flat(way).length()).to_degrees();
    Keys { look: Some([pitch, maths::atan2(way.y, way.x).to_degrees()]), ..keys }
}

/// What moves on a link, by the number that the game at hand is believed to have for it.
fn mover_of(walk: &Walk, id: LinkId) -> Option<EntityId> {
    let terrain = &walk.field.terrain;
    let spot = terrain.movers.get(terrain.links.links[id.index()].mover)?;
    walk.scene.crowd.placed().iter().find(|placed| placed.model == spot.model).map(|placed| placed.entity)
}
