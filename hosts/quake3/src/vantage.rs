//! Somewhere to look from when a match is over.
//!
//! The game shows everybody the map from an `info_player_intermission`, else from where anybody may spawn. On a map that has
//! neither for what is played (of OpenArena's, oa_bases3cl played for flags), it ends the server with "Couldn't find a spawn
//! point" at the end of the first match. An operator wants to keep the server: such a map gets a place at one of its teams' spawns.
//!
//! In: the map's words, as the game reads them one by one. Out: a few more of them after the last, if they are needed.

use fireteam_openarena::cast::is_cast;
use fireteam_world::map::Entity;

/// Where the game finds a place by itself.
const PLACES: [&str; 3] = ["info_player_intermission", "info_player_deathmatch", "info_player_start"];
const TEAM_SPAWNS: [&str; 4] = ["team_CTF_redspawn", "team_CTF_redplayer", "team_CTF_bluespawn", "team_CTF_blueplayer"];

/// What the game has read of a map so far.
#[derive(Debug)]
pub(crate) struct Vantage {
    game_type: i32,
    entity: Entity,
    key: Option<String>,
    has_place: bool,
    /// Where a team spawns.
    spare: Option<String>,
    /// Words that were added.
    added: usize,
}

impl Vantage {
    pub(crate) fn new(game_type: i32) -> Vantage {
        let entity = Entity { pairs: Vec::new() };
        Vantage { game_type, entity, key: None, has_place: false, spare: None, added: 0 }
    }

    /// The next word of the map.
    pub(crate) fn read(&mut self, word: &str) {
        match (word, self.key.take()) {
            ("{", None) => self.entity.pairs.clear(),
            ("}", None) => self.judge(),
            (_, None) => self.key = Some(word.to_owned()),
            (_, Some(key)) => self.entity.pairs.push((key, word.to_owned())),
        }
    }

    fn judge(&mut self) {
        if !is_cast(&self.entity, self.game_type) {
            return;
        }
        let class = self.entity.class();
        self.has_place |= PLACES.contains(&class);
        if TEAM_SPAWNS.contains(&class) && self.spare.is_none() {
            self.spare = self.entity.get("origin").map(str::to_owned);
        }
    }

    /// There are no more words in the map: one to go on with, as long as any is needed.
    pub(crate) fn add(&mut self) -> Option<&str> {
        let spare = self.spare.as_deref().filter(|_| !self.has_place)?;
        let words = ["{", "classname", PLACES[0], "origin", spare, "}"];
        let word = words.get(self.added).copied()?;
        self.added += 1;
        Some(word)
    }

    /// Whether a place was added.
    pub(crate) fn has_added(&self) -> bool {
        self.added > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: i32 = 4;

    fn added(text: &str, game_type: i32) -> Vec<String> {
        let mut vantage = Vantage::new(game_type);
        text.split_whitespace().for_each(|word| vantage.read(word));
        std::iter::from_fn(|| vantage.add().map(str::to_owned)).collect()
    }

    #[test]
    fn a_map_with_nowhere_to_look_from_gets_a_place() {
        let spawn = "{ classname info_player_deathmatch notteam 1 origin 1,2,3 }";
        let team = "{ classname team_CTF_bluespawn origin 4,5,6 }";
        let words = ["{", "classname", "info_player_intermission", "origin", "4,5,6", "}"];
        assert_eq!(added(&format!("{{ classname worldspawn }} {spawn} {team}"), FLAGS), words);
    }

    #[test]
    fn other_maps_stay_as_they_are() {
        let team = "{ classname team_CTF_bluespawn origin 4,5,6 }";
        let spawn = "{ classname info_player_deathmatch notteam 1 origin 1,2,3 }";
        assert!(added(&format!("{spawn} {team}"), 0).is_empty(), "it is there for who plays alone");
        for class in PLACES {
            assert!(added(&format!("{team} {{ origin 1,2,3 classname {class} }}"), FLAGS).is_empty(), "{class}");
        }
        assert!(added("{ classname worldspawn }", FLAGS).is_empty(), "nothing is known to be free");
    }
}
