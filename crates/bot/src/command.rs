//! What comes out: for each bot and frame, what its player presses. And the hands that press: for how long, not before when.
//!
//! A [`Command`] is plain data that any game can carry out: view angles, three axes of movement, buttons, the weapon
//! wanted. [`Hands`] are a player's fingers between two decisions, after J. Lampel, "JoeBOT XP, an overview", 2005, 5
//! (`CAction`): "attack for a tenth of a second", "no attack before then", "half speed until then". They hold no opinion.

use fireteam_world::movement::{self, Buttons};
use fireteam_world::units::{EntityId, Time};

use crate::snapshot::{Voice, WeaponId};

/// What one bot presses for one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    pub bot: EntityId,
    /// View, legs and buttons, in the form a Quake III client sends them.
    pub press: movement::Command,
    /// What it wants in its hands.
    pub weapon: WeaponId,
    pub reload: bool,
    /// For games with grenades in the hand: which of the throwable's speeds.
    pub throw_speed: u8,
    pub voice: Option<Voice>,
}

/// Buttons held for a time, and what holds them back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hands {
    attack_until: Time,
    attack_not_before: Time,
    use_until: Time,
    reload_until: Time,
    slow_until: Time,
    slow_share: f32,
    weapon: WeaponId,
    throw_speed: u8,
    voice: Option<Voice>,
}

impl Hands {
    /// Keeps attack down from `now` on, for so long.
    pub fn attack_for(&mut self, now: Time, ms: i32) {
        self.attack_until = now + ms;
    }

    pub fn stop_attack(&mut self) {
        self.attack_until = Time::default();
    }

    /// Whatever is asked for meanwhile, attack is not pressed before `until`.
    pub fn pause_attack(&mut self, until: Time) {
        self.attack_not_before = until;
    }

    pub fn use_for(&mut self, now: Time, ms: i32) {
        self.use_until = now + ms;
    }

    pub fn reload(&mut self, now: Time) {
        self.reload_until = now + RELOAD_PRESS_MS;
    }

    /// Moves with this share of the speed keys would give, until then.
    pub fn slow_down(&mut self, share: f32, until: Time) {
        self.slow_share = share.clamp(0.0, 1.0);
        self.slow_until = until;
    }

    pub fn select(&mut self, weapon: WeaponId) {
        self.weapon = weapon;
    }

    pub fn wanted(&self) -> WeaponId {
        self.weapon
    }

    /// Which of a throwable's speeds the next throw has.
    pub fn set_throw_speed(&mut self, index: u8) {
        self.throw_speed = index;
    }

    pub fn say(&mut self, voice: Voice) {
        self.voice = Some(voice);
    }

    pub fn is_attacking(&self, now: Time) -> bool {
        now < self.attack_until && now >= self.attack_not_before
    }

    /// The command for this frame: `press` has view and legs already; fingers add the rest. What was said is said.
    pub fn press(&mut self, bot: EntityId, mut press: movement::Command, now: Time) -> Command {
        if self.is_attacking(now) {
            press.buttons.0 |= Buttons::ATTACK.0;
        }
        if now < self.use_until {
            press.buttons.0 |= Buttons::USE.0;
        }
        if now < self.slow_until {
            press.forward = slowed(press.forward, self.slow_share);
            press.right = slowed(press.right, self.slow_share);
        }
        let reload = now < self.reload_until;
        let voice = self.voice.take();
        Command { bot, press, weapon: self.weapon, reload, throw_speed: self.throw_speed, voice }
    }
}

/// A tap on the key.
const RELOAD_PRESS_MS: i32 = 100;

fn slowed(axis: i8, share: f32) -> i8 {
    (f32::from(axis) * share) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_are_held_for_their_time_and_held_back_before_it() {
        let mut hands = Hands::default();
        hands.attack_for(Time(1000), 100);
        assert!(hands.is_attacking(Time(1000)) && hands.is_attacking(Time(1099)) && !hands.is_attacking(Time(1100)));
        hands.pause_attack(Time(1050));
        assert!(!hands.is_attacking(Time(1049)) && hands.is_attacking(Time(1050)));
        hands.stop_attack();
        assert!(!hands.is_attacking(Time(1060)));
    }

    #[test]
    fn slowing_down_ends() {
        let mut hands = Hands::default();
        hands.slow_down(0.5, Time(200));
        let run = movement::Command { forward: 127, right: -127, ..Default::default() };
        let slow = hands.press(EntityId(3), run, Time(199)).press;
        assert_eq!((slow.forward, slow.right), (63, -63));
        assert_eq!(hands.press(EntityId(3), run, Time(200)).press, run);
    }

    #[test]
    fn a_word_is_said_once() {
        let mut hands = Hands::default();
        hands.say(Voice::Grenade);
        assert_eq!(hands.press(EntityId(0), Default::default(), Time(0)).voice, Some(Voice::Grenade));
        assert_eq!(hands.press(EntityId(0), Default::default(), Time(50)).voice, None);
    }
}
