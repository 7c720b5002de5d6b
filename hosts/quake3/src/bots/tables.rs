//! The game's numbers for weapons, items, deaths and powers, in the words of its description.
//!
//! In: an [`Arsenal`]. Out: [`Tables`], made once a level, which answer by index. The orders are those of the game's own
//! lists, which clients share; `layout` compares the items with what the running game calls them.

use fireteam::arsenal::{Arsenal, ItemKindId, ThrowableId, WeaponId};
use fireteam::snapshot::Power;

/// Weapons by the game's number. Those nobody described stand for what is nearest in kind.
const WEAPONS: [&str; 14] = [
    "gauntlet",
    "gauntlet",
    "machinegun",
    "shotgun",
    "grenade-launcher",
    "rocket-launcher",
    "lightning",
    "railgun",
    "plasmagun",
    "bfg",
    "gauntlet",
    "plasmagun",
    "grenade-launcher",
    "chaingun",
];
/// Grapple, nails and mines: a bot neither uses nor fears what it has no description of.
const UNDESCRIBED: [usize; 4] = [0, 10, 11, 12];

/// What flies, by the number of the weapon that fired it.
const MISSILES: [(usize, &str); 4] = [(4, "grenade"), (5, "rocket"), (8, "plasma"), (9, "bfg")];

/// Classes of items by the game's number, from 1.
pub(super) const ITEMS: [&str; 46] = [
    "item_armor_shard",
    "item_armor_combat",
    "item_armor_body",
    "item_health_small",
    "item_health",
    "item_health_large",
    "item_health_mega",
    "weapon_gauntlet",
    "weapon_shotgun",
    "weapon_machinegun",
    "weapon_grenadelauncher",
    "weapon_rocketlauncher",
    "weapon_lightning",
    "weapon_railgun",
    "weapon_plasmagun",
    "weapon_bfg",
    "weapon_grapplinghook",
    "ammo_shells",
    "ammo_bullets",
    "ammo_grenades",
    "ammo_cells",
    "ammo_lightning",
    "ammo_rockets",
    "ammo_slugs",
    "ammo_bfg",
    "holdable_teleporter",
    "holdable_medkit",
    "item_quad",
    "item_enviro",
    "item_haste",
    "item_invis",
    "item_regen",
    "item_flight",
    "team_CTF_redflag",
    "team_CTF_blueflag",
    "holdable_kamikaze",
    "holdable_portal",
    "holdable_invulnerability",
    "ammo_nails",
    "ammo_mines",
    "ammo_belt",
    "item_scout",
    "item_guard",
    "item_doubler",
    "item_ammoregen",
    "team_CTF_neutralflag",
];

/// Of these items the game lets everyone hear that one was taken.
const ANNOUNCED: std::ops::RangeInclusive<i32> = 28..=33;

/// Weapons that kill, by the game's number for the means of death; 0 for what is no weapon.
const MEANS: [usize; 14] = [0, 3, 1, 2, 4, 4, 5, 5, 8, 8, 7, 6, 9, 9];

/// Powers by the game's number; flags are three kinds of the same.
const POWERS: [(usize, Power); 9] = [
    (1, Power::Strong),
    (2, Power::Shielded),
    (3, Power::Fast),
    (4, Power::Faint),
    (5, Power::Healing),
    (6, Power::Flying),
    (7, Power::Bearer),
    (8, Power::Bearer),
    (9, Power::Bearer),
];

/// The game's numbers as ids, and weapons back again.
#[derive(Debug)]
pub(super) struct Tables {
    weapons: [WeaponId; WEAPONS.len()],
    /// For each weapon of the description its number in the game, 0 if it has none.
    numbers: [u8; fireteam::snapshot::WEAPONS_MAX],
    missiles: [Option<ThrowableId>; WEAPONS.len()],
    items: [Option<ItemKindId>; ITEMS.len()],
}

impl Tables {
    pub(super) fn of(arsenal: &Arsenal) -> Tables {
        let weapons = WEAPONS.map(|name| arsenal.weapon_named(name).unwrap_or_default());
        let mut numbers = [0; fireteam::snapshot::WEAPONS_MAX];
        let described = (0..WEAPONS.len()).filter(|number| !UNDESCRIBED.contains(number));
        described.for_each(|number| numbers[usize::from(weapons[number].0)] = number as u8);
        let mut missiles = [None; WEAPONS.len()];
        MISSILES.iter().for_each(|&(number, name)| missiles[number] = arsenal.throwable_named(name));
        Tables { weapons, numbers, missiles, items: ITEMS.map(|class| arsenal.item_named(class)) }
    }

    pub(super) fn weapon(&self, number: i32) -> WeaponId {
        usize::try_from(number).ok().and_then(|number| self.weapons.get(number)).copied().unwrap_or(self.weapons[0])
    }

    /// What the game calls a weapon.
    pub(super) fn number_of(&self, weapon: WeaponId) -> u8 {
        self.numbers.get(usize::from(weapon.0)).copied().unwrap_or(0)
    }

    /// Every weapon of the description that the game has, with the game's number.
    pub(super) fn weapons(&self) -> impl Iterator<Item = (usize, WeaponId)> {
        let numbers = self.numbers.iter().enumerate().filter(|(_, number)| **number != 0);
        numbers.map(|(id, &number)| (usize::from(number), WeaponId(id as u8)))
    }

    pub(super) fn missile(&self, weapon: i32) -> Option<ThrowableId> {
        usize::try_from(weapon).ok().and_then(|weapon| self.missiles.get(weapon).copied().flatten())
    }

    pub(super) fn item(&self, number: i32) -> Option<ItemKindId> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.items.get(index).copied().flatten()
    }

    /// What was announced to all as taken, by the number of the item; of flags the top of the screen tells more.
    pub(super) fn announced(&self, number: i32) -> Option<ItemKindId> {
        self.item(number).filter(|_| ANNOUNCED.contains(&number))
    }

    /// The weapon of a death, if it was one.
    pub(super) fn killed_by(&self, means: i32) -> Option<WeaponId> {
        let number =
            usize::try_from(means).ok().and_then(|means| MEANS.get(means)).copied().filter(|&number| number != 0)?;
        Some(self.weapons[number])
    }
}

/// Bits of [`Power`] for whichever of the game's numbers `has` says yes to.
pub(super) fn powers(has: impl Fn(usize) -> bool) -> u32 {
    POWERS.iter().filter(|(number, _)| has(*number)).fold(0, |bits, (_, power)| bits | *power as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam_world::Game;

    fn tables() -> (Tables, Arsenal) {
        let arsenal = Arsenal::of(&Game::named("openarena").expect("built in"));
        (Tables::of(&arsenal), arsenal)
    }

    #[test]
    fn every_described_weapon_has_a_number_and_comes_back_from_it() {
        let (tables, arsenal) = tables();
        for (id, weapon) in arsenal.weapons.iter().enumerate() {
            let id = WeaponId(id as u8);
            let number = tables.number_of(id);
            assert_ne!(number, 0, "{weapon:?}");
            assert_eq!(tables.weapon(i32::from(number)), id);
        }
        assert_eq!(tables.weapons().count(), arsenal.weapons.len());
        assert_eq!(arsenal.weapon_name(tables.weapon(5)), "rocket-launcher");
        assert_eq!(arsenal.weapon_name(tables.weapon(99)), "gauntlet");
    }

    #[test]
    fn every_item_of_the_game_is_described() {
        let (tables, arsenal) = tables();
        for (index, class) in ITEMS.iter().enumerate() {
            let kind = tables.item(index as i32 + 1).unwrap_or_else(|| panic!("{class} is not described"));
            assert_eq!(arsenal.item_name(kind), *class);
        }
        assert_eq!((tables.item(0), tables.item(-1), tables.item(99)), (None, None, None));
    }

    #[test]
    fn what_is_announced_are_power_ups() {
        let (tables, arsenal) = tables();
        let announced = (0..ITEMS.len() as i32 + 1).filter_map(|number| tables.announced(number));
        let names: Vec<_> = announced.map(|kind| arsenal.item_name(kind).to_owned()).collect();
        assert_eq!(names, ["item_quad", "item_enviro", "item_haste", "item_invis", "item_regen", "item_flight"]);
    }

    #[test]
    fn deaths_and_missiles_name_their_weapons() {
        let (tables, arsenal) = tables();
        let name = |means| tables.killed_by(means).map(|weapon| arsenal.weapon_name(weapon).to_owned());
        assert_eq!(name(7).as_deref(), Some("rocket-launcher"));
        assert_eq!(name(10).as_deref(), Some("railgun"));
        assert_eq!(name(11).as_deref(), Some("lightning"));
        assert_eq!((name(19), name(0), name(-1)), (None, None, None));
        assert_eq!(tables.missile(4), arsenal.throwable_named("grenade"));
        assert_eq!(tables.missile(2), None);
    }

    #[test]
    fn powers_become_bits() {
        assert_eq!(powers(|number| number == 1 || number == 3), Power::Strong as u32 | Power::Fast as u32);
        assert_eq!(powers(|number| number >= 7), Power::Bearer as u32);
    }
}
