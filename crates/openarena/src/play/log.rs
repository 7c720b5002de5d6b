//! Who killed whom and how, and who did what with a flag: the engine's own log of a match (`games.log`).
//!
//! In: the log's text. Out: every `Kill` and every `CTF` line up to the end of the match, by client slots. The game writes the
//! log; nothing of ours has a say in it.

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

/// A line such as `  2:42 CTF: 1 2 0: Birch got the BLUE flag!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagDeed {
    /// Seconds since the level began.
    pub time_s: i32,
    pub by: usize,
    pub deed: Deed,
}

/// What somebody did with a flag, or to its bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Took,
    Captured,
    Returned,
    KilledBearer,
}

/// Kills of the first match in the log.
pub fn kills(text: &str) -> Vec<Kill> {
    of_match(text).filter_map(|(time, rest)| kill(time, rest.strip_prefix("Kill: ")?)).collect()
}

/// What was done with flags in the first match in the log.
pub fn flag_deeds(text: &str) -> Vec<FlagDeed> {
    of_match(text).filter_map(|(time, rest)| flag_deed(time, rest.strip_prefix("CTF: ")?)).collect()
}

/// Lines of the first match, each with its time.
fn of_match(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter_map(|line| line.trim_start().split_once(' '));
    lines.take_while(|(_, rest)| !rest.starts_with("Exit:"))
}

fn kill(time: &str, rest: &str) -> Option<Kill> {
    let [killer, victim, means] = numbers(rest)?;
    Some(Kill {
        time_s: seconds(time)?,
        killer: (killer != WORLD).then_some(killer),
        victim,
        means: Means(u8::try_from(means).ok()?),
    })
}

fn flag_deed(time: &str, rest: &str) -> Option<FlagDeed> {
    let [by, _, deed] = numbers(rest)?;
    let deed = match deed {
        0 => Deed::Took,
        1 => Deed::Captured,
        2 => Deed::Returned,
        3 => Deed::KilledBearer,
        _ => return None,
    };
    Some(FlagDeed { time_s: seconds(time)?, by, deed })
}

/// The three numbers before a colon.
fn numbers(rest: &str) -> Option<[usize; 3]> {
    let (numbers, _) = rest.split_once(':')?;
    let mut numbers = numbers.split(' ').map(|number| number.parse::<usize>().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

fn seconds(time: &str) -> Option<i32> {
    let (minutes, seconds) = time.split_once(':')?;
    Some(minutes.parse::<i32>().ok()? * 60 + seconds.parse::<i32>().ok()?)
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
        assert_eq!(flag_deeds(log), []);
    }

    #[test]
    fn deeds_with_flags_are_read_up_to_the_end_of_the_match() {
        let log = "  0:00 InitGame: \\dmflags\\0\n\
                   \x20 2:42 CTF: 1 2 0: Birch got the BLUE flag!\n\
                   \x20 2:52 CTF: 4 1 3: sarge1 fragged RED's flag carrier!\n\
                   \x20 2:53 CTF: 7 2 2: merman4 returned the BLUE flag!\n\
                   \x20 3:20 CTF: 0 2 1: Ash captured the BLUE flag!\n\
                   \x20 3:21 CTF: -1 1 2: The RED flag has returned!\n\
                   \x2010:00 Exit: Timelimit hit.\n\
                   \x2010:05 CTF: 0 2 1: later\n";
        let deed = |time_s, by, deed| FlagDeed { time_s, by, deed };
        let deeds = [
            deed(162, 1, Deed::Took),
            deed(172, 4, Deed::KilledBearer),
            deed(173, 7, Deed::Returned),
            deed(200, 0, Deed::Captured),
        ];
        assert_eq!(flag_deeds(log), deeds);
    }
}
