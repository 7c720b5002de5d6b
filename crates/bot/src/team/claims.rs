//! Who of a side is on his way to which item, so that two do not run for what only one can have.
//!
//! In: what each member is fetching, once a turn. Out: whether somebody else will have it, as far as was said: a claim is heard
//! after the delay of voice and as far as voices carry, and lapses when its owner no longer renews it. Whoever is there clearly
//! sooner has it; if it is close, who spoke first.
//! Cost: a compare for each claim of the side and item that is asked about.

use fireteam_world::Vec3;
use fireteam_world::units::{EntityId, Time};

use crate::convar::ConVars;
use crate::field::Field;
use crate::snapshot::Own;

/// "That one is mine."
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// Where the item lies: no two lie at one place.
    pub item: Vec3,
    /// When its owner expects to be there.
    pub arrives: Time,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claims(Vec<Spoken>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Spoken {
    by: EntityId,
    /// Where the speaker stood.
    from: Vec3,
    claim: Claim,
    /// When he first said so.
    said: Time,
    renewed: Time,
}

/// Whoever asks, and what his ears are good for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listener {
    pub(crate) entity: EntityId,
    pub(crate) origin: Vec3,
    pub(crate) voice_reach: f32,
    pub(crate) voice_delay_ms: i32,
}

impl Listener {
    pub(super) fn of(own: &Own, field: &Field, convars: &ConVars) -> Listener {
        Listener {
            entity: own.entity,
            origin: own.body.origin,
            voice_reach: field.game.rules.hearing.voice,
            voice_delay_ms: convars.voice_delay_ms,
        }
    }
}

/// A side of this many allocates nothing.
pub(super) const MEMBERS_ROOM: usize = 64;
/// A claim that was not renewed for so long is none: its owner fell, or wants something else.
pub(super) const LAPSE_MS: i32 = 1000;
/// Whoever is there sooner by more than this has it, whoever spoke first.
const CLEARLY_MS: i32 = 1000;

impl Claims {
    pub(super) fn new() -> Claims {
        Claims(Vec::with_capacity(MEMBERS_ROOM))
    }

    /// What a member is after now.
    pub(super) fn renew(&mut self, by: EntityId, from: Vec3, claim: Option<Claim>, now: Time) {
        let known = self.0.iter().position(|spoken| spoken.by == by);
        let Some(claim) = claim else {
            if let Some(index) = known {
                self.0.swap_remove(index);
            }
            return;
        };
        let before = known.map(|index| self.0[index]).filter(|spoken| spoken.claim.item == claim.item);
        let said = before.map_or(now, |spoken| spoken.said);
        let spoken = Spoken { by, from, claim, said, renewed: now };
        match known {
            Some(index) => self.0[index] = spoken,
            None => self.0.push(spoken),
        }
    }

    /// Whether another is known to get an item that the listener could have by `claim.arrives`.
    pub(super) fn is_taken(&self, claim: Claim, listener: &Listener, now: Time) -> bool {
        let about = || self.0.iter().filter(|spoken| spoken.claim.item == claim.item);
        let mine = about().find(|spoken| spoken.by == listener.entity).map(|spoken| spoken.said);
        about().any(|other| {
            let is_heard = other.by != listener.entity
                && now - other.said >= listener.voice_delay_ms
                && now - other.renewed < LAPSE_MS
                && other.from.distance(listener.origin) <= listener.voice_reach;
            let sooner_ms = claim.arrives - other.claim.arrives;
            let spoke_first = mine.is_none_or(|mine| (other.said.0, other.by) < (mine.0, listener.entity));
            is_heard && (sooner_ms > CLEARLY_MS || (sooner_ms >= -CLEARLY_MS && spoke_first))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEM: Vec3 = Vec3::new(500.0, 0.0, 0.0);
    const FIRST: EntityId = EntityId(3);
    const SECOND: EntityId = EntityId(1);

    fn arriving(ms: i32) -> Claim {
        Claim { item: ITEM, arrives: Time(ms) }
    }

    fn listener(entity: EntityId) -> Listener {
        Listener { entity, origin: Vec3::ZERO, voice_reach: 1000.0, voice_delay_ms: 700 }
    }

    #[test]
    fn who_spoke_first_has_what_both_could_have_and_only_once_it_was_heard() {
        let mut claims = Claims::new();
        claims.renew(FIRST, Vec3::ZERO, Some(arriving(4000)), Time(0));
        assert!(!claims.is_taken(arriving(4500), &listener(SECOND), Time(600)), "not heard yet");
        claims.renew(SECOND, Vec3::ZERO, Some(arriving(4500)), Time(600));
        claims.renew(FIRST, Vec3::ZERO, Some(arriving(4000)), Time(700));
        assert!(claims.is_taken(arriving(4500), &listener(SECOND), Time(700)));
        assert!(!claims.is_taken(arriving(4000), &listener(FIRST), Time(1400)));
        let far = Listener { origin: Vec3::splat(2000.0), ..listener(SECOND) };
        assert!(!claims.is_taken(arriving(4500), &far, Time(700)), "out of earshot");
        let other = Claim { item: Vec3::ZERO, ..arriving(4500) };
        assert!(!claims.is_taken(other, &listener(SECOND), Time(700)), "another item");
    }

    #[test]
    fn who_is_there_clearly_sooner_has_it() {
        let mut claims = Claims::new();
        claims.renew(FIRST, Vec3::ZERO, Some(arriving(9000)), Time(0));
        claims.renew(FIRST, Vec3::ZERO, Some(arriving(9000)), Time(900));
        assert!(!claims.is_taken(arriving(3000), &listener(SECOND), Time(1000)));
        claims.renew(SECOND, Vec3::ZERO, Some(arriving(3000)), Time(1000));
        assert!(claims.is_taken(arriving(9000), &listener(FIRST), Time(1700)));
    }

    #[test]
    fn a_claim_ends_with_the_wish_or_the_life() {
        let mut claims = Claims::new();
        claims.renew(FIRST, Vec3::ZERO, Some(arriving(4000)), Time(0));
        assert!(claims.is_taken(arriving(4000), &listener(SECOND), Time(900)));
        assert!(!claims.is_taken(arriving(4000), &listener(SECOND), Time(1000)), "nobody renewed it");
        claims.renew(FIRST, Vec3::ZERO, Some(arriving(4000)), Time(1000));
        assert!(claims.is_taken(arriving(4000), &listener(SECOND), Time(1100)));
        claims.renew(FIRST, Vec3::ZERO, None, Time(1100));
        assert!(!claims.is_taken(arriving(4000), &listener(SECOND), Time(1100)));
    }
}
