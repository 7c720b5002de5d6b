//! Moving in a fight: at the distance that suits the weapon, never straight for long.
//!
//! The distance is the one at which the bot's best weapon does most for each point it takes, by `gunnery`. Sideways steps
//! change after an irregular while, shorter than missiles fly; less skilled bots stand instead, now and then. Where running
//! spoils the aim, a soldier stops to shoot, kneels or not, and steps aside in between.
//!
//! What legs do is decided in turns, when they change is drawn in milliseconds and looked at every frame: turns come ten a second
//! and for many bots in the same frame, and nobody should hear them march.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::movement::Stance;
use fireteam_world::pcg::Pcg;
use fireteam_world::units::{EntityId, Time};

use super::shoot::is_spared_on_line;
use super::{Behaviour, Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::gunnery;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::Threat;
use crate::perceive::{Keenness, Sense};
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Manoeuvre {
    dance: Option<Dance>,
    step: Step,
    /// Whom the fight is with, and if he is down, until when it goes on as it went.
    enemy: Option<EntityId>,
    breath: Option<Time>,
    /// Where it goes to get nearer, and when that was decided.
    towards: Option<(WaypointId, Time)>,
    /// Lying, since when somebody to be spared has been on its line.
    barred_since: Option<Time>,
}

/// Whom it moves about before, and at which distance it would.
#[derive(Clone, Copy, Debug)]
struct Dance {
    with: EntityId,
    wanted: f32,
}

/// What the legs are at.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    until: Time,
    /// The side that was stepped to last: 1 is the left, -1 the right, 0 neither.
    side: f32,
    stands: bool,
    /// It jumps as it goes this way.
    hops: bool,
    /// It kneels from then on.
    kneels: Option<Time>,
}

/// Distances that are weighed against each other.
const RANGES: [f32; 5] = [60.0, 150.0, 300.0, 500.0, 800.0];
/// This near to the wanted distance is near enough.
const SLACK: f32 = 80.0;
/// Farther off than this, one runs there by the way instead of dancing.
const FAR: f32 = 260.0;
/// How often a running approach looks where the enemy went.
const APPROACH_MS: i32 = 600;
/// Degrees by which running spoils a weapon so much that one stands still to fire it far off.
const SPOILT: f32 = 1.0;
const STAND_RANGE: f32 = 220.0;
/// Nearer than this, whoever lies gets up.
const LIE_RANGE: f32 = 350.0;
/// Who lies waits so long for somebody to be spared to walk off his line: at a stroll, across the width he is given. Then he
/// gets up: on his feet he steps aside and has another line.
const BARRED_MS: i32 = 1000;
/// How likely the side changes with each step.
const CHANGES: f32 = 0.65;
/// Who stands to shoot does so for so many milliseconds, kneels so often, and not before so many of them are over.
const STAND_MS: (f32, f32) = (500.0, 1600.0);
const KNEELS: f32 = 0.6;
const KNEEL_MS: f32 = 900.0;
/// Faster to one side than this is going there, in units a second.
const GOING: f32 = 60.0;
/// After so long without one a fight is a new one.
const ANEW_MS: i32 = 1000;
/// The first step to a side comes so many milliseconds later at the most: mates see an enemy come round a corner in the same
/// frame, and would set out together.
const SETS_OUT_MS: f32 = 400.0;
/// Whose enemy falls goes on as he went for so many milliseconds at the most: mates who shot at him know of it in the same frame,
/// and would turn away from the fight together.
const BREATH_MS: f32 = 400.0;

impl Behaviour for Manoeuvre {
    fn name(&self) -> &'static str {
        "manoeuvring"
    }

    fn bid(&mut self, view: &View, limbs: &mut Limbs) -> Option<Bid> {
        // There is no stepping about on a ladder, and no worse place to stay: on, and shoot meanwhile.
        if view.own.body.ladder.is_some() {
            return None;
        }
        let reason = match target(view) {
            Some(threat) => {
                self.breath = None;
                words!("a fight with player {}", threat.entity.0)
            }
            None => {
                let fallen = self.fallen(view)?;
                let until = *self.breath.get_or_insert_with(|| view.now + limbs.chance.range(0.0, BREATH_MS) as i32);
                if view.now >= until {
                    return None;
                }
                words!("player {} is down", fallen.0)
            }
        };
        Some(Bid { channels: Channels::LEGS, band: Band::Fight, score: 0.7, reason })
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        self.dance = None;
        let Some(threat) = target(view) else {
            return if self.breath.is_some() { Outcome::Continue } else { Outcome::Done(words!("nobody in sight")) };
        };
        self.enemy = Some(threat.entity);
        let range = threat.place.distance(view.origin());
        // Whoever lies already hits from there, and would be shot getting up.
        if view.own.body.stance == Stance::Prone && range > LIE_RANGE && !self.is_barred(view, threat) {
            limbs.legs.lie("shoots lying");
            return Outcome::Continue;
        }
        let wanted = wanted_range(view, threat);
        if range > wanted + FAR && self.approach(view, limbs, threat) {
            return Outcome::Continue;
        }
        self.towards = None;
        self.dance = Some(Dance { with: threat.entity, wanted });
        Outcome::Continue
    }

    fn end(&mut self, _: &View, _: &mut Limbs) {
        (self.dance, self.barred_since) = (None, None);
        (self.enemy, self.breath) = (None, None);
    }

    fn aim(&mut self, view: &View, limbs: &mut Limbs) {
        let Some(dance) = self.dance else { return };
        let Some(threat) = view.memory.threat(dance.with) else { return };
        let range = threat.place.distance(view.origin());
        let weapon = view.field.arsenal.weapon(view.own.weapon);
        let is_spoilt = weapon.moving_spread_degrees >= SPOILT && range > STAND_RANGE;
        if view.now >= self.step.until {
            let across = view.own.body.velocity.dot(left_of(threat.place - view.origin()));
            self.step = self.step.next(view, limbs, across, is_spoilt);
        }
        self.tread(view, limbs, threat, dance.wanted, is_spoilt);
    }

    fn forget(&mut self) {
        *self = Manoeuvre::default();
    }
}

/// Whom the fight is with: the worst in sight, or else who was a moment ago and may be again in the next.
fn target<'a>(view: &View<'a>) -> Option<&'a Threat> {
    let just_lost = || {
        // The last look is as old as news of it takes.
        let lag_ms = Keenness::of(view.character.skill, view.convars).reaction_ms;
        let since = view.now + -(view.convars.fight_linger_ms + lag_ms);
        view.worst(view.memory.seen_since(since).filter(|threat| threat.by == Sense::Sight))
    };
    view.worst(view.memory.in_sight()).or_else(just_lost)
}

impl Manoeuvre {
    /// Whom it fought until he fell.
    fn fallen(&self, view: &View) -> Option<EntityId> {
        self.enemy.filter(|enemy| view.memory.threat(*enemy).is_none_or(|threat| threat.is_dead))
    }

    /// Whether somebody to be spared has been on the line for longer than one waits.
    fn is_barred(&mut self, view: &View, threat: &Threat) -> bool {
        let way = threat.place - view.eye();
        if !is_spared_on_line(view, view.eye(), way.normalize_or_zero(), way.length()) {
            self.barred_since = None;
            return false;
        }
        view.now - *self.barred_since.get_or_insert(view.now) >= BARRED_MS
    }

    /// Runs nearer; false if there is no way.
    fn approach(&mut self, view: &View, limbs: &mut Limbs, threat: &Threat) -> bool {
        if self.towards.is_none_or(|(_, since)| view.now - since > APPROACH_MS) {
            let near = view.field.terrain.nearest(threat.place).map(|near| near.waypoint);
            self.towards = near.filter(|to| view.travel_ms(*to).is_some()).map(|to| (to, view.now));
        }
        let Some((to, _)) = self.towards else { return false };
        limbs.legs.go(Destination::Waypoint(to), Manner::RUN);
        !matches!(limbs.legs.state(), Travelling::Failed(_) | Travelling::Arrived)
    }

    /// This frame's part of the step.
    fn tread(&self, view: &View, limbs: &mut Limbs, threat: &Threat, wanted: f32, is_spoilt: bool) {
        let step = self.step;
        if step.stands {
            let kneels = is_spoilt && step.kneels.is_some_and(|from| view.now >= from);
            limbs.legs.stay(kneels, if is_spoilt { "who runs does not hit from here" } else { "stands to shoot" });
            return;
        }
        let way = threat.place - view.origin();
        let towards = Vec3::new(way.x, way.y, 0.0).normalize_or_zero();
        let across = left_of(way) * step.side;
        let radial = ((way.length() - wanted) / SLACK).clamp(-1.0, 1.0);
        let wish = (across + towards * radial).normalize_or_zero();
        limbs.legs.move_by(wish, step.hops, false);
    }
}

/// The way to the left for who looks that way.
fn left_of(way: Vec3) -> Vec3 {
    Vec3::new(-way.y, way.x, 0.0).normalize_or_zero()
}

impl Step {
    /// What comes next: all of it by the bot's own chance, its skill and which side it favours. Fights begin for several at once:
    /// whoever comes to one goes on to the side he was going to, or to none for a moment, and does not kneel at once.
    fn next(self, view: &View, limbs: &mut Limbs, across: f32, is_spoilt: bool) -> Step {
        let (convars, chance) = (view.convars, &mut *limbs.chance);
        let is_first = view.now - self.until > ANEW_MS;
        // Whoever sees the other first and stands hits first: with such a gun nobody begins with a step.
        let stands = is_spoilt && (is_first || chance.chance(convars.strafe_stands));
        if stands || !chance.chance(view.craft.dodge) {
            let (kneels, wait) = if is_first { (KNEELS * 0.5, KNEEL_MS * 2.0) } else { (KNEELS, KNEEL_MS) };
            let kneels = chance.chance(kneels).then(|| view.now + chance.range(0.0, wait) as i32);
            let until = view.now + chance.range(STAND_MS.0, STAND_MS.1) as i32;
            return Step { until, side: self.side, stands: true, hops: false, kneels };
        }
        let is_going = across.abs() > GOING;
        if is_first && !is_going {
            let until = view.now + chance.range(0.0, SETS_OUT_MS) as i32;
            return Step { until, side: 0.0, stands: false, hops: false, kneels: None };
        }
        let (least, most) = (convars.strafe_ms_min, convars.strafe_ms_max.max(convars.strafe_ms_min));
        Step {
            until: view.now + chance.range(least, most) as i32,
            side: if is_first { across.signum() } else { self.side_after(view, chance) },
            stands: false,
            hops: chance.chance(convars.strafe_hops),
            kneels: None,
        }
    }

    /// The side of the next step. A share (1 + h) / 2 of all steps goes to the right if the left is given up (1 + h) / (1 - h)
    /// times as readily.
    fn side_after(self, view: &View, chance: &mut Pcg) -> f32 {
        let favoured = view.leanings.handedness;
        let (is_left, draw) = match self.side {
            side if side > 0.0 => (true, CHANGES * (1.0 + favoured)),
            side if side < 0.0 => (false, CHANGES * (1.0 - favoured)),
            _ => (true, 0.5 * (1.0 + favoured)),
        };
        if is_left != chance.chance(draw) { 1.0 } else { -1.0 }
    }
}

/// The distance at which the bot gains most by fighting.
fn wanted_range(view: &View, threat: &Threat) -> f32 {
    let arsenal = &view.field.arsenal;
    let gain = |range: f32| {
        let mine = gunnery::best(arsenal, view.own, range, view.marksman()).1;
        let theirs = threat.weapon.map_or(0.0, |weapon| gunnery::feared(arsenal, weapon, range));
        mine / (theirs + HARM_MIN)
    };
    RANGES.into_iter().max_by(|a, b| gain(*a).total_cmp(&gain(*b))).unwrap_or(RANGES[2])
}

/// Points a second that are feared of anyone.
const HARM_MIN: f32 = 15.0;
