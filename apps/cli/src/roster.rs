//! Who plays, from a file: names, skills, sides and traits (`fireteam --roster FILE`).
//!
//! ```toml
//! [[member]]
//! name = "Ada"
//! skill = 3            # 0 to 3; without it, what --skill says
//! team = "red"         # or "blue"; without it, the smaller side
//! aggression = 90      # traits, 0 to 100; those not named are drawn from the name and the seed
//! ```

use std::path::Path;

use anyhow::{Context, Result, ensure};
use fireteam::snapshot::Team;
use fireteam::{Skill, Traits};
use fireteam_sim::{Member, Roster};
use serde::Deserialize;

use crate::play::skill_of;

/// A match has room for so many.
const MEMBERS_MAX: usize = 128;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    member: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    skill: Option<u8>,
    team: Option<Colour>,
    aggression: Option<u8>,
    patience: Option<u8>,
    loyalty: Option<u8>,
    curiosity: Option<u8>,
    steadiness: Option<u8>,
    throwing: Option<u8>,
    handedness: Option<u8>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Blue,
}

pub(crate) fn read(path: &Path, skill: Skill, seed: u64) -> Result<Roster> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text, skill, seed).with_context(|| format!("{} is no roster", path.display()))
}

fn parse(text: &str, skill: Skill, seed: u64) -> Result<Roster> {
    let sheet: Sheet = toml::from_str(text)?;
    let count = sheet.member.len();
    ensure!((1..=MEMBERS_MAX).contains(&count), "it names {count} members: 1 to {MEMBERS_MAX} can play");
    let members = sheet.member.iter().map(|entry| entry.member(skill, seed));
    Ok(Roster { members: members.collect::<Result<_>>()?, civilians: 0 })
}

impl Entry {
    fn member(&self, skill: Skill, seed: u64) -> Result<Member> {
        let name = &self.name;
        ensure!(self.skill.is_none_or(|skill| skill <= 3), "{name}: a skill is 0, 1, 2 or 3");
        Ok(Member {
            name: name.clone(),
            skill: self.skill.map_or(skill, skill_of),
            team: self.team.map(|colour| Team(colour as u8 + 1)),
            traits: self.traits(seed)?,
        })
    }

    fn traits(&self, seed: u64) -> Result<Option<Traits>> {
        let Entry { aggression, patience, loyalty, curiosity, steadiness, throwing, handedness, .. } = *self;
        let named = [aggression, patience, loyalty, curiosity, steadiness, throwing, handedness];
        if named.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut values = Traits::drawn(seed, &self.name).values();
        for ((value, named), trait_name) in values.iter_mut().zip(named).zip(Traits::NAMES) {
            ensure!(named.is_none_or(|named| named <= Traits::MOST), "{}: {trait_name} is 0 to 100", self.name);
            *value = named.unwrap_or(*value);
        }
        Ok(Some(Traits::of(values)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roster_names_people_and_what_is_not_said_is_drawn() {
        let text =
            "[[member]]\nname = \"Ada\"\nskill = 3\nteam = \"blue\"\naggression = 90\n[[member]]\nname = \"Boris\"\n";
        let members = parse(text, Skill::Regular, 7).expect("a roster").members;
        let drawn = Traits::drawn(7, "Ada");
        assert_eq!((members[0].skill, members[0].team), (Skill::Elite, Some(Team(2))));
        assert_eq!(members[0].traits, Some(Traits { aggression: 90, ..drawn }));
        assert_eq!((members[1].skill, members[1].team, members[1].traits), (Skill::Regular, None, None));
    }

    #[test]
    fn a_slip_of_the_pen_is_told() {
        let told = |text: &str| format!("{:#}", parse(text, Skill::Regular, 7).expect_err("a slip"));
        assert!(told("[[member]]\nname = \"Ada\"\naggresion = 3\n").contains("aggresion"));
        assert_eq!(told("[[member]]\nname = \"Ada\"\npatience = 101\n"), "Ada: patience is 0 to 100");
        assert_eq!(told("[[member]]\nname = \"Ada\"\nskill = 4\n"), "Ada: a skill is 0, 1, 2 or 3");
        assert_eq!(told("member = []\n"), "it names 0 members: 1 to 128 can play");
    }
}
