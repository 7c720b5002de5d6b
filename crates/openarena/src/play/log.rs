//! Who killed whom and how: the engine's own log of a match (`games.log`).
//!
//! In: the log's text. Out: every `Kill` line up to the end of the match, by client slots. The game writes the log; nothing of
//! ours has a say in it.

use std::fmt;

/// A line such as `  1:23 Kill: 2 5 7: Ash killed Sarge by MOD_ROCKET_SPLASH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill {
    /// Seconds since the level began.
    pub time_s: i32,
    /// None for the map itself: falls, lava, crushers.
    pub killer: Option<usize>,
    pub victim: usize,
    pub means: Means,
}

/// What killed, by the game's number (`meansOfDeath_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Means(pub u8);

/// In the order of the game's numbers. Splash counts as the weapon that made it.
const NAMES: [&str; 24] = [
    "unknown",
    "shotgun",
    "gauntlet",
    "machinegun",
    "grenade-launcher",
    "grenade-launcher",
    "rocket-launcher",
    "rocket-launcher",
    "plasmagun",
    "plasmagun",
    "railgun",
    "lightning",
    "bfg",
    "bfg",
    "water",
    "slime",
    "lava",
    "crush",
    "telefrag",
    "falling",
    "suicide",
    "laser",
    "hurt",
    "nailgun",
];

impl Means {
    /// The weapon or the misfortune.
    pub fn name(self) -> &'static str {
        NAMES.get(usize::from(self.0)).copied().unwrap_or("other")
    }
}

impl fmt::Display for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The game's number for what is nobody's.
const WORLD: usize = 1022;

/// Kills of the first match in the log.
pub fn kills(text: &str) -> Vec<Kill> {
    let mut kills = Vec::new();
    for line in text.lines() {
        let Some((time, rest)) = line.trim_start().split_once(' ') else { continue };
        if rest.starts_with("Exit:") {
            break;
        }
        kills.extend(rest.strip_prefix("Kill: ").and_then(|rest| kill(time, rest)));
    }
    kills
}

fn kill(time: &str, rest: &str) -> Option<Kill> {
    let (minutes, seconds) = time.split_once(':')?;
    let (numbers, _) = rest.split_once(':')?;
    let mut numbers = numbers.split(' ').map(|number| number.parse::<usize>().ok());
    let (killer, victim, means) = (numbers.next()??, numbers.next()??, numbers.next()??);
    Some(Kill {
        time_s: minutes.parse::<i32>().ok()? * 60 + seconds.parse::<i32>().ok()?,
        killer: (killer != WORLD).then_some(killer),
        victim,
        means: Means(u8::try_from(means).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kills_are_read_up_to_the_end_of_the_match() {
        let log = "  0:00 InitGame: \\dmflags\\0\n\
                   \x20 0:41 Kill: 2 5 7: Ash killed two words: x by MOD_ROCKET_SPLASH\n\
                   \x20 1:05 Kill: 1022 0 19: <world> killed Ash by MOD_FALLING\n\
                   \x20 1:06 say: Ash: Kill: 1 2 3: no\n\
                   \x2010:00 Exit: Timelimit hit.\n\
                   \x2010:16 Kill: 1 2 3: later\n";
        let first = Kill { time_s: 41, killer: Some(2), victim: 5, means: Means(7) };
        let second = Kill { time_s: 65, killer: None, victim: 0, means: Means(19) };
        assert_eq!(kills(log), [first, second]);
        assert_eq!(first.means.name(), "rocket-launcher");
        assert_eq!(Means(99).name(), "other");
        assert_eq!(kills("  0:41 Kill: x"), []);
    }
}
