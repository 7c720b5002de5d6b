//! What a side knows together: when each waypoint was last in somebody's view, which enemies somebody spoke of, and where flags
//! lie that somebody saw; who does what about them (`roles`), who is after which item (`claims`), and who shoots at whom (`calls`).
//!
//! In: each member's own view and memory, once a think. Out: [`TeamMind::last_seen`], so that a team watches all
//! directions and not the same one (J. Lampel, "JoeBOT XP, an overview", 2005, 12); and sightings that reach a member's
//! memory after the delay of voice, if he was near enough to hear them said.
//!
//! Which waypoints are in view is read off the terrain's table of sight for the waypoint a bot stands at; what only an
//! open door shows is left out, so a team may believe a place unseen that it saw, never the other way round but by
//! the width of a waypoint. Where everyone fights for himself, a team is one bot, and nothing is shared.
//! Cost: some words of one row a think (`team_sight_words`), and a compare for each report.

mod calls;
mod claims;
mod roles;

use std::collections::VecDeque;

use fireteam_terrain::WaypointId;
use fireteam_world::units::{EntityId, Time};
use fireteam_world::{Vec3, maths};

use crate::convar::ConVars;
use crate::field::Field;
use crate::memory::{Memory, Sighting, Threat};
use crate::perceive::{Mates, Sense};
use crate::snapshot::{Own, Standing, Team};

use calls::Calls;
pub use claims::Claim;
use claims::{Claims, Listener};
pub use roles::Role;
use roles::Roles;

/// Before anybody looked.
pub const NEVER: Time = Time(-600_000);

/// Words under way or just spoken; older ones make room.
const REPORTS_MAX: usize = 64;
const FINDS_MAX: usize = 16;

/// The shared knowledge of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamMind {
    pub team: Team,
    /// By waypoint.
    seen: Vec<Time>,
    reports: VecDeque<Report>,
    /// Reports made since the match began.
    said: u64,
    /// The same for flags that lie about.
    finds: VecDeque<Find>,
    found: u64,
    roles: Roles,
    claims: Claims,
    calls: Calls,
    members: Vec<Member>,
    /// How often each patch of the map was come to by somebody of this side, by a hash of its place.
    trodden: Vec<u8>,
}

/// "Enemy, there."
#[derive(Clone, Copy, Debug, PartialEq)]
struct Report {
    by: EntityId,
    /// Where the speaker stood.
    from: Vec3,
    threat: Threat,
    due: Time,
}

/// "The flag lies there."
#[derive(Clone, Copy, Debug, PartialEq)]
struct Find {
    by: EntityId,
    /// Where the speaker stood.
    from: Vec3,
    /// Which objective.
    index: u8,
    sighting: Sighting,
    due: Time,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Member {
    entity: EntityId,
    /// Which word of its row comes next.
    word: usize,
    /// The patch it stands on.
    patch: usize,
}

impl TeamMind {
    pub fn new(team: Team, field: &Field) -> TeamMind {
        TeamMind {
            team,
            seen: vec![NEVER; field.terrain.waypoints.len()],
            reports: VecDeque::with_capacity(REPORTS_MAX),
            said: 0,
            finds: VecDeque::with_capacity(FINDS_MAX),
            found: 0,
            roles: Roles::new(),
            claims: Claims::new(),
            calls: Calls::new(),
            members: Vec::new(),
            trodden: vec![0; TRODDEN_SLOTS],
        }
    }

    /// When a waypoint was last in the view of somebody of this side; [`NEVER`] before that.
    pub fn last_seen(&self, waypoint: WaypointId) -> Time {
        self.seen[waypoint.index()]
    }

    /// Adds what a member has in view: a slice of its waypoint's row a call.
    pub fn look(&mut self, own: &Own, now: Time, field: &Field, convars: &ConVars) {
        let Some(near) = field.terrain.nearest(own.body.origin).filter(|_| !own.body.is_dead) else { return };
        self.tread(own);
        let row = field.terrain.sight.standing.row(near.waypoint.index());
        let first = self.member(own.entity).word % row.len().max(1);
        let last = (first + convars.team_sight_words as usize).min(row.len());
        self.member(own.entity).word = last % row.len().max(1);
        let gaze = Gaze::of(own, convars);
        for (word, &bits) in row.iter().enumerate().take(last).skip(first) {
            let mut rest = bits;
            while rest != 0 {
                let waypoint = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if gaze.holds(field.terrain.waypoints.origin[waypoint]) {
                    self.seen[waypoint] = now;
                }
            }
        }
        self.seen[near.waypoint.index()] = now;
    }

    /// How often somebody of this side came to where this is.
    pub fn trodden(&self, place: Vec3) -> u8 {
        self.trodden[patch_of(place)]
    }

    fn tread(&mut self, own: &Own) {
        let patch = patch_of(own.body.origin);
        if std::mem::replace(&mut self.member(own.entity).patch, patch) != patch {
            self.trodden[patch] = self.trodden[patch].saturating_add(1);
        }
    }

    /// A member speaks of the enemies it has in sight, of each not too often, and of flags it sees lie about.
    pub fn share(&mut self, own: &Own, memory: &Memory, now: Time, convars: &ConVars) {
        if own.body.is_dead {
            return;
        }
        for threat in memory.in_sight().filter(|threat| threat.by == Sense::Sight) {
            let is_old_news = |report: &Report| {
                report.threat.entity == threat.entity
                    && now + convars.voice_delay_ms - report.due < convars.voice_again_ms
            };
            if self.reports.iter().any(is_old_news) {
                continue;
            }
            if self.reports.len() == REPORTS_MAX {
                self.reports.pop_front();
            }
            let due = now + convars.voice_delay_ms;
            self.reports.push_back(Report { by: own.entity, from: own.body.origin, threat: *threat, due });
            self.said += 1;
        }
        self.share_finds(own, memory, now, convars);
    }

    fn share_finds(&mut self, own: &Own, memory: &Memory, now: Time, convars: &ConVars) {
        for (index, known) in memory.objectives().iter().enumerate() {
            let Some(sighting) = known.sighting.filter(|sighting| {
                sighting.by == Sense::Sight && sighting.bearer.is_none() && known.told.standing == Standing::Dropped
            }) else {
                continue;
            };
            let index = index as u8;
            let is_old_news = |find: &Find| find.index == index && find.sighting.place == sighting.place;
            if self.finds.iter().any(is_old_news) {
                continue;
            }
            if self.finds.len() == FINDS_MAX {
                self.finds.pop_front();
            }
            let due = now + convars.voice_delay_ms;
            self.finds.push_back(Find { by: own.entity, from: own.body.origin, index, sighting, due });
            self.found += 1;
        }
    }

    /// A member hears what others said, as far as their voices carry.
    pub fn hear(&self, own: &Own, memory: &mut Memory, now: Time, field: &Field) {
        let oldest = self.said - self.reports.len() as u64;
        let reach = field.game.rules.hearing.voice;
        memory.reports_heard = memory.reports_heard.max(oldest);
        let unheard = self.reports.iter().skip((memory.reports_heard - oldest) as usize);
        for report in unheard.take_while(|report| report.due <= now) {
            memory.reports_heard += 1;
            if report.by != own.entity && report.from.distance(own.body.origin) <= reach {
                memory.hear_report(&report.threat);
            }
        }
        let oldest = self.found - self.finds.len() as u64;
        memory.finds_heard = memory.finds_heard.max(oldest);
        let unheard = self.finds.iter().skip((memory.finds_heard - oldest) as usize);
        for find in unheard.take_while(|find| find.due <= now) {
            memory.finds_heard += 1;
            if find.by != own.entity && find.from.distance(own.body.origin) <= reach {
                memory.hear_find(find.index, find.sighting);
            }
        }
    }

    /// Deals out who does what for flags or ground, if there are any and something has changed.
    pub(crate) fn deal(&mut self, own: &Own, mates: Mates<'_>, memory: &Memory, field: &Field, convars: &ConVars) {
        self.roles.deal(own, mates, memory, field, convars);
    }

    /// What a member is to do for flags or ground.
    pub fn role_of(&self, entity: EntityId) -> Option<Role> {
        self.roles.of(entity)
    }

    /// A member says what it is after, or that it is after nothing.
    pub fn claim(&mut self, own: &Own, claim: Option<Claim>, now: Time) {
        self.claims.renew(own.entity, own.body.origin, claim, now);
    }

    /// Whether a member has heard that a mate will have what it could have by then.
    pub fn is_taken(&self, own: &Own, claim: Claim, now: Time, field: &Field, convars: &ConVars) -> bool {
        self.claims.is_taken(claim, &Listener::of(own, field, convars), now)
    }

    /// A member says whom it shoots at, or that it shoots at nobody.
    pub fn call(&mut self, own: &Own, enemy: Option<EntityId>, now: Time) {
        self.calls.renew(own.entity, own.body.origin, enemy, now);
    }

    /// The enemy in sight whom a mate was heard to call before this member called any.
    pub fn target_of_mates(
        &self,
        own: &Own,
        is_in_sight: impl Fn(EntityId) -> bool,
        now: Time,
        field: &Field,
        convars: &ConVars,
    ) -> Option<EntityId> {
        self.calls.first_heard(&Listener::of(own, field, convars), is_in_sight, now)
    }

    fn member(&mut self, entity: EntityId) -> &mut Member {
        let index = self.members.iter().position(|member| member.entity == entity).unwrap_or_else(|| {
            self.members.push(Member { entity, word: 0, patch: usize::MAX });
            self.members.len() - 1
        });
        &mut self.members[index]
    }
}

/// Patches that are told apart: twice as many as a large map has.
const TRODDEN_SLOTS: usize = 1 << 13;
/// Sides of a patch.
const PATCH: Vec3 = Vec3::new(96.0, 96.0, 72.0);

fn patch_of(place: Vec3) -> usize {
    let cell = (place / PATCH).floor();
    let mixed = cell
        .to_array()
        .into_iter()
        .fold(0_u32, |mixed, along| (mixed ^ along as i32 as u32).wrapping_mul(0x9e37_79b1).rotate_left(13));
    (mixed >> 7) as usize % TRODDEN_SLOTS
}

/// A cone of view.
struct Gaze {
    eye: Vec3,
    forward: Vec3,
    cone: f32,
    range: f32,
}

impl Gaze {
    fn of(own: &Own, convars: &ConVars) -> Gaze {
        Gaze {
            eye: own.body.eye(),
            forward: maths::game_axes(own.body.view.x, own.body.view.y, 0.0).forward,
            cone: maths::cos(convars.sight_half_angle.to_radians()),
            range: convars.team_sight_range,
        }
    }

    fn holds(&self, place: Vec3) -> bool {
        let way = place - self.eye;
        let square = way.length_squared();
        square <= self.range * self.range && self.forward.dot(way) >= self.cone * square.sqrt()
    }
}
