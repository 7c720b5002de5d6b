//! One number for all that has happened: what two runs of a match are compared by.

use fireteam::Command;
use fireteam_world::Vec3;

use crate::missiles::Flying;
use crate::soldier::Soldier;

/// FNV-1a over 64-bit words, with a final shuffle left out: equality is all that is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    pub(crate) fn value(self) -> u64 {
        self.0
    }

    pub(crate) fn take(&mut self, soldiers: &[Soldier], missiles: &[Flying]) {
        for soldier in soldiers {
            self.vector(soldier.body.origin);
            self.vector(soldier.body.velocity);
            self.vector(soldier.body.view);
            self.word(u64::from(soldier.health as u32) << 32 | u64::from(soldier.armour as u32));
            for arm in &soldier.arms {
                self.word(u64::from(arm.rounds as u16) << 16 | u64::from(arm.clip as u16));
            }
        }
        for missile in missiles {
            self.vector(missile.course.place());
        }
    }

    pub(crate) fn take_command(&mut self, command: Option<&Command>) {
        let Some(command) = command else { return self.word(0) };
        let press = &command.press;
        for angle in press.angles {
            self.word(u64::from(angle as u32));
        }
        let moves = [press.forward as u8, press.right as u8, press.up as u8, command.weapon.0];
        self.word(u64::from(press.buttons.0) << 32 | u64::from(u32::from_le_bytes(moves)));
        self.word(u64::from(command.reload) << 8 | u64::from(command.throw_speed));
    }

    fn vector(&mut self, v: Vec3) {
        self.word(u64::from(v.x.to_bits()) << 32 | u64::from(v.y.to_bits()));
        self.word(u64::from(v.z.to_bits()));
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    }
}
