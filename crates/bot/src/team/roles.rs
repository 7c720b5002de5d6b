//! Who does what where flags or ground are played for: dealt anew whenever somebody falls or comes back, or one changes hands.
//!
//! In: where the living of a side are, which everyone is shown; how flags are said to stand, and where they were last known
//! to be; who is said to hold ground. Out: a [`Role`] for each. Whoever has the flag brings it home. If ours is away, half the others get it back, or
//! all but one while we have theirs too: nobody can score before it is home. If ours is home, a share guards it; the
//! rest takes theirs, or goes along with whoever has it. Of those who might, the nearest does, and who did it before is
//! a little nearer. Of ground, a share keeps what is ours; the rest takes what is not, in pairs where there are enough for several.
//!
//! Any member's turn may deal: all go by the same. One who has read older news than the last deal went by changes nothing.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::units::{EntityId, Time};

use crate::convar::ConVars;
use crate::field::Field;
use crate::memory::{BelievedObjective, Flags, Memory};
use crate::perceive::Mates;
use crate::snapshot::{ObjectiveKind, Own, Power, Standing, Team};

/// What one is to do for the side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Take their flag.
    Attack,
    /// Guard ours.
    Defend,
    /// Get ours back.
    Recover,
    /// Go along with whoever has theirs.
    Escort,
    /// Bring theirs home.
    Bear,
    /// Stand on ground that is not ours, by its place among the objectives, until it is.
    Take { ground: u8 },
    /// See to it that ours stays ours.
    Keep { ground: u8 },
}

/// The roles of one side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Roles {
    dealt: Vec<Dealt>,
    went_by: WentBy,
    /// Those to be dealt to, as they are.
    hands: Vec<Hand>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Dealt {
    entity: EntityId,
    role: Role,
}

/// What a deal depends on: as long as it is the same, nothing is dealt anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WentBy {
    standing: [Standing; 2],
    /// When the later of both was told.
    news: Time,
    living: usize,
    /// Who they are, one with another.
    who: u64,
    bearer: Option<EntityId>,
    /// Who holds which ground, one with another.
    holders: u64,
}

/// What is played for.
#[derive(Clone, Copy)]
enum Stakes<'a> {
    Flags(Flags<'a>),
    Ground(&'a [BelievedObjective]),
}

impl Stakes<'_> {
    fn of(memory: &Memory, team: Team) -> Option<Stakes<'_>> {
        let all = memory.objectives();
        let is_ground = !all.is_empty() && all.iter().all(|known| known.told.kind == ObjectiveKind::Ground);
        if is_ground { Some(Stakes::Ground(all)) } else { memory.flags(team).map(Stakes::Flags) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Hand {
    entity: EntityId,
    at: WaypointId,
    role: Option<Role>,
}

/// Everyone of the largest side has room.
const MEMBERS_ROOM: usize = 64;
/// Who did it before is nearer by this.
const STAY_MS: u32 = 3000;
/// So many take a piece of ground together before another is gone for as well.
const ABREAST: usize = 2;
/// No way leads there.
const NEVER_MS: u32 = u32::MAX / 2;

impl Roles {
    pub(super) fn new() -> Roles {
        Roles {
            dealt: Vec::with_capacity(MEMBERS_ROOM),
            went_by: WentBy {
                standing: [Standing::Home; 2],
                news: Time(i32::MIN),
                living: 0,
                who: 0,
                bearer: None,
                holders: 0,
            },
            hands: Vec::with_capacity(MEMBERS_ROOM),
        }
    }

    pub(super) fn of(&self, entity: EntityId) -> Option<Role> {
        self.dealt.iter().find(|dealt| dealt.entity == entity).map(|dealt| dealt.role)
    }

    /// Deals anew if anything has changed, as far as this member knows.
    pub(super) fn deal(&mut self, own: &Own, mates: Mates<'_>, memory: &Memory, field: &Field, convars: &ConVars) {
        let Some(stakes) = Stakes::of(memory, own.team) else { return };
        let went_by = went_by(own, mates, &stakes);
        let is_news = went_by != self.went_by && went_by.news >= self.went_by.news;
        if !is_news || own.body.is_dead {
            return;
        }
        self.went_by = went_by;
        self.take_hands(own, mates, field);
        match stakes {
            Stakes::Flags(flags) => self.deal_flags(&flags, field, convars),
            Stakes::Ground(all) => self.deal_ground(all, own.team, field, convars),
        }
        self.dealt.clear();
        let dealt = self.hands.iter().filter_map(|hand| Some(Dealt { entity: hand.entity, role: hand.role? }));
        self.dealt.extend(dealt);
    }

    fn take_hands(&mut self, own: &Own, mates: Mates<'_>, field: &Field) {
        self.hands.clear();
        let me = std::iter::once((own.entity, own.body.origin));
        for (entity, origin) in me.chain(mates.living().map(|mate| (mate.entity, mate.origin))) {
            let Some(near) = field.terrain.nearest(origin) else { continue };
            self.hands.push(Hand { entity, at: near.waypoint, role: None });
        }
        // In the same order whoever deals.
        self.hands.sort_unstable_by_key(|hand| hand.entity);
    }

    fn deal_flags(&mut self, flags: &Flags<'_>, field: &Field, convars: &ConVars) {
        let bearer = self.went_by.bearer;
        for hand in self.hands.iter_mut().filter(|hand| Some(hand.entity) == bearer) {
            hand.role = Some(Role::Bear);
        }
        let members = self.hands.len();
        let rest = members - usize::from(bearer.is_some()).min(members);
        let home = flags.ours.told.home;
        if flags.ours.told.standing == Standing::Home {
            let guards = (members as f32 * convars.flag_guards).round() as usize;
            self.give(Role::Defend, guards.min(rest.saturating_sub(1)), home, field);
        } else {
            let count = if bearer.is_some() { (rest - rest.min(1)).max(rest.min(1)) } else { rest.div_ceil(2) };
            self.give(Role::Recover, count, flags.ours.place().unwrap_or(home), field);
        }
        let others = if bearer.is_some() { Role::Escort } else { Role::Attack };
        for hand in self.hands.iter_mut().filter(|hand| hand.role.is_none()) {
            hand.role = Some(others);
        }
    }

    fn deal_ground(&mut self, all: &[BelievedObjective], team: Team, field: &Field, convars: &ConVars) {
        let is_ours = |piece: &BelievedObjective| piece.told.holder == Some(team);
        let (members, ours) = (self.hands.len(), all.iter().filter(|piece| is_ours(piece)).count());
        let others = all.len() - ours;
        let keepers = match (ours, others) {
            (0, _) => 0,
            (_, 0) => members,
            (_, _) => ((members as f32 * convars.ground_guards).round() as usize).min(members.saturating_sub(1)),
        };
        let takers = members - keepers;
        self.spread(keepers, ours.min(keepers), all, is_ours, |ground| Role::Keep { ground }, field);
        let fronts = others.min((takers / ABREAST).max(1));
        self.spread(takers, fronts, all, |piece| !is_ours(piece), |ground| Role::Take { ground }, field);
    }

    /// Spreads so many over so many pieces of ground, those that are nearest to anybody first.
    fn spread(
        &mut self,
        mut count: usize,
        pieces: usize,
        all: &[BelievedObjective],
        is_meant: impl Fn(&BelievedObjective) -> bool,
        role: impl Fn(u8) -> Role,
        field: &Field,
    ) {
        let mut chosen = 0_u32;
        for left in (1..=pieces).rev() {
            let free = all.iter().zip(0_u8..).filter(|(piece, at)| is_meant(piece) && chosen >> at & 1 == 0);
            let Some((ms, ground)) = free.map(|(piece, at)| (self.nearest_ms(piece, role(at), field), at)).min() else {
                return;
            };
            if ms >= NEVER_MS {
                return;
            }
            chosen |= 1 << ground;
            let share = count.div_ceil(left);
            self.give(role(ground), share, all[usize::from(ground)].told.home, field);
            count -= share;
        }
    }

    /// How long whoever of the free is nearest takes to a piece of ground.
    fn nearest_ms(&self, piece: &BelievedObjective, role: Role, field: &Field) -> u32 {
        let Some(there) = field.terrain.nearest(piece.told.home).map(|near| near.waypoint) else { return NEVER_MS };
        let free = self.hands.iter().filter(|hand| hand.role.is_none());
        free.map(|hand| self.ms_to(hand, there, role, field)).min().unwrap_or(NEVER_MS)
    }

    /// How long somebody takes to where a role is played; who did it before is a little nearer.
    fn ms_to(&self, hand: &Hand, there: WaypointId, role: Role, field: &Field) -> u32 {
        let did = self.dealt.iter().any(|dealt| dealt.entity == hand.entity && dealt.role == role);
        let ms = field.terrain.times.about_ms(hand.at, there).unwrap_or(NEVER_MS);
        ms + if did { 0 } else { STAY_MS }
    }

    /// Gives a role to those who are nearest to where it is played.
    fn give(&mut self, role: Role, count: usize, place: Vec3, field: &Field) {
        let Some(there) = field.terrain.nearest(place).map(|near| near.waypoint) else { return };
        for _ in 0..count {
            let free = (0..self.hands.len()).filter(|at| self.hands[*at].role.is_none());
            let nearest = free.min_by_key(|at| {
                let hand = &self.hands[*at];
                (self.ms_to(hand, there, role, field), hand.entity)
            });
            let Some(nearest) = nearest else { return };
            self.hands[nearest].role = Some(role);
        }
    }
}

fn went_by(own: &Own, mates: Mates<'_>, stakes: &Stakes<'_>) -> WentBy {
    let (standing, news, holders) = match stakes {
        Stakes::Flags(flags) => {
            let standing = [flags.ours.told.standing, flags.theirs.told.standing];
            (standing, flags.ours.since.max(flags.theirs.since), 0)
        }
        Stakes::Ground(all) => {
            let holder = |piece: &BelievedObjective| piece.told.holder.map_or(0, |team| u64::from(team.0) + 1);
            let holders = all.iter().fold(0, |mixed: u64, piece| mixed.wrapping_mul(257).wrapping_add(holder(piece)));
            ([Standing::Home; 2], all.iter().map(|piece| piece.since).max().unwrap_or_default(), holders)
        }
    };
    let me = (own.entity, own.powers);
    let all = || std::iter::once(me).chain(mates.living().map(|mate| (mate.entity, mate.powers)));
    let bearers = all().filter(|(_, powers)| Power::Bearer.is_in(*powers));
    WentBy {
        standing,
        news,
        living: all().count(),
        who: all().fold(0, |who, (entity, _)| who ^ (u64::from(entity.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        bearer: bearers.map(|(entity, _)| entity).min(),
        holders,
    }
}
