//! The game's weapons, missiles and items by number: descriptions name them, snapshots count them.
//!
//! A number is the place of a name among the description's names in alphabetical order, so that a host, a recording and a
//! bot agree without telling each other. Made once per match from a [`Game`].

use fireteam_world::Game;
use fireteam_world::game::{Interest, Interesting, Throwable, ThrowableKind, Weapon};

/// A kind of weapon: its place among the names of `game.rules.weapons`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WeaponId(pub u8);

/// A kind of missile: its place among the names of `game.rules.throwables`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThrowableId(pub u8);

/// A kind of item: its place among the names of `game.rules.entities`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemKindId(pub u8);

/// The tables of a game's description as columns.
#[derive(Clone, Debug)]
pub struct Arsenal {
    pub weapons: Vec<Weapon>,
    /// What each weapon fires, if it fires something that flies.
    pub fires: Vec<Option<ThrowableId>>,
    pub throwables: Vec<Throwable>,
    pub items: Vec<Interesting>,
    /// Which weapon an item holds or feeds.
    pub holds: Vec<Option<WeaponId>>,
    /// Weapons that fire or throw grenades.
    pub grenades: Vec<(WeaponId, ThrowableKind)>,
    weapon_names: Vec<String>,
    throwable_names: Vec<String>,
    item_names: Vec<String>,
}

impl Arsenal {
    pub fn of(game: &Game) -> Arsenal {
        let rules = &game.rules;
        let names = |keys: &mut dyn Iterator<Item = &String>| keys.cloned().collect::<Vec<_>>();
        let weapon_names = names(&mut rules.weapons.keys());
        let throwable_names = names(&mut rules.throwables.keys());
        let fires = rules.weapons.values().map(|weapon| place(&throwable_names, weapon.fires.as_deref()));
        let holds = rules.entities.values().map(|item| match item.is {
            Interest::Weapon | Interest::Ammo => place(&weapon_names, item.holds.as_deref()),
            _ => None,
        });
        let mut arsenal = Arsenal {
            weapons: rules.weapons.values().cloned().collect(),
            fires: fires.map(|index| index.map(ThrowableId)).collect(),
            throwables: rules.throwables.values().cloned().collect(),
            items: rules.entities.values().cloned().collect(),
            holds: holds.map(|index| index.map(WeaponId)).collect(),
            item_names: names(&mut rules.entities.keys()),
            grenades: Vec::new(),
            weapon_names,
            throwable_names,
        };
        let ids = (0..arsenal.weapons.len() as u8).map(WeaponId);
        let fired = ids.filter_map(|id| arsenal.fired_by(id).map(|(_, missile)| (id, missile.kind)));
        // Nobody who speaks of grenades means rockets.
        arsenal.grenades =
            fired.filter(|(_, kind)| !matches!(kind, ThrowableKind::Rocket | ThrowableKind::Bolt)).collect();
        arsenal
    }

    pub fn weapon_named(&self, name: &str) -> Option<WeaponId> {
        place(&self.weapon_names, Some(name)).map(WeaponId)
    }

    pub fn throwable_named(&self, name: &str) -> Option<ThrowableId> {
        place(&self.throwable_names, Some(name)).map(ThrowableId)
    }

    /// An item by the class of its entity in maps.
    pub fn item_named(&self, class: &str) -> Option<ItemKindId> {
        place(&self.item_names, Some(class)).map(ItemKindId)
    }

    pub fn weapon(&self, id: WeaponId) -> &Weapon {
        &self.weapons[usize::from(id.0)]
    }

    pub fn throwable(&self, id: ThrowableId) -> &Throwable {
        &self.throwables[usize::from(id.0)]
    }

    pub fn item(&self, id: ItemKindId) -> &Interesting {
        &self.items[usize::from(id.0)]
    }

    pub fn weapon_name(&self, id: WeaponId) -> &str {
        &self.weapon_names[usize::from(id.0)]
    }

    pub fn throwable_name(&self, id: ThrowableId) -> &str {
        &self.throwable_names[usize::from(id.0)]
    }

    pub fn item_name(&self, id: ItemKindId) -> &str {
        &self.item_names[usize::from(id.0)]
    }

    /// The missile a weapon fires, and the number it has in snapshots.
    pub fn fired_by(&self, id: WeaponId) -> Option<(ThrowableId, &Throwable)> {
        let fired = self.fires[usize::from(id.0)]?;
        Some((fired, self.throwable(fired)))
    }
}

fn place(names: &[String], name: Option<&str>) -> Option<u8> {
    // The names come out of an ordered table.
    let index = names.binary_search_by(|known| known.as_str().cmp(name.unwrap_or(""))).ok()?;
    u8::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_to_each_other_in_every_game() {
        for name in Game::built_in() {
            let game = Game::named(name).expect("built in");
            let arsenal = Arsenal::of(&game);
            assert!(arsenal.weapons.len() <= crate::snapshot::WEAPONS_MAX, "{name}");
            for weapon in game.rules.weapons.keys() {
                let id = arsenal.weapon_named(weapon).expect("it is in the table");
                assert_eq!(arsenal.weapon_name(id), weapon);
                let fired = arsenal.fired_by(id).map(|(_, throwable)| throwable);
                let described = game.rules.weapons[weapon].fires.as_ref().map(|fires| &game.rules.throwables[fires]);
                assert_eq!(fired, described);
            }
            for class in game.rules.entities.keys() {
                let id = arsenal.item_named(class).expect("it is in the table");
                assert_eq!(arsenal.item(id), &game.rules.entities[class]);
            }
            assert_eq!(arsenal.weapon_named("banana"), None);
        }
    }
}
