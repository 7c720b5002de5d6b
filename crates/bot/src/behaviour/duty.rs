//! What all who play for flags or ground share: where a role leads, whether it outranks a fight, and how one gets there.
//!
//! Not a behaviour: `seize`, `bear`, `recover`, `guard` and `escort` are for flags, `occupy` and `keep` for ground, by [`Role`].
//! They bid in the band of objectives, so that a fight comes first; but whoever has a flag, or is about to lay hands on one,
//! does not stop for a fight he need not take. Eyes and hands go on shooting meanwhile.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::units::Time;

use super::{Limbs, View};
use crate::goal::{Band, Bid, Channels, Outcome};
use crate::journal::Words;
use crate::legs::{Destination, Manner, Travelling};
use crate::memory::{BelievedObjective, Flags};
use crate::snapshot::{Power, Standing};
use crate::team::Role;
use crate::words;

/// Player origins lie this far above flags on the same floor.
const FLAG_TO_PLAYER: f32 = 9.0;
/// Scores: of a duty among objectives; of one that outranks moving about in a fight, and fetching a gun during one.
const USUAL: f32 = 0.5;
const PRESSING: f32 = 0.75;
const FIRST: f32 = 0.9;

/// How much a duty presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    /// A fight comes first.
    Usual,
    /// Comes before a fight, if not before a better gun.
    Pressing,
    /// Nothing but one's own skin comes before it.
    First,
}

pub(super) fn bid(press: Press, reason: Words) -> Bid {
    let (band, score) = match press {
        Press::Usual => (Band::Objective, USUAL),
        Press::Pressing => (Band::Fight, PRESSING),
        Press::First => (Band::Fight, FIRST),
    };
    Bid { channels: Channels::LEGS, band, score, reason }
}

/// The flags, if this bot has this role.
pub(super) fn flags_as<'a>(view: &View<'a>, role: Role) -> Option<Flags<'a>> {
    if view.role() == Some(role) { view.memory.flags(view.own.team) } else { None }
}

/// Where to stand to touch what lies at a place.
pub(super) fn onto(view: &View, place: Vec3) -> Destination {
    let near = view.field.terrain.nearest(place).map(|near| near.waypoint);
    let is_at = |id: &WaypointId| {
        let spot = view.field.terrain.waypoints.origin[id.index()];
        spot.truncate().distance(place.truncate()) < TOUCHED
    };
    // Where the bake stood is a place to stand; beside it, on a stand or in a hollow, may be none.
    near.filter(is_at).map_or(Destination::Place(place + Vec3::Z * FLAG_TO_PLAYER), Destination::Waypoint)
}

/// Whoever is this near to a flag's middle, as seen from above, has it: boxes of 15 units and more touch.
const TOUCHED: f32 = 26.0;

pub(super) fn waypoint_at(view: &View, place: Vec3) -> Option<WaypointId> {
    view.field.terrain.nearest(place).map(|near| near.waypoint)
}

/// Milliseconds from one waypoint to another; a very long time if no way leads there.
pub(super) fn travel_ms(view: &View, from: WaypointId, to: WaypointId) -> u32 {
    view.field.terrain.times.about_ms(from, to).unwrap_or(FOR_EVER_MS)
}

pub(super) const FOR_EVER_MS: u32 = 1 << 24;

/// Runs onto something that has only to be touched. Who does not get there, or does and has it not, lets it be for a while:
/// `not_before` says until when.
pub(super) fn run_onto(
    view: &View,
    limbs: &mut Limbs,
    to: Destination,
    missed: &str,
    not_before: &mut Time,
) -> Outcome {
    limbs.legs.go(to, Manner::RUN);
    let reason = match limbs.legs.state() {
        Travelling::Failed(trouble) => words!("{trouble}"),
        Travelling::Arrived => words!("{missed}"),
        Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => return Outcome::Continue,
    };
    *not_before = view.now + AGAIN_MS;
    Outcome::Done(reason)
}

/// What could not be had is tried again so much later.
const AGAIN_MS: i32 = 5000;

/// All waypoints, from one drawn by chance on, in no order that looks like one.
pub(super) fn shuffled(view: &View, limbs: &mut Limbs) -> impl Iterator<Item = WaypointId> + use<> {
    let count = view.field.terrain.waypoints.len();
    let start = limbs.chance.below(count);
    (0..count as u64).map(move |step| WaypointId::from(((start as u64 + step * STRIDE) % count as u64) as usize))
}

/// A prime larger than the number of waypoints: steps of it come by all of them.
const STRIDE: u64 = 1_000_003;

/// How much getting to something presses: who is nearly there goes on, whoever shoots at him; and nobody stops for
/// somebody far away.
pub(super) fn press(view: &View, ms: u32) -> Press {
    let far = view.convars.flag_fight_range;
    let nearest = view.memory.in_sight().map(|threat| threat.place.distance(view.origin())).min_by(f32::total_cmp);
    if ms < view.convars.flag_dash_ms as u32 {
        Press::First
    } else if nearest.is_some_and(|distance| distance > far) {
        Press::Pressing
    } else {
        Press::Usual
    }
}

/// In which manner a flag is carried: by ways that are not dangerous.
pub(super) fn warily(view: &View) -> Manner {
    Manner { caution: view.convars.flag_caution.clamp(0, 255) as u8, ..Manner::RUN }
}

/// Where a bot's duty leads it, and how many milliseconds it may be out of its way for something useful.
pub(super) fn leads_to(view: &View) -> Option<(WaypointId, u32)> {
    let detour_ms = view.convars.flag_detour_ms;
    let role = view.role()?;
    if let Role::Take { ground } | Role::Keep { ground } = role {
        let home = view.memory.objectives().get(usize::from(ground))?.told.home;
        return Some((waypoint_at(view, home)?, detour_ms as u32));
    }
    let flags = view.memory.flags(view.own.team)?;
    let (place, slack_ms) = match role {
        Role::Attack => (flags.theirs.place().unwrap_or(flags.theirs.told.home), detour_ms),
        Role::Escort => (flags.theirs.place()?, detour_ms),
        Role::Defend => (flags.ours.told.home, 2 * detour_ms),
        Role::Bear => (flags.ours.told.home, detour_ms / 3),
        Role::Recover => (flags.ours.place()?, detour_ms / 3),
        Role::Take { .. } | Role::Keep { .. } => return None,
    };
    Some((waypoint_at(view, place)?, slack_ms as u32))
}

impl View<'_> {
    /// What this bot is to do for its side, if there is something to play for.
    pub fn role(&self) -> Option<Role> {
        if self.memory.objectives().is_empty() { None } else { self.team.role_of(self.own.entity) }
    }

    /// Whether it carries a flag.
    pub fn is_bearer(&self) -> bool {
        Power::Bearer.is_in(self.own.powers)
    }

    /// Whether it has something to do that leads it elsewhere than after whoever went round a corner.
    pub(super) fn has_duty(&self) -> bool {
        match self.role() {
            Some(Role::Attack | Role::Escort | Role::Bear | Role::Take { .. }) => true,
            Some(Role::Defend | Role::Recover | Role::Keep { .. }) | None => false,
        }
    }
}

/// How a flag stands, in words.
pub(super) fn stands(view: &View, flag: &BelievedObjective) -> Words {
    let ago = |at| f64::from(view.now - at) / 1000.0;
    match (flag.told.standing, flag.sighting) {
        (Standing::Home, _) => words!("it is in its place"),
        (Standing::Dropped, Some(seen)) => words!("it was seen to lie there {:.0} s ago", ago(seen.at)),
        (Standing::Dropped, None) => words!("it lies somewhere"),
        (Standing::Carried, Some(seen)) => match seen.bearer {
            Some(bearer) => words!("player {} had it {:.0} s ago", bearer.0, ago(seen.at)),
            None => words!("somebody has it who picked it up there"),
        },
        (Standing::Carried, None) => words!("somebody has it"),
    }
}
