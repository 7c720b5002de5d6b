//! A journey: from a destination to a route, from the route to legs that are walked, and anew when it goes wrong.
//!
//! The way is searched in slices (`searches`). Until the answer comes, the bot sets off over the link that the table of travel
//! times favours, if that is plain walking; what it finds out meanwhile costs nothing. Who falls, is pushed or teleported
//! finds himself off his leg, looks where he stands and asks anew. A link that failed is doubted; a door that needs a
//! button lays a stepping stone; who fails again and again goes somewhere else first, and in the end says so.

use fireteam_terrain::path::Cost;
use fireteam_terrain::path::errands::Wait;
use fireteam_terrain::{LinkFlags, LinkId, MoverId, Near, NearBy, OpensBy, Route, Terrain, WaypointFlags, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::movement::{Ground, Player, Stance, TriggerAction};
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::{Scene, Sweep};
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::{Astray, Follower, Keys, Leg, Progress, Sprint, Travel, Walker};

use super::back::{Lost, is_off_mesh, way_back};
use super::careful::{is_harmed, turned};
use super::doubts::{Doubts, FAILED_MS, OCCUPIED_MS};
use super::feelers::Reached;
use super::fires;
use super::footing::{is_walkable, is_walkable_but_for_people};
use super::round::{Round, is_in_reach, way_round};
use super::stones::Stones;
use super::tolls::{self, Reckoning};
use super::{Destination, Gait, Manner, Stone, Travelling, Trouble, Walk, flat};
use crate::searches::{Answer, Priority, Question, Searches, Target, Ticket};

/// Closer than this one is at a waypoint.
const AT_WAYPOINT: f32 = 18.0;
/// A stretch that nobody proved may take as long as at this speed.
const UNPROVED_SPEED: f32 = 100.0;
/// Places so near are walked to straight, if they can be.
const STRAIGHT: f32 = 320.0;
/// So many of a route's first links may be cut short.
const SKIP_MAX: usize = 2;
/// A waypoint so near aside, and so far below, is straight below.
const BELOW: f32 = 40.0;
const TOP: f32 = 40.0;
/// Edges are looked for in these directions and so far; one drops off them no deeper than this, rather towards the goal.
const EDGES: [f32; 8] = [0.0, 45.0, 90.0, 135.0, 180.0, -135.0, -90.0, -45.0];
const EDGE_REACH: [f32; 4] = [32.0, 64.0, 96.0, 128.0];
const EDGE_DROP: f32 = 240.0;
const EDGE_TOWARDS: f32 = 24.0;
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
/// An opener is run at for so long, at most; a target is shot at for so long.
const PRESS_MS: i32 = 1500;
const SHOOT_MS: i32 = 700;
/// Slower than this after a moment, one is up against the button.
const AGAINST: f32 = 20.0;
const AGAINST_MS: i32 = 250;
/// A door is seen to by its button so often; then the leg's own way is tried.
const PRESSES_MAX: u32 = 2;
/// Who has shot at what opens a door looks for so long whether it opens.
const SEE_MS: i32 = 1000;
/// Nearer than this to where a lift is boarded one is in its way; it is looked at so often.
const SHAFT: f32 = 64.0;
const UNDER_LIFT_MS: i32 = 500;
/// So near one waits for a lift that is to be walked onto, and so long.
const BEFORE_LIFT: f32 = 112.0;
const LIFT_MS_MAX: i32 = 12_000;
/// Who stood so long before what should move looks at it; then, at a door, walks on.
const LOOK_MS: i32 = 300;
const FEEL_MS: i32 = 1200;
/// Who has pressed on through a door for so long and come no nearer than this does not get through that way.
const IN_VAIN_MS: i32 = 2500;
const NEARER: f32 = 4.0;
/// So far one goes out of a lift's way.
const REFUGE: f32 = 256.0;
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
/// Stretches so long are leapt along, of no more legs than this; so many of them are looked at, and not again at once.
const SPRINT_NEAR: f32 = 320.0;
const SPRINT_FAR: f32 = 1200.0;
const SPRINT_LEGS: usize = 8;
const SPRINT_TRIES: usize = 3;
const SPRINT_AGAIN_MS: i32 = 300;
/// Who comes down looks so many legs ahead whether he can walk on from there.
const LANDING_LEGS: usize = 3;
/// Share of running speed, along the way, from which one leaps.
const SPRINT_SPEED: f32 = 0.9;
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

/// How near one came to the end of a leg, and for how long one has pressed on since and come no nearer. Kept over new plans:
/// whoever runs after somebody makes one twice a second, by the same door.
#[derive(Clone, Copy, Debug, Default)]
struct Headway {
    to: Option<Vec3>,
    nearest: f32,
    in_vain_ms: i32,
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

    /// Who stands where the mesh knows nothing gets back to it; who ran against a wall where no waypoint can be walked to straight
    /// goes round by a corner, or anywhere else that he sees floor. From there he looks again.
    fn get_clear(&mut self, walk: &Walk, goal: WaypointId, chance: &mut Pcg) -> bool {
        let owner = walk.field.terrain.underfoot(walk.body().origin);
        self.is_cut_off |= owner.is_some() && owner == self.unreached;
        if is_off_mesh(walk, self.is_cut_off) && self.go_back(walk, goal, chance) {
            return true;
        }
        self.is_cut_off && !is_in_reach(walk, goal) && (self.go_round(walk, goal) || self.go_back(walk, goal, chance))
    }

    fn go_round(&mut self, walk: &Walk, goal: WaypointId) -> bool {
        let Some(Round { corner, waypoint }) = way_round(walk, goal) else { return false };
        self.legs.push(self.unproved(walk.body().origin, corner, Travel::Walk));
        let place = walk.field.terrain.waypoints.origin[waypoint.index()];
        self.legs.push(self.unproved(corner, place, Travel::Walk));
        self.approach = self.legs.len();
        self.leads_out = true;
        self.begin_legs();
        true
    }

    fn go_back(&mut self, walk: &Walk, goal: WaypointId, chance: &mut Pcg) -> bool {
        let origin = walk.body().origin;
        let lost = Lost { goal, unreached: self.unreached, looked_from: self.looked_from };
        let Some(Reached { place, beyond }) = way_back(walk, &lost, chance) else { return false };
        self.looked_from = Some(origin);
        if place != origin {
            self.legs.push(self.unproved(origin, place, Travel::Walk));
        }
        if let Some((end, travel)) = beyond {
            self.legs.push(self.unproved(place, end, travel));
        }
        self.approach = self.legs.len();
        (self.leads_out, self.leads_back) = (true, true);
        self.begin_legs();
        true
    }

    /// Out of where no links lead on: into a teleporter that can be walked to, wherever that goes.
    fn way_out(&self, walk: &Walk, goal: WaypointId) -> Option<Leg> {
        let terrain = &walk.field.terrain;
        let origin = walk.body().origin;
        if terrain.islands.connect(terrain.nearest(origin)?.waypoint, goal) {
            return None;
        }
        let bare = Scene::of(&walk.field.solids);
        let exits = walk.field.triggers.iter().filter_map(|(bounds, trigger)| {
            let TriggerAction::Teleport { origin: to, .. } = trigger.action else { return None };
            let nearest = origin.clamp(bounds.mins, bounds.maxs);
            let via = nearest.with_z(origin.z);
            let is_level = (nearest.z - origin.z).abs() < ARM;
            (is_level && is_walkable(walk, &bare, origin, via)).then_some((via, to))
        });
        let (via, to) = exits.min_by(|a, b| a.0.distance(origin).total_cmp(&b.0.distance(origin)))?;
        Some(Leg { via: Some(via), ..self.unproved(origin, to, Travel::Teleport) })
    }

    /// Off the top of something whose nearest waypoint is straight below, where no ground that is known leads: over the edge that is
    /// nearest to where one wants to go.
    fn way_down(&self, walk: &Walk, goal: WaypointId) -> Option<Leg> {
        let terrain = &walk.field.terrain;
        let origin = walk.body().origin;
        let near = terrain.nearest_towards(origin, goal)?.waypoint;
        let way = terrain.waypoints.origin[near.index()] - origin;
        if flat(way).length() > BELOW || way.z > -TOP {
            return None;
        }
        let rules = &walk.field.game.rules.movement;
        let hull = rules.hull(Stance::Standing);
        let bare = Scene::of(&walk.field.solids);
        let mask = walk.setting().mask;
        let towards = flat(terrain.waypoints.origin[goal.index()] - origin).normalize_or_zero();
        let edges = EDGES.into_iter().flat_map(|degrees| EDGE_REACH.map(|reach| (turned(Vec3::X, degrees), reach)));
        let landed = edges.filter_map(|(along, reach)| {
            let over = origin + along * reach;
            let lands = bare.sweep(&Sweep::hull(over, over - Vec3::Z * EDGE_DROP, hull, mask), None);
            let is_free = bare.is_clear(&Sweep::hull(origin, over, hull, mask), None);
            let is_below = lands.is_hit() && !lands.start_solid && origin.z - lands.end.z > TOP * 0.5;
            (is_free && is_below).then_some((reach - along.dot(towards) * EDGE_TOWARDS, lands.end))
        });
        let (_, to) = landed.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(self.unproved(origin, to, Travel::Drop))
    }

    /// The waypoint from which the way to another is asked: the nearest. Who stands where a lift comes down, and not on the
    /// lift, begins beside it: it will not come while he stands there. Who could not get to the nearest begins at one that
    /// he can walk to.
    fn beginning(&self, walk: &Walk, goal: WaypointId) -> Option<WaypointId> {
        let terrain = &walk.field.terrain;
        let body = walk.body();
        let usual = terrain.nearest_towards(body.origin, goal)?.waypoint;
        let is_carried = matches!(body.ground, Ground::Floor { entity: Some(_), .. });
        let is_on_mover = |id: WaypointId| terrain.waypoints.flags[id.index()].meets(WaypointFlags::ON_MOVER);
        let is_in_shaft = !is_carried && is_on_mover(usual);
        if !is_in_shaft && !self.is_cut_off {
            return Some(usual);
        }
        let refuge = |is_open: &dyn Fn(Vec3) -> bool| {
            let (mut refuge, mut nearest) = (None, REFUGE * REFUGE);
            for (id, place) in terrain.waypoints.ids().zip(&terrain.waypoints.origin) {
                let distance = place.distance_squared(body.origin);
                if distance < nearest && !is_on_mover(id) && terrain.islands.connect(id, goal) && is_open(*place) {
                    (refuge, nearest) = (Some(id), distance);
                }
            }
            refuge
        };
        let free = refuge(&|place| is_walkable(walk, walk.scene, body.origin, place));
        // Those who wait for the lift crowd its mouth. Who stays under it on their account keeps it up, and all wait for it.
        let crowded = || refuge(&|place| is_walkable_but_for_people(walk, body.origin, place));
        Some(free.or_else(|| if is_in_shaft { crowded() } else { None }).unwrap_or(usual))
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

    /// Doors that this body cannot open.
    fn list_shut(&mut self, walk: &Walk) {
        self.shut.clear();
        if walk.own.keys == 0 {
            let locked = walk.field.terrain.movers.spots.iter().enumerate();
            let locked = locked.filter(|(_, spot)| spot.opens_by == OpensBy::Key);
            self.shut.extend(locked.map(|(index, _)| MoverId::from(index)));
        }
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

    /// The mover of this leg or the next has been seen since they were laid, and is called otherwise than thought.
    fn misnames_mover(&self, walk: &Walk, index: usize) -> bool {
        let is_misnamed = |index: usize| {
            let link = index.checked_sub(self.approach).and_then(|index| self.route.links.get(index));
            let mover = link.and_then(|id| mover_of(walk, *id));
            mover.is_some() && self.legs.get(index).is_some_and(|leg| leg.mover != mover)
        };
        is_misnamed(index) || is_misnamed(index + 1)
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

    /// Who stands before a door or a lift looks at it: it may have come while his eyes were elsewhere. A door that still
    /// seems shut is then walked against, which tells whether it is. Who runs against one that he thinks open looks too: it has
    /// shut behind somebody, or the lift that he thinks is down went up with somebody else.
    fn attend(&mut self, walk: &Walk, index: usize, keys: Keys) -> Keys {
        let is_against = flat(walk.body().velocity).length() < AGAINST;
        let stands = (keys.heading == Vec3::ZERO || is_against) && keys.look.is_none() && walk.has_hold();
        let Some((place, is_door)) = self.what_should_move(walk, index).filter(|_| stands) else {
            self.stood_ms = 0;
            return keys;
        };
        self.stood_ms += walk.frame_ms;
        if self.stood_ms < LOOK_MS {
            return keys;
        }
        let ahead = flat(place - walk.body().origin).normalize_or_zero();
        let keys = if is_door && self.stood_ms > FEEL_MS { walk.urge(ahead * self.pace(walk)) } else { keys };
        facing(walk, place, keys)
    }

    /// Where the door or the lift is that one is before, and whether it is a door.
    fn what_should_move(&self, walk: &Walk, index: usize) -> Option<(Vec3, bool)> {
        let is_carried = matches!(walk.body().ground, Ground::Floor { entity: Some(_), .. });
        let rides = |leg: &Leg| matches!(leg.travel, Travel::Lift | Travel::Train) && !is_carried;
        let leg = self.legs[index];
        match leg.travel {
            Travel::Door | Travel::KeyDoor | Travel::ButtonDoor => Some((leg.to, true)),
            Travel::Lift | Travel::Train if !is_carried => Some((leg.via.unwrap_or(leg.to), false)),
            // The last step may lead onto it.
            Travel::Walk if flat(leg.to - walk.body().origin).length() < BEFORE_LIFT => {
                self.legs.get(index + 1).filter(|next| rides(next)).and_then(|next| Some((next.via?, false)))
            }
            _ => None,
        }
    }

    /// He presses on through a door and does not get nearer to what is behind it: beside the line that was proved, its frame is in
    /// the way, and a walker has as much patience at a door as it takes to open.
    fn is_held_up(&mut self, walk: &Walk, index: usize, keys: &Keys) -> bool {
        let leg = self.legs[index];
        if !matches!(leg.travel, Travel::Door | Travel::KeyDoor | Travel::ButtonDoor) {
            return false;
        }
        let left = flat(leg.to - walk.body().origin).length();
        if self.headway.to != Some(leg.to) || left < self.headway.nearest - NEARER {
            self.headway = Headway { to: Some(leg.to), nearest: left, in_vain_ms: 0 };
        } else if keys.heading != Vec3::ZERO {
            self.headway.in_vain_ms += walk.frame_ms;
        }
        self.headway.in_vain_ms > IN_VAIN_MS
    }

    /// The next step is onto a lift that is not there: to walk on would be against its side, or under it.
    fn waits_before_lift(&self, walk: &Walk, index: usize) -> bool {
        let (this, Some(next)) = (self.legs[index], self.legs.get(index + 1)) else { return false };
        let is_carried = matches!(walk.body().ground, Ground::Floor { entity: Some(_), .. });
        let boards = this.travel == Travel::Walk && matches!(next.travel, Travel::Lift | Travel::Train);
        boards
            && !is_carried
            && self.waited_ms < LIFT_MS_MAX
            && walk.has_hold()
            && next.via.is_some_and(|via| flat(this.to - via).length() < SHAFT)
            && flat(this.to - walk.body().origin).length() < BEFORE_LIFT
            && !Walker::new(*next, None).can_be_boarded(walk.body(), &walk.setting())
    }

    /// He waits where the lift would come to, since the leg begins on it, and knows a place beside it.
    fn is_under_lift(&self, walk: &Walk) -> bool {
        let terrain = &walk.field.terrain;
        let Some(board) = self.boarding(walk) else { return false };
        if flat(walk.body().origin - board).length() > SHAFT || walk.now.0 % UNDER_LIFT_MS >= walk.frame_ms {
            return false;
        }
        let goal = self.target(walk).map(|(waypoint, _)| waypoint);
        let beside = goal.and_then(|goal| self.beginning(walk, goal));
        let is_on_mover = |id: WaypointId| terrain.waypoints.flags[id.index()].meets(WaypointFlags::ON_MOVER);
        is_on_mover(self.start) && beside.is_some_and(|id| !is_on_mover(id))
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

    /// Who has come down beyond where a leg ends does not go back to its end, if he can walk on from where he is.
    fn goes_on_from_here(&mut self, walk: &Walk, index: usize) -> bool {
        let ahead = self.legs[index + 1..].iter().take(LANDING_LEGS);
        let count = ahead.take_while(|leg| leg.travel == Travel::Walk).count();
        let origin = walk.body().origin;
        let farthest =
            (index + 1..=index + count).rev().find(|leg| is_walkable(walk, walk.scene, origin, self.legs[*leg].to));
        if let Some(leg) = farthest {
            self.cut_short(walk, leg);
        }
        farthest.is_some()
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

    /// Leaps along the way, where it is straight and long enough and nobody is in sight: who leaps cannot dodge.
    fn sprint_on(&mut self, walk: &Walk, index: usize) -> Option<Keys> {
        if let Some(sprint) = self.sprint
            && walk.body().ground.is_air()
        {
            let keys = sprint.fly(walk.body(), &walk.setting(), walk.frame_ms);
            self.sprint = keys.and(self.sprint);
            return keys;
        }
        // Who has just come down leaps on at once, or not.
        let was_leaping = self.sprint.take().is_some();
        if walk.now < self.sprint_after && !was_leaping || !self.may_leap(walk, index) {
            return None;
        }
        self.sprint_after = walk.now + SPRINT_AGAIN_MS;
        let origin = walk.body().origin;
        let is_straight = |leg: &Leg| leg.travel == Travel::Walk && flat(leg.to - origin).length() < SPRINT_FAR;
        let ahead = self.legs[index..].iter().take(SPRINT_LEGS).take_while(|leg| is_straight(leg)).count();
        let far = (index..index + ahead).rev().filter(|leg| flat(self.legs[*leg].to - origin).length() > SPRINT_NEAR);
        for leg in far.take(SPRINT_TRIES) {
            let sprint = Sprint { from: origin, to: self.legs[leg].to };
            if !is_walkable(walk, walk.scene, origin, sprint.to) {
                continue;
            }
            let keys = sprint.leap(walk.body(), &walk.setting(), walk.frame_ms, |body| is_harmed(walk, body))?;
            self.sprint = Some(sprint);
            self.cut_short(walk, leg);
            return Some(keys);
        }
        None
    }

    /// He runs, on firm ground, along his way, and sees nobody.
    fn may_leap(&self, walk: &Walk, index: usize) -> bool {
        let body = walk.body();
        let leg = self.legs[index];
        let along = flat(leg.to - body.origin).normalize_or_zero();
        let is_firm = matches!(body.ground, Ground::Floor { entity: None, .. }) && body.immersion.level == 0;
        walk.convars.leaps > 0
            && leg.travel == Travel::Walk
            && self.manner.gait == Gait::Run
            && is_firm
            && !body.jump_is_held
            && body.stance == Stance::Standing
            && flat(body.velocity).dot(along) > body.speed as f32 * SPRINT_SPEED
            && walk.concerns.memory.is_none_or(|memory| memory.in_sight().next().is_none())
    }

    /// A door that something else opens: that first. Who would need it to get to it cannot pass.
    fn lay_opener(&mut self, walk: &Walk, index: usize, doubts: &mut Doubts) {
        let link = index.checked_sub(self.approach).and_then(|index| self.route.links.get(index)).copied();
        let opener = link.map_or(MoverId::NONE, |id| walk.field.terrain.links.links[id.index()].opener);
        if opener.is_none() || self.presses >= PRESSES_MAX || !self.stones.push(Stone::Opener(opener)) {
            self.trouble = Some(Trouble::Shut(opener));
            self.detour(doubts, walk.now);
        }
        // A door that is shot itself, and what breaks, is shot from where one stands before it: where it opens is inside it.
        let is_itself = link.is_some_and(|id| walk.field.terrain.links.links[id.index()].mover == opener);
        let is_laid = self.stones.top() == Some(Stone::Opener(opener));
        self.stage = if is_itself && is_laid { Stage::Pressing(walk.now) } else { Stage::Unplanned };
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

    /// Runs into the button, or shoots at the target; then on, whether it opened will be seen.
    fn open(&mut self, walk: &Walk, since: Time) -> Option<Keys> {
        let Some(Stone::Opener(mover)) = self.stones.top() else {
            self.stage = Stage::Unplanned;
            return None;
        };
        let spot = walk.field.terrain.movers.get(mover)?;
        let spent = walk.now - since;
        let body = walk.body();
        let is_shot = spot.opens_by == OpensBy::Shot;
        let is_pressed = spent > AGAINST_MS && flat(body.velocity).length() < AGAINST || spent > PRESS_MS;
        if is_shot && spent > SHOOT_MS || !is_shot && is_pressed {
            self.presses += 1;
            self.pressed_at = walk.now;
            self.stones.pop();
            self.stage = Stage::Unplanned;
            return None;
        }
        if !is_shot {
            let way = flat(spot.aim - body.origin).normalize_or_zero();
            return Some(walk.urge(way * body.speed as f32));
        }
        let aim = spot.aim - body.eye();
        let pitch = -maths::atan2(aim.z, flat(aim).length()).to_degrees();
        let yaw = maths::atan2(aim.y, aim.x).to_degrees();
        Some(Keys { look: Some([pitch, yaw]), attacks: true, ..walk.urge(Vec3::ZERO) })
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

    /// Where the lift is boarded that one has yet to board.
    fn boarding(&self, walk: &Walk) -> Option<Vec3> {
        let walker = self.follower.as_ref()?.walker();
        let leg = walker.leg();
        let is_lift = matches!(leg.travel, Travel::Lift | Travel::Train) && !walker.is_under_way();
        let is_carried = matches!(walk.body().ground, Ground::Floor { entity: Some(_), .. });
        leg.via.filter(|_| is_lift && !is_carried)
    }

    /// The lift that one has yet to board.
    pub(super) fn awaited(&self, walk: &Walk) -> Option<EntityId> {
        let follower = self.follower?;
        if self.stage == Stage::Following && self.waits_before_lift(walk, follower.index()) {
            return self.legs[follower.index() + 1].mover;
        }
        self.boarding(walk).and_then(|_| follower.walker().leg().mover)
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

/// He stands where links lead on, but none to there, nor is anything near from which they do: who has dropped down somewhere
/// since he chose his goal has to want something else. The nearest waypoint that leads there may be at the other end of the
/// map, with all its walls in between. Who stands off the mesh goes straight for it all the same: he may be on a ledge.
fn is_marooned(walk: &Walk, goal: WaypointId) -> bool {
    let terrain = &walk.field.terrain;
    let origin = walk.body().origin;
    let is_on_mesh = |near: &Near| near.by == NearBy::Ground && terrain.links.ids_from(near.waypoint).next().is_some();
    terrain.nearest(origin).is_some_and(|near| is_on_mesh(&near) && !terrain.islands.connect(near.waypoint, goal))
        && terrain.nearest_towards(origin, goal).is_some_and(|near| near.distance > STRAIGHT)
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
