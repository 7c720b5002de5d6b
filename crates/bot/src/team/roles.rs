//! Who does what where flags are played for: dealt anew whenever somebody falls or comes back, or a flag changes hands.
//!
//! In: where the living of a side are, which everyone is shown; how both flags are said to stand, and where they were last known
//! to be. Out: a [`Role`] for each. Whoever has the flag brings it home. If ours is away, half the others get it back, or
//! all but one while we have theirs too: nobody can score before it is home. If ours is home, a share guards it; the
//! rest takes theirs, or goes along with whoever has it. Of those who might, the nearest does, and who did it before is
//! a little nearer.
//!
//! Any member's turn may deal: all go by the same. One who has read older news than the last deal went by changes nothing.

use fireteam_terrain::WaypointId;
use fireteam_world::Vec3;
use fireteam_world::units::{EntityId, Time};

use crate::convar::ConVars;
use crate::field::Field;
use crate::memory::{Flags, Memory};
use crate::perceive::Mates;
use crate::snapshot::{Own, Power, Standing};

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
/// No way leads there.
const NEVER_MS: u32 = u32::MAX / 2;

impl Roles {
    pub(super) fn new() -> Roles {
        Roles {
            dealt: Vec::with_capacity(MEMBERS_ROOM),
            went_by: WentBy { standing: [Standing::Home; 2], news: Time(i32::MIN), living: 0, who: 0, bearer: None },
            hands: Vec::with_capacity(MEMBERS_ROOM),
        }
    }

    pub(super) fn of(&self, entity: EntityId) -> Option<Role> {
        self.dealt.iter().find(|dealt| dealt.entity == entity).map(|dealt| dealt.role)
    }

    /// Deals anew if anything has changed, as far as this member knows.
    pub(super) fn deal(&mut self, own: &Own, mates: Mates<'_>, memory: &Memory, field: &Field, convars: &ConVars) {
        let Some(flags) = memory.flags(own.team) else { return };
        let went_by = went_by(own, mates, &flags);
        let is_news = went_by != self.went_by && went_by.news >= self.went_by.news;
        if !is_news || own.body.is_dead {
            return;
        }
        self.went_by = went_by;
        self.take_hands(own, mates, field);
        self.deal_out(&flags, field, convars);
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

    fn deal_out(&mut self, flags: &Flags<'_>, field: &Field, convars: &ConVars) {
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
        self.dealt.clear();
        let dealt = self.hands.iter().filter_map(|hand| Some(Dealt { entity: hand.entity, role: hand.role? }));
        self.dealt.extend(dealt);
    }

    /// Gives a role to those who are nearest to where it is played.
    fn give(&mut self, role: Role, count: usize, place: Vec3, field: &Field) {
        let Some(there) = field.terrain.nearest(place).map(|near| near.waypoint) else { return };
        for _ in 0..count {
            let before = &self.dealt;
            let ms = |hand: &Hand| {
                let did = before.iter().any(|dealt| dealt.entity == hand.entity && dealt.role == role);
                let ms = field.terrain.times.about_ms(hand.at, there).unwrap_or(NEVER_MS);
                ms + if did { 0 } else { STAY_MS }
            };
            let free = self.hands.iter_mut().filter(|hand| hand.role.is_none());
            let Some(nearest) = free.min_by_key(|hand| (ms(hand), hand.entity)) else { return };
            nearest.role = Some(role);
        }
    }
}

fn went_by(own: &Own, mates: Mates<'_>, flags: &Flags<'_>) -> WentBy {
    let me = (own.entity, own.powers);
    let all = || std::iter::once(me).chain(mates.living().map(|mate| (mate.entity, mate.powers)));
    let bearers = all().filter(|(_, powers)| Power::Bearer.is_in(*powers));
    WentBy {
        standing: [flags.ours.told.standing, flags.theirs.told.standing],
        news: flags.ours.since.max(flags.theirs.since),
        living: all().count(),
        who: all().fold(0, |who, (entity, _)| who ^ (u64::from(entity.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        bearer: bearers.map(|(entity, _)| entity).min(),
    }
}
