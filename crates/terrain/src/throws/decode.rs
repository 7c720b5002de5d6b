//! From a throw of the table to a throw of the hand: from where the bot really stands, at where the target really is.
//!
//! The stored throw is flown once from its waypoint: where it first touches is the spot to aim for. The bot aims for that
//! spot from his own place, flies it again before he commits himself, and turns it a little where it no longer
//! delivers. What does not hurt the target, or hurts the thrower, is refused.
//!
//! After W. van der Sterren, "AI for Tactical Grenade Handling", CGF-AI, 2000, 5.1 and Fig. 10.
//! Cost: 11 flights as a rule, up to 100 where it has to look: a tenth of a millisecond to half of one.

use fireteam_world::throwing::seek::{Aimed, Seeker};
use fireteam_world::throwing::{Hand, Range, Stand};
use glam::Vec3;

use super::{Stored, ThrowTable};

/// Why a throw of the table is not thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("no way was found to hurt him from here")]
    Harmless,
    #[error("it would go off too near to whoever throws it")]
    HurtsThrower,
}

/// Who decodes: what is flown, by whose hand.
#[derive(Clone, Copy, Debug)]
pub struct Decoder<'a> {
    pub table: &'a ThrowTable,
    pub range: &'a Range<'a>,
    pub hand: &'a Hand,
}

impl Decoder<'_> {
    /// The throw from `from` at `at`, of which the table has `stored` from the waypoint at `source`.
    pub fn decode(&self, stored: &Stored, source: Vec3, from: &Stand, at: &Stand) -> Result<Aimed, Refusal> {
        let throw = stored.throw(self.table);
        let from = Stand { stance: stored.stance(), ..*from };
        let middle = Stand { origin: source, ..from };
        let spot = self.range.fly(&middle, &throw);
        let again = if spot.bounces > 0 { self.range.aimed_again(&from, &throw, spot.first) } else { throw };
        let seeker = Seeker { range: self.range, hand: self.hand, from, at: *at };
        let aimed = seeker.improve([again, throw]).ok_or(Refusal::Harmless)?;
        if aimed.hurts_thrower { Err(Refusal::HurtsThrower) } else { Ok(aimed) }
    }
}
