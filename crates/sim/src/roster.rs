//! Who plays: names and skills, spread over the teams; the same people come back on the next map.

use fireteam::snapshot::Team;
use fireteam::{Character, Skill, Traits};
use fireteam_world::pcg::Pcg;

/// Everyone who takes part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roster {
    pub members: Vec<Member>,
    /// How many people of no side are about, where the game has them.
    pub civilians: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: String,
    pub skill: Skill,
    /// None for whichever side is smaller.
    pub team: Option<Team>,
    /// None to have them drawn from the name and the match's seed.
    pub traits: Option<Traits>,
}

/// Names that are told apart at a glance, and fit a scoreboard.
const NAMES: [&str; 64] = [
    "Ada", "Boris", "Carla", "Dmitri", "Edda", "Falk", "Greta", "Hugo", "Ines", "Jonas", "Kira", "Luca", "Mara",
    "Nils", "Olga", "Pavel", "Quinn", "Rosa", "Sven", "Tara", "Udo", "Vera", "Wanda", "Xaver", "Yuri", "Zoe", "Anton",
    "Bella", "Cem", "Dora", "Emil", "Freya", "Gus", "Hilda", "Igor", "Jana", "Karl", "Lena", "Milo", "Nora", "Otto",
    "Petra", "Ravi", "Selma", "Theo", "Ulla", "Viktor", "Willa", "Yara", "Zeno", "Alba", "Bruno", "Clio", "Dario",
    "Elsa", "Finn", "Gina", "Hanno", "Ilse", "Jakob", "Kaja", "Leo", "Mina", "Noah",
];

impl Roster {
    /// Two sides of `per_team` each, their names drawn by the seed; they join in turn, one of each side.
    pub fn of_teams(per_team: usize, skill: Skill, seed: u64) -> Roster {
        let mut chance = Pcg::named(seed, "roster");
        let mut names: Vec<usize> = (0..NAMES.len()).collect();
        for index in (1..names.len()).rev() {
            names.swap(index, chance.below(index + 1));
        }
        let member = |number: usize| {
            let (name, round) = (NAMES[names[number % NAMES.len()]], number / NAMES.len());
            let name = if round == 0 { name.to_owned() } else { format!("{name} {}", round + 1) };
            Member { name, skill, team: Some(Team(1 + (number % 2) as u8)), traits: None }
        };
        Roster { members: (0..per_team * 2).map(member).collect(), civilians: 0 }
    }
}

impl Member {
    pub fn character(&self) -> Character {
        Character { name: self.name.clone(), skill: self.skill, traits: self.traits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_shares_a_name_and_sides_are_even() {
        let roster = Roster::of_teams(64, Skill::Veteran, 3);
        let mut names: Vec<&str> = roster.members.iter().map(|member| member.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 128);
        assert_eq!(roster.members.iter().filter(|member| member.team == Some(Team(1))).count(), 64);
        assert_ne!(roster, Roster::of_teams(64, Skill::Veteran, 4));
    }
}
