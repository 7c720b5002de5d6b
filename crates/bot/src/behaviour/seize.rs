//! Taking the enemy's flag: from its stand, or from where it was dropped.

use fireteam_world::units::Time;

use super::duty;
use super::{Behaviour, Limbs, View};
use crate::goal::{Bid, Outcome};
use crate::journal::Tenths;
use crate::legs::Destination;
use crate::snapshot::Standing;
use crate::team::Role;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Seize {
    to: Option<Destination>,
    /// No way was found there: something else is done until then.
    not_before: Time,
}

impl Behaviour for Seize {
    fn name(&self) -> &'static str {
        "taking their flag"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let flag = duty::flags_as(view, Role::Attack)?.theirs;
        if flag.told.standing == Standing::Carried {
            return None;
        }
        // One that fell where nobody looked is sought about its stand: most do not get far with it.
        let place = flag.place().unwrap_or(flag.told.home);
        self.to = Some(duty::onto(view, place));
        let ms = view.travel_ms(duty::waypoint_at(view, place)?).filter(|_| view.now >= self.not_before)?;
        let reason = words!("{}, {} s away", duty::stands(view, flag), Tenths(ms as i32));
        Some(duty::bid(duty::press(view, ms), reason))
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(to) = self.to else { return Outcome::Done(words!("nothing to take")) };
        // Standing where it should be and not having it: it hangs out of reach.
        duty::run_onto(view, limbs, to, "it is out of reach from here", &mut self.not_before)
    }

    fn forget(&mut self) {
        self.to = None;
    }
}
