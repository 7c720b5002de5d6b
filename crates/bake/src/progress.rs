//! How far a bake has come, and whether anybody still wants it.

/// The steps of a bake, in the order in which they are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Ground,
    Waypoints,
    Links,
    Areas,
    Sight,
    Hiding,
    Throws,
    Ranks,
    Assemble,
}

impl Step {
    pub const ALL: [Step; 9] = [
        Step::Ground,
        Step::Waypoints,
        Step::Links,
        Step::Areas,
        Step::Sight,
        Step::Hiding,
        Step::Throws,
        Step::Ranks,
        Step::Assemble,
    ];

    /// The number it goes by. Hiding spots are a part of sight.
    pub const fn number(self) -> u8 {
        match self {
            Step::Ground => 1,
            Step::Waypoints => 2,
            Step::Links => 3,
            Step::Areas => 4,
            Step::Sight | Step::Hiding => 5,
            Step::Throws => 6,
            Step::Ranks => 7,
            Step::Assemble => 8,
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Step::Ground => "ground",
            Step::Waypoints => "waypoints",
            Step::Links => "links",
            Step::Areas => "areas",
            Step::Sight => "sight",
            Step::Hiding => "hiding",
            Step::Throws => "throws",
            Step::Ranks => "ranks",
            Step::Assemble => "assemble",
        }
    }
}

/// Who watches a bake. It is told from whichever thread did the work.
pub trait Progress: Sync {
    /// `done` of the `total` units of a step are done. Each step begins with 0 and ends with all of them; in between,
    /// two threads may report out of order.
    fn advance(&self, step: Step, done: usize, total: usize);

    /// Whether to stop. Asked between units of work; the bake then ends with [`BakeError::Cancelled`](crate::BakeError).
    fn is_cancelled(&self) -> bool;
}

/// Nobody watches, nobody stops it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Progress for Unwatched {
    fn advance(&self, _: Step, _: usize, _: usize) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
