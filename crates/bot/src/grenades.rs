//! Which grenades a bot may use: what is allowed at large, kind by kind, and how many in one life.
//!
//! In: the variables `grenades…`, the arsenal, what the bot carries. Out: [`Barred`], the weapons it must leave alone. Whoever
//! picks a weapon asks it, by [`crate::gunnery::Marksman`] or [`crate::behaviour::View::may_use`]; whoever presses the
//! trigger asks again, since a grenade may be in the hand already. A grenade whose pin is pulled has to go, allowed or not.
//!
//! Rockets and bolts are no grenades: nobody who forbids grenades means those.

use fireteam_world::game::ThrowableKind;

use crate::arsenal::{Arsenal, WeaponId};
use crate::convar::ConVars;
use crate::snapshot::{Arm, Own, WEAPONS_MAX};

/// Weapons that must not be used, as bits of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Barred(u32);

const _: () = assert!(WEAPONS_MAX <= 32, "a bit for each weapon");

impl Barred {
    pub const NONE: Barred = Barred(0);

    pub fn holds(self, weapon: WeaponId) -> bool {
        self.0 >> weapon.0 & 1 != 0
    }

    /// What these variables bar for somebody who has used so many grenades in this life.
    pub fn by(arsenal: &Arsenal, convars: &ConVars, used: u32) -> Barred {
        let is_spent = used >= convars.grenades_per_life;
        let is_barred = |kind: ThrowableKind| {
            allowance(kind, convars).is_some_and(|allowed| is_spent || convars.grenades == 0 || allowed == 0)
        };
        let bits = arsenal.grenades.iter().filter(|(_, kind)| is_barred(*kind)).map(|(weapon, _)| 1 << weapon.0);
        Barred(bits.sum())
    }
}

/// The variable that allows a kind of grenade; none for what is no grenade.
fn allowance(kind: ThrowableKind, convars: &ConVars) -> Option<u32> {
    match kind {
        ThrowableKind::Frag => Some(convars.grenades_frag),
        ThrowableKind::Smoke => Some(convars.grenades_smoke),
        ThrowableKind::Flash => Some(convars.grenades_flash),
        ThrowableKind::Incendiary => Some(convars.grenades_incendiary),
        ThrowableKind::RifleGrenade => Some(convars.grenades_rifle),
        ThrowableKind::Rocket | ThrowableKind::Bolt => None,
    }
}

/// How many grenades a bot has used in its life, told by what it carries becoming less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    life: u32,
    /// Grenades of all kinds that it carried when it was last looked at.
    carried: i32,
    count: u32,
}

impl Used {
    /// Every frame. Answers with how many it has been by now.
    pub fn look(&mut self, own: &Own, arsenal: &Arsenal) -> u32 {
        self.note(own.life, own.body.is_dead, carried(&own.arms, arsenal))
    }

    fn note(&mut self, life: u32, is_dead: bool, carried: i32) -> u32 {
        if self.life != life {
            *self = Used { life, carried, count: 0 };
        }
        // The dead drop what they carry.
        if !is_dead {
            self.count += u32::try_from(self.carried - carried).unwrap_or(0);
            self.carried = carried;
        }
        self.count
    }
}

fn carried(arms: &[Arm; WEAPONS_MAX], arsenal: &Arsenal) -> i32 {
    let rounds = |(weapon, _): &(WeaponId, ThrowableKind)| {
        let arm = arms[usize::from(weapon.0)];
        i32::from(arm.rounds) + i32::from(arm.clip)
    };
    arsenal.grenades.iter().map(rounds).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam_world::Game;

    fn arsenal(game: &str) -> Arsenal {
        Arsenal::of(&Game::named(game).expect("built in"))
    }

    /// Names of the weapons that are barred.
    fn barred(game: &str, used: u32, change: impl FnOnce(&mut ConVars)) -> Vec<String> {
        let (arsenal, mut convars) = (arsenal(game), ConVars::default());
        change(&mut convars);
        let barred = Barred::by(&arsenal, &convars, used);
        let ids = (0..arsenal.weapons.len() as u8).map(WeaponId);
        ids.filter(|id| barred.holds(*id)).map(|id| arsenal.weapon_name(id).to_owned()).collect()
    }

    #[test]
    fn grenades_are_barred_at_large_and_by_kind_and_nothing_else_is() {
        assert!(barred("openarena", 500, |_| {}).is_empty(), "as it comes, nothing is barred");
        assert_eq!(barred("openarena", 0, |convars| convars.grenades = 0), ["grenade-launcher"]);
        assert_eq!(barred("openarena", 0, |convars| convars.grenades_frag = 0), ["grenade-launcher"]);
        assert!(barred("openarena", 0, |convars| convars.grenades_smoke = 0).is_empty());
        assert_eq!(barred("skirmish", 0, |convars| convars.grenades_smoke = 0), ["smoke"]);
        let all = ["flash", "frag", "incendiary", "rifle-grenade", "smoke"];
        assert_eq!(barred("skirmish", 0, |convars| convars.grenades = 0), all);
        assert_eq!(barred("skirmish", 2, |convars| convars.grenades_per_life = 2), all);
        assert!(barred("skirmish", 1, |convars| convars.grenades_per_life = 2).is_empty());
    }

    #[test]
    fn grenades_of_a_life_are_counted_and_picking_some_up_is_no_use() {
        let arsenal = arsenal("openarena");
        let launcher = usize::from(arsenal.weapon_named("grenade-launcher").expect("described").0);
        let rockets = usize::from(arsenal.weapon_named("rocket-launcher").expect("described").0);
        let mut used = Used::default();
        let mut with = |life, is_dead, grenades: i16, rounds: i16| {
            let mut arms = [Arm::default(); WEAPONS_MAX];
            arms[launcher] = Arm { is_carried: true, rounds: grenades, clip: 0 };
            arms[rockets] = Arm { is_carried: true, rounds, clip: 0 };
            used.note(life, is_dead, carried(&arms, &arsenal))
        };
        assert_eq!(with(1, false, 10, 10), 0);
        assert_eq!(with(1, false, 9, 4), 1, "rockets are no grenades");
        assert_eq!(with(1, false, 14, 4), 1, "five were picked up");
        assert_eq!(with(1, false, 12, 4), 3);
        assert_eq!(with(1, true, 0, 0), 3, "the dead drop theirs");
        assert_eq!(with(2, false, 5, 0), 0, "a new life");
    }
}
