//! A walker tried out: one body in a map with its triggers and movers, frame by frame, as the game would run it.
//!
//! In: a [`Course`] (what does not change) and the commands. Out: where the body is, what it cost, what it set off.
//! The bake proves links so, and benches and tests follow routes. Movers are simulated only for who asks: a body that
//! has nothing to do with them is tried out between movers at rest, at a fraction of the cost.

use glam::Vec3;

use super::flat;
use crate::contents::Contents;
use crate::crowd::Crowd;
use crate::game::{Game, Side};
use crate::map::Map;
use crate::maths;
use crate::movement::{self, Buttons, Command, Event, Ground, MovementRules, Player, Setting, Step, Trigger};
use crate::mover::{Act, MotionKind, MoverEvent, Movers, Rider};
use crate::solids::Solids;
use crate::trace::{Bounds, Scene, Sweep};
use crate::units::{EntityId, Time};

/// Where walkers are tried out.
#[derive(Debug)]
pub struct Course<'a> {
    pub solids: &'a Solids,
    pub rules: &'a MovementRules,
    pub frame_ms: i32,
    pub mask: Contents,
    triggers: Vec<(Bounds, Trigger)>,
    movers: Movers,
    /// Movers as they stand when a level begins.
    rest: Crowd,
}

/// One body on its way.
#[derive(Debug)]
pub struct Outing<'a> {
    course: &'a Course<'a>,
    pub player: Player,
    pub cost: Cost,
    moving: Option<Moving>,
    near: Vec<Trigger>,
    spent_ms: i32,
}

/// What a way did to a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Health lost to falls, harm, and things that crush.
    pub damage: f32,
    /// Came to a trigger that sets something off, or ran into a mover: what follows depends on movers.
    pub meddled: bool,
    /// The first mover that was run into or stood on, of those that move.
    pub bumped: Option<EntityId>,
    pub was_thrown: bool,
    pub was_teleported: bool,
}

#[derive(Debug)]
struct Moving {
    movers: Movers,
    crowd: Crowd,
    now: Time,
    keys: u32,
}

/// The body's own number: no entity of a map has it.
const ME: EntityId = EntityId(u16::MAX);
/// Health lost a second and level of immersion.
const LAVA_DAMAGE: f32 = 30.0;
const SLIME_DAMAGE: f32 = 10.0;
/// What a button feels when it is shot.
const SHOT_DAMAGE: i32 = 5;
const SHOT_REACH: f32 = 8192.0;
/// A body's own size and what it may gain in speed within a frame.
const TRIGGER_ROOM: f32 = 96.0;

impl<'a> Course<'a> {
    pub fn new(map: &Map, solids: &'a Solids, game: &'a Game) -> Course<'a> {
        let rules = &game.rules.movement;
        let movers = Movers::of(map, game, Time(0));
        let triggers = Trigger::all_in(map, rules);
        Course {
            solids,
            rules,
            frame_ms: game.rules.frame_ms,
            mask: Contents::MASK_BOT,
            rest: Crowd::of(solids, movers.placed(), &[]),
            triggers: triggers.into_iter().map(|trigger| (solids.placed_bounds(&trigger.place), trigger)).collect(),
            movers,
        }
    }

    /// Every trigger that acts on bodies.
    pub fn triggers(&self) -> impl Iterator<Item = (&Bounds, &Trigger)> {
        self.triggers.iter().map(|(bounds, trigger)| (bounds, trigger))
    }

    /// Movers as they stand when a level begins.
    pub fn movers(&self) -> &Movers {
        &self.movers
    }

    /// Whether it is a mover that ever moves.
    fn moves(&self, entity: EntityId) -> bool {
        self.movers.state(entity).is_some_and(|report| {
            let turns = report.angles.kind != MotionKind::Stationary;
            turns || report.is_shootable || self.movers.stops(entity).len() > 1
        })
    }

    /// The map with its movers at rest.
    pub fn scene(&self) -> Scene<'_> {
        Scene { solids: self.solids, crowd: &self.rest }
    }

    pub fn setting<'s>(&'s self, scene: &'s Scene<'s>) -> Setting<'s> {
        Setting { scene, rules: self.rules, me: None, mask: self.mask }
    }
}

impl<'a> Outing<'a> {
    /// Among movers that rest.
    pub fn new(course: &'a Course<'a>, player: Player) -> Outing<'a> {
        Outing { course, player, cost: Cost::default(), moving: None, near: Vec::new(), spent_ms: 0 }
    }

    /// Among movers that move, from the level's start on. `keys` are those the body carries.
    pub fn among_movers(course: &'a Course<'a>, player: Player, keys: u32) -> Outing<'a> {
        let movers = course.movers.clone();
        let crowd = Crowd::of(course.solids, movers.placed(), &[]);
        let moving = Moving { movers, crowd, now: Time(0), keys };
        Outing { moving: Some(moving), ..Outing::new(course, player) }
    }

    /// Starts over as somebody else, in the memory of the last.
    pub fn restart(&mut self, player: Player) {
        self.player = player;
        self.cost = Cost::default();
        self.spent_ms = 0;
        if let Some(moving) = &mut self.moving {
            moving.movers.clone_from(&self.course.movers);
            moving.crowd.set(self.course.solids, moving.movers.placed(), &[]);
            moving.now = Time(0);
        }
    }

    /// Milliseconds since the start.
    pub fn spent_ms(&self) -> i32 {
        self.spent_ms
    }

    pub fn movers(&self) -> Option<&Movers> {
        self.moving.as_ref().map(|moving| &moving.movers)
    }

    /// Lets movers run for a while with nobody among them.
    pub fn let_pass(&mut self, ms: i32) {
        let Some(moving) = &mut self.moving else { return };
        let end = moving.now + ms;
        while moving.now < end {
            moving.now = moving.now + self.course.frame_ms;
            moving.movers.advance(moving.now, self.course.solids, &mut [], &[]);
        }
        moving.crowd.set(self.course.solids, moving.movers.placed(), &[]);
    }

    /// What the walker sees: calls `press` with the scene as it is now and carries out its command.
    pub fn frame<T>(&mut self, press: impl FnOnce(&Player, &Setting, i32) -> (Command, T)) -> T {
        let course = self.course;
        let crowd = self.moving.as_ref().map_or(&course.rest, |moving| &moving.crowd);
        let scene = Scene { solids: course.solids, crowd };
        let me = self.moving.as_ref().map(|_| ME);
        let setting = Setting { scene: &scene, rules: course.rules, me, mask: course.mask };
        let (command, answer) = press(&self.player, &setting, course.frame_ms);
        gather_near(course, &self.player, &mut self.near);
        let step = movement::frame(&self.player, &command, course.frame_ms, &setting, &self.near);
        let shot = command.buttons.meets(Buttons::ATTACK).then(|| shot_at(&step.player, &setting)).flatten();
        self.player = step.player;
        self.spent_ms += course.frame_ms;
        self.count(&step);
        if self.moving.is_some() {
            self.run_movers(&step, shot);
        } else if let Some(bumped) = step.touched.iter().find(|entity| course.moves(*entity)) {
            self.cost.bumped = self.cost.bumped.or(Some(bumped));
            self.cost.meddled = true;
        }
        answer
    }

    fn count(&mut self, step: &Step) {
        let seconds = self.course.frame_ms as f32 * 0.001;
        for event in step.events.iter() {
            match event {
                Event::Landed { damage, .. } => self.cost.damage += damage as f32,
                // Bites once a second, like liquids do.
                Event::Hurt { damage, .. } => self.cost.damage += damage as f32 * HURT_BITES * seconds,
                Event::Launched { .. } => self.cost.was_thrown = true,
                Event::Teleported { .. } => self.cost.was_teleported = true,
                Event::Fired { .. } => self.cost.meddled = true,
                Event::Jumped
                | Event::SteppedUp { .. }
                | Event::Footfall(_)
                | Event::EnteredWater
                | Event::LeftWater
                | Event::WentUnder
                | Event::CameUp => {}
            }
        }
        let immersion = step.player.immersion;
        let bite = if immersion.contents.meets(Contents::LAVA) {
            LAVA_DAMAGE
        } else if immersion.contents.meets(Contents::SLIME) {
            SLIME_DAMAGE
        } else {
            0.0
        };
        self.cost.damage += bite * f32::from(immersion.level) * seconds;
    }

    fn run_movers(&mut self, step: &Step, shot: Option<EntityId>) {
        let course = self.course;
        let Some(moving) = &mut self.moving else { return };
        let mut acts = [Act::Used { mover: ME }; ACTS_MAX];
        let bumps = step.touched.iter().map(|mover| Act::Bumped { rider: ME, mover });
        let shots = shot.map(|mover| Act::Shot { mover, damage: SHOT_DAMAGE });
        let mut count = 0;
        for (place, act) in acts.iter_mut().zip(bumps.chain(shots)) {
            *place = act;
            count += 1;
        }
        let player = &mut self.player;
        let ground = match player.ground {
            Ground::Floor { entity, .. } => entity,
            Ground::Air => None,
        };
        let mut riders = [Rider {
            entity: ME,
            origin: player.origin,
            hull: player.hull(course.rules),
            ground,
            turned: 0.0,
            is_alive: true,
            is_player: true,
            side: Side::Anyone,
            keys: moving.keys,
        }];
        moving.now = moving.now + course.frame_ms;
        let events = moving.movers.advance(moving.now, course.solids, &mut riders, &acts[..count]);
        for event in events {
            match event {
                MoverEvent::Crushed { damage, .. } => self.cost.damage += *damage as f32,
                MoverEvent::Launched { velocity, .. } => {
                    player.velocity = *velocity;
                    self.cost.was_thrown = true;
                }
                MoverEvent::Started(_)
                | MoverEvent::Stopped(_)
                | MoverEvent::Removed { .. }
                | MoverEvent::Fired { .. }
                | MoverEvent::Broke(_)
                | MoverEvent::Locked { .. } => {}
            }
        }
        let [rider] = riders;
        player.carry(rider.origin - player.origin, rider.turned);
        moving.crowd.set(course.solids, moving.movers.placed(), &[]);
    }
}

const ACTS_MAX: usize = 33;
/// How often a second a trigger that hurts does.
const HURT_BITES: f32 = 10.0;

/// The triggers a body may touch in its next frame.
fn gather_near(course: &Course, player: &Player, near: &mut Vec<Trigger>) {
    near.clear();
    let reach = Vec3::splat(TRIGGER_ROOM) + player.velocity.abs() * (course.frame_ms as f32 * 0.001);
    let around = Bounds { mins: player.origin - reach, maxs: player.origin + reach };
    near.extend(course.triggers.iter().filter(|(bounds, _)| bounds.meets(&around)).map(|(_, trigger)| *trigger));
}

/// The mover that a bullet hits.
fn shot_at(player: &Player, setting: &Setting) -> Option<EntityId> {
    let ahead = maths::game_axes(player.view.x, player.view.y, 0.0).forward;
    let sweep = Sweep::ray(player.eye(), player.eye() + ahead * SHOT_REACH, Contents::MASK_SHOT);
    setting.scene.sweep(&sweep, setting.me).entity
}

impl Cost {
    /// Whether a body that began with `health` would have lived.
    pub fn is_survived_with(&self, health: i32) -> bool {
        self.damage < health as f32
    }
}

/// How far two origins are apart over ground.
pub fn flat_distance(a: Vec3, b: Vec3) -> f32 {
    flat(a - b).length()
}
