//! Who a bot is: a name, a grade of skill, and traits.
//!
//! Skill is how well it does what it does: `perceive::keenness`, `aim` and `craft` say what a grade is worth. Traits are what it
//! would rather do, at any grade: each is a number from 0 to 100, where 50 is nobody in particular. A roster may set them; else
//! they are drawn from the bot's name and the match's seed, so that the same people in the same match are the same.
//!
//! What a trait changes stands where it is read ([`Leanings`]); by how much, in the variables `trait_*`. At 0 all are alike.

use std::fmt;

use fireteam_world::pcg::Pcg;

use crate::convar::ConVars;

/// Four grades, as the sources have them: hosts map their own scale onto these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skill {
    Recruit,
    #[default]
    Regular,
    Veteran,
    Elite,
}

impl Skill {
    pub const ALL: [Skill; 4] = [Skill::Recruit, Skill::Regular, Skill::Veteran, Skill::Elite];

    pub fn name(self) -> &'static str {
        match self {
            Skill::Recruit => "recruit",
            Skill::Regular => "regular",
            Skill::Veteran => "veteran",
            Skill::Elite => "elite",
        }
    }
}

/// Who a bot is.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    pub name: String,
    pub skill: Skill,
    /// None to have them drawn.
    pub traits: Option<Traits>,
}

impl Character {
    /// Somebody whose traits are drawn from his name and the match's seed.
    pub fn new(name: impl Into<String>, skill: Skill) -> Character {
        Character { name: name.into(), skill, traits: None }
    }

    /// His traits in a match of this seed.
    pub fn traits_in(&self, seed: u64) -> Traits {
        self.traits.unwrap_or_else(|| Traits::drawn(seed, &self.name))
    }
}

/// What somebody would rather do, each from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Seeks fights, stays in them, and takes the short way whoever sees it; a defensive one the other way round.
    pub aggression: u8,
    /// Waits long at a strong place and stays long on a trail.
    pub patience: u8,
    /// Goes where mates are, and where they say an enemy is.
    pub loyalty: u8,
    /// Looks about, and goes to see what made a noise.
    pub curiosity: u8,
    /// A calm hand.
    pub steadiness: u8,
    /// Likes what flies in an arc and goes off.
    pub throwing: u8,
    /// The side it steps to in a fight: 0 is always the left, 100 the right.
    pub handedness: u8,
}

impl Traits {
    pub const COUNT: usize = 7;
    pub const MOST: u8 = 100;
    pub const NAMES: [&str; Traits::COUNT] =
        ["aggression", "patience", "loyalty", "curiosity", "steadiness", "throwing", "handedness"];
    /// Nobody in particular.
    pub const MIDDLING: Traits = Traits::of([50; Traits::COUNT]);

    /// In the order of [`Traits::NAMES`].
    pub const fn of(values: [u8; Traits::COUNT]) -> Traits {
        let [aggression, patience, loyalty, curiosity, steadiness, throwing, handedness] = values;
        Traits { aggression, patience, loyalty, curiosity, steadiness, throwing, handedness }
    }

    pub const fn values(&self) -> [u8; Traits::COUNT] {
        let Traits { aggression, patience, loyalty, curiosity, steadiness, throwing, handedness } = *self;
        [aggression, patience, loyalty, curiosity, steadiness, throwing, handedness]
    }

    /// Always the same for the same seed and name; any value is as likely as any other.
    pub fn drawn(seed: u64, name: &str) -> Traits {
        let mut chance = Pcg::named(u64::from(Pcg::named(seed, "traits").draw()), name);
        Traits::of([(); Traits::COUNT].map(|()| chance.below(usize::from(Traits::MOST) + 1) as u8))
    }
}

/// Below this a trait is told by its one word, above the other end's by its other.
const PRONOUNCED: u8 = 33;
/// By trait: how its low and its high end are called.
const WORDS: [[&str; 2]; Traits::COUNT] = [
    ["defensive", "aggressive"],
    ["restless", "patient"],
    ["a loner", "loyal"],
    ["incurious", "curious"],
    ["shaky", "steady"],
    ["spares grenades", "fond of grenades"],
    ["left-handed", "right-handed"],
];

/// Whatever stands out, in words.
impl fmt::Display for Traits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut count = 0;
        for (value, [low, high]) in self.values().into_iter().zip(WORDS) {
            let word = match value {
                _ if value <= PRONOUNCED => low,
                _ if value >= Traits::MOST - PRONOUNCED => high,
                _ => continue,
            };
            let comma = if count > 0 { ", " } else { "" };
            write!(f, "{comma}{word}")?;
            count += 1;
        }
        if count == 0 { f.write_str("nobody in particular") } else { Ok(()) }
    }
}

/// Traits as what reads them wants them: 0 is nobody in particular, and the ends are as far off as the variables `trait_*` say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Leanings {
    pub aggression: f32,
    pub patience: f32,
    pub loyalty: f32,
    pub curiosity: f32,
    pub steadiness: f32,
    pub throwing: f32,
    pub handedness: f32,
}

impl Leanings {
    pub fn of(traits: &Traits, convars: &ConVars) -> Leanings {
        let lean = |value: u8, most: f32| most * (f32::from(value) / 50.0 - 1.0);
        Leanings {
            aggression: lean(traits.aggression, convars.trait_aggression),
            patience: lean(traits.patience, convars.trait_patience),
            loyalty: lean(traits.loyalty, convars.trait_loyalty),
            curiosity: lean(traits.curiosity, convars.trait_curiosity),
            steadiness: lean(traits.steadiness, convars.trait_steadiness),
            throwing: lean(traits.throwing, convars.trait_throwing),
            handedness: lean(traits.handedness, convars.trait_handedness),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_and_seed_are_the_same_person_and_others_are_not() {
        let ada = Character::new("Ada", Skill::Elite);
        assert_eq!(ada.traits_in(7), ada.traits_in(7));
        assert_ne!(ada.traits_in(7), ada.traits_in(8));
        assert_ne!(ada.traits_in(7), Traits::drawn(7, "Boris"));
        let set = Character { traits: Some(Traits::MIDDLING), ..ada };
        assert_eq!(set.traits_in(7), Traits::MIDDLING);
    }

    #[test]
    fn of_many_people_every_trait_takes_both_ends_and_its_mean_is_in_the_middle() {
        let people: Vec<Traits> = (0..1000).map(|seed| Traits::drawn(seed, "Ada")).collect();
        for (index, name) in Traits::NAMES.iter().enumerate() {
            let values = people.iter().map(|traits| u32::from(traits.values()[index]));
            let mean = f64::from(values.clone().sum::<u32>()) / 1000.0;
            assert!((46.0..54.0).contains(&mean), "{name} {mean}");
            assert!(values.clone().any(|value| value < 5) && values.clone().any(|value| value > 95), "{name}");
        }
    }

    #[test]
    fn what_stands_out_is_told_in_words() {
        assert_eq!(Traits::MIDDLING.to_string(), "nobody in particular");
        let traits = Traits { aggression: 90, handedness: 3, ..Traits::MIDDLING };
        assert_eq!(traits.to_string(), "aggressive, left-handed");
        let longest = Traits::of([0, 0, 0, 0, 0, 100, 100]).to_string();
        assert_eq!(crate::words!("{longest}").as_str(), longest, "it fits a line of the journal");
    }

    #[test]
    fn without_weight_all_are_alike() {
        let convars = ConVars::default();
        assert_eq!(Leanings::of(&Traits::MIDDLING, &convars), Leanings::default());
        let keen = Leanings::of(&Traits { curiosity: 100, ..Traits::MIDDLING }, &convars);
        assert_eq!(keen.curiosity, convars.trait_curiosity);
        let none = ConVars { trait_curiosity: 0.0, ..convars };
        assert_eq!(Leanings::of(&Traits { curiosity: 100, ..Traits::MIDDLING }, &none), Leanings::default());
    }
}
