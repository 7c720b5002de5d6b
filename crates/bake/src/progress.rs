//! How far a bake has come, and whether anybody still wants it.

/// The steps of a bake, by the numbers they go by; 6 is kept free for throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Step {
    Ground = 1,
    Waypoints = 2,
    Links = 3,
    Areas = 4,
    Sight = 5,
    Ranks = 7,
    Assemble = 8,
}

impl Step {
    pub const ALL: [Step; 7] =
        [Step::Ground, Step::Waypoints, Step::Links, Step::Areas, Step::Sight, Step::Ranks, Step::Assemble];

    pub const fn word(self) -> &'static str {
        match self {
            Step::Ground => "ground",
            Step::Waypoints => "waypoints",
            Step::Links => "links",
            Step::Areas => "areas",
            Step::Sight => "sight",
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
