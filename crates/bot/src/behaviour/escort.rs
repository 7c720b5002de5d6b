//! Going along with the mate who has the flag: to him while he is far, home with him when he is near.

use super::duty::{self, Press};
use super::{Behaviour, Limbs, View};
use crate::goal::{Bid, Outcome};
use crate::legs::{Destination, Manner, Travelling};
use crate::snapshot::Power;
use crate::team::Role;
use crate::words;

#[derive(Clone, Debug, Default)]
pub(super) struct Escort {
    to: Option<Destination>,
    is_near: bool,
}

/// Nearer than this one goes along; farther off, one goes to him.
const NEAR: f32 = 350.0;
/// And so far before the bearer gets home one lets him pass.
const AHEAD: f32 = 150.0;

impl Behaviour for Escort {
    fn name(&self) -> &'static str {
        "escorting"
    }

    fn bid(&mut self, view: &View, _: &mut Limbs) -> Option<Bid> {
        let flags = duty::flags_as(view, Role::Escort)?;
        let bearer = view.mates.living().find(|mate| Power::Bearer.is_in(mate.powers))?;
        let distance = bearer.origin.distance(view.origin());
        self.is_near = distance < NEAR;
        let home = flags.ours.told.home;
        let reason = if self.is_near {
            self.to = Some(Destination::Waypoint(duty::waypoint_at(view, home)?));
            words!("goes along with player {}, who has their flag", bearer.entity.0)
        } else {
            self.to = Some(Destination::Waypoint(duty::waypoint_at(view, bearer.origin)?));
            words!("player {} has their flag, {distance:.0} units away", bearer.entity.0)
        };
        Some(duty::bid(Press::Usual, reason))
    }

    fn update(&mut self, view: &View, limbs: &mut Limbs) -> Outcome {
        let Some(to) = self.to else { return Outcome::Done(words!("nobody to go along with")) };
        let is_there = matches!(to, Destination::Waypoint(id) if
            view.field.terrain.waypoints.origin[id.index()].distance(view.origin()) < AHEAD);
        if self.is_near && is_there {
            limbs.legs.stay(false, "keeps by the bearer");
            return Outcome::Continue;
        }
        limbs.legs.go(to, Manner::RUN);
        match limbs.legs.state() {
            Travelling::Failed(trouble) => Outcome::Done(words!("{trouble}")),
            Travelling::Arrived | Travelling::Standing | Travelling::Searching | Travelling::OnTheWay => {
                Outcome::Continue
            }
        }
    }

    fn forget(&mut self) {
        *self = Escort::default();
    }
}
