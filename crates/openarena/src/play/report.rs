//! What the module saw of a match from outside, and what it cost: written when the match ends, read by whoever asked.
//!
//! Plain lines of a word and its numbers, so that a person can read them too. Not here: who killed whom, which the
//! engine's own log says ([`super::log`]).

use std::fmt;

use super::lineup::Side;

/// One match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Time of the game that was watched.
    pub game_ms: i64,
    pub players: Vec<PlayerReport>,
    /// Where bots of ours were stuck, the first of them.
    pub cases: Vec<Case>,
    pub ours: Cost,
    pub stock: Cost,
    pub think: Spread,
    /// Whole frames: the game, its own bots and ours. Loading is left out.
    pub frame: Spread,
    /// Microseconds, and how many frames took so long, rounded up to what they are counted by: several levels can be added up.
    pub frame_lengths: Vec<(u32, u64)>,
    /// Of each frame, what our module did; and the rest of it, which is the game and its own bots.
    pub own: Spread,
    pub rest: Spread,
    /// Bots, of ours or not, that were in the game and are gone though nobody sent them away.
    pub dropped: u32,
    /// Of our cost, what was spent on reading the game's memory and on pressing keys.
    pub translate_ns: u64,
    pub press_ns: u64,
    /// Bots that were benched after a panic.
    pub faults: u32,
    /// Asked for by `ft_check`.
    pub foreseen: Foreseen,
}

/// Bodies that were moved on by our physics, and how many of them the game took to the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    pub bodies: u64,
    pub near: u64,
}

/// Somebody who wanted to move and did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub slot: usize,
    /// When that was noticed, in time of the game that was watched.
    pub ms: i64,
    pub place: [i32; 3],
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { slot, ms, place: [x, y, z] } = self;
        write!(f, "client {slot} at {x} {y} {z} after {} s", ms / 1000)
    }
}

/// CPU time of the server's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub ns: u64,
    /// Bots times milliseconds they were in the game.
    pub bot_ms: u64,
}

impl Cost {
    /// Microseconds a bot and second of the game.
    pub fn us_per_bot_second(&self) -> Option<f64> {
        (self.bot_ms > 0).then(|| self.ns as f64 / self.bot_ms as f64)
    }

    pub fn add(&mut self, other: Cost) {
        self.ns += other.ns;
        self.bot_ms += other.bot_ms;
    }
}

/// How long frames took, in microseconds of CPU time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    pub frames: u64,
    pub median: u32,
    pub p99: u32,
    pub p999: u32,
    pub max: u32,
}

/// One client, by where it was.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerReport {
    pub slot: usize,
    /// None for a person.
    pub side: Option<Side>,
    /// As the game numbers them: 0 none, 1 red, 2 blue.
    pub team: i32,
    pub alive_ms: i64,
    /// Of that, time within 32 units of one place for more than five seconds.
    pub still_ms: i64,
    /// Of the time it stood still, that for which its journal has a reason to hold. Of ours only.
    pub held_ms: i64,
    /// How often it wanted to move for five seconds and stayed within 32 units. Of ours only: nobody knows what others press.
    pub stuck: u32,
    /// Units walked.
    pub distance: f64,
    pub name: String,
}

impl Report {
    pub fn to_text(&self) -> String {
        let Report { ours, stock, .. } = self;
        let mut text =
            format!("game {}\nours {} {}\nstock {} {}\n", self.game_ms, ours.ns, ours.bot_ms, stock.ns, stock.bot_ms);
        text += &format!("parts {} {} {}\n", self.translate_ns, self.press_ns, self.faults);
        let spreads = [("think", self.think), ("frame", self.frame), ("own", self.own), ("rest", self.rest)];
        for (word, Spread { frames, median, p99, p999, max }) in spreads {
            text += &format!("{word} {frames} {median} {p99} {p999} {max}\n");
        }
        if !self.frame_lengths.is_empty() {
            let lengths = self.frame_lengths.iter().map(|(us, count)| format!(" {us} {count}"));
            text += &format!("lengths{}\n", lengths.collect::<String>());
        }
        text += &format!("dropped {}\n", self.dropped);
        text += &format!("foreseen {} {}\n", self.foreseen.bodies, self.foreseen.near);
        for Case { slot, ms, place: [x, y, z] } in &self.cases {
            text += &format!("stuck {slot} {ms} {x} {y} {z}\n");
        }
        for player in &self.players {
            let PlayerReport { slot, side, team, alive_ms, still_ms, held_ms, stuck, distance, name } = player;
            let side = match side {
                Some(Side::Ours) => "ours",
                Some(Side::Stock) => "stock",
                None => "person",
            };
            text += &format!("player {slot} {side} {team} {alive_ms} {still_ms} {held_ms} {stuck} {distance:.0} ");
            text += &format!("{name}\n");
        }
        text
    }

    /// `None` if a line makes no sense.
    pub fn from_text(text: &str) -> Option<Report> {
        let mut report = Report::default();
        for line in text.lines() {
            report.read(line)?;
        }
        Some(report)
    }

    fn read(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        if word == "player" {
            self.players.push(read_player(rest)?);
            return Some(());
        }
        if word == "stuck" {
            self.cases.push(read_case(rest)?);
            return Some(());
        }
        let numbers: Vec<u64> = rest.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        match (word, numbers.as_slice()) {
            ("game", &[ms]) => self.game_ms = ms as i64,
            ("ours", &[ns, bot_ms]) => self.ours = Cost { ns, bot_ms },
            ("stock", &[ns, bot_ms]) => self.stock = Cost { ns, bot_ms },
            ("parts", &[translate_ns, press_ns, faults]) => {
                self.translate_ns = translate_ns;
                self.press_ns = press_ns;
                self.faults = faults as u32;
            }
            ("think" | "frame" | "own" | "rest", &[frames, median, p99, p999, max]) => {
                let [median, p99, p999, max] = [median, p99, p999, max].map(|us| us as u32);
                let spread = match word {
                    "think" => &mut self.think,
                    "frame" => &mut self.frame,
                    "own" => &mut self.own,
                    _ => &mut self.rest,
                };
                *spread = Spread { frames, median, p99, p999, max };
            }
            ("lengths", numbers) => {
                let (pairs, odd) = numbers.as_chunks::<2>();
                let lengths = pairs.iter().map(|&[us, count]| Some((u32::try_from(us).ok()?, count)));
                self.frame_lengths = lengths.collect::<Option<_>>().filter(|_| odd.is_empty())?;
            }
            ("dropped", &[count]) => self.dropped = count as u32,
            ("foreseen", &[bodies, near]) => self.foreseen = Foreseen { bodies, near },
            _ => return None,
        }
        Some(())
    }

    pub fn of_side(&self, side: Side) -> impl Iterator<Item = &PlayerReport> {
        self.players.iter().filter(move |player| player.side == Some(side))
    }
}

fn read_case(line: &str) -> Option<Case> {
    let numbers: Vec<i32> = line.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let &[slot, ms, x, y, z] = numbers.as_slice() else { return None };
    Some(Case { slot: usize::try_from(slot).ok()?, ms: i64::from(ms), place: [x, y, z] })
}

fn read_player(line: &str) -> Option<PlayerReport> {
    let mut words = line.splitn(9, ' ');
    let mut word = || words.next();
    Some(PlayerReport {
        slot: word()?.parse().ok()?,
        side: match word()? {
            "ours" => Some(Side::Ours),
            "stock" => Some(Side::Stock),
            "person" => None,
            _ => return None,
        },
        team: word()?.parse().ok()?,
        alive_ms: word()?.parse().ok()?,
        still_ms: word()?.parse().ok()?,
        held_ms: word()?.parse().ok()?,
        stuck: word()?.parse().ok()?,
        distance: word()?.parse().ok()?,
        name: word()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_comes_back_from_its_text() {
        let player = |slot, side, name: &str| PlayerReport {
            slot,
            side,
            team: 1,
            alive_ms: 1000,
            still_ms: 50,
            held_ms: 20,
            stuck: 2,
            distance: 320.0,
            name: name.to_owned(),
        };
        let report = Report {
            game_ms: 600_000,
            players: vec![
                player(0, Some(Side::Ours), "Ash"),
                player(1, Some(Side::Stock), "two words"),
                player(2, None, ""),
            ],
            cases: vec![Case { slot: 1, ms: 61_050, place: [-12, 5, 24] }],
            ours: Cost { ns: 5_000_000, bot_ms: 10_000 },
            stock: Cost { ns: 7, bot_ms: 0 },
            think: Spread { frames: 9, median: 1, p99: 2, p999: 3, max: 4 },
            frame: Spread { frames: 9, median: 5, p99: 6, p999: 7, max: 8 },
            frame_lengths: vec![(10, 4), (40, 5)],
            own: Spread { frames: 9, median: 6, p99: 7, p999: 8, max: 9 },
            rest: Spread { frames: 9, median: 7, p99: 8, p999: 9, max: 10 },
            dropped: 2,
            translate_ns: 11,
            press_ns: 12,
            faults: 1,
            foreseen: Foreseen { bodies: 9, near: 8 },
        };
        assert_eq!(Report::from_text(&report.to_text()), Some(report.clone()));
        assert_eq!(report.ours.us_per_bot_second(), Some(500.0));
        assert_eq!(report.stock.us_per_bot_second(), None);
        assert_eq!(Report::from_text("game soon"), None);
        assert_eq!(Report::from_text("song 1"), None);
        assert_eq!(Report::from_text("lengths 10 4 40"), None, "forty microseconds how often?");
        assert_eq!(Report::from_text("stuck 1 2 3 4"), None, "a place has three numbers");
    }
}
