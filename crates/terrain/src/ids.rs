//! The numbers by which a terrain's tables name each other's rows, and the flags that stand in those rows.

/// Most waypoints a terrain may have: tables of pairs (sight, travel times) grow with the square.
pub const WAYPOINTS_MAX: usize = 8192;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(pub $raw);

        impl $name {
            /// Stands in a column where there is none.
            pub const NONE: $name = $name(<$raw>::MAX);

            pub const fn index(self) -> usize {
                self.0 as usize
            }

            pub const fn is_none(self) -> bool {
                self.0 == <$raw>::MAX
            }

            pub const fn is_some(self) -> bool {
                self.0 != <$raw>::MAX
            }

            /// None for [`Self::NONE`].
            pub fn get(self) -> Option<$name> {
                self.is_some().then_some(self)
            }
        }

        impl From<usize> for $name {
            /// Tables are kept below the largest number of their id; a row past it is a bug.
            fn from(index: usize) -> $name {
                assert!(index < <$raw>::MAX as usize, "no {} for row {index}", stringify!($name));
                $name(index as $raw)
            }
        }
    };
}

id! {
    /// A spot where a player can stand, crouch, hang or swim: a row of [`Waypoints`](crate::Waypoints).
    WaypointId(u16)
}
id! {
    /// A directed way between two waypoints: a row of [`Links`](crate::Links).
    LinkId(u32)
}
id! {
    /// A room, hall, street or roof: a row of [`Areas`](crate::Areas).
    AreaId(u16)
}
id! {
    /// A door, window or ladder between two areas: a row of [`Portals`](crate::Portals).
    PortalId(u16)
}
id! {
    /// A door, lift, train or button: a row of [`Movers`](crate::Movers).
    MoverId(u16)
}

/// A set of named bits of `$raw`; each bit has the word it goes by in text.
macro_rules! flags {
    ($(#[$doc:meta])* $name:ident($raw:ty) { $($(#[$bit_doc:meta])* $bit:ident = $value:expr, $word:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
        pub struct $name(pub $raw);

        impl $name {
            pub const NONE: $name = $name(0);
            $($(#[$bit_doc])* pub const $bit: $name = $name($value);)*
            /// Every bit that has a meaning.
            pub const ALL: $name = $name(0 $(| $value)*);
            const WORDS: &'static [(&'static str, $raw)] = &[$(($word, $value)),*];

            /// Whether any bit is set in both.
            pub const fn meets(self, other: $name) -> bool {
                self.0 & other.0 != 0
            }

            /// Whether every bit of `other` is set here.
            pub const fn holds(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }

            pub const fn without(self, other: $name) -> $name {
                $name(self.0 & !other.0)
            }

            /// The words of the bits that are set, in the order of the bits.
            pub fn words(self) -> impl Iterator<Item = &'static str> {
                Self::WORDS.iter().filter(move |(_, value)| self.0 & value != 0).map(|(word, _)| *word)
            }

            /// The bit that goes by `word`.
            pub fn from_word(word: &str) -> Option<$name> {
                Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| $name(*value))
            }

            /// Every word a bit goes by, for telling what is allowed.
            pub fn all_words() -> impl Iterator<Item = &'static str> {
                Self::WORDS.iter().map(|(word, _)| *word)
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl std::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, other: $name) {
                self.0 |= other.0;
            }
        }

        impl std::ops::BitAnd for $name {
            type Output = $name;
            fn bitand(self, other: $name) -> $name {
                $name(self.0 & other.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let words: Vec<&str> = self.words().collect();
                write!(f, "{}", if words.is_empty() { "none".to_owned() } else { words.join("+") })
            }
        }
    };
}
pub(crate) use flags;

/// An enum of one byte; each value has the word it goes by in text.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $raw:literal, $word:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$value_doc])* $value = $raw,)*
        }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$value),*];

            pub const fn word(self) -> &'static str {
                match self {
                    $($name::$value => $word,)*
                }
            }

            pub fn from_word(word: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|kind| kind.word() == word)
            }

            pub fn from_byte(byte: u8) -> Option<$name> {
                Self::ALL.iter().copied().find(|kind| *kind as u8 == byte)
            }
        }
    };
}
pub(crate) use kinds;
