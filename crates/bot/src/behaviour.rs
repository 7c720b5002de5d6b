//! Behaviours: each looks at what the bot believes, bids for a goal with a reason, and carries it out if it wins.
//!
//! One file a behaviour. [`standard`] is the list a soldier has; whoever builds a game adds his own ([`Behaviour`] is
//! open) without touching ours. A behaviour holds the state of its own goal and its deadlines, nothing else; it reads a
//! [`View`] (beliefs, own body, terrain) and moves [`Limbs`]. It never sees a snapshot.
//!
//! The calls, in the order of a bot's turn: `bid` every turn; `begin` when it wins its channels, `update` every turn while it
//! has them, `end` when it loses them. `aim` and `fire` come every frame: before the view turns and after.

mod bear;
mod blinded;
mod camp;
mod covering;
mod duty;
mod escort;
mod evade;
mod explore;
mod fetch;
mod guard;
mod hide;
mod hunt;
mod keep;
mod lying;
mod manoeuvre;
mod occupy;
mod open;
mod pick_up;
mod posts;
mod recover;
mod refuge;
mod reload;
mod retreat;
mod roam;
mod seize;
mod shoot;
mod unlock;
mod watch;

use std::fmt;

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::pcg::Pcg;
use fireteam_world::trace::Scene;
use fireteam_world::units::{EntityId, Time};

use crate::aim::Aim;
use crate::character::{Character, Leanings};
use crate::command::Hands;
use crate::convar::ConVars;
use crate::craft::Craft;
use crate::field::Field;
use crate::goal::{Bid, Outcome};
use crate::grenades::Barred;
use crate::gunnery::Marksman;
use crate::legs::Legs;
use crate::memory::{Memory, Threat};
use crate::mood::Mood;
use crate::perceive::{Keenness, Mates};
use crate::snapshot::{Own, Power, WeaponId};
use crate::team::{Claim, TeamMind};

/// What a behaviour may know: the bot's beliefs, its body, and what is known of the map.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub now: Time,
    pub frame_ms: i32,
    /// How long others go on before a shot leaves that is pressed now.
    pub shot_lag_ms: i32,
    pub own: &'a Own,
    pub character: &'a Character,
    /// What its grade of skill is worth.
    pub craft: Craft,
    pub leanings: Leanings,
    pub memory: &'a Memory,
    pub mates: Mates<'a>,
    pub team: &'a TeamMind,
    pub mood: &'a Mood,
    pub field: &'a Field,
    pub convars: &'a ConVars,
    /// The map with movers and players where they are believed to be.
    pub scene: Scene<'a>,
    /// The waypoint the bot is at.
    pub here: WaypointId,
    /// Weapons it must leave alone.
    pub barred: Barred,
}

impl View<'_> {
    pub fn eye(&self) -> Vec3 {
        self.own.body.eye()
    }

    pub fn origin(&self) -> Vec3 {
        self.own.body.origin
    }

    /// Milliseconds to a waypoint; none if no way leads there, or none back.
    pub fn travel_ms(&self, to: WaypointId) -> Option<u32> {
        let islands = &self.field.terrain.islands;
        if islands.is_trap(to) && !islands.is_trap(self.here) {
            return None;
        }
        self.field.terrain.times.about_ms(self.here, to)
    }

    /// How well this bot shoots.
    pub fn marksman(&self) -> Marksman {
        let skill = self.character.skill;
        let lag_ms = Keenness::of(skill, self.convars).reaction_ms;
        let error = crate::aim::settled_error(skill, self.convars) * self.sway();
        let (habit, throwing) = (self.craft.habit, 1.0 + self.leanings.throwing);
        Marksman { error, lag_s: lag_ms as f32 * 0.001, habit, throwing, barred: self.barred }
    }

    /// How much more than others of its grade its hand errs.
    pub fn sway(&self) -> f32 {
        1.0 - self.leanings.steadiness
    }

    /// Chance that it minds a noise.
    pub fn heed(&self) -> f32 {
        self.craft.heed * (1.0 + self.leanings.curiosity)
    }

    /// Whether the bot is allowed a weapon.
    pub fn may_use(&self, weapon: WeaponId) -> bool {
        !self.barred.holds(weapon)
    }

    /// The living threat that matters most, among those that were seen less than `age_ms` ago.
    pub fn threat_within(&self, age_ms: i32) -> Option<&Threat> {
        heaviest(self.threats_within(age_ms))
    }

    /// Living threats that were seen less than `age_ms` ago.
    pub fn threats_within(&self, age_ms: i32) -> impl Iterator<Item = &Threat> {
        self.memory.seen_since(self.now + -age_ms)
    }

    /// Whoever of these matters most.
    fn worst<'t>(&self, threats: impl Iterator<Item = &'t Threat>) -> Option<&'t Threat> {
        let weighed = threats.map(|threat| (self.menace(threat), threat));
        weighed.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, threat)| threat)
    }

    /// How much a threat matters now, to this bot where it stands.
    pub fn menace(&self, threat: &Threat) -> f32 {
        menace(threat, self.origin(), self.now, self.convars)
    }
}

/// Of threats that were weighed when the turn began, the one that matters most: in a large match dozens are known, and several
/// behaviours ask for the worst of them.
fn heaviest<'t>(threats: impl Iterator<Item = &'t Threat>) -> Option<&'t Threat> {
    threats.max_by(|a, b| a.menace.total_cmp(&b.menace))
}

/// How much a threat matters to somebody: near, in sight, looking this way, shooting, nearly dead, with our flag on his back.
pub(crate) fn menace(threat: &Threat, origin: Vec3, now: Time, convars: &ConVars) -> f32 {
    danger(threat, origin, now, convars) + if Power::Bearer.is_in(threat.powers) { BEARER } else { 0.0 }
}

fn danger(threat: &Threat, origin: Vec3, now: Time, convars: &ConVars) -> f32 {
    let distance = threat.place.distance(origin).max(1.0);
    // Whoever is out of sight may look anywhere by now.
    if !threat.in_sight {
        return -0.2 * threat.age_ms(now) as f32 - distance * 0.6;
    }
    let faces = crate::aim::off(threat.yaw, crate::aim::yaw_to(origin - threat.place));
    let turned = 200.0 * (1.0 - faces / 180.0);
    let firing = if threat.is_firing { 150.0 } else { 0.0 };
    1000.0 + turned + firing + threat.wounds * convars.fight_finish - distance * 0.6
}

/// A bearer matters as much as somebody this much nearer, by the weight of distance: he takes the flag away.
const BEARER: f32 = 300.0;

/// What a behaviour may move.
#[derive(Debug)]
pub struct Limbs<'a> {
    pub legs: &'a mut Legs,
    pub aim: &'a mut Aim,
    pub hands: &'a mut Hands,
    pub chance: &'a mut Pcg,
}

/// One way of behaving. Whatever is `Clone` can be one: minds are copied to be thought on apart ([`Fork`]).
pub trait Behaviour: fmt::Debug + Send + Fork {
    /// As it stands in the journal: `starts NAME`.
    fn name(&self) -> &'static str;

    /// What it wants now, if anything. To go on wanting is to bid again.
    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid>;

    fn begin(&mut self, _view: &View, _limbs: &mut Limbs) {}

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome;

    /// Its channels are gone, for now or for good.
    fn end(&mut self, _view: &View, _limbs: &mut Limbs) {}

    /// Every frame, before the view turns: where to look.
    fn aim(&mut self, _view: &View, _limbs: &mut Limbs) {}

    /// Every frame, after the view turned: whether to fire.
    fn fire(&mut self, _view: &View, _limbs: &mut Limbs) {}

    /// What it is on its way to that only one can have, for mates to hear of; asked while it has its channels.
    fn claim(&self) -> Option<Claim> {
        None
    }

    /// A new life: whatever it was at is over.
    fn forget(&mut self) {}
}

/// Behaviours are held as `Box<dyn Behaviour>`, which cannot be `Clone` by itself; whoever derives `Clone` has this for nothing.
pub trait Fork {
    /// A behaviour that is at the same point and goes on by itself.
    fn fork(&self) -> Box<dyn Behaviour>;
}

impl<T: Behaviour + Clone + 'static> Fork for T {
    fn fork(&self) -> Box<dyn Behaviour> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Behaviour> {
    fn clone(&self) -> Box<dyn Behaviour> {
        (**self).fork()
    }
}

/// What every soldier does, the quickest to hurt first.
pub fn standard() -> Vec<Box<dyn Behaviour>> {
    vec![
        Box::new(evade::Evade::default()),
        Box::new(blinded::Blinded::default()),
        Box::new(retreat::Retreat::default()),
        Box::new(hide::Hide::default()),
        Box::new(shoot::Shoot::default()),
        Box::new(manoeuvre::Manoeuvre::default()),
        Box::new(covering::Covering::default()),
        Box::new(hunt::Hunt::default()),
        Box::new(bear::Bear::default()),
        Box::new(recover::Recover::default()),
        Box::new(seize::Seize::default()),
        Box::new(escort::Escort::default()),
        Box::new(guard::Guard::default()),
        Box::new(occupy::Occupy::default()),
        Box::new(keep::Keep::default()),
        Box::new(unlock::Unlock::default()),
        Box::new(open::Open),
        Box::new(reload::Reload),
        Box::new(fetch::Fetch::default()),
        Box::new(pick_up::PickUp::default()),
        Box::new(watch::Watch::default()),
        Box::new(camp::Camp::default()),
        Box::new(roam::Roam::default()),
        Box::new(explore::Explore::default()),
    ]
}

/// Numbers that name what is looked at, so that aim knows a new thing from the old: players have their own.
const LOOK_THINGS: u32 = 1 << 16;

/// The number of a player as a thing to look at.
fn look_of(entity: EntityId) -> u32 {
    u32::from(entity.0)
}
