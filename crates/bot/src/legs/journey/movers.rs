//! Doors, lifts and what opens them: looked at, waited for, walked against, pressed or shot, and given up.
//!
//! In: the legs of a journey and where movers are believed to be. Out: keys, or a stepping stone, or that this way is none.
//! Not here: what is believed of movers (`memory`), how a door's leg or a lift's is walked (`world::walker`).

use fireteam_terrain::{MoverId, OpensBy, WaypointFlags, WaypointId};
use fireteam_world::Vec3;
use fireteam_world::maths;
use fireteam_world::movement::Ground;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::walker::{Keys, Leg, Travel, Walker};

use super::{Journey, PRESSES_MAX, Stage, facing, mover_of};
use crate::legs::doubts::Doubts;
use crate::legs::{Stone, Trouble, Walk, flat};

/// An opener is run at for so long, at most; a target is shot at for so long.
const PRESS_MS: i32 = 1500;
const SHOOT_MS: i32 = 700;
/// Slower than this after a moment, one is up against the button.
const AGAINST: f32 = 20.0;
const AGAINST_MS: i32 = 250;
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

/// How near one came to the end of a leg, and for how long one has pressed on since and come no nearer. Kept over new plans:
/// whoever runs after somebody makes one twice a second, by the same door.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Headway {
    pub(super) to: Option<Vec3>,
    pub(super) nearest: f32,
    pub(super) in_vain_ms: i32,
}

impl Journey {
    /// The mover of this leg or the next has been seen since they were laid, and is called otherwise than thought.
    pub(super) fn misnames_mover(&self, walk: &Walk, index: usize) -> bool {
        let is_misnamed = |index: usize| {
            let link = index.checked_sub(self.approach).and_then(|index| self.route.links.get(index));
            let mover = link.and_then(|id| mover_of(walk, *id));
            mover.is_some() && self.legs.get(index).is_some_and(|leg| leg.mover != mover)
        };
        is_misnamed(index) || is_misnamed(index + 1)
    }

    /// Doors that this body cannot open.
    pub(super) fn list_shut(&mut self, walk: &Walk) {
        self.shut.clear();
        if walk.own.keys == 0 {
            let locked = walk.field.terrain.movers.spots.iter().enumerate();
            let locked = locked.filter(|(_, spot)| spot.opens_by == OpensBy::Key);
            self.shut.extend(locked.map(|(index, _)| MoverId::from(index)));
        }
    }

    /// Who stands before a door or a lift looks at it: it may have come while his eyes were elsewhere. A door that still
    /// seems shut is then walked against, which tells whether it is. Who runs against one that he thinks open looks too: it has
    /// shut behind somebody, or the lift that he thinks is down went up with somebody else.
    pub(super) fn attend(&mut self, walk: &Walk, index: usize, keys: Keys) -> Keys {
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
    pub(super) fn what_should_move(&self, walk: &Walk, index: usize) -> Option<(Vec3, bool)> {
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
    pub(super) fn is_held_up(&mut self, walk: &Walk, index: usize, keys: &Keys) -> bool {
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
    pub(super) fn waits_before_lift(&self, walk: &Walk, index: usize) -> bool {
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
    pub(super) fn is_under_lift(&self, walk: &Walk) -> bool {
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

    /// A door that something else opens: that first. Who would need it to get to it cannot pass.
    pub(super) fn lay_opener(&mut self, walk: &Walk, index: usize, doubts: &mut Doubts) {
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

    /// Runs into the button, or shoots at the target; then on, whether it opened will be seen.
    pub(super) fn open(&mut self, walk: &Walk, since: Time) -> Option<Keys> {
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

    /// Where the lift is boarded that one has yet to board.
    pub(super) fn boarding(&self, walk: &Walk) -> Option<Vec3> {
        let walker = self.follower.as_ref()?.walker();
        let leg = walker.leg();
        let is_lift = matches!(leg.travel, Travel::Lift | Travel::Train) && !walker.is_under_way();
        let is_carried = matches!(walk.body().ground, Ground::Floor { entity: Some(_), .. });
        leg.via.filter(|_| is_lift && !is_carried)
    }

    /// The lift that one has yet to board.
    pub(in crate::legs) fn awaited(&self, walk: &Walk) -> Option<EntityId> {
        let follower = self.follower?;
        if self.stage == Stage::Following && self.waits_before_lift(walk, follower.index()) {
            return self.legs[follower.index() + 1].mover;
        }
        self.boarding(walk).and_then(|_| follower.walker().leg().mover)
    }
}
