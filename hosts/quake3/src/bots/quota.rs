//! How many bots of ours there should be: by the operator's quota, the people who are there, and the slots that are left.
//!
//! In: a [`Quota`] and who is [`Present`]. Out: a number, which `crew` follows. The modes are those that operators know from
//! Counter-Strike's bots. Whatever the quota says, `ft_reserve` client slots are left free: the engine turns people away
//! from a full server without asking the game, so a bot has to be gone before somebody knocks.

use std::ffi::CStr;

/// What the number of a quota counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// Bots, always so many.
    #[default]
    Normal,
    /// Players in all: bots leave as people join.
    Fill,
    /// Bots for each person.
    Match,
}

impl Mode {
    const ALL: [Mode; 3] = [Mode::Normal, Mode::Fill, Mode::Match];

    pub(super) fn named(word: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.word().eq_ignore_ascii_case(word))
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Mode::Normal => "normal",
            Mode::Fill => "fill",
            Mode::Match => "match",
        }
    }

    /// As a console variable holds it.
    pub(super) fn value(self) -> &'static CStr {
        match self {
            Mode::Normal => c"normal",
            Mode::Fill => c"fill",
            Mode::Match => c"match",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quota {
    pub(super) mode: Mode,
    pub(super) count: usize,
}

/// Who is there besides our bots, and how much room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Present {
    /// People who play, or are about to; those who look on do not count.
    pub(super) people: usize,
    /// Bots of the game's own.
    pub(super) stock: usize,
    /// Client slots taken by anybody but our bots.
    pub(super) others: usize,
    pub(super) slots: usize,
    /// Slots that stay free for people.
    pub(super) reserve: usize,
}

impl Present {
    /// How many of ours there is room for.
    pub(super) fn room(&self) -> usize {
        self.slots.saturating_sub(self.others + self.reserve)
    }
}

impl Quota {
    /// What the operator asked for, whether there is room or not.
    pub(super) fn asked(self, present: &Present) -> usize {
        match self.mode {
            Mode::Normal => self.count,
            Mode::Fill => self.count.saturating_sub(present.people + present.stock),
            Mode::Match => self.count * present.people,
        }
    }

    /// How many there should be.
    pub(super) fn wanted(self, present: &Present) -> usize {
        self.asked(present).min(present.room())
    }

    /// After `gone` of ours left for other reasons than the quota: they are not asked in again. For each person there are as
    /// many as before.
    pub(super) fn without(self, gone: usize) -> Quota {
        match self.mode {
            Mode::Normal | Mode::Fill => Quota { count: self.count.saturating_sub(gone), ..self },
            Mode::Match => self,
        }
    }

    /// In words, for the operator.
    pub(super) fn told(self) -> String {
        let count = self.count;
        match self.mode {
            Mode::Normal => format!("quota normal {count}: always {count} bots"),
            Mode::Fill => format!("quota fill {count}: {count} players in all, bots leave as people join"),
            Mode::Match => format!("quota match {count}: {count} bots for each person"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present(people: usize, stock: usize) -> Present {
        Present { people, stock, others: people + stock, slots: 16, reserve: 1 }
    }

    fn wanted(mode: Mode, count: usize, people: usize, stock: usize) -> usize {
        Quota { mode, count }.wanted(&present(people, stock))
    }

    #[test]
    fn a_normal_quota_is_so_many_bots_whoever_else_is_there() {
        assert_eq!([0, 1, 5].map(|people| wanted(Mode::Normal, 4, people, 0)), [4, 4, 4]);
    }

    #[test]
    fn to_fill_a_server_bots_leave_as_people_join_and_come_back_as_they_go() {
        assert_eq!([0, 1, 6, 8, 12].map(|people| wanted(Mode::Fill, 8, people, 0)), [8, 7, 2, 0, 0]);
        assert_eq!(wanted(Mode::Fill, 8, 1, 3), 4, "the game's own count too");
    }

    #[test]
    fn a_match_has_so_many_bots_for_each_person() {
        assert_eq!([0, 1, 3].map(|people| wanted(Mode::Match, 2, people, 0)), [0, 2, 6]);
    }

    #[test]
    fn a_slot_stays_free_for_whoever_comes_next() {
        assert_eq!([0, 1, 15, 16].map(|people| wanted(Mode::Normal, 64, people, 0)), [15, 14, 0, 0]);
        let onlooker = Present { others: 1, ..present(0, 0) };
        assert_eq!(Quota { mode: Mode::Fill, count: 16 }.wanted(&onlooker), 14, "who looks on needs his slot too");
        let none_kept = Present { reserve: 0, ..present(0, 0) };
        assert_eq!(Quota { mode: Mode::Normal, count: 64 }.wanted(&none_kept), 16);
    }

    #[test]
    fn who_was_kicked_is_not_asked_in_again() {
        let quota = |mode| Quota { mode, count: 4 };
        assert_eq!(quota(Mode::Normal).without(1).count, 3);
        assert_eq!(quota(Mode::Fill).without(5).count, 0);
        assert_eq!(quota(Mode::Match).without(1).count, 4);
    }

    #[test]
    fn modes_have_names() {
        for mode in Mode::ALL {
            assert_eq!(Mode::named(mode.word()), Some(mode));
            assert_eq!(mode.value().to_str(), Ok(mode.word()));
        }
        assert_eq!((Mode::named("FILL"), Mode::named("full")), (Some(Mode::Fill), None));
    }
}
