//! Who of a side shoots at whom, so that fire is concentrated: who is shot at by two lives half as long and does half the harm
//! (F. W. Lanchester, "Aircraft in Warfare", 1916).
//!
//! In: whom each member shoots at, once a turn. Out: for a member whom others called before him, as far as that was said: a call
//! is heard after the delay of voice and as far as voices carry, and lapses when its owner no longer renews it. Of two on different
//! enemies the one who spoke later joins the other, and never both each other.
//! Cost: a compare for each call of the side, a turn of whoever sees somebody.

use fireteam_world::Vec3;
use fireteam_world::units::{EntityId, Time};

use super::claims::{LAPSE_MS, Listener, MEMBERS_ROOM};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Calls(Vec<Call>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Call {
    by: EntityId,
    /// Where the speaker stood.
    from: Vec3,
    enemy: EntityId,
    /// When he first said so.
    said: Time,
    renewed: Time,
}

impl Calls {
    pub(super) fn new() -> Calls {
        Calls(Vec::with_capacity(MEMBERS_ROOM))
    }

    /// Whom a member shoots at now.
    pub(super) fn renew(&mut self, by: EntityId, from: Vec3, enemy: Option<EntityId>, now: Time) {
        let known = self.0.iter().position(|call| call.by == by);
        let before = known.map(|index| self.0.swap_remove(index)).filter(|call| Some(call.enemy) == enemy);
        if let Some(enemy) = enemy {
            let said = before.map_or(now, |call| call.said);
            self.0.push(Call { by, from, enemy, said, renewed: now });
        }
    }

    /// Whom to join in on: of the enemies in the listener's sight the one who was called first, as far as the listener has heard
    /// it and did not call another before that himself.
    pub(super) fn first_heard(
        &self,
        listener: &Listener,
        is_in_sight: impl Fn(EntityId) -> bool,
        now: Time,
    ) -> Option<EntityId> {
        let is_mine = |call: &&Call| call.by == listener.entity;
        let is_heard = |call: &&Call| {
            now - call.said >= listener.voice_delay_ms
                && now - call.renewed < LAPSE_MS
                && call.from.distance(listener.origin) <= listener.voice_reach
                && is_in_sight(call.enemy)
        };
        let first =
            self.0.iter().filter(|call| is_mine(call) || is_heard(call)).min_by_key(|call| (call.said, call.by));
        first.filter(|call| !is_mine(call)).map(|call| call.enemy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: EntityId = EntityId(3);
    const SECOND: EntityId = EntityId(1);
    const THIRD: EntityId = EntityId(2);
    const TALL: EntityId = EntityId(10);
    const SMALL: EntityId = EntityId(11);

    fn listener(entity: EntityId) -> Listener {
        Listener { entity, origin: Vec3::ZERO, voice_reach: 1000.0, voice_delay_ms: 700 }
    }

    /// Whom somebody joins in on who sees them all.
    fn heard(calls: &Calls, by: EntityId, at_ms: i32) -> Option<EntityId> {
        calls.first_heard(&listener(by), |_| true, Time(at_ms))
    }

    #[test]
    fn who_spoke_later_joins_who_spoke_first_and_never_the_other_way_round() {
        let mut calls = Calls::new();
        calls.renew(FIRST, Vec3::ZERO, Some(TALL), Time(0));
        calls.renew(SECOND, Vec3::ZERO, Some(SMALL), Time(100));
        assert_eq!(heard(&calls, SECOND, 600), None, "not heard yet");
        calls.renew(FIRST, Vec3::ZERO, Some(TALL), Time(800));
        calls.renew(SECOND, Vec3::ZERO, Some(SMALL), Time(800));
        assert_eq!(heard(&calls, SECOND, 800), Some(TALL));
        assert_eq!(heard(&calls, FIRST, 900), None);
        let far = Listener { origin: Vec3::splat(2000.0), ..listener(SECOND) };
        assert_eq!(calls.first_heard(&far, |_| true, Time(800)), None, "out of earshot");
    }

    #[test]
    fn of_several_calls_the_one_for_somebody_in_sight_counts() {
        let mut calls = Calls::new();
        calls.renew(FIRST, Vec3::ZERO, Some(TALL), Time(0));
        calls.renew(SECOND, Vec3::ZERO, Some(SMALL), Time(100));
        assert_eq!(heard(&calls, THIRD, 900), Some(TALL));
        assert_eq!(calls.first_heard(&listener(THIRD), |enemy| enemy == SMALL, Time(900)), Some(SMALL));
    }

    #[test]
    fn a_call_ends_with_the_fight_or_the_life() {
        let mut calls = Calls::new();
        calls.renew(FIRST, Vec3::ZERO, Some(TALL), Time(0));
        assert_eq!(heard(&calls, SECOND, 900), Some(TALL));
        assert_eq!(heard(&calls, SECOND, 1000), None, "nobody renewed it");
        calls.renew(FIRST, Vec3::ZERO, Some(SMALL), Time(1000));
        assert_eq!(heard(&calls, SECOND, 1500), None, "another enemy is another word");
        calls.renew(FIRST, Vec3::ZERO, None, Time(1800));
        assert_eq!(heard(&calls, SECOND, 1800), None);
    }
}
