//! What may be tuned: every taste of the bots as a named variable with kind, range, help and the reason for its value.
//!
//! One entry of [`convars!`] makes the field, its default, its range check and its line in every listing. Code
//! receives `&ConVars`, fixed for the frame and kept in recordings; there are no globals. A fact about a game is not a
//! convar (it is in the game's description), and neither is a number nobody would tune.

use std::fmt;

/// A variable as listings show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listing {
    pub name: &'static str,
    pub help: &'static str,
    pub default: f64,
    pub min: f64,
    pub max: f64,
    /// Whole numbers only.
    pub is_whole: bool,
}

/// Why a variable was not set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BadConVar {
    #[error("there is no variable `{name}`; the nearest is `{nearest}`")]
    Unknown { name: String, nearest: &'static str },
    #[error("`{name}` takes a number from {min} to {max}, not `{value}`")]
    OutOfRange { name: &'static str, value: String, min: f64, max: f64 },
}

/// Numbers a variable can be.
pub trait Number: Copy {
    const IS_WHOLE: bool;
    fn to_double(self) -> f64;
    fn from_double(value: f64) -> Self;
}

impl Number for f32 {
    const IS_WHOLE: bool = false;
    fn to_double(self) -> f64 {
        f64::from(self)
    }
    fn from_double(value: f64) -> f32 {
        value as f32
    }
}

impl Number for i32 {
    const IS_WHOLE: bool = true;
    fn to_double(self) -> f64 {
        f64::from(self)
    }
    fn from_double(value: f64) -> i32 {
        value as i32
    }
}

impl Number for u32 {
    const IS_WHOLE: bool = true;
    fn to_double(self) -> f64 {
        f64::from(self)
    }
    fn from_double(value: f64) -> u32 {
        value as u32
    }
}

macro_rules! convars {
    ($( $(#[doc = $help:literal])* $name:ident: $kind:ty = $default:expr, in $range:expr; )*) => {
        /// All variables, with the values in force.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct ConVars {
            $( $(#[doc = $help])* pub $name: $kind, )*
        }

        impl Default for ConVars {
            fn default() -> ConVars {
                ConVars { $( $name: $default, )* }
            }
        }

        impl ConVars {
            /// Every variable, in the order of the table.
            pub const LISTINGS: &[Listing] = &[
                $( Listing {
                    name: stringify!($name),
                    help: concat!($($help, "\n"),*),
                    default: $default as f64,
                    min: *{ const RANGE: std::ops::RangeInclusive<$kind> = $range; RANGE }.start() as f64,
                    max: *{ const RANGE: std::ops::RangeInclusive<$kind> = $range; RANGE }.end() as f64,
                    is_whole: <$kind as Number>::IS_WHOLE,
                }, )*
            ];

            /// The value of a variable.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $( stringify!($name) => Some(self.$name.to_double()), )*
                    _ => None,
                }
            }

            fn put(&mut self, name: &str, value: f64) {
                match name {
                    $( stringify!($name) => self.$name = Number::from_double(value), )*
                    _ => {}
                }
            }
        }
    };
}

convars! {
    /// Milliseconds between two decisions of a bot.
    /// Ten a second, as Quake III's own bots have; aim and legs run every frame anyway.
    think_ms: i32 = 100, in 20..=1000;

    /// Path search steps all bots together may take in one frame.
    /// JoeBOT XP (2005) takes 50 a frame; a step costs well under a microsecond today.
    path_slices_per_frame: u32 = 400, in 16..=100_000;

    /// Fastest turn of the view, in degrees a second.
    /// A good player flicks half a circle in a quarter of a second.
    aim_turn_rate_max: f32 = 720.0, in 90.0..=3600.0;

    /// How quickly an elite's hand closes on a target: the natural frequency of the aim, per second.
    /// At 16 nine tenths of a turn are done in a quarter of a second.
    aim_quickness_elite: f32 = 16.0, in 1.0..=60.0;

    /// The same for a recruit.
    /// At 7 it takes half a second and a little.
    aim_quickness_recruit: f32 = 7.0, in 1.0..=60.0;

    /// Damping of a recruit's aim; 1 does not overshoot, an elite always has 1.
    /// At 0.6 one turn in ten goes too far and comes back, as beginners' do.
    aim_damping_recruit: f32 = 0.6, in 0.2..=1.0;

    /// Degrees an elite's settled aim is off, as one standard deviation.
    /// A body 30 units wide is 3.4 degrees at 500 units: this hits it nearly always.
    aim_error_elite: f32 = 0.6, in 0.0..=20.0;

    /// The same for a recruit.
    /// At 500 units about every third shot of a rifle hits.
    aim_error_recruit: f32 = 3.0, in 0.0..=20.0;

    /// How quick a look about is, as a share of aiming.
    /// Heads turn slower when nothing is at stake, which also saves the eyes from missing what they sweep over.
    aim_glance_share: f32 = 0.5, in 0.05..=1.0;
}

impl ConVars {
    /// Sets a variable from what somebody typed. Nothing changes if it does not fit.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadConVar> {
        let Some(listing) = Self::LISTINGS.iter().find(|listing| listing.name == name) else {
            return Err(BadConVar::Unknown { name: name.to_owned(), nearest: nearest(name) });
        };
        let fits =
            |number: &f64| (listing.min..=listing.max).contains(number) && (!listing.is_whole || number.fract() == 0.0);
        match value.trim().parse::<f64>().ok().filter(fits) {
            Some(number) => {
                self.put(listing.name, number);
                Ok(())
            }
            None => Err(BadConVar::OutOfRange {
                name: listing.name,
                value: value.to_owned(),
                min: listing.min,
                max: listing.max,
            }),
        }
    }
}

/// The name with the longest common beginning.
fn nearest(name: &str) -> &'static str {
    let common = |known: &str| known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    ConVars::LISTINGS.iter().map(|listing| listing.name).max_by_key(|known| common(known)).unwrap_or("")
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} = {} ({} to {})", self.name, self.default, self.min, self.max)?;
        self.help.lines().try_for_each(|line| writeln!(f, "   {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_within_their_ranges_and_every_variable_can_be_set() {
        let mut convars = ConVars::default();
        for listing in ConVars::LISTINGS {
            assert!((listing.min..=listing.max).contains(&listing.default), "{listing}");
            assert!(listing.help.lines().count() >= 2, "{} does not say why its value is what it is", listing.name);
            convars.set(listing.name, &listing.max.to_string()).expect("the end of a range is in it");
            assert_eq!(convars.get(listing.name), Some(f64::from(listing.max as f32)).filter(|_| true));
            assert!(convars.set(listing.name, &(listing.max + 1.0).to_string()).is_err());
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_told() {
        let mut convars = ConVars::default();
        let error = convars.set("think_mss", "50").expect_err("no such variable");
        assert_eq!(error.to_string(), "there is no variable `think_mss`; the nearest is `think_ms`");
        let error = convars.set("think_ms", "soon").expect_err("not a number");
        assert_eq!(error.to_string(), "`think_ms` takes a number from 20 to 1000, not `soon`");
        assert!(convars.set("think_ms", "50.5").is_err() && convars.set("think_ms", "nan").is_err());
        assert_eq!(convars, ConVars::default());
    }
}
