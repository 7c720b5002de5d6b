//! The ten rules: each looks at one bot's life, frame by frame, and says when what it is about has happened once more.
//!
//! In: [`Glance`]s of one life, in order. Out: for each rule whether this frame made a case of it. What lasts is one case however
//! long it lasts; what adds up over a while begins anew after a case.

mod eyes;
mod mind;
mod way;

use super::glance::Glance;
use eyes::{Backwards, Spares, Stares, Whirls};
use fireteam_world::units::Time;
use mind::{Dithers, OtherItem};
use way::{ComesBack, Falls, Hops, RunsPast};

/// What one sees, in the order of `docs/notes/watched.md`.
pub(super) const NAMES: [&str; RULES] = [
    "stares at floor, ceiling or wall",
    "comes back to where it was",
    "changes its mind what to fetch",
    "runs past what it needs",
    "falls and hurts itself",
    "hops as it sets off",
    "dithers between goals",
    "runs backwards",
    "whirls about",
    "aims and does not shoot",
];

pub(super) const RULES: usize = 10;

/// Whoever is this near to something has it, or has seen that it is gone.
const CAME_TO: f32 = 48.0;

/// All rules at one life of one bot.
#[derive(Debug, Default)]
pub(super) struct Rules {
    stares: Stares,
    comes_back: ComesBack,
    other_item: OtherItem,
    runs_past: RunsPast,
    falls: Falls,
    hops: Hops,
    dithers: Dithers,
    backwards: Backwards,
    whirls: Whirls,
    spares: Spares,
}

impl Rules {
    pub(super) fn look(&mut self, glance: &Glance) -> [bool; RULES] {
        [
            self.stares.look(glance),
            self.comes_back.look(glance),
            self.other_item.look(glance),
            self.runs_past.look(glance),
            self.falls.look(glance),
            self.hops.look(glance),
            self.dithers.look(glance),
            self.backwards.look(glance),
            self.whirls.look(glance),
            self.spares.look(glance),
        ]
    }
}

/// Something that goes on: after so long it is a case, once.
#[derive(Debug, Default)]
struct Spell {
    since: Option<Time>,
    is_told: bool,
}

impl Spell {
    fn lasts(&mut self, is_so: bool, now: Time, ms: i32) -> bool {
        if !is_so {
            *self = Spell::default();
            return false;
        }
        let since = *self.since.get_or_insert(now);
        let is_long = now - since >= ms;
        is_long && !std::mem::replace(&mut self.is_told, is_long)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fireteam_world::Vec3;

    /// Frames of a made-up life come so often.
    pub(super) const FRAME_MS: i32 = 50;

    /// Somebody who stands there, looks along x, and sees and wants nothing.
    pub(super) fn idle(time: i32) -> Glance {
        Glance {
            time: Time(time),
            origin: Vec3::ZERO,
            velocity: Vec3::ZERO,
            pitch: 0.0,
            yaw: 0.0,
            hurt: None,
            sees_somebody: false,
            faces_wall: false,
            spares_somebody: false,
            legs_at: None,
            fetches: None,
            goes_on: false,
            is_stuck: false,
            needs: Vec::new(),
        }
    }

    /// How many cases a rule finds in a life of so many milliseconds, of which each frame is what `frame` makes of an idle one.
    pub(super) fn cases(ms: i32, mut look: impl FnMut(&Glance) -> bool, frame: impl Fn(&mut Glance)) -> usize {
        let times = (0..ms / FRAME_MS).map(|index| index * FRAME_MS);
        let looked = times.filter(|time| {
            let mut glance = idle(*time);
            frame(&mut glance);
            look(&glance)
        });
        looked.count()
    }

    #[test]
    fn what_goes_on_is_one_case_however_long_and_another_after_a_break() {
        let mut spell = Spell::default();
        let is_so = |glance: &Glance| glance.time.0 != 2000;
        assert_eq!(cases(4000, |glance| spell.lasts(is_so(glance), glance.time, 700), |_| {}), 2);
        let mut spell = Spell::default();
        let flickers = |glance: &Glance| glance.time.0 % 600 != 0;
        assert_eq!(cases(4000, |glance| spell.lasts(flickers(glance), glance.time, 700), |_| {}), 0);
    }

    #[test]
    fn whoever_stands_about_does_nothing_stupid() {
        let mut rules = Rules::default();
        assert_eq!(cases(10_000, |glance| rules.look(glance).contains(&true), |_| {}), 0);
    }
}
