//! What one frame shows of one bot, as far as the rules ask: its body as it truly was, who it believed to see, what its legs
//! were at, and what lay about it.
//!
//! In: a snapshot, the bots after they thought about it, and what they pressed. Out: a [`Glance`] for each that lives. "In sight" is what the
//! bot believes, "in view" is a clear line in the map, doors left out.

use fireteam::aim::{off, yaw_to};
use fireteam::command::Command;
use fireteam::goal::Channels;
use fireteam::insight::Insight;
use fireteam::journal::Line;
use fireteam::legs::{Destination, Stone};
use fireteam::snapshot::{Figure, Hurt, Item, Own, Snapshot, Team};
use fireteam::{Bots, Field};
use fireteam_world::game::Interest;
use fireteam_world::movement::Buttons;
use fireteam_world::trace::Sweep;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Contents, Vec3, maths};

/// One bot in one frame.
#[derive(Clone, Debug)]
pub(super) struct Glance {
    pub(super) time: Time,
    pub(super) origin: Vec3,
    pub(super) velocity: Vec3,
    pub(super) pitch: f32,
    pub(super) yaw: f32,
    pub(super) hurt: Option<Hurt>,
    /// It believes that an enemy is in sight.
    pub(super) sees_somebody: bool,
    /// A wall is within [`WALL`] of its eyes, along the view.
    pub(super) faces_wall: bool,
    /// It could fire at an enemy in view and in sight, and does not.
    pub(super) spares_somebody: bool,
    /// The goal that has the legs.
    pub(super) legs_at: Option<&'static str>,
    /// Where what it fetches lies.
    pub(super) fetches: Option<Vec3>,
    /// What its journal notes of the way in this frame.
    pub(super) goes_on: bool,
    pub(super) is_stuck: bool,
    /// What lies there that it needs.
    pub(super) needs: Vec<Need>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Need {
    pub(super) item: EntityId,
    pub(super) distance: f32,
    /// It is at hand: near, and nothing between.
    pub(super) is_at_hand: bool,
}

const WALL: f32 = 64.0;
/// Farther off, nobody is asked why he does not shoot.
const SHOT_FAR: f32 = 1200.0;
/// Cosine of 10 degrees from the view.
const SHOT_COSINE: f32 = 0.985;
/// An item this near, no higher or lower than a step up or down, is at hand.
const AT_HAND: f32 = 120.0;
const AT_HAND_HEIGHT: f32 = 36.0;
/// Below these one needs medkits, and armour.
const HEALTH_POOR: i32 = 70;
const ARMOUR_POOR: i32 = 50;

/// A frame, and those who thought about it.
pub(super) struct Frame<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) bots: &'a Bots,
    pub(super) commands: &'a [Command],
    /// What was written in this frame.
    pub(super) lines: Vec<&'a Line>,
}

impl Frame<'_> {
    /// What it shows of somebody; none if he is none of the bots.
    pub(super) fn glance(&self, own: &Own) -> Option<Glance> {
        let insight = self.bots.insight(own.entity)?;
        let (field, body) = (&**self.bots.field(), &own.body);
        let legs_at = holder_of_legs(&insight);
        let ahead = body.eye() + maths::game_axes(body.view.x, body.view.y, 0.0).forward * WALL;
        let notes = |what: &str| {
            let is_it =
                |line: &&&Line| line.bot == own.entity && line.goal == "the way" && line.reason.as_str() == what;
            self.lines.iter().any(|line| is_it(&line))
        };
        Some(Glance {
            time: self.snapshot.time,
            origin: body.origin,
            velocity: body.velocity,
            pitch: body.view.x,
            yaw: body.view.y,
            hurt: own.hurt,
            sees_somebody: insight.memory.in_sight().next().is_some(),
            faces_wall: !field.opaque.is_clear(&Sweep::ray(body.eye(), ahead, Contents::SOLID)),
            spares_somebody: self.spares_somebody(own, &insight),
            legs_at,
            fetches: legs_at.filter(|goal| *goal == "fetching").and_then(|_| destination(&insight, field)),
            goes_on: notes("goes on"),
            is_stuck: notes("stuck"),
            needs: self.snapshot.items.iter().filter_map(|item| need(own, item, field)).collect(),
        })
    }

    fn spares_somebody(&self, own: &Own, insight: &Insight<'_>) -> bool {
        let pressed = self.commands.iter().find(|command| command.bot == own.entity);
        let fires = pressed.is_some_and(|command| command.press.buttons.meets(Buttons::ATTACK));
        let is_ready = own.ready_in_ms == 0 && own.arms[usize::from(own.weapon.0)].is_loaded();
        let field = self.bots.field();
        let is_enemy = |figure: &&Figure| {
            figure.team != own.team && figure.team != Team::NEUTRAL && !figure.is_dead && figure.entity != own.entity
        };
        let is_before_it = |figure: &Figure| {
            let (eye, view) = (own.body.eye(), own.body.view);
            let way = figure.origin - eye;
            let forward = maths::game_axes(view.x, view.y, 0.0).forward;
            way.length() < SHOT_FAR
                && way.normalize_or_zero().dot(forward) > SHOT_COSINE
                && insight.memory.threat(figure.entity).is_some_and(|threat| threat.in_sight)
                && field.opaque.is_clear(&Sweep::ray(eye, figure.origin, Contents::SOLID))
        };
        is_ready && !fires && self.snapshot.players.iter().filter(is_enemy).any(is_before_it)
    }
}

impl Glance {
    pub(super) fn speed(&self) -> f32 {
        self.velocity.with_z(0.0).length()
    }

    /// Degrees between where it goes and where it looks.
    pub(super) fn off_its_way(&self) -> f32 {
        off(yaw_to(self.velocity), self.yaw)
    }
}

fn holder_of_legs(insight: &Insight<'_>) -> Option<&'static str> {
    let has_legs = |bid: Channels| bid.holds(Channels::LEGS);
    insight.wants.goals().find(|wanted| !wanted.goal.is_waiting && has_legs(wanted.goal.bid.channels)).map(|it| it.name)
}

/// Where the legs were told to go.
fn destination(insight: &Insight<'_>, field: &Field) -> Option<Vec3> {
    match insight.legs.stack().first()? {
        Stone::Goal(Destination::Waypoint(waypoint)) => Some(field.terrain.waypoints.origin[waypoint.index()]),
        Stone::Goal(Destination::Place(place) | Destination::Untried { to: place, .. }) => Some(*place),
        Stone::Opener(_) | Stone::Roam(_) => None,
    }
}

/// Medkits below 70 health, armour below 50, guns it lacks, powers; none if the item is not there, or nothing of that kind.
fn need(own: &Own, item: &Item, field: &Field) -> Option<Need> {
    let lacks = |weapon: fireteam::snapshot::WeaponId| !own.arms[usize::from(weapon.0)].is_carried;
    let is_needed = match field.arsenal.item(item.kind).is {
        Interest::Health => own.health < HEALTH_POOR,
        Interest::Armour => own.armour < ARMOUR_POOR,
        Interest::Weapon => field.arsenal.holds[usize::from(item.kind.0)].is_some_and(lacks),
        Interest::Powerup => true,
        Interest::Ammo
        | Interest::Holdable
        | Interest::Key
        | Interest::Flag
        | Interest::Spawn
        | Interest::Ladder
        | Interest::Zone
        | Interest::Door
        | Interest::Button
        | Interest::Lift
        | Interest::Breakable
        | Interest::Teleporter
        | Interest::JumpPad
        | Interest::Hazard => false,
    };
    if !item.is_there || !is_needed {
        return None;
    }
    let (origin, distance) = (own.body.origin, own.body.origin.distance(item.origin));
    let is_level = (item.origin.z - origin.z).abs() < AT_HAND_HEIGHT;
    let is_near = distance < AT_HAND && is_level;
    let way = || {
        let hull = own.body.hull(&field.game.rules.movement);
        Sweep::hull(origin, item.origin.with_z(origin.z), hull, Contents::SOLID)
    };
    let is_at_hand = is_near && field.solids.is_clear(&way());
    Some(Need { item: item.entity, distance, is_at_hand })
}
