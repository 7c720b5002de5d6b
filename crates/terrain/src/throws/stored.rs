//! A throw in 24 bits, and one that needs a door in 40.
//!
//! ```text
//! bits  0..9   yaw, 512 steps around          16..18  which of the throwable's speeds   21..23  arrival class
//!       9..16  pitch, 128 degrees from -80    18..20  cooking                           23      lies long before it goes off
//!                                             20      crouched
//! ```

use fireteam_world::flight::Throw;
use fireteam_world::movement::Stance;

use super::ThrowTable;
use crate::ids::MoverId;

/// A throw on the lattice of directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Stored {
    /// In steps of [`Stored::YAW_STEP`].
    pub yaw: u16,
    /// In steps of [`Stored::PITCH_STEP`] from [`Stored::PITCH_FIRST`].
    pub pitch: u8,
    /// Which of the table's speeds.
    pub speed: u8,
    /// Steps of cooking.
    pub cooking: u8,
    pub is_crouched: bool,
    /// How soon it lies there, or goes off on its way: see [`Stored::arrives_within_ms`].
    pub arrival: u8,
    /// Whether it lies for half a second and more, to be run away from.
    pub lies_long: bool,
}

impl Stored {
    pub const YAWS: u16 = 512;
    pub const PITCHES: u8 = 128;
    pub const SPEEDS: usize = 4;
    pub const COOKINGS: u8 = 4;
    /// Degrees.
    pub const YAW_STEP: f32 = 360.0 / Stored::YAWS as f32;
    pub const PITCH_STEP: f32 = 1.0;
    pub const PITCH_FIRST: f32 = -80.0;
    /// Ends of the classes of arrival but the last.
    pub const ARRIVALS_MS: [i32; 3] = [750, 1250, 1750];
    /// A grenade that lies this long can be run away from.
    pub const LONG_MS: i32 = 500;

    /// Stands where there is none: a direction on the last step of the lattice, which no throw is kept in.
    pub const NONE: [u8; 3] = [0xff; 3];

    pub fn from_bytes(bytes: &[u8; 3]) -> Stored {
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
        let part = |first: u32, count: u32| bits >> first & ((1 << count) - 1);
        Stored {
            yaw: part(0, 9) as u16,
            pitch: part(9, 7) as u8,
            speed: part(16, 2) as u8,
            cooking: part(18, 2) as u8,
            is_crouched: part(20, 1) == 1,
            arrival: part(21, 2) as u8,
            lies_long: part(23, 1) == 1,
        }
    }

    pub fn to_bytes(self) -> [u8; 3] {
        let bits = u32::from(self.yaw)
            | u32::from(self.pitch) << 9
            | u32::from(self.speed) << 16
            | u32::from(self.cooking) << 18
            | u32::from(self.is_crouched) << 20
            | u32::from(self.arrival) << 21
            | u32::from(self.lies_long) << 23;
        let [low, middle, high, _] = bits.to_le_bytes();
        [low, middle, high]
    }

    /// What to do with the hand.
    pub fn throw(&self, table: &ThrowTable) -> Throw {
        Throw {
            yaw: f32::from(self.yaw) * Stored::YAW_STEP,
            pitch: Stored::PITCH_FIRST + f32::from(self.pitch) * Stored::PITCH_STEP,
            speed: table.speeds.get(usize::from(self.speed)).copied().unwrap_or_default(),
            cooked_ms: i32::from(self.cooking) * i32::from(table.cook_step_ms),
        }
    }

    pub fn stance(&self) -> Stance {
        if self.is_crouched { Stance::Crouched } else { Stance::Standing }
    }

    /// The class of something that lies there so many milliseconds after it left the hand.
    pub fn arrival_class(rest_ms: i32) -> u8 {
        Stored::ARRIVALS_MS.iter().filter(|&&end| rest_ms >= end).count() as u8
    }

    /// When it is there at the latest; none in the last class: when the fuse ends.
    pub fn arrives_within_ms(&self) -> Option<i32> {
        Stored::ARRIVALS_MS.get(usize::from(self.arrival)).copied()
    }
}

/// What a throw asks of a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Needs {
    Open,
    Shut,
}

/// A throw that holds only while a door is as it needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoorThrow {
    pub throw: Stored,
    pub mover: MoverId,
    pub needs: Needs,
}

impl DoorThrow {
    /// Set in the mover's number if the door must be shut; a map has fewer movers than that.
    const SHUT: u16 = 1 << 15;

    pub fn from_bytes(bytes: &[u8; 5]) -> DoorThrow {
        let [a, b, c, low, high] = *bytes;
        let mover = u16::from_le_bytes([low, high]);
        DoorThrow {
            throw: Stored::from_bytes(&[a, b, c]),
            mover: MoverId(mover & !DoorThrow::SHUT),
            needs: if mover & DoorThrow::SHUT == 0 { Needs::Open } else { Needs::Shut },
        }
    }

    pub fn to_bytes(self) -> [u8; 5] {
        let [a, b, c] = self.throw.to_bytes();
        let shut = if self.needs == Needs::Shut { DoorThrow::SHUT } else { 0 };
        let [low, high] = (self.mover.0 | shut).to_le_bytes();
        [a, b, c, low, high]
    }

    pub fn is_valid(&self, is_open: bool) -> bool {
        is_open == (self.needs == Needs::Open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_bits_is_a_throw_and_comes_back() {
        for bits in (0..1_u32 << 24).step_by(37) {
            let [a, b, c, _] = bits.to_le_bytes();
            let throw = Stored::from_bytes(&[a, b, c]);
            assert_eq!(throw.to_bytes(), [a, b, c]);
            let door = DoorThrow { throw, mover: MoverId(bits as u16 & 0xfff), needs: Needs::Shut };
            assert_eq!(DoorThrow::from_bytes(&door.to_bytes()), door);
        }
    }

    #[test]
    fn arrivals_fall_into_four_classes() {
        let classes = [0, 749, 750, 1249, 1250, 1750, 60_000].map(Stored::arrival_class);
        assert_eq!(classes, [0, 0, 1, 1, 2, 3, 3]);
    }
}
