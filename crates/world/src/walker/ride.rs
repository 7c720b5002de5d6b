//! Being carried: pads, teleporters, lifts, trains; and doors, which are waited for.
//!
//! Where a mover is, is seen in the scene as a player would see it: there is footing at the place where it is boarded,
//! or there is not. Nothing here knows its clock.

use glam::Vec3;

use super::keys::yaw_of;
use super::{Keys, Moment, Stage, Walker, flat};
use crate::maths;
use crate::movement::{Ground, Player, Setting, Stance};
use crate::trace::Sweep;
use crate::units::EntityId;

/// Rising faster than by any jump: a pad has thrown.
const THROWN: f32 = 280.0;
/// Nobody walks that far in a frame.
const TELEPORTED: f32 = 96.0;
/// Waiting for a door or a lift is done this far off what one waits for.
const DOOR_ROOM: f32 = 24.0;
const WAIT_REACH: f32 = 16.0;

impl Walker {
    /// Into the pad, then where it throws.
    pub(super) fn be_thrown(&mut self, moment: &Moment) -> Keys {
        let player = moment.player;
        if self.stage == Stage::First && (player.pad.is_some() || player.velocity.z > THROWN) {
            self.enter(Stage::Under);
        }
        match self.stage {
            Stage::First => self.approach_via(moment),
            Stage::Under if player.ground.is_air() => self.steer_throw(moment),
            Stage::Under | Stage::Last => moment.urge(self.along_line(moment, player.origin, self.leg.to)),
        }
    }

    /// To the goal, if that is within what keys can do until then. Else the throw leads into another pad or a teleporter
    /// first, and is best left alone.
    fn steer_throw(&self, moment: &Moment) -> Keys {
        let wanted = self.landing_velocity(moment, self.leg.to);
        let missing = (wanted - flat(moment.player.velocity)).length();
        let seconds = moment.seconds_to_fall_to(self.leg.to.z);
        let gain = moment.setting.rules.air.accelerate * moment.top_speed();
        if missing > gain * seconds { Keys::NONE } else { moment.urge(wanted) }
    }

    pub(super) fn be_teleported(&mut self, moment: &Moment) -> Keys {
        let player = moment.player;
        let has_jumped = self.before.is_some_and(|before| (before - player.origin).length() > TELEPORTED);
        if self.stage == Stage::First && has_jumped {
            self.enter(Stage::Last);
        }
        match self.stage {
            Stage::First => self.approach_via(moment),
            Stage::Under | Stage::Last => moment.urge(self.along_line(moment, player.origin, self.leg.to)),
        }
    }

    /// At full speed into what the leg leads into, along the line that was proved.
    fn approach_via(&self, moment: &Moment) -> Keys {
        let via = self.leg.via.unwrap_or(self.leg.to);
        let line = self.along_line(moment, self.leg.from, via).normalize_or_zero();
        moment.urge(line * moment.top_speed())
    }

    /// Waits beside it, steps on, rides, steps off.
    pub(super) fn ride(&mut self, moment: &Moment) -> Keys {
        let player = moment.player;
        let rides =
            matches!(player.ground, Ground::Floor { entity: Some(entity), .. } if Some(entity) == self.leg.mover);
        if rides && self.stage == Stage::First {
            self.enter(Stage::Under);
        }
        let via = self.leg.via.unwrap_or(self.leg.to);
        match self.stage {
            Stage::First if self.can_board(moment, via) => {
                let wanted = self.along_line(moment, player.origin, via);
                moment.urge(wanted)
            }
            Stage::First => self.wait_at(moment, self.leg.from),
            Stage::Under if self.can_leave(moment) => {
                self.enter(Stage::Last);
                moment.urge(self.along_line(moment, player.origin, self.leg.to))
            }
            Stage::Under if rides => self.stand_on(moment, via),
            // It carries nobody now: fell off, or was lifted over the edge.
            Stage::Under if !player.ground.is_air() => {
                self.enter(Stage::Last);
                moment.urge(self.along_line(moment, player.origin, self.leg.to))
            }
            Stage::Under => Keys::NONE,
            Stage::Last => moment.urge(self.along_line(moment, player.origin, self.leg.to)),
        }
    }

    /// Whether what carries over the leg is where it is stepped on.
    pub fn can_be_boarded(&self, player: &Player, setting: &Setting) -> bool {
        let moment = Moment { player, setting, ms: 0 };
        self.leg.via.is_some_and(|via| self.can_board(&moment, via))
    }

    /// The mover is where it is stepped on: its top is at the height of the boarding place.
    fn can_board(&self, moment: &Moment, via: Vec3) -> bool {
        let rules = moment.setting.rules;
        let step = Vec3::new(0.0, 0.0, rules.step_height);
        let sweep = Sweep::hull(via + step, via - step, moment.player.hull(rules), moment.setting.mask);
        let scene = moment.setting.scene;
        let mover = scene.crowd.placed().iter().find(|placed| Some(placed.entity) == self.leg.mover);
        // The mover alone: where it rests level with the floor, a sweep of the scene would end at the floor.
        mover
            .map(|placed| scene.solids.sweep_placed(placed, &sweep))
            .is_some_and(|trace| trace.is_hit() && !trace.start_solid)
    }

    /// Level with the goal, and near enough to walk over.
    fn can_leave(&self, moment: &Moment) -> bool {
        let rules = moment.setting.rules;
        let origin = moment.player.origin;
        let rise = self.leg.to.z - origin.z;
        if rise.abs() > rules.step_height - 2.0 {
            return false;
        }
        let step = Vec3::new(0.0, 0.0, rules.step_height);
        let way = flat(self.leg.to - origin);
        let sweep = Sweep::hull(origin + step, origin + way + step, moment.player.hull(rules), moment.setting.mask);
        // Somebody who stands there is walked around: to wait for him on a lift keeps it where it is.
        let scene = moment.setting.scene;
        let trace = scene.sweep(&sweep, moment.setting.me);
        let is_body = trace.entity.is_some_and(|met| scene.crowd.bodies().iter().any(|body| body.entity == met));
        if trace.is_hit() && !is_body {
            return false;
        }
        // Something to step onto all the way: a gap may be as wide as a body.
        let count = (way.length() / GAP).ceil() as i32;
        (1..=count).all(|part| moment.has_floor(way * (part as f32 / count as f32), rules.step_height * 2.0))
    }

    /// Keeps to the boarding place as it moves.
    fn stand_on(&self, moment: &Moment, via: Vec3) -> Keys {
        let way = flat(via - moment.player.origin);
        let is_lift = flat(self.leg.to - self.leg.from).length() < FAR || self.leg.travel == super::Travel::Lift;
        if !is_lift || way.length() < WAIT_REACH {
            return moment.urge(Vec3::ZERO);
        }
        moment.urge(way.normalize_or_zero() * (way.length() * 4.0).min(moment.top_speed()))
    }

    fn wait_at(&self, moment: &Moment, place: Vec3) -> Keys {
        let way = flat(place - moment.player.origin);
        if way.length() < WAIT_REACH {
            return moment.urge(Vec3::ZERO);
        }
        moment.urge(way.normalize_or_zero() * (way.length() * 6.0).min(moment.top_speed()))
    }

    /// Walks, and stands still while the door is in the way.
    pub(super) fn pass_door(&mut self, moment: &Moment) -> Keys {
        let wanted = self.along_line(moment, self.leg.from, self.leg.to);
        match self.door_ahead(moment, wanted) {
            Some(distance) if distance < DOOR_ROOM => moment.urge(Vec3::ZERO),
            Some(_) | None => moment.urge(wanted),
        }
    }

    /// How far off a mover is that stands in the way.
    fn door_ahead(&self, moment: &Moment, wanted: Vec3) -> Option<f32> {
        let rules = moment.setting.rules;
        let reach = wanted.normalize_or_zero() * DOOR_ROOM * 2.0;
        // What is no higher than a step when it is open is walked over.
        let origin = moment.player.origin + Vec3::new(0.0, 0.0, rules.step_height);
        let hull = rules.hull(Stance::Crouched);
        let sweep = Sweep::hull(origin, origin + reach, hull, moment.setting.mask);
        let scene = moment.setting.scene;
        let trace = scene.sweep(&sweep, moment.setting.me);
        // A body behind an open door is no door: two that waited for each other would wait for ever.
        let is_door = trace.entity.is_some_and(|met| scene.crowd.placed().iter().any(|placed| placed.entity == met));
        (trace.is_hit() && is_door).then(|| trace.fraction * reach.length())
    }

    /// First the button, then the door.
    pub(super) fn open_and_pass(&mut self, moment: &Moment) -> Keys {
        let Some(opener) = self.leg.opener else { return self.pass_door(moment) };
        if self.stage == Stage::First && !self.way_is_shut(moment) {
            self.enter(Stage::Under);
        }
        if self.stage != Stage::First {
            if self.way_is_shut(moment) && self.idle_ms > SHUT_AGAIN_MS {
                self.enter(Stage::First);
            }
            return self.pass_door(moment);
        }
        if opener.is_shot {
            let aim = opener.aim - moment.player.eye();
            let pitch = -maths::atan2(aim.z, flat(aim).length()).to_degrees();
            let keys = self.wait_at(moment, opener.stand);
            return Keys { look: Some([pitch, yaw_of(aim)]), attacks: true, ..keys };
        }
        let way = flat(opener.aim - moment.player.origin);
        moment.urge(way.normalize_or_zero() * moment.top_speed())
    }

    /// Whether the leg leads through a door that something else opens, and the door is shut.
    pub fn needs_opener(&self, player: &Player, setting: &Setting) -> bool {
        let moment = Moment { player, setting, ms: 0 };
        self.leg.opener.is_some() && self.stage == Stage::First && self.way_is_shut(&moment)
    }

    /// Whether the mover stands between the two ends of the leg.
    fn way_is_shut(&self, moment: &Moment) -> bool {
        let rules = moment.setting.rules;
        let lifted = Vec3::new(0.0, 0.0, rules.step_height);
        let hull = rules.hull(Stance::Crouched);
        let sweep = Sweep::hull(self.leg.from + lifted, self.leg.to + lifted, hull, moment.setting.mask);
        let trace = moment.setting.scene.sweep(&sweep, moment.setting.me);
        trace.is_hit() && trace.entity.is_some_and(|entity: EntityId| Some(entity) == self.leg.mover)
    }
}

/// Gaps narrower than this are walked over.
const GAP: f32 = 24.0;
/// A ride that leads further sideways is no lift.
const FAR: f32 = 256.0;
/// After so long before a door that had been open, the button is pressed again.
const SHUT_AGAIN_MS: i32 = 1500;
