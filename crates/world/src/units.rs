//! Scalars that must not be swapped: times, and the ids that index a map's tables.

use std::ops::{Add, Sub};

/// A moment of the game, in milliseconds since its level began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Time(pub i32);

impl Time {
    /// Seconds from `earlier` to this moment.
    pub fn seconds_since(self, earlier: Time) -> f32 {
        (self.0 - earlier.0) as f32 * 0.001
    }
}

impl Add<i32> for Time {
    type Output = Time;
    fn add(self, ms: i32) -> Time {
        Time(self.0 + ms)
    }
}

impl Sub for Time {
    type Output = i32;
    fn sub(self, other: Time) -> i32 {
        self.0 - other.0
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(pub $raw);

        impl $name {
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A brush of a [`Map`](crate::Map), in file order.
    BrushId(u32)
}
id! {
    /// A curved patch of a [`Map`](crate::Map), in file order.
    PatchId(u32)
}
id! {
    /// A brush model: 0 is the map itself, the others are doors, lifts, triggers.
    ModelId(u16)
}
id! {
    /// A moving or living thing, numbered by the game that runs it.
    EntityId(u16)
}

impl ModelId {
    pub const WORLD: ModelId = ModelId(0);
}
