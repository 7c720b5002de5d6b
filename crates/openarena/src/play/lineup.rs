//! Who plays, in the order of their client slots: bots of ours and of the game's own, with team and skill.
//!
//! A line-up is handed to the module as one short word an entrant (`or2`: ours, red, skill 2; `sb3`: stock, blue, skill
//! 3), because a console variable holds 255 characters. Who joins earlier gets the lower slot, and the lower slots have
//! the advantage (measured: 63 : 37 between equal teams), so a fair comparison plays both orders.

use std::fmt;
use std::str::FromStr;

/// Whose bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Ours,
    Stock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Red,
    Blue,
    /// Everyone for himself, or wherever there is room.
    Free,
}

/// One bot to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrant {
    pub side: Side,
    pub colour: Colour,
    /// 1 to 4 for ours, 1 to 5 for the game's.
    pub skill: u8,
}

impl Colour {
    /// As the game's commands and user settings name it; none if there are no teams.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Colour::Red => Some("red"),
            Colour::Blue => Some("blue"),
            Colour::Free => None,
        }
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Ours => 'o',
            Side::Stock => 's',
        };
        let colour = match self.colour {
            Colour::Red => 'r',
            Colour::Blue => 'b',
            Colour::Free => 'f',
        };
        write!(f, "{side}{colour}{}", self.skill)
    }
}

impl FromStr for Entrant {
    type Err = ();

    fn from_str(word: &str) -> Result<Entrant, ()> {
        let [side, colour, skill] = word.as_bytes() else { return Err(()) };
        let side = match side {
            b'o' => Side::Ours,
            b's' => Side::Stock,
            _ => return Err(()),
        };
        let colour = match colour {
            b'r' => Colour::Red,
            b'b' => Colour::Blue,
            b'f' => Colour::Free,
            _ => return Err(()),
        };
        let skill = skill.wrapping_sub(b'0');
        if (1..=5).contains(&skill) { Ok(Entrant { side, colour, skill }) } else { Err(()) }
    }
}

/// A line-up as the module is told it.
pub fn to_text(entrants: &[Entrant]) -> String {
    entrants.iter().map(Entrant::to_string).collect::<Vec<_>>().join(" ")
}

/// `None` if a word is none of ours.
pub fn from_text(text: &str) -> Option<Vec<Entrant>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_up_comes_back_from_its_text() {
        let red = Entrant { side: Side::Ours, colour: Colour::Red, skill: 4 };
        let blue = Entrant { side: Side::Stock, colour: Colour::Blue, skill: 5 };
        let free = Entrant { side: Side::Ours, colour: Colour::Free, skill: 1 };
        let entrants = vec![red, blue, free];
        assert_eq!(to_text(&entrants), "or4 sb5 of1");
        assert_eq!(from_text(&to_text(&entrants)), Some(entrants));
        assert_eq!(from_text(""), Some(Vec::new()));
        for wrong in ["or", "xr1", "oy1", "or0", "or6", "or10"] {
            assert_eq!(from_text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_full_server_fits_a_console_variable() {
        let one = Entrant { side: Side::Stock, colour: Colour::Blue, skill: 5 };
        assert!(to_text(&[one; 63]).len() < 256);
    }
}
